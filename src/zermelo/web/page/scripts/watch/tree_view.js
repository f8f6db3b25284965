// A searched tree that can be folded, moved and zoomed: SVG for some hundred nodes, a canvas for more.

import { svgElement } from "/scripts/teaching/dom.js";
import { SHAPE, layout, shape, textWidth } from "/scripts/teaching/view.js";
import { CHANCE, KINDS, LEAF, MAX } from "./searched_tree.js";

/** Most visible nodes with texts and boards, as SVG; more are drawn as marks on a canvas. */
const MOST_DETAILED = 400;
/** Visible nodes from which a worker computes the places. */
const WORKER_FROM = 3_000;
/** Visible nodes of a large tree at first. */
const FIRST_NODES = 250;
/** Sizes in units of the drawing. */
const BOARD = 84;
const LINE = 16;
const MARK = 10;
const DENSE = { gap: 4, rowGap: 44 };
/** The canvas reaches beyond the view by this part of it on each side: a move of the view within it paints nothing. */
const MARGIN = 0.3;
const [MIN_ZOOM, MAX_ZOOM] = [0.0002, 6];
/** Zoom from which texts can be read: a tree opens with so many levels that they can. */
const LEGIBLE = 0.5;

/** What is true of a node after the steps taken, as bits. */
const VISITED = 1, PRUNED = 2, CROSSED = 4, CUT = 8, OPEN = 16, LINE_OF_PLAY = 32;

/** @typedef {{index: number, parent: number, depth: number, children: number[], isFolded: boolean}} Item */

