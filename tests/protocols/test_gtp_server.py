"""The GTP server: each command, responses to wrong ones, and a whole game against the client."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import zermelo
from zermelo.cli.gtp import read_sgf
from zermelo.core.game import MAX, MIN
from zermelo.games.go import Go, Go19
from zermelo.games.hex import Hex
from zermelo.games.othello import Othello, Othello6, Othello10
from zermelo.protocols.gtp_client import GAMES
from zermelo.protocols.gtp_server import GtpServer
from zermelo.search.engine import Engine
from zermelo.search.limits import Limits


def server_of(name: str = "go", game: Any = Go) -> GtpServer:
    """A server whose search is the textbook's, with few playouts."""
    return GtpServer(name, game, zermelo.MonteCarlo(seed=1, compiled=False), Limits(nodes=2))


def talk(server: GtpServer, *lines: str) -> list[str]:
    return [server.command(line).removesuffix("\n\n") for line in lines]


@pytest.mark.quick
def test_a_session() -> None:
    server = server_of()
    assert talk(server, "1 protocol_version", "name", "known_command play", "known_command x", "", "# comment") == [
        "=1 2", "= Zermelo", "= true", "= false", "", ""
    ]  # fmt: skip
    assert "\ngenmove\n" in server.command("list_commands")
    assert talk(server, "boardsize 3", "clear_board", "komi 0.5", "play b B2", "play WHITE c3", "final_score") == [
        "=", "=", "=", "=", "=", "= W+0.5"
    ]  # fmt: skip
    assert server.command("7 showboard") == ("=7 \n    A B C\n 3  . .(O) 3\n 2  . X .  2\n 1  . . .  1\n    A B C\n\n")
    assert talk(server, "undo", "undo", "undo", "9 genmove b # now")[:3] == ["=", "=", "? cannot undo"]
    assert server.state.to_move() == MIN
    assert talk(server, "set_game Go", "set_game Hex") == ["=", "? unsupported game 'Hex': this is go"]
    assert server.command("quit") == "=\n\n"
    assert server.has_quit


@pytest.mark.quick
def test_sizes_and_handicap() -> None:
    server = server_of()
    assert talk(server, "boardsize 19", "komi 6.5", "fixed_handicap 3") == ["=", "=", "= D4 Q16 D16"]
    assert isinstance(server.state, Go19)
    assert (server.state.to_move(), server.state.komi) == (MIN, 13)
    assert talk(server, "fixed_handicap 2", "clear_board", "set_free_handicap C3 D4 E5", "clear_board") == [
        "? board not empty", "=", "=", "="
    ]  # fmt: skip
    assert talk(server, "boardsize 7", "place_free_handicap 9", "clear_board", "fixed_handicap 9") == [
        "=", "= C3 E5 C5 E3", "=", "? invalid number of stones"
    ]  # fmt: skip
    assert talk(server, "set_free_handicap C3 C3", "boardsize 20", "boardsize x", "komi 1/3") == [
        "? bad vertex list", "? unacceptable size", "? size expected, an integer from 0 to 1000",
        "? komi '1/3' is not a number of half points from -200 to 200",
    ]  # fmt: skip


@pytest.mark.quick
def test_illegal_moves() -> None:
    server = server_of()
    talk(server, "boardsize 2")
    assert talk(server, "play b A1", "play w A1") == ["=", "? illegal move"]
    assert talk(server, "play b I1", "play red A1", "play b", "genmove", "fly") == [
        "? illegal move", "? invalid color 'red'", "? play needs a color and a move", "? color expected",
        "? unknown command",
    ]  # fmt: skip
    assert talk(server, "play b pass", "play w pass", "play b A1")[:2] == ["=", "="]


@pytest.mark.quick
def test_superko_is_an_illegal_move() -> None:
    server = server_of()
    talk(server, "boardsize 2", "clear_board")
    moves = ("b A1", "w B1", "b A2", "w B2", "b A1", "w A2")
    assert talk(server, *(f"play {move}" for move in moves)) == ["="] * 6
    assert talk(server, "play b A1", "play b pass") == ["? illegal move", "="]


