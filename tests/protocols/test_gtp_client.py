"""The client of GTP: questions and answers, a game told and asked for, and what programs make of it."""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Iterable
from typing import cast

import pytest
from scripted import Scripted

from zermelo.errors import UnknownGame
from zermelo.games.othello import PASS, Othello
from zermelo.protocols.gtp_client import GAMES, Gtp, Refused
from zermelo.sandbox.failure import ProgramFailure, Reason
from zermelo.sandbox.program import Program

COMMANDS = "name version protocol_version list_commands boardsize clear_board play genmove time_settings time_left quit"
RHINO = f"{COMMANDS} set_game list_games grhino-setup_board"


class Speaker:
    """Speaks GTP as it should; what it says to a command can be changed."""

    def __init__(self, commands: str = COMMANDS, says: dict[str, str] | None = None, *, numbered: bool = True) -> None:
        self.commands = commands
        self.says = {"name": "Speaker", "version": "1.0", "protocol_version": "2", "genmove": "D3", **(says or {})}
        self.numbered = numbered
        #: What it was told, without numbers.
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
        answer = "\n".join(self.commands.split()) if word == "list_commands" else self.says.get(word, "")
        if answer.startswith("?"):
            return [f"?{number} {answer[1:]}", ""]
        return [*f"={number} {answer}".split("\n"), ""]


def talk(answers: Callable[[str], Iterable[str]]) -> tuple[Gtp, Scripted]:
    program = Scripted(answers)
    return Gtp(cast(Program, program), GAMES["Othello"]), program


def soon() -> float:
    return time.monotonic() + 60


def test_a_program_that_behaves() -> None:
    speaker = Speaker(RHINO)
    gtp, program = talk(speaker)
    gtp.hello()
    assert (gtp.name, gtp.version) == ("Speaker", "1.0")
    assert gtp.commands == frozenset(RHINO.split())
    start = Othello.start()
    gtp.new_game(start)
    gtp.set_time(60, 0, 0)
    assert gtp.genmove(start, soon()) == start.parse_move("d3")
    gtp.play(start.after("d3"), start.after("d3").parse_move("c5"), soon())
    gtp.time_left(-1, 58, 0, soon())
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
    assert [line.split()[0] for line in program.heard] == [str(number) for number in range(1, 12)]


def test_only_commands_that_it_knows() -> None:
    speaker = Speaker("clear_board play genmove name")
    gtp, _ = talk(speaker)
    gtp.hello()
    gtp.new_game(Othello.start())
    gtp.set_time(60, 0, 0)
    gtp.time_left(1, 58, 0, soon())
    assert gtp.commands == frozenset()
    assert (gtp.name, gtp.version) == ("Speaker", "")
    assert speaker.heard[-1] == "clear_board"


@pytest.mark.parametrize("numbered", [True, False])
def test_what_is_tolerated(numbered: bool) -> None:
    """Banners, CR LF, control characters, capitals, no numbers, answers to what was asked before."""
    speaker = Speaker(says={"genmove": " \t C4 "}, numbered=numbered)

    def answers(line: str) -> list[str]:
        noise = ["Welcome!", "", "info", "=77 Q16", ""] if numbered else ["Welcome!", "", "info"]
        return [*noise, *(f"\x07{said}\r" for said in speaker(line))]

    gtp, program = talk(answers)
    gtp.hello()
    gtp.new_game(Othello.start())
    assert gtp.name == "Speaker"
    assert gtp.genmove(Othello.start(), soon()) == Othello.start().parse_move("c4")
    assert program.heard[-1] == ("7 genmove black" if numbered else "genmove black")


def test_an_answer_given_twice_is_not_the_next_one() -> None:
    speaker = Speaker()
    gtp, _ = talk(lambda line: speaker(line) * 2)
    gtp.hello()
    assert (gtp.name, gtp.version) == ("Speaker", "1.0")


def test_a_pass_that_is_refused() -> None:
    """gtp-rhino passes by itself, and takes no pass from others."""
    state = Othello.parse("XXXXXX--OXXXXXXXXOXXXOXXXXOXXXXXXXOOXOXXXOXOXXOXXOOXXOOXXOXXXXXX X")
    assert state.legal_moves() == [PASS]
    gtp, _ = talk(Speaker(says={"play": "?syntax error", "genmove": "PASS"}))
    gtp.hello()
    gtp.play(state, PASS, soon())
    assert gtp.genmove(state, soon()) == PASS
    with pytest.raises(Refused):
        gtp.play(Othello.start(), 19, soon())


