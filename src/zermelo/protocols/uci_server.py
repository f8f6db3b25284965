"""Zermelo as a UCI chess engine.

    server = UciServer(print)
    for line in lines:                  # every command returns at once, also during a search
        if not server.command(line):    # quit
            break
    server.close()

Three kinds of threads: the caller's handles commands and never blocks for long. Each `go` searches on a thread of its
own, which sends `info` lines and finally `bestmove`. The machine code is compiled on a third thread, when `isready` or
`go` first need it: that takes half a minute on a new machine, and `stop` must be answered in the meantime.

References
----------
R. Huber and S. Meyer-Kahlen, "Description of the universal chess interface (UCI)", April 2006.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from zermelo._util.text import quoted
from zermelo.core.evaluation import Evaluation, evaluation_name, resolve_evaluation
from zermelo.core.game import MAX
from zermelo.core.history import PositionHistory
from zermelo.errors import IllegalMove, LimitError, ZermeloError
from zermelo.games.chess import notation
from zermelo.games.chess.rules import Chess
from zermelo.protocols.uci_commands import GoParameters, parse_go, parse_position, parse_setoption
from zermelo.protocols.uci_strength import (
    EVALUATION,
    MAX_ELO,
    MEASURED_EVALUATION,
    MIN_ELO,
    nodes_for,
    win_draw_loss,
)
from zermelo.search import compiled_textbook, endgame_tables
from zermelo.search.analysis import Analysis, Line, Score
from zermelo.search.engine import MAX_DEPTH, MAX_THREADS, Engine, Limits
from zermelo.search.levels import MAX_LEVEL, Strength
from zermelo.search.limits import MAX_NODES
from zermelo.search.request import SearchRequest
from zermelo.search.selective import Selective
from zermelo.search.timing import MIN_SECONDS, OVERHEAD, Budget, time_budget

_MEGABYTE = 1 << 20
#: Maximum of the option Hash, in megabytes.
MAX_HASH = 1 << 16
#: Maximum of the option MultiPV, and of the moves of `searchmoves`: no position has more legal moves.
MAX_MULTIPV = 218
#: Maximum of scores that are not proven mates, in centipawns.
MAX_CENTIPAWNS = 20_000
#: Value of the option Evaluation for an evaluation that is not one of chess.
FROM_FILE = "file"
#: Centipawns per unit of an evaluation, where it is not 1.
_CENTIPAWNS = {"material": 100}
#: Maximum fraction of `movetime` that is reserved for the move overhead.
_MAX_OVERHEAD_FRACTION = 0.5
#: Seconds between two checks while a search waits for its machine code.
_POLL_SECONDS = 0.01
#: Fraction of the time of a move that waits for machine code before another search that is loaded takes its place.
_PATIENCE = 0.25
#: Seconds a stopped search may take to return.
_STOP_SECONDS = 5.0


class _Options(NamedTuple):
    """Values of the UCI options."""

    hash: int = 64
    threads: int = 1
    lines: int = 1
    overhead: int = round(1000 * OVERHEAD)
    chess960: bool = False
    level: int = MAX_LEVEL
    evaluation: str = EVALUATION
    selective: bool = True
    limit_strength: bool = False
    elo: int = MAX_ELO
    shows_wdl: bool = False

    @property
    def used_evaluation(self) -> str:
        """The evaluation of searches: with a limited strength, the one whose strength was measured."""
        return MEASURED_EVALUATION if self.limit_strength else self.evaluation


@dataclass
class _Spin:
    """An integer option: the field of `_Options`, minimum and maximum."""

    field: str
    minimum: int
    maximum: int


_SPINS = {
    "Hash": _Spin("hash", 1, MAX_HASH),
    "Threads": _Spin("threads", 1, MAX_THREADS),
    "MultiPV": _Spin("lines", 1, MAX_MULTIPV),
    "Move Overhead": _Spin("overhead", 0, 5000),
    "Skill Level": _Spin("level", 1, MAX_LEVEL),
    "UCI_Elo": _Spin("elo", MIN_ELO, MAX_ELO),
}
#: Check options, with the field of `_Options` that they set. GUIs use pondering and analysis mode only if the options
#: exist; they have no effect.
_CHECKS = {
    "Ponder": "",
    "UCI_Chess960": "chess960",
    "UCI_AnalyseMode": "",
    "UCI_LimitStrength": "limit_strength",
    "UCI_ShowWDL": "shows_wdl",
    "Selective": "selective",
}


class _Preparation:
    """Compilation of the search for an evaluation. `waiting`: number of `isready` commands that came before its end."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.waiting = 0
        #: Whether it ended with an error.
        self.failed = False
        #: Set when `readyok` has been sent for each of them.
        self.answered = threading.Event()


