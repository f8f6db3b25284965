"""Write sheets as one HTML page, which is filled in on the page or printed; no other file is loaded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from zermelo.drawing.drawing import draw
from zermelo.teaching.exercises.exercise import Exercise, ExerciseBase
from zermelo.teaching.exercises.sheet import Sheet
from zermelo.teaching.pages.bundle import render_page
from zermelo.teaching.pages.tree_data import tree_data

#: What a page does with the entries: check them and give hints, or only save the answer. Each has a script.
PRACTICE, EXAM = MODES = ("practice", "exam")


def html(sheets: Sequence[Sheet], exercises: Sequence[ExerciseBase] = (), mode: str = PRACTICE) -> str:
    """Render sheets as one HTML page.

    Parameters
    ----------
    sheets : sequence of Sheet
        The sheets, blank or with solutions.
    exercises : sequence of exercises
        The exercises of the sheets. A blank sheet of an exercise on searching a tree can be filled in on the page.
    mode : {"practice", "exam"}
        Whether the page checks entries. In an exam it has no search, hence no solution.
    """
    data: list[dict[str, Any]] = []
    rows = []
    for position, sheet in enumerate(sheets):
        exercise = exercises[position] if position < len(exercises) else None
        number = None
        if isinstance(exercise, Exercise) and not sheet.has_solution:
            number = len(data)
            data.append(exercise_data(exercise))
        # Each picture gets its own prefix, so that ids are unique on the page.
        rows.append((sheet, Markup(_picture(sheet, f"s{position + 1}-")), number))
    title = sheets[0].title if sheets else "Sheets"
    return render_page("sheet.html", f"{mode}_page" if data else "", {"sheets": data}, sheets=rows, title=title)


def exercise_data(exercise: Exercise) -> dict[str, Any]:
    """What the script reads: the exercise without its solution."""
    data = exercise.as_json()
    return {name: data[name] for name in ("student", "convention", "depth", "marks")} | {
        "id": exercise.id,
        "kinds": exercise.window_kinds,
        "tree": tree_data(exercise.tree),
    }


def _picture(sheet: Sheet, prefix: str) -> str:
    return draw(sheet.drawn, **sheet.picture_options(standalone=False, prefix=prefix)).svg()
