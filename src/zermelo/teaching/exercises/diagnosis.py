"""Find the mistakes behind an answer: those whose replay writes the same entries.

A mistake is named only if its replay reproduces the answer. In this order, the first that succeeds counts:

1. one known mistake, or one slip at a node, reproduces every entry;
2. two of them together reproduce every entry;
3. each wrong part is reproduced as a whole, all by one known mistake or by two, and the right parts do not contradict
   them: each agrees with more entries than the correct answer does, in the parts that the other does not explain alone;
4. one known mistake leaves few entries unexplained, at most one for each `WRONG_PER_UNEXPLAINED` that it explains.

Otherwise nothing is named, and a note says where the answer first differs from the correct one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

from zermelo.errors import ZermeloError
from zermelo.teaching.exercises import mistakes
from zermelo.teaching.exercises.answers import Answer, correct_answer
from zermelo.teaching.exercises.entries import Entries, entries_of, is_given, keys_that_differ, node_of, time_of
from zermelo.teaching.exercises.exercise import BEST, PARTS, VALUES, WINDOWS, Exercise
from zermelo.teaching.exercises.follow_through import Slip, possible_slips
from zermelo.teaching.exercises.mistakes import Mistake
from zermelo.teaching.exercises.replay import NO_FAULTS
from zermelo.teaching.exercises.wrong_solvers import (
    WrongSolver,
    answers_with_two_mistakes,
    wrong_solvers,
)

#: A known mistake may leave one entry unexplained for so many wrong entries that it explains.
WRONG_PER_UNEXPLAINED = 4
#: Limits on the pairs that are tried: the closest mistakes that are joined with a slip, or with each other.
MAX_MISTAKES_WITH_SLIPS, MAX_MISTAKES_IN_PAIRS = 4, 8


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
    is_joint : bool
        Whether the answer is explained only together with the other mistakes that are named.
    """

    mistake: Mistake
    explains: int
    items: int
    correct: int
    node: str = ""
    is_joint: bool = False

    @property
    def sentence(self) -> str:
        """The diagnosis as feedback for the student."""
        at = f"At {self.node}: " if self.node else ""
        explains = "Together with the other mistake this explains" if self.is_joint else "This explains"
        return f"{at}{self.mistake.sentence} ({explains} {self.explains} of {self.items} entries.)"

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
            "joint": self.is_joint,
        }


class _Cause(NamedTuple):
    """A mistake, and the node of a slip or ""."""

    mistake: Mistake
    node: str = ""


