"""Parsers of the UCI commands that an engine receives.

    position [startpos | fen FEN] [moves MOVE ...]
    go [searchmoves MOVE ...] [ponder] [infinite] [wtime MS] [btime MS] [winc MS] [binc MS] [movestogo N]
       [depth N] [nodes N] [mate N] [movetime MS] [perft N]
    setoption name NAME [value VALUE]

Unknown words are reported and ignored, as the protocol requires.

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

_NUMBERS = (
    "wtime", "btime", "winc", "binc", "movestogo", "depth", "nodes", "mate", "movetime", "perft"
)  # fmt: skip
_NUMBER = re.compile(r"-?[0-9]{1,15}")


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
            while following is not None and following not in (*_NUMBERS, "ponder", "infinite", "searchmoves"):
                go.searchmoves.append(following)
                following = next(rest, None)
        elif word not in _NUMBERS:
            go.warnings.append(f"go: unknown parameter {quoted(word)} ignored")
        elif following is None or not _NUMBER.fullmatch(following):
            go.warnings.append(f"go: {word} expects an integer")
        else:
            setattr(go, word, int(following))
            following = next(rest, None)
        word = following
    return go


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
