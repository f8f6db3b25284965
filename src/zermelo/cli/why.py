"""Being written."""

def why() -> None:
    """Being written."""
