"""The cases that a student's program is tried on: seeded trees of many shapes, trees of the lectures, small games.

Of several trees that a seed gives for a case the one is taken on which most mistakes show that have not shown yet. So a
few cases tell many mistakes apart, and a program cannot be right by accident.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from random import Random
from typing import Any

from zermelo.core.game import MAX, MIN
from zermelo.errors import LimitError
from zermelo.search.textbook import MINIMAX
from zermelo.teaching.exercises import program_behaviour as behaviour
from zermelo.teaching.exercises.program_behaviour import Behaviour, SolverOptions
from zermelo.teaching.tree import game_tree, random_tree
from zermelo.teaching.tree.convention import ALPHABETA, EXPECTIMINIMAX, Convention
from zermelo.teaching.tree.node import Tree
from zermelo.teaching.tree.numbers import Number
from zermelo.teaching.tree.parsing import read
from zermelo.teaching.tree.trace import Trace, trace

FUNCTIONS = (ALPHABETA, MINIMAX, EXPECTIMINIMAX)
#: The most cases of one check: more tell nothing more.
MAX_CASES = 500
#: How many trees are drawn for a random case.
DRAWN = 6


@dataclass(frozen=True, eq=False)
class CheckCase:
    """A case: the function is called with the tree's root and the depth."""

    name: str
    #: What is special about it, in a few words.
    about: str
    tree: Tree
    depth: int
    convention: Convention
    _behaved: dict[SolverOptions, Behaviour] = field(default_factory=dict, repr=False)

    @cached_property
    def truth(self) -> Trace:
        """The search as it should be."""
        return trace(self.tree, self.convention, depth=self.depth)

    @cached_property
    def searched(self) -> tuple[int, ...]:
        """The nodes that the search looks at, in order."""
        return tuple(node.index for node in self.truth.visited)

    @cached_property
    def best(self) -> tuple[int, ...]:
        """The best moves at the root, children by number: all that are worth what the root is."""
        whole = replace(self.convention, algorithm=MINIMAX)
        found = trace(self.tree, whole, depth=self.depth)
        if found.best is None:
            return ()
        children = enumerate(self.tree.root.children)
        return tuple(number for number, child in children if found.records[child].returned == self.value)

    @property
    def value(self) -> Number:
        return self.truth.value

    def behaviour(self, options: SolverOptions) -> Behaviour:
        """What a program of these options does here."""
        if options not in self._behaved:
            self._behaved[options] = behaviour.behaviour(self.tree, self.depth, options)
        return self._behaved[options]

    def shows(self, options: SolverOptions, sound: SolverOptions) -> bool:
        """Whether these options differ here from the sound ones in what can be seen."""
        return self.behaviour(options) != self.behaviour(sound)


#: A case in the making: what is special about it, and its tree and depth for a seed.
_Recipe = tuple[str, Callable[[int], tuple[Tree, int]]]


def trials(seed: int, count: int, convention: Convention) -> list[CheckCase]:
    """The cases of a seed; the first of them are a fair check already. Raises `LimitError` for a count out of range."""
    if not 1 <= count <= MAX_CASES:
        raise LimitError(f"{count} cases; a check has from 1 to {MAX_CASES}")
    if type(seed) is not int or not 0 <= seed < 1 << 64:
        raise LimitError(f"seed {seed} is not a whole number from 0 up to 2^64")
    recipes = _WITH_CHANCE if convention.algorithm == EXPECTIMINIMAX else _WITHOUT_CHANCE
    sound = behaviour.right(convention.algorithm, convention.cut == "strict")
    # How often each way of each mistake has shown.
    unseen = {
        options: 0
        for mistake in behaviour.possible(sound, recipes is _WITH_CHANCE)
        for options in behaviour.wrong(mistake, sound)
    }
    chosen: list[CheckCase] = []
    for number in range(count):
        about, tree_of = recipes[number % len(recipes)]
        drawn: list[CheckCase] = []
        for again in range(DRAWN):
            tree, depth = tree_of((seed * MAX_CASES + number) * DRAWN + again)
            drawn.append(CheckCase(f"case {number + 1}", about, tree, depth, convention))
            if not tree.name.startswith("seed"):
                break  # a tree that no seed changes
        best = max(
            drawn, key=lambda each: sum(each.shows(options, sound) / (1 + unseen[options]) for options in unseen)
        )
        for options in unseen:
            unseen[options] += best.shows(options, sound)
        chosen.append(best)
    return chosen


