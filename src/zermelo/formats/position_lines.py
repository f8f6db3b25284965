"""Text with a position in each line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO

from zermelo.core.game import State
from zermelo.errors import PositionError, ZermeloError
from zermelo.formats.line_reader import read_lines


def read_position_lines(file: BinaryIO, cls: type[State], name: str) -> Iterator[tuple[str, State]]:
    """Yield the positions of a file, one per line, as text and as states; skip empty lines and lines that start with #.

    Parameters
    ----------
    file : binary file
        Text of the positions.
    cls : type of State
        The game.
    name : str
        Name of the file for error messages.

    Raises
    ------
    PositionError
        A line is not a position of the game; the message names the line.
    """
    for line in read_lines(file):
        text = line.text.strip()
        if line.error:
            raise PositionError(f"{name}, line {line.number}: {line.error}")
        if not text or text.startswith("#"):
            continue
        try:
            state = cls.parse(text)
        except ZermeloError as error:
            raise PositionError(f"{name}, line {line.number}: {error}") from None
        yield text, state
