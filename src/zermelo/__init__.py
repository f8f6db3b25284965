"""Zermelo: best moves in two-player games, proven where possible, and teaching tools for game-tree search.

    import zermelo

    othello = zermelo.load("othello")
    result = zermelo.analyse(othello.parse("f5d6c3"), seconds=2)
    print(result.best, result.score, result.line)

A game is a plain class under the decorator `game`; see `zermelo.core.game` for the contract. Compiled code, games and
subpackages are imported when they are first used, so that `import zermelo` stays light.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zermelo._util.notebooks import mimebundle
from zermelo.api import alphabeta, analyse, analyse_async, analysis, best_move, expectiminimax, minimax, negamax, perft
from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import Evaluation, Nothing, evaluation
from zermelo.core.game import CHANCE, MAX, MIN, State, game, win_in
from zermelo.core.rows import as_list, replaced
from zermelo.core.value import Float32Weights, Int8Weights, Int16Weights, Int32Weights, Weights
from zermelo.errors import (
    EngineFailure,
    FileError,
    FormatError,
    GameError,
    IllegalMove,
    InputError,
    LimitError,
    MissingDependency,
    PositionError,
    SearchTimeout,
    StoreError,
    TreeError,
    UnknownGame,
    ZermeloError,
)

if TYPE_CHECKING:
    from zermelo.registry import load
    from zermelo.registry import names as list_games
    from zermelo.search.analysis import Analysis, Line, Score
    from zermelo.search.engine import Engine
    from zermelo.search.limits import Limits
    from zermelo.search.mcts.engine import MonteCarlo
    from zermelo.search.rollouts import Rollout, rollout
    from zermelo.search.textbook import Event, Result

__version__ = "0.1.0"

__all__ = [
    "CHANCE",
    "MAX",
    "MIN",
    "Analysis",
    "Bitboard",
    "Engine",
    "EngineFailure",
    "Evaluation",
    "Event",
    "FileError",
    "Float32Weights",
    "FormatError",
    "GameError",
    "IllegalMove",
    "InputError",
    "Int8Weights",
    "Int16Weights",
    "Int32Weights",
    "LimitError",
    "Limits",
    "Line",
    "MissingDependency",
    "MonteCarlo",
    "Nothing",
    "PositionError",
    "Result",
    "Rollout",
    "Score",
    "SearchTimeout",
    "State",
    "StoreError",
    "TreeError",
    "UnknownGame",
    "Weights",
    "ZermeloError",
    "alphabeta",
    "analyse",
    "analyse_async",
    "analysis",
    "as_list",
    "best_move",
    "evaluation",
    "expectiminimax",
    "game",
    "list_games",
    "load",
    "minimax",
    "negamax",
    "perft",
    "replaced",
    "rollout",
    "save_html",
    "widget",
    "win_in",
]

_LAZY = {
    "load": "zermelo.registry",
    "list_games": "zermelo.registry:names",
    "Analysis": "zermelo.search.analysis",
    "Line": "zermelo.search.analysis",
    "Score": "zermelo.search.analysis",
    "Engine": "zermelo.search.engine",
    "Event": "zermelo.search.textbook",
    "Limits": "zermelo.search.limits",
    "MonteCarlo": "zermelo.search.mcts.engine",
    "save_html": "zermelo.interactive.game_page",
    "widget": "zermelo.interactive.notebook",
    "Result": "zermelo.search.textbook",
    "Rollout": "zermelo.search.rollouts",
    "rollout": "zermelo.search.rollouts",
}
_SUBPACKAGES = ("arena", "drawing", "formats", "search", "solve", "teaching", "testing")


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _SUBPACKAGES:
        return import_module(f"zermelo.{name}")
    if name not in _LAZY:
        raise AttributeError(f"module 'zermelo' has no attribute {name!r}")
    module, _, attribute = _LAZY[name].partition(":")
    return getattr(import_module(module), attribute or name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_SUBPACKAGES})


def _board_svg(state: State) -> str:
    """Show a state in notebooks as its board."""
    from importlib import import_module

    svg: str = import_module("zermelo.drawing").draw(state)._repr_svg_()
    return svg


# Set here because `zermelo.core` imports neither `zermelo.drawing` nor widgets.
State._repr_svg_ = _board_svg
State._repr_mimebundle_ = mimebundle
