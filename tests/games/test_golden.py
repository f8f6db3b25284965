"""Golden playthroughs of the registered games, and the contract over thousands of random games (nightly).

A playthrough (`zermelo.testing.playthrough`) shows changes of a game's behaviour that no other test checks. After an
intended change, write the files again and review the difference:

    python tests/games/test_golden.py
"""

from __future__ import annotations

import importlib
import tomllib
from pathlib import Path

import pytest

from zermelo.core.game import State
from zermelo.testing import check_game, playthrough

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"
# The games of the package; other installed games are not tested here.
REGISTERED = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["zermelo.games"]


def load(name: str) -> type[State]:
    module, _, attribute = REGISTERED[name].partition(":")
    found: type[State] = getattr(importlib.import_module(module), attribute)
    return found


@pytest.mark.quick
@pytest.mark.parametrize("name", REGISTERED)
def test_playthrough_matches_golden_file(name: str) -> None:
    path = GOLDEN / f"{name}.txt"
    if not path.exists():
        pytest.skip(f"{path.relative_to(ROOT)} is missing; write it with: python tests/games/test_golden.py")
    assert playthrough(load(name)) == path.read_text(encoding="utf-8")


def test_every_golden_file_belongs_to_a_game() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} <= set(REGISTERED)


# Checking each position takes longer in these games: 10,000 games would take half a day and one and a half hours.
FEWER = {"chess": 100, "backgammon": 1_000}


@pytest.mark.nightly
@pytest.mark.parametrize("name", REGISTERED)
def test_contract_over_many_random_games(name: str) -> None:
    report = check_game(load(name), games=FEWER.get(name, 10_000), seed=1913)
    assert report.unfinished == 0


if __name__ == "__main__":
    for game in REGISTERED:
        (GOLDEN / f"{game}.txt").write_text(playthrough(load(game)), encoding="utf-8")
        print(f"tests/golden/{game}.txt")
