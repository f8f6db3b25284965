"""The computed analyses, compared with independent programs."""

from fractions import Fraction
from functools import cache
from itertools import product

import pytest

from zermelo.core.evaluation import Nothing
from zermelo.games.tictactoe import OpenLines, TicTacToe
from zermelo.teaching.lectures import claims, pennies, tictactoe
from zermelo.teaching.lectures.cases import tree_of
from zermelo.teaching.lectures.positions import rows
from zermelo.teaching.lectures.tictactoe import Perfect
from zermelo.teaching.tree.trace import trace

pytestmark = pytest.mark.quick

LINES = ("012", "345", "678", "036", "147", "258", "048", "246")


def winner(board):
    for line in LINES:
        stones = {board[int(square)] for square in line}
        if len(stones) == 1 and stones != {"-"}:
            return stones.pop()
    return None


@cache
def solve(board):
    """Value, games, nodes of a tic-tac-toe position, from its text."""
    won = winner(board)
    if won or "-" not in board:
        return {"X": 1, "O": -1, None: 0}[won], 1, 1
    side = "XO"[board.count("X") - board.count("O")]
    below = [solve(board[:n] + side + board[n + 1 :]) for n in range(9) if board[n] == "-"]
    values, games, nodes = zip(*below, strict=True)
    return (max if side == "X" else min)(values), sum(games), 1 + sum(nodes)


def test_counts_of_tic_tac_toe():
    _, games, nodes = solve("-" * 9)
    assert claims.tic_tac_toe() == (games, nodes, solve.cache_info().currsize) == (255168, 549946, 5478)


@pytest.mark.slow
def test_values_of_tic_tac_toe():
    values = tictactoe.solved()
    assert len(values) == 5478
    for state, value in values.items():
        assert value == solve(str(state).replace("/", ""))[0]


def test_symmetric_positions_are_counted_once():
    def rotated(board):
        return "".join(board[square] for square in (6, 3, 0, 7, 4, 1, 8, 5, 2))

    def mirrored(board):
        return "".join(board[square] for square in (2, 1, 0, 5, 4, 3, 8, 7, 6))

    def symmetric(board):
        for _ in range(4):
            board = rotated(board)
            yield from (board, mirrored(board))

    solve("-" * 9)
    boards = [str(state).replace("/", "") for state in tictactoe.solved() if not state.is_over()]
    classes = {min(symmetric(board)) for board in boards}
    assert len(tictactoe.positions()) == len(classes) == 627
    assert {min(symmetric(str(state).replace("/", ""))) for state in tictactoe.positions()} == classes


def test_open_lines():
    for state in list(tictactoe.solved())[::37]:
        board = str(state).replace("/", "")
        for side, other in (("X", "O"), ("O", "X")):
            assert tictactoe.lines(state)["XO".index(side)] == sum(
                all(board[int(square)] != other for square in line) for line in LINES
            )


def test_perfect_evaluation_needs_one_ply():
    assert tictactoe.mistakes(Perfect(), 1) == 0
    assert tictactoe.mistakes(Nothing(), 1) == 130
    assert 0 < tictactoe.mistakes(OpenLines(), 1) < 627


def test_pennies_agree_with_an_independent_program():
    def splits(piles):
        for place, pile in enumerate(piles):
            for part in range(1, (pile + 1) // 2):
                yield tuple(sorted((*piles[:place], *piles[place + 1 :], part, pile - part)))

    @cache
    def solved(piles):
        """Whether the side to move wins, and the maximum number of remaining moves."""
        below = [solved(after) for after in set(splits(piles))]
        return any(not won for won, _ in below), max((moves + 1 for _, moves in below), default=0)

    for size in range(3, 16):
        assert pennies.winning([size]) == solved((size,))[0]
        assert pennies.longest(size) == solved((size,))[1]
    tree = pennies.tree(7)
    states = {pennies.piles_of(tree, node.id) for node in tree}
    solved.cache_clear()
    solved((7,))
    assert len(states) == solved.cache_info().currsize == 14
    assert len(tree) == 24
    assert trace(tree, "minimax").value == -1


def test_positions_by_number_of_moves():
    counted = [len(row) for row in rows(TicTacToe.start())]
    assert counted == [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]
    assert sum(counted) == 5478


# ---- tree sizes ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("branching", "depth"), [*product((2, 3, 4), (1, 2, 3, 4))])
def test_best_and_worst_trees(branching, depth):
    best, worst = (claims.uniform(branching, depth, worst=each) for each in (False, True))
    minimal = branching ** -(-depth // 2) + branching ** (depth // 2) - 1
    assert claims.minimal_leaves(branching, depth) == minimal
    for words in ("equal fail-soft", "equal fail-hard"):
        assert len(trace(best, words).leaves) == minimal
        assert len(trace(worst, words).leaves) == len(worst.leaves) == branching**depth
    assert len({leaf.value for leaf in worst.leaves}) == branching**depth


def test_move_orders_of_the_last_slide():
    """The tree has five leaves below E and one other leaf."""
    leaves = {order: len(trace(tree_of(f"liang_order_{order}")).leaves) - 1 for order in ("LKM", "KLM", "KML")}
    assert leaves == {"LKM": 1, "KLM": 3, "KML": 5}
    assert Fraction(sum(leaves.values()), 3) == leaves["KLM"]
