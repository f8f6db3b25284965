"""All plays of a rack on a board, in compiled code: anchors, cross-checks and a word graph.

A play lies in one line, a row or a column. Its words across the line have to be in the list too: for each empty square
the *cross-check* is the set of letters that make one. A play covers an *anchor*, an empty square next to a tile, or the
centre of an empty board. From each square where a word may begin, letters of the rack and of the board follow the edges
of the graph.

References
----------
A. Appel, G. Jacobson, "The World's Fastest Scrabble Program", Communications of the ACM 31 (1988).
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from zermelo.compiled import native
from zermelo.games.scrabble.tiles import (
    BLANK,
    BONUS,
    LETTER_PREMIUM,
    PREMIUMS,
    RACK_SIZE,
    SIZE,
    SQUARES,
    VALUES,
    WORD_PREMIUM,
)
from zermelo.games.scrabble.words import WordGraph

Array = Any
_EMPTY = ord(".")
_CENTRE = SIZE // 2
_ALL = (1 << 26) - 1
# Columns of the plays: whether it goes down, row and column of the first square, letters of the word, tiles, score.
DOWN, ROW, COLUMN, LENGTH, TILES, SCORE = range(6)
# Of a path from the first square of a word: the node, the next choice, the tile taken (27 none), the tiles so far,
# whether one covers an anchor, the points of the word and of words across, the product of word premiums, the text.
_NODE, _CHOICE, _TAKEN, _PLACED, _TOUCHES, _POINTS, _ACROSS, _PRODUCT, _TEXT = range(9)
_NO_TILE = 27


class Plays(NamedTuple):
    """Plays as arrays: `facts` with the columns `DOWN` to `SCORE`, and the letters of `texts` from the first square.

    A square that already has a tile is `.`, and a lowercase letter is a blank.
    """

    facts: Array
    texts: Array

    def names(self) -> list[str]:
        """Return the names of the plays, such as `8D:RE.AINS`."""
        texts = self.texts.tobytes().decode()
        found = []
        for start, (down, row, column, length, *_) in zip(range(0, len(texts), SIZE), self.facts.tolist(), strict=True):
            line, letter = str(row + 1), chr(65 + column)
            found.append(f"{letter + line if down else line + letter}:{texts[start : start + length]}")
        return found

    def scores(self) -> list[int]:
        """Return the points of the plays."""
        found: list[int] = self.facts[:, SCORE].tolist()
        return found

    def name(self, index: int) -> str:
        """Return the name of a play."""
        return Plays(self.facts[index : index + 1], self.texts[index : index + 1]).names()[0]


def cell_at(down: int, line: int, place: int) -> int:
    """Return the square of a place in a line: a row, or a column if `down` is 1."""
    return place * SIZE + line if down else line * SIZE + place


def points_of(board: Array, values: Array, cell: int) -> int:
    """Return the points of the tile on a square; a lowercase letter is a blank."""
    return int(values[board[cell] - 64]) if board[cell] < 97 else 0


def cross_check(
    edges: Array, root: int, board: Array, values: Array, down: int, line: int, place: int
) -> tuple[int, int]:
    """Return the letters allowed on an empty square as a bit set, and the points of the tiles of the word across.

    The points are -1 where there is no word across the line.
    """
    first = line
    while first > 0 and board[cell_at(down, first - 1, place)] != _EMPTY:
        first -= 1
    last = line
    while last < SIZE - 1 and board[cell_at(down, last + 1, place)] != _EMPTY:
        last += 1
    if first == last:
        return _ALL, -1
    node = root
    points = 0
    for other in range(first, line):
        cell = cell_at(down, other, place)
        node = edges[node, (board[cell] & 31) - 1] >> 1
        points += points_of(board, values, cell)
    for other in range(line + 1, last + 1):
        points += points_of(board, values, cell_at(down, other, place))
    allowed = 0
    for letter in range(26):
        edge = edges[node, letter]
        other = line + 1
        while edge != 0 and other <= last:
            edge = edges[edge >> 1, (board[cell_at(down, other, place)] & 31) - 1]
            other += 1
        if edge & 1:
            allowed |= 1 << letter
    return allowed, points


def find_plays(
    edges: Array, root: int, board: Array, rack: Array, values: Array, premiums: Array, work: Array, kinds: Array,
    checks: Array, facts: Array, texts: Array,
) -> int:  # fmt: skip
    """Write all plays, and return their number; those that do not fit the arrays are counted only.

    `rack` has the number of tiles of each letter, the blank as 0. `premiums` multiplies letters, then words.
    `work`, `kinds` (the letters of the rack) and `checks` are work space.
    """
    in_hand = rack[0]
    kinds[:] = 0
    different = 0
    for letter in range(1, 27):
        if rack[letter] > 0:
            kinds[different] = letter
            different += 1
            in_hand += rack[letter]
    found = 0
    is_first = True
    for cell in range(SQUARES):
        if board[cell] != _EMPTY:
            is_first = False
    for down in range(2):
        for line in range(SIZE):
            for place in range(SIZE):
                if board[cell_at(down, line, place)] == _EMPTY:
                    allowed, points = cross_check(edges, root, board, values, down, line, place)
                    checks[0, place] = allowed
                    checks[1, place] = points
                    is_anchor = points >= 0
                    if place > 0 and board[cell_at(down, line, place - 1)] != _EMPTY:
                        is_anchor = True
                    if place < SIZE - 1 and board[cell_at(down, line, place + 1)] != _EMPTY:
                        is_anchor = True
                    if is_first and line == _CENTRE and place == _CENTRE:
                        is_anchor = True
                    checks[2, place] = 1 if is_anchor else 0
            for start in range(SIZE):
                if start > 0 and board[cell_at(down, line, start - 1)] != _EMPTY:
                    continue
                # Tiles that the first anchor from here on takes.
                needed = 0
                reached = False
                for place in range(start, SIZE):
                    if board[cell_at(down, line, place)] == _EMPTY:
                        needed += 1
                        if checks[2, place]:
                            reached = True
                            break
                if reached and needed <= in_hand:
                    found = find_from(
                        edges, root, board, rack, values, premiums, work, kinds, checks, facts, texts, down,
                        line, start, found,
                    )  # fmt: skip
    return found


def find_from(
    edges: Array, root: int, board: Array, rack: Array, values: Array, premiums: Array, work: Array, kinds: Array,
    checks: Array, facts: Array, texts: Array, down: int, line: int, start: int, found: int,
) -> int:  # fmt: skip
    """Write the plays that begin at a place of a line, after the `found` ones; return their number."""
    depth = 0
    work[0, _NODE] = root
    work[0, _CHOICE] = 0
    work[0, _TAKEN] = _NO_TILE
    work[0, _PLACED] = 0
    work[0, _TOUCHES] = 0
    work[0, _POINTS] = 0
    work[0, _ACROSS] = 0
    work[0, _PRODUCT] = 1
    while depth >= 0:
        place = start + depth
        # Take back the tile of the last choice.
        if work[depth, _TAKEN] != _NO_TILE:
            rack[work[depth, _TAKEN]] += 1
            work[depth, _TAKEN] = _NO_TILE
        # The next choice: the letter on the board, or a letter of the rack and then of a blank.
        edge = 0
        letter = 0
        cell = 0
        if place < SIZE:
            cell = cell_at(down, line, place)
            if board[cell] != _EMPTY:
                if work[depth, _CHOICE] == 0:
                    work[depth, _CHOICE] = 1
                    edge = int(edges[work[depth, _NODE], (board[cell] & 31) - 1])
            else:
                while edge == 0:
                    choice = work[depth, _CHOICE]
                    if choice < RACK_SIZE and kinds[choice] == 0:
                        choice = RACK_SIZE  # no more letters: the blank
                    if choice == RACK_SIZE + 26 or (choice >= RACK_SIZE and rack[0] == 0):
                        break
                    work[depth, _CHOICE] = choice + 1
                    letter = kinds[choice] if choice < RACK_SIZE else choice - RACK_SIZE + 1
                    tile = letter if choice < RACK_SIZE else 0
                    if rack[tile] > 0 and checks[0, place] >> letter - 1 & 1:
                        edge = int(edges[work[depth, _NODE], letter - 1])
                        if edge != 0:
                            work[depth, _TAKEN] = tile
        if edge == 0:
            depth -= 1
            continue
        # Follow the edge.
        following = depth + 1
        tile = work[depth, _TAKEN]
        work[following, _NODE] = edge >> 1
        work[following, _CHOICE] = 0
        work[following, _TAKEN] = _NO_TILE
        if tile == _NO_TILE:
            work[following, _PLACED] = work[depth, _PLACED]
            work[following, _TOUCHES] = work[depth, _TOUCHES]
            work[following, _POINTS] = work[depth, _POINTS] + points_of(board, values, cell)
            work[following, _ACROSS] = work[depth, _ACROSS]
            work[following, _PRODUCT] = work[depth, _PRODUCT]
            work[depth, _TEXT] = _EMPTY
        else:
            rack[tile] -= 1
            points = values[tile] * premiums[0, cell]
            work[following, _PLACED] = work[depth, _PLACED] + 1
            work[following, _TOUCHES] = work[depth, _TOUCHES] | checks[2, place]
            work[following, _POINTS] = work[depth, _POINTS] + points
            work[following, _ACROSS] = work[depth, _ACROSS]
            if checks[1, place] >= 0:
                work[following, _ACROSS] += (checks[1, place] + points) * premiums[1, cell]
            work[following, _PRODUCT] = work[depth, _PRODUCT] * premiums[1, cell]
            work[depth, _TEXT] = letter + 64 if tile != 0 else letter + 96
        depth = following
        place += 1
        if edge & 1 and work[depth, _TOUCHES] and (place == SIZE or board[cell_at(down, line, place)] == _EMPTY):
            # A single tile is found in both directions, unless it makes a word in one only.
            if down and work[depth, _PLACED] == 1 and is_repeated(checks, work, start, depth):
                continue
            if found < len(facts):
                facts[found, DOWN] = down
                facts[found, ROW] = start if down else line
                facts[found, COLUMN] = line if down else start
                facts[found, LENGTH] = depth
                facts[found, TILES] = work[depth, _PLACED]
                score = work[depth, _POINTS] * work[depth, _PRODUCT] + work[depth, _ACROSS]
                facts[found, SCORE] = score + BONUS if work[depth, _PLACED] == RACK_SIZE else score
                for step in range(depth):
                    texts[found, step] = work[step, _TEXT]
            found += 1
    return found


def is_repeated(checks: Array, work: Array, start: int, depth: int) -> bool:
    """Return whether the only tile of a play makes a word across its line too."""
    for step in range(depth):
        if work[step, _TEXT] != _EMPTY:
            return bool(checks[1, start + step] >= 0)
    return False


@cache
def _constants() -> tuple[Array, Array]:
    """The values of the tiles, the blank as 0, and the premiums of letters and words."""
    import numpy as np

    values = np.array([VALUES[BLANK], *(VALUES[chr(65 + letter)] for letter in range(26))])
    premiums = np.array([[kinds.get(sign, 1) for sign in PREMIUMS] for kinds in (LETTER_PREMIUM, WORD_PREMIUM)])
    return values, premiums


class Generator:
    """Finds the plays of positions with a word list; it owns the work space.

    Parameters
    ----------
    graph : WordGraph
        The word list.
    """

    def __init__(self, graph: WordGraph) -> None:
        #: The arguments of `find_plays` that do not change: the word graph, the values and premiums.
        self.tables = (graph.edges, graph.root, *_constants())
        self._results = self.results(2_000)

    @staticmethod
    def results(size: int) -> tuple[Array, ...]:
        """Return the work space of `find_plays`, and arrays for a number of plays."""
        import numpy as np

        work, kinds = np.zeros((SIZE + 1, 9), np.int64), np.zeros(RACK_SIZE, np.int64)
        return (
            work,
            kinds,
            np.zeros((3, SIZE), np.int64),
            np.zeros((size, 6), np.int64),
            np.zeros((size, SIZE), np.uint8),
        )

    def plays(self, squares: str, rack: str) -> Plays:
        """Return all plays of a rack on a board, whose arrays are valid until the next call.

        Parameters
        ----------
        squares : str
            The 225 squares, row by row: `.`, a letter, or the letter of a blank in lowercase.
        rack : str
            The tiles, `?` for a blank.
        """
        import numpy as np

        board = np.array(bytearray(squares.encode()), np.uint8)
        counts = np.array([rack.count(BLANK), *(rack.count(chr(65 + letter)) for letter in range(26))])
        while True:
            arguments = (*self.tables[:2], board, counts, *self.tables[2:], *self._results)
            found = native(find_plays, *arguments)(*arguments)
            *_, facts, texts = self._results
            if found <= len(facts):
                return Plays(facts[:found], texts[:found])
            self._results = self.results(2 * found)
