// The page review.html: a game is opened, reviewed move by move, and its mistakes are shown and practised.

import "./board.js";
import "./move_input.js";
import { announce, link } from "./shell.js";
import { ApiError, get, post, stream } from "./api.js";
import { SYMBOLS } from "./curve.js";
import { fromFragment, toFragment } from "./analyse/links.js";
import { contentOf, watchGameInput } from "./game_input.js";
import { offerConfidences } from "./moves_searched.js";
import { certaintyTag, remarkOf, signed } from "./review/figures.js";
import { Practice } from "./review/practice.js";
import { Game } from "./review/game.js";
import { element, saveFile } from "/scripts/teaching/dom.js";

/** @typedef {import("./review/game.js").MoveReview} MoveReview */

/** Where the last review is kept, so that a reload loses nothing. */
const KEPT = "zermelo-review";

/** A new review of this page ends the one before it. */
const CLIENT = `review-${Math.random()}`;
/** The format of a page of one file that shows the review. */
const PAGE = "html";
/** A playout takes as long as about this number of nodes. */
const PLAYOUT = 40;

/** The elements with an id. @type {Record<string, any>} */
const parts = Object.fromEntries([...document.querySelectorAll("[id]")].map((each) => [each.id, each]));

class Page {
  /** @type {any[]} */
  games = [];
  /** @type {any} */
  game = null;
  /** What was read: the records, and which one is chosen. @type {{title: string, length: number, record: any}[]} */
  read = [];
  /** The text that was read. */
  readText = "";
  /** The game under review. @type {Game | null} */
  review = null;
  /** Moves played in the position that is shown. */
  ply = 0;
  /** A line that is shown in place of the game: the ply of its first move, its moves, and how many are played. */
  /** @type {{ply: number, moves: string[], shown: number} | null} */
  line = null;
  /** @type {AbortController | null} */
  running = null;
  practice = new Practice(parts, this);
  #shown = 0;

  constructor() {
    this.#connect();
  }

  async start() {
    this.games = (await get("/api/catalogue")).games.filter((/** @type {any} */ each) => each.perfect_information);
    parts.game.replaceChildren(...this.games.map((each) => element("option", { value: each.name, text: each.title })));
    parts.start.disabled = parts.file.disabled = false;
    const query = new URLSearchParams(location.search);
    const linked = await fromFragment(location.hash).catch((error) => void this.fail(error.message));
    this.#choose(linked?.game ?? query.get("game") ?? "chess");
    const moves = query.get("moves");
    if (linked) await this.#open(JSON.stringify(linked.record), "", "json");
    else if (moves) {
      const record = { start: query.get("position") ?? "", moves: moves.split(/\s+/).filter(Boolean) };
      await this.#open(JSON.stringify(record), "", "json");
    }
  }

  fail(/** @type {string} */ message) {
    parts.problem.textContent = message;
  }

