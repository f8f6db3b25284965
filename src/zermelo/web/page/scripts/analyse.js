// The page that analyses a game: board, engine, moves with variations, set-up editor, files and links.

import "./shell.js";
import "./board.js";
import "./curve.js";
import "./move_input.js";
import { Engine } from "./analyse/engine.js";
import { Explanation } from "./analyse/explanation.js";
import { GameFiles } from "./analyse/files.js";
import { GameTree } from "./analyse/game_tree.js";
import { fromFragment, toFragment } from "./analyse/links.js";
import { MARKS, MoveList } from "./analyse/move_list.js";
import { Positions } from "./analyse/positions.js";
import { SetupEditor, capitalised } from "./analyse/setup.js";
import { ApiError, get, post } from "./api.js";
import { announce, link, movesOf } from "./shell.js";
import { copyText, element } from "/scripts/teaching/dom.js";

/** @typedef {import("./analyse/game_tree.js").Node} Node @typedef {import("./analyse/game_tree.js").GameRecord} GameRecord */

/** @typedef {{ record: GameRecord, at: number[] }} Draft a game, and where the reader is in it */

const DRAFT = "zermelo-draft-";
/** @type {Draft} */
const EMPTY = { record: { moves: [] }, at: [] };
/** Drafts are saved when no edit followed for this time, in milliseconds. */
const SAVE_AFTER = 300;

/** Marks of moves on the curve. @type {Record<number, string>} */
const CURVE_MARKS = { 2: "mistake", 4: "blunder", 6: "inaccuracy" };

/** The elements of the page by their ids. @type {Record<string, any>} */
const parts = Object.fromEntries([...document.querySelectorAll("[id]")].map((each) => [each.id, each]));

class AnalysisPage {
  constructor() {
    /** @type {any} the game's entry of the catalogue */
    this.game = null;
    this.tree = new GameTree();
    this.node = this.tree.root;
    /** @type {any} the position on the board */
    this.position = null;
    /** @type {Map<string | undefined, any>} its legal moves by their texts */
    this.legal = new Map();
    this.positions = new Positions("", "", []);
    this.moves = new MoveList(parts.moves, (node) => this.show(node));
    this.engine = new Engine(parts, {
      changed: (result) => this._drawResult(result),
      play: (moves) => this._playLine(moves),
      preview: (moves, at) => this._preview(moves, at),
      hidePreview: () => this._hidePreview(),
      announce,
    });
    this.explanation = new Explanation(parts.explain, parts.terms, parts.board);
    this.files = new GameFiles(parts, {
      game: () => this.game,
      record: () => this.tree.record(),
      load: (record) => this._replace(record),
      announce,
    });
    this.setup = new SetupEditor(parts.setup, parts.board, {
      done: (position) => this._replace({ start: position, moves: [] }),
      closed: () => this._setupClosed(),
      announce,
    });
    this._connect();
  }

  // ---- starting ----

  async start() {
    const { games } = await get("/api/catalogue");
    this.games = games;
    parts.game.append(...games.map((/** @type {any} */ game) => element("option", { value: game.name, text: game.title })));
    await this._open();
    addEventListener("popstate", () => this._navigated());
  }

  /** The address has changed: to another game, or to one in the fragment. */
  _navigated() {
    const name = new URLSearchParams(location.search).get("game");
    if (location.hash.startsWith("#game=") || (name && name !== this.game.name)) this._open();
  }

