"""Rules of chess and chess960."""

from __future__ import annotations

from collections.abc import Iterator

from zermelo.core.bitboard import Bitboard
from zermelo.core.endgame_slice import TableSlice
from zermelo.core.game import MAX, State, game, hash_combine
from zermelo.core.picture import Grid, Path, Piece, SetupOption
from zermelo.games.chess import notation
from zermelo.games.chess.attacks import (
    ANTIDIAGONAL,
    DIAGONAL,
    FILE,
    FILE_A,
    FILE_H,
    LIGHT_SQUARES,
    RANK,
    RANK_1,
    RANK_3,
    RANK_6,
    RANK_8,
    attacked_by_sliders,
    between,
    bishop_attacks,
    common_line,
    king_attacks,
    knight_attacks,
    knights_attacks,
    line_checks_and_pins,
    line_mask,
    pawn_attacks,
    queen_mask,
    rook_attacks,
)
from zermelo.games.chess.endgames import ALONE, FIRST, HOW, SAME_SIDE, SECOND, bit_if, index, squares, table_slices
from zermelo.games.chess.evaluations import EVALUATIONS, capture_score, capture_value, is_tactical
from zermelo.games.chess.exchanges import see_at_least
from zermelo.games.chess.picture import (
    PIECES,
    bits_of,
    move_path,
    picture,
    rights_left,
    setup_options,
    with_setup_options,
)

# The 75-move rule: the game ends after 150 plies without a capture or pawn move.
MAX_HALFMOVE_CLOCK = 150
# Promotion pieces, as in bits 12 .. 14 of a move.
KNIGHT, BISHOP, ROOK, QUEEN = 1, 2, 3, 4
# Distances that white pawns move: single step, double step, capture to the right, capture to the left.
PAWN_STEPS = (8, 16, 9, 7)


