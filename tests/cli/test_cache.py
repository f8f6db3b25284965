"""`zermelo cache`: shown, warmed, cleared."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from zermelo.compiled import cache


def test_show_and_clear(zermelo: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ZERMELO_CACHE_DIR", str(tmp_path / "kept"))
    assert zermelo("cache", "show") == (0, f"folder   {tmp_path}/kept\n0 entries, 0 kB\n", "")
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "Nim-run_search-0123456789abcdef.bin").write_bytes(bytes(12_345))
    (tmp_path / "kept" / "Nim-perft-0123456789abcdef.bin").symlink_to("nowhere")
    for other in ("precious.txt", "firmware.bin", "poetry.lock", "draft.tmp"):
        (tmp_path / "kept" / other).write_text("not ours")
    assert zermelo("cache", "show").out.splitlines()[1:] == [
        "   0 kB  Nim-perft-0123456789abcdef",
        "  12 kB  Nim-run_search-0123456789abcdef",
        "2 entries, 12 kB",
    ]
    (tmp_path / "kept" / ".Nim-perft.zermelo-01234567-0123456789abcdef.tmp").write_bytes(bytes(3_000))
    assert zermelo("cache", "show").out.splitlines()[-1] == (
        "1 temporary file, 3 kB: being written, or left by a process that was killed"
    )
    assert zermelo("cache", "clear") == (0, f"2 entries deleted, 12 kB, from {tmp_path}/kept\n", "")
    assert {path.name for path in (tmp_path / "kept").iterdir()} == {
        "precious.txt", "firmware.bin", "poetry.lock", "draft.tmp",
    }  # fmt: skip


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no modes here")
def test_a_shared_folder_with_other_files_is_named_and_left_alone(
    zermelo: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ZERMELO_CACHE_DIR", str(tmp_path))
    (tmp_path / "firmware.bin").write_text("not ours")
    tmp_path.chmod(0o775)
    assert "not used: other users can write to it, and it holds other files" in zermelo("cache", "show").out
    cache.write("entry", b"payload")
    assert cache.read_bytes("entry") is None
    assert [path.name for path in tmp_path.iterdir()] == ["firmware.bin"]
    assert stat.S_IMODE(tmp_path.stat().st_mode) == 0o775


@pytest.mark.long
def test_warm(zermelo: Callable[..., Any]) -> None:
    """The second time there is nothing left to do."""
    assert zermelo("cache", "warm", "pennies").code == 0
    code, out, err = zermelo("cache", "warm", "pennies")
    assert (code, err) == (0, "")
    assert out.startswith("1 game ready: compiled 0 pieces of code in ")


def test_a_note_where_it_can_be_taken_back_and_where_not(
    zermelo: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Off a terminal the note waits, so that a refusal stays the only line; what succeeds is told at the end."""
    from zermelo.cli import screen

    before = cache.listener
    with screen.Progress("trying"):
        cache.announce("zermelo: compiling Nim for this machine, once (search) ...")
        assert capsys.readouterr().err == ""
    assert capsys.readouterr().err == "zermelo: compiling Nim for this machine, once (search) ...\n"
    with suppress(ValueError), screen.Progress("trying"):
        cache.announce("zermelo: compiling Nim for this machine, once (search) ...")
        raise ValueError
    assert capsys.readouterr().err == ""
    with screen.Progress("trying", quiet=True):
        cache.announce("zermelo: compiling Nim for this machine, once (search) ...")
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(screen, "NOTE_AFTER", 0.01)
    with screen.Progress("trying"):
        cache.announce("zermelo: compiling Nim for this machine, once (search) ...")
        time.sleep(0.3)
        assert capsys.readouterr().err.startswith("zermelo: compiling Nim")
    assert capsys.readouterr().err == ""
    assert cache.listener is before
