// The replay of a game of a league: its positions on a board, with the times and scores that the players reported.

import { element } from "/scripts/teaching/dom.js";
import { ApiError, get, post } from "../api.js";
import "../board.js";
import { prefersStill } from "../shell.js";
import { resultText, secondsText } from "./tables.js";

/** @type {(id: string) => any} */
const byId = (id) => document.getElementById(id);
/** Milliseconds between two moves of a replay that plays by itself. */
const PACE = 700;

export class Replay {
  constructor() {
    /** @type {{game: import("./tables.js").Game, plays: string, position: string, moves: {text: string, player: number, seconds: number, nodes: number, depth: number, shown: string, proven: string}[], problem: string} | null} */
    this.shown = null;
    this.ply = 0;
    this.timer = 0;
    /** Positions by ply. @type {Map<number, Promise<any>>} */
    this.positions = new Map();
    const acts = { first: () => this.go(0), back: () => this.go(this.ply - 1), forward: () => this.go(this.ply + 1), last: () => this.go(Infinity) };
    for (const [id, act] of Object.entries(acts)) {
      byId(id).addEventListener("click", () => {
        this.pause();
        act();
      });
    }
    byId("play").addEventListener("click", () => (this.timer ? this.pause() : this.play()));
    byId("ply").addEventListener("input", (event) => {
      this.pause();
      this.go(Number(event.target.value));
    });
    byId("replay").addEventListener("keydown", (event) => {
      const act = { ArrowLeft: acts.back, ArrowRight: acts.forward }[event.key];
      if (!act || event.target.matches("input, select") || event.target.closest("zermelo-board")) return;
      event.preventDefault();
      this.pause();
      act();
    });
  }

  /** Show a game; `isPlaying` plays it from its start. */
  async open(league, number, isPlaying = false) {
    this.pause();
    const shown = await get(`/api/leagues/${encodeURIComponent(league)}/games/${number}`);
    this.shown = shown;
    this.positions.clear();
    const { game, moves, problem } = shown;
    byId("replay-title").textContent = `Game ${game.number}: ${game.players.join(" against ")}`;
    byId("replay-result").textContent = `${resultText(game)}, ${game.termination}${game.detail ? `: ${game.detail}` : ""}`;
    byId("replay-problem").textContent = problem;
    byId("moves").replaceChildren(...moves.map((move, at) => element("li", {}, element("button", {
      type: "button", class: "quiet", text: move.text, onclick: () => (this.pause(), this.go(at + 1)),
    }))));
    byId("ply").max = String(moves.length);
    byId("replay").hidden = false;
    await this.go(isPlaying && !prefersStill() ? 0 : Infinity);
    if (isPlaying && !prefersStill()) this.play();
  }

  close() {
    this.pause();
    this.shown = null;
    byId("replay").hidden = true;
  }

  async go(to) {
    if (!this.shown) return;
    const { moves, plays, position } = this.shown;
    const ply = (this.ply = Math.max(0, Math.min(to, moves.length)));
    byId("ply").value = String(ply);
    byId("count").textContent = `${ply} of ${moves.length}`;
    for (const [at, item] of [...byId("moves").children].entries()) {
      if (at === ply - 1) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
    }
    const list = byId("moves");
    const current = list.children[ply - 1];
    if (current) list.scrollTop = current.offsetTop - list.offsetTop - list.clientHeight / 2;
    byId("move-facts").textContent = ply ? this.factsOf(moves[ply - 1]) : "Start of the game.";
    if (!plays || this.shown.problem) return byId("board").hidden = true;
    if (!this.positions.has(ply)) this.positions.set(ply, post("/api/position", { game: plays, position, moves: moves.slice(0, ply).map(({ text }) => text) }));
    try {
      const found = await this.positions.get(ply);
      if (this.ply !== ply) return; // the reader has gone on
      byId("board").hidden = false;
      byId("board").show({ ...found, moves: [] });
    } catch (error) {
      this.positions.delete(ply);
      if (!(error instanceof ApiError)) throw error;
      byId("replay-problem").textContent = error.message;
    }
  }

  factsOf({ text, player, seconds, nodes, depth, shown, proven }) {
    if (player < 0) return `${text}: opening or chance`;
    const value = proven ? `${proven}, proven` : shown && `score ${shown} for MAX`;
    const facts = [secondsText(seconds), nodes && `${nodes.toLocaleString("en")} nodes`, depth && `depth ${depth}`, value];
    return `${text}: ${this.shown.game.players[player]}, ${facts.filter(Boolean).join(", ")}`;
  }

  play() {
    if (!this.shown) return;
    const button = byId("play");
    if (this.ply >= this.shown.moves.length) this.go(0);
    this.timer = setInterval(() => (this.ply < this.shown.moves.length ? this.go(this.ply + 1) : this.pause()), PACE);
    button.textContent = "❚❚";
    button.setAttribute("aria-label", "Pause");
  }

  pause() {
    clearInterval(this.timer);
    this.timer = 0;
    byId("play").textContent = "▶";
    byId("play").setAttribute("aria-label", "Play");
  }
}
