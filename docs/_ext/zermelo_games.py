"""Sphinx directive that lists the games, from the first paragraph of each page in `docs/games`.

```{games}
```

The paragraph begins with "Name on the command line: `NAME`." and continues with a summary.
"""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.util.docutils import SphinxDirective

PAGES = Path(__file__).resolve().parents[1] / "games"
_START = re.compile(r"# (?P<title>.+)\n\nName on the command line: `(?P<name>[\w-]+)`\.\s+(?P<summary>(?:.+\n)+)")


def pages() -> list[Path]:
    """List the pages of games in alphabetical order."""
    return sorted(path for path in PAGES.glob("*.md") if path.stem != "index")


def row(path: Path) -> str:
    """Return the row of a page: name, title with link, summary."""
    found = _START.match(path.read_text(encoding="utf-8"))
    if found is None:
        raise ValueError(f"{path}: expected a title, then 'Name on the command line: `NAME`.' and a summary")
    summary = " ".join(found["summary"].split()).removesuffix(".")
    return f"| `{found['name']}` | [{found['title']}]({path.name}) | {summary} |"


class Games(SphinxDirective):
    """Table of the games."""

    def run(self):
        rows = ["| name | game | |", "| --- | --- | --- |"]
        for path in pages():
            self.env.note_dependency(str(path))
            rows.append(row(path))
        return self.parse_text_to_nodes("\n".join(rows))


def setup(app):
    app.add_directive("games", Games)
    return {"parallel_read_safe": True}
