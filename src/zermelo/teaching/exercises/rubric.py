"""The rubric: how many marks an answer earns. A part earns marks only if it shows the skill that it names.

The answer is compared with the correct search, and with the searches after one slip of the student (see
`follow_through`); the most favourable one counts. Three rules make the marks:

1. A part worth m marks with n entries earns m * (right - extra) / n. The slip itself is never right.
2. A part earns nothing unless it shows its skill: for each search without that skill (`wrong_solvers.rival_solvers`),
   most of the entries must be right in which the two searches differ. The best move earns nothing unless the values
   show theirs.
3. If a part other than the best move does not show its skill, the answer earns at most 60 % of all marks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from zermelo.errors import ZermeloError
from zermelo.teaching.exercises import mistakes
from zermelo.teaching.exercises.answers import Answer, correct_answer
from zermelo.teaching.exercises.entries import Entries, entries_of
from zermelo.teaching.exercises.exercise import BEST, CUTS, ORDER, VALUES, WINDOWS, Exercise
from zermelo.teaching.exercises.follow_through import Slip, possible_slips
from zermelo.teaching.exercises.mistakes import Mistake
from zermelo.teaching.exercises.replay import NEVER, NO_FAULTS, Faults, replay
from zermelo.teaching.exercises.wrong_solvers import WrongSolver, rival_solvers

#: The largest fraction of all marks for an answer that does not show the skill of one of its parts.
LIMIT = Fraction(3, 5)

_UNPRUNED = WrongSolver(mistakes.NO_PRUNING, Faults(cutoff=NEVER))


@dataclass(frozen=True)
class Search:
    """A search that an answer is compared with: the correct one (`slip` is None), or the one after a slip."""

    slip: Slip | None
    answer: Answer
    entries: Entries

    @property
    def faults(self) -> Faults:
        """What the search does wrongly."""
        return self.slip.faults if self.slip else NO_FAULTS

    def lost(self, part: str) -> frozenset[Any]:
        """The keys of the entries of a part that are the slip itself."""
        return frozenset(key for where, key in self.slip.lost if where == part) if self.slip else frozenset()


@dataclass(frozen=True)
class NotShown:
    """Why a part does not show its skill: the search without it, and how many telling entries are right."""

    mistake: Mistake | None
    right: int = 0
    telling: int = 0


@dataclass(frozen=True)
class Marks:
    """The marks of an answer by part, and what they were given for."""

    search: Search
    parts: Mapping[str, Fraction]
    not_shown: Mapping[str, NotShown]
    #: Whether the marks were reduced to `LIMIT`.
    is_limited: bool

    @cached_property
    def total(self) -> Fraction:
        return sum(self.parts.values(), Fraction(0))


class Rubric:
    """Marks the entries of answers to one exercise.

    Parameters
    ----------
    exercise : Exercise
        The exercise that was set.

    Raises
    ------
    TreeError
        If the search of the exercise reads a leaf without a value.
    """

    def __init__(self, exercise: Exercise) -> None:
        self.exercise = exercise
        self.tree = exercise.searched_tree
        correct = correct_answer(exercise)
        self.correct = Search(None, correct, entries_of(self.tree, correct))
        self._rivals = rival_solvers(exercise)

    def mark(self, written: Entries) -> Marks:
        """Mark an answer by the most favourable search.

        Parameters
        ----------
        written : Entries
            The entries of the answer.

        Returns
        -------
        Marks
            The marks of all parts that are asked for.
        """
        best = self.mark_by(written, self.correct)
        searches: list[tuple[Fraction, int, Search]] = []
        if best.total < self.exercise.total_marks:
            given_by_rivals = self._given_by_rivals(written)
            for number, slip in enumerate(possible_slips(self.exercise, written, self.correct.entries)):
                search = self.search_after(slip, written)
                if search is not None and not any(part in given_by_rivals for part, _ in slip.lost):
                    upper_bound = sum(self._by_entries(written, search, True).values(), Fraction(0))
                    searches.append((upper_bound, -number, search))
        for upper_bound, _, search in sorted(searches, key=lambda each: each[:2], reverse=True):
            if upper_bound <= best.total:
                break
            marks = self.mark_by(written, search)
            # What follows from a missing skill is not follow-through: the slip must be in a part that shows its skill.
            if marks.total > best.total and not any(search.lost(part) for part in marks.not_shown):
                best = marks
        return best

    def search_after(self, slip: Slip, written: Entries) -> Search | None:
        """The search that goes on from a slip.

        None if it is impossible; if it does not lead to the slip as written; if less than half of the correct search is
        left, otherwise it would pay to cross out most of the tree; or if, in its part, not even half of the entries are
        right that it does not change, otherwise the same number everywhere would follow from itself.
        """
        try:
            answer = replay(self.exercise, slip.faults, {*self.exercise.marks, ORDER})
        except ZermeloError:
            return None
        if 2 * len(answer.order or ()) < len(self.exercise.solution.visited):
            return None
        entries = entries_of(self.tree, answer)
        if any(
            part in (VALUES, WINDOWS) and entries[part].get(key) != written[part].get(key) for part, key in slip.lost
        ):
            return None
        for part in {part for part, _ in slip.lost}:
            same = [key for key, entry in entries[part].items() if self.correct.entries[part].get(key) == entry]
            if 2 * sum(written[part].get(key) == entries[part][key] for key in same) < len(same):
                return None
        return Search(slip, answer, entries)

    def mark_by(self, written: Entries, search: Search) -> Marks:
        """Mark an answer by one search, by all three rules."""
        not_shown = {part: why for part in self.exercise.marks if (why := self._not_shown(written, search, part))}
        parts = self._by_entries(written, search, CUTS in not_shown)
        if BEST in parts and VALUES in not_shown:
            not_shown[BEST] = NotShown(None)
        parts |= dict.fromkeys(not_shown, Fraction(0))
        total, limit = sum(parts.values(), Fraction(0)), LIMIT * self.exercise.total_marks
        is_limited = bool(not_shown) and total > limit
        if is_limited:
            parts = {part: marks * limit / total for part, marks in parts.items()}
        return Marks(search, parts, not_shown, is_limited)

    # ---- rule 1 -----------------------------------------------------------------------------------------------

    def _by_entries(self, written: Entries, search: Search, misses_cuts: bool) -> dict[str, Fraction]:
        """The marks of each part by its entries alone.

        If the answer misses the cuts, they cost marks only there.
        """
        marks = {}
        for part, max_marks in self.exercise.marks.items():
            right = sum(self.is_right(written, search, part, key, misses_cuts) for key in search.entries[part])
            earned = max(right - len(self.extra(written, search, part)), 0)
            marks[part] = Fraction(max_marks) * earned / self.items(search, part)
        return marks

    def is_right(self, written: Entries, search: Search, part: str, key: Any, misses_cuts: bool) -> bool:
        """Whether an entry of a search is right.

        If the answer misses the cuts, values and windows of the same search without cutoffs are right as well.
        """
        entry = written[part].get(key)
        if entry is None or key in search.lost(part):
            return False
        if entry == search.entries[part][key]:
            return True
        return misses_cuts and part in (VALUES, WINDOWS) and entry == self._unpruned(search)[part].get(key)

    def items(self, search: Search, part: str) -> int:
        """The number of entries that the marks of a part are divided into."""
        return max(len(search.entries[part].keys() | search.lost(part)), 1)

    def extra(self, written: Entries, search: Search, part: str) -> list[int]:
        """The nodes of entries that a search does not have, each of which costs an entry.

        An arc counts unless it is below a pruned one. A value or a window at a pruned node counts only if the cuts are
        not asked for, once for each pruned arc.
        """
        if part == CUTS:
            pruned = search.entries[CUTS].keys() | search.lost(CUTS)
            return [arc for arc in written[CUTS] if arc >= 0 and not self._is_at_or_below(arc, pruned)]
        if part not in (VALUES, WINDOWS) or CUTS in self.exercise.marks:
            return []
        written_at, expected_at = (
            {key if part == VALUES else key[0] for key in entries} for entries in (written[part], search.entries[part])
        )
        first: dict[int, int] = {}
        for index in sorted(written_at - expected_at):
            cut = self.exercise.solution.records[index].cut
            if cut is not None:
                pruned_arcs = self.exercise.solution.cuts[cut].pruned
                first.setdefault(next(top for top in pruned_arcs if index < self.tree.subtree_end[top]), index)
        return list(first.values())

    def _is_at_or_below(self, arc: int, arcs: Any) -> bool:
        while arc >= 0 and arc not in arcs:
            arc = self.tree.nodes[arc].parent
        return arc >= 0

    # ---- rule 2 -----------------------------------------------------------------------------------------------

    def _not_shown(self, written: Entries, search: Search, part: str) -> NotShown | None:
        """Why a part does not show its skill; None if it does."""
        unpruned = self._unpruned(search)[part] if part in (VALUES, WINDOWS) else {}
        for number, solver in enumerate(self._rivals[part]):
            without = self._rival_entries(search, part, number)
            telling = self._telling(search, part, without)
            if not telling and (search is self.correct or not self._tells_in_correct(part, number)):
                continue  # the two searches never differ, so there is nothing to show
            right = 0
            for key in telling:
                entry = written[part].get(key)
                # A value or window of the search without cutoffs is wrong, but it shows the skill of the part.
                shows = entry == search.entries[part].get(key) or (entry is not None and entry == unpruned.get(key))
                right += shows and entry != without.get(key)
            if 2 * right <= len(telling):
                return NotShown(solver.mistake, right, len(telling))
        return None

    def _telling(self, search: Search, part: str, without: Mapping[Any, Any]) -> list[Any]:
        """The keys in which a search and one without the skill differ, the slip itself excluded.

        Arcs that only the latter prunes are telling as well.
        """
        entries, lost = search.entries[part], search.lost(part)
        keys = [*entries, *(arc for arc in without if arc >= 0 and arc not in entries)] if part == CUTS else [*entries]
        return [key for key in keys if key not in lost and without.get(key) != entries.get(key)]

    def _tells_in_correct(self, part: str, number: int) -> bool:
        return bool(self._telling(self.correct, part, self._rival_entries(self.correct, part, number)))

    def _rival_entries(self, search: Search, part: str, number: int) -> Mapping[Any, Any]:
        """The entries of a part in a search without the skill, after the same slip."""
        if search is self.correct:
            return self._correct_rivals[part][number][part]
        return self._without(search, self._rivals[part][number])[part]

    @cached_property
    def _correct_rivals(self) -> dict[str, list[Entries]]:
        return {
            part: [self._without(self.correct, solver) for solver in solvers] for part, solvers in self._rivals.items()
        }

    def _given_by_rivals(self, written: Entries) -> set[str]:
        """The wrong parts that a search without a skill gives as a whole."""
        return {
            part
            for part, ours in written.items()
            if ours and ours != self.correct.entries[part]
            for where, several in self._correct_rivals.items()
            if where in self.exercise.marks and any(entries[part] == ours for entries in several)
        }

    def _unpruned(self, search: Search) -> Entries:
        """The entries of the same search without cutoffs."""
        return self._correct_unpruned if search is self.correct else self._without(search, _UNPRUNED)

    @cached_property
    def _correct_unpruned(self) -> Entries:
        return self._without(self.correct, _UNPRUNED)

    def _without(self, search: Search, solver: WrongSolver) -> Entries:
        """The entries of a wrong solver after the same slip; those of the search itself if it cannot go on."""
        try:
            answer = search.answer
            if solver.faults != NO_FAULTS:
                answer = replay(self.exercise, search.faults | solver.faults)
            return entries_of(self.tree, solver.write(self.exercise, answer) if solver.write else answer)
        except ZermeloError:
            return search.entries
