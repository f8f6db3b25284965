"""Knock-out tournaments: each round is a stage, and so are the tiebreaks of its level matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from zermelo.arena.game_course import seed_of
from zermelo.arena.game_record import GameResult
from zermelo.arena.plans.stages import Pairing, Stage, TournamentFormat

#: Maximum number of tiebreaks (game pairs) of a level match; after them lots are drawn.
MAX_TIEBREAKS = 3


class KnockOut(TournamentFormat):
    """The loser of a match is eliminated. Players are seeded in the order of the plan.

    If the number of players is not a power of two, the first seeds have a bye in the first round. A level match
    continues with up to `MAX_TIEBREAKS` game pairs; then lots are drawn from the plan's seed.
    """

    def next_stage(self, stages: Sequence[Stage], results: Mapping[int, GameResult]) -> Stage | None:
        return self._advance(stages, results)[1]

    def winner(self, stages: Sequence[Stage], results: Mapping[int, GameResult]) -> int | None:
        alive, following = self._advance(stages, results)
        return alive[0] if following is None else None

    def _advance(
        self, stages: Sequence[Stage], results: Mapping[int, GameResult]
    ) -> tuple[list[int | None], Stage | None]:
        """Return the players still in the bracket after these stages, and the next stage."""
        alive: list[int | None] = list(seeded_bracket(self.count))
        used = 0
        while len(alive) > 1:
            slots = list(zip(alive[::2], alive[1::2], strict=True))
            matches = [Pairing(one, other) for one, other in slots if one is not None and other is not None]
            score = {match: [0.0, 0.0] for match in matches}
            level = matches
            for tiebreak in range(MAX_TIEBREAKS + 1):
                if not level:
                    break
                if used == len(stages):
                    games = 2 if tiebreak else self.games
                    following = stages[-1].next(level, games, bool(tiebreak)) if stages else Stage(tuple(level), games)
                    return alive, following
                for match, (first, second) in zip(level, stages[used].scores(results), strict=True):
                    score[match][0] += first
                    score[match][1] += second
                used += 1
                level = [match for match in level if score[match][0] == score[match][1]]
            winners = {match: self._winner(match, score[match], used) for match in matches}
            alive = [
                one if other is None else other if one is None else winners[Pairing(one, other)] for one, other in slots
            ]
        return alive, None

    def _winner(self, match: Pairing, score: Sequence[float], stage: int) -> int:
        first, second = score
        if first == second:
            return match[seed_of("lot", self.seed, stage, match.first, match.second) % 2]
        return match.first if first > second else match.second

    def games_to_come(self, stages: Sequence[Stage]) -> int:
        matches = sum(len(stage.pairings) for stage in stages if not stage.is_tiebreak)
        return (self.count - 1 - matches) * self.games

    @property
    def opening_count(self) -> int:
        return (self.count - 1).bit_length() * (Stage((), self.games).sweeps + MAX_TIEBREAKS)


def seeded_bracket(count: int) -> list[int | None]:
    """Return the first round of a knock-out: neighbours meet, None is a bye, the top seeds meet last.

    >>> seeded_bracket(5)
    [0, None, 3, 4, 1, None, 2, None]
    """
    seeds = [0]
    while len(seeds) < count:
        last = 2 * len(seeds) - 1
        seeds = [each for seed in seeds for each in (seed, last - seed)]
    return [seed if seed < count else None for seed in seeds]
