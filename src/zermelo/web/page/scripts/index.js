// The home page: the games in the cells of the lectures' table, and the games to continue.

import { link } from "./shell.js";
import { ApiError, get, post } from "./api.js";
import { boardPicture } from "./board_picture.js";
import { element } from "/scripts/teaching/dom.js";

/** @typedef {{name: string, title: string, about: string, chance: boolean, perfect_information: boolean, source: string}} Game */

/** Games in progress that are shown. */
const MAX_RECENT = 6;
const ACTIONS = [["Play", "/play"], ["Analyse", "/analyse"], ["Watch", "/watch"]];

/** Pictures are fetched when their card comes into view. */
const seen = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    seen.unobserve(target);
    drawStart(/** @type {HTMLElement} */ (target));
  }
}, { rootMargin: "200px" });

/** Draw the start of a game on its card. */
async function drawStart(/** @type {HTMLElement} */ thumb) {
  try {
    const { picture } = await post("/api/position", { game: thumb.dataset.game, position: "", moves: [] });
    thumb.replaceChildren(boardPicture(picture));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}

/** The card of a game. */
function card(/** @type {Game} */ { name, title, about }) {
  const thumb = element("div", { class: "thumb", "aria-hidden": "true", "data-game": name });
  seen.observe(thumb);
  const links = ACTIONS.map(([text, path], place) =>
    element("a", { class: place ? "button" : "button primary", href: link(path, { game: name }), text, "aria-label": `${text}: ${title}` }),
  );
  return element(
    "li", { class: "game", "data-name": `${title} ${name}`.toLowerCase() }, thumb,
    element("h3", {}, element("a", { href: link("/play", { game: name }), text: title })),
    element("p", { class: "about", text: about, title: about }),
    element("nav", { "aria-label": title }, ...links),
  );
}

/**
 * A game in progress, as in the answer of `GET /api/games`.
 *
 * @typedef {{id: string, game: string, title: string, players: {name: string, kind: string, level: number | null}[],
 *   plies: number | null, outcome: object | null, updated: number, available: boolean}} Saved
 */

/** Show the games that go on, the one changed last first. */
async function showRecent() {
  /** @type {{games: Saved[]}} */
  const { games } = await get("/api/games");
  const open = games.filter((game) => !game.outcome && game.available).slice(0, MAX_RECENT);
  listOf("#continue").append(...open.map(recentGame));
  document.querySelector("#continue")?.toggleAttribute("hidden", !open.length);
}

function recentGame(/** @type {Saved} */ { id, title, players, plies, updated }) {
  const sides = players.map(({ name, kind, level }) => (kind === "engine" ? `${name}: engine, level ${level}` : `${name}: person`));
  const facts = [plies === null ? "" : `${plies} ${plies === 1 ? "move" : "moves"}`, ago(updated)].filter(Boolean).join(", ");
  return element(
    "li", { class: "panel" }, element("a", { href: link("/play", { id }), class: "strong", text: title }),
    element("p", { class: "soft small", text: sides.join("; ") }), element("p", { class: "soft small", text: facts }),
  );
}

/** @param {number} seconds A time since 1970. */
function ago(seconds) {
  const minutes = (Date.now() / 1000 - seconds) / 60;
  const format = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
  if (minutes < 60) return format.format(-Math.floor(minutes), "minute");
  return minutes < 24 * 60 ? format.format(-Math.floor(minutes / 60), "hour") : format.format(-Math.floor(minutes / 60 / 24), "day");
}

/** @param {string} selector */
const listOf = (selector) => /** @type {HTMLElement} */ (document.querySelector(`${selector} ul`));

/** Put the games into their cells. */
function showGames(/** @type {Game[]} */ games) {
  for (const game of games) {
    const cell = `${game.perfect_information ? "open" : "hidden"}${game.chance ? " chance" : ""}`;
    listOf(game.source === "file" ? "#own" : `[data-cell="${cell}"]`).append(card(game));
  }
  hideEmpty();
}

/** Hide the sections without a game. */
function hideEmpty() {
  for (const section of document.querySelectorAll("#own, .cells section")) {
    section.toggleAttribute("hidden", !section.querySelector(".game:not([hidden])"));
  }
}

/** Show the games whose name contains a text. */
function find(/** @type {string} */ text) {
  const wanted = text.trim().toLowerCase();
  for (const game of document.querySelectorAll(".game[data-name]")) {
    game.toggleAttribute("hidden", !(/** @type {HTMLElement} */ (game).dataset.name ?? "").includes(wanted));
  }
  hideEmpty();
  document.querySelector("#none")?.toggleAttribute("hidden", Boolean(document.querySelector(".game[data-name]:not([hidden])")));
}

/** Show what went wrong, in words. */
function showProblem(/** @type {unknown} */ error) {
  if (!(error instanceof ApiError)) throw error;
  const region = document.querySelector("#problem");
  if (region) region.textContent = error.message;
}

async function start() {
  const field = document.querySelector("#find");
  field?.addEventListener("input", (event) => find(/** @type {HTMLInputElement} */ (event.target).value));
  showRecent().catch(showProblem);
  try {
    const { games, broken } = await get("/api/catalogue");
    showGames(games);
    for (const { name, error } of broken) listOf("#broken").append(element("li", { text: `${name}: ${error}` }));
    document.querySelector("#broken")?.toggleAttribute("hidden", !broken.length);
  } catch (error) {
    showProblem(error);
  }
  document.querySelector("#cells")?.removeAttribute("aria-busy");
}

start();
