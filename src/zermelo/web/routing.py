"""`endpoint` and `websocket`: functions of the API, with the types of their requests and responses.

    class PositionRequest(Request):
        game: str
        moves: list[str] = []

    @endpoint("POST", "/api/position", request=PositionRequest, response=Position, summary="Describe a position.")
    async def position(request: PositionRequest, services: Services) -> Position: ...

The types are structs of `msgspec`. Requests are checked against them before the function is called, and the OpenAPI
description is made from them (`zermelo.web.openapi`). Parameters of the path and of the query are fields of the request
too: of a GET all fields, of a POST those that the path names. A function that is not a coroutine runs in a thread.

With `events`, the function is an asynchronous generator of pairs `(name, data)`, which are sent as Server-Sent Events.
When the client leaves, the generator is cancelled. An error before the first event is a normal response; a later one is
the event `error`.

    @endpoint("POST", "/api/count", request=Count, events={"count": Number, "end": End}, summary="Count.")
    async def count(request: Count, services: Services) -> AsyncIterator[tuple[str, Any]]:
        yield "count", Number(1)

A WebSocket function receives a `Socket`: iterate over it for messages, and `send` to it.
"""

from __future__ import annotations

import asyncio
import inspect
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, cast

import msgspec
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.requests import Request as HttpRequest
from starlette.responses import Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect

from zermelo.web.errors import ErrorBody, RequestError, report, status_and_body
from zermelo.web.services import Services
from zermelo.web.settings import Limits

JSON = "application/json"
#: Invalid messages of one WebSocket after which it is closed.
MAX_INVALID_MESSAGES = 20


