"""A file of rows that grows while they are made, and can be gone on with where it was left off.

with RowFile(path, plan, columns) as rows:         FILE.part: the plan, then a line of JSON for each batch, in order
    for batch in make(first=rows.batches): rows.add(batch)
    rows.finish()                               FILE: JSON Lines, CSV or Parquet, by its name; FILE.part is gone
"""

from __future__ import annotations

import csv
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
from zermelo.errors import FileError, FormatError, MissingDependency, ZermeloError

ENDINGS = (".jsonl", ".csv", ".parquet")
# Rows of a piece of a Parquet file, and of one whose rows hold lists.
_PIECE, _PIECE_OF_LISTS = 50_000, 1_000


class RowFile:
    """Rows on their way into a file. Raises `ZermeloError`: a name of another kind, a part of another plan, no room."""

    def __init__(self, path: str | Path, plan: Mapping[str, Any], columns: Mapping[str, type]) -> None:
        self.path = Path(path)
        if self.path.suffix not in ENDINGS:
            raise FormatError(f"{self.path}: a file of rows ends in {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}")
        if self.path.suffix == ".parquet":
            _pyarrow()
        if not self.path.parent.is_dir():
            raise FormatError(f"{self.path}: there is no folder {self.path.parent}")
        if self.path.is_dir():
            raise FormatError(f"{self.path}: a folder; a name of a file is needed")
        self._part = self.path.with_name(self.path.name + ".part")
        self._lock = FileLock(self.path.with_name(self.path.name + ".lock"))
        self._head = json.dumps({**plan, "columns": list(columns)}) + "\n"
        self._columns = columns
        #: Batches that are there, and their rows.
        self.batches = self.count = 0
        self._file: IO[bytes] | None = None

    def __enter__(self) -> Self:
        try:
            self._lock.acquire(0)
        except Timeout:
            raise FileError(f"{self.path} is being made by another run") from None
        except OSError as error:
            raise FileError(f"{self.path}: {error.strerror or error}") from None
        try:
            self._file = self._open()
        except OSError as error:
            self._lock.release()
            raise FileError(f"{self._part}: {error.strerror or error}") from None
        except BaseException:
            self._lock.release()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None
        with suppress(OSError):  # before it is let go, so that nobody holds a file that has no name
            os.unlink(self._lock.lock_file)
        self._lock.release()

    def _open(self) -> IO[bytes]:
        """The part, after its last whole line: what a run that was killed had begun to write is cut off."""
        file = open(self._part, "a+b")  # noqa: SIM115  closed by __exit__
        try:
            file.seek(0)
            head = file.readline(1 << 20)
            if not head.endswith(b"\n"):
                file.truncate(0)
                file.write(self._head.encode())
                file.flush()
                return file
            if head.decode(errors="replace") != self._head:
                raise ZermeloError(
                    f"{self._part} was begun with other options; go on with those, or delete it to begin anew"
                )
            end = len(head)
            for line in file:
                if not line.endswith(b"\n"):
                    break
                self.batches += 1
                self.count += len(json.loads(line))
                end += len(line)
            file.truncate(end)
            file.seek(0, os.SEEK_END)
        except ZermeloError:
            file.close()
            raise
        except ValueError:
            file.close()
            raise FileError(f"{self._part}: line {self.batches + 1} is no row; delete the file") from None
        except BaseException:
            file.close()
            raise
        return file

    def add(self, batch: str) -> None:
        """One more batch: a list of rows, as a line of JSON."""
        assert self._file is not None
        try:
            self._file.write(batch.encode() + b"\n")
            self._file.flush()
        except OSError as error:
            raise FileError(f"{self._part}: {error.strerror or error}") from None
        self.batches += 1
        self.count += len(json.loads(batch))

    def finish(self) -> None:
        """All rows are there: the file is written, whole, in its own format."""
        with writing(self.path) as file:
            WRITERS[self.path.suffix](file, self._columns, self._rows())
        assert self._file is not None
        self._file.close()
        self._file = None
        self._part.unlink()

    def _rows(self) -> Iterator[list[Any]]:
        with open(self._part, "rb") as file:
            next(file)
            yield from chain.from_iterable(map(json.loads, file))


def _write_jsonl(file: BinaryIO, columns: Mapping[str, Any], rows: Iterator[Sequence[Any]]) -> None:
    for row in rows:
        file.write(json.dumps(dict(zip(columns, row, strict=True))).encode() + b"\n")


def _write_csv(file: BinaryIO, columns: Mapping[str, Any], rows: Iterator[Sequence[Any]]) -> None:
    text = io.TextIOWrapper(file, "utf-8", newline="", write_through=True)
    try:
        writer = csv.writer(text)
        writer.writerow(columns)
        writer.writerows(rows)
    finally:
        text.detach()


def _write_parquet(file: BinaryIO, columns: Mapping[str, Any], rows: Iterator[Sequence[Any]]) -> None:
    pa, parquet = _pyarrow()
    kinds = {int: pa.int64(), float: pa.float64(), bool: pa.bool_(), str: pa.string()}
    kinds |= {list[kind]: pa.list_(each) for kind, each in kinds.items()}  # type: ignore[valid-type]
    schema = pa.schema([(name, kinds[kind]) for name, kind in columns.items()])
    piece = _PIECE if not any(isinstance(kind, GenericAlias) for kind in columns.values()) else _PIECE_OF_LISTS
    with parquet.ParquetWriter(file, schema) as writer:
        while rows_of_piece := list(islice(rows, piece)):
            whole = dict(zip(columns, zip(*rows_of_piece, strict=True), strict=True))
            writer.write_table(pa.table(whole, schema=schema))


#: From rows to a file, by the ending of its name: columns with their types, int, float, bool, str or lists of these.
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
