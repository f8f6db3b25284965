"""Checkers: moves generated a second beside other generators, and a match of the two evaluations.

    python benchmarks/checkers.py [--perft DEPTH] [--depths N,N,...] [--openings FILE] [--rounds N] [--json]

Perft, one thread: the last move of each line played ("made"), or only counted ("counted"). All sides count in turn,
round after round; a rate is the median of its rounds, a ratio the median of the rounds' ratios; seconds are those of
the processor. The goal is what simplech's generator, in C by Martin Fierz, makes on such a machine; no package installs
it, and it is not run here.

The match: `linear` against `material` to a fixed depth, each opening with both colours, repeated positions and forty
moves without progress drawn. Openings are all positions after three moves that differ, or those in FILE: lines whose
last words are the moves, or JSON with them as keys, as in published lists of the openings that are drawn by lot.

Exit status 1 if a count is wrong.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import report
from reference import NoCompiler, compiled

import zermelo
from zermelo.core.game import MAX, MIN
from zermelo.core.history import PositionHistory, can_claim_draw
from zermelo.games.checkers import Checkers
from zermelo.search import compiled_textbook as plain

# OEIS A133046.
LINES = (1, 7, 49, 302, 1_469, 7_361, 36_768, 179_740, 845_931, 3_963_680, 18_391_564, 85_242_128)
GOAL = 28e6  # lines a second, all of them made
OURS = "Zermelo"
MADE, COUNTED = "made", "counted"


# ---- perft ----------------------------------------------------------------------------------------------------


def sides(depth: int) -> Iterator[tuple[str, str, int, Callable[[], int]]]:
    """Side, how it treats the last move, depth, and the work."""
    start = Checkers.start()
    for how in (MADE, COUNTED):
        yield OURS, how, depth, lambda how=how: plain.perft(start, depth, how == COUNTED)
    try:
        library, _ = compiled(Path(__file__).with_name("checkers.c"))
    except NoCompiler as error:
        absent("C by hand", error)
    else:
        library.perft_checkers.restype = ctypes.c_int64
        for how in (MADE, COUNTED):
            yield "C by hand", how, depth, lambda how=how: library.perft_checkers(depth, int(how == COUNTED))
    try:
        import pyspiel
    except ImportError as error:
        absent("OpenSpiel", error)
    else:
        game = pyspiel.load_game("checkers")
        yield "OpenSpiel (C++, called from Python)", MADE, min(depth, 6), lambda: openspiel(game, min(depth, 6))


def openspiel(game: Any, depth: int) -> int:
    """Perft of OpenSpiel's checkers, where a move of several jumps is several actions of one player."""

    def count(state: Any, depth: int) -> int:
        if state.is_terminal():
            return 0
        mover, lines = state.current_player(), 0
        for action in state.legal_actions():
            child = state.child(action)
            goes_on = not child.is_terminal() and child.current_player() == mover
            if goes_on or depth > 1:
                lines += count(child, depth if goes_on else depth - 1)
            else:
                lines += 1
        return lines

    return count(game.new_initial_state(), depth)


def absent(side: str, why: object) -> None:
    print(f"{side} is left out: {why}", file=sys.stderr)


def perft(depth: int, rounds: int) -> list[dict[str, Any]]:
    contests = list(sides(depth))
    rates: list[list[float]] = [[] for _ in contests]
    right = [work() == LINES[to] for _, _, to, work in contests]  # and compiled, before it is timed
    for _ in range(rounds):
        for (_, _, to, work), found in zip(contests, rates, strict=True):
            began = time.process_time()
            work()
            found.append(LINES[to] / (time.process_time() - began))
    ours = {how: found for (side, how, _, _), found in zip(contests, rates, strict=True) if side == OURS}
    return [
        {
            "side": side,
            "last_move": how,
            "depth": to,
            "lines_a_second": median(found),
            "ours_to_it": median(mine / its for mine, its in zip(ours[how], found, strict=True)),
            "to_goal": median(found) / GOAL,
            "right": is_right,
        }
        for (side, how, to, _), found, is_right in zip(contests, rates, right, strict=True)
    ]


