"""External engines as players: specs, commands, games with real engines, and misbehaviour."""

from __future__ import annotations

import io
import os
import random
import shlex
import sys
import time
from functools import cache
from pathlib import Path

import pytest
from cpu_usage import becomes_stopped, cpu_time, uses_cpu
from leftovers import remaining, unique_mark

import zermelo
from zermelo.arena.game_record import BY_RULES, RESIGNED, GameJob, GameRecord
from zermelo.arena.players.clock import Clock, TimeControl
from zermelo.arena.players.engines import (
    GtpPlayer,
    UciPlayer,
    is_960,
    limits_of,
    position_text,
)
from zermelo.arena.players.player import GameSetup, Player, PlayResult, Turn
from zermelo.arena.players.specs import player_for
from zermelo.arena.referee import play
from zermelo.core.game import MAX, MIN, State
from zermelo.core.history import PositionHistory
from zermelo.errors import LimitError, UnknownGame, ZermeloError
from zermelo.formats.line_reader import read_lines
from zermelo.formats.registry import get_format
from zermelo.games.chess import Chess
from zermelo.games.othello import Othello
from zermelo.protocols.engine_commands import find_program, read_command
from zermelo.sandbox.program import ProgramLimits

HOSTILE = Path(__file__).parents[1] / "support" / "hostile.py"
PYTHON = shlex.quote(sys.executable)
#: Seconds to wait for an event that must happen.
AMPLE = "margin=60"


def needs(command: str) -> pytest.MarkDecorator:
    """Skip a test where a program is not installed."""
    try:
        find_program(command)
    except UnknownGame as error:
        return pytest.mark.skip(reason=str(error))
    return pytest.mark.filterwarnings("error")  # as everywhere


stockfish, gnuchess, rhino = needs("stockfish"), needs("gnuchess"), needs("gtp-rhino")
fairymax = needs("fairymax")


def game(name: str, first: str, second: str, control: str = "", **more: object) -> GameRecord:
    """Play a game of two players with one time control."""
    job = GameJob(0, name, (first, second), (first, second), controls=(control, control), **{"seed": 3, **more})  # type: ignore[arg-type]
    return play(job)


def turn(state: State, moves: str = "", clock: Clock | None = None) -> Turn:
    """Return the turn after a line of moves."""
    played: list[int] = []
    history: list[State] = []
    for name in moves.split():
        played.append(state.parse_move(name))
        history.append(state)
        state = state.play(played[-1])
    return Turn(state, history, played, clock or Clock.of(TimeControl()))


# ---- specs ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "options", "command"),
    [
        ("python3", [], ["python3"]),
        ("python3 -l 3 'a b'", [], ["python3", "-l", "3", "a b"]),
        ("UCI_Elo=1350:python3", [("UCI_Elo", "1350")], ["python3"]),
        (
            'Skill Level=3, Clear Hash= ,Book="C:,x":python3 a:b=c,d',
            [("Skill Level", "3"), ("Clear Hash", ""), ("Book", "C:,x")],
            ["python3", "a:b=c,d"],
        ),
        (":python3 a=b:c", [], ["python3", "a=b:c"]),
        ("python3 a:b", [], ["python3", "a:b"]),
        ("python3 --x=y", [], ["python3", "--x=y"]),
    ],
)
def test_specs(text: str, options: list[tuple[str, str]], command: list[str]) -> None:
    found, limits, words = read_command(text)
    assert found == options
    assert limits == ProgramLimits()
    assert words[1:] == command[1:]
    assert os.path.isabs(words[0])
    assert Path(words[0]).name == command[0]


def test_resource_limits() -> None:
    _, limits, _ = read_command("memory=500M,start=30,processor=90.5:python3")
    assert limits == ProgramLimits(start=30, memory=500 << 20, processor=90.5)
    assert read_command("hash=1024:python3")[1] == ProgramLimits(memory=3 << 30)  # in megabytes, on top of the rest
    assert read_command("Hash=1024,memory=1G:python3")[1] == ProgramLimits(memory=1 << 30)