  #choose(/** @type {string} */ name) {
    this.game = this.games.find((each) => each.name === name) ?? this.games[0];
    if (this.game.name !== name) this.fail(`there is no game ${name.slice(0, 40)} that can be reviewed here`);
    parts.game.value = this.game.name;
    for (const option of parts.strength.options) {
      option.text = `${option.text.split(":")[0]}: ${this.#nodes(Number(option.value)).toLocaleString("en")} nodes`;
    }
    parts["confidence-label"].hidden = !this.game.selective;
    offerConfidences(parts.confidence, this.game.confident_evaluations.length > 0);
    parts.formats.textContent = `Formats: ${this.game.formats.map((/** @type {any} */ each) => each.name).join(", ")}`;
  }

  /** Nodes of each search: fewer in games without an evaluation, where they are playouts. */
  #nodes(/** @type {number} */ nodes) {
    return this.game.evaluations.length ? nodes : nodes / PLAYOUT;
  }

  // ---- opening a game ----------------------------------------------------------------------------------------------

  /** Read a text; review its game if it has one. */
  async #open(/** @type {string} */ text, name = "", format = "", data = "") {
    this.fail("");
    parts.text.removeAttribute("aria-invalid");
    parts["which-label"].hidden = true;
    try {
      const found = await post("/api/import", { game: this.game.name, text, name: name.slice(-200), format, data });
      this.read = found.games.filter((/** @type {any} */ each) => each.length);
      this.readText = text;
      if (!this.read.length) throw new ApiError("there is no move in it: a review needs a game", "text");
      if (found.errors.length) this.fail(`skipped: ${found.errors[0]}`);
      if (this.read.length === 1) await this.#review(this.read[0].record);
      else this.#offer(found.more);
    } catch (error) {
      this.#refuse(error);
    }
  }

  #refuse(/** @type {unknown} */ error) {
    if (!(error instanceof ApiError)) throw error;
    this.fail(error.message);
    if (error.field === "text" || error.field === "record") parts.text.setAttribute("aria-invalid", "true");
  }

  /** Let the reader choose among several games. */
  #offer(/** @type {boolean} */ hasMore) {
    const options = this.read.map(({ title, length }, place) =>
      element("option", { value: place, text: `${place + 1}. ${title} (${length} moves)` }),
    );
    parts.which.replaceChildren(...options);
    parts["which-label"].hidden = false;
    announce(`${this.read.length} games${hasMore ? " and more" : ""}: choose one, then Review`);
    parts.which.focus();
  }

  async #openFile(/** @type {File} */ file) {
    if (!this.game) return; // the list of games is still on its way
    const known = this.games.find((each) => each.formats.some((/** @type {any} */ one) => this.#isOf(one, file.name)));
    const fits = this.game.formats.some((/** @type {any} */ one) => this.#isOf(one, file.name));
    if (known && !fits) this.#choose(known.name);
    let content;
    try {
      content = await contentOf(file);
    } catch (error) {
      return this.#refuse(error);
    }
    parts.text.value = content.text;
    await this.#open(parts.text.value, file.name, "", content.data);
  }

  #isOf(/** @type {any} */ { suffixes }, /** @type {string} */ name) {
    return suffixes.some((/** @type {string} */ each) => each !== ".json" && name.toLowerCase().endsWith(each));
  }

  // ---- the review ----------------------------------------------------------------------------------------------------

  /** Review a game; what a review of it has found in this tab is shown again. */
  async #review(/** @type {any} */ record) {
    this.running?.abort();
    const running = (this.running = new AbortController());
    const fragment = await toFragment({ game: this.game.name, record, at: [] });
    history.replaceState(null, "", link("/review", { game: this.game.name }, fragment.slice(1)));
    const nodes = this.#nodes(Number(parts.strength.value));
    const review = (this.review = new Game(this.game.name, record, nodes));
    const [evaluation] = this.game.confident_evaluations;
    const confidence = Number(parts.confidence.value);
    const selective = this.game.selective && parts.confidence.value === "selective";
    const certainty = selective ? { selective } : evaluation && confidence ? { evaluation, confidence } : {};
    const key = JSON.stringify([fragment, nodes, certainty]);
    const kept = keptEvents(key);
    parts.open.hidden = true;
    parts.review.hidden = false;
    parts.working.hidden = false;
    parts.stop.hidden = false;
    parts.continue.hidden = true;
    this.practice.end();
    this.#allowMistakes(false); // until a move is marked
    this.#say("starting");
    /** @type {[string, any][]} */
    const events = [];
    const take = (/** @type {string} */ name, /** @type {any} */ data) => {
      events.push([name, data]);
      if (name === "game") this.#begin(data);
      else if (name === "move") this.#add(data);
      else this.#finish(data);
    };
    try {
      if (kept) for (const [name, data] of kept) take(name, data);
      else {
        await stream("/api/review", { game: this.game.name, record, nodes, client: CLIENT, ...certainty }, {
          signal: running.signal,
          note: ({ text }) => this.#say(text),
          game: (data) => take("game", data),
          move: (data) => take("move", data),
          end: (data) => take("end", data),
        });
        if (events.at(-1)?.[0] === "end") keep(key, events);
      }
    } catch (error) {
      if (this.review === review) {
        this.#say("stopped");
        parts.continue.hidden = false;
      }
      this.#refuse(error);
    } finally {
      if (this.running === running) parts.stop.hidden = true;
    }
  }

  #say(/** @type {string} */ text) {
    parts["progress-text"].textContent = text.charAt(0).toUpperCase() + text.slice(1);
  }

  #begin(/** @type {any} */ data) {
    const review = /** @type {Game} */ (this.review);
    review.begin(data);
    parts.curve.names = data.players;
    parts.curve.labels = review.steps.map((each) => each.label);
    this.#fillMoves();
    this.#draw();
    this.go(review.steps.length);
  }

  #add(/** @type {MoveReview} */ move) {
    const review = /** @type {Game} */ (this.review);
    review.add(move);
    parts.progress.max = review.total;
    parts.progress.value = review.moves.size;
    this.#say(`${review.moves.size} of ${review.total} moves reviewed`);
    const sign = this.#buttons[move.ply]?.querySelector(".sign");
    if (sign && move.mark) {
      sign.textContent = SYMBOLS[move.mark];
      sign.className = `sign mark-${move.mark}`;
      sign.setAttribute("aria-label", ` ${move.mark}`);
      sign.setAttribute("role", "img");
    }
    this.#draw();
    if (move.ply === this.ply - 1) this.#describe();
  }

  #finish(/** @type {any} */ data) {
    const review = /** @type {Game} */ (this.review);
    review.end = data;
    this.#draw();
    parts.working.hidden = true;
    const { max, min } = data;
    const marks = max.blunders + max.mistakes + max.inaccuracies + min.blunders + min.mistakes + min.inaccuracies;
    announce(`Review finished: ${marks} marked ${marks === 1 ? "move" : "moves"}`);
  }

  /** What depends on all moves: the curve, the table of the sides, the buttons. */
  #draw() {
    const review = /** @type {Game} */ (this.review);
    parts.curve.values = review.curve();
    parts.curve.marks = review.marked().map(({ ply, mark, remark }) => ({ ply, side: review.steps[ply].side, mark, text: remark }));
    const rows = ["max", "min"].map((side) => this.#row(side));
    parts.sides.replaceChildren(...rows);
    parts["luck-head"].hidden = !review.hasLuck;
    const marked = review.marked().length;
    this.#allowMistakes(marked > 0);
    parts.practise.textContent = marked ? `Practise the mistakes (${marked})` : "Practise the mistakes";
    const formats = this.game.formats.filter((/** @type {any} */ each) => each.annotations === "all");
    if (parts.format.options.length !== formats.length + 1 || parts.format.options[0]?.value !== formats[0]?.name) {
      const names = [...formats.map((/** @type {any} */ each) => each.name), PAGE];
      parts.format.replaceChildren(...names.map((text) => element("option", { value: text, text })));
    }
    parts.save.disabled = parts.format.disabled = !review.end;
  }

  /** Enable the buttons that go to mistakes. @param {boolean} isAllowed */
  #allowMistakes(isAllowed) {
    for (const name of ["previous-mistake", "next-mistake", "practise"]) parts[name].disabled = !isAllowed;
  }

  #row(/** @type {string} */ side) {
    const review = /** @type {Game} */ (this.review);
    const { name, accuracy, counts, luck } = review.summary(/** @type {"max" | "min"} */ (side));
    const cells = [accuracy === null ? "–" : `${accuracy.toFixed(1)} %`, ...counts.map(String), ...(review.hasLuck ? [signed(luck)] : [])];
    return element("tr", {}, element("th", { scope: "row", text: name }), ...cells.map((text) => element("td", { class: "number", text })));
  }

  // ---- the moves -----------------------------------------------------------------------------------------------------

  /** @type {Record<number, HTMLElement>} */
  #buttons = {};

  #fillMoves() {
    const review = /** @type {Game} */ (this.review);
    this.#buttons = {};
    let number = "";
    const nodes = review.steps.flatMap((step, ply) => {
      const before = number;
      number = step.label.slice(0, -step.text.length).replace(/[. ]+$/, "");
      const isNumbered = number !== before;
      const place = isNumbered ? element("span", { class: "number", text: step.label.slice(0, -step.text.length).trim() }) : null;
      if (!step.is_move) return [element("span", { class: "pair" }, place, element("span", { class: "event", text: step.text })), " "];
      const button = element("button", { type: "button", class: "move", onclick: () => this.go(ply + 1) }, step.text, element("span", { class: "sign" }));
      this.#buttons[ply] = button;
      return [element("span", { class: "pair" }, place, button), " "];
    });
    parts.moves.replaceChildren(...nodes);
  }

  /** Show the position after some steps of the game. */
  go(/** @type {number} */ ply) {
    const review = /** @type {Game} */ (this.review);
    if (!review.steps.length) return;
    this.line = null;
    this.ply = Math.min(Math.max(ply, 0), review.steps.length);
    parts.curve.current = this.ply;
    for (const [place, button] of Object.entries(this.#buttons)) {
      if (Number(place) === this.ply - 1) {
        button.setAttribute("aria-current", "true");
        const { offsetTop, offsetHeight } = button;
        const { scrollTop, clientHeight } = parts.moves;
        if (offsetTop < scrollTop || offsetTop + offsetHeight > scrollTop + clientHeight) parts.moves.scrollTop = offsetTop - clientHeight / 2;
      } else button.removeAttribute("aria-current");
    }
    this.#describe();
    return this.#show();
  }

  /** Show a line in place of the game, after some of its moves. */
  follow(/** @type {number} */ ply, /** @type {string[]} */ moves, /** @type {number} */ shown) {
    this.line = { ply, moves, shown };
    this.#describe();
    return this.#show();
  }

  /** Draw the position of the game or of the line. */
  async #show() {
    const review = /** @type {Game} */ (this.review);
    const { line, ply } = this;
    const number = ++this.#shown;
    try {
      const position = await review.position(line ? line.ply : ply, line ? line.moves.slice(0, line.shown) : []);
      if (number !== this.#shown || review !== this.review) return;
      const move = line || !ply ? null : review.moves.get(ply - 1);
      const before = move && move.mark && (await review.position(ply - 1));
      if (number !== this.#shown) return;
      const best = before && before.moves.find((/** @type {any} */ each) => each.text === move.best.moves[0]);
      parts.board.show({ picture: position.picture, moves: [], last: position.last });
      parts.board.arrows = best?.path?.length ? [{ path: best.path, colour: "best" }] : [];
      parts.state.textContent = position.result?.text ?? (position.turn === "chance" ? `Next: ${position.player}` : `${capitalised(position.player)} to move`);
      parts.analyse.href = link("/analyse", { game: review.name, position: review.start, moves: review.movesTo(line ? line.ply : ply).join(" ") });
      if (!line) review.position(Math.min(ply + 1, review.steps.length)).catch(() => {});
    } catch (error) {
      this.#refuse(error);
    }
  }

  /** The panel on the move that led to the position. */
  #describe() {
    const review = /** @type {Game} */ (this.review);
    const move = this.ply ? review.moves.get(this.ply - 1) : undefined;
    const step = this.ply ? review.steps[this.ply - 1] : null;
    parts["move-title"].textContent = step ? `${step.label}${move?.mark ? SYMBOLS[move.mark] : ""}` : "Start of the game";
    parts["move-title"].className = move?.mark ? `mark-${move.mark}` : "";
    parts["move-remark"].textContent = step ? remarkOf(step, move) : "";
    parts["move-lines"].replaceChildren();
    parts["back-to-game"].hidden = !this.line;
    if (!move || move.not_judged === "chance") return;
    const isBest = move.best.moves[0] === move.played.moves[0];
    if (!isBest) this.#addLine("Best", move.best);
    this.#addLine("Played", move.played);
    if (isBest && move.second) this.#addLine("Next", move.second);
  }

  #addLine(/** @type {string} */ name, /** @type {any} */ line) {
    const { moves, score } = line;
    const ply = this.ply - 1;
    const buttons = moves.slice(0, 12).map((/** @type {string} */ text, /** @type {number} */ place) => {
      const isShown = this.line?.moves === moves && this.line?.shown === place + 1;
      return element("button", { type: "button", class: "move", "aria-current": isShown && "true", text, onclick: () => this.follow(ply, moves, place + 1) });
    });
    const facts = element("span", { class: "score numbers", text: score });
    parts["move-lines"].append(
      element("dt", { text: name }),
      element("dd", {}, facts, certaintyTag(line), " ", ...buttons),
    );
  }

  /** The next marked move after the position, or the one before it; round the game. */
  #mistake(/** @type {number} */ direction) {
    const plies = /** @type {Game} */ (this.review).marked().map((each) => each.ply + 1);
    const later = direction > 0 ? plies.filter((each) => each > this.ply) : plies.filter((each) => each < this.ply);
    const ply = direction > 0 ? later[0] ?? plies[0] : later.at(-1) ?? plies.at(-1);
    if (ply !== undefined) this.go(ply);
  }

  async #save() {
    const review = /** @type {Game} */ (this.review);
    try {
      const format = parts.format.value;
      const { name, record } = review;
      const written =
        format === PAGE
          ? await post("/api/review/page", { game: name, record, moves: [...review.moves.values()] })
          : await post("/api/export", { game: name, record: review.end.record, format });
      saveFile(written.name, written.text, format === PAGE ? "text/html" : "text/plain");
    } catch (error) {
      this.#refuse(error);
    }
  }

  // ---- controls ------------------------------------------------------------------------------------------------------

  #connect() {
    parts.game.addEventListener("change", () => {
      this.#choose(parts.game.value);
      this.#another();
    });
    parts.file.addEventListener("change", () => parts.file.files?.length && this.#openFile(parts.file.files[0]));
    parts.text.addEventListener("input", () => (parts["which-label"].hidden = true));
    parts.start.addEventListener("click", () => {
      const isChosen = !parts["which-label"].hidden && this.readText === parts.text.value;
      if (isChosen) this.#review(this.read[Number(parts.which.value)].record);
      else this.#open(parts.text.value);
    });
    parts.stop.addEventListener("click", () => {
      this.running?.abort();
      this.#say(`${parts["progress-text"].textContent}; stopped`);
      parts.stop.hidden = true;
      parts.continue.hidden = false;
      parts.continue.focus();
    });
    parts.continue.addEventListener("click", () => this.review && this.#review(this.review.record));
    parts.another.addEventListener("click", () => this.#another());
    parts.save.addEventListener("click", () => this.#save());
    parts.flip.addEventListener("click", () => (parts.board.view = parts.board.view === "max" ? "min" : "max"));
    parts["back-to-game"].addEventListener("click", () => this.go(this.ply));
    parts["to-start"].addEventListener("click", () => this.go(0));
    parts["to-previous"].addEventListener("click", () => this.#step(-1));
    parts["to-next"].addEventListener("click", () => this.#step(1));
    parts["to-end"].addEventListener("click", () => this.go(Infinity));
    parts["previous-mistake"].addEventListener("click", () => this.#mistake(-1));
    parts["next-mistake"].addEventListener("click", () => this.#mistake(1));
    parts.curve.addEventListener("jump", (/** @type {CustomEvent} */ event) => this.go(event.detail.ply));
    addEventListener("keydown", (event) => this.#key(event));
    watchGameInput(
      (file) => this.#openFile(file),
      (text) => {
        if (!this.game) return; // the list of games is still on its way
        parts.text.value = text;
        this.#open(text);
      },
    );
  }

  /** One move on or back, in the line that is shown or in the game. */
  #step(/** @type {number} */ by) {
    if (!this.line) return this.go(this.ply + by);
    const shown = this.line.shown + by;
    if (shown < 1) return this.go(this.ply);
    if (shown <= this.line.moves.length) return this.follow(this.line.ply, this.line.moves, shown);
  }

  #another() {
    this.running?.abort();
    this.practice.end();
    parts.review.hidden = true;
    parts.open.hidden = false;
    this.review = null;
    this.fail("");
    history.replaceState(null, "", link("/review", { game: this.game.name }));
    parts.text.focus();
  }

  #key(/** @type {KeyboardEvent} */ event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (!this.review || this.practice.isOn || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (target.closest("input, select, textarea, zermelo-board, dialog, [role=slider], [role=region]")) return;
    if (event.key === "ArrowLeft") this.#step(-1);
    else if (event.key === "ArrowRight") this.#step(1);
    else if (event.key === "Home") this.go(0);
    else if (event.key === "End") this.go(Infinity);
    else return;
    event.preventDefault();
  }
}

const capitalised = (/** @type {string} */ text) => text.charAt(0).toUpperCase() + text.slice(1);

/** The events of a review that this tab has kept. */
function keptEvents(/** @type {string} */ key) {
  try {
    const kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
    return kept?.key === key ? kept.events : null;
  } catch {
    return null;
  }
}

function keep(/** @type {string} */ key, /** @type {[string, any][]} */ events) {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify({ key, events }));
  } catch {
    // Storage is blocked or full: a reload reviews the game again.
  }
}

const page = new Page();
page.start().catch((error) => {
  if (!(error instanceof ApiError)) throw error;
  page.fail(error.message);
});
