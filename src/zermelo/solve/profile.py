"""Strategies of both players, and how close they are to an equilibrium."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

#: Exact, or a float where speed matters more.
Number: TypeAlias = Fraction | float

#: A behaviour strategy: for each information set (`State.information_state`), the probability of each move by name.
Strategy: TypeAlias = Mapping[str, Mapping[str, Number]]


@dataclass(frozen=True, slots=True)
class Equilibrium:
    """Strategies of both players, and how close they are to an equilibrium.

    Numbers are exact fractions from `solve`, and floats from approximations.
    """

    #: The expected utility of MAX if both follow their strategies.
    value: Number
    #: By player, `MAX` and `MIN`.
    strategies: Mapping[int, Strategy]
    #: The value of MAX's best response to MIN's strategy: no strategy of MAX gets more.
    upper_bound: Number
    #: The value of MAX's strategy against MIN's best response: it never gets less.
    lower_bound: Number
    #: The number of states in the game tree.
    states: int
    #: The numbers of information sets of MAX and MIN.
    information_sets: tuple[int, int]
    #: Iterations of an approximation; 0 from `solve`.
    iterations: int = 0
    #: The algorithm: "exact", or that of the approximation.
    algorithm: str = "exact"

    @property
    def nash_conv(self) -> Number:
        """The sum of what both players could gain by best responses."""
        return self.upper_bound - self.lower_bound

    @property
    def exploitability(self) -> Number:
        """What a player could gain by a best response, the mean of both players; 0 proves an equilibrium.

        This is `nash_conv` / 2, as in the poker literature and OpenSpiel.
        """
        return self.nash_conv / 2
