"""Double-dummy tables of random bridge deals: CPU time compared with DDS (through endplay).

    python benchmarks/bridge.py [--deals 5] [--seed 1] [--json]
    python benchmarks/bridge.py --deal "N:..."

For each deal, the table of 20 results, and the four results without trumps, each with an empty table of positions. The
time is CPU time of all threads, without compiling. The tables of both sides must be equal. `--deal` measures one deal,
in PBN, instead of random ones.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

import report

import zermelo
from zermelo import State
from zermelo.cli.solve_bridge import table_and_par
from zermelo.search.solving import Solver

MEMORY = "256M"
RANKS, SEATS, STRAINS = "AKQJT98765432", "NESW", ("S", "H", "D", "C", "NT")
WARM_UP = "N:KT.6.AKQ64.A7654 Q53.KT9874.T2.Q2 AJ876.A2.953.KJT 942.QJ53.J87.983"
Table = list[list[int]]  # tricks by declarer and strain


class Solved(NamedTuple):
    """A deal that a side has solved."""

    table: Table
    seconds: float  # CPU time of the table
    no_trump: float  # CPU time of one result without trumps
    nodes: int | None = None  # of the table; None: not known


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


def ours(deals: list[str]) -> list[Solved]:
    """Solve deals with Zermelo."""
    states: list[State] = [zermelo.load("bridge").parse(deal) for deal in (WARM_UP, *deals)]
    rows = []
    for state in states:
        with Solver(MEMORY) as solver:
            _, no_trump = timed(without_trumps, state, solver)
        with Solver(MEMORY) as solver:
            found, seconds = timed(table_and_par, state, "N", "none", solver)
            nodes = solver.nodes
        table = [[found["table"][seat][strain] for strain in STRAINS] for seat in SEATS]
        rows.append(Solved(table, seconds, no_trump / 4, nodes))
    return rows[1:]


def theirs(deals: list[str]) -> list[Solved]:
    """Solve deals with DDS."""
    from endplay.dds import calc_all_tables, calc_dd_table
    from endplay.types import Deal, Denom, Player

    trumps = (Denom.spades, Denom.hearts, Denom.diamonds, Denom.clubs)
    players = (Player.north, Player.east, Player.south, Player.west)
    rows = []
    for deal in (WARM_UP, *deals):
        _, no_trump = timed(calc_all_tables, [Deal(deal)], exclude=list(trumps))
        found, seconds = timed(calc_dd_table, Deal(deal))
        table = [[found[strain, player] for strain in (*trumps, Denom.nt)] for player in players]
        rows.append(Solved(table, seconds, no_trump / 4))
    return rows[1:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=5, metavar="N", help="number of deals; default: 5")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the deals; default: 1")
    parser.add_argument("--deal", metavar="PBN", help="one deal instead of random ones")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args()
    random = Random(given.seed)
    deals = [given.deal] if given.deal else [random_deal(random) for _ in range(given.deals)]
    measured: dict[str, list[Solved]] = {}
    rows: list[dict[str, Any]] = []
    for side, solve in (("Zermelo", ours), ("DDS", theirs)):
        try:
            found = measured[side] = solve(deals)
        except ImportError as error:
            rows.append({"side": side, "missing": str(error)})
            continue
        row = {
            "side": side,
            "table": sum(each.seconds for each in found) / len(found),
            "no_trump": sum(each.no_trump for each in found) / len(found),
            "largest": max(each.seconds for each in found),
        }
        if all(each.nodes is not None for each in found):
            row["nodes"] = sum(each.nodes or 0 for each in found) // len(found)
        rows.append(row)
    ratio = None
    if len(measured) == 2:
        for deal, mine, other in zip(deals, measured["Zermelo"], measured["DDS"], strict=True):
            if mine.table != other.table:
                print(f"the tables of {deal} differ: Zermelo {mine.table}, DDS {other.table}", file=sys.stderr)
                sys.exit(1)
        ratio = rows[0]["table"] / rows[1]["table"]
    if given.json:
        report.print_json({"deals": len(deals), "sides": rows, "times_of_dds": ratio})
        return
    print(f"Double-dummy tables, CPU seconds, mean of {len(deals)} deals\n")
    for row in rows:
        if "missing" in row:
            print(f"{row['side']:10}not installed ({row['missing']})")
        else:
            nodes = f", {row['nodes']:,} nodes a table" if "nodes" in row else ""
            print(
                f"{row['side']:10}table {row['table']:7.2f} (largest {row['largest']:.2f}), "
                f"one result in no trump {row['no_trump']:.3f}{nodes}"
            )
    if ratio:
        print(f"\nDDS is {ratio:.0f} times as fast.")


if __name__ == "__main__":
    report.run(main)
