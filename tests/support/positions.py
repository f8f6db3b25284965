"""Positions reached by random play."""

import random


def random_positions(game, count, seed, least=0, most=200):
    """So many states of a game, not finished, `least` to `most` random moves from its start."""
    dice = random.Random(seed)
    found = []
    while len(found) < count:
        state = game.start()
        for _ in range(dice.randint(least, most)):
            if state.is_over():
                break
            state = state.play(dice.choice(state.legal_moves()))
        if not state.is_over():
            found.append(state)
    return found
