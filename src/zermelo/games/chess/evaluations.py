"""Chess evaluations from white's side (MAX), and the scores by which captures are ordered."""

from __future__ import annotations

from pathlib import Path

from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import Linear, Tapered, Weights, evaluation
from zermelo.core.evaluation_files import EvaluationFiles
from zermelo.core.game import MAX
from zermelo.games import term_table
from zermelo.games.chess.attacks import (
    FILE_A,
    FILE_H,
    RANK_1,
    bishop_attacks,
    king_attacks,
    knight_attacks,
    pawn_attacks,
    rook_attacks,
)
from zermelo.games.chess.exchanges import KING, PAWN, QUEEN, VALUES, is_capture, kind_of, see_at_least
from zermelo.games.chess.network import PieceNetwork
from zermelo.games.chess.position import Position
from zermelo.games.term_table import TermRow

# ---- material only ----------------------------------------------------------------------------------------------

MATERIAL = (
    TermRow("queens", (9,), "counts", "queens"),
    TermRow("rooks", (5,), "counts", "rooks"),
    TermRow("bishops", (3,), "counts", "bishops"),
    TermRow("knights", (3,), "counts", "knights"),
    TermRow("pawns", (1,), "counts", "pawns"),
)


@evaluation
class Material(Linear):
    """Material by the common values 9, 5, 3, 3, 1, in pawns: the example of the lectures."""

    unit_name = "pawns"
    table = MATERIAL
    names = term_table.names(MATERIAL)
    weights: Weights = term_table.weights(MATERIAL)

    def counts(self, state: Position, side: int) -> tuple[int, ...]:
        own = state.white if side == MAX else state.black
        return (
            (own & state.queens).count(),
            (own & state.rooks).count(),
            (own & state.bishops).count(),
            (own & state.knights).count(),
            (own & state.pawns).count(),
        )


# ---- squares relative to a side -----------------------------------------------------------------------------------


def forward(squares: Bitboard, side: int) -> Bitboard:
    """Return the squares moved one rank forward, as seen by a side."""
    return squares << 8 if side == MAX else squares >> 8


def fill_forward(squares: Bitboard, side: int) -> Bitboard:
    """Return the squares and all squares in front of them on their files, as seen by a side."""
    if side == MAX:
        squares |= squares << 8
        squares |= squares << 16
        return squares | squares << 32
    squares |= squares >> 8
    squares |= squares >> 16
    return squares | squares >> 32


def sideways(squares: Bitboard) -> Bitboard:
    """Return the neighbours of the squares to the left and to the right."""
    return (squares & ~FILE_H) << 1 | (squares & ~FILE_A) >> 1


def relative_rank(number: int, side: int) -> Bitboard:
    """Return a rank of the board, 0 .. 7 as seen by a side."""
    return RANK_1 << 8 * number if side == MAX else RANK_1 << 56 - 8 * number