  /** Open what the address names: a game in the fragment, a position in the query, or else the draft. */
  async _open() {
    const query = new URLSearchParams(location.search);
    let problem = "";
    /** @type {{ game: string, record: GameRecord, at: number[] } | null} */
    let linked = null;
    try {
      linked = await fromFragment(location.hash);
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    }
    const name = linked?.game ?? query.get("game") ?? stored("game") ?? "chess";
    this.game = this.games.find((/** @type {any} */ game) => game.name === name);
    if (!this.game) {
      problem ||= `there is no game ${name.slice(0, 40)} here`;
      this.game = this.games[0];
      linked = null;
    }
    const position = query.get("position");
    const moves = query.get("moves");
    if (!linked && (position || moves)) {
      linked = { game: name, record: { start: position ?? "", moves: movesOf(moves ?? "") }, at: [] };
      linked.at = linked.record.moves.map(() => 0);
    }
    const draft = this._draft();
    parts.game.value = this.game.name;
    parts["open-hands"].hidden = this.game.perfect_information;
    document.title = `Analyse ${this.game.title} · Zermelo`;
    this.engine.offer(this.game);
    parts.explain.hidden = !this.game.evaluations.length;
    for (const [index, name] of ["--max-colour", "--min-colour"].entries()) {
      const colour = /\b(black|white|red|yellow)\b/.exec(this.game.players[index]);
      parts["score-bar"].style.setProperty(name, colour ? `var(--board-${colour[1]})` : "");
    }
    try {
      await this._load(linked ?? draft ?? EMPTY, linked ? draft : null);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      problem ||= error.message;
      await this._load(EMPTY, null);
    }
    if (problem) this._fail(problem);
  }

  /**
   * Check a game of a link or a draft, and show it.
   * @param {Draft} given @param {Draft | null} before the game that it replaces; undo brings it back
   */
  async _load({ record, at }, before) {
    const checked = await this._checked(record);
    ({ record } = checked);
    const { events } = checked;
    this.setup.close();
    this.tree = new GameTree(record);
    if (before) {
      const draft = await this._checked(before.record).catch(() => null); // a damaged one is not worth a message
      if (draft) {
        this.tree = new GameTree(draft.record);
        this.tree.replace(record, this.tree.find(before.at));
      }
    }
    this.node = this.tree.root;
    this._changed(events);
    await this.show(this.tree.find(at));
  }

  /**
   * Have the server check a game; its answer has all that the page needs.
   * @param {GameRecord} record @returns {Promise<{ record: GameRecord, events: string[] }>}
   */
  async _checked(record) {
    if (!record.moves.length && !record.start) return { record, events: [] };
    const found = await post("/api/import", { game: this.game.name, text: JSON.stringify(record), format: "json" });
    return { record: found.games[0].record, events: found.events };
  }

  /** Put another game in the place of this one, as an edit that can be undone. @param {GameRecord} record */
  async _replace(record) {
    this._keepComment();
    this.setup.close();
    this.node = this.tree.replace(record, this.node);
    this._changed();
    await this.show(this.node);
  }

  /** After the moves have changed. @param {string[]} [events] */
  _changed(events = undefined) {
    if (events || this.tree.start !== this.positions.start || this.game.name !== this.positions.game) {
      this.positions = new Positions(this.game.name, this.tree.start, events ?? [...this.positions.events]);
      this.engine.kept.clear();
    }
    this._drawMoves();
    this._save();
    const { positions } = this;
    // The numbers of the moves depend on the side that begins.
    if (!positions.known(this.tree.root)) {
      positions.at(this.tree.root).then(() => positions === this.positions && this._drawMoves(), () => {});
    }
  }

  // ---- moving through the game ----

  /** Show the position of a node. @param {Node} node */
  async show(node) {
    if (this.setup.isOpen) this.setup.close();
    this._keepComment();
    this.node = node;
    this.moves.select(node);
    this._drawAnnotation();
    this._save();
    try {
      let position = this.positions.known(node);
      if (!position) {
        parts["move-input"].moves = []; // those of the node before; what is typed from now on is for this one
        position = await this.positions.at(node);
      }
      if (this.node !== node) return;
      this._drawPosition(position);
      const next = node.children[0];
      if (next && !this.positions.known(next)) this.positions.at(next).catch(() => {});
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (this.node === node) this._fail(error.message);
    }
  }

  /** Play a move in the current position. @param {string} text */
  async play(text) {
    const node = this.tree.play(this.node, text);
    this._changed();
    await this.show(node);
  }

  /** @param {string[]} moves */
  async _playLine(moves) {
    let node = this.node;
    for (const text of moves) node = this.tree.play(node, text);
    this._hidePreview();
    this._changed();
    await this.show(node);
  }

