"""Rules of backgammon."""

from __future__ import annotations

from collections.abc import Iterator

from zermelo.core.bitboard import Bitboard
from zermelo.core.game import CHANCE, MAX, MIN, State, game
from zermelo.core.picture import Path, Points
from zermelo.errors import IllegalMove
from zermelo.games.backgammon import notation
from zermelo.games.backgammon.evaluations import EVALUATIONS
from zermelo.games.backgammon.picture import move_path, picture
from zermelo.games.backgammon.points import (
    AWAY,
    BAR,
    BOARD,
    CHECKERS,
    LANE,
    add_checker,
    checkers_in,
    flip_both,
    made_points,
    movable,
    move_checker,
    occupied,
)


def play_groups(
    low: Bitboard, high: Bitboard, other_low: Bitboard, other_high: Bitboard, dice: int
) -> Iterator[tuple[int, int, Bitboard]]:
    """Yield the legal plays of the side (low, high), each resulting position once, in groups.

    The plays of a group differ in one checker. Each group is a play without that checker, the shift of that checker's
    point in the move, and the set of its possible points.
    """
    points = occupied(low, high)
    other_made = made_points(other_low, other_high)
    blots = occupied(other_low, other_high) ^ other_made
    flipped = flip_both(other_made & BOARD | (blots & BOARD) << 32)
    closed = flipped & LANE
    die = dice // 10
    small = dice - 10 * die
    first = movable(points, die, closed)
    if die == small:
        # The number of checkers that can be moved: moving the highest movable one each time finds it.
        most = 0
        left = first
        now_low, now_high = low, high
        while left and most < 4:
            most += 1
            now_low, now_high = move_checker(now_low, now_high, left.last(), die)
            left = movable(occupied(now_low, now_high), die, closed)
        # Every play can be made from the highest point down, so only that order is generated.
        if most == 0:
            yield 0, 0, Bitboard(1)
        elif most == 1:
            yield 0, 0, first
        else:
            for one in first:
                one_low, one_high = move_checker(low, high, one, die)
                second = movable(occupied(one_low, one_high), die, closed) & (Bitboard(2) << one) - 1
                if most == 2:
                    yield one, 5, second
                else:
                    for two in second:
                        two_low, two_high = move_checker(one_low, one_high, two, die)
                        third = movable(occupied(two_low, two_high), die, closed) & (Bitboard(2) << two) - 1
                        if most == 3:
                            yield one | two << 5, 10, third
                        else:
                            for three in third:
                                end_low, end_high = move_checker(two_low, two_high, three, die)
                                fourth = movable(occupied(end_low, end_high), die, closed) & (Bitboard(2) << three) - 1
                                yield one | two << 5 | three << 10, 15, fourth
    else:
        blots = flipped >> 32
        single = points & ~made_points(low, high)
        second = movable(points, small, closed)
        is_found = False
        # The larger die first.
        for one in first:
            checker = Bitboard(1) << one
            then = movable(points ^ checker & single | checker >> die & BOARD, small, closed)
            duplicate = checker << small & then
            if duplicate and commutes(points, single, closed, blots, first, duplicate, die, small):
                then ^= duplicate
            if then:
                is_found = True
                yield one, 5, then
        # The smaller die first, for plays that are not possible in the other order.
        for two in second & -(Bitboard(2) << small):
            checker = Bitboard(1) << two
            then = movable(points ^ checker & single | checker >> small & BOARD, die, closed) & ~first
            duplicate = checker >> small & then
            if duplicate and commutes(points, single, closed, blots, first, checker, die, small):
                then ^= duplicate
            if then:
                is_found = True
                yield two << 5, 0, then
        if not is_found:
            if first:
                yield 0, 0, first
            elif second:
                yield 0, 5, second
            else:
                yield 0, 0, Bitboard(1)


def commutes(
    points: Bitboard,
    single: Bitboard,
    closed: Bitboard,
    blots: Bitboard,
    first: Bitboard,
    checker: Bitboard,
    die: int,
    small: int,
) -> bool:
    """Return whether a checker can play both dice in either order to the same position.

    It can if the larger die may be played first, and no blot is hit on the way in either order. The play is then a
    duplicate of another one.
    """
    halfway = checker >> die & BOARD
    if not (checker & first and halfway) or (halfway | checker >> small) & blots:
        return False
    return bool(halfway & movable(points ^ checker & single | halfway, small, closed))


