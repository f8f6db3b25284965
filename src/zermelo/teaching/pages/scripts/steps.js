// The page of one file that steps through the search of a game tree, forward and back. The JSON in #data describes each
// step (docs/stepping.md); this script does not search. The drawing is in the page, with room for the texts of all steps.

import { pageData } from "./dom.js";
import { Playback } from "./playback.js";
import { StepControls, fillPath, lightLine } from "./step_controls.js";

const MIN_ZOOM = 0.6; // larger trees are scrolled instead of being made smaller

const data = pageData();
const playback = new Playback(data.steps);
/** @returns {any} */
const byId = (/** @type {string} */ id) => document.getElementById(id);
const svg = byId("tree").querySelector("svg");
const isCalm = matchMedia("(prefers-reduced-motion: reduce)");

let zoom = 1; // size of the picture relative to its natural size

// The elements of each node, by index, parents first. A collapsed group has the index of its first node.
const parts = new Map();
const indices = [...Object.keys(data.nodes), ...Object.keys(data.folds)].map(Number);
for (const index of indices.sort((one, other) => one - other)) {
  const node = byId(`n${index}`) ?? byId(`f${index}`);
  const part = (name) => node.querySelector(`.${name}`);
  parts.set(index, { node, arc: byId(`a${index}`), window: part("window"), value: part("value") });
  if (index in data.nodes) node.addEventListener("click", () => visit(index));
}

const nameOf = (index) => data.nodes[index].id;
const parentOf = (index) => data.nodes[index]?.parent;

/** A node and its ancestors, the root first. */
function pathTo(index) {
  const path = [];
  for (let at = index; at !== undefined; at = parentOf(at)) path.unshift(at);
  return path;
}

// ---- display --------------------------------------------------------------------------------------------------

function write(place, text) {
  if (place && place.textContent !== text) place.textContent = text;
}

/** Display the state after the steps taken, or a question about the next step. */
function show(question) {
  if (question) return write(byId("sentence"), question);
  const { nodes, crossed, cuts, step, isDone } = playback;
  const here = step?.node;
  const path = here === undefined ? [] : pathTo(here);
  const isAbove = new Set(path);
  const isPruned = new Set(); // at or below a crossed-out arc; parents come first
  for (const [index, part] of parts) {
    const node = data.nodes[index];
    const seen = nodes.get(index);
    const parent = node ? node.parent : data.folds[index];
    if (crossed.has(index) || isPruned.has(parent)) isPruned.add(index);
    const is = {
      visited: Boolean(seen),
      pruned: isPruned.has(index),
      crossed: crossed.has(index),
      line: isDone && Boolean(node?.line),
      open: isAbove.has(index),
      cut: cuts.has(index),
    };
    for (const group of [part.node, part.arc]) {
      for (const [word, isTrue] of Object.entries(is)) group?.classList.toggle(word, isTrue);
    }
    if (crossed.has(index)) write(part.arc?.querySelector(".number"), String(crossed.get(index)));
    if (!node) continue;
    write(part.window, seen?.window ?? "");
    if (node.value === undefined) write(part.value, seen?.value ?? "");
    part.node.classList.toggle("current", index === here);
    if (index === here) part.node.setAttribute("aria-current", "step");
    else part.node.removeAttribute("aria-current");
  }
  for (const [number, item] of [...byId("cuts").children].entries()) {
    item.hidden = !(step && data.cuts[number].step <= step.number);
  }
  byId("no-cuts").hidden = [...byId("cuts").children].some((item) => !item.hidden);
  mark(here);
  write(byId("sentence"), step ? step.sentence : data.before);
  lightLine(byId("code"), step?.line);
  const playerOf = (index) => data.nodes[index].player ?? "leaf";
  fillPath(byId("path"), path, playback, { nameOf, playerOf, hasWindows: data.hasWindows });
  try {
    history.replaceState(null, "", `#step=${step?.number ?? 0}`);
  } catch {
    // A page in an iframe may have no URL of its own.
  }
}

/** Draw a frame around the current node, so that colour is not the only mark. */
function mark(index) {
  svg.querySelector("#here")?.remove();
  if (index === undefined) return;
  const { node } = parts.get(index);
  const seen = [...node.querySelectorAll(".shape, text")].filter(
    (part) => getComputedStyle(part).visibility === "visible" && part.getBBox().width,
  );
  const boxes = seen.map((part) => part.getBBox());
  const gap = 3.5;
  const x = Math.min(...boxes.map((box) => box.x)) - gap;
  const y = Math.min(...boxes.map((box) => box.y)) - gap;
  const width = Math.max(...boxes.map((box) => box.x + box.width)) + gap - x;
  const height = Math.max(...boxes.map((box) => box.y + box.height)) + gap - y;
  const frame = document.createElementNS("http://www.w3.org/2000/svg", "rect");
  for (const [name, value] of Object.entries({ id: "here", x, y, width, height, rx: 6 })) {
    frame.setAttribute(name, String(value));
  }
  svg.append(frame);
  follow(frame);
}

/** Scroll the current node into view. */
function follow(frame) {
  const view = byId("tree");
  const [outer, inner] = [view.getBoundingClientRect(), frame.getBoundingClientRect()];
  const by = (low, high, from, to) => (low < from ? low - from - 24 : high > to ? high - to + 24 : 0);
  view.scrollBy({
    left: by(inner.left, inner.right, outer.left, outer.right),
    top: by(inner.top, inner.bottom, outer.top, outer.bottom),
    behavior: isCalm.matches || controls.timer ? "instant" : "smooth",
  });
}

// ---- navigation -----------------------------------------------------------------------------------------------

/** Go to the step in the URL, #step=12. Return false if there is none. */
function goToHash() {
  const match = /^#step=(\d{1,9})$/.exec(location.hash);
  if (match) controls.go(playback.upTo(Number(match[1])));
  return Boolean(match);
}

/** Go to the first visit of a node, or to the cutoff that pruned it. */
function visit(index) {
  controls.pause();
  const to = playback.upToNode(index, parentOf);
  if (to) controls.go(to);
}

/** Set the zoom of the picture. */
function setZoom(to) {
  zoom = Math.max(0.05, Math.min(to, 8));
  svg.style.width = `${zoom * svg.viewBox.baseVal.width}px`;
}

/** The zoom at which the whole tree fits, at most 1.5. */
function fitZoom() {
  const { width, height } = svg.viewBox.baseVal;
  return Math.min((byId("tree").clientWidth - 2) / width, (0.7 * innerHeight) / height, 1.5);
}

const zooms = { "+": () => setZoom(zoom * 1.25), "-": () => setZoom(zoom * 0.8), 0: () => setZoom(fitZoom()) };
const controls = new StepControls({ show, nameOf, keys: zooms });
controls.use(playback);
for (const [id, key] of [["smaller", "-"], ["larger", "+"], ["fit", "0"]]) byId(id).addEventListener("click", zooms[key]);
for (const [number, item] of [...byId("cuts").children].entries()) {
  item.querySelector("button").addEventListener("click", () => {
    controls.pause();
    controls.go(playback.upTo(data.cuts[number].step));
  });
}
addEventListener("hashchange", goToHash);

for (const id of ["controls", "zoom", "now"]) byId(id).hidden = false;
document.documentElement.classList.add("steps");
setZoom(Math.max(fitZoom(), MIN_ZOOM));
if (!goToHash()) controls.go(playback.upTo(data.start));