  /** Go to another variation of the nearest branch. @param {number} step */
  _toSibling(step) {
    const branch = this.node.path().reverse().find((node) => (node.parent?.children.length ?? 0) > 1);
    if (!branch?.parent) return;
    const all = branch.parent.children;
    const next = all[all.indexOf(branch) + step];
    if (next) this.show(next);
  }

  /** @param {string} key */
  _go(key) {
    const { node } = this;
    if (key === "ArrowLeft" && node.parent) this.show(node.parent);
    else if (key === "ArrowRight" && node.children[0]) this.show(node.children[0]);
    else if (key === "ArrowUp") this._toSibling(-1);
    else if (key === "ArrowDown") this._toSibling(1);
    else if (key === "Home") this.show(this.tree.root);
    else if (key === "End") this.show(/** @type {Node} */ (node.line().at(-1)));
  }

  // ---- drawing ----

  /** @param {any} position */
  _drawPosition(position) {
    this.position = position;
    this.legal = new Map(position.moves.map((/** @type {any} */ move) => [move.text, move]));
    this._fail("");
    parts.board.show(position);
    parts.board.arrows = [];
    parts.board.values = [];
    parts["move-input"].moves = position.turn === "chance" ? position.chance : position.moves;
    parts["move-input"].hidden = position.over;
    parts["move-input"].disabled = parts.side.hidden; // not while a position is set up
    parts.state.textContent = stateText(position);
    this._drawChance(position);
    const request = this.positions.request(this.node);
    this.engine.show(this.positions.key(this.node), request, position.over);
    this.explanation.show(request, position, this.engine.evaluation);
    this._drawLinks(position, request);
    if (this.node.parent) announce(`${this.node.text}. ${parts.state.textContent}`);
  }

  /** The outcomes of a chance event: the reader chooses one or has one drawn. @param {any} position */
  _drawChance(position) {
    const outcomes = position.turn === "chance" ? position.chance : [];
    const total = outcomes.reduce((/** @type {number} */ sum, /** @type {any} */ each) => sum + each.weight, 0);
    const draw = () => {
      let left = Math.random() * total;
      const drawn = outcomes.find((/** @type {any} */ each) => (left -= each.weight) < 0) ?? outcomes.at(-1);
      this.play(drawn.text);
    };
    parts.chance.hidden = !outcomes.length;
    parts.chance.replaceChildren(
      element("button", { type: "button", class: "primary", text: "Draw at random", onclick: draw }),
      ...outcomes.slice(0, 400).map((/** @type {any} */ each) =>
        element("button", {
          type: "button",
          text: each.text,
          title: `probability ${((100 * each.weight) / total).toFixed(1)} %`,
          onclick: () => this.play(each.text),
        }),
      ),
    );
  }

  /** @param {import("./analyse/engine.js").Result} result */
  _drawResult({ analysis, values }) {
    const bar = parts["score-bar"];
    bar.hidden = !this.engine.settings.isOn;
    const score = analysis?.score;
    const share = this._share(this.node) ?? 0.5;
    bar.style.setProperty("--share", String(share));
    bar.setAttribute("aria-valuenow", String(Math.round(100 * share)));
    const player = this.game?.players[0] ?? "MAX";
    bar.setAttribute("aria-valuetext", `${score ? `${score.words}; ` : ""}${player} has ${Math.round(100 * share)} %`);
    bar.title = score?.words ?? "";
    this._drawCurve();
    if (!this.position || this.setup.isOpen) return;
    const squares = (/** @type {string | undefined} */ text) => {
      const move = this.legal.get(text);
      return { path: move?.path, steps: move?.steps };
    };
    const lines = this.engine.settings.isOn && this.engine.settings.arrows ? (analysis?.lines ?? []) : [];
    parts.board.arrows = lines
      .map((line, index) => ({ path: squares(line.moves[0]).path ?? [], colour: index ? "good" : "best" }))
      .filter((arrow) => arrow.path.length)
      .reverse(); // the best one is drawn last, above the others
    const shown = this.engine.settings.isOn && this.engine.settings.values ? values : [];
    parts.board.values = shown.map(({ text, score: value }) => ({ ...squares(text), text: value.text, share: value.share }));
  }