export class TreeView {
  /**
   * @param {HTMLElement} host
   * @param {{onVisit: (index: number) => void, onSelect: (index: number) => void, onChange: () => void,
   *   wantBoards: (indices: number[]) => void}} page
   *   Called when a node is clicked; when another is selected; when nodes are folded or unfolded; for boards that it lacks.
   */
  constructor(host, page) {
    this.host = host;
    this.page = page;
    /** @type {import("./searched_tree.js").SearchedTree | null} */
    this.tree = null;
    this.boards = new Map(); // node -> function that makes its drawing
    this.withBoards = false;
    this.followsSearch = true;
    this.selected = 0;
    this.camera = { x: 0, y: 0, zoom: 1 };
    this.svg = svgElement("svg", { class: "zermelo tree-svg", "aria-hidden": "true" });
    this.world = svgElement("g");
    this.svg.append(this.world);
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("aria-hidden", "true");
    this.context = this.canvas.getContext("2d", { alpha: true });
    host.replaceChildren(this.canvas, this.svg);
    host.tabIndex = 0;
    host.setAttribute("role", "application");
    this.#listen();
    new ResizeObserver(() => this.#resize()).observe(host);
  }

  // ---- what is visible ----------------------------------------------------------------------------------------

  #levels = 1; // nodes above this depth show their children, unless `#chosen` says otherwise
  #chosen = new Map(); // node -> whether it was unfolded or folded by hand
  #path = []; // nodes from the root to the current one: unfolded while the search is there
  /** @type {Item[]} */
  #items = [];
  #places = { x: [], y: [], width: 1, height: 1 };
  #rows = []; // positions in #items by depth, from left to right
  #itemOf = new Map(); // node -> position in #items
  #worker = null;
  #job = 0;
  #isDense = false;
  #isCanvas = false;
  #state = new Uint8Array(0);
  #drawn = []; // of each item, its elements in the SVG
  #frame = 0;

  /** Show another search. */
  show(tree) {
    this.tree = tree;
    this.boards = new Map();
    this.selected = 0;
    this.#room = 0;
    this.#chosen.clear();
    this.#path = [];
    this.#levels = tree.levelsWithin(FIRST_NODES);
    this.#arrange(() => this.#open());
  }

  /** Fold levels until the texts can be read, and show the root. */
  #open() {
    this.fit();
    if (this.camera.zoom >= LEGIBLE || this.#levels === 1) return this.#center();
    this.#levels--;
    this.#arrange(() => this.#open());
  }

  /** Show the root at a legible size. */
  #center() {
    if (this.camera.zoom >= LEGIBLE || this.#isDense) return;
    this.camera.zoom = LEGIBLE;
    this.camera.x = this.#places.x[0] - this.host.clientWidth / 2 / LEGIBLE;
    this.camera.y = -16 / LEGIBLE;
    this.#draw();
  }

  get levels() {
    return this.#levels;
  }

  /** Unfold the first levels, and fold the rest. */
  setLevels(levels) {
    if (!this.tree) return;
    this.#levels = Math.max(1, Math.min(levels, this.tree.height));
    this.#chosen.clear();
    this.#arrange();
  }

  get visibleCount() {
    return this.#items.length;
  }

  /** Fold a node, or unfold it. */
  toggle(index) {
    if (!this.tree?.isInner(index)) return;
    const isOpen = this.#isOpen(index, new Set(this.#path));
    this.#chosen.set(index, !isOpen);
    this.#arrange();
  }

  isFolded(index) {
    return Boolean(this.#items[this.#itemOf.get(index)]?.isFolded);
  }

  #isOpen(index, path) {
    return this.#chosen.get(index) ?? (this.tree.depth[index] < this.#levels || path.has(index));
  }

  /** Collect the visible nodes and compute their places; a large number of them in a worker. */
  #arrange(after = () => {}) {
    const { tree } = this;
    const path = new Set(this.#path);
    /** @type {Item[]} */
    const items = [];
    const stack = [[0, -1]];
    while (stack.length) {
      const [index, parent] = stack.pop();
      const isOpen = tree.isInner(index) && this.#isOpen(index, path);
      const place = items.push({ index, parent, depth: tree.depth[index], children: [], isFolded: !isOpen && tree.isInner(index) }) - 1;
      if (parent >= 0) items[parent].children.push(place);
      if (isOpen) {
        const children = tree.children(index);
        for (let at = children.length - 1; at >= 0; at--) stack.push([children[at], place]);
      }
    }
    const isDense = items.length > MOST_DETAILED;
    const job = ++this.#job;
    const done = (places) => {
      if (job !== this.#job) return;
      const anchor = this.#anchor();
      this.#items = items;
      this.#places = places;
      this.#isDense = isDense;
      this.#itemOf = new Map(items.map((item, place) => [item.index, place]));
      this.#rows = [];
      items.forEach((item, place) => (this.#rows[item.depth] ??= []).push(place));
      this.#isCanvas = isDense;
      this.svg.style.display = isDense ? "none" : "";
      this.canvas.style.display = isDense ? "" : "none";
      if (!isDense) this.#build();
      this.#restore(anchor);
      this.update();
      after();
      this.page.onChange();
    };
    if (items.length < WORKER_FROM) {
      const nodes = items.map((item, index) => ({ ...item, index }));
      const size = isDense ? { left: MARK / 2, right: MARK / 2, height: MARK } : null;
      done(layout(/** @type {any} */ ({ nodes }), (node) => size ?? this.#sizeOf(items[node.index]), isDense ? DENSE : { rowGap: 44 }));
      return;
    }
    this.#worker ??= new Worker("/scripts/watch/layout_worker.js", { type: "module" });
    this.#worker.onmessage = ({ data }) => data.job === job && done(data);
    this.#worker.postMessage({ job, parents: Int32Array.from(items, (item) => item.parent), half: MARK / 2, height: MARK, gaps: DENSE });
  }

  /** The place on the screen of the current or the selected node, to keep it where it is. */
  #anchor() {
    for (const index of [this.#path.at(-1), this.selected, 0]) {
      const place = this.#itemOf.get(index);
      if (place !== undefined) return { index, ...this.#toScreen(this.#places.x[place], this.#places.y[place]) };
    }
    return null;
  }

  #restore(anchor) {
    const place = anchor && this.#itemOf.get(anchor.index);
    if (place === undefined || place === null) return;
    this.camera.x = this.#places.x[place] - anchor.left / this.camera.zoom;
    this.camera.y = this.#places.y[place] - anchor.top / this.#zoomDown;
  }

  // ---- sizes and texts of nodes -------------------------------------------------------------------------------

  #hasBoard() {
    return this.withBoards && this.tree.header.hasBoards;
  }

  #sizeOf({ index, isFolded }) {
    const { tree } = this;
    const fold = isFolded ? 26 : 0;
    const move = textWidth(tree.arc(index), 11) / 2 + 2;
    if (this.#hasBoard()) return { left: Math.max(BOARD / 2 + 2, move), right: Math.max(BOARD / 2 + 2, move), height: BOARD + 2 * LINE + 10 + fold };
    if (tree.player[index] === LEAF) {
      const half = Math.max(17, textWidth(tree.leafValue(index), 13) / 2 + 7, move, textWidth(this.#nameOf(index), 11) / 2);
      return { left: half, right: half, height: 30 + (this.#nameOf(index) ? 14 : 0) };
    }
    const name = this.#nameOf(index);
    const beside = [...name].length > 2 ? textWidth(name, 11) : 0;
    return { left: Math.max(SHAPE * 0.55, move), right: Math.max(SHAPE * 0.75 + Math.max(this.#roomForTexts(), beside), move), height: SHAPE + fold };
  }

  #room = 0;

  /** Width of the longest window of the search, up to a limit. */
  #roomForTexts() {
    if (!this.#room) {
      const longest = this.tree.texts.reduce((most, text) => (text.startsWith("[") && text.length <= 16 ? Math.max(most, text.length) : most), 6);
      this.#room = longest * 6.7;
    }
    return this.#room;
  }

  /** The name of a node, unless the move to it is the same. */
  #nameOf(index) {
    const name = this.tree.name(index);
    return this.tree.arc(index).split(" ")[0] === name ? "" : name;
  }

  // ---- SVG ----------------------------------------------------------------------------------------------------

  #build() {
    const { tree } = this;
    const { x, y } = this.#places;
    const [arcs, nodes] = [svgElement("g"), svgElement("g")];
    this.#drawn = this.#items.map((item, place) => {
      const { index, parent } = item;
      const [left, top] = [x[place], y[place]];
      let arc = null;
      if (parent >= 0) {
        const above = this.#items[parent];
        const bottom = y[parent] + this.#sizeOf(above).height;
        const from = this.#hasBoard() || tree.player[above.index] === LEAF ? bottom - 6 : y[parent] + SHAPE;
        const entry = top - (tree.arc(index) ? 13 : 0);
        const [cx, cy] = [x[parent] + (left - x[parent]) * 0.7, from + (entry - from) * 0.7];
        arc = svgElement("g", {},
          svgElement("path", { class: "edge", d: `M${x[parent]} ${from}L${left} ${entry}` }),
          svgElement("path", { class: "cross", d: `M${cx - 5} ${cy - 5}l10 10m-10 0l10 -10` }),
          svgElement("text", { class: "number", x: cx + 8, y: cy + 4 }));
        arcs.append(arc);
      }
      const node = svgElement("g");
      const drawn = { arc, node, value: null, window: null, parts: {} };
      if (tree.arc(index)) node.append(this.#text("move", left, top - 3, tree.arc(index)));
      if (this.#hasBoard()) this.#addBoard(node, drawn, index, left, top);
      else this.#addShape(node, drawn, index, left, top);
      if (item.isFolded) this.#addFold(node, index, left, top + this.#sizeOf(item).height - 26);
      nodes.append(node);
      return drawn;
    });
    this.marker = svgElement("rect", { class: "here", rx: 6 });
    this.choice = svgElement("rect", { class: "choice", rx: 6 });
    this.world.replaceChildren(arcs, nodes, this.choice, this.marker);
    if (this.#hasBoard()) this.page.wantBoards(this.#items.map(({ index }) => index).filter((index) => !this.boards.has(index)));
  }

  #text(kind, x, y, text = "", anchor = "middle") {
    return svgElement("text", { class: kind, x, y, "text-anchor": anchor, text });
  }

  #addShape(node, drawn, index, left, top) {
    const { tree } = this;
    const name = this.#nameOf(index);
    if (tree.player[index] === LEAF) {
      const half = Math.max(17, textWidth(tree.leafValue(index), 13) / 2 + 7);
      node.append(svgElement("rect", { class: "shape", x: left - half, y: top, width: 2 * half, height: 26, rx: 2 }));
      node.append(this.#text("value", left, top + 18, tree.leafValue(index)));
      if (name) node.append(this.#text("name", left, top + 39, name));
      return;
    }
    node.append(shape({ player: tree.player[index] }, left, top));
    const isShort = [...name].length <= 2;
    const middle = top + SHAPE * (tree.player[index] === MAX ? 0.82 : tree.player[index] === CHANCE ? 0.6 : 0.42);
    if (name && isShort) node.append(this.#text("name", left, middle, name));
    drawn.value = this.#text("value", left + SHAPE * 0.75, top + (isShort ? 16 : 24), "", "start");
    drawn.window = this.#text("window", left + SHAPE * 0.75, top + (isShort ? 32 : 38), "", "start");
    if (name && !isShort) node.append(this.#text("name", left + SHAPE * 0.75, top + 10, name, "start"));
    node.append(drawn.value, drawn.window);
  }

  #addBoard(node, drawn, index, left, top) {
    const { tree } = this;
    node.append(svgElement("rect", { class: "shape", x: left - BOARD / 2, y: top, width: BOARD, height: BOARD, rx: 3 }));
    drawn.board = svgElement("svg", { x: left - BOARD / 2 + 4, y: top + 4, width: BOARD - 8, height: BOARD - 8 });
    node.append(drawn.board);
    this.#fillBoard(drawn, index);
    drawn.value = this.#text("value", left, top + BOARD + LINE, tree.player[index] === LEAF ? tree.leafValue(index) : "");
    drawn.window = this.#text("window", left, top + BOARD + 2 * LINE, "");
    node.append(drawn.value, drawn.window);
  }

  #fillBoard(drawn, index) {
    const make = this.boards.get(index);
    if (!make || !drawn.board || drawn.board.hasChildNodes()) return;
    const picture = make();
    drawn.board.setAttribute("viewBox", picture.getAttribute("viewBox"));
    drawn.board.setAttribute("class", picture.getAttribute("class") ?? "");
    drawn.board.append(...picture.childNodes);
  }

  #addFold(node, index, left, top) {
    const half = Math.min(26, 10 + 3 * Math.log10(1 + this.tree.below(index)) * 2);
    node.append(
      svgElement("path", { class: "fan", d: `M${left} ${top}L${left + half} ${top + 12}H${left - half}Z` }),
      this.#text("count", left, top + 23, `+${this.tree.below(index).toLocaleString("en")}`),
    );
  }

  /** Boards have arrived. */
  addBoards(boards) {
    for (const [index, make] of boards) this.boards.set(index, make);
    if (!this.#isCanvas) this.#items.forEach((item, place) => this.#drawn[place] && this.#fillBoard(this.#drawn[place], item.index));
  }

  setBoards(withBoards) {
    if (withBoards === this.withBoards) return;
    this.withBoards = withBoards;
    if (this.tree) this.#arrange();
  }

  // ---- the state after some steps -----------------------------------------------------------------------------

  /** Show the state of the playback; while it follows the search, unfold the path to the current node. */
  update() {
    const { tree } = this;
    const { playback } = tree ?? {};
    if (!playback) return this.#repaint();
    const current = playback.step?.node;
    const path = current === undefined ? [] : tree.pathTo(current);
    const isSame = path.length === this.#path.length && path.at(-1) === this.#path.at(-1);
    const before = this.#path;
    this.#path = path;
    if (!isSame && this.followsSearch && this.#unfolds(before, path)) return this.#arrange(() => this.reveal(current));
    this.#computeState(path);
    if (!this.#isCanvas) this.#showState(current);
    this.#repaint();
    if (!isSame && this.followsSearch && current !== undefined) this.reveal(current);
  }

  /** Whether another path shows or hides nodes. */
  #unfolds(before, path) {
    const needs = (nodes) => nodes.filter((index) => this.tree.isInner(index) && !this.#isOpen(index, new Set()) && this.#chosen.get(index) === undefined);
    const [one, other] = [needs(before), needs(path)];
    return one.length !== other.length || one.some((index, at) => index !== other[at]);
  }

  #computeState(path) {
    const { tree } = this;
    const { nodes, crossed, cuts, isDone } = tree.playback;
    const isAbove = new Set(path);
    const state = this.#state = new Uint8Array(this.#items.length);
    this.#items.forEach(({ index, parent }, place) => {
      let bits = nodes.has(index) ? VISITED : 0;
      if (crossed.has(index)) bits |= CROSSED | PRUNED;
      else if (parent >= 0 && state[parent] & PRUNED) bits |= PRUNED;
      if (cuts.has(index)) bits |= CUT;
      if (isAbove.has(index)) bits |= OPEN;
      if (isDone && tree.line.has(index)) bits |= LINE_OF_PLAY;
      state[place] = bits;
    });
  }

  #showState(current) {
    const { tree } = this;
    const { nodes, crossed } = tree.playback;
    this.#items.forEach(({ index }, place) => {
      const bits = this.#state[place];
      const drawn = this.#drawn[place];
      if (!drawn) return;
      const { arc, node, value, window } = drawn;
      const words = [KINDS[tree.player[index]]];
      if (bits & VISITED) words.push("visited");
      if (bits & PRUNED) words.push("pruned");
      if (bits & CROSSED) words.push("crossed");
      if (bits & LINE_OF_PLAY) words.push("line");
      if (bits & OPEN) words.push("open");
      if (bits & CUT) words.push("cut");
      const list = words.join(" ");
      const nodeList = `node ${list}${index === current ? " current" : ""}`;
      if (node.getAttribute("class") !== nodeList) node.setAttribute("class", nodeList);
      if (arc && arc.getAttribute("class") !== `arc ${list}`) arc.setAttribute("class", `arc ${list}`);
      if (arc && bits & CROSSED) write(arc.lastChild, String(crossed.get(index)));
      const seen = nodes.get(index);
      if (tree.player[index] !== LEAF) write(value, seen?.value ?? "");
      write(window, seen?.window ?? "");
    });
    this.#mark(this.marker, current);
    this.#mark(this.choice, document.activeElement === this.host ? this.selected : undefined);
  }

  #mark(frame, index) {
    const place = this.#itemOf.get(index);
    frame.style.display = place === undefined ? "none" : "";
    if (place === undefined) return;
    const { left, right } = this.#sizeOf(this.#items[place]);
    const tall = this.#hasBoard() ? BOARD : this.tree.player[index] === LEAF ? 26 : SHAPE;
    const [x, y] = [this.#places.x[place], this.#places.y[place]];
    const inset = this.#hasBoard() ? [BOARD / 2, BOARD / 2] : [Math.min(left, SHAPE * 0.56), Math.min(right, SHAPE * 0.56)];
    const box = { x: x - inset[0] - 4, y: y - 4, width: inset[0] + inset[1] + 8, height: tall + 8 };
    for (const [name, number] of Object.entries(box)) frame.setAttribute(name, number);
  }

  // ---- drawing ------------------------------------------------------------------------------------------------

  /** A dense tree is wide and flat: it is stretched down to the height of the view. */
  get #zoomDown() {
    if (!this.#isDense) return this.camera.zoom;
    return Math.max(this.camera.zoom, Math.min(1.4, (this.host.clientHeight - 56) / this.#places.height));
  }

  #toScreen(x, y) {
    return { left: (x - this.camera.x) * this.camera.zoom, top: (y - this.camera.y) * this.#zoomDown };
  }

  #resize() {
    const { clientWidth, clientHeight } = this.host;
    const scale = Math.min(devicePixelRatio || 1, 2);
    const [across, down] = [clientWidth, clientHeight].map((length) => Math.max(1, Math.round(length * (1 + 2 * MARGIN))));
    Object.assign(this.canvas, { width: Math.round(across * scale), height: Math.round(down * scale) });
    Object.assign(this.canvas.style, {
      width: `${across}px`, height: `${down}px`, left: `${-MARGIN * clientWidth}px`, top: `${-MARGIN * clientHeight}px`,
    });
    this.#colours = null;
    this.#repaint();
  }

  /** Draw in the next frame. */
  #draw() {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      if (!this.tree || !this.#items.length) return;
      if (this.#isCanvas) this.#showCanvas();
      else {
        const { x, y, zoom } = this.camera;
        this.world.setAttribute("transform", `translate(${-x * zoom} ${-y * zoom}) scale(${zoom})`);
      }
    });
  }

  #painted = null; // the camera for which the canvas is painted

  /** Paint the canvas anew in the next frame. */
  #repaint() {
    this.#painted = null;
    this.#draw();
  }

  /** Move the canvas with the view; paint it if the view has left it. */
  #showCanvas() {
    const { camera, host } = this;
    const was = this.#painted;
    const [right, down] = was ? [(was.x - camera.x) * camera.zoom, (was.y - camera.y) * this.#zoomDown] : [0, 0];
    const isInside = Math.abs(right) < MARGIN * host.clientWidth && Math.abs(down) < MARGIN * host.clientHeight;
    if (was?.zoom === camera.zoom && isInside) {
      this.canvas.style.transform = `translate(${right}px, ${down}px)`;
      return;
    }
    this.canvas.style.transform = "";
    this.#painted = { ...camera };
    this.#paint();
  }

  #colours = null;

  /** The colours of the theme. */
  get #palette() {
    if (!this.#colours) {
      const probe = this.host.appendChild(document.createElement("i"));
      const colour = (name) => {
        probe.style.color = `var(${name})`;
        return getComputedStyle(probe).color;
      };
      this.#colours = Object.fromEntries(
        Object.entries({ ink: "--tree-ink", grey: "--tree-grey", cut: "--tree-cut", leaf: "--tree-leaf", max: "--tree-max", min: "--tree-min", chance: "--tree-chance", here: "--here", faint: "--line" })
          .map(([key, name]) => [key, colour(name)]),
      );
      probe.remove();
    }
    return this.#colours;
  }

  /** The theme has changed. */
  refresh() {
    this.#colours = null;
    this.#repaint();
  }

  /** Positions in a row whose nodes are in the view: [first, end). */
  #inView(row, width, from = this.camera.x) {
    const { x } = this.#places;
    const bound = (limit) => {
      let [low, high] = [0, row.length];
      while (low < high) {
        const middle = (low + high) >> 1;
        if (x[row[middle]] < limit) low = middle + 1;
        else high = middle;
      }
      return low;
    };
    const left = from - MARK;
    return [Math.max(0, bound(left) - 1), Math.min(row.length, bound(left + width / this.camera.zoom + 2 * MARK) + 1)];
  }

  /** The point of the tree at the upper left corner of the canvas. */
  get #corner() {
    const { camera, host } = this;
    return { x: camera.x - (MARGIN * host.clientWidth) / camera.zoom, y: camera.y - (MARGIN * host.clientHeight) / this.#zoomDown };
  }

  /** Paint the visible part. Nodes and arcs of one look are one path; those closer than a pixel are painted once. */
  #paint() {
    const { context } = this;
    const { x, y } = this.#places;
    const { zoom } = this.camera;
    const down = this.#zoomDown;
    const colours = this.#palette;
    const [width, height] = [this.canvas.offsetWidth, this.canvas.offsetHeight];
    const scale = this.canvas.width / Math.max(1, width);
    const camera = this.#corner;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    const tall = Math.max(2.5, Math.min(MARK * down, 16));
    const arcs = { faint: new Path2D(), ink: new Path2D(), grey: new Path2D(), path: new Path2D() };
    const crosses = new Path2D();
    const looks = new Map(); // "look" -> path
    const texts = [];
    let half = 0;
    for (const row of this.#rows) {
      // A row of few nodes has room for wider marks than its tree is wide.
      const apart = row.length > 1 ? ((x[row.at(-1)] - x[row[0]]) / (row.length - 1)) * zoom : Infinity;
      half = Math.max(0.5, Math.min(Math.max(MARK * zoom, 0.4 * apart), 16) / 2);
      const step = Math.max(1, 2 * half); // nearer nodes of one look cover each other
      const [first, end] = this.#inView(row, width, camera.x);
      if (first >= end) continue;
      const top = (y[row[first]] - camera.y) * down;
      if (top > height + 100 || top < -height) continue;
      let [lastLeft, lastLook, lastArc] = [-Infinity, "", -Infinity];
      for (let at = first; at < end; at++) {
        const place = row[at];
        const item = this.#items[place];
        const bits = this.#state[place] ?? 0;
        const left = (x[place] - camera.x) * zoom;
        const special = bits & (OPEN | LINE_OF_PLAY | CROSSED);
        if (item.parent >= 0 && (special || left - lastArc >= 0.75)) {
          if (!special) lastArc = left;
          const parent = item.parent;
          const [fromX, fromY] = [(x[parent] - camera.x) * zoom, (y[parent] - camera.y) * down + tall];
          const arc = special & (OPEN | LINE_OF_PLAY) ? arcs.path : bits & PRUNED ? arcs.grey : bits & VISITED ? arcs.ink : arcs.faint;
          arc.moveTo(fromX, fromY);
          arc.lineTo(left, top);
          if (bits & CROSSED && half > 1.5) {
            const [cx, cy] = [fromX + (left - fromX) * 0.75, fromY + (top - fromY) * 0.75];
            crosses.moveTo(cx - 3, cy - 3);
            crosses.lineTo(cx + 3, cy + 3);
            crosses.moveTo(cx - 3, cy + 3);
            crosses.lineTo(cx + 3, cy - 3);
          }
        }
        const look = bits & PRUNED ? "pruned" : bits & VISITED ? KINDS[this.tree.player[item.index]] : "new";
        if (!special && look === lastLook && left - lastLeft < step) continue;
        [lastLeft, lastLook] = [left, look];
        let path = looks.get(look);
        if (!path) looks.set(look, (path = new Path2D()));
        this.#addMark(path, this.tree.player[item.index], left, top, half, tall);
        if (item.isFolded) {
          path.moveTo(left, top + tall);
          path.lineTo(left + half, top + tall + 5);
          path.lineTo(left - half, top + tall + 5);
          path.closePath();
        }
        if (half >= 7) texts.push([item.index, left, top + tall]);
      }
    }
    const stroke = (path, colour, thick = 1) => {
      context.strokeStyle = colour;
      context.lineWidth = thick;
      context.stroke(path);
    };
    stroke(arcs.faint, colours.faint, 0.7);
    stroke(arcs.grey, colours.grey, 0.7);
    stroke(arcs.ink, colours.ink, 0.8);
    stroke(arcs.path, colours.here, 2.2);
    stroke(crosses, colours.cut, 1.6);
    for (const [look, path] of looks) {
      context.fillStyle = { new: "transparent", pruned: "transparent" }[look] ?? colours[look];
      if (!["new", "pruned"].includes(look)) context.fill(path);
      const colour = look === "new" ? colours.faint : look === "pruned" ? colours.cut : colours.ink;
      stroke(path, colour, 0.8);
    }
    this.#paintTexts(texts, colours);
    this.#paintMark(this.#path.at(-1), colours.here, Math.min(half, 8), tall);
    if (document.activeElement === this.host) this.#paintMark(this.selected, colours.ink, Math.min(half, 8) + 3, tall + 6);
  }

