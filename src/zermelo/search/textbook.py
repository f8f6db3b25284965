"""Minimax and alpha-beta as the books print them: plain, traced, and the reference for the compiled search.

One walk serves all the algorithms; they differ in whether a window is used and in what is returned when the value
lies outside of it:

    ==============  =========================================================================================
    MINIMAX         no window; every state to the depth (Shannon 1950; Russell and Norvig, AIMA, fig. 5.3)
    FAIL_SOFT       alpha-beta as Max-Value and Min-Value with the best value seen so far (AIMA, fig. 5.7;
                    Fishburn 1983): a value outside the window is a bound on the true one
    FAIL_HARD       alpha-beta that returns the bound itself, alpha or beta, but for leaves, which are worth what they
                    are worth (Knuth and Moore 1975)
    PATH            the variant that returns the path too (Poole and Mackworth, Artificial Intelligence,
                    fig. 11.6): alpha where no child was better, and no path then, nor where it cut
    ==============  =========================================================================================

Negamax is the same walk told from the mover's side: `negamax`. Where chance moves, the value is the mean over its
outcomes, each searched with a full window (expectiminimax), rounded to an integer on a fine scale
(`zermelo.search.scores`). `expectiminimax` can hand windows down through chance nodes too:

    ==============  =========================================================================================
    STAR1           every outcome gets the window outside of which it decides the mean, even if all outcomes that are
                    not searched yet were worth the most, or the least, that any state can be (Ballard 1983)
    STAR2           before that one move of each outcome is tried (probed): for MAX's outcomes it gives a lower bound,
                    for MIN's an upper one, and so all windows are narrower (Ballard 1983; Hauk, Buro, Schaeffer 2004)
    ==============  =========================================================================================

An observer is called with an `Event` at each step, in order: see `Event`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Sequence
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
from zermelo.core.history import PositionHistory, can_claim_draw, check_history
from zermelo.core.validation import as_game_error, check_state, validate_root
from zermelo.errors import LimitError, ZermeloError
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

#: The ends of the full window, beyond every value: an integer, so that scores stay integers.
INFINITY = 1 << 62

MINIMAX, FAIL_SOFT, FAIL_HARD, PATH = "minimax", "fail-soft", "fail-hard", "path"
STAR1, STAR2 = "star1", "star2"


class Event(NamedTuple):
    """One step of the walk. Values and bounds are for MAX (in `negamax`, for the mover of `state`).

    Kinds, in the order they come for a state:

    - `enter`: the state is visited, with the window (alpha, beta) it is given;
    - `leaf`: it is not searched further; `value` is its utility (`move` None) or, at the cutoff, its evaluation;
    - `value`: the child that `move` leads to has come back with `value`;
    - `bound`: that value moved alpha (at MAX) or beta (at MIN) to the bounds now given;
    - `cut`: the value reached the other bound, so the `skipped` moves, one at least, are not searched; where chance
      moves (Star1, Star2): `value` is what the mean is at least, or at most, and it lies outside the window;
    - `probe`: only the first move of the child that `move` leads to will be searched (Star2);
    - `leave`: the state is done and returns `value`; `move` is the best one found, None if none was.

    `node` numbers the states in the order of their visit, from 0 for the root; `parent` is the number of the
    state above, -1 for the root.
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


Observer = Callable[[Event], None]


