"""External engines as players: `uci:COMMAND`, `xboard:COMMAND`, `gtp:COMMAND`.

uci:stockfish                                       a program found on PATH or in the system's games folders
uci:UCI_LimitStrength=true,UCI_Elo=1350:stockfish   engine options before the command
gtp:memory=500M:gtp-rhino -l 3                      resource limits: memory, start, processor
uci:ponder=true:stockfish                           not stopped during its opponent's turn
xboard:fairymax                                     an engine that speaks xboard's protocol

Each game runs in a new process, which is ended with all of its children after the game.
"""

from __future__ import annotations

import contextlib
import time
from abc import abstractmethod
from dataclasses import replace
from typing import ClassVar

from zermelo.arena.players.player import GameSetup, Player, PlayResult, Turn
from zermelo.core.game import MAX, State
from zermelo.errors import IllegalMove, UnknownGame
from zermelo.games.chess import Chess, notation
from zermelo.protocols.engine_commands import read_command, refuse_options
from zermelo.protocols.gtp_client import GAMES, GtpClient
from zermelo.protocols.uci_client import BestMove, GoCommand, UciClient
from zermelo.protocols.xboard_client import Reply, XboardClient
from zermelo.sandbox.failure import ProgramFailure, Reason
from zermelo.sandbox.program import Program

#: Milliseconds per move of a UCI engine where nothing limits a move: it would think forever.
DEFAULT_MOVETIME = 100
#: A longer list of moves is shortened to those after the last irreversible one: gnuchess fails at 4,095 characters.
_MAX_MOVES_LENGTH = 2_000
#: Seconds an engine may take to exit after `quit`; then it is killed.
_QUIT_SECONDS = 0.5
#: Maximum depth by prefix of the engine's name. GNU Chess 6.2.7 fails an assertion when it writes 4,096 bytes at once,
#: which happens when it searches a trivial endgame to depth 60 within milliseconds.
_MAX_DEPTH = {"GNU Chess": 25}


class _ExternalEngine(Player):
    """An external engine; a new process for each game."""

    is_external = True
    needs_perfect_information = True

    def __init__(self, text: str) -> None:
        self.text = text
        self._options, self._limits, self._command = read_command(text)
        self._program: Program | None = None
        self._has_failed = False

    def new_game(self, setup: GameSetup) -> None:
        self.close()
        self._has_failed = False
        self._program = Program(self._command, self._limits)
        try:
            self._program.__enter__()
            self._begin(self._program, setup)
        except BaseException:
            self.close()
            raise
        self._program.pause()

    def choose(self, turn: Turn) -> PlayResult:
        began = time.monotonic()
        try:
            choice = self._ask(turn, began, began + turn.clock.deadline)
            if self._program is not None:
                self._program.pause()
            return choice
        except ProgramFailure as failure:
            self._has_failed = True
            if failure.reason == Reason.HANG and turn.clock.limit is not None:
                raise ProgramFailure(Reason.OUT_OF_TIME, failure.detail) from None
            raise

    def game_over(self) -> None:
        program = self._program
        if program is not None and not self._has_failed:
            # `quit` lets the engine save what it has learned.
            deadline = time.monotonic() + _QUIT_SECONDS
            with contextlib.suppress(ProgramFailure):
                program.send("quit")
                while (left := deadline - time.monotonic()) > 0:
                    program.receive(left)
        self.close()

    def close(self) -> None:
        if self._program is not None:
            self._program.close()
            self._program = None

    @abstractmethod
    def _begin(self, program: Program, setup: GameSetup) -> None:
        """Initialize the engine, before the first move."""

    @abstractmethod
    def _ask(self, turn: Turn, began: float, deadline: float) -> PlayResult:
        """Ask for a move by `deadline`; the clock has been running since `began` (both times of `time.monotonic`)."""


class _ChessEngine(_ExternalEngine):
    """A chess engine of a protocol.

    Parameters
    ----------
    cls : type of State
        The game; it must be chess.
    text : str
        Engine spec; see `read_command`. Unknown engine options are refused when the first game begins.

    Raises
    ------
    UnknownGame
        The game is not chess, or the program was not found.
    LimitError
        The spec is malformed.
    """

    protocol: ClassVar[str]

    def __init__(self, cls: type[State], text: str) -> None:
        if not issubclass(cls, Chess):
            raise UnknownGame(f"{self.protocol}: engines play chess only (got {cls.__name__})")
        super().__init__(text)

    def _result(self, state: Chess, reply: BestMove | Reply) -> PlayResult:
        """Convert a reply with a move."""
        try:
            move = notation.parse_move(state, reply.move)
        except IllegalMove as error:
            raise ProgramFailure(Reason.ILLEGAL, f"{error} in {state}"[:400]) from None
        score = None if reply.score is None else reply.score * state.turn
        return PlayResult(move, reply.nodes, reply.depth, score)