class Request(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Base class of requests: unknown fields are errors."""


class NoRequest(Request, frozen=True):
    """A request without fields."""


@dataclass(frozen=True)
class Endpoint:
    """One operation of the API; see `endpoint`."""

    method: str
    path: str
    function: Callable[..., Any]
    summary: str
    request: type[Request] = NoRequest
    #: Type of the response; None: no content, or events.
    response: Any = None
    #: Types of Server-Sent Events by name; empty: one response.
    events: Mapping[str, Any] = field(default_factory=dict)
    #: Whether the body may have the size of a file.
    takes_file: bool = False

    @property
    def path_fields(self) -> tuple[str, ...]:
        """The fields of the request that are in the path."""
        return tuple(re.findall(r"\{(\w+)\}", self.path))

    def route(self, services: Services) -> Route:
        """Return the Starlette route."""

        async def handle(http: HttpRequest) -> Response:
            return await _respond(self, services, http)

        return Route(self.path, handle, methods=[self.method])


@dataclass(frozen=True)
class Channel:
    """One WebSocket of the API; see `websocket`."""

    path: str
    function: Callable[[Any, Services, Socket], Awaitable[None]]
    summary: str
    request: type[Request] = NoRequest
    #: Type of the client's messages, and of the server's.
    receives: Any = None
    sends: Any = None

    def route(self, services: Services) -> WebSocketRoute:
        """Return the Starlette route."""

        async def handle(socket: WebSocket) -> None:
            await _serve_socket(self, services, socket)

        return WebSocketRoute(self.path, handle)


def endpoint(
    method: str,
    path: str,
    *,
    summary: str,
    request: type[Request] = NoRequest,
    response: Any = None,
    events: Mapping[str, Any] | None = None,
    takes_file: bool = False,
) -> Callable[[Callable[..., Any]], Endpoint]:
    """Make an `Endpoint` of a function `f(request, services)`.

    Parameters
    ----------
    method : {"GET", "POST"}
        HTTP method. A GET changes nothing.
    path : str
        Path below `/api`, with parameters in braces: `/api/games/{id}`.
    summary : str
        One sentence for the documentation.
    request, response : type
        Structs of the request and of the response. A response type of None answers 204 without a body.
    events : mapping of str to type, optional
        The Server-Sent Events, in place of a response.
    takes_file : bool
        Accept a body of up to `Limits.file` bytes.
    """

    def decorate(function: Callable[..., Any]) -> Endpoint:
        return Endpoint(method, path, function, summary, request, response, events or {}, takes_file)

    return decorate


def websocket(
    path: str,
    *,
    summary: str,
    request: type[Request] = NoRequest,
    receives: Any = None,
    sends: Any = None,
) -> Callable[[Callable[[Any, Services, Socket], Awaitable[None]]], Channel]:
    """Make a `Channel` of a coroutine function `f(request, services, socket)`; the request is path and query."""

    def decorate(function: Callable[[Any, Services, Socket], Awaitable[None]]) -> Channel:
        return Channel(path, function, summary, request, receives, sends)

    return decorate


def routes(operations: Sequence[Endpoint | Channel], services: Services) -> list[BaseRoute]:
    """Return the Starlette routes of operations."""
    return [operation.route(services) for operation in operations]


# ---- requests ---------------------------------------------------------------------------------------------------


async def _respond(operation: Endpoint, services: Services, http: HttpRequest) -> Response:
    try:
        request = await _read_request(operation, services.settings.limits, http)
        if operation.events:
            return EventStream(operation.function(request, services), services.settings.limits)
        if inspect.iscoroutinefunction(operation.function):
            result = await operation.function(request, services)
        else:
            result = await services.in_thread(operation.function, request, services)
        if operation.response is None:
            return Response(status_code=204)
        return Response(msgspec.json.encode(result), media_type=JSON)
    except ClientDisconnect:
        return Response(status_code=400)  # nobody receives it
    except Exception as error:
        return error_response(error)


def error_response(error: Exception) -> Response:
    """Return the response to an error; an internal error is logged."""
    status, body = status_and_body(error)
    if status >= 500:
        report(error)
    return Response(msgspec.json.encode(body), status, media_type=JSON)


async def _read_request(operation: Endpoint, limits: Limits, http: HttpRequest) -> Request:
    if operation.method != "POST":
        return _parameters(operation.request, http)
    body = await read_body(http, limits.file if operation.takes_file else limits.body, limits.body_seconds)
    fields = msgspec.json.decode(body or b"{}")
    if not isinstance(fields, dict):
        raise RequestError("the request must be a JSON object")
    for name in operation.path_fields:
        if name in fields:
            raise RequestError(f"{name}: it is given by the path", field=name)
        fields[name] = http.path_params[name]
    return msgspec.convert(fields, operation.request)


def _parameters(kind: type[Request], connection: HTTPConnection) -> Request:
    """The request that path and query hold."""
    fields: dict[str, str] = {}
    for name, value in connection.query_params.multi_items():
        if name in fields or name in connection.path_params:
            raise RequestError(f"{name}: it is given twice", field=name)
        fields[name] = value
    return msgspec.convert({**fields, **connection.path_params}, kind, strict=False)


async def read_body(http: HttpRequest, most: int, seconds: float) -> bytes:
    """Read the body of a request.

    Raises
    ------
    RequestError
        If it has more than `most` bytes (413), or does not arrive in time (408).
    """
    parts: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(seconds):
            async for part in http.stream():
                size += len(part)
                if size > most:
                    raise RequestError(f"the request is too large; the limit is {most:,} bytes", status=413)
                parts.append(part)
    except TimeoutError:
        raise RequestError(f"the request did not arrive within {seconds:g} seconds", status=408) from None
    return b"".join(parts)


# ---- Server-Sent Events -----------------------------------------------------------------------------------------


class EventStream(Response):
    """Server-Sent Events of an asynchronous generator, which is cancelled when the client leaves."""

    def __init__(self, events: AsyncIterator[tuple[str, Any]], limits: Limits) -> None:
        super().__init__()
        self._events = events
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sending = asyncio.ensure_future(self._send_all(scope, receive, send))
        leaving = asyncio.ensure_future(_left(receive))
        try:
            await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (sending, leaving):
                task.cancel()
            await asyncio.wait((sending, leaving))
        if not sending.cancelled() and (error := sending.exception()) is not None:
            if not isinstance(error, _ClientLost):
                raise error

    async def _send_all(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def write(data: bytes, more: bool = True) -> None:
            nonlocal started
            try:
                async with asyncio.timeout(self._limits.send_seconds):
                    if not started:
                        started = True
                        headers = [(b"content-type", b"text/event-stream; charset=utf-8")]
                        await send({"type": "http.response.start", "status": 200, "headers": headers})
                    await send({"type": "http.response.body", "body": data, "more_body": more})
            except (TimeoutError, OSError):
                raise _ClientLost from None

        following: asyncio.Task[tuple[str, Any]] | None = None
        try:
            while True:
                following = asyncio.ensure_future(cast("Any", anext(self._events)))
                while not (await asyncio.wait((following,), timeout=self._limits.keepalive_seconds))[0]:
                    await write(b": waiting\n\n")
                name, data = following.result()
                await write(_event(name, data))
        except StopAsyncIteration:
            await write(b"", more=False)
        except _ClientLost:
            raise
        except Exception as error:
            if not started:
                await error_response(error)(scope, receive, send)
                return
            status, body = status_and_body(error)
            if status >= 500:
                report(error)
            await write(_event("error", body), more=False)
        finally:
            if following is not None and not following.done():
                following.cancel()
                with suppress(BaseException):
                    await following
            close = getattr(self._events, "aclose", None)
            if close is not None:
                await close()


class _ClientLost(Exception):
    """The client has left, or does not accept data in time."""


def _event(name: str, data: Any) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (name.encode(), msgspec.json.encode(data))  # JSON has no line breaks


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


# ---- WebSockets -------------------------------------------------------------------------------------------------


class Socket:
    """A WebSocket whose messages are checked. Iteration yields the client's messages until it leaves."""

    def __init__(self, socket: WebSocket, receives: Any, limits: Limits) -> None:
        self._socket = socket
        self._receives = receives
        self._limits = limits

    async def send(self, message: Any) -> None:
        """Send a message. A client that does not accept it in time is disconnected."""
        try:
            async with asyncio.timeout(self._limits.send_seconds):
                await self._socket.send_text(msgspec.json.encode(message).decode())
        except (TimeoutError, OSError):
            raise WebSocketDisconnect(1006) from None

    async def __aiter__(self) -> AsyncIterator[Any]:
        invalid = 0
        while True:
            message = await self._socket.receive()
            if message["type"] != "websocket.receive":
                return
            text = message.get("text") or message.get("bytes") or ""
            if len(text) > self._limits.message:
                await self._socket.close(1009, "message too large")
                return
            try:
                if self._receives is None:
                    raise RequestError("this WebSocket takes no messages")
                value = msgspec.json.decode(text, type=self._receives)
            except (msgspec.DecodeError, RequestError, RecursionError, UnicodeError) as error:
                invalid += 1
                if invalid > MAX_INVALID_MESSAGES:
                    await self._socket.close(1008, "too many invalid messages")
                    return
                await self.send(status_and_body(error)[1])
                continue
            yield value


async def _serve_socket(channel: Channel, services: Services, socket: WebSocket) -> None:
    body: ErrorBody | None = None
    try:
        request = _parameters(channel.request, socket)
        await socket.accept()
        await channel.function(request, services, Socket(socket, channel.receives, services.settings.limits))
    except WebSocketDisconnect:
        return
    except Exception as error:
        status, body = status_and_body(error)
        if status >= 500:
            report(error)
    with suppress(RuntimeError, OSError, WebSocketDisconnect):  # closed by the client meanwhile
        if socket.application_state.name == "CONNECTING":
            await socket.accept()
        if body is not None:
            await socket.send_text(msgspec.json.encode(body).decode())
        await socket.close(1000 if body is None else 1008)
