// The tree editor: change a tree and its convention, and see at once what the search visits, returns and prunes.

import { CHOICES, boundsText, checkConvention, principalVariation, prunes, trace, visitOrder } from "./alphabeta.js";
import { announce, copyText, element, svgElement } from "./dom.js";
import { TreeError, ZERO, format, parseNumber } from "./numbers.js";
import {
  CHANCE, MAX, MIN, PLAYER_NAMES, build, checkName, parseTree, subtreeEnd, toBrackets, toDraft, treeToJson,
} from "./tree.js";
import {
  ARROWS, COLOURS, SHAPE, arc, cross, label, layout, leafHeight, leafLabel, leftReach, nameLabel, neighbour, pointOfArc, shape,
  shortName, spoken, textWidth, unit,
} from "./view.js";

/** Longest link, in characters; mail programs and chats break longer ones. */
const MAX_LINK = 4000;
const MAX_UNDO = 200;

/** @returns {any} */
const byId = (/** @type {string} */ id) => document.getElementById(id);

/** What is edited. Every change makes a new state, so that it can be undone. */
let state = { tree: parseTree("[[3,12,8],[2,4,6],[14,5,2]]"), convention: null, selected: 0 };
let [undone, redone] = [[], []];

/** Tells the page of a change; null where the address of the page holds the tree. */
let tell = null;

/** Tells the page of a convention that was chosen in the editor. */
let tellConvention = null;

/**
 * Replace the tree and the convention; it can be undone.
 * @param {import("./tree.js").Tree} tree
 * @param {import("./alphabeta.js").Convention} convention
 */
export const setTree = (tree, convention) =>
  change(() => ({ tree: withoutDefaultNames(tree), convention: checkConvention(convention), selected: 0 }));

/** Replace the convention; it can be undone. */
export const setConvention = (/** @type {import("./alphabeta.js").Convention} */ convention) =>
  change(() => ({ convention: checkConvention(convention) }));

// ---- changes --------------------------------------------------------------------------------------------------

/** Go to a new state; `error` is called with a message if the change is impossible. */
function change(make, error = say) {
  let next;
  try {
    next = { ...state, ...make() };
    next.selected = Math.min(next.selected, next.tree.nodes.length - 1);
  } catch (problem) {
    if (!(problem instanceof TreeError)) throw problem;
    error(problem.message);
    return false;
  }
  undone = [...undone.slice(-MAX_UNDO), state];
  redone = [];
  state = next;
  show();
  return true;
}

function undo() {
  if (!undone.length) return say("Nothing to undo.");
  redone.push(state);
  state = undone.pop();
  show();
}

function redo() {
  if (!redone.length) return say("Nothing to redo.");
  undone.push(state);
  state = redone.pop();
  show();
}

/** Change the draft of the selected node: `alter(draft, parent, position)` changes it and may return the index to select. */
function edit(alter, error) {
  return change(() => {
    const root = toDraft(state.tree);
    const path = [];
    for (let at = state.selected; at > 0; at = state.tree.nodes[at].parent) {
      path.unshift(state.tree.nodes[state.tree.nodes[at].parent].children.indexOf(at));
    }
    let [draft, parent] = [root, null];
    for (const position of path) [draft, parent] = [draft.children[position], draft];
    const selected = alter(draft, parent, path[path.length - 1] ?? 0);
    return { tree: build(root, state.tree.name), selected: selected ?? state.selected };
  }, error);
}

const newLeaf = () => ({ value: ZERO });
const newWeight = (draft) => draft.weights?.splice(draft.children.length, 0, parseNumber("1"));

