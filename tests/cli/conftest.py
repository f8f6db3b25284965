"""The command line in a process of its own, and folders for its tests."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest


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
