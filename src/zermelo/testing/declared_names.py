"""Names that a game or an evaluation defines: those of the contract, and others that are probably misspelt.

A class may have helper methods of any name, so a misspelt optional method is not an error: it is never called.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from difflib import get_close_matches
from dis import get_instructions
from types import CodeType, FunctionType
from typing import Any

from zermelo.core.hooks import facts_of, hooks_of

# Similarity (difflib's ratio) from which a name is taken for a misspelt one. It is 0.84 for `is_in_check` and
# `in_check`, but 0.82 for `endgame` and `is_endgame`, two methods of one game.
SIMILARITY = 0.83
# Operations of byte code that read an attribute, in Python 3.11 and later.
ATTRIBUTE_OPERATIONS = {"LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR"}


def optional_names(made: type, base: type) -> tuple[str, ...]:
    """Return the optional methods and class attributes of the contract that a class defines, sorted.

    Parameters
    ----------
    made : type
        A game or an evaluation.
    base : type
        `State` or `Evaluation`, which declares the contract.
    """
    hooks, facts = hooks_of(base), facts_of(base)
    optional = {name for name, hook in hooks.items() if not hook.required} | set(facts)
    return tuple(sorted(optional & _defined(made, base).keys()))


def misspelt_names(made: type, base: type) -> tuple[str, ...]:
    """Return a note for each name of a class that looks like one of the contract, but is never used.

    Names are left alone that the module of the class refers to, and those like a name that the class defines as well.

    Parameters
    ----------
    made : type
        A game or an evaluation.
    base : type
        `State` or `Evaluation`, which declares the contract.
    """
    defined = _defined(made, base)
    hooks = hooks_of(base)
    missing = [name for name in (*hooks, *facts_of(base)) if name not in defined]
    suspects = {}
    for name, owner in defined.items():
        if not name.startswith("_") and not hasattr(base, name):
            similar = get_close_matches(name.casefold(), missing, 1, cutoff=SIMILARITY)
            if similar:
                suspects[name] = owner, similar[0]
    return tuple(
        f"{owner.__name__}.{name} is not used; did you mean the optional "
        f"{'method' if meant in hooks else 'attribute'} {meant}?"
        for name, (owner, meant) in suspects.items()
        if name not in _used_names(owner)
    )


def _defined(made: type, base: type) -> dict[str, type]:
    """The names in the bodies of a class and its bases, with the class; without what the decorator adds."""
    found: dict[str, type] = {}
    for cls in reversed(made.__mro__):
        if cls is object or cls in base.__mro__:
            continue
        for name, member in vars(cls).items():
            function: Any = getattr(member, "__func__", member)
            if not (isinstance(function, FunctionType) and function.__module__ == base.__module__):
                found[name] = cls
    return found


def _used_names(owner: type) -> set[str]:
    """The attributes that the functions and classes of a class's module refer to."""
    members = list(vars(sys.modules[owner.__module__]).values()) if owner.__module__ in sys.modules else []
    classes = [owner, *(each for each in members if isinstance(each, type) and each.__module__ == owner.__module__)]
    for cls in classes:
        members += vars(cls).values()
    used: set[str] = set()
    for member in members:
        function: Any = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        if isinstance(function, FunctionType) and function.__module__ == owner.__module__:
            for code in _codes(function.__code__):
                used.update(each.argval for each in get_instructions(code) if each.opname in ATTRIBUTE_OPERATIONS)
    return used


def _codes(code: CodeType) -> Iterator[CodeType]:
    """A code object and those of the functions in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
