"""Time controls and clocks.

depth=5             search depth in plies per move, for players that have such a limit
nodes=10000         nodes per move
seconds=0.1         seconds per move; a later move loses
clock=60+0.6        60 seconds per game, plus 0.6 for each move made; running out of time loses
clock=300/40+2      300 seconds for each 40 moves
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from zermelo._util.text import quoted
from zermelo.errors import LimitError

#: Seconds by which a move may be late: allows for pipes and a busy machine.
MARGIN = 0.05
#: Seconds to wait for a move that no clock limits.
PATIENCE = 60.0
_SECONDS = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?|\.[0-9]{1,9}")
_FORMS = "depth=N, nodes=N, seconds=S, clock=S+S or clock=S/MOVES+S, margin=S, patience=S, separated by commas"


@dataclass(frozen=True, slots=True)
class TimeControl:
    """Time control of a player; by default there is no limit but `patience`.

    Parameters
    ----------
    depth : int, optional
        Search depth in plies per move.
    nodes : int, optional
        Nodes per move.
    seconds : float, optional
        Time per move; excludes `base`.
    base : float, optional
        Time in seconds for the game, or for each `per_moves` moves.
    increment : float
        Seconds added for each move made; needs `base`.
    per_moves : int
        Number of moves per `base`; 0: the whole game.
    margin : float
        Seconds by which a move may be late.
    patience : float
        Seconds to wait for a move that no clock limits.

    Raises
    ------
    LimitError
        A value is out of range, or two exclude each other.
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
                raise LimitError(f"{name} must be at least 1 (got {number})")
        for name in ("seconds", "base", "patience"):
            number = getattr(self, name)
            if number is not None and not 0 < number < 1e6:
                raise LimitError(f"{name} must be above 0 and below 1,000,000 seconds (got {number:g})")
        if not 0 <= self.increment < 1e6 or not 0 <= self.margin < 1e6 or self.per_moves < 0:
            raise LimitError("increment, margin and moves per period must not be negative")
        if self.seconds is not None and self.base is not None:
            raise LimitError("seconds= and clock= exclude each other")
        if self.base is None and (self.increment or self.per_moves):
            raise LimitError("an increment and moves per period need a clock: clock=SECONDS/MOVES+INCREMENT")

    @classmethod
    def parse(cls, text: str) -> TimeControl:
        """Parse a text such as `clock=60+0.6,margin=0.1`; an empty text means no limit. Raises `LimitError`."""
        values: dict[str, float | int] = {}
        for part in filter(None, (part.strip() for part in text.split(","))):
            name, equals, value = part.partition("=")
            if not equals or name in values or (name == "clock" and "base" in values):
                raise LimitError(f"time control {quoted(part)}: expected {_FORMS}, each at most once")
            if name == "clock":
                found = re.fullmatch(r"(\d+(?:\.\d+)?)(?:/(\d{1,4}))?(?:\+(\d+(?:\.\d+)?))?", value, re.ASCII)
                if found is None:
                    raise LimitError(
                        f"time control {quoted(part)}: expected clock=SECONDS+INCREMENT, as in clock=60+0.6"
                    )
                values.update(base=float(found[1]), per_moves=int(found[2] or 0), increment=float(found[3] or 0))
            elif name in ("depth", "nodes") and re.fullmatch(r"[0-9]{1,18}", value):
                values[name] = int(value)
            elif name in ("seconds", "margin", "patience") and _SECONDS.fullmatch(value):
                values[name] = float(value)
            else:
                raise LimitError(f"time control {quoted(part)}: expected {_FORMS}")
        return cls(**values)  # type: ignore[arg-type]

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
        """Whether there is a time limit: then a replayed game may differ."""
        return self.seconds is not None or self.base is not None


@dataclass(frozen=True, slots=True)
class Clock:
    """Clock of the player to move.

    Parameters
    ----------
    control : TimeControl
        The player's time control.
    left, other_left : float, optional
        Seconds left to the player and to its opponent; None where no game clock runs.
    other_increment : float
        The opponent's increment in seconds.
    made : int
        Number of moves the player has made.
    """

    control: TimeControl
    left: float | None = None
    other_left: float | None = None
    other_increment: float = 0.0
    made: int = 0

    @classmethod
    def of(cls, control: TimeControl) -> Clock:
        """Return the clock at the start of a game."""
        return cls(control, control.base, control.base)

    @property
    def limit(self) -> float | None:
        """Seconds for this move; None where no clock runs."""
        return self.control.seconds if self.left is None else self.left

    @property
    def deadline(self) -> float:
        """Seconds after which the move counts as not made: the limit and the margin, or the patience."""
        limit = self.limit
        return self.control.patience if limit is None else limit + self.control.margin

    @property
    def moves_to_go(self) -> int:
        """Moves until the next time control; 0: the rest of the game."""
        return self.control.per_moves - self.made % self.control.per_moves if self.control.per_moves else 0

    def facing(self, other: Clock) -> Clock:
        """Return this clock with the opponent's time filled in."""
        return replace(self, other_left=other.left, other_increment=other.control.increment)

    def after(self, seconds: float) -> Clock:
        """Return the clock after a move that took `seconds`."""
        made = self.made + 1
        if self.left is None:
            return replace(self, made=made)
        left = self.left - seconds + self.control.increment
        if self.control.per_moves and made % self.control.per_moves == 0:
            left += self.control.base or 0.0
        return replace(self, left=left, made=made)
