"""`PlayoutTrace`: every step of a small Monte Carlo tree search, and the tree that it grows.

The search is `zermelo.search.mcts.textbook` with an observer; this module only records and describes it. Results are
for MAX: `3.5/6` stands for six playouts, of which MAX won three and one was a draw. In games of graded wins the largest
win counts 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from zermelo.core.evaluation import Evaluation, resolve_evaluation
from zermelo.core.game import CHANCE, MAX, MIN, State
from zermelo.core.validation import check_state, validate_root
from zermelo.errors import LimitError, TreeError
from zermelo.search.mcts import textbook
from zermelo.search.mcts.formulas import GRAIN, largest_result, uct
from zermelo.search.mcts.textbook import TextbookTree
from zermelo.teaching.tree.node import Node, Tree
from zermelo.teaching.tree.notebooks import ShowsDrawing
from zermelo.teaching.tree.state_text import state_text

#: Most simulations of a trace: a page with the steps of more would have megabytes.
MAX_SIMULATIONS = 2_000
#: Name of the root.
ROOT = "root"
# Siblings of a selected child whose bounds a sentence lists.
_MAX_SIBLINGS = 4


class ChildBound(NamedTuple):
    """The upper confidence bound of a child, for the side that selects it: `bound = mean + bonus`."""

    #: Index of the child.
    node: int
    visits: int
    #: Mean result, 0 to 1.
    mean: float
    #: Bonus for exploration, and for the move-ordering score in games that have one.
    bonus: float

    @property
    def bound(self) -> float:
        return self.mean + self.bonus


class PlayoutStep(NamedTuple):
    """One step: at a node, with the node's texts after it."""

    #: `select`, `expand`, `simulate` or `back up`.
    kind: str
    #: Number of the simulation, from 1.
    simulation: int
    #: Index of the node in the tree.
    node: int
    sentence: str
    #: Results for MAX and visits, `3.5/6`; empty before the first visit.
    value: str
    #: The proven utility, `= +1`; empty if there is none.
    proven: str
    #: At a `select` below a player's node, the upper confidence bounds of the siblings that it compares.
    bounds: tuple[ChildBound, ...] = ()


