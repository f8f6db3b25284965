// The game under review: its steps, the reviews of its moves as they arrive, and its positions.

import { post } from "/scripts/api.js";
import { curveOf, markedMoves, sideFigures, sideName } from "./figures.js";

/** @typedef {{text: string, label: string, side: "max" | "min" | "chance", is_move: boolean}} Step */
/** @typedef {{moves: string[], score: string, share: number, proven: boolean, confidence: number | null, selective: boolean}} ScoredLine */
/**
 * @typedef {{ply: number, best: ScoredLine, played: ScoredLine, second: ScoredLine | null, mark: "" | "inaccuracy" |
 *   "mistake" | "blunder", loss: string, share_loss: number, accuracy: number | null, remark: string,
 *   not_judged: string, only_move: boolean, missed_win: boolean, exact: boolean, luck: number | null, depth: number}} MoveReview
 */

export class Game {
  /** @type {Step[]} */
  steps = [];
  /** Reviews by ply. @type {Map<number, MoveReview>} */
  moves = new Map();
  /** The data of the event `end`. @type {any} */
  end = null;
  /** @type {any} */
  #facts = null;
  /** @type {Map<string, Promise<any>>} */
  #positions = new Map();

  /**
   * @param {string} name The game's name in the API.
   * @param {any} record The game as the format `json` has it.
   * @param {number} nodes Limit of each search.
   */
  constructor(name, record, nodes) {
    this.name = name;
    this.record = record;
    this.nodes = nodes;
  }

  /** Take the event `game`. */
  begin(/** @type {any} */ facts) {
    this.#facts = facts;
    this.steps = facts.steps;
  }

  add(/** @type {MoveReview} */ move) {
    this.moves.set(move.ply, move);
  }

  /** The first position as text. */
  get start() {
    return this.#facts?.start ?? "";
  }

  /** The number of moves to review. */
  get total() {
    return this.steps.filter((each) => each.is_move).length;
  }

  /** Whether chance moves in the game. */
  get hasLuck() {
    return this.steps.some((each) => each.side === "chance");
  }

  /** The marked moves in the order of the game. */
  marked() {
    return markedMoves(this.moves.values());
  }

  /** MAX's share before each step and at the end; null where it is not known yet. */
  curve() {
    return curveOf(this.steps, this.moves, this.#facts?.end_share);
  }

  /**
   * The figures of a side, from the moves reviewed so far.
   *
   * @param {"max" | "min"} side
   */
  summary(side) {
    const place = side === "max" ? 0 : 1;
    const known = this.#facts ?? { players: ["", ""], names: ["", ""] };
    return { name: sideName(known.players[place], known.names[place]), ...sideFigures(side, this.steps, this.moves) };
  }

  /** The moves up to a ply, as requests have them. */
  movesTo(/** @type {number} */ ply) {
    return this.steps.slice(0, ply).flatMap((each) => (each.is_move ? [each.text] : []));
  }

  /**
   * The position after some steps of the game, and the moves of a line.
   *
   * @param {number} ply
   * @param {string[]} [line]
   * @returns {Promise<any>}
   */
  position(ply, line = []) {
    const moves = [...this.movesTo(ply), ...line];
    const key = moves.join(" ");
    let known = this.#positions.get(key);
    if (!known) {
      known = post("/api/position", { game: this.name, position: this.start, moves });
      known.catch(() => this.#positions.delete(key));
      this.#positions.set(key, known);
    }
    return known;
  }
}
