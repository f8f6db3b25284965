"""Scripts of `benchmarks/`: bad input, and what they compute themselves."""

from __future__ import annotations

import json
import re
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

import zermelo
from zermelo.arena.store import Store
from zermelo.search.engine import Engine

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
WAC = "2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - bm Qg6; id WAC.001;"


#: A program that speaks DarkHorse's protocol and plays the last legal move.
DARKHORSE = f"""#!{sys.executable}
import sys
sys.path.insert(0, {str(BENCHMARKS)!r})
from darkhorse import converted
from zermelo.games.checkers import Checkers

for line in sys.stdin:
    match line.split():
        case ["init", _]:
            print("init_ready", flush=True)
        case ["new_game", text]:
            pieces = {{"W": [], "B": []}}
            for number, each in enumerate(text[:32], 1):
                if each != "0":
                    pieces["BWBW"[int(each) - 1]].append("K" * (each > "2") + str(number))
            state = Checkers.parse(f"{{text[32]}}:W{{','.join(pieces['W'])}}:B{{','.join(pieces['B'])}}")
            print("game_ready", flush=True)
        case ["new_move", *squares, "end_move"]:
            origin, target, *captured = map(int, squares)
            move = next(m for m in state.legal_moves() if converted(state, m) == (origin, target, set(captured)))
            state = state.play(move)
            print("update_ready", flush=True)
        case ["search", "10"]:
            move = state.legal_moves()[-1]
            found = converted(state, move)
            state = state.play(move)
            print("new_move", found.origin, found.target, *found.captured, "end_move", sep="\\n", flush=True)
"""


@pytest.fixture(autouse=True)
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with files of positions, and the scripts' modules on the path."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    Path("start.fen").write_text(f"{START}\n")
    Path("suite.epd").write_text(f"{WAC}\n")
    Path("ballots.fen").write_text("W:W18,21,23-32:B1-8,10,11,12,13\n")
    Path("darkhorse").write_text(DARKHORSE)
    Path("darkhorse").chmod(0o755)
    Path("empty.fen").write_text("# nothing\n\n")
    Path("wrong.fen").write_text("rnbqkbnr w\n")
    Path("illegal.epd").write_text(f"{START} bm Qh8; id here;\n")
    Path("damaged.jsonl").write_text('{"number": 0, "result": 1}\n{"number": 1, "result": 5}\n')


def run(monkeypatch: pytest.MonkeyPatch, name: str, *words: str) -> int:
    """Run a script in this process; returns its exit code."""
    monkeypatch.setattr(sys, "argv", [f"benchmarks/{name}", *words])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(BENCHMARKS / name), run_name="__main__")
    return int(ended.value.code or 0)


