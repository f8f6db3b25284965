"""Zermelo: rules in plain Python and the compiled search. "Interpreted" is the textbook search in Python."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import zermelo
from sides.benchmark import (
    CONNECT4,
    CONNECT4_NODES,
    OTHELLO,
    OTHELLO_DEEPER,
    OTHELLO_NODES,
    TICTACTOE_ALPHABETA,
    TICTACTOE_ALPHABETA_NODES,
    TICTACTOE_MINIMAX,
    TICTACTOE_MINIMAX_NODES,
    Benchmark,
)

NAME = "Zermelo"
COUNTED = "visits"


def benchmarks() -> list[Benchmark]:
    """Return the benchmarks of this side."""
    tictactoe = zermelo.load("tictactoe").start()
    connect4 = zermelo.load("connect4").start()
    othello = zermelo.load("othello").start()
    minimax: Callable[..., Any] = partial(zermelo.minimax, compiled=True)
    alphabeta: Callable[..., Any] = partial(zermelo.alphabeta, compiled=True)
    textbook: Callable[..., Any] = partial(zermelo.alphabeta, compiled=False)

    def benchmark(workload: str, search: str, run: Callable[..., Any], expected: int, side: str = NAME) -> Benchmark:
        run(depth=1)  # compile before the measurement
        full = partial(run, depth=int(search.split()[-1])) if "depth" in search else run
        return Benchmark(workload, side, search, full, int(full().nodes), COUNTED, expected)

    diff = {"evaluation": "diff"}
    utilities = {"evaluation": "nothing", "rank_wins": False}
    return [
        benchmark(TICTACTOE_MINIMAX, "minimax", partial(minimax, tictactoe), TICTACTOE_MINIMAX_NODES),
        benchmark(TICTACTOE_ALPHABETA, "alpha-beta", partial(alphabeta, tictactoe), TICTACTOE_ALPHABETA_NODES),
        benchmark(
            TICTACTOE_ALPHABETA,
            "alpha-beta",
            partial(textbook, tictactoe),
            TICTACTOE_ALPHABETA_NODES,
            f"{NAME}, interpreted",
        ),
        benchmark(CONNECT4, "alpha-beta, depth 12", partial(alphabeta, connect4, **utilities), CONNECT4_NODES[12]),
        benchmark(OTHELLO, "alpha-beta, depth 8", partial(alphabeta, othello, **diff), OTHELLO_NODES[8]),
        benchmark(OTHELLO_DEEPER, "alpha-beta, depth 12", partial(alphabeta, othello, **diff), OTHELLO_NODES[12]),
    ]