class UciPlayer(_ChessEngine):
    """A UCI chess engine."""

    protocol = "uci"

    def _begin(self, program: Program, setup: GameSetup) -> None:
        assert isinstance(setup.start, Chess)
        self._uci = uci = UciClient(program)
        uci.initialize()
        self.version = uci.name or program.name
        self._max_depth = min((depth for name, depth in _MAX_DEPTH.items() if uci.name.startswith(name)), default=None)
        self._is_960 = is_960(setup.start)
        if self._is_960 and "uci_chess960" not in uci.options:
            raise UnknownGame(
                f"{self.version} has no option UCI_Chess960, which castling in this position needs: {setup.start}"
            )
        if self._is_960:
            uci.set_option("UCI_Chess960", "true")
        for name, value in self._options:
            uci.set_option(name, value)
        uci.new_game()

    def _ask(self, turn: Turn, began: float, deadline: float) -> PlayResult:
        uci, state = self._uci, turn.state
        assert isinstance(state, Chess)
        uci.position(position_text(turn, self._is_960), deadline)
        limits = limits_of(turn, time.monotonic() - began)
        if self._max_depth is not None:
            limits = replace(limits, depth=min(limits.depth or self._max_depth, self._max_depth))
        reply = uci.go(limits, deadline, turn.clock.limit is not None)
        if not reply.move:
            raise ProgramFailure(Reason.ILLEGAL, f"no move in {state}")
        return self._result(state, reply)


def is_960(start: Chess) -> bool:
    """Return whether a king or rook with castling rights is not on its standard square."""
    for own in (start.white, start.black):
        rooks = start.castling_rights & own
        if rooks and ((start.kings & own).first() & 7 != 4 or any(rook & 7 not in (0, 7) for rook in rooks)):
            return True
    return False


def position_text(turn: Turn, is_960: bool) -> str:
    """Return the UCI `position` command: the starting position and all moves; for a long game, its last part."""
    states = [*turn.history, turn.state]
    moves = turn.moves
    first = 0
    if 5 * len(moves) > _MAX_MOVES_LENGTH:
        first = max(len(moves) - turn.state.reversible_plies(), 0)
    start = states[first]
    text = "position startpos" if start == Chess.start() else f"position fen {start}"
    names = []
    for state, move in zip(states[first:], moves[first:], strict=False):
        assert isinstance(state, Chess)
        names.append(notation.uci(state, move, is_960))
    return " ".join([text, "moves", *names]) if names else text


def limits_of(turn: Turn, elapsed: float = 0.0) -> GoCommand:
    """Return the `go` command for a turn, `elapsed` seconds after its clock started."""
    clock, control = turn.clock, turn.clock.control
    if clock.left is not None:
        own = _milliseconds(clock.left - elapsed)
        other = _milliseconds(clock.other_left if clock.other_left is not None else clock.left)
        white, black = (own, other) if turn.state.to_move() == MAX else (other, own)
        increments = round(control.increment * 1000), round(clock.other_increment * 1000)
        winc, binc = increments if turn.state.to_move() == MAX else increments[::-1]
        return GoCommand(control.depth, control.nodes, None, white, black, winc, binc, clock.moves_to_go or None)
    movetime = None
    if control.seconds is not None:
        movetime = _milliseconds(control.seconds - elapsed)
    elif control.depth is None and control.nodes is None:
        movetime = DEFAULT_MOVETIME
    return GoCommand(control.depth, control.nodes, movetime)


def _milliseconds(seconds: float) -> int:
    return max(round(seconds * 1000), 1)


