"""Who does the work: tasks go out, outcomes come back in any order; each task has one outcome, and none is lost.

with create_executor("local:2") as crew:
    crew.submit([Task(0, "game", job.write()), ...])
    while (outcome := crew.next_result(timeout=0.5)) is not None or crew.unfinished: ...
"""

from __future__ import annotations

import os
import queue
import time
import traceback
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Self

from zermelo.errors import ZermeloError

#: After so many tries whose worker died, or that raised, a task is reported as failed.
TRIES = 3
#: Seconds between two looks for Ctrl-C, on systems where waiting hides it.
PATIENCE = 0.2
#: What does a task: kind and data in, the result out. `work.perform`, but for tests.
Work = Callable[[str, str], str]
#: Where workers find it.
PERFORM = "zermelo.arena.executors.tasks:perform"


@dataclass(frozen=True, slots=True)
class Task:
    """A piece of work, as text that travels: `kind` is one of `work.KINDS`, `data` JSON."""

    number: int
    kind: str
    data: str


@dataclass(frozen=True, slots=True)
class TaskResult:
    """What became of a task: its result as JSON, or the error that it ended with after all tries."""

    number: int
    data: str | None
    error: str | None = None
    attempts: int = 1
    worker: str = ""
    #: Whether the error is a `ZermeloError`: the task's own fault, told in one line, and not tried again. Any other
    #: error is of a worker that died, or a mistake in a program.
    bad_input: bool = False


class Executor(ABC):
    """Workers. Each task that was added has exactly one outcome, unless it is cancelled or the crew closed before."""

    #: Whether `next` does the work itself, in this process, instead of waiting for others.
    is_inline = False

    @abstractmethod
    def submit(self, tasks: Iterable[Task]) -> None:
        """More to do."""

    @abstractmethod
    def next_result(self, timeout: float | None = None) -> TaskResult | None:
        """The next outcome; None if none came in so many seconds, or if nothing is waited for."""

    @property
    @abstractmethod
    def unfinished(self) -> int:
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


class Away(Executor):
    """A crew whose work is done elsewhere: what is heard of it is waited for, and what failed is tried again."""

    def __init__(self) -> None:
        self._pending: deque[Task] = deque()
        self._tries: dict[int, int] = {}  # of tasks that were tried before
        self._done: deque[TaskResult] = deque()
        #: What was heard of the work, by threads of their own.
        self._heard: queue.SimpleQueue[tuple[Any, Any]] = queue.SimpleQueue()
        self._is_closed = False

    def submit(self, tasks: Iterable[Task]) -> None:
        if self._is_closed:
            raise ZermeloError("the executor is closed")
        self._pending.extend(tasks)
        self._send()

    def next_result(self, timeout: float | None = None) -> TaskResult | None:
        deadline = None if timeout is None else time.monotonic() + timeout
        while not self._done:
            if not self.unfinished:
                return None
            left = PATIENCE if deadline is None else min(deadline - time.monotonic(), PATIENCE)
            try:
                source, message = self._heard.get(timeout=max(left, 0))
            except queue.Empty:
                self._look()
                if deadline is not None and time.monotonic() >= deadline:
                    return None
                continue
            self._hear(source, message)
        return self._done.popleft()

    @abstractmethod
    def _send(self) -> None:
        """Give out what there is to do, if anybody has room for it."""

    @abstractmethod
    def _hear(self, source: Any, message: Any) -> None:
        """Something was heard."""

    def _look(self) -> None:
        """Nothing was heard for a while."""

    def _told(self, task: Task, found: dict[str, Any], worker: str) -> None:
        """What became of one try, as `attempt` tells it: an outcome, or a task to be tried again."""
        tries = self._tries.pop(task.number, 0) + 1
        if not is_failed(found):
            error, bad_input = found.get("error"), found.get("bad_input", False)
            self._done.append(TaskResult(task.number, found.get("data"), error, tries, worker, bad_input))
        elif tries < TRIES:
            self._tries[task.number] = tries
            self._pending.appendleft(task)
        else:
            self._done.append(TaskResult(task.number, None, failed(found["error"], tries), tries, worker))


#: So many tasks at most are ahead of the one that is waited for, so that there may be any number of them.
AHEAD = 1000


def results_in_order(
    crew: Executor, tasks: Iterable[Task], tick: Callable[[], None] = lambda: None
) -> Iterator[TaskResult]:
    """The outcomes of tasks in the order of the tasks, whoever does them and whatever comes first.

    `tick` is called now and then while none comes.
    """
    source = iter(tasks)
    numbers: deque[int] = deque()
    found: dict[int, TaskResult] = {}
    while True:
        new = [task for task, _ in zip(source, range(AHEAD - len(numbers)), strict=False)]
        numbers.extend(task.number for task in new)
        crew.submit(new)
        if not numbers:
            return
        while numbers[0] not in found:
            outcome = crew.next_result(0.1)
            tick()
            if outcome is not None:
                found[outcome.number] = outcome
        while numbers and numbers[0] in found:
            yield found.pop(numbers.popleft())


def is_failed(found: dict[str, Any]) -> bool:
    """Whether a try (see `attempt`) is worth another one: not where its task itself is at fault."""
    return found.get("error") is not None and not found["bad_input"]


def failed(error: str, tries: int = TRIES) -> str:
    """What is said of a task that is not tried again."""
    return f"failed {tries} times: {error}"


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