def module(name: str) -> dict[str, Any]:
    """What a script defines."""
    return runpy.run_path(str(BENCHMARKS / name))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("chess_suites.py nosuch.epd", "nosuch.epd: No such file"),
        ("chess_suites.py empty.fen", "empty.fen: no positions"),
        ("chess_suites.py suite.epd --evaluation nosuch", "nosuch"),
        ("chess_suites.py start.fen", "start.fen: position 1 has neither bm nor am"),
        ("chess_suites.py illegal.epd", "illegal.epd: game 1, line 1: operation bm: 'Qh8'"),
        ("chess_suites.py suite.epd --seconds -1", "seconds must be above 0 and finite (got -1.0)"),
        ("chess_suites.py suite.epd --seconds nan", "seconds must be above 0 and finite (got nan)"),
        ("chess_suites.py suite.epd --first 0", "--first must be at least 1 (got 0)"),
        ("selective_features.py nosuch.fen", "nosuch.fen: No such file"),
        ("darkhorse.py nosuch ballots.fen", "program not found: nosuch"),
        ("darkhorse.py ./darkhorse ballots.fen --games 0", "games must be"),
        ("darkhorse.py ./darkhorse ballots.fen --seconds 0", "seconds"),
        ("darkhorse.py ./darkhorse ballots.fen --store damaged.jsonl", "damaged.jsonl: "),
        ("darkhorse.py true ballots.fen", "DarkHorse ended before init_ready"),
        ("selective_features.py nosuch.fen --depth 3", "nosuch.fen: No such file"),
        ("selective_features.py empty.fen", "empty.fen: no positions"),
        ("selective_features.py wrong.fen", "wrong.fen: "),
        ("selective_features.py start.fen --without nosuch=0", "nosuch"),
        ("selective_features.py start.fen --without null_move_depth", "null_move_depth: expected exact or NAME=VALUE"),
        ("selective_features.py start.fen --evaluation nosuch", "nosuch"),
        ("selective_features.py start.fen --game nosuch", "nosuch"),
        ("selective_features.py start.fen --sprt 5", "--sprt 5: expected ELO0,ELO1"),
        ("selective_features.py start.fen --adjudicate never", "adjudication 'never'"),
        ("selective_features.py start.fen --skip -1", "--skip must be at least 0 (got -1)"),
        ("selective_features.py start.fen --store start.fen", "start.fen: line 1 is not a game of this script"),
        ("selective_features.py start.fen --store damaged.jsonl", "damaged.jsonl: line 2 is not a game of this script"),
        ("matches.py nosuch.fen --against exact", "file not found: nosuch.fen"),
        ("matches.py plies=many --against exact", "plies=many"),
        ("matches.py empty.fen --against exact", "empty.fen"),
        ("matches.py --against nosuch", "--against nosuch: unknown opponent; expected one of gnuchess"),
        ("matches.py --against gnuchess:1500", "gnuchess has no levels"),
        ("matches.py --against stockfish", "expected a level, as in stockfish:2400"),
        ("matches.py --against exact --evaluation nosuch", "nosuch"),
        ("uci_calibration.py elo nosuch.fen", "nosuch.fen: No such file"),
        ("uci_calibration.py wdl empty.fen", "empty.fen: no positions"),
        ("checkers.py --openings nosuch.txt", "nosuch.txt: No such file"),
        ("checkers.py --openings empty.fen", "empty.fen: no openings"),
        ("connect4.py nosuch.txt", "nosuch.txt: No such file"),
        ("result_scales.py nosuch:material", "nosuch"),
        ("result_scales.py chess:nosuch", "nosuch"),
        ("endgames.py --evaluation nosuch", "nosuch"),
        ("othello_midgame.py --positions 0", "--positions must be at least 1 (got 0)"),
        ("startup.py --games nosuch", "nosuch"),
        ("bridge_play.py nosuch random", "nosuch"),
        ("backgammon_strength.py match nosuch network --out pairs.txt", "nosuch"),
    ],
)
def test_bad_input_is_reported_in_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: str, message: str
) -> None:
    name, *others = words.split()
    assert run(monkeypatch, name, *others) == 2
    error = capsys.readouterr().err
    assert error.startswith(f"{name}: ")
    assert message in error
    assert error.count("\n") == 1


@pytest.mark.long
def test_othello_midgame_as_json(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "othello_midgame.py", "--positions", "1", "--json") == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["unit"] for row in rows] == ["CPU s", "discs", "discs"]
    assert all(row["positions"] == 1 and row["mean"] >= 0 for row in rows)


