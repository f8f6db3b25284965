"""The command line called as the program calls it, in this process where that serves: starting one takes a second."""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest


class Done(NamedTuple):
    """What a command answered."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def zermelo(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Run a command: its words, and what is `typed` on standard input."""
    from zermelo.cli import main

    monkeypatch.delenv("ZERMELO_TRACE", raising=False)

    def run(*words: str, typed: str = "") -> Done:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        capsys.readouterr()
        code = main(words)
        return Done(code, *capsys.readouterr())

    return run


@pytest.fixture
def program() -> list[str]:
    """The start of a command line that runs the program in a process of its own."""
    return [sys.executable, "-c", "import sys; from zermelo.cli import main; sys.exit(main())"]


@pytest.fixture
def environment() -> dict[str, str]:
    """For a process of its own: nothing that would change how it prints."""
    keep = {name: value for name, value in os.environ.items() if name not in ("ZERMELO_TRACE", "FORCE_COLOR")}
    return {**keep, "PYTHONIOENCODING": "utf-8", "COLUMNS": "100"}


@pytest.fixture
def nim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a copy of the game `nim.py`, to be spoilt; it is the working folder."""
    shutil.copy(Path(__file__).parents[1] / "support" / "nim.py", tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return tmp_path
