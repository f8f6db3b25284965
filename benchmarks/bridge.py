"""Double-dummy tables of random bridge deals: CPU time compared with DDS (through endplay).

    python benchmarks/bridge.py [--deals 5] [--seed 1] [--json]

For each deal, the table of 20 results, and the four results without trumps, each with an empty table of positions. The
time is CPU time of all threads, without compiling. The tables of both sides must be equal.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from random import Random
from typing import Any

import report

import zermelo
from zermelo import State
from zermelo.cli.solve_bridge import table_and_par
from zermelo.search.solving import Solver

MEMORY = "256M"
RANKS, SEATS, STRAINS = "AKQJT98765432", "NESW", ("S", "H", "D", "C", "NT")
WARM_UP = "N:KT.6.AKQ64.A7654 Q53.KT9874.T2.Q2 AJ876.A2.953.KJT 942.QJ53.J87.983"
Table = list[list[int]]  # tricks by declarer and strain


def random_deal(random: Random) -> str:
    """Return a deal in PBN."""
    deck = random.sample(range(52), 52)
    hands = [sorted(deck[seat::4]) for seat in range(4)]
    suits = [["".join(RANKS[card % 13] for card in hand if card // 13 == suit) for suit in range(4)] for hand in hands]
    return "N:" + " ".join(map(".".join, suits))


def timed(function: Callable[..., Any], *arguments: Any, **options: Any) -> tuple[Any, float]:
    """Call a function; return its result and its CPU seconds."""
    began = time.process_time()
    return function(*arguments, **options), time.process_time() - began


def without_trumps(state: Any, solver: Solver) -> None:
    """Solve a deal in no trump with each leader."""
    guess = None
    for leader in (1, 3, 2, 0):
        guess = solver.value(state.replace(trump=4, leader=leader), guess)


def ours(deals: list[str]) -> list[tuple[Table, float, float]]:
    """Return the table of each deal, its CPU seconds, and those of a result in no trump."""
    states: list[State] = [zermelo.load("bridge").parse(deal) for deal in (WARM_UP, *deals)]
    rows = []
    for state in states:
        with Solver(MEMORY) as solver:
            _, no_trump = timed(without_trumps, state, solver)
        with Solver(MEMORY) as solver:
            found, seconds = timed(table_and_par, state, "N", "none", solver)
        rows.append(([[found["table"][seat][strain] for strain in STRAINS] for seat in SEATS], seconds, no_trump / 4))
    return rows[1:]


def theirs(deals: list[str]) -> list[tuple[Table, float, float]]:
    """Return the same of DDS."""
    from endplay.dds import calc_all_tables, calc_dd_table
    from endplay.types import Deal, Denom, Player

    trumps = (Denom.spades, Denom.hearts, Denom.diamonds, Denom.clubs)
    players = (Player.north, Player.east, Player.south, Player.west)
    rows = []
    for deal in (WARM_UP, *deals):
        _, no_trump = timed(calc_all_tables, [Deal(deal)], exclude=list(trumps))
        found, seconds = timed(calc_dd_table, Deal(deal))
        table = [[found[strain, player] for strain in (*trumps, Denom.nt)] for player in players]
        rows.append((table, seconds, no_trump / 4))
    return rows[1:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=5, metavar="N", help="number of deals; default: 5")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the deals; default: 1")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args()
    random = Random(given.seed)
    deals = [random_deal(random) for _ in range(given.deals)]
    measured: dict[str, list[tuple[Table, float, float]]] = {}
    rows: list[dict[str, Any]] = []
    for side, solve in (("Zermelo", ours), ("DDS", theirs)):
        try:
            found = measured[side] = solve(deals)
        except ImportError as error:
            rows.append({"side": side, "missing": str(error)})
            continue
        mean = [sum(row[column] for row in found) / len(found) for column in (1, 2)]
        rows.append({"side": side, "table": mean[0], "no_trump": mean[1], "largest": max(row[1] for row in found)})
    ratio = None
    if len(measured) == 2:
        for deal, mine, other in zip(deals, measured["Zermelo"], measured["DDS"], strict=True):
            if mine[0] != other[0]:
                print(f"the tables of {deal} differ: Zermelo {mine[0]}, DDS {other[0]}", file=sys.stderr)
                sys.exit(1)
        ratio = rows[0]["table"] / rows[1]["table"]
    if given.json:
        report.print_json({"deals": given.deals, "sides": rows, "times_of_dds": ratio})
        return
    print(f"Double-dummy tables, CPU seconds, mean of {given.deals} deals\n")
    for row in rows:
        if "missing" in row:
            print(f"{row['side']:10}not installed ({row['missing']})")
        else:
            print(
                f"{row['side']:10}table {row['table']:7.2f} (largest {row['largest']:.2f}), "
                f"one result in no trump {row['no_trump']:.3f}"
            )
    if ratio:
        print(f"\nDDS is {ratio:.0f} times as fast.")


if __name__ == "__main__":
    main()