@pytest.mark.quick
def test_time() -> None:
    server = server_of()
    assert server.limits_of(MAX) == Limits(nodes=2)
    talk(server, "time_settings 0 2 1")
    assert server.limits_of(MAX).seconds == pytest.approx(1.95)
    talk(server, "time_settings 100 0 0", "time_left w 10 5")
    assert server.limits_of(MIN).seconds == pytest.approx(1.95)
    seconds = server.limits_of(MAX).seconds
    assert seconds is not None
    assert 0.5 < seconds < 10
    talk(server, "time_settings 0 1 0")
    assert server.limits_of(MAX) == Limits(nodes=2)


@pytest.mark.quick
def test_time_passes_without_messages_of_the_controller(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]

    def moment() -> float:  # each move takes 5 seconds
        now[0] += 5
        return now[0]

    monkeypatch.setattr("zermelo.protocols.gtp_server.time", SimpleNamespace(monotonic=moment))
    server = server_of()
    talk(server, "boardsize 5", "time_settings 12 10 2")
    asked = []
    for _ in range(6):
        asked.append((server._time_of(MAX), talk(server, "genmove b", "genmove w")[0][0]))
    times = [left for left, _ in asked]
    # The main time, then periods of two moves.
    assert times == [(12, 0), (7.0, 0), (2.0, 0), (10, 2), (5.0, 1), (10, 2)]


@pytest.mark.quick
def test_other_games() -> None:
    server = server_of("othello", Othello)
    assert talk(server, "boardsize 8", "boardsize 9", "komi 5", "play w d3", "play b d3", "final_score") == [
        "=", "? unacceptable size", "? unknown command", "? black is to move",
        "=", "? cannot score: the game is not over",
    ]  # fmt: skip
    server = server_of("hex", Hex)
    assert talk(server, "boardsize 5", "play b c3", "showboard")[:2] == ["=", "="]
    assert server.state.to_move() == MIN


class Uncompiled(zermelo.MonteCarlo):
    """A searcher whose first search of a game compiles it."""

    def __init__(self) -> None:
        super().__init__(seed=1, compiled=False)
        self.ready: list[type] = []

    def is_ready(self, state: Any, *_: Any) -> bool:
        return type(state) in self.ready

    def analysis(self, state: Any, *arguments: Any, **options: Any) -> Any:
        self.ready.append(type(state))
        return super().analysis(state, *arguments, **options)


@pytest.mark.quick
@pytest.mark.parametrize(
    ("commands", "compiled"),
    [
        (["boardsize 10", "clear_board", "time_settings 60 0 0"], [Othello10]),
        (["time_settings 60 0 0", "boardsize 10", "clear_board"], [Othello, Othello10]),
        (["boardsize 10", "clear_board"], []),  # without a clock the first move may take its time
        (["time_settings 0 1 0", "clear_board"], []),
    ],
)
def test_nothing_is_compiled_while_a_clock_runs(commands: list[str], compiled: list[type]) -> None:
    searcher = Uncompiled()
    server = GtpServer("othello", Othello, searcher, Limits(nodes=2))
    assert talk(server, *commands) == ["="] * len(commands)
    assert searcher.ready == compiled
    assert len(server._states) == 1


@pytest.mark.quick
@pytest.mark.parametrize(
    ("name", "game", "listed"),
    [("go19", Go19, "Go"), ("othello", Othello, "Othello"), ("othello10", Othello10, "Othello"), ("hex", Hex, "Hex")],
)
def test_games_are_listed_for_quarry(name: str, game: Any, listed: str) -> None:
    """Quarry takes an engine without `list_games` for one of Go."""
    server = server_of(name, game)
    assert "\nlist_games\n" in server.command("list_commands")
    assert talk(server, "list_games", f"set_game {listed}", f"set_game {name}") == [f"= {listed}", "=", "="]


