"""Tasks for crews, and what becomes of them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable

from zermelo.arena.executors.executor import Executor, Task, TaskResult

#: What must happen is waited for so many seconds, on however loaded a machine.
LONG = 120.0


def tasks(numbers: Iterable[int], kind: str = "double", **more: object) -> list[Task]:
    return [Task(number, kind, json.dumps({"number": number, **more})) for number in numbers]


def outcomes(crew: Executor, watch: Callable[[int], None] = lambda done: None) -> dict[int, TaskResult]:
    """All that is to come, by the tasks' numbers: no number twice. `watch` is told how many there are by now."""
    found: dict[int, TaskResult] = {}
    until = time.monotonic() + LONG
    while crew.unfinished:
        assert time.monotonic() < until
        outcome = crew.next_result(1)
        if outcome is not None:
            assert outcome.number not in found
            found[outcome.number] = outcome
        watch(len(found))
    assert crew.next_result(0) is None
    return found
