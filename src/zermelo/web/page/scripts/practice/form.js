// The form of an exercise that has no sheet: a table of entries, lists of names, single entries.

import { announce, element } from "/scripts/teaching/dom.js";

/** Kinds of remarks on entries that earn their marks. */
const RIGHT = new Set(["correct", "follow-through"]);
/** Empty rows of a table in which the keys are asked for. */
const OPEN_ROWS = 8;

/** @typedef {{part: string, shape: "table" | "set" | "single", keys: string[], is_open: boolean, example: string}} Field */
/** @typedef {{id: string, fields: Field[], key_name: string, given: Record<string, Record<string, string>>}} Task */

const heading = (part) => part.replace("_", " ");

export class Form {
  /**
   * @param {HTMLElement} place The element to fill.
   * @param {Task} task
   */
  constructor(place, task) {
    this.task = task;
    /** The controls by part and key; of a list or a single entry the key is empty. @type {Map<string, HTMLInputElement>} */
    this.controls = new Map();
    /** Rows whose keys are asked for: the input of the key, and those of the entries by part. */
    this.openRows = [];
    this.status = element("p", { class: "status", role: "status" });
    this.toolbar = element("div", { class: "row" });
    const tables = task.fields.filter(({ shape }) => shape === "table");
    const closed = tables.filter((field) => !field.is_open);
    const open = tables.filter((field) => field.is_open);
    place.replaceChildren(
      ...(closed.length ? [this.#closedTable(closed)] : []),
      ...(open.length ? [this.#openTable(open)] : []),
      ...task.fields.filter(({ shape }) => shape !== "table").map((field) => this.#single(field)),
      this.toolbar,
      this.status,
    );
    this.#load();
  }

  addButton(text, act) {
    this.toolbar.append(element("button", { type: "button", text, onclick: act }));
  }

  say(text) {
    announce(this.status, text);
  }

  #input(part, key, name, example, width) {
    const input = element("input", { type: "text", autocomplete: "off", spellcheck: "false", maxlength: 1000, "aria-label": name, placeholder: example, class: width });
    input.addEventListener("input", () => this.#changed(input));
    if (key !== null) this.controls.set(`${part} ${key}`, input);
    return input;
  }

  #changed(input) {
    input.removeAttribute("data-mark");
    input.removeAttribute("aria-invalid");
    this.#store();
  }

  #table(heads, rows) {
    const head = element("tr", {}, ...heads.map((text) => element("th", { scope: "col", text })));
    const body = element("tbody", {}, ...rows);
    return element("div", { class: "scroll" }, element("table", { class: "entries" }, element("thead", {}, head), body));
  }

  #closedTable(fields) {
    const { key_name: keyName, given } = this.task;
    const keys = [...new Set(fields.flatMap((field) => field.keys))];
    const rows = keys.map((key) => element("tr", {},
      element("th", { scope: "row", text: key }),
      ...Object.values(given).map((cells) => element("td", { text: cells[key] ?? "" })),
      ...fields.map(({ part, keys: own, example }) =>
        element("td", {}, own.includes(key) ? this.#input(part, key, `${heading(part)} of ${key}`, example, "short") : null)),
    ));
    return this.#table([keyName, ...Object.keys(given), ...fields.map(({ part }) => heading(part))], rows);
  }

  #openTable(fields) {
    const { key_name: keyName } = this.task;
    const row = () => {
      const number = this.openRows.length + 1;
      const key = this.#input("", null, `${keyName} ${number}`, "", "long");
      const entries = fields.map(({ part, example }) => [part, this.#input(part, null, `${heading(part)} of ${keyName} ${number}`, example, "long")]);
      this.openRows.push({ key, entries: Object.fromEntries(entries) });
      return element("tr", {}, element("td", {}, key), ...entries.map(([, input]) => element("td", {}, input)));
    };
    const table = this.#table([keyName, ...fields.map(({ part }) => heading(part))], Array.from({ length: OPEN_ROWS }, row));
    this.addRow = () => table.querySelector("tbody").append(row());
    return element("div", { class: "stack" }, table, element("div", {}, element("button", { type: "button", text: "Add a row", onclick: () => (this.addRow(), this.openRows.at(-1).key.focus()) })));
  }

  #single({ part, shape, example }) {
    const input = this.#input(part, "", heading(part), shape === "set" ? `${example}, or none` : example, "long");
    input.removeAttribute("aria-label");
    return element("label", {}, element("span", { text: heading(part) }), input);
  }

  // ---- entries ------------------------------------------------------------------------------------------------

  /** The content of the answer file. */
  answer() {
    const answer = { schema: "zermelo-answer/1", exercise: this.task.id };
    for (const { part, shape, keys, is_open: isOpen } of this.task.fields) {
      const written = (key) => this.controls.get(`${part} ${key}`).value.trim();
      if (shape === "single") answer[part] = written("") || null;
      else if (shape === "set") answer[part] = written("").toLowerCase() === "none" ? [] : written("") || null;
      else if (isOpen) {
        const rows = this.openRows.map(({ key, entries }) => [key.value.trim(), entries[part].value.trim()]);
        answer[part] = Object.fromEntries(rows.filter(([key, entry]) => key && entry));
      } else answer[part] = Object.fromEntries(keys.map((key) => [key, written(key) || null]));
    }
    return answer;
  }

  get #storageKey() {
    return `zermelo-form/${this.task.id}`;
  }

  #texts() {
    const controls = [...this.controls].map(([key, input]) => [key, input.value]);
    const rows = this.openRows.map(({ key, entries }) => [key.value, ...Object.values(entries).map((input) => input.value)]);
    return { controls: Object.fromEntries(controls.filter(([, text]) => text)), rows: rows.filter((row) => row.some(Boolean)) };
  }

  #store() {
    try {
      localStorage.setItem(this.#storageKey, JSON.stringify(this.#texts()));
    } catch {
      // Private windows and full disks: the page works without.
    }
  }

  /** The entries of an earlier visit. The storage may be missing, full or changed by others. */
  #load() {
    try {
      const { controls = {}, rows = [] } = JSON.parse(localStorage.getItem(this.#storageKey)) ?? {};
      for (const [key, text] of Object.entries(controls)) if (this.controls.has(key)) this.controls.get(key).value = String(text);
      rows.slice(0, 500).forEach((texts, at) => {
        if (at >= this.openRows.length) this.addRow?.();
        const row = this.openRows[at];
        if (row) [row.key, ...Object.values(row.entries)].forEach((input, column) => (input.value = String(texts[column] ?? "")));
      });
    } catch {
      // Nothing was stored.
    }
  }

  clear() {
    const inputs = [...this.controls.values(), ...this.openRows.flatMap(({ key, entries }) => [key, ...Object.values(entries)])];
    for (const input of inputs) {
      input.value = "";
      this.#changed(input);
    }
    this.say("All entries are cleared.");
  }

  // ---- checks -------------------------------------------------------------------------------------------------

  /** The control of an entry, if the form shows it. */
  #control(part, node) {
    const open = this.openRows.find(({ key }) => node && key.value.trim() === node);
    return this.controls.get(`${part} ${node ?? ""}`) ?? open?.entries[part] ?? this.controls.get(`${part} `);
  }

  /** The first control of a part. */
  #firstOf(part) {
    return [...this.controls].find(([key]) => key.startsWith(`${part} `))?.[1] ?? this.openRows[0]?.key;
  }

  /**
   * Mark the controls of a grade as right or wrong; blank ones keep no mark.
   *
   * @param {import("./grade.js").Grade} grade
   */
  mark(grade) {
    const { parts } = grade;
    for (const { part, lost, remarks } of parts) {
      const single = this.controls.get(`${part} `);
      for (const { kind, node } of single ? [] : remarks) this.#mark(this.#control(part, node), RIGHT.has(kind));
      if (single) this.#mark(single, lost === 0);
    }
    // Of a part without a readable entry there are no remarks on its entries.
    for (const { part, keys } of this.task.fields.filter(({ shape, is_open: isOpen }) => shape === "table" && !isOpen)) {
      for (const key of keys) if (!this.controls.get(`${part} ${key}`).hasAttribute("data-mark")) this.#mark(this.controls.get(`${part} ${key}`), false);
    }
  }

  #mark(control, isRight) {
    if (!control?.value.trim()) return;
    control.setAttribute("data-mark", isRight ? "right" : "wrong");
    control.setAttribute("aria-invalid", String(!isRight));
  }

  /**
   * Go to the first entry that is wrong or missing, and say what it depends on.
   *
   * @param {import("./grade.js").Grade} grade
   */
  hint({ parts }) {
    for (const { part, remarks } of parts) {
      const open = remarks.find(({ kind }) => !RIGHT.has(kind));
      if (!open) continue;
      (this.#control(part, open.node) ?? this.#firstOf(part))?.focus();
      return this.say(`${heading(part)}: ${open.text}.${open.hint && ` ${open.hint}`}`);
    }
    this.say("Everything is right.");
  }
}
