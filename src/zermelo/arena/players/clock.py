"""How long a player may think: what was agreed for a game, and what is left of it.

depth=5             so many plies a move, for players that can be told
nodes=10000         so many states a move
seconds=0.1         so much time a move; who takes longer loses
clock=60+0.6        60 seconds for the game and 0.6 more for each move made; who has none left loses
clock=300/40+2      300 seconds for each 40 moves
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from zermelo._util.text import quoted
from zermelo.errors import LimitError

#: What a move may take beyond its time before it is late: the time of the wire and of a busy machine, not of thinking.
MARGIN = 0.05
#: How long the arena waits for a move that no clock limits, in seconds.
PATIENCE = 60.0
_FORMS = "depth=N, nodes=N, seconds=S, clock=S+S or clock=S/MOVES+S, margin=S, patience=S, with commas between them"


@dataclass(frozen=True, slots=True)
class TimeControl:
    """What was agreed. Nothing given: no limit but the arena's patience.

    `seconds` a move; or `base` seconds for the game (for each `per_moves` moves, if that is not 0) and `increment` for
    each move made. `margin`: seconds by which a move may be late. `patience`: how long is waited for a move that no
    clock limits, before the player counts as hung. Raises `LimitError`.
    """

    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    base: float | None = None
    increment: float = 0.0
    per_moves: int = 0
    margin: float = MARGIN
    patience: float = PATIENCE

    def __post_init__(self) -> None:
        for name in ("depth", "nodes"):
            number = getattr(self, name)
            if number is not None and number < 1:
                raise LimitError(f"{name}={number}: at least 1 is needed")
        for name in ("seconds", "base", "patience"):
            number = getattr(self, name)
            if number is not None and not 0 < number < 1e6:
                raise LimitError(f"{name}={number:g}: the time must be above 0 and at most a million seconds")
        if not 0 <= self.increment < 1e6 or not 0 <= self.margin < 1e6 or self.per_moves < 0:
            raise LimitError("an increment, a margin and a number of moves are not below 0")
        if self.seconds is not None and self.base is not None:
            raise LimitError("seconds= and clock=: a move has a time of its own, or a part of the game's")
        if self.base is None and (self.increment or self.per_moves):
            raise LimitError("an increment and a number of moves belong to a clock")

    @classmethod
    def parse(cls, text: str) -> TimeControl:
        """The control that a text stands for; an empty one is no limit. Raises `LimitError`."""
        given: dict[str, float | int] = {}
        for part in filter(None, (part.strip() for part in text.split(","))):
            name, equals, value = part.partition("=")
            if not equals or name in given or (name == "clock" and "base" in given):
                raise LimitError(f"limit {quoted(part)}; expected {_FORMS}, each once")
            if name == "clock":
                found = re.fullmatch(r"(\d+(?:\.\d+)?)(?:/(\d{1,4}))?(?:\+(\d+(?:\.\d+)?))?", value)
                if found is None:
                    raise LimitError(f"limit {quoted(part)}; a clock is SECONDS+INCREMENT, as in clock=60+0.6")
                given.update(base=float(found[1]), per_moves=int(found[2] or 0), increment=float(found[3] or 0))
            elif name in ("depth", "nodes") and re.fullmatch(r"\d{1,18}", value):
                given[name] = int(value)
            elif name in ("seconds", "margin", "patience") and re.fullmatch(r"\d{1,9}(\.\d{1,9})?|\.\d{1,9}", value):
                given[name] = float(value)
            else:
                raise LimitError(f"limit {quoted(part)}; expected {_FORMS}")
        return cls(**given)  # type: ignore[arg-type]

    def __str__(self) -> str:
        parts = [f"{name}={getattr(self, name)}" for name in ("depth", "nodes") if getattr(self, name) is not None]
        if self.seconds is not None:
            parts.append(f"seconds={self.seconds:g}")
        if self.base is not None:
            each = f"/{self.per_moves}" if self.per_moves else ""
            parts.append(f"clock={self.base:g}{each}+{self.increment:g}")
        if self.margin != MARGIN:
            parts.append(f"margin={self.margin:g}")
        if self.patience != PATIENCE:
            parts.append(f"patience={self.patience:g}")
        return ",".join(parts)

    @property
    def is_timed(self) -> bool:
        """Whether a clock runs: then a game played again need not be the same."""
        return self.seconds is not None or self.base is not None


@dataclass(frozen=True, slots=True)
class Clock:
    """What a player has when it is to move, and what the other has."""

    control: TimeControl
    #: Seconds left to the player and to the other; None where no game clock runs.
    left: float | None = None
    other_left: float | None = None
    #: What the other gets for each move.
    other_increment: float = 0.0
    #: Moves that each has made.
    made: int = 0

    @classmethod
    def of(cls, control: TimeControl) -> Clock:
        """The clock at the start of a game."""
        return cls(control, control.base, control.base)

    @property
    def limit(self) -> float | None:
        """The seconds that this move may take; None where no clock runs."""
        return self.control.seconds if self.left is None else self.left

    @property
    def deadline(self) -> float:
        """The seconds after which nobody waits for a move any more."""
        limit = self.limit
        return self.control.patience if limit is None else limit + self.control.margin

    @property
    def moves_to_go(self) -> int:
        """Moves to be made with the time that is left; 0: the rest of the game."""
        return self.control.per_moves - self.made % self.control.per_moves if self.control.per_moves else 0

    def facing(self, other: Clock) -> Clock:
        """The player's clock as it is shown to it, beside the other's."""
        return replace(self, other_left=other.left, other_increment=other.control.increment)

    def after(self, seconds: float) -> Clock:
        """The player's clock after a move that took so long."""
        made = self.made + 1
        if self.left is None:
            return replace(self, made=made)
        left = self.left - seconds + self.control.increment
        if self.control.per_moves and made % self.control.per_moves == 0:
            left += self.control.base or 0.0
        return replace(self, left=left, made=made)
