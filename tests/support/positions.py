"""Positions reached by random play."""

import random

from zermelo.testing.random_games import start_of


def random_positions(game, count, seed, least=0, most=200):
    """Unfinished states, `least` to `most` random moves from the start of a game, or from a state."""
    dice = random.Random(seed)
    found = []
    while len(found) < count:
        state = start_of(game)
        for _ in range(dice.randint(least, most)):
            if state.is_over():
                break
            state = state.play(dice.choice(state.legal_moves()))
        if not state.is_over():
            found.append(state)
    return found
