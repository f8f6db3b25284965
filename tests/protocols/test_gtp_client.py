"""The GTP client: commands and responses, games, and failures."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterable
from typing import cast

import pytest
from scripted import Scripted, check_message, damaged

from zermelo.errors import UnknownGame
from zermelo.games.othello import PASS, Othello
from zermelo.protocols.gtp_client import GAMES, GtpClient, GtpError
from zermelo.sandbox.failure import ProgramFailure, Reason
from zermelo.sandbox.program import Program

COMMANDS = "name version protocol_version list_commands boardsize clear_board play genmove time_settings time_left quit"
RHINO = f"{COMMANDS} set_game list_games grhino-setup_board"


class Speaker:
    """A correct GTP engine whose responses can be replaced."""

    def __init__(self, commands: str = COMMANDS, lines: dict[str, str] | None = None, *, numbered: bool = True) -> None:
        self.commands = commands
        self.lines = {"name": "Speaker", "version": "1.0", "protocol_version": "2", "genmove": "D3", **(lines or {})}
        self.numbered = numbered
        #: What it was expected, without numbers.
        self.heard: list[str] = []

    def __call__(self, line: str) -> list[str]:
        number, _, command = line.partition(" ")
        if not number.isdigit():
            number, command = "", line
        word = command.split()[0]
        self.heard.append(command)
        number = number if self.numbered else ""
        if word not in self.commands.split():
            return [f"?{number} unknown command", ""]
        answer = "\n".join(self.commands.split()) if word == "list_commands" else self.lines.get(word, "")
        if answer.startswith("?"):
            return [f"?{number} {answer[1:]}", ""]
        return [*f"={number} {answer}".split("\n"), ""]


def connect(answers: Callable[[str], Iterable[str]]) -> tuple[GtpClient, Scripted]:
    program = Scripted(answers)
    return GtpClient(cast(Program, program), GAMES["Othello"]), program


def in_a_minute() -> float:
    return time.monotonic() + 60


def test_a_normal_session() -> None:
    speaker = Speaker(RHINO)
    gtp, program = connect(speaker)
    gtp.initialize()
    assert (gtp.name, gtp.version) == ("Speaker", "1.0")
    assert gtp.commands == frozenset(RHINO.split())
    start = Othello.start()
    gtp.new_game(start)
    gtp.set_time(60, 0, 0)
    assert gtp.genmove(start, in_a_minute()) == start.parse_move("d3")
    gtp.play(start.after("d3"), start.after("d3").parse_move("c5"), in_a_minute())
    gtp.time_left(-1, 58, 0, in_a_minute())
    assert speaker.heard == [
        "protocol_version",
        "name",
        "version",
        "list_commands",
        "set_game Othello",
        "boardsize 8",
        "clear_board",
        "time_settings 60 0 0",
        "genmove black",
        "play white c5",
        "time_left white 58 0",
    ]
    assert [line.split()[0] for line in program.sent] == [str(number) for number in range(1, 12)]


def test_only_supported_commands_are_sent() -> None:
    speaker = Speaker("clear_board play genmove name")
    gtp, _ = connect(speaker)
    gtp.initialize()
    gtp.new_game(Othello.start())
    gtp.set_time(60, 0, 0)
    gtp.time_left(1, 58, 0, in_a_minute())
    assert gtp.commands == frozenset()
    assert (gtp.name, gtp.version) == ("Speaker", "")
    assert speaker.heard[-1] == "clear_board"


@pytest.mark.parametrize("numbered", [True, False])
def test_tolerated_output(numbered: bool) -> None:
    """Banners, CR LF, control characters, upper case, no ids, responses to earlier commands."""
    speaker = Speaker(lines={"genmove": " \t C4 "}, numbered=numbered)

    def answers(line: str) -> list[str]:
        noise = ["Welcome!", "", "info", "=77 Q16", ""] if numbered else ["Welcome!", "", "info"]
        return [*noise, *(f"\x07{reply}\r" for reply in speaker(line))]

    gtp, program = connect(answers)
    gtp.initialize()
    gtp.new_game(Othello.start())
    assert gtp.name == "Speaker"
    assert gtp.genmove(Othello.start(), in_a_minute()) == Othello.start().parse_move("c4")
    assert program.sent[-1] == ("7 genmove black" if numbered else "genmove black")


def test_a_repeated_response_is_discarded() -> None:
    speaker = Speaker()
    gtp, _ = connect(lambda line: speaker(line) * 2)
    gtp.initialize()
    assert (gtp.name, gtp.version) == ("Speaker", "1.0")


def test_a_rejected_pass() -> None:
    """gtp-rhino passes by itself and rejects `play black pass`."""
    state = Othello.parse("XXXXXX--OXXXXXXXXOXXXOXXXXOXXXXXXXOOXOXXXOXOXXOXXOOXXOOXXOXXXXXX X")
    assert state.legal_moves() == [PASS]
    gtp, _ = connect(Speaker(lines={"play": "?syntax error", "genmove": "PASS"}))
    gtp.initialize()
    gtp.play(state, PASS, in_a_minute())
    assert gtp.genmove(state, in_a_minute()) == PASS
    with pytest.raises(GtpError):
        gtp.play(Othello.start(), 19, in_a_minute())


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ("a1", Reason.ILLEGAL),
        ("Z99", Reason.ILLEGAL),
        ("pass", Reason.ILLEGAL),
        ("", Reason.GARBAGE),
        ("d3 d4", Reason.GARBAGE),
        ("my king likes it here", Reason.GARBAGE),
        ("D3\nand more", Reason.GARBAGE),
        ("d٣", Reason.GARBAGE),
        ("?cannot move", Reason.GARBAGE),
    ],
)
def test_invalid_moves(lines: str, reason: Reason) -> None:
    gtp, _ = connect(Speaker(lines={"genmove": lines}))
    gtp.initialize()
    with pytest.raises(ProgramFailure) as raised:
        gtp.genmove(Othello.start(), in_a_minute())
    assert raised.value.reason == reason
    assert "\n" not in raised.value.detail


def test_resignation() -> None:
    gtp, _ = connect(Speaker(lines={"genmove": "resign"}))
    assert gtp.genmove(Othello.start(), in_a_minute()) is None


def test_an_unterminated_response_is_garbage() -> None:
    gtp, _ = connect(lambda line: ["= D3"])
    with pytest.raises(ProgramFailure) as raised:
        gtp.genmove(Othello.start(), in_a_minute())
    assert raised.value.reason == Reason.GARBAGE
    gtp, program = connect(lambda line: ["="])
    program.receive = lambda seconds: "= x"  # type: ignore[method-assign]
    with pytest.raises(ProgramFailure) as raised:
        gtp.command("showboard", in_a_minute())
    assert raised.value.reason == Reason.GARBAGE


@pytest.mark.parametrize("lines", [[], ["Hello"], ["<crash>"], ["= 2", "", "<crash>"]])
def test_failed_starts(lines: list[str]) -> None:
    gtp, _ = connect(lambda line: lines)
    with pytest.raises(ProgramFailure) as raised:
        gtp.initialize()
    assert raised.value.reason == Reason.NO_START


def test_a_rejected_clear_board_is_a_failed_start() -> None:
    speaker = Speaker()
    gtp, _ = connect(lambda line: [] if "clear_board" in line else speaker(line))
    gtp.initialize()
    with pytest.raises(ProgramFailure) as raised:
        gtp.new_game(Othello.start())
    assert raised.value.reason == Reason.NO_START


def test_an_unsupported_game() -> None:
    gtp, _ = connect(Speaker(RHINO, {"set_game": "?unknown game"}))
    gtp.initialize()
    with pytest.raises(UnknownGame, match=r"Speaker does not play Othello: .*unknown game"):
        gtp.new_game(Othello.start())


def test_starting_positions() -> None:
    start = Othello.start().after("f5 d6 c3")
    speaker = Speaker(RHINO)
    gtp, _ = connect(speaker)
    gtp.initialize()
    gtp.new_game(start)
    assert speaker.heard[-1] == f"grhino-setup_board {str(start)[:64]} white"
    gtp, _ = connect(Speaker())
    gtp.initialize()
    with pytest.raises(UnknownGame, match="cannot set up a position of Othello"):
        gtp.new_game(start)


PIECES = (
    *"0123456789 =?\t\rabcdefgh", "= ", "? ", "=1", "?7", "resign", "pass", "D3", "c4", "\0", "\x1b[31m", "é", "²", "٣",
    "9" * 400, "genmove", "\ufffd", "\u2028",
)  # fmt: skip


def check_damaged(seed: int) -> None:
    rng = random.Random(seed)
    speaker = Speaker(RHINO)
    gtp, _ = connect(lambda line: damaged(speaker(line), rng, PIECES) if rng.random() < 0.5 else speaker(line))
    start = Othello.start()
    try:
        gtp.initialize()
        gtp.new_game(start)
        gtp.play(start, start.parse_move("c4"), in_a_minute())
        assert gtp.genmove(start, in_a_minute()) in (None, *start.legal_moves())
    except (ProgramFailure, UnknownGame) as failure:
        check_message(str(failure))


def test_fuzzing() -> None:
    for seed in range(500):
        check_damaged(seed)


@pytest.mark.nightly
def test_fuzzing_many_times() -> None:
    for seed in range(int(os.environ.get("ZERMELO_FUZZ", "1000000")) // 10):
        check_damaged(seed)


@pytest.mark.parametrize("piece", ["x", " ", "=", "= ", "d3 ", "9"])
def test_a_line_of_a_megabyte(piece: str) -> None:
    line = piece * ((1 << 20) // len(piece))
    for lines in (line, f"= {line}", f"?{line}"):
        gtp, _ = connect(lambda command, lines=lines: [lines, ""])  # type: ignore[misc]
        with pytest.raises(ProgramFailure) as raised:
            gtp.genmove(Othello.start(), in_a_minute())
        check_message(raised.value.detail)
