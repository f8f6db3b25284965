"""Zermelo: the best move in any two-player game, proven where it can be, and shown why.

    import zermelo

    othello = zermelo.load("othello")
    analysis = zermelo.analyse(othello.parse("f5d6c3"), seconds=2)
    print(analysis.best, analysis.score, analysis.line)

A game is a plain class under the decorator `game`; see `zermelo.core.game` for the contract. Importing the package is
light: compiled code and games are loaded when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from zermelo.api import alphabeta, analyse, analysis, best_move, expectiminimax, minimax, negamax, perft
from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import Evaluation, Nothing, evaluation
from zermelo.core.game import CHANCE, MAX, MIN, State, game
from zermelo.core.value import Weights
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
    "FormatError",
    "GameError",
    "IllegalMove",
    "InputError",
    "LimitError",
    "Line",
    "MissingDependency",
    "Nothing",
    "PositionError",
    "Result",
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
    "analysis",
    "best_move",
    "evaluation",
    "expectiminimax",
    "game",
    "list_games",
    "load",
    "minimax",
    "negamax",
    "perft",
]

_LAZY = {
    "load": "zermelo.registry",
    "list_games": "zermelo.registry:names",
    "Analysis": "zermelo.search.analysis",
    "Line": "zermelo.search.analysis",
    "Score": "zermelo.search.analysis",
    "Engine": "zermelo.search.engine",
    "Event": "zermelo.search.textbook",
    "Result": "zermelo.search.textbook",
}


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'zermelo' has no attribute {name!r}")
    from importlib import import_module

    module, _, attribute = _LAZY[name].partition(":")
    return getattr(import_module(module), attribute or name)
