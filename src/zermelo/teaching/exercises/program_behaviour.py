"""Simulate programs that make known mistakes: one solver with an option for each mistake.

DELIBERATELY WRONG; never use it to search. `checking` compares a student's program, case by case, with these
simulations to name its mistake. (`wrong_solvers` does the same for answers on paper, with windows and crossed arcs.)
The correct behaviour is defined by `zermelo.teaching.tree.trace` alone; a test compares this solver's default options
with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import lru_cache
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
    """What a simulated program does; the defaults are correct alpha-beta."""

    prunes: bool = True
    #: What causes a cutoff: a value that reaches the bound (`equal`) or exceeds it (`strict`); wrongly, a value that
    #: does not improve on the node's own bound (`below own`), or one that reaches it (`at own`).
    cutoff: str = "equal"
    #: The window passed to a child: the node's `current` window, the `full` one, the current one `swapped`, or only the
    #: node's `own` best value.
    window: str = "current"
    #: Whether MAX nodes update alpha and MIN nodes update beta.
    updates_alpha: bool = True
    updates_beta: bool = True
    #: Who chooses: the player `to move`, the `opponent`, players `alternating` from the root (or from MAX), MAX or MIN.
    chooser: str = "to move"
    right_to_left: bool = False
    #: Plies searched below the depth limit; may be negative.
    extra_plies: int = 0
    tests_for_end: bool = True
    evaluates: bool = True
    uses_weights: bool = True
    #: The move chosen: the `first` of the best, the `last` of the best, or the `worst`.
    chosen_move: str = "first"
    value_for_mover: bool = False
    #: Whether the value of a leaf counts for the side to move there, as negamax without colour does.
    leaves_for_mover: bool = False
    #: Clamps values to the window. Not a mistake, but it changes what a mistake looks like.
    fail_hard: bool = False


class Behaviour(NamedTuple):
    """What can be observed of a program: the value, the move (number of the child) and the searched nodes in order."""

    value: Bound
    move: int | None
    searched: tuple[int, ...]


#: The changes of options that simulate each mistake; a program shows one of them.
CHANGES: dict[Mistake, tuple[dict[str, object], ...]] = {
    mistakes.PLAYERS_SWAPPED: ({"chooser": "opponent"},),
    mistakes.ONE_PLAYER: ({"chooser": "max"}, {"chooser": "min"}),
    mistakes.TAKES_TURNS: ({"chooser": "alternating"}, {"chooser": "alternating from max"}),
    mistakes.FOR_THE_MOVER: ({"value_for_mover": True},),
    mistakes.LEAVES_NOT_NEGATED: (
        {"leaves_for_mover": True, "chooser": "alternating", "value_for_mover": True},
        {"leaves_for_mover": True, "chooser": "alternating"},
        {"leaves_for_mover": True, "value_for_mover": True},
        {"leaves_for_mover": True},
    ),
    mistakes.RIGHT_TO_LEFT: ({"right_to_left": True},),
    mistakes.DEPTH_OFF_BY_ONE: ({"extra_plies": -1}, {"extra_plies": 1}),
    mistakes.END_IGNORED: ({"tests_for_end": False},),
    mistakes.NOT_EVALUATED: ({"evaluates": False},),
    mistakes.WEIGHTS_IGNORED: ({"uses_weights": False},),
    mistakes.CUTS_ONLY_BEYOND: ({"cutoff": "strict"},),
    mistakes.CUTS_ON_EQUALITY: ({"cutoff": "equal"},),
    mistakes.CUTS_THE_WRONG_WAY: ({"cutoff": "below own"}, {"cutoff": "at own"}),
    mistakes.NO_PRUNING: ({"prunes": False},),
    mistakes.WINDOW_NOT_PASSED: ({"window": "full"},),
    mistakes.PARENT_BOUND_ONLY: ({"window": "own"},),
    mistakes.STALE_WINDOW: ({"updates_alpha": False, "updates_beta": False},),
    mistakes.ONE_BOUND: ({"updates_alpha": False}, {"updates_beta": False}),
    mistakes.WINDOW_SWAPPED: ({"window": "swapped"},),
    mistakes.WORST_MOVE: ({"chosen_move": "worst"},),
    mistakes.LAST_OF_EQUALS: ({"chosen_move": "last"},),
}
#: Options that have an effect only in a search that prunes.
_PRUNING_OPTIONS = {"cutoff", "window", "updates_alpha", "updates_beta"}


def correct_options(function: str, strict: bool) -> SolverOptions:
    """The options of a correct `minimax`, `alphabeta` or `expectiminimax`."""
    return SolverOptions(prunes=function == "alphabeta", cutoff="strict" if strict else "equal")


def faulty_options(mistake: Mistake, options: SolverOptions) -> Iterator[SolverOptions]:
    """Change otherwise correct options to make a mistake; yields nothing if it cannot be made."""
    for changes in CHANGES[mistake]:
        changed = replace(options, **changes)  # type: ignore[arg-type]
        if changed == options or (not options.prunes and _PRUNING_OPTIONS & set(changes)):
            continue
        yield changed
        if changed.prunes:
            yield replace(changed, fail_hard=True)


def possible_mistakes(options: SolverOptions, has_chance: bool = False) -> list[Mistake]:
    """The mistakes that can be made in a search with these options, on trees with or without chance nodes."""
    return [
        mistake
        for mistake in CHANGES
        if any(True for _ in faulty_options(mistake, options)) and (has_chance or mistake != mistakes.WEIGHTS_IGNORED)
    ]


@lru_cache(maxsize=8)
def single_mistakes(options: SolverOptions, has_chance: bool = False) -> tuple[SolverOptions, ...]:
    """All forms of all mistakes, one at a time."""
    mistakes = possible_mistakes(options, has_chance)
    return tuple(faulty for mistake in mistakes for faulty in faulty_options(mistake, options))


def mistake_pairs(
    options: SolverOptions, has_chance: bool = False
) -> Iterator[tuple[tuple[Mistake, Mistake], SolverOptions]]:
    """Pairs of mistakes made together that change different options."""
    for one, other in combinations(possible_mistakes(options, has_chance), 2):
        for first in faulty_options(one, options):
            for both in faulty_options(other, first):
                names = [field.name for field in fields(SolverOptions)]
                changed = [name for name in names if getattr(both, name) != getattr(first, name)]
                if all(getattr(first, name) == getattr(options, name) for name in changed):
                    yield (one, other), both


def simulate(tree: Tree, depth: int, options: SolverOptions) -> Behaviour:
    """Simulate a program with these options on a tree."""
    return _Solver(tree, options).solve(depth)


class _Solver:
    """One simulated search. It is recursive, since the trees of cases are small."""

    def __init__(self, tree: Tree, options: SolverOptions) -> None:
        self.tree = tree
        self.options = options
        self.searched: dict[int, None] = {}

    def solve(self, depth: int) -> Behaviour:
        root = self.tree.root
        value, move = self._visit(root, depth + self.options.extra_plies, -inf, inf, self._first_player(root))
        if self.options.value_for_mover and root.player == MIN:
            value = -value
        return Behaviour(value, move, tuple(self.searched))

    def _first_player(self, root: Node) -> int:
        if self.options.chooser == "alternating from max" or root.player not in (MAX, MIN):
            return MAX
        return root.player

    def _visit(self, node: Node, depth: int, alpha: Bound, beta: Bound, turn: int) -> tuple[Bound, int | None]:
        """Search a node; `turn` is the player to move if the players alternated."""
        options = self.options
        self.searched.setdefault(node.index)
        if node.player is None and (options.tests_for_end or depth <= 0):
            return self._sign(node, turn) * (node.value or 0), None
        if depth <= 0:
            return self._sign(node, turn) * (node.evaluation or 0) if options.evaluates else 0, None
        if node.player == CHANCE:
            return self._mean(node, depth, turn), None

        chooser = self._chooser(node, turn)
        entry = alpha, beta
        best: Bound = -inf if chooser == MAX else inf
        worst: Bound = -best
        move: int | None = None
        numbers = range(len(node.children))
        for number in reversed(numbers) if options.right_to_left else numbers:
            window = {
                "current": (alpha, beta),
                "full": (-inf, inf),
                "swapped": (beta, alpha),
                "own": (best, inf) if chooser == MAX else (-inf, best),
            }[options.window]
            child = self.tree.nodes[node.children[number]]
            value, _ = self._visit(child, depth - 1, *window, -turn)
            is_better = value > best if chooser == MAX else value < best
            if is_better or (value == best and options.chosen_move == "last"):
                best = value
                move = number if options.chosen_move != "worst" else move
            is_worse = value < worst if chooser == MAX else value > worst
            if options.chosen_move == "worst" and (move is None or is_worse):
                worst, move = value, number
            if options.prunes:
                if self._is_cutoff(value, alpha, beta, chooser):
                    break
                if chooser == MAX and options.updates_alpha:
                    alpha = max(alpha, value)
                if chooser == MIN and options.updates_beta:
                    beta = min(beta, value)
        if options.fail_hard and options.prunes:
            best = max(entry[0], min(best, entry[1]))
        return best, move

    def _sign(self, node: Node, turn: int) -> int:
        """The sign that the value of a leaf has for MAX: -1 if it is taken as MIN's, who is to move."""
        if not self.options.leaves_for_mover:
            return 1
        if self.options.chooser == "to move" and node.player in (MAX, MIN):
            return node.player
        if self.options.chooser == "to move" and node.parent >= 0:
            return -1 if self.tree.nodes[node.parent].player == MAX else 1
        return turn

    def _chooser(self, node: Node, turn: int) -> int:
        # A finished game has no player to move; `if to_move == MAX ... else ...` treats it as MIN's turn.
        player = MIN if node.player is None else node.player
        if self.options.chooser in ("alternating", "alternating from max"):
            return turn
        return {"to move": player, "opponent": -player, "max": MAX, "min": MIN}[self.options.chooser]

    def _is_cutoff(self, value: Bound, alpha: Bound, beta: Bound, chooser: int) -> bool:
        own, opponent = (alpha, beta) if chooser == MAX else (-beta, -alpha)
        value = value if chooser == MAX else -value
        return {
            "equal": value >= opponent,
            "strict": value > opponent,
            "below own": value <= own,
            "at own": value >= own,
        }[self.options.cutoff]

    def _mean(self, node: Node, depth: int, turn: int) -> Bound:
        weights = node.weights if self.options.uses_weights else (1,) * len(node.children)
        total: Bound = 0
        for weight, index in zip(weights, node.children, strict=True):
            value, _ = self._visit(self.tree.nodes[index], depth - 1, -inf, inf, turn)
            total += weight * value
        return total / sum(weights) if isinstance(total, float) else Fraction(total) / sum(weights)
