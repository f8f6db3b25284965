"""`state_text`: a position as text for a node of a tree."""

from __future__ import annotations

from zermelo.core.game import State
from zermelo.core.picture import Grid

_MARKS = {"cross": "X", "nought": "O"}


def state_text(state: State) -> str:
    """Return a position as text for a node of a tree.

    A board of crosses and noughts has its empty squares blank. `State.board` numbers them there for people who enter
    moves; in a tree such numbers would look like values. All other boards are drawn as `State.board` draws them.
    """
    picture = state.picture()
    if not isinstance(picture, Grid) or {piece.kind for piece in state.setup_pieces()} != _MARKS.keys():
        return state.board()
    rows = [[" "] * picture.columns for _ in range(picture.rows)]
    for piece in picture.pieces:
        rows[piece.row][piece.column] = _MARKS[piece.kind]
    labels = picture.row_labels or ("",) * picture.rows
    margin = " " * (max(map(len, labels)) + 1 if picture.row_labels else 0)
    rule = "┼".join(["───"] * picture.columns)
    lines = [margin + "".join(f"  {label} " for label in picture.column_labels).rstrip()] * bool(picture.column_labels)
    lines.append(f"{margin}┌{rule.replace('┼', '┬')}┐")
    for number, (label, row) in enumerate(zip(labels, rows, strict=True)):
        lines += [f"{margin}├{rule}┤"] * bool(number)
        lines.append(f"{label:<{len(margin)}}│ {' │ '.join(row)} │")
    lines.append(f"{margin}└{rule.replace('┼', '┴')}┘")
    return "\n".join(lines)
