"""Entries to compiled code: the few functions that Python calls, each compiled once a game and kept on disk."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from types import FunctionType
from typing import Any

from numba.core import compiler, types
from numba.core.caching import NullCache
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps
from numba.core.typing.typeof import typeof

from zermelo.compiled import bitboards as _bitboards  # noqa: F401  registers the type
from zermelo.compiled import cache, diagnosis
from zermelo.compiled import pointers as _memory  # noqa: F401  registers the overload
from zermelo.compiled import signatures as contract
from zermelo.compiled.fingerprint import fingerprint, machine
from zermelo.compiled.functions import dispatcher_of
from zermelo.compiled.values import StructType

_compiling = threading.RLock()


def native(function: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """The compiled form of a plain function for arguments of these types; it releases the GIL while it runs.

    On first use on a machine the code is compiled, which is announced and takes seconds; then it is kept in
    the cache, and later processes load it. Where Numba is switched off (`NUMBA_DISABLE_JIT=1`) the function
    itself is returned. Raises `GameError` with the line in the user's file when the code of a state or an
    evaluation among the arguments cannot be compiled.
    """
    assert isinstance(function, FunctionType)
    dispatcher = dispatcher_of(function, is_entry=True)
    if not hasattr(dispatcher, "overloads"):  # NUMBA_DISABLE_JIT
        return function
    signature = tuple(typeof(argument) for argument in arguments)
    if signature not in dispatcher.overloads:
        with _compiling:
            _load_or_compile(dispatcher, function, signature)
    return dispatcher


class _Kept(NullCache):
    """What a dispatcher asks before it compiles and tells after: one entry of `zermelo.compiled.cache`."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.found: Any = None

    def find(self, target_context: Any) -> bool:
        """Look whether the code is kept, and hold it ready. An entry that cannot be used is deleted."""
        payload = cache.read(self.name)
        if payload is None:
            return False
        try:
            needs_everything, result = payload
            if needs_everything:
                target_context.refresh()
            else:
                rtsys.initialize(target_context)
            self.found = compiler.CompileResult._rebuild(target_context, *result)
        except Exception:  # whatever sound bytes can stand for that is no machine code
            cache.delete(self.name)
        return self.found is not None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        return self.found

    def save_overload(self, sig: Any, data: Any) -> None:
        circle = _functions_in_a_circle(data.library)
        if circle:
            cache.announce(
                f"zermelo: {self.name.rpartition('-')[0]} is compiled anew by every process, since {circle} and other "
                "functions call each other in a circle"
            )
        elif not data.lifted and not data.library.has_dynamic_globals:
            cache.write(self.name, dumps((not _is_self_sufficient(data.library), data._reduce())))


def _is_self_sufficient(library: Any) -> bool:
    """Whether machine code calls nothing but Python's, LLVM's and Numba's most basic functions.

    Such code, and a game's mostly is, runs without the rest of Numba (its numpy, random numbers, linear
    algebra), which takes 35 MB and a fifth of a second to load.
    """
    called = (function.name for function in library._final_module.functions if function.is_declaration)
    return all(name.startswith(_BASIC) for name in called)


# What the declared functions of self-sufficient code begin with; llvm.* are instructions rather than functions.
_BASIC = ("llvm.", "Py", "_Py", "NRT_", "numba_unpickle", "numba_gil_", "numba_adapt_ndarray", "numba_ndarray_new",
          "numba_do_raise", "numba_runtime_build_excinfo_struct", "memcpy", "memset", "memmove")  # fmt: skip


def _functions_in_a_circle(library: Any) -> str:
    """The functions that the machine code calls but does not contain, so that only this process can run it.

    Numba leaves such holes where functions call each other in a circle, and fills them in memory.
    """
    mangled = [name for name in _symbols(library) if name.startswith(_UNRESOLVED)]
    return ", ".join(sorted(_plain_name(name.removeprefix(_UNRESOLVED)) for name in mangled))


_UNRESOLVED = ".numba.unresolved$"


def _symbols(library: Any) -> list[str]:
    return [variable.name for variable in library._final_module.global_variables]


def _plain_name(mangled: str) -> str:
    """`odd` for `_ZN7helpers3oddB2v7B40c...`: after the prefix, names each after its length."""
    names, rest = [], mangled.removeprefix("_ZN")
    while found := re.match(r"\d+", rest):
        length = int(found[0])
        names.append(rest[found.end() : found.end() + length])
        rest = rest[found.end() + length :]
    return names[-1] if names else mangled


def _load_or_compile(dispatcher: Any, function: FunctionType, signature: tuple[types.Type, ...]) -> None:
    structs = [kind for kind in signature if isinstance(kind, StructType)]
    letters = fingerprint(function, machine(), *map(str, signature))
    subject = structs[0].cls.__name__ if structs else function.__name__
    kept = _Kept(f"{subject}-{function.__name__}-{letters}")
    dispatcher._cache = kept
    try:
        if kept.find(dispatcher.targetctx):
            dispatcher.compile(signature)
            return
        with cache.lock(kept.name):  # the first of several processes compiles, the others then find it
            if not kept.find(dispatcher.targetctx):
                cache.announce(f"zermelo: compiling {subject} for this machine, once ({function.__name__}) ...")
                contract.check(structs)
            dispatcher.compile(signature)
    except Exception as error:  # Numba's own errors, and what its passes raise on code they did not expect
        if not structs:
            raise
        raise diagnosis.explain(error, [kind.cls for kind in structs]) from None
    finally:
        dispatcher._cache = NullCache()
