"""Each case of the lectures run by Zermelo's own code, and what it finds beside what the slides have.

    for outcome in run_all():
        print(outcome.case.id, outcome.status)

A case `agrees` if everything that can be compared does, and `waits` if what it is about cannot be compared yet. A check
of something that a slide prints wrongly is a `misprint`: it holds that the slide's number is *not* what comes out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from zermelo.teaching.lectures.cases import Case, analyses, cases
from zermelo.teaching.lectures.checks import AGREES, DIFFERS, WAITS, Check


@dataclass(frozen=True)
class Outcome:
    """A case and what came of it."""

    case: Case
    checks: tuple[Check, ...]

    @property
    def status(self) -> str:
        """`agrees`, `differs` or `waits`."""
        if any(check.status == DIFFERS for check in self.checks):
            return DIFFERS
        if not self.checks or (self.case.waits and not self.case.has_tree):
            return WAITS
        return AGREES

    def as_json(self) -> dict[str, Any]:
        """Everything as plain data."""
        case = self.case
        return {
            "id": case.id,
            "lecture": case.lecture,
            "confidence": case.confidence,
            "status": self.status,
            "kind": case.kind,
            "title": case.title,
            "slides": case.slides,
            "about": case.about,
            "doubt": case.doubt or None,
            "convention": case.convention or None,
            "waits": case.waits or None,
            "misprints": [vars(misprint) for misprint in case.misprints],
            "checks": [check.as_json() for check in self.checks],
        }


def run(case: Case) -> Outcome:
    """Run one case."""
    return Outcome(case, tuple(_checks(case)))


def run_all(lecture: str = "") -> Iterator[Outcome]:
    """Run all cases, or those of one lecture; the analyses come after the cases."""
    for case in (*cases(), *analyses()):
        if not lecture or case.belongs_to(lecture):
            yield run(case)


def _checks(case: Case) -> Iterator[Check]:
    if case.has_tree:
        from zermelo.teaching.lectures import trees

        yield from trees.checks(case)
    more = _more(case.id)
    if more is not None:
        yield from more(case)


def _more(id: str) -> Callable[[Case], Iterable[Check]] | None:
    """What a case asks for beyond the traces of its tree."""
    from zermelo.teaching.lectures import checkers, claims, conventions, othello, pennies, rows, tictactoe

    return {
        "jarrar_minimax_example2": rows.minimax_example2,
        "checkers_case_study": checkers.checks,
        "liang_orders": rows.orders,
        "ttt_open_lines_eval": tictactoe.open_lines,
        "ttt_stupid_utility": tictactoe.stupid_utility,
        "ttt_perfect_evaluation": tictactoe.perfect_evaluation,
        "pennies_7": pennies.checks,
        "othello_round_robin": othello.round_robin,
        "complexity_claims": claims.complexity,
        "pseudocode_conventions": conventions.checks,
    }.get(id)
