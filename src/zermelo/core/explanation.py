"""An evaluation of a position term by term, with the squares of the pieces that each term counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from zermelo.core.evaluation import Evaluation, Term, checked_score, evaluation_name, resolve_evaluation
from zermelo.core.game import CHANCE, State
from zermelo.core.picture import Grid
from zermelo.core.validation import validate_root
from zermelo.errors import GameError

#: Pieces that are taken off the board one by one; a full board of Go has more.
MAX_PIECES = 150


@dataclass(frozen=True)
class Explanation:
    """The score of a position and what it is the sum of.

    Attributes
    ----------
    evaluation : str
        Name of the evaluation.
    terms : list of Term
        The terms; none in a finished game.
    score : int
        The score from MAX's side; the utility of a finished game.
    mixture : tuple of (int, int) or None
        How the weights of two phases are interpolated; see `Evaluation.mixture`.
    phases : tuple of (str, str) or None
        Names of the two phases.
    """

    evaluation: str
    terms: list[Term]
    score: int
    mixture: tuple[int, int] | None
    phases: tuple[str, str] | None

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "evaluation": self.evaluation,
            "terms": [
                {**term._asdict(), "points": term.points if isinstance(term.points, int) else float(term.points)}
                for term in self.terms
            ],
            "phase": list(self.mixture) if self.mixture else None,
            "score": self.score,
        }


def has_terms(evaluation: Evaluation) -> bool:
    """Whether an evaluation is a sum of terms."""
    return type(evaluation).terms is not Evaluation.terms


def sums_of_terms(state: State) -> dict[str, Evaluation]:
    """The game's evaluations that are sums of terms, by name."""
    return {name: each for name, each in state.evaluations.items() if has_terms(each)}


def explain(state: State, evaluation: str | Evaluation | None = None, game: str = "") -> Explanation:
    """Explain the score of a position.

    Parameters
    ----------
    state : State
        The position.
    evaluation : str or Evaluation, optional
        One of the game's evaluations by name, or any evaluation. Default: the first that is a sum of terms.
    game : str, optional
        Name of the game in messages. Default: that of its class.

    Raises
    ------
    UnknownGame
        If the game has no evaluation of this name.
    GameError
        If the evaluation is not a sum of terms, or the game's code is wrong.
    """
    validate_root(state)
    sums = sums_of_terms(state)
    known = resolve_evaluation(state, evaluation or next(iter(sums or state.evaluations), "nothing"))
    name = evaluation_name(state, known)
    if not has_terms(known):
        there_are = f"{', '.join(sums)} {'is' if len(sums) == 1 else 'are'}" if sums else "none of the game is"
        raise GameError(
            f"{game or type(state).__name__}'s evaluation {name!r} is not a weighted sum of terms; {there_are}"
        )
    if state.is_over():
        return Explanation(name, [], state.utility(), None, None)
    mixture = known.mixture(state)
    return Explanation(
        name, known.terms(state), checked_score(known, state), mixture, known.phase_names if mixture else None
    )


def counted_squares(state: State, evaluation: Evaluation) -> dict[str, list[tuple[int, int]]]:
    """Find the squares of the pieces that the terms of an evaluation count, as (column, row).

    A term counts a piece if one of its counts is smaller without it: the two pawns of a doubled pair, the rook on an
    open file, the stones of a line of four. The game must have `setup_pieces`.

    Returns
    -------
    dict of str to list of (int, int)
        By the names of the terms; terms without squares are left out.
    """
    picture = state.picture()
    if not isinstance(picture, Grid) or not state.setup_pieces() or state.is_over() or state.to_move() == CHANCE:
        return {}
    before = evaluation.terms(state)
    found: dict[str, list[tuple[int, int]]] = {}
    for piece in picture.pieces[:MAX_PIECES]:
        rest = tuple(other for other in picture.pieces if other != piece)
        for old, new in zip(before, _terms_of(state, rest, evaluation), strict=False):
            if old.name == new.name and _is_smaller(new.max, old.max) | _is_smaller(new.min, old.min):
                found.setdefault(old.name, []).append((piece.column, piece.row))
    return found


def _terms_of(state: State, pieces: tuple[Any, ...], evaluation: Evaluation) -> list[Term]:
    """The terms with other pieces on the board; none if the evaluation cannot do without the piece, such as a king."""
    try:
        return evaluation.terms(state.set_up(pieces, state.to_move()))
    except Exception:
        return []


def _is_smaller(new: int | None, old: int | None) -> bool:
    return new is not None and old is not None and new < old
