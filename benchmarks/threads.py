"""Speedup of two threads over one: the same analysis, measured in pairs.

    python benchmarks/threads.py [othello|endgames|chess] [--depth D] [--pairs N] [--threads N] [--table SIZE] [--json]

Othello is searched to a depth without selectivity, chess selectively; `endgames` solves positions #40 to #44 of the FFO
suite of Othello. A ratio is the seconds of one thread divided by the seconds of several threads in the same pair. The
result is the median ratio.
"""

from __future__ import annotations

import argparse
from statistics import median
from typing import Any, NamedTuple

import endgames
import report

import zermelo
from zermelo.errors import LimitError


class Measured(NamedTuple):
    """What is measured: the game, how it is searched, its default depth, and positions.

    A depth of 0 is a search to the end of the game. `goal` is the least ratio for two threads.
    """

    game: str
    goal: float
    evaluation: str
    selective: bool
    depth: int
    positions: list[str]


# Games 1, 101, 201 and 401 of the French Othello Federation's WTHOR file for 2024, each after 20 moves.
OTHELLO = [
    "------------------XO-OX--OOOOO----OOOOO--OXXXXX----XXO-------X-- X",
    "-----X-----OXX----OOOXXX-OOOOXX---OXXO-----XOO------O----------- X",
    "----------OXO---X-OXX----OOXXO--OOXXXO--O-XXXO-----X------------ X",
    "---X-X----XXX----OXXO---OOXOOO---OOOXX---OOOO------------------- X",
]
# Common openings, each after 10 to 17 plies.
CHESS = [
    "r1bq1rk1/2p1bppp/p1np1n2/1p2p3/4P3/1BP2N2/PP1P1PPP/RNBQR1K1 w - - 0 9",
    "rnbq1rk1/1p3ppp/p2bpn2/2pp4/2PP4/2N1PN2/PPQ2PPP/R1B1KB1R w KQ - 0 8",
    "rnbqkb1r/1p2pppp/p2p1n2/8/3NP3/2N5/PPP2PPP/R1BQKB1R w KQkq - 0 6",
    "r1bq1rk1/ppp1npbp/3p1np1/3Pp3/2P1P3/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 9",
    "rnbq1rk1/pp2ppbp/6p1/2p5/3PP3/2P2N2/P3BPPP/1RBQK2R b K - 0 9",
    "r1bqk2r/ppp2ppp/2n5/3np3/1bB5/2NP1N2/PPP2PPP/R1BQK2R w KQkq - 0 7",
    "rn1qkb1r/pp2pppp/2p2n2/5b2/P1pP4/2N2N2/1P2PPPP/R1BQKB1R w KQkq - 0 6",
    "r2qkb1r/pp1npppp/2p2n2/5b2/3P1N2/6N1/PPP2PPP/R1BQKB1R b KQkq - 0 8",
]
FFO = [row["position"] for row in endgames.positions(last=44)]
SEARCHES = {
    "othello": Measured("othello", 1.6, "mobility", False, 13, OTHELLO),
    "endgames": Measured("othello", 1.7, "patterns", False, 0, FFO),
    "chess": Measured("chess", 1.6, "network", True, 17, CHESS),
}


def analyse(measured: Measured, text: str, depth: int, threads: int, table: str) -> Any:
    """Analyse a position with an empty transposition table."""
    return zermelo.analyse(
        zermelo.load(measured.game).parse(text), depth=depth or None, exact=depth == 0, evaluation=measured.evaluation,
        selective=measured.selective, threads=threads, table=table,
    )  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("search", nargs="?", choices=SEARCHES, default="othello")
    parser.add_argument("--depth", type=int, help="search depth in plies (default: 13 in Othello, 17 in chess)")
    parser.add_argument("--pairs", type=int, default=3, help="pairs of measurements per position (default 3)")
    parser.add_argument("--threads", type=int, default=2, help="threads to compare with one (default 2)")
    parser.add_argument("--table", default="64M", help="size of the transposition table (default 64M)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options = parser.parse_args()
    search = SEARCHES[options.search]
    if options.depth is not None and (search.depth == 0 or options.depth < 1):
        wrong = "endgames are solved, not searched to a depth" if search.depth == 0 else "expected 1 or more"
        raise LimitError(f"--depth {options.depth}: {wrong}")
    positions, depth = search.positions, options.depth or search.depth
    for threads in (1, options.threads):
        analyse(search, positions[0], 2, threads, options.table)  # compile before the measurement
    measured: list[dict[str, Any]] = []
    for text in positions:
        for pair in range(options.pairs):
            order = (1, options.threads) if pair % 2 == 0 else (options.threads, 1)
            analyses = {threads: analyse(search, text, depth, threads, options.table) for threads in order}
            one, many = analyses[1], analyses[options.threads]
            measured.append(
                {
                    "position": text,
                    "seconds": [one.seconds, many.seconds],
                    "nodes": [one.nodes, many.nodes],
                    "scores": [one.score.number, many.score.number],
                    "ratio": one.seconds / many.seconds,
                }
            )
    overall = median(each["ratio"] for each in measured)
    if options.json:
        settings = {"search": options.search, "depth": depth, "threads": options.threads, "table": options.table}
        goal = {"goal": search.goal, "met": overall >= search.goal} if options.threads == 2 else {}
        report.print_json({**settings, "measured": measured, "median_ratio": overall, **goal})
        return
    rows = []
    for number, text in enumerate(positions, 1):
        pairs = [each for each in measured if each["position"] == text]
        cells = [str(number)]
        for side in (0, 1):
            cells.append(report.format_count(median(each["nodes"][side] for each in pairs)))
            cells.append(f"{median(each['seconds'][side] for each in pairs):.2f}")
        rows.append([*cells, f"{median(each['ratio'] for each in pairs):.2f}"])
    many_name = f"{options.threads} threads"
    columns = ["position", "1 thread: nodes", "seconds", f"{many_name}: nodes", "seconds ", "ratio"]
    what = f"{options.search} to depth {depth}" if depth else options.search
    title = f"{what}, table {options.table}, medians of {options.pairs} pairs"
    report.print_table(f"{title}; {report.processor()}", columns, rows, numbers=columns[1:])
    goal_text = (
        f" (goal {search.goal}: {'met' if overall >= search.goal else 'MISSED'})" if options.threads == 2 else ""
    )
    print(f"median ratio {overall:.2f}{goal_text}")


if __name__ == "__main__":
    report.run(main)
