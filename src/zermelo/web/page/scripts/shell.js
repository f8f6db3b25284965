// What every page has: header with navigation and theme, footer, live region. Import it first on each page.

import { announce as say, element, svgElement } from "/scripts/teaching/dom.js";

/** The pages in the order of the navigation: path, title. */
export const PAGES = [
  ["/play", "Play"],
  ["/analyse", "Analyse"],
  ["/review", "Review"],
  ["/watch", "Watch the search"],
  ["/lectures", "Lectures"],
  ["/practice", "Practice"],
  ["/leagues", "Leagues"],
];

const region = element("div", { class: "announcer", role: "status", "aria-live": "polite" });

/**
 * Say a text to screen readers.
 *
 * @param {string} text
 */
export const announce = (text) => say(region, text);

/** Whether the reader asks for less motion. */
export const prefersStill = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/**
 * The query of the page's address, or of a link to it.
 *
 * @param {string} path
 * @param {Record<string, string | number | null | undefined>} [query] Empty values are left out.
 * @param {string} [fragment]
 */
export function link(path, query = {}, fragment = "") {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return `${path}${text && `?${text}`}${fragment && `#${fragment}`}`;
}

/**
 * The moves of a link: separated by blanks, which no move contains; or by commas, where there is no blank.
 *
 * @param {string} text
 */
export const movesOf = (text) => text.trim().split(/\s/.test(text.trim()) ? /\s+/ : /,/).filter(Boolean);

/**
 * Show what a card links to without loading the page again; a click that opens a new tab or window still does.
 *
 * @param {HTMLElement} cards
 * @param {() => void} show Called when the page has the card's address.
 */
export function followCards(cards, show) {
  cards.addEventListener("click", (event) => {
    const card = event.target instanceof Element ? event.target.closest("a") : null;
    if (!card || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    history.pushState(null, "", card.href);
    show();
  });
}

function navigation() {
  const here = location.pathname.replace(/\.html$/, "");
  const items = PAGES.map(([path, title]) =>
    element("li", {}, element("a", { href: path, "aria-current": path === here && "page", text: title })),
  );
  return element("nav", { class: "site-nav", "aria-label": "Pages" }, element("ul", {}, ...items));
}

function brand() {
  const mark = svgElement(
    "svg",
    { viewBox: "0 0 32 32", "aria-hidden": "true" },
    svgElement("path", { class: "up", d: "M16 3 29 25H3z" }),
    svgElement("path", { class: "down", d: "M7 13h18l-9 15z", "stroke-linejoin": "round" }),
  );
  return element("a", { class: "brand", href: "/" }, mark, element("span", { text: "Zermelo" }));
}

/** The menu of colours; the choice is kept in this browser. */
function themeMenu() {
  const themes = [["system", "System"], ["light", "Light"], ["dark", "Dark"]];
  const current = document.documentElement.dataset.theme ?? "system";
  const options = themes.map(([value, text]) => element("option", { value, text, selected: value === current && "" }));
  const onchange = (event) => setTheme(event.target.value);
  return element("div", { class: "theme" }, element("select", { "aria-label": "Colours", onchange }, ...options));
}

/** @param {string} theme "system", "light" or "dark". */
function setTheme(theme) {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem("zermelo-theme", theme);
  } catch {
    // Storage is blocked: the choice lasts until the page is left.
  }
}

const skip = element("a", { class: "skip", href: "#main", text: "Skip to the content" });
document.querySelector(".site-header")?.append(brand(), navigation(), themeMenu());
document.querySelector(".site-footer")?.append(
  element("p", {}, "Runs on this computer; nothing is sent elsewhere. ", element("a", { href: "/docs/", text: "Documentation" }), " · ", element("a", { href: "/api/docs", text: "API" })),
);
document.body.prepend(skip);
document.body.append(region);
document.querySelector("main")?.setAttribute("tabindex", "-1");
const list = document.querySelector(".site-nav");
const current = /** @type {HTMLElement | null} */ (list?.querySelector("[aria-current]") ?? null);
if (list && current) list.scrollLeft = current.offsetLeft - (list.clientWidth - current.offsetWidth) / 2;
// A page that the browser had kept for "back" has lost its streams and may show what is past.
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
