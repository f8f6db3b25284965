"""Executors: every task gets one result, even if workers die, and no processes are left behind."""

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

from zermelo.arena.executors import executor as executors
from zermelo.arena.executors.executor import MAX_ATTEMPTS, Executor, Task, TaskResult
from zermelo.arena.executors.local_executor import MAX_WORKERS, InlineExecutor, LocalExecutor
from zermelo.errors import LimitError, ZermeloError

PERFORM = "behaviours:perform"


def doubled(found: dict[int, TaskResult]) -> dict[int, int]:
    return {number: json.loads(result.data)["double"] for number, result in found.items() if result.data is not None}


def is_gone(pid: int) -> bool:
    """Wait deadline a process that is not our child has exited."""
    deadline = time.monotonic() + LONG
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
            if Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z":
                return True
        except (ProcessLookupError, FileNotFoundError):
            return True
        time.sleep(0.05)
    return False


@pytest.fixture(params=["inline", "local"])
def executor(request: pytest.FixtureRequest) -> Executor:
    if request.param == "local":
        return LocalExecutor(2, perform=PERFORM)
    from behaviours import perform

    return InlineExecutor(perform)


def test_every_task_has_one_result(executor: Executor) -> None:
    with executor:
        assert executor.unfinished == 0
        assert executor.next_result() is None
        executor.submit(tasks(range(50)))
        assert executor.unfinished == 50
        found = collect(executor)
        executor.submit([Task(7, "double", "{}")])  # the executor can be used again; the caller chooses the numbers
        assert collect(executor)[7].data is not None
    assert doubled(found) == {number: 2 * number for number in range(50)}
    assert all(result.attempts == 1 and result.error is None and result.worker for result in found.values())


def test_no_task_is_lost_where_more_wait_than_are_submitted(monkeypatch: pytest.MonkeyPatch) -> None:
    from behaviours import perform

    monkeypatch.setattr(executors, "MAX_AHEAD", 5)
    with InlineExecutor(perform) as executor:
        found = list(executors.results_in_order(executor, iter(tasks(range(23)))))
    assert [result.number for result in found] == list(range(23))


def test_tasks_that_raise(executor: Executor) -> None:
    with executor:
        executor.submit([Task(0, "raise", ""), Task(1, "refuse", ""), *tasks(range(8))[2:], Task(8, "print", "")])
        found = collect(executor)
    assert found[0].error is not None
    assert found[0].error.startswith(f"failed {MAX_ATTEMPTS} times: RuntimeError: out of cheese (behaviours.py:")
    assert (found[0].attempts, found[0].bad_input) == (MAX_ATTEMPTS, False)
    assert (found[1].error, found[1].attempts, found[1].bad_input) == ("no such cheese", 1, True)
    assert sorted(doubled(found)) == [2, 3, 4, 5, 6, 7, 8]


def test_cancel(executor: Executor) -> None:
    with executor:
        executor.submit(tasks(range(20)))
        assert executor.next_result(LONG) is not None
        executor.cancel()
        executor.submit([Task(100, "double", json.dumps({"number": 100}))])
        found = collect(executor)
        assert found[100].data is not None


def test_workers_run_in_parallel(tmp_path: Path) -> None:
    with LocalExecutor(2, perform=PERFORM) as executor:
        executor.submit(tasks(range(6), seconds=0.2))
        found = collect(executor)
        workers = {json.loads(result.data or "")["worker"] for result in found.values()}
        assert sorted(workers) == sorted(executor.processes)
        assert len(workers) == 2
        assert os.getpid() not in workers


def test_a_worker_killed_from_outside_loses_no_task() -> None:
    with LocalExecutor(2, perform=PERFORM) as executor:
        executor.submit(tasks(range(12), seconds=0.1))
        found = {}
        for _ in range(3):
            result = executor.next_result(LONG)
            assert result is not None
            found[result.number] = result
        os.kill(executor.processes[0], signal.SIGKILL)
        found |= collect(executor)
    assert doubled(found) == {number: 2 * number for number in range(12)}
    assert sum(result.attempts for result in found.values()) in (12, 13)