  /** The expected result over the line through the current position, where it was searched. */
  _drawCurve() {
    if (!this.game) return;
    const line = this.node.line();
    const values = line.map((node) => this._share(node));
    const marks = line.flatMap((node) => {
      const mark = node.nags.map((nag) => CURVE_MARKS[nag]).find(Boolean);
      const before = node.parent && this.positions.known(node.parent);
      return mark && before ? [{ ply: node.ply - 1, side: before.turn === "min" ? "min" : "max", mark }] : [];
    });
    const shown = JSON.stringify([this.node.ply, values, marks, line.map((node) => node.text)]);
    if (shown === this.curve) return;
    this.curve = shown;
    parts["curve-panel"].hidden = values.filter((value) => value !== null).length < 2;
    if (parts["curve-panel"].hidden) return;
    Object.assign(parts.curve, { names: this.game.players, labels: line.slice(1).map((node) => node.text), marks, values, current: this.node.ply });
  }

  /** The expected result of MAX at a node: 0 to 1, or null. @param {Node} node */
  _share(node) {
    const position = this.positions.known(node);
    if (position?.over) return (1 + Math.sign(position.result?.utility ?? 0)) / 2;
    return this.engine.found(this.positions.key(node))?.analysis?.score.share ?? null;
  }

  _drawMoves() {
    const start = this.positions.known(this.tree.root);
    const isPaired = !this.game.chance;
    const first = 2 * ((this.tree.head.number ?? 1) - 1) + (isPaired && start?.turn === "min" ? 1 : 0);
    this.moves.draw(this.tree, { isPaired, offset: isPaired ? first : 0 });
    this.moves.select(this.node);
    this._drawTags();
    parts.undo.disabled = !this.tree.canUndo;
    parts.redo.disabled = !this.tree.canRedo;
  }

  /** What the file says of the game: players, event, date. */
  _drawTags() {
    const tags = Object.entries(this.tree.tags).filter(([, text]) => /[^?.*\s]/.test(text));
    parts.tags.hidden = !tags.length;
    const players = tags.filter(([name]) => /^(white|black|player ?[12])$/i.test(name)).map(([, text]) => text);
    const title = element("summary", { text: players.join(" – ") || "About the game" });
    const list = tags.flatMap(([name, text]) => [element("dt", { class: "soft", text: name }), element("dd", { text })]);
    parts.tags.replaceChildren(title, element("dl", {}, ...list));
  }

  /** The marks, the comment and the variation of the current move. */
  _drawAnnotation() {
    const { node } = this;
    const branch = node.branch();
    parts.annotation.hidden = !node.parent && !this.tree.root.children.length;
    for (const button of parts.marks.children) {
      button.setAttribute("aria-pressed", String(node.nags.includes(Number(button.dataset.nag))));
      button.disabled = !node.parent;
    }
    parts.comment.value = node.comments.join("\n");
    parts.promote.disabled = parts["make-main"].disabled = !branch;
    parts.delete.disabled = !node.parent;
    parts["to-start"].disabled = parts["to-previous"].disabled = !node.parent;
    parts["to-next"].disabled = parts["to-end"].disabled = !node.children.length;
  }

  /** @param {any} position @param {{ game: string, position: string, moves: string[] }} request */
  _drawLinks(position, request) {
    const game = this.game.name;
    const here = { game, position: position.position };
    // With the moves, so that the rules about repetition know them.
    parts["open-play"].href = link("/play", { game, position: request.position, moves: request.moves.join(" ") });
    parts["open-watch"].href = link("/watch", here);
    const all = this.positions.moves(/** @type {Node} */ (this.tree.root.line().at(-1)));
    parts["open-review"].href = link("/review", { game, position: request.position, moves: all.join(" ") });
  }

