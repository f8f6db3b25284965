"""From Numba's trace to one line for the person who wrote the game: file, line, method, and what is wrong.

Numba tells a failed compilation from the inside out, each call with the file and line it was made from. The first
of them in the user's own code is where the trouble is; what stands before it is the trouble.
"""

from __future__ import annotations

import os
import re
from types import FunctionType

from zermelo.compiled.fingerprint import reachable_functions
from zermelo.errors import GameError, ZermeloError
from zermelo.value import Value

_PLACE = re.compile(r'^\s*File "(?P<file>[^"]+)", line (?P<line>\d+)|\bat (?P<at>[^\s()]+\.py) \((?P<number>\d+)\)')
# Lines of Numba's text that frame a reason and are none.
_FRAME = re.compile(
    r"Failed in|- Resolution failure|None$|During:|There (is|are) \d|- Of which|Overload (of|in)|With argument"
    r"|No match|<source|File |>>>|Rejected as|raised from|Known signatures|\* |\(.*\) ->|This error|This is not usually"
    r"|For more|To see|https?:|If you think|\[\d\]|Enable|Traceback|\^|No implementation of function Function\(<built-in"
)
# What a mistake looks like to Numba, and what to tell its author.
_PLAINER = (
    (re.compile(r"Untyped global name '(\w+)'.*"), r"'\1' cannot be used in rules that are compiled"),
    (re.compile(r"Unknown attribute '(\w+)' of type (\w+)\..*"), r"\2 has no attribute '\1'"),
    (re.compile(r"Cannot unify (.+?) and (.+?) for '([^']+)'.*"), r"\3 is once \1 and once \2; it must have one type"),
    (re.compile(r"\b(\w+)\.[0-9a-f]{16}\.\d*"), r"\1"),
    (re.compile(r"Literal\[(\w+)\]\([^)]*\)"), r"\1"),
    (re.compile(r"Use of unsupported opcode \(IMPORT_NAME\) found"), "import inside rules that are compiled"),
)


def explain(
    error: BaseException, classes: list[type[Value]], function: FunctionType | None = None
) -> ZermeloError:
    """The failure of a compilation as a `GameError`: the place in the code of the classes, and the reason.

    Where Numba names no place, the `function` that was compiled stands for it.

    >>> print(explain(ValueError("no idea"), []))
    does not compile: no idea
    """
    if isinstance(error, ZermeloError):
        return error
    lines = re.sub(r"\x1b\[[0-9;]*m", "", str(error)).splitlines()
    functions = list(reachable_functions(*classes))
    reason = ""
    for line in lines:
        found = _PLACE.search(line)
        if found:
            owner = _owner(found["file"] or found["at"], int(found["line"] or found["number"]), functions)
            if owner:
                number = int(found["line"] or found["number"])
                file = os.path.relpath(owner.__code__.co_filename)
                return GameError(f"{file}:{number}: {owner.__qualname__} does not compile: {plainly(reason)}")
        elif not reason and line.strip() and not _FRAME.match(line.strip()):
            reason = line.strip()
            raised = re.search(r"(.*?)\.? Raised from (\S+) \((\d+)\)", reason)
            owner = _owner(raised[2], int(raised[3]), functions) if raised else None
            if raised and owner:
                file = os.path.relpath(owner.__code__.co_filename)
                return GameError(f"{file}:{raised[3]}: {owner.__qualname__} does not compile: {plainly(raised[1])}")
    if function is not None:
        code = function.__code__
        place = f"{os.path.relpath(code.co_filename)}:{code.co_firstlineno}: {function.__qualname__}"
        return GameError(f"{place} does not compile: {plainly(reason or type(error).__name__)}")
    names = ", ".join(cls.__name__ for cls in classes)
    return GameError(f"{names}{' ' if names else ''}does not compile: {plainly(reason or type(error).__name__)}")


def _owner(file: str, line: int, functions: list[FunctionType]) -> FunctionType | None:
    """The function among those given whose code has the line."""
    path = os.path.realpath(file)
    for function in functions:
        code = function.__code__
        numbers = [number for _, _, number in code.co_lines() if number is not None]
        if os.path.realpath(code.co_filename) == path and numbers and min(numbers) <= line <= max(numbers):
            return function
    return None


def plainly(reason: str) -> str:
    """Numba's words for a mistake in those of the rules' author."""
    for pattern, plainer in _PLAINER:
        reason = pattern.sub(plainer, reason)
    return reason.rstrip(".:") or "no reason given"
