"""Workers of this machine: processes of their own, each doing one task at a time.

They are started as programs (not forked, nor by `multiprocessing`, which would run a user's script again in each of
them), in process groups of their own: Ctrl-C in the terminal reaches only the parent, which ends them. A worker whose
parent is gone finds its wire closed and ends at once, whatever it is doing. One that dies is replaced when there is
work for it; the task that it was doing is tried again, and no other task is blamed.
"""

from __future__ import annotations

import json
import queue
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from typing import IO, Any, cast

from zermelo.arena.executors.executor import (
    PATIENCE,
    PERFORM,
    TRIES,
    Away,
    Executor,
    Task,
    TaskResult,
    Work,
    attempt,
    failed,
    is_failed,
)
from zermelo.arena.executors.subprocesses import started
from zermelo.errors import LimitError, ZermeloError

MOST_WORKERS = 1024
# Where tasks take less than this, a worker has its next one before it asks, so that it need not wait for the parent.
QUICK = 0.1
# So many workers that end one after another before they are ready: then none will ever be.
STARTS = 3


class LocalExecutor(Away):
    """So many processes of this machine. They are started when there is work.

    `perform`: "module:function", what does the tasks; the workers import it. Raises `LimitError` for a number of
    workers that is not in 1 .. `MOST_WORKERS`, and, from `add` or `next`, `ZermeloError` where no worker starts.
    """

    def __init__(self, workers: int, *, perform: str = PERFORM) -> None:
        if not 1 <= workers <= MOST_WORKERS:
            raise LimitError(f"{workers} workers: between 1 and {MOST_WORKERS} can work together")
        super().__init__()
        self._most = workers
        self._perform = perform
        self._workers: list[_Worker] = []
        self._started = 0
        self._failed_starts = 0.0
        self._is_quick = False

    @property
    def unfinished(self) -> int:
        return len(self._done) + len(self._pending) + sum(len(worker.tasks) for worker in self._workers)

    @property
    def processes(self) -> list[int]:
        """The workers that there are now, by their process ids."""
        return [worker.process.pid for worker in self._workers]

    def cancel(self) -> None:
        self._pending.clear()
        self._tries.clear()
        for worker in [worker for worker in self._workers if worker.tasks]:
            worker.end()
            self._workers.remove(worker)

    def close(self) -> None:
        self._is_closed = True
        self._done.clear()
        self._pending.clear()
        for worker in self._workers:  # all at once, and then each is waited for
            worker.kill()
        while self._workers:
            self._workers.pop().end()

    # ---- tasks out, messages in ---------------------------------------------------------------------------

    def _send(self) -> None:
        """Give out what there is to do; workers are started as long as there are not enough."""
        for worker in self._workers:
            if self._pending and not worker.tasks:
                worker.send(self._pending.popleft())
        while self._pending and len(self._workers) < self._most:
            self._started += 1
            worker = _Worker(f"{self._started}", self._perform, self._heard)
            self._workers.append(worker)
            worker.send(self._pending.popleft())
        if self._is_quick:
            for worker in self._workers:
                if len(self._pending) > len(self._workers) and len(worker.tasks) == 1:
                    worker.send(self._pending.popleft())

    def _hear(self, source: _Worker, message: dict[str, Any] | None) -> None:
        worker = source
        if worker not in self._workers:
            return  # it was ended, with what it did
        if message is None:
            self._bury(worker)
        elif "ready" in message:
            worker.is_ready = True
            self._failed_starts = 0.0
        elif "trouble" in message:
            worker.trouble = message["trouble"]
            return
        elif "note" in message:
            from zermelo.compiled import cache

            cache.announce(message["note"])
            return
        else:
            task = worker.tasks.popleft()
            self._is_quick = worker.took() < QUICK
            self._told(task, message, worker.name)
        self._send()

    def _bury(self, worker: _Worker) -> None:
        """A worker has died: only what it was doing is to blame, and what it had beside goes to others."""
        self._workers.remove(worker)
        with suppress(subprocess.TimeoutExpired):  # its wire is closed: it is about to end, of its own cause
            worker.process.wait(1.0)
        ending = worker.end()
        first, rest = (worker.tasks[0], list(worker.tasks)[1:]) if worker.tasks else (None, [])
        self._pending.extendleft(reversed(rest))
        if not worker.is_ready:
            # Killed from outside, or for want of memory: that says less of the next one.
            self._failed_starts += 0.1 if worker.process.returncode < 0 else 1
            if first is not None:
                self._pending.appendleft(first)
            if self._failed_starts >= STARTS:
                raise ZermeloError(f"no worker starts; the last one: {worker.trouble or ending}")
        elif first is not None:
            self._told(first, {"error": f"its worker {ending}", "bad_input": False}, worker.name)


