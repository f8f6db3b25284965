"""What the sides hand to benchmarks/peers.py: one search each, ready to be run and timed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

# The workloads, in the order they are shown, each with the tree that a plain search of it has.
TICTACTOE_MINIMAX = "tic-tac-toe, minimax"
TICTACTOE_ALPHABETA = "tic-tac-toe, alpha-beta"
CONNECT4 = "Connect Four, alpha-beta"
OTHELLO = "Othello, alpha-beta"
OTHELLO_DEEPER = "Othello, alpha-beta, deeper"
WORKLOADS = (TICTACTOE_MINIMAX, TICTACTOE_ALPHABETA, CONNECT4, OTHELLO, OTHELLO_DEEPER)

# Nodes of the plain tree: root counted, every visit counted, squares or columns in order, no table, cut when a
# value reaches beta. Connect Four's and Othello's by depth.
TICTACTOE_MINIMAX_NODES = 549_946
TICTACTOE_ALPHABETA_NODES = 18_297
CONNECT4_NODES = {6: 1_249, 8: 12_574, 10: 155_590, 12: 3_050_083}
OTHELLO_NODES = {5: 339, 8: 11_132, 12: 1_079_557}


@dataclass(frozen=True)
class Contest:
    """One side's search of one workload."""

    workload: str
    side: str
    search: str  # what it runs, with its depth
    run: Callable[[], object]  # one search, nothing in the way of its speed
    nodes: int  # that one search visits, counted beforehand
    counted: str  # what was counted
    expected: int | None = None  # nodes of the plain tree, where the side searches just that
