"""Gomoku: contract, lines counted naively, the two rules of five, perft against plain Python, notation."""

from __future__ import annotations

from random import Random

import pytest

import zermelo
from zermelo.core.game import MAX, MIN
from zermelo.errors import IllegalMove, PositionError
from zermelo.games.gomoku import BOARDS, ROW, STEPS, Board, Gomoku, Threats, has_five, lines_by_stones, run_through
from zermelo.testing import check_game

SIZE = 7
ALL_LINES = [
    tuple(ROW * (row + far * up) + column + far * right for far in range(5))
    for column in range(SIZE)
    for row in range(SIZE)
    for right, up in ((1, 0), (0, 1), (1, 1), (-1, 1))
    if 0 <= column + 4 * right < SIZE and row + 4 * up < SIZE
]


def board(squares) -> Board:
    return Board(sum(1 << square for square in squares))


def test_tactical_moves_agree_with_lines_of_stones() -> None:
    """A stone that makes or stops five in a row, or makes four in a row where five free squares are in a row."""
    random = Random(2)
    kinds = [0, 0, 0]
    for _ in range(300):
        filled = random.sample([*BOARDS[SIZE]], random.randrange(6, 30))
        state = Gomoku(board(filled[::2]), board(filled[1::2]), SIZE)
        own, other = (set(state.black), set(state.white))[:: state.to_move()]
        found = []
        for move in state.moves():
            five = any({*line} <= own | {move} for line in ALL_LINES if move in line)
            stop = any({*line} <= other | {move} for line in ALL_LINES if move in line)
            four = any({*line[start:start + 4]} <= own | {move} and not other & {*line}
                       for line in ALL_LINES for start in (0, 1) if move in line[start:start + 4])  # fmt: skip
            kinds = [count + each for count, each in zip(kinds, (five, stop, four), strict=True)]
            if five or stop or four:
                found.append(move)
            assert state.is_tactical(move) == (five or stop or four), (str(state), state.move_name(move))
        assert [move for move in state.tactical_moves() if state.is_tactical(move)] == sorted(found)
    assert min(kinds) > 20


@pytest.mark.quick
@pytest.mark.long
def test_contract() -> None:
    report = check_game(Gomoku.parse("6x6"), games=3)
    assert report.longest <= 36


def test_lines_agree_with_a_naive_count() -> None:
    random = Random(1)
    for _ in range(60):
        share = random.random()
        own = {square for square in BOARDS[SIZE] if random.random() < share}
        other = {square for square in BOARDS[SIZE] if square not in own and random.random() < share / 4}
        counts = [sum(len(own.intersection(line)) == n and not other.intersection(line) for line in ALL_LINES)
                  for n in range(1, 5)]  # fmt: skip
        assert list(lines_by_stones(board(own), board(other), BOARDS[SIZE])) == counts
        assert has_five(board(own), False) == any(own.issuperset(line) for line in ALL_LINES)


def runs(own: set[int]) -> set[int]:
    """The lengths of all maximal rows of stones."""
    lengths = set()
    for square in own:
        for step in STEPS:
            if square - step not in own:
                length = 1
                while square + length * step in own:
                    length += 1
                lengths.add(length)
    return lengths


def test_exact_five_agrees_with_maximal_rows() -> None:
    random = Random(2)
    seen = set()
    for _ in range(200):
        share = random.choice((0.5, 0.7, 0.9))
        own = {square for square in BOARDS[SIZE] if random.random() < share}
        assert has_five(board(own), True) == (5 in runs(own))
        assert has_five(board(own), False) == (max(runs(own), default=0) >= 5)
        seen.add((has_five(board(own), True), has_five(board(own), False)))
    assert seen == {(False, False), (False, True), (True, True)}


def test_six_wins_in_freestyle_only() -> None:
    text = "9x9"
    line = "a1 a9 b1 b9 c1 c9 e1 e9 f1 f9 d1"
    assert Gomoku.parse(text).after(line).utility() == 1
    exact = Gomoku.parse(f"exact {text}").after(line)
    assert not exact.is_over()
    assert exact.after("i5 i9 i6 h9 i7 g9 i8").is_over() is False
    assert Gomoku.parse("exact 9x9").after("a1 a9 b1 b9 c1 c9 d1 d9 e1").utility() == 1


def naive_perft(size: int, depth: int) -> int:
    """Lines of moves on sets of squares; games that end earlier are not counted."""
    squares = [ROW * row + column for row in range(size) for column in range(size)]

    def count(own: frozenset[int], other: frozenset[int], left: int) -> int:
        if max(runs(set(other)), default=0) >= 5:
            return 1 if left == 0 else 0
        if left == 0:
            return 1
        return sum(count(other, own | {s}, left - 1) for s in squares if s not in own and s not in other)

    return count(frozenset(), frozenset(), depth)


@pytest.mark.long
def test_perft() -> None:
    assert zermelo.perft(Gomoku(), 2) == 225 * 224
    assert zermelo.perft(Gomoku(size=5), 3) == naive_perft(5, 3) == 25 * 24 * 23
    # No row of five is possible before the ninth ply.
    assert zermelo.perft(Gomoku(size=5), 5) == 25 * 24 * 23 * 22 * 21


