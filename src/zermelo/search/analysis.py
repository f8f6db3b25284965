"""What a search found out: one value that the command line, the library and every other room print or store."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from zermelo.core.game import CHANCE, MAX, MIN, State


@dataclass(frozen=True)
class Line:
    """One root move with its exact score and what would follow: the principal variation of that move."""

    move: int
    moves: tuple[int, ...]  # from the root on, `move` first
    names: tuple[str, ...]  # the same in the game's notation
    score: int  # for MAX, as in `Analysis.score`
    exact: bool
    plies: int | None  # to the end of the game, where a win or loss is certain and the game tells
    expected: float | None = None  # as in `Analysis.expected`


@dataclass(frozen=True)
class Analysis:
    """The result of a search so far. Scores are integers from MAX's side.

    `score` is in the units of the evaluation; if `exact`, it is the game's own utility with best play on both
    sides, proven: no evaluation had a part in it. `depth` is the number of plies that every line was searched
    to; for a search to the end of the game, the length of the principal variation. `best` is None in a
    finished game, and where chance moves.

    A search that was cut off in the middle of a depth may have found a better move there: then the first line, and
    with it `best` and `score`, is what that move is worth one ply deeper than `depth`; as it was known to be better
    only, where the line is that move alone, it is worth at least that much.

    In games of chance `score` is always in the units of the evaluation, and `expected` is the expected utility for MAX
    that it stands for, not rounded; in other games that is None. `exact` then says that no mean was rounded either.

    `reason` is why the search stopped: `depth`, `exact`, `seconds`, `nodes`, `stopped` (by `Engine.stop`),
    `interrupted` (Ctrl-C), `game over`, `rounded` (searched to the end, but means over chance were rounded to
    integers); or `searching`: it goes on.

    `lines` come in the order of their worth for the mover. A line may be exact while another is not; then their
    scores have different units.
    """

    state: State = field(repr=False)
    game: str
    position: str
    to_move: str  # MAX, MIN or CHANCE
    player: str  # what the game calls the side to move
    best: str | None
    move: int | None
    score: int
    score_to_move: int
    line: tuple[str, ...]
    lines: tuple[Line, ...]
    plies: int | None
    depth: int
    nodes: int
    seconds: float
    exact: bool
    reason: str  # see below
    evaluation: str
    algorithm: str
    threads: int
    expected: float | None = None  # the expected utility for MAX, in games of chance

    @property
    def nodes_per_second(self) -> float:
        """States visited per second; 0 where no time was measured."""
        return self.nodes / self.seconds if self.seconds > 0 else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON: every field but the state, scores and lines as numbers and names."""
        return {
            "game": self.game,
            "position": self.position,
            "to_move": self.to_move,
            "player": self.player,
            "best": self.best,
            "score": self.score,
            "score_to_move": self.score_to_move,
            "expected": self.expected,
            "line": list(self.line),
            "lines": [
                {
                    "best": line.names[0],
                    "score": line.score,
                    "score_to_move": line.score * (-1 if self.to_move == "MIN" else 1),
                    "expected": line.expected,
                    "line": list(line.names),
                    "exact": line.exact,
                    "plies": line.plies,
                }
                for line in self.lines
            ],
            "plies": self.plies,
            "depth": self.depth,
            "nodes": self.nodes,
            "seconds": round(self.seconds, 6),
            "nodes_per_second": round(self.nodes_per_second),
            "exact": self.exact,
            "reason": self.reason,
            "evaluation": self.evaluation,
            "algorithm": self.algorithm,
            "threads": self.threads,
        }


SIDES = {MAX: "MAX", MIN: "MIN", CHANCE: "CHANCE"}


def names_of(state: State, moves: tuple[int, ...]) -> tuple[str, ...]:
    """A line of moves from a state in the game's notation."""
    names = []
    for move in moves:
        names.append(state.move_name(move))
        state = state.play(move)
    return tuple(names)
