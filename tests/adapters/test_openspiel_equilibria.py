"""Rules, best responses and exploitability of the poker games beside OpenSpiel's own."""

from __future__ import annotations

from typing import Any

import pytest

from zermelo.core.game import CHANCE, State
from zermelo.games.kuhn import Kuhn
from zermelo.games.leduc import Leduc
from zermelo.games.liarsdice import LIAR, LiarsDice
from zermelo.solve.approximation import Approximation
from zermelo.solve.equilibrium import Equilibrium

pyspiel = pytest.importorskip("pyspiel")

pytestmark = pytest.mark.long


def exploitability(theirs: Any, root: State, found: Equilibrium, cards_of_a_rank: int, lowest: int) -> float:
    """OpenSpiel's exploitability of our strategies, after all results have been compared."""
    policy: dict[str, list[tuple[int, float]]] = {}

    def walk(other: Any, state: State, deal: list[int]) -> None:
        if other.is_terminal():
            assert state.is_over()
            assert other.returns()[0] == state.utility()
        elif other.is_chance_node():
            for card in other.legal_actions():
                rank = lowest + card // cards_of_a_rank
                if len(deal) == 1:
                    walk(other.child(card), state.play(4 * deal[0] + rank), [*deal, rank])
                else:
                    walk(other.child(card), state.play(rank) if deal else state, [*deal, rank])
        else:
            mover = state.to_move()
            assert mover != CHANCE
            chosen = found.strategies[mover][state.information_state(mover)]
            probabilities = [(move, float(chosen[state.move_name(move)])) for move in state.legal_moves()]
            assert [move for move, _ in probabilities] == other.legal_actions()
            policy[other.information_state_string()] = probabilities
            for move in state.legal_moves():
                walk(other.child(move), state.play(move), deal)

    walk(theirs.new_initial_state(), root, [])
    return float(pyspiel.exploitability(theirs, pyspiel.TabularPolicy(policy)))


@pytest.mark.parametrize("iterations", [1, 3, 200])
@pytest.mark.parametrize(
    ("name", "root", "cards_of_a_rank"), [("kuhn_poker", Kuhn(), 1), ("leduc_poker", Leduc(), 2)], ids=["kuhn", "leduc"]
)
def test_exploitability_is_that_of_openspiel(name: str, root: State, cards_of_a_rank: int, iterations: int) -> None:
    *_, found = Approximation(root).run(iterations)
    expected = exploitability(pyspiel.load_game(name), root, found, cards_of_a_rank, lowest=1)
    assert found.exploitability == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("iterations", [1, 50])
@pytest.mark.parametrize(("dice", "faces"), [(1, 3), (1, 4), (2, 2), pytest.param(1, 6, marks=pytest.mark.nightly)])
def test_liars_dice_is_that_of_openspiel(dice: int, faces: int, iterations: int) -> None:
    *_, found = Approximation(LiarsDice(dice, faces)).run(iterations)
    theirs = pyspiel.load_game(f"liars_dice(numdice={dice},dice_sides={faces})")
    policy: dict[str, list[tuple[int, float]]] = {}

    def walk(other: Any, state: State, rolled: list[int]) -> None:
        if other.is_terminal():
            assert other.returns()[0] == state.utility()
        elif other.is_chance_node():
            for face in other.legal_actions():
                dice_so_far = [*rolled, face + 1]
                following = state
                if len(dice_so_far) == 2 * dice:
                    first, second = ("".join(map(str, hand)) for hand in (dice_so_far[:dice], dice_so_far[dice:]))
                    following = state.play(state.parse_move(f"{first},{second}"))
                walk(other.child(face), following, dice_so_far)
        else:
            mover = state.to_move()
            chosen = found.strategies[mover][state.information_state(mover)]
            moves = state.legal_moves()
            moves = [*moves[1:], LIAR] if moves[0] == LIAR else moves
            assert len(moves) == len(other.legal_actions())
            probabilities = [float(chosen[state.move_name(move)]) for move in moves]
            policy[other.information_state_string()] = list(zip(other.legal_actions(), probabilities, strict=True))
            for action, move in zip(other.legal_actions(), moves, strict=True):
                walk(other.child(action), state.play(move), rolled)

    walk(theirs.new_initial_state(), LiarsDice(dice, faces), [])
    expected = float(pyspiel.exploitability(theirs, pyspiel.TabularPolicy(policy)))
    assert found.exploitability == pytest.approx(expected, abs=1e-9)
    for player, bound in enumerate((found.upper_bound, -found.lower_bound)):
        response = pyspiel.TabularBestResponse(theirs, player, policy)
        assert bound == pytest.approx(response.value_from_state(theirs.new_initial_state()), abs=1e-9)
