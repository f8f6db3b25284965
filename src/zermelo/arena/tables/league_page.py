"""A league as pages of HTML: the table for the class, and a report for each student. No scripts, nothing is loaded.

Everything that comes from students (names of files, what their programs said) is text here, whatever is in it. The
pages follow the reader's screen, light or dark, and print; what a colour tells stands there in words or numbers too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from html import escape
from pathlib import Path
from urllib.parse import quote

from zermelo._util.atomic_files import write as write_file
from zermelo.arena.tables.league import Game, League, Student
from zermelo.arena.tables.ratings import elo_text
from zermelo.arena.tables.standings import Row, Standings
from zermelo.errors import FileError

#: The folder of the reports, beside the page of the league.
REPORTS = "students"
#: So many last positions are drawn in a report; of later games the text is told.
DRAWN = 12
#: And so many for each way in which a program failed.
FAILURES = 6

_STYLE = """
:root { color-scheme: light dark; --ink: #111; --paper: #fff; --soft: #595959; --line: #c8c8c8; --pale: #f3f3f3;
  --link: #0b57a4; --bad: #a3001b; --bar: 17, 17, 17; }
@media (prefers-color-scheme: dark) { :root { --ink: #f0f0f0; --paper: #14171a; --soft: #a8a8a8; --line: #454a50;
  --pale: #22262a; --link: #8ec1ff; --bad: #ff9aa5; --bar: 240, 240, 240; } }
* { box-sizing: border-box; }
body { font: 16px/1.45 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; color: var(--ink); background: var(--paper);
  margin: 0 auto; max-width: 78rem; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0 0 .3rem; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin: 2rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; overflow-wrap: anywhere; }
p { margin: .4rem 0; } a { color: var(--link); }
a:focus-visible, summary:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.soft { color: var(--soft); } .bad { color: var(--bad); font-weight: 600; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--soft); padding-bottom: .3rem; }
th, td { padding: .28rem .5rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
thead th { color: var(--soft); font-weight: 600; vertical-align: bottom; }
tbody th { font-weight: 600; } .text { text-align: left; } .long { white-space: normal; overflow-wrap: anywhere; }
.cross td { text-align: center; min-width: 2.6rem; border: 1px solid var(--line); }
.cross td.strong { color: var(--paper); }
pre, code { font-family: "DejaVu Sans Mono", Consolas, Menlo, monospace; font-size: .9em; }
pre { background: var(--pale); padding: .4rem .6rem; margin: .3rem 0; white-space: pre-wrap; overflow-wrap: anywhere; }
.facts { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: .8rem 0; }
.facts dt { color: var(--soft); } .facts dd { margin: 0; overflow-wrap: anywhere; }
.boards { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: 1.2rem; }
figure { margin: 0; break-inside: avoid; } figure svg { max-width: 100%; height: auto; }
figcaption { overflow-wrap: anywhere; }
svg.bars { display: block; } svg.bars line { stroke: var(--ink); } svg.bars .zero { stroke: var(--line); }
svg.bars circle { fill: var(--ink); } svg.bars circle.bound { fill: var(--paper); stroke: var(--ink); }
@media (max-width: 78rem) { .drawn { display: none; } }
@media print { body { font-size: 10pt; max-width: none; padding: 0; } a { color: inherit; text-decoration: none; }
  :root { --ink: #000; --paper: #fff; --soft: #444; --line: #999; --pale: #fff; --bad: #000; --bar: 0, 0, 0; }
  .wide { overflow: visible; } table { font-size: 8.5pt; } th, td { padding: .2rem .35rem; } .drawn { display: none; }
  .cross td { background: none !important; } .cross td.strong { color: var(--ink); font-weight: 600; }
  h2 { break-after: avoid; } tr { break-inside: avoid; } @page { margin: 14mm; } }
"""


def write(league: League, folder: Path, step: Callable[[int, int], None] | None = None) -> None:
    """Write index.html and league.json, and of each student NAME.html and NAME.json, into a folder that is made.

    `step` is told how many reports of how many are written. Raises `ZermeloError` where that cannot be.
    """
    reports = folder / REPORTS
    try:
        reports.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{reports}: {error.strerror or error}; reports cannot be written there") from None
    for number, student in enumerate(league.students, 1):
        write_file(reports / f"{student.name}.html", report(league, student))
        write_file(reports / f"{student.name}.json", _json(student.as_dict(league)))
        if step is not None:
            step(number, len(league.students))
    told = {"plan": league.plan.as_dict(), "over": league.is_over, **league.standings.as_dict()}
    unfit = {each.name: each.agent.unfit for each in league.students if each.agent.unfit is not None}
    write_file(folder / "league.json", _json({**told, "students": sorted(league.names), "unfit": unfit}))
    write_file(folder / "index.html", page(league))


def _json(told: object) -> str:
    return json.dumps(told, indent=1, ensure_ascii=False) + "\n"


# ---- the league -------------------------------------------------------------------------------------------------


def page(league: League) -> str:
    """The page of the league: the table, each against each, who failed how, and what the numbers mean."""
    table, plan = league.standings, league.plan
    control = plan.control or "no limit but the arena's patience"
    facts = [
        ("game", plan.game),
        ("players", f"{len(table.rows)}, each against each, {plan.games} games a pair"),
        ("time", control),
        ("games", f"{table.games:,} played, {table.distinct:,} different" + ("" if league.is_over else "; not over")),
        ("endings", ", ".join(f"{ending} {count:,}" for ending, count in table.endings.items()) or "none"),
    ]
    parts = [
        f"<header><h1>{escape(plan.title or 'League')}</h1></header><main>",
        _facts(facts),
        "<h2>Standings</h2>",
        _standings(league),
    ]
    if len(table.rows) > 1 and table.games:
        parts += ["<h2>Each against each</h2>", _cross(table)]
    failed = [student for student in league.students if student.failures or student.agent.unfit is not None]
    if failed:
        parts += ["<h2>What went wrong</h2>", _failed(failed, league)]
    parts += [
        "<h2>What the numbers mean</h2>",
        "<p>A win is a point, a draw half a point. Elo is by all games, and its mean is 0: who is 100 above another is "
        "expected to get 64 % of the points against it, with 200 it is 76 %. ± is a 95 % interval: two whose intervals "
        "overlap far may be equally strong, and more games would tell. LOS is the likelihood of being stronger than "
        "the next in the table. &gt; and &lt; mark players for whom no finite Elo is the best one, such as one that "
        "won every game.</p>",
        *(f'<p class="soft">{escape(note)}</p>' for note in table.notes),
        "</main>",
    ]
    return _document(plan.title or "League", parts)


def _standings(league: League) -> str:
    table = league.standings
    rated = any(row.elo is not None for row in table.rows)
    timed = any(row.moves for row in table.rows)
    reach = max((abs(row.elo) + (row.error or 0) for row in table.rows if row.elo is not None), default=1.0) or 1.0
    head = [("rank", ""), ("player", "text"), ("points", ""), ("games", ""), ("won", ""), ("drawn", ""), ("lost", "")]
    head += [("Elo", ""), ("± 95 %", ""), ("interval", "text drawn"), ("LOS", "")] if rated else []
    head += [("failed", "")]
    head += [("time a move", "")] if timed else []
    rows = []
    for row in table.rows:
        score = row.score
        cells = [
            f"<td>{row.rank}</td>",
            f'<th scope="row" class="text">{_linked(row.name, league)}</th>',
            f"<td><strong>{_points(row.points)}</strong></td>",
            *(f"<td>{number:,}</td>" for number in (score.games, score.wins, score.draws, score.losses)),
        ]
        if rated:
            elo = "" if row.elo is None else escape(elo_text(row.elo, row.bound))
            error = "" if row.error is None else f"{row.error:.0f}"
            los = "" if row.los is None else f"{min(max(100 * row.los, 0.1), 99.9):.1f} %"
            cells += [
                f"<td>{elo}</td>",
                f"<td>{error}</td>",
                f'<td class="text drawn">{_bar(row, reach)}</td>',
                f"<td>{los}</td>",
            ]
        lost = sum(row.forfeits.values())
        cells.append(f'<td class="bad">{lost}</td>' if lost else "<td></td>")
        if timed:
            cells.append(f"<td>{_time(row.seconds_a_move)}</td>")
        rows.append(f"<tr>{''.join(cells)}</tr>")
    return _table("Failed: games lost by a failure of its own. Names lead to reports.", head, rows)


def _bar(row: Row, reach: float) -> str:
    """Elo and its interval as a line; the numbers stand beside it."""
    if row.elo is None:
        return ""
    middle, low, high = (55 + 52 * (row.elo + away) / reach for away in (0.0, -(row.error or 0.0), row.error or 0.0))
    bound = ' class="bound"' if row.bound else ""
    return (
        '<svg class="bars" width="110" height="16" viewBox="0 0 110 16" aria-hidden="true">'
        '<line class="zero" x1="55" x2="55" y1="0" y2="16"/>'
        f'<line x1="{low:.1f}" x2="{high:.1f}" y1="8" y2="8"/>'
        f'<circle{bound} cx="{middle:.1f}" cy="8" r="3.5"/></svg>'
    )


def _cross(table: Standings) -> str:
    names = [row.name for row in table.rows]
    head = [("rank", ""), ("player", "text"), *((str(place), "") for place in range(1, len(names) + 1))]
    rows = []
    for place, name in enumerate(names, 1):
        cells = []
        for other in names:
            score = table.cross.get((name, other))
            if name == other or score is None or score.share is None:
                cells.append(f'<td class="soft">{"–" if name == other else ""}</td>')
                continue
            strong = ' class="strong"' if score.share > 0.6 else ""
            title = f"{name} against {other}: {_points(score.points)} of {score.games}"
            shade = f"background: rgba(var(--bar), {0.85 * score.share:.2f})"
            cells.append(f'<td{strong} style="{shade}" title="{escape(title)}">{_points(score.points)}</td>')
        rows.append(
            f'<tr><td class="soft">{place}</td><th scope="row" class="text">{escape(name)}</th>{"".join(cells)}</tr>'
        )
    return _table(
        "Points of the row's player against that of the column; the more, the stronger the shade.", head, rows, "cross"
    )


def _failed(students: Iterable[Student], league: League) -> str:
    """Who failed in which way, and how often; what exactly happened is between the report and its reader."""
    rows = []
    for student in students:
        reasons = {"could not take part": 0} if student.row is None else student.row.forfeits
        for reason, count in reasons.items():
            rows.append(
                f'<tr><th scope="row" class="text">{_linked(student.name, league)}</th>'
                f'<td class="text">{escape(reason)}</td><td>{count or ""}</td></tr>'
            )
    head = [("player", "text"), ("what", "text"), ("games", "")]
    return _table("Games lost by a failure of its own; the reports tell what happened.", head, rows)


def _linked(name: str, league: League) -> str:
    return f'<a href="{REPORTS}/{quote(name)}.html">{escape(name)}</a>' if name in league.names else escape(name)


# ---- a student --------------------------------------------------------------------------------------------------


def report(league: League, student: Student) -> str:
    """A student's report: the place, the time used, what went wrong, the lost games with their last positions."""
    plan, row = league.plan, student.row
    title = f"{student.name}: {plan.title or 'league'}"
    parts = [
        f'<nav><a href="../index.html">{escape(plan.title or "League")}</a></nav>',
        f"<header><h1>{escape(student.name)}</h1></header><main>",
    ]
    if row is None or student.agent.unfit is not None:
        why = student.agent.unfit or "it has not played"
        parts += [f'<p class="bad">Could not take part.</p><pre>{escape(_plain(why))}</pre></main>']
        return _document(title, parts)
    parts += [_facts(_of_row(league, student, row))]
    if student.failures:
        parts += ["<h2>What went wrong</h2>", _failures(student.failures)]
    lost = [game for game in student.games if game.points == 0 and not game.failed]
    if lost:
        parts += ["<h2>Lost games</h2>", _boards(lost[:DRAWN], student)]
        if len(lost) > DRAWN:
            parts.append(f"<p>{len(lost) - DRAWN} more are in the list below.</p>")
    if student.games:
        parts += ["<h2>All games</h2>", _games(student.games)]
    return _document(title, [*parts, "</main>"])


def _of_row(league: League, student: Student, row: Row) -> list[tuple[str, str]]:
    score = row.score
    facts = [
        ("file", student.agent.file),
        ("rank", f"{row.rank} of {len(league.standings.rows)}" + ("" if league.is_over else " (not over)")),
        (
            "points",
            f"{_points(row.points)} of {score.games}: won {score.wins}, drawn {score.draws}, lost {score.losses}",
        ),
    ]
    sides = {game.side for game in student.games}
    for side in sorted(sides):
        games = [game for game in student.games if game.side == side]
        facts.append((f"as {side}", f"{_points(sum(game.points for game in games))} of {len(games)}"))
    if row.elo is not None:
        error = f" ± {row.error:.0f}" if row.error is not None else ""
        facts.append(("Elo", f"{elo_text(row.elo, row.bound)}{error} (the mean of all is 0)"))
    if row.moves:
        facts.append(("time", f"{_time(row.seconds_a_move)} a move on average, {_time(student.most)} at most"))
        facts.append(("moves", f"{row.moves:,}"))
    if row.forfeits:
        facts.append(("failed", ", ".join(f"{reason} {count}" for reason, count in row.forfeits.items())))
    return facts


def _failures(games: Sequence[Game]) -> str:
    """The games lost by a failure, by the reason; those that ended alike are shown once."""
    parts = []
    reasons: dict[str, dict[tuple[str, str], list[Game]]] = {}
    for game in games:
        reasons.setdefault(game.termination, {}).setdefault((game.detail, game.last), []).append(game)
    for ending, alike in reasons.items():
        count = sum(map(len, alike.values()))
        parts.append(f"<h3>{escape(ending)}: {count} game{'s' * (count > 1)}</h3>")
        figures = []
        for (detail, _), same in list(alike.items())[:FAILURES]:
            first = same[0]
            told = ", ".join(str(game.number) for game in same[1:20]) + (" ..." if len(same) > 20 else "")
            also = f"; the same in game{'s' * (len(same) > 2)} {told}" if told else ""
            said = f"<pre>{escape(_plain(detail))}</pre>" if detail else ""
            figures.append(_figure(first, f"Game {first.number}, {first.side} against {first.other}{also}", said))
        parts.append(f'<div class="boards">{"".join(figures)}</div>')
        if len(alike) > FAILURES:
            parts.append(f"<p>{len(alike) - FAILURES} more such positions are in the list below.</p>")
    return "".join(parts)


def _boards(games: Sequence[Game], student: Student) -> str:
    figures = []
    for game in games:
        how = game.termination if game.termination != "rules" else "by the rules"
        detail = f": {game.detail}" if game.detail else ""
        caption = f"Game {game.number}, {game.side} against {game.other}; {how}{detail}; {game.plies} plies"
        figures.append(_figure(game, caption))
    return f'<div class="boards">{"".join(figures)}</div>'


def _figure(game: Game, caption: str, more: str = "") -> str:
    """The last position, drawn; `more` is HTML."""
    from zermelo.drawing.drawing import draw
    from zermelo.drawing.options import AUTO

    last, before = game.states
    picture = draw(last, before=before, theme=AUTO, standalone=False, prefix=f"g{game.number}-").svg()
    return f"<figure>{picture}<figcaption>{escape(_plain(caption))}{more}</figcaption></figure>"


def _games(games: Sequence[Game]) -> str:
    head = [
        ("game", ""), ("against", "text"), ("as", "text"), ("result", "text"), ("ending", "text"), ("plies", ""),
        ("mean", ""), ("slowest", ""), ("moves", "text"),
    ]  # fmt: skip
    rows = []
    for game in games:
        whose = " (its own)" if game.failed else " (the other)" if game.other_failed else ""
        lost = ' class="text bad"' if game.failed else ' class="text"'
        line = escape(_plain(game.line)) or "none"
        rows.append(
            f'<tr><td>{game.number}</td><th scope="row" class="text">{escape(game.other)}</th>'
            f'<td class="text">{escape(game.side)}</td><td class="text">{game.result}</td>'
            f"<td{lost}>{escape(game.termination)}{whose}</td>"
            f"<td>{game.plies}</td><td>{_time(game.seconds / game.moves if game.moves else None)}</td>"
            f"<td>{_time(game.most if game.moves else None)}</td>"
            f'<td class="text long"><details><summary>show</summary><code>{line}</code></details></td></tr>'
        )
    return _table("Times are of its own moves.", head, rows)


# ---- pieces -----------------------------------------------------------------------------------------------------


def _document(title: str, parts: Iterable[str]) -> str:
    # The policy lets nothing be loaded or run, whatever a mistake in the pages might let through.
    policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f"<title>{escape(_plain(title))}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n"
        + "\n".join(parts)
        + "\n</body>\n</html>\n"
    )


def _table(caption: str, head: Sequence[tuple[str, str]], rows: Iterable[str], kind: str = "") -> str:
    cells = "".join(f'<th scope="col" class="{how}">{escape(name)}</th>' for name, how in head)
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{escape(caption)}"><table class="{kind}">'
        f"<caption>{escape(caption)}</caption><thead><tr>{cells}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>"
    )


def _facts(facts: Iterable[tuple[str, str]]) -> str:
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(_plain(value))}</dd>" for name, value in facts)
    return f'<dl class="facts">{rows}</dl>'


def _plain(text: str) -> str:
    """Without signs that would move the text about them: controls, and those that turn the direction of writing."""
    return "".join(sign if sign.isprintable() or sign == "\n" else "\ufffd" for sign in text)


def _points(points: float) -> str:
    whole, half = divmod(points, 1)
    return f"{whole:.0f}" * (not half or whole > 0) + "½" * bool(half)


def _time(seconds: float | None) -> str:
    if seconds is None:
        return ""
    return f"{seconds * 1000:.1f} ms" if seconds < 0.0995 else f"{seconds:.2f} s"
