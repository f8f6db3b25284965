"""A worker's side of a `LocalExecutor`: lines of JSON in, lines of JSON out, and it never outlives its parent.

in    [number, kind, data]
out   {"ready": true}                                      once; or {"trouble": "..."}, and it ends
      {"number": 7, "data": "..."}                         done
      {"number": 7, "error": "...", "bad_input": true}     raised
      {"note": "zermelo: compiling ..."}                   what the compiler says
"""

from __future__ import annotations

import json
import os
import queue
import threading
from collections.abc import Callable
from importlib import import_module
from typing import Any

from zermelo.arena.executors.executor import Work, attempt
from zermelo.arena.executors.subprocesses import streams


def function(name: str) -> Work:
    """The function that `module:function` names: the crew's owner says it, never a task."""
    module, _, attribute = name.partition(":")
    found: Work = getattr(import_module(module), attribute)
    return found


def main(name: str) -> None:
    """Work until nobody sends any more. `name`: of the function that does it, see `function`."""
    source, wire = streams()
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    lock = threading.Lock()

    def say(message: dict[str, Any]) -> None:
        with lock:
            wire.write(json.dumps(message).encode() + b"\n")
            wire.flush()

    def listen() -> None:
        for line in source:
            lines.put(line)
        os._exit(1)  # the parent has closed the wire or is no more: whatever is being done, nobody waits for it

    threading.Thread(target=listen, daemon=True).start()
    try:
        perform = function(name)
        _listen(lambda text: say({"note": text}))
    except Exception as error:
        say({"trouble": f"{type(error).__name__}: {error}"})
        raise
    say({"ready": True})
    while True:
        number, kind, data = json.loads(lines.get())
        say({"number": number, **attempt(perform, kind, data)})


def _listen(tell: Callable[[str], None]) -> None:
    from zermelo.compiled import cache

    cache.listener = tell
