// What the reviews of a game's moves add up to: curve, marks, the figures of a side, a remark on a move.

import { element } from "/scripts/teaching/dom.js";

/** @typedef {import("./game.js").MoveReview} MoveReview */
/** @typedef {import("./game.js").Step} Step */

const MARKS = ["inaccuracy", "mistake", "blunder"];

/** The marked moves in the order of the game. */
export function markedMoves(/** @type {Iterable<MoveReview>} */ moves) {
  return [...moves].filter((each) => each.mark).sort((first, second) => first.ply - second.ply);
}

/**
 * MAX's share before each step and at the end; null where it is not known.
 *
 * @param {Step[]} steps
 * @param {Map<number, MoveReview>} moves By ply.
 * @param {number | null | undefined} endShare
 */
export function curveOf(steps, moves, endShare) {
  /** @type {(number | null)[]} */
  const values = steps.map((_, ply) => moves.get(ply)?.best.share ?? null);
  const last = moves.get(steps.length - 1)?.played.share ?? null;
  return [...values, endShare ?? last];
}

/**
 * The figures of a side, from the moves reviewed so far.
 *
 * @param {"max" | "min"} side
 * @param {Step[]} steps
 * @param {Map<number, MoveReview>} moves By ply.
 */
export function sideFigures(side, steps, moves) {
  const judged = [...moves.values()].filter((each) => steps[each.ply].side === side && !each.not_judged);
  const accuracies = judged.flatMap((each) => (each.accuracy === null ? [] : [each.accuracy]));
  const accuracy = accuracies.length ? accuracies.reduce((sum, each) => sum + each, 0) / accuracies.length : null;
  const counts = MARKS.map((mark) => judged.filter((each) => each.mark === mark).length);
  const rolls = [...moves.values()].filter((each) => each.luck !== null && steps[each.ply + 1]?.side === side);
  return { accuracy, counts, luck: rolls.reduce((sum, each) => sum + (each.luck ?? 0), 0) };
}

/** A side's name, with the person who played it. */
export const sideName = (/** @type {string} */ player, /** @type {string} */ person) => (person && person !== player ? `${person} (${player})` : player);

/** A gain or loss of expected result with its sign. */
export const signed = (/** @type {number | null} */ number) => (number === null ? "–" : `${number < 0 ? "−" : "+"}${Math.abs(number).toFixed(3)}`);

/** What there is to say about a move. */
export function remarkOf(/** @type {Step} */ step, /** @type {MoveReview | undefined} */ move) {
  if (!step.is_move) return "Not judged.";
  if (!move) return "Not reviewed yet.";
  if (move.not_judged === "forced") return "The only legal move.";
  if (move.not_judged === "chance") return move.luck === null ? "" : `Luck: ${signed(move.luck)}`;
  if (move.remark) return move.remark;
  return move.loss ? `Loses ${move.loss}.` : "As good as the best move.";
}

/** A tag on how certain a score is, beside it; null for one of a search of all moves. */
export function certaintyTag(/** @type {{proven: boolean, confidence?: number | null, selective?: boolean}} */ { proven, confidence, selective }) {
  if (proven) return element("span", { class: "tag", text: "proven" });
  if (!selective) return null;
  const title = confidence
    ? `An estimate: a search of all moves agrees with ${confidence} % confidence.`
    : "An estimate: the search looked deeper at promising moves than at others, so it can miss one.";
  return element("span", { class: "tag", title, text: confidence ? `selective, ${confidence} %` : "selective" });
}
