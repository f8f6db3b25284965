"""The textbook searches and perft, compiled: they visit the same states in the same order."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from zermelo.compiled import native
from zermelo.core.evaluation import Evaluation, Nothing, search_evaluation
from zermelo.core.game import State
from zermelo.core.history import PositionHistory, check_history
from zermelo.core.validation import as_game_error, check_state, validate_root
from zermelo.errors import GameError, LimitError, SearchTimeout, ZermeloError
from zermelo.search import threads as workers
from zermelo.search.context import MAX_PLY, UNLIMITED_DEPTH, SearchContext
from zermelo.search.kernel.perft import run_perft
from zermelo.search.kernel.search import run_search
from zermelo.search.policy import AlphaBeta, Minimax, Policy, ShallowCutoffs, Sparing, Star1, Star2
from zermelo.search.scores import LIMIT, expected_of
from zermelo.search.table import NO_MOVE, buckets_in, new_table, parse_size
from zermelo.search.textbook import Result, search_scale

POLICIES: dict[str, Policy] = {
    "minimax": Minimax(),
    "alphabeta": AlphaBeta(),
    "shallow": ShallowCutoffs(),
    "expectiminimax": Minimax(),
    "star1": Star1(),
    "star2": Star2(),
    "sparing": Sparing(),
}
# Size of the table of a policy that uses one. A search of a few plies does not fill it.
TABLE = "1M"


def compiled_textbook(
    state: State,
    depth: int | None,
    evaluation: str | Evaluation | None,
    algorithm: str,
    history: Sequence[State] | PositionHistory = (),
    seconds: float | None = None,
    rank_wins: bool | None = None,
    open_information: bool = False,
) -> Result:
    """Run a search of `zermelo.search.textbook` in compiled code. It visits the same states.

    Parameters
    ----------
    state : State
        The root.
    depth : int or None
        Maximum depth in plies, 0 to 249; None: to the end of the game.
    evaluation : str, Evaluation or None
        Evaluation of unfinished games at the depth; None: the game's first one if there is a depth.
    algorithm : str
        A key of `POLICIES`: "minimax", "alphabeta", "expectiminimax", "star1", "star2", and two that the textbook does
        not have. "shallow" is alpha-beta without deep cutoffs [1]_. "sparing" returns the same value (with quiescence
        search, if the game has tactical moves) after fewer states; among equally good moves it may choose another.
    history : sequence of State or PositionHistory
        The states of the game before the root, the first one first.
    seconds : float or None
        Maximum time in seconds, without the time for compiling.
    rank_wins : bool or None
        As in `zermelo.search.textbook.search_scale`.
    open_information : bool
        Search a game with hidden information as if both players saw the whole state.

    Returns
    -------
    Result
        Its line is the best move alone, and the numbers of leaves and cutoffs are not counted (-1).

    Raises
    ------
    LimitError
        If a parameter is out of range, or a line is longer than 250 plies.
    SearchTimeout
        If the search is not finished after `seconds`.
    KeyboardInterrupt
        On Ctrl-C.

    References
    ----------
    .. [1] D. E. Knuth and R. W. Moore, "An Analysis of Alpha-Beta Pruning", Artificial Intelligence 6, 1975.
    """
    check_state(state)
    if depth is not None and not 0 <= depth < UNLIMITED_DEPTH:
        raise LimitError(f"depth must be between 0 and {UNLIMITED_DEPTH - 1} plies (got {depth})")
    ctx = SearchContext()
    chosen = search_evaluation(state, evaluation, depth is not None)
    compiled_evaluation = Nothing() if chosen is None else chosen
    scale = search_scale(state, chosen, rank_wins)
    ctx.set_scale(state, scale, compiled_evaluation)
    ctx.best_move = NO_MOVE
    policy = POLICIES[algorithm]
    buckets = buckets_in(parse_size(TABLE)) if policy.transposition_table else 1
    ctx.buckets = buckets
    plies = UNLIMITED_DEPTH if depth is None else depth
    arguments = (state, compiled_evaluation, policy, plies, -LIMIT, LIMIT, 0, 0, ctx, new_table(buckets))
    validate_root(state, compiled_evaluation, searched=not open_information)
    check_history(history, state)
    ctx.set_history(state, history)
    call = native(run_search, *arguments)
    value, elapsed = _run(partial(call, *arguments), ctx, state, seconds)
    best = None if ctx.best_move == NO_MOVE else ctx.best_move
    line = () if best is None else (best,)
    expected = expected_of(state, int(value), scale)
    return Result(int(value), best, line, ctx.nodes, -1, -1, elapsed, expected, ctx.rounded)


def perft(state: State, depth: int, bulk: bool = True) -> int:
    """Count the lines of `depth` moves from a state: the standard test of a move generator.

    Parameters
    ----------
    state : State
        The root.
    depth : int
        Length of the lines in plies, 0 to 250.
    bulk : bool
        Count the last moves with `count_moves` (bulk counting) instead of making each one.

    Returns
    -------
    int
        The number of lines. A game that ends earlier counts as its class declares (`perft_counts_finished_games`).

    Raises
    ------
    LimitError
        If the depth is out of range.
    KeyboardInterrupt
        On Ctrl-C.

    Examples
    --------
    >>> from zermelo.games.othello import Othello
    >>> perft(Othello.start(), 5)
    1396
    """
    check_state(state)
    if not 0 <= depth <= MAX_PLY:
        raise LimitError(f"depth must be between 0 and {MAX_PLY} plies (got {depth})")
    ctx = SearchContext()
    validate_root(state, searched=False)
    call = native(run_perft, state, depth, bulk, ctx) if state.is_compiled else run_perft
    return int(_run(partial(call, state, depth, bulk, ctx), ctx, state)[0])


def divide(state: State, depth: int, bulk: bool = True) -> dict[int, int]:
    """Return `perft` of each root move, one ply less deep, to find the move where a move generator is wrong."""
    if depth < 1:
        raise LimitError(f"depth must be at least 1 for divide (got {depth})")
    moves = state.moves() if state.perft_ignores_game_over else state.legal_moves()
    return {move: perft(state.play(move), depth - 1, bulk) for move in moves}


def _run(call: Callable[[], Any], ctx: SearchContext, state: State, seconds: float | None = None) -> tuple[Any, float]:
    """Run a compiled call on a thread. Returns its result and its time in seconds."""

    def timed() -> tuple[Any, float]:
        began = time.perf_counter()
        return call(), time.perf_counter() - began

    deadline = None if seconds is None else time.perf_counter() + seconds
    interrupt = threading.Event()
    try:
        with workers.catching_interrupts(interrupt):
            return workers.run([timed], [ctx], deadline, interrupt=interrupt)[1]  # type: ignore[no-any-return]
    except workers.Stopped:
        raise SearchTimeout(f"the search did not finish in {seconds:.3g} s") from None
    except Exception as error:
        raise failure(error, state) from None


def failure(error: Exception, state: State) -> ZermeloError:
    """The error to raise for an exception in a compiled call."""
    if isinstance(error, workers.Overflow):
        return too_long(state)
    if isinstance(error, workers.NoMoves):
        return GameError(
            f"{type(state).__name__}.moves() yields no move in a state that is not over: yield a pass, or return True "
            "from is_over()"
        )
    return error if isinstance(error, ZermeloError) else as_game_error(error, state)


def too_long(state: State) -> LimitError:
    """The error for a search whose lines are too long for the search context."""
    return LimitError(
        f"{type(state).__name__} has lines of more than {MAX_PLY} plies, or too many moves for the search's memory: "
        "limit the depth"
    )
