"""Checkers: contract, published counts, comparison with a slow generator, endgames, the position of the lecture."""

from __future__ import annotations

import json
import re
from collections import Counter
from random import Random

import pytest
from published import published
from slowcheckers import Play, plays

from zermelo import alphabeta
from zermelo.core.bitboard import Bitboard
from zermelo.core.game import MAX, MIN
from zermelo.core.history import PositionHistory, can_claim_draw
from zermelo.errors import IllegalMove, PositionError
from zermelo.games.checkers import Checkers
from zermelo.games.checkers.notation import bit_of, number_of, squares_of
from zermelo.games.checkers.squares import BOARD
from zermelo.teaching.tree import game_tree, trace
from zermelo.testing import check_game


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.quick
def test_contract() -> None:
    report = check_game(Checkers, games=20)
    assert report.unfinished == 0


@pytest.mark.long
@pytest.mark.slow
def test_contract_with_many_kings() -> None:
    report = check_game(Checkers.parse("B:WK5,K12,K22,K26,K29,30:B3,K6,K14,K17,K19,K24"), games=20)
    assert report.unfinished == 0


# ---- published counts -----------------------------------------------------------------------------------------

# OEIS A133046 (Aart Bik): a jump by another way is another line, even if it takes the same pieces.
PERFT = [1, 7, 49, 302, 1_469, 7_361, 36_768, 179_740, 845_931, 3_963_680, 18_391_564,
         85_242_128, 388_623_673, 1_766_623_630]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("depth", range(11))
def test_perft(perft, depth: int) -> None:
    assert perft(Checkers(), depth) == PERFT[depth]


@pytest.mark.nightly
@pytest.mark.parametrize("depth", range(11, len(PERFT)))
def test_perft_deep(perft, depth: int) -> None:
    assert perft(Checkers(), depth) == PERFT[depth]


@pytest.mark.reference
def test_perft_of_41_positions(perft) -> None:
    lines = published("checkers", "perft_positions_simplech.txt").read_text().splitlines()
    rows = [line.split(";") for line in lines if line[:1] in "BW"]
    assert len(rows) == 41
    for position, *counts in rows:
        state = Checkers.parse(position)
        for each in counts:
            depth, count = each.removeprefix("D").split()
            assert perft(state, int(depth)) == int(count), (position, depth)


# ---- the rules beside a slow generator ------------------------------------------------------------------------


def board_of(state: Checkers) -> dict[int, str]:
    board = {number_of(bit): "b" for bit in state.black} | {number_of(bit): "w" for bit in state.white}
    return {number: piece.upper() if bit_of(number) in state.kings else piece for number, piece in board.items()}


def set_up(random: Random) -> Checkers:
    """A random position, often few pieces against many and many kings, so that long jumps occur."""
    black_share, king_share = random.random(), random.random()
    black = white = kings = Bitboard(0)
    for number in random.sample(range(1, 33), random.randint(2, 16)):
        square = Bitboard(1) << bit_of(number)
        is_black = random.random() < black_share
        if is_black:
            black |= square
        else:
            white |= square
        if (number > 28 if is_black else number < 5) or random.random() < king_share:
            kings |= square
    return Checkers(black, white, kings, random.choice([MAX, MIN]), random.randrange(80))


# What a piece can jump over on one way stands in every second row.
JUMPED = ((6, 7, 8, 14, 15, 16, 22, 23, 24), (9, 10, 11, 17, 18, 19, 25, 26, 27))


def scattered(random: Random) -> Checkers:
    """A position in which two black pieces can jump over many separated white pieces."""
    white = set(random.sample(random.choice(JUMPED), random.randint(4, 9)))
    kings = random.sample(sorted(set(range(1, 33)) - white), 2)
    return Checkers(*(Bitboard(sum(1 << bit_of(n) for n in each)) for each in (kings, white, kings)), MAX, 0)


