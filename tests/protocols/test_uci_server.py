"""`zermelo uci`: sessions as GUIs and tournament programs run them, with valid and invalid input."""

from __future__ import annotations

import json
import mmap
import os
import random
import re
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pythonchess import python_with_chess

from zermelo import load
from zermelo.arena.game_record import GameJob
from zermelo.arena.referee import play
from zermelo.errors import LimitError
from zermelo.games.chess import notation
from zermelo.games.chess.evaluations import Material
from zermelo.games.chess.rules import Chess
from zermelo.protocols.uci_commands import MAX_NUMBER, parse_go, parse_position, parse_setoption
from zermelo.protocols.uci_server import UciServer, _Preparation
from zermelo.protocols.uci_strength import MAX_ELO, MEASURED_EVALUATION, MIN_ELO, nodes_for, win_draw_loss
from zermelo.search import endgame_tables
from zermelo.search.engine import Engine, Limits
from zermelo.search.limits import MAX_DEPTH, MAX_NODES
from zermelo.search.selective import Selective

# Both searches of chess are compiled here: 28 seconds of processor time.
pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[2]
CHESS = load("chess")
TIMEOUT = 300.0  # seconds to wait for an event that must happen, on a machine under any load


def test_selective_searches_have_the_parameters_that_are_given() -> None:
    parameters = Selective(reduction_base=150)
    for given, expected in ((parameters, parameters), (None, True)):
        server = UciServer(lambda line: None, parameters=given)
        server._options = server._options._replace(evaluation="material")
        for words, used in (("go movetime 1000", expected), ("go depth 1", False)):
            server.command(words)
            assert server._search is not None
            assert server._search.thread is not None
            server._search.thread.join()
            assert server._search.engine.selective == used
        server.close()


class Session:
    """Sends commands and collects the output."""

    def __init__(self, **options: Any) -> None:
        self.lines: list[str] = []
        self._changed = threading.Condition()
        self.server = UciServer(self._receive, **options)
        self._read = 0

    def _receive(self, line: str) -> None:
        with self._changed:
            self.lines.append(line)
            self._changed.notify_all()

    def send(self, *lines: str) -> None:
        for line in lines:
            assert self.server.command(line)

    def until(self, start: str, timeout: float = TIMEOUT) -> list[str]:
        """Return the lines since the last call, up to the first one that starts with `start`."""
        deadline = time.monotonic() + timeout
        with self._changed:
            while True:
                for index in range(self._read, len(self.lines)):
                    if self.lines[index].startswith(start):
                        found = self.lines[self._read : index + 1]
                        self._read = index + 1
                        return found
                left = deadline - time.monotonic()
                assert left > 0, f"no {start!r} in {self.lines[self._read :]}"
                self._changed.wait(left)

    def is_silent(self, start: str, seconds: float = 0.3) -> bool:
        """Return whether no line that starts with `start` arrives for a while."""
        time.sleep(seconds)
        return not any(line.startswith(start) for line in self.lines[self._read :])

    def go(self, words: str, position: str = "startpos") -> tuple[str, list[str]]:
        """Return the best move, and the `info` lines before it that report a search (others tell of compiling)."""
        self.send(f"position {position}", f"go {words}")
        *lines, best = self.until("bestmove")
        return best.split()[1], [line for line in lines if not line.startswith("info string")]


@pytest.fixture
def session() -> Iterator[Session]:
    session = Session(table=1 << 20)
    yield session
    session.server.close()


def split(line: str) -> list[str]:
    return line.split()


def value(info: str, name: str) -> str:
    words = info.split()
    return words[words.index(name) + 1]


# ---- parsing ------------------------------------------------------------------------------------------------


def test_go_parameters_in_any_order() -> None:
    go = parse_go(split("wtime 1000 searchmoves e2e4 d2d4 ponder btime -5 winc 7 binc 8 movestogo 40"))
    assert (go.wtime, go.btime, go.winc, go.binc, go.movestogo) == (1000, -5, 7, 8, 40)
    assert go.ponder
    assert not go.infinite
    assert go.searchmoves == ["e2e4", "d2d4"]
    go = parse_go(split("depth x nodes 5 mate infinite blah movetime"))
    assert (go.depth, go.nodes, go.mate, go.movetime, go.infinite) == (None, 5, None, None, True)
    assert go.warnings == [
        "go: depth expects an integer",
        "go: unknown parameter 'x' ignored",
        "go: mate expects an integer",
        "go: unknown parameter 'blah' ignored",
        "go: movetime expects an integer",
    ]
    assert parse_go(["depth", "9" * 5000 + "x"]).depth is None


@pytest.mark.parametrize("digits", ["9" * 12, "9" * 15, "9" * 16, "9" * 30, "9" * 5000])
def test_huge_numbers_are_clamped(digits: str) -> None:
    names = ("wtime", "btime", "winc", "binc", "movestogo", "depth", "nodes", "mate", "movetime", "perft")
    go = parse_go([word for name in names for word in (name, digits)])
    assert (go.depth, go.mate, go.perft) == (MAX_DEPTH, MAX_DEPTH, MAX_DEPTH)
    assert go.nodes == min(int(digits[:30]), MAX_NODES)
    assert {go.wtime, go.btime, go.winc, go.binc, go.movestogo, go.movetime} == {MAX_NUMBER}
    assert parse_go(["wtime", f"-{digits}"]).wtime == -MAX_NUMBER
    assert parse_go(["movetime", "0" * 5000 + "7"]).movetime == 7
    assert not go.warnings


