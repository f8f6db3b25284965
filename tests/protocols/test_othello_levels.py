"""Levels of Othello programs: depth, confidence, when the game is solved, and the commands that set them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest

import zermelo
from zermelo.arena.players.clock import Clock, TimeControl
from zermelo.arena.players.player import Turn
from zermelo.arena.players.specs import check_player, check_spec, player_for
from zermelo.core.game import MAX
from zermelo.core.search_level import SearchLevel
from zermelo.errors import LimitError
from zermelo.games.go import Go
from zermelo.games.othello import Othello, Othello6, Othello10
from zermelo.games.othello.levels import solved_from
from zermelo.protocols.gtp_server import GtpServer
from zermelo.search.analysis import Analysis
from zermelo.search.engine import Engine
from zermelo.search.levels import Strength, max_level, set_confidence
from zermelo.search.limits import Limits

pytestmark = pytest.mark.quick


def level_of(level: int, state: Othello | None = None) -> SearchLevel:
    return (state or Othello()).search_level(level)


def test_levels_grow() -> None:
    levels = [level_of(level) for level in range(1, Othello.max_level + 1)]
    assert levels[0] == SearchLevel(1, 100)
    assert levels[9:11] == [SearchLevel(10, 100), SearchLevel(11, 95)]
    assert [level.depth for level in levels] == list(range(1, 61))
    solved = [solved_from(level) for level in range(1, 61)]
    assert (solved[0], solved[9], solved[10]) == (7, 16, 17)
    assert solved[13:24] == [20, 20, 20, 20, 20, 20, 20, 20, 21, 21, 22]
    assert solved[59] == 40
    assert all(first <= second for first, second in pairwise(solved))


def test_boards_of_other_sizes_have_the_general_levels() -> None:
    assert (max_level(Othello), max_level(Othello6), max_level(Othello10)) == (60, 10, 10)


def test_limits() -> None:
    def limits(level: int, state: Othello, limits: Limits) -> Limits:
        return Strength(level, game=Othello).limits(limits, by_playouts=False, state=state)

    assert limits(8, Othello(), Limits()) == Limits(depth=8)
    assert limits(8, Othello(), Limits(depth=3, seconds=1)) == Limits(depth=3, seconds=1)
    ending = Othello.parse("--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X")
    assert (ending.black | ending.white).count() == 64 - 14
    assert limits(7, ending, Limits()) == Limits(depth=7)
    assert limits(8, ending, Limits(seconds=1)) == Limits(exact=True, seconds=1)
    assert limits(8, ending, Limits(depth=3)) == Limits(depth=3)


@pytest.mark.parametrize("level", [0, 61])
def test_the_range_is_that_of_the_game(level: int) -> None:
    with pytest.raises(LimitError, match=rf"^level must be between 1 and 60 in Othello \(got {level}\)$"):
        Strength(level, game=Othello)


def test_blunders_are_those_of_the_general_levels() -> None:
    for level in (1, 7, 8, 60):
        own, general = Strength(level, game=Othello), Strength(min(level, 10))
        made = [each.root_moves([1, 2, 3], random.Random(seed)) for each in (own, general) for seed in range(50)]
        assert made[:50] == made[50:]
        assert own.margin == general.margin


def test_players_of_matches() -> None:
    with pytest.raises(LimitError, match=r"level must be between 1 and 60 in Othello \(got 61\)"):
        check_player(Othello, "engine:level=61")
    with pytest.raises(LimitError, match=r"level must be between 1 and 10 \(got 11\)"):
        check_player(Othello, "mcts:level=11")
    with pytest.raises(LimitError, match=r"level must be between 1 and 10 \(got 11\)"):
        check_player(Othello6, "engine:level=11")
    check_spec("engine:level=60")
    with pytest.raises(LimitError, match="level must be between"):
        check_spec("engine:level=0")


@pytest.mark.parametrize(
    ("spec", "limits", "selective"),
    [
        ("engine:level=12", Limits(depth=12), 95),
        ("engine:level=10", Limits(depth=10), 100),
        ("engine:level=12,evaluation=mobility", Limits(depth=12), 100),
        ("engine:level=12,selective=no", Limits(depth=12), False),
        ("engine:level=12,depth=4", Limits(depth=4), 95),
    ],
)
def test_a_player_searches_at_the_level(
    monkeypatch: pytest.MonkeyPatch, spec: str, limits: Limits, selective: int
) -> None:
    seen: list[tuple[Limits, object]] = []

    def analysis(self: Engine, state: Othello, limits: Limits, **_: object) -> Iterator[Analysis]:
        seen.append((replace(limits, seconds=None), self.selective))
        return original(self, state, Limits(depth=1))

    original = Engine.analysis
    monkeypatch.setattr(Engine, "analysis", analysis)
    player = player_for(Othello, spec)
    player.choose(Turn(Othello(), (), (), Clock.of(TimeControl())))
    player.close()
    assert seen == [(limits, selective)]


@pytest.mark.long
def test_high_levels_search_to_the_end_at_a_confidence_before_they_solve() -> None:
    # Position 42 of the FFO suite, worth 6 discs to the side to move.
    state = Othello.parse("--OOO-------XX-OOOOOOXOO-OOOOXOOX-OOOXXO---OOXOO---OOOXO--OOOO-- X")
    strength = Strength(22, game=Othello)
    with Engine("64M") as engine, strength.at_confidence(engine, state):
        *_, found = engine.analysis(state, strength.limits(Limits(), by_playouts=False, state=state))
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
        set_confidence(engine, Strength(level, game=Othello), Othello(), evaluation)
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
