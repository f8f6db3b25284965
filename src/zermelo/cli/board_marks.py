"""Marking the last move on a board drawn as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.text import Text

#: Characters of empty squares.
EMPTY = frozenset(" ·.-")


def changed_places(board: str, before: str) -> list[int]:
    """The places in a drawn board where a piece has come or gone since the drawing before.

    Digits (counts, square numbers) and marks of empty squares are not pieces. Boards of different shapes have no places
    in common.
    """
    lines, old = board.split("\n"), before.split("\n")
    if len(lines) == 1 or list(map(len, lines)) != list(map(len, old)):
        return []
    return [
        place
        for place, (now, then) in enumerate(zip(board, before, strict=True))
        if now != then and any(sign not in EMPTY and not sign.isdigit() for sign in (now, then))
    ]


def marked(board: str, before: str) -> Text:
    """The board with the places that the last move changed in reverse, together with a square's number beside them."""
    from rich.text import Text

    text = Text(board)
    for place in changed_places(board, before):
        end = place + 1
        while board[end : end + 1].isdigit():
            end += 1
        text.stylize("reverse", place, end)
    return text
