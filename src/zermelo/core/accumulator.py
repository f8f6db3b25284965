"""Accumulators: what an evaluation knows of a state, updated from move to move instead of computed again.

An evaluation declares its size, `accumulator_size` ints of `accumulator_bits` bits, and three methods:

    start_accumulator(state, accumulator)                      fill it for a state
    update_accumulator(accumulator, parent, move, child)       it is that of `parent`; make it that of `child`
    accumulated_score(state, accumulator)                      the score

`Incremental` derives `score(state)` from them. States stay pure values: the search keeps one accumulator for each ply
of its path, in a record with the fields `accumulators` and `states`, rows of `ACCUMULATOR_WORDS` and `STATE_WORDS`:

    accumulators:  | root | ply 1 | ply 2 | ...          up to the last ply where one was needed
    states:        | root | ply 1 | ply 2 | ...          interior nodes of the path

The functions below are plain Python; `zermelo.compiled.accumulators` has them in compiled code. There an accumulator is
a pointer, so its length is not known and slices do not work. An int that leaves its range wraps around; interpreted,
it raises `ValueError`.
"""

from __future__ import annotations

from collections.abc import Iterator, MutableSequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from zermelo.core.bitboard import WORD, Bitboard
from zermelo.core.evaluation import ACCUMULATOR_BYTES, Evaluation, evaluation
from zermelo.core.value import Field, Value

if TYPE_CHECKING:
    from zermelo.core.game import State

S = TypeVar("S", bound=Value)
#: The numbers of one accumulator.
Accumulator: TypeAlias = MutableSequence[int]

ACCUMULATOR_WORDS = ACCUMULATOR_BYTES * 8 // WORD
# A state of more words is not stored, and is scored from scratch. The largest of the package's games has 40.
STATE_WORDS = 128

_FORMATS = {16: "h", 32: "i"}


@evaluation
class Incremental(Evaluation):
    """Base of evaluations with an accumulator: the score of a state alone starts one from scratch."""

    def score(self, state: State) -> int:
        accumulator = new_accumulator(self)
        self.start_accumulator(state, accumulator)
        return self.accumulated_score(state, accumulator)


def new_accumulator(evaluation: Evaluation) -> Accumulator:
    """Return an accumulator of an evaluation, all zeros. In compiled code it lies on the caller's stack."""
    size, bits = evaluation.accumulator_size, evaluation.accumulator_bits
    return memoryview(bytearray(size * bits // 8)).cast("B").cast(_FORMATS[bits])  # type: ignore[call-overload,no-any-return]


def accumulator_at(record: Any, ply: int, evaluation: Evaluation) -> Accumulator:
    """Return the accumulator of a ply of the path."""
    size, bits = evaluation.accumulator_size, evaluation.accumulator_bits
    row = record.accumulators[ply * ACCUMULATOR_WORDS : (ply + 1) * ACCUMULATOR_WORDS]
    return row.cast("B").cast(_FORMATS[bits])[:size]  # type: ignore[no-any-return]


def clear_accumulator(record: Any, ply: int, evaluation: Evaluation) -> None:
    """Set the accumulator of a ply to zeros."""
    row = accumulator_at(record, ply, evaluation)
    for index in range(len(row)):
        row[index] = 0


def copy_accumulator(record: Any, ply: int, evaluation: Evaluation) -> None:
    """Copy the accumulator of a ply to the next ply."""
    accumulator_at(record, ply + 1, evaluation)[:] = accumulator_at(record, ply, evaluation)


def can_be_stored(state: Value) -> bool:
    """Whether a state fits a row of `states`; a constant of compiled code."""
    return sum(map(words_of, state.fields)) <= STATE_WORDS


def words_of(field: Field) -> int:
    """The 64-bit words that a field takes. A wide `Bitboard` takes an even number, as compiled code aligns it."""
    size = getattr(field.kind, "size", WORD)
    return max(field.length, 1) * (1 if size <= WORD else -(-size // (2 * WORD)) * 2)


def store_state(record: Any, ply: int, state: Value) -> None:
    """Write a state to the row of its ply."""
    at = ply * STATE_WORDS
    for field, item in zip(state.fields, state, strict=True):
        count = words_of(field) // max(field.length, 1)
        for number in item if field.length else (item,):
            for shift in range(0, count * WORD, WORD):
                word = int(number) >> shift & (1 << WORD) - 1
                record.states[at] = word - (word >> WORD - 1 << WORD)
                at += 1


def load_state(record: Any, ply: int, like: S) -> S:
    """Read the state of a ply, a state of the same class as `like`."""

    def items(at: int) -> Iterator[Any]:
        for field in like.fields:
            each = words_of(field) // max(field.length, 1)
            values = []
            for start in range(at, at + words_of(field), each):
                words = record.states[start : start + each].tolist()
                number = sum(word % (1 << WORD) << place * WORD for place, word in enumerate(words))
                values.append(field.kind(number if issubclass(field.kind, Bitboard) else words[0]))
            at += words_of(field)
            yield tuple(values) if field.length else values[0]

    return type(like)(*items(ply * STATE_WORDS))