class PlayoutTrace(ShowsDrawing):
    """A Monte Carlo tree search, step by step. It shows itself in notebooks.

    Parameters
    ----------
    state : State
        The root.
    simulations : int
        1 to 2000. The search ends earlier if the root is proven.
    seed : int
        Seed of the random choices.
    evaluation : str or Evaluation, optional
        Evaluate new nodes in place of playouts.
    history : sequence of State
        States of the game before the root.

    Attributes
    ----------
    tree : Tree
        The visited nodes. Leaves are finished games.
    steps : list of PlayoutStep
    simulations : int
        Simulations that were run.
    best : str or None
        Most visited move; None at a chance node.

    Raises
    ------
    LimitError
        If the number of simulations or the seed is out of range.
    TreeError
        If the game is over.

    Examples
    --------
    >>> import zermelo
    >>> from zermelo.teaching import tree
    >>> trace = tree.PlayoutTrace(zermelo.load("tictactoe").parse("XX-OO----"), 3)
    >>> print(trace.steps[0].sentence)
    Simulation 1, expand: add c1, which was never visited.
    """

    def __init__(
        self,
        state: State,
        simulations: int = 20,
        seed: int = 0,
        evaluation: str | Evaluation | None = None,
        history: Sequence[State] = (),
    ) -> None:
        check_state(state)
        if not 1 <= simulations <= MAX_SIMULATIONS:
            raise LimitError(f"simulations must be between 1 and {MAX_SIMULATIONS:,} (got {simulations})")
        if not 0 <= seed < 1 << 62:
            raise LimitError(f"seed must be between 0 and 2^62 - 1 (got {seed})")
        scored = None if evaluation is None else resolve_evaluation(state, evaluation)
        if not validate_root(state, scored):
            raise TreeError("the game is over: there is no tree to grow")
        self.state = state
        self.simulations = 0
        self._drafts: list[tuple[str, int, textbook.Node, str, str, str, tuple[ChildBound, ...]]] = []
        self._names: dict[int, str] = {0: ROOT}
        self._grown = TextbookTree(state, seed, scored, history=history, observer=self._observe)
        while self.simulations < simulations and not self._grown.root.is_solved:
            self.simulations += 1
            self._grown.simulate_once()
        self.tree, index = self._tree()
        self.steps = [
            PlayoutStep(
                kind,
                number,
                index[node.number],
                sentence,
                value,
                proven,
                tuple(bound._replace(node=index[bound.node]) for bound in bounds),
            )
            for kind, number, node, sentence, value, proven, bounds in self._drafts
        ]
        self.best: str | None = None
        children = [child for child in self._grown.root.children if child.visits]
        if children and state.to_move() != CHANCE:
            side = state.to_move()
            best = max(children, key=lambda child: (child.visits, side * child.total))
            self.best = self._names[best.number]

    def texts_after(self, count: int) -> dict[int, tuple[str, str]]:
        """The texts (value, proven) of each visited node after some steps."""
        return {step.node: (step.value, step.proven) for step in self.steps[:count]}

    # ---- recording --------------------------------------------------------------------------------------------

    def _observe(self, step: textbook.Step) -> None:
        node = step.path[-1]
        for above, below in zip(step.path, step.path[1:], strict=False):
            if below.number not in self._names:
                name = above.state.move_name(below.move)
                self._names[below.number] = name if above.number == 0 else f"{self._names[above.number]} {name}"
        if step.kind == "select":
            for above, below in zip(step.path, step.path[1:], strict=False):
                self._record(step, below, self._why_selected(above, below), self._bounds(above))
        elif step.kind == "expand":
            self._record(step, node, f"add {self._name(node)}, which was never visited.")
        elif step.kind == "simulate":
            self._record(step, node, self._described_playout(step, node))
        else:
            for each in reversed(step.path):
                proven = f"; it is proven: {self._result(each.lower)}" if each.is_solved else ""
                self._record(step, each, f"{self._name(each)} has {self._value(each)}{proven}.")

    def _record(
        self, step: textbook.Step, node: textbook.Node, sentence: str, bounds: tuple[ChildBound, ...] = ()
    ) -> None:
        text = f"Simulation {step.simulation}, {step.kind}: {sentence}"
        self._drafts.append((step.kind, step.simulation, node, text, self._value(node), self._proven(node), bounds))

    def _bounds(self, above: textbook.Node) -> tuple[ChildBound, ...]:
        """The upper confidence bounds of the visited children at a player's node."""
        side = above.state.to_move()
        if side == CHANCE:
            return ()
        bounds = []
        for child in above.children:
            if child.visits:
                # Without the constants of exploration and bias, the bound is the mean.
                mean = uct(
                    side, child.visits, child.total, child.lower, child.upper, 0, self._grown.span, 0.0, 0.0, 0.0
                )
                bonus = self._grown.bound(above, child) - mean
                bounds.append(ChildBound(child.number, child.visits, mean, bonus))
        return tuple(bounds)

    def _name(self, node: textbook.Node) -> str:
        return self._names[node.number]

    def _why_selected(self, above: textbook.Node, below: textbook.Node) -> str:
        side = above.state.to_move()
        if side == CHANCE:
            return f"chance leads to {self._name(below)}."
        others = sorted(
            (child for child in above.children if child is not below and child.visits),
            key=lambda child: -self._grown.bound(above, child),
        )[:_MAX_SIBLINGS]
        bounds = ", ".join(
            f"{above.state.move_name(child.move)} {self._grown.bound(above, child):.2f}" for child in others
        )
        compared = f"; others: {bounds}" if bounds else ""
        bound = self._grown.bound(above, below)
        return f"go to {self._name(below)}, whose upper confidence bound is {bound:.2f}{compared}."

    def _described_playout(self, step: textbook.Step, node: textbook.Node) -> str:
        result = self._result(step.reward)
        if node.is_solved:
            over = "the game is over" if node.state.is_over() else "the result is proven"
            return f"{over} at {self._name(node)}: {result}."
        if self._grown.playout_plies == len(step.moves):
            return f"the evaluation of {self._name(node)} stands for {step.reward / self._grown.span:.2f} for MAX."
        count = len(step.moves)
        return f"{count} random {'move' if count == 1 else 'moves'} from {self._name(node)} end in {result}."

    def _result(self, reward: int) -> str:
        utility = reward / GRAIN - largest_result(self.state)
        if utility == 0:
            return "a draw"
        winner = self.state.player_name(MAX if utility > 0 else MIN)
        by = f" by {abs(utility):g}" if largest_result(self.state) > 1 else ""
        return f"a win for {winner}{by}"

    def _value(self, node: textbook.Node) -> str:
        return f"{round(node.total / self._grown.span, 2):g}/{node.visits}" if node.visits else ""

    def _proven(self, node: textbook.Node) -> str:
        if not node.is_solved:
            return ""
        utility = node.lower / GRAIN - largest_result(self.state)
        return f"= {utility:+g}" if utility else "= 0"

    # ---- the tree -----------------------------------------------------------------------------------------------

    def _tree(self) -> tuple[Tree, dict[int, int]]:
        """The visited nodes in preorder, and their indices by number."""
        order: list[textbook.Node] = []
        parents: list[int] = []
        stack: list[tuple[textbook.Node, int]] = [(self._grown.root, -1)]
        while stack:
            node, parent = stack.pop()
            stack += [(child, len(order)) for child in reversed(node.children) if child.visits]
            order.append(node)
            parents.append(parent)
        index = {node.number: place for place, node in enumerate(order)}
        nodes: list[Node] = []
        for place, (node, parent) in enumerate(zip(order, parents, strict=True)):
            state = node.state
            is_over = state.is_over()
            children = [child for child in node.children if child.visits]
            nodes.append(
                Node(
                    index=place,
                    id=self._names[node.number],
                    player=None if is_over else state.to_move(),
                    parent=parent,
                    depth=nodes[parent].depth + 1 if parent >= 0 else 0,
                    children=tuple(index[child.number] for child in children),
                    value=state.utility() if is_over else None,
                    weights=(),  # of all outcomes only the visited ones are in the tree
                    move=order[parent].state.move_name(node.move) if parent >= 0 else "",
                    evaluation=None,
                    state=state_text(state),
                    transposition_of=place,
                )
            )
        return Tree(nodes, type(self.state).__name__, [node.state for node in order]), index
