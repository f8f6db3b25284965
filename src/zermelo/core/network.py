"""Network evaluations: one hidden layer over the pieces on a board, seen by both sides, updated with each move.

A game's author declares sets of squares, the planes, and how many hidden units look at them:

    @evaluation
    class Pieces(Network):
        plane_count = 4
        hidden = 32
        flip = 63

        def planes(self, state):
            white, black = state.white, state.black
            return state.men & white, state.kings & white, state.men & black, state.kings & black

Each square of each plane is an input, 0 or 1. The network sees a state twice, as each side does. MIN's view has the two
halves of the planes exchanged, and square `s` is `s ^ flip`: 56 turns a board of 8 x 8 upside down, 63 turns it around.

    inputs       plane 0 | plane 1 | ...      one row of `input_weights` for each square of each plane
    accumulator  view of MAX | view of MIN    `hidden` sums of rows each, and of the biases
    hidden layer view of the side to move | view of the other side      SCReLU: clamp(x, 0, 1) ** 2
    output       a row of `output_weights` for the stage of the game; for the side to move

All numbers are fixed-point ints: 1 is 255 in the first layer and 64 in the second, in accumulators of 16 bits. In those
of 32 bits it is 16,384 and 2,048, for scores that are averaged over chance events. A move changes few inputs, and each
of them is a row of the first layer that is added to or subtracted from the accumulator.

References
----------
- Y. Nasu, "Efficiently Updatable Neural-Network-based Evaluation Functions for Computer Shogi", 2018.
- https://www.chessprogramming.org/NNUE
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple, Self

from zermelo.core.accumulator import Accumulator, Incremental, new_accumulator
from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import Term, evaluation, rounded_div
from zermelo.core.game import MIN
from zermelo.core.hooks import interpreted
from zermelo.core.layers import add_row, exchange_rows, rounded_squared_sum, squared_sum, subtract_row
from zermelo.core.value import Int16Weights, Int32Weights
from zermelo.errors import GameError

#: 1 in the first layer, with accumulators of 16 bits. The square of a hidden unit, at most 255 * 255, fits 16 bits.
INPUT_ONE = 255
#: 1 in the second layer.
OUTPUT_ONE = 64
#: The same with accumulators of 32 bits. The square of a hidden unit fits 32 bits; its highest 12 are used, so that the
#: sums of the second layer fit too.
FINE_INPUT_ONE = 1 << 14
FINE_OUTPUT_ONE = 1 << 11
FINE_SQUARE_ONE = 1 << 12
_FINE_SHIFT = 16


class _Precision(NamedTuple):
    """1 in the first layer, in the second, as the square of a hidden unit and in the bias of the output."""

    first: int
    second: int
    square: int
    bias: int


#: By the bits of an accumulator.
_PRECISIONS = {
    16: _Precision(INPUT_ONE, OUTPUT_ONE, INPUT_ONE * INPUT_ONE, INPUT_ONE * OUTPUT_ONE),
    32: _Precision(FINE_INPUT_ONE, FINE_OUTPUT_ONE, FINE_SQUARE_ONE, FINE_SQUARE_ONE * FINE_OUTPUT_ONE),
}
# The largest sum of the second layer.
_LARGEST_OUTPUT = (1 << 31) - 1


@evaluation
class Network(Incremental):
    """A network with one hidden layer. Make one of trained weights by `from_floats`.

    Parameters
    ----------
    input_weights : Int16Weights, shape (plane_count * squares, hidden)
        The first layer: a row for each input.
    hidden_bias : Int16Weights, shape (hidden,)
        The biases of the hidden units.
    output_weights : Int16Weights, shape (stages, 2 * hidden)
        The second layer: a row for each stage, for the hidden units of the side to move and of the other side.
    output_bias : Int32Weights, shape (stages,)
        The biases of the output, with 255 * 64 as 1, or 4,096 * 2,048.
    """

    # Of the class itself; `__init_subclass__` gives each subclass its own.
    accumulator_size = 64
    accumulator_bits = 16

    #: The number of sets of squares that `planes` returns: an even number, those of MAX first.
    plane_count = 2
    #: The number of squares in a plane.
    squares = 64
    #: The number of hidden units for each side's view, a multiple of 16.
    hidden = 32
    #: Square `s` is `s ^ flip` as MIN sees the board.
    flip = 0
    #: If not 0, a board with `s ^ mirror` for each square `s` is about as good: 7 exchanges the columns of a board of
    #: 8 x 8. Training then learns from each position and its mirror image.
    mirror = 0
    #: The largest number of inputs that are 1 in any state. It bounds the sums of 16 bits.
    most_inputs = 64
    #: The number of stages of the game with output weights of their own.
    stages = 1
    #: The score of an output of 1.
    output_scale = 400
    #: Bonus for the side to move, in units of the score. If it is set, the rest of the score does not depend on the
    #: side to move: the second half of each row of `output_weights` is the first half, negated. Without it, games with
    #: blunders teach a network a large bonus, since the side to move can often win material. That misleads quiescence
    #: search, which compares positions with different sides to move.
    move_bonus: ClassVar[int | None] = None
    #: The name of each plane, for explanations.
    plane_names: ClassVar[tuple[str, ...]] = ()
    #: Planes whose pieces are always on the board, as kings are: explanations do not take them away.
    permanent_planes: ClassVar[tuple[int, ...]] = ()

    input_weights: Int16Weights
    hidden_bias: Int16Weights
    output_weights: Int16Weights
    output_bias: Int32Weights

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "fields" not in vars(cls):  # the class as written; the decorator makes another
            _check_declaration(cls)
            cls.accumulator_size = 2 * cls.hidden

    def planes(self, state: Any) -> tuple[Bitboard, ...]:
        """The sets of squares that the network looks at: those of MAX, then those of MIN."""
        return Bitboard(0), Bitboard(0)

    def stage(self, state: Any) -> int:
        """The stage of the game, 0 .. stages - 1."""
        return 0

    def is_known(self, state: Any) -> bool:
        """Whether the score is known without the layers, as from a table. `learn GAME fit` leaves such states out."""
        return False

    def start_accumulator(self, state: Any, accumulator: Accumulator) -> None:
        for unit in range(2 * self.hidden):
            accumulator[unit] = 0
        add_row(accumulator, 0, self.hidden_bias, self.hidden)
        add_row(accumulator, self.hidden, self.hidden_bias, self.hidden)
        planes = self.planes(state)
        for plane in range(len(planes)):
            for square in planes[plane]:
                self.add_input(accumulator, plane, square)

    def update_accumulator(self, accumulator: Accumulator, parent: Any, move: int, child: Any) -> None:
        before = self.planes(parent)
        after = self.planes(child)
        for plane in range(len(before)):
            if before[plane] == after[plane]:
                continue
            gone = before[plane] & ~after[plane]
            come = after[plane] & ~before[plane]
            while gone and come:  # a piece moves: one pass over the accumulator
                self.move_input(accumulator, plane, gone.first(), come.first())
                gone = gone.rest()
                come = come.rest()
            while gone:
                self.subtract_input(accumulator, plane, gone.first())
                gone = gone.rest()
            while come:
                self.add_input(accumulator, plane, come.first())
                come = come.rest()

    def rows(self, plane: int, square: int) -> tuple[int, int]:
        """The rows of an input in the view of MAX and in that of MIN."""
        other = plane + self.plane_count // 2
        if other >= self.plane_count:
            other -= self.plane_count
        return plane * self.squares + square, other * self.squares + (square ^ self.flip)

    def add_input(self, accumulator: Accumulator, plane: int, square: int) -> None:
        """Add the rows of an input that becomes 1, in both views."""
        first, second = self.rows(plane, square)
        add_row(accumulator, 0, self.input_weights[first], self.hidden)
        add_row(accumulator, self.hidden, self.input_weights[second], self.hidden)

    def subtract_input(self, accumulator: Accumulator, plane: int, square: int) -> None:
        """Subtract the rows of an input that becomes 0, in both views."""
        first, second = self.rows(plane, square)
        subtract_row(accumulator, 0, self.input_weights[first], self.hidden)
        subtract_row(accumulator, self.hidden, self.input_weights[second], self.hidden)

    def move_input(self, accumulator: Accumulator, plane: int, origin: int, target: int) -> None:
        """Exchange the rows of two inputs of a plane, in both views."""
        gone, other_gone = self.rows(plane, origin)
        come, other_come = self.rows(plane, target)
        weights = self.input_weights
        exchange_rows(accumulator, 0, weights[gone], weights[come], self.hidden)
        exchange_rows(accumulator, self.hidden, weights[other_gone], weights[other_come], self.hidden)

    def side(self, state: Any) -> int:
        """The side whose view comes first: the side to move. At chance events of a game, the side that moves next."""
        return int(state.to_move())

    def accumulated_score(self, state: Any, accumulator: Accumulator) -> int:
        side = self.side(state)
        score = self.side_score(state, accumulator, side)
        return -score if side == MIN else score

    def side_score(self, state: Any, accumulator: Accumulator, side: int) -> int:
        """The score for a side, as if it were to move."""
        stage = self.stage(state)
        own = self.hidden if side == MIN else 0
        other = self.hidden - own
        count = self.hidden
        weights = self.output_weights[stage]
        if self.accumulator_bits == 16:
            output = INPUT_ONE * int(self.output_bias[stage])
            output += squared_sum(accumulator, own, weights, 0, count, INPUT_ONE)
            output += squared_sum(accumulator, other, weights, count, count, INPUT_ONE)
            one = INPUT_ONE * INPUT_ONE * OUTPUT_ONE
        else:
            output = int(self.output_bias[stage])
            output += rounded_squared_sum(accumulator, own, weights, 0, count, FINE_INPUT_ONE, _FINE_SHIFT)
            output += rounded_squared_sum(accumulator, other, weights, count, count, FINE_INPUT_ONE, _FINE_SHIFT)
            one = FINE_SQUARE_ONE * FINE_OUTPUT_ONE
        score = rounded_div(output * self.output_scale, one)
        return max(1 - self.largest_score, min(score, self.largest_score - 1))

    def read_inputs(self, state: Any, row: Any) -> tuple[int, int]:
        """Fill a row with the inputs that are 1 as `side` sees them, then with -1; return the stage and the side."""
        count = 0
        side = self.side(state)
        planes = self.planes(state)
        for plane in range(len(planes)):
            for square in planes[plane]:
                own, other = self.rows(plane, square)
                row[count] = other if side == MIN else own
                count += 1
        if count < len(row):
            row[count] = -1
        return self.stage(state), side

    def problem(self, state: Any) -> str:
        planes, stage = self.planes(state), self.stage(state)
        if not 0 <= stage < self.stages:
            return f"stage returned {stage}; it must be in 0 .. {self.stages - 1}"
        if len(planes) != self.plane_count:
            return f"planes returned {len(planes)} sets of squares; plane_count is {self.plane_count}"
        for plane in planes:
            if plane and plane.last() >= self.squares:
                return f"planes has square {plane.last()}; squares is {self.squares}"
        if (count := sum(plane.count() for plane in planes)) > self.most_inputs:
            return f"planes has {count} squares in all; most_inputs is {self.most_inputs}"
        return ""

    def terms(self, state: Any) -> list[Term]:
        """What each input adds: the score less the score without it. The last term is the rest of the score."""
        listed = []
        for plane, square, added in self.contributions(state):
            sides = (1, 0) if plane < self.plane_count // 2 else (0, 1)
            name = f"{self.plane_names[plane] if self.plane_names else plane} {self.square_name(square)}"
            listed.append(Term(name, *sides, (added * (sides[0] - sides[1]),), added))
        return [*listed, Term("rest", None, None, (), self.score(state) - sum(int(term.points) for term in listed))]

    @interpreted
    def contributions(self, state: Any) -> list[tuple[int, int, int]]:
        """The plane and the square of each input that is 1, and the score less the score without it.

        Those of permanent pieces are left out.
        """
        accumulator = new_accumulator(self)
        self.start_accumulator(state, accumulator)
        score = self.accumulated_score(state, accumulator)
        found = []
        for plane, squares in enumerate(self.planes(state)):
            if plane in self.permanent_planes:
                continue
            for square in squares:
                self.subtract_input(accumulator, plane, square)
                found.append((plane, int(square), score - self.accumulated_score(state, accumulator)))
                self.add_input(accumulator, plane, square)
        return found

    @classmethod
    def square_name(cls, square: int) -> str:
        """The name of a square in explanations: a1 is square 0 on a board of 8 x 8, others have their numbers."""
        return f"{'abcdefgh'[square % 8]}{square // 8 + 1}" if cls.squares == 64 else str(square)

    @interpreted
    def contribution_board(self, state: Any) -> str:
        """The contributions on a board of 8 x 8, row 8 first; empty for other boards."""
        if self.squares != 64:
            return ""
        cells = dict.fromkeys(range(64), "·")
        cells |= {square: f"{added:+d}" for _, square, added in self.contributions(state)}
        width = max(map(len, cells.values()))
        rows = [
            f"{row + 1}  " + "  ".join(cells[8 * row + column].rjust(width) for column in range(8))
            for row in range(7, -1, -1)
        ]
        return "\n".join([*rows, "   " + "  ".join(name.rjust(width) for name in "abcdefgh")])

    # ---- weights ---------------------------------------------------------------------------------------------

    @classmethod
    def shapes(cls) -> dict[str, tuple[int, ...]]:
        """The shape of each array of weights, by the name of its field."""
        return {
            "input_weights": (cls.plane_count * cls.squares, cls.hidden),
            "hidden_bias": (cls.hidden,),
            "output_weights": (cls.stages, 2 * cls.hidden),
            "output_bias": (cls.stages,),
        }

    @classmethod
    def tables(cls) -> dict[str, Any]:
        """The arrays of a subclass's other fields, which are computed, not trained."""
        return {}

    @classmethod
    def with_weights(cls) -> Self:
        """A network of zeros, before the first training."""
        import numpy as np

        return cls.from_floats({name: np.zeros(shape) for name, shape in cls.shapes().items()})

    @interpreted
    def weight_arrays(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.shapes()}

    @classmethod
    def balanced(cls, output_weights: Any) -> Any:
        """The nearest output weights whose second half is the first, negated; unchanged without a `move_bonus`."""
        if cls.move_bonus is None:
            return output_weights
        own = (output_weights[:, : cls.hidden] - output_weights[:, cls.hidden :]) / 2
        result = output_weights * 0
        result[:, : cls.hidden] = own
        result[:, cls.hidden :] = -own
        return result

    @classmethod
    def from_floats(cls, arrays: dict[str, Any]) -> Self:
        """Quantise trained weights.

        Parameters
        ----------
        arrays : dict of array of float
            The weights in units of 1, by the names and in the shapes of `shapes`. If the network has a `move_bonus`,
            the output weights are `balanced` and the bias of the output is the bonus.

        Raises
        ------
        GameError
            If an array is missing or has a wrong shape, or sums of its weights can overflow.
        """
        import numpy as np

        ones = cls._ones()
        if cls.move_bonus is not None and set(arrays) == set(cls.shapes()):
            bias = np.full(cls.stages, cls.move_bonus / cls.output_scale)
            arrays = {**arrays, "output_weights": cls.balanced(arrays["output_weights"]), "output_bias": bias}
        rounded = {name: np.rint(np.asarray(array) * ones.get(name, 1)) for name, array in arrays.items()}
        return cls._checked({name: array.astype(np.int64) for name, array in rounded.items()})

    @interpreted
    def to_floats(self) -> dict[str, Any]:
        """The weights in units of 1: the inverse of `from_floats`, but for its rounding."""
        ones = self._ones()
        return {name: array / ones[name] for name, array in self.weight_arrays().items()}

    @classmethod
    def _ones(cls) -> dict[str, int]:
        """1 in each array of weights."""
        one = _PRECISIONS[cls.accumulator_bits]
        return dict(zip(cls.shapes(), (one.first, one.first, one.second, one.bias), strict=True))

    @classmethod
    def from_weight_arrays(cls, arrays: dict[str, Any]) -> Self:
        return cls._checked(arrays)

    @classmethod
    def _checked(cls, arrays: dict[str, Any]) -> Self:
        """Make a network of quantised weights whose sums cannot overflow."""
        import numpy as np

        shapes = cls.shapes()
        if set(arrays) != set(shapes):
            raise GameError(f"{cls.__name__} has the arrays {', '.join(shapes)} (got {', '.join(arrays)})")
        for name, shape in shapes.items():
            if arrays[name].shape != shape or arrays[name].dtype.kind != "i":
                raise GameError(
                    f"{cls.__name__}: {name} must be ints of shape {shape} (got {arrays[name].dtype} "
                    f"{arrays[name].shape})"
                )
        inputs, bias = (np.abs(arrays[name].astype(np.int64)) for name in ("input_weights", "hidden_bias"))
        largest = np.sort(inputs, axis=0)[-cls.most_inputs :].sum(axis=0) + bias
        largest_sum = (1 << cls.accumulator_bits - 1) - 1
        if largest.max() > largest_sum:
            raise GameError(
                f"{cls.__name__}: {cls.most_inputs} weights of hidden unit {largest.argmax()} and its bias add up to "
                f"{largest.max()}; their sum must be at most {largest_sum}"
            )
        products = np.abs(arrays["output_weights"].astype(np.int64)).sum(axis=1)
        products *= _PRECISIONS[cls.accumulator_bits].square
        if products.max() > _LARGEST_OUTPUT or np.abs(arrays["output_bias"].astype(np.int64)).max() > _LARGEST_OUTPUT:
            raise GameError(f"{cls.__name__}: sums of the output weights do not fit 32 bits")
        return cls(**arrays, **cls.tables())


def _check_declaration(cls: Any) -> None:
    """Refuse what the search cannot use."""
    name = cls.__name__
    if cls.plane_count < 2 or cls.plane_count % 2:
        raise GameError(f"{name}.plane_count is {cls.plane_count}; it must be even: MIN's planes are the second half")
    if cls.hidden % 16 or not 16 <= cls.hidden <= 512:
        raise GameError(f"{name}.hidden is {cls.hidden}; it must be a multiple of 16 in 16 .. 512")
    if any(square ^ cls.flip >= cls.squares for square in range(cls.squares)):
        raise GameError(f"{name}.flip is {cls.flip}; it must exchange the squares 0 .. {cls.squares - 1}")
    if any(square ^ cls.mirror >= cls.squares for square in range(cls.squares)):
        raise GameError(f"{name}.mirror is {cls.mirror}; it must exchange the squares 0 .. {cls.squares - 1}")
    if cls.plane_names and len(cls.plane_names) != cls.plane_count:
        raise GameError(f"{name} has {len(cls.plane_names)} plane_names; plane_count is {cls.plane_count}")
