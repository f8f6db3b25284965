"""The server on a socket: slow, silent and too many clients, streams that are left, start and end of the program."""

from __future__ import annotations

import asyncio
import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from web_server import web_server

from zermelo.errors import LimitError
from zermelo.web.routing import NoRequest, Socket, endpoint, websocket
from zermelo.web.server import listen
from zermelo.web.services import Services
from zermelo.web.settings import DEFAULT_PORT, Limits, Settings

left: list[str] = []


@endpoint("POST", "/api/test/endless", events={"tick": int}, summary="Count.")
async def endless(request: NoRequest, services: Services) -> AsyncIterator[tuple[str, Any]]:
    try:
        number = 0
        while True:
            yield "tick", number
            number += 1
            await asyncio.sleep(0.01)
    finally:
        left.append("stream")


@endpoint("POST", "/api/test/flood", events={"tick": str}, summary="Send as much as the client takes.")
async def flood(request: NoRequest, services: Services) -> AsyncIterator[tuple[str, Any]]:
    try:
        while True:
            yield "tick", "x" * 100_000
    finally:
        left.append("flood")


@endpoint("POST", "/api/test/silent", events={"tick": int}, summary="Send nothing.")
async def silent(request: NoRequest, services: Services) -> AsyncIterator[tuple[str, Any]]:
    try:
        await asyncio.sleep(60)
        yield "tick", 0
    finally:
        left.append("silent")


@endpoint("POST", "/api/test/large", response=str, summary="Send more than a connection buffers.")
async def large(request: NoRequest, services: Services) -> str:
    return "x" * 12_000_000


@websocket("/api/test/messages", sends=str, summary="Send as much as the client takes.")
async def messages(request: NoRequest, services: Services, socket: Socket) -> None:
    while True:
        await socket.send("x" * 100_000)


@websocket("/api/test/listen", receives=int, sends=int, summary="Listen.")
async def listening(request: NoRequest, services: Services, socket: Socket) -> None:
    try:
        async for number in socket:
            await socket.send(number)
    finally:
        left.append("socket")


OPERATIONS = [endless, flood, silent, large, messages, listening]
LIMITS = Limits(header_seconds=0.3, body_seconds=0.3, send_seconds=0.3, keepalive_seconds=0.1, connections=40)


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    with web_server(Settings(limits=LIMITS), OPERATIONS) as running:
        yield running


@pytest.fixture(autouse=True)
def nothing_left() -> None:
    left.clear()