def test_ponder() -> None:
    """`ponder` in lower case is our option, `Ponder` the engine's."""
    assert read_command("ponder=true:python3")[:2] == ([], ProgramLimits(ponders=True))
    assert read_command("ponder=false:python3")[:2] == ([], ProgramLimits())
    assert read_command("Ponder=true:python3")[:2] == ([("Ponder", "true")], ProgramLimits())
    assert read_command("Ponder=true,ponder=true:python3")[:2] == ([("Ponder", "true")], ProgramLimits(ponders=True))


@pytest.mark.parametrize(
    ("text", "error", "expected"),
    [
        ("", LimitError, "the command is missing"),
        ("a=b:", LimitError, "the command is missing"),
        ("a=b,c:python3", LimitError, "expected NAME=VALUE,NAME=VALUE:COMMAND"),
        ("a=b,A=c:python3", LimitError, "given twice"),
        ("memory=much:python3", LimitError, "memory must be a number of bytes"),
        ("start=soon:python3", LimitError, "expected a number of seconds"),
        ("start=0:python3", LimitError, "seconds"),
        ("ponder=yes:python3", LimitError, "ponder='yes': expected true or false"),
        ("ponder=true,ponder=true:python3", LimitError, "given twice"),
        ("python3 'a", LimitError, "no closing quotation"),
        (
            "no-such-program-here",
            UnknownGame,
            "engine not found on PATH or in /usr/games or /usr/local/games: no-such-prog",
        ),
        ("./no-such-program-here", UnknownGame, "engine not found or not executable: ./no-such-program-here"),
    ],
)
def test_invalid_specs(text: str, error: type[ZermeloError], expected: str) -> None:
    with pytest.raises(error) as raised:
        player_for(Chess, f"uci:{text}")
    assert expected in str(raised.value)
    assert "\n" not in str(raised.value)


def test_fuzzed_specs_give_one_line_errors() -> None:
    pieces = [
        *"ab=,:\"'\\ \t\n\0~/.$é",
        "memory=",
        "start=",
        "1G",
        "9" * 400,
        "Hash=",
        "python3",
        "\ud800",
        "~nobody/x",
        "1e9",
    ]
    for seed in range(10_000):
        dice = random.Random(seed)
        text = "".join(dice.choice(pieces) for _ in range(dice.randrange(12)))
        try:
            read_command(text)
        except (LimitError, UnknownGame) as error:
            check_message(str(error))
    for letter in "a=:,\"' ":
        with pytest.raises(LimitError):
            read_command(letter * (1 << 20))


def check_message(text: str) -> None:
    """An error message is one line of limited length."""
    assert text.isprintable()
    assert len(text) < 400


def test_other_games_are_refused() -> None:
    with pytest.raises(UnknownGame, match="uci: engines play chess only"):
        UciPlayer(Othello, "python3")
    with pytest.raises(UnknownGame, match=r"gtp: engines play .*Othello only \(got Chess\)"):
        GtpPlayer(Chess, "python3")
    with pytest.raises(LimitError, match="gtp: unknown option 'Level'"):
        GtpPlayer(Othello, "Level=3:python3")


# ---- commands for UCI engines -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("control", "expected"),
    [
        ("", "go movetime 100"),
        ("depth=5", "go depth 5"),
        ("nodes=700", "go nodes 700"),
        ("seconds=0.25", "go movetime 250"),
        ("seconds=0.25,depth=9", "go movetime 250 depth 9"),
        ("clock=60+0.6", "go wtime 60000 btime 60000 winc 600 binc 600"),
        ("clock=300/40+2", "go wtime 300000 btime 300000 winc 2000 binc 2000 movestogo 40"),
    ],
)
def test_go_limits(control: str, expected: str) -> None:
    clock = Clock.of(TimeControl.parse(control))
    assert str(limits_of(turn(Chess.start(), "", clock.facing(clock)))) == expected


