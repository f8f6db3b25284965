"""DELIBERATELY WRONG solvers for exercises: each makes one named mistake on purpose.

They exist for the diagnosis, which compares students' answers with theirs; never use them to search. Where a mistake
amounts to the correct search of another tree (players swapped, children mirrored) or under another convention, the
regular search is used. Mistakes with windows need a search of their own, `_FaultySearch`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import NamedTuple

from zermelo.core.game import CHANCE, MAX, MIN
from zermelo.errors import ZermeloError
from zermelo.search.textbook import FAIL_HARD, FAIL_SOFT, MINIMAX, PATH
from zermelo.teaching.exercises import mistakes
from zermelo.teaching.exercises.answers import Answer, answer_from_trace, correct_answer
from zermelo.teaching.exercises.exercise import (
    BEST,
    CUTS,
    ORDER,
    VALUES,
    WINDOWS,
    Exercise,
    truncate_at_depth,
    window_of_kind,
)
from zermelo.teaching.exercises.mistakes import Mistake
from zermelo.teaching.tree.convention import EQUAL, NEGAMAX, STRICT
from zermelo.teaching.tree.minimax_values import minimax_values
from zermelo.teaching.tree.node import Node, Tree, TreeBuilder
from zermelo.teaching.tree.numbers import Bound, Number
from zermelo.teaching.tree.trace import Trace, Window


class WrongAnswer(NamedTuple):
    """The answer that a mistake leads to."""

    mistake: Mistake
    answer: Answer


def wrong_answers(exercise: Exercise) -> list[WrongAnswer]:
    """The answers that the named mistakes lead to, as far as they differ from the correct one.

    One mistake may lead to several answers.
    """
    correct = correct_answer(exercise)
    found: list[WrongAnswer] = []
    for mistake, solvers in SOLVERS.items():
        for solver in solvers:
            try:
                answers = list(solver(exercise))
            except ZermeloError:  # it reads a leaf without a value, or a node without an evaluation
                continue
            found += [WrongAnswer(mistake, answer) for answer in answers if not same_entries(answer, correct)]
    return found


def same_entries(one: Answer, other: Answer) -> bool:
    """Whether two answers have the same entries in all parts."""
    return all(getattr(one, part) == getattr(other, part) for part in (VALUES, WINDOWS, CUTS, ORDER, BEST))


Solver = Callable[[Exercise], Iterator[Answer]]

# ---- the correct search of another tree -------------------------------------------------------------------------


def _search_other_tree(exercise: Exercise, tree: Tree) -> Answer:
    """The answer from the search of another tree with the same node ids."""
    trace = Trace(tree, exercise.search_convention)
    return _reindexed(exercise, answer_from_trace(exercise, trace), tree)


def _reindexed(exercise: Exercise, answer: Answer, tree: Tree) -> Answer:
    """Translate the node indices of another tree to those of the exercise; drop nodes that it does not have."""
    searched = exercise.searched_tree
    index = {node.index: searched[node.id].index for node in tree if node.id in searched}

    def is_inner(other: int) -> bool:
        return other in index and not searched.nodes[index[other]].is_leaf

    return Answer(
        values=None if answer.values is None else {index[i]: v for i, v in answer.values.items() if is_inner(i)},
        windows=None
        if answer.windows is None
        else {(index[i], kind): window for (i, kind), window in answer.windows.items() if is_inner(i)},
        cuts=None if answer.cuts is None else frozenset(index[i] for i in answer.cuts if i in index),
        order=None if answer.order is None else tuple(index.get(i, -1) for i in answer.order),
        best=None if answer.best is None else index.get(answer.best),
    )


def _players_swapped(exercise: Exercise) -> Iterator[Answer]:
    tree = exercise.searched_tree
    swapped = [node._replace(player=-node.player) if node.player in (MAX, MIN) else node for node in tree]
    answer = _search_other_tree(exercise, Tree(swapped))
    if exercise.convention.algorithm == NEGAMAX and answer.values is not None:
        yield _negated_at_min(exercise, answer)
    yield answer


def _one_player(exercise: Exercise) -> Iterator[Answer]:
    tree = exercise.searched_tree
    player = tree.root.player if tree.root.player in (MAX, MIN) else MAX
    nodes = [node._replace(player=player) if node.player in (MAX, MIN) else node for node in tree]
    yield _search_other_tree(exercise, Tree(nodes))


def _one_player_outside_negamax(exercise: Exercise) -> Iterator[Answer]:
    if exercise.convention.algorithm != NEGAMAX:
        yield from _one_player(exercise)


def _right_to_left(exercise: Exercise) -> Iterator[Answer]:
    tree, draft = exercise.searched_tree, TreeBuilder()
    stack = [(0, -1)]
    while stack:
        index, parent = stack.pop()
        node = tree.nodes[index]
        weights = node.weights[::-1]
        new_index = draft.add(parent, node.player, id=node.id, value=node.value, weights=weights, move=node.move)
        stack += [(child, new_index) for child in node.children]
    yield _search_other_tree(exercise, draft.build())


def _weights_ignored(exercise: Exercise) -> Iterator[Answer]:
    tree = exercise.searched_tree
    if any(node.weights for node in tree):
        yield _search_other_tree(exercise, Tree([node._replace(weights=(1,) * len(node.weights)) for node in tree]))


def _other_depth(exercise: Exercise) -> Iterator[Answer]:
    """Search one ply less, and one more if possible.

    If the search goes to the leaves, there are no evaluations one ply above; those nodes take the value of their first
    leaf.
    """
    if exercise.depth is not None:
        for depth in (exercise.depth - 1, exercise.depth + 1):
            if 1 <= depth <= exercise.tree.depth:
                yield _with_leaf_values(exercise, truncate_at_depth(exercise.tree, depth))
        return
    tree, draft, new_index = exercise.searched_tree, TreeBuilder(), {-1: -1}
    last_inner = {node.index for node in tree if node.children and all(tree.nodes[c].is_leaf for c in node.children)}
    if 0 in last_inner:
        return
    for node in tree:
        if node.parent not in last_inner:
            becomes_leaf = node.index in last_inner
            value = tree.nodes[node.children[0]].value if becomes_leaf else node.value
            player, weights = (None, ()) if becomes_leaf else (node.player, node.weights)
            parent = new_index[node.parent]
            new_index[node.index] = draft.add(parent, player, id=node.id, value=value, weights=weights)
    yield _with_leaf_values(exercise, draft.build())


def _with_leaf_values(exercise: Exercise, tree: Tree) -> Answer:
    """The answer from a shallower or deeper tree; the values of its leaves count where the exercise has inner nodes."""
    trace = Trace(tree, exercise.search_convention)
    answer = answer_from_trace(exercise, trace)
    if answer.values is not None:
        for leaf in trace.leaves:
            if leaf.id in exercise.searched_tree and leaf.value is not None:
                answer.values[leaf.index] = leaf.value
    return _reindexed(exercise, answer, tree)


# ---- the correct search under another convention ----------------------------------------------------------------


def _search_by(exercise: Exercise, **changes: str) -> Answer:
    convention = replace(exercise.search_convention, **changes)
    return answer_from_trace(exercise, Trace(exercise.searched_tree, convention))


def _strict_cuts(exercise: Exercise) -> Iterator[Answer]:
    if exercise.search_convention.prunes and exercise.search_convention.cut != STRICT:
        yield _search_by(exercise, cut=STRICT)


def _cuts_on_equality(exercise: Exercise) -> Iterator[Answer]:
    if exercise.search_convention.prunes and exercise.search_convention.cut == STRICT:
        yield _search_by(exercise, cut=EQUAL)


def _variant(variant: str) -> Solver:
    def solver(exercise: Exercise) -> Iterator[Answer]:
        if exercise.search_convention.prunes:
            yield _search_by(exercise, variant=variant)

    return solver


def _no_pruning(exercise: Exercise) -> Iterator[Answer]:
    if exercise.search_convention.prunes:
        yield _FaultySearch(exercise, prunes=False).answer()
        yield _search_by(exercise, algorithm=MINIMAX)


# ---- the correct search, written down wrongly -------------------------------------------------------------------


def _with_cuts(exercise: Exercise, crossed: Callable[[Trace], set[int]]) -> Iterator[Answer]:
    if CUTS in exercise.marks:
        yield replace(correct_answer(exercise), cuts=frozenset(crossed(exercise.solution)))


def _crosses_the_cause(exercise: Exercise) -> Iterator[Answer]:
    yield from _with_cuts(exercise, lambda trace: {n for cut in trace.cuts for n in (cut.after, *cut.pruned)})


def _crosses_beneath(exercise: Exercise) -> Iterator[Answer]:
    def beneath(trace: Trace, with_leaves: bool) -> set[int]:
        below: set[int] = set()
        for node in trace.pruned:
            below.update(node.children or ((node.index,) if with_leaves else ()))
        return below

    yield from _with_cuts(exercise, lambda trace: beneath(trace, True))
    yield from _with_cuts(exercise, lambda trace: beneath(trace, False))


def _crosses_above(exercise: Exercise) -> Iterator[Answer]:
    yield from _with_cuts(exercise, lambda trace: {cut.node for cut in trace.cuts if cut.node > 0})


def _window_swapped(exercise: Exercise) -> Iterator[Answer]:
    correct = correct_answer(exercise)
    if correct.windows is not None:
        yield replace(correct, windows={key: (high, low) for key, (low, high) in correct.windows.items()})


def _negated_at_min(exercise: Exercise, answer: Answer) -> Answer:
    """Negate the values and windows of MIN nodes."""
    nodes = exercise.searched_tree.nodes
    return replace(
        answer,
        values=answer.values and {i: -v if nodes[i].player == MIN else v for i, v in answer.values.items()},
        windows=answer.windows
        and {
            key: (-window[1], -window[0]) if nodes[key[0]].player == MIN else window
            for key, window in answer.windows.items()
        },
    )


def _not_negated(exercise: Exercise) -> Iterator[Answer]:
    """Write all values for MAX; or take the largest child value at every node without negating."""
    if exercise.convention.algorithm != NEGAMAX:
        return
    yield _negated_at_min(exercise, correct_answer(exercise))
    for answer in _one_player(exercise):
        yield _negated_at_min(exercise, answer)


def _root_moves(exercise: Exercise) -> list[tuple[Number, int]]:
    """The root's children as (value for the side to move, index)."""
    root, values = exercise.searched_tree.root, minimax_values(exercise.searched_tree)
    sign = -1 if root.player == MIN else 1
    found = []
    for child in root.children:
        returned = exercise.solution.records[child].returned
        value = values[child] if values[child] is not None else returned
        if value is not None:
            found.append((sign * value, child))
    return found


