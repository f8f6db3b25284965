"""Crews: each task has one outcome, whatever becomes of workers; and nothing is left behind."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from executor_helpers import LONG, collect, tasks

from zermelo.arena.executors.executor import TRIES, Executor, Task, TaskResult
from zermelo.arena.executors.local_executor import MOST_WORKERS, InlineExecutor, LocalExecutor
from zermelo.errors import LimitError, ZermeloError

PERFORM = "behaviours:perform"
# What must happen is waited for so long, on however loaded a machine.


def doubled(found: dict[int, TaskResult]) -> dict[int, int]:
    return {number: json.loads(outcome.data)["double"] for number, outcome in found.items() if outcome.data is not None}


def is_gone(pid: int) -> bool:
    """Whether a process that is not a child of ours has ended: soon, at the latest."""
    until = time.monotonic() + LONG
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.05)
    return False


@pytest.fixture(params=["here", "local"])
def crew(request: pytest.FixtureRequest) -> Executor:
    if request.param == "local":
        return LocalExecutor(2, perform=PERFORM)
    from behaviours import perform

    return InlineExecutor(perform)


def test_each_task_has_its_outcome(crew: Executor) -> None:
    with crew:
        assert crew.unfinished == 0
        assert crew.next_result() is None
        crew.submit(tasks(range(50)))
        assert crew.unfinished == 50
        found = collect(crew)
        crew.submit([Task(7, "double", "{}")])  # the crew goes on, and numbers are the caller's
        assert collect(crew)[7].data is not None
    assert doubled(found) == {number: 2 * number for number in range(50)}
    assert all(outcome.attempts == 1 and outcome.error is None and outcome.worker for outcome in found.values())


def test_what_raises(crew: Executor) -> None:
    with crew:
        crew.submit([Task(0, "raise", ""), Task(1, "refuse", ""), *tasks(range(8))[2:], Task(8, "print", "")])
        found = collect(crew)
    assert found[0].error is not None
    assert found[0].error.startswith(f"failed {TRIES} times: RuntimeError: out of cheese (behaviours.py:")
    assert (found[0].attempts, found[0].bad_input) == (TRIES, False)
    assert (found[1].error, found[1].attempts, found[1].bad_input) == ("no such cheese", 1, True)
    assert sorted(doubled(found)) == [2, 3, 4, 5, 6, 7, 8]


def test_cancel(crew: Executor) -> None:
    with crew:
        crew.submit(tasks(range(20)))
        assert crew.next_result(LONG) is not None
        crew.cancel()
        crew.submit([Task(100, "double", json.dumps({"number": 100}))])
        found = collect(crew)
        assert found[100].data is not None


def test_workers_at_once(tmp_path: Path) -> None:
    with LocalExecutor(2, perform=PERFORM) as crew:
        crew.submit(tasks(range(6), seconds=0.2))
        found = collect(crew)
        workers = {json.loads(outcome.data or "")["worker"] for outcome in found.values()}
        assert sorted(workers) == sorted(crew.processes)
        assert len(workers) == 2
        assert os.getpid() not in workers


def test_a_worker_is_killed_from_outside() -> None:
    with LocalExecutor(2, perform=PERFORM) as crew:
        crew.submit(tasks(range(12), seconds=0.1))
        found = {}
        for _ in range(3):
            outcome = crew.next_result(LONG)
            assert outcome is not None
            found[outcome.number] = outcome
        os.kill(crew.processes[0], signal.SIGKILL)
        found |= collect(crew)
    assert doubled(found) == {number: 2 * number for number in range(12)}
    assert sum(outcome.attempts for outcome in found.values()) in (12, 13)


def test_a_task_that_kills_its_worker_is_told_of_and_no_other_blamed(tmp_path: Path) -> None:
    bad = [Task(3, "killed", ""), Task(11, "exit", "")]
    once = Task(15, "killed once", json.dumps({"number": 15, "file": str(tmp_path / "once")}))
    good = [task for task in tasks(range(30)) if task.number not in (3, 11, 15)]
    with LocalExecutor(2, perform=PERFORM) as crew:
        crew.submit(sorted([*good, *bad, once], key=lambda task: task.number))
        found = collect(crew)
    assert sorted(found) == list(range(30))
    assert found[3].error == f"failed {TRIES} times: its worker was killed by SIGKILL"
    assert found[11].error == f"failed {TRIES} times: its worker ended with code 7"
    assert found[15].data is not None
    assert found[15].attempts == 2
    assert not found[3].bad_input
    assert [found[task.number].attempts for task in good] == [1] * len(good)


def test_close_ends_workers_in_compiled_code() -> None:
    crew = LocalExecutor(2, perform=PERFORM)
    crew.submit(tasks(range(3), "loop"))
    assert crew.next_result(2.0) is None
    processes = crew.processes
    assert len(processes) == 2
    crew.close()
    for pid in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    assert crew.unfinished == 0
    with pytest.raises(ZermeloError, match="closed"):
        crew.submit(tasks(range(1)))
    crew.close()


PARENT = """
    import sys, time
    sys.path.insert(0, {support!r})
    from zermelo.arena.executors.executor import Task
    from zermelo.arena.executors.local_executor import LocalExecutor
    crew = LocalExecutor(2, perform="behaviours:perform")
    crew.submit([Task(0, "double", "{{}}")])
    crew.next_result()
    crew.submit([Task(number, "loop", "") for number in range(4)])
    crew.next_result(1)
    print(*crew.processes, flush=True)
    time.sleep(1000)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_no_worker_outlives_its_parent(how: signal.Signals) -> None:
    """And a script needs no `if __name__ == "__main__"`."""
    support = str(Path(__file__).parents[1] / "support")
    script = textwrap.dedent(PARENT).format(support=support)
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        workers = [int(word) for word in parent.stdout.readline().split()]
        parent.send_signal(how)
    assert len(workers) == 2
    assert all(is_gone(pid) for pid in workers)


