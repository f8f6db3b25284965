"""Openings from a book of chess: random walks through it, each move as often as its weight says.

    book:book.bin                       8 plies, or until the book has no more moves
    book:book.bin,plies=12              12 plies

The same seed has the same openings. No opening comes twice as long as others are found.
"""

from __future__ import annotations

import random
from bisect import bisect
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from zermelo.core.game import State
from zermelo.core.history import PositionHistory, can_claim_draw
from zermelo.errors import FormatError, LimitError

if TYPE_CHECKING:
    from zermelo.arena.plans.openings import Opening
    from zermelo.arena.plans.plan import Plan
    from zermelo.formats.polyglot import Book
    from zermelo.games.chess import Chess

#: How long the openings of a book are, if nothing else is said.
PLIES = 8
#: So many positions are kept with their moves: walks through a book have most of theirs in common.
_KEPT = 100_000


@dataclass(frozen=True)
class FromBook:
    """A book, and how many plies are played from it at most."""

    path: Path
    plies: int = PLIES


def parse_book(text: str) -> FromBook:
    """What `PATH,plies=12` stands for. Raises `LimitError`."""
    from zermelo.arena.plans.opening_files import parse_settings

    path, plies, order = parse_settings("book", text)
    if order is not None:
        raise LimitError(f"openings book:{path}: order={order}; a book has none, the seed and its weights choose")
    return FromBook(Path(path), plies or PLIES)


def read_book(plan: Plan, needed: int) -> list[Opening]:
    """Openings from a plan's book, no more than are needed. Raises `LimitError` and `FormatError`, with the file."""
    from zermelo import registry
    from zermelo.arena.plans.openings import TRIES
    from zermelo.arena.referee import seed_of
    from zermelo.formats.polyglot import Book
    from zermelo.games.chess import Chess

    given = parse_book(plan.openings.removeprefix("book:"))
    cls = registry.load(plan.game)
    if cls is not Chess:
        raise LimitError(f"openings book:{given.path}: Polyglot's books are for chess, not for {cls.__name__}")
    openings: dict[State, Opening] = {}
    try:
        with Book(given.path) as book:
            walk = _Walk(book, cls.start(), seed_of("book", plan.seed))
            tries = 0
            while len(openings) < needed and tries < TRIES:  # so many after one another brought nothing new
                moves, end = walk.once(given.plies)
                if not moves:
                    raise FormatError(f"book {given.path}: it has no move to play in the game's start")
                tries = tries + 1 if end in openings else 0
                openings.setdefault(end, ("", moves))
    except FormatError as error:
        raise FormatError(f"openings {error}") from None
    return list(openings.values())


class _Steps(NamedTuple):
    """The moves that a book plays in a position, and the weight of each with those before it."""

    moves: tuple[int, ...]
    sums: tuple[int, ...]


class _Walk:
    """Random walks through a book, from the game's start."""

    def __init__(self, book: Book, start: State, seed: int) -> None:
        self._start = start
        self._random = random.Random(seed)
        self._book = book
        self._steps = lru_cache(_KEPT)(self._look_up)
        self._after = lru_cache(_KEPT)(_after)

    def once(self, plies: int) -> tuple[tuple[int, ...], State]:
        """One row of moves and where it leads: so many plies at most, never to the game's end."""
        state = self._start
        moves: list[int] = []
        past = PositionHistory([state])
        while len(moves) < plies:
            steps = self._steps(state, moves[-1] if moves else None)
            if not steps.moves:
                break
            # Only random() is the same in all versions of Python.
            move = steps.moves[bisect(steps.sums, self._random.random() * steps.sums[-1])]
            after, over = self._after(state, move)
            if over or can_claim_draw(after, past.push(after)):
                break
            moves.append(move)
            state = after
        return tuple(moves), state

    def _look_up(self, state: State, last: int | None) -> _Steps:
        found = [(move, weight) for move, weight in self._book.moves(cast("Chess", state), last) if weight]
        return _Steps(tuple(move for move, _ in found), tuple(accumulate(weight for _, weight in found)))


def _after(state: State, move: int) -> tuple[State, bool]:
    """Where a move leads, and whether the game is over there."""
    after = state.play(move)
    return after, after.is_over()
