"""Match text: games of GNU Backgammon, writing, and errors."""

from __future__ import annotations

import io
import re
import time
from random import Random

import pytest

from zermelo.errors import FormatError
from zermelo.formats import match
from zermelo.formats.line_reader import read_lines
from zermelo.formats.record import Record, record_from_moves
from zermelo.formats.registry import formats_of
from zermelo.formats.text_formats import read_json, write_json
from zermelo.games.backgammon import Backgammon

pytestmark = pytest.mark.quick

# GNU Backgammon 1.07 against itself: three games of a match to 5 points.
TEXT = """\
; [EventDate "2026.11.22"]

 5 point match

 Game 1
 gnubg : 0                      root : 0
  1)                             21: 13/11 24/23 
  2) 52: 13/8 24/22              63: 8/5 11/5 
  3) 53: 8/3 6/3                 62: 13/7 7/5 
  4) 42: 8/4 6/4                 41: 13/9 9/8 
  5) 31: 22/21 24/21             21: 5/3 6/5 
  6) 43: 13/10 10/6              65: 23/18 24/18 
  7) 52: 6/1 3/1                 33: 18/15 18/15 13/10 13/10
  8) 51: 6/5 8/3                 52: 3/1 6/1 
  9) 65: 13/7 7/2                32: 5/3 6/3 
 10) 63: 5/2 8/2                 62: 8/2 3/1 
 11) 51: 2/1 21/16               42: 8/4* 4/2 
 12) 66:                         22: 15/13 13/11 11/9* 3/1
 13) 54: 25/21                    Doubles => 2
 14)  Drops                       Wins 1 point 

 Game 2
 gnubg : 0                      root : 1
  1)                             31: 8/5 6/5 
  2) 43: 13/9 24/21              53: 24/21 21/16* 
  3) 52: 25/23 13/8               Doubles => 2
  4)  Takes                      31: 16/13 6/5 
  5) 32: 23/21 24/21             43: 13/10 10/6 
  6) 63: 13/10 21/15             33: 24/21 21/18 18/15* 13/10*
  7) 32: 25/22 25/23             63: 13/7 10/7 
  8) 65: 22/16 16/11             22: 15/13 13/11 11/9 9/7
  9) 41: 8/4 6/5                 21: 13/11 6/5 
 10) 43: 8/5 8/4                 32: 11/8 8/6 
 11) 42: 11/7 6/4                63: 5/2* 8/2 
 12) 33: 25/22 13/10 13/10 10/7  53: 8/3* 6/3 
 13) 63:                         65: 7/1 6/1 
 14) 32:                         52: 13/8 8/6 
 15) 43: 25/21 8/5               43: 13/10 10/6 
 16) 44: 21/17 17/13 7/3 7/3     42: 7/3 7/5 
 17) 33: 13/10 10/7 10/7 5/2     51: 1/0 5/0 
 18) 31: 7/6 4/1                 55: 6/1 5/0 5/0 5/0
 19) 54: 21/17 17/12             55: 6/1 6/1 6/1 3/0
 20) 63: 12/6 21/18              65: 3/0 3/0 
 21) 11: 18/17 17/16 16/15 7/6   42: 2/0 2/0 
 22) 44: 15/11 11/7 7/3 6/2      62: 1/0 1/0 
                                  Wins 2 points

 Game 3
 gnubg : 0                      root : 3
  1) 61: 13/7 8/7                63: 24/21 21/15 
  2) 64: 13/7 24/20              43: 8/5* 15/11 
  3) 66:                         41: 6/5 24/20 
  4) 21: 25/23 6/5*              31: 25/22 6/5 
  5) 55: 8/3* 8/3 7/2 7/2        33: 
  6)  Doubles => 2                Drops
      Wins 1 point
"""  # noqa: W291


def read(text: str | bytes) -> tuple[list[Record], list[str]]:
    lost: list[FormatError] = []
    data = text if isinstance(text, bytes) else text.encode()
    return list(match.read(read_lines(io.BytesIO(data)), lost.append)), list(map(str, lost))


