"""`zermelo league`."""

from __future__ import annotations


def league() -> None:
    """To be built."""
    raise NotImplementedError
