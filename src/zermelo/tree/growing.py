"""Trees that nobody has written down: sown at random from a seed, and grown from a game's position."""

from zermelo.tree.grown import Grown, grown
from zermelo.tree.sown import sown, span

__all__ = ["Grown", "grown", "sown", "span"]
