"""Levels of Othello programs: depth, confidence, when the game is solved, and the commands that set them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import pytest

import zermelo
from zermelo.core.game import MAX
from zermelo.errors import LimitError
from zermelo.games.go import Go
from zermelo.games.othello import Othello
from zermelo.protocols import gtp_server
from zermelo.protocols.gtp_server import GtpServer
from zermelo.protocols.othello_levels import MAX_LEVEL, OthelloLevel, othello_level, set_confidence
from zermelo.search.engine import Engine
from zermelo.search.limits import Limits

pytestmark = pytest.mark.quick


def test_levels_grow() -> None:
    levels = [othello_level(level) for level in range(1, MAX_LEVEL + 1)]
    assert levels[0] == OthelloLevel(1, 100, 7)
    assert levels[9:11] == [OthelloLevel(10, 100, 16), OthelloLevel(11, 95, 17)]
    assert [level.solved for level in levels[13:24]] == [20, 20, 20, 20, 20, 20, 20, 20, 21, 21, 22]
    assert levels[59].solved == 40
    assert all(first.depth < second.depth for first, second in pairwise(levels))
    assert all(first.solved <= second.solved for first, second in pairwise(levels))
    for level in (0, 61):
        with pytest.raises(LimitError, match="level must be between 1 and 60"):
            othello_level(level)


def test_limits() -> None:
    assert othello_level(8).limits(Othello()) == Limits(depth=8)
    ending = Othello.parse("--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X")
    assert (ending.black | ending.white).count() == 64 - 14
    assert othello_level(7).limits(ending) == Limits(depth=7)
    assert othello_level(8).limits(ending) == Limits(exact=True)


@pytest.mark.long
def test_high_levels_search_to_the_end_at_a_confidence_before_they_solve() -> None:
    # Position 42 of the FFO suite, worth 6 discs to the side to move.
    state = Othello.parse("--OOO-------XX-OOOOOOXOO-OOOOXOOX-OOOXXO---OOXOO---OOOXO--OOOO-- X")
    level = othello_level(22)
    assert level.limits(state) == Limits(depth=22)
    with Engine("64M", selective=level.confidence) as engine:
        found = engine.analyse(state, depth=level.depth)
    assert (found.confidence, found.score.is_proven, found.best) == (95, False, "g2")
    assert abs(found.score.pov(state.to_move()).number - 6) <= 4


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """An engine that searches nothing."""
    monkeypatch.setattr(Engine, "analysis", lambda *_, **__: iter(()))
    with Engine("1M") as made:
        yield made


def test_the_confidence_needs_an_evaluation_that_knows_its_errors(engine: Engine) -> None:
    for level, evaluation, expected in ((10, None, 100), (11, None, 95), (11, "mobility", 100), (1, "mobility", 100)):
        set_confidence(engine, othello_level(level), evaluation)
        assert engine.selective == expected


def test_gtp_sets_the_level(engine: Engine) -> None:
    server = GtpServer("othello", Othello, engine, Limits(seconds=1.0))
    assert server.limits_of(MAX) == Limits(seconds=1.0)
    assert server.command("level 12") == "=\n\n"
    assert (server.limits_of(MAX), engine.selective) == (Limits(depth=12), 95)
    assert server.command("level 61") == "? level expected, an integer from 1 to 60\n\n"
    assert server.command("time_settings 60 0 0") == "=\n\n"
    assert server.limits_of(MAX).seconds is not None


def test_gtp_levels_of_other_games_limit_playouts_and_nodes() -> None:
    server = GtpServer("go", Go, zermelo.MonteCarlo(seed=1, compiled=False), Limits(nodes=2))
    assert server.command("level 3") == "=\n\n"
    assert server.limits_of(MAX) == Limits(nodes=100)
    assert server.command("level 11") == "? level expected, an integer from 1 to 10\n\n"
    assert gtp_server.MAX_LEVEL == 10
