// The engine of the analysis page: its switch and settings, the lines of the search as they deepen, and the values of
// all moves.

import { ApiError, stream } from "/scripts/api.js";
import { offerConfidences } from "/scripts/moves_searched.js";
import { element } from "/scripts/teaching/dom.js";

/**
 * A score from the side of MAX; `share` is MAX's expected result, 0 to 1.
 * @typedef {{ text: string, words: string, number: number, proven: boolean, unit: string, share: number,
 *   plies: number | null, expected: number | null }} Score
 * @typedef {{ score: Score, moves: string[] }} SearchedLine
 * @typedef {{ depth: number, score: Score, nodes: number, nodes_per_second: number, seconds: number,
 *   lines: SearchedLine[], best: string | null, selective: boolean, confidence: number | null, algorithm: string }} Analysis
 * @typedef {{ text: string, score: Score, depth: number }} MoveValue
 * @typedef {{ analysis: Analysis | null, values: MoveValue[], end: string }} Result
 * @typedef {{ isOn: boolean, lines: number, limit: string, values: boolean, arrows: boolean }} Settings
 */

const SETTINGS_KEY = "zermelo-analysis";
/** Limits of a search that the reader can choose: a name and the fields of the request. */
const LIMITS = /** @type {const} */ ([
  ["long", "up to 5 minutes", {}],
  ["hour", "up to 1 hour", { seconds: 3600 }],
  ["2s", "2 seconds", { seconds: 2 }],
  ["10s", "10 seconds", { seconds: 10 }],
  ["60s", "60 seconds", { seconds: 60 }],
  ["d4", "depth 4", { depth: 4 }],
  ["d8", "depth 8", { depth: 8 }],
  ["d12", "depth 12", { depth: 12 }],
  ["d20", "depth 20", { depth: 20 }],
]);
const REASONS = /** @type {Record<string, string>} */ ({
  depth: "depth reached",
  seconds: "time used",
  nodes: "nodes used",
  exact: "solved: the value is proven",
  rounded: "searched to the end",
  stopped: "stopped",
  replaced: "stopped by a search in another window",
  "game over": "the game is over",
});
/** The name of this page for the server, which ends its earlier search when it begins another. */
const CLIENT = Array.from(crypto.getRandomValues(new Uint32Array(2)), (part) => part.toString(36)).join("");
/** A wait before a search begins, in milliseconds: who steps through a game quickly starts none. */
const PAUSE = 80;
/** The wait before a busy server is asked again, in milliseconds. */
const BUSY_PAUSE = 2_000;
/** The most results that are kept. */
const MOST_KEPT = 2_000;

const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });

export class Engine {
  /**
   * @param {Record<string, HTMLElement>} parts the elements of the page, by their ids
   * @param {{ changed: (result: Result) => void, play: (moves: string[]) => void,
   *   preview: (moves: string[], at: HTMLElement) => void, hidePreview: () => void,
   *   announce: (text: string) => void }} page
   */
  constructor(parts, page) {
    this.parts = parts;
    this.page = page;
    /** @type {Settings} */
    this.settings = { isOn: true, lines: 1, limit: "long", values: false, arrows: true, ...storedSettings() };
    /** The evaluation's name; empty for the game's first one. It is not kept: games have different ones. */
    this.evaluation = "";
    /** Which moves are searched: empty for the game's default, "all", "selective" or a confidence in percent. Not kept either. */
    this.confidence = "";
    /** The evaluations with which searches at a confidence are possible. @type {string[]} */
    this.confident = [];
    /** @type {{ key: string, request: any, isOver: boolean } | null} */
    this.position = null;
    /** @type {AbortController | null} */
    this.running = null;
    /** @type {Map<string, Result>} */
    this.kept = new Map();
    this.isExact = false;
    /** Whether the server has no process for the search yet. */
    this.isWaiting = false;
    this._connect();
  }

  /** What was found of a position so far. @param {string} key */
  found(key) {
    return this.kept.get(this._key(key));
  }

