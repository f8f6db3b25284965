"""The stages of tournaments of each format: who meets whom, from what was played before."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from zermelo.arena.job import Result
from zermelo.arena.matching import pairs_by_rank
from zermelo.arena.plan import Plan
from zermelo.arena.referee import seed_of

#: A tie of a knock-out that is level goes on for so many pairs of games at most, one after another; then lots are cast.
FURTHER = 3


class Meeting(NamedTuple):
    """Two players, by their places in the plan; the first is MAX in the first game of each pair."""

    first: int
    second: int
    #: Which round of the sweep through all meetings.
    round: int = 0


@dataclass(frozen=True, slots=True)
class Stage:
    """Games that become known together: each meeting `games` times, a pair of games of each in each sweep."""

    meetings: tuple[Meeting, ...]
    games: int
    #: The numbers of its first game, pairing, opening and round.
    begin: int = 0
    pairing: int = 0
    opening: int = 0
    round: int = 0
    #: The rounds of a sweep; 0: all sweeps are one round.
    cycle: int = 0
    #: Whether it is the further games of ties that were level.
    is_further: bool = False

    @property
    def width(self) -> int:
        """The games of a pairing."""
        return min(self.games, 2)

    @property
    def sweeps(self) -> int:
        """How often each meeting comes, a pairing each time."""
        return self.games // self.width

    @property
    def end(self) -> int:
        """The number after its last game."""
        return self.begin + len(self.meetings) * self.games

    def next(self, meetings: Sequence[Meeting], games: int, is_further: bool = False) -> Stage:
        """The stage after this one."""
        return Stage(
            tuple(meetings),
            games,
            self.end,
            self.pairing + len(self.meetings) * self.sweeps,
            self.opening + self.sweeps,
            self.round + (not is_further),
            is_further=is_further,
        )

    def scores(self, results: Mapping[int, Result]) -> list[tuple[float, float]]:
        """The points of the two players of each meeting; a game that was not played brings nobody anything."""
        scores = [[0.0, 0.0] for _ in self.meetings]
        for number in range(self.begin, self.end):
            if number in results:
                slot, side = divmod(number - self.begin, self.width)
                points = results[number].points
                score = scores[slot % len(scores)]
                score[side] += points
                score[1 - side] += 1 - points
        return [(first, second) for first, second in scores]


class Stages(ABC):
    """The stages of a tournament."""

    def __init__(self, plan: Plan) -> None:
        self.games = plan.games
        self.seed = plan.seed
        self.count = len(plan.entrants)

    @abstractmethod
    def after(self, stages: Sequence[Stage], results: Mapping[int, Result]) -> Stage | None:
        """The stage after these, all whose games are settled; None where the tournament is over."""

    def still_to_come(self, stages: Sequence[Stage]) -> int:
        """About so many games come after these stages."""
        return 0

    @property
    @abstractmethod
    def openings(self) -> int:
        """So many openings are asked for at most."""


def stages_of(plan: Plan) -> Stages:
    """The stages of a plan."""
    if plan.format == "knock-out":
        return KnockOut(plan)
    if plan.format == "swiss":
        return Swiss(plan)
    return AtOnce(plan)


# ---- match, round robin, gauntlet ---------------------------------------------------------------------------------


class AtOnce(Stages):
    """All meetings are known from the start. Each pair of players plays the same openings."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.meetings = list(berger(self.count))
        if plan.format == "gauntlet":
            self.meetings = [Meeting(0, other, other - 1) for other in range(1, self.count)]

    def after(self, stages: Sequence[Stage], results: Mapping[int, Result]) -> Stage | None:
        cycle = 1 + self.meetings[-1].round
        return None if stages else Stage(tuple(self.meetings), self.games, cycle=cycle)

    @property
    def openings(self) -> int:
        return Stage((), self.games).sweeps


