"""Every private name of Numba that Zermelo relies on, each with its reason.

Public, and used directly elsewhere in this package: `numba.njit`, `numba.types`, `numba.config`, `numba.extending`,
`llvmlite.ir`, `llvmlite.binding`. Everything else is imported here and nowhere else, attributes that start with an
underscore are read by the functions below, and tests/compiled/test_numba.py has a test for each.

Supported: Numba 0.62 and later, tested with the versions in `TESTED`. There is no upper bound, because no release has
removed one of these names so far; a version that does is refused with one line by the import below, and `make nightly`
runs the tests with the newest pre-release.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from functools import wraps
from typing import Any

import llvmlite.binding
import numba

from zermelo.errors import MissingDependency

#: The versions of Numba that the tests have run with.
TESTED = ("0.62", "0.68")

try:
    # Compiled code as data: what the cache stores and restores (`entries`).
    from numba.core import (
        cgutils,  # structs, constants and stack slots in LLVM code (`bitboards`, `values`, `records`, `hints`)
        compiler,
        ir,  # Numba's intermediate representation of a function (`generators`)
    )
    from numba.core.caching import NullCache  # the cache that a dispatcher has unless we give it ours
    from numba.core.compiler import CompilerBase, DefaultPassBuilder  # the pipeline of a compilation (`generators`)
    from numba.core.compiler_machinery import FunctionPass, register_pass  # a step of the pipeline (`generators`)
    from numba.core.errors import TypingError  # raised by our types for a wrong call; explained by `diagnosis`
    from numba.core.imputils import (
        RefType,
        impl_ret_borrowed,
        impl_ret_untracked,
        iternext_impl,
        lower_builtin,
        lower_constant,
        lower_setattr_generic,
    )  # implementations of our types below the level of `numba.extending`: constants, iterators, constructors
    from numba.core.registry import cpu_target  # the typing context: does Numba implement a function?
    from numba.core.runtime.nrt import rtsys  # starts Numba's memory management without the rest of Numba
    from numba.core.serialize import dumps  # pickles compiled code: plain pickle cannot pickle functions made by exec
    from numba.core.typed_passes import NopythonTypeInference  # the step after which types are known (`generators`)
    from numba.core.typing import (
        fold_arguments,
        signature,
    )  # keyword and default arguments of constructors in compiled code
    from numba.core.typing.templates import AbstractTemplate, AttributeTemplate  # methods and attributes of structs
    from numba.core.typing.typeof import Purpose, typeof  # types of arguments and, differently, of constants
    from numba.core.untyped_passes import FixupArgs  # the step after which a function's steps are known (`generators`)
    from numba.cpython.listobj import (
        ListInstance,  # the items of a list below the level of `numba.extending` (`values`)
    )
    from numba.np.arrayobj import populate_array  # arrays over memory that Numba does not own (`records`)
except ImportError as error:
    raise MissingDependency(
        f"Numba {numba.__version__} is not supported ({error}); install a version from {TESTED[0]} to {TESTED[1]}, "
        "or a newer Zermelo"
    ) from None

__all__ = [
    "AbstractTemplate",
    "AttributeTemplate",
    "CompilerBase",
    "DefaultPassBuilder",
    "FixupArgs",
    "FunctionPass",
    "ListInstance",
    "NopythonTypeInference",
    "NullCache",
    "Purpose",
    "RefType",
    "TypingError",
    "cgutils",
    "declared_functions",
    "dumps",
    "fold_arguments",
    "has_implementation",
    "impl_ret_borrowed",
    "impl_ret_untracked",
    "initialize_runtime",
    "ir",
    "is_cacheable",
    "is_counted",
    "is_dispatcher",
    "iternext_impl",
    "keep_modules",
    "load_all_of_numba",
    "lower_builtin",
    "lower_constant",
    "lower_setattr_generic",
    "populate_array",
    "rebuild",
    "reduce",
    "register_pass",
    "return_type",
    "set_cache",
    "signature",
    "typeof",
    "uninterrupted",
    "unresolved_functions",
    "wrap_compile",
    "wrap_fold",
]


# ---- dispatchers ---------------------------------------------------------------------------------------------


def is_dispatcher(function: Any) -> bool:
    """Whether `njit` returned a dispatcher. With NUMBA_DISABLE_JIT=1 it returns the function itself."""
    return hasattr(function, "overloads")


def set_cache(dispatcher: Any, cache: NullCache) -> None:
    """Give a dispatcher the cache that it asks before, and fills after, compiling."""
    dispatcher._cache = cache


def return_type(dispatcher: Any, arguments: tuple[Any, ...]) -> Any:
    """The type that a compiled function returns for argument types that it was compiled for."""
    return dispatcher.overloads[arguments].signature.return_type


def wrap_fold(dispatcher: Any, wrap: Callable[[Callable[..., Any]], Callable[..., Any]]) -> None:
    """Replace the method by which a dispatcher normalizes the types of a call's arguments."""
    compiler_of = dispatcher._compiler
    compiler_of.fold_argument_types = wrap(compiler_of.fold_argument_types)


