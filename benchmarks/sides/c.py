"""C, the limit: the same searches written by hand, see reference.c.

Othello twice: direction after direction, and (four lanes) with the directions side by side in vector registers.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from reference import NoCompiler, Reference
from report import Absent

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

NAME = "C"
IN_LANES = "C, four lanes"
COUNTED = "visits"


def contests() -> list[Contest]:
    try:
        c = Reference()
    except NoCompiler as error:
        raise Absent(str(error)) from None

    def contest(workload: str, side: str, search: str, run: Callable[[], tuple[int, int]], expected: int) -> Contest:
        return Contest(workload, side, search, run, run()[1], COUNTED, expected)

    made = [
        contest(TICTACTOE_MINIMAX, NAME, "minimax", partial(c.tictactoe, False), TICTACTOE_MINIMAX_NODES),
        contest(TICTACTOE_ALPHABETA, NAME, "alpha-beta", partial(c.tictactoe, True), TICTACTOE_ALPHABETA_NODES),
        contest(CONNECT4, NAME, "alpha-beta, depth 12", partial(c.connect4, 12), CONNECT4_NODES[12]),
    ]
    for workload, depth in ((OTHELLO, 8), (OTHELLO_DEEPER, 12)):
        for side, in_lanes in ((NAME, False), (IN_LANES, True)):
            run = partial(c.othello, depth, in_lanes)
            made.append(contest(workload, side, f"alpha-beta, depth {depth}", run, OTHELLO_NODES[depth]))
    return made
