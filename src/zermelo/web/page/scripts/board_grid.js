// A board of squares or hexagons as SVG. The styles are those of the drawings: zermelo.drawing.boards, drawings.css.

import { svgElement } from "/scripts/teaching/dom.js";
import { CHESS, SIZES } from "./shapes.js";

/**
 * A board of squares, as `zermelo.core.picture.Grid`.
 *
 * @typedef {object} Grid
 * @property {"grid"} kind
 * @property {number} columns
 * @property {number} rows
 * @property {string} background
 * @property {Piece[]} pieces
 * @property {string[]} [column_labels]
 * @property {string[]} [row_labels]
 * @property {number[][]} [highlighted]
 * @property {number[][]} [dotted]
 * @property {[number, number, string][]} [tinted]
 * @property {[number, number, string][]} [corner_labels]
 * @property {string[]} [captions]
 */

/** @typedef {{column: number, row: number, kind: string, colour?: string, letter?: string}} Piece */

const S = SIZES.square;
const EDGE = 1.5;
const BACKGROUNDS = ["chequered", "felt", "frame", "lines", "crossings", "hexagons", "bare"];

/** Places and shapes of a grid; `isFlipped`: seen from the other side. */
export class GridView {
  /**
   * @param {Grid} picture
   * @param {boolean} isFlipped
   */
  constructor(picture, isFlipped) {
    const { columns, rows } = picture;
    this.picture = picture;
    this.count = columns * rows;
    this.background = BACKGROUNDS.includes(picture.background) ? picture.background : "lines";
    this.isHexagonal = this.background === "hexagons";
    // Pieces fall down in a frame, and a sheared board has one orientation.
    this.isFlipped = isFlipped && !this.isHexagonal && this.background !== "frame";
    this.labelSize = 12 * Math.max(1, Math.max(columns, rows) / 12);
    const longest = Math.max(0, ...(picture.row_labels ?? []).map((label) => [...label].length));
    this.left = EDGE + (longest ? (0.62 * longest + 0.45) * this.labelSize : 0);
    this.right = this.isHexagonal ? this.left + S * (columns + 0.5 * (rows - 1)) : this.left + S * columns;
    this.top = EDGE + (this.isHexagonal ? 0.08 * S : 0);
    this.bottom = this.isHexagonal ? this.top + S * Math.sqrt(0.75) * (rows - 1) + 1.08 * S : this.top + S * rows;
    this.width = this.right + EDGE;
    this.height = this.bottom + EDGE + (picture.column_labels?.length ? 1.4 * this.labelSize : 0);
    /** @type {Map<number, Piece>} */
    this.pieceAt = new Map(picture.pieces.map((piece) => [piece.row * columns + piece.column, piece]));
    this.noteAt = new Map((picture.corner_labels ?? []).map(([column, row, text]) => [row * columns + column, text]));
  }

  /** Boards with the same key differ in pieces and marks only. */
  get key() {
    const { columns, rows, column_labels, row_labels } = this.picture;
    return JSON.stringify([columns, rows, this.background, column_labels, row_labels, this.isFlipped]);
  }

