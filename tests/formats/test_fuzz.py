"""Every parser of texts from outside, fed with damaged texts: it reads them, or refuses them with the documented error.

The damage comes from seeds, so that a failure comes again: the test names the parser, and the assertion the text. The
run with each commit tries some hundred for each parser; the nightly one 1,000,000, and a tenth of that for parsers of
files, in each of whose texts there are several games (ZERMELO_FUZZ sets another number).
"""

from __future__ import annotations

import io
import os
import time
import tomllib
import tracemalloc
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from zermelo.core.game import State
from zermelo.errors import FormatError, IllegalMove, PositionError, TreeError
from zermelo.formats.line_reader import read_lines
from zermelo.formats.record import Record, record_from_moves, walk
from zermelo.formats.registry import formats_of
from zermelo.registry import load

pytestmark = pytest.mark.quick

ROOT = Path(__file__).resolve().parents[2]
GAMES = sorted(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["zermelo.games"])
NIGHTLY = int(os.environ.get("ZERMELO_FUZZ", "1000000"))
# Damaged texts a parser in the run with each commit, but for those that take long to try.
COMMIT, COMMIT_SLOW = 600, 200
# What reliability asks for of 64 KiB.
SIZE, SECONDS, BYTES = 1 << 16, 0.1, 50_000_000
# An error is a line for a person; legal moves may be many.
LONGEST_ERROR = 2_000
# What finding out about a move may take of a game's rules in plain Python.
SECONDS_EACH = 0.001
# Just as long as one parser or another still reads: what stands in them is looked at, not only counted.
SIZES = (20, 100, 200, 500, 4_000, 10_000)
# Positions are games too, whose moves are played; no text of a position is longer.
LONGEST_POSITION = 10_000
# Measuring memory takes ten times as long; what takes longer than this without it has looked up thousands of moves.
SLOW_TO_MEASURE = 0.3

# What damage is made of, beside the texts themselves: numbers of all sizes, brackets, quotes, signs of other alphabets,
# and what steers terminals.
PIECES = (
    *"0123456789abcdefghKQRBNPkqrbnpxXwWbB-=+#!?$/:;.,*%<>()[]{}\"'\\_ \t\r\n",
    "\0", "\x1a", "\x1b[31m", "\x7f", "\x85", "\xa0", "é", "ß", "²", "½", "ı", "К", "٣", "♘", "𝟙", "\u2028", "\u202e",
    "\ufeff", "\ufffd", "00", "-1", "99", "256", "65536", "18446744073709551616", "9" * 400, "1e999", "NaN", "null",
    "()", "[]", "{}", '""', "((((((((", "[[[[[[[[", "{{{{{{{{", "))))))))", "1.", "1...", "O-O", "0-0-0", "e8=Q+", "--",
    "1-0", "1/2-1/2", "K1-32", "11x18x25", "$1", "{x}", "; x\n", "(e5)", '[Event "x"]\n', '[FEN "', "moves", "fen",
    "startpos", " w KQkq - 0 1", "bm e4;", '"moves":', "%", "\n% x\n", "bar/24", "6/off(4)", "31:", "XGID=",
)  # fmt: skip


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
    "checkers.moves": ["11-15 22-18 15x22\n"],
}  # fmt: skip


def _names() -> list[str]:
    names = [f"{game} {what}" for game in GAMES for what in ("position", "move")]
    names += [f"{game}.{name}" for game in GAMES for name in _known(game)]
    return [*names, "tree"]


@cache
def _class(game: str) -> type[State] | None:
    try:
        return load(game)
    except Exception:  # the tests of the games report it
        return None


def _known(game: str) -> list[str]:
    cls = _class(game)
    return list(formats_of(cls)) if cls else []


