"""Practice: exercises drawn from a seed, checked without and graded with their solution.

The server keeps nothing: kind, difficulty and seed make the exercise again when its answer is handed in. A check never
contains a correct entry; only the answer to `hand-in` does.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from zermelo.teaching.exercises.exercise import Exercise, ExerciseBase
from zermelo.teaching.exercises.generator import Spec, generate_exercises
from zermelo.teaching.exercises.grading import Grade, grader_of
from zermelo.teaching.exercises.kinds import KINDS, TREE_SEARCH, KindOptions, kind_of_name
from zermelo.teaching.exercises.kinds.difficulty import DIFFICULTIES, options_of_difficulty
from zermelo.teaching.exercises.kinds.items import BOUND, NUMBER, SET, TABLE, WINDOW, ItemExercise, Part
from zermelo.teaching.exercises.report import grade_as_json
from zermelo.teaching.exercises.sheet import Sheet, build_sheet, shown_marks
from zermelo.teaching.exercises.sheet_html import exercise_data
from zermelo.teaching.tree.convention import Convention
from zermelo.web.drawings import page_svg
from zermelo.web.errors import field
from zermelo.web.routing import NoRequest, Request, endpoint
from zermelo.web.services import Services

#: Seeds that JavaScript holds exactly.
Seed = Annotated[int, Meta(ge=0, le=2**53 - 1)]
Difficulty = Literal["easy", "medium", "hard"]


class Drawn(Request, frozen=True):
    """What determines an exercise."""

    kind: str = TREE_SEARCH
    difficulty: Difficulty = "medium"
    seed: Seed = 0
    #: Algorithm, cutoff rule and variant of the kind tree-search; the words of `--convention`.
    convention: str = ""


class Answered(Drawn, frozen=True):
    """An exercise and the content of its answer file."""

    answer: dict[str, Any] = {}


class KindData(msgspec.Struct, frozen=True):
    """A kind of exercise; `takes_convention` if the search can be chosen."""

    name: str
    summary: str
    takes_convention: bool


class Kinds(msgspec.Struct, frozen=True):
    """The kinds of exercise and the levels of difficulty."""

    kinds: list[KindData]
    difficulties: tuple[str, ...]


class Question(msgspec.Struct, frozen=True):
    """A question with its marks, such as `5 marks`."""

    part: str
    text: str
    marks: str


class Field(msgspec.Struct, frozen=True):
    """A part of a form: a table with an entry for each key, a list of names, or a single entry.

    In an open table the reader writes the keys, too.
    """

    part: str
    shape: str
    keys: tuple[str, ...]
    is_open: bool
    #: An entry, to show how one is written.
    example: str


class ExerciseData(msgspec.Struct, frozen=True):
    """An exercise without its solution: filled in at the nodes of `sheet`, or in the fields of a form."""

    id: str
    kind: str
    title: str
    statement: list[str]
    questions: list[Question]
    total: str
    #: What `scripts/teaching/sheet.js` reads; null for kinds that have a form.
    sheet: dict[str, Any] | None = None
    #: SVG of the tree or the position, for kinds that have a form.
    picture: str = ""
    fields: list[Field] = []
    #: What the keys of the tables are, and columns that are given: heading, cells by key.
    key_name: str = ""
    given: dict[str, dict[str, str]] = {}


class RemarkData(msgspec.Struct, frozen=True):
    """Feedback on one entry."""

    kind: str
    text: str
    node: str | None = None
    #: What the entry depends on; only in a check.
    hint: str = ""


class PartData(msgspec.Struct, frozen=True):
    """The marks of one part."""

    part: str
    marks: float
    max_marks: float
    items: int
    correct: int
    follow_through: int
    lost: int
    is_shown: bool
    remarks: list[RemarkData]


class DiagnosisData(msgspec.Struct, frozen=True):
    """A mistake that explains an answer."""

    id: str
    title: str
    sentence: str


class GradeData(msgspec.Struct, frozen=True):
    """A grade, as `zermelo exercise grade --json` writes it."""

    exercise: str
    marks: float
    max_marks: float
    parts: list[PartData]
    diagnoses: list[DiagnosisData]
    notes: list[str]


class HandedIn(msgspec.Struct, frozen=True):
    """A grade with the correct entries, and the solution: SVG, table and lines of the solved sheet."""

    grade: GradeData
    picture: str
    head: list[str]
    rows: list[list[str]]
    lines: list[tuple[str, str]]


@endpoint("GET", "/api/practice/kinds", response=Kinds, summary="List the kinds of exercise.")
def practice_kinds(request: NoRequest, services: Services) -> Kinds:
    """List the kinds of exercise."""
    kinds = [KindData(kind.name, kind.summary, "convention" in kind.options) for kind in KINDS.values()]
    return Kinds(kinds, DIFFICULTIES)


@endpoint("POST", "/api/practice/exercise", request=Drawn, response=ExerciseData, summary="Draw an exercise.")
def practice_exercise(request: Drawn, services: Services) -> ExerciseData:
    """Draw the exercise of a kind, a difficulty and a seed."""
    exercise = drawn_exercise(request)
    sheet = build_sheet(exercise)
    task = ExerciseData(
        id=exercise.id,
        kind=request.kind,
        title=sheet.title,
        statement=sheet.statement,
        questions=[Question(part, text, shown_marks(marks)) for part, text, marks in exercise.questions],
        total=sheet.total,
    )
    if isinstance(exercise, Exercise):
        return msgspec.structs.replace(task, sheet=exercise_data(exercise))
    assert isinstance(exercise, ItemExercise)
    return msgspec.structs.replace(
        task,
        picture=svg_of(sheet),
        fields=[_field(part) for part in exercise.parts],
        key_name=exercise.key_name,
        given={heading: dict(cells) for heading, cells in exercise.given_columns().items()},
    )


@endpoint(
    "POST",
    "/api/practice/check",
    request=Answered,
    response=GradeData,
    summary="Check an answer, without correct entries.",
)
def practice_check(request: Answered, services: Services) -> GradeData:
    """Check an answer. Remarks say what is wrong or missing and what it depends on, not what would be right."""
    grade = _grade(request)
    data = grade_data(grade, solution=False)
    parts = [
        msgspec.structs.replace(
            part,
            remarks=[
                msgspec.structs.replace(shown, hint=remark.hint)
                for shown, remark in zip(part.remarks, graded.remarks, strict=True)
            ],
        )
        for part, graded in zip(data.parts, grade.parts, strict=True)
    ]
    return msgspec.structs.replace(data, parts=parts, diagnoses=[])


@endpoint(
    "POST",
    "/api/practice/hand-in",
    request=Answered,
    response=HandedIn,
    summary="Grade an answer and return the solution.",
)
def practice_hand_in(request: Answered, services: Services) -> HandedIn:
    """Grade an answer as `zermelo exercise grade` does, with the correct entries and the solved sheet."""
    solved = build_sheet(drawn_exercise(request), solution=True)
    grade = grade_data(_grade(request), solution=True)
    return HandedIn(grade, svg_of(solved), solved.head, solved.rows, solved.lines)


# ---- exercises and grades ---------------------------------------------------------------------------------------


def drawn_exercise(request: Drawn) -> ExerciseBase:
    """The exercise of a request. Raises `RequestError` for an unknown kind, and if a convention does not apply."""
    return _generated(request.kind, request.difficulty, request.seed, request.convention)


@lru_cache(maxsize=256)
def _generated(kind: str, difficulty: str, seed: int, convention: str) -> ExerciseBase:
    spec = spec_of(kind, difficulty, convention)
    with field("convention" if convention else "kind"):
        exercises: list[ExerciseBase] = generate_exercises(spec, seed).exercises
    return exercises[0]


def spec_of(kind: str, difficulty: str, convention: str, title: str = "") -> Spec[Any]:
    """What to generate for a kind, a difficulty and a convention. Raises `RequestError`."""
    with field("kind"):
        chosen = kind_of_name(kind)
    with field("convention"):
        given = KindOptions(convention=Convention.of(convention))
        chosen.check(given)
    options = options_of_difficulty(kind, difficulty, replace(given, title=title))
    with field("convention"):
        return chosen.spec(options)


def grade_data(grade: Grade, *, solution: bool) -> GradeData:
    """A grade as data of the API, with or without the correct entries."""
    return msgspec.convert(grade_as_json(grade, solution=solution), GradeData)


def svg_of(sheet: Sheet) -> str:
    """The picture of a sheet for the page."""
    return page_svg(sheet.drawn, "exercise-", **sheet.picture_options())


def _grade(request: Answered) -> Grade:
    """Grade an answer. It counts as one to this exercise, whatever exercise it names."""
    with field("answer"):
        return grader_of(drawn_exercise(request))(request.answer)


def _field(part: Part) -> Field:
    examples = {id(NUMBER): "3", id(BOUND): "3", id(WINDOW): "[-2, 5]"}
    example = "B, C" if part.shape == SET else examples.get(id(part.entry), "")
    return Field(part.name, part.shape, part.form_keys if part.shape == TABLE else (), part.is_open, example)


ROUTES = [practice_kinds, practice_exercise, practice_check, practice_hand_in]
