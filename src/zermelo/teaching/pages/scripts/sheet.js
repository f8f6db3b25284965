// An exercise sheet that is filled in on the page: values and windows at the nodes, crossed-out arcs, the order of
// visits, the best move. It checks nothing; `practice.js` does that through `onChange`.

import { announce, element, saveFile, svgElement } from "./dom.js";
import {
  answerJson, fileName, isEmpty, nameProblem, noEntries, numberOf, readExercise, restored, windowKey,
} from "./exercise.js";
import { CHANCE, MAX } from "./tree.js";
import {
  ARROWS, SHAPE, arc, label, layout, leafHeight, leafLabel, leafWidth, leftReach, nameLabel, neighbour, pointOfArc,
  shape, shortName, spoken, unit,
} from "./view.js";

const INPUT = { row: 30, left: 66, right: 92 };
const KIND_NAMES = { entry: "in", exit: "out", bound: "bound", interval: "interval" };
const KIND_TITLES = { entry: "window on entry", exit: "window on exit", bound: "bound", interval: "interval" };

/** One exercise on the page. */
export class Sheet {
  /**
   * @param {HTMLElement} place The element to fill.
   * @param {object} data The exercise, as Python wrote it.
   * @param {HTMLInputElement | null} nameField Where the student's name is entered.
   */
  constructor(place, data, nameField) {
    this.place = place;
    this.original = readExercise(data);
    this.exercise = this.original;
    this.nameField = nameField;
    this.onChange = (_item) => {};
    this.entries = this.load();
    this.current = 0;
    this.status = element("p", { class: "status", role: "status" });
    this.toolbar = element("div", { class: "row" });
    this.body = element("div", {});
    this.place.append(this.toolbar, this.body, this.status);
    this.saveButton = this.addButton("Save answer", () => this.save());
    this.addButton("Clear", () => this.clear());
    if (nameField) {
      nameField.value = this.entries.student;
      nameField.addEventListener("input", () => this.changed({ part: "student" }));
    }
    this.draw();
    this.place.hidden = false;
  }

  addButton(text, act) {
    const button = element("button", { type: "button", text, onclick: act });
    this.toolbar.append(button);
    return button;
  }

  say(text) {
    announce(this.status, text);
  }

  asks(part) {
    return part in this.exercise.marks;
  }

  // ---- storage ------------------------------------------------------------------------------------------------

  get isOriginal() {
    return this.exercise === this.original;
  }

  get storageKey() {
    return `zermelo-sheet/${this.original.id}/${this.original.student}`;
  }

  /** The entries of an earlier visit. The storage may be missing, full or changed by others. */
  load() {
    try {
      return restored(JSON.parse(localStorage.getItem(this.storageKey)), this.original);
    } catch {
      return noEntries(this.original.student);
    }
  }

  store() {
    if (!this.isOriginal) return;
    try {
      localStorage.setItem(this.storageKey, JSON.stringify(this.entries));
    } catch {
      // Private windows and full disks: the page works without.
    }
  }

  /** Note a change of the entries; `item` says which. */
  changed(item) {
    if (this.nameField) this.entries.student = this.nameField.value;
    this.store();
    this.place.closest("main").classList.toggle("answered", !isEmpty(this.entries));
    this.onChange(item);
  }

  save() {
    const problem = nameProblem(this.entries.student);
    if (problem) {
      this.say(`Name: ${problem}.`);
      this.nameField?.focus();
      return;
    }
    const unread = this.unreadable();
    const name = ["answer", fileName(this.entries.student), this.exercise.id].filter(Boolean).join("-");
    const text = JSON.stringify(answerJson(this.exercise, this.entries), null, 1);
    saveFile(`${name}.json`, `${text}\n`, "application/json");
    const blank = isEmpty(this.entries) ? " Nothing is answered yet." : "";
    const note = unread.length ? ` Not a number: ${unread.slice(0, 3).join(", ")}.` : "";
    this.say(`Saved the answer as ${name}.json.${blank}${note}`);
  }

  clear() {
    this.entries = { ...noEntries(), student: this.entries.student };
    this.draw();
    this.changed({ part: "all" });
    this.say("All entries are cleared.");
  }

