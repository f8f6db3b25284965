"""Executors on this machine: worker processes, or this process itself.

Workers are started as programs: a forked process would share threads and locks, and `multiprocessing` would import the
user's main script again. They run in process groups of their own: Ctrl-C in the terminal reaches only the parent,
which ends them. A worker whose parent is gone exits at once. A worker that dies is replaced when there is work for it;
the task that it was running is retried, and no other task is affected.
"""

from __future__ import annotations

import json
import subprocess
import threading
import time
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from typing import IO, Any, cast

from zermelo._util.mailbox import Mailbox
from zermelo.arena.executors.executor import (
    MAX_ATTEMPTS,
    POLL_SECONDS,
    TASK_FUNCTION,
    Executor,
    RemoteExecutor,
    Task,
    TaskFunction,
    TaskResult,
    failure_message,
    run_task,
    should_retry,
)
from zermelo.arena.executors.subprocesses import start_process
from zermelo.arena.running_games import report_of
from zermelo.errors import LimitError, ZermeloError
from zermelo.sandbox.line_io import describe_exit

MAX_WORKERS = 1024
#: Where tasks take less than this many seconds, each worker is sent its next task ahead, so that it need not wait.
_SHORT_TASK = 0.1
#: Give up when this many workers in a row exit before they are ready.
_MAX_FAILED_STARTS = 3


class LocalExecutor(RemoteExecutor):
    """Worker processes on this machine, started when there is work.

    Parameters
    ----------
    workers : int
        Maximum number of processes, from 1 to `MAX_WORKERS`.
    perform : str
        Task function as `module:function`; the workers import it.

    Raises
    ------
    LimitError
        `workers` is out of range.
    ZermeloError
        From `submit` or `next_result`: no worker starts.
    """

    def __init__(self, workers: int, *, perform: str = TASK_FUNCTION) -> None:
        check_worker_count(workers)
        super().__init__()
        self._max_workers = workers
        self._perform = perform
        self._workers: list[_Worker] = []
        self._started = 0
        self._failed_starts = 0.0
        self._tasks_are_short = False

    @property
    def unfinished(self) -> int:
        return len(self._done) + len(self._pending) + sum(len(worker.tasks) for worker in self._workers)

    @property
    def processes(self) -> list[int]:
        """Process ids of the current workers."""
        return [worker.process.pid for worker in self._workers]

    def running_games(self) -> list[dict[str, Any]]:
        reports = [worker.running for worker in list(self._workers)]
        return [report for report in reports if report is not None]

    def cancel(self) -> None:
        self._pending.clear()
        self._attempts.clear()
        for worker in [worker for worker in self._workers if worker.tasks]:
            worker.end()
            self._workers.remove(worker)

    def close(self) -> None:
        self._is_closed = True
        self._done.clear()
        self._pending.clear()
        for worker in self._workers:  # kill all of them before waiting for each
            worker.kill()
        while self._workers:
            self._workers.pop().end()

    def _dispatch(self) -> None:
        for worker in self._workers:
            if self._pending and not worker.tasks:
                worker.send(self._pending.popleft())
        while self._pending and len(self._workers) < self._max_workers:
            self._started += 1
            worker = _Worker(f"{self._started}", self._perform, self._messages)
            self._workers.append(worker)
            worker.send(self._pending.popleft())
        if self._tasks_are_short:
            for worker in self._workers:
                if len(self._pending) > len(self._workers) and len(worker.tasks) == 1:
                    worker.send(self._pending.popleft())

    def _on_message(self, source: _Worker, message: dict[str, Any] | None) -> None:
        worker = source
        if worker not in self._workers:
            return  # it was ended, and its task cancelled
        if message is None:
            self._remove(worker)
        elif "ready" in message:
            worker.is_ready = True
            self._failed_starts = 0.0
        elif "startup_error" in message:
            worker.startup_error = message["startup_error"]
            return
        elif "running" in message:
            worker.running = message["running"]
            return
        elif "note" in message:
            from zermelo.compiled import cache

            cache.announce(message["note"])
            return
        else:
            task = worker.tasks.popleft()
            worker.running = None
            self._tasks_are_short = worker.task_seconds() < _SHORT_TASK
            self._finish_attempt(task, message, worker.name)
        self._dispatch()

    def _remove(self, worker: _Worker) -> None:
        """Remove a dead worker. Only its current task counts as failed; tasks sent ahead go to others."""
        self._workers.remove(worker)
        with suppress(subprocess.TimeoutExpired):  # its pipe is closed: it is about to exit by itself
            worker.process.wait(1.0)
        exit_text = worker.end()
        current, ahead = (worker.tasks[0], list(worker.tasks)[1:]) if worker.tasks else (None, [])
        self._pending.extendleft(reversed(ahead))
        if not worker.is_ready:
            # A worker that was killed from outside, or for lack of memory, says less about the next one.
            self._failed_starts += 0.1 if worker.process.returncode < 0 else 1
            if current is not None:
                self._pending.appendleft(current)
            if self._failed_starts >= _MAX_FAILED_STARTS:
                raise ZermeloError(f"worker processes do not start: {worker.startup_error or exit_text}")
        elif current is not None:
            self._finish_attempt(current, {"error": f"its worker {exit_text}", "bad_input": False}, worker.name)


