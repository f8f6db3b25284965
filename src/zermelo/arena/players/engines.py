"""Programs from outside as players: `uci:COMMAND`, `gtp:COMMAND`.

uci:stockfish                                       found by PATH, or where a system keeps its games
uci:UCI_LimitStrength=true,UCI_Elo=1350:stockfish   options before the command
gtp:memory=500M:gtp-rhino -l 3                      what the program may use: memory, start, processor
uci:ponder=true:stockfish                           it may run while it is not its turn; else it is stopped then

Each game has a process of its own, ended with all that it started when the game is over.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import time
from abc import abstractmethod
from dataclasses import replace

from zermelo._util.text import quoted
from zermelo.arena.players.player import GameSetup, Player, PlayResult, Turn
from zermelo.core.game import MAX, State
from zermelo.errors import IllegalMove, LimitError, UnknownGame
from zermelo.games.chess import Chess, notation
from zermelo.protocols.gtp_client import GAMES, Gtp
from zermelo.protocols.uci_client import Go, Uci
from zermelo.sandbox.failure import ProgramFailure, Reason
from zermelo.sandbox.program import Program, ProgramLimits
from zermelo.search.table import parse_size

#: Where a move is limited by nothing, a UCI program has so many milliseconds: it would think for ever.
MOVETIME = 100
#: Where Debian puts games, which are not on everybody's PATH.
GAMES_FOLDERS = ("/usr/games", "/usr/local/games")
#: A line of moves longer than this is cut where no position before can come back: gnuchess takes 4,095 characters.
_LONGEST_LINE = 2_000
_LONGEST_TEXT = 4_000
#: How long a program may take to end when the game is over, in seconds; then it is ended.
_FAREWELL = 0.5
#: Programs, by how their names begin, that are told a depth whatever the limits are. GNU Chess 6.2.7 ends by an
#: assertion where it writes 4,096 bytes at once, as it does where it searches a trivial ending to depth 60 in no time.
_DEEPEST = {"GNU Chess": 25}

_OPTION = re.compile(r'([^=,:"]+)=("[^"]*"|[^,:"]*)([,:])')
_RESERVED = ("memory", "start", "processor", "ponder")


# ---- texts ----------------------------------------------------------------------------------------------------


def read_command(text: str) -> tuple[list[tuple[str, str]], ProgramLimits, list[str]]:
    """Options, what the program may use, and the command of a text `NAME=VALUE,NAME=VALUE:COMMAND`.

    A value with a comma or colon stands in double quotes. A command that looks like options has a colon before it.
    Raises `LimitError` and `UnknownGame`.
    """
    if len(text) > _LONGEST_TEXT or not text.isprintable():
        raise LimitError(f"command {quoted(text)}; expected at most {_LONGEST_TEXT:,} printable characters")
    given, place = _read_options(text)
    options = [(name, value) for name, value in given.items() if name not in _RESERVED]
    limits = {name: value for name, value in given.items() if name in _RESERVED}
    for name, value in options:
        if name.casefold() == "hash" and re.fullmatch("[0-9]{1,7}", value):  # its table comes on top
            limits.setdefault("memory", str(ProgramLimits.memory + (int(value) << 20)))
    try:
        command = shlex.split(text[place:])
    except ValueError as error:
        raise LimitError(f"command {quoted(text[place:])}: {str(error).lower()}") from None
    if not command:
        raise LimitError(f"{quoted(text)} names no program; expected a command, as in stockfish")
    return options, _limits(limits), [find_program(command[0]), *command[1:]]


def _read_options(text: str) -> tuple[dict[str, str], int]:
    """What is given before the command, and where that begins."""
    given: dict[str, str] = {}
    place = 1 if text.startswith(":") else 0
    while not place or text[place - 1] == ",":
        found = _OPTION.match(text, place)
        if found is None:
            if given:
                raise LimitError(f"{quoted(text[place:])}; expected NAME=VALUE,NAME=VALUE:COMMAND")
            break
        name = found[1].strip()
        if name in given or name.casefold() in [
            each.casefold() for each in given if {each, name}.isdisjoint(_RESERVED)
        ]:
            raise LimitError(f"option {quoted(name)} is given twice")
        given[name] = found[2].strip('"').strip()
        place = found.end()
    return given, place


def _limits(given: dict[str, str]) -> ProgramLimits:
    numbers: dict[str, float] = {}
    for name, value in given.items():
        if name == "ponder":
            continue
        if name == "memory" and len(value) < 20:
            numbers[name] = parse_size(value, "memory")
        elif re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", value):
            numbers[name] = float(value)
        else:
            expected = "bytes, as in 500M" if name == "memory" else "seconds"
            raise LimitError(f"{name}={quoted(value)}; expected {expected}")
    ponder = given.get("ponder", "false")
    if ponder not in ("true", "false"):
        raise LimitError(f"ponder={quoted(ponder)}; expected true or false")
    return ProgramLimits(**numbers, ponders=ponder == "true")  # type: ignore[arg-type]


def find_program(name: str) -> str:
    """Where a program is. Raises `UnknownGame`, which says where it was looked for."""
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), *GAMES_FOLDERS])
    found = shutil.which(os.path.expanduser(name), path=path)
    if found is not None:
        return os.path.abspath(found)
    if os.path.dirname(name):
        raise UnknownGame(f"there is no program {name[:200]} that can be run")
    raise UnknownGame(
        f"there is no program {quoted(name)} on the PATH nor in {' or '.join(GAMES_FOLDERS)}; give its path"
    )


# ---- players --------------------------------------------------------------------------------------------------


class _Outside(Player):
    """A program from outside: a process for each game."""

    is_external = True

    def __init__(self, text: str) -> None:
        self.text = text
        self._options, self._limits, self._command = read_command(text)
        self._program: Program | None = None
        self._has_failed = False

    def new_game(self, seat: GameSetup) -> None:
        self.close()
        self._has_failed = False
        self._program = Program(self._command, self._limits)
        try:
            self._program.__enter__()
            self._begin(self._program, seat)
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
            # A program that is told may still save what it has learnt.
            until = time.monotonic() + _FAREWELL
            with contextlib.suppress(ProgramFailure):
                program.send("quit")
                while (left := until - time.monotonic()) > 0:
                    program.receive(left)
        self.close()

    def close(self) -> None:
        if self._program is not None:
            self._program.close()
            self._program = None

    @abstractmethod
    def _begin(self, program: Program, seat: GameSetup) -> None:
        """Everything that comes before the first move."""

    @abstractmethod
    def _ask(self, turn: Turn, began: float, until: float) -> PlayResult:
        """Its move, by a time of `time.monotonic`; `began`: since when its clock runs."""


class UciPlayer(_Outside):
    """A chess program that speaks UCI. Options it does not have are refused when the first game begins."""

    def __init__(self, cls: type[State], text: str) -> None:
        if not issubclass(cls, Chess):
            raise UnknownGame(f"uci: is for chess; {cls.__name__} has other players")
        super().__init__(text)

    def _begin(self, program: Program, seat: GameSetup) -> None:
        assert isinstance(seat.start, Chess)
        self._uci = uci = Uci(program)
        uci.hello()
        self.version = uci.name or program.name
        self._deepest = min((depth for name, depth in _DEEPEST.items() if uci.name.startswith(name)), default=None)
        self._is_960 = is_960(seat.start)
        if self._is_960 and "uci_chess960" not in uci.options:
            raise UnknownGame(f"{self.version} has no option UCI_Chess960: it cannot castle in {seat.start}")
        if self._is_960:
            uci.set("UCI_Chess960", "true")
        for name, value in self._options:
            uci.set(name, value)
        uci.new_game()

    def _ask(self, turn: Turn, began: float, until: float) -> PlayResult:
        uci, state = self._uci, turn.state
        assert isinstance(state, Chess)
        uci.position(position_text(turn, self._is_960), until)
        limits = limits_of(turn, time.monotonic() - began)
        if self._deepest is not None:
            limits = replace(limits, depth=min(limits.depth or self._deepest, self._deepest))
        answer = uci.go(limits, until, turn.clock.limit is not None)
        if not answer.move:
            raise ProgramFailure(Reason.ILLEGAL, f"it says that it has no move in {state}")
        try:
            move = notation.read_move(state, answer.move)
        except IllegalMove as error:
            raise ProgramFailure(Reason.ILLEGAL, f"{error} in {state}"[:400]) from None
        score = None if answer.score is None else answer.score * state.turn
        return PlayResult(move, answer.nodes, answer.depth, score)


def is_960(start: Chess) -> bool:
    """Whether a king or a rook that may castle does not stand where it does in ordinary chess."""
    for own in (start.white, start.black):
        rooks = start.castling_rights & own
        if rooks and ((start.kings & own).first() & 7 != 4 or any(rook & 7 not in (0, 7) for rook in rooks)):
            return True
    return False


def position_text(turn: Turn, is_960: bool) -> str:
    """The position as UCI puts it: where the game began and all its moves; of a long game, its end."""
    states = [*turn.history, turn.state]
    moves = turn.moves
    first = 0
    if 5 * len(moves) > _LONGEST_LINE:
        first = max(len(moves) - turn.state.reversible_plies(), 0)
    began = states[first]
    text = "position startpos" if began == Chess.start() else f"position fen {began}"
    names = []
    for state, move in zip(states[first:], moves[first:], strict=False):
        assert isinstance(state, Chess)
        names.append(notation.uci(state, move, is_960))
    return " ".join([text, "moves", *names]) if names else text


def limits_of(turn: Turn, elapsed: float = 0.0) -> Go:
    """How long a program is told to think, so many seconds after its clock began to run."""
    clock, control = turn.clock, turn.clock.control
    if clock.left is not None:
        own = _milliseconds(clock.left - elapsed)
        other = _milliseconds(clock.other_left if clock.other_left is not None else clock.left)
        white, black = (own, other) if turn.state.to_move() == MAX else (other, own)
        gains = round(control.increment * 1000), round(clock.other_increment * 1000)
        winc, binc = gains if turn.state.to_move() == MAX else gains[::-1]
        return Go(control.depth, control.nodes, None, white, black, winc, binc, clock.moves_to_go or None)
    movetime = None
    if control.seconds is not None:
        movetime = _milliseconds(control.seconds - elapsed)
    elif control.depth is None and control.nodes is None:
        movetime = MOVETIME
    return Go(control.depth, control.nodes, movetime)


def _milliseconds(seconds: float) -> int:
    return max(round(seconds * 1000), 1)


class GtpPlayer(_Outside):
    """A program that speaks GTP, of a game in `gtp_client.GAMES`. It knows no limit of depth or nodes."""

    def __init__(self, cls: type[State], text: str) -> None:
        if cls.__name__ not in GAMES:
            raise UnknownGame(f"gtp: is for {', '.join(GAMES)}; {cls.__name__} has other players")
        self._game = GAMES[cls.__name__]
        super().__init__(text)
        if self._options:
            raise LimitError(
                f"gtp: programs have no option {quoted(self._options[0][0])}; before the command there may be "
                f"{'=, '.join(_RESERVED)}="
            )

    def _begin(self, program: Program, seat: GameSetup) -> None:
        self._gtp = gtp = Gtp(program, self._game)
        gtp.hello()
        self.version = f"{gtp.name or program.name} {gtp.version}".strip()
        gtp.new_game(seat.start)
        self._start = seat.start
        self._known: list[int] = []
        self._has_time = False

    def _ask(self, turn: Turn, began: float, until: float) -> PlayResult:
        gtp, state, moves = self._gtp, turn.state, list(turn.moves)
        if moves[: len(self._known)] != self._known:
            gtp.new_game(self._start)
            self._known = []
        for place in range(len(self._known), len(moves)):
            gtp.play(turn.history[place], moves[place], until)
        self._known = moves
        self._tell_time(turn, began, until)
        move = gtp.genmove(state, until)
        if move is None:
            return PlayResult(state.legal_moves()[0], resigned=True)
        self._known.append(move)
        return PlayResult(move)

    def _tell_time(self, turn: Turn, began: float, until: float) -> None:
        """What the clock says, in the whole seconds that GTP has; of less than one it is told one."""
        clock, control = turn.clock, turn.clock.control
        if clock.limit is None:
            return
        if not self._has_time:
            self._has_time = True
            if control.seconds is not None:
                self._gtp.set_time(0, max(int(control.seconds), 1), 1)
            elif control.per_moves:
                self._gtp.set_time(0, max(int(control.base or 0), 1), control.per_moves)
            else:
                self._gtp.set_time(max(int(control.base or 0), 1), 0, 0)
        if clock.left is not None:
            left = max(int(clock.left - (time.monotonic() - began)), 1)
            self._gtp.time_left(turn.state.to_move(), left, clock.moves_to_go, until)