class _Worker:
    """A process, and a thread of ours that hears what it says."""

    def __init__(self, name: str, perform: str, heard: queue.SimpleQueue[Any]) -> None:
        self.name = name
        #: What it was given: the first is what it does, and only that.
        self.tasks: deque[Task] = deque()
        self.is_ready = False
        #: What kept it from starting.
        self.trouble = ""
        self._heard = heard
        self._since = time.monotonic()
        self.process = started("zermelo.arena.executors.worker", "main", perform)
        self._wire = cast(IO[bytes], self.process.stdin)
        self._thread = threading.Thread(target=self._listen, args=[cast(IO[bytes], self.process.stdout)], daemon=True)
        self._thread.start()

    def send(self, task: Task) -> None:
        if not self.tasks:
            self._since = time.monotonic()
        self.tasks.append(task)
        with suppress(OSError):  # it has died, which will be heard
            self._wire.write(json.dumps([task.number, task.kind, task.data]).encode() + b"\n")
            self._wire.flush()

    def took(self) -> float:
        """Seconds for the task that it has just done, or since then."""
        before, self._since = self._since, time.monotonic()
        return self._since - before

    def _listen(self, source: IO[bytes]) -> None:
        with source:
            for line in source:
                if line.endswith(b"\n"):  # else it died while it wrote
                    self._heard.put((self, json.loads(line)))
        self._heard.put((self, None))

    def kill(self) -> None:
        self.process.kill()

    def end(self) -> str:
        """Give back all that it held, the process first, which is killed. Returns how it ended, in words."""
        self.kill()
        code = self.process.wait()
        with suppress(OSError):
            self._wire.close()
        # Programs that the worker started may hold its end of the wire for a moment, until they are ended as well.
        self._thread.join(PATIENCE)
        if code >= 0:
            return f"ended with code {code}"
        names = {int(known): known.name for known in signal.Signals}
        return f"was killed by {names.get(-code, f'signal {-code}')}"


class InlineExecutor(Executor):
    """This very process, one task at a time, when `next` is called: for people who play, and for finding mistakes.

    `perform` does the tasks; by default `work.perform`. Ctrl-C leaves the task that was being done among those waiting.
    """

    is_inline = True

    def __init__(self, perform: Work | None = None) -> None:
        from zermelo.arena.executors import tasks as work

        self._perform = perform or work.perform
        self._pending: deque[Task] = deque()

    def submit(self, tasks: Iterable[Task]) -> None:
        self._pending.extend(tasks)

    def next_result(self, timeout: float | None = None) -> TaskResult | None:
        if not self._pending:
            return None
        task = self._pending[0]
        tries, found = 1, attempt(self._perform, task.kind, task.data)
        while tries < TRIES and is_failed(found):
            tries, found = tries + 1, attempt(self._perform, task.kind, task.data)
        if is_failed(found):
            found["error"] = failed(found["error"])
        self._pending.popleft()
        return TaskResult(
            task.number, found.get("data"), found.get("error"), tries, "here", found.get("bad_input", False)
        )

    @property
    def unfinished(self) -> int:
        return len(self._pending)

    def cancel(self) -> None:
        self._pending.clear()

    def close(self) -> None:
        self._pending.clear()
