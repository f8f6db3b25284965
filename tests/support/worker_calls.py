"""Functions that tests call in the worker processes of the server."""

import os
import time

from zermelo.errors import GameError
from zermelo.web.errors import RequestError
from zermelo.web.search_process import report, stopping
from zermelo.web.searches import STREAM_WAIT


def process():
    return os.getpid()


def add(one, other):
    return one + other


def refuse():
    raise RequestError("not this", field="depth")


def lose():
    raise GameError("broken")


def fail():
    raise ValueError("a mistake")


def count(numbers):
    yield os.getpid()
    yield from range(numbers)


def die():
    yield os.getpid()
    os._exit(7)


def begin_slowly():
    time.sleep(3 * STREAM_WAIT)


def spin():
    """Never stops. It would at an item, so the process's number is a report."""
    report(os.getpid())
    while True:
        pass
    yield


def wait():
    """Stops when it is asked to."""
    stopped = []
    with stopping(lambda: stopped.append(True)):
        yield os.getpid()
        while not stopped:
            time.sleep(0.001)
    yield "stopped"
