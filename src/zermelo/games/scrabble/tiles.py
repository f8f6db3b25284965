"""The board and the tiles of English Scrabble: premium squares, letter values and distribution."""

from __future__ import annotations

from zermelo.core.game import MAX, MIN

SIZE = 15
SQUARES = SIZE * SIZE
CENTRE = SQUARES // 2
EMPTY = "."
BLANK = "?"
PASS = "-"
# A player's part of a pair.
INDEX = {MAX: 0, MIN: 1}
RACK_SIZE = 7
#: Tiles that the bag must have for an exchange.
EXCHANGE_NEEDS = 7
#: For playing all seven tiles of a rack.
BONUS = 50
#: Premium squares of the upper left quarter with its middle lines; the board is symmetric. `"` and `'` triple and
#: double the letter, `=` and `-` triple and double the word.
_QUARTER = ("=  '   =", ' -   "  ', "  -   ' ", "'  -   '", "    -   ", ' "   "  ', "  '   ' ", "=  '   -")
PREMIUMS = "".join((row + row[-2::-1]) for row in (*_QUARTER, *_QUARTER[-2::-1]))
LETTER_PREMIUM = {'"': 3, "'": 2}
WORD_PREMIUM = {"=": 3, "-": 2}
#: Points and number of tiles of each letter; the blank scores nothing.
_BY_VALUE = {1: "AEILNORSTU", 2: "DG", 3: "BCMP", 4: "FHVWY", 5: "K", 8: "JX", 10: "QZ", 0: BLANK}
VALUES = {letter: points for points, letters in _BY_VALUE.items() for letter in letters}
_BY_COUNT = {12: "E", 9: "AI", 8: "O", 6: "NRT", 4: "DLSU", 3: "G", 2: "BCFHMPVWY?", 1: "JKQXZ"}
COUNTS = {letter: count for count, letters in _BY_COUNT.items() for letter in letters}
#: The letters of tiles in the order in which they are written, the blank last.
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ?"
ALL_TILES = "".join(letter * COUNTS[letter] for letter in LETTERS)


def sorted_tiles(tiles: str) -> str:
    """Return tiles in the order of `LETTERS`."""
    return "".join(sorted(tiles, key=LETTERS.index))


def tile_of(letter: str) -> str:
    """Return the tile that shows a letter on the board: a lowercase letter is a blank."""
    return BLANK if letter.islower() else letter


def without(tiles: str, removed: str) -> str:
    """Return tiles without some of them, each of which is there."""
    for tile in removed:
        tiles = tiles.replace(tile, "", 1)
    return tiles
