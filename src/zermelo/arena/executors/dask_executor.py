"""Workers on many machines, by Dask: the scheduler gives out tasks, and does those of a dead worker again.

with create_executor("tcp://10.0.0.1:8786", game="othello") as crew: ...

What travels is text, and the name of a function of this package; no object of a user's is pickled. The scheduler is
never given more than a few tasks for each worker, however many there are to do.
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
import tempfile
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

from zermelo._util.text import quoted
from zermelo.arena.executors.executor import PATIENCE, PERFORM, TRIES, Away, Executor, Task, TaskResult, attempt, failed
from zermelo.arena.executors.local_executor import MOST_WORKERS, InlineExecutor, LocalExecutor
from zermelo.arena.executors.subprocesses import started, streams
from zermelo.arena.executors.worker import function
from zermelo.errors import LimitError, MissingDependency, ZermeloError

#: Seconds until a scheduler, and the first of its workers, must have answered.
START = 10.0
#: Seconds until workers of our own must have started: they are many, and the machine may be busy.
OWN_START = 120.0
# Tasks that the scheduler has, for each thread of a worker; and at least so many, while there are few workers.
IN_FLIGHT = 4
LEAST_IN_FLIGHT = 8
# Rooms of the package that no worker enters.
_WITHOUT_PART = ("cli", "drawing", "exercises", "lectures", "tree")
_FORMS = "local:N, tcp://HOST:PORT or tls://HOST:PORT"


def create_executor(cluster: str | None, workers: int, game: str = "") -> Executor:
    """The workers that the options `--cluster` and `--workers` ask for.

    None: `workers` processes of this machine, or this very process for 0; "local:N": Dask with N processes of this
    machine; "tcp://HOST:PORT" (or tls://): the Dask that is there. `game`: whose source must be the same on all workers
    as it is here. Raises `LimitError` and `ZermeloError`.
    """
    if cluster is None:
        return LocalExecutor(workers) if workers else InlineExecutor()
    if found := re.fullmatch(r"local:(\d{1,9})", cluster):
        count = int(found[1])
        if not 1 <= count <= MOST_WORKERS:
            raise LimitError(f"{count} workers: between 1 and {MOST_WORKERS} can work together")
        return DaskExecutor(LocalDaskCluster(count), game)
    if not re.fullmatch(r"(tcp|tls)://(\[[0-9a-fA-F:.]+\]|[\w.-]+):\d{1,5}", cluster):
        raise LimitError(f"cluster {quoted(cluster)} is none of {_FORMS}")
    return DaskExecutor(cluster, game)


class Claim(NamedTuple):
    """What must be the same wherever a task is done: else the same task could have two outcomes."""

    version: str
    python: str
    source: str
    game: str
    rules: str

    @classmethod
    def here(cls, game: str) -> Claim:
        """What holds in this process."""
        from zermelo import __version__

        python = f"{sys.version_info.major}.{sys.version_info.minor}"
        return cls(__version__, python, _source(), game, _rules(game))

    def against(self, theirs: Claim) -> str:
        """How a worker differs, in words; empty where it does not."""
        if self.version != theirs.version:
            return f"it has Zermelo {theirs.version}, here it is {self.version}"
        if self.python != theirs.python:
            return f"it has Python {theirs.python}, here it is {self.python}"
        if self.source != theirs.source:
            return "it has another source of Zermelo than there is here, of the same version"
        if self.rules != theirs.rules:
            return f"it has other rules of {self.game} than there are here"
        return ""


@cache
def _source() -> str:
    """A digest of the package's source, as far as any outcome depends on it."""
    from hashlib import blake2b

    home = Path(__file__).parents[2]
    digest = blake2b(digest_size=8)
    for path in sorted(home.rglob("*.py")):
        if path.relative_to(home).parts[0] in _WITHOUT_PART:
            continue
        digest.update(f"{path.relative_to(home).as_posix()}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()


@cache
def _rules(game: str) -> str:
    """A digest of a game's code, with all that it uses; the package's own are part of `_source`."""
    if not game:
        return ""
    from zermelo import registry
    from zermelo.compiled.fingerprint import fingerprint

    return fingerprint(registry.load(game))


def at_worker(claim: Claim, perform: str, kind: str, data: str) -> dict[str, Any]:
    """One try of a task where it is done: the fields of an outcome, or `alien`: why this worker must not do it."""
    where = f"{os.uname().nodename if hasattr(os, 'uname') else 'worker'}:{os.getpid()}"
    try:
        difference = claim.against(Claim.here(claim.game))
    except ZermeloError as error:
        difference = str(error)
    if difference:
        return {"alien": difference, "where": where}
    return {**attempt(function(perform), kind, data), "where": where}


class DaskExecutor(Away):
    """Runs tasks on a Dask cluster: the scheduler at an address, or a `LocalDaskCluster`, which is closed with it.

    Raises `ZermeloError`: where nobody answers, where Zermelo is missing on a worker or is another one, and (from
    `next`) where the scheduler is gone.
    """

    def __init__(self, where: str | LocalDaskCluster, game: str = "", *, perform: str = PERFORM) -> None:
        super().__init__()
        self._host = where if isinstance(where, LocalDaskCluster) else None
        self._perform = perform
        self._suspects: deque[Task] = deque()
        self._running: dict[str, Task] = {}
        self._futures: dict[str, Any] = {}
        self._submitted = 0
        self._loud: dict[str, int] = {}
        self._client: Any = None
        try:
            self._claim = Claim.here(game)
            self.address = where.address if isinstance(where, LocalDaskCluster) else where
            self._connect()
        except BaseException:
            self.close()
            raise

    def _connect(self) -> None:
        distributed = _distributed()
        for name in list(logging.root.manager.loggerDict):  # a worker's death is told by outcomes, not by their logs
            if name.partition(".")[0] in ("distributed", "tornado", "asyncio"):
                logger = logging.getLogger(name)
                self._loud[name] = logger.level
                logger.setLevel(logging.CRITICAL + 1)
        try:
            with _quiet():
                self._client = distributed.Client(
                    self.address, timeout=START, set_as_default=False, name="zermelo", heartbeat_interval="2s"
                )
        except OSError:
            raise ZermeloError(f"no Dask scheduler answers at {self.address} within {START:g} s") from None
        except Exception as error:
            raise ZermeloError(f"{self.address}: {type(error).__name__}: {_line(error)}") from None
        try:
            self._client.wait_for_workers(1, timeout=START)
        except Exception:
            raise ZermeloError(f"the Dask scheduler at {self.address} has no workers; start some there") from None
        for address, found in self._client.run(_claimed, self._claim.game, on_error="return").items():
            if isinstance(found, ModuleNotFoundError) or not isinstance(found, tuple | str):
                raise ZermeloError(f"worker {address}: {_missing(found)}")
            difference = found if isinstance(found, str) else self._claim.against(Claim(*found))
            if difference:
                raise ZermeloError(f"worker {address}: {difference}")

    @property
    def unfinished(self) -> int:
        return len(self._done) + len(self._pending) + len(self._suspects) + len(self._running)

    @property
    def processes(self) -> list[int]:
        """The workers that there are now, by their process ids on their machines."""
        return list(self._client.run(os.getpid).values())

    def cancel(self) -> None:
        futures = list(self._futures.values())
        for known in (self._pending, self._suspects, self._running, self._futures, self._tries):
            known.clear()
        if futures:
            with suppress(Exception):  # a scheduler that is gone does nothing more anyway
                self._client.cancel(futures, force=True)

    def close(self) -> None:
        self._is_closed = True
        if self._client is not None:
            self.cancel()
            with suppress(Exception), _quiet():
                self._client.close(timeout=1)
        if self._host is not None:
            self._host.close()
        for name, level in self._loud.items():
            logging.getLogger(name).setLevel(level)
        self._loud.clear()

    # ---- tasks out, results in ----------------------------------------------------------------------------

    def _send(self) -> None:
        """Give the scheduler what it has room for. Suspects come last, each with no other task beside it."""
        room = max(IN_FLIGHT * self._threads(), LEAST_IN_FLIGHT)
        while self._pending and len(self._running) < room:
            self._submit(self._pending.popleft())
        if self._suspects and not self._running:
            task = self._suspects.popleft()
            self._submit(task, alone=True)

    def _look(self) -> None:
        if self._client.status not in ("running", "connecting"):
            raise self._gone() from None
        self._send()  # there may be more workers than before

    def _threads(self) -> int:
        """How many tasks the workers can do at once."""
        workers = self._client.scheduler_info().get("workers", {})
        return sum(worker["nthreads"] for worker in workers.values())

    def _submit(self, task: Task, alone: bool = False) -> None:
        self._submitted += 1
        key = f"zermelo-{os.urandom(8).hex()}-{task.number}-{'alone' if alone else 'with others'}"
        self._running[key] = task
        future = self._client.submit(
            at_worker, self._claim, self._perform, task.kind, task.data, key=key, pure=False, retries=0
        )
        self._futures[key] = future
        future.add_done_callback(self._tell)

    def _tell(self, future: Any) -> None:
        """A future is done: called by Dask, on a thread of its own."""
        try:
            result = future.result(timeout=START)
        except TimeoutError:  # its worker died after it had done it, so that it is done again
            if future.key in self._futures:
                future.add_done_callback(self._tell)
            return
        except BaseException as error:
            result = error
        self._heard.put((future.key, result))

    def _hear(self, source: str, message: Any) -> None:
        task = self._running.pop(source, None)
        self._futures.pop(source, None)
        if task is None:
            return  # cancelled
        if isinstance(message, BaseException):
            self._failed(task, source.endswith("alone"), message)
        elif "alien" in message:
            raise ZermeloError(f"worker {message['where']}: {message['alien']}")
        else:
            self._told(task, message, message["where"])
        self._send()

    def _failed(self, task: Task, alone: bool, error: BaseException) -> None:
        """Dask gave a task up: too many workers died while they had it, or there is no scheduler any more."""
        deaths = getattr(error, "allowed_failures", None)
        if deaths is None:
            if isinstance(error, ModuleNotFoundError):
                raise ZermeloError(f"a worker of {self.address}: {_missing(error)}")
            raise self._gone() from None
        if alone:
            told = failed(f"its worker died {deaths + 1} times", deaths + 1)
            self._done.append(TaskResult(task.number, None, told, deaths + 1))
        else:  # it may only have been beside the one that killed them
            self._suspects.append(task)

    def _gone(self) -> ZermeloError:
        return ZermeloError(f"the Dask scheduler at {self.address} does not answer any more")


def _claimed(game: str) -> tuple[str, ...] | str:
    """What holds on a worker, or why it cannot tell."""
    try:
        return tuple(Claim.here(game))
    except ZermeloError as error:
        return str(error)


def _missing(error: object) -> str:
    if isinstance(error, ModuleNotFoundError) or "ModuleNotFoundError" in str(error):  # as Dask hands it on
        return f"it needs the same Zermelo as there is here: {_line(error)}"
    return f"{type(error).__name__}: {_line(error)}"


def _line(error: object) -> str:
    return " ".join(str(error).split())[:300]


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise MissingDependency("clusters need Dask: pip install 'zermelo[arena]'") from None
    return distributed


@contextmanager
def _quiet() -> Iterator[None]:
    """Without warnings: of versions that differ (compared by `Claim`, as far as it matters) and of being slow."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


class LocalDaskCluster:
    """A Dask scheduler and workers of our own, below a process of their own: nothing of them runs in this one.

    It listens on the loopback interface only, and ends with all its workers when it is closed, or this process ends.
    """

    def __init__(self, workers: int) -> None:
        _distributed()
        self._folder = tempfile.mkdtemp(prefix="zermelo-dask-")
        self.process = started("zermelo.arena.executors.dask_executor", "host", str(workers), self._folder)
        try:
            self.address = self._first_line()
        except BaseException:
            self.close()
            raise

    def _first_line(self) -> str:
        lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        source = cast(IO[bytes], self.process.stdout)
        threading.Thread(target=lambda: lines.put(source.readline()), daemon=True).start()
        until = time.monotonic() + OWN_START
        while time.monotonic() < until:
            with suppress(queue.Empty):
                line = lines.get(timeout=PATIENCE)
                if not line:
                    break
                told = json.loads(line)
                if "address" in told:
                    return str(told["address"])
                raise ZermeloError(f"Dask does not start: {told['error']}")
        raise ZermeloError("Dask does not start; with ZERMELO_TRACE=1 in the environment it says why")

    def close(self) -> None:
        """End it with all its workers, at once."""
        cast(IO[bytes], self.process.stdin).close()  # upon which it ends its workers, and itself
        try:
            self.process.wait(1.0)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        cast(IO[bytes], self.process.stdout).close()
        shutil.rmtree(self._folder, ignore_errors=True)


def host(workers: str, folder: str) -> None:
    """Run the process of a `LocalDaskCluster`: send the scheduler's address; exit at end of standard input."""
    source, wire = streams()

    def say(**told: str) -> None:
        wire.write(json.dumps(told).encode() + b"\n")
        wire.flush()

    def end_with_parent() -> None:
        psutil: Any = import_module("psutil")  # Dask comes with it
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
            "distributed.scheduler.allowed-failures": TRIES - 1,
            "distributed.scheduler.worker-saturation": 1.0,  # the next task of a worker is chosen when it is free
            "distributed.worker.daemon": False,  # workers start programs
        }
    )
    try:
        cluster = _distributed().LocalCluster(
            n_workers=int(workers),
            threads_per_worker=1,
            dashboard_address=None,
            memory_limit=0,
            silence_logs=logging.CRITICAL,
        )
    except Exception as error:
        say(error=f"{type(error).__name__}: {_line(error)}")
        raise
    say(address=cluster.scheduler_address)
    threading.Event().wait()
