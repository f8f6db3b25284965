"""HTML tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape


def table(headers: Sequence[str], rows: Iterable[Sequence[object]], caption: str = "") -> str:
    """Make an HTML table of text cells; everything is escaped. Without headers, the first cell of a row heads it."""
    parts = ["<table>"]
    if caption:
        parts.append(f"<caption>{escape(caption)}</caption>")
    if headers:
        parts.append("<thead><tr>" + "".join(f"<th>{escape(text)}</th>" for text in headers) + "</tr></thead>")
    parts.append("<tbody>")
    for row in rows:
        cells = [escape(str(cell)) for cell in row]
        if headers:
            parts.append("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>")
        else:
            parts.append(f"<tr><th>{cells[0]}</th>" + "".join(f"<td>{cell}</td>" for cell in cells[1:]) + "</tr>")
    parts.append("</tbody></table>")
    return "".join(parts)