const actions = {
  "add-child": () =>
    edit((draft, parent) => {
      if (!draft.children) {
        const usual = parent?.player ? -parent.player : MAX;
        const value = draft.value ?? ZERO;
        delete draft.value;
        Object.assign(draft, { player: usual, children: [{ value }, newLeaf()] });
        return state.selected + 1;
      }
      newWeight(draft);
      draft.children.push(newLeaf());
      return subtreeEnd(state.tree, state.selected);
    }),
  "add-sibling": () =>
    edit((draft, parent, position) => {
      if (!parent) throw new TreeError("the root has no siblings: add a child");
      parent.weights?.splice(position + 1, 0, parseNumber("1"));
      parent.children.splice(position + 1, 0, newLeaf());
      return subtreeEnd(state.tree, state.selected);
    }),
  delete: () =>
    edit((draft, parent, position) => {
      if (!parent) throw new TreeError("the root cannot be deleted");
      parent.children.splice(position, 1);
      parent.weights?.splice(position, 1);
      if (!parent.children.length) {
        for (const key of ["children", "weights", "player", "evaluation"]) delete parent[key];
        parent.value = ZERO;
      }
      const { parent: above, index } = state.tree.nodes[state.selected];
      const { children } = state.tree.nodes[above];
      return position + 1 < children.length ? index : position ? children[position - 1] : above;
    }),
  left: () => reorder(-1),
  right: () => reorder(1),
  undo,
  redo,
};

/** Swap the selected node with its neighbour to the left (-1) or right (1). */
function reorder(by) {
  edit((draft, parent, position) => {
    const other = position + by;
    if (!parent || other < 0 || other >= parent.children.length) {
      throw new TreeError(`${state.tree.nodes[state.selected].id} has no sibling on its ${by < 0 ? "left" : "right"}`);
    }
    for (const list of [parent.children, parent.weights ?? []]) {
      if (list.length) [list[position], list[other]] = [list[other], list[position]];
    }
    const { children } = state.tree.nodes[state.tree.nodes[state.selected].parent];
    const size = (child) => subtreeEnd(state.tree, child) - child;
    return by < 0 ? children[other] : children[position] + size(children[other]);
  });
}

const fields = {
  value: (text) => edit((draft) => void (draft.value = text.trim() === "?" ? null : parseNumber(text.trim())), fieldError("value")),
  name: (text) =>
    edit((draft) => {
      if (text.trim()) draft.id = checkName(text.trim());
      else delete draft.id;
    }, fieldError("name")),
  weight: (text) =>
    edit((draft, parent, position) => void (parent.weights[position] = parseNumber(text.trim())), fieldError("weight")),
  player: (word) =>
    edit((draft, parent) => {
      const player = { max: MAX, min: MIN, chance: CHANCE }[word];
      const flip = (below) => {
        if (below.player) below.player = -below.player;
        below.children?.forEach(flip);
      };
      // At the root the turns below change too, so that the players still alternate.
      if (!parent && draft.player === -player && player) draft.children.forEach(flip);
      draft.player = player;
      if (player === CHANCE) draft.weights = draft.children.map(() => parseNumber("1"));
      else delete draft.weights;
    }),
};

const fieldError = (name) => (message) => {
  byId(name).setAttribute("aria-invalid", "true");
  say(message);
};

// ---- display --------------------------------------------------------------------------------------------------

const say = (text) => announce(byId("status"), text);

/** Search the tree: the trace, or null with the reason if a leaf without a value is evaluated. */
function searched() {
  try {
    return { result: trace(state.tree, state.convention), problem: "" };
  } catch (error) {
    if (!(error instanceof TreeError)) throw error;
    return { result: null, problem: error.message };
  }
}

/** The text lines beside an inner node: what it returned, and its bounds. */
function linesOf(result, index) {
  const record = result?.records[index];
  if (!record || record.order === null || state.tree.nodes[index].player === null) return [];
  return [format(record.returned), boundsText(result, index)].filter(Boolean);
}