@dataclass
class _GoSearch:
    """The search started by a `go` command."""

    go: GoParameters
    state: Any  # a Chess position; its compiled methods have no types
    history: PositionHistory
    options: _Options
    engine: Engine
    #: Whether the search is selective; limits of depth and nodes, and levels, ask for exact ones.
    selective: bool
    #: Name of the evaluation.
    evaluation: str
    budget: Budget | None
    #: Root moves to search; empty: all.
    root_moves: list[int]
    start_time: float = field(default_factory=time.perf_counter)
    #: Time after which no further depth is started; None while no clock runs.
    soft_deadline: float | None = None
    stopped: threading.Event = field(default_factory=threading.Event)
    #: Set when `bestmove` may be sent: not while pondering, nor during `go infinite`.
    may_reply: threading.Event = field(default_factory=threading.Event)
    #: The last line that was sent as the best.
    shown: Line | None = None
    thread: threading.Thread | None = None
    timer: threading.Timer | None = None

    def stop(self) -> None:
        """Stop the search; it then sends its best move at once."""
        self.stopped.set()
        self.engine.stop()
        self.may_reply.set()

    def ponderhit(self) -> None:
        """The expected move was played: the clock starts now, and the time spent pondering counts as search time."""
        if self.may_reply.is_set():
            return
        if self.budget is not None:
            if self.go.movetime is None:
                self.soft_deadline = self.start_time + self.budget.soft
            if len(self.moves) == 1 or (self.soft_deadline is not None and time.perf_counter() >= self.soft_deadline):
                self.stop()
            else:
                self.timer = threading.Timer(self.budget.hard, self.stop)
                self.timer.daemon = True
                self.timer.start()
        self.may_reply.set()

    @cached_property
    def moves(self) -> list[int]:
        """The moves to choose from."""
        return self.root_moves or list(self.state.moves())

    @property
    def is_full(self) -> bool:
        """Whether it has the full strength of the engine, within the limits of the GUI: that of the largest level."""
        return self.options.level == MAX_LEVEL or self.options.limit_strength

    @property
    def seconds(self) -> float:
        """Seconds since `go`."""
        return time.perf_counter() - self.start_time


