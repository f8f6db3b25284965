"""Files from which a run continues: what a kill left is removed, the file of somebody else is never changed."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from zermelo._util.resume_files import complete_lines
from zermelo._util.row_files import RowFile
from zermelo.errors import FileError, FormatError, ZermeloError

HEADER = b'{"plan": 1}\n'


def rows(folder: Path) -> RowFile:
    return RowFile(folder / "a.csv", {"plan": 1}, (".csv",))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", []),
        (HEADER[:5], []),
        (HEADER[:-1], []),
        (HEADER, [HEADER]),
        (HEADER + b"[1]\n[2", [HEADER, b"[1]\n"]),
        (b"other\n[1]\n", [b"other\n", b"[1]\n"]),
    ],
)
def test_lines_without_their_end_are_left_out(content: bytes, expected: list[bytes]) -> None:
    assert list(complete_lines(io.BytesIO(content), HEADER)) == expected


@pytest.mark.parametrize("content", [b"my essay", HEADER[:-1] + b" ", b"\x00", b"x" * (1 << 21)])
def test_a_single_line_of_another_file_is_refused(content: bytes) -> None:
    with pytest.raises(FormatError, match="not a file of an interrupted run"):
        list(complete_lines(io.BytesIO(content), HEADER))


def test_a_partial_file_of_rows_that_is_another_file_is_not_changed(tmp_path: Path) -> None:
    part = tmp_path / "a.csv.part"
    part.write_text("my essay, saved without a last newline")
    refused = pytest.raises(FormatError, match=r"a\.csv\.part: not a file of an interrupted run; rename it")
    with refused, rows(tmp_path):
        pass
    assert part.read_text() == "my essay, saved without a last newline"
    part.write_bytes(b'{"rows": 2, "pl')
    with rows(tmp_path):
        assert part.read_bytes() == b'{"rows": 2, "plan": 1}\n'


def test_lines_of_rows_that_are_damaged_are_refused(tmp_path: Path) -> None:
    part = tmp_path / "a.csv.part"
    with rows(tmp_path) as file:
        file.add('[2, "QUJD"]')
        file.add('[3, "REVG"]')
    head, first, second = part.read_bytes().splitlines(keepends=True)
    with rows(tmp_path) as file:
        assert (file.batches, file.count) == (2, 5)
    checksum = json.loads(first)[2]
    for number, lines in (
        (2, [first.replace(b"QUJD", b"QUJE"), second]),
        (2, [first.replace(b"[2", b"[1" + b"0" * 21), second]),
        (2, [first.replace(b"[2", b"[true"), second]),
        (2, [second, first]),
        (2, [second]),
        (3, [first, first]),
        (4, [first, second, second]),
        (3, [first, b"[" * 100_000 + b"\n"]),
        (3, [first, b"{}\n"]),
        (3, [first, b"[]\n"]),
        (3, [first, b'[3, "REVG"]\n']),
        (3, [first, b'[3, "\\ud800", "' + checksum.encode() + b'"]\n']),
        (3, [first, b"\xff\n"]),
        (3, [first, b"\n"]),
    ):
        content = b"".join([head, *lines])
        part.write_bytes(content)
        with pytest.raises(FileError) as refused, rows(tmp_path):
            pass
        assert str(refused.value) == f"{part}: line {number} is damaged; delete the file to start again"
        assert part.read_bytes() == content


def test_a_partial_file_of_rows_without_checksums_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.csv.part").write_text('{"plan": 1}\n[2, "QUJD"]\n')
    with pytest.raises(ZermeloError, match="was started by an earlier version of Zermelo"), rows(tmp_path):
        pass


@pytest.mark.skipif(os.name != "posix", reason="limits the size of a file")
def test_a_full_disk_is_reported_with_the_name_of_the_file(tmp_path: Path) -> None:
    """The line remains in the file's buffer, and closing the file fails too."""
    code = """
import resource, signal, sys
from zermelo._util.row_files import RowFile
from zermelo.errors import FileError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with RowFile(sys.argv[1], {"plan": 1}, (".csv",)) as file:
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
    try:
        file.add('[2, "' + "x" * 1000 + '"]')
    except FileError as error:
        print(error)
"""
    path = tmp_path / "a.csv"
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout == f"{path}.part: File too large\n"
