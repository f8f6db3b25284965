"""Drawings of trees and traces, returned by `zermelo.drawing.draw`."""

from __future__ import annotations

from typing import ClassVar

from zermelo.drawing.drawing import FORMATS, Drawing
from zermelo.drawing.options import Options
from zermelo.drawing.scene import Scene
from zermelo.errors import InputError
from zermelo.teaching.diagrams.dot import dot
from zermelo.teaching.diagrams.labels import Labels
from zermelo.teaching.diagrams.scene_builder import build_scene
from zermelo.teaching.diagrams.text import text
from zermelo.teaching.tree.node import Tree
from zermelo.teaching.tree.trace import Trace


class TreeDrawing(Drawing):
    """A tree, or the trace of its search."""

    formats: ClassVar[tuple[str, ...]] = tuple(FORMATS)
    subject: Tree | Trace

    def _scene(self, options: Options) -> Scene:
        return build_scene(Labels(self.subject, options))

    def html(self) -> str:
        from zermelo.teaching.diagrams.html import html

        if isinstance(self.subject, Tree):
            raise InputError("the HTML page steps through a search: search the tree first, tree.trace(...)")
        return html(self.subject, self.options)

    def dot(self) -> str:
        return dot(self.subject, self.options)

    def text(self, width: int | None = None) -> str:
        return text(self.subject, self.options, width)