@pytest.mark.quick
def test_sizes_of_othello() -> None:
    server = server_of("othello", Othello)
    for size, move, game in ((10, "d5", Othello10), (6, "b3", Othello6), (4, "a2", Othello6), (8, "c4", Othello)):
        assert talk(server, f"boardsize {size}", "clear_board", f"play b {move}", "genmove w")[:3] == ["=", "=", "="]
        assert type(server.state) is game
        assert server.state.size == size
    assert talk(server, "boardsize 9", "undo", "undo", "undo") == ["? unacceptable size", "=", "=", "? cannot undo"]


@pytest.mark.quick
def test_a_size_needs_the_evaluation_that_was_chosen() -> None:
    searcher = zermelo.MonteCarlo(seed=1, compiled=False)
    for evaluation, answers in (
        ("patterns", ["? unacceptable size", "="]), ("mobility", ["=", "="]), ("nothing", ["=", "="]),
        (Othello.evaluations["mobility"], ["? unacceptable size", "="]),
    ):  # fmt: skip
        server = GtpServer("othello", Othello, searcher, Limits(nodes=2), evaluation)
        assert talk(server, "boardsize 10", "boardsize 8") == answers


@pytest.mark.quick
def test_a_level_of_othello_is_for_8_x_8() -> None:
    server = GtpServer("othello", Othello, Engine("1M", compiled=False), Limits(nodes=2))
    assert talk(server, "level 3", "boardsize 8") == ["=", "="]
    assert server.limits_of(MAX) == Limits(depth=3)
    assert talk(server, "boardsize 10") == ["="]
    assert server.limits_of(MAX) == Limits(nodes=2)
    assert talk(server, "level 11", "boardsize 8") == ["? level expected, an integer from 1 to 10", "="]


@pytest.mark.quick
def test_the_client_sets_up_go() -> None:
    go = GAMES["Go19"]
    start = Go19.parse("13x13 komi 0.5 handicap 2")
    assert (go.size(start), go.komi and go.komi(start), go.is_empty(start)) == (13, "0.5", False)
    assert go.setup_commands["set_free_handicap"](start) == "D4 K10"
    assert go.setup_commands["set_free_handicap"](start.after("C3")) is None
    assert go.is_empty(Go.parse("7x7 komi 3"))


@pytest.mark.quick
def test_the_client_sets_up_othello_for_this_server() -> None:
    othello = GAMES["Othello"]
    start = Othello.parse("f5d6c4d3")
    server = GtpServer("othello", Othello, Engine("1M", compiled=False), Limits(nodes=2))
    (command, arguments), *_ = othello.setup_commands.items()
    assert talk(server, f"{command} {arguments(start)}") == ["="]
    assert server.state == start
    assert talk(server, command, f"{command} XO black", f"{command} {arguments(start)[:-5]}") == [
        "? squares and the color to move expected",
        "? Othello position: 2 squares; expected 64, from a1 to h8 row by row",
        "? squares and the color to move expected",
    ]
    assert server.state == start
    small = f"{command} {'-' * 5}XO--OX{'-' * 5} white"
    assert talk(server, "boardsize 6", small, "boardsize 4", small) == ["=", "? unacceptable size", "=", "="]
    assert server.state == Othello6.parse(f"{'-' * 5}XO--OX{'-' * 5} O")
    assert "grhino-setup_board" not in talk(server_of(), "list_commands")[0]


