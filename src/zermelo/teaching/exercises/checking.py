"""A student's program checked: run case by case in a box, marked, and told which mistakes explain what it did.

    report = check(Path("student.py"))
    report.points, report.max_points            # 100, 100
    report.diagnosis                    # what it does wrong, by name

What a case is worth: 2 marks for the answer (a value alone 2, a value with a move 1 each), 2 for the set of states that
were searched, 1 for their order. Docs: docs/checking-code.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import lru_cache
from math import isclose
from pathlib import Path
from typing import Any

from zermelo._util.text import single_line
from zermelo.errors import FileError, LimitError, TreeError
from zermelo.sandbox.sandboxed_script import SandboxedScript, ScriptLimits
from zermelo.teaching.exercises import program_behaviour as behaviour
from zermelo.teaching.exercises.check_cases import FUNCTIONS, CheckCase, trials
from zermelo.teaching.exercises.gradescope import GradescopeTest, gradescope_results
from zermelo.teaching.exercises.input_limits import read_limited
from zermelo.teaching.exercises.mistakes import Mistake
from zermelo.teaching.exercises.program_behaviour import Behaviour, SolverOptions
from zermelo.teaching.exercises.rules_server import GameServer, as_float
from zermelo.teaching.tree.convention import ALPHABETA, Convention
from zermelo.teaching.tree.numbers import as_json, format_number
from zermelo.teaching.tree.parsing import to_brackets

#: How many cases a check has if nothing else is said: each recipe once.
DEFAULT_CASES = 20
#: The longest program that is read, in bytes.
MAX_PROGRAM_BYTES = 1_000_000
#: The marks of a case, by part. Without a move the value has the move's mark, too.
VALUE, MOVE, STATES, ORDER = "value", "move", "states", "order"
MARKS = {VALUE: 1, MOVE: 1, STATES: 2, ORDER: 1}
#: Whom the walls keep from what, for people; the names are those of `outside.walls`.
WALLS = {
    "memory": "memory limit",
    "processes": "no other processes",
    "files": "no files written",
    "deleting": "no files deleted",
    "network": "no network",
    "signals": "no signals",
    "user": "a user of its own",
    "with parent": "ends with the grader",
}
_SIDE = Path(__file__).with_name("student_process.py")


@dataclass
class CaseResult:
    """What a program did in one case, and the marks it has for that."""

    case: CheckCase
    #: What it returned; None if it returned nothing that can be a value.
    value: float | None = None
    move: int | None = None
    #: Indices of nodes: see `GameServer`.
    generated: tuple[int, ...] = ()
    searched: tuple[int, ...] = ()
    #: How many states it made, those made again included.
    plays: int = 0
    #: Why there is no answer, in one line.
    failure: str | None = None
    output: str = ""
    seconds: float = 0.0
    sandbox_limits: Sequence[str] = ()

    @property
    def is_value_right(self) -> bool:
        return self.value is not None and _same(self.value, as_float(self.case.value))

    @property
    def has_move(self) -> bool:
        return self.move is not None

    @property
    def marks(self) -> dict[str, int]:
        """The marks by part; the most there are is `MARKS`."""
        if self.value is None:
            return dict.fromkeys(MARKS, 0)
        value = int(self.is_value_right)
        asked = set(self.case.searched)
        common = [node for node in self.searched if node in asked]
        mine = set(common)
        return {
            VALUE: value,
            MOVE: int(self.move in self.case.best) if self.has_move else value,
            STATES: MARKS[STATES] * int(set(self.searched) == asked),
            # Of what should be searched and was: so a state too many or too few costs its own mark only.
            ORDER: int(
                2 * len(common) >= len(asked) and common == [node for node in self.case.searched if node in mine]
            ),
        }

    @property
    def points(self) -> int:
        return sum(self.marks.values())

    def remarks(self) -> list[str]:
        """What is to be said of this case, a line each; nothing if all is right."""
        return [] if self.failure is None and self.points == sum(MARKS.values()) else list(self._remarks())

    def _remarks(self) -> Iterator[str]:
        if self.failure is not None:
            yield self.failure
            return
        assert self.value is not None
        if not self.is_value_right:
            yield f"value {_float_shown(self.value)}; {format_number(self.case.value)} is right"
        if self.has_move and not self.marks[MOVE]:
            best = " or ".join(self._arc(number) for number in self.case.best)
            yield f"move {self._arc(self.move)}; " + (f"{best} is right" if best else "there is none here")
        asked, searched = set(self.case.searched), set(self.searched)
        extra = [node for node in self.searched if node not in asked]
        missing = [node for node in self.case.searched if node not in searched]
        if extra:
            yield f"{_states(len(extra))} too many: {self._named(extra)}"
        if missing:
            yield f"{_states(len(missing))} not searched: {self._named(missing)}"
        if not self.marks[ORDER]:
            both = [node for node in self.case.searched if node in searched]
            mine = [node for node in self.searched if node in asked]
            for right, here in zip(both, mine, strict=True):
                if right != here:
                    yield f"order: {self._named([here])} was searched where {self._named([right])} comes"
                    break

    def _arc(self, number: int | None) -> str:
        tree = self.case.tree
        if number is None or not 0 <= number < len(tree.root.children):
            return str(number)
        return tree.move_name(tree.nodes[tree.root.children[number]])

    def _named(self, indices: Sequence[int], most: int = 6) -> str:
        named = [self.case.tree.nodes[index].id for index in indices[:most]]
        return ", ".join(named) + (", ..." if len(indices) > most else "")

    def as_json(self) -> dict[str, Any]:
        nodes, trial = self.case.tree.nodes, self.case

        def told(number: int | None) -> dict[str, Any] | None:
            return None if number is None else {"number": number, "name": self._arc(number)}

        return {
            "case": trial.name,
            "about": trial.about,
            "tree": to_brackets(trial.tree),
            "depth": trial.depth,
            "points": self.points,
            "of": sum(MARKS.values()),
            "marks": self.marks,
            "failure": self.failure,
            "value": None if self.value is None else as_json(self.value) if abs(self.value) == _INF else self.value,
            "expected_value": as_json(trial.value),
            "move": told(self.move),
            "best_moves": [told(number) for number in trial.best],
            "searched": [nodes[index].id for index in self.searched],
            "expected_searched": [nodes[index].id for index in trial.searched],
            "generated": [nodes[index].id for index in self.generated],
            "plays": self.plays,
            "remarks": self.remarks(),
            "output": self.output,
            "seconds": round(self.seconds, 3),
        }


_INF = float("inf")


@dataclass(frozen=True)
class Explanation:
    """What explains a program's behaviour: one mistake, several that look alike from outside, or two made together."""

    mistakes: tuple[Mistake, ...]
    #: Whether the mistakes were made together; otherwise any one of them explains what was seen.
    combined: bool
    #: In how many of the cases that came to an answer this is what was seen.
    explained: int
    cases: int
    #: Whether values were all that was compared, because the states searched fit nothing.
    values_only: bool = False

    @property
    def is_sure(self) -> bool:
        return self.explained == self.cases and not self.values_only

    def __str__(self) -> str:
        """The diagnosis as a sentence or two."""
        titles = (" and " if self.combined else ", or ").join(mistake.title for mistake in self.mistakes[:4])
        if len(self.mistakes) > 4:  # too few cases to tell them apart
            titles += f", or {len(self.mistakes) - 4} others"
        said = " ".join(mistake.sentence for mistake in (self.mistakes if self.combined else self.mistakes[:1]))
        alike = "" if self.combined or len(self.mistakes) == 1 else " (from outside these look alike)"
        if self.values_only:
            how = f"the values of all {self.cases} cases say so, the states searched fit nothing known"
        else:
            how = f"explains {self.explained} of {self.cases} cases" if not self.is_sure else "explains every case"
        return f"{titles}{alike}: {said} [{how}]"

    def as_json(self) -> dict[str, Any]:
        return {
            "mistakes": [mistake.id for mistake in self.mistakes],
            "titles": [mistake.title for mistake in self.mistakes],
            "sentences": [mistake.sentence for mistake in self.mistakes],
            "together": self.combined,
            "explained": self.explained,
            "cases": self.cases,
            "values_only": self.values_only,
        }


