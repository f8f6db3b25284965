"""CFR+ on Leduc hold'em and liar's dice: CPU time to a bound of exploitability, compared with OpenSpiel's C++ CFR+.

    python benchmarks/equilibria.py [--bound 0.01] [--game leduc] [--json]

The exploitability is the mean of what both players gain by best responses (NashConv / 2), computed by each side for its
own strategies. The time is that of the iterations alone, on one core: without compiling, enumerating the game and best
responses. Both sides average linearly and update the players in turn.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import report

import zermelo
from zermelo.solve.approximation import Approximation

STEP = 50  # iterations between two computations of exploitability
#: By game, its name in OpenSpiel, and the bound that OpenSpiel reaches in a minute.
GAMES = {"leduc": ("leduc_poker", 0.001), "liarsdice": ("liars_dice", 0.01)}


def ours(name: str, bound: float) -> tuple[int, float, float, float]:
    """Return iterations, CPU seconds, exploitability and value of Zermelo."""
    solver = Approximation(zermelo.load(name).start())
    solver.iterate(0)  # compiles
    solver.equilibrium()
    spent = 0.0
    while True:
        began = time.process_time()
        solver.iterate(STEP)
        spent += time.process_time() - began
        found = solver.equilibrium()
        if found.exploitability < bound:
            return found.iterations, spent, float(found.exploitability), float(found.value)


def theirs(name: str, bound: float) -> tuple[int, float, float, float | None]:
    """Return the same of OpenSpiel."""
    import pyspiel

    game = pyspiel.load_game(GAMES[name][0])
    solver = pyspiel.CFRPlusSolver(game)
    iterations, spent = 0, 0.0
    while True:
        began = time.process_time()
        for _ in range(STEP):
            solver.evaluate_and_update_policy()
        spent += time.process_time() - began
        iterations += STEP
        exploitability = float(pyspiel.exploitability(game, solver.average_policy()))
        if exploitability < bound:
            return iterations, spent, exploitability, None


def compared(game: str, bound: float) -> tuple[list[dict[str, Any]], float | None]:
    """Return a row for each side, and OpenSpiel's time divided by Zermelo's."""
    rows: list[dict[str, Any]] = []
    for side, measured in (("Zermelo", ours), ("OpenSpiel", theirs)):
        try:
            iterations, seconds, exploitability, value = measured(game, bound)
        except ImportError as error:
            rows.append({"side": side, "missing": str(error)})
            continue
        rows.append({"side": side, "iterations": iterations, "seconds": seconds, "exploitability": exploitability})
        if value is not None:
            rows[-1]["value"] = value
    times = [row.get("seconds") for row in rows]
    return rows, times[1] / times[0] if all(times) else None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bound", type=float, metavar="E", help="exploitability to reach; default: by game")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--game", choices=GAMES, help="default: all")
    given = parser.parse_args()
    results: dict[str, Any] = {}
    for game in [given.game] if given.game else GAMES:
        bound = given.bound or GAMES[game][1]
        rows, ratio = compared(game, bound)
        results[game] = {"bound": bound, "sides": rows, "ratio": ratio}
        if not given.json:
            show(game, bound, rows, ratio)
    if given.json:
        report.print_json(results)


def show(game: str, bound: float, rows: list[dict[str, Any]], ratio: float | None) -> None:
    """Print the rows of a game."""
    print(f"CFR+ on {game} until the exploitability (mean of both players) is below {bound:g}")
    for row in rows:
        if "missing" in row:
            print(f"  {row['side']:10} not installed: {row['missing']}")
            continue
        each = row["seconds"] / row["iterations"] * 1e6
        value = f", value {row['value']:.5f}" if "value" in row else ""
        speed = f"{row['seconds']:8.3f} s  {row['iterations']:5} iterations of {each:8.1f} microseconds"
        print(f"  {row['side']:10} {speed}, exploitability {row['exploitability']:.6f}{value}")
    if ratio is not None:
        print(f"  OpenSpiel's time is {ratio:.0f} times Zermelo's")


if __name__ == "__main__":
    main()
