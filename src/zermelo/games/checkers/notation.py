"""Checkers notation: positions in draughts FEN (the FEN tag of PDN files), moves by square numbers, the board in text.

    B:W21-32:B1-12              black to move; white's squares; black's squares; a range stands for all squares in it
    W:WK6,25:B12,K30:H14        K before a king; H and the plies without progress; F and the number of the next move
                                may follow, as some programs write it, and is ignored
    11-15   22x15x8             a step; a jump with all its landing squares

References
----------
W. Grimminck, E. Ketting, "Portable Draughts Notation" (PDN 3.0)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from zermelo._util.text import quoted
from zermelo.core.bitboard import Bitboard
from zermelo.core.game import MAX, MIN
from zermelo.errors import IllegalMove, PositionError
from zermelo.games.checkers.position import Position
from zermelo.games.checkers.squares import DIRECTIONS, FIRST_ROW, LAST_ROW

# Longest text that is parsed, in characters.
MAX_LENGTH = 4_000
PIECES = 12  # for each side at the start
SIDES = {"B": MAX, "W": MIN}
NAMES = {MAX: "black", MIN: "white"}
ANY_CASE = re.IGNORECASE | re.ASCII
EXAMPLE = "expected a position like B:W21-32:B1-12, or moves like 11-15 23-19"


def bit_of(number: int) -> int:
    """Return the bit of a square, given its number from 1 to 32."""
    return number - 1 + (number - 1) // 8


def number_of(bit: int) -> int:
    """Return the number of a square, given its bit."""
    return bit + 1 - bit // 9


# ---- positions ------------------------------------------------------------------------------------------------


def position_error(reason: str) -> PositionError:
    """Return the error for a text that is not a position."""
    return PositionError(f"Checkers position: {reason}")


def parse_fen(text: str, max_plies: int) -> tuple[Bitboard, Bitboard, Bitboard, int, int]:
    """Parse a draughts FEN to the fields of a position.

    `max_plies` is the largest number of plies without progress. Raises `PositionError`.
    """
    fields = [field.strip() for field in text.rstrip().removesuffix(".").split(":")]
    if not 3 <= len(fields) <= 5:
        raise position_error(f"{quoted(text)} has {len(fields)} parts separated by colons; {EXAMPLE}")
    side = SIDES.get(fields[0].upper())
    if side is None:
        raise position_error(f"side to move {quoted(fields[0])}; expected B (black) or W (white) before the first :")
    sets: dict[int, tuple[Bitboard, Bitboard]] = {}
    for number, field in enumerate(fields[1:3], 2):
        owner = SIDES.get(field[:1].upper())
        if owner is None:
            raise position_error(f"part {number} ({quoted(field)}) names no side; expected W or B, then squares")
        if owner in sets:
            raise position_error(f"parts 2 and 3 are both for {NAMES[owner]}; expected one W and one B")
        sets[owner] = _parse_pieces(field[1:].strip(), NAMES[owner])
    plies = _parse_plies(fields[3], max_plies) if len(fields) > 3 else 0
    if len(fields) == 5 and not re.fullmatch(r"F[0-9]{1,4}", fields[4], ANY_CASE):
        raise position_error(f"part 5 ({quoted(fields[4])}); expected F and the move number")
    (black, black_kings), (white, white_kings) = sets[MAX], sets[MIN]
    for bit in black & white:
        raise position_error(f"square {number_of(bit)} has a black and a white piece; expected one piece")
    for owner, men, row in ((MAX, black & ~black_kings, LAST_ROW), (MIN, white & ~white_kings, FIRST_ROW)):
        for bit in men & row:
            square = number_of(bit)
            raise position_error(f"{NAMES[owner]}'s man on {square} would have been crowned; expected K{square}")
    for owner, pieces in ((MAX, black), (MIN, white)):
        if not pieces and side != owner:
            loser, mover = NAMES[owner], NAMES[side]
            raise position_error(f"{loser} has no pieces left, but {mover} is to move; expected {loser} to move")
    return black, white, black_kings | white_kings, side, plies


def _parse_pieces(text: str, owner: str) -> tuple[Bitboard, Bitboard]:
    """Return the squares of one side's pieces, and those of its kings."""
    pieces = kings = Bitboard(0)
    for item in text.split(",") if text else ():
        found = re.fullmatch(r"(K?)([0-9]{1,2})(?: *- *([0-9]{1,2}))?", item.strip(), ANY_CASE)
        if not found:
            raise position_error(
                f"{quoted(item)} among {owner}'s pieces; expected squares separated by commas, K for a king"
            )
        first, last = int(found[2]), int(found[3] or found[2])
        if not 1 <= first <= last <= 32:
            raise position_error(f"{quoted(item)} among {owner}'s pieces; expected 1 to 32, lower one first")
        for number in range(first, last + 1):
            square = Bitboard(1) << bit_of(number)
            if square & pieces:
                raise position_error(f"square {number} occurs twice among {owner}'s pieces; expected it once")
            pieces |= square
            if found[1]:
                kings |= square
    if pieces.count() > PIECES:
        raise position_error(f"{owner} has {pieces.count()} pieces; expected at most {PIECES}")
    return pieces, kings