  /** Show another exercise, or the original one again. */
  show(exercise) {
    this.exercise = exercise;
    this.entries = this.isOriginal ? this.load() : noEntries(this.entries.student);
    this.current = 0;
    this.saveButton.disabled = !this.isOriginal;
    this.draw();
    this.changed({ part: "all" });
  }

  // ---- drawing ------------------------------------------------------------------------------------------------

  sizeOf(node) {
    if (node.player === null) {
      const badge = this.asks("order") ? 26 : 0;
      return { left: leafWidth(node) / 2 + badge, right: leafWidth(node) / 2, height: leafHeight };
    }
    const rows = this.rowsAt(node);
    const hasInputs = this.asks("values") || rows > 0;
    return {
      left: Math.max(leftReach(node), rows ? INPUT.left : 0) + (rows ? 0 : 26),
      right: hasInputs ? INPUT.right : SHAPE * 0.6,
      height: SHAPE + rows * INPUT.row + (rows ? 4 : 0),
    };
  }

  rowsAt(node) {
    return this.asks("windows") && node.player !== CHANCE ? this.exercise.kinds.length : 0;
  }

  draw() {
    const { tree } = this.exercise;
    this.controls = new Map(); // by item: the element that shows whether it is right
    this.places = layout(tree, (node) => this.sizeOf(node));
    this.sizes = tree.nodes.map((node) => this.sizeOf(node));
    const [width, height] = [Math.ceil(this.places.width), Math.ceil(this.places.height)];
    this.scale = unit();
    const svg = svgElement("svg", { viewBox: `0 0 ${width} ${height}`, "aria-hidden": true, "font-family": "inherit" });
    svg.style.width = `${width * this.scale}px`;
    const canvas = element("div", { class: "canvas" }, svg);
    canvas.style.width = `${width * this.scale}px`;
    // Arrow keys move between the nodes; as an application, screen readers leave the keys to the page.
    this.view = element("div", { class: "tree", role: "application", "aria-label": `Tree of the exercise; ${this.keysText()}` }, canvas);
    this.nodes = tree.nodes.map((node) => this.drawNode(node, svg, canvas));
    this.view.addEventListener("keydown", (event) => this.onKey(event));
    this.view.addEventListener("focusin", ({ target }) => {
      const at = /** @type {HTMLElement | null} */ (/** @type {Element} */ (target).closest(".at"));
      if (at) this.setCurrent(Number(at.dataset.node));
    });
    this.setCurrent(this.current);
    this.body.replaceChildren(this.view, element("p", { class: "soft keys", text: `Keys in the tree: ${this.keysText()}.` }), this.otherParts());
    this.refresh();
  }

  keysText() {
    const keys = ["arrows move between the nodes", "Enter goes through the fields"];
    if (this.asks("cuts")) keys.push("x crosses out the arc above the node");
    if (this.asks("order")) keys.push("o gives the node the next number");
    if (this.asks("best")) keys.push("b makes a child of the root the best move");
    return keys.join(", ");
  }

  /** Place an element on the canvas; the units are those of the drawing. */
  put(made, canvas, x, y) {
    made.style.left = `${x * this.scale}px`;
    made.style.top = `${y * this.scale}px`;
    canvas.append(made);
    return made;
  }

