"""`zermelo standings`, and the tables that all arena commands print."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from zermelo import formatting
from zermelo._util.terminal import print_json, print_line
from zermelo.cli import arguments, screen

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

    from zermelo.arena.sprt import SprtState
    from zermelo.arena.tables.ratings import Difference
    from zermelo.arena.tables.standings import Row, Score, Standings

#: Widths of the name column: the maximum, the width below which other columns are dropped first, and the minimum.
LONGEST, SHORT, SHORTEST = 24, 14, 8
#: Width off a terminal, where nothing is truncated.
PLENTY = 1000
BAR = 10  # width of a bar for 100 % of the points
#: Above this number of players the cross table is printed only with --cross.
FEW = 12


def standings(
    store: Annotated[str, typer.Argument(metavar="[FILE]", hidden=True)] = "",
    cross: Annotated[
        bool, typer.Option("--cross", help="Print the cross table for any number of players. Default: up to 12.")
    ] = False,
    anchor: Annotated[
        str, typer.Option(metavar="NAME", help="Show Elo relative to this player instead of the mean.")
    ] = "",
    chart: Annotated[str, typer.Option(metavar="FILE", help="Write a chart: .svg, .png or .pdf.")] = "",
    of: Annotated[
        str,
        typer.Option(metavar="WHAT", help="Content of the chart: ratings, cross, points or sprt.", show_default=True),
    ] = "ratings",
    as_json: arguments.Json = False,
) -> None:
    """Show the table of a match or tournament.

    Prints points, Elo with error bars and the cross table, also while games are being played. FILE is the store of
    games; default: the last one started.
    """
    from zermelo.arena import run_directories as places
    from zermelo.arena.store import Store, current_writer
    from zermelo.arena.tables import charts
    from zermelo.arena.tournament import Tournament
    from zermelo.errors import InputError

    if chart:
        charts.check(chart, of)
    path = Path(store) if store else places.latest_store()
    with Store.open(path, on_wait=screen.report_wait) as kept:
        run = Tournament(kept.checked_plan, kept)
        run.failed.update(kept.failures())
        counted = list(run.counted_results) if chart else []
        table = run.standings(anchor=anchor or None)
        watch = run.sprt()
    if chart:
        if of == "sprt" and watch is None:
            raise InputError(f"{path}: the match has no SPRT to draw (start it with --sprt)")
        charts.chart(table, chart, of, results=counted, monitor=watch)
    if as_json:
        report = {"plan": run.plan.as_dict(), "over": run.is_over, **table.as_dict()}
        print_json(report | {"sprt": watch.state.as_dict() if watch else None})
        return
    print_table(table, watch.state if watch else None, cross=cross)
    if not run.is_over:
        writer = current_writer(path)
        more = f"{writer}, still running" if writer else f"continue with `zermelo resume {path}`"
        print_line()
        print_line(f"  {len(run.results):,} of {run.total_games:,} games played; {more}")


# ---- shared by the arena commands ------------------------------------------------------------------------------


def print_table(table: Standings, sprt: SprtState | None = None, cross: bool = False) -> None:
    """Print the table, the cross table, rounds, and statistics."""
    out = screen.console()
    room = screen.width()
    for line in _table(table, room):
        out.print(line)
    if table.cross and len(table.rows) > 2 and (cross or len(table.rows) <= FEW):
        out.print()
        for line in _cross(table, room):
            out.print(line)
    if table.rounds:
        out.print()
        for line in _rounds(table, room):
            out.print(line)
    rows = list(_statistics(table, sprt))
    if rows:
        beside = max(len(name) for name, _ in rows) + 5
        rows = [(name, _cut(value, max(room - beside, 20)) if name == "failed" else value) for name, value in rows]
        out.print()
        screen.facts(out, rows)


def renderable(table: Standings, brief: bool = False, sprt: SprtState | None = None) -> RenderableType:
    """Table for a live display; `brief` shows the first rows only. For two players also the difference and SPRT."""
    from rich.console import Group
    from rich.text import Text

    lines = list(_table(table, screen.width(error=True)))
    if brief and len(lines) > FEW + 2:
        lines = [*lines[: FEW + 1], Text(f"  ... and {len(lines) - FEW - 1} more", "dim")]
    facts = [("difference", _gap(table, table.difference))] if table.difference is not None else []
    if sprt is not None:
        facts.append(("SPRT", f"of {_cut(table.names[0], LONGEST)}: {_sprt(sprt)}"))
    for name, value in facts:
        line = Text("  ").append(name.ljust(10), "dim").append(f"  {value}")
        line.truncate(screen.width(error=True), overflow="ellipsis")
        lines.append(line)
    return Group(*lines)


# ---- the table --------------------------------------------------------------------------------------------------


@dataclass
class _Column:
    """A column of the table; columns with a higher `dispensable` are dropped first."""

    head: str
    cells: list[str]
    dispensable: int = 0
    left: bool = False

    @property
    def width(self) -> int:
        from rich.cells import cell_len

        return max(map(cell_len, [self.head, *self.cells]))


def _table(table: Standings, room: int) -> Iterator[Text]:
    rows = table.rows
    halves = any(row.points % 1 for row in rows)
    columns = [
        _Column("#", [str(row.rank) if table.games else "" for row in rows]),
        _Column("player", [row.name for row in rows], left=True),
        _Column("points", [_points(row.points, halves) for row in rows]),
        _Column("games", [formatting.count(row.score.games) for row in rows], 1),
        _Column("%", ["" if row.score.share is None else f"{100 * row.score.share:.1f}" for row in rows], 6),
        _Column("", [_bar(row.score.share) for row in rows], 9, left=True),
        _Column("won", [formatting.count(row.score.wins) for row in rows], 4),
        _Column("drawn", [formatting.count(row.score.draws) for row in rows], 4),
        _Column("lost", [formatting.count(row.score.losses) for row in rows], 4),
    ]
    if any(row.elo is not None for row in rows):
        columns += [
            _Column("Elo", [_elo(row) for row in rows], 2),
            _Column("±95%", ["" if row.error is None else f"{row.error:.0f}" for row in rows], 3),
        ]
    if len(rows) > 1 and any(row.los is not None for row in rows):
        columns.append(_Column("LOS", ["" if row.los is None else _percent(row.los) for row in rows], 5))
    if any(row.forfeits for row in rows):
        columns.append(_Column("failed", [str(sum(row.forfeits.values()) or "") for row in rows], 4))
    if any(row.seconds_per_move for row in rows):
        columns.append(_Column("time/move", [_time(row.seconds_per_move) for row in rows], 7))
    if any(row.nodes_per_move for row in rows):
        columns.append(_Column("nodes/move", [_nodes(row.nodes_per_move) for row in rows], 8))
    yield from _drawn(_fitting(columns, room), room)


def _cross(table: Standings, room: int) -> Iterator[Text]:
    """Cross table: points of the player of each row against the player ranked as the column's head."""
    from rich.text import Text

    rows = table.rows
    games = {score.games for score in table.cross.values()}
    halves = any(score.points % 1 for score in table.cross.values())
    same = games.pop() if len(games) == 1 else 0
    head = [
        _Column("#", [str(place) for place in range(1, len(rows) + 1)]),
        _Column("player", [row.name for row in rows], left=True),
    ]
    others = [
        _Column(str(place), [_met(table.cross.get((row.name, other.name)), row, other, halves, same) for row in rows])
        for place, other in enumerate(rows, 1)
    ]
    of = f", out of {formatting.plural(same, 'game')}" if same else ", with the number of games"
    title = Text(f"  cross table: points{of}", "dim")
    title.truncate(room, overflow="ellipsis")
    yield title
    head = _fitting(head, max(room // 3, SHORTEST + 8) if room < PLENTY else room)
    used = sum(column.width + 2 for column in head)
    while others:
        part = others[:1]
        while len(part) < len(others) and used + sum(each.width + 2 for each in others[: len(part) + 1]) <= room:
            part = others[: len(part) + 1]
        yield from _drawn([*head, *part], room)
        others = others[len(part) :]
        if others:
            yield Text("")


def _rounds(table: Standings, room: int) -> Iterator[Text]:
    """Pairings, scores and byes of each round, and the winner."""
    from rich.cells import cell_len
    from rich.text import Text

    def shown(points: float) -> str:
        whole, half = divmod(points, 1)
        return f"{whole:.0f}" * (not half or whole > 0) + "½" * bool(half)

    heads = [f"round {number}" for number in range(1, len(table.rounds) + 1)]
    wide = max(map(len, [*heads, "winner"])) + 4
    ties = [tie for round in table.rounds for tie in round.pairings]
    left = max((len(shown(tie.points)) for tie in ties), default=0)
    right = max((len(shown(tie.games - tie.points)) for tie in ties), default=0)
    most = max(min(LONGEST, (room - wide - left - right - 7) // 2), SHORTEST) if room < PLENTY else PLENTY
    names = max((cell_len(_cut(name, most)) for tie in ties for name in (tie.first, tie.second)), default=0)
    for head, round in zip(heads, table.rounds, strict=True):
        entries = []
        for tie in round.pairings:
            first, second = _cut(tie.first, most), _cut(tie.second, most)
            blank = " " * (names - cell_len(first))
            score = f"{shown(tie.points).rjust(left)} : {shown(tie.games - tie.points).ljust(right)}"
            lot = f", by lot {tie.winner_by_lot}" if tie.winner_by_lot else ""
            entries.append(f"{first}{blank}  {score}  {second}{lot}")
        if round.byes:
            entries.append(f"bye: {', '.join(round.byes)}")
        for place, one in enumerate(entries):
            line = Text("  ").append(("" if place else head).ljust(wide - 2), "dim").append(one)
            line.truncate(room, overflow="ellipsis")
            yield line
    if table.winner is not None:
        line = Text("  ").append("winner".ljust(wide - 2), "dim").append(_cut(table.winner, room - wide), "bold")
        yield line


def _met(score: Score | None, row: Row, other: Row, halves: bool, same: int) -> str:
    if row.name == other.name:
        return "-" + " " * (halves and bool(same))
    if score is None:
        return ""
    whole, half = divmod(score.points, 1)
    points = f"{whole:.0f}" * (not half or whole > 0) + ("½" if half else " " * halves)
    return points if same else f"{points.rstrip()}/{score.games}"


def _fitting(columns: list[_Column], room: int) -> list[_Column]:
    """Columns that fit when names are truncated; names get the remaining width."""
    names = next(column for column in columns if column.head == "player")

    def taken() -> int:
        return sum(column.width + 2 for column in columns if column is not names) + 2

    whole = names.width
    if room < PLENTY:
        while taken() + min(whole, SHORT) > room and any(column.dispensable for column in columns):
            worst = max(column.dispensable for column in columns)
            columns = [column for column in columns if column.dispensable != worst]
        names.cells = [_cut(name, max(min(LONGEST, room - taken()), SHORTEST)) for name in names.cells]
    return columns


def _cut(name: str, room: int) -> str:
    from rich.text import Text

    text = Text(name)
    text.truncate(room, overflow="ellipsis")
    return text.plain


def _drawn(columns: list[_Column], room: int) -> Iterator[Text]:
    from rich.cells import cell_len
    from rich.text import Text

    for number in range(-1, len(columns[0].cells)):
        line = Text("", "dim" if number < 0 else "bold" if number == 0 else "")
        for column in columns:
            cell = column.head if number < 0 else column.cells[number]
            blank = " " * (column.width - cell_len(cell))
            line.append("  " + (cell + blank if column.left else blank + cell))
        line.rstrip()
        line.truncate(room, overflow="ellipsis")
        yield line


# ---- statistics -------------------------------------------------------------------------------------------


def _statistics(table: Standings, sprt: SprtState | None) -> Iterable[tuple[str, str]]:
    if table.games:
        distinct = "all distinct" if table.distinct == table.games else f"{table.distinct:,} distinct"
        share = table.as_max.share
        first = f"; MAX got {100 * share:.1f} % of the points" if share is not None else ""
        yield "games", f"{table.games:,}, {distinct}{first}; {table.plies:.1f} plies on average"
        yield "ended by", ", ".join(f"{ending} {count:,}" for ending, count in table.terminations.items())
    if (gap := table.difference) is not None:
        yield "difference", f"{_gap(table, gap)}; likelihood of superiority {_percent(gap.los)} %"
    byes = [f"{_cut(row.name, LONGEST)}: {row.bye_points:g}" for row in table.rows if row.bye_points]
    if byes:
        yield "byes", f"points for byes: {', '.join(byes)}"
    for row in table.rows:
        for reason, count in row.forfeits.items():
            first_fault = row.failures[reason]
            what = f": {first_fault.detail}" if first_fault.detail.strip() else ""
            where = f"first in game {first_fault.game:,}" if count > 1 else f"in game {first_fault.game:,}"
            yield "failed", f"{_cut(row.name, LONGEST)}: {reason} {count:,}, {where}{what}"
    if sprt is not None:
        yield "SPRT", f"of {_cut(table.names[0], LONGEST)}: {_sprt(sprt)}"
    for note in table.notes:
        yield "note", note


def _gap(table: Standings, gap: Difference) -> str:
    """Elo difference of the first player to the second, with its error."""
    first, second = table.names
    bound = {"": "", ">": "at least about ", "<": "at most about "}[table.row(first).bound]
    elo = round(gap.elo, 1) + 0.0  # never -0.0
    return f"{_cut(first, LONGEST)} {bound}{elo:+.1f} ± {gap.error:.1f} Elo against {_cut(second, LONGEST)}"


def _sprt(sprt: SprtState) -> str:
    bounds = f"LLR {sprt.llr:.2f} ({sprt.lower:.2f} to {sprt.upper:.2f})"
    counts = " ".join(map(str, sprt.counts))
    verdict = f"{sprt.verdict} accepted after" if sprt.verdict else "no decision after"
    return f"{verdict} {formatting.plural(sprt.pairs, 'pair')}, {bounds}; pairs of 0, 1/2, 1, 3/2, 2 points: {counts}"


def _points(points: float, halves: bool) -> str:
    return f"{points:,.1f}" if halves else f"{points:,.0f}"


def _elo(row: Row) -> str:
    from zermelo.arena.tables.ratings import elo_text

    return "" if row.elo is None else elo_text(row.elo, row.bound)


def _percent(chance: float) -> str:
    """A probability in percent, never rounded to 0 or 100."""
    return f"{min(max(100 * chance, 0.1), 99.9):.1f}"


def _bar(share: float | None) -> str:
    return "█" * round(BAR * share) if share is not None else ""


def _time(seconds: float | None) -> str:
    return "" if seconds is None else formatting.seconds(seconds)


def _nodes(nodes: float | None) -> str:
    return formatting.rate(nodes) if nodes else ""  # 0: the player does not report nodes