# ---- random trees -----------------------------------------------------------------------------------------------


def _sown(*, searched: int | None = None, turns: bool = False, **spec: Any) -> Callable[[int], tuple[Tree, int]]:
    """Trees sown with these spec, searched to a depth (None: to the leaves), with players in `turns` of no order."""

    def tree_of(seed: int) -> tuple[Tree, int]:
        tree = random_tree(seed, **spec)
        if turns:
            chances = Random(seed).random
            nodes = [
                node._replace(player=MAX if chances() < 0.5 else MIN) if node.player in (MAX, MIN) else node
                for node in tree.nodes
            ]
            tree = Tree(nodes, tree.name)
        return tree, max(tree.depth, 1) if searched is None else searched

    return tree_of


# ---- the lectures' trees, and small games -----------------------------------------------------------------------


def _written(brackets: str) -> Callable[[int], tuple[Tree, int]]:
    def tree_of(_: int) -> tuple[Tree, int]:
        tree = read(brackets)
        return tree, max(tree.depth, 1)

    return tree_of


def _tictactoe(position: str, depth: int, evaluation: str | None = None) -> Callable[[int], tuple[Tree, int]]:
    """A late position of tic-tac-toe, all of its tree there, searched to a depth."""

    def tree_of(_: int) -> tuple[Tree, int]:
        from zermelo.games.tictactoe import TicTacToe

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
    ("Russell and Norvig's tree", _written(_AIMA)),
    ("deep: two moves each time", _sown(branching=(2, 2), depth=(5, 5))),
    ("many equal values", _sown(branching=(3, 3), depth=(3, 3), values=(0, 3))),
    ("a leaf here, a leaf there", _sown(branching=(1, 4), depth=(1, 5))),
    ("players not in turns", _sown(branching=(2, 3), depth=(4, 4), turns=True)),
    ("the depth is used up above the leaves", _sown(branching=(2, 3), depth=(4, 4), searched=2)),
    ("MIN begins", _sown(branching=(2, 3), depth=(4, 4), root="min")),
    ("tic-tac-toe to its end", _tictactoe("XOX/-O-/--X", 9)),
    ("the tree of lecture 002", _written(_SKRENTNY)),
    ("leaves above and below the depth", _sown(branching=(2, 3), depth=(1, 5), searched=3)),
    ("equal values, players not in turns", _sown(branching=(2, 3), depth=(4, 4), values=(-1, 1), turns=True)),
    ("seven pennies", _pennies("7")),
    ("wide", _sown(branching=(5, 6), depth=(2, 2), values=(-20, 20))),
    ("depth 1", _sown(branching=(3, 4), depth=(3, 3), searched=1)),
    ("tic-tac-toe, 2 plies with an evaluation", _tictactoe("X-O/-X-/--O", 2, "lines")),
    ("lecture 000, MIN begins", _written(_JARRAR)),
    ("a game that is over", _written("7")),
    ("depth 0", _sown(branching=(3, 3), depth=(2, 2), searched=0)),
    ("deep, MIN begins", _sown(branching=(2, 2), depth=(6, 6), root="min")),
    ("a single line of moves", _sown(branching=(1, 1), depth=(6, 6))),
)

_WITH_CHANCE: tuple[_Recipe, ...] = (
    ("MAX, chance", _sown(branching=(2, 3), depth=(3, 3), chance=0.5)),
    ("chance begins", _sown(branching=(2, 3), depth=(3, 3), root="chance")),
    ("MIN begins", _sown(branching=(2, 3), depth=(3, 3), root="min", chance=0.4)),
    ("leaves above and below the depth", _sown(branching=(2, 3), depth=(1, 4), searched=2, chance=0.3)),
    ("no chance", _written(_AIMA)),
    ("players not in turns", _sown(branching=(2, 3), depth=(3, 3), turns=True, chance=0.3)),
    ("a game that is over", _written("7")),
    ("depth 0", _sown(branching=(3, 3), depth=(2, 2), searched=0, chance=0.5)),
)
