"""Teachers (`zermelo.learn.teachers`): their answers, their failures, and positions labelled by them."""

from __future__ import annotations

import random
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from zermelo import load
from zermelo.core.history import PositionHistory, allowed_moves
from zermelo.errors import LimitError, UnknownGame, ZermeloError
from zermelo.games.backgammon import Backgammon
from zermelo.games.othello import Othello
from zermelo.learn import generate_positions, load_positions
from zermelo.learn.fitting import FitOptions, label_factor, targets, with_labels_for
from zermelo.learn.gtp_teacher import GtpTeacher
from zermelo.learn.position_file import RESULTS, Positions, words_of_state
from zermelo.learn.teachers import Gnubg, check_teacher
from zermelo.learn.uci_teacher import UciTeacher

#: Takes the place of GNU Backgammon: the equity is the length of the position's text in tenths, or what `says` holds.
ANSWERS = """
import sys
print("GNU Backgammon")
for line in sys.stdin:
    number, *positions = line.split()
    print("equities", number, *{says}, flush=True)
"""

#: A UCI engine: the score is half a pawn for the side to move, and a mate after 1. e4 e5. It ends itself after `dies`
#: searches.
UCI_ENGINE = """
import sys
searches = 0
for line in sys.stdin:
    word, *rest = line.split()
    if word == "uci":
        print("id name Taught\\noption name Hash type spin default 16 min 1 max 64\\nuciok", flush=True)
    elif word == "isready":
        print("readyok", flush=True)
    elif word == "position":
        placement = rest[1]
    elif word == "go":
        searches += 1
        if searches > {dies}:
            sys.exit(3)
        is_mate = "4p3" in placement
        move = "e1g1" if placement.endswith("4K2R") else "g1f3" if is_mate else "{move}"
        print("info depth 1 score cp 25 lowerbound\\ninfo depth 1 score cp 25\\ninfo string", line.strip())
        print("info depth 2 score", "mate 2" if is_mate else "cp 50", "pv", move)
        print("bestmove", move, flush=True)
"""
#: A UCI engine that knows the initial position.
UCI_LINES = """
import sys
for line in sys.stdin:
    if line == "uci\\n":
        print("option name MultiPV type spin default 1 min 1 max 9\\nuciok", flush=True)
    elif line == "isready\\n":
        print("readyok", flush=True)
    elif line == "go depth 3\\n":
        print("info depth 1 multipv 1 score cp 1 pv a2a3\\ninfo depth 3 multipv 1 score cp 30 nodes 9 pv e2e4 e7e5")
        print("info depth 3 multipv 2 score cp -20 pv d2d4 d7d5\\ninfo depth 3 multipv 3 score cp -30 pv g1f3")
        print("bestmove e2e4", flush=True)
"""
#: A GTP engine of Othello that plays its first legal move. After some moves it says `ending` instead.
GTP_ENGINE = """
import sys
from zermelo.games.othello import Othello
state, moves = Othello.start(), 0
for line in sys.stdin:
    number, word, *rest = line.split()
    answer = ""
    if word == "list_commands":
        answer = "boardsize\\nclear_board\\nplay\\ngenmove"
    elif word == "clear_board":
        state = Othello.start()
    elif word == "play":
        state = state.after(rest[1].lower())
    elif word == "genmove":
        moves += 1
        if moves > {most}:
            answer = "{ending}"
            if not answer:
                sys.exit(3)
        else:
            move = state.legal_moves()[0]
            answer, state = state.move_name(move), state.play(move)
    print(f"={{number}} {{answer}}\\n", flush=True)
"""


def gtp_engine(folder: Path, most: int = 10_000, ending: str = "") -> str:
    """The spec of a GTP teacher."""
    script = folder / "moves.py"
    script.write_text(GTP_ENGINE.format(most=most, ending=ending))
    return f"gtp:{sys.executable} {script}"


