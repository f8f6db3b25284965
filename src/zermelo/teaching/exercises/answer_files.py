"""Answer files: JSON, YAML, TOML or plain text for one answer, CSV for the answers of a class.

Plain text has a line for each part, and more lines if one is not enough:

    exercise: 3f0c1a2b3c4d
    student: Ada
    values: A=3, B=3, C=2
    windows: A: entry [-inf, +inf] exit [3, +inf]
             B: entry [-inf, +inf] exit [-inf, 3]
    cuts: c2, c3
    order: A B b1 b2 b3 C c1
    best: B

A CSV file has a row for each student and the columns student, values.A, windows.A.entry, cuts, order, best, ...; a
column values or windows without a node holds a text as above. The column exercise is needed only if the student's name
does not determine the exercise.

Files are untrusted: sizes and nesting are limited, and nothing in them is executed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from zermelo._util.csv_files import csv_text
from zermelo._util.toml import parse_toml
from zermelo._util.user_files import decode_text, read_bytes, shown_path
from zermelo.errors import FileError, MissingDependency, TreeError
from zermelo.teaching.exercises.answers import SCHEMA, answer_template, conflicting, part_name, student_name
from zermelo.teaching.exercises.exercise import BEST, WINDOWS, ExerciseBase
from zermelo.teaching.exercises.files import read_table
from zermelo.teaching.exercises.input_limits import abbreviated, parse_json
from zermelo.teaching.exercises.kinds import PART_NAMES, TABLES

#: Limits on a file with one answer, and on each row of a CSV file: size in bytes, nesting of brackets.
MAX_BYTES, MAX_NESTING = 64 * 1024, 6
#: Limits on a CSV file: size in bytes, rows, columns.
MAX_CSV_BYTES, MAX_ROWS, MAX_COLUMNS = 32 * 1024 * 1024, 5_000, 4_000
_KEYS = ("schema", "exercise", "student", *PART_NAMES)
#: The parts with one entry, which do not go on in the next line.
_SINGLE = (*_KEYS[:3], BEST)
_HEADING = re.compile(r"\s*([A-Za-z][\w ]{1,20}?)\s*[:=](.*)", re.DOTALL)


class Submission(NamedTuple):
    """One answer that was handed in.

    Attributes
    ----------
    source : str
        The file, and for CSV the row: ``class.csv, row 3``.
    name : Path
        A name for files about the answer.
    data : dict
        The content, to be read by `parse_answer`; empty if there is a problem.
    problem : str
        Why the answer cannot be read, in one line, or "".
    """

    source: str
    name: Path
    data: dict[str, Any]
    problem: str = ""


def load_answer(path: Path) -> dict[str, Any]:
    """Read a file with one answer: JSON, YAML, TOML or plain text, by its extension.

    A file with another extension is JSON if it begins with a brace, otherwise plain text.

    Raises
    ------
    FileError
        If the file cannot be read, is too large, a link, or not UTF-8.
    TreeError
        If it is nested too deeply or not an answer.
    MissingDependency
        If it is YAML and PyYAML is not installed.
    """
    return parse_answer_file(read_bytes(path, MAX_BYTES, label="", follow_links=False), path.suffix)


def parse_answer_file(content: bytes, suffix: str) -> dict[str, Any]:
    """Parse the content of a file with one answer. The extension and the errors are those of `load_answer`."""
    parse = _PARSERS.get(suffix.casefold()) or (_json if content.lstrip()[:1] == b"{" else _plain_text)
    data = parse(content)
    if not isinstance(data, dict) or not any(part_name(key) in _KEYS for key in data):
        found = "none of them" if isinstance(data, dict) else abbreviated(data)
        raise TreeError(f"not an answer: expected the keys {', '.join(_KEYS[1:])}, found {found}")
    if data.get("schema", SCHEMA) != SCHEMA:
        raise TreeError(f'not an answer: expected "schema": "{SCHEMA}", found {abbreviated(data["schema"])}')
    return data


def read_submission(path: Path, *, label: str | None = None) -> bytes:
    """Read a file of answers. `label` is its name in the `FileError` that is raised, by default its path."""
    return read_bytes(path, _max_bytes(path), label=label, follow_links=False)


def load_submissions(paths: Iterable[Path], exercises: Sequence[ExerciseBase]) -> Iterator[Submission]:
    """Read answer files one after the other; what is unreadable is a submission with a problem.

    Parameters
    ----------
    paths : iterable of Path
        The files. A ``.csv`` file has an answer in each row.
    exercises : sequence of Exercise
        The exercises that were set. An answer that does not name its exercise belongs to the only one, or to the one of
        its student.

    Yields
    ------
    Submission
        The answers, in order.
    """
    ids = _exercise_ids(exercises)
    for path in paths:
        try:
            content = read_submission(path, label="")
        except FileError as error:
            yield Submission(shown_path(path), path, {}, str(error))
        else:
            yield from _submissions_in(path, content, ids)


def parse_submissions(path: Path, content: bytes, exercises: Sequence[ExerciseBase]) -> Iterator[Submission]:
    """Read the answers in the content of one file, as `load_submissions` does.

    Parameters
    ----------
    path : Path
        The name of the file, which is not opened. Its extension tells the format.
    content : bytes
        The content of the file.
    exercises : sequence of Exercise
        The exercises that were set.

    Yields
    ------
    Submission
        One answer; several for a ``.csv`` file.
    """
    return _submissions_in(path, content, _exercise_ids(exercises))


def _max_bytes(path: Path) -> int:
    return MAX_CSV_BYTES if path.suffix.casefold() == ".csv" else MAX_BYTES


def _submissions_in(path: Path, content: bytes, ids: Mapping[str, str | None]) -> Iterator[Submission]:
    shown = shown_path(path)
    try:
        if len(content) > (limit := _max_bytes(path)):
            raise FileError(f"file too large: expected at most {limit:,} bytes")
        if path.suffix.casefold() != ".csv":
            yield Submission(shown, path, _with_exercise(parse_answer_file(content, path.suffix), ids))
            return
        rows = list(parse_answer_table(content))
    except (TreeError, FileError, MissingDependency) as error:
        yield Submission(shown, path, {}, str(error))
        return
    for number, data in rows:
        student = re.sub(r"[^\w.-]+", "-", student_name(data)).strip("-.")[:80]
        name = path.with_name(f"{path.stem}-{student or number}.csv")
        source = f"{shown}, row {number}"
        try:
            yield Submission(source, name, _with_exercise(data, ids))
        except TreeError as error:
            yield Submission(source, name, {}, str(error))


def _with_exercise(data: dict[str, Any], ids: Mapping[str, str | None]) -> dict[str, Any]:
    """Add the id of the exercise to an answer that does not name it. Raises `TreeError` if it cannot be known."""
    written = next((entry for key, entry in data.items() if part_name(key) == "exercise"), None)
    if isinstance(written, str) and written.strip():
        return data | {"exercise": written.strip().casefold()}
    if written is not None and not isinstance(written, str):
        raise TreeError(f"exercise must be the id of an exercise (got {abbreviated(written)})")
    student = student_name(data)
    id = ids.get(student.casefold()) or ids[""]
    if id is None and len(ids) > 1 and student.casefold() not in ids:
        raise TreeError(
            f"the set has no student {abbreviated(student)}: correct the name, or write the id of the exercise, "
            "printed on the sheet"
        )
    if id is None:
        raise TreeError("exercise is missing: write the id of the exercise, printed on the sheet")
    return data | {"exercise": id}


def _exercise_ids(exercises: Sequence[ExerciseBase]) -> dict[str, str | None]:
    """The id of each student's exercise, by the student's name in lower case; by "" the id of the only exercise.

    None if there are several.
    """
    ids: dict[str, set[str]] = {"": {exercise.id for exercise in exercises}}
    for exercise in exercises:
        if exercise.student:
            ids.setdefault(exercise.student.casefold(), set()).add(exercise.id)
    return {student: None if others else id for student, (id, *others) in ids.items()}


# ---- one answer ---------------------------------------------------------------------------------------------------


def _json(content: bytes) -> Any:
    return parse_json(content, MAX_NESTING, conflict=conflicting)


def _toml(content: bytes) -> dict[str, Any]:
    text = decode_text(content)
    return parse_toml(text, max_key_parts=MAX_NESTING, max_nesting=MAX_NESTING, error=TreeError)


def _plain_text(content: bytes) -> dict[str, Any]:
    """Sections of lines; a line that begins with a key begins a section, with or without a colon."""
    data: dict[str, Any] = {}
    lines: dict[str, list[str]] = {}
    section = ""
    for line in decode_text(content).splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, rest = _section(line)
        if name in _SINGLE:
            data[name] = conflicting(data.get(name, rest), rest)
        elif name:
            lines.setdefault(name, []).append(rest)
        elif section and section not in _SINGLE:
            lines[section].append(line)
        else:
            data.setdefault(line.strip(), "")
        section = name or section
    return data | {name: "\n".join(text).strip() for name, text in lines.items()}


def _section(line: str) -> tuple[str, str]:
    """The key at the beginning of a line, "" if there is none, and the text after it."""
    if (match := _HEADING.fullmatch(line)) and (name := part_name(match[1])) in _KEYS:
        return name, match[2].strip()
    words = line.split(maxsplit=3)
    for count in range(min(len(words), 3), 0, -1):
        if (name := part_name(" ".join(words[:count]))) in _KEYS:
            return name, " ".join(words[count:])
    return "", line


def _yaml(content: bytes) -> Any:
    """Build lists and mappings of texts from the events of a YAML parser.

    No object is constructed and no text is interpreted, so ``no`` and ``1:30`` remain texts. Anchors, which could make
    a small file huge, and tags are refused.
    """
    try:
        import yaml
    except ImportError:
        raise MissingDependency("YAML answers need PyYAML: pip install 'zermelo[yaml]'; or use JSON or text") from None
    text = decode_text(content)
    root: list[Any] = []
    stack: list[Any] = [root]
    keys: list[Any] = [None]
    try:
        for event in yaml.parse(text, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader)):  # C is ten times faster
            line = event.start_mark.line + 1
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) or getattr(event, "tag", None):
                raise TreeError(f"line {line}: anchors, aliases and tags are not allowed")
            if isinstance(event, (yaml.MappingEndEvent, yaml.SequenceEndEvent)):
                stack.pop()
                keys.pop()
                continue
            if not isinstance(event, (yaml.ScalarEvent, yaml.MappingStartEvent, yaml.SequenceStartEvent)):
                continue
            is_text = isinstance(event, yaml.ScalarEvent)
            if len(stack) > MAX_NESTING + is_text:
                raise TreeError(f"line {line}: nested too deeply (more than {MAX_NESTING} levels)")
            entry = event.value if is_text else {} if isinstance(event, yaml.MappingStartEvent) else []
            parent = stack[-1]
            if isinstance(parent, list):
                parent.append(entry)
            elif keys[-1] is None:
                if not is_text:
                    raise TreeError(f"line {line}: a key must be a name")
                keys[-1] = entry
            else:
                parent[keys[-1]] = conflicting(parent[keys[-1]], entry) if keys[-1] in parent else entry
                keys[-1] = None
            if not is_text:
                stack.append(entry)
                keys.append(None)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        raise TreeError(f"{where}invalid YAML: {abbreviated(error.problem)[1:-1]}") from None
    except (yaml.YAMLError, RecursionError, ValueError):
        raise TreeError("invalid YAML") from None
    if len(root) > 1:
        raise TreeError("the file has several YAML documents; expected one answer")
    return root[0] if root else None


_PARSERS: Mapping[str, Callable[[bytes], Any]] = {
    ".json": _json, ".toml": _toml, ".yaml": _yaml, ".yml": _yaml, ".txt": _plain_text,
}  # fmt: skip
#: Extensions of the files with one answer, which a folder of answers is searched for.
SUFFIXES = tuple(_PARSERS)


# ---- a class ------------------------------------------------------------------------------------------------------


def parse_answer_table(content: bytes) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the answers of a CSV file with the numbers of their rows, the headings being row 1.

    Raises
    ------
    FileError
        If the content is not UTF-8.
    TreeError
        If it is not CSV, has no column with answers, or too many rows or columns.
    """
    try:
        text = decode_text(content)
    except FileError as error:
        raise FileError(f"{error}; save the table as CSV UTF-8") from None
    headings, rows = read_table(text, lambda cell: part_name(cell.partition(".")[0]) in _KEYS)
    columns = [_column(heading) for heading in headings]
    if not any(len(column) and column[0] in PART_NAMES for column in columns):
        raise TreeError("no column with answers; expected the columns student, values.A, windows.A.entry, cuts, ...")
    if len(columns) > MAX_COLUMNS or len(rows) > MAX_ROWS:
        raise TreeError(
            f"{len(rows):,} rows of {len(columns):,} columns; at most {MAX_ROWS:,} rows of {MAX_COLUMNS:,} are read"
        )
    for number, row in enumerate(rows, 2):
        data: dict[str, Any] = {}
        for column, cell in zip(columns, row, strict=False):
            if column and cell.strip():
                _put(data, column, cell.strip()[:MAX_BYTES])
        yield number, data


