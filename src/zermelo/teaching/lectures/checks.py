"""Comparisons of the slides with computed results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

AGREES, DIFFERS, MISPRINT, SKIPPED = "agrees", "differs", "misprint", "skipped"


@dataclass(frozen=True)
class Check:
    """One comparison. `expected` is from the slide, `found` is computed; both are plain data."""

    what: str
    expected: Any
    found: Any
    status: str
    convention: str = ""
    #: A remark; for a claim, the verdict.
    note: str = ""

    def as_json(self) -> dict[str, Any]:
        """As plain data."""
        return {key: value for key, value in vars(self).items() if value != "" or key in ("expected", "found")}


def compared(what: str, expected: Any, found: Any, convention: str = "", note: str = "") -> Check:
    """Compare two results that must be equal."""
    return Check(what, expected, found, AGREES if expected == found else DIFFERS, convention, note)


def misprinted(what: str, printed: Any, found: Any, convention: str = "", note: str = "") -> Check:
    """Compare with a misprint: the computed result must differ from the printed one."""
    return Check(what, printed, found, DIFFERS if printed == found else MISPRINT, convention, note)


def claimed(claim: str, statement: Any, found: Any, holds: bool, verdict: str) -> Check:
    """Check a claim: the statement, the computed result, whether the claim holds, and the verdict."""
    return Check(claim, statement, found, AGREES if holds else DIFFERS, note=verdict)
