"""`zermelo export`."""

from __future__ import annotations


def export() -> None:
    """To be built."""
    raise NotImplementedError
