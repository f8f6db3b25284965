// Practice on a sheet: it says at once whether an entry is right and why, gives hints, and draws new random trees.

import { prunes } from "./alphabeta.js";
import { element } from "./dom.js";
import { answerJson, numberOf, windowKey } from "./exercise.js";
import { Solution } from "./explain.js";
import { Grader } from "./grader.js";
import { compare, format, isEqual } from "./numbers.js";
import { CHANCE, build, toDraft } from "./tree.js";

const ATTEMPTS = 300;
const PART_NAMES = { values: "Values", windows: "Windows", cuts: "Pruned arcs", order: "Order", best: "Best move" };

/** Adds checks, hints and random trees to a sheet. */
export class Practice {
  /**
   * @param {import("./sheet.js").Sheet} sheet
   * @param {{drawsTrees?: boolean}} [options] Whether it offers random trees, beside the tree of the sheet.
   */
  constructor(sheet, { drawsTrees = true } = {}) {
    this.sheet = sheet;
    this.asYouGo = element("input", { type: "checkbox" });
    this.asYouGo.checked = true;
    sheet.toolbar.append(element("label", {}, this.asYouGo, " Check as I go"));
    sheet.addButton("Check all", () => this.checkAll());
    sheet.addButton("Hint", () => this.hint());
    if (drawsTrees) {
      sheet.addButton("New random tree", () => this.newTree());
      this.backButton = sheet.addButton("Tree of the sheet", () => this.show(sheet.original));
    }
    this.results = element("ul", { class: "results" });
    sheet.place.append(this.results);
    sheet.onChange = (item) => this.onChange(item);
    this.show(sheet.original, false);
  }

  show(exercise, isNew = true) {
    this.solution = new Solution(exercise);
    this.hinted = "";
    if (this.backButton) this.backButton.disabled = exercise === this.sheet.original;
    this.results.replaceChildren();
    if (isNew) {
      this.sheet.show(exercise);
      this.sheet.say(exercise === this.sheet.original ? "The tree of the sheet." : "A new random tree. Its answer is not saved.");
    }
  }

  // ---- checks -------------------------------------------------------------------------------------------------

  /**
   * All items of a part: whether each is answered, right, and why. Blank entries at nodes that are not visited are right.
   * @returns {{key: string, what: string, isBlank: boolean, isRight: boolean, reason: string, correct: string, time: number}[]}
   */
  items(part) {
    const { solution, sheet } = this;
    const { exercise, entries } = sheet;
    const all = exercise.tree.nodes.map((node) => ({ id: node.id, player: node.player, searched: solution.byId.get(node.id) }));
    const inner = all.filter(({ player }) => player !== null);
    const timeOf = (id, isLeaving) => {
      const steps = solution.trace.steps.filter((step) => solution.tree.nodes[step.node].id === id);
      return steps.length ? solution.trace.steps.indexOf(isLeaving ? steps[steps.length - 1] : steps[0]) : Infinity;
    };
    const item = (key, what, isBlank, isRight, reason, correct, time) => ({ key, what, isBlank, isRight, reason, correct, time });

    if (part === "values") {
      return inner.map(({ id, searched }) => {
        const given = numberOf(entries.values[id] ?? "", false);
        const right = searched?.player !== null && searched ? solution.value(searched) : null;
        const isRight = given === null ? right === null : given !== undefined && right !== null && isEqual(given, right);
        const reason = right === null ? solution.notVisited(searched) : solution.valueReason(searched);
        const shown = right === null ? "left blank" : format(right);
        return item(`values ${id}`, `value of ${id}`, given === null, isRight, reason, shown, timeOf(id, true));
      });
    }
    if (part === "windows") {
      return inner.filter(({ player }) => player !== CHANCE).flatMap(({ id, searched }) => exercise.kinds.map((kind) => {
        const texts = entries.windows[windowKey(kind, id)] ?? ["", ""];
        const given = (kind === "bound" ? [texts[0], texts[0]] : texts).map((text) => numberOf(text, true));
        const right = searched ? solution.window(searched, kind) : null;
        const isBlank = given.every((end) => end === null);
        const isRight = isBlank ? right === null : right !== null && given.every((end, at) => end && compare(end, right[at]) === 0);
        const reason = right === null ? solution.notVisited(searched) : solution.windowReason(searched, kind);
        const shown = right === null ? "left blank" : kind === "bound" ? format(right[0]) : `[${right.map(format).join(", ")}]`;
        const name = { entry: "window on entry to", exit: "window on exit from", bound: "bound of", interval: "interval of" }[kind];
        return item(`windows ${windowKey(kind, id)}`, `${name} ${id}`, isBlank, isRight, reason, shown, timeOf(id, kind !== "entry"));
      }));
    }
    if (part === "cuts") {
      const isAnswered = entries.cuts.length > 0 || entries.isNothingPruned;
      return all.filter(({ searched }) => searched?.index !== 0).map(({ id, searched }) => {
        const isCrossed = entries.cuts.includes(id);
        const isPruned = Boolean(searched) && solution.pruned.includes(searched.index);
        const reason = searched ? solution.cutReason(searched) : solution.notVisited(searched);
        const cut = searched && solution.cutAbove(searched);
        const time = cut ? solution.trace.steps.findIndex((step) => step.kind === "cut" && step.node === cut.node) : Infinity;
        // An arc that is rightly not crossed out counts as blank, so that only pruned arcs are counted.
        return item(`cuts ${id}`, `arc to ${id}`, !isCrossed, isPruned ? isCrossed : !isCrossed, reason, isPruned ? "crossed out" : isAnswered ? "not crossed out" : "", time);
      });
    }
    if (part === "order") {
      const given = entries.order;
      return solution.order.map((id, position) => {
        const isBlank = position >= given.length;
        return item(`order ${given[position] ?? id}`, `visit ${position + 1}`, isBlank, given[position] === id, solution.orderReason(position), id, timeOf(id, false));
      });
    }
    return [item("best ", "best move", !entries.best, entries.best === solution.best, solution.bestReason(), solution.best, Infinity)];
  }

