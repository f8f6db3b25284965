// The form that chooses an exercise: kind, difficulty, search, seed.

import { element } from "/scripts/teaching/dom.js";

/** @typedef {{name: string, summary: string, takes_convention: boolean}} Kind */
/** @typedef {{kind: string, difficulty: string, convention: string, seed: number}} Choice */

/** Kinds whose summaries begin with their names. */
const NAMED_BY_SUMMARY = ["iterative-deepening", "pvs", "transpositions", "star1"];

/** A seed that nobody has chosen, short enough to be read out. */
export const randomSeed = () => Math.floor(Math.random() * 1_000_000);

/**
 * Fill the menus of a form.
 *
 * @param {HTMLFormElement} form
 * @param {HTMLElement} conventions The label of the menu of searches, which only some kinds have.
 * @param {Kind[]} kinds
 * @param {string[]} difficulties
 */
export function fillChoice(form, conventions, kinds, difficulties) {
  const titled = (text) => text.charAt(0).toUpperCase() + text.slice(1);
  form.kind.replaceChildren(...kinds.map(({ name, summary }) => element("option", { value: name, text: titled(NAMED_BY_SUMMARY.includes(name) ? summary : `${name.replace("-", " ")}: ${summary}`) })));
  form.difficulty.replaceChildren(...difficulties.map((name) => element("option", { value: name, text: titled(name) })));
  form.difficulty.value = "medium";
  form.seed.value = String(randomSeed());
  const update = () => (conventions.hidden = !kinds.find(({ name }) => name === form.kind.value)?.takes_convention);
  form.kind.addEventListener("change", update);
  update();
}

/**
 * What a form has chosen.
 *
 * @param {HTMLFormElement} form
 * @param {Kind[]} kinds
 * @returns {Choice}
 */
export function choiceOf(form, kinds) {
  const kind = form.kind.value;
  const takes = kinds.find(({ name }) => name === kind)?.takes_convention;
  return { kind, difficulty: form.difficulty.value, convention: takes ? form.convention.value : "", seed: Number(form.seed.value) };
}
