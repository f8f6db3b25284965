"""UCI, the client's side: a chess program is asked for moves, and whatever else it says is survived.

    with Program(["stockfish"]) as program:
        uci = Uci(program)
        uci.hello()                                     name, options
        uci.set("UCI_Elo", "1350")
        uci.new_game()
        until = time.monotonic() + 5
        uci.position("position startpos moves e2e4", until)
        uci.go(Go(movetime=100), until)                 Answer("e7e5", ...)

What is tolerated: banners, unknown lines, empty lines, lines that end with CR LF, information with anything missing or
wrong in it, answers to what was asked before. What is not: no answer to a question, and an answer that names no move.

Source: R. Huber and S. Meyer-Kahlen, "Description of the universal chess interface (UCI)", April 2006.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field
from typing import NamedTuple

from zermelo._util.text import did_you_mean, quoted
from zermelo.errors import LimitError, UnknownGame
from zermelo.protocols.client import Client, starting
from zermelo.sandbox.failure import ProgramFailure, Reason
from zermelo.sandbox.program import Program

#: What a mate in no moves is worth, in centipawns; each move until then is one less. Other scores end before it.
MATE = 30_000
LARGEST_SCORE = MATE - 1_000
#: How long a program may take to stop when it is told to, in seconds.
GRACE = 1.0
#: A program with more options than these is not believed.
_MOST_OPTIONS = 1_000
_WORDS = frozenset({"id", "uciok", "readyok", "bestmove", "copyprotection", "registration", "info", "option"})
_MOVE = re.compile(r"[a-h][1-8][a-h][1-8][qrbnQRBN]?")
_NO_MOVE = ("(none)", "0000", "none", "null", "(null)")
_NUMBER = re.compile(r"[-+]?[0-9]{1,18}")


# ---- what is said ---------------------------------------------------------------------------------------------


class Option(NamedTuple):
    """An option that a program has."""

    name: str
    #: check, spin, combo, button or string.
    kind: str
    default: str = ""
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()

    def checked(self, value: str) -> str:
        """A value as the program is told it. Raises `LimitError`, which says what would be right."""
        told = value.strip()
        if self.kind == "check" and told.lower() in ("true", "false"):
            return told.lower()
        if self.kind == "spin" and _NUMBER.fullmatch(told):
            number = int(told)
            if (self.low is None or self.low <= number) and (self.high is None or number <= self.high):
                return str(number)
        if self.kind == "combo":
            for choice in self.choices:
                if choice.casefold() == told.casefold():
                    return choice
        if self.kind == "button" and not told:
            return ""
        if self.kind == "string":
            return told or "<empty>"
        raise LimitError(f"option {self.name}={quoted(value)}; expected {self._expected()}")

    def _expected(self) -> str:
        if self.kind == "spin":
            low = "any" if self.low is None else self.low
            return f"a whole number from {low} to {'any' if self.high is None else self.high}"
        if self.kind == "combo":
            return " or ".join(self.choices) or "nothing it names"
        return {"check": "true or false", "button": "no value: it is a button"}[self.kind]


def read_option(line: str) -> Option | None:
    """The option that a line tells of; None where it tells of none that could be set."""
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
    given = {key: " ".join(value) for key, value in parts if key != "var"}
    choices = tuple(" ".join(value) for key, value in parts if key == "var")
    bounds = [int(text) if _NUMBER.fullmatch(text) else None for text in (given.get("min", ""), given.get("max", ""))]
    return Option(name, kind, given.get("default", ""), bounds[0], bounds[1], choices)


class Info(NamedTuple):
    """What a line of information says; None: nothing about that."""

    depth: int | None = None
    nodes: int | None = None
    #: In centipawns for the side to move, mates as `MATE` says.
    score: int | None = None
    line: tuple[str, ...] = ()


def read_info(line: str) -> Info | None:
    """The information in a line, whatever can be made out; None where it is about another line than the best."""
    words = line.split()
    if words[:1] != ["info"]:
        return None
    depth = nodes = score = None
    best: tuple[str, ...] = ()
    place = 1
    while place < len(words):
        word, value = words[place], words[place + 1] if place + 1 < len(words) else ""
        number = int(value) if _NUMBER.fullmatch(value) else None
        if word in ("string", "refutation", "currline"):
            break
        if word == "pv":
            best = tuple(move for move in words[place + 1 :] if _MOVE.fullmatch(move))
            break
        if word == "multipv" and number is not None and number > 1:
            return None
        if word == "depth" and number is not None and 0 <= number <= 10_000:
            depth = number
        elif word == "nodes" and number is not None and number >= 0:
            nodes = number
        elif word == "score":
            score = _read_score(words[place + 1 : place + 4])
        place += 1
    return Info(depth, nodes, score, best)


def _read_score(words: list[str]) -> int | None:
    """A score from its kind, its number and what it is a bound of; bounds say nothing."""
    if len(words) < 2 or not _NUMBER.fullmatch(words[1]) or words[2:] in (["lowerbound"], ["upperbound"]):
        return None
    number = int(words[1])
    if words[0] == "cp":
        return max(-LARGEST_SCORE, min(number, LARGEST_SCORE))
    if words[0] == "mate":
        far = MATE - min(abs(number), MATE - LARGEST_SCORE - 1)
        return far if number > 0 else -far
    return None


@dataclass(frozen=True, slots=True)
class Go:
    """How long a program is to think. Times in milliseconds."""

    depth: int | None = None
    nodes: int | None = None
    movetime: int | None = None
    wtime: int | None = None
    btime: int | None = None
    winc: int | None = None
    binc: int | None = None
    movestogo: int | None = None

    def __str__(self) -> str:
        # Times first: gnuchess reads no further than the nodes.
        names = ("movetime", "wtime", "btime", "winc", "binc", "movestogo", "depth", "nodes")
        given = [f"{name} {getattr(self, name)}" for name in names if getattr(self, name) is not None]
        return " ".join(["go", *given]) if given else "go infinite"

    def is_exceeded(self, info: Info) -> bool:
        """Whether a program has plainly gone beyond its depth or its nodes: some know no such limit."""
        return (self.depth is not None and (info.depth or 0) > self.depth) or (
            self.nodes is not None and (info.nodes or 0) > 2 * self.nodes
        )


@dataclass(slots=True)
class Answer:
    """What a program answered: the move as it wrote it, empty where it says there is none, and what it said before."""

    move: str = ""
    depth: int = 0
    nodes: int = 0
    #: In centipawns for the side to move, mates as `MATE` says; None: it said nothing.
    score: int | None = None
    line: tuple[str, ...] = ()

    def add(self, info: Info) -> None:
        """Take in a line of information."""
        self.nodes = max(self.nodes, info.nodes or 0)
        if info.score is not None or info.line:  # who only begins a depth has not searched it
            self.depth = max(self.depth, info.depth or 0)
            self.score = self.score if info.score is None else info.score
            self.line = info.line or self.line


def read_answer(line: str, answer: Answer) -> None:
    """Put the move of a line `bestmove ...` into an answer. Raises `ProgramFailure` (GARBAGE)."""
    words = line.split()
    move = words[1] if len(words) > 1 else ""
    if move.lower() in _NO_MOVE:
        return
    if not _MOVE.fullmatch(move):
        raise ProgramFailure(Reason.GARBAGE, f"its answer {quoted(line)} names no move as e2e4 or e7e8q")
    answer.move = move.lower()


# ---- the talk -------------------------------------------------------------------------------------------------


@dataclass
class _Heard:
    """What came while an answer was waited for."""

    answer: Answer = field(default_factory=Answer)
    #: The last line, if it was none of the protocol.
    stray: str = ""


class Uci(Client):
    """A program that speaks UCI. All methods raise `ProgramFailure` where it fails."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.name = ""
        #: The options that it has, by their names in lower case.
        self.options: dict[str, Option] = {}

    def hello(self) -> None:
        """Begin: it tells its name and its options."""
        until = time.monotonic() + self.program.limits.start
        with starting():
            self.send("uci")
            while (line := self.next_line(until)) != "uciok":
                if line.startswith("id name "):
                    self.name = line[len("id name ") :].strip()[:200]
                elif (option := read_option(line)) is not None and len(self.options) < _MOST_OPTIONS:
                    self.options[option.name.casefold()] = option

    def set(self, name: str, value: str) -> None:
        """Set an option. Raises `UnknownGame` where it has none of that name, `LimitError` for a wrong value."""
        option = self.options.get(" ".join(name.split()).casefold())
        who = self.name or self.program.name
        if option is None:
            meant = did_you_mean(name, (each.name for each in self.options.values()), f"it has {self._option_names()}")
            raise UnknownGame(f"{who} has no option {quoted(name)}; {meant}")
        try:
            told = option.checked(value)
        except LimitError as error:
            raise LimitError(f"{who}: {error}") from None
        self.send(f"setoption name {option.name}" + (f" value {told}" if told else ""))

    def _option_names(self) -> str:
        return ", ".join(sorted(option.name for option in self.options.values()))[:500] or "none"

    def new_game(self) -> None:
        """What was before has nothing to do with what comes."""
        with starting():
            self.send("ucinewgame")
            self._ready(time.monotonic() + self.program.limits.start)

    def position(self, text: str, until: float) -> None:
        """What the next question is about: `position startpos moves e2e4`. What comes from before is dropped."""
        self._ready(until)
        self.send(text)

    def _ready(self, until: float) -> None:
        self.send("isready")
        while self.next_line(until) != "readyok":
            pass

    def go(self, limits: Go, until: float, is_timed: bool = False) -> Answer:
        """Its move, by a time of `time.monotonic`; `is_timed`: who has none then is late, not hung.

        A program that plainly searches beyond the depth or the nodes it was told is told to stop.
        """
        self.send(str(limits))
        heard = _Heard()
        is_stopped = False
        try:
            while True:
                line = self.next_line(until)
                word = line.partition(" ")[0]
                if word == "bestmove":
                    read_answer(line, heard.answer)
                    return heard.answer
                if line:
                    heard.stray = "" if word in _WORDS else line
                if (info := read_info(line)) is not None:
                    heard.answer.add(info)
                    if not is_stopped and limits.is_exceeded(info):
                        is_stopped = True
                        self.send("stop")
        except ProgramFailure as failure:
            if failure.reason != Reason.HANG:
                raise
            raise self._silent(failure, heard, is_timed) from None

    def _silent(self, failure: ProgramFailure, heard: _Heard, is_timed: bool) -> ProgramFailure:
        """What is wrong with a program that has not answered: it is told to stop, and shows how alive it is."""
        if heard.stray:
            return ProgramFailure(Reason.GARBAGE, f"its answer {quoted(heard.stray)} is none of UCI")
        reason = Reason.OUT_OF_TIME if is_timed else Reason.HANG
        try:
            self.send("stop")
            self.send("isready")
            until = time.monotonic() + GRACE
            lives = False
            while True:
                try:
                    line = self.next_line(until)
                except ProgramFailure as silence:
                    if silence.reason != Reason.HANG:
                        raise
                    if lives:
                        return ProgramFailure(Reason.IGNORED_STOP, f"no move in {GRACE:g} s after it was told to stop")
                    return ProgramFailure(reason, failure.detail)
                if line.startswith("bestmove"):
                    return ProgramFailure(reason, f"its move came only when it was told to stop: {line[:40]}")
                lives = lives or bool(line)
        except ProgramFailure as worse:
            return worse
