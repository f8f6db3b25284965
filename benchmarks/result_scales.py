"""Fit the scales of `zermelo.review.expected_result`: which score wins 73 % of the games.

    python benchmarks/result_scales.py othello:mobility connect4:lines --games 100

The engine plays against itself from random openings. Each position gives a pair: the score of the search and the result
of the game. The scale maximizes the likelihood of 1 / (1 + exp(-score / scale)).
"""

import argparse
import math
import random

import report

import zermelo
from zermelo.core.evaluation import LARGEST_SCORE


def play(game, evaluation, depth, plies, source):
    """Return the estimates of a game's positions and its result for MAX: 0, 0.5 or 1."""
    state, history, estimates = game.start(), [], []
    with zermelo.Engine("16M") as engine:
        while not state.is_over() and len(history) < 300:
            if len(history) < plies:
                move = source.choice(state.legal_moves())
            else:
                # Depths of both parities, so that the advantage of the side to move averages out.
                found = engine.analyse(state, depth=depth + len(history) % 2, evaluation=evaluation, history=history)
                move = found.move
                estimate = found.score.estimate
                if estimate is not None and abs(estimate) < LARGEST_SCORE - 1:
                    estimates.append(estimate)
            history.append(state)
            state = state.play(move)
    return estimates, (0.5 + 0.5 * math.copysign(1, state.utility())) if state.is_over() and state.utility() else 0.5


def fit(pairs):
    """Return the scale with the largest likelihood, by golden-section search on its logarithm."""

    def loss(log_scale):
        scale = math.exp(log_scale)
        total = 0.0
        for score, result in pairs:
            x = max(-500.0, min(500.0, score / scale))
            total += math.log1p(math.exp(-abs(x))) + max(-x, 0.0) + (1 - result) * x
        return total

    low, high, ratio = -3.0, 12.0, (math.sqrt(5) - 1) / 2
    while high - low > 1e-3:
        first, second = high - ratio * (high - low), low + ratio * (high - low)
        low, high = (low, second) if loss(first) < loss(second) else (first, high)
    return math.exp(low)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="+", metavar="GAME:EVALUATION")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--depth", type=int, default=4)
    parser.add_argument("--random-plies", type=int, default=8)
    options = parser.parse_args()
    for name in options.names:
        game, _, evaluation = name.partition(":")
        source = random.Random(1)
        pairs, results = [], []
        for _ in range(options.games):
            estimates, result = play(zermelo.load(game), evaluation, options.depth, options.random_plies, source)
            pairs += [(estimate, result) for estimate in estimates]
            results.append(result)
        wins, draws = results.count(1.0), results.count(0.5)
        print(
            f"{name}: scale {fit(pairs):.4g} from {len(pairs)} positions of {len(results)} games, {wins} won by MAX, "
            f"{draws} drawn",
            flush=True,
        )


if __name__ == "__main__":
    report.run(main)
