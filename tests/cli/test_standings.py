"""`zermelo standings`: of a finished store, one that runs, and of what is none."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from zermelo.arena.executors.local_executor import InlineExecutor
from zermelo.arena.plans.entrants import parse_entrants
from zermelo.arena.plans.plan import Plan
from zermelo.arena.store import Store
from zermelo.arena.tournament import Tournament


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "club.zermelo"
    plan = Plan("tictactoe", parse_entrants(["ann=random", "bob=random", "cid=random"]), games=4, seed=5)
    with Store.create(path, plan.as_dict()) as kept, InlineExecutor() as crew:
        Tournament(plan, kept).run(crew)
    return path


def test_the_table_of_a_store(zermelo: Callable[..., Any], store: Path) -> None:
    done = zermelo("standings", str(store))
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0].split()[:3] == ["#", "player", "points"]
    assert {line.split()[1] for line in lines[1:4]} == {"ann", "bob", "cid"}
    assert "cross table: points, out of 4 games" in done.out
    assert "games     12," in done.out
    assert "resume" not in done.out


def test_as_json_it_is_the_table_of_the_run(zermelo: Callable[..., Any], store: Path) -> None:
    told = zermelo("standings", str(store), "--json").json
    assert (told["games"], told["over"], told["sprt"]) == (12, True, None)
    assert sum(row["points"] for row in told["rows"]) == 12
    assert sum(row["elo"] for row in told["rows"]) == pytest.approx(0, abs=1e-6)
    with Store.open(store) as kept:
        assert told["plan"] == json.loads(json.dumps(kept.plan))
        table = Tournament(Plan.from_dict(kept.plan), kept).standings().as_dict()
    assert {name: told[name] for name in table} == json.loads(json.dumps(table))
    anchored = zermelo("standings", str(store), "--json", "--anchor", "bob").json
    assert {row["name"]: row["elo"] for row in anchored["rows"]}["bob"] == 0


def test_while_a_run_goes_on_it_says_how_far_it_is(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    from zermelo.arena.plans.schedule import schedule_for
    from zermelo.arena.referee import play

    path = tmp_path / "half.zermelo"
    plan = Plan(
        "tictactoe", parse_entrants(["ann=random", "bob=random"]), "match", games=8, sprt="elo0=0,elo1=100", seed=5
    )
    with Store.create(path, plan.as_dict()) as kept:
        for job in schedule_for(plan).jobs({})[:3]:
            kept.add(play(job))
        done = zermelo("standings", str(path))  # the writer still has it
    assert done.code == 0
    assert f"3 of 8 games played; process {os.getpid()} on " in done.out
    assert done.out.rstrip().endswith(", still running")
    (tmp_path / "half.zermelo.lock").touch()  # as a killed run leaves it
    done = zermelo("standings", str(path))
    assert done.out.rstrip().endswith(f"3 of 8 games played; continue with `zermelo resume {path}`")
    assert "SPRT" in done.out
    assert "no decision after 1 pair" in done.out


def test_charts_of_a_store(zermelo: Callable[..., Any], store: Path, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    for kind in ("ratings", "cross", "points"):
        done = zermelo("standings", str(store), "--chart", str(tmp_path / f"{kind}.svg"), "--of", kind)
        assert done.code == 0
        assert "ann" in (tmp_path / f"{kind}.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nosuch.zermelo"], "nosuch.zermelo"),
        (["{store}", "--anchor", "dee"], "dee"),
        (["{store}", "--chart", "a.gif"], ".png .pdf .svg"),
        (["{store}", "--chart", "a.svg", "--of", "pie"], "ratings, cross, points, sprt"),
        (["{store}", "--chart", "{folder}/a.svg", "--of", "sprt"], "no SPRT"),
    ],
)
def test_bad_input_is_one_line(zermelo: Callable[..., Any], store: Path, words: list[str], said: str) -> None:
    done = zermelo("standings", *(word.format(store=store, folder=store.parent) for word in words))
    assert done.code == 2
    assert said in done.err
    assert done.err.count("\n") == 1
    assert not done.out