# ---- the match ------------------------------------------------------------------------------------------------


def openings(file: Path | None) -> list[Checkers]:
    """The positions to play from, each with black's and with white's pieces for either evaluation."""
    start = Checkers.start()
    if file is None:
        found = {start}
        for _ in range(3):
            found = {state.play(move) for state in found for move in state.legal_moves()}
        return sorted(found)
    text = file.read_text("utf-8")
    lines = json.loads(text) if text.lstrip()[:1] in "[{" else text.splitlines()
    if isinstance(lines, dict) and isinstance(lines.get("all"), dict):
        lines = lines["all"]
    moves = (" ".join(re.findall(r"\b\d\d?[-x]\d\d?\b", line)) for line in lines)
    return [start.after(line) for line in moves if line]


def played(state: Checkers, names: dict[int, str], depth: int) -> tuple[int, Counter[str]]:
    """The result of a game for black, and the nodes that each evaluation's searches visited."""
    past, states, nodes = PositionHistory(), [], Counter[str]()
    while not (state.is_over() or can_claim_draw(state, past.push(state))):
        name = names[state.to_move()]
        found = zermelo.analyse(
            state, depth=depth, evaluation=name, table="1M", history=states[-state.reversible_plies() :]
        )
        nodes[name] += found.nodes
        states.append(state)
        state = state.play(found.best if isinstance(found.best, int) else state.parse_move(found.best))
    return state.utility() if state.is_over() else 0, nodes


def match(depth: int, starts: list[Checkers]) -> dict[str, Any]:
    results: Counter[int] = Counter()
    nodes: Counter[str] = Counter()
    began = time.perf_counter()
    for start in starts:
        for side in (MAX, MIN):
            result, visited = played(start, {side: "linear", -side: "material"}, depth)
            results[side * result] += 1
            nodes += visited
    return {
        "depth": depth,
        "games": 2 * len(starts),
        "wins": results[1],
        "draws": results[0],
        "losses": results[-1],
        "score": (results[1] + results[0] / 2) / (2 * len(starts)),
        "nodes": dict(nodes),
        "seconds": time.perf_counter() - began,
    }


def show(counted: list[dict[str, Any]], matches: list[dict[str, Any]]) -> None:
    if counted:
        report.table(
            f"Checkers, lines a second (the goal is {GOAL / 1e6:.0f} million made)",
            ["side", "last move", "depth", "lines a second", "Zermelo to it", "to the goal", "count"],
            [
                [row["side"], row["last_move"], str(row["depth"]), report.three_digits(row["lines_a_second"]),
                 report.times(row["ours_to_it"]), report.times(row["to_goal"]), "right" if row["right"] else "WRONG"]
                for row in counted
            ],
            numbers=("depth", "lines a second", "Zermelo to it", "to the goal"),
        )  # fmt: skip
    if matches:
        columns = ["depth", "games", "wins", "draws", "losses", "score", "seconds"]
        report.table(
            "linear against material, to a fixed depth, each opening with both colours",
            columns,
            [
                [*(str(row[key]) for key in columns[:5]), f"{row['score']:.1%}", f"{row['seconds']:.0f}"]
                for row in matches
            ],
            numbers=columns,
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--perft", type=int, default=10, choices=range(len(LINES)), metavar="DEPTH")
    parser.add_argument("--depths", default="5", help="depths of the match, divided by commas; empty for none")
    parser.add_argument("--openings", type=Path, metavar="FILE")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="print JSON instead of the tables")
    options = parser.parse_args()
    counted = perft(options.perft, options.rounds) if options.rounds else []
    starts = openings(options.openings)
    matches = [match(int(depth), starts) for depth in options.depths.split(",") if depth]
    if options.json:
        report.as_json({"goal": GOAL, "perft": counted, "matches": matches})
    else:
        show(counted, matches)
    return 0 if all(row["right"] for row in counted) else 1


if __name__ == "__main__":
    sys.exit(main())