def played(random: Random) -> Checkers:
    """A position of a random game."""
    state = Checkers()
    for _ in range(random.randrange(100)):
        if state.is_over():
            break
        state = state.play(random.choice(state.legal_moves()))
    return state


def way(play: Play) -> tuple[int, ...]:
    return play[0]


def check_rules(count: int, seed: int) -> Counter[int]:
    """Compare moves, their squares and their successors; return the number of squares visited."""
    random = Random(seed)
    lengths: Counter[int] = Counter()
    for number in range(count):
        state = (set_up, played, scattered)[number % 3](random)
        expected = plays(board_of(state), "b" if state.turn == MAX else "w")
        assert state.can_move() == bool(expected)
        if not expected:
            assert state.is_over()
            assert state.utility() == -state.turn
            continue
        moves = list(state.moves())
        assert state.count_moves() == len(moves)
        children = list(map(state.play, moves))
        ways = [tuple(squares_of(state, move)) for move in moves]
        found = list(zip(ways, map(state.is_tactical, moves), map(board_of, children), strict=True))
        assert sorted(found, key=way) == sorted(expected, key=way), state
        assert len({state.move_name(move) for move in moves}) == len(moves)
        for child, (squares, capture, _) in zip(children, found, strict=True):
            is_king = bit_of(squares[0]) in state.kings
            assert child.plies_without_progress == (state.plies_without_progress + 1 if is_king and not capture else 0)
            assert child.turn == -state.turn
            assert child.kings & ~(child.black | child.white) == 0
            lengths[len(squares)] += 1
    return lengths


@pytest.mark.long
def test_moves_equal_slow_generator() -> None:
    lengths = check_rules(2_000, 1)
    assert lengths[2] > 5_000
    assert all(lengths[length] > 20 for length in range(3, 9))


@pytest.mark.nightly
def test_moves_equal_slow_generator_on_20000_positions() -> None:
    lengths = check_rules(20_000, 2)
    assert lengths[10] > 0


def names(position: str) -> list[str]:
    state = Checkers.parse(position)
    return [state.move_name(move) for move in state.legal_moves()]


def test_crowning_ends_the_move() -> None:
    assert names("B:W25,26:B21") == ["21x30"]
    state = Checkers.parse("B:W25,26:B21").after("21x30")
    assert str(state) == "W:W26:BK30"
    assert names("B:W25,26:BK21") == ["21x30x23"]


def test_jumps_are_mandatory_and_continue() -> None:
    assert names("B:W18,27:B15,1") == ["15x22"]
    assert names("B:W18,26:B15,1") == ["15x22x31"]
    assert names("B:W6:B1,3") == ["1x10"]


def test_king_may_return_to_its_origin() -> None:
    state = Checkers.parse("B:W10,11,18,19,32:BK14:H7")
    assert names(str(state)) == ["14x23x16x7x14", "14x7x16x23x14"]
    assert {str(state.play(move)) for move in state.legal_moves()} == {"W:W32:BK14"}
    assert state.parse_move("14x14") in state.legal_moves()  # either way: they lead to the same


def test_moves_have_at_most_nine_jumps() -> None:
    state = Checkers.parse("B:W9,10,11,17,18,19,25,26,27:BK5")
    moves = state.legal_moves()
    assert max(len(squares_of(state, move)) for move in moves) == 10
    assert state.move_name(max(moves)).count("x") == 9
    assert max(moves) < 1 << 24


def test_forty_move_rule() -> None:
    state = Checkers.parse("B:WK32:BK1:H78")
    assert not state.is_over()
    state = state.after("1-6 32-28")
    assert str(state) == "B:WK28:BK6:H80"
    assert state.is_over()
    assert state.utility() == 0
    assert Checkers.parse("B:WK32:BK1,12:H79").after("12-16").plies_without_progress == 0