  drawNode(node, svg, canvas) {
    const { tree } = this.exercise;
    const [x, y] = [this.places.x[node.index], this.places.y[node.index]];
    const group = element("div", { class: "at", role: "group", tabindex: -1, "data-node": node.index });
    this.put(group, canvas, x - SHAPE / 2, y);
    group.style.width = `${SHAPE * this.scale}px`;
    group.style.height = `${SHAPE * this.scale}px`;
    group.addEventListener("click", (event) => event.target === group && group.focus());
    const inside = (made, dx, dy) => {
      made.style.left = `${(dx + SHAPE / 2) * this.scale}px`;
      made.style.top = `${dy * this.scale}px`;
      group.append(made);
      return made;
    };
    const drawn = { group, svgParts: svgElement("g", {}) };
    if (node.parent >= 0) {
      const from = this.places.y[node.parent] + this.sizes[node.parent].height;
      drawn.edge = arc(node, this.places, from);
      svg.append(drawn.edge);
      const parent = tree.nodes[node.parent];
      const middle = pointOfArc(node, this.places, from, 0.55);
      if (parent.weights.length) {
        const total = parent.weights.reduce((sum, weight) => sum + weight, 0n);
        const text = `${parent.weights[parent.children.indexOf(node.index)]}/${total}`;
        svg.append(label(text, middle.x + 14, middle.y + 4, { size: 12, anchor: "start", class: "soft" }));
      }
      if (this.asks("cuts")) {
        const hit = arc(node, this.places, from, { class: "hit", "stroke-width": 16, stroke: "transparent" });
        hit.addEventListener("click", () => this.toggleCut(node));
        svg.append(hit);
        drawn.cut = element("button", { type: "button", class: "cut", onclick: () => this.toggleCut(node) });
        inside(drawn.cut, middle.x - x - 13, middle.y - y - 13);
        this.controls.set(`cuts ${node.id}`, drawn.cut);
      }
    }
    drawn.svgParts.append(svgElement("title", { text: node.id }), shape(node, x, y), nameLabel(node, x, y));
    if (node.player === null) drawn.svgParts.append(leafLabel(node, x, y));
    if (node.player !== null && node.evaluation !== null && this.exercise.depth !== null) {
      const text = `eval ${this.evaluationText(node)}`;
      drawn.svgParts.append(label(text, x - SHAPE * 0.6, y + SHAPE - 2, { size: 12, anchor: "end", class: "soft" }));
    }
    svg.append(drawn.svgParts);
    if (this.asks("order")) {
      drawn.badge = element("button", { type: "button", class: "badge", onclick: () => this.toggleOrder(node) });
      const reach = node.player === null ? leafWidth(node) / 2 + 26 : SHAPE * 0.55 + 24;
      inside(drawn.badge, -reach, node.player === null ? 2 : -4);
      this.controls.set(`order ${node.id}`, drawn.badge);
    }
    if (node.player === null) return drawn;
    const who = `${node.id} (${node.player === MAX ? "MAX" : node.player === CHANCE ? "chance" : "MIN"})`;
    if (this.asks("values")) {
      const input = this.numberInput(`Value of ${who}`, this.entries.values[node.id] ?? "", false, (text) => {
        this.entries.values[node.id] = text;
        this.changed({ part: "values", id: node.id });
      });
      input.classList.add("value-field");
      inside(input, SHAPE * 0.6 + 4, 4);
      this.controls.set(`values ${node.id}`, input);
    }
    if (!this.rowsAt(node)) return drawn;
    this.exercise.kinds.forEach((kind, row) => {
      const key = windowKey(kind, node.id);
      const ends = kind === "bound" ? [""] : ["alpha", "beta"];
      const inputs = ends.map((end, number) =>
        this.numberInput(`${KIND_TITLES[kind]} of ${who}${end && `: ${end}`}`, this.entries.windows[key]?.[number] ?? "", true, (text) => {
          const pair = [...(this.entries.windows[key] ?? ["", ""])];
          pair[number] = text;
          this.entries.windows[key] = pair;
          this.changed({ part: "windows", id: node.id, kind });
        }),
      );
      const line = element("div", { class: "window" }, element("span", { text: KIND_NAMES[kind], "aria-hidden": true }), ...inputs);
      inside(line, -INPUT.left, SHAPE + 4 + row * INPUT.row);
      this.controls.set(`windows ${key}`, line);
    });
    return drawn;
  }

  evaluationText(node) {
    return node.evaluation.d === 1n ? `${node.evaluation.n}` : `${node.evaluation.n}/${node.evaluation.d}`;
  }

  numberInput(name, text, isBound, set) {
    const input = element("input", {
      type: "text", inputmode: "text", autocomplete: "off", spellcheck: "false", maxlength: 40, "aria-label": name, class: "number",
    });
    input.value = text;
    const check = () => {
      const isUnread = numberOf(input.value, isBound) === undefined;
      input.toggleAttribute("data-unread", isUnread);
      input.setAttribute("aria-invalid", String(isUnread));
      return isUnread;
    };
    check();
    input.addEventListener("input", () => {
      input.toggleAttribute("data-unread", false);
      input.setAttribute("aria-invalid", "false");
    });
    input.addEventListener("change", () => {
      const isUnread = check();
      set(input.value);
      if (isUnread) this.say(`${name}: not a number; write 3, -2.5, 1/6${isBound ? ", -inf or inf" : ""}.`);
    });
    return input;
  }

