"""NBoard protocol, versions 1 and 2, engine side: Zermelo as an Othello engine of the program NBoard.

    server = NBoardServer(searcher, say)
    for line in lines:                  # every command returns at once, also during a search
        if not server.command(line):    # quit
            break
    server.wait()                       # until the search has ended

A search runs on its own thread; the next command stops it. A `go` that is stopped has no answer, because the
position is about to change. Commands that are not known are ignored, as the protocol asks; what is wrong with others is
said in `status`, and the position stays as it was.

References
----------
C. Welty, "NBoard Protocol", version 2, 2014.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

from zermelo._util.text import quoted
from zermelo.core.evaluation import LARGEST_SCORE, Evaluation
from zermelo.core.game import State
from zermelo.errors import FormatError, ZermeloError
from zermelo.games.othello import PASS, Othello
from zermelo.search.analysis import Analysis, Line
from zermelo.search.levels import Strength, set_confidence
from zermelo.search.limits import Limits
from zermelo.search.searcher import Searcher

#: Level until the controller sends `set depth`.
LEVEL = 8

ReadGame = Callable[[str], State]


class NBoardServer:
    """An NBoard session.

    Parameters
    ----------
    searcher : Searcher
        Searches the positions.
    say : callable
        Sends a line; called from two threads, but one at a time.
    read_game : callable
        Returns the last position of a game in GGF. Raises `ZermeloError`.
    evaluation : str or Evaluation, optional
        As in `Searcher.analysis`.
    """

    def __init__(
        self,
        searcher: Searcher,
        say: Callable[[str], None],
        read_game: ReadGame,
        evaluation: str | Evaluation | None = None,
    ) -> None:
        self.state: State = Othello.start()
        self._level = Strength(LEVEL, game=Othello)
        self._searcher = searcher
        self._say_line = say
        self._read_game = read_game
        self._evaluation = evaluation
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._is_stopped = False
        self._commands: dict[str, Callable[[str], None]] = {
            "nboard": self._nboard,
            "set": self._set,
            "move": self._move,
            "hint": self._hint,
            "go": lambda _: self._search(1, is_go=True),
            "ping": lambda text: self._say(f"pong {text}"),
            "learn": lambda _: self._say("learned"),
        }

    def command(self, line: str) -> bool:
        """Carry out a command; return whether the session goes on."""
        name, _, text = line.strip().partition(" ")
        if not name:
            return True
        self._stop()
        if name == "quit":
            return False
        try:
            if name in self._commands:
                self._commands[name](text.strip())
            elif len(name.partition("/")[0]) == 2:  # version 1 may send a move alone
                self._move(name)
        except ZermeloError as error:
            self._say(f"status {' '.join(str(error).split())}")
        return True

    def wait(self) -> None:
        """Wait until the search has ended."""
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _stop(self) -> None:
        """Stop the search, and wait for it: after `pong` nothing may be said of the position before."""
        if self._thread is not None:
            self._is_stopped = True
            self._searcher.stop()
            self.wait()

    def _say(self, line: str) -> None:
        with self._lock:
            self._say_line(line)

    # ---- commands -------------------------------------------------------------------------------------------

    def _nboard(self, text: str) -> None:
        if text not in ("1", "2"):
            raise FormatError(f"nboard {quoted(text)}; expected version 1 or 2")
        set_confidence(self._searcher, self._level, Othello.start(), self._evaluation)
        self._say("set myname Zermelo")

    def _set(self, text: str) -> None:
        name, _, value = text.partition(" ")
        if name == "depth":
            self._level = Strength(_number(value, "depth", self._level.max_level), game=Othello)
            set_confidence(self._searcher, self._level, Othello.start(), self._evaluation)
            self._say(f"set myname Zermelo{self._level.level}")
        elif name == "game":
            self.state = self._read_game(value)

    def _move(self, text: str) -> None:
        name = text.partition("/")[0].strip().lower()
        if self.state.is_over():
            raise FormatError(f"move {quoted(text)}, but the game is over")
        self.state = self.state.play(self.state.parse_move("pass" if name in ("pa", "ps") else name))

    def _hint(self, text: str) -> None:
        self._search(_number(text, "number of moves", 64) if text else 1, is_go=False)

    # ---- searching ------------------------------------------------------------------------------------------

    def limits(self) -> Limits:
        """Return the limits of the next search: the depth of the level, or to the end of the game if it is near."""
        return self._level.limits(Limits(), by_playouts=False, state=self.state)

    def _search(self, lines: int, is_go: bool) -> None:
        if self.state.is_over():
            raise FormatError("the game is over")
        self._is_stopped = False
        lines = min(lines, len(self.state.legal_moves()))
        analyses = self._searcher.analysis(self.state, self.limits(), evaluation=self._evaluation, lines=lines)
        self._thread = threading.Thread(target=self._run, args=(analyses, is_go), name="nboard search")
        self._thread.start()

    def _run(self, analyses: Iterator[Analysis], is_go: bool) -> None:
        began = time.monotonic()
        self._say("status Zermelo is thinking")
        try:
            best = None
            for found in analyses:
                if self._is_stopped or found.move is None:
                    continue
                best = found.lines[0]
                for line in found.lines:
                    self._say(f"search {_moves(line)} {_score(found.state, line)} 0 {found.depth}")
                self._say(f"nodestats {found.nodes} {found.seconds:.2f}")
            if is_go and best is not None and not self._is_stopped:
                seconds = time.monotonic() - began
                self._say(f"=== {_move_name(best.move)}/{_score(self.state, best)}/{seconds:.2f}")
            self._say("status Zermelo is waiting")
        except ZermeloError as error:
            self._say(f"status {' '.join(str(error).split())}")


def _number(text: str, what: str, largest: int) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10 and 1 <= int(text) <= largest):
        raise FormatError(f"{what} must be from 1 to {largest} (got {quoted(text)})")
    return int(text)


def _move_name(move: int) -> str:
    return "PA" if move == PASS else Othello.start().move_name(move).upper()


def _moves(line: Line) -> str:
    return "".join(map(_move_name, line.moves))


def _score(state: State, line: Line) -> str:
    """Return a score in discs for the side to move, with two decimals."""
    score = line.score.pov(state.to_move())
    value = score.number
    if not score.is_proven and abs(value) > LARGEST_SCORE:  # a certain win by at least a number of discs
        value = (abs(value) - LARGEST_SCORE) // 1000 * (1 if value > 0 else -1)
    return f"{max(min(value, 64), -64):+.2f}"
