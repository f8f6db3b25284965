"""easyAI: Negamax over the games it ships, in Python with NumPy.

It has no minimax without pruning. It scores nearer wins higher by scaling scores with the remaining depth, so its
trees differ where games end. Its Reversi ends as soon as the side to move has no move, and starts from the mirrored
position; to depth 5 its tree is still that of Othello. It deep-copies most states. Nodes are calls of its recursive
function.
"""

from __future__ import annotations

import sys
from typing import Any

from easyAI import Negamax
from easyAI.games.ConnectFour import ConnectFour
from easyAI.games.Reversi import Reversi
from easyAI.games.TicTacToe import TicTacToe

from sides.benchmark import CONNECT4, CONNECT4_NODES, OTHELLO, OTHELLO_NODES, TICTACTOE_ALPHABETA, Benchmark

NAME = "easyAI"
COUNTED = "negamax calls"

# The package exports a class of the same name, which hides the module.
_negamax_module: Any = sys.modules["easyAI.AI.Negamax"]


def _lost(game: Any) -> int:
    return -1 if game.lose() else 0


def _disc_difference(game: Any) -> int:
    own, opponent = game.current_player, game.opponent_index
    return int((game.board == own).sum() - (game.board == opponent).sum())


def _visited(search: Negamax, game: Any) -> int:
    """Count the calls of easyAI's recursive function during one search."""
    original = _negamax_module.negamax
    visits = 0

    def counting(*arguments: Any, **named: Any) -> Any:
        nonlocal visits
        visits += 1
        return original(*arguments, **named)

    _negamax_module.negamax = counting
    try:
        search(game)
    finally:
        _negamax_module.negamax = original
    return visits


def benchmarks() -> list[Benchmark]:
    """Return the benchmarks of this side."""

    def benchmark(
        workload: str, game_class: Any, depth: int, scoring: Any, search: str, expected: int | None = None
    ) -> Benchmark:
        players: list[None] = [None, None]  # easyAI copies the players with every move: None is the cheapest
        game, negamax = game_class(players), Negamax(depth, scoring)
        nodes = _visited(negamax, game)
        return Benchmark(workload, NAME, search, lambda: negamax(game_class(players)), nodes, COUNTED, expected)

    return [
        benchmark(TICTACTOE_ALPHABETA, TicTacToe, 9, _lost, "Negamax"),
        benchmark(CONNECT4, ConnectFour, 6, _lost, "Negamax, depth 6", CONNECT4_NODES[6]),
        benchmark(OTHELLO, Reversi, 5, _disc_difference, "Negamax, depth 5", OTHELLO_NODES[5]),
    ]
