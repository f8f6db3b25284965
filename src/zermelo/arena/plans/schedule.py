"""Schedule of a tournament: the next games are a pure function of the plan and the results so far.

    schedule = schedule_for(plan)
    schedule.jobs(results)          the games known to be needed, finished ones included, by number
    schedule.is_over(results)       whether no game is left

A tournament is a sequence of stages (`stages.py`). The games of a stage are known when it begins, and it begins when
each game before it has a result or has failed. So the pairings do not depend on the number of workers or on
interruptions. A match, a round robin and a gauntlet are one stage; each round of a Swiss or knock-out tournament is a
stage, and so are knock-out tiebreaks.

Games come in pairs with the same opening and reversed sides. Game numbers are dense from 0. The two games of a pair
share a game-pair number, from which their seed is derived.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Reversible
from dataclasses import replace
from itertools import islice
from typing import cast

from zermelo.arena.game_course import seed_of
from zermelo.arena.game_record import GameJob, GameResult
from zermelo.arena.plans.formats import format_of
from zermelo.arena.plans.openings import Openings, openings_for
from zermelo.arena.plans.plan import Plan
from zermelo.arena.plans.stages import Stage
from zermelo.arena.sprt import Sprt, SprtMonitor

#: How many games beyond the first unfinished one are handed out, at the start and later: more than an executor keeps
#: busy, few enough to be created quickly.
LOOKAHEAD_FIRST, LOOKAHEAD = 256, 512


def schedule_for(plan: Plan) -> Schedule:
    """Return the schedule of a plan."""
    return Schedule(plan)


class Schedule:
    """The games of a plan. All answers depend on the plan and the arguments only.

    Calling with the same mapping again, to which results were only added, costs only the new results.

    Notes
    -----
    All methods take `results`, the results by game number, and `failed`, the numbers of games that could not be
    played. A stage does not wait for failed games, and they score for nobody. Once a later stage has begun, missing
    games of earlier stages are not requested again.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._format = format_of(plan)
        self._openings: Openings | None = None
        self._reset({})

    @property
    def openings(self) -> Openings:
        """The openings of the plan. Raises `ZermeloError` if the game cannot be loaded."""
        if self._openings is None:
            self._openings = openings_for(self.plan)
        return self._openings

    def jobs(self, results: Mapping[int, GameResult], failed: Collection[int] = ()) -> list[GameJob]:
        """Return all games known to be needed, finished ones included, by number.

        The list for more results begins with the list for fewer. In a long tournament it ends `LOOKAHEAD` games
        after the first unfinished one.
        """
        return list(self.jobs_from(results, failed))

    def jobs_from(
        self, results: Mapping[int, GameResult], failed: Collection[int] = (), first: int = 0
    ) -> Iterator[GameJob]:
        """Yield the games of `jobs` from number `first` on."""
        until = self.known_count(results, failed)
        if first >= until:
            return
        for stage in self._stages:
            for number in range(max(first, stage.first_game), min(stage.end, until)):
                yield self._job(stage, number)

    def known_count(self, results: Mapping[int, GameResult], failed: Collection[int] = ()) -> int:
        """Return the length of `jobs`."""
        self._update(results, failed)
        return min(self._end, self._settled + min(LOOKAHEAD, LOOKAHEAD_FIRST + self._settled))

    def is_over(self, results: Mapping[int, GameResult], failed: Collection[int] = ()) -> bool:
        """Return whether every game has a result, has failed or is no longer needed."""
        self._update(results, failed)
        return self._settled >= self._end and (self._is_last or self._stop is not None)

    def total(self, results: Mapping[int, GameResult], failed: Collection[int] = ()) -> int:
        """Return the number of games of the whole tournament, an estimate while stages are unknown."""
        self._update(results, failed)
        return self._end + self._format.games_to_come(self._stages)

    def counted(self, results: Mapping[int, GameResult], failed: Collection[int] = ()) -> list[GameResult]:
        """Return the results that count, by number: all but those after the game pair at which an SPRT stopped."""
        until = self.counted_until(results, failed)
        return [results[number] for number in sorted(results) if number < until]

    def counted_until(self, results: Mapping[int, GameResult], failed: Collection[int] = ()) -> int:
        """Return the number below which results count."""
        self._update(results, failed)
        return self._end

    def sprt(self, results: Mapping[int, GameResult], failed: Collection[int] = ()) -> SprtMonitor | None:
        """Return the sequential test of a match, fed with its game pairs in order; None if the plan has no test.

        A pair that could not be played is skipped.
        """
        self._update(results, failed)
        return self._monitor

    def winner(self, results: Mapping[int, GameResult], failed: Collection[int] = ()) -> str | None:
        """Return the winner of a finished knock-out; None in other formats, where the points decide."""
        self._update(results, failed)
        winner = self._format.winner(self._stages, results) if self._is_last else None
        return None if winner is None else self.plan.entrants[winner].name

    def bye_points(self, results: Mapping[int, GameResult], failed: Collection[int] = ()) -> dict[str, float]:
        """Return the points for byes in finished rounds of a Swiss tournament, by player name."""
        self._update(results, failed)
        finished = [stage for stage in self._stages if stage.end <= self._settled]
        points = self._format.bye_points(finished)
        return {each.name: bye for each, bye in zip(self.plan.entrants, points, strict=True) if bye}

    # ---- from results to stages ------------------------------------------------------------------------------

    def _reset(self, results: Mapping[int, GameResult]) -> None:
        """Forget everything derived from earlier results."""
        self._results = results
        self._read = self._failures = 0
        self._highest = -1
        #: All games below this number have a result or have failed.
        self._settled = 0
        first = self._format.next_stage((), {})
        assert first is not None
        self._stages = [first]
        self._is_last = False
        self._monitor = Sprt.parse(self.plan.sprt).monitor(self.plan.entrants[0].name) if self.plan.sprt else None
        #: Game pairs that the test has passed, and those of them that were complete.
        self._passed_pairs = self._tested_pairs = 0
        #: Number of the first game that is not needed any more.
        self._stop: int | None = None

    @property
    def _end(self) -> int:
        return self._stages[-1].end if self._stop is None else self._stop

    def _update(self, results: Mapping[int, GameResult], failed: Collection[int]) -> None:
        """Derive stages, and the end of an SPRT, from the results."""
        if results is not self._results or len(results) < self._read or len(failed) < self._failures:
            self._reset(results)
        if not self._is_last:  # new results come last, in a dict as in `arena.results.StoredResults`
            new = islice(reversed(cast(Reversible[int], results)), len(results) - self._read)
            self._highest = max(self._highest, max(new, default=-1))
        self._read, self._failures = len(results), len(failed)
        if self._monitor is not None:
            self._update_test(self._monitor, results, failed)
        while not self._is_last:
            stage = self._stages[-1]
            if self._highest >= stage.end:  # the next stage has begun: missing games of this one stay missing
                self._settled = stage.end
            while self._settled < self._end and (self._settled in results or self._settled in failed):
                self._settled += 1
            if self._settled < self._end:
                return
            following = self._format.next_stage(self._stages, results)
            if following is None:
                self._is_last = True
            else:
                self._stages.append(following)

    def _update_test(self, monitor: SprtMonitor, results: Mapping[int, GameResult], failed: Collection[int]) -> None:
        """Feed game pairs to the test in order, skipping those that could not be played."""
        while self._stop is None and all(game in results or game in failed for game in self._next_pair()):
            if all(game in results for game in self._next_pair()):
                for game in self._next_pair():
                    monitor.add(replace(results[game], game_pair=self._tested_pairs))
                self._tested_pairs += 1
            self._passed_pairs += 1
            if monitor.stopped_at is not None:
                self._stop = 2 * self._passed_pairs

    def _next_pair(self) -> tuple[int, int]:
        return 2 * self._passed_pairs, 2 * self._passed_pairs + 1

    # ---- from stages to games --------------------------------------------------------------------------------

    def _job(self, stage: Stage, number: int) -> GameJob:
        plan = self.plan
        slot, side = divmod(number - stage.first_game, stage.pair_size)
        sweep, which = divmod(slot, len(stage.pairings))
        pairing = stage.pairings[which]
        players = (plan.entrants[pairing.first], plan.entrants[pairing.second])
        high, low = reversed(players) if side else players
        game_pair = stage.first_game_pair + slot
        start, opening = self.openings.at(stage.first_opening + sweep)
        return GameJob(
            number=number,
            game=plan.game,
            players=(high.player, low.player),
            names=(high.name, low.name),
            start=start,
            opening=opening,
            seed=seed_of("game", plan.seed, game_pair),
            controls=(high.control or plan.control, low.control or plan.control),
            adjudication=plan.adjudication,
            max_plies=plan.max_plies,
            round=stage.first_round + sweep * stage.rounds_per_sweep + pairing.round,
            game_pair=game_pair,
        )
