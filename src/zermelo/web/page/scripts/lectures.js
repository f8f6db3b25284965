// The lectures: their worked examples, computed when they are opened, and their slides with commands that run here.

import { ApiError, get, stream } from "./api.js";
import { drawingOf } from "./drawing.js";
import { announce, followCards, link } from "./shell.js";
import { element } from "/scripts/teaching/dom.js";

/** @typedef {{number: string, title: string, course: string, by: string, slides: number, cases: number}} Lecture */
/** @typedef {{id: string, title: string, slides: string, about: string, confidence: string, doubt: string, convention: string, missing: string, has_tree: boolean, remarks: string[]}} Case */
/** @typedef {{slides: string, topic: string, status: string, reason: string, cases: string[], titles: string[], pages: string[], commands: string[]}} Row */

/** @type {(id: string) => any} */
const byId = (id) => document.getElementById(id);
const SIGNS = { agrees: "✓", differs: "✗", misprint: "≠", skipped: "○" };
const ALGORITHMS = ["alphabeta", "minimax", "negamax", "expectiminimax"];
const plural = (count, word) => `${count} ${word}${count === 1 ? "" : "s"}`;
/** @type {Lecture[]} */
let lectures = [];
let shown = "";

/** Show errors of the server in one line; others are mistakes of the page. */
async function attempt(act) {
  byId("problem").textContent = "";
  try {
    await act();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    byId("problem").textContent = error.message;
  }
}

const nameOf = ({ number, by }) => (number === "all" ? "All lectures" : `${number}: ${by}`);

/** Show the lecture that the address names, and open the worked example that it names. */
async function showFromAddress() {
  const number = new URLSearchParams(location.search).get("lecture") ?? lectures[0].number;
  for (const card of byId("lectures").children) {
    if (card.dataset.number === number) card.setAttribute("aria-current", "page");
    else card.removeAttribute("aria-current");
  }
  if (number !== shown) await showLecture(number);
  openCase(decodeURIComponent(location.hash.slice(1)));
}

async function showLecture(number) {
  const { lecture, page, numbering, cases, rows } = await get(`/api/lectures/${encodeURIComponent(number)}`);
  shown = number;
  document.title = `${nameOf(lecture)} · Zermelo`;
  byId("title").textContent = `${nameOf(lecture)}: ${lecture.title}`;
  byId("course").textContent = lecture.course;
  byId("links").replaceChildren(...(page ? [element("a", { href: `/docs/${page}`, text: "Read the page of this lecture" })] : []));
  byId("cases").replaceChildren(...cases.map(caseCard));
  byId("numbering").textContent = numbering && `Slide numbers: ${numbering}.`;
  byId("slides").replaceChildren(...rows.map((row, place) => slideRow(number, row, place)));
  byId("slides-section").hidden = !rows.length;
  byId("lecture").hidden = false;
}

// ---- worked examples ------------------------------------------------------------------------------------------

/** How certain the reading of a slide is, by the word in the cases. */
const READINGS = { high: "certain", medium: "fairly certain", low: "uncertain", guess: "a guess", none: "" };

/** "certain, except for this: the position of the eighth leaf is inferred from slide 35" */
function readingText(confidence, doubt) {
  const reading = READINGS[confidence] ?? confidence;
  if (!doubt) return reading;
  return reading === "certain" ? `certain, except for this: ${doubt}` : [reading, doubt].filter(Boolean).join(": ");
}

/** @param {Case} worked */
function caseCard(worked) {
  const { id, title, slides, about, confidence, doubt, convention, missing, has_tree: hasTree, remarks } = worked;
  const facts = [["Slides", slides], ["About", about], ["Reading of the slide", readingText(confidence, doubt)], ["Searched", convention], ["Missing", missing]];
  const result = element("div", { class: "stack", "aria-live": "polite" });
  const status = element("span", { class: "tag" });
  const card = element("details", { class: "panel case", id: `case-${id}` },
    element("summary", {}, element("span", { class: "grow", text: title }), status),
    element("div", { class: "stack" },
      factsList(facts),
      remarks.length ? element("ul", {}, ...remarks.map((text) => element("li", { text }))) : null,
      hasTree ? element("p", { class: "row" },
        element("a", { class: "button", href: watchLink(id, convention), text: "Step through the search" })) : null,
      result,
    ),
  );
  let isStarted = false;
  card.addEventListener("toggle", () => {
    if (!card.open || isStarted) return;
    isStarted = true;
    result.textContent = "Computing …";
    attempt(async () => {
      try {
        const outcome = await get(`/api/lectures/cases/${encodeURIComponent(id)}`);
        status.textContent = `${SIGNS[outcome.status]} ${outcome.status}`;
        result.replaceChildren(...outcomeParts(outcome));
      } catch (error) {
        isStarted = false; // opening it again tries again
        result.textContent = "";
        throw error;
      }
    });
  });
  return card;
}

