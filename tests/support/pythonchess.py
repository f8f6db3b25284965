"""python-chess, which is GPL: run by another Python as a program of its own, never imported here."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def python_with_chess() -> str:
    """A Python that has it; skips the test where there is none."""
    bench = str(ROOT / ".venv-bench" / "bin" / "python")
    for python in (os.environ.get("PYTHON_WITH_CHESS", ""), bench, sys.executable):
        if python and Path(python).exists():
            if subprocess.run([python, "-c", "import chess"], capture_output=True, check=False).returncode == 0:
                return python
    pytest.skip("python-chess is not installed (neither in .venv-bench nor in the Python of PYTHON_WITH_CHESS)")
