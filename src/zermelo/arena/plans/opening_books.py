"""Openings from a Polyglot book of chess: random walks that choose each move with probability proportional to weight.

    book:book.bin                       8 plies, or until the book has no move
    book:book.bin,plies=12              12 plies

The seed determines the openings. An opening is repeated only if no other is found.
"""

from __future__ import annotations

import random
from bisect import bisect
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from zermelo.arena.game_course import seed_of
from zermelo.arena.plans.opening import MAX_TRIES, Opening, parse_settings
from zermelo.core.game import State
from zermelo.core.history import PositionHistory, utility_by_rule
from zermelo.errors import FormatError, LimitError

if TYPE_CHECKING:
    from zermelo.arena.plans.plan import Plan
    from zermelo.formats.polyglot import Book
    from zermelo.games.chess import Chess

#: Default length of the openings, in plies.
PLIES = 8
# Cached positions: walks share most of their first positions.
_CACHE_SIZE = 100_000


@dataclass(frozen=True)
class OpeningBook:
    """A Polyglot book and the maximum number of plies to play from it."""

    path: Path
    plies: int = PLIES

    @classmethod
    def parse(cls, text: str) -> OpeningBook:
        """Parse `PATH[,plies=N]`. Raises `LimitError`."""
        path, plies, order = parse_settings("book", text)
        if order is not None:
            raise LimitError(f"openings book:{path}: order={order} does not apply to a book; leave it out")
        return cls(Path(path), plies or PLIES)


def read_opening_book(plan: Plan, count: int) -> list[Opening]:
    """Draw openings from a plan's book, at most `count`.

    Raises
    ------
    LimitError
        The game is not chess.
    FormatError
        The book cannot be read or has no move for the start position. The message has the file.
    """
    from zermelo import registry
    from zermelo.formats.polyglot import Book
    from zermelo.games.chess import Chess

    source = OpeningBook.parse(plan.openings.removeprefix("book:"))
    cls = registry.load(plan.game)
    if cls is not Chess:
        raise LimitError(f"openings book:{source.path}: Polyglot books are for chess, not for {cls.__name__}")
    openings: dict[State, Opening] = {}
    try:
        with Book(source.path) as book:
            walk = _Walk(book, cls.start(), seed_of("book", plan.seed))
            tries = 0
            while len(openings) < count and tries < MAX_TRIES:
                moves, end = walk.sample(source.plies)
                if not moves:
                    raise FormatError(f"book {source.path}: no move for the start position")
                tries = tries + 1 if end in openings else 0
                openings.setdefault(end, Opening("", moves))
    except FormatError as error:
        raise FormatError(f"openings {error}") from None
    return list(openings.values())


class _BookMoves(NamedTuple):
    """The book moves of a position and their cumulative weights."""

    moves: tuple[int, ...]
    cumulative: tuple[int, ...]


class _Walk:
    """Random walks through a book from the start position."""

    def __init__(self, book: Book, start: State, seed: int) -> None:
        self._start = start
        self._random = random.Random(seed)
        self._book = book
        self._book_moves = lru_cache(_CACHE_SIZE)(self._look_up)
        self._successor = lru_cache(_CACHE_SIZE)(_successor)

    def sample(self, plies: int) -> tuple[tuple[int, ...], State]:
        """Return a line of at most `plies` moves and its final state, which is not the end of the game."""
        state = self._start
        moves: list[int] = []
        history = PositionHistory([state])
        while len(moves) < plies:
            known = self._book_moves(state, moves[-1] if moves else None)
            if not known.moves:
                break
            # Only Random.random() is the same in all versions of Python.
            move = known.moves[bisect(known.cumulative, self._random.random() * known.cumulative[-1])]
            after, over = self._successor(state, move)
            if over or utility_by_rule(after, history.push(after)) is not None:
                break
            moves.append(move)
            state = after
        return tuple(moves), state

    def _look_up(self, state: State, last: int | None) -> _BookMoves:
        found = [(move, weight) for move, weight in self._book.moves(cast("Chess", state), last) if weight]
        return _BookMoves(tuple(move for move, _ in found), tuple(accumulate(weight for _, weight in found)))


def _successor(state: State, move: int) -> tuple[State, bool]:
    after = state.play(move)
    return after, after.is_over()
