// A game in progress: the board with its players and clocks, the moves so far, and what people can do.

import { copyText, element, saveFile } from "/scripts/teaching/dom.js";
import { get, live, post } from "./api.js";
import { Clocks } from "./play_clock.js";
import { levelField, playerText, titled } from "./play_setup.js";
import { announce, link } from "./shell.js";

/** @typedef {"max" | "min"} Side */
/** @typedef {{text: string, side: string}} Played */
/** @typedef {import("./board.js").ZermeloBoard} ZermeloBoard */
/** @typedef {import("./board_moves.js").Move} Move */
/** @typedef {{picture: any, moves: Move[], last: any, position: string}} Position */
/** @typedef {{move: string, score: string, moves: string[]}} Line */

/**
 * A game as the server sends it.
 *
 * @typedef {object} GameState
 * @property {string} id
 * @property {number} version
 * @property {string} game
 * @property {string} title
 * @property {string} start
 * @property {{side: Side, name: string, kind: string, level: number | null}[]} players
 * @property {number} levels
 * @property {string} view
 * @property {Position | null} position
 * @property {Played[]} played
 * @property {Side | "chance" | null} turn
 * @property {boolean} hidden
 * @property {boolean} paused
 * @property {boolean} thinking
 * @property {Record<string, boolean>} can
 * @property {string} claim
 * @property {Side | null} offer
 * @property {import("./play_clock.js").ClockState | null} clock
 * @property {{utility: number | null, text: string, reason: string} | null} outcome
 * @property {string} score
 * @property {{name: string, description: string}[]} formats
 * @property {number | null} seed
 * @property {string} note
 * @property {string} problem
 */

/** Milliseconds for which a move stays on the board before the dice or the engine's move are shown. */
const PAUSE = 300;
/** Milliseconds for dice. */
const DICE_PAUSE = 900;

/**
 * @param {HTMLElement} root
 * @param {string} id
 */
export function showGame(root, id) {
  new GameView(root, id);
}

class GameView {
  /** @type {GameState | null} The state shown. */
  state = null;
  /** @type {GameState[]} States that wait to be shown. */
  waiting = [];
  isPaused = false;
  /** When the state shown was shown. */
  shownAt = 0;
  /** @type {Side | null} The side at the bottom if the reader has turned the board. */
  bottom = null;
  /** @type {number | null} Plies of the earlier position that is shown; null: the current one. */
  shownPly = null;
  /** @type {Side | null} Hidden information, two people: who looks. */
  viewer = null;
  /** @type {Map<string, Promise<Position>>} Earlier positions by their moves. */
  positions = new Map();
  isBusy = false;