@cache
def parser(name: str) -> Parser:
    if name == "tree":
        from zermelo.teaching.tree.parsing import read

        return Parser(read, TreeError, ["[[3,12,8],[2,4,6]]", ":chance[1/2*3, 1/2*[4, 5]]", '{"id": "A", "value": 3}'])
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
        self.form = formats_of(cls)[name]
        self.is_game = name not in ("epd", "fen", "positions")

    def read(self, data: bytes) -> tuple[list[Record], list[FormatError]]:
        lost: list[FormatError] = []
        return list(self.form.read(read_lines(io.BytesIO(data)), lost.append)), lost

    def __call__(self, text: str) -> object:
        records, lost = self.read(_bytes(text))
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


def _bytes(text: str) -> bytes:
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


# ---- damage ---------------------------------------------------------------------------------------------------


def damaged(random: Random, seeds: list[str]) -> str:
    """A damaged text."""
    text = _one(random, seeds)
    for _ in range(1 + int(random.random() ** 2 * 6)):
        at, end = sorted(int(random.random() * (len(text) + 1)) for _ in range(2))
        how = random.random()
        if how < 0.3:  # something else there
            text = text[:at] + _one(random, PIECES) + text[at + int(random.random() * 3) :]
        elif how < 0.45:  # a sign of its own
            text = text[:at] + (_one(random, text) if text else "") + text[at + 1 :]
        elif how < 0.55:
            text = text[:at] + text[end:]
        elif how < 0.65:  # a piece again
            text = text[:end] + text[at:end] * (1 + int(random.random() * 3)) + text[end:]
        elif how < 0.75:  # a piece elsewhere
            to = int(random.random() * (at + 1))
            text = text[:to] + text[at:end] + text[to:at] + text[end:]
        elif how < 0.85:  # another text's end
            other = _one(random, seeds)
            text = text[:at] + other[int(random.random() * (len(other) + 1)) :]
        elif how < 0.95:
            text = text[:at] + text[at:end].swapcase() + text[end:]
        else:
            text = "".join(_one(random, PIECES) for _ in range(int(random.random() * 40)))
    return text[:4_000]


def _one(random: Random, items: Any) -> Any:
    return items[int(random.random() * len(items))]


def fuzz(name: str, count: int, seed: int) -> int:
    """Parse damaged texts; return the number of errors."""
    parse, error, seeds = parser(name)
    random = Random(f"{name} {seed}")
    refused = 0
    for number in range(count):
        text = damaged(random, seeds)
        try:
            parse(text)
        except error as raised:
            refused += 1
            if len(str(raised).splitlines()) != 1 or len(str(raised)) > LONGEST_ERROR:
                raise AssertionError(f"{name}, text {number}: {text!r} is refused with {str(raised)!r}") from raised
        except Exception as wrong:
            raise AssertionError(f"{name}, text {number}: {text!r} raised {type(wrong).__name__}: {wrong}") from wrong
    return refused


SLOW = ("chess", "backgammon", "othello.", "checkers.pdn")


@pytest.mark.slow
@pytest.mark.parametrize("name", _names())
def test_damaged_texts(name: str) -> None:
    fuzz(name, COMMIT_SLOW if name.startswith(SLOW) else COMMIT, seed=1)