  /** @param {string[]} moves @param {HTMLElement} at */
  async _preview(moves, at) {
    const asked = (this.previewed = {});
    const node = this.node;
    try {
      const position = await this.positions.at(node, moves);
      if (this.previewed !== asked || this.node !== node) return;
      const board = parts["preview-board"];
      board.disabled = true;
      board.view = parts.board.view;
      board.show({ ...position, moves: [] });
      parts.preview.hidden = false;
      const [box, own] = [at.getBoundingClientRect(), parts.preview.getBoundingClientRect()];
      const left = Math.min(Math.max(8, box.left), innerWidth - own.width - 8);
      const below = box.bottom + 8 + own.height < innerHeight;
      parts.preview.style.setProperty("left", `${left + scrollX}px`);
      parts.preview.style.setProperty("top", `${(below ? box.bottom + 8 : box.top - own.height - 8) + scrollY}px`);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this._hidePreview();
    }
  }

  _hidePreview() {
    this.previewed = null;
    parts.preview.hidden = true;
  }

  /** @param {string} message */
  _fail(message) {
    parts.problem.textContent = message;
  }

  // ---- drafts and links ----

  /** @returns {Draft | null} */
  _draft() {
    try {
      const draft = JSON.parse(stored(this.game.name) ?? "null");
      const isGame = Array.isArray(draft?.record?.moves) && (draft.record.moves.length || draft.record.start);
      return isGame ? { record: draft.record, at: Array.isArray(draft.at) ? draft.at : [] } : null;
    } catch {
      return null;
    }
  }

  /** Keep the game in this browser, so that a reload loses nothing. */
  _save() {
    clearTimeout(this.saving);
    this.saving = setTimeout(() => this._saveNow(), SAVE_AFTER);
  }

  _saveNow() {
    clearTimeout(this.saving);
    if (!this.game) return;
    const draft = { record: this.tree.record(), at: this.tree.address(this.node) };
    store(this.game.name, JSON.stringify(draft));
    store("game", this.game.name);
    // The address names the game only: a reload takes the draft, not what the link was.
    const address = link(location.pathname, { game: this.game.name });
    if (location.pathname + location.search + location.hash !== address) history.replaceState(null, "", address);
  }

  async _copyLink() {
    this._keepComment();
    const fragment = await toFragment({ game: this.game.name, record: this.tree.record(), at: this.tree.address(this.node) });
    const address = `${location.origin}${location.pathname}${fragment}`;
    const isCopied = await copyText(address);
    announce(isCopied ? "link copied" : "the browser does not allow copying");
    parts["copy-link"].textContent = isCopied ? "Link copied" : "Copying failed";
    setTimeout(() => (parts["copy-link"].textContent = "Copy link"), 2_000);
    parts["copy-link"].dataset.link = address;
  }

  // ---- edits ----

  _keepComment() {
    if (document.activeElement === parts.comment || parts.comment.dataset.changed) {
      delete parts.comment.dataset.changed;
      if (!this.tree.comment(this.node, parts.comment.value)) return;
      this._drawMoves();
      this._save();
    }
  }

  /** Change the moves and show a node. @param {() => Node} change */
  _edit(change) {
    this._keepComment();
    const node = change();
    this.node = node;
    this._changed();
    this.show(node);
  }

  _setupClosed() {
    parts.setup.hidden = true;
    parts.side.hidden = parts["move-input"].disabled = false;
    parts["setup-button"].focus({ preventScroll: true });
    if (this.position) parts.board.show(this.position);
    if (this.position) this.engine.show(this.positions.key(this.node), this.positions.request(this.node), this.position.over);
  }

  async _openSetup() {
    if (this.setup.isOpen) return this.setup.close();
    if (!this.position) return;
    this.engine.stop();
    parts.board.arrows = [];
    parts.board.values = [];
    parts.setup.hidden = false;
    parts.side.hidden = parts["move-input"].disabled = true;
    try {
      await this.setup.open(this.game, this.position);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this._fail(error.message);
    }
  }

