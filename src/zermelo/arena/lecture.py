"""The round robin of lecture 004: its seven players, 21 pairs, ten games a pair, beside the slide's own table.

    zermelo tournament lecture-othello [--no-pruning | --ordered]

The slide has two listings, without and with alpha-beta: the same wins, fewer boards. They are the work of a C program
after Norvig's Lisp, whose round robin begins each pair of games with ten random moves (Paradigms of Artificial
Intelligence Programming, 1992, section 18.8); so does this one. A player's boards are the states that its searches
made, their roots not counted.

By its counts the C program's alpha-beta has no deep cuts: what a player has found so far cuts replies to its own next
move, but is not handed further down (Knuth and Moore's procedure F1, 1975). At 3 plies that makes no difference; at 5
it costs four tenths more. So PRUNED is that one here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from functools import cache
from importlib import resources
from itertools import combinations
from typing import Any, NamedTuple

from zermelo.arena.game_record import GameResult
from zermelo.arena.plans.plan import Entrant, Plan
from zermelo.errors import LimitError

TITLE = "lecture-othello"
NAMES = ("random", "diff/1", "diff/3", "diff/5", "wdiff/1", "wdiff/3", "wdiff/5")
GAMES = 10
OPENINGS = "plies=10"
#: The first seed from 0 on whose openings bring the boards of all 24 pairs at 3 and 5 plies to between those shares of
#: the slide's (0.25 to 0.38 and 0.056 to 0.12): at a single pair of ten games the openings tell.
SEED = 2
#: All boards of the run without pruning.
WITHOUT_PRUNING = 303_814_537
#: The ways to search: the player's kind, and the heading of its boards in the table.
PLAIN, PRUNED, ORDERED = "minimax", "shallow", "sparing"
_TOLD = {PLAIN: "without pruning", PRUNED: "with alpha-beta", ORDERED: "with ordering and table"}


class Pair(NamedTuple):
    """Two players and their games: a row of the slide."""

    a: str
    b: str
    a_wins: int = 0
    b_wins: int = 0
    ties: int = 0
    a_boards: int = 0
    b_boards: int = 0


def plan(*, pruning: bool = True, ordered: bool = False, names: Sequence[str] = NAMES, games: int = GAMES) -> Plan:
    """The tournament. `pruning`: with alpha-beta; `ordered`: with our ordering and table. Fewer `names` for a part.

    Raises `LimitError` where ordering is asked for without pruning.
    """
    if ordered and not pruning:
        raise LimitError("--ordered and --no-pruning: what is pruned is what ordering saves; choose one of them")
    kind = ORDERED if ordered else PRUNED if pruning else PLAIN
    entrants = tuple(Entrant(name, _text(name, kind)) for name in names)
    return Plan("othello", entrants, games=games, openings=OPENINGS, seed=SEED, title=TITLE)


def _plan_of(kind: str) -> Plan:
    return plan(pruning=kind != PLAIN, ordered=kind == ORDERED)


def _text(name: str, kind: str) -> str:
    return name if name == "random" else f"{kind}:{name.replace('/', ':')}"


def kind_of(plan: Plan) -> str:
    """How the players of a plan search: PLAIN, PRUNED or ORDERED."""
    return next((entrant.player.partition(":")[0] for entrant in plan.entrants if entrant.name != "random"), PRUNED)


def pairs(results: Iterable[GameResult]) -> list[Pair]:
    """The rows of the table, in the slide's order; only those of which a game was played."""
    rows: dict[tuple[str, str], Pair] = {}
    for result in results:
        for at, (one, other) in enumerate((result.names, result.names[::-1])):
            if NAMES.index(one) < NAMES.index(other):
                row = rows.get((one, other), Pair(one, other))
                points = result.points if at == 0 else 1 - result.points
                rows[one, other] = row._replace(
                    a_wins=row.a_wins + (points == 1),
                    b_wins=row.b_wins + (points == 0),
                    ties=row.ties + (points == 0.5),
                    a_boards=row.a_boards + _boards(result, at),
                    b_boards=row.b_boards + _boards(result, 1 - at),
                )
    return [rows[pair] for pair in combinations(NAMES, 2) if pair in rows]


def _boards(result: GameResult, place: int) -> int:
    """The states that a player made: what it visited, but for the root of each search."""
    return max(result.nodes[place] - result.move_counts[place], 0)


def as_dict(results: Iterable[GameResult]) -> dict[str, Any]:
    """For JSON: `{"pairs": [{"a", "b", "a_wins", "b_wins", "ties", "a_boards", "b_boards"}, ...]}`."""
    return {"pairs": [pair._asdict() for pair in pairs(results)]}


@cache
def slide() -> dict[tuple[str, str], dict[str, Any]]:
    """The slide's rows by their two players: a_wins, b_wins, ties, and boards as a_boards_plain, a_boards_ab, ..."""
    text = resources.files("zermelo").joinpath("teaching", "lectures", "lecture_004.json").read_text("utf-8")
    case = next(case for case in json.loads(text)["cases"] if case["id"] == "othello_round_robin")
    rows = [dict(zip(case["columns"], row, strict=True)) for row in case["rows"]]
    return {(row["a"], row["b"]): row for row in rows}


