"""Texts of chess: positions in FEN (and the four fields of EPD), moves in SAN, long or UCI text, the drawn board.

    rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
        pieces from a8 to h1 (white's in capitals), side to move, castling, the square that a pawn has just passed,
        plies without a capture or a move of a pawn, number of the move
    Nf3   exd5   e8=Q+   O-O   Nbd2         SAN: piece, what tells it from others, x for captures, target, promotion
    g1f3   e7e8q   e1g1   Ng1-f3            from and to, as programs and older books write

Sources: the PGN standard (Edwards 1994), sections 8.2.3 and 16.1 (`docs/formats.md`); X-FEN and Shredder-FEN for the
castling of chess960.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from zermelo._util.text import quoted
from zermelo.core.bitboard import Bitboard
from zermelo.core.game import MAX, MIN
from zermelo.errors import IllegalMove, PositionError
from zermelo.games.chess.attacks import (
    FILE_A,
    LIGHT,
    RANK_1,
    bishop_attacks,
    king_attacks,
    knight_attacks,
    pawn_attacks,
    rook_attacks,
)

if TYPE_CHECKING:
    from zermelo.games.chess.rules import Chess

# No position is longer, nor is any list of moves that is read as one, and whatever is need not be read.
LONGEST = 10_000
FILES = "abcdefgh"
SQUARES = tuple(file + row for row in "12345678" for file in FILES)
SIDES = {"w": MAX, "b": MIN}
NAMES = {MAX: "white", MIN: "black"}
KINDS = ("pawns", "knights", "bishops", "rooks", "queens", "kings")
LETTERS = "PNBRQK"
PROMOTIONS = " NBRQ"  # by their number in a move
FIGURES = dict(zip("KQRBNPkqrbnp", "♔♕♖♗♘♙♚♛♜♝♞♟", strict=True))
EXAMPLE = "expected a position like 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1, or moves like e4 e5 Nf3"

_NUMBER = re.compile(r"[0-9]{1,4}\.+")
_CASTLING = re.compile(r"(?:O-O|0-0|o-o)(-O|-0|-o)?")
_MOVE = re.compile(r"([KQRBNP]?)([a-h]?)([1-8]?)[-x:]?([a-h][1-8])(?:=?([QRBNqrbn])|\(([QRBN])\))?")
_LETTER_OF_FIGURE = str.maketrans({figure: letter.upper() for letter, figure in FIGURES.items()})


def refused(wrong: str) -> PositionError:
    """The error for a text that is no position."""
    return PositionError(f"Chess position: {wrong}")


# ---- positions ------------------------------------------------------------------------------------------------


def parse(cls: Callable[..., Chess], text: str, most_quiet: int) -> Chess:
    """The position that a FEN, the four fields of an EPD, or a list of moves from the start stands for.

    An empty text or `start` is the initial position. `most_quiet` is the largest number of quiet plies. Raises
    `PositionError`.
    """
    if len(text) > LONGEST:
        raise refused(f"{len(text):,} characters; expected at most {LONGEST:,}")
    words = text.split()
    if not words or words in (["start"], ["startpos"]):
        return cls()
    if "/" in words[0]:
        return read(cls, words, most_quiet)
    state = cls()
    count = 0
    for word in words:
        move = word[found.end() :] if (found := _NUMBER.match(word)) else word
        if move:
            count += 1
            try:
                state = state.play(read_move(state, move))
            except IllegalMove as error:
                hint = "" if count > 1 else f"; {EXAMPLE}"
                raise refused(f"move {count}: {error}{hint}") from None
    return state


def read(cls: Callable[..., Chess], fields: list[str], most_quiet: int) -> Chess:
    """The position of a FEN's six fields, or of its first four."""
    if len(fields) not in (4, 6):
        raise refused(
            f"{_counted(len(fields), 'field')}; expected 6 (pieces, side to move, castling, en passant, quiet plies, "
            "move number), or the first 4 of them"
        )
    kinds, colours = _read_pieces(fields[0])
    _check_pieces(kinds, colours)
    side = SIDES.get(fields[1])
    if side is None:
        raise refused(f"side to move {quoted(fields[1])}; expected w (white) or b (black)")
    castling = _read_castling(fields[2], kinds["R"], kinds["K"], colours)
    quiet = 0
    if len(fields) == 6:
        quiet = _read_number(fields[4], "quiet plies", 0, most_quiet)
        _read_number(fields[5], "move number", 0, 9_999)  # some programs count from 0
    passed = _read_passed(fields[3], side, kinds["P"], colours, quiet)
    pieces = [kinds[letter] for letter in LETTERS]
    white, black = colours[MAX], colours[MIN]
    kings = {owner: (kinds["K"] & colours[owner]).first() for owner in (MAX, MIN)}
    if kings[MIN] in king_attacks(kings[MAX]):
        raise refused(
            f"the kings stand on {SQUARES[kings[MAX]]} and {SQUARES[kings[MIN]]}; expected them not next to each other"
        )
    checks = cls(*pieces, white, black, castling, Bitboard(0), side, 0).pressure()[0]
    if checks.count() > 2:
        raise refused(
            f"{NAMES[side]}'s king is in check from {', '.join(SQUARES[square] for square in checks)}; expected two "
            "pieces at most"
        )
    if cls(*pieces, white, black, castling, Bitboard(0), -side, 0).in_check():
        raise refused(
            f"{NAMES[-side]}'s king is in check, and yet {NAMES[side]} is to move; expected {NAMES[-side]} to move"
        )
    return cls(*pieces, white, black, castling, passed, side, quiet)


