"""The sequence form of a two-player game of imperfect information.

A sequence is a player's own moves on the way to one of its information sets. A player with perfect recall reaches each
information set by exactly one sequence, so a strategy can be written as a realization plan: for each sequence, the
product of the probabilities of its moves. There are at most as many sequences as nodes in the game tree, and expected
payoffs are bilinear in the plans of both players.

References
----------
B. von Stengel, "Efficient Computation of Behavior Strategies", Games and Economic Behavior 14 (1996).
D. Koller, N. Megiddo, B. von Stengel, "Fast Algorithms for Finding Randomized Strategies in Game Trees", STOC 1994.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from zermelo.core.game import CHANCE, MAX, MIN, State
from zermelo.core.validation import as_game_error, checked_utility
from zermelo.errors import GameError, LimitError

#: Limits of the solver: states of the game tree, and plies of a game. A million states take about a minute to
#: enumerate and 1 GB of memory.
MAX_STATES = 1_000_000
MAX_PLIES = 500

#: The kind of a node where the game is over; the others are MAX, MIN and CHANCE.
END = 2


@dataclass(slots=True)
class InformationSet:
    """The states that a player to move cannot tell apart."""

    #: The text of `State.information_state`.
    information: str
    #: The player's sequence that leads here.
    parent: int
    #: The first of the sequences that continue from here, one for each move.
    first: int
    moves: list[int]
    move_names: list[str]

    @property
    def end(self) -> int:
        """The sequence after the last one that continues from here."""
        return self.first + len(self.moves)

    @property
    def sequences(self) -> range:
        """The sequences that continue from here, in the order of `moves`."""
        return range(self.first, self.end)


@dataclass(slots=True)
class PlayerSequences:
    """A player's information sets, ancestors first, and the number of its sequences; sequence 0 is the empty one."""

    information_sets: list[InformationSet] = field(default_factory=list)
    sequences: int = 1
    #: The index of an information set by its text.
    by_information: dict[str, int] = field(default_factory=dict)


class Node(NamedTuple):
    """A state of the game tree."""

    #: MAX, MIN, CHANCE or `END`.
    kind: int
    #: The index of the information set where a player moves; the number of the end in `SequenceForm.ends`.
    number: int
    #: The place of its first child in `SequenceForm.children`; its last one is before the first child of the next node.
    first: int
    #: The weights of the children, where chance moves.
    weights: tuple[int, ...] = ()


class End(NamedTuple):
    """A state where the game is over."""

    #: The last sequences of MAX and MIN.
    max_sequence: int
    min_sequence: int
    #: The probability of chance's moves.
    probability: Fraction
    #: The utility for MAX.
    utility: int


