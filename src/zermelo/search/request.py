"""Search requests: a state, limits and options, checked for all engines in one place."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from zermelo.core.evaluation import Evaluation
from zermelo.core.game import State
from zermelo.core.history import PositionHistory, check_history
from zermelo.core.validation import check_state, validate_root
from zermelo.errors import LimitError
from zermelo.search.limits import Limits


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """A state to search, the limits and the options. The attributes are parameters of `Searcher.analysis`.

    Raises
    ------
    InputError
        If `state` is not a state.
    LimitError
        If `lines` is below 1.
    """

    state: State
    limits: Limits
    evaluation: str | Evaluation | None = None
    lines: int = 1
    history: Sequence[State] | PositionHistory = ()
    moves: Collection[Any] = ()

    def __post_init__(self) -> None:
        check_state(self.state)
        if self.lines < 1:
            raise LimitError(f"lines must be at least 1 (got {self.lines})")

    def root_moves(self, evaluation: Evaluation | None) -> tuple[list[Any], list[Any]]:
        """Validate the state, its evaluation and its history; return the root moves to search, and the excluded ones.

        Raises
        ------
        GameError
            As `zermelo.core.validation.validate_root`.
        LimitError
            If `moves` are not legal, or a state of the history is finished or of another game.
        """
        legal = validate_root(self.state, evaluation)
        check_history(self.history, self.state)
        if not self.moves or not legal:
            return legal, []
        if not set(self.moves) <= set(legal):
            raise LimitError(f"moves must be among the {len(legal)} legal moves")
        return [move for move in legal if move in self.moves], [move for move in legal if move not in self.moves]
