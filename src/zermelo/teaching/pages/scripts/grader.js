// The marks of an answer: a port of zermelo.teaching.exercises.rubric, with the replay of slips that it needs. Tested on
// the cases of tests/cases/grading_cases.json, as the grader in Python is.

import { CHOICES, prunes } from "./alphabeta.js";
import { convertValue, convertWindow } from "./exercise.js";
import {
  INF, MINUS_INF, TreeError, ZERO, add, compare, divide, format, fromJson, isEqual, isInfinite, larger, negate, scale, smaller,
} from "./numbers.js";
import { CHANCE, MAX, MIN, subtreeEnd, truncated } from "./tree.js";

/** The largest fraction of all marks for an answer that does not show the skill of one of its parts: 3/5. */
const LIMIT = [3n, 5n];
const PARTS = ["values", "windows", "cuts", "order", "best"];
/** Entries that are not nodes; see zermelo.teaching.exercises.entries. */
const [NOTHING_PRUNED, END, START, REPEATED] = [-2, -3, -4, -5];
const MAX_DIFFERENCES = 3;

/**
 * @typedef {import("./numbers.js").Num} Num
 * @typedef {{values: Map<number, Num>, windows: Map<string, Num[]>, cuts: Set<number> | null, order: number[],
 *   best: number | null}} Answer By index of the node, windows by `index kind`; all values are for MAX.
 * @typedef {Record<string, Map<string | number, unknown>>} Entries
 */

/** Faults of a search; those of zermelo.teaching.exercises.replay. */
const NO_FAULTS = {
  flipped: [], values: {}, stops: {}, entries: {}, ignoresWeights: false, rightToLeft: false, passDown: "current", cutoff: "",
};

const together = (one, other) => ({
  flipped: [...new Set([...one.flipped, ...other.flipped])],
  values: { ...one.values, ...other.values },
  stops: { ...one.stops, ...other.stops },
  entries: { ...one.entries, ...other.entries },
  ignoresWeights: one.ignoresWeights || other.ignoresWeights,
  rightToLeft: one.rightToLeft || other.rightToLeft,
  passDown: other.passDown === "current" ? one.passDown : other.passDown,
  cutoff: other.cutoff || one.cutoff,
});

/** Search the tree of an exercise with faults; return the answer that results. */
function replay(exercise, tree, faults) {
  const { convention, kinds } = exercise;
  const hasWindows = prunes(convention);
  const isStrict = convention.cut === CHOICES.cut[1];
  const rule = faults.cutoff || (isStrict ? "strict" : "equal");
  const variant = hasWindows ? convention.variant : "";
  /** @type {Answer} */
  const answer = { values: new Map(), windows: new Map(), cuts: new Set(), order: [], best: null };
  const full = [MINUS_INF, INF];

  const visit = (index, passed) => {
    answer.order.push(index);
    const node = tree.nodes[index];
    if (node.player === null) {
      if (node.value === null) throw new TreeError(`leaf '${node.id}' has no value`);
      return node.value;
    }
    const found = node.player === CHANCE ? mean(node) : choose(node, passed);
    const value = faults.values[index] ?? found;
    answer.values.set(index, value);
    return value;
  };

  const mean = (node) => {
    const pairs = node.children.map((child, at) => [child, faults.ignoresWeights ? 1n : node.weights[at]]);
    if (faults.rightToLeft) pairs.reverse();
    const total = pairs.reduce((sum, [child, weight]) => add(sum, scale(visit(child, full), weight)), ZERO);
    return divide(total, pairs.reduce((sum, [, weight]) => sum + weight, 0n));
  };

  const choose = (node, passed) => {
    const { index } = node;
    const isMax = (node.player === MAX) !== faults.flipped.includes(index);
    const entry = faults.entries[index] ?? passed;
    let [alpha, beta] = entry;
    const children = faults.rightToLeft ? [...node.children].reverse() : node.children;
    let own = null;
    let isCut = false;
    for (const [at, child] of children.entries()) {
      let window = full;
      if (faults.passDown === "current") window = [alpha, beta];
      else if (faults.passDown !== "nothing" && own !== null) window = isMax ? [own, INF] : [MINUS_INF, own];
      const value = visit(child, window);
      if (own === null || (isMax ? compare(value, own) > 0 : compare(value, own) < 0)) {
        own = value;
        if (index === 0) answer.best = child;
      }
      if (isMax) alpha = larger(alpha, value);
      else beta = smaller(beta, value);
      const stop = faults.stops[index];
      if (stop === undefined ? hasWindows && isCutoff(value, entry, [alpha, beta], isMax) : at + 1 >= stop) {
        for (const skipped of children.slice(at + 1)) answer.cuts.add(skipped);
        isCut = at + 1 < children.length;
        break;
      }
    }
    for (const kind of kinds) {
      let shown = [own, own];
      if (kind === "entry") shown = entry;
      else if (kind === "exit") shown = [alpha, beta];
      else if (kind === "interval" && isCut) shown = isMax ? [own, INF] : [MINUS_INF, own];
      answer.windows.set(`${index} ${kind}`, shown);
    }
    return returned(own, entry, isMax);
  };

  const isCutoff = (value, entry, [alpha, beta], isMax) => {
    if (rule === "equal") return compare(alpha, beta) >= 0;
    if (rule === "strict") return compare(alpha, beta) > 0;
    if (rule === "never") return false;
    const bound = isMax ? entry[0] : entry[1];
    if (isInfinite(bound)) return false;
    return isMax === (rule === "own") ? compare(value, bound) >= 0 : compare(value, bound) <= 0;
  };

  const returned = (own, [alpha, beta], isMax) => {
    const bounded = variant === "fail-hard" ? larger(alpha, smaller(own, beta))
      : variant === "path" ? (isMax ? larger(own, alpha) : smaller(own, beta)) : own;
    return isInfinite(bounded) ? own : bounded;
  };

  visit(0, full);
  return answer;
}

