"""Minimax and alpha-beta in plain Python, as textbooks print them: the reference for the compiled search.

One recursive function serves all algorithms. They differ in whether they use a window, and in what they return for a
value outside it:

    ==============  ========================================================================================
    MINIMAX         no window: visits every state down to the depth [1]_, [2]_ (fig. 5.3)
    FAIL_SOFT       alpha-beta as Max-Value and Min-Value with the best value so far [2]_ (fig. 5.7), [4]_:
                    a value outside the window is a bound on the minimax value
    FAIL_HARD       alpha-beta that returns alpha or beta itself for a value outside the window [3]_. Leaves
                    return their own value
    PATH            alpha-beta that also returns the path [5]_ (fig. 11.6): alpha and no path if no child is
                    better than alpha, no path after a cutoff
    ==============  ========================================================================================

`negamax` is the same search with all values from the point of view of the side to move. The value of a chance node is
the weighted mean of its outcomes, each searched with the full window (expectiminimax), rounded to an integer on the
fine scale of `zermelo.search.scores`. `expectiminimax` can also pass windows through chance nodes:

    ==============  ========================================================================================
    STAR1           An outcome's window excludes the values that put the mean outside the node's window,
                    whatever the outcomes not yet searched are worth within the bounds of all values [6]_
    STAR2           Before that, one move of each outcome is searched (probed). It gives a lower bound where
                    MAX moves and an upper bound where MIN moves, which narrows all windows [6]_, [7]_
    ==============  ========================================================================================

Alpha-beta can be enhanced (`zermelo.search.enhancements`) by null windows (principal variation search), iterative
deepening with aspiration windows, a transposition table, killer moves and quiescence search.

An observer, if given, is called with an `Event` at each step.

References
----------
.. [1] C. E. Shannon, "Programming a Computer for Playing Chess", Philosophical Magazine 41, 1950.
.. [2] S. Russell and P. Norvig, Artificial Intelligence: A Modern Approach (AIMA), 4th edition, 2020.
.. [3] D. E. Knuth and R. W. Moore, "An Analysis of Alpha-Beta Pruning", Artificial Intelligence 6, 1975.
.. [4] J. P. Fishburn, "Another Optimization of Alpha-Beta Search", SIGART Newsletter 84, 1983.
.. [5] D. Poole and A. Mackworth, Artificial Intelligence: Foundations of Computational Agents.
.. [6] B. W. Ballard, "The *-Minimax Search Procedure for Trees Containing Chance Nodes", Artificial Intelligence 21,
   1983.
.. [7] T. Hauk, M. Buro and J. Schaeffer, "Rediscovering *-Minimax Search", Computers and Games, 2004.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import NamedTuple

from zermelo.core.evaluation import (
    Evaluation,
    Nothing,
    checked_score,
    resolve_evaluation,
    rounded_div,
    search_evaluation,
)
from zermelo.core.game import CHANCE, MAX, MIN, State
from zermelo.core.history import PositionHistory, check_history, has_history_rules, utility_by_rule
from zermelo.core.validation import as_game_error, check_state, validate_root
from zermelo.errors import LimitError, ZermeloError
from zermelo.search.enhancements import LOWER, UPPER, Enhancements, KillerMoves, TranspositionTable
from zermelo.search.scores import (
    Scale,
    bound_of,
    expected_of,
    finished_score,
    grain_of,
    least_share,
    least_total,
    most_total,
    plain,
    ranked,
)

#: End of the full window, larger than every value. An integer, because all scores are.
INFINITY = 1 << 62

MINIMAX, FAIL_SOFT, FAIL_HARD, PATH = "minimax", "fail-soft", "fail-hard", "path"
STAR1, STAR2 = "star1", "star2"
PLAIN_ALPHABETA = Enhancements()
#: Quiescence search ends at this depth below the horizon, so that it ends in every game.
MAX_QUIESCENCE_PLIES = 32


class Event(NamedTuple):
    """One step of a search. Values and bounds are from MAX's point of view; in `negamax`, from the mover's.

    Attributes
    ----------
    kind : str
        In the order in which the events of one state come:

        - `enter`: the search visits the state with the window (alpha, beta);
        - `leaf`: the state has no children in the search. `value` is its utility or, if `is_cutoff`, its evaluation;
        - `value`: the child reached by `move` has returned `value`;
        - `bound`: this value has raised alpha (at MAX) or lowered beta (at MIN) to the bounds given;
        - `cut`: cutoff. `value` reached the opposite bound, so the moves in `skipped` are not searched. At a chance
          node (Star1, Star2) `value` is a bound on the mean that lies outside the window;
        - `probe`: only the first move of the child reached by `move` will be searched (Star2);
        - `leave`: the state returns `value`; `move` is the best move found or None.

        With enhancements also:

        - `iteration`: at the root, the iteration to `depth` begins with the window (alpha, beta);
        - `widen`: at the root, `value` is outside the aspiration window, and the search is repeated with (alpha, beta);
        - `table-hit`: the state returns the `value` of the transposition table, of the kind `bound`;
        - `table-move`, `killer`: `move` is tried first because it is the table's best move, or a killer move;
        - `stand-pat`: at the depth limit, `value` is the evaluation, a bound for the side to move (quiescence search);
        - `null-window`: the child reached by `move` will be searched with the null window (alpha, beta);
        - `re-search`: it returned `value`, inside the window (alpha, beta), and will be searched again with that;
        - `store`: `value`, of the kind `bound`, is stored in the transposition table with the best move `move`.
    node : int
        Number of the state in the order of visits; the root is 0.
    parent : int
        Number of the parent state in `enter`, `leaf` and `leave` events; -1 for the root.
    ply : int
        Distance from the root in plies.
    state : State
    player : int
        The side to move: MAX, MIN, or CHANCE (also for finished games).
    alpha, beta : int
        The current window.
    value : int or None
    move : int or None
    skipped : tuple of int
        The moves that a cutoff skips, never empty in a `cut`.
    is_cutoff : bool
        Whether a leaf is an unfinished game that was evaluated.
    bound : str
        What `value` is in `table-hit` and `store`: "exact", "lower bound" or "upper bound" from the same point of view.
    depth : int or None
        The depth of an `iteration`.
    """

    kind: str
    node: int
    parent: int
    ply: int
    state: State
    player: int
    alpha: int
    beta: int
    value: int | None = None
    move: int | None = None
    skipped: tuple[int, ...] = ()
    is_cutoff: bool = False
    bound: str = ""
    depth: int | None = None


Observer = Callable[[Event], None]


@dataclass(frozen=True)
class Result:
    """Result of a textbook search.

    Attributes
    ----------
    value : int
        Value of the root for MAX (from `negamax`: for the side to move), on the scale of the search.
    best : int or None
        Best move at the root.
    line : tuple of int
        Principal variation; empty if the algorithm returns no path.
    nodes : int
        States visited, including the root.
    leaves : int
        States visited whose children were not searched: finished games and evaluated states.
    cuts : int
        Number of cutoffs that skipped at least one move.
    seconds : float
        Wall-clock time.
    expected : float or None
        Games of chance: the expected utility that `value` stands for. None in other games.
    is_rounded : bool
        Whether the mean of a chance node was rounded.
    """

    value: int
    best: int | None
    line: tuple[int, ...]
    nodes: int
    leaves: int
    cuts: int
    seconds: float
    expected: float | None = None
    is_rounded: bool = False


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
) -> Result:
    """Compute the minimax value of a state by visiting every state down to the depth.

    Parameters, result and errors are those of `zermelo.minimax`.

    Notes
    -----
    A state below the root where a player may claim a draw is worth 0. `history` is needed for draws by repetition.

    References
    ----------
    C. E. Shannon, "Programming a Computer for Playing Chess", Philosophical Magazine 41, 1950.
    S. Russell and P. Norvig, Artificial Intelligence: A Modern Approach, 4th edition, fig. 5.3.

    Examples
    --------
    >>> from zermelo.games.tictactoe import TicTacToe
    >>> minimax(TicTacToe.start(), depth=2, evaluation="lines").value
    1
    """
    search = _Search(state, depth, evaluation, order, cutoff, observer, MINIMAX, history=history, rank_wins=rank_wins)
    return search.run(-INFINITY, INFINITY)


def alphabeta(
    state: State,
    depth: int | None = None,
    evaluation: str | Evaluation | None = None,
    *,
    alpha: int = -INFINITY,
    beta: int = INFINITY,
    variant: str = FAIL_SOFT,
    cut_on_equal: bool = True,
    order: str | Evaluation | None = None,
    cutoff: Callable[[State, int], bool] | None = None,
    observer: Observer | None = None,
    history: Sequence[State] = (),
    rank_wins: bool | None = None,
    enhancements: Enhancements = PLAIN_ALPHABETA,
) -> Result:
    """Compute the minimax value by alpha-beta pruning.

    Parameters, result and errors are those of `zermelo.alphabeta`; `enhancements` are not for the variant `PATH`, and
    their counts are the sums over all iterations.

    Notes
    -----
    With V the minimax value and v the value returned: alpha < v < beta implies v = V; v <= alpha implies V <= v;
    v >= beta implies V >= v (fail-soft). Fail-hard returns alpha or beta itself in the latter two cases.

    References
    ----------
    D. E. Knuth and R. W. Moore, "An Analysis of Alpha-Beta Pruning", Artificial Intelligence 6, 1975.
    J. P. Fishburn, "Another Optimization of Alpha-Beta Search", SIGART Newsletter 84, 1983 (fail-soft).
    D. Poole and A. Mackworth, Artificial Intelligence: Foundations of Computational Agents, fig. 11.6 (path).
    """
    if variant not in (FAIL_SOFT, FAIL_HARD, PATH):
        raise LimitError(f"unknown variant {variant!r}; expected {FAIL_SOFT}, {FAIL_HARD} or {PATH}")
    _check_window(alpha, beta)
    search = _Search(
        state, depth, evaluation, order, cutoff, observer, variant, cut_on_equal, history=history, rank_wins=rank_wins
    )
    search.enhance(enhancements)
    return search.run(alpha, beta)


def expectiminimax(
    state: State,
    depth: int | None = None,
    evaluation: str | Evaluation | None = None,
    *,
    pruning: str | None = None,
    alpha: int = -INFINITY,
    beta: int = INFINITY,
    bounds: tuple[int, int] | None = None,
    exact_means: bool = False,
    order: str | Evaluation | None = None,
    cutoff: Callable[[State, int], bool] | None = None,
    observer: Observer | None = None,
    history: Sequence[State] = (),
) -> Result:
    """Compute the value of a game of chance: minimax for the players, the mean over outcomes for chance.

    Parameters, result and errors are those of `zermelo.expectiminimax`. With `exact_means`, the windows of Star1 and
    Star2 are those of Ballard's formulas, without a margin for rounding; all scores and bounds must then be such that
    no mean and no window needs to be rounded.

    Notes
    -----
    Star1 and Star2 compute the same value as the search without pruning; outside the window their values are bounds,
    as in fail-soft alpha-beta. Both need bounds on the value of any state. By default these are plus and minus the
    larger of the game's `max_utility` and the evaluation's `largest_score`, on the scale of the search.

    References
    ----------
    D. Michie, "Game-Playing and Game-Learning Automata", 1966.
    B. W. Ballard, "The *-Minimax Search Procedure for Trees Containing Chance Nodes", Artificial Intelligence 21, 1983.
    T. Hauk, M. Buro and J. Schaeffer, "Rediscovering *-Minimax Search", Computers and Games, 2004.
    """
    if pruning not in (None, STAR1, STAR2):
        raise LimitError(f"unknown pruning {pruning!r}; expected {STAR1}, {STAR2} or None")
    _check_window(alpha, beta)
    if pruning is None:
        if (alpha, beta) != (-INFINITY, INFINITY):
            raise LimitError(
                f"alpha and beta need pruning={STAR1!r} or pruning={STAR2!r}; the search without pruning uses no window"
            )
        return minimax(state, depth, evaluation, order=order, cutoff=cutoff, observer=observer, history=history)
    search = _Search(state, depth, evaluation, order, cutoff, observer, FAIL_SOFT, history=history)
    search.pruning, search.exact_means = pruning, exact_means
    if bounds is not None:
        if bounds[0] > bounds[1]:
            raise LimitError(f"the bounds {bounds} are empty: the lower bound must not be above the upper bound")
        search.bounds = bounds
    return search.run(alpha, beta)


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
    enhancements: Enhancements = PLAIN_ALPHABETA,
) -> Result:
    """Compute the minimax value in negamax form: value(s) is the maximum of -value(child) over all moves.

    Parameters, result and errors are those of `zermelo.negamax`; `enhancements` are for the search that prunes.

    Notes
    -----
    The value, the window and the observer's events are from the point of view of the side to move in their state. Where
    one side moves twice in a row, nothing is negated in between.

    References
    ----------
    D. E. Knuth and R. W. Moore, "An Analysis of Alpha-Beta Pruning", Artificial Intelligence 6, 1975.
    """
    _check_window(alpha, beta)
    check_state(state)
    sign = _sign(state)
    variant = FAIL_SOFT if prune else MINIMAX
    search = _Search(
        state,
        depth,
        evaluation,
        order,
        cutoff,
        observer,
        variant,
        cut_on_equal,
        relative=True,
        history=history,
        rank_wins=rank_wins,
    )
    search.enhance(enhancements)
    result = search.run(alpha, beta) if sign == 1 else search.run(-beta, -alpha)
    expected = None if result.expected is None else sign * result.expected
    return replace(result, value=sign * result.value, expected=expected)


def search_scale(state: State, evaluation: Evaluation | None, rank_wins: bool | None) -> Scale:
    """Choose the scale of a textbook search.

    Parameters
    ----------
    state : State
        The root.
    evaluation : Evaluation or None
        Evaluation of the leaves.
    rank_wins : bool or None
        Whether wins rank above all evaluations; None: if there is an evaluation. Games of chance ignore it.

    Returns
    -------
    Scale
        The ranked scale, or the plain scale of utilities. In games of chance the fine scale.
    """
    if rank_wins is None:
        rank_wins = evaluation is not None
    return ranked(state, evaluation) if rank_wins or state.has_chance else plain(state)


def _check_window(alpha: int, beta: int) -> None:
    """Raise `LimitError` if no value lies between alpha and beta."""
    if alpha >= beta:
        raise LimitError(f"the window ({alpha}, {beta}) is empty: alpha must be below beta")


def _sign(state: State) -> int:
    """Return -1 if MIN is to move, else 1."""
    return -1 if not state.is_over() and state.to_move() == MIN else 1


class _Search:
    """One search: its settings, its counters and the recursive function."""

    def __init__(
        self,
        state: State,
        depth: int | None,
        evaluation: str | Evaluation | None,
        order: str | Evaluation | None,
        cutoff: Callable[[State, int], bool] | None,
        observer: Observer | None,
        variant: str,
        cut_on_equal: bool = True,
        relative: bool = False,
        history: Sequence[State] = (),
        rank_wins: bool | None = None,
    ) -> None:
        check_state(state)
        if depth is not None and depth < 0:
            raise LimitError(f"depth must be at least 0 (got {depth})")
        check_history(history, state)
        self.root = state
        self.has_history_rules = has_history_rules(state)
        self.history = PositionHistory(history if self.has_history_rules else ())
        self.depth = INFINITY if depth is None else depth
        resolved = search_evaluation(state, evaluation, depth is not None or cutoff is not None)
        self.evaluation: Evaluation = Nothing() if resolved is None else resolved
        self.scale: Scale = search_scale(state, resolved, rank_wins)
        self.grain = grain_of(self.scale, self.evaluation) if state.has_chance else 1
        bound = bound_of(state, self.scale, self.evaluation)
        self.bounds = (-bound, bound)
        self.pruning: str | None = None
        self.exact_means = False
        self.is_rounded = False
        self.is_partly_searched = False  # whether the last call of `visit` was a probe that left moves out
        self.order = None if order is None else resolve_evaluation(state, order)
        self.cutoff = cutoff
        self.observer = observer
        self.variant = variant
        self.cut_on_equal = cut_on_equal
        self.relative = relative
        self.nodes = self.leaves = self.cuts = 0
        self.callback_error: Exception | None = None  # raised by `observer` or `cutoff`: not a GameError
        self.enhance(PLAIN_ALPHABETA)

    def enhance(self, enhancements: Enhancements) -> None:
        """Set the enhancements of the search. Raises `LimitError` if they are not for this search."""
        if self.variant in (MINIMAX, PATH) and enhancements != PLAIN_ALPHABETA:
            raise LimitError(f"enhancements cannot be combined with {self.variant}")
        self.enhancements = enhancements
        self.null_windows = enhancements.null_windows
        self.quiescence = enhancements.quiescence and self.root.has_tactical_moves
        self.table: TranspositionTable | None = None
        self.killers: KillerMoves | None = None
        self.is_enhanced = self.quiescence or enhancements.table or enhancements.killers
        if enhancements.table:
            self.table = TranspositionTable(self.root, enhancements, self.has_history_rules, self.scale.step != 0)
        if enhancements.killers:
            self.killers = KillerMoves(enhancements.move_key)
        if self.depth == INFINITY and enhancements.iterative_deepening:
            raise LimitError("iterative deepening needs a depth limit")

    def run(self, alpha: int, beta: int) -> Result:
        """Search the root with a window."""
        validate_root(self.root, self.evaluation)
        started = time.perf_counter()
        with _raised_recursion_limit():
            try:
                if self.enhancements.iterative_deepening:
                    value, line = self.deepen(alpha, beta)
                else:
                    value, line = self.visit(self.root, 0, -1, alpha, beta)
            except ZermeloError:
                raise
            except Exception as error:
                if error is self.callback_error:
                    raise
                raise as_game_error(error, self.root) from error
        seconds = time.perf_counter() - started
        if self.variant == FAIL_HARD:
            value = max(alpha, min(value, beta))  # a root that is a leaf returns its own value
        return Result(
            value,
            line[0] if line else None,
            line,
            self.nodes,
            self.leaves,
            self.cuts,
            seconds,
            expected_of(self.root, value, self.scale),
            self.is_rounded,
        )

    def deepen(self, alpha: int, beta: int) -> tuple[int, tuple[int, ...]]:
        """Search the root to depth 1, 2, ..., with an aspiration window if wanted. Returns the last value and line."""
        root, last, width = self.root, self.depth, self.enhancements.aspiration
        player = CHANCE if root.is_over() else root.to_move()
        value: int | None = None
        line: tuple[int, ...] = ()
        for depth in range(min(1, last), last + 1):
            self.depth = depth
            low, high = alpha, beta
            if width and value is not None:
                low, high = max(alpha, value - width), min(beta, value + width)
                if low >= high:  # the value of the last iteration is outside the root window
                    low, high = alpha, beta
            self._notify("iteration", self.nodes, -1, 0, root, player, low, high, depth=depth)
            value, line = self.visit(root, 0, -1, low, high)
            while (value <= low and low > alpha) or (value >= high and high < beta):
                low, high = (alpha, high) if value <= low else (low, beta)
                self._notify("widen", self.nodes, -1, 0, root, player, low, high, value)
                value, line = self.visit(root, 0, -1, low, high)
        assert value is not None
        return value, line

    def visit(
        self, state: State, ply: int, parent: int, alpha: int, beta: int, is_probe: bool = False
    ) -> tuple[int, tuple[int, ...]]:
        """Search a state. Returns its value and the principal variation."""
        node = self.nodes
        self.nodes += 1
        is_over = state.is_over()
        # The history is kept where a rule needs it, and events are made where they are observed: both cost more than
        # all else that a node of a small game does.
        has_history_rules, is_observed = self.has_history_rules, self.observer is not None
        by_rule = utility_by_rule(state, self.history.push(state)) if has_history_rules else None
        utility = state.utility() if is_over else by_rule if ply > 0 else None
        is_over = utility is not None
        player = CHANCE if is_over else state.to_move()
        if is_observed:
            self._notify("enter", node, parent, ply, state, player, alpha, beta)

        # Leaf: finished game, claimable draw, depth limit or cutoff test.
        is_horizon = ply >= self.depth
        if is_horizon and self.quiescence and not is_over:
            is_horizon = self._is_quiet(state, ply)
        if is_over or is_horizon or (self.cutoff and self._is_cut_off(state, ply)):
            return self._leaf(state, node, parent, ply, player, alpha, beta, utility), ()
        if player == CHANCE:
            return self._chance_node(state, node, parent, ply, alpha, beta), ()

        # Maximum over the children for MAX, minimum for MIN; the first of equal moves is kept.
        original_alpha, original_beta = alpha, beta
        value = -INFINITY if player == MAX else INFINITY
        line: tuple[int, ...] = ()
        is_partly_searched = False
        moves = self._ordered(state, player)
        table_key: Hashable = None
        if self.is_enhanced:
            if ply >= self.depth:  # quiescence search
                moves, value, alpha, beta = self._stand_pat(state, moves, node, ply, player, alpha, beta)
            else:
                known, moves, table_key = self._remembered(state, moves, node, parent, ply, player, alpha, beta)
                if known is not None:
                    if has_history_rules:
                        self.history.pop()
                    return known, ()
        for index, move in enumerate(moves):
            if is_probe and index == 1:
                is_partly_searched = True
                break
            child = state.play(move)
            if self.null_windows and index > 0 and beta - alpha > 1 and ply < self.depth:
                score, child_line = self._null_window_search(state, child, move, node, ply, player, alpha, beta)
            else:
                score, child_line = self.visit(child, ply + 1, node, alpha, beta)
            if is_observed:
                self._notify("value", node, parent, ply, state, player, alpha, beta, score, move)
            if score > value if player == MAX else score < value:
                value, line = score, (move, *child_line)
            if self.variant == MINIMAX:
                continue
            # Beta cutoff at MAX, alpha cutoff at MIN.
            if self._reaches(score, beta) if player == MAX else self._reaches(-score, -alpha):
                skipped = tuple(moves[index + 1 :])
                if self.killers is not None and ply < self.depth:
                    self.killers.add(state, move, ply)
                if skipped:
                    self.cuts += 1
                    if is_observed:
                        self._notify("cut", node, parent, ply, state, player, alpha, beta, score, move, skipped)
                break
            if score > alpha if player == MAX else score < beta:
                alpha, beta = (score, beta) if player == MAX else (alpha, score)
                if is_observed:
                    self._notify("bound", node, parent, ply, state, player, alpha, beta, score, move)

        if has_history_rules:
            self.history.pop()
        self.is_partly_searched = is_partly_searched
        value, line = self._returned(value, line, player, original_alpha, original_beta)
        best = line[0] if line else None
        if self.table is not None and ply < self.depth and best is not None:
            bound = self.table.store(table_key, self._remaining(ply), value, original_alpha, original_beta, best)
            self._notify("store", node, parent, ply, state, player, alpha, beta, value, best, bound=bound)
        if is_observed:
            self._notify("leave", node, parent, ply, state, player, alpha, beta, value, best)
        return value, line

    # ---- enhancements -----------------------------------------------------------------------------------------

    def _is_quiet(self, state: State, ply: int) -> bool:
        """Whether quiescence search evaluates a state at or below the depth limit instead of searching its moves."""
        if state.to_move() == CHANCE or ply >= self.depth + MAX_QUIESCENCE_PLIES:
            return True
        return not self._is_in_check(state) and not any(map(state.is_tactical, state.moves()))

    def _is_in_check(self, state: State) -> bool:
        return state.has_in_check and bool(state.in_check())

    def _stand_pat(
        self, state: State, moves: list[int], node: int, ply: int, player: int, alpha: int, beta: int
    ) -> tuple[list[int], int, int, int]:
        """Return the moves that quiescence search tries, the value that is certain without any of them, and the window.

        In check these are all moves, and no value is certain. After a cutoff there are no moves.
        """
        if self._is_in_check(state):
            return moves, -INFINITY if player == MAX else INFINITY, alpha, beta
        value = self._leaf_value(state, ply, None)
        self._notify("stand-pat", node, -1, ply, state, player, alpha, beta, value)
        tactical = [move for move in moves if state.is_tactical(move)]
        if self._reaches(value, beta) if player == MAX else self._reaches(-value, -alpha):
            self.cuts += 1
            self._notify("cut", node, -1, ply, state, player, alpha, beta, value, None, tuple(tactical))
            tactical = []
        return tactical, value, *((max(alpha, value), beta) if player == MAX else (alpha, min(beta, value)))

    def _remembered(
        self, state: State, moves: list[int], node: int, parent: int, ply: int, player: int, alpha: int, beta: int
    ) -> tuple[int | None, list[int], Hashable]:
        """Use the transposition table and the killer moves.

        Returns the value in the table if it suffices, the moves with those to try first in front, and the table's key.
        """
        first: list[tuple[int, str]] = []
        key: Hashable = None
        if self.table is not None:
            key = self.table.key_of(state, ply)
            entry = self.table.entry(key)
            if entry is not None:
                if self.table.suffices(entry, self._remaining(ply), alpha, beta):
                    value, bound = entry.value, entry.bound
                    self._notify("table-hit", node, parent, ply, state, player, alpha, beta, value, bound=bound)
                    return value, moves, key
                first.append((entry.move, "table-move"))
        if self.killers is not None:
            first += [(move, "killer") for move in self.killers.first(state, moves, ply)]
        ordered: list[int] = []
        for move, kind in first:
            if move not in ordered:
                rest = [other for other in moves if other not in ordered]
                ordered.append(move)
                if move != rest[0]:
                    self._notify(kind, node, parent, ply, state, player, alpha, beta, None, move)
        return None, [*ordered, *(move for move in moves if move not in ordered)], key

    def _remaining(self, ply: int) -> int:
        """The remaining depth at a ply."""
        return INFINITY if self.depth == INFINITY else self.depth - ply

    def _null_window_search(
        self, state: State, child: State, move: int, node: int, ply: int, player: int, alpha: int, beta: int
    ) -> tuple[int, tuple[int, ...]]:
        """Search a child with a null window, and with the whole one if it is better than the best before it."""
        low, high = (alpha, alpha + 1) if player == MAX else (beta - 1, beta)
        self._notify("null-window", node, -1, ply, state, player, low, high, None, move)
        score, line = self.visit(child, ply + 1, node, low, high)
        if alpha < score < beta:
            self._notify("re-search", node, -1, ply, state, player, alpha, beta, score, move)
            return self.visit(child, ply + 1, node, alpha, beta)
        return score, line

    # ---- parts of all searches --------------------------------------------------------------------------------

    def _is_cut_off(self, state: State, ply: int) -> bool:
        """Apply the caller's cutoff test."""
        try:
            return self.cutoff(state, ply)  # type: ignore[misc]
        except Exception as error:
            self.callback_error = error
            raise

    def _leaf(
        self, state: State, node: int, parent: int, ply: int, player: int, alpha: int, beta: int, utility: int | None
    ) -> int:
        """Leave a leaf: return its value."""
        if self.has_history_rules:
            self.history.pop()
        self.leaves += 1
        value = self._leaf_value(state, ply, utility)
        if self.observer is not None:
            is_cutoff = utility is None
            self._notify("leaf", node, parent, ply, state, player, alpha, beta, value, is_cutoff=is_cutoff)
        return value

    def _leaf_value(self, state: State, ply: int, utility: int | None) -> int:
        """Return the score of a result, by the end of the game or by rule, or the evaluation of an unfinished state."""
        if utility is not None:
            return finished_score(utility, ply, *self.scale)
        return checked_score(self.evaluation, state) * self.grain

    def _chance_node(self, state: State, node: int, parent: int, ply: int, alpha: int, beta: int) -> int:
        """Search a chance node and leave it: return its value."""
        value = self._chance_value(state, node, ply, alpha, beta)
        if self.has_history_rules:
            self.history.pop()
        self._notify("leave", node, parent, ply, state, CHANCE, alpha, beta, value)
        return value

    def _chance_value(self, state: State, node: int, ply: int, alpha: int, beta: int) -> int:
        """Return the weighted mean of a chance node's outcomes."""
        if self.pruning is not None:
            return self._star_value(state, node, ply, alpha, beta)
        total = weights = 0
        for move, weight in state.outcomes():
            score, _ = self.visit(state.play(move), ply + 1, node, -INFINITY, INFINITY)
            self._notify("value", node, -1, ply, state, CHANCE, -INFINITY, INFINITY, score, move)
            total += weight * score
            weights += weight
        return self._rounded(total, weights)

    def _rounded(self, total: int, weights: int) -> int:
        """Divide a weighted total and remember whether the mean was rounded."""
        self.is_rounded = self.is_rounded or total % weights != 0
        return rounded_div(total, weights)

    def _star_value(self, state: State, node: int, ply: int, alpha: int, beta: int) -> int:
        """Search a chance node by Star1 or Star2: return the mean, or a bound on it outside the window.

        Each outcome's value lies in an interval, at first `self.bounds`. Weighted and summed, the intervals bound the
        total: `lower` <= total <= `upper`. An outcome's window holds the values for which the mean can still lie inside
        (alpha, beta), given the intervals of the other outcomes.
        """
        lowest, highest = self.bounds
        outcomes = list(state.outcomes())
        weights = sum(weight for _, weight in outcomes)
        intervals = [(lowest, highest)] * len(outcomes)
        unsearched = {move for move, _ in outcomes}
        lower, upper = lowest * weights, highest * weights
        # Totals outside the window, and how far an outcome's window reaches over the interval of its value.
        fail_high, fail_low, margin = least_total(beta, weights), most_total(alpha, weights), 1
        if self.exact_means:
            fail_high, fail_low, margin = beta * weights, alpha * weights, 0
        has_leaf_children = ply + 1 >= self.depth
        for probing in (False,) if self.pruning == STAR1 or has_leaf_children else (True, False):
            for index, (move, weight) in enumerate(outcomes):
                if lower >= fail_high or upper <= fail_low:
                    break
                child = state.play(move)
                mover = MAX if child.is_over() else child.to_move()
                low, high = intervals[index]
                is_probe = probing and not child.is_over()
                if not probing and low == high:
                    continue
                if is_probe and not ((mover == MAX and beta < highest) or (mover == MIN and alpha > lowest)):
                    continue
                child_alpha = max((fail_low - (upper - weight * high)) // weight, low - margin)
                child_beta = min(least_share(fail_high - (lower - weight * low), weight), high + margin)
                if is_probe:
                    self._notify("probe", node, -1, ply, state, CHANCE, child_alpha, child_beta, None, move)
                else:
                    unsearched.discard(move)
                self.is_partly_searched = False
                score, _ = self.visit(child, ply + 1, node, child_alpha, child_beta, is_probe)
                # A probe's value is only a lower bound where MAX moves and an upper bound where MIN moves.
                is_partial = is_probe and self.is_partly_searched
                if score > child_alpha and not (is_partial and mover == MIN):
                    low = score
                if score < child_beta and not (is_partial and mover == MAX):
                    high = score
                lower += weight * (low - intervals[index][0])
                upper -= weight * (intervals[index][1] - high)
                intervals[index] = low, high
                self._notify("value", node, -1, ply, state, CHANCE, alpha, beta, score, move)
            if lower >= fail_high or upper <= fail_low:
                break
        value = self._rounded(upper if upper <= fail_low else lower, weights)
        skipped = tuple(
            move
            for (move, _), (low, high) in zip(outcomes, intervals, strict=True)
            if move in unsearched and low < high
        )
        if skipped:
            self.cuts += 1
            self._notify("cut", node, -1, ply, state, CHANCE, alpha, beta, value, None, skipped)
        return value

    def _ordered(self, state: State, player: int) -> list[int]:
        """List the moves in the order of the search."""
        moves = list(state.moves())
        if self.order is not None:
            scale = ranked(state, self.order)
            grain = grain_of(scale, self.order) if state.has_chance else 1

            def child_score(move: int) -> int:
                child = state.play(move)
                if child.is_over():
                    return player * finished_score(child.utility(), 1, *scale)
                return player * grain * int(self.order.score(child))  # type: ignore[union-attr]

            moves.sort(key=child_score, reverse=True)  # stable: equal moves keep the game's order
        return moves

    def _reaches(self, score: int, bound: int) -> bool:
        """Return whether a score causes a cutoff; both numbers from the mover's point of view."""
        return score >= bound if self.cut_on_equal else score > bound

    def _returned(
        self, value: int, line: tuple[int, ...], player: int, alpha: int, beta: int
    ) -> tuple[int, tuple[int, ...]]:
        """Return the value and line that the variant returns, given the original window."""
        if self.variant == FAIL_HARD:
            return max(alpha, min(value, beta)), line
        if self.variant == PATH:
            own_bound, cut_bound = (alpha, beta) if player == MAX else (beta, alpha)
            failed_low = value <= own_bound if player == MAX else value >= own_bound
            cut = self._reaches(value, cut_bound) if player == MAX else self._reaches(-value, -cut_bound)
            return (own_bound, ()) if failed_low else (value, () if cut else line)
        return value, line

    def _notify(
        self,
        kind: str,
        node: int,
        parent: int,
        ply: int,
        state: State,
        player: int,
        alpha: int,
        beta: int,
        value: int | None = None,
        move: int | None = None,
        skipped: tuple[int, ...] = (),
        is_cutoff: bool = False,
        bound: str = "",
        depth: int | None = None,
    ) -> None:
        """Call the observer with an event."""
        if self.observer is None:
            return
        if self.relative and player == MIN:
            alpha, beta = -beta, -alpha
            value = None if value is None else -value
            bound = {LOWER: UPPER, UPPER: LOWER}.get(bound, bound)
        try:
            self.observer(
                Event(
                    kind, node, parent, ply, state, player, alpha, beta, value, move, skipped, is_cutoff, bound, depth
                )
            )
        except Exception as error:
            self.callback_error = error
            raise


@contextmanager
def _raised_recursion_limit() -> Iterator[None]:
    """Allow deeper recursion than Python's default of 1,000 calls: games can be longer."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 200_000))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)
