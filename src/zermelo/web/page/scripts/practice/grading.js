// The answers of a class, graded by the server file by file; the results as a table that can be sorted.

import { element, saveFile } from "/scripts/teaching/dom.js";
import { ApiError, get, post } from "../api.js";
import { base64, droppedFiles } from "./files.js";
import { gradeDetails, marksText, totalText } from "./grade.js";

/** @type {(id: string) => any} */
const byId = (id) => document.getElementById(id);

/** Limits of the server; files of a request, and its size in bytes of files. */
const MAX_FILES = 1000;
const MAX_BYTES = 3_700_000;
const BATCH = { files: 20, bytes: 1_000_000 };
/** Files that hold answers. */
const IS_ANSWER = /\.(json|txt|ya?ml|toml|csv)$/i;

/** @typedef {{number: number, student: string, file: string, exercise: string, variant: number | null, marks: number, max_marks: number, parts: Record<string, number>, mistakes: string[], summary: string, notes: string[], problem: string}} Row */

/** Make the view of grading work. */
export function gradeClasses() {
  /** @type {{id: string, title: string, exercises: number, parts: string[], rows: Row[], absent: string[], mistakes: Record<string, number>} | null} */
  let table = null;
  let sorting = { column: 0, isDown: false };
  const inputs = [byId("answer-files"), byId("answer-folder")];
  const say = (text) => (byId("class-status").textContent = text);
  const fail = (error) => (byId("class-problem").textContent = error.message);

  async function open(file) {
    byId("class-problem").textContent = "";
    try {
      if (file.size > MAX_BYTES) throw new ApiError(`${file.name}: larger than ${MAX_BYTES.toLocaleString("en")} bytes; use zermelo exercise grade`);
      table = await post("/api/classes", { exercises: await file.text() });
      for (const input of inputs) input.disabled = false;
      byId("drop").classList.add("ready");
      const { exercises, absent } = table;
      say(`${exercises} ${exercises === 1 ? "exercise" : "exercises"}${absent.length ? ` for ${absent.length} students` : ""}. Now drop the answers.`);
      show();
    } catch (error) {
      fail(error);
    }
  }

  /** Grade files one batch after the other, so that the progress shows. */
  async function add(all) {
    byId("class-problem").textContent = "";
    if (!table) return fail(new Error("choose the file of the exercises first"));
    const files = all.filter(({ name }) => IS_ANSWER.test(name) && !/(^|\/)\./.test(name));
    const others = all.length - files.length;
    if (!files.length) return fail(new Error("no .json, .txt, .yaml, .toml or .csv files among these"));
    if (files.length > MAX_FILES) return fail(new Error(`${files.length.toLocaleString("en")} files; a class has at most ${MAX_FILES.toLocaleString("en")}`));
    const { id } = table;
    let done = 0;
    const large = [];
    try {
      for (let at = 0; at < files.length; ) {
        const batch = [];
        for (let bytes = 0; at < files.length && batch.length < BATCH.files && bytes < BATCH.bytes; at++) {
          const { name, file } = files[at];
          if (file.size > MAX_BYTES) large.push(name);
          else batch.push({ name: name.slice(-1000), content: await base64(file) });
          bytes += file.size;
        }
        if (batch.length) await post(`/api/classes/${id}/answers`, { files: batch });
        done += batch.length;
        say(`${done} of ${files.length} files …`);
      }
    } catch (error) {
      fail(error);
    }
    if (large.length) fail(new Error(`larger than ${MAX_BYTES.toLocaleString("en")} bytes and not graded: ${large.slice(0, 5).join(", ")}`));
    table = await get(`/api/classes/${id}`);
    show();
    const broken = table.rows.filter(({ problem }) => problem).length;
    say(`${done} files graded${broken ? `; ${broken} answers could not be read` : ""}${others ? `; ${others} other files left out` : ""}.`);
  }

  // ---- table --------------------------------------------------------------------------------------------------

  /** The columns: title, the text of a cell, what to sort by, whether it is a number. */
  function columns() {
    return [
      { title: "Student", text: (row) => row.student || "(no name)", key: (row) => row.student.toLowerCase() },
      { title: "Marks", text: (row) => (row.problem ? "" : marksText(row.marks)), key: (row) => (row.problem ? -1 : row.marks), isNumber: true },
      { title: "of", text: (row) => marksText(row.max_marks), key: (row) => row.max_marks, isNumber: true },
      ...table.parts.map((part) => ({
        title: part.replace("_", " "), text: (row) => (part in row.parts ? marksText(row.parts[part]) : ""), key: (row) => row.parts[part] ?? -1, isNumber: true,
      })),
      { title: "What happened", text: (row) => row.summary, key: (row) => row.summary.toLowerCase() },
      { title: "File", text: (row) => row.file, key: (row) => row.file.toLowerCase() },
    ];
  }

  function show() {
    const shown = columns();
    const { column, isDown } = { ...sorting, column: Math.min(sorting.column, shown.length - 1) };
    const { key } = shown[column];
    const compare = (one, other) => (key(one) < key(other) ? -1 : key(one) > key(other) ? 1 : one.number - other.number);
    const rows = [...table.rows].sort((one, other) => (isDown ? -compare(one, other) : compare(one, other)));
    const head = shown.map(({ title, isNumber }, at) => {
      const sort = at !== column ? "none" : isDown ? "descending" : "ascending";
      const turn = () => {
        sorting = { column: at, isDown: at === column ? !isDown : Boolean(isNumber) };
        show();
        byId("class-table").querySelectorAll("thead button")[at].focus();
      };
      const button = element("button", { type: "button", class: "quiet", text: title, onclick: turn });
      return element("th", { scope: "col", "aria-sort": sort, class: isNumber && "number" }, button);
    });
    const body = rows.map((row) => {
      const cells = shown.slice(1).map(({ text, isNumber }) => element("td", { class: isNumber && "number", text: text(row) }));
      const name = row.problem ? element("span", { text: shown[0].text(row) }) : element("button", { type: "button", class: "quiet name", text: shown[0].text(row), onclick: () => showGrade(row) });
      return element("tr", { class: row.problem && "problem" }, element("th", { scope: "row" }, name), ...cells);
    });
    byId("class-table").replaceChildren(element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body));
    byId("class-title").textContent = table.title || "Results";
    const graded = table.rows.filter(({ problem }) => !problem);
    const mean = graded.length ? marksText(graded.reduce((sum, { marks }) => sum + marks, 0) / graded.length) : "";
    const facts = [
      ["Answers", table.rows.length ? `${table.rows.length}, ${table.rows.length - graded.length} of them not readable` : ""],
      ["Mean", mean],
      ["Mistakes", Object.entries(table.mistakes).map(([name, count]) => `${name} ${count}`).join(", ")],
      ["No answer", table.absent.join(", ")],
    ];
    byId("class-facts").replaceChildren(...facts.filter(([, text]) => text).flatMap(([name, text]) => [element("dt", { text: name }), element("dd", { text })]));
    byId("class-results").hidden = false;
    byId("class-csv").disabled = !table.rows.length;
  }

  async function showGrade(row) {
    try {
      const grade = await get(`/api/classes/${table.id}/grades/${row.number}`);
      byId("class-grade-title").textContent = `${row.student || row.file}: ${totalText(grade)}`;
      byId("class-grade-details").replaceChildren(...gradeDetails(grade));
      byId("class-grade").showModal();
    } catch (error) {
      fail(error);
    }
  }

  // ---- files --------------------------------------------------------------------------------------------------

  byId("exercises-file").addEventListener("change", ({ target: { files } }) => files[0] && open(files[0]));
  for (const input of inputs) {
    input.addEventListener("change", async () => {
      await add([...input.files].map((file) => ({ name: file.webkitRelativePath || file.name, file })));
      input.value = ""; // so that the same files can be chosen again
    });
  }
  const view = byId("grade");
  for (const type of ["dragenter", "dragover"]) {
    view.addEventListener(type, (event) => {
      event.preventDefault();
      byId("drop").classList.add("over");
    });
  }
  view.addEventListener("dragleave", (event) => view.contains(event.relatedTarget) || byId("drop").classList.remove("over"));
  view.addEventListener("drop", async (event) => {
    event.preventDefault();
    byId("drop").classList.remove("over");
    const files = await droppedFiles(event.dataTransfer, MAX_FILES);
    if (table) return add(files);
    if (files.length === 1) return open(files[0].file);
    fail(new Error("drop the file of the exercises first, on its own"));
  });
  byId("class-csv").addEventListener("click", async () => {
    const { name, text } = await get(`/api/classes/${table.id}/csv`);
    saveFile(name, text, "text/csv");
  });
}
