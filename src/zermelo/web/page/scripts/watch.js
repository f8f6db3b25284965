// The page "Watch the search": the tree of a position, searched step by step by one or two algorithms.

import { copyText, element, saveFile } from "/scripts/teaching/dom.js";
import { StepControls, fillPath, lightLine } from "/scripts/teaching/step_controls.js";
import { get, getText, post, stream } from "./api.js";
import { announce } from "./shell.js";
import { boardPicture } from "./board_picture.js";
import { SearchedTree } from "./watch/searched_tree.js";
import { nodeBoard } from "./watch/node_board.js";
import { TreeView } from "./watch/tree_view.js";

/** The algorithms by their words in the API. */
const ALGORITHMS = [
  ["alphabeta", "Alpha-beta"],
  ["minimax", "Minimax"],
  ["negamax", "Negamax"],
  ["alphabeta pvs", "Principal variation search"],
  ["alphabeta deepening table killers", "Alpha-beta as engines search: deepening, table, killers"],
  ["expectiminimax", "Expectiminimax"],
  ["star1", "Star1"],
  ["star2", "Star2"],
  ["mcts", "Monte Carlo tree search"],
];
const ORDERS = [
  ["given", "as given"],
  ["best", "best first"],
  ["worst", "worst first"],
  ["evaluation", "by evaluation"],
  ["move-score", "by the engine's move scores"],
];
/** Prefixes of the choice of trees. */
const [GAME, LECTURE, OWN] = ["game ", "lecture ", "own"];
/** What the page opens with. */
const DEFAULTS = { game: "tictactoe", position: "XO-/-X-/--O", depth: "3", algorithm: "alphabeta", with: "minimax" };
/** Cutoffs in the list. */
const MOST_CUTS = 40;
const MAX_LINK = 8000;

const byId = (/** @type {string} */ id) => /** @type {any} */ (document.getElementById(id));
let lectures = [];
let games = [];
/** The searches that are shown, the first one at the left. @type {Side[]} */
let sides = [];
/** The one whose path, pseudocode and cutoffs are shown. */
let focus = null;
let loading = null; // AbortController of the requests under way

// ---- a search with its picture --------------------------------------------------------------------------------

class Side {
  /** @param {any} request The body of `POST /api/trees`. */
  constructor(request, title) {
    this.request = request;
    this.label = title;
    this.title = element("button", { type: "button", class: "title", "aria-pressed": "false", text: title, onclick: () => setFocus(this) });
    this.counts = element("span", { class: "counts soft numbers" });
    this.levels = element("output", { class: "soft small" });
    const host = element("div", { class: "tree-view", "aria-label": `Tree: ${title}` });
    const tool = (text, label, act) => element("button", { type: "button", title: label, "aria-label": label, text, onclick: act });
    this.figure = element("figure", { class: "side" },
      element("figcaption", {}, this.title, this.counts),
      host,
      element("div", { class: "tree-tools" },
        tool("−", "Zoom out (-)", () => this.view.zoomBy(0.8)),
        tool("Fit", "The whole tree (0)", () => this.view.fit()),
        tool("+", "Zoom in (+)", () => this.view.zoomBy(1.25)),
        tool("Fold level", "Fold the lowest level ([)", () => this.view.setLevels(this.view.levels - 1)),
        tool("Unfold level", "Unfold one more level (])", () => this.view.setLevels(this.view.levels + 1)),
        this.levels));
    this.view = new TreeView(host, {
      onVisit: (index) => visit(this, index),
      onSelect: (index) => showNode(this, index),
      onChange: () => this.#showLevels(),
      wantBoards: (indices) => this.#loadBoards(indices),
    });
    this.tree = null;
    this.pictures = new Map();
  }

  get playback() {
    return this.tree.playback;
  }

