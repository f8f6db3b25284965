"""Run a student's program in the sandbox: load it and call its function with a `game` that asks the grader.

This script runs inside the sandbox (`sandbox/limits.py` is its `__main__`) and uses only the standard library. Each
question about the game is one line of JSON to the grader and one line back, so the grader knows every state that was
asked about. Even a program that takes over this process can send nothing but questions and answers.
"""

from __future__ import annotations

import gc
import io
import os
import sys
from math import inf

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
        if not _is_move(move):
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


def _is_move(move: object) -> bool:
    return type(move) is int and abs(move) < 1 << 63


def _message(answer: Any) -> tuple[str, Any]:
    """The message for what the function returned: a value, or a value and a move; otherwise why it is invalid."""
    value, move = answer if isinstance(answer, (tuple, list)) and len(answer) == 2 else (answer, None)
    if move is not None and not _is_move(move):
        return "invalid", f"invalid move {_short(move)}; return one of game.moves(state)"
    if isinstance(value, bool) or not hasattr(type(value), "__float__"):  # fractions and decimals have __float__
        return "invalid", f"invalid result {_short(value)}; return a number or (value, move)"
    if isinstance(value, int) and abs(value) < 1 << 63:
        return "answer", {"value": int(value), "move": move}
    try:
        number = float(value)
    except (OverflowError, ValueError):
        return "invalid", "invalid result: the number is too large"
    if number != number:
        return "invalid", "invalid result NaN; return a number or (value, move)"
    return "answer", {"value": number, "move": move}


def _short(thing: Any) -> str:
    try:
        text = repr(thing[:60] if isinstance(thing, (str, bytes)) else thing)[:80]
    except ValueError:  # an integer with too many digits
        text = "a number"
    return f"{text} ({type(thing).__name__[:80]})"


def _functions(program: dict[str, Any], expected: list[str]) -> dict[str, list[int | None]]:
    """The functions of the program with the minimum and maximum number of arguments (None: no limit).

    Besides the expected functions, in any spelling, at most 20 are listed, to suggest a misspelt name.
    """
    found: dict[str, list[int | None]] = {}
    wanted = [name for name in program if folded(name) in expected]
    for name in wanted[:20] + list(program):
        thing = program[name]
        if callable(thing) and not isinstance(thing, type) and (len(found) < 20 or name in wanted[:20]):
            fewest, names = _parameters(thing)
            found[str(name)[:40]] = [fewest, None if names is None else len(names)]
    return found


def _defined(code: Any, expected: list[str]) -> list[str]:
    """The expected functions that are defined anywhere in the program, inside functions and classes as well."""
    found, stack = set(), [code]
    while stack:
        within = stack.pop()
        found.add(folded(within.co_name))
        stack += [each for each in within.co_consts if isinstance(each, type(code))]
    return [name for name in expected if name in found]


def folded(name: object) -> str:
    """A name without case and underscores: alpha_beta and alphaBeta are alphabeta."""
    return str(name)[:40].replace("_", "").lower()


def _parameters(function: Any) -> tuple[int, tuple[str, ...] | None]:
    """The number of parameters without a default, and the names of all parameters; None if there is no limit."""
    code = getattr(getattr(function, "__wrapped__", function), "__code__", None)
    if code is None or code.co_flags & 4:  # *args
        return 0, None
    bound = int(hasattr(function, "__func__"))  # the self of a method
    defaults = len(getattr(function, "__defaults__", None) or ())
    return code.co_argcount - defaults - bound, code.co_varnames[bound : code.co_argcount]


def _call(functions: list[Any], game: Game, depth: int) -> Any:
    """Call the function, or of two functions the one of the side to move, with alpha and beta if it needs them.

    Parameters may be in another order if they have the usual names.
    """
    state = State(0)
    function = functions[-1 if len(functions) > 1 and game.to_move(state) == Game.MIN else 0]
    arguments = {"game": game, "state": state, "depth": depth, "alpha": -inf, "beta": inf}
    fewest, names = _parameters(function)
    used = list(arguments)[: 3 if fewest <= 3 else 5]
    if names is not None and names[: len(used)] != tuple(used) and set(names[: len(used)]) == set(used):
        return function(**{name: arguments[name] for name in used})
    return function(*[arguments[name] for name in used])


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:  # noqa: SIM105  # importing contextlib takes time
            stream.flush()
        except (AttributeError, OSError, ValueError):  # the program has replaced or closed it
            pass


class _Discarded(io.RawIOBase):
    """A stream whose text is lost."""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        return len(data)


def _run(program: dict[str, Any]) -> bool:
    """Import the program, and call its function if it is named; return whether it can be asked again."""
    file = program["file"]
    # The module is not called __main__, so code below `if __name__ == "__main__"` does not run.
    module = type(sys)("student")
    module.__file__ = file
    sys.modules["student"] = module
    doing = "import"
    try:
        source = program["source"].encode("latin-1")  # the bytes of the file; `compile` finds their encoding
        code = compile(source, file, "exec", dont_inherit=True)
        exec(code, vars(module))
        if program["functions"] is None:
            expected = program["expected"]
            channel.send("functions", _functions(vars(module), expected), _defined(code, expected))
            return False
        doing = "call"
        functions = [vars(module)[name] for name in program["functions"]]
        message = _message(_call(functions, Game(), program["depth"]))
        channel.send(*message)
        return message[0] == "answer"
    except BaseException as error:  # SystemExit and KeyboardInterrupt included
        _reserve.clear()
        channel.send("error", describe_exception(error, file, doing))
        return False


def _main() -> None:
    program = channel.receive()
    if program["functions"] is not None:
        program |= channel.receive()  # the depth
    while _run(program):
        _flush()
        # Variants of a case: each time a new module, so that nothing is left of the last search. The student sees what
        # was printed in the first.
        sys.stdout = sys.stderr = io.TextIOWrapper(io.BufferedWriter(_Discarded()), "utf-8", write_through=True)
        gc.collect()
        program |= channel.receive()
    _flush()
    os._exit(0)  # skips exit handlers and finalisers of the program


if __name__ == "__main__":
    _main()
