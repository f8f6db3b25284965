"""Marks for an answer: part by part, item by item, each error counted once.

An item (a value, a window, a crossed arc, the best move) is *right* if it is what the right search has; it *follows*
if it is what the rules make of the student's own numbers before it (`follow_through`); else it is *lost*.
Of a part worth m marks with n items, m * (right + follow_through - extra) / n are given, never less than 0.

What follows is believed only of somebody who can search: in a part where more is lost than right (and more than one
item) nothing follows, and nothing follows from it. So an answer of zeros, consistent with itself, earns nothing.
docs/exercises.md says it with examples.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

from zermelo.errors import TreeError
from zermelo.teaching.exercises import answers
from zermelo.teaching.exercises.answers import Answer, correct_answer, longest_common_subsequence
from zermelo.teaching.exercises.diagnosis import Diagnosis, diagnosed
from zermelo.teaching.exercises.exercise import BEST, CUTS, ORDER, PARTS, VALUES, WINDOWS, Exercise, format_marks
from zermelo.teaching.exercises.follow_through import Consequences, FollowThrough
from zermelo.teaching.exercises.input_limits import abbreviated
from zermelo.teaching.exercises.wrong_solvers import WrongAnswer, wrong_answers
from zermelo.teaching.tree.numbers import Number, format_number
from zermelo.teaching.tree.trace import Window

SCHEMA = "zermelo-grade/1"

RIGHT, FOLLOWS, WRONG, MISSING, EXTRA, HARMLESS = "right", "follows", "wrong", "missing", "extra", "harmless"
#: What the student's own cuts leave out beyond what is right: lost, but no sign that the rest is not to be believed.
LEFT_OUT = "left out"
_LOSSES = (WRONG, MISSING, EXTRA, LEFT_OUT)


class Remark(NamedTuple):
    """What there is to say of one item."""

    #: One of right, follows, wrong, missing, extra, harmless, left out.
    kind: str
    #: The node it is about, "" if about none.
    node: str
    #: What was written, in words; without the solution.
    text: str
    #: What would have been right, in words, "" where that is said.
    correction: str = ""

    def full_text(self, solution: bool = True) -> str:
        return f"{self.text}; {self.correction}" if solution and self.correction else self.text


@dataclass
class PartGrade:
    """The marks of one part."""

    part: str
    marks: Number
    max_marks: Number
    #: How many items there are; how many are right, follow, are lost (wrong, missing or extra).
    items: int
    correct: int = 0
    follow_through: int = 0
    lost: int = 0
    remarks: list[Remark] = field(default_factory=list)

    @property
    def mistaken(self) -> int:
        """How many of the lost ones are not just left out."""
        return self.lost - sum(remark.kind == LEFT_OUT for remark in self.remarks)


@dataclass
class Grade:
    """The marks of one answer. With a `problem` the answer could not be read, and there are none."""

    student: str
    exercise: str
    max_marks: Number
    source: str = ""
    variant: int | None = None
    parts: list[PartGrade] = field(default_factory=list)
    diagnoses: list[Diagnosis] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    problem: str = ""

    @property
    def marks(self) -> Number:
        return sum(part.marks for part in self.parts)


class Grader:
    """Grades answers to one exercise. Raises `TreeError` where the exercise's search reads a leaf without a value."""

    def __init__(self, exercise: Exercise) -> None:
        self.exercise = exercise
        self.tree = exercise.searched_tree
        self.follower = FollowThrough(exercise)
        self.correct_answer = correct_answer(exercise)
        self.whole_order = tuple(node.index for node in exercise.solution.visited)

    @cached_property
    def wrong(self) -> list[WrongAnswer]:
        """What the mistakes with names lead to."""
        return wrong_answers(self.exercise)

    def grade(self, answer: Answer) -> Grade:
        """The marks of an answer, with remarks and the diagnosis."""
        grade = Grade(
            student=answer.student or self.exercise.student,
            exercise=self.exercise.id,
            max_marks=self.exercise.total,
            variant=self.exercise.variant,
            notes=list(answer.remarks),
        )
        said = answer.student.casefold()
        if said and self.exercise.student and said != self.exercise.student.casefold():
            grade.notes.append(f"{answer.student} answers the exercise of {self.exercise.student}")
        grade.parts = self._parts(answer)
        grade.diagnoses = diagnosed(self.exercise, answer, self.wrong)
        return grade

    def _parts(self, answer: Answer) -> list[PartGrade]:
        """The parts' marks. First everything is trusted; what turns out unsound no longer is, until nothing changes."""
        steady: tuple[tuple[str, Any], ...] = (
            (VALUES, answer.values),
            (WINDOWS, answer.windows),
            (CUTS, answer.cuts),
        )
        trusted = frozenset(part for part, written in steady if written is not None)
        while True:
            parts = self._judged(answer, trusted)
            unsound = {
                part.part
                for part in parts
                if part.part in trusted
                and part.mistaken > (0 if part.part == CUTS else 1)
                and (part.mistaken > part.correct or self._is_monotonous(answer, part.part))
            }
            if not unsound:
                return parts
            trusted -= unsound

    def _judged(self, answer: Answer, trusted: frozenset[str]) -> list[PartGrade]:
        world = self.follower.world(answer, trusted)
        judges: dict[str, Callable[[Answer, Consequences, bool], PartGrade]] = {
            VALUES: self._values,
            WINDOWS: self._windows,
            CUTS: self._cuts,
            ORDER: self._order,
            BEST: self._best,
        }
        return [judges[part](answer, world, part in trusted) for part in PARTS if part in self.exercise.marks]

    def _is_monotonous(self, answer: Answer, part: str) -> bool:
        """Whether the same stands everywhere, and at most half of it is right: that is no search, whatever it hits."""
        if part == CUTS:
            return False
        written, right = (getattr(said, part) or {} for said in (answer, self.correct_answer))
        hits = sum(right.get(place) == said for place, said in written.items())
        return len(written) > 2 and len(set(written.values())) == 1 and 2 * hits <= len(written)

    def _marked(self, part: str, items: int, remarks: list[Remark], *, counts: bool = True) -> PartGrade:
        """A part from its items: all of the right ones and the losses are in the remarks."""
        kinds = [remark.kind for remark in remarks]
        right, follow_through, extra = kinds.count(RIGHT), kinds.count(FOLLOWS), kinds.count(EXTRA)
        most = self.exercise.marks[part]
        share = max(Fraction(right + follow_through - extra, items), Fraction(0)) if counts else Fraction(0)
        lost = sum(kinds.count(kind) for kind in _LOSSES)
        return PartGrade(
            part, most * share, most, items, right, follow_through, lost, [r for r in remarks if r.kind != RIGHT]
        )

    # ---- values and windows -----------------------------------------------------------------------------------

    def _values(self, answer: Answer, world: Consequences, trusts: bool) -> PartGrade:
        def tell(index: int, value: Number) -> str:
            return format_number(self.exercise.convert_value(self.tree.nodes[index], value))

        right = self.correct_answer.values or {}
        remarks = self._entries(
            answer, world, trusts, answer.values or {}, right, world.values, tell, lambda index: index
        )
        counts = trusts or not self._is_monotonous(answer, VALUES)
        return self._marked(VALUES, len(right), remarks, counts=counts)

    def _windows(self, answer: Answer, world: Consequences, trusts: bool) -> PartGrade:
        def tell(place: answers.Place, window: Window) -> str:
            index, kind = place
            return f"{kind} {format_window(self.exercise, index, kind, window)}"

        right = self.correct_answer.windows or {}
        remarks = self._entries(
            answer, world, trusts, answer.windows or {}, right, world.windows, tell, lambda place: place[0]
        )
        counts = trusts or not self._is_monotonous(answer, WINDOWS)
        return self._marked(WINDOWS, max(len(right), 1), remarks, counts=counts)

    def _entries(
        self,
        answer: Answer,
        world: Consequences,
        trusts: bool,
        written: Mapping[Any, Any],
        right: Mapping[Any, Any],
        follows: Mapping[Any, set[Any]],
        tell: Callable[[Any, Any], str],
        node_of: Callable[[Any], int],
    ) -> list[Remark]:
        """The remarks on numbers written at nodes, one for each item."""
        visited = set(world.visited)
        remarks = []
        for place, wanted in right.items():
            id = self.tree.nodes[node_of(place)].id
            said, correction = written.get(place), f"right is {tell(place, wanted)}"
            if said == wanted:
                remarks.append(Remark(RIGHT, id, f"{id}: {tell(place, said)}"))
            elif said is None and trusts and node_of(place) not in visited:
                remarks.append(
                    Remark(LEFT_OUT, id, f"{id}: nothing written, as your own cuts leave it out", correction)
                )
            elif said is None:
                remarks.append(Remark(MISSING, id, f"{id}: {_kind(place)}nothing written", correction))
            elif trusts and said in follows.get(place, ()):
                remarks.append(
                    Remark(FOLLOWS, id, f"{id}: {tell(place, said)} follows from your own numbers", correction)
                )
            else:
                remarks.append(Remark(WRONG, id, f"{id}: {tell(place, said)} is wrong", correction))
        return _spared(remarks) + self._superfluous(
            answer, visited, {node_of(place) for place in written} - set(map(node_of, right))
        )

    def _superfluous(self, answer: Answer, visited: set[int], indices: set[int]) -> list[Remark]:
        """Numbers at nodes that are never visited: one loss for each arc that is cut off above them, unless the student
        searches there by his own cuts (which is counted there) or has crossed it out himself.
        """
        remarks: dict[int, Remark] = {}
        for index in sorted(indices):
            number = self.exercise.solution.records[index].cut
            if number is None or answer.cuts is not None:
                continue
            top = self._top(index, frozenset(self.exercise.solution.cuts[number].pruned))
            id = self.tree.nodes[index].id
            kind = HARMLESS if index in visited else EXTRA
            remarks.setdefault(top, Remark(kind, id, f"{id}: a number at a node that is never visited"))
        return list(remarks.values())

    def _top(self, index: int, among: AbstractSet[int]) -> int:
        """The node above, or this one, that is one of these; -1 if there is none."""
        while index >= 0 and index not in among:
            index = self.tree.nodes[index].parent
        return index

    # ---- cuts -------------------------------------------------------------------------------------------------

    def _cuts(self, answer: Answer, world: Consequences, trusts: bool) -> PartGrade:
        wanted = self.follower.pruned
        items = max(len(wanted), 1)
        if answer.cuts is None:
            return self._marked(CUTS, items, [Remark(MISSING, "", "not answered")] * items)
        crossed, nodes, visited = answer.cuts, self.tree.nodes, set(world.visited)
        whole = frozenset(top for top in crossed - wanted if self._is_crossed_whole(top, crossed))
        remarks: list[Remark] = []
        for index in sorted(wanted):
            id, above = nodes[index].id, self._top(nodes[index].parent, whole)
            if index in crossed and above < 0:
                remarks.append(Remark(RIGHT, id, f"{id} is cut off"))
            elif trusts and index not in visited and self._top(nodes[index].parent, crossed) >= 0:
                remarks.append(Remark(LEFT_OUT, id, f"{id} lies below an arc that you crossed out", f"{id} is cut off"))
            elif index not in crossed and index not in world.cuts and nodes[index].parent in visited:
                remarks.append(Remark(FOLLOWS, id, f"{id} is not cut off by your own numbers", f"{id} is cut off"))
            elif above >= 0:
                remarks.append(Remark(MISSING, id, f"{id} is crossed out only with all around it", f"{id} is cut off"))
            else:
                remarks.append(Remark(MISSING, id, "an arc is missing", f"the arc to {id} is cut off"))
        remarks = _spared(remarks)
        for index in sorted(crossed - wanted):
            id = nodes[index].id
            if (
                self._top(nodes[index].parent, wanted | whole) >= 0
                or self._top(nodes[index].parent, world.cuts & crossed) >= 0
            ):
                remarks.append(Remark(HARMLESS, id, f"{id} lies below an arc that is crossed out: it needs no cross"))
            elif index in world.cuts:
                remarks.append(Remark(FOLLOWS, id, f"{id} is cut off by your own numbers", f"{id} is not cut off"))
            else:
                remarks.append(Remark(EXTRA, id, f"the arc to {id} is crossed out, but it is searched"))
        if not wanted and not any(remark.kind == EXTRA for remark in remarks):
            remarks.append(Remark(RIGHT, "", "nothing is cut off"))
        return self._marked_cuts(items, wanted, remarks)

    def _marked_cuts(self, items: int, wanted: frozenset[int], remarks: list[Remark]) -> PartGrade:
        """Arcs that only follow, beyond the right ones, are no items: they neither give nor take."""
        ids = {self.tree.nodes[index].id for index in wanted}
        beyond = [r for r in remarks if r.kind == FOLLOWS and r.node not in ids]
        part = self._marked(CUTS, items, [r for r in remarks if r not in beyond])
        part.remarks += beyond
        return part

    def _is_crossed_whole(self, top: int, crossed: frozenset[int]) -> bool:
        """Whether the arc to a node is crossed out together with every arc below it, of which there are some."""
        end = self.tree.subtree_end[top]
        return end > top + 1 and all(index in crossed for index in range(top, end))

    # ---- order and best move ----------------------------------------------------------------------------------

    def _order(self, answer: Answer, world: Consequences, trusts: bool) -> PartGrade:
        written = answer.order
        if written is None:
            return self._marked(ORDER, 1, [Remark(MISSING, "", "not answered")])
        orders = [self.whole_order, tuple(world.visited)]
        misplaced = [
            len(order) - longest_common_subsequence(written, order) + _strangers(written, order) for order in orders
        ]
        # Half of the nodes misplaced is no order at all: so much comes together by chance.
        shares = [
            max(Fraction(0), 1 - Fraction(2 * amiss, len(order)))
            for amiss, order in zip(misplaced, orders, strict=True)
        ]
        # By the student's own cuts, of those who have searched half of the tree at least: less is worth less.
        reached = len(set(self.whole_order).intersection(world.visited))
        shares[1] *= min(Fraction(2 * reached, len(self.whole_order)), Fraction(1))
        which = 0 if shares[0] >= shares[1] else 1
        most, amiss, order = self.exercise.marks[ORDER], misplaced[which], orders[which]
        part = PartGrade(ORDER, most * shares[which], most, len(order), lost=amiss)
        if which:
            part.follow_through = len(order) - amiss
            part.remarks.append(Remark(FOLLOWS, "", "judged by your own cuts"))
        else:
            part.correct = max(0, len(order) - amiss)
        if amiss:
            part.remarks.append(self._first_deviation(written, order, amiss))
        return part

    def _first_deviation(self, written: tuple[int, ...], order: tuple[int, ...], amiss: int) -> Remark:
        place = next((n for n, pair in enumerate(zip(written, order, strict=False)) if pair[0] != pair[1]), None)
        misplaced = f"{amiss} of {len(order)} nodes misplaced, missing or too many"
        if place is None:
            place = min(len(written), len(order))
        said = (
            self.tree.nodes[written[place]].id
            if place < len(written) and written[place] >= 0
            else "nothing that is visited"
        )
        wanted = (
            f"visit {place + 1} is {self.tree.nodes[order[place]].id}"
            if place < len(order)
            else "nothing comes after it"
        )
        return Remark(WRONG, "", f"{misplaced}; the first at visit {place + 1}: {said}", wanted)

    def _best(self, answer: Answer, world: Consequences, trusts: bool) -> PartGrade:
        nodes, said, wanted = self.tree.nodes, answer.best, self.correct_answer.best
        correction = "" if wanted is None else f"right is {nodes[wanted].id}"
        if said is None:
            remark = Remark(MISSING, "", "not answered", correction)
        elif said == wanted:
            remark = Remark(RIGHT, nodes[said].id, f"{nodes[said].id}")
        elif said == world.best:
            remark = Remark(FOLLOWS, nodes[said].id, f"{nodes[said].id} follows from your own numbers", correction)
        else:
            remark = Remark(WRONG, nodes[said].id, f"{nodes[said].id} is wrong", correction)
        return self._marked(BEST, 1, [remark])


