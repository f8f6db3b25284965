"""`zermelo show`: boards in the terminal and as pictures."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import zermelo as library


def test_a_board_who_moves_and_what(zermelo: Callable[..., Any]) -> None:
    code, out, err = zermelo("show", "tictactoe", "X-O/-X-/--O")
    assert (code, err) == (0, "")
    state = library.load("tictactoe").parse("X-O/-X-/--O")
    assert out == (f"{state.board()}\n\n  position  X-O/-X-/--O\n  to move   crosses\n  moves     5: b1 a2 c2 a3 b3\n")


def test_a_game_that_is_over(zermelo: Callable[..., Any]) -> None:
    assert zermelo("show", "tictactoe", "XXX/OO-/---").out.endswith("  result    the game is over: crosses have won\n")


@pytest.mark.parametrize(
    ("game", "position", "told"),
    [
        ("chess", "7k/5KQ1/8/8/8/8/8/8 b - - 0 1", "checkmate: white has won"),
        ("chess", "7k/5KQ1/8/8/8/8/8/8 b - - 150 99", "checkmate: white has won"),  # mate comes first
        ("chess", "7k/5K2/6Q1/8/8/8/8/8 b - - 0 1", "stalemate: a draw"),
        ("chess", "7k/5K2/8/8/8/8/8/8 b - - 0 1", "dead position: a draw"),
        ("chess", "7k/5K2/8/8/8/8/8/R7 b - - 150 100", "75-move rule: a draw"),
        ("checkers", "B:W5,6,10:B1", "blockade: white has won"),
        ("checkers", "B:WK32:B", "capture of all pieces: white has won"),
    ],
)
def test_what_ended_the_game(zermelo: Callable[..., Any], game: str, position: str, told: str) -> None:
    assert zermelo("show", game, position).out.endswith(f"  result    the game is over by {told}\n")


def test_a_draw_that_can_be_claimed(zermelo: Callable[..., Any]) -> None:
    moves = "Nf3 Nf6 Ng1 Ng8 " * 2
    told = "  draw      can be claimed: the position occurred 3 times\n"
    assert zermelo("show", "chess", "--moves", moves).out.endswith(told)
    assert "can be claimed" not in zermelo("show", "chess", "--moves", moves + "e4").out


@pytest.mark.parametrize("name", ["backgammon", "checkers", "chess", "connect4", "kuhn", "othello", "pennies"])
def test_every_game(name: str, zermelo: Callable[..., Any], tmp_path: Path) -> None:
    start = library.load(name).start()
    assert zermelo("show", name).out.startswith(f"{start.board()}\n\n  position  {start}\n")
    found = zermelo("show", name, "--json").json
    assert (found["game"], found["position"], found["board"]) == (name, str(start), start.board())
    assert found["moves"] == [start.move_name(move) for move in start.legal_moves()]
    path = tmp_path / "board.svg"
    assert zermelo("show", name, "-o", str(path)) == (0, "", "")
    assert path.read_text().startswith("<?xml")


def test_a_move_list_instead_of_moves_is_explained(zermelo: Callable[..., Any]) -> None:
    for game, moves in (("chess", "1. e4 e5"), ("othello", "f5d6c3")):
        done = zermelo("show", game, "--moves", moves)
        assert (done.code, done.out) == (2, "")
        assert done.err.endswith("; expected moves with spaces between them, without numbers\n")
    assert "numbers" not in zermelo("show", "chess", "--moves", "e4 e9").err


def test_moves_are_played_and_the_last_one_is_marked(zermelo: Callable[..., Any]) -> None:
    found = zermelo("show", "chess", "--moves", "e4 e5 Nf3", "--json").json
    assert found["position"].startswith("rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq -")
    assert found["to_move"] == "black"
    svg = zermelo("show", "chess", "--moves", "e4 e5 Nf3", "--format", "svg").out
    assert svg.count('class="mark"') == 2
    assert 'class="mark"' not in zermelo("show", "chess", "--format", "svg").out


def test_the_position_from_standard_input(zermelo: Callable[..., Any]) -> None:
    found = zermelo("show", "connect4", "-", "--json", typed="4453\n").json
    assert found["position"] == str(library.load("connect4").parse("4453"))
    assert zermelo("show", "connect4", "-", "--moves", "4", "--format", "svg", typed="44").out.count('"mark"') == 1


def test_json_says_what_was_written(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "board.png"
    found = zermelo("show", "othello", "-o", str(path), "--json").json
    assert (found["file"], found["format"], found["over"]) == (str(path), "png", False)
    assert path.read_bytes().startswith(b"\x89PNG")


def test_a_dash_and_no_file_are_standard_output(zermelo: Callable[..., Any]) -> None:
    assert zermelo("show", "tictactoe", "-o", "-").out == zermelo("show", "tictactoe").out
    assert zermelo("show", "tictactoe", "--format", "tikz").out.startswith("% TicTacToe: crosses to move\n")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["chess", "-o", "board.gif"], "unknown file extension: expected one of .svg .png .pdf .tex .tikz .txt"),
        (["chess", "-o", "board.html"], "a board cannot be drawn as html: expected one of svg, png, pdf, tikz, text"),
        (["chess", "--format", "bmp"], "unknown format 'bmp': expected one of svg, png, pdf, tikz, text"),
        (["chess", "--dpi", "0", "-o", "x.png"], "dpi must be between 24 and 1200 (got 0)"),
        (["chess", "--theme", "pink"], "theme must be light or auto (got 'pink')"),
        (["ches"], "unknown game 'ches'; did you mean chess"),
        (["chess", "8/8/8 w - - 0 1"], "Chess position"),
        (["othello", "--moves", "f5 a1"], "'a1' is not a legal move"),
        (["chess", "-o", "nowhere/board.svg"], "directory not found: nowhere"),
    ],
)
def test_bad_input(
    words: list[str], told: str, zermelo: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = zermelo("show", *words)
    assert (code, out) == (2, "")
    assert err.startswith("zermelo: ")
    assert told in err
    assert err.count("\n") == 1
    assert not os.listdir(tmp_path)


def test_plain_letters_where_there_are_no_others(program: list[str], environment: dict[str, str]) -> None:
    done = subprocess.run(
        [*program, "show", "chess"], env=environment | {"PYTHONIOENCODING": "ascii"}, capture_output=True, check=True
    )
    assert b"r n b q k b n r" in done.stdout
    assert b"R N B Q K B N R" in done.stdout
    assert b"?" not in done.stdout
