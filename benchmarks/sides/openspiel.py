"""OpenSpiel: the searches of its Python package over its states, which are written in C++.

Its C++ alpha-beta is not exposed to Python. It has no plain minimax in Python either; its expectiminimax on a
game without chance is one. The disc difference at Othello's leaves is counted in the state's text, the quickest
way it offers. Nodes are the calls of its recursive function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyspiel
from open_spiel.python.algorithms import minimax

from sides.contest import (
    CONNECT4,
    CONNECT4_NODES,
    OTHELLO,
    OTHELLO_NODES,
    TICTACTOE_ALPHABETA,
    TICTACTOE_ALPHABETA_NODES,
    TICTACTOE_MINIMAX,
    TICTACTOE_MINIMAX_NODES,
    Contest,
)

NAME = "OpenSpiel"


def _zero(state: Any) -> float:
    return 0.0


def _disc_difference(state: Any) -> float:
    text = str(state)
    board = text[text.index("\n") :]  # after the heading, which names the side to move: "White (o) to play:"
    return float(board.count("x") - board.count("o"))


def _visited(function: str, run: Callable[[], object]) -> int:
    """Calls of one of the module's recursive functions during one run."""
    module: Any = minimax
    plain = getattr(module, function)
    visits = 0

    def counting(*arguments: Any, **named: Any) -> Any:
        nonlocal visits
        visits += 1
        return plain(*arguments, **named)

    setattr(module, function, counting)
    try:
        run()
    finally:
        setattr(module, function, plain)
    return visits


def contests() -> list[Contest]:
    tictactoe, connect4, othello = map(pyspiel.load_game, ("tic_tac_toe", "connect_four", "othello"))

    def alphabeta(game: Any, depth: int, value: Callable[[Any], float]) -> Callable[[], object]:
        return lambda: minimax.alpha_beta_search(game, value_function=value, maximum_depth=depth)

    def contest(
        workload: str, search: str, run: Callable[[], object], expected: int, function: str = "_alpha_beta"
    ) -> Contest:
        return Contest(workload, NAME, search, run, _visited(function, run), f"{function} calls", expected)

    return [
        contest(
            TICTACTOE_MINIMAX,
            "expectiminimax",
            lambda: minimax.expectiminimax(tictactoe.new_initial_state(), 9, _zero, 0),
            TICTACTOE_MINIMAX_NODES,
            "expectiminimax",
        ),
        contest(TICTACTOE_ALPHABETA, "alpha-beta", alphabeta(tictactoe, 9, _zero), TICTACTOE_ALPHABETA_NODES),
        contest(CONNECT4, "alpha-beta, depth 10", alphabeta(connect4, 10, _zero), CONNECT4_NODES[10]),
        contest(OTHELLO, "alpha-beta, depth 8", alphabeta(othello, 8, _disc_difference), OTHELLO_NODES[8]),
    ]