def _column(heading: str) -> tuple[str, ...]:
    """The keys of a column: (cuts,), (values, A), (windows, A, entry), or () if it is not part of an answer."""
    first, dot, rest = heading.partition(".")
    name = part_name(first)
    if name not in _KEYS:
        return ()
    if not dot:
        return (name,)
    node, dot, kind = rest.rpartition(".")
    if name == WINDOWS and dot and kind.strip().casefold() in ("entry", "exit", "bound", "interval"):
        return name, node.strip(), kind.strip().casefold()
    return (name, rest.strip()) if name in TABLES else ()


def _put(data: dict[str, Any], column: tuple[str, ...], cell: str) -> None:
    *outer, last = column
    for key in outer:
        inner = data.setdefault(key, {})
        if not isinstance(inner, dict):  # both a column for the whole part and one for a node
            return
        data = inner
    data[last] = conflicting(data[last], cell) if last in data else cell


# ---- forms --------------------------------------------------------------------------------------------------------


def answer_form(exercises: Sequence[ExerciseBase], suffix: str) -> str:
    """Return an empty form to fill in.

    Parameters
    ----------
    exercises : sequence of Exercise
        The exercises; several fit only into a ``.csv`` form.
    suffix : str
        ``.csv`` for a row for each exercise, ``.txt`` for plain text, anything else for JSON.

    Raises
    ------
    TreeError
        If the extension is that of another format, or if one form cannot hold several exercises.
    """
    if suffix in (".toml", ".yaml", ".yml"):
        raise TreeError(f"answer forms are .json, .txt or .csv files (got {suffix})")
    forms = [answer_template(exercise) for exercise in exercises]
    if suffix == ".csv":
        columns = dict.fromkeys(column for form in forms for column in _columns(form))
        rows = [[form.get(column[0], "") if column[0] in _KEYS[:3] else "" for column in columns] for form in forms]
        return csv_text([[".".join(column) for column in columns], *rows])
    if len(forms) > 1:
        raise TreeError("a form is for one exercise; put {} into its name, for a file each, or name a .csv file")
    return _text_form(forms[0]) if suffix == ".txt" else json.dumps(forms[0], ensure_ascii=False, indent=1) + "\n"


def _parts(form: Mapping[str, Any]) -> list[str]:
    return [key for key in form if key in PART_NAMES]


def _columns(form: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    yield from (("student",), ("exercise",))
    for part in _parts(form):
        for node, kinds in form[part].items() if isinstance(form.get(part), dict) else ():
            yield from [(part, node, kind) for kind in kinds] if kinds else [(part, node)]
        if not form[part]:
            yield (part,)


def _text_form(form: Mapping[str, Any]) -> str:
    lines = [f"{key}: {form[key]}".rstrip() for key in ("exercise", "student")]
    for part in _parts(form):
        lines.append(f"{part}:")
        for node, kinds in form[part].items() if isinstance(form.get(part), dict) else ():
            blanks = "  ".join(f"{kind} [ , ]" if kind != "bound" else "" for kind in kinds or ("bound",))
            lines.append(f"  {node}: {blanks}".rstrip())
    return "\n".join(lines) + "\n"
