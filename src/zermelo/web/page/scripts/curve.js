// <zermelo-curve>: the expected result of a game over its moves, with marked mistakes; a click or a key jumps to a move.
//
//     curve.names = ["white", "black"];
//     curve.labels = ["1. e4", "1... e5"];                           // the moves; one fewer than the values
//     curve.values = [0.5, 0.52, 0.48];                              // MAX's share before each move and at the end
//     curve.marks = [{ ply: 1, side: "min", mark: "blunder" }];      // ply: index of the move
//     curve.current = 2;                                             // moves played in the position that is shown
//     curve.addEventListener("jump", (event) => go(event.detail.ply));

import { element } from "/scripts/teaching/dom.js";

/** @typedef {"inaccuracy" | "mistake" | "blunder"} MarkName */
/** @typedef {{ply: number, side: "max" | "min", mark: MarkName, text?: string}} Mark */

/** How marks are written, as in game files. */
export const SYMBOLS = { inaccuracy: "?!", mistake: "?", blunder: "??" };
/** Plies of Page Up and Page Down. */
const PAGE = 10;

/** @type {Promise<any> | undefined} */
let loading;

/** The plotting library, loaded when the first curve is drawn. A page of one file has it. */
function uplot() {
  loading ??= /** @type {any} */ (globalThis).uPlot ? Promise.resolve(/** @type {any} */ (globalThis).uPlot) : new Promise((resolve, reject) => {
    const script = element("script", { src: "/vendor/uplot/uPlot.iife.min.js" });
    script.onload = () => resolve(/** @type {any} */ (globalThis).uPlot);
    script.onerror = () => reject(new Error("the curve cannot be drawn: uPlot was not loaded"));
    document.head.append(element("link", { rel: "stylesheet", href: "/vendor/uplot/uPlot.min.css" }), script);
  });
  return loading;
}

/** A share as text: "62 %". */
const percent = (/** @type {number} */ share) => `${Math.round(100 * share)} %`;

/** Fires `jump` with `{ply}` in `detail`. */
export class ZermeloCurve extends HTMLElement {
  /** @type {(number | null)[]} */
  #values = [];
  /** @type {Mark[]} */
  #marks = [];
  /** @type {string[]} */
  #labels = [];
  /** @type {[string, string]} */
  #names = ["MAX", "MIN"];
  #current = 0;
  /** @type {any} */
  #plot = null;
  #isQueued = false;
  #isDragged = false;