  /** Column and row of a square on the screen. */
  #place(/** @type {number} */ square) {
    const { columns, rows } = this.picture;
    const column = square % columns;
    const row = Math.floor(square / columns);
    return this.isFlipped ? [columns - 1 - column, rows - 1 - row] : [column, row];
  }

  /** The upper left corner of a square, or of the square around the middle of a hexagon. */
  corner(/** @type {number} */ square) {
    const [column, row] = this.#place(square);
    if (this.isHexagonal) return [this.left + S * (column + 0.5 * row), this.top + S * Math.sqrt(0.75) * row];
    return [this.left + S * column, this.top + S * row];
  }

  centre(/** @type {number} */ square) {
    const [x, y] = this.corner(square);
    return [x + S / 2, y + S / 2];
  }

  /** The outline of a square as path data. */
  outline(/** @type {number} */ square) {
    if (!this.isHexagonal) {
      const [x, y] = this.corner(square);
      return `M${x} ${y}h${S}v${S}h${-S}z`;
    }
    return `M${this.#hexagon(square).map((point) => point.map((length) => length.toFixed(2)).join(" ")).join("L")}z`;
  }

  #hexagon(/** @type {number} */ square) {
    const [x, y] = this.centre(square);
    const half = S / 2;
    const side = S / Math.sqrt(3);
    const corners = [[-half, -side / 2], [0, -side], [half, -side / 2], [half, side / 2], [0, side], [-half, side / 2]];
    return corners.map(([dx, dy]) => [x + dx, y + dy]);
  }

  /**
   * The square at a point of the drawing, or null.
   *
   * @param {number} x
   * @param {number} y
   */
  squareAt(x, y) {
    const { columns, rows } = this.picture;
    if (this.isHexagonal) {
      const near = Math.round((y - this.top - S / 2) / (S * Math.sqrt(0.75)));
      /** @type {number | null} */
      let best = null;
      let distance = 0.36 * S * S;
      for (let row = Math.max(0, near - 1); row <= Math.min(rows - 1, near + 1); row++) {
        const column = Math.round((x - this.left - S / 2) / S - 0.5 * row);
        if (column < 0 || column >= columns) continue;
        const [a, b] = this.centre(row * columns + column);
        const square = (a - x) ** 2 + (b - y) ** 2;
        if (square < distance) [best, distance] = [row * columns + column, square];
      }
      return best;
    }
    let column = Math.floor((x - this.left) / S);
    let row = Math.floor((y - this.top) / S);
    if (column < 0 || row < 0 || column >= columns || row >= rows) return null;
    if (this.isFlipped) [column, row] = [columns - 1 - column, rows - 1 - row];
    return row * columns + column;
  }

  /**
   * The square beside a square.
   *
   * @param {number} square
   * @param {string} key An arrow key, Home or End.
   */
  neighbour(square, key) {
    const { columns, rows } = this.picture;
    const turn = this.isFlipped ? -1 : 1;
    let column = square % columns;
    let row = Math.floor(square / columns);
    if (key === "ArrowLeft") column -= turn;
    else if (key === "ArrowRight") column += turn;
    else if (key === "ArrowUp") row -= turn;
    else if (key === "ArrowDown") row += turn;
    else if (key === "Home") column = this.isFlipped ? columns - 1 : 0;
    else if (key === "End") column = this.isFlipped ? 0 : columns - 1;
    if (column < 0 || row < 0 || column >= columns || row >= rows) return square;
    return row * columns + column;
  }

  /** The square on which a click on `square` counts: in a frame a piece falls to the free square of its column. */
  meant(/** @type {number} */ square, /** @type {Set<number>} */ targets) {
    if (this.background !== "frame" || targets.has(square)) return square;
    const { columns } = this.picture;
    return [...targets].find((target) => target % columns === square % columns) ?? square;
  }

  /** The rows of squares from the top of the screen, for screen readers. */
  get lines() {
    const { columns, rows } = this.picture;
    const turn = (/** @type {number[]} */ list) => (this.isFlipped ? list.reverse() : list);
    const across = (/** @type {number} */ row) => Array.from({ length: columns }, (_, column) => row * columns + column);
    return turn(Array.from({ length: rows }, (_, row) => row)).map((row) => turn(across(row)));
  }

  /** The name of a square: its labels, or its column and row. */
  squareName(/** @type {number} */ square) {
    const { columns, column_labels, row_labels } = this.picture;
    const column = square % columns;
    const row = Math.floor(square / columns);
    const name = (column_labels?.[column] ?? "") + (row_labels?.[row] ?? "");
    return name || `column ${column + 1}, row ${row + 1}`;
  }

  /** A square for a screen reader: "e4, white pawn". */
  spoken(/** @type {number} */ square) {
    return [this.squareName(square), pieceName(this.pieceAt.get(square)), this.noteAt.get(square)].filter(Boolean).join(", ");
  }

  /** What lies below the pieces and does not change during a game. */
  ground() {
    const { left, top, right, bottom, background } = this;
    const box = `M${left} ${top}H${right}V${bottom}H${left}z`;
    const parts = [];
    const squares = Array.from({ length: this.count }, (_, square) => square);
    if (background === "chequered") {
      const { columns } = this.picture;
      const dark = squares.filter((square) => (Math.floor(square / columns) + (square % columns)) % 2);
      parts.push(group("light", path("square", box)));
      parts.push(group("dark", path("square", dark.map((square) => this.outline(square)).join(""))));
    } else if (this.isHexagonal) {
      parts.push(group(background, path("square", squares.map((square) => this.outline(square)).join(""))));
    } else if (background !== "lines" && background !== "bare") {
      parts.push(group(background, path("square", box)));
    }
    return group("ground", ...parts);
  }

  /** Lines and holes, over the marks and below the pieces. */
  rules() {
    const { left, top, right, bottom, background } = this;
    const { columns, rows } = this.picture;
    const parts = [];
    if (background === "felt" || background === "lines") {
      const inner = [];
      for (let column = 1; column < columns; column++) inner.push(`M${left + S * column} ${top}V${bottom}`);
      for (let row = 1; row < rows; row++) inner.push(`M${left} ${top + S * row}H${right}`);
      parts.push(path(background === "felt" ? "rule" : "wall", inner.join("")));
    } else if (background === "crossings") {
      const half = S / 2;
      const lines = [];
      for (let column = 0; column < columns; column++) lines.push(`M${left + S * column + half} ${top + half}V${bottom - half}`);
      for (let row = 0; row < rows; row++) lines.push(`M${left + half} ${top + S * row + half}H${right - half}`);
      parts.push(path("rule", lines.join("")));
    } else if (background === "frame") {
      const r = 0.4 * S;
      const holes = [];
      for (let square = 0; square < this.count; square++) {
        const [x, y] = this.centre(square);
        holes.push(`M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`);
      }
      parts.push(path("hole", holes.join("")));
    } else if (this.isHexagonal) {
      const squares = Array.from({ length: this.count }, (_, square) => square);
      parts.push(path("rule", squares.map((square) => this.outline(square)).join("")));
      for (const [row, points] of [[0, [0, 1, 2]], [rows - 1, [5, 4, 3]]]) {
        const corners = Array.from({ length: columns }, (_, column) => {
          const hexagon = this.#hexagon(/** @type {number} */ (row) * columns + column);
          return /** @type {number[]} */ (points).map((point) => hexagon[point].join(" "));
        });
        parts.push(path("wall", `M${corners.flat().join("L")}`));
      }
    }
    if (["chequered", "felt", "frame"].includes(background)) {
      parts.push(path("border", `M${left} ${top}H${right}V${bottom}H${left}z`));
    }
    return group(background, ...parts);
  }

  /** Labels of columns and rows. */
  labels() {
    const { columns, rows, column_labels, row_labels } = this.picture;
    const parts = [];
    const last = this.isFlipped ? 0 : rows - 1;
    for (let column = 0; column < (column_labels?.length ?? 0); column++) {
      const [x] = this.centre(last * columns + column);
      parts.push(this.#label(x, this.bottom + 1.1 * this.labelSize, column_labels?.[column], "middle"));
    }
    for (let row = 0; row < (row_labels?.length ?? 0); row++) {
      const [x, y] = this.corner(row * columns + (this.isFlipped ? columns - 1 : 0));
      parts.push(this.#label(x - 0.35 * this.labelSize, y + S / 2 + 0.36 * this.labelSize, row_labels?.[row], "end"));
    }
    return group("labels", ...parts);
  }

  /**
   * @param {number} x
   * @param {number} y
   * @param {string | undefined} text
   * @param {string} anchor
   */
  #label(x, y, text, anchor) {
    const made = svgElement("text", { class: "label", x, y, "text-anchor": anchor, text });
    made.style.setProperty("font-size", `${this.labelSize}px`);
    return made;
  }

  /** Tints and the squares of the last move. */
  marks(/** @type {number[]} */ lastMove) {
    const { columns, tinted, highlighted } = this.picture;
    const square = (/** @type {(number | string)[]} */ place) => Number(place[1]) * columns + Number(place[0]);
    const parts = (tinted ?? []).map((place) => group(place[2], path("square", this.outline(square(place)))));
    const marked = new Set(lastMove.length ? lastMove : (highlighted ?? []).map(square));
    parts.push(...[...marked].map((each) => group(this.tone(each), path("mark", this.outline(each)))));
    return parts;
  }

  /** Dots and small labels in the corners, over the lines. */
  notes() {
    const { columns, dotted, corner_labels, tinted } = this.picture;
    const parts = (dotted ?? []).map(([column, row]) => {
      const [cx, cy] = this.centre(row * columns + column);
      return group(this.background, svgElement("circle", { class: "dot", cx, cy, r: 0.1 * S }));
    });
    const pale = new Set((tinted ?? []).map(([column, row]) => row * columns + column));
    for (const [column, row, text] of corner_labels ?? []) {
      const square = row * columns + column;
      const [x, y] = this.corner(square);
      parts.push(group(pale.has(square) ? "light" : this.tone(square), svgElement("text", { class: "note", x: x + 2.5, y: y + 9, text })));
    }
    return parts;
  }

  /** The style class of a square: light or dark on a chequered board, else the background. */
  tone(/** @type {number} */ square) {
    if (this.background !== "chequered") return this.background;
    const { columns } = this.picture;
    return (Math.floor(square / columns) + (square % columns)) % 2 ? "dark" : "light";
  }

  /** Texts that are equal where the pieces look the same, by square. */
  signatures() {
    const small = this.picture.corner_labels?.length ? "small" : "";
    return new Map(
      [...this.pieceAt].map(([square, { kind, colour = "", letter = "" }]) => [
        square,
        [kind, colour, letter, small].join(" "),
      ]),
    );
  }

  /** A piece, drawn on a square at the origin. */
  piece(/** @type {number} */ square) {
    const piece = this.pieceAt.get(square);
    return piece ? pieceElement(piece, this.picture.corner_labels?.length ? 0.38 : 0.4) : svgElement("g");
  }
}