class UciServer:
    """A UCI session with a GUI or another program.

    Parameters
    ----------
    output : callable
        Called with each line of output; from several threads, but never concurrently.
    table : int
        Initial value of the option Hash, in bytes.
    threads : int
        Initial value of the option Threads.
    prepare : callable
        Called before the engine is ready, once for each kind of search; it may take seconds the first time.
    evaluation : str or Evaluation, optional
        Initial value of the option Evaluation. An evaluation that is not one of chess, such as that of a weight file,
        becomes its value `file`.
    parameters : Selective, optional
        Parameters of the selective searches; by default those of chess.

    Raises
    ------
    LimitError
        `table` or `threads` is out of range, or chess has no evaluation of this name.
    """

    def __init__(
        self,
        output: Callable[[str], None],
        table: int = 64 * _MEGABYTE,
        threads: int = 1,
        prepare: Callable[[], None] = lambda: None,
        evaluation: str | Evaluation = EVALUATION,
        parameters: Selective | None = None,
    ) -> None:
        self._output = output
        self._lock = threading.RLock()
        self._prepare_more = prepare
        if not 1 <= threads <= MAX_THREADS:
            raise LimitError(f"threads must be from 1 to {MAX_THREADS} (got {threads})")
        if not _MEGABYTE <= table <= MAX_HASH * _MEGABYTE:
            raise LimitError(f"table must be from 1M to {MAX_HASH >> 10}G (got {table:,} bytes)")
        self._selective = parameters or True
        self._from_file = evaluation if isinstance(evaluation, Evaluation) else None
        name = evaluation if isinstance(evaluation, str) else FROM_FILE
        self._check_evaluation("evaluation", name)
        self._defaults = self._options = _Options(table // _MEGABYTE, threads, evaluation=name)
        self._engine: Engine | None = None
        self._preparations: dict[tuple[str, bool], _Preparation] = {}
        self._search: _GoSearch | None = None
        self._debug = False
        self._random = random.Random()
        self._start, self._moves = "", list[str]()
        self._state: Any = Chess()
        self._history = PositionHistory()
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
        """Handle one command line. Errors are reported in an `info string` line.

        Returns
        -------
        bool
            False after `quit`.
        """
        words = line.split()
        # The protocol requires unknown words to be skipped and the rest of the line to be tried.
        for index, word in enumerate(words):
            if word == "quit":
                return False
            if word in self._commands:
                try:
                    self._commands[word](words[index + 1 :])
                except ZermeloError as error:
                    self.send_info(str(error))
                except Exception as error:
                    self.send_info(_internal_error(error))
                return True
        if words:
            self.send_info(f"{quoted(words[0])} is not a command; expected one of {', '.join(self._commands)}, quit")
        return True

    def wait_until_ready(self) -> None:
        """Wait until each `isready` has been answered."""
        for ready in [*self._preparations.values()]:
            with self._lock:
                is_waiting = ready.waiting > 0
            if is_waiting:
                ready.answered.wait()

    def close(self) -> None:
        """Stop the current search, which sends its move. Nothing is sent afterwards."""
        if self._search is not None:
            self._search.stop()
            self._join(self._search)
        with self._lock:
            self._output = lambda _: None

    @property
    def is_busy(self) -> bool:
        """Whether a background thread is running that cannot be stopped, such as a compilation."""
        thread = self._search.thread if self._search is not None else None
        return any(not ready.done.is_set() for ready in self._preparations.values()) or (
            thread is not None and thread.is_alive()
        )

    def _send(self, line: str) -> None:
        with self._lock:
            self._output(line)

    def send_info(self, text: str) -> None:
        """Send a message to the GUI."""
        self._send(f"info string {' '.join(text.split())}")

    # ---- identification -------------------------------------------------------------------------------------

    def _uci(self, _: list[str]) -> None:
        from zermelo import __version__

        defaults = self._defaults
        self._send(f"id name Zermelo {__version__}")
        self._send("id author the Zermelo developers")
        for name, spin in _SPINS.items():
            now = getattr(defaults, spin.field)
            self._send(f"option name {name} type spin default {now} min {spin.minimum} max {spin.maximum}")
        self._send("option name Clear Hash type button")
        for name, option in _CHECKS.items():
            default = "true" if option and getattr(defaults, option) else "false"
            self._send(f"option name {name} type check default {default}")
        known = " ".join(f"var {name}" for name in self._evaluation_names())
        self._send(f"option name Evaluation type combo default {defaults.evaluation} {known}")
        self._send("uciok")

    def _set_debug(self, words: list[str]) -> None:
        self._debug = words[:1] != ["off"]

    def _setoption(self, words: list[str]) -> None:
        name, value = parse_setoption(words)
        known = {each.casefold(): each for each in (*_SPINS, *_CHECKS, "Clear Hash", "Evaluation")}
        which = known.get(name.casefold())
        if which is None:
            raise LimitError(f"unknown option {quoted(name)}; options: {', '.join(known.values())}")
        if which == "Clear Hash":
            self._engine = None
        elif which in _SPINS:
            spin = _SPINS[which]
            if not (value.isascii() and value.isdigit() and len(value) < 10):
                raise LimitError(f"{which} {quoted(value)}: expected an integer from {spin.minimum} to {spin.maximum}")
            if not spin.minimum <= int(value) <= spin.maximum:
                raise LimitError(f"{which} must be from {spin.minimum} to {spin.maximum} (got {int(value)})")
            self._options = self._options._replace(**{spin.field: int(value)})  # type: ignore[arg-type]
            if which in ("Hash", "Threads"):
                self._engine = None  # created again when it is needed
        elif which == "Evaluation":
            self._check_evaluation(which, value)
            self._options = self._options._replace(evaluation=value)
        else:
            if value not in ("true", "false"):
                raise LimitError(f"{which} {quoted(value)}: expected true or false")
            if _CHECKS[which]:
                self._options = self._options._replace(**{_CHECKS[which]: value == "true"})  # type: ignore[arg-type]

    def _evaluation_names(self) -> list[str]:
        """Return the values of the option Evaluation."""
        return [*Chess.evaluations, *([FROM_FILE] if self._from_file is not None else [])]

    def _check_evaluation(self, option: str, name: str) -> None:
        known = self._evaluation_names()
        if name not in known:
            raise LimitError(f"{option} {quoted(name)}: expected one of {', '.join(known)}")

    def _named(self, name: str) -> str | Evaluation:
        """Return the evaluation of a value of the option, as searches take it."""
        return self._from_file if name == FROM_FILE and self._from_file is not None else name

    def _centipawns(self, name: str) -> int:
        """Return the centipawns of a unit of an evaluation."""
        evaluation = self._named(name)
        return _CENTIPAWNS.get(name if isinstance(evaluation, str) else evaluation_name(Chess(), evaluation), 1)

    def _new_game(self, _: list[str]) -> None:
        self._engine = None

    # ---- preparation ----------------------------------------------------------------------------------------

    def _isready(self, _: list[str]) -> None:
        is_selective = _is_selective(GoParameters(), self._options)  # as a search with a clock
        ready = self._preparation(self._options.used_evaluation, is_selective)
        if self._engine is None:
            self._get_engine(self._options).allocate()  # no clock runs now
        with self._lock:
            if not ready.done.is_set():
                ready.waiting += 1
                return
        self._send("readyok")

    def _preparation(self, evaluation: str, selective: bool) -> _Preparation:
        """Return the compilation for an evaluation and a kind of search; start it if necessary."""
        kind = evaluation, selective
        if kind in self._preparations:
            return self._preparations[kind]
        ready = self._preparations[kind] = _Preparation()
        threading.Thread(target=self._prepare, args=(*kind, ready), daemon=True).start()
        return ready

    def _prepare(self, evaluation: str, selective: bool, ready: _Preparation) -> None:
        slow = threading.Timer(1.0, self.send_info, ["compiling; on a new machine this takes up to a minute"])
        slow.daemon = True
        slow.start()
        try:
            self._prepare_more()
            engine = Engine("64K", selective=selective and self._selective)
            for _ in engine.analysis(Chess(), depth=1, evaluation=self._named(evaluation)):
                pass
        except Exception as error:  # searches will report it again
            ready.failed = True
            self.send_info(f"compiling: {type(error).__name__}: {error}")
        finally:
            slow.cancel()
            with self._lock:
                ready.done.set()
                for _ in range(ready.waiting):
                    self._send("readyok")
            ready.answered.set()

    # ---- position -------------------------------------------------------------------------------------------

    def _position(self, words: list[str]) -> None:
        start, moves = parse_position(words)
        state: Any = Chess.parse(start)
        history, played = PositionHistory(), 0
        if start == self._start and moves[: len(self._moves)] == self._moves:  # continue the game without replaying it
            state, history, played = self._state, self._history.copy(), len(self._moves)
        for number, move in enumerate(moves[played:], played + 1):
            try:
                after = state.play(state.parse_move(move))
            except IllegalMove as error:
                raise IllegalMove(f"position: move {number}: {self._illegal(state, move, error)}") from None
            history.push(state)
            state = after
        self._start, self._moves, self._state, self._history = start, moves, state, history

    def _illegal(self, state: Chess, text: str, error: IllegalMove) -> str:
        """Describe an illegal move, with the legal moves in UCI notation."""
        legal = " ".join(sorted(notation.uci(state, move, self._options.chess960) for move in state.legal_moves()))
        return f"{quoted(text)} is not a legal move here; legal: {legal}" if legal else str(error)

    def _draw(self, _: list[str]) -> None:
        for line in self._state.board().splitlines():
            self._send(line)
        self._send(f"Fen: {self._state}")

    def _evaluate(self, _: list[str]) -> None:
        name = self._options.used_evaluation
        evaluation = resolve_evaluation(self._state, self._named(name))
        score = evaluation.score(self._state) * self._centipawns(name)
        self.send_info(f"{name} {score / 100:+.2f} for white")

    # ---- searches -------------------------------------------------------------------------------------------

    def _go(self, words: list[str]) -> None:
        go = parse_go(words)
        for text in go.warnings:
            self.send_info(text)
        if self._search is not None:  # the GUI should have stopped it; it sends its move now
            self._stop([])
            self._join(self._search)
        options, state = self._options, self._state
        self._search = search = _GoSearch(
            go, state, self._history, options, self._get_engine(options), _is_selective(go, options),
            options.used_evaluation, _budget(go, state, options), self._root_moves(go),
        )  # fmt: skip
        if not (go.ponder or go.infinite):
            search.may_reply.set()
        work = self._run_go if go.perft is None else self._run_perft
        search.thread = threading.Thread(target=work, args=(search,), daemon=True)
        search.thread.start()

    def _get_engine(self, options: _Options) -> Engine:
        """Return the engine for the options, with a smaller table if memory is short."""
        if self._engine is None:
            try:
                self._engine = Engine(options.hash * _MEGABYTE, options.threads)
            except LimitError as error:
                self.send_info(f"{error}; using 1M")
                self._engine = Engine(_MEGABYTE, options.threads)
        return self._engine

    def _root_moves(self, go: GoParameters) -> list[int]:
        """Return the root moves of `searchmoves`, if any."""
        moves: list[int] = []
        for text in [*dict.fromkeys(go.searchmoves)][:MAX_MULTIPV]:
            try:
                moves.append(self._state.parse_move(text))
            except IllegalMove as error:
                self.send_info(f"go searchmoves: {self._illegal(self._state, text, error)}")
        return moves

    def _stop(self, _: list[str]) -> None:
        if self._search is not None:
            self._search.stop()

    def _ponderhit(self, _: list[str]) -> None:
        if self._search is not None and self._search.go.ponder:
            self._search.ponderhit()

    def _join(self, search: _GoSearch) -> None:
        if search.thread is not None:
            search.thread.join(_STOP_SECONDS)
        if search.timer is not None:
            search.timer.cancel()

    def _run_go(self, search: _GoSearch) -> None:
        """Search, send `info` lines, and finally `bestmove`. Runs on a thread of its own."""
        best: Line | None = None
        try:
            if search.state.is_over():
                mated = search.state.in_check() and not search.moves
                self._send(f"info depth 0 score {'mate 0' if mated else 'cp 0'}")
            elif self._is_ready_in_time(search):
                best = self._run_search(search)
            else:
                self.send_info("no time to search: still compiling; zermelo cache warm chess compiles it beforehand")
        except ZermeloError as error:
            self.send_info(str(error))
        except Exception as error:
            self.send_info(_internal_error(error))
        search.may_reply.wait()
        if search.timer is not None:
            search.timer.cancel()
        moves = best.moves if best is not None else tuple(search.moves[:1])
        names = _names(search.state, moves[:2], search.options.chess960)
        self._send(f"bestmove {names[0] if names else '(none)'}{f' ponder {names[1]}' if names[1:] else ''}")

    def _is_ready_in_time(self, search: _GoSearch) -> bool:
        """Wait for the machine code while there is time; return whether the position can be searched.

        An endgame table needs no code. After a part of the time another search that is loaded takes the place of the
        one that is asked for.
        """
        ready = self._preparation(search.evaluation, search.selective).done
        if not ready.is_set() and self._table_answers(search):
            return True
        while not ready.wait(_POLL_SECONDS):
            if search.stopped.is_set():
                return False
            if search.budget is None or search.go.ponder or search.seconds < _PATIENCE * search.budget.hard:
                continue
            if loaded := self._loaded_kinds():
                wanted = search.evaluation, search.selective
                search.evaluation, search.selective = max(
                    loaded, key=lambda kind: (kind[0] == wanted[0], kind[1] == wanted[1])
                )
                used = _kind_name(search.evaluation, search.selective)
                self.send_info(f"still compiling for {_kind_name(*wanted)}; searching with {used}")
                return True
            if search.seconds >= search.budget.hard:
                return False
        return True

    def _loaded_kinds(self) -> list[tuple[str, bool]]:
        """The evaluations and kinds of search whose machine code is loaded."""
        return [kind for kind, each in self._preparations.items() if each.done.is_set() and not each.failed]

    def _table_answers(self, search: _GoSearch) -> bool:
        """Whether an endgame table answers in place of a search."""
        if not search.is_full:
            return False
        request = SearchRequest(
            search.state, _limits(search), self._named(search.evaluation), search.options.lines, search.history,
            search.root_moves,
        )  # fmt: skip
        return endgame_tables.answer(request) is not None

    def _run_search(self, search: _GoSearch) -> Line | None:
        """Run the search; return the best line."""
        options, go = search.options, search.go
        strength = Strength(None if search.is_full else options.level)
        search.engine.selective = search.selective and self._selective
        analyses = search.engine.analysis(
            search.state,
            strength.limits(_limits(search), by_playouts=False, state=search.state),
            evaluation=self._named(search.evaluation),
            lines=max(options.lines, strength.lines(len(search.moves))),
            history=search.history,
            moves=search.root_moves or strength.root_moves(search.moves, self._random),
        )
        if search.stopped.is_set():  # stopped before the engine began, which cleared the request
            search.engine.stop()
        previous: Analysis | None = None
        for analysis in analyses:
            self._send_analysis(search, analysis, previous)
            previous = analysis
            line = analysis.lines[0]
            if search.soft_deadline is not None and time.perf_counter() >= search.soft_deadline:
                break
            if (
                go.mate
                and line.score.plies
                and line.score.pov(search.state.to_move()).number > 0
                and line.score.plies < 2 * go.mate
            ):
                break
        if previous is None:
            return None
        chosen = strength.choose(previous, self._random)
        if chosen.lines[0] != search.shown:  # programs expect the last line to begin with the best move
            self._send_analysis(search, chosen, None)
        return chosen.lines[0]

    def _send_analysis(self, search: _GoSearch, analysis: Analysis, previous: Analysis | None) -> None:
        """Send the lines of a depth; of an interrupted depth only the new ones, which were searched a ply deeper."""
        interrupted = previous is not None and analysis.depth <= previous.depth
        lines = [line for line in analysis.lines if not interrupted or line not in (previous.lines if previous else ())]
        fullness = search.engine.fullness
        elapsed = max(search.seconds, MIN_SECONDS)
        shown = 1 if interrupted else search.options.lines
        if lines:
            search.shown = lines[0]
        for number, line in enumerate(lines[:shown], 1):
            own = line.score.pov(search.state.to_move())
            centipawns = self._centipawns(search.evaluation)
            score = _score(own, centipawns)
            if interrupted and len(line.moves) == 1 and not line.score.is_proven:
                score += " lowerbound"
            if search.options.shows_wdl:
                score += f" wdl {_wdl(own, centipawns)}"
            names = _names(search.state, line.moves, search.options.chess960)
            self._send(
                f"info depth {max(analysis.depth + interrupted, 1)} multipv {number} score {score} "
                f"nodes {analysis.nodes} nps {round(analysis.nodes / elapsed)} "
                f"hashfull {round(1000 * fullness)} time {round(1000 * elapsed)} "
                f"pv {' '.join(names)}"
            )
        if self._debug:
            self.send_info(f"{analysis.reason}, {analysis.evaluation}, {analysis.threads} threads")

    def _run_perft(self, search: _GoSearch) -> None:
        """Run perft move by move. Runs on a thread of its own."""
        depth = search.go.perft or 0
        total = 0
        try:
            for move in search.moves if depth > 0 else ():
                count = self._perft_below(search, search.state.play(move), depth - 1)
                if search.stopped.is_set():
                    break
                total += count
                self._send(f"{_names(search.state, (move,), search.options.chess960)[0]}: {count}")
            partial = " (stopped)" if search.stopped.is_set() else ""
            self._send(f"Nodes searched{partial}: {total if depth > 0 else 1}")
        except ZermeloError as error:
            self.send_info(str(error))

    def _perft_below(self, search: _GoSearch, state: Any, depth: int) -> int:
        """Count a subtree in parts small enough to react to `stop` between them."""
        if depth < 4 or search.stopped.is_set():
            return compiled_textbook.perft(state, depth) if depth < 4 else 0
        return sum(self._perft_below(search, state.play(move), depth - 1) for move in state.moves())


def _kind_name(evaluation: str, selective: bool) -> str:
    return f"{evaluation}, {'selective' if selective else 'exact'}"


def _internal_error(error: Exception) -> str:
    return f"internal error (please report it): {type(error).__name__}: {error}"


def _is_selective(go: GoParameters, options: _Options) -> bool:
    """Return whether a search is selective: by `UCI_Elo`, or if time alone limits it, or nothing."""
    if options.limit_strength:
        return True
    return options.selective and (go.depth, go.nodes, go.mate, options.level) == (None, None, None, MAX_LEVEL)


def _budget(go: GoParameters, state: Any, options: _Options) -> Budget | None:
    """Return the time budget of the move; None if no time was given."""
    overhead = options.overhead / 1000
    if go.infinite:
        return None
    if go.movetime is not None:
        seconds = max(go.movetime / 1000, MIN_SECONDS)
        seconds = max(seconds - min(overhead, _MAX_OVERHEAD_FRACTION * seconds), MIN_SECONDS)
        return Budget(seconds, seconds)
    white = state.to_move() == MAX
    left, increment = (go.wtime, go.winc) if white else (go.btime, go.binc)
    if left is None:
        return None
    return time_budget(left / 1000, increment / 1000, go.movestogo, overhead)


def _limits(search: _GoSearch) -> Limits:
    """Return the limits of the search; the remaining time only if the clock is running."""
    go, budget = search.go, search.budget
    depth = go.depth
    if go.mate is not None:
        depth = min(2 * max(go.mate, 1) - 1, depth or MAX_DEPTH)
    depth = None if depth is None else min(max(depth, 1), MAX_DEPTH)
    nodes = None if go.nodes is None else max(go.nodes, 1)
    if search.options.limit_strength:
        nodes = min(nodes_for(search.options.elo), nodes or MAX_NODES)
    if budget is None or go.ponder:
        return Limits(depth, None, nodes)
    soft = None if go.movetime is not None else max(budget.soft - search.seconds, MIN_SECONDS)
    return Limits(depth, max(budget.hard - search.seconds, MIN_SECONDS), nodes, soft_seconds=soft)


def _score(score: Score, centipawns: int) -> str:
    """Format a score for the side to move: centipawns, or moves to mate."""
    if not score.is_proven:
        return f"cp {max(-MAX_CENTIPAWNS, min(score.number * centipawns, MAX_CENTIPAWNS))}"
    if score.plies is None or not score.value:
        return "cp 0"
    return f"mate {(score.plies + 1) // 2 if score.value > 0 else -(score.plies // 2)}"


def _wdl(score: Score, centipawns: int) -> str:
    """Format the probabilities of a win, a draw and a loss of the side to move, in thousandths."""
    if not score.is_proven:
        return " ".join(map(str, win_draw_loss(score.number * centipawns)))
    return "1000 0 0" if score.number > 0 else "0 0 1000" if score.number < 0 else "0 1000 0"


def _names(state: Any, moves: tuple[int, ...], chess960: bool) -> list[str]:
    """Return a line of moves in UCI notation."""
    names = []
    for move in moves:
        names.append(notation.uci(state, move, chess960))
        state = state.play(move)
    return names