def uci_engine(folder: Path, dies: int = 1000, move: str = "e2e4") -> str:
    """The spec of a UCI teacher."""
    script = folder / "taught.py"
    script.write_text(UCI_ENGINE.format(dies=dies, move=move))
    return f"uci:depth=2,Hash=1:{sys.executable} {script}"


def install(
    folder: Path, monkeypatch: pytest.MonkeyPatch, says: str = "[len(text) / 10 for text in positions]"
) -> None:
    """A program `gnubg` on the PATH."""
    script = folder / "gnubg"
    script.write_text(f"#!{sys.executable}\n{ANSWERS.format(says=says)}")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))


def test_equities_become_scores_of_max(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch)
    states = [Backgammon.parse("4HPwATDgc/ABMA"), Backgammon.parse("31 8/5 6/5")]
    with Gnubg() as teacher:
        assert teacher.equities(states) == [1.4, 1.4]
        assert teacher.equities([]) == []
        # In thousandths of a point; after X's play O rolls.
        found = teacher.labels(states, Backgammon.evaluations["pips"])
        assert [[(each.score, each.best) for each in row] for row in found] == [[(1400, -1)], [(-1400, -1)]]


@pytest.mark.parametrize(
    ("says", "problem"),
    [("[1]", "2 positions, but 1 answers"), ("sys.exit(3)", "teacher failed: gnubg"), ("['x']", "not")],
)
def test_a_teacher_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str, problem: str) -> None:
    install(tmp_path, monkeypatch, says)
    with Gnubg() as teacher, pytest.raises(ZermeloError, match=problem):
        teacher.equities([Backgammon.parse("31")] * 2)


@pytest.mark.quick
def test_specs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch)
    monkeypatch.setattr("zermelo.learn.teachers.find_spec", lambda name: object())
    for spec in ("gnubg", "gnubg-nn:plies=2"):
        check_teacher(spec, Backgammon)
    for spec in ("gnubg:plies=9", "stockfish"):
        with pytest.raises(UnknownGame, match="unknown teacher"):
            check_teacher(spec, Backgammon)
    check_teacher(f"gtp:{sys.executable}", load("go"))
    with pytest.raises(UnknownGame, match="engines teach Go, Go19, Othello only"):
        check_teacher("gtp:gnugo", load("chess"))
    with pytest.raises(LimitError, match="gtp: unknown option 'Level'; expected memory=, start=, processor="):
        check_teacher(f"gtp:Level=3:{sys.executable}", load("go"))
    with pytest.raises(UnknownGame, match="teaches backgammon only"):
        check_teacher("gnubg", load("chess"))
    with pytest.raises(UnknownGame, match="engines teach chess only"):
        check_teacher("uci:stockfish", Backgammon)
    with pytest.raises(UnknownGame, match="engine not found on PATH"):
        check_teacher("uci:none-such", load("chess"))
    with pytest.raises(LimitError, match="depth='0': expected an integer from 1"):
        check_teacher(f"uci:depth=0:{sys.executable}", load("chess"))
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr("zermelo.learn.teachers.GAMES_FOLDERS", ())
    with pytest.raises(ZermeloError, match="teacher not found: gnubg is not on PATH"), Gnubg():
        pass
    with pytest.raises(ZermeloError, match="teacher not found: gnubg is not on PATH"):  # before any game is played
        check_teacher("gnubg", Backgammon)
    monkeypatch.setattr("zermelo.learn.teachers.find_spec", lambda name: None)
    with pytest.raises(ZermeloError, match="teacher not found: the package gnubg-nn is not installed"):
        check_teacher("gnubg-nn:plies=1", Backgammon)