def _worst_move(exercise: Exercise) -> Iterator[Answer]:
    if BEST in exercise.marks:
        moves = _root_moves(exercise)
        worst = min(value for value, _ in moves)
        for value, child in moves:
            if value == worst:
                yield replace(correct_answer(exercise), best=child)


def _last_of_equals(exercise: Exercise) -> Iterator[Answer]:
    if BEST in exercise.marks:
        moves = _root_moves(exercise)
        best = max(value for value, _ in moves)
        yield replace(correct_answer(exercise), best=[child for value, child in moves if value == best][-1])
        # The same with the returned values: a bound that equals the best value looks like an equally good move.
        records = exercise.solution.records
        equal = [c for c in exercise.searched_tree.root.children if records[c].returned == records[0].returned]
        if equal:
            yield replace(correct_answer(exercise), best=equal[-1])


def _ordered(exercise: Exercise, order: Callable[[list[Node]], list[Node]]) -> Iterator[Answer]:
    if ORDER in exercise.marks:
        listed = order(list(exercise.solution.visited))
        yield replace(correct_answer(exercise), order=tuple(node.index for node in listed))


def _breadth_first(exercise: Exercise) -> Iterator[Answer]:
    yield from _ordered(exercise, lambda visited: sorted(visited, key=lambda node: node.depth))
    yield from _ordered(exercise, lambda _: sorted(exercise.searched_tree, key=lambda node: node.depth))


