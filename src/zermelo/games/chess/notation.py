"""Chess notation: positions in FEN (and the first four fields, as in EPD), moves in SAN, long algebraic and UCI.

    rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1
        pieces from a8 to h1 (white in capitals), side to move, castling rights, en passant square, halfmove clock,
        fullmove number
    Nf3   exd5   e8=Q+   O-O   Nbd2         SAN
    g1f3   e7e8q   e1g1   Ng1-f3            UCI and long algebraic

References
----------
S. J. Edwards, "Portable Game Notation Specification and Implementation Guide" (1994), sections 8.2.3 and 16.1.
X-FEN and Shredder-FEN for the castling rights of chess960.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import TypeVar

from zermelo._util.text import quoted
from zermelo.core.bitboard import Bitboard
from zermelo.core.game import MAX, MIN
from zermelo.errors import IllegalMove, PositionError
from zermelo.games.chess.attacks import (
    FILE_A,
    LIGHT_SQUARES,
    RANK_1,
    bishop_attacks,
    king_attacks,
    knight_attacks,
    pawn_attacks,
    queen_mask,
    rook_attacks,
)
from zermelo.games.chess.position import Position

P = TypeVar("P", bound=Position)

# Longest text that is parsed, in characters: more than any FEN or list of moves needs.
MAX_LENGTH = 10_000
FILES = "abcdefgh"
SQUARES = tuple(file + rank for rank in "12345678" for file in FILES)
SIDES = {"w": MAX, "b": MIN}
NAMES = {MAX: "white", MIN: "black"}
KINDS = ("pawns", "knights", "bishops", "rooks", "queens", "kings")
LETTERS = "PNBRQK"
PROMOTIONS = " NBRQ"  # by bits 12 .. 14 of a move
FIGURINES = dict(zip("KQRBNPkqrbnp", "♔♕♖♗♘♙♚♛♜♝♞♟", strict=True))
EXAMPLE = "expected a position like 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1, or moves like e4 e5 Nf3"

_NUMBER = re.compile(r"[0-9]{1,4}\.+")
_CASTLING = re.compile(r"(?:O-O|0-0|o-o)(-O|-0|-o)?")
_MOVE = re.compile(r"([KQRBNP]?)([a-h]?)([1-8]?)[-x:]?([a-h][1-8])(?:=?([QRBNqrbn])|\(([QRBN])\))?")
_LETTER_OF_FIGURINE = str.maketrans({figure: letter.upper() for letter, figure in FIGURINES.items()})


def position_error(reason: str) -> PositionError:
    """Return the error for a text that is not a position."""
    return PositionError(f"Chess position: {reason}")


# ---- positions ------------------------------------------------------------------------------------------------


def parse_position(cls: Callable[..., P], text: str, max_halfmove_clock: int) -> P:
    """Parse a FEN, the first four fields of one, or a list of moves from the initial position.

    Parameters
    ----------
    cls : class
        The class of the game; called with its fields.
    text : str
        An empty text or `start` is the initial position. At most `MAX_LENGTH` characters.
    max_halfmove_clock : int
        The largest halfmove clock of a position.

    Raises
    ------
    PositionError
        If the text is not a position.
    """
    if len(text) > MAX_LENGTH:
        raise position_error(f"{len(text):,} characters; expected at most {MAX_LENGTH:,}")
    words = text.split()
    if not words or words in (["start"], ["startpos"]):
        return cls()
    if "/" in words[0]:
        return parse_fen(cls, words, max_halfmove_clock)
    state = cls()
    count = 0
    for word in words:
        move = word[found.end() :] if (found := _NUMBER.match(word)) else word
        if move:
            count += 1
            try:
                state = state.play(parse_move(state, move))
            except IllegalMove as error:
                hint = "" if count > 1 else f"; {EXAMPLE}"
                raise position_error(f"move {count}: {error}{hint}") from None
    return state


def parse_fen(cls: Callable[..., P], fields: list[str], max_halfmove_clock: int) -> P:
    """Parse the six fields of a FEN, or the first four. Raises `PositionError`."""
    if len(fields) not in (4, 6):
        raise position_error(
            f"{_counted(len(fields), 'field')}; expected 6 (pieces, side to move, castling, en passant, halfmove "
            "clock, fullmove number), or the first 4 of them"
        )
    kinds, colours = _parse_pieces(fields[0])
    _check_pieces(kinds, colours)
    side = SIDES.get(fields[1])
    if side is None:
        raise position_error(f"side to move {quoted(fields[1])}; expected w (white) or b (black)")
    castling = _parse_castling(fields[2], kinds["R"], kinds["K"], colours)
    clock = 0
    if len(fields) == 6:
        clock = _parse_number(fields[4], "halfmove clock", 0, max_halfmove_clock)
        _parse_number(fields[5], "fullmove number", 0, 9_999)  # some programs count from 0
    en_passant = _parse_en_passant(fields[3], side, kinds["P"], colours, clock)
    pieces = [kinds[letter] for letter in LETTERS]
    white, black = colours[MAX], colours[MIN]
    kings = {owner: (kinds["K"] & colours[owner]).first() for owner in (MAX, MIN)}
    if kings[MIN] in king_attacks(kings[MAX]):
        raise position_error(
            f"the kings on {SQUARES[kings[MAX]]} and {SQUARES[kings[MIN]]} are adjacent; "
            "expected at least one square between them"
        )
    checkers = cls(*pieces, white, black, castling, Bitboard(0), side, 0).checks_and_pins()[0]
    if checkers.count() > 2:
        raise position_error(
            f"{NAMES[side]}'s king is in check from {', '.join(SQUARES[square] for square in checkers)}; expected at "
            "most two checking pieces"
        )
    if cls(*pieces, white, black, castling, Bitboard(0), -side, 0).in_check():
        raise position_error(
            f"{NAMES[-side]}'s king is in check with {NAMES[side]} to move; expected {NAMES[-side]} to move"
        )
    return cls(*pieces, white, black, castling, en_passant, side, clock)


def _parse_pieces(field: str) -> tuple[dict[str, Bitboard], dict[int, Bitboard]]:
    """Return the squares of each kind of piece, by letter, and the squares of each side."""
    ranks = field.split("/")
    if len(ranks) != 8:
        raise position_error(f"{len(ranks)} ranks separated by /; expected 8, from rank 8 down to rank 1")
    kinds = dict.fromkeys(LETTERS, Bitboard(0))
    colours = {MAX: Bitboard(0), MIN: Bitboard(0)}
    for number, rank in zip(range(8, 0, -1), ranks, strict=True):
        file = 0
        before = ""
        for letter in rank:
            kind = letter.upper()
            if letter in "12345678":
                if before and before in "12345678":
                    raise position_error(
                        f"rank {number} ({quoted(rank)}): {before}{letter}; expected one number for them"
                    )
                file += int(letter)
            elif kind in kinds and letter.isascii():
                if file < 8:
                    square = Bitboard(1) << 8 * (number - 1) + file
                    kinds[kind] |= square
                    colours[MAX if letter == kind else MIN] |= square
                file += 1
            else:
                raise position_error(
                    f"rank {number}: {letter!r}; expected PNBRQK for white's pieces, pnbrqk for black's, 1 to 8 for "
                    "empty squares"
                )
            before = letter
        if file != 8:
            raise position_error(f"rank {number} ({quoted(rank)}) has {file} squares; expected 8")
    return kinds, colours


def _check_pieces(kinds: dict[str, Bitboard], colours: dict[int, Bitboard]) -> None:
    """Raise `PositionError` for sets of pieces that cannot occur in a game."""
    for owner in (MAX, MIN):
        own, name = colours[owner], NAMES[owner]
        kings = (kinds["K"] & own).count()
        if kings != 1:
            raise position_error(f"{name} has {kings or 'no'} king{'s' * (kings != 1)}; expected 1")
        pawns = kinds["P"] & own
        for square in pawns & 0xFF000000000000FF:
            raise position_error(f"{name} has a pawn on {SQUARES[square]}; expected no pawns on ranks 1 and 8")
        if pawns.count() > 8:
            raise position_error(f"{name} has {pawns.count()} pawns; expected at most 8")
        if own.count() > 16:
            raise position_error(f"{name} has {own.count()} pieces; expected at most 16")
        bishops = kinds["B"] & own
        promoted = sum(
            max(pieces.count() - initial, 0)
            for pieces, initial in (
                (kinds["N"] & own, 2),
                (bishops & LIGHT_SQUARES, 1),
                (bishops & ~LIGHT_SQUARES, 1),
                (kinds["R"] & own, 2),
                (kinds["Q"] & own, 1),
            )
        )
        if promoted + pawns.count() > 8:
            raise position_error(
                f"{name} has {_counted(pawns.count(), 'pawn')} and at least {_counted(promoted, 'promoted piece')}; "
                "expected at most 8 together"
            )


def _counted(count: int, thing: str) -> str:
    return f"{count} {thing}{'s' * (count != 1)}"


def _parse_castling(field: str, rooks: Bitboard, kings: Bitboard, colours: dict[int, Bitboard]) -> Bitboard:
    """Return the rooks that may still castle: KQkq are the outermost rooks, file letters the rooks on those files."""
    castling = Bitboard(0)
    if field == "-":
        return castling
    seen: set[tuple[int, bool]] = set()
    for letter in field[:9]:
        owner = MAX if letter.isupper() else MIN
        kind = letter.lower()
        if kind not in FILES + "kq" or not letter.isascii():
            raise position_error(
                f"castling {quoted(field)}: {letter!r}; expected - or letters of KQkq (file letters for chess960)"
            )
        row = 0 if owner == MAX else 56
        own = colours[owner] & Bitboard(0xFF) << row
        king = (kings & own).first() - row
        if not 1 <= king <= 6:
            raise position_error(
                f"castling {quoted(field)}: {letter!r}, but {NAMES[owner]}'s king is on "
                f"{SQUARES[(kings & colours[owner]).first()]}; expected it on rank {1 + row // 8} between its rooks"
            )
        beside = [square - row for square in rooks & own]
        if kind in "kq":
            there = [file for file in beside if (file > king) == (kind == "k")]
            file = (max(there) if kind == "k" else min(there)) if there else -1
            where = f"on rank {1 + row // 8} to the {'right' if kind == 'k' else 'left'} of the king"
        else:
            file = FILES.index(kind)
            where = f"on {kind}{1 + row // 8}"
        if file not in beside:
            raise position_error(f"castling {quoted(field)}: {letter!r}, but {NAMES[owner]} has no rook {where}")
        if (owner, file > king) in seen:
            raise position_error(f"castling {quoted(field)}: {letter!r} repeats a side; expected each right once")
        seen.add((owner, file > king))
        castling |= Bitboard(1) << row + file
    if not field or len(field) > 4:
        raise position_error(f"castling {quoted(field)}; expected - or letters of KQkq")
    return castling


def _parse_en_passant(field: str, side: int, pawns: Bitboard, colours: dict[int, Bitboard], clock: int) -> Bitboard:
    """Return the en passant square if an enemy pawn stands next to the pawn that made the double step."""
    if field == "-":
        return Bitboard(0)
    rank = 6 if side == MAX else 3
    if field not in SQUARES:
        raise position_error(f"en passant {quoted(field)}; expected - or a square on rank {rank}, like e{rank}")
    if field[1] != str(rank):
        raise position_error(f"en passant {field} with {NAMES[side]} to move; expected a square on rank {rank}")
    square = SQUARES.index(field)
    forward = 8 * side  # the direction of the side to move; the double step went the other way
    pawn = Bitboard(1) << square - forward
    if not pawn & pawns & colours[-side]:
        raise position_error(f"en passant {field}, but {NAMES[-side]} has no pawn on {SQUARES[square - forward]}")
    occupied = colours[MAX] | colours[MIN]
    for empty in (square, square + forward):
        if empty in occupied:
            raise position_error(
                f"en passant {field}, but {SQUARES[empty]} is occupied; expected it empty, as the pawn came that way"
            )
    if clock:
        raise position_error(f"en passant {field} with halfmove clock {clock}; expected 0, as a pawn has just moved")
    file = square & 7
    capturers = ((pawn << 1) if file < 7 else Bitboard(0)) | ((pawn >> 1) if file > 0 else Bitboard(0))
    return Bitboard(1) << square if capturers & pawns & colours[side] else Bitboard(0)


def _parse_number(field: str, what: str, least: int, most: int) -> int:
    if not re.fullmatch("[0-9]{1,4}", field) or not least <= int(field) <= most:
        raise position_error(f"{what} {quoted(field)}; expected a number from {least} to {most}")
    return int(field)


def fen(state: Position, fullmove_number: int = 1) -> str:
    """Return the position as a FEN. States do not store the fullmove number."""
    return f"{epd(state)} {state.halfmove_clock} {fullmove_number}"


def epd(state: Position) -> str:
    """Return the first four fields of the FEN, with which an EPD begins."""
    side = "w" if state.turn == MAX else "b"
    en_passant = SQUARES[state.en_passant.first()] if state.en_passant else "-"
    return f"{_write_pieces(state)} {side} {_write_castling(state)} {en_passant}"


def _write_pieces(state: Position) -> str:
    cells = ["1"] * 64
    for square, letter in piece_letters(state).items():
        cells[square] = letter
    ranks = ("".join(cells[first : first + 8]) for first in range(56, -1, -8))
    return re.sub("1+", lambda empty: str(len(empty[0])), "/".join(ranks))


def _write_castling(state: Position) -> str:
    """Return castling rights as X-FEN: KQkq for the outermost rooks, the file letter for an inner rook."""
    written = ""
    for own, row in ((state.white, 0), (state.black, 56)):
        king = (state.kings & own).first()
        home = state.rooks & own & Bitboard(0xFF) << row
        for rook in sorted(state.castling_rights & home, reverse=True):
            outermost = home.last() if rook > king else home.first()
            letter = FILES[rook & 7] if rook != outermost else "k" if rook > king else "q"
            written += letter if row else letter.upper()
    return written or "-"


def piece_letters(state: Position) -> dict[int, str]:
    """Return the letter of the piece on each occupied square: capitals for white."""
    found = {}
    for kind, letter in zip(KINDS, LETTERS, strict=True):
        for square in getattr(state, kind):
            found[square] = letter if square in state.white else letter.lower()
    return found


def draw(state: Position) -> str:
    """Draw the board from white's side with figurines; a dot is an empty square."""
    letters = piece_letters(state)
    files = f"    {' '.join(FILES)}"
    lines = [files]
    for rank in range(7, -1, -1):
        cells = (FIGURINES[letters[square]] if square in letters else "·" for square in range(8 * rank, 8 * rank + 8))
        lines.append(f"  {rank + 1} {' '.join(cells)} {rank + 1}")
    return "\n".join([*lines, files])


