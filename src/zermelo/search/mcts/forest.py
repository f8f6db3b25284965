"""The trees of one engine, with one interface: compiled trees, one for each thread, or a tree of the textbook's.

Threads grow trees of their own from seeds of their own, and the statistics of the roots are added (root
parallelization): no locks, and the result depends on the seed and the number of threads alone.

References
----------
- G. Chaslot, M. Winands and J. van den Herik, "Parallel Monte-Carlo Tree Search", Computers and Games 2008.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

from zermelo.compiled import is_native, native
from zermelo.core.evaluation import Evaluation, Nothing
from zermelo.core.game import State
from zermelo.core.history import PositionHistory
from zermelo.core.random_numbers import random_word
from zermelo.search import threads as parallel
from zermelo.search.compiled_textbook import failure
from zermelo.search.context import SearchContext
from zermelo.search.mcts import kernel
from zermelo.search.mcts.formulas import MAX_PLAYOUT_PLIES, reward_of
from zermelo.search.mcts.textbook import Node, TextbookTree
from zermelo.search.mcts.tree import (
    AMAF,
    CHILDREN,
    FIRST,
    LOWER,
    MOVE,
    NODE,
    TOTAL,
    UPPER,
    VISITS,
    Nodes,
    TreeContext,
    add_node,
    new_nodes,
)

# Simulations of a textbook tree between two looks at the clock.
_TEXTBOOK_BATCH = 16


@dataclass(frozen=True)
class Settings:
    """What a tree depends on besides its root; see `TextbookTree` for the parameters."""

    seed: int
    evaluation: Evaluation | None
    playout_plies: int
    exploration: int
    bias_weight: int
    rave: int = 0


@dataclass
class Statistics:
    """The visits and the bounds of a node, of all trees together; rewards are for MAX."""

    move: Any
    visits: int
    total: int
    lower: int
    upper: int

    @property
    def is_solved(self) -> bool:
        """Whether the reward is proven."""
        return self.lower >= self.upper

    def mean(self) -> float:
        """The mean reward, within the bounds; the middle of the scale if there was no visit."""
        if not self.visits:
            return (self.lower + self.upper) / 2
        return min(max(self.total / self.visits, self.lower), self.upper)


class Forest(Protocol):
    """Trees with the same root."""

    @property
    def simulations(self) -> int:
        """Simulations of the current search."""

    @property
    def playout_moves(self) -> int:
        """Random moves played in the playouts since the trees were made."""

    @property
    def longest(self) -> int:
        """Length of the longest path from the root."""

    def grow(self, count: int, deadline: float | None, stop: threading.Event, interrupt: threading.Event) -> None:
        """Run simulations, all trees together; raises `parallel.Stopped` if anything but a proof ends them."""

    def root(self) -> Statistics:
        """The root."""

    def children(self) -> list[Statistics]:
        """The root's children, in the order of the rules."""

    def line(self, move: Any) -> tuple[Any, ...]:
        """The root move and the most visited moves after it."""

    def advance(self, state: State, moves: Sequence[Any], history: Sequence[State] | PositionHistory) -> bool:
        """Make the state that the moves lead to the new root; returns whether it is in the trees."""


def is_ready(state: State, evaluation: Evaluation | None) -> bool:
    """Whether a compiled forest has nothing to compile."""
    arguments = state, evaluation or Nothing(), TreeContext(), new_nodes(1 << 16), SearchContext()
    return is_native(kernel.run_simulations, *arguments)


