"""Texts of checkers: positions in the FEN of draughts (the tag of PDN files), moves by their squares, the drawn board.

What is written, and read:

    B:W21-32:B1-12              black to move, white's squares, black's squares; a range stands for all between
    W:WK6,25:B12,K30:H14        K before a king; H and for how many moves no man moved and nothing was taken; some
                                programs write F and the number of the move after it, which is read and dropped
    11-15   22x15x8             a step; a jump with every square that the piece comes to
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from zermelo._util.text import quoted
from zermelo.core.bitboard import Bitboard
from zermelo.core.game import MAX, MIN
from zermelo.errors import IllegalMove, PositionError
from zermelo.games.checkers.squares import FIRST_ROW, LAST_ROW, WAYS

if TYPE_CHECKING:
    from zermelo.games.checkers.rules import Checkers

# No position is longer, nor any list of moves that somebody types; whatever is need not be read.
LONGEST = 4_000
PIECES = 12  # that a side begins with
SIDES = {"B": MAX, "W": MIN}
NAMES = {MAX: "black", MIN: "white"}
ANY_CASE = re.IGNORECASE | re.ASCII
EXAMPLE = "expected a position like B:W21-32:B1-12, or moves like 11-15 23-19"


def bit_of(number: int) -> int:
    """The bit of the square with a number from 1 to 32."""
    return number - 1 + (number - 1) // 8


def number_of(bit: int) -> int:
    """The number of the square with a bit."""
    return bit + 1 - bit // 9


# ---- positions ------------------------------------------------------------------------------------------------


def refused(wrong: str) -> PositionError:
    """The error for a text that is no position."""
    return PositionError(f"Checkers position: {wrong}")


def read(text: str, drawn: int) -> tuple[Bitboard, Bitboard, Bitboard, int, int]:
    """The fields of the position that a FEN stands for; `drawn` is the largest number of quiet moves."""
    fields = [field.strip() for field in text.rstrip().removesuffix(".").split(":")]
    if not 3 <= len(fields) <= 5:
        raise refused(f"{quoted(text)} has {len(fields)} of the parts that : divides; {EXAMPLE}")
    side = SIDES.get(fields[0].upper())
    if side is None:
        raise refused(f"side to move {quoted(fields[0])}; expected B (black) or W (white) before the first :")
    sets: dict[int, tuple[Bitboard, Bitboard]] = {}
    for place, field in enumerate(fields[1:3], 2):
        owner = SIDES.get(field[:1].upper())
        if owner is None:
            raise refused(f"part {place} ({quoted(field)}) is nobody's; expected W or B, then the squares")
        if owner in sets:
            raise refused(f"parts 2 and 3 are both {NAMES[owner]}'s; expected one W and one B")
        sets[owner] = _read_pieces(field[1:].strip(), NAMES[owner])
    quiet = _read_quiet(fields[3], drawn) if len(fields) > 3 else 0
    if len(fields) == 5 and not re.fullmatch(r"F[0-9]{1,4}", fields[4], ANY_CASE):
        raise refused(f"part 5 ({quoted(fields[4])}); expected F and the number of the move")
    (black, black_kings), (white, white_kings) = sets[MAX], sets[MIN]
    for bit in black & white:
        raise refused(f"square {number_of(bit)} is both black's and white's; expected one piece on a square")
    for owner, men, row in ((MAX, black & ~black_kings, LAST_ROW), (MIN, white & ~white_kings, FIRST_ROW)):
        for bit in men & row:
            square = number_of(bit)
            raise refused(f"{NAMES[owner]}'s man on {square} would be a king there; expected K{square}")
    for owner, pieces in ((MAX, black), (MIN, white)):
        if not pieces and side != owner:
            gone, mover = NAMES[owner], NAMES[side]
            raise refused(f"{gone} has no pieces left, and yet {mover} is to move; expected {gone}")
    return black, white, black_kings | white_kings, side, quiet


def _read_pieces(text: str, owner: str) -> tuple[Bitboard, Bitboard]:
    """The squares of one side's pieces, and of its kings among them."""
    pieces = kings = Bitboard(0)
    for item in text.split(",") if text else ():
        found = re.fullmatch(r"(K?)([0-9]{1,2})(?: *- *([0-9]{1,2}))?", item.strip(), ANY_CASE)
        if not found:
            raise refused(
                f"{quoted(item)} among {owner}'s pieces; expected squares 1 to 32 divided by commas, K for a king"
            )
        first, last = int(found[2]), int(found[3] or found[2])
        if not 1 <= first <= last <= 32:
            raise refused(f"{quoted(item)} among {owner}'s pieces; expected squares from 1 to 32, the lower one first")
        for number in range(first, last + 1):
            square = Bitboard(1) << bit_of(number)
            if square & pieces:
                raise refused(f"square {number} is named twice among {owner}'s pieces; expected one piece on a square")
            pieces |= square
            if found[1]:
                kings |= square
    if pieces.count() > PIECES:
        raise refused(f"{owner} has {pieces.count()} pieces; expected at most {PIECES}")
    return pieces, kings


