"""UCI, GUI side: ask a chess engine for moves.

    with Program(["stockfish"]) as program:
        uci = UciClient(program)
        uci.initialize()                                # name and options
        uci.set_option("UCI_Elo", "1350")
        uci.new_game()
        deadline = time.monotonic() + 5
        uci.position("position startpos moves e2e4", deadline)
        uci.go(GoCommand(movetime=100), deadline)       # BestMove("e7e5", ...)

The client tolerates banners, unknown and empty lines, CR LF, malformed `info` lines, and replies to earlier commands.
A missing reply, or a `bestmove` without a valid move, is a failure.

References
----------
R. Huber and S. Meyer-Kahlen, "Description of the universal chess interface (UCI)", April 2006.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from typing import NamedTuple

from zermelo._util.text import did_you_mean, quoted
from zermelo.errors import LimitError, UnknownGame
from zermelo.protocols.client import ProtocolClient, startup
from zermelo.sandbox.failure import ProgramFailure, Reason
from zermelo.sandbox.program import Program

#: Score of a mate in 0 moves, in centipawns; each move until the mate subtracts 1.
MATE = 30_000
#: Maximum of scores that are not mates, in centipawns.
MAX_CENTIPAWNS = MATE - 1_000
#: Seconds an engine may take to reply to `stop`.
STOP_SECONDS = 1.0
#: Further options are ignored.
_MAX_OPTIONS = 1_000
_ENGINE_COMMANDS = frozenset({"id", "uciok", "readyok", "bestmove", "copyprotection", "registration", "info", "option"})
_MOVE = re.compile(r"[a-h][1-8][a-h][1-8][qrbnQRBN]?")
_NO_MOVE = ("(none)", "0000", "none", "null", "(null)")
_NUMBER = re.compile(r"[-+]?[0-9]{1,18}")


# ---- messages -------------------------------------------------------------------------------------------------


class Option(NamedTuple):
    """An option of an engine. `kind` is check, spin, combo, button or string."""

    name: str
    kind: str
    default: str = ""
    minimum: int | None = None
    maximum: int | None = None
    choices: tuple[str, ...] = ()

    def normalize(self, value: str) -> str:
        """Return a value as it is sent to the engine. Raises `LimitError` if it is invalid."""
        text = value.strip()
        if self.kind == "check" and text.lower() in ("true", "false"):
            return text.lower()
        if self.kind == "spin" and _NUMBER.fullmatch(text):
            number = int(text)
            if (self.minimum is None or self.minimum <= number) and (self.maximum is None or number <= self.maximum):
                return str(number)
        if self.kind == "combo":
            for choice in self.choices:
                if choice.casefold() == text.casefold():
                    return choice
        if self.kind == "button" and not text:
            return ""
        if self.kind == "string":
            return text or "<empty>"
        raise LimitError(f"option {self.name}={quoted(value)}: expected {self._expected()}")

    def _expected(self) -> str:
        if self.kind == "spin":
            minimum = "any" if self.minimum is None else self.minimum
            return f"an integer from {minimum} to {'any' if self.maximum is None else self.maximum}"
        if self.kind == "combo":
            return " or ".join(self.choices) or "one of its choices"
        return {"check": "true or false", "button": "no value: it is a button"}[self.kind]


def parse_option(line: str) -> Option | None:
    """Parse an `option` line; return None if it is malformed."""
    words = line.split()
    if words[:2] != ["option", "name"] or "type" not in words:
        return None
    middle = words.index("type")
    name, kind = " ".join(words[2:middle]), " ".join(words[middle + 1 : middle + 2])
    if not name or kind not in ("check", "spin", "combo", "button", "string"):
        return None
    rest = words[middle + 2 :]
    if kind == "string":
        return Option(name, kind, " ".join(rest[1:]) if rest[:1] == ["default"] else "")
    parts: list[tuple[str, list[str]]] = []
    for word in rest:
        if word in ("default", "min", "max", "var"):
            parts.append((word, []))
        elif parts:
            parts[-1][1].append(word)
    values = {key: " ".join(value) for key, value in parts if key != "var"}
    choices = tuple(" ".join(value) for key, value in parts if key == "var")
    bounds = [int(text) if _NUMBER.fullmatch(text) else None for text in (values.get("min", ""), values.get("max", ""))]
    return Option(name, kind, values.get("default", ""), bounds[0], bounds[1], choices)


class Info(NamedTuple):
    """Contents of an `info` line; None where a field is missing. `score` is in centipawns for the side to move."""

    depth: int | None = None
    nodes: int | None = None
    score: int | None = None
    pv: tuple[str, ...] = ()


def parse_info(line: str) -> Info | None:
    """Parse an `info` line as far as possible; return None for other lines, and for MultiPV lines after the first."""
    words = line.split()
    if words[:1] != ["info"]:
        return None
    depth = nodes = score = None
    pv: tuple[str, ...] = ()
    index = 1
    while index < len(words):
        word, value = words[index], words[index + 1] if index + 1 < len(words) else ""
        number = int(value) if _NUMBER.fullmatch(value) else None
        if word in ("string", "refutation", "currline"):
            break
        if word == "pv":
            pv = tuple(move for move in words[index + 1 :] if _MOVE.fullmatch(move))
            break
        if word == "multipv" and number is not None and number > 1:
            return None
        if word == "depth" and number is not None and 0 <= number <= 10_000:
            depth = number
        elif word == "nodes" and number is not None and number >= 0:
            nodes = number
        elif word == "score":
            score = _parse_score(words[index + 1 : index + 4])
        index += 1
    return Info(depth, nodes, score, pv)


def _parse_score(words: list[str]) -> int | None:
    """Parse a score: kind, number and bound. Return None for bounds and malformed scores."""
    if len(words) < 2 or not _NUMBER.fullmatch(words[1]) or words[2:] in (["lowerbound"], ["upperbound"]):
        return None
    number = int(words[1])
    if words[0] == "cp":
        return max(-MAX_CENTIPAWNS, min(number, MAX_CENTIPAWNS))
    if words[0] == "mate":
        mate = MATE - min(abs(number), MATE - MAX_CENTIPAWNS - 1)
        return mate if number > 0 else -mate
    return None


@dataclass(frozen=True, slots=True)
class GoCommand:
    """Parameters of the `go` command. Times are in milliseconds."""

    depth: int | None = None
    nodes: int | None = None
    movetime: int | None = None
    wtime: int | None = None
    btime: int | None = None
    winc: int | None = None
    binc: int | None = None
    movestogo: int | None = None

    def __str__(self) -> str:
        # Times first: GNU Chess ignores everything after the nodes.
        names = ("movetime", "wtime", "btime", "winc", "binc", "movestogo", "depth", "nodes")
        parameters = [f"{name} {getattr(self, name)}" for name in names if getattr(self, name) is not None]
        return " ".join(["go", *parameters]) if parameters else "go infinite"

    def is_exceeded(self, info: Info) -> bool:
        """Return whether an engine has clearly exceeded its depth or nodes: some do not support these limits."""
        return (self.depth is not None and (info.depth or 0) > self.depth) or (
            self.nodes is not None and (info.nodes or 0) > 2 * self.nodes
        )


@dataclass(slots=True)
class BestMove:
    """Reply to `go`.

    Attributes
    ----------
    move : str
        The move in UCI notation; empty if the engine reports that there is none.
    depth, nodes : int
        From the `info` lines; 0 if not reported.
    score : int, optional
        In centipawns for the side to move; mates relative to `MATE`.
    pv : tuple of str
        Principal variation.
    """

    move: str = ""
    depth: int = 0
    nodes: int = 0
    score: int | None = None
    pv: tuple[str, ...] = ()

    def update(self, info: Info) -> None:
        """Update with an `info` line."""
        self.nodes = max(self.nodes, info.nodes or 0)
        if info.score is not None or info.pv:  # not for a depth that has only been started
            self.depth = max(self.depth, info.depth or 0)
            self.score = self.score if info.score is None else info.score
            self.pv = info.pv or self.pv


def parse_bestmove(line: str, result: BestMove) -> None:
    """Store the move of a `bestmove` line in `result`. Raises `ProgramFailure` (GARBAGE)."""
    words = line.split()
    move = words[1] if len(words) > 1 else ""
    if move.lower() in _NO_MOVE:
        return
    if not _MOVE.fullmatch(move):
        raise ProgramFailure(Reason.GARBAGE, f"invalid reply {quoted(line)}: expected a move, as in bestmove e2e4")
    result.move = move.lower()


# ---- the client -----------------------------------------------------------------------------------------------


@dataclass
class _Replies:
    """Messages received while waiting for `bestmove`."""

    result: BestMove = field(default_factory=BestMove)
    #: The last line, if it is not a UCI message.
    invalid: str = ""


class UciClient(ProtocolClient):
    """GUI side of a UCI engine.

    Every method that communicates raises `ProgramFailure` if the engine fails. Deadlines are times of
    `time.monotonic`.

    Attributes
    ----------
    name : str
        What the engine calls itself.
    options : dict of str to Option
        Its options, by name in lower case.
    """

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.name = ""
        self.options: dict[str, Option] = {}

    def initialize(self) -> None:
        """Send `uci`; receive the name and the options."""
        deadline = time.monotonic() + self.program.limits.start
        with startup():
            self.send("uci")
            while (line := self.next_line(deadline)) != "uciok":
                if line.startswith("id name "):
                    self.name = line[len("id name ") :].strip()[:200]
                elif (option := parse_option(line)) is not None and len(self.options) < _MAX_OPTIONS:
                    self.options[option.name.casefold()] = option

    def set_option(self, name: str, value: str) -> None:
        """Set an option.

        Raises
        ------
        UnknownGame
            The engine has no option of this name.
        LimitError
            The value is invalid.
        """
        option = self.options.get(" ".join(name.split()).casefold())
        engine = self.name or self.program.name
        if option is None:
            hint = did_you_mean(
                name, (each.name for each in self.options.values()), f"its options: {self._option_names()}"
            )
            raise UnknownGame(f"{engine} has no option {quoted(name)}; {hint}")
        try:
            text = option.normalize(value)
        except LimitError as error:
            raise LimitError(f"{engine}: {error}") from None
        self.send(f"setoption name {option.name}" + (f" value {text}" if text else ""))

    def _option_names(self) -> str:
        return ", ".join(sorted(option.name for option in self.options.values()))[:500] or "none"

    def new_game(self) -> None:
        """Send `ucinewgame` and wait until the engine is ready."""
        with startup():
            self.send("ucinewgame")
            self._wait_until_ready(time.monotonic() + self.program.limits.start)

    def position(self, text: str, deadline: float) -> None:
        """Send a `position` command. Replies to earlier commands are discarded."""
        self._wait_until_ready(deadline)
        self.send(text)

    def _wait_until_ready(self, deadline: float) -> None:
        self.send("isready")
        while self.next_line(deadline) != "readyok":
            pass

    def go(self, limits: GoCommand, deadline: float, is_timed: bool = False) -> BestMove:
        """Send a `go` command and return the reply.

        An engine that clearly exceeds its depth or nodes is sent `stop`.

        Parameters
        ----------
        limits : GoCommand
            The command.
        deadline : float
            Time of `time.monotonic` at which the move is due.
        is_timed : bool
            Whether a clock runs: then a missing reply is OUT_OF_TIME, otherwise HANG.
        """
        self.send(str(limits))
        replies = _Replies()
        is_stopped = False
        try:
            while True:
                line = self.next_line(deadline)
                word = line.partition(" ")[0]
                if word == "bestmove":
                    parse_bestmove(line, replies.result)
                    return replies.result
                if line:
                    replies.invalid = "" if word in _ENGINE_COMMANDS else line
                if (info := parse_info(line)) is not None:
                    replies.result.update(info)
                    if not is_stopped and limits.is_exceeded(info):
                        is_stopped = True
                        self.send("stop")
        except ProgramFailure as failure:
            if failure.reason != Reason.HANG:
                raise
            raise self._diagnose(failure, replies, is_timed) from None

    def _diagnose(self, failure: ProgramFailure, replies: _Replies, is_timed: bool) -> ProgramFailure:
        """Send `stop` to an engine that has not replied, and return the failure that its reaction shows."""
        if replies.invalid:
            return ProgramFailure(Reason.GARBAGE, f"invalid reply {quoted(replies.invalid)}")
        reason = Reason.OUT_OF_TIME if is_timed else Reason.HANG
        try:
            self.send("stop")
            self.send("isready")
            deadline = time.monotonic() + STOP_SECONDS
            is_alive = False
            while True:
                try:
                    line = self.next_line(deadline)
                except ProgramFailure as timeout:
                    if timeout.reason != Reason.HANG:
                        raise
                    if is_alive:
                        return ProgramFailure(Reason.IGNORED_STOP, f"no bestmove within {STOP_SECONDS:g} s after stop")
                    return ProgramFailure(reason, failure.detail)
                if line.startswith("bestmove"):
                    return ProgramFailure(reason, f"no move before stop was sent: {line[:40]}")
                is_alive = is_alive or bool(line)
        except ProgramFailure as other:
            return other
