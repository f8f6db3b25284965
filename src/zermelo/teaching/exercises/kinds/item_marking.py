"""Marks of answers to exercises of items: follow-through from one slip, and the limit for a missing skill.

The answer is compared with the correct entries, and with the entries after each slip (a wrong entry that later entries
depend on); the comparison that gives the most marks counts. The rules are those of `zermelo.teaching.exercises.rubric`:

1. A part worth m marks with n entries earns m * (right - extra) / n, at least 0. The slip itself is never right.
2. A slip counts only if at least half of the entries of its part are right that it does not change.
3. An answer shows a skill if, of the entries in which an answer without the skill (a `Rival`) differs, more than half
   are right. Otherwise it earns at most 60 % of all marks: for every rival if a slip is credited, else for those that
   would earn more.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from zermelo.teaching.exercises.rubric import LIMIT

#: Correct entries by part and key.
Entries = Mapping[str, Mapping[str, Any]]
_NOTHING = object()


class Rival(NamedTuple):
    """The answer of somebody without a skill. Parts that are missing are as in the correct answer."""

    #: The skill, as in "does not show the skill of: re-searches".
    skill: str
    entries: Entries


class Slip(NamedTuple):
    """A wrong entry, and the entries of the parts that change if the work goes on from it."""

    part: str
    key: str
    after: Entries


@dataclass(frozen=True)
class ItemMarks:
    """The marks of an answer by part, and what they were given for."""

    slip: Slip | None
    #: The entries that the answer is compared with.
    entries: Entries
    parts: Mapping[str, Fraction]
    #: The skills that are not shown, if the marks are limited.
    limited_by: tuple[str, ...]

    @property
    def total(self) -> Fraction:
        return sum(self.parts.values(), Fraction(0))

    def is_slip(self, part: str, key: str) -> bool:
        """Whether an entry is the slip."""
        return self.slip is not None and (part, key) == self.slip[:2]


class ItemMarker:
    """Marks the answers to one exercise.

    Parameters
    ----------
    correct : mapping
        The correct entries of the parts that are asked for. The entries of a set are names with any content.
    marks : mapping of str to number
        Marks of each part.
    rivals : sequence of Rival
        Answers without a skill.
    """

    def __init__(self, correct: Entries, marks: Mapping[str, Any], rivals: Sequence[Rival]) -> None:
        self.correct = correct
        self.max_marks = {part: Fraction(marks[part]) for part in correct}
        self.limit = LIMIT * sum(self.max_marks.values(), Fraction(0))
        self.rivals = [
            Rival(rival.skill, {part: entries for part, entries in rival.entries.items() if part in correct})
            for rival in rivals
        ]
        self._strong = [rival for rival in self.rivals if self._earned({**correct, **rival.entries}) > self.limit]

    def mark(self, written: Entries, slips: Iterator[Slip]) -> ItemMarks:
        """Mark an answer by the most favourable comparison; `slips` are the possible ones."""
        best = self._marks(written, None, self._strong)
        if best.total == sum(self.max_marks.values()):
            return best
        for slip in slips:
            if self._is_credible(written, slip):
                marks = self._marks(written, slip, self.rivals)
                if marks.total > best.total:
                    best = marks
        return best

    def _is_credible(self, written: Entries, slip: Slip) -> bool:
        """Rule 2."""
        correct, after = self.correct[slip.part], slip.after.get(slip.part, self.correct[slip.part])
        same = [key for key, entry in correct.items() if key != slip.key and after.get(key, _NOTHING) == entry]
        right = sum(bool(written[slip.part].get(key, _NOTHING) == correct[key]) for key in same)
        return 2 * right >= len(same)

    def _marks(self, written: Entries, slip: Slip | None, rivals: Sequence[Rival]) -> ItemMarks:
        entries = self.correct if slip is None else {**self.correct, **slip.after}
        entries = {part: entries[part] for part in self.correct}
        parts = {part: self._part(written, entries, slip, part) for part in self.correct}
        total = sum(parts.values(), Fraction(0))
        limited_by: tuple[str, ...] = ()
        if total > self.limit:
            limited_by = tuple(rival.skill for rival in rivals if not self._shows(written, entries, slip, rival))
        if limited_by:
            parts = {part: marks * self.limit / total for part, marks in parts.items()}
        return ItemMarks(slip, entries, parts, limited_by)

    def _part(self, written: Entries, entries: Entries, slip: Slip | None, part: str) -> Fraction:
        """Rule 1."""
        expected = entries[part]
        lost = {slip.key} if slip is not None and slip.part == part else set()
        ours = written.get(part)
        if ours is None:
            return Fraction(0)
        items = expected.keys() | lost
        if not items:
            return self.max_marks[part] if not ours else Fraction(0)
        right = sum(bool(ours.get(key, _NOTHING) == entry) for key, entry in expected.items() if key not in lost)
        extra = len(ours.keys() - items)
        return self.max_marks[part] * Fraction(max(right - extra, 0), len(items))

    def _earned(self, written: Entries) -> Fraction:
        """The marks of an answer by its entries alone."""
        return sum((self._part(written, self.correct, None, part) for part in self.correct), Fraction(0))

    def _shows(self, written: Entries, entries: Entries, slip: Slip | None, rival: Rival) -> bool:
        """Rule 3."""
        telling = right = 0
        for part, without in rival.entries.items():
            correct, ours = self.correct[part], written.get(part)
            for key in dict.fromkeys((*correct, *without)):
                if correct.get(key, _NOTHING) == without.get(key, _NOTHING):
                    continue
                telling += 1
                if ours is None or (slip is not None and (part, key) == slip[:2]):
                    continue
                entry = ours.get(key, _NOTHING)
                right += entry == entries[part].get(key, _NOTHING) and entry != without.get(key, _NOTHING)
        return not telling or 2 * right > telling
