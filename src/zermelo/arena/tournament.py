"""A run: what the schedule asks for goes to the crew, what comes back into the store, until everything is played.

    plan -> Schedule.more(results) -> Executor -> GameRecord -> Store.keep    each finished game is saved at once
                    ^                                        |
                    +----------------- results --------------+

The loop holds nothing that is not in the store: a run that was interrupted or killed goes on where it was.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field
from itertools import takewhile

from zermelo.arena.executors.executor import Executor, Task, TaskResult
from zermelo.arena.game_record import GameJob, GameRecord, GameResult
from zermelo.arena.plans.plan import Plan
from zermelo.arena.plans.schedule import Schedule, schedule_for
from zermelo.arena.results import Results
from zermelo.arena.sprt import SprtMonitor
from zermelo.arena.store import Store
from zermelo.arena.tables.standings import Count, Standings
from zermelo.search.threads import catching_interrupts

#: How long the loop waits for an outcome before it looks up again, in seconds.
TICK = 0.1


@dataclass
class Tournament:
    """A tournament in progress. `results` and `failed` grow; `watch` is called after each outcome and each tick."""

    plan: Plan
    store: Store
    watch: Callable[[Tournament, GameRecord | None], None] | None = None
    schedule: Schedule = field(init=False)
    #: By the games' numbers: what was played, and what could not be, with the reason.
    results: Results = field(init=False)
    failed: dict[int, str] = field(init=False)
    #: Games played in this sitting.
    played: int = 0

    def __post_init__(self) -> None:
        self.schedule = schedule_for(self.plan)
        self.look()
        # What could not be played is tried once more in each sitting: the machine may have been the reason.
        self.failed = {}

    def look(self) -> None:
        """Take the results from the store: after Ctrl-C it may hold a game that was not counted yet."""
        self.results = Results(self.store)

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to be played."""
        return self.schedule.is_over(self.results, self.failed)

    @property
    def counted(self) -> Iterator[GameResult]:
        """The results that count, in the order of the games; the same whatever the order in which they came in."""
        until = self.schedule.counted_until(self.results, self.failed)
        return takewhile(lambda result: result.number < until, self.store.results())

    @property
    def total(self) -> int:
        """The games of the whole run, as far as it can be said by now."""
        return self.schedule.total(self.results, self.failed)

    def standings(self, rated: bool = True, anchor: str | None = None) -> Standings:
        """The table by now. `rated`: with Elo, for which scipy is needed; `anchor`: whose is 0."""
        count = Count([entrant.name for entrant in self.plan.entrants], self.plan.format)
        for result in self.counted:
            count.add(result)
        free = self.schedule.free_points(self.results, self.failed)
        winner = self.schedule.winner(self.results, self.failed)
        return count.standings(anchor, rated, free, winner)

    def sprt(self) -> SprtMonitor | None:
        """The sequential test by now; None where none was agreed."""
        return self.schedule.tested(self.results, self.failed)

    def go(self, crew: Executor) -> None:
        """Play until nothing is left. Raises what the store raises; after that and Ctrl-C `go` may be called again.

        Ctrl-C is looked at between games, so that it hits no line that keeps one; a second one ends it anywhere.
        """
        stop = threading.Event()
        with nullcontext() if crew.is_inline else catching_interrupts(stop):
            try:
                self._play(crew, stop)
            finally:
                crew.cancel()

    def _play(self, crew: Executor, stop: threading.Event) -> None:
        after = 0
        while not self.is_over:
            if stop.is_set():
                raise KeyboardInterrupt
            new = [job for job in self._more(after) if job.number not in self.results]
            after = self.schedule.known(self.results, self.failed)
            crew.submit(Task(job.number, "game", job.to_json()) for job in new)
            outcome = crew.next_result(TICK)
            played = self._take(outcome) if outcome is not None else None
            if self.watch is not None:
                self.watch(self, played)
            assert outcome or crew.unfinished or self.is_over, "the schedule waits for games that nobody plays"

    def _more(self, after: int) -> Iterator[GameJob]:
        return self.schedule.more(self.results, self.failed, after)

    def _take(self, outcome: TaskResult) -> GameRecord | None:
        if outcome.data is None:
            self.failed[outcome.number] = outcome.error or "no reason was told"
            self.store.fail(outcome.number, self.failed[outcome.number])
            return None
        played = GameRecord.from_json(outcome.data)
        if self.store.keep(played):
            self.results.add(played.job.number)
            self.played += 1
        return played
