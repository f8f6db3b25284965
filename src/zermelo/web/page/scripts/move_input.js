// <zermelo-move-input>: a field for moves in notation, completed from the legal moves.
//
//     const field = document.querySelector("zermelo-move-input");
//     field.moves = position.moves;
//     field.addEventListener("move", (event) => play(event.detail));
//     field.read = async (typed) => nameOnTheServer(typed);  // optional: other notations, such as e2e4

import { element } from "/scripts/teaching/dom.js";

/** @typedef {import("./board_moves.js").Move} Move */

/** Characters of a refusal that are shown. */
const MAX_REFUSAL = 200;
/** Completions offered at once. */
const MAX_OFFERED = 60;
let made = 0;

/** A refusal of the server: without the place of the move in the request, and of a long list of moves the first. */
function shortened(/** @type {string} */ message) {
  const text = message.replace(/^moves\[\d+\]: /, "");
  return text.length > MAX_REFUSAL ? `${text.slice(0, MAX_REFUSAL).replace(/\S*$/, "")}…` : text;
}

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
  /**
   * Reads a text that is the name of no legal move: returns the name of the move, or "" if the move has been made.
   * Throws an error that says what is wrong.
   *
   * @type {((typed: string) => Promise<string>) | null}
   */
  read = null;
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

  /** The legal moves; none where they are not known yet. What is typed in the meantime stays. */
  get moves() {
    return this.#moves;
  }
  set moves(moves) {
    if (this.#moves.length) this.#field.value = "";
    this.#moves = moves ?? [];
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

  async #enter() {
    const typed = this.#field.value.trim();
    if (!typed || this.disabled) return;
    const found = matching(this.#moves, typed);
    if (!found.length && this.read) {
      const moves = this.#moves;
      const [text, problem] = await this.read(typed).then(
        (name) => [name, ""],
        (/** @type {Error} */ error) => ["", error.message],
      );
      if (this.#moves !== moves) {
        if (this.#field.value.trim() === typed) this.#enter(); // the moves have become known
      } else if (problem) this.#complain(shortened(problem));
      else if (text) this.#play({ move: text, text });
      return;
    }
    if (!found.length) {
      const example = this.#moves.length ? `; legal are ${this.#moves.slice(0, 3).map((move) => move.text).join(", ")}${this.#moves.length > 3 ? ", …" : ""}` : "";
      this.#complain(`not a legal move: ${typed}${example}`);
      return;
    }
    this.#play(found[0]);
  }

  /** @param {Move} move */
  #play(move) {
    this.#field.value = "";
    this.#offer();
    this.dispatchEvent(new CustomEvent("move", { bubbles: true, detail: move }));
  }

  /** @param {string} text The problem; "" if there is none. */
  #complain(text) {
    this.#problem.textContent = text;
    if (text) this.#field.setAttribute("aria-invalid", "true");
    else this.#field.removeAttribute("aria-invalid");
  }
}

customElements.define("zermelo-move-input", ZermeloMoveInput);