def _read_quiet(text: str, drawn: int) -> int:
    found = re.fullmatch(r"H([0-9]{1,3})", text, ANY_CASE)
    if not found or int(found[1]) > drawn:
        raise refused(
            f"part 4 ({quoted(text)}); expected H and the number of moves since a man moved or a piece was taken, "
            f"0 to {drawn}"
        )
    return int(found[1])


def write(state: Checkers) -> str:
    """The position as a FEN, the inverse of `read`: white's squares, then black's, in order."""
    parts = ["B" if state.turn == MAX else "W"]
    for letter, pieces in (("W", state.white), ("B", state.black)):
        squares = (f"{'K' if bit in state.kings else ''}{number_of(bit)}" for bit in pieces)
        parts.append(letter + ",".join(squares))
    if state.plies_without_progress:
        parts.append(f"H{state.plies_without_progress}")
    return ":".join(parts)


def draw(state: Checkers) -> str:
    """The board as black's side sees it from behind white's: b and w are men, B and W kings."""
    lines = []
    for first in range(1, 33, 4):
        cells = [_letter(state, bit_of(number)) for number in range(first, first + 4)]
        indent = "  " if first % 8 == 1 else ""
        lines.append(f"{first:>4}  {indent}{'   '.join(cells)}{'' if indent else '  '}  {first + 3:>2}")
    return "\n".join(lines)


def _letter(state: Checkers, bit: int) -> str:
    letter = "b" if bit in state.black else "w" if bit in state.white else "·"
    return letter.upper() if bit in state.kings else letter


# ---- moves ----------------------------------------------------------------------------------------------------


def squares_of(state: Checkers, move: int) -> list[int]:
    """The numbers of the squares that a move goes through, from its start to its end."""
    bit = bit_of((move & 31) + 1)
    other = state.other()
    squares = [number_of(bit)]
    for way in _ways(move >> 5):
        bit += WAYS[way]
        if bit in other:
            bit += WAYS[way]
        squares.append(number_of(bit))
    return squares


def _ways(path: int) -> Iterator[int]:
    """The ways of a move's steps or jumps, the first one first."""
    for place in range(path.bit_length() - 3, -1, -2):
        yield path >> place & 3


def name(state: Checkers, move: int) -> str:
    """`11-15` for a step, `22x15x8` for jumps."""
    return ("x" if state.is_tactical(move) else "-").join(map(str, squares_of(state, move)))


def read_move(state: Checkers, text: str) -> int:
    """The legal move that a text names: its squares, joined by - or x.

    Squares between the first and the last may be left out as long as only one move is meant, or all that are meant
    lead to the same position. Raises `IllegalMove`.
    """
    wanted = text.strip()
    legal = {move: squares_of(state, move) for move in state.legal_moves()}
    if not legal:
        raise IllegalMove(f"{quoted(wanted)} cannot be played: the game is over")
    names = " ".join(name(state, move) for move in legal)
    if not re.fullmatch(r"[0-9]{1,2}([-xX:][0-9]{1,2}){1,9}", wanted):
        raise IllegalMove(f"{quoted(wanted)} is no move; expected squares like 11-15 or 22x15x8; legal: {names}")
    squares = [int(number) for number in re.split("[-xX:]", wanted)]
    found = [move for move, way in legal.items() if way == squares]
    if not found:
        found = [move for move, way in legal.items() if _leaves_out(squares, way)]
    if not found:
        raise IllegalMove(f"{quoted(wanted)} is not a legal move here; legal: {names}")
    if len({state.play(move) for move in found}) > 1:
        meant = " or ".join(name(state, move) for move in found)
        raise IllegalMove(f"{quoted(wanted)} is more than one move here; expected {meant}")
    return found[0]


def _leaves_out(squares: list[int], way: list[int]) -> bool:
    """Whether the squares are those of a way, from its start to its end, some between them left out."""
    if (squares[0], squares[-1]) != (way[0], way[-1]):
        return False
    between = iter(way[1:-1])
    return all(square in between for square in squares[1:-1])
