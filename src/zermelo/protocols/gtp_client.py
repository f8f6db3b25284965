"""GTP, version 2, the client's side: a program is told moves and asked for some.

    with Program(["gtp-rhino", "-l", "3"]) as program:
        gtp = Gtp(program, GAMES["Othello"])
        gtp.hello()
        gtp.new_game(Othello.start())
        gtp.play(Othello.start(), move, until)
        gtp.genmove(state, until)                       a move of the game, or None: it resigns

Made for Go, GTP says nothing of other games but what programs agree on: they are named by `set_game`, as the program
Quarry does. What a game calls its sides and moves is a row of `GAMES`.

What is tolerated: lines before an answer, answers without the number of the question, answers to earlier questions,
lines that end with CR LF, moves in capitals, and a refusal of a pass: some programs pass by themselves.

Source: G. Farnebäck, "Specification of the Go Text Protocol, version 2, draft 2" (2002).
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from zermelo._util.text import quoted
from zermelo.core.game import MAX, MIN, State
from zermelo.errors import IllegalMove, UnknownGame
from zermelo.protocols.client import Client, starting
from zermelo.sandbox.failure import ProgramFailure, Reason
from zermelo.sandbox.program import Program

_ANSWER = re.compile(r"([=?])([0-9]{0,18})(?:\s+(.*))?")
#: What a move looks like: a square, or one of two words.
_VERTEX = re.compile(r"[a-z][0-9]{1,2}|pass|resign")
_MOST_LINES = 10_000


@dataclass(frozen=True)
class GtpGame:
    """What a game is called over GTP. Moves are written as the game itself writes them."""

    #: For `set_game`.
    name: str
    size: int
    #: The sides, MAX and MIN.
    colours: Mapping[int, str] = field(default_factory=lambda: {MAX: "black", MIN: "white"})
    #: The move that programs may make by themselves, as the game writes it.
    passing: str = "pass"
    #: Commands by which some programs are told where to begin, and what stands behind them.
    setups: Mapping[str, Callable[[State], str]] = field(default_factory=dict)


def _rhino_board(state: State) -> str:
    squares, side = str(state).split()
    return f"{squares} {'black' if side == 'X' else 'white'}"


#: By the names of their classes, the games that programs play over GTP.
GAMES = {"Othello": GtpGame("Othello", 8, setups={"grhino-setup_board": _rhino_board})}


class Refused(ProgramFailure):
    """It answered that it cannot do what it was told."""


class Gtp(Client):
    """A program that speaks GTP. All methods raise `ProgramFailure` where it fails."""

    def __init__(self, program: Program, game: GtpGame) -> None:
        super().__init__(program)
        self.game = game
        self.name = ""
        self.version = ""
        #: The commands that it knows.
        self.commands: frozenset[str] = frozenset()
        self._number = 0
        #: Whether it gives a question's number back, as it should.
        self._is_numbered = True

    # ---- questions and answers -----------------------------------------------------------------------------

    def ask(self, command: str, until: float) -> str:
        """The answer to a command, by a time of `time.monotonic`. Raises `Refused` where it is an error."""
        self._number += 1
        self.send(f"{self._number} {command}" if self._is_numbered else command)
        lines: list[str] = []
        status = ""
        while True:
            try:
                line = self.next_line(until)
            except ProgramFailure as failure:
                if lines and failure.reason == Reason.HANG:
                    raise ProgramFailure(Reason.GARBAGE, f"no empty line after its answer {quoted(lines[0])}") from None
                raise
            if not lines:
                found = _ANSWER.fullmatch(line)
                if found and int(found[2] or self._number) == self._number:
                    status = found[1]
                    self._is_numbered = self._is_numbered and found[2] != ""
                    lines.append(found[3] or "")
            elif not line:
                break
            elif len(lines) > _MOST_LINES:
                raise ProgramFailure(Reason.GARBAGE, f"its answer to {command} has no end")
            else:
                lines.append(line)
        if status == "?":
            raise Refused(Reason.GARBAGE, f"it answers {quoted(command)} with an error: {lines[0][:200]}")
        return "\n".join(lines)

    def _told(self, command: str, until: float) -> str:
        """The answer to a command that a program need not know; nothing where it refuses."""
        try:
            return self.ask(command, until)
        except Refused:
            return ""

    # ---- a game ---------------------------------------------------------------------------------------------

    def hello(self) -> None:
        """Begin: it tells its name, its version and its commands."""
        until = time.monotonic() + self.program.limits.start
        with starting():
            self._told("protocol_version", until)  # with the first answer it shows whether it knows numbers
            self.name, self.version = (self._told(what, until).partition("\n")[0][:100] for what in ("name", "version"))
            self.commands = frozenset(self._told("list_commands", until).split())

    def new_game(self, start: State) -> None:
        """A game begins, at a state. Raises `UnknownGame` where it does not play the game or cannot begin there."""
        who = self.name or self.program.name
        until = time.monotonic() + self.program.limits.start
        steps = [f"set_game {self.game.name}"] if "set_game" in self.commands else []
        steps += [f"boardsize {self.game.size}"] if "boardsize" in self.commands else []
        with starting():
            for step in steps:
                try:
                    self.ask(step, until)
                except Refused as refused:
                    raise UnknownGame(f"{who} does not play {self.game.name}: {refused.detail}") from None
            self.ask("clear_board", until)
            if start == type(start).start():
                return
            for command, written in self.game.setups.items():
                if command in self.commands:
                    self.ask(f"{command} {written(start)}", until)
                    return
        raise UnknownGame(
            f"{who} can only begin at the start of {self.game.name}: GTP has no command for other positions, and it "
            f"has none of {', '.join(self.game.setups) or 'its own'}; openings as moves will do"
        )

    def set_time(self, main: int, extra: int, stones: int) -> None:
        """How long the game may take, in seconds: for all of it, then for each so many moves."""
        if "time_settings" in self.commands:
            self._told(f"time_settings {main} {extra} {stones}", time.monotonic() + self.program.limits.start)

    def time_left(self, side: int, seconds: int, stones: int, until: float) -> None:
        """What is left to a side, for so many moves (0: the rest of the game)."""
        if "time_left" in self.commands:
            self._told(f"time_left {self.game.colours[side]} {seconds} {stones}", until)

    def play(self, state: State, move: int, until: float) -> None:
        """A move was made in a state. Raises `Refused` where it does not take it."""
        name = state.move_name(move)
        try:
            self.ask(f"play {self.game.colours[state.to_move()]} {name}", until)
        except Refused:
            if name != self.game.passing:
                raise

    def genmove(self, state: State, until: float) -> int | None:
        """Its move in a state; None where it resigns."""
        text = self.ask(f"genmove {self.game.colours[state.to_move()]}", until).strip()
        move = text.lower()
        if move == "resign":
            return None
        try:
            return state.parse_move(move)
        except IllegalMove as error:
            if _VERTEX.fullmatch(move):
                raise ProgramFailure(Reason.ILLEGAL, str(error)[:400]) from None
            raise ProgramFailure(Reason.GARBAGE, f"its answer {quoted(text)} is no move") from None