/** Read an answer file; entries that cannot be read are left out. */
export function readAnswer(exercise, tree, data) {
  const byId = new Map(tree.nodes.map((node) => [node.id, node]));
  const read = (value) => {
    try {
      return fromJson(value);
    } catch {
      return null;
    }
  };
  /** @type {Answer} */
  const answer = { values: new Map(), windows: new Map(), cuts: null, order: [], best: null };
  for (const [id, given] of Object.entries(data.values ?? {})) {
    const node = byId.get(id);
    const value = read(given);
    if (node && node.player !== null && value && !isInfinite(value)) {
      answer.values.set(node.index, convertValue(exercise, node, value));
    }
  }
  for (const [id, each] of Object.entries(data.windows ?? {})) {
    const node = byId.get(id);
    for (const [kind, given] of node?.player ? Object.entries(each ?? {}) : []) {
      const ends = (Array.isArray(given) ? given : [given, given]).map(read);
      if (!exercise.kinds.includes(kind) || ends.length !== 2 || ends.includes(null)) continue;
      const isSingle = !Array.isArray(given) && !isInfinite(ends[0]);
      const value = isSingle ? convertValue(exercise, node, ends[0]) : null;
      answer.windows.set(`${node.index} ${kind}`, isSingle ? [value, value] : Array.isArray(given) ? convertWindow(exercise, node, ends) : ends);
    }
  }
  if (Array.isArray(data.cuts)) answer.cuts = new Set(data.cuts.map((id) => byId.get(id)?.index).filter((index) => index > 0));
  if (Array.isArray(data.order)) answer.order = data.order.map((id) => byId.get(id)?.index ?? -1);
  const best = byId.get(data.best);
  if (best && best.parent === 0) answer.best = best.index;
  return answer;
}

/** The entries of an answer by part and key, in a form that can be compared with `===`. */
function entriesOf(tree, answer, marks) {
  const text = (number) => `${number.n}/${number.d}`;
  const topmost = [];
  let end = 0;
  for (const index of [...(answer.cuts ?? [])].sort((one, other) => one - other)) {
    if (index < end) continue;
    topmost.push(index);
    end = subtreeEnd(tree, index);
  }
  const order = new Map();
  let before = START;
  for (const index of answer.order) {
    if (index >= 0) order.set(index, order.has(index) ? REPEATED : before);
    before = index;
  }
  if (answer.order.length) order.set(END, before);
  const arcs = answer.cuts === null ? [] : topmost.length ? topmost : [NOTHING_PRUNED];
  const entries = {
    values: new Map([...answer.values].map(([index, value]) => [index, text(value)])),
    windows: new Map([...answer.windows].map(([key, window]) => [key, window.map(text).join(" ")])),
    cuts: new Map(arcs.map((arc) => [arc, true])),
    order,
    best: new Map(answer.best === null ? [] : [[0, answer.best]]),
  };
  return Object.fromEntries(PARTS.map((part) => [part, part in marks ? entries[part] : new Map()]));
}

