// Minimax, alpha-beta and negamax of a tree, step by step: a port of zermelo.search.textbook and of the trace made of it.
// This is the only search in JavaScript. It is tested against the trace of the same trees in Python.

import {
  INF, MINUS_INF, TreeError, ZERO, add, compare, divide, format, isEqual, larger, negate, scale, smaller,
} from "./numbers.js";
import { CHANCE, MAX, MIN, subtreeEnd } from "./tree.js";

/**
 * How a tree is searched and displayed, as in zermelo.teaching.tree.convention.
 * @typedef {{algorithm: string, variant: string, cut: string, show: string}} Convention
 * @typedef {import("./numbers.js").Num} Num
 * @typedef {Num[]} Window Lower and upper bound.
 * @typedef {{kind: string, node: number, alpha: Num, beta: Num, value: Num | null, child: number, skipped: number[]}} Step
 * @typedef {{node: number, after: number, alpha: Num, beta: Num, pruned: number[], kind: string, reason: string}} Cut
 * @typedef {{order: number | null, entry: Window | null, exit: Window | null, own: Num | null, returned: Num | null,
 *   best: number | null, cut: number | null, isCutoff: boolean}} NodeRecord
 * @typedef {{tree: import("./tree.js").Tree, convention: Convention, steps: Step[], cuts: Cut[], records: NodeRecord[],
 *   value: Num, best: number | null}} Trace
 */

export const CHOICES = {
  algorithm: ["alphabeta", "minimax", "negamax", "expectiminimax"],
  variant: ["fail-soft", "fail-hard", "path"],
  cut: ["equal", "strict"],
  show: ["inherited", "own", "interval"],
};

/** Whether the algorithm has a window and prunes. */
export const prunes = (convention) => ["alphabeta", "negamax"].includes(convention.algorithm);

/** Refuse an unknown choice, and negamax that is not fail-soft; return the convention. */
export function checkConvention(convention) {
  for (const [kind, choices] of Object.entries(CHOICES)) {
    if (!choices.includes(convention[kind])) throw new TreeError(`${kind} must be one of ${choices.join(", ")}`);
  }
  if (convention.algorithm === "negamax" && convention.variant !== "fail-soft") {
    throw new TreeError("negamax is fail-soft only");
  }
  return convention;
}

/**
 * Search a tree and record every step.
 * @param {import("./tree.js").Tree} tree
 * @param {Convention} convention
 * @param {{depth?: number | null, window?: Window}} [options] The window is for the player at the root in negamax.
 * @returns {Trace}
 */
