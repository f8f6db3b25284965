"""Zermelo as a chess program for others: the engine's side of the Universal Chess Interface.

    server = UciServer(print)
    for line in lines:                  each command is taken at once, however deep a search is in its thoughts
        if not server.command(line):    quit
            break
    server.close()

Three kinds of threads. The caller's takes the commands and never waits for long. Each `go` thinks on one of its own,
which tells what it finds and at the end, once, the best move. The machine code is made ready on a third, when
`isready` or `go` first ask for it: on a new machine that takes half a minute, in which `stop` is answered all the same.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from zermelo._util.text import quoted
from zermelo.core.game import MAX
from zermelo.core.history import PositionHistory
from zermelo.errors import IllegalMove, LimitError, ZermeloError
from zermelo.games.chess import notation
from zermelo.games.chess.rules import Chess
from zermelo.protocols.uci_commands import Asked, read_go, read_option, read_position
from zermelo.search import compiled_textbook as plain
from zermelo.search.analysis import Analysis, Line, Score
from zermelo.search.engine import DEEPEST, MOST_THREADS, Engine, Limits
from zermelo.search.timing import LEAST, OVERHEAD, Budget, seconds_for

_MEGABYTE = 1 << 20
MOST_HASH = 1 << 16  # megabytes
#: No position has more legal moves.
MOST_LINES = 218
#: A score that is no proven mate is told as no more than this, in hundredths of a pawn.
LARGEST_SCORE = 20_000
#: Hundredths of a pawn to a point of the evaluation, where it is not one.
_CENTIPAWNS = {"material": 100}
#: Of a time for one move, the overhead takes no more than this share.
_SHARE_OF_MOVETIME = 0.1
#: Seconds between two looks of a search that has to wait for its machine code.
_PATIENCE = 0.01
#: Seconds that a search that was told to stop has to come back.
_GRACE = 5.0


class _Options(NamedTuple):
    """What `setoption` can set: the names as the protocol and other programs have them."""

    hash: int = 64
    threads: int = 1
    lines: int = 1
    overhead: int = round(1000 * OVERHEAD)
    chess960: bool = False
    evaluation: str = next(iter(Chess.evaluations))


@dataclass
class _Spin:
    """An option that is a number."""

    field: str
    least: int
    most: int


_SPINS = {
    "Hash": _Spin("hash", 1, MOST_HASH),
    "Threads": _Spin("threads", 1, MOST_THREADS),
    "MultiPV": _Spin("lines", 1, MOST_LINES),
    "Move Overhead": _Spin("overhead", 0, 5000),
}
#: Of these only UCI_Chess960 changes anything; the protocol wants the others known before a program uses them.
_CHECKS = ("Ponder", "UCI_Chess960", "UCI_AnalyseMode")


class _Ready:
    """Machine code that is made ready, and what is to be said when it is."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.asked = 0


@dataclass
class _Thought:
    """One `go`: what is searched, until when, and whether its end may be told yet."""

    asked: Asked
    state: Any  # a chess position; its methods, which are compiled, have no types
    past: PositionHistory
    options: _Options
    engine: Engine
    budget: Budget | None
    #: The root moves to be searched; none: all.
    some: list[int]
    began: float = field(default_factory=time.perf_counter)
    #: No further depth is to be begun after this moment, once the clock runs.
    enough_at: float | None = None
    #: Told to end.
    stopped: threading.Event = field(default_factory=threading.Event)
    #: The best move may be told: not while it ponders, or for ever.
    released: threading.Event = field(default_factory=threading.Event)
    thread: threading.Thread | None = None
    timer: threading.Timer | None = None

    def stop(self) -> None:
        """End the search; the best move is told at once."""
        self.stopped.set()
        self.engine.stop()
        self.released.set()

    def hit(self) -> None:
        """The move that was pondered on has been played: from now on the clock runs, and what was thought counts."""
        if self.released.is_set():
            return
        if self.budget is not None:
            if self.asked.movetime is None:
                self.enough_at = self.began + self.budget.soft
            if len(self.moves) == 1 or (self.enough_at is not None and time.perf_counter() >= self.enough_at):
                self.stop()
            else:
                self.timer = threading.Timer(self.budget.hard, self.stop)
                self.timer.daemon = True
                self.timer.start()
        self.released.set()

    @cached_property
    def moves(self) -> list[int]:
        """The moves to choose from."""
        return self.some or list(self.state.moves())

    @property
    def seconds(self) -> float:
        """Since `go`."""
        return time.perf_counter() - self.began


