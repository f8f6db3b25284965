"""The executor interface: submit tasks, receive results in any order; every task gets exactly one result.

with create_executor("local:2", workers=0) as executor:
    executor.submit([Task(0, "game", job.to_json()), ...])
    while executor.unfinished:
        result = executor.next_result(timeout=0.5)          # a TaskResult, or None after half a second
"""

from __future__ import annotations

import os
import queue
import threading
import time
import traceback
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from itertools import islice
from typing import Any, Self

from zermelo._util.mailbox import Mailbox
from zermelo.errors import ZermeloError
from zermelo.search.threads import catching_interrupts

#: Attempts before a task is reported as failed, where its worker dies or it raises an unexpected error.
MAX_ATTEMPTS = 3
#: Seconds between two checks while waiting; on some systems waiting hides Ctrl-C.
POLL_SECONDS = 0.2
#: Performs a task: takes its kind and data, returns its result.
TaskFunction = Callable[[str, str], str]
#: The task function of workers, as `module:function`.
TASK_FUNCTION = "zermelo.arena.executors.tasks:perform"


@dataclass(frozen=True, slots=True)
class Task:
    """A unit of work, as text that can be sent to another machine.

    Parameters
    ----------
    number : int
        Identifies the task; chosen by the caller.
    kind : str
        One of `zermelo.arena.executors.tasks.KINDS`.
    data : str
        Arguments as JSON.
    """

    number: int
    kind: str
    data: str


@dataclass(frozen=True, slots=True)
class TaskResult:
    """Result of a task.

    Parameters
    ----------
    number : int
        Number of the task.
    data : str, optional
        Return value as JSON; None if the task failed.
    error : str, optional
        Error message in one line; None if the task succeeded.
    attempts : int
        Number of attempts made.
    worker : str
        Name of the worker.
    bad_input : bool
        Whether the error is a `ZermeloError`: the input of the task is wrong, and it was not tried again. Any other
        error is a dead worker or a bug.
    """

    number: int
    data: str | None
    error: str | None = None
    attempts: int = 1
    worker: str = ""
    bad_input: bool = False


class Executor(ABC):
    """Runs tasks. Every submitted task gets exactly one result, unless it is cancelled or the executor is closed.

    A context manager: leaving the block closes the executor.
    """

    #: Whether `next_result` runs the tasks itself, in this process.
    is_inline = False

    @abstractmethod
    def submit(self, tasks: Iterable[Task]) -> None:
        """Add tasks."""

    @abstractmethod
    def next_result(self, timeout: float | None = None) -> TaskResult | None:
        """Return the next result.

        Parameters
        ----------
        timeout : float, optional
            Seconds to wait; by default without limit.

        Returns
        -------
        TaskResult or None
            None if no result arrived in time, or if no tasks are left.
        """

    @property
    @abstractmethod
    def unfinished(self) -> int:
        """Number of submitted tasks whose result has not been returned yet."""

    @abstractmethod
    def cancel(self) -> None:
        """Drop all unfinished tasks; running ones are stopped, or their results discarded."""

    @abstractmethod
    def close(self) -> None:
        """Stop everything at once and end all worker processes."""

    def running_games(self) -> list[dict[str, Any]]:
        """Return reports of games in progress, as far as the workers send them; see `arena.running_games`.

        May be called from another thread.
        """
        return []

    def catching_interrupts(self, interrupt: threading.Event) -> AbstractContextManager[None]:
        """Return a context manager in which Ctrl-C sets the event, to be looked at between results.

        Then it interrupts neither the saving of a result nor an import with its lock taken. An executor that runs the
        tasks itself does not catch it: a task may take long.
        """
        return nullcontext() if self.is_inline else catching_interrupts(interrupt)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class RemoteExecutor(Executor):
    """Base of executors whose tasks run in other processes: waits for messages and retries failed tasks."""

    def __init__(self) -> None:
        self._pending: deque[Task] = deque()
        #: Attempts made so far, for tasks that are being retried.
        self._attempts: dict[int, int] = {}
        self._done: deque[TaskResult] = deque()
        #: Messages (source, message) from the threads that listen to workers.
        self._messages: Mailbox[tuple[Any, Any]] = Mailbox()
        self._is_closed = False

    def submit(self, tasks: Iterable[Task]) -> None:
        if self._is_closed:
            raise ZermeloError("the executor is closed")
        self._pending.extend(tasks)
        self._dispatch()

    def next_result(self, timeout: float | None = None) -> TaskResult | None:
        deadline = None if timeout is None else time.monotonic() + timeout
        while not self._done:
            if not self.unfinished:
                return None
            wait = POLL_SECONDS if deadline is None else min(deadline - time.monotonic(), POLL_SECONDS)
            try:
                source, message = self._messages.get(wait)
            except queue.Empty:
                self._on_idle()
                if deadline is not None and time.monotonic() >= deadline:
                    return None
                continue
            self._on_message(source, message)
        return self._done.popleft()

    @abstractmethod
    def _dispatch(self) -> None:
        """Hand pending tasks to workers that are free."""

    @abstractmethod
    def _on_message(self, source: Any, message: Any) -> None:
        """Handle a message from a worker."""

    def _on_idle(self) -> None:
        """Called when no message has arrived for a while."""

    def _finish_attempt(self, task: Task, outcome: dict[str, Any], worker: str) -> None:
        """Handle the outcome of one attempt, as `run_task` returns it: record a result or retry the task."""
        attempts = self._attempts.pop(task.number, 0) + 1
        if not should_retry(outcome):
            error, bad_input = outcome.get("error"), outcome.get("bad_input", False)
            self._done.append(TaskResult(task.number, outcome.get("data"), error, attempts, worker, bad_input))
        elif attempts < MAX_ATTEMPTS:
            self._attempts[task.number] = attempts
            self._pending.appendleft(task)
        else:
            error = failure_message(outcome["error"], attempts)
            self._done.append(TaskResult(task.number, None, error, attempts, worker))