def test_clocks_of_white_and_black() -> None:
    clock = Clock(TimeControl(base=60.0), 10.0, 20.0)
    assert str(limits_of(turn(Chess.start(), "", clock))) == "go wtime 10000 btime 20000 winc 0 binc 0"
    assert str(limits_of(turn(Chess.start(), "e4", clock))) == "go wtime 20000 btime 10000 winc 0 binc 0"
    assert str(limits_of(turn(Chess.start(), "", clock), 0.5)).startswith("go wtime 9500 ")
    assert str(limits_of(turn(Chess.start(), "", clock), 99)).startswith("go wtime 1 ")


def test_increments_with_time_odds() -> None:
    own, other = (Clock.of(TimeControl.parse(control)) for control in ("clock=60+0.6", "clock=10+2"))
    clock = own.facing(other)
    assert str(limits_of(turn(Chess.start(), "", clock))) == "go wtime 60000 btime 10000 winc 600 binc 2000"
    assert str(limits_of(turn(Chess.start(), "e4", clock))) == "go wtime 10000 btime 60000 winc 2000 binc 600"


def read_position(text: str) -> list[State]:
    """Return the states that a UCI position command leads through."""
    (record,) = get_format(Chess, "uci").read(read_lines(io.BytesIO(text.encode())), pytest.fail)
    state = record.start
    states = [state]
    for move in record.moves():
        state = state.play(move)
        states.append(state)
    return states


def test_position_command() -> None:
    assert position_text(turn(Chess.start()), False) == "position startpos"
    assert position_text(turn(Chess.start(), "e4 e5 Ke2"), False) == "position startpos moves e2e4 e7e5 e1e2"
    start = Chess.parse("4k3/8/8/8/8/8/4P3/4K2R w K - 3 1")
    assert position_text(turn(start, "O-O"), False) == f"position fen {start} moves e1g1"
    assert position_text(turn(start, "O-O"), True) == f"position fen {start} moves e1h1"


@cache
def long_turn() -> Turn:
    """Return a turn after more than 900 plies of knight and pawn moves; the last position occurred twice."""
    dance, answer = ["Nc3", "Nc6", "Nb1", "Nb8"], ["Nc6", "Nc3", "Nb8", "Nb1"]
    names = []
    for file in "abdefgh":
        names += [*dance * 16, f"{file}3", *answer * 16, f"{file}6"]
    return turn(Chess.start(), " ".join([*names, *dance, "Nc3"]), Clock.of(TimeControl.parse(f"seconds=0.1,{AMPLE}")))


def test_the_position_command_of_a_long_game_is_shortened() -> None:
    late = long_turn()
    assert len(late.moves) > 900
    text = position_text(late, False)
    assert len(text) < 2_200
    states = read_position(text)
    assert states[-1] == late.state
    whole, expected = PositionHistory([*late.history, late.state]), PositionHistory(states)
    assert expected.occurrences[-1] == whole.occurrences[-1]
    follow = late.state.play(late.state.parse_move("Nc6"))
    assert expected.push(follow) == whole.push(follow) == 2


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        ("start", False),
        ("4k3/8/8/8/8/8/8/1R2K1R1 w - - 0 1", False),
        ("4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1", True),
        ("4k3/8/8/8/8/8/8/R2K3R w KQ - 0 1", True),
        ("r2k3r/8/8/8/8/8/8/R3K2R w kKQ - 0 1", True),
    ],
)
def test_is_960(position: str, expected: bool) -> None:
    assert is_960(Chess.parse(position)) == expected


@pytest.mark.nightly  # two processes compile chess
def test_our_uci_engine_plays_the_moves_of_our_engine() -> None:
    """Our client and server: the same moves as without UCI, at the same depth."""
    # The engine first: what it compiles is there when the program gets ready, which has a limit.
    direct = game("chess", "engine", "random", f"depth=2,{AMPLE}", max_plies=30)
    program = f"uci:start=300:{PYTHON} -m zermelo uci"
    spoken = game("chess", program, "random", f"depth=2,{AMPLE}", max_plies=30)
    assert spoken.forfeited_by is None
    assert spoken.moves == direct.moves


