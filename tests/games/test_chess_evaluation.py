"""Chess evaluations, static exchange evaluation, and move ordering."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from random import Random

import pytest
import slowexchanges
from published import published

from zermelo.compiled import native
from zermelo.core.accumulator import new_accumulator
from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import Evaluation, rounded_div
from zermelo.core.game import MAX, MIN
from zermelo.games.chess import Chess
from zermelo.games.chess.drawish import drawish_divisor
from zermelo.games.chess.evaluations import POSITIONAL, Material, Positional
from zermelo.games.chess.exchanges import is_capture, see_at_least
from zermelo.games.chess.network import PieceNetwork
from zermelo.search.engine import Engine, Limits

PROMOTIONS = " nbrq"


def played(games: int, seed: int = 1, longest: int = 90) -> Iterator[Chess]:
    """Unfinished positions of random games."""
    random = Random(seed)
    for _ in range(games):
        state = Chess()
        for _ in range(random.randrange(10, longest)):
            if state.is_over():
                break
            yield state
            moves = state.legal_moves()
            captures = [move for move in moves if is_capture(state, move)]
            state = state.play(random.choice(captures if captures and random.random() < 0.3 else moves))


@pytest.fixture(scope="module")
def positions() -> list[Chess]:
    return list(played(25))


def upside_down(board: Bitboard) -> Bitboard:
    return Bitboard(int.from_bytes(int(board).to_bytes(8, "little"), "big"))


def mirrored(state: Chess) -> Chess:
    """The position with colours exchanged and the board flipped vertically."""
    boards = [upside_down(board) for board in state[:6]]
    return Chess(
        *boards, upside_down(state.black), upside_down(state.white), upside_down(state.castling_rights),
        upside_down(state.en_passant), -state.turn, state.halfmove_clock,
    )  # fmt: skip


def term(fen: str, name: str) -> tuple[int | None, int | None]:
    """The counts of a term for white and for black."""
    found = next(each for each in POSITIONAL.terms(Chess.parse(fen)) if each.name == name)
    return found.max, found.min


# ---- the evaluations ------------------------------------------------------------------------------------------


def _score(evaluation: Evaluation, state: Chess) -> int:
    return evaluation.score(state)


@pytest.mark.parametrize("name", Chess.evaluations)
def test_mirrored_position_negates_the_score(name: str, positions: list[Chess]) -> None:
    evaluation = Chess.evaluations[name]
    score = native(_score, evaluation, Chess())
    different = set()
    for state in positions:
        there, back = score(evaluation, state), score(evaluation, mirrored(state))
        assert there == -back, str(state)
        different.add(there)
    assert len(different) > 20


@pytest.mark.parametrize("name", Chess.evaluations)
def test_terms_add_up_to_the_score(name: str, positions: list[Chess]) -> None:
    evaluation = Chess.evaluations[name]
    score = native(_score, evaluation, Chess())
    for state in positions[:: 32 if name == "network" else 8]:  # interpreted, it is slow
        terms = evaluation.terms(state)
        assert evaluation.score(state) == score(evaluation, state), str(state)
        assert sum(each.points for each in terms) == evaluation.score(state), str(state)
        points = sum(each.points for each in terms if each.name != "rounding")
        assert abs(points - evaluation.score(state)) <= (Fraction(1, 2) if name == "positional" else 0), str(state)
        for each in terms:
            if each.max is not None and each.min is not None and len(each.weights) == 1:
                assert each.points == each.weights[0] * (each.max - each.min)


def test_the_network_knows_what_pieces_are_worth() -> None:
    network = Chess.evaluations["network"]
    assert abs(network.score(Chess())) < 80
    without = {
        "q": "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r": "1nbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQk - 0 1",
        "n": "r1bqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "p": "rnbqkbnr/pppp1ppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    }
    worth = {piece: network.score(Chess.parse(text)) for piece, text in without.items()}
    assert 50 < worth["p"] + 30 < worth["n"] < worth["r"] < worth["q"], worth


def test_the_bonus_for_the_side_to_move_is_as_declared(positions: list[Chess]) -> None:
    network = Chess.evaluations["network"]
    score = native(_score, network, Chess())
    tested = [state for state in positions if state.may_pass() and not state.in_check()]
    tested = [state for state in tested if drawish_divisor(state, MAX) == drawish_divisor(state, MIN) == 1]
    assert len(tested) > 20
    for state in tested:
        lead = score(network, state) - score(network, state.pass_turn())
        assert abs(state.to_move() * lead - 2 * PieceNetwork.move_bonus) <= 1, str(state)


@pytest.mark.parametrize(
    ("fen", "divisor"),
    [
        # Bishops on squares of opposite colours; the first is of a game that was drawn after 485 plies.
        ("8/3K4/1k1B2p1/6Pp/7P/1b6/8/8 b - - 0 1", 8),
        ("k7/P5K1/6p1/1P3bPp/7P/8/8/6B1 w - - 0 1", 8),
        ("8/4P1k1/8/2b1K3/8/8/8/5B2 w - - 0 1", 8),
        ("8/4P1k1/8/2b1K3/4P3/8/8/5B2 w - - 0 1", 8),
        ("8/4P1k1/8/2b1K3/4P3/4P3/8/5B2 w - - 0 1", 2),
        ("8/4P1k1/8/2b1K3/2P1P3/4P3/8/5B2 w - - 0 1", 1),
        ("k7/P5K1/6p1/1P4Pp/5b1P/8/8/6B1 w - - 0 1", 1),  # on squares of one colour
        ("k7/P5K1/6p1/1P3bPp/7P/8/R6r/6B1 w - - 0 1", 1),  # with rooks
        ("k7/P5K1/6p1/1P4Pp/5b1P/8/8/5BB1 w - - 0 1", 1),
        # Without pawns, ahead by a knight or bishop at most, or with two knights.
        ("8/8/3k4/8/8/8/4R3/2b1K3 w - - 0 1", 4),
        ("8/8/3k4/4r3/8/8/4R3/2B1K3 w - - 0 1", 4),
        ("8/8/3k4/4r3/8/8/4Q3/4K3 w - - 0 1", 1),
        ("8/8/3k4/4bn2/8/8/4Q3/4K3 w - - 0 1", 1),
        ("8/8/3k4/4br2/8/8/4Q3/4K3 w - - 0 1", 4),
        ("8/8/3k4/8/8/8/4R3/4K3 w - - 0 1", 1),
        ("8/8/3k4/8/8/6p1/4R3/2b1K3 w - - 0 1", 4),
        ("8/8/3k4/8/8/8/4N3/2N1K3 w - - 0 1", 4),
        ("8/8/3k4/8/8/8/4N3/2B1K3 w - - 0 1", 1),
        # A knight or bishop and a pawn, for which the other side can give its last piece.
        ("8/8/4K3/8/4k1p1/2B5/5b2/8 w - - 0 1", 4),
        ("8/8/8/8/7K/5p2/3kn3/5B2 b - - 0 1", 4),
        ("8/8/8/8/7K/5p2/3kn3/8 b - - 0 1", 1),
        ("8/8/8/8/7K/5p2/3kn1p1/5B2 b - - 0 1", 1),
    ],
)
def test_drawish_endgames(fen: str, divisor: int) -> None:
    network = Chess.evaluations["network"]
    state = Chess.parse(fen)
    score = network.score(state)
    side = MAX if score > 0 else MIN
    assert drawish_divisor(state, side) == divisor
    assert native(drawish_divisor, state, side)(state, side) == divisor
    accumulator = new_accumulator(network)
    network.start_accumulator(state, accumulator)
    whole = network.side_score(state, accumulator, state.to_move()) * state.to_move()
    assert abs(whole) > 8
    assert score == rounded_div(whole, divisor)
    assert sum(int(each.points) for each in network.terms(state)) == score


def test_points_of_a_term() -> None:
    state = Chess.parse("r1bq1rk1/pp3ppp/2n1pn2/8/2BP4/P1P2N2/5PPP/R1BQ1RK1 b - - 0 10")
    part, whole = POSITIONAL.mixture(state) or (0, 0)
    assert (part, whole) == (22, 24)
    *terms, rounding = POSITIONAL.terms(state)
    for each in terms:
        middle, ending = each.weights
        assert each.max is not None
        assert each.min is not None
        assert each.points == Fraction((middle * part + ending * (whole - part)) * (each.max - each.min), whole)
    assert rounding.name == "rounding"
    assert abs(rounding.points) <= Fraction(1, 2)


def test_material_of_the_lectures() -> None:
    material = Material()
    assert material.score(Chess.parse("4k3/8/8/8/8/8/8/QRBNK3 w - - 0 1")) == 9 + 5 + 3 + 3
    assert material.score(Chess.parse("qrbnk3/p7/8/8/8/8/8/4K3 w - - 0 1")) == -(9 + 5 + 3 + 3 + 1)
    assert [each.weights for each in material.terms(Chess())] == [(9,), (5,), (3,), (3,), (1,)]


def test_phase() -> None:
    assert POSITIONAL.mixture(Chess()) == (24, 24)
    assert POSITIONAL.mixture(Chess.parse("4k3/p7/8/8/8/8/P7/4K3 w - - 0 1")) == (0, 24)
    assert POSITIONAL.mixture(Chess.parse("3qk3/p7/8/8/8/8/P7/R3KN2 w - - 0 1")) == (7, 24)


# What the features count, seen on boards where they can be counted by eye.
COUNTED = [
    ("4k3/8/8/8/8/4P3/4P3/4K3 w - - 0 1", "doubled pawns", (1, 0)),
    ("4k3/8/8/8/8/4P3/4P3/4K3 w - - 0 1", "isolated pawns", (2, 0)),
    ("4k3/8/8/8/8/4P3/3P4/4K3 w - - 0 1", "isolated pawns", (0, 0)),
    ("4k3/8/8/8/8/4P3/3P4/4K3 w - - 0 1", "supported pawns", (1, 0)),
    ("4k3/8/8/8/2p5/8/1P6/4K3 w - - 0 1", "backward pawns", (0, 0)),
    ("4k3/8/8/4p3/2P5/8/3P4/4K3 w - - 0 1", "backward pawns", (0, 0)),
    ("4k3/8/8/3pp3/3P4/2P5/8/4K3 w - - 0 1", "backward pawns", (1, 0)),
    ("4k3/8/8/8/1Pp5/8/P7/4K3 b - - 0 1", "backward pawns", (0, 0)),
    ("4k3/8/8/8/P1p5/8/1P6/4K3 w - - 0 1", "backward pawns", (1, 0)),
    ("4k3/1p6/8/P7/8/8/8/4K3 w - - 0 1", "passed pawns, row 5", (0, 0)),
    ("4k3/2p5/8/P7/8/8/8/4K3 w - - 0 1", "passed pawns, row 5", (1, 0)),
    ("4k3/2p5/8/P7/8/8/8/4K3 w - - 0 1", "passed pawns, row 2 or 3", (0, 1)),
    ("4k3/8/8/P7/P7/8/8/4K3 w - - 0 1", "passed pawns, row 4", (0, 0)),
    ("4k3/P7/8/8/8/8/p7/4K3 w - - 0 1", "passed pawns, row 7", (1, 1)),
    ("7k/8/8/8/P7/8/1K6/8 w - - 0 1", "king's lead to passed pawns", (7 - 3, 0)),
    ("4k3/p7/8/8/8/8/7P/R3K2R w - - 0 1", "rooks on open files", (0, 0)),
    ("4k3/p7/8/8/8/8/7P/R3K2R w - - 0 1", "rooks on half-open files", (1, 0)),
    ("4k3/8/8/8/8/8/7P/R3K2R w - - 0 1", "rooks on open files", (1, 0)),
    ("4k3/8/8/4N3/3P4/8/8/4K3 w - - 0 1", "knights on outposts", (1, 0)),
    ("4k3/5p2/8/4N3/3P4/8/8/4K3 w - - 0 1", "knights on outposts", (0, 0)),
    ("4k3/8/8/2n1r3/3P4/8/8/4K3 w - - 0 1", "pieces attacked by pawns", (2, 0)),
    ("6k1/5ppp/8/8/8/5PP1/8/6K1 w - - 0 1", "king's shield", (2, 3)),
    ("6k1/5ppp/8/8/8/5PP1/8/6K1 w - - 0 1", "open files at the king", (1, 0)),
    ("6k1/8/8/8/8/8/8/K4R2 w - - 0 1", "attacks at the other king", (1 * 2, 0)),
    ("6k1/8/8/6N1/8/8/8/K4R2 w - - 0 1", "attacks at the other king", (2 * 4, 0)),
    ("4k3/8/8/8/8/8/8/RN2K3 w - - 0 1", "knights' mobility", (3, 0)),
    ("4k3/8/8/8/2p5/8/8/RN2K3 w - - 0 1", "rooks' mobility", (7, 0)),
    ("4k3/8/8/8/1p6/8/8/1N2K3 w - - 0 1", "knights' mobility", (1, 0)),
    ("4k3/8/8/8/8/8/8/2B1KB2 w - - 0 1", "bishop pair", (1, 0)),
    ("4k3/8/8/8/8/8/8/4K3 b - - 0 1", "to move", (0, 1)),
]  # fmt: skip


@pytest.mark.parametrize(("fen", "name", "expected"), COUNTED)
def test_counts(fen: str, name: str, expected: tuple[int, int]) -> None:
    assert term(fen, name) == expected
    white, black = expected
    state = mirrored(Chess.parse(fen))
    at = Positional.names.index(name)
    assert (POSITIONAL.counts(state, MAX)[at], POSITIONAL.counts(state, MIN)[at]) == (black, white)


def test_largest_scores_stay_below_wins() -> None:
    state = Chess.parse("QQQQQQQQ/Q7/8/8/8/8/8/k1K5 b - - 0 1")
    assert 5_000 < POSITIONAL.score(state) < 20_000


# ---- exchanges ------------------------------------------------------------------------------------------------


def oracle(state: Chess, move: int) -> set[int]:
    start, end = move & 63, move >> 6 & 63
    promotion = PROMOTIONS[move >> 12].strip()
    passes = is_capture(state, move) and end not in state.other()
    return slowexchanges.exchange(str(state), (start % 8, start // 8), (end % 8, end // 8), promotion, passes)


def _see_at_least(state: Chess, move: int, least: int) -> bool:
    return see_at_least(state, move, least)


def compared(games: int, seed: int) -> int:
    """Compare SEE for all moves of random games; return the number of unequal exchanges."""
    gain = native(_see_at_least, Chess(), 0, 0)
    uneven = 0
    for state in played(games, seed):
        for move in state.moves():
            if (move >> 6 & 63) in state.own():
                continue  # castling
            expected = oracle(state, move)
            uneven += 0 not in expected
            low, high = min(expected), max(expected)
            for least in (low - 1, low, high, high + 1, 0, -200, 150):
                found = gain(state, move, least)
                assert found == (low >= least) or low < least <= high, (str(state), state.move_name(move), expected)
    return uneven


def test_see_agrees_with_captures_made_on_a_board() -> None:
    assert compared(4, seed=3) > 200


@pytest.mark.nightly
def test_see_agrees_with_captures_made_on_a_board_in_many_games() -> None:
    assert compared(500, seed=4) > 10_000


@pytest.mark.parametrize(
    ("fen", "move", "gain"),
    [
        ("1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1", "Rxe5", 100),
        # With a pawn taken for the knight: knight takes, knight takes, rook takes, bishop takes, and so on.
        ("1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1", "Nxe5", 100 - 300),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6", 100),
        ("4k3/2p5/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6", 0),
        ("3rk3/2P5/8/8/8/8/8/4K3 w - - 0 1", "cxd8=Q+", 500 + 800 - 900),
        ("1r2k3/2P5/8/8/8/8/8/4K3 w - - 0 1", "c8=Q+", 800 - 900),
        ("4k3/8/3p4/4p3/4K3/8/8/8 w - - 0 1", "Kf5", 0),
        # The rook behind comes in; the king may take only where nothing takes it.
        ("4r1k1/4r3/8/4p3/8/8/4R3/4RK2 w - - 0 1", "Rxe5", 100 - 500),
        ("6k1/8/8/4p3/3K4/8/8/8 w - - 0 1", "Kxe5", 100),
    ],
)
def test_see_of_known_positions(fen: str, move: str, gain: int) -> None:
    state = Chess.parse(fen)
    number = state.parse_move(move)
    assert see_at_least(state, number, gain)
    assert not see_at_least(state, number, gain + 1)


def test_see_of_castling() -> None:
    state = Chess.parse("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    castle = state.parse_move("O-O")
    assert see_at_least(state, castle, 0)
    assert not see_at_least(state, castle, 1)
    assert not state.is_tactical(castle)
    assert state.move_score(castle) == 0


# ---- moves to try first -----------------------------------------------------------------------------------------


def test_tactical_moves_are_good_captures_and_queen_promotions(positions: list[Chess]) -> None:
    noisy = 0
    for state in positions[::6]:
        for move in state.moves():
            sharp = is_capture(state, move) or move >> 12 == 4
            assert state.is_tactical(move) == (sharp and see_at_least(state, move, 0))
            noisy += state.is_tactical(move)
    assert noisy > 50


def test_tactical_moves_are_generated_without_the_others(positions: list[Chess]) -> None:
    for state in positions:
        found = list(state.tactical_moves())
        sharp = [move for move in state.moves() if is_capture(state, move) or move >> 12 == 4]
        assert found == sharp
        assert [move for move in found if state.exchange(move, 0)] == list(filter(state.is_tactical, state.moves()))
        assert {move for move in state.moves() if state.capture_value(move)} >= set(found)


def test_capture_values_bound_exchanges() -> None:
    state = Chess.parse("3qk3/8/2r1n3/3p4/2P1N3/1B1P4/8/3RK2Q w - - 0 1")
    for move in state.moves():
        value = state.capture_value(move)
        assert value == 0 or not state.exchange(move, value + 1)
    values = {state.move_name(move): state.capture_value(move) for move in state.moves()}
    assert 100 <= values["cxd5"] < 110
    assert values["Kd2"] == 0


def test_move_score_is_mvv_lva() -> None:
    state = Chess.parse("3qk3/8/2r1n3/3p4/2P1N3/1B1P4/8/3RK2Q w - - 0 1")
    hints = {state.move_name(move): state.move_score(move) for move in state.moves()}
    sound = [name for name in sorted(hints, key=lambda name: -hints[name]) if hints[name] > 0]
    assert sound[0] == "cxd5"
    assert hints["Kd2"] == 0
    state = Chess.parse("4k3/8/8/1q1r1b2/2P1P3/4N3/8/4K3 w - - 0 1")
    hints = {state.move_name(move): state.move_score(move) for move in state.moves()}
    assert hints["cxb5"] > hints["exd5"] == hints["cxd5"] > hints["Nxd5"] > hints["exf5"] > hints["Nxf5"] > 0


def test_losing_captures_and_underpromotions_come_last() -> None:
    state = Chess.parse("4k3/P7/2p5/3p4/8/8/8/3QK3 w - - 0 1")
    hints = {state.move_name(move): state.move_score(move) for move in state.moves()}
    assert hints["Qxd5"] < 0 < hints["a8=Q+"]
    assert all(hints[name] < 0 for name in ("a8=N", "a8=B", "a8=R+"))
    assert hints["Kd2"] == 0


def test_move_score_fits_its_bits(positions: list[Chess]) -> None:
    hints = [state.move_score(move) for state in positions[::6] for move in state.moves()]
    assert -(1 << 31) < min(hints) < 0 < max(hints) < 1 << 31
    assert len(set(hints)) > 10


# ---- what the search makes of it ---------------------------------------------------------------------------------


def solved(positions: slice, nodes: int) -> int:
    """The number of Win at Chess positions solved within a node limit, which does not depend on the machine."""
    count = 0
    for line in published("chess", "wac300.epd").read_text().splitlines()[positions]:
        fen, _, rest = line.partition(" bm ")
        state = Chess.parse(fen.partition(" am ")[0])
        *_, last = Engine("16M").analysis(state, Limits(nodes=nodes))
        count += last.move in [state.parse_move(name) for name in rest.partition(";")[0].split()]
    return count


@pytest.mark.long
@pytest.mark.reference
def test_tactical_suite() -> None:
    assert solved(slice(0, 300, 20), 100_000) >= 8


@pytest.mark.reference
@pytest.mark.nightly
def test_tactical_suite_complete() -> None:
    assert solved(slice(None), 500_000) >= 220  # 233 in half a second each
