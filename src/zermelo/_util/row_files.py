"""Files of rows that are written in batches and can be resumed after an interruption.

with RowFile(path, plan, suffixes) as rows:     # FILE.part: the plan, then one line per batch; kept if there is one
    for batch in make(first=rows.batches):      # a batch: [number of rows, data]
        rows.add(batch)
    rows.finish(write)                          # write(file, data of all batches); FILE.part is deleted

A line of FILE.part is [number of rows, data, checksum]. The checksum covers the number of the batch too: a line that is
changed, doubled, lost or moved is found.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from itertools import chain, islice
from pathlib import Path
from types import GenericAlias
from typing import IO, Any, BinaryIO, Self

from filelock import FileLock, Timeout

from zermelo._util.atomic_files import writing
from zermelo._util.csv_files import write_csv
from zermelo._util.resume_files import complete_lines
from zermelo._util.user_files import open_file
from zermelo.errors import FileError, FormatError, MissingDependency, ZermeloError

# Version of the partial files: 2 since their lines have checksums.
_VERSION = 2
# Rows per row group of a Parquet file, and of one with columns of lists.
_ROW_GROUP, _ROW_GROUP_OF_LISTS = 50_000, 1_000


class RowFile:
    """A file of rows under construction. Use it as a context manager.

    Parameters
    ----------
    path : str or Path
        Name of the finished file.
    plan : mapping
        What the rows depend on. A partial file is resumed only with the same plan.
    suffixes : sequence of str
        The suffixes that the name may have.

    Attributes
    ----------
    batches, count : int
        Number of batches and rows written so far, by earlier runs too.

    Raises
    ------
    FormatError
        The name of the file cannot be used.
    FileError
        The file cannot be written, or another run is writing it.
    ZermeloError
        The partial file was started with another plan.
    MissingDependency
        Parquet needs pyarrow.
    """

    def __init__(self, path: str | Path, plan: Mapping[str, Any], suffixes: Sequence[str]) -> None:
        self.path = Path(path)
        if self.path.suffix not in suffixes:
            raise FormatError(f"{self.path}: the file name must end in {', '.join(suffixes[:-1])} or {suffixes[-1]}")
        if self.path.suffix == ".parquet":
            _pyarrow()
        if not self.path.parent.is_dir():
            raise FormatError(f"{self.path}: folder not found: {self.path.parent}")
        if self.path.is_dir():
            raise FormatError(f"{self.path}: is a folder; expected a file name")
        self._part = self.path.with_name(self.path.name + ".part")
        self._lock = FileLock(self.path.with_name(self.path.name + ".lock"))
        self._head = json.dumps({"rows": _VERSION, **plan}) + "\n"
        self._first_head = json.dumps(plan) + "\n"  # of version 1
        self.batches = self.count = 0
        self._file: IO[bytes] | None = None

    def __enter__(self) -> Self:
        try:
            self._lock.acquire(0)
        except Timeout:
            raise FileError(f"{self.path} is being written by another run") from None
        except OSError as error:
            raise FileError(f"{self.path}: {error.strerror or error}") from None
        try:
            self._file = self._open()
        except BaseException as error:
            self._lock.release()
            if isinstance(error, OSError) and not isinstance(error, FileError):  # which names the file
                raise FileError(f"{self._part}: {error.strerror or error}") from None
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            with suppress(OSError):  # a batch that could not be written has been reported; closing writes it once more
                self._file.close()
            self._file = None
            if not self.batches:  # nothing to resume
                with suppress(OSError):
                    self._part.unlink()
        with suppress(OSError):  # before the release: another run must not lock a file that is then deleted
            os.unlink(self._lock.lock_file)
        self._lock.release()

    def _open(self) -> IO[bytes]:
        """Open the partial file at the end of its last complete line; cut off what a killed run left unfinished."""
        if os.path.lexists(self._part):
            open_file(self._part).close()  # only a regular file
        file = open(self._part, "a+b")  # noqa: SIM115  closed by __exit__
        head = self._head.encode()
        try:
            file.seek(0)
            lines = complete_lines(file, head)
            try:
                first = next(lines, b"")
            except FormatError as error:
                raise FormatError(f"{self._part}: {error}; rename it, or write to another file") from None
            if first == self._first_head.encode():
                raise ZermeloError(
                    f"{self._part} was started by an earlier version of Zermelo; delete the file to start again"
                )
            if first not in (b"", head):
                raise ZermeloError(
                    f"{self._part} was started with other options; use the same ones, or delete the file to start again"
                )
            end = len(first)
            for line in lines:
                try:
                    count = _decoded(line, self.batches)[0]
                except ValueError:
                    raise self._damaged(self.batches) from None
                self.batches += 1
                self.count += count
                end += len(line)
            file.truncate(end)
            file.seek(0, os.SEEK_END)
            if not end:
                file.write(head)
                file.flush()
        except BaseException:
            file.close()
            raise
        return file

    def add(self, batch: str) -> None:
        """Append a batch, one line of JSON: a list of the number of its rows and its data, a text."""
        assert self._file is not None
        count, data = json.loads(batch)
        line = json.dumps([count, data, _checksum(self.batches, count, data)])
        try:
            self._file.write(line.encode() + b"\n")
            self._file.flush()
        except OSError as error:
            raise FileError(f"{self._part}: {error.strerror or error}") from None
        self.batches += 1
        self.count += count

    def finish(self, write: Callable[[BinaryIO, Iterator[str]], None]) -> None:
        """Write the finished file atomically, and delete the partial one."""
        with writing(self.path) as file:
            write(file, self._data())
        assert self._file is not None
        self._file.close()
        self._file = None
        self._part.unlink()

    def _data(self) -> Iterator[str]:
        with open(self._part, "rb") as file:
            next(file)
            for number, line in enumerate(file):
                try:
                    yield _decoded(line, number)[1]
                except ValueError:
                    raise self._damaged(number) from None

    def _damaged(self, number: int) -> FileError:
        """Return the error of the line of a batch."""
        return FileError(f"{self._part}: line {number + 2} is damaged; delete the file to start again")


def _checksum(number: int, count: int, data: str) -> str:
    """Return the checksum of a batch, of which `number` is the index."""
    return hashlib.blake2b(f"{number} {count} {data}".encode(), digest_size=8).hexdigest()


def _decoded(line: bytes, number: int) -> tuple[int, str]:
    """Return the number of rows and the data of a line, the batch of index `number`. Raises `ValueError`."""
    try:
        found = json.loads(line)
    except RecursionError:
        raise ValueError from None
    if not isinstance(found, list) or [type(each) for each in found] != [int, str, str]:
        raise ValueError
    count, data, checksum = found
    if checksum != _checksum(number, count, data):
        raise ValueError
    return count, data


def _write_jsonl(file: BinaryIO, columns: Mapping[str, Any], rows: Iterator[Sequence[Any]]) -> None:
    for row in rows:
        file.write(json.dumps(dict(zip(columns, row, strict=True))).encode() + b"\n")


def _write_csv(file: BinaryIO, columns: Mapping[str, Any], rows: Iterator[Sequence[Any]]) -> None:
    text = io.TextIOWrapper(file, "utf-8", newline="", write_through=True)
    try:
        write_csv(text, chain([list(columns)], rows))
    finally:
        text.detach()


def _write_parquet(file: BinaryIO, columns: Mapping[str, Any], rows: Iterator[Sequence[Any]]) -> None:
    pa, parquet = _pyarrow()
    types = {int: pa.int64(), float: pa.float64(), bool: pa.bool_(), str: pa.string()}
    types |= {list[each]: pa.list_(arrow) for each, arrow in types.items()}  # type: ignore[valid-type]
    schema = pa.schema([(name, types[each]) for name, each in columns.items()])
    has_lists = any(isinstance(each, GenericAlias) for each in columns.values())
    size = _ROW_GROUP_OF_LISTS if has_lists else _ROW_GROUP
    with parquet.ParquetWriter(file, schema) as writer:
        while group := list(islice(rows, size)):
            table = dict(zip(columns, zip(*group, strict=True), strict=True))
            writer.write_table(pa.table(table, schema=schema))


#: Writers by suffix; each takes the file, the columns with their types, and the rows.
WRITERS: dict[str, Callable[[BinaryIO, Mapping[str, Any], Iterator[Sequence[Any]]], None]] = {
    ".jsonl": _write_jsonl,
    ".csv": _write_csv,
    ".parquet": _write_parquet,
}


def _pyarrow() -> Any:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError:
        raise MissingDependency("Parquet needs pyarrow: pip install 'zermelo[arena]'") from None