  #frame = element("div", {
    class: "curve-frame",
    role: "slider",
    tabindex: 0,
    "aria-label": "Curve of the game",
    "aria-orientation": "horizontal",
  });
  #above = element("span", { class: "curve-name" });
  #below = element("span", { class: "curve-name curve-below" });
  #probe = element("span", { hidden: "" });
  #readout = element("p", { class: "curve-readout small soft numbers", "aria-hidden": "true" });
  #body = element("tbody");
  #table = element(
    "details",
    { class: "curve-table" },
    element("summary", { text: "Values as a table" }),
    element(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Values of the curve" },
      element(
        "table",
        {},
        element("thead", {}, element("tr", {}, ...["Move", "Share", "Mark"].map((text) => element("th", { scope: "col", text })))),
        this.#body,
      ),
    ),
  );
  #sizes = new ResizeObserver(() => this.#resize());
  #themes = new MutationObserver(() => this.#redraw());
  #dark = matchMedia("(prefers-color-scheme: dark)");
  #onTheme = () => this.#redraw();

  /** Expected result for MAX, 0 to 1, before each move and at the end; null where it is not known. */
  get values() {
    return this.#values;
  }
  set values(values) {
    this.#values = values ?? [];
    this.#queue();
  }

  get marks() {
    return this.#marks;
  }
  set marks(marks) {
    this.#marks = marks ?? [];
    this.#queue();
  }

  /** The moves with their numbers. */
  get labels() {
    return this.#labels;
  }
  set labels(labels) {
    this.#labels = labels ?? [];
    this.#queue();
  }

  /** Names of MAX and MIN. */
  get names() {
    return this.#names;
  }
  set names(names) {
    this.#names = names;
    this.#queue();
  }

  /** The number of moves before the position that is shown. */
  get current() {
    return this.#current;
  }
  set current(ply) {
    this.#current = ply;
    this.#describe();
    this.#redraw();
  }

  connectedCallback() {
    if (!this.#frame.isConnected) this.append(this.#above, this.#frame, this.#below, this.#readout, this.#table, this.#probe);
    this.#frame.addEventListener("keydown", this.#key);
    this.#frame.addEventListener("pointerdown", this.#down);
    this.#frame.addEventListener("pointermove", this.#move);
    this.#frame.addEventListener("pointerup", this.#up);
    this.#frame.addEventListener("pointercancel", this.#up);
    this.#table.addEventListener("toggle", () => this.#fillTable());
    this.#sizes.observe(this.#frame);
    this.#themes.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    this.#dark.addEventListener("change", this.#onTheme);
    this.#queue();
  }

  disconnectedCallback() {
    this.#sizes.disconnect();
    this.#themes.disconnect();
    this.#dark.removeEventListener("change", this.#onTheme);
    this.#plot?.destroy();
    this.#plot = null;
  }

  #queue() {
    if (this.#isQueued) return;
    this.#isQueued = true;
    queueMicrotask(() => {
      this.#isQueued = false;
      if (this.isConnected) this.#draw();
    });
  }

  // ---- drawing ---------------------------------------------------------------------------------------------------

  async #draw() {
    this.#above.textContent = `↑ ${this.#names[0]}`;
    this.#below.textContent = `↓ ${this.#names[1]}`;
    this.#describe();
    this.#fillTable();
    const library = await uplot();
    if (!this.isConnected) return;
    const plies = this.#values.map((_, ply) => ply);
    if (this.#plot) {
      this.#plot.setData([plies, this.#values]);
      return;
    }
    const colour = (/** @type {string} */ name) => this.#colour(name);
    const { width, height } = this.#size();
    this.#plot = new library(
      {
        width,
        height,
        padding: [6, 8, 6, 8],
        legend: { show: false },
        cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
        scales: { x: { time: false, range: () => [0, Math.max(this.#values.length - 1, 1)] }, y: { range: () => [0, 1] } },
        axes: [{ show: false }, { show: false }],
        series: [{}, { stroke: () => colour("ink"), width: 1.5, fill: () => colour("max"), points: { show: () => this.#values.length < 3 } }],
        hooks: {
          drawClear: [(/** @type {any} */ plot) => this.#ground(plot, colour)],
          draw: [(/** @type {any} */ plot) => this.#over(plot, colour, library.pxRatio ?? devicePixelRatio)],
          setCursor: [(/** @type {any} */ plot) => this.#read(plot.cursor.idx)],
        },
      },
      [plies, this.#values],
      this.#frame,
    );
  }

  /** The part above the curve, where it is known. */
  #ground(/** @type {any} */ plot, /** @type {(name: string) => string} */ colour) {
    const { ctx, bbox } = plot;
    ctx.save(); // uPlot remembers the style that it has set
    ctx.fillStyle = colour("min");
    const isKnown = (/** @type {number} */ ply) => typeof this.#values[ply] === "number";
    for (let first = 0; first < this.#values.length; first++) {
      let last = first;
      while (isKnown(first) && isKnown(last + 1)) last++;
      const from = plot.valToPos(first, "x", true);
      ctx.fillRect(from, bbox.top, plot.valToPos(last, "x", true) - from, bbox.height);
      first = last;
    }
    ctx.restore();
  }

  /** The middle, the current position and the marks. */
  #over(/** @type {any} */ plot, /** @type {(name: string) => string} */ colour, /** @type {number} */ scale) {
    const { ctx, bbox } = plot;
    const x = (/** @type {number} */ ply) => plot.valToPos(ply, "x", true);
    ctx.save();
    ctx.lineWidth = scale;
    ctx.strokeStyle = colour("line");
    ctx.setLineDash([4 * scale, 4 * scale]);
    line(ctx, bbox.left, bbox.top + bbox.height / 2, bbox.left + bbox.width, bbox.top + bbox.height / 2);
    ctx.setLineDash([]);
    ctx.strokeStyle = colour("here");
    ctx.lineWidth = 2 * scale;
    line(ctx, x(this.#current), bbox.top, x(this.#current), bbox.top + bbox.height);
    for (const { ply, mark } of this.#marks) {
      const share = this.#values[ply + 1] ?? this.#values[ply];
      if (share === null || share === undefined) continue;
      drawMark(ctx, mark, x(ply + 1), plot.valToPos(share, "y", true), 5 * scale, colour);
    }
    ctx.restore();
  }

  /** A colour of the tokens for the canvas, which does not know light-dark(). */
  #colour(/** @type {string} */ name) {
    this.#probe.style.color = `var(--${name})`;
    return getComputedStyle(this.#probe).color;
  }

  #redraw() {
    this.#plot?.redraw();
  }

  #size() {
    const { width, height } = this.#frame.getBoundingClientRect();
    return { width: Math.max(Math.floor(width), 60), height: Math.max(Math.floor(height), 60) };
  }

  #resize() {
    this.#plot?.setSize(this.#size());
  }

  // ---- text ------------------------------------------------------------------------------------------------------

  /** The position after some moves, in words. */
  #text(/** @type {number} */ ply) {
    const share = this.#values[ply];
    const mark = this.#marks.find((each) => each.ply === ply - 1);
    const place = ply === 0 ? "Start" : this.#labels[ply - 1] ?? `Move ${ply}`;
    const value = share === null || share === undefined ? "not known" : `${this.#names[0]} ${percent(share)}`;
    return [`${place}${mark ? SYMBOLS[mark.mark] : ""}`, value, mark?.text ?? mark?.mark].filter(Boolean).join(" · ");
  }

  #read(/** @type {number | null | undefined} */ ply) {
    this.#readout.textContent = this.#text(ply ?? this.#current);
  }

  #describe() {
    this.#read(null);
    this.#frame.setAttribute("aria-valuemin", "0");
    this.#frame.setAttribute("aria-valuemax", String(Math.max(this.#values.length - 1, 0)));
    this.#frame.setAttribute("aria-valuenow", String(this.#current));
    this.#frame.setAttribute("aria-valuetext", this.#text(this.#current));
  }

  #fillTable() {
    if (!(/** @type {HTMLDetailsElement} */ (this.#table).open)) return;
    const rows = this.#values.map((share, ply) => {
      const mark = this.#marks.find((each) => each.ply === ply - 1);
      const place = ply === 0 ? "Start" : this.#labels[ply - 1] ?? String(ply);
      return element(
        "tr",
        {},
        element("th", { scope: "row", text: place }),
        element("td", { class: "number", text: share === null ? "–" : percent(share) }),
        element("td", { text: mark?.mark ?? "" }),
      );
    });
    this.#body.replaceChildren(...rows);
  }

  // ---- choosing a position -----------------------------------------------------------------------------------------

  #jump(/** @type {number} */ ply) {
    const last = Math.max(this.#values.length - 1, 0);
    const wanted = Math.min(Math.max(ply, 0), last);
    if (wanted === this.#current) return;
    this.dispatchEvent(new CustomEvent("jump", { detail: { ply: wanted }, bubbles: true }));
  }

  #key = (/** @type {KeyboardEvent} */ event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const last = this.#values.length - 1;
    const targets = /** @type {Record<string, number>} */ ({
      ArrowLeft: this.#current - 1,
      ArrowDown: this.#current - 1,
      ArrowRight: this.#current + 1,
      ArrowUp: this.#current + 1,
      PageDown: this.#current - PAGE,
      PageUp: this.#current + PAGE,
      Home: 0,
      End: last,
    });
    if (!(event.key in targets)) return;
    event.preventDefault();
    event.stopPropagation();
    this.#jump(targets[event.key]);
  };

  #down = (/** @type {PointerEvent} */ event) => {
    if (event.button !== 0) return;
    this.#isDragged = true;
    this.#frame.setPointerCapture(event.pointerId);
    this.#jumpTo(event);
  };

  #move = (/** @type {PointerEvent} */ event) => {
    if (this.#isDragged) this.#jumpTo(event);
  };

  #up = () => {
    this.#isDragged = false;
  };

  #jumpTo(/** @type {PointerEvent} */ event) {
    const over = this.#plot?.over.getBoundingClientRect();
    if (over) this.#jump(Math.round(this.#plot.posToVal(event.clientX - over.left, "x")));
  }
}

