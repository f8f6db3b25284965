"""`zermelo match`, `tournament` and `resume`: the table, what is kept, what is refused, Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from zermelo.arena.store import Store


@pytest.fixture(autouse=True)
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Runs whose store nobody names are kept here."""
    monkeypatch.setenv("ZERMELO_RUNS_DIR", str(tmp_path / "runs"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "runs"


HERE = ("--workers", "0")


def test_a_match_tells_its_table(zermelo: Callable[..., Any]) -> None:
    code, out, err = zermelo("match", "tictactoe", "random", "b=random", "--games", "6", *HERE)
    assert code == 0
    assert "random" in out
    assert "games       6" in out
    assert "ended by    rules 6" in out
    assert "6 games in" in err
    assert "saved in" in err


def test_a_match_as_json(zermelo: Callable[..., Any]) -> None:
    told = zermelo("match", "tictactoe", "random", "b=random", "--games", "6", "--json", *HERE)
    assert told.err == ""
    found = told.json
    assert found["over"] is True
    assert found["games"] == sum(row["games"] for row in found["rows"]) // 2 == 6
    assert found["not_played"] == []
    assert found["plan"]["openings"] == "plies=4"
    assert {row["name"] for row in found["rows"]} == {"random", "b"}
    assert sum(row["points"] for row in found["rows"]) == 6


def test_dice_are_opening_enough(zermelo: Callable[..., Any]) -> None:
    told = zermelo("match", "backgammon", "random", "b=random", "--games", "2", "--json", *HERE).json
    assert told["plan"]["openings"] == ""
    assert told["distinct"] == 2


def test_the_same_seed_is_the_same_match(zermelo: Callable[..., Any]) -> None:
    def told(seed: str) -> Any:
        found = zermelo(
            "match", "tictactoe", "random", "b=random", "--games", "30", "--seed", seed, "--json", *HERE
        ).json
        return [(row["name"], row["wins"], row["draws"]) for row in found["rows"]]

    assert told("1") == told("1") != told("2")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["match", "othello", "random", "nosuch"], "unknown player 'nosuch'"),
        (["match", "othello", "random", "wdif:3"], "did you mean"),
        (["match", "nosuch", "random", "random"], "nosuch"),
        (["match", "kuhn", "random", "engine:depth=1"], "has hidden information"),
        (["match", "othello", "random", "b=random", "--games", "3"], "must be even"),
        (["match", "othello", "random", "b=random", "--control", "soon"], "time control 'soon'"),
        (["match", "othello", "random", "b=random", "--openings", "file:none.txt"], "none.txt"),
        (["match", "othello", "random", "b=random", "--cluster", "moon"], "cluster 'moon'"),
        (["match", "othello", "random", "b=random", "--chart", "table.doc"], "table.doc"),
        (["match", "othello", "random", "b=random", "--sprt", "elo0=5,elo1=0"], "elo0"),
        (["match", "othello", "random", "b=random", "--adjudicate", "soon"], "adjudication 'soon'"),
        (["match", "othello", "random", "b=random", "--workers", "-1"], "--workers must be at least 0 (got -1)"),
        (["match", "chess", "random", "uci:no-such-engine"], "engine not found on PATH"),
        (["match", "chess", "random", f"uci:{sys.executable} -c pass"], "did not start"),
        (["tournament", "none.toml"], "none.toml"),
        (["tournament", "othello", "random"], "at least two"),
        (["tournament", "othello", "random", "b=random", "--format", "swis"], "did you mean swiss?"),
        (["tournament", "lecture-othello", "random"], "unexpected player"),
        (["tournament", "lecture-othello", "--format", "swiss"], "has a fixed format"),
        (["tournament", "othello", "random", "b=random", "--ordered"], "need lecture-othello, not othello"),
        (["match", "othello", "random", "b=random", "--games", "0"], "games must be between 1"),
        (["match", "othello", "random", "b=random", "--workers", "1", "--cluster", "local:1"], "cannot be combined"),
        (["match", "othello", "human", "random", "--cluster", "local:1"], "a human player needs this terminal"),
        (["resume"], "no store in"),
        (["resume", "none.zermelo"], "none.zermelo"),
    ],
)
def test_bad_input_is_one_line_and_begins_nothing(
    zermelo: Callable[..., Any], runs: Path, words: list[str], said: str
) -> None:
    code, out, err = zermelo(*words)
    assert (code, out) == (2, "")
    assert said in err
    assert err.count("\n") == 1
    assert not list(runs.glob("*"))


