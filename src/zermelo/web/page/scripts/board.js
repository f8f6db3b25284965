// <zermelo-board>: a position on its board, and the choice of a legal move by pointer, touch or keyboard.
//
//     const board = document.querySelector("zermelo-board");
//     board.show(position);                 // the answer of POST /api/position
//     board.addEventListener("move", (event) => play(event.detail));

import { announce, element, svgElement } from "/scripts/teaching/dom.js";
import { GridView, group, path, pieceElement } from "./board_grid.js";
import { PathChoice, StepChoice, isButton, squaresOf } from "./board_moves.js";
import { OFF_SQUARE, PointsView } from "./board_points.js";
import { SIZES } from "./shapes.js";

/** @typedef {import("./board_moves.js").Move} Move */
/** @typedef {import("./board_grid.js").Grid | import("./board_points.js").Points | {kind: "text", lines: string[]}} Picture */
/** @typedef {{path: number[], colour?: string}} Arrow `colour`: "best", "good", "bad" or "hint". */
/** @typedef {{path?: number[], steps?: number[][], text: string, share?: number}} Value A move's value, best first. */

/** Larger boards have one focusable square instead of one each. */
const MAX_CELLS = 1024;
/** More moves without squares are not shown as buttons. */
const MAX_BUTTONS = 400;
/** Milliseconds that a piece takes for a step. */
const STEP_TIME = 160;
/** Screen pixels that a pointer moves before a piece is dragged. */
const DRAG_DISTANCE = 5;
const KEYS = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End"];
/** Pieces of a promotion by the letter after "=" in the notation. */
const PROMOTED = { Q: "queen", R: "rook", B: "bishop", N: "knight", K: "king" };

/** Whether pieces do not slide: the reader asks for less motion, or does not look. */
const isStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches || document.hidden;

/** Fires `move` with the chosen move as `detail`, and `square` with `{square, name}` while `picking`. */
export class ZermeloBoard extends HTMLElement {
  /** @type {Picture | null} */
  #picture = null;
  /** @type {Move[]} */
  #moves = [];
  /** @type {Move | {path?: number[], steps?: number[][], text?: string} | null} */
  #last = null;
  #view = "max";
  /** @type {Arrow[]} */
  #arrows = [];
  /** @type {Value[]} */
  #values = [];
  #isDisabled = false;
  #isPicking = false;

  /** @type {GridView | PointsView | null} */
  #board = null;
  /** @type {PathChoice | StepChoice} */
  #choice = new PathChoice([]);
  /** The square of the roving focus. */
  #current = 0;
  #isQueued = false;
  #areMovesNew = true;
  /** @type {Map<number, {signature: string, element: SVGElement}>} */
  #pieces = new Map();
  #groundKey = "";
  /** @type {Map<number, SVGElement>} */
  #cells = new Map();
  /** @type {{square: number, x: number, y: number, ghost: SVGElement | null, wasSelected: boolean} | null} */
  #press = null;

  /** The layers of the drawing, from the bottom up. @type {Record<string, SVGElement>} */
  #layers = {};
  #svg = svgElement("svg", { class: "zermelo-board", role: "grid", "aria-label": "Board", tabindex: -1 });
  #text = element("pre", { class: "board-text", tabindex: 0, role: "img", hidden: "" });
  #buttons = element("div", { class: "board-buttons", role: "group", "aria-label": "Moves", hidden: "" });
  #captions = element("div", { class: "board-captions" });
  #chooser = element("div", { class: "board-chooser", role: "dialog", "aria-label": "Choose a move", hidden: "" });
  #region = element("div", { class: "announcer", role: "status", "aria-live": "polite" });

  /** The picture of the position, as the server gives it. */
  get picture() {
    return this.#picture;
  }
  set picture(picture) {
    this.#picture = picture;
    this.#areMovesNew = true;
    this.#queue();
  }

  /** The legal moves; empty where nobody can move here. */
  get moves() {
    return this.#moves;
  }
  set moves(moves) {
    this.#moves = moves ?? [];
    this.#areMovesNew = true;
    this.#queue();
  }

  /** The last move, whose squares are marked and along which its piece moves. */
  get last() {
    return this.#last;
  }
  set last(last) {
    this.#last = last;
    this.#queue();
  }

