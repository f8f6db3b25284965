"""Evaluations learned from positions: self-play, fitting, weight files.

from zermelo import learn

learn.generate_positions("othello", "games.positions", games=1000, depths=(4,), solve_plies=14)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from zermelo.learn.bootstrap import Bootstrap, learn_by_generations
    from zermelo.learn.fitting import FitOptions, fit_evaluation
    from zermelo.learn.generation import GenerationSummary, generate_positions
    from zermelo.learn.position_file import Positions, load_positions, save_positions
    from zermelo.learn.report import PhaseError, phase_errors
    from zermelo.learn.self_play import SelfPlay
    from zermelo.learn.spsa import TuneOptions, tune
    from zermelo.learn.td import TdOptions, learn_by_td

# Modules are imported on first use, as in `zermelo.arena`: a worker needs one of them.
_MODULES = {
    "bootstrap": ("Bootstrap", "learn_by_generations"),
    "fitting": ("FitOptions", "fit_evaluation"),
    "generation": ("GenerationSummary", "generate_positions"),
    "position_file": ("Positions", "load_positions", "save_positions"),
    "report": ("PhaseError", "phase_errors"),
    "self_play": ("SelfPlay",),
    "spsa": ("TuneOptions", "tune"),
    "td": ("TdOptions", "learn_by_td"),
}

__all__ = [
    "Bootstrap",
    "FitOptions",
    "GenerationSummary",
    "PhaseError",
    "Positions",
    "SelfPlay",
    "TdOptions",
    "TuneOptions",
    "fit_evaluation",
    "generate_positions",
    "learn_by_generations",
    "learn_by_td",
    "load_positions",
    "phase_errors",
    "save_positions",
    "tune",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
