"""Sheets of paper: what stands on one, whatever it is written with; and the way to HTML, LaTeX and PDF.

A sheet has a head, the convention in words, the tree with room to write, the questions, and a table to fill in. With
the solution the tree is the finished picture of the search, and the table is filled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from zermelo.core.game import CHANCE
from zermelo.drawing.drawing import draw
from zermelo.drawing.scene import Scene
from zermelo.errors import TreeError
from zermelo.teaching.diagrams.labels import Labels
from zermelo.teaching.diagrams.scene_builder import build_scene
from zermelo.teaching.exercises.answers import Answer, correct_answer
from zermelo.teaching.exercises.exercise import BEST, CUTS, ORDER, VALUES, WINDOWS, Exercise, format_marks
from zermelo.teaching.exercises.grading import format_window
from zermelo.teaching.tree.node import PLAYER_NAMES, Tree
from zermelo.teaching.tree.numbers import format_number
from zermelo.teaching.tree.trace import Trace

#: A wider tree than this, in points, stands across a page of its own.
WIDEST = 1_000
#: The kinds of sheets by the ends of their files' names.
FORMS = {".html": "html", ".htm": "html", ".pdf": "pdf", ".tex": "tex"}


@dataclass
class Sheet:
    """What stands on a sheet, from the top."""

    title: str
    #: The name of the student, "" for a line to write it on.
    student: str
    #: What tells this exercise from others: its id, and the variant.
    mark: str
    statement: list[str]
    #: The tree to write on, or the search that solves it.
    drawn: Tree | Trace
    #: Each question with its marks.
    questions: list[tuple[str, str]]
    #: The table's head and rows; nothing to fill in if there are no rows. Blank cells are "".
    head: list[str]
    rows: list[list[str]]
    #: Lines to write on: what for, and the solution or "".
    lines: list[tuple[str, str]] = field(default_factory=list)
    total: str = ""
    has_solution: bool = False

    @property
    def has_name(self) -> bool:
        """Whether a name stands on it, or a line for one: a solution is nobody's, but for a variant's."""
        return bool(self.student) or not self.has_solution


def build_sheet(exercise: Exercise, *, solution: bool = False) -> Sheet:
    """The sheet of an exercise, to be filled in or with its solution."""
    answer = correct_answer(exercise) if solution else Answer()
    head, rows = _table(exercise, answer)
    nodes = exercise.searched_tree.nodes
    lines = []
    if CUTS in exercise.marks:
        crossed = [nodes[index].id for index in sorted(answer.cuts or ())]
        lines.append(("Arcs crossed out, by the node they lead to", ", ".join(crossed) or "none" if solution else ""))
    if ORDER in exercise.marks:
        lines.append(("Order of visits", " ".join(nodes[index].id for index in answer.order or ())))
    if BEST in exercise.marks:
        lines.append(("Best move", "" if answer.best is None else nodes[answer.best].id))
    told = [f"{text} ({_points(marks)})" for _, text, marks in exercise.questions]
    title = exercise.title or "Search a game tree"
    return Sheet(
        title=f"{title}: solution" if solution else title,
        student=exercise.student,
        mark=("" if exercise.variant is None else f"variant {exercise.variant}, ") + f"exercise {exercise.id}",
        statement=exercise.statement,
        drawn=Trace(exercise.tree, exercise.convention, depth=exercise.depth) if solution else exercise.tree,
        questions=[(f"{number}.", text) for number, text in enumerate(told, 1)],
        head=head,
        rows=rows,
        lines=lines,
        total=_points(exercise.total),
        has_solution=solution,
    )


def _points(marks: object) -> str:
    told = format_marks(marks)  # type: ignore[arg-type]
    return "1 mark" if told == "1" else f"{told} marks"


def _table(exercise: Exercise, answer: Answer) -> tuple[list[str], list[list[str]]]:
    """The table of the inner nodes, with the cells that the answer fills."""
    asks_values, asks_windows = VALUES in exercise.marks, WINDOWS in exercise.marks
    if not asks_values and not asks_windows and exercise.depth is None:
        return [], []
    nodes = [node for node in exercise.tree if not node.is_leaf]
    has_evaluations = exercise.depth is not None
    names = {"entry": "window on entry", "exit": "window on exit", "bound": "bound", "interval": "interval"}
    head = ["node", "who", *(["evaluation"] if has_evaluations else []), *(["value"] if asks_values else [])]
    head += [names[kind] for kind in exercise.window_kinds] if asks_windows else []
    rows = []
    for node in nodes:
        row = [node.id, PLAYER_NAMES[node.player or CHANCE]]
        if has_evaluations:
            row.append("" if node.evaluation is None else format_number(node.evaluation))
        index = exercise.searched_tree[node.id].index if node.id in exercise.searched_tree else -1
        if asks_values:
            value = (answer.values or {}).get(index)
            row.append("" if value is None else format_number(exercise.convert_value(node, value)))
        for kind in exercise.window_kinds if asks_windows else ():
            window = (answer.windows or {}).get((index, kind))
            row.append("" if window is None else format_window(exercise, index, kind, window))
        rows.append(row)
    return head, rows


def options_of(sheet: Sheet, **more: Any) -> dict[str, Any]:
    """How the tree of a sheet is drawn: bare with room to write, or solved with the order of visits."""
    is_solved = isinstance(sheet.drawn, Trace)
    return {"room": not is_solved, "legend": is_solved, "order": is_solved, "max_nodes": 500, **more}


def scene_of(sheet: Sheet) -> Scene:
    """The picture of a sheet's tree."""
    return build_scene(Labels(sheet.drawn, draw(sheet.drawn, **options_of(sheet)).options))


def is_wide(sheet: Sheet) -> bool:
    """Whether the tree would be too small to write in on an upright page: it then stands across one of its own."""
    return scene_of(sheet).width > WIDEST


def sheet_format(path: str | Path) -> str:
    """The kind of sheet that the end of a file's name tells. Raises `TreeError`."""
    form = FORMS.get(Path(path).suffix.casefold())
    if form is None:
        raise TreeError(f"{path}: the end of the name tells what is written, one of {' '.join(sorted(FORMS))}")
    return form


def sheets(
    exercises: Sequence[Exercise], form: str, *, solution: bool = False, watch: Callable[[], None] | None = None
) -> str | bytes:
    """The sheets of some exercises in one document: `html`, `tex` or `pdf` (which needs matplotlib).

    `watch`, if given, is called as each sheet is begun.
    """

    def begun() -> Iterator[Sheet]:
        for exercise in exercises:
            if watch is not None:
                watch()
            yield build_sheet(exercise, solution=solution)

    made = begun()
    if form == "html":
        from zermelo.teaching.exercises.sheet_html import html

        return html(list(made))
    if form == "tex":
        from zermelo.teaching.exercises.sheet_tex import tex

        return tex(list(made))
    from zermelo.teaching.exercises.sheet_pdf import pdf

    return pdf(made)
