"""Students' agents as players: a function in a Python file, behind walls, that is asked for moves.

PythonPlayer(Othello, "agent.py:choose")    def choose(state): return next(state.moves())

The agent runs in a process of its own, a new one for each game (`outside.walls`, `agent_side.py`). It has a copy of
the state, which it can play on as it likes; what it returns is all that comes back. Docs: docs/sandbox.md.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.machinery import PathFinder
from itertools import count
from pathlib import Path
from typing import Any

from zermelo._util.text import quoted
from zermelo.arena.players.clock import Clock
from zermelo.arena.players.player import GameSetup, Player, PlayResult, Turn
from zermelo.core.game import State
from zermelo.errors import FileError, IllegalMove, InputError, ZermeloError
from zermelo.sandbox.failure import ProgramFailure, Reason
from zermelo.sandbox.program import Program, ProgramLimits, in_one

#: The name of the function that is asked, if no other is given.
USUAL = "choose"
#: The longest file that is read, in bytes.
LONGEST_AGENT = 1_000_000
#: What an agent may use: Python, Zermelo and the game take 20 MB of it, with NumPy 100.
LIMITS = ProgramLimits(start=20.0, memory=512 << 20)

#: For user numbers: none is shared by two agents at a time.
_users = count()

_SIDE = Path(__file__).with_name("agent_process.py")
_HOUSE = Path(__file__).parents[3]


class PythonPlayer(Player):
    """A function in a file: `agent.py:choose`, or `agent.py` where it is called `choose`. Raises `ZermeloError`.

    The file is read once, here. It is called as choose(state), choose(state, clock) or choose(state, clock, history),
    by the number of its parameters, and returns a move: an int, or a text in the game's notation.
    """

    is_external = True

    def __init__(self, cls: type[State], text: str, limits: ProgramLimits = LIMITS) -> None:
        if not sys.executable:
            raise ZermeloError("this Python does not know its own program (sys.executable), which an agent starts anew")
        self.text = f"python:{text}"
        self.limits = limits
        #: The names of the walls that stand, in the game that is played: see `outside.walls`.
        self.enforced: list[str] = []
        path, colon, function = text.rpartition(":")
        if not colon or not path.endswith(".py"):
            path, function = text, USUAL
        if not function.isidentifier():
            raise InputError(f"python:{text}: {quoted(function)} is no name of a function; expected FILE.py:FUNCTION")
        self._function = function
        self._file = os.path.basename(path)
        self._source, digest = _read(path)
        self.version = f"Python {platform.python_version()}, {self._file} {digest}"
        self._setting = _setting(cls, limits)
        self._program: Program | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._number = 0

    # ---- a game -----------------------------------------------------------------------------------------------

    def new_game(self, seat: GameSetup) -> None:
        """A process of its own, in which the agent is loaded. Raises `ProgramFailure`, NO_START where that fails."""
        self.close()
        self._folder = tempfile.TemporaryDirectory(prefix="zermelo-", ignore_cleanup_errors=True)
        os.chmod(self._folder.name, 0o755)  # its user may be another
        self._number = 0
        setting = {**self._setting, "limits": {**self._setting["limits"], "user": os.getpid() * 64 + next(_users)}}
        command = [sys.executable, "-s", "-S", "-P", "-B", "-X", "utf8", str(_SIDE), json.dumps(setting)]
        command.append(self._file)  # for whoever looks at what runs
        self._program = Program(command, self.limits, self._folder.name, _environment(), self._file, speaks=False)
        try:
            self._program.__enter__()
            self._load(seat)
        except BaseException:
            self.close()
            raise
        self._program.pause()

    def _load(self, seat: GameSetup) -> None:
        deadline = time.monotonic() + self.limits.start
        try:
            self.enforced = self._message("limits", deadline)[1]
            given = {"file": self._file, "source": self._source, "function": self._function}
            self._sent(given | {"start": str(seat.start), "seed": seat.seed})
            self._message("sits", deadline)
        except ProgramFailure as failure:  # not the agent's fault: it has not been loaded
            raise ZermeloError(f"{self.text}: the game cannot be loaded behind walls: {failure.detail}") from None
        try:
            wrong = self._message("ready", deadline)[1]
        except ProgramFailure as failure:
            raise ProgramFailure(Reason.NO_START, failure.detail) from None
        if wrong is not None:
            there = ", ".join(wrong["functions"] or ()) or "none"
            told = "its arguments are state, clock, history" if wrong["functions"] is None else f"there is: {there}"
            raise ProgramFailure(Reason.NO_START, f"{self._file}: {wrong['unfit']}; {told}")

    def choose(self, turn: Turn) -> PlayResult:
        """What the agent returns. Raises `ProgramFailure`."""
        deadline = time.monotonic() + turn.clock.deadline
        self._number += 1
        try:
            self._sent({"number": self._number, "moves": list(turn.moves), "clock": _told(turn.clock)})
            _, number, answer = self._message("move", deadline)
            if self._program is not None:
                self._program.pause()  # it thinks on its own time
        except ProgramFailure as failure:
            if failure.reason is Reason.HANG and turn.clock.limit is not None:
                why = f"{self._file}: no move in {turn.clock.limit:.3g} s"
                raise ProgramFailure(Reason.OUT_OF_TIME, why + self._last()) from None
            raise
        if number != self._number or not isinstance(answer, dict):
            raise self._garbage()
        if isinstance(answer.get("text"), str):
            try:
                return PlayResult(turn.state.parse_move(answer["text"]))
            except IllegalMove as error:
                raise ProgramFailure(Reason.ILLEGAL, f"{self._file}: {error}") from None
        if type(answer.get("move")) is int and abs(answer["move"]) < 1 << 63:
            return PlayResult(answer["move"])
        raise ProgramFailure(Reason.GARBAGE, f"{self._file}: {str(answer.get('unfit'))[:300]}" + self._last())

    def game_over(self) -> None:
        """Its process is ended."""
        self.close()

    def close(self) -> None:
        """Its process is ended. May be called twice."""
        if self._program is not None:
            self._program.close()
            self._program = None
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    # ---- the wire ---------------------------------------------------------------------------------------------

    def _sent(self, message: dict[str, Any]) -> None:
        if self._program is None:
            raise ProgramFailure(Reason.CRASH, f"{self._file}: it has been ended")
        self._program.send(json.dumps(message))

    def _message(self, kind: str, deadline: float) -> list[Any]:
        """The next message, which must be of a kind. Raises `ProgramFailure`."""
        assert self._program is not None
        line = self._program.receive(deadline - time.monotonic())
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            raise self._garbage() from None
        if not isinstance(message, list) or not message:
            raise self._garbage()
        if message[0] == "fault" and len(message) == 2 and isinstance(message[1], dict):
            raise self._fault(message[1])
        if message[0] != kind or not _SHAPES[kind](message[1:]):
            raise self._garbage()
        return message

    def _garbage(self) -> ProgramFailure:
        return ProgramFailure(Reason.GARBAGE, f"{self._file}: it wrote on the wire that is not its own")

    def _fault(self, told: dict[str, Any]) -> ProgramFailure:
        line = f"line {told['line']}: " if isinstance(told.get("line"), int) else ""
        text = " ".join(f"{told.get('type')}: {told.get('text')}".split())[:300].rstrip(": ")
        if told.get("is_memory") is True:
            limit = f"{self.limits.memory / (1 << 20):,.0f} MB"
            return ProgramFailure(Reason.MEMORY, f"{self._file}: {line}{text}; it may use {limit}")
        return ProgramFailure(Reason.CRASH, f"{self._file}: {line}{text}" + self._last())

    def _last(self) -> str:
        """The last lines that the agent printed, as the end of a sentence. It has lost the game, and is ended."""
        if self._program is None:
            return ""
        self._program.close()  # then all it printed has been read
        told = in_one(self._program.last_errors)
        return f"; its last lines: {told}" if told else ""


def _is_ready(told: list[Any]) -> bool:
    """[null], or what is wrong with the agent and which functions it has."""
    if len(told) != 1 or told[0] is None:
        return len(told) == 1
    if not isinstance(told[0], dict) or told[0].keys() != {"unfit", "functions"}:
        return False
    unfit, functions = told[0]["unfit"], told[0]["functions"]
    names = [unfit] if functions is None else [unfit, *functions] if isinstance(functions, list) else [None]
    return len(names) <= 11 and all(isinstance(name, str) for name in names)


#: What comes after the kind of a message. The agent can write on this wire as well as its own side can.
_SHAPES: dict[str, Callable[[list[Any]], bool]] = {
    "limits": lambda told: len(told) == 1 and isinstance(told[0], list),
    "sits": lambda told: not told,
    "ready": _is_ready,
    "move": lambda told: len(told) == 2,
}


def _read(path: str) -> tuple[str, str]:
    """An agent's text, and a digest of it."""
    try:
        size = os.path.getsize(path)
        if size > LONGEST_AGENT:
            raise InputError(f"agent {path}: {size:,} bytes; an agent has at most {LONGEST_AGENT:,}")
        with open(path, "rb") as file:
            source = file.read(LONGEST_AGENT + 1)
    except OSError as error:
        raise FileError(f"agent {path}: {error.strerror or error}") from None
    try:
        return source.decode("utf-8-sig"), hashlib.sha256(source).hexdigest()[:12]
    except UnicodeDecodeError as error:
        raise InputError(f"agent {path}: byte {error.start + 1} is no UTF-8") from None


