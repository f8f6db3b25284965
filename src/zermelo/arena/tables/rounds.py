"""A knock-out or a Swiss tournament round by round: who met whom, who went on, who was free."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from zermelo.arena.game_record import GameResult

#: Formats of which rounds are told.
FORMATS = ("knock-out", "swiss")


@dataclass(frozen=True, slots=True)
class Tie:
    """Two players and what they got against each other in one round; the first is the one named earlier."""

    first: str
    second: str
    points: float = 0.0
    games: int = 0
    #: Who went on although the points were level, by lot.
    lot: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "a": self.first,
            "b": self.second,
            "a_points": self.points,
            "b_points": self.games - self.points,
            "lot": self.lot,
        }


@dataclass(frozen=True, slots=True)
class Round:
    """The ties of a round, in the order of their games, and who was free in it."""

    ties: tuple[Tie, ...]
    free: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"ties": [tie.as_dict() for tie in self.ties], "free": list(self.free)}


class Rounds:
    """Results by rounds, as they come in, in any order, each once."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)
        #: By round and the two players: the first game's number, and the tie.
        self._ties: dict[int, dict[tuple[str, str], tuple[int, Tie]]] = {}

    def add(self, result: GameResult) -> None:
        """A game more."""
        place = self._names.index
        first, second = sorted(result.names, key=place)
        points = result.points if result.names[0] == first else 1 - result.points
        ties = self._ties.setdefault(result.round, {})
        number, tie = ties.get((first, second), (result.number, Tie(first, second)))
        tie = replace(tie, points=tie.points + points, games=tie.games + 1)
        ties[first, second] = (min(number, result.number), tie)

    def told(self, format: str, winner: str | None = None) -> tuple[Round, ...]:
        """The rounds by now, from the first on; `winner`: of a knock-out that is over."""
        rounds: list[Round] = []
        numbers = sorted(self._ties)
        for number in numbers:
            ties = [tie for _, tie in sorted(self._ties[number].values(), key=lambda each: each[0])]
            if format == "knock-out":
                after = {name for pair in self._ties.get(number + 1, ()) for name in pair} | {winner}
                ties = [self._drawn(tie, after) for tie in ties]
            rounds.append(Round(tuple(ties), self._free(format, number, ties)))
        return tuple(rounds)

    @staticmethod
    def _drawn(tie: Tie, after: set[str | None]) -> Tie:
        """A tie with who went on by lot, as the next round tells."""
        if 2 * tie.points != tie.games:
            return tie
        return replace(tie, lot=next((name for name in (tie.first, tie.second) if name in after), None))

    def _free(self, format: str, number: int, ties: Sequence[Tie]) -> tuple[str, ...]:
        count = len(self._names)
        if format == "knock-out":  # the first ones are free in the first round, up to a power of two
            return tuple(self._names[: (1 << (count - 1).bit_length()) - count]) if number == 0 else ()
        playing = {name for tie in ties for name in (tie.first, tie.second)}
        return tuple(name for name in self._names if name not in playing) if len(ties) == count // 2 else ()