def _bottom_up(exercise: Exercise) -> Iterator[Answer]:
    ends = exercise.searched_tree.subtree_end
    yield from _ordered(exercise, lambda visited: sorted(visited, key=lambda node: (ends[node.index], -node.index)))


def _leaves_only(exercise: Exercise) -> Iterator[Answer]:
    yield from _ordered(exercise, lambda visited: [node for node in visited if node.is_leaf])


# ---- a faulty alpha-beta search ---------------------------------------------------------------------------------

#: Makes a child's window from the parent's entry window, current window, best value so far and player.
PassDown = Callable[[Window, Window, Number | None, int], Window]


class _FaultySearch:
    """An alpha-beta search that passes its window down wrongly or never prunes. For the diagnosis only.

    It is recursive, since trees of exercises have at most `exercise.MAX_DEPTH` plies.
    """

    def __init__(self, exercise: Exercise, pass_down: PassDown | None = None, prunes: bool = True) -> None:
        self.exercise = exercise
        self.tree = exercise.searched_tree
        self.pass_down = pass_down or (lambda entry, window, own, player: window)
        self.prunes = prunes
        self.values: dict[int, Number] = {}
        self.windows: dict[tuple[int, str], Window] = {}
        self.cuts: set[int] = set()
        self.order: list[int] = []
        self.best: dict[int, int] = {}

    def answer(self) -> Answer:
        self._visit(self.tree.root, (-inf, inf))
        parts = self.exercise.marks
        return Answer(
            values=self.values if VALUES in parts else None,
            windows=self.windows if WINDOWS in parts else None,
            cuts=frozenset(self.cuts) if CUTS in parts else None,
            order=tuple(self.order) if ORDER in parts else None,
            best=self.best.get(0) if BEST in parts else None,
        )

    def _visit(self, node: Node, entry: Window) -> Number:
        self.order.append(node.index)
        if node.player is None:
            if node.value is None:
                raise ZermeloError(f"leaf {node.id!r} has no value")
            return node.value
        if node.player == CHANCE:
            total = sum(
                weight * self._visit(child, (-inf, inf))
                for weight, child in zip(node.weights, self.tree.children(node), strict=True)
            )
            mean = total / Fraction(sum(node.weights))
            self.values[node.index] = mean.numerator if mean.denominator == 1 else mean
            return self.values[node.index]
        is_max = node.player == MAX
        window, own, is_cut = entry, None, False
        for number, child in enumerate(self.tree.children(node)):
            value = self._visit(child, self.pass_down(entry, window, own, node.player))
            if own is None or (value > own if is_max else value < own):
                own, self.best[node.index] = value, child.index
            window = (max(window[0], value), window[1]) if is_max else (window[0], min(window[1], value))
            if self.prunes and self._is_cutoff(value, window, is_max):
                self.cuts.update(node.children[number + 1 :])
                is_cut = number + 1 < len(node.children)
                break
        assert own is not None
        for kind in self.exercise.window_kinds:
            shown = window_of_kind(kind, node, entry, window, own, is_cut=is_cut)
            if shown is not None:
                self.windows[node.index, kind] = shown
        self.values[node.index] = self._returned(own, entry, is_max)
        return self.values[node.index]

    def _is_cutoff(self, value: Number, window: Window, is_max: bool) -> bool:
        strict = self.exercise.search_convention.cut == STRICT
        if is_max:
            return value > window[1] if strict else value >= window[1]
        return value < window[0] if strict else value <= window[0]

    def _returned(self, own: Number, entry: Window, is_max: bool) -> Number:
        low, high = entry
        if self.exercise.search_convention.variant == FAIL_HARD:
            return _finite(max(low, min(own, high)), own)
        if self.exercise.search_convention.variant == PATH:
            return _finite(max(own, low) if is_max else min(own, high), own)
        return own


