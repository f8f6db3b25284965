// The form of a new game, and the list of saved games.

import { element } from "/scripts/teaching/dom.js";
import { get, post } from "./api.js";
import { announce, link, movesOf } from "./shell.js";

/**
 * A game of the catalogue.
 *
 * @typedef {object} Game
 * @property {string} name
 * @property {string} title
 * @property {string} about
 * @property {boolean} chance
 * @property {boolean} perfect_information
 * @property {[string, string]} players
 * @property {number} levels
 */

/** Time controls in minutes and seconds: the usual ones of online play. */
const CLOCKS = [[1, 0], [3, 2], [5, 3], [10, 5], [15, 10], [30, 0], [60, 30]];

/**
 * @param {HTMLElement} root
 * @param {URLSearchParams} query `game`, `position`, `moves` (separated by blanks), `side`, `level`, `opponent`.
 */
export function showSetup(root, query) {
  const heading = element("h1", { text: "Play" });
  const problem = element("p", { class: "error", role: "alert" });
  const saved = element("section", { class: "stack saved-games", "aria-labelledby": "saved-title" });
  const place = element("div", { class: "stack" }, element("p", { class: "soft", text: "Loading the games …" }));
  root.replaceChildren(heading, problem, element("div", { class: "play-start" }, place, saved));
  get("/api/catalogue").then(
    ({ games }) => place.replaceChildren(newGameForm(games, query)),
    (error) => (problem.textContent = error.message),
  );
  fillList(saved);
}

// ---- the form ------------------------------------------------------------------------------------------------------

/**
 * @param {Game[]} games
 * @param {URLSearchParams} query
 */
function newGameForm(games, query) {
  const names = games.map(({ name }) => name);
  const asked = query.get("game") ?? "";
  const chosen = names.includes(asked) ? asked : names.includes("chess") && !asked ? "chess" : names[0];
  const game = select("game", games.map(({ name, title }) => [name, title]), chosen);
  const about = element("p", { class: "soft small" });
  const opponent = choices("opponent", "Opponent", [
    ["engine", "The engine"],
    ["person", "A person at this screen"],
    ["none", "Engine against engine"],
  ], query.get("opponent") ?? "engine");
  const sides = element("div", {});
  const { levels } = /** @type {Game} */ (games.find(({ name }) => name === chosen));
  const level = levelField("level", "Level of the engine", query.get("level") ?? "5", levels);
  const second = levelField("level2", "Level of its opponent", "5", levels);
  const clock = select("clock", [["", "No clock"], ...CLOCKS.map(([base, gain]) => [`${60 * base}+${gain}`, `${base} min${gain ? ` + ${gain} s per move` : ""}`])], "");
  const position = element("textarea", { name: "position", rows: 2, spellcheck: "false", autocomplete: "off" });
  position.value = query.get("position") ?? "";
  const moves = element("input", { name: "moves", type: "text", spellcheck: "false", autocomplete: "off" });
  moves.value = query.get("moves") ?? "";
  const setUp = element("a", { text: "Set a position up on the board of the analysis page" });
  const problem = element("p", { class: "error", role: "alert" });
  const start = element("button", { class: "primary", type: "submit", text: "Start the game" });
  const hiddenNote = element("p", { class: "soft small", text: "The engine knows only what its side has seen. Below level 8 it sometimes makes a random move." });

  const form = /** @type {HTMLFormElement} */ (
    element(
      "form",
      { class: "panel stack new-game", "aria-labelledby": "new-title" },
      element("h2", { id: "new-title", text: "New game" }),
      element("label", {}, "Game", game),
      about,
      opponent,
      sides,
      level,
      second,
      hiddenNote,
      element("label", {}, "Clock", clock),
      element(
        "details",
        position.value || moves.value ? { open: "" } : {},
        element("summary", { text: "Start from another position" }),
        element(
          "div",
          { class: "stack" },
          element("label", {}, "Position, in the game's notation; empty for the start", position),
          element("label", {}, "Moves to play from it, with blanks between them", moves),
          setUp,
        ),
      ),
      problem,
      start,
    )
  );
  const current = () => /** @type {Game} */ (games.find(({ name }) => name === game.value));
  const update = () => {
    const { players, perfect_information: isOpen, about: text, levels } = current();
    const who = value(form, "opponent");
    about.textContent = text;
    setUp.href = link("/analyse", { game: game.value });
    const side = value(form, "side") || query.get("side") || "max";
    sides.replaceChildren(who === "engine" ? choices("side", "You play", [["max", titled(players[0])], ["min", titled(players[1])], ["random", "Either"]], side) : "");
    for (const field of [level, second]) setLevels(field, levels);
    level.hidden = who === "person";
    second.hidden = who !== "none";
    hiddenNote.hidden = isOpen || who === "person";
    /** @type {HTMLElement} */ (level.querySelector(".what")).textContent = who === "none" ? `Level of ${players[0]}` : "Level of the engine";
    /** @type {HTMLElement} */ (second.querySelector(".what")).textContent = `Level of ${players[1]}`;
  };
  form.addEventListener("change", update);
  game.addEventListener("change", () => {
    position.value = moves.value = "";
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (start.disabled) return;
    start.disabled = true;
    problem.textContent = "";
    for (const each of [position, moves]) each.removeAttribute("aria-invalid");
    try {
      const { id } = await post("/api/games", request(form, moves.value));
      location.assign(link("/play", { id }));
    } catch (error) {
      const { message, field } = /** @type {import("./api.js").ApiError} */ (error);
      problem.textContent = message;
      const wrong = { position, moves }[field];
      if (wrong) {
        /** @type {HTMLDetailsElement} */ (wrong.closest("details")).open = true;
        wrong.setAttribute("aria-invalid", "true");
        wrong.focus();
      }
      start.disabled = false;
    }
  });
  update();
  return form;
}

