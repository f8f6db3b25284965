"""League pages in HTML, from the templates in `templates/`: the table for the class and a report for each student.

All text from students (file names, output of their programs) is escaped. The pages load and run nothing, follow the
reader's colour scheme, and print; what a colour shows is also given in words or numbers.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zermelo._util.atomic_files import write
from zermelo._util.text import visible
from zermelo.arena.tables.league import League, LeagueGame, Student
from zermelo.arena.tables.ratings import elo_text
from zermelo.arena.tables.standings import Row
from zermelo.errors import FileError

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

#: Directory of the reports, beside the page of the league.
REPORTS = "students"
#: Maximum number of final positions drawn in a report; further lost games are listed.
MAX_BOARDS = 12
#: Maximum number of positions drawn per kind of failure.
MAX_FAILURES = 6


def write_league(league: League, directory: Path, on_progress: Callable[[int, int], None] | None = None) -> None:
    """Write index.html and league.json, and NAME.html and NAME.json of each student.

    Parameters
    ----------
    league : League
        The league.
    directory : Path
        Where to write; created if it does not exist.
    on_progress : callable, optional
        Called with the numbers of written and of all reports.

    Raises
    ------
    FileError
        The directory or a file cannot be written.
    """
    reports = directory / REPORTS
    try:
        reports.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"cannot create {reports}: {error.strerror or error}") from None
    for number, student in enumerate(league.students, 1):
        write(reports / f"{student.name}.html", student_page(league, student))
        write(reports / f"{student.name}.json", _json(student.as_dict(league)))
        if on_progress is not None:
            on_progress(number, len(league.students))
    data = {"plan": league.plan.as_dict(), "over": league.is_over, **league.standings.as_dict()}
    problems = {each.name: each.agent.problem for each in league.students if each.agent.problem is not None}
    write(directory / "league.json", _json({**data, "students": sorted(league.names), "problems": problems}))
    write(directory / "index.html", league_page(league))


def league_page(league: League) -> str:
    """Return the page of the league: table, cross table, failures by kind, and how to read the numbers."""
    table, plan = league.standings, league.plan
    rated = any(row.elo is not None for row in table.rows)
    timed = any(row.moves for row in table.rows)
    reach = max((abs(row.elo) + (row.error or 0) for row in table.rows if row.elo is not None), default=1.0) or 1.0
    head = [("rank", ""), ("player", "text"), ("points", ""), ("games", ""), ("won", ""), ("drawn", ""), ("lost", "")]
    head += [("Elo", ""), ("± 95 %", ""), ("interval", "text drawn"), ("LOS", "")] if rated else []
    head += [("failures", "")]
    head += [("time per move", "")] if timed else []
    terminations = ", ".join(f"{name} {count:,}" for name, count in table.terminations.items())
    unfinished = "" if league.is_over else "; not finished"
    return _render(
        "league.html",
        title=plan.title or "League",
        league=league,
        standings=table,
        summary=[
            ("game", plan.game),
            ("players", f"{len(table.rows)}, round robin, {plan.games} games per pairing"),
            ("time control", plan.control or "none"),
            ("games", f"{table.games:,} played, {table.distinct:,} different{unfinished}"),
            ("terminations", terminations or "none"),
        ],
        reports=REPORTS,
        rated=rated,
        timed=timed,
        head=head,
        cross_head=[("rank", ""), ("player", "text"), *((str(rank), "") for rank in range(1, len(table.rows) + 1))],
        failed=[each for each in league.students if each.failures or each.agent.problem is not None],
        bar_x=lambda elo: f"{55 + 52 * elo / reach:.1f}",
        elo_text=elo_text,
    )


def student_page(league: League, student: Student) -> str:
    """Return a student's report: rank, times, failures, and lost games with their final positions."""
    failures: dict[str, dict[tuple[str, str], list[LeagueGame]]] = {}
    for game in student.failures:  # identical failures are shown once
        failures.setdefault(game.termination, {}).setdefault((game.detail, game.final_position), []).append(game)
    head = [
        ("game", ""), ("opponent", "text"), ("side", "text"), ("result", "text"), ("termination", "text"),
        ("plies", ""), ("mean time", ""), ("slowest", ""), ("moves", "text"),
    ]  # fmt: skip
    return _render(
        "student.html",
        title=f"{student.name}: {league.plan.title or 'League'}",
        league=league,
        student=student,
        summary=_summary(league, student, student.row) if student.row is not None else [],
        failures={name: list(groups.values()) for name, groups in failures.items()},
        lost=[game for game in student.games if game.points == 0 and not game.failed],
        head=head,
        max_boards=MAX_BOARDS,
        max_failures=MAX_FAILURES,
    )


def _summary(league: League, student: Student, row: Row) -> list[tuple[str, str]]:
    score = row.score
    unfinished = "" if league.is_over else " (not finished)"
    results = f"won {score.wins}, drawn {score.draws}, lost {score.losses}"
    facts = [
        ("file", student.agent.file),
        ("rank", f"{row.rank} of {len(league.standings.rows)}{unfinished}"),
        ("points", f"{_points(row.points)} of {score.games}: {results}"),
    ]
    for side in sorted({game.side for game in student.games}):
        games = [game for game in student.games if game.side == side]
        facts.append((f"as {side}", f"{_points(sum(game.points for game in games))} of {len(games)}"))
    if row.elo is not None:
        error = f" ± {row.error:.0f}" if row.error is not None else ""
        facts.append(("Elo", f"{elo_text(row.elo, row.bound)}{error} (the mean of all players is 0)"))
    if row.moves:
        slowest = _duration(student.slowest_move)
        facts.append(("time per move", f"{_duration(row.seconds_per_move)} on average, {slowest} at most"))
        facts.append(("moves", f"{row.moves:,}"))
    if row.forfeits:
        facts.append(("failures", ", ".join(f"{name} {count}" for name, count in row.forfeits.items())))
    return facts


# ---- templates --------------------------------------------------------------------------------------------------


def _render(template: str, **values: Any) -> str:
    return _environment().get_template(template).render(**values)


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    from zermelo.drawing.style import page_variables

    environment = Environment(
        loader=PackageLoader("zermelo.arena.tables"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["page_variables"] = Markup(page_variables())
    environment.filters |= {
        "visible": visible,
        "points": _points,
        "duration": _duration,
        "drawing": _drawing,
        "count": lambda number: f"{number:,}",
        "percent": lambda chance: f"{min(max(100 * chance, 0.1), 99.9):.1f}",
    }
    return environment


def _drawing(game: LeagueGame) -> Markup:
    """Draw the final position; the SVG writer escapes its texts."""
    from markupsafe import Markup

    from zermelo.drawing.drawing import draw
    from zermelo.drawing.options import AUTO

    final, before = game.states
    return Markup(draw(final, before=before, theme=AUTO, standalone=False, prefix=f"g{game.number}-").svg())


def _points(points: float) -> str:
    whole, half = divmod(points, 1)
    return f"{whole:.0f}" * (not half or whole > 0) + "½" * bool(half)


def _duration(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f"{seconds * 1000:.1f} ms" if seconds < 0.0995 else f"{seconds:.2f} s"


def _json(data: object) -> str:
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"