def wrap_compile(dispatcher: Any, wrap: Callable[[Any, Callable[..., Any]], Callable[..., Any]]) -> None:
    """Replace the method by which a dispatcher compiles for one signature; `wrap` takes its compiler and the method."""
    compiler_of = dispatcher._compiler
    compiler_of._compile_core = wrap(compiler_of, compiler_of._compile_core)


def is_counted(kind: Any) -> bool:
    """Whether values of a type hold memory that Numba counts references to."""
    return bool(cpu_target.target_context.data_model_manager[kind].contains_nrt_meminfo())


def has_implementation(function: Any) -> bool:
    """Whether Numba implements a function itself: NumPy's, and those written with `overload`."""
    return cpu_target.typing_context._get_global_type(function) is not None


# ---- compiled code as data -----------------------------------------------------------------------------------


def reduce(result: Any) -> Any:
    """A compile result as a tuple that can be pickled."""
    return result._reduce()


def rebuild(target_context: Any, reduced: Any) -> Any:
    """The compile result of `reduce`, its machine code loaded."""
    return compiler.CompileResult._rebuild(target_context, *reduced)


def initialize_runtime(target_context: Any) -> None:
    """Start Numba's memory management, all that self-sufficient machine code needs."""
    rtsys.initialize(target_context)


def load_all_of_numba(target_context: Any) -> None:
    """Load Numba's implementations of NumPy, random numbers and linear algebra: 35 MB, a fifth of a second."""
    target_context.refresh()


def is_cacheable(result: Any) -> bool:
    """Whether machine code is valid in other processes: no Python objects inside, no addresses of this process."""
    return not result.lifted and not result.library.has_dynamic_globals


def declared_functions(library: Any) -> list[str]:
    """The names of the functions that machine code calls but does not contain."""
    return [function.name for function in library._final_module.functions if function.is_declaration]


def unresolved_functions(library: Any) -> list[str]:
    """The mangled names of functions of ours that machine code calls but does not contain.

    Numba leaves such placeholders where functions call each other in a circle, and fills them in memory.
    """
    names = [variable.name for variable in library._final_module.global_variables]
    return [name.removeprefix(_UNRESOLVED) for name in names if name.startswith(_UNRESOLVED)]


_UNRESOLVED = ".numba.unresolved$"


# ---- interrupts ------------------------------------------------------------------------------------------------


def uninterrupted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function so that an interrupt during a call takes effect after it."""

    @wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        handler = signal.getsignal(signal.SIGINT)
        if threading.current_thread() is not threading.main_thread() or not callable(handler):
            return function(*arguments, **options)
        received: list[tuple[Any, ...]] = []
        signal.signal(signal.SIGINT, lambda *signalled: received.append(signalled))
        try:
            return function(*arguments, **options)
        finally:
            signal.signal(signal.SIGINT, handler)
            if received:
                handler(*received[0])

    return call


def keep_modules() -> None:
    """Free no LLVM module from now on, because an interrupt may have left one that would be freed twice.

    This happens if it comes after a call that frees a module, or transfers its ownership, and before llvmlite records
    that. The second time is a segmentation fault.
    """
    llvmlite.binding.ModuleRef._dispose = lambda module: None


# Functions of llvmlite that transfer the ownership of an LLVM module. They record it after the call into LLVM; with an
# interrupt in between, the module would be freed twice: a segmentation fault. On the command line `keep_modules` covers
# these and unknown cases; programs that import Zermelo handle Ctrl-C themselves.
for _place, _name in (
    (llvmlite.binding.ExecutionEngine, "add_module"),
    (llvmlite.binding, "create_mcjit_compiler"),
    (llvmlite.binding.module, "link_modules"),  # of `ModuleRef.link_in`
):
    setattr(_place, _name, uninterrupted(getattr(_place, _name)))