@pytest.mark.long
def test_games_of_a_teacher_of_moves(tmp_path: Path) -> None:
    """It moves after the opening; the labels are the results, and with solved endings their values."""
    out = tmp_path / "moves.positions"
    options = {"games": 3, "random_plies": (2, 5), "evaluation": "patterns", "teacher": gtp_engine(tmp_path), "seed": 4}
    generate_positions("othello", out, **options)
    found = load_positions(out, Othello)
    assert len(found) > 150
    for row in range(len(found)):
        state = found.state(row, Othello)
        assert found.played[row] == found.best[row] == state.legal_moves()[0]
        assert found.score[row] == found.result[row]
        assert found.exact[row] == found.depth[row] == 0
        if row + 1 == len(found) or found.game[row + 1] != found.game[row]:  # by the rules, from the last position on
            while not state.is_over():
                state = state.play(state.legal_moves()[0])
            assert state.utility() == found.result[row]
    generate_positions("othello", out, **options, solve_plies=6, mix=0.2, overwrite=True)
    found = load_positions(out, Othello)
    assert found.exact.sum() >= 3 * 4
    assert (found.score == found.result).all()


@pytest.mark.quick
def test_results_of_games_are_labels_of_any_evaluation() -> None:
    """Positions that a GTP engine played are fitted to the results, in units of the evaluation and loss."""
    state = Othello.start()
    columns = {"score": 12, "exact": 0, "result": 12, "ply": 0, "game": 0, "depth": 0, "best": 19, "played": 19}
    positions = Positions(
        states=np.array([words_of_state(state)]), **{name: np.array([value]) for name, value in columns.items()},
        evaluation=RESULTS,
    )  # fmt: skip
    for name, units in (("patterns", 1), ("mobility", 100)):
        found = with_labels_for(Othello.evaluations[name], Othello, positions, FitOptions())
        assert found.score.tolist() == [12 * units]
        assert label_factor(Othello.evaluations[name], Othello, RESULTS, FitOptions()) == 1
    options = FitOptions(loss="logistic")
    found = with_labels_for(Othello.evaluations["mobility"], Othello, positions, options)
    assert targets(found, Othello, options, 100.0).tolist() == [1]
    solved = replace(positions, exact=np.array([1]))
    assert with_labels_for(Othello.evaluations["mobility"], Othello, solved, FitOptions()).score.tolist() == [12]


@pytest.mark.quick
def test_a_gtp_engine_may_not_repeat_a_position(monkeypatch: pytest.MonkeyPatch) -> None:
    go = load("go")
    teacher = GtpTeacher(sys.executable, go)
    source = random.Random(1)
    states = [go.parse("2x2")]
    while set(allowed_moves(states[-1], PositionHistory(states[:-1]))) == set(states[-1].legal_moves()):
        states = [go.parse("2x2")] if states[-1].passes == 1 else states
        states.append(states[-1].play(source.choice(states[-1].legal_moves())))
    take = min(set(states[-1].legal_moves()) - set(allowed_moves(states[-1], PositionHistory(states[:-1]))))
    monkeypatch.setattr(teacher, "_gtp", SimpleNamespace(genmove=lambda state, deadline: take), raising=False)
    monkeypatch.setattr(teacher, "_program", SimpleNamespace(close=lambda: None), raising=False)
    with pytest.raises(ZermeloError, match=r"teacher failed: .* is not allowed here: .*\(superko\)"):
        teacher.choose(states[-1], PositionHistory(states[:-1]))


@pytest.mark.long
@pytest.mark.parametrize(
    ("ending", "problem"),
    [
        ("resign", "it resigned in .*; turn off resignation in its command"),
        ("", "moves.py: .*exit"),
        ("a1", "moves.py: illegal move: 'a1'"),
    ],
)
def test_a_teacher_of_moves_that_fails(tmp_path: Path, ending: str, problem: str) -> None:
    out = tmp_path / "moves.positions"
    with pytest.raises(ZermeloError, match=problem):
        generate_positions("othello", out, games=9, evaluation="patterns", teacher=gtp_engine(tmp_path, 30, ending))
    assert not out.exists()
    gtp_engine(tmp_path)  # mended, and started again
    assert generate_positions("othello", out, games=9, evaluation="patterns", teacher=gtp_engine(tmp_path)).games == 9


