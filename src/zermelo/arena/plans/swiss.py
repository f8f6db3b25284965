"""The stages of a Swiss tournament: each round is one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from zermelo.arena.game_record import GameResult
from zermelo.arena.plans.pairing import pairs_by_rank
from zermelo.arena.plans.plan import Plan
from zermelo.arena.plans.stages import Meeting, Stage, Stages


class Swiss(Stages):
    """Who has as many points meets, and nobody meets twice as long as that can be.

    Among equals the upper half by the plan's order meets the lower half, as in FIDE's Dutch system. Of an odd number
    one is free in each round, the last who has been free least often; that counts like a meeting won.
    """

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.rounds = plan.rounds or rounds_needed(self.count)

    def after(self, stages: Sequence[Stage], results: Mapping[int, GameResult]) -> Stage | None:
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
        score = [points + more for points, more in zip(score, self.free_points(stages), strict=True)]
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

    def free_points(self, stages: Sequence[Stage]) -> list[float]:
        points = [0.0] * self.count
        for stage in stages:
            for one in self._free(stage):
                points[one] += self.games
        return points

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
