"""Formats of every game: one position per line, one game per line as moves, and JSON Lines.

    e2e4 e7e5 g1f3                                        a game from the initial position
    fen 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 moves e2e4        a game from another position
    startpos                                              a game without moves

Lines of moves follow the `position` command of UCI; a leading `position` is ignored. JSON has one object per line:

    {"start": "...", "moves": ["e4", {"move": "e5", "nags": [1], "comments": ["..."], "variations": [...]}], ...}
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from zermelo.core.game import State
from zermelo.errors import FormatError, PositionError
from zermelo.formats.line_reader import TextLine, check_characters, checked
from zermelo.formats.movetext import MAX_DEPTH, OnError, shown
from zermelo.formats.record import (
    MAX_OPERANDS,
    OPERATION,
    UNKNOWN,
    Line,
    Record,
    Step,
    record_from_texts,
    resolve_moves,
)

RESULTS = ("1-0", "0-1", "1/2-1/2", UNKNOWN)


def result_of(state: State) -> str:
    """Return the result of a game: 1-0 if MAX, who moves first, has won; `*` if it is not over."""
    if not state.is_over():
        return UNKNOWN
    utility = state.utility()
    return "1-0" if utility > 0 else "0-1" if utility < 0 else "1/2-1/2"


def _read_lines(lines: Iterable[TextLine], on_error: OnError, read: Callable[[str], Record]) -> Iterator[Record]:
    """Yield a record for each line that is not empty."""
    count = 0
    for line in lines:
        text = line.text.strip()
        if not text and not line.error:
            continue
        count += 1
        try:
            if line.error:
                raise FormatError(line.error)
            yield read(text)
        except FormatError as error:
            on_error(FormatError(error.wrong, game=count, line=line.number, move=error.move))


def _parse_position(cls: type[State], text: str) -> State:
    try:
        return cls.parse(text)
    except PositionError as error:
        raise FormatError(str(error)) from None


# ---- positions ------------------------------------------------------------------------------------------------


def read_positions(cls: type[State], lines: Iterable[TextLine], on_error: OnError) -> Iterator[Record]:
    """Read positions in the game's notation, one per line."""
    yield from _read_lines(lines, on_error, lambda text: Record(_parse_position(cls, text)))


def write_position(record: Record) -> str:
    """Return the final position of a game."""
    return f"{record.end()}\n"


# ---- moves ----------------------------------------------------------------------------------------------------


def read_moves(cls: type[State], lines: Iterable[TextLine], on_error: OnError) -> Iterator[Record]:
    """Read games as lines of moves."""
    yield from _read_lines(lines, on_error, lambda text: _parse_moves(cls, text))


def _parse_moves(cls: type[State], text: str) -> Record:
    words = text.split()
    if words[0] == "position":
        words = words[1:]
    begins = bool(words) and words[0] in ("startpos", "fen")
    if "moves" in words:
        split = words.index("moves")
        head, moves = words[:split], words[split + 1 :]
    elif begins:
        head, moves = words, []
    else:
        head, moves = [], words
    position = head[1:] if begins else head
    if begins and (words[0] == "startpos") == bool(position):
        raise FormatError(f"{shown(' '.join(head))}; expected startpos, or fen and a position, then moves")
    start = _parse_position(cls, " ".join(position)) if position else cls.start()
    record = record_from_texts(start, moves)
    record.result = result_of(record.end())
    return record


def write_moves(record: Record, name: Callable[[State, int], str] | None = None) -> str:
    """Return the main line as a line of moves, named by the game's notation or by `name`."""
    state = record.start
    words = []
    for move in record.moves():
        words.append(name(state, move) if name else state.move_name(move))
        state = state.play(move)
    if record.start != type(record.start).start():
        words = ["fen", str(record.start), *(["moves", *words] if words else [])]
    return f"{' '.join(words or ['startpos'])}\n"


# ---- JSON -----------------------------------------------------------------------------------------------------

_KEYS = {
    "start": str, "number": int, "tags": dict, "result": str, "comments": list, "moves": list, "operations": dict
}  # fmt: skip
# Tag names; match text allows several words.
_TAG_NAME = re.compile("[A-Za-z0-9_]+(?: [A-Za-z0-9_]+)*")
_STEP_KEYS = {"move": str, "nags": list, "before": list, "comments": list, "variations": list}


def as_data(record: Record) -> dict[str, Any]:
    """Return a game as JSON data: the start, the moves and the result, and further keys where they are not empty."""
    names: dict[int, str] = {}
    stack = [(record.start, record.line)]
    while stack:
        state, line = stack.pop()
        for step in line.steps:
            names[id(step)] = step.text if step.move is None else state.move_name(step.move)
            stack += [(state, variation) for variation in step.variations]
            if step.move is not None:
                state = state.play(step.move)
    data: dict[str, Any] = {"start": str(record.start)}
    if record.first_move_number != 1:
        data["number"] = record.first_move_number
    if record.tags:
        data["tags"] = record.tags
    if record.operations:
        data["operations"] = record.operations
    return {**data, **_line_data(record.line, names), "result": record.result}


