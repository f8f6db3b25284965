// A game with variations: its nodes, its edits with undo, and its record as JSON (the format `json` of every game).

/**
 * A line of a record: the main line or a variation.
 * @typedef {{ comments?: string[], moves: (string | RecordStep)[] }} RecordLine
 *
 * A move with annotations.
 * @typedef {{ move: string, nags?: number[], before?: string[], comments?: string[], variations?: RecordLine[] }}
 *   RecordStep
 *
 * A game as JSON. `start` is empty for the game's initial position.
 * @typedef {RecordLine & { start?: string, number?: number, tags?: Record<string, string>, result?: string,
 *   operations?: Record<string, string[]> }} GameRecord
 */

/** The most edits that can be undone. */
const MOST_UNDONE = 100;

/** A position of the game: the one after its move, or the start. The first child continues the line. */
export class Node {
  /**
   * @param {Node | null} parent
   * @param {string} text the move in the game's notation; empty at the root
   */
  constructor(parent, text) {
    this.parent = parent;
    this.text = text;
    /** @type {Node[]} */
    this.children = [];
    /** @type {number[]} */
    this.nags = [];
    /** Comments before the move; those before the first move of the game are the root's `comments`.
     * @type {string[]} */
    this.before = [];
    /** @type {string[]} */
    this.comments = [];
    /** @type {number} */
    this.ply = parent ? parent.ply + 1 : 0;
  }

  /** The nodes from the root to this one, both included. */
  path() {
    /** @type {Node[]} */
    const nodes = [];
    for (let node = /** @type {Node | null} */ (this); node; node = node.parent) nodes.push(node);
    return nodes.reverse();
  }

  /** The nodes of the line through this one: up to the root, and down along first children. */
  line() {
    const nodes = this.path();
    for (let node = this.children[0]; node; node = node.children[0]) nodes.push(node);
    return nodes;
  }

  /** Where the line through this node leaves the main line; null on the main line. @returns {Node | null} */
  branch() {
    return this.path().find((node) => node.parent !== null && node.parent.children[0] !== node) ?? null;
  }
}

export class GameTree {
  /** @param {GameRecord} record */
  constructor(record = { moves: [] }) {
    /** @type {string[]} */
    this._undone = [];
    /** @type {string[]} */
    this._redone = [];
    this._read(record);
  }

  /** Whether there is an edit to undo, or to redo. */
  get canUndo() {
    return this._undone.length > 0;
  }

  get canRedo() {
    return this._redone.length > 0;
  }

  /** The position before the first move; empty for the initial one. */
  get start() {
    return this.head.start ?? "";
  }

  /** @returns {Record<string, string>} */
  get tags() {
    return this.head.tags ?? {};
  }

  /** The number of moves, variations included. */
  get size() {
    let count = -1;
    for (const stack = [this.root]; stack.length; count += 1) stack.push(.../** @type {Node} */ (stack.pop()).children);
    return count;
  }

  // ---- edits: each can be undone ----

  /** Play a move after a node: the child that has it already, or a new one, as the last variation.
   * @param {Node} node @param {string} text */
  play(node, text) {
    const known = node.children.find((child) => child.text === text);
    if (known) return known;
    this._remember(node);
    const child = new Node(node, text);
    node.children.push(child);
    if (node.branch() === null && node.children.length === 1) delete this.head.result; // the game goes on
    return child;
  }

  /** Delete a node and all that follows it; return its parent. @param {Node} node */
  remove(node) {
    const parent = node.parent;
    if (!parent) return node;
    this._remember(node);
    parent.children.splice(parent.children.indexOf(node), 1);
    return parent;
  }

  /** Move the variation through a node up by one: at the branch, it takes the place of the line before it.
   * @param {Node} node */
  promote(node) {
    const branch = node.branch();
    if (!branch?.parent) return;
    this._remember(node);
    const all = branch.parent.children;
    const index = all.indexOf(branch);
    [all[index - 1], all[index]] = [all[index], all[index - 1]];
  }

  /** Make the line through a node the main line. @param {Node} node */
  makeMain(node) {
    if (!node.branch()) return;
    this._remember(node);
    for (const each of node.path()) {
      const all = each.parent?.children;
      if (all) all.unshift(...all.splice(all.indexOf(each), 1));
    }
  }

  /** Set the comments after a node's move, one on each line of the text; return whether they changed.
   * @param {Node} node @param {string} text */
  comment(node, text) {
    const lines = text.split("\n").map((line) => line.trim()).filter(Boolean);
    if (lines.join("\n") === node.comments.join("\n")) return false;
    this._remember(node);
    node.comments = lines;
    return true;
  }

