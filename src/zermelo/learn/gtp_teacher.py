"""A GTP engine as a teacher: it plays both sides of the games, and their results are the labels of positions.

GTP has no command for a score, so a game is all that such a program can teach.
"""

from __future__ import annotations

import time

from zermelo.core.game import State
from zermelo.core.history import PositionHistory, check_allowed
from zermelo.errors import IllegalMove, UnknownGame, ZermeloError
from zermelo.learn.engine_teacher import SECONDS, EngineTeacher
from zermelo.protocols.engine_commands import read_command, refuse_options
from zermelo.protocols.gtp_client import GAMES, GtpClient
from zermelo.sandbox.program import Program

#: The spec of a GTP teacher is this and the command of an engine.
PREFIX = "gtp:"


class GtpTeacher(EngineTeacher):
    """A GTP engine. Call `new_game` before the first move of each game.

    Each method that communicates raises `ZermeloError` if the engine fails.

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
        options, limits, command = read_command(text)
        refuse_options("gtp", options)
        super().__init__(text, command, limits)
        self._cls = cls

    def _begin(self, program: Program) -> None:
        self._gtp = GtpClient(program, GAMES[self._cls.__name__])
        self._gtp.initialize()

    def new_game(self) -> None:
        """Begin a game at the initial position."""
        with self._running():
            self._gtp.new_game(self._cls.start())

    def play(self, state: State, move: int) -> None:
        """Send a move that the engine did not choose."""
        with self._running():
            self._gtp.play(state, move, time.monotonic() + SECONDS)

    def choose(self, state: State, history: PositionHistory) -> int:
        """The engine's move in a state, after the positions of a history."""
        with self._running():
            move = self._gtp.genmove(state, time.monotonic() + SECONDS)
            if move is None:
                raise ZermeloError(
                    f"teacher failed: {self.name}: it resigned in {state}; turn off resignation in its command"
                )
            try:
                check_allowed(state, move, history)
            except IllegalMove as error:
                raise ZermeloError(f"teacher failed: {self.name}: {error}") from None
            return move
