"""Temporary files and folders: removed after a kill, and never taken from a process that uses them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from zermelo._util import temporary
from zermelo._util.atomic_files import write
from zermelo.arena.plans.entrants import parse_entrants
from zermelo.arena.plans.plan import Plan
from zermelo.arena.store import Store
from zermelo.errors import FileError

pytestmark = [
    pytest.mark.quick,
    pytest.mark.skipif(sys.platform == "win32", reason="locks of files are of POSIX"),
]


@pytest.fixture(autouse=True)
def directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of temporary files, which this process has not swept."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(temporary, "_swept", set())
    yield tmp_path
    assert [path.name for path in tmp_path.iterdir() if "zermelo" in path.name] == []


KILLED = """
import os, signal
from zermelo._util import atomic_files, temporary
with temporary.Folder() as folder, atomic_files.writing("results.csv") as file:
    os.mkdir(os.path.join(folder, "inner"))
    os.symlink(os.getcwd(), os.path.join(folder, "link"))
    file.write(bytes(100_000))
    print("ready", flush=True)
    input()
"""


def _start(directory: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED], cwd=directory, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def test_leftovers_of_a_killed_process_are_removed(directory: Path) -> None:
    (directory / "mine.txt").write_text("mine")
    process = _start(directory)
    assert len(temporary.leftovers(directory)) == 2
    temporary.sweep(directory)
    assert len(temporary.leftovers(directory)) == 2  # they are in use
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert len(temporary.leftovers(directory)) == 2
    write(directory / "other.csv", "written")  # the first use of the folder by this process
    assert temporary.leftovers(directory) == []
    assert sorted(path.name for path in directory.iterdir()) == ["mine.txt", "other.csv"]
    assert (directory / "mine.txt").read_text() == "mine"  # the link was not followed


def test_a_process_that_ends_leaves_nothing(directory: Path) -> None:
    process = _start(directory)
    process.communicate("\n")
    assert process.returncode == 0
    assert sorted(path.name for path in directory.iterdir()) == ["results.csv"]


def test_only_our_names_and_kinds_of_files_are_removed(directory: Path) -> None:
    own = f"zermelo-{temporary._MACHINE}-0123456789abcdef.tmp"
    others = ["zermelo-lectures", "zermelo-0123456789abcdef.tmp", ".out.k3h2g1f0.tmp", f"out.{own}", f"{own}x"]
    for name in others:
        (directory / name).mkdir()
    (directory / own).symlink_to(directory / others[0])
    os.mkfifo(directory / f".pipe.{own}")
    temporary.sweep(directory)
    assert {path.name for path in directory.iterdir()} == {*others, own, f".pipe.{own}"}
    for path in directory.iterdir():
        path.unlink() if path.is_symlink() or not path.is_dir() else path.rmdir()


def test_without_a_lock_a_week_has_to_pass(directory: Path) -> None:
    """A lock of another machine is not seen here."""
    path = directory / ".out.zermelo-00000000-0123456789abcdef.tmp"
    path.write_text("")
    temporary.sweep(directory)
    assert path.exists()
    past = time.time() - temporary.ABANDONED_AFTER - 1
    os.utime(path, (past, past))
    temporary.sweep(directory)
    assert not path.exists()


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give files away")
def test_files_of_other_users_are_not_removed(directory: Path) -> None:
    path = directory / f".out.zermelo-{temporary._MACHINE}-0123456789abcdef.tmp"
    path.write_text("")
    os.chown(path, 12345, 12345)
    temporary.sweep(directory)
    assert path.exists()
    path.unlink()


def test_a_new_file_that_was_swept_before_it_was_locked_is_made_again(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    locked = temporary._is_locked_for_good
    made: list[str] = []

    def sweep_first(descriptor: int, path: str) -> bool:
        made.append(path)
        if len(made) % 2:
            temporary.sweep(directory)
        return locked(descriptor, path)

    monkeypatch.setattr(temporary, "_is_locked_for_good", sweep_first)
    write(directory / "out", "text")
    with temporary.Folder() as folder:
        assert os.path.isdir(folder)
    assert len(made) == 4
    assert (directory / "out").read_text() == "text"


def test_a_new_folder_that_was_swept_before_it_was_opened_is_made_again(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mkdir = os.mkdir
    made: list[str] = []

    def swept(path: str, mode: int = 0o777) -> None:
        mkdir(path, mode)
        made.append(path)
        if len(made) == 1:
            temporary.sweep(directory)

    monkeypatch.setattr(os, "mkdir", swept)
    with temporary.Folder() as folder:
        assert os.path.isdir(folder)
    assert len(made) == 2


def test_two_processes_may_write_to_one_folder(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is locked until it has its final name."""
    replace = os.replace

    def sweep_first(source: str, target: str) -> None:
        temporary.sweep(directory)
        replace(source, target)

    monkeypatch.setattr(os, "replace", sweep_first)
    write(directory / "out", "text")
    assert (directory / "out").read_text() == "text"


def test_no_folder_for_temporary_files_is_one_line(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(directory / "missing"))
    with pytest.raises(FileError, match=r"^cannot create a temporary folder: .*missing.*; set TMPDIR"):
        temporary.Folder()


STORE = """
import os, signal, sys
from pathlib import Path
from zermelo._util import temporary
from zermelo.arena import running_games
from zermelo.arena.plans.entrants import parse_entrants
from zermelo.arena.plans.plan import Plan
from zermelo.arena.store import Store, store

def kill(*_):
    os.kill(os.getpid(), signal.SIGKILL)

plan = Plan("tictactoe", parse_entrants(["random", "b=random"]), games=2, is_checked=True).as_dict()
if sys.argv[1] == "store":
    store._rename = kill
Store.create("games.db", plan)
temporary.publish = kill
running_games.LiveFile(Path("games.db").absolute(), "", lambda: [{"number": 0}]).look()
"""


@pytest.mark.parametrize("what", ["store", "live"])
def test_a_killed_run_leaves_nothing_for_the_next_one(directory: Path, what: str) -> None:
    """Neither a store that was not complete nor the file of the games in progress."""
    killed = subprocess.run([sys.executable, "-c", STORE, what], cwd=directory, check=False, timeout=60)
    assert killed.returncode == -signal.SIGKILL
    left = {path.name for path in directory.iterdir()} - {"games.db", "games.db.lock"}
    left -= {"games.db-wal", "games.db-shm"}
    assert len(left) == len(temporary.leftovers(directory)) == 1
    if what == "store":
        plan = Plan("tictactoe", parse_entrants(["random", "b=random"]), games=2, is_checked=True)
        Store.create(directory / "games.db", plan.as_dict()).close()
    else:
        Store.open(directory / "games.db", write=True).close()
    assert [path.name for path in directory.iterdir()] == ["games.db"]
