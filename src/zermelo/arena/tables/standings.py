"""How a tournament stands: who has how many points against whom, how strong that says they are, how games ended.

table = standings(["a", "b"], store.results())
table.rows[0].points, table.rows[0].elo          the best first
table.cross["a", "b"].points                     what a got against b

count = Count(["a", "b"])                        while games come in: one at a time
count.add(result)
count.standings()
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from zermelo.arena.game_record import GameResult
from zermelo.arena.tables.ratings import Difference, Tally, ratings
from zermelo.arena.tables.rounds import FORMATS, Round, Rounds
from zermelo.errors import ZermeloError


@dataclass(slots=True)
class Score:
    """Games of one side, counted: `points` are 1, 1/2 or 0 a game."""

    games: int = 0
    points: float = 0.0
    wins: int = 0
    draws: int = 0
    losses: int = 0

    def add(self, points: float) -> None:
        """A game more."""
        self.games += 1
        self.points += points
        self.wins += points == 1
        self.draws += points == 0.5
        self.losses += points == 0

    @property
    def share(self) -> float | None:
        """The points of all that there were to get; None without games."""
        return self.points / self.games if self.games else None

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {name: getattr(self, name) for name in ("games", "points", "wins", "draws", "losses")}


@dataclass(frozen=True, slots=True)
class Fault:
    """The first game, by its number, that a player lost by failing in one way, and what its program did."""

    game: int
    detail: str


@dataclass(frozen=True)
class Row:
    """A player's line in the table."""

    #: From 1; players whom points and tie-breaks do not tell apart share it.
    rank: int
    name: str
    score: Score
    #: The same by which side it was.
    as_max: Score
    as_min: Score
    #: Games that its own failure lost, by the reason; and what failures of others brought it.
    forfeits: dict[str, int]
    given: int
    #: Of each of these reasons the first game.
    faults: dict[str, Fault]
    #: Points for rounds of a Swiss tournament in which nobody was left to play against; `points` has them, `score` not.
    free: float
    #: The sum over opponents of the points against each, times all points of that one (Sonneborn, Berger).
    sonneborn_berger: float
    #: The sum of the points of its opponents, each game's counted (Buchholz): tells first in a Swiss tournament.
    buchholz: float
    #: See `ratings.Rating`; None where there is none, or no scipy.
    elo: float | None
    error: float | None
    bound: str
    #: The likelihood that it is stronger than the next in the table; None for the last.
    los: float | None
    #: Of all its own moves: how many, and the seconds and the states visited for them.
    moves: int
    seconds: float
    nodes: int

    @property
    def seconds_a_move(self) -> float | None:
        """The mean; None where it made no move."""
        return self.seconds / self.moves if self.moves else None

    @property
    def nodes_a_move(self) -> float | None:
        """The mean; None where it made no move."""
        return self.nodes / self.moves if self.moves else None

    @property
    def points(self) -> float:
        """All its points."""
        return self.score.points + self.free

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "rank": self.rank,
            "name": self.name,
            **self.score.as_dict(),
            "points": self.points,
            "free": self.free,
            "as_max": self.as_max.as_dict(),
            "as_min": self.as_min.as_dict(),
            "forfeits": dict(self.forfeits),
            "faults": [
                {
                    "reason": reason,
                    "games": count,
                    "first": self.faults[reason].game,
                    "detail": self.faults[reason].detail,
                }
                for reason, count in self.forfeits.items()
            ],
            "sonneborn_berger": self.sonneborn_berger,
            "buchholz": self.buchholz,
            "elo": self.elo,
            "error": self.error,
            "bound": self.bound or None,
            "los": self.los,
            "moves": self.moves,
            "seconds_a_move": self.seconds_a_move,
            "nodes_a_move": self.nodes_a_move,
        }


