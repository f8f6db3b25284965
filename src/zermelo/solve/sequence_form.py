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
from typing import TypeVar

from zermelo.core.game import CHANCE, MAX, MIN, State
from zermelo.core.validation import as_game_error, checked_utility
from zermelo.errors import GameError, LimitError

#: Limits of the solver: states of the game tree, and plies of a game.
MAX_STATES = 200_000
MAX_PLIES = 500

#: The numbers of a plan: exact fractions, or floats where speed matters more.
N = TypeVar("N", Fraction, float)


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
    def sequences(self) -> range:
        """The sequences that continue from here, in the order of `moves`."""
        return range(self.first, self.first + len(self.moves))


@dataclass(slots=True)
class PlayerSequences:
    """A player's information sets, ancestors first, and the number of its sequences; sequence 0 is the empty one."""

    information_sets: list[InformationSet] = field(default_factory=list)
    sequences: int = 1
    by_information: dict[str, InformationSet] = field(default_factory=dict)


class SequenceForm:
    """The sequences of both players and the payoffs of a game, from a state on.

    Parameters
    ----------
    state : State
        The root; a state of a game with `perfect_information = False`.

    Attributes
    ----------
    players : dict of int to PlayerSequences
        By player, `MAX` and `MIN`.
    end_probability : dict of (int, int) to Fraction
        For each pair of last sequences of MAX and MIN that ends a game, the probability of chance's moves there.
    payoffs : dict of (int, int) to Fraction
        The same, times MAX's utility.
    states : int
        The number of states of the game tree.

    Raises
    ------
    GameError
        If a player does not have perfect recall, or has different moves in states of one information set.
    LimitError
        If the game has perfect information, more than `MAX_STATES` states, or games of more than `MAX_PLIES` plies.
    """

    def __init__(self, state: State) -> None:
        if state.perfect_information:
            raise LimitError(
                f"{type(state).__name__} is a game of perfect information, whose optimal play needs no probabilities; "
                "search it with `zermelo analyse`"
            )
        self.players = {MAX: PlayerSequences(), MIN: PlayerSequences()}
        self.end_probability: dict[tuple[int, int], Fraction] = {}
        self.payoffs: dict[tuple[int, int], Fraction] = {}
        self.max_utility = state.max_utility
        self.states = 0
        self.name = type(state).__name__
        try:
            self._expand(state)
        except (GameError, LimitError):
            raise
        except Exception as error:
            raise as_game_error(error, state) from error

    def _expand(self, root: State) -> None:
        # Stack of states, each with the last sequences of MAX and MIN, its chance probability and its depth.
        stack = [(root, 0, 0, Fraction(1), 0)]
        while stack:
            state, max_sequence, min_sequence, probability, plies = stack.pop()
            self.states += 1
            if self.states > MAX_STATES or plies > MAX_PLIES:
                raise LimitError(
                    f"{self.name} is too large to solve: more than {MAX_STATES:,} states, or games of more than "
                    f"{MAX_PLIES} moves"
                )
            if state.is_over():
                end = (max_sequence, min_sequence)
                payoff = probability * checked_utility(state)
                self.end_probability[end] = self.end_probability.get(end, Fraction(0)) + probability
                self.payoffs[end] = self.payoffs.get(end, Fraction(0)) + payoff
                continue
            mover = state.to_move()
            if mover == CHANCE:
                outcomes = list(state.outcomes())
                total = sum(weight for _, weight in outcomes)
                children = [
                    (move, max_sequence, min_sequence, probability * weight / total) for move, weight in outcomes
                ]
            else:
                found = self._information_set(state, mover, max_sequence if mover == MAX else min_sequence)
                steps = zip(found.moves, found.sequences, strict=True)
                if mover == MAX:
                    children = [(move, sequence, min_sequence, probability) for move, sequence in steps]
                else:
                    children = [(move, max_sequence, sequence, probability) for move, sequence in steps]
            for move, a, b, child_probability in reversed(children):
                stack.append((state.play(move), a, b, child_probability, plies + 1))

    def _information_set(self, state: State, mover: int, parent: int) -> InformationSet:
        """Return the mover's information set of a state, added if it is new."""
        player = self.players[mover]
        information = state.information_state()
        moves = state.legal_moves()
        found = player.by_information.get(information)
        if found is None:
            names = [state.move_name(move) for move in moves]
            found = InformationSet(information, parent, player.sequences, moves, names)
            player.by_information[information] = found
            player.information_sets.append(found)
            player.sequences += len(moves)
            return found
        where = f"{self.name}: information set {information[:80]!r} of {state.player_name(mover)}"
        if found.parent != parent:
            raise GameError(
                f"{where} is reached by different moves of that player (no perfect recall); "
                "information_state(self) must tell them apart"
            )
        if found.moves != moves:
            raise GameError(
                f"{where} has different moves in different states; information_state(self) must tell them apart"
            )
        return found

    # ---- realization plans ----------------------------------------------------------------------------------

    def sequence_values(self, player: int, plan: list[N], payoffs: Mapping[tuple[int, int], N]) -> list[N]:
        """Return what a player earns where each of its sequences ends a game, against the other player's plan.

        Parameters
        ----------
        player : int
            MAX or MIN.
        plan : list
            The other player's realization plan.
        payoffs : mapping
            `self.payoffs`, or the same as floats.
        """
        values = [plan[0] * 0] * self.players[player].sequences
        for (max_sequence, min_sequence), payoff in payoffs.items():
            if player == MAX:
                values[max_sequence] += payoff * plan[min_sequence]
            else:
                values[min_sequence] -= payoff * plan[max_sequence]
        return values

    def best_response(self, player: int, values: list[N]) -> tuple[N, dict[str, int]]:
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

    def realization_plan(self, player: int, strategy: dict[str, list[N]], one: N) -> list[N]:
        """Return the realization plan of a behaviour strategy: probabilities of moves, by information set."""
        sequences = self.players[player]
        plan = [one] * sequences.sequences
        for information_set in sequences.information_sets:
            probabilities = strategy[information_set.information]
            for sequence, probability in zip(information_set.sequences, probabilities, strict=True):
                plan[sequence] = plan[information_set.parent] * probability
        return plan
