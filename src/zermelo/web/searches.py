"""Worker processes for searches and for rules that may never return: started once, ended with the server.

    workers = services.get(Workers)
    await workers.search(reply, text, level)                      one result
    async for event in workers.stream(analyse, request): ...      what a generator yields
    await workers.rules(name, describe, request)                  rules, in a process if they are those of a file

The functions are those of modules, called in a worker with the same arguments (`zermelo.web.search_process`). At most
`Limits.searches` searches run at the same time, and one fewer streams, so that the engine can answer a move while
positions are analysed. A stream waits two seconds for a worker and other calls ten, then they are refused (429).

A search whose client has left is asked to stop, and its process is replaced if it does not within half a second. A
compilation is not interrupted: its result is kept in the cache, and its process serves again afterwards.
"""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import threading
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress
from queue import SimpleQueue
from typing import Any, TypeVar

from zermelo.arena.executors.subprocesses import start_process
from zermelo.web import search_process
from zermelo.web.errors import RequestError, busy
from zermelo.web.services import Services

T = TypeVar("T")

logger = logging.getLogger("zermelo.web")

#: Most searches at the same time, where the settings do not say.
MAX_SEARCHES = 8
#: Processes for the rules of games from files: while one of them does not return, another still answers.
RULES_PROCESSES = 2
#: Seconds that rules may take for one request.
RULES_SECONDS = 5.0
#: Seconds that one move of the engine, a hint or an explanation may take, without compiling.
CALL_SECONDS = 60.0
#: Seconds that a stream, and any other call, waits for a worker.
STREAM_WAIT, CALL_WAIT = 2.0, 10.0
#: Calls that wait for a worker.
MAX_WAITING = 32
#: Seconds after which a worker that does not stop is replaced; those that its compiler gets, and those in which a new
#: process begins its first call.
STOP_SECONDS, COMPILE_SECONDS, START_SECONDS = 0.5, 120.0, 30.0


class Note(str):
    """A message of the compiler, among the items of a stream."""


