"""Check a student's search program: run it case by case in a sandbox, mark it, and diagnose its mistakes.

    report = check("student.py")
    report.points, report.max_points    # 100, 100
    report.diagnosis                    # the mistakes that explain its behaviour

docs/checking-code.md describes the marks, the cases and the sandbox.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any

from zermelo._util.text import single_line
from zermelo._util.user_files import read_bytes, shown_path
from zermelo.errors import FileError, LimitError
from zermelo.sandbox import messages
from zermelo.sandbox.messages import Shapes
from zermelo.sandbox.restrictions import check_enforced
from zermelo.sandbox.sandboxed_script import SandboxedScript, ScriptLimits
from zermelo.search.textbook import MINIMAX
from zermelo.teaching.exercises.check_cases import FUNCTIONS, CheckCase, make_cases
from zermelo.teaching.exercises.check_report import MAX_POINTS, CaseResult, CheckReport, withhold_marks
from zermelo.teaching.exercises.program_diagnosis import diagnose_program, program_notes
from zermelo.teaching.exercises.rules_server import QUESTIONS, GameServer
from zermelo.teaching.tree.convention import ALPHABETA, EXPECTIMINIMAX, Convention

#: Default number of cases: each kind of case once.
DEFAULT_CASES = 20
#: Maximum size of a program in bytes.
MAX_PROGRAM_BYTES = 1_000_000
#: The functions of a program that has one for MAX and one for MIN (Russell and Norvig, fig. 5.3 and 5.7).
PAIR = ("max_value", "min_value")
#: Note on programs that do not solve all cases and need not.
OPTIONAL_CASES = (
    f"the program has {PAIR[0]} and {PAIR[1]}, which call each other; so cases in which a player moves twice in a row "
    "count only if they are right"
)
#: The functions that are looked for, folded.
EXPECTED = [name.replace("_", "") for name in (*FUNCTIONS, *PAIR)]
#: The script that runs a student's program inside the sandbox.
STUDENT_PROCESS = Path(__file__).with_name("student_process.py")


def check(
    path: str | Path,
    *,
    function: str | None = None,
    convention: str | Convention = "",
    seed: int | None = None,
    cases: int = DEFAULT_CASES,
    limits: ScriptLimits | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> CheckReport:
    """Check a student's search program.

    The program defines `alphabeta(game, state, depth)`, `minimax` or `expectiminimax`, or the two functions `max_value`
    and `min_value`, which call each other (Russell and Norvig). Each case runs in a sandboxed process of its own, so a
    crash or a hang costs only the marks of that case.

    Parameters
    ----------
    path : str or Path
        The program, one Python file of at most 1 MB.
    function : {'alphabeta', 'minimax', 'expectiminimax'}, optional
        The function to call; by default the first of these that the file defines. For `max_value` and `min_value` it
        is the algorithm; by default alpha-beta if they have parameters for alpha and beta.
    convention : str or Convention
        The cutoff rule, ``equal`` (the default) or ``strict``. Other words of a convention have no effect.
    seed : int, optional
        Seed of the cases, from 0 to 2**64 - 1; by default a random one, in the report. A program that knows the seed
        can know the cases. Check all programs of a class with the same seed.
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
        If the file cannot be read or is too large.
    TreeError
        If a word of the convention is unknown.
    LimitError
        If the function, the seed or the number of cases is out of range.
    """
    return check_source(
        Path(path),
        read_program(Path(path)),
        function=function,
        convention=convention,
        seed=seed,
        cases=cases,
        limits=limits,
        progress=progress,
    )


def check_source(
    path: Path,
    source: bytes | ProgramError,
    *,
    function: str | None = None,
    convention: str | Convention = "",
    seed: int | None = None,
    cases: int = DEFAULT_CASES,
    limits: ScriptLimits | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> CheckReport:
    """Check a program that has been read, or report why it could not be; see `check`."""
    limits = limits or ScriptLimits()
    rules = convention if isinstance(convention, Convention) else Convention.of(convention)
    if rules.enhancements or rules.has_star:
        word = (*rules.enhancements, rules.algorithm)[0]
        raise LimitError(f"programs are not checked for {word}; use alphabeta, minimax, negamax or expectiminimax")
    if function is not None and function not in FUNCTIONS:
        raise LimitError(f"unknown function {function!r}; use one of {', '.join(FUNCTIONS)}")
    file = shown_path(path.name)
    loaded = source if isinstance(source, ProgramError) else _load(file, source, limits)
    entry = loaded if isinstance(loaded, ProgramError) else _entry_point(file, function, loaded)
    name = entry.algorithm if isinstance(entry, _EntryPoint) else function or ALPHABETA
    rules = replace(rules, algorithm=name) if rules.algorithm != name else rules
    seed = draw_seed() if seed is None else seed
    chosen = _cases(seed, cases, rules)
    report = CheckReport(shown_path(path), name, rules, seed, limits, [])
    if isinstance(entry, _EntryPoint):
        report.two_functions, report.functions = entry.two_functions, entry.functions
    else:
        report.failure = entry.text
    if isinstance(loaded, _Loaded):
        report.sandbox_limits = loaded.enforced
    for number, case in enumerate(chosen):
        if progress is not None:
            progress(number, len(chosen))
        if isinstance(entry, ProgramError):
            report.results.append(CaseResult(case, failure="not run: " + entry.text))
            continue
        assert isinstance(source, bytes)
        result = _run_case(case, file, source, entry, limits)
        result.applies = not (entry.two_functions and case.moves_twice and result.points < MAX_POINTS)
        report.results.append(result)
    withhold_marks(report.applicable)
    report.diagnosis = diagnose_program(report.applicable, name, rules)
    report.notes = list(program_notes(report.applicable))
    if len(report.applicable) < len(report.results):
        report.notes.insert(0, OPTIONAL_CASES)
    return report


def folded(name: str) -> str:
    """A name without case and underscores: alpha_beta and alphaBeta are alphabeta."""
    return name.replace("_", "").lower()


def draw_seed() -> int:
    """Draw a seed that nobody can guess. Any JSON reader keeps its 53 bits exactly."""
    return secrets.randbits(53)


@lru_cache(maxsize=2)
def _cases(seed: int, count: int, convention: Convention) -> tuple[CheckCase, ...]:
    """The cases, cached because a class is checked with the same ones."""
    return tuple(make_cases(seed, count, convention))


# ---- messages of programs, which may also write to the channel themselves ----------------------------------------

_ERROR: Shapes = {"error": (messages.record(**messages.EXCEPTION),)}
_ARGUMENT = messages.optional(messages.integer(-255, 1 << 31))
_ARGUMENTS = messages.tuple_of(_ARGUMENT, _ARGUMENT)
#: After its import: the functions with their minimum and maximum number of arguments, and the expected functions that
#: are defined anywhere.
_IMPORT_MESSAGES: Shapes = _ERROR | {
    "functions": (messages.mapping(messages.text(40), _ARGUMENTS, 30), messages.array(messages.text(40), 10))
}
_ANSWER = messages.record(value=messages.number, move=messages.optional(messages.int64))
#: During a case: questions, then an answer, or why what the function returned is not one.
_CASE_MESSAGES: Shapes = _ERROR | QUESTIONS | {"answer": (_ANSWER,), "invalid": (messages.text(300),)}


# ---- loading ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ProgramError:
    """Why a program cannot be run, in one line."""

    text: str


@dataclass(frozen=True)
class _Loaded:
    #: The program's functions with their minimum and maximum number of arguments.
    functions: dict[str, list[int | None]]
    #: Whether it defines `max_value` and `min_value`, possibly inside another function or a class.
    has_pair: bool
    #: Restrictions enforced by the sandbox.
    enforced: Sequence[str]


def read_program(path: Path) -> bytes:
    """Read the source of a program, which is decoded in the sandbox: its encoding is the program's choice.

    Raises
    ------
    FileError
        If the file cannot be read, is too large or a link.
    """
    try:
        return read_bytes(path, MAX_PROGRAM_BYTES, follow_links=False)
    except FileError as error:
        raise FileError(f"{error}; a program is a single Python file") from None


def _load(file: str, source: bytes, limits: ScriptLimits) -> _Loaded | ProgramError:
    """Import the program once to find its functions."""
    with SandboxedScript(STUDENT_PROCESS, limits, _IMPORT_MESSAGES) as script:
        _check_sandbox(script, file)
        script.send({"file": file, "source": source.decode("latin-1"), "functions": None, "expected": EXPECTED})
        message = script.receive()
    if message is not None and message[0] == "functions":
        return _Loaded(message[1], {folded(name) for name in PAIR} <= set(message[2]), script.enforced)
    return ProgramError(_describe_failure(file, message, script, "import"))


def _check_sandbox(script: SandboxedScript, file: str) -> None:
    """Raise `InputError` if a required restriction does not hold in a process; the program is not loaded in it yet."""
    if script.limits.require_sandbox:
        check_enforced(script.enforced, f"for {file}")


@dataclass(frozen=True)
class _EntryPoint:
    """What is called: one function, or one for MAX and one for MIN."""

    algorithm: str
    functions: tuple[str, ...]
    #: Whether the program consists of a function for MAX and one for MIN, which assume that the players alternate.
    two_functions: bool

    def __str__(self) -> str:
        return " and ".join(self.functions)


def _entry_point(file: str, wanted: str | None, loaded: _Loaded) -> _EntryPoint | ProgramError:
    """Find the function to call: by its name, in another spelling, or the pair of `max_value` and `min_value`."""
    functions = loaded.functions

    def find(name: str) -> str | None:
        spelt = [each for each in functions if folded(each) == folded(name)]
        return next((each for each in sorted(spelt, key=name.__ne__) if _accepts(functions[each])), None)

    pair = tuple(filter(None, map(find, PAIR)))
    algorithms = (wanted,) if wanted else FUNCTIONS
    for algorithm in sorted(algorithms, key=lambda name: name not in functions):
        if (found := find(algorithm)) is not None:
            return _EntryPoint(algorithm, (found,), loaded.has_pair and algorithm != EXPECTIMINIMAX)
    if len(pair) == 2 and wanted != EXPECTIMINIMAX:
        has_window = all((most := functions[each][1]) is None or most >= 5 for each in pair)
        return _EntryPoint(wanted or (ALPHABETA if has_window else MINIMAX), pair, True)
    name = next((each for each in algorithms if each in functions), algorithms[0])
    if name not in functions:
        similar = get_close_matches(name, functions, 1) or list(functions)[:5]
        names = ", ".join(map(_one_line, similar))
        return ProgramError(f"{file}: no function {name}(game, state, depth)" + (f"; found {names}" if names else ""))
    fewest, most = functions[name]
    count = f"at most {most}" if most is not None and most < 3 else f"at least {fewest}"
    call = f"{name}(game, state, depth), or with alpha and beta"
    return ProgramError(f"{file}: {name} takes {count} arguments; it is called with three: {call}")


def _accepts(counts: list[int | None]) -> bool:
    """Whether a function can be called with game, state and depth, or with alpha and beta as well."""
    fewest, most = counts
    return any((fewest or 0) <= count and (most is None or most >= count) for count in (3, 5))


# ---- running ----------------------------------------------------------------------------------------------------


def _run_case(case: CheckCase, file: str, source: bytes, entry: _EntryPoint, limits: ScriptLimits) -> CaseResult:
    """Run the program on a case, and on its variants if the answer earns marks, in a new sandbox."""
    result = CaseResult(case)
    with SandboxedScript(STUDENT_PROCESS, limits, _CASE_MESSAGES, turns=1 + len(case.variants)) as script:
        _check_sandbox(script, file)
        script.send({"file": file, "source": source.decode("latin-1"), "functions": entry.functions})
        _ask(result, script, file, entry)
        for variant in case.variants:
            if not result.shows_search:
                break
            result.variants.append(CaseResult(variant))
            script.restart_clock()
            _ask(result.variants[-1], script, file, entry)
    result.output, result.seconds, result.sandbox_limits = script.output, script.seconds, script.enforced
    return result


def _ask(result: CaseResult, script: SandboxedScript, file: str, entry: _EntryPoint) -> None:
    """Ask the program for the value of a case; answer its questions and record them."""
    case = result.case
    server = GameServer(case.tree)
    script.send({"depth": case.depth})
    message = script.receive()
    while message is not None and message[0] in QUESTIONS:
        reply = server.answer(message)
        if server.stop_reason is not None:
            result.failure = f"{_call(entry, case)}: {server.stop_reason}"
            break
        script.send(reply)
        message = script.receive()
    if result.failure is None:
        if message is not None and message[0] == "answer":
            result.value, result.move = message[1]["value"], message[1]["move"]
        else:
            script.close()
            result.failure = _describe_failure(file, message, script, _call(entry, case))
    result.generated, result.searched = tuple(server.generated), tuple(server.searched)
    result.plays = server.plays


def _call(entry: _EntryPoint, case: CheckCase) -> str:
    return f"{entry}(game, state, {case.depth})"


def _describe_failure(file: str, message: list[Any] | None, script: SandboxedScript, action: str) -> str:
    """Why there is no answer, in one line."""
    if message is not None and message[0] == "invalid":
        return _one_line(f"{action}: {message[1]}")
    if message is not None:
        kind, text, line = message[1]["type"], message[1]["text"], message[1]["line"]
        where = file if line is None else f"{file}:{line}"
        failure = f"{where}: {kind}" + (f": {text}" if text else "")
        if kind == "SystemExit":
            failure = f"{where}: SystemExit: the program exited instead of returning an answer"
        elif kind == "MemoryError":
            failure = f"{where}: MemoryError: the limit of {script.limits.memory >> 20} MB was exceeded"
        elif kind in ("BlockingIOError", "RuntimeError") and ("unavailable" in text or "new thread" in text):
            failure += "; programs cannot start processes or threads here"
        elif "Read-only file system" in text:
            failure += "; programs cannot write files here"
        return _one_line(failure)
    return _one_line(f"{action}: {script.failure or 'ended without an answer'}")


def _one_line(text: str, limit: int = 300) -> str:
    """Untrusted text as one printable line."""
    line = single_line(text.strip())
    return line if len(line) <= limit else line[: limit - 3] + "..."
