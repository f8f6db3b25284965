"""Battleship: the mean number of shots with which `densest_shot` sinks a random fleet.

    python benchmarks/battleship.py [--games 200] [--samples 200] [--seed 1] [--json]

The fleet is placed ship after ship, each at a random place that is left. The error is 1.96 standard errors of the mean.
"""

from __future__ import annotations

import argparse
import statistics
from random import Random

import report

from zermelo.games.battleship import Battleship, shots_needed


def random_fleets(source: Random) -> Battleship:
    """Return a state in which both fleets are placed at random."""
    state = Battleship()
    while state.is_placing():
        state = state.play(source.choice(state.legal_moves()))
    return state


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--games", type=int, default=200, metavar="N", help="number of fleets, at least 2; default: 200"
    )
    parser.add_argument("--samples", type=int, default=200, metavar="N", help="sampled fleets a shot; default: 200")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed; default: 1")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args()
    source = Random(given.seed)
    shots = [shots_needed(random_fleets(source), given.samples, source) for _ in range(given.games)]
    mean, error = statistics.mean(shots), 1.96 * statistics.stdev(shots) / given.games**0.5
    if given.json:
        report.print_json({"games": given.games, "samples": given.samples, "mean": mean, "error": error})
        return
    median = statistics.median(shots)
    print(f"{given.games} fleets, {given.samples} samples a shot: {mean:.1f} ± {error:.1f} shots, median {median:g}")


if __name__ == "__main__":
    main()
