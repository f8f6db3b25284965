"""Find the mistakes that explain an answer by comparing it with the answers of deliberately wrong solvers.

A mistake is reported if its answer differs from the student's in at most half as many entries as the correct answer
does. Among those, the closest ones are reported, all of them in case of a tie. A single wrong value fits nearly every
answer, so it is reported only if it explains more than any other mistake.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from zermelo.teaching.exercises import mistakes
from zermelo.teaching.exercises.answers import Answer, correct_answer, longest_common_subsequence
from zermelo.teaching.exercises.exercise import VALUES, WINDOWS, Exercise
from zermelo.teaching.exercises.mistakes import Mistake
from zermelo.teaching.exercises.wrong_solvers import WrongAnswer, answers_with_one_wrong_value, wrong_answers

#: Number of nodes with a wrong value at which a single wrong value is tried: normally the first one is the cause.
MAX_SLIPS = 4


class Diagnosis(NamedTuple):
    """A mistake that explains an answer.

    Attributes
    ----------
    mistake : Mistake
        The named mistake.
    explains : int
        Number of entries of the answer that agree with the mistake.
    items : int
        Number of entries of the answer.
    correct : int
        Number of entries that agree with the correct answer.
    node : str
        The node where the mistake happened, or "" if it is not at a single node.
    """

    mistake: Mistake
    explains: int
    items: int
    correct: int
    node: str = ""

    @property
    def sentence(self) -> str:
        """The diagnosis as feedback for the student."""
        at = f"At {self.node}: " if self.node else ""
        return f"{at}{self.mistake.sentence} (This explains {self.explains} of {self.items} entries.)"

    def as_json(self) -> dict[str, Any]:
        """The diagnosis as plain data."""
        return {
            "id": self.mistake.id,
            "title": self.mistake.title,
            "sentence": self.sentence,
            "explains": self.explains,
            "items": self.items,
            "correct": self.correct,
            "node": self.node or None,
        }


class _Comparison(NamedTuple):
    """Number of equal entries of two answers, and of entries that differ or are in one answer only."""

    equal: int
    different: int


def diagnose_answer(
    exercise: Exercise, answer: Answer, candidates: Sequence[WrongAnswer] | None = None
) -> list[Diagnosis]:
    """Find the mistakes that explain an answer best.

    Parameters
    ----------
    exercise : Exercise
        The exercise that was set.
    answer : Answer
        The answer.
    candidates : sequence of WrongAnswer, optional
        The result of `wrong_answers(exercise)`, if it is already known.

    Returns
    -------
    list of Diagnosis
        Usually at most one; empty for a correct answer, and if no mistake explains the answer.
    """
    correct = correct_answer(exercise)
    if answer.is_empty:
        return []
    items = compare_answers(answer, answer).equal
    with_correct = compare_answers(answer, correct)
    if not with_correct.different:
        return []
    found: dict[str, tuple[_Comparison, Mistake, str]] = {}
    for mistake, other in wrong_answers(exercise) if candidates is None else candidates:
        _keep_closest(found, mistake, compare_answers(answer, other))
    fewest = min((comparison.different for comparison, _, _ in found.values()), default=with_correct.different)
    if answer.values is not None and correct.values is not None and fewest:
        visited = [node for node in exercise.searched_tree if node.index in correct.values and not node.is_leaf]
        wrong = [node for node in visited if answer.values.get(node.index) not in (None, correct.values[node.index])]
        # Post-order, the order in which the search returns the values.
        wrong.sort(key=lambda node: (exercise.searched_tree.subtree_end[node.index], -node.index))
        for node, other in answers_with_one_wrong_value(exercise, answer, wrong[:MAX_SLIPS]):
            comparison = compare_answers(answer, other)
            if comparison.different < fewest:
                _keep_closest(found, mistakes.ARITHMETIC_SLIP, comparison, node.id)
    fewest = min((comparison.different for comparison, _, _ in found.values()), default=with_correct.different)
    if fewest >= with_correct.different or 2 * fewest > with_correct.different:
        return []
    return [
        Diagnosis(mistake, comparison.equal, items, with_correct.equal, node)
        for comparison, mistake, node in found.values()
        if comparison.different == fewest
    ]


def _keep_closest(
    found: dict[str, tuple[_Comparison, Mistake, str]], mistake: Mistake, comparison: _Comparison, node: str = ""
) -> None:
    """Store a comparison unless another answer with the same mistake is at least as close."""
    if mistake.id not in found or comparison.different < found[mistake.id][0].different:
        found[mistake.id] = (comparison, mistake, node)


def compare_answers(one: Answer, other: Answer) -> _Comparison:
    """Compare two answers in the parts that the first one answers."""
    equal = different = 0
    for part in (VALUES, WINDOWS):
        ours, theirs = getattr(one, part), getattr(other, part) or {}
        if ours is not None:
            common = sum(theirs.get(key) == entry for key, entry in ours.items())
            equal += common
            different += len(ours.keys() | theirs.keys()) - common
    if one.cuts is not None:
        cuts = other.cuts or frozenset()
        equal += len(one.cuts & cuts)
        different += len(one.cuts ^ cuts)
    if one.order is not None:
        order = other.order or ()
        common = longest_common_subsequence(one.order, order)
        equal += common
        different += max(len(one.order), len(order)) - common
    if one.best is not None:
        equal += one.best == other.best
        different += one.best != other.best
    return _Comparison(equal, different)
