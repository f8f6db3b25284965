"""The files of exercises: one or many in a JSON, the list of a class, and names for a file each."""

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

#: The longest file of exercises, and its deepest brackets; the longest list of a class.
LONGEST, DEEPEST, LONGEST_LIST = 64 * 1024 * 1024, 100, 1024 * 1024

#: The columns that tell students apart, the best first; and what parts columns: Excel writes semicolons in many places.
_HEADS = (
    *("student", "name", "student name", "full name"),
    *("id", "sid", "student id", "id number", "username", "email", "e-mail", "email address"),
)
_DELIMITERS = (",", ";", "\t")


def load_exercises(path: Path) -> list[Exercise]:
    """The exercises of a file, one or a set of variants. Raises `TreeError`."""
    try:
        data = parse_json(read_limited(path, LONGEST), DEEPEST)
        if isinstance(data, dict) and data.get("schema") == SET_SCHEMA:
            rows = data.get("exercises")
            if not isinstance(rows, list) or not 1 <= len(rows) <= MAX_VARIANTS:
                raise TreeError(f"exercises: a list of 1 to {MAX_VARIANTS:,} exercises, not {abbreviated(rows)}")
            return [Exercise.from_json(row) for row in rows]
        return [Exercise.from_json(data)]
    except (TreeError, FileError) as error:
        raise type(error)(f"{path}: {error}") from None


def exercises_as_json(exercises: Sequence[Exercise]) -> dict[str, Any]:
    """What is written into a file: the exercise, or a set of several."""
    if len(exercises) == 1:
        return exercises[0].as_json_with_text()
    return {
        "schema": SET_SCHEMA,
        "seed": exercises[0].seed,
        "exercises": [each.as_json_with_text() for each in exercises],
    }


def load_students(path: Path) -> list[str]:
    """The names of a class: a name a line, or a CSV whose first row names its columns (student, name or id; else the
    first column counts). Raises `TreeError` for an empty list, a name that is there twice, and what is no name.
    """
    try:
        try:
            text = read_limited(path, LONGEST_LIST).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise TreeError(f"byte {error.start} is no UTF-8; a list of names is text") from None
        column, rows = _column(text)
        names = [row[column].strip() for row in rows if column < len(row) and row[column].strip()]
        if not names:
            raise TreeError("no names in it; a name a line, or a CSV with a column student, name or id")
        seen: set[str] = set()
        for name in names:
            if len(name) > 200 or not name.isprintable():
                raise TreeError(f"{abbreviated(name)} is no name of at most 200 printable letters")
            if name.casefold() in seen:
                raise TreeError(f"{abbreviated(name)} is there twice; each needs a name of their own")
            seen.add(name.casefold())
        return names
    except (TreeError, FileError) as error:
        raise type(error)(f"{path}: {error}") from None


def _column(text: str) -> tuple[int, list[list[str]]]:
    """Which column of a CSV has the names, and its rows without their head."""
    tried = []
    for delimiter in _DELIMITERS:
        try:
            read = csv.reader(io.StringIO(text), delimiter=delimiter)
            rows = [row for row in read if any(cell.strip() for cell in row)]
        except csv.Error as error:
            raise TreeError(f"no CSV: {error}") from None
        heads = [cell.strip().casefold() for cell in rows[0]] if rows else []
        named = [heads.index(head) for head in _HEADS if head in heads]
        if named:
            return named[0], rows[1:]
        tried.append(rows)
    return 0, tried[0]


def unique_names(paths: Sequence[Path]) -> list[str]:
    """A name for each of some files, none twice: its own without the end; with the folder's before it if that is there
    twice, and a number behind it if that does not help.
    """
    names = [path.stem for path in paths]
    twice = _twice(names)
    names = [f"{path.parent.name}-{path.stem}" if path.stem.casefold() in twice else path.stem for path in paths]
    twice = _twice(names)
    return [f"{name}-{number}" if name.casefold() in twice else name for number, name in enumerate(names, 1)]


def _twice(names: Sequence[str]) -> set[str]:
    """The names that are there more than once, also where letters count alike large and small."""
    return {name for name, count in Counter(name.casefold() for name in names).items() if count > 1}


def expand_path(pattern: Path, exercise: Exercise) -> Path:
    """A file for one exercise of several: `{}` in the name becomes the variant's number and the student's name."""
    number = "" if exercise.variant is None else f"{exercise.variant:03}"
    words = re.sub(r"[^\w.-]+", "-", exercise.student).strip("-.")[:80]
    return pattern.with_name(pattern.name.replace("{}", "-".join(filter(None, (number, words))) or exercise.id))
