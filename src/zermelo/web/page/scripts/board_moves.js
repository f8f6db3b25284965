// Choosing a legal move square by square. Rules stay on the server: these are its legal moves, and what was clicked.

/**
 * A legal move, as the server describes it.
 *
 * @typedef {object} Move
 * @property {number | string} move
 * @property {string} text Its notation.
 * @property {number[]} [path] Squares of a grid: one for a placement, else all squares visited; none for a button.
 * @property {number[][]} [steps] Backgammon: [from, to] of each checker; 25 is the bar, 0 is off.
 */

/**
 * What a click does: nothing, a selection, or moves to choose from (a single one is made).
 *
 * @typedef {{moves: Move[]}} Choice
 */

/** Moves that are buttons: they name no squares. */
export const isButton = (/** @type {Move} */ move) => !move.path?.length && !move.steps?.length;

/** The squares that a move names. */
export const squaresOf = (/** @type {Move} */ move) => move.path ?? move.steps?.flat() ?? [];

/** A move of a grid: the squares of its path are chosen one after another. */
export class PathChoice {
  /** @param {Move[]} moves */
  constructor(moves) {
    this.moves = moves.filter((move) => move.path?.length);
    /** Squares from which a piece can be dragged. */
    this.starts = new Set(this.moves.filter((move) => pathOf(move).length > 1).map((move) => pathOf(move)[0]));
    this.#choose([]);
  }

  /**
   * Note the squares chosen so far.
   *
   * @param {number[]} chosen
   */
  #choose(chosen) {
    this.chosen = chosen;
    const place = chosen.length;
    /** Moves that begin with the squares chosen. */
    this.open = place ? this.moves.filter((move) => chosen.every((square, at) => move.path?.[at] === square)) : this.moves;
    /** The squares that can be chosen next. */
    this.targets = new Set(this.open.filter((move) => pathOf(move).length > place).map((move) => pathOf(move)[place]));
    /** The last squares of the open moves: a jump over several squares can be made at once. */
    this.ends = new Set(place ? this.open.map((move) => pathOf(move).at(-1)) : []);
  }

  /** The square whose moves are shown, or null. */
  get selected() {
    return this.chosen.at(-1) ?? null;
  }

  canStart(/** @type {number} */ square) {
    return this.starts.has(square);
  }

  /**
   * Choose a square.
   *
   * @param {number} square
   * @returns {Choice}
   */
  choose(square) {
    const { open, chosen } = this;
    const complete = open.filter((move) => pathOf(move).length === chosen.length);
    if (chosen.length && square === this.selected && complete.length) return this.#done(complete);
    if (this.targets.has(square)) {
      this.#choose([...chosen, square]);
      const next = this.open;
      if (next.every((move) => pathOf(move).length === this.chosen.length)) return this.#done(next);
      return { moves: [] };
    }
    const ending = chosen.length ? open.filter((move) => pathOf(move).at(-1) === square) : [];
    if (ending.length) return this.#done(ending);
    const again = square === this.selected;
    this.clear();
    if (!again && this.targets.has(square)) return this.choose(square);
    return { moves: [] };
  }

  clear() {
    if (this.chosen.length) this.#choose([]);
  }

  /**
   * @param {Move[]} moves
   * @returns {Choice}
   */
  #done(moves) {
    this.clear();
    return { moves };
  }
}

const pathOf = (/** @type {Move} */ move) => move.path ?? [];

/** A move of backgammon: steps of checkers in any order. */
export class StepChoice {
  /**
   * @param {Move[]} moves
   * @param {import("./board_points.js").Points} picture
   */
  constructor(moves, picture) {
    this.moves = moves.filter((move) => move.steps?.length);
    this.start = picture;
    /** @type {number[][]} Steps made so far. */
    this.made = [];
    /** @type {number | null} */
    this.selected = null;
  }

  /** The board after the steps made so far. */
  get picture() {
    return this.made.reduce(withStep, this.start);
  }

  /** Moves that contain the steps made so far, with the steps that remain of each. */
  get rest() {
    return this.moves.flatMap((move) => {
      const rest = [...(move.steps ?? [])];
      for (const step of this.made) {
        const place = rest.findIndex((other) => isSame(other, step));
        if (place < 0) return [];
        rest.splice(place, 1);
      }
      return [{ move, rest }];
    });
  }

  get open() {
    return this.rest.map(({ move }) => move);
  }

  /** Steps that can be made now: their checker is there. */
  get #steps() {
    const steps = new Map();
    const { picture } = this;
    for (const { rest } of this.rest) {
      for (const step of rest) if (hasChecker(picture, step[0])) steps.set(step.join("-"), step);
    }
    return [...steps.values()];
  }

  get targets() {
    const steps = this.#steps;
    if (this.selected === null) return new Set(steps.map(([from]) => from));
    return new Set(steps.filter(([from]) => from === this.selected).map(([, to]) => to));
  }

  get ends() {
    return /** @type {Set<number>} */ (new Set());
  }

  canStart(/** @type {number} */ square) {
    return this.#steps.some(([from]) => from === square);
  }

  /**
   * Choose a point.
   *
   * @param {number} square
   * @returns {Choice}
   */
  choose(square) {
    const from = this.selected;
    if (from !== null && this.targets.has(square)) {
      this.made.push([from, square]);
      this.selected = null;
      const done = this.rest.filter(({ rest }) => !rest.length).map(({ move }) => move);
      return { moves: done.slice(0, 1) };
    }
    this.selected = from !== square && this.canStart(square) ? square : null;
    return { moves: [] };
  }

  /** Take back the selection, or else the last step. */
  clear() {
    if (this.selected === null) this.made.pop();
    this.selected = null;
  }
}

const isSame = (/** @type {number[]} */ one, /** @type {number[]} */ other) => one[0] === other[0] && one[1] === other[1];

/** Whether the side to move has a checker on a point or on the bar. */
function hasChecker(/** @type {import("./board_points.js").Points} */ picture, /** @type {number} */ from) {
  const isWhite = picture.mover === "white";
  if (from === 25) return picture.bar[isWhite ? 0 : 1] > 0;
  return isWhite ? picture.checkers[from - 1] > 0 : picture.checkers[from - 1] < 0;
}

/**
 * The board after a step of the side to move; a single checker that is hit goes to the bar.
 *
 * @param {import("./board_points.js").Points} picture
 * @param {number[]} step
 */
export function withStep(picture, [from, to]) {
  const side = picture.mover === "white" ? 0 : 1;
  const sign = side ? -1 : 1;
  const checkers = [...picture.checkers];
  const bar = [...picture.bar];
  const off = [...picture.off];
  if (from === 25) bar[side] -= 1;
  else checkers[from - 1] -= sign;
  if (to === 0) off[side] += 1;
  else if (checkers[to - 1] === -sign) {
    checkers[to - 1] = sign;
    bar[1 - side] += 1;
  } else checkers[to - 1] += sign;
  return { ...picture, checkers, bar, off };
}
