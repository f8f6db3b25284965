"""DELIBERATELY WRONG solvers: each answers an exercise as somebody does who makes one named mistake.

Nothing here searches for its own sake. The diagnosis compares a student's answer with these answers. Where a mistake is
the right search of another tree (players swapped, children mirrored) or by another convention, the textbook's search
makes it; mistakes with windows need a walk of their own, `_Astray`, which is wrong on purpose.
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
from zermelo.teaching.tree.convention import EQUAL, NEGAMAX, STRICT, Convention
from zermelo.teaching.tree.node import Node, Tree, TreeBuilder
from zermelo.teaching.tree.numbers import Bound, Number
from zermelo.teaching.tree.trace import Trace, Window
from zermelo.teaching.tree.values import minimax_values


class WrongAnswer(NamedTuple):
    """What a mistake leads to on an exercise."""

    mistake: Mistake
    answer: Answer


def wrong_answers(exercise: Exercise) -> list[WrongAnswer]:
    """What each mistake leads to, where it leads to another answer than the right one. Some have several guises."""
    right = correct_answer(exercise)
    found: list[WrongAnswer] = []
    for mistake, solvers in _SOLVERS.items():
        for solver in solvers:
            try:
                answers = list(solver(exercise))
            except ZermeloError:  # it reads a leaf whose value is not known, or a node without evaluation
                continue
            found += [WrongAnswer(mistake, answer) for answer in answers if not same(answer, right)]
    return found


def same(one: Answer, other: Answer) -> bool:
    """Whether two answers say the same."""
    return all(getattr(one, part) == getattr(other, part) for part in (VALUES, WINDOWS, CUTS, ORDER, BEST))


Solver = Callable[[Exercise], Iterator[Answer]]

# ---- the right search of another tree ---------------------------------------------------------------------------


def _of_tree(exercise: Exercise, tree: Tree, rules: Convention | None = None) -> Answer:
    """The answer that a search of another tree gives, told by the names of its nodes."""
    trace = Trace(tree, rules or exercise.rules)
    return _renamed(exercise, answer_from_trace(exercise, trace), tree)


def _renamed(exercise: Exercise, answer: Answer, tree: Tree) -> Answer:
    """An answer by the indices of another tree, by those of the exercise's; nodes that it has not are left out."""
    searched = exercise.searched_tree
    places = {node.index: searched[node.id].index for node in tree if node.id in searched}

    def inner(index: int) -> bool:
        return index in places and not searched.nodes[places[index]].is_leaf

    return Answer(
        values=None if answer.values is None else {places[i]: v for i, v in answer.values.items() if inner(i)},
        windows=None
        if answer.windows is None
        else {(places[i], kind): window for (i, kind), window in answer.windows.items() if inner(i)},
        cuts=None if answer.cuts is None else frozenset(places[i] for i in answer.cuts if i in places),
        order=None if answer.order is None else tuple(places.get(i, -1) for i in answer.order),
        best=None if answer.best is None else places.get(answer.best),
    )


def _players_swapped(exercise: Exercise) -> Iterator[Answer]:
    tree = exercise.searched_tree
    swapped = [node._replace(player=-node.player) if node.player in (MAX, MIN) else node for node in tree]
    answer = _of_tree(exercise, Tree(swapped))
    if exercise.convention.algorithm == NEGAMAX and answer.values is not None:
        yield _flipped(exercise, answer)
    yield answer


def _one_player(exercise: Exercise) -> Iterator[Answer]:
    tree = exercise.searched_tree
    player = tree.root.player if tree.root.player in (MAX, MIN) else MAX
    yield _of_tree(
        exercise, Tree([node._replace(player=player) if node.player in (MAX, MIN) else node for node in tree])
    )


def _right_to_left(exercise: Exercise) -> Iterator[Answer]:
    tree, draft = exercise.searched_tree, TreeBuilder()
    stack = [(0, -1)]
    while stack:
        index, parent = stack.pop()
        node = tree.nodes[index]
        weights = node.weights[::-1]
        place = draft.add(parent, node.player, id=node.id, value=node.value, weights=weights, move=node.move)
        stack += [(child, place) for child in node.children]
    yield _of_tree(exercise, draft.build())


def _weights_ignored(exercise: Exercise) -> Iterator[Answer]:
    tree = exercise.searched_tree
    if any(node.weights for node in tree):
        yield _of_tree(exercise, Tree([node._replace(weights=(1,) * len(node.weights)) for node in tree]))


