"""What is drawn, as a scene: a tree, its search, or a position on its board."""

from __future__ import annotations

from zermelo.drawing.boards import Position, board
from zermelo.drawing.scene import Scene
from zermelo.teaching.diagrams.labels import Labels
from zermelo.teaching.diagrams.options import Options
from zermelo.teaching.diagrams.scene_builder import build_scene
from zermelo.teaching.tree.node import Tree
from zermelo.teaching.tree.trace import Trace

Drawn = Tree | Trace | Position


def scene_of(drawn: Drawn, options: Options) -> Scene:
    """The scene of a tree, a trace or a position. Raises `TreeError` for a step that there is not."""
    if isinstance(drawn, Position):
        return board(drawn)
    return build_scene(Labels(drawn, options))
