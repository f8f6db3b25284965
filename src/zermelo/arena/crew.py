"""Who does the work: tasks go out, outcomes come back in any order; each task has one outcome, and none is lost.

with crew_for("local:2") as crew:
    crew.add([Task(0, "game", job.write()), ...])
    while (outcome := crew.next(timeout=0.5)) is not None or crew.waiting: ...
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

#: After so many tries whose worker died, or that raised, a task is reported as failed.
TRIES = 3


@dataclass(frozen=True, slots=True)
class Task:
    """A piece of work, as text that travels: `kind` is one of `work.KINDS`, `data` JSON."""

    number: int
    kind: str
    data: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a task: its result as JSON, or the error that it ended with after all tries."""

    number: int
    data: str | None
    error: str | None = None
    tries: int = 1
    worker: str = ""


class Crew(ABC):
    """Workers. Each task that was added has exactly one outcome, unless it is cancelled or the crew closed before."""

    @abstractmethod
    def add(self, tasks: Iterable[Task]) -> None:
        """More to do."""

    @abstractmethod
    def next(self, timeout: float | None = None) -> Outcome | None:
        """The next outcome; None if none came in so many seconds, or if nothing is waited for."""

    @property
    @abstractmethod
    def waiting(self) -> int:
        """Tasks that were added and have no outcome yet."""

    @abstractmethod
    def cancel(self) -> None:
        """Forget all tasks that have no outcome; what runs is stopped, or its outcome dropped."""

    @abstractmethod
    def close(self) -> None:
        """Stop everything at once; every worker process is ended."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
