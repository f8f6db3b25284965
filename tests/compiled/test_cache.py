"""The cache of compiled code: reused by a second process, never used after an edit, repaired when damaged."""

from __future__ import annotations

import errno
import os
import pickle
import random
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from zermelo.cli.cache import clear
from zermelo.compiled import cache, native
from zermelo.errors import FileError

from .conftest import Processes

Fresh = Callable[[str, str], Any]

PERFT = "perft(Nim.start(), 3)"  # 13 lines of up to 3 moves from 5, of which those of exactly 3 moves count
SCORED = "scored(module.Weighed([1, 2, 3, 4, 5, 6]), Nim.start())"


# ---- a second process ------------------------------------------------------------------------------------


@pytest.mark.long
def test_a_second_process_loads_from_the_cache(nim: Processes) -> None:
    searched = "compiled_textbook(Nim.start(), 2, module.Weighed([1, 2, 3, 4, 5, 6]), 'alphabeta').nodes"
    everything = f"[{PERFT}, {SCORED}, {searched}]"
    first, second = nim.run(everything), nim.run(everything)
    assert first.answer == second.answer
    assert (first.compiled, second.compiled) == (3, 0)
    assert second.notes == ""
    assert first.answer[:2] == [10, 106]


@pytest.mark.long
def test_weights_are_data_and_not_code(nim: Processes) -> None:
    nim.run(SCORED)
    again = nim.run(SCORED.replace("6]", "60]"))
    assert (again.answer, again.compiled) == (160, 0)


@pytest.mark.long
def test_two_copies_of_a_game_have_entries_of_their_own(nim: Processes, tmp_path: Path) -> None:
    shutil.copytree(nim.folder, tmp_path / "copy")
    copy = Processes(tmp_path / "copy", nim.cache)
    assert [place.run(PERFT).answer for place in (nim, copy)] == [10, 10]
    assert [place.run(PERFT).compiled for place in (nim, copy)] == [0, 0]


@pytest.mark.long
def test_the_order_of_hashes_does_not_matter(nim: Processes) -> None:
    nim.edit("nim.py", "SIZES = (1, 2, 3)", "SIZES = (1, 2, 3)\nTEXTS = frozenset(('a', 'b', 'c', 'd'))")
    nim.edit("nim.py", "if take <= most(self.heap):", "if take <= most(self.heap) and self.heap not in {7, 8, 9}:")
    assert [nim.run(PERFT, PYTHONHASHSEED=seed).compiled for seed in "123"][1:] == [0, 0]


# ---- an edit ---------------------------------------------------------------------------------------------

EDITS = [
    ("a rule", "nim.py", "return self.heap <= 0", "return self.heap <= 1", [7, 106]),
    ("a helper in another file", "helpers.py", "min(3, heap)", "min(2, heap)", [7, 106]),
    ("a constant of the module", "nim.py", "SIZES = (1, 2, 3)", "SIZES = (1, 2)", [7, 106]),
    ("a constant of the class", "nim.py", "STEP = 1", "STEP = 2", [1, 106]),
    ("a default", "nim.py", "heap: int = 5", "heap: int = 4", [4, 105]),
    ("an evaluation", "nim.py", "state.heap] + ", "state.heap] - ", [10, -94]),
    ("a constant of another module", "helpers.py", "BONUS = 100", "BONUS = 200", [10, 206]),
]


@pytest.mark.parametrize(
    ("file", "old", "new", "expected"),
    [pytest.param(*edit, id=what, marks=() if what == "a rule" else pytest.mark.long) for what, *edit in EDITS],
)
def test_an_edit_compiles_again(nim: Processes, file: str, old: str, new: str, expected: list[int]) -> None:
    assert nim.run(f"[{PERFT}, {SCORED}]").answer == [10, 106]
    nim.edit(file, old, new)
    try:
        assert nim.run(f"[{PERFT}, {SCORED}]").answer == expected
    finally:
        nim.edit(file, new, old)


@pytest.mark.long
def test_comments_and_texts_compile_nothing(nim: Processes) -> None:
    nim.run(f"[{PERFT}, {SCORED}]")
    nim.edit("nim.py", "'''One heap.'''", "# a comment, and\n    '''One heap, three matches.'''\n")
    nim.edit("helpers.py", "The largest heap", "\n\n    The most")
    nim.edit("nim.py", '"a heap of " + ', '"what is left: " + ')
    again = nim.run(f"[{PERFT}, {SCORED}]")
    assert (again.answer, again.compiled) == ([10, 106], 0)


# ---- functions that call themselves, and each other ------------------------------------------------------

