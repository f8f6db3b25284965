"""Grade answers part by part and item by item, counting each error once.

An item (a value, a window, a pruned arc, the best move) is *correct* if it agrees with the correct search. Otherwise it
earns *follow-through* credit if it follows from the student's own earlier entries (see `follow_through`); otherwise it
is *lost*. A part worth m marks with n items earns m * (correct + follow-through - extra) / n marks, at least 0.

Follow-through credit requires evidence that the student can search: a part in which more items are lost than correct
(and more than one) is not trusted, and nothing follows from it. So an answer of zeros, although consistent with itself,
earns nothing. docs/exercises.md has examples.
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
from zermelo.teaching.exercises.diagnosis import Diagnosis, diagnose_answer
from zermelo.teaching.exercises.exercise import BEST, CUTS, ORDER, PARTS, VALUES, WINDOWS, Exercise, format_marks
from zermelo.teaching.exercises.follow_through import Consequences, FollowThrough
from zermelo.teaching.exercises.input_limits import abbreviated
from zermelo.teaching.exercises.wrong_solvers import WrongAnswer, wrong_answers
from zermelo.teaching.tree.numbers import Number, format_number
from zermelo.teaching.tree.trace import Window

#: Version of the JSON of grades. Version 1 had the keys most, right, followed and broken.
SCHEMA = "zermelo-grade/2"

CORRECT, FOLLOWS, WRONG, MISSING, EXTRA, HARMLESS = "correct", "follow-through", "wrong", "missing", "extra", "harmless"
#: Entries missing below the student's own wrong cuts: lost, but no evidence against trusting the rest of the part.
NOT_REACHED = "not reached"
_LOST = (WRONG, MISSING, EXTRA, NOT_REACHED)


class Remark(NamedTuple):
    """Feedback on one item."""

    #: One of correct, follow-through, wrong, missing, extra, harmless and not reached.
    kind: str
    #: Id of the node, or "" if the remark is not about a single node.
    node: str
    #: The feedback without the solution.
    text: str
    #: The correct entry, or "" if there is nothing to add.
    correction: str = ""

    def full_text(self, solution: bool = True) -> str:
        """The text, with the correct entry if `solution` is true."""
        return f"{self.text}; {self.correction}" if solution and self.correction else self.text


@dataclass
class PartGrade:
    """The marks of one part, with the numbers of correct, follow-through and lost items."""

    part: str
    marks: Number
    max_marks: Number
    items: int
    correct: int = 0
    follow_through: int = 0
    #: Wrong, missing, extra or not reached.
    lost: int = 0
    remarks: list[Remark] = field(default_factory=list)

    @property
    def mistakes(self) -> int:
        """Number of lost items, those that were not reached excluded."""
        return self.lost - sum(remark.kind == NOT_REACHED for remark in self.remarks)


@dataclass
class Grade:
    """The grade of one answer.

    Attributes
    ----------
    student, exercise : str
        Name of the student and id of the exercise.
    marks, max_marks : number
        Marks earned, and the marks of a fully correct answer. Marks are integers or fractions.
    source : str
        The file of the answer.
    variant : int or None
        Number of the exercise's variant.
    parts : list of PartGrade
        The grade of each part that was asked for.
    diagnoses : list of Diagnosis
        The mistakes that explain the answer, usually at most one.
    notes : list of str
        Entries that could not be read, and other remarks on the answer as a whole.
    problem : str
        Why the answer could not be graded, or "". With a problem there are no marks.
    """

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
    """Grades answers to one exercise.

    Parameters
    ----------
    exercise : Exercise
        The exercise that was set.

    Raises
    ------
    TreeError
        If the search of the exercise reads a leaf without a value.

    Examples
    --------
    >>> from zermelo.teaching.exercises import Exercise, Grader, parse_answer
    >>> from zermelo.teaching.tree import read
    >>> from zermelo.teaching.tree.convention import Convention
    >>> exercise = Exercise(read("[[3,12,8],[2,4,6],[14,5,2]]"), Convention(), {"values": 4, "best": 1})
    >>> answer = parse_answer(exercise, {"values": {"A": 4, "B": 3, "C": 4, "D": 2}, "best": "C"})
    >>> grade = Grader(exercise).grade(answer)
    >>> grade.marks, grade.max_marks, grade.diagnoses[0].mistake.title
    (Fraction(4, 1), 5, 'one wrong value')
    """

    def __init__(self, exercise: Exercise) -> None:
        self.exercise = exercise
        self.tree = exercise.searched_tree
        self.follow_through = FollowThrough(exercise)
        self.correct_answer = correct_answer(exercise)
        self.correct_order = tuple(node.index for node in exercise.solution.visited)

    @cached_property
    def wrong_answers(self) -> list[WrongAnswer]:
        """The answer that each named mistake leads to."""
        return wrong_answers(self.exercise)

    def grade(self, answer: Answer) -> Grade:
        """Grade an answer.

        Parameters
        ----------
        answer : Answer
            An answer read by `parse_answer`.

        Returns
        -------
        Grade
            Marks and remarks for each part, and the diagnosis.
        """
        grade = Grade(
            student=answer.student or self.exercise.student,
            exercise=self.exercise.id,
            max_marks=self.exercise.total_marks,
            variant=self.exercise.variant,
            notes=list(answer.remarks),
        )
        student = answer.student.casefold()
        if student and self.exercise.student and student != self.exercise.student.casefold():
            grade.notes.append(f"{answer.student} answered the exercise of {self.exercise.student}")
        grade.parts = self._parts(answer)
        grade.diagnoses = diagnose_answer(self.exercise, answer, self.wrong_answers)
        return grade

    def _parts(self, answer: Answer) -> list[PartGrade]:
        """Grade all parts. At first every part is trusted; parts that prove unreliable are dropped until none is."""
        entries: tuple[tuple[str, Any], ...] = (
            (VALUES, answer.values),
            (WINDOWS, answer.windows),
            (CUTS, answer.cuts),
        )
        trusted = frozenset(part for part, written in entries if written is not None)
        while True:
            parts = self._grade_parts(answer, trusted)
            unreliable = {
                part.part
                for part in parts
                if part.part in trusted
                and part.mistakes > (0 if part.part == CUTS else 1)
                and (part.mistakes > part.correct or self._is_constant(answer, part.part))
            }
            if not unreliable:
                return parts
            trusted -= unreliable

    def _grade_parts(self, answer: Answer, trusted: frozenset[str]) -> list[PartGrade]:
        consequences = self.follow_through.consequences(answer, trusted)
        graders: dict[str, Callable[[Answer, Consequences, bool], PartGrade]] = {
            VALUES: self._values,
            WINDOWS: self._windows,
            CUTS: self._cuts,
            ORDER: self._order,
            BEST: self._best,
        }
        return [graders[part](answer, consequences, part in trusted) for part in PARTS if part in self.exercise.marks]

    def _is_constant(self, answer: Answer, part: str) -> bool:
        """Whether all entries are the same and at most half of them correct: a guess, not the result of a search."""
        if part == CUTS:
            return False
        written, correct = (getattr(each, part) or {} for each in (answer, self.correct_answer))
        hits = sum(correct.get(key) == entry for key, entry in written.items())
        return len(written) > 2 and len(set(written.values())) == 1 and 2 * hits <= len(written)

    def _part_grade(self, part: str, items: int, remarks: list[Remark], *, counts: bool = True) -> PartGrade:
        """The grade of a part from its remarks, which include one for each correct item."""
        kinds = [remark.kind for remark in remarks]
        correct, follow_through, extra = kinds.count(CORRECT), kinds.count(FOLLOWS), kinds.count(EXTRA)
        max_marks = self.exercise.marks[part]
        share = max(Fraction(correct + follow_through - extra, items), Fraction(0)) if counts else Fraction(0)
        return PartGrade(
            part,
            max_marks * share,
            max_marks,
            items,
            correct,
            follow_through,
            lost=sum(kinds.count(kind) for kind in _LOST),
            remarks=[remark for remark in remarks if remark.kind != CORRECT],
        )

    # ---- values and windows -----------------------------------------------------------------------------------

    def _values(self, answer: Answer, consequences: Consequences, is_trusted: bool) -> PartGrade:
        def show(index: int, value: Number) -> str:
            return format_number(self.exercise.convert_value(self.tree.nodes[index], value))

        correct = self.correct_answer.values or {}
        remarks = self._entries(
            answer,
            consequences,
            is_trusted,
            answer.values or {},
            correct,
            consequences.values,
            show,
            lambda index: index,
        )
        counts = is_trusted or not self._is_constant(answer, VALUES)
        return self._part_grade(VALUES, len(correct), remarks, counts=counts)

    def _windows(self, answer: Answer, consequences: Consequences, is_trusted: bool) -> PartGrade:
        def show(key: answers.WindowKey, window: Window) -> str:
            index, kind = key
            return f"{kind} {format_window(self.exercise, index, kind, window)}"

        correct = self.correct_answer.windows or {}
        remarks = self._entries(
            answer,
            consequences,
            is_trusted,
            answer.windows or {},
            correct,
            consequences.windows,
            show,
            lambda key: key[0],
        )
        counts = is_trusted or not self._is_constant(answer, WINDOWS)
        return self._part_grade(WINDOWS, max(len(correct), 1), remarks, counts=counts)

    def _entries(
        self,
        answer: Answer,
        consequences: Consequences,
        is_trusted: bool,
        written: Mapping[Any, Any],
        correct: Mapping[Any, Any],
        follows: Mapping[Any, set[Any]],
        show: Callable[[Any, Any], str],
        node_of: Callable[[Any], int],
    ) -> list[Remark]:
        """Remarks on the values or windows of nodes, one for each item."""
        visited = set(consequences.visited)
        remarks = []
        for key, expected in correct.items():
            id = self.tree.nodes[node_of(key)].id
            entry, correction = written.get(key), f"correct: {show(key, expected)}"
            if entry == expected:
                remarks.append(Remark(CORRECT, id, f"{id}: {show(key, entry)}"))
            elif entry is None and is_trusted and node_of(key) not in visited:
                remarks.append(Remark(NOT_REACHED, id, f"{id}: no entry, because of your own cuts", correction))
            elif entry is None:
                remarks.append(Remark(MISSING, id, f"{id}: {_kind(key)}no entry", correction))
            elif is_trusted and entry in follows.get(key, ()):
                text = f"{id}: {show(key, entry)} follows from your earlier entries"
                remarks.append(Remark(FOLLOWS, id, text, correction))
            else:
                remarks.append(Remark(WRONG, id, f"{id}: {show(key, entry)} is wrong", correction))
        return _credit_not_reached(remarks) + self._superfluous(
            answer, visited, {node_of(key) for key in written} - set(map(node_of, correct))
        )

    def _superfluous(self, answer: Answer, visited: set[int], indices: set[int]) -> list[Remark]:
        """Remarks on entries at nodes that are never visited, one for each pruned arc above them.

        Such an entry costs nothing if the student reaches the node by own cuts, or if cuts are asked for: the error is
        then counted there.
        """
        remarks: dict[int, Remark] = {}
        for index in sorted(indices):
            cut = self.exercise.solution.records[index].cut
            if cut is None or answer.cuts is not None:
                continue
            top = self._ancestor_in(index, frozenset(self.exercise.solution.cuts[cut].pruned))
            id = self.tree.nodes[index].id
            kind = HARMLESS if index in visited else EXTRA
            remarks.setdefault(top, Remark(kind, id, f"{id}: entry at a node that is never visited"))
        return list(remarks.values())

    def _ancestor_in(self, index: int, nodes: AbstractSet[int]) -> int:
        """The nearest ancestor in `nodes`, the node itself included; -1 if there is none."""
        while index >= 0 and index not in nodes:
            index = self.tree.nodes[index].parent
        return index

    # ---- cuts -------------------------------------------------------------------------------------------------

    def _cuts(self, answer: Answer, consequences: Consequences, is_trusted: bool) -> PartGrade:
        pruned = self.follow_through.pruned
        items = max(len(pruned), 1)
        if answer.cuts is None:
            return self._part_grade(CUTS, items, [Remark(MISSING, "", "not answered")] * items)
        remarks = _credit_not_reached(self._pruned_arcs(answer.cuts, consequences, is_trusted))
        remarks += self._other_arcs(answer.cuts, consequences)
        if not pruned and not any(remark.kind == EXTRA for remark in remarks):
            remarks.append(Remark(CORRECT, "", "nothing is pruned"))
        # Arcs outside the correct cuts that only follow are not items: they neither earn nor cost marks.
        ids = {self.tree.nodes[index].id for index in pruned}
        neutral = [remark for remark in remarks if remark.kind == FOLLOWS and remark.node not in ids]
        part = self._part_grade(CUTS, items, [remark for remark in remarks if remark not in neutral])
        part.remarks += neutral
        return part

    def _fully_crossed(self, crossed: frozenset[int]) -> frozenset[int]:
        """Searched nodes that are crossed out together with every arc of their subtree."""
        return frozenset(
            top
            for top in crossed - self.follow_through.pruned
            if self.tree.subtree_end[top] > top + 1
            and all(index in crossed for index in range(top, self.tree.subtree_end[top]))
        )

    def _pruned_arcs(self, crossed: frozenset[int], consequences: Consequences, is_trusted: bool) -> list[Remark]:
        """Remarks on the arcs that the correct search prunes, one for each."""
        nodes, visited, whole = self.tree.nodes, set(consequences.visited), self._fully_crossed(crossed)
        remarks = []
        for index in sorted(self.follow_through.pruned):
            id, parent = nodes[index].id, nodes[index].parent
            in_whole = self._ancestor_in(parent, whole) >= 0
            correction = f"correct: {id} is pruned"
            if index in crossed and not in_whole:
                remarks.append(Remark(CORRECT, id, f"{id} is pruned"))
            elif is_trusted and index not in visited and self._ancestor_in(parent, crossed) >= 0:
                remarks.append(Remark(NOT_REACHED, id, f"{id} is below an arc that you crossed out", correction))
            elif index not in crossed and index not in consequences.cuts and parent in visited:
                text = f"{id} is not pruned according to your own entries"
                remarks.append(Remark(FOLLOWS, id, text, correction))
            elif in_whole:
                text = f"{id} is crossed out only as part of a larger subtree"
                remarks.append(Remark(MISSING, id, text, correction))
            else:
                remarks.append(Remark(MISSING, id, "a pruned arc is missing", f"the arc to {id} is pruned"))
        return remarks

    def _other_arcs(self, crossed: frozenset[int], consequences: Consequences) -> list[Remark]:
        """Remarks on crossed arcs that are not the topmost arcs of pruned subtrees."""
        nodes, pruned = self.tree.nodes, self.follow_through.pruned
        covered, own = pruned | self._fully_crossed(crossed), consequences.cuts & crossed
        remarks = []
        for index in sorted(crossed - pruned):
            id, parent = nodes[index].id, nodes[index].parent
            if self._ancestor_in(parent, covered) >= 0 or self._ancestor_in(parent, own) >= 0:
                text = f"{id} is below a crossed arc and need not be crossed out"
                remarks.append(Remark(HARMLESS, id, text))
            elif index in consequences.cuts:
                text = f"{id} is pruned according to your own entries"
                remarks.append(Remark(FOLLOWS, id, text, f"correct: {id} is not pruned"))
            else:
                remarks.append(Remark(EXTRA, id, f"the arc to {id} is crossed out, but {id} is searched"))
        return remarks

    # ---- order and best move ----------------------------------------------------------------------------------

    def _order(self, answer: Answer, consequences: Consequences, is_trusted: bool) -> PartGrade:
        written = answer.order
        if written is None:
            return self._part_grade(ORDER, 1, [Remark(MISSING, "", "not answered")])
        orders = [self.correct_order, tuple(consequences.visited)]
        errors = [
            len(order) - longest_common_subsequence(written, order) + _not_visits(written, order) for order in orders
        ]
        # Each error costs 2/n of the marks: about half of the nodes are in the right order by chance.
        shares = [
            max(Fraction(0), 1 - Fraction(2 * count, len(order))) for count, order in zip(errors, orders, strict=True)
        ]
        # An order that follows from the student's own cuts is worth proportionally less if it reaches less than half of
        # the nodes.
        reached = len(set(self.correct_order).intersection(consequences.visited))
        shares[1] *= min(Fraction(2 * reached, len(self.correct_order)), Fraction(1))
        chosen = 0 if shares[0] >= shares[1] else 1
        max_marks, lost, order = self.exercise.marks[ORDER], errors[chosen], orders[chosen]
        part = PartGrade(ORDER, max_marks * shares[chosen], max_marks, len(order), lost=lost)
        if chosen:
            part.follow_through = len(order) - lost
            part.remarks.append(Remark(FOLLOWS, "", "compared with the order that your own cuts lead to"))
        else:
            part.correct = max(0, len(order) - lost)
        if lost:
            part.remarks.append(self._first_deviation(written, order, lost))
        return part

    def _first_deviation(self, written: tuple[int, ...], order: tuple[int, ...], errors: int) -> Remark:
        position = next((n for n, pair in enumerate(zip(written, order, strict=False)) if pair[0] != pair[1]), None)
        if position is None:
            position = min(len(written), len(order))
        found = (
            self.tree.nodes[written[position]].id
            if position < len(written) and written[position] >= 0
            else "no visited node"
        )
        correction = (
            f"correct: visit {position + 1} is {self.tree.nodes[order[position]].id}"
            if position < len(order)
            else "correct: the search has ended"
        )
        summary = f"{errors} of {len(order)} nodes misplaced, missing or extra"
        return Remark(WRONG, "", f"{summary}; first error at visit {position + 1}: {found}", correction)

    def _best(self, answer: Answer, consequences: Consequences, is_trusted: bool) -> PartGrade:
        nodes, written, expected = self.tree.nodes, answer.best, self.correct_answer.best
        correction = "" if expected is None else f"correct: {nodes[expected].id}"
        if written is None:
            remark = Remark(MISSING, "", "not answered", correction)
        elif written == expected:
            remark = Remark(CORRECT, nodes[written].id, f"{nodes[written].id}")
        elif written == consequences.best:
            text = f"{nodes[written].id} follows from your earlier entries"
            remark = Remark(FOLLOWS, nodes[written].id, text, correction)
        else:
            remark = Remark(WRONG, nodes[written].id, f"{nodes[written].id} is wrong", correction)
        return self._part_grade(BEST, 1, [remark])


def _credit_not_reached(remarks: list[Remark]) -> list[Remark]:
    """Give follow-through credit for items that the student's own wrong cuts make unnecessary.

    At most as many items are credited as were done, otherwise it would pay to cross out everything.
    """
    credit = sum(remark.kind in (CORRECT, FOLLOWS) for remark in remarks)
    credited = []
    for remark in remarks:
        if remark.kind == NOT_REACHED and credit:
            credit -= 1
            remark = remark._replace(kind=FOLLOWS)
        credited.append(remark)
    return credited


def _not_visits(written: tuple[int, ...], order: tuple[int, ...]) -> int:
    """Number of entries that are not visits: nodes outside the order, and repetitions."""
    distinct = set(written)
    return len(distinct - set(order)) + len(written) - len(distinct)


def _kind(key: Any) -> str:
    return f"{key[1]}: " if isinstance(key, tuple) else ""


def format_window(exercise: Exercise, index: int, kind: str, window: Window) -> str:
    """Format a window of a node as the convention writes it: ``[alpha, beta]``, or one number for a bound."""
    node = exercise.searched_tree.nodes[index]
    if kind == "bound":
        bound = window[0]
        return format_number(bound if isinstance(bound, float) else exercise.convert_value(node, bound))
    low, high = exercise.convert_window(node, window)
    return f"[{format_number(low)}, {format_number(high)}]"


# ---- a class ----------------------------------------------------------------------------------------------------


class ClassGrader:
    """Grades the answers of a class. Each answer names its exercise by id; an unreadable one does not affect others.

    Parameters
    ----------
    exercises : list of Exercise
        The exercise of everyone, or the variants; at least one.
    """

    def __init__(self, exercises: list[Exercise]) -> None:
        # Several students may have the same exercise. An answer by none of them is graded with the first one's.
        self.exercises = {exercise.id: exercise for exercise in reversed(exercises)}
        self._of_students = {(exercise.id, exercise.student.casefold()): exercise for exercise in exercises}
        self._graders: dict[tuple[str, str], Grader] = {}
        self.max_marks = max(exercise.total_marks for exercise in exercises)

    def grade(self, data: Mapping[str, Any], source: str = "") -> Grade:
        """Grade the content of an answer file.

        Parameters
        ----------
        data : mapping
            The JSON object of an answer, as `load_answer` returns it.
        source : str
            The name of the file, copied to `Grade.source`.

        Returns
        -------
        Grade
            The grade; if the answer cannot be graded, its `problem` says why.
        """
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
            raise TreeError(f"answer to exercise {abbreviated(id)}; expected exercise {next(iter(self.exercises))}")
        raise TreeError(
            f"answer to exercise {abbreviated(id)}, which is not one of the {len(self.exercises)} exercises"
        )


__all__ = ["ClassGrader", "Grade", "Grader", "PartGrade", "Remark", "format_marks"]