  /**
   * @param {HTMLElement} root
   * @param {string} id
   */
  constructor(root, id) {
    this.id = id;
    this.root = root;
    this.title = element("h1", { class: "off-screen", text: "Play" });
    this.problem = element("p", { class: "error", role: "alert" });
    this.lost = element("p", { class: "panel connection", role: "status", hidden: "", text: "The connection to the server is lost. Trying again …" });
    this.board = /** @type {ZermeloBoard} */ (document.createElement("zermelo-board"));
    this.cover = element("div", { class: "panel stack cover", hidden: "" });
    this.strips = { top: element("div", { class: "player" }), bottom: element("div", { class: "player" }) };
    this.times = { max: element("span", { class: "clock numbers", role: "timer" }), min: element("span", { class: "clock numbers", role: "timer" }) };
    this.clocks = new Clocks(this.times);
    this.status = element("p", { class: "status strong", role: "status" });
    this.list = element("ol", { class: "move-list", "aria-label": "Moves" });
    this.steps = this.#stepButtons();
    this.offer = element("div", { class: "row offer", hidden: "" });
    this.help = element("div", { class: "stack help", "aria-live": "polite" });
    this.actions = element("div", { class: "row actions" });
    this.after = element("div", { class: "row after" });
    this.more = element("details", { class: "more" });
    this.typed = /** @type {import("./move_input.js").ZermeloMoveInput} */ (document.createElement("zermelo-move-input"));
    this.typed.read = (text) => this.#typedMove(text);
    root.replaceChildren(
      this.title,
      this.lost,
      element(
        "div",
        { class: "board-and-side play-table" },
        element("div", { class: "stack board-column" }, this.strips.top, element("div", { class: "board-place" }, this.board, this.cover), this.strips.bottom),
        element(
          "div",
          { class: "stack side-column" },
          element("div", { class: "panel stack" }, this.status, this.problem, this.offer, this.after, this.actions, this.typed),
          element("div", { class: "panel stack moves-panel" }, this.list, this.steps.row),
          this.help,
          this.more,
        ),
      ),
    );
    for (const source of [this.board, this.typed]) {
      source.addEventListener("move", (event) => this.#move(/** @type {CustomEvent<Move>} */ (event).detail.text));
    }
    document.addEventListener("keydown", (event) => this.#key(event));
    this.connection = live(
      `/api/games/${encodeURIComponent(id)}/live`,
      (message) => ("error" in message ? this.#fail(message.error, true) : this.#receive(message)),
      (isOpen) => (this.lost.hidden = isOpen),
    );
  }

  // ---- states from the server ----------------------------------------------------------------------------------------

  /** @param {GameState} state */
  #receive(state) {
    if (state.view === "cover" && this.viewer) {
      if (state.turn !== this.viewer && state.turn !== "chance") return; // the result of one's own move stays until the board is covered
      const viewer = this.viewer;
      get(`/api/games/${this.id}?view=${viewer}`).then(
        (own) => this.viewer === viewer && this.#queue(own),
        (error) => this.#fail(error.message, error.status === 404),
      );
      return;
    }
    this.#queue(state);
  }

  /** @param {GameState} state */
  #queue(state) {
    const newest = this.waiting.at(-1) ?? this.state;
    const isOrdered = newest?.view === "all" && state.view === "all"; // versions of hidden views are not numbers in order
    if (newest && isOrdered && state.version < newest.version) return;
    if (this.waiting.at(-1)?.version === state.version) this.waiting.pop();
    this.waiting.push(state);
    this.#next();
  }

  /** Show the states one after another: what the engine and the dice do is seen step by step. */
  #next() {
    const state = this.waiting[0];
    if (this.isPaused || !state) return;
    const pause = this.shownAt + this.#pauseBefore(state) - performance.now();
    if (pause <= 0 || document.hidden) {
      this.waiting.shift();
      this.#show(state);
      this.shownAt = performance.now();
      this.#next();
      return;
    }
    this.isPaused = true;
    setTimeout(() => {
      this.isPaused = false;
      this.#next();
    }, pause);
  }

