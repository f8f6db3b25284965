"""The agent's side of the wire: loads the game, builds the walls, loads the agent and asks it for its moves.

`python -s -S -P -B agent_side.py SETTING`, SETTING as JSON: see `agents.py`. The game is loaded before the walls are
built, since it is ours or the user's; the agent behind them, and what it does there is its own affair: it has a state
of its own, and all it can put on the wire is a move.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys

TYPE_CHECKING = False  # as in `typing`, which takes longer to load than all the rest
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from zermelo.core.game import State

#: Given back when memory runs out, so that this can still be told.
_spare = [bytearray(1 << 20)]


class Clock:
    """What the agent has when it is asked for a move. Times are in seconds, and None where no clock runs."""

    __slots__ = ("_end", "depth", "increment", "left", "moves_to_go", "nodes", "other_left", "seconds")

    def __init__(self, given: dict[str, Any]) -> None:
        from time import monotonic

        #: What this move may take.
        self.seconds: float | None = given["seconds"]
        #: What is left for the game, to the agent and to the other player.
        self.left: float | None = given["left"]
        self.other_left: float | None = given["other_left"]
        #: What each move adds.
        self.increment: float = given["increment"]
        #: Moves to be made with what is left; 0: the rest of the game.
        self.moves_to_go: int = given["moves_to_go"]
        #: The plies and states that were agreed on for a move; None: nothing was.
        self.depth: int | None = given["depth"]
        self.nodes: int | None = given["nodes"]
        self._end = None if self.seconds is None else monotonic() + self.seconds

    def remaining(self) -> float:
        """The seconds that are left for this move, now; endless where no clock runs."""
        from time import monotonic

        return float("inf") if self._end is None else max(self._end - monotonic(), 0.0)


def _game(setting: dict[str, Any]) -> type[State]:
    if setting["file"] is None:
        from importlib import import_module

        found: Any = import_module(setting["module"])
        for name in setting["class"].split("."):
            found = getattr(found, name)
        return found  # type: ignore[no-any-return]
    from zermelo.registry import load

    return load(f"{setting['file']}:{setting['class']}")


def _arguments(function: Any) -> int:
    """How many of state, clock and history the agent takes: those without a default, and those that are called so."""
    own = int(hasattr(function, "__self__"))
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    if code is None:
        function, own = type(function).__call__, 1
        code = function.__code__
    if code.co_flags & 4:  # *args
        return 3
    names = code.co_varnames[own : code.co_argcount]
    count = len(names) - len(getattr(function, "__defaults__", None) or ())
    for place, name in enumerate(("state", "clock", "history")):
        if place == count and names[place : place + 1] == (name,):
            count += 1
    return count


def _written(answer: Any, asked: str) -> dict[str, Any]:
    """What the agent returned, as the wire has it."""
    if isinstance(answer, str):
        if len(answer) <= 80:
            return {"text": answer}
    elif not isinstance(answer, (bool, float)) and hasattr(type(answer), "__index__"):  # NumPy's integers are, too
        number = answer.__index__()
        if type(number) is int and abs(number) < 1 << 63:
            return {"move": number}
    try:
        text = f"{answer!r}"[:60]
    except Exception:  # its own way to tell itself, or an integer that is too long
        text = "something"
    return {"unfit": f"{asked} returned {text} ({type(answer).__name__}); a move is an int, or a text that names it"}


def _main() -> None:
    setting = json.loads(sys.argv[1])
    sys.path += setting["paths"]
    import random

    game = _game(setting)
    from zermelo.sandbox import limits as sandbox

    channel = sandbox.open_channel()
    channel.send("limits", sandbox.apply(setting["limits"]))
    given = channel.receive()
    file, states = given["file"], [game.parse(given["start"])]
    channel.send("sits")
    random.seed(given["seed"])
    module = type(sys)("agent")
    module.__file__ = file
    sys.modules["agent"] = module
    doing = "import"
    try:
        exec(compile(given["source"], file, "exec", dont_inherit=True), vars(module))
        if "numpy.random" in sys.modules:
            sys.modules["numpy.random"].seed(given["seed"] % (1 << 32))
        function: Callable[..., Any] | None = vars(module).get(given["function"])
        if not callable(function):
            functions = [name for name in vars(module) if callable(vars(module)[name]) and name[:1] != "_"]
            channel.send("ready", {"unfit": f"there is no function {given['function']}", "functions": functions[:10]})
            os._exit(0)
        count = _arguments(function)
        if not 1 <= count <= 3:
            channel.send("ready", {"unfit": f"{given['function']} takes {count} arguments", "functions": None})
            os._exit(0)
        doing = "call"
        channel.send("ready", None)
        while True:
            _flush()
            question = channel.receive()
            for move in question["moves"][len(states) - 1 :]:
                states.append(states[-1].play(move))
            arguments = (states[-1], Clock(question["clock"]), states[:-1])
            answer = _written(function(*arguments[:count]), given["function"])
            _flush()
            channel.send("move", question["number"], answer)
    except BaseException as error:  # also SystemExit and KeyboardInterrupt: whatever the agent raises is told
        _spare.clear()
        _flush()
        told = sandbox.describe_exception(error, file, doing) | {"is_memory": isinstance(error, MemoryError)}
        channel.send("fault", told)
    os._exit(0)  # neither exit functions nor finalisers of the agent


def _flush() -> None:
    """What it printed goes before its answer; whatever it has made of where it prints."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()


if __name__ == "__main__":
    _main()
