"""A game that is to be played, and one that was: plain data, that travels between machines and into the store.

Job      what is to be played: players, opening, seed, limits           schedule.py makes them
Played   the whole game: moves, what was said of each, why it ended     referee.py makes them, store.py keeps them
Result   what tables and ratings need of it                             `played.result`
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

#: How games end beside by their rules; the other endings are the texts of `zermelo.sandbox.failure.Reason`.
BY_RULES, REPETITION, QUIET, MOST_MOVES = "rules", "repetition", "no progress", "too many moves"
ADJUDICATED, AGREED, RESIGNED = "adjudicated", "agreed", "resigned"


@dataclass(frozen=True, slots=True)
class Job:
    """A game that is to be played. Two equal jobs of players that keep no clock are the same game."""

    #: Its place in the tournament, from 0: with it a game is counted once, however often it was played.
    number: int
    #: The game, as the user named it: a name, or path/to/game.py:Class.
    game: str
    #: The players of MAX and of MIN, by their texts and by their names in the table.
    players: tuple[str, str]
    names: tuple[str, str]
    #: Where it begins, in the game's notation (empty: the game's start), and the opening moves played from there.
    start: str = ""
    opening: tuple[int, ...] = ()
    #: For chance in the game; the players' seeds come from it, too.
    seed: int = 0
    #: `TimeControl` of MAX and of MIN, as texts.
    controls: tuple[str, str] = ("", "")
    #: See `adjudication.Adjudication`; empty: every game is played to its end.
    adjudication: str = ""
    #: No game goes on for more plies than these; then it is a draw.
    most_plies: int = 1000
    #: Which round of the tournament, from 0.
    round: int = 0
    #: Shared by the two games of one opening with the sides changed, and by no others; from 0, in the order of numbers.
    pairing: int = 0

    def write(self) -> str:
        """As one line of JSON."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def of(cls, data: dict[str, Any]) -> Job:
        """The inverse of `write`, from what JSON made of it."""
        return cls(**{name: _tuples(value) for name, value in data.items()})


class Said(NamedTuple):
    """What a player said of a move."""

    #: 0: MAX's player, 1: MIN's; -1: nobody, in the opening and where chance moves.
    player: int = -1
    seconds: float = 0.0
    nodes: int = 0
    depth: int = 0
    #: For MAX, in the player's own units; None: nothing.
    score: int | None = None


@dataclass(frozen=True, slots=True)
class Played:
    """A game that was played."""

    job: Job
    #: All moves from the start on: the opening, the players' and chance's.
    moves: tuple[int, ...]
    #: What MAX gets: 1, 1/2 or 0.
    points: float
    #: The utility for MAX that the game ended with; None where it did not end by its rules.
    utility: int | None
    #: Why it ended: BY_RULES and so on, or the reason of a failure.
    ending: str
    #: What happened, in one line, where there is more to say; for a failure what the program did.
    detail: str = ""
    #: 0 or 1: which of the players failed and so lost; None where none did.
    at_fault: int | None = None
    #: For each of `moves`, who made it and what was said of it.
    said: tuple[Said, ...] = ()
    #: Of each player: program and version.
    versions: tuple[str, str] = ("", "")
    #: The version of Zermelo that refereed.
    referee: str = ""
    #: When it began: seconds since 1970, UTC; and how long it took.
    began: float = 0.0
    seconds: float = 0.0

    @property
    def result(self) -> Result:
        """What tables and ratings need of the game."""
        job = self.job
        return Result(
            number=job.number,
            names=job.names,
            points=self.points,
            ending=self.ending,
            detail=self.detail,
            at_fault=self.at_fault,
            utility=self.utility,
            plies=len(self.moves),
            nodes=(self.nodes(0), self.nodes(1)),
            seconds=(self.thought(0), self.thought(1)),
            made=(self.made(0), self.made(1)),
            round=job.round,
            pairing=job.pairing,
            opening=f"{job.start}|{' '.join(map(str, job.opening))}",
            line=hashlib.sha256(f"{job.start}|{self.moves}".encode()).hexdigest()[:16],
        )

    def made(self, player: int) -> int:
        """The moves that a player (0: MAX's, 1: MIN's) made by itself."""
        return sum(said.player == player for said in self.said)

    def thought(self, player: int) -> float:
        """The seconds that a player took for all its moves."""
        return sum(said.seconds for said in self.said if said.player == player)

    def nodes(self, player: int) -> int:
        """The states that a player (0: MAX's, 1: MIN's) visited for all its moves."""
        return sum(said.nodes for said in self.said if said.player == player)

    def write(self) -> str:
        """As one line of JSON."""
        return json.dumps(asdict(self) | {"said": [list(said) for said in self.said]}, separators=(",", ":"))

    @classmethod
    def read(cls, text: str) -> Played:
        """The inverse of `write`."""
        data: dict[str, Any] = json.loads(text)
        job = Job.of(data.pop("job"))
        said = tuple(Said(*each) for each in data.pop("said"))
        return cls(job, said=said, **{name: _tuples(value) for name, value in data.items()})


@dataclass(frozen=True, slots=True)
class Result:
    """A game as tables and ratings see it. Pairs: MAX's player first, MIN's second."""

    number: int
    names: tuple[str, str]
    #: What MAX's player gets: 1, 1/2 or 0.
    points: float
    ending: str
    detail: str = ""
    #: 0 or 1: whose failure decided the game; None: nobody's.
    at_fault: int | None = None
    utility: int | None = None
    plies: int = 0
    nodes: tuple[int, int] = (0, 0)
    seconds: tuple[float, float] = (0.0, 0.0)
    #: Moves that each made by itself.
    made: tuple[int, int] = (0, 0)
    round: int = 0
    #: The games of one pairing share their opening, with the sides changed: SPRT and error bars count them together.
    pairing: int = 0
    #: Where it began, and the opening; and a digest of that and all moves: equal for equal games.
    opening: str = ""
    line: str = ""


def _tuples(value: Any) -> Any:
    """What JSON made a list of, as the tuple it was."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
