"""aima-python: the textbook searches of its games.py, as packaged in aima3, over its own games.

The package `aima` on PyPI is another project without these games. There is no Othello. Its squares run column by
column, which for tic-tac-toe gives the same tree mirrored. Its searches apply the terminal test at every node but the
root, so nodes are terminal tests plus the root.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from aima3 import games

from sides.benchmark import (
    CONNECT4,
    CONNECT4_NODES,
    TICTACTOE_ALPHABETA,
    TICTACTOE_ALPHABETA_NODES,
    TICTACTOE_MINIMAX,
    TICTACTOE_MINIMAX_NODES,
    Benchmark,
)

NAME = "aima-python"
COUNTED = "terminal tests"


def _visited(game: Any, run: Callable[[], object]) -> int:
    """Count the nodes of one run: a terminal test at every node but the root."""
    original = game.terminal_test
    tests = 0

    def counting(state: Any) -> Any:
        nonlocal tests
        tests += 1
        return original(state)

    game.terminal_test = counting
    try:
        run()
    finally:
        del game.terminal_test
    return tests + 1


def benchmarks() -> list[Benchmark]:
    """Return the benchmarks of this side."""
    tictactoe, connect4 = games.TicTacToe(), games.ConnectFour()
    plies = 6

    def cut_off(state: Any, depth: int) -> bool:
        return bool(connect4.terminal_test(state)) or depth >= plies

    def to_six_plies() -> object:
        return games.alphabeta_cutoff_search(connect4.initial, connect4, cutoff_test=cut_off)

    def benchmark(workload: str, search: str, game: Any, run: Callable[[], object], expected: int) -> Benchmark:
        return Benchmark(workload, NAME, search, run, _visited(game, run), COUNTED, expected)

    return [
        benchmark(
            TICTACTOE_MINIMAX,
            "minimax_decision",
            tictactoe,
            lambda: games.minimax_decision(tictactoe.initial, tictactoe),
            TICTACTOE_MINIMAX_NODES,
        ),
        benchmark(
            TICTACTOE_ALPHABETA,
            "alphabeta_search",
            tictactoe,
            lambda: games.alphabeta_search(tictactoe.initial, tictactoe),
            TICTACTOE_ALPHABETA_NODES,
        ),
        benchmark(CONNECT4, "cutoff search, depth 6", connect4, to_six_plies, CONNECT4_NODES[6]),
    ]