/**
 * The request of a new game.
 *
 * @param {HTMLFormElement} form
 * @param {string} moves
 */
function request(form, moves) {
  const who = value(form, "opponent");
  const engine = (/** @type {string} */ name) => ({ kind: "engine", level: Number(value(form, name)) });
  const person = { kind: "person" };
  const asked = value(form, "side");
  const side = asked === "random" ? (Math.random() < 0.5 ? "max" : "min") : asked;
  const seats = {
    engine: side === "min" ? { max: engine("level"), min: person } : { max: person, min: engine("level") },
    person: { max: person, min: person },
    none: { max: engine("level"), min: engine("level2") },
  }[who];
  const [base, increment] = value(form, "clock").split("+").map(Number);
  return {
    game: value(form, "game"),
    position: value(form, "position").trim(),
    moves: movesOf(moves),
    ...seats,
    clock: base ? { base, increment } : null,
  };
}

const value = (/** @type {HTMLFormElement} */ form, /** @type {string} */ name) => String(new FormData(form).get(name) ?? "");

/** A text with a capital letter. */
export const titled = (/** @type {string} */ text) => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * @param {string} name
 * @param {string[][]} options
 * @param {string} chosen
 */
function select(name, options, chosen) {
  return element("select", { name }, ...options.map(([key, text]) => element("option", { value: key, text, selected: key === chosen && "" })));
}

/** Radio buttons in a row. */
function choices(/** @type {string} */ name, /** @type {string} */ title, /** @type {string[][]} */ options, /** @type {string} */ chosen) {
  const checked = options.some(([key]) => key === chosen) ? chosen : options[0][0];
  const items = options.map(([key, text]) =>
    element("label", { class: "choice" }, element("input", { type: "radio", name, value: key, checked: key === checked && "" }), element("span", { text })),
  );
  return element("fieldset", { class: "choices" }, element("legend", { text: title }), element("div", { class: "row" }, ...items));
}