def test_positions_and_options_are_parsed() -> None:
    assert parse_position(split("startpos moves e2e4 e7e5")) == ("", ["e2e4", "e7e5"])
    assert parse_position(split("fen 8/8/8/8/8/8/8/8 w - - 0 1 moves a2a3")) == ("8/8/8/8/8/8/8/8 w - - 0 1", ["a2a3"])
    assert parse_setoption(split("name Clear Hash")) == ("Clear Hash", "")
    assert parse_setoption(split("name UCI Opponent value human X")) == ("UCI Opponent", "human X")


# ---- sessions -----------------------------------------------------------------------------------------------


def test_identification_and_options(session: Session) -> None:
    session.send("uci")
    lines = session.until("uciok")
    assert lines[0].startswith("id name Zermelo ")
    assert lines[1].startswith("id author ")
    for option in (
        "Hash type spin default 1 min 1 max 65536",
        "Threads type spin default 1 min 1 max 256",
        "MultiPV type spin default 1 min 1 max 218",
        "Move Overhead type spin default 20 min 0 max 5000",
        "Skill Level type spin default 10 min 1 max 10",
        "Clear Hash type button",
        "Ponder type check default false",
        "UCI_Chess960 type check default false",
        "UCI_AnalyseMode type check default false",
        "UCI_LimitStrength type check default false",
        f"UCI_Elo type spin default {MAX_ELO} min {MIN_ELO} max {MAX_ELO}",
        "UCI_ShowWDL type check default false",
        "Selective type check default true",
        "Evaluation type combo default network var positional var material var network",
    ):
        assert f"option name {option}" in lines
    session.send("isready")
    session.until("readyok")


def test_one_info_line_per_depth(session: Session) -> None:
    best, infos = session.go("depth 4", "startpos moves e2e4 e7e5")
    assert [value(info, "depth") for info in infos] == ["1", "2", "3", "4"]
    state = CHESS.parse("e4 e5")
    *_, found = Engine("1M").analysis(state, Limits(depth=4), evaluation="network")
    assert value(infos[-1], "cp") == str(found.score.pov(found.state.to_move()).number)
    assert infos[-1].split(" pv ")[1].split()[0] == best
    assert int(value(infos[-1], "nodes")) == found.nodes
    for info in infos:  # each line can be played
        line = CHESS.parse("e4 e5")
        for move in info.split(" pv ")[1].split():
            line = line.play(line.parse_move(move))


def test_scores_are_for_the_side_to_move(session: Session) -> None:
    queen_up = "fen 4k3/8/8/8/8/8/8/QQ2K3 {} - - 0 1"
    _, infos = session.go("depth 1", queen_up.format("b"))
    assert int(value(infos[-1], "cp")) < -500


@pytest.fixture
def session_with_file() -> Iterator[Session]:
    session = Session(evaluation=Material([2 * weight for weight in CHESS.evaluations["material"].weights]))
    yield session
    session.server.close()


def test_an_evaluation_of_a_weight_file(session_with_file: Session) -> None:
    session = session_with_file
    session.send("uci")
    assert "Evaluation type combo default file var positional var material var network var file" in "".join(
        session.until("uciok")
    )
    position = "position fen 4k3/8/8/8/8/8/8/R3K3 w - - 0 1"
    session.send(position, "eval", "setoption name Evaluation value material", "eval")
    assert session.until("info string material")[-2:] == [
        "info string file +10.00 for white", "info string material +5.00 for white",
    ]  # fmt: skip


@pytest.mark.nightly  # another evaluation is other machine code
def test_material_scores_are_centipawns(session: Session, session_with_file: Session) -> None:
    session.send("setoption name Evaluation value material")
    _, infos = session.go("depth 1", "fen 4k3/8/8/8/8/8/8/R3K3 w - - 0 1")
    assert value(infos[-1], "cp") == "500"
    _, infos = session_with_file.go("depth 1", "fen 4k3/8/8/8/8/8/8/R3K3 w - - 0 1")
    assert value(infos[-1], "cp") == "1000"


