"""Drawings of trees and traces, returned by `zermelo.drawing.draw`."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from zermelo.drawing.drawing import FORMATS, Drawing, format_of_path, write_drawing
from zermelo.drawing.options import Options
from zermelo.drawing.scene import Scene
from zermelo.errors import InputError, LimitError
from zermelo.teaching.diagrams.dot import dot
from zermelo.teaching.diagrams.folding import Fold, fold
from zermelo.teaching.diagrams.labels import Labels
from zermelo.teaching.diagrams.scene_builder import build_scene, build_step_scenes, fitting_size
from zermelo.teaching.diagrams.text import text
from zermelo.teaching.tree.node import Tree
from zermelo.teaching.tree.trace import Trace

#: Maximum number of steps that `save_steps` draws.
MAX_STEPS = 1000


class SearchDrawing(Drawing):
    """A tree with what a search has found in it, drawn from its labels."""

    def _labels(self, options: Options) -> Labels:
        raise NotImplementedError

    def _step_count(self) -> int:
        """The number of steps. Raises `InputError` if nothing was searched."""
        raise NotImplementedError

    def _scene(self, options: Options) -> Scene:
        return build_scene(self._labels(options))

    def folds(self) -> list[Fold]:
        """The groups of collapsed nodes in the picture."""
        labels = self._labels(self.options)
        return fold(labels, None if self.options.fit is None else fitting_size(labels)).folds

    def save_steps(self, path: str | Path, format: str | None = None) -> list[Path]:
        path = Path(path)
        kind = format or format_of_path(path, self.formats)
        count = self._step_count()
        if count > MAX_STEPS:
            raise LimitError(f"steps: at most {MAX_STEPS:,} can be drawn (got {count:,}); draw one with --step K")
        if kind in ("pdf", "tikz"):
            scenes = build_step_scenes(lambda step: self._labels(replace(self.options, step=step)), count)
            if kind == "pdf":
                from zermelo.drawing.raster import pdf

                write_drawing(path, pdf(*scenes))
            else:
                from zermelo.drawing.beamer import beamer

                write_drawing(path, beamer(scenes, standalone=self.options.standalone))
            return [path]
        if kind == "html":
            write_drawing(path, self.render(kind))
            return [path]
        digits = max(3, len(str(count)))
        written = []
        for step in range(count + 1):
            file = path.with_name(f"{path.stem}-{step:0{digits}}{path.suffix}")
            write_drawing(file, type(self)(self.subject, replace(self.options, step=step)).render(kind))
            written.append(file)
        return written


class TreeDrawing(SearchDrawing):
    """A tree, or the trace of its search."""

    formats: ClassVar[tuple[str, ...]] = tuple(FORMATS)
    subject: Tree | Trace

    def _labels(self, options: Options) -> Labels:
        return Labels(self.subject, options)

    def _step_count(self) -> int:
        if isinstance(self.subject, Tree):
            raise InputError("steps: search the tree first, tree.trace(...)")
        return len(self.subject.steps)

    def html(self) -> str:
        from zermelo.teaching.diagrams.html import html

        if isinstance(self.subject, Tree):
            raise InputError("the HTML page steps through a search: search the tree first, tree.trace(...)")
        return html(self.subject, self.options)

    def dot(self) -> str:
        return dot(self.subject, self.options)

    def text(self, width: int | None = None) -> str:
        return text(self.subject, self.options, width)
