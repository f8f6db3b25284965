"""A GTP engine as a teacher: it plays both sides of the games, and their results are the labels of positions.

GTP has no command for a score, so a game is all that such a program can teach.
"""

from __future__ import annotations

import time
from dataclasses import replace

from zermelo._util.text import quoted
from zermelo.core.game import State
from zermelo.errors import LimitError, UnknownGame, ZermeloError
from zermelo.protocols.engine_commands import read_command
from zermelo.protocols.gtp_client import GAMES, GtpClient
from zermelo.sandbox.failure import ProgramFailure
from zermelo.sandbox.program import Program

#: The spec of a GTP teacher is this and the command of an engine.
PREFIX = "gtp:"
#: Seconds for a move, and of processor time in all.
_SECONDS, _PROCESSOR = 600.0, 1e7


class GtpTeacher:
    """A GTP engine. Use it as a context manager, and call `new_game` before the first move of each game.

    Parameters
    ----------
    text : str
        Command of the engine, as `zermelo.protocols.engine_commands` describes it.
    cls : type of State
        The game; one of `zermelo.protocols.gtp_client.GAMES`.

    Raises
    ------
    UnknownGame
        The game is not known over GTP, or the program was not found.
    LimitError
        The spec is malformed.
    """

    def __init__(self, text: str, cls: type[State]) -> None:
        if cls.__name__ not in GAMES:
            raise UnknownGame(f"gtp: engines teach {', '.join(sorted(GAMES))} only (got {cls.__name__})")
        options, limits, self._command = read_command(text)
        if options:
            raise LimitError(f"option {quoted(options[0][0])}: engines of GTP have no options; add it to the command")
        self._limits = replace(limits, processor=_PROCESSOR)
        self._cls, self._game = cls, GAMES[cls.__name__]
        self._has_failed = False
        self.name = text

    def __enter__(self) -> GtpTeacher:
        self._program = Program(self._command, self._limits)
        try:
            self._program.__enter__()
            self._gtp = GtpClient(self._program, self._game)
            self._gtp.initialize()
        except ProgramFailure as failure:
            raise self._failed(failure) from None
        except BaseException:
            self._program.close()
            raise
        self._has_failed = False
        return self

    def __exit__(self, *error: object) -> None:
        self._program.close()

    def new_game(self) -> None:
        """Begin a game at the initial position. Like the methods below, raises `ZermeloError` if the engine fails."""
        try:
            if self._has_failed:
                self.__enter__()
            self._gtp.new_game(self._cls.start())
        except ProgramFailure as failure:
            raise self._failed(failure) from None

    def play(self, state: State, move: int) -> None:
        """Tell a move that the engine did not choose."""
        try:
            self._gtp.play(state, move, time.monotonic() + _SECONDS)
        except ProgramFailure as failure:
            raise self._failed(failure) from None

    def choose(self, state: State) -> int:
        """Let the engine move in a state; return its move."""
        try:
            move = self._gtp.genmove(state, time.monotonic() + _SECONDS)
        except ProgramFailure as failure:
            raise self._failed(failure) from None
        if move is None:
            raise ZermeloError(
                f"teacher failed: {self.name}: it resigned in {state}; games must end by the rules: switch that off"
            )
        return move

    def _failed(self, failure: ProgramFailure) -> ZermeloError:
        """End the engine; the next game starts it again."""
        self._program.close()
        self._has_failed = True
        return ZermeloError(f"teacher failed: {self.name}: {failure}")
