// The games in progress of a league on boards, with their players and times.

import { element } from "/scripts/teaching/dom.js";
import "../board.js";
import { clockText } from "../play_clock.js";

/** @typedef {{sides: [string, string], turn: string, picture: any, last: any, ply: number}} Board */
/** @typedef {{number: number, players: [string, string], plies: number, left: (number | null)[], used: [number, number], turn_started: number, board: Board | null, problem: string}} Game */

const SIDES = ["max", "min"];

export class LiveGames {
  /**
   * @param {HTMLElement} section Hidden while there is no game.
   * @param {HTMLElement} list The list of the games.
   */
  constructor(section, list) {
    this.section = section;
    this.list = list;
    /** Parts of the card of each game by its number. @type {Map<number, any>} */
    this.cards = new Map();
    /** Seconds by which the server's clock is ahead. */
    this.ahead = 0;
    this.timer = 0;
  }

  /** @param {{now: number, games: Game[]}} message */
  show({ now, games }) {
    this.ahead = now - Date.now() / 1000;
    const numbers = new Set(games.map(({ number }) => number));
    for (const [number, { item }] of this.cards) {
      if (numbers.has(number)) continue;
      item.remove();
      this.cards.delete(number);
    }
    for (const game of games) {
      if (!this.cards.has(game.number)) this.cards.set(game.number, this.card(game));
      this.update(this.cards.get(game.number), game);
    }
    this.section.hidden = !games.length;
    clearInterval(this.timer);
    this.timer = games.length ? setInterval(() => this.tick(), 1000) : 0;
    this.tick();
  }

  /** @param {Game} game */
  card({ number, players }) {
    const board = /** @type {import("../board.js").ZermeloBoard} */ (document.createElement("zermelo-board"));
    const title = element("strong", { text: `Game ${number}` });
    const facts = element("p", { class: "soft small" });
    const sides = players.map((name) => {
      const side = element("span", { class: "soft small" });
      const time = element("span", { class: "numbers" });
      return { row: element("p", { class: "row" }, element("span", { class: "grow" }, name, " ", side), time), side, time };
    });
    // The side that moves second is above, as on other boards.
    const item = element("li", { class: "panel stack" }, title, sides[1].row, board, sides[0].row, facts);
    this.list.append(item);
    return { item, board, sides, facts, game: null };
  }

  /** @param {any} card @param {Game} game */
  update(card, game) {
    const { board, plies, problem } = game;
    card.game = game;
    card.board.hidden = !board;
    if (board) card.board.show({ picture: board.picture, last: board.last });
    const last = board?.last ? `, last move ${board.last.text}` : "";
    card.facts.textContent = `${plies.toLocaleString("en")} ${plies === 1 ? "ply" : "plies"}${last}${problem ? `: ${problem}` : ""}`;
    for (const [at, { row, side }] of card.sides.entries()) {
      side.textContent = board ? board.sides[at] : "";
      if (board?.turn === SIDES[at]) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
  }

  /** Show the times: those on the clocks, or the thinking time where none runs. */
  tick() {
    const now = Date.now() / 1000 + this.ahead;
    for (const { sides, game } of this.cards.values()) {
      const elapsed = Math.max(0, now - game.turn_started);
      for (const [at, { time }] of sides.entries()) {
        const extra = game.board?.turn === SIDES[at] ? elapsed : 0;
        const left = game.left[at];
        time.textContent = left === null ? `${(game.used[at] + extra).toFixed(0)} s used` : clockText(Math.max(0, left - extra));
      }
    }
  }
}