def test_read_match_of_gnu_backgammon() -> None:
    games, lost = read(TEXT)
    assert lost == []
    assert [game.result for game in games] == ["1-0", "1-0", "0-1"]
    assert games[1].tags == {
        "EventDate": "2026.11.22", "Match": "5", "Game": "2", "O": "gnubg", "ScoreO": "0", "X": "root", "ScoreX": "1",
        "Points": "2",
    }  # fmt: skip
    assert [step.text for step in games[0].line.steps][:6] == [
        "21",
        "24/23,13/11",
        "52",
        "24/22,13/8",
        "63",
        "11/5,8/5",
    ]
    assert [step.text for step in games[2].line.steps][:2] == ["16", "13/7,8/7"]  # O has rolled the six
    assert [(step.text, step.move) for step in games[0].line.steps][-2:] == [("double", None), ("drop", None)]
    assert [step.text for step in games[1].line.steps][8:12] == ["double", "take", "31", "16/13,6/5"]
    assert games[1].line.steps[-1].text == "resign"  # X has some checkers left, O has given up
    assert [step.text for step in games[2].line.steps][-3:] == ["pass", "double", "drop"]


def test_write_match_of_gnu_backgammon() -> None:
    games, _ = read(TEXT)
    written = "".join(map(match.write, games))
    again, lost = read(written)
    assert lost == []
    assert again == games
    ours, theirs = (
        [sorted(line.replace("*", "").split()) for line in text.splitlines() if line.strip()]
        for text in (written, TEXT)
    )
    # The same lines; within a play the order may differ, and so which checker goes on.
    alike = [one == two for one, two in zip(ours, theirs, strict=True)]
    assert alike.count(False) == 4
    for game in games:
        assert list(read_json(Backgammon, read_lines(io.BytesIO(write_json(game).encode())), print)) == [game]


def played_at_random(random: Random) -> Record:
    state, moves = Backgammon.start(), []
    while not state.is_over():
        moves.append(random.choice(state.legal_moves()))
        state = state.play(moves[-1])
    record = record_from_moves(Backgammon.start(), moves)
    record.result = "1-0" if state.utility() > 0 else "0-1"
    return record


def test_round_trip_of_random_games() -> None:
    random = Random(7)
    for _ in range(5):
        record = played_at_random(random)
        games, lost = read(match.write(record))
        assert lost == []
        assert games[0].moves() == record.moves()
        assert games[0].result == record.result
        assert games[0].tags["Points"] == str(abs(record.end().utility()))


def test_unfinished_games() -> None:
    games, lost = read(" Game 1\n a : 0   b : 0\n  1) 31: 8/5 6/5")
    assert lost == []
    assert (games[0].result, games[0].tags["X"]) == ("*", "b")
    assert str(games[0].end()).startswith("sGfwATDgc/ABMA:")
    games, lost = read(" Game 1\n  1) 31: 8/5 6/5    42: 8/4 6/4\n      Wins 3 points\n")
    assert lost == []
    assert [games[0].line.steps[-1].text, games[0].result, games[0].tags["Points"]] == ["resign", "0-1", "3"]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("8/5 11/5", "8/5 11/6", "game 1, line 8: '8/5 11/6' is not a legal play of 63; legal: 8/2,6/3"),
        ("52: 13/8 24/22", "52: 13/8 24/22 33: 6/3", "line 8: .*; expected actions of each player"),
        ("52: 13/8 24/22", "52: thirteen/8", "game 1, line 8: 'thirteen/8' is not a play of 52; expected one like 8/5"),
        ("52: 13/8 24/22", "72: 13/8 24/22", "line 8: .*; expected actions of each player"),
        ("Doubles => 2\n 14)", "Doubles => 4\n 14)", "line 19: Doubles => 4 with the cube at 1; expected Doubles => 2"),
        (" 14)  Drops ", " 14)  Takes ", "line 20: X \\(white\\) wins 1 with the cube at 2; expected 1, 2 or 3"),
        (" Wins 1 point ", " Wins 2 points ", "line 20: X \\(white\\) wins 2; expected X \\(white\\) to win 1"),
        (f"{' ' * 25}21: 13/11 24/23 ", " 21: 13/11 24/23", "O \\(black\\): 52:, but X \\(white\\) is to move"),
        (" 12) 66:    ", " 12) 66: 6/off", "game 1, line 18: '6/off' is not a legal play of 66; legal: pass"),
        ("  2) 52: 13/8 24/22              63: 8/5 11/5 ", "  2)  Takes", "O \\(black\\) takes, but no double"),
        (
            " 14)  Drops                       Wins 1 point ",
            " 14) 31: 8/5 6/5",
            "line 20: O \\(black\\): 31: after a double; expected Takes or Drops",
        ),
        (" 5 point match", " Game 0\n oops", "game 1, line 4: 'oops'; expected a line like  1\\) 31: 8/5 6/5"),
        ("13) 54: 25/21 ", "13) 54: 25/21 \0", "line 19: the line contains a NUL byte; expected text in UTF-8"),
    ],
    ids=range(13),
)  # fmt: skip
def test_error_message_for_invalid_game(old: str, new: str, message: str) -> None:
    assert old in TEXT
    games, lost = read(TEXT.replace(old, new, 1))
    assert [game.tags["Game"] for game in games if game.line.steps][-2:] == ["2", "3"]
    assert len(lost) == 1
    with pytest.raises(FormatError, match=message):
        raise FormatError(lost[0])
    assert "\n" not in lost[0]


