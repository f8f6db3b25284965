"""Measured facts of the chess engine for UCI: its strength by nodes, and the result that a score predicts.

`benchmarks/uci_calibration.py` measures both and prints the constants.
"""

from __future__ import annotations

import math

#: The default evaluation, with which the chances of results were measured.
EVALUATION = "network"
#: The evaluation with which the strength by nodes was measured.
MEASURED_EVALUATION = "positional"
#: Range of the option UCI_Elo.
MIN_ELO, MAX_ELO = 1500, 2100
# Elo of a selective search by its nodes, on the scale of UCI_Elo of Stockfish 15.1: BASE + GAIN * log2(nodes).
_BASE, _GAIN = 979.0, 74.1
# Probability that a search's score wins: 1 / (1 + exp((_EVEN - score) / _WIDTH)), in centipawns.
_EVEN, _WIDTH = 130.0, 118.0
# Larger scores are certain, and some would overflow the exponential.
_MAX_CENTIPAWNS = 20_000


def nodes_for(elo: int) -> int:
    """Return the nodes of a move with which the engine plays at an Elo rating."""
    return round(2 ** ((elo - _BASE) / _GAIN))


def win_draw_loss(centipawns: int) -> tuple[int, int, int]:
    """Return the probabilities of a win, a draw and a loss in thousandths, for the side that a score favours if > 0.

    Examples
    --------
    >>> from zermelo.protocols.uci_strength import win_draw_loss
    >>> won, drawn, lost = win_draw_loss(300)
    >>> won > 500 > lost, won + drawn + lost
    (True, 1000)
    """
    centipawns = max(-_MAX_CENTIPAWNS, min(centipawns, _MAX_CENTIPAWNS))
    won = round(1000 / (1 + math.exp((_EVEN - centipawns) / _WIDTH)))
    lost = round(1000 / (1 + math.exp((_EVEN + centipawns) / _WIDTH)))
    return won, 1000 - won - lost, lost
