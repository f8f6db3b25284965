"""Grade answers: marks and remarks for each part, and the diagnosis; a whole class at once.

`rubric` makes the marks. docs/exercises.md explains them for teachers and students.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, singledispatch
from typing import Any, NamedTuple

from zermelo.errors import TreeError
from zermelo.teaching.exercises import answers
from zermelo.teaching.exercises.answers import Answer
from zermelo.teaching.exercises.diagnosis import Diagnosis, Diagnostician
from zermelo.teaching.exercises.entries import END, NOTHING_PRUNED, START, Entries, entries_of, node_of
from zermelo.teaching.exercises.exercise import (
    BEST,
    CUTS,
    ORDER,
    PARTS,
    VALUES,
    WINDOWS,
    Exercise,
    ExerciseBase,
    format_marks,
)
from zermelo.teaching.exercises.input_limits import abbreviated
from zermelo.teaching.exercises.rubric import LIMIT, Marks, NotShown, Rubric
from zermelo.teaching.tree.numbers import Number, format_number
from zermelo.teaching.tree.trace import Window

#: Version of the JSON of grades. Version 1 had the keys most, right, followed and broken.
SCHEMA = "zermelo-grade/2"

CORRECT, FOLLOWS, WRONG, MISSING, EXTRA = "correct", "follow-through", "wrong", "missing", "extra"
#: About a whole part: it does not show the skill that it names.
NOT_SHOWN = "not shown"


class Remark(NamedTuple):
    """Feedback on one item."""

    #: One of correct, follow-through, wrong, missing, extra and not shown.
    kind: str
    #: Id of the node, or "" if the remark is not about a single node.
    node: str
    #: The feedback without the solution.
    text: str
    #: The correct entry, or "" if there is nothing to add.
    correction: str = ""
    #: What the entry depends on, without the solution; "" if there is nothing to add.
    hint: str = ""

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
    #: Wrong, missing or extra.
    lost: int = 0
    remarks: list[Remark] = field(default_factory=list)
    #: Whether the part shows the skill that it names; otherwise it earns no marks.
    is_shown: bool = True


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
        The mistakes that explain the answer; several if they explain it equally well, or together.
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
        self.rubric = Rubric(exercise)

    @cached_property
    def diagnostician(self) -> Diagnostician:
        """Finds the mistakes behind answers to this exercise."""
        return Diagnostician(self.exercise)

    def grade(self, answer: Answer, *, diagnose: bool = True) -> Grade:
        """Grade an answer.

        Parameters
        ----------
        answer : Answer
            An answer read by `parse_answer`.
        diagnose : bool
            Whether to look for the mistakes behind the answer.

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
        written = entries_of(self.tree, answer)
        marks = self.rubric.mark(written)
        grade.parts = [self._part(written, marks, part) for part in PARTS if part in self.exercise.marks]
        grade.notes += self._notes(marks)
        if diagnose and not answer.is_empty:
            grade.diagnoses, note = self.diagnostician.diagnose(answer)
            grade.notes += [note] if note else []
        return grade

    def _notes(self, marks: Marks) -> list[str]:
        notes = []
        if marks.search.slip:
            slip = marks.search.slip
            notes.append(f"follow-through from {self.tree.nodes[slip.node].id}: {slip.text}")
        if marks.is_limited:
            parts = " and ".join(part for part in PARTS if part in marks.not_shown and part != BEST)
            notes.append(
                f"at most {LIMIT * 100} % of the marks, because the answer does not show the skill of: {parts}"
            )
        return notes

    def _part(self, written: Entries, marks: Marks, part: str) -> PartGrade:
        """The grade of a part, with a remark on each entry that is not correct."""
        expected, lost = marks.search.entries[part], marks.search.lost(part)
        kinds = {key: self._kind(written, marks, part, key) for key in expected.keys() | lost}
        kinds |= dict.fromkeys(self.rubric.extra(written, marks.search, part), EXTRA)
        counts = Counter(kinds.values())
        grade = PartGrade(
            part,
            marks.parts[part],
            self.exercise.marks[part],
            max(len(expected.keys() | lost), 1),
            counts[CORRECT],
            counts[FOLLOWS],
            counts[WRONG] + counts[MISSING] + counts[EXTRA],
            is_shown=part not in marks.not_shown,
        )
        if not grade.is_shown and written[part]:  # a blank part has remarks of its own
            grade.remarks.append(self._not_shown(part, marks.not_shown[part]))
        if not written[part] and part not in (VALUES, WINDOWS):
            grade.remarks.append(Remark(MISSING, "", "not answered"))
        elif part == ORDER:
            grade.remarks += self._first_deviation(written[ORDER], expected, counts)
        else:
            grade.remarks += [
                self._remark(written, part, key, kinds[key]) for key in sorted(kinds) if kinds[key] != CORRECT
            ]
        return grade

    def _kind(self, written: Entries, marks: Marks, part: str, key: Any) -> str:
        """The kind of one entry of the search that the answer is compared with."""
        entry = written[part].get(key)
        if key in marks.search.entries[part] and self.rubric.is_right(
            written, marks.search, part, key, CUTS in marks.not_shown
        ):
            return CORRECT if entry == self.rubric.correct.entries[part].get(key) else FOLLOWS
        if entry is None:
            return MISSING
        return EXTRA if part == CUTS else WRONG

    # ---- remarks ----------------------------------------------------------------------------------------------

    def _remark(self, written: Entries, part: str, key: Any, kind: str) -> Remark:
        id, correct = node_of(self.tree, part, key), self.rubric.correct.entries[part]
        if part == CUTS:
            return self._remark_on_arc(id, key, kind)
        correction = f"correct: {self._shown(part, key, correct[key])}" if key in correct else "correct: not visited"
        if part == BEST:
            chosen = self.tree.nodes[written[BEST][0]].id
            text = "follows from your earlier entries" if kind == FOLLOWS else "is wrong"
            return Remark(kind, chosen, f"{chosen} {text}", correction)
        what = f"{key[1]}: " if part == WINDOWS else ""
        if kind == MISSING:
            return Remark(kind, id, f"{id}: {what}no entry", correction)
        if kind == EXTRA:
            return Remark(kind, id, f"{id}: entry at a node that is never visited")
        text = "follows from your earlier entries" if kind == FOLLOWS else "is wrong"
        return Remark(kind, id, f"{id}: {self._shown(part, key, written[part][key])} {text}", correction)

    def _remark_on_arc(self, id: str, arc: int, kind: str) -> Remark:
        if arc == NOTHING_PRUNED:
            return Remark(kind, "", "nothing is pruned according to your earlier entries, but you crossed out arcs")
        is_pruned = arc in self.rubric.correct.entries[CUTS]
        if kind == FOLLOWS:
            correction = "" if is_pruned else f"correct: {id} is not pruned"
            return Remark(kind, id, f"{id} is pruned according to your earlier entries", correction)
        if kind == MISSING:
            correction = f"the arc to {id} is pruned" if is_pruned else f"the arc to {id} is pruned by your own numbers"
            return Remark(kind, id, "a pruned arc is missing", correction)
        return Remark(kind, id, f"the arc to {id} is crossed out, but {id} is searched")

    def _first_deviation(
        self, written: Mapping[int, int], expected: Mapping[int, int], counts: Counter[str]
    ) -> list[Remark]:
        wrong = [key for key, before in expected.items() if written.get(key) != before]
        if not wrong:
            return [Remark(FOLLOWS, "", "the order follows from your earlier entries")] if counts[FOLLOWS] else []
        names = {START: "the start", END: "the end"}
        id, before = (names.get(index) or self.tree.nodes[index].id for index in (wrong[0], expected[wrong[0]]))
        text = f"{len(wrong)} of {len(expected)} steps are wrong or missing"
        return [Remark(WRONG, "", text, f"first one: {id} comes right after {before}")]

    def _not_shown(self, part: str, reason: NotShown) -> Remark:
        if reason.mistake is None:
            return Remark(NOT_SHOWN, "", "no marks: the values do not show where the best move comes from")
        text = (
            f'no marks: of the entries that rule out the mistake "{reason.mistake.title}", '
            f"{reason.right} of {reason.telling} are right; more than half must be"
        )
        return Remark(NOT_SHOWN, "", text)

    def _shown(self, part: str, key: Any, entry: Any) -> str:
        """An entry as text."""
        if part == BEST:
            return str(self.tree.nodes[entry].id)
        if part == VALUES:
            return format_number(self.exercise.convert_value(self.tree.nodes[key], entry))
        index, kind = key
        return f"{kind} {format_window(self.exercise, index, kind, entry)}"


