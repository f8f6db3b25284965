"""The cost of reading grows linearly with the text: every reader of texts from outside, with hostile shapes.

A reader of 64 KiB takes at most 100 ms and 50 MB; then its cost at most doubles when the text doubles, up to 1 MiB.
Time is that of the process, the least of three runs. Moves of games are resolved by the game's rules in plain Python,
which is allowed a millisecond each.
"""

from __future__ import annotations

import json
import random
import time
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from parsers import only_new_objects, parser, parser_names, tried

from zermelo.arena.adjudication import Adjudication
from zermelo.arena.plans.entrants import parse_entrants
from zermelo.arena.plans.opening import parse_settings
from zermelo.arena.plans.plan_file import read_plan_file
from zermelo.arena.players.agents import _MESSAGES
from zermelo.arena.players.clock import TimeControl
from zermelo.arena.players.specs import player_for
from zermelo.arena.sprt import Sprt
from zermelo.errors import ZermeloError
from zermelo.formats.polyglot import Book
from zermelo.games.chess import Chess
from zermelo.protocols import uci_client
from zermelo.protocols.engine_commands import read_command
from zermelo.protocols.uci_server import UciServer
from zermelo.registry import load
from zermelo.sandbox.failure import ProgramFailure
from zermelo.sandbox.messages import InvalidMessage, decode
from zermelo.teaching.exercises.answer_files import MAX_NESTING
from zermelo.teaching.exercises.answers import parse_answer
from zermelo.teaching.exercises.checking import _CASE_MESSAGES
from zermelo.teaching.exercises.exercise import PARTS, Exercise, allocate_marks
from zermelo.teaching.exercises.files import exercises_as_json, load_exercises, load_students
from zermelo.teaching.exercises.input_limits import parse_json
from zermelo.teaching.tree.convention import Convention
from zermelo.teaching.tree.parsing import read
from zermelo.teaching.tree.random_trees import parse_range

KIB = 1 << 10
FIRST, LAST = 64 * KIB, 1024 * KIB
# Bars at 64 KiB, in seconds and bytes.
SECONDS, BYTES = 0.1, 50_000_000
# What resolving a move may take of a game's rules in plain Python.
SECONDS_EACH = 0.001
# Costs below this many seconds are noise. Growth of more than SLACK times the text's is not linear: a quadratic reader
# shows 16 times that from 64 KiB to 1 MiB, sorting 1.25 times.
NOISE, SLACK = 0.05, 2.0
# A run is repeated, because others slow it down, unless it is below the noise, or so long that this matters little.
RUNS, LONG_RUN = 3, 1.0
# A text with more moves is doubled once only: they take minutes, nearly all of it in the game's rules.
MANY_MOVES = 500

TEXTS = {
    "spaces": " ", "lines": "\n", "letters": "a", "digits": "7", "minus signs": "-", "commas": ",", "equals signs": "=",
    "brackets": "[", "closed brackets": "[]", "braces": "{", "parentheses": "(", "quotes": '"', "escaped quotes": '\\"',
    "quoted words": '"a", ', "backslashes": "\\", "semicolons": "; ", "words": "a b ", "not ASCII": "é½♘", "NUL": "\0",
    "settings": "a=1,", "dots": "a.", "escapes": "\\u0041",
}  # fmt: skip
#: Readers of games that took quadratic time for a shape.
MENDED = {"go position": "words", "go.sgf": "after a bracket: spaces"}
#: Names of shapes, each with a text that is written before the repeated one.
HEADS = {"": "", "after a quote: ": '"', "after a bracket: ": '["'}


