"""Tasks for executors, and a helper that collects all of their results."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable

from zermelo.arena.executors.executor import Executor, Task, TaskResult

#: Seconds to wait for an event that must happen, on a machine under any load.
LONG = 300.0


def tasks(numbers: Iterable[int], kind: str = "double", **more: object) -> list[Task]:
    return [Task(number, kind, json.dumps({"number": number, **more})) for number in numbers]


def collect(executor: Executor, on_progress: Callable[[int], None] = lambda done: None) -> dict[int, TaskResult]:
    """Return all outstanding results by task number, each exactly once. `on_progress` gets the count so far."""
    found: dict[int, TaskResult] = {}
    deadline = time.monotonic() + LONG
    while executor.unfinished:
        assert time.monotonic() < deadline
        result = executor.next_result(1)
        if result is not None:
            assert result.number not in found
            found[result.number] = result
        on_progress(len(found))
    assert executor.next_result(0) is None
    return found