class SequenceForm:
    """The game tree of a state: information sets and sequences of both players, nodes and payoffs.

    Parameters
    ----------
    state : State
        The root; a state of a game with `perfect_information = False`.

    Attributes
    ----------
    players : dict of int to PlayerSequences
        By player, `MAX` and `MIN`.
    nodes : list of Node
        The states, parents first; the root is node 0.
    children : list of int
        The nodes after each move, in the order of the moves.
    ends : list of End
        The states where the game is over.

    Raises
    ------
    GameError
        If a player does not have perfect recall, or has different moves in states of one information set.
    LimitError
        If the game has perfect information, a side without perfect recall, more than `MAX_STATES` states, or games of
        more than `MAX_PLIES` plies.
    """

    def __init__(self, state: State) -> None:
        if state.perfect_information:
            raise LimitError(
                f"{type(state).__name__} is a game of perfect information, whose optimal play needs no probabilities; "
                "search it with `zermelo analyse`"
            )
        if not state.perfect_recall:
            raise LimitError(
                f"{type(state).__name__} has a side without perfect recall (perfect_recall = False), which the solver "
                "needs; play it with `zermelo play` or `zermelo match`"
            )
        self.players = {MAX: PlayerSequences(), MIN: PlayerSequences()}
        self.nodes: list[Node] = []
        self.children: list[int] = []
        self.ends: list[End] = []
        self.max_utility = state.max_utility
        self.name = type(state).__name__
        try:
            self._expand(state)
        except (GameError, LimitError):
            raise
        except Exception as error:
            raise as_game_error(error, state) from error

    @property
    def states(self) -> int:
        """The number of states of the game tree."""
        return len(self.nodes)

    @property
    def sizes(self) -> tuple[int, int]:
        """The numbers of information sets of MAX and MIN."""
        return len(self.players[MAX].information_sets), len(self.players[MIN].information_sets)

    @cached_property
    def end_probability(self) -> dict[tuple[int, int], Fraction]:
        """For each pair of last sequences of MAX and MIN that ends a game, the probability of chance's moves there."""
        found: dict[tuple[int, int], Fraction] = {}
        for a, b, probability, _ in self.ends:
            found[a, b] = found.get((a, b), Fraction(0)) + probability
        return found

    @cached_property
    def payoffs(self) -> dict[tuple[int, int], Fraction]:
        """The same, times MAX's utility."""
        found: dict[tuple[int, int], Fraction] = {}
        for a, b, probability, utility in self.ends:
            found[a, b] = found.get((a, b), Fraction(0)) + probability * utility
        return found

    def _expand(self, root: State) -> None:
        # Stack of states, each with its place in `children`, the last sequences of MAX and MIN, its chance probability
        # and its depth.
        stack = [(root, -1, 0, 0, Fraction(1), 0)]
        while stack:
            state, place, max_sequence, min_sequence, probability, plies = stack.pop()
            if place >= 0:
                self.children[place] = len(self.nodes)
            if len(self.nodes) >= MAX_STATES or plies > MAX_PLIES:
                raise LimitError(
                    f"{self.name} is too large to solve: more than {MAX_STATES:,} states, or games of more than "
                    f"{MAX_PLIES} moves"
                )
            if state.is_over():
                self.nodes.append(Node(END, len(self.ends), len(self.children)))
                self.ends.append(End(max_sequence, min_sequence, probability, checked_utility(state)))
                continue
            mover = state.to_move()
            first = len(self.children)
            if mover == CHANCE:
                outcomes = list(state.outcomes())
                weights = tuple(weight for _, weight in outcomes)
                total = sum(weights)
                self.nodes.append(Node(CHANCE, 0, first, weights))
                following = [
                    (move, max_sequence, min_sequence, probability * weight / total) for move, weight in outcomes
                ]
            else:
                index, found = self._information_set(state, mover, max_sequence if mover == MAX else min_sequence)
                self.nodes.append(Node(mover, index, first))
                steps = zip(found.moves, found.sequences, strict=True)
                if mover == MAX:
                    following = [(move, sequence, min_sequence, probability) for move, sequence in steps]
                else:
                    following = [(move, max_sequence, sequence, probability) for move, sequence in steps]
            self.children += [0] * len(following)
            for number in range(len(following) - 1, -1, -1):
                move, a, b, child_probability = following[number]
                stack.append((state.play(move), first + number, a, b, child_probability, plies + 1))

    def _information_set(self, state: State, mover: int, parent: int) -> tuple[int, InformationSet]:
        """Return the index of the mover's information set of a state, and the set itself, added if it is new."""
        player = self.players[mover]
        information = state.information_state(mover)
        moves = state.legal_moves()
        index = player.by_information.get(information)
        if index is None:
            names = [state.move_name(move) for move in moves]
            found = InformationSet(information, parent, player.sequences, moves, names)
            player.by_information[information] = index = len(player.information_sets)
            player.information_sets.append(found)
            player.sequences += len(moves)
            return index, found
        found = player.information_sets[index]
        where = f"{self.name}: information set {information[:80]!r} of {state.player_name(mover)}"
        if found.parent != parent:
            raise GameError(
                f"{where} is reached by different moves of that player (no perfect recall); "
                "information_state(self, player) must tell them apart"
            )
        if found.moves != moves:
            raise GameError(
                f"{where} has different moves in different states; information_state(self, player) must tell them apart"
            )
        return index, found

    # ---- realization plans, in exact fractions ---------------------------------------------------------------

    def sequence_values(self, player: int, plan: list[Fraction]) -> list[Fraction]:
        """Return what a player earns where each of its sequences ends a game, against the other player's plan."""
        values = [Fraction(0)] * self.players[player].sequences
        for (max_sequence, min_sequence), payoff in self.payoffs.items():
            if player == MAX:
                values[max_sequence] += payoff * plan[min_sequence]
            else:
                values[min_sequence] -= payoff * plan[max_sequence]
        return values

    def best_response(self, player: int, values: list[Fraction]) -> tuple[Fraction, dict[str, int]]:
        """Return the best value that a player can reach, and the index of the move to choose in each information set.

        `values` are those of `sequence_values`.
        """
        worth = list(values)
        chosen: dict[str, int] = {}
        for information_set in reversed(self.players[player].information_sets):
            move_values = [worth[sequence] for sequence in information_set.sequences]
            best = max(move_values)
            chosen[information_set.information] = move_values.index(best)
            worth[information_set.parent] += best
        return worth[0], chosen

    def realization_plan(self, player: int, strategy: Mapping[str, list[Fraction]]) -> list[Fraction]:
        """Return the realization plan of a behaviour strategy: probabilities of moves, by information set."""
        sequences = self.players[player]
        plan = [Fraction(1)] * sequences.sequences
        for information_set in sequences.information_sets:
            probabilities = strategy[information_set.information]
            for sequence, probability in zip(information_set.sequences, probabilities, strict=True):
                plan[sequence] = plan[information_set.parent] * probability
        return plan
