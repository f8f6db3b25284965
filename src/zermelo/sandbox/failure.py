"""The ways in which a program fails: one word each, in results, tables and reports."""

from __future__ import annotations

from enum import StrEnum

from zermelo.errors import EngineFailure


class Reason(StrEnum):
    """What a program did wrong."""

    NO_START = "did not start"
    CRASH = "crashed"
    HANG = "hung"  # no answer in the patience of the arena, where no clock runs
    OUT_OF_TIME = "out of time"  # an answer after its time, or none
    IGNORED_STOP = "ignored stop"
    GARBAGE = "garbage"  # an answer that is none of its protocol
    ILLEGAL = "illegal move"
    FLOOD = "too much output"
    MEMORY = "too much memory"
    CPU_TIME = "too much processor time"


class ProgramFailure(EngineFailure):
    """A program failed: `reason` is the kind of failure, `detail` what it did in one line, with its last output."""

    reason: Reason

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(reason, detail)
