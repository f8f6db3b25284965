"""Results of checking a student's program: marks and remarks of each case, the diagnosis, and the report.

A case is worth 5 marks: 1 for the value and 1 for the move (or 2 for the value if no move is returned), 2 for the set
of searched states, 1 for their order. It earns marks only if the answer shows a search: the states that the program
searched determine the right value, or a program with a known mistake searches the same states and returns the same
value; and so in all variants of the case. Where a guess can be right nevertheless, the other cases must show a search
too. Otherwise guesses, answers of other cases and blind visits of all states would earn most of the marks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf, isclose
from typing import Any

from zermelo.sandbox.restrictions import RESTRICTIONS
from zermelo.sandbox.sandboxed_script import ScriptLimits
from zermelo.teaching.exercises.check_cases import CheckCase
from zermelo.teaching.exercises.gradescope import GradescopeTest, gradescope_results, round_marks
from zermelo.teaching.exercises.mistakes import Mistake
from zermelo.teaching.exercises.program_behaviour import SolverOptions
from zermelo.teaching.exercises.rules_server import as_float
from zermelo.teaching.tree.convention import Convention
from zermelo.teaching.tree.numbers import as_json, format_number
from zermelo.teaching.tree.parsing import to_brackets

#: The marks of a case, by part.
VALUE, MOVE, STATES, ORDER = "value", "move", "states", "order"
MARKS = {VALUE: 1, MOVE: 1, STATES: 2, ORDER: 1}
MAX_POINTS = sum(MARKS.values())
#: Remark on the cases that a program with a function for each player need not solve.
NOT_APPLICABLE = "not applicable: a player moves twice in a row"


@dataclass
class CaseResult:
    """What a program did in one case.

    Attributes
    ----------
    case : CheckCase
        The case.
    value : float or None
        The returned value; None if the program returned none.
    move : int or None
        The returned move, as the number of a child of the root.
    generated, searched : tuple of int
        Indices of the nodes that were generated and searched, in order; see `GameServer`.
    plays : int
        Number of calls of `play`.
    failure : str or None
        Why there is no answer, in one line.
    output : str
        Beginning of the printed text.
    seconds : float
        Wall-clock time.
    applies : bool
        Whether the case counts. A program with one function for MAX and one for MIN, which call each other, need not
        solve a case in which a player moves twice in a row; it counts only if it is solved.
    """

    case: CheckCase
    value: float | None = None
    move: int | None = None
    generated: tuple[int, ...] = ()
    searched: tuple[int, ...] = ()
    plays: int = 0
    failure: str | None = None
    output: str = ""
    seconds: float = 0.0
    applies: bool = True
    #: Restrictions that were enforced, keys of `RESTRICTIONS`.
    sandbox_limits: Sequence[str] = ()
    #: The answers to the variants of the case, up to the first failure.
    variants: list[CaseResult] = field(default_factory=list)
    #: Whether the case earns no marks because too few others show a search; see `withhold_marks`.
    is_withheld: bool = False

    @property
    def is_value_right(self) -> bool:
        return self.value is not None and is_close(self.value, as_float(self.case.value))

    @property
    def is_value_found(self) -> bool:
        """Whether the value is right and follows from the states that were searched."""
        return self.is_value_right and self.case.is_determined_by(set(self.searched))

    @property
    def shows_search(self) -> bool:
        """Whether all values follow from the searched states, those of the variants too: rightly or by one mistake."""
        return any(map(self.shows_search_of, (None, *self.case.mistakes)))

    def shows_search_of(self, options: SolverOptions | None) -> bool:
        """Whether all variants show the search of a simulated program with a mistake, or a right one (None)."""
        answers = (self, *self.variants)
        if options is None:
            return all(each.is_value_found for each in answers)
        return all(each.behaves_as(options) for each in answers)

    def behaves_as(self, options: SolverOptions) -> bool:
        """Whether a simulated program with these options returns the same value and searches the same states."""
        simulated = self.case.simulate(options)
        return (
            self.value is not None
            and is_close(self.value, float(simulated.value))
            and self.searched == simulated.searched
        )

    @property
    def has_move(self) -> bool:
        return self.move is not None

    @property
    def marks(self) -> dict[str, int]:
        """The marks by part; the maximum is `MARKS`."""
        if self.is_withheld or not self.shows_search:
            return dict.fromkeys(MARKS, 0)
        value = int(self.is_value_found)
        expected = set(self.case.searched)
        common = [node for node in self.searched if node in expected]
        found = set(common)
        # The order is compared on the nodes that were rightly searched, so extra or missing states cost only their own
        # marks. At least half of the nodes must have been searched.
        is_ordered = common == [node for node in self.case.searched if node in found]
        return {
            VALUE: value,
            MOVE: int(self.move in self.case.best) if self.has_move else value,
            STATES: MARKS[STATES] * int(set(self.searched) == expected),
            ORDER: int(2 * len(common) >= len(expected) and is_ordered),
        }

    @property
    def points(self) -> int:
        """Sum of the marks."""
        return sum(self.marks.values())

    def remarks(self) -> list[str]:
        """Feedback, one remark a line; empty if everything is right."""
        if not self.applies:
            return [NOT_APPLICABLE]
        return [] if self.failure is None and self.points == MAX_POINTS else list(self._remarks())

    def _remarks(self) -> Iterator[str]:
        if self.failure is not None:
            yield self.failure
            return
        assert self.value is not None
        if not self.is_value_right:
            yield f"value {_format_float(self.value)}; correct: {format_number(self.case.value)}"
        elif not self.is_value_found:
            yield f"value {_format_float(self.value)} does not follow from the searched states"
        if self.has_move and self.move not in self.case.best:
            best = " or ".join(self._move_name(number) for number in self.case.best)
            yield f"move {self._move_name(self.move)}; correct: {best or 'none, there is no choice'}"
        expected, searched = set(self.case.searched), set(self.searched)
        extra = [node for node in self.searched if node not in expected]
        missing = [node for node in self.case.searched if node not in searched]
        if extra:
            yield f"{count_states(len(extra), 'extra ')} searched: {self._node_names(extra)}"
        if missing:
            yield f"{count_states(len(missing))} not searched: {self._node_names(missing)}"
        if not (self.is_value_found or any(map(self.behaves_as, self.case.mistakes))):
            yield "no marks: neither the right value nor a known mistake follows from the searched states"
        elif not self.shows_search:
            yield f"no marks: {self._describe_wrong_variant()}"
        elif self.is_withheld:
            yield "no marks: a guess can be right here, and too few of the other cases show a search"
        elif not self.marks[ORDER]:
            correct = [node for node in self.case.searched if node in searched]
            found = [node for node in self.searched if node in expected]
            for right, wrong in zip(correct, found, strict=True):
                if right != wrong:
                    yield f"order: {self._node_names([wrong])} searched instead of {self._node_names([right])}"
                    break

    @property
    def wrong_variant(self) -> CaseResult:
        """The first answer, of the case and its variants, that is not right."""
        return next((each for each in (self, *self.variants) if not each.is_value_found), self)

    def _describe_wrong_variant(self) -> str:
        wrong = self.wrong_variant
        if wrong is self:  # a known mistake explains it
            return "no known mistake explains the answers with other values at the leaves"
        text = f"with other values, {to_brackets(wrong.case.tree)}, "
        if wrong.value is None:
            return text + (wrong.failure or "no answer")
        if wrong.is_value_right:
            return text + f"value {_format_float(wrong.value)} does not follow from the searched states"
        return text + f"value {_format_float(wrong.value)}; correct: {format_number(wrong.case.value)}"

    def _move_name(self, number: int | None) -> str:
        tree = self.case.tree
        if number is None or not 0 <= number < len(tree.root.children):
            return str(number)
        return tree.move_name(tree.nodes[tree.root.children[number]])

    def _node_names(self, indices: Sequence[int], limit: int = 6) -> str:
        names = [self.case.tree.nodes[index].id for index in indices[:limit]]
        return ", ".join(names) + (", ..." if len(indices) > limit else "")

    def as_json(self) -> dict[str, Any]:
        """The result as plain data."""
        nodes, case = self.case.tree.nodes, self.case

        def move(number: int | None) -> dict[str, Any] | None:
            return None if number is None else {"number": number, "name": self._move_name(number)}

        return {
            "case": case.name,
            "about": case.about,
            "tree": to_brackets(case.tree),
            "depth": case.depth,
            "points": self.points,
            "max_points": MAX_POINTS,
            "applies": self.applies,
            "marks": self.marks,
            "failure": self.failure,
            "value": _value_as_json(self.value),
            "expected_value": as_json(case.value),
            "move": move(self.move),
            "best_moves": [move(number) for number in case.best],
            "searched": [nodes[index].id for index in self.searched],
            "expected_searched": [nodes[index].id for index in case.searched],
            "generated": [nodes[index].id for index in self.generated],
            "plays": self.plays,
            "variants": [
                {
                    "tree": to_brackets(each.case.tree),
                    "value": _value_as_json(each.value),
                    "expected_value": as_json(each.case.value),
                    "failure": each.failure,
                }
                for each in self.variants
            ],
            "remarks": self.remarks(),
            "output": self.output,
            "seconds": round(self.seconds, 3),
        }


@dataclass(frozen=True)
class Explanation:
    """Mistakes that explain the behaviour of a program.

    Attributes
    ----------
    mistakes : tuple of Mistake
        One mistake, several that cannot be distinguished, or two made together.
    combined : bool
        Whether the mistakes were made together. Otherwise any one of them explains the behaviour.
    explained, cases : int
        Number of cases explained, and of all cases with an answer.
    values_only : bool
        Whether only the values were compared, because no known mistake leads to the searched states.
    """

    mistakes: tuple[Mistake, ...]
    combined: bool
    explained: int
    cases: int
    values_only: bool = False

    @property
    def is_sure(self) -> bool:
        """Whether every case is explained, the searched states included."""
        return self.explained == self.cases and not self.values_only

    def __str__(self) -> str:
        """The diagnosis as feedback for the student."""
        titles = (" and " if self.combined else ", or ").join(mistake.title for mistake in self.mistakes[:4])
        if len(self.mistakes) > 4:  # too few cases to distinguish them
            titles += f", or {len(self.mistakes) - 4} others"
        sentences = " ".join(mistake.sentence for mistake in (self.mistakes if self.combined else self.mistakes[:1]))
        note = "" if self.combined or len(self.mistakes) == 1 else " (these cannot be distinguished)"
        if self.values_only:
            basis = f"explains the values of all {self.cases} cases, but not the states searched"
        elif self.is_sure:
            basis = "explains every case"
        else:
            basis = f"explains {self.explained} of {self.cases} cases"
        return f"{titles}{note}: {sentences} [{basis}]"

    def as_json(self) -> dict[str, Any]:
        """The explanation as plain data."""
        return {
            "mistakes": [mistake.id for mistake in self.mistakes],
            "titles": [mistake.title for mistake in self.mistakes],
            "sentences": [mistake.sentence for mistake in self.mistakes],
            "combined": self.combined,
            "explained": self.explained,
            "cases": self.cases,
            "values_only": self.values_only,
        }


@dataclass
class CheckReport:
    """The result of `check`.

    Attributes
    ----------
    file, function : str
        The program, and the algorithm: ``alphabeta``, ``minimax`` or ``expectiminimax``.
    convention : Convention
        The algorithm and the cutoff rule.
    seed : int
        Seed of the cases.
    limits : ScriptLimits
        Resource limits of each case.
    results : list of CaseResult
        The results, one for each case.
    failure : str or None
        Why the program could not be run at all, in one line. All marks are then lost.
    diagnosis : list of Explanation
        The mistakes that explain the behaviour, usually at most one explanation.
    notes : list of str
        Remarks that cost no marks.
    sandbox_limits : sequence of str
        Restrictions enforced on this system; see docs/checking-code.md.
    functions : tuple of str
        The program's functions that are called: one, or one for MAX and one for MIN.
    two_functions : bool
        Whether the program has a function for MAX and one for MIN. Then cases in which a player moves twice in a row
        are optional.
    """

    file: str
    function: str
    convention: Convention
    seed: int
    limits: ScriptLimits
    results: list[CaseResult]
    failure: str | None = None
    diagnosis: list[Explanation] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    sandbox_limits: Sequence[str] = ()
    functions: tuple[str, ...] = ()
    two_functions: bool = False

    @property
    def applicable(self) -> list[CaseResult]:
        """The results that count."""
        return [result for result in self.results if result.applies]

    @property
    def points(self) -> int:
        """Marks earned in all cases that count."""
        return sum(result.points for result in self.applicable)

    @property
    def max_points(self) -> int:
        """Marks of a correct program, 5 for each case that counts."""
        return len(self.applicable) * MAX_POINTS

    def part(self, name: str) -> int:
        """Marks earned in one part: ``value``, ``move``, ``states`` or ``order``."""
        return sum(result.marks[name] for result in self.applicable)

    @property
    def call(self) -> str:
        """The call that is checked: ``alphabeta(game, state, depth)``."""
        return f"{' and '.join(self.functions) or self.function}(game, state, depth)"

    @property
    def task(self) -> str:
        """The function and the cutoff rule, in a few words."""
        cut = str(self.convention).partition("; ")[2]
        return self.function + (f"; {cut}" if cut else "")

    @property
    def smallest_wrong_case(self) -> CaseResult | None:
        """The wrong case with the smallest tree, among those searched to the leaves."""
        wrong = [
            result
            for result in self.applicable
            if result.failure is None and result.remarks() and result.case.depth >= result.case.tree.depth
        ]
        return min(wrong, key=lambda result: len(result.case.tree), default=None)

    @property
    def limits_text(self) -> str:
        """The restrictions that were enforced, and those that this system does not support, in one line."""
        if not self.sandbox_limits:
            return "" if self.failure else "time limit only (this system supports no other limits)"
        enforced, missing = (
            ", ".join(each.label for name, each in RESTRICTIONS.items() if (name in self.sandbox_limits) == is_enforced)
            for is_enforced in (True, False)
        )
        return f"time limit, {enforced}" + (f"; not supported here: {missing}" if missing else "")

    @property
    def mistakes(self) -> list[Mistake]:
        """The mistakes named in the diagnosis."""
        return [mistake for explanation in self.diagnosis for mistake in explanation.mistakes]

    @property
    def unanswered(self) -> int:
        """Number of cases without an answer."""
        return sum(result.failure is not None for result in self.applicable)

    def as_json(self) -> dict[str, Any]:
        """The report as plain data."""
        return {
            "file": self.file,
            "function": self.function,
            "two_functions": self.two_functions,
            "convention": self.task,
            "seed": self.seed,
            "points": self.points,
            "max_points": self.max_points,
            "parts": {name: self.part(name) for name in MARKS},
            "failure": self.failure,
            "diagnosis": [each.as_json() | {"text": str(each)} for each in self.diagnosis],
            "notes": self.notes,
            "limits": {"seconds": self.limits.seconds, "memory": self.limits.memory, "output": self.limits.output},
            "sandbox_limits": list(self.sandbox_limits),
            "cases": [result.as_json() for result in self.results],
        }

    def as_gradescope(self, visibility: str = "visible") -> dict[str, Any]:
        """Return the content of Gradescope's results.json, with one test for each case.

        Parameters
        ----------
        visibility : {'visible', 'after_published', 'after_due_date', 'hidden'}
            When students see the remarks.

        Raises
        ------
        TreeError
            If the visibility is unknown.
        """
        tests = []
        for result in self.results:
            name = f"{result.case.name}: {result.case.about}"
            points, most = (result.points, MAX_POINTS) if result.applies else (0, 0)
            tests.append(GradescopeTest(name, points, most, "\n".join(result.remarks())))
        summary = self.failure or f"{self.function}: {self.points} of {self.max_points} marks"
        output = "\n".join([summary, *map(str, self.diagnosis), *self.notes])
        extra = {"function": self.function, "seed": self.seed, "mistakes": [mistake.id for mistake in self.mistakes]}
        # The assignment's total is that of all cases, so the marks of the cases that count are scaled to it.
        total = len(self.results) * MAX_POINTS
        score = Fraction(self.points * total, self.max_points) if self.max_points else 0
        return gradescope_results(tests, output, visibility, extra) | {"score": round_marks(score)}


def withhold_marks(results: Sequence[CaseResult]) -> None:
    """Withhold the marks of cases in which a guess can be right, unless half of the others show a search.

    These are trees on which two comparisons are enough, and known positions of games. The others must be right or show
    the same mistake: among many cases a guess often equals some mistake.
    """
    revealing = [result for result in results if result.case.reveals_guessing]
    unexplained = [result for result in revealing if not result.shows_search_of(None)]
    mistakes = revealing[0].case.mistakes if revealing else ()
    explained = [sum(result.shows_search_of(options) for result in unexplained) for options in mistakes]
    shown = len(revealing) - len(unexplained) + max(explained, default=0)
    for result in results:
        result.is_withheld = 2 * shown < len(revealing) and not result.case.reveals_guessing


def is_close(one: float, other: float) -> bool:
    """Whether two values are equal up to rounding of floats (relative and absolute tolerance 1e-9)."""
    return one == other or isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)


def _value_as_json(value: float | None) -> Any:
    return None if value is None else as_json(value) if abs(value) == inf else value


def _format_float(value: float) -> str:
    return format_number(value) if abs(value) == inf else f"{value:.12g}"


def count_states(count: int, adjective: str = "") -> str:
    """``1 state``, ``2 states``, ``2 extra states``."""
    return f"{count} {adjective}state{'s' * (count != 1)}"
