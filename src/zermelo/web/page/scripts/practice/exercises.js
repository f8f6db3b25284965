// Exercises: drawn by the server from kind, difficulty and seed, done on the page, and graded by the server.

import { answerJson } from "/scripts/teaching/exercise.js";
import { element } from "/scripts/teaching/dom.js";
import { Practice } from "/scripts/teaching/practice.js";
import { Sheet } from "/scripts/teaching/sheet.js";
import { post } from "../api.js";
import { drawingOf } from "../drawing.js";
import { announce } from "../shell.js";
import { choiceOf, fillChoice, randomSeed } from "./choice.js";
import { Form } from "./form.js";
import { gradeDetails, totalText } from "./grade.js";
import { note, showProgress } from "./progress.js";

/** @type {(id: string) => any} */
const byId = (id) => document.getElementById(id);
const texts = (tag, all) => all.map((text) => element(tag, { text }));

/**
 * Make the view of exercises work.
 *
 * @param {import("./choice.js").Kind[]} kinds
 * @param {string[]} difficulties
 */
export function practiseExercises(kinds, difficulties) {
  const form = /** @type {HTMLFormElement} */ (byId("choice"));
  fillChoice(form, byId("convention"), kinds, difficulties);
  const chosen = new URLSearchParams(location.search);
  for (const name of ["kind", "difficulty", "convention", "seed"]) {
    const control = form.elements[name];
    const value = chosen.get(name);
    if (value === null) continue;
    if (!control.options || [...control.options].some((option) => option.value === value)) control.value = value;
  }
  form.kind.dispatchEvent(new Event("change"));
  showProgress(byId("progress"));

  /** @type {{choice: import("./choice.js").Choice, task: any, work: {answer: () => object, show: (grade: any) => void}} | null} */
  let current = null;
  let request = new AbortController();

  /** Draw the exercise of the form; `isNew` with another seed. */
  async function show(isNew = false) {
    if (isNew) form.seed.value = String(randomSeed());
    if (!form.reportValidity()) return;
    const choice = choiceOf(form, kinds);
    request.abort();
    request = new AbortController();
    const { signal } = request;
    byId("problem").textContent = "";
    byId("task").setAttribute("aria-busy", "true");
    try {
      const task = await post("/api/practice/exercise", choice, { signal });
      current = { choice, task, work: work(task, choice) };
      const query = new URLSearchParams(Object.entries(choice).filter(([, value]) => value !== "").map(([name, value]) => [name, String(value)]));
      history.replaceState(null, "", `?${query}${location.hash}`);
      display(task);
      if (isNew) announce(`New exercise: ${task.title}.`);
    } catch (error) {
      if (!signal.aborted) byId("problem").textContent = error.message;
    } finally {
      byId("task").removeAttribute("aria-busy");
    }
  }

  function display(task) {
    byId("title").textContent = task.title;
    byId("total").textContent = task.total;
    byId("statement").replaceChildren(...texts("li", task.statement));
    byId("questions").replaceChildren(...texts("li", task.questions.map(({ text, marks }) => `${text} (${marks})`)));
    byId("picture").hidden = !task.picture;
    byId("picture").replaceChildren(...(task.picture ? [drawingOf(task.picture)] : []));
    byId("result").hidden = true;
    byId("task").hidden = false;
  }

  /** What the reader fills in: a sheet with checks as they go, or a form that the server checks. */
  function work(task, choice) {
    const place = element("div", { class: "filled", id: `work-${task.id}` });
    byId("work").replaceChildren(place);
    if (task.sheet) {
      const sheet = new Sheet(place, task.sheet, null);
      new Practice(sheet, { drawsTrees: false });
      return { answer: () => answerJson(sheet.exercise, sheet.entries), show: () => {} };
    }
    const filled = new Form(place, task);
    const checked = async (use) => {
      try {
        use(await post("/api/practice/check", { ...choice, answer: filled.answer() }));
      } catch (error) {
        filled.say(error.message);
      }
    };
    filled.addButton("Check", () => checked((grade) => {
      filled.mark(grade);
      const open = grade.parts.filter(({ lost }) => lost);
      const found = open.length ? open.map(({ part, correct, items }) => `${part.replace("_", " ")}: ${correct} of ${items} right`).join("; ") : "Everything is right";
      filled.say(`${[found, ...grade.notes].join(". ")}.`);
    }));
    filled.addButton("Hint", () => checked((grade) => filled.hint(grade)));
    filled.addButton("Clear", () => filled.clear());
    return { answer: () => filled.answer(), show: (grade) => filled.mark(grade) };
  }

  async function handIn() {
    if (!current) return;
    const { choice, task, work: done } = current;
    try {
      const { grade, picture, head, rows, lines } = await post("/api/practice/hand-in", { ...choice, answer: done.answer() });
      if (current.task !== task) return;
      done.show(grade);
      note(task.id, choice, grade);
      showProgress(byId("progress"));
      byId("grade-title").textContent = totalText(grade);
      byId("grade-details").replaceChildren(...gradeDetails(grade));
      byId("solution-details").replaceChildren(...solution(picture, head, rows, lines));
      byId("result").hidden = false;
      byId("grade-panel").focus();
    } catch (error) {
      byId("problem").textContent = error.message;
    }
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    show();
  });
  for (const name of ["kind", "difficulty", "convention"]) form.elements[name].addEventListener("change", () => show());
  byId("new").addEventListener("click", () => show(true));
  byId("hand-in").addEventListener("click", handIn);
  show();
}

/** The solved sheet: picture, table, lines. */
function solution(picture, head, rows, lines) {
  const row = (tag, cells) => element("tr", {}, ...cells.map((text) => element(tag, { text })));
  const found = [element("figure", { class: "drawing" }, drawingOf(picture))];
  if (rows.length) {
    const table = element("table", {}, element("thead", {}, row("th", head)), element("tbody", {}, ...rows.map((cells) => row("td", cells))));
    found.push(element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Solution, table" }, table));
  }
  if (lines.length) {
    found.push(element("dl", { class: "facts" }, ...lines.flatMap(([name, text]) => [element("dt", { text: name }), element("dd", { text })])));
  }
  return found;
}
