// <zermelo-curve>: the expected result of a game over its moves, with marked mistakes; a click or a key jumps to a move.
//
//     curve.names = ["white", "black"];
//     curve.labels = ["1. e4", "1... e5"];                           // the moves; one fewer than the values
//     curve.values = [0.5, 0.52, 0.48];                              // MAX's share before each move and at the end
//     curve.marks = [{ ply: 1, side: "min", mark: "blunder" }];      // ply: index of the move
//     curve.current = 2;                                             // moves played in the position that is shown
//     curve.addEventListener("jump", (event) => go(event.detail.ply));

import { element, svgElement } from "/scripts/teaching/dom.js";

/** @typedef {"inaccuracy" | "mistake" | "blunder"} MarkName */
/** @typedef {{ply: number, side: "max" | "min", mark: MarkName, text?: string}} Mark */

/** How marks are written, as in game files. */
export const SYMBOLS = { inaccuracy: "?!", mistake: "?", blunder: "??" };
/** Plies of Page Up and Page Down. */
const PAGE = 10;

/** Marks around their place; the shape tells them apart without colours: a ring, a triangle, a diamond. */
const SHAPES = { inaccuracy: "M4 0A4 4 0 1 1-4 0 4 4 0 1 1 4 0Z", mistake: "M0-6 5.5 4.5H-5.5Z", blunder: "M0-6.5 6.5 0 0 6.5-6.5 0Z" };

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
  #isQueued = false;
  #isDragged = false;

  #here = svgElement("line", { class: "curve-here", y2: "100%" });
  #pointed = svgElement("line", { class: "curve-pointed", y2: "100%", visibility: "hidden" });
  #plot = svgElement("svg", { class: "curve-plot" });
  #frame = element(
    "div",
    { class: "curve-frame", role: "slider", tabindex: 0, "aria-label": "Curve of the game", "aria-orientation": "horizontal" },
    this.#plot,
  );
  #above = element("span", { class: "curve-name" });
  #below = element("span", { class: "curve-name curve-below" });
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
    this.#place(this.#here, ply);
  }

  connectedCallback() {
    if (!this.#frame.isConnected) this.append(this.#above, this.#frame, this.#below, this.#readout, this.#table);
    this.#frame.addEventListener("keydown", this.#key);
    this.#frame.addEventListener("pointerdown", this.#down);
    this.#frame.addEventListener("pointermove", this.#move);
    this.#frame.addEventListener("pointerup", this.#up);
    this.#frame.addEventListener("pointercancel", this.#up);
    this.#frame.addEventListener("pointerleave", this.#leave);
    this.#table.addEventListener("toggle", () => this.#fillTable());
    this.#queue();
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

  /** The last ply; at least 1, so that a curve has a width. */
  get #last() {
    return Math.max(this.#values.length - 1, 1);
  }

  #draw() {
    this.#above.textContent = `↑ ${this.#names[0]}`;
    this.#below.textContent = `↓ ${this.#names[1]}`;
    this.#describe();
    this.#fillTable();
    const { above, below, curve, single } = this.#paths();
    this.#plot.replaceChildren(
      svgElement(
        "svg",
        { viewBox: `0 0 ${this.#last} 1`, preserveAspectRatio: "none" }, // a ply wide, a share high, whatever the size
        svgElement("path", { class: "curve-min", d: above }),
        svgElement("path", { class: "curve-max", d: below }),
        svgElement("path", { class: "curve-line", d: curve }),
        svgElement("path", { class: "curve-single", d: single }),
      ),
      svgElement("line", { class: "curve-middle", x2: "100%", y1: "50%", y2: "50%" }),
      this.#here,
      ...this.#marks.map((mark) => this.#drawnMark(mark)),
      this.#pointed,
    );
    this.#place(this.#here, this.#current);
  }

  /** Where values are known: the parts above and below the curve, the curve, and dots for values between unknown ones. */
  #paths() {
    let [above, below, curve, single] = ["", "", "", ""];
    for (let first = 0; first < this.#values.length; first++) {
      const points = [];
      for (let ply = first; typeof this.#values[ply] === "number"; ply++) points.push(`${ply} ${1 - /** @type {number} */ (this.#values[ply])}`);
      if (!points.length) continue;
      const last = first + points.length - 1;
      above += `M${first} 0L${points.join(" ")} ${last} 0Z`;
      below += `M${first} 1L${points.join(" ")} ${last} 1Z`;
      if (first === last) single += `M${points[0]}h0`; // a line without length with round ends
      else curve += `M${points.join(" ")}`;
      first = last;
    }
    return { above, below, curve, single };
  }

  #drawnMark(/** @type {Mark} */ { ply, mark }) {
    const share = this.#values[ply + 1] ?? this.#values[ply];
    if (typeof share !== "number") return "";
    return svgElement(
      "svg",
      { x: `${(100 * (ply + 1)) / this.#last}%`, y: `${100 - 100 * share}%`, overflow: "visible" },
      svgElement("path", { class: `curve-${mark}`, d: SHAPES[mark] }),
    );
  }

  /** Place an upright line at a ply. */
  #place(/** @type {SVGLineElement} */ line, /** @type {number} */ ply) {
    for (const end of ["x1", "x2"]) line.setAttribute(end, `${(100 * ply) / this.#last}%`);
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

  #read(/** @type {number} */ ply) {
    this.#readout.textContent = this.#text(ply);
  }

  #describe() {
    this.#read(this.#current);
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
    this.#jump(this.#plyAt(event));
  };

  #move = (/** @type {PointerEvent} */ event) => {
    const ply = this.#plyAt(event);
    this.#place(this.#pointed, ply);
    this.#pointed.setAttribute("visibility", "visible");
    this.#read(ply);
    if (this.#isDragged) this.#jump(ply);
  };

  #up = () => {
    this.#isDragged = false;
  };

  #leave = () => {
    this.#pointed.setAttribute("visibility", "hidden");
    this.#read(this.#current);
  };

  #plyAt(/** @type {PointerEvent} */ event) {
    const { left, width } = this.#plot.getBoundingClientRect();
    const ply = Math.round(((event.clientX - left) / width) * this.#last);
    return Math.min(Math.max(ply, 0), Math.max(this.#values.length - 1, 0));
  }
}

customElements.define("zermelo-curve", ZermeloCurve);
