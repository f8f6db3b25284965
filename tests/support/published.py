"""The folder of published numbers and checked cases, which lies beside the checkout where there is one."""

from __future__ import annotations

from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[2].parent / "shared"


def published(*parts: str, of: str = "reference") -> Path:
    """A file of the folder `of`. Without the folder the test is skipped; a file that is missing in it is a mistake."""
    folder = SHARED / of
    if not folder.is_dir():
        pytest.skip(f"the folder of published numbers is not beside this checkout ({'/'.join((of, *parts))} is absent)")
    path = folder.joinpath(*parts)
    assert path.is_file(), f"{path.relative_to(SHARED)} is no file of the folder of published numbers"
    return path
