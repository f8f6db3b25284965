"""Workers of a Dask scheduler: the same outcomes as of workers of this machine, whoever dies; and nothing is left."""

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
from zermelo.arena.executors.dask_executor import Claim, DaskExecutor, LocalDaskCluster, at_worker, create_executor
from zermelo.arena.executors.executor import TRIES, Executor, Task, TaskResult
from zermelo.arena.executors.local_executor import InlineExecutor, LocalExecutor
from zermelo.arena.game_record import GameRecord
from zermelo.arena.plans.plan import Entrant, Plan
from zermelo.arena.store import Store
from zermelo.arena.tournament import Tournament
from zermelo.errors import LimitError, ZermeloError

PERFORM = "behaviours:perform"


def killing(crew: DaskExecutor, after: int) -> Callable[[int], None]:
    """For `outcomes`: once so many are there, a worker is killed."""
    left = [after]

    def watch(done: int) -> None:
        if done in left:
            left.clear()
            os.kill(crew.processes[0], signal.SIGKILL)

    return watch


def told(found: dict[int, TaskResult]) -> dict[int, object]:
    """What must not depend on who did it."""
    return {
        number: outcome.error if outcome.data is None else json.loads(outcome.data)["double"]
        for number, outcome in found.items()
    }


@pytest.fixture(scope="module")
def dask() -> Iterator[LocalDaskCluster]:
    """Two workers that all tests of this file use, one after another."""
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
    until = time.monotonic() + LONG
    while alive(pid) and time.monotonic() < until:
        time.sleep(0.05)
    return not alive(pid)


def test_one_worker_of_two_is_killed_in_the_middle(dask: LocalDaskCluster) -> None:
    """The same outcomes as with one worker of this machine, mistakes and all."""
    work = [*tasks(range(20), seconds=0.02), Task(20, "refuse", "{}"), Task(21, "raise", "{}")]
    with LocalExecutor(1, perform=PERFORM) as crew:
        crew.submit(work)
        alone = collect(crew)
    with DaskExecutor(dask.address, "tictactoe", perform=PERFORM) as crew:
        crew.submit(work)
        found = collect(crew, killing(crew, 5))
    assert sorted(found) == list(range(22))
    assert told(found) == told(alone)
    assert (found[20].bad_input, found[21].bad_input) == (True, False)


def test_the_table_of_a_tournament(dask: LocalDaskCluster, tmp_path: Path) -> None:
    """Two Dask workers, one killed in the middle: the games and the table of one worker."""
    entrants = (Entrant("r", "random"), Entrant("s", "random"), Entrant("t", "engine:depth=2"))
    plan = Plan("tictactoe", entrants, games=20, openings="plies=2", seed=3)
    found = {}
    for name, crew in (("one", LocalExecutor(1)), ("two", DaskExecutor(dask.address, "tictactoe"))):

        def watch(run: Tournament, played: GameRecord | None, crew: Executor = crew) -> None:
            if isinstance(crew, DaskExecutor) and played is not None and run.played == 20:
                os.kill(crew.processes[0], signal.SIGKILL)

        with crew, Store.create(tmp_path / f"{name}.zermelo", plan.as_dict()) as store:
            run = Tournament(plan, store, watch)
            run.go(crew)
            assert not run.failed
            kept = {game.job.number: game.moves for game in store.games()}
            table = run.standings(rated=False)
            rows = [(row.rank, row.name, row.score, row.as_max, row.nodes, row.sonneborn_berger) for row in table.rows]
            found[name] = (kept, rows, table.cross, table.distinct, table.endings)
    assert found["one"] == found["two"]
    assert len(found["one"][0]) == 60


@pytest.mark.nightly
def test_a_task_that_kills_its_worker_is_told_of_and_no_other_blamed(dask: LocalDaskCluster) -> None:
    work = [*tasks(range(10), seconds=0.02), Task(10, "exit", "{}"), *tasks(range(11, 30), seconds=0.02)]
    work += [Task(30, "killed", "{}")]
    with DaskExecutor(dask.address, perform=PERFORM) as crew:
        crew.submit(work)
        found = collect(crew)
    assert sorted(found) == list(range(31))
    for number in (10, 30):
        assert found[number].error == f"failed {TRIES} times: its worker died {TRIES} times"
    assert all(outcome.data is not None for number, outcome in found.items() if number not in (10, 30))