def points(rows: Iterable[Pair]) -> dict[str, float]:
    """The points of each player, a tie half a point for both, the best first."""
    sums = dict.fromkeys(NAMES, 0.0)
    for row in rows:
        sums[row.a] += row.a_wins + row.ties / 2
        sums[row.b] += row.b_wins + row.ties / 2
    return dict(sorted(sums.items(), key=lambda item: -item[1]))


def table(results: Iterable[GameResult], plan: Plan, room: int = 100) -> str:
    """The slide's table in text, its own numbers in brackets beside ours; totals and points below.

    Where there is less `room`, in columns, than that takes, the slide's numbers are a table of their own.
    """
    kind = kind_of(plan)
    rows = pairs(results)
    ours = [_cells(row) for row in rows]
    theirs = [_cells(_of_slide(row, kind)) for row in rows]
    beside = _columns(
        ["a", "b", "score", "[slide]", "boards a", "[slide]", "boards b", "[slide]"],
        [
            [*here[:2], *(cell for pair in zip(here[2:], there[2:], strict=True) for cell in (pair[0], f"[{pair[1]}]"))]
            for here, there in zip(ours, theirs, strict=True)
        ],
    )
    told = [
        f"Othello, {len(plan.entrants)} players, {plan.games} games a pair, {_TOLD[kind]}",
        "score: won by a - won by b - tied; in brackets the slide's numbers",
        "",
    ]
    head = ["a", "b", "score", "boards a", "boards b"]
    if max(map(len, beside)) <= room:
        lines = [*told, *beside]
    else:
        lines = [*told, *_columns(head, ours), "", "the slide's numbers:", "", *_columns(head, theirs)]
    lines += ["", *_totals(rows, plan, kind), *_points_of(rows, room)]
    return "\n".join(lines)


def _of_slide(row: Pair, kind: str) -> Pair:
    """The slide's own numbers of a row."""
    there = slide()[row.a, row.b]
    suffix = "plain" if kind == PLAIN else "ab"
    wins = (there["a_wins"], there["b_wins"], there["ties"])
    return Pair(row.a, row.b, *wins, there[f"a_boards_{suffix}"], there[f"b_boards_{suffix}"])


def _cells(row: Pair) -> list[str]:
    return [row.a, row.b, f"{row.a_wins}-{row.b_wins}-{row.ties}", f"{row.a_boards:,}", f"{row.b_boards:,}"]


def _columns(head: list[str], rows: list[list[str]]) -> list[str]:
    """Cells under one another, the heads above: names and scores from the left, boards from the right."""
    wide = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    words = sum(not name.startswith("boards") for name in head[:4])
    return [
        "".join(
            " " * (2 - cell.startswith("[")) * (at > 0) + (cell.ljust(width) if at < words else cell.rjust(width))
            for at, (cell, width) in enumerate(zip(row, wide, strict=True))
        ).rstrip()
        for row in (head, *rows)
    ]


def _totals(rows: Sequence[Pair], plan: Plan, kind: str) -> list[str]:
    """All boards of a run beside the slide's, and the share of those that no pruning would have made."""
    made = _boards_of(rows)
    there = _boards_of(_of_slide(row, kind) for row in rows)
    lines = [f"boards: {made:,} in all [{there:,}]"]
    whole = (plan.entrants, plan.games, plan.openings, plan.seed)
    usual = _plan_of(kind)
    is_whole = whole == (usual.entrants, usual.games, usual.openings, usual.seed)
    if kind != PLAIN and is_whole and sum(sum(row[2:5]) for row in rows) == GAMES * len(slide()):
        every = _boards_of(_of_slide(row, PLAIN) for row in rows)
        lines.append(
            f"  --no-pruning makes {WITHOUT_PRUNING:,} [{every:,}]: {made / WITHOUT_PRUNING:.4f} of them are left "
            f"[{there / every:.4f}]"
        )
        lines.append("  shares player by player need that run too: docs/lecture-tournament.md has them")
    return lines


def _boards_of(rows: Iterable[Pair]) -> int:
    return sum(row.a_boards + row.b_boards for row in rows)


def _points_of(rows: Sequence[Pair], room: int) -> list[str]:
    """The points of all players, as many in a line as there is room for."""
    lines = ["points:"]
    for name, count in points(rows).items():
        said = f" {name} {_points(name, count)},"
        if len(lines[-1]) + len(said) > room:
            lines.append(" ")
        lines[-1] += said
    lines[-1] = lines[-1].rstrip(",")
    return lines


def _points(name: str, count: float) -> str:
    there = points(Pair(**{key: row.get(key, 0) for key in Pair._fields}) for row in slide().values())
    return f"{count:g} [{there[name]:g}]"
