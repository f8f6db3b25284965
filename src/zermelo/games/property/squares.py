"""The board and the cards of the property game, as constants.

Squares are numbered 0 to 39, in the direction of play, from the square that pays the salary:

    20 21 22 23 24 25 26 27 28 29 30
    19                            31
    ...                          ...
    11                            39
    10  9  8  7  6  5  4  3  2  1  0

The numbers are those of the standard board of the United States since 2008: prices, rents, taxes and cards.
"""

from __future__ import annotations

from typing import NamedTuple

from zermelo.core.bitboard import Bitboard

SQUARES = 40
GO, VISIT, PARKING, TO_JAIL = 0, 10, 20, 30
SALARY = 200
FINE = 50  # for leaving jail

#: By row of the board: from the salary to jail, and so on.
_EDGES = (
    "go brown1 chest1 brown2 income-tax rail1 cyan1 chance1 cyan2 cyan3",
    "visit pink1 electric pink2 pink3 rail2 orange1 chest2 orange2 orange3",
    "parking red1 chance2 red2 red3 rail3 yellow1 yellow2 water yellow3",
    "to-jail green1 green2 chest3 green3 rail4 chance3 blue1 luxury-tax blue2",
)
#: The names of the squares.
NAMES = tuple(name for edge in _EDGES for name in edge.split())

# Groups: eight colours, then the railways and the utilities; NO_GROUP is any other square.
COLOURS = ("brown", "cyan", "pink", "orange", "red", "yellow", "green", "blue")
RAILS, UTILITIES, NO_GROUP = 8, 9, -1


def _group(name: str) -> int:
    stem = name.rstrip("1234")
    if stem in COLOURS:
        return COLOURS.index(stem)
    return {"rail": RAILS, "electric": UTILITIES, "water": UTILITIES}.get(stem, NO_GROUP)


#: By square: the group, and by group: the squares.
GROUP = tuple(_group(name) for name in NAMES)
GROUP_SQUARES = tuple(
    Bitboard(sum(1 << square for square in range(SQUARES) if GROUP[square] == group)) for group in range(UTILITIES + 1)
)
PROPERTIES = Bitboard(sum(1 << square for square in range(SQUARES) if GROUP[square] != NO_GROUP))
CHANCE_SQUARES = Bitboard(1 << 7 | 1 << 22 | 1 << 36)
CHEST_SQUARES = Bitboard(1 << 2 | 1 << 17 | 1 << 33)


class Street(NamedTuple):
    """A street: its price, and its rents without a house, with 1 to 4 houses, and with a hotel."""

    price: int
    rents: tuple[int, int, int, int, int, int]


STREETS = {
    "brown1": Street(60, (2, 10, 30, 90, 160, 250)),
    "brown2": Street(60, (4, 20, 60, 180, 320, 450)),
    "cyan1": Street(100, (6, 30, 90, 270, 400, 550)),
    "cyan2": Street(100, (6, 30, 90, 270, 400, 550)),
    "cyan3": Street(120, (8, 40, 100, 300, 450, 600)),
    "pink1": Street(140, (10, 50, 150, 450, 625, 750)),
    "pink2": Street(140, (10, 50, 150, 450, 625, 750)),
    "pink3": Street(160, (12, 60, 180, 500, 700, 900)),
    "orange1": Street(180, (14, 70, 200, 550, 750, 950)),
    "orange2": Street(180, (14, 70, 200, 550, 750, 950)),
    "orange3": Street(200, (16, 80, 220, 600, 800, 1000)),
    "red1": Street(220, (18, 90, 250, 700, 875, 1050)),
    "red2": Street(220, (18, 90, 250, 700, 875, 1050)),
    "red3": Street(240, (20, 100, 300, 750, 925, 1100)),
    "yellow1": Street(260, (22, 110, 330, 800, 975, 1150)),
    "yellow2": Street(260, (22, 110, 330, 800, 975, 1150)),
    "yellow3": Street(280, (24, 120, 360, 850, 1025, 1200)),
    "green1": Street(300, (26, 130, 390, 900, 1100, 1275)),
    "green2": Street(300, (26, 130, 390, 900, 1100, 1275)),
    "green3": Street(320, (28, 150, 450, 1000, 1200, 1400)),
    "blue1": Street(350, (35, 175, 500, 1100, 1300, 1500)),
    "blue2": Street(400, (50, 200, 600, 1400, 1700, 2000)),
}
RAIL_PRICE, UTILITY_PRICE = 200, 150
RAIL_RENT = 25  # doubled for each further railway of the owner
UTILITY_RENTS = (4, 10)  # times the dice, with one utility and with both
HOUSES, HOTELS = 32, 12  # that the bank has
HOTEL = 5  # the level of a street with a hotel

