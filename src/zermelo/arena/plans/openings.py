"""Where games begin: each opening is played twice, with the sides changed.

    ""                                  the game's start, each time
    plies=8                             so many random legal moves, of chance too; another row for another seed
    plies=8,within=50,depth=4           only such that a search to that depth finds within 50 of even
    chess960                            the 960 starts of chess960, in an order by the seed
    file:PATH                           positions or lines of moves, one a line, or a file of games
    file:PATH,plies=8,order=random      no more than 8 moves of each, in an order by the seed
    book:PATH,plies=8                   so many moves by the weights of a Polyglot book, chosen by the seed

Openings are numbered from 0; the same plan has the same openings, on every machine.
"""

from __future__ import annotations

import random
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING

from zermelo._util.text import quoted
from zermelo.arena.referee import seed_of
from zermelo.core.game import MAX, State
from zermelo.core.history import PositionHistory, can_claim_draw
from zermelo.errors import LimitError

if TYPE_CHECKING:
    from zermelo.arena.plans.plan import Plan

#: The most random plies.
MOST_PLIES = 1_000
#: So many tries for an opening that there was not before, and for one that is even enough.
TRIES = 200
#: How deep even openings are searched, if nothing else is said, and at most.
DEPTH, DEEPEST = 4, 20
#: A start in the game's notation (empty: the game's own), and the moves played from there.
Opening = tuple[str, tuple[int, ...]]

_FORMS = "plies=N, plies=N,within=SCORE,depth=N, chess960, file:PATH or book:PATH"
#: Openings that are read from a file, once: a plan keeps those that it needs.
READ = ("file:", "book:")


class Openings(ABC):
    """The openings of a tournament. `note`: what whoever plays it should know of them, or nothing."""

    note: str = ""

    @abstractmethod
    def at(self, index: int) -> Opening:
        """The opening of that number, from 0; they come round again where there are no more."""

    @property
    def count(self) -> int | None:
        """How many there are before they come round again; None: as many as are asked for."""
        return None


def openings_for(plan: Plan) -> Openings:
    """The openings of a plan. Raises `LimitError` for a text that names none."""
    text = plan.openings.strip()
    if text.startswith(READ):
        return Listed([read_opening(line) for line in plan.book], needed(plan))
    if not text:
        return Listed([("", ())], 1)
    if text == "chess960":
        return Listed(_chess960(plan), needed(plan))
    given = parse_random(text)
    from zermelo import registry

    return RandomOpenings(registry.load(plan.game), given, plan.seed)


class Listed(Openings):
    """A list of openings, in its order, round and round."""

    def __init__(self, openings: list[Opening], needed: int) -> None:
        if not openings:
            raise LimitError("there are no openings; expected one at least")
        self._openings = openings
        if len(openings) < needed:
            self.note = f"{len(openings):,} openings for {needed:,} pairs of games: they come round again"

    def at(self, index: int) -> Opening:
        return self._openings[index % len(self._openings)]

    @property
    def count(self) -> int | None:
        return len(self._openings)


# ---- random moves -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class RandomMoves:
    """`plies` random moves; `within`: so far from even at most, as a search to `depth` finds, in the game's units."""

    plies: int
    within: int | None = None
    depth: int = DEPTH
    seed: int | None = None

    def __str__(self) -> str:
        return f"plies={self.plies}" + ("" if self.within is None else f",within={self.within},depth={self.depth}")


def parse_random(text: str) -> RandomMoves:
    """What `plies=8,within=50` stands for. Raises `LimitError`."""
    given: dict[str, int] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = part.partition("=")
        where = f"openings {quoted(text)}" + (f": {quoted(part)}" if part != text.strip() else "")
        if not equals or name not in RandomMoves.__dataclass_fields__ or name in given:
            raise LimitError(f"{where}; expected {_FORMS}")
        if not re.fullmatch(r"\d{1,9}", value):
            raise LimitError(f"{where}; expected a whole number, as in plies=8")
        given[name] = int(value)
    if not 1 <= given.get("plies", 0) <= MOST_PLIES:
        raise LimitError(f"openings {quoted(text)}: expected plies=N, between 1 and {MOST_PLIES:,}")
    if not 1 <= given.get("depth", DEPTH) <= DEEPEST or ("depth" in given and "within" not in given):
        raise LimitError(f"openings {quoted(text)}: depth= is from 1 to {DEEPEST}, and belongs to within=")
    return RandomMoves(**given)


