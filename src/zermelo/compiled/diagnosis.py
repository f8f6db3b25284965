"""From Numba's trace to one line for the person who wrote the game: file, line, method, and what is wrong.

Numba tells a failed compilation from the inside out: a reason, then each call with the file and line it was made
from. The first of these in the user's own code is where the trouble is.
"""

from __future__ import annotations

import dis
import os
import re
from collections.abc import Iterator
from types import FunctionType

from zermelo.compiled.fingerprint import reachable_functions
from zermelo.core.value import Value
from zermelo.errors import GameError, ZermeloError

_PLACE = re.compile(
    r'\bFile "(?P<file>[^"]+)", line (?P<line>\d+)|(?:\bat|Raised from) (?P<at>\S+\.py) \((?P<number>\d+)\)'
)
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_KINDS = re.compile(r"^(?:\w+Error: )+")
# Lines of Numba's text that frame a reason and are none.
_FRAME = re.compile(
    r"Failed in|- Resolution failure|None$|During:|There (is|are) \d|- Of which|((Operator )?Overload|Overload) (of|in)"
    r"|With argument|No match|<source|File |Rejected as|raised from|Known signatures|\* |\(.*\) ->|This error"
    r"|This is not usually|For more|To see|https?:|If you think|\[\d\]|Enable|Traceback|\^|No implementation of"
)
# What a mistake looks like to Numba, and what to tell its author. First its names of types.
_PLAINER = [
    (re.compile(pattern), plainer)
    for pattern, plainer in (
        (r"class\(\w*?([A-Za-z_]\w*)\.[0-9a-f]{16}\)", r"\1"),
        (r"(?:[\w<>]+\.)*?(\w+)\.[0-9a-f]{16}\.\d*", r"\1"),
        (r"Literal\[(\w+)\]\([^)]*\)", r"\1"),
        (r"(\S+) generator\(func=.*has_finalizer=\w+\)", r"a generator of \1"),
        (r"(?:reflected )?(list|set)\((.+?)\)<iv=.*?>", r"\1 of \2"),
        (r"\bu?int(?:8|16|32|64|p)\b", "int"),
        (r"\bfloat(?:32|64)\b", "float"),
        (r"\bunicode_type\b", "str"),
        (r"\bnone\b", "None"),
        (r"UniTuple\((\w+) x (\d+)\)", r"tuple of \2 \1s"),
        (r"\bTuple\(", "tuple("),
        (r"OptionalType\((.+?)\)", r"\1 or None"),
        (r"(?:readonly )?array\((\w+), (\d)d, \w\)", r"array of \1, \2d"),
        (r"Untyped global name '(\w+)'.*", r"'\1' cannot be used in rules that are compiled"),
        (r"The use of an? (\w+).* type, assigned to variable '(\w+)' in globals.*", r"'\2' is a \1; use a tuple"),
        (r"Unknown attribute '(\w+)' of type (.+)", r"\2 has no attribute '\1'"),
        (r"Cannot unify (.+?) and (.+?) for '\$.*", r"a value is once \1 and once \2; it must have one type"),
        (r"Cannot unify (.+?) and (.+?) for '(\w+)[^']*'.*", r"'\3' is once \1 and once \2; it must have one type"),
        (r".*Cannot bind .* to signature '(.*)' due to \"TypeError: (.*)\".*", r"\2: the function takes \1"),
        (r"Invalid use of (.+) with parameters (\(.*\))", r"\1 cannot be called with \2"),
        (r"No definition for lowering (\w+)\.(\w+) = .*", r"'\2' of a \1 cannot be set: make another \1"),
        (r"The 'with .*' construct is not supported.*", "'with' is not compiled"),
        (r"The use of yield in a closure is unsupported", "generator expressions are not compiled; write a loop"),
        (r"Use of unsupported opcode \(GET_YIELD_FROM_ITER\) found", "'yield from' is not compiled; write a loop"),
        (r"Use of unsupported opcode \(IMPORT_NAME\) found", "import inside rules that are compiled"),
        (r"Use of unsupported opcode \(LOAD_BUILD_CLASS\) found", "a class inside rules that are compiled"),
        (r"Use of unsupported opcode \(STORE_GLOBAL\) found", "rules that are compiled cannot set a global name"),
        (r"Use of unsupported opcode \((\w+)\) found", r"\1 is not compiled"),
    )
]  # fmt: skip
_OPERATORS = {
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "add": "+", "sub": "-", "mul": "*",
    "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "and_": "&", "or_": "|", "xor": "^", "lshift": "<<",
    "rshift": ">>", "iadd": "+=", "isub": "-=", "imul": "*=", "iand": "&=", "ior": "|=", "ixor": "^=",
    "itruediv": "/=", "ifloordiv": "//=", "imod": "%=", "ipow": "**=", "ilshift": "<<=", "irshift": ">>=",
}  # fmt: skip


