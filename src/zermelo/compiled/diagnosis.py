"""Turns Numba's compilation errors into one line for the game's author: file, line, method, and what to write instead.

Numba reports a failed compilation from the inside out: a reason, then each call with the file and line that it was made
from. The first of these in the user's own code is the place of the mistake.
"""

from __future__ import annotations

import ast
import dis
import inspect
import os
import re
from collections.abc import Iterator
from types import FunctionType

from zermelo.compiled.fingerprint import reachable_functions
from zermelo.core.value import Value, annotation_hint
from zermelo.errors import GameError, ZermeloError

_PLACE = re.compile(
    r'\bFile "(?P<file>[^"]+)", line (?P<line>\d+)|(?:\bat|Raised from) (?P<at>\S+\.py) \((?P<number>\d+)\)'
)
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_ERROR_NAMES = re.compile(r"^(?:\w+Error: )+")
# Lines of Numba's text around a reason.
_FRAME = re.compile(
    r"Failed in|- Resolution failure|None$|During:|There (is|are) \d|- Of which|((Operator )?Overload|Overload) (of|in)"
    r"|With argument|No match|<source|File |Rejected as|raised from|Known signatures|\* |\(.*\) ->|This error"
    r"|This is not usually|For more|To see|https?:|If you think|\[\d\]|Enable|Traceback|\^|No implementation of"
)
# What Numba says, and what its reader needs to know. First the names of types.
_PLAIN = [
    (re.compile(pattern), plain)
    for pattern, plain in (
        (r"class\(\w*?([A-Za-z_]\w*)\.[0-9a-f]{16}\)", r"\1"),
        (r"(?:[\w<>]+\.)*?(\w+)\.[0-9a-f]{16}\.\d*", r"\1"),
        (r"Literal\[(\w+)\]\([^)]*\)", r"\1"),
        (r"(\S+) generator\(func=.*has_finalizer=\w+\)", r"a generator of \1"),
        (r"(?:reflected )?(list|set)\((.+?)\)<iv=.*?>", r"\1 of \2"),
        (r"\bu?int(?:8|16|32|64|p)\b", "int"),
        (r"\bfloat(?:32|64)\b", "float"),
        (r"\bunicode_type\b", "str"),
        (r"\bnone\b", "None"),
        (r"\brange_state_\w+", "range"),
        (r"UniTuple\((\w+) x (\d+)\)", r"tuple of \2 \1s"),
        (r"\bTuple\(", "tuple("),
        (r"OptionalType\((.+?)\)", r"\1 or None"),
        (r"(?:readonly )?array\((\w+), (\d)d, \w\)", r"array of \1, \2d"),
        (r"Int value is too large: .*", "a number of more than 64 bits; make a Bitboard[n](...) of it above the class"),
        (r"Untyped global name '(any|all)'.*", r"'\1' is not compiled; write a loop"),
        (r"Untyped global name '(map|filter|reversed|iter|next)'.*", r"'\1' is not compiled; write a loop over range"),
        (r"Untyped global name 'super'.*", "'super' is not compiled; give the base's method a name of its own"),
        (r"Untyped global name '(\w+)'.*", r"'\1' cannot be used in compiled methods"),
        (r"The use of an? (\w+).* type, assigned to variable '(\w+)' in globals.*", r"'\2' is a \1; use a tuple"),
        (r"Unknown attribute '__class__' of type (.+)", r"'__class__' is not compiled; write \1(...)"),
        (r"Unknown attribute '_replace' of type (.+)", r"'_replace' is not compiled; write .replace(...)"),
        (r"Unknown attribute '(\w+)' of type (.+)", r"\2 has no attribute '\1'"),
        (r"Cannot unify (.+?) and (.+?) for '\$.*", r"a value is \1 on one path, \2 on another; use one type"),
        (r"Cannot unify (.+?) and (.+?) for '(\w+)[^']*'.*", r"'\3' is \1 on one path, \2 on another; use one type"),
        (r".*Cannot bind .* to signature '(.*)' due to \"TypeError: (.*)\".*", r"\2: the function takes \1"),
        (r"Invalid use of (.+) with parameters (\(.*\))", r"\1 cannot be called with \2"),
        (r"No definition for lowering (\w+)\.(\w+) = .*", r"'\2' of a \1 cannot be set; construct another \1"),
        (r"The 'with .*' construct is not supported.*", "'with' is not compiled; move it to an interpreted method"),
        (r"The use of yield in a closure is unsupported", "generator expressions are not compiled; write a loop"),
        (r"Use of unsupported opcode \(GET_YIELD_FROM_ITER\) found", "'yield from' is not compiled; write a loop"),
        (r"Use of unsupported opcode \(IMPORT_NAME\) found", "'import' in a method is not compiled; import above"),
        (r"Use of unsupported opcode \(LOAD_BUILD_CLASS\) found", "a class in a method is not compiled; move it above"),
        (r"Use of unsupported opcode \(STORE_GLOBAL\) found", "compiled methods cannot set global names; use a field"),
        (r"Use of unsupported opcode \((?:UNPACK_EX)\) found", "'a, *rest = ...' is not compiled; use indices"),
        (r"Use of unsupported opcode \((?:DICT_MERGE|DICT_UPDATE)\) found", "'**' is not compiled; name the arguments"),
        (r"Use of unsupported opcode \((?:MATCH_\w+)\) found", "'match' is compiled for numbers only; write 'if'"),
        (r"Use of unsupported opcode \((\w+)\) found", r"the bytecode \1 is not compiled; use simpler Python"),
        (r"format spec in f-strings not supported yet.*", "formats in f-strings are not compiled; move texts to an "
         "interpreted method"),
    )
]  # fmt: skip
_OPERATORS = {
    "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "add": "+", "sub": "-", "mul": "*",
    "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "and_": "&", "or_": "|", "xor": "^", "lshift": "<<",
    "rshift": ">>", "iadd": "+=", "isub": "-=", "imul": "*=", "iand": "&=", "ior": "|=", "ixor": "^=",
    "itruediv": "/=", "ifloordiv": "//=", "imod": "%=", "ipow": "**=", "ilshift": "<<=", "irshift": ">>=",
}  # fmt: skip


