// The set-up editor: pieces put on the board one by one, the side to move, or a position as text.

import { ApiError, post } from "/scripts/api.js";
import { pieceElement, pieceName } from "/scripts/board_grid.js";
import { element, svgElement } from "/scripts/teaching/dom.js";

/** @typedef {{ name: string, on: boolean, group?: string }} Option */
/** @typedef {{ column: number, row: number, kind: string, colour?: string, letter?: string }} Piece */

export class SetupEditor {
  /**
   * @param {HTMLElement} root where the controls are drawn
   * @param {any} board the `zermelo-board` of the page
   * @param {{ done: (position: string) => void, closed: () => void, announce: (text: string) => void }} page
   */
  constructor(root, board, page) {
    this.root = root;
    this.board = board;
    this.page = page;
    this.isOpen = false;
    board.addEventListener("square", (/** @type {CustomEvent} */ { detail }) => this.isOpen && this._place(detail.square));
  }

  /**
   * Begin with a position.
   * @param {any} game the game's entry of the catalogue @param {any} position
   */
  async open(game, position) {
    this.game = game;
    this.base = position.position;
    this.text = position.position;
    this.turn = position.turn === "min" ? "min" : "max";
    this.picture = position.picture;
    /** @type {Map<string, Piece>} */
    this.pieces = new Map();
    /** @type {Piece | null} the sort that a click puts on the board; null removes */
    this.sort = null;
    const { pieces, options } = await post("/api/setup", { game: game.name, position: this.base });
    this._offer(options);
    this.sorts = /** @type {Piece[]} */ (pieces);
    if (this.sorts.length) {
      this._load(position.picture);
      this.sort = this.sorts[0];
      this.board.picking = true;
    }
    this.isOpen = true;
    this._draw();
  }

  close() {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.board.picking = false;
    this.root.replaceChildren();
    this.page.closed();
  }

  /** @param {any} picture */
  _load(picture) {
    this.picture = picture;
    this.pieces = new Map((picture.pieces ?? []).map((/** @type {Piece} */ piece) => [`${piece.column},${piece.row}`, piece]));
  }

  /**
   * The options of another position. What is on stays wanted while pieces are moved, also where they do not allow it.
   * @param {Option[]} options
   */
  _offer(options) {
    /** @type {Option[]} */
    this.options = options;
    /** @type {Set<string>} */
    this.wanted = new Set(options.filter(({ on }) => on).map(({ name }) => name));
  }

  /** Put the chosen piece on a square, or take the same one away. @param {number} square */
  _place(square) {
    const [column, row] = [square % this.picture.columns, Math.floor(square / this.picture.columns)];
    const key = `${column},${row}`;
    const there = this.pieces?.get(key);
    if (!this.sort || (there && isSame(there, this.sort))) this.pieces?.delete(key);
    else this.pieces?.set(key, { ...this.sort, column, row });
    const placed = this.pieces?.get(key);
    this.page.announce(placed ? pieceName(placed) : "empty");
    this._changed();
  }

  /** Show the pieces, and ask whether they are a position. */
  async _changed() {
    const pieces = [...(this.pieces?.values() ?? [])];
    this.board.picture = { ...this.picture, pieces, dotted: [], highlighted: [], captions: [] };
    this.board.last = null;
    const asked = (this.asked = {});
    try {
      const body = { game: this.game.name, position: this.base, pieces, turn: this.turn, options: [...(this.wanted ?? [])] };
      const answer = await post("/api/setup/position", body);
      if (this.asked !== asked) return;
      this.text = answer.position;
      this._tell(answer.turn === this.turn ? "" : `With these pieces ${this._player(answer.turn)} moves.`);
      this.turn = answer.turn;
      this.options = answer.options;
      this._drawOptions();
      if (this.side) this.side.value = this.turn;
      if (this.field) this.field.value = this.text;
      if (this.button) this.button.disabled = false;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (this.asked !== asked) return;
      if (this.field) this.field.value = "";
      this._refuse(error.message);
    }
  }

  /** @param {string} side */
  _player(side) {
    return this.game.players[side === "min" ? 1 : 0];
  }

  /** @param {string} text */
  _tell(text) {
    if (!this.status) return;
    this.status.className = "status small";
    this.status.textContent = text;
  }

  /** @param {string} message */
  _refuse(message) {
    if (this.status) {
      this.status.className = "status error";
      this.status.textContent = message;
    }
    if (this.button) this.button.disabled = true;
  }

