"""Teaching: game trees searched step by step, diagrams, exercises, and the lectures' worked examples."""

from __future__ import annotations

from typing import Any

from zermelo.drawing.drawing import Drawing, drawing_of
from zermelo.drawing.options import Options
from zermelo.teaching.tree.node import Tree
from zermelo.teaching.tree.playouts import PlayoutTrace
from zermelo.teaching.tree.trace import Trace


# Registered here rather than in `diagrams`, which is imported only when a tree is drawn.
@drawing_of.register(Tree)
@drawing_of.register(Trace)
def _draw_tree(subject: Any, options: Options | None = None) -> Drawing:
    from zermelo.teaching.diagrams.tree_drawing import TreeDrawing

    return TreeDrawing(subject, options)


@drawing_of.register(PlayoutTrace)
def _draw_playouts(subject: PlayoutTrace, options: Options | None = None) -> Drawing:
    from zermelo.teaching.diagrams.playout_drawing import PlayoutDrawing

    return PlayoutDrawing(subject, options)
