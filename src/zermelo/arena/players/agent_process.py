"""The process of an agent: load the game, apply the sandbox limits, load the agent, and ask it for moves.

`python -s -S -P -B agent_process.py`; see `agents.py`. The settings, the agent and the requests for moves arrive on
standard input, a line of JSON each. The game is trusted and is loaded before the limits are applied, the agent after.
The agent has its own copy of the state; a move is all it can send.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys

TYPE_CHECKING = False  # not imported from `typing`, which takes longer to load than everything else here
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from zermelo.core.game import State

#: Released when memory runs out, so that the error can still be reported.
_reserve = [bytearray(1 << 20)]


class Clock:
    """The clock as the agent sees it. Times are in seconds, None where no clock runs."""

    __slots__ = ("_end", "depth", "increment", "left", "moves_to_go", "nodes", "other_left", "seconds")

    def __init__(self, fields: dict[str, Any]) -> None:
        from time import monotonic

        #: Time for this move.
        self.seconds: float | None = fields["seconds"]
        #: Remaining time of the agent and of its opponent.
        self.left: float | None = fields["left"]
        self.other_left: float | None = fields["other_left"]
        #: Time added after each move.
        self.increment: float = fields["increment"]
        #: Moves until the next time control; 0: the rest of the game.
        self.moves_to_go: int = fields["moves_to_go"]
        #: Agreed depth in plies and number of nodes per move, or None.
        self.depth: int | None = fields["depth"]
        self.nodes: int | None = fields["nodes"]
        self._end = None if self.seconds is None else monotonic() + self.seconds

    def remaining(self) -> float:
        """Return the seconds left for this move; infinity where no clock runs."""
        from time import monotonic

        return float("inf") if self._end is None else max(self._end - monotonic(), 0.0)


def _load_game(settings: dict[str, Any]) -> type[State]:
    if settings["file"] is None:
        from importlib import import_module

        cls: Any = import_module(settings["module"])
        for name in settings["class"].split("."):
            cls = getattr(cls, name)
        return cls  # type: ignore[no-any-return]
    from zermelo.registry import load

    return load(f"{settings['file']}:{settings['class']}")


def _argument_count(function: Any) -> int:
    """Return how many of state, clock, history to pass: parameters without a default, and further ones so named."""
    bound = int(hasattr(function, "__self__"))
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if code is None:
        function, bound = type(function).__call__, 1
        code = function.__code__
    if code.co_flags & 4:  # *args
        return 3
    names = code.co_varnames[bound : code.co_argcount]
    count = len(names) - len(getattr(function, "__defaults__", None) or ())
    for place, name in enumerate(("state", "clock", "history")):
        if place == count and names[place : place + 1] == (name,):
            count += 1
    return count


def _encode_answer(answer: Any, function: str, state: State) -> dict[str, Any]:
    """Return the message for what the agent returned: a move, its text, or why it is neither."""
    if isinstance(answer, str):
        if len(answer) <= 80:
            return {"text": answer}
    elif not state.is_compiled:
        from zermelo.core.move_numbers import number_of

        with contextlib.suppress(Exception):  # not a legal move, or its comparison fails
            return {"move": number_of(state, answer)}
    elif not isinstance(answer, (bool, float)) and hasattr(type(answer), "__index__"):  # includes NumPy's integers
        number = answer.__index__()
        if type(number) is int and abs(number) < 1 << 63:
            return {"move": number}
    try:
        text = f"{answer!r}"[:60]
    except Exception:  # a broken __repr__, or an integer with too many digits
        text = "a value"
    kind = type(answer).__name__[:80]
    return {"error": f"{function[:80]} returned {text} ({kind}); expected a move: an int or its text"}


def _first_line() -> bytes:
    """Read a line from standard input. The parent sends no other before it has got a message."""
    line = b""
    while not line.endswith(b"\n"):
        chunk = os.read(0, 1 << 16)
        if not chunk:
            os._exit(0)
        line += chunk
    return line


def _main() -> None:
    settings = json.loads(_first_line())
    sys.path += settings["paths"]
    import random

    game = _load_game(settings)
    from zermelo.core.move_numbers import move_of  # while files can still be read
    from zermelo.core.player_view import PlayerView
    from zermelo.sandbox import limits as sandbox

    channel = sandbox.open_channel()
    channel.send("limits", sandbox.apply(settings["limits"]))
    agent = channel.receive()
    file, states = agent["file"], [game.parse(agent["start"])]
    channel.send("start")
    random.seed(agent["seed"])
    module = type(sys)("agent")
    module.__file__ = file
    sys.modules["agent"] = module
    doing = "import"
    try:
        exec(compile(agent["source"], file, "exec", dont_inherit=True), vars(module))
        if "numpy.random" in sys.modules:
            sys.modules["numpy.random"].seed(agent["seed"] % (1 << 32))
        function: Callable[..., Any] | None = vars(module).get(agent["function"])
        if not callable(function):
            problem = f"function {agent['function'][:80]} not found"
            functions = [name[:80] for name in vars(module) if callable(vars(module)[name]) and name[:1] != "_"]
            channel.send("ready", {"error": problem, "functions": functions[:10]})
            os._exit(0)
        count = _argument_count(function)
        if not 1 <= count <= 3:
            channel.send("ready", {"error": f"{agent['function'][:80]} takes {count} arguments", "functions": None})
            os._exit(0)
        doing = "call"
        channel.send("ready", None)
        while True:
            _flush()
            request = channel.receive()
            if game.perfect_information:
                for move in request["moves"][len(states) - 1 :]:
                    states.append(states[-1].play(move if game.is_compiled else move_of(states[-1], move)))
            else:
                states = [game.parse(request["state"])]
            seen = states[-1] if game.perfect_information else PlayerView.of(states[-1])
            arguments = (seen, Clock(request["clock"]), states[:-1])
            answer = _encode_answer(function(*arguments[:count]), agent["function"], states[-1])
            _flush()
            channel.send("move", request["number"], answer)
    except BaseException as error:  # report everything that the agent raises, SystemExit included
        _reserve.clear()
        _flush()
        fault = sandbox.describe_exception(error, file, doing) | {"is_memory": isinstance(error, MemoryError)}
        channel.send("fault", fault)
    os._exit(0)  # run no exit handlers or finalizers of the agent


def _flush() -> None:
    """Send printed text before the answer. The agent may have replaced the streams, so ignore all errors."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()


if __name__ == "__main__":
    _main()