def _line_data(line: Line, names: dict[int, str]) -> dict[str, Any]:
    """Return a line with its variations. Recursion is safe: the depth of records is limited."""
    moves: list[Any] = []
    for step in line.steps:
        annotations = {"nags": step.nags, "before": step.comments_before, "comments": step.comments}
        more: dict[str, Any] = {key: value for key, value in annotations.items() if value}
        if step.variations:
            more["variations"] = [_line_data(variation, names) for variation in step.variations]
        moves.append({"move": names[id(step)], **more} if more else names[id(step)])
    return {"comments": line.comments, "moves": moves} if line.comments else {"moves": moves}


def write_json(record: Record) -> str:
    """Return a game as a JSON object on one line. Raises `FormatError` if it could not be read back."""
    _check_names(record)
    data = as_data(record)
    _check_characters(data)
    return checked(f"{json.dumps(data, ensure_ascii=False)}\n")


def read_json(cls: type[State], lines: Iterable[TextLine], on_error: OnError) -> Iterator[Record]:
    """Read games as JSON Lines."""
    yield from _read_lines(lines, on_error, lambda text: _parse_json(cls, text))


def _parse_json(cls: type[State], text: str) -> Record:
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise FormatError(f"column {error.colno}: invalid JSON: {error.msg}") from None
    except (ValueError, RecursionError):  # integers of thousands of digits, thousands of nested brackets
        raise FormatError("JSON with a number that is too long or brackets that are nested too deeply") from None
    _check_characters(data)
    _check_object(data, "game", _KEYS)
    start = _parse_position(cls, data["start"]) if data.get("start") else cls.start()
    number, result = data.get("number", 1), data.get("result", "")
    if isinstance(number, bool) or not 0 <= number <= 9_999:
        raise FormatError(f"number must be from 0 to 9,999 (got {number})")
    if result not in ("", *RESULTS):
        raise FormatError(f"result {shown(result)}; expected one of {' '.join(RESULTS)}")
    record = Record(start, first_move_number=number, tags=data.get("tags", {}), operations=data.get("operations", {}))
    _check_texts("tags", list(record.tags.values()))
    _check_names(record)
    record.line = _line_from(data)
    resolve_moves(start, record.line)
    record.result = result or result_of(record.end())
    return record


def _line_from(data: dict[str, Any]) -> Line:
    """Return the line of a JSON object, with all variations."""
    main_line = Line()
    stack = [(data, main_line, 0)]
    while stack:
        given, line, depth = stack.pop()
        if depth > MAX_DEPTH:
            raise FormatError(f"variations are nested more than {MAX_DEPTH} deep")
        line.comments = _check_texts("comments", given.get("comments", []))
        for item in given.get("moves", []):
            if isinstance(item, str):
                line.steps.append(Step(item))
                continue
            _check_object(item, "move", _STEP_KEYS)
            if "move" not in item:
                raise FormatError("a move object has no key move")
            nags = item.get("nags", [])
            if not all(type(nag) is int and 0 <= nag <= 255 for nag in nags):
                raise FormatError("nags: expected numbers from 0 to 255")
            comments, before = (_check_texts(key, item.get(key, [])) for key in ("comments", "before"))
            if before and not (line.steps and line.steps[-1].variations):
                # Comments before a move follow the variations of the previous move; without any, they belong to it.
                (line.steps[-1] if line.steps else line).comments.extend(before)
                before = []
            step = Step(item["move"], None, nags, comments, before)
            line.steps.append(step)
            for variation in item.get("variations", []):
                _check_object(variation, "variation", {"comments": list, "moves": list})
                if not variation.get("moves"):
                    raise FormatError("a variation has no moves; expected at least one")
                step.variations.append(Line())
                stack.append((variation, step.variations[-1], depth + 1))
    return main_line


def _check_characters(data: Any) -> None:
    """Raise `FormatError` if a string or key contains a character that files cannot hold."""
    stack = [data]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            check_characters(item)
        elif isinstance(item, dict):
            stack += [*item, *item.values()]
        elif isinstance(item, list):
            stack += item


def _check_names(record: Record) -> None:
    for name in record.tags:
        if not _TAG_NAME.fullmatch(name):
            raise FormatError(f"tag {shown(name)}; expected a name of letters, digits and _, like White")
    for name, operands in record.operations.items():
        if not OPERATION.fullmatch(name):
            raise FormatError(f"operation {shown(name)}; expected a letter, then up to 14 letters, digits and _")
        if len(_check_texts(f"operations.{name}", operands)) > MAX_OPERANDS:
            raise FormatError(f"operations.{name}: more than {MAX_OPERANDS} operands")


def _check_object(data: Any, what: str, keys: Mapping[str, type]) -> None:
    if not isinstance(data, dict):
        raise FormatError(f"{what} is not a JSON object; expected one with keys among {', '.join(keys)}")
    for key, value in data.items():
        if key not in keys:
            raise FormatError(f"{what} has an unknown key {shown(key)}; expected keys among {', '.join(keys)}")
        if not isinstance(value, keys[key]):
            raise FormatError(f"{key} of {what} is {shown(json.dumps(value))}; expected {_KIND[keys[key]]}")


_KIND = {str: "a string", int: "an integer", list: "a list", dict: "an object"}


def _check_texts(what: str, items: Any) -> list[str]:
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise FormatError(f"{what}: expected a list of strings")
    return items
