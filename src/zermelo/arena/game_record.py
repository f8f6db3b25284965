"""Plain data of games: what to play, what was played, what tables need. It travels between processes and into stores.

GameJob      a game to be played: players, opening, seed, limits          made by plans/schedule.py
GameRecord   a finished game: moves, reports of the players, termination  made by referee.py, saved by store.py
GameResult   the part of a record that tables and ratings need            `GameRecord.result`
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any, NamedTuple

#: Terminations without a failure. The other terminations are the values of `zermelo.sandbox.failure.Reason`.
BY_RULES, REPETITION, NO_PROGRESS, TOO_MANY_MOVES = "rules", "repetition", "no progress", "too many moves"
ADJUDICATED, AGREED, RESIGNED = "adjudicated", "agreed", "resigned"

# Names of fields in files written before schema version 2 of the store.
_OLD_JOB_FIELDS = {"most_plies": "max_plies", "pairing": "game_pair"}
_OLD_RECORD_FIELDS = {
    "ending": "termination",
    "at_fault": "forfeited_by",
    "said": "reports",
    "referee": "referee_version",
    "began": "started_at",
}


@dataclass(frozen=True, slots=True)
class GameJob:
    """A game to be played.

    Pairs hold the value of MAX's player first, of MIN's second. Two equal jobs give the same game if both players
    are deterministic and no clock runs.
    """

    #: Number of the game in the tournament, from 0; a store counts each number once.
    number: int
    #: Name of the game, or path/to/game.py:Class.
    game: str
    #: Player specs, such as "engine:depth=6".
    players: tuple[str, str]
    #: Names in the table.
    names: tuple[str, str]
    #: Start position in the game's notation; empty: the game's own start.
    start: str = ""
    #: Opening moves, played from `start` before the players take over.
    opening: tuple[int, ...] = ()
    #: Seed of the dice; the players' seeds are derived from it.
    seed: int = 0
    #: Time control or search limit of each player, in the syntax of `players.clock.Control`.
    controls: tuple[str, str] = ("", "")
    #: Adjudication rules, in the syntax of `adjudication.Adjudication`; empty: none.
    adjudication: str = ""
    #: A game that reaches this many plies is a draw.
    max_plies: int = 1000
    #: Round of the tournament, from 0.
    round: int = 0
    #: Number of the game pair, from 0: the two games with the same opening and reversed sides.
    game_pair: int = 0

    def to_json(self) -> str:
        """Return the job as one line of JSON."""
        return json.dumps(_fields(self), separators=(",", ":"))

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> GameJob:
        """Return the job of a decoded `to_json` line; field names of older versions are accepted."""
        return cls(**{_OLD_JOB_FIELDS.get(name, name): _as_tuples(value) for name, value in data.items()})


class MoveReport(NamedTuple):
    """What a player reports with a move."""

    #: 0: MAX's player, 1: MIN's player, -1: an opening move or a chance event.
    player: int = -1
    #: Thinking time, measured by the referee.
    seconds: float = 0.0
    nodes: int = 0
    #: Search depth in plies.
    depth: int = 0
    #: From MAX's point of view, in the player's own unit; None if the player reports no score.
    score: int | None = None


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A finished game. Pairs hold the value of MAX's player first, of MIN's second."""

    job: GameJob
    #: All moves from the start position: opening, players' moves and chance events.
    moves: tuple[int, ...]
    #: Points of MAX's player: 1 for a win, 1/2 for a draw, 0 for a loss.
    points: float
    #: Utility of the final state for MAX; None if the game did not end by its rules.
    utility: int | None
    #: Why the game ended: `BY_RULES`, ..., `RESIGNED`, or a `sandbox.failure.Reason`.
    termination: str
    #: One line of detail; after a failure, what the program did.
    detail: str = ""
    #: The player whose failure lost the game (0 or 1); None if no player failed.
    forfeited_by: int | None = None
    #: One report per move of `moves`.
    reports: tuple[MoveReport, ...] = ()
    #: Program and version of each player.
    versions: tuple[str, str] = ("", "")
    #: Version of Zermelo that refereed the game.
    referee_version: str = ""
    #: Unix time at which the game began, and its duration in seconds.
    started_at: float = 0.0
    seconds: float = 0.0

    @property
    def result(self) -> GameResult:
        """The part of the record that tables and ratings need."""
        job = self.job
        nodes, seconds, move_counts = [0, 0], [0.0, 0.0], [0, 0]
        for report in self.reports:
            player = report.player
            if player >= 0:
                nodes[player] += report.nodes
                seconds[player] += report.seconds
                move_counts[player] += 1
        return GameResult(
            number=job.number,
            names=job.names,
            points=self.points,
            termination=self.termination,
            detail=self.detail,
            forfeited_by=self.forfeited_by,
            utility=self.utility,
            plies=len(self.moves),
            nodes=(nodes[0], nodes[1]),
            seconds=(seconds[0], seconds[1]),
            move_counts=(move_counts[0], move_counts[1]),
            round=job.round,
            game_pair=job.game_pair,
            opening=f"{job.start}|{' '.join(map(str, job.opening))}",
            moves_hash=hashlib.sha256(f"{job.start}|{self.moves}".encode()).hexdigest()[:16],
        )

    def to_json(self) -> str:
        """Return the record as one line of JSON."""
        return json.dumps(_fields(self) | {"job": _fields(self.job)}, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> GameRecord:
        """Return the record of a `to_json` line; field names of older versions are accepted."""
        data: dict[str, Any] = {_OLD_RECORD_FIELDS.get(name, name): value for name, value in json.loads(text).items()}
        job = GameJob.from_dict(data.pop("job"))
        reports = tuple(MoveReport(*each) for each in data.pop("reports"))
        return cls(job, reports=reports, **{name: _as_tuples(value) for name, value in data.items()})


@dataclass(frozen=True, slots=True)
class GameResult:
    """A finished game as tables and ratings see it. Pairs hold the value of MAX's player first, of MIN's second."""

    number: int
    names: tuple[str, str]
    #: Points of MAX's player: 1, 1/2 or 0.
    points: float
    termination: str
    detail: str = ""
    #: The player whose failure lost the game (0 or 1); None if no player failed.
    forfeited_by: int | None = None
    utility: int | None = None
    plies: int = 0
    nodes: tuple[int, int] = (0, 0)
    seconds: tuple[float, float] = (0.0, 0.0)
    #: Number of moves that each player chose.
    move_counts: tuple[int, int] = (0, 0)
    round: int = 0
    #: The two games of a pair share their opening with reversed sides; SPRT and error bars treat them as one sample.
    game_pair: int = 0
    #: Start position and opening moves.
    opening: str = ""
    #: Hash of the start position and all moves; equal for identical games.
    moves_hash: str = ""


def _fields(item: GameJob | GameRecord) -> dict[str, Any]:
    return {name: getattr(item, name) for name in item.__slots__}


def _as_tuples(value: Any) -> Any:
    """Turn the lists of decoded JSON back into tuples."""
    return tuple(map(_as_tuples, value)) if isinstance(value, list) else value
