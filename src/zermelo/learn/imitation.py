"""Samples for a network's first training: positions near those of a file, with the scores of an evaluation as labels.

A few random moves from each labelled position lead to others, whose static scores cost a microsecond each. A network
that imitates these scores knows the values of pieces and squares before it learns from the scores of searches, of which
there are never enough: its errors differ less between the positions that a search compares.
"""

from __future__ import annotations

import numpy as np

from zermelo.compiled import native
from zermelo.core.evaluation import Evaluation
from zermelo.core.game import CHANCE, MIN, State
from zermelo.core.network import Network
from zermelo.core.random_numbers import random_below, random_word
from zermelo.learn.features import Array, StateRow, state_at
from zermelo.learn.least_squares import logistic
from zermelo.learn.network_training import Sample

#: Positions for each one of the file, and at most, 320 MB for chess; each is 0 to 3 random moves away from one.
_NEIGHBOURS, _MOST, _MOVES = 20, 5_000_000, 4
#: Passes over them.
IMITATION_PASSES = 4


def imitation_sample(
    network: Network, cls: type[State], states: Array, evaluation: Evaluation, seed: int, factor: float, *,
    are_chances: bool = True,
) -> Sample:  # fmt: skip
    """Positions from the side to move, with the scores of an evaluation times a factor as targets.

    Parameters
    ----------
    network : Network
        The network that looks at the positions.
    cls : type
        The game.
    states : array
        The words of the states to start from.
    evaluation : Evaluation
        The evaluation to imitate.
    seed : int
        Seed of the random moves.
    factor : float
        The logits, or outputs, for a score of 1.
    are_chances : bool
        Whether the targets are probabilities of a win, the logistic function of the products.
    """
    count = min(_NEIGHBOURS * len(states), _MOST)
    inputs = np.full((count, network.most_inputs), -1, np.int16)
    facts = np.full((2, count), -1, np.int32)
    arguments = states, network, evaluation, cls.start(), StateRow(), seed, inputs, facts
    native(_read_neighbours, *arguments)(*arguments)
    chosen = facts[0] >= 0
    targets = factor * facts[1][chosen]
    if are_chances:
        targets = logistic(targets)
    return Sample(inputs[chosen], facts[0][chosen].astype(np.int8), targets.astype(np.float32))


def _read_neighbours(
    states: Array, network: Network, evaluation: Evaluation, like: State, row: StateRow, seed: int, inputs: Array,
    facts: Array,
) -> None:  # fmt: skip
    """The inputs that are 1 as the side to move sees them; the stage, -1 if there is none; its score."""
    draws = 0
    for index in range(len(inputs)):
        state = state_at(states, random_below(len(states), random_word(seed, draws)), like, row)
        moves = random_below(_MOVES, random_word(seed, draws + 1))
        draws += 2
        for _ in range(moves):
            if state.is_over() or state.to_move() == CHANCE:
                break
            count = 0
            for _ in state.moves():
                count += 1
            number = random_below(count, random_word(seed, draws))
            draws += 1
            chosen = 0
            for move in state.moves():
                if number == 0:
                    chosen = move
                    break
                number -= 1
            state = state.play(chosen)
        if state.is_over() or (state.has_in_check and state.in_check()) or network.is_known(state):
            continue
        stage, side = network.read_inputs(state, inputs[index])
        score = evaluation.score(state)
        facts[0, index] = stage
        facts[1, index] = -score if side == MIN else score
