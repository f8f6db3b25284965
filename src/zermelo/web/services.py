"""`Services`: what the handlers share, made once per server and closed at its end."""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Protocol, TypeVar

from zermelo import registry
from zermelo._util.text import did_you_mean
from zermelo.core.game import State
from zermelo.errors import UnknownGame
from zermelo.web.errors import RequestError, busy
from zermelo.web.settings import Settings


class Service(Protocol):
    """A service: made from the services; may have a method `close`, also a coroutine."""

    def __init__(self, services: Services) -> None: ...


S = TypeVar("S", bound=Service)
T = TypeVar("T")


class Services:
    """The settings, the games, threads for handlers, and the services of the feature modules.

    A module with state of its own defines a class, and its handlers call `services.get(ThatClass)`.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        #: Games by their names in the API: the names that `zermelo.load` takes.
        self.games: dict[str, str] = dict(settings.games) or {name: name for name in registry.names()}
        self._services: dict[type[Any], Any] = {}
        self._making = threading.RLock()  # handlers in threads may be the first to ask for a service
        self._threads = asyncio.Semaphore(settings.limits.threads)
        self._in_threads = 0

    def get(self, kind: type[S]) -> S:
        """Return the service of a class; the first call makes it."""
        with self._making:
            if kind not in self._services:
                self._services[kind] = kind(self)
            service: S = self._services[kind]
        return service

    def source(self, name: str) -> str:
        """Return the name that `zermelo.load` takes of a game of the catalogue.

        Raises
        ------
        RequestError
            If the server does not offer a game of this name. Files are never loaded by a request.
        """
        if name not in self.games:
            raise RequestError(f"unknown game {name[:40]!r}; {did_you_mean(name, self.games)}", field="game")
        return self.games[name]

    def game(self, name: str) -> type[State]:
        """Load a game of the catalogue by its name in the API.

        Raises
        ------
        RequestError
            As `source`.
        GameError
            If the game does not load.
        """
        try:
            return registry.load(self.source(name))
        except UnknownGame as error:
            raise RequestError(str(error), field="game") from None

    async def in_thread(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call a function in a thread; the number of threads is limited.

        A call that never ends occupies its thread, but neither stops the event loop nor delays the end of the server.

        Raises
        ------
        RequestError
            429, if too many calls wait for a thread.
        """
        limits = self.settings.limits
        if self._in_threads >= limits.threads + limits.waiting:
            raise busy("the server is busy; try again")
        self._in_threads += 1
        try:
            await self._threads.acquire()
        except BaseException:
            self._in_threads -= 1
            raise
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()

        def finish(result: T | None, error: BaseException | None) -> None:
            self._in_threads -= 1
            self._threads.release()
            if done.cancelled():
                return
            if error is None:
                done.set_result(result)  # type: ignore[arg-type]
            else:
                done.set_exception(error)

        def run() -> None:
            result, failure = None, None
            try:
                result = function(*arguments)
            except BaseException as error:
                failure = error
            with suppress(RuntimeError):  # the loop is closed: the server has ended
                loop.call_soon_threadsafe(finish, result, failure)

        # A daemon thread, unlike those of an executor, does not delay the end of the process.
        threading.Thread(target=run, name="zermelo-web", daemon=True).start()
        return await done

    async def close(self) -> None:
        """Close all services, the last one made first."""
        while self._services:
            _, service = self._services.popitem()
            closed = getattr(service, "close", lambda: None)()
            if inspect.isawaitable(closed):
                await closed
