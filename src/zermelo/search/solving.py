"""Values of states at the end of the game, by null-window searches."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Self, TypeAlias

from zermelo.core.evaluation import Evaluation, Nothing, resolve_evaluation
from zermelo.core.game import CHANCE, MAX, State
from zermelo.core.validation import check_state, validate_root
from zermelo.errors import LimitError, SearchTimeout
from zermelo.search import threads as parallel
from zermelo.search.compiled_textbook import failure
from zermelo.search.context import MAX_PLY, UNLIMITED_DEPTH
from zermelo.search.endgame_tables import proven_alone, table_for
from zermelo.search.interpreted import InterpretedMemory, note_interpreted
from zermelo.search.memory import SearchMemory
from zermelo.search.scores import PLAIN, Scale, plies_of, ranked, ranked_score, ranked_value, utility_of

#: `test(v)` searches a state in the null window below v and returns the fail-soft score.
Test: TypeAlias = Callable[[int], int]


class Solver:
    """Solves states: the utility for MAX with best play by both sides, and that of each move.

    The value is found by MTD(f): searches with null windows, which ask whether it is at least v, from a first guess on.
    The table is kept from one state to the next. Use the solver as a context manager, or call `close`, to free it.

    Parameters
    ----------
    table : str or int
        Size of the transposition table in bytes, for example "256M".
    open_information : bool
        Solve states of games with hidden information as if both players saw all of them; otherwise they are refused.
    evaluation : str or Evaluation, optional
        Orders moves, if it defines `endgame_order`; by default the game alone does.

    Raises
    ------
    LimitError
        If the size cannot be read or the table does not fit into memory.

    References
    ----------
    A. Plaat, J. Schaeffer, W. Pijls and A. de Bruin, "Best-First Fixed-Depth Minimax Algorithms", Artificial
    Intelligence 87, 1996.

    Examples
    --------
    >>> import zermelo
    >>> from zermelo.search.solving import Solver
    >>> with Solver() as solver:
    ...     solver.value(zermelo.load("tictactoe").start())
    0
    """

    def __init__(
        self,
        table: str | int = "64M",
        open_information: bool = False,
        evaluation: str | Evaluation | None = None,
    ) -> None:
        self._open_information = open_information
        self._wanted = evaluation
        self._evaluation: Evaluation = Nothing()
        self._compiled, self._interpreted = SearchMemory(table, 1, 64), InterpretedMemory(table)
        #: States visited, and seconds of search, so far; without compiling.
        self.nodes = 0
        self.seconds = 0.0
        #: A best move of the state that `distance` solved last, if a search found one.
        self.best_move: int | None = None

    def value(self, state: State, guess: int | None = None, nodes: int | None = None) -> int:
        """Return the utility of a state for MAX if both sides play best.

        Parameters
        ----------
        state : State
            The state to solve, of a game without chance.
        guess : int, optional
            What the value may be. A good guess saves searches.
        nodes : int, optional
            Number of states that may be visited.

        Raises
        ------
        SearchTimeout
            If the state is not solved after `nodes` states.
        LimitError
            If the game has chance, or a line is too long to search.
        GameError
            If the game has hidden information, or breaks the contract.
        KeyboardInterrupt
            On Ctrl-C.
        """
        if not self._check(state):
            return state.utility()
        if (known := proven_alone(state)) is not None:
            return known[0]

        def solve(test: Test, low: int, high: int) -> int:
            middle = (low + high + 1) // 2 if guess is None else guess
            while low < high:
                middle = min(max(middle, low + 1), high)
                score = test(middle)
                if score >= middle:
                    low = max(low, score)
                    middle = low + 1
                else:
                    high = min(high, score)
                    middle = high
            return low

        return self._solve(state, PLAIN, *state.bounds(), nodes, solve)

    def outcome(self, state: State, nodes: int | None = None) -> int:
        """Return 1 if MAX wins a state with best play by both sides, -1 if MIN does, 0 if it is a draw.

        Takes one or two null-window searches around 0, which visit fewer states than a search of the value. Parameters
        and errors are those of `value`.
        """
        if not self._check(state):
            return (state.utility() > 0) - (state.utility() < 0)
        if (known := proven_alone(state)) is not None:
            return (known[0] > 0) - (known[0] < 0)
        low, high = (max(-1, min(bound, 1)) for bound in state.bounds())
        # First whether the side to move wins: its moves are ordered to prove that.
        values = (1, 0) if state.to_move() == MAX else (0, 1)

        def solve(test: Test, low: int, high: int) -> int:
            for value in values:
                if low < value <= high:
                    if test(value) >= value:
                        low = value
                    else:
                        high = value - 1
            return low

        return self._solve(state, PLAIN, low, high, nodes, solve)

    def distance(self, state: State, nodes: int | None = None) -> tuple[int, int | None]:
        """Return the utility of a state for MAX and the plies to the end of the game, if both sides play best.

        Only for games with `ranked_bounds`: the side that wins takes the shortest way, the other the longest. The plies
        are None in a draw. Parameters and errors are those of `value`; a game without the hook raises a `LimitError`.
        """
        if not state.has_ranked_bounds:
            raise LimitError(f"{type(state).__name__} does not define ranked_bounds, which a search of distances needs")
        if not self._check(state):
            return state.utility(), 0 if state.utility() else None
        scale = ranked(state)
        low, high = (ranked_score(rank, 0, *scale) for rank in state.ranked_bounds())
        side, self.best_move = state.to_move(), None

        def solve(test: Test, low: int, high: int) -> int:
            def test_and_record(value: int) -> int:
                score = test(value)
                # The last move that proves a bound of the mover's proves the result: the bounds only rise.
                if (score >= value) == (side == MAX):
                    self.best_move = next(iter(self._memory.contexts[0].best_moves()), None)
                return score

            return ranked_value(test_and_record, low, high, scale, MAX_PLY)

        score = self._solve(state, scale, low, high, nodes, solve)
        return utility_of(score, scale), plies_of(score, scale)

    def move_outcomes(self, state: State) -> dict[int, int]:
        """Return the outcome of the state after each legal move, in the order of the rules; see `outcome`."""
        return {move: self.outcome(state.play(move)) for move in state.legal_moves()}

    def move_values(self, state: State, guess: int | None = None, nodes: int | None = None) -> dict[int, int]:
        """Return the value of the state after each legal move, in the order of the rules; parameters as in `value`."""
        values: dict[int, int] = {}
        end = None if nodes is None else self.nodes + nodes
        for move in state.legal_moves():
            guess = values[move] = self.value(state.play(move), guess, None if end is None else end - self.nodes)
        return values

    def move_distances(self, state: State) -> dict[int, tuple[int, int | None]]:
        """Return the result and the distance of the state after each legal move, with the move; see `distance`."""
        found: dict[int, tuple[int, int | None]] = {}
        for move in state.legal_moves():
            value, plies = self.distance(state.play(move))
            found[move] = value, None if plies is None else plies + 1
        return found

    def _check(self, state: State) -> bool:
        """Check a state. Returns whether its game goes on."""
        check_state(state)
        moves = validate_root(state, searched=not self._open_information)
        if state.has_chance:
            raise LimitError(f"{type(state).__name__} has chance: its value is a mean; use `analyse --exact`")
        assert not moves or state.to_move() != CHANCE
        return bool(moves)

    def _begin(self, state: State, scale: Scale) -> None:
        self._memory: SearchMemory | InterpretedMemory = self._compiled if state.is_compiled else self._interpreted
        if not state.is_compiled:
            note_interpreted(type(state))
        self._evaluation = Nothing() if self._wanted is None else resolve_evaluation(state, self._wanted)
        self._memory.prepare(state, self._evaluation)
        self._memory.begin_search(state, ())
        self._memory.use_endgames(table_for(state))
        self._memory.begin_scale(state, scale, Nothing(), (type(state), self._evaluation, scale))

    def _solve(
        self, state: State, scale: Scale, low: int, high: int, nodes: int | None,
        solve: Callable[[Test, int, int], int],
    ) -> int:  # fmt: skip
        """Return the score of a state on a scale, in low .. high, as `solve(test, low, high)` finds it.

        All searches run on one thread: to start another one takes as long as to visit a thousand states.
        """
        if low >= high:
            return low
        self._begin(state, scale)  # may compile for a minute, which Ctrl-C ends at once here
        interrupt = threading.Event()
        with parallel.catching_interrupts(interrupt):
            memory = self._memory
            (ctx,) = memory.contexts

            def test(value: int) -> int:
                ctx.reset_results()
                (search,) = memory.calls(state, self._evaluation, UNLIMITED_DEPTH, value - 1, value)
                score = search()
                if ctx.stopped:
                    raise parallel.Stopped
                return score

            def work() -> int | None:
                try:
                    return solve(test, low, high)
                except parallel.Stopped:  # `run` raises it again, with the reason
                    return None

            ctx.begin([])
            began = time.perf_counter()
            try:
                return int(parallel.run([work], memory.contexts, nodes=nodes, interrupt=interrupt)[1])
            except parallel.Stopped as stopped:
                if stopped.reason:
                    raise KeyboardInterrupt from None
                raise SearchTimeout(f"{type(state).__name__}: not solved within the limit of nodes") from None
            except Exception as error:
                raise failure(error, state) from None
            finally:
                self.nodes += memory.nodes
                self.seconds += time.perf_counter() - began

    def clear(self) -> None:
        """Forget all results: the next state is solved as by a new solver."""
        self._compiled.clear()
        self._interpreted.table.clear()

    def close(self) -> None:
        """Free the table. The solver cannot solve any more."""
        self._compiled.free()
        self._interpreted.free()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
