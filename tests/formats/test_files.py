"""Atomic files: error messages, and no leftovers of unfinished files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from zermelo._util.atomic_files import write, writing
from zermelo.errors import FileError

pytestmark = pytest.mark.quick


def test_errors_of_the_writer_propagate(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("as it was")

    def copied() -> None:
        with writing(tmp_path / "out") as file:
            file.write(b"new")
            file.write((tmp_path / "nowhere").read_bytes())

    with pytest.raises(FileNotFoundError, match="nowhere"):
        copied()
    assert (tmp_path / "out").read_text() == "as it was"
    assert os.listdir(tmp_path) == ["out"]


def test_error_names_the_file() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no device here is always full")
    for size in (1, 1_000_000):
        with pytest.raises(FileError, match=r"^/dev/full: No space left on device$"):
            write("/dev/full", b"x" * size)


def test_file_is_synced_before_it_is_renamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    fsync, replace = os.fsync, os.replace

    def synced(handle: int) -> None:
        assert os.fstat(handle).st_size == 3
        done.append("fsync")
        fsync(handle)

    def replaced(*names: Any) -> None:
        done.append("replace")
        replace(*names)

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", replaced)
    write(tmp_path / "out", "new")
    assert done == ["fsync", "replace"]
    assert (tmp_path / "out").read_text() == "new"


def test_links_and_permissions_are_kept(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "real").chmod(0o640)
    (tmp_path / "link").symlink_to("real")
    write(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_text() == "new"
    assert (tmp_path / "real").stat().st_mode & 0o777 == 0o640