const isSame = (one, other) => one.size === other.size && [...one].every(([key, entry]) => other.get(key) === entry);

/** Gives marks to answers of one exercise. Marks are numbers of `numbers.js`, so they are exact. */
export class Grader {
  /** @param {import("./exercise.js").Exercise} exercise */
  constructor(exercise) {
    this.exercise = exercise;
    this.tree = exercise.depth === null ? exercise.tree : truncated(exercise.tree, exercise.depth);
    this.marks = Object.fromEntries(PARTS.filter((part) => part in exercise.marks).map((part) => [part, fromJson(exercise.marks[part])]));
    this.total = Object.values(this.marks).reduce(add, ZERO);
    this.correct = this.search(null, NO_FAULTS);
    const choices = (...players) => this.tree.nodes.filter(({ player }) => players.includes(player)).map(({ index }) => index);
    const fault = (faults) => ({ faults: { ...NO_FAULTS, ...faults }, write: null });
    const write = (change) => ({ faults: NO_FAULTS, write: change });
    const leaves = (index) => this.tree.nodes[index].player === null;
    const reordered = (number) => write((answer) => ({ ...answer, order: sortedBy(answer.order, number) }));
    this.rivals = {
      values: [
        fault({ flipped: choices(MAX, MIN) }), fault({ flipped: choices(MIN) }), fault({ flipped: choices(MAX) }),
        fault({ ignoresWeights: true }),
      ],
      windows: [
        fault({ passDown: "nothing" }), fault({ passDown: "parent only" }),
        write((answer) => ({
          ...answer,
          windows: new Map([...answer.windows].map(([key, window]) => [key, answer.windows.get(`${key.split(" ")[0]} entry`) ?? window])),
        })),
      ],
      cuts: [fault({ cutoff: "never" }), fault({ cutoff: "wrong side" }), fault({ cutoff: "own" })],
      order: [
        fault({ cutoff: "never" }), fault({ rightToLeft: true }), reordered((index) => [this.tree.nodes[index].depth, index]),
        reordered((index) => [subtreeEnd(this.tree, index), -index]),
        write((answer) => ({ ...answer, order: answer.order.filter(leaves) })),
      ],
      best: [],
    };
    this.correctRivals = Object.fromEntries(
      Object.entries(this.rivals).map(([part, several]) => [part, several.map((solver) => this.without(this.correct, solver))]),
    );
  }

  /** The search with faults, and its entries. `slip` is the student's wrong step, or null. */
  search(slip, faults) {
    const answer = replay(this.exercise, this.tree, faults);
    return { slip, faults, answer, entries: entriesOf(this.tree, answer, this.exercise.marks), unpruned: null };
  }

  /** Grade the content of an answer file: the marks of each part and in all, and the parts that do not show their skill. */
  grade(data) {
    const answer = readAnswer(this.exercise, this.tree, data);
    const written = entriesOf(this.tree, answer, this.exercise.marks);
    let best = this.markBy(written, this.correct);
    if (compare(best.total, this.total) >= 0) return best;
    const given = this.givenByRivals(written);
    const searches = [];
    for (const slip of this.possibleSlips(written, answer)) {
      const search = this.searchAfter(slip, written);
      if (!search || slip.lost.some(([part]) => given.has(part))) continue;
      searches.push({ search, most: Object.values(this.byEntries(written, search, true)).reduce(add, ZERO) });
    }
    // The sort is stable, so that of equal ones the earliest slip comes first.
    searches.sort((one, other) => compare(other.most, one.most));
    for (const { search, most } of searches) {
      if (compare(most, best.total) <= 0) break;
      const marks = this.markBy(written, search);
      if (compare(marks.total, best.total) > 0 && !marks.notShown.some((part) => this.lost(search, part).size)) best = marks;
    }
    return best;
  }

  lost(search, part) {
    return new Set((search.slip?.lost ?? []).filter(([where]) => where === part).map(([, key]) => key));
  }

  searchAfter(slip, written) {
    let search;
    try {
      search = this.search(slip, slip.faults);
    } catch (error) {
      if (!(error instanceof TreeError)) throw error;
      return null;
    }
    const { entries } = search;
    if (2 * search.answer.order.length < this.correct.answer.order.length) return null;
    if (slip.lost.some(([part, key]) => part !== "cuts" && entries[part].get(key) !== written[part].get(key))) return null;
    for (const part of new Set(slip.lost.map(([where]) => where))) {
      const same = [...entries[part]].filter(([key, entry]) => this.correct.entries[part].get(key) === entry);
      if (2 * same.filter(([key, entry]) => written[part].get(key) === entry).length < same.length) return null;
    }
    return search;
  }

