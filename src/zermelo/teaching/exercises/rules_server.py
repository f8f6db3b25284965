"""Our side of the wire: answers a student's program what it asks about a tree, and writes down what it asked.

A state goes over the wire as a number, given out when it is first made; so nothing of the tree can be read from it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from zermelo.core.game import CHANCE
from zermelo.errors import TreeError
from zermelo.teaching.tree.node import Node, Tree
from zermelo.teaching.tree.numbers import Number

#: How many states a program may make: so many times the whole tree, and some more.
TIMES_THE_TREE, AND_MORE = 20, 500
#: Questions for each of them: a search asks five or six.
QUESTIONS_A_STATE = 20


@dataclass
class GameServer:
    """The game that a program plays, and the record of it: nodes by their index, in the order they came.

    `generated`: each node when `play` first made it, the root before all. `searched`: each node when something was
    first asked about it (moves, utility, evaluation, whose turn, whether it is over, chance's outcomes). A program that
    makes all children before it looks at the first generates more than it searches.
    """

    tree: Tree
    generated: dict[int, None] = field(default_factory=lambda: {0: None})
    searched: dict[int, None] = field(default_factory=dict)
    #: How many states were made, the same one again included.
    plays: int = 0
    questions: int = 0
    #: Why the program must be stopped, if it must.
    stopped: str | None = None
    _states: list[int] = field(default_factory=lambda: [0])
    _numbers: dict[int, int] = field(default_factory=lambda: {0: 0})

    @property
    def max_plays(self) -> int:
        return TIMES_THE_TREE * len(self.tree) + AND_MORE

    def answer(self, question: list[Any]) -> Any:
        """The answer to a question `[verb, state, ...]`; `{"wrong": why}` where it makes no sense.

        Sets `stopped` where the program asks what no program can that uses the `game`, and where it asks too much.
        """
        if not self._is_sound(question):
            self.stopped = "wrote invalid data to the message channel"
            return None
        verb, number, *rest = question
        node = self.tree.nodes[self._states[number]]
        self.questions += 1
        if self.questions > QUESTIONS_A_STATE * self.max_plays:
            self.stopped = f"it asked more than {QUESTIONS_A_STATE * self.max_plays:,} questions"
            return None
        if verb == "play":
            return self._play(node, rest[0])
        if verb in ("name", "show"):
            return node.state[:1000] or node.id if verb == "show" else node.id[:100]
        self.searched.setdefault(node.index)
        return _ANSWERS[verb](node)

    def _is_sound(self, question: list[Any]) -> bool:
        """Whether it is a question that the student's side puts: states that were given out, moves that are ints."""
        arguments = 3 if question[:1] == ["play"] else 2
        return (
            len(question) == arguments
            and isinstance(question[0], str)
            and (question[0] in _ANSWERS or question[0] in ("play", "name", "show"))
            and all(type(number) is int for number in question[1:])
            and 0 <= question[1] < len(self._states)
        )

    def _play(self, node: Node, move: int) -> Any:
        self.plays += 1
        if self.plays > self.max_plays:
            self.stopped = f"it made more than {self.max_plays:,} states; the whole tree has {len(self.tree):,}"
            return None
        if not 0 <= move < len(node.children):
            return {"wrong": f"play: {move} is no move here; moves(state) gives {list(range(len(node.children)))}"}
        child = node.children[move]
        self.generated.setdefault(child)
        if child not in self._numbers:
            self._numbers[child] = len(self._states)
            self._states.append(child)
        return self._numbers[child]


def as_float(value: Number) -> int | float:
    """A number of a tree as students' programs get it: an int, or the nearest float."""
    return float(value) if isinstance(value, Fraction) else value


def _utility(node: Node) -> Any:
    if node.player is not None:
        return {"wrong": "utility: the game is not over here; evaluate(state) tells what it may be worth"}
    if node.value is None:
        raise TreeError(f"leaf {node.id!r} has no value; a program that is checked may read any")
    return as_float(node.value)


def _evaluate(node: Node) -> Any:
    return _utility(node) if node.player is None else as_float(node.evaluation or 0)


def _outcomes(node: Node) -> Any:
    if node.player != CHANCE:
        return {"wrong": "outcomes: chance does not move here; to_move(state) tells who does"}
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
