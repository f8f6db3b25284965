"""Executor on a Dask cluster: the scheduler distributes tasks over many machines and retries those of dead workers.

with create_executor("tcp://10.0.0.1:8786", workers=0, game="othello") as executor: ...

Tasks travel as text, with the name of a function of this package; no user objects are pickled. However many tasks
there are, the scheduler has only a few per worker at a time.
"""

from __future__ import annotations

import json
import logging
import os
import queue
import re
import shutil
import subprocess
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from zermelo._util import temporary
from zermelo._util.mailbox import Mailbox
from zermelo._util.text import quoted
from zermelo.arena.executors.executor import (
    MAX_ATTEMPTS,
    POLL_SECONDS,
    TASK_FUNCTION,
    Executor,
    RemoteExecutor,
    Task,
    TaskResult,
    failure_message,
    run_task,
)
from zermelo.arena.executors.local_executor import InlineExecutor, LocalExecutor, check_worker_count
from zermelo.arena.executors.subprocesses import parent_streams, start_process
from zermelo.arena.executors.worker import import_function
from zermelo.errors import LimitError, MissingDependency, ZermeloError

#: Seconds until the scheduler, and the first of its workers, must have replied.
CONNECT_SECONDS = 10.0
#: Seconds until the workers of a `LocalDaskCluster` must have started: there may be many, on a busy machine.
_CLUSTER_START_SECONDS = 120.0
#: Tasks that the scheduler holds for each worker thread, and the minimum while there are few workers.
_TASKS_PER_THREAD, _MIN_TASKS = 4, 8
#: Packages whose code no task runs: their source may differ between machines.
_UNUSED_BY_WORKERS = ("cli", "drawing", "teaching", "web")
_CLUSTER_FORMS = "local:N, tcp://HOST:PORT or tls://HOST:PORT"


def create_executor(cluster: str | None, workers: int, game: str = "") -> Executor:
    """Create the executor for the options `--cluster` and `--workers`.

    Parameters
    ----------
    cluster : str, optional
        `local:N`: a new Dask cluster of N processes on this machine. `tcp://HOST:PORT` or `tls://HOST:PORT`: an
        existing Dask scheduler. None: no Dask.
    workers : int
        Without a cluster: number of worker processes; 0 runs all tasks in this process.
    game : str
        Name of the game whose rules must be the same on all workers.

    Raises
    ------
    LimitError
        `cluster` is malformed, or the number of workers is out of range.
    MissingDependency
        Dask is not installed.
    ZermeloError
        No scheduler or worker replies, or a worker has different code.
    """
    if cluster is None:
        return LocalExecutor(workers) if workers else InlineExecutor()
    if match := re.fullmatch(r"local:([0-9]{1,9})", cluster):
        count = int(match[1])
        check_worker_count(count)
        return DaskExecutor(LocalDaskCluster(count), game)
    if not re.fullmatch(r"(tcp|tls)://(\[[0-9a-fA-F:.]+\]|[\w.-]+):[0-9]{1,5}", cluster):
        raise LimitError(f"cluster {quoted(cluster)}: expected {_CLUSTER_FORMS}")
    return DaskExecutor(cluster, game)


class CodeVersion(NamedTuple):
    """Versions that must be equal on all machines: otherwise the same task could have different results."""

    version: str
    python: str
    source: str
    game: str
    rules: str

    @classmethod
    def local(cls, game: str) -> CodeVersion:
        """Return the versions of this process."""
        from zermelo import __version__

        python = f"{sys.version_info.major}.{sys.version_info.minor}"
        return cls(__version__, python, _source_digest(), game, _rules_digest(game))

    def difference(self, worker: CodeVersion) -> str:
        """Describe how a worker differs from this process; empty if it does not."""
        if self.version != worker.version:
            return f"has Zermelo {worker.version}, this process has {self.version}"
        if self.python != worker.python:
            return f"has Python {worker.python}, this process has {self.python}"
        if self.source != worker.source:
            return "has different source code of the same version of Zermelo"
        if self.rules != worker.rules:
            return f"has different rules of {self.game}"
        return ""