RECURSIVE = """
    def literal(n, sum=7):
        if n <= 0:
            return sum
        if n == 3:
            return literal(n - 1, 0) + sum
        return literal(n - 1, sum + n)


    def defaults(n, sum=0, step=1):
        if n <= 0:
            return sum
        if n % 3 == 0:
            return defaults(n - 1) + sum
        if n % 3 == 1:
            return defaults(n - 1, step=2, sum=sum) + 1
        return defaults(n - step, sum + n)


    def truth(n, flag=False):
        return n if flag else truth(n + 1, True) + truth(n, flag=n > 0)


    def itself(n):
        return n if n < 2 else itself(n - 1) + itself(1)


    def even(n):
        return True if n == 0 else odd(n - 1)


    def odd(n):
        return False if n == 0 else even(n - 1)


    def circle(n):
        return even(n) or odd(n + 1)


    def literals(n):
        return literal(n, 0) + literal(n) + literal(2)


    def all_defaults(n):
        return defaults(n) + defaults(n, 5) + defaults(n, step=1) + defaults(n=n) + defaults(n, 1, 2)


    def truths(n):
        return truth(n) + truth(n, True)
"""


@pytest.mark.long
def test_recursion_works_from_the_cache(cold: Processes) -> None:
    cold.write("recursive.py", RECURSIVE)
    names = ("literals", "all_defaults", "truths", "itself")
    expression = f"[call(getattr(__import__('recursive'), name), 9) for name in {names}]"
    expected: dict[str, Any] = {}
    exec("if True:\n" + RECURSIVE, expected)
    first, second = cold.run(expression), cold.run(expression)
    assert first.answer == second.answer == [expected[name](9) for name in names]
    assert (first.compiled, second.compiled) == (4, 0)


@pytest.mark.long
def test_mutually_recursive_functions_work_and_are_not_stored(cold: Processes) -> None:
    cold.write("recursive.py", RECURSIVE)
    for _ in range(2):
        ran = cold.run("call(__import__('recursive').circle, 9)")
        assert (ran.answer, ran.compiled) == (False, 1)
        assert "compiled anew by every process, since even and other functions call each other in a circle" in ran.notes
    assert cold.suffixes() == {".lock"}


# ---- damage ----------------------------------------------------------------------------------------------

SQUARE = "def square(n): return n * n + 1"


