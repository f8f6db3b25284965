"""Build hook: a wheel includes the documentation, which `zermelo serve` shows at /docs, if `make docs` has built it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

#: What Sphinx keeps for its next run.
LEFT_OUT = (".doctrees", ".buildinfo", "objects.inv")


class DocumentationHook(BuildHookInterface):
    """Adds `docs/_build/html` to the wheel as `zermelo/web/docs`."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        html = Path(self.root) / "docs" / "_build" / "html"
        for path in sorted(html.rglob("*")) if (html / "index.html").is_file() else ():
            name = path.relative_to(html)
            if path.is_file() and name.parts[0] not in LEFT_OUT:
                build_data["force_include"][str(path)] = f"zermelo/web/docs/{name.as_posix()}"
