"""Charts of a tournament, drawn with Matplotlib: ratings, cross table, points by round, SPRT."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from zermelo._util.atomic_files import write
from zermelo._util.text import quoted, single_line
from zermelo.arena.game_record import GameResult
from zermelo.arena.sprt import SprtMonitor
from zermelo.arena.tables.ratings import elo_text
from zermelo.arena.tables.standings import Standings
from zermelo.errors import InputError
from zermelo.teaching.diagrams import plots

#: Kinds of charts.
KINDS = ("ratings", "cross", "points", "sprt")
#: Maximum length of a name in a chart; longer names are cut.
MAX_NAME = 24
#: Maximum number of players of a cross table whose cells show numbers.
MAX_NUMBERED = 24
_STYLES = ("-", "--", "-.", ":")
_MARKERS = "os^Dv<>pX*hP"


def check(path: str | Path, kind: str = "ratings") -> None:
    """Raise an error if a chart cannot be drawn: an unknown kind or file format, or Matplotlib is missing."""
    if kind not in KINDS:
        raise InputError(f"no chart {quoted(kind)}; expected one of {', '.join(KINDS)}")
    plots.plot_format(Path(path))


def chart(
    table: Standings,
    path: str | Path,
    kind: str = "ratings",
    *,
    results: Iterable[GameResult] = (),
    monitor: SprtMonitor | None = None,
) -> None:
    """Draw a chart of a tournament into a file.

    Parameters
    ----------
    table : Standings
        The table.
    path : path
        A file named .svg, .png or .pdf.
    kind : str
        One of `KINDS`: "ratings", "cross", "points" or "sprt".
    results : iterable of GameResult
        The results by number; needed for "points".
    monitor : SprtMonitor, optional
        The sequential test; needed for "sprt".

    Raises
    ------
    InputError
        The kind or file format is unknown, or the match has no SPRT.
    MissingDependency
        Matplotlib is not installed.
    FileError
        The file cannot be written.
    """
    check(path, kind)
    form = plots.plot_format(Path(path))
    if kind == "sprt":
        if monitor is None:
            raise InputError("there is no SPRT to be drawn")
        content = sprt(monitor, form)
    else:
        content = (
            {"ratings": ratings, "cross": cross}[kind](table, form)
            if kind != "points"
            else points(table, results, form)
        )
    write(path, content)


def ratings(table: Standings, form: str) -> bytes:
    """Elo with error bars, the best on top; points in per cent if there are no ratings."""
    rows = [row for row in table.rows if row.elo is not None]

    def draw(axes: Any) -> None:
        if not rows:
            _shares(axes, table)
            return
        for place, row in enumerate(rows):
            elo, error = row.elo or 0.0, row.error or 0.0
            axes.errorbar(
                elo, place, xerr=error, color="black", marker="o", markersize=5, capsize=4, linewidth=1.2,
                markerfacecolor="white" if row.bound else "black",
            )  # fmt: skip
            label = elo_text(elo, row.bound) + (f" ± {error:.0f}" if row.error else "")
            axes.annotate(
                label, (elo, place), xytext=(0, 6), textcoords="offset points", horizontalalignment="center",
                fontsize=8,
            )  # fmt: skip
        axes.axvline(0, color="0.6", linewidth=0.8)
        axes.set_yticks(range(len(rows)), [_label(row.name) for row in rows])
        axes.set_ylim(len(rows) - 0.5, -0.7)
        axes.set_xlabel("Elo, with 95 % intervals" + ("; hollow: a bound" if any(row.bound for row in rows) else ""))
        axes.set_title(f"Ratings after {table.games:,} games")
        axes.grid(axis="x", color="0.85", linewidth=0.6)

    return _plot(draw, form, (7.5, 1.4 + 0.34 * max(len(rows), len(table.rows) if not rows else 0, 3)))


def _shares(axes: Any, table: Standings) -> None:
    """Points in per cent as bars."""
    shares = [100 * (row.score.share or 0.0) for row in table.rows]
    axes.barh(range(len(shares)), shares, color="#d9d9d9", edgecolor="black", height=0.62)
    axes.set_yticks(range(len(shares)), [_label(row.name) for row in table.rows])
    axes.set_ylim(len(shares) - 0.5, -0.5)
    axes.set_xlim(0, 100)
    axes.set_xlabel("points, per cent of the maximum")
    axes.set_title(f"Points after {table.games:,} games")


def cross(table: Standings, form: str) -> bytes:
    """Cross table in per cent of the points: the darker, the more."""
    names = [row.name for row in table.rows]
    size = len(names)

    def draw(axes: Any) -> None:
        import numpy as np

        shares = np.full((size, size), np.nan)
        for (first, second), score in table.cross.items():
            if score.share is not None:
                shares[names.index(first), names.index(second)] = 100 * score.share
        image = axes.imshow(shares, cmap="Greys", vmin=-15, vmax=115)
        for row in range(size):
            axes.annotate("·", (row, row), horizontalalignment="center", verticalalignment="center", color="0.5")
            for column in range(size if size <= MAX_NUMBERED else 0):
                share = shares[row, column]
                if not np.isnan(share):
                    axes.annotate(
                        f"{share:.0f}", (column, row), horizontalalignment="center", verticalalignment="center",
                        color="white" if share > 70 else "black", fontsize=9 if size <= 12 else 7,
                    )  # fmt: skip
        axes.set_yticks(range(size), [f"{_label(name)}  {place}" for place, name in enumerate(names, 1)])
        axes.set_xticks(range(size), [str(place) for place in range(1, size + 1)])
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        for side in axes.spines.values():
            side.set_color("0.6")
        bar = axes.figure.colorbar(image, ax=axes, shrink=0.7, label="points of the row's player, per cent")
        bar.ax.set_ylim(0, 100)
        axes.set_title(f"Cross table: {table.games:,} games")

    side = 2.6 + 0.42 * min(max(size, 4), 40)
    return _plot(draw, form, (side + 1.6, side))


def points(table: Standings, results: Iterable[GameResult], form: str) -> bytes:
    """Points of each player over the rounds, or over the games if there is one round."""
    games = list(results)
    by_round = len({result.round for result in games}) > 1
    names = [row.name for row in table.rows]
    lines: dict[str, list[tuple[int, float]]] = {name: [(0, 0.0)] for name in names}
    for result in sorted(games, key=lambda each: (each.round, each.number)):
        for side, name in enumerate(result.names):
            line = lines.setdefault(name, [(0, 0.0)])
            last, before = line[-1]
            after = before + (result.points if side == 0 else 1 - result.points)
            place = result.round + 1 if by_round else last + 1
            if place == last:
                line[-1] = (place, after)
            else:
                line.append((place, after))

    def draw(axes: Any) -> None:
        from matplotlib.ticker import MaxNLocator

        marked = max((len(line) for line in lines.values()), default=0) <= 40
        for place, name in enumerate(names):
            line = lines[name]
            axes.plot(
                *zip(*line, strict=True), label=f"{place + 1}  {_label(name)}: {line[-1][1]:g}",
                color=plots.COLOURS[place % len(plots.COLOURS)], linestyle=_STYLES[place % len(_STYLES)],
                marker=_MARKERS[place % len(_MARKERS)] if marked else None, markersize=4, markerfacecolor="white",
                linewidth=1.2,
            )  # fmt: skip
        axes.set_xlabel("round" if by_round else "games of each player")
        axes.set_ylabel("points")
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_xlim(left=0)
        axes.set_ylim(bottom=0)
        axes.set_title(f"Points over {table.games:,} games")
        axes.grid(color="0.85", linewidth=0.6)
        axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0), fontsize=8)

    return _plot(draw, form, (8.5, max(4.2, 0.9 + 0.2 * len(names))))


def sprt(monitor: SprtMonitor, form: str) -> bytes:
    """LLR after each game pair, with the bounds of the test."""
    test, state = monitor.sprt, monitor.state

    def draw(axes: Any) -> None:
        path = [0.0, *monitor.llr_path]
        axes.plot(range(len(path)), path, color="black", linewidth=1.2)
        axes.plot(len(path) - 1, path[-1], color="black", marker="o", markersize=5)
        for bound, label in (
            (test.upper, f"H1: {test.elo1:g} Elo or more"),
            (test.lower, f"H0: {test.elo0:g} or less"),
        ):
            axes.axhline(bound, color="#c44e00" if bound > 0 else "#00629b", linestyle="--", linewidth=1.2)
            axes.annotate(
                f"{label} ({bound:+.2f})", (0, bound), xytext=(4, 4 if bound > 0 else -12), textcoords="offset points",
                fontsize=9,
            )  # fmt: skip
        axes.axhline(0, color="0.6", linewidth=0.8)
        low, high = min(test.lower, *path), max(test.upper, *path)
        axes.set_ylim(low - 0.18 * (high - low), high + 0.18 * (high - low))
        axes.set_xlim(0, max(len(path) - 1, 1) * 1.02)
        axes.set_xlabel("game pairs")
        axes.set_ylabel("log-likelihood ratio")
        label = f"{state.verdict} accepted" if state.verdict else "undecided"
        axes.set_title(f"SPRT of {_label(monitor.player)}: {label} after {state.pairs:,} pairs")
        axes.grid(color="0.9", linewidth=0.6)

    return _plot(draw, form, (7.5, 4.2))


def _plot(draw: Callable[[Any], None], form: str, size: tuple[float, float]) -> bytes:
    """Plot without warnings about characters that no font has."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from", category=UserWarning)
        return plots.plotted(draw, form, size)


def _label(name: str) -> str:
    """Return a name that Matplotlib draws as text, not as a formula."""
    cut = name if len(name) <= MAX_NAME else name[: MAX_NAME - 1] + "…"
    return single_line(cut).replace("$", r"\$")