@dataclass
class CheckReport:
    """A program's check: every case, the marks, the diagnosis."""

    file: str
    function: str
    convention: Convention
    seed: int
    limits: ScriptLimits
    results: list[CaseResult]
    #: Why the program could not be tried at all, in one line; then all cases are lost.
    failure: str | None = None
    diagnosis: list[Explanation] = field(default_factory=list)
    #: What costs no marks, but should be said.
    notes: list[str] = field(default_factory=list)
    sandbox_limits: Sequence[str] = ()

    @property
    def points(self) -> int:
        return sum(attempt.points for attempt in self.results)

    @property
    def max_points(self) -> int:
        return len(self.results) * sum(MARKS.values())

    def part(self, name: str) -> int:
        """The marks in a part of `MARKS`, over all cases."""
        return sum(attempt.marks[name] for attempt in self.results)

    @property
    def task(self) -> str:
        """What the program was to do, in a few words."""
        cut = str(self.convention).partition("; ")[2]
        return self.function + (f"; {cut}" if cut else "")

    @property
    def smallest_wrong_case(self) -> CaseResult | None:
        """Of the cases where something is wrong the one with the smallest tree, of those searched to the leaves."""
        wrong = [
            each
            for each in self.results
            if each.failure is None and each.remarks() and each.case.depth >= each.case.tree.depth
        ]
        return min(wrong, key=lambda each: len(each.case.tree), default=None)

    @property
    def limits_text(self) -> str:
        """Which walls stood, and which did not, in a line."""
        if not self.sandbox_limits:
            return "" if self.failure else "the time limit only: this system has no other"
        standing, missing = (
            ", ".join(told for name, told in WALLS.items() if (name in self.sandbox_limits) == stands)
            for stands in (True, False)
        )
        return f"time limit, {standing}" + (f"; not here: {missing}" if missing else "")

    def as_json(self) -> dict[str, Any]:
        return {
            "file": self.file,
            "function": self.function,
            "convention": self.task,
            "seed": self.seed,
            "points": self.points,
            "of": self.max_points,
            "parts": {name: self.part(name) for name in MARKS},
            "failure": self.failure,
            "diagnosis": [each.as_json() | {"text": str(each)} for each in self.diagnosis],
            "notes": self.notes,
            "limits": {"seconds": self.limits.seconds, "memory": self.limits.memory, "output": self.limits.output},
            "walls": list(self.sandbox_limits),
            "cases": [attempt.as_json() for attempt in self.results],
        }

    @property
    def mistakes(self) -> list[Mistake]:
        """The mistakes that the diagnosis names."""
        return [mistake for each in self.diagnosis for mistake in each.mistakes]

    @property
    def unanswered(self) -> int:
        """In how many cases the program gave no answer."""
        return sum(attempt.failure is not None for attempt in self.results)

    def as_gradescope(self, visibility: str = "visible") -> dict[str, Any]:
        """The data of Gradescope's `results.json`: a test a case. Raises `TreeError` for an unknown visibility."""
        marked = [
            GradescopeTest(
                f"{attempt.case.name}: {attempt.case.about}",
                attempt.points,
                sum(MARKS.values()),
                "\n".join(attempt.remarks()),
            )
            for attempt in self.results
        ]
        said = [
            self.failure or f"{self.function}: {self.points} of {self.max_points} marks",
            *map(str, self.diagnosis),
            *self.notes,
        ]
        extra = {"function": self.function, "seed": self.seed, "mistakes": [mistake.id for mistake in self.mistakes]}
        return gradescope_results(marked, "\n".join(said), visibility, extra)


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
    """Run a student's `alphabeta`, `minimax` or `expectiminimax(game, state, depth)` and mark what it does.

    Each case is a process of its own, behind walls (`outside.walls`), and cannot cost more than its limits. Without a
    `function` the first of these that the file defines is run. Of the `convention` only matters whether an equal value
    cuts; `progress` is called with the cases done and all there are.

    Raises `TreeError` where the file cannot be read, `LimitError` for limits, seeds and counts out of range.
    Whatever the program does raises nothing.
    """
    path = Path(path)
    limits = limits or ScriptLimits()
    said = convention if isinstance(convention, Convention) else Convention.of(convention)
    if function is not None and function not in FUNCTIONS:
        raise LimitError(f"function {function!r} is not one of {', '.join(FUNCTIONS)}")
    source = read_program(path)
    file = path.name
    loaded = source if isinstance(source, _Failure) else _functions(file, source, limits)
    name = function or _first_of(loaded)
    said = replace(said, algorithm=name) if said.algorithm != name else said
    chosen = _cases(seed, cases, said)
    report = CheckReport(str(path), name, said, seed, limits, [])
    if isinstance(loaded, _Failure):
        report.failure = loaded.text
    else:
        report.sandbox_limits = loaded.walls
        report.failure = _misfit(file, name, loaded.functions)
    for number, trial in enumerate(chosen):
        if progress is not None:
            progress(number, len(chosen))
        if report.failure is not None:
            report.results.append(CaseResult(trial, failure="not run: " + report.failure))
        else:
            assert isinstance(source, str)
            report.results.append(_attempt(trial, file, source, name, limits))
    report.diagnosis = diagnose(report.results, name, said)
    report.notes = list(_notes(report.results))
    return report