class _Worker:
    """A worker process, and a thread that receives its messages."""

    def __init__(self, name: str, perform: str, messages: Mailbox[Any]) -> None:
        self.name = name
        #: Tasks sent to it: the first one is running, the others wait.
        self.tasks: deque[Task] = deque()
        self.is_ready = False
        self.startup_error = ""
        #: Its latest report of the game in progress.
        self.running: dict[str, Any] | None = None
        self._messages = messages
        self._task_start = time.monotonic()
        self.process = start_process("zermelo.arena.executors.worker", "main", perform)
        self._sink = cast(IO[bytes], self.process.stdin)
        self._thread = threading.Thread(target=self._listen, args=[cast(IO[bytes], self.process.stdout)], daemon=True)
        self._thread.start()

    def send(self, task: Task) -> None:
        if not self.tasks:
            self._task_start = time.monotonic()
        self.tasks.append(task)
        with suppress(OSError):  # the worker died; its listener reports that
            self._sink.write(json.dumps([task.number, task.kind, task.data]).encode() + b"\n")
            self._sink.flush()

    def task_seconds(self) -> float:
        """Return the duration of the task that just ended; the next one starts now."""
        before, self._task_start = self._task_start, time.monotonic()
        return self._task_start - before

    def _listen(self, source: IO[bytes]) -> None:
        with source:
            for line in source:
                if line.endswith(b"\n"):  # otherwise the worker died while writing
                    self._messages.put((self, json.loads(line)))
        self._messages.put((self, None))

    def kill(self) -> None:
        self.process.kill()

    def end(self) -> str:
        """Kill the process, release its resources, and describe how it exited."""
        self.kill()
        code = self.process.wait()
        with suppress(OSError):
            self._sink.close()
        # Programs started by the worker may hold its pipe for a moment, until they are ended as well.
        self._thread.join(POLL_SECONDS)
        return describe_exit(code)


class InlineExecutor(Executor):
    """Runs tasks in this process, one at a time, when `next_result` is called: for interactive play and debugging.

    After Ctrl-C the interrupted task is still unfinished.

    Parameters
    ----------
    perform : callable, optional
        Task function; by default `zermelo.arena.executors.tasks.perform`.
    """

    is_inline = True

    def __init__(self, perform: TaskFunction | None = None) -> None:
        from zermelo.arena.executors import tasks

        self._perform = perform or tasks.perform
        self._pending: deque[Task] = deque()
        self._thread = threading.get_ident()

    def submit(self, tasks: Iterable[Task]) -> None:
        self._pending.extend(tasks)

    def next_result(self, timeout: float | None = None) -> TaskResult | None:
        if not self._pending:
            return None
        self._thread = threading.get_ident()
        task = self._pending[0]
        attempts, outcome = 1, run_task(self._perform, task.kind, task.data)
        while attempts < MAX_ATTEMPTS and should_retry(outcome):
            attempts, outcome = attempts + 1, run_task(self._perform, task.kind, task.data)
        if should_retry(outcome):
            outcome["error"] = failure_message(outcome["error"])
        self._pending.popleft()
        data, error, bad_input = outcome.get("data"), outcome.get("error"), outcome.get("bad_input", False)
        return TaskResult(task.number, data, error, attempts, "inline", bad_input)

    @property
    def unfinished(self) -> int:
        return len(self._pending)

    def running_games(self) -> list[dict[str, Any]]:
        report = report_of(self._thread)
        return [] if report is None else [report]

    def cancel(self) -> None:
        self._pending.clear()

    def close(self) -> None:
        self._pending.clear()


def check_worker_count(workers: int) -> None:
    """Raise `LimitError` unless the number of workers is from 1 to `MAX_WORKERS`."""
    if not 1 <= workers <= MAX_WORKERS:
        raise LimitError(f"workers must be from 1 to {MAX_WORKERS} (got {workers})")
