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
import time
from dataclasses import dataclass
from importlib.machinery import PathFinder
from itertools import count
from pathlib import Path
from typing import Any

from zermelo._util import temporary
from zermelo._util.text import quoted, single_line
from zermelo._util.user_files import decode_text, read_bytes, shown_path
from zermelo.arena.players.clock import Clock
from zermelo.arena.players.player import GameSetup, Player, PlayResult, Turn
from zermelo.core.game import State
from zermelo.core.move_numbers import move_of, number_of
from zermelo.errors import IllegalMove, InputError, ZermeloError
from zermelo.sandbox import messages
from zermelo.sandbox.failure import ProgramFailure, Reason
from zermelo.sandbox.messages import EXCEPTION, InvalidMessage, Shapes, decode
from zermelo.sandbox.program import Program, ProgramLimits
from zermelo.sandbox.restrictions import check_enforced

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


@dataclass(frozen=True)
class AgentFile:
    """An agent's file as it was read: its name, the function to call, the source and the source's digest."""

    name: str
    function: str
    source: str
    digest: str

    @classmethod
    def read(cls, text: str) -> AgentFile:
        """Read `FILE.py:FUNCTION`, or `FILE.py` for the function `choose`. Raises `FileError` and `InputError`.

        Agents of a league lie in a folder in which students may write for hours, and a file is read for each game. So
        no agent's file may be a link.
        """
        path, colon, function = text.rpartition(":")
        if not colon or not path.endswith(".py"):
            path, function = text, DEFAULT_FUNCTION
        if not function.isidentifier():
            raise InputError(f"python:{text}: {quoted(function)} is not a function name; expected FILE.py:FUNCTION")
        label = f"agent {shown_path(path)}"
        source = read_bytes(path, MAX_AGENT_SIZE, label=label, follow_links=False)
        digest = hashlib.sha256(source).hexdigest()[:12]
        return cls(os.path.basename(path), function, decode_text(source, label), digest)


class PythonPlayer(Player):
    """A Python function as a player.

    The function is called as choose(state), choose(state, clock) or choose(state, clock, history), by the number of
    its parameters. It returns a move: an int, or its text in the game's notation. Where information is hidden it gets
    a `PlayerView` in place of the state, and no history.

    Parameters
    ----------
    cls : type of State
        The game.
    text : str
        `FILE.py:FUNCTION`, or `FILE.py` for the function `choose`. The file is read once, here.
    limits : ProgramLimits
        Resource limits of the process.
    require_sandbox : bool
        Load the agent only in a process in which all restrictions of the sandbox hold.

    Attributes
    ----------
    enforced : list of str
        Names of the sandbox limits in force in the current game; see `zermelo.sandbox.limits`.

    Raises
    ------
    FileError
        The file cannot be read, is too large, a link, or not UTF-8 text.
    InputError
        FUNCTION is not an identifier.
    """

    is_external = True

    def __init__(
        self, cls: type[State], text: str, limits: ProgramLimits = LIMITS, *, require_sandbox: bool = False
    ) -> None:
        if not sys.executable:
            raise ZermeloError("cannot start a Python process for an agent: sys.executable is not set")
        self.text = f"python:{text}"
        self.limits = limits
        self.require_sandbox = require_sandbox
        self.enforced: list[str] = []
        agent = AgentFile.read(text)
        self._function, self._file, self._source = agent.function, agent.name, agent.source
        self.version = f"Python {platform.python_version()}, {self._file} {agent.digest}"
        self._settings = _settings(cls, limits)
        self._program: Program | None = None
        self._folder: temporary.Folder | None = None
        self._number = 0

    # ---- games ------------------------------------------------------------------------------------------------

    def new_game(self, setup: GameSetup) -> None:
        """Start a process and load the agent in it.

        Raises
        ------
        ProgramFailure
            With NO_START: the agent cannot be loaded.
        InputError
            A restriction that is required does not hold in this process.
        """
        self.close()
        self._folder = temporary.Folder()
        os.chmod(self._folder.name, 0o755)  # the agent may run as another user
        self._number = 0
        settings = {
            **self._settings,
            "limits": {**self._settings["limits"], "user": os.getpid() * 64 + next(_agent_numbers)},
        }
        # No settings and no name as arguments: another program could read them in /proc.
        command = [sys.executable, "-s", "-S", "-P", "-B", "-X", "utf8", str(_AGENT_PROCESS)]
        self._program = Program(command, self.limits, self._folder.name, _environment(), self._file, text_output=False)
        try:
            self._program.__enter__()
            self._load(settings, setup)
        except BaseException:
            self.close()
            raise
        self._program.pause()

    def _load(self, settings: dict[str, Any], setup: GameSetup) -> None:
        deadline = time.monotonic() + self.limits.start
        try:
            self._send(settings)
            self.enforced = self._receive("limits", deadline)[1]
            if self.require_sandbox:
                check_enforced(self.enforced, f"for {self._file}")
            agent = {"file": self._file, "source": self._source, "function": self._function}
            self._send(agent | {"start": str(setup.start), "seed": setup.seed})
            self._receive("start", deadline)
        except ProgramFailure as failure:  # not the agent's fault: it is not loaded yet
            raise ZermeloError(f"{self.text}: the game cannot be loaded in the sandbox: {failure.detail}") from None
        try:
            problem = self._receive("ready", deadline)[1]
        except ProgramFailure as failure:
            reason = Reason.NO_START if failure.reason in (Reason.CRASH, Reason.HANG) else failure.reason
            raise ProgramFailure(reason, failure.detail) from None
        if problem is not None:
            names = ", ".join(problem["functions"] or ()) or "none"
            hint = (
                "expected state, clock, history" if problem["functions"] is None else f"functions in the file: {names}"
            )
            raise ProgramFailure(Reason.NO_START, single_line(f"{self._file}: {problem['error']}; {hint}"))

    def choose(self, turn: Turn) -> PlayResult:
        """Return the move of the agent. Raises `ProgramFailure`."""
        deadline = time.monotonic() + turn.clock.deadline
        self._number += 1
        request: dict[str, Any] = {"number": self._number, "clock": _clock_fields(turn.clock)}
        if turn.state.perfect_information:
            request["moves"] = list(map(number_of, turn.history, turn.moves))
        else:
            request["state"] = str(turn.state)
        try:
            self._send(request)
            _, number, answer = self._receive("move", deadline)
            if self._program is not None:
                self._program.pause()  # no thinking on the opponent's time
        except ProgramFailure as failure:
            if failure.reason is not Reason.HANG:
                raise
            clock = turn.clock
            reason = Reason.HANG if clock.limit is None else Reason.OUT_OF_TIME
            allowed = clock.deadline if clock.limit is None else clock.limit
            raise self._fail(reason, f"no move within {allowed:.3g} s") from None
        if number != self._number:
            raise self._fail(Reason.GARBAGE, _INVALID)
        if "error" in answer:
            raise self._fail(Reason.GARBAGE, answer["error"])
        try:
            if "move" in answer:
                return PlayResult(answer["move"] if turn.state.is_compiled else move_of(turn.state, answer["move"]))
            return PlayResult(turn.state.parse_move(answer["text"]))
        except IllegalMove as error:
            raise ProgramFailure(Reason.ILLEGAL, f"{self._file}: {error}") from None

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
            message = decode(line, _MESSAGES)
        except InvalidMessage:
            raise self._fail(Reason.GARBAGE, _INVALID) from None
        if message[0] == "fault":
            fault = message[1]
            line = "" if fault["line"] is None else f"line {fault['line']}: "
            text = line + f"{fault['type']}: {fault['text']}".rstrip(": ")
            if fault["is_memory"]:
                limit = f"{self.limits.memory / (1 << 20):,.0f} MB"
                raise self._fail(Reason.MEMORY, f"{text}; memory limit {limit}")
            raise self._fail(Reason.CRASH, text)
        if message[0] != kind:
            raise self._fail(Reason.GARBAGE, _INVALID)
        return message

    def _fail(self, reason: Reason, why: str) -> ProgramFailure:
        """End the process and return its failure, its last output included."""
        assert self._program is not None
        return self._program.fail(reason, single_line(why))