@pytest.mark.parametrize(
    ("fen", "words", "best", "mate"),
    [
        ("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "mate 1", "a1a8", "1"),
        ("7k/8/8/8/8/8/R7/1R2K3 w - - 0 1", "mate 2", "", "2"),
        ("7k/8/8/8/8/8/R7/1R2K3 w - - 0 1", "depth 9", "", "2"),
        ("7k/R7/8/8/8/8/8/1R2K3 b - - 0 1", "depth 9", "h8g8", "-1"),
    ],
)
def test_mate_scores(session: Session, fen: str, words: str, best: str, mate: str) -> None:
    found, infos = session.go(words, f"fen {fen}")
    assert value(infos[-1], "mate") == mate
    assert found == best or not best


def test_no_mate_is_reported_where_there_is_none(session: Session) -> None:
    best, infos = session.go("mate 2", "startpos")
    assert "mate" not in infos[-1]
    assert value(infos[-1], "depth") == "3"
    assert best


def test_finished_games(session: Session) -> None:
    best, infos = session.go("depth 3", "startpos moves f2f3 e7e5 g2g4 d8h4")
    assert (best, infos[-1]) == ("(none)", "info depth 0 score mate 0")
    best, infos = session.go("wtime 1000 btime 1000", "fen 7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
    assert (best, infos[-1]) == ("(none)", "info depth 0 score cp 0")
    best, _ = session.go("movetime 50", "fen 7k/8/8/8/8/8/8/K7 w - - 0 1")  # dead, but moves there are
    assert best in ("a1a2", "a1b1", "a1b2")


@pytest.mark.parametrize(
    "words", ["movetime 60", "wtime 1500 btime 100000", "wtime 3000 winc 20 movestogo 20", "wtime 1", "wtime -40"]
)
def test_time_limits(session: Session, words: str) -> None:
    best, _ = session.go(words)
    assert CHESS.start().parse_move(best) in CHESS.start().legal_moves()


def test_move_overhead_of_movetime(session: Session) -> None:
    """Up to half of the time is left for the way to the program; a tenth was less than a busy machine takes."""
    for overhead, movetime, searched in ((20, 100, 80), (20, 50, 30), (20, 30, 15), (300, 1000, 700), (0, 100, 100)):
        session.send(f"setoption name Move Overhead value {overhead}")
        session.go(f"movetime {movetime}")
        assert session.server._search is not None
        assert session.server._search.budget is not None
        assert session.server._search.budget.hard == pytest.approx(searched / 1000)


def test_combined_limits(session: Session) -> None:
    _, infos = session.go("nodes 5000 movetime 100000 depth 30")
    assert int(value(infos[-1], "nodes")) <= 5000
    best, infos = session.go("depth 2 wtime 900000 btime 1 nodes 100000000")
    assert value(infos[-1], "depth") == "2"
    assert best


@pytest.mark.parametrize("digits", ["9" * 15, "9" * 30])
@pytest.mark.parametrize(
    "words", ["movetime {}", "wtime {0} btime {0} winc {0} binc {0} movestogo {0}", "nodes {}", "depth {}", "mate {}"]
)
def test_huge_limits_do_not_end_the_search(session: Session, words: str, digits: str) -> None:
    """Neither before the first depth nor with an error: the move that follows `stop` was searched."""
    session.send("position startpos", f"go {words.format(digits)}")
    infos = session.until("info depth 3")
    session.send("stop")
    session.until("bestmove")
    assert all(info.startswith("info depth") for info in infos)
    session.send(f"go ponder {words.format(digits)}", "ponderhit")
    session.until("info depth 3")
    session.send("stop")
    session.until("bestmove")


def test_many_search_moves_do_not_delay_stop(session: Session) -> None:
    words = " ".join(f"x{number}" for number in range(10_000))
    session.send("position startpos", f"go infinite searchmoves {words} e2e4", "stop")
    assert len(session.until("bestmove")) < 1000


@pytest.mark.parametrize(
    "position",
    [
        "fen " + "8/" * 30_000,
        "fen " + "9" * 5000 + " w - - 0 1",
        "fen 4k3/8/8/8/8/8/4P3/4K3 w - - " + "9" * 5000 + " " + "9" * 5000,
        "fen 4k3/8/8/8/8/8/4P3/4K3 w - - -1 -1",
        "fen 4k3/8/8/8/8/8/4P3/4K3 w KQkq-HhAa" + "-" * 5000 + " e3 0 1",
        "fen 4k3/8/8/8/8/8/4P3/4K3 w - \ud800 0 1",
        "startpos moves " + "e2e4 " * 20_000,
        "startpos moves " + "x" * 100_000,
        "startpos moves " + "(" * 50_000,
    ],
)
def test_absurd_positions_are_refused_in_one_line(session: Session, position: str) -> None:
    session.send(f"position {position}")
    assert all(line.startswith("info string ") and len(line) < 1000 for line in session.lines)
    assert "internal error" not in "".join(session.lines)


def test_searchmoves(session: Session) -> None:
    assert session.go("depth 3 searchmoves a2a3")[0] == "a2a3"
    assert session.go("searchmoves h2h3 h2h4 depth 3")[0] in ("h2h3", "h2h4")
    assert session.go("depth 2 searchmoves e2e5")[0]
    assert any("info string go searchmoves" in line for line in session.lines)


def test_skill_level(session: Session) -> None:
    """A low level visits its number of nodes, shows one line, and does not always play the same move."""
    session.send("setoption name Skill Level value 2")
    moves, counts = set(), set()
    for _ in range(40):  # each is a blunder with 28 %
        best, infos = session.go("depth 6")
        moves.add(best)
        counts.update(int(value(info, "nodes")) for info in infos if " nodes " in info)
        assert not any(" multipv 2 " in info for info in infos)
    assert max(counts) <= 100
    assert len(moves) > 1
    session.send("setoption name Skill Level value 10")


def test_the_last_line_of_a_level_begins_with_its_move(session: Session) -> None:
    """Programs compare them; the lines of a depth show the best move, which a level need not choose."""
    session.send("setoption name Skill Level value 4", "setoption name Evaluation value material")
    counts = set()
    for _ in range(20):
        best, infos = session.go("depth 1")
        assert infos[-1].split(" pv ")[1].split()[0] == best
        assert " multipv 1 " in infos[-1]
        counts.add(len(infos))
    assert 2 in counts  # the best move, and the chosen one where it is another


def test_elo_limits_the_nodes(session: Session) -> None:
    session.send(f"setoption name UCI_Elo value {MIN_ELO}", "setoption name UCI_LimitStrength value true")
    _, infos = session.go("depth 30")
    assert 0 < max(int(value(info, "nodes")) for info in infos if " nodes " in info) <= nodes_for(MIN_ELO)
    session.send("setoption name UCI_LimitStrength value false")


def test_nodes_grow_with_elo() -> None:
    assert [*map(nodes_for, range(MIN_ELO, MAX_ELO + 1, 100))] == sorted(
        map(nodes_for, range(MIN_ELO, MAX_ELO + 1, 100))
    )


def test_win_draw_and_loss_are_shown(session: Session) -> None:
    """In thousandths, for the side to move, after each score; certain where the score is proven."""
    session.send("setoption name UCI_ShowWDL value true")
    for start, is_better in (("startpos", None), ("fen 4k3/8/8/8/8/8/8/Q3K3 w - - 0 1", True)):
        for info in session.go("depth 3", start)[1]:
            won, drawn, lost = map(int, info.split(" wdl ")[1].split()[:3])
            assert won + drawn + lost == 1000
            assert is_better is None or won > 900 > lost
            assert info.index(" score ") < info.index(" wdl ") < info.index(" nodes ")
    _, infos = session.go("depth 2", "fen 6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
    assert " score mate 1 wdl 1000 0 0 " in infos[-1]
    session.send("setoption name UCI_ShowWDL value false")


def test_extreme_scores_have_certain_results() -> None:
    assert win_draw_loss(20_000) == (1000, 0, 0)
    assert win_draw_loss(-20_000) == (0, 0, 1000)
    assert all(sum(win_draw_loss(score)) == 1000 for score in range(-20_000, 20_001, 10))
    # A win that only the quiescence search has seen: the exponential overflowed, and the first legal move was played.
    assert win_draw_loss(999_999) == (1000, 0, 0)
    assert win_draw_loss(-999_999) == (0, 0, 1000)


def test_wdl_of_a_win_that_is_not_proven(session: Session) -> None:
    session.send("setoption name UCI_ShowWDL value true", "setoption name MultiPV value 3", "isready")
    session.until("readyok")
    # In which of them a search finds a win before it proves the mate depends on the network.
    endgames = ("8/3k1n2/3P4/4q3", "8/3k4/3P4/4q3", "8/3k1n2/3P4/4rr2", "8/3k1n2/3P4/4qq2")
    infos = []
    for rows in endgames:
        infos += session.go("movetime 500", f"fen {rows}/8/1K6/8/2q5 b - - 1 1")[1]
    assert any(" score cp 20000 wdl 1000 0 0 " in info for info in infos)
    assert not any("internal error" in line for line in session.lines)


def test_multipv(session: Session) -> None:
    session.send("setoption name MultiPV value 3")
    best, infos = session.go("depth 3")
    last = [info for info in infos if value(info, "depth") == "3"]
    assert [value(info, "multipv") for info in last] == ["1", "2", "3"]
    firsts = [info.split(" pv ")[1].split()[0] for info in last]
    assert len(set(firsts)) == 3
    assert firsts[0] == best
    scores = [int(value(info, "cp")) for info in last]
    assert scores == sorted(scores, reverse=True)
    assert len([i for i in session.go("depth 2", "fen 7k/8/8/8/8/8/8/K6R b - - 0 1")[1] if " depth 2 " in i]) <= 3


def test_go_infinite_waits_for_stop(session: Session) -> None:
    session.send("position fen 6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "go infinite")
    session.until("info depth 1 ")  # a mate in one: the search ends at once
    assert session.is_silent("bestmove")
    session.send("isready")
    session.until("readyok")
    session.send("stop")
    assert session.until("bestmove")[-1].split()[1] == "a1a8"
    session.send("stop", "ponderhit", "isready")
    assert session.until("readyok") == ["readyok"]


def test_stop_ends_an_infinite_search(session: Session) -> None:
    session.send("isready")
    session.until("readyok")
    for _ in range(5):
        session.send("position startpos", "go infinite")
        session.until("info depth 3")
        session.send("stop")
        session.until("bestmove")


def test_stop_right_after_go(session: Session) -> None:
    for _ in range(30):
        session.send("go infinite", "stop")
        session.until("bestmove")
    session.send("go infinite", "go infinite", "stop")  # the second one stops the first
    session.until("bestmove")
    session.until("bestmove")


def test_pondering(session: Session) -> None:
    session.send("isready", "position startpos moves e2e4 e7e5", "go ponder wtime 400 btime 400 winc 10 binc 10")
    session.until("info depth 5")
    assert session.is_silent("bestmove", 0.6)
    session.send("ponderhit")
    session.until("bestmove")
    # Ponderhit right after the start: the clock runs from now on.
    session.send("position startpos", "go ponder wtime 2000 btime 2000", "ponderhit")
    session.until("bestmove")
    session.send("position startpos", "go ponder movetime 80", "ponderhit")
    session.until("bestmove")
    # Ponder miss: the GUI stops the search and ignores its move.
    session.send("position startpos", "go ponder wtime 2000 btime 2000", "stop")
    session.until("bestmove")
    # A ponder search that ends by itself sends its move after ponderhit.
    session.send("position fen 6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "go ponder depth 3")
    session.until("info depth 1 ")
    assert session.is_silent("bestmove")
    session.send("ponderhit")
    assert session.until("bestmove")[-1].split()[1] == "a1a8"


def test_bestmove_includes_the_ponder_move(session: Session) -> None:
    session.send("position startpos", "go depth 3")
    *infos, last = session.until("bestmove")
    words = last.split()
    assert [words[0], words[2]] == ["bestmove", "ponder"]
    assert infos[-1].split(" pv ")[1].split()[:2] == [words[1], words[3]]


def test_castling_notation(session: Session) -> None:
    position = "fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1"
    assert session.go("depth 1 searchmoves e1g1", position)[0] == "e1g1"
    assert session.go("depth 1 searchmoves e1h1", position)[0] == "e1g1"
    session.send("setoption name UCI_Chess960 value true")
    assert session.go("depth 1 searchmoves e1h1", position)[0] == "e1h1"
    shuffled = "fen bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9"
    assert session.go("depth 1 searchmoves g1f1", shuffled)[0]
    session.send("position startpos moves e2e4 e7e5 g1f3 b8c6 f1c4 f8c5 e1h1", "d")
    assert "RNBQ1RK1" in session.until("Fen:")[-1]


def test_repetitions_of_the_game_count(session: Session) -> None:
    # Black, a queen up, is to move: a3a2 repeats a position for the third time.
    fen, there_and_back = "6k1/8/8/8/8/8/q7/6K1 w - - 0 1", "g1h1 a2a3 h1g1 a3a2 g1h1 a2a3 h1g1"
    _, infos = session.go("depth 2 searchmoves a3a2", f"fen {fen} moves {there_and_back}")
    assert value(infos[-1], "cp") == "0"
    best, infos = session.go("depth 2", f"fen {fen} moves {there_and_back}")
    assert best != "a3a2"
    assert int(value(infos[-1], "cp")) > 300
    _, infos = session.go("depth 2 searchmoves a3a2", f"fen {session.server._state}")  # without the history
    assert int(value(infos[-1], "cp")) > 300


def test_incremental_positions_equal_one_position_command(session: Session) -> None:
    rng = random.Random(5)
    state: Any = CHESS.start()
    moves: list[str] = []
    other = Session(table=1 << 20)
    while not state.is_over() and len(moves) < 60:
        move = rng.choice(state.legal_moves())
        moves.append(notation.uci(state, move))
        state = state.play(move)
        session.send(f"position startpos moves {' '.join(moves)}")
    other.send(f"position startpos moves {' '.join(moves)}")
    assert session.server._state == other.server._state == state
    assert session.server._history.keys == other.server._history.keys
    assert session.server._history.occurrences == other.server._history.occurrences
    session.send(f"position startpos moves {' '.join(moves[:7])}")
    assert len(session.server._history) == 7
    session.send("position startpos")
    assert len(session.server._history) == 0
    other.server.close()


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "position startpos moves e2e4 e2e4",
            "info string position: move 2: 'e2e4' is not a legal move here; legal: a7a5 a7a6 b7b5",
        ),
        ("position fen 8/8/8/8/8/8/8/8 w - - 0 1", "info string Chess position: white has no king"),
        ("position fen", "info string position fen: expected a FEN"),
        ("position", "info string position: expected startpos or fen FEN"),
        ("position startpos e2e4", "info string position startpos: expected moves"),
        ("setoption name Hash value x", "info string Hash 'x': expected an integer from 1 to 65536"),
        ("setoption name Threads value 0", "info string Threads must be from 1 to 256 (got 0)"),
        ("setoption name Hash value 99999999999999", "info string Hash '99999999999999': expected an integer"),
        ("setoption name Ponder value maybe", "info string Ponder 'maybe': expected true or false"),
        (
            "setoption name Evaluation value deep",
            "info string Evaluation 'deep': expected one of positional, material, network",
        ),
        ("setoption name Contempt value 3", "info string unknown option 'Contempt'; options: Hash, Threads"),
        ("setoption", "info string unknown option ''"),
        ("fly", "info string 'fly' is not a command"),
    ],
)
def test_errors_are_reported_and_the_position_is_kept(session: Session, line: str, expected: str) -> None:
    session.send("position startpos moves d2d4")
    before = session.server._state
    session.send(line)
    assert session.lines[-1].startswith(expected)
    assert session.server._state == before
    session.send("go depth 1")
    session.until("bestmove")


def test_unknown_words_are_ignored(session: Session) -> None:
    session.send("joho isready")
    session.until("readyok")
    session.send("go depth 1 really now")
    assert "info string go: unknown parameter 'really' ignored" in session.until("bestmove")
    session.send("register later", "debug on", "debug off", "", "   ")
    assert not session.server.command("please quit")


def test_options_take_effect(session: Session) -> None:
    session.send("setoption name Hash value 2", "setoption name Threads value 2", "go depth 4")
    session.until("bestmove")
    assert session.server._engine is not None
    assert session.server._engine.threads == 2
    first = session.server._engine
    session.send("setoption name Clear Hash", "go depth 1")
    session.until("bestmove")
    assert session.server._engine is not first
    first = session.server._engine
    session.send("ucinewgame", "go depth 1")
    session.until("bestmove")
    assert session.server._engine is not first


def test_a_table_that_does_not_fit_is_reported(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(table: int, threads: int) -> Engine:
        if table > 1 << 20:
            raise LimitError("a table of this size does not fit into this machine's memory")
        return Engine(table, threads)

    monkeypatch.setattr("zermelo.protocols.uci_server.Engine", refusing)
    session.send("setoption name Hash value 65536", "go depth 1")
    assert any("does not fit" in line for line in session.until("bestmove"))


def test_perft(session: Session) -> None:
    session.send("position startpos", "go perft 4")
    *parts, last = session.until("Nodes searched")
    assert last == "Nodes searched: 197281"
    assert "e2e4: 13160" in parts
    assert len(parts) == 20
    session.send("go perft 0")
    assert session.until("Nodes searched")[-1] == "Nodes searched: 1"
    session.send("go perft 40", "stop")
    session.until("Nodes searched (stopped)")


def test_commands_for_debugging(session: Session) -> None:
    session.send("position startpos moves e2e4", "eval", "d")
    lines = session.until("Fen:")
    assert re.fullmatch(r"info string network [+-][0-9.]+ for white", lines[0])
    session.send("setoption name Evaluation value material", "eval")
    assert session.lines[-1] == "info string material +0.00 for white"
    session.send("setoption name UCI_LimitStrength value true", "eval")
    assert session.lines[-1].startswith("info string positional +0.")
    assert lines[-1] == "Fen: rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1"


def test_stop_is_answered_during_compilation(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    released, prepare = threading.Event(), UciServer._prepare

    def prepare_slowly(server: UciServer, *arguments: object) -> None:
        released.wait()
        prepare(server, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(UciServer, "_prepare", prepare_slowly)
    session.send("isready", "isready", "go infinite", "stop")
    best = session.until("bestmove")[-1].split()[1]
    assert CHESS.start().parse_move(best) in CHESS.start().legal_moves()
    session.send("go wtime 300 btime 300")  # no time to wait for the compilation
    session.until("bestmove")
    assert not any(line == "readyok" for line in session.lines)
    assert session.server.is_busy
    released.set()
    session.until("readyok")
    session.until("readyok")
    assert session.go("depth 2")[0]


def test_an_internal_error_does_not_lose_the_game(session: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*_: object, **__: object) -> None:
        raise RuntimeError("on purpose")

    monkeypatch.setattr(Engine, "analysis", failing)
    session.send("go depth 3")
    lines = session.until("bestmove")
    assert any("RuntimeError: on purpose" in line for line in lines)
    assert lines[-1] != "bestmove (none)"


TOKENS = split(
    """position startpos fen moves e2e4 e7e5 e1g1 a7a8q go depth 1 2 nodes 50 movetime 3 wtime -1 btime 7 winc
    searchmoves ponder ponderhit stop isready uci setoption name value Hash MultiPV 0 99999999999
    8/8/8/8/8/8/8/8 4k3/8/8/8/8/8/4P3/4K3 w b - KQkq register debug on mate perft 3 true UCI_Chess960
    \ufffd \u265e \u00e9 , // ''"""
)


def garbage(rng: random.Random) -> str:
    kind = rng.random()
    if kind < 0.2:
        return "".join(chr(rng.choice((rng.randrange(1, 128), rng.randrange(1, 0xD000)))) for _ in range(30))
    if kind < 0.25:
        return rng.choice(TOKENS) * rng.randrange(2000)
    return " ".join(rng.choice(TOKENS) for _ in range(rng.randrange(1, 14)))


def survives(session: Session, lines: int, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(lines):
        line = garbage(rng)
        if "quit" not in line.split():
            session.send(line, "stop")
    assert not any("internal error" in line for line in session.lines)
    assert all(line and "\n" not in line for line in session.lines)
    session.send("stop", "setoption name MultiPV value 1", "setoption name UCI_Chess960 value false")
    assert session.go("depth 2")[0] in {notation.uci(Chess(), move) for move in Chess().legal_moves()}


def test_garbage(session: Session) -> None:
    survives(session, 1000, 1)


@pytest.mark.nightly
def test_much_garbage(session: Session) -> None:
    survives(session, 20_000, 2)


# ---- the command --------------------------------------------------------------------------------------------


PROGRAM = [sys.executable, "-c", "import sys; from zermelo.cli import main; sys.exit(main())"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="/dev/full is a device of Linux")
def test_a_log_on_a_full_disk_does_not_end_the_engine() -> None:
    done = subprocess.run(
        [*PROGRAM, "uci", "--log", "/dev/full"], input="uci\nquit\n", capture_output=True, text=True, timeout=TIMEOUT
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("uciok\n")


@pytest.mark.skipif(os.name != "posix", reason="needs FIFOs")
@pytest.mark.parametrize("command", [["uci"], ["gtp", "go"], ["nboard"]])
def test_a_log_must_be_a_file(command: list[str], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    for name, reason in (("fifo", "not a regular file but a FIFO"), (".", "is a directory, not a file")):
        words = [*PROGRAM, *command, "--log", name]
        done = subprocess.run(
            words, input="quit\n", capture_output=True, text=True, timeout=TIMEOUT, cwd=tmp_path, check=False
        )
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr == f"zermelo: --log {name}: {reason}\n"


def test_a_session_of_the_program(tmp_path: Path) -> None:
    log = tmp_path / "transcript"
    typed = "uci\nisready\nposition startpos moves e2e4\ngo nodes 20000\nisready\n" + "x" * 300_000 + "\n"
    process = subprocess.Popen(
        [*PROGRAM, "uci", "--table", "4M", "--log", str(log)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
    )
    assert process.stdin is not None
    assert process.stdout is not None
    with process:
        process.stdin.write(typed)
        process.stdin.flush()
        lines: list[str] = []
        while not lines or not lines[-1].startswith("bestmove"):
            lines.append(process.stdout.readline().rstrip("\n"))
            assert lines[-1] or lines == [""]
        process.stdin.write("position startpos\ngo infinite\n")
        process.stdin.close()  # the GUI has exited
        rest = process.stdout.read()
        assert process.wait(TIMEOUT) == 0
    assert rest.splitlines()[-1].startswith("bestmove ")  # the search sends its move before the end
    assert "option name Hash type spin default 4 min 1 max 65536" in lines
    said = [*lines, *rest.splitlines()]  # `readyok` waits for the selective search, which the first `go` is not
    assert said.index("uciok") < said.index("readyok")
    assert re.fullmatch(r"bestmove [a-h][1-8][a-h][1-8]( ponder [a-h][1-8][a-h][1-8])?", lines[-1])
    assert "info string 'xxxxxxxxxxxxxxxxx...' is not a command" in "\n".join(lines) + rest
    transcript = log.read_text(encoding="utf-8").splitlines()
    assert transcript[0] == "> uci"
    assert "> go infinite" in transcript
    assert "< uciok" in transcript


def test_isready_waits_for_the_search_of_the_level(session: Session) -> None:
    """It waited for the selective search, which levels below the highest do not use."""
    session.send("setoption name Skill Level value 1", "isready")
    session.until("readyok")
    assert [*session.server._preparations] == [("network", False)]


def test_a_search_whose_code_is_missing_is_replaced_by_one_that_is_loaded() -> None:
    """It played the first legal move."""
    session = Session()
    session.send("setoption name Evaluation value material", "isready")
    session.until("readyok")
    session.server._preparations[MEASURED_EVALUATION, True] = _Preparation()  # never done
    session.send(
        "setoption name UCI_LimitStrength value true", "position startpos moves f2f3 e7e5 g2g4", "go movetime 1000"
    )
    lines = session.until("bestmove")
    assert lines[0] == "info string still compiling for positional, selective; searching with material, selective"
    assert "mate 1" in lines[-2]
    assert lines[-1] == "bestmove d8h4"
    session.server._preparations["material", True].failed = True
    session.send("go movetime 100")
    assert "no time to search: still compiling" in session.until("bestmove")[0]
    session.server.close()


def test_an_endgame_table_answers_before_the_code_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    state = Chess.parse("8/8/8/8/8/1k6/7q/K7 b - - 0 1")
    searched = Engine("64K").analyse(state, depth=2, evaluation="material")
    monkeypatch.setattr(endgame_tables, "answer", lambda request: replace(searched, depth=0, reason="table"))
    session = Session()
    session.server._preparations["network", True] = _Preparation()  # never done
    session.send(f"position fen {state}", "go movetime 1000")
    lines = session.until("bestmove")
    assert lines[-1].split()[1] == notation.uci(state, searched.move)
    assert not [line for line in lines if "compiling" in line]
    session.server.close()


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_isready_allocates_the_table(session: Session) -> None:
    """The system gave its memory to the first search of a game, whose clock ran."""

    def resident() -> int:
        return int(Path("/proc/self/statm").read_text().split()[1]) * mmap.PAGESIZE >> 20

    session.send("isready")
    session.until("readyok")
    before = resident()
    session.send("setoption name Hash value 128")
    assert resident() < before + 20
    session.send("isready")
    session.until("readyok")
    assert resident() > before + 100


def test_isready_before_the_end_of_input_is_answered() -> None:
    done = subprocess.run(
        [*PROGRAM, "uci", "--table", "1M"], input="isready\nisready\n", capture_output=True, text=True, check=False
    )
    lines = [line for line in done.stdout.splitlines() if not line.startswith("info string compiling")]
    assert (done.returncode, lines) == (0, ["readyok", "readyok"])


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("typed", ["uci\n", "isready\n", "position startpos\ngo depth 1\n"])
def test_a_full_output_ends_the_engine(typed: str) -> None:
    """Though its input stays open."""
    with open("/dev/full", "wb") as full:
        process = subprocess.Popen(
            [*PROGRAM, "uci", "--table", "1M"],
            stdin=subprocess.PIPE, stdout=full, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
    assert process.stdin is not None
    assert process.stderr is not None
    with process:
        process.stdin.write(typed)
        process.stdin.flush()
        assert process.stderr.read() == "zermelo: standard output: No space left on device\n"
        assert process.wait(TIMEOUT) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX pipes")
def test_a_closed_output_ends_the_engine() -> None:
    process = subprocess.Popen(
        [*PROGRAM, "uci", "--table", "1M"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    with process:
        process.stdout.close()
        process.stdin.write("isready\n")
        process.stdin.flush()
        assert process.stderr.read() == ""
        assert process.wait(TIMEOUT) == 1


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--threads", "0"), "threads must be from 1 to 256 (got 0)"),
        (("--table", "lots"), "--table must be a number of bytes like 64M, 1G or 500K (got 'lots')"),
        (("--table", "1K"), "table must be from 1M to 64G (got 1,024 bytes)"),
        (("--evaluation", "deep"), "evaluation 'deep': expected one of positional, material, network"),
        (("--evaluation", "no/such.weights"), "zermelo: no/such.weights: No such file or directory"),
        (("--log", "no/such/folder/log"), "--log no/such/folder/log: No such file or directory"),
    ],
)
def test_bad_options(zermelo_uci: Callable[..., tuple[int, str]], options: tuple[str, ...], expected: str) -> None:
    code, output = zermelo_uci(*options)
    assert code == 2
    assert expected in output
    assert output.count("\n") == 1


@pytest.fixture
def zermelo_uci(capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str]]:
    from zermelo.cli import main

    def run(*options: str) -> tuple[int, str]:
        return main(["uci", *options]), capsys.readouterr().err

    return run


def test_it_plays_through_our_own_client() -> None:
    player = f"uci:start=200:{shlex.quote(sys.executable)} -m zermelo uci --table 1M"
    job = GameJob(
        0, "chess", (player, player), ("white", "black"), start="6k1/5ppp/8/8/8/8/5PPP/R5K1 w - - 0 1",
        controls=("clock=60+1", "nodes=3000"), max_plies=6,
    )  # fmt: skip
    played = play(job)
    assert played.forfeited_by is None, (played.termination, played.detail)
    assert len(played.moves) == 6 or played.utility is not None


# python-chess's engine module, run by a Python that has it installed.
CLIENT = """
import json, sys
import chess, chess.engine
engine = chess.engine.SimpleEngine.popen_uci(json.loads(sys.argv[1]), timeout=120)
engine.configure({"Hash": 16})
report = {"name": engine.id["name"], "games": []}
for chess960, number in ((False, 518), (True, 100), (True, 700)):
    board = chess.Board.from_chess960_pos(number) if chess960 else chess.Board()
    while not board.is_game_over() and len(board.move_stack) < 60:
        limit = (
            chess.engine.Limit(white_clock=5, black_clock=5, white_inc=0.05, black_inc=0.05),
            chess.engine.Limit(depth=3), chess.engine.Limit(nodes=2000), chess.engine.Limit(time=0.03),
        )[len(board.move_stack) % 4]
        played = engine.play(board, limit, info=chess.engine.INFO_ALL, ponder=len(board.move_stack) % 3 == 0)
        assert played.move in board.legal_moves, (board.fen(), played)
        board.push(played.move)
    report["games"].append(len(board.move_stack))
board = chess.Board("6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1")
info = engine.analyse(board, chess.engine.Limit(mate=1))
report["mate"] = info["score"].white().mate()
lines = engine.analyse(chess.Board(), chess.engine.Limit(depth=4), multipv=3)
report["lines"] = len({line["pv"][0] for line in lines})
some = engine.play(chess.Board(), chess.engine.Limit(depth=2), root_moves=[chess.Move.from_uci("a2a4")])
report["root"] = some.move.uci()
with engine.analysis(chess.Board()) as analysis:
    for info in analysis:
        if info.get("depth", 0) >= 4:
            break
report["stopped"] = analysis.wait().move is not None
engine.quit()
print(json.dumps(report))
"""


@pytest.mark.nightly
def test_python_chess_plays_with_it() -> None:
    python = python_with_chess()
    command = json.dumps([*PROGRAM, "uci"])
    done = subprocess.run([python, "-c", CLIENT, command], capture_output=True, text=True, check=False, timeout=500)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["name"].startswith("Zermelo")
    assert min(report["games"]) > 5
    assert (report["mate"], report["lines"], report["root"], report["stopped"]) == (1, 3, "a2a4", True)
