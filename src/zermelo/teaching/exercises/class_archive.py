"""The files of a class in one ZIP archive: exercises, a sheet for each student, solutions, answer forms."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

from zermelo.teaching.exercises.answer_files import answer_form
from zermelo.teaching.exercises.exercise import Exercise, ExerciseBase
from zermelo.teaching.exercises.files import exercises_as_json, expand_path
from zermelo.teaching.exercises.sheet_files import render_sheets
from zermelo.teaching.exercises.sheet_html import EXAM
from zermelo.teaching.exercises.variants import Spread

#: The date of all files in an archive, the earliest that ZIP has: equal exercises give equal archives.
_DATE = (1980, 1, 1, 0, 0, 0)


def class_archive(
    exercises: Sequence[ExerciseBase],
    spread: Sequence[Spread] = (),
    *,
    format: str = "html",
    mode: str = EXAM,
    progress: Callable[[], None] | None = None,
) -> bytes:
    """Return the files of a class as a ZIP archive.

    Parameters
    ----------
    exercises : sequence of Exercise
        The exercises.
    spread : sequence of Spread
        The spread of their difficulty, as `generate_exercises` returns it.
    format : {'html', 'tex', 'pdf'}
        The format of sheets and solutions. PDF needs matplotlib.
    mode : {'exam', 'practice'}
        Whether HTML sheets only save the answer, or also check it.
    progress : callable, optional
        Called before each sheet.

    Returns
    -------
    bytes
        An archive of ``exercises.json``, which grades the answers; ``solutions``; and for each exercise a file in
        ``sheets/`` and, unless the sheet is filled in on its page, an answer form in ``forms/``.

    Raises
    ------
    MissingDependency
        If PDF is asked for and matplotlib is not installed.
    TreeError
        If the search of an exercise reads a leaf without a value.
    """
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:

        def add(name: str, text: str | bytes) -> None:
            info = zipfile.ZipInfo(name, _DATE)
            info.external_attr = 0o644 << 16
            archive.writestr(info, text, zipfile.ZIP_DEFLATED)

        add("exercises.json", json.dumps(exercises_as_json(exercises, spread), ensure_ascii=False, indent=1) + "\n")
        for exercise in exercises:
            sheet = render_sheets([exercise], format, mode=mode, progress=progress)
            add(expand_path(Path("sheets", f"{{}}.{format}"), exercise).as_posix(), sheet)
            if format != "html" or not isinstance(exercise, Exercise):
                add(expand_path(Path("forms", "{}.txt"), exercise).as_posix(), answer_form([exercise], ".txt"))
        add(f"solutions.{format}", render_sheets(exercises, format, solution=True, progress=progress))
    return content.getvalue()
