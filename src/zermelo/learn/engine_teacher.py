"""What teachers that are engines of a protocol share: the program, which is started again after a failure."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Self

from zermelo.errors import ZermeloError
from zermelo.sandbox.failure import ProgramFailure
from zermelo.sandbox.program import Program, ProgramLimits

#: Seconds for an answer; and of processor time in all, unless the spec has a limit.
SECONDS, PROCESSOR = 600.0, 1e7


class EngineTeacher(ABC):
    """An engine. Use it as a context manager.

    Parameters
    ----------
    name : str
        What messages call it.
    command : list of str
    limits : ProgramLimits
    """

    def __init__(self, name: str, command: list[str], limits: ProgramLimits) -> None:
        self.name = name
        self._command = command
        self._limits = limits if limits.processor != ProgramLimits.processor else replace(limits, processor=PROCESSOR)
        self._has_failed = False

    @abstractmethod
    def _begin(self, program: Program) -> None:
        """Initialize the engine."""

    def __enter__(self) -> Self:
        self._program = Program(self._command, self._limits)
        try:
            self._program.__enter__()
            self._begin(self._program)
        except ProgramFailure as failure:
            raise self._failed(failure) from None
        except BaseException:
            self._close()
            raise
        self._has_failed = False
        return self

    def __exit__(self, *error: object) -> None:
        self._program.close()

    @contextmanager
    def _running(self) -> Iterator[None]:
        """A block in which the engine runs. If it fails there, or the block is interrupted, the engine is ended.

        After an interrupt its next answer would belong to an earlier question.
        """
        if self._has_failed:
            self.__enter__()
        try:
            yield
        except ProgramFailure as failure:
            raise self._failed(failure) from None
        except BaseException:
            self._close()
            raise

    def _failed(self, failure: ProgramFailure) -> ZermeloError:
        self._close()
        return ZermeloError(f"teacher failed: {self.name}: {failure}")

    def _close(self) -> None:
        """End the engine; the next block starts it again."""
        self._program.close()
        self._has_failed = True