def _parse_plies(text: str, max_plies: int) -> int:
    found = re.fullmatch(r"H([0-9]{1,3})", text, ANY_CASE)
    if not found or int(found[1]) > max_plies:
        raise position_error(
            f"part 4 ({quoted(text)}); expected H and the plies since a man moved or a piece was captured, "
            f"0 to {max_plies}"
        )
    return int(found[1])


def fen(state: Position) -> str:
    """Return the position as a FEN: the inverse of `parse_fen`."""
    parts = ["B" if state.turn == MAX else "W"]
    for letter, pieces in (("W", state.white), ("B", state.black)):
        squares = (f"{'K' if bit in state.kings else ''}{number_of(bit)}" for bit in pieces)
        parts.append(letter + ",".join(squares))
    if state.plies_without_progress:
        parts.append(f"H{state.plies_without_progress}")
    return ":".join(parts)


def draw(state: Position) -> str:
    """Draw the board with white at the bottom and the number of each square: b and w are men, B and W kings."""
    lines = []
    for first in range(1, 33, 4):
        cells = [f"{_letter(state, bit_of(number))}{number:<2}" for number in range(first, first + 4)]
        indent = "     " if first % 8 == 1 else "  "
        lines.append(f"{indent}{'   '.join(cells)}".rstrip())
    return "\n".join(lines)


def _letter(state: Position, bit: int) -> str:
    letter = "b" if bit in state.black else "w" if bit in state.white else " "
    return letter.upper() if bit in state.kings else letter


# ---- moves ----------------------------------------------------------------------------------------------------


def squares_of(state: Position, move: int) -> list[int]:
    """Return the numbers of the squares that a move visits, origin and target included."""
    bit = bit_of((move & 31) + 1)
    other = state.other()
    squares = [number_of(bit)]
    for direction in _directions(move >> 5):
        bit += DIRECTIONS[direction]
        if bit in other:
            bit += DIRECTIONS[direction]
        squares.append(number_of(bit))
    return squares


def _directions(path: int) -> Iterator[int]:
    """Yield the directions of a move's steps or jumps, in order."""
    for shift in range(path.bit_length() - 3, -1, -2):
        yield path >> shift & 3


def move_name(state: Position, move: int) -> str:
    """Return the name of a move: `11-15` for a step, `22x15x8` for a jump."""
    return ("x" if state.is_tactical(move) else "-").join(map(str, squares_of(state, move)))


def parse_move(state: Position, text: str) -> int:
    """Parse a legal move: its squares, joined by - or x.

    Intermediate squares are optional if the text fits one move only, or several that lead to the same position. Raises
    `IllegalMove`.
    """
    text = text.strip()
    legal = {move: squares_of(state, move) for move in state.legal_moves()}
    if not legal:
        raise IllegalMove(f"{quoted(text)} is not legal: the game is over")
    names = " ".join(move_name(state, move) for move in legal)
    if not re.fullmatch(r"[0-9]{1,2}([-xX:][0-9]{1,2}){1,9}", text):
        raise IllegalMove(f"{quoted(text)} is not a move; expected squares like 11-15 or 22x15x8; legal: {names}")
    squares = [int(number) for number in re.split("[-xX:]", text)]
    found = [move for move, path in legal.items() if path == squares]
    if not found:
        found = [move for move, path in legal.items() if _abbreviates(squares, path)]
    if not found:
        raise IllegalMove(f"{quoted(text)} is not a legal move here; legal: {names}")
    if len({state.play(move) for move in found}) > 1:
        choices = " or ".join(move_name(state, move) for move in found)
        raise IllegalMove(f"{quoted(text)} is ambiguous; expected {choices}")
    return found[0]


def _abbreviates(squares: list[int], path: list[int]) -> bool:
    """Return whether the squares are those of a path with some of the intermediate ones left out."""
    if (squares[0], squares[-1]) != (path[0], path[-1]):
        return False
    between = iter(path[1:-1])
    return all(square in between for square in squares[1:-1])
