// A set of exercises for a class, as one archive.

import { element } from "/scripts/teaching/dom.js";
import { post } from "../api.js";
import { choiceOf, fillChoice } from "./choice.js";
import { saveBytes } from "./files.js";

/** @type {(id: string) => any} */
const byId = (id) => document.getElementById(id);

/**
 * Make the form of sets work.
 *
 * @param {import("./choice.js").Kind[]} kinds
 * @param {string[]} difficulties
 */
export function makeSets(kinds, difficulties) {
  const form = byId("set-form");
  const conventions = form.querySelector(".convention");
  form.convention.replaceChildren(...[...byId("choice").convention.options].map((option) => option.cloneNode(true)));
  fillChoice(form, conventions, kinds, difficulties);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = form.querySelector("button[type=submit]");
    const { title, students, variants, format, mode } = form.elements;
    byId("set-problem").textContent = "";
    byId("set-spread").replaceChildren();
    byId("set-status").textContent = "Making the sheets …";
    button.disabled = true;
    try {
      const made = await post("/api/class-sets", {
        ...choiceOf(form, kinds), title: title.value, students: students.value, variants: Number(variants.value), format: format.value, mode: mode.value,
      });
      const bytes = Uint8Array.from(atob(made.archive), (letter) => letter.charCodeAt(0));
      saveBytes(made.name, bytes, "application/zip");
      byId("set-status").textContent = `${made.exercises} ${made.exercises === 1 ? "exercise" : "exercises"} in ${made.name}.`;
      byId("set-spread").replaceChildren(...(made.spread.length ? [spreadTable(made.spread)] : []), ...made.notes.slice(0, 20).map((text) => element("p", { class: "soft small", text })));
    } catch (error) {
      byId("set-status").textContent = "";
      byId("set-problem").textContent = error.message;
      form.elements[error.field]?.focus();
    } finally {
      button.disabled = false;
    }
  });
}

/** How alike the exercises are. */
function spreadTable(spread) {
  const row = (tag, cells) => element("tr", {}, ...cells.map((text) => element(tag, { text })));
  const rows = spread.map(({ measure, bound, min, median, max }) => row("td", [measure, bound, min, median, max]));
  return element("table", {}, element("thead", {}, row("th", ["Measure", "Bounds", "Min", "Median", "Max"])), element("tbody", {}, ...rows));
}
