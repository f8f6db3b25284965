// Leagues and matches: tables that follow a running match, and replays of its games.

import { ApiError, get, live, post } from "./api.js";
import { LiveGames } from "./leagues/live_games.js";
import { Replay } from "./leagues/replay.js";
import { eloText, showCross, showGames, showPlayers, sprtBar } from "./leagues/tables.js";
import { announce, followCards, link } from "./shell.js";
import { element } from "/scripts/teaching/dom.js";

/** @type {(id: string) => any} */
const byId = (id) => document.getElementById(id);
const PAGE = 20;
const replay = new Replay();
const liveGames = new LiveGames(byId("live"), byId("live-games"));
/** The table of the league that is shown, the connection that follows it, and its games. */
let data = null;
let connection = null;
let shown = "";
let games = [];

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

const stateText = ({ is_over: isOver, is_running: isRunning }) => (isOver ? "over" : isRunning ? "running" : "not running");

const cardText = (league, players) => league.problem || `${league.game}, ${players} players, ${league.played} of ${league.total} games, ${stateText(league)}`;

// ---- list -----------------------------------------------------------------------------------------------------

async function showList() {
  const { leagues, can_start: canStart, agents } = await get("/api/leagues");
  byId("leagues").replaceChildren(...leagues.map((league) => element("a", { class: "card", href: link("/leagues", { league: league.name }), "data-name": league.name },
    element("strong", { text: league.title || league.name }),
    element("span", { class: "soft small", text: cardText(league, league.players) }))));
  byId("none").hidden = leagues.length > 0;
  byId("start").hidden = !canStart;
  byId("agents").textContent = `of ${agents.length} agents: ${agents.slice(0, 12).join(", ")}${agents.length > 12 ? ", ..." : ""}`;
  if (canStart && !byId("start").game.options.length) {
    const { games: offered } = await get("/api/catalogue");
    byId("start").game.replaceChildren(...offered.map(({ name, title }) => element("option", { value: name, text: title })));
    byId("start").game.value = offered.some(({ name }) => name === "othello") ? "othello" : offered[0]?.name;
  }
  return leagues;
}

/** Follow the league that the address names; by default the first one. */
async function showFromAddress() {
  const query = new URLSearchParams(location.search);
  const names = [...byId("leagues").children].map((card) => card.dataset.name);
  const name = query.get("league") ?? names[0];
  for (const card of byId("leagues").children) {
    if (card.dataset.name === name) card.setAttribute("aria-current", "page");
    else card.removeAttribute("aria-current");
  }
  if (name !== undefined && name !== shown) {
    shown = name;
    connection?.close();
    replay.close();
    liveGames.show({ now: 0, games: [] });
    data = null;
    games = [];
    byId("player").replaceChildren();
    byId("league").hidden = true;
    await show(await get(`/api/leagues/${encodeURIComponent(name)}`));
    connection = live(`/api/leagues/${encodeURIComponent(name)}/live`, (message) => name === shown && (message.kind === "games" ? liveGames.show(message) : show(message)),
      (isOpen) => !isOpen && (liveGames.show({ now: 0, games: [] }), byId("league-problem").textContent = "the connection to the server was lost; trying again"));
  }
  const game = query.get("game");
  if (game !== null && /^\d{1,9}$/.test(game)) await replay.open(name, Number(game));
}

// ---- a league -------------------------------------------------------------------------------------------------

