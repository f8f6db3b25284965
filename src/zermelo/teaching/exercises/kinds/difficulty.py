"""Three levels of difficulty for each kind of exercise, as the options that its generator takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from zermelo.errors import TreeError
from zermelo.teaching.exercises.input_limits import abbreviated
from zermelo.teaching.exercises.kinds import EXPECTIMINIMAX, TREE_SEARCH, KindOptions, kind_of_name
from zermelo.teaching.exercises.kinds.evaluation import EvaluationExercise
from zermelo.teaching.exercises.kinds.game_tree import GameTreeExercise

EASY, MEDIUM, HARD = DIFFICULTIES = ("easy", "medium", "hard")

#: Trees of 15, 20 to 45 and 40 nodes. Chance nodes and null windows make larger ones too long to do by hand.
_TREES: dict[str, Mapping[str, Any]] = {EASY: {"branching": (2, 2)}, MEDIUM: {}, HARD: {"branching": (3, 3)}}
_OPTIONS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    # Four plies have deep cutoffs.
    TREE_SEARCH: _TREES | {HARD: {"branching": (2, 3), "depth": (4, 4)}},
    EXPECTIMINIMAX: _TREES,
    # One term, three terms on a large board, and lines in three directions.
    EvaluationExercise.kind: {EASY: {"game": "tictactoe"}, MEDIUM: {}, HARD: {"game": "connect4"}},
    # About 10, 20 and 30 positions.
    GameTreeExercise.kind: {
        EASY: {"game": "tictactoe", "plies": 6}, MEDIUM: {}, HARD: {"game": "tictactoe", "plies": 5},
    },
}  # fmt: skip


def options_of_difficulty(kind: str, difficulty: str, options: KindOptions | None = None) -> KindOptions:
    """Return the options of a kind of exercise for a level of difficulty.

    Parameters
    ----------
    kind : str
        Name of the kind.
    difficulty : {'easy', 'medium', 'hard'}
        The level.
    options : KindOptions, optional
        The other options.

    Raises
    ------
    TreeError
        If there is no kind or no level of this name.
    """
    kind_of_name(kind)
    if difficulty not in DIFFICULTIES:
        raise TreeError(f"difficulty must be one of {', '.join(DIFFICULTIES)} (got {abbreviated(difficulty)})")
    return replace(options or KindOptions(), **_OPTIONS.get(kind, _TREES)[difficulty])
