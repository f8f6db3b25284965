// The page play.html: a new game, the saved games, and a game in progress (?id=...).

import "./shell.js";
import "./board.js";
import "./move_input.js";
import { showGame } from "./play_game.js";
import { showSetup } from "./play_setup.js";

const root = /** @type {HTMLElement} */ (document.querySelector("main"));
const query = new URLSearchParams(location.search);
const id = query.get("id");
if (id) showGame(root, id);
else showSetup(root, query);
