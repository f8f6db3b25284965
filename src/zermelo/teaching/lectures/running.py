"""Run the cases of the lectures and compare the results with the slides.

    for outcome in run_all():
        print(outcome.case.id, outcome.status)

A case `agrees` if all comparisons agree, `differs` if one does not, and is `skipped` if the slides lack the data. The
status `misprint` of a single check means that a known error on a slide was confirmed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from zermelo.teaching.lectures.cases import Case, analyses, cases
from zermelo.teaching.lectures.checks import AGREES, DIFFERS, SKIPPED, Check


@dataclass(frozen=True)
class Outcome:
    """A case and its checks."""

    case: Case
    checks: tuple[Check, ...]

    @property
    def status(self) -> str:
        """`agrees`, `differs` or `skipped`."""
        if any(check.status == DIFFERS for check in self.checks):
            return DIFFERS
        if not self.checks or (self.case.missing and not self.case.has_tree):
            return SKIPPED
        return AGREES

    def as_json(self) -> dict[str, Any]:
        """The outcome as plain data."""
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
            "missing": case.missing or None,
            "misprints": [vars(misprint) for misprint in case.misprints],
            "checks": [check.as_json() for check in self.checks],
        }


def run(case: Case) -> Outcome:
    """Run one case."""
    return Outcome(case, tuple(_checks(case)))


def run_all(lecture: str = "") -> Iterator[Outcome]:
    """Run all cases, or those of one lecture, followed by the analyses."""
    for case in (*cases(), *analyses()):
        if not lecture or case.belongs_to(lecture):
            yield run(case)


def _checks(case: Case) -> Iterator[Check]:
    if case.has_tree:
        from zermelo.teaching.lectures import trees

        yield from trees.checks(case)
    additional = _additional_checks(case.id)
    if additional is not None:
        yield from additional(case)


def _additional_checks(id: str) -> Callable[[Case], Iterable[Check]] | None:
    """Additional checks of a case, besides the traces of its tree."""
    from zermelo.teaching.lectures import checkers, claims, conventions, othello, pennies, properties, rows, tictactoe

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
        "minimax_properties": properties.minimax_properties,
        "relative_values": properties.relative_values,
        "othello_first_plies": othello.first_plies,
    }.get(id)