  /** The shape of a node: a triangle for MAX and MIN, a circle for chance, a box for a leaf. */
  #addMark(path, player, left, top, half, tall) {
    if (half < 1.5 || player === LEAF) path.rect(left - half, top, 2 * half, tall);
    else if (player === CHANCE) {
      path.moveTo(left + half, top + tall / 2);
      path.ellipse(left, top + tall / 2, half, tall / 2, 0, 0, 2 * Math.PI);
    } else {
      const [tip, base] = player === MAX ? [top, top + tall] : [top + tall, top];
      path.moveTo(left, tip);
      path.lineTo(left + half, base);
      path.lineTo(left - half, base);
      path.closePath();
    }
  }

  #paintTexts(texts, colours) {
    const { context, tree } = this;
    context.fillStyle = colours.ink;
    context.font = "10px system-ui, sans-serif";
    context.textAlign = "center";
    const room = (MARK + DENSE.gap) * this.camera.zoom;
    for (const [index, left, bottom] of texts) {
      const value = tree.player[index] === LEAF ? tree.leafValue(index) : tree.playback?.nodes.get(index)?.value ?? "";
      [tree.arc(index) || tree.name(index), value].forEach((text, row) => {
        if (text && text.length * 5.6 < room) context.fillText(text, left, bottom + 12 + 11 * row);
      });
    }
  }

  #paintMark(index, colour, half, tall) {
    const place = this.#itemOf.get(index);
    if (place === undefined) return;
    const { context } = this;
    const corner = this.#corner;
    const [left, top] = [(this.#places.x[place] - corner.x) * this.camera.zoom, (this.#places.y[place] - corner.y) * this.#zoomDown];
    context.strokeStyle = colour;
    context.lineWidth = 2.5;
    context.strokeRect(left - half - 4, top - 4, 2 * half + 8, tall + 8);
  }

  // ---- moving and zooming -------------------------------------------------------------------------------------

  /** Show the whole tree, at most in its natural size; the root is at the top. */
  fit() {
    const { clientWidth, clientHeight } = this.host;
    const { width, height } = this.#places;
    const zoom = Math.min((clientWidth - 24) / width, this.#isDense ? Infinity : (clientHeight - 24) / height, 1.25);
    this.camera.zoom = Math.max(MIN_ZOOM, zoom);
    this.camera.x = width / 2 - clientWidth / 2 / this.camera.zoom;
    this.camera.y = -16 / this.#zoomDown;
    this.#draw();
  }

  /** Zoom by a factor about a point of the view, by default its middle. */
  zoomBy(factor, left = this.host.clientWidth / 2, top = this.host.clientHeight / 2) {
    const { camera } = this;
    const [x, y] = [camera.x + left / camera.zoom, camera.y + top / this.#zoomDown];
    camera.zoom = Math.max(MIN_ZOOM, Math.min(MAX_ZOOM, camera.zoom * factor));
    camera.x = x - left / camera.zoom;
    camera.y = y - top / this.#zoomDown;
    this.#draw();
  }

  /** Move the view by pixels. */
  pan(right, down) {
    this.camera.x += right / this.camera.zoom;
    this.camera.y += down / this.#zoomDown;
    this.#keepInView();
    this.#draw();
  }

  /** Some of the tree stays in the view. */
  #keepInView() {
    const { camera, host } = this;
    const [across, down] = [host.clientWidth / camera.zoom, host.clientHeight / this.#zoomDown];
    camera.x = Math.max(-0.8 * across, Math.min(camera.x, this.#places.width - 0.2 * across));
    camera.y = Math.max(-0.8 * down, Math.min(camera.y, this.#places.height - 0.2 * down));
  }

  /** Move the view so that a node is in it. */
  reveal(index) {
    const place = this.#itemOf.get(index);
    if (place === undefined) return;
    const { left, top } = this.#toScreen(this.#places.x[place], this.#places.y[place]);
    const [width, height] = [this.host.clientWidth, this.host.clientHeight];
    const margin = Math.min(70, width / 5);
    const by = (at, size, tall) => (at < margin ? at - margin : at + tall > size - margin ? at + tall - size + margin : 0);
    const size = this.#isDense ? MARK : SHAPE * this.camera.zoom;
    this.camera.x += by(left, width, 0) / this.camera.zoom;
    this.camera.y += by(top, height, size) / this.#zoomDown;
    this.#draw();
  }

  /** Select a node and show it. */
  select(index) {
    this.selected = index;
    if (!this.#isCanvas && this.tree?.playback) this.#mark(this.choice, index);
    this.reveal(index);
    this.#repaint();
    this.page.onSelect(index);
  }

  /** The node at a point of the view, and whether the point is at its fan of folded nodes. */
  #at(left, top) {
    const { x, y } = this.#places;
    const [at, height] = [this.camera.x + left / this.camera.zoom, this.camera.y + top / this.#zoomDown];
    for (const row of this.#rows) {
      const size = this.#isDense ? { height: Math.max(MARK, 12 / this.#zoomDown) } : null;
      let best = null;
      const [first, end] = this.#inView(row, this.host.clientWidth);
      for (let place = first; place < end; place++) {
        const far = Math.abs(x[row[place]] - at);
        if (best === null || far < Math.abs(x[row[best]] - at)) best = place;
      }
      if (best === null) continue;
      const place = row[best];
      const item = this.#items[place];
      const box = size ?? this.#sizeOf(item);
      const reach = this.#isDense ? Math.max(MARK, 8 / this.camera.zoom) : this.#hasBoard() ? BOARD / 2 : SHAPE * 0.7;
      const fan = this.#isDense ? 8 / this.#zoomDown : 0;
      if (height < y[place] - 4 || height > y[place] + box.height + fan || Math.abs(x[place] - at) > reach) continue;
      return { index: item.index, isFan: item.isFolded && height > y[place] + box.height - (this.#isDense ? 0 : 26) };
    }
    return null;
  }

  // ---- events -------------------------------------------------------------------------------------------------

  #pointers = new Map();

  #listen() {
    const { host } = this;
    let hasMoved = false;
    const here = (event) => {
      const box = host.getBoundingClientRect();
      return { left: event.clientX - box.left, top: event.clientY - box.top };
    };
    host.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      if (!this.#pointers.size) hasMoved = false;
      this.#pointers.set(event.pointerId, here(event));
      host.setPointerCapture(event.pointerId);
    });
    host.addEventListener("pointermove", (event) => {
      const before = this.#pointers.get(event.pointerId);
      if (!before || !this.tree) return;
      const now = here(event);
      if (!hasMoved && Math.hypot(now.left - before.left, now.top - before.top) < 4 && this.#pointers.size === 1) return;
      hasMoved = true;
      host.classList.add("moving");
      if (this.#pointers.size === 1) this.pan(before.left - now.left, before.top - now.top);
      else this.#pinch(event.pointerId, before, now);
      this.#pointers.set(event.pointerId, now);
    });
    const end = (event) => {
      const at = this.#pointers.get(event.pointerId);
      this.#pointers.delete(event.pointerId);
      host.classList.remove("moving");
      if (!at || hasMoved || event.type !== "pointerup" || !this.tree) return;
      const found = this.#at(at.left, at.top);
      if (!found) return;
      this.select(found.index);
      if (found.isFan) this.toggle(found.index);
      else this.page.onVisit(found.index);
    };
    host.addEventListener("pointerup", end);
    host.addEventListener("pointercancel", end);
    host.addEventListener("dblclick", (event) => {
      const { left, top } = here(event);
      const found = this.tree && this.#at(left, top);
      if (found && !found.isFan) this.toggle(found.index);
    });
    host.addEventListener("wheel", (event) => {
      if (!this.tree) return;
      event.preventDefault();
      const { left, top } = here(event);
      if (event.shiftKey) this.pan(event.deltaY || event.deltaX, 0);
      else if (event.ctrlKey || !event.deltaX) this.zoomBy(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), left, top);
      else this.pan(event.deltaX, event.deltaY);
    }, { passive: false });
    host.addEventListener("keydown", (event) => this.#onKey(event));
    for (const type of ["focus", "blur"]) {
      host.addEventListener(type, () => {
        if (!this.#isCanvas && this.tree?.playback && this.choice) this.#mark(this.choice, type === "focus" ? this.selected : undefined);
        this.#repaint();
      });
    }
  }

  #pinch(id, before, now) {
    const other = [...this.#pointers].find(([each]) => each !== id)?.[1];
    if (!other) return;
    const far = (point) => Math.hypot(point.left - other.left, point.top - other.top);
    const factor = far(now) / Math.max(1, far(before));
    this.zoomBy(factor, (now.left + other.left) / 2, (now.top + other.top) / 2);
    this.pan((before.left - now.left) / 2, (before.top - now.top) / 2);
  }

  #onKey(event) {
    if (!this.tree || event.ctrlKey || event.metaKey || event.altKey) return;
    const { tree } = this;
    const arrows = { ArrowLeft: [-80, 0], ArrowRight: [80, 0], ArrowUp: [0, -80], ArrowDown: [0, 80] };
    const act = {
      ArrowUp: () => this.select(Math.max(0, tree.parent[this.selected])),
      ArrowDown: () => this.#down(),
      ArrowLeft: () => this.#beside(-1),
      ArrowRight: () => this.#beside(1),
      Enter: () => this.toggle(this.selected),
      v: () => this.page.onVisit(this.selected),
    }[event.key];
    if (event.shiftKey && arrows[event.key]) this.pan(...arrows[event.key]);
    else if (act && !event.shiftKey) act();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** Select the first child; unfold the node first if it is folded. */
  #down() {
    if (!this.tree.isInner(this.selected)) return;
    if (this.isFolded(this.selected)) this.toggle(this.selected);
    this.select(this.tree.children(this.selected)[0]);
  }

  /** Select the next visible node of the row. */
  #beside(by) {
    const row = this.#rows[this.tree.depth[this.selected]] ?? [];
    const at = row.indexOf(this.#itemOf.get(this.selected));
    const place = row[at + by];
    if (place !== undefined) this.select(this.#items[place].index);
  }
}

function write(place, text) {
  if (place && place.textContent !== text) place.textContent = text;
}
