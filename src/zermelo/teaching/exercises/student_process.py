"""The student's side of the wire: loads the program and calls its function with a `game` that asks the parent.

Runs behind the walls (`outside.walls`, which is `__main__` here); the standard library only. Each question is one
line of JSON out and one line back, so the parent knows every state that was asked about. Whatever the program does to
this process, it can put no more on the wire than questions and one answer.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False  # as in `typing`, which takes longer to load than all the rest
if TYPE_CHECKING:
    from typing import Any

    from zermelo.sandbox.limits import Channel, describe_exception

    channel: Channel
else:
    from __main__ import channel, describe_exception

#: Given back when memory runs out, so that this can still be told.
_spare = [bytearray(1 << 20)]


class State:
    """A position of the game, whose inside is the game's business. Equal states are the same node of the tree."""

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
        raise TypeError(f"{verb}: {state!r:.60} is no state; play(state, move) makes one")
    channel.send(verb, state._number, *rest)
    heard = channel.receive()
    if isinstance(heard, dict):
        raise ValueError(heard["wrong"])
    return heard


class Game:
    """The game that the states belong to."""

    MAX, MIN, CHANCE = 1, -1, 0

    def moves(self, state: State) -> list[int]:
        """The moves that can be played; none in a finished game."""
        moves: list[int] = _ask("moves", state)
        return moves

    def play(self, state: State, move: int) -> State:
        """The state after a move."""
        if type(move) is not int:
            raise TypeError(f"play: {move!r:.60} is no move; moves(state) gives them")
        return State(_ask("play", state, move))

    def is_over(self, state: State) -> bool:
        """Whether the game has ended."""
        return bool(_ask("is_over", state))

    def utility(self, state: State) -> float:
        """The result of a finished game, for MAX."""
        value: float = _ask("utility", state)
        return value

    def evaluate(self, state: State) -> float:
        """What a static evaluation says of the state, for MAX; of a finished one its utility."""
        value: float = _ask("evaluate", state)
        return value

    def to_move(self, state: State) -> int | None:
        """Whose turn it is: game.MAX, game.MIN or game.CHANCE; None in a finished game."""
        player: int | None = _ask("to_move", state)
        return player

    def outcomes(self, state: State) -> list[tuple[int, float]]:
        """Where chance moves: each move with its probability."""
        return [(move, probability) for move, probability in _ask("outcomes", state)]

    def __getattr__(self, name: str) -> Any:
        has = ", ".join(each for each in vars(Game) if not each.startswith("_"))
        raise AttributeError(f"a game has no {name!r}; it has {has}")


def _written(answer: Any) -> dict[str, Any]:
    """What the function returned, as the wire has it: a value, or a value and a move."""
    if isinstance(answer, (tuple, list)) and len(answer) == 2:
        value, move = answer
        if move is not None and type(move) is not int:
            return {"unfit": f"the move it returned is {_short(move)}; a move is one of game.moves(state)"}
        return {**_written_value(value), "move": move}
    return _written_value(answer)


def _written_value(value: Any) -> dict[str, Any]:
    if isinstance(value, bool) or not hasattr(type(value), "__float__"):  # fractions and decimals are numbers, too
        return {"unfit": f"it returned {_short(value)}; a value is a number, an answer a value or (value, move)"}
    if isinstance(value, int) and abs(value) < 1 << 63:
        return {"value": int(value)}
    try:
        number = float(value)
    except (OverflowError, ValueError):
        return {"unfit": "it returned a number larger than any value"}
    return {"value": number} if number == number else {"unfit": "it returned NaN, which is no number"}


def _short(thing: Any) -> str:
    text = f"{thing!r}"[:80] if not isinstance(thing, (str, bytes)) else repr(thing[:60])
    return f"{text} ({type(thing).__name__})"


def _functions(program: dict[str, Any], wanted: list[str]) -> dict[str, list[int | None]]:
    """The functions of the program, each with the fewest and the most arguments it takes (None: any number).

    Of those that are not wanted some are enough, to find a slip of the pen among their names.
    """
    found: dict[str, list[int | None]] = {}
    for name in [name for name in wanted if name in program] + list(program):
        thing = program[name]
        if not callable(thing) or isinstance(thing, type) or (len(found) >= 20 and name not in wanted):
            continue
        code = getattr(getattr(thing, "__wrapped__", thing), "__code__", None)
        if code is None or code.co_flags & 4:  # *args
            found[str(name)[:40]] = [0, None]
            continue
        defaults = len(getattr(thing, "__defaults__", None) or ())
        given = int(hasattr(thing, "__func__"))  # of a method: self
        found[str(name)[:40]] = [code.co_argcount - defaults - given, code.co_argcount - given]
    return found


def _main() -> None:
    given = channel.receive()
    file = given["file"]
    # A module's name that is not __main__: what a student tries out below `if __name__ == "__main__"` is not run.
    module = type(sys)("student")
    module.__file__ = file
    sys.modules["student"] = module
    doing = "import"
    try:
        exec(compile(given["source"], file, "exec", dont_inherit=True), vars(module))
        if given["function"] is None:
            channel.send("functions", _functions(vars(module), given["wanted"]))
        else:
            doing = "call"
            answer = vars(module)[given["function"]](Game(), State(0), given["depth"])
            channel.send("answer", _written(answer))
    except BaseException as error:  # also SystemExit and KeyboardInterrupt: whatever the program raises is told
        _spare.clear()
        channel.send("fault", describe_exception(error, file, doing))
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)  # neither exit functions nor finalisers of the program


if __name__ == "__main__":
    _main()
