"""Evaluations of chess, from white's side (MAX), and hints on which moves to try first."""

from __future__ import annotations

from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import Linear, Tapered, Weights, evaluation
from zermelo.core.game import MAX
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
from zermelo.games.chess.exchanges import QUEEN, gains, is_capture, kind_of


@evaluation
class Material(Linear):
    """9 for the queen, 5 for a rook, 3 for a bishop or a knight, 1 for a pawn: the lectures' example."""

    unit_name = "pawns"
    names = ("queens", "rooks", "bishops", "knights", "pawns")
    weights: Weights = (9, 5, 3, 3, 1)

    def counts(self, state, side):
        own = state.white if side == MAX else state.black
        return (
            (own & state.queens).count(),
            (own & state.rooks).count(),
            (own & state.bishops).count(),
            (own & state.knights).count(),
            (own & state.pawns).count(),
        )


# ---- pawns: sets of them moved about --------------------------------------------------------------------------


def ahead(squares, side):
    """The squares one row further on, as a side goes."""
    return squares << 8 if side == MAX else squares >> 8


def filled(squares, side):
    """The squares and all before them on their files, as a side goes."""
    if side == MAX:
        squares |= squares << 8
        squares |= squares << 16
        return squares | squares << 32
    squares |= squares >> 8
    squares |= squares >> 16
    return squares | squares >> 32


def beside(squares):
    """The squares to the left and to the right."""
    return (squares & ~FILE_H) << 1 | (squares & ~FILE_A) >> 1


def row(number, side):
    """A row of the board, 0 .. 7 as a side counts them."""
    return RANK_1 << 8 * number if side == MAX else RANK_1 << 56 - 8 * number