# ---- moves ----------------------------------------------------------------------------------------------------


def split(move: int) -> tuple[int, int, int]:
    """Return the origin, the target and the promotion piece (0 for none) of a move."""
    return move & 63, move >> 6 & 63, move >> 12


def is_castling(state: Position, move: int) -> bool:
    """Return whether the move is castling, encoded as the king moving onto its own rook."""
    return (move >> 6 & 63) in state.own()


def letter_of(state: Position, square: int) -> str:
    """Return the letter of the piece on a square, in capitals; empty for an empty square."""
    for kind, letter in zip(KINDS, LETTERS, strict=True):
        if square in getattr(state, kind):
            return letter
    return ""


def san(state: Position, move: int, legal: Iterable[int] | None = None) -> str:
    """Return the move in SAN, with + for check or # for checkmate.

    `legal` may pass the legal moves, if they are known, to save generating them again.
    """
    suffix = ""
    if _may_check(state, move):
        after = state.play(move)
        if after.in_check():
            suffix = "+" if after.can_move() else "#"
    return _san_without_check(state, move, legal) + suffix


def _may_check(state: Position, move: int) -> bool:
    """Return whether a move may give check: False is certain, and cheaper than to play the move.

    A check comes from the target, along a line through the king's square from behind the origin, or from castling or an
    en passant capture.
    """
    start, to, _ = split(move)
    squares = _checking_squares((state.kings & state.other()).first())
    return start in squares or to in squares or is_castling(state, move) or to in state.en_passant


