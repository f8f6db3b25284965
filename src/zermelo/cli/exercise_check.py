"""Being written."""

def check() -> None:
    """Being written."""
