"""User files: every kind of file that is not a readable regular one is refused in one line, without waiting."""

from __future__ import annotations

import ast
import io
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.bad_files import REASONS, make_bad_files
from zermelo._util import user_files
from zermelo.errors import FileError

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs FIFOs, sockets and devices")


@pytest.fixture(scope="module")
def bad(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return make_bad_files(tmp_path_factory.mktemp("bad"), ".txt")


@pytest.mark.parametrize("kind", REASONS)
def test_bad_files_are_named_without_waiting(bad: dict[str, Path], kind: str) -> None:
    if kind not in bad:
        pytest.skip("root reads every file")
    with pytest.raises(FileError) as caught:
        user_files.read_bytes(bad[kind], 1000)
    assert str(caught.value).startswith(f"{bad[kind]}: {REASONS[kind]}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("nowhere", "nowhere: No such file or directory"),
        ("a\0b", "a\0b: not a valid file name"),
        ("\ud800", "\\ud800: not a valid file name"),
        ("x" * 5000, ": File name too long"),
        (b"caf\xe9".decode("utf-8", "surrogateescape"), "caf\\xe9: No such file or directory"),
    ],
)
def test_names_that_open_nothing(path: str, said: str) -> None:
    with pytest.raises(FileError) as caught:
        user_files.read_bytes(path, 1000)
    assert str(caught.value).endswith(said)
    str(caught.value).encode()


def test_a_file_is_appended_to(tmp_path: Path) -> None:
    path = tmp_path / "log"
    for text in (b"one", b"two"):
        with user_files.open_to_append(path) as file:
            file.write(text)
    assert path.read_bytes() == b"onetwo"
    with user_files.open_to_append(os.devnull) as file:
        file.write(b"three")
    with pytest.raises(FileError, match=r"^log x: No such file or directory$"):
        user_files.open_to_append(tmp_path / "none" / "log", label="log x")


def test_limits_and_labels(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"\xef\xbb\xbfabc")
    assert user_files.read_bytes(path, 6) == b"\xef\xbb\xbfabc"
    assert user_files.read_text(path, 6) == "abc"
    with pytest.raises(FileError, match=r"^agent x: file too large: expected at most 5 bytes$"):
        user_files.read_bytes(path, 5, label="agent x")
    with pytest.raises(FileError, match=r"^file too large"):
        user_files.read_bytes(path, 5, label="")


@pytest.mark.parametrize("kind", REASONS)
def test_bad_files_are_named_alike_where_links_are_refused(bad: dict[str, Path], kind: str) -> None:
    if kind not in bad:
        pytest.skip("root reads every file")
    with pytest.raises(FileError) as caught:
        user_files.read_bytes(bad[kind], 1000, follow_links=False)
    assert str(caught.value).startswith(f"{bad[kind]}: {REASONS[kind]}")


def test_a_link_is_refused_even_if_it_comes_after_the_check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    secret, link, path = tmp_path / "secret", tmp_path / "link", tmp_path / "file"
    secret.write_text("the solution")
    link.symlink_to(secret)
    assert user_files.read_bytes(link, 100) == b"the solution"
    with pytest.raises(FileError, match=r"link: a link to another file; expected the file itself$"):
        user_files.read_bytes(link, 100, follow_links=False)
    path.write_text("mine")
    assert user_files.read_bytes(path, 100, follow_links=False) == b"mine"
    check = user_files._status

    def replaced(*arguments: Any) -> os.stat_result:
        status = check(*arguments)
        path.unlink()
        replacements.pop()(secret, path)
        return status

    monkeypatch.setattr(user_files, "_status", replaced)
    replacements = [os.symlink, os.link]
    for message in ("was replaced while it was opened", "a link to another file"):
        path.unlink()
        path.write_text("mine")
        with pytest.raises(FileError, match=f"file: {message}"):
            user_files.read_bytes(path, 100, follow_links=False)


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="needs /proc")
def test_a_file_that_is_larger_than_its_size_says_is_read_to_the_limit() -> None:
    assert os.stat("/proc/self/maps").st_size == 0
    with pytest.raises(FileError, match="file too large"):
        user_files.read_bytes("/proc/self/maps", 10)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"ab\xff", "line 1, byte 3"),
        (b"a\nb\n\xe9\n", "line 3, byte 5"),
        (b"\xef\xbb\xbfa\n\xe9", "line 2, byte 6"),
        ("text".encode("utf-16"), "line 1, byte 1"),
    ],
)
def test_text_that_is_not_utf_8(content: bytes, said: str) -> None:
    with pytest.raises(FileError, match=rf"^x: not UTF-8 text \({said}\)$"):
        user_files.decode_text(content, "x")


