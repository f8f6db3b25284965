"""aima-python's games.py, as packaged in aima3: the textbook's own searches over the games it ships.

PyPI's `aima` is another project, without these games. There is no Othello in it. Its squares run column by column,
which for tic-tac-toe is the same tree mirrored. Its searches test every node but the root for the end: these tests
are counted, and the root.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aima3 import games

from sides.contest import (
    CONNECT4,
    CONNECT4_NODES,
    TICTACTOE_ALPHABETA,
    TICTACTOE_ALPHABETA_NODES,
    TICTACTOE_MINIMAX,
    TICTACTOE_MINIMAX_NODES,
    Contest,
)

NAME = "aima-python"
COUNTED = "terminal tests"


def _visited(game: Any, run: Callable[[], object]) -> int:
    """Terminal tests during one run: its searches make one at every node but the root."""
    plain = game.terminal_test
    tests = 0

    def counting(state: Any) -> Any:
        nonlocal tests
        tests += 1
        return plain(state)

    game.terminal_test = counting
    try:
        run()
    finally:
        del game.terminal_test
    return tests + 1


def contests() -> list[Contest]:
    tictactoe, connect4 = games.TicTacToe(), games.ConnectFour()
    plies = 6

    def cut_off(state: Any, depth: int) -> bool:
        return bool(connect4.terminal_test(state)) or depth >= plies

    def to_six_plies() -> object:
        return games.alphabeta_cutoff_search(connect4.initial, connect4, cutoff_test=cut_off)

    def contest(workload: str, search: str, game: Any, run: Callable[[], object], expected: int) -> Contest:
        return Contest(workload, NAME, search, run, _visited(game, run), COUNTED, expected)

    return [
        contest(
            TICTACTOE_MINIMAX,
            "minimax_decision",
            tictactoe,
            lambda: games.minimax_decision(tictactoe.initial, tictactoe),
            TICTACTOE_MINIMAX_NODES,
        ),
        contest(
            TICTACTOE_ALPHABETA,
            "alphabeta_search",
            tictactoe,
            lambda: games.alphabeta_search(tictactoe.initial, tictactoe),
            TICTACTOE_ALPHABETA_NODES,
        ),
        contest(CONNECT4, "cutoff search, depth 6", connect4, to_six_plies, CONNECT4_NODES[6]),
    ]
