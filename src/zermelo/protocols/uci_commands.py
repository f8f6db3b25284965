"""Parsers of the UCI commands that an engine receives.

    position [startpos | fen FEN] [moves MOVE ...]
    go [searchmoves MOVE ...] [ponder] [infinite] [wtime MS] [btime MS] [winc MS] [binc MS] [movestogo N]
       [depth N] [nodes N] [mate N] [movetime MS] [perft N]
    setoption name NAME [value VALUE]

Unknown words are reported and ignored, as the protocol requires. Numbers out of range are clamped: a GUI that sends a
huge number means "no limit", and an engine must answer `go` with a move it has searched.

References
----------
R. Huber and S. Meyer-Kahlen, "Description of the universal chess interface (UCI)", April 2006.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from zermelo._util.text import quoted
from zermelo.errors import PositionError
from zermelo.search.limits import MAX_DEPTH, MAX_NODES

#: Largest number of milliseconds and moves: 32 bits, as in most GUIs; 24 days, which every system's timers allow.
MAX_NUMBER = (1 << 31) - 1
_MAXIMA = {"depth": MAX_DEPTH, "nodes": MAX_NODES, "mate": MAX_DEPTH, "perft": MAX_DEPTH}
_NUMBERS = (
    "wtime", "btime", "winc", "binc", "movestogo", "depth", "nodes", "mate", "movetime", "perft"
)  # fmt: skip
_KEYWORDS = frozenset((*_NUMBERS, "ponder", "infinite", "searchmoves"))
_NUMBER = re.compile(r"(-?)0*([0-9]+)")
#: Digits of the largest number that is converted; Python refuses texts of more than 4,300.
_MAX_DIGITS = 19


@dataclass
class GoParameters:
    """Parameters of `go`. Times are in milliseconds; None: not given. `warnings`: what was ignored, and why."""

    wtime: int | None = None
    btime: int | None = None
    winc: int = 0
    binc: int = 0
    movestogo: int = 0
    depth: int | None = None
    nodes: int | None = None
    mate: int | None = None
    movetime: int | None = None
    perft: int | None = None
    ponder: bool = False
    infinite: bool = False
    searchmoves: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def parse_go(words: list[str]) -> GoParameters:
    """Parse the words after `go`."""
    go = GoParameters()
    rest: Iterator[str] = iter(words)
    word = next(rest, None)
    while word is not None:
        following = next(rest, None)
        if word in ("ponder", "infinite"):
            setattr(go, word, True)
        elif word == "searchmoves":
            while following is not None and following not in _KEYWORDS:
                go.searchmoves.append(following)
                following = next(rest, None)
        elif word not in _NUMBERS:
            go.warnings.append(f"go: unknown parameter {quoted(word)} ignored")
        elif following is None or (number := _number(following, word)) is None:
            go.warnings.append(f"go: {word} expects an integer")
        else:
            setattr(go, word, number)
            following = next(rest, None)
        word = following
    return go


def _number(text: str, name: str) -> int | None:
    """Return the value of a `go` parameter, clamped to its range; None if the text is not an integer."""
    found = _NUMBER.fullmatch(text)
    if found is None:
        return None
    maximum = _MAXIMA.get(name, MAX_NUMBER)
    number = min(int(found[2]), maximum) if len(found[2]) <= _MAX_DIGITS else maximum
    return -number if found[1] else number


def parse_position(words: list[str]) -> tuple[str, list[str]]:
    """Parse the words after `position`: a FEN (empty for the starting position) and the moves.

    Raises
    ------
    PositionError
        The words are not a position.
    """
    if not words or words[0] not in ("startpos", "fen"):
        raise PositionError("position: expected startpos or fen FEN, optionally followed by moves")
    end = words.index("moves") if "moves" in words else len(words)
    moves = words[end + 1 :]
    if words[0] == "startpos":
        if end > 1:
            raise PositionError(f"position startpos: expected moves (got {quoted(words[1])})")
        return "", moves
    if end == 1:
        raise PositionError("position fen: expected a FEN, as in 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
    return " ".join(words[1:end]), moves


def parse_setoption(words: list[str]) -> tuple[str, str]:
    """Parse the words after `setoption`: name and value, both of which may contain spaces."""
    if words[:1] != ["name"]:
        return "", ""
    end = words.index("value") if "value" in words else len(words)
    return " ".join(words[1:end]), " ".join(words[end + 1 :])
