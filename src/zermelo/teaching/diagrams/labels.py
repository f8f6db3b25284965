"""Labels of nodes, and title and description of a picture: the texts that all output formats share."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import NamedTuple

from zermelo.core.game import CHANCE, MAX
from zermelo.drawing.boards import bare_board_scene
from zermelo.drawing.fonts import text_width
from zermelo.drawing.options import Options
from zermelo.drawing.scene import Scene
from zermelo.errors import TreeError
from zermelo.teaching.diagrams.step_changes import Change, changes
from zermelo.teaching.tree.convention import INTERVAL, NEGAMAX, OWN, STRICT
from zermelo.teaching.tree.node import PLAYER_NAMES, Node, Tree
from zermelo.teaching.tree.numbers import format_number
from zermelo.teaching.tree.trace import Cut, Trace

#: Longer names are truncated.
MAX_NAME = 24
#: Maximum numbers of leaves, moves and cutoffs in the description for screen readers.
MAX_LISTED = 30


class Label(NamedTuple):
    """The texts and the state of a node in a picture. Texts may be empty."""

    #: `max`, `min`, `chance` or `leaf`; selects the shape.
    kind: str
    name: str
    value: str
    #: The bounds, in the form that the convention shows.
    window: str
    #: Number in the order of visits, from 1.
    order: str
    #: The name of the move to the node, below a chance node its probability, and `×4` if the node stands for 4 moves.
    arc: str
    #: The position, possibly of several lines.
    state: str
    #: `= B` if the earlier node B has the same position.
    transposition: str
    #: The reason of the cutoff at this node, as in the pseudocode: `-3 ≤ α = 4`.
    reason: str
    #: Numbers, from 1, of the cutoff at this node and of the one that crosses out the arc to it; 0 for none.
    cut: int
    crossed: int
    is_visited: bool
    #: Whether the node or an ancestor was pruned.
    is_pruned: bool
    #: Whether the node is on the principal variation, which includes the root.
    is_on_line: bool
    #: Whether the step shown happens at this node.
    is_current: bool

    @property
    def classes(self) -> tuple[str, ...]:
        """Style classes of the node: its kind and its state."""
        states = (
            ("visited", self.is_visited),
            ("pruned", self.is_pruned),
            ("crossed", self.crossed > 0),
            ("line", self.is_on_line),
            ("current", self.is_current),
        )
        return (self.kind, *(name for name, is_true in states if is_true))


class Labels:
    """The labels of a tree or a trace, at the end of the search or after `options.step` steps.

    Raises
    ------
    TreeError
        If `options.step` is beyond the last step, the tree was not searched, or boards are to be drawn and the tree is
        not that of a game's position.
    """

    def __init__(self, drawn: Tree | Trace, options: Options | None = None) -> None:
        self.options = options or Options()
        self.trace = drawn if isinstance(drawn, Trace) else None
        self.tree: Tree = drawn.tree if isinstance(drawn, Trace) else drawn
        if self.options.boards and not self.tree.positions:
            raise TreeError("boards: the tree has no positions; draw the game tree of a position")
        self._at: dict[int, Change] | None = None  # by node, for a search shown before its end
        #: The nodes whose arcs are crossed out, with the number of the cutoff, from 1.
        self.crossed: dict[int, int] = {}
        self._pruned: set[int] = set()
        self._cut_at: dict[int, int] = {}
        #: The nodes that the picture draws, once known; only their texts need space.
        self.drawn: frozenset[int] | None = None
        self._current = -1
        step = self.options.step
        if step is not None:
            self._go_to(step)
        elif self.trace is not None:
            self._cut_at, self.crossed = self._final_cuts, self.final_crossed
        is_done = self.trace is not None and (step is None or step == len(self.trace.steps))
        line = [node.index for node in self.trace.line] if self.trace and is_done else []
        self.line = frozenset([0, *line] if line else [])

    def _go_to(self, step: int) -> None:
        if self.trace is None:
            raise TreeError(f"step {step}: the tree was not searched")
        if step > len(self.trace.steps):
            raise TreeError(f"step {step}: the search has {len(self.trace.steps):,} steps")
        self._at = {}
        ends = self.tree.subtree_end
        for change, taken in zip(changes(self.trace), self.trace.steps[:step], strict=False):
            for index in change.cleared:
                for state in (self._at, self.crossed, self._cut_at):
                    state.pop(index, None)
                self._pruned.discard(index)
            self._at[change.node] = change
            self._current = taken.node
            if change.cut:
                self._cut_at[change.node] = change.cut
                self.crossed.update(dict.fromkeys(change.crossed, change.cut))
                for child in change.crossed:
                    self._pruned.update(range(child, ends[child]))

    def at(self, index: int) -> Label:
        """The label of a node."""
        node, options = self.tree.nodes[index], self.options
        value = window = order = reason = ""
        is_visited = False
        is_pruned = index in self._pruned
        if self.trace is not None:
            picture = self.trace.records[index]
            if self._at is None:
                is_visited, is_pruned = picture.is_visited, picture.cut is not None
                value, window = format_number(picture.returned) if is_visited else "", self.trace.bounds_text(index)
            elif index in self._at:
                is_visited, value, window = True, self._at[index].value, self._at[index].window
            if is_visited and options.order:
                order = f"{self.trace.visit_number(index)}"
            if index in self._cut_at:
                reason = self.condition(self.trace.cuts[self._cut_at[index] - 1])
        if node.is_leaf:
            value = format_number(node.value)
        elif not options.values:
            value = ""
        cut = self._cut_at.get(index, 0)
        return Label(
            kind="leaf" if node.player is None else PLAYER_NAMES[node.player].lower(),
            name=self.name(node) if options.names else "",
            value=value,
            window=window if options.windows and window != value else "",
            order=order,
            arc=self.arc(node),
            state=node.state if options.states else "",
            transposition=f"= {short(self.tree.nodes[node.transposition_of].id)}"
            if node.transposition_of != index
            else "",
            reason=reason,
            cut=cut,
            crossed=self.crossed.get(index, 0),
            is_visited=is_visited,
            is_pruned=is_pruned,
            is_on_line=index in self.line,
            is_current=index == self._current,
        )

    def widest(self, index: int) -> Label:
        """The label with the longest texts of all steps, to reserve space for them."""
        label = self.at(index)
        if self.trace is None or (self.options.step is None and not self.options.interactive):
            return label
        window, value = self._longest.get(index, ("", ""))
        cut = label.cut or self._all_cuts.get(index, 0)
        return label._replace(
            value=label.value if label.kind == "leaf" or not self.options.values else value,
            window=window if self.options.windows else "",
            order=f"{self.trace.visit_number(index)}" if self.options.order else "",
            reason=self.condition(self.trace.cuts[cut - 1]) if cut else "",
            cut=cut,
            crossed=label.crossed or self.ever_crossed.get(index, 0),
        )

    def restrict(self, drawn: frozenset[int]) -> None:
        """Set the nodes that the picture draws: only their texts need space."""
        self.drawn = drawn
        self.__dict__.pop("_longest", None)

    def condition(self, cut: Cut) -> str:
        """The condition of a cutoff that was true, as in the pseudocode: `v ≥ β` at MAX with numbers, `9 ≥ β = 3`."""
        assert self.trace is not None
        convention, player = self.trace.convention, self.tree.nodes[cut.node].player
        is_max = player == MAX or convention.algorithm == NEGAMAX
        if player == CHANCE:
            mean = self.trace.steps[cut.step].value
            assert mean is not None
            sign, name, bound = ("≤", "α", cut.alpha) if mean <= cut.alpha else ("≥", "β", cut.beta)
            return f"{format_number(mean)} {sign} {name} = {format_number(bound)}"
        sign = (">" if is_max else "<") if convention.cut == STRICT else ("≥" if is_max else "≤")
        value, bound = (cut.alpha, cut.beta) if is_max else (cut.beta, cut.alpha)
        return f"{format_number(value)} {sign} {'β' if is_max else 'α'} = {format_number(bound)}"

    def board(self, index: int) -> Scene | None:
        """The board of a node with the squares of the last move marked; None if boards are not drawn."""
        if not self.options.boards:
            return None
        parent = self.tree.nodes[index].parent
        before = self.tree.positions[parent] if parent >= 0 else None
        return bare_board_scene(self.tree.positions[index], before)

    @property
    def window_key(self) -> tuple[str, str]:
        """How the bounds at the nodes look, and their meaning; empty if there are none."""
        if self.trace is None or not self.options.windows or not self.trace.convention.prunes:
            return "", ""
        if all(node.player in (None, CHANCE) for node in self.tree):
            return "", ""
        show = self.trace.convention.show
        if show == OWN:
            best = "best value so far at the node itself"
            if self.trace.convention.algorithm == NEGAMAX:
                return "α=…", best
            return "α=… β=…", f"{best}: α at MAX, β at MIN"
        if show == INTERVAL:
            return "[a, b]", "interval that contains the value of the node"
        return "[α, β]", "window after the last child searched: MAX is sure of at least α, MIN of at most β"

    @cached_property
    def _longest(self) -> dict[int, tuple[str, str]]:
        longest: dict[int, tuple[str, str]] = {}
        for change in changes(self.trace, self.drawn) if self.trace else ():
            window, value = longest.get(change.node, ("", ""))
            longest[change.node] = (_wider(window, change.window), _wider(value, change.value))
        return longest

    @cached_property
    def _final_cuts(self) -> dict[int, int]:
        return {cut.node: number + 1 for number, cut in self.trace.final_cuts} if self.trace else {}

    @cached_property
    def _all_cuts(self) -> dict[int, int]:
        return {cut.node: number for number, cut in enumerate(self.trace.cuts, 1)} if self.trace else {}

    @cached_property
    def ever_crossed(self) -> dict[int, int]:
        """The nodes whose arcs are crossed out at some step, with the number of the last cutoff that does it."""
        cuts = enumerate(self.trace.cuts, 1) if self.trace else ()
        return {child: number for number, cut in cuts for child in cut.pruned}

    @cached_property
    def final_crossed(self) -> dict[int, int]:
        """The nodes whose arcs are crossed out at the end of the search, with the number of the cutoff."""
        cuts = self.trace.final_cuts if self.trace else ()
        return {child: number + 1 for number, cut in cuts for child in cut.pruned}

    def name(self, node: Node) -> str:
        """A node's name, without a prefix that repeats its parent's name (`7/6-1/5-1-1`, `b2 a1`)."""
        id = node.id
        if node.parent >= 0:
            above = self.tree.nodes[node.parent].id
            end = id.removeprefix(above)
            if len(end) < len(id) and len(end) > 1 and end[0] in "/ ":
                id = end[1:]
        return short(id)

    def arc(self, node: Node) -> str:
        """The label of the arc to a node: the move name, and the probability of a chance outcome."""
        texts = [short(node.move)] if node.move and self.options.moves else []
        if node.parent >= 0:
            above = self.tree.nodes[node.parent]
            if above.weights:
                weight = above.weights[above.children.index(node.index)]
                texts.append(str(Fraction(weight, sum(above.weights))))
        if node.multiplicity > 1 and self.options.moves:
            texts.append(f"×{node.multiplicity}")
        return " ".join(texts)

    @cached_property
    def pruned_before(self) -> list[int]:
        """Cumulative count: for each index the number of pruned nodes before it."""
        from itertools import accumulate

        if self.trace is None or self._at is not None:
            return list(accumulate((node.index in self._pruned for node in self.tree), initial=0))
        return list(accumulate((picture.cut is not None for picture in self.trace.records), initial=0))

    @cached_property
    def shown_cuts(self) -> dict[int, Cut]:
        """The cutoffs that the picture shows, by their number."""
        return {number: self.trace.cuts[number - 1] for number in sorted(self._cut_at.values())} if self.trace else {}

    @property
    def cuts(self) -> list[str]:
        """One line per cutoff, in order: the reason and the pruned nodes, in the letters of a terminal."""
        nodes = self.tree.nodes
        return [
            f"{cut.reason}: {listed([nodes[child].id for child in cut.pruned])} pruned"
            for cut in self.shown_cuts.values()
        ]

    @property
    def conditions(self) -> dict[int, str]:
        """One line per cutoff, by its number: the condition as in the pseudocode, and the pruned nodes."""
        nodes = self.tree.nodes

        def line(cut: Cut) -> str:
            pruned = listed([self.name(nodes[child]) for child in cut.pruned])
            return f"{short(nodes[cut.node].id)}: {self.condition(cut)}; {pruned} pruned"

        return {number: line(cut) for number, cut in self.shown_cuts.items()}

    @property
    def title(self) -> str:
        """Short title of the picture."""
        name = f" {self.tree.name}" if self.tree.name else ""
        if self.trace is None:
            return f"Game tree{name}"
        step = self.options.step
        return f"Game tree{name}, {self.trace.convention}" + ("" if step is None else f", after step {step}")

    @property
    def description(self) -> str:
        """Description of the picture for screen readers."""
        tree = self.tree
        players = {node.player for node in tree if node.player is not None}
        to_move = (
            "" if tree.root.player is None else f" {PLAYER_NAMES[tree.root.player]} to move at the root {tree.root.id}."
        )
        lines = [
            f"A tree with {plural(len(tree), 'node')}, {plural(len(tree.leaves), 'leaf', 'leaves')} among them, "
            f"and depth {tree.depth}.{to_move}"
        ]
        if len(players) > 1:
            lines.append(
                "Players: " + ", ".join(PLAYER_NAMES[player] for player in sorted(players, reverse=True)) + "."
            )
        if len(tree.leaves) <= MAX_LISTED:
            leaves = ", ".join(f"{leaf.id} {format_number(leaf.value)}" for leaf in tree.leaves)
            lines.append(f"Leaves from left to right: {leaves}.")
        if self.trace is None:
            return " ".join(lines)
        trace = self.trace
        lines.append(f"Searched by {trace.convention}.")
        if self._at is not None and (self.options.step or 0) < len(trace.steps):
            lines.append(f"Shown after step {self.options.step} of {len(trace.steps):,}.")
        else:
            lines.append(f"The value of the root is {format_number(trace.value)}.")
            if trace.line:
                moves = [tree.move_name(node) for node in trace.line]
                lines.append(f"The principal variation is {', '.join(moves[:MAX_LISTED])}.")
            evaluated = f"{plural(len(trace.leaves), 'leaf was', 'leaves were')} evaluated"
            lines.append(f"{plural(len(trace.visited), 'node')} of {len(tree):,} were visited, {evaluated}.")
        cuts = self.cuts
        if cuts:
            rest = f"; and {len(cuts) - MAX_LISTED:,} more" if len(cuts) > MAX_LISTED else ""
            lines.append(f"{plural(len(cuts), 'cutoff')}: {'; '.join(cuts[:MAX_LISTED])}{rest}.")
        elif trace.convention.prunes:
            lines.append("No cutoffs.")
        return " ".join(lines)


def _wider(one: str, other: str) -> str:
    return max(one, other, key=lambda text: text_width(text, 1))


def short(text: str) -> str:
    """A name as one line, truncated if long."""
    text = " ".join(text.split())
    return text if len(text) <= MAX_NAME else text[: MAX_NAME - 1] + "…"


def listed(names: list[str], most: int = 8) -> str:
    """Names separated by commas; of many names only the first ones and the number of the rest."""
    if len(names) <= most:
        return ", ".join(map(short, names))
    return ", ".join(map(short, names[:most])) + f" and {len(names) - most:,} more"


def plural(count: int, one: str, more: str = "") -> str:
    """`1 node`, `1,234 nodes`."""
    return f"{count:,} {one if count == 1 else more or one + 's'}"