/** The page that steps through the search of a tree, under the words of a convention. */
function watchLink(id, convention) {
  const words = convention.split(" ").filter(Boolean);
  const algorithm = words.find((word) => ALGORITHMS.includes(word)) ?? ALGORITHMS[0];
  return link("/watch", { tree: id, algorithm, words: words.filter((word) => word !== algorithm).join(" ") });
}

const factsList = (facts) => element("dl", { class: "facts" },
  ...facts.filter(([, text]) => text).flatMap(([name, text]) => [element("dt", { text: name }), element("dd", { text })]));

function outcomeParts({ comparisons, others, picture }) {
  const parts = [];
  if (picture) parts.push(element("figure", { class: "drawing", tabindex: 0, role: "region", "aria-label": "Searched tree" }, drawingOf(picture)));
  if (comparisons.length) {
    const rows = comparisons.map(({ what, expected, found, status, verdict }) => element("tr", { class: status },
      element("th", { scope: "row", text: what }), element("td", { text: expected }), element("td", { text: found === expected ? "the same" : found }),
      element("td", {}, element("span", { class: "sign", "aria-hidden": "true", text: SIGNS[status] ?? "" }), ` ${verdict}`)));
    const head = element("tr", {}, ...["What", "The lecture", "Computed", "Verdict"].map((text) => element("th", { scope: "col", text })));
    parts.push(element("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "Comparisons" },
      element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows))));
  }
  const agreeing = Object.entries(others);
  if (agreeing.length) {
    parts.push(element("p", { class: "soft", text: `Also under other conventions: ${agreeing.map(([words, count]) => `${words}, ${plural(count, "comparison")}`).join("; ")}; all agree.` }));
  }
  return parts;
}

function openCase(id) {
  const card = id && byId(`case-${id}`);
  if (!card) return;
  card.open = true;
  card.scrollIntoView({ block: "start" });
  card.querySelector("summary").focus();
}

// ---- slides ---------------------------------------------------------------------------------------------------

/**
 * @param {string} number The lecture.
 * @param {Row} row
 * @param {number} place The number of the row.
 */
function slideRow(number, { slides, topic, status, reason, cases, titles, pages, commands }, place) {
  const isOther = status !== "covered";
  const covering = [
    ...cases.map((id, at) =>
      element("a", { href: byId(`case-${id}`) ? `#${id}` : link("/lectures", { lecture: "all" }, id), text: titles[at] })),
    ...pages.map((page) => element("a", { href: `/docs/${page}`, text: page.replace(".html", "").replace("#", ": ") })),
  ];
  return element("article", { class: isOther ? "slide other" : "slide" },
    element("h4", { class: "numbers", text: slides }),
    element("div", { class: "stack" },
      element("p", { class: "row" }, element("span", {}, topic, isOther || reason ? element("span", { class: "soft", text: ` (${[isOther ? status : "", reason].filter(Boolean).join(": ")})` }) : null), ...covering),
      ...commands.map((text, command) => commandRow(number, place, command, text)),
    ),
  );
}

/** A command with a button that runs it here. */
function commandRow(number, row, command, text) {
  const output = element("pre", { class: "output", tabindex: 0, role: "region", "aria-label": `Output of ${text}`, hidden: "" });
  const ended = element("p", { class: "soft small", role: "status" });
  let running = null;
  const button = element("button", { type: "button", text: "Run", "aria-label": `Run ${text}` });
  const stop = () => {
    running?.abort();
    running = null;
    button.textContent = "Run";
  };
  button.addEventListener("click", () => {
    if (running) return stop();
    const own = (running = new AbortController());
    button.textContent = "Stop";
    output.textContent = "";
    output.hidden = false;
    ended.textContent = "";
    const begun = performance.now();
    attempt(async () => {
      try {
        await stream(`/api/lectures/${number}/run`, { row, command }, {
          signal: own.signal,
          output: ({ text: some }) => output.append(some),
          end: ({ code, reason }) => {
            const seconds = ((performance.now() - begun) / 1000).toFixed(1);
            ended.textContent = reason || `Computed in ${seconds} seconds${code ? `, exit code ${code}` : ""}.`;
            announce(`${text}: ${ended.textContent}`);
          },
        });
      } finally {
        if (running === own) stop();
      }
    });
  });
  return element("div", { class: "command stack" }, element("p", { class: "row" }, element("code", { class: "grow", text }), button), output, ended);
}

// ---- page -----------------------------------------------------------------------------------------------------

attempt(async () => {
  lectures = (await get("/api/lectures")).lectures;
  byId("lectures").replaceChildren(...lectures.map((lecture) => element("a", { class: "card", href: link("/lectures", { lecture: lecture.number }), "data-number": lecture.number },
    element("strong", { text: nameOf(lecture) }),
    element("span", { text: lecture.title }),
    element("span", { class: "soft small", text: [lecture.slides && plural(lecture.slides, "slide"), plural(lecture.cases, "worked example")].filter(Boolean).join(", ") }),
  )));
  await showFromAddress();
});
followCards(byId("lectures"), () => attempt(async () => {
  await showFromAddress();
  byId("title").focus();
}));
for (const type of ["popstate", "hashchange"]) addEventListener(type, () => lectures.length && attempt(showFromAddress));
