"""`native`: the functions that Python calls in compiled code, compiled once for each game and stored on disk."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from types import FunctionType
from typing import Any

from zermelo.compiled import _numba, cache, diagnosis, signatures
from zermelo.compiled import bitboards as _bitboards  # noqa: F401  registers the type
from zermelo.compiled import hints as _hints  # noqa: F401  registers the overload
from zermelo.compiled import pointers as _pointers  # noqa: F401  registers the overload
from zermelo.compiled import records as _records  # noqa: F401  registers the type
from zermelo.compiled.fingerprint import fingerprint, machine
from zermelo.compiled.functions import dispatcher_of
from zermelo.compiled.values import StructType

_compiling = threading.RLock()


def native(function: Callable[..., Any], *arguments: Any) -> Callable[..., Any]:
    """Compile a plain function for the types of some arguments, or load it from the cache.

    The first use on a machine compiles the code, which takes seconds and is announced, and stores it in the cache;
    later processes load it. The compiled function releases the GIL while it runs.

    Parameters
    ----------
    function
        A plain function, called with positional arguments.
    *arguments
        Examples of its arguments; only their types matter.

    Returns
    -------
    callable
        The compiled function. With NUMBA_DISABLE_JIT=1, `function` itself.

    Raises
    ------
    GameError
        Names the line of the user's file if the code of a state or evaluation among the arguments cannot be compiled.
    """
    assert isinstance(function, FunctionType)
    dispatcher = dispatcher_of(function, is_entry=True)
    if not _numba.is_dispatcher(dispatcher):
        return function
    signature = tuple(_numba.typeof(argument) for argument in arguments)
    if signature not in dispatcher.overloads:
        with _compiling:
            _load_or_compile(dispatcher, function, signature)
    return dispatcher


class _CacheEntry(_numba.NullCache):
    """One entry of `zermelo.compiled.cache`, in the form of the cache that a dispatcher consults when it compiles."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.found: Any = None

    def find(self, target_context: Any) -> bool:
        """Load the entry and hold it ready. Delete an entry that cannot be used."""
        payload = cache.read(self.name)
        if payload is None:
            return False
        try:
            needs_all_of_numba, reduced = payload
            if needs_all_of_numba:
                _numba.load_all_of_numba(target_context)
            else:
                _numba.initialize_runtime(target_context)
            self.found = _numba.rebuild(target_context, reduced)
        except Exception:  # intact bytes that are not machine code may raise anything
            cache.delete(self.name)
        return self.found is not None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        return self.found

    def save_overload(self, sig: Any, data: Any) -> None:
        circle = ", ".join(sorted(map(_plain_name, _numba.unresolved_functions(data.library))))
        if circle:
            cache.announce(
                f"zermelo: {self.name.rpartition('-')[0]} is compiled anew by every process, since {circle} and other "
                "functions call each other in a circle"
            )
        elif _numba.is_cacheable(data):
            cache.write(self.name, _numba.dumps((not _is_self_sufficient(data.library), _numba.reduce(data))))


def _is_self_sufficient(library: Any) -> bool:
    """Whether machine code calls only the most basic functions of Python, LLVM and Numba.

    Such code, as most games' is, runs without the rest of Numba (NumPy, random numbers, linear algebra), which takes
    35 MB and a fifth of a second to load.
    """
    return all(name.startswith(_BASIC) for name in _numba.declared_functions(library))


# Prefixes of the functions that self-sufficient code may declare; those of llvm.* are instructions, not functions.
_BASIC = ("llvm.", "Py", "_Py", "NRT_", "numba_unpickle", "numba_gil_", "numba_adapt_ndarray", "numba_ndarray_new",
          "numba_do_raise", "numba_runtime_build_excinfo_struct", "memcpy", "memset", "memmove")  # fmt: skip


def _plain_name(mangled: str) -> str:
    """The last name in a mangled one, `odd` in `_ZN7helpers3oddB2v7B40c...`: each name follows its length."""
    names, rest = [], mangled.removeprefix("_ZN")
    while found := re.match(r"\d+", rest):
        length = int(found[0])
        names.append(rest[found.end() : found.end() + length])
        rest = rest[found.end() + length :]
    return names[-1] if names else mangled


def _load_or_compile(dispatcher: Any, function: FunctionType, signature: tuple[Any, ...]) -> None:
    structs = [kind for kind in signature if isinstance(kind, StructType)]
    digest = fingerprint(function, machine(), *map(str, signature))
    subject = structs[0].cls.__name__ if structs else function.__name__
    entry = _CacheEntry(f"{subject}-{function.__name__}-{digest}")
    _numba.set_cache(dispatcher, entry)
    try:
        if entry.find(dispatcher.targetctx):
            dispatcher.compile(signature)
            return
        with cache.lock(entry.name):  # the first of several processes compiles; the others then find its entry
            if not entry.find(dispatcher.targetctx):
                cache.announce(f"zermelo: compiling {subject} for this machine, once ({function.__name__}) ...")
                signatures.check(structs)
            dispatcher.compile(signature)
    except Exception as error:  # Numba's own errors, and those of its passes on code that they do not expect
        if not structs:
            raise
        raise diagnosis.explain(error, [kind.cls for kind in structs]) from None
    finally:
        _numba.set_cache(dispatcher, _numba.NullCache())
