"""What a search did on a tree: every step in order, and the finished picture of each node.

The search is the textbook's own (`zermelo.search.textbook`), watched; nothing here decides what is visited. Drawings,
sentences, exercises and their grading all read a `Trace`. Its JSON is described in docs/trace.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import Any, NamedTuple

from zermelo.core.game import MAX, MIN
from zermelo.errors import LimitError, TreeError
from zermelo.search import textbook
from zermelo.search.textbook import INFINITY, Event
from zermelo.teaching.tree.convention import INTERVAL, NEGAMAX, OWN, STRICT, Convention
from zermelo.teaching.tree.gc_pause import gc_paused
from zermelo.teaching.tree.node import PLAYER_NAMES, Node, Tree
from zermelo.teaching.tree.notebooks import ShowsDrawing
from zermelo.teaching.tree.numbers import Bound, Number, as_json, format_number, to_bound
from zermelo.teaching.tree.parsing import read
from zermelo.teaching.tree.rules import TreeGame

#: The version of the JSON; it changes when a reader of the old one would go wrong.
SCHEMA = "zermelo-trace/1"

Window = tuple[Bound, Bound]


class Step(NamedTuple):
    """One step of the search, at a node: see `zermelo.search.textbook.Event` for the kinds.

    The numbers are the tree's, for MAX (in negamax: for the mover of the node). `child` is the node that `value`
    came back from (kinds `value`, `bound`, `cut`) or the best one (`leave`), an index, -1 for none.
    """

    kind: str
    node: int
    alpha: Bound
    beta: Bound
    value: Number | None
    child: int
    skipped: tuple[int, ...]


class Cut(NamedTuple):
    """A cut: at `node`, after its child `after` came back, the arcs to the children `pruned` are crossed out.

    `alpha` and `beta` are the window with the value that came back taken in, so that they have met or crossed.
    """

    node: int
    after: int
    alpha: Bound
    beta: Bound
    pruned: tuple[int, ...]
    #: The number of the step that tells of it.
    step: int
    #: `alpha-cut (at MIN)` or `beta-cut (at MAX)`, as the bound that stops it is called; `beta-cut` in negamax.
    kind: str
    #: Why, in one line: `alpha 4 >= beta -3 at O`.
    reason: str


@dataclass(slots=True)
class NodeRecord:
    """What is known of a node when the search has ended.

    Of a node that was never visited only `cut` is known: the number of the cut (in `Trace.cuts`) that took it away.
    Leaves have an entry window and a value; their exit window is None. In minimax nothing has a window.
    """

    #: The place in the order of visits, from 0; None for a node that was never visited.
    order: int | None = None
    #: The window that the node was given.
    entry: Window | None = None
    #: The window after its last child, the value that cut taken in: then alpha >= beta.
    exit: Window | None = None
    #: The best value that came back from a child, for the node's mover: its own bound. A leaf's value; a mean.
    own: Number | None = None
    #: What the node gave back to its parent.
    returned: Number | None = None
    #: The child that the best value came from, an index; None at leaves, chance nodes, and where none was better.
    best: int | None = None
    #: The number of the cut that pruned the node or one above it.
    cut: int | None = None
    #: Whether the search stopped here for its depth, though the tree goes on.
    is_cutoff: bool = False

    @property
    def is_visited(self) -> bool:
        return self.order is not None


def searched(
    rules: TreeGame,
    convention: Convention,
    *,
    depth: int | None = None,
    window: Window = (-inf, inf),
    observer: textbook.Observer | None = None,
) -> textbook.Result:
    """The textbook's search of a tree under a convention, its counts and its value (times the rules' scale).

    Raises as `Trace` does.
    """
    options: dict[str, Any] = {"depth": depth, "evaluation": None if depth is None else rules.Static()}
    if not convention.prunes:
        if window != (-inf, inf):
            raise TreeError(f"{convention.algorithm} takes no window")
        return textbook.minimax(rules.start(), **options, observer=observer)
    if window[0] >= window[1]:
        raise LimitError(
            f"the window [{format_number(window[0])}, {format_number(window[1])}] is empty: alpha must be below beta"
        )
    low, high = (_score(rules, bound) for bound in window)
    options |= {"alpha": low, "beta": high, "cut_on_equal": convention.cut != STRICT}
    if convention.algorithm == NEGAMAX:
        return textbook.negamax(rules.start(), **options, observer=observer)
    return textbook.alphabeta(rules.start(), **options, variant=convention.variant, observer=observer)


def _score(rules: TreeGame, bound: Bound) -> int:
    """A window's end as a score of the search. Raises `TreeError` where it is finer than scores are."""
    if isinstance(bound, float):
        return INFINITY if bound > 0 else -INFINITY
    score = bound * rules.scale
    if int(score) != score:
        raise TreeError(f"the window's end {format_number(bound)} is finer than the tree's values")
    return int(score)