_INVALID = "wrote invalid data to the message channel"

#: The messages of an agent. It can write to the channel itself, before its function is called or later.
_MESSAGES: Shapes = {
    "limits": (messages.array(messages.text(40), 40),),
    "start": (),
    "ready": (
        messages.optional(
            messages.record(
                error=messages.text(300), functions=messages.optional(messages.array(messages.text(80), 10))
            )
        ),
    ),
    "move": (
        messages.integer(1, messages.MAX_INT64),
        messages.one_of(
            messages.record(move=messages.int64),
            messages.record(text=messages.text(80)),
            messages.record(error=messages.text(400)),
        ),
    ),
    "fault": (messages.record(**EXCEPTION, is_memory=messages.boolean),),
}


def _settings(cls: type[State], limits: ProgramLimits) -> dict[str, Any]:
    """Return what the process needs before its limits are applied: the game, the module search path, the limits."""
    name = cls.__module__
    path = getattr(sys.modules[name], "__file__", None)
    # A game is imported by name where possible; one loaded from a user's file is loaded by path.
    is_importable = PathFinder.find_spec(name.partition(".")[0]) is not None
    if path is None:
        raise InputError(f"{cls.__name__}: a game for agents must be defined in a file")
    root = Path(path).resolve().parents[name.count(".") + hasattr(sys.modules[name], "__path__")]
    package = root / name.partition(".")[0]
    game = package if is_importable and package.is_dir() else path
    libraries = [each for each in sys.path if "-packages" in each and os.path.isabs(each)]
    readable = [str(_PACKAGE_ROOT / "zermelo"), str(game), *libraries]
    return {
        "module": name,
        "class": cls.__qualname__,
        "file": None if is_importable else path,
        "paths": list(dict.fromkeys([str(_PACKAGE_ROOT), *([str(root)] if is_importable else []), *libraries])),
        "limits": {
            "memory": limits.memory,
            "seconds": int(min(limits.processor, 1e9)) + 5,
            "readable": list(dict.fromkeys(readable)),
        },
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
