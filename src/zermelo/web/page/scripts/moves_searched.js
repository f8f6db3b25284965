// The choice which moves are searched, on the pages that analyse and review: all, selectively, or at a confidence.

import { element } from "/scripts/teaching/dom.js";

/** Confidences in percent, those of `zermelo.search.selective`. */
const CONFIDENCES = [99, 98, 95, 87, 73];

/** Offer the confidences after the other choices, where an evaluation knows the errors of its searches; else remove them. */
export function offerConfidences(/** @type {HTMLSelectElement} */ select, /** @type {boolean} */ areKnown) {
  const chosen = select.value;
  const others = [...select.options].filter(({ value }) => !Number(value));
  const confidences = CONFIDENCES.map((value) => element("option", { value, text: `at ${value} % confidence` }));
  select.replaceChildren(...others, ...(areKnown ? confidences : []));
  select.value = chosen;
  if (select.selectedIndex < 0) select.value = "";
}
