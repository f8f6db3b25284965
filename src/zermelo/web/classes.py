"""Classes: a set of exercises as one archive, and the grades of the answers that students handed in.

The exercises and the grades of a class are in the server's memory only, until it ends or newer classes need the room.
Each file of answers is read and graded alone, so a bad one costs only itself.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from zermelo.errors import TreeError
from zermelo.teaching.exercises.answer_files import parse_submissions
from zermelo.teaching.exercises.class_archive import class_archive
from zermelo.teaching.exercises.class_results import ClassResults
from zermelo.teaching.exercises.exercise import ExerciseBase
from zermelo.teaching.exercises.files import parse_exercises, parse_students
from zermelo.teaching.exercises.generator import generate_exercises
from zermelo.teaching.exercises.gradescope import round_marks
from zermelo.teaching.exercises.grading import Grade
from zermelo.teaching.exercises.report import count_mistakes, grade_summary, grades_csv, part_names
from zermelo.web.errors import RequestError, field, not_found
from zermelo.web.practice import Drawn, GradeData, grade_data, spec_of
from zermelo.web.routing import Request, endpoint
from zermelo.web.services import Services

#: Classes in memory; files of answers of one class; exercises of one set, which take about 50 ms each.
MAX_CLASSES, MAX_FILES, MAX_SET = 16, 1_000, 300


# ---- a set ------------------------------------------------------------------------------------------------------


class SetRequest(Drawn, frozen=True):
    """A set of exercises of one kind, difficulty and seed: for each student one, or numbered variants."""

    #: A class list, as `zermelo exercise new --students` reads it: a name a line, or CSV.
    students: Annotated[str, Meta(max_length=100_000)] = ""
    #: Number of variants if there is no class list.
    variants: Annotated[int, Meta(ge=1, le=MAX_SET)] = 1
    title: Annotated[str, Meta(max_length=200)] = ""
    format: Literal["html", "tex", "pdf"] = "html"
    #: Whether HTML sheets only save the answer, or also check it.
    mode: Literal["exam", "practice"] = "exam"


class SpreadData(msgspec.Struct, frozen=True):
    """A measure of size and difficulty over the exercises, as text."""

    measure: str
    bound: str
    min: str
    median: str
    max: str


class SetData(msgspec.Struct, frozen=True):
    """A ZIP archive of exercises, sheets, solutions and answer forms."""

    name: str
    archive: bytes
    exercises: int
    spread: list[SpreadData]
    notes: list[str]


@endpoint(
    "POST",
    "/api/class-sets",
    request=SetRequest,
    response=SetData,
    takes_file=True,
    summary="Make the exercises of a class.",
)
def class_set(request: SetRequest, services: Services) -> SetData:
    """Make the exercises of a class, all different and of equal difficulty, as an archive."""
    names: list[str] = []
    if request.students.strip():
        with field("students"):
            names = parse_students(request.students)
            if len(names) > MAX_SET:
                raise TreeError(f"at most {MAX_SET} students (got {len(names):,}); larger sets: zermelo exercise new")
    if request.title and not request.title.isprintable():
        raise RequestError("title: it must be printable", field="title")
    spec = spec_of(request.kind, request.difficulty, request.convention, request.title)
    with field("variants"):
        generated = generate_exercises(spec, request.seed, variants=request.variants, students=names)
    with field("format"):
        archive = class_archive(generated.exercises, generated.spread, format=request.format, mode=request.mode)
    spread = [SpreadData(*each.row()) for each in generated.spread]
    name = f"{request.kind}-{request.difficulty}-{request.seed}.zip"
    return SetData(name, archive, len(generated.exercises), spread, generated.notes)


# ---- grades -----------------------------------------------------------------------------------------------------


class NewClass(Request, frozen=True):
    """A class: the content of the file that `zermelo exercise new` or a set wrote."""

    exercises: str


class ClassPath(Request, frozen=True):
    """A class by its identifier."""

    id: str


class AnswerFile(msgspec.Struct, frozen=True):
    """A file of answers; only the extension of its name means something."""

    name: Annotated[str, Meta(max_length=1_000)]
    content: bytes


class Answers(ClassPath, frozen=True):
    """Files of answers of a class."""

    files: Annotated[list[AnswerFile], Meta(max_length=MAX_FILES)]


class GradePath(ClassPath, frozen=True):
    """A grade by its class and its number, counted from 0."""

    number: Annotated[int, Meta(ge=0)]


class Row(msgspec.Struct, frozen=True):
    """A grade as a row of the table. With a problem, the answer could not be graded."""

    number: int
    student: str
    file: str
    exercise: str
    variant: int | None
    marks: float
    max_marks: float
    parts: dict[str, float]
    mistakes: list[str]
    #: What a teacher reads about the answer: the problem, the mistakes, or the first entry that is wrong.
    summary: str
    notes: list[str]
    problem: str


class ClassTable(msgspec.Struct, frozen=True):
    """The results of a class so far."""

    id: str
    title: str
    exercises: int
    files: int
    #: The parts that are asked for, as columns.
    parts: list[str]
    rows: list[Row]
    #: Students without an answer.
    absent: list[str]
    #: Number of answers that each mistake explains, most frequent first.
    mistakes: dict[str, int]


class CsvText(msgspec.Struct, frozen=True):
    """The text of a CSV file."""

    name: str
    text: str


class _Class:
    """A class in memory."""

    def __init__(self, id: str, exercises: list[ExerciseBase]) -> None:
        self.id = id
        self.results = ClassResults(exercises)
        self.files = 0
        self.lock = threading.Lock()

    def add(self, files: list[AnswerFile]) -> list[Row]:
        """Grade the answers of some files."""
        with self.lock:
            if self.files + len(files) > MAX_FILES:
                raise RequestError(
                    f"a class has at most {MAX_FILES:,} files; grade more with zermelo exercise grade", field="files"
                )
            self.files += len(files)
            first = len(self.results.grades)
            for file in files:
                for submission in parse_submissions(Path(file.name), file.content, self.results.exercises):
                    self.results.add(submission)
            return [_row(number, grade) for number, grade in enumerate(self.results.grades[first:], first)]

    def table(self) -> ClassTable:
        """All results."""
        with self.lock:
            grades, exercises = self.results.grades, self.results.exercises
            return ClassTable(
                id=self.id,
                title=exercises[0].title,
                exercises=len(exercises),
                files=self.files,
                parts=part_names(grades),
                rows=[_row(number, grade) for number, grade in enumerate(grades)],
                absent=[exercise.student for exercise in self.results.absent],
                mistakes=count_mistakes(grades),
            )


class Classes:
    """The classes in memory; a new one takes the place of the one that was used longest ago."""

    def __init__(self, services: Services) -> None:
        self._classes: OrderedDict[str, _Class] = OrderedDict()
        self._lock = threading.Lock()

    def new(self, exercises: list[ExerciseBase]) -> _Class:
        """Make a class of exercises."""
        made = _Class(secrets.token_urlsafe(9), exercises)
        with self._lock:
            self._classes[made.id] = made
            while len(self._classes) > MAX_CLASSES:
                self._classes.popitem(last=False)
        return made

    def get(self, id: str) -> _Class:
        """The class of an identifier. Raises `RequestError`."""
        with self._lock:
            if id not in self._classes:
                raise not_found("the class is no longer in memory; choose the file of its exercises again", "id")
            self._classes.move_to_end(id)
            return self._classes[id]


@endpoint(
    "POST",
    "/api/classes",
    request=NewClass,
    response=ClassTable,
    takes_file=True,
    summary="Begin to grade the answers to a set of exercises.",
)
def class_new(request: NewClass, services: Services) -> ClassTable:
    """Begin to grade the answers to a set of exercises."""
    with field("exercises"):
        exercises = parse_exercises(request.exercises.encode())
    return services.get(Classes).new(exercises).table()


@endpoint(
    "POST",
    "/api/classes/{id}/answers",
    request=Answers,
    response=list[Row],
    takes_file=True,
    summary="Grade files of answers.",
)
def class_answers(request: Answers, services: Services) -> list[Row]:
    """Grade files of answers; what cannot be read is a row with a problem."""
    with field("files"):
        return services.get(Classes).get(request.id).add(request.files)


@endpoint("GET", "/api/classes/{id}", request=ClassPath, response=ClassTable, summary="Return the results of a class.")
def class_table(request: ClassPath, services: Services) -> ClassTable:
    """Return the results of a class so far."""
    return services.get(Classes).get(request.id).table()


@endpoint(
    "GET",
    "/api/classes/{id}/grades/{number}",
    request=GradePath,
    response=GradeData,
    summary="Return one grade with its remarks.",
)
def class_grade(request: GradePath, services: Services) -> GradeData:
    """Return one grade with its remarks and the correct entries."""
    grades = services.get(Classes).get(request.id).results.grades
    if request.number >= len(grades):
        raise not_found(f"number: the class has {len(grades):,} grades", "number")
    return grade_data(grades[request.number], solution=True)


@endpoint(
    "GET", "/api/classes/{id}/csv", request=ClassPath, response=CsvText, summary="Return the results as a CSV file."
)
def class_csv(request: ClassPath, services: Services) -> CsvText:
    """Return the file that `zermelo exercise grade --csv` writes."""
    chosen = services.get(Classes).get(request.id)
    with chosen.lock:
        return CsvText("grades.csv", grades_csv(chosen.results.grades, chosen.results.absent))


def _row(number: int, grade: Grade) -> Row:
    return Row(
        number=number,
        student=grade.student,
        file=grade.source,
        exercise=grade.exercise,
        variant=grade.variant,
        marks=round_marks(grade.marks),
        max_marks=round_marks(grade.max_marks),
        parts={part.part: round_marks(part.marks) for part in grade.parts},
        mistakes=[diagnosis.mistake.title for diagnosis in grade.diagnoses],
        summary=grade_summary(grade),
        notes=grade.notes,
        problem=grade.problem,
    )


ROUTES = [class_set, class_new, class_answers, class_table, class_grade, class_csv]
