"""Being written."""

def lectures() -> None:
    """Being written."""
