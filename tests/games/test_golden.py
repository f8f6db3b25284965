"""Golden playthroughs of the registered games, and the contract over thousands of random games (nightly).

A playthrough (`zermelo.testing.playthrough`) shows changes of a game's behaviour that no other test checks. After an
intended change, write the files again and review the difference:

    PYTHONPATH=tests/support python tests/games/test_golden.py
"""

from __future__ import annotations

import importlib
import tomllib
from pathlib import Path

import pytest
from parts import PARTS, in_parts

from zermelo.core.game import State
from zermelo.testing import check_game, playthrough

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "tests" / "golden"
# The games of the package; other installed games are not tested here.
REGISTERED = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["zermelo.games"]
# Plies of the playthrough where a board is large; the other games have up to 200.
PLIES = {
    "battleship": 14,
    "bridge-play": 57,
    "go": 60,
    "go19": 12,
    "gomoku": 30,
    "hex": 30,
    "mastermind": 3,
    "property": 60,
    "scrabble": 13,
}


def load(name: str) -> type[State]:
    module, _, attribute = REGISTERED[name].partition(":")
    found: type[State] = getattr(importlib.import_module(module), attribute)
    return found


def played(name: str) -> str:
    return playthrough(load(name), max_plies=PLIES.get(name, 200))


@pytest.mark.quick
@pytest.mark.parametrize("name", REGISTERED)
def test_playthrough_matches_golden_file(name: str) -> None:
    path = GOLDEN / f"{name}.txt"
    if not path.exists():
        pytest.skip(f"{path.relative_to(ROOT)} is missing; see the top of {__file__}")
    assert played(name) == path.read_text(encoding="utf-8")


def test_every_golden_file_belongs_to_a_game() -> None:
    assert {path.stem for path in GOLDEN.glob("*.txt")} <= set(REGISTERED)


# Where 10,000 games take more than four hours; a game of Scrabble takes minutes.
FEWER = {"battleship": 1_000, "go19": 1_000, "scrabble": 10}
# Random games of Go on 19 x 19 pass 1,000 plies.
MAX_PLIES = 5_000


@pytest.mark.nightly
@in_parts
@pytest.mark.parametrize("name", REGISTERED)
def test_contract_over_many_random_games(name: str, part: int) -> None:
    games = -(-FEWER.get(name, 10_000) // PARTS)
    report = check_game(load(name), games=games, seed=1913 + part, max_plies=MAX_PLIES)
    assert report.unfinished == 0


if __name__ == "__main__":
    for game in REGISTERED:
        (GOLDEN / f"{game}.txt").write_text(played(game), encoding="utf-8")
        print(f"tests/golden/{game}.txt")
