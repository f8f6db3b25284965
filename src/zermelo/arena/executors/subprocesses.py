"""Start Python processes that run one function of the package, connected through their standard streams.

They run in process groups of their own, so that Ctrl-C in the terminal reaches only the parent. Their standard input
ends when the parent exits.
"""

from __future__ import annotations

import os
import subprocess
import sys
from typing import IO

from zermelo._util.terminal import guarded
from zermelo.errors import ZermeloError
from zermelo.sandbox.limits import take_standard_streams

# Program of the new process: use the parent's module search path, then call a function with the given arguments. With
# `gc.freeze` the garbage collector does not run over all objects at exit, which takes long with Numba's.
_START = (
    "import gc, importlib, sys; module, function, count, *rest = sys.argv[1:]; sys.path[:] = rest[int(count):]; "
    "getattr(importlib.import_module(module), function)(*rest[:int(count)]); gc.freeze()"
)


def start_process(module: str, function: str, *arguments: str) -> subprocess.Popen[bytes]:
    """Start a process that calls a function with string arguments.

    Its standard error is discarded unless the environment variable ZERMELO_TRACE is set.

    Raises
    ------
    ZermeloError
        The process cannot be started.
    """
    if not sys.executable:
        raise ZermeloError("cannot start a worker process: sys.executable is not set")
    options = (
        {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}  # type: ignore[attr-defined, unused-ignore]
        if sys.platform == "win32"
        else {"process_group": 0}
    )
    call = [module, function, str(len(arguments)), *arguments]
    try:
        return subprocess.Popen(
            [sys.executable, "-P", "-X", "utf8", "-c", _START, *call, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if os.environ.get("ZERMELO_TRACE") else subprocess.DEVNULL,
            **options,
        )
    except OSError as error:
        raise ZermeloError(f"cannot start a worker process: {error.strerror or error}") from None


def parent_streams() -> tuple[IO[bytes], IO[bytes]]:
    """Return the streams from and to the parent, in a process started by `start_process`.

    Printed text goes to standard error from now on. Programs started by this process do not inherit the streams, so
    that the parent sees this process exit.
    """
    source, sink = take_standard_streams()
    sys.stdout = sys.stderr = guarded(sys.stderr)
    return os.fdopen(source, "rb"), os.fdopen(sink, "wb")
