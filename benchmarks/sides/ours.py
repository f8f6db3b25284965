"""Zermelo: rules written in plain Python and its compiled search. "Interpreted" is the textbook's search in Python."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import zermelo
from sides.contest import (
    CONNECT4,
    CONNECT4_NODES,
    OTHELLO,
    OTHELLO_DEEPER,
    OTHELLO_NODES,
    TICTACTOE_ALPHABETA,
    TICTACTOE_ALPHABETA_NODES,
    TICTACTOE_MINIMAX,
    TICTACTOE_MINIMAX_NODES,
    Contest,
)

NAME = "Zermelo"
COUNTED = "visits"


def contests() -> list[Contest]:
    tictactoe = zermelo.load("tictactoe").start()
    connect4 = zermelo.load("connect4").start()
    othello = zermelo.load("othello").start()
    minimax: Callable[..., Any] = partial(zermelo.minimax, compiled=True)
    alphabeta: Callable[..., Any] = partial(zermelo.alphabeta, compiled=True)
    textbook: Callable[..., Any] = partial(zermelo.alphabeta, compiled=False)

    def contest(workload: str, search: str, run: Callable[..., Any], expected: int, side: str = NAME) -> Contest:
        run(depth=1)  # compiles, or loads what was compiled before
        full = partial(run, depth=int(search.split()[-1])) if "depth" in search else run
        return Contest(workload, side, search, full, int(full().nodes), COUNTED, expected)

    diff = {"evaluation": "diff"}
    utilities = {"evaluation": "nothing", "rank_wins": False}
    return [
        contest(TICTACTOE_MINIMAX, "minimax", partial(minimax, tictactoe), TICTACTOE_MINIMAX_NODES),
        contest(TICTACTOE_ALPHABETA, "alpha-beta", partial(alphabeta, tictactoe), TICTACTOE_ALPHABETA_NODES),
        contest(
            TICTACTOE_ALPHABETA,
            "alpha-beta",
            partial(textbook, tictactoe),
            TICTACTOE_ALPHABETA_NODES,
            f"{NAME}, interpreted",
        ),
        contest(CONNECT4, "alpha-beta, depth 12", partial(alphabeta, connect4, **utilities), CONNECT4_NODES[12]),
        contest(OTHELLO, "alpha-beta, depth 8", partial(alphabeta, othello, **diff), OTHELLO_NODES[8]),
        contest(OTHELLO_DEEPER, "alpha-beta, depth 12", partial(alphabeta, othello, **diff), OTHELLO_NODES[12]),
    ]
