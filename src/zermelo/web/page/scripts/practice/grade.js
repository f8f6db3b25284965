// A grade on the page: marks, what is wrong, and the mistakes behind it.

import { element } from "/scripts/teaching/dom.js";

/** @typedef {{kind: string, text: string, node: string | null, hint: string}} Remark */
/** @typedef {{part: string, marks: number, max_marks: number, items: number, correct: number, follow_through: number, lost: number, remarks: Remark[]}} Part */
/** @typedef {{marks: number, max_marks: number, parts: Part[], diagnoses: {title: string, sentence: string}[], notes: string[]}} Grade */

/** Signs, so that colour is not the only mark. */
const SIGNS = { correct: "✓", "follow-through": "→", wrong: "✗", missing: "○", extra: "+", "not shown": "!" };

/** Marks with at most two decimals. */
export const marksText = (marks) => String(Number(marks.toFixed(2)));

/** @param {Grade} grade */
export const totalText = ({ marks, max_marks: of }) => `${marksText(marks)} of ${marksText(of)} marks`;

/**
 * The details of a grade.
 *
 * @param {Grade} grade
 * @returns {HTMLElement[]}
 */
export function gradeDetails({ parts, diagnoses, notes }) {
  const list = (texts, name) => texts.length && element("ul", { class: name }, ...texts.map((text) => element("li", { text })));
  const found = [];
  if (diagnoses.length) {
    found.push(element("h3", { text: diagnoses.length > 1 ? "What may have happened" : "What happened" }), list(diagnoses.map(({ sentence }) => sentence), "diagnoses"));
  }
  for (const { part, marks, max_marks: of, remarks } of parts) {
    const open = remarks.filter(({ kind }) => kind !== "correct");
    const head = element("summary", {}, element("span", { text: part.replace("_", " ") }), element("span", { class: "numbers", text: `${marksText(marks)} of ${marksText(of)}` }));
    const items = open.map(({ kind, text }) => element("li", { class: kind.replace(" ", "-") }, element("span", { class: "sign", text: SIGNS[kind] ?? "", title: kind }), element("span", { text })));
    if (!items.length) items.push(element("li", { class: "correct" }, element("span", { class: "sign", text: SIGNS.correct }), element("span", { text: "all right" })));
    found.push(element("details", { class: "part", open: open.length ? "" : null }, head, element("ul", { class: "remarks" }, ...items)));
  }
  if (notes.length) found.push(element("h3", { text: "Notes" }), list(notes, "notes"));
  return found.filter(Boolean);
}
