"""Files of exercises, class lists, and names of output files."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import Any

from zermelo._util.user_files import read_bytes, read_text, shown_path
from zermelo.errors import FileError, TreeError
from zermelo.teaching.exercises.exercise import MAX_VARIANTS, SET_SCHEMA, ExerciseBase
from zermelo.teaching.exercises.input_limits import abbreviated, parse_json
from zermelo.teaching.exercises.kinds import exercise_from_json
from zermelo.teaching.exercises.variants import Spread

#: Limits on exercise files (bytes, nesting of brackets) and on class lists (bytes).
MAX_BYTES, MAX_NESTING, MAX_LIST_BYTES = 64 * 1024 * 1024, 100, 1024 * 1024

#: Column names that identify students, the best first.
_HEADINGS = (
    *("student", "name", "student name", "full name"),
    *("id", "sid", "student id", "id number", "username", "email", "e-mail", "email address"),
)
#: Bytes of a name of a file: most file systems take 255, with the number, the extension and what else the user adds.
_LONGEST_NAME = 200
#: Excel writes semicolons where the comma is the decimal separator.
_DELIMITERS = (",", ";", "\t")


def load_exercises(path: Path) -> list[ExerciseBase]:
    """Read a file with one exercise or a set of variants.

    Raises
    ------
    FileError
        If the file cannot be read.
    TreeError
        If it is not an exercise file.
    """
    try:
        return parse_exercises(read_bytes(path, MAX_BYTES, label=""))
    except (TreeError, FileError) as error:
        raise type(error)(f"{shown_path(path)}: {error}") from None


def parse_exercises(content: bytes) -> list[ExerciseBase]:
    """Parse the content of an exercise file. Raises `TreeError`."""
    data = parse_json(content, MAX_NESTING)
    if isinstance(data, dict) and data.get("schema") == SET_SCHEMA:
        rows = data.get("exercises")
        if not isinstance(rows, list) or not 1 <= len(rows) <= MAX_VARIANTS:
            raise TreeError(f"exercises must be a list of 1 to {MAX_VARIANTS:,} exercises (got {abbreviated(rows)})")
        return list(map(exercise_from_json, rows))
    return [exercise_from_json(data)]


def exercises_as_json(exercises: Sequence[ExerciseBase], spread: Sequence[Spread] = ()) -> dict[str, Any]:
    """The content of an exercise file: one exercise, or a set of several with the spread of their difficulty."""
    if len(exercises) == 1:
        return exercises[0].as_json_with_text()
    return {
        "schema": SET_SCHEMA,
        "seed": exercises[0].seed,
        **({"spread": {each.measure: each.as_json() for each in spread}} if spread else {}),
        "exercises": [each.as_json_with_text() for each in exercises],
    }


def load_students(path: Path) -> list[str]:
    """Read a class list.

    The list has one name a line, or is a CSV file whose first row has a column student, name, id or email; without
    such a heading the first column is used.

    Raises
    ------
    FileError
        If the file cannot be read or is not UTF-8 text.
    TreeError
        If the list is empty, or if a name is duplicated or not printable.
    """
    try:
        return parse_students(read_text(path, MAX_LIST_BYTES, label=""))
    except (TreeError, FileError) as error:
        raise type(error)(f"{shown_path(path)}: {error}") from None


def parse_students(text: str) -> list[str]:
    """Parse the text of a class list, as `load_students` reads it. Raises `TreeError`."""
    column, rows = _name_column(text)
    names = [row[column].strip() for row in rows if column < len(row) and row[column].strip()]
    if not names:
        raise TreeError("no names found; write one name a line, or a CSV file with a column student, name or id")
    seen: set[str] = set()
    for name in names:
        if len(name) > 200 or not name.isprintable():
            raise TreeError(f"invalid name {abbreviated(name)}; a name has at most 200 printable characters")
        if name.casefold() in seen:
            raise TreeError(f"duplicate name {abbreviated(name)}; names must be unique")
        seen.add(name.casefold())
    return names


def _name_column(text: str) -> tuple[int, list[list[str]]]:
    """The column of a CSV file that holds the names, and its rows without the headings."""
    headings, rows = read_table(text, lambda cell: cell.casefold() in _HEADINGS)
    names = [heading.casefold() for heading in headings]
    columns = [names.index(heading) for heading in _HEADINGS if heading in names]
    return (columns[0] if columns else 0), rows


def read_table(text: str, is_heading: Callable[[str], bool]) -> tuple[list[str], list[list[str]]]:
    """Split CSV with commas, semicolons or tabs into its headings and its rows, blank rows left out.

    The delimiter is the first with which a cell of the first row is a heading. The headings are empty if there is none;
    then the first row is one of the rows.

    Raises
    ------
    TreeError
        If the text is not CSV.
    """
    tables = []
    for delimiter in _DELIMITERS:
        try:
            reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
            rows = [row for row in reader if "".join(row).strip()]
        except csv.Error as error:
            raise TreeError(f"invalid CSV: {error}") from None
        if rows and any(is_heading(cell.strip()) for cell in rows[0]):
            return [cell.strip() for cell in rows[0]], rows[1:]
        tables.append(rows)
    return [], tables[0]


def unique_names(paths: Sequence[Path]) -> list[str]:
    """A distinct name for each file: its stem, if necessary prefixed with the folder or followed by a number.

    Long stems are shortened, so that a file system takes the name with an extension.
    """
    names = [shortened(path.stem) for path in paths]
    duplicates = _duplicates(names)
    names = [
        shortened(f"{path.parent.name}-{path.stem}") if name.casefold() in duplicates else name
        for path, name in zip(paths, names, strict=True)
    ]
    duplicates = _duplicates(names)
    taken = {name.casefold() for name in names}
    for index, name in enumerate(names):
        if name.casefold() in duplicates:
            numbered = (f"{name}-{number}" for number in count(index + 1))
            names[index] = next(each for each in numbered if each.casefold() not in taken)
            taken.add(names[index].casefold())
    return names


def shortened(name: str) -> str:
    """The beginning of a name that takes at most `_LONGEST_NAME` bytes in UTF-8."""
    size = 0
    for index, character in enumerate(name):
        size += len(character.encode("utf-8", "surrogatepass"))  # bytes of a file name that are not UTF-8
        if size > _LONGEST_NAME:
            return name[:index]
    return name


def _duplicates(names: Sequence[str]) -> set[str]:
    """The names, in lower case, that occur more than once on a case-insensitive file system."""
    return {name for name, number in Counter(name.casefold() for name in names).items() if number > 1}


def expand_path(pattern: Path, exercise: ExerciseBase) -> Path:
    """Replace ``{}`` in a file name with the variant's number and the student's name."""
    number = "" if exercise.variant is None else f"{exercise.variant:03}"
    student = shortened(re.sub(r"[^\w.-]+", "-", exercise.student).strip("-.")[:80])
    return pattern.with_name(pattern.name.replace("{}", "-".join(filter(None, (number, student))) or exercise.id))
