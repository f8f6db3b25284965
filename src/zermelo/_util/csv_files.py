"""The only writer of CSV: no cell is a formula to a spreadsheet."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any, TextIO

from zermelo._util.text import without_controls

# Spreadsheets run text that begins like this as a formula, some also behind quotes or spaces; the wide characters are
# those of Japanese keyboards (OWASP, "CSV Injection").
_SIGNS = "[=+\\-@\uff1d\uff0b\uff0d\uff20]"
_FORMULA = re.compile(f"[\t\r\n]|[\\s\"']*{_SIGNS}")
# Where a spreadsheet may begin another cell within a text, and it would be a formula: where the comma is the decimal
# separator, rows are split at semicolons, whatever quotes the writer has set. Blanks are those within a line, so that
# each is looked at once.
_INNER_FORMULA = re.compile(f"[;\t\r\n](?=(?:[^\\S\t\r\n]|[\"'])*{_SIGNS})")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def write_csv(file: TextIO, rows: Iterable[Sequence[Any]]) -> None:
    """Write rows of text and numbers to a text stream that was opened with ``newline=""``."""
    csv.writer(file, lineterminator="\n").writerows([_cell(item) for item in row] for row in rows)


def csv_text(rows: Iterable[Sequence[Any]]) -> str:
    """Return rows of text and numbers as the content of a CSV file."""
    file = io.StringIO(newline="")
    write_csv(file, rows)
    return file.getvalue()


def _cell(item: Any) -> Any:
    """Return text without control characters, and with an apostrophe before what a spreadsheet would run."""
    if not isinstance(item, str) or _NUMBER.fullmatch(item):
        return item
    quote = "'" if _FORMULA.match(item) else ""
    return quote + without_controls(_INNER_FORMULA.sub(r"\g<0>'", item))
