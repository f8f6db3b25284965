"""Pattern evaluations: weights for the contents of groups of squares (n-tuples), summed and updated with each move.

A game's author declares the patterns, how many stages have weights of their own, and the sets of squares to look at:

    @evaluation
    class Edges(Patterns):
        patterns = (symmetric(8, 8, "a1 b1 c1 d1 e1 f1 g1 h1"), symmetric(8, 8, "a1 b1 c1 a2 b2 c2 a3 b3 c3"))
        stages = 4

        def planes(self, state):
            return state.black, state.white

        def stage(self, state):
            return ((state.black | state.white).count() - 4) // 16

The contents of a pattern are a number with one digit for each of its squares: 0 for a square in no plane, p + 1 for one
in plane p. It is the index into the table of weights that all images of the pattern share:

    squares  a1 b1 c1      contents  black empty white      index  1 * 1 + 0 * 3 + 2 * 9 = 19

The accumulator holds these indices. A move changes few squares, and each of them is part of few features: a multiple of
its power of 3 is added to their indices.

`CountedPatterns` have weights for numbers too, such as how many moves a side has: a table for each, indexed by the
number. They are counted anew for each score.

    count_limits = (32, 32)

    def counts(self, state, side):
        return moves_of(state, side), moves_of(state, -side)

References
----------
- M. Buro, "Experiments with Multi-ProbCut and a New High-Quality Evaluation Function for Othello", 1997.
- S. M. Lucas, "Learning to Play Othello with N-Tuple Systems", Australian Journal of Intelligent Information Processing
  4 (2008).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

from zermelo.core.accumulator import Accumulator, Incremental
from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import evaluation, rounded_div
from zermelo.core.game import MAX, MIN
from zermelo.core.hooks import interpreted
from zermelo.core.value import Int16Weights, Int32Weights
from zermelo.errors import GameError

if TYPE_CHECKING:
    import numpy as np

#: The images of one pattern: tuples of squares, all of one length.
Pattern: TypeAlias = tuple[tuple[int, ...], ...]

# Entries in the tables of all patterns together: more would be 64 MB for each stage.
MAX_ENTRIES = 1 << 24
#: Largest weight, which has 16 bits.
LARGEST_WEIGHT = 32767


@evaluation
class Patterns(Incremental):
    """Sum of the weights of the contents of patterns. Make one with weights by `with_weights`.

    Parameters
    ----------
    weights : Int16Weights, shape (rows, entries)
        A row for each stage, of the tables of all patterns; then the rows for MIN to move, if `exchanges_sides`.
    steps : Int32Weights
        Where each feature's table begins; then for each square `most_parts` pairs of numbers: a feature that it is part
        of, and what a digit of the square adds to the index. A square of fewer features adds 0 to unused items.
    """

    # Of the class itself; each subclass has its own.
    accumulator_size = 1

    #: The patterns, each a tuple of its images.
    patterns: ClassVar[tuple[Pattern, ...]] = ()
    #: The number of sets of squares that `planes` returns.
    plane_count = 2
    #: The number of squares in a plane.
    squares = 64
    #: The number of stages of the game with weights of their own.
    stages = 1
    #: Weights that add up to one unit of the score.
    weight_unit = 128
    #: Whether the weights are those of the side to move: for MIN, the first half of the planes and the second change
    #: places, and the sum is negated.
    exchanges_sides = True
    #: For each square, the one that MIN sees in its place, if the sides look from opposite ends; by default the same.
    #: The turned squares of each pattern must be a pattern too. It has no value here, because constants of this class
    #: are part of the fingerprints of all weight files.
    turned: ClassVar[tuple[int, ...]]
    #: The number of features: the different sets of squares among the images of all patterns.
    features = 0
    #: The largest number of features that a square is part of.
    most_parts = 0

    # `turned`, or its default.
    _seen_squares: ClassVar[tuple[int, ...]] = ()
    # What `_tables` returns, once it has been called.
    _shared: ClassVar[Any] = None
    #: See `CountedPatterns`.
    count_limits: ClassVar[tuple[int, ...]] = ()

    weights: Int16Weights
    steps: Int32Weights = (0,)

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "fields" not in vars(cls):  # the class as written; the decorator makes another
            cls._seen_squares = tuple(range(cls.squares))
            if cls.patterns:
                _declare(cls)

    def planes(self, state: Any) -> tuple[Bitboard, ...]:
        """The sets of squares that the patterns look at: disjoint; those of MAX, then those of MIN."""
        return Bitboard(0), Bitboard(0)

    def stage(self, state: Any) -> int:
        """The stage of the game, 0 .. stages - 1."""
        return 0

    def counted_score(self, state: Any, row: int, side: int) -> int:
        """The sum of the weights of numbers; see `CountedPatterns`."""
        return 0

    def read_counts(self, state: Any, side: int, row: Any) -> None:
        """Fill what follows the features in a row of `read_inputs`; see `CountedPatterns`."""

    def start_accumulator(self, state: Any, accumulator: Accumulator) -> None:
        for feature in range(self.features):
            accumulator[feature] = self.steps[feature]
        planes = self.planes(state)
        for plane in range(len(planes)):
            for square in planes[plane]:
                self.add(accumulator, square, plane + 1)

    def update_accumulator(self, accumulator: Accumulator, parent: Any, move: int, child: Any) -> None:
        before = self.planes(parent)
        after = self.planes(child)
        if len(before) == 2:  # one step for a square that changes sides
            last = len(before) - 1
            for square in (before[0] ^ after[0]) | (before[last] ^ after[last]):
                digit = int(square in after[0]) - int(square in before[0])
                self.add(accumulator, square, digit + 2 * (int(square in after[last]) - int(square in before[last])))
            return
        for plane in range(len(before)):
            for square in before[plane] & ~after[plane]:
                self.add(accumulator, square, -1 - plane)
            for square in after[plane] & ~before[plane]:
                self.add(accumulator, square, plane + 1)

    def add(self, accumulator: Accumulator, square: int, digit: int) -> None:
        """Change a square's digit in the indices of the features that it is part of."""
        row = self.features + 2 * self.most_parts * square
        for part in range(self.most_parts):
            accumulator[self.steps[row + 2 * part]] += digit * self.steps[row + 2 * part + 1]

    def accumulated_score(self, state: Any, accumulator: Accumulator) -> int:
        row, side = self.stage(state), MAX
        if self.exchanges_sides and state.to_move() == MIN:
            row, side = row + self.stages, MIN
        total = 0
        for feature in range(self.features):
            # The mask: no index is negative. NumPy would add items of 16 bits in 16 bits.
            total += int(self.weights[row, accumulator[feature] & 0x7FFFFFFF])
        score = rounded_div(total + self.counted_score(state, row, side), self.weight_unit)
        return max(1 - self.largest_score, min(score, self.largest_score - 1))

    def read_inputs(self, state: Any, row: Any) -> tuple[int, int]:
        """Fill a row with the index of each feature and count as `side` sees it; return the stage and the side."""
        side = MIN if self.exchanges_sides and state.to_move() == MIN else MAX
        for feature in range(self.features):
            row[feature] = self.steps[feature]
        planes = self.planes(state)
        for plane in range(len(planes)):
            digit = (plane + len(planes) // 2) % len(planes) + 1 if side == MIN else plane + 1
            for square in planes[plane]:
                first = self.features + 2 * self.most_parts * (self._seen_squares[square] if side == MIN else square)
                for part in range(self.most_parts):
                    feature = self.steps[first + 2 * part]
                    if feature < self.features:
                        row[feature] += digit * self.steps[first + 2 * part + 1]
        self.read_counts(state, side, row)
        return self.stage(state), side

    @classmethod
    def inputs(cls) -> int:
        """The number of indices that `read_inputs` fills."""
        return cls.features + len(cls.count_limits)

    # ---- weights as they are fitted: entries that mean the same share one --------------------------------------

    @classmethod
    def with_weights(cls, weights: Any = None) -> Self:
        """Make an evaluation of fitted weights.

        Parameters
        ----------
        weights : array of int, shape (stages, weight_count())
            The weights, each in -32767 .. 32767; by default all 0.

        Raises
        ------
        GameError
            If the shape or a weight is wrong.
        """
        import numpy as np

        shape = cls.stages, cls.weight_count()
        given = np.zeros(shape, np.int16) if weights is None else np.asarray(weights)
        if given.shape != shape or given.dtype.kind not in "iu":
            raise GameError(f"{cls.__name__}: weights must be ints of shape {shape} (got {given.dtype} {given.shape})")
        if given.size and not -LARGEST_WEIGHT <= given.min() <= given.max() <= LARGEST_WEIGHT:
            raise GameError(f"{cls.__name__}: weights must be in -{LARGEST_WEIGHT} .. {LARGEST_WEIGHT}")
        packed = given.astype(np.int16, copy=False)
        shared, exchanged = cls._tables()
        rows = np.empty((cls.stages * (2 if cls.exchanges_sides else 1), len(shared)), np.int16)
        rows[: cls.stages] = packed[:, shared]
        if cls.exchanges_sides:
            rows[cls.stages :] = -packed[:, shared[exchanged]]
        rows.flags.writeable = False
        return cls(rows)

    @classmethod
    def from_weight_arrays(cls, arrays: dict[str, Any]) -> Self:
        if set(arrays) != {"weights"}:
            raise GameError(f"{cls.__name__} has the arrays weights (got {', '.join(arrays)})")
        return cls.with_weights(arrays["weights"])

    @interpreted
    def weight_arrays(self) -> dict[str, Any]:
        return {"weights": self.fitted_weights()}

    @classmethod
    def weight_count(cls) -> int:
        """The number of weights of a stage: entries that are images of each other count once."""
        return int(cls._tables()[0].max(initial=-1)) + 1

    @interpreted
    def fitted_weights(self) -> np.ndarray[Any, Any]:
        """The weights that `with_weights` takes."""
        import numpy as np

        shared, _ = self._tables()
        _, first = np.unique(shared, return_index=True)
        return self.weights[: self.stages, first]  # type: ignore[no-any-return]

    @classmethod
    def _tables(cls) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """For each entry, the number of its weight; and the entry with the planes of MAX and MIN exchanged."""
        import numpy as np

        if "_shared" not in vars(cls):
            base = cls.plane_count + 1
            begins = [0, *accumulate(base ** len(pattern[0]) for pattern in cls.patterns)]
            entries = begins[-1]
            shared: list[Any] = []
            exchanged: list[Any] = []
            weights = 0
            for pattern, (seen, order) in zip(cls.patterns, _turned_patterns(cls), strict=True):
                same = _shared_entries(pattern, base)
                shared.append(same + weights)
                weights += int(same.max()) + 1
                exchanged.append(_exchanged_entries(order, base) + begins[seen])
            counted = np.arange(sum(cls.count_limits))  # `counts` exchanges the sides
            shared.append(counted + weights)
            exchanged.append(counted + entries)
            cls._shared = np.concatenate(shared), np.concatenate(exchanged)
        return cls._shared  # type: ignore[no-any-return]

    def problem(self, state: Any) -> str:
        planes, stage = self.planes(state), self.stage(state)
        if not 0 <= stage < self.stages:
            return f"stage returned {stage}; it must be in 0 .. {self.stages - 1}"
        if len(planes) != self.plane_count:
            return f"planes returned {len(planes)} sets of squares; plane_count is {self.plane_count}"
        occupied = type(planes[0])(0)
        for plane in planes:
            if plane & occupied:
                return f"planes has square {(plane & occupied).first()} in two sets; they must be disjoint"
            occupied |= plane
        if occupied and occupied.last() >= self.squares:
            return f"planes has square {occupied.last()}; squares is {self.squares}"
        return ""


@evaluation
class CountedPatterns(Patterns):
    """Patterns with further weights that depend on numbers, such as how many moves a side has.

    Declare `counts` and `count_limits`. The tables of the numbers follow those of the patterns in each row of weights.
    """

    #: For each of `counts`, the number of its weights: larger counts have the last one.
    count_limits: ClassVar[tuple[int, ...]] = ()
    #: The number of entries of the tables of the patterns; those of `counts` follow.
    pattern_entries = 0

    def counts(self, state: Any, side: int) -> tuple[int, ...]:
        """Numbers of at least 0 that have weights of their own, as `side` sees them; as many as `count_limits`."""
        return (0,)

    def counted_score(self, state: Any, row: int, side: int) -> int:
        total, first = 0, self.pattern_entries
        counts = self.counts(state, side)
        for number in range(len(self.count_limits)):
            total += int(self.weights[row, first + min(counts[number], self.count_limits[number] - 1)])
            first += self.count_limits[number]
        return total

    def read_counts(self, state: Any, side: int, row: Any) -> None:
        first = self.pattern_entries
        counts = self.counts(state, side)
        for number in range(len(self.count_limits)):
            row[self.features + number] = first + min(counts[number], self.count_limits[number] - 1)
            first += self.count_limits[number]

    def problem(self, state: Any) -> str:
        if wrong := Patterns.problem(self, state):
            return wrong
        for side in (MAX, MIN):
            counts = self.counts(state, side)
            if len(counts) != len(self.count_limits):
                return f"counts returned {len(counts)} numbers; count_limits has {len(self.count_limits)}"
            if min(counts) < 0:
                return f"counts returned {min(counts)}; the numbers must be at least 0"
        return ""


def _declare(cls: Any) -> None:
    """Derive from a class's patterns what the search needs: the size of the accumulator and the table of steps."""
    import numpy as np

    name, base = cls.__name__, cls.plane_count + 1
    if cls.exchanges_sides and cls.plane_count % 2:
        raise GameError(
            f"{name}.plane_count is {cls.plane_count}; it must be even, or set exchanges_sides = False: MIN's planes "
            "are the second half"
        )
    features: list[tuple[tuple[int, ...], int]] = []
    entries = 0
    for number, pattern in enumerate(cls.patterns):
        if not pattern or not all(isinstance(image, tuple) for image in pattern):
            raise GameError(f"{name}.patterns[{number}] must be a tuple of images, each a tuple of squares")
        for image in pattern:
            if len(set(image)) < len(image) or len(image) != len(pattern[0]):
                raise GameError(
                    f"{name}.patterns[{number}]: the squares of {image} must differ, and be as many in each image"
                )
            if image and not 0 <= min(image) <= max(image) < cls.squares:
                raise GameError(f"{name}.patterns[{number}]: {image} has a square outside 0 .. {cls.squares - 1}")
        features += [(image, entries) for image in _different(pattern)]
        entries += base ** len(pattern[0])
        if entries > MAX_ENTRIES:
            raise GameError(f"{name}.patterns have more than {MAX_ENTRIES:,} entries; use fewer squares in a pattern")
    if hasattr(cls, "turned"):
        _check_turned(cls)
        _turned_patterns(cls)
        cls._seen_squares = cls.turned
    parts: list[list[int]] = [[] for _ in range(cls.squares)]
    for feature, (image, _) in enumerate(features):
        for place, square in enumerate(image):
            parts[square] += [feature, base**place]
    if issubclass(cls, CountedPatterns):
        if not cls.count_limits:
            raise GameError(f"{name}.count_limits is empty; extend Patterns, or declare counts")
        for number, limit in enumerate(cls.count_limits):
            if not 0 < limit <= MAX_ENTRIES:
                raise GameError(f"{name}.count_limits[{number}] is {limit}; it must be in 1 .. {MAX_ENTRIES:,}")
        cls.pattern_entries = entries
    cls.features, cls.most_parts = len(features), max(map(len, parts)) // 2
    cls.accumulator_size = cls.features + cls.most_parts
    # The loop over a square's parts has a fixed length, so that it is unrolled and no branch is mispredicted.
    steps = [first for _, first in features]
    for part in parts:
        unused = range(cls.features + len(part) // 2, cls.accumulator_size)
        steps += [*part, *(number for item in unused for number in (item, 0))]
    cls.steps = np.array(steps, np.int32)


def _different(pattern: Pattern) -> list[tuple[int, ...]]:
    """The first image of each set of squares."""
    return list({frozenset(image): image for image in reversed(pattern)}.values())[::-1]


def _shared_entries(pattern: Pattern, base: int) -> np.ndarray[Any, Any]:
    """For each entry of a pattern's table, the number of its weight.

    Two images of the same squares in another order, as a row read from either end, make entries equal.
    """
    import numpy as np

    length = len(pattern[0])
    entry = np.arange(base**length)
    digits = [entry // base**place % base for place in range(length)]
    first = {frozenset(image): image for image in reversed(pattern)}
    turned = []
    orders = {(first[frozenset(image)], image) for image in pattern}
    for order, image in sorted(each for each in orders if each[0] != each[1]):
        turned.append(sum((digits[order.index(square)] * base**place for place, square in enumerate(image)), 0 * entry))
    least = entry
    while True:  # to the least of all entries that turn into each other
        lower = least
        for each in turned:
            lower = np.minimum(lower, lower[each])
        if np.array_equal(lower, least):
            break
        least = lower
    return (np.cumsum(least == entry) - 1)[least]


def _exchanged_entries(order: tuple[int, ...], base: int) -> np.ndarray[Any, Any]:
    """For each entry of a pattern's table, the entry of the pattern that MIN sees there, with the sides exchanged.

    The digit at a place of the first entry becomes the one at place `order[place]` of the second.
    """
    import numpy as np

    entry = np.arange(base ** len(order))
    half = (base - 1) // 2
    found = 0 * entry
    for place, seen in enumerate(order):
        digit = entry // base**place % base
        found += np.where(digit == 0, 0, (digit - 1 + half) % (base - 1) + 1) * base**seen
    return found


def _check_turned(cls: type[Patterns]) -> None:
    """Raise `GameError` if `turned` is malformed."""
    name, squares = cls.__name__, set(range(cls.squares))
    if not isinstance(cls.turned, tuple) or set(cls.turned) != squares or len(cls.turned) != len(squares):
        raise GameError(f"{name}.turned must be a tuple that holds each square once, 0 .. {cls.squares - 1}")
    if not cls.exchanges_sides:
        raise GameError(f"{name}.turned needs exchanges_sides = True: only then MIN sees the board in another way")


def _turned_patterns(cls: type[Patterns]) -> list[tuple[int, tuple[int, ...]]]:
    """For each pattern, the number of the one that MIN sees on its squares, and where each square is in that one.

    Raises
    ------
    GameError
        If there is none.
    """
    if not hasattr(cls, "turned"):
        return [(number, tuple(range(len(pattern[0])))) for number, pattern in enumerate(cls.patterns)]
    found: list[tuple[int, tuple[int, ...]]] = []
    left = list(range(len(cls.patterns)))
    for number, pattern in enumerate(cls.patterns):
        turned = [tuple(cls.turned[square] for square in image) for image in _different(pattern)]
        for seen in left:
            others = cls.patterns[seen]
            orders = [
                {
                    tuple(other.index(square) for square in image)
                    for other in others
                    if frozenset(other) == frozenset(image)
                }
                for image in turned
            ]
            # Images of the same squares in another order share their weights, so each order will do.
            same = set.intersection(*orders)
            if same and len(_different(others)) == len(turned):
                found.append((seen, min(same)))
                left.remove(seen)
                break
        else:
            squares = ", ".join(map(str, turned[0]))
            raise GameError(
                f"{cls.__name__}.patterns[{number}]: MIN sees the squares {squares}; no pattern has them in this order"
            )
    return found


def symmetric(columns: int, rows: int, squares: str | Sequence[int]) -> Pattern:
    """Return the images of a group of squares under the symmetries of a board: 8 of a square board, 4 of others.

    Parameters
    ----------
    columns, rows : int
        The size of the board.
    squares : str or sequence of int
        The squares: numbers, `row * columns + column`; or names such as "a1 b1 c1", a1 being square 0.

    Examples
    --------
    >>> symmetric(3, 3, "a1 b1")[:3]
    ((0, 1), (2, 1), (6, 7))
    """
    if isinstance(squares, str):
        places = [(ord(name[0]) - ord("a"), int(name[1:]) - 1) for name in squares.split()]
    else:
        places = [(square % columns, square // columns) for square in squares]
    for column, row in places:
        if not (0 <= column < columns and 0 <= row < rows):
            raise GameError(f"symmetric: square {(column, row)} is not on a board of {columns} x {rows}")

    def images() -> Iterator[tuple[int, ...]]:
        for swap in (False, True) if columns == rows else (False,):
            for up in (False, True):
                for left in (False, True):
                    turned = [(row, column) if swap else (column, row) for column, row in places]
                    yield tuple(
                        (rows - 1 - row if up else row) * columns + (columns - 1 - column if left else column)
                        for column, row in turned
                    )

    return tuple(images())