class XboardPlayer(_ChessEngine):
    """A chess engine that speaks xboard's protocol, which has whole seconds and no limit of nodes."""

    protocol = "xboard"

    def _begin(self, program: Program, setup: GameSetup) -> None:
        assert isinstance(setup.start, Chess)
        self._xboard = xboard = XboardClient(program)
        xboard.initialize()
        self.version = xboard.name or program.name
        if is_960(setup.start):
            raise UnknownGame(f"{self.version}: chess960 is not played over xboard's protocol: {setup.start}")
        for name, value in self._options:
            xboard.set_option(name, value)
        xboard.new_game(setup.start)
        self._start = setup.start
        self._sent_moves: list[int] = []
        self._has_limits = False

    def _ask(self, turn: Turn, began: float, deadline: float) -> PlayResult:
        xboard, state, moves = self._xboard, turn.state, list(turn.moves)
        assert isinstance(state, Chess)
        if moves[: len(self._sent_moves)] != self._sent_moves:
            xboard.new_game(self._start)
            self._sent_moves, self._has_limits = [], False
        for place in range(len(self._sent_moves), len(moves)):
            before = turn.history[place]
            assert isinstance(before, Chess)
            xboard.play(notation.uci(before, moves[place], False))
        self._sent_moves = moves
        self._send_limits(turn, began)
        reply = xboard.go(deadline)
        if not reply.move:
            return PlayResult(state.legal_moves()[0], resigned=True)
        result = self._result(state, reply)
        self._sent_moves.append(result.move)
        return result

    def _send_limits(self, turn: Turn, began: float) -> None:
        """Send the time control before the first move, and the time left before each."""
        clock, control = turn.clock, turn.clock.control
        if not self._has_limits:
            self._has_limits = True
            if control.base is not None:
                self._xboard.set_time(control.base, control.increment, control.per_moves or 0)
            elif control.seconds is not None or control.depth is None:
                self._xboard.set_seconds(control.seconds or DEFAULT_MOVETIME / 1000)
            if control.depth is not None:
                self._xboard.set_depth(control.depth)
        if clock.left is not None:
            own = clock.left - (time.monotonic() - began)
            self._xboard.time_left(own, own if clock.other_left is None else clock.other_left)


class GtpPlayer(_ExternalEngine):
    """A GTP engine for a game in `gtp_client.GAMES`. GTP has no limits of depth or nodes.

    Parameters
    ----------
    cls : type of State
        The game.
    text : str
        Engine spec without engine options; see `read_command`.

    Raises
    ------
    UnknownGame
        GTP engines do not play the game, or the program was not found.
    LimitError
        The spec is malformed.
    """

    def __init__(self, cls: type[State], text: str) -> None:
        if cls.__name__ not in GAMES:
            raise UnknownGame(f"gtp: engines play {', '.join(GAMES)} only (got {cls.__name__})")
        self._game = GAMES[cls.__name__]
        super().__init__(text)
        refuse_options("gtp", self._options)

    def _begin(self, program: Program, setup: GameSetup) -> None:
        self._gtp = gtp = GtpClient(program, self._game)
        gtp.initialize()
        self.version = f"{gtp.name or program.name} {gtp.version}".strip()
        gtp.new_game(setup.start)
        self._start = setup.start
        self._sent_moves: list[int] = []
        self._has_time_settings = False

    def _ask(self, turn: Turn, began: float, deadline: float) -> PlayResult:
        gtp, state, moves = self._gtp, turn.state, list(turn.moves)
        if moves[: len(self._sent_moves)] != self._sent_moves:
            gtp.new_game(self._start)
            self._sent_moves = []
        for place in range(len(self._sent_moves), len(moves)):
            gtp.play(turn.history[place], moves[place], deadline)
        self._sent_moves = moves
        self._send_time(turn, began, deadline)
        move = gtp.genmove(state, deadline)
        if move is None:
            return PlayResult(state.legal_moves()[0], resigned=True)
        self._sent_moves.append(move)
        return PlayResult(move)

    def _send_time(self, turn: Turn, began: float, deadline: float) -> None:
        """Send the clock in whole seconds, as GTP requires, and at least 1."""
        clock, control = turn.clock, turn.clock.control
        if clock.limit is None:
            return
        if not self._has_time_settings:
            self._has_time_settings = True
            if control.seconds is not None:
                self._gtp.set_time(0, max(int(control.seconds), 1), 1)
            elif control.per_moves:
                self._gtp.set_time(0, max(int(control.base or 0), 1), control.per_moves)
            else:
                self._gtp.set_time(max(int(control.base or 0), 1), 0, 0)
        if clock.left is not None:
            left = max(int(clock.left - (time.monotonic() - began)), 1)
            self._gtp.time_left(turn.state.to_move(), left, clock.moves_to_go, deadline)