def test_perft_ignores_draws(perft) -> None:
    state = Checkers.parse("B:WK32:BK1:H78")
    assert perft(state, 3) == 2 * (2 + 4)  # from 5 there are two moves, from 6 four
    assert perft(state.after("1-6 32-28"), 1) == 4


def test_repetition_key_ignores_plies_without_progress() -> None:
    state = Checkers.parse("B:WK32,30:BK1:H7")
    assert state.reversible_plies() == 7
    assert state.key() != Checkers.parse("B:WK32,30:BK1:H3").key()
    assert state.repetition_key() == Checkers.parse("B:WK32,30:BK1").repetition_key()
    others = ("W:WK32,30:BK1", "B:WK32,K30:BK1", "B:WK32,30:B1", "B:WK32,31:BK1")
    assert len({Checkers.parse(text).repetition_key() for text in others} | {state.repetition_key()}) == 5


def test_threefold_repetition_after_two_rounds() -> None:
    state = Checkers.parse("B:WK32:BK1")
    past = PositionHistory()
    times = [past.push(state)]
    for move in 2 * ["1-6", "32-28", "6-1", "28-32"]:
        state = state.after(move)
        times.append(past.push(state))
    assert times == [1, 1, 1, 1, 2, 2, 2, 2, 3]
    assert can_claim_draw(state, times[-1])
    assert not can_claim_draw(state, times[-2])
    assert not state.is_over()


def test_losing_side_plays_for_repetition() -> None:
    states = [Checkers.parse("B:WK32,K24:BK1")]
    for move in [*(2 * "1-6 32-28 6-1 28-32 ").split(), "1-6", "32-28"]:
        states.append(states[-1].after(move))
    *history, state = states
    assert alphabeta(state, 1, "material").value == -5
    found = alphabeta(state, 1, "material", history=history)
    assert (found.value, state.move_name(found.best)) == (0, "6-1")


def test_side_without_moves_loses() -> None:
    for position, winner in (("B:W5,6,9,10:B1", MIN), ("W:W29:B25,22,6", MAX), ("W:W29:BK25,22,6:H80", MAX)):
        state = Checkers.parse(position)
        assert state.is_over()
        assert state.utility() == winner
        assert state.legal_moves() == []


# ---- the exact ends of small endings --------------------------------------------------------------------------


def check_endings(most: int) -> None:
    """Won, drawn and lost positions by number of pieces, by retrograde analysis, with the published counts.

    A position is looked at from the side to move: turned where white is. Without the draw by quiet moves.
    """
    states = dict.fromkeys(
        state for count in range(1, most + 1) for own in range(1, count + 1) for state in placed(own, count - own)
    )
    waiting, before, result = {}, {}, {}
    for state in states:
        if not state.white:
            result[state] = 1
            continue
        children = {seen_by_black(state.play(move)) for move in state.legal_moves()}
        waiting[state] = len(children)
        for child in children:
            before.setdefault(child, []).append(state)
        if not children:
            result[state] = -1
    ready = list(result)
    ready += [child for child in before if not child.black]
    result |= {child: -1 for child in before if not child.black}
    for state in ready:
        for earlier in before.get(state, ()):
            waiting[earlier] -= 1
            if earlier not in result and (result[state] == -1 or not waiting[earlier]):
                result[earlier] = -result[state]
                ready.append(earlier)
    counts: dict[str, Counter[int]] = {}
    for state in states:
        black_kings, white_kings = (state.black & state.kings).count(), (state.white & state.kings).count()
        own = f"{black_kings}K{state.black.count() - black_kings}M"
        other = f"{white_kings}K{state.white.count() - white_kings}M"
        counts.setdefault(f"{own} vs {other}", Counter())[result.get(state, 0)] += 1
    rows = re.findall(r"(\d) pieces: mover (\wK\wM vs \wK\wM)  W (\d+) D (\d+) L (\d+)",
                      published("checkers", "endgame_wld_1to4_pieces.txt").read_text())  # fmt: skip
    compared = 0
    for pieces, slice, *numbers in rows:
        if int(pieces) <= most and not slice.startswith("0K0M"):
            found = counts[slice]
            assert [found[1], found[0], found[-1]] == list(map(int, numbers)), slice
            compared += 1
    assert compared == len(counts)


