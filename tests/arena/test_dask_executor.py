"""The Dask executor gives the results of local workers, even if workers die, and leaves no processes behind."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from executor_helpers import LONG, collect, tasks

from zermelo.arena.executors import dask_executor as cluster
from zermelo.arena.executors.dask_executor import (
    CodeVersion,
    DaskExecutor,
    LocalDaskCluster,
    create_executor,
    run_on_worker,
)
from zermelo.arena.executors.executor import MAX_ATTEMPTS, Executor, Task, TaskResult
from zermelo.arena.executors.local_executor import InlineExecutor, LocalExecutor
from zermelo.arena.game_record import GameRecord
from zermelo.arena.plans.entrants import Entrant
from zermelo.arena.plans.plan import Plan
from zermelo.arena.store import Store
from zermelo.arena.tournament import Tournament
from zermelo.errors import LimitError, ZermeloError

PERFORM = "behaviours:perform"


def kill_a_worker(executor: DaskExecutor, after: int) -> Callable[[int], None]:
    """Return a callback for `collect` that kills a worker after some results."""
    left = [after]

    def watch(done: int) -> None:
        if done in left:
            left.clear()
            os.kill(executor.processes[0], signal.SIGKILL)

    return watch


def values_and_errors(found: dict[int, TaskResult]) -> dict[int, object]:
    """The parts of the results that must not depend on the worker."""
    return {
        number: result.error if result.data is None else json.loads(result.data)["double"]
        for number, result in found.items()
    }


@pytest.fixture(scope="module")
def dask() -> Iterator[LocalDaskCluster]:
    """A cluster of two workers, shared by all tests of this file."""
    pytest.importorskip("distributed", reason="clusters need the extra `arena`")
    host = LocalDaskCluster(2)
    yield host
    host.close()


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (ProcessLookupError, FileNotFoundError):
        return False


def is_gone(pid: int) -> bool:
    deadline = time.monotonic() + LONG
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not alive(pid)


@pytest.mark.long
def test_results_are_those_of_a_local_worker(dask: LocalDaskCluster) -> None:
    """Including errors, and although one of the two workers is killed."""
    work = [*tasks(range(20), seconds=0.02), Task(20, "refuse", "{}"), Task(21, "raise", "{}")]
    with LocalExecutor(1, perform=PERFORM) as executor:
        executor.submit(work)
        alone = collect(executor)
    with DaskExecutor(dask.address, "tictactoe", perform=PERFORM) as executor:
        executor.submit(work)
        found = collect(executor, kill_a_worker(executor, 5))
    assert sorted(found) == list(range(22))
    assert values_and_errors(found) == values_and_errors(alone)
    assert (found[20].bad_input, found[21].bad_input) == (True, False)


@pytest.mark.long
def test_a_tournament_has_the_same_games_and_table(dask: LocalDaskCluster, tmp_path: Path) -> None:
    """With two Dask workers, one of which is killed, as with one local worker."""
    entrants = (Entrant("r", "random"), Entrant("s", "random"), Entrant("t", "engine:depth=2"))
    plan = Plan("tictactoe", entrants, games=20, openings="plies=2", seed=3)
    found = {}
    for name, executor in (("one", LocalExecutor(1)), ("two", DaskExecutor(dask.address, "tictactoe"))):

        def watch(run: Tournament, played: GameRecord | None, executor: Executor = executor) -> None:
            if isinstance(executor, DaskExecutor) and played is not None and run.games_played == 20:
                os.kill(executor.processes[0], signal.SIGKILL)

        with executor, Store.create(tmp_path / f"{name}.zermelo", plan.as_dict()) as store:
            run = Tournament(plan, store, watch)
            run.run(executor)
            assert not run.failed
            games = {game.job.number: game.moves for game in store.games()}
            table = run.standings(rated=False)
            rows = [(row.rank, row.name, row.score, row.as_max, row.nodes, row.sonneborn_berger) for row in table.rows]
            found[name] = (games, rows, table.cross, table.distinct, table.terminations)
    assert found["one"] == found["two"]
    assert len(found["one"][0]) == 60


@pytest.mark.nightly
def test_only_the_task_that_kills_its_worker_fails(dask: LocalDaskCluster) -> None:
    work = [*tasks(range(10), seconds=0.02), Task(10, "exit", "{}"), *tasks(range(11, 30), seconds=0.02)]
    work += [Task(30, "killed", "{}")]
    with DaskExecutor(dask.address, perform=PERFORM) as executor:
        executor.submit(work)
        found = collect(executor)
    assert sorted(found) == list(range(31))
    for number in (10, 30):
        assert found[number].error == f"failed {MAX_ATTEMPTS} times: its worker died {MAX_ATTEMPTS} times"
    assert all(result.data is not None for number, result in found.items() if number not in (10, 30))


def test_cancel(dask: LocalDaskCluster) -> None:
    with DaskExecutor(dask.address, perform=PERFORM) as executor:
        assert executor.next_result() is None
        executor.submit(tasks(range(30), seconds=0.2))
        assert executor.unfinished == 30
        assert executor.next_result(LONG) is not None
        executor.cancel()
        assert executor.unfinished == 0
        executor.submit(tasks(range(100, 103)))
        assert values_and_errors(collect(executor)) == {100: 200, 101: 202, 102: 204}
    with pytest.raises(ZermeloError, match="closed"):
        executor.submit(tasks(range(1)))


def test_a_worker_with_different_source_is_refused(dask: LocalDaskCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_source_digest", lambda: "another")
    with pytest.raises(ZermeloError, match=r"worker tcp://127.*: has different source code"):
        DaskExecutor(dask.address)


def test_different_rules_on_the_workers_are_refused(
    dask: LocalDaskCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "nim.py"
    path.write_text((Path(__file__).parents[1] / "support" / "nim.py").read_text())
    with DaskExecutor(dask.address, f"{path}:Nim", perform=PERFORM) as executor:
        executor.submit(tasks(range(2)))
        assert values_and_errors(collect(executor)) == {0: 0, 1: 2}
        code = executor._code
    assert "different rules" in run_on_worker(code._replace(rules="x"), PERFORM, "double", "{}")["mismatch"]
    monkeypatch.setattr(cluster, "_rules_digest", lambda game: "other")
    with pytest.raises(ZermeloError, match="has different rules of"):
        DaskExecutor(dask.address, f"{path}:Nim")


def test_code_differences() -> None:
    local = CodeVersion.local("othello")
    assert local.difference(CodeVersion.local("othello")) == ""
    assert "Zermelo 9" in local.difference(local._replace(version="9"))
    assert "Python 2.7" in local.difference(local._replace(python="2.7"))
    assert "different source" in local.difference(local._replace(source=""))
    assert "different rules of othello" in local.difference(local._replace(rules=""))


def test_no_scheduler_there(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="clusters need the extra `arena`")
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1.0)
    with socket.socket() as taken:  # a port without a listener
        taken.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(ZermeloError, match=f"no Dask scheduler replies at {address}"):
            create_executor(address, 1)


@pytest.mark.parametrize(
    "text",
    [
        "local",
        "local:",
        "local:0",
        "local:99999",
        "tcp://",
        "tcp://host",
        "http://host:80",
        "local:٣",
        "host:8786",
        "2",
    ],
)
def test_malformed_cluster_options(text: str) -> None:
    with pytest.raises(LimitError):
        create_executor(text, 1)


def test_executors_without_a_cluster() -> None:
    with create_executor(None, 0) as executor:
        assert isinstance(executor, InlineExecutor)
    with create_executor(None, 2) as executor:
        assert isinstance(executor, LocalExecutor)


def test_without_dask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ZermeloError, match=r"pip install 'zermelo\[arena\]'"):
        create_executor("local:2", 1)


PARENT = """
    import sys, time
    sys.path.insert(0, {support!r})
    from zermelo.arena.executors.executor import Task
    from zermelo.arena.executors.dask_executor import DaskExecutor, LocalDaskCluster
    host = LocalDaskCluster(1)
    executor = DaskExecutor(host, perform="behaviours:perform")
    executor.submit([Task(number, "loop", "") for number in range(4)])
    executor.next_result(1)
    print(host.process.pid, *executor.processes, flush=True)
    if {closes}:
        executor.close()
    else:
        time.sleep(1000)
"""


@pytest.mark.long
@pytest.mark.parametrize("closes", [True, False], ids=["closed", "killed"])
def test_no_processes_are_left(closes: bool) -> None:
    """Workers in compiled code end when the executor is closed or its process is killed; warnings are errors."""
    pytest.importorskip("distributed", reason="clusters need the extra `arena`")
    script = textwrap.dedent(PARENT).format(support=str(Path(__file__).parents[1] / "support"), closes=closes)
    command = [sys.executable, "-W", "error", "-X", "dev", "-c", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        assert parent.stderr is not None
        left = [int(word) for word in parent.stdout.readline().split()]
        if not closes:
            parent.kill()
        errors = parent.stderr.read()
    assert len(left) == 2, errors
    assert errors == ""
    assert all(is_gone(pid) for pid in left)
    assert parent.returncode == (0 if closes else -signal.SIGKILL)
