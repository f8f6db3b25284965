// An exercise on a page: what is asked for, and the entries that a student makes. It does not search.

import { TreeError, negate, parseBound, parseNumber, toJson } from "./numbers.js";
import { CHANCE, MIN, checkName, treeFromJson } from "./tree.js";

/** The version of answer files; see docs/exercises.md. */
const ANSWER_SCHEMA = "zermelo-answer/1";

/**
 * @typedef {{id: string, student: string, marks: Record<string, number | string>, depth: number | null,
 *   convention: import("./alphabeta.js").Convention, kinds: string[], tree: import("./tree.js").Tree}} Exercise
 * @typedef {{values: Record<string, string>, windows: Record<string, string[]>, cuts: string[], isNothingPruned: boolean,
 *   order: string[], best: string, student: string}} Entries Texts by name of the node; windows by `kind node`.
 */

/** The exercise that Python wrote into the page. */
export function readExercise(data) {
  return { ...data, tree: treeFromJson(data.tree) };
}

/** @returns {Entries} */
export const noEntries = (student = "") => ({
  values: {}, windows: {}, cuts: [], isNothingPruned: false, order: [], best: "", student,
});

export const windowKey = (kind, id) => `${kind} ${id}`;

/** Whether nothing has been entered; the name does not count. */
export function isEmpty({ values, windows, cuts, isNothingPruned, order, best }) {
  const isBlank = (text) => !text.trim();
  return Object.values(values).every(isBlank) && Object.values(windows).flat().every(isBlank)
    && !cuts.length && !isNothingPruned && !order.length && !best;
}

/** Read entries that were stored: whatever is not as it should be is left out. */
export function restored(stored, exercise) {
  const entries = noEntries(exercise.student);
  if (stored === null || typeof stored !== "object") return entries;
  const names = new Set(exercise.tree.nodes.map((node) => node.id));
  const isText = (text) => typeof text === "string" && text.length <= 40;
  for (const [id, text] of Object.entries(stored.values ?? {})) if (names.has(id) && isText(text)) entries.values[id] = text;
  for (const [key, pair] of Object.entries(stored.windows ?? {})) {
    if (Array.isArray(pair) && pair.length === 2 && pair.every(isText)) entries.windows[key] = pair;
  }
  for (const part of ["cuts", "order"]) {
    if (Array.isArray(stored[part])) entries[part] = [...new Set(stored[part])].filter((id) => names.has(id));
  }
  entries.isNothingPruned = stored.isNothingPruned === true;
  if (names.has(stored.best)) entries.best = stored.best;
  if (typeof stored.student === "string") entries.student = stored.student.slice(0, 200);
  return entries;
}

// ---- numbers --------------------------------------------------------------------------------------------------

/** What a text of a value or bound stands for: a number, null if it is blank, undefined if it cannot be read. */
export function numberOf(text, isBound) {
  if (["", "-", "–", "—"].includes(text.trim())) return null;
  try {
    return isBound ? parseBound(text) : parseNumber(text.trim());
  } catch (error) {
    if (!(error instanceof TreeError)) throw error;
    return undefined;
  }
}

const isFlipped = (exercise, node) => exercise.convention.algorithm === "negamax" && node.player === MIN;

/** Convert a value between MAX's view and the view in which it is written at a node. */
export const convertValue = (exercise, node, value) => (isFlipped(exercise, node) ? negate(value) : value);

/**
 * Convert a window in the same way.
 *
 * @param {any} exercise
 * @param {any} node
 * @param {import("./numbers.js").Num[]} window
 */
export function convertWindow(exercise, node, [low, high]) {
  return isFlipped(exercise, node) ? [negate(high), negate(low)] : [low, high];
}

/** A name as people write it in a file: without what file systems refuse. */
export const fileName = (text) => text.normalize("NFKD").replace(/[^\w-]+/g, "-").replace(/^-+|-+$/g, "").slice(0, 60);

// ---- answer ---------------------------------------------------------------------------------------------------

/** The answer file of some entries. Texts that cannot be read are kept as they are. */
export function answerJson(exercise, entries) {
  const { marks, kinds, tree } = exercise;
  const inner = tree.nodes.filter((node) => node.player !== null);
  const written = (text, isBound) => {
    const number = numberOf(text, isBound);
    return number === undefined ? text.trim() : toJson(number);
  };
  const windowOf = (kind, id) => {
    const [low, high] = entries.windows[windowKey(kind, id)] ?? ["", ""];
    if (kind === "bound") return written(low, true);
    return low.trim() || high.trim() ? [written(low, true), written(high, true)] : null;
  };
  const answer = { schema: ANSWER_SCHEMA, exercise: exercise.id, student: entries.student.trim() };
  if ("values" in marks) {
    answer.values = Object.fromEntries(inner.map(({ id }) => [id, written(entries.values[id] ?? "", false)]));
  }
  if ("windows" in marks) {
    const players = inner.filter((node) => node.player !== CHANCE);
    const both = (id) => Object.fromEntries(kinds.map((kind) => [kind, windowOf(kind, id)]));
    answer.windows = Object.fromEntries(players.map(({ id }) => [id, both(id)]));
  }
  if ("cuts" in marks) answer.cuts = entries.cuts.length || entries.isNothingPruned ? entries.cuts : null;
  if ("order" in marks) answer.order = entries.order.length ? entries.order : null;
  if ("best" in marks) answer.best = entries.best || null;
  return answer;
}

/** The problem with a student's name, or "". */
export function nameProblem(name) {
  try {
    if (name.trim()) checkName(name.trim());
    return "";
  } catch (error) {
    return error.message;
  }
}
