"""Positions as text.

    15/15/15/15/15/15/15/3RETAINS5/15/15/15/15/15/15/15 second AAB/BCDEFGH 66/0 0 AEINRST/8D:RETAINS

The rows of the board from the top, numbers for empty squares; the player whose turn it is; the racks, the scores, and
the number of turns without points since the last one with points. Then the turns so far, with the rack before each;
they may be missing, or begin later than the game.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, TypeVar

from zermelo.core.game import MAX, MIN
from zermelo.errors import IllegalMove, PositionError
from zermelo.games.scrabble.plays import laid_tiles, square_name, words_on
from zermelo.games.scrabble.tiles import (
    ALL_TILES,
    CENTRE,
    EMPTY,
    INDEX,
    LETTERS,
    PASS,
    PREMIUMS,
    RACK_SIZE,
    SIZE,
    SQUARES,
    sorted_tiles,
    tile_of,
)

if TYPE_CHECKING:
    from zermelo.games.scrabble.endgame import Endgame
    from zermelo.games.scrabble.rules import Scrabble

S = TypeVar("S", bound="Endgame")

MAX_LENGTH = 8000  # longest text that is parsed, in characters
_PLAYERS = {"first": MAX, "second": MIN}
# A tile, or the number of empty squares in a row.
_CELLS = "[A-Za-z]|1[0-5]|[1-9]"
_WHERE = "Scrabble position: "


def position_text(state: Endgame, racks: tuple[str, str]) -> str:
    """Return a position without its turns; `racks` are written in place of the state's."""
    rows = []
    for start in range(0, SQUARES, SIZE):
        row = state.squares[start : start + SIZE]
        rows.append(re.sub(r"\.+", lambda found: str(len(found[0])), row))
    scores = "/".join(map(str, state.scores))
    return f"{'/'.join(rows)} {state.player_name(state.turn)} {'/'.join(racks)} {scores} {state.scoreless}"


def turn_text(rack: str, move: str) -> str:
    """Return a turn: the rack before it, and the move."""
    return f"{rack}/{move}"


def board_text(state: Endgame) -> str:
    """Draw the board: `=` and `-` triple and double the word, `"` and `'` the letter; blanks are lowercase."""
    lines = ["   " + " ".join(map(chr, range(65, 65 + SIZE)))]
    for row in range(SIZE):
        cells = range(row * SIZE, (row + 1) * SIZE)
        signs = [state.squares[cell] if state.squares[cell] != EMPTY else PREMIUMS[cell] for cell in cells]
        lines.append(f"{row + 1:>2} {' '.join(sign if sign != ' ' else EMPTY for sign in signs)}")
    return "\n".join([*lines, "", *state.table()])


def parse_position(cls: type[S], text: str) -> tuple[S, tuple[tuple[str, str], ...]]:
    """Parse a position without its turns, and the turns. Raises `PositionError` with what is wrong."""
    if len(text) > MAX_LENGTH:
        raise PositionError(f"{_WHERE}{len(text):,} characters; expected at most {MAX_LENGTH:,}")
    words = text.split()
    if words in ([], ["start"]):
        return cls(), ()
    if len(words) < 5:
        raise PositionError(
            f"{_WHERE}{len(words)} words; expected the board, first or second, the racks, the scores and the number "
            "of turns without points"
        )
    board, side, racks, scores, scoreless, *turns = words
    if side not in _PLAYERS:
        raise PositionError(f"{_WHERE}{side[:40]!r} is not a player; expected first or second")
    if not re.fullmatch(f"[A-Z?]{{0,{RACK_SIZE}}}/[A-Z?]{{0,{RACK_SIZE}}}", racks):
        raise PositionError(
            f"{_WHERE}{racks[:40]!r} are not racks; expected two of at most {RACK_SIZE} tiles, like AEINRST/EOQ? "
            "(? is a blank)"
        )
    if not re.fullmatch("[0-9]{1,4}/[0-9]{1,4}", scores):
        raise PositionError(f"{_WHERE}{scores[:40]!r} are not scores; expected two numbers, like 66/0")
    if not re.fullmatch(r"[0-6]", scoreless):
        raise PositionError(f"{_WHERE}{scoreless[:40]!r} turns without points; expected a number from 0 to 6")
    first, second = racks.split("/")
    squares = parse_board(board)
    _check_tiles(squares, racks.replace("/", ""))
    _check_words(cls, squares)
    made = cls(
        squares, _PLAYERS[side], (sorted_tiles(first), sorted_tiles(second)), tuple(map(int, scores.split("/"))),
        int(scoreless),
    )  # fmt: skip
    return made, tuple(_parse_turn(word) for word in turns)


def parse_board(text: str) -> str:
    """Return the squares of a board. Raises `PositionError`."""
    rows = text.split("/")
    if len(rows) != SIZE:
        raise PositionError(f"{_WHERE}the board has {len(rows)} rows; expected {SIZE}, separated by /")
    squares = ""
    for number, row in enumerate(rows, 1):
        if not re.fullmatch(f"({_CELLS})+", row):
            raise PositionError(f"{_WHERE}row {number} is {row[:40]!r}; expected letters and numbers of empty squares")
        cells = "".join(EMPTY * int(each) if each.isdigit() else each for each in re.findall(_CELLS, row))
        if len(cells) != SIZE:
            raise PositionError(f"{_WHERE}row {number}, {row[:40]!r}, has {len(cells)} squares; expected {SIZE}")
        squares += cells
    return squares


