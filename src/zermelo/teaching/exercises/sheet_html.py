"""Sheets as a page of HTML that prints well: one sheet begins on a new page, nothing is loaded from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from zermelo.drawing.drawing import draw
from zermelo.drawing.svg import svg
from zermelo.teaching.exercises.sheet import Sheet, is_wide, options_of

#: A table with more rows than this stands in two columns.
ONE_COLUMN = 8

_STYLE = """
@page { size: A4; margin: 14mm 15mm; }
@page across { size: A4 landscape; margin: 10mm; }
.across { page: across; break-before: page; }
.across svg { width: 100%; }
* { box-sizing: border-box; }
body { font: 9.5pt/1.3 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; color: #111; background: #fff; margin: 0; }
main { max-width: 190mm; margin: 0 auto; padding: 8mm 4mm; break-after: page; }
main:last-child { break-after: auto; }
header { display: flex; justify-content: space-between; align-items: baseline; gap: 1em; }
header { border-bottom: 1.5pt solid #111; }
h1 { font-size: 14pt; margin: 0 0 1mm; }
h2 { font-size: 10pt; margin: 2mm 0 1mm; }
.mark { font-size: 9pt; color: #444; }
.who { margin: 3mm 0; }
.blank { display: inline-block; border-bottom: 0.8pt solid #111; min-width: 80mm; }
ul, ol { margin: 0; padding-left: 1.4em; }
figure { margin: 2mm 0; text-align: center; break-inside: avoid; }
figure svg { max-width: 100%; height: auto; }
.table { columns: var(--columns); column-gap: 8mm; padding: 0 1px; margin-top: 2mm; }
table { border-collapse: collapse; width: 100%; font-size: 9.5pt; break-inside: avoid; margin-bottom: 1mm; }
th, td { border: 0.6pt solid #111; padding: 0.8mm 1.6mm; text-align: center; height: 6.2mm; }
th { background: #eee; font-weight: 600; }
td:first-child { font-weight: 600; }
.line { display: flex; gap: 0.6em; margin: 1.6mm 0; align-items: baseline; break-inside: avoid; }
.line b { white-space: nowrap; font-weight: 600; }
.line span { flex: 1; border-bottom: 0.8pt solid #111; min-height: 6mm; overflow-wrap: anywhere; }
.solution td, .solution .line span { font-weight: 600; }
@media print { main { padding: 0; max-width: none; } }
"""


def html(sheets: Sequence[Sheet]) -> str:
    """The sheets as one page of HTML."""
    title = sheets[0].title if sheets else "Sheets"
    body = "\n".join(_sheet(sheet, f"s{number}-") for number, sheet in enumerate(sheets, 1))
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _sheet(sheet: Sheet, prefix: str) -> str:
    is_across = is_wide(sheet)
    figure = f'<figure class="{"across" if is_across else "within"}">{_picture(sheet, prefix)}</figure>'
    who = escape(sheet.student) if sheet.student else '<span class="blank">&nbsp;</span>'
    parts = [
        f'<main class="{"solution" if sheet.has_solution else "blank-sheet"}">',
        f'<header><h1>{escape(sheet.title)}</h1><span class="mark">{escape(sheet.mark)}</span></header>',
        f'<p class="who">Name: {who}</p>' if sheet.has_name else "",
        f"<ul>{''.join(f'<li>{escape(line)}</li>' for line in sheet.statement)}</ul>",
        "<p>The tree stands on a page of its own.</p>" if is_across else figure,
        f"<h2>Questions ({escape(sheet.total)} in all)</h2>",
        f"<ol>{''.join(f'<li>{escape(text)}</li>' for _, text in sheet.questions)}</ol>",
    ]
    if sheet.rows:
        parts.append(_table(sheet))
    parts += [
        f'<p class="line"><b>{escape(what)}:</b><span>{escape(said) or "&nbsp;"}</span></p>'
        for what, said in sheet.lines
    ]
    return "\n".join([*parts, *([figure] if is_across else []), "</main>"])


def _table(sheet: Sheet) -> str:
    """The rows in one table, or in two side by side."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in sheet.head)
    columns = 2 if len(sheet.rows) > ONE_COLUMN and len(sheet.head) <= 4 else 1
    half = -(-len(sheet.rows) // columns)
    tables = []
    for start in range(0, len(sheet.rows), half):
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
            for row in sheet.rows[start : start + half]
        )
        tables.append(f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>")
    return f'<div class="table" style="--columns: {columns}">{"".join(tables)}</div>'


def _picture(sheet: Sheet, prefix: str) -> str:
    return svg(sheet.drawn, draw(sheet.drawn, **options_of(sheet, standalone=False, prefix=prefix)).options)