  unreadable() {
    return [...this.view.querySelectorAll("[data-unread]")].map((input) => input.getAttribute("aria-label"));
  }

  /** The parts below the tree: nothing pruned, the order as a list, the best move. */
  otherParts() {
    const { tree } = this.exercise;
    const parts = element("div", { class: "parts" });
    if (this.asks("cuts")) {
      this.nothing = element("input", { type: "checkbox" });
      this.nothing.addEventListener("change", () => {
        this.entries.isNothingPruned = this.nothing.checked;
        if (this.nothing.checked) this.entries.cuts = [];
        this.refresh();
        this.changed({ part: "cuts", id: "" });
      });
      parts.append(element("label", {}, this.nothing, " Nothing is pruned"));
    }
    if (this.asks("best")) {
      this.radios = tree.nodes[0].children.map((child) => {
        const radio = element("input", { type: "radio", name: `best-${this.place.id}`, value: tree.nodes[child].id });
        radio.addEventListener("change", () => this.setBest(tree.nodes[child]));
        return radio;
      });
      const field = element("fieldset", { class: "best" }, element("legend", { text: "Best move" }),
        ...this.radios.map((radio) => element("label", {}, radio, ` ${shortName(radio.value, 30)}`)));
      parts.append(field);
      this.controls.set("best ", field);
    }
    if (this.asks("order")) {
      this.list = element("ol", { class: "order", "aria-label": "Order of visits" });
      parts.append(element("fieldset", {}, element("legend", { text: "Order of visits" }),
        element("p", { class: "soft keys", text: "Drag to change the order, or Alt with the left and right arrow; Delete takes a node out." }), this.list));
    }
    return parts;
  }

  // ---- changes ------------------------------------------------------------------------------------------------

  toggleCut(node) {
    const { cuts } = this.entries;
    this.entries.cuts = cuts.includes(node.id) ? cuts.filter((id) => id !== node.id) : [...cuts, node.id];
    if (this.entries.cuts.length) this.entries.isNothingPruned = false;
    this.refresh();
    this.say(`The arc to ${node.id} is ${this.entries.cuts.includes(node.id) ? "" : "not "}crossed out.`);
    this.changed({ part: "cuts", id: node.id });
  }

  toggleOrder(node) {
    const { order } = this.entries;
    this.entries.order = order.includes(node.id) ? order.filter((id) => id !== node.id) : [...order, node.id];
    this.refresh();
    const number = this.entries.order.indexOf(node.id) + 1;
    this.say(number ? `${node.id} is visit ${number}.` : `${node.id} has no number.`);
    this.changed({ part: "order", id: node.id });
  }

  /** Move a node of the order to another place. */
  moveInOrder(id, to) {
    const rest = this.entries.order.filter((other) => other !== id);
    const place = Math.max(0, Math.min(to, rest.length));
    this.entries.order = [...rest.slice(0, place), id, ...rest.slice(place)];
    this.refresh();
    this.list.children[place].querySelector("button").focus();
    this.say(`${id} is visit ${place + 1}.`);
    this.changed({ part: "order", id });
  }

  setBest(node) {
    this.entries.best = this.entries.best === node.id ? "" : node.id;
    this.refresh();
    this.say(this.entries.best ? `Best move: ${node.id}.` : "No best move.");
    this.changed({ part: "best", id: "" });
  }

  /** Show the entries that are not texts in fields: crosses, numbers, the best move. */
  refresh() {
    const { tree } = this.exercise;
    const { cuts, order, best, isNothingPruned } = this.entries;
    const isBelow = tree.nodes.map(() => false);
    tree.nodes.forEach((node, index) => {
      const { group, edge, cut, badge, svgParts } = this.nodes[index];
      const isCut = cuts.includes(node.id);
      isBelow[index] = isCut || (node.parent >= 0 && isBelow[node.parent]);
      svgParts.classList.toggle("pruned", isBelow[index]);
      group.classList.toggle("pruned", isBelow[index]);
      edge?.classList.toggle("pruned", isBelow[index]);
      edge?.setAttribute("stroke-dasharray", isBelow[index] ? "5 4" : "none");
      cut?.setAttribute("aria-pressed", String(isCut));
      cut?.setAttribute("aria-label", `Arc to ${node.id}: ${isCut ? "crossed out" : "not crossed out"}`);
      if (cut) cut.textContent = isCut ? "✕" : "";
      const number = order.indexOf(node.id) + 1;
      if (badge) badge.textContent = number ? String(number) : "";
      badge?.setAttribute("aria-label", number ? `${node.id} is visit ${number}` : `${node.id} has no number; number it`);
      const state = [isCut ? "crossed out" : "", number ? `visit ${number}` : "", best === node.id ? "best move" : ""];
      group.setAttribute("aria-label", [spoken(tree, index), ...state.filter(Boolean)].join(", "));
    });
    if (this.nothing) this.nothing.checked = isNothingPruned;
    for (const radio of this.radios ?? []) radio.checked = radio.value === best;
    if (this.list && this.asks("order")) this.showOrder();
  }

