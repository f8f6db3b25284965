"""Replay the search of an exercise with given faults: what a student who makes them writes down.

Without faults a replay visits, prunes and returns exactly what the textbook search does; tests compare the two under
every convention. With faults it is DELIBERATELY WRONG: the grader uses it for follow-through credit and for the
diagnosis. Never use it to search.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields
from fractions import Fraction
from math import inf
from typing import Any

from zermelo.core.game import CHANCE, MAX, MIN
from zermelo.errors import TreeError
from zermelo.search.textbook import FAIL_HARD, PATH
from zermelo.teaching.exercises.answers import Answer
from zermelo.teaching.exercises.exercise import BEST, CUTS, ORDER, VALUES, WINDOWS, Exercise, window_of_kind
from zermelo.teaching.tree.convention import STRICT
from zermelo.teaching.tree.node import Node
from zermelo.teaching.tree.numbers import Bound, Number
from zermelo.teaching.tree.trace import Window

FULL: Window = (-inf, inf)

#: What a child gets as its window: the parent's current window, the full window, or only the parent's own bound.
CURRENT, NOTHING, PARENT_ONLY = "current", "nothing", "parent only"
#: When a node stops: on the bound of its window (`>=` or `>`), never, on its own bound instead of the opponent's, on
#: the wrong side of it, or only on a bound of its parent (deep cutoffs are missed).
ON_EQUAL, ON_STRICT, NEVER, OWN_BOUND, WRONG_SIDE, SHALLOW = "equal", "strict", "never", "own", "wrong side", "shallow"


@dataclass(frozen=True)
class Faults:
    """Faults of a search. Nodes are given by index; all values are for MAX.

    Attributes
    ----------
    flipped : frozenset of int
        Nodes where the wrong player chooses.
    values : mapping of int to number
        Values that nodes return instead of the computed ones.
    stops : mapping of int to int
        Number of children that a node visits, whatever its window.
    entries : mapping of int to Window
        Entry windows that nodes use instead of those passed down.
    leaves : mapping of int to number
        Inner nodes that are not searched, with the value they get.
    read_negated : frozenset of int
        Nodes that read the values of their children with the wrong sign.
    negates_leaves : bool
        Whether leaves below MAX nodes have the wrong sign (negamax without colour).
    ignores_weights : bool
        Whether all children of a chance node have the same weight.
    right_to_left : bool
        Whether children are visited from right to left.
    pass_down, cutoff, variant : str
        The window a child gets, when a node stops, and what it returns outside its window; "" as in the convention.
    """

    flipped: frozenset[int] = frozenset()
    values: Mapping[int, Number] = field(default_factory=dict)
    stops: Mapping[int, int] = field(default_factory=dict)
    entries: Mapping[int, Window] = field(default_factory=dict)
    leaves: Mapping[int, Number] = field(default_factory=dict)
    read_negated: frozenset[int] = frozenset()
    negates_leaves: bool = False
    ignores_weights: bool = False
    right_to_left: bool = False
    pass_down: str = CURRENT
    cutoff: str = ""
    variant: str = ""

    def __or__(self, other: Faults) -> Faults:
        """Both faults together. Where they contradict each other, those of `other` count."""
        merged: dict[str, Any] = {}
        for each in fields(self):
            mine, theirs = getattr(self, each.name), getattr(other, each.name)
            if each.name == "pass_down":
                merged[each.name] = mine if theirs == CURRENT else theirs
            elif isinstance(mine, frozenset | dict):
                merged[each.name] = mine | theirs
            else:
                merged[each.name] = theirs or mine
        return Faults(**merged)


NO_FAULTS = Faults()


def replay(exercise: Exercise, faults: Faults = NO_FAULTS, parts: Collection[str] | None = None) -> Answer:
    """Search an exercise with faults and return the answer that results.

    Parameters
    ----------
    exercise : Exercise
        The exercise that was set.
    faults : Faults
        What is done wrongly; by default nothing, which gives the correct answer.
    parts : collection of str, optional
        The parts to answer; by default those that are asked for.

    Returns
    -------
    Answer
        Entries for these parts.

    Raises
    ------
    TreeError
        If the search reads a leaf without a value.
    """
    return _Replay(exercise, faults, exercise.marks if parts is None else parts).answer()


class _Replay:
    """One search. It is recursive, since trees of exercises have at most `exercise.MAX_DEPTH` plies."""

    def __init__(self, exercise: Exercise, faults: Faults, parts: Collection[str]) -> None:
        convention = exercise.search_convention
        self.exercise, self.faults, self.nodes = exercise, faults, exercise.searched_tree.nodes
        self.prunes = convention.prunes
        self.is_strict = convention.cut == STRICT
        self.cutoff = faults.cutoff or (ON_STRICT if self.is_strict else ON_EQUAL)
        self.variant = (faults.variant or convention.variant) if self.prunes else ""
        self.parts = parts
        self.kinds = exercise.window_kinds if WINDOWS in parts else ()
        self.values: dict[int, Number] = {}
        self.windows: dict[tuple[int, str], Window] = {}
        self.cuts: set[int] = set()
        self.order: list[int] = []
        self.best: int | None = None

    def answer(self) -> Answer:
        self._visit(0, FULL, None, 0)
        parts = self.parts
        return Answer(
            values=self.values if VALUES in parts else None,
            windows=self.windows if WINDOWS in parts else None,
            cuts=frozenset(self.cuts) if CUTS in parts else None,
            order=tuple(self.order) if ORDER in parts else None,
            best=self.best if BEST in parts else None,
        )

    def _visit(self, index: int, passed: Window, above: Number | None, chooser: int) -> Number:
        """Visit a node; `above` is the best value so far of its parent, where `chooser` chooses."""
        self.order.append(index)
        node, faults = self.nodes[index], self.faults
        if index in faults.leaves:
            self.values[index] = faults.leaves[index]
            return faults.leaves[index]
        if node.player is None:
            if node.value is None:
                raise TreeError(f"leaf {node.id!r} has no value")
            return -node.value if faults.negates_leaves and chooser == MAX else node.value
        value = self._mean(node) if node.player == CHANCE else self._choose(node, passed, above, chooser)
        self.values[index] = value = faults.values.get(index, value)
        return value

    def _mean(self, node: Node) -> Number:
        weights = (1,) * len(node.weights) if self.faults.ignores_weights else node.weights
        pairs = list(zip(weights, node.children, strict=True))
        if self.faults.right_to_left:
            pairs.reverse()
        total = sum(weight * self._visit(child, FULL, None, CHANCE) for weight, child in pairs)
        mean = Fraction(total) / sum(weights)
        return mean.numerator if mean.denominator == 1 else mean

    def _choose(self, node: Node, passed: Window, above: Number | None, chooser: int) -> Number:
        faults, index = self.faults, node.index
        player = MAX if (node.player == MAX) != (index in faults.flipped) else MIN
        is_max = player == MAX
        entry = faults.entries.get(index, passed)
        alpha, beta = entry
        bound = above if chooser == -player else None
        negated, stop = index in faults.read_negated, faults.stops.get(index)
        children = node.children[::-1] if faults.right_to_left else node.children
        own: Number | None = None
        is_cut = False
        for visited, child in enumerate(children, 1):
            if faults.pass_down == CURRENT:
                window: Window = (alpha, beta)
            elif faults.pass_down == NOTHING or own is None:
                window = FULL
            else:
                window = (own, inf) if is_max else (-inf, own)
            value = self._visit(child, window, own, player)
            if negated:
                value = -value
            if own is None or (value > own if is_max else value < own):
                own = value
                if index == 0:
                    self.best = child
            if is_max:
                alpha = max(alpha, value)
            else:
                beta = min(beta, value)
            if stop is not None:
                stops = visited >= stop
            else:
                stops = self.prunes and self._is_cutoff(value, entry, (alpha, beta), bound, is_max)
            if stops:
                self.cuts.update(children[visited:])
                is_cut = visited < len(children)
                break
        assert own is not None
        if player != node.player:
            node = node._replace(player=player)
        for kind in self.kinds:
            shown = window_of_kind(kind, node, entry, (alpha, beta), own, is_cut=is_cut)
            if shown is not None:
                self.windows[index, kind] = shown
        return self._returned(own, entry, is_max)

    def _is_cutoff(self, value: Number, entry: Window, window: Window, above: Number | None, is_max: bool) -> bool:
        rule, (alpha, beta) = self.cutoff, window
        if rule == ON_EQUAL:
            return alpha >= beta
        if rule == ON_STRICT:
            return alpha > beta
        if rule == NEVER:
            return False
        if rule == SHALLOW:
            if above is None or value == above:
                return above is not None and not self.is_strict
            return (value > above) == is_max
        bound = entry[0] if is_max else entry[1]
        if isinstance(bound, float):
            return False
        return value >= bound if is_max == (rule == OWN_BOUND) else value <= bound

    def _returned(self, own: Number, entry: Window, is_max: bool) -> Number:
        alpha, beta = entry
        if self.variant == FAIL_HARD:
            return _finite(max(alpha, min(own, beta)), own)
        if self.variant == PATH:
            return _finite(max(own, alpha) if is_max else min(own, beta), own)
        return own


def _finite(bound: Bound, own: Number) -> Number:
    return own if isinstance(bound, float) else bound


def all_choices(exercise: Exercise, player: int | None = None) -> frozenset[int]:
    """The nodes where a player chooses: MAX, MIN, or either."""
    players = (MAX, MIN) if player is None else (player,)
    return frozenset(node.index for node in exercise.searched_tree if node.player in players)