@cache
def _checking_squares(king: int) -> Bitboard:
    """Return the squares from which a piece could attack a king on an empty board."""
    return queen_mask(king) | knight_attacks(king)


def _san_without_check(state: Position, move: int, legal: Iterable[int] | None) -> str:
    """Return the move in SAN without + or #."""
    start, to, promotion = split(move)
    if is_castling(state, move):
        return "O-O" if to > start else "O-O-O"
    kind = letter_of(state, start)
    captures = to in state.white | state.black
    if kind == "P":
        file = f"{FILES[start & 7]}x" if captures or start & 7 != to & 7 else ""
        return file + SQUARES[to] + (f"={PROMOTIONS[promotion]}" if promotion else "")
    which = ""
    pieces = getattr(state, KINDS[LETTERS.index(kind)]) & state.own()
    if pieces.rest():  # another piece of the kind
        pieces = _attackers_of_kind(state, kind, to)
    if pieces.rest():
        moves = state.moves() if legal is None else legal
        others = [
            other & 63
            for other in moves
            if (other >> 6 & 63) == to and (other & 63) in pieces and (other & 63) != start
        ]
        if others:
            same_file = any((other & 7) == (start & 7) for other in others)
            same_rank = any(other >> 3 == start >> 3 for other in others)
            square = SQUARES[start]
            which = square[0] if not same_file else square[1] if not same_rank else square
    return f"{kind}{which}{'x' if captures else ''}{SQUARES[to]}"


