"""Where a token stops on the board of the property game in the long run: a Markov chain, from the rules in words.

The state after a roll is the square and the number of doubles rolled in a row, or jail and the number of rolls there.
Cards are drawn from a full deck each time. It shares no code with `zermelo.games.property`.

References
----------
R. B. Ash, R. L. Bishop, "Monopoly as a Markov Process", Mathematics Magazine 45 (1972).
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np

JAIL = 40  # in jail; 10 is a visit
ROLLS = [(a, b) for a in range(1, 7) for b in range(1, 7)]
CHANCE, CHEST = (7, 22, 36), (2, 17, 33)


def stops(square: int) -> dict[int, float]:
    """The probability of each square where a token ends that stops at a square."""
    found: dict[int, float] = defaultdict(float)
    if square == 30:
        found[JAIL] = 1.0
    elif square in CHANCE:
        rail = {7: 15, 22: 25, 36: 5}[square]
        utility = {7: 12, 22: 28, 36: 12}[square]
        for target in (0, 24, 11, 5, 39, rail, rail, utility, JAIL):
            found[target] += 1 / 16
        for target, probability in stops(square - 3).items():
            found[target] += probability / 16
        found[square] += 6 / 16
    elif square in CHEST:
        found[0] += 1 / 16
        found[JAIL] += 1 / 16
        found[square] += 14 / 16
    else:
        found[square] = 1.0
    return found


def stationary(leaves_jail_at_once: bool) -> np.ndarray:
    """The long-run probability of each square after a roll, with `JAIL` as the last one.

    A player leaves jail before the next roll, or rolls up to three times for a double.
    """
    states = [(square, doubles) for square in range(40) for doubles in range(3)] + [(JAIL, rolls) for rolls in range(3)]
    number = {state: index for index, state in enumerate(states)}
    matrix = np.zeros((len(states), len(states)))
    for state, index in number.items():
        for die, other in ROLLS:
            for following, probability in after(*state, die, other, leaves_jail_at_once):
                matrix[index, number[following]] += probability / 36
    distribution = np.full(len(states), 1 / len(states))
    for _ in range(3000):
        distribution = distribution @ matrix
    found = np.zeros(41)
    for (square, _), probability in zip(states, distribution, strict=True):
        found[square] += probability
    return found


def after(square: int, count: int, die: int, other: int, at_once: bool) -> list[tuple[tuple[int, int], float]]:
    """The states after a roll, with their probabilities; `count` is the doubles in a row or the rolls in jail."""
    is_double = die == other
    if square == JAIL and not at_once:
        if not is_double and count < 2:
            return [((JAIL, count + 1), 1.0)]
        start, doubles = 10, 0
    else:
        start = 10 if square == JAIL else square
        doubles = (0 if square == JAIL else count) + 1 if is_double else 0
    if doubles == 3:
        return [((JAIL, 0), 1.0)]
    found = stops((start + die + other) % 40)
    return [((target, 0 if target == JAIL else doubles), probability) for target, probability in found.items()]
