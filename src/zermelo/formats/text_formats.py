"""Formats that every game has: positions a line each, games as lines of moves, and JSON.

    e2e4 e7e5 g1f3                                        a game from the start
    fen 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 moves e2e4        one from another position
    startpos                                              a game without moves

So engines of chess are told of games; a `position` before it is read over. JSON is written an object a line:

    {"start": "...", "moves": ["e4", {"move": "e5", "nags": [1], "comments": ["..."], "variations": [...]}], ...}
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from zermelo.core.game import State
from zermelo.errors import FormatError, PositionError
from zermelo.formats.line_reader import TextLine, check_signs, checked
from zermelo.formats.movetext import DEEPEST, OnError, shown
from zermelo.formats.record import MOST_OPERANDS, OPERATION, UNKNOWN, Line, Record, Step, resolve_moves

RESULTS = ("1-0", "0-1", "1/2-1/2", UNKNOWN)


def result_of(state: State) -> str:
    """How a game has ended: 1-0 where MAX, who moves first, has won, `*` where it has not ended."""
    if not state.is_over():
        return UNKNOWN
    utility = state.utility()
    return "1-0" if utility > 0 else "0-1" if utility < 0 else "1/2-1/2"


def _each(lines: Iterable[TextLine], on_error: OnError, read: Callable[[str], Record]) -> Iterator[Record]:
    """A record for each line that is not empty."""
    count = 0
    for line in lines:
        text = line.text.strip()
        if not text and not line.wrong:
            continue
        count += 1
        try:
            if line.wrong:
                raise FormatError(line.wrong)
            yield read(text)
        except FormatError as error:
            on_error(FormatError(error.wrong, game=count, line=line.number, move=error.move))


def _position(cls: type[State], text: str) -> State:
    try:
        return cls.parse(text)
    except PositionError as error:
        raise FormatError(str(error)) from None


# ---- positions ------------------------------------------------------------------------------------------------


def read_positions(cls: type[State], lines: Iterable[TextLine], on_error: OnError) -> Iterator[Record]:
    """Positions of a game in its own notation, one a line."""
    yield from _each(lines, on_error, lambda text: Record(_position(cls, text)))


def write_position(record: Record) -> str:
    """The position at the end of a game."""
    return f"{record.end()}\n"


# ---- moves ----------------------------------------------------------------------------------------------------


def read_moves(cls: type[State], lines: Iterable[TextLine], on_error: OnError) -> Iterator[Record]:
    """Games as lines of moves."""
    yield from _each(lines, on_error, lambda text: _game(cls, text))


def _game(cls: type[State], text: str) -> Record:
    words = text.split()
    if words[0] == "position":
        words = words[1:]
    begins = bool(words) and words[0] in ("startpos", "fen")
    if "moves" in words:
        place = words.index("moves")
        head, moves = words[:place], words[place + 1 :]
    elif begins:
        head, moves = words, []
    else:
        head, moves = [], words
    where = head[1:] if begins else head
    if begins and (words[0] == "startpos") == bool(where):
        raise FormatError(f"{shown(' '.join(head))}; expected startpos, or fen and a position, then moves")
    start = _position(cls, " ".join(where)) if where else cls.start()
    record = Record(start, Line([Step(move) for move in moves]))
    resolve_moves(start, record.line)
    record.result = result_of(record.end())
    return record


def write_moves(record: Record, name: Callable[[State, int], str] | None = None) -> str:
    """A game as a line of moves, in the game's notation or named by another function; variations are left out."""
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
# Names of tags; in match text they may have several words.
_TAG_NAME = re.compile("[A-Za-z0-9_]+(?: [A-Za-z0-9_]+)*")
_STEP_KEYS = {"move": str, "nags": list, "before": list, "comments": list, "variations": list}


def as_data(record: Record) -> dict[str, Any]:
    """A game as JSON has it: only what is not empty, but for the start, the moves and the result."""
    names: dict[int, str] = {}
    waiting = [(record.start, record.line)]
    while waiting:
        state, line = waiting.pop()
        for step in line.steps:
            names[id(step)] = step.text if step.move is None else state.move_name(step.move)
            waiting += [(state, variation) for variation in step.variations]
            if step.move is not None:
                state = state.play(step.move)
    told: dict[str, Any] = {"start": str(record.start)}
    if record.number != 1:
        told["number"] = record.number
    if record.tags:
        told["tags"] = record.tags
    if record.operations:
        told["operations"] = record.operations
    return {**told, **_line_data(record.line, names), "result": record.result}


def _line_data(line: Line, names: dict[int, str]) -> dict[str, Any]:
    """A line of moves and all variations in it; as deep as records are, a function that calls itself may go."""
    moves: list[Any] = []
    for step in line.steps:
        said = {"nags": step.nags, "before": step.before, "comments": step.comments}
        more = {key: value for key, value in said.items() if value}
        if step.variations:
            more["variations"] = [_line_data(variation, names) for variation in step.variations]
        moves.append({"move": names[id(step)], **more} if more else names[id(step)])
    return {"comments": line.comments, "moves": moves} if line.comments else {"moves": moves}


