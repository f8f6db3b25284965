"""A tournament in progress: games from the schedule go to an executor, their records into the store.

    plan -> Schedule.jobs_from(results) -> Executor -> GameRecord -> Store.add    each finished game is saved at once
                    ^                                        |
                    +----------------- results --------------+

All state is in the store, so an interrupted or killed tournament continues where it was.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from zermelo.arena.executors.executor import Executor, Task, TaskResult
from zermelo.arena.game_record import GameRecord, GameResult
from zermelo.arena.plans.plan import Plan
from zermelo.arena.plans.schedule import Schedule, schedule_for
from zermelo.arena.results import StoredResults
from zermelo.arena.running_games import LiveFile
from zermelo.arena.sprt import SprtMonitor
from zermelo.arena.store import Store
from zermelo.arena.tables.standings import Standings, StandingsCounter

#: Seconds to wait for a result before the loop checks for interrupts and reports progress.
TICK = 0.1


@dataclass
class Tournament:
    """A match or tournament in progress.

    Parameters
    ----------
    plan : Plan
        What to play.
    store : Store
        Where the games are saved; open for writing if games are to be played.
    on_progress : callable, optional
        Called with the tournament and the finished game (or None) after each game and at least every `TICK` seconds.
    require_sandbox : bool
        Play a game only if all restrictions of the sandbox hold in the process of each agent; see `failed`. It belongs
        to the run, not to the plan: `resume` may differ.

    Attributes
    ----------
    results : mapping of int to GameResult
        The finished games by number.
    failed : dict of int to str
        The games that could not be played in this run, with the errors. Each run tries them again.
    games_played : int
        Number of games finished in this run.
    """

    plan: Plan
    store: Store
    on_progress: Callable[[Tournament, GameRecord | None], None] | None = None
    require_sandbox: bool = False
    schedule: Schedule = field(init=False)
    results: StoredResults = field(init=False)
    failed: dict[int, str] = field(init=False)
    games_played: int = 0

    def __post_init__(self) -> None:
        self.schedule = schedule_for(self.plan)
        self.reload()
        self.failed = {}

    def reload(self) -> None:
        """Read the results from the store again: after Ctrl-C it may hold a game that was not counted yet."""
        self.results = StoredResults(self.store)

    @property
    def is_over(self) -> bool:
        """Whether no game is left to play."""
        return self.schedule.is_over(self.results, self.failed)

    @property
    def counted_results(self) -> Iterator[GameResult]:
        """The results that count, by number; independent of the order in which the games finished."""
        until = self.schedule.counted_until(self.results, self.failed)
        return (result for result in self.store.results() if result.number < until)

    @property
    def total_games(self) -> int:
        """Number of games of the whole tournament, an estimate while later rounds are unknown."""
        return self.schedule.total(self.results, self.failed)

    def standings(self, *, rated: bool = True, anchor: str | None = None) -> Standings:
        """Return the current table.

        Parameters
        ----------
        rated : bool
            Compute Elo ratings, which needs SciPy; without it a note in the table says so.
        anchor : str, optional
            Name of the player whose Elo is 0; by default the mean is 0.

        Raises
        ------
        InputError
            The anchor is not a player of the tournament.
        """
        counter = StandingsCounter([entrant.name for entrant in self.plan.entrants], self.plan.format)
        for result in self.counted_results:
            counter.add(result)
        byes = self.schedule.bye_points(self.results, self.failed)
        winner = self.schedule.winner(self.results, self.failed)
        return counter.standings(anchor, rated, byes, winner)

    def sprt(self) -> SprtMonitor | None:
        """Return the current state of the sequential test; None if the plan has none."""
        return self.schedule.sprt(self.results, self.failed)

    def run(self, executor: Executor) -> None:
        """Play until no game is left. After an error or Ctrl-C, `run` may be called again.

        Ctrl-C takes effect between games, so it never interrupts saving one, but for a wait for a lock of another
        program; a second Ctrl-C takes effect at once.

        Raises
        ------
        StoreError
            A game cannot be saved.
        KeyboardInterrupt
            Ctrl-C was pressed; all finished games are saved.
        """
        stop = self.store.interrupt = threading.Event()
        with executor.catching_interrupts(stop):
            try:
                with LiveFile(self.store.path, self.store.run, executor.running_games):
                    self._play(executor, stop)
            finally:
                executor.cancel()

    def _play(self, executor: Executor, stop: threading.Event) -> None:
        submitted = 0
        kind = "sandboxed game" if self.require_sandbox else "game"
        while not self.is_over:
            if stop.is_set():
                raise KeyboardInterrupt
            jobs = self.schedule.jobs_from(self.results, self.failed, submitted)
            new = [job for job in jobs if job.number not in self.results]
            submitted = self.schedule.known_count(self.results, self.failed)
            executor.submit(Task(job.number, kind, job.to_json()) for job in new)
            outcome = executor.next_result(TICK)
            record = self._save(outcome) if outcome is not None else None
            if self.on_progress is not None:
                self.on_progress(self, record)
            assert outcome or executor.unfinished or self.is_over, (
                "the schedule waits for games that were not submitted"
            )

    def _save(self, outcome: TaskResult) -> GameRecord | None:
        if outcome.data is None:
            self.failed[outcome.number] = outcome.error or "unknown error"
            self.store.add_failure(outcome.number, self.failed[outcome.number])
            return None
        record = GameRecord.from_json(outcome.data)
        if self.store.add(record):
            self.results.add(record.job.number)
            self.games_played += 1
        return record