async function show(found) {
  if (found.error) return (byId("league-problem").textContent = found.error);
  const before = data;
  data = found;
  const { title, name, game, control, format, played, total, distinct, plies, failed, problem, difference, sprt, rows, cross, terminations, notes, latest } = found;
  byId("title").textContent = title || name;
  const card = [...byId("leagues").children].find((each) => each.dataset.name === name);
  if (card) card.querySelector(".small").textContent = cardText(found, rows.length);
  byId("state").textContent = stateText(found);
  byId("stop").hidden = !found.can_stop;
  byId("progress").max = Math.max(total, 1);
  byId("progress").value = played;
  const facts = [
    ["Game", game], ["Format", [format, control].filter(Boolean).join(", ")], ["Games", `${played.toLocaleString("en")} of ${total.toLocaleString("en")}, ${distinct.toLocaleString("en")} different${plies === null ? "" : `, ${plies.toFixed(1)} plies on average`}`],
    ["Terminations", Object.entries(terminations).map(([each, count]) => `${each} ${count.toLocaleString("en")}`).join(", ")],
    ["Difference", difference && `${difference.player} against ${difference.against}: ${eloText(difference.elo)}${difference.error === null ? "" : ` ± ${difference.error.toFixed(0)}`} Elo`],
    ["Not played", failed ? `${failed} games, because of errors` : ""],
  ];
  byId("facts").replaceChildren(...facts.filter(([, text]) => text).flatMap(([head, text]) => [element("dt", { text: head }), element("dd", { text })]));
  byId("league-problem").textContent = problem;
  byId("sprt").hidden = !sprt;
  if (sprt) {
    byId("sprt-bar").replaceChildren(sprtBar(sprt));
    byId("sprt-text").textContent = `${sprt.hypotheses}: LLR ${sprt.llr.toFixed(2)} after ${sprt.pairs.toLocaleString("en")} pairs, ${sprt.verdict ? `${sprt.verdict} is accepted` : "undecided"}. Pairs with 0, ½, 1, 1½, 2 points: ${sprt.counts.join(", ")}.`;
  }
  showPlayers(byId("table"), rows);
  byId("notes").replaceChildren(...notes.map((text) => element("li", { text })));
  byId("cross-details").hidden = rows.length < 3 || !cross.length;
  showCross(byId("cross"), rows, cross);
  showPlayerMenu(rows);
  byId("league").hidden = false;
  const isNew = before !== null && latest.length > 0 && latest[0].number !== before.latest[0]?.number;
  if (!before || isNew) await showLatest();
  if (isNew && byId("follow").checked && !replay.timer) await attempt(() => replay.open(name, latest[0].number, true));
  if (before && !before.is_over && found.is_over) announce(`${title || name} is over.`);
}

function showPlayerMenu(rows) {
  const names = rows.map(({ name }) => name).sort();
  const menu = byId("player");
  if (menu.options.length === names.length + 1) return;
  const chosen = menu.value;
  menu.replaceChildren(element("option", { value: "", text: "all" }), ...names.map((name) => element("option", { value: name, text: name })));
  menu.value = names.includes(chosen) ? chosen : "";
}

async function fetchGames(first, count) {
  return get(link(`/api/leagues/${encodeURIComponent(shown)}/games`, { player: byId("player").value, first, count }));
}

/** Show the latest games again, as many as before. */
const showLatest = () => attempt(async () => {
  const { games: found, total } = await fetchGames(0, Math.min(200, Math.max(PAGE, games.length)));
  games = found;
  list(total);
});

function list(total) {
  showGames(byId("games"), games, (number) => {
    history.replaceState(null, "", link("/leagues", { league: shown, game: number }));
    attempt(async () => {
      await replay.open(shown, number);
      byId("replay-title").focus();
      byId("replay").scrollIntoView({ block: "nearest" });
    });
  });
  byId("games-count").textContent = `${games.length.toLocaleString("en")} of ${total.toLocaleString("en")}`;
  byId("more").hidden = games.length >= total;
}

// ---- page -----------------------------------------------------------------------------------------------------

byId("player").addEventListener("change", () => {
  games = [];
  showLatest();
});
byId("more").addEventListener("click", () => attempt(async () => {
  const { games: found, total } = await fetchGames(games.length, PAGE);
  games = [...games, ...found];
  list(total);
}));
byId("stop").addEventListener("click", () => attempt(() => post(`/api/leagues/${encodeURIComponent(shown)}/stop`)));
followCards(byId("leagues"), () => attempt(async () => {
  await showFromAddress();
  byId("title").focus();
}));
byId("start").addEventListener("submit", (event) => {
  event.preventDefault();
  const form = byId("start");
  const button = form.querySelector("button");
  button.disabled = true;
  attempt(async () => {
    const { name } = await post("/api/leagues", {
      game: form.game.value, games: Number(form.games.value), seconds: Number(form.seconds.value), with_random: form.with_random.checked,
    });
    await showList();
    history.pushState(null, "", link("/leagues", { league: name }));
    await showFromAddress();
  }).finally(() => (button.disabled = false));
});
addEventListener("popstate", () => attempt(showFromAddress));
attempt(async () => {
  await showList();
  await showFromAddress();
});
