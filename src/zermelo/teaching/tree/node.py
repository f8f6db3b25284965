"""A game tree written out: nodes in the order of reading, each with its place.

             A  max                    nodes   A  B  b1 b2 C  c1 c2      (a parent, then its subtrees, left first)
           /   \\                       index   0  1  2  3  4  5  6
       B min    C min                  parent -1  0  1  1  0  4  4
       /  \\     /  \\
      3    12  2    ?

Rows of nodes instead of nodes within nodes: nothing that walks a tree needs recursion, however deep it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, partial
from itertools import count, product
from math import gcd, lcm
from typing import NamedTuple

from zermelo._util.text import did_you_mean
from zermelo.core.game import CHANCE, MAX, MIN, State
from zermelo.errors import TreeError
from zermelo.teaching.tree.notebooks import ShowsDrawing
from zermelo.teaching.tree.numbers import LARGEST, Number, quoted
from zermelo.teaching.tree.rules import TreeGame

#: The most nodes a tree may have, and the deepest it may be: beyond, no person and no page can do anything with it.
MOST_NODES = 2_000_000
DEEPEST = 1_000

_NONE: list[int] = []  # the children of leaves, never added to

#: So much of a node's name is in the names that its leaves are given.
_LONGEST_STEM = 150

PLAYERS = {"max": MAX, "min": MIN, "chance": CHANCE}
PLAYER_NAMES = {MAX: "MAX", MIN: "MIN", CHANCE: "chance"}


class Node(NamedTuple):
    """A node of a tree. Its numbers are exact (`zermelo.teaching.tree.numbers`) and for MAX."""

    #: Its place among the tree's nodes.
    index: int  # type: ignore[assignment]  # a tuple's method of that name is not missed
    #: Its name, unique in the tree.
    id: str
    #: Who moves here: MAX, MIN or CHANCE; None at a leaf.
    player: int | None
    #: The index of the node above, -1 at the root.
    parent: int
    #: How many moves below the root it is.
    depth: int
    #: The indices of the nodes below, in the order of the moves.
    children: tuple[int, ...]
    #: A leaf's utility; None where it is not known, and at inner nodes.
    value: Number | None
    #: At a chance node the weight of each child, a positive int; empty elsewhere.
    weights: tuple[int, ...]
    #: What the move that leads here is called, "" if it has no name of its own.
    move: str
    #: What a static evaluation says of an inner node; None if nothing.
    evaluation: Number | None
    #: The position that stands here, drawn in one or more lines, or "".
    state: str
    #: The index of the first node with the same position, its own if there is none before.
    transposition_of: int

    @property
    def is_leaf(self) -> bool:
        return self.player is None


class Tree(ShowsDrawing):
    """A game tree: `nodes` from the root on, each parent before its children, subtrees from left to right.

    Made by `zermelo.teaching.tree.read`, `sown` and `grown`.
    """

    def __init__(self, nodes: Iterable[Node], name: str = "") -> None:
        self.nodes = tuple(nodes)
        self.name = name

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __getitem__(self, id: str) -> Node:
        """The node of that name. Raises `TreeError`."""
        try:
            return self.nodes[self._places[id]]
        except (KeyError, TypeError):
            few = isinstance(id, str) and len(id) <= 40 and len(self) <= 2_000  # looking for the nearest takes time
            meant = did_you_mean(id, self._places, "") if few else ""
            told = f"the tree has no node {quoted(id)}"
            raise TreeError(told + (meant and f"; {meant}")) from None

    def __contains__(self, id: object) -> bool:
        return id in self._places

    def __repr__(self) -> str:
        return f"<Tree {self.name or self.root.id}: {len(self)} nodes, {len(self.leaves)} leaves>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tree) and self.nodes == other.nodes

    def __hash__(self) -> int:
        return hash(self.nodes)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {node.id: node.index for node in self.nodes}

    @property
    def root(self) -> Node:
        return self.nodes[0]

    @cached_property
    def leaves(self) -> tuple[Node, ...]:
        return tuple(node for node in self.nodes if node.is_leaf)

    @cached_property
    def depth(self) -> int:
        """The most moves from the root to a leaf."""
        return max(node.depth for node in self.nodes)

    @cached_property
    def subtree_end(self) -> tuple[int, ...]:
        """For each node the index after the last one of its subtree: a subtree is `nodes[index:ends[index]]`."""
        ends = [node.index + 1 for node in self.nodes]
        for node in reversed(self.nodes):
            if node.parent >= 0:
                ends[node.parent] = max(ends[node.parent], ends[node.index])
        return tuple(ends)

    def start(self) -> State:
        """The state at the root: a tree is a game, and `zermelo.minimax` and the other textbook searches take it.

        Its utilities are the leaves' values; where some are fractions, or chance moves, times the scale that makes all
        of them whole (`zermelo.teaching.tree.rules`).
        """
        return TreeGame(self).start()

    def children(self, node: Node) -> list[Node]:
        """Return the children of a node, from left to right."""
        return [self.nodes[child] for child in node.children]

    def subtree(self, node: Node) -> tuple[Node, ...]:
        """The node and all below it."""
        return self.nodes[node.index : self.subtree_end[node.index]]

    def move_name(self, node: Node) -> str:
        """What the move to a node is called: its own name, or the node's."""
        return node.move or node.id