def pairing(lines: list[list[int]]) -> dict[int, int]:
    """Give each line two squares of its own, by augmenting paths; return the other square of each."""
    line_of: dict[int, int] = {}  # by square

    def take(line: int, tried: set[int]) -> bool:
        for square in lines[line]:
            if square not in tried and line_of.get(square) != line:
                tried.add(square)
                if square not in line_of or take(line_of[square], tried):
                    line_of[square] = line
                    return True
        return False

    assert all(take(line, set()) for line in range(len(lines)) for _ in range(2))
    squares = [[square for square, each in line_of.items() if each == line] for line in range(len(lines))]
    return {one: other for a, b in squares for one, other in ((a, b), (b, a))}


@pytest.mark.quick
def test_white_holds_5x5_by_pairs_of_squares() -> None:
    """Hales and Jewett 1963: n in a row on n x n is a draw for n > 4, since each line has a pair of its own."""
    grid = [[ROW * row + column for column in range(5)] for row in range(5)]
    diagonals = [[grid[i][i] for i in range(5)], [grid[i][4 - i] for i in range(5)]]
    other = pairing([*grid, *([row[column] for row in grid] for column in range(5)), *diagonals])
    for seed in range(50):
        random, state = Random(seed), Gomoku(size=5)
        while not state.is_over():
            move = random.choice(state.legal_moves())
            state = state.play(move)
            if not state.is_over():
                free = state.legal_moves()
                state = state.play(other[move] if other.get(move) in free else free[0])
        assert state.utility() <= 0


@pytest.mark.long
def test_endings_of_5x5_agree_with_plain_minimax() -> None:
    random = Random(3)
    values = []
    for game in range(6):
        state = Gomoku(size=5, exact=game % 2 == 1)
        while not state.is_over() and (state.black | state.white).count() < 19:
            state = state.play(random.choice(state.legal_moves()))
        if not state.is_over():
            values.append(zermelo.minimax(state).value)
            assert zermelo.analyse(state, depth=10).score.value == values[-1]
    assert len(values) > 3


def test_moves_next_to_stones_come_first() -> None:
    state = Gomoku.parse("")
    assert state.move_name(next(iter(state.moves()))) == "h8"
    state = state.after("h8")
    names = [state.move_name(move) for move in state.legal_moves()]
    assert names[:8] == ["g7", "h7", "i7", "g8", "i8", "g9", "h9", "i9"]
    assert len(names) == len(set(names)) == 224


@pytest.mark.long
def test_it_completes_and_stops_fives() -> None:
    four = Gomoku.parse("9x9").after("c3 c9 d3 d9 e3 g9 f3 h8")
    assert zermelo.analyse(four, depth=2).best in ("b3", "g3")
    assert zermelo.analyse(four, depth=2).score.value == 1
    state = Gomoku.parse("9x9").after("c3 b3 d3 a9 e3 i9 f3")
    assert zermelo.analyse(state, depth=2).best == "g3"
    assert run_through(state.black, ROW * 2 + 6, 1) == 4


def test_threats_are_symmetric() -> None:
    state = Gomoku.parse("9x9").after("e5 d4 e6 d5 e7 d6")
    terms = Threats().terms(state)
    assert sum(term.points for term in terms) == Threats().score(state)
    assert Threats().score(state) > 0  # black moves, with a row of three


# ---- texts ----------------------------------------------------------------------------------------------------


def test_texts() -> None:
    assert Gomoku.parse("") == Gomoku()
    assert Gomoku.parse("exact start") == Gomoku(exact=True)
    assert Gomoku.parse("5x5") == Gomoku(size=5)
    state = Gomoku.parse("exact -----/-----/--X--/-----/O----")
    assert (state.size, state.exact, state.to_move()) == (5, True, MAX)
    assert state.after("a5").to_move() == MIN
    assert Gomoku.parse(str(state)) == state
    assert Gomoku.parse("-" * 24 + "X O").to_move() == MIN
    assert state.board().split("\n")[-2].startswith("1 │ O │")
    assert Gomoku().player_name(MAX) == "X (black)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("-" * 24, "'------------------------' is not a square board of 5 to 15 rows"),
        ("4x4", "'4x4' is not a square board"),
        ("16x16", "'16x16' is not a square board"),
        ("9x8", "'9x8' is not a square board"),
        ("-" * 24 + "?", r"is not a square board"),
        ("O" + "-" * 24, "has 0 X and 1 O; expected as many X as O or one X more"),
        ("XXXXX/----O/O-O-O/O----/-----", "X has five in a row, which ends the game, but O has moved after it"),
    ],
)
def test_error_message_for_invalid_position(text: str, message: str) -> None:
    with pytest.raises(PositionError, match=message):
        Gomoku.parse(text)


def test_error_message_for_invalid_move() -> None:
    with pytest.raises(IllegalMove, match="'f1' is not a legal move here"):
        Gomoku(size=5).after("f1")
