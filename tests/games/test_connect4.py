"""Connect Four: contract, published counts, lines checked naively, notation."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from zermelo.core.bitboard import Bitboard
from zermelo.core.game import MAX, MIN, win_in
from zermelo.errors import IllegalMove, PositionError
from zermelo.games.connect4 import BOARD, ConnectFour, Lines, has_four, mirrored, winning_squares
from zermelo.search.engine import Engine
from zermelo.search.limits import Limits
from zermelo.search.request import SearchRequest
from zermelo.search.solved_scores import MoveScore, solved_score
from zermelo.search.solving import Solver
from zermelo.solve.books.book_file import shipped_book
from zermelo.solve.books.contents import problems
from zermelo.testing import check_game

# All lines of four as sets of squares, square 7 * column + row.
ALL_LINES = [
    frozenset(7 * (column + far * right) + row + far * up for far in range(4))
    for column in range(7)
    for row in range(6)
    for right, up in ((0, 1), (1, 0), (1, 1), (1, -1))
    if column + 3 * right < 7 and 0 <= row + 3 * up < 6
]


def board(squares) -> Bitboard:
    return Bitboard(sum(1 << square for square in squares))


@pytest.mark.long
@pytest.mark.quick
@pytest.mark.slow
def test_contract() -> None:
    report = check_game(ConnectFour)
    assert report.longest <= 42


# ---- published counts -------------------------------------------------------------------------------------------

# Perft; games that end earlier are not counted.
PERFT = [1, 7, 49, 343, 2_401, 16_807, 117_649, 823_536, 5_673_234, 39_394_572]
# OEIS A212693: different positions by ply.
POSITIONS = [1, 7, 49, 238, 1_120, 4_263, 16_422]


@pytest.mark.parametrize("depth", range(len(PERFT)))
def test_perft(perft, depth: int) -> None:
    assert perft(ConnectFour(), depth) == PERFT[depth]


def test_positions_by_ply_have_unique_keys() -> None:
    states = {ConnectFour()}
    for count in POSITIONS:
        assert len(states) == count
        assert len({state.key() for state in states}) == count
        states = {state.play(move) for state in states for move in state.legal_moves()}


@pytest.mark.long
def test_alpha_beta_to_depth_12_visits_3050083_nodes(search) -> None:
    assert search(ConnectFour(), depth=12) == (0, 3_050_083)


# ---- lines --------------------------------------------------------------------------------------------------------


def test_each_of_69_lines_is_detected() -> None:
    assert len(ALL_LINES) == 69
    for line in ALL_LINES:
        assert has_four(board(line))
        assert not any(has_four(board(line - {square})) for square in line)


def test_lines_agree_with_naive_count() -> None:
    random = Random(1)
    found = 0
    for _ in range(300):
        share = random.random()
        yellow = {square for square in BOARD if random.random() < share}
        red = {square for square in BOARD if square not in yellow and random.random() < share}
        assert has_four(board(yellow)) == any(line <= yellow for line in ALL_LINES)
        found += has_four(board(yellow))
        points = [0, 1, 4, 8, 8]
        expected = sum(points[len(line & yellow)] for line in ALL_LINES if not line & red)
        expected -= sum(points[len(line & red)] for line in ALL_LINES if not line & yellow)
        assert Lines().score(ConnectFour(board(yellow), board(red))) == expected
    assert 50 < found < 250


def random_state(random: Random, plies: int) -> ConnectFour:
    """An unfinished position after random moves."""
    while True:
        state = ConnectFour()
        for _ in range(plies):
            if not state.is_over():
                state = state.play(random.choice(state.legal_moves()))
        if not state.is_over():
            return state


def test_winning_squares_agree_with_naive_count() -> None:
    random = Random(2)
    found = 0
    for _ in range(200):
        state = random_state(random, random.randrange(34))
        filled = state.yellow | state.red
        for own in (state.yellow, state.red):
            squares = {square for square in BOARD & ~filled if has_four(own | Bitboard(1) << square)}
            assert set(winning_squares(own, filled)) == squares
            found += len(squares)
    assert found > 200


def test_bounds_and_candidates_look_two_plies_ahead() -> None:
    random = Random(3)
    seen = set()
    for _ in range(300):
        state = random_state(random, random.randrange(41))
        wins = [move for move in state.legal_moves() if state.play(move).utility() != 0]
        safe = [
            move
            for move in state.legal_moves()
            if state.play(move).is_over()
            or not any(state.play(move).play(reply).utility() for reply in state.play(move).legal_moves())
        ]
        assert list(state.candidates()) == (wins or safe or state.legal_moves())
        low, high = state.ranked_bounds() if state.to_move() == MAX else [-each for each in state.ranked_bounds()][::-1]
        seen.add((low, high))
        assert (low == win_in(1)) == bool(wins)
        assert wins or (high == -win_in(2)) == (not safe)
    assert len(seen) == 5, seen  # a win, a loss, both possible, no loss any more, neither any more


def test_mirror_images_have_one_canonical_state() -> None:
    random = Random(4)
    for plies in [*range(13)] * 4:
        state = random_state(random, plies)
        (image,) = state.symmetries()
        assert state.canonical() == image.canonical()
        assert state.canonical() in (state, image)
    late = random_state(random, 13)
    assert late.canonical() == late


def lines_of_two(state: ConnectFour) -> int:
    """Lines with two stones of yellow and none of red, counted one by one."""
    yellow, red = frozenset(state.yellow), frozenset(state.red)
    return sum(len(line & yellow) == 2 and not line & red for line in ALL_LINES)


def test_candidate_score_counts_threats_and_lines_of_two() -> None:
    state = ConnectFour.parse("4151")
    threats = {"1": 0, "2": 1, "3": 2, "4": 0, "5": 0, "6": 2, "7": 1}
    centre = {"1": 0, "2": 1, "3": 2, "4": 3, "5": 2, "6": 1, "7": 0}
    found = {state.move_name(move): state.candidate_score(move) for move in state.legal_moves()}
    assert found == {
        name: 12 * threats[name] + 2 * centre[name] + lines_of_two(state.play(int(name) - 1)) for name in found
    }


def test_candidate_score_counts_no_lines_on_nearly_full_boards() -> None:
    state = ConnectFour.parse("1233722555341451114725221333")  # 28 stones
    assert any(lines_of_two(state.play(move)) for move in state.legal_moves())
    for move in state.legal_moves():
        assert (state.candidate_score(move) - 2 * state.move_score(move)) % 12 == 0


# ---- solved positions, from the sets of Pons (http://blog.gamesolver.org/solving-connect-four/02-test-protocol/) ----


def pons_score(state: ConnectFour, value: int, plies: int | None) -> int | None:
    """Pons' score for the side to move."""
    return solved_score(state, value, plies)