# ---- real engines --------------------------------------------------------------------------------------------------


@stockfish
def test_stockfish_plays() -> None:
    played = game("chess", "uci:UCI_LimitStrength=true,UCI_Elo=1350:stockfish", "random", f"seconds=0.02,{AMPLE}")
    assert (played.termination, played.detail, played.points) == (BY_RULES, "checkmate", 1.0)
    assert played.versions[0].startswith("Stockfish")
    reports = [each for each in played.reports if each.player == 0]
    assert all(each.nodes > 0 and each.score is not None for each in reports)
    assert reports[-1].score is not None
    assert reports[-1].score > 20_000


@stockfish
def test_scores_are_for_white() -> None:
    played = game(
        "chess", "random", "uci:stockfish", f"nodes=500,{AMPLE}", start="3qk3/8/8/8/8/8/8/4K3 b - - 0 1", max_plies=3
    )
    scores = [each.score for each in played.reports if each.player == 1]
    assert scores
    assert all(score is not None and score < -300 for score in scores)


@stockfish
def test_options_are_checked_at_the_start_of_a_game() -> None:
    with pytest.raises(LimitError, match=r"Stockfish.*UCI_Elo='1': expected an integer from"):
        game("chess", "uci:UCI_Elo=1:stockfish", "random")
    with pytest.raises(UnknownGame, match=r"Stockfish.* has no option 'UCI_Eloo'; did you mean UCI_Elo"):
        game("chess", "uci:UCI_Eloo=1350:stockfish", "random")


@stockfish
def test_chess960() -> None:
    start = "bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"
    for place in (0, 1):
        players = ("uci:stockfish", "random") if place == 0 else ("random", "uci:stockfish")
        played = game("chess", *players, f"nodes=500,{AMPLE}", start=start, max_plies=30)
        assert played.forfeited_by is None


@gnuchess
def test_chess960_needs_the_option() -> None:
    with pytest.raises(UnknownGame, match="no option UCI_Chess960"):
        game("chess", "uci:gnuchess --uci", "random", start="4k3/8/8/8/8/8/8/1R2K1R1 w GB - 0 1")


@gnuchess
@pytest.mark.parametrize("control", ["seconds=0.05", "nodes=1000", "depth=2", "clock=1+0.05", "clock=1/10"])
def test_gnuchess_plays(control: str) -> None:
    """It ignores node limits and is sent `stop`."""
    played = game("chess", "random", "uci:OwnBook=false:gnuchess --uci", f"{control},{AMPLE}", max_plies=24)
    assert played.forfeited_by is None
    assert played.versions[1].startswith("GNU Chess")


@gnuchess
def test_gnuchess_in_a_long_game() -> None:
    """It exits on lines of 4,095 characters."""
    player = UciPlayer(Chess, "OwnBook=false:gnuchess --uci")
    late = long_turn()
    player.new_game(GameSetup(late.start, MIN, 1))
    try:
        assert player.choose(late).move in late.state.legal_moves()
    finally:
        player.close()


@gnuchess
def test_gnuchess_in_a_trivial_endgame() -> None:
    """It fails when it writes too much at once: dozens of depths within milliseconds."""
    for position in ("6k1/8/6KP/8/8/8/8/8 w - - 0 1", "k7/8/8/8/8/8/P7/K7 w - - 0 1"):
        for _ in range(2):
            played = game("chess", "uci:gnuchess --uci", "random", f"seconds=0.05,{AMPLE}", start=position, max_plies=1)
            assert played.forfeited_by is None, played.detail


@fairymax
@pytest.mark.long
@pytest.mark.parametrize("control", ["depth=2", "seconds=1", "clock=2+1", "clock=2/10"])
def test_fairymax_plays(control: str) -> None:
    for players in (("xboard:fairymax", "random"), ("random", "xboard:fairymax")):
        played = game("chess", *players, f"{control},{AMPLE}")
        assert played.termination == BY_RULES
        assert "Fairy-Max" in "".join(played.versions)