#: By square: the price, 0 where nothing is sold; the price of a house; and six rents for each square.
PRICE = tuple(
    STREETS[name].price if name in STREETS else {RAILS: RAIL_PRICE, UTILITIES: UTILITY_PRICE}.get(GROUP[square], 0)
    for square, name in enumerate(NAMES)
)
HOUSE_PRICE = tuple(50 * (1 + square // 10) if NAMES[square] in STREETS else 0 for square in range(SQUARES))
RENTS = tuple(rent for name in NAMES for rent in (STREETS[name].rents if name in STREETS else (0,) * 6))
#: By square: the tax.
TAX = tuple({"income-tax": 200, "luxury-tax": 100}.get(name, 0) for name in NAMES)

# ---- cards ----------------------------------------------------------------------------------------------------------

# What a card does; each kind has a number with it.
ADVANCE = 0  # to the square of that number
NEAREST = 1  # to the next square of that group: double rent of a railway, ten times the dice for a utility
MONEY = 2  # from the bank, or to it where negative
FROM_OTHER = 3  # from the other player, or to it where negative
PARDON = 4  # kept: leaves jail without a fine
JAIL = 5
BACK = 6  # that number of squares
REPAIRS = 7  # that much for each house, and REPAIRS_HOTEL for each hotel


class Card(NamedTuple):
    """A card of a deck."""

    name: str
    kind: int
    number: int


CHANCE_CARDS = (
    Card("to-go", ADVANCE, GO),
    Card("to-red3", ADVANCE, 24),
    Card("to-pink1", ADVANCE, 11),
    Card("to-rail1", ADVANCE, 5),
    Card("to-blue2", ADVANCE, 39),
    Card("next-rail", NEAREST, RAILS),
    Card("next-rail-again", NEAREST, RAILS),
    Card("next-utility", NEAREST, UTILITIES),
    Card("back3", BACK, 3),
    Card("jail", JAIL, 0),
    Card("pardon", PARDON, 0),
    Card("repairs", REPAIRS, 25),
    Card("+50", MONEY, 50),
    Card("+150", MONEY, 150),
    Card("-15", MONEY, -15),
    Card("give50", FROM_OTHER, -50),
)
CHEST_CARDS = (
    Card("to-go", ADVANCE, GO),
    Card("jail", JAIL, 0),
    Card("pardon", PARDON, 0),
    Card("repairs", REPAIRS, 40),
    Card("get10", FROM_OTHER, 10),
    Card("+200", MONEY, 200),
    Card("+100", MONEY, 100),
    Card("+100-b", MONEY, 100),
    Card("+100-c", MONEY, 100),
    Card("+50", MONEY, 50),
    Card("+25", MONEY, 25),
    Card("+20", MONEY, 20),
    Card("+10", MONEY, 10),
    Card("-50", MONEY, -50),
    Card("-50-b", MONEY, -50),
    Card("-100", MONEY, -100),
)
DECKS = (CHANCE_CARDS, CHEST_CARDS)
CARDS = 16  # of each deck
ALL_DRAWN = (1 << CARDS) - 1
# The cards of both decks, one deck after the other, and the price of repairs of a hotel by deck.
CARD_KIND = tuple(card.kind for deck in DECKS for card in deck)
CARD_NUMBER = tuple(card.number for deck in DECKS for card in deck)
REPAIRS_HOTEL = (100, 115)
