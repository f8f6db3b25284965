"""rust-reversi: its own search in Rust, and plain alpha-beta in Python over its boards.

Its own search evaluates positions to order the moves, so its tree differs. It searches one ply deeper than its depth
argument, and a pass does not count as a ply. It does not report nodes, so evaluations are counted instead (leaves and
positions evaluated for move ordering), with a Python evaluator that the timed runs do not use. A search of 8 plies
has fewer nodes than the plain tree, so compare seconds too.
"""

from __future__ import annotations

from typing import Any

import rust_reversi

from sides.benchmark import OTHELLO, OTHELLO_DEEPER, OTHELLO_NODES, Benchmark

NAME = "rust-reversi"
ON_ITS_BOARDS = "rust-reversi boards"
INFINITY = 1_000_000


class _Counting(rust_reversi.Evaluator):  # type: ignore[misc, unused-ignore]
    """Evaluator that counts its calls."""

    evaluated = 0

    def evaluate(self, board: Any) -> int:
        self.evaluated += 1
        return int(board.diff_piece_num())


def _evaluated(plies: int) -> int:
    """Count the evaluations of one search."""
    counting, evaluator = _Counting(), rust_reversi.Evaluator()
    evaluator.set_py_evaluator(counting)
    rust_reversi.AlphaBetaSearch(evaluator, plies - 1, INFINITY).get_search_score(rust_reversi.Board())
    return counting.evaluated


def _alphabeta(board: Any, depth: int, alpha: int, beta: int) -> tuple[int, int]:
    """Return the value for the side to move and the visited nodes. A pass counts as a ply, as in Zermelo."""
    if depth == 0 or board.is_game_over():
        return board.diff_piece_num(), 1
    nodes, best = 1, -INFINITY
    for move in board.get_legal_moves_vec() or [None]:
        child = board.clone()
        if move is None:
            child.do_pass()
        else:
            child.do_move(move)
        value, visited = _alphabeta(child, depth - 1, -beta, -alpha)
        nodes += visited
        if -value > best:
            best = -value
            if best >= beta:
                break
            alpha = max(alpha, best)
    return best, nodes


def benchmarks() -> list[Benchmark]:
    """Return the benchmarks of this side."""

    def own_search(workload: str, plies: int) -> Benchmark:
        search = rust_reversi.AlphaBetaSearch(rust_reversi.PieceEvaluator(), plies - 1, INFINITY)
        return Benchmark(
            workload,
            NAME,
            f"AlphaBetaSearch, {plies} plies",
            lambda: search.get_search_score(rust_reversi.Board()),
            _evaluated(plies),
            "evaluations",
        )

    def alphabeta_on_its_boards() -> tuple[int, int]:
        return _alphabeta(rust_reversi.Board(), 8, -INFINITY, INFINITY)

    return [
        own_search(OTHELLO, 8),
        Benchmark(
            OTHELLO,
            ON_ITS_BOARDS,
            "Python alpha-beta, depth 8",
            alphabeta_on_its_boards,
            alphabeta_on_its_boards()[1],
            "visits",
            OTHELLO_NODES[8],
        ),
        own_search(OTHELLO_DEEPER, 12),
    ]