class Worker:
    """A worker process, from the side of the server. To be used in the thread of the event loop.

    Attributes
    ----------
    key : object
        What its last call was about; the same call again finds its tables there.
    is_compiling : bool
        Whether the compiler has announced itself since the last item.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.key: object = None
        self.is_compiling = False
        self._loop = loop
        self._number = 0
        self._items: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()
        self._begun = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._writes: SimpleQueue[object] = SimpleQueue()
        self.process = start_process(search_process.__name__, "main", str(os.getpid()))
        threading.Thread(target=self._write, name="zermelo-worker", daemon=True).start()
        threading.Thread(target=self._read, name="zermelo-worker", daemon=True).start()

    @property
    def is_alive(self) -> bool:
        """Whether the process has not ended."""
        return self.process.poll() is None

    @property
    def is_idle(self) -> bool:
        """Whether no call runs."""
        return self._idle.is_set()

    def begin(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        """Begin a call; the worker must be idle."""
        self._number += 1
        self._items = asyncio.Queue()
        self.is_compiling = False
        self._begun.clear()
        self._idle.clear()
        self._writes.put((self._number, function, arguments))

    async def begun(self) -> None:
        """Wait until the call has begun: a new process imports its function first.

        Raises
        ------
        RequestError
            429, if it does not in time.
        """
        try:
            await asyncio.wait_for(self._begun.wait(), START_SECONDS)
        except TimeoutError:
            raise busy("the search process does not start; try again") from None

    async def ended(self) -> None:
        """Wait until the call has ended."""
        await self._idle.wait()

    async def next(self) -> tuple[str, Any]:
        """Return the next item, note or result of the call.

        Raises
        ------
        RequestError
            422, if the process has died.
        Exception
            Raised by the call.
        """
        kind, value = await self._items.get()
        if kind == "error":
            if isinstance(value, search_process.InternalError):
                logger.error("internal error in a worker\n%s", value)
            raise value
        return kind, value

    async def stop(self) -> bool:
        """Stop the call; returns False if the process had to be ended."""
        if not self._idle.is_set():
            self._writes.put((self._number,))
            with suppress(TimeoutError, RequestError):
                await self.begun()
                await asyncio.wait_for(self._idle.wait(), COMPILE_SECONDS if self.is_compiling else STOP_SECONDS)
        if self._idle.is_set() and self.is_alive:
            return True
        self.kill()
        return False

    def kill(self) -> None:
        """End the process."""
        self._writes.put(None)
        self.process.kill()

    def _write(self) -> None:
        stream = self.process.stdin
        assert stream is not None
        with suppress(OSError, ValueError):  # the process has ended, which `_read` reports
            while (message := self._writes.get()) is not None:
                search_process.write_message(stream, message)
        with suppress(OSError):
            stream.close()

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        with suppress(OSError, EOFError, ValueError):
            while (message := search_process.read_message(stream)) is not None:
                self._post(*message)
        stream.close()
        self._writes.put(None)
        self.process.kill()
        code = self.process.wait()
        self._post(self._number, "error", RequestError(f"the search process has ended ({_ended(code)})", status=422))

    def _post(self, number: int, kind: str, value: Any) -> None:
        with suppress(RuntimeError):  # the loop is closed: the server has ended
            self._loop.call_soon_threadsafe(self._receive, number, kind, value)

    def _receive(self, number: int, kind: str, value: Any) -> None:
        if number != self._number:
            return
        self._begun.set()
        if kind == "begun":
            return
        if kind != "report":  # which may come while the compiler works
            self.is_compiling = kind == "note"
        self._items.put_nowait((kind, value))
        if kind in ("result", "error"):
            self._idle.set()


def _ended(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"


class Pool:
    """Worker processes, started when they are needed.

    Parameters
    ----------
    size : int
        Most processes.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.workers: list[Worker] = []
        self._idle: list[Worker] = []
        self._waiting: list[asyncio.Future[None]] = []
        self._settling: set[asyncio.Task[None]] = set()
        self._starting: set[asyncio.Task[None]] = set()
        self._is_closed = False

    def start(self, warm_up: Callable[[], None]) -> None:
        """Start all processes now, and let each of them call a function."""
        while len(self.workers) < self.size:
            worker = self._new()
            worker.begin(warm_up, ())
            task = self._settle(worker, stop=False)
            self._starting.add(task)
            task.add_done_callback(self._starting.discard)

    def _new(self) -> Worker:
        worker = Worker(asyncio.get_running_loop())
        self.workers.append(worker)
        return worker

    async def acquire(self, key: object, seconds: float) -> Worker:
        """Return an idle worker, if there is one that which last served `key`.

        Raises
        ------
        RequestError
            429, if none becomes idle in time. The time that processes take to start does not count.
        """
        if len(self._waiting) >= MAX_WAITING:
            raise busy("too many requests wait for a search; try again")
        deadline = asyncio.get_running_loop().time() + seconds + (START_SECONDS if self._starting else 0.0)
        while True:
            found = self._take(key)
            if found is not None:
                return found
            turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            try:
                async with asyncio.timeout_at(deadline):
                    await turn
            except TimeoutError:
                raise busy(f"all {self.size} search processes are busy; try again, or stop an analysis") from None
            finally:
                if turn in self._waiting:
                    self._waiting.remove(turn)

    def _take(self, key: object) -> Worker | None:
        self._idle = [worker for worker in self._idle if worker.is_alive]
        self.workers = [worker for worker in self.workers if worker.is_alive]
        same = [worker for worker in self._idle if worker.key == key]
        if same or self._idle:
            worker = (same or self._idle)[0]  # the one that has been idle for longest
            self._idle.remove(worker)
        elif len(self.workers) < self.size and not self._is_closed:
            worker = self._new()
        else:
            return None
        worker.key = key
        return worker

    def release(self, worker: Worker) -> None:
        """Stop the worker's call, in the background, and make it idle again or replace it."""
        if worker.is_alive and worker.is_idle:
            self._return(worker)
        else:
            self._settle(worker, stop=True)

    def _settle(self, worker: Worker, *, stop: bool) -> asyncio.Task[None]:
        async def settle() -> None:
            if not stop:
                await worker.ended()
            if stop and not await worker.stop() and not self._is_closed:
                await asyncio.to_thread(worker.process.wait)
            self._return(worker)

        task = asyncio.ensure_future(settle())
        self._settling.add(task)
        task.add_done_callback(self._settling.discard)
        return task

    def _return(self, worker: Worker) -> None:
        if worker.is_alive:
            self._idle.append(worker)
        else:
            self.workers = [each for each in self.workers if each is not worker]
        for turn in self._waiting:
            if not turn.done():
                turn.set_result(None)
                break

    async def close(self) -> None:
        """End all processes."""
        self._is_closed = True
        for worker in self.workers:
            worker.kill()
        for task in self._settling:
            task.cancel()
        await asyncio.gather(*self._settling, return_exceptions=True)
        for worker in self.workers:
            with suppress(subprocess.TimeoutExpired):
                await asyncio.to_thread(worker.process.wait, 5.0)


