"""How an external program failed: the reasons shown in results, tables and reports."""

from __future__ import annotations

from enum import StrEnum

from zermelo.errors import EngineFailure


class Reason(StrEnum):
    """Kind of failure. The values are stored with each game: never change one."""

    NO_START = "did not start"
    CRASH = "crashed"
    HANG = "hung"  # no reply within `patience`, where no clock runs
    OUT_OF_TIME = "out of time"  # a late reply on a clock, or none
    IGNORED_STOP = "ignored stop"
    GARBAGE = "garbage"  # a reply that does not follow the protocol
    ILLEGAL = "illegal move"
    FLOOD = "too much output"
    MEMORY = "too much memory"
    CPU_TIME = "too much processor time"


class ProgramFailure(EngineFailure):
    """An external program failed.

    Parameters
    ----------
    reason : Reason
        Kind of failure.
    detail : str
        What happened, in one line; includes the last lines of output where they help.
    """

    reason: Reason

    def __init__(self, reason: Reason, detail: str = "") -> None:
        super().__init__(reason, detail)
