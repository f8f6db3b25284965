"""Exercises that consist of items: entries which are right or wrong each.

A kind of exercise derives a class from `ItemExercise` and says what is asked: its `parts`. Reading and grading answers,
the answer form, the sheet and the file format follow from the parts.

A part is a table (an entry for each key, such as a node or a term), a set of names, or a single entry. `item_marking`
makes the marks; a kind says what follows from a wrong entry (`after`), and what people without a skill write.
"""

from __future__ import annotations

import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar

from zermelo.errors import TreeError
from zermelo.teaching.exercises import answers
from zermelo.teaching.exercises.answer_notation import is_blank, read_bound, read_number, read_window
from zermelo.teaching.exercises.exercise import (
    MAX_MARKS,
    SCHEMA,
    ExerciseBase,
    optional_int,
    optional_text,
)
from zermelo.teaching.exercises.grading import (
    CORRECT,
    EXTRA,
    FOLLOWS,
    MISSING,
    WRONG,
    Grade,
    PartGrade,
    Remark,
    grader_of,
)
from zermelo.teaching.exercises.input_limits import abbreviated
from zermelo.teaching.exercises.kinds.item_marking import Entries, ItemMarker, ItemMarks, Rival, Slip
from zermelo.teaching.exercises.rubric import LIMIT
from zermelo.teaching.exercises.sheet import Sheet, build_sheet, shown_marks
from zermelo.teaching.exercises.variants import Bound
from zermelo.teaching.tree.numbers import as_json, format_number, to_number

TABLE, SET, SINGLE = "table", "set", "single"
#: Empty rows of a sheet's table beyond the number of its keys, if to find the keys is part of the question.
SPARE_ROWS = 3
#: Maximum length of a list of names in an answer.
MAX_LIST = 1_000
#: What separates entries in a text, and the key of an entry from its content.
_BETWEEN_ENTRIES = re.compile(r"[;\n]|,(?=[^,\[\]()]*[=:])")
_SIGN = re.compile(r"[=:]")
#: Maximum number of remarks on entries that cannot be read.
MAX_REMARKS = 20


class EntryType(NamedTuple):
    """How entries are read, shown and written."""

    #: Converts an entry of an answer file; raises `TreeError`. Two entries are equal if the results are.
    read: Callable[[Any], Any]
    show: Callable[[Any], str]
    as_json: Callable[[Any], Any]


NUMBER = EntryType(read_number, format_number, as_json)
BOUND = EntryType(read_bound, format_number, as_json)
WINDOW = EntryType(
    read_window, lambda window: f"[{', '.join(map(format_number, window))}]", lambda window: list(map(as_json, window))
)


def read_name(written: Any) -> str:
    """Read the name of a node, a move or a position: text without surrounding blanks."""
    if isinstance(written, int) and not isinstance(written, bool):
        written = str(written) if abs(written) < 10**30 else ""
    if not isinstance(written, str) or not written.strip() or len(written) > answers.MAX_NAME:
        raise TreeError(f"expected a name, found {abbreviated(written)}")
    return written.strip()


def names_type(read: Callable[[Any], str] = read_name, *, ordered: bool) -> EntryType:
    """The type of a list of names, in which the order matters or not."""

    def read_names(written: Any) -> tuple[str, ...]:
        words = written.replace(",", " ").split() if isinstance(written, str) else written
        if not isinstance(words, list) or len(words) > MAX_LIST:
            raise TreeError(f'expected a list of names, ["B", "C"], found {abbreviated(written)}')
        names = [read(word) for word in words]
        return tuple(names) if ordered else tuple(sorted(set(names)))

    return EntryType(read_names, lambda names: ", ".join(names) or "none", list)


NAME = EntryType(read_name, str, str)


