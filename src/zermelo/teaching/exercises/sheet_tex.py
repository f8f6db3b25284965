r"""Sheets as LaTeX: an article that pdflatex makes a PDF of; it needs only TikZ and graphics, which every TeX has."""

from __future__ import annotations

from collections.abc import Sequence

from zermelo.drawing.drawing import draw
from zermelo.drawing.tikz import escaped
from zermelo.teaching.exercises.sheet import Sheet, is_wide, options_of
from zermelo.teaching.exercises.sheet_html import ONE_COLUMN

_HEAD = r"""\documentclass[11pt,a4paper]{article}
\usepackage[utf8]{inputenc}
\usepackage[margin=18mm]{geometry}
\usepackage{tikz}
\pagestyle{empty}
\setlength{\parindent}{0pt}
\setlength{\parskip}{4pt}
\renewcommand{\arraystretch}{1.45}
% A tree no wider than the page; and one across a page of its own.
\newsavebox{\thetree}
\newcommand{\fitted}{\ifdim\wd\thetree>\linewidth\resizebox{\linewidth}{!}{\usebox{\thetree}}\else\usebox{\thetree}\fi}
\newcommand{\across}{\clearpage\rotatebox{90}{\resizebox{0.95\textheight}{!}{\usebox{\thetree}}}}
"""


def tex(sheets: Sequence[Sheet]) -> str:
    """The sheets as one LaTeX document."""
    pages = "\n\\clearpage\n".join(map(_sheet, sheets))
    return f"{_HEAD}\\begin{{document}}\n{pages}\n\\end{{document}}\n"


def _sheet(sheet: Sheet) -> str:
    is_across = is_wide(sheet)
    who = escaped(sheet.student) if sheet.student else r"\underline{\hspace{80mm}}"
    lines = [
        rf"{{\Large\bfseries {escaped(sheet.title)}}}\hfill{{\small {escaped(sheet.mark)}}}",
        r"\smallskip\hrule\medskip",
        rf"Name: {who}" if sheet.has_name else "",
        "",
        r"\begin{itemize}\setlength{\itemsep}{0pt}",
        *(rf"\item {escaped(line)}" for line in sheet.statement),
        r"\end{itemize}",
        r"\begin{lrbox}{\thetree}%",
        draw(sheet.drawn, **options_of(sheet, standalone=False)).tikz().strip() + "%",
        r"\end{lrbox}",
        "The tree stands on a page of its own.\n" if is_across else r"\begin{center}\fitted\end{center}",
        rf"\textbf{{Questions}} ({escaped(sheet.total)} in all)",
        r"\begin{enumerate}\setlength{\itemsep}{0pt}",
        *(rf"\item {escaped(text)}" for _, text in sheet.questions),
        r"\end{enumerate}",
    ]
    if sheet.rows:
        lines += _tables(sheet)
    for what, said in sheet.lines:
        written = rf"\textbf{{{escaped(said)}}}" if said else r"\hrulefill"
        lines += ["", rf"\medskip {escaped(what)}: {written}"]
    if is_across:
        lines += [r"\begin{center}\across\end{center}"]
    return "\n".join(lines)


def _tables(sheet: Sheet) -> list[str]:
    """The rows in one table, or in two side by side; long ones go on below."""
    columns = 2 if len(sheet.rows) > ONE_COLUMN and len(sheet.head) <= 4 else 1
    half = min(-(-len(sheet.rows) // columns), 24)
    lines = [r"\begin{center}\small"]
    for start in range(0, len(sheet.rows), half):
        lines += [
            rf"\begin{{tabular}}[t]{{|{'c|' * len(sheet.head)}}}\hline",
            " & ".join(rf"\textbf{{{escaped(cell)}}}" for cell in sheet.head) + r" \\\hline",
            *(" & ".join(escaped(cell) for cell in row) + r" \\\hline" for row in sheet.rows[start : start + half]),
            r"\end{tabular}\quad",
        ]
    return [*lines, r"\end{center}"]
