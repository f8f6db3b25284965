"""The web page's server on a port of this machine, in a thread, for browsers and for clients with sockets."""

import threading
import time
from contextlib import contextmanager
from typing import NamedTuple

import pytest


class Running(NamedTuple):
    """A running server: its address without a final slash, its port, its application."""

    address: str
    port: int
    app: object


@contextmanager
def web_server(settings=None, operations=None):
    """Start a server on a free port; it is stopped at the end, and no client can keep it."""
    pytest.importorskip("uvicorn", reason="the extra 'web' is not installed")
    from zermelo.web.app import OPERATIONS
    from zermelo.web.server import Server, listen
    from zermelo.web.settings import Settings

    opened = listen("127.0.0.1", 0)
    port = opened.getsockname()[1]
    server = Server(settings or Settings(), opened, operations=OPERATIONS if operations is None else operations)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        while not server.started and thread.is_alive():
            time.sleep(0.01)
        yield Running(f"http://127.0.0.1:{port}", port, server.app)
    finally:
        server.should_exit = True
        thread.join(20)
        assert not thread.is_alive(), "the server did not stop"
