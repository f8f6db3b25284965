"""Chess: contract, published counts, comparison with a slow generator, each special rule."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
import slowchess
from parts import PARTS, in_parts
from published import published
from pythonchess import python_with_chess

from zermelo.core.bitboard import Bitboard
from zermelo.core.game import MAX, MIN
from zermelo.games.chess import Chess
from zermelo.games.chess.attacks import between, common_line, knight_attacks, knights_attacks, line_attacks
from zermelo.search import compiled_textbook as plain
from zermelo.testing import check_game

ROOT = Path(__file__).resolve().parents[2]

# The six positions that everybody counts, with the number of lines by depth (Chess Programming Wiki, "Perft Results").
COUNTED = {
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1": (20, 400, 8902, 197281, 4865609, 119060324),
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1": (48, 2039, 97862, 4085603, 193690690),
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1": (14, 191, 2812, 43238, 674624, 11030083),
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1": (6, 264, 9467, 422333, 15833292),
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8": (44, 1486, 62379, 2103487, 89941194),
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10": (46, 2079, 89890, 3894594, 164075551),
}
# Positions in which random games soon come to what is rare from the start.
RARE = (
    "8/P1k5/8/8/8/8/5K1p/8 w - - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "8/8/8/K2pP2r/8/8/4k3/8 w - d6 0 1",
    "4k3/pppppppp/8/8/8/8/PPPPPPPP/4K3 w - - 0 1",
    "8/2b5/4k3/8/8/2K5/5B2/8 w - - 0 1",
    "4k3/8/8/8/8/8/2QQ4/4K3 w - - 140 90",
    "3qk3/8/8/8/8/8/8/3QK3 b - - 120 90",
    *COUNTED,
)


def counts_of(name: str) -> Iterator[tuple[str, dict[int, int]]]:
    """The positions of a published perft file with their counts by depth."""
    for line in published("chess", name).read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            position, *counts = line.split(";")
            yield position.strip(), {int(count.split()[0][1:]): int(count.split()[1]) for count in counts}


def squares_moved(move: int) -> str:
    """The move in the notation of `slowchess`."""
    start, end = move & 63, move >> 6 & 63
    names = (slowchess.named((square % 8, square // 8)) for square in (start, end))
    return "".join(names) + " nbrq"[move >> 12].strip()


@pytest.mark.long
@pytest.mark.quick
def test_contract() -> None:
    report = check_game(Chess, games=2, max_plies=60)
    assert report.positions >= 60


# ---- counts ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("position", COUNTED)
def test_perft(perft, position: str) -> None:
    counts = [count for count in COUNTED[position] if count <= 5_000_000]
    assert [perft(Chess.parse(position), depth) for depth in range(1, len(counts) + 1)] == counts


@pytest.mark.parametrize("position", COUNTED)
def test_perft_with_every_move_played(position: str) -> None:
    count = COUNTED[position][3]
    assert plain.perft(Chess.parse(position), 4, bulk=False) == count


@pytest.mark.nightly
@pytest.mark.parametrize("position", COUNTED)
def test_perft_deep(perft, position: str) -> None:
    counts = COUNTED[position]
    assert perft(Chess.parse(position), len(counts)) == counts[-1]


@pytest.mark.reference
@pytest.mark.parametrize("name", ["perft_cpw6.txt", "perft_ethereal_standard.epd", "perft_ethereal_fischer.epd"])
def test_perft_of_published_positions(perft, name: str) -> None:
    for position, counts in counts_of(name):
        state = Chess.parse(position)
        depth = max((depth for depth, count in counts.items() if count <= 50_000), default=min(counts))
        assert perft(state, depth) == counts[depth], position


@pytest.mark.nightly
@pytest.mark.reference
def test_perft_of_published_positions_deep(perft) -> None:
    for position, counts in counts_of("perft_ethereal_standard.epd"):
        assert perft(Chess.parse(position), max(counts)) == counts[max(counts)], position


@pytest.mark.nightly
@pytest.mark.reference
@in_parts
def test_perft_of_published_positions_of_chess960_deep(perft, part: int) -> None:
    for number, (position, counts) in list(enumerate(counts_of("perft_ethereal_fischer.epd")))[part::PARTS]:
        depth = 6 if number % 24 == 0 else 5
        assert perft(Chess.parse(position), depth) == counts[depth], position


def test_perft_ignores_draws(perft) -> None:
    # The king takes the rook, and the two kings walk on: perft counts that, though the game is drawn.
    state = Chess.parse("4k3/8/8/8/8/8/8/4K2R w K - 0 1")
    assert [perft(state, depth) for depth in range(1, 6)] == [15, 66, 1197, 7059, 133987]


# ---- beside other generators ------------------------------------------------------------------------------------


def starts(random: Random) -> Iterator[str]:
    """Positions to start random games from: the usual one, those of chess960, and some in which rare things happen."""
    number = 0
    while True:
        number += 1
        if number % 3 == 0:
            yield RARE[number // 3 % len(RARE)]
        elif number % 3 == 1:
            yield next(iter(COUNTED))
        else:
            yield scrambled(random)


def scrambled(random: Random) -> str:
    """A start of chess960."""
    row = [""] * 8
    row[random.randrange(0, 8, 2)] = row[random.randrange(1, 8, 2)] = "b"
    left = [square for square in range(8) if not row[square]]
    random.shuffle(left)
    for letter in "nnq":
        row[left.pop()] = letter
    for square, letter in zip(sorted(left), "rkr", strict=True):
        row[square] = letter
    text = "".join(row)
    castling = "".join(slowchess.FILES[square] for square in range(8) if row[square] == "r")
    return f"{text}/pppppppp/8/8/8/8/PPPPPPPP/{text.upper()} w {castling.upper()}{castling} - 0 1"


class Met(NamedTuple):
    """A position of a random game as both programs have played it, and what ours says about it."""

    state: Chess
    slow: slowchess.Position
    moves: list[int]
    over: bool


def walks(seed: int, most: int) -> Iterator[Met]:
    """Positions of random games."""
    random = Random(seed)
    seen = 0
    for start in starts(random):
        state, slow = Chess.parse(start), slowchess.read(start)
        # Captures and castling are rarer in random games than in others.
        for _ in range(random.choice((20, 60, 200))):
            met = Met(state, slow, list(state.moves()), state.is_over())
            yield met
            seen += 1
            if seen == most:
                return
            if met.over:
                break
            own = state.own()
            rare = [move for move in met.moves if move >> 12 or (move >> 6 & 63) in own]
            move = random.choice(rare if rare and random.random() < 0.5 else met.moves)
            state, slow = state.play(move), slowchess.play(slow, squares_moved(move))


def compare(state: Chess, slow: slowchess.Position, moves: list[int], over: bool) -> None:
    """All that can be asked about a position, answered by both."""
    legal = slowchess.moves(slow)
    assert sorted(map(squares_moved, moves)) == sorted(legal)
    assert state.in_check() == slowchess.is_check(slow)
    result = slowchess.result(slow, legal)
    assert (state.utility() if over else None) == result
    board, side, castling, passed, quiet, _ = str(state).split()
    assert (board, side, int(quiet)) == (*slowchess.placed(slow), slow.quiet)
    rooks = {slowchess.named((square % 8, square // 8)) for square in state.castling_rights}
    assert rooks == {slowchess.named(square) for square in slow.rooks}
    assert (castling == "-") == (not rooks)
    taken = slowchess.takes_in_passing(slow, legal)
    assert passed == (slowchess.named(slow.passed) if taken and slow.passed else "-")


@pytest.mark.quick
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("4k3/8/8/8/8/1N6/8/R3K3 w - - 0 1", "4k3/8/8/8/8/1R6/8/N3K3 w - - 0 1"),
        ("4k3/8/8/3B4/4P3/8/8/4K3 w - - 0 1", "4k3/8/8/3P4/4B3/8/8/4K3 w - - 0 1"),
    ],
)
def test_keys_of_positions_in_which_two_pieces_have_changed_places(one: str, other: str) -> None:
    """They were equal: the words of both pieces were added up."""
    assert Chess.parse(one).repetition_key() != Chess.parse(other).repetition_key()


def test_keys_change_with_every_piece_that_moves_or_is_captured_or_replaced() -> None:
    """All squares of up to four men: kings, a piece of white and one of black, or one alone."""
    boards = ("knights", "rooks", "bishops", "queens")
    start = Chess.parse("k7/8/8/8/8/8/8/7K w - - 0 1")
    seen: dict[int, Chess] = {}
    squares = [square for square in range(64) if square not in start.kings]
    for kind in boards:
        for square in squares:
            stone = Bitboard(1) << square
            alone = start.replace(**{kind: stone}, white=start.white | stone)
            for other in boards:
                for place in squares:
                    black = Bitboard(1) << place
                    if place == square:
                        state = alone
                    elif other == kind:
                        state = alone.replace(**{kind: stone | black}, black=start.black | black)
                    else:
                        state = alone.replace(**{other: black}, black=start.black | black)
                    known = seen.setdefault(int(state.repetition_key()), state)
                    assert known == state, (str(known), str(state))


@pytest.mark.parametrize(("seed", "positions"), [(1, 1_000), pytest.param(3, 9_000, marks=pytest.mark.long)])
def test_10000_random_positions_equal_those_of_a_slow_generator(seed: int, positions: int) -> None:
    count = 0
    for met in walks(seed, positions):
        compare(*met)
        count += 1
        if count % 5 == 0:  # perft counts by it, too
            assert met.state.count_moves() == len(met.moves)
        if count % 50 == 0:  # what is read is what is written
            assert Chess.parse(str(met.state)) == met.state
    assert count == positions


@pytest.mark.nightly
@in_parts
def test_200000_random_positions_equal_those_of_a_slow_generator(part: int) -> None:
    for met in walks(20 + part, 200_000 // PARTS):
        compare(*met)
        assert met.state.count_moves() == len(met.moves)


# Run by a Python that has python-chess, which is never imported here.
PYTHON_CHESS = """
import json, sys
import chess
for line in sys.stdin:
    board = chess.Board(line.strip(), chess960=True)
    outcome = board.outcome(claim_draw=False)
    result = None if outcome is None else {None: 0, True: 1, False: -1}[outcome.winner]
    print(json.dumps([sorted(move.uci() for move in board.legal_moves), board.is_check(), result]))
