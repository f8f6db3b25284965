"""`native`: the functions that Python calls in compiled code, compiled once for each game and stored on disk."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from types import FunctionType
from typing import Any

from zermelo._util.machine_limits import free_address_space
from zermelo.compiled import _numba, cache, diagnosis, signatures
from zermelo.compiled import accumulators as _accumulators  # noqa: F401  registers the overloads
from zermelo.compiled import bitboards as _bitboards  # noqa: F401  registers the type
from zermelo.compiled import enums as _enums  # noqa: F401  registers the types
from zermelo.compiled import hints as _hints  # noqa: F401  registers the overload
from zermelo.compiled import lanes as _lanes  # noqa: F401  registers the type
from zermelo.compiled import layers as _layers  # noqa: F401
from zermelo.compiled import pointers as _pointers  # noqa: F401  registers the overload
from zermelo.compiled import records as _records  # noqa: F401  registers the type
from zermelo.compiled.fingerprint import fingerprint, machine
from zermelo.compiled.functions import dispatcher_of
from zermelo.compiled.values import StructType
from zermelo.core.game import State
from zermelo.errors import GameError, LimitError

# Address space that LLVM gets, in bytes. Where it runs out, LLVM ends the process or waits forever, so it is not begun.
# Compiling a search maps 140 MB (Connect Four) to 200 MB (chess, backgammon), loading one 2 MB.
COMPILE_SPACE = 300_000_000
LOAD_SPACE = 32_000_000

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
    LimitError
        If the process is limited to an address space (`ulimit -v`) of which too little is left.
    """
    assert isinstance(function, FunctionType)
    for argument in arguments:
        if isinstance(argument, State) and not argument.is_compiled:
            why = argument.why_interpreted or "declared with @game(compiled=False)"
            raise GameError(f"{type(argument).__name__} cannot be compiled: {why}")
    dispatcher = dispatcher_of(function, is_entry=True)
    if not _numba.is_dispatcher(dispatcher):
        return function
    signature = tuple(_numba.typeof(argument) for argument in arguments)
    if signature not in dispatcher.overloads:
        with _compiling:
            _load_or_compile(dispatcher, function, signature)
    return dispatcher


def is_native(function: Callable[..., Any], *arguments: Any) -> bool:
    """Whether `native` would return at once: the machine code is in this process or in the cache."""
    assert isinstance(function, FunctionType)
    dispatcher = dispatcher_of(function, is_entry=True)
    if not _numba.is_dispatcher(dispatcher):
        return True
    signature = tuple(_numba.typeof(argument) for argument in arguments)
    return signature in dispatcher.overloads or cache.read_bytes(_entry_name(function, signature)) is not None


def _entry_name(function: FunctionType, signature: tuple[Any, ...]) -> str:
    """The name of a cache entry: of the class whose code it has, or else of the function, and a digest."""
    structs = [kind for kind in signature if isinstance(kind, StructType)]
    subject = structs[0].cls.__name__ if structs else function.__name__
    return f"{subject}-{function.__name__}-{fingerprint(function, machine(), *map(str, signature))}"


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
    entry = _CacheEntry(_entry_name(function, signature))
    subject = structs[0].cls.__name__ if structs else function.__name__
    _numba.set_cache(dispatcher, entry)
    try:
        _require_space(LOAD_SPACE, f"loading the compiled {subject}")
        if entry.find(dispatcher.targetctx):
            dispatcher.compile(signature)
            return
        with cache.lock(entry.name):  # the first of several processes compiles; the others then find its entry
            if not entry.find(dispatcher.targetctx):
                _require_space(COMPILE_SPACE, f"compiling {subject}")
                cache.announce(f"zermelo: compiling {subject} for this machine, once ({function.__name__}) ...")
                signatures.check(structs)
            dispatcher.compile(signature)
    except (MemoryError, OSError):  # the machine's fault, not the code's
        raise
    except Exception as error:  # Numba's own errors, and those of its passes on code that they do not expect
        if not structs:
            raise
        raise diagnosis.explain(error, [kind.cls for kind in structs]) from None
    finally:
        _numba.set_cache(dispatcher, _numba.NullCache())


def _require_space(needed: int, what: str) -> None:
    """Raise `LimitError` if less than `needed` bytes of address space are left."""
    free = free_address_space()
    if free is not None and free < needed:
        raise LimitError(
            f"{what} needs {needed // 1_000_000} MB of address space; the limit leaves {free // 1_000_000} MB: "
            "raise it (ulimit -v) or choose a smaller transposition table"
        )