def wait_until(condition: Callable[[], Any], seconds: float = 20) -> None:
    """Wait for a condition that a loaded machine may reach late."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


@contextmanager
def connection(server: Any, text: bytes = b"") -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as opened:
        opened.sendall(text)
        yield opened


def read_all(opened: socket.socket) -> bytes:
    """What the server sends until it closes the connection."""
    parts = []
    try:
        while part := opened.recv(65536):
            parts.append(part)
    except ConnectionError:  # an aborted connection
        pass
    return b"".join(parts)


def post(server: Any, path: str, body: str = "") -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: 2\r\n\r\n{body}".encode()


def handshake(server: Any, path: str) -> bytes:
    return (
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    ).encode()


def is_answered(server: Any) -> bool:
    """Whether the server accepts one more connection."""
    with closing(http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)) as asked:
        try:
            asked.request("GET", "/icon.svg")
            return asked.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False


@pytest.mark.parametrize(
    "text", [b"", b"GET / HT", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "], ids=["silent", "line", "header"]
)
def test_a_client_without_a_whole_request_is_disconnected(server: Any, text: bytes) -> None:
    with connection(server, text) as opened:
        assert read_all(opened) == b""


def test_a_client_that_stalls_in_its_second_request_is_disconnected(server: Any) -> None:
    with connection(server, f"GET /icon.svg HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode()) as opened:
        assert opened.recv(20).startswith(b"HTTP/1.1 200")
        opened.sendall(b"GET /icon")
        read_all(opened)


def test_a_body_that_stalls_is_refused(server: Any) -> None:
    with connection(server, post(server, "/api/test/endless", "{")) as opened:
        assert opened.recv(100).startswith(b"HTTP/1.1 408")


def test_headers_without_end_are_refused(server: Any) -> None:
    with connection(server) as opened:
        with suppress(ConnectionError):
            opened.sendall(b"GET / HTTP/1.1\r\nX: " + b"x" * 40_000)
        assert read_all(opened)[:12] in (b"HTTP/1.1 400", b"")  # nothing where the connection was reset


def test_a_stream_ends_when_the_client_leaves(server: Any) -> None:
    with connection(server, post(server, "/api/test/endless", "{}")) as opened:
        assert b"200" in opened.recv(200)
    wait_until(lambda: left == ["stream"])


def test_a_silent_stream_ends_when_the_client_leaves(server: Any) -> None:
    with connection(server, post(server, "/api/test/silent", "{}")) as opened:
        text = b""
        while b": waiting" not in text:
            text += opened.recv(1000)
        assert left == []
    wait_until(lambda: left == ["silent"])


def test_a_client_that_does_not_read_is_disconnected(server: Any) -> None:
    with connection(server, post(server, "/api/test/flood", "{}")) as opened:
        wait_until(lambda: left == ["flood"])
        assert read_all(opened)


def test_more_connections_than_the_limit_are_closed(server: Any) -> None:
    opened = [socket.create_connection(("127.0.0.1", server.port), timeout=20) for _ in range(60)]
    try:
        refused = 0
        for each in opened:
            try:
                each.sendall(f"GET /icon.svg HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode())
                refused += not each.recv(10)
            except ConnectionError:
                refused += 1
        assert refused >= 20
    finally:
        for each in opened:
            each.close()

    wait_until(lambda: is_answered(server))


@pytest.mark.parametrize("kind", ["response", "stream", "WebSocket"])
def test_clients_that_never_read_do_not_keep_their_connections(kind: str) -> None:
    sent = {
        "response": lambda server: post(server, "/api/test/large", "{}"),
        "stream": lambda server: post(server, "/api/test/flood", "{}"),
        "WebSocket": lambda server: handshake(server, "/api/test/messages"),
    }[kind]
    with web_server(Settings(limits=replace(LIMITS, connections=6)), OPERATIONS) as server, ExitStack() as clients:
        for _ in range(6):
            opened = clients.enter_context(socket.socket())
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            opened.settimeout(20)
            opened.connect(("127.0.0.1", server.port))
            opened.sendall(sent(server))
        wait_until(lambda: is_answered(server))


@pytest.mark.long
def test_a_client_that_reads_slowly_gets_all() -> None:
    limits = replace(LIMITS, send_seconds=2.0)
    with web_server(Settings(limits=limits), OPERATIONS) as server, socket.socket() as opened:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        opened.settimeout(20)
        opened.connect(("127.0.0.1", server.port))
        opened.sendall(post(server, "/api/test/large", "{}").replace(b"Host", b"Connection: close\r\nHost"))
        size = 0
        end = time.monotonic() + 3 * limits.send_seconds
        while part := opened.recv(100_000):
            size += len(part)
            if time.monotonic() < end:
                time.sleep(0.003)
        assert size > 12_000_000


def test_websockets(server: Any) -> None:
    from websockets.exceptions import ConnectionClosed, InvalidStatus
    from websockets.sync.client import connect

    address = server.address.replace("http", "ws") + "/api/test/listen"
    with connect(address) as client:
        client.send("3")
        assert client.recv() == "3"
        client.send("1" * 20_000)
        with pytest.raises(ConnectionClosed) as closed:
            client.recv()
        assert closed.value.rcvd is not None
        assert closed.value.rcvd.code == 1009
    wait_until(lambda: left == ["socket"])
    for origin in ("https://evil.example", "null"):
        with pytest.raises(InvalidStatus), connect(address, origin=origin):
            pass


def test_streams_and_sockets_do_not_delay_the_end() -> None:
    from websockets.sync.client import connect

    with ExitStack() as clients, web_server(Settings(), OPERATIONS) as server:
        clients.enter_context(connect(server.address.replace("http", "ws") + "/api/test/listen"))
        streaming = clients.enter_context(connection(server, post(server, "/api/test/endless", "{}")))
        assert streaming.recv(10)
    assert sorted(left) == ["socket", "stream"]


# ---- ports ------------------------------------------------------------------------------------------------------


def test_the_next_free_port_is_taken_in_place_of_the_default_one() -> None:
    first, second = listen("127.0.0.1", None), listen("127.0.0.1", None)
    with first, second:
        ports = [each.getsockname()[1] for each in (first, second)]
        assert DEFAULT_PORT <= ports[0] < ports[1]
        with pytest.raises(LimitError, match=f"cannot listen on 127.0.0.1 port {ports[0]}: .*in use"):
            listen("127.0.0.1", ports[0])


@pytest.mark.parametrize("host", ["no-such-host.invalid", "256.1.1.1", "192.0.2.1", "a b", "x" * 300, ".."])
def test_an_address_that_is_not_here_is_refused(host: str) -> None:
    with pytest.raises(LimitError, match=r"--host|cannot listen") as refused:
        listen(host, 0)
    assert "\n" not in str(refused.value)


# ---- the program ------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no signals")
def test_the_program_serves_a_file_and_ends_at_ctrl_c(tmp_path: Any) -> None:
    nim = os.path.join(os.path.dirname(__file__), "..", "support", "nim.py")
    program = "import sys; from zermelo.cli import main; sys.exit(main())"
    running = subprocess.Popen(
        [sys.executable, "-c", program, "serve", f"{nim}:Nim", "--port", "0", "--data-dir", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    assert running.stdout is not None
    line = running.stdout.readline()
    found = re.fullmatch(r"Zermelo is at http://127\.0\.0\.1:(\d+)/ \(Ctrl-C stops it\)\n", line)
    assert found, line
    with closing(http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=20)) as asked:
        asked.request("GET", "/api/catalogue")
        answer = asked.getresponse().read()
    assert answer.startswith(b'{"games":[{"name":"nim","title":"Nim"')
    began = time.monotonic()
    running.send_signal(signal.SIGINT)
    out, err = running.communicate(timeout=30)
    assert time.monotonic() - began < 20
    assert (running.returncode, out, err) == (130, "", "zermelo: interrupted\n")


@pytest.mark.long
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are listed in /proc")
@pytest.mark.parametrize("is_killed", [False, True], ids=["ctrl-c", "kill"])
def test_no_worker_outlives_the_server(tmp_path: Path, is_killed: bool) -> None:
    from web_pages import running_server

    with running_server(tmp_path) as server:
        own = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children")
        with closing(http.client.HTTPConnection("127.0.0.1", int(server.port), timeout=120)) as asked:
            body = '{"game": "tictactoe", "position": "", "moves": [], "lines": 9}'
            asked.request("POST", "/api/analyse", body, {"Content-Type": "application/json"})
            answer = asked.getresponse()
            assert answer.status == 200
            assert answer.readline().startswith(b"event: ")
            workers = [int(each) for each in own.read_text().split()]
            assert workers
            server.kill() if is_killed else server.stop()
    wait_until(lambda: not any(os.path.exists(f"/proc/{each}") for each in workers), 60)


def test_bad_options(zermelo: Callable[..., Any]) -> None:
    for words, problem in (
        (["--port", "70000"], "--port must be between 0 and 65535 (got 70000)"),
        (["--token", "short"], "--token must have at least 16 characters (got 5)"),
        (["no-such-game"], "unknown game 'no-such-game'"),
        (["--host", "256.1.1.1"], "--host 256.1.1.1: "),
    ):
        code, out, err = zermelo("serve", *words)
        assert (code, out) == (2, "")
        assert err.startswith(f"zermelo: {problem}")
        assert err.count("\n") == 1


def test_a_missing_extra_is_named(zermelo: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in sys.modules if each.startswith("zermelo.web") or each == "uvicorn"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert zermelo("serve") == (2, "", "zermelo: the web page needs uvicorn: pip install 'zermelo[web]'\n")


def test_answers_do_not_wait_for_acknowledgements() -> None:
    async def accepted() -> int:
        done: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            done.set_result(writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        opened = listen("127.0.0.1", 0)
        async with await asyncio.start_server(connected, sock=opened):
            _, writer = await asyncio.open_connection(*opened.getsockname())
            option = await asyncio.wait_for(done, 30)
            writer.close()
        return option

    assert asyncio.run(accepted()) != 0