def distance(square, other):
    """The king's moves from a square to another on an empty board."""
    return max(abs(square % 8 - other % 8), abs(square // 8 - other // 8))


# ---- the usual evaluation -------------------------------------------------------------------------------------


@evaluation
class Positional(Tapered):
    """Material, and where it stands: the middle game's weights and the ending's, mixed by the pieces that are left.

    In hundredths of a pawn. `squares` has the tables by which the terms named "squares" count, for each square from a8
    to h1 as white sees the board: pawn, knight, bishop, rook, queen, king in the middle game, king in the ending.
    """

    unit_name = "centipawns"
    names = (
        "pawns",
        "knights",
        "bishops",
        "rooks",
        "queens",
        "bishop pair",
        "pawns' squares",
        "knights' squares",
        "bishops' squares",
        "rooks' squares",
        "queens' squares",
        "king's square",
        "king's square, ending",
        "knights' mobility",
        "bishops' mobility",
        "rooks' mobility",
        "queens' mobility",
        "doubled pawns",
        "isolated pawns",
        "backward pawns",
        "supported pawns",
        "passed pawns, row 2 or 3",
        "passed pawns, row 4",
        "passed pawns, row 5",
        "passed pawns, row 6",
        "passed pawns, row 7",
        "king's lead to passed pawns",
        "rooks on open files",
        "rooks on half-open files",
        "knights on outposts",
        "pieces attacked by pawns",
        "king's shield",
        "open files at the king",
        "attacks at the other king",
        "to move",
    )

    squares: Weights

    def phase(self, state):
        """1 for each knight and bishop, 2 for a rook, 4 for a queen: 24 at the start."""
        minor = (state.knights | state.bishops).count()
        return min(minor + 2 * state.rooks.count() + 4 * state.queens.count(), self.PHASES)

    def counts(self, state, side):
        """What each term counts for a side.

        - bishop pair: whether there are two. squares: the sum of the table's numbers.
        - mobility: squares that a piece attacks, but for those of own pieces and those that a pawn attacks.
        - doubled: pawns with an own one before them. isolated: no own one on the files beside. backward: a pawn of the
          other side attacks the square before it, and no own one can come to support it. supported: by a pawn.
        - passed: no pawn of the other side before it or on the files beside. lead: how many moves sooner the own king
          is on the square before it.
        - open files: no pawns on it. half-open: none of one's own. outposts: supported by a pawn, and no pawn of the
          other side can ever attack it.
        - attacked by pawns: knights, bishops, rooks and queens of the other side that are.
        - shield: pawns one or two rows before the king. open files: of the king's and those beside, those without one
          of the own pawns.
        - attacks at the other king: pieces that attack its square or one next to it, times the squares that they do.
        """
        own = state.white if side == MAX else state.black
        other = state.black if side == MAX else state.white
        occupied = own | other
        flip = 56 if side == MAX else 0
        pawns = state.pawns & own
        enemies = state.pawns & other
        held = pawn_attacks(pawns, side)
        lost = pawn_attacks(enemies, -side)
        king = state.kings & own
        king_square = king.first()
        other_king = (state.kings & other).first()
        zone = king_attacks(other_king) | state.kings & other
        free = ~(own | lost)

        # pawns
        pawn_squares = 0
        for square in pawns:
            pawn_squares += self.squares[0, square ^ flip]
        before = ahead(filled(pawns, side), side)
        files = before | filled(pawns, -side)
        doubled = (pawns & before).count()
        alone = pawns & ~beside(files)
        span = filled(held, side)  # what a pawn can attack sooner or later
        weak = ahead(pawns, side) & lost & ~span
        backward = (weak & ~ahead(alone, side)).count()
        supported = (pawns & held).count()
        their_span = filled(lost, -side)
        stopped = their_span | ahead(filled(enemies, -side), -side)
        passed = pawns & ~stopped & ~ahead(filled(pawns, -side), -side)
        lead = 0
        for square in ahead(passed, side):
            lead += distance(square, other_king) - distance(square, king_square)

        # pieces
        attackers = 0
        attacked = 0
        knight_squares = 0
        knight_mobility = 0
        pieces = state.knights & own
        outposts = (pieces & held & ~their_span).count()
        for square in pieces:
            reached = knight_attacks(square)
            knight_squares += self.squares[1, square ^ flip]
            knight_mobility += (reached & free).count()
            if reached & zone:
                attackers += 1
                attacked += (reached & zone).count()
        bishop_squares = 0
        bishop_mobility = 0
        for square in state.bishops & own:
            reached = bishop_attacks(square, occupied)
            bishop_squares += self.squares[2, square ^ flip]
            bishop_mobility += (reached & free).count()
            if reached & zone:
                attackers += 1
                attacked += (reached & zone).count()
        rook_squares = 0
        rook_mobility = 0
        pieces = state.rooks & own
        open_rooks = pieces & ~files
        half_open = (open_rooks & (filled(enemies, side) | filled(enemies, -side))).count()
        for square in pieces:
            reached = rook_attacks(square, occupied)
            rook_squares += self.squares[3, square ^ flip]
            rook_mobility += (reached & free).count()
            if reached & zone:
                attackers += 1
                attacked += (reached & zone).count()
        queen_squares = 0
        queen_mobility = 0
        for square in state.queens & own:
            reached = bishop_attacks(square, occupied) | rook_attacks(square, occupied)
            queen_squares += self.squares[4, square ^ flip]
            queen_mobility += (reached & free).count()
            if reached & zone:
                attackers += 1
                attacked += (reached & zone).count()

        # the king
        near = king | beside(king)
        front = ahead(near, side)
        shield = (pawns & (front | ahead(front, side))).count()
        king_files = (near & RANK_1 << (king_square & 56)) & ~files

        bishops = (state.bishops & own).count()
        # Two tuples: of more than thirty Python makes a list first, and that does not compile.
        standing = (
            pawns.count(),
            (state.knights & own).count(),
            bishops,
            (state.rooks & own).count(),
            (state.queens & own).count(),
            1 if bishops >= 2 else 0,
            pawn_squares,
            knight_squares,
            bishop_squares,
            rook_squares,
            queen_squares,
            self.squares[5, king_square ^ flip],
            self.squares[6, king_square ^ flip],
            knight_mobility,
            bishop_mobility,
            rook_mobility,
            queen_mobility,
        )
        structure = (
            doubled,
            alone.count(),
            backward,
            supported,
            (passed & (row(1, side) | row(2, side))).count(),
            (passed & row(3, side)).count(),
            (passed & row(4, side)).count(),
            (passed & row(5, side)).count(),
            (passed & row(6, side)).count(),
            lead,
            open_rooks.count() - half_open,
            half_open,
            outposts,
            (held & other & ~(state.pawns | state.kings)).count(),
            shield,
            king_files.count(),
            attackers * attacked,
            1 if state.turn == side else 0,
        )
        return standing + structure


# The middle game's weight of each term and the ending's, in the order of `Positional.names`.
TERMS = (
    (90, 110),  # pawns
    (320, 290),
    (330, 310),
    (470, 520),
    (950, 950),
    (30, 45),  # bishop pair
    (1, 1),  # pawns' squares
    (1, 1),
    (1, 1),
    (1, 1),
    (1, 1),
    (1, 0),
    (0, 1),
    (4, 4),  # knights' mobility
    (5, 5),
    (2, 4),
    (1, 2),
    (-8, -18),  # doubled pawns
    (-12, -14),
    (-10, -8),
    (7, 5),
    (3, 12),  # passed pawns
    (8, 25),
    (22, 48),
    (50, 90),
    (85, 150),
    (0, 5),  # king's lead to passed pawns
    (28, 10),
    (14, 8),
    (20, 12),
    (35, 25),
    (9, 0),  # king's shield
    (-14, 0),
    (4, 1),
    (12, 6),
)

# What a square is worth beside the others, a8 to h1 as white sees the board. The left half; the right mirrors it. Our
# own numbers, after the ideas of Tomasz Michniewski's simplified evaluation (1995, Chess Programming Wiki): pawns on in
# the centre, knights and bishops off the rim, rooks on the seventh row, the king behind his pawns, in the ending out.
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
KING_SQUARES_ENDING = (
    (-46, -34, -24, -20),
    (-24, -10, 0, 4),
    (-14, 4, 16, 22),
    (-16, 6, 22, 30),
    (-18, 2, 20, 28),
    (-20, -2, 12, 18),
    (-28, -12, 0, 4),
    (-48, -32, -24, -22),
)
TABLES = (
    PAWN_SQUARES,
    KNIGHT_SQUARES,
    BISHOP_SQUARES,
    ROOK_SQUARES,
    QUEEN_SQUARES,
    KING_SQUARES,
    KING_SQUARES_ENDING,
)
POSITIONAL = Positional(
    tuple(zip(*TERMS, strict=True)), tuple(sum((line + line[::-1] for line in table), ()) for table in TABLES)
)

EVALUATIONS = {"positional": POSITIONAL, "material": Material()}


# ---- moves that look promising ----------------------------------------------------------------------------------


def is_noisy(state, move):
    """Captures and promotions to a queen that do not lose material on their square."""
    if move >> 12 == QUEEN or is_capture(state, move):
        return gains(state, move, 0)
    return False


def capture_hint(state, move):
    """How promising a move looks by what it takes: the most valuable victim by the least valuable piece first.

    Above 0 for captures and promotions that lose nothing on their square, below for those that do; 0 for all others.
    """
    promotion = move >> 12
    if promotion == 0 and not is_capture(state, move):
        return 0
    victim = Bitboard(1) << (move >> 6 & 63)
    value = 8 * promotion - kind_of(state, Bitboard(1) << (move & 63))
    if is_capture(state, move):
        value += 8 + 8 * (kind_of(state, victim) if victim & state.other() else 0)
    if 0 < promotion < QUEEN:
        return -32 + value
    return value if gains(state, move, 0) else value - 128
