"""Plots of experiments (move ordering, exploitability), by matplotlib, readable without colour."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from zermelo._util.atomic_files import check_path
from zermelo.drawing.raster import require_matplotlib
from zermelo.errors import InputError
from zermelo.teaching.tree.move_orders import Comparison, DepthCounts

FORMS = ("png", "pdf", "svg")
#: Line colours; lines also differ in markers and dashes.
COLOURS = ("black", "#c44e00", "#00629b", "#3b7d23", "0.45")


def plot_format(path: Path) -> str:
    """The format of a plot by the extension of its file. Called before the computation, so that errors come early.

    Raises
    ------
    InputError
        If the extension is unknown.
    FileError
        If the directory does not exist.
    MissingDependency
        If matplotlib is not installed.
    """
    form = path.suffix.removeprefix(".").lower()
    if form not in FORMS:
        raise InputError(f"{path}: unknown file extension of a plot: expected one of .png .pdf .svg")
    check_path(path)
    require_matplotlib("plots need")
    return form


def plot_orders(compared: Comparison, form: str) -> bytes:
    """A bar chart of the leaves evaluated in each order, with the range of the random orders and the minimum."""

    def draw(axes: Any) -> None:
        bars = [compared.minimax, *compared.results]
        places = range(len(bars))
        hatches = ["", "//", "", "xx", "..", "\\\\"]
        drawn = axes.barh(places, [bar.leaves for bar in bars], color="#d9d9d9", edgecolor="black", height=0.62)
        for patch, hatch in zip(drawn, hatches, strict=False):
            patch.set_hatch(hatch)
        for place, bar in enumerate(bars):
            axes.annotate(
                f"{bar.leaves:,.0f}",
                (max(bar.leaves, bar.max_leaves), place),
                xytext=(6, 0),
                textcoords="offset points",
                verticalalignment="center",
            )
            if bar.samples > 1:
                axes.plot([bar.min_leaves, bar.max_leaves], [place, place], color="black", marker="|", linewidth=1.2)
        axes.set_yticks(list(places), [_order_label(bar.order, bar.samples) for bar in bars])
        axes.invert_yaxis()
        axes.set_xscale("log")
        axes.set_xlim(left=0.8, right=compared.minimax.leaves * 2.5)
        if compared.proof is not None:
            label = f"minimum to prove the value: {compared.proof:,}"
            axes.axvline(compared.proof, color="black", linestyle="--", linewidth=1, label=label)
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), frameon=False)
        axes.set_xlabel("leaves evaluated (log scale)")
        shape = compared.shape
        of = f"branching {shape[0]}, depth {shape[1]}" if shape else f"{len(compared.tree):,} nodes"
        axes.set_title(f"{compared.convention.algorithm} by order of children: {of}")
        axes.grid(axis="x", which="major", color="0.85", linewidth=0.6)

    return plotted(draw, form, (7.5, 4.2))


def _order_label(order: str, samples: int) -> str:
    return order if samples == 1 else f"{order} (mean of {samples})"


def plot_depths(rows: Sequence[DepthCounts], title: str, form: str) -> bytes:
    """A line chart of the leaves evaluated by depth, with one line per move order."""

    def draw(axes: Any) -> None:
        depths = [row.depth for row in rows]
        lines: list[tuple[str, list[float | None], str, str]] = [
            ("minimax", [row.minimax.leaves for row in rows], "o", "-"),
            ("alpha-beta, the game's order", [row.given.leaves for row in rows], "s", "-"),
            ("alpha-beta, by evaluation", [row.evaluation.leaves for row in rows], "^", "-."),
            ("alpha-beta, best first", [row.best_first.leaves if row.best_first else None for row in rows], "D", ":"),
            ("minimal tree, if uniform", [row.minimal for row in rows], "", "--"),
        ]
        for (name, counts, marker, style), colour in zip(lines, COLOURS, strict=True):
            known = [(depth, count) for depth, count in zip(depths, counts, strict=True) if count is not None]
            if known:
                depth, count = known[-1]
                label = f"{name}: {count:,.0f} at depth {depth}"
                axes.plot(
                    *zip(*known, strict=True), label=label, marker=marker or None, linestyle=style, color=colour,
                    markerfacecolor="white",
                )  # fmt: skip
        axes.set_yscale("log")
        axes.set_xticks(depths)
        axes.set_xlabel("depth in plies")
        axes.set_ylabel("leaves evaluated (log scale)")
        axes.set_title(title)
        axes.grid(which="major", color="0.85", linewidth=0.6)
        axes.legend(frameon=False)

    return plotted(draw, form, (7.5, 5.0))


def plot_exploitability(points: Sequence[tuple[int, float]], title: str, form: str) -> bytes:
    """A line chart of exploitability by iterations, both on log scales."""

    def draw(axes: Any) -> None:
        shown = [(iterations, value) for iterations, value in points if value > 0]
        axes.plot(*zip(*shown, strict=True), marker="o", markerfacecolor="white", color=COLOURS[0])
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("iterations")
        axes.set_ylabel("exploitability (mean of both players)")
        axes.set_title(title)
        axes.grid(which="major", color="0.85", linewidth=0.6)

    return plotted(draw, form, (7.5, 4.5))


def plot_errors(plies: Sequence[int], curves: Mapping[str, Sequence[float]], title: str, unit: str, form: str) -> bytes:
    """A line chart of mean errors by the first ply of a phase; at most three curves, by name."""

    def draw(axes: Any) -> None:
        for (name, errors), style, colour in zip(curves.items(), ("o-", "s--", "^:"), COLOURS, strict=False):
            axes.plot(plies, errors, style, markerfacecolor="white", color=colour, label=name)
        axes.set_ylim(bottom=0)
        axes.set_xlabel("ply")
        axes.set_ylabel(f"mean absolute error, in {unit}")
        axes.set_title(title)
        axes.grid(which="major", color="0.85", linewidth=0.6)
        axes.legend(frameon=False)

    return plotted(draw, form, (7.5, 4.5))


def plot_parameters(
    names: Sequence[str], history: Sequence[Sequence[float]], title: str, form: str
) -> bytes:  # fmt: skip
    """A line chart of parameters by pairs of games, each as a fraction of its first value."""

    def draw(axes: Any) -> None:
        for index, name in enumerate(names):
            first = history[0][index] or 1.0
            values = [row[index] / first for row in history]
            axes.plot(range(1, len(values) + 1), values, color=COLOURS[index % len(COLOURS)], label=name)
        axes.set_xlabel("pairs of games")
        axes.set_ylabel("fraction of the first value")
        axes.set_title(title)
        axes.grid(which="major", color="0.85", linewidth=0.6)
        axes.legend(frameon=False)

    return plotted(draw, form, (7.5, 4.5))


def plotted(draw: Any, form: str, size: tuple[float, float]) -> bytes:
    """Render a figure with one pair of axes, independent of the user's matplotlib settings and deterministic."""
    import matplotlib
    from matplotlib.figure import Figure

    about: dict[str, dict[str, Any]] = {
        "png": {"Software": None},
        "pdf": {"Creator": None, "Producer": None, "CreationDate": None},
        "svg": {"Creator": None, "Date": None},
    }
    settings = {
        **matplotlib.rcParamsDefault, "svg.fonttype": "none", "svg.hashsalt": "zermelo", "pdf.fonttype": 42,
        "backend": "agg",
    }  # fmt: skip
    with matplotlib.rc_context(settings):
        figure = Figure(figsize=size, dpi=144, layout="constrained")
        draw(figure.add_subplot())
        file = io.BytesIO()
        figure.savefig(file, format=form, metadata=about[form])
    return file.getvalue()
