"""Expected result of a score: the winning chances that make losses of different games and evaluations comparable.

    expected_result(score, state, evaluation)       0.0 .. 1.0 for MAX; a draw is 0.5

A proven score is 0, 0.5 or 1. An estimate e becomes 1 / (1 + exp(-e / s)), where the scale s belongs to the evaluation:
at e = s the side wins 73 % of its games. In games of chance the expected utility is mapped linearly.
"""

from __future__ import annotations

import math
import random
from functools import lru_cache

from zermelo.core.evaluation import LARGEST_SCORE, Evaluation, checked_score
from zermelo.core.game import CHANCE, State
from zermelo.search.analysis import Score
from zermelo.testing.random_games import draw_move

# Scales by the class of the evaluation. Chess: the curve of lichess, fitted to its games
# (https://lichess.org/page/accuracy), 1 / 0.00368208. A pawn is 100 centipawns.
_SCALES = {
    "zermelo.games.chess.evaluations.Positional": 271.6,
    "zermelo.games.chess.network.PieceNetwork": 271.6,
    "zermelo.games.chess.evaluations.Material": 2.716,
    # Fitted to games of the engine against itself: benchmarks/result_scales.py.
    "zermelo.games.othello.evaluations.Mobility": 20.9,
    "zermelo.games.othello.patterns.DiscPatterns": 6.6,
    "zermelo.games.connect4.Lines": 21.1,
    "zermelo.games.checkers.evaluations.Positional": 98.3,
    "zermelo.games.checkers.patterns.MenPatterns": 80.6,
    # As `_spread` finds them, which takes up to a second of slow rules.
    "zermelo.games.gomoku.Threats": 271.1,
    "zermelo.games.hex.TwoDistance": 647.0,
}
# Expected utility that is as good as a certain win, where it is not the largest utility: one game at backgammon.
_WINS = {"zermelo.games.backgammon.rules.Backgammon": 1}

#: Random games, and plies of each, whose positions tell how large the scores of an unknown evaluation are.
GAMES, PLIES = 8, 100


def expected_result(score: Score, state: State, evaluation: Evaluation) -> float:
    """Return the expected result of a score for MAX: 1 a win, 0.5 a draw, 0 a loss.

    Parameters
    ----------
    score : Score
        A score from MAX's side.
    state : State
        A state of the game.
    evaluation : Evaluation
        The evaluation of the search that found the score.
    """
    if score.expected is not None:
        # Playouts of a game such as Go count wins, not points.
        win = 1 if state.counts_wins_only else _WINS.get(_path(type(state)), state.max_utility)
        return min(max(0.5 + score.expected / (2 * win), 0.0), 1.0)
    if score.value is not None:
        return 0.5 + 0.5 * ((score.value > 0) - (score.value < 0))
    estimate = score.estimate or 0
    if abs(estimate) >= LARGEST_SCORE - 1:  # a certain win of unknown size, or a win that is not proven
        return 1.0 if estimate > 0 else 0.0
    return logistic(estimate / scale_of(type(state), evaluation))


def result_of_end(state: State) -> float | None:
    """Return the result of a finished game for MAX, 0, 0.5 or 1; None if it is not over."""
    if not state.is_over():
        return None
    utility = state.utility()
    return 0.5 + 0.5 * ((utility > 0) - (utility < 0))


def logistic(number: float) -> float:
    """Return 1 / (1 + exp(-number))."""
    return 1 / (1 + math.exp(-min(max(number, -700.0), 700.0)))


def scale_of(game: type[State], evaluation: Evaluation) -> float:
    """Return the score at which a side wins 73 % of its games.

    Evaluations without a fitted scale get the standard deviation of their scores in random games.
    """
    return _SCALES.get(_path(type(evaluation))) or _spread(game, evaluation)


@lru_cache(maxsize=32)
def _spread(game: type[State], evaluation: Evaluation) -> float:
    source = random.Random(1)
    scores = []
    for _ in range(GAMES):
        state = game.start()
        for _ in range(PLIES):
            if state.is_over():
                break
            if state.to_move() != CHANCE:
                scores.append(checked_score(evaluation, state))
            state = state.play(draw_move(state, state.legal_moves(), source))
    squares = sum(score * score for score in scores) / max(len(scores), 1)  # around 0, where the sides are level
    return math.sqrt(squares) or 1.0


def _path(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"
