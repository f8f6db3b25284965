// The state of a search after any number of its steps, forward and back. It displays nothing.

/** Number of the latest steps that can be undone one by one; going further back starts again from the first step. */
const MAX_UNDO = 10_000;

/** Kinds of steps that visit a node for the first time, and that may change its bounds. */
const VISITS = new Set(["enter", "expand"]);
const CHANGES = new Set(["value", "bound", "cut", "stand-pat", "table-hit", "expand"]);

/**
 * A step, as docs/stepping.md describes it. `window` and `value` are texts, and absent where they do not change.
 * @typedef {{number: number, kind: string, node: number, sentence?: string, window?: string, value?: string, line?: number,
 *   skipped?: number[], cut?: number, clears?: [number, number]}} Step
 * @typedef {{readonly length: number, at(index: number): Step | undefined}} Steps An array, or a table of columns.
 */

export class Playback {
  /** @param {Steps} steps */
  constructor(steps) {
    this.steps = steps;
    this.#reset();
    /** The steps that visit a node, by their index: the n-th entry is the n-th visit. */
    this.visits = [];
    /** For each visit the number of different nodes visited up to it: smaller if a node is searched again. @type {number[]} */
    this.distinct = [];
    const seen = new Set();
    for (let index = 0; index < steps.length; index++) {
      const { kind, node } = steps.at(index);
      if (!VISITS.has(kind)) continue;
      this.visits.push(index);
      this.distinct.push(seen.add(node).size);
    }
  }

  #undo = [];

  #reset() {
    /** Number of steps taken. */
    this.count = 0;
    /** By node: its window and value. Only visited nodes are here. @type {Map<number, {window: string, value: string}>} */
    this.nodes = new Map();
    /** By node: the number, from 1, of the cutoff that crosses out the arc to it. @type {Map<number, number>} */
    this.crossed = new Map();
    /** The nodes with cutoffs. @type {Map<number, boolean>} */
    this.cuts = new Map();
    this.#undo = [];
  }

  /** The last step taken, or undefined. */
  get step() {
    return this.count ? this.steps.at(this.count - 1) : undefined;
  }

  get isDone() {
    return this.count === this.steps.length;
  }

  /** Number of visits so far. */
  get visited() {
    return this.visitsIn(this.count);
  }

  /** Number of different nodes visited so far. */
  get visitedNodes() {
    return this.distinct[this.visited - 1] ?? 0;
  }

  /** Number of visits in the first steps. */
  visitsIn(count) {
    let [low, high] = [0, this.visits.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.visits[middle] < count) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Go to the state after a number of steps. Return that number, at least 0 and at most all. */
  go(to) {
    const count = Math.max(0, Math.min(to, this.steps.length));
    if (this.count - count > this.#undo.length) this.#reset();
    while (this.count > count) this.#back();
    while (this.count < count) this.#forward();
    return count;
  }

  #forward() {
    const step = this.steps.at(this.count++);
    const changed = [];
    const set = (state, key, value) => {
      changed.push([state, key, state.get(key)]);
      if (value === undefined) state.delete(key);
      else state.set(key, value);
    };
    const [begin, end] = step.clears ?? [0, 0]; // these nodes are searched again
    for (const state of begin < end ? [this.nodes, this.crossed, this.cuts] : []) {
      const keys = end - begin < state.size ? Array.from({ length: end - begin }, (_, at) => begin + at) : [...state.keys()];
      for (const key of keys) if (begin <= key && key < end && state.has(key)) set(state, key, undefined);
    }
    const { window = "", value = "" } = this.nodes.get(step.node) ?? {};
    set(this.nodes, step.node, { window: step.window ?? window, value: step.value ?? value });
    for (const child of step.skipped ?? []) set(this.crossed, child, step.cut + 1);
    if (step.cut !== undefined) set(this.cuts, step.node, true);
    this.#undo.push(changed);
    if (this.#undo.length > 2 * MAX_UNDO) this.#undo = this.#undo.slice(-MAX_UNDO);
  }

  #back() {
    for (const [state, key, before] of this.#undo.pop().reverse()) {
      if (before === undefined) state.delete(key);
      else state.set(key, before);
    }
    this.count--;
  }

  // ---- finding steps ------------------------------------------------------------------------------------------

  /** The number of steps after which the next one that satisfies a condition was taken; `otherwise` if there is none. */
  next(isIt, otherwise = this.steps.length) {
    for (let index = this.count; index < this.steps.length; index++) if (isIt(this.steps.at(index))) return index + 1;
    return otherwise;
  }

  nextCut() {
    return this.next((step) => step.cut !== undefined);
  }

  /** The next step at which a bound or a value changes, or a node is added. */
  nextChange() {
    return this.next((step) => CHANGES.has(step.kind) && ["window", "value", "cut"].some((key) => step[key] !== undefined));
  }

  /** The number of steps up to a step by its number in the search, or to the last step before it. */
  upTo(number) {
    let [low, high] = [0, this.steps.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.steps.at(middle).number <= number) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The number of steps up to just before visit `visits + 1`. */
  upToVisit(visits) {
    return visits < this.visits.length ? this.visits[visits] : this.steps.length;
  }

  /** The number of steps up to the first visit of a node or to the cutoff that pruned it; 0 if there is neither. */
  upToNode(index, parentOf) {
    for (const at of this.visits) if (this.steps.at(at).node === index) return at + 1;
    const above = new Set();
    for (let at = index; at !== undefined && at >= 0; at = parentOf(at)) above.add(at);
    for (let at = 0; at < this.steps.length; at++) {
      if (this.steps.at(at).skipped?.some((child) => above.has(child))) return at + 1;
    }
    return 0;
  }
}

/** What the quiz asks before a step, or "". */
export function questionBefore(step, name) {
  if (step.kind === "leave") return `What does ${name} return?`;
  if (step.kind === "bound" || step.kind === "cut") return `Does a bound at ${name} change, or is there a cutoff?`;
  return "";
}