class Workers:
    """The worker processes of a server; see the module."""

    def __init__(self, services: Services) -> None:
        self._services = services
        limits = services.settings.limits
        self._searches = Pool(limits.searches or default_searches())
        self._rules = Pool(RULES_PROCESSES)
        self._streams = asyncio.Semaphore(max(self._searches.size - 1, 1))
        #: By client: what ends its stream.
        self._by_client: dict[str, asyncio.Event] = {}

    def start(self, warm_up: Callable[[], None]) -> None:
        """Start the processes now, so that the first search does not wait for them; each calls `warm_up`."""
        self._searches.start(warm_up)
        if any(map(_is_file, self._services.games.values())):
            self._rules.start(warm_up)

    @property
    def processes(self) -> list[subprocess.Popen[bytes]]:
        """The processes that run."""
        return [worker.process for pool in (self._searches, self._rules) for worker in pool.workers if worker.is_alive]

    async def search(
        self,
        function: Callable[..., T],
        *arguments: Any,
        key: object = None,
        on_note: Callable[[str], None] | None = None,
    ) -> T:
        """Call a function that searches, in a worker, and return its result.

        Parameters
        ----------
        function : callable
            A function of a module. It stops with its client if it calls `search_process.stopping`.
        *arguments
            Data that can be pickled.
        key : object, optional
            What the call is about. It goes to the worker that served the same key last, if this is idle.
        on_note : callable, optional
            Called with each message of the compiler.

        Raises
        ------
        RequestError
            429, if all workers are busy for ten seconds; 422, if the process dies or takes more than a minute.
        Exception
            Raised by the function.
        """
        return await _call(self._searches, function, arguments, key, CALL_SECONDS, "the search", on_note)

    async def rules(self, name: str, function: Callable[..., T], *arguments: Any) -> T:
        """Call a function that uses the rules of a game: in a thread, or in a worker if the game is that of a file.

        Raises
        ------
        RequestError
            429, if too many calls wait; 422, if the rules take more than five seconds.
        Exception
            Raised by the function.
        """
        if not _is_file(self._services.games[name]):
            return await self._services.in_thread(function, *arguments)
        return await _call(self._rules, function, arguments, name, RULES_SECONDS, f"the rules of {name}")

    async def stream(
        self, function: Callable[..., Any], *arguments: Any, key: object = None, client: str = ""
    ) -> AsyncGenerator[Any]:
        """Call a generator function in a worker and yield its items, and a `Note` where the compiler begins.

        Parameters and errors are those of `search`; a stream waits two seconds for a worker.

        Parameters
        ----------
        client : str
            Ends the earlier stream of the same client, which then yields no more items; empty: none.
        """
        replaced = asyncio.Event()
        if client:
            if client in self._by_client:
                self._by_client[client].set()
            self._by_client[client] = replaced
        try:
            try:
                async with asyncio.timeout(STREAM_WAIT):
                    await self._streams.acquire()
            except TimeoutError:
                raise busy("other analyses take all search processes; stop one of them, or try again") from None
            try:
                async with aclosing(self._items(function, arguments, key, replaced)) as items:
                    async for item in items:
                        yield item
            finally:
                self._streams.release()
        finally:
            if self._by_client.get(client) is replaced:
                del self._by_client[client]

    async def _items(
        self, function: Callable[..., Any], arguments: tuple[Any, ...], key: object, replaced: asyncio.Event
    ) -> AsyncGenerator[Any]:
        worker = await self._searches.acquire(key, STREAM_WAIT)
        ending = asyncio.ensure_future(replaced.wait())
        following: asyncio.Future[tuple[str, Any]] | None = None
        try:
            worker.begin(function, arguments)
            while True:
                following = asyncio.ensure_future(worker.next())
                await asyncio.wait((following, ending), return_when=asyncio.FIRST_COMPLETED)
                if not following.done():
                    return
                kind, value = following.result()
                if kind == "result":
                    return
                yield Note(value) if kind == "note" else value
        finally:
            for task in (ending, following):
                if task is not None:
                    task.cancel()
            self._searches.release(worker)

    async def close(self) -> None:
        """End all processes."""
        await asyncio.gather(self._searches.close(), self._rules.close())


async def _call(
    pool: Pool,
    function: Callable[..., T],
    arguments: tuple[Any, ...],
    key: object,
    seconds: float,
    what: str,
    on_note: Callable[[str], None] | None = None,
) -> T:
    """Call a function in a worker, for at most `seconds`; `what` names the call in an error."""
    worker = await pool.acquire(key, CALL_WAIT)
    try:
        worker.begin(function, arguments)
        await worker.begun()
        async with asyncio.timeout(seconds) as limit:
            while True:
                kind, value = await worker.next()
                if kind == "result":
                    result: T = value
                    return result
                if kind == "note":
                    limit.reschedule(asyncio.get_running_loop().time() + COMPILE_SECONDS + seconds)
                    if on_note is not None:
                        on_note(value)
    except TimeoutError:
        raise RequestError(f"{what} took more than {seconds:g} seconds; do the rules end?", status=422) from None
    finally:
        pool.release(worker)


def _is_file(source: str) -> bool:
    """Whether a game is that of a file: its rules may never return."""
    return ".py" in source


def default_searches() -> int:
    """Return the number of search processes: one fewer than processors, at least 2 and at most 8."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(max(cores - 1, 2), MAX_SEARCHES)