/** Draw the tree with its finished search as an SVG element. */
function drawing(result) {
  const { tree } = state;
  const places = layout(tree, (node) => {
    const left = leftReach(node);
    if (node.player === null) return { left, right: Math.max(left, textWidth(shortName(node.id, 8), 12) / 2), height: leafHeight };
    const lines = linesOf(result, node.index);
    return { left, right: SHAPE * 0.6 + Math.max(0, ...lines.map((line) => textWidth(line, 15))), height: SHAPE };
  });
  const { x, y, width, height } = places;
  const line = new Set(result ? [0, ...principalVariation(result)] : []);
  const crossed = new Set(result?.cuts.flatMap(({ pruned }) => pruned));
  const svg = svgElement("svg", {
    xmlns: "http://www.w3.org/2000/svg", viewBox: `0 0 ${Math.ceil(width)} ${Math.ceil(height)}`, width: Math.ceil(width),
    height: Math.ceil(height), "font-family": "system-ui, sans-serif", role: "tree", "aria-label": "Game tree",
  });
  const isPruned = (index) => Boolean(result) && result.records[index].order === null;
  for (const node of tree.nodes.slice(1)) {
    const parent = tree.nodes[node.parent];
    const from = y[node.parent] + SHAPE;
    const dashed = isPruned(node.index) ? { "stroke-dasharray": "5 4", class: "edge pruned", stroke: COLOURS.soft } : {};
    const thick = line.has(node.index) ? { "stroke-width": 4 } : {};
    svg.append(arc(node, places, from, { ...dashed, ...thick }));
    if (crossed.has(node.index)) svg.append(cross(pointOfArc(node, places, from, 0.7)));
    if (parent.weights.length) {
      const total = parent.weights.reduce((sum, weight) => sum + weight, 0n);
      const weight = `${parent.weights[parent.children.indexOf(node.index)]}/${total}`;
      const middle = pointOfArc(node, places, from, 0.45);
      svg.append(label(weight, middle.x + 4, middle.y, { size: 12, anchor: "start", class: "soft", fill: COLOURS.soft }));
    }
  }
  for (const node of tree.nodes) {
    const [left, top] = [x[node.index], y[node.index]];
    const lines = linesOf(result, node.index);
    const order = result?.records[node.index].order;
    const group = svgElement("g", {
      class: `node${isPruned(node.index) ? " pruned" : ""}`, "data-node": node.index, role: "treeitem",
      "aria-level": node.depth + 1, "aria-selected": node.index === state.selected,
      tabindex: node.index === state.selected ? 0 : -1,
      "aria-label": [spoken(tree, node.index), lines.length ? `returns ${lines.join(", ")}` : "",
        isPruned(node.index) ? "pruned" : ""].filter(Boolean).join(", "),
    });
    const outline = shape(node, left, top);
    if (isPruned(node.index)) outline.setAttribute("stroke-dasharray", "5 4");
    if (line.has(node.index)) outline.setAttribute("stroke-width", "3");
    group.append(svgElement("title", { text: node.id }), outline, nameLabel(node, left, top));
    if (node.player === null) group.append(leafLabel(node, left, top));
    lines.forEach((text, number) => {
      group.append(label(text, left + SHAPE * 0.6, top + 14 + 18 * number, { anchor: "start", "font-weight": number ? 400 : 700 }));
    });
    if (byId("show-order").checked && order !== null && order !== undefined) {
      group.append(label(`${order + 1}.`, left - SHAPE * 0.3, top - 3, { size: 11, anchor: "end", class: "soft", fill: COLOURS.soft }));
    }
    svg.append(group);
  }
  return svg;
}

/** The sentences below the tree. */
function summary(result) {
  const { tree } = state;
  const leaves = tree.nodes.filter((node) => node.player === null);
  const read = visitOrder(result).filter((index) => tree.nodes[index].player === null);
  const best = result.best === null ? "" : `, best move ${tree.nodes[result.best].id}`;
  const seen = visitOrder(result).length;
  return `Value ${format(result.value)}${best}. ${seen} of ${tree.nodes.length} nodes visited, ${read.length} of `
    + `${leaves.length} leaves evaluated.`;
}

