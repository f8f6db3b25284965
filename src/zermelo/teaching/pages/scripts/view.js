// Trees on a page: places of the nodes, the drawing as SVG, and moving between nodes with the arrow keys.

import { format } from "./numbers.js";
import { svgElement } from "./dom.js";
import { CHANCE, MAX, PLAYER_NAMES, describe } from "./tree.js";

/** Height of a node's shape and of the gap below a row, in units of the drawing. */
export const SHAPE = 40;
const ROW_GAP = 56;
const GAP = 14;
const MARGIN = 12;
const LEAF = { width: 34, height: 30 };
/** Colours for copies of a drawing: those of the light theme in `zermelo.drawing.style`. On the page tree.css has them. */
export const COLOURS = {
  ground: "#ffffff", ink: "#1b1d22", soft: "#5a606b", bad: "#a50e0e", max: "#dbe8fb", min: "#fde4cf", chance: "#e3f1d9",
};

/**
 * Places of the nodes: a parent is centred above its first and last child, rows do not overlap, and children keep their
 * order. The subtrees of a node are pushed right until their outlines are clear of each other (Reingold and Tilford,
 * "Tidier Drawings of Trees", IEEE Transactions on Software Engineering 7, 1981).
 *
 * @param {import("./tree.js").Tree} tree
 * @param {(node: import("./tree.js").Node) => {left: number, right: number, height: number}} sizeOf How far the box of
 *   a node extends from its x coordinate, and its height.
 * @returns {{x: number[], y: number[], width: number, height: number}} Centres at the top of the boxes.
 */
export function layout(tree, sizeOf, { gap = GAP, rowGap = ROW_GAP } = {}) {
  const sizes = tree.nodes.map(sizeOf);
  const shift = tree.nodes.map(() => 0); // of a subtree, relative to its parent
  /** Outlines by depth below the node: [leftmost, rightmost], relative to the node. */
  const place = (index) => {
    const { children } = tree.nodes[index];
    const own = [-sizes[index].left, sizes[index].right];
    if (!children.length) return [own];
    const outlines = children.map(place);
    const merged = outlines[0].map((row) => [...row]);
    shift[children[0]] = 0;
    for (let number = 1; number < children.length; number++) {
      const outline = outlines[number];
      const common = Math.min(outline.length, merged.length);
      let by = 0;
      for (let row = 0; row < common; row++) by = Math.max(by, merged[row][1] + gap - outline[row][0]);
      shift[children[number]] = by;
      outline.forEach(([left, right], row) => {
        if (row < merged.length) merged[row] = [Math.min(merged[row][0], left + by), right + by];
        else merged.push([left + by, right + by]);
      });
    }
    const middle = (shift[children[0]] + shift[children[children.length - 1]]) / 2;
    for (const child of children) shift[child] -= middle;
    return [own, ...merged.map(([left, right]) => [left - middle, right - middle])];
  };
  const outline = place(0);
  const start = Math.min(...outline.map(([left]) => left));
  const rows = [];
  for (const node of tree.nodes) rows[node.depth] = Math.max(rows[node.depth] ?? 0, sizes[node.index].height);
  const tops = rows.map((_, depth) => rows.slice(0, depth).reduce((sum, height) => sum + height + rowGap, MARGIN));
  const x = [];
  for (const node of tree.nodes) x.push(node.parent < 0 ? MARGIN - start : x[node.parent] + shift[node.index]);
  return {
    x,
    y: tree.nodes.map((node) => tops[node.depth]),
    width: Math.max(...outline.map(([, right]) => right)) - start + 2 * MARGIN,
    height: tops[tops.length - 1] + rows[rows.length - 1] + MARGIN,
  };
}

/** The width of a text in units of the drawing, roughly. */
export const textWidth = (text, size) => [...text].length * size * 0.6;

/** A name that fits; the whole one is in the title of the node. */
export const shortName = (name, length = 14) => {
  const letters = [...name];
  return letters.length <= length ? name : `${letters.slice(0, length - 1).join("")}…`;
};

/** The shape of a node: a triangle up at MAX, down at MIN, a circle at chance nodes, a box at leaves. */
export function shape(node, x, y) {
  const half = SHAPE * 0.54;
  const common = { class: "shape", stroke: COLOURS.ink, "stroke-width": 1.5 };
  if (node.player === null) {
    const width = leafWidth(node);
    return svgElement("rect", { ...common, fill: COLOURS.ground, x: x - width / 2, y, width, height: LEAF.height, rx: 2 });
  }
  if (node.player === CHANCE) return svgElement("circle", { ...common, fill: COLOURS.chance, cx: x, cy: y + SHAPE / 2, r: SHAPE / 2 });
  const points = node.player === MAX
    ? [[x, y], [x + half, y + SHAPE], [x - half, y + SHAPE]]
    : [[x - half, y], [x + half, y], [x, y + SHAPE]];
  const side = node.player === MAX ? "max" : "min";
  return svgElement("polygon", { ...common, class: `shape ${side}`, fill: COLOURS[side], points: points.map((point) => point.join(",")).join(" ") });
}

