"""Checkers: perft speed of several move generators, and a match between two evaluations.

    python benchmarks/checkers.py [--perft DEPTH] [--depths N,N,...] [--openings FILE] [--rounds N] [--json]

Perft, one thread, in CPU time. Moves to the leaves are either made ("made") or only counted ("counted", bulk
counting). All generators run in turn in each round. A rate is the median over the rounds, a ratio the median of the
rounds' ratios. The goal is the speed of simplech's generator, in C by Martin Fierz, on a comparable machine. It is
not run here, since no package installs it.

Match: `linear` against `material` at a fixed depth, each opening with both colours. Games are drawn by repetition or
after forty moves without progress. The openings are all distinct positions after three moves, or those in FILE: text
lines that end with the moves, or JSON with the moves as keys, as in published lists of ballot openings.

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
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import report
from reference import CompilerError, compile_c

import zermelo
from zermelo._util.user_files import read_text
from zermelo.core.game import MAX, MIN, State
from zermelo.core.history import PositionHistory, can_claim_draw
from zermelo.errors import FormatError
from zermelo.games.checkers import Checkers
from zermelo.search import compiled_textbook

# Leaves by depth, OEIS A133046.
LEAVES = (1, 7, 49, 302, 1_469, 7_361, 36_768, 179_740, 845_931, 3_963_680, 18_391_564, 85_242_128)
GOAL = 28e6  # leaves per second, all moves made
OURS = "Zermelo"
MADE, COUNTED = "made", "counted"


# ---- perft ----------------------------------------------------------------------------------------------------


def sides(depth: int) -> Iterator[tuple[str, str, int, Callable[[], int]]]:
    """Yield generator name, treatment of the last move, depth and the function to run."""
    start = Checkers.start()
    for how in (MADE, COUNTED):
        yield OURS, how, depth, partial(compiled_textbook.perft, start, depth, how == COUNTED)
    try:
        library, _ = compile_c(Path(__file__).with_name("checkers.c"))
    except CompilerError as error:
        skip("C by hand", error)
    else:
        library.perft_checkers.restype = ctypes.c_int64
        for how in (MADE, COUNTED):
            yield "C by hand", how, depth, partial(library.perft_checkers, depth, int(how == COUNTED))
    try:
        import pyspiel
    except ImportError as error:
        skip("OpenSpiel", error)
    else:
        game = pyspiel.load_game("checkers")
        yield "OpenSpiel (C++, called from Python)", MADE, min(depth, 6), lambda: openspiel(game, min(depth, 6))


def openspiel(game: Any, depth: int) -> int:
    """Count the leaves of OpenSpiel's checkers, where each jump of a capture is an action of its own."""

    def count(state: Any, depth: int) -> int:
        if state.is_terminal():
            return 0
        mover, leaves = state.current_player(), 0
        for action in state.legal_actions():
            child = state.child(action)
            continues = not child.is_terminal() and child.current_player() == mover
            if continues or depth > 1:
                leaves += count(child, depth if continues else depth - 1)
            else:
                leaves += 1
        return leaves

    return count(game.new_initial_state(), depth)


def skip(side: str, reason: object) -> None:
    """Report a generator that is not available."""
    print(f"{side} skipped: {reason}", file=sys.stderr)


def perft(depth: int, rounds: int) -> list[dict[str, Any]]:
    """Measure the perft speed of all generators and check their counts."""
    generators = list(sides(depth))
    rates: list[list[float]] = [[] for _ in generators]
    is_right = [work() == LEAVES[side_depth] for _, _, side_depth, work in generators]  # also compiles the rules
    for _ in range(rounds):
        for (_, _, side_depth, work), samples in zip(generators, rates, strict=True):
            started = time.process_time()
            work()
            samples.append(LEAVES[side_depth] / (time.process_time() - started))
    own_rates = {how: samples for (side, how, _, _), samples in zip(generators, rates, strict=True) if side == OURS}
    return [
        {
            "side": side,
            "last_move": how,
            "depth": side_depth,
            "leaves_per_second": median(samples),
            "ratio": median(ours / theirs for ours, theirs in zip(own_rates[how], samples, strict=True)),
            "ratio_to_goal": median(samples) / GOAL,
            "right": is_count_right,
        }
        for (side, how, side_depth, _), samples, is_count_right in zip(generators, rates, is_right, strict=True)
    ]