@lru_cache(maxsize=2)
def _cases(seed: int, count: int, convention: Convention) -> tuple[CheckCase, ...]:
    """The cases, which are the same for a whole class."""
    return tuple(trials(seed, count, convention))


# ---- running ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Failure:
    text: str


@dataclass(frozen=True)
class _Loaded:
    functions: dict[str, list[int | None]]
    walls: Sequence[str]


def read_program(path: Path) -> str | _Failure:
    """The text of a program, or why it is none. Raises `TreeError` where the file cannot be read."""
    import io
    from tokenize import detect_encoding

    try:
        read = read_limited(path, MAX_PROGRAM_BYTES)
    except (TreeError, FileError) as error:
        raise type(error)(f"{path}: {error}; a program is one file of Python") from None
    try:
        encoding, _ = detect_encoding(io.BytesIO(read).readline)
        return read.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        return _Failure(f"{path.name}: not a text of Python: {_line(str(error))}")


def _functions(file: str, source: str, limits: ScriptLimits) -> _Loaded | _Failure:
    """Load the program once, and see what it defines."""
    with SandboxedScript(_SIDE, limits) as box:
        box.send({"file": file, "source": source, "function": None, "wanted": FUNCTIONS})
        heard = box.receive()
    if isinstance(heard, list) and len(heard) == 2 and heard[0] == "functions" and _is_functions(heard[1]):
        return _Loaded(heard[1], box.enforced)
    return _Failure(_failure(file, heard, box, "importing it"))


