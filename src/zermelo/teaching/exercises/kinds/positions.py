"""Random positions of games for exercises."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

from zermelo import registry
from zermelo.core.game import CHANCE, State
from zermelo.drawing.boards import board_scene
from zermelo.drawing.drawing import Drawing, drawing_of
from zermelo.drawing.options import Options
from zermelo.drawing.scene import Group, Scene, Text
from zermelo.errors import TreeError
from zermelo.teaching.exercises.generator import Unsuitable
from zermelo.teaching.exercises.input_limits import abbreviated


@dataclass(frozen=True)
class PlainBoard:
    """A position to be drawn without dots on legal moves and counts of pieces, which would answer questions."""

    state: State


class PlainBoardDrawing(Drawing):
    """Drawing of a `PlainBoard`."""

    subject: PlainBoard

    def _scene(self, options: Options) -> Scene:
        scene = board_scene(self.subject.state)
        captions = [group for group in scene.groups if group.id == "caption"]
        groups = [
            Group(group.id, group.classes, [part for part in group.parts if part.kind != "dot"])
            for group in scene.groups
            if group not in captions
        ]
        height = min([scene.height, *(part.y for group in captions for part in group.parts if isinstance(part, Text))])
        return replace(scene, groups=groups, height=height)

    def text(self, width: int | None = None) -> str:
        return self.subject.state.board()


drawing_of.register(PlainBoard, PlainBoardDrawing)


def load_game(name: str) -> type[State]:
    """The class of a game for exercises. Raises `TreeError` for an unknown game and for hidden information.

    Files are not loaded: an exercise file must not be able to run a program.
    """
    if name not in registry.names():
        raise TreeError(f"exercise: unknown game {abbreviated(name)}; expected one of {', '.join(registry.names())}")
    game = registry.load(name)
    if not game.perfect_information:
        raise TreeError(f"exercise: {name} has hidden information; choose a game with perfect information")
    return game


def random_position(state: State, plies: tuple[int, int], seed: int) -> State:
    """Play random moves from a state.

    Parameters
    ----------
    state : State
        The first state.
    plies : (int, int)
        Inclusive range of the number of moves.
    seed : int
        Random seed; only `random.Random.random` is used, whose numbers Python guarantees.

    Raises
    ------
    Unsuitable
        If the game is over before, or chance moves next.
    """
    random = Random(seed).random
    low, high = plies
    for _ in range(low + int(random() * (high - low + 1))):
        if state.is_over():
            break
        if state.to_move() == CHANCE:
            outcomes = list(state.outcomes())
            state = state.play(outcomes[int(random() * len(outcomes))][0])
            continue
        moves = state.legal_moves()
        state = state.play(moves[int(random() * len(moves))])
    if state.is_over():
        raise Unsuitable("the game is over")
    if state.to_move() == CHANCE:
        raise Unsuitable("chance moves next")
    return state


def parse_position(game: type[State], text: object) -> State:
    """Read a position of an exercise file. Raises `TreeError` or `PositionError`."""
    if not isinstance(text, str):
        raise TreeError("exercise: position must be the text of a position")
    return game.parse(text)
