"""Foreign stores: nothing they name is run without trust; changed agents are refused."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from keptgames import change_property, plan_of, played_out

from zermelo.arena import resume_checks as resuming
from zermelo.arena.plans.entrants import parse_entrants
from zermelo.arena.plans.plan import Plan
from zermelo.arena.store import Store
from zermelo.core.weight_file import save_weights
from zermelo.errors import StoreError
from zermelo.games.tictactoe import OpenLines, TicTacToe

Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Returns a function that makes this another user's machine."""
    monkeypatch.setenv("ZERMELO_RUNS_DIR", str(tmp_path / "mine"))
    return lambda: monkeypatch.setenv("ZERMELO_RUNS_DIR", str(tmp_path / "another"))


def saved_store(path: Path, game: str, *texts: str) -> Path:
    plan = Plan("tictactoe", parse_entrants(["random", "other=random"]), games=2)
    entrants = parse_entrants([*texts, "first=random", "second=random"][:2])
    with Store.create(path, replace(plan, game=game, entrants=entrants, is_checked=True).as_dict()):
        pass
    return path


def test_programs_of_a_foreign_store_are_not_run(
    tmp_path: Path, zermelo: Command, elsewhere: Callable[[], None]
) -> None:
    mark, program = tmp_path / "was-run", tmp_path / "evil.py"
    program.write_text(f"open({str(mark)!r}, 'w').close()\n")
    text = f"uci:{shlex.quote(sys.executable)} {shlex.quote(str(program))}"
    store = str(saved_store(tmp_path / "a.zermelo", "chess", f"bad={text}"))
    elsewhere()
    code, _, err = zermelo("resume", store, "--workers", "0", "--quiet")
    assert code == 2
    listed, refused = err.splitlines()
    assert listed == f"would run: {text}"
    assert "not started here, and it would run what is listed above" in refused
    assert zermelo("standings", store)[0] == 0
    assert not mark.exists()
    zermelo("resume", store, "--workers", "0", "--quiet", "--trust")
    assert mark.exists()


def test_stores_without_external_parts_need_no_trust(
    tmp_path: Path, zermelo: Command, elsewhere: Callable[[], None]
) -> None:
    store = saved_store(tmp_path / "a.zermelo", "tictactoe")
    assert not (tmp_path / "mine").exists()
    elsewhere()
    assert zermelo("resume", str(store), "--workers", "0", "--quiet")[0] == 0


def test_a_game_file_of_a_foreign_store_is_not_loaded(
    tmp_path: Path, zermelo: Command, elsewhere: Callable[[], None]
) -> None:
    mark = tmp_path / "was run"
    nim = (Path(__file__).parents[1] / "support" / "nim.py").read_text()
    (tmp_path / "nim.py").write_text(f"{nim}\nopen({str(mark)!r}, 'w').close()\n")
    game = f"{tmp_path / 'nim.py'}:Nim"
    store, goal = saved_store(tmp_path / "a.zermelo", game, "one 0=random", "two 0=random"), str(tmp_path / "out")
    with Store.open(store, write=True) as opened:
        opened.add(played_out(game, 0))
    book = str(tmp_path / "ttt.book")
    assert zermelo("book", "tictactoe", "build", book, "--plies", "0", "--search", "depth=1", "--quiet")[0] == 0
    mark.unlink()
    elsewhere()
    (tmp_path / "nim.py").write_text((tmp_path / "nim.py").read_text() + "# loaded anew\n")
    for words in (
        ["resume", str(store), "--workers", "0"],
        ["games", "export", str(store), "--to", "moves"],
        ["games", "export", str(store), "--to", "csv", "--check"],
        ["book", "tictactoe", "extend", book, "--from", str(store), "--quiet"],
    ):
        code, _, err = zermelo(*words)
        assert (code, len(err.splitlines())) == (2, 1 + (words[0] == "resume"))
        assert str(tmp_path / "nim.py") in err
        assert "--trust" in err
    assert zermelo("games", "export", str(store), "-o", f"{goal}.csv")[0] == 0
    assert zermelo("games", "export", str(store), "--formats")[0] == 0
    assert zermelo("standings", str(store), "--cross", "--json")[0] == 0
    assert not mark.exists()
    assert zermelo("games", "export", str(store), "--to", "moves", "--check", "--trust")[0] == 0
    assert mark.exists()
    trusting = zermelo("book", "tictactoe", "extend", book, "--from", str(store), "--quiet", "--trust")
    assert trusting[0] == 2
    assert f"its games are {game}, not tictactoe" in trusting[2]