  /** Milliseconds between the state shown and the next one: none before a person's move. */
  #pauseBefore(/** @type {GameState} */ state) {
    const shown = this.state?.played ?? state.played;
    if (state.played.length <= shown.length) return 0;
    const side = state.played[shown.length].side;
    if (state.players.some((each) => each.side === side && each.kind === "person")) return 0;
    return shown.at(-1)?.side === "chance" ? DICE_PAUSE : PAUSE;
  }

  /** @param {GameState} state */
  #show(state) {
    const before = this.state;
    this.state = state;
    if (!before || state.version !== before.version) {
      this.shownPly = null;
      this.problem.textContent = "";
      if (before) this.help.replaceChildren();
    }
    if (state.problem) this.problem.textContent = state.problem;
    document.title = `${this.#statusText(state)} · ${state.title} · Zermelo`;
    this.title.textContent = `${state.title}: ${state.players.map(({ name }) => name).join(" and ")}`;
    this.#showPlayers(state);
    this.clocks.show(state.clock);
    this.#showCover(state);
    this.#showBoard();
    this.#showMoves(state);
    this.#showOffer(state);
    this.#showActions(state);
    this.#showMore(state);
    this.status.textContent = this.#statusText(state);
    this.status.classList.toggle("thinking", state.thinking);
    const last = state.played.at(-1);
    if (before && last && state.played.length > before.played.length) {
      announce(`${this.#sideName(last.side)}: ${last.text}${state.outcome ? `. ${state.outcome.text}` : ""}`);
    }
  }

  #sideName(/** @type {string} */ side) {
    return this.state?.players.find((each) => each.side === side)?.name ?? "Dice";
  }

  /** @param {GameState} state */
  #statusText(state) {
    if (state.outcome) return state.outcome.text;
    if (state.turn === "chance") return state.paused ? "Paused before the dice" : "The dice roll …";
    const player = state.players.find(({ side }) => side === state.turn);
    if (!player) return "";
    const people = state.players.filter(({ kind }) => kind === "person");
    if (state.note) return titled(state.note.replace(/\s*\([\w<>]+\)\s*\.*$/, " …")); // without the name of the compiled function
    if (state.paused && !state.thinking) return `Paused: ${player.name} to move`;
    if (player.kind === "engine") return `${player.name}: the engine ${state.thinking ? "is thinking …" : "moves next"}`;
    const dice = state.played.at(-1);
    const rolled = dice?.side === "chance" ? `, rolled ${dice.text}` : "";
    return people.length === 1 ? `Your turn${rolled}` : `${player.name} to move${rolled}`;
  }

  // ---- players, cover, board ------------------------------------------------------------------------------------------

  /** The side at the bottom: as turned, else that of the only person, else that of the person to move behind a cover. */
  #bottomSide(/** @type {GameState} */ state) {
    const people = state.players.filter(({ kind }) => kind === "person");
    const own = state.view === "max" || state.view === "min" ? state.view : people.length === 1 ? people[0].side : "max";
    return this.bottom ?? own;
  }

  /** @param {GameState} state */
  #showPlayers(state) {
    const bottom = this.#bottomSide(state);
    for (const [place, strip] of /** @type {["top" | "bottom", HTMLElement][]} */ (Object.entries(this.strips))) {
      const player = state.players.find(({ side }) => (place === "bottom") === (side === bottom));
      if (!player) continue;
      strip.classList.toggle("to-move", state.turn === player.side);
      strip.dataset.side = player.side;
      strip.replaceChildren(
        element("span", { class: "dot", "aria-hidden": "true" }),
        element("strong", { text: player.name }),
        element("span", { class: "soft small grow", text: playerKind(state, player) }, scoreOf(state, player)),
        resultOf(state, player) ?? "",
        this.times[player.side],
      );
    }
  }

  /** Two people, hidden information: nobody sees the board until a person says who looks. */
  #showCover(/** @type {GameState} */ state) {
    const isCovered = state.position === null;
    this.cover.hidden = !isCovered;
    this.board.hidden = isCovered;
    if (!isCovered) return;
    const player = state.players.find(({ side }) => side === state.turn);
    const button = element("button", { class: "primary", type: "button", text: player ? `Show the board to ${player.name}` : "Waiting …" });
    button.addEventListener("click", () => player && this.#look(player.side));
    this.cover.replaceChildren(
      element("h2", { text: player ? `${player.name} to move` : "Please wait" }),
      element("p", { text: "Information is hidden in this game. Only this player should see the screen now." }),
      button,
    );
    if (document.activeElement === document.body) button.focus();
  }

  /** @param {Side} side */
  async #look(side) {
    this.viewer = side;
    await this.#request(async () => this.#queue(await get(`/api/games/${this.id}?view=${side}`)));
    this.board.focus();
  }

  /** Cover the board for the other person. */
  async #pass() {
    this.viewer = null;
    await this.#request(async () => {
      const state = await get(`/api/games/${this.id}`);
      this.state = null;
      this.waiting = [];
      this.#queue(state);
    });
  }

  async #showBoard() {
    const { state, shownPly } = this;
    if (!state?.position) return;
    this.board.view = this.#bottomSide(state);
    this.board.arrows = [];
    if (shownPly === null || shownPly === state.played.length) {
      this.shownPly = null;
      this.board.disabled = !state.can.move;
      this.board.show({ ...state.position, moves: state.can.move ? state.position.moves : [] });
      this.board.setAttribute("aria-label", `Board of ${state.title}`);
    } else {
      this.board.disabled = true;
      await this.#showMovesOnBoard(state.played.slice(0, shownPly).map(({ text }) => text));
    }
  }

  /** Show an earlier position, or that of a line, by its moves; `arrows` name moves of it by their texts. */
  async #showMovesOnBoard(/** @type {string[]} */ moves, /** @type {{text: string, colour: string}[]} */ arrows = []) {
    const asked = (this.asked = {});
    try {
      const position = await this.#position(moves);
      if (this.asked !== asked) return;
      this.board.disabled = true;
      this.board.show({ ...position, moves: [] });
      this.board.arrows = arrows.flatMap(({ text, colour }) => {
        const move = position.moves.find((each) => each.text === text);
        return move ? arrowsOf(move, colour) : [];
      });
    } catch (error) {
      this.#fail(/** @type {Error} */ (error).message);
    }
  }

  asked = {};

  /** @param {string[]} moves */
  #position(moves) {
    const { game, start } = /** @type {GameState} */ (this.state);
    const key = moves.join("\n");
    const known = this.positions.get(key);
    if (known) return known;
    const found = post("/api/position", { game, position: start, moves });
    this.positions.set(key, found);
    found.catch(() => this.positions.delete(key));
    if (this.positions.size > 400) this.positions.delete([...this.positions.keys()][0]);
    return found;
  }

  // ---- moves so far ---------------------------------------------------------------------------------------------------

  /** @param {GameState} state */
  #showMoves(state) {
    const { played } = state;
    const first = played.find(({ side }) => side !== "chance")?.side;
    /** @type {HTMLElement[]} */
    const rows = [];
    /** @type {HTMLElement | null} */
    let row = null;
    let hasFirst = false;
    let chanceBefore = false;
    played.forEach(({ text, side }, place) => {
      const startsRow = row === null || (side === first && hasFirst && !chanceBefore) || (side === "chance" && rowIsFull(played, place, first));
      if (startsRow) {
        row = element("li", {});
        rows.push(row);
        hasFirst = false;
      }
      hasFirst ||= side === first;
      chanceBefore = side === "chance" && startsRow === true;
      const button = element("button", { type: "button", class: `move ${side}`, text, "aria-label": `${this.#sideName(side)} ${text}`, "data-ply": place + 1 });
      button.addEventListener("click", () => this.#goTo(place + 1));
      /** @type {HTMLElement} */ (row).append(button);
    });
    this.list.replaceChildren(...rows);
    this.list.hidden = !rows.length;
    this.steps.row.hidden = !rows.length;
    this.#markShown();
  }

  #markShown() {
    const shown = this.shownPly ?? this.state?.played.length ?? 0;
    for (const button of this.list.querySelectorAll("button")) {
      const isShown = Number(button.dataset.ply) === shown;
      if (isShown) {
        button.setAttribute("aria-current", "step");
        const { offsetTop, offsetHeight } = button;
        const { scrollTop, clientHeight } = this.list;
        if (offsetTop < scrollTop || offsetTop + offsetHeight > scrollTop + clientHeight) this.list.scrollTop = offsetTop - clientHeight / 2;
      } else button.removeAttribute("aria-current");
    }
    const last = this.state?.played.length ?? 0;
    for (const button of [this.steps.first, this.steps.back]) button.disabled = shown === 0;
    for (const button of [this.steps.forward, this.steps.last]) button.disabled = shown === last;
  }

  #stepButtons() {
    const made = (/** @type {string} */ text, /** @type {string} */ label, /** @type {() => number} */ to) =>
      /** @type {HTMLButtonElement} */ (element("button", { type: "button", class: "icon", text, "aria-label": label, title: label, onclick: () => this.#goTo(to()) }));
    const shown = () => this.shownPly ?? this.state?.played.length ?? 0;
    const first = made("«", "First position", () => 0);
    const back = made("‹", "Previous position", () => shown() - 1);
    const forward = made("›", "Next position", () => shown() + 1);
    const last = made("»", "Current position", () => this.state?.played.length ?? 0);
    return { row: element("div", { class: "row steps", role: "group", "aria-label": "Positions" }, first, back, forward, last), first, back, forward, last };
  }

  /** @param {number} ply */
  #goTo(ply) {
    const count = this.state?.played.length ?? 0;
    this.shownPly = Math.max(0, Math.min(count, ply));
    if (this.shownPly === count) this.shownPly = null;
    this.#showBoard();
    this.#markShown();
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    const isBoard = target.closest("zermelo-board") !== null && !(this.state?.can.pause && [" ", "n"].includes(event.key));
    if (event.ctrlKey || event.metaKey || event.altKey || isBoard || target.closest("input, select, textarea, dialog")) return;
    const shown = this.shownPly ?? this.state?.played.length ?? 0;
    if (event.key === "ArrowLeft") this.#goTo(shown - 1);
    else if (event.key === "ArrowRight") this.#goTo(shown + 1);
    else if (event.key === "Home") this.#goTo(0);
    else if (event.key === "End") this.#goTo(this.state?.played.length ?? 0);
    else if (event.key === "f") this.#turn();
    else if (event.key === " " && this.state?.can.pause && !target.closest("button, summary, a")) this.#pace(this.state.paused ? "resume" : "pause");
    else if (event.key === "n" && this.state?.can.pause) this.#pace("step");
    else return;
    event.preventDefault();
  }

  // ---- what people can do ---------------------------------------------------------------------------------------------

  /** @param {string} text */
  async #move(text) {
    return this.#request(() => this.#change("move", { move: text }));
  }

  /** Make a move in another notation that the game reads, such as e2e4 in chess; its refusal is shown below the field. */
  async #typedMove(/** @type {string} */ move) {
    if (this.isBusy) return "";
    this.isBusy = true;
    try {
      await this.#change("move", { move });
      return "";
    } finally {
      this.isBusy = false;
    }
  }

  /** Change the game at the version shown; the answer is the next state. */
  async #change(/** @type {string} */ action, /** @type {object} */ fields = {}) {
    const { version, view } = /** @type {GameState} */ (this.waiting.at(-1) ?? this.state);
    if (view === "max" || view === "min") fields = { view, ...fields };
    const after = await post(`/api/games/${this.id}/${action}`, { version, ...fields });
    if (!after.hidden || this.viewer) this.#queue(after); // where an engine hides something, the WebSocket has the order
  }

  /** Pause, resume or step a game between engines. */
  #pace(/** @type {"pause" | "resume" | "step"} */ action) {
    return this.#request(async () => this.#queue(await post(`/api/games/${this.id}/pause`, { action })));
  }

  /** Do one thing at a time; an error is shown. Returns whether it worked. */
  async #request(/** @type {() => Promise<any>} */ work) {
    if (this.isBusy) return false;
    this.isBusy = true;
    this.problem.textContent = "";
    try {
      await work();
      return true;
    } catch (error) {
      const { message, status } = /** @type {import("./api.js").ApiError} */ (error);
      this.#fail(message, status === 404);
      return false;
    } finally {
      this.isBusy = false;
    }
  }

  /**
   * @param {string} message
   * @param {boolean} [isGone] Whether the game is no longer there. Errors of its WebSocket say so: the server closes it.
   */
  #fail(message, isGone = false) {
    this.problem.textContent = titled(message);
    if (isGone) this.connection?.close();
    if (isGone || !this.state) {
      this.status.textContent = "";
      this.actions.replaceChildren(element("a", { class: "button primary", href: "/play", text: "New game" }));
    }
  }

  /** @param {GameState} state */
  #showOffer(state) {
    const offered = state.offer && !state.outcome ? this.#sideName(state.offer) : "";
    this.offer.hidden = !offered;
    if (!offered) return;
    const answer = (/** @type {string} */ text, /** @type {string} */ action) =>
      element("button", { type: "button", text, onclick: () => this.#request(() => this.#change("offer", { action })) });
    this.offer.replaceChildren(element("span", { class: "grow", text: `${offered} offers a draw.` }), answer("Accept", "accept"), answer("Decline", "decline"));
  }

  /** @param {GameState} state */
  #showActions(state) {
    const { can, outcome, hidden } = state;
    const act = (/** @type {string} */ text, /** @type {() => any} */ onclick, /** @type {boolean} */ isPossible = true, kind = "") => {
      const button = element("button", { type: "button", text, class: kind, onclick });
      button.disabled = !isPossible;
      return button;
    };
    const focused = this.actions.contains(document.activeElement) ? document.activeElement?.textContent : null;
    const people = state.players.filter(({ kind }) => kind === "person");
    const buttons = [];
    if (state.problem && !outcome) buttons.push(act("Try again", () => this.#request(() => get(`/api/games/${this.id}`)), true, "primary"));
    if (people.length && !outcome) {
      if (!hidden) buttons.push(act("Take back", () => this.#request(() => this.#change("undo")), can.undo));
      buttons.push(act("Hint", () => this.#hint(), can.hint));
      if (!hidden) buttons.push(act("Why?", () => this.#why(), can.why));
      if (can.claim) buttons.push(act("Claim a draw", () => this.#request(() => this.#change("claim")), true, "primary"));
      else if (can.offer) buttons.push(act("Offer a draw", () => this.#request(() => this.#change("offer"))));
      buttons.push(act("Resign", () => this.#resign(), can.resign, "danger"));
    } else if (can.pause) {
      buttons.push(act(state.paused ? "Resume" : "Pause", () => this.#pace(state.paused ? "resume" : "pause"), true, "primary"));
      buttons.push(act("Next move", () => this.#pace("step"), !state.paused || !state.thinking));
      if (!hidden) buttons.push(act("Why?", () => this.#why(), can.why));
    } else if (!hidden && state.played.length) buttons.push(act("Why?", () => this.#why(), can.why));
    if (hidden && !outcome && people.length === 2 && this.viewer && state.position) buttons.unshift(act("Cover the board", () => this.#pass(), true, "primary"));
    buttons.push(act("Turn the board", () => this.#turn(), state.position !== null));
    this.actions.replaceChildren(...buttons);
    const paces = ["Pause", "Resume"]; // one button
    const isSame = (/** @type {string | null} */ text) => text === focused || (paces.includes(text ?? "") && paces.includes(focused ?? ""));
    if (focused) [...this.actions.querySelectorAll("button")].find((each) => isSame(each.textContent))?.focus();
    this.typed.hidden = !can.move;
    const moves = can.move ? state.position?.moves ?? [] : [];
    if (this.typed.moves !== moves) this.typed.moves = moves;
    this.after.replaceChildren(
      ...(outcome
        ? [
            act("Rematch", () => this.#rematch(), true, "primary"),
            element("a", { class: "button", href: link("/play", { game: state.game }), text: "New game" }),
            ...(hidden ? [] : [element("a", { class: "button", href: this.#linkTo("/review", state), text: "Review" })]),
            ...(hidden ? [] : [element("a", { class: "button", href: this.#linkTo("/analyse", state), text: "Analyse" })]),
          ]
        : []),
    );
    this.after.hidden = !outcome;
  }

  /** The address of another page with this game. */
  #linkTo(/** @type {string} */ path, /** @type {GameState} */ state) {
    return link(path, { game: state.game, position: state.start, moves: state.played.map(({ text }) => text).join(" ") });
  }

  #turn() {
    if (!this.state) return;
    this.bottom = this.#bottomSide(this.state) === "max" ? "min" : "max";
    this.#showPlayers(this.state);
    this.#showBoard();
  }

  #resign() {
    const dialog = element(
      "dialog",
      { class: "stack", "aria-labelledby": "resign-title" },
      element("h2", { id: "resign-title", text: "Resign the game?" }),
      element("div", { class: "row" }, element("button", { type: "button", class: "danger", text: "Resign", onclick: () => (dialog.close(), this.#request(() => this.#change("resign"))) }), element("button", { type: "button", text: "Play on", onclick: () => dialog.close() })),
    );
    dialog.addEventListener("close", () => dialog.remove());
    this.root.append(dialog);
    dialog.showModal();
  }

  /** The same game from the same position with the sides exchanged. */
  async #rematch() {
    const { game, start, players, clock } = /** @type {GameState & {clock: any}} */ (this.state);
    const seat = (/** @type {Side} */ side) => {
      const { kind, level } = /** @type {any} */ (players.find((each) => each.side !== side));
      return kind === "engine" ? { kind, level } : { kind };
    };
    const position = /** @type {GameState} */ (this.state).hidden ? "" : start;
    await this.#request(async () => {
      const { id } = await post("/api/games", { game, position, max: seat("max"), min: seat("min"), clock: clock && { base: clock.base, increment: clock.increment } });
      location.assign(link("/play", { id }));
    });
  }

  // ---- hint and reasons -----------------------------------------------------------------------------------------------

  async #hint() {
    this.help.replaceChildren(element("p", { class: "panel soft", text: "Looking for a good move …" }));
    const state = this.state;
    const isDone = await this.#request(async () => {
      const { move, score, line } = await post(`/api/games/${this.id}/hint`, state?.view === "max" || state?.view === "min" ? { view: state.view } : {});
      if (this.state !== state) return;
      const found = this.state?.position?.moves.find((each) => each.text === move);
      this.#goTo(this.state?.played.length ?? 0);
      this.board.arrows = found ? arrowsOf(found, "hint") : [];
      const moves = (state?.played ?? []).map(({ text }) => text);
      this.help.replaceChildren(
        this.#helpPanel("Hint", element("p", {}, element("strong", { text: move }), score && ` ${score}`), ...(line.length > 1 ? [this.#line(moves, line)] : [])),
      );
    });
    if (!isDone) this.help.replaceChildren();
  }

  /** Explain the last move, or the one whose position is shown. */
  async #why() {
    this.help.replaceChildren(element("p", { class: "panel soft", text: "Comparing the move with the others …" }));
    const isDone = await this.#request(async () => {
      const { ply, move, reasons, lines } = await post(`/api/games/${this.id}/why`);
      const before = (this.state?.played ?? []).slice(0, ply).map(({ text }) => text);
      const rows = lines.map((/** @type {Line} */ each, /** @type {number} */ place) =>
        element(
          "div",
          { class: "stack explained" },
          element("p", {}, element("span", { class: `key ${place ? "best" : "hint"}`, "aria-hidden": "true" }), element("strong", { text: each.move }), ` ${each.score}`),
          this.#line(before, each.moves),
        ),
      );
      const said = reasons.map((/** @type {{name: string, text: string}} */ each) => element("p", { text: each.name === "why" ? each.text : titled(`${each.name}: ${each.text}`) }));
      this.help.replaceChildren(this.#helpPanel(`Why ${move}?`, ...rows, ...said));
      const arrows = lines.map((/** @type {Line} */ each, /** @type {number} */ place) => ({ text: each.move, colour: place ? "best" : "hint" }));
      this.shownPly = ply;
      this.#markShown();
      await this.#showMovesOnBoard(before, arrows);
    });
    if (!isDone) this.help.replaceChildren();
  }

  #helpPanel(/** @type {string} */ title, /** @type {HTMLElement[]} */ ...parts) {
    const close = element("button", { type: "button", class: "quiet icon", text: "✕", "aria-label": "Close", onclick: () => (this.help.replaceChildren(), this.#goTo(this.state?.played.length ?? 0)) });
    return element("section", { class: "panel stack" }, element("div", { class: "row spread" }, element("h2", { text: title }), close), ...parts);
  }

  /** The moves of a line as buttons, each of which shows its position on the board. */
  #line(/** @type {string[]} */ before, /** @type {string[]} */ line) {
    const buttons = line.map((text, place) =>
      element("button", { type: "button", class: "move", text, onclick: () => this.#showMovesOnBoard([...before, ...line.slice(0, place + 1)]) }),
    );
    return element("div", { class: "line", role: "group", "aria-label": "Line" }, ...buttons);
  }

  // ---- links, files, level --------------------------------------------------------------------------------------------

  /** @param {GameState} state */
  #showMore(state) {
    const key = JSON.stringify([state.formats, state.outcome !== null, state.seed, state.players, state.hidden]);
    if (this.more.dataset.key === key) return;
    this.more.dataset.key = key;
    const parts = [];
    const engines = state.players.filter(({ kind }) => kind === "engine");
    const hasLevel = engines.length > 0 && !state.outcome;
    if (hasLevel) {
      const field = levelField("level", "Level of the engine", String(engines[0].level), state.levels);
      field.querySelector("input")?.addEventListener("change", (event) => {
        const level = Number(/** @type {HTMLInputElement} */ (event.target).value);
        this.#request(() => this.#change("level", { level }));
      });
      parts.push(field);
    }
    if (state.formats.length) {
      const format = element("select", { "aria-label": "Format" }, ...state.formats.map(({ name, description }) => element("option", { value: name, text: `${name}: ${description}` })));
      const save = element("button", { type: "button", text: "Save as a file", onclick: () => this.#request(() => this.#save(format.value)) });
      parts.push(element("div", { class: "row" }, format, save));
    }
    const copy = element("button", { type: "button", text: "Copy the link" });
    copy.addEventListener("click", async () => {
      const isCopied = await copyText(location.href);
      copy.textContent = isCopied ? "Copied" : "The browser does not allow it";
      announce(copy.textContent);
      setTimeout(() => (copy.textContent = "Copy the link"), 2000);
    });
    /** @type {HTMLElement[]} */
    const links = [copy];
    if (!state.hidden || state.outcome) {
      const analyse = element("a", { class: "button", href: this.#linkTo("/analyse", state), text: "Analyse" });
      analyse.addEventListener("click", () => analyse.setAttribute("href", this.#linkTo("/analyse", /** @type {GameState} */ (this.state))));
      links.push(analyse);
    }
    links.push(element("a", { class: "button", href: link("/play", { game: state.game }), text: "New game" }));
    parts.push(element("div", { class: "row" }, ...links));
    if (state.seed !== null) parts.push(element("p", { class: "soft small", text: `Seed of dice and choices: ${state.seed}` }));
    this.more.replaceChildren(element("summary", { text: hasLevel ? "Level, files and links" : "Files and links" }), element("div", { class: "panel stack" }, ...parts));
  }

  /** @param {string} format */
  async #save(format) {
    const { name, text } = await get(`/api/games/${this.id}/export?format=${encodeURIComponent(format)}`);
    saveFile(name, text, `${format === "html" ? "text/html" : "text/plain"};charset=utf-8`);
  }
}

/** Whether the row of moves before a chance event has a move of each side. */
function rowIsFull(/** @type {Played[]} */ played, /** @type {number} */ place, /** @type {string | undefined} */ first) {
  const next = played.slice(place + 1).find(({ side }) => side !== "chance");
  const before = played.slice(0, place).findLast(({ side }) => side !== "chance");
  return before !== undefined && before.side !== first && (next === undefined || next.side === first);
}

/** Who plays a side, and how strongly. */
function playerKind(/** @type {GameState} */ state, /** @type {{side: Side, kind: string, level: number | null}} */ player) {
  const people = state.players.filter(({ kind }) => kind === "person");
  if (player.kind === "person") return people.length === 1 ? "you" : "";
  return playerText(player);
}

/** What a player got: 1, ½ or 0. */
function resultOf(/** @type {GameState} */ state, /** @type {{side: Side}} */ { side }) {
  if (!state.outcome || state.outcome.utility === null) return null;
  const own = Math.sign(state.outcome.utility) * (side === "max" ? 1 : -1);
  const [text, label] = own > 0 ? ["1", "won"] : own < 0 ? ["0", "lost"] : ["½", "drawn"];
  return element("span", { class: `result ${label}`, role: "img", "aria-label": label, text });
}

/** What the engine thought of the position before its last move. */
function scoreOf(/** @type {GameState} */ state, /** @type {{kind: string, side: Side}} */ player) {
  const last = state.played.findLast(({ side }) => side !== "chance");
  const isShown = state.score && player.kind === "engine" && (state.thinking || last?.side === player.side);
  return isShown ? element("span", { class: "engine-score", text: ` · ${state.score}` }) : null;
}

/** The arrows of a move: along its squares, or one for each step of a checker. */
function arrowsOf(/** @type {Move} */ move, /** @type {string} */ colour) {
  if (move.path?.length) return [{ path: move.path, colour }];
  return (move.steps ?? []).map((path) => ({ path, colour }));
}
