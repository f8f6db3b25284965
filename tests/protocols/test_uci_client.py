"""The client of UCI: what programs say is read, what they should not say is survived, and who fails does so by name."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterable
from typing import cast

import pytest
from scripted import Scripted

from zermelo.errors import LimitError, UnknownGame
from zermelo.protocols import uci_client
from zermelo.protocols.uci_client import MATE, Answer, Go, Info, Option, Uci, read_answer, read_info, read_option
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


def talk(answers: Callable[[str], Iterable[str]]) -> tuple[Uci, Scripted]:
    program = Scripted(answers)
    return Uci(cast(Program, program)), program


def asked(answers: Callable[[str], Iterable[str]], limits: Go | None = None, *, is_timed: bool = False) -> Answer:
    """The answer to one question, of a program that begins well."""
    uci, _ = talk(lambda line: answers(line) if line.split()[0] in ("go", "stop") else well_behaved(line))
    uci.hello()
    uci.new_game()
    until = time.monotonic() + 5
    uci.position("position startpos moves e2e4", until)
    return uci.go(limits or Go(movetime=100), until, is_timed)


def reason(*lines: str, is_timed: bool = False, stopped: Iterable[str] = (), alive: Iterable[str] = ()) -> Reason:
    """The failure of a program that answers a question so, and then, when it is told to stop, so."""
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

    uci, _ = talk(answers)
    uci.hello()
    until = time.monotonic() + 5
    uci.position("position startpos", until)
    with pytest.raises(ProgramFailure) as raised:
        uci.go(Go(movetime=100), until, is_timed)
    assert "\n" not in raised.value.detail
    return raised.value.reason


# ---- what is said ---------------------------------------------------------------------------------------------


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
def test_an_option_is_read(line: str, option: Option | None) -> None:
    assert read_option(line) == option


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
        ("info score cp 99999999", Info(score=uci_client.LARGEST_SCORE)),
        ("info score mate 999999", Info(score=uci_client.LARGEST_SCORE + 1)),
        ("info score cp", Info()),
        ("info score cp x depth 4", Info(4)),
        ("info depth -3 nodes -1 score", Info()),
        ("info nodes 99999999999999999999999", Info()),
        ("info depth ٣ nodes ²", Info()),
        ("info nodes 5 string depth 9", Info(None, 5)),
        ("info depth 5 multipv 2 score cp 10 pv e2e4", None),
        ("info pv e2e4 what? e7e5", Info(line=("e2e4", "e7e5"))),
        ("info", Info()),
        ("information", None),
        ("", None),
    ],
)
def test_information_is_read(line: str, info: Info | None) -> None:
    assert read_info(line) == info


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
def test_an_answer_is_read(line: str, move: str) -> None:
    answer = Answer()
    read_answer(line, answer)
    assert answer.move == move


@pytest.mark.parametrize("line", ["bestmove", "bestmove Nf3", "bestmove e2-e4", "bestmove e2e4e5", "bestmove e9e4"])
def test_an_answer_that_names_no_move_is_garbage(line: str) -> None:
    with pytest.raises(ProgramFailure) as raised:
        read_answer(line, Answer())
    assert raised.value.reason == Reason.GARBAGE


@pytest.mark.parametrize(
    ("limits", "line"),
    [
        (Go(depth=5), "go depth 5"),
        (Go(nodes=1000, movetime=100), "go movetime 100 nodes 1000"),
        (Go(wtime=1000, btime=900, winc=10, binc=10), "go wtime 1000 btime 900 winc 10 binc 10"),
        (Go(wtime=1, btime=2, winc=0, binc=0, movestogo=7), "go wtime 1 btime 2 winc 0 binc 0 movestogo 7"),
        (Go(), "go infinite"),
    ],
)
def test_limits_as_they_are_told(limits: Go, line: str) -> None:
    assert str(limits) == line


# ---- a talk ---------------------------------------------------------------------------------------------------


def test_a_program_that_behaves() -> None:
    uci, program = talk(well_behaved)
    uci.hello()
    assert uci.name == "Stockfish 15.1"
    assert len(uci.options) == 6
    uci.set("uci_elo", "1500")
    uci.set("Clear  Hash", "")
    uci.set("NullMove Pruning", "fail high")
    uci.new_game()
    until = time.monotonic() + 5
    uci.position("position startpos moves e2e4", until)
    answer = uci.go(Go(depth=20), until)
    assert answer == Answer("c7c5", 12, 54830, -23, ("c7c5", "g1f3"))
    assert program.heard == [
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
    ("name", "value", "error", "told"),
    [
        ("UCI_Eloo", "1500", UnknownGame, "did you mean UCI_Elo?"),
        ("Contempt", "0", UnknownGame, "it has Clear Hash, Debug Log File"),
        ("UCI_Elo", "1", LimitError, "expected a whole number from 1350 to 2850"),
        ("UCI_Elo", "1500.5", LimitError, "expected a whole number"),
        ("Hash", "9" * 5000, LimitError, "expected a whole number"),
        ("Ponder", "yes", LimitError, "expected true or false"),
        ("Clear Hash", "1", LimitError, "expected no value"),
        ("NullMove Pruning", "Sometimes", LimitError, "expected Always or Fail High or Never"),
    ],
)
def test_an_option_that_cannot_be_set(name: str, value: str, error: type[Exception], told: str) -> None:
    uci, program = talk(well_behaved)
    uci.hello()
    with pytest.raises(error) as raised:
        uci.set(name, value)
    assert told in str(raised.value)
    assert "Stockfish 15.1" in str(raised.value)
    assert "\n" not in str(raised.value)
    assert program.heard == ["uci"]


def test_what_is_tolerated() -> None:
    """Blank and broken lines, banners, debugging, what was asked before, and CR LF."""
    noise = ["", "\r", "   ", "Hello!", "info", "info depth", "id", "readyok", "option name", "\x1b[1mbold", "\0"]

    def answers(line: str) -> Iterable[str]:
        if line.startswith("go"):
            return [*noise, " info  depth 3 score cp 20 nodes 7 pv e7e5 \r", *noise, "bestmove   e7e5\r"]
        return [*noise, *(f"{said}\r" for said in well_behaved(line))]

    uci, _ = talk(answers)
    uci.hello()
    uci.new_game()
    until = time.monotonic() + 5
    uci.position("position startpos moves e2e4", until)
    assert uci.go(Go(movetime=100), until) == Answer("e7e5", 3, 7, 20, ("e7e5",))


def test_an_answer_given_twice_is_not_the_next_one() -> None:
    moves = iter(["e7e5", "d7d5", "g8f6"])

    def answers(line: str) -> Iterable[str]:
        if line.startswith("go"):
            move = next(moves)
            return [f"bestmove {move}", f"bestmove {move}", "info depth 99 nodes 5 pv a7a6"]
        return well_behaved(line)

    uci, _ = talk(answers)
    uci.hello()
    found = []
    for _ in range(3):
        until = time.monotonic() + 5
        uci.position("position startpos moves e2e4", until)
        found.append(uci.go(Go(movetime=100), until))
    assert found == [Answer("e7e5"), Answer("d7d5"), Answer("g8f6")]


@pytest.mark.parametrize("limits", [Go(nodes=1000), Go(depth=4)])
def test_a_program_that_knows_no_such_limit_is_told_to_stop(limits: Go) -> None:
    """As gnuchess does: it reads `go nodes` as without limit."""
    told: list[str] = []

    def answers(line: str) -> Iterable[str]:
        told.append(line)
        if line == "stop":
            return ["info depth 7 nodes 2500", "bestmove e7e5"]
        return [f"info depth {depth} nodes {400 * depth} score cp 1 pv e7e5" for depth in range(1, 8)]

    assert asked(answers, limits).move == "e7e5"
    assert told.count("stop") == 1


def test_a_program_within_its_limits_is_not_told_to_stop() -> None:
    told: list[str] = []

    def answers(line: str) -> Iterable[str]:
        told.append(line)
        return THOUGHTS

    assert asked(answers, Go(depth=12, nodes=54_830)).move == "c7c5"
    assert told == ["go depth 12 nodes 54830"]


# ---- who fails ------------------------------------------------------------------------------------------------


def test_failures_have_their_reason() -> None:
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


def test_information_without_end_is_no_answer() -> None:
    program = Scripted(well_behaved)
    uci = Uci(cast(Program, program))
    uci.hello()
    program.receive = lambda seconds: "info depth 1 nodes 1 pv e2e4"  # type: ignore[method-assign]
    with pytest.raises(ProgramFailure) as raised:
        uci.go(Go(depth=1), time.monotonic() + 0.05, is_timed=True)
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
def test_a_program_that_does_not_begin(lines: list[str], expected: Reason) -> None:
    uci, _ = talk(lambda line: lines)
    with pytest.raises(ProgramFailure) as raised:
        uci.hello()
    assert raised.value.reason == expected


def test_a_program_that_is_not_ready_after_its_greeting_has_not_started() -> None:
    uci, _ = talk(lambda line: HELLO if line == "uci" else [])
    uci.hello()
    with pytest.raises(ProgramFailure) as raised:
        uci.new_game()
    assert raised.value.reason == Reason.NO_START


# ---- damaged ----------------------------------------------------------------------------------------------------

PIECES = (
    *"0123456789 -+=/()<>abcdefgh\t\r", "bestmove", "info", "pv", "score cp", "score mate", "depth", "nodes", "readyok",
    "uciok", "option name", "type spin", "min", "max", "var", "default", "id name", "string", "ponder", "multipv",
    "9" * 400, "\0", "\x1b[31m", "é", "²", "٣", "\ufeff", "\ufffd", "\u2028", "e2e4", "NaN", "1e999",
)  # fmt: skip


def damaged(lines: Iterable[str], dice: random.Random) -> list[str]:
    """Lines cut, changed, doubled, left out, in another order."""
    found = []
    for line in lines:
        for _ in range(dice.choice((0, 0, 1, 1, 2))):
            text = line
            for _ in range(dice.randrange(4)):
                place = dice.randrange(len(text) + 1)
                what = dice.randrange(3)
                text = text[:place] + (dice.choice(PIECES) if what else "") + text[place + dice.randrange(4) :]
            found.append(text)
    if dice.random() < 0.2:
        dice.shuffle(found)
    return found


def check_told(text: str) -> None:
    """What is told of a failure is a line of bearable length."""
    assert len(text) < 700
    assert text.isprintable()


def check_damaged(seed: int) -> None:
    dice = random.Random(seed)
    uci, _ = talk(lambda line: damaged(well_behaved(line), dice) if dice.random() < 0.5 else well_behaved(line))
    try:
        uci.hello()
        for option in list(uci.options.values()):
            try:
                uci.set(option.name, dice.choice(("", "1", "true", option.default, *option.choices)))
            except LimitError as error:
                check_told(str(error))
        uci.new_game()
        until = time.monotonic() + 30
        uci.position("position startpos moves e2e4", until)
        answer = uci.go(Go(movetime=100), until)
        assert answer.move == "" or len(answer.move) in (4, 5)
        assert answer.score is None or -MATE <= answer.score <= MATE
    except ProgramFailure as failure:
        check_told(failure.detail)


def test_whatever_comes_it_is_an_answer_or_a_failure() -> None:
    for seed in range(1_000):
        check_damaged(seed)


@pytest.mark.nightly
def test_whatever_comes_it_is_an_answer_or_a_failure_many_times() -> None:
    for seed in range(int(os.environ.get("ZERMELO_FUZZ", "1000000")) // 10):
        check_damaged(seed)


@pytest.mark.parametrize("piece", ["x", " ", "info ", "bestmove ", "option name ", "score cp ", "pv e2e4 ", "9"])
@pytest.mark.parametrize("head", ["", "info depth 3 pv ", "bestmove ", "option name a type combo var ", "id name "])
def test_a_line_of_a_megabyte(head: str, piece: str) -> None:
    line = head + piece * ((1 << 20) // len(piece))
    read_option(line)
    read_info(line)
    try:
        assert asked(lambda word: [line, "bestmove e7e5"]).move == "e7e5"
    except ProgramFailure as failure:
        check_told(failure.detail)