def _setting(cls: type[State], limits: ProgramLimits) -> dict[str, Any]:
    """What the agent's side has to know before the walls are built: the game, where modules lie, the limits."""
    name = cls.__module__
    path = getattr(sys.modules[name], "__file__", None)
    # By its name where it has one that is found anew; a game from a file of the user's has none.
    is_found = PathFinder.find_spec(name.partition(".")[0]) is not None
    if path is None:
        raise InputError(f"{cls.__name__}: a game for agents lies in a file, which they load themselves")
    house = Path(path).resolve().parents[name.count(".") + hasattr(sys.modules[name], "__path__")]
    libraries = [each for each in sys.path if "-packages" in each and os.path.isabs(each)]
    return {
        "module": name,
        "class": cls.__qualname__,
        "file": None if is_found else path,
        "paths": list(dict.fromkeys([str(_HOUSE), *([str(house)] if is_found else []), *libraries])),
        "limits": {"memory": limits.memory, "seconds": int(min(limits.processor, 1e9)) + 5},
    }


def _environment() -> dict[str, str]:
    """Nothing of ours; equal hashes in every game, and libraries that start no threads, which is refused there."""
    kept = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {**kept, **threads, "LANG": "C.UTF-8", "PYTHONHASHSEED": "0"}


def _told(clock: Clock) -> dict[str, Any]:
    control = clock.control
    return {
        "seconds": clock.limit,
        "left": clock.left,
        "other_left": clock.other_left,
        "increment": control.increment,
        "moves_to_go": clock.moves_to_go,
        "depth": control.depth,
        "nodes": control.nodes,
    }