@pytest.mark.slow
def test_error_message_for_invalid_end_of_game() -> None:
    for old, new, message in (
        (
            "Wins 2 points",
            "Wins 8 points",
            "line 46: X (white) wins 8 with the cube at 2; expected 1, 2 or 3 times the cube",
        ),
        ("Wins 1 point \n", "Wins ever \n", "line 20: Wins 'ever'; expected points, like Wins 2 points"),
        (
            " Takes                      31: 16/13 6/5 ",
            f" Takes{' ' * 22} Doubles => 4",
            "but the other player owns the cube",
        ),
    ):
        assert old in TEXT
        games, lost = read(TEXT.replace(old, new, 1))
        assert len(games) == 2
        assert message in lost[0]
    played = match.write(played_at_random(Random(9)))
    loser = "O" if "                  Wins" in played else "X"
    for wins in ("Wins 9 points", "Wins 0 points"):
        _, lost = read(re.sub("Wins . points?", wins, played))
        winner = r"X \(white\)" if loser == "O" else r"O \(black\)"
        assert re.search(f"[OX] .* wins [09]; expected {winner} to win [123]", lost[0])


def test_error_message_for_other_files() -> None:
    assert read("hello") == ([], ["line 1: 'hello' before the first game; expected a line like Game 1"])
    assert read("") == ([], [])
    assert read(b"\xff\xfeG\0a\0") == ([], ["line 1: the file is UTF-16 or UTF-32; expected UTF-8 or Latin-1"])
    games, lost = read(" Game 1\n" + "1) " * 300_000)
    assert (games, lost) == ([], ["game 1, line 2: the line has more than 200,000 bytes"])
    games, lost = read(" Game 1\n" + "  1)\n" * 5_001)
    assert lost == ["game 1, line 5,002: the game has more than 5,000 lines"]


@pytest.mark.parametrize(
    "line",
    ["a:1  " * 13_000, "a:1  " + " " * 65_000 + "b", "; [" + " " * 65_000, "; [" + "a " * 32_000, "a" + "  :" * 20_000],
    ids=lambda line: line[:8],
)
def test_long_lines_are_fast(line: str) -> None:
    began = time.process_time()
    read(f" Game 1\n{line}\n")
    assert time.process_time() - began < 0.5


def test_line_of_players_is_bounded() -> None:
    games, lost = read(f" Game 1\n {'a' * 480} : 0    b : 0\n")
    assert not lost
    assert len(games[0].tags["O"]) == 480
    _, lost = read(f" Game 1\n {'a' * 500} : 0    b : 0\n")
    assert lost == [f"game 1, line 2: '{'a' * 27}...' has 514 characters; expected at most 500"]
    games, _ = read(" Game 1\n a:3 : 12    b : 5 : 7\n")
    assert [games[0].tags[name] for name in ("O", "ScoreO", "X", "ScoreX")] == ["a:3", "12", "b : 5", "7"]


def test_tags_are_bounded_and_derived_tags_ignored() -> None:
    tags = [f'; [Tag{number} "x"]' for number in range(101)]
    assert read("\n".join([*tags, " Game 1"])) == ([], ["line 101: the match has more than 100 tags"])
    games, lost = read("\n".join([*tags[:100], '; [Points "x"]', " Game 1"]))
    assert not lost
    assert len(games[0].tags) == 102
    assert "Points" not in games[0].tags


def test_error_for_start_position() -> None:
    with pytest.raises(
        FormatError, match="match text has no start positions; expected a game from the initial position"
    ):
        match.write(Record(Backgammon.parse("31")))


def test_registered_for_backgammon() -> None:
    assert list(formats_of(Backgammon)) == ["match", "positions", "moves", "json"]


@pytest.mark.slow
def test_damaged_text_parses_or_raises() -> None:
    random = Random(8)
    for _ in range(20):
        text = list(TEXT)
        for _ in range(random.randint(1, 4)):
            at = random.randrange(len(text))
            text[at : at + random.randrange(4)] = random.choice(
                ["", "6", "/", "Doubles => 2", ":", ")", "\0", " " * 20, "Wins 1 point"]
            )
        games, lost = read("".join(text))
        assert len(games) + len(lost) <= 4
        assert all("\n" not in message for message in lost)
