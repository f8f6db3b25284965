// What the correct entries of an exercise are, and why. `practice.js` shows it.

import { prunes, trace, visitOrder } from "./alphabeta.js";
import { convertValue, convertWindow } from "./exercise.js";
import { INF, MINUS_INF, format } from "./numbers.js";
import { CHANCE, MAX, truncated } from "./tree.js";

const window_ = (/** @type {import("./numbers.js").Num[]} */ [low, high]) => `[${format(low)}, ${format(high)}]`;

/** The correct search of an exercise, and the reasons for its entries. */
export class Solution {
  /** @param {import("./exercise.js").Exercise} exercise */
  constructor(exercise) {
    this.exercise = exercise;
    const { convention, depth, tree } = exercise;
    this.tree = depth === null ? tree : truncated(tree, depth);
    // All values for MAX: negamax is fail-soft alpha-beta written from the view of the side to move.
    const searched = convention.algorithm === "negamax" ? { ...convention, algorithm: "alphabeta" } : convention;
    this.trace = trace(this.tree, searched);
    this.order = visitOrder(this.trace).map((index) => this.tree.nodes[index].id);
    this.pruned = this.trace.cuts.flatMap((cut) => cut.pruned);
    this.byId = new Map(this.tree.nodes.map((node) => [node.id, node]));
  }

  record(node) {
    return this.trace.records[node.index];
  }

  /** The cutoff that pruned a node or an ancestor, or undefined. */
  cutAbove(node) {
    return this.trace.cuts[this.record(node).cut];
  }

  /** The correct value of a node as it is written, or null if it is not visited. */
  value(node) {
    const { returned } = this.record(node);
    return returned && convertValue(this.exercise, node, returned);
  }

  /** The correct window of a node as it is written, or null. A bound is given as a window of twice the same. */
  window(node, kind) {
    const { entry, exit, own } = this.record(node);
    if (node.player === CHANCE || node.player === null) return null;
    if (kind === "entry") return entry && convertWindow(this.exercise, node, entry);
    if (kind === "exit") return entry && convertWindow(this.exercise, node, exit ?? entry);
    if (own === null) return null;
    const isCut = this.trace.cuts.some((cut) => cut.node === node.index);
    const isOpen = kind === "interval" && isCut;
    const pair = !isOpen ? [own, own] : node.player === MAX ? [own, INF] : [MINUS_INF, own];
    return convertWindow(this.exercise, node, pair);
  }

  get best() {
    return this.trace.best === null ? "" : this.tree.nodes[this.trace.best].id;
  }

  // ---- reasons ------------------------------------------------------------------------------------------------

  /** Why a node has no entries, or "" if it is visited. */
  notVisited(node) {
    if (!node) return "The search does not go below its depth.";
    const cut = this.cutAbove(node);
    return cut ? `${node.id} is never visited: the search prunes at ${this.tree.nodes[cut.node].id}, as ${cut.reason}.` : "";
  }

  valueReason(node) {
    const { variant } = this.exercise.convention;
    const children = node.children.map((child) => this.tree.nodes[child]).filter((child) => this.record(child).order !== null);
    const numbers = children.map((child) => format(this.record(child).returned)).join(", ");
    if (node.player === CHANCE) return `${node.id} is a chance node: the mean of ${numbers}, weighted with the probabilities.`;
    const own = node.player === MAX ? "the largest" : "the smallest";
    const hard = prunes(this.exercise.convention) && variant !== "fail-soft";
    const clamp = hard ? ` A value outside the window ${window_(this.record(node).entry)} is returned as the convention says (${variant}).` : "";
    const view = this.exercise.convention.algorithm === "negamax" ? " Write it from the view of the side to move." : "";
    return `${node.id} is ${node.player === MAX ? "MAX" : "MIN"}: ${own} value of its visited children, ${numbers} for MAX.${clamp}${view}`;
  }

  windowReason(node, kind) {
    const parent = this.tree.nodes[node.parent];
    if (kind === "entry") {
      if (!parent) return "The search of the root starts with the full window.";
      if (parent.player === CHANCE) return "The children of a chance node are searched with the full window.";
      return `${node.id} gets the window that ${parent.id} has when it visits ${node.id}: earlier siblings have ${parent.player === MAX ? "raised alpha" : "lowered beta"}.`;
    }
    const side = node.player === MAX ? "raises alpha to its best value" : "lowers beta to its best value";
    if (kind === "exit") return `${node.id} starts with ${window_(this.record(node).entry)} and ${side}, also with the value that causes a cutoff.`;
    if (kind === "bound") return `The bound of ${node.id} is the best value that its visited children returned.`;
    return `The value of ${node.id} is known exactly if all its children were searched; after a cutoff one end is infinite.`;
  }

  cutReason(node) {
    const cut = this.cutAbove(node);
    if (cut) {
      const after = this.tree.nodes[cut.after].id;
      const isTop = this.pruned.includes(node.index);
      return isTop ? `The arc to ${node.id} is pruned: after ${after}, ${cut.reason}.` : `${node.id} is below a pruned arc; cross out only the topmost arc.`;
    }
    const parent = this.tree.nodes[node.parent];
    if (!node.index) return "The root has no arc above it.";
    return `${node.id} is searched: when its turn comes at ${parent.id}, alpha and beta have not met.`;
  }

  orderReason(position) {
    if (position >= this.order.length) return `The search ends after ${this.order.length} visits.`;
    const before = position ? `After ${this.order[position - 1]}` : "At first";
    return `${before} the search visits ${this.order[position]}: depth first, children from left to right, without pruned ones.`;
  }

  bestReason() {
    const { nodes } = this.tree;
    const values = nodes[0].children.filter((child) => this.trace.records[child].order !== null)
      .map((child) => `${nodes[child].id} ${format(this.trace.records[child].returned)}`);
    return `${nodes[0].id} is ${nodes[0].player === MAX ? "MAX: the move with the largest" : "MIN: the move with the smallest"} value, the first of equal ones (${values.join(", ")}).`;
  }

  /** Whether the best move stands out: no other move returns its value, in minimax and under both rules of cutoffs. */
  hasClearBest() {
    const base = this.exercise.convention;
    const searches = [{ ...base, algorithm: "minimax" }];
    for (const cut of prunes(base) ? ["equal", "strict"] : []) searches.push({ ...base, algorithm: "alphabeta", variant: "fail-soft", cut });
    return searches.every((convention) => {
      const { value, records } = trace(this.tree, convention);
      return this.tree.nodes[0].children.filter((child) => records[child].order !== null && format(records[child].returned) === format(value)).length === 1;
    });
  }

  /** The players at whose nodes the search cuts. */
  cutPlayers() {
    return new Set(this.trace.cuts.map((cut) => this.tree.nodes[cut.node].player));
  }
}