def _spared(remarks: list[Remark]) -> list[Remark]:
    """Work that wrong cuts spare counts as work done; but not beyond what was done, or to cut all off would be best."""
    done = sum(remark.kind in (RIGHT, FOLLOWS) for remark in remarks)
    judged = []
    for remark in remarks:
        if remark.kind == LEFT_OUT and done:
            done -= 1
            remark = remark._replace(kind=FOLLOWS)
        judged.append(remark)
    return judged


def _strangers(written: tuple[int, ...], order: tuple[int, ...]) -> int:
    """How many entries are no visit: nodes that are not in the order, or that stand there again."""
    seen = set(written)
    return len(seen - set(order)) + len(written) - len(seen)


def _kind(place: Any) -> str:
    return f"{place[1]}: " if isinstance(place, tuple) else ""


def format_window(exercise: Exercise, index: int, kind: str, window: Window) -> str:
    """A window as the convention tells it at a node, for people."""
    node = exercise.searched_tree.nodes[index]
    if kind == "bound":
        bound = window[0]
        return format_number(bound if isinstance(bound, float) else exercise.convert_value(node, bound))
    low, high = exercise.convert_window(node, window)
    return f"[{format_number(low)}, {format_number(high)}]"


# ---- a class ----------------------------------------------------------------------------------------------------