  _connect() {
    parts["move-input"].disabled = true; // until there is a position
    for (const id of ["board", "move-input"]) {
      parts[id].addEventListener("move", (/** @type {CustomEvent} */ { detail }) => this.play(detail.text));
    }
    parts["move-input"].read = async (/** @type {string} */ typed) => (await this.positions.at(this.node, [typed])).played.at(-1);
    for (const [id, key] of [["to-start", "Home"], ["to-previous", "ArrowLeft"], ["to-next", "ArrowRight"], ["to-end", "End"]]) {
      parts[id].addEventListener("click", () => this._go(key));
    }
    parts.flip.addEventListener("click", () => {
      parts.board.view = parts.board.view === "min" ? "max" : "min";
      parts["board-row"].classList.toggle("flipped", parts.board.view === "min");
    });
    parts.undo.addEventListener("click", () => this._edit(() => this.tree.undo(this.node)));
    parts.redo.addEventListener("click", () => this._edit(() => this.tree.redo(this.node)));
    parts.promote.addEventListener("click", () => this._edit(() => (this.tree.promote(this.node), this.node)));
    parts["make-main"].addEventListener("click", () => this._edit(() => (this.tree.makeMain(this.node), this.node)));
    parts.delete.addEventListener("click", () => this._edit(() => this.tree.remove(this.node)));
    parts["new-game"].addEventListener("click", () => this._replace({ moves: [] }));
    parts["setup-button"].addEventListener("click", () => this._openSetup());
    parts["copy-link"].addEventListener("click", () => this._copyLink());
    parts.comment.addEventListener("input", () => (parts.comment.dataset.changed = "true"));
    parts.comment.addEventListener("change", () => this._keepComment());
    parts.marks.append(
      ...Object.entries(MARKS).map(([nag, [glyph, name]]) =>
        element("button", {
          type: "button",
          class: `icon mark-${nag}`,
          "data-nag": nag,
          "aria-label": name,
          title: name,
          text: glyph,
          onclick: () => this._edit(() => (this.tree.toggleMark(this.node, Number(nag)), this.node)),
        }),
      ),
    );
    parts.curve.addEventListener("jump", (/** @type {CustomEvent} */ { detail }) => {
      const node = this.node.line()[detail.ply];
      if (node) this.show(node);
    });
    parts.game.addEventListener("change", () => {
      this._saveNow();
      history.pushState(null, "", link(location.pathname, { game: parts.game.value }));
      this._open();
    });
    parts.evaluation.addEventListener("change", () => this.position && this.explanation.show(this.positions.request(this.node), this.position, this.engine.evaluation));
    addEventListener("pagehide", () => this._saveNow());
    addEventListener("keydown", (event) => this._key(event), { capture: true });
  }

  /** @param {KeyboardEvent} event */
  _key(event) {
    const target = /** @type {Element} */ (event.target instanceof Element ? event.target : document.body);
    if (target.closest("input:not([type=checkbox]), textarea, select, dialog, summary")) return;
    const control = event.ctrlKey || event.metaKey;
    if (control && event.key.toLowerCase() === "z") {
      const { tree } = this;
      this._edit(() => (event.shiftKey ? tree.redo(this.node) : tree.undo(this.node)));
    } else if (control || event.altKey || event.shiftKey || this.setup.isOpen) {
      return;
    } else if (["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"].includes(event.key)) {
      // On the board, arrow keys choose a square, unless it only has the focus because it was clicked.
      if (target.closest("zermelo-board") && target.matches(":focus-visible")) return;
      this._go(event.key);
    } else if (event.key === "Delete" && target.closest("#moves")) {
      this._edit(() => this.tree.remove(this.node));
    } else {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  }
}

/** Who moves, or how the game ended. @param {any} position */
function stateText(position) {
  if (position.over) return position.result?.text ?? "The game is over";
  if (position.turn === "chance") return "Chance decides";
  return `${capitalised(position.player)} to move`;
}

/** @param {string} name */
function stored(name) {
  try {
    return localStorage.getItem(DRAFT + name);
  } catch {
    return null;
  }
}

/** @param {string} name @param {string} text */
function store(name, text) {
  try {
    localStorage.setItem(DRAFT + name, text);
  } catch {
    // Storage is full or blocked: the game lasts until the page is left.
  }
}

const page = new AnalysisPage();
page.start().catch((error) => {
  parts.problem.textContent = error instanceof Error ? error.message : String(error);
});
