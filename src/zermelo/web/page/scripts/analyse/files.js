// Games from outside: pasted, from a file, dropped on the page; and games written to files.

import { ApiError, post } from "/scripts/api.js";
import { contentOf, watchGameInput } from "/scripts/game_input.js";
import { copyText, element, saveFile } from "/scripts/teaching/dom.js";

/** @typedef {import("./game_tree.js").GameRecord} GameRecord */
/** @typedef {{ title: string, length: number, record: GameRecord }} ImportedGame */

export class GameFiles {
  /**
   * @param {Record<string, HTMLElement>} parts the elements of the page, by their ids
   * @param {{ game: () => any, record: () => GameRecord, load: (record: GameRecord) => void,
   *   announce: (text: string) => void }} page
   */
  constructor(parts, page) {
    this.parts = parts;
    this.page = page;
    const dialog = /** @type {HTMLDialogElement} */ (parts["import-dialog"]);
    const field = /** @type {HTMLTextAreaElement} */ (parts["import-text"]);
    const file = /** @type {HTMLInputElement} */ (parts["import-file"]);
    parts["import-button"].addEventListener("click", () => this.open());
    parts["import-read"].addEventListener("click", () => this._read(field.value, ""));
    parts["import-cancel"].addEventListener("click", () => dialog.close());
    file.addEventListener("change", () => file.files?.length && this._readFile(file.files[0]));
    parts["export-button"].addEventListener("click", () => this._openExport());
    parts["export-format"].addEventListener("change", () => this._write());
    parts["export-save"].addEventListener("click", () => this.written && saveFile(this.written.name, this.written.text, this.written.name.endsWith(".html") ? "text/html" : "text/plain"));
    parts["export-copy"].addEventListener("click", () => this._copy());
    parts["export-cancel"].addEventListener("click", () => /** @type {HTMLDialogElement} */ (parts["export-dialog"]).close());
    watchGameInput(
      (dropped) => {
        if (!dialog.open) this.open();
        this._readFile(dropped);
      },
      (text) => {
        this.open(text);
        this._read(text, "");
      },
    );
  }

  /** Open the dialog that reads games. @param {string} text */
  open(text = "") {
    const formats = this.page.game().formats.map((/** @type {any} */ each) => each.name).join(", ");
    this.parts["import-formats"].textContent = `Formats: ${formats}.`;
    /** @type {HTMLTextAreaElement} */ (this.parts["import-text"]).value = text;
    /** @type {HTMLInputElement} */ (this.parts["import-file"]).value = "";
    this._say("");
    this.parts["import-games"].replaceChildren();
    /** @type {HTMLDialogElement} */ (this.parts["import-dialog"]).showModal();
  }

  /** @param {string} message */
  _say(message) {
    this.parts["import-error"].textContent = message;
  }

  /** @param {File} file */
  async _readFile(file) {
    try {
      const { text, data } = await contentOf(file);
      await this._read(text, file.name, data);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this._say(error.message);
    }
  }

  /** @param {string} text @param {string} name @param {string} [data] the bytes of a binary file, in base64 */
  async _read(text, name, data = "") {
    this._say("");
    this.parts["import-games"].replaceChildren();
    try {
      const found = await post("/api/import", { game: this.page.game().name, text, name: name.slice(-200), data });
      this._say(found.errors.join("\n"));
      if (found.games.length === 1 && !found.errors.length) this._load(found.games[0]);
      else this._choose(found.games, found.more);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this._say(error.message);
    }
  }

  /** @param {ImportedGame[]} games @param {boolean} hasMore */
  _choose(games, hasMore) {
    const list = this.parts["import-games"];
    list.replaceChildren(
      ...games.map((game) =>
        element(
          "li",
          {},
          element("button", { type: "button", class: "quiet", onclick: () => this._load(game) }, game.title || "?", element("span", { class: "soft small", text: `${game.length} moves` })),
        ),
      ),
    );
    if (hasMore) list.append(element("li", { class: "soft small", text: `Only the first ${games.length} games are listed.` }));
  }

  /** @param {ImportedGame} game */
  _load(game) {
    /** @type {HTMLDialogElement} */ (this.parts["import-dialog"]).close();
    this.page.load(game.record);
    this.page.announce(`${game.title || "game"} loaded`);
  }

  _openExport() {
    const texts = this.page.game().formats.filter((/** @type {any} */ each) => each.is_text);
    const formats = [...texts, { name: "html", description: "a page that shows the game in any browser" }];
    this.parts["export-format"].replaceChildren(
      ...formats.map((/** @type {any} */ each) => element("option", { value: each.name, text: `${each.name} · ${each.description}` })),
    );
    /** @type {HTMLDialogElement} */ (this.parts["export-dialog"]).showModal();
    this._write();
  }

  async _write() {
    const { parts } = this;
    const format = /** @type {HTMLSelectElement} */ (parts["export-format"]).value;
    const text = /** @type {HTMLTextAreaElement} */ (parts["export-text"]);
    const buttons = /** @type {HTMLButtonElement[]} */ ([parts["export-save"], parts["export-copy"]]);
    this.written = null;
    parts["export-error"].textContent = parts["export-note"].textContent = text.value = "";
    try {
      const answer = await post("/api/export", { game: this.page.game().name, record: this.page.record(), format });
      this.written = answer;
      text.value = answer.text;
      if (!answer.is_complete) parts["export-note"].textContent = "This format does not keep everything: variations, comments, marks or tags are left out.";
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      parts["export-error"].textContent = error.message;
    }
    for (const button of buttons) button.disabled = !this.written;
  }

  async _copy() {
    const isCopied = this.written && (await copyText(this.written.text));
    this.parts["export-note"].textContent = isCopied ? "Copied." : "The browser does not allow copying; select the text and copy it.";
  }
}
