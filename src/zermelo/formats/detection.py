"""Reading a text whose format is not known: pasted, or from a file with an unusual name; and uploaded binary files.

read_text(Chess, "1. e4 e5 2. Nf3")     ->  TextGames(format=pgn, records=[...], errors=[])
"""

from __future__ import annotations

import io
from dataclasses import dataclass

from zermelo.core.game import State
from zermelo.errors import FormatError
from zermelo.formats.record import Record
from zermelo.formats.registry import Format, format_for_file, formats_of, get_format

#: Longer words are positions, in characters: moves are short.
LONGEST_MOVE = 12


@dataclass(frozen=True, slots=True)
class TextGames:
    """The games of a text."""

    format: Format
    records: list[Record]
    #: The errors of the games that cannot be read, in the order of the text.
    errors: list[FormatError]
    #: Whether the text has more games than were read.
    has_more: bool


def read_text(cls: type[State], text: str, name: str = "", form: str = "", most: int = 100) -> TextGames:
    """Read the games of a text in one of the game's formats.

    Parameters
    ----------
    cls : type of State
        The game.
    text : str
        The content of a file.
    name : str
        Name of the file. Its extension chooses the format; with any other extension all formats are tried.
    form : str
        Name of the format; chosen by `name`, or by trial, if it is empty.
    most : int
        Maximum number of games to read, at least 1; games with errors count.

    Returns
    -------
    TextGames
        At least one game, or at least one error.

    Raises
    ------
    FormatError
        If the text is empty or holds no game, or the game has no format `form`.

    Notes
    -----
    By trial, the first text format of `formats_of` that reads the whole text wins; else the one that reads the most
    games; else the one whose first error is furthest down, because readers of other formats fail on the first line. A
    single word that is too long for a move is read as a position.
    """
    if not text.strip():
        raise FormatError("the text is empty; expected a game or a position")
    chosen = get_format(cls, form) if form else format_for_file(cls, name) if name else None
    content = text.encode("utf-8", "replace")
    if chosen is not None:
        if chosen.binary:
            raise FormatError(f"{chosen.name} is a binary format; expected a file, not text")
        return _read_chosen(chosen, content, most)
    best: TextGames | None = None
    texts = {name: each for name, each in formats_of(cls).items() if each.binary is None}
    for each in texts.values():
        found = _read(each, content, most)
        if found.records and not found.errors:
            return found
        if found.errors and (best is None or _rank(found, text) > _rank(best, text)):
            best = found
    if best is None:
        raise FormatError(f"contains no game; expected one of the formats {', '.join(texts)}")
    return best


def read_binary(cls: type[State], content: bytes, name: str, most: int = 100) -> TextGames:
    """Read the games of a file in a binary format of the game, which its extension names.

    Raises
    ------
    FormatError
        If the extension is not one of a binary format, or the file holds no game.
    """
    chosen = format_for_file(cls, name)
    if chosen is None or chosen.binary is None:
        known = [suffix for each in formats_of(cls).values() if each.binary for suffix in each.suffixes]
        expected = " or ".join(["text in UTF-8 or Latin-1", *known])
        raise FormatError(f"the file contains NUL bytes; expected {expected}")
    return _read_chosen(chosen, content, most)


def _read_chosen(form: Format, content: bytes, most: int) -> TextGames:
    found = _read(form, content, most)
    if not found.records and not found.errors:
        raise FormatError(f"contains no game; is it {form.name}?")
    return found


def _rank(games: TextGames, text: str) -> tuple[int, int, bool]:
    first = games.errors[0]
    # A long first word that is taken for a move is a position, of which the readers of positions say what is wrong.
    is_position = len(first.move) > LONGEST_MOVE and text.lstrip().startswith(first.move)
    return len(games.records), first.line, not is_position


def _read(form: Format, content: bytes, most: int) -> TextGames:
    errors: list[FormatError] = []
    records: list[Record] = []
    has_more = False
    for record in form.read_file(io.BytesIO(content), errors.append):
        if len(records) + len(errors) >= most:
            has_more = True
            break
        records.append(record)
    return TextGames(form, records, errors, has_more)
