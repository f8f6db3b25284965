"""`Tree`: an explicit game tree, stored as a list of nodes in preorder.

             A  max                    nodes   A  B  b1 b2 C  c1 c2      (parents before children, left to right)
           /   \\                       index   0  1  2  3  4  5  6
       B min    C min                  parent -1  0  1  1  0  4  4
       /  \\     /  \\
      3    12  2    ?

A flat list of nodes, so that no traversal needs recursion, however deep the tree is.
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
from zermelo.teaching.tree.numbers import MAX_MAGNITUDE, Number, quote_value
from zermelo.teaching.tree.rules import TreeGame

#: Maximum number of nodes and maximum depth of a tree; larger ones are of no use to people.
MAX_NODES = 2_000_000
MAX_DEPTH = 1_000

_NO_CHILDREN: list[int] = []  # shared by all leaves, never modified

#: Maximum length of the prefix that the default names of leaves take from their parent.
_MAX_PREFIX = 150

PLAYERS = {"max": MAX, "min": MIN, "chance": CHANCE}
PLAYER_NAMES = {MAX: "MAX", MIN: "MIN", CHANCE: "chance"}


class Node(NamedTuple):
    """A node of a tree. Numbers are exact (int or Fraction) and from the view of MAX."""

    #: Position in `Tree.nodes`.
    index: int  # type: ignore[assignment]  # replaces tuple.index
    #: Name, unique in the tree.
    id: str
    #: The player to move: MAX, MIN or CHANCE; None at a leaf.
    player: int | None
    #: Index of the parent, -1 at the root.
    parent: int
    #: Distance from the root in moves.
    depth: int
    #: Indices of the children, in the order of the moves.
    children: tuple[int, ...]
    #: Utility of a leaf; None if unknown, and at inner nodes.
    value: Number | None
    #: At a chance node the weight of each child, a positive int; empty elsewhere.
    weights: tuple[int, ...]
    #: Name of the move to this node, "" if it has none.
    move: str
    #: Static evaluation of an inner node, or None.
    evaluation: Number | None
    #: The position as text, possibly of several lines, or "".
    state: str
    #: Index of the first node with the same position; its own index if there is none before.
    transposition_of: int
    #: The number of moves of the parent that the node stands for; more than 1 if they differ by symmetry.
    multiplicity: int = 1
    #: Whether the move to this node is tactical (a capture, a promotion, a check): quiescence search follows it.
    is_tactical: bool = False
    #: Whether the player to move at this inner node is in check: quiescence search then tries all moves.
    in_check: bool = False

    @property
    def is_leaf(self) -> bool:
        return self.player is None


class Tree(ShowsDrawing):
    """A game tree, made by `read`, `random_tree` or `game_tree`. It shows itself in notebooks.

    Attributes
    ----------
    nodes : tuple of Node
        All nodes in preorder: parents before their children, subtrees from left to right.
    name : str
        Name of the tree, or "".
    positions : sequence of State
        The position of each node by index, if the tree is that of a game's position; else empty.
    """

    def __init__(self, nodes: Iterable[Node], name: str = "", positions: Sequence[State] = ()) -> None:
        self.nodes = tuple(nodes)
        self.name = name
        self.positions = positions

    def __len__(self) -> int:
        return len(self.nodes)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __getitem__(self, id: str) -> Node:
        """The node of a name. Raises `TreeError` if there is none."""
        try:
            return self.nodes[self._index_of[id]]
        except (KeyError, TypeError):
            is_quick = (
                isinstance(id, str) and len(id) <= 40 and len(self) <= 2_000
            )  # the search for similar names is slow
            suggestion = did_you_mean(id, self._index_of, "") if is_quick else ""
            message = f"the tree has no node {quote_value(id)}"
            raise TreeError(message + (suggestion and f"; {suggestion}")) from None

    def __contains__(self, id: object) -> bool:
        return id in self._index_of

    def __repr__(self) -> str:
        return f"<Tree {self.name or self.root.id}: {len(self)} nodes, {len(self.leaves)} leaves>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tree) and self.nodes == other.nodes

    def __hash__(self) -> int:
        return hash(self.nodes)

    @cached_property
    def _index_of(self) -> dict[str, int]:
        return {node.id: node.index for node in self.nodes}

    @property
    def root(self) -> Node:
        return self.nodes[0]

    @cached_property
    def leaves(self) -> tuple[Node, ...]:
        return tuple(node for node in self.nodes if node.is_leaf)

    @cached_property
    def depth(self) -> int:
        """Depth of the deepest leaf, in moves."""
        return max(node.depth for node in self.nodes)

    @cached_property
    def subtree_end(self) -> tuple[int, ...]:
        """For each node the end of its subtree: `nodes[index : subtree_end[index]]` is the subtree."""
        ends = [node.index + 1 for node in self.nodes]
        for node in reversed(self.nodes):
            if node.parent >= 0:
                ends[node.parent] = max(ends[node.parent], ends[node.index])
        return tuple(ends)

    def start(self) -> State:
        """The root as a state of a game, for `zermelo.minimax` and the other textbook searches.

        Its utilities are the values of the leaves. If values are fractions, or there are chance nodes, utilities are
        scaled to be whole (see `zermelo.teaching.tree.rules`).
        """
        return TreeGame(self).start()

    def children(self, node: Node) -> list[Node]:
        """Return the children of a node, from left to right."""
        return [self.nodes[child] for child in node.children]

    def subtree(self, node: Node) -> tuple[Node, ...]:
        """The node and its descendants, in preorder."""
        return self.nodes[node.index : self.subtree_end[node.index]]

    def with_nodes(self, nodes: Iterable[Node], positions: Sequence[State]) -> Tree:
        """The same tree with its nodes in another order."""
        return Tree(nodes, self.name, positions)

    def move_name(self, node: Node) -> str:
        """The name of the move to a node, or else the name of the node."""
        return node.move or node.id


class TreeBuilder:
    """Builds a `Tree`: nodes are added in preorder; `build` names the unnamed nodes and returns the tree."""

    def __init__(self) -> None:
        self.ids: list[str | None] = []
        self.players: list[int | None] = []
        self.parents: list[int] = []
        self.depths: list[int] = []
        self.turns: list[int] = []  # default player below the node
        self.children: list[list[int]] = []
        self.values: list[Number | None] = []
        self.weights: list[tuple[int, ...]] = []
        self.moves: list[str] = []
        self.evaluations: list[Number | None] = []
        self.states: list[str] = []
        self.transpositions: list[int] = []
        self.multiplicities: list[int] = []
        #: The nodes with `Node.is_tactical`, and those with `Node.in_check`.
        self.tactical: set[int] = set()
        self.in_check: set[int] = set()

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
        multiplicity: int = 1,
    ) -> int:
        """Add a node below `parent`, or the root (-1); return its index. Raises `TreeError` for too large a tree."""
        index = len(self.ids)
        if index >= MAX_NODES:
            raise TreeError(f"more than {MAX_NODES:,} nodes, the maximum")
        depth = 0 if parent < 0 else self.depths[parent] + 1
        if depth > MAX_DEPTH:
            raise TreeError(f"depth exceeds {MAX_DEPTH:,}, the maximum")
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
        self.multiplicities.append(multiplicity)
        if parent >= 0:
            self.children[parent].append(index)
        return index

    def add_leaves(self, parent: int, values: Sequence[Number | None]) -> None:
        """Add leaves of given values; ten times faster than `add` for many leaves."""
        begin, more = len(self.ids), len(values)
        if more < 4:
            for value in values:
                self.add(parent, None, value=value)
            return
        if begin + more > MAX_NODES:
            raise TreeError(f"more than {MAX_NODES:,} nodes, the maximum")
        depth = self.depths[parent] + 1
        if depth > MAX_DEPTH:
            raise TreeError(f"depth exceeds {MAX_DEPTH:,}, the maximum")
        self.ids += [None] * more
        self.players += [None] * more
        self.parents += [parent] * more
        self.depths += [depth] * more
        self.turns += [self.turns[parent]] * more
        self.children += [_NO_CHILDREN] * more
        self.values += values
        self.weights += [()] * more
        self.moves += [""] * more
        self.evaluations += [None] * more
        self.states += [""] * more
        self.transpositions += range(begin, begin + more)
        self.multiplicities += [1] * more
        self.children[parent] += range(begin, begin + more)

    def location(self, index: int) -> str:
        """The location of a node for error messages: its name, or the path to it."""
        if self.ids[index] is not None:
            return f"node {quote_value(self.ids[index])}"
        path: list[str] = []
        while self.parents[index] >= 0:
            parent = self.parents[index]
            path.append(f"child {self.children[parent].index(index) + 1}")
            index = parent
        if len(path) > 12:
            path[5:-5] = [f"... ({len(path) - 10} more) ..."]
        return "the root" if not path else " of ".join(path) + " of the root"

    def alternating(self, parent: int) -> int:
        """The default player below a node: MAX at the root, then alternating; chance nodes are skipped."""
        return MAX if parent < 0 else self.turns[parent]

    def build(self, name: str = "") -> Tree:
        """Return the tree. Raises `TreeError` for duplicate names."""
        self._add_names()
        return Tree(
            # Equivalent to Node(*fields) for each, but faster for millions of nodes.
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
                    self.multiplicities,
                    map(self.tactical.__contains__, range(len(self.ids))),
                    map(self.in_check.__contains__, range(len(self.ids))),
                    strict=True,
                ),
            ),
            name,
        )

    def _add_names(self) -> None:
        """Name inner nodes A, B, C, ... level by level, and leaves b1, b2, b3 below B; used names are skipped."""
        taken: dict[str, int] = {}
        for index, id in enumerate(self.ids):
            if id is not None:
                if id in taken:
                    raise TreeError(f"duplicate node name {quote_value(id)}")
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
        repeats: dict[str, int] = {}
        for parent, children in enumerate(self.children):
            prefix = (self.ids[parent] or "").lower()[:_MAX_PREFIX]
            for number, child in enumerate(children, 1):
                if self.ids[child] is None:
                    id = plain = f"{prefix}{number}"
                    while id in taken:
                        repeats[plain] = repeats.get(plain, 0) + 1
                        id = f"{plain}'{repeats[plain] if repeats[plain] > 1 else ''}"
                    taken[id] = child
                    self.ids[child] = id
        if self.ids[0] is None:
            self.ids[0] = next(letters)


def _letters() -> Iterator[str]:
    """A, B, ..., Z, AA, AB, ..."""
    for width in count(1):
        yield from map("".join, product("ABCDEFGHIJKLMNOPQRSTUVWXYZ", repeat=width))


def integer_weights(weights: Iterable[Number]) -> tuple[int, ...]:
    """Scale weights to the smallest integers of the same proportion. Raises `TreeError` like `common_denominator`."""
    exact = list(weights)
    common = common_denominator(exact)
    scaled = [int(weight * common) for weight in exact]
    divisor = gcd(*scaled)
    return tuple(weight // divisor for weight in scaled)


def common_denominator(weights: Iterable[Number]) -> int:
    """The least common denominator of the weights. Raises `TreeError` if it is too large."""
    common = 1
    for weight in weights:
        common = lcm(common, weight.denominator)
        if common > MAX_MAGNITUDE:  # checked in each step, before it has thousands of digits
            raise TreeError("the weights of the chance node have too large a common denominator: use simpler fractions")
    return common
