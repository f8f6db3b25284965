"""`LiveTable`: the table of a store that another process may be writing. Each reading costs what the new games cost."""

from __future__ import annotations

import os
from itertools import islice
from pathlib import Path

from zermelo.arena.game_record import GameResult
from zermelo.arena.plans.plan import Plan
from zermelo.arena.plans.schedule import Schedule, schedule_for
from zermelo.arena.sprt import SprtMonitor
from zermelo.arena.store import Store
from zermelo.arena.store.store import seems_to_run
from zermelo.arena.tables.standings import Standings, StandingsCounter


class LiveTable:
    """The plan, the results and the table of a store.

    Parameters
    ----------
    path : path
        The file of the store.

    Attributes
    ----------
    plan : Plan
    results : dict of int to GameResult
        The finished games by number, those read last at the end.
    failed : dict of int to str
        The games that could not be played, with the errors.
    run : str
        The process that writes the store; see `Store.run`.

    Raises
    ------
    StoreError
        The store cannot be read; see `Store.open`.
    """

    plan: Plan
    run: str
    _schedule: Schedule
    _counter: StandingsCounter
    #: Number of results that the counter has seen, and the highest number that it has counted.
    _seen: int
    _highest: int

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.results: dict[int, GameResult] = {}
        self.failed: dict[int, str] = {}
        self._plan_data: object = None
        self.read()

    def read(self) -> int:
        """Read the games that are new in the store, and return their number.

        A store of another plan, or with fewer games, is read as a whole: its file was replaced.

        Raises
        ------
        StoreError
            The store cannot be read; what was read before is kept.
        """
        with Store.open(self.path) as store:
            if store.plan != self._plan_data or len(store) < len(self.results):
                self.plan = store.checked_plan
                self._plan_data = store.plan
                self._schedule = schedule_for(self.plan)
                self.results = {}
                self._reset_counter()
            before = len(self.results)
            # A complete reading checks that no game is missing; later ones read what is new.
            for result in store.new_results(self.results) if before else store.results():
                self.results[result.number] = result
            self.failed = store.failures()
            self.run = store.run
        return len(self.results) - before

    @property
    def has_writer(self) -> bool:
        """Whether a process seems to be writing now."""
        return seems_to_run(self.run)

    @property
    def is_over(self) -> bool:
        """Whether no game is left to play."""
        return self._schedule.is_over(self.results, self.failed)

    @property
    def total_games(self) -> int:
        """Number of games of the whole tournament, an estimate while later rounds are unknown."""
        return self._schedule.total(self.results, self.failed)

    def sprt(self) -> SprtMonitor | None:
        """Return the current state of the sequential test; None if the plan has none."""
        return self._schedule.sprt(self.results, self.failed)

    def standings(self) -> Standings:
        """Return the current table, as `Tournament.standings` does."""
        until = self._schedule.counted_until(self.results, self.failed)
        if self._highest >= until:  # a test has stopped before games that were counted
            self._reset_counter()
        for number, result in islice(self.results.items(), self._seen, None):
            if number < until:
                self._counter.add(result)
                self._highest = max(self._highest, number)
        self._seen = len(self.results)
        byes = self._schedule.bye_points(self.results, self.failed)
        return self._counter.standings(byes=byes, winner=self._schedule.winner(self.results, self.failed))

    def _reset_counter(self) -> None:
        self._counter = StandingsCounter([entrant.name for entrant in self.plan.entrants], self.plan.format)
        self._seen, self._highest = 0, -1