def _read_pieces(field: str) -> tuple[dict[str, Bitboard], dict[int, Bitboard]]:
    """The squares of each kind of piece, by its letter, and of each side."""
    rows = field.split("/")
    if len(rows) != 8:
        raise refused(f"{len(rows)} rows divided by /; expected 8, from row 8 down to row 1")
    kinds = dict.fromkeys(LETTERS, Bitboard(0))
    colours = {MAX: Bitboard(0), MIN: Bitboard(0)}
    for number, row in zip(range(8, 0, -1), rows, strict=True):
        file = 0
        before = ""
        for letter in row:
            kind = letter.upper()
            if letter in "12345678":
                if before and before in "12345678":
                    raise refused(
                        f"row {number} ({quoted(row)}): {before}{letter}; expected one number for empty squares"
                    )
                file += int(letter)
            elif kind in kinds and letter.isascii():
                if file < 8:
                    square = Bitboard(1) << 8 * (number - 1) + file
                    kinds[kind] |= square
                    colours[MAX if letter == kind else MIN] |= square
                file += 1
            else:
                raise refused(
                    f"row {number}: {letter!r}; expected PNBRQK for white's pieces, pnbrqk for black's, 1 to 8 for "
                    "empty squares"
                )
            before = letter
        if file != 8:
            raise refused(f"row {number} ({quoted(row)}) has {file} squares; expected 8")
    return kinds, colours


def _check_pieces(kinds: dict[str, Bitboard], colours: dict[int, Bitboard]) -> None:
    """Refuse pieces that no game can have."""
    for owner in (MAX, MIN):
        own, name = colours[owner], NAMES[owner]
        kings = (kinds["K"] & own).count()
        if kings != 1:
            raise refused(f"{name} has {kings or 'no'} king{'s' * (kings != 1)}; expected one")
        pawns = kinds["P"] & own
        for square in pawns & 0xFF000000000000FF:
            raise refused(f"{name}'s pawn on {SQUARES[square]}; expected no pawns on rows 1 and 8")
        if pawns.count() > 8:
            raise refused(f"{name} has {pawns.count()} pawns; expected at most 8")
        if own.count() > 16:
            raise refused(f"{name} has {own.count()} pieces; expected at most 16")
        bishops = kinds["B"] & own
        promoted = sum(
            max(pieces.count() - first, 0)
            for pieces, first in (
                (kinds["N"] & own, 2),
                (bishops & LIGHT, 1),
                (bishops & ~LIGHT, 1),
                (kinds["R"] & own, 2),
                (kinds["Q"] & own, 1),
            )
        )
        if promoted + pawns.count() > 8:
            raise refused(
                f"{name} has {_counted(pawns.count(), 'pawn')}, and {_counted(promoted, 'piece')} that only promotion "
                "gives; expected at most 8 of both together"
            )


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}{'s' * (count != 1)}"