@dataclass(frozen=True)
class Standings:
    """The table, best first, and what else is told of all games."""

    rows: tuple[Row, ...]
    #: The players in the order in which they were named.
    names: tuple[str, ...]
    #: What the first got against the second; pairs that did not meet are not there.
    cross: dict[tuple[str, str], Score]
    games: int
    #: Games of which no other has the same start, opening and moves: players without chance repeat themselves.
    distinct: int
    #: Why games ended, the most frequent first.
    endings: dict[str, int]
    #: What MAX got of all points: how much the side that begins counts, mostly.
    as_max: Score
    #: The mean number of plies.
    plies: float | None
    #: For two players: how much stronger the one named first is than the other; below 0 where it is weaker.
    difference: Difference | None
    #: What has to be said of the numbers, a line each.
    notes: tuple[str, ...]
    #: Of a knock-out or a Swiss tournament: who met whom in each round.
    rounds: tuple[Round, ...] = ()
    #: Who has won a knock-out that is over.
    winner: str | None = None

    def row(self, name: str) -> Row:
        """The row of a player."""
        return next(row for row in self.rows if row.name == name)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        difference = self.difference
        return {
            "games": self.games,
            "distinct": self.distinct,
            "rows": [row.as_dict() for row in self.rows],
            "cross": [{"a": a, "b": b, **score.as_dict()} for (a, b), score in self.cross.items()],
            "endings": dict(self.endings),
            "max_points": self.as_max.points,
            "plies": self.plies,
            "difference": difference
            and {
                "player": self.names[0],
                "against": self.names[1],
                "elo": difference.elo,
                "error": difference.error,
                "los": difference.los,
            },
            "rounds": [round.as_dict() for round in self.rounds],
            "winner": self.winner,
            "notes": list(self.notes),
        }


@dataclass
class _Player:
    """What is counted of one player."""

    score: Score = field(default_factory=Score)
    sides: tuple[Score, Score] = field(default_factory=lambda: (Score(), Score()))
    forfeits: dict[str, int] = field(default_factory=dict)
    faults: dict[str, Fault] = field(default_factory=dict)
    given: int = 0
    moves: int = 0
    seconds: float = 0.0
    nodes: int = 0


