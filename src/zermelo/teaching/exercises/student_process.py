"""Run a student's program in the sandbox: load it and call its function with a `game` that asks the grader.

This script runs inside the sandbox (`sandbox/limits.py` is its `__main__`) and uses only the standard library. Each
question about the game is one line of JSON to the grader and one line back, so the grader knows every state that was
asked about. Even a program that takes over this process can send nothing but questions and one answer.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # importing `typing` would take longer than everything else here
if TYPE_CHECKING:
    from typing import Any

    from zermelo.sandbox.limits import Channel, describe_exception

    channel: Channel
else:
    from __main__ import channel, describe_exception

#: Freed when the program fails, so that a MemoryError can still be reported.
_reserve = [bytearray(1 << 20)]


class State:
    """An opaque state of the game. Equal states are the same node of the tree."""

    __slots__ = ("_number",)

    def __init__(self, number: int) -> None:
        self._number = number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and other._number == self._number

    def __hash__(self) -> int:
        return hash(self._number)

    def __repr__(self) -> str:
        return f"<state {_ask('name', self)}>"

    def __str__(self) -> str:
        text: str = _ask("show", self)
        return text


def _ask(verb: str, state: object, *rest: Any) -> Any:
    if not isinstance(state, State):
        raise TypeError(f"{verb}: {state!r:.60} is not a state; play(state, move) returns one")
    channel.send(verb, state._number, *rest)
    reply = channel.receive()
    if isinstance(reply, dict):
        raise ValueError(reply["error"])
    return reply


class Game:
    """The rules of the game that the program searches."""

    MAX, MIN, CHANCE = 1, -1, 0

    def moves(self, state: State) -> list[int]:
        """The legal moves; empty if the game is over."""
        moves: list[int] = _ask("moves", state)
        return moves

    def play(self, state: State, move: int) -> State:
        """The state after a move."""
        if type(move) is not int:
            raise TypeError(f"play: {move!r:.60} is not a move; moves(state) returns the moves")
        return State(_ask("play", state, move))

    def is_over(self, state: State) -> bool:
        """Whether the game has ended."""
        return bool(_ask("is_over", state))

    def utility(self, state: State) -> float:
        """The result of a finished game, for MAX."""
        value: float = _ask("utility", state)
        return value

    def evaluate(self, state: State) -> float:
        """The static evaluation of the state for MAX; the utility if the game is over."""
        value: float = _ask("evaluate", state)
        return value

    def to_move(self, state: State) -> int | None:
        """The side to move: game.MAX, game.MIN or game.CHANCE; None if the game is over."""
        player: int | None = _ask("to_move", state)
        return player

    def outcomes(self, state: State) -> list[tuple[int, float]]:
        """The moves of a chance node with their probabilities."""
        return [(move, probability) for move, probability in _ask("outcomes", state)]

    def __getattr__(self, name: str) -> Any:
        names = ", ".join(each for each in vars(Game) if not each.startswith("_"))
        raise AttributeError(f"game has no attribute {name!r}; it has {names}")


def _encoded(answer: Any) -> dict[str, Any]:
    """Encode what the function returned: a value, or a value and a move."""
    if isinstance(answer, (tuple, list)) and len(answer) == 2:
        value, move = answer
        if move is not None and type(move) is not int:
            return {"invalid": f"invalid move {_short(move)}; return one of game.moves(state)"}
        return {**_encoded_value(value), "move": move}
    return _encoded_value(answer)


def _encoded_value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool) or not hasattr(type(value), "__float__"):  # fractions and decimals have __float__
        return {"invalid": f"invalid result {_short(value)}; return a number or (value, move)"}
    if isinstance(value, int) and abs(value) < 1 << 63:
        return {"value": int(value)}
    try:
        number = float(value)
    except (OverflowError, ValueError):
        return {"invalid": "invalid result: the number is too large"}
    return (
        {"value": number} if number == number else {"invalid": "invalid result NaN; return a number or (value, move)"}
    )


def _short(thing: Any) -> str:
    text = f"{thing!r}"[:80] if not isinstance(thing, (str, bytes)) else repr(thing[:60])
    return f"{text} ({type(thing).__name__})"


def _functions(program: dict[str, Any], expected: list[str]) -> dict[str, list[int | None]]:
    """The functions of the program with the minimum and maximum number of arguments (None: no limit).

    Besides the expected functions at most 20 are listed, to suggest a misspelt name.
    """
    found: dict[str, list[int | None]] = {}
    for name in [name for name in expected if name in program] + list(program):
        thing = program[name]
        if not callable(thing) or isinstance(thing, type) or (len(found) >= 20 and name not in expected):
            continue
        code = getattr(getattr(thing, "__wrapped__", thing), "__code__", None)
        if code is None or code.co_flags & 4:  # *args
            found[str(name)[:40]] = [0, None]
            continue
        defaults = len(getattr(thing, "__defaults__", None) or ())
        bound = int(hasattr(thing, "__func__"))  # the self of a method
        found[str(name)[:40]] = [code.co_argcount - defaults - bound, code.co_argcount - bound]
    return found


def _main() -> None:
    request = channel.receive()
    file = request["file"]
    # The module is not called __main__, so code below `if __name__ == "__main__"` does not run.
    module = type(sys)("student")
    module.__file__ = file
    sys.modules["student"] = module
    doing = "import"
    try:
        exec(compile(request["source"], file, "exec", dont_inherit=True), vars(module))
        if request["function"] is None:
            channel.send("functions", _functions(vars(module), request["expected"]))
        else:
            doing = "call"
            answer = vars(module)[request["function"]](Game(), State(0), request["depth"])
            channel.send("answer", _encoded(answer))
    except BaseException as error:  # SystemExit and KeyboardInterrupt included
        _reserve.clear()
        channel.send("error", describe_exception(error, file, doing))
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)  # skips exit handlers and finalisers of the program


if __name__ == "__main__":
    _main()