@pytest.mark.long
def test_connect_four_beside_all_published_numbers(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("Test_L1_R2").write_text("2252576253462244111563365343671351441 -1\n")
    assert run(monkeypatch, "connect4.py", "Test_L1_R2") == 0
    assert capsys.readouterr().out.splitlines()[1].split()[4] == "1,201,000.0"


@pytest.mark.long
def test_decisions_judged_by_a_teacher(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The benchmark took no teacher any more. Here it finds all plays equal, so no error is left."""
    Path("teacher.py").write_text(
        "for line in iter(input, ''):\n"
        "    number, *positions = line.split()\n"
        "    print('equities', number, *len(positions) * ['0'], flush=True)\n"
    )
    monkeypatch.setattr("zermelo.learn.teachers._command", lambda name: [sys.executable, "teacher.py"])
    assert run(monkeypatch, "backgammon_strength.py", "decisions", "phases", "--positions", "2") == 0
    [row] = [line for line in capsys.readouterr().out.splitlines() if " phases " in line]
    assert re.findall(r"\S+ ± \S+", row) == 3 * ["0.0 ± 0.0"]


def test_the_book_of_connect_four_knows_the_empty_board() -> None:
    answer = module("connect4.py")["answer_of_book"]()
    assert (answer.best, answer.score.value, answer.score.plies) == ("4", 1, 41)


def test_a_store_continues_its_own_match_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    matches = module("matches.py")
    called: list[list[str]] = []
    monkeypatch.setattr("subprocess.call", lambda command: called.append(command) or 0)
    words = ("--against", "exact", "--games", "2", "--seconds", "0.1", "--store", "games.db")
    assert run(monkeypatch, "matches.py", "start.fen", *words) == 0
    [command] = called
    assert command[2:5] == ["zermelo", "match", "chess"]
    assert command[command.index("--openings") + 1] == f"file:{Path('start.fen').resolve()},order=random"

    options = type("Options", (), {"openings": "start.fen", "against": "exact", "evaluation": "network", "games": 2,
                                   "threads": 1, "seconds": 0.1, "margin": 0.5, "seed": 1,
                                   "adjudicate": matches["CHESS_RULES"]})  # fmt: skip
    Store.create(Path("games.db"), matches["match"](options).as_dict()).close()
    assert run(monkeypatch, "matches.py", "start.fen", *words) == 0
    assert called[-1][2:5] == ["zermelo", "resume", "games.db"]
    others = (
        ("--against", "positional"), ("--games", "4"), ("--seconds", "0.2"), ("--evaluation", "positional"),
        ("--threads", "2"), ("--adjudicate", "exact"),
    )  # fmt: skip
    for other in others:
        changed = list(words)
        if other[0] in changed:
            changed[changed.index(other[0]) + 1] = other[1]
        else:
            changed += other
        capsys.readouterr()
        assert run(monkeypatch, "matches.py", "start.fen", *changed) == 2
        assert "games.db: another match, with" in capsys.readouterr().err
    assert run(monkeypatch, "matches.py", *words) == 2
    assert len(called) == 2


def test_matches_without_openings_use_balanced_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[list[str]] = []
    monkeypatch.setattr("subprocess.call", lambda command: called.append(command) or 0)
    assert run(monkeypatch, "matches.py", "--against", "exact") == 0
    assert called[0][called[0].index("--openings") + 1] == "plies=8,within=50,depth=4"


def features(monkeypatch: pytest.MonkeyPatch, results: list[int], *words: str) -> None:
    """Play a match of features whose results are known."""
    rows = [
        {"game": "chess", "given": "", "without": "exact", "nodes": 5000, "evaluation": "network", "number": number,
         "result": result}
        for number, result in enumerate(results)
    ]  # fmt: skip
    Path("games.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    games = ("--games", str(len(results)), "--store", "games.jsonl", "--without", "exact")
    assert run(monkeypatch, "selective_features.py", "start.fen", *games, *words) == 0


def test_error_bars_of_features_are_those_of_game_pairs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    features(monkeypatch, [1])
    assert int(re.search(r"exact +\+1 =0 -0  >\+\d+ ± (\d+) Elo", capsys.readouterr().out)[1]) > 300
    # Each opening is won by one side twice, or each game by the same colour: the second says more.
    features(monkeypatch, [1, 1, -1, -1] * 20)
    same = float(re.search(r"\+40 =0 -40  \+0 ± (\d+) Elo", capsys.readouterr().out)[1])
    features(monkeypatch, [1, -1, -1, 1] * 20)
    other = float(re.search(r"\+40 =0 -40  \+0 ± (\d+) Elo", capsys.readouterr().out)[1])
    assert other < same / 3


def test_an_interrupt_ends_a_script_with_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Engine, "analysis", interrupted)
    words = ("start.fen", "--games", "1", "--evaluation", "material", "--without", "exact")
    monkeypatch.setattr(sys, "argv", ["benchmarks/selective_features.py", *words])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(BENCHMARKS / "selective_features.py"), run_name="__main__")
    assert ended.value.code == 130
    assert capsys.readouterr().err == "selective_features.py: interrupted\n"


def test_each_feature_changes_the_search() -> None:
    script = runpy.run_path(str(BENCHMARKS / "selective_features.py"))
    chess = zermelo.load("chess")
    # Captures, checks and quiet moves; the second search is that of the next move, for histories that are kept.
    states = [chess.parse("r1bq1rk1/pp2bppp/2n1pn2/3p4/2PP4/2N2N2/PP2BPPP/R1BQ1RK1 w - - 0 1")]
    states.append(states[0].after("c5 Ne4"))
    states.append(chess.parse("2rr3k/pp3pp1/1nnqbN1p/3pN3/2pP4/2P3Q1/PPB4P/R4RK1 w - - 0 1"))  # checks with one reply

    def nodes(changes: str) -> list[int]:
        with Engine("8M", selective=script["side"](chess, changes)) as engine:
            return [engine.analyse(state, depth=9, evaluation="network").nodes for state in states]

    whole = nodes("")
    for name, changes in script["FEATURES"].items():
        assert nodes(changes) != whole, name


def test_a_store_of_features_that_a_kill_left_is_continued(monkeypatch: pytest.MonkeyPatch) -> None:
    features(monkeypatch, [1, 0])
    whole = Path("games.jsonl").read_text()
    Path("games.jsonl").write_text(whole + '{"game": "ch')
    words = ("--games", "2", "--store", "games.jsonl", "--without", "exact")
    assert run(monkeypatch, "selective_features.py", "start.fen", *words) == 0
    assert Path("games.jsonl").read_text() == whole


def test_features_stop_by_sprt(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    features(monkeypatch, [1, 0] * 200, "--sprt", "0,100")
    found = re.search(
        r"\+(\d+) =\1 -0 .*\n  SPRT elo0=0,elo1=100,.*: H1 accepted after (\d+) game pairs", capsys.readouterr().out
    )
    assert found[1] == found[2]
    assert int(found[1]) < 100
    features(monkeypatch, [1, -1] * 3, "--sprt", "0,100")
    assert "undecided after 3 game pairs" in capsys.readouterr().out


@pytest.mark.parametrize(("name", "rules"), [("chess", "agreed:score=600"), ("checkers", "")])
def test_only_chess_is_adjudicated_by_default_with_one_evaluation_for_both_sides(
    monkeypatch: pytest.MonkeyPatch, name: str, rules: str
) -> None:
    Path("game.txt").write_text(f"{zermelo.load(name).start()}\n")
    used = []

    def analysis(engine: Engine, state: Any, **options: Any) -> Any:
        used.append((engine.selective is False, options["evaluation"]))
        return iter([zermelo.analyse(state, depth=1, evaluation="material")])

    monkeypatch.setattr(Engine, "analysis", analysis)
    words = ("game.txt", "--game", name, "--without", "exact", "--games", "1", "--store", "games.jsonl")
    assert run(monkeypatch, "selective_features.py", *words) == 0
    assert {is_exact for is_exact, _ in used} == {True, False}
    assert len({evaluation for _, evaluation in used}) == 1
    row = json.loads(Path("games.jsonl").read_text())
    assert row["adjudication"].startswith(rules)
    assert bool(row["adjudication"]) == bool(rules)


def test_a_match_by_the_protocol_of_darkhorse(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run(
        monkeypatch,
        "darkhorse.py",
        "./darkhorse",
        "ballots.fen",
        "--seconds",
        "0.01",
        "--games",
        "2",
        "--store",
        "games.db",
    )
    shown = capsys.readouterr().out
    assert re.search(r"1 +zermelo +2 +2.0 +2 +0 +0", shown), shown
    with Store.open(Path("games.db")) as store:
        assert [game.points for game in store.games()] in ([1.0, 0.0], [0.0, 1.0])
