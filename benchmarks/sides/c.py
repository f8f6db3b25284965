"""Hand-written C (reference.c): the same searches without the cost of a general library.

Othello comes in two versions: one direction after the other, and the four directions in parallel in vector registers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from reference import CompilerError, Reference
from report import Unavailable

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

NAME = "C"
VECTORIZED = "C, vectorized"
COUNTED = "visits"


def benchmarks() -> list[Benchmark]:
    """Return the benchmarks of this side."""
    try:
        c = Reference()
    except CompilerError as error:
        raise Unavailable(str(error)) from None

    def benchmark(
        workload: str, side: str, search: str, run: Callable[[], tuple[int, int]], expected: int
    ) -> Benchmark:
        return Benchmark(workload, side, search, run, run()[1], COUNTED, expected)

    result = [
        benchmark(TICTACTOE_MINIMAX, NAME, "minimax", partial(c.tictactoe, False), TICTACTOE_MINIMAX_NODES),
        benchmark(TICTACTOE_ALPHABETA, NAME, "alpha-beta", partial(c.tictactoe, True), TICTACTOE_ALPHABETA_NODES),
        benchmark(CONNECT4, NAME, "alpha-beta, depth 12", partial(c.connect4, 12), CONNECT4_NODES[12]),
    ]
    for workload, depth in ((OTHELLO, 8), (OTHELLO_DEEPER, 12)):
        for side, use_vectors in ((NAME, False), (VECTORIZED, True)):
            run = partial(c.othello, depth, use_vectors)
            result.append(benchmark(workload, side, f"alpha-beta, depth {depth}", run, OTHELLO_NODES[depth]))
    return result