@game
class Chess(State):
    """Chess and chess960. MAX plays white and moves first.

    A game ends by checkmate, stalemate, a dead position (see `is_dead`) or the 75-move rule. Draws that a player has
    to claim, by the 50-move rule or threefold repetition, are declared as facts of the class; searches score them as
    draws.

    Notes
    -----
    Squares are bits: a1 is 0, b1 is 1, h8 is 63. A move is an integer:

        bits   0 ..  5   origin square
        bits   6 .. 11   target square; for castling the square of the own rook
        bits  12 .. 14   promotion: 1 knight, 2 bishop, 3 rook, 4 queen; otherwise 0

    References
    ----------
    FIDE Laws of Chess (2023), articles 1 to 5 and 9; Guidelines II (chess960).
    """

    pawns: Bitboard = Bitboard(0x00FF00000000FF00)
    knights: Bitboard = Bitboard(0x4200000000000042)
    bishops: Bitboard = Bitboard(0x2400000000000024)
    rooks: Bitboard = Bitboard(0x8100000000000081)
    queens: Bitboard = Bitboard(0x0800000000000008)
    kings: Bitboard = Bitboard(0x1000000000000010)
    white: Bitboard = Bitboard(0x000000000000FFFF)
    black: Bitboard = Bitboard(0xFFFF000000000000)
    #: Castling rights: the squares of the rooks that may still castle.
    castling_rights: Bitboard = Bitboard(0x8100000000000081)
    #: En passant square: the square passed by a double step, set only if an en passant capture is legal.
    en_passant: Bitboard = Bitboard(0)
    turn: int = MAX
    #: Plies since the last capture or pawn move.
    halfmove_clock: int = 0

    evaluations = EVALUATIONS
    selective_on_clock = True
    selective_evaluation = "network"
    cheap_move_scores = True
    largest_move = (4 << 12) + (63 << 6) + 63
    draw_at_reversible_plies = 100
    draw_at_repetition = 3
    game_over_at_repetition = 5
    shortest_cycle = 4
    table_men = 3
    perft_ignores_game_over = True

    def to_move(self) -> int:
        return self.turn

    def own(self) -> Bitboard:
        """Return the pieces of the side to move."""
        return self.white if self.turn == MAX else self.black

    def other(self) -> Bitboard:
        """Return the pieces of the side not to move."""
        return self.black if self.turn == MAX else self.white

    def checks_and_pins(self) -> tuple[Bitboard, Bitboard, Bitboard, Bitboard, Bitboard]:
        """Return the checkers, and the pinned own pieces by the line of their pin.

        Returns
        -------
        tuple of 5 Bitboards
            The enemy pieces that give check; the own pieces pinned on the king's rank, file, diagonal, antidiagonal.
        """
        own = self.own()
        other = self.other()
        occupied = own | other
        king = self.kings & own
        square = king.first()
        straight = (self.rooks | self.queens) & other
        diagonal = (self.bishops | self.queens) & other
        checks_rank, pins_rank = line_checks_and_pins(square, RANK, own, occupied, straight)
        checks_file, pins_file = line_checks_and_pins(square, FILE, own, occupied, straight)
        checks_diagonal, pins_diagonal = line_checks_and_pins(square, DIAGONAL, own, occupied, diagonal)
        checks_anti, pins_anti = line_checks_and_pins(square, ANTIDIAGONAL, own, occupied, diagonal)
        leapers = knight_attacks(square) & self.knights | pawn_attacks(king, self.turn) & self.pawns
        checkers = checks_rank | checks_file | checks_diagonal | checks_anti | leapers & other
        return checkers, pins_rank, pins_file, pins_diagonal, pins_anti

    def evasion_targets(self, checkers: Bitboard) -> Bitboard:
        """Return the squares to which pieces other than the king may move: all, or those that answer the check."""
        if not checkers:
            return ~self.own()
        if checkers.rest():
            return Bitboard(0)  # double check: only the king can move
        return between((self.kings & self.own()).first(), checkers.first()) | checkers

    def king_targets(self) -> Bitboard:
        """Return the squares to which the king can move, castling excluded."""
        own = self.own()
        other = self.other()
        king = self.kings & own
        targets = king_attacks(king.first()) & ~own
        if not targets:
            return targets
        targets &= ~(pawn_attacks(self.pawns & other, -self.turn) | knights_attacks(self.knights & other))
        targets &= ~king_attacks((self.kings & other).first())
        occupied = (own | other) ^ king
        straight = (self.rooks | self.queens) & other
        diagonal = (self.bishops | self.queens) & other
        left = targets
        while left:
            if attacked_by_sliders(left.first(), occupied, straight, diagonal):
                targets ^= left & -left
            left = left.rest()
        return targets

    def is_attacked(self, square: int, occupied: Bitboard) -> bool:
        """Return whether the side not to move attacks a square, given the occupied squares."""
        other = self.other()
        if knight_attacks(square) & self.knights & other or king_attacks(square) & self.kings & other:
            return True
        if pawn_attacks(Bitboard(1) << square, self.turn) & self.pawns & other:
            return True
        straight = (self.rooks | self.queens) & other
        return attacked_by_sliders(square, occupied, straight, (self.bishops | self.queens) & other)

    def castling_rooks(self) -> Bitboard:
        """Return the rooks with which the king can castle now, assuming that it is not in check."""
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
            path = rank_span(home, king_to)
            if (path | rank_span(rook.first(), rook_to)) & rest:
                continue
            safe = True
            while path and safe:
                safe = not self.is_attacked(path.first(), rest)
                path = path.rest()
            if safe:
                found |= rook
        return found

    def en_passant_capturers(self) -> Bitboard:
        """Return the pawns that can legally capture en passant."""
        own = self.own()
        other = self.other()
        found = Bitboard(0)
        if self.en_passant:
            left = pawn_attacks(self.en_passant, -self.turn) & self.pawns & own
            captured = backward(self.en_passant, self.turn)
            king = self.kings & own
            square = king.first()
            straight = (self.rooks | self.queens) & other
            diagonal = (self.bishops | self.queens) & other
            checkers = knight_attacks(square) & self.knights | pawn_attacks(king, self.turn) & self.pawns & ~captured
            while left and not checkers & other:
                capturer = left & -left
                left ^= capturer
                occupied = (own | other) ^ capturer ^ captured | self.en_passant
                if not attacked_by_sliders(square, occupied, straight, diagonal):
                    found |= capturer
        return found

    def pawn_targets(
        self, targets: Bitboard, pins_rank: Bitboard, pins_file: Bitboard, pins_diagonal: Bitboard, pins_anti: Bitboard
    ) -> tuple[Bitboard, Bitboard, Bitboard, Bitboard]:
        """Return the squares that pawns reach: single steps, double steps, captures to the right and to the left.

        Left and right are as seen by the side to move. `targets` are the allowed squares, the rest the pinned pieces.
        """
        own = self.own()
        other = self.other()
        empty = ~(own | other)
        pawns = self.pawns & own
        free = pawns & ~(pins_rank | pins_file | pins_diagonal | pins_anti)
        ahead = free | pawns & pins_file
        on_diagonal = free | pawns & pins_diagonal
        on_anti = free | pawns & pins_anti
        if self.turn == MAX:
            single = ahead << 8 & empty
            double = (single & RANK_3) << 8 & empty
            right = (on_diagonal & ~FILE_H) << 9
            left = (on_anti & ~FILE_A) << 7
        else:
            single = ahead >> 8 & empty
            double = (single & RANK_6) >> 8 & empty
            right = (on_diagonal & ~FILE_A) >> 9
            left = (on_anti & ~FILE_H) >> 7
        return single & targets, double & targets, right & other & targets, left & other & targets

    def moves(self) -> Iterator[int]:
        """Yield the legal moves: en passant, pawns, king, knights, diagonal sliders, straight sliders.

        All bitboards are computed before the first yield, which keeps the compiled generator's state small.
        """
        own = self.own()
        occupied = self.white | self.black
        king = (self.kings & own).first()
        checkers, pins_rank, pins_file, pins_diagonal, pins_anti = self.checks_and_pins()
        targets = self.evasion_targets(checkers)
        en_passant = self.en_passant.first()
        capturers = self.en_passant_capturers() if self.en_passant else Bitboard(0)
        pawn_targets = self.pawn_targets(targets, pins_rank, pins_file, pins_diagonal, pins_anti)
        king_targets = self.king_targets()
        if not checkers and self.castling_rights & own:
            king_targets |= self.castling_rooks()
        pinned = pins_rank | pins_file | pins_diagonal | pins_anti
        knights = self.knights & own & ~pinned
        diagonal = (self.bishops | self.queens) & own & ~(pins_rank | pins_file)
        straight = (self.rooks | self.queens) & own & ~(pins_diagonal | pins_anti)
        forward = self.turn
        if not targets:
            knights = diagonal = straight = Bitboard(0)
        while capturers:
            yield capturers.first() | en_passant << 6
            capturers = capturers.rest()
        kind = 0
        while kind < 4:
            left = pawn_targets[kind]
            step = PAWN_STEPS[kind] * forward
            kind += 1
            while left:
                to = left.first()
                left = left.rest()
                promotion = 0 if 8 <= to < 56 else QUEEN
                while promotion >= 0:
                    yield to - step | to << 6 | promotion << 12
                    promotion = promotion - 1 if promotion > 1 else -1
        while king_targets:
            yield king | king_targets.first() << 6
            king_targets = king_targets.rest()
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
                reached &= common_line(king, square)
            while reached:
                yield square | reached.first() << 6
                reached = reached.rest()
        while straight:
            square = straight.first()
            straight = straight.rest()
            reached = rook_attacks(square, occupied) & targets
            if square in pinned:
                reached &= common_line(king, square)
            while reached:
                yield square | reached.first() << 6
                reached = reached.rest()

    def tactical_moves(self) -> Iterator[int]:
        """Yield the captures and queen promotions, also those that lose material, in the order of `moves`.

        It does not share code with `moves`: a compiled generator that takes its moves from another one takes twice as
        long.
        """
        own = self.own()
        other = self.other()
        occupied = own | other
        king = (self.kings & own).first()
        checkers, pins_rank, pins_file, pins_diagonal, pins_anti = self.checks_and_pins()
        targets = self.evasion_targets(checkers)
        en_passant = self.en_passant.first()
        capturers = self.en_passant_capturers() if self.en_passant else Bitboard(0)
        pushes, _, right, left = self.pawn_targets(targets, pins_rank, pins_file, pins_diagonal, pins_anti)
        pawn_targets = (pushes & (RANK_1 | RANK_8), right, left)
        targets &= other
        king_targets = self.king_targets() if king_attacks(king) & other else Bitboard(0)
        king_targets &= other
        pinned = pins_rank | pins_file | pins_diagonal | pins_anti
        diagonal = (self.bishops | self.queens) & own & ~(pins_rank | pins_file)
        straight = (self.rooks | self.queens) & own & ~(pins_diagonal | pins_anti)
        knights = self.knights & own & ~pinned
        forward = self.turn
        if not targets:
            knights = diagonal = straight = Bitboard(0)
        while capturers:
            yield capturers.first() | en_passant << 6
            capturers = capturers.rest()
        kind = 0
        while kind < 3:
            reached = pawn_targets[kind]
            step = PAWN_STEPS[kind + 1 if kind > 0 else 0] * forward
            while reached:
                to = reached.first()
                reached = reached.rest()
                promotion = 0 if 8 <= to < 56 else QUEEN
                while promotion >= 0:
                    yield to - step | to << 6 | promotion << 12
                    promotion = promotion - 1 if promotion > 1 and kind > 0 else -1
            kind += 1
        while king_targets:
            yield king | king_targets.first() << 6
            king_targets = king_targets.rest()
        while knights | diagonal | straight:
            if knights:
                square = knights.first()
                knights = knights.rest()
                reached = knight_attacks(square) & targets
            elif diagonal:
                square = diagonal.first()
                diagonal = diagonal.rest()
                reached = bishop_attacks(square, occupied) & targets
            else:
                square = straight.first()
                straight = straight.rest()
                reached = rook_attacks(square, occupied) & targets
            if square in pinned:
                reached &= common_line(king, square)
            while reached:
                yield square | reached.first() << 6
                reached = reached.rest()

    def count_moves(self) -> int:
        own = self.own()
        occupied = self.white | self.black
        king = (self.kings & own).first()
        checkers, pins_rank, pins_file, pins_diagonal, pins_anti = self.checks_and_pins()
        targets = self.evasion_targets(checkers)
        count = self.king_targets().count()
        if not checkers and self.castling_rights & own:
            count += self.castling_rooks().count()
        if self.en_passant:
            count += self.en_passant_capturers().count()
        if targets:
            single, double, right, left = self.pawn_targets(targets, pins_rank, pins_file, pins_diagonal, pins_anti)
            count += single.count() + double.count() + right.count() + left.count()
            last_rank = RANK_1 | RANK_8
            if (single | right | left) & last_rank:  # a promotion is four moves
                count += 3 * ((single & last_rank).count() + (right & last_rank).count() + (left & last_rank).count())
            left = self.knights & own & ~(pins_rank | pins_file | pins_diagonal | pins_anti)
            while left:
                count += (knight_attacks(left.first()) & targets).count()
                left = left.rest()
            left = (self.bishops | self.queens) & own & ~(pins_rank | pins_file)
            while left:
                square = left.first()
                reached = bishop_attacks(square, occupied) & targets
                if square in pins_diagonal:
                    reached &= line_mask(king, DIAGONAL)
                if square in pins_anti:
                    reached &= line_mask(king, ANTIDIAGONAL)
                left = left.rest()
                count += reached.count()
            left = (self.rooks | self.queens) & own & ~(pins_diagonal | pins_anti)
            while left:
                square = left.first()
                reached = rook_attacks(square, occupied) & targets
                if square in pins_rank:
                    reached &= line_mask(king, RANK)
                if square in pins_file:
                    reached &= line_mask(king, FILE)
                left = left.rest()
                count += reached.count()
        return count

    def play(self, move: int) -> Chess:
        start = move & 63
        end = move >> 6 & 63
        piece = Bitboard(1) << start
        target = Bitboard(1) << end
        own = self.own()
        other = self.other()
        if target & own:
            return self.after_castling(piece, target)
        pawn = piece & self.pawns
        if pawn and (move >= 1 << 12 or target & self.en_passant):
            return self.after_promotion_or_en_passant(piece, target, move >> 12)
        pawns = after_move(self.pawns, piece, target)
        knights = after_move(self.knights, piece, target)
        bishops = after_move(self.bishops, piece, target)
        rooks = after_move(self.rooks, piece, target)
        queens = after_move(self.queens, piece, target)
        kings = after_move(self.kings, piece, target)
        own = own ^ piece | target
        castling = self.castling_rights & ~(piece | target)
        if piece & self.kings:
            castling &= ~own
        clock = 0 if pawn or target & other else self.halfmove_clock + 1
        other &= ~target
        white = own if self.turn == MAX else other
        black = other if self.turn == MAX else own
        en_passant = Bitboard(0)
        if pawn and (end - start == 16 or start - end == 16):
            neighbours = (target & ~FILE_H) << 1 | (target & ~FILE_A) >> 1
            if neighbours & pawns & other:
                en_passant = backward(target, self.turn)
                child = Chess(
                    pawns, knights, bishops, rooks, queens, kings, white, black, castling, en_passant, -self.turn, clock
                )
                if not child.en_passant_capturers():
                    en_passant = Bitboard(0)
        return Chess(
            pawns, knights, bishops, rooks, queens, kings, white, black, castling, en_passant, -self.turn, clock
        )

    def after_promotion_or_en_passant(self, pawn: Bitboard, target: Bitboard, promotion: int) -> Chess:
        """Return the state after a promotion, or after an en passant capture if `promotion` is 0."""
        own = self.own() ^ pawn | target
        captured = target if promotion else backward(target, self.turn)
        other = self.other() & ~captured
        pawns = self.pawns & ~(pawn | captured)
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

    def after_castling(self, king: Bitboard, rook: Bitboard) -> Chess:
        """Return the state after castling with a rook."""
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

    def in_check(self) -> bool:
        """Return whether the side to move is in check."""
        return self.is_attacked((self.kings & self.own()).first(), self.white | self.black)

    def can_move(self) -> bool:
        """Return whether the side to move has a legal move."""
        if not self.in_check():
            own = self.own()
            occupied = self.white | self.black
            # Fast path: pieces on no line with the king are not pinned; often one of them can move.
            loose = own & ~queen_mask((self.kings & own).first())
            if loose & self.pawns & backward(~occupied, self.turn):
                return True
            if knights_attacks(loose & self.knights) & ~own:
                return True
        return bool(self.king_targets()) or self.count_moves() > 0

    def is_dead(self) -> bool:
        """Return whether neither side can checkmate by any sequence of moves, judged by material alone.

        True without pawns, rooks and queens if there is at most one knight or bishop, or if there are only bishops, all
        on squares of one colour. Blocked positions are not detected.
        """
        if self.pawns | self.rooks | self.queens:
            return False
        if not (self.knights | self.bishops).rest():
            return True
        return not self.knights and (not self.bishops & LIGHT_SQUARES or not self.bishops & ~LIGHT_SQUARES)

    def is_over(self) -> bool:
        return self.halfmove_clock >= MAX_HALFMOVE_CLOCK or self.is_dead() or not self.can_move()

    def utility(self) -> int:
        return -self.turn if self.in_check() and not self.can_move() else 0

    def repetition_key(self) -> Bitboard:
        """Return a key of all fields except the halfmove clock."""
        # Two chains, which the processor works on at once. They begin with pawns, which never stand on h8, and with
        # kings, of which always two squares change.
        first = hash_combine(hash_combine(hash_combine(self.pawns, self.bishops), self.queens), self.white)
        second = hash_combine(
            hash_combine(hash_combine(self.kings, self.rooks), self.knights), self.castling_rights | self.en_passant
        )
        return hash_combine(hash_combine(first, second), self.turn)

    def key(self) -> Bitboard:
        return hash_combine(self.repetition_key(), self.halfmove_clock)

    def reversible_plies(self) -> int:
        return self.halfmove_clock

    def is_tactical(self, move: int) -> bool:
        """Return whether a move is a capture or a queen promotion that loses no material (SEE of 0 or more)."""
        return is_tactical(self, move)

    def capture_value(self, move: int) -> int:
        """Return what a move captures or promotes to, in centipawns; captures by cheaper pieces are worth more."""
        return capture_value(self, move)

    def may_pass(self) -> bool:
        """Return whether the side to move has a piece beside king and pawns; else zugzwang is frequent."""
        return bool(self.own() & ~(self.pawns | self.kings))

    def pass_turn(self) -> Chess:
        return Chess(
            self.pawns, self.knights, self.bishops, self.rooks, self.queens, self.kings, self.white, self.black,
            self.castling_rights, Bitboard(0), -self.turn, 0,
        )  # fmt: skip

    def correction_key(self) -> Bitboard:
        """Return a key of the pawn structure."""
        return hash_combine(self.pawns & self.white, self.pawns)

    def exchange(self, move: int, threshold: int) -> bool:
        """Return whether the static exchange evaluation of a move is at least `threshold` centipawns."""
        return see_at_least(self, move, threshold)

    def move_score(self, move: int) -> int:
        """Score a move for ordering: good captures by MVV-LVA first, losing captures last, 0 for other moves."""
        return capture_score(self, move)

    def men(self) -> int:
        return (self.white | self.black).count()

    def index(self) -> int:  # type: ignore[override]
        return index(self)

    def unindex(self, index: int) -> Chess:
        place, side, king, other_king, one, two, passed = squares(index)
        if place < 0:
            return empty_board()
        how, first, second = HOW[place], FIRST[place], SECOND[place]
        if how == ALONE:
            second = -1
        white = bit_if(king, True) | bit_if(one, True) | bit_if(two, how == SAME_SIDE)
        black = bit_if(other_king, True) | bit_if(two, how != SAME_SIDE and how != ALONE)
        turn = MAX if side == 0 else -MAX
        pawns = bit_if(one, first == 0) | bit_if(two, second == 0)
        knights = bit_if(one, first == 1) | bit_if(two, second == 1)
        bishops = bit_if(one, first == 2) | bit_if(two, second == 2)
        rooks = bit_if(one, first == 3) | bit_if(two, second == 3)
        queens = bit_if(one, first == 4) | bit_if(two, second == 4)
        kings = bit_if(king, True) | bit_if(other_king, True)
        en_passant = bit_if(passed, passed < 64)
        before = Chess(pawns, knights, bishops, rooks, queens, kings, white, black, Bitboard(0), Bitboard(0), -turn, 0)
        if before.in_check():  # the king could be captured
            return empty_board()
        found = Chess(pawns, knights, bishops, rooks, queens, kings, white, black, Bitboard(0), en_passant, turn, 0)
        if en_passant and not found.en_passant_capturers():
            return empty_board()
        return found

    @classmethod
    def table_slices(cls, men: int) -> tuple[TableSlice, ...]:
        return table_slices(men)

    # ---- text ---------------------------------------------------------------------------------------------

    @classmethod
    def parse(cls, text: str) -> Chess:
        """Parse a FEN, the first four fields of one (as in EPD), or moves from the initial position.

        Parameters
        ----------
        text : str
            A FEN, or moves such as `e4 e5 Nf3`. An empty text or `start` is the initial position.

        Raises
        ------
        PositionError
            With the field that is wrong and what was expected.
        """
        state = notation.parse_position(cls, text, MAX_HALFMOVE_CLOCK)
        if state.en_passant and not state.en_passant_capturers():
            values = list(state)
            values[[field.name for field in cls.fields].index("en_passant")] = Bitboard(0)
            state = cls(*values)
        return state

    def __str__(self) -> str:
        return notation.fen(self)

    def board(self) -> str:
        """Draw the board from white's side with figurines."""
        return notation.draw(self)

    def picture(self) -> Grid:
        return picture(self)

    @classmethod
    def setup_pieces(cls) -> tuple[Piece, ...]:
        return PIECES

    def set_up(self, pieces: tuple[Piece, ...], side: int) -> Chess:
        placed = bits_of(pieces)
        return self.replace(
            **placed,
            castling_rights=rights_left(self.castling_rights, placed),
            en_passant=Bitboard(0),
            turn=side,
            halfmove_clock=0,
        )

    def setup_options(self) -> tuple[SetupOption, ...]:
        """Return the castling rights and en passant squares that the pieces allow."""
        return setup_options(self)

    def with_setup_options(self, names: tuple[str, ...]) -> Chess:
        made: Chess = with_setup_options(self, names)
        return made

    def move_path(self, move: int) -> Path:
        return move_path(self, move)

    def player_name(self, player: int) -> str:
        return notation.NAMES.get(player, "chance")

    def can_win(self, player: int) -> bool:
        """Return whether a side can checkmate by any sequence of moves, judged by material alone.

        A lone king cannot. Minor pieces can only where pieces of the other side may block the king's escape: one
        knight, unless there are only queens, and bishops, unless those of both sides are on squares of one colour and
        there are no knights or pawns. Blocked positions are not detected.
        """
        own = self.white if player == MAX else self.black
        other = self.white ^ self.black ^ own
        if own & (self.pawns | self.rooks | self.queens):
            return True
        if own & self.knights:
            return own.count() > 2 or bool(other & ~(self.kings | self.queens))
        if not own & self.bishops:
            return False
        bishops_differ = bool(self.bishops & LIGHT_SQUARES and self.bishops & ~LIGHT_SQUARES)
        return bishops_differ or bool(self.pawns | self.knights)

    def termination(self) -> str:
        if not self.can_move():
            return "checkmate" if self.in_check() else "stalemate"
        return "dead position" if self.is_dead() else "75-move rule"

    def move_name(self, move: int) -> str:
        """Return the move in SAN."""
        return notation.san(self, move)

    def parse_move(self, text: str) -> int:
        """Parse a legal move in SAN, long algebraic or UCI notation. Raises `IllegalMove`."""
        return notation.parse_move(self, text)


def empty_board() -> Chess:
    """Return a board without pieces: no position of chess."""
    none = Bitboard(0)
    return Chess(none, none, none, none, none, none, none, none, none, none, MAX, 0)


def after_move(pieces: Bitboard, piece: Bitboard, target: Bitboard) -> Bitboard:
    """Return the pieces of one kind after a piece, of this kind or another, has moved to a square."""
    stay = pieces & ~(piece | target)
    return stay | target if pieces & piece else stay


def backward(squares: Bitboard, forward: int) -> Bitboard:
    """Return the squares moved one rank back, as seen by the side that moves `forward` (1 for white, -1 for black)."""
    return squares >> 8 if forward > 0 else squares << 8


def rank_span(square: int, other: int) -> Bitboard:
    """Return all squares from one square to another on the same rank, both included."""
    return (Bitboard(2) << max(square, other)) - (Bitboard(1) << min(square, other))