def _another_depth(exercise: Exercise) -> Iterator[Answer]:
    """One level less, and one more if the tree has it; where no evaluations stand, the level above the leaves takes
    over its first leaf.
    """
    if exercise.depth is not None:
        for depth in (exercise.depth - 1, exercise.depth + 1):
            if 1 <= depth <= exercise.tree.depth:
                yield _at_depth(exercise, depth)
        return
    tree, draft, places = exercise.searched_tree, TreeBuilder(), {-1: -1}
    ends = {node.index for node in tree if node.children and all(tree.nodes[c].is_leaf for c in node.children)}
    if 0 in ends:
        return
    for node in tree:
        if node.parent not in ends:
            at_end = node.index in ends
            value = tree.nodes[node.children[0]].value if at_end else node.value
            player, weights = (None, ()) if at_end else (node.player, node.weights)
            places[node.index] = draft.add(places[node.parent], player, id=node.id, value=value, weights=weights)
    yield _with_ends(exercise, draft.build())


def _at_depth(exercise: Exercise, depth: int) -> Answer:
    return _with_ends(exercise, truncate_at_depth(exercise.tree, depth))


def _with_ends(exercise: Exercise, tree: Tree) -> Answer:
    """The search of a shallower or deeper tree; the values of its leaves stand where the exercise has inner nodes."""
    trace = Trace(tree, exercise.rules)
    answer = answer_from_trace(exercise, trace)
    if answer.values is not None:
        for leaf in trace.leaves:
            if leaf.id in exercise.searched_tree and leaf.value is not None:
                answer.values[leaf.index] = leaf.value
    return _renamed(exercise, answer, tree)


# ---- the right search by another convention ---------------------------------------------------------------------


def _by(exercise: Exercise, **said: str) -> Answer:
    rules = replace(exercise.rules, **said)
    return answer_from_trace(exercise, Trace(exercise.searched_tree, rules))


def _only_beyond(exercise: Exercise) -> Iterator[Answer]:
    if exercise.rules.prunes and exercise.rules.cut != STRICT:
        yield _by(exercise, cut=STRICT)


def _on_equality(exercise: Exercise) -> Iterator[Answer]:
    if exercise.rules.prunes and exercise.rules.cut == STRICT:
        yield _by(exercise, cut=EQUAL)


def _variant(variant: str) -> Solver:
    def solver(exercise: Exercise) -> Iterator[Answer]:
        if exercise.rules.prunes:
            yield _by(exercise, variant=variant)

    return solver


def _minimax(exercise: Exercise) -> Iterator[Answer]:
    if exercise.rules.prunes:
        yield _Astray(exercise, never_cuts=True).answer()
        yield _by(exercise, algorithm=MINIMAX)


# ---- the right answer, written down wrongly ---------------------------------------------------------------------


def _crosses(exercise: Exercise, crossed: Callable[[Trace], set[int]]) -> Iterator[Answer]:
    if CUTS in exercise.marks:
        yield replace(correct_answer(exercise), cuts=frozenset(crossed(exercise.solution)))


def _crosses_the_cause(exercise: Exercise) -> Iterator[Answer]:
    yield from _crosses(exercise, lambda right: {n for cut in right.cuts for n in (cut.after, *cut.pruned)})


def _crosses_beneath(exercise: Exercise) -> Iterator[Answer]:
    def beneath(right: Trace, leaves: bool) -> set[int]:
        below: set[int] = set()
        for node in right.pruned:
            below.update(node.children or ((node.index,) if leaves else ()))
        return below

    yield from _crosses(exercise, lambda right: beneath(right, True))
    yield from _crosses(exercise, lambda right: beneath(right, False))


def _crosses_above(exercise: Exercise) -> Iterator[Answer]:
    yield from _crosses(exercise, lambda right: {cut.node for cut in right.cuts if cut.node > 0})


def _window_swapped(exercise: Exercise) -> Iterator[Answer]:
    right = correct_answer(exercise)
    if right.windows is not None:
        yield replace(right, windows={place: (high, low) for place, (low, high) in right.windows.items()})


