"""Stages of a tournament: games that are known together. A match, a round robin and a gauntlet have one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from zermelo.arena.game_record import GameResult
from zermelo.arena.plans.plan import Plan


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
    game_pair: int = 0
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
            self.game_pair + len(self.meetings) * self.sweeps,
            self.opening + self.sweeps,
            self.round + (not is_further),
            is_further=is_further,
        )

    def scores(self, results: Mapping[int, GameResult]) -> list[tuple[float, float]]:
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
    def after(self, stages: Sequence[Stage], results: Mapping[int, GameResult]) -> Stage | None:
        """The stage after these, all whose games are settled; None where the tournament is over."""

    def still_to_come(self, stages: Sequence[Stage]) -> int:
        """About so many games come after these stages."""
        return 0

    def winner(self, stages: Sequence[Stage], results: Mapping[int, GameResult]) -> int | None:
        """Who has won, where that is more than having most points, and known."""
        return None

    def free_points(self, stages: Sequence[Stage]) -> list[float]:
        """The points that each player has for rounds in which nobody was left to play against."""
        return [0.0] * self.count

    @property
    @abstractmethod
    def openings(self) -> int:
        """So many openings are asked for at most."""


def stages_of(plan: Plan) -> Stages:
    """The stages of a plan."""
    from zermelo.arena.plans.knock_out import KnockOut
    from zermelo.arena.plans.swiss import Swiss

    return {"knock-out": KnockOut, "swiss": Swiss}.get(plan.format, AtOnce)(plan)


# ---- match, round robin, gauntlet ---------------------------------------------------------------------------------


class AtOnce(Stages):
    """All meetings are known from the start. Each pair of players plays the same openings."""

    def __init__(self, plan: Plan) -> None:
        super().__init__(plan)
        self.meetings = list(berger(self.count))
        if plan.format == "gauntlet":
            self.meetings = [Meeting(0, other, other - 1) for other in range(1, self.count)]

    def after(self, stages: Sequence[Stage], results: Mapping[int, GameResult]) -> Stage | None:
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