@rhino
@pytest.mark.parametrize("control", ["", "seconds=0.5", "clock=60+1", "clock=60/10"])
def test_rhino_plays(control: str) -> None:
    for seed in range(2):
        for players in (("gtp:gtp-rhino -l 1", "random"), ("random", "gtp:gtp-rhino -l 1")):
            played = game("othello", *players, f"{control},{AMPLE}", seed=seed)
            assert played.termination == BY_RULES
            assert "GTP GRhino" in "".join(played.versions)


@rhino
def test_the_board_of_rhino_equals_ours() -> None:
    """On all squares, after games with passes, and from other starting positions."""
    for seed in range(4):
        dice = random.Random(seed)
        start: State = Othello.start() if seed % 2 else Othello.start().after("f5 d6 c3")
        player = GtpPlayer(Othello, "gtp-rhino -l 1")
        player.new_game(GameSetup(start, MAX, seed))
        try:
            state, history, moves = start, list[State](), list[int]()
            while not state.is_over():
                if state.to_move() == MAX:
                    move = player.choose(Turn(state, history, tuple(moves), Clock.of(TimeControl()))).move
                else:
                    move = dice.choice(state.legal_moves())
                history.append(state)
                moves.append(move)
                state = state.play(move)
            for place in range(len(player._sent_moves), len(moves)):  # what the other side moved last
                player._gtp.play(history[place], moves[place], time.monotonic() + 60)
            shown = player._gtp.command("showboard", time.monotonic() + 60)
        finally:
            player.close()
        rows = [line.split() for line in shown.splitlines() if line.split()[:1] and line.split()[0].isdigit()]
        squares = "".join("".join(row[1:]) for row in rows).replace(".", "-")
        assert squares == str(state).split()[0]


@rhino
@pytest.mark.parametrize("opening", ["f5 d6 c3 d3 c4", "c4 c3 d3 c5 b2"])
def test_rhino_after_an_opening(opening: str) -> None:
    state: State = Othello.start()
    moves = []
    for name in opening.split():
        moves.append(state.parse_move(name))
        state = state.play(moves[-1])
    played = game("othello", "random", "gtp:gtp-rhino -l 1", opening=tuple(moves))
    assert played.termination == BY_RULES


# ---- misbehaving engines -------------------------------------------------------------------------------------------

WAYS = {
    "illegal": "illegal move", "garbage": "garbage", "nul": "garbage", "bytes": "garbage", "crash": "crashed",
    "orphans": "crashed", "flood": "too much output",
    "long-line": "too much output", "memory": "too much memory", "no-start": "did not start",
}  # fmt: skip
SILENT = ("out of time", "hung")
PROTOCOLS = [("uci", "chess"), ("gtp", "othello"), pytest.param("xboard", "chess", marks=pytest.mark.long)]


def hostile(protocol: str, way: str, limits: str = "memory=300M,start=60") -> str:
    return f"{protocol}:{limits}:{PYTHON} {shlex.quote(str(HOSTILE))} {protocol} {way}"


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("protocol", "name"), PROTOCOLS)
def test_misbehaviour_loses_with_its_reason(protocol: str, name: str, way: str) -> None:
    played = game(name, hostile(protocol, way), "random", "seconds=60")
    assert (played.termination, played.forfeited_by, played.points) == (WAYS[way], 0, 0.0)
    assert played.detail
    assert "\n" not in played.detail


