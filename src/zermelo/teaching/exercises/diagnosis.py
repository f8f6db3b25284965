"""Which mistake explains an answer: it is compared, item by item, with the right one and with deliberately wrong ones.

A mistake is named if its answer differs from the student's in at most half as many items as the right answer does. Of
those the ones that differ least are named, all of them where several differ equally little. A single slip, which fits
nearly every wrong number, is named only where it explains more than any mistake of method.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from zermelo.teaching.exercises import mistakes
from zermelo.teaching.exercises.answers import Answer, correct_answer, longest_common_subsequence
from zermelo.teaching.exercises.exercise import VALUES, WINDOWS, Exercise
from zermelo.teaching.exercises.mistakes import Mistake
from zermelo.teaching.exercises.wrong_solvers import WrongAnswer, slips, wrong_answers

#: A slip is looked for at the first so many nodes whose value is wrong: it is at the first that is, or there are more.
SLIPS_TRIED = 4


class Diagnosis(NamedTuple):
    """A mistake that explains an answer: `explains` of its `items`, of which the right search explains `right`."""

    mistake: Mistake
    explains: int
    items: int
    correct: int
    #: Where it happened, if it happened at one node.
    node: str = ""

    @property
    def sentence(self) -> str:
        at = f"At {self.node}: " if self.node else ""
        return f"{at}{self.mistake.sentence} (This explains {self.explains} of {self.items} entries.)"

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.mistake.id,
            "title": self.mistake.title,
            "sentence": self.sentence,
            "explains": self.explains,
            "items": self.items,
            "right": self.correct,
            "node": self.node or None,
        }


class _Likeness(NamedTuple):
    """How alike two answers are: entries that both have, and entries that only one has, or has differently."""

    alike: int
    different: int


def diagnosed(exercise: Exercise, answer: Answer, wrong: Sequence[WrongAnswer] | None = None) -> list[Diagnosis]:
    """The mistakes that explain an answer best, most often one; none for a right answer, or if nothing explains it.

    `wrong`: `wrong_answers(exercise)`, if that is known already.
    """
    right = correct_answer(exercise)
    if answer.is_empty:
        return []
    items = compare_answers(answer, answer).alike
    by_right = compare_answers(answer, right)
    if not by_right.different:
        return []
    found: dict[str, tuple[_Likeness, Mistake, str]] = {}
    for mistake, other in wrong_answers(exercise) if wrong is None else wrong:
        _keep(found, mistake, compare_answers(answer, other))
    methods = min((alike.different for alike, _, _ in found.values()), default=by_right.different)
    if answer.values is not None and right.values is not None and methods:
        visited = [node for node in exercise.searched_tree if node.index in right.values and not node.is_leaf]
        odd = [node for node in visited if answer.values.get(node.index) not in (None, right.values[node.index])]
        # Children come before their parents, left ones first: as they are searched.
        odd.sort(key=lambda node: (exercise.searched_tree.subtree_end[node.index], -node.index))
        for node, other in slips(exercise, answer, odd[:SLIPS_TRIED]):
            alike = compare_answers(answer, other)
            if alike.different < methods:
                _keep(found, mistakes.ARITHMETIC_SLIP, alike, node.id)
    fewest = min((alike.different for alike, _, _ in found.values()), default=by_right.different)
    if fewest >= by_right.different or 2 * fewest > by_right.different:
        return []
    return [
        Diagnosis(mistake, alike.alike, items, by_right.alike, node)
        for alike, mistake, node in found.values()
        if alike.different == fewest
    ]


def _keep(found: dict[str, tuple[_Likeness, Mistake, str]], mistake: Mistake, alike: _Likeness, node: str = "") -> None:
    """Keep the guise of a mistake that explains most."""
    if mistake.id not in found or alike.different < found[mistake.id][0].different:
        found[mistake.id] = (alike, mistake, node)


def compare_answers(one: Answer, other: Answer) -> _Likeness:
    """Compare two answers. Parts that the first does not answer are passed over."""
    alike = different = 0
    for part in (VALUES, WINDOWS):
        ours, theirs = getattr(one, part), getattr(other, part) or {}
        if ours is not None:
            same = sum(theirs.get(place) == said for place, said in ours.items())
            alike += same
            different += len(ours.keys() | theirs.keys()) - same
    if one.cuts is not None:
        cuts = other.cuts or frozenset()
        alike += len(one.cuts & cuts)
        different += len(one.cuts ^ cuts)
    if one.order is not None:
        order = other.order or ()
        common = longest_common_subsequence(one.order, order)
        alike += common
        different += max(len(one.order), len(order)) - common
    if one.best is not None:
        alike += one.best == other.best
        different += one.best != other.best
    return _Likeness(alike, different)