#: Maximum number of tasks that `results_in_order` submits ahead, so that there may be any number of tasks.
MAX_AHEAD = 1000


def results_in_order(
    executor: Executor, tasks: Iterable[Task], tick: Callable[[], None] = lambda: None
) -> Iterator[TaskResult]:
    """Run tasks and yield their results in the order of the tasks.

    Parameters
    ----------
    executor : Executor
        Runs the tasks.
    tasks : iterable of Task
        Consumed lazily.
    tick : callable
        Called about ten times a second while waiting.

    Raises
    ------
    KeyboardInterrupt
        Ctrl-C was pressed.
    """
    source = iter(tasks)
    numbers: deque[int] = deque()
    results: dict[int, TaskResult] = {}
    interrupt = threading.Event()
    with executor.catching_interrupts(interrupt):
        while True:
            new = list(islice(source, MAX_AHEAD - len(numbers)))
            numbers.extend(task.number for task in new)
            executor.submit(new)
            if not numbers:
                return
            while numbers[0] not in results:
                result = executor.next_result(0.1)
                tick()
                if interrupt.is_set():
                    raise KeyboardInterrupt
                if result is not None:
                    results[result.number] = result
            while numbers and numbers[0] in results:
                yield results.pop(numbers.popleft())


def should_retry(outcome: dict[str, Any]) -> bool:
    """Return whether an attempt (see `run_task`) failed for another reason than bad input."""
    return outcome.get("error") is not None and not outcome["bad_input"]


def failure_message(error: str, attempts: int = MAX_ATTEMPTS) -> str:
    """Return the error message of a task that is not retried any more."""
    return f"failed {attempts} times: {error}"


def run_task(perform: TaskFunction, kind: str, data: str) -> dict[str, Any]:
    """Run a task once; return the fields of its result: `data`, or `error` and `bad_input`."""
    try:
        return {"data": perform(kind, data)}
    except ZermeloError as error:
        return {"error": str(error), "bad_input": True}
    except Exception as error:
        *_, (frame, line) = traceback.walk_tb(error.__traceback__)
        code = frame.f_code
        location = f"{os.path.basename(code.co_filename)}:{line}, {code.co_name}"
        return {"error": " ".join(f"{type(error).__name__}: {error} ({location})".split()), "bad_input": False}