def test_cancel_and_go_on(dask: LocalDaskCluster) -> None:
    with DaskExecutor(dask.address, perform=PERFORM) as crew:
        assert crew.next_result() is None
        crew.submit(tasks(range(30), seconds=0.2))
        assert crew.unfinished == 30
        assert crew.next_result(LONG) is not None
        crew.cancel()
        assert crew.unfinished == 0
        crew.submit(tasks(range(100, 103)))
        assert told(collect(crew)) == {100: 200, 101: 202, 102: 204}
    with pytest.raises(ZermeloError, match="closed"):
        crew.submit(tasks(range(1)))


def test_another_zermelo_on_a_worker(dask: LocalDaskCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "_source", lambda: "another")
    with pytest.raises(ZermeloError, match=r"worker tcp://127.*: it has another source of Zermelo"):
        DaskExecutor(dask.address)


def test_a_game_that_the_workers_have_not(
    dask: LocalDaskCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "nim.py"
    path.write_text((Path(__file__).parents[1] / "cli" / "nim.py").read_text())
    with DaskExecutor(dask.address, f"{path}:Nim", perform=PERFORM) as crew:
        crew.submit(tasks(range(2)))
        assert told(collect(crew)) == {0: 0, 1: 2}
        claim = crew._claim
    assert "other rules" in at_worker(claim._replace(rules="x"), PERFORM, "double", "{}")["alien"]
    monkeypatch.setattr(cluster, "_rules", lambda game: "other")
    with pytest.raises(ZermeloError, match="it has other rules of"):
        DaskExecutor(dask.address, f"{path}:Nim")


def test_what_a_worker_may_differ_in() -> None:
    here = Claim.here("othello")
    assert here.against(Claim.here("othello")) == ""
    assert "Zermelo 9" in here.against(here._replace(version="9"))
    assert "Python 2.7" in here.against(here._replace(python="2.7"))
    assert "another source" in here.against(here._replace(source=""))
    assert "other rules of othello" in here.against(here._replace(rules=""))


def test_no_scheduler_there(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="clusters need the extra `arena`")
    monkeypatch.setattr(cluster, "START", 1.0)
    with socket.socket() as taken:  # a port that nobody listens at
        taken.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        with pytest.raises(ZermeloError, match=f"no Dask scheduler answers at {address}"):
            create_executor(address, 1)


@pytest.mark.parametrize(
    "text", ["local", "local:", "local:0", "local:99999", "tcp://", "tcp://host", "http://host:80", "host:8786", "2"]
)
def test_what_no_cluster_is(text: str) -> None:
    with pytest.raises(LimitError):
        create_executor(text, 1)


def test_workers_of_this_machine() -> None:
    with create_executor(None, 0) as crew:
        assert isinstance(crew, InlineExecutor)
    with create_executor(None, 2) as crew:
        assert isinstance(crew, LocalExecutor)


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
    crew = DaskExecutor(host, perform="behaviours:perform")
    crew.submit([Task(number, "loop", "") for number in range(4)])
    crew.next_result(1)
    print(host.process.pid, *crew.processes, flush=True)
    if {closes}:
        crew.close()
    else:
        time.sleep(1000)
"""


@pytest.mark.parametrize("closes", [True, False], ids=["closed", "killed"])
def test_nothing_is_left(closes: bool) -> None:
    """Workers deep in compiled code end, when the crew is closed or its process is killed; warnings are errors."""
    pytest.importorskip("distributed", reason="clusters need the extra `arena`")
    script = textwrap.dedent(PARENT).format(support=str(Path(__file__).parents[1] / "support"), closes=closes)
    command = [sys.executable, "-W", "error", "-X", "dev", "-c", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        assert parent.stderr is not None
        left = [int(word) for word in parent.stdout.readline().split()]
        if not closes:
            parent.kill()
        said = parent.stderr.read()
    assert len(left) == 2, said
    assert said == ""
    assert all(is_gone(pid) for pid in left)
    assert parent.returncode == (0 if closes else -signal.SIGKILL)