SETS = Path(__file__).resolve().parents[3] / "shared" / "reference" / "connect4"


@pytest.mark.long
@pytest.mark.parametrize(
    ("moves", "score"),
    [
        ("2252576253462244111563365343671351441", -1),
        ("23163416124767223154467471272416755633", 0),
        ("5554224333234511764415115", 4),
        ("52753311433677442422121", 8),
        ("1233722555341451114725221333", -1),
        ("274552224131661", 0),
        ("5455174361263362", -1),
        ("2531276566711153", 2),
        ("32164625", 11),
        ("6146", 18),
        ("243335424257", 12),
    ],
)
def test_solver_and_engine_find_published_scores(moves: str, score: int) -> None:
    state = ConnectFour.parse(moves)
    with Solver("16M") as solver, Engine("16M") as engine:
        value, plies = solver.distance(state)
        assert pons_score(state, value, plies) == score
        assert solver.value(state) == value
        found = engine.analyse(state, exact=True)
        assert (found.score.value, found.score.plies) == (value, plies)
        assert plies is None or len(found.line) == plies
        end = state.after(" ".join(found.line))
        assert end.is_over()
        assert end.utility() == value


def test_book_has_the_published_scores_of_the_columns() -> None:
    """The empty board: http://connect4.gamesolver.org shows -2 -1 0 1 0 -1 -2."""
    shipped = shipped_book(ConnectFour)
    assert shipped is not None
    book, _ = shipped
    known = book.answer(SearchRequest(ConnectFour(), Limits(exact=True), lines=7))
    assert known is not None
    scores = (-2, -1, 0, 1, 0, -1, -2)
    assert known.move_scores == tuple(MoveScore(str(n), score, True) for n, score in enumerate(scores, 1))
    assert known.as_dict()["move_scores"][3] == {"move": "4", "score": 1, "is_legal": True}
    single = book.answer(SearchRequest(ConnectFour(), Limits(exact=True)))
    assert single is not None
    assert single.move_scores == ()


