"""Exercises on static evaluation: compute E(s) = w1 f1(s) + w2 f2(s) + ... for a drawn position.

References
----------
C. E. Shannon, "Programming a Computer for Playing Chess", Philosophical Magazine 41 (1950).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, cast

from zermelo.core.evaluation import Evaluation, Term, checked_score, resolve_evaluation
from zermelo.core.game import MAX, MIN, State
from zermelo.core.validation import validate_root
from zermelo.errors import TreeError
from zermelo.formatting import does, side
from zermelo.registry import title
from zermelo.teaching.exercises.exercise import optional_text
from zermelo.teaching.exercises.generator import Unsuitable
from zermelo.teaching.exercises.kinds.item_marking import Entries, Rival
from zermelo.teaching.exercises.kinds.items import NUMBER, SINGLE, TABLE, ItemExercise, ItemSpec, Part, read_name
from zermelo.teaching.exercises.kinds.positions import PlainBoard, load_game, parse_position, random_position
from zermelo.teaching.tree.numbers import Number, format_number

MAX_COUNTS, MIN_COUNTS, POINTS, TOTAL = "max", "min", "points", "evaluation"

#: Moves that are played before the position, by game; `DEFAULT_PLIES` elsewhere.
PLIES = {"tictactoe": (2, 5), "connect4": (6, 16), "othello": (20, 44), "checkers": (10, 30), "chess": (12, 40)}
DEFAULT_PLIES = (6, 16)
#: Maximum number of terms: more are too much work by hand.
MAX_TERMS = 12


@dataclass(frozen=True, kw_only=True)
class EvaluationExercise(ItemExercise):
    """Compute the evaluation of a position, term by term.

    Parameters
    ----------
    game : str
        Name of the game.
    position : State
        An unfinished position.
    evaluation : str
        Name of one of the game's evaluations, a sum of terms with one weight each.

    Raises
    ------
    TreeError
        If the evaluation is not such a sum, or has too many terms.
    """

    game: str
    position: State
    evaluation: str

    kind: ClassVar[str] = "evaluation"
    DEFAULT_MARKS: ClassVar[Mapping[str, int]] = {MAX_COUNTS: 6, MIN_COUNTS: 6, POINTS: 4, TOTAL: 4}
    DEFAULT_TITLE: ClassVar[str] = "Evaluate a position"
    key_name: ClassVar[str] = "term"

    def __post_init__(self) -> None:
        self.check_marks()
        if self.position.is_over():
            raise TreeError(f"exercise: the game is over in the position {str(self.position)[:80]!r}")
        validate_root(self.position)
        if not self.position.evaluations:
            raise TreeError(f"exercise: {self.game} has no evaluation; choose another game")
        problem = unsuitable(self.scorer, self.position)
        if problem:
            suitable = [name for name, each in self.position.evaluations.items() if not unsuitable(each, self.position)]
            hint = f"; choose {' or '.join(suitable)}" if suitable else ""
            raise TreeError(f"exercise: {self.game}'s evaluation {self.evaluation} {problem}{hint}")

    @cached_property
    def scorer(self) -> Evaluation:
        """The evaluation."""
        return resolve_evaluation(self.position, self.evaluation)

    @cached_property
    def terms(self) -> list[Term]:
        """The terms of the evaluation in the position."""
        return self.scorer.terms(self.position)

    @property
    def statement(self) -> list[str]:
        ours, theirs = (self.position.player_name(player) for player in (MAX, MIN))
        return [
            f"Compute the evaluation E(s) of the position of {title(self.game)} by hand. MAX is {ours}, MIN is "
            f"{theirs}; {does(side(self.position), 'are', 'is')} to move.",
            "E(s) is the sum of the points of all terms. The points of a term are its weight times (its count for MAX "
            "- its count for MIN).",
            *self._meanings(),
        ]

    def _meanings(self) -> list[str]:
        """What each term counts."""
        if (self.game, self.evaluation) == ("othello", "wdiff"):  # its terms are the squares of each weight
            squares: dict[int, list[str]] = {}
            for square, weight in enumerate(cast(Any, self.scorer).weights.tolist()):
                squares.setdefault(weight, []).append(self.position.move_name(square))
            return [f"{term.name}: discs on {', '.join(squares[term.weights[0]])}." for term in self.terms]
        table = getattr(self.scorer, "table", ())
        return [f"{row.name}: {row.meaning}." for row in table if row.meaning != row.name]

    def all_parts(self) -> list[Part]:
        ours, theirs = (self.position.player_name(player) for player in (MAX, MIN))
        terms = self.terms
        counts_of_max = {term.name: term.max for term in terms}
        counts_of_min = {term.name: term.min for term in terms}
        points = {term.name: term.points for term in terms}
        products = {term.name: f"{term.weights[0]} * ({term.max} - {term.min})" for term in terms}
        total = {"": checked_score(self.scorer, self.position)}
        addends = " + ".join(format_number(term.points) for term in terms).replace("+ -", "- ")
        return [
            Part(MAX_COUNTS, f"Count each term for MAX ({ours}).", TABLE, NUMBER, counts_of_max),
            Part(MIN_COUNTS, f"Count each term for MIN ({theirs}).", TABLE, NUMBER, counts_of_min),
            Part(POINTS, "Compute the points of each term.", TABLE, NUMBER, points, products),
            Part(TOTAL, "Compute E(s).", SINGLE, NUMBER, total, {"": addends} if len(terms) > 1 else {}),
        ]

    def after(self, part: str, key: str, entry: Any, written: Entries) -> Entries | None:
        """Points follow from counts, and the total from points."""
        term = next((term for term in self.terms if term.name == key), None)
        if term is None or part not in (MAX_COUNTS, MIN_COUNTS, POINTS):
            return None
        ours = entry if part == MAX_COUNTS else _count(term.max)
        theirs = entry if part == MIN_COUNTS else _count(term.min)
        points = entry if part == POINTS else term.weights[0] * (ours - theirs)
        return {
            POINTS: {each.name: points if each is term else each.points for each in self.terms},
            TOTAL: {"": checked_score(self.scorer, self.position) + points - term.points},
        }

    def rivals(self) -> Iterator[Rival]:
        def counted(skill: str, points: Callable[[Term], Number]) -> Rival:
            by_term = {term.name: points(term) for term in self.terms}
            return Rival(skill, {POINTS: by_term, TOTAL: {"": sum(by_term.values())}})

        yield counted("weights", lambda term: _count(term.max) - _count(term.min))
        yield counted("the opponent's counts", lambda term: term.weights[0] * _count(term.max))
        yield counted("differences of counts", lambda term: term.weights[0] * (_count(term.max) + _count(term.min)))
        swapped = counted("who MAX is", lambda term: -term.points)
        counts = {MAX_COUNTS: {t.name: t.min for t in self.terms}, MIN_COUNTS: {t.name: t.max for t in self.terms}}
        yield swapped._replace(entries={**swapped.entries, **counts})

    def hint(self, part: str, key: str) -> str:
        if part == TOTAL:
            return "Add the points of all terms."
        term = next((term for term in self.terms if term.name == key), None)
        if term is None:
            return ""
        if part == POINTS:
            return f"{key}: multiply the weight {term.weights[0]} by the count for MAX minus the count for MIN."
        player = MAX if part == MAX_COUNTS else MIN
        meaning = next((text for text in self._meanings() if text.startswith(f"{key}: ")), "")
        of = f"{key} for {self.position.player_name(player)}"
        return f"Count {of} ({meaning[len(key) + 2 : -1]})." if meaning else f"Count {of}."

    def given_columns(self) -> Mapping[str, Mapping[str, str]]:
        return {"weight": {term.name: str(term.weights[0]) for term in self.terms}}

    def drawn(self, *, solution: bool) -> PlainBoard:
        return PlainBoard(self.position)

    def measures(self) -> Iterator[tuple[str, Number]]:
        yield "terms", sum(bool(term.max or term.min) for term in self.terms)
        yield "counted", sum((term.max or 0) + (term.min or 0) for term in self.terms)

    def task_as_json(self) -> dict[str, Any]:
        return {"game": self.game, "position": str(self.position), "evaluation": self.evaluation}

    @classmethod
    def task_from_json(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        game = read_name(data.get("game"))
        position = parse_position(load_game(game), data.get("position"))
        return {"game": game, "position": position, "evaluation": optional_text(data, "evaluation")}


def _count(count: int | None) -> int:
    """The count of a term; exercises have no terms without one."""
    return count or 0


def unsuitable(evaluation: Evaluation, position: State) -> str:
    """Why an evaluation cannot be computed by hand, or ""."""
    if type(evaluation).terms is Evaluation.terms:
        return "is not a sum of terms"
    terms = evaluation.terms(position)
    if not 0 < len(terms) <= MAX_TERMS:
        return f"has {len(terms)} terms; from 1 to {MAX_TERMS} can be asked for"
    if evaluation.mixture(position) is not None or any(term.max is None for term in terms):
        return "has several weights for each term"
    return ""


@dataclass(frozen=True, kw_only=True)
class EvaluationSpec(ItemSpec[EvaluationExercise]):
    """Exercises on the evaluation of random positions, or of a given one.

    Parameters
    ----------
    game : str
        Name of the game.
    evaluation : str
        Name of the evaluation; by default the game's first one that can be computed by hand.
    position : str
        A given position; by default positions after random moves.
    plies : (int, int), optional
        Range of the number of random moves.
    """

    game: str = "othello"
    evaluation: str = ""
    position: str = ""
    plies: tuple[int, int] | None = None

    def _exercise(self, position: State) -> EvaluationExercise:
        known = position.evaluations
        suitable = [name for name, each in known.items() if not unsuitable(each, position)]
        name = self.evaluation or next(iter(suitable or known), "nothing")
        return EvaluationExercise(
            marks=self.marks, title=self.title, game=self.game, position=position, evaluation=name
        )

    def given(self) -> EvaluationExercise | None:
        return self._exercise(load_game(self.game).parse(self.position)) if self.position else None

    def draw(self, seed: int) -> EvaluationExercise:
        if self.position:
            raise TreeError("exercise: variants need random positions; leave out the given one")
        start = load_game(self.game).start()
        return self._exercise(random_position(start, self.plies or PLIES.get(self.game, DEFAULT_PLIES), seed))

    def checked(self, exercise: EvaluationExercise) -> tuple[EvaluationExercise, list[str]]:
        """Refuse positions where many terms count nothing, or that are even."""
        terms = exercise.terms
        if 4 * sum(not (term.max or term.min) for term in terms) > len(terms):
            raise Unsuitable("more than a quarter of the terms count nothing")
        if not checked_score(exercise.scorer, exercise.position):
            raise Unsuitable("the evaluation is 0")
        return exercise, []

    def solution_key(self, exercise: EvaluationExercise) -> str:
        """The position: with few terms, some positions have the same counts."""
        return str(exercise.position)