class TreeBuilder:
    """A tree in the making: nodes are added parents first, left to right, and checked as a whole at the end.

    `add` takes what is known of a node and gives its index; `grown_up` names what has no name and makes the `Tree`.
    """

    def __init__(self) -> None:
        self.ids: list[str | None] = []
        self.players: list[int | None] = []
        self.parents: list[int] = []
        self.depths: list[int] = []
        self.turns: list[int] = []  # who moves below the node if nothing else is said
        self.children: list[list[int]] = []
        self.values: list[Number | None] = []
        self.weights: list[tuple[int, ...]] = []
        self.moves: list[str] = []
        self.evaluations: list[Number | None] = []
        self.states: list[str] = []
        self.transpositions: list[int] = []

    def add(
        self,
        parent: int,
        player: int | None,
        *,
        id: str | None = None,
        value: Number | None = None,
        weights: tuple[int, ...] = (),
        move: str = "",
        evaluation: Number | None = None,
        state: str = "",
        transposition_of: int = -1,
    ) -> int:
        """A node below `parent` (-1: the root). Raises `TreeError` where the tree becomes too deep or too large."""
        index = len(self.ids)
        if index >= MOST_NODES:
            raise TreeError(f"more than {MOST_NODES:,} nodes, which is the most a tree may have")
        depth = 0 if parent < 0 else self.depths[parent] + 1
        if depth > DEEPEST:
            raise TreeError(f"more than {DEEPEST:,} moves deep, which is the deepest a tree may be")
        self.ids.append(id)
        self.players.append(player)
        self.parents.append(parent)
        self.depths.append(depth)
        self.turns.append(-player if player else self.alternating(parent))
        self.children.append([])
        self.values.append(value)
        self.weights.append(weights)
        self.moves.append(move)
        self.evaluations.append(evaluation)
        self.states.append(state)
        self.transpositions.append(index if transposition_of < 0 else transposition_of)
        if parent >= 0:
            self.children[parent].append(index)
        return index

    def add_leaves(self, parent: int, values: Sequence[Number | None]) -> None:
        """Leaves of which only the values are known, all at once: as `add`, but for many in a tenth of the time."""
        begin, more = len(self.ids), len(values)
        if more < 4:
            for value in values:
                self.add(parent, None, value=value)
            return
        if begin + more > MOST_NODES:
            raise TreeError(f"more than {MOST_NODES:,} nodes, which is the most a tree may have")
        depth = self.depths[parent] + 1
        if depth > DEEPEST:
            raise TreeError(f"more than {DEEPEST:,} moves deep, which is the deepest a tree may be")
        self.ids += [None] * more
        self.players += [None] * more
        self.parents += [parent] * more
        self.depths += [depth] * more
        self.turns += [self.turns[parent]] * more
        self.children += [_NONE] * more
        self.values += values
        self.weights += [()] * more
        self.moves += [""] * more
        self.evaluations += [None] * more
        self.states += [""] * more
        self.transpositions += range(begin, begin + more)
        self.children[parent] += range(begin, begin + more)

    def place(self, index: int) -> str:
        """Where a node is, for a person: its name, or the way to it."""
        if self.ids[index] is not None:
            return f"node {quoted(self.ids[index])}"
        way: list[str] = []
        while self.parents[index] >= 0:
            parent = self.parents[index]
            way.append(f"child {self.children[parent].index(index) + 1}")
            index = parent
        if len(way) > 12:
            way[5:-5] = [f"... ({len(way) - 10} more) ..."]
        return "the root" if not way else " of ".join(way) + " of the root"

    def alternating(self, parent: int) -> int:
        """Who moves below a node if nothing else is said: MAX at the root, then by turns, chance passed over."""
        return MAX if parent < 0 else self.turns[parent]

    def build(self, name: str = "") -> Tree:
        """The tree. Raises `TreeError` for two nodes of one name."""
        self._name_the_nameless()
        return Tree(
            # As Node(*fields) of each, but at once: a large tree is made of millions.
            map(
                partial(tuple.__new__, Node),
                zip(
                    range(len(self.ids)),
                    self.ids,
                    self.players,
                    self.parents,
                    self.depths,
                    map(tuple, self.children),
                    self.values,
                    self.weights,
                    self.moves,
                    self.evaluations,
                    self.states,
                    self.transpositions,
                    strict=True,
                ),
            ),
            name,
        )

    def _name_the_nameless(self) -> None:
        """Inner nodes become A, B, C, ... row by row, leaves b1, b2, b3 below B; names that are taken are left out."""
        taken: dict[str, int] = {}
        for index, id in enumerate(self.ids):
            if id is not None:
                if id in taken:
                    raise TreeError(f"two nodes are called {quoted(id)}: a name stands for one node")
                taken[id] = index
        if len(taken) == len(self.ids):
            return
        letters = (name for name in _letters() if name not in taken)
        rows: list[list[int]] = [[] for _ in range(max(self.depths) + 1)]
        for index, depth in enumerate(self.depths):
            rows[depth].append(index)
        for index in (index for row in rows for index in row):
            if self.ids[index] is None and self.children[index]:
                self.ids[index] = next(letters)
        again: dict[str, int] = {}
        for parent, children in enumerate(self.children):
            stem = (self.ids[parent] or "").lower()[:_LONGEST_STEM]
            for number, child in enumerate(children, 1):
                if self.ids[child] is None:
                    id = plain = f"{stem}{number}"
                    while id in taken:
                        again[plain] = again.get(plain, 0) + 1
                        id = f"{plain}'{again[plain] if again[plain] > 1 else ''}"
                    taken[id] = child
                    self.ids[child] = id
        if self.ids[0] is None:
            self.ids[0] = next(letters)


def _letters() -> Iterator[str]:
    """A, B, ..., Z, AA, AB, ..."""
    for width in count(1):
        yield from map("".join, product("ABCDEFGHIJKLMNOPQRSTUVWXYZ", repeat=width))


def whole_weights(weights: Iterable[Number]) -> tuple[int, ...]:
    """Weights as the smallest ints in the same proportion. Raises `TreeError` as `common_measure` does."""
    exact = list(weights)
    common = common_measure(exact)
    whole = [int(weight * common) for weight in exact]
    shared = gcd(*whole)
    return tuple(weight // shared for weight in whole)


def common_measure(weights: Iterable[Number]) -> int:
    """The smallest int by which all weights become whole. Raises `TreeError` where it is beyond all use."""
    common = 1
    for weight in weights:
        common = lcm(common, weight.denominator)
        if common > LARGEST:  # before it grows to thousands of digits
            raise TreeError("the weights of the chance node are fractions of too many kinds; use rounder ones")
    return common
