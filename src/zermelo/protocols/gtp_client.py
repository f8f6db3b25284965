"""GTP version 2, controller side: send moves to an engine and ask it for moves.

    with Program(["gtp-rhino", "-l", "3"]) as program:
        gtp = GtpClient(program, GAMES["Othello"])
        gtp.initialize()
        gtp.new_game(Othello.start())
        gtp.play(Othello.start(), move, deadline)
        gtp.genmove(state, deadline)                    # a move, or None if the engine resigns

GTP was made for Go. Other games are selected with the command `set_game`, a convention of the program Quarry. `GAMES`
lists the names of each game and its colors.

The client tolerates lines before a response, responses without an id or to earlier commands, CR LF, moves in upper
case, and a failure response to `play ... pass`: some engines pass by themselves.

References
----------
G. Farnebäck, "Specification of the Go Text Protocol, version 2, draft 2", 2002.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from zermelo._util.text import quoted
from zermelo.core.game import MAX, MIN, State
from zermelo.errors import IllegalMove, UnknownGame
from zermelo.games.go.notation import komi_text
from zermelo.games.go.rules import Go
from zermelo.protocols.client import ProtocolClient, startup
from zermelo.sandbox.failure import ProgramFailure, Reason
from zermelo.sandbox.program import Program

_RESPONSE = re.compile(r"([=?])([0-9]{0,18})(?:\s+(.*))?")
#: A vertex, `pass` or `resign`.
_VERTEX = re.compile(r"[a-z][0-9]{1,2}|pass|resign")
_MAX_RESPONSE_LINES = 10_000


@dataclass(frozen=True)
class GtpGame:
    """Names of a game over GTP. Moves are written in the game's own notation.

    Parameters
    ----------
    name : str
        Argument of `set_game`.
    size : callable
        Returns the argument of `boardsize` for a starting position.
    colors : mapping of int to str
        Names of MAX and MIN.
    pass_move : str
        Text of the pass, which some engines play by themselves.
    setup_commands : mapping of str to callable
        Commands that set up a position, with functions that return their arguments, or None where they cannot.
    komi : callable, optional
        Returns the argument of `komi`.
    is_empty : callable
        Whether a starting position needs no command but these.
    """

    name: str
    size: Callable[[State], int]
    colors: Mapping[int, str] = field(default_factory=lambda: {MAX: "black", MIN: "white"})
    pass_move: str = "pass"
    setup_commands: Mapping[str, Callable[[State], str | None]] = field(default_factory=dict)
    komi: Callable[[State], str] | None = None
    is_empty: Callable[[State], bool] = lambda state: state == type(state).start()


def _rhino_board(state: State) -> str:
    squares, side = str(state).split()
    return f"{squares} {'black' if side == 'X' else 'white'}"


def _is_empty(state: State) -> bool:
    assert isinstance(state, Go)
    return not (state.black | state.white) and state.turn == MAX and not state.passes


def _handicap(state: State) -> str | None:
    """The points of black stones, if white has none and moves."""
    assert isinstance(state, Go)
    if state.white or state.turn == MAX or state.passes or state.black.count() < 2:
        return None
    return " ".join(map(state.move_name, state.black))


def _size(state: State) -> int:
    assert isinstance(state, Go)
    return state.size


def _komi(state: State) -> str:
    assert isinstance(state, Go)
    return komi_text(state.komi)


_GO = GtpGame("Go", _size, setup_commands={"set_free_handicap": _handicap}, komi=_komi, is_empty=_is_empty)
#: Games that can be played over GTP, by class name.
GAMES = {
    "Go": _GO,
    "Go19": _GO,
    "Othello": GtpGame("Othello", lambda _: 8, setup_commands={"grhino-setup_board": _rhino_board}),
}


class GtpError(ProgramFailure):
    """The engine sent a failure response (`?`)."""


class GtpClient(ProtocolClient):
    """Controller of a GTP engine.

    Every method that communicates raises `ProgramFailure` if the engine fails. Deadlines are times of
    `time.monotonic`.

    Attributes
    ----------
    name, version : str
        What the engine calls itself.
    commands : frozenset of str
        The commands it supports, by `list_commands`.
    """

    def __init__(self, program: Program, game: GtpGame) -> None:
        super().__init__(program)
        self.game = game
        self.name = ""
        self.version = ""
        self.commands: frozenset[str] = frozenset()
        self._id = 0
        #: Whether the engine repeats the id of a command in its response, as it should.
        self._uses_ids = True

    # ---- commands and responses ----------------------------------------------------------------------------

    def command(self, command: str, deadline: float) -> str:
        """Send a command and return the response.

        Raises
        ------
        GtpError
            The engine sent a failure response.
        """
        self._id += 1
        self.send(f"{self._id} {command}" if self._uses_ids else command)
        lines: list[str] = []
        status = ""
        while True:
            try:
                line = self.next_line(deadline)
            except ProgramFailure as failure:
                if lines and failure.reason == Reason.HANG:
                    raise ProgramFailure(
                        Reason.GARBAGE, f"response {quoted(lines[0])} does not end with an empty line"
                    ) from None
                raise
            if not lines:
                match = _RESPONSE.fullmatch(line)
                if match and int(match[2] or self._id) == self._id:
                    status = match[1]
                    self._uses_ids = self._uses_ids and match[2] != ""
                    lines.append(match[3] or "")
            elif not line:
                break
            elif len(lines) > _MAX_RESPONSE_LINES:
                raise ProgramFailure(
                    Reason.GARBAGE, f"the response to {quoted(command)} has more than {_MAX_RESPONSE_LINES:,} lines"
                )
            else:
                lines.append(line)
        if status == "?":
            raise GtpError(Reason.GARBAGE, f"failure response to {quoted(command)}: {lines[0][:200]}")
        return "\n".join(lines)

    def _optional(self, command: str, deadline: float) -> str:
        """Send a command that an engine need not support; return an empty string after a failure response."""
        try:
            return self.command(command, deadline)
        except GtpError:
            return ""

    # ---- games ----------------------------------------------------------------------------------------------

    def initialize(self) -> None:
        """Query the name, the version and the supported commands."""
        deadline = time.monotonic() + self.program.limits.start
        with startup():
            self._optional("protocol_version", deadline)  # the first response shows whether the engine repeats ids
            self.name, self.version = (
                self._optional(what, deadline).partition("\n")[0][:100] for what in ("name", "version")
            )
            self.commands = frozenset(self._optional("list_commands", deadline).split())

    def new_game(self, start: State) -> None:
        """Start a game at a position.

        Raises
        ------
        UnknownGame
            The engine does not play the game, or cannot set up the position.
        """
        engine = self.name or self.program.name
        deadline = time.monotonic() + self.program.limits.start
        steps = [f"set_game {self.game.name}"] if "set_game" in self.commands else []
        steps += [f"boardsize {self.game.size(start)}"] if "boardsize" in self.commands else []
        steps += [f"komi {self.game.komi(start)}"] if self.game.komi and "komi" in self.commands else []
        with startup():
            for step in steps:
                try:
                    self.command(step, deadline)
                except GtpError as error:
                    raise UnknownGame(f"{engine} does not play {self.game.name}: {error.detail}") from None
            self.command("clear_board", deadline)
            if self.game.is_empty(start):
                return
            for command, arguments in self.game.setup_commands.items():
                text = arguments(start) if command in self.commands else None
                if text is not None:
                    self.command(f"{command} {text}", deadline)
                    return
        raise UnknownGame(
            f"{engine} cannot set up a position of {self.game.name}: it does not support "
            f"{', '.join(self.game.setup_commands) or 'any command for that'}; give the opening as moves"
        )

    def set_time(self, main_time: int, byo_yomi_time: int, stones: int) -> None:
        """Send `time_settings`: main time and byo-yomi time in seconds, and moves per byo-yomi period."""
        if "time_settings" in self.commands:
            self._optional(
                f"time_settings {main_time} {byo_yomi_time} {stones}", time.monotonic() + self.program.limits.start
            )

    def time_left(self, side: int, seconds: int, stones: int, deadline: float) -> None:
        """Send the time left to a side in seconds, for a number of moves (0: the rest of the game)."""
        if "time_left" in self.commands:
            self._optional(f"time_left {self.game.colors[side]} {seconds} {stones}", deadline)

    def play(self, state: State, move: int, deadline: float) -> None:
        """Send a move made in `state`. Raises `GtpError` if the engine rejects it."""
        name = state.move_name(move)
        try:
            self.command(f"play {self.game.colors[state.to_move()]} {name}", deadline)
        except GtpError:
            if name != self.game.pass_move:
                raise

    def genmove(self, state: State, deadline: float) -> int | None:
        """Ask for a move in `state`; return None if the engine resigns."""
        text = self.command(f"genmove {self.game.colors[state.to_move()]}", deadline).strip()
        move = text.lower()
        if move == "resign":
            return None
        try:
            return state.parse_move(move)
        except IllegalMove as error:
            if _VERTEX.fullmatch(move):
                raise ProgramFailure(Reason.ILLEGAL, str(error)[:400]) from None
            raise ProgramFailure(Reason.GARBAGE, f"invalid move {quoted(text)}") from None
