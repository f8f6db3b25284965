"""Openings: where games begin. Each opening is played twice, with reversed sides.

    ""                                  the game's start position, every time
    plies=8                             8 random moves, chance events included
    plies=8,within=50,depth=4           only positions with a score within 50 of even, searched to depth 4
    chess960                            the 960 start positions of Chess960, shuffled by the seed
    file:PATH                           positions or move lines, one per line, or a file of games
    file:PATH,plies=8,order=random      at most 8 moves of each, shuffled by the seed
    book:PATH,plies=8                   8 moves from a Polyglot book, drawn by weight and seed

Openings are numbered from 0. The same plan has the same openings on every machine.
"""

from __future__ import annotations

import random
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from zermelo._util.text import quoted
from zermelo.arena.game_course import seed_of
from zermelo.arena.plans.formats import format_of
from zermelo.arena.plans.opening import MAX_TRIES, Opening, shuffle
from zermelo.arena.plans.opening_books import OpeningBook, read_opening_book
from zermelo.arena.plans.opening_files import OpeningFile, read_opening_file
from zermelo.core.game import MAX, State
from zermelo.core.history import PositionHistory, utility_by_rule
from zermelo.core.move_numbers import number_of
from zermelo.errors import LimitError

if TYPE_CHECKING:
    from zermelo.arena.plans.plan import Plan

#: Maximum number of random plies.
MAX_PLIES = 1_000
#: Default and maximum depth of the search that filters openings, in plies.
DEPTH, MAX_DEPTH = 4, 20
#: Sources that are read once: a plan holds the openings that it needs.
READERS = {"file:": read_opening_file, "book:": read_opening_book}

_SYNTAX = "plies=N, plies=N,within=SCORE,depth=N, chess960, file:PATH, book:PATH or start"


class Openings(ABC):
    """The openings of a tournament. `note` is a message for the user, or empty."""

    note: str = ""

    @abstractmethod
    def at(self, index: int) -> Opening:
        """Return an opening by its number, from 0; after the last opening the first one follows again."""

    @property
    def count(self) -> int | None:
        """The number of different openings; None if there is no known limit."""
        return None


def openings_for(plan: Plan) -> Openings:
    """Return the openings of a plan. Raises `LimitError` if its `openings` text is invalid."""
    text = plan.openings.strip()
    if text.startswith(tuple(READERS)):
        return OpeningList([Opening.from_text(line) for line in plan.opening_lines], _needed(plan))
    if not text:
        return OpeningList([Opening()], 1)
    if text == "chess960":
        return OpeningList(_chess960(plan), _needed(plan))
    settings = RandomMoves.parse(text)
    from zermelo import registry

    return RandomOpenings(registry.load(plan.game), settings, plan.seed)


def check_openings(text: str) -> None:
    """Check what does not depend on the game: the syntax, and that a file or book can be opened.

    Raises `FileError`, `FormatError` and `LimitError`.
    """
    text = text.strip()
    if text.startswith("file:"):
        OpeningFile.parse(text.removeprefix("file:")).stream().close()
    elif text.startswith("book:"):
        from zermelo.formats.polyglot import Book

        Book(OpeningBook.parse(text.removeprefix("book:")).path).close()
    elif text not in ("", "chess960"):
        RandomMoves.parse(text)


def read_opening_lines(plan: Plan) -> tuple[str, ...]:
    """Read the openings of a plan's file or book, as many as it needs, as texts to store; () for other sources.

    Raises `FileError`, `FormatError` and `LimitError`, with the file and the line.
    """
    for prefix, read in READERS.items():
        if plan.openings.startswith(prefix):
            return tuple(opening.to_text() for opening in read(plan, _needed(plan)))
    return ()


def _needed(plan: Plan) -> int:
    return format_of(plan).opening_count


class OpeningList(Openings):
    """A list of openings, repeated from the start when it is used up."""

    def __init__(self, openings: list[Opening], needed: int) -> None:
        if not openings:
            raise LimitError("the list of openings is empty")
        self._openings = openings
        if len(openings) < needed:
            self.note = f"{len(openings):,} openings for {needed:,} game pairs: openings are repeated"

    def at(self, index: int) -> Opening:
        return self._openings[index % len(self._openings)]

    @property
    def count(self) -> int | None:
        return len(self._openings)


