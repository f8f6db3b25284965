"""The xboard client: features, what is sent, tolerance of other output, and reasons of failures."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable
from typing import cast

import pytest
from scripted import Scripted, check_message, damaged

from zermelo.errors import UnknownGame
from zermelo.games.chess import Chess
from zermelo.protocols.uci_client import MATE, MAX_CENTIPAWNS
from zermelo.protocols.xboard_client import Reply, XboardClient
from zermelo.sandbox.failure import ProgramFailure, Reason
from zermelo.sandbox.program import Program

pytestmark = pytest.mark.quick

FEATURES = [
    "# a banner",
    "feature done=0",
    'feature ping=1 setboard=1 san=1 usermove=1 myname="Fairy-Max 5.0b" variants="normal,fischerandom"',
    'feature option="Resign -check 0" option="Clear Hash -button"',
    'feature option="Resign Threshold -spin 800 200 1200" done=1',
]
THOUGHTS = ["3     31      0       421 Nf3 d5", "4.    -12      2      9,3 x", " 5&    -20      7      9371\te2e4 e7e5"]


def answering(go: Iterable[str], features: Iterable[str] = FEATURES) -> Callable[[str], Iterable[str]]:
    def answers(line: str) -> Iterable[str]:
        word, _, rest = line.partition(" ")
        return {"protover": features, "ping": [f"pong {rest}"], "go": go}.get(word, [])

    return answers


def connect(go: Iterable[str], features: Iterable[str] = FEATURES) -> tuple[XboardClient, Scripted]:
    program = Scripted(answering(go, features))
    client = XboardClient(cast(Program, program))
    client.initialize()
    return client, program


def soon() -> float:
    return time.monotonic() + 60


def test_features_are_accepted_but_for_algebraic_notation() -> None:
    client, program = connect([])
    assert client.name == "Fairy-Max 5.0b"
    assert client.features["variants"] == "normal,fischerandom"
    assert client.options == {
        "resign": "Resign", "clear hash": "Clear Hash", "resign threshold": "Resign Threshold"
    }  # fmt: skip
    assert program.sent[:2] == ["xboard", "protover 2"]
    assert "rejected san" in program.sent
    assert "accepted usermove" in program.sent


def test_a_game_is_sent_in_force_mode() -> None:
    start = Chess.start().play(Chess.start().parse_move("e4"))
    client, program = connect([*THOUGHTS, "pong 99", "move e7e5", "1-0 {later}"])
    client.set_option("clear hash", "")
    client.set_option("resign", "1")
    client.new_game(start)
    client.set_time(300, 2.5, 40)
    client.set_seconds(0.5)
    client.set_depth(7)
    client.play("g1f3")
    client.time_left(12.345, 0.001)
    reply = client.go(soon())
    assert (reply.move, reply.depth, reply.nodes, reply.score) == ("e7e5", 5, 9371, -20)
    assert [line for line in program.sent if not line.startswith(("accepted", "rejected"))] == [
        "xboard", "protover 2", "option Clear Hash", "option Resign=1", "new", "force", "easy", "post",
        f"setboard {start}", "ping 1", "level 40 5:00 2", "st 1", "sd 7", "usermove g1f3", "time 1234", "otim 1",
        "ping 2", "go", "force",
    ]  # fmt: skip


def test_an_engine_without_features() -> None:
    client, program = connect(["My move is: e7e5"], ["Welcome to Old Chess"])
    client.new_game(Chess.start())
    client.play("e2e4")
    assert client.go(soon()).move == "e7e5"
    assert program.sent == ["xboard", "protover 2", "new", "force", "easy", "post", "e2e4", "go", "force"]
    with pytest.raises(UnknownGame, match=r"^scripted cannot set up a position \(it has no feature setboard\); give"):
        client.new_game(Chess.parse("4k3/8/8/8/8/8/8/4K2R w K - 0 1"))


def test_unknown_options_are_refused() -> None:
    client, _ = connect([])
    with pytest.raises(UnknownGame, match=r"^Fairy-Max 5.0b has no option 'Resing'; did you mean Resign\?$"):
        client.set_option("Resing", "1")


@pytest.mark.parametrize(
    ("line", "score"),
    [
        ("9 100004 12 345 Qh5#", MATE - 4),
        ("9 -100012 12 345", -MATE + 12),
        ("9 99000 12 345", MAX_CENTIPAWNS),
        ("9 five 12 345", None),
        ("nine 5 12 345", None),
    ],
)
def test_scores(line: str, score: int | None) -> None:
    reply = Reply()
    reply.update(line)
    assert reply.score == score


@pytest.mark.parametrize("line", ["resign", "tellics resign"])
def test_resignation(line: str) -> None:
    client, _ = connect([line])
    client.new_game(Chess.start())
    assert client.go(soon()).move == ""


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([], Reason.HANG),
        (["<crash>"], Reason.CRASH),
        (["move"], Reason.GARBAGE),
        (["move \ufffd\ufffd"], Reason.GARBAGE),
        (["Illegal move: e2e4"], Reason.GARBAGE),
        (["Error (unknown command): go"], Reason.GARBAGE),
        (["1/2-1/2 {Draw by repetition}"], Reason.GARBAGE),
    ],
)
def test_failures(lines: list[str], reason: Reason) -> None:
    client, _ = connect(lines)
    client.new_game(Chess.start())
    with pytest.raises(ProgramFailure) as raised:
        client.go(soon())
    assert raised.value.reason == reason
    check_message(str(raised.value.detail))


def test_an_engine_that_never_finishes_its_features_does_not_start() -> None:
    with pytest.raises(ProgramFailure) as raised:
        connect([], ["feature done=0"])
    assert raised.value.reason == Reason.NO_START


def test_damaged_output() -> None:
    """Whatever an engine writes, the client returns a reply or raises a failure with a message of one line."""
    rng = random.Random(5)
    pieces = ["move", " ", "feature ", '"', "=", "done", "{", "99999999999999999999", "\0", "-", "resign", "1-0"]
    for _ in range(300):
        features = [*damaged(FEATURES, rng, pieces), "feature done=1"]
        client, _ = connect(damaged([*THOUGHTS, "move e7e5"], rng, pieces), features)
        try:
            client.new_game(Chess.start())
            client.go(soon())
        except ProgramFailure as failure:
            check_message(failure.detail)