def _flipped(exercise: Exercise, answer: Answer) -> Answer:
    """Values and windows at MIN nodes with the other sign."""
    nodes = exercise.searched_tree.nodes
    return replace(
        answer,
        values=answer.values and {i: -v if nodes[i].player == MIN else v for i, v in answer.values.items()},
        windows=answer.windows
        and {
            place: (-window[1], -window[0]) if nodes[place[0]].player == MIN else window
            for place, window in answer.windows.items()
        },
    )


def _not_negated(exercise: Exercise) -> Iterator[Answer]:
    """Told for MAX everywhere; or the largest of the children's values at every node, and none of them negated."""
    if exercise.convention.algorithm != NEGAMAX:
        return
    yield _flipped(exercise, correct_answer(exercise))
    for answer in _one_player(exercise):
        yield _flipped(exercise, answer)


def _one_player_outside_negamax(exercise: Exercise) -> Iterator[Answer]:
    if exercise.convention.algorithm != NEGAMAX:
        yield from _one_player(exercise)


def _at_root(exercise: Exercise) -> list[tuple[Number, int]]:
    """The values of the root's children for the side that moves there, with their indices."""
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
        least = min(value for value, _ in _at_root(exercise))
        for value, child in _at_root(exercise):
            if value == least:
                yield replace(correct_answer(exercise), best=child)


def _last_of_equals(exercise: Exercise) -> Iterator[Answer]:
    if BEST in exercise.marks:
        most = max(value for value, _ in _at_root(exercise))
        yield replace(
            correct_answer(exercise), best=[child for value, child in _at_root(exercise) if value == most][-1]
        )
        # The same of what came back: a bound that equals the best value looks like a move as good.
        pictures = exercise.solution.records
        equal = [c for c in exercise.searched_tree.root.children if pictures[c].returned == pictures[0].returned]
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


# ---- a walk that is wrong on purpose ----------------------------------------------------------------------------