  #showLevels() {
    this.levels.textContent = `${this.view.visibleCount.toLocaleString("en")} of ${this.tree.size.toLocaleString("en")} nodes in view`;
    if (focus === this) showNode(this, this.view.selected, false);
  }

  /** Ask the server for the search. */
  load(signal, onProgress) {
    let tree = null;
    return stream("/api/trees", this.request, {
      signal,
      progress: ({ text }) => onProgress(`${this.label}: ${text} …`),
      tree: (header) => (tree = new SearchedTree(header)),
      steps: (table) => {
        tree.append(table);
        onProgress(`${this.label}: ${tree.steps.length.toLocaleString("en")} of ${tree.header.steps.toLocaleString("en")} steps …`);
      },
      end: () => {
        tree.finish();
        this.tree = tree;
      },
    });
  }

  async #loadBoards(indices) {
    const [request, tree] = [this.request, this.tree];
    for (let first = 0; first < indices.length; first += 100) {
      try {
        const { boards } = await post("/api/trees/boards", { ...request, nodes: indices.slice(first, first + 100) });
        if (tree !== this.tree) return;
        for (const [index, picture] of Object.entries(boards)) this.pictures.set(Number(index), picture);
        this.view.addBoards(new Map(Object.entries(boards).map(([index, picture]) => [Number(index), () => nodeBoard(picture)])));
      } catch (error) {
        return problem(error);
      }
    }
  }

  async picture(index) {
    if (!this.tree.header.hasBoards) return null;
    if (!this.pictures.has(index)) {
      const { boards } = await post("/api/trees/boards", { ...this.request, nodes: [index] });
      this.pictures.set(index, boards[index]);
    }
    return this.pictures.get(index);
  }

  #asked = -1;

  /** The sentence of the current step; of a long search it is asked for. */
  async sentence() {
    const { count } = this.playback;
    const { playback: shown } = leader(); // the slider counts its steps
    if (!count) return `Before the search: ${(shown.steps.length - shown.count).toLocaleString("en")} steps to come.`;
    const known = this.tree.steps.sentence(count - 1);
    if (known !== undefined) return known;
    if (this.#asked === count) return "…";
    this.#asked = count;
    const first = Math.max(0, count - 50);
    const { sentences } = await post("/api/trees/sentences", { ...this.request, first, count: 200 });
    this.#asked = -1;
    this.tree.steps.addSentences(first, sentences);
    return this.tree.steps.sentence(count - 1) ?? "";
  }

  /** Name of a node in the table of the path: its move, or its name. */
  nameOf = (index) => this.tree.arc(index) || this.tree.name(index);
}

/** The search that the controls step through: the longest one; the other keeps pace by the number of visits. */
const leader = () => sides.reduce((one, other) => (other.playback.visits.length > one.playback.visits.length ? other : one));

// ---- display --------------------------------------------------------------------------------------------------

const controls = new StepControls({
  show,
  nameOf: (index) => leader().nameOf(index),
  nextCut,
  keys: {
    "+": () => focus.view.zoomBy(1.25),
    "-": () => focus.view.zoomBy(0.8),
    0: () => focus.view.fit(),
    "[": () => focus.view.setLevels(focus.view.levels - 1),
    "]": () => focus.view.setLevels(focus.view.levels + 1),
  },
});

/** Show the state after the steps taken, or a question about the next step. */
function show(question) {
  if (question) return void (byId("sentence").textContent = question);
  const first = leader();
  for (const side of sides) {
    const { playback } = side;
    if (side !== first) playback.go(first.playback.isDone ? Infinity : first.playback.count ? playback.upToVisit(first.playback.visited) : 0);
    side.view.update();
    const { header } = side.tree;
    const value = playback.isDone ? ` Value ${header.value}${header.best && `, best move ${header.best}`}.` : "";
    side.counts.textContent = `${progress(side)}.${value}`;
  }
  if (first.playback.isDone) fitAll();
  showFocus();
  keepLink();
}

/** "11 of 13 nodes visited"; with "in 15 visits" if nodes were searched again. */
function progress(side) {
  const { playback, tree } = side;
  const visits = playback.visited.toLocaleString("en");
  if (isSampled(side)) return `${visits} of ${tree.header.visits.toLocaleString("en")} simulations`;
  const nodes = `${playback.visitedNodes.toLocaleString("en")} of ${tree.size.toLocaleString("en")} nodes visited`;
  return playback.visited === playback.visitedNodes ? nodes : `${nodes} in ${visits} visits`;
}

/** Of two trees side by side, show the whole of each. */
function fitAll() {
  if (sides.length > 1) for (const { view } of sides) view.fit();
}

