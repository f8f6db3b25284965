// What has been practised: kept in this browser only.

import { element } from "/scripts/teaching/dom.js";

const KEY = "zermelo-practice";
const MOST = 500;

/** @typedef {{id: string, kind: string, difficulty: string, seed: number, convention: string, first: number, best: number, of: number, tries: number}} Done */

/** @returns {Done[]} What was stored; entries that are not as they should be are left out. */
export function stored() {
  try {
    const found = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    const isRight = (each) => each && typeof each.id === "string" && typeof each.kind === "string"
      && [each.first, each.best, each.of, each.tries, each.seed].every(Number.isFinite) && each.of > 0;
    return Array.isArray(found) ? found.filter(isRight) : [];
  } catch {
    return [];
  }
}

/** @param {Done[]} all */
function store(all) {
  try {
    localStorage.setItem(KEY, JSON.stringify(all.slice(-MOST)));
  } catch {
    // Private windows and full disks: the page works without.
  }
}

/**
 * Note the marks of an exercise.
 *
 * @param {string} id
 * @param {import("./choice.js").Choice} choice
 * @param {{marks: number, max_marks: number}} grade
 */
export function note(id, choice, { marks, max_marks: of }) {
  const all = stored();
  const before = all.find((each) => each.id === id);
  const done = { id, ...choice, first: before?.first ?? marks, best: Math.max(before?.best ?? 0, marks), of, tries: (before?.tries ?? 0) + 1 };
  store([...all.filter((each) => each !== before), done]);
}

/**
 * Show the progress: for each kind the number of exercises and the mean of the first marks.
 *
 * @param {HTMLElement} place
 */
export function showProgress(place) {
  const all = stored();
  if (!all.length) {
    place.replaceChildren(element("p", { class: "soft", text: "Nothing handed in yet. Progress stays in this browser." }));
    return;
  }
  const kinds = [...new Set(all.map(({ kind }) => kind))];
  const mean = (shares) => `${Math.round((100 * shares.reduce((sum, share) => sum + share, 0)) / shares.length)} %`;
  const rows = kinds.map((kind) => {
    const own = all.filter((each) => each.kind === kind);
    const cells = [String(own.length), mean(own.map(({ first, of }) => first / of)), mean(own.map(({ best, of }) => best / of))];
    return element("tr", {}, element("th", { scope: "row", text: kind.replace("-", " ") }), ...cells.map((text) => element("td", { class: "number", text })));
  });
  const heads = ["Kind", "Done", "First try", "Best"];
  const head = element("tr", {}, ...heads.map((text, column) => element("th", { scope: "col", text, class: column ? "number" : null })));
  const clear = element("button", { type: "button", class: "quiet", text: "Clear progress", onclick: () => (store([]), showProgress(place)) });
  place.replaceChildren(element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows)), clear);
}