def _check_tiles(squares: str, racks: str) -> None:
    """Check that there are not more tiles of a letter than the game has."""
    used = Counter(map(tile_of, squares.replace(EMPTY, ""))) + Counter(racks)
    for letter in LETTERS:
        if used[letter] > ALL_TILES.count(letter):
            name = "blanks" if letter == "?" else f"tiles {letter}"
            raise PositionError(f"{_WHERE}{used[letter]} {name}; the game has {ALL_TILES.count(letter)}")


def _check_words(cls: type[Endgame], squares: str) -> None:
    """Check that the words on the board are in the list, the centre is covered, and the tiles are connected."""
    laid = {cell for cell, letter in enumerate(squares) if letter != EMPTY}
    if not laid:
        return
    if CENTRE not in laid:
        raise PositionError(f"{_WHERE}no tile on the centre, {square_name(CENTRE)}")
    reached, left = {CENTRE}, [CENTRE]
    while left:
        cell = left.pop()
        sides = [cell - SIZE, cell + SIZE]
        sides += [cell - 1] * (cell % SIZE > 0) + [cell + 1] * (cell % SIZE < SIZE - 1)
        following = laid.intersection(sides) - reached
        reached |= following
        left += following
    if laid - reached:
        raise PositionError(f"{_WHERE}the tile on {square_name(min(laid - reached))} is not connected with the centre")
    if len(laid) == 1:
        raise PositionError(f"{_WHERE}a single tile on the board; a word has at least two letters")
    for word, square in words_on(squares):
        if word not in cls.words():
            raise PositionError(f"{_WHERE}{word} at {square} is not in the word list")


def _parse_turn(word: str) -> tuple[str, str]:
    """Parse the rack and the move of a turn."""
    rack, slash, move = word.partition("/")
    if not slash or not re.fullmatch(f"[A-Z?]{{1,{RACK_SIZE}}}", rack):
        raise PositionError(f"{_WHERE}{word[:40]!r} is not a turn; expected a rack and a move, like AEINRST/8D:RETAINS")
    return sorted_tiles(rack), move


def checked_turns(state: Scrabble) -> tuple[tuple[str, str], ...]:
    """Play the turns of a state from the position before them.

    Returns
    -------
    tuple
        The turns, with the names of moves as the game writes them.

    Raises
    ------
    PositionError
        If the turns do not lead to the position: a move is illegal, or the tiles that were drawn were not there.
    """
    turns = state.known_turns()
    squares, later = state.squares, dict(zip((MAX, MIN), state.racks, strict=True))
    following: list[str] = []  # for each turn, the rack that its player has at the next one
    for mover, (rack, move) in reversed(turns):
        following.insert(0, later[mover])
        later[mover] = rack
        for cell, letter in _laid_tiles(move).items():
            if squares[cell] != letter:
                raise PositionError(f"{_WHERE}{move} laid {letter} on {square_name(cell)}, which has {squares[cell]}")
            squares = squares[:cell] + EMPTY + squares[cell + 1 :]
    now = state.replace(
        squares=squares, turn=turns[0][0] if turns else state.turn, racks=(later[MAX], later[MIN]), scores=(0, 0),
        turns=(), scoreless=0,
    )  # fmt: skip
    _check_tiles(squares, later[MAX] + later[MIN])
    for number, (mover, (_, move)) in enumerate(turns, 1):
        if now.drawing():
            raise PositionError(f"{_WHERE}turn {number}: fewer than {RACK_SIZE} tiles on a rack while the bag has some")
        try:
            now = now.play(now.parse_move(move))
        except IllegalMove as error:
            raise PositionError(f"{_WHERE}turn {number}: {error}") from None
        rack = following[number - 1]
        kept = now.racks[INDEX[mover]]
        drawn = Counter(rack) - Counter(kept)
        if Counter(kept) - Counter(rack) or drawn - Counter(now.bag()):
            raise PositionError(f"{_WHERE}turn {number} leaves {kept or 'no tiles'}; the next rack cannot be {rack}")
        now = now.with_rack(mover, rack)
    if now.scoreless != state.scoreless and not state.scoreless > now.scoreless == len(turns):
        raise PositionError(f"{_WHERE}{state.scoreless} turns without points; the turns have {now.scoreless}")
    before = [total - points for total, points in zip(state.scores, now.scores, strict=True)]
    if min(before) < 0 or (squares == EMPTY * SQUARES and any(before)):
        scores = "/".join(map(str, now.scores))
        raise PositionError(f"{_WHERE}the scores are {'/'.join(map(str, state.scores))}; the turns make {scores}")
    return now.turns


def _laid_tiles(move: str) -> dict[int, str]:
    """The letters that a move laid, by square."""
    if move.startswith(PASS):
        return {}
    try:
        return laid_tiles(move)
    except IllegalMove as error:
        raise PositionError(f"{_WHERE}{error}") from None
