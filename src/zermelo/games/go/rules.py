"""Rules of Go by area scoring: captures, ko, passes, and the score.

A board has `ROW` bits for each row; the last bit of a row is always empty, so that no point has a neighbour in the next
row. A point is row * ROW + column. Row 0 is the lowest, and the board lies in the lower left corner. `Go` holds boards
up to 9 x 9 in 90 bits, `Go19` boards up to 19 x 19 in 380 bits:

    80  81 ... 88  (89)          360 361 ... 378 (379)
    ...                          ...
    10  11 ... 18  (19)           20  21 ...  38  (39)
     0   1 ...  8   (9)            0   1 ...  18  (19)

No groups and liberties are stored: a move looks only at the chains of stones that it touches, and a chain that has
a liberty beside a touched stone is not followed at all. Most moves follow none.

References
----------
- J. Tromp and W. Taylor, "The game of Go", https://tromp.github.io/go.html: the rules.
- E. van der Werf, "AI techniques for the game of Go", Maastricht 2004: ko rules, solved boards.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Self

from zermelo.core.bitboard import Bitboard
from zermelo.core.game import MAX, MIN, State, game, hash_combine
from zermelo.core.hooks import interpreted
from zermelo.core.picture import Grid, Path, Piece
from zermelo.core.random_numbers import nth_square, random_below
from zermelo.errors import PositionError
from zermelo.games import grid
from zermelo.games.go import notation
from zermelo.games.go.notation import KO_RULES, MOST_KOMI, POSITIONAL, SIMPLE, SITUATIONAL
from zermelo.games.go.patterns import ABOVE, BELOW, LEFT, RIGHT, is_shape

if TYPE_CHECKING:
    Board9 = Bitboard
    Board19 = Bitboard
else:
    Board9 = Bitboard[90]
    Board19 = Bitboard[380]

#: The move-ordering score of a pass that ends the game with a win; all others are lower.
WINNING_PASS = 100
#: No point: there is no ko, or the last move was a pass.
NO_POINT = -1
# Constants of D. Knuth's linear congruential generator MMIX: the next random number of one playout move.
SPREAD = Bitboard(6364136223846793005)
INCREMENT = Bitboard(1442695040888963407)


def edges(row: int, largest: int, kind: type[Bitboard]) -> tuple[Bitboard, ...]:
    """Return the points at the edge of the board of each size."""
    return tuple(
        kind(
            sum(
                1 << row * line + column
                for line in range(size)
                for column in range(size)
                if {line, column} & {0, size - 1}
            )
        )
        for size in range(largest + 1)
    )


@game
class Go(State):
    """Go on 9 x 9, or a smaller board. MAX plays black (X in text) and moves first.

    A move is its point, or `PASS`. `ko` is the point where the side to move may not retake, `last` the last move, both
    -1 if there is none. `komi` and the utility are in half points.
    """

    ROW = 10
    LARGEST = 9
    PASS = ROW * LARGEST
    WORDS = 2
    ONE = Board9(1)
    BOARDS = grid.square_boards(ROW, LARGEST, Board9)
    EDGES = edges(ROW, LARGEST, Board9)

    black: Board9 = Board9(0)
    white: Board9 = Board9(0)
    turn: int = MAX
    ko: int = NO_POINT
    last: int = NO_POINT
    passes: int = 0
    size: int = 9
    komi: int = 14
    rule: int = POSITIONAL

    counts_wins_only = True
    moves_in_any_order = PASS
    max_utility = 2 * 81 + 2 * MOST_KOMI + 1  # one more than any result, for moves that superko forbids

    # ---- sets of points ----

    def board_points(self) -> Bitboard:
        """Return all points of the board."""
        return self.BOARDS[self.size]

    def neighbours(self, points: Bitboard) -> Bitboard:
        """Return the points next to any of the points; some lie outside the board."""
        return points << 1 | points >> 1 | points << self.ROW | points >> self.ROW

    def has_liberty(self, chain: Bitboard, stones: Bitboard, empty: Bitboard) -> bool:
        """Return whether stones of one chain, all in `stones`, have a liberty."""
        while True:
            around = self.neighbours(chain)
            if around & empty:
                return True
            grown = chain | around & stones
            if grown == chain:
                return False
            chain = grown

    def chain_of(self, chain: Bitboard, stones: Bitboard) -> Bitboard:
        """Return the whole chains of some stones."""
        while True:
            grown = chain | self.neighbours(chain) & stones
            if grown == chain:
                return chain
            chain = grown

    def captured(self, stone: Bitboard, other: Bitboard, empty: Bitboard) -> Bitboard:
        """Return the enemy stones that a new stone captures; `empty` does not hold the stone."""
        taken = stone ^ stone
        touched = self.neighbours(stone) & other & ~self.neighbours(empty)
        while touched:
            chain = touched & (~touched + 1)
            alive = False
            while True:
                around = self.neighbours(chain)
                if around & empty:
                    alive = True
                    break
                grown = chain | around & other
                if grown == chain:
                    break
                chain = grown
            if not alive:
                taken |= chain
            touched &= ~chain
        return taken

    def is_suicide(self, stone: Bitboard, own: Bitboard, other: Bitboard, empty: Bitboard) -> bool:
        """Return whether a stone on an empty point, which `empty` still holds, would have no liberty."""
        if self.neighbours(stone) & empty:
            return False
        left = empty & ~stone
        if self.has_liberty(stone, own | stone, left):
            return False
        return not self.captured(stone, other, left)

    # ---- the contract ----

    def to_move(self) -> int:
        return self.turn

    def moves(self) -> Iterator[int]:
        """Yield the legal points from a1 row by row, and the pass last."""
        own = self.black if self.turn == MAX else self.white
        other = self.white if self.turn == MAX else self.black
        empty = self.board_points() & ~(own | other)
        open_points = self.neighbours(empty)  # no suicide there
        for point in empty:
            stone = self.ONE << point
            if point != self.ko and (stone & open_points or not self.is_suicide(stone, own, other, empty)):
                yield point
        yield self.PASS

    def play(self, move: int) -> Self:
        if move == self.PASS:
            return self.replace(turn=-self.turn, ko=NO_POINT, last=NO_POINT, passes=self.passes + 1)
        own = self.black if self.turn == MAX else self.white
        other = self.white if self.turn == MAX else self.black
        stone = self.ONE << move
        own |= stone
        empty = self.board_points() & ~(own | other)
        taken = self.captured(stone, other, empty)
        ko = NO_POINT
        if taken:
            other ^= taken
            around = self.neighbours(stone)
            if taken.count() == 1 and not around & (own | empty):
                ko = taken.first()
        black = own if self.turn == MAX else other
        white = other if self.turn == MAX else own
        return self.replace(black=black, white=white, turn=-self.turn, ko=ko, last=move, passes=0)

    def is_over(self) -> bool:
        """Return whether both sides have passed in turn."""
        return self.passes >= 2

    def repetition_key(self) -> Bitboard:
        """Return the key of the stones, and with situational superko of the side to move."""
        key = Bitboard(self.turn if self.rule == SITUATIONAL else 0)
        black = self.black
        white = self.white
        for _ in range(self.WORDS):
            key = hash_combine(hash_combine(key, Bitboard(black)), Bitboard(white))
            black = black >> 64
            white = white >> 64
        return key

    def forbids_repetition(self) -> bool:
        """Return whether superko applies to the last move; a pass may repeat a position."""
        return self.rule != SIMPLE and self.passes == 0

    def utility(self) -> int:
        """Return the area of black minus that of white and the komi, in half points."""
        empty = self.board_points() & ~(self.black | self.white)
        by_black = self.chain_of(self.black, empty)
        by_white = self.chain_of(self.white, empty)
        return 2 * ((by_black & ~by_white).count() - (by_white & ~by_black).count()) - self.komi

    def bounds(self) -> tuple[int, int]:
        """Return the results of a board that belongs to one side."""
        points = 2 * self.size * self.size
        return -points - self.komi, points - self.komi

    # ---- playouts ----

    def own_eyes(self, own: Bitboard, other: Bitboard) -> Bitboard:
        """Return the points that are single-point eyes of a side.

        All neighbours are its own stones, and of the diagonal points at most one is the enemy's, none at the edge.
        """
        row = self.ROW
        inside = self.board_points()
        surrounded = inside & ~(own | other) & ~self.neighbours(inside & ~own)
        once = self.EDGES[self.size]
        twice = once ^ once
        for shifted in (other << row + 1, other << row - 1, other >> row + 1, other >> row - 1):
            twice |= once & shifted
            once |= shifted
        return surrounded & ~twice

    def uniform_move(self, random: int) -> int:
        """Return a random legal move that does not fill an eye of the own; the pass if there is none."""
        own = self.black if self.turn == MAX else self.white
        other = self.white if self.turn == MAX else self.black
        empty = self.board_points() & ~(own | other)
        points = empty & ~self.own_eyes(own, other)
        if self.ko != NO_POINT:
            points &= ~(self.ONE << self.ko)
        open_points = self.neighbours(empty)
        while points:
            point = nth_square(points, random_below(points.count(), random))
            stone = self.ONE << point
            if stone & open_points or not self.is_suicide(stone, own, other, empty):
                return point
            points ^= stone
            random = int((Bitboard(random) * SPREAD + INCREMENT) >> 2)
        return self.PASS

    def playout_move(self, random: int) -> int:
        """Return a random move for playouts: an answer to the last move, or a uniform one that fills no own eye.

        The answers, tried in this order: take the chain of the last move if it is in atari; save an own chain beside
        it from atari, unless the chain would be in atari again; play beside the last move where the surroundings match
        one of the `patterns`.
        """
        if self.last != NO_POINT:
            point = self.answer()
            if point != NO_POINT:
                return point
            point = self.shape_move(random)
            if point != NO_POINT:
                return point
        return self.uniform_move(random)

    def answer(self) -> int:
        """Return a move that takes the last stone's chain, or saves an own chain from it; `NO_POINT` if there is none.

        References
        ----------
        S. Gelly, Y. Wang, R. Munos and O. Teytaud, "Modification of UCT with Patterns in Monte-Carlo Go", INRIA 2006.
        """
        own = self.black if self.turn == MAX else self.white
        other = self.white if self.turn == MAX else self.black
        empty = self.board_points() & ~(own | other)
        last = self.ONE << self.last
        liberties = self.two_liberties(last, other, empty)
        if liberties.count() == 1 and liberties.first() != self.ko:
            return liberties.first()
        threatened = self.neighbours(last) & own
        while threatened:
            chain = threatened & (~threatened + 1)
            liberties = self.two_liberties(chain, own, empty)
            if liberties.count() == 1:
                after = own | liberties
                if self.two_liberties(liberties, after, empty & ~liberties).count() > 1:
                    return liberties.first()
            threatened &= ~self.chain_of(chain, own)
        return NO_POINT

    def shape_move(self, random: int) -> int:
        """Return a random move beside the last stone that makes a shape; `NO_POINT` if there is none.

        A move that leaves its stone in atari is skipped unless it captures.
        """
        own = self.black if self.turn == MAX else self.white
        other = self.white if self.turn == MAX else self.black
        empty = self.board_points() & ~(own | other)
        row = self.ONE << self.last
        row |= row << 1 | row >> 1
        shapes = own ^ own
        for point in (row | row << self.ROW | row >> self.ROW) & empty:
            if is_shape(*self.surroundings(point, own, other)):
                shapes |= self.ONE << point
        while shapes:
            point = nth_square(shapes, random_below(shapes.count(), random))
            stone = self.ONE << point
            left = empty & ~stone
            if point != self.ko and (
                self.two_liberties(stone, own | stone, left).count() > 1 or self.captured(stone, other, left)
            ):
                return point
            shapes ^= stone
            random = int((Bitboard(random) * SPREAD + INCREMENT) >> 2)
        return NO_POINT

    def surroundings(self, point: int, own: Bitboard, other: Bitboard) -> tuple[int, int]:
        """Return the own stones and the other side's around a point, as `patterns.is_shape` takes them."""
        line = point // self.ROW
        column = point - self.ROW * line
        outside = 0
        if line == 0:
            outside |= BELOW
        if line == self.size - 1:
            outside |= ABOVE
        if column == 0:
            outside |= LEFT
        if column == self.size - 1:
            outside |= RIGHT
        return self.around(point, own) | outside, self.around(point, other) | outside

    def around(self, point: int, stones: Bitboard) -> int:
        """Return the stones around a point, a bit each; outside the board there are none."""
        first = point - self.ROW - 1
        window = stones >> first if first >= 0 else stones << -first
        low = Bitboard(window)
        high = Bitboard(window >> 2 * self.ROW)
        return int(low & 7 | (low >> self.ROW & 1) << 3 | (low >> self.ROW + 2 & 1) << 4 | (high & 7) << 5)

    def two_liberties(self, chain: Bitboard, stones: Bitboard, empty: Bitboard) -> Bitboard:
        """Return the liberties of a chain; only some of them if there are two or more."""
        while True:
            around = self.neighbours(chain)
            liberties = around & empty
            if liberties.count() > 1:
                return liberties
            grown = chain | around & stones
            if grown == chain:
                return liberties
            chain = grown

    def move_score(self, move: int) -> int:
        """Score a pass that wins highest, then captures, escapes and points near the last move, own eyes lowest."""
        if move == self.PASS:
            return WINNING_PASS if self.passes == 1 and self.utility() * self.turn > 0 else 0
        own = self.black if self.turn == MAX else self.white
        other = self.white if self.turn == MAX else self.black
        empty = self.board_points() & ~(own | other)
        stone = self.ONE << move
        if stone & self.own_eyes(own, other):
            return 0
        score = 20
        left = empty & ~stone
        taken = self.captured(stone, other, left)
        liberties = self.two_liberties(stone, own | stone, left | taken)
        if liberties.count() < 2:
            score -= 15  # self-atari
        elif self.neighbours(stone) & own & ~self.neighbours(left):
            score += 10  # perhaps an escape, or a connection
        score += 10 * min(taken.count(), 3)
        if stone & self.EDGES[self.size]:
            score -= 5
        if self.last != NO_POINT:
            near = self.neighbours(self.ONE << self.last)
            if stone & (near | near << 1 | near >> 1):
                score += 10
        return score

    # ---- text ----

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse the points row by row from the top: `X`, `O`, and `-` or `.`; or an empty board, `7x7`.

        Other words, in any place: `komi 6.5`; `rule simple`, `positional` or `situational`; `handicap 2` on an empty
        board; `ko D4`, a point where the side to move may not retake; `last D4`, the last move; `passes 1`. After the
        points stands the side to move, `X` or `O`.

        Raises
        ------
        PositionError
            With what is wrong.
        """
        board, size, options = notation.split_options(text)
        size = size or cls.LARGEST
        cls._check_size(size)
        komi = notation.default_komi(size) if options.komi is None else options.komi
        if not board:
            return cls._empty(size, komi, options)
        if options.handicap:
            raise PositionError("Go position: handicap needs an empty board, such as: 9x9 handicap 2")
        kind = type(cls.ONE)
        black, white, side, _ = grid.parse_squares("Go", board, cls._rows(size), kind)
        turn = MIN if side == "O" else MAX
        state = cls.start().replace(black=black, white=white, turn=turn, passes=options.passes, size=size, komi=komi)
        state = state.replace(rule=options.rule)
        if options.ko is not None:
            state = state.replace(ko=cls._number(options.ko))
        if options.last is not None:
            state = state.replace(last=cls._number(options.last))
        state._check()
        return state

    @classmethod
    def _check_size(cls, size: int) -> None:
        """Raise `PositionError` if the class has no board of a size."""
        other = "go19" if size > cls.LARGEST else "go"
        if size > cls.LARGEST or (size < 10) != (cls.LARGEST < 10):
            raise PositionError(f"Go position: boards of {size} x {size} are those of the game {other}")

    @classmethod
    def _empty(cls, size: int, komi: int, options: notation.Options) -> Self:
        """An empty board, or one with handicap stones."""
        state = cls.start().replace(size=size, komi=komi, passes=options.passes, rule=options.rule)
        if options.ko is not None or options.last is not None:
            raise PositionError("Go position: an empty board has no ko and no last move")
        if not options.handicap:
            return state
        black = state.black
        for point in notation.handicap_points(size, options.handicap):
            black |= cls.ONE << cls._number(point)
        return state.replace(black=black, turn=MIN)

    def _check(self) -> None:
        """Raise `PositionError` if the position cannot occur."""
        inside = self.board_points()
        empty = inside & ~(self.black | self.white)
        for name, stones in (("X", self.black), ("O", self.white)):
            dead = stones & ~self.chain_of(self.neighbours(empty) & stones, stones)
            if dead:
                raise PositionError(f"Go position: {name} on {self.move_name(dead.first())} has no liberty")
        mover = self.black if self.turn == MIN else self.white
        if self.last != NO_POINT and (self.last not in mover or self.passes):
            raise PositionError(
                f"Go position: last {self.move_name(self.last)}: expected a stone of the side that moved last"
                + (", or no passes" if self.passes else "")
            )
        if self.ko != NO_POINT:
            around = self.neighbours(self.ONE << self.ko) & inside
            if self.ko not in empty or around & ~mover or self.passes:
                raise PositionError(
                    f"Go position: ko {self.move_name(self.ko)}: expected an empty point surrounded by the side that "
                    "moved last"
                )

    @classmethod
    def _number(cls, point: notation.Point) -> int:
        column, row = point
        return row * cls.ROW + column

    @classmethod
    def _rows(cls, size: int) -> list[range]:
        """The points row by row, the top row first."""
        return [range(cls.ROW * row, cls.ROW * row + size) for row in reversed(range(size))]

    def __str__(self) -> str:
        words = [grid.write(self.black, self.white, self._rows(self.size)), "X" if self.turn == MAX else "O"]
        if self.komi != notation.default_komi(self.size):
            words += ["komi", notation.komi_text(self.komi)]
        if self.rule != POSITIONAL:
            words += ["rule", KO_RULES[self.rule]]
        if self.ko != NO_POINT:
            words += ["ko", self.move_name(self.ko)]
        if self.last != NO_POINT:
            words += ["last", self.move_name(self.last)]
        if self.passes:
            words += ["passes", str(self.passes)]
        return " ".join(words)

    def board(self) -> str:
        """Draw the board as GTP programs do, the last move in parentheses."""
        stars = {self._number(point) for point in notation.star_points(self.size)}
        header = "    " + " ".join(notation.LETTERS[: self.size])
        lines = [header]
        for number, row in zip(range(self.size, 0, -1), self._rows(self.size), strict=True):
            line = f"{number:>2} "
            for point in row:
                cell = grid.letter(point, self.black, self.white, "+" if point in stars else ".")
                before = "(" if point == self.last else ")" if point - 1 == self.last and point != row[0] else " "
                line += before + cell
            lines.append(f"{line}{')' if row[-1] == self.last else ' '} {number}")
        return "\n".join([*lines, header])

    def picture(self) -> Grid:
        top = self.size - 1
        pieces = tuple(
            Piece(point % self.ROW, top - point // self.ROW, "disc", "black" if point in self.black else "white")
            for point in self.black | self.white
        )
        stars = tuple((column, top - row) for column, row in notation.star_points(self.size))
        last = () if self.last == NO_POINT else ((self.last % self.ROW, top - self.last // self.ROW),)
        labels = tuple(str(row) for row in range(self.size, 0, -1))
        columns = tuple(notation.LETTERS[: self.size])
        return Grid(self.size, self.size, "crossings", pieces, columns, labels, highlighted=last, dotted=stars)

    @classmethod
    def setup_pieces(cls) -> tuple[Piece, ...]:
        return grid.DISCS

    def set_up(self, pieces: tuple[Piece, ...], side: int) -> Self:
        black, white = grid.stones(pieces, grid.DISCS[0], self._rows(self.size), type(self.ONE))
        return self.replace(black=black, white=white, turn=side, ko=NO_POINT, last=NO_POINT, passes=0)

    def move_path(self, move: int) -> Path:
        return () if move == self.PASS else ((move % self.ROW, self.size - 1 - move // self.ROW),)

    def player_name(self, player: int) -> str:
        return "X (black)" if player == MAX else "O (white)"

    @interpreted
    def why_illegal(self, point: int) -> str:
        """Return why a stone may not be put on a point of the board; empty if it may, superko aside."""
        own, other = (self.black, self.white) if self.turn == MAX else (self.white, self.black)
        empty = self.board_points() & ~(own | other)
        if point not in empty:
            return "there is a stone on the point"
        if point == self.ko:
            return "the ko may not be retaken"
        return "it is suicide" if self.is_suicide(self.ONE << point, own, other, empty) else ""

    def termination(self) -> str:
        """Return how the game ended, and the result as SGF writes it: `two passes, B+7.5`."""
        return f"two passes, {self.result_name()}"

    @interpreted
    def result_name(self) -> str:
        """Return the score of the position as SGF writes it: `B+7.5`, `W+2`, or `0` for a draw."""
        score = self.utility()
        return f"{'B' if score > 0 else 'W'}+{notation.komi_text(abs(score))}" if score else "0"

    def move_name(self, move: int) -> str:
        return "pass" if move == self.PASS else notation.point_name(move % self.ROW, move // self.ROW)


@game
class Go19(Go):
    """Go on 19 x 19, or boards from 10 x 10. MAX plays black (X in text) and moves first.

    Rules and fields are those of `Go`.
    """

    ROW = 20
    LARGEST = 19
    PASS = ROW * LARGEST
    WORDS = 6
    ONE = Board19(1)
    BOARDS = grid.square_boards(ROW, LARGEST, Board19)
    EDGES = edges(ROW, LARGEST, Board19)

    black: Board19 = Board19(0)
    white: Board19 = Board19(0)
    size: int = 19
    komi: int = 15

    moves_in_any_order = PASS
    max_utility = 2 * 361 + 2 * MOST_KOMI + 1
