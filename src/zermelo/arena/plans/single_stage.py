"""Formats whose pairings are known from the start: match, round robin and gauntlet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from zermelo.arena.game_record import GameResult
from zermelo.arena.plans.stages import Pairing, Stage, TournamentFormat

if TYPE_CHECKING:
    from zermelo.arena.plans.plan import Plan


class SingleStage(TournamentFormat):
    """A match, round robin or gauntlet. All pairings play the same openings."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.pairings = list(berger_pairings(self.count))
        if plan.format == "gauntlet":
            self.pairings = [Pairing(0, other, other - 1) for other in range(1, self.count)]

    def next_stage(self, stages: Sequence[Stage], results: Mapping[int, GameResult]) -> Stage | None:
        rounds = 1 + self.pairings[-1].round
        return None if stages else Stage(tuple(self.pairings), self.games, rounds_per_sweep=rounds)

    @property
    def opening_count(self) -> int:
        return Stage((), self.games).sweeps


def berger_pairings(count: int) -> Iterator[Pairing]:
    """Yield the pairings of a round robin, round by round, from Berger tables.

    Each player meets each other once and moves first in about half of the games. With an odd number of players one
    has a bye in each round.

    References
    ----------
    FIDE Handbook, C.05 Competition Rules, Annex 1: Berger tables.
    """
    even = count + count % 2
    last = even - 1
    for round in range(last):
        turn = [(round * (even // 2) + step) % last for step in range(last)]
        pairs = [(turn[0], last) if round % 2 == 0 else (last, turn[0])]
        pairs += [(turn[step], turn[last - step]) for step in range(1, even // 2)]
        for first, second in pairs:
            if first < count and second < count:
                yield Pairing(first, second, round)
