"""How a program behaves on a tree that makes mistakes of a kind: one solver, with a habit for each mistake.

DELIBERATELY WRONG, and searches nothing for anybody: a student's program is compared with what it does, case by case,
and so the mistake is named. (What mistakes do to an answer on paper, its windows and crosses, is in `wrong.py`.)
What is right comes from `zermelo.teaching.tree.trace` alone; a test holds this solver's right options against it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from itertools import combinations
from math import inf
from typing import NamedTuple

from zermelo.core.game import CHANCE, MAX, MIN
from zermelo.teaching.exercises import mistakes
from zermelo.teaching.exercises.mistakes import Mistake
from zermelo.teaching.tree.node import Node, Tree
from zermelo.teaching.tree.numbers import Bound


@dataclass(frozen=True)
class SolverOptions:
    """What a solver does at each turn of the search; the defaults are alpha-beta as it should be."""

    prunes: bool = True
    #: What cuts: a value `at` the bound, only one `beyond` it, one `below` the node's own bound, or one `at own`.
    cuts: str = "at"
    #: What a child is given: the node's window as it is (`moved`), the `full` one, the node's turned round (`swapped`),
    #: or only what the node itself has found (`own`).
    window: str = "moved"
    #: Whose values move the window.
    moves_alpha: bool = True
    moves_beta: bool = True
    #: Who chooses: the one whose turn it `is`, the `other`, whoever it would be if they took `turns`, MAX or MIN.
    chooser: str = "is"
    backwards: bool = False
    #: How many plies the search goes beyond the depth it should.
    beyond: int = 0
    asks_whether_over: bool = True
    evaluates: bool = True
    weighs: bool = True
    #: Which move is chosen: the `first` best, the `last` of equal ones, the `worst`.
    chooses: str = "first"
    for_the_mover: bool = False
    #: Whether values outside the window are replaced by the bound: no mistake, but it shows where there is one.
    hard: bool = False


class Behaviour(NamedTuple):
    """What can be seen of a program: the value, the move (a child's number), the nodes searched, in order."""

    value: Bound
    move: int | None
    searched: tuple[int, ...]


#: The options that make each mistake; a program shows one of them.
OPTIONS: dict[Mistake, tuple[dict[str, object], ...]] = {
    mistakes.PLAYERS_SWAPPED: ({"chooser": "other"},),
    mistakes.ONE_PLAYER: ({"chooser": "max"}, {"chooser": "min"}),
    mistakes.TAKES_TURNS: ({"chooser": "turns"}, {"chooser": "turns from max"}),
    mistakes.FOR_THE_MOVER: ({"for_the_mover": True},),
    mistakes.RIGHT_TO_LEFT: ({"backwards": True},),
    mistakes.DEPTH_OFF_BY_ONE: ({"beyond": -1}, {"beyond": 1}),
    mistakes.END_IGNORED: ({"asks_whether_over": False},),
    mistakes.NOT_EVALUATED: ({"evaluates": False},),
    mistakes.WEIGHTS_IGNORED: ({"weighs": False},),
    mistakes.CUTS_ONLY_BEYOND: ({"cuts": "beyond"},),
    mistakes.CUTS_ON_EQUALITY: ({"cuts": "at"},),
    mistakes.CUTS_THE_WRONG_WAY: ({"cuts": "below"}, {"cuts": "at own"}),
    mistakes.NO_PRUNING: ({"prunes": False},),
    mistakes.WINDOW_NOT_PASSED: ({"window": "full"},),
    mistakes.PARENT_BOUND_ONLY: ({"window": "own"},),
    mistakes.STALE_WINDOW: ({"moves_alpha": False, "moves_beta": False},),
    mistakes.ONE_BOUND: ({"moves_alpha": False}, {"moves_beta": False}),
    mistakes.WINDOW_SWAPPED: ({"window": "swapped"},),
    mistakes.WORST_MOVE: ({"chooses": "worst"},),
    mistakes.LAST_OF_EQUALS: ({"chooses": "last"},),
}
#: Those that only a search with a window can make.
_OF_WINDOWS = {"cuts", "window", "moves_alpha", "moves_beta"}


def right(function: str, strict: bool) -> SolverOptions:
    """The options of the search that is asked for: `minimax`, `alphabeta` or `expectiminimax`."""
    return SolverOptions(prunes=function == "alphabeta", cuts="beyond" if strict else "at")


def wrong(mistake: Mistake, options: SolverOptions) -> Iterator[SolverOptions]:
    """The ways to make a mistake in a search that is otherwise as it should be; none where it cannot be made."""
    for changed in OPTIONS[mistake]:
        made = replace(options, **changed)  # type: ignore[arg-type]
        if made == options or (not options.prunes and _OF_WINDOWS & set(changed)):
            continue
        yield made
        if made.prunes:
            yield replace(made, hard=True)


def possible(options: SolverOptions, tree_has_chance: bool = False) -> list[Mistake]:
    """The mistakes that can be made in a search."""
    return [
        mistake
        for mistake in OPTIONS
        if any(True for _ in wrong(mistake, options)) and (tree_has_chance or mistake != mistakes.WEIGHTS_IGNORED)
    ]


def pairs(
    options: SolverOptions, tree_has_chance: bool = False
) -> Iterator[tuple[tuple[Mistake, Mistake], SolverOptions]]:
    """Two mistakes made together, where they are not about the same habit."""
    for one, other in combinations(possible(options, tree_has_chance), 2):
        for first in wrong(one, options):
            for both in wrong(other, first):
                changed = {
                    field.name
                    for field in fields(SolverOptions)
                    if getattr(both, field.name) != getattr(first, field.name)
                }
                if all(getattr(first, name) == getattr(options, name) for name in changed):
                    yield (one, other), both


def behaviour(tree: Tree, depth: int, options: SolverOptions) -> Behaviour:
    """What a program of these options does on a tree."""
    return _Solver(tree, options).solved(depth)


class _Solver:
    """One search with its options; recursive, as the trees of cases are small."""

    def __init__(self, tree: Tree, options: SolverOptions) -> None:
        self.tree = tree
        self.options = options
        self.searched: dict[int, None] = {}

    def solved(self, depth: int) -> Behaviour:
        root = self.tree.root
        value, move = self.visit(root, depth + self.options.beyond, -inf, inf, self._begins(root))
        if self.options.for_the_mover and root.player == MIN:
            value = -value
        return Behaviour(value, move, tuple(self.searched))

    def _begins(self, root: Node) -> int:
        if self.options.chooser == "turns from max" or root.player not in (MAX, MIN):
            return MAX
        return root.player

    def visit(self, node: Node, depth: int, alpha: Bound, beta: Bound, turn: int) -> tuple[Bound, int | None]:
        options = self.options
        self.searched.setdefault(node.index)
        if node.player is None and (options.asks_whether_over or depth <= 0):
            return node.value or 0, None
        if depth <= 0:
            return (node.evaluation or 0) if options.evaluates else 0, None
        if node.player == CHANCE:
            return self._mean(node, depth, turn), None

        chooser = self._chooser(node, turn)
        given = alpha, beta
        best: Bound = -inf if chooser == MAX else inf
        worst: Bound = -best
        move: int | None = None
        numbers = range(len(node.children))
        for number in reversed(numbers) if options.backwards else numbers:
            below = {
                "moved": (alpha, beta),
                "full": (-inf, inf),
                "swapped": (beta, alpha),
                "own": (best, inf) if chooser == MAX else (-inf, best),
            }[options.window]
            child = self.tree.nodes[node.children[number]]
            value, _ = self.visit(child, depth - 1, *below, -turn)
            better = value > best if chooser == MAX else value < best
            if better or (value == best and options.chooses == "last"):
                best = value
                move = number if options.chooses != "worst" else move
            if options.chooses == "worst" and (move is None or (value < worst if chooser == MAX else value > worst)):
                worst, move = value, number
            if options.prunes:
                if self._cuts(value, alpha, beta, chooser):
                    break
                if chooser == MAX and options.moves_alpha:
                    alpha = max(alpha, value)
                if chooser == MIN and options.moves_beta:
                    beta = min(beta, value)
        if options.hard and options.prunes:
            best = max(given[0], min(best, given[1]))
        return best, move

    def _chooser(self, node: Node, turn: int) -> int:
        player = MIN if node.player is None else node.player  # as `if to_move == MAX ... else` takes nobody's turn
        said = self.options.chooser
        if said in ("turns", "turns from max"):
            return turn
        return {"is": player, "other": -player, "max": MAX, "min": MIN}[said]

    def _cuts(self, value: Bound, alpha: Bound, beta: Bound, chooser: int) -> bool:
        near, far = (alpha, beta) if chooser == MAX else (-beta, -alpha)
        told = value if chooser == MAX else -value
        return {"at": told >= far, "beyond": told > far, "below": told <= near, "at own": told >= near}[
            self.options.cuts
        ]

    def _mean(self, node: Node, depth: int, turn: int) -> Bound:
        weights = node.weights if self.options.weighs else (1,) * len(node.children)
        total: Bound = 0
        for weight, index in zip(weights, node.children, strict=True):
            value, _ = self.visit(self.tree.nodes[index], depth - 1, -inf, inf, turn)
            total += weight * value
        return total / sum(weights) if isinstance(total, float) else Fraction(total) / sum(weights)