  showOrder() {
    this.list.replaceChildren(...this.entries.order.map((id, index) => {
      const button = element("button", { type: "button", draggable: true, text: shortName(id, 20) });
      button.addEventListener("keydown", (event) => {
        const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (by && event.altKey) this.moveInOrder(id, index + by);
        else if (by) this.list.children[index + by]?.querySelector("button").focus();
        else if (["Delete", "Backspace"].includes(event.key)) {
          this.toggleOrder(this.exercise.tree.nodes.find((node) => node.id === id));
          (this.list.children[Math.min(index, this.list.children.length - 1)]?.querySelector("button") ?? this.nodes[0].group).focus();
        } else return;
        event.preventDefault();
      });
      button.addEventListener("dragstart", (event) => event.dataTransfer.setData("text/plain", String(index)));
      const item = element("li", {}, button);
      item.addEventListener("dragover", (event) => event.preventDefault());
      item.addEventListener("drop", (event) => {
        event.preventDefault();
        const from = this.entries.order[Number(event.dataTransfer.getData("text/plain"))];
        if (from !== undefined) this.moveInOrder(from, index);
      });
      return item;
    }));
  }

  // ---- keyboard -----------------------------------------------------------------------------------------------

  /** Make a node the one that Tab reaches, with its fields. */
  setCurrent(index) {
    this.nodes.forEach(({ group }, other) => {
      const isCurrent = other === index;
      group.tabIndex = isCurrent ? 0 : -1;
      for (const control of group.querySelectorAll("input, button")) control.tabIndex = isCurrent ? 0 : -1;
    });
    this.current = index;
  }

  focusNode(index) {
    this.setCurrent(index);
    this.nodes[index].group.focus();
    this.nodes[index].group.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { tree } = this.exercise;
    const node = tree.nodes[this.current];
    const { group } = this.nodes[this.current];
    const inputs = [...group.querySelectorAll("input")];
    const at = inputs.indexOf(event.target);
    if (at >= 0) {
      if (event.key === "Escape") group.focus();
      else if (event.key === "Enter") (inputs[at + 1] ?? this.nextGroup()).focus();
      else return;
    } else if (event.target !== group) {
      if (event.key !== "Escape") return;
      group.focus();
    } else if (ARROWS.includes(event.key)) this.focusNode(neighbour(tree, this.current, event.key));
    else if (event.key === "Enter") (inputs[0] ?? this.nextGroup()).focus();
    else if (/^[-\d]$/.test(event.key) && inputs.length) {
      inputs[0].focus();
      inputs[0].value = event.key;
    } else if (event.key === "x" && this.asks("cuts") && node.parent >= 0) this.toggleCut(node);
    else if (event.key === "o" && this.asks("order")) this.toggleOrder(node);
    else if (event.key === "b" && this.asks("best") && node.parent === 0) this.setBest(node);
    else return;
    event.preventDefault();
  }

  /** The next inner node, in the order of the tree. */
  nextGroup() {
    const { nodes } = this.exercise.tree;
    const next = nodes.find((node) => node.index > this.current && node.player !== null);
    return this.nodes[next?.index ?? 0].group;
  }
}

/** Make the sheets of the page. */
export function makeSheets(data) {
  return data.sheets.map((exercise, number) => {
    const place = document.getElementById(`sheet-${number}`);
    return new Sheet(place, exercise, place.closest("main").querySelector("input.student"));
  });
}
