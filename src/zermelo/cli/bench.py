"""`zermelo bench`: fixed searches of each game: the bench signature (node counts) and the machine's speed.

The same version visits the same nodes on every machine: one thread, a fixed table, a fixed depth. So a changed count
means a changed search.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from zermelo import formatting, registry
from zermelo._util.terminal import print_json, print_line
from zermelo.cli import arguments, screen
from zermelo.cli.arguments import Games
from zermelo.core.game import State

TABLE = "16M"
# Depth for the initial position of a game that is not listed.
USUAL_DEPTH = 8
# Depth and positions of the games for which the start alone would not do: opening, middlegame, endgame; deep enough to
# exercise every part of the search, about a second in all.
WORK: dict[str, tuple[int, tuple[str, ...]]] = {
    "backgammon": (3, ("31", "65", "uAcAACMXAwAAAA:MIEEAAAAAAAE")),
    "bridge": (9, ("", "N:QJ6.K6.J8.T 87.J9.AT.Q4 K5.T8.KQ.A7 AT.AQ.32.KJ S W 3-2")),
    "checkers": (13, ("", "11-15 23-19 8-11 22-17 4-8 17-13", "B:W13,19,K21,27:B3,12,20,K22")),
    "chess": (
        6,
        (
            "",
            "r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/P1N2N2/1P3PPP/R1BQKB1R w KQ - 0 8",
            "8/5k2/4p3/3p1p2/3P1P2/4P1K1/8/2R2r2 b - - 3 50",
        ),
    ),
    "connect4": (16, ("", "4453", "14435454315554")),
    "go": (6, ("4x4", "--XO-/-XXO-/-XO--/-XO--/-X--O X")),
    "go19": (3, ("10x10",)),
    "gomoku": (3, ("", "-" * 108 + "XO----" + "-" * 10 + "OX" + "-" * 99)),
    "hex": (4, ("7x7", "-" * 36 + "X" + "-" * 13 + "O" + "-" * 18 + "X" + "-" * 51)),
    "othello": (
        12,
        (
            "",
            "f5d6c3f3f4g3f6d3e3f7c4b4h2e6c5c2d2g4g8e7c7g7h8h3",
            "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X",
        ),
    ),
    "pennies": (40, ("7", "9-8-7", "20-14")),
    "property": (5, ("", "600@orange2:orange1,orange3 600@go:red1 first buy turns=60")),
    "tictactoe": (9, ("", "X---O----", "X-O/-X-/--O")),
}


def bench(
    games: Games = None,
    signature: Annotated[
        bool, typer.Option("--signature", help="Print node counts only: the same on every machine.")
    ] = False,
    quiet: arguments.Quiet = False,
    as_json: arguments.Json = False,
) -> None:
    """Run fixed searches: node counts and speed."""
    classes = {name: arguments.load(name) for name in games} if games else built_in_games()
    results: dict[str, dict[str, Any]] = {}
    with screen.Progress("searching", quiet) as progress:
        for done, (name, cls) in enumerate(classes.items()):
            progress.begin(name, done, len(classes))
            with arguments.blaming(cls):
                results[name] = run_searches(name, cls)
    if as_json:
        print_json({"signature": {name: row["nodes"] for name, row in results.items()}, "games": results})
        return
    wide = max(map(len, results))
    most = max(len(formatting.count(row["nodes"])) for row in results.values())
    for name, row in results.items():
        if signature:
            print_line(f"{name} {row['nodes']}")
        else:
            speed = f"{formatting.rate(row['nodes_per_second'])} a second"
            nodes = f"{formatting.count(row['nodes']):>{most}} nodes"
            print_line(f"{name:{wide}}  {nodes}  {formatting.seconds(row['seconds']):>7}  {speed}")


def built_in_games() -> dict[str, type[State]]:
    """The games of perfect information that come with Zermelo."""
    classes = {name: registry.load(name) for name in registry.names()}
    return {
        name: cls for name, cls in classes.items() if cls.__module__.startswith("zermelo.") and cls.perfect_information
    }


def run_searches(name: str, cls: type[State]) -> dict[str, Any]:
    """Run the fixed searches of a game; nodes and seconds in all and per search."""
    from zermelo.search.engine import Engine

    depth, positions = WORK.get(name, (USUAL_DEPTH, ("",)))
    engine = Engine(TABLE)
    searches: list[dict[str, Any]] = []
    for text in positions:
        state = arguments.position(cls, text)
        *_, last = engine.analysis(state, depth=depth)
        searches.append({"position": str(state), "depth": depth, "nodes": last.nodes, "seconds": last.seconds})
    nodes = sum(each["nodes"] for each in searches)
    took = sum(each["seconds"] for each in searches)
    return {
        "nodes": nodes,
        "seconds": round(took, 6),
        "nodes_per_second": round(nodes / took) if took > 0 else 0,
        "searches": [{**each, "seconds": round(each["seconds"], 6)} for each in searches],
    }
