"""Connect Four: solve sets of positions and the empty board, as Pons' solver does.

    python benchmarks/connect4.py [SET ...] [--empty] [--positions N] [--table 64M]

Without SET and `--empty`: the sets of the folder of published numbers, where it is beside the checkout, and the empty
board, which takes some minutes without the package's book and milliseconds with it. A set is a file of lines
"moves score": the columns played, and Pons' score: 22 minus the stones that the winner has placed at the end, negative
for a loss of the side to move, 0 for a draw. Each position is solved with an empty table; the time of emptying it is
not counted. Exit status 1 if a score is wrong.

Positions are calls of the search, as Pons counts calls of his `negamax`. Neither visits the position after a move that
wins at once. Here the root also counts where the side to move can win at once; Pons' solver does not search there.
"""

from __future__ import annotations

import argparse
import os
import time
from pathlib import Path

import report

import zermelo
from zermelo.errors import FormatError
from zermelo.search.analysis import Analysis
from zermelo.search.limits import Limits
from zermelo.search.request import SearchRequest
from zermelo.search.solved_scores import solved_score
from zermelo.search.solving import Solver
from zermelo.solve.books.book_file import shipped_book

Connect4 = zermelo.load("connect4")
SETS = Path(__file__).resolve().parents[2] / "shared" / "reference" / "connect4"
# Mean positions of Pons' solver, from http://blog.gamesolver.org/solving-connect-four/.
PUBLISHED = {
    "Test_L3_R1": 51.28, "Test_L2_R1": 449.6, "Test_L2_R2": 39_900.0, "Test_L1_R1": 3_298.0, "Test_L1_R2": 1_201_000.0,
    "Test_L1_R3": 65_920_000.0,
}  # fmt: skip
#: The sets that are solved by default; the others take minutes or hours.
USUAL = ("Test_L3_R1", "Test_L2_R1", "Test_L2_R2", "Test_L1_R1")


def found(state: zermelo.State, solver: Solver) -> int | None:
    """The score of a state by Pons' definition, from the side to move."""
    return solved_score(state, *solver.distance(state))


def answer_of_book() -> Analysis:
    """What the package's book says of the empty board."""
    shipped = shipped_book(Connect4)
    assert shipped is not None
    answer = shipped[0].answer(SearchRequest(Connect4.start(), Limits(seconds=1)))
    assert answer is not None
    return answer


def main() -> int:
    parser = argparse.ArgumentParser(description="Solve sets of Connect Four positions.")
    parser.add_argument("sets", nargs="*", type=Path, metavar="SET", help="File of lines: moves score.")
    parser.add_argument("--positions", type=int, default=None, metavar="N", help="Solve the first N of each set.")
    parser.add_argument("--table", default="64M", help="Size of the transposition table. Default: 64M.")
    parser.add_argument("--empty", action="store_true", help="Solve the empty board, too.")
    options = parser.parse_args()
    if not options.sets and not options.empty:
        options.sets, options.empty = [path for path in map(SETS.joinpath, USUAL) if path.exists()], True
        if not options.sets:
            print(f"no sets in {os.path.relpath(SETS)}: the empty board alone")
    sets = [(path, report.read_lines(path)[: options.positions]) for path in options.sets]
    columns = f"{'mean positions':>16}{'Pons':>13}{'mean CPU us':>13}{'million/s':>11}"
    print(f"{'set':<14}{'solved':>8}{'wrong':>7}{columns}")
    all_wrong = 0
    with Solver(options.table) as solver:  # compile before the measurement
        found(Connect4.parse("444444"), solver)
    for path, lines in sets:
        seconds, wrong = 0.0, 0
        with Solver(options.table) as solver:
            for line in lines:
                moves, _, score = line.partition(" ")
                if not score.lstrip("-").isdecimal():
                    raise FormatError(f"{path}: {line!r}; expected moves and a score, as in 4444 1")
                state = Connect4.parse(moves)
                solver.clear()
                began = time.process_time()
                wrong += found(state, solver) != int(score)
                seconds += time.process_time() - began
            print_row(path.name, len(lines), wrong, solver.nodes, seconds)
        all_wrong += wrong
    if options.empty:
        with Solver(options.table) as solver:
            began = time.process_time()
            wrong = int(found(Connect4.start(), solver) != 1)
            print_row("empty board", 1, wrong, solver.nodes, time.process_time() - began)
        began = time.process_time()
        answer = answer_of_book()
        seconds = time.process_time() - began
        wrong += (answer.score.value, answer.score.plies) != (1, 41)
        print(f"with the book: {answer.best}, {answer.score}, in {1000 * seconds:.1f} ms with reading it")
        all_wrong += wrong
    return 1 if all_wrong else 0


def print_row(name: str, count: int, wrong: int, nodes: int, seconds: float) -> None:
    """Print a row of the table."""
    mean, cpu, rate = nodes / count, seconds / count * 1e6, nodes / seconds / 1e6
    published = f"{PUBLISHED[name]:,.1f}" if name in PUBLISHED else ""
    print(f"{name:<14}{count:>8,}{wrong:>7}{mean:>16,.1f}{published:>13}{cpu:>13,.1f}{rate:>11.2f}", flush=True)


if __name__ == "__main__":
    report.run(main)
