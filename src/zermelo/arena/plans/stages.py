"""Stages of a tournament: the games that are known at the same time, and the interface of tournament formats."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from zermelo.arena.game_record import GameResult

if TYPE_CHECKING:
    from zermelo.arena.plans.plan import Plan


class Pairing(NamedTuple):
    """Two players, by their index in the plan. The first is MAX in the first game of each game pair."""

    first: int
    second: int
    #: Round within one sweep through all pairings of the stage.
    round: int = 0


@dataclass(frozen=True, slots=True)
class Stage:
    """Games that become known at the same time: `games` games of each pairing.

    A sweep plays one game pair of each pairing. Sweeps follow each other until each pairing has its games, so that
    the table is meaningful long before the end.
    """

    pairings: tuple[Pairing, ...]
    #: Games of each pairing.
    games: int
    #: Numbers of the stage's first game, game pair, opening and round.
    first_game: int = 0
    first_game_pair: int = 0
    first_opening: int = 0
    first_round: int = 0
    #: Rounds per sweep; 0: all sweeps belong to one round.
    rounds_per_sweep: int = 0
    #: Whether the stage plays the tiebreaks of level knock-out matches.
    is_tiebreak: bool = False

    @property
    def pair_size(self) -> int:
        """Games of a game pair: 2, or 1 if pairings play a single game."""
        return min(self.games, 2)

    @property
    def sweeps(self) -> int:
        """Number of sweeps, one game pair of each pairing in each."""
        return self.games // self.pair_size

    @property
    def end(self) -> int:
        """Number after the last game of the stage."""
        return self.first_game + len(self.pairings) * self.games

    def next(self, pairings: Sequence[Pairing], games: int, is_tiebreak: bool = False) -> Stage:
        """Return the stage that follows this one."""
        return Stage(
            tuple(pairings),
            games,
            self.end,
            self.first_game_pair + len(self.pairings) * self.sweeps,
            self.first_opening + self.sweeps,
            self.first_round + (not is_tiebreak),
            is_tiebreak=is_tiebreak,
        )

    def scores(self, results: Mapping[int, GameResult]) -> list[tuple[float, float]]:
        """Return the points of both players of each pairing; games without a result count for nobody."""
        scores = [[0.0, 0.0] for _ in self.pairings]
        for number in range(self.first_game, self.end):
            if number in results:
                slot, side = divmod(number - self.first_game, self.pair_size)
                points = results[number].points
                score = scores[slot % len(scores)]
                score[side] += points
                score[1 - side] += 1 - points
        return [(first, second) for first, second in scores]


class TournamentFormat(ABC):
    """A format as a sequence of stages. Each stage is a pure function of the plan and the results before it."""

    def __init__(self, plan: Plan) -> None:
        self.games = plan.games
        self.seed = plan.seed
        self.count = len(plan.entrants)

    @abstractmethod
    def next_stage(self, stages: Sequence[Stage], results: Mapping[int, GameResult]) -> Stage | None:
        """Return the stage after these finished stages; None if the tournament is over."""

    def games_to_come(self, stages: Sequence[Stage]) -> int:
        """Return the expected number of games after these stages."""
        return 0

    def winner(self, stages: Sequence[Stage], results: Mapping[int, GameResult]) -> int | None:
        """Return the winner where the points do not decide it (knock-out); None otherwise."""
        return None

    def bye_points(self, stages: Sequence[Stage]) -> list[float]:
        """Return each player's points for byes: rounds without an opponent."""
        return [0.0] * self.count

    @property
    @abstractmethod
    def opening_count(self) -> int:
        """Maximum number of openings that the format needs."""
