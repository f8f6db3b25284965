"""Positions of WTHOR files with the values that the files hold."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import pytest

from zermelo import FormatError, load
from zermelo.formats import wthor
from zermelo.formats.record import Record, record_from_moves
from zermelo.games.othello import Othello
from zermelo.learn.scored_games import load_scored_games


def random_game(seed: int, plies: int = 80) -> Record:
    random, state, moves = Random(seed), Othello.start(), []
    while not state.is_over() and len(moves) < plies:
        moves.append(random.choice(state.legal_moves()))
        state = state.play(moves[-1])
    record = record_from_moves(Othello.start(), moves)
    record.tags = {"BlackDiscs": "40", "TheoreticalDiscs": str(20 + seed)} if plies < 80 else {"TheoreticalDiscs": "50"}
    return record


def write(path: Path, records: list[Record], depth: int = 24) -> Path:
    path.write_bytes(wthor.write(records, wthor.Date(2024, 5, 1), depth=depth).games)
    return path


def test_positions_and_values(tmp_path: Path) -> None:
    records = [random_game(1), random_game(2, plies=50), random_game(3, plies=9)]
    found = load_scored_games(write(tmp_path / "games.wtb", records), Othello)
    assert len(found) == 2  # the third game is too short
    assert found.score.tolist() == [2 * 50 - 64, 2 * 22 - 64]
    assert found.exact.tolist() == [1, 1]
    assert found.game.tolist() == [0, 1]
    for index in range(2):
        state: Any = found.state(index, Othello)
        assert (state.black | state.white).count() == 40
        played = Othello.start()
        for move in records[index].moves()[: found.ply[index]]:
            played = played.play(move)
        assert state == played
        assert found.played[index] == records[index].moves()[found.ply[index]]


def test_bad_files_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "games.wtb", [random_game(1), random_game(2)])
    with pytest.raises(FormatError, match="a WTHOR file has games of Othello, not of TicTacToe"):
        load_scored_games(path, load("tictactoe"))
    content = bytearray(path.read_bytes())
    content[16 + 68 + 8] = 11
    path.write_bytes(content)
    with pytest.raises(FormatError, match=r"games\.wtb: game 2: move 1 is a1, which is not legal"):
        load_scored_games(path, Othello)
    path.write_bytes(b"ZERMELOP")
    with pytest.raises(FormatError, match="the file has 8 bytes"):
        load_scored_games(path, Othello)
