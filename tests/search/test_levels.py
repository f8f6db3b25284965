"""Levels and variety: limits, blunders, the random choice among good moves, and strength that grows with the level."""

import random
from collections import Counter

import pytest

from zermelo import Engine, LimitError, MonteCarlo, arena, load
from zermelo.search.levels import LEVELS, MAX_LEVEL, Strength
from zermelo.search.limits import Limits

TICTACTOE = load("tictactoe")


def test_levels_are_one_to_ten_and_grow() -> None:
    assert list(LEVELS) == list(range(1, MAX_LEVEL + 1))
    for weaker, stronger in zip(list(LEVELS.values()), list(LEVELS.values())[1:], strict=False):
        assert weaker.nodes < stronger.nodes
        assert weaker.playouts < stronger.playouts
        assert weaker.blunders >= stronger.blunders


@pytest.mark.parametrize(
    ("level", "variety", "message"),
    [
        (0, None, "level must be between 1 and 10 (got 0)"),
        (11, None, "level must be between 1 and 10 (got 11)"),
        (None, -1, "variety must be between 0 and 10,000,000 (got -1)"),
    ],
)
def test_numbers_out_of_range(level, variety, message) -> None:
    with pytest.raises(LimitError) as error:
        Strength(level, variety)
    assert str(error.value) == message


def test_limits_of_a_level() -> None:
    assert Strength(3).limits(Limits(seconds=1), by_playouts=False, state=TICTACTOE.start()) == Limits(
        seconds=1, nodes=300
    )
    assert Strength(3).limits(Limits(nodes=50), by_playouts=True, state=TICTACTOE.start()) == Limits(nodes=50)
    assert Strength().limits(Limits(depth=3), by_playouts=False, state=TICTACTOE.start()) == Limits(depth=3)


def test_blunders_come_as_often_as_stated() -> None:
    source, moves = random.Random(1), [4, 5, 6]
    made = [Strength(1).root_moves(moves, source) for _ in range(3000)]
    assert sum(map(bool, made)) == pytest.approx(3000 * LEVELS[1].blunders, rel=0.1)
    assert min(Counter(made)[(move,)] for move in moves) > 300
    assert not any(Strength(10).root_moves(moves, source) for _ in range(100))


def test_variety_chooses_among_equal_moves() -> None:
    """The corners of the empty board are equal in a search of one ply, and so is no other square."""
    source = random.Random(2)
    with Engine("1M") as engine:
        found = engine.analyse(TICTACTOE.parse("---/-X-/---"), depth=1, lines=9)
        chosen = Counter(Strength(variety=0).choose(found, source).best for _ in range(400))
        assert set(chosen) == {line.names[0] for line in found.lines if line.score == found.score}
        assert len(chosen) == 4
        assert min(chosen.values()) > 60
        assert {Strength(variety=100).choose(found, source).best for _ in range(400)} == {
            line.names[0] for line in found.lines
        }
        assert Strength(level=10).choose(found, source) is found


def test_variety_keeps_proven_wins() -> None:
    source = random.Random(3)
    with Engine("1M") as engine:
        found = engine.analyse(TICTACTOE.parse("XX-OO----"), depth=9, lines=5)
    assert {Strength(variety=1_000_000).choose(found, source).best for _ in range(50)} == {"c1"}


def test_variety_of_playouts_needs_visits() -> None:
    with MonteCarlo(compiled=False) as mcts:
        found = mcts.analyse(TICTACTOE.start(), nodes=300, lines=9)
    chosen = {Strength(variety=2000).choose(found, random.Random(seed)).move for seed in range(100)}
    assert chosen == {line.move for line in found.lines if line.visits >= found.lines[0].visits / 10}


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["engine", "mcts"])
def test_higher_levels_are_stronger(kind: str) -> None:
    for weaker, stronger in ((1, 5), (4, 8)):
        table = arena.match("connect4", f"{kind}:level={stronger}", f"{kind}:level={weaker}", games=60, seed=1)
        assert table.rows[0].name == f"{kind}:level={stronger}"
        assert table.rows[0].score.points > 36