  /**
   * The evaluations and confidences that can be chosen.
   * @param {{ evaluations: string[], confident_evaluations: string[], selective: boolean }} game its first evaluation first
   */
  offer({ evaluations: names, confident_evaluations: confident, selective }) {
    const select = /** @type {HTMLSelectElement} */ (this.parts.evaluation);
    const confidence = /** @type {HTMLSelectElement} */ (this.parts.confidence);
    /** @type {HTMLElement} */ (confidence.closest("label")).hidden = !selective || !names.length;
    this.confident = confident;
    select.replaceChildren(...names.map((name) => element("option", { value: name, text: name })));
    /** @type {HTMLElement} */ (select.closest("label")).hidden = names.length < 2;
    this.evaluation = "";
    confidence.value = this.confidence = "";
    this._offerConfidences();
    this.kept.clear();
  }

  /** Offer the confidences that are possible with the chosen evaluation. */
  _offerConfidences() {
    const { evaluation, confidence } = /** @type {Record<string, HTMLSelectElement>} */ (this.parts);
    offerConfidences(confidence, this.confident.includes(evaluation.value));
    this.confidence = confidence.value;
  }

  /**
   * Search another position.
   * @param {string} key of the position, among those of its game @param {any} request
   * @param {boolean} isOver whether there is nothing to search
   */
  show(key, request, isOver) {
    this.stop();
    this.isExact = false;
    this.position = { key, request, isOver };
    this._draw();
    if (this.settings.isOn && !isOver) this._start(PAUSE);
  }

  /** Stop the search; what it found stays. */
  stop() {
    this.running?.abort();
    this.running = null;
    clearTimeout(this.timer);
  }

  _connect() {
    const { parts, settings } = this;
    const input = (/** @type {string} */ id) => /** @type {HTMLInputElement} */ (parts[id]);
    parts.limit.append(...LIMITS.map(([value, text]) => element("option", { value, text })));
    input("engine-on").checked = settings.isOn;
    input("line-count").value = String(settings.lines);
    input("limit").value = settings.limit;
    input("move-values").checked = settings.values;
    input("arrows").checked = settings.arrows;
    parts["engine-on"].addEventListener("change", () => this._set({ isOn: input("engine-on").checked }));
    parts["line-count"].addEventListener("change", () => this._set({ lines: Number(input("line-count").value) }));
    parts.limit.addEventListener("change", () => this._set({ limit: input("limit").value }));
    parts["move-values"].addEventListener("change", () => this._set({ values: input("move-values").checked }));
    parts.arrows.addEventListener("change", () => this._set({ arrows: input("arrows").checked }, false));
    parts.evaluation.addEventListener("change", () => {
      this.evaluation = input("evaluation").value;
      this._offerConfidences();
      this._set({});
    });
    parts.confidence.addEventListener("change", () => {
      this.confidence = input("confidence").value;
      this._set({});
    });
    parts["engine-stop"].addEventListener("click", () => this._toggle());
    parts.solve.addEventListener("click", () => {
      this.stop();
      this.isExact = true;
      this._start(0);
    });
    parts["engine-settings-button"].addEventListener("click", () => {
      const isOpen = parts["engine-settings"].hidden;
      parts["engine-settings"].hidden = !isOpen;
      parts["engine-settings-button"].setAttribute("aria-expanded", String(isOpen));
    });
    parts["engine-lines"].addEventListener("pointerleave", () => this.page.hidePreview());
  }

  /** @param {Partial<Settings>} changes @param {boolean} isOther whether the search must begin anew */
  _set(changes, isOther = true) {
    Object.assign(this.settings, changes);
    try {
      localStorage.setItem(SETTINGS_KEY, JSON.stringify(this.settings));
    } catch {
      // Storage is blocked: the settings last until the page is left.
    }
    if (isOther && this.position) this.show(this.position.key, this.position.request, this.position.isOver);
    else this._draw();
  }

  /** Stop the search that runs, or begin it again. */
  _toggle() {
    if (this.running) {
      this.stop();
      const result = this._result();
      if (result) result.end = "stopped";
      this._draw();
    } else if (this.position && !this.position.isOver) {
      this._start(0);
    }
  }

  /** @param {number} pause */
  _start(pause) {
    const position = this.position;
    if (!position) return;
    const control = new AbortController();
    this.running = control;
    this.isWaiting = false;
    this.timer = setTimeout(() => this._search(position, control), pause);
    this._draw();
  }