def _read_castling(field: str, rooks: Bitboard, kings: Bitboard, colours: dict[int, Bitboard]) -> Bitboard:
    """The rooks that may still castle: KQkq stand for the outermost ones, the letters of files for those on them."""
    castling = Bitboard(0)
    if field == "-":
        return castling
    taken: set[tuple[int, bool]] = set()
    for letter in field[:9]:
        owner = MAX if letter.isupper() else MIN
        kind = letter.lower()
        if kind not in FILES + "kq" or not letter.isascii():
            raise refused(
                f"castling {quoted(field)}: {letter!r}; expected - or letters of KQkq (or files, AHah, for chess960)"
            )
        row = 0 if owner == MAX else 56
        own = colours[owner] & Bitboard(0xFF) << row
        king = (kings & own).first() - row
        if not 1 <= king <= 6:
            raise refused(
                f"castling {quoted(field)}: {letter!r}, but {NAMES[owner]}'s king is on "
                f"{SQUARES[(kings & colours[owner]).first()]}; expected it between its rooks on row "
                f"{1 + row // 8}, unmoved"
            )
        beside = [square - row for square in rooks & own]
        if kind in "kq":
            there = [file for file in beside if (file > king) == (kind == "k")]
            file = (max(there) if kind == "k" else min(there)) if there else -1
            where = f"on row {1 + row // 8} to the {'right' if kind == 'k' else 'left'} of the king"
        else:
            file = FILES.index(kind)
            where = f"on {kind}{1 + row // 8}"
        if file not in beside:
            raise refused(f"castling {quoted(field)}: {letter!r}, but there is no rook of {NAMES[owner]}'s {where}")
        if (owner, file > king) in taken:
            raise refused(f"castling {quoted(field)}: {letter!r} names a side for the second time; expected each once")
        taken.add((owner, file > king))
        castling |= Bitboard(1) << row + file
    if not field or len(field) > 4:
        raise refused(f"castling {quoted(field)}; expected - or letters of KQkq")
    return castling


def _read_passed(field: str, side: int, pawns: Bitboard, colours: dict[int, Bitboard], quiet: int) -> Bitboard:
    """The square that a pawn has just passed over, if a pawn stands where it could take there."""
    if field == "-":
        return Bitboard(0)
    row = 6 if side == MAX else 3
    if field not in SQUARES:
        raise refused(f"en passant {quoted(field)}; expected - or a square of row {row}, like e{row}")
    if field[1] != str(row):
        raise refused(f"en passant {field} with {NAMES[side]} to move; expected a square of row {row}")
    square = SQUARES.index(field)
    forward = 8 * side  # the way of the side to move; the pawn came the other way
    passer = Bitboard(1) << square - forward
    if not passer & pawns & colours[-side]:
        raise refused(f"en passant {field}, but there is no pawn of {NAMES[-side]}'s on {SQUARES[square - forward]}")
    everything = colours[MAX] | colours[MIN]
    for empty in (square, square + forward):
        if empty in everything:
            raise refused(f"en passant {field}, but {SQUARES[empty]} is not empty, where the pawn came from or through")
    if quiet:
        raise refused(f"en passant {field} after {quiet} quiet plies; expected 0, as a pawn has just moved")
    file = square & 7
    takers = ((passer << 1) if file < 7 else Bitboard(0)) | ((passer >> 1) if file > 0 else Bitboard(0))
    return Bitboard(1) << square if takers & pawns & colours[side] else Bitboard(0)


def _read_number(field: str, what: str, least: int, most: int) -> int:
    if not re.fullmatch("[0-9]{1,4}", field) or not least <= int(field) <= most:
        raise refused(f"{what} {quoted(field)}; expected a number from {least} to {most}")
    return int(field)


def write(state: Chess, number: int = 1) -> str:
    """The position as a FEN. The number of the move is no part of a position; it is written as given."""
    return f"{write_fields(state)} {state.halfmove_clock} {number}"


def write_fields(state: Chess) -> str:
    """The first four fields of the FEN, with which an EPD begins."""
    side = "w" if state.turn == MAX else "b"
    passed = SQUARES[state.en_passant.first()] if state.en_passant else "-"
    return f"{_write_pieces(state)} {side} {_write_castling(state)} {passed}"


def _write_pieces(state: Chess) -> str:
    cells = ["1"] * 64
    for square, letter in letters(state).items():
        cells[square] = letter
    rows = ("".join(cells[first : first + 8]) for first in range(56, -1, -8))
    return re.sub("1+", lambda empty: str(len(empty[0])), "/".join(rows))


def _write_castling(state: Chess) -> str:
    """KQkq for the outermost rooks on each side of the king; the letter of its file for another one."""
    written = ""
    for own, row in ((state.white, 0), (state.black, 56)):
        king = (state.kings & own).first()
        home = state.rooks & own & Bitboard(0xFF) << row
        for rook in sorted(state.castling_rights & home, reverse=True):
            outermost = home.last() if rook > king else home.first()
            letter = FILES[rook & 7] if rook != outermost else "k" if rook > king else "q"
            written += letter if row else letter.upper()
    return written or "-"


def letters(state: Chess) -> dict[int, str]:
    """The letter of the piece on each square that is not empty: capitals for white."""
    found = {}
    for kind, letter in zip(KINDS, LETTERS, strict=True):
        for square in getattr(state, kind):
            found[square] = letter if square in state.white else letter.lower()
    return found