class RandomOpenings(Openings):
    """Random legal moves from the game's start, never to its end, and to no position twice."""

    def __init__(self, cls: type[State], given: RandomMoves, seed: int) -> None:
        self.cls = cls
        self.given = given
        self._random = random.Random(seed_of("openings", seed if given.seed is None else given.seed))
        self._found: list[tuple[int, ...]] = []
        self._seen: set[State] = set()
        self._are_all = False

    @property
    def count(self) -> int | None:
        return len(self._found) if self._are_all else None

    def at(self, index: int) -> Opening:
        while len(self._found) <= index and not self._are_all:  # each depends on those before it: none comes twice
            self._find()
        return "", self._found[index % len(self._found)]

    def _find(self) -> None:
        """One more, or the end of them: so many tries brought nothing new."""
        over = 0
        for _ in range(TRIES):
            state, moves = self._walk()
            if state is None:
                over += 1
            elif state not in self._seen:
                self._seen.add(state)
                if self._is_even(state):
                    self._found.append(moves)
                    return
        if not self._found:
            why = f"the game is over before {self.given.plies} plies" if over == TRIES else "none was as even as that"
            raise LimitError(
                f"openings {self.given}: {why}, in {TRIES} tries; expected fewer plies, or a larger within="
            )
        self._are_all = True
        self.note = f"there seem to be {len(self._found):,} such openings: they come round again"

    def _walk(self) -> tuple[State | None, tuple[int, ...]]:
        """One row of random moves and where it leads; nowhere if the game ends on the way."""
        state: State = self.cls.start()
        moves: list[int] = []
        past = PositionHistory([state])
        while len(moves) < self.given.plies:
            legal = state.legal_moves()
            if not legal:
                return None, ()
            # Only random() is the same in all versions of Python.
            move = legal[int(self._random.random() * len(legal))]
            moves.append(move)
            state = state.play(move)
            if can_claim_draw(state, past.push(state)):
                return None, ()
        return (None, ()) if state.is_over() else (state, tuple(moves))

    def _is_even(self, state: State) -> bool:
        if self.given.within is None:
            return True
        from zermelo.search.engine import Engine

        # A table of its own each time: what is found must not depend on what was searched before.
        *_, found = Engine("1M").analysis(state, depth=self.given.depth)
        return abs(found.score.number) <= self.given.within and not found.score.is_proven


# ---- files --------------------------------------------------------------------------------------------------------


def needed(plan: Plan) -> int:
    """So many openings a plan asks for at most."""
    from zermelo.arena.plans.stages import stages_of

    return stages_of(plan).openings


def book_for(plan: Plan) -> tuple[str, ...]:
    """The openings of a plan's file or book, as many as it needs, to be kept with it. None where it names neither.

    Raises `FormatError` and `LimitError`, with the file and the line.
    """
    if not plan.openings.startswith(READ):
        return ()
    from zermelo.arena.plans import opening_books, opening_files

    read = opening_files.read_file if plan.openings.startswith("file:") else opening_books.read_book
    return tuple(write_opening(opening) for opening in read(plan, needed(plan)))


def write_opening(opening: Opening) -> str:
    """An opening as a plan keeps it: `START|MOVES`, the moves by their numbers."""
    return f"{opening[0]}|{' '.join(map(str, opening[1]))}"


def read_opening(text: str) -> Opening:
    """The inverse of `write_opening`. Raises `LimitError`."""
    start, bar, moves = text.rpartition("|")
    try:
        if bar:
            return start, tuple(map(int, moves.split()))
    except ValueError:
        pass
    raise LimitError(f"opening {quoted(text)} in a plan; expected START|MOVES")


# ---- chess960 -----------------------------------------------------------------------------------------------------


def chess960(number: int) -> str:
    """The start of chess960 of that number, 0 to 959, as a FEN; 518 is chess's own. Source: Scharnagl's numbering."""
    if not 0 <= number < 960:
        raise LimitError(f"chess960 has the starts 0 to 959, and no {number}")
    rank = [""] * 8
    rest, light = divmod(number, 4)
    rest, dark = divmod(rest, 4)
    knights, queen = divmod(rest, 6)
    rank[2 * light + 1] = rank[2 * dark] = "b"
    rank[_free(rank)[queen]] = "q"
    pairs = [(one, two) for one in range(5) for two in range(one + 1, 5)]
    for place in [_free(rank)[place] for place in pairs[knights]]:
        rank[place] = "n"
    for place, piece in zip(_free(rank), "rkr", strict=True):
        rank[place] = piece
    row = "".join(rank)
    return f"{row}/pppppppp/8/8/8/8/PPPPPPPP/{row.upper()} w KQkq - 0 1"


def _free(rank: list[str]) -> list[int]:
    return [place for place, piece in enumerate(rank) if not piece]


def _chess960(plan: Plan) -> list[Opening]:
    from zermelo import registry

    cls = registry.load(plan.game)
    if cls.__name__ != "Chess" or cls.start().to_move() != MAX:
        raise LimitError(f"openings 'chess960' are for chess, not for {cls.__name__}; expected {_FORMS}")
    numbers = list(range(960))
    shuffle(numbers, seed_of("chess960", plan.seed))
    return [(chess960(number), ()) for number in numbers]


def shuffle(items: list[int], seed: int) -> None:
    """Put numbers in an order by a seed; the same in all versions of Python."""
    dice = random.Random(seed)
    for place in range(len(items) - 1, 0, -1):
        other = int(dice.random() * (place + 1))
        items[place], items[other] = items[other], items[place]