class _Astray:
    """An alpha-beta that goes astray: with its window handed down wrongly, or never cutting. NOT a search to be used.

    `hands_down` makes a child's window from its parent's entry window, its window now, its own bound and its player.
    Trees of exercises are at most `zermelo.teaching.exercises.exercise.DEEPEST` deep, so it may be recursive.
    """

    def __init__(
        self,
        exercise: Exercise,
        hands_down: Callable[[Window, Window, Number | None, int], Window] | None = None,
        never_cuts: bool = False,
    ) -> None:
        self.exercise = exercise
        self.tree = exercise.searched_tree
        self.hands_down = hands_down or (lambda entry, now, own, player: now)
        self.never_cuts = never_cuts
        self.values: dict[int, Number] = {}
        self.windows: dict[tuple[int, str], Window] = {}
        self.cuts: set[int] = set()
        self.order: list[int] = []
        self.best: dict[int, int] = {}

    def answer(self) -> Answer:
        self._visit(self.tree.root, (-inf, inf))
        asked = self.exercise.marks
        return Answer(
            values=self.values if VALUES in asked else None,
            windows=self.windows if WINDOWS in asked else None,
            cuts=frozenset(self.cuts) if CUTS in asked else None,
            order=tuple(self.order) if ORDER in asked else None,
            best=self.best.get(0) if BEST in asked else None,
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
        now, own, is_cut = entry, None, False
        for place, child in enumerate(self.tree.children(node)):
            value = self._visit(child, self.hands_down(entry, now, own, node.player))
            if own is None or (value > own if is_max else value < own):
                own, self.best[node.index] = value, child.index
            now = (max(now[0], value), now[1]) if is_max else (now[0], min(now[1], value))
            if not self.never_cuts and self._meet(value, now, is_max):
                self.cuts.update(node.children[place + 1 :])
                is_cut = place + 1 < len(node.children)
                break
        assert own is not None
        for kind in self.exercise.window_kinds:
            window = window_of_kind(kind, node, entry, now, own, is_cut=is_cut)
            if window is not None:
                self.windows[node.index, kind] = window
        self.values[node.index] = self._returned(own, entry, is_max)
        return self.values[node.index]

    def _meet(self, value: Number, now: Window, is_max: bool) -> bool:
        strict = self.exercise.rules.cut == STRICT
        if is_max:
            return value > now[1] if strict else value >= now[1]
        return value < now[0] if strict else value <= now[0]

    def _returned(self, own: Number, entry: Window, is_max: bool) -> Number:
        low, high = entry
        if self.exercise.rules.variant == FAIL_HARD:
            return _finite(max(low, min(own, high)), own)
        if self.exercise.rules.variant == PATH:
            return _finite(max(own, low) if is_max else min(own, high), own)
        return own


def _finite(bound: Bound, own: Number) -> Number:
    return own if isinstance(bound, float) else bound


def _full_window(entry: Window, now: Window, own: Number | None, player: int) -> Window:
    return -inf, inf


def _own_bound(entry: Window, now: Window, own: Number | None, player: int) -> Window:
    if own is None:
        return -inf, inf
    return (own, inf) if player == MAX else (-inf, own)


def _astray(hands_down: Callable[[Window, Window, Number | None, int], Window]) -> Solver:
    def solver(exercise: Exercise) -> Iterator[Answer]:
        if exercise.rules.prunes:
            yield _Astray(exercise, hands_down).answer()

    return solver


def shallow_cuts(exercise: Exercise) -> frozenset[int]:
    """The arcs that are cut off by somebody who hands down the parent's bound only: all but those of deep cuts."""
    walk = _Astray(exercise, _own_bound)
    walk.answer()
    return frozenset(walk.cuts)


# A window that is never moved stays the full one: on paper `stale-window` is `window-not-passed`, and has no solver.

# ---- which is which ---------------------------------------------------------------------------------------------

_SOLVERS: dict[Mistake, tuple[Solver, ...]] = {
    mistakes.PLAYERS_SWAPPED: (_players_swapped,),
    mistakes.ONE_PLAYER: (_one_player_outside_negamax,),
    mistakes.NOT_NEGATED: (_not_negated,),
    mistakes.RIGHT_TO_LEFT: (_right_to_left,),
    mistakes.DEPTH_OFF_BY_ONE: (_another_depth,),
    mistakes.WEIGHTS_IGNORED: (_weights_ignored,),
    mistakes.CUTS_ONLY_BEYOND: (_only_beyond,),
    mistakes.CUTS_ON_EQUALITY: (_on_equality,),
    mistakes.NO_PRUNING: (_minimax,),
    mistakes.CUTS_THE_CAUSE: (_crosses_the_cause,),
    mistakes.CUTS_BENEATH: (_crosses_beneath,),
    mistakes.CUTS_ABOVE: (_crosses_above,),
    mistakes.WINDOW_NOT_PASSED: (_astray(_full_window),),
    mistakes.PARENT_BOUND_ONLY: (_astray(_own_bound),),
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


def slips(exercise: Exercise, answer: Answer, nodes: list[Node]) -> Iterator[tuple[Node, Answer]]:
    """What one slip leads to: at each of these nodes the value that the student wrote, and all else right from it."""
    tree = exercise.searched_tree
    right = correct_answer(exercise)
    for node in nodes:
        value = (answer.values or {}).get(node.index)
        if value is None or value == (right.values or {}).get(node.index):
            continue
        yield node, _slipped(exercise, right, tree, node, value)


def _slipped(exercise: Exercise, right: Answer, tree: Tree, node: Node, value: Number) -> Answer:
    """The right search up to a node's value; from there on with another value."""
    if node.index == 0:
        return replace(right, values={**(right.values or {}), 0: value})
    draft, places = TreeBuilder(), {-1: -1}
    below = range(node.index + 1, tree.subtree_end[node.index])
    for each in tree:
        if each.index not in below:
            player, weights = (None, ()) if each is node else (each.player, each.weights)
            said = value if each is node else each.value
            places[each.index] = draft.add(places[each.parent], player, id=each.id, value=said, weights=weights)
    shorter = draft.build()
    after = _renamed(exercise, answer_from_trace(exercise, Trace(shorter, exercise.rules)), shorter)
    inside = range(node.index, tree.subtree_end[node.index])
    if after.values is not None:
        after.values |= {i: v for i, v in (right.values or {}).items() if i in below} | {node.index: value}
    if after.windows is not None:
        after.windows |= {place: w for place, w in (right.windows or {}).items() if place[0] in inside}
    if after.cuts is not None:
        after.cuts |= {index for index in right.cuts or () if index in below}
    if after.order is not None and node.index in after.order:
        at = after.order.index(node.index)
        visited = tuple(index for index in right.order or () if index in below)
        after.order = (*after.order[: at + 1], *visited, *after.order[at + 1 :])
    return after
