"""What a chess program is told in the Universal Chess Interface, read word by word (Huber and Meyer-Kahlen 2000).

    position [startpos | fen FEN] [moves MOVE ...]
    go [searchmoves MOVE ...] [ponder] [infinite] [wtime MS] [btime MS] [winc MS] [binc MS] [movestogo N]
       [depth N] [nodes N] [mate N] [movetime MS] [perft N]
    setoption name NAME [value VALUE]

Words that nobody knows are told and passed over, as the protocol wants it.
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
class Asked:
    """What `go` asks for. Times in milliseconds, as they were written; None: nothing was said of it."""

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
    #: What could not be understood, in words.
    unknown: list[str] = field(default_factory=list)


def read_go(words: list[str]) -> Asked:
    """What the words behind `go` ask for."""
    asked = Asked()
    rest: Iterator[str] = iter(words)
    word = next(rest, None)
    while word is not None:
        following = next(rest, None)
        if word in ("ponder", "infinite"):
            setattr(asked, word, True)
        elif word == "searchmoves":
            while following is not None and following not in (*_NUMBERS, "ponder", "infinite", "searchmoves"):
                asked.searchmoves.append(following)
                following = next(rest, None)
        elif word not in _NUMBERS:
            asked.unknown.append(f"go: {quoted(word)} is not known, and passed over")
        elif following is None or not _NUMBER.fullmatch(following):
            asked.unknown.append(f"go: {word} needs a number")
        else:
            setattr(asked, word, int(following))
            following = next(rest, None)
        word = following
    return asked


def read_position(words: list[str]) -> tuple[str, list[str]]:
    """The start that the words behind `position` name, a FEN or nothing, and the moves. Raises `PositionError`."""
    if not words or words[0] not in ("startpos", "fen"):
        raise PositionError("position: expected startpos or fen FEN, and moves if there are any")
    end = words.index("moves") if "moves" in words else len(words)
    moves = words[end + 1 :]
    if words[0] == "startpos":
        if end > 1:
            raise PositionError(f"position startpos: expected moves, not {quoted(words[1])}")
        return "", moves
    if end == 1:
        raise PositionError("position fen: expected a FEN, as in 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1")
    return " ".join(words[1:end]), moves


def read_option(words: list[str]) -> tuple[str, str]:
    """The name and the value that the words behind `setoption` give; both may have blanks."""
    if words[:1] != ["name"]:
        return "", ""
    end = words.index("value") if "value" in words else len(words)
    return " ".join(words[1:end]), " ".join(words[end + 1 :])