def placed(black: int, white: int):
    """All positions with given numbers of pieces, black to move."""

    def spread(count: int, squares: list[int]):
        if not count:
            yield ()
            return
        for place, square in enumerate(squares):
            for rest in spread(count - 1, squares[place + 1 :]):
                yield (square, *rest)

    every = list(BOARD)
    for own in spread(black, every):
        for other in spread(white, [square for square in every if square not in own]):
            men = [square for square in own if square < 31] + [square for square in other if square > 3]
            for kings in range(1 << len(men)):
                crowned = {square for place, square in enumerate(men) if kings >> place & 1}
                crowned |= {square for square in (*own, *other) if square not in men}
                yield Checkers(*(Bitboard(sum(1 << s for s in each)) for each in (own, other, crowned)), MAX, 0)


def turned(pieces: Bitboard) -> Bitboard:
    """The board seen from the other side: square 1 becomes 32."""
    return Bitboard(sum(1 << 34 - bit for bit in pieces))


def seen_by_black(state: Checkers) -> Checkers:
    """The position after a move of black with sides exchanged, so that black is to move again."""
    return Checkers(turned(state.white), turned(state.black), turned(state.kings), MAX, 0)


@pytest.mark.reference
def test_two_piece_endgames_agree_with_published_counts() -> None:
    check_endings(2)


@pytest.mark.reference
@pytest.mark.nightly
def test_three_piece_endgames_agree_with_published_counts() -> None:
    check_endings(3)


# ---- openings -------------------------------------------------------------------------------------------------


@pytest.mark.reference
def test_balloted_openings() -> None:
    ballots = json.loads(published("checkers", "ballots_3move_english.json").read_text())["all"]
    assert len(ballots) == 174
    for line, position in ballots.items():
        assert Checkers.parse(line.partition(" ")[2]) == Checkers.parse(position), line


# ---- evaluations ----------------------------------------------------------------------------------------------


LINEAR, MATERIAL = Checkers.evaluations["linear"], Checkers.evaluations["material"]


def counted(state: Checkers) -> dict[str, int]:
    """The count of each term of `linear` for black minus that for white."""
    return {term.name: term.max - term.min for term in LINEAR.terms(state)}


def test_material() -> None:
    assert MATERIAL.score(Checkers.parse("B:W10,K11:B12,13,K2")) == 1
    assert MATERIAL.score(Checkers.parse("B:WK10,K11:B2")) == -9
    assert [term[:4] for term in MATERIAL.terms(Checkers.parse("B:W10,K11:B12,13,K2"))] == [
        ("kings", 1, 1, (5,)),
        ("men", 2, 1, (1,)),
    ]


def test_exchanged_sides_exchange_the_terms() -> None:
    random = Random(3)
    for _ in range(200):
        state = played(random)
        image = Checkers(turned(state.white), turned(state.black), turned(state.kings), -state.turn, 0)
        assert [(term.max, term.min) for term in LINEAR.terms(image)] == [
            (term.min, term.max) for term in LINEAR.terms(state)
        ]
        assert LINEAR.score(image) == -LINEAR.score(state)


