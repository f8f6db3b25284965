"""Files from which a run continues: what a kill left is removed, the file of somebody else is never changed."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from zermelo._util.resume_files import complete_lines
from zermelo._util.row_files import RowFile
from zermelo.errors import FormatError

HEADER = b'{"plan": 1}\n'


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
    with refused, RowFile(tmp_path / "a.csv", {"plan": 1}, (".csv",)):
        pass
    assert part.read_text() == "my essay, saved without a last newline"
    part.write_bytes(HEADER[:5])
    with RowFile(tmp_path / "a.csv", {"plan": 1}, (".csv",)):
        assert part.read_bytes() == HEADER
