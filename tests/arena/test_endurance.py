"""Long runs of the arena: no flag falls, no memory grows, nothing is left open."""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from zermelo.arena.executors.local_executor import InlineExecutor
from zermelo.arena.plans.entrants import parse_entrants
from zermelo.arena.plans.plan import Plan
from zermelo.arena.store import Store
from zermelo.arena.tournament import Tournament


@pytest.mark.nightly
def test_no_flag_falls_in_1000_games(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    """Games at 1 s + 0.01 s: some 20 minutes on two processors."""
    path = tmp_path / "flags.zermelo"
    match = ["match", "connect4", "engine", "b=engine", "--games", "1000", "--control", "clock=1+0.01"]
    subprocess.run([sys.executable, "-m", "zermelo", *match, "--store", str(path), "--quiet"], check=True)
    with Store.open(path, write=False) as store:
        ends = Counter(str(game.termination) for game in store.games())
    record_property("measured", f"1,000 games at 1 s + 0.01 s: {json.dumps(dict(ends.most_common()))}")
    assert ends.total() == 1000
    assert ends["out of time"] == 0


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_memory_is_constant_over_10_000_games(tmp_path: Path, record_property: Callable[[str, object], None]) -> None:
    sizes: dict[int, int] = {}
    descriptors: dict[int, int] = {}

    def look(tournament: Tournament, _: object) -> None:
        if tournament.games_played in (2000, 10_000):
            gc.collect()
            sizes[tournament.games_played] = _resident()
            descriptors[tournament.games_played] = len(os.listdir("/proc/self/fd"))

    entrants = parse_entrants(("random", "b=random"))
    plan = Plan(game="tictactoe", entrants=entrants, format="match", games=10_000, seed=1)
    with Store.create(tmp_path / "run.zermelo", plan.as_dict()) as store, InlineExecutor() as executor:
        Tournament(plan, store, look).run(executor)
    grown = sizes[10_000] / sizes[2000] - 1
    record_property("measured", f"memory after 2,000 games {sizes[2000] >> 10:,} kB, after 10,000 {grown:+.2%}")
    assert grown < 0.01
    assert descriptors[10_000] == descriptors[2000]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["run.zermelo"]


def _resident() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
