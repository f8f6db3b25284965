"""Backgammon by brute force: lists, sets and recursion, written from the rules alone. Nothing of the package is used.

A position is two tuples of 26 numbers, the mover's and the other's, each counted from its own side: how many checkers
are on points 1 to 24, on the bar (25), and off (0).
"""

from __future__ import annotations

import base64
from collections.abc import Iterator

Side = tuple[int, ...]
Position = tuple[Side, Side]

START: Position = ((0, 0, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0),) * 2


def steps(position: Position, die: int) -> Iterator[Position]:
    """What one checker can make of the position with one die."""
    own, other = position
    for point in range(1, 26):
        if own[point] == 0 or (own[25] and point != 25):
            continue
        to = point - die
        if to <= 0:
            if any(own[7:]):
                continue
            if to < 0 and any(own[point + 1 :]):
                continue
            to = 0
        if to > 0 and other[25 - to] >= 2:
            continue
        mine, theirs = list(own), list(other)
        mine[point] -= 1
        mine[to] += 1
        if to > 0 and theirs[25 - to] == 1:
            theirs[25 - to] = 0
            theirs[25] += 1
        yield tuple(mine), tuple(theirs)


def sequences(position: Position, dice: tuple[int, ...]) -> Iterator[tuple[Position, tuple[int, ...]]]:
    """Every way to play dice in this order as far as they go: the end, and the dice that were played."""
    is_stuck = True
    if dice:
        for after in steps(position, dice[0]):
            is_stuck = False
            for end, played in sequences(after, dice[1:]):
                yield end, (dice[0], *played)
    if is_stuck:
        yield position, ()


def plays(position: Position, one: int, two: int) -> set[Position]:
    """The positions after all legal plays of a roll, the mover still the mover."""
    orders = [(one,) * 4] if one == two else [(one, two), (two, one)]
    every = {found for order in orders for found in sequences(position, order)}
    most = max(len(played) for _, played in every)
    every = {(end, played) for end, played in every if len(played) == most}
    if most == 1 and one != two and any(played == (max(one, two),) for _, played in every):
        every = {(end, played) for end, played in every if played == (max(one, two),)}
    return {end for end, _ in every}


def position_id(mover: Side, other: Side) -> str:
    """GNU Backgammon's position ID, as its manual tells: a one for each checker, a nought after each point."""
    bits = "".join("1" * side[point] + "0" for side in (other, mover) for point in range(1, 26))
    bits += "0" * (80 - len(bits))
    data = bytes(int(bits[at : at + 8][::-1], 2) for at in range(0, 80, 8))
    return base64.b64encode(data).decode()[:14]
