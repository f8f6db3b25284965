// Exact numbers of trees: integers, decimals, fractions and infinite bounds, as in zermelo.teaching.tree.numbers.

/**
 * A fraction in lowest terms, with a positive denominator; an infinity is 1/0 or -1/0.
 * @typedef {{n: bigint, d: bigint}} Num
 */

/** The text or the tree is invalid. The message is for people. */
export class TreeError extends Error {}

const MAX_MAGNITUDE = 10n ** 12n;
const MAX_DENOMINATOR = 10n ** 6n;
const MAX_LENGTH = 40;

/** @type {Num} */ export const INF = Object.freeze({ n: 1n, d: 0n });
/** @type {Num} */ export const MINUS_INF = Object.freeze({ n: -1n, d: 0n });
/** @type {Num} */ export const ZERO = Object.freeze({ n: 0n, d: 1n });

/** The fraction n/d in lowest terms. */
function fraction(n, d = 1n) {
  let [a, b] = [n < 0n ? -n : n, d];
  while (b) [a, b] = [b, a % b];
  return a > 1n ? { n: n / a, d: d / a } : { n, d };
}

export const isInfinite = (/** @type {Num} */ a) => a.d === 0n;
export const negate = (/** @type {Num} */ a) => ({ n: -a.n, d: a.d });
export const add = (/** @type {Num} */ a, /** @type {Num} */ b) => fraction(a.n * b.d + b.n * a.d, a.d * b.d);
export const scale = (/** @type {Num} */ a, /** @type {bigint} */ by) => fraction(a.n * by, a.d);
export const divide = (/** @type {Num} */ a, /** @type {bigint} */ by) => fraction(a.n, a.d * by);

/** Negative, zero or positive as a is less than, equal to or greater than b. */
export function compare(a, b) {
  const difference = isInfinite(a) && isInfinite(b) ? a.n - b.n : a.n * b.d - b.n * a.d;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export const isEqual = (a, b) => compare(a, b) === 0;
export const larger = (a, b) => (compare(b, a) > 0 ? b : a);
export const smaller = (a, b) => (compare(b, a) < 0 ? b : a);

/** Refuse a number that is out of range. */
function checkRange(value) {
  const size = value.n < 0n ? -value.n : value.n;
  if (size <= MAX_MAGNITUDE * value.d && value.d <= MAX_DENOMINATOR) return value;
  throw new TreeError(`${format(value).slice(0, 40)} is out of range: expected -10^12 to 10^12, with a denominator of at most 1,000,000`);
}

/** Parse a number: `3`, `-2.5`, `1/6`. */
export function parseNumber(text) {
  const match = /^([-+−]?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d{1,2}))?(?:\/(\d+))?$/.exec(text);
  if (!match || text.length > MAX_LENGTH || (match[5] && (match[3] || match[4]))) {
    throw new TreeError(`'${text.slice(0, 40)}' is not a number: expected a number such as 3, -2.5 or 1/6`);
  }
  const [, sign, whole, decimals = "", exponent = "0", divisor = "1"] = match;
  if (BigInt(divisor) === 0n) throw new TreeError(`'${text}': division by zero`);
  const power = Number(exponent) - decimals.length;
  const digits = BigInt(whole + decimals) * 10n ** BigInt(Math.max(power, 0));
  const value = fraction(digits, BigInt(divisor) * 10n ** BigInt(Math.max(-power, 0)));
  return checkRange(sign && sign !== "+" ? negate(value) : value);
}

/** Parse a bound: a number, `-inf`, `inf`, `oo`, `∞`. */
export function parseBound(text) {
  const word = text.trim().toLowerCase().replace("−", "-").replace(/^([-+]?)(?:∞|infinity|oo)$/, "$1inf");
  if (/^[-+]?inf$/.test(word)) return word[0] === "-" ? MINUS_INF : INF;
  return parseNumber(text.trim());
}

/** The number of a JSON value: a number, or a string with a fraction or an infinity. */
export function fromJson(value) {
  if (typeof value === "number" && Number.isFinite(value)) return parseNumber(String(value));
  if (typeof value === "string") return parseBound(value);
  throw new TreeError("a number must be a JSON number or a string such as \"7/3\"");
}

/** The exact decimal of a fraction, or null if six decimal places do not suffice. */
function decimal(value) {
  for (let places = 0; places <= 6; places++) {
    const digits = value.n * 10n ** BigInt(places);
    if (digits % value.d) continue;
    const whole = digits / value.d;
    const text = String(whole < 0n ? -whole : whole).padStart(places + 1, "0");
    const split = text.length - places;
    return (whole < 0n ? "-" : "") + text.slice(0, split) + (places ? `.${text.slice(split)}` : "");
  }
  return null;
}

/** Format a number for people: `3`, `-2.5`, `7/3`, `-∞`, and `?` for null. */
export function format(value) {
  if (value === null) return "?";
  if (isInfinite(value)) return value.n > 0n ? "+∞" : "-∞";
  return decimal(value) ?? `${value.n}/${value.d}`;
}

/** Convert a number for JSON: infinities to "-inf" and "+inf", fractions without a short decimal to "7/3". */
export function toJson(value) {
  if (value === null) return null;
  if (isInfinite(value)) return value.n > 0n ? "+inf" : "-inf";
  if (value.d === 1n) return Number(value.n);
  const text = decimal(value);
  return text === null || text.length > 16 ? `${value.n}/${value.d}` : Number(text);
}