function setFocus(side) {
  focus = side;
  for (const each of sides) each.title.setAttribute("aria-pressed", String(each === side));
  const { header } = side.tree;
  byId("code").replaceChildren(...header.code.map((line) => {
    const item = element("li", { text: line.trimStart() });
    item.style.setProperty("--indent", `${line.length - line.trimStart().length}ch`);
    return item;
  }));
  byId("bounds-heading").hidden = !header.hasWindows;
  byId("bounds-heading").textContent = header.code[0] === "repeat" ? "proven" : "window";
  byId("cut-panel").hidden = !header.cuts.length;
  byId("save").disabled = false;
  showFocus();
  showNode(side, side.view.selected, false);
}

/** The panels beside the trees. */
function showFocus() {
  const { tree, playback, nameOf } = focus;
  const { step } = playback;
  const path = step ? tree.pathTo(step.node) : [];
  fillPath(byId("path"), path, playback, { nameOf, playerOf: (index) => tree.playerName(index), hasWindows: tree.header.hasWindows });
  lightLine(byId("code"), step?.line);
  showCuts();
  showBounds();
  byId("node-text").textContent = nodeText(focus, focus.view.selected);
  focus.sentence().then((text) => (byId("sentence").textContent = text), problem);
}

/** The latest cutoffs, the last one first. */
function showCuts() {
  const { tree, playback } = focus;
  const { cuts } = tree.header;
  let [low, high] = [0, cuts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (cuts[middle].step <= playback.count) low = middle + 1;
    else high = middle;
  }
  byId("no-cutoffs").hidden = low > 0;
  byId("cutoffs-heading").textContent = low ? `Cutoffs: ${low.toLocaleString("en")}` : "Cutoffs";
  byId("cutoffs").replaceChildren(
    ...cuts.slice(Math.max(0, low - MOST_CUTS), low).reverse().map(({ step, pruned, reason }) =>
      element("li", {}, element("button", { type: "button", onclick: () => goTo(focus, step) }, element("b", { text: pruned }), ` pruned: ${reason}`)),
    ),
  );
}

/** The bounds that the selection of the current step compares, in Monte Carlo tree search. */
function showBounds() {
  const { tree, playback, nameOf } = focus;
  const bounds = playback.count ? tree.steps.bounds(playback.count - 1) : undefined;
  byId("ucb").hidden = !bounds;
  if (!bounds) return;
  const chosen = playback.step.node;
  const sorted = [...bounds].sort((one, other) => other.mean + other.bonus - one.mean - one.bonus);
  byId("bounds").replaceChildren(...sorted.map(({ node, visits, mean, bonus }) =>
    element("tr", { "aria-current": node === chosen ? "step" : null },
      element("td", { text: nameOf(node) }),
      ...[visits, mean.toFixed(2), bonus.toFixed(2), (mean + bonus).toFixed(2)].map((text) => element("td", { class: "number", text }))),
  ));
}

/** A node in words, for its panel and for screen readers. */
function nodeText({ tree, view, playback }, index) {
  const seen = playback.nodes.get(index);
  const isLeaf = !tree.isInner(index);
  const parts = [tree.pathTo(index).slice(1).map((at) => tree.arc(at) || tree.name(at)).slice(-6).join(" ") || tree.name(index)];
  parts.push(isLeaf ? `leaf, value ${tree.leafValue(index)}` : `${tree.playerName(index)} to move`);
  if (seen && !isLeaf) parts.push(...[seen.value && `value ${seen.value}`, seen.window].filter(Boolean));
  if (!seen) parts.push(playback.crossed.has(index) || tree.pathTo(index).some((at) => playback.crossed.has(at)) ? "pruned" : "not visited yet");
  if (!isLeaf) parts.push(`${tree.children(index).length} children, ${tree.below(index).toLocaleString("en")} nodes below${view.isFolded(index) ? ", folded" : ""}`);
  if (tree.same(index)) parts.push(tree.same(index));
  return parts.join("; ");
}

