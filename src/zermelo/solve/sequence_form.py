"""A game of imperfect information by its sequences: what each side can do, in order, as far as it knows.

A player who forgets nothing has one sequence of its own moves to each situation it can be in, and a plan is how often
it goes along each of its sequences (D. Koller, N. Megiddo, B. von Stengel, Fast algorithms for finding randomized
strategies in game trees, 1994). There are fewer of them than nodes, and what a plan earns is linear.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TypeVar

from zermelo.core.game import CHANCE, MAX, MIN, State
from zermelo.core.validation import as_game_error, checked_utility
from zermelo.errors import GameError, LimitError

#: More states than these are not for a solver of small games, nor longer games.
MOST_STATES = 200_000
LONGEST = 500

#: A plan's numbers: exact, or floats that are quicker.
N = TypeVar("N", Fraction, float)


@dataclass(slots=True)
class Situation:
    """What a player knows when it is to move: an information set."""

    information: str
    #: The sequence of its own moves that leads here, and the first of those that go on: one for each move.
    parent: int
    first: int
    moves: list[int]
    names: list[str]

    @property
    def sequences(self) -> range:
        return range(self.first, self.first + len(self.moves))


@dataclass(slots=True)
class Side:
    """A player's situations, none before those that lead to it, and the number of its sequences; 0 is the empty one."""

    situations: list[Situation] = field(default_factory=list)
    sequences: int = 1
    known: dict[str, Situation] = field(default_factory=dict)


class Sequences:
    """A game from a state on: both sides' sequences, and what MAX gets where two of them end the game.

    Raises `GameError` where a side forgets what it knew or did, or has other moves in states that it cannot tell
    apart, and `LimitError` where there are more than `MOST_STATES` states, or both sides see everything.
    """

    def __init__(self, state: State) -> None:
        if state.perfect_information:
            raise LimitError(
                f"{type(state).__name__} is a game of perfect information: nobody needs chances to play it best; "
                "`zermelo analyse` searches it"
            )
        self.sides = {MAX: Side(), MIN: Side()}
        #: By MAX's and MIN's last sequence: how likely chance makes the game end there, and that times MAX's utility.
        self.ends: dict[tuple[int, int], Fraction] = {}
        self.payoffs: dict[tuple[int, int], Fraction] = {}
        self.largest = state.max_utility
        self.states = 0
        self.name = type(state).__name__
        try:
            self._read(state)
        except (GameError, LimitError):
            raise
        except Exception as error:
            raise as_game_error(error, state) from error

    def _read(self, root: State) -> None:
        # Each with the last sequences of MAX and MIN, the chance of it, and how many moves it is from the root.
        waiting = [(root, 0, 0, Fraction(1), 0)]
        while waiting:
            state, ours, theirs, chance, plies = waiting.pop()
            self.states += 1
            if self.states > MOST_STATES or plies > LONGEST:
                raise LimitError(
                    f"{self.name} has more than {MOST_STATES:,} states, or games of more than {LONGEST} moves, "
                    "from here; only small games are solved for an equilibrium"
                )
            if state.is_over():
                end = (ours, theirs)
                self.ends[end] = self.ends.get(end, Fraction(0)) + chance
                self.payoffs[end] = self.payoffs.get(end, Fraction(0)) + chance * checked_utility(state)
                continue
            mover = state.to_move()
            if mover == CHANCE:
                outcomes = list(state.outcomes())
                whole = sum(weight for _, weight in outcomes)
                children = [(move, ours, theirs, chance * weight / whole) for move, weight in outcomes]
            else:
                found = self._situation(state, mover, ours if mover == MAX else theirs)
                steps = zip(found.moves, found.sequences, strict=True)
                if mover == MAX:
                    children = [(move, after, theirs, chance) for move, after in steps]
                else:
                    children = [(move, ours, after, chance) for move, after in steps]
            for move, a, b, part in reversed(children):
                waiting.append((state.play(move), a, b, part, plies + 1))

    def _situation(self, state: State, mover: int, parent: int) -> Situation:
        """The situation of the mover, looked up or new."""
        side = self.sides[mover]
        information = state.information_state()
        moves = state.legal_moves()
        found = side.known.get(information)
        if found is None:
            names = [state.move_name(move) for move in moves]
            found = Situation(information, parent, side.sequences, moves, names)
            side.known[information] = found
            side.situations.append(found)
            side.sequences += len(moves)
            return found
        who = f"{self.name}: {state.player_name(mover)}, who knows {information[:80]!r},"
        if found.parent != parent:
            raise GameError(f"{who} may have done different things before; information(self) must tell them apart")
        if found.moves != moves:
            raise GameError(f"{who} has not always the same moves; information(self) must tell those states apart")
        return found

    # ---- plans ----------------------------------------------------------------------------------------------

    def earnings(self, player: int, plan: list[N], payoffs: Mapping[tuple[int, int], N]) -> list[N]:
        """What the player earns at the ends of each of its sequences, while the other side follows a plan.

        `payoffs` are the game's, or the same as floats.
        """
        earned = [plan[0] * 0] * self.sides[player].sequences
        for (ours, theirs), payoff in payoffs.items():
            if player == MAX:
                earned[ours] += payoff * plan[theirs]
            else:
                earned[theirs] -= payoff * plan[ours]
        return earned

    def best(self, player: int, earned: list[N]) -> tuple[N, dict[str, int]]:
        """The most that a player can earn, and the move to choose in each situation for it (its place among them)."""
        worth = list(earned)
        chosen: dict[str, int] = {}
        for situation in reversed(self.sides[player].situations):
            values = [worth[sequence] for sequence in situation.sequences]
            best = max(values)
            chosen[situation.information] = values.index(best)
            worth[situation.parent] += best
        return worth[0], chosen

    def plan(self, player: int, strategy: dict[str, list[N]], one: N) -> list[N]:
        """How often a strategy, chances for each situation's moves, goes along each sequence."""
        side = self.sides[player]
        plan = [one] * side.sequences
        for situation in side.situations:
            for sequence, share in zip(situation.sequences, strategy[situation.information], strict=True):
                plan[sequence] = plan[situation.parent] * share
        return plan