def test_a_folder_lists_everything_with_the_suffix(bad: dict[str, Path], tmp_path: Path) -> None:
    assert user_files.list_folder(next(iter(bad.values())).parent, ".txt") == sorted(bad.values())
    (tmp_path / ".hidden.txt").write_text("")
    (tmp_path / "other.csv").write_text("")
    assert user_files.list_folder(tmp_path, ".txt") == []
    (tmp_path / "notes.TXT").write_text("")
    assert [path.name for path in user_files.list_folder(tmp_path, ".txt", ".csv")] == ["notes.TXT", "other.csv"]
    with pytest.raises(FileError, match="No such file"):
        user_files.list_folder(tmp_path / "none", ".txt")


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"[1,2]")))
    assert user_files.read_input(5) == "[1,2]"
    monkeypatch.setattr(sys, "stdin", io.StringIO("123456"))
    with pytest.raises(FileError, match=r"^standard input: file too large"):
        user_files.read_input(5)
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(FileError, match="standard input is closed"):
        user_files.read_input(5)


# ---- nothing else opens files -----------------------------------------------------------------------------------

#: Modules that open files without `zermelo._util.user_files`, and why. No user names these files to be read.
OTHERS = {
    "_util/user_files.py": "the opener",
    "_util/atomic_files.py": "output files",
    "_util/machine_limits.py": "the process's own numbers in /proc",
    "_util/temporary.py": "Zermelo's own temporary files",
    "arena/executors/dask_executor.py": "the package's own sources",
    "_util/resume_files.py": "files that a run continues from, extended after the opener has read them",
    "_util/row_files.py": "partial output files of an interrupted run, opened after a check",
    "arena/lecture.py": "data of the package",
    "cli/__init__.py": "the null device",
    "cli/new_game.py": "data of the package",
    "cli/streams.py": "the null device, and standard streams by their numbers",
    "compiled/cache.py": "the cache, with checks of its own",
    "compiled/diagnosis.py": "the source of code that has been imported",
    "compiled/entries.py": "an entry of the cache",
    "compiled/fingerprint.py": "the package's own sources",
    "games/backgammon/one_sided.py": "entries of the cache",
    "interactive/game_page.py": "data of the package",
    "interactive/notebook.py": "data of the package",
    "solve/books/book_file.py": "the books of the package",
    "teaching/lectures/cases.py": "data of the package",
    "teaching/lectures/slides.py": "data of the package",
    "teaching/pages/bundle.py": "data of the package",
    "web/agent_leagues.py": "the log of a process that the server has started",
    "web/static.py": "the fixed table of the package's pages",
}
#: Packages that are apart: processes of the sandbox run without the rest of Zermelo, and SQLite opens stores.
APART = ("sandbox/", "arena/store/")
#: Methods with these names open files; as functions they are those of `user_files`.
METHODS = {"open", "read_text", "read_bytes", "fromfile", "memmap"}
#: What else has a method `open`.
NO_FILES = {"Store", "cls", "webbrowser"}


def opens_a_file(call: ast.Call) -> bool:
    """Whether a call opens a file, by its name."""
    match call.func:
        case ast.Name(id="open"):
            return True
        case ast.Attribute(value=ast.Name(id=name), attr="open") if name in NO_FILES:
            return False
        case ast.Attribute(attr=attr):
            return attr in METHODS
    return False


def test_only_the_opener_opens_files_that_users_name() -> None:
    root = Path(user_files.__file__).parents[1]
    found = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if any(isinstance(node, ast.Call) and opens_a_file(node) for node in ast.walk(ast.parse(path.read_bytes())))
    }
    assert {name for name in found if not name.startswith(APART)} == OTHERS.keys()