def draw(state: Chess) -> str:
    """The board from white's side, with the figures of both sides; a dot is an empty square."""
    there = letters(state)
    files = f"    {' '.join(FILES)}"
    lines = [files]
    for row in range(7, -1, -1):
        cells = (FIGURES[there[square]] if square in there else "·" for square in range(8 * row, 8 * row + 8))
        lines.append(f"  {row + 1} {' '.join(cells)} {row + 1}")
    return "\n".join([*lines, files])


# ---- moves ----------------------------------------------------------------------------------------------------


def split(move: int) -> tuple[int, int, int]:
    """The squares that a move goes from and to, and the number of what a pawn becomes (0: it stays one)."""
    return move & 63, move >> 6 & 63, move >> 12


def is_castling(state: Chess, move: int) -> bool:
    """Whether the move is the king's onto a rook of its own, which stands for castling with it."""
    return (move >> 6 & 63) in state.own()


def letter_of(state: Chess, square: int) -> str:
    """The letter of the piece on a square, in capitals; nothing for an empty square."""
    for kind, letter in zip(KINDS, LETTERS, strict=True):
        if square in getattr(state, kind):
            return letter
    return ""


def name(state: Chess, move: int, legal: Iterable[int] | None = None) -> str:
    """The move in SAN, with + or #; `legal` are all legal moves, where they are known."""
    after = state.play(move)
    end = ""
    if after.in_check():
        end = "+" if after.can_move() else "#"
    return _plain_name(state, move, legal) + end


def _plain_name(state: Chess, move: int, legal: Iterable[int] | None) -> str:
    """The move in SAN, whatever it leads to."""
    start, to, promotion = split(move)
    if is_castling(state, move):
        return "O-O" if to > start else "O-O-O"
    kind = letter_of(state, start)
    captures = to in state.white | state.black
    if kind == "P":
        file = f"{FILES[start & 7]}x" if captures or start & 7 != to & 7 else ""
        return file + SQUARES[to] + (f"={PROMOTIONS[promotion]}" if promotion else "")
    which = ""
    pieces = _reaching(state, kind, to)
    if pieces.rest():
        moves = state.moves() if legal is None else legal
        others = [
            other & 63
            for other in moves
            if (other >> 6 & 63) == to and (other & 63) in pieces and (other & 63) != start
        ]
        if others:
            same_file = any((other & 7) == (start & 7) for other in others)
            same_row = any(other >> 3 == start >> 3 for other in others)
            square = SQUARES[start]
            which = square[0] if not same_file else square[1] if not same_row else square
    return f"{kind}{which}{'x' if captures else ''}{SQUARES[to]}"


def uci(state: Chess, move: int, chess960: bool = False) -> str:
    """The move as engines write it: e2e4, e7e8q. Castling is the king's move by two squares, e1g1; with `chess960`,
    or where king and rook do not stand as in ordinary chess, the king's onto its rook, e1h1.
    """
    start, to, promotion = split(move)
    if is_castling(state, move) and not chess960 and start & 7 == 4 and to & 7 in (0, 7):
        to = start + (2 if to > start else -2)
    return SQUARES[start] + SQUARES[to] + PROMOTIONS[promotion].strip().lower()


def read_move(state: Chess, text: str) -> int:
    """The legal move that a text names, in SAN, long or UCI text. Raises `IllegalMove`.

    + and #, x and = may be missing or be there, castling may have zeros, figures may stand for letters. What could be
    two moves is refused.
    """
    wanted = text.strip()
    sure = _sure(state, wanted)
    if sure is not None:
        return sure
    legal = state.legal_moves()
    if not legal:
        raise IllegalMove(f"{quoted(wanted)} cannot be played: the game is over")
    found = _meant(state, wanted, legal)
    if len(found) == 1:
        return found[0]
    if found:
        meant = " or ".join(name(state, move, legal) for move in found)
        raise IllegalMove(f"{quoted(wanted)} is more than one move here; expected {meant}")
    near = _near(state, wanted, legal)
    told = " ".join(sorted(_plain_name(state, move, legal) for move in near or legal))
    raise IllegalMove(f"{quoted(wanted)} is not a legal move here; {'near it' if near else 'legal'}: {told}")