function showNode(side, index, isSpoken = true) {
  if (!side.playback) return;
  if (focus !== side) setFocus(side);
  const text = nodeText(side, index);
  byId("node-text").textContent = text;
  byId("fold").textContent = side.view.isFolded(index) ? "Unfold" : "Fold";
  byId("fold").disabled = !side.tree.isInner(index);
  if (isSpoken) announce(text);
  side.picture(index).then((picture) => {
    if (focus === side && side.view.selected === index) byId("node-board").replaceChildren(...(picture ? [boardPicture(picture)] : []));
  }, problem);
}

function problem(error) {
  if (error?.name === "AbortError") return;
  byId("problem").textContent = error?.message ?? String(error);
}

/** Whether a search visits nodes more than once, as re-searches and iterative deepening do. */
const searchesAgain = (side) => !isSampled(side) && side.playback.distinct.at(-1) < side.playback.visits.length;

/** Whether a search samples playouts: its value is in other units, and each visit of a node plays a game out. */
const isSampled = ({ request }) => request.algorithm === "mcts";

/** "Same answer, 7: Alpha-beta visits 44 nodes, Minimax 86: 1/2 of the nodes." Nodes searched again count again. */
function comparison() {
  if (sides.length < 2) return "";
  const [few, many] = [...sides].sort((one, other) => one.tree.header.visits - other.tree.header.visits);
  const [a, b] = [few.tree.header, many.tree.header];
  const ratio = b.visits / Math.max(1, a.visits);
  const unit = sides.some(searchesAgain) ? "visits" : "nodes";
  const share = a.visits === b.visits ? "the same number" : ratio >= 1.9 ? `1/${Math.round(ratio)} of the ${unit}` : `${Math.round(100 / ratio)} % of the ${unit}`;
  const hasSamples = sides.some(isSampled);
  const [one, other] = hasSamples ? [`move ${a.best}`, `move ${b.best}`] : [a.value, b.value];
  const values = one === other ? `Same answer, ${one}` : `Different answers, ${one} and ${other}`;
  if (hasSamples) return `${values}: ${[few, many].map(work).join("; ")}.`;
  const first = unit === "nodes" ? work(few) : `${few.label} makes ${a.visits.toLocaleString("en")} visits`;
  return `${values}: ${first}, ${many.label} ${b.visits.toLocaleString("en")}: ${share}.`;
}

/** "Alpha-beta visits 44 nodes", "Monte Carlo tree search plays 60 simulations" */
function work(side) {
  const visits = side.tree.header.visits.toLocaleString("en");
  if (isSampled(side)) return `${side.label} plays ${visits} simulations`;
  return searchesAgain(side) ? `${side.label} makes ${visits} visits` : `${side.label} visits ${visits} nodes`;
}

// ---- steps ----------------------------------------------------------------------------------------------------

/** Go to a step of one of the searches; the leading one goes to the same number of visits. */
function goTo(side, count) {
  controls.pause();
  const first = leader();
  if (side === first) return controls.go(count);
  side.playback.go(count);
  controls.go(first.playback.upToVisit(side.playback.visited));
  side.playback.go(count);
  side.view.update();
  showFocus();
}

/** Go to the next cutoff of any of the searches, the one after the fewest visits. */
function nextCut() {
  const next = sides
    .map((side) => ({ side, count: side.playback.nextCut() }))
    .filter(({ side, count }) => side.playback.steps.at(count - 1)?.cut !== undefined && count > side.playback.count)
    .map((each) => ({ ...each, visits: each.side.playback.visitsIn(each.count) }))
    .sort((one, other) => one.visits - other.visits)[0];
  if (!next) return controls.go(Infinity);
  if (focus !== next.side) setFocus(next.side);
  goTo(next.side, next.count);
}

/** Go to the first visit of a node, or to the cutoff that pruned it. */
function visit(side, index) {
  const to = side.playback.upToNode(index, side.tree.parentOf);
  if (to) goTo(side, to);
}

// ---- the form -------------------------------------------------------------------------------------------------

const options = (list) => list.map(([value, text]) => element("option", { value, text }));