@pytest.mark.parametrize(
    ("position", "counts"),
    [
        ("B:W21-32:B1-12", dict.fromkeys(LINEAR.names, 0)),
        # Black's man on 17 can be taken. A back row is guarded against men only.
        ("B:W21,30,31:B17,K1", {"men": -2, "kings": 1, "guards": -2, "hanging": 1}),
        ("B:W21,30,31:BK17,K1", {"men": -3, "kings": 2, "guards": 0, "hanging": 1}),
        # A man on the fourth row has gone three; neither meets an enemy before it is a king.
        ("B:WK4:B13,K18", {"men": 1, "rows": 3, "centre": 1, "roaming": 1, "free": 1, "runaways": 1, "trades": 42}),
        # A man's way to the last row widens by a square on both sides with each row.
        ("B:WK21:B8", {"runaways": 1}),
        ("B:WK23:B8", {"runaways": 0}),
        ("B:WK2:B8", {"runaways": 1}),
        ("B:WK30:B4", {"runaways": 0}),
    ],
)
def test_counts_of_terms(position: str, counts: dict[str, int]) -> None:
    found = counted(Checkers.parse(position))
    assert {name: count for name, count in found.items() if name in counts} == counts


@pytest.mark.nightly
def test_linear_beats_material() -> None:
    """From all 49 positions after two plies, with both colours, at depth 4."""
    results: Counter[int] = Counter()
    for first in Checkers().legal_moves():
        opened = Checkers().play(first)
        for state in map(opened.play, opened.legal_moves()):
            for linear in (MAX, MIN):
                end = state
                while not end.is_over():
                    name = "linear" if end.turn == linear else "material"
                    end = end.play(alphabeta(end, 4, name, compiled=True).best)
                results[end.utility() * linear] += 1
    assert results == {1: 79, 0: 19}  # see docs/games/checkers.md


# ---- the lecture's position -----------------------------------------------------------------------------------


def test_tree_of_the_lecture() -> None:
    """Jarrar, chapter 6, slides 63 to 73, with the board turned, as black moves to lower numbers there."""
    tree = game_tree(Checkers.parse("B:W10,K11:B12,13,K2"), 3, "material")
    first = [node for node in tree if node.depth == 1]
    assert [node.move for node in first] == ["13-17", "12-16", "2-7", "2-6"]  # there 20-16, 21-17, 31-26, 31-27
    assert len(tree.nodes) == 41
    assert trace(tree, "minimax").value == 1
    assert [trace(tree, "minimax").record(node).returned for node in first] == [1, 0, -8, -8]
    pruned = trace(tree, "equal fail-soft")
    assert pruned.value == 1
    assert [pruned.record(node).returned for node in first] == [1, 0, -4, -8]
    assert len(pruned.cuts) == 3


# ---- texts ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("", str(Checkers())),
        (" start ", str(Checkers())),
        ("B:W21-32:B1-12", str(Checkers())),
        ("b : b1-12 : w21-32 .", str(Checkers())),
        ("B:W 21 - 32:B 1-4, 5, 6 - 12", str(Checkers())),
        ("11-15 23-19", "B:W19,21,22,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12,15"),
        ("11-15 22-18 15x22", "W:W21,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12,22"),
        ("11-15 22-18 15-22 25:18", "B:W18,21,23,24,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12"),
        ("W:Wk1-3,32:BK30,05:H7", "W:WK1,K2,K3,32:B5,K30:H7"),
        ("W:W:B5", "W:W:B5"),
        ("B:W5:B:H0", "B:W5:B"),
        ("W:W18,24,K29:B7,10,K19:H3:F27", "W:W18,24,K29:B7,10,K19:H3"),
    ],
)
def test_parse_position(text: str, written: str) -> None:
    state = Checkers.parse(text)
    assert str(state) == written
    assert Checkers.parse(written) == state


