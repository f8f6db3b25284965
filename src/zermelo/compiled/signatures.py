"""Check the types of compiled methods against the contract before a search is compiled with them.

A method that does not compile, or returns something else than the contract says, is named here. Inside the search the
same mistake would show as a failure of the search. Nothing is compiled twice: the search reuses the methods' code.
"""

from __future__ import annotations

from typing import Any

from numba import types

from zermelo.compiled import _numba, diagnosis
from zermelo.compiled.accumulators import accumulator_type
from zermelo.compiled.bitboards import bitboard_type
from zermelo.compiled.functions import dispatcher_of
from zermelo.compiled.rows import RowType
from zermelo.compiled.values import StructType
from zermelo.core import evaluation, game
from zermelo.core.evaluation import Evaluation
from zermelo.core.game import State
from zermelo.core.hooks import Hook, Returns
from zermelo.errors import GameError


def check(structs: list[StructType]) -> None:
    """Compile and check the methods that a search calls on the states and evaluations among its argument types.

    Without an evaluation nothing is searched: only the rules, and what perft calls, are compiled.

    Raises
    ------
    GameError
        Names the line that does not compile, or the method and what it must return.
    """
    evaluations = [struct for struct in structs if issubclass(struct.cls, Evaluation)]
    needed = ("rules", "search") if evaluations else ("rules", "perft")
    for state in (struct for struct in structs if issubclass(struct.cls, State)):
        for hook in game.HOOKS.values():
            if hook.compiled in needed:
                _check(state, hook, (types.int64,) * len(hook.parameters))
        for each in evaluations:
            for hook in evaluation.HOOKS.values():
                if hook.compiled in needed and (hook.fact != "has_accumulator" or each.cls.has_accumulator):  # type: ignore[attr-defined]
                    _check(each, hook, tuple(_argument(name, state, each) for name in hook.parameters))


def _argument(name: str, state: StructType, each: StructType) -> Any:
    """The type of a parameter of an evaluation's method, by its name in the contract."""
    if name == "accumulator":
        return accumulator_type(each)
    return types.int64 if name == "move" else state


def _check(struct: StructType, hook: Hook, arguments: tuple[Any, ...]) -> None:
    function = getattr(struct.cls, hook.name)
    dispatcher = dispatcher_of(function)
    signature = (struct, *arguments)
    try:
        dispatcher.compile(signature)
    except Exception as error:
        raise diagnosis.explain(error, [struct.cls], function) from None
    returned = _numba.return_type(dispatcher, signature)
    if not _fits(returned, hook.returns, struct):
        found = diagnosis.plain_types(str(returned))
        expected = f"a {struct.cls.__name__}" if hook.returns is Returns.STATE else hook.returns.value
        raise GameError(f"{diagnosis.place(function)} returns {found} when compiled; it must return {expected}")


def _fits(returned: Any, kind: Returns, struct: StructType) -> bool:
    """Whether the type that a compiled method returns is of the declared kind."""
    if kind in (Returns.INT, Returns.PLAYER):
        return isinstance(returned, types.Integer)
    if kind is Returns.BOOL:
        return isinstance(returned, types.Boolean)
    if kind is Returns.KEY:
        return bool(returned == bitboard_type)
    if kind is Returns.STATE:
        return bool(returned == struct)
    if kind in (Returns.PAIR, Returns.INTERVAL):
        return _is_pair(returned)
    if kind is Returns.WORDS:
        return isinstance(returned, types.BaseTuple) and tuple(returned) == (bitboard_type,) * 2
    if kind is Returns.MOVES:
        return isinstance(_item_type(returned), types.Integer)
    if kind is Returns.OUTCOMES:
        return _is_pair(_item_type(returned))
    if kind is Returns.NOTHING:
        return isinstance(returned, types.NoneType)
    raise AssertionError(kind)


def _item_type(returned: Any) -> Any:
    """The type of the items of what `moves` or `outcomes` returned; None if it is not iterable in a fixed order."""
    if isinstance(returned, types.Generator):
        return returned.yield_type
    return returned.dtype if isinstance(returned, (types.List, types.UniTuple, RowType)) else None


def _is_pair(returned: Any) -> bool:
    return (
        isinstance(returned, types.BaseTuple)
        and len(returned) == 2
        and all(isinstance(item, types.Integer) for item in returned)
    )
