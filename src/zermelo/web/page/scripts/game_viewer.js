// The page of one file that steps through games, a review or an analysis; also the frame of a notebook's widget.
//
// The JSON in #data describes them (zermelo.interactive.game_views). A frame without data gets it from its notebook, and
// answers with the moves that are chosen on the board:
//
//     {view: {...}, theme: "dark"}    from the notebook; theme "": the colours of the system
//     {ready: true}, {height: 640}    to the notebook
//     {ply: 4, move: "b2"}            to the notebook: the move after four others; without a move, these are taken back

import "./board.js";
import { SYMBOLS } from "./curve.js";
import { certaintyTag, curveOf, markedMoves, remarkOf, sideFigures, sideName, signed } from "./review/figures.js";
import { element, pageData } from "/scripts/teaching/dom.js";

/** @typedef {import("./board.js").Picture} Picture */
/** @typedef {import("./review/game.js").MoveReview} MoveReview */
/** @typedef {{pictures: any[], lasts: any[], states: string[]}} Positions */
/**
 * @typedef {Positions & {title: string, facts: string, players: [string, string], names: [string, string],
 *   steps: import("./review/game.js").Step[], review: {moves: MoveReview[], end_share: number | null} | null,
 *   lines: Record<string, Record<string, Positions>>, analysis?: any[], legal?: any[], problem?: string}} View
 */

/** The pictures in full: each after the first is what differs from the one before. */
function unpacked(/** @type {any[]} */ pictures) {
  /** @type {any} */
  let last = {};
  return pictures.map(({ removed = [], added = [], ...changed }) => {
    last = { ...("kind" in changed ? {} : last), ...changed };
    if (removed.length || added.length) {
      const gone = new Set(removed.map(String));
      last.pieces = [...last.pieces.filter((/** @type {any} */ each) => !gone.has(`${each.column},${each.row}`)), ...added];
    }
    return last;
  });
}

/** Milliseconds between moves while the game plays by itself. */
const PACE = 1000;

