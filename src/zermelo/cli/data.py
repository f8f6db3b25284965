"""`zermelo data`."""

from __future__ import annotations


def data() -> None:
    """To be built."""
    raise NotImplementedError
