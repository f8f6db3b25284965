"""Being written."""

def draw() -> None:
    """Being written."""
