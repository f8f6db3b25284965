"""Games in progress, for those who watch a match: a small file beside the store while games are played.

    referee ── RunningGame ── worker ── pipe ──> executor.running_games() ──> LiveFile ──> STORE.live ──> web page
              (by thread)     at most twice a second                          at most twice a second

A referee only enters its game here: moves cost nothing. A thread looks at the game twice a second, so games that are
over in less time are never reported. What goes wrong here never affects a game.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from zermelo._util import temporary
from zermelo.arena.game_course import GameCourse
from zermelo.arena.game_record import GameJob, MoveReport
from zermelo.arena.players.clock import Clock
from zermelo.core.move_numbers import number_of

#: Seconds between two looks at the games, and until a game in progress is reported.
PERIOD = 0.5
#: Seconds after which the file is written again without a change; an older file is that of a process that is gone.
REFRESH, MAX_AGE = 5.0, 20.0
#: Most games in the file, plies of a game that are written, and bytes of the file.
MAX_GAMES, MAX_PLIES, MAX_BYTES = 4, 2_000, 1 << 16
#: Most moves of an interpreted game that one look turns into numbers; the next looks see the others.
MAX_INTERPRETED = 50
#: A report of a game as JSON data: see `RunningGame.report`.
Report = dict[str, Any]

#: The games that the threads of this process referee, by thread.
_GAMES: dict[int, RunningGame] = {}


@dataclass
class RunningGame:
    """A game in progress, whose referee owns the parts and changes them."""

    job: GameJob
    course: GameCourse
    clocks: Sequence[Clock]
    reports: Sequence[MoveReport]
    #: Unix time at which the side to move began to think.
    turn_started: float = 0.0
    _started: float = field(default_factory=time.monotonic)
    #: The moves so far as numbers.
    _numbers: list[int] = field(default_factory=list)

    def report(self) -> Report | None:
        """Return the game as JSON data; None in its first moments. May be called from another thread.

        In games with hidden information, and in those of more than `MAX_PLIES`, the moves are left out: a player that
        reads the file must not learn more than its view.
        """
        if time.monotonic() - self._started < PERIOD:
            return None
        job, course = self.job, self.course
        plies = len(course.moves)
        is_shown = course.start.perfect_information and plies <= MAX_PLIES
        if is_shown:
            known = len(self._numbers)
            # Numbers of interpreted games cost a list of legal moves each.
            for ply in range(known, plies if course.start.is_compiled else min(plies, known + MAX_INTERPRETED)):
                self._numbers.append(number_of(course.history[ply], course.moves[ply]))
        used = [0.0, 0.0]
        for report in self.reports[:plies]:
            if report.player >= 0:
                used[report.player] += report.seconds
        return {
            "number": job.number,
            "names": job.names,
            "start": job.start if is_shown else "",
            "moves": list(self._numbers) if is_shown else [],
            "plies": plies,
            "left": [None if clock.left is None else round(clock.left, 3) for clock in self.clocks],
            "used": [round(seconds, 3) for seconds in used],
            "turn_started": round(self.turn_started, 3),
        }


@contextmanager
def entered(game: RunningGame) -> Iterator[None]:
    """Enter a game as the one that this thread referees until the block ends."""
    thread = threading.get_ident()
    outer = _GAMES.get(thread)
    _GAMES[thread] = game
    try:
        yield
    finally:
        if outer is None:
            del _GAMES[thread]
        else:
            _GAMES[thread] = outer


def report_of(thread: int) -> Report | None:
    """Return a report of the game that a thread referees; None without one."""
    game = _GAMES.get(thread)
    if game is None:
        return None
    try:
        return game.report()
    except Exception:  # the code of a user's game: the referee will report what is wrong with it
        return None


def repeat(look: Callable[[], None]) -> Callable[[], None]:
    """Call a function twice a second in a thread of its own; return the function that ends this."""
    stop = threading.Event()

    def run() -> None:
        while not stop.wait(PERIOD):
            look()

    thread = threading.Thread(target=run, name="zermelo running games", daemon=True)
    thread.start()

    def end() -> None:
        stop.set()
        thread.join(1.0)

    return end


class ChangedReports:
    """Sends the reports of a thread's game when they change, and None when there is none any more."""

    def __init__(self, thread: int, send: Callable[[Report | None], None]) -> None:
        self._thread, self._send = thread, send
        self._sent: str = "null"

    def look(self) -> None:
        """Send what has changed since the last look."""
        report = report_of(self._thread)
        text = json.dumps(report)
        if text != self._sent:
            self._sent = text
            self._send(report)


def live_path(store: Path) -> Path:
    """The file of the running games of a store."""
    return Path(f"{store}.live")


class LiveFile:
    """Writes the running games of a store to a file beside it while the block runs. The caller may write the store.

    Parameters
    ----------
    store : Path
        The file of the store.
    run : str
        Identifies the process that writes the store; see `Store.run`.
    running : callable
        Returns reports of the running games.

    Notes
    -----
    A file that cannot be written is not written: this never raises. It is renamed into place, so readers see whole
    files. It is not flushed to the disk: after a power loss it means nothing.
    """

    def __init__(self, store: Path, run: str, running: Callable[[], Sequence[Report]]) -> None:
        self._path = live_path(store)
        self._run, self._running = run, running
        self._text, self._written = "", 0.0

    def __enter__(self) -> Self:
        self._remove()  # left by a process that was killed
        self._end = repeat(self.look)
        return self

    def __exit__(self, *_: object) -> None:
        self._end()
        self._remove()

    def look(self) -> None:
        """Write the file if the games have changed, or if it is getting old; remove it if no game runs."""
        reports = sorted(self._running(), key=lambda report: int(report["number"]))[:MAX_GAMES]
        text = self._encoded(reports)
        while reports and len(text) > MAX_BYTES:
            reports.pop()
            text = self._encoded(reports)
        if not reports:
            if self._text:
                self._remove()
        elif text != self._text or time.monotonic() - self._written > REFRESH:
            self._write(text)

    def _encoded(self, reports: Sequence[Report]) -> str:
        return json.dumps({"run": self._run, "games": reports}, separators=(",", ":"))

    def _write(self, text: str) -> None:
        # Readable by its user only, as the store.
        with suppress(OSError):
            handle, unfinished = temporary.create_file(self._path.parent, self._path.name)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(text.encode())
                    file.flush()
                    temporary.publish(file, unfinished, self._path)
                self._text, self._written = text, time.monotonic()
            except OSError:  # the disk is full
                os.unlink(unfinished)

    def _remove(self) -> None:
        self._text = ""
        with suppress(OSError):
            os.unlink(self._path)