class ClassGrader:
    """Grades the answers of a class: each names its exercise by the id, and what is wrong with one harms no other."""

    def __init__(self, exercises: list[Exercise]) -> None:
        # Of the same exercise set for several students the first one's, if an answer is nobody's of them.
        self.exercises = {exercise.id: exercise for exercise in reversed(exercises)}
        self._of_students = {(exercise.id, exercise.student.casefold()): exercise for exercise in exercises}
        self._graders: dict[tuple[str, str], Grader] = {}
        self.max_marks = max(exercise.total for exercise in exercises)

    def grade(self, data: Mapping[str, Any], source: str = "") -> Grade:
        """The grade of an answer's data; with a `problem` where they cannot be graded."""
        student = answers.student_name(data)
        id = str(data.get("exercise"))
        try:
            exercise = self._of_students.get((id, student.casefold())) or self._exercise(id)
            if (id, exercise.student) not in self._graders:
                self._graders[id, exercise.student] = Grader(exercise)
            grade = self._graders[id, exercise.student].grade(answers.parse_answer(exercise, data))
        except TreeError as error:
            return Grade(student, abbreviated(id)[1:-1], self.max_marks, source=source, problem=str(error))
        grade.source = source
        return grade

    def _exercise(self, id: str) -> Exercise:
        if id in self.exercises:
            return self.exercises[id]
        if len(self.exercises) == 1:
            raise TreeError(f"exercise {abbreviated(id)}: another one than this, which is {next(iter(self.exercises))}")
        raise TreeError(f"exercise {abbreviated(id)}: none of these {len(self.exercises)} exercises")


__all__ = ["ClassGrader", "Grade", "Grader", "PartGrade", "Remark", "format_marks"]