class Part(NamedTuple):
    """One question of an exercise, with its correct entries."""

    name: str
    question: str
    shape: str
    entry: EntryType
    #: The correct entries: by key in a table; a set's names with an empty entry each; under "" if the part is single.
    correct: Mapping[str, Any]
    #: Why each entry is correct, by key; shown with the correction.
    reasons: Mapping[str, str] = {}
    #: Whether to find the keys is part of the question, so that the form and the sheet do not show them.
    is_open: bool = False
    #: Converts a key of an answer to one of `correct`.
    read_key: Callable[[Any], str] = read_name
    #: The keys of the form and the sheet, if they are more than those with a correct entry.
    keys: tuple[str, ...] = ()

    @property
    def form_keys(self) -> tuple[str, ...]:
        """The keys of the form and the sheet."""
        return () if self.is_open else self.keys or tuple(self.correct)

    @property
    def items(self) -> int:
        """The number of items; an empty set is one."""
        return max(len(self.correct), 1)


@dataclass
class ItemAnswer:
    """An answer: the entries of each part, by key. Parts that are not answered are missing.

    Attributes
    ----------
    entries : dict of str to dict
        For each part its entries, by key.
    student : str
        The student's name.
    remarks : list of str
        Entries that could not be read.
    """

    entries: dict[str, dict[str, Any]]
    student: str
    remarks: list[str]


