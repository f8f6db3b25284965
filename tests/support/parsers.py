"""Every parser of texts from outside, with texts that it reads: for the tests that damage them and that repeat them."""

from __future__ import annotations

import gc
import io
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest

from zermelo.core.game import State
from zermelo.errors import FormatError, IllegalMove, PositionError, TreeError
from zermelo.formats.line_reader import read_lines
from zermelo.formats.record import Record, record_from_moves, walk
from zermelo.formats.registry import formats_of
from zermelo.registry import load

ROOT = Path(__file__).resolve().parents[2]
GAMES = sorted(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["zermelo.games"])
# An error is a line for a person; legal moves may be many.
LONGEST_ERROR = 2_000
# Positions are games too, whose moves are played; no text of a position is longer.
LONGEST_POSITION = 10_000


class Parser(NamedTuple):
    """A parser under test."""

    parse: Callable[[str], object]
    #: The only error that it may raise.
    error: type[Exception]
    #: Texts that it reads.
    seeds: list[str]


# ---- what is read ---------------------------------------------------------------------------------------------

POSITIONS = {
    "chess": [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 9",
        "1r2k1rr/8/8/8/8/8/8/1R2K1RR b GBgb - 3 1",
        "1. e4 e5 2. Nf3 Nc6",
    ],
    "checkers": ["B:W21-32:B1-12", "W:WK6,25:B12,K30:H14", "11-15 22-18 15x22"],
    "othello": ["f5d6c3", "-" * 27 + "OX------XO" + "-" * 27 + " X"],
}
FILES = {
    "chess.pgn": [
        '[Event "a \\"b\\""]\n[White "x"]\n[Result "1-0"]\n\n1. e4 {best} e5 $1 (1... c5 2. Nf3 (2. c3 d5) d6) 2. Nf3! '
        '; end\nNc6 1-0\n\n[Event "next"]\n[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]\n[SetUp "1"]\n\n'
        '% escaped\n1. e4 Kd7 *\n'
    ],
    "chess.epd": ['2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; id "WAC.001"; pv Qg6 fxg6;\n'],
    "chess.fen": ["8/8/8/8/8/4k3/4p3/4K3 w - - 0 1\nrnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1\n"],
    "chess.uci": ["position startpos moves e2e4 e7e5\nfen 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 moves e2e4\n"],
    "chess.san": ["e4 e5 Nf3\nstartpos\n"],
    "chess.json": [
        '{"start": "", "tags": {"White": "x"}, "moves": ["e4", {"move": "e5", "nags": [1], "comments": ["y"], '
        '"variations": [{"moves": ["c5"]}]}], "result": "*"}\n'
    ],
    "checkers.pdn": [
        '[Event "a"]\n[Black "x"]\n[Result "1/2-1/2"]\n[GameType "21"]\n1. 11-15 23-18 {good} 2. 8-11 (2. 9-14 18x9) '
        '27-23\n1/2-1/2\n\n[Event "b"]\n[FEN "B:W10,K11:B12,13,K2"]\n1. 12-16 2-0\n'
    ],
    "checkers.fen": ["B:W21-32:B1-12\nW:WK6,25:B12,K30:H14\n"],
    "othello.ggf": [
        "1 (;GM[Othello]PC[GGS/os]DT[2003.12.15]PB[x]PW[y]TI[05:00//02:00]TY[8]RE[+6.000:r]BO[8 -------- -------- "
        "-------- ---O*--- ---*O--- -------- -------- -------- *]B[d3//0.01]W[c5/-1.50/75.5]B[e6/2];)\n"
        "(;GM[Othello]\nKM[3]B[f5]\nW[f6];)\n"
    ],
    "othello.obf": [
        "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X; G8:+18; h1:12;\t% FFO 1\n% a set\n"
        + "-" * 27 + "OX------XO" + "-" * 27 + " X; -0;\n"
    ],
    "checkers.moves": ["11-15 22-18 15x22\n"],
    "go.sgf": [
        "(;FF[4]GM[1]CA[UTF-8]SZ[5]KM[0.5]RU[AGA]PB[x]PW[a\\]b]RE[W+2.5]C[one\ntwo];B[cc];W[cd]BM[1]C[x\\\ny]"
        "(;B[bd](;W[])(;W[aa];B[tt]))(;B[dd]TE[2]))\n(;GM[1]SZ[9]HA[2]AB[cc][gg:hh]PL[W]RE[B+R];W[ee];C[z];B[])\n"
    ],
}  # fmt: skip


