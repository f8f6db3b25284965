"""A thousand connections of each kind, opened and dropped: memory and open files are as before."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import sys
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from web_pages import RunningServer, running_server

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is read from /proc"),
]
AT_ONCE = 100
MIB = 2**20


def memory(server: RunningServer) -> int:
    """Resident memory in bytes."""
    text = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", text)[1]) * 1024


def ask(server: RunningServer, path: str, body: Any) -> Any:
    asked = urllib.request.Request(server.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(asked, timeout=60) as answer:
        return json.load(answer)


def handshake(path: str) -> str:
    return (
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )


def post(path: str, body: str, length: int | None = None) -> str:
    return (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body) if length is None else length}\r\n\r\n{body}"
    )


def open_and_drop(server: RunningServer, number: int, text: str, reads: bool) -> None:
    """Open connections, send the text on each, read a little or nothing, and reset them all."""
    for _ in range(0, number, AT_ONCE):
        opened = [socket.create_connection(("127.0.0.1", int(server.port)), timeout=60) for _ in range(AT_ONCE)]
        for each in opened:
            each.sendall(text.encode())
        for each in opened:
            if reads:
                assert each.recv(15).startswith(b"HTTP/1.1 ")
            each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # a reset, not an orderly end
            each.close()


def wait_until_closed(server: RunningServer) -> None:
    """Wait until the server has accepted and closed what was opened; it accepts a request after what came before."""
    end = time.monotonic() + 60
    while True:
        assert time.monotonic() < end, "connections remain open"
        with contextlib.suppress(OSError):  # too many at once: refused
            ask(server, "/api/position", {"game": "tictactoe"})
            if len(os.listdir(f"/proc/{server.process.pid}/fd")) <= 60:
                return
        time.sleep(0.1)


def test_a_thousand_dropped_connections_of_each_kind(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    with running_server(tmp_path) as server:
        idle = memory(server)
        assert idle < 150 * MIB
        game = ask(server, "/api/games", {"game": "tictactoe"})["id"]
        kinds = {  # what is sent on each connection, and whether an answer is read
            "silent": ("", False),
            "slow headers": ("GET / HTTP/1.1\r\nHost: 127", False),
            "slow body": (post("/api/position", '{"game"', 50), False),
            "page": ("GET /play HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", True),
            "position": (post("/api/position", '{"game": "tictactoe"}'), True),
            "WebSocket": (handshake(f"/api/games/{game}/live"), True),
            "WebSocket without a game": (handshake("/api/games/nothing/live"), True),
        }
        for number in (200, 1000):  # the first ones fill caches
            before = memory(server)
            for kind in kinds.values():
                open_and_drop(server, number, *kind)
                wait_until_closed(server)
        grown = memory(server) - before
        dropped = f"{1000 * len(kinds):,} dropped connections"
        record_property("measured", f"{dropped}: from {idle / MIB:.0f} MiB, when idle, grown by {grown / MIB:.1f} MiB")
        assert grown < 20 * MIB
        assert ask(server, "/api/position", {"game": "tictactoe"})["over"] is False
