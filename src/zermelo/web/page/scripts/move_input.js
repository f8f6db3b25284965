// <zermelo-move-input>: a field for moves in notation, completed from the legal moves.
//
//     const field = document.querySelector("zermelo-move-input");
//     field.moves = position.moves;
//     field.addEventListener("move", (event) => play(event.detail));

import { element } from "/scripts/teaching/dom.js";

/** @typedef {import("./board_moves.js").Move} Move */

/** Completions offered at once. */
const MAX_OFFERED = 60;
let made = 0;

/** A move's text without what readers leave out: spaces, and signs of check and comment. */
const plain = (/** @type {string} */ text) => text.replace(/[\s+#!?]/g, "").replace(/^0-0(-0)?/, (castling) => castling.replaceAll("0", "O"));

/**
 * The legal moves that a text means: those equal to it, else equal but for case, else the only one that it begins.
 *
 * @param {Move[]} moves
 * @param {string} typed
 */
export function matching(moves, typed) {
  const text = plain(typed);
  if (!text) return [];
  const exact = moves.filter((move) => move.text === typed.trim());
  if (exact.length) return exact;
  const equal = moves.filter((move) => plain(move.text) === text);
  if (equal.length) return equal;
  const lower = text.toLowerCase();
  const alike = moves.filter((move) => plain(move.text).toLowerCase() === lower);
  if (alike.length) return alike;
  const begun = moves.filter((move) => plain(move.text).toLowerCase().startsWith(lower));
  return begun.length === 1 ? begun : [];
}

/** Fires `move` with the typed move as `detail`. */
export class ZermeloMoveInput extends HTMLElement {
  /** @type {Move[]} */
  #moves = [];
  #offered = element("datalist", { id: `moves-${++made}` });
  #problem = element("p", { class: "error small", id: `moves-problem-${made}`, role: "alert" });
  #field = /** @type {HTMLInputElement} */ (
    element("input", {
      type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: 200, enterkeyhint: "go",
      list: `moves-${made}`, "aria-describedby": `moves-problem-${made}`,
    })
  );

  /** The legal moves. */
  get moves() {
    return this.#moves;
  }
  set moves(moves) {
    this.#moves = moves ?? [];
    this.#field.value = "";
    this.#complain("");
    this.#offer();
  }

  get disabled() {
    return this.#field.disabled;
  }
  set disabled(isDisabled) {
    this.#field.disabled = Boolean(isDisabled);
  }

  connectedCallback() {
    if (this.#field.isConnected) return;
    const submit = (/** @type {Event} */ event) => {
      event.preventDefault();
      this.#enter();
    };
    const label = element("label", { class: "grow" }, this.getAttribute("label") ?? "Type a move", this.#field);
    this.append(element("form", { class: "move-form", onsubmit: submit }, label, element("button", { text: "Move" })), this.#problem, this.#offered);
    this.#field.addEventListener("input", () => {
      this.#complain("");
      this.#offer();
    });
    this.#offer();
  }

  focus() {
    this.#field.focus();
  }

  #offer() {
    const begin = plain(this.#field.value).toLowerCase();
    const fitting = this.#moves.filter((move) => plain(move.text).toLowerCase().startsWith(begin));
    this.#offered.replaceChildren(...fitting.slice(0, MAX_OFFERED).map((move) => element("option", { value: move.text })));
  }

  #enter() {
    const typed = this.#field.value.trim();
    if (!typed || this.disabled) return;
    const found = matching(this.#moves, typed);
    if (!found.length) {
      const example = this.#moves.length ? `; legal are ${this.#moves.slice(0, 3).map((move) => move.text).join(", ")}${this.#moves.length > 3 ? ", …" : ""}` : "";
      this.#complain(`not a legal move: ${typed}${example}`);
      return;
    }
    this.#field.value = "";
    this.#offer();
    this.dispatchEvent(new CustomEvent("move", { bubbles: true, detail: found[0] }));
  }

  /** @param {string} text The problem; "" if there is none. */
  #complain(text) {
    this.#problem.textContent = text;
    if (text) this.#field.setAttribute("aria-invalid", "true");
    else this.#field.removeAttribute("aria-invalid");
  }
}

customElements.define("zermelo-move-input", ZermeloMoveInput);
