"""Files of exercises, class lists, and names of output files."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from zermelo.errors import FileError, TreeError
from zermelo.teaching.exercises.exercise import MAX_VARIANTS, SET_SCHEMA, Exercise
from zermelo.teaching.exercises.input_limits import abbreviated, parse_json, read_limited

#: Limits on exercise files (bytes, nesting of brackets) and on class lists (bytes).
MAX_BYTES, MAX_NESTING, MAX_LIST_BYTES = 64 * 1024 * 1024, 100, 1024 * 1024

#: Column names that identify students, the best first.
_HEADINGS = (
    *("student", "name", "student name", "full name"),
    *("id", "sid", "student id", "id number", "username", "email", "e-mail", "email address"),
)
#: Excel writes semicolons where the comma is the decimal separator.
_DELIMITERS = (",", ";", "\t")


def load_exercises(path: Path) -> list[Exercise]:
    """Read a file with one exercise or a set of variants.

    Raises
    ------
    FileError
        If the file cannot be read.
    TreeError
        If it is not an exercise file.
    """
    try:
        data = parse_json(read_limited(path, MAX_BYTES), MAX_NESTING)
        if isinstance(data, dict) and data.get("schema") == SET_SCHEMA:
            rows = data.get("exercises")
            if not isinstance(rows, list) or not 1 <= len(rows) <= MAX_VARIANTS:
                raise TreeError(
                    f"exercises must be a list of 1 to {MAX_VARIANTS:,} exercises (got {abbreviated(rows)})"
                )
            return [Exercise.from_json(row) for row in rows]
        return [Exercise.from_json(data)]
    except (TreeError, FileError) as error:
        raise type(error)(f"{path}: {error}") from None


def exercises_as_json(exercises: Sequence[Exercise]) -> dict[str, Any]:
    """The content of an exercise file: one exercise, or a set of several."""
    if len(exercises) == 1:
        return exercises[0].as_json_with_text()
    return {
        "schema": SET_SCHEMA,
        "seed": exercises[0].seed,
        "exercises": [each.as_json_with_text() for each in exercises],
    }


def load_students(path: Path) -> list[str]:
    """Read a class list.

    The list has one name a line, or is a CSV file whose first row has a column student, name, id or email; without
    such a heading the first column is used.

    Raises
    ------
    FileError
        If the file cannot be read.
    TreeError
        If the list is empty or not text, or if a name is duplicated or not printable.
    """
    try:
        try:
            text = read_limited(path, MAX_LIST_BYTES).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise TreeError(f"not a text file: invalid UTF-8 at byte {error.start}") from None
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
    except (TreeError, FileError) as error:
        raise type(error)(f"{path}: {error}") from None


def _name_column(text: str) -> tuple[int, list[list[str]]]:
    """The column of a CSV file that holds the names, and its rows without the headings."""
    candidates = []
    for delimiter in _DELIMITERS:
        try:
            reader = csv.reader(io.StringIO(text), delimiter=delimiter)
            rows = [row for row in reader if any(cell.strip() for cell in row)]
        except csv.Error as error:
            raise TreeError(f"invalid CSV: {error}") from None
        headings = [cell.strip().casefold() for cell in rows[0]] if rows else []
        columns = [headings.index(heading) for heading in _HEADINGS if heading in headings]
        if columns:
            return columns[0], rows[1:]
        candidates.append(rows)
    return 0, candidates[0]


def unique_names(paths: Sequence[Path]) -> list[str]:
    """A distinct name for each file: its stem, if necessary prefixed with the folder or followed by a number."""
    names = [path.stem for path in paths]
    duplicates = _duplicates(names)
    names = [f"{path.parent.name}-{path.stem}" if path.stem.casefold() in duplicates else path.stem for path in paths]
    duplicates = _duplicates(names)
    return [f"{name}-{number}" if name.casefold() in duplicates else name for number, name in enumerate(names, 1)]


def _duplicates(names: Sequence[str]) -> set[str]:
    """The names, in lower case, that occur more than once on a case-insensitive file system."""
    return {name for name, count in Counter(name.casefold() for name in names).items() if count > 1}


def expand_path(pattern: Path, exercise: Exercise) -> Path:
    """Replace ``{}`` in a file name with the variant's number and the student's name."""
    number = "" if exercise.variant is None else f"{exercise.variant:03}"
    student = re.sub(r"[^\w.-]+", "-", exercise.student).strip("-.")[:80]
    return pattern.with_name(pattern.name.replace("{}", "-".join(filter(None, (number, student))) or exercise.id))