function show() {
  const { tree, convention, selected } = state;
  const { result, problem } = searched();
  const hadFocus = byId("tree").contains(document.activeElement);
  const svg = drawing(result);
  svg.style.width = `${svg.viewBox.baseVal.width * unit()}px`;
  byId("tree").replaceChildren(svg);
  if (hadFocus) focusNode();
  say(problem || summary(result));
  const cuts = result?.cuts ?? [];
  byId("cuts").replaceChildren(
    ...cuts.map((cut) => element("li", { text: `${cut.pruned.map((child) => tree.nodes[child].id).join(", ")}: ${cut.reason}` })),
  );
  byId("no-cuts").hidden = cuts.length > 0;
  byId("order").textContent = result ? visitOrder(result).map((index) => tree.nodes[index].id).join(" ") : "";

  const node = tree.nodes[selected];
  const isLeaf = node.player === null;
  const parent = tree.nodes[node.parent];
  byId("selected").textContent = `Node ${shortName(node.id, 30)}`;
  byId("name").value = node.isNamed ? node.id : "";
  byId("name").placeholder = node.id;
  byId("value").value = isLeaf ? format(node.value) : "";
  byId("player").value = isLeaf ? "max" : PLAYER_NAMES[node.player].toLowerCase();
  byId("weight").value = parent?.weights.length ? String(parent.weights[parent.children.indexOf(selected)]) : "";
  byId("value").parentElement.hidden = !isLeaf;
  byId("player").parentElement.hidden = isLeaf;
  byId("weight").parentElement.hidden = !parent?.weights.length;
  for (const name of ["name", "value", "weight", "brackets"]) byId(name).removeAttribute("aria-invalid");

  for (const kind of Object.keys(CHOICES)) byId(kind).value = convention[kind];
  for (const kind of ["variant", "cut", "show"]) byId(kind).disabled = !prunes(convention);
  if (convention.algorithm === "negamax") byId("variant").disabled = true;
  if (document.activeElement !== byId("brackets")) byId("brackets").value = toBrackets(tree);
  byId("json").textContent = JSON.stringify(treeToJson(tree), null, 1);
  if (tell) return tell(toBrackets(tree));
  try {
    history.replaceState(null, "", link().length <= MAX_LINK ? fragment() : "#");
  } catch {
    // A page in an iframe may have no URL of its own.
  }
}

function focusNode() {
  byId("tree").querySelector(`[data-node="${state.selected}"]`)?.focus({ preventScroll: false });
}

/** Select a node. It is not a change that can be undone. */
function select(index, withFocus = true) {
  if (index === state.selected) return;
  state = { ...state, selected: index };
  show();
  if (withFocus) focusNode();
}

// ---- link -----------------------------------------------------------------------------------------------------

function fragment() {
  const words = Object.entries(state.convention).map(([kind, word]) => `${kind}=${word}`);
  return `#tree=${encodeURIComponent(toBrackets(state.tree))}&${words.join("&")}`;
}