  /** Set or clear one of the marks ! ? !! ?? !? ?!, of which a move has at most one.
   * @param {Node} node @param {number} nag */
  toggleMark(node, nag) {
    this._remember(node);
    const others = node.nags.filter((each) => each < 1 || each > 6);
    node.nags = node.nags.includes(nag) ? others : [nag, ...others];
  }

  /** Put another game in the place of this one. @param {GameRecord} record @param {Node} node where the reader is */
  replace(record, node) {
    this._remember(node);
    this._read(record);
    return this.root;
  }

  /** Take the last edit back; return the node where the reader was. @param {Node} node @returns {Node} */
  undo(node) {
    return this._exchange(this._undone, this._redone, node);
  }

  /** Make the last edit that was undone again. @param {Node} node @returns {Node} */
  redo(node) {
    return this._exchange(this._redone, this._undone, node);
  }

  /** @param {Node} node */
  _remember(node) {
    this._undone.push(this._snapshot(node));
    if (this._undone.length > MOST_UNDONE) this._undone.shift();
    this._redone = [];
  }

  /** @param {Node} node */
  _snapshot(node) {
    return JSON.stringify({ record: this.record(), at: this.address(node) });
  }

  /** @param {string[]} from @param {string[]} to @param {Node} node */
  _exchange(from, to, node) {
    const text = from.pop();
    if (text === undefined) return node;
    to.push(this._snapshot(node));
    const { record, at } = JSON.parse(text);
    this._read(record);
    return this.find(at);
  }

  // ---- records ----

  /** The game as a record. @returns {GameRecord} */
  record() {
    const { comments, moves } = lineFrom(this.root, this.root.comments);
    return { ...this.head, ...(comments ? { comments } : {}), moves };
  }

  /** Where a node is, for `find`: the index of each child on the way. @param {Node} node @returns {number[]} */
  address(node) {
    return node.path().slice(1).map((each) => /** @type {Node} */ (each.parent).children.indexOf(each));
  }

  /** The node at an address, or the last one on the way there. @param {number[]} address */
  find(address) {
    let node = this.root;
    for (const index of address) {
      const child = Number.isInteger(index) ? node.children[index] : undefined;
      if (!child) break;
      node = child;
    }
    return node;
  }

  /** @param {GameRecord} record */
  _read(record) {
    const { moves, comments = [], ...head } = record;
    /** All of the record but its moves and comments. @type {Omit<GameRecord, "moves" | "comments">} */
    this.head = head;
    this.root = new Node(null, "");
    this.root.comments = [...comments];
    /** @type {[Node, RecordLine][]} */
    const stack = [[this.root, { moves: moves ?? [] }]];
    for (let item = stack.pop(); item; item = stack.pop()) readLine(item[0], item[1], stack);
  }
}

/**
 * Add a line after a node; push its variations. Variations that begin with a move of their node's become one.
 * @param {Node} node @param {RecordLine} line @param {[Node, RecordLine][]} stack
 */
function readLine(node, line, stack) {
  let opening = line.comments ?? [];
  /** @type {[Node, RecordLine][]} */
  const variations = [];
  for (const item of line.moves) {
    const step = typeof item === "string" ? { move: item } : item;
    let child = node.children.find((each) => each.text === step.move);
    if (!child) node.children.push((child = new Node(node, step.move)));
    child.before.push(...opening, ...(step.before ?? []));
    child.comments.push(...(step.comments ?? []));
    child.nags = [...new Set([...child.nags, ...(step.nags ?? [])])];
    for (const variation of step.variations ?? []) variations.push([node, variation]);
    opening = [];
    node = child;
  }
  stack.push(...variations.reverse());
}

/**
 * The line after a node as a record, with the variations of its moves.
 * @param {Node} node @param {string[]} comments @param {Node} [first] the line's first move; default: the first child
 * @returns {RecordLine}
 */
function lineFrom(node, comments, first = undefined) {
  /** @type {(string | RecordStep)[]} */
  const moves = [];
  for (let child = first ?? node.children[0], parent = node; child; parent = child, child = child.children[0]) {
    const isHead = first !== undefined && child === first;
    const others = isHead ? [] : parent.children.slice(1);
    const parts = {
      nags: child.nags,
      before: isHead ? [] : child.before,
      comments: child.comments,
      variations: others.map((other) => lineFrom(parent, other.before, other)),
    };
    const kept = Object.fromEntries(Object.entries(parts).filter(([, value]) => value.length));
    moves.push(Object.keys(kept).length ? { move: child.text, ...kept } : child.text);
  }
  return comments.length ? { comments: [...comments], moves } : { moves };
}