def shapes(seeds: list[str]) -> dict[str, Callable[[int], str]]:
    """Hostile texts of any length."""
    made: dict[str, Callable[[int], str]] = {}
    for head, begin in HEADS.items():
        for name, piece in TEXTS.items():
            made[head + name] = partial(_repeated, begin, piece)
    for number, seed in enumerate(seeds[:3]):
        made[f"text {number} again and again"] = partial(_repeated, "", seed)
        made[f"text {number} in one line"] = partial(_repeated, "", " ".join(seed.split()) + " ")
        made[f"text {number}, half of it, then quotes"] = partial(_repeated, seed[: len(seed) // 2], '\\"')
    return made


def _repeated(head: str, piece: str, size: int) -> str:
    return (head + piece * (size // len(piece) + 1))[:size]


class Reader(NamedTuple):
    """A reader under test: returns the number of moves that it has resolved."""

    read: Callable[[str], int]
    shapes: dict[str, Callable[[int], str]]


def _numbered(pattern: str, between: str, begin: str = "", end: str = "") -> Callable[[int], str]:
    """A shape of numbered items, of which there may be no two alike."""

    def text(size: int) -> str:
        count = max(size // len(pattern.format(100_000) + between), 1)
        return begin + between.join(pattern.format(number) for number in range(count)) + end

    return text


#: The structures of JSON and TOML, which readers of data look at.
JSON = {
    "list of numbers": _numbered("{}", ",", "[", "]"),
    "list of names": _numbered('"n{}"', ",", "[", "]"),
    "object": _numbered('"n{}": 1', ",", "{{", "}}"),
    "equal keys": lambda size: "{" + ",".join(['"a": 1'] * (size // 7)) + "}",
    "one long number": lambda size: "9" * size,
    "one long name": lambda size: '{"' + "a" * size + '": 1}',
}


def _answer_shapes() -> dict[str, Callable[[int], str]]:
    begin = '{"schema": "zermelo-answer/1", "exercise": "x", '
    return {
        "values": _numbered('"n{}": 1', ",", begin + '"values": {', "}}"),
        "values of one node": lambda size: begin + '"values": {"A": "' + "9" * size + '"}}',
        "windows": _numbered('"n{}": {{"entry": [1, 2]}}', ",", begin + '"windows": {', "}}"),
        "order": _numbered('"n{}"', ",", begin + '"order": [', "]}"),
        "order of nodes": lambda size: begin + '"order": [' + ",".join(['"A", "B"'] * (size // 10)) + "]}",
        "cuts": _numbered('"n{}"', ",", begin + '"cuts": [', "]}"),
        "keys": _numbered('"n{}": 1', ",", begin, "}"),
    }


def _exercises(size: int) -> str:
    """A set of exercises, all the same."""
    one = Exercise(read("[[3,12,8],[2,4,6],[14,5,2]]"), Convention(), allocate_marks(PARTS, {}))
    return json.dumps(exercises_as_json([one] * max(size // 1900, 2)))


PLAN = {
    "players": _numbered('"p{}=random"', ",", 'game = "connect4"\nplayers = [', "]"),
    "equal players": lambda size: 'game = "connect4"\nplayers = [' + '"random",' * (size // 9) + "]",
    "tables": _numbered("[t{}]", "\n"),
    "dotted keys": _numbered("a{}.b.c = 1", "\n"),
}


def _look_up(path: Path) -> None:
    with Book(path) as book:
        book.moves(Chess())


def _readers(folder: Path) -> dict[str, Reader]:
    exercise = Exercise(read("[[3,12,8],[2,4,6],[14,5,2]]"), Convention(), allocate_marks(PARTS, {}))
    tictactoe = load("tictactoe")
    server = UciServer(lambda line: None)
    server.command("isready")
    server.wait_until_ready()

    def obey(line: str) -> None:
        """Handle a command, and end its search: one on a thread would count, and `tracemalloc.stop` may crash it."""
        server.command(line)
        server.close()

    def plain(name: str, parse: Callable[[str], object], more: dict[str, Callable[[int], str]], *seeds: str) -> None:
        def safely(text: str) -> int:
            with suppress(ZermeloError, ProgramFailure, InvalidMessage):
                parse(text)
            return 0

        found[name] = Reader(safely, {**shapes([*seeds]), **more})

    def of_file(parse: Callable[[Path], object]) -> Callable[[str], object]:
        def parse_text(text: str) -> object:
            path = folder / "text"
            path.write_text(text, encoding="utf-8")
            return parse(path)

        return parse_text

    found: dict[str, Reader] = {}
    for name in parser_names():
        tested = parser(name)
        found[name] = Reader(partial(tried, tested.parse, tested.error), shapes(tested.seeds))
    found["tree"] = Reader(found["tree"].read, found["tree"].shapes | JSON)
    answer: Callable[[str], Any] = lambda text: parse_answer(exercise, parse_json(text.encode(), MAX_NESTING))  # noqa: E731
    plain("answer", lambda text: isinstance(parse_json(text.encode(), MAX_NESTING), dict) and answer(text),
          JSON | _answer_shapes())  # fmt: skip
    plain("exercise file", of_file(load_exercises), JSON | {"exercises": _exercises})
    plain("class list", of_file(load_students), {"names": _numbered("name {}", "\n")}, "Ada\nBen\n", "id;name\n1;Ada\n")
    plain("plan", of_file(read_plan_file), PLAN, 'game = "connect4"\nplayers = ["random", "random"]\n')
    plain("Polyglot book", of_file(_look_up), {})
    plain("agent's message", lambda text: decode(text, _MESSAGES), JSON, '["move", 1, {"move": 3}]')
    plain("student's message", lambda text: decode(text, _CASE_MESSAGES), JSON, '["answer", [3, null]]')
    plain("player", partial(player_for, tictactoe), {}, "engine:depth=3,nodes=5", "uci:Hash=1:stockfish")
    plain("engine", read_command, {}, "Hash=1,memory=500M:stockfish -l 3")
    plain("entrants", lambda text: parse_entrants(text.split(";")), {"players": _numbered("p{}=random", ";")}, "random")
    plain("time control", TimeControl.parse, {}, "clock=60+0.6,margin=0.1")
    plain("adjudication", Adjudication.parse, {}, "agreed:score=500,plies=8;draw:score=10,plies=16")
    plain("SPRT", Sprt.parse, {}, "elo0=0,elo1=10")
    plain("openings", partial(parse_settings, "file"), {}, "a.pgn,plies=8,order=random")
    plain("range", partial(parse_range, "values"), {}, "-9..9")
    for command in ("", "position ", "position fen ", "position startpos moves ", "go ", "setoption name "):
        plain(f"UCI: {command}", lambda text, command=command: obey(command + text), {}, "e2e4 e7e5")
    plain("UCI info", lambda text: uci_client.parse_info(f"info {text}"), {}, "depth 3 score cp 5 pv e2e4 e7e5")
    plain("UCI option", lambda text: uci_client.parse_option(f"option name {text}"), {}, "x type combo default a var a")
    plain("UCI bestmove", lambda text: uci_client.parse_bestmove(f"bestmove {text}", uci_client.BestMove()), {})
    return found


class Cost(NamedTuple):
    """Cost of reading a text."""

    seconds: float
    moves: int


def cost(reader: Reader, text: str, runs: int) -> Cost:
    """The least time of some runs."""
    found = []
    for _ in range(runs):
        began = time.process_time()
        moves = reader.read(text)
        found.append(Cost(time.process_time() - began, moves))
        if not NOISE < found[-1].seconds < LONG_RUN:
            break
    return min(found)


def peak(reader: Reader, text: str) -> int:
    tracemalloc.start()
    try:
        reader.read(text)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@only_new_objects()
def check(name: str, reader: Reader, last: int, runs: int = RUNS) -> list[str]:
    """Print the reader's row of the table, its slowest shape; return what exceeds the bars."""
    wrong = []
    slowest: tuple[float, str, list[float], int] = (-1.0, "", [], 0)
    for shape, text in reader.shapes.items():
        first = cost(reader, text(FIRST), runs)
        times, size = [first.seconds], FIRST
        allowed = SECONDS + SECONDS_EACH * first.moves
        if first.seconds > allowed:
            wrong.append(f"{name}, {shape}: {first.seconds:.3f} s for 64 KiB ({first.moves} moves)")
        while size < (last if first.moves < MANY_MOVES else 2 * FIRST) and first.seconds <= allowed:
            size *= 2
            now = cost(reader, text(size), runs)
            times.append(now.seconds)
            grown = max(now.seconds - SECONDS_EACH * now.moves, 0) / max(first.seconds, NOISE)
            if grown > SLACK * size / FIRST:
                wrong.append(f"{name}, {shape}: {first.seconds:.3f} s for 64 KiB, {now.seconds:.3f} s for {size >> 10}")
                break
        memory = peak(reader, text(FIRST)) if first.seconds < SECONDS and last > FIRST else 0
        if memory > BYTES:
            wrong.append(f"{name}, {shape}: {memory:,} bytes for 64 KiB")
        slowest = max(slowest, (times[-1], shape, times, memory))
    _, shape, times, memory = slowest
    row = "".join(f"{1000 * seconds:8.1f}" for seconds in times)
    print(f"{name:30} {shape[:34]:34} {memory / 1e6:6.1f} MB {row} ms")
    return wrong


@pytest.mark.nightly
def test_growth(tmp_path: Path) -> None:
    wrong = []
    print(f"\n{len(TEXTS)} texts, {len(HEADS)} beginnings; the slowest shape of each reader at 64 KiB to 1 MiB")
    for name, reader in _readers(tmp_path).items():
        wrong += check(name, reader, LAST)
    assert not wrong, "\n".join(wrong)


@pytest.mark.long
def test_some_growth(tmp_path: Path) -> None:
    """The readers of files of others' data, and what was quadratic before, at 64 KiB and 256 KiB, once."""
    wrong = []
    for name, reader in _readers(tmp_path).items():
        if shape := MENDED.get(name):
            wrong += check(name, Reader(reader.read, {shape: reader.shapes[shape]}), 4 * FIRST, 2)
        if name not in parser_names() or name == "tree" or name.startswith("answer "):
            chosen = random.Random(name).sample([*reader.shapes], 12)
            some = {shape: reader.shapes[shape] for shape in chosen} | {"quote": partial(_repeated, '"', '\\"')}
            wrong += check(name, Reader(reader.read, some), 4 * FIRST, 2)
    assert not wrong, "\n".join(wrong)