  markBy(written, search) {
    const asked = Object.keys(this.marks);
    const notShown = asked.filter((part) => this.isNotShown(written, search, part));
    let parts = this.byEntries(written, search, notShown.includes("cuts"));
    if ("best" in parts && notShown.includes("values")) notShown.push("best");
    for (const part of notShown) parts[part] = ZERO;
    let total = Object.values(parts).reduce(add, ZERO);
    const limit = divide(scale(this.total, LIMIT[0]), LIMIT[1]);
    const isLimited = notShown.length > 0 && compare(total, limit) > 0;
    if (isLimited) {
      // marks * limit / total
      const by = divide(scale(limit, total.d), total.n);
      parts = Object.fromEntries(Object.entries(parts).map(([part, marks]) => [part, divide(scale(by, marks.n), marks.d)]));
      total = limit;
    }
    return { parts, total, notShown, isLimited, slip: search.slip };
  }

  byEntries(written, search, missesCuts) {
    const marks = {};
    for (const [part, most] of Object.entries(this.marks)) {
      const lost = this.lost(search, part);
      const right = [...search.entries[part].keys()].filter((key) => this.isRight(written, search, part, key, missesCuts, lost)).length;
      const earned = Math.max(right - this.extra(written, search, part), 0);
      const items = Math.max(new Set([...search.entries[part].keys(), ...lost]).size, 1);
      marks[part] = divide(scale(most, BigInt(earned)), BigInt(items));
    }
    return marks;
  }

  isRight(written, search, part, key, missesCuts, lost) {
    const entry = written[part].get(key);
    if (entry === undefined || lost.has(key)) return false;
    if (entry === search.entries[part].get(key)) return true;
    return missesCuts && ["values", "windows"].includes(part) && entry === this.unpruned(search)[part].get(key);
  }

  /** The number of entries that a search does not have, each of which costs an entry. */
  extra(written, search, part) {
    const { nodes } = this.tree;
    if (part === "cuts") {
      const pruned = new Set([...search.entries.cuts.keys(), ...this.lost(search, "cuts")]);
      const isCovered = (arc) => arc >= 0 && (pruned.has(arc) || isCovered(nodes[arc].parent));
      return [...written.cuts.keys()].filter((arc) => arc >= 0 && !isCovered(arc)).length;
    }
    if (!["values", "windows"].includes(part) || "cuts" in this.marks) return 0;
    const at = (key) => Number(String(key).split(" ")[0]);
    const expected = new Set([...search.entries[part].keys()].map(at));
    const tops = new Set();
    for (const index of new Set([...written[part].keys()].map(at))) {
      if (expected.has(index)) continue;
      for (let up = index; up >= 0; up = nodes[up].parent) if (this.correct.answer.cuts.has(up)) tops.add(up);
    }
    return tops.size;
  }

  isNotShown(written, search, part) {
    const unpruned = ["values", "windows"].includes(part) ? this.unpruned(search)[part] : new Map();
    return this.rivals[part].some((solver, number) => {
      const correctRival = this.correctRivals[part][number][part];
      const without = search === this.correct ? correctRival : this.without(search, solver)[part];
      const telling = this.telling(search, part, without);
      if (!telling.length && (search === this.correct || !this.telling(this.correct, part, correctRival).length)) return false;
      const right = telling.filter((key) => {
        const entry = written[part].get(key);
        const shows = entry === search.entries[part].get(key) || (entry !== undefined && entry === unpruned.get(key));
        return shows && entry !== without.get(key);
      }).length;
      return 2 * right <= telling.length;
    });
  }

  telling(search, part, without) {
    const entries = search.entries[part];
    const lost = this.lost(search, part);
    const more = part === "cuts" ? [...without.keys()].filter((arc) => arc >= 0 && !entries.has(arc)) : [];
    return [...entries.keys(), ...more].filter((key) => !lost.has(key) && without.get(key) !== entries.get(key));
  }

  givenByRivals(written) {
    const several = Object.keys(this.marks).flatMap((part) => this.correctRivals[part]);
    return new Set(PARTS.filter((part) => written[part].size && !isSame(written[part], this.correct.entries[part])
      && several.some((entries) => isSame(entries[part], written[part]))));
  }

  unpruned(search) {
    search.unpruned ??= this.without(search, { faults: { ...NO_FAULTS, cutoff: "never" }, write: null });
    return search.unpruned;
  }