  /** The side at the bottom: "max" or "min". */
  get view() {
    return this.#view;
  }
  set view(view) {
    this.#view = view;
    this.#queue();
  }

  get arrows() {
    return this.#arrows;
  }
  set arrows(arrows) {
    this.#arrows = arrows ?? [];
    this.#queue();
  }

  /** Values of moves, the best of the side to move first. */
  get values() {
    return this.#values;
  }
  set values(values) {
    this.#values = values ?? [];
    this.#queue();
  }

  get disabled() {
    return this.#isDisabled;
  }
  set disabled(isDisabled) {
    this.#isDisabled = Boolean(isDisabled);
    this.#areMovesNew = true;
    this.#queue();
  }

  /** Whether each square fires `square`, as for setting up a position, and no move is chosen. */
  get picking() {
    return this.#isPicking;
  }
  set picking(isPicking) {
    this.#isPicking = Boolean(isPicking);
    this.#areMovesNew = true;
    this.#queue();
  }

  /**
   * Show a position: picture, moves and last move.
   *
   * @param {{picture: Picture, moves?: Move[], last?: Move | null}} position
   */
  show({ picture, moves = [], last = null }) {
    this.picture = picture;
    this.moves = moves;
    this.last = last;
  }

  connectedCallback() {
    if (this.#svg.isConnected) return;
    for (const name of ["ground", "marks", "selection", "rules", "notes", "pieces", "hints", "values", "arrows", "labels", "cells", "drag"]) {
      this.#layers[name] = this.#svg.appendChild(svgElement("g", { class: `layer-${name}` }));
      if (name !== "cells") this.#layers[name].setAttribute("aria-hidden", "true");
    }
    this.#layers.cells.setAttribute("role", "presentation");
    this.append(this.#svg, this.#text, this.#captions, this.#buttons, this.#chooser, this.#region);
    const svg = this.#svg;
    svg.addEventListener("pointerdown", (event) => this.#down(event));
    svg.addEventListener("pointermove", (event) => this.#drag(event));
    svg.addEventListener("pointerup", (event) => this.#up(event));
    svg.addEventListener("pointercancel", () => this.#dropGhost());
    svg.addEventListener("pointerleave", () => this.#hover(null));
    svg.addEventListener("touchstart", (event) => this.#holdPage(event), { passive: false });
    svg.addEventListener("contextmenu", (event) => event.preventDefault()); // the right button draws arrows
    svg.addEventListener("keydown", (event) => this.#key(event));
    this.#chooser.addEventListener("keydown", (event) => this.#chooserKey(/** @type {KeyboardEvent} */ (event)));
    this.#queue();
  }

  focus() {
    this.#cells.get(this.#current)?.focus();
  }

  /** Draw once for all properties that were set together. */
  #queue() {
    if (this.#isQueued) return;
    this.#isQueued = true;
    queueMicrotask(() => {
      this.#isQueued = false;
      if (this.isConnected) this.#draw();
    });
  }

  // ---- drawing ---------------------------------------------------------------------------------------------------

  #draw() {
    const picture = this.#picture;
    if (!picture) return;
    const canMove = !this.#isDisabled && !this.#isPicking;
    if (this.#areMovesNew) this.#newChoice(picture, canMove ? this.#moves : []);
    this.#svg.toggleAttribute("hidden", picture.kind === "text");
    this.#text.hidden = picture.kind !== "text";
    if (picture.kind === "text") {
      this.#board = null;
      this.#text.textContent = picture.lines.join("\n");
      this.#text.setAttribute("aria-label", picture.lines.join(", "));
    } else {
      this.#drawBoard(picture);
    }
    const captions = ("captions" in picture && picture.captions) || [];
    this.#captions.replaceChildren(...captions.map((text) => element("p", { text })));
    this.#drawButtons(canMove);
  }

  /**
   * Begin a choice; one in progress goes on if position and moves are the same as before.
   *
   * @param {Picture} picture
   * @param {Move[]} moves
   */
  #newChoice(picture, moves) {
    this.#areMovesNew = false;
    const key = JSON.stringify([picture, moves]);
    if (key === this.#choiceKey) return;
    this.#choiceKey = key;
    this.#choice = picture.kind === "points" ? new StepChoice(moves, picture) : new PathChoice(moves);
    this.#drawn = [];
    this.#region.textContent = "";
    this.#closeChooser();
  }

  /** Position and moves of the choice; "" after a move was made. */
  #choiceKey = "";

  /** @param {import("./board_grid.js").Grid | import("./board_points.js").Points} picture */
  #drawBoard(picture) {
    const isFlipped = this.#view === "min";
    const isSame = this.#groundKey !== "";
    const shown = this.#choice instanceof StepChoice ? this.#choice.picture : picture;
    const board = shown.kind === "points" ? new PointsView(shown, isFlipped) : new GridView(shown, isFlipped);
    this.#board = board;
    const isNew = this.#groundKey !== board.key;
    if (isNew) {
      this.#groundKey = board.key;
      this.#svg.setAttribute("viewBox", `0 0 ${board.width.toFixed(1)} ${board.height.toFixed(1)}`);
      this.style.setProperty("--board-ratio", (board.width / board.height).toFixed(4));
      this.style.setProperty("--board-squares", (board.width / SIZES.square).toFixed(3));
      this.#layers.ground.replaceChildren(board.ground());
      this.#layers.rules.replaceChildren(board.rules());
      this.#layers.labels.replaceChildren(board.labels());
      this.#layers.pieces.replaceChildren();
      this.#pieces.clear();
      this.#drawCells(board);
    }
    const last = this.#last ? squaresOf(/** @type {Move} */ (this.#last)) : [];
    const isValid = (/** @type {number} */ square) => square >= 0 && square < board.count;
    this.#layers.marks.replaceChildren(...board.marks(last.filter(isValid)));
    this.#layers.notes.replaceChildren(...board.notes());
    if (board instanceof PointsView) this.#rollDice(board);
    this.#drawPieces(board, isSame && !isNew);
    this.#drawArrows(board);
    this.#drawSelection();
  }

  /** New dice tumble to their places. */
  #rollDice(/** @type {PointsView} */ board) {
    const dice = board.picture.dice.join(" ");
    const isNew = dice !== "" && this.#dice !== null && dice !== this.#dice;
    this.#dice = dice;
    if (!isNew || isStill()) return;
    for (const die of this.#layers.notes.querySelectorAll("g.die")) {
      const frames = [{ transform: "rotate(-250deg) scale(0.4)", opacity: 0 }, { transform: "rotate(20deg) scale(1.1)", opacity: 1, offset: 0.8 }, { transform: "none" }];
      die.animate(frames, { duration: 3 * STEP_TIME, easing: "ease-out" });
    }
  }

  /** The dice on the board. @type {string | null} */
  #dice = null;

  /**
   * Draw the pieces that changed.
   *
   * @param {GridView | PointsView} board
   * @param {boolean} isAnimated
   */
  #drawPieces(board, isAnimated) {
    const wanted = board.signatures();
    /** @type {[number, string, SVGElement][]} */
    const gone = [];
    /** @type {[number, string, SVGElement][]} */
    const come = [];
    for (const [square, { signature, element: piece }] of this.#pieces) {
      if (wanted.get(square) === signature) continue;
      piece.remove();
      gone.push([square, signature, piece]);
      this.#pieces.delete(square);
    }
    const added = [];
    for (const [square, signature] of wanted) {
      if (this.#pieces.has(square)) continue;
      const piece = board.piece(square);
      const [x, y] = board.corner(square);
      piece.setAttribute("transform", `translate(${x} ${y})`);
      this.#pieces.set(square, { signature, element: piece });
      added.push(piece);
      come.push([square, signature, piece]);
    }
    this.#layers.pieces.append(...added);
    if (!isAnimated) return;
    if (board instanceof GridView) this.#animate(board, gone, come);
    else if (come.length) this.#animateSteps(board, new Set(come.map(([square]) => square)));
  }

  /** Checkers of backgammon move over the board, one step after another. */
  #animateSteps(/** @type {PointsView} */ board, /** @type {Set<number>} Squares that changed. */ squares) {
    const steps = this.#last?.steps ?? [];
    const isOwn = this.#choice instanceof StepChoice && this.#choice.made.length > 0;
    if (isStill() || isOwn || this.#last === this.#shownLast) return;
    this.#shownLast = this.#last;
    const [, target = OFF_SQUARE] = steps.at(-1) ?? [];
    if (!squares.has(target) && target !== OFF_SQUARE) return; // taking back, or an earlier position
    const colour = board.colourOn(target);
    steps.forEach(([from, to], place) => {
      const checker = board.lifted(colour);
      checker.setAttribute("opacity", "0"); // until its step, and after it
      const at = (/** @type {number} */ square) => ({ transform: `translate(${board.centre(square).join("px, ")}px)`, opacity: 1 });
      this.#layers.drag.append(checker);
      const timing = { duration: 2 * STEP_TIME, delay: 2 * STEP_TIME * place, easing: "ease-in-out" };
      checker.animate([at(from), at(to)], timing).finished.then(() => checker.remove(), () => checker.remove());
    });
  }

  /** The last move of backgammon that was animated. @type {unknown} */
  #shownLast = null;

  /**
   * Move the pieces from where they were; captured ones fade.
   *
   * @param {GridView} board
   * @param {[number, string, SVGElement][]} gone
   * @param {[number, string, SVGElement][]} come
   */
  #animate(board, gone, come) {
    if (isStill() || gone.length + come.length > 40) return;
    const at = (/** @type {number} */ square) => {
      const [x, y] = board.corner(square);
      return `translate(${x}px, ${y}px)`;
    };
    const route = this.#last?.path ?? [];
    const left = new Map(gone.map((each) => [each[0], each]));
    for (const [square, signature, piece] of come) {
      const isMoved = route.length > 1 && route[route.length - 1] === square && left.has(route[0]);
      const from = isMoved ? route[0] : gone.find(([other, same]) => same === signature && left.has(other))?.[0];
      const before = left.get(square);
      if (from !== undefined && from !== square) {
        left.delete(from);
        const stops = isMoved ? route : [from, square];
        if (this.#dropped !== square) {
          piece.parentNode?.append(piece);
          piece.animate(stops.map((stop) => ({ transform: at(stop) })), { duration: STEP_TIME * (stops.length - 1), easing: "ease-in-out" });
        }
      } else if (before) {
        left.delete(square); // a disc that is turned over
        const turned = (/** @type {number} */ x, /** @type {number} */ width) => ({ transform: `${at(square)} translateX(${x}px) scaleX(${width})` });
        piece.animate([turned(SIZES.square / 2, 0.02), turned(0, 1)], { duration: STEP_TIME });
      } else if (board.background === "frame") {
        const [x] = board.corner(square);
        piece.animate([{ transform: `translate(${x}px, ${-45}px)` }, { transform: at(square) }], { duration: 2.2 * STEP_TIME, easing: "cubic-bezier(0.5, 0, 0.9, 0.6)" });
      } else {
        piece.animate([{ opacity: 0 }, { opacity: 1 }], { duration: STEP_TIME });
      }
    }
    this.#dropped = null;
    for (const [, , piece] of left.values()) {
      this.#layers.pieces.prepend(piece);
      piece.animate([{ opacity: 1 }, { opacity: 0 }], { duration: STEP_TIME }).finished.then(() => piece.remove(), () => piece.remove());
    }
  }

  /** The square on which a piece was dropped: it does not move there again. @type {number | null} */
  #dropped = null;

  /** The selection, the squares that can be chosen, and the values of the moves. */
  #drawSelection() {
    const board = this.#board;
    if (!board) return;
    const { selected, targets, ends } = this.#choice;
    const chosen = this.#choice instanceof PathChoice ? this.#choice.chosen : selected === null ? [] : [selected];
    this.#layers.selection.replaceChildren(...chosen.map((square) => path("selected", board.outline(square))));
    const places = this.#choice.moves.every((move) => move.path?.length === 1);
    const isCrowded = places && targets.size > 0.7 * (board.count - this.#pieces.size);
    const isShown = selected !== null || (places && !isCrowded) || (this.#choice instanceof StepChoice && this.#choice.made.length > 0);
    const hints = isShown ? new Set([...targets, ...ends]) : new Set();
    this.#layers.hints.replaceChildren(...[...hints].map((square) => this.#hint(board, square)));
    this.#drawValues(board);
    for (const [square, cell] of this.#cells) {
      const isTarget = targets.has(square) || ends.has(square) || this.#isPicking;
      cell.classList.toggle("legal", isTarget || this.#choice.canStart(square));
      cell.setAttribute("aria-selected", String(chosen.includes(square)));
      cell.setAttribute("aria-label", this.#spoken(square, targets));
    }
    if (this.#cells.size === 1) this.#focusable(this.#current);
  }

  /** A dot, or a ring around a piece. */
  #hint(/** @type {GridView | PointsView} */ board, /** @type {number} */ square) {
    const [cx, cy] = board.centre(square);
    const isTaken = board instanceof GridView && board.pieceAt.has(square);
    return svgElement("circle", { class: isTaken ? "hint taken" : "hint", cx, cy, r: isTaken ? 19.5 : 6.5 });
  }

  /** The value of the best move to each square, or from each square where nothing is selected. */
  #drawValues(/** @type {GridView | PointsView} */ board) {
    const { selected } = this.#choice;
    /** @type {Map<number, Value>} */
    const best = new Map();
    for (const value of this.#values) {
      const squares = squaresOf(/** @type {any} */ (value));
      if (!squares.length || (selected !== null && squares[0] !== selected)) continue;
      const square = selected === null ? squares[0] : squares[squares.length - 1];
      if (!best.has(square)) best.set(square, value);
    }
    let isBest = true;
    const parts = [];
    for (const [square, { text, share }] of best) {
      const [x, middle] = board.centre(square);
      const isTaken = board instanceof GridView && board.pieceAt.has(square);
      const y = isTaken ? middle + 14.5 : middle; // below the piece
      const high = isTaken ? 15 : 20;
      const size = (isTaken ? 11 : 13) - Math.max(0, text.length - 5);
      const width = Math.max(24, 0.62 * size * text.length + 7);
      const chip = group(isBest ? "value best" : "value", svgElement("rect", { class: "chip", x: x - width / 2, y: y - high / 2, width, height: high, rx: 4 }));
      if (share !== undefined) chip.append(svgElement("rect", { class: "share", x: x - width / 2 + 3, y: y + high / 2 - 3.5, width: (width - 6) * Math.min(1, Math.max(0, share)), height: 2 }));
      const label = svgElement("text", { class: "chip-text", x, y: y + (isTaken ? 2.5 : 4), "text-anchor": "middle", text });
      label.style.setProperty("font-size", `${size}px`);
      chip.append(label);
      parts.push(chip);
      isBest = false;
    }
    this.#layers.values.replaceChildren(...parts);
  }

  #drawArrows(/** @type {GridView | PointsView} */ board) {
    const parts = [...this.#arrows, ...this.#drawn].filter(({ path: squares }) => squares?.length).map(({ path: squares, colour = "best" }) => {
      const [x1, y1] = board.centre(squares[0]);
      if (squares.length === 1) return svgElement("circle", { class: `arrow ring-arrow ${colour}`, cx: x1, cy: y1, r: 19.5 });
      const points = squares.map((square) => board.centre(square));
      const [x2, y2] = points[points.length - 1];
      const [x0, y0] = points[points.length - 2];
      const length = Math.hypot(x2 - x0, y2 - y0) || 1;
      const [dx, dy] = [(x2 - x0) / length, (y2 - y0) / length];
      const end = [x2 - 12 * dx, y2 - 12 * dy];
      const line = [...points.slice(0, -1), end].map((point) => point.map((each) => each.toFixed(1)).join(" ")).join("L");
      const head = [[x2, y2], [end[0] - 3 * dx - 9 * dy, end[1] - 3 * dy + 9 * dx], [end[0] - 3 * dx + 9 * dy, end[1] - 3 * dy - 9 * dx]];
      return group(`arrow ${colour}`, path("shaft", `M${line}`), svgElement("polygon", { class: "head", points: head.join(" ") }));
    });
    this.#layers.arrows.replaceChildren(...parts);
  }

  /** Moves that name no squares, as buttons; of a text board all moves. */
  #drawButtons(/** @type {boolean} */ canMove) {
    const moves = canMove ? this.#moves.filter((move) => !this.#board || isButton(move)) : [];
    const buttons = moves.slice(0, MAX_BUTTONS).map((move) =>
      element("button", { type: "button", text: move.text, onclick: () => this.#fire(move) }),
    );
    if (this.#choice instanceof StepChoice && this.#choice.made.length) {
      buttons.push(element("button", { type: "button", class: "quiet", text: "Take back the step", onclick: () => this.#clear() }));
    }
    this.#buttons.replaceChildren(...buttons);
    this.#buttons.hidden = !buttons.length;
  }

  // ---- squares for keyboard and screen readers --------------------------------------------------------------------

  #drawCells(/** @type {GridView | PointsView} */ board) {
    this.#cells.clear();
    this.#current = Math.min(this.#current, board.count - 1);
    const lines = board.count > MAX_CELLS ? [[this.#current]] : board.lines;
    const rows = lines.map((squares) => {
      const cells = squares.map((square) => {
        const cell = path("cell", board.outline(square));
        cell.setAttribute("role", "gridcell");
        cell.setAttribute("tabindex", square === this.#current ? "0" : "-1");
        this.#cells.set(square, cell);
        return cell;
      });
      const row = svgElement("g", { role: "row" });
      row.append(...cells);
      return row;
    });
    this.#layers.cells.replaceChildren(...rows);
  }

  /** Give a square the roving focus; return its element. */
  #focusable(/** @type {number} */ square) {
    const board = this.#board;
    let cell = this.#cells.get(square);
    if (!cell && board) {
      [[, cell]] = this.#cells;
      this.#cells = new Map([[square, cell]]);
      cell.setAttribute("d", board.outline(square));
      cell.setAttribute("aria-label", this.#spoken(square));
    }
    this.#cells.get(this.#current)?.setAttribute("tabindex", "-1");
    this.#current = square;
    cell?.setAttribute("tabindex", "0");
    return cell;
  }

  /**
   * @param {number} square
   * @param {Set<number>} [targets]
   */
  #spoken(square, targets = this.#choice.targets) {
    const { ends, selected } = this.#choice;
    const words = [this.#board?.spoken(square)];
    if (selected !== null && (targets.has(square) || ends.has(square))) words.push("can move here");
    else if (selected === null && targets.has(square)) words.push("can move");
    const value = this.#values.find((each) => squaresOf(/** @type {any} */ (each)).at(-1) === square);
    if (value) words.push(`value ${value.text}`);
    return words.join(", ");
  }

  #key(/** @type {KeyboardEvent} */ event) {
    const board = this.#board;
    if (!board || event.ctrlKey || event.metaKey || event.altKey) return;
    if (KEYS.includes(event.key)) {
      this.#focusable(board.neighbour(this.#current, event.key))?.focus();
    } else if (event.key === "Enter" || event.key === " ") {
      this.#choose(this.#current);
    } else if (event.key === "Escape") {
      this.#clear();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // ---- choosing ----------------------------------------------------------------------------------------------------

  #choose(/** @type {number} */ asked) {
    const board = this.#board;
    if (!board || this.#isDisabled) return;
    if (this.#isPicking) {
      this.dispatchEvent(new CustomEvent("square", { bubbles: true, detail: { square: asked, name: board.squareName(asked) } }));
      return;
    }
    const before = this.#choice.selected;
    const square = board.meant(asked, this.#choice.targets);
    const { moves } = this.#choice.choose(square);
    if (moves.length === 1) this.#fire(moves[0]);
    else if (moves.length) this.#openChooser(moves, square);
    else if (this.#choice.selected !== before) {
      const names = [...this.#choice.targets].slice(0, 30).map((each) => board.squareName(each));
      const name = this.#choice.selected === null ? "" : board.squareName(this.#choice.selected);
      announce(this.#region, name ? `${name} selected: ${names.join(", ")}` : "nothing selected");
    }
    this.#redraw();
  }

  #clear() {
    this.#choice.clear();
    this.#region.textContent = "";
    this.#closeChooser();
    this.#redraw();
  }

  /** Steps of a backgammon move change the board; other selections do not. */
  #redraw() {
    if (this.#choice instanceof StepChoice) this.#draw();
    else this.#drawSelection();
  }

  #fire(/** @type {Move} */ move) {
    this.#closeChooser();
    this.#region.textContent = ""; // what was selected has moved
    this.#choiceKey = "";
    this.dispatchEvent(new CustomEvent("move", { bubbles: true, detail: move }));
  }

  /** A choice between moves that end on the same square: a promotion. */
  #openChooser(/** @type {Move[]} */ moves, /** @type {number} */ square) {
    const board = this.#board;
    if (!board) return;
    const [x, y] = board.centre(square);
    const source = moves[0].path?.[0];
    const colour = board instanceof GridView && source !== undefined ? board.pieceAt.get(source)?.colour : "";
    const buttons = moves.slice(0, MAX_BUTTONS).map((move) => {
      const kind = colour ? PROMOTED[/=([QRBNK])/.exec(move.text)?.[1] ?? ""] : undefined;
      const button = element("button", { type: "button", onclick: () => this.#fire(move) });
      if (kind) {
        button.append(svgElement("svg", { class: "zermelo-board", viewBox: "0 0 45 45", "aria-hidden": "true" }, pieceElement({ kind, colour })));
        button.setAttribute("aria-label", `${move.text}, ${kind}`);
        button.title = move.text;
      } else button.textContent = move.text;
      return button;
    });
    this.#chooser.replaceChildren(...buttons);
    this.#chooser.style.setProperty("top", `${(this.#svg.clientHeight * y) / board.height}px`);
    this.#chooser.dataset.side = y > board.height / 2 ? "low" : "high";
    this.#chooser.hidden = false;
    // All of it is within the board, beside squares at the edge too.
    const width = this.#svg.clientWidth;
    const half = Math.min(this.#chooser.offsetWidth, width) / 2;
    const left = Math.min(Math.max((width * x) / board.width, half), width - half);
    this.#chooser.style.setProperty("left", `${left}px`);
    buttons[0].focus();
  }

  #closeChooser() {
    if (this.#chooser.hidden) return;
    const hadFocus = this.#chooser.contains(document.activeElement);
    this.#chooser.hidden = true;
    if (hadFocus) this.focus();
  }

  #chooserKey(/** @type {KeyboardEvent} */ event) {
    const buttons = [...this.#chooser.querySelectorAll("button")];
    const place = buttons.indexOf(/** @type {HTMLButtonElement} */ (document.activeElement));
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
    if (event.key === "Escape") this.#clear();
    else if (step) buttons[(place + step + buttons.length) % buttons.length].focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  // ---- pointers ----------------------------------------------------------------------------------------------------

  /** The point of the drawing under a pointer. */
  #point(/** @type {{clientX: number, clientY: number}} */ { clientX, clientY }) {
    const box = this.#svg.getBoundingClientRect();
    const board = /** @type {GridView | PointsView} */ (this.#board);
    const scale = board.width / box.width;
    return [(clientX - box.left) * scale, (clientY - box.top) * scale];
  }

  #squareUnder(/** @type {{clientX: number, clientY: number}} */ event) {
    const [x, y] = this.#point(event);
    return this.#board?.squareAt(x, y) ?? null;
  }

  #down(/** @type {PointerEvent} */ event) {
    if (!this.#board || !event.isPrimary) return;
    const square = this.#squareUnder(event);
    this.#arrowStart = event.button === 2 ? square : null;
    if (square === null || event.button !== 0) return;
    this.#setDrawn([]);
    this.#closeChooser();
    const wasSelected = this.#choice.selected === square;
    this.#press = { square, x: event.clientX, y: event.clientY, ghost: null, wasSelected };
    this.#focusable(square)?.focus({ preventScroll: true });
    const isStart = this.#choice.canStart(square) && !this.#choice.targets.has(square);
    const isFirst = this.#choice.selected === null && this.#choice.canStart(square);
    if (!this.#isPicking && !wasSelected && (isStart || isFirst) && !this.#choice.ends.has(square)) {
      if (isStart && this.#choice.selected !== null && this.#choice instanceof PathChoice) this.#choice.clear();
      this.#choose(square);
    }
    event.preventDefault();
  }

  #drag(/** @type {PointerEvent} */ event) {
    const board = this.#board;
    if (!board) return;
    const press = this.#press;
    if (!press) {
      if (event.pointerType === "mouse") this.#hover(this.#squareUnder(event));
      return;
    }
    if (!press.ghost) {
      if (Math.hypot(event.clientX - press.x, event.clientY - press.y) < DRAG_DISTANCE) return;
      if (this.#choice.selected !== press.square || !this.#choice.canStart(press.square)) return;
      press.ghost = this.#lift(board, press.square);
      this.#svg.setPointerCapture(event.pointerId);
    }
    const [x, y] = this.#point(event);
    press.ghost.setAttribute("transform", `translate(${x} ${y})`);
    this.#hover(this.#squareUnder(event));
  }

  /** A copy of the piece that follows the pointer, around the origin. */
  #lift(/** @type {GridView | PointsView} */ board, /** @type {number} */ square) {
    let piece;
    if (board instanceof PointsView) piece = board.lifted();
    else {
      piece = group("", board.piece(square));
      piece.firstElementChild?.setAttribute("transform", "scale(1.12) translate(-22.5 -22.5)");
      this.#pieces.get(square)?.element.classList.add("lifted");
    }
    this.#layers.drag.replaceChildren(piece);
    return /** @type {SVGElement} */ (piece);
  }

  #up(/** @type {PointerEvent} */ event) {
    if (event.button === 2) this.#drawArrow(this.#squareUnder(event));
    const press = this.#press;
    if (!press || !this.#board) return;
    const square = this.#squareUnder(event);
    const wasDragged = press.ghost !== null;
    this.#dropGhost();
    if (square === null) return;
    if (wasDragged) {
      if (square === press.square) return;
      const { targets, ends } = this.#choice;
      if (!targets.has(square) && !ends.has(square)) return;
      this.#dropped = square;
      this.#focusable(square)?.focus({ preventScroll: true });
      this.#choose(square);
    } else if (square === press.square) {
      const wasJustSelected = this.#choice.selected === square && !press.wasSelected;
      if (!wasJustSelected || this.#isPicking) this.#choose(square);
    }
  }

  /** Draw an arrow of the reader's own from where the right button was pressed, or remove it. */
  #drawArrow(/** @type {number | null} */ end) {
    const start = this.#arrowStart;
    if (start === null || end === null) return;
    const path = start === end ? [start] : [start, end];
    const rest = this.#drawn.filter((arrow) => arrow.path.join() !== path.join());
    this.#setDrawn(rest.length < this.#drawn.length ? rest : [...rest, { path, colour: "drawn" }]);
  }

  #setDrawn(/** @type {Arrow[]} */ arrows) {
    if (!arrows.length && !this.#drawn.length) return;
    this.#drawn = arrows;
    if (this.#board) this.#drawArrows(this.#board);
  }

  /** Arrows that the reader drew. @type {Arrow[]} */
  #drawn = [];
  /** Where the right button was pressed. @type {number | null} */
  #arrowStart = null;

  #dropGhost() {
    if (this.#press) this.#pieces.get(this.#press.square)?.element.classList.remove("lifted");
    this.#press = null;
    this.#layers.drag.replaceChildren();
    this.#hover(null);
  }

  /** Mark the square under the pointer if it can be chosen. */
  #hover(/** @type {number | null} */ square) {
    const board = this.#board;
    const { targets, ends } = this.#choice;
    const meant = board && square !== null ? board.meant(square, targets) : null;
    const canChoose = meant !== null && (targets.has(meant) || ends.has(meant) || this.#choice.canStart(meant) || this.#isPicking);
    this.#svg.classList.toggle("pointing", canChoose);
    const old = this.#layers.selection.querySelector(".hovered");
    old?.remove();
    if (board && meant !== null && canChoose) this.#layers.selection.append(path("hovered", board.outline(meant)));
  }

  /** A page does not scroll under a piece that is dragged. */
  #holdPage(/** @type {TouchEvent} */ event) {
    if (!this.#board || event.touches.length !== 1) return;
    const square = this.#squareUnder(event.touches[0]);
    if (square !== null && (this.#choice.canStart(square) || this.#choice.selected !== null)) event.preventDefault();
  }
}

customElements.define("zermelo-board", ZermeloBoard);
