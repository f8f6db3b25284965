"""Which games a tournament has: what is to be played follows from the plan and from what was played.

    schedule = schedule_for(plan)
    schedule.jobs(results)          the games known to be needed, done ones too, by their numbers
    schedule.is_over(results)       whether nothing is left

A tournament is a row of stages (`stages.py`). The games of a stage are known when it begins, and it begins when each
game before it was played, or could not be: so who meets whom is the same for any number of workers and after any
interrupt. A match, a round robin and a gauntlet are one stage; so is each round of a Swiss tournament and of a
knock-out, and the further games of its ties that are level.

Games come in pairs on one opening with the sides changed. Numbers are dense from 0; a pairing's number is shared by the
two, and their seed follows from it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Reversible
from dataclasses import replace
from itertools import islice
from typing import cast

from zermelo.arena.game_record import GameJob, GameResult
from zermelo.arena.plans.openings import Openings, openings_for
from zermelo.arena.plans.plan import Plan
from zermelo.arena.plans.stages import Stage, stages_of
from zermelo.arena.referee import seed_of
from zermelo.arena.sprt import Sprt, SprtMonitor

#: So many games beyond the first that is missing are given out, at the start and later: more than a crew has at work,
#: and soon made.
AHEAD_FIRST, AHEAD = 256, 512


def schedule_for(plan: Plan) -> Schedule:
    """The games of a plan."""
    return Schedule(plan)


class Schedule:
    """The games of a plan. What it answers follows from what it is asked with, and from nothing else.

    `results`: what was played, by number. `failed`: the numbers of games that could not be played: a stage does not
    wait for them, and they bring nobody anything. A game of a stage after which another one was begun is not asked for
    again. Asked with the same mapping again, to which only more was added, it costs only what is new.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self._stages = stages_of(plan)
        self._openings: Openings | None = None
        self._begin({})

    @property
    def openings(self) -> Openings:
        """Where the games begin. Raises a `ZermeloError` where the game is gone that the plan names."""
        if self._openings is None:
            self._openings = openings_for(self.plan)
        return self._openings

    def jobs(self, results: Mapping[int, GameResult], failed: Collection[int] = ()) -> list[GameJob]:
        """All games known to be needed, done ones too, in the order of their numbers.

        The list for more results begins with the list for fewer. Of a long tournament it reaches some way (`AHEAD`)
        beyond the first game that is missing.
        """
        return list(self.more(results, failed))

    def more(
        self, results: Mapping[int, GameResult], failed: Collection[int] = (), after: int = 0
    ) -> Iterator[GameJob]:
        """The jobs from number `after` on: what is new to whoever has seen those before."""
        until = self.known(results, failed)
        if after >= until:
            return
        for stage in self._known:
            for number in range(max(after, stage.begin), min(stage.end, until)):
                yield self._job(stage, number)

    def known(self, results: Mapping[int, GameResult], failed: Collection[int] = ()) -> int:
        """How many games `jobs` lists."""
        self._look(results, failed)
        return min(self._end, self._settled + min(AHEAD, AHEAD_FIRST + self._settled))

    def is_over(self, results: Mapping[int, GameResult], failed: Collection[int] = ()) -> bool:
        """Whether each game was played, or could not be, or is not needed any more."""
        self._look(results, failed)
        return self._settled >= self._end and (self._is_last or self._stop is not None)

    def total(self, results: Mapping[int, GameResult], failed: Collection[int] = ()) -> int:
        """The games of the whole tournament, as far as it can be said by now."""
        self._look(results, failed)
        return self._end + self._stages.still_to_come(self._known)

    def counted(self, results: Mapping[int, GameResult], failed: Collection[int] = ()) -> list[GameResult]:
        """The results that count, in the order of their numbers, whatever the order in which they came in.

        All, but for those beyond the pair of games at which a sequential test has stopped.
        """
        until = self.counted_until(results, failed)
        return [results[number] for number in sorted(results) if number < until]

    def counted_until(self, results: Mapping[int, GameResult], failed: Collection[int] = ()) -> int:
        """The number below which results count."""
        self._look(results, failed)
        return self._end

    def tested(self, results: Mapping[int, GameResult], failed: Collection[int] = ()) -> SprtMonitor | None:
        """The sequential test of a match, told of its pairs in their order; None where none was agreed.

        A pair that could not be played is left out, and those after it move up.
        """
        self._look(results, failed)
        return self._watch

    def winner(self, results: Mapping[int, GameResult], failed: Collection[int] = ()) -> str | None:
        """Who has won a knock-out that is over, by lot if need be; None in other formats, where the table tells."""
        self._look(results, failed)
        won = self._stages.winner(self._known, results) if self._is_last else None
        return None if won is None else self.plan.entrants[won].name

    def free_points(self, results: Mapping[int, GameResult], failed: Collection[int] = ()) -> dict[str, float]:
        """The points of those who were free in rounds of a Swiss tournament that were played: as for a meeting won."""
        self._look(results, failed)
        played = [stage for stage in self._known if stage.end <= self._settled]
        points = self._stages.free_points(played)
        return {each.name: more for each, more in zip(self.plan.entrants, points, strict=True) if more}

    # ---- from results to stages ------------------------------------------------------------------------------

    def _begin(self, results: Mapping[int, GameResult]) -> None:
        """Nothing is known yet of these results."""
        self._results = results
        self._read = self._failures = 0
        self._highest = -1
        #: All games below this number were played, or could not be.
        self._settled = 0
        first = self._stages.after((), {})
        assert first is not None
        self._known = [first]
        self._is_last = False
        self._watch = Sprt.parse(self.plan.sprt).watch(self.plan.entrants[0].name) if self.plan.sprt else None
        self._tested = self._paired = 0
        #: The number of the first game that is not needed any more.
        self._stop: int | None = None

    @property
    def _end(self) -> int:
        return self._known[-1].end if self._stop is None else self._stop

    def _look(self, results: Mapping[int, GameResult], failed: Collection[int]) -> None:
        """Find out what follows from these results: which stages there are, and whether a test has stopped."""
        if results is not self._results or len(results) < self._read or len(failed) < self._failures:
            self._begin(results)
        if not self._is_last:  # what is new comes last: of a dict as of `arena.results.Results`
            new = islice(reversed(cast(Reversible[int], results)), len(results) - self._read)
            self._highest = max(self._highest, max(new, default=-1))
        self._read, self._failures = len(results), len(failed)
        if self._watch is not None:
            self._test(self._watch, results, failed)
        while not self._is_last:
            stage = self._known[-1]
            if self._highest >= stage.end:  # the next one was begun: what is missing here stays so
                self._settled = stage.end
            while self._settled < self._end and (self._settled in results or self._settled in failed):
                self._settled += 1
            if self._settled < self._end:
                return
            following = self._stages.after(self._known, results)
            if following is None:
                self._is_last = True
            else:
                self._known.append(following)

    def _test(self, watch: SprtMonitor, results: Mapping[int, GameResult], failed: Collection[int]) -> None:
        """Tell the test of the pairs of games in their order; one that could not be played is left out."""
        while self._stop is None and all(game in results or game in failed for game in self._pair()):
            if all(game in results for game in self._pair()):
                for game in self._pair():
                    watch.add(replace(results[game], game_pair=self._paired))
                self._paired += 1
            self._tested += 1
            if watch.stopped_at is not None:
                self._stop = 2 * self._tested

    def _pair(self) -> tuple[int, int]:
        return 2 * self._tested, 2 * self._tested + 1

    # ---- from stages to games --------------------------------------------------------------------------------

    def _job(self, stage: Stage, number: int) -> GameJob:
        plan = self.plan
        slot, side = divmod(number - stage.begin, stage.width)
        sweep, which = divmod(slot, len(stage.meetings))
        meeting = stage.meetings[which]
        pair = (plan.entrants[meeting.first], plan.entrants[meeting.second])
        one, other = reversed(pair) if side else pair
        pairing = stage.game_pair + slot
        start, opening = self.openings.at(stage.opening + sweep)
        return GameJob(
            number=number,
            game=plan.game,
            players=(one.player, other.player),
            names=(one.name, other.name),
            start=start,
            opening=opening,
            seed=seed_of("game", plan.seed, pairing),
            controls=(one.control or plan.control, other.control or plan.control),
            adjudication=plan.adjudication,
            max_plies=plan.max_plies,
            round=stage.round + sweep * stage.cycle + meeting.round,
            game_pair=pairing,
        )