def explain(error: BaseException, classes: list[type[Value]], function: FunctionType | None = None) -> ZermeloError:
    """Convert a failed compilation to a `GameError` that names the place in the code of the classes, and the reason.

    If Numba names no place, it is the `function` that was compiled.

    >>> print(explain(ValueError("no idea"), []))
    does not compile: no idea
    """
    if isinstance(error, ZermeloError):
        return error
    text = _COLOURS.sub("", str(error))
    reason = plain_types(_reason(text) or type(error).__name__)
    functions = reachable_functions(*classes)
    for file, line in _places(text):
        owner = _owner(file, line, functions)
        if owner:
            return _refusal(owner, line, reason, classes)
    if function is not None:
        return _refusal(function, _line_with(function, reason), reason, classes)
    names = ", ".join(cls.__name__ for cls in classes)
    return GameError(f"{names}{' ' if names else ''}does not compile: {reason}")


def place(function: FunctionType, line: int | None = None) -> str:
    """The first words of a message: file, line (by default of the `def`) and name of a function."""
    code = function.__code__
    return f"{os.path.relpath(code.co_filename)}:{line or code.co_firstlineno}: {function.__qualname__}"


def plain_types(reason: str) -> str:
    """Replace Numba's names of types, and its words for common mistakes, by Python's."""
    for pattern, plain in _PLAIN:
        reason = pattern.sub(plain, reason)
    return reason.strip().rstrip(".:")


def _places(text: str) -> Iterator[tuple[str, int]]:
    for found in _PLACE.finditer(text):
        yield found["file"] or found["at"], int(found["line"] or found["number"])


def _reason(text: str) -> str:
    """The first line that says what is wrong, without the lines around it and the source that it quotes."""
    quoting = False
    for line in text.splitlines():
        message = _ERROR_NAMES.sub("", line.strip())
        quoting = bool(message) and (quoting or message.startswith("File "))
        call = re.match(r">>> ([\w.]+)\((.*)\)", message)
        if call:
            return _unknown_call(call[1], _split(call[2]))
        if message and not quoting and not _FRAME.match(message):
            return re.split(r"\.? Raised from ", message)[0]
    return ""


