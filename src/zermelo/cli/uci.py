"""`zermelo uci`."""

from __future__ import annotations


def uci() -> None:
    """To be built."""
    raise NotImplementedError
