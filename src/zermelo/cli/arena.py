"""`zermelo match`, `zermelo tournament` and `zermelo resume`."""

from __future__ import annotations


def match() -> None:
    """To be built."""
    raise NotImplementedError


def tournament() -> None:
    """To be built."""
    raise NotImplementedError


def resume() -> None:
    """To be built."""
    raise NotImplementedError