@pytest.mark.parametrize("way", ["hang", "deaf"])
@pytest.mark.parametrize(("protocol", "name"), PROTOCOLS)
def test_no_reply_is_out_of_time_or_hung(protocol: str, name: str, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zermelo.protocols.uci_client.STOP_SECONDS", 0.1)  # no reply will come
    for control, expected in zip(("seconds=0.2", "patience=0.2"), SILENT, strict=True):
        played = game(name, "random", hostile(protocol, way), control)
        assert (played.termination, played.forfeited_by, played.points) == (expected, 1, 1.0)


@pytest.mark.long
def test_ignored_stop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zermelo.protocols.uci_client.STOP_SECONDS", 2.0)  # a busy machine may be slow to reply
    played = game("chess", "random", hostile("uci", "ignored-stop"), "seconds=1")
    assert (played.termination, played.forfeited_by) == ("ignored stop", 1)


def test_a_slow_start() -> None:
    for way in ("silent", "deaf-start"):
        played = game("chess", hostile("uci", way, "start=0.3"), "random")
        assert (played.termination, played.forfeited_by) == ("did not start", 0)


def test_resignation_loses(tmp_path: Path) -> None:
    program = tmp_path / "resigns.py"
    program.write_text(
        "import sys\n"
        "for line in sys.stdin:\n"
        "    if 'quit' in line:\n"
        "        break\n"
        "    print('= resign' if 'genmove' in line else '= ', end='\\n\\n', flush=True)\n"
    )
    command = f"{PYTHON} {shlex.quote(str(program))}"
    played = game("othello", "random", f"gtp:{command}", AMPLE)
    assert (played.termination, played.points, played.forfeited_by) == (RESIGNED, 1.0, None)
    player: Player = GtpPlayer(Othello, command)
    player.new_game(GameSetup(Othello.start(), MAX, 0))
    assert player.choose(turn(Othello.start())) == PlayResult(19, resigned=True)
    player.game_over()
    player.close()


def test_a_changed_game_is_sent_again() -> None:
    """Where the moves differ from those sent before, the board is cleared and all moves are sent."""
    player = GtpPlayer(Othello, f"{PYTHON} {shlex.quote(str(HOSTILE))} gtp well D3")
    player.new_game(GameSetup(Othello.start(), MAX, 0))
    try:
        assert player.choose(turn(Othello.start())).move == 19
        assert player.choose(turn(Othello.start())).move == 19
        assert player.version == "Hostile 1.0"
    finally:
        player.close()


@stockfish
@gnuchess
@pytest.mark.nightly
@pytest.mark.parametrize(
    "opponent",
    ["uci:UCI_LimitStrength=true,UCI_Elo=1350:stockfish", "uci:gnuchess --uci"],
    ids=["stockfish", "gnuchess"],
)
def test_twenty_games_without_an_error(opponent: str) -> None:
    for number in range(20):
        dice = random.Random(number // 2)
        state: State = zermelo.load("chess").start()
        opening = []
        for _ in range(6):
            opening.append(dice.choice(state.legal_moves()))
            state = state.play(opening[-1])
        players = ("engine", opponent) if number % 2 == 0 else (opponent, "engine")
        played = game("chess", *players, "seconds=0.05,margin=5", opening=tuple(opening), seed=number)
        assert played.forfeited_by is None, f"{players[played.forfeited_by]}: {played.termination}: {played.detail}"


# ---- on the opponent's time -----------------------------------------------------------------------------------

#: Never idles; plays the move given as argument.
PONDERS = """
import os, sys, threading
def burn():
    while True: pass
threading.Thread(target=burn, daemon=True).start()
for line in sys.stdin:
    word = line.split()[0]
    if word == "quit": break
    print({"uci": "uciok", "isready": "readyok", "go": "bestmove e2e4"}.get(word, ""), flush=True)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="processor time is in Linux's /proc")
@pytest.mark.parametrize("ponder", ["false", "true"])
def test_an_engine_is_stopped_unless_it_ponders(tmp_path: Path, ponder: str) -> None:
    word = unique_mark()
    path = tmp_path / f"{word}.py"
    path.write_text(PONDERS)
    player = UciPlayer(Chess, f"ponder={ponder}:{PYTHON} {shlex.quote(str(path))}")
    player.new_game(GameSetup(Chess.start(), MAX, 0))
    for _ in range(2):
        if ponder == "true":
            assert uses_cpu(word)
        else:
            assert becomes_stopped(word)
            before = cpu_time(word)
            time.sleep(1)
            assert cpu_time(word) - before < 0.1
        assert player.choose(turn(Chess.start())).move == Chess.start().parse_move("e4")
    player.game_over()
    assert not remaining(word)