  /** Mark the control of an item as right or wrong; `isRight` undefined takes the mark away. */
  mark(key, isRight) {
    const control = this.sheet.controls.get(key);
    if (!control) return;
    if (isRight === undefined) control.removeAttribute("data-mark");
    else control.setAttribute("data-mark", isRight ? "right" : "wrong");
    for (const input of control.matches("input") ? [control] : control.querySelectorAll("input.number")) {
      input.setAttribute("aria-invalid", String(isRight === false || input.hasAttribute("data-unread")));
    }
  }

  onChange(changed) {
    if (changed.part === "student") return;
    this.hinted = "";
    this.results.replaceChildren();
    if (changed.part === "all" || !this.asYouGo.checked) return this.unmark(changed);
    const items = this.items(changed.part);
    const given = this.sheet.entries.order.indexOf(changed.id);
    const key = {
      values: `values ${changed.id}`, windows: `windows ${windowKey(changed.kind, changed.id)}`, cuts: `cuts ${changed.id}`,
      order: `order ${changed.id}`, best: "best ",
    }[changed.part];
    if (changed.part === "order") {
      this.sheet.entries.order.forEach((id, position) => this.mark(`order ${id}`, items[position]?.isRight ?? false));
      this.sheet.exercise.tree.nodes.forEach(({ id }) => this.sheet.entries.order.includes(id) || this.mark(`order ${id}`, undefined));
      if (given < 0) return;
      const isRight = items[given]?.isRight ?? false;
      return this.sheet.say(isRight ? `${changed.id}, visit ${given + 1}: right.` : `${changed.id}, visit ${given + 1}: wrong. ${this.rule("order", given)}`);
    }
    if (changed.part === "cuts" && !changed.id) {
      const isRight = !this.solution.pruned.length;
      if (this.sheet.entries.isNothingPruned) this.sheet.say(isRight ? "Nothing is pruned: right." : "Nothing is pruned: wrong. The search prunes somewhere.");
      return;
    }
    const item = items.find((each) => each.key === key);
    if (!item) return;
    const isHalf = changed.part === "windows" && changed.kind !== "bound"
      && (this.sheet.entries.windows[windowKey(changed.kind, changed.id)] ?? []).filter((text) => text.trim()).length === 1;
    if (isHalf || (item.isBlank && changed.part !== "best")) return this.mark(key, undefined);
    this.mark(key, item.isRight);
    this.sheet.say(`${item.what}: ${item.isRight ? "right" : "wrong"}. ${item.reason}`);
  }

  /** The rule behind the order of visits, without the next node. */
  rule(part, position) {
    const before = this.solution.order[position - 1];
    if (position >= this.solution.order.length) return this.solution.orderReason(position);
    return `${before ? `After ${before}` : "At first"}, visit the next node depth first, children from left to right; pruned nodes are not visited.`;
  }

  unmark(changed) {
    for (const key of this.sheet.controls.keys()) if (changed.part === "all" || key.startsWith(changed.part)) this.mark(key, undefined);
  }