class Viewer {
  #board = /** @type {any} */ (document.createElement("zermelo-board"));
  #curve = /** @type {any} */ (document.createElement("zermelo-curve"));
  #title = element("h1");
  #facts = element("p", { class: "soft" });
  #problem = element("p", { class: "error", role: "alert" });
  #which = element("select", { onchange: () => this.#open(Number(this.#which.value)) });
  #table = element("div", { class: "scroll" });
  #state = element("p", { class: "status strong", role: "status" });
  #slider = element("input", { type: "range", min: 0, value: 0, "aria-label": "Move", class: "grow", oninput: () => this.go(Number(this.#slider.value)) });
  #play = element("button", { type: "button", text: "Play", onclick: () => this.#toggle() });
  #mistakes = [
    element("button", { type: "button", text: "Previous mistake", onclick: () => this.#mistake(-1) }),
    element("button", { type: "button", text: "Next mistake", onclick: () => this.#mistake(1) }),
  ];
  #sides = element("tbody");
  #luck = element("th", { scope: "col", class: "number", text: "Luck" });
  #moveTitle = element("h2");
  #remark = element("p");
  #lines = element("dl", { class: "review-lines" });
  #back = element("button", { type: "button", text: "Back to the game", onclick: () => this.go(this.#ply) });
  #moves = element("div", { class: "review-moves", tabindex: -1 });
  #sections = {
    games: element("section", { class: "panel stack", "aria-label": "Games" }, this.#table, element("label", {}, "Game ", this.#which)),
    curve: element("section", { class: "panel stack", "aria-label": "Curve" }),
    sides: element("section", { class: "panel scroll", "aria-label": "Sides" }, this.#summary()),
    detail: element("section", { class: "panel stack review-detail", "aria-label": "Move" }, this.#moveTitle, this.#remark, this.#lines, this.#back),
    moves: element("section", { class: "panel", "aria-label": "Moves" }, this.#moves),
  };

  /** @type {View[]} */
  #games = [];
  /** @type {any} */
  #view = null;
  /** @type {Picture[]} */
  #pictures = [];
  /** @type {Map<number, MoveReview>} */
  #reviews = new Map();
  /** @type {Record<number, HTMLElement>} */
  #buttons = {};
  /** Moves played in the position that is shown. */
  #ply = 0;
  /** A line in place of the game, and how many of its moves are played. @type {{line: any, positions: Positions, shown: number} | null} */
  #line = null;
  #timer = 0;

  /**
   * @param {HTMLElement} host
   * @param {(message: any) => void} [choose] Called with a move that is chosen on the board.
   */
  constructor(host, choose) {
    const icon = (/** @type {string} */ text, /** @type {string} */ label, /** @type {() => void} */ onclick) =>
      element("button", { type: "button", class: "icon", "aria-label": label, title: label, text, onclick });
    const controls = [
      icon("«", "First position", () => this.go(0)),
      icon("‹", "Previous move", () => this.#step(-1)),
      icon("›", "Next move", () => this.#step(1)),
      icon("»", "Last position", () => this.go(Infinity)),
      this.#play,
      element("button", { type: "button", text: "Flip", onclick: () => (this.#board.view = this.#board.view === "max" ? "min" : "max") }),
    ];
    this.#takeBack.addEventListener("click", () => choose?.({ ply: Math.min(this.#ply, this.#view.steps.length - 1) }));
    this.#navigation = element("div", { class: "row navigation" }, ...controls, this.#takeBack, ...this.#mistakes);
    const boardSide = element("section", { class: "stack", "aria-label": "Board" }, this.#board, this.#state, this.#navigation, this.#slider);
    const heading = element("header", { class: "viewer-head" }, this.#title, this.#facts);
    host.append(heading, this.#problem, element("div", { class: "board-and-side" }, boardSide, element("div", { class: "stack" }, ...Object.values(this.#sections))));
    this.#curve.addEventListener("jump", (/** @type {CustomEvent} */ event) => this.go(event.detail.ply));
    this.#board.addEventListener("move", (/** @type {CustomEvent} */ event) => choose?.({ ply: this.#ply, move: event.detail.text }));
    addEventListener("keydown", (event) => this.#key(event));
  }

  #navigation;
  #takeBack = element("button", { type: "button", text: "Take back" });

  /**
   * Show one game, or several to choose from with a table of results.
   *
   * @param {View | {title: string, games: View[], table?: {head: string[], rows: string[][], caption: string}}} data
   */
  show(data) {
    const several = "games" in data ? data : null;
    this.#games = several ? several.games : [/** @type {View} */ (data)];
    this.#sections.games.hidden = !several;
    if (several) {
      const { head, rows, caption } = several.table ?? { head: [], rows: [], caption: "" };
      const cell = (/** @type {string} */ text, /** @type {number} */ place) =>
        place === 1 ? element("th", { scope: "row", text }) : element("td", { class: place ? "number" : null, text });
      this.#table.replaceChildren(
        element(
          "table",
          {},
          element("caption", { text: caption }),
          element("thead", {}, element("tr", {}, ...head.map((text, place) => element("th", { scope: "col", class: place > 1 ? "number" : null, text })))),
          element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map(cell)))),
        ),
      );
      this.#table.hidden = !rows.length;
      this.#which.replaceChildren(...several.games.map((game, place) => element("option", { value: place, text: `${place + 1}. ${game.title}${game.facts ? `, ${game.facts}` : ""}` })));
      /** @type {HTMLElement} */ (this.#which.parentElement).hidden = !several.games.length;
    }
    this.#open(0);
  }

  #open(/** @type {number} */ place) {
    this.#stop();
    const view = this.#games[place];
    this.#navigation.hidden = this.#state.hidden = this.#board.hidden = !view;
    if (!view) return;
    this.#view = view;
    this.#pictures = unpacked(view.pictures);
    this.#reviews = new Map((view.review?.moves ?? []).map((each) => [each.ply, each]));
    this.#title.textContent = view.title;
    this.#facts.textContent = view.facts;
    this.#problem.textContent = view.problem ?? "";
    const { steps } = view;
    this.#takeBack.hidden = !view.legal || !steps.length;
    this.#slider.max = String(steps.length);
    const marked = markedMoves(this.#reviews.values());
    for (const button of this.#mistakes) button.hidden = !marked.length;
    this.#play.hidden = this.#slider.hidden = this.#sections.moves.hidden = !steps.length;
    for (const button of this.#navigation.querySelectorAll(".icon")) /** @type {HTMLElement} */ (button).hidden = !steps.length && !view.analysis;
    this.#sections.curve.hidden = this.#sections.sides.hidden = !view.review;
    this.#sections.detail.hidden = !view.review && !view.analysis;
    if (view.review) {
      this.#sections.curve.append(this.#curve); // here at the earliest: other pages lack the plotting library
      this.#curve.names = view.players;
      this.#curve.labels = steps.map((each) => each.label);
      this.#curve.values = curveOf(steps, this.#reviews, view.review.end_share);
      this.#curve.marks = marked.map(({ ply, mark, remark }) => ({ ply, side: steps[ply].side, mark, text: remark }));
      this.#fillSides();
    }
    this.#fillMoves();
    this.go(view.legal ? Infinity : 0);
  }

  // ---- the game ----------------------------------------------------------------------------------------------------

  /** Show the position after some steps of the game. */
  go(/** @type {number} */ ply) {
    const { steps } = this.#view;
    this.#line = null;
    this.#ply = Math.min(Math.max(ply, 0), steps.length);
    this.#slider.value = String(this.#ply);
    this.#slider.setAttribute("aria-valuetext", this.#ply ? steps[this.#ply - 1].label : "Start");
    this.#curve.current = this.#ply;
    for (const [place, button] of Object.entries(this.#buttons)) {
      const isHere = Number(place) === this.#ply - 1;
      if (isHere) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
      if (isHere) this.#moves.scrollTop = button.offsetTop - this.#moves.clientHeight / 2;
    }
    this.#draw();
  }

  /** Show a line in place of the game, after some of its moves. */
  #follow(/** @type {any} */ line, /** @type {Positions} */ positions, /** @type {number} */ shown) {
    this.#stop();
    this.#line = { line, positions, shown };
    this.#draw();
  }

  #draw() {
    const { steps, lasts, states, legal, analysis } = this.#view;
    const line = this.#line;
    const ply = line ? line.shown : this.#ply;
    const isCurrent = !line && ply === steps.length;
    const picture = line ? unpacked(line.positions.pictures)[ply] : this.#pictures[ply];
    const last = (line ? line.positions.lasts : lasts)[ply];
    const best = line || !ply ? null : this.#reviews.get(ply - 1);
    const bestLast = best?.mark ? this.#view.lines[ply - 1]?.best.lasts[1] : null;
    const root = analysis && !line ? analysis : [];
    this.#board.show({ picture, moves: isCurrent && legal ? legal : [], last });
    this.#board.arrows = [bestLast, ...root.slice(0, 1).map((/** @type {any} */ each) => each.move)]
      .filter((each) => each?.path?.length)
      .map(({ path }) => ({ path, colour: "best" }));
    this.#board.values = root.map((/** @type {any} */ each) => ({ ...each.move, text: each.score }));
    this.#state.textContent = (line ? line.positions.states : states)[ply];
    this.#describe();
  }

  /** The panel on the move that led to the position, or on the lines of an analysis. */
  #describe() {
    const { steps, analysis, lines } = this.#view;
    this.#back.hidden = !this.#line;
    this.#back.textContent = analysis ? "Back to the position" : "Back to the game";
    this.#lines.replaceChildren();
    if (analysis) {
      this.#moveTitle.textContent = "Best lines";
      analysis.forEach((/** @type {any} */ line, /** @type {number} */ place) => this.#addLine(`${place + 1}.`, line, line));
      return;
    }
    const ply = this.#ply - 1;
    const [step, move] = [steps[ply], this.#reviews.get(ply)];
    this.#moveTitle.textContent = step ? `${step.label}${move?.mark ? SYMBOLS[move.mark] : ""}` : "Start of the game";
    this.#moveTitle.className = move?.mark ? `mark-${move.mark}` : "";
    this.#remark.textContent = step ? remarkOf(step, move) : "";
    if (!move || move.not_judged === "chance") return;
    const isBest = move.best.moves[0] === move.played.moves[0];
    if (!isBest) this.#addLine("Best", move.best, lines[ply]?.best);
    this.#addLine("Played", move.played, lines[ply]?.played);
    if (isBest && move.second) this.#addLine("Next", move.second);
  }

  /**
   * A line with its score; its moves are buttons where its positions are known.
   *
   * @param {string} name
   * @param {any} line
   * @param {Positions} [positions]
   */
  #addLine(name, line, positions) {
    const count = positions ? positions.states.length - 1 : 0;
    const nodes = line.moves.slice(0, 12).flatMap((/** @type {string} */ text, /** @type {number} */ place) => {
      if (!positions || place >= count) return [element("span", { class: "event", text }), " "];
      const isShown = this.#line?.line === line && this.#line?.shown === place + 1;
      return [element("button", { type: "button", class: "move", "aria-current": isShown && "true", text, onclick: () => this.#follow(line, positions, place + 1) }), " "];
    });
    this.#lines.append(element("dt", { text: name }), element("dd", {}, element("span", { class: "score numbers", text: line.score }), certaintyTag(line), " ", ...nodes));
  }

  #fillMoves() {
    const { steps } = this.#view;
    this.#buttons = {};
    let number = "";
    const nodes = steps.flatMap((/** @type {any} */ step, /** @type {number} */ ply) => {
      const head = step.label.slice(0, step.label.length - step.text.length).trim();
      const isNew = head.replace(/[. ]+$/, "") !== number;
      number = head.replace(/[. ]+$/, "");
      const place = isNew && head ? element("span", { class: "number", text: head }) : null;
      if (!step.is_move) return [element("span", { class: "pair" }, place, element("span", { class: "event", text: step.text })), " "];
      const mark = this.#reviews.get(ply)?.mark;
      const sign = mark ? element("span", { class: `sign mark-${mark}`, role: "img", "aria-label": ` ${mark}`, text: SYMBOLS[mark] }) : null;
      this.#buttons[ply] = element("button", { type: "button", class: "move", onclick: () => this.go(ply + 1) }, step.text, sign);
      return [element("span", { class: "pair" }, place, this.#buttons[ply]), " "];
    });
    this.#moves.replaceChildren(...nodes);
  }

  #summary() {
    const head = (/** @type {string} */ text, /** @type {string} */ title) => element("th", { scope: "col", class: "number" }, element("abbr", { title, text }));
    const accuracy = element("th", { scope: "col", class: "number", text: "Accuracy" });
    const cells = [element("th", { scope: "col", text: "Side" }), accuracy, head("?!", "Inaccuracies"), head("?", "Mistakes"), head("??", "Blunders"), this.#luck];
    return element("table", { class: "review-summary" }, element("thead", {}, element("tr", {}, ...cells)), this.#sides);
  }

  #fillSides() {
    const { steps, players, names } = this.#view;
    const hasLuck = steps.some((/** @type {any} */ each) => each.side === "chance");
    this.#luck.hidden = !hasLuck;
    const rows = [0, 1].map((place) => {
      const { accuracy, counts, luck } = sideFigures(place ? "min" : "max", steps, this.#reviews);
      const cells = [accuracy === null ? "–" : `${accuracy.toFixed(1)} %`, ...counts.map(String), ...(hasLuck ? [signed(luck)] : [])];
      const name = element("th", { scope: "row", text: sideName(players[place], names[place]) });
      return element("tr", {}, name, ...cells.map((text) => element("td", { class: "number", text })));
    });
    this.#sides.replaceChildren(...rows);
  }

  // ---- controls ----------------------------------------------------------------------------------------------------

  /** One move on or back, in the line that is shown or in the game. */
  #step(/** @type {number} */ by) {
    if (!this.#line) {
      if (this.#view.analysis && by > 0) return this.#follow(this.#view.analysis[0], this.#view.analysis[0], 1);
      return this.go(this.#ply + by);
    }
    const { line, positions, shown } = this.#line;
    if (shown + by < 1) return this.go(this.#ply);
    if (shown + by < positions.states.length) this.#follow(line, positions, shown + by);
  }

  /** The next marked move after the position, or the one before it; round the game. */
  #mistake(/** @type {number} */ direction) {
    const plies = markedMoves(this.#reviews.values()).map((each) => each.ply + 1);
    const later = direction > 0 ? plies.filter((each) => each > this.#ply) : plies.filter((each) => each < this.#ply);
    this.go((direction > 0 ? later[0] ?? plies[0] : later.at(-1) ?? plies.at(-1)) ?? this.#ply);
  }

  #toggle() {
    if (this.#timer) return this.#stop();
    if (this.#ply === this.#view.steps.length) this.go(0);
    this.#play.textContent = "Pause";
    this.#timer = setInterval(() => {
      this.go(this.#ply + 1);
      if (this.#ply === this.#view.steps.length) this.#stop();
    }, PACE);
  }

  #stop() {
    clearInterval(this.#timer);
    this.#timer = 0;
    this.#play.textContent = "Play";
  }

  #key(/** @type {KeyboardEvent} */ event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (!this.#view || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (target.closest?.("input, select, zermelo-board, [role=slider]")) return;
    if (event.key === "ArrowLeft") this.#step(-1);
    else if (event.key === "ArrowRight") this.#step(1);
    else if (event.key === "Home") this.go(0);
    else if (event.key === "End") this.go(Infinity);
    else return;
    event.preventDefault();
  }
}

const host = /** @type {HTMLElement} */ (document.getElementById("main"));
const given = pageData();
if (given) new Viewer(host).show(given);
else {
  const tell = (/** @type {any} */ message) => parent.postMessage(message, "*");
  const viewer = new Viewer(host, tell);
  document.body.classList.add("embedded");
  addEventListener("message", ({ source, data }) => {
    if (source !== parent) return;
    if (data.theme) document.documentElement.dataset.theme = data.theme;
    if (data.view) viewer.show(data.view);
  });
  new ResizeObserver(() => tell({ height: Math.ceil(host.getBoundingClientRect().height) })).observe(host);
  tell({ ready: true });
}