def format_window(exercise: Exercise, index: int, kind: str, window: Window) -> str:
    """Format a window of a node as the convention writes it: ``[alpha, beta]``, or one number for a bound."""
    node = exercise.searched_tree.nodes[index]
    if kind == "bound":
        bound = window[0]
        return format_number(bound if isinstance(bound, float) else exercise.convert_value(node, bound))
    low, high = exercise.convert_window(node, window)
    return f"[{format_number(low)}, {format_number(high)}]"


# ---- a class ----------------------------------------------------------------------------------------------------


@singledispatch
def grader_of(exercise: ExerciseBase) -> Callable[[Mapping[str, Any]], Grade]:
    """The function that grades the content of an answer file. Each kind of exercise registers its own."""
    raise NotImplementedError


@grader_of.register
def _(exercise: Exercise) -> Callable[[Mapping[str, Any]], Grade]:
    grader = Grader(exercise)
    return lambda data: grader.grade(answers.parse_answer(exercise, data))


class ClassGrader:
    """Grades the answers of a class. Each answer names its exercise by id; an unreadable one does not affect others.

    Parameters
    ----------
    exercises : sequence of Exercise
        The exercise of everyone, or the variants; at least one.
    """

    def __init__(self, exercises: Sequence[ExerciseBase]) -> None:
        # Several students may have the same exercise. An answer by none of them is graded with the first one's.
        self.exercises = {exercise.id: exercise for exercise in reversed(exercises)}
        self._of_students = {(exercise.id, exercise.student.casefold()): exercise for exercise in exercises}
        self._graders: dict[tuple[str, str], Callable[[Mapping[str, Any]], Grade]] = {}
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
                self._graders[id, exercise.student] = grader_of(exercise)
            grade = self._graders[id, exercise.student](data)
        except TreeError as error:
            return Grade(student, abbreviated(id)[1:-1], self.max_marks, source=source, problem=str(error))
        grade.source = source
        return grade

    def _exercise(self, id: str) -> ExerciseBase:
        if id in self.exercises:
            return self.exercises[id]
        if len(self.exercises) == 1:
            raise TreeError(f"answer to exercise {abbreviated(id)}; expected exercise {next(iter(self.exercises))}")
        raise TreeError(
            f"answer to exercise {abbreviated(id)}, which is not one of the {len(self.exercises)} exercises"
        )


__all__ = ["ClassGrader", "Grade", "Grader", "PartGrade", "Remark", "format_marks"]