@dataclass(frozen=True, kw_only=True)
class ItemExercise(ExerciseBase, ABC):
    """An exercise of items. Subclasses add fields for the task, and define the abstract methods.

    Parameters
    ----------
    marks : mapping of str to number
        Marks of each part that is asked for.
    title, student : str
        Heading of the sheet, and the student the exercise is set for.
    seed, variant : int, optional
        Where the exercise comes from.
    """

    marks: Mapping[str, Any]
    title: str = ""
    seed: int | None = None
    variant: int | None = None
    student: str = ""

    #: Marks of each part by default; its keys are the parts.
    DEFAULT_MARKS: ClassVar[Mapping[str, int]] = {}
    #: Title of sheets without one.
    DEFAULT_TITLE: ClassVar[str] = ""

    def check_marks(self) -> None:
        """Raise `TreeError` if a part is unknown or its marks are out of range."""
        for part, marks in self.marks.items():
            if part not in self.DEFAULT_MARKS:
                raise TreeError(
                    f"exercise: unknown part {abbreviated(part)}; the parts are {', '.join(self.DEFAULT_MARKS)}"
                )
            if not 0 < marks <= MAX_MARKS:
                raise TreeError(
                    f"exercise: marks for {part} must be above 0 and at most {MAX_MARKS} (got {format_number(marks)})"
                )
        if not self.marks:
            raise TreeError(f"exercise: no parts to answer; ask for at least one of {', '.join(self.DEFAULT_MARKS)}")

    # ---- the task ---------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def statement(self) -> list[str]:
        """The instructions: every rule that an answer depends on, one item a line."""

    @abstractmethod
    def all_parts(self) -> list[Part]:
        """All parts of this kind, asked for or not."""

    @abstractmethod
    def task_as_json(self) -> dict[str, Any]:
        """The fields of the task as plain data."""

    @classmethod
    @abstractmethod
    def task_from_json(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of the task from plain data. Raises `TreeError`."""

    @abstractmethod
    def drawn(self, *, solution: bool) -> Any:
        """What the sheet shows: a state, a tree or a trace."""

    def given_columns(self) -> Mapping[str, Mapping[str, str]]:
        """Columns of the sheet's table that are given: heading, and cells by key."""
        return {}

    @abstractmethod
    def measures(self) -> Iterator[tuple[str, Any]]:
        """Yield the name and value of each measure of size and difficulty."""

    # ---- common to all kinds ----------------------------------------------------------------------------------

    @cached_property
    def parts(self) -> list[Part]:
        """The parts that are asked for."""
        return [part for part in self.all_parts() if part.name in self.marks]

    @cached_property
    def id(self) -> str:
        """Identifier that answers refer to: 12 hexadecimal digits of a hash over the task and the marks."""
        content = [self.kind, self.task_as_json(), {part: as_json(marks) for part, marks in self.marks.items()}]
        return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:12]

    @cached_property
    def questions(self) -> list[tuple[str, str, Any]]:
        """The questions as (part, text, marks)."""
        return [(part.name, part.question, self.marks[part.name]) for part in self.parts]

    def as_json(self) -> dict[str, Any]:
        """The exercise as plain data, without its solution."""
        return {
            "schema": SCHEMA,
            "kind": self.kind,
            "title": self.title,
            "seed": self.seed,
            "variant": self.variant,
            "student": self.student,
            "marks": {part.name: as_json(self.marks[part.name]) for part in self.parts},
            **self.task_as_json(),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read an exercise from plain data.

        Raises
        ------
        TreeError
            If a field is wrong, or if the content no longer matches the stored id.
        """
        marks = data.get("marks")
        if not isinstance(marks, Mapping):
            raise TreeError(f"exercise: marks must map parts ({', '.join(cls.DEFAULT_MARKS)}) to numbers")
        exercise = cls(
            marks={str(part): to_number(value) for part, value in marks.items()},
            title=optional_text(data, "title"),
            seed=optional_int(data, "seed"),
            variant=optional_int(data, "variant"),
            student=optional_text(data, "student"),
            **cls.task_from_json(data),
        )
        exercise.check_id(data.get("id"))
        return exercise

    # ---- answers ----------------------------------------------------------------------------------------------

    def answer_form(self) -> dict[str, Any]:
        """The empty answer form as plain data."""
        form: dict[str, Any] = {"schema": answers.SCHEMA, "exercise": self.id, "student": self.student}
        for part in self.parts:
            form[part.name] = dict.fromkeys(part.form_keys) if part.shape == TABLE else None
        return form

    def correct_answer(self) -> dict[str, Any]:
        """The correct answer as plain data, in the format of an answer file."""
        answer = self.answer_form()
        for part in self.parts:
            if part.shape == SET:
                answer[part.name] = list(part.correct)
            else:
                entries = {key: part.entry.as_json(entry) for key, entry in part.correct.items()}
                answer[part.name] = entries if part.shape == TABLE else entries[""]
        return answer

    def solution_key(self) -> str:
        """The correct answer as text, equal for two exercises only if all answers are."""
        answer = self.correct_answer()
        return json.dumps([answer[part.name] for part in self.parts])

    def parse_answer(self, data: Mapping[str, Any]) -> ItemAnswer:
        """Read an answer; entries that cannot be read are left out and listed in `ItemAnswer.remarks`."""
        answer = ItemAnswer({}, answers.student_name(data), [])

        def remark(text: str) -> None:
            if len(answer.remarks) < MAX_REMARKS:
                answer.remarks.append(text)
            elif len(answer.remarks) == MAX_REMARKS:
                answer.remarks.append("... and more entries that cannot be read")

        by_name = {part.name: part for part in self.parts}
        for key, written in data.items():
            name = key if key in by_name else answers.part_name(key)
            if name in ("schema", "exercise", "student"):
                continue
            if name not in by_name:
                is_part = name in self.DEFAULT_MARKS
                remark(f"{name}: not asked for" if is_part else f"unknown key {abbreviated(name)}")
            elif written is not None:
                entries = dict(_entries(by_name[name], self.key_name, written, remark))
                if entries or (by_name[name].shape == SET and written == []):
                    answer.entries[name] = entries
        return answer

    # ---- grading ----------------------------------------------------------------------------------------------

    def grade(self, data: Mapping[str, Any]) -> Grade:
        """Grade the content of an answer file."""
        answer = self.parse_answer(data)
        grade = Grade(
            student=answer.student or self.student,
            exercise=self.id,
            max_marks=self.total_marks,
            variant=self.variant,
            notes=list(answer.remarks),
        )
        if answer.student and self.student and answer.student.casefold() != self.student.casefold():
            grade.notes.append(f"{answer.student} answered the exercise of {self.student}")
        written = {part.name: answer.entries[part.name] for part in self.parts if part.name in answer.entries}
        marks = self.mark(written)
        grade.parts = [self._part_grade(part, written.get(part.name), marks) for part in self.parts]
        if marks.slip is not None:
            where = f"{marks.slip.key} ({_heading(marks.slip.part)})"
            grade.notes.append(f"follow-through from {where}: later entries are marked as they follow from it")
        if marks.limited_by:
            skills = " and ".join(marks.limited_by)
            grade.notes.append(
                f"at most {LIMIT * 100} % of the marks, because the answer does not show the skill of: {skills}"
            )
        return grade

    @cached_property
    def correct_entries(self) -> Entries:
        """The correct entries of the parts that are asked for."""
        return {part.name: part.correct for part in self.parts}

    def mark(self, written: Entries) -> ItemMarks:
        """Mark the entries of an answer, by part."""
        return self._marker.mark(written, self._slips(written))

    @cached_property
    def _marker(self) -> ItemMarker:
        return ItemMarker(self.correct_entries, self.marks, list(self.rivals()))

    def rivals(self) -> Iterator[Rival]:
        """Yield the answers of people who lack a skill; they earn at most 60 % of the marks."""
        yield from ()

    def after(self, part: str, key: str, entry: Any, written: Entries) -> Entries | None:
        """The entries that change if the work goes on from a wrong entry.

        Parameters
        ----------
        part, key : str
            Which entry is wrong.
        entry : object
            The wrong entry.
        written : mapping
            The whole answer.

        Returns
        -------
        mapping or None
            The correct entries of the parts that change; None if no other entry depends on this one.
        """
        return None

    def _slips(self, written: Entries) -> Iterator[Slip]:
        for part in self.parts:
            if part.shape == TABLE and part.name in written:
                for key, entry in written[part.name].items():
                    if key in part.correct and entry != part.correct[key]:
                        after = self.after(part.name, key, entry, written)
                        if after is not None:
                            yield Slip(part.name, key, after)

    def hint(self, part: str, key: str) -> str:
        """What an entry depends on, without the entry; a sentence. The key is empty if the form does not show it."""
        return ""

    def _part_grade(self, part: Part, written: Mapping[str, Any] | None, marks: ItemMarks) -> PartGrade:
        remarks = list(_remarks(part, written, marks))
        # Which keys are missing is part of the solution unless the form shows them.
        in_form = part.form_keys if part.shape == TABLE else ()
        for number, remark in enumerate(remarks):
            if remark.kind not in (CORRECT, FOLLOWS):
                key = remark.node if remark.node in (*in_form, *(written or ())) else ""
                hint = self.hint(part.name, key or (in_form[0] if in_form else ""))
                remarks[number] = remark._replace(hint=hint)
        kinds = Counter(remark.kind for remark in remarks)
        items = max(len(marks.entries[part.name].keys() | _slip_keys(part, marks)), 1)
        lost = items - kinds[CORRECT] - kinds[FOLLOWS] + kinds[EXTRA]
        earned, of = marks.parts[part.name], self.marks[part.name]
        return PartGrade(part.name, earned, of, items, kinds[CORRECT], kinds[FOLLOWS], lost, remarks)

    # ---- sheet ------------------------------------------------------------------------------------------------

    def sheet(self, *, solution: bool) -> Sheet:
        """The content of the sheet, blank or with the solution."""
        head, rows = self._table(solution)
        title = self.title or self.DEFAULT_TITLE
        lines = []
        for part in self.parts:
            if part.shape == SET:
                lines.append((_heading(part.name), ", ".join(part.correct) or "none" if solution else ""))
            elif part.shape == SINGLE:
                lines.append((_heading(part.name), part.entry.show(part.correct[""]) if solution else ""))
        return Sheet(
            title=f"{title}: solution" if solution else title,
            student=self.student,
            mark=("" if self.variant is None else f"variant {self.variant}, ") + f"exercise {self.id}",
            statement=self.statement,
            drawn=self.drawn(solution=solution),
            questions=[f"{text} ({shown_marks(marks)})" for _, text, marks in self.questions],
            head=head,
            rows=rows,
            lines=lines,
            total=shown_marks(self.total_marks),
            has_solution=solution,
        )

    def _table(self, solution: bool) -> tuple[list[str], list[list[str]]]:
        """The heading and rows of the table: given columns, then a column for each part that is a table."""
        tables = [part for part in self.parts if part.shape == TABLE]
        if not tables:
            return [], []
        given = self.given_columns()
        keys = list(dict.fromkeys(key for part in tables for key in (part.form_keys or part.correct)))
        hides_keys = any(part.is_open for part in tables) and not solution
        rows = []
        for key in keys:
            entries = [
                part.entry.show(part.correct[key]) if solution and key in part.correct else "" for part in tables
            ]
            rows.append(["" if hides_keys else key, *(column.get(key, "") for column in given.values()), *entries])
        if hides_keys:
            rows += [[""] * len(rows[0]) for _ in range(SPARE_ROWS)]
        return [self.key_name, *given, *(_heading(part.name) for part in tables)], rows

    #: What the keys of the tables are.
    key_name: ClassVar[str] = "node"


def _entries(part: Part, key_name: str, written: Any, remark: Callable[[str], None]) -> Iterator[tuple[str, Any]]:
    """Yield the readable entries of a part with their keys."""

    def attempt(where: str, read: Callable[[Any], Any], entry: Any) -> Any:
        try:
            return read(entry)
        except (TreeError, OverflowError) as error:
            remark(f"{where}: {error}")
            return None

    if part.shape == SINGLE:
        entry = None if is_blank(written) else attempt(part.name, part.entry.read, written)
        if entry is not None:
            yield "", entry
    elif part.shape == SET:
        for name in attempt(part.name, names_type(part.read_key, ordered=True).read, written) or ():
            yield name, ""
    elif (table := _table(written)) is not None:
        for key, entry in table.items():
            if is_blank(entry):
                continue
            name = attempt(part.name, part.read_key, key)
            if name is not None and name not in (*part.correct, *part.keys) and not part.is_open:
                remark(f"{part.name}: unknown {abbreviated(key)}")
            elif name is not None:
                value = attempt(f"{part.name}, {abbreviated(key)[1:-1]}", part.entry.read, entry)
                if value is not None:
                    yield name, value
    else:
        remark(f"{part.name}: expected an entry for each {key_name}, A=3, found {abbreviated(written)}")


def _table(written: Any) -> Mapping[Any, Any] | None:
    """The entries of a table by key, from a mapping or a text such as `A=3, B=[2, 5]`; None for anything else."""
    if isinstance(written, str):
        pairs = (_SIGN.split(entry, 1) for entry in _BETWEEN_ENTRIES.split(written))
        return {pair[0].strip(): pair[1].strip() for pair in pairs if len(pair) == 2} or None
    return written if isinstance(written, Mapping) else None


def _slip_keys(part: Part, marks: ItemMarks) -> set[str]:
    """The key of the slip, if it is in this part."""
    return {marks.slip.key} if marks.slip is not None and marks.slip.part == part.name else set()


def _remarks(part: Part, written: Mapping[str, Any] | None, marks: ItemMarks) -> Iterator[Remark]:
    """A remark on each item of a part, and on each entry too many."""
    if written is None:
        yield Remark(MISSING, "", "not answered")
        return
    expected, slip = marks.entries[part.name], _slip_keys(part, marks)
    if part.shape == SET and not expected and not written:
        yield Remark(CORRECT if not part.correct else FOLLOWS, "", "none")
    keys = dict.fromkeys((*part.correct, *expected))
    for key in keys:
        if key not in expected and key not in slip:
            continue
        where = f"{key}: " if key else ""
        reason = f" ({part.reasons[key]})" if part.reasons.get(key) else ""
        if key not in part.correct:
            correction = "correct: blank" if part.shape != SET else f"correct: without {key}"
        elif part.shape == SET:
            correction = f"{key} belongs to it{reason}"
        else:
            correction = f"correct: {part.entry.show(part.correct[key])}{reason}"
        shown = part.entry.show(written[key]) if part.shape != SET and key in written else key
        if key not in written and part.is_open:  # the key is part of the solution
            yield Remark(MISSING, key, "an entry is missing", f"{where}{correction}")
        elif key not in written:
            text = "a name is missing" if part.shape == SET else f"{where}no entry"
            yield Remark(MISSING, key, text, correction)
        elif key in slip or (part.shape != SET and written[key] != expected[key]):
            yield Remark(WRONG, key, f"{where}{shown} is wrong", correction)
        elif key in part.correct and (part.shape == SET or written[key] == part.correct[key]):
            yield Remark(CORRECT, key, f"{where}{shown}" if part.shape != SET else key)
        else:
            text = f"{where}{shown}" if part.shape != SET else key
            yield Remark(FOLLOWS, key, f"{text} follows from your earlier entries", correction)
    for key in written:
        if key not in expected and key not in slip:
            yield Remark(EXTRA, key, f"{abbreviated(key)[1:-1]} does not belong here")


def _heading(part: str) -> str:
    return part.replace("_", " ")


def allocate(kind: type[ItemExercise], parts: Sequence[str], marks: Mapping[str, Any]) -> dict[str, Any]:
    """The marks of the given parts (by default all), with the kind's default for those not in `marks`."""
    for part in (*parts, *marks):
        if part not in kind.DEFAULT_MARKS:
            raise TreeError(
                f"exercise: unknown part {abbreviated(part)}; the parts of {kind.kind} are "
                f"{', '.join(kind.DEFAULT_MARKS)}"
            )
    asked = parts or list(kind.DEFAULT_MARKS)
    for part in marks:
        if part not in asked:
            raise TreeError(f"exercise: marks given for {part}, which is not asked for (asked: {', '.join(asked)})")
    return {part: marks.get(part, default) for part, default in kind.DEFAULT_MARKS.items() if part in asked}


ItemE = TypeVar("ItemE", bound=ItemExercise)


@dataclass(frozen=True, kw_only=True)
class ItemSpec(ABC, Generic[ItemE]):
    """What exercises of one kind to generate. Subclasses draw them.

    Parameters
    ----------
    marks : mapping of str to number
        Marks of each part that is asked for.
    title : str
        Heading of the sheet.
    bounds : mapping of str to (number, number)
        Bounds on the measures of the kind.
    """

    marks: Mapping[str, Any]
    title: str = ""
    bounds: Mapping[str, Bound] = field(default_factory=dict)

    @abstractmethod
    def given(self) -> ItemE | None:
        """The exercise, if it is given and not drawn. Raises `Unsuitable`."""

    @abstractmethod
    def draw(self, seed: int) -> ItemE:
        """Draw an exercise. Raises `Unsuitable`."""

    def checked(self, exercise: ItemE) -> tuple[ItemE, list[str]]:
        """The exercise, and what it lacks. Raises `Unsuitable`."""
        return exercise, []

    def measures(self, exercise: ItemE) -> Iterator[tuple[str, Any]]:
        """Yield the name and value of each measure of size and difficulty."""
        return exercise.measures()

    def solution_key(self, exercise: ItemE) -> str:
        """The correct answer as text."""
        return exercise.solution_key()


@answers.answer_template.register
def _(exercise: ItemExercise) -> dict[str, Any]:
    return exercise.answer_form()


@grader_of.register
def _(exercise: ItemExercise) -> Callable[[Mapping[str, Any]], Grade]:
    return exercise.grade


@build_sheet.register
def _(exercise: ItemExercise, *, solution: bool = False) -> Sheet:
    return exercise.sheet(solution=solution)