  /** The entries of a wrong solver after the same slip; those of the search itself if it cannot go on. */
  without(search, { faults, write }) {
    try {
      const answer = faults === NO_FAULTS ? search.answer : replay(this.exercise, this.tree, together(search.faults, faults));
      return entriesOf(this.tree, write ? write(answer) : answer, this.exercise.marks);
    } catch (error) {
      if (!(error instanceof TreeError)) throw error;
      return search.entries;
    }
  }

  // ---- slips --------------------------------------------------------------------------------------------------

  /** The slips that may be the cause of the differences between an answer and the correct one, the earliest first. */
  possibleSlips(written, answer) {
    const { nodes } = this.tree;
    const expected = this.correct.entries;
    const leaving = (index) => [subtreeEnd(this.tree, index) - 1, 1, -index];
    const found = [];
    for (const [index, value] of written.values) {
      if ((expected.values.get(index) ?? value) !== value) found.push({ time: leaving(index), what: "values", index });
    }
    for (const [key, window] of written.windows) {
      const [index, kind] = [Number(key.split(" ")[0]), key.split(" ")[1]];
      if ((expected.windows.get(key) ?? window) === window) continue;
      if (kind === "entry") found.push({ time: [index, 0, 0], what: kind, index });
      else if (!("values" in this.marks)) found.push({ time: leaving(index), what: kind, index });
    }
    if (written.cuts.size) {
      const differ = [...written.cuts.keys(), ...expected.cuts.keys()]
        .filter((arc) => arc >= 0 && written.cuts.has(arc) !== expected.cuts.has(arc));
      for (const index of new Set(differ.map((arc) => nodes[arc].parent))) found.push({ time: leaving(index), what: "cuts", index });
    }
    const order = (one, other) => [0, 1, 2].map((at) => one.time[at] - other.time[at]).find((by) => by)
      || (one.what < other.what ? -1 : one.what > other.what ? 1 : one.index - other.index);
    const counts = {};
    const slips = [];
    for (const { what, index } of found.sort(order)) {
      counts[what] = (counts[what] ?? 0) + 1;
      if (counts[what] <= MAX_DIFFERENCES) slips.push(...this.slipsAt(nodes[index], what, written, answer));
    }
    return slips;
  }

  slipsAt(node, what, written, answer) {
    const { index, children } = node;
    const made = (id, faults, lost, text) => ({ id, node: index, faults: { ...NO_FAULTS, ...faults }, lost, text: `${node.id}: ${text}` });
    if (what === "cuts") {
      const crossed = children.map((child) => written.cuts.has(child));
      const count = crossed.includes(true) ? crossed.indexOf(true) : crossed.length;
      if (!count || !crossed.slice(count).every(Boolean)) return [];
      const expected = this.correct.entries.cuts;
      const lost = children.filter((child, at) => crossed[at] !== expected.has(child)).map((child) => ["cuts", child]);
      const should = children.filter((child) => !expected.has(child)).length;
      const text = `${count} of ${children.length} children are visited instead of ${should}`;
      return [made(count > should ? "cutoff-missed" : "cutoff-too-early", { stops: { [index]: count } }, lost, text)];
    }
    const key = `${index} ${what}`;
    const window = answer.windows.get(key);
    if (what === "entry") {
      if (compare(window[0], window[1]) >= 0) return [];
      return [made("wrong-window", { entries: { [index]: window } }, [["windows", key]], `the window [${window.map(format).join(", ")}] is used`)];
    }
    const isValue = what === "values";
    const value = isValue ? answer.values.get(index) : window[node.player === MAX ? 0 : 1];
    if (isInfinite(value)) return [];
    const lost = [isValue ? ["values", index] : ["windows", key]];
    const shown = format(convertValue(this.exercise, node, value));
    const right = isValue ? this.correct.answer.values.get(index) : undefined;
    const isSign = right && right.n !== 0n && isEqual(value, negate(right));
    const slips = [made(isSign ? "sign-once" : "arithmetic-slip", { values: { [index]: value } }, lost, `${shown} is a wrong value`)];
    if (node.player !== CHANCE && children.length > 1) {
      slips.unshift(made("wrong-player-once", { flipped: [index] }, lost, `${shown} is the choice of the wrong player`));
    }
    return slips;
  }
}

/** A copy sorted by a pair of numbers. */
function sortedBy(list, pair) {
  return [...list].sort((one, other) => pair(one)[0] - pair(other)[0] || pair(one)[1] - pair(other)[1]);
}
