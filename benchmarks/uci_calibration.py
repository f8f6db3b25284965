"""Calibrate two UCI options of `zermelo uci`: UCI_Elo by matches against Stockfish, UCI_ShowWDL by games of its own.

    python benchmarks/uci_calibration.py elo OPENINGS --games 200 --store elo.jsonl
    python benchmarks/uci_calibration.py wdl OPENINGS --games 100 --store wdl.jsonl

`elo` plays Zermelo with a limit of nodes against Stockfish limited by its own UCI_Elo, and fits Elo = a + b log2(nodes)
by maximum likelihood. Stockfish searches until it has chosen its limited move, at a depth of 1 plus its skill level.

`wdl` plays Zermelo against itself. Each position gives a pair: the score of the search and the result of the game, for
the side to move. It fits P(win) = 1 / (1 + exp((a - score) / b)), and P(loss) likewise with -score.

Games are kept in the store, one line each; the same command continues from there. OPENINGS has one FEN a line.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import report

import zermelo
from zermelo.core.game import MAX
from zermelo.core.history import PositionHistory
from zermelo.protocols.uci_client import GoCommand, UciClient
from zermelo.protocols.uci_strength import EVALUATION, MEASURED_EVALUATION
from zermelo.sandbox.program import Program
from zermelo.search.engine import Engine

# The levels of Stockfish 15.1, with a depth at which it has chosen its limited move: that is one more than its skill
# level. The first guess of the line chooses limits of about equal strength for Zermelo.
LEVELS = {1400: 3, 1600: 5, 1800: 7, 2000: 9}
GUESS = (760.0, 85.0)
SECONDS = 60.0
MOST_PLIES = 300
# A game is over when both sides have seen a score of this many centipawns for this many plies.
WON, AGREED = 1_000, 6

Mover = Callable[[Any, PositionHistory], tuple[str, int]]


class Game(NamedTuple):
    """The result for white, and the scores for white at each ply, where they are not proven."""

    result: float
    scores: list[int]


def zermelo_mover(nodes: int, evaluation: str) -> Mover:
    """Zermelo with a limit of nodes and a table of its own."""
    engine = Engine("8M", selective=True)

    def move(state: Any, history: PositionHistory) -> tuple[str, int]:
        *_, found = engine.analysis(state, nodes=nodes, history=history, evaluation=evaluation)
        number = found.score.number if not found.score.is_proven else found.score.number * 10 * WON
        return state.move_name(found.move), number

    return move


def stockfish_mover(client: UciClient, depth: int) -> Mover:
    """A program, asked through UCI."""

    def move(state: Any, history: PositionHistory) -> tuple[str, int]:
        deadline = time.monotonic() + SECONDS
        client.position(f"position fen {state}", deadline)
        found = client.go(GoCommand(depth=depth), deadline)
        return found.move, (found.score or 0) * (1 if state.to_move() == MAX else -1)

    return move


def play(start: Any, movers: tuple[Mover, Mover]) -> Game:
    """Play a game; the first mover is white."""
    state, history = start, PositionHistory()
    agreed, scores = 0, []
    for _ in range(MOST_PLIES):
        if state.is_over():
            return Game((state.utility() + 1) / 2, scores)
        name, score = movers[0 if state.to_move() == MAX else 1](state, history)
        scores.append(score)
        won = MAX if score >= WON else -MAX if score <= -WON else 0
        agreed = 0 if won == 0 else agreed + won if agreed * won >= 0 else won
        if abs(agreed) >= AGREED:
            return Game((won + 1) / 2, scores)
        history.push(state)
        state = state.play(state.parse_move(name))
        occurrences = history.push(state)
        history.pop()
        if occurrences >= state.draw_at_repetition or state.reversible_plies() >= state.draw_at_reversible_plies:
            return Game(0.5, scores)
    return Game(0.5, scores)


def elo(options: argparse.Namespace) -> None:
    """Play the games that are missing against Stockfish, and print the fitted line."""
    openings, rows = report.read_positions(zermelo.load("chess"), options.openings), stored(options.store)
    with Program([report.find_program(options.stockfish, "--stockfish")]) as program:
        client = UciClient(program)
        client.initialize()
        client.set_option("UCI_LimitStrength", "true")
        for number in range(len(rows), options.games):
            chosen = random.Random(number)
            level = [*LEVELS][number // 2 % len(LEVELS)]
            nodes = round(2 ** ((level - GUESS[0]) / GUESS[1] + chosen.uniform(-1.5, 1.5)))
            client.set_option("UCI_Elo", str(level))
            client.new_game()
            movers = zermelo_mover(nodes, MEASURED_EVALUATION), stockfish_mover(client, LEVELS[level])
            is_white = number % 2 == 0
            game = play(openings[number // 2 * 37 % len(openings)], movers if is_white else movers[::-1])
            result = game.result if is_white else 1 - game.result
            rows.append({"level": level, "nodes": nodes, "result": result})
            keep(options.store, rows[-1])
    levels, logs, results = (np.array([row[name] for row in rows], float) for name in ("level", "nodes", "result"))
    logs = np.log2(logs)
    # Newton's method on the likelihood of results by the expected score of the Elo scale; a draw is half of each.
    fit, inputs = np.array(GUESS), np.column_stack([np.ones_like(logs), logs])
    for _ in range(50):
        expected = 1 / (1 + 10 ** ((levels - inputs @ fit) / 400))
        weight = expected * (1 - expected) * math.log(10) / 400
        information = inputs.T @ (inputs * weight[:, None]) * math.log(10) / 400
        fit = fit + np.linalg.solve(information, inputs.T @ (results - expected) * math.log(10) / 400)
    covariance = np.linalg.inv(information)
    print(f"{len(rows)} games, {results.mean():.0%}: Elo = {fit[0]:.0f} + {fit[1]:.1f} * log2(nodes)")
    for level in LEVELS:
        at = np.array([1, (level - fit[0]) / fit[1]])
        score = results[levels == level]
        error = 1.96 * math.sqrt(at @ covariance @ at)
        print(f"  {level}: {2 ** at[1]:9,.0f} nodes, ± {error:.0f} Elo; {len(score)} games, {score.mean():.0%}")


def wdl(options: argparse.Namespace) -> None:
    """Play the games of Zermelo against itself that are missing, and print the fitted model."""
    openings, rows = report.read_positions(zermelo.load("chess"), options.openings), stored(options.store)
    for number in range(len(rows), options.games):
        movers = zermelo_mover(options.nodes, EVALUATION), zermelo_mover(options.nodes, EVALUATION)
        game = play(openings[number * 37 % len(openings)], movers)
        rows.append({"result": game.result, "scores": game.scores})
        keep(options.store, rows[-1])
    pairs = [(score, row["result"]) for row in rows for score in row["scores"] if abs(score) < 2 * WON]
    # Both sides of each pair: the model is the same for white and black.
    scores = np.array([each for score, _ in pairs for each in (score, -score)], float)
    results = np.array([each for _, result in pairs for each in (result, 1 - result)])

    def loss(middle: float, width: float) -> float:
        win = 1 / (1 + np.exp(np.clip((middle - scores) / width, -50, 50)))
        lost = 1 / (1 + np.exp(np.clip((middle + scores) / width, -50, 50)))
        chances = np.select([results == 1, results == 0], [win, lost], 1 - win - lost)
        return float(-np.log(np.maximum(chances, 1e-9)).sum())

    middle, width, step = 150.0, 100.0, 64.0
    while step >= 0.5:  # the loss has a single minimum: move to the best neighbour, then in smaller steps
        around = [(middle + x, width + y) for x in (-step, 0, step) for y in (-step, 0, step) if width + y > 5]
        best = min(around, key=lambda each: loss(*each))
        step, (middle, width) = (step / 2 if best == (middle, width) else step), best
    drawn = sum(row["result"] == 0.5 for row in rows)
    print(
        f"{len(pairs)} positions of {len(rows)} games, {drawn} drawn, {options.nodes} nodes a move: "
        f"a = {middle:.0f}, b = {width:.0f} centipawns"
    )


def stored(path: Path | None) -> list[dict[str, Any]]:
    """The games of a store."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path and path.exists() else []


def keep(path: Path | None, row: dict[str, Any]) -> None:
    """Append a game to the store, if there is one."""
    if path:
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("kind", choices=("elo", "wdl"))
    parser.add_argument("openings", type=Path)
    parser.add_argument("--games", type=int, default=200, help="number of games in all (default 200)")
    parser.add_argument("--store", type=Path, help="file of the games; continued if it exists")
    parser.add_argument("--stockfish", default="stockfish", help="the program (default: on the PATH)")
    parser.add_argument("--nodes", type=int, default=3000, help="wdl: nodes a move (default 3000)")
    options = parser.parse_args()
    {"elo": elo, "wdl": wdl}[options.kind](options)


if __name__ == "__main__":
    report.run(main)
