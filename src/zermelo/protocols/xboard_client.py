"""Chess Engine Communication Protocol (xboard, WinBoard), GUI side: ask a chess engine for moves.

    with Program(["fairymax"]) as program:
        xboard = XboardClient(program)
        xboard.initialize()                             # features
        xboard.new_game(Chess.start())
        xboard.play("e2e4", deadline)
        xboard.go(deadline)                             # Reply("e7e5", ...)

The engine is kept in force mode between its moves, so that it never moves unasked. The client tolerates banners, debug
output, replies to earlier commands, and engines of version 1 of the protocol, which send no features.

References
----------
T. Mann and H. G. Muller, "Chess Engine Communication Protocol", version 2, 2009.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass

from zermelo._util.text import did_you_mean, quoted
from zermelo.errors import UnknownGame
from zermelo.games.chess import Chess
from zermelo.protocols.client import ProtocolClient, startup
from zermelo.protocols.uci_client import MATE, MAX_CENTIPAWNS
from zermelo.sandbox.failure import ProgramFailure, Reason
from zermelo.sandbox.program import Program

#: Seconds for the first feature. Engines of version 1 of the protocol send none.
FEATURE_SECONDS = 2.0
#: Features that would change what is sent or received, with the only value that is accepted.
_REQUIRED = {"san": "0", "debug": "1"}
#: Scores of mates are 100,000 and the number of moves until the mate.
_MATE = 100_000
_MAX_OPTIONS = 1_000
_FEATURE = re.compile(r'([a-zA-Z]\w*)=("[^"]*"|\S+)')
_REPLY = re.compile(r"(?:move|My move is\s*:?|[0-9]{1,4}\. \.\.\.)(?:\s+(.*))?")
#: A move in coordinates or in algebraic notation.
_MOVE = re.compile(r"[A-Za-z0-9+#=-]{2,10}")
_THOUGHT = re.compile(r"([0-9]{1,4})[^\s0-9]?\s+([-+]?[0-9]{1,9})\s+([0-9]{1,12})\s+([0-9]{1,18})(?:\s.*)?")
_RESULT = re.compile(r"(1-0|0-1|1/2-1/2)(?:\s+(\{.*))?")


@dataclass(slots=True)
class Reply:
    """Reply to `go`.

    Attributes
    ----------
    move : str
        The move as the engine writes it; empty if it resigns.
    depth, nodes : int
        From the last line of thinking output; 0 without one.
    score : int, optional
        In centipawns for the side to move; mates relative to `uci_client.MATE`.
    """

    move: str = ""
    depth: int = 0
    nodes: int = 0
    score: int | None = None

    def update(self, line: str) -> None:
        """Update with a line of thinking output; other lines change nothing."""
        found = _THOUGHT.fullmatch(line)
        if found is None:
            return
        self.depth, score, self.nodes = int(found[1]), int(found[2]), int(found[4])
        if abs(score) > _MATE:
            mate = MATE - min(abs(score) - _MATE, MATE - MAX_CENTIPAWNS - 1)
            self.score = mate if score > 0 else -mate
        else:
            self.score = max(-MAX_CENTIPAWNS, min(score, MAX_CENTIPAWNS))


class XboardClient(ProtocolClient):
    """GUI side of an xboard engine.

    Every method that communicates raises `ProgramFailure` if the engine fails. Deadlines are times of
    `time.monotonic`.

    Attributes
    ----------
    name : str
        What the engine calls itself.
    features : dict of str to str
        Its features, but for its options.
    options : dict of str to str
        The names of its options, by name in lower case.
    """

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self.name = ""
        self.features: dict[str, str] = {}
        self.options: dict[str, str] = {}
        self._pings = 0

    def initialize(self) -> None:
        """Send `protover 2`; receive the features."""
        end = time.monotonic() + self.program.limits.start
        with startup():
            self.send("xboard")
            self.send("protover 2")
            deadline = min(end, time.monotonic() + FEATURE_SECONDS)
            while self.features.get("done") != "1":
                try:
                    line = self.next_line(deadline)
                except ProgramFailure as failure:
                    if failure.reason == Reason.HANG and not self.features and deadline < end:
                        break  # version 1 of the protocol
                    raise
                if line.startswith("feature "):
                    self._read_features(line)
                    deadline = end

    def _read_features(self, line: str) -> None:
        for name, quoted_value in _FEATURE.findall(line):
            value = quoted_value.strip('"')
            if name == "option":
                option = re.split(r"\s+-", value, maxsplit=1)[0].strip()
                if option and len(self.options) < _MAX_OPTIONS:
                    self.options[option.casefold()] = option
                continue
            if value != _REQUIRED.get(name, value):
                self.send(f"rejected {name}")
                continue
            self.features[name] = value
            self.send(f"accepted {name}")
            if name == "myname":
                self.name = value.strip()[:200]

    def set_option(self, name: str, value: str) -> None:
        """Set an option.

        Raises
        ------
        UnknownGame
            The engine has no option of this name.
        """
        option = self.options.get(" ".join(name.split()).casefold())
        if option is None:
            names = ", ".join(sorted(self.options.values()))[:500] or "none"
            hint = did_you_mean(name, self.options.values(), f"its options: {names}")
            raise UnknownGame(f"{self.name or self.program.name} has no option {quoted(name)}; {hint}")
        self.send(f"option {option}" + (f"={value}" if value else ""))

    def new_game(self, start: Chess) -> None:
        """Start a game at a position.

        Raises
        ------
        UnknownGame
            The engine cannot set up the position.
        """
        if start != Chess.start() and self.features.get("setboard") != "1":
            raise UnknownGame(
                f"{self.name or self.program.name} cannot set up a position (it has no feature setboard); "
                "give the opening as moves"
            )
        with startup():
            for command in ("new", "force", "easy", "post"):
                self.send(command)
            if start != Chess.start():
                self.send(f"setboard {start}")
            self._wait_until_ready(time.monotonic() + self.program.limits.start)

    def _wait_until_ready(self, deadline: float) -> None:
        """Wait until the engine has read all commands, if it can say so."""
        if self.features.get("ping") == "1":
            self._pings += 1
            self.send(f"ping {self._pings}")
            while self.next_line(deadline) != f"pong {self._pings}":
                pass

    def play(self, move: str) -> None:
        """Send a move, in coordinates as `e7e8q`."""
        self.send(f"usermove {move}" if self.features.get("usermove") == "1" else move)

    def set_time(self, base: float, increment: float, moves: int = 0) -> None:
        """Send a clock: base and increment in seconds, and the moves of a period (0: the whole game)."""
        minutes, seconds = divmod(max(int(base), 1), 60)
        self.send(f"level {moves} {minutes}:{seconds:02} {int(increment)}")

    def set_seconds(self, seconds: float) -> None:
        """Send a time per move; the protocol has whole seconds."""
        self.send(f"st {max(int(seconds), 1)}")

    def set_depth(self, depth: int) -> None:
        """Send a limit of the depth in plies."""
        self.send(f"sd {depth}")

    def time_left(self, own: float, other: float) -> None:
        """Send the seconds left to the engine and to its opponent."""
        if self.features.get("time", "1") == "1":
            self.send(f"time {max(round(100 * own), 1)}")
            self.send(f"otim {max(round(100 * other), 1)}")

    def go(self, deadline: float) -> Reply:
        """Ask for a move and return the reply.

        Raises
        ------
        ProgramFailure
            HANG at the deadline; GARBAGE if the engine rejects a command or ends the game without a move.
        """
        self._wait_until_ready(deadline)
        self.send("go")
        reply = Reply()
        while True:
            line = self.next_line(deadline)
            if found := _REPLY.fullmatch(line):
                reply.move = found[1] or ""
                if not _MOVE.fullmatch(reply.move):
                    raise ProgramFailure(
                        Reason.GARBAGE, f"invalid reply {quoted(line)}: expected a move, as in move e2e4"
                    )
                self.send("force")
                return reply
            if line == "resign" or line.startswith("tellics resign"):
                return reply
            if (found := _RESULT.fullmatch(line)) or line.startswith(("Illegal move", "Error")):
                raise ProgramFailure(Reason.GARBAGE, f"no move but {quoted(line)}")
            reply.update(line)
