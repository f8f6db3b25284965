"""The textbook's algorithms and perft as compiled calls: the same states in the same order, at native speed."""

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
# What one search of a policy with a table remembers: more than a search of a few plies has to tell.
TABLE = "1M"


def compiled_textbook(
    state: State,
    depth: int | None,
    evaluation: str | Evaluation | None,
    algorithm: str,
    history: Sequence[State] | PositionHistory = (),
    seconds: float | None = None,
    rank_wins: bool | None = None,
) -> Result:
    """A search of `zermelo.search.textbook`, compiled: `algorithm` is one of `POLICIES`.

    Visits the same states. Two the textbook does not have: `shallow` is alpha-beta without deep cuts; `sparing` finds
    the same value (with quiescence, where the game has noisy moves) by fewer states, and of equally good moves it may
    choose another. The result has no line, only the best move, and counts no leaves and cuts (-1).
    Raises `LimitError`; `SearchTimeout` where it is not done in so many `seconds`, those of compiling apart; and
    `KeyboardInterrupt` on Ctrl-C.
    """
    check_state(state)
    if depth is not None and not 0 <= depth < UNLIMITED_DEPTH:
        raise LimitError(f"depth {depth} is not in 0 .. {UNLIMITED_DEPTH - 1} plies")
    ctx = SearchContext()
    used = search_evaluation(state, evaluation, depth is not None)
    scored = Nothing() if used is None else used
    scale = search_scale(state, used, rank_wins)
    ctx.set_scale(state, scale, scored)
    ctx.best_move = NO_MOVE
    policy = POLICIES[algorithm]
    buckets = buckets_in(parse_size(TABLE)) if policy.transposition_table else 1
    ctx.buckets = buckets
    plies = UNLIMITED_DEPTH if depth is None else depth
    arguments = (state, scored, policy, plies, -LIMIT, LIMIT, 0, 0, ctx, new_table(buckets))
    validate_root(state, scored)
    check_history(history, state)
    ctx.set_history(state, history)
    call = native(run_search, *arguments)
    value, took = _run(partial(call, *arguments), ctx, state, seconds)
    best = ctx.best_move
    line = (best,) if best >= 0 else ()
    expected, rounded = expected_of(state, int(value), scale), ctx.rounded
    return Result(int(value), line[0] if line else None, line, ctx.nodes, -1, -1, took, expected, rounded)


def perft(state: State, depth: int, bulk: bool = True) -> int:
    """The number of lines of `depth` moves from a state: the standard test of move generators.

    With `bulk` the last move of a line is only counted, without it each one is played. A game that ends earlier counts
    as its class says (`perft_counts_finished_games`). Raises `LimitError`, and `KeyboardInterrupt` on Ctrl-C.

    >>> from zermelo.games.othello import Othello
    >>> perft(Othello.start(), 5)
    1396
    """
    check_state(state)
    if not 0 <= depth <= MAX_PLY:
        raise LimitError(f"depth {depth} is not in 0 .. {MAX_PLY}")
    ctx = SearchContext()
    validate_root(state, searched=False)
    call = native(run_perft, state, depth, bulk, ctx)
    return int(_run(partial(call, state, depth, bulk, ctx), ctx, state)[0])


def divide(state: State, depth: int, bulk: bool = True) -> dict[int, int]:
    """`perft` of each move of a state, one ply less deep: shows where a move generator goes wrong."""
    if depth < 1:
        raise LimitError(f"depth {depth}: a division by moves needs at least 1")
    moves = state.moves() if state.perft_ignores_game_over else state.legal_moves()
    return {move: perft(state.play(move), depth - 1, bulk) for move in moves}


def _run(call: Callable[[], Any], ctx: SearchContext, state: State, seconds: float | None = None) -> tuple[Any, float]:
    """The call's result and its seconds, without those of starting a thread for it."""

    def timed() -> tuple[Any, float]:
        began = time.perf_counter()
        return call(), time.perf_counter() - began

    deadline = None if seconds is None else time.perf_counter() + seconds
    interrupt = threading.Event()
    try:
        with workers.catching_interrupts(interrupt):
            return workers.run([timed], [ctx], deadline, interrupt=interrupt)[1]  # type: ignore[no-any-return]
    except workers.Stopped as stopped:
        if stopped.reason == "seconds":
            raise SearchTimeout(f"the search has not come to its end in {seconds:.3g} s") from None
        raise KeyboardInterrupt from None
    except Exception as error:
        raise failure(error, state) from None


def failure(error: Exception, state: State) -> ZermeloError:
    """What went wrong in a compiled call, told as the fault of the game that it is."""
    if isinstance(error, workers.Overflow):
        return too_long(state)
    if isinstance(error, workers.NoMoves):
        return GameError(
            f"{type(state).__name__}.moves() yields nothing in a state that is not over; "
            "a player who cannot move has a pass for a move, or the game is over"
        )
    return error if isinstance(error, ZermeloError) else as_game_error(error, state)


def too_long(state: State) -> LimitError:
    """The refusal of a search whose lines do not end."""
    return LimitError(
        f"a line of {type(state).__name__} is longer than {MAX_PLY} plies, or its states have too many moves: "
        "search to a depth"
    )