/** A piece in words: "white pawn". */
export function pieceName(/** @type {Piece | undefined} */ piece) {
  if (!piece) return "";
  const kind = piece.kind === "crowned" ? "crowned disc" : piece.kind;
  return [piece.colour, kind, piece.letter].filter(Boolean).join(" ");
}

/**
 * A piece on a square of `SIZES.square` at the origin.
 *
 * @param {{kind: string, colour?: string, letter?: string}} piece
 * @param {number} [radius] Of a disc, as a fraction of the square.
 */
export function pieceElement({ kind, colour = "", letter = "" }, radius = 0.4) {
  return group(["piece", kind, colour].filter(Boolean).join(" "), ...pieceParts(kind, letter, radius));
}

/**
 * @param {string} kind
 * @param {string} letter
 * @param {number} radius
 */
function pieceParts(kind, letter, radius) {
  const half = S / 2;
  const shape = CHESS[kind];
  if (shape) {
    const circle = (/** @type {string} */ name) => (/** @type {number[]} */ [cx, cy, r]) => svgElement("circle", { class: name, cx, cy, r });
    const scaled = svgElement("g", { class: "chess", transform: `scale(${S / 100})` });
    scaled.append(
      ...shape.outlines.map((points) => svgElement("polygon", { class: "body", points })),
      ...shape.balls.map(circle("body")),
      ...shape.lines.map((points) => svgElement("polyline", { class: "detail", points })),
      ...shape.dots.map(circle("eye")),
    );
    return [scaled];
  }
  if (kind === "cross") {
    const [near, far] = [0.22 * S, 0.78 * S];
    return [path("stroke", `M${near} ${near}L${far} ${far}M${near} ${far}L${far} ${near}`)];
  }
  if (kind === "nought") return [svgElement("circle", { class: "stroke", cx: half, cy: half, r: 0.3 * S })];
  if (kind === "tile") {
    return [
      svgElement("rect", { class: "tile", x: 2, y: 2, width: S - 4, height: S - 4, rx: 3 }),
      svgElement("text", { class: "letter", x: half, y: half + 7, "text-anchor": "middle", text: letter }),
    ];
  }
  /** @type {SVGElement[]} */
  const parts = disc(half, half, radius * S);
  if (kind === "crowned") {
    const size = 0.21 * S;
    const corners = [[-1, 0.75], [-1.15, -0.55], [-0.5, 0.05], [0, -0.85], [0.5, 0.05], [1.15, -0.55], [1, 0.75]];
    const points = corners.map(([dx, dy]) => `${half + size * dx},${half + size * dy}`).join(" ");
    parts.push(svgElement("polygon", { class: "crown", points }));
  }
  return parts;
}

/**
 * A disc with its ring.
 *
 * @param {number} cx
 * @param {number} cy
 * @param {number} r
 */
export const disc = (cx, cy, r) => [
  svgElement("circle", { class: "disc", cx, cy, r }),
  svgElement("circle", { class: "ring", cx, cy, r: 0.72 * r }),
];

/**
 * @param {string} name
 * @param {...Node} parts
 */
export const group = (name, ...parts) => svgElement("g", { class: name }, ...parts);

/**
 * @param {string} name
 * @param {string} d
 */
export const path = (name, d) => svgElement("path", { class: name, d });