@pytest.mark.nightly
@pytest.mark.parametrize("name", _names())
def test_many_damaged_texts(name: str) -> None:
    fuzz(name, NIGHTLY // 10 if "." in name else NIGHTLY, seed=int(time.strftime("%Y%m%d")))


# Beginnings that are read, after which something comes again and again, and what comes.
HEADS = {
    "chess.pgn": ['[Event "', "[Event ", "1. e4 {", "1. e4 ;", "1. e4 (", '[Event "x"]\n\n1. e4 {x\n', "1. e4 e5 "],
    "chess.epd": [f"4k3/8/8/8/8/8/8/4K3 w - - {rest}" for rest in ("bm", "pv", "c0", 'id "', "", "bm Kd1; ")],
    "chess.fen": ["4k3/8/8/8/8/8/8/4K3 w - - 0 1", "4k3/8/8/8/8/8/8/4K3 "],
    "chess.json": [
        '{"moves": ["e4", ', '{"comments": ["', '{"tags": {"a": "x", ', '{"moves": [{"move": "e4", "variations": [',
    ],
    "checkers.pdn": ['[Event "', "1. 11-15 {", "1. 11-15 (", '[FEN "B:W', "1. 11-15 22-18 "],
    "othello.ggf": [
        "(;", *(f"(;GM[Othello]{rest}" for rest in ("", "PB[", "B[f5//", "BO[8 ", ";"))
    ],
    "backgammon.match": [
        " Game 1\n", " Game 1\n a:1  ", " Game 1\n  1) ", " Game 1\n  1) 31:", "; [", '; [a "', " Game", "; [a",
        " Game 1\n  1) Wins 1 points",
    ],
}  # fmt: skip
TAILS = (
    " ", "\n", "\t", "a:1  ", "  :", "a ", "x", "[", "{", "(", "()", "\\", '\\"', '"', '""', ";", ":", "1", "1.", "1)",
    "$1", " Kd1", " Ke2 Ke7 Kd1 Ke8", "[[", '{"', '"x", ', "; [a", "31: ", "6/5 ", "Doubles ", "Wins ",
    " and the match", " \n{x}",
)  # fmt: skip


def _large(seeds: list[str], heads: list[str]) -> dict[str, str]:
    """Texts of 64 KiB that are hard for some parser, and shorter ones that no limit refuses."""
    random = Random(3)
    texts = {f"{piece[:8]!r} again and again": piece for piece in PIECES}
    texts |= {f"text {number}": seed for number, seed in enumerate(seeds)}
    texts |= {f"text {number} in one line": " ".join(seed.split()) + " " for number, seed in enumerate(seeds)}
    texts |= {f"damage {number}": damaged(random, seeds) or "x" for number in range(20)}
    texts = {name: (text * (SIZE // len(text) + 1))[:SIZE] for name, text in texts.items()}
    begun = {
        f"{head[-20:]!r} and {tail!r} again and again": (head + tail * (SIZE // len(tail) + 1))[:SIZE]
        for head in (*heads, *seeds[:2])
        for tail in TAILS
    }
    shorter = {f"{name}, {size} characters": text[:size] for name, text in begun.items() for size in SIZES}
    return texts | begun | shorter


@pytest.mark.nightly
@pytest.mark.parametrize("name", _names())
def test_large_texts(name: str) -> None:
    """64 KiB need little time and memory, plus the time of moves and games that are resolved."""
    parse, error, seeds = parser(name)
    for what, text in _large(seeds, HEADS.get(name, [])).items():
        took = 60.0
        for _ in range(3):  # other processes slow this one down
            began = time.process_time()
            looked_up = _tried(parse, error, text)
            took = min(took, time.process_time() - began)
            if took < SECONDS + SECONDS_EACH * looked_up:
                break
        assert took < SECONDS + SECONDS_EACH * looked_up, f"{name}: {what} takes {took:.2f} s, {looked_up} moves"
        if took > SLOW_TO_MEASURE or len(text) < SIZE:
            continue
        tracemalloc.start()
        _tried(parse, error, text)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert most < BYTES, f"{name}: {what} takes {most:,} bytes"


def _tried(parse: Callable[[str], object], error: type[Exception], text: str) -> int:
    """Parse a text; return the number of moves and games that were resolved."""
    if not isinstance(parse, File):
        try:
            parse(text)
        except error as raised:
            if len(str(raised)) > LONGEST_ERROR:
                raise AssertionError(f"an error of {len(str(raised)):,} characters: {str(raised)[:80]}") from raised
        return len(text.split()) if len(text) <= LONGEST_POSITION else 0
    lost: list[int] = []
    found = 0
    for record in parse.form.read(read_lines(io.BytesIO(_bytes(text))), lambda error: lost.append(error.line)):
        found += 1 + sum(1 for _ in walk(record.start, record.line))
    return found + len(lost)