"""


@pytest.mark.nightly
@in_parts
def test_50000_random_positions_equal_those_of_python_chess(part: int) -> None:
    python = python_with_chess()
    found = list(walks(30 + part, 50_000 // PARTS))
    text = "".join(f"{met.state}\n" for met in found)
    output = subprocess.run([python, "-c", PYTHON_CHESS], input=text, capture_output=True, text=True, check=True).stdout
    for met, line in zip(found, output.splitlines(), strict=True):
        result = met.state.utility() if met.over else None
        assert [sorted(map(squares_moved, met.moves)), met.state.in_check(), result] == json.loads(line), str(met.state)


# ---- the rules one by one ---------------------------------------------------------------------------------------


def moves_of(position: str, square: str) -> str:
    """The moves from a square, as squares."""
    found = sorted(squares_moved(move) for move in Chess.parse(position).legal_moves())
    return " ".join(move[2:] for move in found if move.startswith(square))


@pytest.mark.parametrize(
    ("position", "squares"),
    [
        ("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "a1 d1 d2 e2 f1 f2 h1"),
        ("r3k2r/8/8/8/8/8/8/R3K2R w Kq - 0 1", "d1 d2 e2 f1 f2 h1"),
        ("4k3/8/8/8/8/8/4r3/R3K2R w KQ - 0 1", "d1 e2 f1"),  # in check
        ("3rk3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e2 f1 f2 h1"),  # through check
        ("1r2k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "a1 d1 d2 e2 f1 f2 h1"),  # only the rook goes through it
        ("4k1r1/8/8/8/8/8/8/R3K2R w KQ - 0 1", "a1 d1 d2 e2 f1 f2"),  # into check
        ("4k3/8/8/8/8/8/8/RN2K1NR w KQ - 0 1", "d1 d2 e2 f1 f2"),  # pieces between
    ],
)
def test_castling(position: str, squares: str) -> None:
    assert moves_of(position, "e1") == squares


def test_castling_of_chess960() -> None:
    # The king stands where it goes; a rook goes past it.
    state = Chess.parse("4k3/8/8/8/8/8/8/1R4KR w HB - 0 1")
    assert moves_of(str(state), "g1") == "b1 f1 f2 g2 h1 h2"
    assert str(state.after("O-O")).startswith("4k3/8/8/8/8/8/8/1R3RK1 b")
    assert str(state.after("O-O-O")).startswith("4k3/8/8/8/8/8/8/2KR3R b")
    # The rook that leaves b1 opens the row to the one on a1.
    assert "b1" not in moves_of("4k3/8/8/8/8/8/8/rRK5 w B - 0 1", "c1").split()
    assert "b1" in moves_of("4k3/8/8/8/8/8/8/1RK5 w B - 0 1", "c1").split()


def test_castling_rights_are_lost_by_moves_and_captures() -> None:
    state = Chess.parse("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    assert str(state.after("Ra2")).split()[2] == "Kkq"
    assert str(state.after("Ke2")).split()[2] == "kq"
    assert str(state.after("Rxh8+")).split()[2] == "Qq"
    assert str(state.after("O-O")).split()[2] == "kq"


def test_en_passant() -> None:
    state = Chess.parse("4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1").after("d5")
    assert str(state) == "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"
    assert str(state.after("exd6")) == "4k3/8/3P4/8/8/8/8/4K3 b - - 0 1"
    assert str(state.after("Kd2")).split()[3] == "-"


@pytest.mark.parametrize(
    "position",
    [
        "8/3p4/8/K3P2r/8/8/8/4k3 b - - 0 1",  # both pawns leave the row of the king and the rook
        "4r3/3p4/8/4P3/8/8/8/k3K3 b - - 0 1",  # pinned on the file
        "7b/3p4/8/4P3/8/8/1K6/4k3 b - - 0 1",  # pinned on the diagonal
        "4k3/3p4/8/8/8/8/8/4K3 b - - 0 1",  # no pawn is adjacent
    ],
)
def test_en_passant_square_is_set_only_if_capture_is_legal(position: str) -> None:
    after = Chess.parse(position).after("d5")
    assert str(after).split()[3] == "-"
    # So a position that comes up again without the double step is the same.
    text = str(after).split()
    text[3] = "d6"
    if "P" in text[0]:
        assert Chess.parse(" ".join(text)) == after


def test_en_passant_evades_check() -> None:
    # The pawn that has gone two squares gives the check; only b5 can take it.
    assert moves_of("8/8/8/1Pp5/3K4/8/8/k7 w - c6 0 1", "b5") == "c6"
    # A rook gives it, and the square behind the pawn does not help.
    assert moves_of("3r4/8/8/1Pp5/3K4/8/8/k7 w - c6 0 1", "b5") == ""


def test_promotion() -> None:
    state = Chess.parse("1n5k/P7/8/8/8/8/8/K7 w - - 7 1")
    assert moves_of(str(state), "a7") == "a8b a8n a8q a8r b8b b8n b8q b8r"
    for letter in "QRBN":
        assert str(state.after(f"axb8={letter}")).startswith(f"1{letter}5k/8/8/8/8/8/8/K7 b - - 0 ")


def test_pinned_pieces_stay_on_their_line() -> None:
    assert moves_of("4r2k/8/8/8/8/4R3/8/4K3 w - - 0 1", "e3") == "e2 e4 e5 e6 e7 e8"
    assert moves_of("4r2k/8/8/8/8/4N3/8/4K3 w - - 0 1", "e3") == ""
    assert moves_of("4r2k/8/8/8/8/4B3/8/4K3 w - - 0 1", "e3") == ""
    assert moves_of("4r2k/8/8/8/8/4N3/4N3/4K3 w - - 0 1", "e3") == "c2 c4 d1 d5 f1 f5 g2 g4"  # two in a row are free
    assert moves_of("6k1/7p/8/8/1b6/2B5/8/4K3 w - - 0 1", "c3") == "b4 d2"
    assert moves_of("7k/8/8/8/7q/6P1/8/4K3 w - - 0 1", "g3") == "h4"
    assert moves_of("7k/8/8/8/1b6/8/3P4/4K3 w - - 0 1", "d2") == ""
    assert moves_of("4r2k/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4") == "e5"


def test_double_check_allows_king_moves_only() -> None:
    state = Chess.parse("4r2k/8/8/8/1b6/8/8/R3KQ2 w - - 0 1")
    assert {squares_moved(move)[:2] for move in state.legal_moves()} == {"e1"}


@pytest.mark.parametrize(
    ("position", "utility"),
    [
        ("R5k1/5ppp/8/8/8/8/8/6K1 b - - 3 1", 1),  # mate
        ("6k1/8/8/8/8/8/5PPP/r5K1 w - - 3 1", -1),
        ("k7/2Q5/1K6/8/8/8/8/8 b - - 0 1", 0),  # stalemate
        ("R5k1/5ppp/8/8/8/8/8/6K1 b - - 150 1", 1),  # mate goes before the 75 moves
        ("4k3/8/8/8/8/8/8/4K2R w - - 150 1", 0),
        ("4k3/8/8/8/8/8/8/4K3 w - - 0 1", 0),  # dead position
        ("4k3/8/8/8/8/8/8/4KN2 w - - 0 1", 0),
        ("4k3/8/8/8/8/8/8/4KB2 b - - 0 1", 0),
        ("2b1k3/8/8/8/8/8/8/4KB2 b - - 0 1", 0),  # both bishops on light squares
        ("4k3/8/8/8/8/8/6B1/4KB2 b - - 0 1", 0),
        ("4k3/8/8/8/8/8/8/4K2R w - - 149 1", None),
        ("4kb2/8/8/8/8/8/8/4KB2 b - - 0 1", None),  # one on dark, one on light squares: a corner can be mated
        ("4k3/8/8/8/8/8/8/3NKN2 w - - 0 1", None),
        ("4kn2/8/8/8/8/8/8/4KN2 w - - 0 1", None),
        ("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", None),
    ],
)
def test_end_of_game(position: str, utility: int | None) -> None:
    state = Chess.parse(position)
    assert state.is_over() == (utility is not None)
    if utility is not None:
        assert state.utility() == utility
        assert state.legal_moves() == []


def test_repetition_key_ignores_the_halfmove_clock() -> None:
    state = Chess.start().after("Nf3 Nf6 Ng1 Ng8")
    assert state != Chess.start()
    assert state.repetition_key() == Chess.start().repetition_key()
    assert state.key() != Chess.start().key()
    assert state.reversible_plies() == 4
    assert state.after("e3").reversible_plies() == 0
    others = [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1",
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQk - 0 1",
        "RNBQKBNR/8/8/8/8/8/8/rnbqkbnr w - - 0 1",
    ]
    assert len({Chess.parse(other).repetition_key() for other in others} | {state.repetition_key()}) == 4


def test_white_is_max_and_moves_first() -> None:
    state = Chess.start()
    assert (state.to_move(), state.play(state.legal_moves()[0]).to_move()) == (MAX, MIN)
    assert (state.player_name(MAX), state.player_name(MIN)) == ("white", "black")


# ---- the geometry -----------------------------------------------------------------------------------------------


def test_slider_attacks_stop_at_the_first_blocker() -> None:
    random = Random(4)
    ways = (((1, 0), (-1, 0)), ((0, 1), (0, -1)), ((1, 1), (-1, -1)), ((-1, 1), (1, -1)))
    for _ in range(500):
        occupied = Bitboard(random.getrandbits(64) & random.getrandbits(64))
        square = random.randrange(64)
        for line in range(4):
            seen = set()
            for columns, rows in ways[line]:
                column, row = square % 8 + columns, square // 8 + rows
                while 0 <= column < 8 and 0 <= row < 8:
                    seen.add(8 * row + column)
                    if 8 * row + column in occupied:
                        break
                    column, row = column + columns, row + rows
            assert set(line_attacks(square, line, occupied)) == seen


def test_between_and_common_line() -> None:
    assert set(between(0, 63)) == {9, 18, 27, 36, 45, 54}
    assert set(between(63, 0)) == set(between(0, 63))
    assert set(between(3, 5)) == {4}
    assert not between(0, 10)
    assert not between(0, 1)
    assert set(common_line(9, 18)) == {0, 18, 27, 36, 45, 54, 63}


def test_knights_attacks_is_the_union_of_knight_attacks() -> None:
    for square in range(64):
        assert knights_attacks(Bitboard(1) << square) == knight_attacks(square)
    corners = knight_attacks(0) | knight_attacks(7) | knight_attacks(56) | knight_attacks(63)
    assert knights_attacks(Bitboard(0x8100000000000081)) == corners


@pytest.mark.parametrize(
    "mate",
    [
        "8/8/8/8/8/8/5N1p/5K1k",  # a knight against a pawn
        "8/8/8/8/8/7K/5N2/6rk",  # a rook
        "8/8/8/8/8/6NK/8/6bk",  # a bishop
        "8/8/8/8/8/1K6/2N5/kn6",  # a knight
        "8/8/8/8/8/1K6/1B6/kn6",  # a bishop against a knight
        "8/8/8/8/8/1K6/1B6/kb6",  # a bishop of the other colour
        "8/8/8/8/8/8/pBK5/k7",  # a pawn
        "8/8/8/8/8/6N1/5K2/5N1k",  # two knights against a lone king
    ],
)
def test_who_has_mated_could_win(mate: str) -> None:
    state = Chess.parse(f"{mate} b - - 0 1")
    assert (state.termination(), state.utility()) == ("checkmate", 1)
    assert state.can_win(MAX)


@pytest.mark.parametrize(
    ("board", "can_win"),
    [
        ("4k3/8/8/8/8/8/8/R3K3", (True, False)),
        ("4k2q/8/8/8/8/8/8/N3K3", (False, True)),  # a knight mates only where other pieces than queens are in the way
        ("4k2r/8/8/8/8/8/8/N3K3", (True, True)),
        ("4k2r/8/8/8/8/8/8/B3K3", (False, True)),
        ("4k2q/8/8/8/8/8/8/B3K3", (False, True)),
        ("2b1k3/8/8/8/8/5B2/8/B3K3", (True, True)),
        ("4k3/4p3/8/8/8/8/8/4K3", (False, True)),
        ("4k3/8/8/8/8/8/8/4KBN1", (True, False)),
    ],
)
def test_who_can_win_by_material(board: str, can_win: tuple[bool, bool]) -> None:
    state = Chess.parse(f"{board} w - - 0 1")
    assert (state.can_win(MAX), state.can_win(MIN)) == can_win
