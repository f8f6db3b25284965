"""One comparison: what a slide has, and what comes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

AGREES, DIFFERS, MISPRINT, WAITS = "agrees", "differs", "misprint", "waits"


@dataclass(frozen=True)
class Check:
    """One comparison; `expected` and `found` are plain data."""

    what: str
    expected: Any
    found: Any
    status: str
    convention: str = ""
    #: What is to be said of it: of a claim, the verdict.
    note: str = ""

    def as_json(self) -> dict[str, Any]:
        """As plain data."""
        return {key: value for key, value in vars(self).items() if value != "" or key in ("expected", "found")}


def compared(what: str, expected: Any, found: Any, convention: str = "", note: str = "") -> Check:
    """What has to be equal."""
    return Check(what, expected, found, AGREES if expected == found else DIFFERS, convention, note)


def misprinted(what: str, printed: Any, found: Any, convention: str = "", note: str = "") -> Check:
    """What a slide prints and must not come out."""
    return Check(what, printed, found, DIFFERS if printed == found else MISPRINT, convention, note)


def claimed(claim: str, said: Any, found: Any, holds: bool, verdict: str) -> Check:
    """A claim in words: what is said, what was found, and the verdict; `holds` was worked out."""
    return Check(claim, said, found, AGREES if holds else DIFFERS, note=verdict)