def _is_functions(said: Any) -> bool:
    return isinstance(said, dict) and all(
        isinstance(counts, list) and len(counts) == 2 and all(count is None or type(count) is int for count in counts)
        for counts in said.values()
    )


def _first_of(loaded: _Loaded | _Failure) -> str:
    if isinstance(loaded, _Loaded):
        for name in FUNCTIONS:
            if name in loaded.functions:
                return name
    return ALPHABETA


def _misfit(file: str, name: str, functions: dict[str, list[int | None]]) -> str | None:
    """Why the function cannot be called, if it cannot."""
    if name not in functions:
        near = get_close_matches(name, functions, 1) or list(functions)[:5]
        has = ", ".join(map(_line, near))
        return f"{file}: no function {name}(game, state, depth)" + (f"; it defines {has}" if has else "")
    fewest, most = functions[name]
    if (fewest or 0) > 3 or (most is not None and most < 3):
        takes = f"at least {fewest}" if (fewest or 0) > 3 else f"at most {most}"
        return f"{file}: {name} takes {takes} arguments; it is called with three, {name}(game, state, depth)"
    return None


def _attempt(trial: CheckCase, file: str, source: str, function: str, limits: ScriptLimits) -> CaseResult:
    """Run the program on a case."""
    server = GameServer(trial.tree)
    attempt = CaseResult(trial)
    with SandboxedScript(_SIDE, limits) as box:
        box.send({"file": file, "source": source, "function": function, "depth": trial.depth})
        heard = box.receive()
        while isinstance(heard, list) and heard[:1] not in (["answer"], ["fault"]):
            answer = server.answer(heard)
            if server.stopped is not None:
                attempt.failure = server.stopped
                break
            box.send(answer)
            heard = box.receive()
    if attempt.failure is None:
        if _is_answer(heard):
            attempt.value, attempt.move = heard[1]["value"], heard[1].get("move")
        else:
            attempt.failure = _failure(file, heard, box, f"{function}(game, state, {trial.depth})")
    attempt.generated, attempt.searched = tuple(server.generated), tuple(server.searched)
    attempt.plays = server.plays
    attempt.output, attempt.seconds, attempt.sandbox_limits = box.output, box.seconds, box.enforced
    return attempt


