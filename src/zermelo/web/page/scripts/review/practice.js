// Practice: the positions before the marked moves, in which the reader looks for a better move.

import { announce } from "/scripts/shell.js";

/** A move that loses less than this of the expected result is as good as the best one. */
const GOOD_ENOUGH = 0.05;

export class Practice {
  /** @type {number[]} Plies of the mistakes that are left, the current one first. */
  #left = [];
  #found = 0;
  #count = 0;
  /** The side at the bottom of the board before the practice. */
  #view = "max";

  /**
   * @param {Record<string, any>} parts
   * @param {any} page
   */
  constructor(parts, page) {
    this.parts = parts;
    this.page = page;
    parts.practise.addEventListener("click", () => this.begin());
    parts["next-puzzle"].addEventListener("click", () => this.#next());
    parts["end-practice"].addEventListener("click", () => {
      const ply = this.#left[0];
      this.end();
      page.go(ply === undefined ? page.ply : ply + 1);
    });
    parts.solution.addEventListener("click", () => this.#solve());
    parts.board.addEventListener("move", (/** @type {CustomEvent} */ event) => this.isOn && this.#try(event.detail.text));
  }

  get isOn() {
    return this.#left.length > 0;
  }

  begin() {
    this.#left = this.page.review.marked().map((/** @type {any} */ each) => each.ply);
    this.#count = this.#left.length;
    this.#found = 0;
    this.#view = this.parts.board.view;
    this.parts.detail.hidden = true;
    for (const name of ["solution", "end-practice", "task"]) this.parts[name].hidden = false;
    this.parts.practise.hidden = true;
    this.#ask();
  }

  end() {
    if (this.isOn) this.parts.board.view = this.#view;
    this.#left = [];
    this.parts.detail.hidden = false;
    for (const name of ["solution", "next-puzzle", "end-practice", "task"]) this.parts[name].hidden = true;
    this.parts.practise.hidden = false;
    this.parts.answer.textContent = "";
  }

  get #move() {
    return this.page.review.moves.get(this.#left[0]);
  }

  /** Show the position before a mistake. */
  async #ask() {
    const { page, parts } = this;
    const ply = this.#left[0];
    const { review } = page;
    const number = this.#count - this.#left.length + 1;
    await page.go(ply);
    const position = await review.position(ply);
    if (this.#left[0] !== ply) return;
    parts.task.textContent = `${number} of ${this.#count}: ${position.player} played ${review.steps[ply].text}. Find a better move.`;
    parts.answer.textContent = "";
    parts["next-puzzle"].hidden = true;
    parts.solution.hidden = false;
    parts.board.view = review.steps[ply].side;
    parts.board.show(position);
    parts.board.arrows = [];
    announce(parts.task.textContent);
  }

  async #try(/** @type {string} */ text) {
    const move = this.#move;
    const isSecond = text === move.second?.moves[0] && Math.abs(move.best.share - move.second.share) < GOOD_ENOUGH;
    if (text === move.best.moves[0] || isSecond) {
      this.#found++;
      await this.#show(isSecond ? move.second.moves : move.best.moves);
      this.#answer(text === move.best.moves[0] ? `Right: ${text} is best.` : `Right: ${text} is almost as good as ${move.best.moves[0]}.`);
      return;
    }
    const isPlayed = text === move.played.moves[0];
    this.#say(isPlayed ? `${text} was played, and loses ${move.loss}. Try another move.` : `${text} is not the best move. Try another one.`);
    this.parts.board.show(await this.page.review.position(this.#left[0]));
  }

  async #solve() {
    const { best } = this.#move;
    await this.#show(best.moves);
    this.#answer(`${best.moves[0]} is best: ${best.moves.slice(0, 6).join(" ")}`);
  }

  /** Show the first move of a line on the board. */
  async #show(/** @type {string[]} */ moves) {
    const { picture, last } = await this.page.review.position(this.#left[0], moves.slice(0, 1));
    this.parts.board.show({ picture, moves: [], last });
  }

  #answer(/** @type {string} */ text) {
    this.parts.solution.hidden = true;
    this.parts["next-puzzle"].hidden = false;
    this.parts["next-puzzle"].textContent = this.#left.length > 1 ? "Next" : "Finish";
    this.#say(text);
    this.parts["next-puzzle"].focus();
  }

  #say(/** @type {string} */ text) {
    this.parts.answer.textContent = text;
    announce(text);
  }

  #next() {
    if (this.#left.length > 1) {
      this.#left.shift();
      this.#ask();
      return;
    }
    const ply = this.#left[0];
    const text = `${this.#found} of ${this.#count} found.`;
    this.end();
    this.#say(text);
    this.page.go(ply + 1);
  }
}
