"""An opening: a start position and moves; how it is written into a plan, and helpers of all opening sources."""

from __future__ import annotations

import random
import re
from typing import NamedTuple

from zermelo._util.text import quoted
from zermelo.errors import LimitError

#: Consecutive attempts without a new opening after which a random source counts as exhausted.
MAX_TRIES = 200
_SETTING = re.compile(r"(.*),(plies|order)=([^,/]*)", re.DOTALL)


class Opening(NamedTuple):
    """A start position in the game's notation (empty: the game's own start) and moves played from it."""

    start: str = ""
    moves: tuple[int, ...] = ()

    def to_text(self) -> str:
        """Return the opening as a plan stores it: `START|MOVES`, moves as numbers."""
        return f"{self.start}|{' '.join(map(str, self.moves))}"

    @classmethod
    def from_text(cls, text: str) -> Opening:
        """Parse the text of `to_text`. Raises `LimitError`."""
        start, bar, moves = text.rpartition("|")
        try:
            if bar:
                return cls(start, tuple(map(int, moves.split())))
        except ValueError:
            pass
        raise LimitError(f"invalid opening in a plan: {quoted(text)}; expected START|MOVES")


def parse_settings(kind: str, text: str) -> tuple[str, int, str | None]:
    """Parse `PATH[,plies=N][,order=ORDER]` into path, plies (0: not given) and order. Raises `LimitError`."""
    given: dict[str, str] = {}
    path = text
    while found := _SETTING.fullmatch(path):
        path, name, value = found[1], found[2], found[3]
        if name in given:
            raise LimitError(f"openings {kind}:{text}: {name}= is given twice")
        given[name] = value
    plies = given.get("plies", "0")
    if not re.fullmatch(r"[0-9]{1,4}", plies) or ("plies" in given and int(plies) == 0):
        raise LimitError(f"openings {kind}:{path}: plies must be between 1 and 9,999 (got {plies})")
    if not path:
        raise LimitError(f"openings {kind}: missing path; expected {kind}:PATH or {kind}:PATH,plies=8")
    return path, int(plies), given.get("order")


def shuffle(items: list[int], seed: int) -> None:
    """Shuffle in place (Fisher-Yates), in the same order on every version of Python.

    `random.shuffle` does not promise that; only `Random.random` does.
    """
    rng = random.Random(seed)
    for last in range(len(items) - 1, 0, -1):
        other = int(rng.random() * (last + 1))
        items[last], items[other] = items[other], items[last]
