"""Render sheets as HTML, LaTeX or PDF."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from zermelo.errors import InputError
from zermelo.teaching.exercises.exercise import ExerciseBase
from zermelo.teaching.exercises.sheet import Sheet, build_sheet
from zermelo.teaching.exercises.sheet_html import MODES, PRACTICE, html
from zermelo.teaching.exercises.sheet_pdf import pdf
from zermelo.teaching.exercises.sheet_tex import tex

#: The formats by file extension.
FORMATS = {".html": "html", ".htm": "html", ".pdf": "pdf", ".tex": "tex"}


def sheet_format(path: str | Path) -> str:
    """The format that a file's extension stands for: html, pdf or tex. Raises `InputError` for other extensions."""
    name = FORMATS.get(Path(path).suffix.casefold())
    if name is None:
        raise InputError(f"{path}: unknown sheet format; use one of the extensions {' '.join(sorted(FORMATS))}")
    return name


def render_sheets(
    exercises: Sequence[ExerciseBase],
    format: str,
    *,
    solution: bool = False,
    mode: str = PRACTICE,
    progress: Callable[[], None] | None = None,
) -> str | bytes:
    """Render the sheets of some exercises as one document.

    Parameters
    ----------
    exercises : sequence of Exercise
        The exercises; each starts on a new page.
    format : {'html', 'tex', 'pdf'}
        The file format. PDF needs matplotlib (``pip install 'zermelo[draw]'``).
    solution : bool
        Whether to fill in the solution.
    mode : {'practice', 'exam'}
        Whether an HTML page checks what is entered; in an exam it only saves the answer.
    progress : callable, optional
        Called before each sheet.

    Returns
    -------
    str or bytes
        The document; bytes for PDF.

    Raises
    ------
    MissingDependency
        If PDF is asked for and matplotlib is not installed.
    TreeError
        If the search of an exercise reads a leaf without a value.
    """

    def build() -> Iterator[Sheet]:
        for exercise in exercises:
            if progress is not None:
                progress()
            yield build_sheet(exercise, solution=solution)

    if format == "html":
        if mode not in MODES:
            raise InputError(f"mode must be one of {', '.join(MODES)} (got {mode[:40]!r})")
        return html(list(build()), exercises, mode)
    if format == "tex":
        return tex(list(build()))
    if format == "pdf":
        return pdf(build())
    raise InputError(f"unknown sheet format {format!r}; use html, tex or pdf")
