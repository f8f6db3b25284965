"""Features of positions: the matrices whose products with the weights of an evaluation are its scores.

A score is a sum of weights, each multiplied by a feature, so that fitting is linear algebra with a matrix that has a
row for each position:

    Linear     count for MAX - count for MIN of each term
    Tapered    the same twice, times the fractions of the two phases
    Patterns   how often each weight of the position's stage counts: a row is stored as the numbers of these weights

Products are loops in compiled code: their sums are added in one order, so the same data give the same weights.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

import numpy as np

from zermelo.compiled import native
from zermelo.core.accumulator import STATE_WORDS, load_state
from zermelo.core.evaluation import Evaluation, Linear, Tapered
from zermelo.core.game import MIN, State
from zermelo.core.network import Network
from zermelo.core.patterns import Patterns
from zermelo.core.record import Record, Words, words

Array: TypeAlias = "np.ndarray[Any, Any]"


class StateRow(Record):
    """The words of one state, as `load_state` reads them."""

    states: Words = words(STATE_WORDS)


class Matrix(Protocol):
    """A matrix of features."""

    rows: int
    columns: int

    def times(self, vector: Array) -> Array:
        """The product with a vector of the columns."""
        ...

    def transposed_times(self, vector: Array) -> Array:
        """The product of the transposed matrix with a vector of the rows."""
        ...

    def diagonal(self, vector: Array) -> Array:
        """The diagonal of the transposed matrix times diag(vector) times the matrix, or about that."""
        ...


class DenseMatrix:
    """A matrix of few columns."""

    def __init__(self, items: Array) -> None:
        self._items = items
        self.rows, self.columns = items.shape

    def times(self, vector: Array) -> Array:
        product = np.zeros(self.rows)
        return _run(_dense_times, self._items, vector, product)

    def transposed_times(self, vector: Array) -> Array:
        product = np.zeros(self.columns)
        return _run(_dense_transposed_times, self._items, vector, product)

    def diagonal(self, vector: Array) -> Array:
        product = np.zeros(self.columns)
        return _run(_dense_transposed_times, self._items**2, vector, product)


class SparseMatrix:
    """A matrix of counts. A row is a list of columns of fixed length; a column counts as often as it is listed."""

    def __init__(self, listed: Array, columns: int) -> None:
        self._listed = listed
        self.rows, self.columns = len(listed), columns

    def times(self, vector: Array) -> Array:
        product = np.zeros(self.rows)
        return _run(_sparse_times, self._listed, vector.astype(np.float32), product)

    def transposed_times(self, vector: Array) -> Array:
        product = np.zeros(self.columns)
        return _run(_sparse_transposed_times, self._listed, vector, product)

    def diagonal(self, vector: Array) -> Array:
        return self.transposed_times(vector)


def _run(function: Any, *arguments: Array) -> Array:
    """Call a compiled loop that fills its last argument, and return that."""
    native(function, *arguments)(*arguments)
    return arguments[-1]


def dot(first: Array, second: Array) -> float:
    """The scalar product, added from the first item to the last."""
    total = np.zeros(1)
    return float(_run(_dot, first, second, total)[0])


def linear_matrix(evaluation: Linear, cls: type[State], states: Array) -> DenseMatrix:
    """The features of a `Linear` evaluation; of a `Tapered` one, those of both phases."""
    terms = evaluation.weights.shape[-1]
    counts = np.zeros((len(states), terms), np.int64)
    like, row = cls.start(), StateRow()
    arguments = states, evaluation, like, row, counts
    native(_count_terms, *arguments)(*arguments)
    items = counts.astype(np.float64)
    if isinstance(evaluation, Tapered):
        phases = np.zeros(len(states), np.int64)
        arguments = states, evaluation, like, row, phases
        native(_read_phases, *arguments)(*arguments)
        fraction = phases[:, None] / evaluation.PHASES
        items = np.hstack([items * fraction, items * (1 - fraction)])
    return DenseMatrix(np.ascontiguousarray(items))


def kept_weights(evaluation: Evaluation) -> Array:
    """The places of the weights that learning does not change, in all rows of weights one after the other."""
    if not isinstance(evaluation, Linear):
        return np.zeros(0, np.int64)
    columns = evaluation.weights.shape[-1]
    kept = [place for place, name in enumerate(evaluation.names[:columns]) if name in evaluation.kept_terms()]
    rows = range(0, evaluation.weights.size, columns)
    return np.array([row + place for row in rows for place in kept], np.int64)


def pattern_stages(evaluation: Patterns, cls: type[State], states: Array) -> tuple[Array, Array]:
    """The stage of each position, and 1, or -1 where the weights are those of MIN to move."""
    signs = np.zeros(len(states), np.int64)
    arguments = states, evaluation, cls.start(), StateRow(), signs
    native(_read_signs, *arguments)(*arguments)
    return stages_of(evaluation, cls, states), signs


def stages_of(evaluation: Patterns | Network, cls: type[State], states: Array) -> Array:
    """The stage of each position."""
    found = np.zeros(len(states), np.int64)
    arguments = states, evaluation, cls.start(), StateRow(), found
    native(_read_stage, *arguments)(*arguments)
    return found


def are_over(cls: type[State], states: Array) -> Array:
    """Whether the game is over in each position."""
    found = np.zeros(len(states), np.bool_)
    arguments = states, cls.start(), StateRow(), found
    native(_find_over, *arguments)(*arguments)
    return found


def pattern_matrix(evaluation: Patterns, cls: type[State], states: Array) -> SparseMatrix:
    """The features of positions of one stage: how often each weight counts; for MIN with the sides exchanged."""
    listed = np.zeros((len(states), evaluation.inputs()), np.int32)
    arguments = states, evaluation, cls.start(), StateRow(), shared_weights(evaluation), listed
    native(_list_weights, *arguments)(*arguments)
    return SparseMatrix(listed, evaluation.weight_count())


def shared_weights(evaluation: Patterns) -> Array:
    """For each index into the tables of the patterns, the number of its weight."""
    numbers: Array = evaluation._tables()[0].astype(np.int32)
    return numbers


def scores(evaluation: Evaluation, cls: type[State], states: Array) -> Array:
    """The evaluation's score of each position, from MAX's side."""
    found = np.zeros(len(states), np.int64)
    arguments = states, evaluation, cls.start(), StateRow(), found
    native(_read_scores, *arguments)(*arguments)
    return found


# ---- compiled loops ---------------------------------------------------------------------------------------------


def state_at(states: Array, index: int, like: State, row: StateRow) -> State:
    """The state of a row of position files, in compiled code."""
    for word in range(states.shape[1]):
        row.states[word] = states[index, word]
    return load_state(row, 0, like)


def are_quiet(cls: type[State], states: Array, best: Array) -> Array:
    """Whether each position is one that a static evaluation can judge, given its best move; -1: unknown.

    Not if it is in check or the best move is tactical: a search looks further there before it evaluates.
    """
    found = np.zeros(len(states), np.bool_)
    arguments = states, best, cls.start(), StateRow(), found
    native(_find_quiet, *arguments)(*arguments)
    return found


def _find_quiet(states: Array, best: Array, like: State, row: StateRow, found: Array) -> None:
    for index in range(len(states)):
        state = state_at(states, index, like, row)
        move = int(best[index])
        if state.is_over() or (state.has_in_check and state.in_check()):
            continue
        found[index] = not (state.has_tactical_moves and move >= 0 and state.is_tactical(move))


def _read_scores(states: Array, evaluation: Evaluation, like: State, row: StateRow, found: Array) -> None:
    for index in range(len(found)):
        found[index] = evaluation.score(state_at(states, index, like, row))


def _count_terms(states: Array, evaluation: Linear, like: State, row: StateRow, counts: Array) -> None:
    for index in range(len(counts)):
        state = state_at(states, index, like, row)
        ours = evaluation.counts(state, 1)
        theirs = evaluation.counts(state, -1)
        for term in range(counts.shape[1]):
            counts[index, term] = ours[term] - theirs[term]


def _read_phases(states: Array, evaluation: Tapered, like: State, row: StateRow, phases: Array) -> None:
    for index in range(len(phases)):
        phases[index] = evaluation.phase(state_at(states, index, like, row))


def _read_signs(states: Array, evaluation: Patterns, like: State, row: StateRow, found: Array) -> None:
    for index in range(len(states)):
        to_move = state_at(states, index, like, row).to_move()
        found[index] = -1 if evaluation.exchanges_sides and to_move == MIN else 1


def _read_stage(states: Array, evaluation: Patterns | Network, like: State, row: StateRow, found: Array) -> None:
    for index in range(len(states)):
        found[index] = evaluation.stage(state_at(states, index, like, row))


def _find_over(states: Array, like: State, row: StateRow, found: Array) -> None:
    for index in range(len(states)):
        found[index] = state_at(states, index, like, row).is_over()


def _list_weights(
    states: Array, evaluation: Patterns, like: State, row: StateRow, shared: Array, listed: Array
) -> None:
    for index in range(len(listed)):
        evaluation.read_inputs(state_at(states, index, like, row), listed[index])
        for feature in range(listed.shape[1]):
            listed[index, feature] = shared[listed[index, feature]]


def _dot(first: Array, second: Array, total: Array) -> None:
    for index in range(len(first)):
        total[0] += first[index] * second[index]


def _dense_times(items: Array, vector: Array, product: Array) -> None:
    for index in range(items.shape[0]):
        total = 0.0
        for column in range(items.shape[1]):
            total += items[index, column] * vector[column]
        product[index] = total


def _dense_transposed_times(items: Array, vector: Array, product: Array) -> None:
    for index in range(items.shape[0]):
        for column in range(items.shape[1]):
            product[column] += items[index, column] * vector[index]


def _sparse_times(listed: Array, vector: Array, product: Array) -> None:
    for index in range(listed.shape[0]):
        total = 0.0
        for place in range(listed.shape[1]):
            total += vector[listed[index, place]]
        product[index] = total


def _sparse_transposed_times(listed: Array, vector: Array, product: Array) -> None:
    for index in range(listed.shape[0]):
        for place in range(listed.shape[1]):
            product[listed[index, place]] += vector[index]