def explain(error: BaseException, classes: list[type[Value]], function: FunctionType | None = None) -> ZermeloError:
    """The failure of a compilation as a `GameError`: the place in the code of the classes, and the reason.

    Where Numba names no place, the `function` that was compiled stands for it.

    >>> print(explain(ValueError("no idea"), []))
    does not compile: no idea
    """
    if isinstance(error, ZermeloError):
        return error
    text = _COLOURS.sub("", str(error))
    reason = plainly(_reason(text) or type(error).__name__)
    functions = reachable_functions(*classes)
    for file, line in _places(text):
        owner = _owner(file, line, functions)
        if owner:
            return GameError(f"{place(owner, line)} does not compile: {reason}")
    if function is not None:
        return GameError(f"{place(function, _line_with(function, reason))} does not compile: {reason}")
    names = ", ".join(cls.__name__ for cls in classes)
    return GameError(f"{names}{' ' if names else ''}does not compile: {reason}")


def place(function: FunctionType, line: int | None = None) -> str:
    """Where a function is, as the first words of a message: file, line (of its `def` by default) and name."""
    code = function.__code__
    return f"{os.path.relpath(code.co_filename)}:{line or code.co_firstlineno}: {function.__qualname__}"


def plainly(reason: str) -> str:
    """Numba's words for a mistake in those of the rules' author."""
    for pattern, plainer in _PLAINER:
        reason = pattern.sub(plainer, reason)
    return reason.strip().rstrip(".:")


def _places(text: str) -> Iterator[tuple[str, int]]:
    for found in _PLACE.finditer(text):
        yield found["file"] or found["at"], int(found["line"] or found["number"])


def _reason(text: str) -> str:
    """The first line that says what is wrong, without the frame around it and the lines of source it quotes."""
    quoting = False
    for line in text.splitlines():
        said = _KINDS.sub("", line.strip())
        quoting = bool(said) and (quoting or said.startswith("File "))
        call = re.match(r">>> ([\w.]+)\((.*)\)", said)
        if call:
            return _unknown_call(call[1], _split(call[2]))
        if said and not quoting and not _FRAME.match(said):
            return re.split(r"\.? Raised from ", said)[0]
    return ""


def _unknown_call(name: str, arguments: list[str]) -> str:
    """What a call of something that Numba does not know for these types looks like in the source."""
    if name == "exception_match":
        return "only 'except Exception' is compiled"
    shown = f"{name}({', '.join(arguments)})"
    if name in _OPERATORS and len(arguments) == 2:
        shown = f"{arguments[0]} {_OPERATORS[name]} {arguments[1]}"
    elif name == "getitem" and len(arguments) == 2:
        shown = f"{arguments[0]}[{arguments[1]}]"
    elif name == "contains" and len(arguments) == 2:
        shown = f"{arguments[1]} in {arguments[0]}"
    return f"there is no {shown} in rules that are compiled"


def _split(arguments: str) -> list[str]:
    """Types separated by commas, some with commas of their own inside brackets."""
    parts, depth = [""], 0
    for letter in arguments:
        depth += (letter in "([<") - (letter in ")]>")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _owner(file: str, line: int, functions: list[FunctionType]) -> FunctionType | None:
    """The function among those given whose code has the line."""
    path = os.path.realpath(file)
    for function in functions:
        code = function.__code__
        numbers = [number for _, _, number in code.co_lines() if number is not None]
        if os.path.realpath(code.co_filename) == path and numbers and min(numbers) <= line <= max(numbers):
            return function
    return None


def _line_with(function: FunctionType, reason: str) -> int | None:
    """The first line of a function that uses a name that the reason quotes."""
    names = re.findall(r"'(\w+)'", reason)
    for step in dis.get_instructions(function):
        if step.argval in names and step.positions:
            return step.positions.lineno
    return None
