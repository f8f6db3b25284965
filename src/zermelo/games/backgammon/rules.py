"""Backgammon: the rules. How its texts are read and written stands in `notation`."""

from __future__ import annotations

from zermelo.core.bitboard import Bitboard
from zermelo.core.game import CHANCE, MAX, MIN, State, game
from zermelo.core.picture import Points
from zermelo.errors import IllegalMove
from zermelo.games.backgammon import notation
from zermelo.games.backgammon.evaluations import EVALUATIONS
from zermelo.games.backgammon.picture import picture
from zermelo.games.backgammon.points import (
    AWAY,
    BAR,
    BOARD,
    CHECKERS,
    LANE,
    added,
    checkers_in,
    held,
    moved,
    movers,
    occupied,
    turned,
)


def bunches(low, high, other_low, other_high, dice):
    """The legal plays of who has the checkers (low, high), each result once: sets of plays that differ in one checker.

    Yields a play without that checker, the number of bits that its point is shifted by, and the set of its points.
    """
    places = occupied(low, high)
    held_by_other = held(other_low, other_high)
    blots = occupied(other_low, other_high) ^ held_by_other
    seen = turned(held_by_other & BOARD | (blots & BOARD) << 32)
    closed = seen & LANE
    die = dice // 10
    small = dice - 10 * die
    first = movers(places, die, closed)
    if die == small:
        # As many checkers as can be. Whoever moves the highest checker that can move finds out how many.
        most = 0
        left = first
        now_low, now_high = low, high
        while left and most < 4:
            most += 1
            now_low, now_high = moved(now_low, now_high, left.last(), die)
            left = movers(occupied(now_low, now_high), die, closed)
        # What can be played in any order can be played from the highest point to the lowest: that order alone is tried.
        if most == 0:
            yield 0, 0, Bitboard(1)
        elif most == 1:
            yield 0, 0, first
        else:
            for one in first:
                one_low, one_high = moved(low, high, one, die)
                second = movers(occupied(one_low, one_high), die, closed) & (Bitboard(2) << one) - 1
                if most == 2:
                    yield one, 5, second
                else:
                    for two in second:
                        two_low, two_high = moved(one_low, one_high, two, die)
                        third = movers(occupied(two_low, two_high), die, closed) & (Bitboard(2) << two) - 1
                        if most == 3:
                            yield one | two << 5, 10, third
                        else:
                            for three in third:
                                end_low, end_high = moved(two_low, two_high, three, die)
                                fourth = movers(occupied(end_low, end_high), die, closed) & (Bitboard(2) << three) - 1
                                yield one | two << 5 | three << 10, 15, fourth
    else:
        blots = seen >> 32
        single = places & ~held(low, high)
        second = movers(places, small, closed)
        is_found = False
        # The larger die first, then the smaller one.
        for one in first:
            checker = Bitboard(1) << one
            then = movers(places ^ checker & single | checker >> die & BOARD, small, closed)
            twin = checker << small & then
            if twin and runs(places, single, closed, blots, first, twin, die, small):
                then ^= twin
            if then:
                is_found = True
                yield one, 5, then
        # The smaller die first: what has not been possible the other way round.
        for two in second & -(Bitboard(2) << small):
            checker = Bitboard(1) << two
            then = movers(places ^ checker & single | checker >> small & BOARD, die, closed) & ~first
            twin = checker >> small & then
            if twin and runs(places, single, closed, blots, first, checker, die, small):
                then ^= twin
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


def runs(places, single, closed, blots, first, checker, die, small):
    """Whether a checker can move by the larger die and then by the smaller one, and hits nothing between either way.

    Then it comes to the same as the smaller die first, or as another checker's going on from where it stops.
    """
    halfway = checker >> die & BOARD
    if not (checker & first and halfway) or (halfway | checker >> small) & blots:
        return False
    return bool(halfway & movers(places ^ checker & single | halfway, small, closed))