const link = () => location.href.replace(/#.*$/s, "") + fragment();

/** Read the tree and the convention of the URL's fragment. Return whether there is a valid one. */
function readFragment() {
  const text = location.hash.slice(1);
  if (!text) return false;
  if (text.length > 2 * MAX_LINK) return say("The link is too long; paste the tree as brackets."), false;
  let given;
  try {
    given = new URLSearchParams(text.replaceAll("+", "%2B"));
    const convention = { ...state.convention };
    for (const kind of Object.keys(CHOICES)) convention[kind] = given.get(kind) ?? convention[kind];
    state = { tree: parseTree(given.get("tree") ?? ""), convention: checkConvention(convention), selected: 0 };
  } catch (error) {
    if (!(error instanceof TreeError)) throw error;
    say(`The link is not valid: ${error.message}.`);
    return false;
  }
  return true;
}

// ---- start ----------------------------------------------------------------------------------------------------

/** The tree without names that equal the default names, so that brackets stay short. */
function withoutDefaultNames(tree) {
  const forget = (/** @type {Record<string, any>} */ { id, children, ...rest }) => ({ ...rest, ...(children ? { children: children.map(forget) } : {}) });
  const unnamed = build(forget(toDraft(tree)), tree.name);
  return unnamed.nodes.every((node, index) => node.id === tree.nodes[index].id) ? unnamed : tree;
}

async function copy(what, text) {
  if (what === "link" && text.length > MAX_LINK) {
    return say(`The link would have ${text.length} characters, more than ${MAX_LINK}: copy the JSON instead.`);
  }
  say((await copyText(text)) ? `Copied the ${what}.` : `The browser does not allow copying; select the text instead.`);
}

/** The SVG text of the tree, without what only the page needs. */
function svgText() {
  const svg = drawing(searched().result);
  for (const part of [svg, ...svg.querySelectorAll("*")]) {
    for (const name of ["role", "tabindex", "data-node", "aria-level", "aria-selected", "aria-label"]) part.removeAttribute(name);
  }
  return new XMLSerializer().serializeToString(svg);
}

function onTreeKey(event) {
  const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
  const node = state.tree.nodes[state.selected];
  if (event.altKey && ["ArrowLeft", "ArrowRight"].includes(event.key)) reorder(event.key === "ArrowLeft" ? -1 : 1);
  else if (!isPlain) return;
  else if (ARROWS.includes(event.key)) select(neighbour(state.tree, state.selected, event.key));
  else if (event.key === "c") actions["add-child"]();
  else if (event.key === "s") actions["add-sibling"]();
  else if (["Delete", "Backspace"].includes(event.key)) actions.delete();
  else if (/^[-\d?]$/.test(event.key) && node.player === null) {
    byId("value").value = event.key;
    byId("value").focus();
  } else if (event.key === "Enter") byId(node.player === null ? "value" : "player").focus();
  else return;
  event.preventDefault();
}

/**
 * Bind the elements of the editor, which are in the page, and show a tree. A page has one editor.
 *
 * @param {import("./tree.js").Tree} tree
 * @param {import("./alphabeta.js").Convention} convention
 * @param {{onChange?: (brackets: string) => void, onConvention?: (convention: import("./alphabeta.js").Convention) => void}} [page]
 *   `onChange` is called after each change, and the address is left alone; without it, the address holds the tree.
 *   `onConvention` is called after a choice of the convention.
 */
export function openEditor(tree, convention, { onChange, onConvention } = {}) {
  tell = onChange ?? null;
  tellConvention = onConvention ?? null;
  state = { tree: withoutDefaultNames(tree), convention: checkConvention(convention), selected: 0 };
  for (const [id, act] of Object.entries(actions)) byId(id).addEventListener("click", act);
  for (const [id, set] of Object.entries(fields)) {
    byId(id).addEventListener("change", (event) => set(event.target.value));
    byId(id).addEventListener("keydown", (event) => {
      if (event.key === "Escape") show();
      if (!["Escape", "Enter"].includes(event.key) || event.target.matches("select")) return;
      event.preventDefault();
      if (event.key === "Enter" && event.target.value !== event.target.defaultValue) set(event.target.value);
      if (event.target.getAttribute("aria-invalid") !== "true") focusNode();
    });
  }
  for (const [kind, choices] of Object.entries(CHOICES)) {
    byId(kind).append(...choices.map((choice) => element("option", { value: choice, text: choice })));
    byId(kind).addEventListener("change", (event) => {
      const convention = { ...state.convention, [kind]: event.target.value };
      if (convention.algorithm === "negamax") convention.variant = "fail-soft";
      if (change(() => ({ convention: checkConvention(convention) }))) tellConvention?.(convention);
    });
  }
  byId("tree").addEventListener("click", (event) => {
    const node = event.target.closest("[data-node]");
    if (node) select(Number(node.dataset.node));
  });
  byId("tree").addEventListener("keydown", onTreeKey);
  byId("show-order").addEventListener("change", show);
  byId("brackets").addEventListener("change", (event) =>
    change(() => ({ tree: withoutDefaultNames(parseTree(event.target.value, state.tree.name)), selected: 0 }), fieldError("brackets")),
  );
  byId("copy-brackets").addEventListener("click", () => copy("brackets", toBrackets(state.tree)));
  byId("copy-json").addEventListener("click", () => copy("JSON", JSON.stringify(treeToJson(state.tree))));
  byId("copy-svg").addEventListener("click", () => copy("SVG", svgText()));
  byId("copy-link").hidden = Boolean(tell); // the page has a link of its own
  byId("copy-link").addEventListener("click", () => copy("link", link()));
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || /** @type {Element} */ (event.target).matches("input, textarea")) return;
    const key = event.key.toLowerCase();
    if (key === "z" && !event.shiftKey) undo();
    else if (key === "y" || key === "z") redo();
    else return;
    event.preventDefault();
  });
  if (!tell) {
    addEventListener("hashchange", () => {
      if (location.hash !== fragment() && readFragment()) show();
    });
  }
  const isRead = !tell && readFragment();
  const message = byId("status").textContent;
  show();
  if (!isRead && message) say(message);
}