/** Show the fields that the choices need. */
function updateFields() {
  const isGame = byId("game").value.startsWith(GAME);
  const hide = (/** @type {string} */ kind, /** @type {boolean} */ isHidden) => {
    for (const field of document.querySelectorAll(kind)) /** @type {HTMLElement} */ (field).hidden = isHidden;
  };
  hide(".of-game", !isGame);
  hide(".of-tree", isGame);
  if (isGame) byId("editor").hidden = true;
  const isMcts = [byId("first-algorithm").value, byId("with").value].includes("mcts");
  hide(".of-mcts", !isMcts);
  hide(".with", !byId("with").value);
  byId("first-order").disabled = byId("first-algorithm").value === "mcts";
  byId("with-order").disabled = byId("with").value === "mcts";
  for (const id of ["first-algorithm", "with"]) {
    for (const option of byId(id).options) if (option.value === "mcts") option.disabled = !isGame;
  }
}

/** Fill the evaluations of the chosen game. */
function updateEvaluations() {
  const game = games.find(({ name }) => GAME + name === byId("game").value);
  byId("evaluation").replaceChildren(...options([["", "the game's first"], ...(game?.evaluations ?? []).map((name) => [name, name])]));
}

/** What the form says, as the query of the page's address. */
function formQuery() {
  const value = (id) => byId(id).value.trim();
  const isGame = value("game").startsWith(GAME);
  const lecture = lectures.find(({ name }) => LECTURE + name === value("game"));
  const query = isGame
    ? { game: value("game").slice(GAME.length), position: value("position"), moves: value("moves"), depth: value("depth"), evaluation: value("evaluation") }
    : { tree: lecture && lecture.tree === value("tree-text") ? lecture.name : value("tree-text") };
  query.algorithm = value("first-algorithm");
  query.order = value("first-order");
  query.words = value("words");
  query.with = value("with");
  if (query.with) query["with-order"] = value("with-order");
  if ([query.algorithm, query.with].includes("mcts")) Object.assign(query, { simulations: value("simulations"), seed: value("seed") });
  if (isGame && !byId("with-boards").checked) query.boards = "no";
  return Object.fromEntries(Object.entries(query).filter(([name, text]) => text && !(text === "given" && name.endsWith("order"))));
}

/** Fill the form from the query of an address. */
function fillForm(query) {
  const set = (id, text) => {
    const field = byId(id);
    if (field.tagName === "SELECT" && ![...field.options].some(({ value }) => value === text)) {
      field.append(element("option", { value: text, text }));
    }
    field.value = text;
  };
  const lecture = lectures.find(({ name }) => name === query.tree);
  set("game", query.game ? GAME + query.game : lecture ? LECTURE + lecture.name : query.tree ? OWN : GAME + DEFAULTS.game);
  updateEvaluations();
  byId("tree-text").value = lecture?.tree ?? query.tree ?? "";
  for (const id of ["position", "moves", "words"]) byId(id).value = query[id] ?? "";
  for (const [id, text] of Object.entries({ depth: "2", simulations: "60", seed: "0" })) byId(id).value = query[id] ?? text;
  set("first-algorithm", query.algorithm ?? "alphabeta");
  set("first-order", query.order ?? "given");
  for (const [id, text] of Object.entries({ with: "", "with-order": "given", evaluation: "" })) set(id, query[id] ?? text);
  byId("with-boards").checked = query.boards !== "no";
  byId("more").open = Boolean(query.words || query.evaluation);
  updateFields();
}

/** The body of a request for one of the searches. */
function requestOf(query, algorithm, order) {
  const isMcts = algorithm === "mcts";
  const source = query.game
    ? { game: query.game, position: query.position ?? "", moves: (query.moves ?? "").split(/\s+/).filter(Boolean), depth: Number(query.depth ?? 2), evaluation: query.evaluation ?? "" }
    : { tree: query.tree ?? "" };
  const words = isMcts ? "" : ` ${query.words ?? ""}`;
  return {
    ...source, algorithm: algorithm + words.trimEnd(), order: isMcts ? "given" : order ?? "given",
    ...(isMcts ? { simulations: Number(query.simulations ?? 60), seed: Number(query.seed ?? 0) } : {}),
  };
}

const labelOf = (algorithm, order) => {
  const name = (ALGORITHMS.find(([value]) => value === algorithm)?.[1] ?? algorithm).replace(/:.*/, "");
  return order && order !== "given" && algorithm !== "mcts" ? `${name}, ${ORDERS.find(([value]) => value === order)[1]}` : name;
};

