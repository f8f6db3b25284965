"""Fit a network to labelled positions: their inputs."""

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

    The mirror images follow, if the network declares `mirror`.
    """
    count = len(positions)
    inputs = np.full((count, network.most_inputs), -1, np.int16)
    facts = np.zeros((2, count), np.int8)
    arguments = positions.states, network, cls.start(), StateRow(), inputs, facts
    native(_read_inputs, *arguments)(*arguments)
    stages, is_min = facts
    wanted = np.where(is_min == 1, 1 - targets if are_chances else -targets, targets).astype(np.float32)
    found = Sample(inputs, stages, wanted)
    if not network.mirror:
        return found
    images = np.where(found.inputs < 0, -1, mirrored_inputs(type(network))[found.inputs])
    return Sample(np.concatenate([found.inputs, images]), np.tile(found.stages, 2), np.tile(found.targets, 2))


def are_known(network: Network, cls: type[State], positions: Positions) -> Array:
    """Whether the score of each position is known without the network."""
    found = np.zeros(len(positions), np.bool_)
    arguments = positions.states, network, cls.start(), StateRow(), found
    native(_find_known, *arguments)(*arguments)
    return found


def mirrored_inputs(network: type[Network]) -> Array:
    """For each input, that of the mirror image."""
    plane, square = np.divmod(np.arange(network.plane_count * network.squares), network.squares)
    mirrored: Array = (plane * network.squares + (square ^ network.mirror)).astype(np.int16)
    return mirrored


def _read_inputs(states: Array, network: Network, like: State, row: StateRow, inputs: Array, facts: Array) -> None:
    """The inputs that are 1 as the side to move sees them; the stage, and whether MIN is to move."""
    for index in range(len(states)):
        stage, side = network.read_inputs(state_at(states, index, like, row), inputs[index])
        facts[0, index] = stage
        facts[1, index] = 1 if side == MIN else 0


def _find_known(states: Array, network: Network, like: State, row: StateRow, found: Array) -> None:
    for index in range(len(states)):
        found[index] = network.is_known(state_at(states, index, like, row))