def _damaged(content: bytes) -> dict[str, bytes]:
    """Ways in which a file can be wrong."""
    chance = random.Random(3)
    damaged = {
        "emptied": b"",
        "of another program": b"ZERMELO9" + content[8:],
        "longer": content + b"\0",
        "a text": b"hello\n" * 100,
    }
    for length in (1, 7, 8, 20, 47, 48, 49, len(content) // 2, len(content) - 1):
        damaged[f"truncated to {length}"] = content[:length]
    for place in (0, 8, 15, 16, 47, *(chance.randrange(len(content)) for _ in range(20))):
        damaged[f"flipped at {place}"] = _flipped(content, place, 1 << chance.randrange(8))
    return damaged


def _flipped(content: bytes, place: int, bits: int) -> bytes:
    return content[:place] + bytes([content[place] ^ bits]) + content[place + 1 :]


@pytest.fixture
def stored(cache_folder: Path, announced: list[str], fresh: Fresh) -> Path:
    """The file that holds the machine code of SQUARE."""
    assert native(fresh(SQUARE, "square"), 3)(3) == 10
    assert announced.pop().startswith("zermelo: compiling")
    (path,) = cache_folder.glob("*.bin")
    return path


def test_a_damaged_file_is_deleted(stored: Path) -> None:
    content = stored.read_bytes()
    for what, damaged in _damaged(content).items():
        stored.write_bytes(damaged)
        assert cache.read(stored.stem) is None, what
        assert not stored.exists(), what


def test_a_damaged_file_is_compiled_again(stored: Path, announced: list[str], fresh: Fresh) -> None:
    content = stored.read_bytes()
    for damaged in (b"", content[:100], _flipped(content, len(content) // 2, 1)):
        stored.write_bytes(damaged)
        assert native(fresh(SQUARE, "square"), 3)(4) == 17
        assert len(announced) == 1
        announced.clear()
        assert native(fresh(SQUARE, "square"), 3)(5) == 26
        assert announced == []


@pytest.mark.parametrize("other", [{"not": "code"}, None, 7, (1, 2, 3), [], "text", os.getcwd])
def test_intact_bytes_of_something_else_are_not_code(
    stored: Path, announced: list[str], fresh: Fresh, other: object
) -> None:
    cache.write(stored.stem, pickle.dumps(other))
    assert native(fresh(SQUARE, "square"), 3)(4) == 17
    assert len(announced) == 1
    assert native(fresh(SQUARE, "square"), 3)(5) == 26
    assert len(announced) == 1


def test_bytes_that_cannot_be_unpickled_are_deleted(stored: Path) -> None:
    for payload in (b"", b"not a pickle", b"cno_such_module\nname\n."):
        cache.write(stored.stem, payload)
        assert stored.exists()
        assert cache.read(stored.stem) is None
        assert not stored.exists()


def test_the_file_of_another_entry_is_not_used(stored: Path, announced: list[str], fresh: Fresh) -> None:
    cube = "def cube(n): return n * n * n"
    native(fresh(cube, "cube"), 3)
    announced.clear()
    (other,) = stored.parent.glob("cube-*.bin")
    shutil.copy(stored, other)
    assert native(fresh(cube, "cube"), 3)(3) == 27
    assert len(announced) == 1


@pytest.mark.long
def test_a_damaged_cache_never_stops_a_process(cold: Processes) -> None:
    cold.run(PERFT)
    for path in cold.cache.glob("*.bin"):
        path.write_bytes(_flipped(path.read_bytes(), path.stat().st_size // 2, 4))
    again, after = cold.run(PERFT), cold.run(PERFT)
    assert (again.answer, again.compiled) == (10, 1)
    assert (after.answer, after.compiled) == (10, 0)


@pytest.mark.nightly
def test_every_damaged_byte_is_detected(stored: Path) -> None:
    content = stored.read_bytes()
    chance = random.Random(4)
    damaged = [_flipped(content, chance.randrange(len(content)), 1 << chance.randrange(8)) for _ in range(1000)]
    damaged += [content[: chance.randrange(len(content))] for _ in range(1000)]
    for wrong in damaged:
        stored.write_bytes(wrong)
        assert cache.read(stored.stem) is None
        assert not stored.exists()


# ---- several processes, killed processes -----------------------------------------------------------------


@pytest.mark.long
def test_eight_processes_at_once_compile_once(cold: Processes) -> None:
    started = [cold.start(PERFT) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        ran = list(pool.map(cold.end, started))
    assert [one.answer for one in ran] == [10] * 8
    assert sum(one.compiled for one in ran) == 1
    assert cold.suffixes() == {".bin", ".lock"}


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
def test_a_killed_compilation_does_not_block_others(cold: Processes) -> None:
    process = cold.start("perft(Nim.start(), 3)")
    assert process.stderr is not None
    assert "compiling" in process.stderr.readline()
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    assert cold.suffixes() == {".lock"}
    ran = cold.run(PERFT)
    assert (ran.answer, ran.compiled) == (10, 1)


@pytest.mark.long
def test_waiting_for_a_hanging_compilation_ends(
    stored: Path, announced: list[str], fresh: Fresh, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored.unlink()
    monkeypatch.setattr(cache, "PATIENCE", 0.2)
    with cache.lock(stored.stem):
        began = time.perf_counter()
        assert native(fresh(SQUARE, "square"), 3)(3) == 10
        assert time.perf_counter() - began >= 0.2


# ---- folders ---------------------------------------------------------------------------------------------


def _compiles_each_time(fresh: Fresh, announced: list[str]) -> bool:
    for _ in range(2):
        assert native(fresh(SQUARE, "square"), 3)(3) == 10
    return len(announced) == 2


def test_without_a_folder_nothing_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, announced: list[str], fresh: Fresh
) -> None:
    (tmp_path / "file").write_text("not a folder")
    monkeypatch.setenv("ZERMELO_CACHE_DIR", str(tmp_path / "file" / "cache"))
    assert _compiles_each_time(fresh, announced)
    assert cache.entries() == []
    assert cache.clear() == 0


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no owners here")
def test_a_folder_of_another_user_is_not_used(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch, announced: list[str], fresh: Fresh
) -> None:
    cache_folder.mkdir(mode=0o700)
    owner = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    assert _compiles_each_time(fresh, announced)
    assert list(cache_folder.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no modes here")
def test_a_folder_that_others_may_write_to_is_made_private(
    cache_folder: Path, announced: list[str], fresh: Fresh
) -> None:
    cache_folder.mkdir()
    cache_folder.chmod(0o777)
    assert not _compiles_each_time(fresh, announced)
    assert stat.S_IMODE(cache_folder.stat().st_mode) == 0o700


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no modes here")
def test_a_folder_that_cannot_be_made_private_is_not_used(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch, announced: list[str], fresh: Fresh
) -> None:
    def refuse(self: Path, mode: int) -> None:
        raise PermissionError(1, "not permitted")

    cache_folder.mkdir()
    cache_folder.chmod(0o777)
    monkeypatch.setattr(Path, "chmod", refuse)
    assert _compiles_each_time(fresh, announced)


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() == 0, reason="modes do not bind this user")
def test_a_folder_that_cannot_be_written_to_is_not_used(cache_folder: Path, announced: list[str], fresh: Fresh) -> None:
    cache_folder.mkdir(mode=0o500)
    assert _compiles_each_time(fresh, announced)


def test_with_a_full_disk_nothing_is_stored(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch, announced: list[str], fresh: Fresh
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert _compiles_each_time(fresh, announced)
    assert {path.suffix for path in cache_folder.iterdir()} == {".lock"}


def test_the_folder_and_its_files_are_private(stored: Path) -> None:
    assert stat.S_IMODE(stored.parent.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) & 0o077 for path in stored.parent.iterdir()} == {0}


def test_entries_and_clear(stored: Path) -> None:
    assert cache.entries() == [(stored.stem, stored.stat().st_size)]
    assert cache.clear() == 1
    assert list(stored.parent.iterdir()) == []
    assert cache.read(stored.stem) is None


def test_what_cannot_be_deleted_is_not_counted(stored: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: Path) -> None:
        raise OSError(errno.EROFS, "Read-only file system", str(path))

    monkeypatch.setattr(Path, "unlink", refused)
    assert cache.clear() == 0
    assert cache.entries() == [(stored.stem, stored.stat().st_size)]
    with pytest.raises(FileError, match="1 entry cannot be deleted"):
        clear()


def _pipe(path: Path) -> None:
    os.mkfifo(path)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as bound:
        bound.bind(os.path.relpath(path))  # a socket's path has about 100 bytes


def _link(path: Path) -> None:
    target = path.with_name("moved")
    target.write_bytes(b"the entry")
    path.symlink_to(target)


def _dangling_link(path: Path) -> None:
    path.symlink_to("nowhere")


def _device(path: Path) -> None:
    os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 5))


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pipes and devices among the files")
@pytest.mark.parametrize("make", [_pipe, _socket, _link, _dangling_link, _device])
def test_an_entry_that_is_not_a_regular_file_is_deleted(
    cache_folder: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], None]
) -> None:
    """Reading a pipe would wait for a writer, and reading a device would not end."""
    cache.write("entry", b"payload")
    path = cache_folder / "entry.bin"
    path.unlink()
    monkeypatch.chdir(cache_folder)
    try:
        make(path)
    except PermissionError:
        pytest.skip("this user cannot make such a file")
    assert cache.read_bytes("entry") is None
    assert not os.path.lexists(path)
    cache.write("entry", b"payload")
    assert cache.read_bytes("entry") == b"payload"


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="only root can give files away")
def test_an_entry_of_another_user_is_deleted(cache_folder: Path) -> None:
    cache.write("entry", b"payload")
    os.chown(cache_folder / "entry.bin", 12345, 12345)
    assert cache.read_bytes("entry") is None
    assert not (cache_folder / "entry.bin").exists()


def test_entries_are_read_from_a_folder_that_cannot_be_written_to(cache_folder: Path) -> None:
    cache.write("entry", b"payload")
    cache_folder.chmod(0o500)
    try:
        assert cache.read_bytes("entry") == b"payload"
        with cache.lock("other"):
            cache.write("other", b"payload")
    finally:
        cache_folder.chmod(0o700)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no SIGKILL")
@pytest.mark.long
def test_what_a_killed_process_left_is_removed(cache_folder: Path) -> None:
    cache.write("entry", b"payload")
    killed = (
        "import os, signal; from zermelo.compiled import cache\n"
        "os.fsync = lambda file: os.kill(os.getpid(), signal.SIGKILL)\n"
        "cache.write('other', bytes(5000))"
    )
    for _ in range(3):
        assert subprocess.run([sys.executable, "-c", killed]).returncode == -signal.SIGKILL
    assert len(cache.leftovers()) == 1  # each process removed what the one before it left
    subprocess.run([sys.executable, "-c", "from zermelo.compiled import cache; cache.read_bytes('entry')"], check=True)
    assert cache.leftovers() == []
    assert cache.read_bytes("entry") == b"payload"


# ---- Numba's settings ------------------------------------------------------------------------------------


@pytest.mark.long
def test_bounds_checked_code_has_entries_of_its_own(cold: Processes) -> None:
    beyond = "call(module.Weighed.score, module.Weighed([1, 2, 3, 4, 5]), Nim.start())"
    cold.edit("nim.py", "return self.weights[state.heap] + helpers.BONUS", "return self.weights[state.heap] * 0")
    assert cold.run(beyond, NUMBA_BOUNDSCHECK="0").answer == 0
    process = cold.start(beyond, NUMBA_BOUNDSCHECK="1")
    _, notes = process.communicate(timeout=100)
    assert process.returncode == 1
    assert "zermelo: compiling" in notes
    assert "IndexError" in notes


@pytest.mark.long
def test_works_with_numba_switched_off(cold: Processes) -> None:
    ran = cold.run(f"[{PERFT}, {SCORED}]", NUMBA_DISABLE_JIT="1")
    assert (ran.answer, ran.compiled) == ([10, 106], 0)
    assert not cold.cache.exists() or cold.suffixes() == set()