@pytest.mark.quick
def test_games_are_loaded(tmp_path) -> None:
    file = tmp_path / "a game.sgf"
    file.write_text("(;GM[1]SZ[13]KM[6.5];B[cc];W[dd];B[ee])")
    server = GtpServer("go", Go, zermelo.MonteCarlo(compiled=False), Limits(nodes=2), read_game=read_sgf)
    assert talk(server, f"loadsgf {file}", "undo", "play b F6") == ["=", "=", "="]
    assert isinstance(server.state, Go19)
    assert (server.state.size, server.state.komi) == (13, 13)
    assert talk(server, f"loadsgf {file} 2", "play w K10") == ["=", "="]
    assert server.command("final_score") == "= W+6.5\n\n"
    file.write_text("(;GM[1]SZ[9];B[cc];W[cc])")
    assert talk(server, f"loadsgf {file}", f"loadsgf {tmp_path}/none", "loadsgf", "undo") == [
        "? cannot load file: game 1, line 1: W[cc] cannot be played: there is a stone on the point",
        f"? cannot load file: {tmp_path}/none: No such file or directory", "? cannot load file", "="
    ]  # fmt: skip


@pytest.mark.quick
def test_forced_passes_may_be_left_out() -> None:
    """As by Quarry and by engines made for it: black has no move, and white moves twice."""
    text = "XO-O----" + "-" * 56 + " X"
    for commands in (["play b C1", "play b E1"], ["play b C1", "play w pass", "play b e1"]):
        server = server_of("othello", Othello)
        server._states = [Othello.parse(text)]
        assert talk(server, *commands) == ["="] * len(commands)
        assert str(server.state) == "XXXXX---" + "-" * 56 + " O"
    server = server_of("othello", Othello)
    server._states = [Othello.parse(text)]
    assert talk(server, "play w a8", "play b c1", "play b a8", "genmove b", "undo", "genmove w") == [
        "? black is to move", "=", "? illegal move", "= e1", "=", "= pass"
    ]  # fmt: skip


class Recorded(zermelo.MonteCarlo):
    """Plays the moves of a transcript instead of searching."""

    def __init__(self, moves: list[str]) -> None:
        super().__init__(compiled=False)
        self.moves = moves

    def analysis(self, state: Any, *_: Any, **__: Any) -> Any:
        move = state.parse_move(self.moves.pop(0))  # refuses illegal ones
        yield SimpleNamespace(move=move, best=state.move_name(move))


@pytest.mark.quick
@pytest.mark.parametrize(
    ("file", "score"),
    [
        ("gtp_quarry.txt", "= W+24"),
        ("gtp_quarry_10.txt", "= W+40"),
        ("gtp_quarry_passes.txt", "? cannot score: the game is not over"),
    ],
)
def test_games_in_quarry(file: str, score: str) -> None:
    """What Quarry 0.2.0 sent, and the answers that do not depend on the search; the score is what Quarry showed."""
    text = (Path(__file__).parent / "transcripts" / file).read_text()
    exchanges = [exchange.splitlines() for exchange in text.partition("\n> ")[2].split("\n> ")]
    moves = [answer.removeprefix("< = ") for command, answer, *_ in exchanges if command.startswith("genmove")]
    searcher = Recorded(moves)
    server = GtpServer("othello", Othello, searcher, Limits(nodes=2))
    for command, *answers in exchanges:
        response = server.command(command)
        expected = "".join(f"{answer.removeprefix('< ')}\n" for answer in answers) + "\n"
        if command == "list_commands":
            assert set(expected.split()) <= set(response.split())
        elif command == "version":
            assert response == f"= {zermelo.__version__}\n\n"
        else:
            assert response == expected, command
    assert not searcher.moves
    assert server.command("final_score") == f"{score}\n\n"


@pytest.mark.long
def test_the_kept_session_of_othello() -> None:
    """A controller plays Othello to the end; each move generated is the only best one."""
    text = (Path(__file__).parent / "transcripts" / "gtp_othello.txt").read_text()
    talk: list[str] = []
    with Engine("16M") as engine:
        server = GtpServer("othello", Othello, engine, Limits(seconds=5))
        for command in [line.removeprefix("> ") for line in text.splitlines() if line.startswith(">")]:
            assert not server.has_quit
            talk.append(f"> {command}")
            response = server.command(command)
            assert response.endswith("\n\n") or not response
            talk += [f"< {line}" for line in response.removesuffix("\n\n").split("\n") if response]
    assert server.has_quit
    assert talk == text.splitlines()[1:]