@pytest.mark.long
def test_positions_labelled_by_a_teacher(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch)
    out = tmp_path / "taught.positions"
    options = {"games": 2, "depths": (1,), "random_plies": (0, 2), "evaluation": "pips", "teacher": "gnubg", "seed": 4}
    generate_positions("backgammon", out, **options)
    found = load_positions(out, Backgammon)
    assert len(found) > 60
    assert set(abs(found.score).tolist()) == {1400}
    states = [found.state(row, Backgammon) for row in range(len(found))]
    assert all(state.dice == 0 and state.turn and not state.is_over() for state in states)
    assert [state.turn * 1400 for state in states] == found.score.tolist()
    # Half of them follow moves that were not played.
    assert 0.3 < (found.played < 0).mean() < 0.6
    text = tmp_path / "taught.csv"
    generate_positions("backgammon", text, **options)
    assert len(text.read_text().splitlines()) == len(found) + 1


def test_scores_of_a_uci_engine_become_scores_of_white(tmp_path: Path) -> None:
    cls = load("chess")
    start = cls.start()
    e4 = start.play(start.parse_move("e4"))
    open_game = e4.play(e4.parse_move("e5"))
    castling = cls.parse("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    with UciTeacher(uci_engine(tmp_path).removeprefix("uci:"), cls) as teacher:
        found = [row[0] for row in teacher.labels([start, open_game, castling], cls.evaluations["positional"])]
        assert [each.score for each in found] == [50, 29_998, 50]
        assert [state.move_name(each.best) for state, each in zip((start, castling), found[::2], strict=True)] == [
            "e4", "O-O",
        ]  # fmt: skip
        assert [each.state for each in found] == [start, open_game, castling]
        with pytest.raises(ZermeloError, match=r"teacher failed: .*taught.py: .*legal move here"):
            teacher.labels([e4], cls.evaluations["positional"])


def test_multipv_also_labels_the_positions_after_moves(tmp_path: Path) -> None:
    script = tmp_path / "lines.py"
    script.write_text(UCI_LINES)
    cls = load("chess")
    start = cls.start()
    evaluation = cls.evaluations["positional"]
    spec = f"batch=2,MultiPV=3:{sys.executable} {script}"
    with UciTeacher(spec, cls) as teacher:
        found = teacher.labels([start] * 3, evaluation)
    after = [start.after("e4"), start.after("d4")]
    # The third line has no reply, so the best move after it is unknown.
    assert [[(each.state, each.score) for each in row] for row in found] == [
        [(start, 30), (after[0], 30), (after[1], -20)]
    ] * 3
    assert [each.state.move_name(each.best) for each in found[0]] == ["e4", "e5", "d5"]
    assert found[0] == found[2]


@pytest.mark.long
def test_a_uci_engine_that_dies_is_named_and_the_positions_are_kept(tmp_path: Path) -> None:
    out = tmp_path / "taught.positions"
    # One position of each game is labelled, after a random move of white; 8 games are a batch.
    options = {"games": 20, "random_plies": (1, 1), "max_plies": 2, "seed": 4, "depths": (1,)}
    spec = uci_engine(tmp_path, dies=12, move="a7a6")
    with pytest.raises(ZermeloError, match=r"teacher failed: depth=2,Hash=1:.*taught.py"):
        generate_positions("chess", out, **options, teacher=spec)
    part = tmp_path / "taught.positions.part"
    assert not out.exists()
    assert len(part.read_text().splitlines()) == 2
    uci_engine(tmp_path, move="a7a6")
    assert generate_positions("chess", out, **options, teacher=spec).resumed_games == 8
    assert load_positions(out, load("chess")).score.tolist() == [-50] * 20
