"""Every registered game has a golden playthrough, and keeps the contract over thousands of random games (nightly).

A playthrough (`zermelo.testing.playthrough`) shows a change of a game's behaviour that no other test looks for. When
one is wanted, write the files again and read what git says has changed:

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
# The package's own games; what else may be installed beside it is no business of these tests.
REGISTERED = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["zermelo.games"]


def load(name: str) -> type[State]:
    module, _, attribute = REGISTERED[name].partition(":")
    found: type[State] = getattr(importlib.import_module(module), attribute)
    return found


@pytest.mark.quick
@pytest.mark.parametrize("name", REGISTERED)
def test_plays_as_written_down(name: str) -> None:
    path = GOLDEN / f"{name}.txt"
    assert path.exists(), f"{path.relative_to(ROOT)} is missing: python tests/games/test_golden.py writes it"
    assert playthrough(load(name)) == path.read_text(encoding="utf-8")


def test_no_playthrough_is_left_of_a_game_that_is_gone() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} <= set(REGISTERED)


# Each position of a game of chess takes long to check, and so do all rolls and plays of one of backgammon: 10,000 games
# would take half a day and one and a half hours.
FEWER = {"chess": 100, "backgammon": 1_000}


@pytest.mark.nightly
@pytest.mark.parametrize("name", REGISTERED)
def test_keeps_the_contract_over_many_games(name: str) -> None:
    report = check_game(load(name), games=FEWER.get(name, 10_000), seed=1913)
    assert report.unfinished == 0


if __name__ == "__main__":
    for game in REGISTERED:
        (GOLDEN / f"{game}.txt").write_text(playthrough(load(game)), encoding="utf-8")
        print(f"tests/golden/{game}.txt")
