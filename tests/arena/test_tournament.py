"""Complete tournaments: the same table with any number of workers and after any number of kills."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from zermelo.arena.executors.local_executor import InlineExecutor, LocalExecutor
from zermelo.arena.plans.entrants import parse_entrants
from zermelo.arena.plans.plan import Plan
from zermelo.arena.referee import play
from zermelo.arena.sprt import SprtState
from zermelo.arena.store import Store
from zermelo.arena.tournament import Tournament


def plan(*players: str, game: str = "tictactoe", **more: Any) -> Plan:
    return Plan(game=game, entrants=parse_entrants(players), **more)


class Ran(NamedTuple):
    """The outcome of a tournament whose store is closed."""

    table: dict[str, Any]
    numbers: list[int]
    failed: dict[int, str]
    is_over: bool
    played: int
    sprt: SprtState | None


def outcome(ran: Tournament) -> Ran:
    table = ran.standings().as_dict()
    for row in table["rows"]:
        del row["seconds_per_move"]  # all but how long it took
    watch = ran.sprt()
    return Ran(table, sorted(ran.results), ran.failed, ran.is_over, ran.games_played, watch.state if watch else None)


def run(tmp_path: Path, of: Plan, name: str = "run", workers: int = 0) -> Ran:
    path = tmp_path / f"{name}.zermelo"
    with Store.create(path, of.as_dict()) as store, LocalExecutor(workers) if workers else InlineExecutor() as crew:
        ran = Tournament(of, store)
        ran.run(crew)
        return outcome(ran)


FORMATS = {
    "match": plan("random", "b=random", format="match", games=10, seed=3),
    "round-robin": plan("random", "diff=engine:depth=2", "c=random", games=4, seed=3),
    "gauntlet": plan("random", "b=random", "c=random", format="gauntlet", games=4, seed=3),
    "knock-out": plan("random", "b=random", "c=random", "d=random", "e=random", format="knock-out", games=2, seed=3),
    "swiss": plan("random", "b=random", "c=random", "d=random", "e=random", format="swiss", games=2, rounds=3, seed=3),
}


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_is_reproducible(tmp_path: Path, name: str) -> None:
    first, again = (run(tmp_path, FORMATS[name], each) for each in ("first", "again"))
    assert first.is_over
    assert not first.failed
    assert first.numbers == list(range(len(first.numbers)))
    assert first == again


def test_the_number_of_workers_does_not_matter(tmp_path: Path) -> None:
    of = FORMATS["swiss"]
    assert run(tmp_path, of, "alone") == run(tmp_path, of, "together", workers=2)


def test_a_stored_game_is_reproducible(tmp_path: Path) -> None:
    run(tmp_path, FORMATS["round-robin"])
    with Store.open(tmp_path / "run.zermelo", write=False) as store:
        for played in store.games():
            again = play(played.job)
            assert again.moves == played.moves
            assert again.points == played.points


def test_an_interrupted_tournament_continues(tmp_path: Path) -> None:
    of = FORMATS["round-robin"]
    whole = run(tmp_path, of, "whole")

    def stop(ran: Tournament, played: object) -> None:
        if ran.games_played == 3:
            raise KeyboardInterrupt

    with Store.create(tmp_path / "parts.zermelo", of.as_dict()) as store, InlineExecutor() as crew:
        first = Tournament(of, store, stop)
        with pytest.raises(KeyboardInterrupt):
            first.run(crew)
        assert len(first.results) == 3
    with Store.open(tmp_path / "parts.zermelo", write=True) as store, InlineExecutor() as crew:
        second = Tournament(Plan.from_dict(store.plan), store)
        assert len(second.results) == 3
        second.run(crew)
        found = outcome(second)
    assert found.played == whole.played - 3
    assert found.table == whole.table


@pytest.mark.long
def test_sprt_stops_at_the_same_pair_in_any_order(tmp_path: Path) -> None:
    of = plan("engine:depth=3", "random", format="match", games=2000, sprt="elo0=0,elo1=50", seed=1)
    alone, together = run(tmp_path, of, "alone"), run(tmp_path, of, "together", workers=2)
    assert alone.sprt is not None
    assert alone.sprt.verdict == "H1"
    assert len(alone.numbers) < 500
    assert (together.table, together.sprt) == (alone.table, alone.sprt)


def test_failed_games_are_reported_and_the_rest_is_played(tmp_path: Path) -> None:
    """Rules that raise in one position: such games have no result and do not count."""
    (tmp_path / "odd.py").write_text(
        "from zermelo import MAX, game\n"
        "@game\n"
        "class Odd:\n"
        "    heap: int = 9\n"
        "    turn: int = MAX\n"
        "    def to_move(self): return self.turn\n"
        "    def moves(self):\n"
        "        for take in range(1, min(3, self.heap) + 1): yield take\n"
        "    def play(self, take):\n"
        "        if self.heap - take == 5: raise ZeroDivisionError('five')\n"
        "        return Odd(self.heap - take, -self.turn)\n"
        "    def is_over(self): return self.heap == 0\n"
        "    def utility(self): return -self.turn\n"
    )
    of = plan("random", "b=random", game=f"{tmp_path / 'odd.py'}:Odd", games=20, seed=2)
    ran = run(tmp_path, of)
    assert ran.is_over
    assert ran.failed
    assert ran.numbers
    assert sorted([*ran.failed, *ran.numbers]) == list(range(20))
    assert all("five" in error for error in ran.failed.values())
    assert ran.table["games"] == len(ran.numbers)


# ---- kills ------------------------------------------------------------------------------------------------------


def _start(environment: dict[str, str], *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "zermelo", *arguments, "--workers", "1", "--quiet", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        start_new_session=True,
    )


def _finish(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, err = process.communicate(timeout=240)
    assert process.returncode == 0, err
    data: dict[str, Any] = json.loads(out)
    for row in data["rows"]:
        del row["seconds_per_move"]
    del data["store"]
    return data


def _kept(path: Path) -> int:
    if not path.exists():
        return 0
    with Store.open(path, write=False) as store:
        return sum(1 for _ in store.results())


def _descendants(mark: str) -> list[int]:
    """The processes whose environment contains a marker."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (each / "environ").read_bytes() and (each / "stat").read_text().split()[2] != "Z":
                found.append(int(each.name))
        except (OSError, IndexError):
            continue
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc for what is left")
@pytest.mark.parametrize(
    "kills", [pytest.param(10, marks=pytest.mark.long), pytest.param(100, marks=pytest.mark.nightly)]
)
def test_kill_9_neither_loses_nor_duplicates_games(tmp_path: Path, kills: int) -> None:
    games = 60 * kills
    match = ["match", "connect4", "random", "b=random", "--games", str(games), "--seed", "5", "--store"]
    environment = {**os.environ, "ZERMELO_MARK": str(tmp_path)}
    undisturbed = _finish(_start(environment, *match, str(tmp_path / "undisturbed.zermelo")))
    path = tmp_path / "killed.zermelo"
    dice = random.Random(kills)
    saved = 0
    for _ in range(kills):
        process = _start(environment, *(["resume", str(path)] if path.exists() else [*match, str(path)]))
        goal = saved + dice.randrange(games // kills)
        until = time.monotonic() + 60
        while process.poll() is None and time.monotonic() < until and _kept(path) < max(goal, 1):
            time.sleep(0.005)
        time.sleep(dice.random() / 50)
        process.kill()  # one that was quicker than that has ended by itself, and is resumed all the same
        process.communicate()
        now = _kept(path)
        assert now >= saved, "a game that was there is gone"
        saved = now
    assert saved > 0
    until = time.monotonic() + 20
    while _descendants(str(tmp_path)) and time.monotonic() < until:
        time.sleep(0.05)
    assert not _descendants(str(tmp_path)), "workers outlive the run"
    assert _finish(_start(environment, "resume", str(path))) == undisturbed
    with Store.open(path, write=False) as store:
        numbers = [result.number for result in store.results()]
    assert numbers == list(range(games))


# ---- the statistics ------------------------------------------------------------------------------------------


def test_a_player_is_equal_to_itself(tmp_path: Path) -> None:
    """A hundred games of two equal players: the difference is within its error bars."""
    of = plan("a=random", "b=random", game="connect4", format="match", games=100, seed=8)
    found = run(tmp_path, of).table
    assert found["games"] == found["distinct"] == 100
    assert 0 < abs(found["difference"]["elo"]) <= found["difference"]["error"]