def test_a_game_file_that_the_user_names_needs_no_trust(tmp_path: Path, elsewhere: Callable[[], None]) -> None:
    named, other = tmp_path / "nim.py", tmp_path / "other.py"
    named.write_text((Path(__file__).parents[1] / "support" / "nim.py").read_text())
    other.write_text(named.read_text())
    (tmp_path / "link.py").symlink_to(named)
    store = saved_store(tmp_path / "a.zermelo", f"{named}:Nim")
    elsewhere()
    with Store.open(store) as opened:
        for name in (str(named), f"{tmp_path / 'link.py'}:Nim"):
            assert resuming.load_game(opened, named=name).__name__ == "Nim"
        for name in (str(other), "nim", ""):
            with pytest.raises(StoreError, match="which is not loaded: the store was not created here"):
                resuming.load_game(opened, named=name)


def test_trust_does_not_extend_to_a_changed_plan(tmp_path: Path, elsewhere: Callable[[], None]) -> None:
    path = saved_store(tmp_path / "a.zermelo", "tictactoe", "one=uci:stockfish")
    with Store.open(path) as store:
        resuming.check_trusted(store)
    change_property(path, "plan", lambda plan: plan.replace("stockfish", "evil"))
    with Store.open(path) as store, pytest.raises(StoreError, match="would run") as error:
        resuming.check_trusted(store)
    assert error.value.__notes__ == ["would run: uci:evil"]
    change_property(path, "id", lambda _: "../../x")
    with Store.open(path) as store, pytest.raises(StoreError, match="would run"):
        resuming.check_trusted(store)


def test_all_that_would_run_is_listed_in_full(tmp_path: Path, zermelo: Command, elsewhere: Callable[[], None]) -> None:
    """Control characters are visible, and nothing is shortened, not even what a plan says under an old name."""
    path = saved_store(tmp_path / "a.zermelo", "tictactoe")
    commands = [f"uci:sh -c 'echo {number}{'x' * 3000}\x1b[2K\nrm'" for number in range(12)]
    entrants = [{"name": f"p{number}", "player": command} for number, command in enumerate(commands)]
    change_property(path, "plan", lambda plan: json.dumps({**json.loads(plan), "entrants": entrants}))
    elsewhere()
    code, _, err = zermelo("resume", str(path), "--workers", "0")
    lines = err.splitlines()
    assert code == 2
    escaped = [command.replace("\x1b", "\\x1b").replace("\n", "\\n") for command in commands]
    assert lines[:-1] == [f"would run: {command}" for command in escaped]
    entrants[0] = {"name": "p0", "player": "random", "text": "uci:evil"}
    change_property(path, "plan", lambda plan: json.dumps({**json.loads(plan), "entrants": entrants[:2]}))
    code, _, err = zermelo("resume", str(path), "--workers", "0")
    assert (code, len(err.splitlines())) == (2, 1)
    assert "damaged: not a tournament plan" in err


def test_a_game_of_another_game_is_damaged(tmp_path: Path) -> None:
    with Store.create(tmp_path / "a.zermelo", plan_of("tictactoe")) as store:
        store.add(played_out("othello", 0, plies=3))
        with pytest.raises(StoreError, match="of another game than the plan"):
            list(store.games())


def test_a_changed_agent_is_refused(tmp_path: Path, zermelo: Command) -> None:
    agent, store = tmp_path / "agent.py", str(tmp_path / "a.zermelo")
    agent.write_text("def choose(state):\n    return state.legal_moves()[0]\n")
    words = ["match", "tictactoe", f"mine=python:{agent}", "random", "--games", "2", "--store", store, "--workers", "0"]
    code, out, err = zermelo(*words, "--json")
    assert code == 0, err
    output: dict[str, Any] = json.loads(out)
    assert output["plan"]["seed"] > 0
    assert zermelo("resume", store, "--quiet", "--workers", "0")[0] == 0
    agent.write_text(agent.read_text() + "# better\n")
    code, _, err = zermelo("resume", store, "--quiet", "--workers", "0")
    assert code == 2
    assert "agent.py has changed since it played" in err
    agent.unlink()
    code, _, err = zermelo("resume", store, "--quiet", "--workers", "0")
    assert code == 2
    assert "No such file" in err


def test_changed_weights_are_refused(tmp_path: Path, zermelo: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """A relative path is that of the folder where the match was started."""
    monkeypatch.chdir(tmp_path)
    save_weights("mine.weights", TicTacToe, OpenLines([3]))
    player = "mine=engine:depth=1,table=1M,evaluation=mine.weights"
    words = ["match", "tictactoe", player, "random", "--games", "2", "--store", "a.zermelo", "--workers", "0"]
    code, _, err = zermelo(*words, "--json")
    assert code == 0, err
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(tmp_path / "other")
    assert zermelo("resume", "../a.zermelo", "--quiet", "--workers", "0")[0] == 0
    save_weights("../mine.weights", TicTacToe, OpenLines([4]))
    code, _, err = zermelo("resume", "../a.zermelo", "--quiet", "--workers", "0")
    assert code == 2
    assert "mine.weights has changed since it played" in err
