"""Processes of our own: a Python that runs a function of the package, spoken to through its standard streams.

They are in groups of their own, so that Ctrl-C in the terminal reaches only the one who started them; they see their
input end when that one is gone.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import IO

from zermelo.errors import ZermeloError
from zermelo.sandbox.limits import take_standard_streams

# What the new Python runs: it finds modules where we do, and calls a function with the arguments it is given.
_START = (
    "import importlib, sys; module, function, count, *rest = sys.argv[1:]; sys.path[:] = rest[int(count):]; "
    "getattr(importlib.import_module(module), function)(*rest[:int(count)])"
)


def started(module: str, function: str, *arguments: str) -> subprocess.Popen[bytes]:
    """A process that calls a function with these texts. Raises `ZermeloError` where none can be started.

    What it says on standard error is shown where ZERMELO_TRACE asks for it.
    """
    if not sys.executable:
        raise ZermeloError("this Python does not know its own program (sys.executable), which workers are")
    kind = (
        {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}  # type: ignore[attr-defined, unused-ignore]
        if sys.platform == "win32"
        else {"process_group": 0}
    )
    called = [module, function, str(len(arguments)), *arguments]
    try:
        return subprocess.Popen(
            [sys.executable, "-P", "-X", "utf8", "-c", _START, *called, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if os.environ.get("ZERMELO_TRACE") else subprocess.DEVNULL,
            **kind,
        )
    except OSError as error:
        raise ZermeloError(f"a worker does not start: {error.strerror or error}") from None


def streams() -> tuple[IO[bytes], IO[bytes]]:
    """In such a process: where it is spoken to, and where it answers. What is printed goes to standard error now.

    The programs that it starts inherit neither: or the other side would not see it end.
    """
    comes, goes = take_standard_streams()
    sys.stdout = sys.stderr
    return os.fdopen(comes, "rb"), os.fdopen(goes, "wb")