  _draw() {
    const hasPieces = (this.sorts?.length ?? 0) > 0;
    this.status = element("p", { class: "status small", role: "status" });
    this.button = element("button", { type: "button", class: "primary", text: "Analyse this position", onclick: () => this._done() });
    this.field = element("input", { type: "text", class: "mono grow", spellcheck: "false", autocomplete: "off", maxlength: "20000" });
    this.field.value = this.text ?? "";
    this.field.addEventListener("change", () => this._read());
    const form = element(
      "form",
      { class: "row", onsubmit: (/** @type {Event} */ event) => (event.preventDefault(), this._read()) },
      element("label", { class: "grow" }, "Position as text", this.field),
    );
    this.side = null;
    this.choices = element("fieldset", { class: "setup-options", "aria-label": "Castling and other rights", hidden: "" });
    if (hasPieces) {
      this.side = element("select", { "aria-label": "Side to move", onchange: () => this._turnChosen() });
      for (const side of ["max", "min"]) this.side.append(element("option", { value: side, text: `${capitalised(this._player(side))} to move` }));
      this.side.value = this.turn ?? "max";
    }
    this.root.replaceChildren(
      element("h2", { text: "Set up a position" }),
      ...(hasPieces
        ? [
            element("p", { class: "soft small", text: "Choose a piece, then click squares; a second click removes it." }),
            this._palette(),
            element(
              "div",
              { class: "row" },
              /** @type {HTMLElement} */ (this.side),
              element("button", { type: "button", text: "Empty board", onclick: () => (this.pieces?.clear(), this._changed()) }),
              element("button", { type: "button", text: "Initial position", onclick: () => this._read("") }),
            ),
            this.choices,
          ]
        : [element("p", { class: "soft small", text: "Positions of this game are given as text." })]),
      form,
      this.status,
      element(
        "div",
        { class: "row" },
        this.button,
        element("button", { type: "button", text: "Cancel", onclick: () => this.close() }),
      ),
    );
    this._drawOptions();
    /** @type {HTMLElement | null} */ (this.root.querySelector("input, button"))?.focus({ preventScroll: true });
  }

  /** Check boxes for what the pieces allow: castling rights, an en passant square. */
  _drawOptions() {
    const { choices, options = [] } = this;
    if (!choices) return;
    const key = JSON.stringify(options);
    if (choices.dataset.key === key) return;
    choices.dataset.key = key;
    const focused = document.activeElement instanceof HTMLInputElement && choices.contains(document.activeElement) ? document.activeElement.value : null;
    choices.hidden = options.length === 0;
    choices.replaceChildren(
      ...options.map(({ name, on, group }) => {
        const box = element("input", { type: "checkbox", value: name, checked: on && "", onchange: () => this._choose(name, group ?? "", box.checked) });
        return element("label", { class: "row" }, box, element("span", { text: name }));
      }),
    );
    if (focused !== null) [...choices.querySelectorAll("input")].find(({ value }) => value === focused)?.focus();
  }

  /** @param {string} name @param {string} group @param {boolean} isOn */
  _choose(name, group, isOn) {
    if (group) for (const other of this.options ?? []) if (other.group === group) this.wanted?.delete(other.name);
    if (isOn) this.wanted?.add(name);
    else this.wanted?.delete(name);
    this._changed();
  }

  _palette() {
    const group = element("div", { class: "palette", role: "radiogroup", "aria-label": "Piece to put on the board" });
    for (const sort of [...(this.sorts ?? []), null]) {
      const radio = element("input", { type: "radio", name: "piece", onchange: () => (this.sort = sort) });
      radio.checked = sort === this.sort;
      const name = sort ? pieceName(sort) : "remove";
      const drawing = sort
        ? svgElement("svg", { class: "zermelo-board", viewBox: "0 0 45 45", "aria-hidden": "true" }, pieceElement(sort))
        : element("span", { "aria-hidden": "true", text: "✕" });
      group.append(element("label", { class: "sort", title: name }, radio, drawing, element("span", { class: "off-screen", text: name })));
    }
    return group;
  }

  _turnChosen() {
    this.turn = this.side?.value ?? "max";
    this._changed();
  }

  /** Read the position of the text field, or another text. @param {string} [text] */
  async _read(text = this.field?.value.trim() ?? "") {
    try {
      const position = await post("/api/position", { game: this.game.name, position: text, moves: [] });
      this.text = this.base = position.position;
      this.turn = position.turn === "min" ? "min" : "max";
      if (this.side) this.side.value = this.turn;
      if (this.field) this.field.value = this.text;
      if (this.sorts?.length) {
        this._load(position.picture);
        this._offer((await post("/api/setup", { game: this.game.name, position: this.base })).options);
        this._drawOptions();
      }
      this.board.picture = position.picture;
      this.board.last = null;
      if (this.button) this.button.disabled = false;
      this._tell("");
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this._refuse(error.message);
    }
  }

  _done() {
    const text = this.text ?? "";
    this.close();
    this.page.done(text);
  }
}

/** A name at the beginning of a sentence. @param {string} name */
export const capitalised = (name) => name.charAt(0).toUpperCase() + name.slice(1);

/** @param {Piece} one @param {Piece} other */
function isSame(one, other) {
  return one.kind === other.kind && (one.colour ?? "") === (other.colour ?? "") && (one.letter ?? "") === (other.letter ?? "");
}