class Count:
    """Results as they come in, in any order, each once. Of a game its digest is kept, all else of players."""

    def __init__(self, entrants: Sequence[str], format: str = "") -> None:
        """`format`: that of the plan. Of a knock-out and of a Swiss tournament it counts by rounds, too."""
        self._format = format
        self._rounds = Rounds(entrants) if format in FORMATS else None
        self._players: dict[str, _Player] = {name: _Player() for name in entrants}
        self._cross: dict[tuple[str, str], Score] = {}
        self._tally = Tally()
        self._lines: set[str] = set()
        self._endings: dict[str, int] = {}
        self._as_max = Score()
        self._plies = 0
        self._without_line = 0

    def add(self, result: GameResult) -> None:
        """A game more."""
        for side, name in enumerate(result.names):
            points = result.points if side == 0 else 1 - result.points
            player = self._players.setdefault(name, _Player())
            player.score.add(points)
            player.sides[side].add(points)
            player.moves += result.move_counts[side]
            player.seconds += result.seconds[side]
            player.nodes += result.nodes[side]
            if result.forfeited_by == side:
                player.forfeits[result.termination] = player.forfeits.get(result.termination, 0) + 1
                first = player.faults.get(result.termination)
                if first is None or result.number < first.game:
                    player.faults[result.termination] = Fault(result.number, result.detail)
            elif result.forfeited_by is not None:
                player.given += 1
            other = result.names[1 - side]
            if other != name:
                self._cross.setdefault((name, other), Score()).add(points)
        if result.names[0] != result.names[1]:
            self._tally.add(result)
        self._as_max.add(result.points)
        self._endings[result.termination] = self._endings.get(result.termination, 0) + 1
        self._plies += result.plies
        if self._rounds is not None:
            self._rounds.add(result)
        if result.moves_hash:
            self._lines.add(result.moves_hash)
        else:
            self._without_line += 1

    def standings(
        self,
        anchor: str | None = None,
        rated: bool = True,
        free: Mapping[str, float] | None = None,
        winner: str | None = None,
    ) -> Standings:
        """The table of what was counted so far.

        In a Swiss tournament Buchholz breaks ties before Sonneborn-Berger, in others after.
        `anchor`: whose Elo is 0; otherwise the mean is. `rated`: with Elo, for which scipy is needed; without it a note
        says so. `free`: points for rounds without a game; `winner`: who stands first whatever the points (the winner of
        a knock-out); a schedule knows both. Raises `ZermeloError` for an anchor that does not play.
        """
        names, format = list(self._players), self._format
        notes: list[str] = []
        rating = None
        if rated:
            try:
                rating = ratings(names, self._tally, anchor)
            except ZermeloError as error:
                if anchor is not None:
                    raise
                notes.append(f"no Elo: {error}")
            else:
                notes += rating.notes
        ties = {name: self._ties(name, format) for name in names}
        points = {name: self._players[name].score.points + (free or {}).get(name, 0.0) for name in names}
        order = sorted(names, key=lambda name: (name != winner, -points[name], *(-tie for tie in ties[name]), name))
        rows: list[Row] = []
        for place, name in enumerate(order):
            player = self._players[name]
            after = order[place + 1] if place + 1 < len(order) else None
            gap = rating.difference(name, after) if rating is not None and after is not None else None
            before = rows[-1] if rows else None
            same = before is not None and (before.points, ties[before.name]) == (points[name], ties[name])
            same = same and before is not None and before.name != winner
            rated_as = rating[name] if rating is not None else None
            swiss = format == "swiss"
            rows.append(
                Row(
                    rank=before.rank if same and before is not None else place + 1,
                    name=name,
                    score=player.score,
                    as_max=player.sides[0],
                    as_min=player.sides[1],
                    forfeits=dict(sorted(player.forfeits.items(), key=lambda each: (-each[1], each[0]))),
                    given=player.given,
                    faults=dict(player.faults),
                    free=(free or {}).get(name, 0.0),
                    sonneborn_berger=ties[name][1 if swiss else 0],
                    buchholz=ties[name][0 if swiss else 1],
                    elo=rated_as.elo if rated_as else None,
                    error=rated_as.error if rated_as else None,
                    bound=rated_as.bound if rated_as else "",
                    los=gap.los if gap else None,
                    moves=player.moves,
                    seconds=player.seconds,
                    nodes=player.nodes,
                )
            )
        games = self._as_max.games
        place_of = {name: place for place, name in enumerate(order)}
        cross = sorted(self._cross.items(), key=lambda each: (place_of[each[0][0]], place_of[each[0][1]]))
        return Standings(
            rows=tuple(rows),
            names=tuple(names),
            cross=dict(cross),
            games=games,
            distinct=len(self._lines) + self._without_line,
            endings=dict(sorted(self._endings.items(), key=lambda each: (-each[1], each[0]))),
            as_max=self._as_max,
            plies=self._plies / games if games else None,
            difference=rating.difference(*names) if rating is not None and len(names) == 2 else None,
            notes=tuple(notes),
            rounds=self._rounds.told(format, winner) if self._rounds is not None else (),
            winner=winner,
        )

    def _ties(self, name: str, format: str) -> tuple[float, float]:
        """What breaks ties of points, the first of the two before the second."""
        berger = buchholz = 0.0
        for (first, second), score in self._cross.items():
            if first == name:
                berger += score.points * self._players[second].score.points
                buchholz += score.games * self._players[second].score.points
        return (buchholz, berger) if format == "swiss" else (berger, buchholz)


def standings(
    entrants: Sequence[str],
    results: Iterable[GameResult],
    format: str = "",
    anchor: str | None = None,
    free: Mapping[str, float] | None = None,
    winner: str | None = None,
) -> Standings:
    """The table of all these results; see `Count.standings`."""
    count = Count(entrants, format)
    for result in results:
        count.add(result)
    return count.standings(anchor, free=free, winner=winner)