def test_an_engine_that_does_not_start_is_told_with_its_last_lines(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    engine = tmp_path / "engine.py"
    engine.write_text("import sys\nprint('no net found', file=sys.stderr)\nsys.exit(3)\n")
    code, _, err = zermelo("match", "chess", "random", f"uci:{sys.executable} {engine}")
    assert code == 2
    assert "did not start" in err
    assert "no net found" in err


def test_an_agent_that_does_not_load_is_told_before_any_game(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text("def choose(state):\n    return 1 / 0\n\nimport nosuchmodule\n")
    code, out, err = zermelo("match", "tictactoe", "random", "python:agent.py", *HERE)
    assert (code, out) == (2, "")
    assert "line 4" in err
    assert "nosuchmodule" in err


def test_a_store_that_is_there_is_not_written_over(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    words = ["match", "tictactoe", "random", "b=random", "--games", "2", "--store", "m.zermelo", *HERE]
    assert zermelo(*words).code == 0
    before = (tmp_path / "m.zermelo").read_bytes()
    code, _, err = zermelo(*words)
    assert code == 2
    assert "m.zermelo" in err
    assert (tmp_path / "m.zermelo").read_bytes() == before


def test_a_finished_run_is_told_again(zermelo: Callable[..., Any]) -> None:
    words = ["match", "tictactoe", "random", "b=random", "--games", "2", "--store", "m.zermelo", "--json", *HERE]
    assert zermelo("resume", "m.zermelo", "--json").code == 2
    first = zermelo(*words).json
    assert zermelo("resume", "m.zermelo", "--json", *HERE).json == first


def test_two_runs_on_one_store(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    words = ["match", "tictactoe", "random", "b=random", "--games", "2", "--store", "m.zermelo", *HERE]
    assert zermelo(*words).code == 0
    with Store.open(tmp_path / "m.zermelo", write=True):
        code, _, err = zermelo("resume", "m.zermelo")
    assert code == 2
    assert "m.zermelo" in err
    assert err.count("\n") == 1


@pytest.mark.skipif(os.name != "posix", reason="needs FIFOs")
def test_a_tournament_file_has_its_extension(
    zermelo: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    os.mkfifo("fifo")
    os.mkfifo("fifo.toml")
    Path("plan.txt").write_text("")
    Path("tictactoe").mkdir()  # the game's name comes first
    for name in ("fifo", "plan.txt", "./tictactoe"):
        code, _, err = zermelo("tournament", name)
        assert (code, err.count("\n")) == (2, 1)
        assert f"{name}: the name of a tournament file must end in .toml" in err
    assert "fifo.toml: not a regular file but a FIFO" in zermelo("tournament", "fifo.toml").err
    assert zermelo("tournament", "tictactoe", "random", "b=random", "--games", "2", "--quiet", *HERE).code == 0


def test_a_tournament_from_a_file(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "club.toml").write_text(
        'game = "tictactoe"\nformat = "gauntlet"\ngames = 2\n'
        'players = ["random", "b=random", {name = "c", player = "random"}]\n'
    )
    told = zermelo("tournament", "club.toml", "--json", *HERE).json
    assert told["games"] == 4
    assert {row["name"] for row in told["rows"]} == {"random", "b", "c"}
    told = zermelo("tournament", "club.toml", "--games", "4", "--format", "round-robin", "--json", *HERE).json
    assert told["games"] == 12, "what is said on the command line counts"
    assert told["plan"]["seed"] == 0


def test_a_player_may_be_called_like_an_option(zermelo: Callable[..., Any]) -> None:
    told = zermelo("match", "tictactoe", "first=random", "games=random", "--games", "2", "--json", *HERE).json
    assert {row["name"] for row in told["rows"]} == {"first", "games"}


def test_a_human_at_the_terminal(zermelo: Callable[..., Any]) -> None:
    """The human takes the middle, is told that nonsense is none, and gives up."""
    done = zermelo(
        "match", "tictactoe", "human", "random", "--games", "1", "--openings", "start", typed="b2\nhuh\nresign\n"
    )
    assert done.code == 0
    assert "'huh' is not a legal move" in done.err
    assert "resigned 1" in done.out


def test_a_chart(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    words = ["match", "tictactoe", "random", "b=random", "--games", "8", "--chart", "c.svg", *HERE]
    assert zermelo(*words).code == 0
    assert "<svg" in (tmp_path / "c.svg").read_text()


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
def test_ctrl_c_keeps_what_there_is_and_resume_goes_on(
    zermelo: Callable[..., Any], program: list[str], environment: dict[str, str], tmp_path: Path
) -> None:
    words = ["match", "tictactoe", "random", "b=random", "--games", "1000", "--store", "m.zermelo", "--workers", "1"]
    process = subprocess.Popen(
        [*program, *words, "--json"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        if (tmp_path / "m.zermelo").exists():
            with Store.open(tmp_path / "m.zermelo", write=False) as store:
                if any(store.results()):
                    break
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    told = json.loads(out)
    assert told["over"] is False
    assert 0 < told["games"] < 1000
    with Store.open(tmp_path / "m.zermelo", write=False) as store:
        assert sum(1 for _ in store.results()) == told["games"]
    again = zermelo("resume", "m.zermelo", "--json", *HERE).json
    assert again["over"] is True
    assert again["games"] == 1000


def test_resume_finds_the_run_begun_last(zermelo: Callable[..., Any], runs: Path) -> None:
    assert zermelo("match", "tictactoe", "random", "b=random", "--games", "2", *HERE).code == 0
    (place,) = runs.glob("*.zermelo")
    assert zermelo("resume", "--json", *HERE).json["store"] == str(place)


@pytest.mark.nightly
@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
@pytest.mark.parametrize("attempt", range(30))
def test_ctrl_c_at_any_moment_ends_it(
    program: list[str], environment: dict[str, str], tmp_path: Path, attempt: int
) -> None:
    """While it loads, starts workers, plays, keeps a game: it ends, and what was kept can be read."""
    words = ["match", "tictactoe", "random", "b=random", "--games", "4000", "--store", "m.zermelo", "--workers", "1"]
    process = subprocess.Popen(
        [*program, *words], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    time.sleep(0.2 + attempt / 10)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode in (130, -signal.SIGINT), err  # the latter before Python can handle it
    if (tmp_path / "m.zermelo").exists():
        with Store.open(tmp_path / "m.zermelo", write=True) as store:
            assert sum(1 for _ in store.results()) == len(store)


@pytest.mark.long
def test_a_tournament_file_says_first_what_it_runs(
    zermelo: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "agent.py").write_text("def choose(state):\n    return state.legal_moves()[0]\n")
    (tmp_path / "club.toml").write_text(
        'game = "tictactoe"\ngames = 2\nopenings = "plies=1"\nplayers = ["random", "python:agent.py"]\n'
    )
    agent = f"python:{tmp_path / 'agent.py'}"
    done = zermelo("tournament", "club.toml", *HERE, "--store", "a.zermelo")
    assert done.code == 0
    assert done.err.splitlines()[:2] == ["club.toml runs code from outside Zermelo:", f"  {agent}"]
    done = zermelo("tournament", "club.toml", *HERE, "--store", "b.zermelo", "--json")
    assert next(iter(done.json)) == "runs"
    assert done.json["runs"] == [agent]
    assert done.err == ""
    assert zermelo("match", "tictactoe", "random", "random", "--games", "2", *HERE, "--json").json["runs"] == []
