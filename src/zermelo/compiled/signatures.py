"""The types of a game's compiled methods, held against the contract before the search is compiled with them.

A method that does not compile, or returns something else than the contract says, is named here. Inside the
search the same mistake would show as a failure of the search. Nothing is compiled twice: the search finds the
methods' code ready.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

from numba.core import types

from zermelo.compiled import diagnosis
from zermelo.compiled.bitboards import bitboard_type
from zermelo.compiled.functions import dispatcher_of
from zermelo.compiled.values import StructType
from zermelo.core.evaluation import Evaluation
from zermelo.core.game import State
from zermelo.errors import GameError


def check(structs: list[StructType]) -> None:
    """Compile the methods of the states and evaluations among the structs that a search will call.

    Without an evaluation nothing is searched: lines are counted, and only the rules are compiled.
    Raises `GameError` naming the line that does not compile, or the method and what it was expected to return.
    """
    evaluations = [struct for struct in structs if issubclass(struct.cls, Evaluation)]
    for state in (struct for struct in structs if issubclass(struct.cls, State)):
        _check(state, "is_over", (), _is_truth, "True or False")
        _check(state, "to_move", (), _is_integer, "MAX, MIN or CHANCE")
        _check(state, "moves", (), _yields_integers, "ints, by yield")
        _check(state, "play", (types.int64,), partial(operator.eq, state), f"a {state.cls.__name__}")
        _check(state, "outcomes", (), _yields_pairs, "pairs of ints (move, weight), by yield")
        if not evaluations:
            _check(state, "count_moves", (), _is_integer, "an int")
            continue
        _check(state, "utility", (), _is_integer, "an int")
        _check(state, "move_score", (types.int64,), _is_integer, "an int")
        _check(state, "key", (), _is_bitboard, "a Bitboard")
        _check(state, "repetition_key", (), _is_bitboard, "a Bitboard")
        _check(state, "reversible_plies", (), _is_integer, "an int")
        _check(state, "is_tactical", (types.int64,), _is_truth, "True or False")
        _check(state, "in_check", (), _is_truth, "True or False")
        _check(state, "may_end", (), _is_truth, "True or False")
        _check(state, "is_endgame", (), _is_truth, "True or False")
        _check(state, "solve_endgame", (types.int64, types.int64), _is_pair, "two ints, (score, nodes)")
        for evaluation in evaluations:
            _check(evaluation, "score", (state,), _is_integer, "an int")
            _check(evaluation, "gain", (state, types.int64), _is_integer, "an int")


def _check(struct: StructType, name: str, arguments: tuple[Any, ...], fits: Callable[[Any], bool], wanted: str) -> None:
    function = getattr(struct.cls, name)
    dispatcher = dispatcher_of(function)
    signature = (struct, *arguments)
    try:
        dispatcher.compile(signature)
    except Exception as error:
        raise diagnosis.explain(error, [struct.cls], function) from None
    returned = dispatcher.overloads[signature].signature.return_type
    if not fits(returned):
        shown = diagnosis.plainly(str(returned))
        raise GameError(f"{diagnosis.place(function)} returns {shown} when compiled; it must return {wanted}")


def _is_integer(returned: Any) -> bool:
    return isinstance(returned, types.Integer)


def _is_bitboard(returned: Any) -> bool:
    return bool(returned == bitboard_type)


def _is_truth(returned: Any) -> bool:
    return isinstance(returned, types.Boolean)


def _yields_integers(returned: Any) -> bool:
    return isinstance(returned, types.Generator) and isinstance(returned.yield_type, types.Integer)


def _is_pair(returned: Any) -> bool:
    return isinstance(returned, types.BaseTuple) and len(returned) == 2 and all(map(_is_integer, returned))


def _yields_pairs(returned: Any) -> bool:
    return isinstance(returned, types.Generator) and _is_pair(returned.yield_type)