  checkAll() {
    const lines = [];
    for (const part of Object.keys(this.sheet.exercise.marks)) {
      const items = this.items(part);
      let [right, wrong, missing] = [0, 0, 0];
      for (const each of items) {
        const isExpected = part === "cuts" ? each.correct === "crossed out" : each.correct !== "left blank";
        if (each.isRight && isExpected) right++;
        else if (!each.isRight && each.isBlank) missing++;
        else if (!each.isRight) wrong++;
        this.mark(each.key, each.isBlank && (part !== "best" || !each.isRight) ? undefined : each.isRight);
      }
      if (part === "order") {
        const extra = this.sheet.entries.order.slice(items.length);
        extra.forEach((id) => this.mark(`order ${id}`, false));
        wrong += extra.length;
      }
      if (part === "cuts" && this.sheet.entries.isNothingPruned && !this.solution.pruned.length) right = 1;
      lines.push({ part, text: `${PART_NAMES[part]}: ${right} right, ${wrong} wrong, ${missing} missing.`, isDone: !wrong && !missing });
    }
    const { exercise, entries } = this.sheet;
    const grader = new Grader(exercise);
    const { parts, total, notShown, isLimited, slip } = grader.grade(answerJson(exercise, entries));
    for (const line of lines) line.text += ` Marks: ${marksText(parts[line.part])} of ${marksText(grader.marks[line.part])}.`;
    const notes = [`Marks: ${marksText(total)} of ${marksText(grader.total)}.`];
    if (slip) notes.push(`Follow-through from ${slip.text}.`);
    if (notShown.length) notes.push(`No marks where the skill is not shown: ${notShown.join(", ")}.`);
    if (isLimited) notes.push("At most 60 % of the marks, because a part does not show its skill.");
    const isAllRight = lines.every((line) => line.isDone);
    lines.push({ text: notes.join(" "), isDone: isAllRight });
    this.results.replaceChildren(...lines.map(({ text, isDone }) => element("li", { class: isDone ? "done" : "open", text: `${isDone ? "✓" : "•"} ${text}` })));
    this.sheet.say(isAllRight ? "Everything is right." : notes.join(" "));
  }

  /** The next step of the search that is wrong or missing: first the rule, asked again the entry itself. */
  hint() {
    const open = Object.keys(this.sheet.exercise.marks)
      .flatMap((part) => this.items(part).map((each) => ({ ...each, part })))
      .filter((each) => !each.isRight)
      .sort((one, other) => (one.time === other.time ? 0 : one.time - other.time));
    if (!open.length) return this.sheet.say("Everything is right.");
    const [first] = open;
    const node = this.sheet.exercise.tree.nodes.find(({ id }) => first.key.endsWith(` ${id}`));
    if (node) this.sheet.setCurrent(node.index);
    const isSecond = this.hinted === first.key;
    this.hinted = first.key;
    const rule = first.part === "order" ? this.rule("order", Number(first.what.split(" ")[1]) - 1) : first.reason;
    const what = first.what[0].toUpperCase() + first.what.slice(1);
    this.sheet.say(isSecond ? `${what}: ${first.correct}. ${first.reason}` : `Next: ${first.what}. ${rule} (Hint again for the entry.)`);
  }

  // ---- random trees -------------------------------------------------------------------------------------------

  /** Draw a tree like that of the sheet: as many plies, children and values; a single best move, the same kinds of cuts. */
  newTree() {
    const { original } = this.sheet;
    const kinds = new Solution(original).cutPlayers().size;
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const exercise = { ...original, tree: randomLike(original) };
      const solution = new Solution(exercise);
      if ("best" in original.marks && !solution.hasClearBest()) continue;
      if ("cuts" in original.marks && solution.cutPlayers().size < kinds) continue;
      return this.show(exercise);
    }
    this.sheet.say("No suitable tree was found; try again.");
  }
}

/** Marks with at most two decimals. */
const marksText = ({ n, d }) => String(Number((Number(n) / Number(d)).toFixed(2)));

/** A random tree of the shape of another one. Where players alternate and all is searched, the shape is drawn, too. */
function randomLike({ tree, depth, convention }) {
  const leaves = tree.nodes.filter((node) => node.player === null);
  const numbers = leaves.map((node) => (node.value ? Number(node.value.n) / Number(node.value.d) : 0));
  const [low, high] = [Math.ceil(Math.min(...numbers)), Math.floor(Math.max(...numbers))];
  const within = (from, to) => from + Math.floor(Math.random() * (to - from + 1));
  const value = () => ({ n: BigInt(within(low, Math.max(high, low + 2))), d: 1n });
  const inner = tree.nodes.filter((node) => node.player !== null);
  const isRegular = depth === null && inner.every((node) => node.player && node.player === tree.nodes[0].player * (node.depth % 2 ? -1 : 1));
  const unnamed = (draft) => (draft.children
    ? { ...draft, id: undefined, evaluation: draft.evaluation && value(), children: draft.children.map(unnamed) }
    : { value: value() });
  if (!isRegular || !prunes(convention)) return build(unnamed(toDraft(tree)));
  const counts = inner.map((node) => node.children.length);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const depths = leaves.map((node) => node.depth);
  const [first, last] = [Math.min(...depths), Math.max(...depths)];
  const grow = (ply, player) => {
    if (ply >= first && (ply >= last || Math.random() < 1 / (last - ply + 1))) return { value: value() };
    return { player, children: Array.from({ length: within(least, most) }, () => grow(ply + 1, -player)) };
  };
  for (let attempt = 0; attempt < 20; attempt++) {
    const draft = grow(0, tree.nodes[0].player);
    const count = (part) => 1 + (part.children ?? []).reduce((sum, child) => sum + count(child), 0);
    if (count(draft) <= 1.3 * tree.nodes.length + 2) return build(draft);
  }
  return build(unnamed(toDraft(tree)));
}