# ---- random moves -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RandomMoves:
    """Settings of random openings.

    Attributes
    ----------
    plies : int
        Number of random plies, 1 to 1,000.
    within : int or None
        Maximum distance of the score from even, in units of the game's first evaluation; None: any.
    depth : int
        Depth of the search that finds the score, 1 to 20 plies.
    seed : int or None
        Seed of the openings; None: that of the tournament.
    """

    plies: int
    within: int | None = None
    depth: int = DEPTH
    seed: int | None = None

    @classmethod
    def parse(cls, text: str) -> RandomMoves:
        """Parse `plies=8,within=50,depth=4,seed=5`. Raises `LimitError`."""
        given: dict[str, int] = {}
        for part in filter(None, (part.strip() for part in text.split(","))):
            name, equals, value = part.partition("=")
            where = f"openings {quoted(text)}" + (f": {quoted(part)}" if part != text.strip() else "")
            if not equals or name not in cls.__dataclass_fields__ or name in given:
                raise LimitError(f"{where}; expected {_SYNTAX}")
            if not re.fullmatch(r"[0-9]{1,9}", value):
                raise LimitError(f"{where}; expected a whole number, as in plies=8")
            given[name] = int(value)
        if not 1 <= given.get("plies", 0) <= MAX_PLIES:
            raise LimitError(f"openings {quoted(text)}: expected plies=N with N between 1 and {MAX_PLIES:,}")
        if "depth" in given and "within" not in given:
            raise LimitError(f"openings {quoted(text)}: depth= needs within=")
        if not 1 <= given.get("depth", DEPTH) <= MAX_DEPTH:
            raise LimitError(f"openings {quoted(text)}: depth must be between 1 and {MAX_DEPTH}")
        return cls(**given)

    def __str__(self) -> str:
        return f"plies={self.plies}" + ("" if self.within is None else f",within={self.within},depth={self.depth}")


class RandomOpenings(Openings):
    """Random legal moves from the game's start: no finished games, and no position twice while others are found."""

    def __init__(self, cls: type[State], settings: RandomMoves, seed: int) -> None:
        self.cls = cls
        self.settings = settings
        self._random = random.Random(seed_of("openings", seed if settings.seed is None else settings.seed))
        self._found: list[Opening] = []
        self._seen: set[State] = set()
        self._is_exhausted = False

    @property
    def count(self) -> int | None:
        return len(self._found) if self._is_exhausted else None

    def at(self, index: int) -> Opening:
        while len(self._found) <= index and not self._is_exhausted:  # in order: each must differ from those before
            self._find_next()
        return self._found[index % len(self._found)]

    def _find_next(self) -> None:
        """Append one more opening, or mark the source as exhausted."""
        too_short = 0
        for _ in range(MAX_TRIES):
            state, moves = self._walk()
            if state is None:
                too_short += 1
            elif state not in self._seen:
                self._seen.add(state)
                if self._is_even(state):
                    self._found.append(Opening("", moves))
                    return
        if not self._found:
            plies = self.settings.plies
            why = f"the game ends before {plies} plies" if too_short == MAX_TRIES else "no score is within the limit"
            raise LimitError(
                f"openings {self.settings}: {why} in {MAX_TRIES} attempts; use fewer plies or a larger within="
            )
        self._is_exhausted = True
        self.note = f"only {len(self._found):,} different openings found: openings are repeated"

    def _walk(self) -> tuple[State | None, tuple[int, ...]]:
        """Return a random line of moves and its final state; None if the game ends on the way."""
        state: State = self.cls.start()
        moves: list[int] = []
        history = PositionHistory([state])
        while len(moves) < self.settings.plies:
            legal = state.legal_moves()
            if not legal:
                return None, ()
            # Only Random.random() is the same in all versions of Python.
            move = legal[int(self._random.random() * len(legal))]
            moves.append(number_of(state, move))
            state = state.play(move)
            if utility_by_rule(state, history.push(state)) is not None:
                return None, ()
        return (None, ()) if state.is_over() else (state, tuple(moves))

    def _is_even(self, state: State) -> bool:
        if self.settings.within is None:
            return True
        from zermelo.search.engine import Engine

        # A new table for each position: the score must not depend on earlier searches.
        *_, found = Engine("1M").analysis(state, depth=self.settings.depth)
        return abs(found.score.number) <= self.settings.within and not found.score.is_proven


# ---- chess960 -----------------------------------------------------------------------------------------------------


def chess960(number: int) -> str:
    """Return a Chess960 start position as a FEN.

    Parameters
    ----------
    number : int
        Scharnagl's number of the position, 0 to 959; 518 is the start position of chess.

    Raises
    ------
    LimitError
        The number is out of range.
    """
    if not 0 <= number < 960:
        raise LimitError(f"the number of a Chess960 position must be between 0 and 959 (got {number})")
    rank = [""] * 8
    rest, light = divmod(number, 4)
    rest, dark = divmod(rest, 4)
    knights, queen = divmod(rest, 6)
    rank[2 * light + 1] = rank[2 * dark] = "b"
    rank[_empty(rank)[queen]] = "q"
    pairs = [(one, two) for one in range(5) for two in range(one + 1, 5)]
    for square in [_empty(rank)[index] for index in pairs[knights]]:
        rank[square] = "n"
    for square, piece in zip(_empty(rank), "rkr", strict=True):
        rank[square] = piece
    row = "".join(rank)
    return f"{row}/pppppppp/8/8/8/8/PPPPPPPP/{row.upper()} w KQkq - 0 1"


def _empty(rank: list[str]) -> list[int]:
    return [square for square, piece in enumerate(rank) if not piece]


def _chess960(plan: Plan) -> list[Opening]:
    from zermelo import registry

    cls = registry.load(plan.game)
    if cls.__name__ != "Chess" or cls.start().to_move() != MAX:
        raise LimitError(f"openings 'chess960' need chess, not {cls.__name__}; expected {_SYNTAX}")
    numbers = list(range(960))
    shuffle(numbers, seed_of("chess960", plan.seed))
    return [Opening(chess960(number)) for number in numbers]
