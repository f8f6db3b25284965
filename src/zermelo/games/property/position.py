"""Steps and moves of the property game as numbers, and the fields of its positions for the modules below the rules."""

from __future__ import annotations

from typing import Protocol

from zermelo.core.bitboard import Bitboard

#: What happens next. In the first four a player moves, in the others chance.
STEPS = ("manage", "buy", "debt", "auction", "dice", "draw", "toll")
MANAGE = 0  # the side whose turn it is builds, and rolls
BUY = 1  # it stands on a square that nobody owns
DEBT = 2  # the debtor raises money
AUCTION = 3  # the bidder bids or passes
DICE = 4
DRAW = 5
TOLL = 6  # dice for the rent of a utility

# A player's moves. Those of a square are the number of the square more than these.
ROLL, PAY, USE_CARD, TAKE, DECLINE, BID, BID_MORE, PASS = range(8)
BUILD, SELL, MORTGAGE, REDEEM = 40, 80, 120, 160
BID_STEP, BID_LARGE_STEP = 10, 50

TURNS = 100  # after which the richer player wins
START_CASH = 1500

Houses = tuple[Bitboard, Bitboard, Bitboard]


def seat(player: int) -> int:
    """Return a player's index in a pair."""
    return (1 - player) // 2


def level_of(houses: Houses, square: int) -> int:
    """Return the number of houses of a street; 5 is a hotel."""
    return int(square in houses[0]) + 2 * int(square in houses[1]) + 4 * int(square in houses[2])


def with_level(houses: Houses, square: int, level: int) -> Houses:
    """Return the houses with another number on a street."""
    bit = Bitboard(1) << square
    empty = Bitboard(0)
    return (
        houses[0] & ~bit | (bit if level & 1 else empty),
        houses[1] & ~bit | (bit if level & 2 else empty),
        houses[2] & ~bit | (bit if level & 4 else empty),
    )


class Position(Protocol):
    """What notation, picture and evaluations read of a state; see `zermelo.games.property.rules.Property`."""

    @property
    def turn(self) -> int: ...
    @property
    def phase(self) -> int: ...
    @property
    def cash(self) -> tuple[int, int]: ...
    @property
    def place(self) -> tuple[int, int]: ...
    @property
    def jail(self) -> tuple[int, int]: ...
    @property
    def pardons(self) -> tuple[int, int]: ...
    @property
    def owned(self) -> tuple[Bitboard, Bitboard]: ...
    @property
    def mortgaged(self) -> Bitboard: ...
    @property
    def houses(self) -> Houses: ...
    @property
    def drawn(self) -> tuple[int, int]: ...
    @property
    def doubles(self) -> int: ...
    @property
    def dice(self) -> int: ...
    @property
    def debtor(self) -> int: ...
    @property
    def creditor(self) -> int: ...
    @property
    def owed(self) -> int: ...
    @property
    def moves_on(self) -> bool: ...
    @property
    def bidder(self) -> int: ...
    @property
    def bid(self) -> int: ...
    @property
    def leader(self) -> int: ...
    @property
    def bankrupt(self) -> int: ...
    @property
    def turns(self) -> int: ...
    @property
    def auctions(self) -> bool: ...
    @property
    def redraws(self) -> bool: ...
    def deck(self) -> int: ...
    def worth(self, player: int) -> int: ...
    def resources(self, player: int) -> int: ...
    def rent(self, square: int, dice: int) -> int: ...
