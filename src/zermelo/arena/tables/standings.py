"""Standings: points, tie-breaks, cross table, Elo ratings and terminations.

table = standings(["a", "b"], store.results())
table.rows[0].points, table.rows[0].elo          the best first
table.cross["a", "b"].points                     points of a against b

counter = StandingsCounter(["a", "b"])           one game at a time
counter.add(result)
counter.standings()
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from zermelo._util.notebooks import ShowsWidget
from zermelo._util.text import single_line
from zermelo.arena.game_record import GameRecord, GameResult
from zermelo.arena.tables.ratings import Difference, Tally, elo_text, ratings
from zermelo.arena.tables.rounds import FORMATS, Round, RoundsCounter
from zermelo.errors import ZermeloError


@dataclass(slots=True)
class Score:
    """Points and number of games; 1, 1/2 or 0 points per game."""

    games: int = 0
    points: float = 0.0
    wins: int = 0
    draws: int = 0
    losses: int = 0

    def add(self, points: float) -> None:
        """Add a game."""
        self.games += 1
        self.points += points
        self.wins += points == 1
        self.draws += points == 0.5
        self.losses += points == 0

    @property
    def share(self) -> float | None:
        """Points per game, 0 to 1; None without games."""
        return self.points / self.games if self.games else None

    def as_dict(self) -> dict[str, Any]:
        """Return the score as JSON data."""
        return {name: getattr(self, name) for name in ("games", "points", "wins", "draws", "losses")}


@dataclass(frozen=True, slots=True)
class FirstFailure:
    """The first game that a player lost by one kind of failure, and what its program did."""

    game: int
    detail: str


@dataclass(frozen=True)
class Row:
    """A player's row of the table.

    Attributes
    ----------
    rank : int
        From 1; players with equal points and tie-breaks share a rank.
    name : str
        Name of the player.
    score, as_max, as_min : Score
        All games, the games as MAX and the games as MIN.
    forfeits : dict of str to int
        Games lost by a failure of the player, by termination.
    forfeit_wins : int
        Games won by a failure of the opponent.
    failures : dict of str to FirstFailure
        The first game of each kind of failure.
    bye_points : float
        Points for byes of a Swiss tournament; part of `points`, not of `score`.
    sonneborn_berger : float
        Sum over opponents of the points against each times that opponent's points.
    buchholz : float
        Sum of the opponents' points, counted per game.
    elo, error : float or None
        Elo rating and half of its 95 % interval; None if not rated.
    bound : str
        ">" or "<" if `elo` is a bound; see `zermelo.arena.tables.ratings.Rating`.
    los : float or None
        Likelihood of superiority over the next player of the table; None for the last.
    moves, seconds, nodes : int, float, int
        Totals of the player's own moves.
    """

    rank: int
    name: str
    score: Score
    as_max: Score
    as_min: Score
    forfeits: dict[str, int]
    forfeit_wins: int
    failures: dict[str, FirstFailure]
    bye_points: float
    sonneborn_berger: float
    buchholz: float
    elo: float | None
    error: float | None
    bound: str
    los: float | None
    moves: int
    seconds: float
    nodes: int

    @property
    def seconds_per_move(self) -> float | None:
        """Mean thinking time per move; None without moves."""
        return self.seconds / self.moves if self.moves else None

    @property
    def nodes_per_move(self) -> float | None:
        """Mean number of nodes per move; None without moves."""
        return self.nodes / self.moves if self.moves else None

    @property
    def points(self) -> float:
        """Points of all games and byes."""
        return self.score.points + self.bye_points

    def as_dict(self) -> dict[str, Any]:
        """Return the data as JSON."""
        return {
            "rank": self.rank,
            "name": self.name,
            **self.score.as_dict(),
            "points": self.points,
            "bye_points": self.bye_points,
            "as_max": self.as_max.as_dict(),
            "as_min": self.as_min.as_dict(),
            "forfeits": dict(self.forfeits),
            "failures": [
                {
                    "termination": termination,
                    "games": count,
                    "first_game": self.failures[termination].game,
                    "detail": self.failures[termination].detail,
                }
                for termination, count in self.forfeits.items()
            ],
            "sonneborn_berger": self.sonneborn_berger,
            "buchholz": self.buchholz,
            "elo": self.elo,
            "error": self.error,
            "bound": self.bound or None,
            "los": self.los,
            "moves": self.moves,
            "seconds_per_move": self.seconds_per_move,
            "nodes_per_move": self.nodes_per_move,
        }


@dataclass(frozen=True)
class Standings(ShowsWidget):
    """The table of a match or tournament.

    Attributes
    ----------
    rows : tuple of Row
        The players, best first.
    names : tuple of str
        The players in the order of the plan.
    cross : dict of (str, str) to Score
        The first player's score against the second; pairs that have not met are missing.
    games : int
        Number of games.
    distinct : int
        Number of different games; deterministic players may repeat games.
    terminations : dict of str to int
        Why games ended, the most frequent first.
    as_max : Score
        MAX's score in all games: the value of moving first, mostly.
    plies : float or None
        Mean length of a game.
    difference : Difference or None
        For two players: Elo difference of the first named against the second.
    notes : tuple of str
        Remarks on the numbers, one line each.
    rounds : tuple of Round
        The rounds of a knock-out or Swiss tournament.
    winner : str or None
        The winner of a finished knock-out.
    records : tuple of GameRecord
        Of a match or tournament that this process played: its first 20 games.
    """

    rows: tuple[Row, ...]
    names: tuple[str, ...]
    cross: dict[tuple[str, str], Score]
    games: int
    distinct: int
    terminations: dict[str, int]
    as_max: Score
    plies: float | None
    difference: Difference | None
    notes: tuple[str, ...]
    rounds: tuple[Round, ...] = ()
    winner: str | None = None
    records: tuple[GameRecord, ...] = field(default=(), repr=False, compare=False)

    def row(self, name: str) -> Row:
        """Return the row of a player."""
        return next(row for row in self.rows if row.name == name)

    def __str__(self) -> str:
        """The table as text, for `print`."""
        head, rows, caption = self.cells()
        cells = [[single_line(str(cell)) for cell in row] for row in (head, *rows)]
        widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
        lines = []
        for rank, name, *numbers in cells:
            aligned = (number.rjust(width) for number, width in zip(numbers, widths[2:], strict=True))
            lines.append("  ".join([rank.rjust(widths[0]), name.ljust(widths[1]), *aligned]))
        return "\n".join([*lines, single_line(caption)])

    def _repr_html_(self) -> str:
        """A table for notebooks."""
        from zermelo._util.html import table

        return table(*self.cells())

    def cells(self) -> tuple[tuple[str, ...], list[tuple[object, ...]], str]:
        """Return heads, rows and caption of the table, as in text and notebooks."""
        rows: list[tuple[object, ...]] = [
            (row.rank, row.name, row.score.games, row.points, row.score.wins, row.score.draws, row.score.losses)
            for row in self.rows
        ]
        caption = f"{self.games:,} games"
        if self.difference is not None:
            caption += f"; {self.names[0]} against {self.names[1]}: {elo_text(self.difference.elo)} Elo"
        return ("", "player", "games", "points", "won", "drawn", "lost"), rows, caption

    def as_dict(self) -> dict[str, Any]:
        """Return the data as JSON."""
        difference = self.difference
        return {
            "games": self.games,
            "distinct": self.distinct,
            "rows": [row.as_dict() for row in self.rows],
            "cross": [{"a": a, "b": b, **score.as_dict()} for (a, b), score in self.cross.items()],
            "terminations": dict(self.terminations),
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
    """Totals of one player."""

    score: Score = field(default_factory=Score)
    sides: tuple[Score, Score] = field(default_factory=lambda: (Score(), Score()))
    forfeits: dict[str, int] = field(default_factory=dict)
    failures: dict[str, FirstFailure] = field(default_factory=dict)
    forfeit_wins: int = 0
    moves: int = 0
    seconds: float = 0.0
    nodes: int = 0


class StandingsCounter:
    """Counts results one at a time; memory grows with the players, and by a digest per game.

    Parameters
    ----------
    entrants : sequence of str
        Names of the players.
    format : str
        The plan's format; knock-out and Swiss tournaments are also counted by round.
    """

    def __init__(self, entrants: Sequence[str], format: str = "") -> None:
        self._format = format
        self._rounds = RoundsCounter(entrants) if format in FORMATS else None
        self._players: dict[str, _Player] = {name: _Player() for name in entrants}
        self._cross: dict[tuple[str, str], Score] = {}
        self._tally = Tally()
        self._hashes: set[str] = set()
        self._terminations: dict[str, int] = {}
        self._as_max = Score()
        self._plies = 0
        self._without_hash = 0

    def add(self, result: GameResult) -> None:
        """Add a game; the order of games does not matter."""
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
                first = player.failures.get(result.termination)
                if first is None or result.number < first.game:
                    player.failures[result.termination] = FirstFailure(result.number, result.detail)
            elif result.forfeited_by is not None:
                player.forfeit_wins += 1
            other = result.names[1 - side]
            if other != name:
                self._cross.setdefault((name, other), Score()).add(points)
        if result.names[0] != result.names[1]:
            self._tally.add(result)
        self._as_max.add(result.points)
        self._terminations[result.termination] = self._terminations.get(result.termination, 0) + 1
        self._plies += result.plies
        if self._rounds is not None:
            self._rounds.add(result)
        if result.moves_hash:
            self._hashes.add(result.moves_hash)
        else:
            self._without_hash += 1

    def standings(
        self,
        anchor: str | None = None,
        rated: bool = True,
        byes: Mapping[str, float] | None = None,
        winner: str | None = None,
    ) -> Standings:
        """Return the current table.

        Equal points are separated by Sonneborn-Berger, then Buchholz; in a Swiss tournament by Buchholz first.

        Parameters
        ----------
        anchor : str, optional
            Player whose Elo is 0; by default the mean is 0.
        rated : bool
            Compute Elo ratings. They need SciPy; without it a note in the table says so.
        byes : mapping of str to float, optional
            Points for byes; see `Schedule.bye_points`.
        winner : str, optional
            Player who is first regardless of points; see `Schedule.winner`.

        Raises
        ------
        InputError
            The anchor is not a player.
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
        ties = {name: self._tie_breaks(name, format) for name in names}
        byes = byes or {}
        points = {name: self._players[name].score.points + byes.get(name, 0.0) for name in names}
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
                    forfeit_wins=player.forfeit_wins,
                    failures=dict(player.failures),
                    bye_points=byes.get(name, 0.0),
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
            distinct=len(self._hashes) + self._without_hash,
            terminations=dict(sorted(self._terminations.items(), key=lambda each: (-each[1], each[0]))),
            as_max=self._as_max,
            plies=self._plies / games if games else None,
            difference=rating.difference(*names) if rating is not None and len(names) == 2 else None,
            notes=tuple(notes),
            rounds=self._rounds.rounds(format, winner) if self._rounds is not None else (),
            winner=winner,
        )

    def _tie_breaks(self, name: str, format: str) -> tuple[float, float]:
        """Return the two tie-breaks of a player, the more important one first."""
        berger = buchholz = 0.0
        for (first, second), score in self._cross.items():
            if first == name:
                berger += score.points * self._players[second].score.points
                buchholz += score.games * self._players[second].score.points
        return (buchholz, berger) if format == "swiss" else (berger, buchholz)


def standings(
    entrants: Sequence[str],
    results: Iterable[GameResult],
    *,
    format: str = "",
    anchor: str | None = None,
    byes: Mapping[str, float] | None = None,
    winner: str | None = None,
) -> Standings:
    """Return the table of these results; parameters as in `StandingsCounter`.

    >>> results = [GameResult(0, ("a", "b"), 1.0, "rules"), GameResult(1, ("b", "a"), 0.5, "rules")]
    >>> [(row.name, row.points) for row in standings(["a", "b"], results).rows]
    [('a', 1.5), ('b', 0.5)]
    """
    counter = StandingsCounter(entrants, format)
    for result in results:
        counter.add(result)
    return counter.standings(anchor, byes=byes, winner=winner)
