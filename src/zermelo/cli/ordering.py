"""Being written."""

def order() -> None:
    """Being written."""