def _is_answer(heard: Any) -> bool:
    if not (isinstance(heard, list) and len(heard) == 2 and heard[0] == "answer" and isinstance(heard[1], dict)):
        return False
    value, move = heard[1].get("value"), heard[1].get("move")
    return type(value) in (int, float) and value == value and (move is None or type(move) is int)


def _failure(file: str, heard: Any, box: SandboxedScript, doing: str) -> str:
    """Why there is no answer, in one line."""
    said = heard[1] if isinstance(heard, list) and len(heard) == 2 and isinstance(heard[1], dict) else {}
    if "unfit" in said:
        return _line(f"{doing}: {said['unfit']}")
    if "type" in said:
        kind, text, line = said.get("type"), said.get("text"), said.get("line")
        where = f"{file}:{line}" if type(line) is int else file
        told = f"{where}: {kind}" + (f": {text}" if text else "")
        if kind == "SystemExit":
            told = f"{where}: it ended Python (SystemExit) in place of returning an answer"
        elif kind == "MemoryError":
            told = f"{where}: MemoryError: it used up its {box.limits.memory >> 20} MB"
        elif kind in ("BlockingIOError", "RuntimeError") and ("unavailable" in str(text) or "new thread" in str(text)):
            told += "; a program here starts no processes and no threads"
        elif "Read-only file system" in str(text):
            told += "; a program here writes no files"
        return _line(told)
    return _line(f"{doing}: {box.failure or 'it ended without an answer'}")


def _line(text: str, most: int = 300) -> str:
    """A text of a stranger as one line that does nothing to a terminal."""
    line = single_line(text)
    return line if len(line) <= most else line[: most - 3] + "..."


# ---- telling mistakes -------------------------------------------------------------------------------------------