@pytest.mark.parametrize(
    ("says", "reason"),
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
def test_answers_that_are_no_moves(says: str, reason: Reason) -> None:
    gtp, _ = talk(Speaker(says={"genmove": says}))
    gtp.hello()
    with pytest.raises(ProgramFailure) as raised:
        gtp.genmove(Othello.start(), soon())
    assert raised.value.reason == reason
    assert "\n" not in raised.value.detail


def test_it_resigns() -> None:
    gtp, _ = talk(Speaker(says={"genmove": "resign"}))
    assert gtp.genmove(Othello.start(), soon()) is None


def test_an_answer_without_its_end_is_garbage() -> None:
    gtp, _ = talk(lambda line: ["= D3"])
    with pytest.raises(ProgramFailure) as raised:
        gtp.genmove(Othello.start(), soon())
    assert raised.value.reason == Reason.GARBAGE
    gtp, program = talk(lambda line: ["="])
    program.receive = lambda seconds: "= x"  # type: ignore[method-assign]
    with pytest.raises(ProgramFailure) as raised:
        gtp.ask("showboard", soon())
    assert raised.value.reason == Reason.GARBAGE


@pytest.mark.parametrize("says", [[], ["Hello"], ["<crash>"], ["= 2", "", "<crash>"]])
def test_a_program_that_does_not_begin(says: list[str]) -> None:
    gtp, _ = talk(lambda line: says)
    with pytest.raises(ProgramFailure) as raised:
        gtp.hello()
    assert raised.value.reason == Reason.NO_START


def test_a_program_without_a_board_has_not_started() -> None:
    speaker = Speaker()
    gtp, _ = talk(lambda line: [] if "clear_board" in line else speaker(line))
    gtp.hello()
    with pytest.raises(ProgramFailure) as raised:
        gtp.new_game(Othello.start())
    assert raised.value.reason == Reason.NO_START


def test_a_game_it_does_not_play() -> None:
    gtp, _ = talk(Speaker(RHINO, {"set_game": "?unknown game"}))
    gtp.hello()
    with pytest.raises(UnknownGame, match=r"Speaker does not play Othello: .*unknown game"):
        gtp.new_game(Othello.start())


def test_other_positions_to_begin_at() -> None:
    start = Othello.start().after("f5 d6 c3")
    speaker = Speaker(RHINO)
    gtp, _ = talk(speaker)
    gtp.hello()
    gtp.new_game(start)
    assert speaker.heard[-1] == f"grhino-setup_board {str(start)[:64]} white"
    gtp, _ = talk(Speaker())
    gtp.hello()
    with pytest.raises(UnknownGame, match="only begin at the start"):
        gtp.new_game(start)


PIECES = (
    *"0123456789 =?\t\rabcdefgh", "= ", "? ", "=1", "?7", "resign", "pass", "D3", "c4", "\0", "\x1b[31m", "é", "²", "٣",
    "9" * 400, "genmove", "\ufffd", "\u2028",
)  # fmt: skip


def damaged(lines: Iterable[str], dice: random.Random) -> list[str]:
    """Lines cut, changed, doubled, left out."""
    found = []
    for line in lines:
        for _ in range(dice.choice((0, 1, 1, 1, 2))):
            text = line
            for _ in range(dice.randrange(3)):
                place = dice.randrange(len(text) + 1)
                text = text[:place] + dice.choice(("", *PIECES)) + text[place + dice.randrange(4) :]
            found.append(text)
    return found


def check_told(text: str) -> None:
    """What is told of a failure is a line of bearable length."""
    assert len(text) < 700
    assert text.isprintable()


def check_damaged(seed: int) -> None:
    dice = random.Random(seed)
    speaker = Speaker(RHINO)
    gtp, _ = talk(lambda line: damaged(speaker(line), dice) if dice.random() < 0.5 else speaker(line))
    start = Othello.start()
    try:
        gtp.hello()
        gtp.new_game(start)
        gtp.play(start, start.parse_move("c4"), soon())
        assert gtp.genmove(start, soon()) in (None, *start.legal_moves())
    except (ProgramFailure, UnknownGame) as failure:
        check_told(str(failure))


def test_whatever_comes_it_is_a_move_or_a_failure() -> None:
    for seed in range(500):
        check_damaged(seed)


@pytest.mark.nightly
def test_whatever_comes_it_is_a_move_or_a_failure_many_times() -> None:
    for seed in range(int(os.environ.get("ZERMELO_FUZZ", "1000000")) // 10):
        check_damaged(seed)


@pytest.mark.parametrize("piece", ["x", " ", "=", "= ", "d3 ", "9"])
def test_a_line_of_a_megabyte(piece: str) -> None:
    line = piece * ((1 << 20) // len(piece))
    for says in (line, f"= {line}", f"?{line}"):
        gtp, _ = talk(lambda command, says=says: [says, ""])  # type: ignore[misc]
        with pytest.raises(ProgramFailure) as raised:
            gtp.genmove(Othello.start(), soon())
        check_told(raised.value.detail)
