// Game trees: the model, brackets and JSON. The formats are those of zermelo.teaching.tree.parsing.

import { TreeError, format, fromJson, parseNumber, toJson } from "./numbers.js";

export const MAX = 1;
export const MIN = -1;
export const CHANCE = 0;
export const PLAYER_NAMES = { [MAX]: "MAX", [MIN]: "MIN", [CHANCE]: "chance" };
const PLAYERS = { max: MAX, min: MIN, chance: CHANCE };

/** Limits of a tree on a page; those of an exercise. */
export const MAX_NODES = 500;
export const MAX_DEPTH = 30;
const MAX_NAME = 200;
const UNPRINTABLE = /[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]/;
const WORD = /^(?!\d)[\p{L}\p{N}_][\p{L}\p{N}_.'-]*$/u;

/**
 * A node. `player` is null at a leaf, `value` null at inner nodes and if it is unknown.
 * @typedef {import("./numbers.js").Num} Num
 * @typedef {{index: number, id: string, isNamed: boolean, player: number | null, parent: number, depth: number,
 *   children: number[], value: Num | null, weights: bigint[], move: string, evaluation: Num | null}} Node
 * @typedef {{nodes: Node[], name: string}} Tree
 */

/** A tree as nested data, before it is numbered and named: what the parsers return and the editor changes. */
/** @typedef {{id?: string, player?: number, children?: Draft[], value?: Num | null, weights?: Num[], move?: string,
 *   evaluation?: Num | null}} Draft */

// ---- building -------------------------------------------------------------------------------------------------

/** Number and name the nodes of a draft. Raises TreeError if it is too large or two nodes have one name. */
export function build(draft, name = "") {
  /** @type {Node[]} */
  const nodes = [];
  const visit = (from, parent, depth, turn) => {
    if (nodes.length >= MAX_NODES) throw new TreeError(`the tree has more than ${MAX_NODES} nodes, the maximum`);
    if (depth > MAX_DEPTH) throw new TreeError(`the tree is deeper than ${MAX_DEPTH} plies, the maximum`);
    const isLeaf = !from.children;
    const player = isLeaf ? null : from.player ?? turn;
    const node = {
      index: nodes.length, id: from.id ?? "", isNamed: from.id !== undefined, player, parent, depth, children: [],
      value: isLeaf ? from.value ?? null : null, weights: [], move: from.move ?? "", evaluation: from.evaluation ?? null,
    };
    nodes.push(node);
    if (isLeaf) return node.index;
    if (!from.children.length) throw new TreeError("an inner node needs at least one child");
    if (player === CHANCE) node.weights = wholeWeights(from.weights ?? from.children.map(() => parseNumber("1")));
    const next = player ? -player : turn;
    for (const child of from.children) node.children.push(visit(child, node.index, depth + 1, next));
    return node.index;
  };
  visit(draft, -1, 0, MAX);
  addNames(nodes);
  return { nodes, name };
}

/** Name inner nodes A, B, C, ... level by level, and leaves b1, b2, b3 below B; used names are skipped. */
function addNames(nodes) {
  const taken = new Set();
  for (const node of nodes) {
    if (!node.isNamed) continue;
    if (taken.has(node.id)) throw new TreeError(`duplicate node name '${node.id.slice(0, 60)}'`);
    taken.add(node.id);
  }
  let count = 0;
  const nextLetters = () => {
    for (;;) {
      let [word, rest] = ["", count++];
      for (; rest >= 0; rest = Math.floor(rest / 26) - 1) word = String.fromCharCode(65 + (rest % 26)) + word;
      if (!taken.has(word)) return word;
    }
  };
  const byDepth = [...nodes].sort((one, other) => one.depth - other.depth || one.index - other.index);
  for (const node of byDepth) {
    if (!node.isNamed && node.children.length) node.id = nextLetters();
  }
  const repeats = new Map();
  for (const parent of nodes) {
    parent.children.forEach((child, number) => {
      if (nodes[child].id) return;
      const plain = parent.id.toLowerCase().slice(0, 150) + (number + 1);
      let id = plain;
      while (taken.has(id)) {
        repeats.set(plain, (repeats.get(plain) ?? 0) + 1);
        id = `${plain}'${repeats.get(plain) > 1 ? repeats.get(plain) : ""}`;
      }
      taken.add(id);
      nodes[child].id = id;
    });
  }
  nodes[0].id ||= nextLetters();
}

/** Weights as the smallest integers of the same proportion. Raises TreeError unless positive, and whole or of sum 1. */
function wholeWeights(weights) {
  for (const weight of weights) {
    if (weight.n <= 0n) throw new TreeError(`weight must be positive (got ${format(weight)})`);
  }
  const gcd = (a, b) => (b ? gcd(b, a % b) : a);
  const common = weights.reduce((so, { d }) => (so * d) / gcd(so, d), 1n);
  const whole = weights.map(({ n, d }) => (n * common) / d);
  if (common > 1n && whole.reduce((sum, weight) => sum + weight, 0n) !== common) {
    throw new TreeError("the weights of a chance node must be whole numbers or sum to 1; write thirds as 1/3");
  }
  const divisor = whole.reduce(gcd, 0n);
  return whole.map((weight) => weight / divisor);
}

/**
 * The draft of a tree, from which `build` makes an equal tree.
 *
 * @returns {any}
 */
export function toDraft(tree, index = 0) {
  const node = tree.nodes[index];
  const draft = { move: node.move, evaluation: node.evaluation, ...(node.isNamed ? { id: node.id } : {}) };
  if (node.player === null) return { ...draft, value: node.value };
  const weights = node.weights.map((weight) => ({ n: weight, d: 1n }));
  const children = node.children.map((child) => toDraft(tree, child));
  return { ...draft, player: node.player, children, ...(weights.length ? { weights } : {}) };
}

// ---- brackets -------------------------------------------------------------------------------------------------

const TOKEN = /\s*(?:([-+−]?\d[\d.]*(?:[eE][-+]?\d+)?(?:\/\d+)?)|((?!\d)[\p{L}\p{N}_][\p{L}\p{N}_.'-]*)|("(?:[^"\\\n]|\\.)*")|([[\],:=*?])|($))/uy;
const KINDS = ["number", "name", "quoted", "sign", "end"];

/** Read nested brackets, `[[3,12,8],[2,4,6]]`, or nested JSON. Raises TreeError that says where the error is. */
export function parseTree(text, name = "") {
  if (!text.trim()) throw new TreeError("the tree text is empty: expected nested brackets, [[3,12],[2,4]], or JSON");
  if (/^[\s[]*\{/.test(text)) {
    let data;
    try {
      data = JSON.parse(text);
    } catch {
      throw new TreeError("invalid JSON");
    }
    return treeFromJson(data, name);
  }
  return build(parseBrackets(text), name);
}

function parseBrackets(text) {
  let [next, at, kind, word] = [0, 0, "", ""];
  const fail = (message) => {
    throw new TreeError(`character ${at + 1}: ${message}; found ${kind === "end" ? "the end" : `'${word.slice(0, 40)}'`}`);
  };
  const step = () => {
    TOKEN.lastIndex = next;
    const match = TOKEN.exec(text);
    if (!match) {
      at = next + /^\s*/.exec(text.slice(next))[0].length;
      throw new TreeError(`character ${at + 1}: unexpected character '${text[at]}'`);
    }
    const number = KINDS.findIndex((_, group) => match[group + 1] !== undefined);
    [kind, word, next] = [KINDS[number], match[number + 1], TOKEN.lastIndex];
    at = next - word.length;
  };
  const isSign = (sign) => kind === "sign" && word === sign;
  const number = () => {
    try {
      return parseNumber(word);
    } catch (error) {
      throw new TreeError(`character ${at + 1}: ${error.message}`);
    }
  };
  /** The player to move below a node unless it is written. */
  const node = (turn, depth) => {
    if (depth > MAX_DEPTH) throw new TreeError(`the tree is deeper than ${MAX_DEPTH} plies, the maximum`);
    /** @type {Draft} */
    const draft = {};
    if (kind === "name" || kind === "quoted") {
      draft.id = checkName(kind === "name" ? word : unquoted(word));
      step();
    }
    let player = turn;
    if (isSign(":")) {
      step();
      if (kind !== "name" || !Object.hasOwn(PLAYERS, word.toLowerCase())) fail("expected max, min or chance after ':'");
      player = PLAYERS[word.toLowerCase()];
      step();
      if (!isSign("[")) fail("expected '[': only inner nodes have a player");
    }
    if (isSign("[")) {
      draft.player = player;
      draft.children = [];
      const weights = [];
      do {
        step();
        if (isSign("]")) fail("an inner node needs at least one child");
        if (kind === "number" && /^\s*\*/.test(text.slice(next))) {
          if (player !== CHANCE) fail(`only children of a chance node have weights; here ${PLAYER_NAMES[player]} is to move`);
          weights.push(number());
          step();
          step();
        }
        draft.children.push(node(player ? -player : turn, depth + 1));
      } while (isSign(","));
      if (!isSign("]")) fail("expected ',' or ']'");
      if (weights.length && weights.length < draft.children.length) fail("missing weight: other children have one");
      if (weights.length) draft.weights = weights;
      step();
      return draft;
    }
    if (draft.id !== undefined) {
      if (!isSign("=")) fail(`expected '=' and a value, or '[' after the name '${draft.id.slice(0, 40)}'`);
      step();
    }
    if (kind === "number") draft.value = number();
    else if (isSign("?")) draft.value = null;
    else fail("expected a number, '?', a name or '['");
    step();
    return draft;
  };
  step();
  const draft = node(MAX, 0);
  if (kind !== "end") fail("expected the end of the text");
  return draft;
}

function unquoted(word) {
  try {
    return JSON.parse(word);
  } catch {
    throw new TreeError(`invalid quoted name (JSON syntax): ${word.slice(0, 40)}`);
  }
}

/** Refuse a name that is empty, too long or has control characters; return it. */
export function checkName(name) {
  if (typeof name !== "string" || !name || name.length > MAX_NAME) {
    throw new TreeError(`a name must have 1 to ${MAX_NAME} characters`);
  }
  if (UNPRINTABLE.test(name)) throw new TreeError("a name contains an unprintable character");
  return name;
}

/** Write a tree as nested brackets. Players are written where they do not alternate; names if they were given. */
export function toBrackets(tree) {
  const write = (index, turn) => {
    const { id, isNamed, player, children, value, weights } = tree.nodes[index];
    const name = !isNamed ? "" : WORD.test(id) ? id : JSON.stringify(id);
    if (player === null) return (name && `${name}=`) + (value === null ? "?" : plain(value));
    const isUneven = weights.some((weight) => weight !== weights[0]);
    const next = player ? -player : turn;
    const parts = children.map((child, number) => (isUneven ? `${weights[number]}*` : "") + write(child, next));
    return `${name}${player === turn ? "" : `:${PLAYER_NAMES[player].toLowerCase()}`}[${parts.join(",")}]`;
  };
  return write(0, MAX);
}

/** A number as the parser reads it. */
const plain = ({ n, d }) => (d === 1n ? `${n}` : `${n}/${d}`);

// ---- JSON -----------------------------------------------------------------------------------------------------

const KEYS = ["id", "player", "children", "value", "weights", "move", "evaluation", "state", "transposition_of"];

/** Read nested JSON: objects with `children` or `value`, lists and numbers. Raises TreeError. */
export function treeFromJson(data, name = "") {
  const optional = (value) => (value === undefined || value === null ? null : fromJson(value));
  const read = (from, depth) => {
    if (depth > MAX_DEPTH) throw new TreeError(`the tree is deeper than ${MAX_DEPTH} plies, the maximum`);
    if (Array.isArray(from)) return { children: from.map((child) => read(child, depth + 1)) };
    if (from === null || typeof from !== "object") return { value: optional(from) };
    const unknown = Object.keys(from).find((key) => !KEYS.includes(key));
    if (unknown !== undefined) throw new TreeError(`unknown key '${unknown.slice(0, 40)}'`);
    /** @type {Draft} */
    const draft = { move: typeof from.move === "string" ? from.move : "", evaluation: optional(from.evaluation) };
    if (from.id !== undefined && from.id !== null) draft.id = checkName(from.id);
    if (from.children === undefined || from.children === null) return { ...draft, value: optional(from.value) };
    if (!Array.isArray(from.children)) throw new TreeError("children must be a list");
    if (from.player !== undefined && from.player !== null) {
      if (!Object.hasOwn(PLAYERS, from.player)) throw new TreeError("player must be max, min or chance");
      draft.player = PLAYERS[from.player];
    }
    if (Array.isArray(from.weights)) draft.weights = from.weights.map(fromJson);
    draft.children = from.children.map((child) => read(child, depth + 1));
    if (draft.weights && draft.weights.length !== draft.children.length) throw new TreeError("one weight for each child");
    return draft;
  };
  return build(read(data, 0), name);
}

/** Convert a tree to nested objects for JSON. */
export function treeToJson(tree, index = 0) {
  const node = tree.nodes[index];
  const data = { id: node.id, ...(node.move ? { move: node.move } : {}) };
  if (node.player === null) return { ...data, value: toJson(node.value) };
  return {
    ...data,
    player: PLAYER_NAMES[node.player].toLowerCase(),
    ...(node.weights.length ? { weights: node.weights.map(Number) } : {}),
    ...(node.evaluation === null ? {} : { evaluation: toJson(node.evaluation) }),
    children: node.children.map((child) => treeToJson(tree, child)),
  };
}

// ---- queries --------------------------------------------------------------------------------------------------

/** The name of a node with its player, for people: `B (MIN)`. */
export function describe(node) {
  return node.player === null ? `leaf ${node.id}` : `${node.id} (${PLAYER_NAMES[node.player]})`;
}

/** The index after the last node of a subtree. */
export function subtreeEnd(tree, index) {
  let end = index + 1;
  while (end < tree.nodes.length && tree.nodes[end].depth > tree.nodes[index].depth) end++;
  return end;
}

/** The tree down to a depth; inner nodes there become leaves with their evaluation. */
export function truncated(tree, depth) {
  const cut = (draft, ply) => {
    if (!draft.children) return draft;
    if (ply < depth) return { ...draft, children: draft.children.map((child) => cut(child, ply + 1)) };
    return { id: draft.id, move: draft.move, value: draft.evaluation };
  };
  return build(cut(toDraft(tree), 0), tree.name);
}
