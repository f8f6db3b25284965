"""Who does the work: tasks go out, outcomes come back in any order; each task has one outcome, and none is lost.

with crew_for("local:2") as crew:
    crew.add([Task(0, "game", job.write()), ...])
    while (outcome := crew.next(timeout=0.5)) is not None or crew.waiting: ...
"""

from __future__ import annotations

import os
import traceback
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Self

from zermelo.errors import ZermeloError

#: After so many tries whose worker died, or that raised, a task is reported as failed.
TRIES = 3
#: What does a task: kind and data in, the result out. `work.perform`, but for tests.
Work = Callable[[str, str], str]
#: Where workers find it.
PERFORM = "zermelo.arena.crews.work:perform"


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
    #: Whether the error is a `ZermeloError`: the task's own fault, told in one line, and not tried again. Any other
    #: error is of a worker that died, or a mistake in a program.
    bad_input: bool = False


class Crew(ABC):
    """Workers. Each task that was added has exactly one outcome, unless it is cancelled or the crew closed before."""

    #: Whether `next` does the work itself, in this process, instead of waiting for others.
    is_here = False

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


#: So many tasks at most are ahead of the one that is waited for, so that there may be any number of them.
AHEAD = 1000


def in_order(crew: Crew, tasks: Iterable[Task], tick: Callable[[], None] = lambda: None) -> Iterator[Outcome]:
    """The outcomes of tasks in the order of the tasks, whoever does them and whatever comes first.

    `tick` is called now and then while none comes.
    """
    source = iter(tasks)
    numbers: deque[int] = deque()
    found: dict[int, Outcome] = {}
    while True:
        new = [task for task, _ in zip(source, range(AHEAD - len(numbers)), strict=False)]
        numbers.extend(task.number for task in new)
        crew.add(new)
        if not numbers:
            return
        while numbers[0] not in found:
            outcome = crew.next(0.1)
            tick()
            if outcome is not None:
                found[outcome.number] = outcome
        while numbers and numbers[0] in found:
            yield found.pop(numbers.popleft())


def attempt(perform: Work, kind: str, data: str) -> dict[str, Any]:
    """One try of a task, as the fields of an outcome: `data`, or `error` and `bad_input`."""
    try:
        return {"data": perform(kind, data)}
    except ZermeloError as error:
        return {"error": str(error), "bad_input": True}
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        place = f"{os.path.basename(frame.filename)}:{frame.lineno}, {frame.name}"
        return {"error": " ".join(f"{type(error).__name__}: {error} ({place})".split()), "bad_input": False}