  /** @param {{ key: string, request: any }} position @param {AbortController} control */
  async _search(position, control) {
    const { lines, limit, values } = this.settings;
    const limits = this.isExact ? { exact: true } : LIMITS.find(([name]) => name === limit)?.[2] ?? {};
    const certainty = this.isExact ? {} : certaintyOf(this.confidence);
    const body = { ...position.request, ...limits, ...certainty, lines, values, client: CLIENT, ...(this.evaluation && { evaluation: this.evaluation }) };
    const result = this._keep(position.key, { analysis: null, values: [], ...this.found(position.key), end: "" });
    const update = (/** @type {Partial<Result>} */ news, isWaiting = false) => {
      if (this.running !== control) return;
      this.isWaiting = isWaiting;
      Object.assign(result, news);
      this._later();
    };
    const handlers = {
      signal: control.signal,
      compiling: (/** @type {{ text: string, seconds: number }} */ { text, seconds }) =>
        update({ end: `${text.replace(/[\s.…]+$/, "")}: ${Math.round(seconds)} s` }),
      analysis: (/** @type {Analysis} */ analysis) => update({ analysis, end: "" }),
      progress: (/** @type {Pick<Analysis, "nodes" | "nodes_per_second" | "seconds">} */ counts) => {
        if (result.analysis) update({ analysis: { ...result.analysis, ...counts } });
      },
      values: (/** @type {{ moves: MoveValue[] }} */ { moves }) => update({ values: moves }),
      end: (/** @type {{ reason: string }} */ { reason }) => update({ end: REASONS[reason] ?? reason }),
    };
    try {
      while (this.running === control && !(await this._stream(body, handlers, update))) {
        await new Promise((resolve) => setTimeout(resolve, BUSY_PAUSE));
      }
    } finally {
      if (this.running === control) {
        this.running = null;
        this._draw();
        if (result.analysis) this.page.announce(`Analysis: ${describe(result.analysis)}`);
      }
    }
  }

  /**
   * Follow a search to its end; return whether the server had a process for it.
   * @param {any} body @param {any} handlers @param {(news: Partial<Result>, isWaiting?: boolean) => void} update
   */
  async _stream(body, handlers, update) {
    try {
      await stream("/api/analyse", body, handlers);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      update({ end: error.message }, error.status === 429);
      if (error.status === 429) return false;
      this.page.announce(error.message);
    }
    return true;
  }

