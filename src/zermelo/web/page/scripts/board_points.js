// A backgammon board as SVG, with the styles of the drawings: zermelo.drawing.boards, drawings.css.

import { svgElement } from "/scripts/teaching/dom.js";
import { disc, group, path } from "./board_grid.js";
import { SIZES } from "./shapes.js";

/**
 * A backgammon board, as `zermelo.core.picture.Points`.
 *
 * @typedef {object} Points
 * @property {"points"} kind
 * @property {number[]} checkers On points 1 to 24: positive for white, negative for black.
 * @property {number[]} bar White, black.
 * @property {number[]} off White, black.
 * @property {number[]} dice
 * @property {string} mover "white" or "black".
 * @property {string[]} [captions]
 */

const { point: WIDE, half: HALF, bar: BAR, tray: TRAY } = SIZES;
const RIM = 1.5;
const LABELS = 18;
const RADIUS = WIDE / 2 - 1.5;
const MAX_STACKED = 5;
/** Places of the pips of a die. */
const PIPS = [
  [],
  [[0, 0]],
  [[-1, -1], [1, 1]],
  [[-1, -1], [0, 0], [1, 1]],
  [[-1, -1], [1, -1], [-1, 1], [1, 1]],
  [[-1, -1], [1, -1], [0, 0], [-1, 1], [1, 1]],
  [[-1, -1], [1, -1], [-1, 0], [1, 0], [-1, 1], [1, 1]],
];
/** Squares of a backgammon board: points 1 to 24, the bar, and the tray of checkers borne off. */
export const BAR_SQUARE = 25;
export const OFF_SQUARE = 0;

/** Places and shapes of a backgammon board; `isFlipped`: point 1 is at the upper right. */
export class PointsView {
  /**
   * @param {Points} picture
   * @param {boolean} isFlipped
   */
  constructor(picture, isFlipped) {
    this.picture = picture;
    this.isFlipped = isFlipped;
    this.count = 26;
    this.left = RIM;
    this.top = RIM + LABELS;
    this.inner = 12 * WIDE + BAR;
    this.bottom = this.top + 2 * HALF;
    this.middle = this.top + HALF;
    this.width = this.left + this.inner + TRAY + RIM;
    this.height = this.bottom + LABELS + RIM;
  }

  get key() {
    return `points ${this.isFlipped}`;
  }

