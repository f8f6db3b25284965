"""The sequence form as arrays, for compiled loops."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from zermelo.core.game import CHANCE, MAX, MIN
from zermelo.solve.sequence_form import END, SequenceForm

Ints: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"
Floats: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"


@dataclass(frozen=True, slots=True)
class PlayerArrays:
    """One player's information sets, ancestors first, and what it earns where its sequences end a game."""

    #: By information set, the sequence that leads to it.
    parents: Ints
    #: By information set, the first sequence that continues from it; one more entry is the end of the last set's.
    firsts: Ints
    #: By sequence, the place of its first payoff in `others` and `payoffs`; one more entry is their length.
    starts: Ints
    #: The other player's last sequence.
    others: Ints
    #: The player's own utility, times the probability of chance's moves.
    payoffs: Floats

    @property
    def sequences(self) -> int:
        """The number of sequences."""
        return len(self.starts) - 1

    @property
    def tree(self) -> tuple[Ints, Ints]:
        """`parents` and `firsts`, the arguments of most loops."""
        return self.parents, self.firsts

    @property
    def ends(self) -> tuple[Ints, Ints, Floats]:
        """`starts`, `others` and `payoffs`."""
        return self.starts, self.others, self.payoffs


@dataclass(frozen=True, slots=True)
class NodeArrays:
    """The nodes of the game tree, parents first."""

    #: MAX, MIN, CHANCE or END, as in `sequence_form.Node`.
    kinds: Ints
    #: Where a player moves, the first sequence that continues, those of MIN after all of MAX; at an end, the utility.
    indexes: Ints
    #: The place of the first child in `children`; one more entry is their number.
    firsts: Ints
    children: Ints
    #: By child of a chance node, the sum of the weights up to it.
    weights: Ints

    @property
    def all(self) -> tuple[Ints, Ints, Ints, Ints, Ints]:
        """The arrays in this order."""
        return self.kinds, self.indexes, self.firsts, self.children, self.weights


def player_arrays(form: SequenceForm, player: int) -> PlayerArrays:
    """Return the arrays of a player; payoffs of the same pair of sequences are added."""
    own, other = form.players[player], form.players[-player]
    parents = np.array([each.parent for each in own.information_sets], np.int64)
    firsts = np.array([*(each.first for each in own.information_sets), own.sequences], np.int64)
    sequences = np.array([(end.max_sequence, end.min_sequence) for end in form.ends], np.int64).reshape(-1, 2)
    utilities = np.array([float(end.probability) * end.utility for end in form.ends], np.float64)
    first, second = sequences.T if player == MAX else sequences.T[::-1]
    pairs, places = np.unique(first * other.sequences + second, return_inverse=True)
    payoffs = player * np.bincount(places, utilities, len(pairs))
    pairs, payoffs = pairs[payoffs != 0], payoffs[payoffs != 0]
    starts = np.searchsorted(pairs, np.arange(own.sequences + 1) * other.sequences)
    return PlayerArrays(parents, firsts, starts.astype(np.int64), pairs % other.sequences, payoffs)


def node_arrays(form: SequenceForm) -> NodeArrays:
    """Return the arrays of the game tree."""
    nodes = form.nodes
    kinds = np.array([node.kind for node in nodes], np.int64)
    firsts_of = {
        MAX: [each.first for each in form.players[MAX].information_sets],
        MIN: [form.players[MAX].sequences + each.first for each in form.players[MIN].information_sets],
        CHANCE: [0],
        END: [end.utility for end in form.ends],
    }
    indexes = np.array([firsts_of[node.kind][node.number] for node in nodes], np.int64)
    firsts = np.array([*(node.first for node in nodes), len(form.children)], np.int64)
    weights = np.zeros(len(form.children), np.int64)
    for node in nodes:
        if node.weights:
            weights[node.first : node.first + len(node.weights)] = np.cumsum(node.weights)
    return NodeArrays(kinds, indexes, firsts, np.array(form.children, np.int64), weights)