def diagnose(attempts: Sequence[CaseResult], function: str, convention: Convention) -> list[Explanation]:
    """Which mistakes explain what was seen, by comparison with solvers that make them. Nothing where all is right."""
    seen = [attempt for attempt in attempts if attempt.value is not None]
    if not seen or all(attempt.points == sum(MARKS.values()) for attempt in seen):
        return []
    sound = behaviour.right(function, convention.cut == "strict")
    chance = any(node.weights for attempt in seen for node in attempt.case.tree)
    ways = [
        (mistake, options)
        for mistake in behaviour.possible(sound, chance)
        for options in behaviour.wrong(mistake, sound)
    ]

    # One mistake explains every case.
    whole = [mistake for mistake, options in ways if all(_fits(attempt, options) for attempt in seen)]
    if whole:
        return [Explanation(tuple(dict.fromkeys(whole)), False, len(seen), len(seen))]

    # Two together do.
    for both, options in behaviour.pairs(sound, chance):
        if len(seen) > 1 and all(_fits(attempt, options) for attempt in seen):
            return [Explanation(both, True, len(seen), len(seen))]

    # One explains most cases, and clearly more than no mistake at all does.
    counts = [(sum(_fits(attempt, options) for attempt in seen), mistake) for mistake, options in ways]
    most, _ = max(counts, key=lambda each: each[0], default=(0, None))
    if most >= 0.6 * len(seen) and most > sum(_fits(attempt, sound) for attempt in seen):
        likely = tuple(dict.fromkeys(mistake for count, mistake in counts if count == most))
        return [Explanation(likely, False, most, len(seen))]

    # The states fit nothing; but perhaps all values do, and enough of them are wrong.
    if sum(not attempt.is_value_right for attempt in seen) >= 2:
        by_value = [mistake for mistake, options in ways if all(_fits_value(attempt, options) for attempt in seen)]
        if by_value:
            return [Explanation(tuple(dict.fromkeys(by_value)), False, len(seen), len(seen), values_only=True)]
    return []


def _fits(attempt: CaseResult, options: SolverOptions) -> bool:
    """Whether the program did here what a program of these options does."""
    does = attempt.case.behaviour(options)
    if not (_fits_value(attempt, options) and attempt.searched == does.searched):
        return False
    # Which of several best moves is told matters only where the choice is the mistake.
    return options.chooses == "first" or attempt.move == does.move


def _fits_value(attempt: CaseResult, options: SolverOptions) -> bool:
    does: Behaviour = attempt.case.behaviour(options)
    assert attempt.value is not None
    return _same(attempt.value, float(does.value))


def _notes(attempts: Sequence[CaseResult]) -> Iterator[str]:
    """What costs no marks, but a student or a teacher wants to know."""
    seen = [attempt for attempt in attempts if attempt.value is not None]
    ahead = [attempt for attempt in seen if len(attempt.generated) > len(set(attempt.searched) | {0})]
    if ahead:
        extra = sum(len(set(attempt.generated) - set(attempt.searched) - {0}) for attempt in ahead)
        yield (
            f"{_states(extra)} generated and never looked at, in {len(ahead)} of {len(seen)} cases: children are made "
            "before a cut could spare them"
        )
    again = sum(attempt.plays - (len(attempt.generated) - 1) for attempt in seen)
    if again > 0:
        yield f"{_states(again)} generated a second time: a child is to be searched once, and its value kept"
    if seen and not any(attempt.has_move for attempt in seen):
        yield "no moves returned, only values; the moves' marks go with the values"
    if len(seen) > 1 and all(map(_is_swapped, seen)) and not all(attempt.is_value_right for attempt in seen):
        yield "it seems to return (move, value); what is asked for is (value, move)"
    printed = sum(bool(attempt.output) for attempt in attempts)
    if printed:
        yield f"it printed something in {printed} of {len(attempts)} cases; printing has no influence on marks"


def _is_swapped(attempt: CaseResult) -> bool:
    """Whether what was returned is right the other way round."""
    if attempt.move is None or attempt.value is None:
        return False
    return _same(attempt.move, as_float(attempt.case.value)) and attempt.value in attempt.case.best


# ---- numbers ----------------------------------------------------------------------------------------------------


def _same(one: float, other: float) -> bool:
    return one == other or isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


def _float_shown(value: float) -> str:
    return format_number(value) if abs(value) == _INF else f"{value:.12g}"


def _states(count: int) -> str:
    return f"{count} state{'s' * (count != 1)}"