@game
class Backgammon(State):
    """Backgammon: 15 checkers a side, two dice. MAX plays X, MIN plays O, as GNU Backgammon calls them.

    Who is to move plays both dice if that is possible, else the larger one if that is possible, else the smaller one;
    of doublets as many of four as possible. Then chance rolls for the other side. The first to bear off all checkers
    wins 1; 2 (a gammon) if the other has borne off none; 3 (a backgammon) if besides one of the other's is on the bar
    or in the winner's home. The doubling cube belongs to the match, not to the state.

    Each side's checkers are two words (see `points`), counted from its own side. `dice` are the larger die and the
    smaller one as the digits of a number, 11 .. 66, or 0 where they are still to be rolled. `turn` is the side that
    plays or rolls, or 0 before the first roll: there each side rolls one die, and the larger one begins.

    What the dice show is chance's move: 11 .. 66 as `dice`; before the first roll X's die, then O's, never the same.
    A whole play is one move, the points that its checkers start from (25 the bar), in five bits each, 0 for none:

        two dice     bits 0 .. 4 the larger die's, bits 5 .. 9 the smaller one's
        doublets     bits 0 .. 4, 5 .. 9, 10 .. 14, 15 .. 19, from the highest point to the lowest

    No two legal plays lead to the same position. Who cannot move has the one move 0.
    """

    x_low: Bitboard = Bitboard(0x0100010000002140)
    x_high: Bitboard = Bitboard(0x2040)
    o_low: Bitboard = Bitboard(0x0100010000002140)
    o_high: Bitboard = Bitboard(0x2040)
    dice: int = 0
    turn: int = 0

    max_utility = 3
    evaluations = EVALUATIONS
    #: What players do in a match that is no move: the cube, and giving up.
    match_events = ("double", "take", "drop", "resign")

    def to_move(self):
        return self.turn if self.dice else CHANCE

    def outcomes(self):
        if self.turn == 0:
            for x in range(1, 7):
                for o in range(1, 7):
                    if x != o:
                        yield 10 * x + o, 1
        else:
            for die in range(1, 7):
                for small in range(1, die + 1):
                    yield 10 * die + small, 1 if die == small else 2

    def sides(self):
        """The words of the side whose turn it is, then those of the other."""
        if self.turn == MAX:
            return self.x_low, self.x_high, self.o_low, self.o_high
        return self.o_low, self.o_high, self.x_low, self.x_high

    def moves(self):
        low, high, other_low, other_high = self.sides()
        for play, shift, points in bunches(low, high, other_low, other_high, self.dice):
            for point in points:
                yield play | point << shift

    def count_moves(self):
        low, high, other_low, other_high = self.sides()
        count = 0
        for _, _, points in bunches(low, high, other_low, other_high, self.dice):
            count += points.count()
        return count

    def play(self, move):
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
                low, high = moved(low, high, point, die)
                if point > die:
                    # Who is still there can only be alone.
                    blot = Bitboard(1) << BAR - point + die & other_low
                    other_low, other_high = added(other_low ^ blot, other_high, blot << point - die)
            die = small
            move >>= 5
        if self.turn == MAX:
            return Backgammon(low, high, other_low, other_high, 0, MIN)
        return Backgammon(other_low, other_high, low, high, 0, MAX)

    def is_over(self):
        return not (self.x_low | self.x_high) or not (self.o_low | self.o_high)

    def utility(self):
        low = self.x_low | self.o_low
        high = self.x_high | self.o_high
        stake = 1
        if checkers_in(low, high, LANE) == CHECKERS:
            stake = 3 if occupied(low, high) & AWAY else 2
        return -stake if self.x_low | self.x_high else stake

    # ---- text ---------------------------------------------------------------------------------------------

    @classmethod
    def parse(cls, text: str) -> Backgammon:
        """A position ID of GNU Backgammon, with its match ID after a colon or without, then rolls and plays, if any.

        Without a position ID they begin at the start: `31 8/5,6/5 64`, where X's die comes first in the first roll.
        Without a match ID X is on roll. An empty text or `start` is the start. Raises `PositionError` for what is no
        position: which part of it is wrong, the play, or what cannot be (16 checkers, both sides on one point).
        """
        if len(text) > notation.LONGEST:
            raise notation.refused(f"{len(text):,} characters; expected at most {notation.LONGEST:,}")
        line = text.split()
        state = cls()
        if line and line[0] == "start":
            line.pop(0)
        elif line and not notation.is_roll(line[0]):
            state = cls(*notation.read(line.pop(0)))
        try:
            return notation.follow(state, line)
        except IllegalMove as error:
            raise notation.refused(str(error)) from None

    def __str__(self) -> str:
        return notation.write(self)

    def board(self) -> str:
        """The board as X sees it, pips, checkers borne off, and who is to roll or play what."""
        return notation.draw(self)

    def picture(self) -> Points:
        return picture(self)

    def player_name(self, player: int) -> str:
        return notation.NAMES[player]

    def move_name(self, move: int) -> str:
        return notation.name(self, move)

    def parse_move(self, text: str) -> int:
        """The legal play (or roll) that a text names: `8/5,6/5`, `8/5 6/5`, stops and stars told or left out."""
        return notation.read_move(self, text)

    def after(self, moves: str) -> Backgammon:
        """The state after rolls and plays: `31 8/5,6/5 64`. A play's checkers may be divided by blanks too."""
        return notation.follow(self, moves.split())