ANSWERS = {
    "json": [
        '{"best": "B", "values": {"A": 3}, "cuts": ["C-c2"], "windows": {"A": {"entry": ["-inf", 3]}}, "order": ["A"]}'
    ],
    "txt": [
        "best: B\nvalues: A=3, B: 2,5 C ≥ 1/2\n", "windows: A: entry [-inf, 3] exit (2; 3)\n  B -oo..3 ≤3\n",
        "Cuts = C-c2, C/c3 c2\nOrder: A -> B -> b1; C-c1\n",
    ],
    "yaml": ["best: B\nvalues: {A: 3, B: '2,5'}\nwindows:\n  A: {entry: [-.inf, 3]}\ncuts:\n- C-c2\norder: A B b1\n"],
    "toml": ['best = "B"\norder = "A-B"\ncuts = ["c2"]\nvalues = {A = 3}\n[windows]\nA.entry = [-inf, 3]\n'],
    "csv": [
        "student,values,cuts,order,best\nAda,A=3 B=3,c2 c3,A-B-b1,B\n",
        "name;values.A;windows.A.entry\nAda;3;[2;3]\n",
    ],
}  # fmt: skip


def parser_names() -> list[str]:
    names = [f"{game} {what}" for game in GAMES for what in ("position", "move")]
    names += [f"{game}.{name}" for game in GAMES for name in _known(game)]
    return [*names, "tree", *(f"answer {form}" for form in ANSWERS)]


@cache
def _class(game: str) -> type[State] | None:
    try:
        return load(game)
    except Exception:  # the tests of the games report it
        return None


def _known(game: str) -> list[str]:
    cls = _class(game)
    return [name for name, form in formats_of(cls).items() if form.binary is None] if cls else []


@cache
def parser(name: str) -> Parser:
    if name == "tree":
        from zermelo.teaching.tree.parsing import read

        return Parser(read, TreeError, ["[[3,12,8],[2,4,6]]", ":chance[1/2*3, 1/2*[4, 5]]", '{"id": "A", "value": 3}'])
    if name.startswith("answer "):
        form = name.removeprefix("answer ")
        return Parser(AnswerFile(form), TreeError, ANSWERS[form])
    if "." in name:
        game, _, form = name.partition(".")
        cls = _class(game)
        assert cls is not None
        return Parser(File(cls, form), FormatError, FILES.get(name) or _written(cls, form))
    game, _, what = name.partition(" ")
    cls = _class(game)
    if cls is None:
        pytest.skip(f"{game} does not import")
    states = _states(cls)
    texts = [*POSITIONS.get(game, []), *map(str, states)]
    if what == "position":
        return Parser(_position(cls), PositionError, texts)
    moves = sorted({state.move_name(move) for state in states for move in state.legal_moves()[:8]})
    return Parser(_move(states), IllegalMove, moves)