def _finite(bound: Bound, own: Number) -> Number:
    return own if isinstance(bound, float) else bound


def _full_window(entry: Window, window: Window, own: Number | None, player: int) -> Window:
    return -inf, inf


def _own_bound(entry: Window, window: Window, own: Number | None, player: int) -> Window:
    if own is None:
        return -inf, inf
    return (own, inf) if player == MAX else (-inf, own)


def _passing_down(pass_down: PassDown) -> Solver:
    def solver(exercise: Exercise) -> Iterator[Answer]:
        if exercise.search_convention.prunes:
            yield _FaultySearch(exercise, pass_down).answer()

    return solver


def shallow_cuts(exercise: Exercise) -> frozenset[int]:
    """The arcs pruned by a search that passes down only the parent's bound: all but those of deep cutoffs."""
    search = _FaultySearch(exercise, _own_bound)
    search.answer()
    return frozenset(search.cuts)


# ---- table of solvers -------------------------------------------------------------------------------------------

# `stale-window` has no solver: on paper, a window that is never updated looks the same as `window-not-passed`.
SOLVERS: dict[Mistake, tuple[Solver, ...]] = {
    mistakes.PLAYERS_SWAPPED: (_players_swapped,),
    mistakes.ONE_PLAYER: (_one_player_outside_negamax,),
    mistakes.NOT_NEGATED: (_not_negated,),
    mistakes.RIGHT_TO_LEFT: (_right_to_left,),
    mistakes.DEPTH_OFF_BY_ONE: (_other_depth,),
    mistakes.WEIGHTS_IGNORED: (_weights_ignored,),
    mistakes.CUTS_ONLY_BEYOND: (_strict_cuts,),
    mistakes.CUTS_ON_EQUALITY: (_cuts_on_equality,),
    mistakes.NO_PRUNING: (_no_pruning,),
    mistakes.CUTS_THE_CAUSE: (_crosses_the_cause,),
    mistakes.CUTS_BENEATH: (_crosses_beneath,),
    mistakes.CUTS_ABOVE: (_crosses_above,),
    mistakes.WINDOW_NOT_PASSED: (_passing_down(_full_window),),
    mistakes.PARENT_BOUND_ONLY: (_passing_down(_own_bound),),
    mistakes.WINDOW_SWAPPED: (_window_swapped,),
    mistakes.FAIL_HARD_VALUES: (_variant(FAIL_HARD),),
    mistakes.FAIL_SOFT_VALUES: (_variant(FAIL_SOFT),),
    mistakes.PATH_VALUES: (_variant(PATH),),
    mistakes.WORST_MOVE: (_worst_move,),
    mistakes.LAST_OF_EQUALS: (_last_of_equals,),
    mistakes.BREADTH_FIRST: (_breadth_first,),
    mistakes.BOTTOM_UP: (_bottom_up,),
    mistakes.LEAVES_ONLY: (_leaves_only,),
}


