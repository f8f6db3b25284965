"""Bad input: one line on standard error that says what was wrong, code 2, no trace, nothing on standard output."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

OTHELLO = "analyse othello "
TEXTBOOK = "analyse tictactoe --algorithm minimax "

# The command line, and what its one line must say.
BAD = [
    ("frobnicate", "no such command 'frobnicate'"),
    ("perf othello 3", "'perft'"),
    ("data othello", "the command 'data' is now 'learn GAME positions'"),
    ("gtp kuhn", "gtp: Kuhn is a game with hidden information"),
    ("gtp backgammon", "gtp: Backgammon is a game with chance"),
    ("analyse othello --confidence 95 --no-selective", "--confidence and --no-selective cannot be combined"),
    ("--frobnicate", "--frobnicate"),
    ("cache frobnicate", "no such command 'frobnicate'"),
    ("analyse", "missing argument 'GAME' (see zermelo analyse --help)"),
    ("analyse othell", "unknown game 'othell'; did you mean othello"),
    ("analyse xyzzy", "expected one of backgammon, battleship, bridge, bridge-play, checkers, chess"),
    (OTHELLO + "f5d9", "'d9' at character 3 is not a square"),
    (OTHELLO + "f5f5", "f5 at character 3 is not legal; legal: f4 d6 f6"),
    (OTHELLO + "-----", "5 squares; expected 64"),
    (OTHELLO + "'XXXX ?--- X'", "'?' at square 5 of 64 (e1)"),
    (OTHELLO + "-", "standard input is empty"),
    (OTHELLO + "f5 d6", "quote a position that contains spaces"),
    (OTHELLO + "--moves d3,e3", "'d3,e3' is not a legal move here; legal: d3 c4 f5 e6"),
    ("analyse tictactoe XXX/---/---", "3 X and 0 O"),
    ("analyse connect4 44444444", "4"),
    (OTHELLO + "--depth 0", "depth must be between 1 and 200 plies (got 0)"),
    (OTHELLO + "--depth -3", "got -3"),
    (OTHELLO + "--depth 1000", "got 1000"),
    (OTHELLO + "--depth deep", "'--depth'"),
    (OTHELLO + "--depth", "--depth"),
    (OTHELLO + "--seconds 0", "seconds must be above 0"),
    (OTHELLO + "--seconds -1", "seconds must be above 0"),
    (OTHELLO + "--seconds nan", "seconds must be above 0"),
    (OTHELLO + "--seconds inf", "seconds must be above 0"),
    (OTHELLO + "--nodes 0", "nodes must be at least 1"),
    (OTHELLO + "--exact --depth 4", "exclude each other"),
    (OTHELLO + "--lines 0", "lines must be at least 1"),
    (OTHELLO + "--threads 0", "between 1 and"),
    (OTHELLO + "--threads 100000", "between 1 and"),
    (OTHELLO + "--table 5X", "(got '5X')"),
    (OTHELLO + "--table 64", "table size 64 is in bytes; for megabytes write 64M"),
    (OTHELLO + "--table -64M", "(got '-64M')"),
    (OTHELLO + "--table 9999G", "table size"),
    (OTHELLO + "--evaluation dif", "it has patterns, mobility, diff, wdiff"),
    (OTHELLO + "--dpeth 4", "--depth"),
    (OTHELLO + "--frobnicate", "no such option: --frobnicate"),
    (OTHELLO + "--algorithm minmax", "did you mean minimax"),
    (OTHELLO + "--algorithm xyzzy", "expected one of engine, mcts, minimax"),
    (OTHELLO + "--order diff", "textbook"),
    (OTHELLO + "--no-compiled", "textbook"),
    (TEXTBOOK + "--seconds 3", "--seconds needs the engine"),
    (TEXTBOOK + "--nodes 3", "--nodes needs the engine"),
    (TEXTBOOK + "--lines 3", "--lines needs the engine"),
    (TEXTBOOK + "--threads 3", "--threads needs the engine"),
    (TEXTBOOK + "--table 1M", "--table needs the engine"),
    (TEXTBOOK + "--depth 0", "--depth must be at least 1"),
    (TEXTBOOK + "--exact --depth 4", "--exact and --depth cannot be combined"),
    (TEXTBOOK + "--evaluation dif", "it has lines"),
    (TEXTBOOK + "--order dif", "it has lines"),
    (TEXTBOOK + "--order lines --compiled", "--compiled needs --algorithm minimax, alphabeta"),
    ("analyse tictactoe --algorithm negamax --compiled", "--compiled needs --algorithm minimax, alphabeta"),
    ("perft othello", "missing argument"),
    ("perft othello six", "DEPTH must be a whole number (got 'six')"),
    ("perft othello -1", "(got -1)"),
    ("perft othello 100000", "(got 100000)"),
    ("perft othello a b 3", "quote a position that contains spaces"),
    ("perft othello f5f5 3", "is not legal"),
    ("play xyzzy", "unknown game"),
    ("play tictactoe -", "standard input"),
    ("play tictactoe --level 0", "level must be between 1 and 10 (got 0)"),
    ("play tictactoe --level 11", "level must be between 1 and 10 (got 11)"),
    ("play othello --level 61", "level must be between 1 and 60 in Othello (got 61)"),
    ("play othello --level 11 --algorithm mcts", "level must be between 1 and 10 (got 11)"),
    ("analyse othello --level 61", "level must be between 1 and 60 in Othello (got 61)"),
    ("analyse othello6 --level 11", "level must be between 1 and 10 (got 11)"),
    ("analyse othello --level 3 --depth 3", "--level cannot be combined with --depth"),
    ("analyse othello --level 3 --algorithm minimax", "--level needs the engine"),
    ("match othello random engine:level=61", "level must be between 1 and 60 in Othello (got 61)"),
    ("play tictactoe --level 2s", "invalid value for '--level'"),
    ("play tictactoe --depth 0", "depth must be between 1 and 200"),
    ("play tictactoe --variety -1", "variety must be between 0 and"),
    ("play tictactoe --seed -1", "--seed must be at least 0"),
    ("play tictactoe --algorithm mtcs", "did you mean mcts"),
    ("play tictactoe --algorithm mcts --depth 3", "has no depth: choose a level or seconds"),
    ("analyse tictactoe --algorithm mcts --depth 3", "limited by seconds and nodes"),
    ("analyse tictactoe --algorithm mcts --order lines", "--order needs a textbook --algorithm"),
    ("analyse tictactoe --seed 3", "--seed needs --algorithm mcts"),
    ("match tictactoe random engine:level=11", "level must be between 1 and 10 (got 11)"),
    ("match tictactoe random random random", "a match has two players; for more, use zermelo tournament"),
    ("match tictactoe random mcts:depth=3", "mcts: 'depth=3' is not an option"),
    ("play tictactoe --seconds 0", "seconds must be above 0"),
    ("play tictactoe --level 3 --seconds 1", "--level cannot be combined with --depth or --seconds"),
    ("play tictactoe --as white", "--as must be one of max, min, both, none, crosses, noughts"),
    ("play tictactoe --evaluation dif", "it has lines"),
    ("bench xyzzy", "unknown game"),
    ("cache warm xyzzy", "unknown game"),
]


def assert_one_line(done: Any, expected: str) -> None:
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("zermelo: ")
    assert done.err.endswith("\n")
    assert done.err.count("\n") == 1, done.err
    assert "Traceback" not in done.err
    assert expected in done.err


@pytest.mark.parametrize(("line", "expected"), BAD, ids=[line for line, _ in BAD])
def test_bad_input(zermelo: Callable[..., Any], line: str, expected: str) -> None:
    assert_one_line(zermelo(*shlex.split(line)), expected)


# What is changed in a sound game's file, and what its one line must say.
BAD_FILES = {
    "no such module": (
        "from zermelo import",
        "import no_such_module\nfrom zermelo import",
        "line {line}: ModuleNotFound",
    ),
    "no Python": ("class Nim:", "class Nim", "line {line}: "),
    "no method": ("def is_over", "def has_ended", "Nim has no method is_over"),
    "too many parameters": ("def moves(self)", "def moves(self, more)", "Nim.moves takes 2 parameters"),
    "a field with a default of a wrong type": ("heap: int = 15", "heap: int = 1.5", "Nim.heap"),
    "not decorated": ("@game", "", "decorate the class with @game"),
    "a move that is no int": ("yield take", "yield str(take)", "Nim.moves() yielded '1' (str)"),
    "a state of a wrong kind": ("return Nim(self.heap - take, -self.turn)", "return take", "Nim.play(1) returned 1"),
    "an attribute that is not there": ("self.heap == 0", "self.heaps == 0", "nim.py:{line}: Nim.is_over raised Attr"),
    "a call that does not compile": (
        "self.heap == 0",
        "eval('self.heap == 0')",
        "nim.py:{line}: Nim.is_over does not compile: 'eval'",
    ),
    "text that fails": (
        "def is_over",
        "def __str__(self):\n        return 1 / 0\n\n    def is_over",
        "Nim.__str__ raised",
    ),
}


@pytest.mark.parametrize("what", BAD_FILES)
def test_a_wrong_game(zermelo: Callable[..., Any], nim: Path, what: str) -> None:
    right, wrong, expected = BAD_FILES[what]
    text = (nim / "nim.py").read_text()
    assert right in text
    line = text[: text.index(right)].count("\n") + 1
    (nim / "nim.py").write_text(text.replace(right, wrong))
    assert_one_line(zermelo("analyse", "nim.py:Nim", "--depth", "5", "--json"), expected.format(line=line))


def test_no_such_file_and_no_such_class(zermelo: Callable[..., Any], nim: Path) -> None:
    assert_one_line(zermelo("analyse", "nowhere.py:Nim"), "nowhere.py: No such file")
    assert_one_line(zermelo("analyse", "nim.py:Nym"), "games in it: Nim")


@pytest.mark.parametrize("algorithm", ["alphabeta-hard", "negamax", "minimax --no-compiled"])
def test_a_mistake_deep_in_the_game(zermelo: Callable[..., Any], nim: Path, algorithm: str) -> None:
    """The first states are sound; the line of the file and the method are told all the same."""
    text = (
        (nim / "nim.py").read_text().replace("self.heap - take, -self.turn", "self.heap - take, 1 // (self.heap - 5)")
    )
    (nim / "nim.py").write_text(text)
    line = text[: text.index("1 //")].count("\n") + 1
    done = zermelo("analyse", "nim.py:Nim", "--algorithm", *algorithm.split())
    assert_one_line(done, f"nim.py:{line}: Nim.play raised ZeroDivisionError")


def test_a_mistake_in_the_notation(zermelo: Callable[..., Any], nim: Path) -> None:
    with (nim / "nim.py").open("a") as file:
        file.write("\n    @classmethod\n    def parse(cls, text):\n        return cls(int(text.split()[5]))\n")
    line = (nim / "nim.py").read_text().count("\n")
    assert_one_line(zermelo("analyse", "nim.py:Nim", "3 4"), f"nim.py:{line}: Nim.parse raised IndexError")
