"""Bridge, the play of the cards: rules, double-dummy bounds, notation, par; with open and with hidden hands."""

from zermelo.games.bridge.play import BridgePlay
from zermelo.games.bridge.rules import Bridge

__all__ = ["Bridge", "BridgePlay"]