# ---- the match ------------------------------------------------------------------------------------------------


def openings(file: Path | None) -> list[Checkers]:
    """Return the positions from which the match is played."""
    start = Checkers.start()
    if file is None:
        positions = {start}
        for _ in range(3):
            positions = {state.play(move) for state in positions for move in state.legal_moves()}
        return sorted(positions)
    text = read_text(file, report.MAX_BYTES)
    try:
        lines = json.loads(text) if text.lstrip()[:1] in ("[", "{") else text.splitlines()
    except ValueError as error:
        raise FormatError(f"{file}: {error}") from None
    if isinstance(lines, dict) and isinstance(lines.get("all"), dict):
        lines = lines["all"]
    moves = (" ".join(re.findall(r"\b\d\d?[-x]\d\d?\b", line)) for line in lines)
    found = [start.after(line) for line in moves if line]
    if not found:
        raise FormatError(f"{file}: no openings")
    return found


def play_game(start: Checkers, names: dict[int, str], depth: int) -> tuple[int, Counter[str]]:
    """Play a game. Returns the result for black and the nodes visited with each evaluation."""
    state: Any = start
    history, states, nodes = PositionHistory(), list[State](), Counter[str]()
    while not (state.is_over() or can_claim_draw(state, history.push(state))):
        name = names[state.to_move()]
        analysis = zermelo.analyse(
            state, depth=depth, evaluation=name, table="1M", history=states[-state.reversible_plies() :]
        )
        nodes[name] += analysis.nodes
        states.append(state)
        state = state.play(analysis.move)
    return state.utility() if state.is_over() else 0, nodes


def match(depth: int, starts: list[Checkers]) -> dict[str, Any]:
    """Play all openings with both colours."""
    results: Counter[int] = Counter()
    nodes: Counter[str] = Counter()
    started = time.perf_counter()
    for start in starts:
        for side in (MAX, MIN):
            result, visited = play_game(start, {side: "linear", -side: "material"}, depth)
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
        "seconds": time.perf_counter() - started,
    }


def show(counted: list[dict[str, Any]], matches: list[dict[str, Any]]) -> None:
    if counted:
        report.print_table(
            f"Checkers perft (goal: {GOAL / 1e6:.0f} million leaves/s, moves made)",
            ["side", "last move", "depth", "leaves/s", "Zermelo / side", "side / goal", "count"],
            [
                [row["side"], row["last_move"], str(row["depth"]), report.format_rate(row["leaves_per_second"]),
                 report.format_ratio(row["ratio"]), report.format_ratio(row["ratio_to_goal"]),
                 "right" if row["right"] else "WRONG"]
                for row in counted
            ],
            numbers=("depth", "leaves/s", "Zermelo / side", "side / goal"),
        )  # fmt: skip
    if matches:
        columns = ["depth", "games", "wins", "draws", "losses", "score", "seconds"]
        report.print_table(
            "Match of linear against material at a fixed depth, each opening with both colours",
            columns,
            [
                [*(str(row[key]) for key in columns[:5]), f"{row['score']:.1%}", f"{row['seconds']:.0f}"]
                for row in matches
            ],
            numbers=columns,
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--perft",
        type=int,
        default=10,
        choices=range(len(LEAVES)),
        metavar="DEPTH",
        help="perft depth in plies (default 10)",
    )
    parser.add_argument(
        "--depths", default="5", help="search depths of the matches, separated by commas; empty: no match (default 5)"
    )
    parser.add_argument(
        "--openings", type=Path, metavar="FILE", help="openings of the match (default all after three moves)"
    )
    parser.add_argument("--rounds", type=int, default=5, help="rounds of perft; 0: no perft (default 5)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the tables")
    options = parser.parse_args()
    starts = openings(options.openings)
    counted = perft(options.perft, options.rounds) if options.rounds else []
    matches = [match(int(depth), starts) for depth in options.depths.split(",") if depth]
    if options.json:
        report.print_json({"goal": GOAL, "perft": counted, "matches": matches})
    else:
        show(counted, matches)
    return 0 if all(row["right"] for row in counted) else 1


if __name__ == "__main__":
    report.run(main)