// ---- the editor -----------------------------------------------------------------------------------------------

/** The editor's module, once it is open. */
let editor = null;

/**
 * The convention of the form when the editor last got it; the editor searches without its enhancements.
 * @typedef {{algorithm: string, variant: string, cut: string, show: string, enhancements: string[]}} Convention
 * @type {Convention | null}
 */
let given = null;

/** Read the convention of the form as the editor knows it: Star1 and Star2 return what expectiminimax returns. */
async function editorConvention() {
  const chosen = byId("first-algorithm").value;
  const algorithm = `${chosen === "mcts" ? "alphabeta" : chosen} ${byId("words").value}`;
  given = /** @type {Convention} */ (await get(`/api/trees/convention?${new URLSearchParams({ algorithm })}`));
  const isStar = given.algorithm.startsWith("star");
  const left = [...given.enhancements, ...(isStar ? [given.algorithm] : []), ...(chosen === "mcts" ? ["Monte Carlo tree search"] : [])];
  byId("editor-note").textContent = left.length ? `The editor searches without ${left.join(", ")}; Search uses it.` : "";
  const { enhancements: _, ...convention } = given;
  return isStar ? { ...convention, algorithm: "expectiminimax" } : convention;
}

/** Write the convention that was chosen in the editor into the form. */
function keepConvention(/** @type {Omit<Convention, "enhancements">} */ convention) {
  const usual = ["fail-soft", "equal", "inherited"];
  const words = [convention.variant, convention.cut, convention.show].filter((word) => !usual.includes(word));
  byId("first-algorithm").value = convention.algorithm;
  byId("words").value = words.join(" ");
  byId("more").open ||= words.length > 0;
  byId("editor-note").textContent = "";
  updateFields();
}

/** Give the open editor the convention of the form. */
async function updateEditor() {
  if (!editor || byId("editor").hidden) return;
  try {
    editor.setConvention(await editorConvention());
    byId("problem").textContent = "";
  } catch (error) {
    problem(error);
  }
}

/** Show the tree of the field in the editor, or hide the editor. */
async function toggleEditor() {
  const place = byId("editor");
  try {
    if (!place.hidden) return;
    const { parseTree } = await import("/scripts/teaching/tree.js");
    const tree = parseTree(byId("tree-text").value);
    const convention = await editorConvention();
    if (editor) return void editor.setTree(tree, convention);
    const form = new DOMParser().parseFromString(await getText("/parts/tree_editor.html"), "text/html");
    place.append(...form.body.childNodes);
    editor = await import("/scripts/teaching/editor.js");
    editor.openEditor(tree, convention, {
      onChange: (/** @type {string} */ text) => (byId("tree-text").value = text),
      onConvention: keepConvention,
    });
    byId("problem").textContent = "";
  } catch (error) {
    return problem(error);
  } finally {
    if (editor) {
      place.hidden = !place.hidden;
      byId("edit").setAttribute("aria-expanded", String(!place.hidden));
    }
  }
}

// ---- link -----------------------------------------------------------------------------------------------------

let query = {};

function keepLink() {
  const text = `?${new URLSearchParams(query)}#step=${leader().playback.count}`;
  try {
    if (text.length < MAX_LINK) history.replaceState(null, "", text);
  } catch {
    // Browsers limit the number of changes in a second.
  }
}