def write_json(record: Record) -> str:
    """A game as an object of JSON on one line. Raises `FormatError` for what could not be read again."""
    _check_names(record)
    data = as_data(record)
    _check_signs(data)
    return checked(f"{json.dumps(data, ensure_ascii=False)}\n")


def read_json(cls: type[State], lines: Iterable[TextLine], on_error: OnError) -> Iterator[Record]:
    """Games as JSON, an object a line."""
    yield from _each(lines, on_error, lambda text: _from_json(cls, text))


def _from_json(cls: type[State], text: str) -> Record:
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise FormatError(f"column {error.colno}: no JSON: {error.msg}") from None
    except (ValueError, RecursionError):  # an int of thousands of digits, brackets by the thousand
        raise FormatError("no JSON that can be read: a number far too long, or brackets far too deep") from None
    _check_signs(data)
    _check_object(data, "a game", _KEYS)
    start = _position(cls, data["start"]) if data.get("start") else cls.start()
    number, result = data.get("number", 1), data.get("result", "")
    if isinstance(number, bool) or not 0 <= number <= 9_999:
        raise FormatError("number: expected 0 to 9,999")
    if result not in ("", *RESULTS):
        raise FormatError(f"result {shown(result)}; expected one of {' '.join(RESULTS)}")
    record = Record(start, number=number, tags=data.get("tags", {}), operations=data.get("operations", {}))
    _check_texts("tags", list(record.tags.values()))
    _check_names(record)
    record.line = _line_from(data)
    resolve_moves(start, record.line)
    record.result = result or result_of(record.end())
    return record


def _line_from(data: dict[str, Any]) -> Line:
    """The moves of an object, with all variations."""
    whole = Line()
    waiting = [(data, whole, 0)]
    while waiting:
        given, line, depth = waiting.pop()
        if depth > DEEPEST:
            raise FormatError(f"more than {DEEPEST} variations within each other")
        line.comments = _check_texts("comments", given.get("comments", []))
        for item in given.get("moves", []):
            if isinstance(item, str):
                line.steps.append(Step(item))
                continue
            _check_object(item, "a move", _STEP_KEYS)
            if "move" not in item:
                raise FormatError("a move has no key move")
            nags = item.get("nags", [])
            if not all(type(nag) is int and 0 <= nag <= 255 for nag in nags):
                raise FormatError("nags: expected numbers from 0 to 255")
            comments, before = (_check_texts(key, item.get(key, [])) for key in ("comments", "before"))
            if before and not (line.steps and line.steps[-1].variations):
                # Said before a move means after the variations of the last one; without those it is said of that.
                (line.steps[-1] if line.steps else line).comments.extend(before)
                before = []
            step = Step(item["move"], None, nags, comments, before)
            line.steps.append(step)
            for variation in item.get("variations", []):
                _check_object(variation, "a variation", {"comments": list, "moves": list})
                if not variation.get("moves"):
                    raise FormatError("a variation has no moves; expected one at least")
                step.variations.append(Line())
                waiting.append((variation, step.variations[-1], depth + 1))
    return whole


def _check_signs(data: Any) -> None:
    """Texts and names of keys have nothing in them that no file can hold, wherever they stand."""
    waiting = [data]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            check_signs(item)
        elif isinstance(item, dict):
            waiting += [*item, *item.values()]
        elif isinstance(item, list):
            waiting += item


def _check_names(record: Record) -> None:
    for name in record.tags:
        if not _TAG_NAME.fullmatch(name):
            raise FormatError(f"tag {shown(name)}; expected a name of letters, digits and _, like White")
    for name, operands in record.operations.items():
        if not OPERATION.fullmatch(name):
            raise FormatError(f"operation {shown(name)}; expected a letter, then up to 14 letters, digits and _")
        if len(_check_texts(f"operations.{name}", operands)) > MOST_OPERANDS:
            raise FormatError(f"operations.{name}: more than {MOST_OPERANDS} operands")


def _check_object(data: Any, what: str, keys: Mapping[str, type]) -> None:
    if not isinstance(data, dict):
        raise FormatError(f"{what} is no object of JSON; expected one with some of the keys {', '.join(keys)}")
    for key, value in data.items():
        if key not in keys:
            raise FormatError(f"{what} has a key {shown(key)}; expected some of {', '.join(keys)}")
        if not isinstance(value, keys[key]):
            raise FormatError(f"{key} of {what} is {shown(json.dumps(value))}; expected {_KIND[keys[key]]}")


_KIND = {str: "a text", int: "a whole number", list: "a list", dict: "an object"}


def _check_texts(what: str, items: Any) -> list[str]:
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise FormatError(f"{what}: expected texts")
    return items
