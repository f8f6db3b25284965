"""Main program of a worker of `LocalExecutor`. It exits when its parent does.

in    [number, kind, data]
out   {"ready": true}                                      once; or {"startup_error": "..."}, and the worker exits
      {"number": 7, "data": "..."}                         a task succeeded
      {"number": 7, "error": "...", "bad_input": true}     a task raised an error
      {"note": "zermelo: compiling ..."}                   a message of the compiler
      {"running": {...}}                                   the game in progress has changed, at most twice a second
"""

from __future__ import annotations

import json
import os
import queue
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any

from zermelo.arena.executors.executor import TaskFunction, run_task
from zermelo.arena.executors.subprocesses import parent_streams
from zermelo.arena.running_games import ChangedReports, repeat


def import_function(name: str) -> TaskFunction:
    """Import the function named `module:function`. The name comes from the executor's owner, never from a task."""
    module, _, attribute = name.partition(":")
    function: TaskFunction = getattr(import_module(module), attribute)
    return function


def main(name: str) -> None:
    """Perform tasks until the parent closes the input. `name`: the task function; see `import_function`."""
    source, sink = parent_streams()
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    lock = threading.Lock()

    def send(message: dict[str, Any]) -> None:
        with lock:
            sink.write(json.dumps(message).encode() + b"\n")
            sink.flush()

    def listen() -> None:
        for line in source:
            lines.put(line)
        os._exit(1)  # the parent closed the pipe or has exited: abandon the current task

    threading.Thread(target=listen, daemon=True).start()
    try:
        perform = import_function(name)
        _redirect_compiler_messages(lambda text: send({"note": text}))
    except Exception as error:
        send({"startup_error": f"{type(error).__name__}: {error}"})
        raise
    send({"ready": True})
    repeat(ChangedReports(threading.get_ident(), lambda report: send({"running": report})).look)
    while True:
        number, kind, data = json.loads(lines.get())
        send({"number": number, **run_task(perform, kind, data)})


def _redirect_compiler_messages(listener: Callable[[str], None]) -> None:
    from zermelo.compiled import cache

    cache.listener = listener