@pytest.mark.parametrize(
    ("moves", "score"),
    [("2252576253462244111563365343671351441", -1), ("5554224333234511764415115", 4), ("52753311433677442422121", 8)],
)
def test_scores_of_columns(moves: str, score: int) -> None:
    """The best column has the published score of the position, and the others those of the positions after them."""
    state = ConnectFour.parse(moves)
    legal = state.legal_moves()
    with Engine("4M") as engine, Solver("4M") as solver:
        found = engine.analyse(state, exact=True, lines=7).move_scores
        assert [each.move for each in found] == list("1234567")
        assert max(each.score for each in found if each.score is not None) == score
        for move, each in enumerate(found):
            assert each.is_legal == (move in legal)
            after = pons_score(state.play(move), *solver.distance(state.play(move))) if each.is_legal else None
            assert each.score == (None if after is None else -after)
        assert {
            state.move_name(move): solved_score(state, *known) for move, known in solver.move_distances(state).items()
        } == {each.move: each.score for each in found if each.is_legal}


@pytest.mark.long
@pytest.mark.reference
@pytest.mark.parametrize(
    ("name", "most"),
    [("Test_L3_R1", 48), ("Test_L2_R1", 420), ("Test_L1_R1", 1_720), ("Test_L2_R2", 50_000)],
)
def test_sets_are_solved_in_few_positions(name: str, most: int) -> None:
    if not SETS.is_dir():
        pytest.skip("the folder of reference positions is not beside the checkout")
    lines = (SETS / name).read_text().splitlines()[: 100 if name == "Test_L2_R2" else 1000]
    nodes = 0
    for line in lines:
        moves, score = line.split()
        state = ConnectFour.parse(moves)
        with Solver("4M") as solver:
            assert pons_score(state, *solver.distance(state)) == int(score), line
            nodes += solver.nodes
    assert nodes <= most * len(lines)


def test_symmetry_mirrors_columns() -> None:
    assert ConnectFour(mirrored(BOARD), Bitboard(0)) == ConnectFour(BOARD, Bitboard(0))
    state = ConnectFour.parse("112344")
    image = ConnectFour.parse("776544")
    assert list(state.symmetries()) == [image]
    assert Lines().score(state) == Lines().score(image)


def test_end_of_game() -> None:
    won = ConnectFour.parse("1212121")
    assert won.is_over()
    assert won.utility() == 1
    lost = ConnectFour.parse("71212121")
    assert lost.is_over()
    assert lost.utility() == -1
    full = ConnectFour.parse("472424756645422154157737216635626711335331")
    assert full.is_over()
    assert full.utility() == 0
    assert full.legal_moves() == []


