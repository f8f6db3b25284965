"""Test cases for students' programs: random trees of many shapes, trees from lectures, and small games.

For a random case several trees are drawn, and the one that reveals the most mistakes not yet revealed is taken. So a
few cases distinguish many mistakes, and a program is unlikely to be correct by accident.

The states that a program searches may say nothing about how it found the value: minimax visits them all, whatever it
does with the values. So a case has variants, the same tree with its values at other nodes. A guess is wrong in at
least one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import inf
from random import Random
from typing import Any

from zermelo.core.game import CHANCE, MAX, MIN
from zermelo.errors import LimitError
from zermelo.search.textbook import MINIMAX
from zermelo.teaching.exercises import program_behaviour
from zermelo.teaching.exercises.program_behaviour import Behaviour, SolverOptions
from zermelo.teaching.tree import game_tree, random_tree
from zermelo.teaching.tree.convention import ALPHABETA, EXPECTIMINIMAX, Convention
from zermelo.teaching.tree.move_orders import reordered
from zermelo.teaching.tree.node import Node, Tree
from zermelo.teaching.tree.numbers import Bound, Number
from zermelo.teaching.tree.parsing import read, to_brackets
from zermelo.teaching.tree.trace import Trace, trace

FUNCTIONS = (ALPHABETA, MINIMAX, EXPECTIMINIMAX)
#: Maximum number of cases of one check.
MAX_CASES = 500
#: Number of trees drawn for a random case.
DRAWS = 6
#: Number of variants of a case, and of permutations drawn to find them. The best rules of `test_guessing` guess two of
#: three values right, so they pass one case in five without variants that differ in their value.
VARIANTS, VARIANT_DRAWS = 3, 30
#: Added to the seeds of variants. It exceeds the seed of any tree: the random numbers that a tree's values are made of
#: would put them in order.
_VARIANT_SEEDS = 1 << 80


@dataclass(frozen=True, eq=False)
class CheckCase:
    """One case: the program's function is called with the root of a tree and a depth.

    Attributes
    ----------
    name : str
        The case and its number.
    about : str
        What is special about the tree, in a few words.
    tree : Tree
        The game tree.
    depth : int
        Search depth in plies.
    convention : Convention
        The algorithm and the cutoff rule.
    seed : int
        Seed of the variants.
    """

    name: str
    about: str
    tree: Tree
    depth: int
    convention: Convention
    seed: int = 0
    _simulated: dict[SolverOptions, Behaviour] = field(default_factory=dict, repr=False)

    @cached_property
    def solution(self) -> Trace:
        """The correct search."""
        return trace(self.tree, self.convention, depth=self.depth)

    @cached_property
    def searched(self) -> tuple[int, ...]:
        """The nodes that the correct search visits, in order."""
        return tuple(node.index for node in self.solution.visited)

    @cached_property
    def best(self) -> tuple[int, ...]:
        """The best moves at the root, as numbers of the children."""
        minimax = replace(self.convention, algorithm=MINIMAX)
        found = trace(self.tree, minimax, depth=self.depth)
        if found.best is None:
            return ()
        children = enumerate(self.tree.root.children)
        return tuple(number for number, child in children if found.records[child].returned == self.value)

    @cached_property
    def moves_twice(self) -> bool:
        """Whether a player moves twice in a row above the depth limit."""
        nodes = self.tree.nodes
        return any(
            node.depth < self.depth and node.parent >= 0 and node.player == nodes[node.parent].player != CHANCE
            for node in nodes
        )

    @cached_property
    def choices(self) -> int:
        """The most nodes with several children on a line of moves above the depth limit."""
        most = [0] * len(self.tree)
        for node in reversed(self.tree.nodes):
            if node.depth < self.depth and node.children:
                most[node.index] = max(most[child] for child in node.children) + (len(node.children) > 1)
        return most[0]

    @cached_property
    def variants(self) -> tuple[CheckCase, ...]:
        """The same tree with its values at other nodes, so that the correct value changes.

        The values that a search reads stay among the nodes where it reads them, so a rule that knows only these values,
        in whatever order, is wrong in a variant. Values that only a mistaken search reads move as well. If no order
        changes the correct value, low or high values are repeated. The tree of a game has no variants, since its values
        belong to visible positions.
        """
        if self.tree.root.state:
            return ()
        random = Random(self.seed + _VARIANT_SEEDS).random
        different: list[CheckCase] = []  # each with another value
        others: list[CheckCase] = []
        for draw in range(2 * VARIANT_DRAWS):
            variant = replace(self, tree=self._with_moved_values(random, draw - VARIANT_DRAWS), _simulated={})
            values = [each.simulate(self.correct_options).value for each in (self, *different)]
            value = variant.simulate(self.correct_options).value
            if value not in values:
                different.append(variant)
            elif value != values[0]:
                others.append(variant)
            if len(different) == VARIANTS or (draw >= VARIANT_DRAWS and len(different) + len(others) >= VARIANTS):
                break
        return tuple((different + others)[:VARIANTS])

    def _with_moved_values(self, random: Callable[[], float], repeated: int) -> Tree:
        """The tree with its values at other nodes; from 0 on, `repeated` low values (if even) or high ones."""
        nodes = self.tree.nodes
        values = [node.value if node.is_leaf else node.evaluation for node in nodes]
        moved = values.copy()
        is_read = [node.depth <= self.depth and (node.is_leaf or node.depth == self.depth) for node in nodes]
        for kind in (True, False):
            places = [index for index, value in enumerate(values) if value is not None and is_read[index] == kind]
            pool = [values[place] for place in sorted(places, key=lambda _: random())]
            if repeated >= 0:
                extreme = (min, max)[repeated % 2]
                pool = [extreme((pool[int(random() * len(pool))] for _ in range(3)), key=_number) for _ in pool]
            for place, value in zip(places, pool, strict=True):
                moved[place] = value
        fields = ["value" if node.is_leaf else "evaluation" for node in nodes]
        return Tree(map(_replaced, nodes, fields, moved), self.tree.name)

    @property
    def reveals_guessing(self) -> bool:
        """Whether a program must search to be right in the case and its variants, more than two choices deep."""
        return self.choices > 2 and bool(self.variants)

    @property
    def value(self) -> Number:
        """The correct value."""
        return self.solution.value

    @cached_property
    def correct_options(self) -> SolverOptions:
        """The options of a correct program."""
        return program_behaviour.correct_options(self.convention.algorithm, self.convention.cut == "strict")

    @property
    def mistakes(self) -> tuple[SolverOptions, ...]:
        """The options of programs that make one known mistake."""
        has_chance = self.convention.algorithm == EXPECTIMINIMAX
        return program_behaviour.single_mistakes(self.correct_options, has_chance)

    def is_determined_by(self, searched: Collection[int]) -> bool:
        """Whether the value follows from these nodes alone, whatever the values of all others are."""
        low, high = self._bounds(0, self.depth, searched)
        return low == high

    def _bounds(self, index: int, depth: int, searched: Collection[int]) -> tuple[Bound, Bound]:
        """The least and the greatest value that a node can have if only the searched ones are known."""
        if index not in searched:
            return -inf, inf
        node = self.tree.nodes[index]
        if node.player is None or depth <= 0:
            value = (node.value if node.player is None else node.evaluation) or 0
            return value, value
        lows, highs = zip(*(self._bounds(child, depth - 1, searched) for child in node.children), strict=True)
        if node.player == CHANCE:
            return _mean(node.weights, lows), _mean(node.weights, highs)
        choose = max if node.player == MAX else min
        return choose(lows), choose(highs)

    def simulate(self, options: SolverOptions) -> Behaviour:
        """The behaviour of a program with these options on this case."""
        if options not in self._simulated:
            self._simulated[options] = program_behaviour.simulate(self.tree, self.depth, options)
        return self._simulated[options]

    def reveals(self, options: SolverOptions, correct: SolverOptions) -> bool:
        """Whether a program with these options can be distinguished from the correct one on this case."""
        return self.simulate(options) != self.simulate(correct)


def _replaced(node: Node, field: str, value: Number | None) -> Node:
    return node._replace(**{field: value})  # type: ignore[arg-type]


def _number(value: Number | None) -> Number:
    assert value is not None
    return value


def _mean(weights: Sequence[int], values: Sequence[Bound]) -> Bound:
    """The weighted mean of values, which may be infinite; an outcome of weight 0 does not count."""
    total: Bound = sum(weight * value for weight, value in zip(weights, values, strict=True) if weight)
    return total / Fraction(sum(weights))


#: What is special about a case, and a function that returns its tree and depth for a seed.
_Recipe = tuple[str, Callable[[int], tuple[Tree, int]]]


def make_cases(seed: int, count: int, convention: Convention) -> list[CheckCase]:
    """The cases of a seed; the first ten distinguish most mistakes. Raises `LimitError` for a bad count or seed."""
    if not 1 <= count <= MAX_CASES:
        raise LimitError(f"cases must be from 1 to {MAX_CASES} (got {count})")
    if type(seed) is not int or not 0 <= seed < 1 << 64:
        raise LimitError(f"seed must be an integer from 0 to 2^64 - 1 (got {seed})")
    recipes = _WITH_CHANCE if convention.algorithm == EXPECTIMINIMAX else _WITHOUT_CHANCE
    correct = program_behaviour.correct_options(convention.algorithm, convention.cut == "strict")
    # Number of chosen cases that reveal each form of each mistake.
    revealed = dict.fromkeys(program_behaviour.single_mistakes(correct, recipes is _WITH_CHANCE), 0)
    chosen: list[CheckCase] = []
    for number in range(count):
        about, tree_of = recipes[number % len(recipes)]
        candidates: list[CheckCase] = []
        for draw in range(DRAWS):
            tree_seed = (seed * MAX_CASES + number) * DRAWS + draw
            tree, depth = tree_of(tree_seed)
            candidates.append(CheckCase(f"case {number + 1}", about, tree, depth, convention, tree_seed))
            if not tree.name.startswith("seed"):
                break  # the tree does not depend on the seed

        def novelty(case: CheckCase) -> float:
            return sum(case.reveals(options, correct) / (1 + count) for options, count in revealed.items())

        best = max(candidates, key=novelty)
        for options in revealed:
            revealed[options] += best.reveals(options, correct)
        chosen.append(best)
    return chosen


# ---- random trees -----------------------------------------------------------------------------------------------


def _random(
    *, searched: int | None = None, random_players: bool = False, **shape: Any
) -> Callable[[int], tuple[Tree, int]]:
    """Random trees of a shape, searched to a depth (by default to the leaves), with or without alternating players."""

    def tree_of(seed: int) -> tuple[Tree, int]:
        tree = random_tree(seed, **shape)
        if random_players:
            random = Random(seed).random
            nodes = [
                node._replace(player=MAX if random() < 0.5 else MIN) if node.player in (MAX, MIN) else node
                for node in tree.nodes
            ]
            tree = Tree(nodes, tree.name)
        return tree, max(tree.depth, 1) if searched is None else searched

    return tree_of


# ---- trees of lectures, and small games -------------------------------------------------------------------------


def _given(brackets: str) -> Callable[[int], tuple[Tree, int]]:
    def tree_of(_: int) -> tuple[Tree, int]:
        tree = read(brackets)
        return tree, max(tree.depth, 1)

    return tree_of


def _shuffled(recipe: Callable[[int], tuple[Tree, int]]) -> Callable[[int], tuple[Tree, int]]:
    """A known tree with the children of each node in random order, so that a program cannot replay its search."""

    def tree_of(seed: int) -> tuple[Tree, int]:
        tree, depth = recipe(seed)
        random = Random(seed).random
        tree = reordered(tree, [random() for _ in tree])
        # Names of nodes without positions would show the order.
        return tree if tree.root.state else read(to_brackets(tree)), depth

    return tree_of


def _tictactoe(position: str, depth: int, evaluation: str | None = None) -> Callable[[int], tuple[Tree, int]]:
    """The whole tree of a late tic-tac-toe position, searched to a depth."""

    def tree_of(_: int) -> tuple[Tree, int]:
        from zermelo.games.tictactoe import TicTacToe

        if evaluation is None:
            return game_tree(TicTacToe.parse(position), 9, "nothing", rank_wins=False), depth
        return game_tree(TicTacToe.parse(position), 9, evaluation), depth

    return tree_of


def _pennies(piles: str) -> Callable[[int], tuple[Tree, int]]:
    def tree_of(_: int) -> tuple[Tree, int]:
        from zermelo.games.pennies import Pennies

        tree = game_tree(Pennies.parse(piles), 60)
        return tree, tree.depth

    return tree_of


_AIMA = "[[3,12,8],[2,4,6],[14,5,2]]"  # Russell and Norvig, fig. 5.2
_SKRENTNY = "[[[4,[-3,-5]],-5],[3,8,[9,-6,0]],0,[[3,5],2,[-7,-9]]]"  # lecture 002, slides 27 to 50
_JARRAR = ":min[[21,-3],[12,70,-4],[73,-14,100]]"  # lecture 000, slide 35

_WITHOUT_CHANCE: tuple[_Recipe, ...] = (
    ("Russell and Norvig's tree", _given(_AIMA)),
    ("deep, branching factor 2", _random(branching=(2, 2), depth=(5, 5))),
    ("many equal values", _random(branching=(3, 3), depth=(3, 3), values=(0, 3))),
    ("leaves at all depths", _random(branching=(1, 4), depth=(1, 5))),
    ("players do not alternate", _random(branching=(2, 3), depth=(4, 4), random_players=True)),
    ("depth limit above the leaves", _random(branching=(2, 3), depth=(4, 4), searched=2)),
    ("MIN at the root", _random(branching=(2, 3), depth=(4, 4), root="min")),
    ("tic-tac-toe to the end", _shuffled(_tictactoe("XOX/-O-/--X", 9))),
    ("the tree of lecture 002, shuffled", _shuffled(_given(_SKRENTNY))),
    ("leaves above and below the depth limit", _random(branching=(2, 3), depth=(1, 5), searched=3)),
    (
        "equal values, players do not alternate",
        _random(branching=(2, 3), depth=(4, 4), values=(-1, 1), random_players=True),
    ),
    ("seven pennies", _shuffled(_pennies("7"))),
    ("wide", _random(branching=(5, 6), depth=(2, 2), values=(-20, 20))),
    ("depth 1", _random(branching=(3, 4), depth=(3, 3), searched=1)),
    ("tic-tac-toe, 2 plies with an evaluation", _shuffled(_tictactoe("X-O/-X-/--O", 2, "lines"))),
    ("lecture 000, shuffled, MIN at the root", _shuffled(_given(_JARRAR))),
    ("finished game", _given("7")),
    ("depth 0", _random(branching=(3, 3), depth=(2, 2), searched=0)),
    ("deep, MIN at the root", _random(branching=(2, 2), depth=(6, 6), root="min")),
    ("single line of moves", _random(branching=(1, 1), depth=(6, 6))),
)

_WITH_CHANCE: tuple[_Recipe, ...] = (
    ("MAX and chance", _random(branching=(2, 3), depth=(3, 3), chance=0.5)),
    ("chance at the root", _random(branching=(2, 3), depth=(3, 3), root="chance")),
    ("MIN at the root", _random(branching=(2, 3), depth=(3, 3), root="min", chance=0.4)),
    ("leaves above and below the depth limit", _random(branching=(2, 3), depth=(1, 4), searched=2, chance=0.3)),
    ("no chance nodes", _given(_AIMA)),
    ("players do not alternate", _random(branching=(2, 3), depth=(3, 3), random_players=True, chance=0.3)),
    ("finished game", _given("7")),
    ("depth 0", _random(branching=(3, 3), depth=(2, 2), searched=0, chance=0.5)),
)
