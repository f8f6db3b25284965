"""`zermelo cache`: shown, warmed, cleared."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest


def test_show_and_clear(zermelo: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ZERMELO_CACHE_DIR", str(tmp_path / "kept"))
    assert zermelo("cache", "show") == (0, f"folder   {tmp_path}/kept\n0 entries, 0 kB\n", "")
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "Nim-run_search-0123.bin").write_bytes(bytes(12_345))
    (tmp_path / "kept" / "dangling.bin").symlink_to("nowhere")
    (tmp_path / "kept" / "precious.txt").write_text("not ours")
    assert zermelo("cache", "show").out.splitlines()[1:] == [
        "  12 kB  Nim-run_search-0123",
        "   0 kB  dangling",
        "2 entries, 12 kB",
    ]
    (tmp_path / "kept" / ".Nim-perft-4567.4k3h2g1f.tmp").write_bytes(bytes(3_000))
    assert zermelo("cache", "show").out.splitlines()[-1] == (
        "1 temporary file, 3 kB: being written, or left by a process that was killed"
    )
    assert zermelo("cache", "clear") == (0, f"2 entries deleted, 12 kB, from {tmp_path}/kept\n", "")
    assert [path.name for path in (tmp_path / "kept").iterdir()] == ["precious.txt"]


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
    from zermelo.compiled import cache

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
