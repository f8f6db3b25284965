"""Check a student's search program: run it case by case in a sandbox, mark it, and diagnose its mistakes.

    report = check("student.py")
    report.points, report.max_points    # 100, 100
    report.diagnosis                    # the mistakes that explain its behaviour

docs/checking-code.md describes the marks, the cases and the sandbox.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from tokenize import detect_encoding
from typing import Any

from zermelo._util.text import single_line
from zermelo.errors import FileError, LimitError, TreeError
from zermelo.sandbox.sandboxed_script import SandboxedScript, ScriptLimits
from zermelo.teaching.exercises.check_cases import FUNCTIONS, CheckCase, make_cases
from zermelo.teaching.exercises.check_report import CaseResult, CheckReport
from zermelo.teaching.exercises.input_limits import read_limited
from zermelo.teaching.exercises.program_diagnosis import diagnose_program, program_notes
from zermelo.teaching.exercises.rules_server import GameServer
from zermelo.teaching.tree.convention import ALPHABETA, Convention

#: Default number of cases: each kind of case once.
DEFAULT_CASES = 20
#: Maximum size of a program in bytes.
MAX_PROGRAM_BYTES = 1_000_000
#: The script that runs a student's program inside the sandbox.
STUDENT_PROCESS = Path(__file__).with_name("student_process.py")


def check(
    path: str | Path,
    *,
    function: str | None = None,
    convention: str | Convention = "",
    seed: int = 0,
    cases: int = DEFAULT_CASES,
    limits: ScriptLimits | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> CheckReport:
    """Check a student's search program.

    The program defines `alphabeta(game, state, depth)`, `minimax` or `expectiminimax`. Each case runs in a sandboxed
    process of its own, so a crash or a hang costs only the marks of that case.

    Parameters
    ----------
    path : str or Path
        The program, one Python file of at most 1 MB.
    function : {'alphabeta', 'minimax', 'expectiminimax'}, optional
        The function to call; by default the first of these that the file defines.
    convention : str or Convention
        The cutoff rule, ``equal`` (the default) or ``strict``. Other words of a convention have no effect.
    seed : int
        Seed of the cases, from 0 to 2**64 - 1.
    cases : int
        Number of cases, from 1 to 500.
    limits : ScriptLimits, optional
        Limits of each case; by default 2 seconds and 256 MB.
    progress : callable, optional
        Called before each case with the number of finished cases and of all cases.

    Returns
    -------
    CheckReport
        Marks, remarks and diagnosis. A program that cannot be run gets a report with a `failure`, not an exception.

    Raises
    ------
    FileError
        If the file cannot be read.
    TreeError
        If the file is too large, or if a word of the convention is unknown.
    LimitError
        If the function, the seed or the number of cases is out of range.
    """
    path = Path(path)
    limits = limits or ScriptLimits()
    rules = convention if isinstance(convention, Convention) else Convention.of(convention)
    if function is not None and function not in FUNCTIONS:
        raise LimitError(f"unknown function {function!r}; use one of {', '.join(FUNCTIONS)}")
    source = read_program(path)
    file = path.name
    loaded = source if isinstance(source, ProgramError) else _load(file, source, limits)
    name = function or _first_function(loaded)
    rules = replace(rules, algorithm=name) if rules.algorithm != name else rules
    chosen = _cases(seed, cases, rules)
    report = CheckReport(str(path), name, rules, seed, limits, [])
    if isinstance(loaded, ProgramError):
        report.failure = loaded.text
    else:
        report.sandbox_limits = loaded.enforced
        report.failure = _signature_error(file, name, loaded.functions)
    for number, case in enumerate(chosen):
        if progress is not None:
            progress(number, len(chosen))
        if report.failure is not None:
            report.results.append(CaseResult(case, failure="not run: " + report.failure))
        else:
            assert isinstance(source, str)
            report.results.append(_run_case(case, file, source, name, limits))
    report.diagnosis = diagnose_program(report.results, name, rules)
    report.notes = list(program_notes(report.results))
    return report


@lru_cache(maxsize=2)
def _cases(seed: int, count: int, convention: Convention) -> tuple[CheckCase, ...]:
    """The cases, cached because a class is checked with the same ones."""
    return tuple(make_cases(seed, count, convention))


# ---- loading ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ProgramError:
    """Why a program cannot be run, in one line."""

    text: str


@dataclass(frozen=True)
class _Loaded:
    #: The program's functions with their minimum and maximum number of arguments.
    functions: dict[str, list[int | None]]
    #: Restrictions enforced by the sandbox.
    enforced: Sequence[str]


def read_program(path: Path) -> str | ProgramError:
    """Read the source of a program.

    Returns
    -------
    str or ProgramError
        The source, or an error if it cannot be decoded.

    Raises
    ------
    FileError
        If the file cannot be read.
    TreeError
        If the file is too large.
    """
    try:
        content = read_limited(path, MAX_PROGRAM_BYTES)
    except (TreeError, FileError) as error:
        raise type(error)(f"{path}: {error}; a program is a single Python file") from None
    try:
        encoding, _ = detect_encoding(io.BytesIO(content).readline)
        return content.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        return ProgramError(f"{path.name}: not Python source: {_one_line(str(error))}")


def _load(file: str, source: str, limits: ScriptLimits) -> _Loaded | ProgramError:
    """Import the program once to find its functions."""
    with SandboxedScript(STUDENT_PROCESS, limits) as script:
        script.send({"file": file, "source": source, "function": None, "expected": FUNCTIONS})
        message = script.receive()
    if isinstance(message, list) and len(message) == 2 and message[0] == "functions" and _is_functions(message[1]):
        return _Loaded(message[1], script.enforced)
    return ProgramError(_describe_failure(file, message, script, "import"))


def _is_functions(data: Any) -> bool:
    return isinstance(data, dict) and all(
        isinstance(counts, list) and len(counts) == 2 and all(count is None or type(count) is int for count in counts)
        for counts in data.values()
    )


def _first_function(loaded: _Loaded | ProgramError) -> str:
    if isinstance(loaded, _Loaded):
        for name in FUNCTIONS:
            if name in loaded.functions:
                return name
    return ALPHABETA


def _signature_error(file: str, name: str, functions: dict[str, list[int | None]]) -> str | None:
    """Why the function cannot be called with three arguments, or None."""
    if name not in functions:
        similar = get_close_matches(name, functions, 1) or list(functions)[:5]
        names = ", ".join(map(_one_line, similar))
        return f"{file}: no function {name}(game, state, depth)" + (f"; found {names}" if names else "")
    fewest, most = functions[name]
    if (fewest or 0) > 3 or (most is not None and most < 3):
        count = f"at least {fewest}" if (fewest or 0) > 3 else f"at most {most}"
        return f"{file}: {name} takes {count} arguments; it is called with three: {name}(game, state, depth)"
    return None


# ---- running ----------------------------------------------------------------------------------------------------


def _run_case(case: CheckCase, file: str, source: str, function: str, limits: ScriptLimits) -> CaseResult:
    """Run the program on a case in a new sandbox."""
    server = GameServer(case.tree)
    result = CaseResult(case)
    with SandboxedScript(STUDENT_PROCESS, limits) as script:
        script.send({"file": file, "source": source, "function": function, "depth": case.depth})
        message = script.receive()
        while isinstance(message, list) and message[:1] not in (["answer"], ["error"]):
            reply = server.answer(message)
            if server.stop_reason is not None:
                result.failure = f"{_call(function, case)}: {server.stop_reason}"
                break
            script.send(reply)
            message = script.receive()
    if result.failure is None:
        if _is_answer(message):
            result.value, result.move = message[1]["value"], message[1].get("move")
        else:
            result.failure = _describe_failure(file, message, script, _call(function, case))
    result.generated, result.searched = tuple(server.generated), tuple(server.searched)
    result.plays = server.plays
    result.output, result.seconds, result.sandbox_limits = script.output, script.seconds, script.enforced
    return result


def _call(function: str, case: CheckCase) -> str:
    return f"{function}(game, state, {case.depth})"


def _is_answer(message: Any) -> bool:
    if not (
        isinstance(message, list) and len(message) == 2 and message[0] == "answer" and isinstance(message[1], dict)
    ):
        return False
    value, move = message[1].get("value"), message[1].get("move")
    return type(value) in (int, float) and value == value and (move is None or type(move) is int)


def _describe_failure(file: str, message: Any, script: SandboxedScript, action: str) -> str:
    """Why there is no answer, in one line."""
    details = message[1] if isinstance(message, list) and len(message) == 2 and isinstance(message[1], dict) else {}
    if "invalid" in details:
        return _one_line(f"{action}: {details['invalid']}")
    if "type" in details:
        kind, text, line = details.get("type"), details.get("text"), details.get("line")
        where = f"{file}:{line}" if type(line) is int else file
        failure = f"{where}: {kind}" + (f": {text}" if text else "")
        if kind == "SystemExit":
            failure = f"{where}: SystemExit: the program exited instead of returning an answer"
        elif kind == "MemoryError":
            failure = f"{where}: MemoryError: the limit of {script.limits.memory >> 20} MB was exceeded"
        elif kind in ("BlockingIOError", "RuntimeError") and ("unavailable" in str(text) or "new thread" in str(text)):
            failure += "; programs cannot start processes or threads here"
        elif "Read-only file system" in str(text):
            failure += "; programs cannot write files here"
        return _one_line(failure)
    return _one_line(f"{action}: {script.failure or 'ended without an answer'}")


def _one_line(text: str, limit: int = 300) -> str:
    """Untrusted text as one printable line."""
    line = single_line(text)
    return line if len(line) <= limit else line[: limit - 3] + "..."