@pytest.mark.long
def test_only_the_task_that_kills_its_worker_fails(tmp_path: Path) -> None:
    bad = [Task(3, "killed", ""), Task(11, "exit", "")]
    once = Task(15, "killed once", json.dumps({"number": 15, "file": str(tmp_path / "once")}))
    good = [task for task in tasks(range(30)) if task.number not in (3, 11, 15)]
    with LocalExecutor(2, perform=PERFORM) as executor:
        executor.submit(sorted([*good, *bad, once], key=lambda task: task.number))
        found = collect(executor)
    assert sorted(found) == list(range(30))
    assert found[3].error == f"failed {MAX_ATTEMPTS} times: its worker killed by signal 9 (SIGKILL)"
    assert found[11].error == f"failed {MAX_ATTEMPTS} times: its worker exited with code 7"
    assert found[15].data is not None
    assert found[15].attempts == 2
    assert not found[3].bad_input
    assert [found[task.number].attempts for task in good] == [1] * len(good)


@pytest.mark.long
def test_close_ends_workers_in_compiled_code() -> None:
    executor = LocalExecutor(2, perform=PERFORM)
    executor.submit(tasks(range(3), "loop"))
    assert executor.next_result(2.0) is None
    processes = executor.processes
    assert len(processes) == 2
    executor.close()
    for pid in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)
    assert executor.unfinished == 0
    with pytest.raises(ZermeloError, match="closed"):
        executor.submit(tasks(range(1)))
    executor.close()


PARENT = """
    import sys, time
    sys.path.insert(0, {support!r})
    from zermelo.arena.executors.executor import Task
    from zermelo.arena.executors.local_executor import LocalExecutor
    executor = LocalExecutor(2, perform="behaviours:perform")
    executor.submit([Task(0, "double", "{{}}")])
    executor.next_result()
    executor.submit([Task(number, "loop", "") for number in range(4)])
    executor.next_result(1)
    print(*executor.processes, flush=True)
    time.sleep(1000)
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_no_worker_outlives_its_parent(how: signal.Signals) -> None:
    """A script needs no `if __name__ == "__main__"`."""
    support = str(Path(__file__).parents[1] / "support")
    script = textwrap.dedent(PARENT).format(support=support)
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        workers = [int(word) for word in parent.stdout.readline().split()]
        parent.send_signal(how)
    assert len(workers) == 2
    assert all(is_gone(pid) for pid in workers)


def test_workers_that_do_not_start(monkeypatch: pytest.MonkeyPatch) -> None:
    with LocalExecutor(2, perform="nowhere:perform") as executor:
        executor.submit(tasks(range(5)))
        with pytest.raises(ZermeloError, match="worker processes do not start: ModuleNotFoundError"):
            collect(executor)
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with LocalExecutor(1) as executor, pytest.raises(ZermeloError, match="cannot start a worker process: No such file"):
        executor.submit(tasks(range(1)))
    monkeypatch.setattr(sys, "executable", "")
    with LocalExecutor(1) as executor, pytest.raises(ZermeloError, match=r"sys\.executable"):
        executor.submit(tasks(range(1)))


@pytest.mark.parametrize("workers", [0, -1, MAX_WORKERS + 1])
def test_worker_count_out_of_range(workers: int) -> None:
    with pytest.raises(LimitError, match="workers must be from 1 to"):
        LocalExecutor(workers)


@pytest.mark.nightly
def test_no_task_is_lost_while_workers_are_killed() -> None:
    """A hundred workers are killed: no task is lost or done twice, and only killed attempts count as failed."""
    rng = random.Random(12)
    with LocalExecutor(3, perform=PERFORM) as executor:
        executor.submit(tasks(range(600), seconds=0.05))
        found: dict[int, TaskResult] = {}
        killed = 0
        deadline = time.monotonic() + 4 * LONG
        while executor.unfinished:
            assert time.monotonic() < deadline
            result = executor.next_result(1)
            if result is None:
                continue
            assert result.number not in found
            found[result.number] = result
            if killed < 100 and rng.random() < 0.25:
                os.kill(rng.choice(executor.processes), signal.SIGKILL)
                killed += 1
    assert sorted(found) == list(range(600))
    assert killed == 100
    lost = [number for number, result in found.items() if result.data is None]
    assert all(found[number].attempts == MAX_ATTEMPTS for number in lost)
    assert len(lost) < 30