@game
class Backgammon(State):
    """Backgammon: 15 checkers for each side, two dice. MAX plays X and MIN plays O, as in GNU Backgammon.

    A side plays both dice if possible, else the larger if possible, else the smaller; with doublets as many of four as
    possible. Then chance rolls for the other side. The first side to bear off all checkers wins 1 point; 2 (gammon) if
    the other has borne off none; 3 (backgammon) if it also has a checker on the bar or in the winner's home. The
    doubling cube belongs to the match, not to the state.

    Notes
    -----
    A roll is chance's move: the digits of the larger and the smaller die, 11 .. 66. In the first roll X's die comes
    first, and the dice differ.

    A play is one move: the points where its checkers start (25 is the bar), in five bits each, 0 for none:

        two dice     bits 0 .. 4 the larger die's, bits 5 .. 9 the smaller one's
        doublets     bits 0 .. 4, 5 .. 9, 10 .. 14, 15 .. 19, from the highest point to the lowest

    No two legal plays lead to the same position. A side that cannot move has the single move 0.
    """

    #: The checkers of X and O, two words each (see `points`), with points as numbered by their own side.

    x_low: Bitboard = Bitboard(0x0100010000002140)
    x_high: Bitboard = Bitboard(0x2040)
    o_low: Bitboard = Bitboard(0x0100010000002140)
    o_high: Bitboard = Bitboard(0x2040)
    #: The dice as two digits, the larger first, 11 .. 66; 0 before the roll.
    dice: int = 0
    #: The side that plays or rolls; 0 before the first roll, in which each side rolls one die and the larger begins.
    turn: int = 0

    max_utility = 3
    evaluations = EVALUATIONS
    #: Actions of a match that are not moves of the rules: the doubling cube and resignation.
    match_events = ("double", "take", "drop", "resign")

    def to_move(self) -> int:
        return self.turn if self.dice else CHANCE

    def outcomes(self) -> Iterator[tuple[int, int]]:
        if self.turn == 0:
            for x in range(1, 7):
                for o in range(1, 7):
                    if x != o:
                        yield 10 * x + o, 1
        else:
            for die in range(1, 7):
                for small in range(1, die + 1):
                    yield 10 * die + small, 1 if die == small else 2

    def sides(self) -> tuple[Bitboard, Bitboard, Bitboard, Bitboard]:
        """Return the two words of the side on turn, then those of the other side."""
        if self.turn == MAX:
            return self.x_low, self.x_high, self.o_low, self.o_high
        return self.o_low, self.o_high, self.x_low, self.x_high

    def moves(self) -> Iterator[int]:
        low, high, other_low, other_high = self.sides()
        for play, shift, points in play_groups(low, high, other_low, other_high, self.dice):
            for point in points:
                yield play | point << shift

    def count_moves(self) -> int:
        low, high, other_low, other_high = self.sides()
        count = 0
        for _, _, points in play_groups(low, high, other_low, other_high, self.dice):
            count += points.count()
        return count

    def play(self, move: int) -> Backgammon:
        if self.dice == 0:
            die = move // 10
            small = move - 10 * die
            turn = self.turn
            if turn == 0:
                turn = MAX if die > small else MIN
            dice = move if die >= small else 10 * small + die
            return Backgammon(self.x_low, self.x_high, self.o_low, self.o_high, dice, turn)
        low, high, other_low, other_high = self.sides()
        die = self.dice // 10
        small = self.dice - 10 * die
        while move:
            point = move & 31
            if point:
                low, high = move_checker(low, high, point, die)
                if point > die:
                    # A checker of the other side there can only be a blot.
                    blot = Bitboard(1) << BAR - point + die & other_low
                    other_low, other_high = add_checker(other_low ^ blot, other_high, blot << point - die)
            die = small
            move >>= 5
        if self.turn == MAX:
            return Backgammon(low, high, other_low, other_high, 0, MIN)
        return Backgammon(other_low, other_high, low, high, 0, MAX)

    def is_over(self) -> bool:
        return not (self.x_low | self.x_high) or not (self.o_low | self.o_high)

    def utility(self) -> int:
        low = self.x_low | self.o_low
        high = self.x_high | self.o_high
        stake = 1
        if checkers_in(low, high, LANE) == CHECKERS:
            stake = 3 if occupied(low, high) & AWAY else 2
        return -stake if self.x_low | self.x_high else stake

    # ---- text ---------------------------------------------------------------------------------------------

    @classmethod
    def parse(cls, text: str) -> Backgammon:
        """Parse a GNU Backgammon position ID, or rolls and plays from the initial position.

        Parameters
        ----------
        text : str
            A position ID, optionally with a colon and a match ID, then optionally rolls and plays: `31 8/5,6/5 64`.
            Without a position ID, they start from the initial position. Without a match ID, X is on roll. In the first
            roll X's die comes first. An empty text or `start` is the initial position.

        Raises
        ------
        PositionError
            With the part that is wrong.
        """
        if len(text) > notation.MAX_LENGTH:
            raise notation.position_error(f"{len(text):,} characters; expected at most {notation.MAX_LENGTH:,}")
        line = text.split()
        state = cls()
        if line and line[0] == "start":
            line.pop(0)
        elif line and not notation.is_roll(line[0]):
            state = cls(*notation.parse_ids(line.pop(0)))
        try:
            return notation.play_line(state, line)
        except IllegalMove as error:
            raise notation.position_error(str(error)) from None

    def __str__(self) -> str:
        return notation.write_ids(self)

    def board(self) -> str:
        """Draw the board as seen by X, with pip counts, checkers borne off, and the side to roll or play."""
        return notation.draw(self)

    def picture(self) -> Points:
        return picture(self)

    def move_path(self, move: int) -> Path:
        return move_path(self, move)

    def player_name(self, player: int) -> str:
        return notation.NAMES[player]

    def move_name(self, move: int) -> str:
        return notation.move_name(self, move)

    def parse_move(self, text: str) -> int:
        """Parse a legal play or roll: `8/5,6/5`, `8/5 6/5`. Intermediate points and stars are optional."""
        return notation.parse_move(self, text)

    def after(self, moves: str) -> Backgammon:
        """Return the state after rolls and plays: `31 8/5,6/5 64`. Spaces may separate the checkers of a play."""
        return notation.play_line(self, moves.split())