@cache
def _source_digest() -> str:
    """Return a digest of all source files that results of tasks can depend on."""
    from hashlib import blake2b

    package = Path(__file__).parents[2]
    digest = blake2b(digest_size=8)
    for path in sorted(package.rglob("*.py")):
        if path.relative_to(package).parts[0] in _UNUSED_BY_WORKERS:
            continue
        digest.update(f"{path.relative_to(package).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()


@cache
def _rules_digest(game: str) -> str:
    """Return a digest of a game's code and everything it uses."""
    if not game:
        return ""
    from zermelo import registry
    from zermelo.compiled.fingerprint import fingerprint

    return fingerprint(registry.load(game))


def run_on_worker(expected: CodeVersion, perform: str, kind: str, data: str) -> dict[str, Any]:
    """Run a task once, on a worker.

    Returns the fields of its result, or `mismatch`: how the code of this worker differs from what is expected.
    """
    where = f"{os.uname().nodename if hasattr(os, 'uname') else 'worker'}:{os.getpid()}"
    try:
        difference = expected.difference(CodeVersion.local(expected.game))
    except ZermeloError as error:
        difference = str(error)
    if difference:
        return {"mismatch": difference, "where": where}
    return {**run_task(import_function(perform), kind, data), "where": where}


class DaskExecutor(RemoteExecutor):
    """Runs tasks on a Dask cluster.

    Parameters
    ----------
    where : str or LocalDaskCluster
        Address of a scheduler, or a local cluster, which is closed with the executor.
    game : str
        Name of the game whose rules must be the same on all workers.
    perform : str
        Task function as `module:function`; the workers import it.

    Raises
    ------
    MissingDependency
        Dask is not installed.
    ZermeloError
        No scheduler or worker replies, or a worker has different code; from `next_result` also: the scheduler is gone.
    """

    def __init__(self, where: str | LocalDaskCluster, game: str = "", *, perform: str = TASK_FUNCTION) -> None:
        super().__init__()
        self._cluster = where if isinstance(where, LocalDaskCluster) else None
        self._perform = perform
        #: Tasks that were running when workers died, each of which may be the cause.
        self._suspects: deque[Task] = deque()
        self._running: dict[str, Task] = {}
        self._futures: dict[str, Any] = {}
        self._log_levels: dict[str, int] = {}
        self._client: Any = None
        try:
            self._code = CodeVersion.local(game)
            self.address = where.address if isinstance(where, LocalDaskCluster) else where
            self._connect()
        except BaseException:
            self.close()
            raise

    def _connect(self) -> None:
        distributed = _import_distributed()
        for name in list(logging.root.manager.loggerDict):  # dead workers are reported as results, not in Dask's log
            if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):
                logger = logging.getLogger(name)
                self._log_levels[name] = logger.level
                logger.setLevel(logging.CRITICAL + 1)
        try:
            with _warnings_ignored():
                self._client = distributed.Client(
                    self.address, timeout=CONNECT_SECONDS, set_as_default=False, name="zermelo", heartbeat_interval="2s"
                )
        except OSError:
            raise ZermeloError(f"no Dask scheduler replies at {self.address} within {CONNECT_SECONDS:g} s") from None
        except Exception as error:
            raise ZermeloError(f"{self.address}: {type(error).__name__}: {_first_300(error)}") from None
        try:
            self._client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        except Exception:
            raise ZermeloError(f"the Dask scheduler at {self.address} has no workers; start some") from None
        for address, found in self._client.run(_worker_code, self._code.game, on_error="return").items():
            if isinstance(found, ModuleNotFoundError) or not isinstance(found, tuple | str):
                raise ZermeloError(f"worker {address}: {_describe_import_error(found)}")
            difference = found if isinstance(found, str) else self._code.difference(CodeVersion(*found))
            if difference:
                raise ZermeloError(f"worker {address}: {difference}")

    @property
    def unfinished(self) -> int:
        return len(self._done) + len(self._pending) + len(self._suspects) + len(self._running)

    @property
    def processes(self) -> list[int]:
        """Process ids of the current workers, on their machines."""
        return list(self._client.run(os.getpid).values())

    def cancel(self) -> None:
        futures = list(self._futures.values())
        for tasks in (self._pending, self._suspects, self._running, self._futures, self._attempts):
            tasks.clear()
        if futures:
            with suppress(Exception):  # a scheduler that is gone runs nothing
                self._client.cancel(futures, force=True)

    def close(self) -> None:
        self._is_closed = True
        if self._client is not None:
            self.cancel()
            with suppress(Exception), _warnings_ignored():
                self._client.close(timeout=1)
        if self._cluster is not None:
            self._cluster.close()
        for name, level in self._log_levels.items():
            logging.getLogger(name).setLevel(level)
        self._log_levels.clear()

    # ---- tasks and messages -------------------------------------------------------------------------------

    def _dispatch(self) -> None:
        """Send tasks to the scheduler, up to its limit. Suspects come last, each one alone."""
        limit = max(_TASKS_PER_THREAD * self._threads(), _MIN_TASKS)
        while self._pending and len(self._running) < limit:
            self._send(self._pending.popleft())
        if self._suspects and not self._running:
            self._send(self._suspects.popleft(), alone=True)

    def _on_idle(self) -> None:
        if self._client.status not in ("running", "connecting"):
            raise self._scheduler_lost() from None
        self._dispatch()  # there may be new workers

    def _threads(self) -> int:
        """Return how many tasks the workers can run at once."""
        workers = self._client.scheduler_info().get("workers", {})
        return sum(worker["nthreads"] for worker in workers.values())

    def _send(self, task: Task, alone: bool = False) -> None:
        key = f"zermelo-{os.urandom(8).hex()}-{task.number}-{'alone' if alone else 'with others'}"
        self._running[key] = task
        future = self._client.submit(
            run_on_worker, self._code, self._perform, task.kind, task.data, key=key, pure=False, retries=0
        )
        self._futures[key] = future
        future.add_done_callback(self._on_done)

    def _on_done(self, future: Any) -> None:
        """Queue the result of a future. Dask calls this on a thread of its own."""
        try:
            result = future.result(timeout=CONNECT_SECONDS)
        except TimeoutError:  # the worker died after finishing the task, which is therefore run again
            if future.key in self._futures:
                future.add_done_callback(self._on_done)
            return
        except BaseException as error:
            result = error
        self._messages.put((future.key, result))

    def _on_message(self, source: str, message: Any) -> None:
        task = self._running.pop(source, None)
        self._futures.pop(source, None)
        if task is None:
            return  # cancelled
        if isinstance(message, BaseException):
            self._on_failure(task, source.endswith("alone"), message)
        elif "mismatch" in message:
            raise ZermeloError(f"worker {message['where']}: {message['mismatch']}")
        else:
            self._finish_attempt(task, message, message["where"])
        self._dispatch()

    def _on_failure(self, task: Task, alone: bool, error: BaseException) -> None:
        """Handle a task that Dask gave up: too many workers died while running it, or the scheduler is gone."""
        deaths = getattr(error, "allowed_failures", None)
        if deaths is None:
            if isinstance(error, ModuleNotFoundError):
                raise ZermeloError(f"a worker of {self.address}: {_describe_import_error(error)}")
            raise self._scheduler_lost() from None
        if alone:
            message = failure_message(f"its worker died {deaths + 1} times", deaths + 1)
            self._done.append(TaskResult(task.number, None, message, deaths + 1))
        else:  # another task on the same worker may have been the cause
            self._suspects.append(task)

    def _scheduler_lost(self) -> ZermeloError:
        return ZermeloError(f"the Dask scheduler at {self.address} no longer replies")


