"""`zermelo book`: built, extended, checked, shown, exported; bad input."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from zermelo.games.chess import Chess
from zermelo.solve.books.book import Book
from zermelo.solve.books.book_file import save_book


def test_from_building_to_analysing(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    path = str(tmp_path / "ttt.book")
    done = zermelo("book", "tictactoe", "build", path, "--plies", "1", "--search", "exact", "--quiet")
    assert done.code == 0
    assert ": 4 positions added, 4 in all, " in done.out
    done = zermelo("book", "tictactoe", "build", path, "--plies", "2", "--json", "--quiet").json
    assert (done["positions"], done["added"]) == (16, 12)
    done = zermelo("book", "tictactoe", "extend", path, "--positions", "2", "--quiet")
    assert done.code == 0
    assert zermelo("book", "tictactoe", "check", path) == (
        0,
        f"{path}: {done.out.split(', ')[1].split()[0]} positions, no contradictions\n",
        "",
    )
    shown = zermelo("book", "tictactoe", "show", path)
    assert "made by    zermelo book tictactoe build ttt.book --plies 2 --search exact\n" in shown.out
    assert "  9  c3    a draw" in shown.out
    assert "not in the book" not in shown.out
    some = zermelo("book", "connect4", "show", "--moves", "1 1 1 1")  # a leaf: the package has the best answer only
    assert some.out.splitlines()[-1] == "  6 other moves: not in the book"
    shown = zermelo("book", "tictactoe", "show", path, "--moves", "a1", "--json").json
    assert [line["value"] for line in shown["analysis"]["lines"]] == [0] + 7 * [1]
    found = zermelo("analyse", "tictactoe", "--book", path, "--json").json
    assert (found["reason"], found["nodes"], len(found["lines"])) == ("book", 0, 9)
    done = zermelo("analyse", "tictactoe", "--book", path)
    assert "in the opening book" in done.out
    assert "selective" not in done.out
    assert done.err == ""
    done = zermelo("analyse", "tictactoe", "--book", path, "--lines", "2", "--depth", "3")
    assert "  2  " in done.out
    assert "  3  " not in done.out.partition("line\n")[2]
    assert done.err == "note: the position is in the opening book; search options have no effect\n"
    solved = zermelo("solve", "tictactoe", "--book", path, "--each", "--json").json
    assert (solved["value"], set(solved["moves"].values()), solved["book"], solved["nodes"]) == (0, {0}, True, 0)
    assert (
        zermelo("solve", "tictactoe", "--book", path, "--wld").out == "outcome  a draw\nnodes    in the opening book\n"
    )
    rows = [json.loads(line) for line in zermelo("book", "tictactoe", "export", path).out.splitlines()]
    assert rows[0]["position"] == "---/---/---"
    assert {row["value"] for row in rows} == {0, 1, -1} & {row["value"] for row in rows}
    output = tmp_path / "rows.jsonl"
    assert zermelo("book", "tictactoe", "export", path, "-o", str(output)).code == 0
    assert len(output.read_text().splitlines()) == len(rows)


@pytest.mark.parametrize(
    ("search", "selective"), [("seconds=1", True), ("seconds=1,depth=3", False), ("nodes=9", False), ("?", False)]
)
def test_selective_searches_are_marked(
    zermelo: Callable[..., Any], tmp_path: Path, search: str, selective: bool
) -> None:
    path = tmp_path / "chess.book"
    save_book(path, Book(Chess, Chess.start(), search=search))
    shown = zermelo("book", "chess", "show", str(path))
    assert shown.code == 0
    mark = ", selective: scores are estimates" if selective else ""
    assert f"searches   {search}{mark}\n" in shown.out
    assert zermelo("book", "chess", "show", str(path), "--json").json["selective"] is selective


def test_bad_input(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "ttt.book"

    def refused(message: str, *words: str) -> None:
        code, out, err = zermelo("book", *words)
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert message in err

    refused("file not found", "tictactoe", "extend", str(path), "--positions", "1")
    refused("directory not found", "tictactoe", "build", str(tmp_path / "none" / "x"), "--plies", "1")
    refused("--plies must be at least 0 (got -1)", "tictactoe", "build", str(path), "--plies", "-1")
    refused("extend needs --positions N or --from STORE", "tictactoe", "extend", str(path))
    refused("the package has no book of TicTacToe", "tictactoe", "check")
    refused("must be exact, depth=N", "tictactoe", "build", str(path), "--plies", "1", "--search", "deep")
    refused("opening books are for games without chance", "backgammon", "build", str(path), "--plies", "1")
    path.write_bytes(b"no book")
    refused("is not a book file: it does not start with ZERMELOB", "tictactoe", "check", str(path))
    refused("is not a book file", "tictactoe", "build", str(path), "--plies", "1")
    assert path.read_bytes() == b"no book"
    assert zermelo("book", "tictactoe", "build", str(path) + "2", "--plies", "0", "--search", "depth=1", "-q").code == 0
    mixed = ("build", str(path) + "2", "--plies", "1", "--search", "depth=2")
    refused("its positions are scored by depth=1; --search depth=2 would mix scores", "tictactoe", *mixed)


@pytest.mark.long
def test_learning_from_a_match(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    """A book of shallow searches grows along the games that a random player lost."""
    store, path = str(tmp_path / "games.zermelo"), str(tmp_path / "ttt.book")
    played = ("match", "tictactoe", "engine:depth=4", "random", "--games", "10", "--seed", "1", "--store", store)
    assert zermelo(*played, "--workers", "0", "--quiet").code == 0
    assert zermelo("book", "tictactoe", "build", path, "--plies", "1", "--search", "depth=1", "--quiet").code == 0
    learned = zermelo("book", "tictactoe", "extend", path, "--from", store, "--quiet", "--json").json
    assert learned["added"] > 10
    assert zermelo("book", "tictactoe", "check", path).code == 0
    code, _, err = zermelo("book", "chess", "extend", path, "--from", store)
    assert code == 2
    assert "this book is for the game 'TicTacToe', not Chess" in err
