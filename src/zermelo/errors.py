"""Exceptions: every error that Zermelo raises on purpose derives from `ZermeloError`. ::

    ZermeloError
    |-- InputError (ValueError)            bad input: what is wrong, where, what is expected
    |   |-- PositionError                  a position
    |   |-- IllegalMove                    a move
    |   |-- LimitError                     a number or option out of range
    |   |-- UnknownGame                    a name: game, evaluation, player, algorithm
    |   |-- TreeError                      a game tree, an exercise, an answer
    |   `-- FormatError                    a game record (PGN, PDN, EPD, ...)
    |-- GameError                          a game or an evaluation breaks the contract
    |-- MissingDependency (ImportError)    an optional package is not installed
    |-- FileError (OSError)                a file cannot be read or written
    |   `-- StoreError                     a store of games cannot be read or written
    |-- SearchTimeout (TimeoutError)       a search did not finish in the time given
    `-- EngineFailure                      an external engine, agent or program failed

The message is one line that can be shown to the user as it is; the command line prints it and exits with code 2.
"""

from __future__ import annotations


class ZermeloError(Exception):
    """Base class of all errors of Zermelo. Its message is one line for the user."""


class InputError(ZermeloError, ValueError):
    """Bad input. The message says what is wrong, where, and what is expected."""


class PositionError(InputError):
    """A text is not a position of the game."""


class IllegalMove(InputError):
    """A move is not legal in the state, or its text is not a move."""


class LimitError(InputError):
    """A number, limit or option is out of range: a negative depth, an empty table, an unknown setting."""


class UnknownGame(InputError):
    """A game, evaluation, player or algorithm of this name does not exist. The message suggests similar names."""


class TreeError(InputError):
    """A text or file is not a valid game tree, exercise or answer."""


class FormatError(InputError):
    """A game record (PGN, PDN, EPD, ...) cannot be read or written.

    Attributes
    ----------
    wrong : str
        What is wrong, without the place.
    game, line : int
        Number of the game in the file and of the line, both from 1; 0 if unknown.
    move : str
        Text of the move, or the empty string.
    tag : str
        Name of a tag that the format does not have, or the empty string.
    """

    def __init__(self, wrong: str, *, game: int = 0, line: int = 0, move: str = "", tag: str = "") -> None:
        super().__init__(wrong)
        self.wrong = wrong
        self.game = game
        self.line = line
        self.move = move
        self.tag = tag

    def __str__(self) -> str:
        place = [f"{name} {number:,}" for name, number in (("game", self.game), ("line", self.line)) if number]
        return f"{', '.join(place)}: {self.wrong}" if place else self.wrong


class GameError(ZermeloError):
    """A game or an evaluation breaks the contract of `zermelo.core.game`. The message names the method."""


class MissingDependency(ZermeloError, ImportError):
    """An optional package is not installed. The message says how to install it."""


class FileError(ZermeloError, OSError):
    """A file cannot be read or written: it does not exist, is a directory, the disk is full, access is denied."""


class StoreError(FileError):
    """A store of games cannot be read or written: not a store, another version, damaged, locked, disk full."""


class SearchTimeout(ZermeloError, TimeoutError):
    """A search that has to finish did not finish within the limit given."""


class EngineFailure(ZermeloError):
    """An external program (a chess engine, an agent, a student's program) failed.

    Attributes
    ----------
    reason : str
        The kind of failure, one of `zermelo.sandbox.failure.Reason`.
    detail : str
        What happened, in one line.
    """

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else str(reason))
        self.reason = reason
        self.detail = detail
