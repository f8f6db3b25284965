"""easyAI: its Negamax over the games it ships, written in Python with numpy.

It has no plain minimax, and it scores a nearer win higher by scaling scores with the depth left, so its trees
differ where games end. Its Reversi ends as soon as the side to move has no move, and starts from the mirror image
of the usual position: 5 plies deep that is still Othello's tree. Most of its states are deep copies.
Nodes are the calls of its recursive function.
"""

from __future__ import annotations

import sys
from typing import Any

from easyAI import Negamax
from easyAI.games.ConnectFour import ConnectFour
from easyAI.games.Reversi import Reversi
from easyAI.games.TicTacToe import TicTacToe

from sides.contest import CONNECT4, CONNECT4_NODES, OTHELLO, OTHELLO_NODES, TICTACTOE_ALPHABETA, Contest

NAME = "easyAI"
COUNTED = "negamax calls"

# The module behind the class of the same name.
_negamax_module: Any = sys.modules["easyAI.AI.Negamax"]


def _lost(game: Any) -> int:
    return -1 if game.lose() else 0


def _disc_difference(game: Any) -> int:
    own, opponent = game.current_player, game.opponent_index
    return int((game.board == own).sum() - (game.board == opponent).sum())


def _visited(search: Negamax, game: Any) -> int:
    plain = _negamax_module.negamax
    visits = 0

    def counting(*arguments: Any, **named: Any) -> Any:
        nonlocal visits
        visits += 1
        return plain(*arguments, **named)

    _negamax_module.negamax = counting
    try:
        search(game)
    finally:
        _negamax_module.negamax = plain
    return visits


def contests() -> list[Contest]:
    def contest(
        workload: str, game_class: Any, depth: int, scoring: Any, search: str, expected: int | None = None
    ) -> Contest:
        nobody: list[None] = [None, None]  # easyAI copies the players with every move: the lightest there are
        game, negamax = game_class(nobody), Negamax(depth, scoring)
        nodes = _visited(negamax, game)
        return Contest(workload, NAME, search, lambda: negamax(game_class(nobody)), nodes, COUNTED, expected)

    return [
        contest(TICTACTOE_ALPHABETA, TicTacToe, 9, _lost, "Negamax"),
        contest(CONNECT4, ConnectFour, 6, _lost, "Negamax, depth 6", CONNECT4_NODES[6]),
        contest(OTHELLO, Reversi, 5, _disc_difference, "Negamax, depth 5", OTHELLO_NODES[5]),
    ]