  /** Whether a point is in the upper half, where points lead down. */
  #isUpper(/** @type {number} */ point) {
    return point > 12 !== this.isFlipped;
  }

  /** The middle of a point: 1 to 12 from the right, 13 to 24 from the left. */
  #x(/** @type {number} */ point) {
    const column = point <= 12 ? 12 - point : point - 13;
    return this.left + WIDE * (column + 0.5) + (column >= 6 ? BAR : 0);
  }

  /** The box of a square: left, top, width, height. The bar and the tray belong to the side to move. */
  #box(/** @type {number} */ square) {
    if (square === BAR_SQUARE) return [this.left + 6 * WIDE, this.top, BAR, 2 * HALF];
    if (square === OFF_SQUARE) return [this.left + this.inner, this.top, TRAY, 2 * HALF];
    return [this.#x(square) - WIDE / 2, this.#isUpper(square) ? this.top : this.middle, WIDE, HALF];
  }

  outline(/** @type {number} */ square) {
    const [x, y, width, height] = this.#box(square);
    return `M${x} ${y}h${width}v${height}h${-width}z`;
  }

  /** Where a checker that comes to a square lies: the end of its stack. */
  centre(/** @type {number} */ square) {
    const { bar, mover } = this.picture;
    const side = mover === "white" ? 0 : 1;
    if (square === BAR_SQUARE) return this.#stacked(...this.#barBase(side), Math.max(0, bar[side] - 1));
    if (square === OFF_SQUARE) return [this.left + this.inner + TRAY / 2, this.middle + (this.#isLow(side) ? 0.6 : -0.6) * HALF];
    const count = Math.abs(this.picture.checkers[square - 1]);
    return this.#stacked(...this.#base(square), Math.min(Math.max(0, count - 1), MAX_STACKED - 1));
  }

  /** @returns {[number, number, number]} Where a stack starts, and its direction: 1 is down. */
  #base(/** @type {number} */ point) {
    return this.#isUpper(point) ? [this.#x(point), this.top, 1] : [this.#x(point), this.bottom, -1];
  }

  /** Whether the side's home is in the lower half. */
  #isLow(/** @type {number} */ side) {
    return (side === 0) !== this.isFlipped;
  }

  /** @returns {[number, number, number]} */
  #barBase(/** @type {number} */ side) {
    const way = this.#isLow(side) ? 1 : -1;
    return [this.left + 6 * WIDE + BAR / 2, this.middle + 14 * way, way];
  }

  /**
   * @param {number} x
   * @param {number} base
   * @param {number} way
   * @param {number} place
   */
  #stacked(x, base, way, place) {
    return [x, base + way * (RADIUS + 0.5) * (2 * place + 1)];
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  squareAt(x, y) {
    for (let square = 0; square < this.count; square++) {
      const [left, top, width, height] = this.#box(square);
      if (x >= left && x < left + width && y >= top && y < top + height) return square;
    }
    return null;
  }

  /** The rows of squares from the top of the screen. */
  get lines() {
    const upper = [13, 14, 15, 16, 17, 18, BAR_SQUARE, 19, 20, 21, 22, 23, 24, OFF_SQUARE];
    const lower = [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1];
    return this.isFlipped ? [lower, upper] : [upper, lower];
  }

  /**
   * @param {number} square
   * @param {string} key
   */
  neighbour(square, key) {
    const { lines } = this;
    const row = lines.findIndex((line) => line.includes(square));
    const line = lines[row];
    const place = line.indexOf(square);
    if (key === "ArrowLeft") return line[Math.max(0, place - 1)];
    if (key === "ArrowRight") return line[Math.min(line.length - 1, place + 1)];
    if (key === "Home") return line[0];
    if (key === "End") return line[line.length - 1];
    if (row === (key === "ArrowUp" ? 0 : 1) || square === BAR_SQUARE || square === OFF_SQUARE) return square;
    return 25 - square;
  }

  meant(/** @type {number} */ square) {
    return square;
  }

  squareName(/** @type {number} */ square) {
    if (square === BAR_SQUARE) return "bar";
    return square === OFF_SQUARE ? "off" : `point ${square}`;
  }

  spoken(/** @type {number} */ square) {
    const name = this.squareName(square);
    const { bar, off, checkers } = this.picture;
    if (square === BAR_SQUARE) return `${name}, ${bar[0]} white, ${bar[1]} black`;
    if (square === OFF_SQUARE) return `borne off, ${off[0]} white, ${off[1]} black`;
    const count = checkers[square - 1];
    return count ? `${name}, ${Math.abs(count)} ${count > 0 ? "white" : "black"}` : name;
  }

  ground() {
    const { left, top, inner } = this;
    const points = (/** @type {number} */ odd) =>
      Array.from({ length: 12 }, (_, number) => {
        const point = 2 * number + 1 + odd;
        const [x, base, way] = this.#base(point);
        return `M${x - WIDE / 2 + 1} ${base}h${WIDE - 2}L${x} ${base + way * 0.82 * HALF}z`;
      }).join("");
    return group(
      "ground",
      group("light", svgElement("rect", { class: "square", x: left, y: top, width: inner + TRAY, height: 2 * HALF })),
      group("bar", svgElement("rect", { class: "square", x: left + 6 * WIDE, y: top, width: BAR, height: 2 * HALF })),
      group("dark", path("point", points(0))),
      group("even", path("point", points(1))),
    );
  }

  rules() {
    const { left, top, inner, bottom } = this;
    return group("lines", path("border", `M${left} ${top}h${inner + TRAY}v${2 * HALF}h${-inner - TRAY}zM${left + inner} ${top}V${bottom}`));
  }

  labels() {
    const texts = Array.from({ length: 24 }, (_, number) => {
      const y = this.#isUpper(number + 1) ? this.top - 5 : this.bottom + 14;
      return svgElement("text", { class: "label", x: this.#x(number + 1), y, "text-anchor": "middle", text: number + 1 });
    });
    return group("labels", ...texts);
  }

  marks(/** @type {number[]} */ lastMove) {
    const marked = [...new Set(lastMove)].filter((square) => square !== BAR_SQUARE && square !== OFF_SQUARE);
    return marked.map((square) => {
      const [x, base, way] = this.#base(square);
      return group("light", path("mark last-point", `M${x - WIDE / 2 + 1} ${base}h${WIDE - 2}L${x} ${base + way * 0.82 * HALF}z`));
    });
  }

  /** The dice. */
  notes() {
    const { dice, mover } = this.picture;
    const side = 27;
    const start = this.left + (mover === "white" ? 9 : 3) * WIDE + (mover === "white" ? BAR : 0);
    return dice.map((die, place) => {
      const x = start + (place - (dice.length - 1) / 2) * (side + 8);
      const pips = (PIPS[die] ?? []).map(([dx, dy]) => svgElement("circle", { class: "pip", cx: x + 7 * dx, cy: this.middle + 7 * dy, r: 2.6 }));
      const box = { class: "die", x: x - side / 2, y: this.middle - side / 2, width: side, height: side, rx: 5 };
      return group(`die ${mover}`, svgElement("title", { text: `${mover}'s die: ${die}` }), svgElement("rect", box), ...pips);
    });
  }

  tone() {
    return "light";
  }

  /** Stacks: points by number, the bar 25 (white) and 26 (black), off 0 (white) and -1 (black). */
  get #stacks() {
    const { checkers, bar, off } = this.picture;
    /** @type {[number, number, number][]} Key, side, count. */
    const stacks = checkers.map((count, place) => [place + 1, count > 0 ? 0 : 1, Math.abs(count)]);
    stacks.push([25, 0, bar[0]], [26, 1, bar[1]], [0, 0, off[0]], [-1, 1, off[1]]);
    return stacks.filter(([, , count]) => count);
  }

  signatures() {
    return new Map(this.#stacks.map(([key, side, count]) => [key, `${side} ${count}`]));
  }

  /** A stack; its places are those of the board. */
  piece(/** @type {number} */ key) {
    const [, side, count] = this.#stacks.find(([other]) => other === key) ?? [0, 0, 0];
    const parts = key <= 0 ? this.#off(side, count) : this.#stack(key > 24 ? this.#barBase(side) : this.#base(key), count);
    return group(`piece ${side ? "black" : "white"}`, ...parts);
  }

  /**
   * @param {[number, number, number]} base
   * @param {number} count
   */
  #stack(base, count) {
    const parts = [];
    for (let place = 0; place < Math.min(count, MAX_STACKED); place++) {
      const [x, y] = this.#stacked(...base, place);
      parts.push(...disc(x, y, RADIUS));
    }
    if (count > MAX_STACKED) {
      const [x, y] = this.#stacked(...base, MAX_STACKED - 1);
      parts.push(svgElement("text", { class: "count", x, y: y + 4.3, "text-anchor": "middle", text: count }));
    }
    return parts;
  }

  /**
   * Checkers in the tray, seen from the side.
   *
   * @param {number} side
   * @param {number} count
   */
  #off(side, count) {
    const x = this.left + this.inner + TRAY / 2 - 16;
    return Array.from({ length: count }, (_, place) => {
      const y = this.#isLow(side) ? this.bottom - 13 - 10.5 * place : this.top + 4 + 10.5 * place;
      return svgElement("rect", { class: "disc", x, y, width: 32, height: 9, rx: 2 });
    });
  }

  /** Where the shape of `piece` has its origin: the stacks lie at their places. */
  corner() {
    return [0, 0];
  }

  /** A checker that is dragged or moves, around the origin. */
  lifted(colour = this.picture.mover) {
    return group(`piece ${colour}`, ...disc(0, 0, RADIUS));
  }

  /** The colour of the checkers on a square. The tray is that of the side that does not roll: it has just moved. */
  colourOn(/** @type {number} */ square) {
    const count = this.picture.checkers[square - 1] ?? 0;
    if (count) return count > 0 ? "white" : "black";
    return this.picture.mover === "white" ? "black" : "white";
  }
}