# ---- texts ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "written", "side"),
    [
        ("", "-------/-------/-------/-------/-------/-------", MAX),
        (" start ", "-------/-------/-------/-------/-------/-------", MAX),
        ("4", "-------/-------/-------/-------/-------/---X---", MIN),
        ("44 55 4", "-------/-------/-------/---X---/---OO--/---XX--", MIN),
        ("-" * 42, "-------/-------/-------/-------/-------/-------", MAX),
        ("." * 35 + "x.o.... X", "-------/-------/-------/-------/-------/X-O----", MAX),
    ],
)
def test_parse_position(text: str, written: str, side: int) -> None:
    state = ConnectFour.parse(text)
    assert str(state) == written
    assert state.to_move() == side


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("448", r"character 3 \('8'\) is not a column; expected 1 to 7"),
        ("44a", r"character 3 \('a'\) is not a column; expected 1 to 7"),
        ("4444 444", r"character 8 \('4'\): the column is full; expected one of 1 2 3 5 6 7"),
        ("12121212", r"character 8 \('2'\) is a move after the end of the game; expected no further moves"),
        ("hello", r"character 1 \('h'\) is not a square; expected X, O, - or \."),
        ("-" * 41, "has 41 squares; expected 42"),
        ("-" * 43, r"character 43 \('-'\) is one too many; expected 42 squares and"),
        ("-" * 41 + "O", "has 0 X and 1 O; expected as many X as O or one X more"),
        ("-" * 41 + "X X", r"character 44 \('X'\) names X as the side to move; expected O, with 1 X and 0 O"),
        (
            "-" * 30 + "X" + "-" * 11,
            "column 3 has X in row 2 from the bottom above an empty square; expected a stone below it",
        ),
        ("-" * 28 + "OOOO---XXXX---", "X has four in a row, which ends the game, but O has moved after it"),
        ("-" * 28 + "XX-----OOOOXXX", "O has four in a row, which ends the game, but X has moved after it"),
    ],
)
def test_error_message_for_invalid_position(text: str, message: str) -> None:
    with pytest.raises(PositionError, match=message):
        ConnectFour.parse(text)


def test_move_names() -> None:
    state = ConnectFour()
    assert [state.move_name(move) for move in state.legal_moves()] == list("1234567")
    assert state.after("4 4 5") == ConnectFour.parse("445")
    with pytest.raises(IllegalMove, match="'0' is not a legal move here; legal: 1 2 3 4 5 6 7"):
        state.after("0")
    assert [state.move_score(move) for move in state.legal_moves()] == [0, 1, 2, 3, 2, 1, 0]


def test_board() -> None:
    lines = ConnectFour.parse("4453").board().split("\n")
    assert lines[0] == "  1   2   3   4   5   6   7"
    assert lines[-4:] == [
        "│   │   │   │ O │   │   │   │",
        "├───┼───┼───┼───┼───┼───┼───┤",
        "│   │   │ O │ X │ X │   │   │",
        "└───┴───┴───┴───┴───┴───┴───┘",
    ]
    assert ConnectFour().player_name(MAX) == "X (yellow)"


def test_the_packages_book_has_all_positions_to_four_plies() -> None:
    shipped = shipped_book(ConnectFour)
    assert shipped is not None
    book = shipped[0]
    states = {ConnectFour()}
    for count in POSITIONS[:5]:
        assert len(states) == count
        for state in states:
            answer = book.answer(SearchRequest(state, Limits(exact=True)))
            assert answer is not None, str(state)
            assert answer.score.is_proven
        states = {state.play(move) for state in states for move in state.legal_moves()}


def test_the_packages_book_gives_the_published_result_of_each_column() -> None:
    # P. Pons' solver gives the columns the scores -2 -1 0 1 0 -1 -2: 22 minus the stones of the winner.
    shipped = shipped_book(ConnectFour)
    assert shipped is not None
    book, command = shipped
    assert command.startswith("zermelo book connect4 build")
    assert list(problems(book)) == []
    found = book.analysis(ConnectFour(), lines=7)
    scores = {line.names[0]: (line.score.value, line.score.plies) for line in found.lines}
    assert scores == {
        "1": (-1, 40), "2": (-1, 42), "3": (0, None), "4": (1, 41), "5": (0, None), "6": (-1, 42), "7": (-1, 40)
    }  # fmt: skip
    assert all(line.score.is_proven for line in found.lines)
    # After 4, the replies have the scores -4 -2 -2 -1 -2 -2 -4.
    replies = book.answer(SearchRequest(ConnectFour.parse("4"), Limits(exact=True), lines=7))
    assert replies is not None
    assert [each.score for each in replies.move_scores] == [-4, -2, -2, -1, -2, -2, -4]
