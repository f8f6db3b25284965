"""Content of exercise sheets, independent of the file format.

A sheet has a heading, the instructions, the tree with room to write, the questions, and a table to fill in. With the
solution it shows the finished picture of the search and the completed table. `sheet_html`, `sheet_tex` and `sheet_pdf`
write sheets; `sheet_files` chooses among them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, singledispatch
from typing import Any

from zermelo.core.game import CHANCE
from zermelo.drawing.drawing import drawing_of
from zermelo.drawing.options import Options
from zermelo.drawing.scene import Scene
from zermelo.teaching.exercises.answers import Answer, correct_answer
from zermelo.teaching.exercises.exercise import (
    BEST,
    CUTS,
    MAX_NODES,
    ORDER,
    VALUES,
    WINDOWS,
    Exercise,
    ExerciseBase,
    format_marks,
)
from zermelo.teaching.exercises.grading import format_window
from zermelo.teaching.tree.node import PLAYER_NAMES, Tree
from zermelo.teaching.tree.numbers import Number, format_number
from zermelo.teaching.tree.trace import Trace

#: A wider tree, in points, would be too small to write in on a portrait page and gets a landscape page of its own.
MAX_PORTRAIT_WIDTH = 1_000
#: Longer tables are set in two columns if they have at most `MAX_CELLS_FOR_TWO` cells in a row.
MAX_ROWS_FOR_ONE, MAX_CELLS_FOR_TWO = 8, 4


@dataclass
class Sheet:
    """The content of one sheet, from top to bottom."""

    title: str
    #: The student's name, or "" for a line to write it on.
    student: str
    #: Variant and id of the exercise.
    mark: str
    statement: list[str]
    #: The tree to write on, the finished search, or a position.
    drawn: object
    #: The questions with their marks.
    questions: list[str]
    #: Heading and rows of the table; cells to fill in are "". No rows: no table.
    head: list[str]
    rows: list[list[str]]
    #: Lines to write on, as (label, solution or "").
    lines: list[tuple[str, str]]
    #: The marks of all questions together.
    total: str
    has_solution: bool

    @property
    def has_name(self) -> bool:
        """Whether the sheet has a name or a line for it. A solution has one only if it is a student's variant."""
        return bool(self.student) or not self.has_solution

    @property
    def columns(self) -> int:
        """Number of columns that the table is set in, 1 or 2."""
        return 2 if len(self.rows) > MAX_ROWS_FOR_ONE and len(self.head) <= MAX_CELLS_FOR_TWO else 1

    def tables(self, max_rows: int | None = None) -> Iterator[list[list[str]]]:
        """Split the rows into `columns` tables of equal length, or into more of at most `max_rows` rows."""
        size = -(-len(self.rows) // self.columns)
        size = size if max_rows is None else min(size, max_rows)
        for start in range(0, len(self.rows), size):
            yield self.rows[start : start + size]

    def picture_options(self, **more: Any) -> dict[str, Any]:
        """Drawing options: room to write in the tree, or the finished search with the order of visits."""
        if not self.is_tree:
            return more
        is_solved = isinstance(self.drawn, Trace)
        return {"answer_boxes": not is_solved, "legend": is_solved, "order": is_solved, "max_nodes": MAX_NODES, **more}

    @property
    def is_tree(self) -> bool:
        """Whether the picture is a tree; otherwise it is a board."""
        return isinstance(self.drawn, (Tree, Trace))

    @cached_property
    def scene(self) -> Scene:
        """The picture of the tree or the position."""
        return drawing_of(self.drawn, Options(**self.picture_options())).scene()

    @property
    def is_landscape(self) -> bool:
        """Whether the tree is so wide that it needs a landscape page of its own."""
        return self.scene.width > MAX_PORTRAIT_WIDTH


@singledispatch
def build_sheet(exercise: ExerciseBase, *, solution: bool = False) -> Sheet:
    """Build the sheet of an exercise, blank or with its solution. Each kind of exercise registers its own."""
    raise NotImplementedError


@build_sheet.register
def _(exercise: Exercise, *, solution: bool = False) -> Sheet:
    answer = correct_answer(exercise) if solution else Answer()
    head, rows = _table(exercise, answer)
    nodes = exercise.searched_tree.nodes
    lines = []
    if CUTS in exercise.marks:
        pruned = [nodes[index].id for index in sorted(answer.cuts or ())]
        lines.append(("Pruned arcs, by the node they lead to", ", ".join(pruned) or "none" if solution else ""))
    if ORDER in exercise.marks:
        lines.append(("Order of visits", " ".join(nodes[index].id for index in answer.order or ())))
    if BEST in exercise.marks:
        lines.append(("Best move", "" if answer.best is None else nodes[answer.best].id))
    title = exercise.title or "Search a game tree"
    return Sheet(
        title=f"{title}: solution" if solution else title,
        student=exercise.student,
        mark=("" if exercise.variant is None else f"variant {exercise.variant}, ") + f"exercise {exercise.id}",
        statement=exercise.statement,
        drawn=Trace(exercise.tree, exercise.convention, depth=exercise.depth) if solution else exercise.tree,
        questions=[f"{text} ({shown_marks(marks)})" for _, text, marks in exercise.questions],
        head=head,
        rows=rows,
        lines=lines,
        total=shown_marks(exercise.total_marks),
        has_solution=solution,
    )


def shown_marks(marks: Number) -> str:
    """Marks with their unit: `1 mark`, `2.5 marks`."""
    text = format_marks(marks)
    return "1 mark" if text == "1" else f"{text} marks"


def _table(exercise: Exercise, answer: Answer) -> tuple[list[str], list[list[str]]]:
    """The heading and rows of the table of inner nodes, with the entries of the answer."""
    has_values, has_windows = VALUES in exercise.marks, WINDOWS in exercise.marks
    has_evaluations = exercise.depth is not None
    if not has_values and not has_windows and not has_evaluations:
        return [], []
    names = {"entry": "window on entry", "exit": "window on exit", "bound": "bound", "interval": "interval"}
    head = ["node", "player", *(["evaluation"] if has_evaluations else []), *(["value"] if has_values else [])]
    head += [names[kind] for kind in exercise.window_kinds] if has_windows else []
    rows = []
    for node in exercise.tree:
        if node.is_leaf:
            continue
        row = [node.id, PLAYER_NAMES[node.player or CHANCE]]
        if has_evaluations:
            row.append("" if node.evaluation is None else format_number(node.evaluation))
        index = exercise.searched_tree[node.id].index if node.id in exercise.searched_tree else -1
        if has_values:
            value = (answer.values or {}).get(index)
            row.append("" if value is None else format_number(exercise.convert_value(node, value)))
        for kind in exercise.window_kinds if has_windows else ():
            window = (answer.windows or {}).get((index, kind))
            row.append("" if window is None else format_window(exercise, index, kind, window))
        rows.append(row)
    return head, rows
