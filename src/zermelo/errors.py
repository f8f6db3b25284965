"""The errors of the interface: each says in one line what was wrong, where, and what would be right.

All derive from `ZermeloError`, so a caller that turns bad input into one clear line (the command line
does) catches one class; all are `ValueError`s too, because bad input is what they are about.
"""

from collections.abc import Iterable


def shown(text: str) -> str:
    """A piece of the input in quotes, as an error tells it: cut where it is long."""
    return repr(text if len(text) <= 20 else text[:17] + "...")


def in_line(text: str) -> str:
    """A stranger's text as one line that does nothing to a terminal or a file."""
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


def near(text: str, known: Iterable[str], otherwise: str | None = None) -> str:
    """What an unknown name may stand for: `did you mean othello?`; where none is near `otherwise`, or all of them."""
    from difflib import get_close_matches

    names = {name.casefold(): name for name in known}
    found = [names[name] for name in get_close_matches(text.strip()[:60].casefold(), names, cutoff=0.55)]
    if found:
        return f"did you mean {' or '.join(found)}?"
    return f"there are {', '.join(names.values())}" if otherwise is None else otherwise


class ZermeloError(ValueError):
    """Bad input to Zermelo. Its text is one line for the person who gave the input."""


class GameError(ZermeloError):
    """A game (or an evaluation) breaks the contract of `zermelo.core.game`: names the method and what was expected."""


class UnknownGame(ZermeloError):
    """No such game, evaluation or algorithm; names the nearest ones."""


class PositionError(ZermeloError):
    """A text is no position of the game: says which character and what was expected there."""


class IllegalMove(ZermeloError):
    """A move that cannot be played in the state; names the moves that can."""


class LimitError(ZermeloError):
    """Limits of a search that cannot be met (a negative depth, a table of no bytes, no time at all)."""


class OutOfTime(LimitError):
    """A search has not come to its end in the seconds that it was given."""


class TreeError(ZermeloError):
    """A text or file is no game tree, exercise or answer: says where, and what would be right."""


class StoreError(ZermeloError):
    """Games that are kept cannot be read or written: no store, one of another version, damaged, held, a full disk."""


class FormatError(ZermeloError):
    """A game in a file (PGN, PDN, EPD, ...) cannot be read: which game, line and move, and what would be right.

    `game` and `line` count from 1 and are 0 where they are not known; `move` is the text of the move, or empty.
    """

    def __init__(self, wrong: str, *, game: int = 0, line: int = 0, move: str = "") -> None:
        super().__init__(wrong)
        self.wrong = wrong
        self.game = game
        self.line = line
        self.move = move

    def __str__(self) -> str:
        places = [f"{name} {number:,}" for name, number in (("game", self.game), ("line", self.line)) if number]
        return f"{', '.join(places)}: {self.wrong}" if places else self.wrong