LONG = "B:W21-32:B" + ",".join(["1"] * 500_000)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello", "'hello' has 1 parts separated by colons; expected a position like B:W21-32:B1-12, or moves"),
        ("B:W5", "'B:W5' has 2 parts separated by colons"),
        ("B:W5:B1:H0:F1:F1", "'B:W5:B1:H0:F1:F1' has 6 parts separated by colons"),
        ("B:W5:B1:H0:1", r"part 5 \('1'\); expected F and the move number"),
        ("R:W5:B1", r"side to move 'R'; expected B \(black\) or W \(white\) before the first :"),
        (":W5:B1", "side to move ''; expected B"),
        ("B:5:B1", r"part 2 \('5'\) names no side; expected W or B, then squares"),
        ("B:W5:", r"part 3 \(''\) names no side; expected W or B, then squares"),
        ("B:W5:W6", "parts 2 and 3 are both for white; expected one W and one B"),
        ("B:W5,:B1", "'' among white's pieces; expected squares separated by commas, K for a king"),
        ("B:W5:BQ1", "'Q1' among black's pieces; expected squares separated by commas, K for a king"),
        ("B:W5:B\u00b2", "'\u00b2' among black's pieces"),
        ("B:W5:B1\0", r"'1\\x00' among black's pieces"),
        ("B:W5:B1 2", "'1 2' among black's pieces"),
        ("B:W5:B\u212a2", "'\u212a2' among black's pieces"),
        ("B:W33:B1", "'33' among white's pieces; expected 1 to 32, lower one first"),
        ("B:W0:B1", "'0' among white's pieces; expected 1 to 32, lower one first"),
        ("B:W12-9:B1", "'12-9' among white's pieces; expected 1 to 32, lower one first"),
        ("B:W5,7,5:B1", "square 5 occurs twice among white's pieces; expected it once"),
        ("B:W5:B3,K5", "square 5 has a black and a white piece; expected one piece"),
        ("B:W5:B1,30", "black's man on 30 would have been crowned; expected K30"),
        ("B:W4:B1", "white's man on 4 would have been crowned; expected K4"),
        ("B:W20-32:B1", "white has 13 pieces; expected at most 12"),
        ("B:W:B1", "white has no pieces left, but black is to move; expected white to move"),
        ("W:W5:B", "black has no pieces left, but white is to move; expected black to move"),
        ("B:W5:B1:7", r"part 4 \('7'\); expected H and the plies since .*, 0 to 80"),
        ("B:W5:B1:H81", r"part 4 \('H81'\); expected H"),
        ("11-15 11-16", "move 2: '11-16' is not a legal move here; legal: 24-20 24-19"),
        ("11-15 pass", "move 2: 'pass' is not a move; expected squares like 11-15 or 22x15x8; legal: 24-20"),
        (LONG, r"1,000,009 characters; expected at most 4,000"),
    ],
    ids=range(30),
)
def test_error_message_for_invalid_position(text: str, message: str) -> None:
    with pytest.raises(PositionError, match=message) as error:
        Checkers.parse(text)
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 200


def test_ambiguous_jumps_need_intermediate_squares() -> None:
    state = Checkers.parse("B:W10,11,18,19:B7")
    assert [state.move_name(move) for move in state.legal_moves()] == ["7x16x23", "7x14x23"]
    assert state.after("7x14x23") == state.after("07-14-23") == Checkers.parse("W:W11,19:B23")
    with pytest.raises(IllegalMove, match="'7x23' is ambiguous; expected 7x16x23 or 7x14x23"):
        state.parse_move("7x23")
    assert Checkers.parse("B:W18,26:B15,1").after("15x31") == Checkers.parse("W:W:B1,K31")
    with pytest.raises(IllegalMove, match="'7x14' is not a legal move here; legal: 7x16x23 7x14x23"):
        state.parse_move("7x14")
    with pytest.raises(IllegalMove, match="'1-5' is not legal: the game is over"):
        Checkers.parse("W:W:B1,K31").parse_move("1-5")


def test_board() -> None:
    lines = Checkers.parse("B:W21-31,K32:B1-11,K20").board().split("\n")
    assert lines[0] == "     b1    b2    b3    b4"
    assert lines[1] == "  b5    b6    b7    b8"
    assert lines[4] == "      17    18    19   B20"
    assert lines[7] == "  w29   w30   w31   W32"
    assert Checkers().player_name(MAX) == "black"
    assert Checkers().player_name(MIN) == "white"
