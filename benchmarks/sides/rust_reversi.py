"""rust-reversi: its own search in Rust, and the plain search written in Python over its boards.

Its search evaluates positions to order the moves, so its tree is another; it looks one ply deeper than the depth
it is given, and a pass costs it nothing. It does not tell its nodes: what it evaluates is counted instead (leaves,
and positions looked at for ordering), through an evaluator in Python that the timed runs do not use. So 8 plies take
it fewer nodes than the plain tree has: compare seconds too.
"""

from __future__ import annotations

from typing import Any

import rust_reversi

from sides.contest import OTHELLO, OTHELLO_DEEPER, OTHELLO_NODES, Contest

NAME = "rust-reversi"
ITS_BOARDS = "rust-reversi boards"
INFINITY = 1_000_000


class _Counting(rust_reversi.Evaluator):  # type: ignore[misc, unused-ignore]
    evaluated = 0

    def evaluate(self, board: Any) -> int:
        self.evaluated += 1
        return int(board.diff_piece_num())


def _evaluated(plies: int) -> int:
    counting, evaluator = _Counting(), rust_reversi.Evaluator()
    evaluator.set_py_evaluator(counting)
    rust_reversi.AlphaBetaSearch(evaluator, plies - 1, INFINITY).get_search_score(rust_reversi.Board())
    return counting.evaluated


def _alphabeta(board: Any, depth: int, alpha: int, beta: int) -> tuple[int, int]:
    """Value for the side to move, and nodes visited; a pass costs a ply, as in ours."""
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


def contests() -> list[Contest]:
    def its_search(workload: str, plies: int) -> Contest:
        search = rust_reversi.AlphaBetaSearch(rust_reversi.PieceEvaluator(), plies - 1, INFINITY)
        return Contest(
            workload,
            NAME,
            f"AlphaBetaSearch, {plies} plies",
            lambda: search.get_search_score(rust_reversi.Board()),
            _evaluated(plies),
            "evaluations",
        )

    def over_its_boards() -> tuple[int, int]:
        return _alphabeta(rust_reversi.Board(), 8, -INFINITY, INFINITY)

    return [
        its_search(OTHELLO, 8),
        Contest(
            OTHELLO,
            ITS_BOARDS,
            "Python alpha-beta, depth 8",
            over_its_boards,
            over_its_boards()[1],
            "visits",
            OTHELLO_NODES[8],
        ),
        its_search(OTHELLO_DEEPER, 12),
    ]
