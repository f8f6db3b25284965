"""The search of callers that choose no algorithm."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import zermelo
from zermelo.search.default import DefaultSearcher, default_algorithm, make_searcher
from zermelo.search.limits import Limits

pytestmark = pytest.mark.quick

EXAMPLES = Path(__file__).parents[2] / "examples"
GHOST = zermelo.load(str(EXAMPLES / "ghost.py"))
SWITCHING = zermelo.load(str(EXAMPLES / "switching.py"))


@pytest.mark.parametrize(
    ("game", "limits", "evaluation", "algorithm"),
    [
        (GHOST, Limits(seconds=1), None, "mcts"),
        (GHOST, Limits(nodes=10), None, "mcts"),
        (GHOST, Limits(soft_seconds=1), None, "mcts"),
        (GHOST, Limits(seconds=1), "nothing", "engine"),
        (GHOST, Limits(seconds=1, depth=3), None, "engine"),
        (GHOST, Limits(exact=True, nodes=10), None, "engine"),
        (GHOST, Limits(), None, "engine"),
        (zermelo.load("tictactoe"), Limits(seconds=1), None, "engine"),
    ],
)
def test_games_without_an_evaluation_are_searched_by_playouts_unless_depth_or_proof_is_wanted(
    game: type[zermelo.State], limits: Limits, evaluation: str | None, algorithm: str
) -> None:
    assert default_algorithm(game, limits, evaluation) == algorithm


def test_a_small_game_is_solved_by_the_engine() -> None:
    found = zermelo.analyse(GHOST.start(), nodes=20_000)
    assert (found.algorithm, found.reason, found.score.value) == ("engine", "exact", 1)
    assert found.score.plies == 6
    assert zermelo.best_move(GHOST.start(), nodes=20_000) == found.move


def test_an_unsolved_game_is_estimated_by_playouts_in_the_second_half_of_the_limit() -> None:
    found = zermelo.analyse(SWITCHING.start(), nodes=100)
    assert (found.algorithm, found.reason, found.nodes) == ("mcts", "nodes", 50)
    assert found.score.estimate is not None
    reasons = [each.reason for each in zermelo.analysis(SWITCHING.start(), nodes=600)]
    assert set(reasons[:-1]) <= {"searching"}
    assert zermelo.analyse(SWITCHING.start(), nodes=100, depth=2).algorithm == "engine"


def test_finished_games_and_stopped_searches_end() -> None:
    over = GHOST("ant")
    assert zermelo.analyse(over).reason == "game over"
    with DefaultSearcher() as searcher:
        search = searcher.analysis(SWITCHING.start(), seconds=60)
        next(search)
        searcher.stop()
        *_, last = search
        assert last.reason == "stopped"
        assert searcher.analyse(SWITCHING.start(), nodes=100).algorithm == "mcts"
    with pytest.raises(zermelo.errors.InputError):
        searcher.analyse(over)


def test_algorithms_by_name() -> None:
    assert type(make_searcher("engine")) is zermelo.Engine
    assert type(make_searcher("mcts")) is zermelo.MonteCarlo
    assert type(make_searcher()) is DefaultSearcher
    with pytest.raises(zermelo.errors.UnknownGame, match="unknown algorithm 'ai'; expected engine or mcts"):
        make_searcher("ai")


def test_the_command_line_chooses_alike(zermelo: Callable[..., Any]) -> None:
    switching = str(EXAMPLES / "switching.py")
    assert zermelo("analyse", switching, "--nodes", "100", "--seed", "2", "--json").json["algorithm"] == "mcts"
    assert zermelo("analyse", switching, "--nodes", "100", "--algorithm", "engine", "--json").json["nodes"] == 100
    code, _, err = zermelo("analyse", switching, "--depth", "2", "--seed", "2")
    assert code == 2
    assert "--seed needs --algorithm mcts" in err