def _states(cls: type[State]) -> list[State]:
    """Positions of a random game."""
    random, state, states = Random(7), cls.start(), []
    for _ in range(30):
        states.append(state)
        if state.is_over():
            break
        moves = state.legal_moves()
        state = state.play(moves[int(random.random() * len(moves))])
    return states[:: max(len(states) // 4, 1)]


def _position(cls: type[State]) -> Callable[[str], object]:
    def parse(text: str) -> object:
        state = cls.parse(text)
        assert cls.parse(str(state)) == state, f"{str(state)!r} is read differently"
        return state

    return parse


def _move(states: list[State]) -> Callable[[str], object]:
    count = 0

    def parse(text: str) -> object:
        nonlocal count
        count += 1
        state = states[count % len(states)]
        move = state.parse_move(text)
        assert move in state.legal_moves(), f"{text!r} is no legal move of {state}"
        return move

    return parse


class File:
    """The reader of a format."""

    def __init__(self, cls: type[State], name: str) -> None:
        self.cls = cls
        self.form = formats_of(cls)[name]
        self.is_game = name not in ("epd", "fen", "obf", "positions")

    def read(self, data: bytes) -> tuple[list[Record], list[FormatError]]:
        lost: list[FormatError] = []
        return list(self.form.read(read_lines(io.BytesIO(data)), lost.append)), lost

    def __call__(self, text: str) -> object:
        records, lost = self.read(as_bytes(text))
        for error in lost:
            assert type(error) is FormatError
            assert error.line > 0, error
            assert len(str(error).splitlines()) == 1, str(error)
            assert len(str(error)) <= LONGEST_ERROR, str(error)
        # What was read is written, and read back as the same.
        for record in records[:2]:
            written = self.form.write(record)
            again, losses = self.read(written.encode())
            assert not losses, f"{written!r}: {losses[0]}"
            assert len(again) == 1, written
            assert self.form.write(again[0]) == written
            assert again[0].moves() == record.moves() or not self.is_game
        return records


class AnswerFile:
    """The reader of answers to an exercise in a format; what was read is written, and read back as the same."""

    def __init__(self, form: str) -> None:
        from zermelo.teaching.exercises.exercise import PARTS, Exercise, allocate_marks
        from zermelo.teaching.tree.convention import Convention
        from zermelo.teaching.tree.parsing import read

        self.form = form
        self.exercise = Exercise(read("[[3,12,8],[2,4,6],[14,5,2]]"), Convention(), allocate_marks(PARTS, {}))

    def __call__(self, text: str) -> object:
        from zermelo.teaching.exercises.answer_files import parse_answer_file, parse_answer_table
        from zermelo.teaching.exercises.answers import answer_as_json, parse_answer

        if self.form == "yaml":
            pytest.importorskip("yaml")
        content = text.encode()
        rows = [parse_answer_file(content, f".{self.form}")] if self.form != "csv" else [*parse_answer_table(content)]
        for row in rows[:50]:
            answer = parse_answer(self.exercise, row[1] if isinstance(row, tuple) else row)
            assert all(remark.isprintable() and len(remark) < 300 for remark in answer.remarks)
            if -1 not in (answer.order or ()):
                again = parse_answer(self.exercise, answer_as_json(self.exercise, answer))
                assert (again.values, again.windows, again.cuts) == (answer.values, answer.windows, answer.cuts)
                assert (again.order, again.best, again.remarks) == (answer.order, answer.best, [])
        return rows


def as_bytes(text: str) -> bytes:
    """A text as bytes, sometimes not valid UTF-8."""
    return text.encode("latin-1") if len(text) % 5 == 0 and all(sign < "Ā" for sign in text) else text.encode()


def _written(cls: type[State], name: str) -> list[str]:
    """A random game in a format, for games without examples here."""
    random, state, moves = Random(5), cls.start(), []
    while not state.is_over() and len(moves) < 12:
        legal = state.legal_moves()
        moves.append(legal[int(random.random() * len(legal))])
        state = state.play(moves[-1])
    return [formats_of(cls)[name].write(record_from_moves(cls.start(), moves))]


def tried(parse: Callable[[str], object], error: type[Exception], text: str) -> int:
    """Parse a text; return the number of moves and games that were resolved."""
    if not isinstance(parse, File):
        try:
            parse(text)
        except error as raised:
            if len(str(raised)) > LONGEST_ERROR:
                raise AssertionError(f"an error of {len(str(raised)):,} characters: {str(raised)[:80]}") from raised
        return len(text.split()) if len(text) <= LONGEST_POSITION else 0
    lost: list[int] = []
    read = walked = 0
    with _counted_moves(parse.cls) as calls:
        for record in parse.form.read(read_lines(io.BytesIO(as_bytes(text))), lambda error: lost.append(error.line)):
            read += 1
            walked += sum(1 for _ in walk(record.start, record.line))
    return read + len(lost) + max(walked, len(calls))


@contextmanager
def only_new_objects() -> Iterator[None]:
    """The garbage collector leaves out what exists before, whose number is not the parser's."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


@contextmanager
def _counted_moves(cls: type[State]) -> Iterator[list[str]]:
    """The texts with which `parse_move` is called: also those of the moves before one that is refused."""
    calls: list[str] = []
    original = cls.parse_move

    def parse_move(state: State, text: str) -> int:
        calls.append(text)
        return original(state, text)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cls, "parse_move", parse_move)
        yield calls
