"""Answer the questions of a student's program about a game tree, and record which states it asked about.

States are exchanged as numbers, assigned when a state is first generated, so a program cannot read the tree from them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from zermelo.core.game import CHANCE
from zermelo.errors import TreeError
from zermelo.sandbox.messages import MAX_INT64, Shapes, int64, integer
from zermelo.teaching.tree.node import Node, Tree
from zermelo.teaching.tree.numbers import Number

#: Maximum number of generated states: a multiple of the tree's size plus a constant.
PLAYS_PER_NODE, EXTRA_PLAYS = 20, 500
#: Maximum number of questions per generated state. A search asks five or six.
QUESTIONS_PER_STATE = 20


@dataclass
class GameServer:
    """The game that a program searches, and the record of its questions. Nodes are recorded by index, in order.

    A node is generated when `play` first returns it (the root at the start), and searched when the program first asks
    about it: its moves, utility, evaluation, side to move, whether the game is over, or the outcomes of chance. A
    program that generates all children before it looks at the first one generates more nodes than it searches.
    """

    tree: Tree
    generated: dict[int, None] = field(default_factory=lambda: {0: None})
    searched: dict[int, None] = field(default_factory=dict)
    #: Number of calls of `play`.
    plays: int = 0
    questions: int = 0
    #: Why the program must be stopped, or None.
    stop_reason: str | None = None
    #: Node indices by state number, and state numbers by node index.
    _nodes: list[int] = field(default_factory=lambda: [0])
    _numbers: dict[int, int] = field(default_factory=lambda: {0: 0})

    @property
    def max_plays(self) -> int:
        return PLAYS_PER_NODE * len(self.tree) + EXTRA_PLAYS

    def answer(self, question: list[Any]) -> Any:
        """Answer a question ``[verb, state, ...]`` of the shape in `QUESTIONS`.

        Returns ``{"error": reason}`` if its arguments make no sense. Sets `stop_reason` if `play` has not returned the
        state, or if there are too many questions.
        """
        verb, number, *rest = question
        if number >= len(self._nodes):
            self.stop_reason = f"asked about state {number}, which play has not returned"
            return None
        node = self.tree.nodes[self._nodes[number]]
        self.questions += 1
        max_questions = QUESTIONS_PER_STATE * self.max_plays
        if self.questions > max_questions:
            self.stop_reason = f"asked more than {max_questions:,} questions"
            return None
        if verb == "play":
            return self._play(node, rest[0])
        if verb in ("name", "show"):
            return node.state[:1000] or node.id if verb == "show" else node.id[:100]
        self.searched.setdefault(node.index)
        return _ANSWERS[verb](node)

    def _play(self, node: Node, move: int) -> Any:
        self.plays += 1
        if self.plays > self.max_plays:
            self.stop_reason = f"generated more than {self.max_plays:,} states; the whole tree has {len(self.tree):,}"
            return None
        if not 0 <= move < len(node.children):
            return {"error": f"play: illegal move {move}; moves(state) returns {list(range(len(node.children)))}"}
        child = node.children[move]
        self.generated.setdefault(child)
        if child not in self._numbers:
            self._numbers[child] = len(self._nodes)
            self._nodes.append(child)
        return self._numbers[child]


def as_float(value: Number) -> int | float:
    """A number of a tree as programs see it: an int, or the nearest float."""
    return float(value) if isinstance(value, Fraction) else value


def _utility(node: Node) -> Any:
    if node.player is not None:
        return {"error": "utility: the game is not over; use evaluate(state)"}
    if node.value is None:
        raise TreeError(f"leaf {node.id!r} has no value; trees for checking programs need a value at every leaf")
    return as_float(node.value)


def _evaluate(node: Node) -> Any:
    return _utility(node) if node.player is None else as_float(node.evaluation or 0)


def _outcomes(node: Node) -> Any:
    if node.player != CHANCE:
        return {"error": "outcomes: not a chance node; use to_move(state) to see who moves"}
    total = sum(node.weights)
    return [[move, weight / total] for move, weight in enumerate(node.weights)]


_ANSWERS: dict[str, Any] = {
    "moves": lambda node: list(range(len(node.children))),
    "is_over": lambda node: node.player is None,
    "to_move": lambda node: node.player,
    "utility": _utility,
    "evaluate": _evaluate,
    "outcomes": _outcomes,
}

_STATE = integer(0, MAX_INT64)
#: The questions of a program, with the shapes of their fields; see `zermelo.sandbox.messages`.
QUESTIONS: Shapes = dict.fromkeys((*_ANSWERS, "name", "show"), (_STATE,)) | {"play": (_STATE, int64)}
