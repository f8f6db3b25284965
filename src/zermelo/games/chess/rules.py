"""Chess: the rules. How its texts are read and written stands in `notation`."""

from __future__ import annotations

from zermelo.core.bitboard import Bitboard
from zermelo.core.game import MAX, State, game, hash_combine
from zermelo.core.picture import Grid
from zermelo.games.chess import notation
from zermelo.games.chess.attacks import (
    FALL,
    FILE,
    FILE_A,
    FILE_H,
    LIGHT,
    RANK,
    RANK_1,
    RANK_3,
    RANK_6,
    RANK_8,
    RISE,
    between,
    bishop_attacks,
    checks_along,
    is_slid_upon,
    king_attacks,
    knight_attacks,
    knights_attacks,
    line_of,
    line_through,
    lines_through,
    pawn_attacks,
    rook_attacks,
)
from zermelo.games.chess.evaluations import EVALUATIONS, capture_hint, is_noisy
from zermelo.games.chess.picture import picture

# Plies without a capture or a pawn's move after which the game is over (75 moves each).
DRAWN = 150
# What a pawn becomes, as bits 12 .. 14 of a move say.
KNIGHT, BISHOP, ROOK, QUEEN = 1, 2, 3, 4


@game
class Chess(State):
    """Chess, and chess960. MAX plays white and moves first.

    Squares are bits, a1 is 0, b1 is 1, h8 is 63. A move:

        bits   0 ..  5   the square that it starts from
        bits   6 .. 11   the square that it ends on; for castling that of the own rook
        bits  12 .. 14   what a pawn becomes: 1 knight, 2 bishop, 3 rook, 4 queen; otherwise 0

    The game ends where no move is legal (checkmate or stalemate), where no play could mate any more (`is_dead`), and
    after 75 moves of each side without a capture or a pawn's move. Draws that a player has to claim, after 50 such
    moves or where a position comes up for the third time, are facts of the class: the searches take them as draws.
    """

    pawns: Bitboard = Bitboard(0x00FF00000000FF00)
    knights: Bitboard = Bitboard(0x4200000000000042)
    bishops: Bitboard = Bitboard(0x2400000000000024)
    rooks: Bitboard = Bitboard(0x8100000000000081)
    queens: Bitboard = Bitboard(0x0800000000000008)
    kings: Bitboard = Bitboard(0x1000000000000010)
    white: Bitboard = Bitboard(0x000000000000FFFF)
    black: Bitboard = Bitboard(0xFFFF000000000000)
    #: The squares of the rooks that may still castle.
    castling_rights: Bitboard = Bitboard(0x8100000000000081)
    #: The square that a pawn has just passed over, where a pawn can legally take it there; otherwise empty.
    en_passant: Bitboard = Bitboard(0)
    turn: int = MAX
    #: Plies since the last capture or pawn's move.
    halfmove_clock: int = 0

    evaluations = EVALUATIONS
    cheap_move_scores = True
    draw_at_reversible_plies = 100
    draw_at_repetition = 3
    game_over_at_repetition = 5
    shortest_cycle = 4
    perft_ignores_game_over = True

    def to_move(self):
        return self.turn

    def own(self):
        """The pieces of the side to move."""
        return self.white if self.turn == MAX else self.black

    def other(self):
        """The pieces of the side not to move."""
        return self.black if self.turn == MAX else self.white

    def pressure(self):
        """The pieces that check the own king, and the own pieces that are pinned on its rank, file and diagonals."""
        own = self.own()
        other = self.other()
        occupied = own | other
        king = self.kings & own
        square = king.first()
        straight = (self.rooks | self.queens) & other
        diagonal = (self.bishops | self.queens) & other
        checks_rank, rank = checks_along(square, RANK, own, occupied, straight)
        checks_file, file = checks_along(square, FILE, own, occupied, straight)
        checks_rise, rise = checks_along(square, RISE, own, occupied, diagonal)
        checks_fall, fall = checks_along(square, FALL, own, occupied, diagonal)
        leapers = knight_attacks(square) & self.knights | pawn_attacks(king, self.turn) & self.pawns
        checks = checks_rank | checks_file | checks_rise | checks_fall | leapers & other
        return checks, rank, file, rise, fall

    def targets(self, checks):
        """The squares where a piece other than the king may go, as far as the checks are concerned."""
        if not checks:
            return ~self.own()
        if checks.rest():
            return Bitboard(0)
        return between((self.kings & self.own()).first(), checks.first()) | checks

    def king_steps(self):
        """The squares to which the king can step."""
        own = self.own()
        other = self.other()
        king = self.kings & own
        steps = king_attacks(king.first()) & ~own
        if not steps:
            return steps
        steps &= ~(pawn_attacks(self.pawns & other, -self.turn) | knights_attacks(self.knights & other))
        steps &= ~king_attacks((self.kings & other).first())
        occupied = (own | other) ^ king
        straight = (self.rooks | self.queens) & other
        diagonal = (self.bishops | self.queens) & other
        left = steps
        while left:
            if is_slid_upon(left.first(), occupied, straight, diagonal):
                steps ^= left & -left
            left = left.rest()
        return steps

    def is_attacked(self, square, occupied):
        """Whether the side not to move attacks a square, with the board occupied as given."""
        other = self.other()
        if knight_attacks(square) & self.knights & other or king_attacks(square) & self.kings & other:
            return True
        if pawn_attacks(Bitboard(1) << square, self.turn) & self.pawns & other:
            return True
        return is_slid_upon(square, occupied, (self.rooks | self.queens) & other, (self.bishops | self.queens) & other)

    def castlers(self):
        """The rooks with which the king, not in check, can castle."""
        own = self.own()
        king = self.kings & own
        home = king.first()
        rank = home & 56
        found = Bitboard(0)
        left = self.castling_rights & own
        while left:
            rook = left & -left
            left ^= rook
            king_to = rank + (6 if rook > king else 2)
            rook_to = rank + (5 if rook > king else 3)
            rest = (self.white | self.black) ^ king ^ rook
            way = span(home, king_to)
            if (way | span(rook.first(), rook_to)) & rest:
                continue
            safe = True
            while way and safe:
                safe = not self.is_attacked(way.first(), rest)
                way = way.rest()
            if safe:
                found |= rook
        return found

    def takers(self):
        """The pawns that can take the pawn that has just passed them."""
        own = self.own()
        other = self.other()
        found = Bitboard(0)
        if self.en_passant:
            left = pawn_attacks(self.en_passant, -self.turn) & self.pawns & own
            victim = behind(self.en_passant, self.turn)
            king = self.kings & own
            square = king.first()
            straight = (self.rooks | self.queens) & other
            diagonal = (self.bishops | self.queens) & other
            checks = knight_attacks(square) & self.knights | pawn_attacks(king, self.turn) & self.pawns & ~victim
            while left and not checks & other:
                taker = left & -left
                left ^= taker
                if not is_slid_upon(square, (own | other) ^ taker ^ victim | self.en_passant, straight, diagonal):
                    found |= taker
        return found

    def pawn_targets(self, targets, rank, file, rise, fall):
        """Where the own pawns, pinned as given, go: a step, two steps, taking along a rise, taking along a fall."""
        own = self.own()
        other = self.other()
        empty = ~(own | other)
        pawns = self.pawns & own
        free = pawns & ~(rank | file | rise | fall)
        ahead = free | pawns & file
        rising = free | pawns & rise
        falling = free | pawns & fall
        if self.turn == MAX:
            steps = ahead << 8 & empty
            twos = (steps & RANK_3) << 8 & empty
            rises = (rising & ~FILE_H) << 9
            falls = (falling & ~FILE_A) << 7
        else:
            steps = ahead >> 8 & empty
            twos = (steps & RANK_6) >> 8 & empty
            rises = (rising & ~FILE_A) >> 9
            falls = (falling & ~FILE_H) >> 7
        return steps & targets, twos & targets, rises & other & targets, falls & other & targets

    def moves(self):
        """Pawns, king, knights, along diagonals, along ranks and files.

        All that the moves depend on is gathered before the first one: less to keep from one to the next.
        """
        own = self.own()
        occupied = self.white | self.black
        king = (self.kings & own).first()
        checks, rank, file, rise, fall = self.pressure()
        targets = self.targets(checks)
        passed = self.en_passant.first()
        takers = self.takers() if self.en_passant else Bitboard(0)
        pawn_targets = self.pawn_targets(targets, rank, file, rise, fall)
        royal = self.king_steps()
        if not checks and self.castling_rights & own:
            royal |= self.castlers()
        pinned = rank | file | rise | fall
        knights = self.knights & own & ~pinned
        diagonal = (self.bishops | self.queens) & own & ~(rank | file)
        straight = (self.rooks | self.queens) & own & ~(rise | fall)
        forward = self.turn
        if not targets:
            knights = diagonal = straight = Bitboard(0)
        while takers:
            yield takers.first() | passed << 6
            takers = takers.rest()
        way = 0
        while way < 4:
            left = pawn_targets[way]
            step = PAWN_STEPS[way] * forward
            way += 1
            while left:
                to = left.first()
                left = left.rest()
                becomes = 0 if 8 <= to < 56 else QUEEN
                while becomes >= 0:
                    yield to - step | to << 6 | becomes << 12
                    becomes = becomes - 1 if becomes > 1 else -1
        while royal:
            yield king | royal.first() << 6
            royal = royal.rest()
        while knights:
            square = knights.first()
            knights = knights.rest()
            reached = knight_attacks(square) & targets
            while reached:
                yield square | reached.first() << 6
                reached = reached.rest()
        while diagonal:
            square = diagonal.first()
            diagonal = diagonal.rest()
            reached = bishop_attacks(square, occupied) & targets
            if square in pinned:
                reached &= line_of(king, square)
            while reached:
                yield square | reached.first() << 6
                reached = reached.rest()
        while straight:
            square = straight.first()
            straight = straight.rest()
            reached = rook_attacks(square, occupied) & targets
            if square in pinned:
                reached &= line_of(king, square)
            while reached:
                yield square | reached.first() << 6
                reached = reached.rest()

    def count_moves(self):
        own = self.own()
        occupied = self.white | self.black
        king = (self.kings & own).first()
        checks, rank, file, rise, fall = self.pressure()
        targets = self.targets(checks)
        count = self.king_steps().count()
        if not checks and self.castling_rights & own:
            count += self.castlers().count()
        if self.en_passant:
            count += self.takers().count()
        if targets:
            steps, twos, rises, falls = self.pawn_targets(targets, rank, file, rise, fall)
            count += steps.count() + twos.count() + rises.count() + falls.count()
            ends = RANK_1 | RANK_8
            if (steps | rises | falls) & ends:
                count += 3 * ((steps & ends).count() + (rises & ends).count() + (falls & ends).count())
            left = self.knights & own & ~(rank | file | rise | fall)
            while left:
                count += (knight_attacks(left.first()) & targets).count()
                left = left.rest()
            left = (self.bishops | self.queens) & own & ~(rank | file)
            while left:
                square = left.first()
                reached = bishop_attacks(square, occupied) & targets
                if square in rise:
                    reached &= line_through(king, RISE)
                if square in fall:
                    reached &= line_through(king, FALL)
                left = left.rest()
                count += reached.count()
            left = (self.rooks | self.queens) & own & ~(rise | fall)
            while left:
                square = left.first()
                reached = rook_attacks(square, occupied) & targets
                if square in rank:
                    reached &= line_through(king, RANK)
                if square in file:
                    reached &= line_through(king, FILE)
                left = left.rest()
                count += reached.count()
        return count

    def play(self, move):
        start = move & 63
        end = move >> 6 & 63
        piece = Bitboard(1) << start
        target = Bitboard(1) << end
        own = self.own()
        other = self.other()
        if target & own:
            return self.castled(piece, target)
        pawn = piece & self.pawns
        if pawn and (move >= 1 << 12 or target & self.en_passant):
            return self.transformed(piece, target, move >> 12)
        pawns = moved(self.pawns, piece, target)
        knights = moved(self.knights, piece, target)
        bishops = moved(self.bishops, piece, target)
        rooks = moved(self.rooks, piece, target)
        queens = moved(self.queens, piece, target)
        kings = moved(self.kings, piece, target)
        own = own ^ piece | target
        castling = self.castling_rights & ~(piece | target)
        if piece & self.kings:
            castling &= ~own
        quiet = 0 if pawn or target & other else self.halfmove_clock + 1
        other &= ~target
        white = own if self.turn == MAX else other
        black = other if self.turn == MAX else own
        passed = Bitboard(0)
        if pawn and (end - start == 16 or start - end == 16):
            beside = (target & ~FILE_H) << 1 | (target & ~FILE_A) >> 1
            if beside & pawns & other:
                passed = behind(target, self.turn)
                child = Chess(
                    pawns, knights, bishops, rooks, queens, kings, white, black, castling, passed, -self.turn, quiet
                )
                if not child.takers():
                    passed = Bitboard(0)
        return Chess(pawns, knights, bishops, rooks, queens, kings, white, black, castling, passed, -self.turn, quiet)

    def transformed(self, pawn, target, promotion):
        """The state after a pawn has been promoted, or has taken one that had passed it."""
        own = self.own() ^ pawn | target
        taken = target if promotion else behind(target, self.turn)
        other = self.other() & ~taken
        pawns = self.pawns & ~(pawn | taken)
        knights = self.knights & ~target
        bishops = self.bishops & ~target
        rooks = self.rooks & ~target
        queens = self.queens & ~target
        if promotion == QUEEN:
            queens |= target
        elif promotion == ROOK:
            rooks |= target
        elif promotion == BISHOP:
            bishops |= target
        elif promotion == KNIGHT:
            knights |= target
        else:
            pawns |= target
        white = own if self.turn == MAX else other
        black = other if self.turn == MAX else own
        return Chess(
            pawns, knights, bishops, rooks, queens, self.kings, white, black,
            self.castling_rights & ~target, Bitboard(0), -self.turn, 0,
        )  # fmt: skip

    def castled(self, king, rook):
        """The state after the king has castled with a rook."""
        own = self.own()
        rank = king.first() & 56
        king_to = Bitboard(1) << rank + (6 if rook > king else 2)
        rook_to = Bitboard(1) << rank + (5 if rook > king else 3)
        kings = self.kings ^ king | king_to
        rooks = self.rooks ^ rook | rook_to
        own_after = own ^ king ^ rook | king_to | rook_to
        white = own_after if self.turn == MAX else self.white
        black = self.black if self.turn == MAX else own_after
        return Chess(
            self.pawns, self.knights, self.bishops, rooks, self.queens, kings, white, black,
            self.castling_rights & ~own, Bitboard(0), -self.turn, self.halfmove_clock + 1,
        )  # fmt: skip

    def in_check(self):
        """Whether the side to move is in check."""
        return self.is_attacked((self.kings & self.own()).first(), self.white | self.black)

    def can_move(self):
        """Whether the side to move has a legal move."""
        if not self.in_check():
            own = self.own()
            occupied = self.white | self.black
            # What stands on no line with the king is not pinned: a pawn that can step, or a knight, mostly is enough.
            loose = own & ~lines_through((self.kings & own).first())
            if loose & self.pawns & behind(~occupied, self.turn):
                return True
            if knights_attacks(loose & self.knights) & ~own:
                return True
        return self.count_moves() > 0

    def is_dead(self):
        """Whether no play could lead to mate, as far as the pieces alone tell.

        No pawns, rooks or queens, and either at most one knight or bishop, or only bishops, all on squares of one
        colour.
        """
        if self.pawns | self.rooks | self.queens:
            return False
        if not (self.knights | self.bishops).rest():
            return True
        return not self.knights and (not self.bishops & LIGHT or not self.bishops & ~LIGHT)

    def is_over(self):
        return self.halfmove_clock >= DRAWN or self.is_dead() or not self.can_move()

    def utility(self):
        return -self.turn if self.in_check() and not self.can_move() else 0

    def repetition_key(self):
        """All but `halfmove_clock`."""
        first = hash_combine(hash_combine(hash_combine(self.pawns, self.bishops), self.queens), self.white)
        second = hash_combine(
            hash_combine(hash_combine(self.knights, self.rooks), self.kings), self.castling_rights | self.en_passant
        )
        return hash_combine(hash_combine(first, second), self.turn)

    def key(self):
        return hash_combine(self.repetition_key(), self.halfmove_clock)

    def reversible_plies(self):
        return self.halfmove_clock

    def is_tactical(self, move):
        """Captures and promotions to a queen that lose nothing on their square."""
        return is_noisy(self, move)

    def move_score(self, move):
        """Sound captures first, the most valuable victim by the least valuable piece; unsound ones last."""
        return capture_hint(self, move)

    # ---- text ---------------------------------------------------------------------------------------------

    @classmethod
    def parse(cls, text: str) -> Chess:
        """A position in FEN, the four fields of an EPD, or the moves from the start, `e4 e5 Nf3`.

        An empty text or `start` is the initial position. Raises `PositionError` for what is no position: the field,
        what is wrong in it, what was expected.
        """
        state = notation.parse(cls, text, DRAWN)
        if state.en_passant and not state.takers():
            values = list(state)
            values[[field.name for field in cls.fields].index("en_passant")] = Bitboard(0)
            state = cls(*values)
        return state

    def __str__(self) -> str:
        return notation.write(self)

    def board(self) -> str:
        """The board from white's side, with figures."""
        return notation.draw(self)

    def picture(self) -> Grid:
        return picture(self)

    def player_name(self, player: int) -> str:
        return notation.NAMES.get(player, "chance")

    def termination(self) -> str:
        if not self.can_move():
            return "checkmate" if self.in_check() else "stalemate"
        return "a dead position" if self.is_dead() else "75 moves without a capture or a pawn's move"

    def move_name(self, move: int) -> str:
        """The move in SAN."""
        return notation.name(self, move)

    def parse_move(self, text: str) -> int:
        """The legal move that a text names, in SAN, long or UCI text."""
        return notation.read_move(self, text)


# By how many squares white's pawns go: a step, two, taking along a rise and along a fall.
PAWN_STEPS = (8, 16, 9, 7)


def moved(pieces, piece, target):
    """The pieces of one kind after a piece, of this kind or another, has gone to a square."""
    stay = pieces & ~(piece | target)
    return stay | target if pieces & piece else stay


def behind(squares, forward):
    """The squares one row back, seen by the side that goes `forward` (1 for white, -1 for black)."""
    return squares >> 8 if forward > 0 else squares << 8


def span(square, other):
    """All squares from one to another of a rank, both included."""
    return (Bitboard(2) << max(square, other)) - (Bitboard(1) << min(square, other))