def _unknown_call(name: str, arguments: list[str]) -> str:
    """Describe a call that Numba does not support for these types, as it looks in the source."""
    if name == "exception_match":
        return "only 'except Exception' is compiled; test before the operation instead"
    shown = f"{name}({', '.join(arguments)})"
    if name in _OPERATORS and len(arguments) == 2:
        shown = f"{arguments[0]} {_OPERATORS[name]} {arguments[1]}"
    elif name == "getitem" and len(arguments) == 2:
        shown = f"{arguments[0]}[{arguments[1]}]"
    elif name == "contains" and len(arguments) == 2:
        shown = f"{arguments[1]} in {arguments[0]}"
    if name == "type":
        return f"'type' is not compiled; write {arguments[0]}(...)"
    if name == "setitem":
        return f"an item of a {arguments[0]} cannot be set; use replaced(items, index, value) or as_list(items)"
    if name == "tuple":
        return f"tuple({', '.join(arguments)}) is not compiled; give the list to the state itself, or write (a, b, c)"
    if name == "getitem" and "slice" in arguments[-1]:
        return f"a slice of a {arguments[0]} needs constant bounds; write a loop over the indices"
    if any("CPUDispatcher" in argument for argument in arguments):
        return f"{name} does not take a function when compiled; write a loop"
    return f"{shown} is not supported in compiled methods"


def _split(arguments: str) -> list[str]:
    """Split types at commas, but not inside brackets."""
    parts, depth = [""], 0
    for letter in arguments:
        depth += (letter in "([<") - (letter in ")]>")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _owner(file: str, line: int, functions: list[FunctionType]) -> FunctionType | None:
    """The function whose code contains the line."""
    path = os.path.realpath(file)
    for function in functions:
        code = function.__code__
        numbers = [number for _, _, number in code.co_lines() if number is not None]
        if os.path.realpath(code.co_filename) == path and numbers and min(numbers) <= line <= max(numbers):
            return function
    return None


def _line_with(function: FunctionType, reason: str) -> int | None:
    """The first line of a function that uses a name quoted in the reason."""
    names = re.findall(r"'(\w+)'", reason)
    for step in dis.get_instructions(function):
        if step.argval in names and step.positions:
            return step.positions.lineno
    return None


# ---- constructs that Numba reports by their consequences ----------------------------------------------------


def _refusal(function: FunctionType, line: int | None, reason: str, classes: list[type[Value]]) -> GameError:
    """The error; explained by the source where Numba names only a consequence: no type, no attribute, an assertion."""
    missing = re.fullmatch(r"(\w+) has no attribute '(\w+)'", reason)
    if missing:
        for cls in classes:
            kind = _KINDS_OF_MEMBERS.get(type(inspect.getattr_static(cls, missing[2], None)))
            if cls.__name__ == missing[1] and kind:
                reason = f"'{missing[2]}' is a {kind}, which is not compiled; make it an ordinary method"
    if "cannot be determined" in reason or reason in ("AssertionError", "KeyError", "NotImplementedError"):
        line, reason = _construct_at(function, line) or (line, reason)
    hints = filter(None, (annotation_hint(cls, reason) for cls in classes))
    return GameError(f"{place(function, line)} does not compile: {reason}{next(hints, '')}")


_KINDS_OF_MEMBERS: dict[type, str] = {property: "property", staticmethod: "static method", classmethod: "class method"}


def _construct_at(function: FunctionType, line: int | None) -> tuple[int, str] | None:
    """A construct in a function's source that is known not to compile, and its line; one on the given line first."""
    found = []
    for node in _nodes(function):
        if isinstance(node, ast.NamedExpr):
            found.append((node.lineno, "':=' is not compiled; assign on a line of its own"))
        elif isinstance(node, ast.Call) and any(word.arg == "strict" for word in node.keywords):
            found.append((node.lineno, "zip(..., strict=...) is not compiled; leave strict out"))
        elif isinstance(node, ast.Call) and any(word.arg == "key" for word in node.keywords):
            called = ast.unparse(node.func)
            found.append((node.lineno, f"{called} does not take a function when compiled; write a loop"))
    found.sort(key=lambda item: (item[0] != line, item[0]))
    return found[0] if found else None


def _nodes(function: FunctionType) -> Iterator[ast.AST]:
    """The syntax tree of a function with the line numbers of its file; nothing if the source is not available."""
    code = function.__code__
    try:
        with open(code.co_filename, encoding="utf-8") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == code.co_name:
            lines = [node.lineno, *(each.lineno for each in node.decorator_list)]
            if code.co_firstlineno in lines:
                yield from ast.walk(node)
