"""OBF: positions of Othello with the scores of their moves."""

from __future__ import annotations

from typing import Any

import pytest

from zermelo.formats.obf import Expected, expected
from zermelo.formats.record import record_from_moves
from zermelo.games.othello import Othello

pytestmark = pytest.mark.quick

BOARD = "--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO--"


def test_scores_and_comments(read: Any, written: Any) -> None:
    text = f"% a set\n\n{BOARD} X; g8:+18; H1:12 ;h7:-6; % FFO 1\n{BOARD} O;-4;\n{BOARD} X\n"
    records, lost = read("othello", "obf", text)
    assert not lost
    assert records[0].operations == {"g8": ["+18"], "h1": ["12"], "h7": ["-6"]}
    assert records[0].line.comments == ["FFO 1"]
    assert [expected(each) for each in records] == [
        Expected(18, {"g8": 18, "h1": 12, "h7": -6}), Expected(-4, {}), None
    ]  # fmt: skip
    assert written("othello", "obf", records[0]) == f"{BOARD} X; G8:+18; H1:+12; H7:-6; % FFO 1\n"
    (again,), _ = read("othello", "json", written("othello", "json", records[0]))
    assert (again.operations, again.line.comments) == (records[0].operations, ["FFO 1"])


def test_a_game_is_written_as_its_last_position(written: Any) -> None:
    record = record_from_moves(Othello.start(), [37])
    assert written("othello", "obf", record) == f"{Othello.parse('f5')};\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"{BOARD} X; a1:+2;", "game 2, line 2: 'a1' is not a legal move"),
        (f"{BOARD} X; g8:+65;", "game 2, line 2: score '+65' of g8; expected discs from -64 to +64"),
        (f"{BOARD} X; g8:+2; G8:+2;", "game 2, line 2: two scores of g8; expected one"),
        (f"{BOARD} X; best;", "game 2, line 2: score 'best' of score; expected discs"),
        (f"{BOARD} X; pass:+2;", "game 2, line 2: 'pass' is not a legal move"),
        (f"{BOARD[1:]} X;", "game 2, line 2: Othello position: 63 squares"),
        (f"{BOARD};", "game 2, line 2: Othello position: side to move"),
    ],
)
def test_one_line_for_a_bad_position(read: Any, line: str, message: str) -> None:
    good = f"{BOARD} X; g8:+18;"
    records, (error,) = read("othello", "obf", f"{good}\n{line}\n{good}\n")
    assert len(records) == 2
    assert message in str(error)
