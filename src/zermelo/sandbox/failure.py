"""The ways in which a program fails: one word each, in results, tables and reports."""

from __future__ import annotations

from enum import StrEnum

from zermelo.errors import ZermeloError


class Reason(StrEnum):
    """What a program did wrong."""

    NO_START = "did not start"
    CRASH = "crashed"
    HANG = "hung"  # no answer in the patience of the arena, where no clock runs
    LATE = "out of time"  # an answer after its time, or none
    IGNORED_STOP = "ignored stop"
    GARBAGE = "garbage"  # an answer that is none of its protocol
    ILLEGAL = "illegal move"
    FLOOD = "too much output"
    MEMORY = "too much memory"
    PROCESSOR = "too much processor time"


class Failure(ZermeloError):
    """A program failed: `reason` is which way, `detail` what it did in one line, its last lines if that helps."""

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(f"{reason}: {detail}" if detail else str(reason))
        self.reason = reason
        self.detail = detail