class CompiledForest:
    """One compiled tree for each search context."""

    def __init__(
        self,
        contexts: list[SearchContext],
        memory: int,
        state: State,
        settings: Settings,
        history: Sequence[State] | PositionHistory,
        moves: Sequence[int],
    ) -> None:
        self.contexts = contexts
        self.state = state
        self.evaluation = settings.evaluation or Nothing()
        self.trees = [TreeContext() for _ in contexts]
        self.nodes = [new_nodes(memory // len(contexts)) for _ in contexts]
        span = reward_of(state.max_utility, state)
        for number, (tree, nodes, ctx) in enumerate(zip(self.trees, self.nodes, contexts, strict=True)):
            tree.rave = settings.rave if state.moves_in_any_order else 0
            tree.size, tree.capacity = 1, len(nodes) // (NODE + AMAF if tree.rave else NODE)
            tree.amaf = tree.capacity * NODE
            tree.seed = random_word(settings.seed, number) if number else settings.seed
            tree.playout_plies = MAX_PLAYOUT_PLIES if settings.evaluation is None else settings.playout_plies
            tree.exploration, tree.bias_weight = settings.exploration, settings.bias_weight
            add_node(nodes, 0, 0, 0, span)
            kernel.expand(state, 0, tree, nodes, ctx)
            if moves:
                _restrict(nodes, moves)
            ctx.set_history(state, history)
        self._call = native(kernel.run_simulations, *self._arguments(0))

    def _arguments(self, thread: int) -> tuple[Any, ...]:
        return self.state, self.evaluation, self.trees[thread], self.nodes[thread], self.contexts[thread]

    @property
    def simulations(self) -> int:
        return sum(ctx.nodes for ctx in self.contexts)

    @property
    def playout_moves(self) -> int:
        return sum(tree.playout_moves for tree in self.trees)

    @property
    def longest(self) -> int:
        return max(tree.longest for tree in self.trees)

    def grow(self, count: int, deadline: float | None, stop: threading.Event, interrupt: threading.Event) -> None:
        for ctx in self.contexts:
            ctx.stop = False
            if stop.is_set():  # read after the flag is cleared, so that no request is lost
                ctx.stop = True
        calls = [partial(self._call, *self._arguments(thread)) for thread in range(len(self.contexts))]
        try:
            parallel.run(calls, self.contexts, deadline, count, interrupt, wait_for_all=True)
        except parallel.Stopped:
            raise
        except Exception as error:
            raise failure(error, self.state) from None

    def root(self) -> Statistics:
        return _sum([_statistics(nodes, 0) for nodes in self.nodes])

    def children(self) -> list[Statistics]:
        rows = [[_statistics(nodes, at) for at in _children(nodes, 0)] for nodes in self.nodes]
        return [_sum(list(row)) for row in zip(*rows, strict=True)]

    def line(self, move: Any) -> tuple[Any, ...]:
        starts = [(nodes, at) for nodes in self.nodes for at in _children(nodes, 0) if nodes[at + MOVE] == move]
        nodes, at = max(starts, key=lambda start: int(start[0][start[1] + VISITS]))
        moves = [int(nodes[at + MOVE])]
        while (below := _children(nodes, at)) and max(int(nodes[child + VISITS]) for child in below):
            at = max(below, key=lambda child: int(nodes[child + VISITS]))
            moves.append(int(nodes[at + MOVE]))
        return tuple(moves)

    def advance(self, state: State, moves: Sequence[Any], history: Sequence[State] | PositionHistory) -> bool:
        offsets = []
        for nodes in self.nodes:
            at = 0
            for move in moves:
                at = next((child for child in _children(nodes, at) if nodes[child + MOVE] == move), -1)
                if at < 0:
                    return False
            if not _children(nodes, at):
                return False
            offsets.append(at)
        for index, at in enumerate(offsets):
            if at:
                copied = new_nodes(len(self.nodes[index]) * 8)
                arguments = self.nodes[index], at, copied, self.trees[index]
                self.trees[index].size = int(native(kernel.run_copy, *arguments)(*arguments))
                self.trees[index].longest = 0
                self.nodes[index] = copied
        self.state = state
        for ctx in self.contexts:
            ctx.set_history(state, history)
        return True


def _restrict(nodes: Nodes, moves: Sequence[int]) -> None:
    """Keep only some of the root's children."""
    kept = [nodes[at : at + NODE].copy() for at in _children(nodes, 0) if nodes[at + MOVE] in moves]
    for index, node in enumerate(kept):
        start = int(nodes[FIRST]) + index * NODE
        nodes[start : start + NODE] = node
    nodes[CHILDREN] = len(kept)


def _children(nodes: Nodes, at: int) -> range:
    """The offsets of a node's children."""
    first = int(nodes[at + FIRST])
    return range(first, first + int(nodes[at + CHILDREN]) * NODE, NODE)


def _statistics(nodes: Nodes, at: int) -> Statistics:
    return Statistics(*(int(nodes[at + word]) for word in (MOVE, VISITS, TOTAL, LOWER, UPPER)))


def _sum(found: list[Statistics]) -> Statistics:
    """The statistics of one node in several trees. A bound that one tree has proven holds for all."""
    return Statistics(
        found[0].move,
        sum(each.visits for each in found),
        sum(each.total for each in found),
        max(each.lower for each in found),
        min(each.upper for each in found),
    )


class TextbookForest:
    """One tree of the textbook's, for games that are not compiled."""

    def __init__(
        self,
        contexts: list[SearchContext],
        state: State,
        settings: Settings,
        history: Sequence[State] | PositionHistory,
        moves: Sequence[Any],
    ) -> None:
        self.ctx = contexts[0]
        self.tree = TextbookTree(
            state, settings.seed, settings.evaluation, settings.playout_plies, settings.exploration,
            settings.bias_weight, history, moves, rave=settings.rave,
        )  # fmt: skip

    @property
    def simulations(self) -> int:
        return self.ctx.nodes

    @property
    def playout_moves(self) -> int:
        return self.tree.playout_moves

    @property
    def longest(self) -> int:
        return self.tree.longest

    def grow(self, count: int, deadline: float | None, stop: threading.Event, interrupt: threading.Event) -> None:
        for done in range(count):
            if self.tree.root.is_solved:
                return
            if interrupt.is_set():
                raise parallel.Stopped("interrupted")
            if stop.is_set():
                raise parallel.Stopped
            if deadline is not None and done % _TEXTBOOK_BATCH == 0 and time.perf_counter() >= deadline:
                raise parallel.Stopped("seconds")
            self.tree.simulate_once()
            self.ctx.nodes += 1
        raise parallel.Stopped

    def root(self) -> Statistics:
        return _of(self.tree.root)

    def children(self) -> list[Statistics]:
        return [_of(child) for child in self.tree.root.children]

    def line(self, move: Any) -> tuple[Any, ...]:
        node = next(child for child in self.tree.root.children if child.move == move)
        moves = [node.move]
        while any(child.visits for child in node.children):
            node = max(node.children, key=lambda child: child.visits)
            moves.append(node.move)
        return tuple(moves)

    def advance(self, state: State, moves: Sequence[Any], history: Sequence[State] | PositionHistory) -> bool:
        node = self.tree.root
        for move in moves:
            found = next((child for child in node.children if child.move == move), None)
            if found is None:
                return False
            node = found
        if not node.children:
            return False
        self.tree.root = node
        self.tree.longest = 0
        self.tree.history = history.copy() if isinstance(history, PositionHistory) else PositionHistory(history)
        return True


def _of(node: Node) -> Statistics:
    return Statistics(node.move, node.visits, node.total, node.lower, node.upper)
