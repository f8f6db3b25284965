"""Python agents as players: a function in a file, run in a sandbox, that returns moves.

PythonPlayer(Othello, "agent.py:choose")    def choose(state): return next(state.moves())

Each game starts a new process for the agent (`agent_process.py`, `zermelo.sandbox.limits`). The agent gets a copy of
the state; only the move that it returns comes back. See docs/sandbox.md.
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
from zermelo.sandbox.program import Program, ProgramLimits, join_lines

#: Function called by default.
DEFAULT_FUNCTION = "choose"
#: Maximum size of an agent's file in bytes.
MAX_AGENT_SIZE = 1_000_000
#: Default limits of an agent. Python, Zermelo and the game take 20 MB of the memory, with NumPy 100 MB.
LIMITS = ProgramLimits(start=20.0, memory=512 << 20)

#: Numbers the agents of this process, so that no two run as the same user at the same time.
_agent_numbers = count()

_AGENT_PROCESS = Path(__file__).with_name("agent_process.py")
_PACKAGE_ROOT = Path(__file__).parents[3]


class PythonPlayer(Player):
    """A Python function as a player.

    The function is called as choose(state), choose(state, clock) or choose(state, clock, history), by the number of
    its parameters. It returns a move: an int, or its text in the game's notation.

    Parameters
    ----------
    cls : type of State
        The game.
    text : str
        `FILE.py:FUNCTION`, or `FILE.py` for the function `choose`. The file is read once, here.
    limits : ProgramLimits
        Resource limits of the process.

    Attributes
    ----------
    enforced : list of str
        Names of the sandbox limits in force in the current game; see `zermelo.sandbox.limits`.

    Raises
    ------
    FileError
        The file cannot be read.
    InputError
        The file is not valid UTF-8, or FUNCTION is not an identifier.
    """

    is_external = True

    def __init__(self, cls: type[State], text: str, limits: ProgramLimits = LIMITS) -> None:
        if not sys.executable:
            raise ZermeloError("cannot start a Python process for an agent: sys.executable is not set")
        self.text = f"python:{text}"
        self.limits = limits
        self.enforced: list[str] = []
        path, colon, function = text.rpartition(":")
        if not colon or not path.endswith(".py"):
            path, function = text, DEFAULT_FUNCTION
        if not function.isidentifier():
            raise InputError(f"python:{text}: {quoted(function)} is not a function name; expected FILE.py:FUNCTION")
        self._function = function
        self._file = os.path.basename(path)
        self._source, digest = _read(path)
        self.version = f"Python {platform.python_version()}, {self._file} {digest}"
        self._settings = _settings(cls, limits)
        self._program: Program | None = None
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._number = 0

    # ---- games ------------------------------------------------------------------------------------------------

    def new_game(self, setup: GameSetup) -> None:
        """Start a process and load the agent in it. Raises `ProgramFailure` with NO_START if that fails."""
        self.close()
        self._folder = tempfile.TemporaryDirectory(prefix="zermelo-", ignore_cleanup_errors=True)
        os.chmod(self._folder.name, 0o755)  # the agent may run as another user
        self._number = 0
        settings = {
            **self._settings,
            "limits": {**self._settings["limits"], "user": os.getpid() * 64 + next(_agent_numbers)},
        }
        command = [sys.executable, "-s", "-S", "-P", "-B", "-X", "utf8", str(_AGENT_PROCESS), json.dumps(settings)]
        command.append(self._file)  # only for process listings
        self._program = Program(command, self.limits, self._folder.name, _environment(), self._file, text_output=False)
        try:
            self._program.__enter__()
            self._load(setup)
        except BaseException:
            self.close()
            raise
        self._program.pause()

    def _load(self, setup: GameSetup) -> None:
        deadline = time.monotonic() + self.limits.start
        try:
            self.enforced = self._receive("limits", deadline)[1]
            agent = {"file": self._file, "source": self._source, "function": self._function}
            self._send(agent | {"start": str(setup.start), "seed": setup.seed})
            self._receive("start", deadline)
        except ProgramFailure as failure:  # not the agent's fault: it is not loaded yet
            raise ZermeloError(f"{self.text}: the game cannot be loaded in the sandbox: {failure.detail}") from None
        try:
            problem = self._receive("ready", deadline)[1]
        except ProgramFailure as failure:
            raise ProgramFailure(Reason.NO_START, failure.detail) from None
        if problem is not None:
            names = ", ".join(problem["functions"] or ()) or "none"
            hint = (
                "expected state, clock, history" if problem["functions"] is None else f"functions in the file: {names}"
            )
            raise ProgramFailure(Reason.NO_START, f"{self._file}: {problem['error']}; {hint}")

    def choose(self, turn: Turn) -> PlayResult:
        """Return the move of the agent. Raises `ProgramFailure`."""
        deadline = time.monotonic() + turn.clock.deadline
        self._number += 1
        try:
            self._send({"number": self._number, "moves": list(turn.moves), "clock": _clock_fields(turn.clock)})
            _, number, answer = self._receive("move", deadline)
            if self._program is not None:
                self._program.pause()  # no thinking on the opponent's time
        except ProgramFailure as failure:
            if failure.reason is Reason.HANG and turn.clock.limit is not None:
                why = f"{self._file}: no move within {turn.clock.limit:.3g} s"
                raise ProgramFailure(Reason.OUT_OF_TIME, why + self._last_output()) from None
            raise
        if number != self._number or not isinstance(answer, dict):
            raise self._invalid_message()
        if isinstance(answer.get("text"), str):
            try:
                return PlayResult(turn.state.parse_move(answer["text"]))
            except IllegalMove as error:
                raise ProgramFailure(Reason.ILLEGAL, f"{self._file}: {error}") from None
        if type(answer.get("move")) is int and abs(answer["move"]) < 1 << 63:
            return PlayResult(answer["move"])
        raise ProgramFailure(Reason.GARBAGE, f"{self._file}: {str(answer.get('error'))[:300]}" + self._last_output())

    def game_over(self) -> None:
        """End the process."""
        self.close()

    def close(self) -> None:
        """End the process. Idempotent."""
        if self._program is not None:
            self._program.close()
            self._program = None
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    # ---- messages ---------------------------------------------------------------------------------------------

    def _send(self, message: dict[str, Any]) -> None:
        if self._program is None:
            raise ProgramFailure(Reason.CRASH, f"{self._file}: already terminated")
        self._program.send(json.dumps(message))

    def _receive(self, kind: str, deadline: float) -> list[Any]:
        """Return the next message, which must be of this kind. Raises `ProgramFailure`."""
        assert self._program is not None
        line = self._program.receive(deadline - time.monotonic())
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            raise self._invalid_message() from None
        if not isinstance(message, list) or not message:
            raise self._invalid_message()
        if message[0] == "fault" and len(message) == 2 and isinstance(message[1], dict):
            raise self._fault(message[1])
        if message[0] != kind or not _VALIDATORS[kind](message[1:]):
            raise self._invalid_message()
        return message

    def _invalid_message(self) -> ProgramFailure:
        return ProgramFailure(Reason.GARBAGE, f"{self._file}: wrote invalid data to the message channel")

    def _fault(self, fault: dict[str, Any]) -> ProgramFailure:
        line = f"line {fault['line']}: " if isinstance(fault.get("line"), int) else ""
        text = " ".join(f"{fault.get('type')}: {fault.get('text')}".split())[:300].rstrip(": ")
        if fault.get("is_memory") is True:
            limit = f"{self.limits.memory / (1 << 20):,.0f} MB"
            return ProgramFailure(Reason.MEMORY, f"{self._file}: {line}{text}; memory limit {limit}")
        return ProgramFailure(Reason.CRASH, f"{self._file}: {line}{text}" + self._last_output())

    def _last_output(self) -> str:
        """End the process and return its last output, as the end of an error message."""
        if self._program is None:
            return ""
        self._program.close()  # so that all of its output has been read
        output = join_lines(self._program.last_errors)
        return f"; last output: {output}" if output else ""


def _is_ready(fields: list[Any]) -> bool:
    """Check the fields of a `ready` message: null, or an error with the names of the functions in the file."""
    if len(fields) != 1 or fields[0] is None:
        return len(fields) == 1
    if not isinstance(fields[0], dict) or fields[0].keys() != {"error", "functions"}:
        return False
    error, functions = fields[0]["error"], fields[0]["functions"]
    texts = [error] if functions is None else [error, *functions] if isinstance(functions, list) else [None]
    return len(texts) <= 11 and all(isinstance(text, str) for text in texts)


#: Checks the fields after the kind of a message: the agent can write to the channel as well.
_VALIDATORS: dict[str, Callable[[list[Any]], bool]] = {
    "limits": lambda fields: len(fields) == 1 and isinstance(fields[0], list),
    "start": lambda fields: not fields,
    "ready": _is_ready,
    "move": lambda fields: len(fields) == 2,
}


def _read(path: str) -> tuple[str, str]:
    """Return the source of an agent and its digest."""
    try:
        size = os.path.getsize(path)
        if size > MAX_AGENT_SIZE:
            raise InputError(f"agent {path}: {size:,} bytes; the maximum is {MAX_AGENT_SIZE:,}")
        with open(path, "rb") as file:
            source = file.read(MAX_AGENT_SIZE + 1)
    except OSError as error:
        raise FileError(f"agent {path}: {error.strerror or error}") from None
    try:
        return source.decode("utf-8-sig"), hashlib.sha256(source).hexdigest()[:12]
    except UnicodeDecodeError as error:
        raise InputError(f"agent {path}: byte {error.start + 1} is not valid UTF-8") from None


def _settings(cls: type[State], limits: ProgramLimits) -> dict[str, Any]:
    """Return what the process needs before its limits are applied: the game, the module search path, the limits."""
    name = cls.__module__
    path = getattr(sys.modules[name], "__file__", None)
    # A game is imported by name where possible; one loaded from a user's file is loaded by path.
    is_importable = PathFinder.find_spec(name.partition(".")[0]) is not None
    if path is None:
        raise InputError(f"{cls.__name__}: a game for agents must be defined in a file")
    root = Path(path).resolve().parents[name.count(".") + hasattr(sys.modules[name], "__path__")]
    libraries = [each for each in sys.path if "-packages" in each and os.path.isabs(each)]
    return {
        "module": name,
        "class": cls.__qualname__,
        "file": None if is_importable else path,
        "paths": list(dict.fromkeys([str(_PACKAGE_ROOT), *([str(root)] if is_importable else []), *libraries])),
        "limits": {"memory": limits.memory, "seconds": int(min(limits.processor, 1e9)) + 5},
    }


def _environment() -> dict[str, str]:
    """Return a minimal environment: reproducible hashes, and no threads in libraries, which the sandbox refuses."""
    system = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {**system, **threads, "LANG": "C.UTF-8", "PYTHONHASHSEED": "0"}


def _clock_fields(clock: Clock) -> dict[str, Any]:
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