class UciServer:
    """A session with a graphical interface, or another program that plays against this one."""

    def __init__(self, say: Callable[[str], None], table: int = 64 * _MEGABYTE, threads: int = 1) -> None:
        """`say` is called with each line of the answers, from several threads but never by two at once.

        `table` in bytes, and `threads`: what Hash and Threads are until they are set. Raises `LimitError`.
        """
        self._told_to = say
        self._lock = threading.RLock()
        if not 1 <= threads <= MOST_THREADS:
            raise LimitError(f"{threads} threads: between 1 and {MOST_THREADS} can search together")
        if not _MEGABYTE <= table <= MOST_HASH * _MEGABYTE:
            raise LimitError(f"a table of {table:,} bytes: between 1M and {MOST_HASH >> 10}G can be used")
        self._usual = self._options = _Options(table // _MEGABYTE, threads)
        self._engine: Engine | None = None
        self._ready: dict[str, _Ready] = {}
        self._thought: _Thought | None = None
        self._debug = False
        self._start, self._moves = "", list[str]()
        self._state: Any = Chess()
        self._past = PositionHistory()
        self._commands: dict[str, Callable[[list[str]], None]] = {
            "uci": self._uci,
            "debug": self._set_debug,
            "isready": self._isready,
            "setoption": self._setoption,
            "register": lambda _: None,
            "ucinewgame": self._new_game,
            "position": self._position,
            "go": self._go,
            "stop": self._stop,
            "ponderhit": self._ponderhit,
            "d": self._draw,
            "eval": self._evaluate,
        }

    def command(self, line: str) -> bool:
        """Take one command, whatever it is; False after `quit`. Mistakes are answered with a line of information."""
        words = line.split()
        # The protocol: what is not known is passed over, and the rest of the line is tried.
        for index, word in enumerate(words):
            if word == "quit":
                return False
            if word in self._commands:
                try:
                    self._commands[word](words[index + 1 :])
                except ZermeloError as error:
                    self._inform(str(error))
                except Exception as error:
                    self._inform(_mistake(error))
                return True
        if words:
            self._inform(f"{quoted(words[0])} is no command; uci, isready, position, go, stop and quit are")
        return True

    def close(self) -> None:
        """End what runs, which tells its move. After that nothing is said any more."""
        if self._thought is not None:
            self._thought.stop()
            self._join(self._thought)
        with self._lock:
            self._told_to = lambda _: None

    @property
    def is_busy(self) -> bool:
        """Whether a thread works on that cannot be ended: mostly it makes machine code."""
        thread = self._thought.thread if self._thought is not None else None
        return any(not ready.done.is_set() for ready in self._ready.values()) or (
            thread is not None and thread.is_alive()
        )

    def _say(self, line: str) -> None:
        with self._lock:
            self._told_to(line)

    def _inform(self, text: str) -> None:
        self._say(f"info string {' '.join(text.split())}")

    # ---- what it is -----------------------------------------------------------------------------------------

    def _uci(self, _: list[str]) -> None:
        from zermelo import __version__

        usual = self._usual
        self._say(f"id name Zermelo {__version__}")
        self._say("id author the Zermelo developers")
        for name, spin in _SPINS.items():
            now = getattr(usual, spin.field)
            self._say(f"option name {name} type spin default {now} min {spin.least} max {spin.most}")
        self._say("option name Clear Hash type button")
        for name in _CHECKS:
            self._say(f"option name {name} type check default false")
        known = " ".join(f"var {name}" for name in Chess.evaluations)
        self._say(f"option name Evaluation type combo default {usual.evaluation} {known}")
        self._say("uciok")

    def _set_debug(self, words: list[str]) -> None:
        self._debug = words[:1] != ["off"]

    def _setoption(self, words: list[str]) -> None:
        name, value = read_option(words)
        known = {each.casefold(): each for each in (*_SPINS, *_CHECKS, "Clear Hash", "Evaluation")}
        which = known.get(name.casefold())
        if which is None:
            raise LimitError(f"there is no option {quoted(name)}; there are {', '.join(known.values())}")
        if which == "Clear Hash":
            self._engine = None
        elif which in _SPINS:
            spin = _SPINS[which]
            if not (value.isascii() and value.isdigit() and len(value) < 10):
                raise LimitError(f"{which} {quoted(value)}: expected a number from {spin.least} to {spin.most}")
            if not spin.least <= int(value) <= spin.most:
                raise LimitError(f"{which} {int(value)} is not between {spin.least} and {spin.most}")
            self._options = self._options._replace(**{spin.field: int(value)})  # type: ignore[arg-type]
            if which in ("Hash", "Threads"):
                self._engine = None  # made anew when it is needed
        elif which == "Evaluation":
            if value not in Chess.evaluations:
                raise LimitError(f"Evaluation {quoted(value)}: expected {' or '.join(Chess.evaluations)}")
            self._options = self._options._replace(evaluation=value)
        else:
            if value not in ("true", "false"):
                raise LimitError(f"{which} {quoted(value)}: expected true or false")
            if which == "UCI_Chess960":
                self._options = self._options._replace(chess960=value == "true")

    def _new_game(self, _: list[str]) -> None:
        self._engine = None

    # ---- getting ready --------------------------------------------------------------------------------------

    def _isready(self, _: list[str]) -> None:
        ready = self._made_ready(self._options.evaluation)
        self._made(self._options)
        with self._lock:
            if not ready.done.is_set():
                ready.asked += 1
                return
        self._say("readyok")

    def _made_ready(self, evaluation: str) -> _Ready:
        """The machine code for searches by an evaluation: begun, if nobody has asked for it before."""
        if evaluation in self._ready:
            return self._ready[evaluation]
        ready = self._ready[evaluation] = _Ready()
        threading.Thread(target=self._make_ready, args=(evaluation, ready), daemon=True).start()
        return ready

    def _make_ready(self, evaluation: str, ready: _Ready) -> None:
        slow = threading.Timer(1.0, self._inform, ["getting ready; the first time on a machine it takes a minute"])
        slow.daemon = True
        slow.start()
        try:
            for _ in Engine("64K").search(Chess(), Limits(depth=1), evaluation):
                pass
        except Exception as error:  # it is told; searches will tell it again
            self._inform(f"getting ready: {type(error).__name__}: {error}")
        finally:
            slow.cancel()
            with self._lock:
                ready.done.set()
                for _ in range(ready.asked):
                    self._say("readyok")

    # ---- the position ---------------------------------------------------------------------------------------

    def _position(self, words: list[str]) -> None:
        start, moves = read_position(words)
        state: Any = Chess.parse(start)
        past, played = PositionHistory(), 0
        if start == self._start and moves[: len(self._moves)] == self._moves:  # the game goes on: no need to replay it
            state, past, played = self._state, self._past.copy(), len(self._moves)
        for number, move in enumerate(moves[played:], played + 1):
            try:
                after = state.play(state.parse_move(move))
            except IllegalMove as error:
                raise IllegalMove(f"position: move {number}: {self._illegal(state, move, error)}") from None
            past.push(state)
            state = after
        self._start, self._moves, self._state, self._past = start, moves, state, past

    def _illegal(self, state: Chess, text: str, error: IllegalMove) -> str:
        """What is wrong with a move, with the legal ones as UCI writes them."""
        legal = " ".join(sorted(notation.uci(state, move, self._options.chess960) for move in state.legal_moves()))
        return f"{quoted(text)} is not a legal move here; legal: {legal}" if legal else str(error)

    def _draw(self, _: list[str]) -> None:
        for line in self._state.board().splitlines():
            self._say(line)
        self._say(f"Fen: {self._state}")

    def _evaluate(self, _: list[str]) -> None:
        name = self._options.evaluation
        score = Chess.evaluations[name].score(self._state) * _CENTIPAWNS.get(name, 1)
        self._inform(f"{name} {score / 100:+.2f} for white")

    # ---- searches -------------------------------------------------------------------------------------------

    def _go(self, words: list[str]) -> None:
        asked = read_go(words)
        for text in asked.unknown:
            self._inform(text)
        if self._thought is not None:  # it should have been stopped, and tells its move now
            self._stop([])
            self._join(self._thought)
        options, state = self._options, self._state
        self._thought = thought = _Thought(
            asked, state, self._past, options, self._made(options), _budget(asked, state, options),
            self._root_moves(asked),
        )  # fmt: skip
        if not (asked.ponder or asked.infinite):
            thought.released.set()
        work = self._think if asked.perft is None else self._count
        thought.thread = threading.Thread(target=work, args=(thought,), daemon=True)
        thought.thread.start()

    def _made(self, options: _Options) -> Engine:
        """The engine as the options want it; a smaller one where the memory does not suffice."""
        if self._engine is None:
            try:
                self._engine = Engine(options.hash * _MEGABYTE, options.threads)
            except LimitError as error:
                self._inform(f"{error}; 1M is used")
                self._engine = Engine(_MEGABYTE, options.threads)
        return self._engine

    def _root_moves(self, asked: Asked) -> list[int]:
        """The moves that alone are to be searched, if any are named."""
        wanted: list[int] = []
        for text in asked.searchmoves:
            try:
                wanted.append(self._state.parse_move(text))
            except IllegalMove as error:
                self._inform(f"go searchmoves: {self._illegal(self._state, text, error)}")
        return wanted

    def _stop(self, _: list[str]) -> None:
        if self._thought is not None:
            self._thought.stop()

    def _ponderhit(self, _: list[str]) -> None:
        if self._thought is not None and self._thought.asked.ponder:
            self._thought.hit()

    def _join(self, thought: _Thought) -> None:
        if thought.thread is not None:
            thought.thread.join(_GRACE)
        if thought.timer is not None:
            thought.timer.cancel()

    def _think(self, thought: _Thought) -> None:
        """The work of a thread: search, tell what is found, and at the end the best move."""
        best: Line | None = None
        try:
            if thought.state.is_over():
                mated = thought.state.in_check() and not thought.moves
                self._say(f"info depth 0 score {'mate 0' if mated else 'cp 0'}")
            elif self._is_ready_in_time(thought):
                best = self._search(thought)
            else:
                self._inform("no time to search: the machine code was not ready; isready waits for it")
        except ZermeloError as error:
            self._inform(str(error))
        except Exception as error:
            self._inform(_mistake(error))
        thought.released.wait()
        if thought.timer is not None:
            thought.timer.cancel()
        moves = best.moves if best is not None else tuple(thought.moves[:1])
        names = _names(thought.state, moves[:2], thought.options.chess960)
        self._say(f"bestmove {names[0] if names else '(none)'}{f' ponder {names[1]}' if names[1:] else ''}")

    def _is_ready_in_time(self, thought: _Thought) -> bool:
        """Wait for the machine code, as long as there is time. Whether it is there."""
        ready = self._made_ready(thought.options.evaluation).done
        while not ready.wait(_PATIENCE):
            late = thought.budget is not None and not thought.asked.ponder and thought.seconds >= thought.budget.hard
            if late or thought.stopped.is_set():
                return False
        return True

    def _search(self, thought: _Thought) -> Line | None:
        """The best line found."""
        options, asked = thought.options, thought.asked
        analyses = thought.engine.search(
            thought.state, _limits(thought), options.evaluation, options.lines, thought.past, thought.some
        )
        if thought.stopped.is_set():  # while that was prepared, which forgot it
            thought.engine.stop()
        last: Analysis | None = None
        for analysis in analyses:
            self._tell(thought, analysis, last)
            last = analysis
            line = analysis.lines[0]
            if thought.enough_at is not None and time.perf_counter() >= thought.enough_at:
                break
            if (
                asked.mate
                and line.score.plies
                and line.score.pov(thought.state.to_move()).number > 0
                and line.score.plies < 2 * asked.mate
            ):
                break
        return last.lines[0] if last is not None else None

    def _tell(self, thought: _Thought, analysis: Analysis, last: Analysis | None) -> None:
        """The lines of a depth. Of one that was cut off only what is new: that line was searched a ply deeper."""
        cut = last is not None and analysis.depth <= last.depth
        told = [line for line in analysis.lines if not cut or line not in (last.lines if last else ())]
        used = thought.engine.fullness
        spent = max(thought.seconds, LEAST)
        for number, line in enumerate(told[:1] if cut else told, 1):
            score = _score(line.score.pov(thought.state.to_move()), _CENTIPAWNS.get(thought.options.evaluation, 1))
            if cut and len(line.moves) == 1 and not line.score.is_proven:
                score += " lowerbound"
            names = _names(thought.state, line.moves, thought.options.chess960)
            self._say(
                f"info depth {max(analysis.depth + cut, 1)} multipv {number} score {score} nodes {analysis.nodes} "
                f"nps {round(analysis.nodes / spent)} hashfull {round(1000 * used)} time {round(1000 * spent)} "
                f"pv {' '.join(names)}"
            )
        if self._debug:
            self._inform(f"{analysis.reason}, {analysis.evaluation}, {analysis.threads} threads")

    def _count(self, thought: _Thought) -> None:
        """The work of a thread: perft, move by move."""
        depth = thought.asked.perft or 0
        total = 0
        try:
            for move in thought.moves if depth > 0 else ():
                count = self._count_below(thought, thought.state.play(move), depth - 1)
                if thought.stopped.is_set():
                    break
                total += count
                self._say(f"{_names(thought.state, (move,), thought.options.chess960)[0]}: {count}")
            counted = " so far" if thought.stopped.is_set() else ""
            self._say(f"Nodes searched{counted}: {total if depth > 0 else 1}")
        except ZermeloError as error:
            self._inform(str(error))

    def _count_below(self, thought: _Thought, state: Any, depth: int) -> int:
        """Perft, in parts so small that `stop` is seen between them."""
        if depth < 4 or thought.stopped.is_set():
            return plain.perft(state, depth) if depth < 4 else 0
        return sum(self._count_below(thought, state.play(move), depth - 1) for move in state.moves())


def _mistake(error: Exception) -> str:
    return f"a mistake of Zermelo's own, please report it: {type(error).__name__}: {error}"


def _budget(asked: Asked, state: Any, options: _Options) -> Budget | None:
    """The seconds that `go` leaves for the move; None where no time was given."""
    overhead = options.overhead / 1000
    if asked.infinite:
        return None
    if asked.movetime is not None:
        seconds = max(asked.movetime / 1000, LEAST)
        seconds = max(seconds - min(overhead, _SHARE_OF_MOVETIME * seconds), LEAST)
        return Budget(seconds, seconds)
    white = state.to_move() == MAX
    left, increment = (asked.wtime, asked.winc) if white else (asked.btime, asked.binc)
    if left is None:
        return None
    return seconds_for(left / 1000, increment / 1000, asked.movestogo, overhead)


def _limits(thought: _Thought) -> Limits:
    """The limits of the search: what is left of the time, if a clock runs already, and what else was asked for."""
    asked, budget = thought.asked, thought.budget
    depth = asked.depth
    if asked.mate is not None:
        depth = min(2 * max(asked.mate, 1) - 1, depth or DEEPEST)
    depth = None if depth is None else min(max(depth, 1), DEEPEST)
    nodes = None if asked.nodes is None else max(asked.nodes, 1)
    if budget is None or asked.ponder:
        return Limits(depth, None, nodes)
    enough = None if asked.movetime is not None else max(budget.soft - thought.seconds, LEAST)
    return Limits(depth, max(budget.hard - thought.seconds, LEAST), nodes, enough=enough)


def _score(score: Score, centipawns: int) -> str:
    """The score of the side to move in the protocol's words: centipawns, or full moves to mate."""
    if not score.is_proven:
        return f"cp {max(-LARGEST_SCORE, min(score.number * centipawns, LARGEST_SCORE))}"
    if score.plies is None or not score.value:
        return "cp 0"
    return f"mate {(score.plies + 1) // 2 if score.value > 0 else -(score.plies // 2)}"


def _names(state: Any, moves: tuple[int, ...], chess960: bool) -> list[str]:
    """Moves from a state as the protocol writes them."""
    names = []
    for move in moves:
        names.append(notation.uci(state, move, chess960))
        state = state.play(move)
    return names