/** @param {CanvasRenderingContext2D} ctx */
function line(ctx, x1, y1, x2, y2) {
  ctx.beginPath();
  ctx.moveTo(x1, y1);
  ctx.lineTo(x2, y2);
  ctx.stroke();
}

/**
 * A mark; its shape tells it apart without colours: a ring, a triangle, a diamond.
 *
 * @param {CanvasRenderingContext2D} ctx
 * @param {MarkName} mark
 * @param {number} x
 * @param {number} y
 * @param {number} size
 * @param {(name: string) => string} colour
 */
function drawMark(ctx, mark, x, y, size, colour) {
  ctx.lineWidth = size / 2.5;
  ctx.strokeStyle = mark === "inaccuracy" ? colour("warn") : colour("ground");
  ctx.fillStyle = mark === "inaccuracy" ? colour("ground") : colour(mark === "blunder" ? "bad" : "warn");
  ctx.beginPath();
  if (mark === "inaccuracy") {
    ctx.arc(x, y, 0.75 * size, 0, 2 * Math.PI);
  } else {
    const corners = mark === "mistake" ? [[0, -1.2], [1.1, 0.9], [-1.1, 0.9]] : [[0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]];
    corners.forEach(([dx, dy], place) => ctx[place ? "lineTo" : "moveTo"](x + dx * size, y + dy * size));
    ctx.closePath();
  }
  ctx.stroke();
  ctx.fill();
}

customElements.define("zermelo-curve", ZermeloCurve);
