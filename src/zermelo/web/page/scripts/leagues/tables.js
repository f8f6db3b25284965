// The tables of a league: players with error bars, the cross table, the sequential test, the games.

import { element, svgElement } from "/scripts/teaching/dom.js";

/** @typedef {{rank: number, name: string, points: number, games: number, wins: number, draws: number, losses: number, elo: number | null, error: number | null, bound: string, los: number | null, failures: Record<string, number>, seconds_per_move: number | null}} Row */
/** @typedef {{number: number, players: [string, string], points: number, termination: string, detail: string, plies: number, round: number, seconds: [number, number]}} Game */

const numberCell = (text) => element("td", { class: "number", text });

/** Points with halves: 2½. */
export const pointsText = (points) => `${points < 1 && points % 1 ? "" : Math.floor(points)}${points % 1 ? "½" : ""}`;
export const secondsText = (seconds) => (seconds === null ? "" : seconds < 0.00005 ? "< 0.1 ms" : seconds < 0.0995 ? `${(1000 * seconds).toFixed(1)} ms` : `${seconds.toFixed(2)} s`);
export const eloText = (elo, bound = "") => (elo === null ? "" : `${bound}${elo < 0 ? "−" : "+"}${Math.abs(elo).toFixed(0)}`);

/** Elo and its 95 % interval on a line whose middle is 0. */
function errorBar({ elo, error }, reach) {
  if (elo === null) return element("span");
  const x = (value) => 55 + (52 * Math.max(-reach, Math.min(reach, value))) / reach;
  const low = x(elo - (error ?? 0));
  const high = x(elo + (error ?? 0));
  return svgElement("svg", { class: "bar", viewBox: "0 0 110 14", width: 110, height: 14, role: "img", "aria-label": `Elo ${eloText(elo)}${error === null ? "" : ` plus or minus ${error.toFixed(0)}`}` },
    svgElement("line", { class: "zero", x1: 55, x2: 55, y1: 0, y2: 14 }),
    svgElement("line", { class: "interval", x1: low, x2: high, y1: 7, y2: 7 }),
    svgElement("circle", { cx: x(elo), cy: 7, r: 3.2 }),
  );
}

/**
 * Show the players.
 *
 * @param {Element} table
 * @param {Row[]} rows
 */
export function showPlayers(table, rows) {
  const isRated = rows.some(({ elo }) => elo !== null);
  const isTimed = rows.some(({ seconds_per_move: seconds }) => seconds !== null);
  const reach = Math.max(1, ...rows.map(({ elo, error }) => Math.abs(elo ?? 0) + (error ?? 0)));
  const heads = ["Rank", "Player", "Points", "Games", "Won", "Drawn", "Lost", ...(isRated ? ["Elo", "± 95 %", "Interval", "LOS"] : []), "Failures", ...(isTimed ? ["Time per move"] : [])];
  const head = element("tr", {}, ...heads.map((text) => element("th", { scope: "col", text, class: ["Player", "Interval", "Failures"].includes(text) ? null : "number" })));
  const body = rows.map((each) => element("tr", {},
    numberCell(String(each.rank)),
    element("th", { scope: "row", text: each.name }),
    ...[pointsText(each.points), each.games, each.wins, each.draws, each.losses].map((value) => numberCell(String(value))),
    ...(isRated ? [
      numberCell(eloText(each.elo, each.bound)),
      numberCell(each.error === null ? "" : each.error.toFixed(0)),
      element("td", {}, errorBar(each, reach)),
      numberCell(each.los === null ? "" : `${Math.min(Math.max(100 * each.los, 0.1), 99.9).toFixed(1)} %`),
    ] : []),
    element("td", { text: Object.entries(each.failures).map(([name, count]) => `${name} ${count}`).join(", ") }),
    ...(isTimed ? [numberCell(secondsText(each.seconds_per_move))] : []),
  ));
  table.replaceChildren(element("thead", {}, head), element("tbody", {}, ...body));
}

/** Show the points of each player against each other. */
export function showCross(table, rows, cross) {
  const scores = new Map(cross.map((score) => [`${score.player}\n${score.against}`, score]));
  const heads = ["Rank", "Player", ...rows.map(({ rank }) => String(rank))];
  const head = element("tr", {}, ...heads.map((text, column) => element("th", { scope: "col", text, class: column > 1 && "number" })));
  const body = rows.map((one) => element("tr", {}, numberCell(String(one.rank)), element("th", { scope: "row", text: one.name }), ...rows.map((other) => {
    const score = scores.get(`${one.name}\n${other.name}`);
    return score ? element("td", { class: "number", text: pointsText(score.points), title: `${one.name} against ${other.name}: ${pointsText(score.points)} of ${score.games}` }) : element("td", { text: one === other ? "—" : "" });
  })));
  table.replaceChildren(element("thead", {}, head), element("tbody", {}, ...body));
}

/** The log-likelihood ratio between its bounds. */
export function sprtBar({ llr, lower, upper }) {
  const x = (value) => 10 + (280 * (Math.max(lower, Math.min(upper, value)) - lower)) / (upper - lower);
  const text = (at, words, anchor) => svgElement("text", { x: at, y: 34, "text-anchor": anchor, text: words });
  return svgElement("svg", { class: "sprt-bar", viewBox: "0 0 300 40", role: "img", "aria-label": `LLR ${llr.toFixed(2)} between ${lower.toFixed(2)} and ${upper.toFixed(2)}` },
    svgElement("line", { class: "interval", x1: 10, x2: 290, y1: 12, y2: 12 }),
    svgElement("line", { class: "zero", x1: x(0), x2: x(0), y1: 4, y2: 20 }),
    svgElement("circle", { cx: x(llr), cy: 12, r: 6 }),
    text(10, `H0 ${lower.toFixed(2)}`, "start"), text(290, `H1 ${upper.toFixed(2)}`, "end"),
  );
}

/** What a result is in words: the points of MAX's player first. */
export const resultText = ({ points }) => ({ 1: "1 : 0", 0.5: "½ : ½", 0: "0 : 1" })[points] ?? String(points);

/**
 * Show games, each with a button that replays it.
 *
 * @param {Element} table
 * @param {Game[]} games
 * @param {(number: number) => void} open
 */
export function showGames(table, games, open) {
  const heads = ["Game", "MAX", "MIN", "Result", "Termination", "Plies", "Time"];
  const head = element("tr", {}, ...heads.map((text) => element("th", { scope: "col", text, class: text === "Plies" && "number" })));
  const body = games.map((game) => element("tr", {},
    element("td", {}, element("button", { type: "button", text: String(game.number), "aria-label": `Replay game ${game.number}`, onclick: () => open(game.number) })),
    ...game.players.map((text) => element("td", { text })),
    element("td", { class: "numbers", text: resultText(game) }),
    element("td", { text: game.detail ? `${game.termination}: ${game.detail}` : game.termination }),
    numberCell(String(game.plies)),
    element("td", { class: "numbers", text: game.seconds.map(secondsText).join(" + ") }),
  ));
  table.replaceChildren(element("thead", {}, head), element("tbody", {}, ...body));
}
