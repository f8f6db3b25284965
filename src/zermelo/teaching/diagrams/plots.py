"""Plots by matplotlib, labelled, to be read without colour too; ordering experiments among them."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from zermelo.errors import FileError, InputError, MissingDependency
from zermelo.teaching.tree.move_orders import Comparison, DepthCounts

FORMS = ("png", "pdf", "svg")
#: Of lines, told apart by their markers and dashes too.
COLOURS = ("black", "#c44e00", "#00629b", "#3b7d23", "0.45")


def plot_format(path: Path) -> str:
    """The form of a plot by the name of its file.

    Raises `TreeError` for other names, where its folder is not there, and where matplotlib is missing: before any work.
    """
    form = path.suffix.removeprefix(".").lower()
    if form not in FORMS:
        raise InputError(f"{path}: unknown file extension of a plot: expected one of .png .pdf .svg")
    if not path.parent.is_dir():
        raise FileError(f"{path}: directory not found: {path.parent}")
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingDependency("plots need matplotlib: pip install 'zermelo[draw]'") from None
    return form


def of_orders(compared: Comparison, form: str) -> bytes:
    """The leaves that each order reads, as bars; the range of the random orders; the bounds as lines."""

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
        axes.set_yticks(list(places), [_named(bar.order, bar.samples) for bar in bars])
        axes.invert_yaxis()
        axes.set_xscale("log")
        axes.set_xlim(left=0.8, right=compared.minimax.leaves * 2.5)
        if compared.proof is not None:
            label = f"the fewest that prove the value: {compared.proof:,}"
            axes.axvline(compared.proof, color="black", linestyle="--", linewidth=1, label=label)
            axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), frameon=False)
        axes.set_xlabel("leaves read (logarithmic)")
        shape = compared.shape
        of = f"{shape[0]} children a node, {shape[1]} moves deep" if shape else f"{len(compared.tree):,} nodes"
        axes.set_title(f"{compared.convention.algorithm} by the order of children: {of}")
        axes.grid(axis="x", which="major", color="0.85", linewidth=0.6)

    return plotted(draw, form, (7.5, 4.2))


def _named(order: str, samples: int) -> str:
    return order if samples == 1 else f"{order} (mean of {samples})"


def of_depths(rows: Sequence[DepthCounts], title: str, form: str) -> bytes:
    """The leaves of a game's searches by depth, a line for each way of ordering."""

    def draw(axes: Any) -> None:
        depths = [row.depth for row in rows]
        lines: list[tuple[str, list[float | None], str, str]] = [
            ("minimax", [row.minimax.leaves for row in rows], "o", "-"),
            ("alpha-beta, the game's order", [row.given.leaves for row in rows], "s", "-"),
            ("alpha-beta, by evaluation", [row.evaluation.leaves for row in rows], "^", "-."),
            ("alpha-beta, best first", [row.best_first.leaves if row.best_first else None for row in rows], "D", ":"),
            ("minimal tree of a uniform one", [row.minimal for row in rows], "", "--"),
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
        axes.set_ylabel("leaves (logarithmic)")
        axes.set_title(title)
        axes.grid(which="major", color="0.85", linewidth=0.6)
        axes.legend(frameon=False)

    return plotted(draw, form, (7.5, 5.0))


def plotted(draw: Any, form: str, size: tuple[float, float]) -> bytes:
    """The bytes of a figure with one pair of axes; the same each time, and free of the user's own settings."""
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
