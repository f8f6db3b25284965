"""Sphinx directive that lists the modules of a package, each with the first line of its docstring.

```{files} search
```

lists `src/zermelo/search/*.py`; `{files} .` lists the top-level modules. Subpackages are not included. The docstrings
are read with `ast`, without importing the modules.
"""

from __future__ import annotations

import ast
from pathlib import Path

from sphinx.util.docutils import SphinxDirective

SOURCE = Path(__file__).resolve().parents[2] / "src" / "zermelo"


def summary(path: Path) -> str:
    """Return the first line of a module's docstring without its final full stop."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0].removesuffix(".")


def modules(package: str) -> list[Path]:
    """List the modules of a package except `__init__`, in alphabetical order."""
    return sorted(path for path in (SOURCE / package).glob("*.py") if not path.name.startswith("__"))


class Files(SphinxDirective):
    """Table of a package's modules."""

    required_arguments = 1

    def run(self):
        package = self.arguments[0]
        rows = ["| module | content |", "| --- | --- |"]
        for path in modules(package):
            self.env.note_dependency(str(path))
            rows.append(f"| `{path.name}` | {summary(path).replace('|', chr(92) + '|')} |")
        return self.parse_text_to_nodes("\n".join(rows))


def setup(app):
    app.add_directive("files", Files)
    return {"parallel_read_safe": True}
