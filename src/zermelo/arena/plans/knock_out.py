"""The stages of a knock-out: each round is one, and so are the further games of its ties that are level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from zermelo.arena.game_record import GameResult
from zermelo.arena.plans.stages import Meeting, Stage, Stages
from zermelo.arena.referee import seed_of

#: A tie that is level goes on for so many pairs of games at most, one after another; then lots are cast.
FURTHER = 3


class KnockOut(Stages):
    """Who loses a tie is out. The players are seeded in the plan's order: the first two can meet in the final only.

    Where their number is no power of two, the first ones are free in the first round. A tie that is level goes on,
    a pair of games after another; after `FURTHER` of these, lots are cast from the seed.
    """

    def after(self, stages: Sequence[Stage], results: Mapping[int, GameResult]) -> Stage | None:
        return self._follow(stages, results)[1]

    def winner(self, stages: Sequence[Stage], results: Mapping[int, GameResult]) -> int | None:
        """Who is left when all others are out."""
        alive, following = self._follow(stages, results)
        return alive[0] if following is None else None

    def _follow(
        self, stages: Sequence[Stage], results: Mapping[int, GameResult]
    ) -> tuple[list[int | None], Stage | None]:
        """Who has not lost a tie in these stages, and what comes next."""
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
                    following = stages[-1].next(level, games, bool(further)) if stages else Stage(tuple(level), games)
                    return alive, following
                for tie, (first, second) in zip(level, stages[used].scores(results), strict=True):
                    score[tie][0] += first
                    score[tie][1] += second
                used += 1
                level = [tie for tie in level if score[tie][0] == score[tie][1]]
            winners = {tie: self._winner(tie, score[tie], used) for tie in ties}
            alive = [
                one if other is None else other if one is None else winners[Meeting(one, other)] for one, other in pairs
            ]
        return alive, None

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