class _Bounds(dict[int | None, Any]):
    """Scores of the search as the tree's numbers, each worked out once; the ends of the full window are infinite."""

    def __init__(self, rules: TreeGame) -> None:
        super().__init__({None: None, INFINITY: inf, -INFINITY: -inf})
        self._rules = rules

    def __missing__(self, score: int) -> Bound:
        if score >= INFINITY or score <= -INFINITY:
            return inf if score > 0 else -inf
        number = self[score] = self._rules.number(score)
        return number


class Trace(ShowsDrawing):
    """A search of a tree, step by step.

    `pictures` has one `NodeRecord` for each node of the tree, in the same order; `steps` and `cuts` are in the order in
    which they happened. `value` is the root's, for MAX (in negamax: for the mover at the root); `best` is the index of
    the best child of the root, None where the algorithm keeps none.
    """

    def __init__(
        self,
        tree: Tree,
        convention: Convention | None = None,
        *,
        depth: int | None = None,
        window: Window = (-inf, inf),
    ) -> None:
        """Search the tree.

        `depth` in plies, None: to the leaves; at the depth a node is worth its `evaluation`, 0 where it has none.
        `window` is the root's (in negamax: for the mover there), its ends numbers of a tree or infinities. Raises
        `TreeError` where a leaf is read whose value is not known, `LimitError` for an empty window.
        """
        self.tree = tree
        self.convention = convention or Convention()
        self.depth = depth
        self.window: Window = to_bound(window[0]), to_bound(window[1])
        self._rules = TreeGame(tree, [bound for bound in self.window if not isinstance(bound, float)])
        self.steps: list[Step] = []
        self.cuts: list[Cut] = []
        self.records = [NodeRecord() for _ in tree.nodes]
        self._bounds = _Bounds(self._rules)
        # A leaf has no mover; in negamax it is told for the side that would be: the one that did not move last.
        self._turned = [False] * len(tree)
        if self.convention.algorithm == NEGAMAX:
            for node in tree:
                self._turned[node.index] = (
                    node.player is None and node.parent >= 0 and tree.nodes[node.parent].player == MAX
                )
        with gc_paused():
            result = searched(self._rules, self.convention, depth=depth, window=self.window, observer=self._watch)
        self.value: Number = self._rules.number(result.value)
        self.best: int | None = None if result.best is None else tree.root.children[result.best]
        self._finish()

    # ---- the search, watched ----------------------------------------------------------------------------------

    def _watch(self, event: Event) -> None:
        """A step of the search: called for each, so it does no more than it must."""
        kind, order, _, _, state, _, low, high, score, move, moves, is_cutoff = event
        index: int = state[0]
        bounds, node = self._bounds, self.tree.nodes[index]
        alpha, beta, value = bounds[low], bounds[high], bounds[score]
        if self._turned[index]:
            alpha, beta = -beta, -alpha
            value = None if value is None else -value
        child = -1 if move is None else node.children[move]
        skipped = tuple(node.children[move] for move in moves) if moves else ()
        self.steps.append(Step(kind, index, alpha, beta, value, child, skipped))
        picture = self.records[index]
        if kind == "enter":
            picture.order = order
            picture.entry = (alpha, beta) if self.convention.prunes else None
        elif kind == "leaf":
            picture.own = picture.returned = value
            picture.is_cutoff = is_cutoff
        elif kind == "leave":
            picture.returned = value
            picture.best = None if child < 0 else child
            if node.weights:
                picture.own = picture.returned
                picture.exit = picture.entry
        elif kind == "value":
            self._take_in(picture, node.player, value)
        elif kind == "cut":
            assert picture.exit is not None
            self.cuts.append(self._cut(index, child, *picture.exit, skipped))

    def _take_in(self, picture: NodeRecord, player: int | None, value: Number) -> None:
        """A child's value moves the node's own bound and its window."""
        if player not in (MAX, MIN):
            return
        is_max = self._rises(player)
        if picture.own is None or (value > picture.own if is_max else value < picture.own):
            picture.own = value
        if picture.entry is not None:
            alpha, beta = picture.exit or picture.entry
            picture.exit = (max(alpha, value), beta) if is_max else (alpha, min(beta, value))

    def _cut(self, index: int, after: int, alpha: Bound, beta: Bound, pruned: tuple[int, ...]) -> Cut:
        node = self.tree.nodes[index]
        kind = "beta-cut (at MAX)" if node.player == MAX else "alpha-cut (at MIN)"
        if self.convention.algorithm == NEGAMAX:
            kind = "beta-cut"
        sign = ">" if self.convention.cut == STRICT else ">="
        reason = f"alpha {format_number(alpha)} {sign} beta {format_number(beta)} at {node.id}"
        return Cut(index, after, alpha, beta, pruned, len(self.steps) - 1, kind, reason)

    def _finish(self) -> None:
        """Tell what lies below the cuts by which of them it was taken away."""
        ends = self.tree.subtree_end
        for number, cut in enumerate(self.cuts):
            for child in cut.pruned:
                for index in range(child, ends[child]):
                    self.records[index].cut = number

    def __repr__(self) -> str:
        return f"<Trace of {self.tree!r}: value {format_number(self.value)}, {len(self.visited):,} nodes visited>"

    # ---- what there is to ask ---------------------------------------------------------------------------------

    def record(self, node: Node | str) -> NodeRecord:
        """What is known of a node, given itself or by its name."""
        return self.records[(self.tree[node] if isinstance(node, str) else node).index]

    @cached_property
    def visited(self) -> tuple[Node, ...]:
        """The nodes in the order of their visit."""
        return tuple(self.tree.nodes[step.node] for step in self.steps if step.kind == "enter")

    @cached_property
    def leaves(self) -> tuple[Node, ...]:
        """The leaves whose value was read, in that order; with a depth, also the nodes evaluated at it."""
        return tuple(self.tree.nodes[step.node] for step in self.steps if step.kind == "leaf")

    @cached_property
    def pruned(self) -> tuple[Node, ...]:
        """The nodes whose arcs are crossed out, in the order of the cuts; what lies below them is not listed."""
        return tuple(self.tree.nodes[child] for cut in self.cuts for child in cut.pruned)

    @cached_property
    def line(self) -> tuple[Node, ...]:
        """The principal variation: the best child of the root, its best child, and so on."""
        line, index = [], self.best
        while index is not None:
            line.append(self.tree.nodes[index])
            index = self.records[index].best
        return tuple(line)

    @cached_property
    def proven_bounds(self) -> tuple[Window, ...]:
        """For each node what the leaves that were read prove of its value, for MAX: `(low, high)`.

        Whatever the leaves that were not read are worth, the node's value lies in it: `(-inf, inf)` where none was.
        """
        nodes = self.tree.nodes
        known: list[Window] = [(-inf, inf)] * len(nodes)
        for node in reversed(nodes):
            picture = self.records[node.index]
            if not picture.is_visited:
                continue
            if node.is_leaf or picture.is_cutoff:
                value = node.value if node.is_leaf else node.evaluation or 0
                assert value is not None  # the search has read it
                known[node.index] = value, value
                continue
            lows, highs = zip(*(known[child] for child in node.children), strict=True)
            if node.weights:
                known[node.index] = _mean(lows, node.weights), _mean(highs, node.weights)
            else:
                best = max if node.player == MAX else min
                known[node.index] = best(lows), best(highs)
        return tuple(known)

    @cached_property
    def _proven(self) -> dict[tuple[int, Number], Bound]:
        """For a node and the best value that it has so far: what bounds its value, for MAX, since that came back."""
        proven: dict[tuple[int, Number], Bound] = {}
        best: dict[int, Number] = {}
        bounds: dict[int, Bound] = {}
        for step in self.steps:
            index, value = step.node, step.value
            player = self.tree.nodes[index].player
            if step.kind != "value" or player not in (MAX, MIN):
                continue
            assert value is not None
            low, high = self.proven_bounds[step.child]
            if player == MAX:
                bounds[index] = max(bounds.get(index, -inf), low)
            else:
                bounds[index] = min(bounds.get(index, inf), high)
            before = best.get(index)
            if before is None or (value > before if self._rises(player) else value < before):
                best[index] = value
                proven[index, value] = bounds[index]
        return proven

    def _rises(self, player: int | None) -> bool:
        """Whether a player's values are told so that the larger is the better."""
        return player == MAX or self.convention.algorithm == NEGAMAX

    def bounds_text(self, index: int) -> str:
        """What stands beside a node in a picture, as the convention's `show` has it; "" if it was not visited."""
        picture = self.records[index]
        if not picture.is_visited:
            return ""
        return self.format_bounds(index, picture.exit or picture.entry, picture.own, is_done=True)

    def format_bounds(self, index: int, window: Window | None, own: Number | None, *, is_done: bool) -> str:
        """A node's bounds in the convention's way: `[4, +∞]`, `α=4`, or what is known of its value.

        `window` and `own` as they are at some step; `is_done`: whether the node has given its value back.
        """
        node = self.tree.nodes[index]
        if window is None or node.is_leaf or node.player not in (MAX, MIN):
            return ""
        if self.convention.show == OWN:
            return "" if own is None else f"{'α' if self._rises(node.player) else 'β'}={format_number(own)}"
        if self.convention.show == INTERVAL:
            low, high = self.proven_bounds[index]
            if not is_done:
                bound = None if own is None else self._proven.get((index, own))
                low, high = -inf if bound is None else bound, inf
                if node.player == MIN:
                    low, high = -inf, inf if bound is None else bound
            if self.convention.algorithm == NEGAMAX and node.player == MIN:
                low, high = -high, -low
            return format_number(low) if low == high else f"[{format_number(low)}, {format_number(high)}]"
        return f"[{format_number(window[0])}, {format_number(window[1])}]"

    # ---- as data ----------------------------------------------------------------------------------------------

    def as_json(self, *, steps: bool = True) -> dict[str, Any]:
        """The trace as plain data in the schema of docs/trace.md; without the steps if they are not wanted."""
        nodes = self.tree.nodes
        seen = [node for node in self.visited if node.player is not None and not self.records[node.index].is_cutoff]

        def ids(indices: Any) -> list[str]:
            return [nodes[index].id for index in indices]

        def window(said: Window | None) -> list[Any] | None:
            return None if said is None else [as_json(said[0]), as_json(said[1])]

        told: dict[str, Any] = {
            "schema": SCHEMA,
            "tree": self.tree.name or None,
            "convention": vars(self.convention) | {"depth": self.depth, "window": window(self.window)},
            "value": as_json(self.value),
            "best": None if self.best is None else nodes[self.best].id,
            "line": [node.id for node in self.line],
            "nodes": len(self.visited),
            "leaf_count": len(self.leaves),
            "visit_order": [node.id for node in self.visited],
            "leaves_evaluated": [node.id for node in self.leaves],
            "leaf_values": [as_json(self.records[node.index].returned) for node in self.leaves],
            "entry_window": {node.id: window(entry) for node in seen if (entry := self.records[node.index].entry)},
            "exit_window": {node.id: window(exit) for node in seen if (exit := self.records[node.index].exit)},
            "returned": {node.id: as_json(self.records[node.index].returned) for node in seen},
            "cuts": [
                {
                    "at": nodes[cut.node].id,
                    "after": nodes[cut.after].id,
                    "kind": cut.kind,
                    "alpha": as_json(cut.alpha),
                    "beta": as_json(cut.beta),
                    "pruned_children": ids(cut.pruned),
                    "reason": cut.reason,
                }
                for cut in self.cuts
            ],
            "pruned_subtrees": [node.id for node in self.pruned],
            "pruned_values": [as_json(node.value) if node.is_leaf else None for node in self.pruned],
            "pictures": [self._picture_as_json(node) for node in self.tree],
        }
        if steps:
            told["steps"] = [
                {
                    "kind": step.kind,
                    "node": nodes[step.node].id,
                    **({"window": window((step.alpha, step.beta))} if self.convention.prunes else {}),
                    **({"value": as_json(step.value)} if step.value is not None else {}),
                    **({"child": nodes[step.child].id} if step.child >= 0 else {}),
                    **({"skipped": ids(step.skipped)} if step.skipped else {}),
                }
                for step in self.steps
            ]
        return told

    def _picture_as_json(self, node: Node) -> dict[str, Any]:
        picture = self.records[node.index]
        told: dict[str, Any] = {
            "id": node.id,
            "player": None if node.player is None else PLAYER_NAMES[node.player].lower(),
            "parent": None if node.parent < 0 else self.tree.nodes[node.parent].id,
            "visited": picture.is_visited,
        }
        if not picture.is_visited:
            return told | {"pruned_by_cut": picture.cut}
        told["order"] = picture.order
        for name, window in (("entry", picture.entry), ("exit", picture.exit)):
            if window is not None:
                told[name] = [as_json(window[0]), as_json(window[1])]
        told |= {"own": as_json(picture.own), "returned": as_json(picture.returned)}
        if picture.best is not None:
            told["best"] = self.tree.nodes[picture.best].id
        if picture.is_cutoff:
            told["cutoff"] = True
        return told


def _mean(bounds: Sequence[Bound], weights: Sequence[int]) -> Bound:
    """The mean of bounds on one side: infinite if one is."""
    total = Fraction(0)
    for weight, bound in zip(weights, bounds, strict=True):
        if isinstance(bound, float):
            return bound
        total += weight * bound
    mean = total / sum(weights)
    return mean.numerator if mean.denominator == 1 else mean


def trace(
    tree: Tree | str | Mapping[str, Any] | Sequence[Any],
    convention: Convention | str = "",
    *,
    depth: int | None = None,
    window: Window = (-inf, inf),
) -> Trace:
    """Search a tree, or what `read` takes for one, and keep every step.

    The convention as a `Convention` or in words. Raises as `read` and `Trace` do.

    >>> trace("[[3,12,8],[2,4,6],[14,5,2]]", "strict")
    <Trace of <Tree A: 13 nodes, 9 leaves>: value 3, 11 nodes visited>
    """
    if not isinstance(tree, Tree):
        tree = read(tree)
    chosen = Convention.of(convention) if isinstance(convention, str) else convention
    return Trace(tree, chosen, depth=depth, window=window)