class Diagnostician:
    """Finds the mistakes behind answers to one exercise.

    Parameters
    ----------
    exercise : Exercise
        The exercise that was set.
    """

    def __init__(self, exercise: Exercise) -> None:
        self.exercise = exercise
        self.tree = exercise.searched_tree
        self.correct = entries_of(self.tree, correct_answer(exercise))

    @cached_property
    def _known(self) -> list[tuple[WrongSolver, Entries]]:
        """The known mistakes with their entries, as far as these differ from the correct ones."""
        found = []
        for solver in wrong_solvers(self.exercise):
            entries = self._entries(solver)
            if entries is not None and entries != self.correct:
                found.append((solver, entries))
        return found

    def diagnose(self, answer: Answer) -> tuple[list[Diagnosis], str]:
        """Find the mistakes that explain an answer.

        Parameters
        ----------
        answer : Answer
            The answer.

        Returns
        -------
        list of Diagnosis
            The mistakes: one, several that explain the answer equally well, or two that explain it together. Empty for
            a correct answer, and if nothing explains it.
        str
            For a wrong answer that nothing explains, where it first differs from the correct one; otherwise "".
        """
        written = entries_of(self.tree, answer)
        wrong = list(keys_that_differ(written, self.correct))
        if not any(key in written[part] for part, key in wrong) and not self._is_short(written):
            return [], ""  # nothing is wrong, or entries are only missing
        found = self._single(written) or self._pair(written) or self._by_parts(written)
        found = found or self._nearly(written, len(wrong))
        if found:
            return found, ""
        part, key = min(wrong, key=lambda each: time_of(self.tree, *each))
        node = node_of(self.tree, part, key) if part != BEST else ""
        where = f"node {node} ({part})" if node else part
        return [], f"no single known mistake explains this; first differing entry: {where}"

    def _is_short(self, written: Entries) -> bool:
        """Whether arcs or visits are missing, which are answers, not blanks."""
        return any(
            written[part] and written[part].keys() < self.correct[part].keys() for part in PARTS if part != "values"
        )

    # ---- one mistake ------------------------------------------------------------------------------------------

    def _single(self, written: Entries) -> list[Diagnosis] | None:
        found = [
            self._diagnosis(written, entries, _Cause(solver.mistake))
            for solver, entries in self._known
            if is_given(written, entries)
        ]
        if found:
            return list({diagnosis.mistake.id: diagnosis for diagnosis in found}.values())
        for slip in possible_slips(self.exercise, written, self.correct):
            entries = self._entries(WrongSolver(slip.mistake, slip.faults))
            if entries is not None and is_given(written, entries):
                return [self._diagnosis(written, entries, self._cause(slip))]
        return None

    def _nearly(self, written: Entries, wrong: int) -> list[Diagnosis] | None:
        """The known mistakes that leave the fewest entries unexplained, if these are few."""
        found: list[tuple[int, Diagnosis]] = []
        for solver, entries in self._known:
            unexplained = _count_different(written, entries)
            wrong_entries = keys_that_differ(written, self.correct)
            explained = sum(written[part].get(key) == entries[part].get(key) for part, key in wrong_entries)
            if unexplained < wrong and WRONG_PER_UNEXPLAINED * unexplained <= explained:
                found.append((unexplained, self._diagnosis(written, entries, _Cause(solver.mistake))))
        fewest = min((unexplained for unexplained, _ in found), default=0)
        closest = {each.mistake.id: each for unexplained, each in found if unexplained == fewest}
        return list(closest.values()) or None

    # ---- two mistakes -----------------------------------------------------------------------------------------

    def _pair(self, written: Entries) -> list[Diagnosis] | None:
        for entries, causes in self._pairs(written):
            if is_given(written, entries):
                return [self._diagnosis(written, entries, cause, is_joint=True) for cause in causes]
        return None

    def _pairs(self, written: Entries) -> Iterator[tuple[Entries, tuple[_Cause, _Cause]]]:
        first = WrongSolver(mistakes.ARITHMETIC_SLIP, NO_FAULTS)
        for slip in possible_slips(self.exercise, written, self.correct):
            entries = self._entries(WrongSolver(slip.mistake, slip.faults))
            if entries is not None:
                yield from self._with_slip(written, entries, first._replace(faults=slip.faults), self._cause(slip))
        closest = sorted(self._known, key=lambda each: _count_different(written, each[1]))
        for solver, entries in closest[:MAX_MISTAKES_WITH_SLIPS]:
            yield from self._with_slip(written, entries, solver, _Cause(solver.mistake))
        solvers = [solver for solver, _ in closest[:MAX_MISTAKES_IN_PAIRS]]
        for one, other, answer in answers_with_two_mistakes(self.exercise, solvers):
            yield entries_of(self.tree, answer), (_Cause(one), _Cause(other))

    def _with_slip(
        self, written: Entries, before: Entries, solver: WrongSolver, cause: _Cause
    ) -> Iterator[tuple[Entries, tuple[_Cause, _Cause]]]:
        """A mistake together with each slip that its entries leave possible."""
        for slip in possible_slips(self.exercise, written, before):
            entries = self._entries(solver._replace(faults=solver.faults | slip.faults))
            if entries is not None:
                yield entries, (cause, self._cause(slip))

    # ---- part by part -----------------------------------------------------------------------------------------

    def _by_parts(self, written: Entries) -> list[Diagnosis] | None:
        """The known mistakes, one or two, that reproduce each wrong part as a whole."""
        wrong = {part for part in PARTS if written[part] and written[part] != self.correct[part]}
        covered = [
            (solver, entries, parts)
            for solver, entries in self._known
            if (parts := {part for part in wrong if self._gives(entries, written, part)})
        ]
        alone = [
            self._diagnosis(written, entries, _Cause(solver.mistake))
            for solver, entries, parts in covered
            if parts == wrong and self._is_closer(written, entries, set(PARTS))
        ]
        if alone:
            most = max(diagnosis.explains for diagnosis in alone)
            return list({each.mistake.id: each for each in alone if each.explains == most}.values())
        pairs = [
            [self._diagnosis(written, entries, _Cause(solver.mistake), is_joint=True) for solver, entries, _ in pair]
            for pair in combinations(covered, 2)
            if pair[0][2] | pair[1][2] == wrong
            and all(
                self._is_closer(written, entries, set(PARTS) - (other - own))
                for (_, entries, own), (*_, other) in (pair, pair[::-1])
            )
        ]
        return max(pairs, key=lambda pair: sum(each.explains for each in pair), default=None)

    def _is_closer(self, written: Entries, entries: Entries, parts: set[str]) -> bool:
        """Whether more of the written entries of some parts agree with a mistake than with the correct answer."""
        return _count_equal(written, entries, parts) > _count_equal(written, self.correct, parts)

    def _gives(self, entries: Entries, written: Entries, part: str) -> bool:
        """Whether a mistake gives the whole part; entries at pruned nodes may be missing if the rest is as searched."""
        if part not in (VALUES, WINDOWS):
            return written[part] == entries[part]
        given = entries[part]
        needed = given.keys() & self.correct[part].keys()
        return needed <= written[part].keys() and all(given.get(key) == each for key, each in written[part].items())

    # ---- helpers ----------------------------------------------------------------------------------------------

    def _entries(self, solver: WrongSolver) -> Entries | None:
        try:
            return entries_of(self.tree, solver.answer(self.exercise))
        except ZermeloError:  # it reads a leaf without a value, or a node without an evaluation
            return None

    def _cause(self, slip: Slip) -> _Cause:
        return _Cause(slip.mistake, self.tree.nodes[slip.node].id)

    def _diagnosis(self, written: Entries, entries: Entries, cause: _Cause, is_joint: bool = False) -> Diagnosis:
        items = sum(len(written[part]) for part in PARTS)
        explains, correct = _count_equal(written, entries), _count_equal(written, self.correct)
        return Diagnosis(cause.mistake, explains, items, correct, cause.node, is_joint)


def _count_different(written: Entries, entries: Entries) -> int:
    return sum(1 for _ in keys_that_differ(written, entries))


def _count_equal(written: Entries, entries: Entries, parts: Collection[str] = PARTS) -> int:
    return sum(entries[part].get(key) == entry for part in parts for key, entry in written[part].items())
