"""A task function that succeeds or fails in every way, for tests of executors: `perform="behaviours:perform"`."""

from __future__ import annotations

import json
import os
import signal
import time

from zermelo.errors import ZermeloError


def perform(kind: str, data: str) -> str:
    """`double` a number after some seconds; be `killed`, `exit`, `raise`, `refuse` the input, `print`, or `loop`."""
    arguments = json.loads(data) if data else {}
    time.sleep(arguments.get("seconds", 0))
    if kind == "killed" or (kind == "killed once" and _first(arguments["file"])):
        os.kill(os.getpid(), signal.SIGKILL)
    if kind == "exit":
        os._exit(7)
    if kind == "raise":
        raise RuntimeError("out of\ncheese")
    if kind == "refuse":
        raise ZermeloError("no such cheese")
    if kind == "print":
        print("not a message")
        os.write(1, b"nor this\n")
    if kind == "loop":
        from zermelo.games.othello import Othello
        from zermelo.search.compiled_textbook import perft

        perft(Othello.start(), 16)  # takes days
    return json.dumps({"worker": os.getpid(), "double": 2 * arguments.get("number", 0)})


def _first(path: str) -> bool:
    """Create a file; return whether it did not exist before."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True