@dataclass(frozen=True)
class Result:
    """What a textbook search found.

    `value` is for MAX (from `negamax`: for the side to move at the root), on the scale of the search; `best` the best
    move at the root and `line` the moves both sides choose, empty where the algorithm returns no path; `nodes` the
    states visited, root included; `leaves` those of them that were not searched further; `cuts` how often moves were
    skipped.

    In games of chance `expected` is the expected utility that the value stands for, for the same side, and None in
    others; `is_rounded` tells whether a mean was no whole number of the scale's grains, and so was rounded.
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
    """The minimax value of a state: every state to the depth is visited.

    `depth` in plies, None: to the end of the game. States at the depth are worth what `evaluation` says (a name of
    the game's, or a value; None: 0). `cutoff(state, ply)`, if given, may cut off earlier. `order` names an
    evaluation by which the children of each state are sorted, the best for its mover first; by default they
    come as the game's `moves` yields them. `history`: the states of the game before this one, the first one first; a
    state below the root where a player may have the game called a draw is worth 0.

    Without evaluation, finished games are worth their utility; with one, a win ranks above everything that the
    evaluation can say (`zermelo.search.scores`).

    >>> from zermelo.games.tictactoe import TicTacToe
    >>> minimax(TicTacToe.start(), depth=2, evaluation="lines").value
    1
    """
    walk = _Walk(state, depth, evaluation, order, cutoff, observer, MINIMAX, history=history, rank_wins=rank_wins)
    return walk.run(-INFINITY, INFINITY)


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
) -> Result:
    """The same value as `minimax`, without the states that cannot matter: Knuth and Moore 1975.

    With V the minimax value and v the one returned: alpha < v < beta means v == V; v <= alpha means V <= v
    and v >= beta means V >= v (fail-soft; fail-hard returns alpha or beta themselves). `cut_on_equal`: whether
    a value equal to the bound cuts (AIMA) or only one beyond it. The rest as in `minimax`.
    """
    if variant not in (FAIL_SOFT, FAIL_HARD, PATH):
        raise LimitError(f"variant {variant!r} is not one of {FAIL_SOFT}, {FAIL_HARD}, {PATH}")
    if alpha >= beta:
        raise LimitError(f"the window ({alpha}, {beta}) is empty: alpha must be below beta")
    walk = _Walk(
        state, depth, evaluation, order, cutoff, observer, variant, cut_on_equal, history=history, rank_wins=rank_wins
    )
    return walk.run(alpha, beta)


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
) -> Result:
    """The value of a game of chance: the mover's best, and the mean where chance moves (Michie 1966).

    `pruning`: None visits every state to the depth, as `minimax` does; "star1" and "star2" find the same value by
    alpha-beta with windows through chance nodes (Ballard 1983), fail-soft as in `alphabeta`. Both need to know what a
    state can be worth at least and at most: `bounds`, on the scale of the search; by default the larger of the game's
    `max_utility` and the evaluation's `largest_score`, for either side. The rest as in `minimax`.

    Raises `LimitError` where there is no such pruning, and for empty windows or bounds.
    """
    if pruning not in (None, STAR1, STAR2):
        raise LimitError(f"pruning {pruning!r} is not one of {STAR1}, {STAR2}, or None for none")
    if alpha >= beta:
        raise LimitError(f"the window ({alpha}, {beta}) is empty: alpha must be below beta")
    if pruning is None:
        if (alpha, beta) != (-INFINITY, INFINITY):
            raise LimitError(f"a window goes with {STAR1} or {STAR2}; without pruning there is none")
        return minimax(state, depth, evaluation, order=order, cutoff=cutoff, observer=observer, history=history)
    walk = _Walk(state, depth, evaluation, order, cutoff, observer, FAIL_SOFT, history=history)
    walk.pruning = pruning
    if bounds is not None:
        if bounds[0] > bounds[1]:
            raise LimitError(f"bounds {bounds}: no state can be worth at least {bounds[0]} and at most {bounds[1]}")
        walk.bounds = bounds
    return walk.run(alpha, beta)


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
    """Minimax or alpha-beta told from the side of whoever is to move: value(s) = max over moves of -value(child).

    The result's value, the window and the observer's events are all for the mover of their state. Where a side
    moves twice in a row, nothing is negated between the two.
    """
    if alpha >= beta:
        raise LimitError(f"the window ({alpha}, {beta}) is empty: alpha must be below beta")
    check_state(state)
    sign = _sign(state)
    variant = FAIL_SOFT if prune else MINIMAX
    walk = _Walk(
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
    result = walk.run(alpha, beta) if sign == 1 else walk.run(-beta, -alpha)
    expected = None if result.expected is None else sign * result.expected
    return replace(result, value=sign * result.value, expected=expected)


def search_scale(state: State, evaluation: Evaluation | None, rank_wins: bool | None) -> Scale:
    """The scale of a textbook search: utilities, or with an evaluation wins above all estimates, unless asked for."""
    if state.has_chance:
        return ranked(state, evaluation)
    return ranked(state, evaluation) if (evaluation is not None if rank_wins is None else rank_wins) else plain(state)


def _sign(state: State) -> int:
    return -1 if not state.is_over() and state.to_move() == MIN else 1


class _Walk:
    """One search: its settings, its counters, and the one recursive function."""

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
            raise LimitError(f"depth {depth} is negative; 0 evaluates the state itself")
        check_history(history, state)
        self.root = state
        self.past = PositionHistory(history)
        self.depth = INFINITY if depth is None else depth
        used = search_evaluation(state, evaluation, depth is not None or cutoff is not None)
        self.evaluation: Evaluation = Nothing() if used is None else used
        self.scale: Scale = search_scale(state, used, rank_wins)
        self.grain = grain_of(self.scale, self.evaluation) if state.has_chance else 1
        bound = bound_of(state, self.scale, self.evaluation)
        self.bounds = (-bound, bound)
        self.pruning: str | None = None
        self.is_rounded = False
        self.is_partial = False  # whether the state visited last was probed, and had more moves than one
        self.order = None if order is None else resolve_evaluation(state, order)
        self.cutoff = cutoff
        self.observer = observer
        self.variant = variant
        self.cut_on_equal = cut_on_equal
        self.relative = relative
        self.nodes = self.leaves = self.cuts = 0
        self.callers_own: Exception | None = None  # raised by the observer or the cutoff: not the game's fault

    def run(self, alpha: int, beta: int) -> Result:
        validate_root(self.root, self.evaluation)
        began = time.perf_counter()
        with _deep_recursion():
            try:
                value, line = self.visit(self.root, 0, -1, alpha, beta)
            except ZermeloError:
                raise
            except Exception as error:
                if error is self.callers_own:
                    raise
                raise as_game_error(error, self.root) from error
        seconds = time.perf_counter() - began
        if self.variant == FAIL_HARD:
            value = max(alpha, min(value, beta))  # a root that is a leaf returned its own value
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

    def visit(
        self, state: State, ply: int, parent: int, alpha: int, beta: int, is_probe: bool = False
    ) -> tuple[int, tuple[int, ...]]:
        """The value of a state within the window and the line that leads to it."""
        node = self.nodes
        self.nodes += 1
        is_over = state.is_over()
        is_drawn = can_claim_draw(state, self.past.push(state)) and ply > 0 and not is_over
        player = CHANCE if is_over or is_drawn else state.to_move()
        self._tell("enter", node, parent, ply, state, player, alpha, beta)

        # A leaf: the game is over, or the search is cut off here.
        if is_over or is_drawn or ply >= self.depth or self._is_cut_off(state, ply):
            self.past.pop()
            self.leaves += 1
            value = 0 if is_drawn else self._leaf_value(state, ply, is_over)
            is_cutoff = not (is_over or is_drawn)
            self._tell("leaf", node, parent, ply, state, player, alpha, beta, value, is_cutoff=is_cutoff)
            return value, ()

        if player == CHANCE:
            value = self._mean(state, node, ply, alpha, beta)
            self.past.pop()
            self._tell("leave", node, parent, ply, state, player, alpha, beta, value)
            return value, ()

        # MAX takes the largest value of the children, MIN the smallest, the first of equal ones.
        given_alpha, given_beta = alpha, beta
        value = -INFINITY if player == MAX else INFINITY
        line: tuple[int, ...] = ()
        is_partial = False
        moves = self._ordered(state, player)
        for index, move in enumerate(moves):
            if is_probe and index == 1:
                is_partial = True
                break
            score, rest = self.visit(state.play(move), ply + 1, node, alpha, beta)
            self._tell("value", node, parent, ply, state, player, alpha, beta, score, move)
            if score > value if player == MAX else score < value:
                value, line = score, (move, *rest)
            if self.variant == MINIMAX:
                continue
            # The other side has something better elsewhere: it will not let this state come about.
            if self._reaches(score, beta) if player == MAX else self._reaches(-score, -alpha):
                skipped = tuple(moves[index + 1 :])
                if skipped:
                    self.cuts += 1
                    self._tell("cut", node, parent, ply, state, player, alpha, beta, score, move, skipped)
                break
            if score > alpha if player == MAX else score < beta:
                alpha, beta = (score, beta) if player == MAX else (alpha, score)
                self._tell("bound", node, parent, ply, state, player, alpha, beta, score, move)

        self.past.pop()
        self.is_partial = is_partial
        value, line = self._returned(value, line, player, given_alpha, given_beta)
        best = line[0] if line else None
        self._tell("leave", node, parent, ply, state, player, alpha, beta, value, best)
        return value, line

    def _is_cut_off(self, state: State, ply: int) -> bool:
        try:
            return self.cutoff is not None and self.cutoff(state, ply)
        except Exception as error:
            self.callers_own = error
            raise

    def _leaf_value(self, state: State, ply: int, is_over: bool) -> int:
        if is_over:
            return finished_score(state.utility(), ply, *self.scale)
        return checked_score(self.evaluation, state) * self.grain

    def _mean(self, state: State, node: int, ply: int, alpha: int, beta: int) -> int:
        if self.pruning is not None:
            return self._bounded_mean(state, node, ply, alpha, beta)
        total = weights = 0
        for move, weight in state.outcomes():
            score, _ = self.visit(state.play(move), ply + 1, node, -INFINITY, INFINITY)
            self._tell("value", node, -1, ply, state, CHANCE, -INFINITY, INFINITY, score, move)
            total += weight * score
            weights += weight
        return self._rounded(total, weights)

    def _rounded(self, total: int, weights: int) -> int:
        self.is_rounded = self.is_rounded or total % weights != 0
        return rounded_div(total, weights)

    def _bounded_mean(self, state: State, node: int, ply: int, alpha: int, beta: int) -> int:
        """Star1 and Star2: the mean, or as soon as it is known to lie outside the window a bound on it.

        For each outcome two numbers are kept that its value lies between; at first what any state's does. So the mean
        lies between `least` and `most`, each divided by the weights. An outcome's window is where its own value does
        not yet decide that the mean is outside (alpha, beta), if all the others are worth what is best against that.
        """
        low, high = self.bounds
        outcomes = list(state.outcomes())
        weights = sum(weight for _, weight in outcomes)
        known = [(low, high)] * len(outcomes)
        to_come = {move for move, _ in outcomes}
        least, most = low * weights, high * weights
        enough, little = least_total(beta, weights), most_total(alpha, weights)
        is_leaves_parent = ply + 1 >= self.depth
        for probing in (False,) if self.pruning == STAR1 or is_leaves_parent else (True, False):
            for index, (move, weight) in enumerate(outcomes):
                if least >= enough or most <= little:
                    break
                child = state.play(move)
                mover = MAX if child.is_over() else child.to_move()
                floor, roof = known[index]
                is_probe = probing and not child.is_over()
                if not probing and floor == roof:
                    continue
                if is_probe and not ((mover == MAX and beta < high) or (mover == MIN and alpha > low)):
                    continue
                child_alpha = max((little - (most - weight * roof)) // weight, floor - 1)
                child_beta = min(least_share(enough - (least - weight * floor), weight), roof + 1)
                if is_probe:
                    self._tell("probe", node, -1, ply, state, CHANCE, child_alpha, child_beta, None, move)
                else:
                    to_come.discard(move)
                self.is_partial = False
                score, _ = self.visit(child, ply + 1, node, child_alpha, child_beta, is_probe)
                is_half = is_probe and self.is_partial
                if score > child_alpha and not (is_half and mover == MIN):
                    floor = score
                if score < child_beta and not (is_half and mover == MAX):
                    roof = score
                least += weight * (floor - known[index][0])
                most -= weight * (known[index][1] - roof)
                known[index] = floor, roof
                self._tell("value", node, -1, ply, state, CHANCE, alpha, beta, score, move)
            if least >= enough or most <= little:
                break
        value = self._rounded(most if most <= little else least, weights)
        skipped = tuple(
            move for (move, _), (floor, roof) in zip(outcomes, known, strict=True) if move in to_come and floor < roof
        )
        if skipped:
            self.cuts += 1
            self._tell("cut", node, -1, ply, state, CHANCE, alpha, beta, value, None, skipped)
        return value

    def _ordered(self, state: State, player: int) -> list[int]:
        moves = list(state.moves())
        if self.order is not None:
            scale = ranked(state, self.order)
            grain = grain_of(scale, self.order) if state.has_chance else 1

            def promise(move: int) -> int:
                child = state.play(move)
                if child.is_over():
                    return player * finished_score(child.utility(), 1, *scale)
                return player * grain * int(self.order.score(child))  # type: ignore[union-attr]

            moves.sort(key=promise, reverse=True)  # stable: equal ones keep the game's order
        return moves

    def _reaches(self, score: int, bound: int) -> bool:
        return score >= bound if self.cut_on_equal else score > bound

    def _returned(
        self, value: int, line: tuple[int, ...], player: int, alpha: int, beta: int
    ) -> tuple[int, tuple[int, ...]]:
        """What the variant returns for the value found within the window that was given."""
        if self.variant == FAIL_HARD:
            return max(alpha, min(value, beta)), line
        if self.variant == PATH:
            near, far = (alpha, beta) if player == MAX else (beta, alpha)
            failed_low = value <= near if player == MAX else value >= near
            cut = self._reaches(value, far) if player == MAX else self._reaches(-value, -far)
            return (near, ()) if failed_low else (value, () if cut else line)
        return value, line

    def _tell(
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
    ) -> None:
        if self.observer is None:
            return
        if self.relative and player == MIN:
            alpha, beta = -beta, -alpha
            value = None if value is None else -value
        try:
            self.observer(Event(kind, node, parent, ply, state, player, alpha, beta, value, move, skipped, is_cutoff))
        except Exception as error:
            self.callers_own = error
            raise


@contextmanager
def _deep_recursion() -> Iterator[None]:
    """Games longer than Python's usual thousand nested calls are walked too."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, 200_000))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)