def _worker_code(game: str) -> tuple[str, ...] | str:
    """Return the versions of a worker, or why they cannot be determined."""
    try:
        return tuple(CodeVersion.local(game))
    except ZermeloError as error:
        return str(error)


def _describe_import_error(error: object) -> str:
    if isinstance(error, ModuleNotFoundError) or "ModuleNotFoundError" in str(error):  # as Dask passes it on
        return f"needs the same version of Zermelo as this process: {_first_300(error)}"
    return f"{type(error).__name__}: {_first_300(error)}"


def _first_300(error: object) -> str:
    """Return the first 300 characters of an error message, in one line."""
    return " ".join(str(error).split())[:300]


def _import_distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise MissingDependency("clusters need Dask: pip install 'zermelo[arena]'") from None
    return distributed


@contextmanager
def _warnings_ignored() -> Iterator[None]:
    """Suppress Dask's warnings about version differences, which `CodeVersion` checks where they matter."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


class LocalDaskCluster:
    """A Dask scheduler with workers on this machine, in processes of their own.

    The scheduler listens on the loopback interface only. All processes end when the cluster is closed or when this
    process exits.

    Parameters
    ----------
    workers : int
        Number of worker processes.

    Raises
    ------
    MissingDependency
        Dask is not installed.
    ZermeloError
        Dask does not start.
    """

    def __init__(self, workers: int) -> None:
        _import_distributed()
        self._folder = temporary.Folder()
        self.process = start_process(
            "zermelo.arena.executors.dask_executor", "run_local_cluster", str(workers), self._folder.name
        )
        try:
            self.address = self._read_address()
        except BaseException:
            self.close()
            raise

    def _read_address(self) -> str:
        lines: Mailbox[bytes] = Mailbox()
        source = cast(IO[bytes], self.process.stdout)
        threading.Thread(target=lambda: lines.put(source.readline()), daemon=True).start()
        deadline = time.monotonic() + _CLUSTER_START_SECONDS
        while time.monotonic() < deadline:
            with suppress(queue.Empty):
                line = lines.get(POLL_SECONDS)
                if not line:
                    break
                message = json.loads(line)
                if "address" in message:
                    return str(message["address"])
                raise ZermeloError(f"Dask does not start: {message['error']}")
        raise ZermeloError("Dask does not start; set ZERMELO_TRACE=1 in the environment to see why")

    def close(self) -> None:
        """End all processes at once."""
        cast(IO[bytes], self.process.stdin).close()  # the process then ends its workers and itself
        try:
            self.process.wait(1.0)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        cast(IO[bytes], self.process.stdout).close()
        self._folder.cleanup()


def run_local_cluster(workers: str, folder: str) -> None:
    """Main program of the process of a `LocalDaskCluster`.

    Sends the scheduler's address to the parent, and ends with all workers at end of input.
    """
    source, sink = parent_streams()

    def send(**message: str) -> None:
        sink.write(json.dumps(message).encode() + b"\n")
        sink.flush()

    def end_with_parent() -> None:
        psutil: Any = import_module("psutil")  # a dependency of Dask
        source.read()
        for child in psutil.Process().children(recursive=True):
            with suppress(psutil.Error):
                child.kill()
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(0)

    import dask

    threading.Thread(target=end_with_parent, daemon=True).start()
    dask.config.set(
        {
            "temporary-directory": folder,
            "distributed.scheduler.allowed-failures": MAX_ATTEMPTS - 1,
            "distributed.scheduler.worker-saturation": 1.0,  # assign a worker's next task when it is free
            "distributed.worker.daemon": False,  # workers start programs
        }
    )
    try:
        cluster = _import_distributed().LocalCluster(
            n_workers=int(workers),
            threads_per_worker=1,
            dashboard_address=None,
            memory_limit=0,
            silence_logs=logging.CRITICAL,
        )
    except Exception as error:
        send(error=f"{type(error).__name__}: {_first_300(error)}")
        raise
    send(address=cluster.scheduler_address)
    threading.Event().wait()
