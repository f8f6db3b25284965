"""OpenSpiel: the searches of its Python package over its states, which are written in C++.

Its C++ alpha-beta is not available from Python. Its Python package has no minimax without pruning, but its
expectiminimax is one in a game without chance. Othello's disc difference is counted in the text of the state, the
fastest way it offers. Nodes are calls of its recursive function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyspiel
from open_spiel.python.algorithms import minimax

from sides.benchmark import (
    CONNECT4,
    CONNECT4_NODES,
    OTHELLO,
    OTHELLO_NODES,
    TICTACTOE_ALPHABETA,
    TICTACTOE_ALPHABETA_NODES,
    TICTACTOE_MINIMAX,
    TICTACTOE_MINIMAX_NODES,
    Benchmark,
)

NAME = "OpenSpiel"


def _zero(state: Any) -> float:
    return 0.0


def _disc_difference(state: Any) -> float:
    text = str(state)
    board = text[text.index("\n") :]  # skip the heading "White (o) to play:"
    return float(board.count("x") - board.count("o"))


def _visited(function: str, run: Callable[[], object]) -> int:
    """Count the calls of one of the module's recursive functions during one run."""
    module: Any = minimax
    original = getattr(module, function)
    visits = 0

    def counting(*arguments: Any, **named: Any) -> Any:
        nonlocal visits
        visits += 1
        return original(*arguments, **named)

    setattr(module, function, counting)
    try:
        run()
    finally:
        setattr(module, function, original)
    return visits


def benchmarks() -> list[Benchmark]:
    """Return the benchmarks of this side."""
    tictactoe, connect4, othello = map(pyspiel.load_game, ("tic_tac_toe", "connect_four", "othello"))

    def alphabeta(game: Any, depth: int, value: Callable[[Any], float]) -> Callable[[], object]:
        return lambda: minimax.alpha_beta_search(game, value_function=value, maximum_depth=depth)

    def benchmark(
        workload: str, search: str, run: Callable[[], object], expected: int, function: str = "_alpha_beta"
    ) -> Benchmark:
        return Benchmark(workload, NAME, search, run, _visited(function, run), f"{function} calls", expected)

    return [
        benchmark(
            TICTACTOE_MINIMAX,
            "expectiminimax",
            lambda: minimax.expectiminimax(tictactoe.new_initial_state(), 9, _zero, 0),
            TICTACTOE_MINIMAX_NODES,
            "expectiminimax",
        ),
        benchmark(TICTACTOE_ALPHABETA, "alpha-beta", alphabeta(tictactoe, 9, _zero), TICTACTOE_ALPHABETA_NODES),
        benchmark(CONNECT4, "alpha-beta, depth 10", alphabeta(connect4, 10, _zero), CONNECT4_NODES[10]),
        benchmark(OTHELLO, "alpha-beta, depth 8", alphabeta(othello, 8, _disc_difference), OTHELLO_NODES[8]),
    ]