def uci(state: Position, move: int, chess960: bool = False) -> str:
    """Return the move in UCI notation: e2e4, e7e8q.

    Castling is the king's move by two squares (e1g1). With `chess960`, or if king or rook do not stand on their
    ordinary squares, it is the king's move onto its rook (e1h1).
    """
    start, to, promotion = split(move)
    if is_castling(state, move) and not chess960 and start & 7 == 4 and to & 7 in (0, 7):
        to = start + (2 if to > start else -2)
    return SQUARES[start] + SQUARES[to] + PROMOTIONS[promotion].strip().lower()


def parse_move(state: Position, text: str) -> int:
    """Parse a legal move in SAN, long algebraic or UCI notation.

    The signs + # x = are optional, castling may be written with zeros, and figurines may stand for letters.

    Raises
    ------
    IllegalMove
        If the text is not a legal move, or fits more than one.
    """
    text = text.strip()
    quick = _parse_unambiguous(state, text)
    if quick is not None:
        return quick
    legal = state.legal_moves()
    if not legal:
        raise IllegalMove(f"{quoted(text)} is not legal: the game is over")
    found = _matching(state, text, legal)
    if len(found) == 1:
        return found[0]
    if found:
        choices = " or ".join(san(state, move, legal) for move in found)
        raise IllegalMove(f"{quoted(text)} is ambiguous; expected {choices}")
    similar = _similar(state, text, legal)
    listed = " ".join(sorted(_san_without_check(state, move, legal) for move in similar or legal))
    raise IllegalMove(f"{quoted(text)} is not a legal move here; {'similar' if similar else 'legal'}: {listed}")


