"""The functions of the package `zermelo`. Each imports what it needs when it is first called."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from zermelo.core.game import State

if TYPE_CHECKING:
    from zermelo.core.evaluation import Evaluation
    from zermelo.search.analysis import Analysis
    from zermelo.search.searcher import Searcher
    from zermelo.search.selective import Selective
    from zermelo.search.textbook import Observer, Result

DEFAULT_SECONDS = 5.0  # as in `zermelo.search.limits`, which is not imported for a number
# The ends of the full window, as in `zermelo.search.textbook`, which is not imported for a number.
INFINITY = 1 << 62


def analysis(
    state: State,
    *,
    depth: int | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    exact: bool = False,
    evaluation: str | Evaluation | None = None,
    lines: int = 1,
    threads: int = 1,
    table: str | int = "64M",
    history: Sequence[State] = (),
    moves: Collection[int] = (),
    selective: Selective | bool | int | None = None,
) -> Iterator[Analysis]:
    """Search a state by iterative deepening and yield an `Analysis` after each depth.

    The search ends at the first limit that is reached, or when the game is solved. Without a limit it goes on until
    the game is solved. A game without an evaluation is searched so for half of the seconds and nodes; if this does
    not solve it, Monte Carlo tree search goes on (`MonteCarlo`), and yields from time to time. With `depth`, `exact`,
    an evaluation or no limit it is not used.

    Parameters
    ----------
    state : State
        The state to search.
    depth : int, optional
        Maximum depth in plies, 1 to 200.
    seconds : float, optional
        Maximum wall-clock time, above 0.
    nodes : int, optional
        Maximum number of states visited by all threads together, at least 1. A playout counts as one.
    exact : bool
        Search to the end of the game and prove the value. Cannot be combined with `depth`.
    evaluation : str or Evaluation, optional
        Name of one of the game's evaluations, "nothing", or an evaluation. Default: the game's first, or the one that
        it declares for selective searches.
    lines : int
        Number of best moves that get a score and a principal variation of their own (MultiPV), at least 1.
    threads : int
        Threads that share the transposition table, 1 to 256.
    table : str or int
        Size of the transposition table in bytes, for example "256M", and of the trees; by default these take 256M.
    history : sequence of State
        States of the game before `state`, the first one first; needed for rules about repetition.
    moves : collection of int
        Search only these root moves. Default: all legal moves.
    selective : bool, int or Selective, optional
        Whether to search promising moves deeper and to reduce and prune the others: stronger play, but scores are not
        the minimax values of their depth. Default: if time is the only limit, in games that declare
        `selective_on_clock` or `confidence_on_clock`.
        Or the confidence in percent of a search by ProbCut: 73, 87, 95, 98, 99, or 100 for an exact one. Or the
        parameters of a selective search.

    Yields
    ------
    Analysis
        The result so far. `reason` is "searching" in all but the last one, which says why the search ended.

    Raises
    ------
    LimitError
        If a limit is out of range or limits exclude each other, or if `moves` are not legal.
    InputError
        If `state` is not a state.
    UnknownGame
        If the game has no evaluation of this name.
    GameError
        If the game breaks the contract or its rules cannot be compiled.
    KeyboardInterrupt
        On Ctrl-C, after all threads have stopped.

    Notes
    -----
    The first search of a game on a machine compiles its rules. This takes some seconds and is reported on stderr.
    So is the computation of the game's small endgame table before the first search of a position in it, unless a depth
    is given. Principal variation search with aspiration windows, see the page "How the engine searches". To keep the
    transposition table between searches, or to choose the algorithm, use an `Engine` or a `MonteCarlo`.

    Examples
    --------
    >>> import zermelo
    >>> for result in zermelo.analysis(zermelo.load("tictactoe").start(), depth=3):
    ...     print(result.depth, result.best, result.score)
    1 b2 +4 open lines
    2 b2 +1 open lines
    3 b2 +3 open lines
    """
    from zermelo.search.default import DefaultSearcher

    _ensure_table(state, depth)
    return DefaultSearcher(table, threads, selective=selective).analysis(
        state,
        depth=depth,
        seconds=seconds,
        nodes=nodes,
        exact=exact,
        evaluation=evaluation,
        lines=lines,
        history=history,
        moves=moves,
    )


def analyse(
    state: State,
    *,
    depth: int | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    exact: bool = False,
    evaluation: str | Evaluation | None = None,
    lines: int = 1,
    threads: int = 1,
    table: str | int = "64M",
    history: Sequence[State] = (),
    moves: Collection[int] = (),
    selective: Selective | bool | int | None = None,
) -> Analysis:
    """Search a state and return the last `Analysis`.

    Parameters, errors and notes are those of `analysis`. Without a limit the search takes at most 5 seconds.

    Returns
    -------
    Analysis
        Best move, score, principal variation and statistics.

    Examples
    --------
    >>> import zermelo
    >>> result = zermelo.analyse(zermelo.load("tictactoe").parse("XX-OO----"))
    >>> result.best, result.score.value, result.score.plies
    ('c1', 1, 1)
    """
    from zermelo.search.default import DefaultSearcher

    _ensure_table(state, depth)
    with DefaultSearcher(table, threads, selective=selective) as engine:
        return engine.analyse(
            state,
            depth=depth,
            seconds=seconds,
            nodes=nodes,
            exact=exact,
            evaluation=evaluation,
            lines=lines,
            history=history,
            moves=moves,
        )


def best_move(
    state: State,
    *,
    depth: int | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    exact: bool = False,
    evaluation: str | Evaluation | None = None,
    threads: int = 1,
    table: str | int = "64M",
    history: Sequence[State] = (),
    moves: Collection[int] = (),
    selective: Selective | bool | int | None = None,
) -> int:
    """Search a state and return its best move, as an int for `state.play`.

    Parameters and errors are those of `analysis`. Without a limit the search takes at most 5 seconds.

    Raises
    ------
    IllegalMove
        If the game is over or chance moves next.

    Examples
    --------
    >>> import zermelo
    >>> state = zermelo.load("tictactoe").parse("XX-OO----")
    >>> state.move_name(zermelo.best_move(state))
    'c1'
    """
    from zermelo.search.default import DefaultSearcher

    _ensure_table(state, depth)
    with DefaultSearcher(table, threads, selective=selective) as engine:
        return engine.best_move(
            state,
            depth=depth,
            seconds=seconds,
            nodes=nodes,
            exact=exact,
            evaluation=evaluation,
            history=history,
            moves=moves,
        )


async def analyse_async(
    state: State,
    *,
    engine: Searcher | None = None,
    depth: int | None = None,
    seconds: float | None = None,
    nodes: int | None = None,
    exact: bool = False,
    evaluation: str | Evaluation | None = None,
    lines: int = 1,
    history: Sequence[State] = (),
    moves: Collection[int] = (),
) -> Analysis:
    """Search a state in a thread while the asyncio event loop goes on; cancelling the task stops the search.

    Parameters not listed here and errors are those of `analysis`. Without a limit the search takes at most 5 seconds.

    Parameters
    ----------
    engine : Engine or MonteCarlo, optional
        The engine to search with. Default: a new one as for `analysis`, with one thread.

    Returns
    -------
    Analysis
        The last analysis.

    Notes
    -----
    When a cancelled call raises `asyncio.CancelledError`, its search has stopped and the engine can be used again.

    Examples
    --------
    >>> import asyncio
    >>> import zermelo
    >>> start = zermelo.load("tictactoe").start()
    >>> asyncio.run(zermelo.analyse_async(start, exact=True)).score.value
    0
    """
    import asyncio

    from zermelo.search.default import DefaultSearcher

    searcher = DefaultSearcher() if engine is None else engine

    def search() -> Analysis:
        if engine is None:
            _ensure_table(state, depth)
        return searcher.analyse(
            state,
            depth=depth,
            seconds=seconds,
            nodes=nodes,
            exact=exact,
            evaluation=evaluation,
            lines=lines,
            history=history,
            moves=moves,
        )

    thread = asyncio.ensure_future(asyncio.to_thread(search))
    try:
        return await asyncio.shield(thread)
    except asyncio.CancelledError:
        # A search that begins clears requests to stop: repeat them until the thread has ended.
        while not thread.done():
            searcher.stop()
            await asyncio.wait([thread], timeout=0.01)
        if not thread.cancelled():
            thread.exception()  # retrieved, so that asyncio does not report it
        raise
    finally:
        if engine is None and thread.done():
            searcher.close()


def _ensure_table(state: State, depth: int | None) -> None:
    """Build the small endgame table of a position before its search; a search to a depth does not use it."""
    if depth is None and getattr(state, "has_index", False):
        from zermelo.solve import endgames

        endgames.ensure(state)


def minimax(
    state: State,
    depth: int | None = None,
    evaluation: str | Evaluation | None = None,
    *,
    order: str | Evaluation | None = None,
    cutoff: Callable[[State, int], bool] | None = None,
    observer: Observer | None = None,
    history: Sequence[State] = (),
    rank_wins: bool | None = None,
    compiled: bool = False,
) -> Result:
    """Compute the minimax value of a state; every state down to the depth is visited.

    Parameters
    ----------
    state : State
        The root.
    depth : int, optional
        Depth in plies, at least 0. Default: to the end of the game.
    evaluation : str or Evaluation, optional
        Evaluation of states at the depth: a name of the game's, "nothing", or an evaluation. Default: the game's
        first. A search to the end of the game needs none, and its values are utilities.
    order : str or Evaluation, optional
        Evaluation by which the children of a state are sorted, best for the mover first. Default: the order in which
        the game's `moves` yields them.
    cutoff : callable, optional
        `cutoff(state, ply)` returns True where the search stops and evaluates, in addition to the depth.
    observer : callable, optional
        Called with an `Event` at each step of the search.
    history : sequence of State
        States of the game before `state`, the first one first; needed for rules about repetition.
    rank_wins : bool, optional
        True: rank every win above every estimate, and nearer wins above later ones. False: a finished game is worth
        its utility, as in the books. Default: True if the search uses an evaluation. Games of chance ignore it.
    compiled : bool
        Run the compiled search, which visits the same states in the same order, many times as fast. It takes no
        `order`, `cutoff` or `observer`, and its result has no line, leaves and cuts.

    Returns
    -------
    Result
        Value, best move, line and statistics.

    Raises
    ------
    LimitError
        If the depth is out of range, or `compiled` is combined with options that it does not take.
    InputError
        If `state` is not a state.

    Notes
    -----
    The page "Scores" describes the scale of values on which wins are ranked.

    References
    ----------
    - C. E. Shannon, "Programming a Computer for Playing Chess", Philosophical Magazine 41, 1950.
    - S. Russell and P. Norvig, Artificial Intelligence: A Modern Approach, 4th edition, figure 5.3.

    Examples
    --------
    >>> import zermelo
    >>> start = zermelo.load("tictactoe").start()
    >>> zermelo.minimax(start, depth=2, evaluation="lines").value
    1
    >>> zermelo.minimax(start, compiled=True).value
    0
    """
    if compiled:
        _check_compiled("minimax", order=order, cutoff=cutoff, observer=observer)
        return _compiled(state, depth, evaluation, "minimax", history, rank_wins)
    from zermelo.search import textbook

    return textbook.minimax(
        state,
        depth,
        evaluation,
        order=order,
        cutoff=cutoff,
        observer=observer,
        history=history,
        rank_wins=rank_wins,
    )


def alphabeta(
    state: State,
    depth: int | None = None,
    evaluation: str | Evaluation | None = None,
    *,
    alpha: int = -INFINITY,
    beta: int = INFINITY,
    variant: str = "fail-soft",
    cut_on_equal: bool = True,
    order: str | Evaluation | None = None,
    cutoff: Callable[[State, int], bool] | None = None,
    observer: Observer | None = None,
    history: Sequence[State] = (),
    rank_wins: bool | None = None,
    compiled: bool = False,
) -> Result:
    """Compute the minimax value by alpha-beta pruning.

    Parameters not listed here are those of `minimax`.

    Parameters
    ----------
    alpha, beta : int
        The window, with alpha < beta. Default: the full window.
    variant : {"fail-soft", "fail-hard", "path"}
        What is returned for a value outside the window: a bound as tight as the search found it (fail-soft), the bound
        of the window itself (fail-hard), or as in the version of Poole and Mackworth that also returns the path.
    cut_on_equal : bool
        Whether a value equal to the bound causes a cutoff, as in AIMA, or only a value beyond it.
    compiled : bool
        As in `minimax`; takes neither a window nor a variant.

    Returns
    -------
    Result
        With V the minimax value and v the value returned: alpha < v < beta implies v = V; v <= alpha implies V <= v;
        v >= beta implies V >= v (fail-soft).

    Raises
    ------
    LimitError
        If the window is empty, the variant is unknown, or the depth is out of range.
    InputError
        If `state` is not a state.

    References
    ----------
    - D. E. Knuth and R. W. Moore, "An Analysis of Alpha-Beta Pruning", Artificial Intelligence 6, 1975.
    - J. P. Fishburn, "Another Optimization of Alpha-Beta Search", SIGART Newsletter 84, 1983 (fail-soft).
    - D. Poole and A. Mackworth, Artificial Intelligence: Foundations of Computational Agents, figure 11.6 (path).

    Examples
    --------
    >>> import zermelo
    >>> zermelo.alphabeta(zermelo.load("tictactoe").start(), compiled=True).nodes
    18297
    """
    if compiled:
        _check_compiled("alphabeta", order=order, cutoff=cutoff, observer=observer)
        if (alpha, beta, variant, cut_on_equal) != (-INFINITY, INFINITY, "fail-soft", True):
            _check_compiled("alphabeta", window_or_variant=True)
        return _compiled(state, depth, evaluation, "alphabeta", history, rank_wins)
    from zermelo.search import textbook

    return textbook.alphabeta(
        state,
        depth,
        evaluation,
        alpha=alpha,
        beta=beta,
        variant=variant,
        cut_on_equal=cut_on_equal,
        order=order,
        cutoff=cutoff,
        observer=observer,
        history=history,
        rank_wins=rank_wins,
    )


def negamax(
    state: State,
    depth: int | None = None,
    evaluation: str | Evaluation | None = None,
    *,
    alpha: int = -INFINITY,
    beta: int = INFINITY,
    prune: bool = True,
    cut_on_equal: bool = True,
    order: str | Evaluation | None = None,
    cutoff: Callable[[State, int], bool] | None = None,
    observer: Observer | None = None,
    history: Sequence[State] = (),
    rank_wins: bool | None = None,
) -> Result:
    """Compute the minimax value in negamax form: the value of a state is the maximum of the negated child values.

    The result's value, the window and the observer's events are from the point of view of the side to move in their
    state. Where one side moves twice in a row, nothing is negated in between. Parameters not listed here are those of
    `alphabeta`.

    Parameters
    ----------
    prune : bool
        Whether to prune as alpha-beta does, or to visit every state as minimax does.

    Returns
    -------
    Result
        `value` is from the point of view of the side to move at the root.

    Raises
    ------
    LimitError
        If the window is empty or the depth is out of range.
    InputError
        If `state` is not a state.

    References
    ----------
    - D. E. Knuth and R. W. Moore, "An Analysis of Alpha-Beta Pruning", Artificial Intelligence 6, 1975.
    """
    from zermelo.search import textbook

    return textbook.negamax(
        state,
        depth,
        evaluation,
        alpha=alpha,
        beta=beta,
        prune=prune,
        cut_on_equal=cut_on_equal,
        order=order,
        cutoff=cutoff,
        observer=observer,
        history=history,
        rank_wins=rank_wins,
    )


def expectiminimax(
    state: State,
    depth: int | None = None,
    evaluation: str | Evaluation | None = None,
    *,
    pruning: str | None = None,
    alpha: int = -INFINITY,
    beta: int = INFINITY,
    bounds: tuple[int, int] | None = None,
    order: str | Evaluation | None = None,
    cutoff: Callable[[State, int], bool] | None = None,
    observer: Observer | None = None,
    history: Sequence[State] = (),
    compiled: bool = False,
) -> Result:
    """Compute the value of a game of chance: minimax for the players, the mean over outcomes for chance.

    Parameters not listed here are those of `minimax`.

    Parameters
    ----------
    pruning : {None, "star1", "star2"}
        None visits every state. Star1 and Star2 find the same value by passing windows through chance nodes.
    alpha, beta : int
        The window, with `pruning` only.
    bounds : tuple of int, optional
        Lowest and highest value of any state, for Star1 and Star2. Default: from the game's `max_utility` and the
        evaluation's `largest_score`.
    compiled : bool
        As in `minimax`; takes neither a window nor `bounds`.

    Returns
    -------
    Result
        `expected` is the expected utility; `value` the same on the integer scale of the search.

    Raises
    ------
    LimitError
        If the pruning is unknown, the window or the bounds are empty, or the depth is out of range.
    InputError
        If `state` is not a state.

    References
    ----------
    - D. Michie, "Game-Playing and Game-Learning Automata", 1966.
    - B. W. Ballard, "The `*`-Minimax Search Procedure for Trees Containing Chance Nodes", AI 21, 1983.
    - T. Hauk, M. Buro, J. Schaeffer, "Rediscovering `*`-Minimax Search", Computers and Games, 2004.
    """
    if compiled:
        _check_compiled("expectiminimax", order=order, cutoff=cutoff, observer=observer, bounds=bounds)
        if (alpha, beta) != (-INFINITY, INFINITY):
            _check_compiled("expectiminimax", window=True)
        if pruning not in (None, "star1", "star2"):
            from zermelo.errors import LimitError

            raise LimitError(f"unknown pruning {pruning!r}; expected star1, star2 or None")
        return _compiled(state, depth, evaluation, pruning or "expectiminimax", history)
    from zermelo.search import textbook

    return textbook.expectiminimax(
        state,
        depth,
        evaluation,
        pruning=pruning,
        alpha=alpha,
        beta=beta,
        bounds=bounds,
        order=order,
        cutoff=cutoff,
        observer=observer,
        history=history,
    )


def _check_compiled(algorithm: str, **given: object) -> None:
    """Refuse options that a compiled textbook search does not take."""
    names = [name.replace("_", " ") for name, value in given.items() if value is not None]
    if names:
        from zermelo.errors import LimitError

        raise LimitError(f"{algorithm}(compiled=True) does not support {' or '.join(names)}")


def _compiled(
    state: State,
    depth: int | None,
    evaluation: str | Evaluation | None,
    algorithm: str,
    history: Sequence[State],
    rank_wins: bool | None = None,
) -> Result:
    from zermelo.search.compiled_textbook import compiled_textbook

    return compiled_textbook(state, depth, evaluation, algorithm, history, rank_wins=rank_wins)


def perft(state: State, depth: int, *, bulk: bool = True) -> int:
    """Count the sequences of `depth` legal moves from a state: the standard test of move generators.

    Parameters
    ----------
    state : State
        The root.
    depth : int
        Number of moves, 0 to 250.
    bulk : bool
        Count the last move of each sequence without playing it. The result is the same.

    Returns
    -------
    int
        Number of sequences. Games that end earlier count as the game's class declares
        (`perft_counts_finished_games`).

    Raises
    ------
    LimitError
        If the depth is out of range.
    InputError
        If `state` is not a state.

    References
    ----------
    - https://www.chessprogramming.org/Perft

    Examples
    --------
    >>> import zermelo
    >>> zermelo.perft(zermelo.load("chess").start(), 4)
    197281
    """
    from zermelo.search import compiled_textbook

    return compiled_textbook.perft(state, depth, bulk)
