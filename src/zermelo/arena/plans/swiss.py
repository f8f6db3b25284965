"""Swiss tournaments: each round is a stage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from zermelo.arena.game_record import GameResult
from zermelo.arena.plans.pairing import pair_by_rank
from zermelo.arena.plans.stages import Pairing, Stage, TournamentFormat

if TYPE_CHECKING:
    from zermelo.arena.plans.plan import Plan


class Swiss(TournamentFormat):
    """Players with equal points meet; no two players meet twice while that can be avoided.

    Within a score group the upper half, in the order of the plan, meets the lower half, as in FIDE's Dutch system
    (FIDE Handbook, C.04.3). With an odd number of players one has a bye in each round: the lowest-ranked of those with
    the fewest byes; a second bye is preferred to a rematch. A bye counts like a pairing won.
    """

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.rounds = plan.rounds or default_rounds(self.count)

    def next_stage(self, stages: Sequence[Stage], results: Mapping[int, GameResult]) -> Stage | None:
        if len(stages) == self.rounds:
            return None
        score = [0.0] * self.count
        met = [[0] * self.count for _ in range(self.count)]
        byes, moved_first = [0] * self.count, [0] * self.count
        for stage in stages:
            for pairing, points in zip(stage.pairings, stage.scores(results), strict=True):
                one, other = pairing.first, pairing.second
                moved_first[one] += 1
                met[one][other] += 1
                met[other][one] += 1
                score[one] += points[0]
                score[other] += points[1]
            for one in self._byes(stage):
                byes[one] += 1
        score = [points + bye for points, bye in zip(score, self.bye_points(stages), strict=True)]
        pairs = self._pairs(score, met, byes)
        # In pairings of a single game, the player who has moved first less often does so.
        swapped = [
            moved_first[one] > moved_first[other] or (moved_first[one] == moved_first[other] and len(stages) % 2)
            for one, other in pairs
        ]
        pairings = [
            Pairing(other, one) if swap and self.games == 1 else Pairing(one, other)
            for (one, other), swap in zip(pairs, swapped, strict=True)
        ]
        return stages[-1].next(pairings, self.games) if stages else Stage(tuple(pairings), self.games)

    def bye_points(self, stages: Sequence[Stage]) -> list[float]:
        points = [0.0] * self.count
        for stage in stages:
            for one in self._byes(stage):
                points[one] += self.games
        return points

    def _byes(self, stage: Stage) -> set[int]:
        return set(range(self.count)) - {player for pairing in stage.pairings for player in pairing[:2]}

    def _pairs(self, score: list[float], met: list[list[int]], byes: list[int]) -> list[tuple[int, int]]:
        ranked = sorted(range(self.count), key=lambda one: (-score[one], one))

        def partners(unpaired: Sequence[int]) -> list[int]:
            """Partners for the first: its score group from the middle on, then the other players by rank."""
            group = sum(score[one] == score[unpaired[0]] for one in unpaired)
            half = group // 2
            order = [*range(half, group), *range(half - 1, 0, -1), *range(max(group, 1), len(unpaired))]
            return [unpaired[index] for index in order if index]

        # Allow one more rematch in each attempt.
        for rematches in range(self.rounds + 1):
            for bye in self._bye_candidates(ranked, byes):
                playing = [each for each in ranked if each != bye]
                may_meet = [[met[one][other] <= rematches for other in range(self.count)] for one in range(self.count)]
                pairs = pair_by_rank(playing, may_meet, partners)
                if pairs is not None:
                    return pairs
        raise AssertionError("no pairing found although no two players met more often than there were rounds")

    def _bye_candidates(self, ranked: list[int], byes: list[int]) -> list[int]:
        """Return the players who may have the bye, the best candidate first; [-1] if nobody needs one."""
        if self.count % 2 == 0:
            return [-1]
        return sorted(ranked, key=lambda one: (byes[one], -ranked.index(one)))

    def games_to_come(self, stages: Sequence[Stage]) -> int:
        return (self.rounds - len(stages)) * (self.count // 2) * self.games

    @property
    def opening_count(self) -> int:
        return self.rounds * Stage((), self.games).sweeps


def default_rounds(count: int) -> int:
    """Return ceil(log2(count)) + 1 rounds: enough to separate the first, limited to a full round robin."""
    return min((count - 1).bit_length() + 1, count - 1 + count % 2)