def answers_with_one_wrong_value(
    exercise: Exercise, answer: Answer, nodes: list[Node]
) -> Iterator[tuple[Node, Answer]]:
    """The answers that follow from a single wrong value: the value that the student wrote at one of these nodes."""
    correct = correct_answer(exercise)
    for node in nodes:
        value = (answer.values or {}).get(node.index)
        if value is None or value == (correct.values or {}).get(node.index):
            continue
        yield node, _with_value(exercise, correct, node, value)


def _with_value(exercise: Exercise, correct: Answer, node: Node, value: Number) -> Answer:
    """The correct search up to a node, which then returns another value."""
    if node.index == 0:
        return replace(correct, values={**(correct.values or {}), 0: value})
    # Search a tree in which the node is a leaf with that value, then add the correct entries of its subtree.
    tree = exercise.searched_tree
    draft, new_index = TreeBuilder(), {-1: -1}
    below = range(node.index + 1, tree.subtree_end[node.index])
    for each in tree:
        if each.index not in below:
            player, weights = (None, ()) if each is node else (each.player, each.weights)
            leaf_value = value if each is node else each.value
            parent = new_index[each.parent]
            new_index[each.index] = draft.add(parent, player, id=each.id, value=leaf_value, weights=weights)
    shorter = draft.build()
    trace = Trace(shorter, exercise.search_convention)
    answer = _reindexed(exercise, answer_from_trace(exercise, trace), shorter)
    subtree = range(node.index, tree.subtree_end[node.index])
    if answer.values is not None:
        answer.values |= {i: v for i, v in (correct.values or {}).items() if i in below} | {node.index: value}
    if answer.windows is not None:
        answer.windows |= {key: window for key, window in (correct.windows or {}).items() if key[0] in subtree}
    if answer.cuts is not None:
        answer.cuts |= {index for index in correct.cuts or () if index in below}
    if answer.order is not None and node.index in answer.order:
        at = answer.order.index(node.index)
        visited = tuple(index for index in correct.order or () if index in below)
        answer.order = (*answer.order[: at + 1], *visited, *answer.order[at + 1 :])
    return answer