  /** Draw once a frame, however many events arrive. */
  _later() {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this._draw();
    });
  }

  /** The key of a result: one position has several, by evaluation and confidence. @param {string} key */
  _key(key) {
    return `${this.evaluation}\n${this.confidence}\n${key}`;
  }

  /** @param {string} key @param {Result} result */
  _keep(key, result) {
    const whole = this._key(key);
    this.kept.delete(whole);
    this.kept.set(whole, result);
    if (this.kept.size > MOST_KEPT) this.kept.delete(/** @type {string} */ (this.kept.keys().next().value));
    return result;
  }

  _result() {
    return this.position ? this.found(this.position.key) : undefined;
  }

  _draw() {
    const { parts, settings } = this;
    const result = this._result() ?? { analysis: null, values: [], end: "" };
    const analysis = result.analysis;
    const isRunning = this.running !== null;
    parts.engine.classList.toggle("running", isRunning && !this.isWaiting);
    parts["engine-score"].textContent = analysis ? analysis.score.text : "";
    parts["engine-score"].title = analysis?.score.words ?? "";
    parts["engine-facts"].textContent = analysis
      ? `depth ${analysis.depth} · ${compact.format(analysis.nodes)} ${analysis.algorithm === "mcts" ? "playouts" : "nodes"} · ${compact.format(analysis.nodes_per_second)}/s`
      : "";
    const kind = analysis && kindOf(analysis);
    parts["engine-kind"].textContent = kind ? kind[0] : "";
    parts["engine-kind"].title = kind ? kind[1] : "";
    parts["engine-kind"].hidden = !kind;
    parts["engine-kind"].classList.toggle("is-proven", Boolean(analysis?.score.proven));
    parts["engine-stop"].textContent = isRunning ? (this.isWaiting ? "Cancel" : "Stop") : "Go on";
    const stop = /** @type {HTMLButtonElement} */ (parts["engine-stop"]);
    const solve = /** @type {HTMLButtonElement} */ (parts.solve);
    const isSolved = !isRunning && Boolean(analysis?.score.proven) && result.end === REASONS.exact;
    stop.disabled = !this.position || this.position.isOver || isSolved;
    solve.disabled = stop.disabled || (isRunning && this.isExact);
    const doing = isRunning ? (this.isExact ? "solving…" : analysis ? "" : "searching…") : "";
    parts["engine-status"].textContent = result.end || doing;
    this._drawLines(analysis, settings.lines);
    this.page.changed(result);
  }

  /** @param {Analysis | null} analysis @param {number} count */
  _drawLines(analysis, count) {
    const list = this.parts["engine-lines"];
    const lines = analysis?.lines ?? [];
    // Elements are used again, so that a line that the pointer is on, or that has the focus, stays where it is.
    while (list.children.length > Math.max(lines.length, count)) list.lastElementChild?.remove();
    while (list.children.length < Math.max(lines.length, count)) list.append(this._lineElement());
    [...list.children].forEach((item, index) => fillLine(/** @type {HTMLElement} */ (item), lines[index]));
  }

  _lineElement() {
    const moves = element("span", { class: "line-moves" });
    const before = (/** @type {Event} */ { target }) => {
      const chosen = target instanceof Element ? target.closest("button") : null;
      if (!chosen) return null;
      const all = /** @type {HTMLElement[]} */ ([...moves.children]);
      return { chosen, moves: all.slice(0, all.indexOf(chosen) + 1).map((each) => each.textContent ?? "") };
    };
    for (const name of ["pointerover", "focusin"]) {
      moves.addEventListener(name, (event) => {
        const given = before(event);
        if (given) this.page.preview(given.moves, given.chosen);
      });
    }
    moves.addEventListener("focusout", () => this.page.hidePreview());
    moves.addEventListener("click", (event) => {
      const given = before(event);
      if (given) this.page.play(given.moves);
    });
    return element("li", {}, element("span", { class: "line-score numbers strong" }), moves);
  }
}

/** @param {HTMLElement} item @param {SearchedLine | undefined} line */
function fillLine(item, line) {
  const [score, moves] = /** @type {HTMLElement[]} */ ([...item.children]);
  score.textContent = line ? line.score.text : "";
  score.title = line?.score.words ?? "";
  score.classList.toggle("for-min", (line?.score.share ?? 1) < 0.5);
  const texts = line?.moves ?? [];
  texts.forEach((text, index) => {
    const known = moves.children[index];
    if (!known) moves.append(element("button", { type: "button", class: "line-move", text }));
    else if (known.textContent !== text) known.textContent = text;
  });
  while (moves.children.length > texts.length) moves.lastElementChild?.remove();
}

/** How far a score can be trusted: a word, and what it means. @param {Analysis} analysis @returns {[string, string]} */
function kindOf(analysis) {
  if (analysis.score.proven) return ["proven", "The value with best play by both sides: no evaluation took part in it."];
  if (analysis.selective) {
    const known = analysis.confidence === null ? "" : ` A search of all moves agrees with ${analysis.confidence} % confidence.`;
    return [`selective${known && `, ${analysis.confidence} %`}`, `An estimate: the search looked deeper at promising moves than at others, so it can miss one.${known}`];
  }
  return ["estimate", `An estimate by the evaluation: all moves were searched to depth ${analysis.depth}.`];
}

/** The fields of a request for the moves that are searched. @param {string} chosen @returns {Record<string, number | boolean>} */
function certaintyOf(chosen) {
  if (chosen === "all") return { selective: false };
  if (chosen === "selective") return { selective: true };
  return chosen ? { confidence: Number(chosen) } : {};
}

/** An analysis in one sentence. @param {Analysis} analysis */
function describe(analysis) {
  const kind = analysis.score.proven ? "proven" : `depth ${analysis.depth}`;
  return `${analysis.score.words}, ${kind}${analysis.best ? `, best ${analysis.best}` : ""}`;
}

/** @returns {Partial<Settings>} */
function storedSettings() {
  try {
    const stored = JSON.parse(localStorage.getItem(SETTINGS_KEY) ?? "{}");
    return typeof stored === "object" && stored !== null ? stored : {};
  } catch {
    return {};
  }
}
