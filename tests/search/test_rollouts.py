"""Rollouts: counts, means and errors; equal to the exact bear-off; repeatable; at the command line."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from zermelo.core.game import CHANCE
from zermelo.core.weight_file import save_weights
from zermelo.errors import LimitError, ZermeloError
from zermelo.games.backgammon import Backgammon
from zermelo.games.tictactoe import TicTacToe
from zermelo.search.rollouts import Rollout, check_rollout, rollout

# X has 5 checkers on its points 1 to 5, O four on 1, 3, 4 and 6; X to roll.
BEAROFF = "KQEAoCoAAAAAAA"


@pytest.mark.quick
def test_mean_and_error() -> None:
    found = Rollout({2: 1, 1: 4, -1: 5})
    assert found.games == 10
    assert found.mean == pytest.approx(0.1)
    assert found.error == pytest.approx(math.sqrt((1.9**2 + 4 * 0.9**2 + 5 * 1.1**2) / 9 / 10))
    assert Rollout({1: 1}).error == math.inf


@pytest.mark.quick
def test_refusals() -> None:
    with pytest.raises(ZermeloError, match="TicTacToe has no chance events"):
        check_rollout(TicTacToe.start())
    for numbers, name in (((0, 1, 1), "games"), ((1, 0, 1), "depth"), ((1, 1, 0), "max_plies")):
        with pytest.raises(LimitError, match=f"{name} must be from 1"):
            check_rollout(Backgammon.start(), *numbers)


@pytest.mark.long
def test_rollouts_of_a_bear_off_have_its_exact_equity() -> None:
    state = Backgammon.parse(BEAROFF)
    assert state.to_move() == CHANCE
    exact = Backgammon.evaluations["phases"].score(state) / 1000
    found = rollout(state, 2000, "phases", seed=3)
    assert found.games == 2000
    assert found.mean == pytest.approx(exact, abs=4 * found.error)
    assert rollout(state, 50, "phases", seed=3) == rollout(state, 50, "phases", seed=3)
    assert rollout(state, 200, "phases", seed=3) != rollout(state, 200, "phases", seed=4)


@pytest.mark.long
def test_interrupted_rollouts_keep_their_games() -> None:
    def stop(done: int) -> None:
        if done == 7:
            raise KeyboardInterrupt

    state = Backgammon.parse(BEAROFF)
    assert rollout(state, 100, "phases", on_progress=stop).games == 7


@pytest.mark.long
def test_commands(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    done = zermelo("rollout", "backgammon", BEAROFF, "--games", "36", "--evaluation", "phases")
    assert done.code == 0, done.err
    assert "X (white) wins 1" in done.out
    assert "36 games, moves by phases at depth 1" in done.out
    found = zermelo("rollout", "backgammon", BEAROFF, "--games", "36", "--evaluation", "phases", "--json").json
    assert sum(found["counts"].values()) == found["games"] == 36
    words = ("rollout", "backgammon", BEAROFF, "--moves", "21", "--candidates", "3", "--games", "36")
    compared = zermelo(*words, "--evaluation", "phases", "--json").json["moves"]
    assert len(compared) == 3
    assert "difference" in zermelo(*words, "--evaluation", "phases").out
    advice = zermelo("cube", BEAROFF, "--games", "36", "--evaluation", "phases")
    assert advice.code == 0, advice.err
    assert "decision" in advice.out
    match = zermelo(
        "cube", BEAROFF, "--games", "36", "--evaluation", "phases", "--length", "7", "--score", "3-5", "--json"
    ).json
    assert match["match"]["score"] == [3, 5]
    assert set(match["actions"]) == {"no_double", "double_take", "double_pass"}
    save_weights(tmp_path / "pips.weights", Backgammon, Backgammon.evaluations["pips"])
    own, read = (
        zermelo("rollout", "backgammon", BEAROFF, "--games", "36", "--evaluation", name, "--json").json
        for name in ("pips", str(tmp_path / "pips.weights"))
    )
    assert read == own | {"evaluation": read["evaluation"]}
    assert zermelo("cube", BEAROFF, "--games", "36", "--evaluation", str(tmp_path / "pips.weights")).code == 0
    assert zermelo("rollout", "backgammon", BEAROFF, "--candidates", "3").code == 2


@pytest.mark.parametrize("words", [("rollout", "backgammon"), ("cube",)])
def test_ctrl_c_after_some_games(
    zermelo: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    """The results of these games were printed with exit code 0, as if they were all."""
    results = iter([1, -1, 1])

    def play(*_: object) -> int:
        for result in results:
            return result
        raise KeyboardInterrupt

    monkeypatch.setattr("zermelo.search.rollouts._play", play)
    monkeypatch.setattr("zermelo.search.rollouts.PositionSearch", lambda *_: None)
    done = zermelo(*words, BEAROFF, "--games", "36", "--json")
    assert (done.code, done.err) == (130, "zermelo: interrupted; 3 of 36 games\n")
    assert done.json["games"] == 3