export const leafWidth = (node) => Math.max(LEAF.width, textWidth(format(node.value), 16) + 14);
export const leafHeight = LEAF.height + 18;

/**
 * A text of the drawing.
 *
 * @param {string} text
 * @param {number} x
 * @param {number} y
 * @param {Record<string, any>} [options] `size`, `anchor`, and attributes.
 */
export function label(text, x, y, { size = 15, anchor = "middle", ...rest } = {}) {
  const fill = rest.fill ?? COLOURS.ink;
  return svgElement("text", { x, y, "font-size": size, "text-anchor": anchor, ...rest, fill, text });
}

/** The name of a node: in its shape if it is short, else beside it; below a leaf. */
export function nameLabel(node, x, y) {
  if (node.player === null) {
    return label(shortName(node.id, 8), x, y + LEAF.height + 14, { size: 12, class: "soft", fill: COLOURS.soft });
  }
  const name = shortName(node.id);
  const baseline = y + SHAPE * (node.player === MAX ? 0.84 : node.player === CHANCE ? 0.62 : 0.44);
  if ([...name].length <= 2) return label(name, x, baseline, { class: "name" });
  return label(name, x - SHAPE * 0.5, y + 4, { anchor: "end", size: 13, class: "name" });
}

/** Room to the left of a node's centre: half its shape, and its name if that is beside it. */
export function leftReach(node) {
  if (node.player === null) return leafWidth(node) / 2;
  const name = shortName(node.id);
  return SHAPE * 0.55 + ([...name].length <= 2 ? 0 : textWidth(name, 13));
}

/** The value of a leaf in its box. */
export const leafLabel = (node, x, y) => label(format(node.value), x, y + 21, { size: 16, "font-weight": 600, class: "value" });

/** The arc to a node: a straight line from `fromY` at its parent. */
export function arc(node, places, fromY, attributes = {}) {
  const { x, y } = places;
  return svgElement("line", {
    class: "edge", stroke: COLOURS.ink, "stroke-width": 1.5,
    x1: x[node.parent], y1: fromY, x2: x[node.index], y2: y[node.index], ...attributes,
  });
}

/** A point of an arc, at a fraction of its length. */
export function pointOfArc(node, places, fromY, share) {
  const { x, y } = places;
  const at = (from, to) => from + (to - from) * share;
  return { x: at(x[node.parent], x[node.index]), y: at(fromY, y[node.index]) };
}

/** A cross at a point, for a pruned arc. */
export function cross({ x, y }, size = 7) {
  const line = (a, b) => svgElement("line", {
    class: "cross", stroke: COLOURS.bad, "stroke-width": 3, x1: x - size, y1: y + a * size, x2: x + size, y2: y + b * size,
  });
  return svgElement("g", {}, line(-1, 1), line(1, -1));
}

/** The size of a text that the root element has, relative to 16 pixels: drawings grow with it. */
export const unit = () => parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;

// ---- keyboard -------------------------------------------------------------------------------------------------

/** The node that an arrow key leads to, or its own index. */
export function neighbour(tree, index, key) {
  const node = tree.nodes[index];
  if (key === "ArrowUp") return Math.max(node.parent, 0);
  if (key === "ArrowDown") return node.children[0] ?? index;
  if (key === "Home") return 0;
  const row = tree.nodes.filter(({ depth }) => depth === node.depth).map((other) => other.index);
  const at = row.indexOf(index) + (key === "ArrowRight" ? 1 : -1);
  return row[at] ?? index;
}

export const ARROWS = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home"];

/** A node for a screen reader: name, player, place among its siblings. */
export function spoken(tree, index) {
  const node = tree.nodes[index];
  if (node.parent < 0) return `${node.id}, root, ${PLAYER_NAMES[node.player] ?? "leaf"}`;
  const parent = tree.nodes[node.parent];
  const place = `child ${parent.children.indexOf(index) + 1} of ${parent.children.length} of ${parent.id}`;
  return `${describe(node)}, ${node.player === null ? `value ${format(node.value)}, ` : ""}${place}`;
}
