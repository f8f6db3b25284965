"""A game's methods in compiled code, called from Python one position at a time.

The plain functions below are compiled for the game's own type by `zermelo.compiled.native`. Numba is imported only
where a `CompiledRules` is made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

from zermelo.core.accumulator import new_accumulator
from zermelo.core.bitboard import Bitboard
from zermelo.core.evaluation import Evaluation
from zermelo.core.game import HOOKS, LARGEST_RANK, LARGEST_UTILITY, State
from zermelo.core.hooks import Hook, Returns
from zermelo.testing.hidden_information import native_hooks

#: The hooks that are read once a position, and those that are read once a move.
STATE_HOOKS = [hook for hook in HOOKS.values() if hook.compiled and hook.checked not in ("", "move")]
MOVE_HOOKS = [hook for hook in HOOKS.values() if hook.compiled and hook.checked == "move"]

#: Longer games are not searched to the end: recursion might exceed the stack.
MOST_PLIES = 200

#: What a hook returns: a number, a truth value, a key or an interval.
Value: TypeAlias = int | bool | Bitboard | tuple[int, int]


class Readings(NamedTuple):
    """What compiled methods return in one position."""

    #: By hook. Only hooks that are checked in a state of this kind have a meaning.
    values: dict[str, Value]
    moves: list[int]
    #: Moves and weights; of a meaning where chance moves.
    outcomes: list[tuple[int, int]]
    #: By hook, one value for each of the moves.
    move_values: dict[str, Sequence[Value]]


class CompiledRules:
    """The methods of one game and its evaluations, compiled."""

    def __init__(self, start: State, evaluations: dict[str, Evaluation]) -> None:
        import numpy as np

        from zermelo.compiled import native

        self._numbers = np.zeros(FIRST_ROW + 64 * ROW, np.int64)
        self._zeros = np.zeros
        self._read = native(read_rules, start, self._numbers)
        self.play: Callable[[State, int], State] = native(_play, start, 0)
        if start.has_canonical:
            self.canonical: Callable[[State], State] = native(_canonical, start)
        self._hidden = native_hooks(start, native)
        self._evaluations = evaluations
        self._scores = {name: native(_score, item, start) for name, item in evaluations.items()}
        self._accumulated = {
            name: native(_accumulated_score, item, start, 0, start)
            for name, item in evaluations.items()
            if item.has_accumulator
        }
        if start.has_endgame_solver or start.has_bounds or start.has_ranked_bounds or start.has_candidates:
            self._visits = np.zeros(3, np.int64)
            self._minimax = native(minimax, start, self._visits)
        if start.has_candidates:
            self._list_candidates = native(_list_candidates, start, self._numbers)
        if start.has_endgame_solver:
            self.solve_endgame = native(_solve_endgame, start, 0, 0)

    def read(self, state: State) -> Readings:
        """Call the methods of a state."""
        self._read(state, self._numbers)
        count = int(self._numbers[0])
        end = FIRST_ROW + ROW * count
        if end > len(self._numbers):
            self._numbers = self._zeros(2 * end, self._numbers.dtype)
            self._read(state, self._numbers)
        numbers = self._numbers[:end].tolist()
        moves, weights = numbers[FIRST_ROW::ROW], numbers[FIRST_ROW + 1 :: ROW]
        values = {hook.name: _value(hook, numbers[slot], numbers[slot + 1]) for hook, slot in SLOTS}
        columns = {
            hook.name: _column(hook, numbers[FIRST_ROW + 2 + place :: ROW]) for place, hook in enumerate(MOVE_HOOKS)
        }
        return Readings(values, moves, list(zip(moves, weights, strict=True)), columns)

    def information_key(self, state: State, player: int) -> Bitboard:
        """What `State.information_key` returns."""
        return self._hidden["information_key"](state, player)  # type: ignore[no-any-return]

    def resample(self, state: State, player: int, random: int) -> State:
        """What `State.resample` returns."""
        return self._hidden["resample"](state, player, random)  # type: ignore[no-any-return]

    def score(self, name: str, state: State) -> int:
        """Score a state with an evaluation."""
        return self._scores[name](self._evaluations[name], state)  # type: ignore[no-any-return]

    def accumulated_score(self, name: str, parent: State, move: int, child: State) -> int:
        """Score a state by the accumulator of its parent, updated by the move."""
        return self._accumulated[name](self._evaluations[name], parent, move, child)  # type: ignore[no-any-return]

    def candidates(self, state: State) -> list[int]:
        """What `State.candidates` yields, which must not be more than the state has moves."""
        count = int(self._list_candidates(state, self._numbers))
        return self._numbers[:count].tolist()  # type: ignore[no-any-return]

    def minimax(self, state: State, limit: int) -> int | None:
        """The minimax value of a state; None if more than `limit` states would be visited."""
        self._visits[:] = 0, limit, 0
        value = self._minimax(state, self._visits)
        return None if self._visits[0] > limit else value


# ---- reading all methods at once: a function generated from the table of hooks -------------------------------
# It writes into an array of ints: the number of moves; two slots for each hook of the state (a key takes 32 bits of
# each, an interval one for each end); then a row for each move, as many as there is room for: the move, its weight, one
# slot for each hook of a move.

FIRST_ROW = 1 + 2 * len(STATE_HOOKS)
ROW = 2 + len(MOVE_HOOKS)
SLOTS = [(hook, 1 + 2 * place) for place, hook in enumerate(STATE_HOOKS)]


def _value(hook: Hook, first: int, second: int) -> Value:
    if hook.returns is Returns.INTERVAL:
        return first, second
    if hook.returns is Returns.KEY:
        return Bitboard(second << 32 | first)
    return first == 1 if hook.returns is Returns.BOOL else first


def _column(hook: Hook, numbers: list[int]) -> Sequence[Value]:
    """What a hook of a move returned, an int or a truth value, for all moves."""
    return [number == 1 for number in numbers] if hook.returns is Returns.BOOL else numbers


def _reader() -> Callable[[Any, Any], None]:
    def lines(indent: str, *kinds: str) -> list[str]:
        written = []
        for hook, slot in SLOTS:
            call = f"state.{hook.name}()"
            if hook.checked not in kinds:
                continue
            if hook.returns is Returns.KEY:
                written.append(f"{indent}numbers[{slot}] = int({call} & 0xFFFFFFFF)")
                written.append(f"{indent}numbers[{slot + 1}] = int({call} >> 32)")
            elif hook.returns is Returns.INTERVAL:
                written.append(f"{indent}numbers[{slot}], numbers[{slot + 1}] = {call}")
            else:
                written.append(f"{indent}numbers[{slot}] = {_as_int(hook, call)}")
        return written

    columns = [
        f"                numbers[at + {2 + place}] = {_as_int(hook, f'state.{hook.name}(move)')}"
        for place, hook in enumerate(MOVE_HOOKS)
    ]
    source = "\n".join(
        [
            "def read_rules(state, numbers):",
            *lines("    ", "any"),
            "    count = 0",
            f"    at = {FIRST_ROW}",
            "    if state.is_over():",
            *lines("        ", "finished"),
            "    elif state.has_chance and state.to_move() == 0:",
            *lines("        ", "unfinished"),
            "        for move, weight in state.outcomes():",
            f"            if at + {ROW} <= len(numbers):",
            "                numbers[at] = move",
            "                numbers[at + 1] = weight",
            f"            at += {ROW}",
            "            count += 1",
            "    else:",
            *lines("        ", "unfinished", "decision"),
            "        for move in state.moves():",
            f"            if at + {ROW} <= len(numbers):",
            "                numbers[at] = move",
            *columns,
            f"            at += {ROW}",
            "            count += 1",
            "    numbers[0] = count",
        ]
    )
    scope: dict[str, Any] = {"__name__": __name__}
    exec(source, scope)
    reader: Callable[[Any, Any], None] = scope["read_rules"]
    return reader


def _as_int(hook: Hook, call: str) -> str:
    return f"1 if {call} else 0" if hook.returns is Returns.BOOL else call


read_rules = _reader()


def _canonical(state: State) -> State:
    return state.canonical()


def _play(state: Any, move: Any) -> Any:
    return state.play(move)


def _score(evaluation: Any, state: Any) -> Any:
    return evaluation.score(state)


def _accumulated_score(evaluation: Any, parent: Any, move: Any, child: Any) -> Any:
    accumulator = new_accumulator(evaluation)
    evaluation.start_accumulator(parent, accumulator)
    evaluation.update_accumulator(accumulator, parent, move, child)
    return evaluation.accumulated_score(child, accumulator)


def _solve_endgame(state: Any, alpha: Any, beta: Any) -> Any:
    return state.solve_endgame(alpha, beta)


def _list_candidates(state: Any, numbers: Any) -> Any:
    count = 0
    for move in state.candidates():
        if count < len(numbers):
            numbers[count] = move
        count += 1
    return count


def minimax(state: Any, visits: Any) -> Any:
    """The minimax value of a state; meaningless where visits[0], the states visited, exceeds the limit visits[1].

    In games with `ranked_bounds` it is the result as these give it, which ranks wins by distance.
    visits[2] is the ply, 0 at first. Games that are longer than `MOST_PLIES`, or never end, exceed the limit.
    """
    visits[0] += 1
    if state.is_over():
        return state.utility() * LARGEST_RANK if state.has_ranked_bounds else state.utility()
    if visits[2] == MOST_PLIES:
        visits[0] = visits[1] + 1
    if visits[0] > visits[1]:
        return 0
    side = state.to_move()
    best = -LARGEST_UTILITY - 1
    visits[2] += 1
    for move in state.moves():
        best = max(best, side * minimax(state.play(move), visits))
    visits[2] -= 1
    return one_ply_before(state, side * best)


def one_ply_before(state: Any, value: Any) -> Any:
    """The value of a state whose best move leads to a value: the same, or a win or loss one ply farther."""
    if not state.has_ranked_bounds or value == 0:
        return value
    return value - 1 if value > 0 else value + 1
