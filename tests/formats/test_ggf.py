"""GGF: reading Othello games of servers and programs, and writing."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

import pytest

from zermelo.errors import FormatError
from zermelo.formats.record import UNKNOWN, Line, Record, Step, record_from_moves
from zermelo.games.othello import PASS, Othello

pytestmark = pytest.mark.quick

BOARD = "BO[8 -------- -------- -------- ---O*--- ---*O--- -------- -------- -------- *]"
ONE_WORD = "BO[8 ---------------------------O*------*O--------------------------- *]"
Reads = Callable[..., Any]
Writes = Callable[..., str]


def test_game_of_a_server(read: Reads, written: Writes) -> None:
    text = (
        "(;GM[Othello]PC[GGS/os]DT[2003.12.15_13:24:03.MST]PB[one]PW[two]RB[2197.01]RW[2199.72]"
        f"TI[05:00//02:00]TY[8]RE[+6.000:r]{BOARD}B[d3//0.01]W[c5/-1.50/75.5]B[e6/2];)\n"
    )
    games, lost = read("othello", "ggf", text)
    assert not lost
    (game,) = games
    assert game.tags == {
        "Site": "GGS/os", "Date": "2003.12.15_13:24:03.MST", "Black": "one", "White": "two", "BlackElo": "2197.01",
        "WhiteElo": "2199.72", "TI": "05:00//02:00", "TY": "8", "Score": "+6.000", "Termination": "resignation",
    }  # fmt: skip
    assert game.result == "1-0"
    assert [(step.text, step.comments) for step in game.line.steps] == [
        ("d3", ["[%emt 0:00:00.01]"]),
        ("c5", ["[%eval 1.50] [%emt 0:01:15.5]"]),  # for black
        ("e6", ["[%eval 2]"]),
    ]
    assert game.start == Othello.start()
    assert written("othello", "ggf", game) == text


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        (f"(;GM[Othello]{BOARD}B[F5]W[D6];)", "f5 d6"),
        (f"(;GM[othello]PC[]RE[?]TY[8]{ONE_WORD}B[F5]W[F6]B[E6];)", "f5 f6 e6"),
        ("( ;\nGM [Othello]\nPB[two\nlines]\nB[f5]\nW[\nd6\n]\n;\n)", "f5 d6"),
        (f"1 (;GM[Othello]{BOARD}B[f5];)", "f5"),
        ("(;GM[Othello];)", ""),
        ("(;GM[Othello]B[f5])", "f5"),
    ],
)
def test_accepted_variants(read: Reads, text: str, moves: str) -> None:
    games, lost = read("othello", "ggf", text)
    assert not lost, lost
    assert [step.text for step in games[0].line.steps] == moves.split()
    assert games[0].result == UNKNOWN


def _passing(random: Random) -> tuple[list[Any], list[int]]:
    """A random game with a pass."""
    while True:
        state: Any = Othello.start()
        states, moves = [], []
        while not state.is_over():
            states.append(state)
            moves.append(random.choice(state.legal_moves()))
            state = state.play(moves[-1])
        if PASS in moves:
            return states, moves


def test_passes_written_omitted_or_extra(read: Reads, written: Writes) -> None:
    states, moves = _passing(Random(5))
    text = written("othello", "ggf", record_from_moves(Othello.start(), moves))
    assert "[pass]" in text
    left_out = text.replace("B[pass]", "").replace("W[pass]", "")
    last = "W" if states[-1].to_move() == 1 else "B"
    for each in (text, left_out, text.replace("[pass]", "[PA]"), text.replace(";)", f"{last}[PA];)")):
        games, lost = read("othello", "ggf", each)
        assert not lost, lost
        assert games[0].moves() == moves


def test_synchro_games_on_one_line(read: Reads) -> None:
    game = f"(;GM[Othello]PB[{{}}]TY[s8r20]{BOARD}B[f5];)"
    games, lost = read("othello", "ggf", f"2 {game.format('a')}{game.format('b')}\n1 {game.format('c')}\n")
    assert not lost
    assert [each.tags["Black"] for each in games] == ["a", "b", "c"]


BAD = {
    "(;GM[Amazons]B[f5];)": "GM['Amazons']; expected GM[Othello]",
    "(;PB[a]B[f5];)": "no GM; expected GM[Othello]",
    "(;GM[Othello]TY[10]B[f5];)": "TY '10'; expected 8",
    "(;GM[Othello]TY[8a]B[f5];)": "TY '8a'; expected 8",
    "(;GM[Othello]PB[a]PB[b];)": "duplicate property PB",
    "(;GM[Othello]BO[8 --- *];)": "BO: Othello position: 3 squares; expected 64",
    "(;GM[Othello]BO[10 --- *];)": "BO '10 --- *'; expected 8, 64 squares and the side to move",
    "(;GM[Othello]W[f5];)": "W[f5], but black is to move",
    "(;GM[Othello]B[a1];)": "'a1' is not a legal move here",
    "(;GM[Othello]B[f5/x];)": "evaluation 'x'; expected discs",
    "(;GM[Othello]B[f5//x];)": "time 'x'; expected seconds",
    "(;GM[Othello]RE[won];)": "RE 'won'; expected discs for black",
    "(;GM[Othello]B[f5];": "the game is not closed; expected ;)",
    "(;GM[Othello]B[f5": "B[ is not closed; expected ]",
    "(;GM[Othello] f5 ;)": "'f5 ;)'; expected a property like PB[Adams], or ;)",
    "(;GM[Othello]" + "KB[x]" * 400 + ";)": "more than 300 properties",
    "hello": "'hello' between games; expected a game that begins with (;",
    "(GM[Othello]B[f5];)": "'(GM[Othello]B[f5];)' between games; expected a game that begins with (;",
}


@pytest.mark.parametrize("text", BAD)
def test_only_the_game_with_an_error_is_skipped(read: Reads, text: str) -> None:
    good = f"(;GM[Othello]{BOARD}B[f5];)\n"
    games, lost = read("othello", "ggf", f"{good}\n{text}\n{good}")
    assert [game.moves() for game in games] == [[37], [37]]
    (error,) = lost
    assert BAD[text] in error.wrong
    assert (error.game, error.line) == (2, 3)


def test_unreadable_lines(read: Reads) -> None:
    games, lost = read("othello", "ggf", b"(;GM[Othello]PB[a\0b]B[f5];)\n(;GM[Othello]B[f5];)\n")
    assert len(games) == 1
    assert "a NUL byte" in lost[0].wrong
    games, lost = read("othello", "ggf", "(;GM[Othello]C[" + "x" * 100_000 + "\n" + ("x" * 100_000 + "\n") * 11 + "];)")
    assert not games
    assert "more than 1,000,000 characters" in lost[0].wrong


def _record(random: Random, plies: int = 100) -> Record:
    state: Any = Othello.start()
    record = Record(state)
    while not state.is_over() and len(record.line.steps) < plies:
        move = random.choice(state.legal_moves())
        words = []
        if random.random() < 0.5:
            words.append(f"[%eval {random.choice(('-', ''))}{random.randrange(1, 64)}.{random.randrange(100):02}]")
        if random.random() < 0.5:
            hours, minutes, seconds = (random.randrange(60) for _ in range(3))
            words.append(f"[%emt {hours}:{minutes:02}:{seconds:02}{random.choice(('', '.5', '.013'))}]")
        record.line.steps.append(Step(state.move_name(move), move, comments=[" ".join(words)] if words else []))
        state = state.play(move)
    if state.is_over() and random.random() < 0.9:
        score = state.utility()
        record.result = "1-0" if score > 0 else "0-1" if score < 0 else "1/2-1/2"
    elif random.random() < 0.5:
        record.result, record.tags["Score"] = "0-1", "-3.50"
        record.tags["Termination"] = random.choice(("resignation", "time forfeit", "agreement"))
    for name in ("Site", "Date", "Black", "White", "BlackElo", "TI", "ZZ"):
        if random.random() < 0.4:
            record.tags[name] = random.choice(("a b", "é ♘", ";) (;", "x\\", "[", "", "2026.11.22"))
    return record


def same(record: Record) -> Any:
    tags = {name: value for name, value in record.tags.items() if name not in ("Score", "TY")}
    return record.start, record.result, tags, record.line


@pytest.mark.slow
def test_round_trip(read: Reads, written: Writes) -> None:
    for seed in range(60):
        record = _record(Random(seed), plies=Random(seed).choice((0, 5, 100)))
        text = written("othello", "ggf", record)
        games, lost = read("othello", "ggf", text)
        assert not lost, f"{text}: {lost[0]}"
        assert same(games[0]) == same(record), text
        assert written("othello", "ggf", games[0]) == text


def test_start_positions(read: Reads, written: Writes) -> None:
    start = Othello.parse("f5d6c3")
    move = start.legal_moves()[0]
    text = written("othello", "ggf", record_from_moves(start, [move]))
    assert "BO[8 -------- -------- --*----- ---**--- ---O**-- ---O---- -------- -------- O]W[" in text
    assert read("othello", "ggf", text).games[0].start == start


START = Othello.start()
F5 = START.parse_move("f5")


@pytest.mark.parametrize(
    ("record", "message"),
    [
        (Record(START, Line([], ["good"])), "GGF has no comments: 'good'"),
        (Record(START, Line([Step("f5", F5, comments=["good"])])), "GGF has no comments: 'good'"),
        (Record(START, Line([Step("f5", F5, comments=["[%eval x]"])])), "GGF has no comments"),
        (Record(START, Line([Step("f5", F5, nags=[1])])), "GGF has no annotation glyphs, variations or doubling"),
        (Record(START, Line([Step("double")])), "GGF has no annotation glyphs, variations or doubling"),
        (
            Record(START, tags={"Event": "x"}),
            "GGF has no tag 'Event'; expected one of Score, Termination, Site, Date, Black, White, BlackElo, Whit",
        ),
        (Record(START, tags={"PB": "x"}), "GGF has no tag 'PB'"),
        (Record(START, tags={"GM": "x"}), "GGF has no tag 'GM'"),
        (Record(START, tags={"Black": "a]b"}), "PB 'a]b'; expected no ], which ends a GGF property"),
        (Record(START, tags={"TY": "10"}), "TY '10'; expected 8"),
        (Record(START, tags={"Score": "3"}), "tags Score or Termination without a result; expected a result"),
        (
            Record(START, tags={"Score": "3"}, result="0-1"),
            "tag Score '3'; expected discs for black that match result 0-1",
        ),
        (Record(START, tags={"Termination": "x"}, result="0-1"), "expected one of resignation"),
        (Record(START, tags={"Black": "\ud800"}), "invalid character '\\ud800'"),
    ],
)
def test_error_for_records_that_cannot_be_written(written: Writes, record: Record, message: str) -> None:
    with pytest.raises(FormatError) as error:
        written("othello", "ggf", record)
    assert message in str(error.value)


def test_error_for_result_that_contradicts_the_moves(written: Writes) -> None:
    _, moves = _passing(Random(1))
    record = record_from_moves(Othello.start(), moves)
    record.result = "0-1" if record.end().utility() > 0 else "1-0"
    with pytest.raises(FormatError, match="result 1-0, but the game ended 0-1"):
        written("othello", "ggf", record)