const stepInLink = () => Number(/^#step=(\d{1,9})$/.exec(location.hash)?.[1] ?? 0);

// ---- loading --------------------------------------------------------------------------------------------------

async function search(step = 0) {
  loading?.abort();
  controls.pause();
  const mine = (loading = new AbortController());
  byId("problem").textContent = "";
  byId("stop").hidden = false;
  const chosen = [[query.algorithm, query.order], ...(query.with ? [[query.with, query["with-order"]]] : [])];
  const made = chosen.map(([algorithm, order]) => new Side(requestOf(query, algorithm, order), labelOf(algorithm, order)));
  const say = (text) => (byId("outcome").textContent = text);
  say("Building the tree …");
  try {
    for (const side of made) await side.load(mine.signal, say);
    if (mine.signal.aborted) return;
    open(made, step);
    const [first] = made;
    const value = first.tree.header.outcome;
    say(value);
  } catch (error) {
    if (!mine.signal.aborted) {
      say("");
      problem(error);
    }
  } finally {
    if (loading === mine) byId("stop").hidden = true;
    if (mine.signal.aborted && loading === mine) say("Stopped.");
  }
}

/** Show the searches that have arrived. */
function open(made, step) {
  sides = made;
  byId("sides").replaceChildren(...made.map((side) => side.figure));
  for (const id of ["controls", "stage"]) byId(id).hidden = false;
  byId("next-cut").hidden = !made.some((side) => side.tree.header.cuts.length);
  for (const side of made) {
    side.view.withBoards = byId("with-boards").checked && side.tree.header.hasBoards;
    side.view.show(side.tree);
  }
  byId("compared").textContent = comparison();
  focus = made[0];
  controls.use(leader().playback);
  setFocus(made[0]);
  fitAll();
  controls.go(step);
}

async function start() {
  byId("first-algorithm").append(...options(ALGORITHMS));
  byId("with").append(...options([["", "nothing"], ...ALGORITHMS]));
  for (const id of ["first-order", "with-order"]) byId(id).append(...options(ORDERS));
  try {
    [games, lectures] = await Promise.all([get("/api/catalogue").then((found) => found.games), get("/api/trees/lectures").then((found) => found.trees)]);
  } catch (error) {
    problem(error);
  }
  const open = games.filter((game) => game.perfect_information); // a search would see what players cannot
  byId("game").append(
    element("optgroup", { label: "Games" }, ...open.map(({ name, title }) => element("option", { value: GAME + name, text: title }))),
    element("optgroup", { label: "Trees of the lectures" }, ...lectures.map(({ name, lecture, title }) => element("option", { value: LECTURE + name, text: `${lecture}: ${title}` }))),
    element("option", { value: OWN, text: "A tree of your own" }),
  );
  byId("game").addEventListener("change", () => {
    const lecture = lectures.find(({ name }) => LECTURE + name === byId("game").value);
    if (lecture) {
      byId("tree-text").value = lecture.tree;
      byId("words").value = lecture.algorithm.includes("minimax") ? "" : lecture.algorithm;
    } else {
      byId("words").value = "";
      byId("position").value = byId("moves").value = "";
    }
    updateEvaluations();
    updateFields();
  });
  for (const id of ["first-algorithm", "with"]) byId(id).addEventListener("change", updateFields);
  for (const id of ["first-algorithm", "words"]) byId(id).addEventListener("change", updateEditor);
  byId("with-boards").addEventListener("change", () => sides.forEach((side) => side.view.setBoards(byId("with-boards").checked && side.tree.header.hasBoards)));
  byId("source").addEventListener("submit", (event) => {
    event.preventDefault();
    query = formQuery();
    search();
  });
  byId("edit").addEventListener("click", toggleEditor);
  byId("stop").addEventListener("click", () => loading?.abort());
  byId("visit").addEventListener("click", () => visit(focus, focus.view.selected));
  byId("fold").addEventListener("click", () => focus.view.toggle(focus.view.selected));
  byId("copy-address").addEventListener("click", async () => {
    keepLink();
    announce((await copyText(location.href)) ? "Copied the link." : "The browser does not allow copying; copy the address of the page.");
  });
  byId("save").addEventListener("click", async () => {
    try {
      const { html } = await post("/api/trees/page", focus.request);
      saveFile(`${(query.game || "tree").replace(/\W+/g, "-")}-${focus.request.algorithm.replace(/\W+/g, "-")}.html`, html, "text/html");
    } catch (error) {
      problem(error);
    }
  });
  addEventListener("hashchange", () => sides.length && controls.go(stepInLink()));
  const refresh = () => sides.forEach((side) => side.view.refresh());
  new MutationObserver(refresh).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", refresh);
  const given = Object.fromEntries(new URLSearchParams(location.search));
  fillForm(given.game || given.tree ? given : DEFAULTS);
  query = formQuery();
  search(stepInLink());
}

start();