def king_distance(square: int, other: int) -> int:
    """Return the number of king moves between two squares on an empty board (Chebyshev distance)."""
    return max(abs(square % 8 - other % 8), abs(square // 8 - other // 8))


# ---- the default evaluation ---------------------------------------------------------------------------------------

# Weights in centipawns: middlegame, endgame.
POSITIONAL_TERMS = (
    TermRow("pawns", (90, 110), "material", "pawns"),
    TermRow("knights", (320, 290), "material", "knights"),
    TermRow("bishops", (330, 310), "material", "bishops"),
    TermRow("rooks", (470, 520), "material", "rooks"),
    TermRow("queens", (950, 950), "material", "queens"),
    TermRow("bishop pair", (30, 45), "material", "1 with two bishops or more"),
    TermRow("pawns' squares", (1, 1), "piece_squares", "sum of the pawns' piece-square values"),
    TermRow("knights' squares", (1, 1), "piece_squares", "sum of the knights' piece-square values"),
    TermRow("bishops' squares", (1, 1), "piece_squares", "sum of the bishops' piece-square values"),
    TermRow("rooks' squares", (1, 1), "piece_squares", "sum of the rooks' piece-square values"),
    TermRow("queens' squares", (1, 1), "piece_squares", "sum of the queens' piece-square values"),
    TermRow("king's square", (1, 0), "piece_squares", "the king's piece-square value in the middlegame"),
    TermRow("king's square, endgame", (0, 1), "piece_squares", "the king's piece-square value in the endgame"),
    TermRow("knights' mobility", (4, 4), "knight_mobility", "free squares that knights attack"),
    TermRow("bishops' mobility", (5, 5), "bishop_mobility", "free squares that bishops attack"),
    TermRow("rooks' mobility", (2, 4), "rook_mobility", "free squares that rooks attack"),
    TermRow("queens' mobility", (1, 2), "queen_mobility", "free squares that queens attack"),
    TermRow("doubled pawns", (-8, -18), "pawn_structure", "pawns behind another pawn of their side on the file"),
    TermRow("isolated pawns", (-12, -14), "pawn_structure", "pawns without own pawns on neighbouring files"),
    TermRow("backward pawns", (-10, -8), "pawn_structure", "unsupportable pawns, kept back by an enemy pawn"),
    TermRow("supported pawns", (7, 5), "pawn_structure", "pawns protected by a pawn"),
    TermRow("passed pawns, row 2 or 3", (3, 12), "passed_pawns", "passed pawns on rank 2 or 3, as seen by their side"),
    TermRow("passed pawns, row 4", (8, 25), "passed_pawns", "passed pawns on rank 4"),
    TermRow("passed pawns, row 5", (22, 48), "passed_pawns", "passed pawns on rank 5"),
    TermRow("passed pawns, row 6", (50, 90), "passed_pawns", "passed pawns on rank 6"),
    TermRow("passed pawns, row 7", (85, 150), "passed_pawns", "passed pawns on rank 7"),
    TermRow("king's lead to passed pawns", (0, 5), "passed_pawns", "moves the own king is closer to them"),
    TermRow("rooks on open files", (28, 10), "open_file_rooks", "rooks on files without pawns"),
    TermRow("rooks on half-open files", (14, 8), "open_file_rooks", "rooks on files with enemy pawns only"),
    TermRow("knights on outposts", (20, 12), "counts", "supported, safe from enemy pawns"),
    TermRow("pieces attacked by pawns", (35, 25), "counts", "enemy N, B, R, Q attacked"),
    TermRow("king's shield", (9, 0), "king_shelter", "pawns up to two ranks in front of the king"),
    TermRow("open files at the king", (-14, 0), "king_shelter", "files at the king without own pawns"),
    TermRow("attacks at the other king", (4, 1), "counts", "attackers times attacked squares of its zone"),
    TermRow("to move", (12, 6), "counts", "1 for the side to move"),
)  # fmt: skip


@evaluation
class Positional(Tapered):
    """Material, piece-square tables, mobility, pawn structure and king safety, tapered between two phases.

    Scores are in centipawns. `POSITIONAL_TERMS` lists the terms with their weights and meanings.

    Parameters
    ----------
    weights : Weights, shape (2, 35)
        The weights of the terms in the middlegame and in the endgame.
    squares : Weights, shape (7, 64)
        Piece-square tables for pawn, knight, bishop, rook, queen, king (middlegame) and king (endgame), from a8 to h1
        as white sees the board.

    References
    ----------
    "Tapered Eval", Chess Programming Wiki.
    """

    unit_name = "centipawns"
    table = POSITIONAL_TERMS
    names = term_table.names(POSITIONAL_TERMS)

    squares: Weights

    @classmethod
    def kept_terms(cls) -> tuple[str, ...]:
        return ("to move",)

    def phase(self, state: Position) -> int:
        """Return the game phase: knight and bishop 1, rook 2, queen 4; 24 at the start, 0 without pieces."""
        minor = (state.knights | state.bishops).count()
        return min(minor + 2 * state.rooks.count() + 4 * state.queens.count(), self.PHASES)

    def counts(self, state: Position, side: int) -> tuple[int, ...]:
        own = state.white if side == MAX else state.black
        other = state.black if side == MAX else state.white
        pawns, knights, bishops = state.pawns & own, state.knights & own, state.bishops & own
        rooks, queens, king = state.rooks & own, state.queens & own, state.kings & own
        enemy_pawns, enemy_king = state.pawns & other, state.kings & other
        guard, enemy_guard = pawn_attacks(pawns, side), pawn_attacks(enemy_pawns, -side)
        enemy_span = fill_forward(enemy_guard, -side)
        files = fill_forward(pawns, side) | fill_forward(pawns, -side)
        occupied = own | other
        free = ~(own | enemy_guard)
        zone = king_attacks(enemy_king.first()) | enemy_king
        # Each: squares in `free`, pieces that attack the king zone, squares of the zone that they attack.
        by_knights = knight_mobility(knights, free, zone)
        by_bishops = bishop_mobility(bishops, occupied, free, zone)
        by_rooks = rook_mobility(rooks, occupied, free, zone)
        by_queens = queen_mobility(queens, occupied, free, zone)
        attackers = by_knights[1] + by_bishops[1] + by_rooks[1] + by_queens[1]
        attacked = by_knights[2] + by_bishops[2] + by_rooks[2] + by_queens[2]
        return (
            material(pawns, knights, bishops, rooks, queens)
            + self.piece_squares(pawns, knights, bishops, rooks, queens, king, side)
            + (by_knights[0], by_bishops[0], by_rooks[0], by_queens[0])
            + pawn_structure(side, pawns, guard, enemy_guard)
            + passed_pawns(side, pawns, enemy_pawns, enemy_span, king.first(), enemy_king.first())
            + open_file_rooks(side, rooks & ~files, enemy_pawns)
            + ((knights & guard & ~enemy_span).count(), (guard & other & ~(enemy_pawns | enemy_king)).count())
            + king_shelter(side, king, pawns, files)
            + (attackers * attacked, 1 if state.turn == side else 0)
        )

    def piece_squares(
        self,
        own_pawns: Bitboard,
        own_knights: Bitboard,
        own_bishops: Bitboard,
        own_rooks: Bitboard,
        own_queens: Bitboard,
        own_king: Bitboard,
        side: int,
    ) -> tuple[int, ...]:
        """Sum the piece-square values of each kind of piece; of the king, in the middlegame and in the endgame."""
        flip = 56 if side == MAX else 0
        king = own_king.first()
        pawns = knights = bishops = rooks = queens = 0
        for square in own_pawns:
            pawns += self.squares[0, square ^ flip]
        for square in own_knights:
            knights += self.squares[1, square ^ flip]
        for square in own_bishops:
            bishops += self.squares[2, square ^ flip]
        for square in own_rooks:
            rooks += self.squares[3, square ^ flip]
        for square in own_queens:
            queens += self.squares[4, square ^ flip]
        return pawns, knights, bishops, rooks, queens, self.squares[5, king ^ flip], self.squares[6, king ^ flip]


# The counting functions take bitboards instead of states: a state has twelve words, and passing it to each of them
# made the evaluation 25 % slower.


def material(
    pawns: Bitboard, knights: Bitboard, bishops: Bitboard, rooks: Bitboard, queens: Bitboard
) -> tuple[int, ...]:
    """Count the pieces of each kind, and whether there is a bishop pair."""
    pair = 1 if bishops.count() >= 2 else 0
    return pawns.count(), knights.count(), bishops.count(), rooks.count(), queens.count(), pair


def pawn_structure(side: int, pawns: Bitboard, guard: Bitboard, enemy_guard: Bitboard) -> tuple[int, ...]:
    """Count doubled, isolated, backward and supported pawns.

    A backward pawn has a stop square that an enemy pawn attacks and that no own pawn can ever protect. Isolated pawns
    are not counted as backward.
    """
    in_front = forward(fill_forward(pawns, side), side)
    files = in_front | fill_forward(pawns, -side)
    isolated = pawns & ~sideways(files)
    weak_stops = forward(pawns, side) & enemy_guard & ~fill_forward(guard, side)
    return (
        (pawns & in_front).count(),
        isolated.count(),
        (weak_stops & ~forward(isolated, side)).count(),
        (pawns & guard).count(),
    )


def passed_pawns(
    side: int, pawns: Bitboard, enemy_pawns: Bitboard, enemy_span: Bitboard, king: int, enemy_king: int
) -> tuple[int, ...]:
    """Count passed pawns by rank, and how much closer the own king is to their stop squares than the enemy king.

    Of two passed pawns on one file only the front one counts.
    """
    stopped = enemy_span | forward(fill_forward(enemy_pawns, -side), -side)
    passed = pawns & ~stopped & ~forward(fill_forward(pawns, -side), -side)
    lead = 0
    for square in forward(passed, side):
        lead += king_distance(square, enemy_king) - king_distance(square, king)
    return (
        (passed & (relative_rank(1, side) | relative_rank(2, side))).count(),
        (passed & relative_rank(3, side)).count(),
        (passed & relative_rank(4, side)).count(),
        (passed & relative_rank(5, side)).count(),
        (passed & relative_rank(6, side)).count(),
        lead,
    )


def open_file_rooks(side: int, rooks: Bitboard, enemy_pawns: Bitboard) -> tuple[int, ...]:
    """Split rooks on files without own pawns into those on open files and those on half-open files."""
    half_open = (rooks & (fill_forward(enemy_pawns, side) | fill_forward(enemy_pawns, -side))).count()
    return rooks.count() - half_open, half_open


def king_shelter(side: int, king: Bitboard, pawns: Bitboard, files: Bitboard) -> tuple[int, ...]:
    """Count the pawn shield and the open files, both on the king's file and the neighbouring files."""
    near = king | sideways(king)
    front = forward(near, side)
    return (pawns & (front | forward(front, side))).count(), (near & ~files).count()


def knight_mobility(knights: Bitboard, free: Bitboard, zone: Bitboard) -> tuple[int, int, int]:
    """Count the squares in `free` that knights attack, the knights that attack `zone`, and their squares in it."""
    moves = attackers = attacked = 0
    for square in knights:
        reached = knight_attacks(square)
        moves += (reached & free).count()
        if reached & zone:
            attackers += 1
            attacked += (reached & zone).count()
    return moves, attackers, attacked


def bishop_mobility(bishops: Bitboard, occupied: Bitboard, free: Bitboard, zone: Bitboard) -> tuple[int, int, int]:
    """Count as `knight_mobility` does, for bishops."""
    moves = attackers = attacked = 0
    for square in bishops:
        reached = bishop_attacks(square, occupied)
        moves += (reached & free).count()
        if reached & zone:
            attackers += 1
            attacked += (reached & zone).count()
    return moves, attackers, attacked


def rook_mobility(rooks: Bitboard, occupied: Bitboard, free: Bitboard, zone: Bitboard) -> tuple[int, int, int]:
    """Count as `knight_mobility` does, for rooks."""
    moves = attackers = attacked = 0
    for square in rooks:
        reached = rook_attacks(square, occupied)
        moves += (reached & free).count()
        if reached & zone:
            attackers += 1
            attacked += (reached & zone).count()
    return moves, attackers, attacked


def queen_mobility(queens: Bitboard, occupied: Bitboard, free: Bitboard, zone: Bitboard) -> tuple[int, int, int]:
    """Count as `knight_mobility` does, for queens."""
    moves = attackers = attacked = 0
    for square in queens:
        reached = bishop_attacks(square, occupied) | rook_attacks(square, occupied)
        moves += (reached & free).count()
        if reached & zone:
            attackers += 1
            attacked += (reached & zone).count()
    return moves, attackers, attacked


# Piece-square tables in centipawns, from rank 8 down to rank 1 as white sees the board. They are symmetric, so each row
# has the files a to d only. Our own numbers, after the ideas of Tomasz Michniewski's simplified evaluation function
# (1995, Chess Programming Wiki): advance centre pawns, keep knights and bishops away from the edge, put rooks on the
# seventh rank, hide the king behind its pawns in the middlegame and centralise it in the endgame.
PAWN_SQUARES = (
    (0, 0, 0, 0),
    (40, 45, 45, 45),
    (10, 14, 20, 28),
    (3, 6, 10, 22),
    (0, 0, 4, 18),
    (2, -2, -4, 4),
    (2, 6, 4, -18),
    (0, 0, 0, 0),
)
KNIGHT_SQUARES = (
    (-50, -35, -25, -25),
    (-35, -15, 0, 5),
    (-20, 4, 14, 18),
    (-20, 2, 16, 22),
    (-20, 0, 14, 18),
    (-24, 2, 10, 12),
    (-32, -18, 0, 3),
    (-46, -30, -24, -22),
)
BISHOP_SQUARES = (
    (-16, -10, -10, -10),
    (-10, 0, 0, 2),
    (-8, 4, 6, 8),
    (-6, 6, 8, 12),
    (-6, 4, 10, 12),
    (-4, 8, 8, 8),
    (-6, 10, 2, 4),
    (-16, -8, -12, -10),
)
ROOK_SQUARES = (
    (2, 4, 4, 6),
    (12, 16, 18, 18),
    (-2, 2, 4, 4),
    (-4, 0, 2, 2),
    (-6, 0, 0, 2),
    (-6, 0, 0, 2),
    (-8, -2, 0, 2),
    (-4, -2, 4, 8),
)
QUEEN_SQUARES = (
    (-12, -6, -4, -2),
    (-8, -4, 2, 2),
    (-4, 2, 6, 6),
    (-2, 2, 6, 8),
    (-2, 2, 6, 8),
    (-4, 4, 4, 4),
    (-8, 0, 4, 2),
    (-14, -8, -6, 0),
)
KING_SQUARES = (
    (-50, -55, -60, -65),
    (-45, -50, -55, -60),
    (-40, -45, -50, -55),
    (-35, -40, -45, -50),
    (-25, -30, -40, -40),
    (-12, -16, -24, -26),
    (12, 10, -10, -14),
    (18, 28, 4, -4),
)
KING_SQUARES_ENDGAME = (
    (-46, -34, -24, -20),
    (-24, -10, 0, 4),
    (-14, 4, 16, 22),
    (-16, 6, 22, 30),
    (-18, 2, 20, 28),
    (-20, -2, 12, 18),
    (-28, -12, 0, 4),
    (-48, -32, -24, -22),
)
PIECE_SQUARE_TABLES = (
    PAWN_SQUARES,
    KNIGHT_SQUARES,
    BISHOP_SQUARES,
    ROOK_SQUARES,
    QUEEN_SQUARES,
    KING_SQUARES,
    KING_SQUARES_ENDGAME,
)
POSITIONAL = Positional(
    term_table.phase_weights(POSITIONAL_TERMS),
    tuple(sum((rank + rank[::-1] for rank in half), ()) for half in PIECE_SQUARE_TABLES),
)

EVALUATIONS = EvaluationFiles(
    {"positional": POSITIONAL, "material": Material()},
    network=(PieceNetwork, Path(__file__).with_name("network.weights")),
)


# ---- move ordering ------------------------------------------------------------------------------------------------


def is_tactical(state: Position, move: int) -> bool:
    """Return whether a move is a capture or a queen promotion that loses no material (SEE of 0 or more)."""
    if move >> 12 == QUEEN or is_capture(state, move):
        return see_at_least(state, move, 0)
    return False


def capture_value(state: Position, move: int) -> int:
    """Return the captured material and the gain of a promotion in centipawns, by cheaper pieces a little more."""
    promotion = move >> 12
    if promotion == 0 and not is_capture(state, move):
        return 0
    target = Bitboard(1) << (move >> 6 & 63)
    value = KING - kind_of(state, Bitboard(1) << (move & 63))
    if is_capture(state, move):
        value += VALUES[kind_of(state, target) if target & state.other() else PAWN]
    return value + (VALUES[promotion] - VALUES[PAWN] if promotion else 0)


def capture_score(state: Position, move: int) -> int:
    """Score captures and promotions for move ordering: most valuable victim, least valuable attacker (MVV-LVA).

    The score is positive for captures and promotions that lose no material (SEE of 0 or more), negative for those that
    do and for underpromotions, and 0 for all other moves.
    """
    promotion = move >> 12
    if promotion == 0 and not is_capture(state, move):
        return 0
    target = Bitboard(1) << (move >> 6 & 63)
    value = 8 * promotion - kind_of(state, Bitboard(1) << (move & 63))
    if is_capture(state, move):
        value += 8 + 8 * (kind_of(state, target) if target & state.other() else 0)
    if 0 < promotion < QUEEN:
        return -32 + value
    return value if see_at_least(state, move, 0) else value - 128
