"""`zermelo new`: writes a commented game template and its test."""

from __future__ import annotations

import keyword
import sys
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Annotated

import typer

from zermelo._util.terminal import print_line
from zermelo.errors import ZermeloError

_FILES = {"{name}.py": "{kind}.py.template", "test_{name}.py": "test_{kind}.py.template"}


def new(
    name: Annotated[str, typer.Argument(metavar="NAME", hidden=True)],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="FOLDER", help="Folder to write to.")] = Path(),
    interpreted: Annotated[
        bool, typer.Option("--interpreted", help="Write a game in plain Python: fields and moves of any type.")
    ] = False,
) -> None:
    """Write a game template and its test.

    Creates NAME.py and test_NAME.py: a complete small game with comments that say what to change. Existing files are
    not overwritten.
    """
    from zermelo._util.atomic_files import write

    if not name.isascii() or not name.isidentifier() or name != name.lower() or keyword.iskeyword(name):
        raise ZermeloError(f"NAME must be a Python module name in lower case, such as my_game (got {name[:40]!r})")
    if name in sys.stdlib_module_names or name == "zermelo":
        raise ZermeloError(f"NAME must not be the name of a Python module (got {name!r})")
    title = "".join(word.capitalize() for word in name.split("_"))
    kind = "interpreted" if interpreted else "game"
    paths = {out / path.format(name=name): source.format(kind=kind) for path, source in _FILES.items()}
    for path in paths:
        if path.exists():
            raise ZermeloError(f"file exists: {path}")
    for path, source in paths.items():
        template = files("zermelo.cli").joinpath("templates", source).read_text("utf-8")
        write(path, Template(template).substitute(name=name, title=title))
        print_line(str(path))
    print_line()
    print_line(f"Try `zermelo check {out / name}.py`, then `zermelo play {out / name}.py`.")
