// Positions of the nodes of a game, from the server; the latest ones are kept.

import { post } from "/scripts/api.js";

/** The most positions that are kept. */
const MOST_KEPT = 2_000;

/** @typedef {import("./game_tree.js").Node} Node */

export class Positions {
  /**
   * @param {string} game
   * @param {string} start the position before the first move; empty for the initial one
   * @param {string[]} events texts in move lists that are not moves, such as a double in backgammon
   */
  constructor(game, start, events) {
    this.game = game;
    this.start = start;
    this.events = new Set(events);
    /** @type {Map<string, any>} */
    this._kept = new Map();
    // Keys of positions: each is the number of a key and a move, so that the key of the next position takes one step.
    /** @type {Map<string, string>} */
    this._steps = new Map();
    /** @type {WeakMap<Node, string>} */
    this._keys = new WeakMap();
  }

  /** The moves from the start to a node. @param {Node} node */
  moves(node) {
    return node.path().slice(1).map((each) => each.text).filter((text) => !this.events.has(text));
  }

  /** A short text that is the same for nodes with the same moves. @param {Node} node @returns {string} */
  key(node) {
    /** @type {Node[]} */
    const unknown = [];
    let known = node;
    for (; known.parent && !this._keys.has(known); known = known.parent) unknown.push(known);
    let key = this._keys.get(known) ?? "";
    for (const each of unknown.reverse()) {
      if (!this.events.has(each.text)) key = this._step(key, each.text);
      this._keys.set(each, key);
    }
    return key;
  }

  /** @param {string} key @param {string} move */
  _step(key, move) {
    const step = `${key} ${move}`;
    let next = this._steps.get(step);
    if (next === undefined) this._steps.set(step, (next = String(this._steps.size + 1)));
    return next;
  }

  /** What requests say of a node's position. @param {Node} node @param {string[]} more moves after it */
  request(node, more = []) {
    return { game: this.game, position: this.start, moves: [...this.moves(node), ...more] };
  }

  /** The position of a node if it is known here; undefined otherwise. @param {Node} node */
  known(node) {
    return this._kept.get(this.key(node));
  }

  /**
   * The position of a node, or of the one after some more moves.
   * @param {Node} node @param {string[]} more @returns {Promise<any>}
   */
  async at(node, more = []) {
    const key = more.reduce((before, move) => this._step(before, move), this.key(node));
    const known = this._kept.get(key);
    if (known) return known;
    const position = await post("/api/position", this.request(node, more));
    this._kept.set(key, position);
    if (this._kept.size > MOST_KEPT) this._kept.delete(/** @type {string} */ (this._kept.keys().next().value));
    return position;
  }
}
