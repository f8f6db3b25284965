"""Go beside OpenSpiel's: legal moves, superko and results of random games."""

from __future__ import annotations

from random import Random

import pytest

from zermelo.core.history import PositionHistory, allowed_moves
from zermelo.games.go import Go

pyspiel = pytest.importorskip("pyspiel")


def play_random_game(size: int, komi: float, random: Random) -> str:
    """Play a random game in both; return how it ended."""
    # OpenSpiel's games end in a repetition that positional superko forbids, or after max_game_length moves.
    options = {"board_size": size, "komi": komi, "max_game_length": 600}
    theirs = pyspiel.load_game("go", options).new_initial_state()
    ours = Go.parse(f"{size}x{size} komi {komi:g}")
    history = PositionHistory([ours])
    for _ in range(600):
        moves = {size * size if move == ours.PASS else size * (move // ours.ROW) + move % ours.ROW: move
                 for move in ours.moves()}  # fmt: skip
        assert sorted(moves) == theirs.legal_actions(), (str(ours), str(theirs))
        action = random.choice(sorted(moves))
        is_allowed = moves[action] in allowed_moves(ours, history)
        ours = ours.play(moves[action])
        history.push(ours)
        theirs.apply_action(action)
        if not is_allowed:
            assert theirs.is_terminal()
            return "superko"
        assert theirs.is_terminal() == ours.is_over(), str(ours)
        if ours.is_over():
            utility = ours.utility()
            assert theirs.returns()[0] == (utility > 0) - (utility < 0)
            return "passes"
    return "length"


@pytest.mark.parametrize(
    "games", [10, pytest.param(1000, marks=pytest.mark.nightly)], ids=["few", "many"]
)  # fmt: skip
def test_random_games_are_equal(games: int) -> None:
    random = Random(1)
    ends = [play_random_game(2 + number % 8, 0.5 + number % 3, random) for number in range(games)]
    assert ends.count("passes") > games / 4
    assert games < 1000 or "superko" in ends