def _reaching(state: Chess, kind: str, to: int) -> Bitboard:
    """The pieces of the side to move that reach a square by their way of going, whatever pins and checks say."""
    own: Bitboard = state.own()
    occupied = state.white | state.black
    reached: Bitboard
    if kind == "N":
        reached = knight_attacks(to)
    elif kind == "B":
        reached = bishop_attacks(to, occupied)
    elif kind == "R":
        reached = rook_attacks(to, occupied)
    elif kind == "Q":
        reached = bishop_attacks(to, occupied) | rook_attacks(to, occupied)
    elif kind == "K":
        reached = king_attacks(to)
    elif to in occupied:
        reached = pawn_attacks(Bitboard(1) << to, -state.turn)
    else:
        forward = 8 * state.turn
        is_fourth = to >> 3 == (3 if forward > 0 else 4)
        reached = Bitboard(1) << to - (2 * forward if is_fourth and to - forward not in occupied else forward)
    pieces: Bitboard = getattr(state, KINDS[LETTERS.index(kind)])
    return reached & pieces & own


def _sure(state: Chess, text: str) -> int | None:
    """The move that a text names, where that is plain without all legal moves: nobody is in check, one piece of the
    kind reaches the square, it is no king and not pinned. Most moves of a game are such, and take a fifth of the time.
    """
    found = _MOVE.fullmatch(_core(text))
    if not found or found[1] == "K":
        return None
    letter, file, row, target, *promotions = found.groups()
    to = SQUARES.index(target)
    kind = letter or (letter_of(state, SQUARES.index(file + row)) if file and row else "P")
    promotion = PROMOTIONS.index("".join(filter(None, promotions)).upper() or " ")
    if to in state.own() or kind in ("K", "") or (promotion > 0) != (kind == "P" and to >> 3 in (0, 7)):
        return None
    pieces = _reaching(state, kind, to)
    if file and not row:
        pieces &= FILE_A << FILES.index(file)
    elif row and not file:
        pieces &= RANK_1 << 8 * (int(row) - 1)
    elif file:
        pieces &= Bitboard(1) << SQUARES.index(file + row)
    if not pieces or pieces.rest():
        return None
    if kind == "P" and not file and to in state.other():
        return None
    checks, *pins = state.pressure()
    if checks or any(pieces & pinned for pinned in pins) or state.reversible_plies() > 100 or state.is_dead():
        return None
    return pieces.first() | to << 6 | promotion << 12


def _core(text: str) -> str:
    """The text of a move without what may be left out: signs of check, of praise and of en passant."""
    if len(text) > 20:
        return ""
    return text.translate(_LETTER_OF_FIGURE).removesuffix("e.p.").rstrip("+#!? ")


def _meant(state: Chess, text: str, legal: list[int]) -> list[int]:
    """The legal moves that a text can mean."""
    core = _core(text)
    if castling := _CASTLING.fullmatch(core):
        long = castling[1] is not None
        return [move for move in legal if is_castling(state, move) and (split(move)[1] < split(move)[0]) == long]
    found = _MOVE.fullmatch(core) or (_MOVE.fullmatch(core[:1].upper() + core[1:]) if core[:1] in "kqrn" else None)
    if not found:
        return []
    letter, file, row, target, *promotions = found.groups()
    to = SQUARES.index(target)
    promotion = PROMOTIONS.index("".join(filter(None, promotions)).upper() or " ")
    start = SQUARES.index(file + row) if file and row else None
    if start is not None and letter in ("", "K"):
        # From and to alone may be any piece's move, castling too: onto the rook, or to where the king goes.
        castlings = [move for move in legal if (move & 63) == start and is_castling(state, move)]
        for move in castlings:
            if split(move)[1] == to and not promotion:
                return [move]
    fitting = [
        move
        for move in legal
        if (move >> 6 & 63) == to
        and (not file or FILES[move & 7] == file)
        and (not row or (move >> 3 & 7) == int(row) - 1)
        and (file or letter or (move & 7) == (to & 7))  # a pawn that takes names its file
        and (not promotion or move >> 12 == promotion)
        and not is_castling(state, move)
        and (letter_of(state, move & 63) == (letter or "P") or (start is not None and not letter))
    ]
    if not fitting and start is not None and letter in ("", "K") and not promotion:
        fitting = [move for move in castlings if to == start - (start & 7) + (6 if split(move)[1] > start else 2)]
    return fitting


def _near(state: Chess, text: str, legal: list[int]) -> list[int]:
    """The legal moves of the piece that a text names, by its letter or its square, or else to the square it names."""
    found = _MOVE.fullmatch(_core(text))
    if not found:
        return []
    letter, file, row, target = found.groups()[:4]
    near = []
    if letter:
        near = [move for move in legal if letter_of(state, move & 63) == letter]
    elif file and row:
        near = [move for move in legal if (move & 63) == SQUARES.index(file + row)]
    return near or [move for move in legal if (move >> 6 & 63) == SQUARES.index(target)]
