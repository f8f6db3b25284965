// The evaluation of a position, term by term; a term's squares are shown on the board.

import { ApiError, post } from "/scripts/api.js";
import { element } from "/scripts/teaching/dom.js";

/**
 * @typedef {{ name: string, max: number | null, min: number | null, weights: number[], points: number,
 *   squares?: number[] }} Term
 */

export class Explanation {
  /**
   * @param {any} details the element that opens and closes
   * @param {HTMLElement} root where the table is drawn
   * @param {any} board the `zermelo-board` of the page
   */
  constructor(details, root, board) {
    this.details = details;
    this.root = root;
    this.board = board;
    details.addEventListener("toggle", () => this._load());
  }

  /** Explain another position. @param {any} request @param {any} position @param {string} evaluation */
  show(request, position, evaluation) {
    this.asked = { request, position, evaluation };
    this.isStale = true;
    this._load();
  }

  async _load() {
    const { asked } = this;
    if (!asked || !this.details.open || !this.isStale) return;
    this.isStale = false;
    if (asked.position.over) {
      this.root.replaceChildren(element("p", { class: "soft", text: "The game is over: its result counts, no evaluation." }));
      return;
    }
    try {
      const body = { ...asked.request, ...(asked.evaluation && { evaluation: asked.evaluation }) };
      const answer = await post("/api/explain", body);
      if (this.asked === asked) this._draw(answer, asked.position);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (this.asked === asked) this.root.replaceChildren(element("p", { class: "soft", text: error.message }));
    }
  }

  /** @param {any} answer @param {any} position */
  _draw(answer, position) {
    const heads = ["term", answer.players.max, answer.players.min, "weight", answer.unit];
    const rows = answer.terms
      .filter((/** @type {Term} */ term) => term.max === null || term.max || term.min)
      .map((/** @type {Term} */ term) => this._row(term, position));
    const cell = (/** @type {string} */ text, /** @type {number} */ index) =>
      element("th", { scope: "col", class: index ? "number" : null, text });
    const note = rows.some((/** @type {HTMLElement} */ row) => row.querySelector("button"))
      ? element("p", { class: "soft small", text: "Point at a term to see the pieces that it counts." })
      : null;
    this.root.replaceChildren(
      ...(note ? [note] : []),
      element(
        "table",
        { class: "terms" },
        element("thead", {}, element("tr", {}, ...heads.map(cell))),
        element("tbody", {}, ...rows),
        element(
          "tfoot",
          {},
          element("tr", {}, element("th", { scope: "row", colspan: "4", text: `${answer.evaluation}: ${answer.text}` }), element("td", { class: "number strong", text: signed(answer.score) })),
        ),
      ),
    );
  }

  /** @param {Term} term @param {any} position */
  _row(term, position) {
    const squares = term.squares ?? [];
    const cells = [term.max ?? "", term.min ?? "", term.weights.join(" / "), signed(term.points)];
    const light = () => this._light(position, squares);
    const dark = () => squares.length && this.board.show(position);
    const name = squares.length
      ? element("button", { type: "button", class: "quiet", text: term.name, onfocus: light, onblur: dark })
      : term.name;
    return element(
      "tr",
      { onpointerenter: light, onpointerleave: dark },
      element("th", { scope: "row" }, name),
      ...cells.map((text) => element("td", { class: "number", text: String(text) })),
    );
  }

  /** Tint a term's squares. @param {any} position @param {number[]} squares */
  _light(position, squares) {
    if (!squares.length || position.picture.kind !== "grid") return;
    const { columns, tinted = [] } = position.picture;
    const tints = squares.map((square) => [square % columns, Math.floor(square / columns), "sky"]);
    this.board.picture = { ...position.picture, tinted: [...tinted, ...tints] };
  }
}

/** @param {number} number */
function signed(number) {
  const text = Number.isInteger(number) ? String(Math.abs(number)) : Math.abs(number).toFixed(2);
  return number ? `${number < 0 ? "−" : "+"}${text}` : text;
}
