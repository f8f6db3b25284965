"""The results of a class: the grades of its answers, who handed in several, and who handed in none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from zermelo.errors import TreeError
from zermelo.teaching.exercises.answer_files import Submission
from zermelo.teaching.exercises.answers import student_name
from zermelo.teaching.exercises.exercise import ExerciseBase
from zermelo.teaching.exercises.grading import ClassGrader, Grade

#: Maximum number of answers of a class.
MAX_ANSWERS = 5_000


@dataclass
class ClassResults:
    """The grades of a class, answer by answer.

    Parameters
    ----------
    exercises : sequence of Exercise
        The exercise of everyone, or the variants; at least one.

    Attributes
    ----------
    grades : list of Grade
        The grades, in the order in which the answers were added.
    names : list of Path
        For each grade a name for files about it.
    """

    exercises: Sequence[ExerciseBase]
    grades: list[Grade] = field(default_factory=list)
    names: list[Path] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._grader = ClassGrader(self.exercises)
        #: The first graded answer of each student to each exercise.
        self._first: dict[tuple[str, str], Grade] = {}

    def add(self, submission: Submission) -> Grade:
        """Grade an answer and add the grade. An answer that cannot be read gets a grade with its problem.

        Raises
        ------
        TreeError
            If there are more than `MAX_ANSWERS` answers.
        """
        if len(self.grades) >= MAX_ANSWERS:
            raise TreeError(f"more than {MAX_ANSWERS:,} answers; grade fewer at once")
        if submission.problem:
            student = student_name(submission.data)
            grade = Grade(student, "", self._grader.max_marks, source=submission.source, problem=submission.problem)
        else:
            grade = self._grader.grade(submission.data, submission.source)
        if grade.student and not grade.problem:
            first = self._first.setdefault((grade.student.casefold(), grade.exercise), grade)
            if first is not grade:
                grade.notes.append(f"{grade.student} has also handed in {first.source}")
        self.grades.append(grade)
        self.names.append(submission.name)
        return grade

    @property
    def absent(self) -> list[ExerciseBase]:
        """The exercises of the students without an answer."""
        present = {grade.student.casefold() for grade in self.grades}
        return [each for each in self.exercises if each.student and each.student.casefold() not in present]
