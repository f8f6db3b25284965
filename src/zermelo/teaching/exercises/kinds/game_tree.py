"""Exercises on building the tree of a small game: the moves of each position, and its minimax value.

Positions that several lines of moves reach are written once, so the tree is a graph.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any, ClassVar

from zermelo.core.game import CHANCE, MAX, State
from zermelo.errors import PositionError, TreeError
from zermelo.teaching.exercises.generator import Unsuitable
from zermelo.teaching.exercises.kinds.item_marking import Entries, Rival
from zermelo.teaching.exercises.kinds.items import (
    NUMBER,
    SET,
    TABLE,
    ItemExercise,
    ItemSpec,
    Part,
    names_type,
    read_name,
)
from zermelo.teaching.exercises.kinds.positions import PlainBoard, load_game, parse_position, random_position
from zermelo.teaching.tree import game_tree
from zermelo.teaching.tree.convention import Convention
from zermelo.teaching.tree.node import PLAYER_NAMES
from zermelo.teaching.tree.numbers import Number
from zermelo.teaching.tree.trace import Trace

SUCCESSORS, VALUES, BEST = "successors", "values", "best"

#: Number of different positions in an exercise: fewer are trivial, more are tedious by hand.
LEAST_POSITIONS, MOST_POSITIONS = 6, 40
#: Numbers of pennies in the piles of a random position; fewer have too few positions for 30 different variants.
NUMBERS_OF_PENNIES = (8, 16)
#: The game whose positions are random piles, written without the side to move.
PENNIES = "pennies"
#: Maximum number of nodes that the solution draws as a tree; from a larger graph only the position is drawn.
MAX_DRAWN = 30


@dataclass(frozen=True, kw_only=True)
class GameTreeExercise(ItemExercise):
    """Build the tree of a position: successors and values of all positions that can be reached.

    Parameters
    ----------
    game : str
        Name of the game, with perfect information and without chance.
    position : State
        The root, with at most 40 positions below it.

    Raises
    ------
    TreeError
        If more positions can be reached, or chance moves in one.
    """

    game: str
    position: State

    kind: ClassVar[str] = "game-tree"
    DEFAULT_MARKS: ClassVar[Mapping[str, int]] = {SUCCESSORS: 8, VALUES: 8, BEST: 4}
    DEFAULT_TITLE: ClassVar[str] = "Build a game tree"
    key_name: ClassVar[str] = "position"

    def __post_init__(self) -> None:
        self.check_marks()
        if self.position.is_over():
            raise Unsuitable("exercise: the game is over in the position; there is no tree to build")
        self.values  # noqa: B018 - refuse trees that are too large or infinite

    @cached_property
    def graph(self) -> dict[str, tuple[State, list[str]]]:
        """The positions by name, breadth first, each with the names of its successors."""
        graph: dict[str, tuple[State, list[str]]] = {}
        row = [self.position]
        while row:
            below: list[State] = []
            for state in row:
                name = self.name_of(state)
                if name in graph:
                    if graph[name][0] != state:
                        raise TreeError(f"exercise: two different positions are both written {name!r}")
                    continue
                if len(graph) >= MOST_POSITIONS:
                    raise Unsuitable(f"more than {MOST_POSITIONS} positions can be reached; choose a later position")
                if not state.is_over() and state.to_move() == CHANCE:
                    raise TreeError(f"exercise: chance moves in {self.game}; choose a game without chance")
                children = [] if state.is_over() else [state.play(move) for move in state.legal_moves()]
                graph[name] = state, list(dict.fromkeys(map(self.name_of, children)))
                below += children
            row = below
        return graph

    def name_of(self, state: State) -> str:
        """The name of a position; the piles alone in Pennies, where their number says who moves."""
        return str(state).rpartition(" ")[0] if self.game == PENNIES else str(state)

    def read_position(self, written: Any) -> str:
        """Read a position as it is written, or in any spelling that the game reads."""
        name = read_name(written)
        if name not in self.graph:
            try:
                name = self.name_of(type(self.position).parse(name))
            except PositionError as error:
                raise TreeError(str(error)) from None
        return name

    @cached_property
    def values(self) -> dict[str, int]:
        """The minimax value of each position: the utility at the end of the game."""
        return self._values_of(self.graph, {})

    def _values_of(
        self,
        graph: Mapping[str, tuple[State, list[str]]],
        given: Mapping[str, Any],
        choose: Callable[[State, Iterable[Any]], Any] = lambda state, values: (max if state.to_move() == MAX else min)(
            values
        ),
    ) -> dict[str, Any]:
        """The values of a graph in which some are given, and `choose` makes the value of an unfinished game.

        Raises
        ------
        TreeError
            If positions repeat.
        """
        values: dict[str, Any] = dict(given)
        waiting = {name: node for name, node in graph.items() if name not in given}
        while waiting:
            known = {
                name: choose(state, [values[each] for each in below]) if below else state.utility()
                for name, (state, below) in waiting.items()
                if all(map(values.__contains__, below))
            }
            if not known:
                raise TreeError(f"exercise: positions of {self.game} repeat, so it has no finite tree")
            values |= known
            waiting = {name: node for name, node in waiting.items() if name not in values}
        return values

    def _with_best(self, values: Mapping[str, Any], successors: Iterable[str]) -> Entries:
        """Values, and the best moves by them."""
        root = next(iter(self.graph))
        return {VALUES: values, BEST: {name: "" for name in successors if values[name] == values[root]}}

    def after(self, part: str, key: str, entry: Any, written: Entries) -> Entries | None:
        """Values above a position follow from its value and from its successors."""
        root = next(iter(self.graph))
        if part == VALUES:
            return self._with_best(self._values_of(self.graph, {key: entry}), self.graph[root][1])
        if part != SUCCESSORS or not entry or not all(name in self.graph for name in entry):
            return None
        graph = {**self.graph, key: (self.graph[key][0], list(entry))}
        try:
            return self._with_best(self._values_of(graph, {}), graph[root][1])
        except TreeError:  # the wrong successors make a circle
            return None

    def rivals(self) -> Iterator[Rival]:
        moves = self.graph[next(iter(self.graph))][1]

        def chosen(skill: str, choose: Callable[[State, Iterable[Any]], Any]) -> Rival:
            return Rival(skill, self._with_best(self._values_of(self.graph, {}, choose), moves))

        yield chosen("the opponent's choice", lambda state, values: max(values))
        yield chosen("MAX's choice", lambda state, values: min(values))
        yield chosen("MAX and MIN", lambda state, values: (min if state.to_move() == MAX else max)(values))

    def hint(self, part: str, key: str) -> str:
        if part == BEST:
            side = PLAYER_NAMES[self.position.to_move()]
            return f"{side} moves at the root: compare the values of its successors."
        if key not in self.graph:
            return "Play every legal move from each position that you have listed." if not key else ""
        state, below = self.graph[key]
        if part == SUCCESSORS:
            return f"Play every legal move from {key} for {PLAYER_NAMES[state.to_move()]}, and name each position once."
        if not below:
            return f"The game is over in {key}: write its utility for MAX."
        side, which = ("MAX", "largest") if state.to_move() == MAX else ("MIN", "smallest")
        return f"{side} moves in {key}: take the {which} value of its successors."

    @property
    def statement(self) -> list[str]:
        state = self.position
        side, name = PLAYER_NAMES[state.to_move()], state.player_name(state.to_move())
        side = side if side == name else f"{side} ({name})"
        root = next(iter(self.graph))
        first = next(iter(self.graph[root][1]))
        rules = (type(state).__doc__ or "").strip().partition("\n")[0]
        return [
            f"Build the game tree of {self.game} from the position {root}. {side} moves first.",
            f"Rules: {rules}",
            "A position that several lines of moves reach is written once. Write positions as the root is written, for "
            f"example {first}, which is one of its successors.",
            "The value of a finished game is its utility for MAX: 1 for a win, -1 for a loss, 0 for a draw. The value "
            "of any other position is its minimax value.",
        ]

    def all_parts(self) -> list[Part]:
        names = names_type(self.read_position, ordered=False)
        root = next(iter(self.graph))
        moves = {name: successors for name, (_, successors) in self.graph.items() if successors}
        best = [name for name in moves[root] if self.values[name] == self.values[root]]
        reasons = {
            name: f"{'max' if self.graph[name][0].to_move() == MAX else 'min'}"
            f"({', '.join(str(self.values[each]) for each in successors)})"
            for name, successors in moves.items()
        }
        return [
            Part(
                SUCCESSORS, "List the successors of each position in which the game is not over.", TABLE, names,
                {name: tuple(sorted(successors)) for name, successors in moves.items()}, {}, True, self.read_position,
            ),
            Part(
                VALUES, "Write the value of each position, finished games included.", TABLE, NUMBER,
                {name: self.values[name] for name in self.graph}, reasons, True, self.read_position,
            ),
            Part(
                BEST, "Which successors of the root are best for the side to move?", SET, NUMBER,
                dict.fromkeys(best, ""), {}, False, self.read_position,
            ),
        ]  # fmt: skip

    def drawn(self, *, solution: bool) -> PlainBoard | Trace:
        if solution:
            try:
                tree = game_tree(self.position, MOST_POSITIONS, rank_wins=False, limit=MAX_DRAWN)
            except TreeError:  # the tree has more nodes than the graph
                return PlainBoard(self.position)
            return Trace(tree, Convention("minimax"))
        return PlainBoard(self.position)

    def measures(self) -> Iterator[tuple[str, Number]]:
        yield "positions", len(self.graph)
        yield "arcs", sum(len(successors) for _, successors in self.graph.values())

    def task_as_json(self) -> dict[str, Any]:
        return {"game": self.game, "position": str(self.position)}

    @classmethod
    def task_from_json(cls, data: Mapping[str, Any]) -> dict[str, Any]:
        game = read_name(data.get("game"))
        return {"game": game, "position": parse_position(load_game(game), data.get("position"))}


@dataclass(frozen=True, kw_only=True)
class GameTreeSpec(ItemSpec[GameTreeExercise]):
    """Exercises on the tree of a random position of a small game, or of a given one.

    Parameters
    ----------
    game : str
        Name of the game.
    position : str
        A given position; by default random piles of pennies, or a position after random moves of another game.
    plies : (int, int), optional
        Range of the number of random moves.
    """

    game: str = PENNIES
    position: str = ""
    plies: tuple[int, int] | None = None

    def _exercise(self, position: State) -> GameTreeExercise:
        return GameTreeExercise(marks=self.marks, title=self.title, game=self.game, position=position)

    def given(self) -> GameTreeExercise | None:
        return self._exercise(load_game(self.game).parse(self.position)) if self.position else None

    def draw(self, seed: int) -> GameTreeExercise:
        if self.position:
            raise TreeError("exercise: variants need random positions; leave out the given one")
        game = load_game(self.game)
        if self.game == PENNIES and self.plies is None:
            return self._exercise(game.parse(random_piles(seed)))
        return self._exercise(random_position(game.start(), self.plies or PLIES.get(self.game, DEFAULT_PLIES), seed))

    def checked(self, exercise: GameTreeExercise) -> tuple[GameTreeExercise, list[str]]:
        """Refuse trees that are too small, and those in which all moves at the root are equally good."""
        if len(exercise.graph) < LEAST_POSITIONS:
            raise Unsuitable(f"fewer than {LEAST_POSITIONS} positions can be reached")
        _, moves = exercise.graph[next(iter(exercise.graph))]
        if len({exercise.values[move] for move in moves}) < 2:
            raise Unsuitable("all moves at the root have the same value")
        return exercise, []


#: Moves that are played before the position, by game.
PLIES = {"tictactoe": (5, 6)}
DEFAULT_PLIES = (4, 40)


def random_piles(seed: int) -> str:
    """The text of random piles of pennies: breaks between the pennies of a row, each with probability 1/4."""
    random = Random(seed).random
    low, high = NUMBERS_OF_PENNIES
    total = low + int(random() * (high - low + 1))
    piles = [1]
    for _ in range(total - 1):
        if random() < 1 / 4:
            piles.append(1)
        else:
            piles[-1] += 1
    return f"{'-'.join(map(str, piles))} {'max' if random() < 1 / 2 else 'min'}"
