"""Results of a knock-out or Swiss tournament by round: pairings, scores, byes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from zermelo.arena.game_record import GameResult

#: Formats with a table of rounds.
FORMATS = ("knock-out", "swiss")


@dataclass(frozen=True, slots=True)
class PairingResult:
    """The games of two players in one round. `first` is the one named earlier in the plan."""

    first: str
    second: str
    #: Points of `first`; those of `second` are `games - points`.
    points: float = 0.0
    games: int = 0
    #: The player who advanced by drawing of lots after a level knock-out match.
    winner_by_lot: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the result as JSON data."""
        return {
            "a": self.first,
            "b": self.second,
            "a_points": self.points,
            "b_points": self.games - self.points,
            "winner_by_lot": self.winner_by_lot,
        }


@dataclass(frozen=True, slots=True)
class Round:
    """The pairings of a round, in the order of their games, and the players with a bye."""

    pairings: tuple[PairingResult, ...]
    byes: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the round as JSON data."""
        return {"pairings": [pairing.as_dict() for pairing in self.pairings], "byes": list(self.byes)}


class RoundsCounter:
    """Collects results by round; they may be added in any order, each once."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(names)
        #: By round and players: the number of the first game, and the result.
        self._pairings: dict[int, dict[tuple[str, str], tuple[int, PairingResult]]] = {}

    def add(self, result: GameResult) -> None:
        """Add a game."""
        first, second = sorted(result.names, key=self._names.index)
        points = result.points if result.names[0] == first else 1 - result.points
        pairings = self._pairings.setdefault(result.round, {})
        number, pairing = pairings.get((first, second), (result.number, PairingResult(first, second)))
        pairing = replace(pairing, points=pairing.points + points, games=pairing.games + 1)
        pairings[first, second] = (min(number, result.number), pairing)

    def rounds(self, format: str, winner: str | None = None) -> tuple[Round, ...]:
        """Return all rounds so far, the first one first; `winner` is that of a finished knock-out."""
        rounds: list[Round] = []
        for number in sorted(self._pairings):
            pairings = [pairing for _, pairing in sorted(self._pairings[number].values(), key=lambda each: each[0])]
            if format == "knock-out":
                advanced = {name for pair in self._pairings.get(number + 1, ()) for name in pair} | {winner}
                pairings = [self._with_lot(pairing, advanced) for pairing in pairings]
            rounds.append(Round(tuple(pairings), self._byes(format, number, pairings)))
        return tuple(rounds)

    @staticmethod
    def _with_lot(pairing: PairingResult, advanced: set[str | None]) -> PairingResult:
        """Add who advanced by lot, as the next round shows."""
        if 2 * pairing.points != pairing.games:
            return pairing
        winner = next((name for name in (pairing.first, pairing.second) if name in advanced), None)
        return replace(pairing, winner_by_lot=winner)

    def _byes(self, format: str, number: int, pairings: Sequence[PairingResult]) -> tuple[str, ...]:
        count = len(self._names)
        if format == "knock-out":  # the first seeds, up to a power of two, in the first round
            return tuple(self._names[: (1 << (count - 1).bit_length()) - count]) if number == 0 else ()
        playing = {name for pairing in pairings for name in (pairing.first, pairing.second)}
        return tuple(name for name in self._names if name not in playing) if len(pairings) == count // 2 else ()
