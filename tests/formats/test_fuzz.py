"""Every parser of texts from outside, fed with damaged texts: it reads them, or refuses them with the documented error.

The damage comes from seeds, so that a failure comes again: the test names the parser, and the assertion the text. The
run with each commit tries some hundred for each parser; the nightly one 1,000,000, and a tenth of that for parsers of
files, in each of whose texts there are several games (ZERMELO_FUZZ sets another number).
"""

from __future__ import annotations

import os
import time
import tracemalloc
from random import Random
from typing import Any

import pytest
from parsers import LONGEST_ERROR, only_new_objects, parser, parser_names, tried
from parts import PARTS, in_parts

pytestmark = pytest.mark.quick

NIGHTLY = int(os.environ.get("ZERMELO_FUZZ", "1000000"))
# Damaged texts a parser in the run with each commit, but for those that take long to try.
COMMIT, COMMIT_SLOW = 600, 200
# What reliability asks for of 64 KiB.
SIZE, SECONDS, BYTES = 1 << 16, 0.1, 50_000_000
# What finding out about a move may take of a game's rules in plain Python.
SECONDS_EACH = 0.001
# Just as long as one parser or another still reads: what stands in them is looked at, not only counted.
SIZES = (20, 100, 200, 500, 4_000, 10_000)
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


SLOW = ("chess", "backgammon", "othello.", "checkers.pdn", "go ", "go.", "go19", "battleship.", "scrabble")


@pytest.mark.slow
@pytest.mark.parametrize("name", parser_names())
def test_damaged_texts(name: str) -> None:
    fuzz(name, COMMIT_SLOW if name.startswith(SLOW) else COMMIT, seed=1)


@pytest.mark.nightly
@in_parts
@pytest.mark.parametrize("name", parser_names())
def test_many_damaged_texts(name: str, part: int) -> None:
    count = (NIGHTLY // 10 if "." in name else NIGHTLY) // PARTS
    fuzz(name, count, seed=int(time.strftime("%Y%m%d")) * PARTS + part)


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
@pytest.mark.parametrize("name", parser_names())
@only_new_objects()
def test_large_texts(name: str) -> None:
    """64 KiB need little time and memory, plus the time of moves and games that are resolved."""
    parse, error, seeds = parser(name)
    for what, text in _large(seeds, HEADS.get(name, [])).items():
        took = 60.0
        for _ in range(5):  # other processes slow this one down
            began = time.process_time()
            looked_up = tried(parse, error, text)
            took = min(took, time.process_time() - began)
            if took < SECONDS + SECONDS_EACH * looked_up:
                break
        assert took < SECONDS + SECONDS_EACH * looked_up, f"{name}: {what} takes {took:.2f} s, {looked_up} moves"
        if took > SLOW_TO_MEASURE or len(text) < SIZE:
            continue
        tracemalloc.start()
        tried(parse, error, text)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert most < BYTES, f"{name}: {what} takes {most:,} bytes"