def berger(count: int) -> Iterator[Meeting]:
    """A round robin, round by round: everybody meets everybody once, and has the first move about every other time.

    Source: Berger's tables, as FIDE's handbook has them (C.05, annex 1). Of an odd number one is free in each round.
    """
    even = count + count % 2
    last = even - 1
    for round in range(last):
        turn = [(round * (even // 2) + step) % last for step in range(last)]
        pairs = [(turn[0], last) if round % 2 == 0 else (last, turn[0])]
        pairs += [(turn[step], turn[last - step]) for step in range(1, even // 2)]
        for first, second in pairs:
            if first < count and second < count:
                yield Meeting(first, second, round)


# ---- knock-out ------------------------------------------------------------------------------------------------------


class KnockOut(Stages):
    """Who loses a tie is out. The players are seeded in the plan's order: the first two can meet in the final only.

    Where their number is no power of two, the first ones are free in the first round. A tie that is level goes on,
    a pair of games after another; after `FURTHER` of these, lots are cast from the seed.
    """

    def after(self, stages: Sequence[Stage], results: Mapping[int, Result]) -> Stage | None:
        alive: list[int | None] = list(bracket(self.count))
        used = 0
        while len(alive) > 1:
            pairs = list(zip(alive[::2], alive[1::2], strict=True))
            ties = [Meeting(one, other) for one, other in pairs if one is not None and other is not None]
            score = {tie: [0.0, 0.0] for tie in ties}
            level = ties
            for further in range(FURTHER + 1):
                if not level:
                    break
                if used == len(stages):
                    games = 2 if further else self.games
                    return stages[-1].next(level, games, bool(further)) if stages else Stage(tuple(level), games)
                for tie, (first, second) in zip(level, stages[used].scores(results), strict=True):
                    score[tie][0] += first
                    score[tie][1] += second
                used += 1
                level = [tie for tie in level if score[tie][0] == score[tie][1]]
            winners = {tie: self._winner(tie, score[tie], used) for tie in ties}
            alive = [
                one if other is None else other if one is None else winners[Meeting(one, other)] for one, other in pairs
            ]
        return None

    def _winner(self, tie: Meeting, score: Sequence[float], stage: int) -> int:
        first, second = score
        if first == second:
            return tie[seed_of("lot", self.seed, stage, tie.first, tie.second) % 2]
        return tie.first if first > second else tie.second

    def still_to_come(self, stages: Sequence[Stage]) -> int:
        ties = sum(len(stage.meetings) for stage in stages if not stage.is_further)
        return (self.count - 1 - ties) * self.games

    @property
    def openings(self) -> int:
        return (self.count - 1).bit_length() * (Stage((), self.games).sweeps + FURTHER)


def bracket(count: int) -> list[int | None]:
    """The first round of a knock-out: neighbours meet, None is nobody, and the better ones meet late."""
    places = [0]
    while len(places) < count:
        last = 2 * len(places) - 1
        places = [each for place in places for each in (place, last - place)]
    return [place if place < count else None for place in places]


# ---- Swiss ------------------------------------------------------------------------------------------------------


class Swiss(Stages):
    """Who has as many points meets, and nobody meets twice as long as that can be.

    Among equals the upper half by the plan's order meets the lower half, as in FIDE's Dutch system. Of an odd number
    one is free in each round, the last who has been free least often; that counts like a meeting won.
    """

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.rounds = plan.rounds or rounds_needed(self.count)

    def after(self, stages: Sequence[Stage], results: Mapping[int, Result]) -> Stage | None:
        if len(stages) == self.rounds:
            return None
        score = [0.0] * self.count
        met = [[0] * self.count for _ in range(self.count)]
        free, begun = [0] * self.count, [0] * self.count
        for stage in stages:
            for meeting, points in zip(stage.meetings, stage.scores(results), strict=True):
                one, other = meeting.first, meeting.second
                begun[one] += 1
                met[one][other] += 1
                met[other][one] += 1
                score[one] += points[0]
                score[other] += points[1]
            for one in self._free(stage):
                free[one] += 1
                score[one] += self.games
        pairs = self._pairs(score, met, free)
        # One game only: who has begun less often does so.
        swapped = [
            begun[one] > begun[other] or (begun[one] == begun[other] and len(stages) % 2) for one, other in pairs
        ]
        meetings = [
            Meeting(other, one) if swap and self.games == 1 else Meeting(one, other)
            for (one, other), swap in zip(pairs, swapped, strict=True)
        ]
        return stages[-1].next(meetings, self.games) if stages else Stage(tuple(meetings), self.games)

    def _free(self, stage: Stage) -> set[int]:
        return set(range(self.count)) - {each for meeting in stage.meetings for each in meeting[:2]}

    def _pairs(self, score: list[float], met: list[list[int]], free: list[int]) -> list[tuple[int, int]]:
        ranked = sorted(range(self.count), key=lambda one: (-score[one], one))

        def preferred(left: Sequence[int]) -> list[int]:
            """First those with as many points, from the middle of them on; then the others, by rank."""
            equal = sum(score[one] == score[left[0]] for one in left)
            half = equal // 2
            order = [*range(half, equal), *range(half - 1, 0, -1), *range(max(equal, 1), len(left))]
            return [left[place] for place in order if place]

        # Each time those may meet who have met once more before.
        for times in range(self.rounds + 1):
            for one in self._who_is_free(ranked, free):
                playing = [each for each in ranked if each != one]
                may_meet = [[met[one][other] <= times for other in range(self.count)] for one in range(self.count)]
                pairs = pairs_by_rank(playing, may_meet, preferred)
                if pairs is not None:
                    return pairs
        raise AssertionError("nobody has met anybody more often than there were rounds")

    def _who_is_free(self, ranked: list[int], free: list[int]) -> list[int]:
        """Who could be free in a round, the likeliest first; -1 for nobody."""
        if self.count % 2 == 0:
            return [-1]
        return sorted(ranked, key=lambda one: (free[one], -ranked.index(one)))

    def still_to_come(self, stages: Sequence[Stage]) -> int:
        return (self.rounds - len(stages)) * (self.count // 2) * self.games

    @property
    def openings(self) -> int:
        return self.rounds * Stage((), self.games).sweeps


def rounds_needed(count: int) -> int:
    """So many rounds find the first of so many players, and one more, unless all have met by then."""
    return min((count - 1).bit_length() + 1, count - 1 + count % 2)
