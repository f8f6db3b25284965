"""`serve`: runs the application with uvicorn until Ctrl-C, within limits on connections and slow clients."""

from __future__ import annotations

import asyncio
import errno
import logging
import socket
from collections.abc import Callable, Sequence
from dataclasses import replace

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from zermelo.errors import LimitError, ZermeloError
from zermelo.web.analysis import warm_up
from zermelo.web.app import OPERATIONS, make_app
from zermelo.web.catalogue import list_games
from zermelo.web.routing import Channel, Endpoint
from zermelo.web.searches import Workers
from zermelo.web.settings import DEFAULT_PORT, Limits, Settings

#: Ports after the default one that are tried where it is taken.
_TRIES = 20
#: Bytes that the system holds for a client, who must read a third of them within `Limits.send_seconds`. By default it
#: holds megabytes, so that a slow client looks like one that does not read.
_SEND_BUFFER = 128 * 1024


def listen(host: str, port: int | None) -> socket.socket:
    """Open a listening socket.

    Parameters
    ----------
    host : str
        Address or name to listen on.
    port : int or None
        Port; 0: any free one. None: the default one, or the next free one.

    Raises
    ------
    LimitError
        If the address does not exist here, or the port is taken or not allowed.
    """
    try:
        [(family, _, _, _, address), *_] = socket.getaddrinfo(host, port or 0, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a host name"
        raise LimitError(f"--host {host[:80]}: {reason}") from None
    candidates = [port] if port is not None else [*range(DEFAULT_PORT, DEFAULT_PORT + _TRIES), 0]
    for candidate in candidates:
        # asyncio switches Nagle's algorithm off only where the protocol is named; else answers wait 40 ms for an ACK.
        opened = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        try:
            if hasattr(socket, "SO_EXCLUSIVEADDRUSE"):  # Windows, where SO_REUSEADDR shares the port
                opened.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
            else:
                opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER)
            opened.bind((address[0], candidate, *address[2:]))
            opened.listen(1024)
            opened.setblocking(False)
            return opened
        except OSError as error:
            opened.close()
            if error.errno != errno.EADDRINUSE or candidate == candidates[-1]:
                reason = error.strerror
                raise LimitError(f"cannot listen on {host} port {candidate}: {reason}") from None
    raise ZermeloError("no free port")


def serve(settings: Settings, opened: socket.socket, started: Callable[[], None]) -> None:
    """Run the server until Ctrl-C or SIGTERM; call `started` when it accepts connections.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C, after all services are closed.
    """
    Server(settings, opened, started, is_warm=True).run()


class Server(uvicorn.Server):
    """The application on a listening socket.

    Parameters
    ----------
    settings : Settings
        Settings; the port is that of the socket.
    opened : socket
        The listening socket, which the server closes.
    on_start : callable, optional
        Called when the server accepts connections.
    operations : sequence of Endpoint or Channel, optional
        The API; tests have their own.
    is_warm : bool
        Whether the processes for searches start with the server, not with the first search.
    """

    def __init__(
        self,
        settings: Settings,
        opened: socket.socket,
        on_start: Callable[[], None] = lambda: None,
        operations: Sequence[Endpoint | Channel] = OPERATIONS,
        is_warm: bool = False,
    ) -> None:
        self._is_warm = is_warm
        self.app = make_app(replace(settings, port=opened.getsockname()[1]), operations)
        self._opened = opened
        self._on_start = on_start
        # Errors of the application are logged by `zermelo.web`; uvicorn's own lines are not for the user.
        logging.getLogger("uvicorn").setLevel(logging.CRITICAL)
        super().__init__(
            uvicorn.Config(
                self.app,
                http=BoundedConnection,
                ws=BoundedWebSocket,
                ws_max_size=settings.limits.message,
                ws_per_message_deflate=False,  # messages are small, and each compressor takes memory
                loop="asyncio",
                lifespan="on",
                log_config=None,
                access_log=False,
                proxy_headers=False,
                server_header=False,
                timeout_keep_alive=30,
                timeout_graceful_shutdown=0,  # streams do not end by themselves
                h11_max_incomplete_event_size=16 * 1024,
            )
        )

    def run(self, sockets: list[socket.socket] | None = None) -> None:
        """Run until a signal, or until `should_exit` is set."""
        super().run(sockets or [self._opened])

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to accept connections."""
        await super().startup(sockets)
        if self.started:
            if self._is_warm:
                services = self.app.state.services
                services.get(Workers).start(warm_up)
                # The first page asks for the catalogue, which loads all games.
                self._loading = asyncio.ensure_future(services.in_thread(list_games, services))
            self._on_start()


class _StalledReader(asyncio.Protocol):
    """Mixin for uvicorn's protocols: aborts a connection whose client stops reading.

    uvicorn closes connections in an orderly way, which waits until the client has read everything: one that never reads
    would hold its connection for as long as it likes.
    """

    config: uvicorn.Config
    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport
    _stalled: asyncio.TimerHandle | None = None
    _unsent = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.transport.set_write_buffer_limits(high=0)  # writing is paused while anything is unsent

    @property
    def limits(self) -> Limits:
        """The limits of the server."""
        found: Limits = self.config.app.state.settings.limits  # type: ignore[union-attr]
        return found

    def pause_writing(self) -> None:
        super().pause_writing()
        self._unsent = self.transport.get_write_buffer_size()
        self._stalled = self.loop.call_later(self.limits.send_seconds, self._abort_or_wait)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._cancel()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel()
        super().connection_lost(exc)

    def _abort_or_wait(self) -> None:
        """Abort the connection if the client has read nothing since; a slow one gets more time."""
        unsent = self.transport.get_write_buffer_size()
        if unsent >= self._unsent:
            self.transport.abort()
        else:
            self._unsent = unsent
            self._stalled = self.loop.call_later(self.limits.send_seconds, self._abort_or_wait)

    def _cancel(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None


class BoundedWebSocket(_StalledReader, WebSocketsSansIOProtocol):
    """A WebSocket that is closed if the client does not read what is sent."""


class BoundedConnection(_StalledReader, H11Protocol):
    """An HTTP connection that is closed if the client does not send or read in time, or if there are too many."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.limits.connections:
            transport.abort()
        else:
            self._set_deadline()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        is_upgraded = self.transport.get_protocol() is not self
        if is_upgraded or (self.cycle is not None and not self.cycle.response_complete):
            self._cancel_deadline()
        elif self._deadline is None:  # part of the next request
            self._set_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        self._cancel_deadline()
        super().connection_lost(exc)

    def _set_deadline(self) -> None:
        self._deadline = self.loop.call_later(self.limits.header_seconds, self.transport.abort)

    def _cancel_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