/** A slider from 1 to the game's largest level with its number. */
export function levelField(/** @type {string} */ name, /** @type {string} */ title, /** @type {string} */ level, /** @type {number} */ levels) {
  const number = element("span", { class: "numbers strong", text: level });
  const range = element("input", { type: "range", name, min: 1, max: levels, step: 1, value: level });
  range.addEventListener("input", () => (number.textContent = range.value));
  return element("label", { class: "level" }, element("span", { class: "row" }, element("span", { class: "what", text: title }), number), range);
}

/** Set the largest level of a slider; a larger one becomes it. */
function setLevels(/** @type {HTMLElement} */ field, /** @type {number} */ levels) {
  const range = /** @type {HTMLInputElement} */ (field.querySelector("input"));
  range.max = String(levels);
  range.dispatchEvent(new Event("input"));
}

// ---- saved games ---------------------------------------------------------------------------------------------------

/** @param {HTMLElement} section */
async function fillList(section) {
  const title = element("h2", { id: "saved-title", text: "Saved games" });
  try {
    const { games, total } = await get("/api/games");
    const rows = games.map((/** @type {any} */ game) => savedRow(section, game));
    const note = total > games.length ? element("p", { class: "soft small", text: `The last ${games.length} of ${total} games.` }) : null;
    const empty = games.length ? null : element("p", { class: "soft", text: "Games are saved move by move. None is saved yet." });
    section.replaceChildren(title, ...[empty, element("ul", { class: "saved-list" }, ...rows), note].filter((each) => each !== null));
  } catch (error) {
    section.replaceChildren(title, element("p", { class: "error", role: "alert", text: /** @type {Error} */ (error).message }));
  }
}

function savedRow(/** @type {HTMLElement} */ section, /** @type {any} */ game) {
  const players = game.players.map((/** @type {any} */ each) => `${each.name}: ${playerText(each)}`).join(" · ");
  const plies = game.plies === null ? "" : `${game.plies} ${game.plies === 1 ? "ply" : "plies"}`;
  const facts = [game.outcome?.text ?? (game.available ? "in progress" : "this server does not offer the game"), plies, whenText(game.updated)].filter(Boolean);
  const name = `${game.title}, ${players}`;
  const remove = element("button", { class: "quiet small", type: "button", text: "Delete", "aria-label": `Delete ${name}` });
  let isSure = false;
  remove.addEventListener("blur", () => {
    isSure = false;
    remove.textContent = "Delete";
  });
  remove.addEventListener("click", async () => {
    if (!isSure) {
      isSure = true;
      remove.textContent = "Really delete?";
      return;
    }
    try {
      await post(`/api/games/${game.id}/delete`);
      announce("The game is deleted");
    } catch (error) {
      announce(/** @type {Error} */ (error).message);
    }
    await fillList(section);
    section.querySelector("h2")?.setAttribute("tabindex", "-1");
    section.querySelector("h2")?.focus();
  });
  const title = game.available
    ? element("a", { href: link("/play", { id: game.id }), "aria-label": `${game.outcome ? "Show" : "Continue"} ${name}`, text: game.title })
    : element("span", { text: game.title });
  return element(
    "li",
    { class: "panel" },
    element("div", { class: "row spread" }, element("strong", {}, title), remove),
    element("div", { class: "small", text: players }),
    element("div", { class: "soft small", text: facts.join(" · ") }),
  );
}

/** Who plays a side. */
export const playerText = (/** @type {{kind: string, level: number | null}} */ player) =>
  player.kind === "person" ? "person" : `engine, level ${player.level}`;

/** How long ago a time in seconds since 1970 was. */
function whenText(/** @type {number} */ time) {
  const minutes = Math.round((Date.now() / 1000 - time) / 60);
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  if (minutes < 24 * 60) return `${Math.round(minutes / 60)} h ago`;
  return new Date(1000 * time).toLocaleDateString(undefined, { dateStyle: "medium" });
}
