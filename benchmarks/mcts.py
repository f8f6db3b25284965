"""Monte Carlo tree search: playouts and playout moves per second, compared with OpenSpiel's C++ implementation.

    python benchmarks/mcts.py [--simulations N] [--json]

Both sides run UCT with playouts to the end of the game from the initial position, on one core, without an evaluation.
The time is processor time, and the best of three runs counts. OpenSpiel is its `MCTSBot` with `RandomRolloutEvaluator`
and proofs (`solve`), called through `pyspiel`; the search itself is C++. It runs a tenth of the simulations, since a
larger tree only makes it slower.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import report

import zermelo

BREAKTHROUGH = Path(__file__).resolve().parent.parent / "tests" / "support" / "breakthrough.py"
UNIFORM_GO = Path(__file__).resolve().parent / "uniform_go.py"
#: The games by their names in Zermelo and in OpenSpiel; "": not compared, since its playouts are others.
GAMES = {
    "connect4": "connect_four",
    str(BREAKTHROUGH): "breakthrough",
    str(UNIFORM_GO): "go(board_size=9,komi=7.0)",
    "go": "",
}


def ours(name: str, simulations: int) -> dict[str, float]:
    """Measure Zermelo."""
    start = zermelo.load(name).start()
    best = float("inf")
    for seed in range(4):  # the first run compiles
        with zermelo.MonteCarlo("1G", seed=seed, rave=0) as mcts:
            search = mcts.analysis(start, nodes=simulations)
            began = time.process_time()
            for _ in search:
                pass
            seconds = time.process_time() - began
            if seconds < best:
                best, moves = seconds, mcts.playout_moves
    return {"simulations": simulations / best, "moves": moves / best}


def theirs(name: str, simulations: int) -> dict[str, float]:
    """Measure OpenSpiel. Raises `ImportError` if it is not installed."""
    import pyspiel

    game = pyspiel.load_game(name)
    best = float("inf")
    for seed in range(3):
        evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
        bot = pyspiel.MCTSBot(game, evaluator, 2.0, simulations, 1000, True, seed, False)
        state = game.new_initial_state()
        began = time.process_time()
        bot.step(state)
        best = min(best, time.process_time() - began)
    return {"simulations": simulations / best}


def measure(simulations: int) -> list[dict[str, Any]]:
    """Measure both sides in each game."""
    rows = []
    for name, other in GAMES.items():
        row: dict[str, Any] = {"game": other or name, **ours(name, simulations)}
        if not other:
            rows.append({**row, "skipped": "playouts of its own"})
            continue
        try:
            row["open_spiel"] = theirs(other, simulations // 10)["simulations"]
        except ImportError as error:
            row["skipped"] = str(error)
        rows.append(row)
    return rows


def main() -> None:
    """Print the table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=500_000, metavar="N", help="simulations of a search")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args()
    rows = measure(options.simulations)
    if options.json:
        report.print_json(rows)
        return
    for row in rows:
        other = row.get("open_spiel")
        compared = f"OpenSpiel {other:,.0f}, {row['simulations'] / other:.1f} times" if other else row["skipped"]
        print(f"{row['game']:14}{row['simulations']:12,.0f} simulations/s {row['moves']:14,.0f} moves/s   {compared}")


if __name__ == "__main__":
    main()
