"""The UCI client: parsing, tolerance of malformed output, and reasons of failures."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterable
from typing import cast

import pytest
from scripted import Scripted, check_message, damaged

from zermelo.errors import LimitError, UnknownGame
from zermelo.protocols import uci_client
from zermelo.protocols.uci_client import (
    MATE,
    BestMove,
    GoCommand,
    Info,
    Option,
    UciClient,
    parse_bestmove,
    parse_info,
    parse_option,
)
from zermelo.sandbox.failure import ProgramFailure, Reason
from zermelo.sandbox.program import Program

HELLO = [
    "Stockfish 15.1 by the Stockfish developers (see AUTHORS file)",
    "id name Stockfish 15.1",
    "id author the Stockfish developers (see AUTHORS file)",
    "",
    "option name Debug Log File type string default ",
    "option name Hash type spin default 16 min 1 max 33554432",
    "option name Clear Hash type button",
    "option name Ponder type check default false",
    "option name UCI_Elo type spin default 1350 min 1350 max 2850",
    "option name NullMove Pruning type combo default Fail High var Always var Fail High var Never",
    "uciok",
]
THOUGHTS = [
    "info string NNUE evaluation using nn-ad9b42354671.nnue enabled",
    "info depth 1 seldepth 1 multipv 1 score cp -23 nodes 22 nps 11000 hashfull 0 tbhits 0 time 2 pv c7c5",
    "info depth 12 seldepth 14 multipv 1 score cp -32 upperbound nodes 54830 nps 542871 time 101 pv c7c5 g1f3",
    "bestmove c7c5 ponder g1f3",
]


def well_behaved(line: str) -> Iterable[str]:
    return {"uci": HELLO, "isready": ["readyok"], "go": THOUGHTS}.get(line.split()[0], [])


def connect(answers: Callable[[str], Iterable[str]]) -> tuple[UciClient, Scripted]:
    program = Scripted(answers)
    return UciClient(cast(Program, program)), program


def best_move(
    answers: Callable[[str], Iterable[str]], limits: GoCommand | None = None, *, is_timed: bool = False
) -> BestMove:
    """Return the reply to one `go` command of an engine that starts normally."""
    uci, _ = connect(lambda line: answers(line) if line.split()[0] in ("go", "stop") else well_behaved(line))
    uci.initialize()
    uci.new_game()
    deadline = time.monotonic() + 60
    uci.position("position startpos moves e2e4", deadline)
    return uci.go(limits or GoCommand(movetime=100), deadline, is_timed)


def reason(*lines: str, is_timed: bool = False, stopped: Iterable[str] = (), alive: Iterable[str] = ()) -> Reason:
    """Return the failure of an engine that replies with `lines` to `go`, and with `stopped` and `alive` afterwards."""
    is_asked = False

    def answers(line: str) -> Iterable[str]:
        nonlocal is_asked
        word = line.split()[0]
        if word == "go":
            is_asked = True
            return lines
        if is_asked and word in ("stop", "isready"):
            return stopped if word == "stop" else alive
        return well_behaved(line)

    uci, _ = connect(answers)
    uci.initialize()
    deadline = time.monotonic() + 60
    uci.position("position startpos", deadline)
    with pytest.raises(ProgramFailure) as raised:
        uci.go(GoCommand(movetime=100), deadline, is_timed)
    assert "\n" not in raised.value.detail
    return raised.value.reason


# ---- parsing -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "option"),
    [
        ("option name Hash type spin default 16 min 1 max 1024", Option("Hash", "spin", "16", 1, 1024)),
        ("option name Clear Hash type button", Option("Clear Hash", "button")),
        ("option  name  Nullmove  type check  default true", Option("Nullmove", "check", "true")),
        (
            "option name NullMove Pruning type combo default Fail High var Always var Fail High var Never",
            Option("NullMove Pruning", "combo", "Fail High", choices=("Always", "Fail High", "Never")),
        ),
        (
            "option name NalimovPath type string default c:\\min max var",
            Option("NalimovPath", "string", "c:\\min max var"),
        ),
        ("option name Log type string default", Option("Log", "string")),
        ("option name Speed type spin default ten min 1 max a lot", Option("Speed", "spin", "ten", 1, None)),
        ("option name type spin", None),
        ("option name Half", None),
        ("option name Strange type slider default 3", None),
        ("option", None),
        ("info string option name Hash type spin", None),
    ],
)
def test_options_are_parsed(line: str, option: Option | None) -> None:
    assert parse_option(line) == option


@pytest.mark.parametrize(
    ("line", "info"),
    [
        (THOUGHTS[1], Info(1, 22, -23, ("c7c5",))),
        (THOUGHTS[2], Info(12, 54830, None, ("c7c5", "g1f3"))),
        (THOUGHTS[0], Info()),
        ("info depth 13", Info(13)),
        ("info score mate 3 depth 7", Info(7, None, MATE - 3)),
        ("info score mate -2", Info(score=-(MATE - 2))),
        ("info score mate 0", Info(score=-MATE)),
        ("info score cp 99999999", Info(score=uci_client.MAX_CENTIPAWNS)),
        ("info score mate 999999", Info(score=uci_client.MAX_CENTIPAWNS + 1)),
        ("info score cp", Info()),
        ("info score cp x depth 4", Info(4)),
        ("info depth -3 nodes -1 score", Info()),
        ("info nodes 99999999999999999999999", Info()),
        ("info depth ٣ nodes ²", Info()),
        ("info nodes 5 string depth 9", Info(None, 5)),
        ("info depth 5 multipv 2 score cp 10 pv e2e4", None),
        ("info pv e2e4 what? e7e5", Info(pv=("e2e4", "e7e5"))),
        ("info", Info()),
        ("information", None),
        ("", None),
    ],
)
def test_info_is_parsed(line: str, info: Info | None) -> None:
    assert parse_info(line) == info


@pytest.mark.parametrize(
    ("line", "move"),
    [
        ("bestmove e2e4", "e2e4"),
        ("bestmove e7e8Q ponder a7a8n", "e7e8q"),
        ("bestmove e2e4 ponder", "e2e4"),
        ("bestmove e2e4 ponder (none)", "e2e4"),
        ("bestmove e2e4 and some more", "e2e4"),
        ("bestmove (none)", ""),
        ("bestmove 0000", ""),
        ("bestmove NULL", ""),
    ],
)
def test_bestmove_is_parsed(line: str, move: str) -> None:
    answer = BestMove()
    parse_bestmove(line, answer)
    assert answer.move == move


@pytest.mark.parametrize("line", ["bestmove", "bestmove Nf3", "bestmove e2-e4", "bestmove e2e4e5", "bestmove e9e4"])
def test_bestmove_without_a_move_is_garbage(line: str) -> None:
    with pytest.raises(ProgramFailure) as raised:
        parse_bestmove(line, BestMove())
    assert raised.value.reason == Reason.GARBAGE


@pytest.mark.parametrize(
    ("limits", "line"),
    [
        (GoCommand(depth=5), "go depth 5"),
        (GoCommand(nodes=1000, movetime=100), "go movetime 100 nodes 1000"),
        (GoCommand(wtime=1000, btime=900, winc=10, binc=10), "go wtime 1000 btime 900 winc 10 binc 10"),
        (GoCommand(wtime=1, btime=2, winc=0, binc=0, movestogo=7), "go wtime 1 btime 2 winc 0 binc 0 movestogo 7"),
        (GoCommand(), "go infinite"),
    ],
)
def test_go_commands(limits: GoCommand, line: str) -> None:
    assert str(limits) == line


# ---- sessions -------------------------------------------------------------------------------------------------


def test_a_normal_session() -> None:
    uci, program = connect(well_behaved)
    uci.initialize()
    assert uci.name == "Stockfish 15.1"
    assert len(uci.options) == 6
    uci.set_option("uci_elo", "1500")
    uci.set_option("Clear  Hash", "")
    uci.set_option("NullMove Pruning", "fail high")
    uci.new_game()
    deadline = time.monotonic() + 60
    uci.position("position startpos moves e2e4", deadline)
    answer = uci.go(GoCommand(depth=20), deadline)
    assert answer == BestMove("c7c5", 12, 54830, -23, ("c7c5", "g1f3"))
    assert program.sent == [
        "uci",
        "setoption name UCI_Elo value 1500",
        "setoption name Clear Hash",
        "setoption name NullMove Pruning value Fail High",
        "ucinewgame",
        "isready",
        "isready",
        "position startpos moves e2e4",
        "go depth 20",
    ]


@pytest.mark.parametrize(
    ("name", "value", "error", "expected"),
    [
        ("UCI_Eloo", "1500", UnknownGame, "did you mean UCI_Elo?"),
        ("Contempt", "0", UnknownGame, "its options: Clear Hash, Debug Log File"),
        ("UCI_Elo", "1", LimitError, "expected an integer from 1350 to 2850"),
        ("UCI_Elo", "1500.5", LimitError, "expected an integer"),
        ("Hash", "9" * 5000, LimitError, "expected an integer"),
        ("Ponder", "yes", LimitError, "expected true or false"),
        ("Clear Hash", "1", LimitError, "expected no value"),
        ("NullMove Pruning", "Sometimes", LimitError, "expected Always or Fail High or Never"),
    ],
)
def test_invalid_options(name: str, value: str, error: type[Exception], expected: str) -> None:
    uci, program = connect(well_behaved)
    uci.initialize()
    with pytest.raises(error) as raised:
        uci.set_option(name, value)
    assert expected in str(raised.value)
    assert "Stockfish 15.1" in str(raised.value)
    assert "\n" not in str(raised.value)
    assert program.sent == ["uci"]


def test_tolerated_output() -> None:
    """Blank and malformed lines, banners, debug output, late replies, and CR LF."""
    noise = ["", "\r", "   ", "Hello!", "info", "info depth", "id", "readyok", "option name", "\x1b[1mbold", "\0"]

    def answers(line: str) -> Iterable[str]:
        if line.startswith("go"):
            return [*noise, " info  depth 3 score cp 20 nodes 7 pv e7e5 \r", *noise, "bestmove   e7e5\r"]
        return [*noise, *(f"{reply}\r" for reply in well_behaved(line))]

    uci, _ = connect(answers)
    uci.initialize()
    uci.new_game()
    deadline = time.monotonic() + 60
    uci.position("position startpos moves e2e4", deadline)
    assert uci.go(GoCommand(movetime=100), deadline) == BestMove("e7e5", 3, 7, 20, ("e7e5",))


def test_a_repeated_reply_is_discarded() -> None:
    moves = iter(["e7e5", "d7d5", "g8f6"])

    def answers(line: str) -> Iterable[str]:
        if line.startswith("go"):
            move = next(moves)
            return [f"bestmove {move}", f"bestmove {move}", "info depth 99 nodes 5 pv a7a6"]
        return well_behaved(line)

    uci, _ = connect(answers)
    uci.initialize()
    found = []
    for _ in range(3):
        deadline = time.monotonic() + 60
        uci.position("position startpos moves e2e4", deadline)
        found.append(uci.go(GoCommand(movetime=100), deadline))
    assert found == [BestMove("e7e5"), BestMove("d7d5"), BestMove("g8f6")]


@pytest.mark.parametrize("limits", [GoCommand(nodes=1000), GoCommand(depth=4)])
def test_an_engine_that_exceeds_its_limit_is_stopped(limits: GoCommand) -> None:
    """As GNU Chess, which ignores `go nodes`."""
    expected: list[str] = []

    def answers(line: str) -> Iterable[str]:
        expected.append(line)
        if line == "stop":
            return ["info depth 7 nodes 2500", "bestmove e7e5"]
        return [f"info depth {depth} nodes {400 * depth} score cp 1 pv e7e5" for depth in range(1, 8)]

    assert best_move(answers, limits).move == "e7e5"
    assert expected.count("stop") == 1


def test_an_engine_within_its_limits_is_not_stopped() -> None:
    expected: list[str] = []

    def answers(line: str) -> Iterable[str]:
        expected.append(line)
        return THOUGHTS

    assert best_move(answers, GoCommand(depth=12, nodes=54_830)).move == "c7c5"
    assert expected == ["go depth 12 nodes 54830"]


# ---- failures ------------------------------------------------------------------------------------------------


def test_reasons_of_failures() -> None:
    assert reason("bestmove Nf3") == Reason.GARBAGE
    assert reason("my king likes it here") == Reason.GARBAGE
    assert reason("<crash>") == Reason.CRASH
    assert reason() == Reason.HANG
    assert reason("info depth 1") == Reason.HANG
    assert reason(is_timed=True) == Reason.OUT_OF_TIME
    assert reason(stopped=["bestmove e2e4"], alive=["readyok"]) == Reason.HANG
    assert reason(stopped=["bestmove e2e4"], alive=["readyok"], is_timed=True) == Reason.OUT_OF_TIME
    assert reason(alive=["readyok"]) == Reason.IGNORED_STOP
    assert reason(alive=["readyok"], is_timed=True) == Reason.IGNORED_STOP
    assert reason(stopped=["info depth 2"]) == Reason.IGNORED_STOP
    assert reason(stopped=["<crash>"]) == Reason.CRASH


def test_endless_info_is_not_a_reply() -> None:
    program = Scripted(well_behaved)
    uci = UciClient(cast(Program, program))
    uci.initialize()
    program.receive = lambda seconds: "info depth 1 nodes 1 pv e2e4"  # type: ignore[method-assign]
    with pytest.raises(ProgramFailure) as raised:
        uci.go(GoCommand(depth=1), time.monotonic() + 0.05, is_timed=True)
    assert raised.value.reason == Reason.IGNORED_STOP


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([], Reason.NO_START),
        (["Welcome to my program!"], Reason.NO_START),
        (["<crash>"], Reason.NO_START),
        (["id name X", "<crash>"], Reason.NO_START),
    ],
)
def test_failed_starts(lines: list[str], expected: Reason) -> None:
    uci, _ = connect(lambda line: lines)
    with pytest.raises(ProgramFailure) as raised:
        uci.initialize()
    assert raised.value.reason == expected


def test_no_readyok_is_a_failed_start() -> None:
    uci, _ = connect(lambda line: HELLO if line == "uci" else [])
    uci.initialize()
    with pytest.raises(ProgramFailure) as raised:
        uci.new_game()
    assert raised.value.reason == Reason.NO_START


# ---- fuzzing ----------------------------------------------------------------------------------------------------

PIECES = (
    *"0123456789 -+=/()<>abcdefgh\t\r", "bestmove", "info", "pv", "score cp", "score mate", "depth", "nodes", "readyok",
    "uciok", "option name", "type spin", "min", "max", "var", "default", "id name", "string", "ponder", "multipv",
    "9" * 400, "\0", "\x1b[31m", "é", "²", "٣", "\ufeff", "\ufffd", "\u2028", "e2e4", "NaN", "1e999",
)  # fmt: skip


def check_damaged(seed: int) -> None:
    rng = random.Random(seed)
    uci, _ = connect(
        lambda line: damaged(well_behaved(line), rng, PIECES) if rng.random() < 0.5 else well_behaved(line)
    )
    try:
        uci.initialize()
        for option in list(uci.options.values()):
            try:
                uci.set_option(option.name, rng.choice(("", "1", "true", option.default, *option.choices)))
            except LimitError as error:
                check_message(str(error))
        uci.new_game()
        deadline = time.monotonic() + 30
        uci.position("position startpos moves e2e4", deadline)
        answer = uci.go(GoCommand(movetime=100), deadline)
        assert answer.move == "" or len(answer.move) in (4, 5)
        assert answer.score is None or -MATE <= answer.score <= MATE
    except ProgramFailure as failure:
        check_message(failure.detail)


def test_fuzzing() -> None:
    for seed in range(1_000):
        check_damaged(seed)


@pytest.mark.nightly
def test_fuzzing_many_times() -> None:
    for seed in range(int(os.environ.get("ZERMELO_FUZZ", "1000000")) // 10):
        check_damaged(seed)


@pytest.mark.parametrize("piece", ["x", " ", "info ", "bestmove ", "option name ", "score cp ", "pv e2e4 ", "9"])
@pytest.mark.parametrize("head", ["", "info depth 3 pv ", "bestmove ", "option name a type combo var ", "id name "])
def test_a_line_of_a_megabyte(head: str, piece: str) -> None:
    line = head + piece * ((1 << 20) // len(piece))
    parse_option(line)
    parse_info(line)
    try:
        assert best_move(lambda word: [line, "bestmove e7e5"]).move == "e7e5"
    except ProgramFailure as failure:
        check_message(failure.detail)