def test_workers_that_do_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    with LocalExecutor(2, perform="nowhere:perform") as crew:
        crew.submit(tasks(range(5)))
        with pytest.raises(ZermeloError, match="no worker starts; the last one: ModuleNotFoundError"):
            collect(crew)
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with LocalExecutor(1) as crew, pytest.raises(ZermeloError, match="does not start: No such file"):
        crew.submit(tasks(range(1)))
    monkeypatch.setattr(sys, "executable", "")
    with LocalExecutor(1) as crew, pytest.raises(ZermeloError, match=r"sys\.executable"):
        crew.submit(tasks(range(1)))


@pytest.mark.parametrize("workers", [0, -1, MOST_WORKERS + 1])
def test_how_many(workers: int) -> None:
    with pytest.raises(LimitError, match="workers: between 1 and"):
        LocalExecutor(workers)


@pytest.mark.nightly
def test_finished_is_scheduled_whoever_dies() -> None:
    """A hundred workers killed at any moment: no task lost, none done twice, none blamed but for its own tries."""
    dice = random.Random(12)
    with LocalExecutor(3, perform=PERFORM) as crew:
        crew.submit(tasks(range(600), seconds=0.05))
        found: dict[int, TaskResult] = {}
        killed = 0
        until = time.monotonic() + 4 * LONG
        while crew.unfinished:
            assert time.monotonic() < until
            outcome = crew.next_result(1)
            if outcome is None:
                continue
            assert outcome.number not in found
            found[outcome.number] = outcome
            if killed < 100 and dice.random() < 0.25:
                os.kill(dice.choice(crew.processes), signal.SIGKILL)
                killed += 1
    assert sorted(found) == list(range(600))
    assert killed == 100
    lost = [number for number, outcome in found.items() if outcome.data is None]
    assert all(found[number].attempts == TRIES for number in lost)
    assert len(lost) < 30
