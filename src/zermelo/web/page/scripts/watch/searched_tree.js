// A tree and the steps of its search, as `POST /api/trees` sends them: columns, with texts by number.

import { Playback } from "/scripts/teaching/playback.js";

export const MAX = 1;
export const MIN = -1;
export const CHANCE = 0;
export const LEAF = 2;
const PLAYERS = { [MAX]: "MAX", [MIN]: "MIN", [CHANCE]: "chance", [LEAF]: "leaf" };

/** Style classes of players, those of the drawings. */
export const KINDS = { [MAX]: "max", [MIN]: "min", [CHANCE]: "chance", [LEAF]: "leaf" };

export class SearchedTree {
  /** @param {any} header The event `tree`. */
  constructor(header) {
    this.header = header;
    /** @type {string[]} */
    this.texts = [...header.texts];
    const { parent, player } = header.nodes;
    this.size = parent.length;
    this.parent = Int32Array.from(parent);
    this.player = Int8Array.from(player);
    this.depth = new Int32Array(this.size);
    /** The children of node i are `childList[childStart[i]]` to `childList[childStart[i + 1] - 1]`. */
    this.childStart = new Int32Array(this.size + 1);
    for (let index = 1; index < this.size; index++) {
      this.depth[index] = this.depth[parent[index]] + 1;
      this.childStart[parent[index] + 1]++;
    }
    for (let index = 0; index < this.size; index++) this.childStart[index + 1] += this.childStart[index];
    const next = this.childStart.slice();
    this.childList = new Int32Array(Math.max(0, this.size - 1));
    for (let index = 1; index < this.size; index++) this.childList[next[parent[index]]++] = index;
    /** The end of each subtree: nodes are in preorder. */
    this.end = new Int32Array(this.size);
    for (let index = this.size - 1; index >= 0; index--) {
      this.end[index] = Math.max(this.end[index], index + 1);
      if (index) this.end[parent[index]] = Math.max(this.end[parent[index]], this.end[index]);
    }
    this.line = new Set(header.line);
    this.steps = new StepTable(this.texts);
    /** @type {Playback | null} */
    this.playback = null;
  }

  /** Add the rows of an event `steps`. */
  append(table) {
    for (const text of table.texts) this.texts.push(text);
    this.steps.append(table);
  }

  /** All steps are here. */
  finish() {
    this.playback = new Playback(this.steps);
  }

  children(index) {
    return this.childList.subarray(this.childStart[index], this.childStart[index + 1]);
  }

  isInner(index) {
    return this.childStart[index + 1] > this.childStart[index];
  }

  /** Number of nodes below a node. */
  below(index) {
    return this.end[index] - index - 1;
  }

  name(index) {
    return this.texts[this.header.nodes.name[index]];
  }

  /** The move to a node, and the probability of a chance outcome. */
  arc(index) {
    return this.texts[this.header.nodes.arc[index]];
  }

  /** The value of a leaf. */
  leafValue(index) {
    return this.texts[this.header.nodes.value[index]];
  }

  /** "= NAME" if an earlier node has the same position. */
  same(index) {
    return this.texts[this.header.nodes.same[index] ?? 0];
  }

  playerName(index) {
    return PLAYERS[this.player[index]];
  }

  parentOf = (index) => (this.parent[index] < 0 ? undefined : this.parent[index]);

  /** A node and its ancestors, the root first. */
  pathTo(index) {
    const path = [];
    for (let at = index; at >= 0; at = this.parent[at]) path.unshift(at);
    return path;
  }

  /** The largest number of levels with at most a number of nodes. */
  levelsWithin(most) {
    const counts = [];
    for (const depth of this.depth) counts[depth] = (counts[depth] ?? 0) + 1;
    let [levels, total] = [0, counts[0]];
    while (levels + 1 < counts.length && total + counts[levels + 1] <= most) total += counts[++levels];
    return Math.max(1, levels);
  }

  get height() {
    let height = 0;
    for (const depth of this.depth) height = Math.max(height, depth);
    return height;
  }
}

/** The steps of a search: `at` makes one from its row. */
class StepTable {
  #texts;
  #tables = [];
  #rows = 0; // of a table; only the last one may have fewer
  #kinds = [];
  length = 0;

  constructor(texts) {
    this.#texts = texts;
  }

  append(table) {
    this.#rows ||= table.kind.length;
    this.#tables.push(table);
    this.#kinds.push(...table.kinds);
    this.length += table.kind.length;
  }

  /** @returns {import("/scripts/teaching/playback.js").Step | undefined} */
  at(index) {
    if (index < 0 || index >= this.length) return undefined;
    const { table, row } = this.#place(index);
    const step = { number: index + 1, kind: this.#kinds[table.kind[row]], node: table.node[row] };
    if (table.window[row] >= 0) step.window = this.#texts[table.window[row]];
    if (table.value[row] >= 0) step.value = this.#texts[table.value[row]];
    if (table.line[row] >= 0) step.line = table.line[row];
    return Object.assign(step, table.rest[row]);
  }

  #place(index) {
    return { table: this.#tables[Math.floor(index / this.#rows)], row: index % this.#rows };
  }

  /** The sentence of a step, or undefined if it must be asked for. */
  sentence(index) {
    const { table, row } = this.#place(index);
    return table.sentences[row];
  }

  /** The upper confidence bounds that a selection compares, or undefined. */
  bounds(index) {
    const { table, row } = this.#place(index);
    return table.bounds[row];
  }

  /** Add sentences that were asked for. */
  addSentences(first, sentences) {
    sentences.forEach((sentence, offset) => {
      const { table, row } = this.#place(first + offset);
      table.sentences[row] = sentence;
    });
  }
}