export function trace(tree, convention, { depth = null, window = [MINUS_INF, INF] } = {}) {
  const { nodes } = tree;
  const hasWindows = prunes(convention);
  const isNegamax = convention.algorithm === "negamax";
  const isStrict = convention.cut === "strict";
  const steps = [];
  const cuts = [];
  const records = nodes.map(() => ({
    order: null, entry: null, exit: null, own: null, returned: null, best: null, cut: null, isCutoff: false,
  }));
  let visited = 0;

  /** In negamax, numbers at a node are those of the side to move; at a leaf, of the side that would move next. */
  const isNegated = nodes.map(
    (node) => isNegamax && (node.player === MIN || (node.player === null && nodes[node.parent]?.player === MAX)),
  );
  const observe = (kind, node, alpha, beta, value = null, child = -1, skipped = []) => {
    const seen = isNegated[node]
      ? [negate(beta), negate(alpha), value && negate(value)]
      : [alpha, beta, value];
    steps.push({ kind, node, alpha: seen[0], beta: seen[1], value: seen[2], child, skipped });
    return seen;
  };
  const rises = (player) => player === MAX || isNegamax;

  const update = (index, value) => {
    const record = records[index];
    const isMax = rises(nodes[index].player);
    if (record.own === null || (isMax ? compare(value, record.own) > 0 : compare(value, record.own) < 0)) {
      record.own = value;
    }
    if (record.entry === null) return;
    const [alpha, beta] = record.exit ?? record.entry;
    record.exit = isMax ? [larger(alpha, value), beta] : [alpha, smaller(beta, value)];
  };

  /** Search a node from MAX's view; return its value and whether it has a best move. */
  const visit = (index, ply, alpha, beta) => {
    const node = nodes[index];
    const record = records[index];
    const [low, high] = observe("enter", index, alpha, beta);
    record.order = visited++;
    record.entry = hasWindows ? [low, high] : null;

    if (node.player === null || (depth !== null && ply >= depth)) {
      const value = node.player === null ? node.value : node.evaluation ?? ZERO;
      if (value === null) {
        throw new TreeError(`leaf '${node.id.slice(0, 60)}' has no value, but the search evaluates it: give it a value`);
      }
      record.isCutoff = node.player !== null;
      record.own = record.returned = observe("leaf", index, alpha, beta, value)[2];
      return { value, best: null };
    }

    if (node.player === CHANCE) {
      let [total, sum] = [ZERO, 0n];
      node.children.forEach((child, number) => {
        const { value } = visit(child, ply + 1, MINUS_INF, INF);
        observe("value", index, MINUS_INF, INF, value, child);
        total = add(total, scale(value, node.weights[number]));
        sum += node.weights[number];
      });
      const value = divide(total, sum);
      observe("leave", index, alpha, beta, value);
      record.own = record.returned = value;
      record.exit = record.entry;
      return { value, best: null };
    }

    const isMax = node.player === MAX;
    const [firstAlpha, firstBeta] = [alpha, beta];
    const isBetter = (one, other) => (isMax ? compare(one, other) > 0 : compare(one, other) < 0);
    const reaches = (value) => {
      const over = isMax ? compare(value, beta) : compare(alpha, value);
      return isStrict ? over > 0 : over >= 0;
    };
    let value = isMax ? MINUS_INF : INF;
    let best = null;
    for (const [number, child] of node.children.entries()) {
      const { value: score } = visit(child, ply + 1, alpha, beta);
      update(index, observe("value", index, alpha, beta, score, child)[2]);
      if (isBetter(score, value)) [value, best] = [score, child];
      if (!hasWindows) continue;
      if (reaches(score)) {
        const skipped = node.children.slice(number + 1);
        if (skipped.length) {
          observe("cut", index, alpha, beta, score, child, skipped);
          addCut(index, child, skipped);
        }
        break;
      }
      if (isBetter(score, isMax ? alpha : beta)) {
        if (isMax) alpha = score;
        else beta = score;
        observe("bound", index, alpha, beta, score, child);
      }
    }
    if (hasWindows && convention.variant === "fail-hard") {
      value = larger(firstAlpha, smaller(value, firstBeta));
    } else if (hasWindows && convention.variant === "path") {
      const bound = isMax ? firstAlpha : firstBeta;
      const over = isMax ? compare(value, firstBeta) : compare(firstAlpha, value);
      if (!isBetter(value, bound)) [value, best] = [bound, null];
      else if (isStrict ? over > 0 : over >= 0) best = null;
    }
    const returned = observe("leave", index, alpha, beta, value, best ?? -1)[2];
    [record.returned, record.best] = [returned, best];
    return { value, best };
  };

  const addCut = (index, after, pruned) => {
    const [alpha, beta] = records[index].exit;
    const isMax = nodes[index].player === MAX;
    const kind = isNegamax ? "beta-cut" : isMax ? "beta-cut (at MAX)" : "alpha-cut (at MIN)";
    const reason = `alpha ${format(alpha)} ${isStrict ? ">" : ">="} beta ${format(beta)} at ${nodes[index].id}`;
    for (const child of pruned) {
      for (let below = child; below < subtreeEnd(tree, child); below++) records[below].cut ??= cuts.length;
    }
    cuts.push({ node: index, after, alpha, beta, pruned, kind, reason });
  };

  const isRootNegated = isNegamax && nodes[0].player === MIN;
  const [alpha, beta] = isRootNegated ? [negate(window[1]), negate(window[0])] : window;
  const { value, best } = visit(0, 0, alpha, beta);
  const inWindow = hasWindows && convention.variant === "fail-hard" ? larger(alpha, smaller(value, beta)) : value;
  return { tree, convention, steps, cuts, records, value: isRootNegated ? negate(inWindow) : inWindow, best };
}

/** The nodes of the principal variation, without the root. */
export function principalVariation(searched) {
  const line = [];
  for (let at = searched.best; at !== null; at = searched.records[at].best) line.push(at);
  return line;
}

/** The visited nodes in order. */
export const visitOrder = (searched) => searched.steps.filter(({ kind }) => kind === "enter").map(({ node }) => node);

/** For each node the interval that the evaluated leaves prove for its value, for MAX. */
export function provenBounds(searched) {
  const { nodes } = searched.tree;
  const intervals = nodes.map(() => [MINUS_INF, INF]);
  for (const node of [...nodes].reverse()) {
    const record = searched.records[node.index];
    if (record.order === null) continue;
    if (node.player === null || record.isCutoff) {
      const value = node.player === null ? node.value : node.evaluation ?? ZERO;
      intervals[node.index] = [value, value];
      continue;
    }
    const ends = [0, 1].map((end) => node.children.map((child) => intervals[child][end]));
    intervals[node.index] = ends.map((bounds) =>
      node.player === CHANCE ? mean(bounds, node.weights) : bounds.reduce(node.player === MAX ? larger : smaller),
    );
  }
  return intervals;
}

/** The weighted mean of bounds, infinite if one of them is. */
function mean(bounds, weights) {
  const infinite = bounds.find(({ d }) => d === 0n);
  if (infinite) return infinite;
  const total = bounds.reduce((sum, bound, number) => add(sum, scale(bound, weights[number])), ZERO);
  return divide(total, weights.reduce((sum, weight) => sum + weight, 0n));
}

/** The final bounds of a node as the convention's `show` displays them; "" if there are none. */
export function boundsText(searched, index) {
  const { show, algorithm } = searched.convention;
  const node = searched.tree.nodes[index];
  const record = searched.records[index];
  const window = record.exit ?? record.entry;
  if (!window || node.player === null || node.player === CHANCE) return "";
  const isNegamax = algorithm === "negamax";
  if (show === "own") {
    return record.own === null ? "" : `${node.player === MAX || isNegamax ? "α" : "β"}=${format(record.own)}`;
  }
  let [low, high] = window;
  if (show === "interval") {
    [low, high] = provenBounds(searched)[index];
    if (isNegamax && node.player === MIN) [low, high] = [negate(high), negate(low)];
    if (isEqual(low, high)) return format(low);
  }
  return `[${format(low)}, ${format(high)}]`;
}
