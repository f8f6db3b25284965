"""Tests of what LaTeX compiles: skipped where it, or a package that the documents use, is not installed."""

import shutil
import subprocess

import pytest


def _has(*files: str) -> bool:
    if shutil.which("pdflatex") is None or shutil.which("kpsewhich") is None:
        return False
    return all(subprocess.run(["kpsewhich", each], capture_output=True).returncode == 0 for each in files)


needs_tikz = pytest.mark.skipif(not _has("tikz.sty"), reason="pdflatex or TikZ is not installed")
needs_beamer = pytest.mark.skipif(not _has("tikz.sty", "beamer.cls"), reason="pdflatex or Beamer is not installed")
