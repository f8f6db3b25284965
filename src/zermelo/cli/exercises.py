"""Being written."""

def new() -> None:
    """Being written."""


def sheet() -> None:
    """Being written."""


def grade() -> None:
    """Being written."""
