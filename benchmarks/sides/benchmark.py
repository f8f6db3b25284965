"""Workloads of benchmarks/peers.py, and one search of a workload, ready to run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

# Workloads in the order of the output.
TICTACTOE_MINIMAX = "tic-tac-toe, minimax"
TICTACTOE_ALPHABETA = "tic-tac-toe, alpha-beta"
CONNECT4 = "Connect Four, alpha-beta"
OTHELLO = "Othello, alpha-beta"
OTHELLO_DEEPER = "Othello, alpha-beta, deeper"
WORKLOADS = (TICTACTOE_MINIMAX, TICTACTOE_ALPHABETA, CONNECT4, OTHELLO, OTHELLO_DEEPER)

# Nodes of the plain tree: every visit counts, including the root; squares or columns in order, no table, cutoff when a
# value reaches beta. For Connect Four and Othello by depth.
TICTACTOE_MINIMAX_NODES = 549_946
TICTACTOE_ALPHABETA_NODES = 18_297
CONNECT4_NODES = {6: 1_249, 8: 12_574, 10: 155_590, 12: 3_050_083}
OTHELLO_NODES = {5: 339, 8: 11_132, 12: 1_079_557}


@dataclass(frozen=True)
class Benchmark:
    """One side's search of one workload."""

    workload: str
    side: str
    search: str  # algorithm and depth
    run: Callable[[], object]  # run one search, without counting nodes
    nodes: int  # nodes of one search
    counted: str  # what counts as a node
    expected: int | None = None  # nodes of the plain tree, if the side searches it
