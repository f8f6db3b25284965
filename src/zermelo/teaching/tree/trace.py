"""`Trace`: every step of a search of a tree, and the final record of each node.

The search is `zermelo.search.textbook` with an observer; this module does not decide what is visited. Drawings,
explanations and exercises are made from a `Trace`. docs/trace.md describes its JSON.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import inf
from typing import Any, NamedTuple

from zermelo.core.game import CHANCE, MAX, MIN
from zermelo.errors import LimitError, TreeError
from zermelo.search import textbook
from zermelo.search.enhancements import LOWER, UPPER, Enhancements
from zermelo.search.textbook import INFINITY, Event
from zermelo.teaching.tree.convention import (
    ASPIRATION,
    DEEPENING,
    INHERITED,
    INTERVAL,
    KILLERS,
    NEGAMAX,
    OWN,
    PVS,
    QUIESCENCE,
    STRICT,
    TABLE,
    Convention,
)
from zermelo.teaching.tree.gc_pause import gc_paused
from zermelo.teaching.tree.node import PLAYER_NAMES, Node, Tree
from zermelo.teaching.tree.notebooks import ShowsDrawing
from zermelo.teaching.tree.numbers import Bound, Number, as_json, format_number, to_bound
from zermelo.teaching.tree.parsing import read
from zermelo.teaching.tree.rules import TreeGame

#: Version of the JSON; it changes when a reader of the old version would fail.
SCHEMA = "zermelo-trace/1"

Window = tuple[Bound, Bound]


class Step(NamedTuple):
    """One step of a search. Numbers are from the view of MAX, in negamax of the player to move at the node."""

    #: `enter`, `leaf`, `value`, `bound`, `cut`, `leave` and others; see `zermelo.search.textbook.Event`.
    kind: str
    #: Index of the node.
    node: int
    alpha: Bound
    beta: Bound
    value: Number | None
    #: Index of the child that returned `value` (`value`, `bound`, `cut`, `re-search`), that is searched or tried next
    #: (`probe`, `null-window`, `table-move`, `killer`), or of the best child (`leave`, `store`); -1 for none.
    child: int
    #: At a `cut`, the indices of the pruned children.
    skipped: tuple[int, ...]
    #: Number of the visit of the node, from 0: a search may visit a node several times.
    visit: int
    #: Number of the visit of the child that returned `value` (`value`, `cut`, `re-search`); -1 for none.
    child_visit: int = -1
    #: At a `table-hit` or `store`, what the value is: `exact`, `lower bound` or `upper bound`.
    bound: str = ""
    #: At an `iteration`, its depth.
    depth: int | None = None


class Cut(NamedTuple):
    """A cutoff: when child `after` of `node` returned, the children `pruned` were not searched any more."""

    #: Index of the node at which the search cuts.
    node: int
    #: Index of the child whose value caused the cutoff; -1 if none was searched.
    after: int
    #: The window updated with that value, so that alpha >= beta.
    alpha: Bound
    beta: Bound
    #: Indices of the pruned children.
    pruned: tuple[int, ...]
    #: Index of the step.
    step: int
    #: `alpha-cut (at MIN)` or `beta-cut (at MAX)`, after the bound that is reached; `beta-cut` in negamax; in Star1 and
    #: Star2 also `alpha-cut (at chance)` and `beta-cut (at chance)`.
    kind: str
    #: The reason in one line: `alpha 4 >= beta -3 at O`.
    reason: str
    #: Number of the visit of the node, see `Step`.
    visit: int


class Iteration(NamedTuple):
    """An iteration of iterative deepening, with all repetitions for wider windows."""

    depth: int
    #: The first window at the root, the aspiration window if there is one.
    window: Window
    value: Number
    #: Index of the best child of the root, or None.
    best: int | None
    #: Number of visits of nodes, and of evaluations of leaves and of nodes at the depth limit.
    visits: int
    leaves: int
    #: Index of its first step.
    step: int


@dataclass(slots=True)
class NodeRecord:
    """The result of the search at a node.

    A node that was not visited has only `cut`. Leaves have no exit window. In minimax there are no windows. When a node
    is searched again, its record and those below it start anew: they are those of the last search.
    """

    #: Number of the visit, from 0; None if the node was not visited.
    order: int | None = None
    #: The window at entry.
    entry: Window | None = None
    #: The window after the last child, updated with its value; alpha >= beta after a cutoff.
    exit: Window | None = None
    #: The best value that a child returned, the node's own bound. At a leaf its value, at a chance node the mean.
    own: Number | None = None
    #: The value that the node returned to its parent.
    returned: Number | None = None
    #: Index of the best child; None at leaves, at chance nodes, and if no child improved on the bound.
    best: int | None = None
    #: Index in `Trace.cuts` of the cutoff that pruned the node or an ancestor.
    cut: int | None = None
    #: Whether the search stopped at this inner node because of its depth limit.
    is_cutoff: bool = False
    #: What the value from the transposition table is, `exact`, `lower bound` or `upper bound`; "" if it was searched.
    table_bound: str = ""

    @property
    def is_visited(self) -> bool:
        return self.order is not None


def searched(
    rules: TreeGame,
    convention: Convention,
    *,
    depth: int | None = None,
    window: Window = (-inf, inf),
    bounds: Window | None = None,
    observer: textbook.Observer | None = None,
) -> textbook.Result:
    """Run the textbook search of a tree. The value of the result is scaled by `rules.scale`. Raises as `Trace` does."""
    if QUIESCENCE in convention.enhancements and depth is None:
        raise TreeError("convention: quiescence needs a depth limit, at which it begins")
    if DEEPENING in convention.enhancements and depth is None:
        depth = rules.tree.depth
    options: dict[str, Any] = {"depth": depth, "evaluation": None if depth is None else rules.Static()}
    options["observer"] = observer
    if not convention.prunes:
        if window != (-inf, inf):
            raise TreeError(f"{convention.algorithm} has no window")
        return textbook.minimax(rules.start(), **options)
    if window[0] >= window[1]:
        given = ", ".join(map(format_number, window))
        raise LimitError(f"the window [{given}] is empty: alpha must be less than beta")
    low, high = (_score(rules, bound) for bound in window)
    options |= {"alpha": low, "beta": high}
    if convention.has_star:
        options["pruning"] = convention.algorithm
        options["bounds"] = tuple(_score(rules, bound) for bound in bounds or value_range(rules.tree, depth))
        return textbook.expectiminimax(rules.start(), **options, exact_means=True)
    options["cut_on_equal"] = convention.cut != STRICT
    if convention.enhancements:
        options["enhancements"] = Enhancements(
            null_windows=PVS in convention.enhancements,
            iterative_deepening=DEEPENING in convention.enhancements,
            aspiration=convention.aspiration_width * rules.scale if ASPIRATION in convention.enhancements else 0,
            table=TABLE in convention.enhancements,
            killers=KILLERS in convention.enhancements,
            quiescence=QUIESCENCE in convention.enhancements,
            key=rules.key,
            move_key=rules.move_key,
        )
    if convention.algorithm == NEGAMAX:
        return textbook.negamax(rules.start(), **options)
    return textbook.alphabeta(rules.start(), **options, variant=convention.variant)


def value_range(tree: Tree, depth: int | None) -> tuple[Number, Number]:
    """The least and the largest value in a tree: of its leaves, with a depth limit also of the evaluations."""
    numbers = [node.value for node in tree if node.value is not None]
    if depth is not None:
        numbers += [node.evaluation or 0 for node in tree if node.player is not None]
    return min(numbers, default=0), max(numbers, default=0)


def _score(rules: TreeGame, bound: Bound) -> int:
    """Convert a bound to a score. Raises `TreeError` if it is not a multiple of the unit of scores."""
    if isinstance(bound, float):
        return INFINITY if bound > 0 else -INFINITY
    score = bound * rules.scale
    if int(score) != score:
        raise TreeError(f"the bound {format_number(bound)} has a larger denominator than the values of the tree")
    return int(score)


class _Bounds(dict[int | None, Any]):
    """Cache of scores converted to bounds of the tree; the full window has infinite bounds."""

    def __init__(self, rules: TreeGame) -> None:
        super().__init__({None: None, INFINITY: inf, -INFINITY: -inf})
        self._rules = rules

    def __missing__(self, score: int) -> Bound:
        if score >= INFINITY or score <= -INFINITY:
            return inf if score > 0 else -inf
        number = self[score] = self._rules.number(score)
        return number


class Trace(ShowsDrawing):
    """A search of a tree with all its steps, made by `trace`. It shows itself in notebooks.

    Attributes
    ----------
    tree : Tree
    convention : Convention
    steps : list of Step
    cuts : list of Cut
    records : list of NodeRecord
        One for each node of the tree, by index.
    value : int or Fraction
        The value of the root for MAX, in negamax for the player at the root.
    best : int or None
        Index of the best child of the root.
    """

    def __init__(
        self,
        tree: Tree,
        convention: Convention | None = None,
        *,
        depth: int | None = None,
        window: Window = (-inf, inf),
        bounds: Window | None = None,
    ) -> None:
        """Search the tree. The parameters are those of `trace`."""
        self.tree = tree
        self.convention = convention or Convention()
        self.depth = depth
        self.window: Window = to_bound(window[0]), to_bound(window[1])
        #: In Star1 and Star2 the bounds of all values, otherwise None.
        self.value_bounds: Window | None = None
        if bounds is not None and not self.convention.has_star:
            raise TreeError(f"bounds of all values are for star1 and star2 (got {self.convention.algorithm})")
        if self.convention.has_star:
            self.value_bounds = _value_bounds(tree, depth, bounds)
        known = [*self.window, *(self.value_bounds or ())]
        self._rules = TreeGame(
            tree,
            [bound for bound in known if not isinstance(bound, float)],
            divides_windows=self.convention.has_star,
        )
        self.steps: list[Step] = []
        self.cuts: list[Cut] = []
        self.records = [NodeRecord() for _ in tree.nodes]
        self._bounds = _Bounds(self._rules)
        # In negamax, the numbers of a leaf are those of the player who would move next.
        self._negated = [False] * len(tree)
        if self.convention.algorithm == NEGAMAX:
            for node in tree:
                self._negated[node.index] = (
                    node.player is None and node.parent >= 0 and tree.nodes[node.parent].player == MAX
                )
        with gc_paused():
            result = searched(
                self._rules,
                self.convention,
                depth=depth,
                window=self.window,
                bounds=self.value_bounds,
                observer=self._observe,
            )
        self.value: Number = self._rules.number(result.value)
        self.best: int | None = None if result.best is None else tree.root.children[result.best]
        self._finish()

    # ---- observing the search ---------------------------------------------------------------------------------

    def _observe(self, event: Event) -> None:
        """Record a step. Called for each step, so it has to be fast."""
        kind, visit, _, _, state, _, low, high, score, move, moves, is_cutoff, bound, depth = event
        index: int = state[0]
        bounds, node = self._bounds, self.tree.nodes[index]
        alpha, beta, value = bounds[low], bounds[high], bounds[score]
        if self._negated[index]:
            alpha, beta = -beta, -alpha
            value = None if value is None else -value
        child = -1 if move is None else node.children[move]
        skipped = tuple(node.children[move] for move in moves) if moves else ()
        child_visit = -1
        if child >= 0 and kind in ("value", "cut", "bound", "re-search"):
            child_visit = self.records[child].order  # type: ignore[assignment]  # it was visited
        self.steps.append(Step(kind, index, alpha, beta, value, child, skipped, visit, child_visit, bound, depth))
        record = self.records[index]
        if kind == "enter":
            if record.order is not None:  # searched again
                for below in range(index, self.tree.subtree_end[index]):
                    self.records[below] = NodeRecord()
                record = self.records[index]
            record.order = visit
            record.entry = (alpha, beta) if self.convention.prunes else None
        elif kind == "leaf":
            record.own = record.returned = value
            record.is_cutoff = is_cutoff
        elif kind == "leave":
            record.returned = value
            record.best = None if child < 0 else child
            if node.weights:
                record.own = record.returned
                record.exit = record.entry
        elif kind in ("value", "stand-pat"):
            self._update(record, node.player, value)
        elif kind == "cut":
            self.cuts.append(self._cut(self.steps[-1], record))
        elif kind == "table-hit":
            record.own = record.returned = value
            record.table_bound = bound

    def _update(self, record: NodeRecord, player: int | None, value: Number) -> None:
        """Update the own bound and the window of a node with the value of a child."""
        if player not in (MAX, MIN):
            return
        is_max = self._rises(player)
        if record.own is None or (value > record.own if is_max else value < record.own):
            record.own = value
        if record.entry is not None:
            alpha, beta = record.exit or record.entry
            record.exit = (max(alpha, value), beta) if is_max else (alpha, min(beta, value))

    def _cut(self, step: Step, record: NodeRecord) -> Cut:
        """The cutoff of a step."""
        node, after = self.tree.nodes[step.node], step.child
        sign = ">" if self.convention.cut == STRICT else ">="
        if node.player == CHANCE:
            after = self.steps[-2].child
            assert step.value is not None
            mean = format_number(step.value)
            if step.value <= step.alpha:
                kind, reason = "alpha-cut", f"mean at most {mean} <= alpha {format_number(step.alpha)} at {node.id}"
            else:
                kind, reason = "beta-cut", f"mean at least {mean} >= beta {format_number(step.beta)} at {node.id}"
            kind += " (at chance)"
            return Cut(
                step.node, after, step.alpha, step.beta, step.skipped, len(self.steps) - 1, kind, reason, step.visit
            )
        assert record.exit is not None
        alpha, beta = record.exit
        kind = "beta-cut (at MAX)" if node.player == MAX else "alpha-cut (at MIN)"
        if self.convention.algorithm == NEGAMAX:
            kind = "beta-cut"
        reason = f"alpha {format_number(alpha)} {sign} beta {format_number(beta)} at {node.id}"
        return Cut(step.node, after, alpha, beta, step.skipped, len(self.steps) - 1, kind, reason, step.visit)

    def _finish(self) -> None:
        """Set `cut` of all pruned nodes and their descendants."""
        ends = self.tree.subtree_end
        for number, cut in self.final_cuts:
            for child in cut.pruned:
                for index in range(child, ends[child]):
                    self.records[index].cut = number

    def __repr__(self) -> str:
        return f"<Trace of {self.tree!r}: value {format_number(self.value)}, {len(self.visited):,} nodes visited>"

    # ---- queries ----------------------------------------------------------------------------------------------

    def record(self, node: Node | str) -> NodeRecord:
        """The record of a node, given as a `Node` or by name."""
        return self.records[(self.tree[node] if isinstance(node, str) else node).index]

    @cached_property
    def visited(self) -> tuple[Node, ...]:
        """The nodes that have a record, in the order of their visits.

        After iterative deepening these are the nodes of the last iteration; `visits` counts all visits.
        """
        records = self.records
        visited = (node for node in self.tree if records[node.index].is_visited)
        return tuple(sorted(visited, key=lambda node: records[node.index].order or 0))

    def visit_number(self, index: int) -> int:
        """The number of a node in `visited`, from 1; 0 if it is not there."""
        return self._visit_numbers.get(index, 0)

    @cached_property
    def _visit_numbers(self) -> dict[int, int]:
        return {node.index: number for number, node in enumerate(self.visited, 1)}

    @cached_property
    def visits(self) -> int:
        """Number of visits of nodes; a node that is searched again counts again."""
        return sum(step.kind == "enter" for step in self.steps)

    @cached_property
    def leaves(self) -> tuple[Node, ...]:
        """The evaluated leaves among `visited`, in order, including the nodes evaluated at the depth limit."""
        return tuple(node for node in self.visited if node.is_leaf or self.records[node.index].is_cutoff)

    @cached_property
    def final_cuts(self) -> tuple[tuple[int, Cut], ...]:
        """The cutoffs of the last search of their node, each with its index in `cuts`."""
        records = self.records
        return tuple((number, cut) for number, cut in enumerate(self.cuts) if records[cut.node].order == cut.visit)

    @cached_property
    def pruned(self) -> tuple[Node, ...]:
        """The children pruned by `final_cuts`, in order, without their descendants."""
        return tuple(self.tree.nodes[child] for _, cut in self.final_cuts for child in cut.pruned)

    @cached_property
    def iterations(self) -> tuple[Iteration, ...]:
        """The iterations of iterative deepening; none in other searches."""
        begins = [number for number, step in enumerate(self.steps) if step.kind == "iteration"]
        found = []
        for begin, end in pairwise([*begins, len(self.steps)]):
            first, last = self.steps[begin], self.steps[end - 1]
            kinds = [step.kind for step in self.steps[begin:end]]
            assert first.depth is not None
            assert last.value is not None
            found.append(
                Iteration(
                    first.depth,
                    (first.alpha, first.beta),
                    last.value,
                    last.child if last.child >= 0 else None,
                    kinds.count("enter"),
                    kinds.count("leaf"),
                    begin,
                )
            )
        return tuple(found)

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
        """For each node the interval `(low, high)` that the evaluated leaves prove for its value, for MAX.

        The minimax value is in the interval for any values of the other leaves; `(-inf, inf)` if no leaf
        below was evaluated.
        """
        return self._proofs[0]

    @cached_property
    def bounds_at_visit(self) -> tuple[Window, ...]:
        """For each visit, by its number, the interval that it proves for the value of its node, for MAX."""
        return self._proofs[1]

    @cached_property
    def _proofs(self) -> tuple[tuple[Window, ...], tuple[Window, ...]]:
        """The intervals by node, after the last visit, and by visit."""
        nodes = self.tree.nodes
        unknown: Window = self.value_bounds or (-inf, inf)
        by_node: list[Window] = [unknown] * len(nodes)
        by_visit: list[Window] = []
        stand_pat: dict[int, Number] = {}  # by visit, for MAX
        for step in self.steps:
            index, node = step.node, nodes[step.node]
            if step.kind == "enter":
                by_visit.append(unknown)
                for child in node.children:  # known from an earlier visit
                    by_node[child] = unknown
            elif step.kind == "stand-pat":
                stand_pat[step.visit] = node.evaluation or 0
            elif step.kind in ("leaf", "table-hit", "leave"):
                interval = self._interval(node, step, by_node, stand_pat.get(step.visit))
                by_node[index] = by_visit[step.visit] = interval
        for node in nodes:
            if not self.records[node.index].is_visited:
                by_node[node.index] = unknown
        return tuple(by_node), tuple(by_visit)

    def _interval(self, node: Node, step: Step, intervals: list[Window], stand_pat: Number | None) -> Window:
        """The interval that is proven when a node returns, from those of its children."""
        if step.kind == "leaf":
            value = node.value if node.is_leaf else node.evaluation or 0
            assert value is not None  # the search has evaluated it
            return value, value
        if step.kind == "table-hit":
            assert step.value is not None
            low = -inf if step.bound == UPPER else step.value
            high = inf if step.bound == LOWER else step.value
            return (-high, -low) if self.convention.algorithm == NEGAMAX and node.player == MIN else (low, high)
        below = [intervals[child] for child in node.children]
        if stand_pat is not None:  # quiescence search: the evaluation, and tactical moves only
            tactical = (child for child in node.children if self.tree.nodes[child].is_tactical)
            below = [(stand_pat, stand_pat), *(intervals[child] for child in tactical)]
        lows, highs = zip(*below, strict=True)
        if node.weights:
            return mean(lows, node.weights), mean(highs, node.weights)
        best = max if node.player == MAX else min
        return best(lows), best(highs)

    @cached_property
    def _proven(self) -> dict[tuple[int, Number], Bound]:
        """For a node and its best value so far, the bound for MAX that was proven when that value was returned."""
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
        """Whether larger numbers are better for a player."""
        return player == MAX or self.convention.algorithm == NEGAMAX

    def bounds_text(self, index: int) -> str:
        """The final bounds of a node as the convention's `show` displays them; "" if it was not visited."""
        record = self.records[index]
        if not record.is_visited:
            return ""
        return self.format_bounds(index, record.exit or record.entry, record.own, is_done=True)

    def format_bounds(self, index: int, window: Window | None, own: Number | None, *, is_done: bool) -> str:
        """Format the bounds of a node as the convention's `show` displays them: `[4, +∞]` or `α=4`.

        `window` and `own` are those at some step; `is_done` says whether the node has returned.
        """
        node = self.tree.nodes[index]
        if window is None or node.is_leaf:
            return ""
        if node.player == CHANCE and (self.convention.show != INHERITED or not self.convention.has_star):
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

    # ---- JSON -------------------------------------------------------------------------------------------------

    def as_json(self, *, steps: bool = True) -> dict[str, Any]:
        """Convert the trace to data for JSON, as described in docs/trace.md; without the steps if `steps` is False."""
        nodes = self.tree.nodes
        searched = [node for node in self.visited if node.player is not None and not self.records[node.index].is_cutoff]

        def ids(indices: Any) -> list[str]:
            return [nodes[index].id for index in indices]

        def as_list(window: Window | None) -> list[Any] | None:
            return None if window is None else [as_json(window[0]), as_json(window[1])]

        data: dict[str, Any] = {
            "schema": SCHEMA,
            "tree": self.tree.name or None,
            "convention": self.convention.as_json() | {"depth": self.depth, "window": as_list(self.window)},
            "value": as_json(self.value),
            "best": None if self.best is None else nodes[self.best].id,
            "line": [node.id for node in self.line],
            "nodes": len(self.visited),
            "leaf_count": len(self.leaves),
            "visit_order": [node.id for node in self.visited],
            "leaves_evaluated": [node.id for node in self.leaves],
            "leaf_values": [as_json(self.records[node.index].returned) for node in self.leaves],
            "entry_window": {node.id: as_list(entry) for node in searched if (entry := self.records[node.index].entry)},
            "exit_window": {node.id: as_list(exit) for node in searched if (exit := self.records[node.index].exit)},
            "returned": {node.id: as_json(self.records[node.index].returned) for node in searched},
            "cuts": [
                {
                    "at": nodes[cut.node].id,
                    "after": None if cut.after < 0 else nodes[cut.after].id,
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
            "pictures": [self._record_as_json(node) for node in self.tree],
        }
        if steps:
            data["steps"] = [
                {
                    "kind": step.kind,
                    "node": nodes[step.node].id,
                    **({"window": as_list((step.alpha, step.beta))} if self.convention.prunes else {}),
                    **({"value": as_json(step.value)} if step.value is not None else {}),
                    **({"child": nodes[step.child].id} if step.child >= 0 else {}),
                    **({"skipped": ids(step.skipped)} if step.skipped else {}),
                    **({"bound": step.bound} if step.bound else {}),
                    **({"depth": step.depth} if step.depth is not None else {}),
                }
                for step in self.steps
            ]
        if self.value_bounds is not None:
            data["value_bounds"] = as_list(self.value_bounds)
        if self.convention.enhancements:
            data["visits"] = self.visits
        if self.iterations:
            data["iterations"] = [
                {
                    "depth": iteration.depth,
                    "window": as_list(iteration.window),
                    "value": as_json(iteration.value),
                    "best": None if iteration.best is None else nodes[iteration.best].id,
                    "visits": iteration.visits,
                    "leaves": iteration.leaves,
                }
                for iteration in self.iterations
            ]
        return data

    def _record_as_json(self, node: Node) -> dict[str, Any]:
        record = self.records[node.index]
        data: dict[str, Any] = {
            "id": node.id,
            "player": None if node.player is None else PLAYER_NAMES[node.player].lower(),
            "parent": None if node.parent < 0 else self.tree.nodes[node.parent].id,
            "visited": record.is_visited,
        }
        if not record.is_visited:
            return data | {"pruned_by_cut": record.cut}
        data["order"] = record.order
        for name, window in (("entry", record.entry), ("exit", record.exit)):
            if window is not None:
                data[name] = [as_json(window[0]), as_json(window[1])]
        data |= {"own": as_json(record.own), "returned": as_json(record.returned)}
        if record.best is not None:
            data["best"] = self.tree.nodes[record.best].id
        if record.is_cutoff:
            data["cutoff"] = True
        if record.table_bound:
            data["table_bound"] = record.table_bound
        return data


def _value_bounds(tree: Tree, depth: int | None, bounds: Window | None) -> Window:
    """The bounds of all values, by default those of the tree. Raises `LimitError` if a value lies outside."""
    least, largest = value_range(tree, depth)
    if bounds is None:
        return least, largest
    low, high = to_bound(bounds[0]), to_bound(bounds[1])
    if isinstance(low, float) or isinstance(high, float) or not low <= least <= largest <= high:
        given = ", ".join(map(format_number, (low, high)))
        raise LimitError(
            f"the bounds of all values must be finite and include {format_number(least)} to {format_number(largest)}, "
            f"the values of the tree (got [{given}])"
        )
    return low, high


def mean(bounds: Sequence[Bound], weights: Sequence[int]) -> Bound:
    """The weighted mean of bounds, infinite if one of them is."""
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
    bounds: Window | None = None,
) -> Trace:
    """Search a tree and record every step.

    Parameters
    ----------
    tree : Tree, str, dict or list
        A tree, or a source for `read`.
    convention : Convention or str
        How to search, for example `"strict fail-hard"`; see `Convention`. By default fail-soft alpha-beta that cuts on
        equality.
    depth : int, optional
        Depth limit in plies. Nodes at the limit have their `evaluation` as value, or 0. By default no limit. Iterative
        deepening ends at this depth, by default at that of the tree.
    window : tuple of two numbers
        The window at the root, of numbers or infinities; in negamax for the player at the root.
    bounds : (number, number), optional
        In Star1 and Star2, the bounds of all values, which the search knows in advance. By default the least and the
        largest value of the tree.

    Returns
    -------
    Trace

    Raises
    ------
    TreeError
        If the tree is invalid, or the search evaluates a leaf without a value.
    LimitError
        If the window is empty, or the bounds do not include all values.

    Examples
    --------
    >>> trace("[[3,12,8],[2,4,6],[14,5,2]]", "strict")
    <Trace of <Tree A: 13 nodes, 9 leaves>: value 3, 11 nodes visited>
    """
    if not isinstance(tree, Tree):
        tree = read(tree)
    chosen = Convention.of(convention) if isinstance(convention, str) else convention
    return Trace(tree, chosen, depth=depth, window=window, bounds=bounds)
