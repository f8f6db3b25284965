"""Fit a network to labelled positions: their inputs, without positions that a static evaluation cannot judge."""

from __future__ import annotations

import numpy as np

from zermelo.compiled import native
from zermelo.core.game import MIN, State
from zermelo.core.network import Network
from zermelo.learn.features import Array, StateRow, state_at
from zermelo.learn.network_training import Sample
from zermelo.learn.position_file import Positions


def network_sample(
    network: Network, cls: type[State], positions: Positions, targets: Array, *, are_chances: bool = True
) -> Sample:
    """The positions from the side to move, with `targets` from MAX's side: the probabilities of a win, or outputs.

    Positions in check, or with a tactical best move, are left out: a search looks further there before it evaluates.
    The mirror images follow, if the network declares `mirror`.
    """
    count = len(positions)
    inputs = np.full((count, network.most_inputs), -1, np.int16)
    facts = np.zeros((3, count), np.int8)
    arguments = positions.states, network, cls.start(), StateRow(), positions.best, inputs, facts
    native(_read_inputs, *arguments)(*arguments)
    stages, is_min, is_quiet = facts
    wanted = np.where(is_min == 1, 1 - targets if are_chances else -targets, targets).astype(np.float32)
    chosen = is_quiet == 1
    found = Sample(inputs[chosen], stages[chosen], wanted[chosen])
    if not network.mirror:
        return found
    images = np.where(found.inputs < 0, -1, mirrored_inputs(type(network))[found.inputs])
    return Sample(np.concatenate([found.inputs, images]), np.tile(found.stages, 2), np.tile(found.targets, 2))


def mirrored_inputs(network: type[Network]) -> Array:
    """For each input, that of the mirror image."""
    plane, square = np.divmod(np.arange(network.plane_count * network.squares), network.squares)
    mirrored: Array = (plane * network.squares + (square ^ network.mirror)).astype(np.int16)
    return mirrored


def _read_inputs(
    states: Array, network: Network, like: State, row: StateRow, best: Array, inputs: Array, facts: Array
) -> None:
    """The inputs that are 1 as the side to move sees them; the stage, whether MIN is to move, whether it is quiet."""
    for index in range(len(states)):
        state = state_at(states, index, like, row)
        move = int(best[index])
        if state.is_over() or (state.has_in_check and state.in_check()):
            continue
        if state.has_tactical_moves and move >= 0 and state.is_tactical(move):
            continue
        stage, side = network.read_inputs(state, inputs[index])
        facts[0, index] = stage
        facts[1, index] = 1 if side == MIN else 0
        facts[2, index] = 1
