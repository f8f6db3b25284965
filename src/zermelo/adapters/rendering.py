"""What environments render for people: a board as text, or as an array of pixels, as one player sees it."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from zermelo.core.game import State
from zermelo.core.player_view import board_of
from zermelo.errors import LimitError

RENDER_MODES = ["ansi", "rgb_array"]
_DPI = 96


def check_choice(name: str, value: object, known: Sequence[str]) -> None:
    """Raise `LimitError` for an argument that is none of the known values."""
    if value not in known:
        raise LimitError(f"{name} must be one of {', '.join(known)} (got {value!r})")


def render(state: State, mode: str | None, player: int) -> Any:
    """Return a position as text (`ansi`), as an array of shape (height, width, 3) (`rgb_array`), or None without mode.

    What is hidden from the player is not drawn.

    Raises
    ------
    MissingDependency
        Pixels need matplotlib.
    """
    if mode is None:
        return None
    if mode == "ansi":
        return board_of(state, player)
    from zermelo.drawing.boards import board_scene
    from zermelo.drawing.raster import png

    picture = png(board_scene(state, player=player), dpi=_DPI)
    from matplotlib.image import imread

    return (imread(io.BytesIO(picture), format="png")[:, :, :3] * 255).round().astype("uint8")