def _attackers_of_kind(state: Position, kind: str, to: int) -> Bitboard:
    """Return the own pieces of a kind that can reach a square pseudo-legally (ignoring pins and checks)."""
    own = state.own()
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
        on_fourth = to >> 3 == (3 if forward > 0 else 4)
        reached = Bitboard(1) << to - (2 * forward if on_fourth and to - forward not in occupied else forward)
    pieces: Bitboard = getattr(state, KINDS[LETTERS.index(kind)])
    return reached & pieces & own


def _parse_unambiguous(state: Position, text: str) -> int | None:
    """Parse a move without generating all legal moves, or return None where that is not safe.

    It is safe if the side to move is not in check, exactly one piece of the kind reaches the square, and that piece is
    neither the king nor pinned. This covers most moves of a game and is about five times as fast.
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
    pieces = _attackers_of_kind(state, kind, to)
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
    checkers, *pins = state.checks_and_pins()
    if checkers or any(pieces & pinned for pinned in pins) or state.halfmove_clock > 100 or state.is_dead():
        return None
    return pieces.first() | to << 6 | promotion << 12


def _core(text: str) -> str:
    """Return the text of a move without its optional parts: check, annotation and en passant suffixes."""
    if len(text) > 20:
        return ""
    return text.translate(_LETTER_OF_FIGURINE).removesuffix("e.p.").rstrip("+#!? ")


def _matching(state: Position, text: str, legal: list[int]) -> list[int]:
    """Return the legal moves that a text can stand for."""
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
        # Origin and target without a letter fit any piece, and castling: onto the rook, or to the king's target.
        castlings = [move for move in legal if (move & 63) == start and is_castling(state, move)]
        for move in castlings:
            if split(move)[1] == to and not promotion:
                return [move]
    matching = [
        move
        for move in legal
        if (move >> 6 & 63) == to
        and (not file or FILES[move & 7] == file)
        and (not row or (move >> 3 & 7) == int(row) - 1)
        and (file or letter or (move & 7) == (to & 7))  # pawn captures name the origin file
        and (not promotion or move >> 12 == promotion)
        and not is_castling(state, move)
        and (letter_of(state, move & 63) == (letter or "P") or (start is not None and not letter))
    ]
    if not matching and start is not None and letter in ("", "K") and not promotion:
        matching = [move for move in castlings if to == start - (start & 7) + (6 if split(move)[1] > start else 2)]
    return matching


def _similar(state: Position, text: str, legal: list[int]) -> list[int]:
    """Return the legal moves of the piece that a text names, or else the legal moves to its target square."""
    found = _MOVE.fullmatch(_core(text))
    if not found:
        return []
    letter, file, row, target = found.groups()[:4]
    similar = []
    if letter:
        similar = [move for move in legal if letter_of(state, move & 63) == letter]
    elif file and row:
        similar = [move for move in legal if (move & 63) == SQUARES.index(file + row)]
    return similar or [move for move in legal if (move >> 6 & 63) == SQUARES.index(target)]
