"""`zermelo standings`."""

from __future__ import annotations


def standings() -> None:
    """To be built."""
    raise NotImplementedError
