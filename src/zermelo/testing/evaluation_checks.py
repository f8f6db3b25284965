"""The checks of `check_game` for evaluations: scores, terms, accumulators and gains of moves."""

from __future__ import annotations

from operator import index
from random import Random
from typing import Any, NoReturn, Protocol

from zermelo.core.accumulator import new_accumulator
from zermelo.core.evaluation import Evaluation
from zermelo.core.game import State
from zermelo.errors import GameError, ZermeloError
from zermelo.testing.negative_indices import watched

# Number of moves in each position after which accumulators are checked.
UPDATES = 4


class _Checker(Protocol):
    """What is used of `zermelo.testing.checker`."""

    compiled: Any
    random: Random

    def refuse(self, state: State, method: str, wrong: str, error: Exception | None = None) -> NoReturn: ...
    def differs(self, state: State, method: str, call: str, compiled: Any, interpreted: Any) -> NoReturn: ...


class EvaluationChecks:
    """Checks evaluations in the positions of random games.

    Parameters
    ----------
    checker
        Reports what is wrong.
    evaluations
        The evaluations, by name.
    """

    def __init__(self, checker: _Checker, evaluations: dict[str, Evaluation]) -> None:
        self.checker = checker
        self.evaluations = evaluations
        # By evaluation and field: the first negative index into the weights.
        self.negative: dict[str, dict[str, int]] = {name: {} for name in evaluations}
        self.watched = {name: watched(each, self.negative[name]) for name, each in evaluations.items()}

    def check_scores(self, state: State, thorough: bool) -> None:
        """Scores are ints in range, the same in compiled code, and the sums of their terms."""
        for name, evaluation in self.evaluations.items():
            try:
                if thorough and (wrong := evaluation.problem(state)):
                    raise GameError(wrong)
                score = index((self.watched[name] if thorough else evaluation).score(state))
            except GameError as error:
                self.checker.refuse(state, f"evaluation {name}:", str(error), error)
            except Exception as error:
                self.checker.refuse(state, f"evaluation {name}", f"raised {one_line(error)}; expected an int", error)
            largest = evaluation.largest_score
            if abs(score) >= largest:
                self.checker.refuse(
                    state, f"evaluation {name}", f"scored {score}; expected a score strictly between -{largest} and "
                    f"{largest}"
                )  # fmt: skip
            if self.checker.compiled:
                native = self.checker.compiled.score(name, state)
                if native != score:
                    self.checker.differs(state, f"evaluation {name}", "", native, score)
            if thorough and type(evaluation).terms is not Evaluation.terms:
                self._check_terms(state, name, evaluation, score)

    def notes(self) -> list[str]:
        """Probable mistakes that are not errors."""
        return [
            f"evaluation {name} reads {field}[{first}]: a negative index counts from the end"
            for name, found in self.negative.items()
            for field, first in found.items()
        ]

    def check_accumulators(self, state: State, children: list[tuple[int, State]]) -> None:
        """An accumulator updated by a move is that of the next state, and scores as the state alone does.

        `children` are states of unfinished games.
        """
        children = self.checker.random.sample(children, min(len(children), UPDATES))
        for name, evaluation in self.evaluations.items():
            if not (evaluation.has_accumulator and children):
                continue
            try:
                before = self._started(evaluation, state)
            except Exception as error:
                self.checker.refuse(
                    state, f"evaluation {name}", f"raised {one_line(error)} in start_accumulator", error
                )
            for move, child in children:
                if wrong := evaluation.problem(child):
                    self.checker.refuse(child, f"evaluation {name}:", wrong)
                updated = new_accumulator(evaluation)
                updated[:] = before
                try:
                    evaluation.update_accumulator(updated, state, move, child)
                    expected = self._started(evaluation, child)
                    scores = index(evaluation.accumulated_score(child, updated)), index(evaluation.score(child))
                except Exception as error:
                    self.checker.refuse(
                        state, f"evaluation {name}", f"raised {one_line(error)} in an update by {move}", error
                    )
                for place, (found, wanted) in enumerate(zip(updated, expected, strict=True)):
                    if found != wanted:
                        self.checker.refuse(
                            state, f"evaluation {name}", f"has {found} in item {place} of its accumulator after "
                            f"update_accumulator by {move}; expected {wanted}, as start_accumulator gives there"
                        )  # fmt: skip
                if scores[0] != scores[1]:
                    self.checker.refuse(
                        state, f"evaluation {name}", f"has accumulated_score {scores[0]} after {move}; expected "
                        f"{scores[1]}, its score"
                    )  # fmt: skip
                if self.checker.compiled:
                    native = self.checker.compiled.accumulated_score(name, state, move, child)
                    if native != scores[0]:
                        self.checker.differs(
                            state, f"evaluation {name}", f".accumulated_score after {move}", native, scores[0]
                        )

    @staticmethod
    def _started(evaluation: Evaluation, state: State) -> Any:
        accumulator = new_accumulator(evaluation)
        evaluation.start_accumulator(state, accumulator)
        return accumulator

    def check_gains(self, state: State, side: int, children: list[tuple[int, State]]) -> None:
        """The gain of a move is the difference of the scores; `children` are states of unfinished games."""
        for move, child in children:
            for name, evaluation in self.evaluations.items():
                if not evaluation.has_gain:
                    continue
                difference = side * (evaluation.score(child) - evaluation.score(state))
                try:
                    gain = index(evaluation.gain(state, move))
                except Exception as error:
                    self.checker.refuse(
                        state, f"evaluation {name}", f"raised {one_line(error)} in gain({move}); expected an int", error
                    )
                if gain != difference:
                    self.checker.refuse(
                        state, f"evaluation {name}", f"returned {gain!r} for gain({move}); expected {difference}, the "
                        "difference of its scores"
                    )  # fmt: skip

    def _check_terms(self, state: State, name: str, evaluation: Evaluation, score: int) -> None:
        try:
            terms = evaluation.terms(state)
            points = sum(term.points for term in terms)
            if len({term.name for term in terms}) < len(terms):
                self.checker.refuse(state, f"evaluation {name}", "lists two terms of one name; expected unique names")
        except GameError:
            raise
        except Exception as error:
            self.checker.refuse(
                state, f"evaluation {name}", f"raised {one_line(error)} in terms; expected a list of Term", error
            )
        if points != score:
            self.checker.refuse(
                state, f"evaluation {name}", f"lists terms that add up to {points}; expected {score}, its score"
            )


def one_line(error: Exception) -> str:
    """An exception in one line."""
    text = " ".join(str(error).split())
    return text if isinstance(error, ZermeloError) else f"{type(error).__name__}: {text}"
