"""Rows of stores: encoding, digests, and decoding with checked types and ranges.

Texts arrive as bytes: a damaged file may hold bytes that are not UTF-8.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from functools import partial, reduce
from itertools import product
from operator import le, xor
from types import NoneType
from typing import Any

from zermelo._util.text import quoted
from zermelo.arena.game_record import GameJob, GameRecord, GameResult, MoveReport
from zermelo.arena.store.schema import COLUMNS, RESULT_COLUMNS

Row = Sequence[Any]

MAX_INT = (1 << 63) - 1
#: Greatest game number. Above the number of games of any plan.
MAX_NUMBER = 1_000_000_000
#: A plan allows a million plies; openings and dice come on top.
_MAX_PLIES = 2_000_000
#: Greatest number of seconds: thirty thousand years, so that sums stay finite and Unix times are valid dates.
_MAX_SECONDS = 1e11
_MAX_TEXT = 1 << 20

_COUNT = ((int,), 0, _MAX_PLIES)
_NODES = ((int,), 0, MAX_INT)
_SECONDS = ((float,), 0.0, _MAX_SECONDS)
_TEXT = ((bytes,), 0, _MAX_TEXT)
#: Types and range of each result column; of texts, the length in bytes.
_RANGES: dict[str, tuple[tuple[type, ...], float, float]] = {
    "number": ((int,), 0, MAX_NUMBER),
    "max_player": ((bytes,), 1, 1000),
    "min_player": ((bytes,), 1, 1000),
    "points": ((float,), 0.0, 1.0),
    "termination": ((bytes,), 1, 100),
    "detail": _TEXT,
    "forfeited_by": ((int, NoneType), 0, 1),
    "utility": ((int, NoneType), -MAX_INT, MAX_INT),
    "plies": _COUNT,
    "max_nodes": _NODES,
    "min_nodes": _NODES,
    "max_seconds": _SECONDS,
    "min_seconds": _SECONDS,
    "max_moves": _COUNT,
    "min_moves": _COUNT,
    "round": ((int,), 0, MAX_NUMBER),
    "game_pair": ((int,), 0, MAX_NUMBER),
    "opening": _TEXT,
    "moves_hash": ((bytes,), 0, 100),
    "max_version": _TEXT,
    "min_version": _TEXT,
    "referee_version": ((bytes,), 0, 1000),
    "started_at": ((float,), -_MAX_SECONDS, _MAX_SECONDS),
    "seconds": _SECONDS,
    "game": _TEXT,
    "seed": ((int,), 0, MAX_INT),
    "max_clock": _TEXT,
    "min_clock": _TEXT,
}
assert tuple(_RANGES) == RESULT_COLUMNS
_RESULTS = len(RESULT_COLUMNS)
# The same for whole rows, so that a row is checked by a few calls: the valid combinations of types, and the bounds.
_TYPES = frozenset(product(*(types for types, _, _ in _RANGES.values())))
_LOWEST = [low for _, low, _ in _RANGES.values()]
_HIGHEST = [high for _, _, high in _RANGES.values()]

_compact_json = json.JSONEncoder(separators=(",", ":")).encode


# ---- digests ---------------------------------------------------------------------------------------------


def digest(values: Iterable[Any]) -> str:
    """Return the digest of values as they are written (texts) or read (bytes): 128 bits of BLAKE2b."""
    return digest_as_read(tuple([value.encode() if isinstance(value, str) else value for value in values]))


def digest_as_read(values: tuple[Any, ...]) -> str:
    """Return the digest of values as they are read. Python's text of a tuple differs for different values."""
    return _hash(repr(values).encode())


def _content_digest(job: bytes, moves: bytes, reports: bytes) -> str:
    # Faster for long texts, which `repr` would escape.
    return _hash(b"%d %d %d %b%b%b" % (len(job), len(moves), len(reports), job, moves, reports))


def _hash(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=16).hexdigest()


class TableDigest:
    """Number of rows of a table, and the exclusive or of their digests: independent of the order of rows."""

    def __init__(self, text: str = "0 0") -> None:
        count, _, value = text.partition(" ")
        self.count = int(count)
        self._value = int(value, 16)

    def add(self, *row_digests: str | bytes) -> None:
        """Add rows."""
        self.count += len(row_digests)
        self._value = reduce(xor, [int(row_digest, 16) for row_digest in row_digests], self._value)

    def remove(self, row_digest: str | bytes) -> None:
        """Remove a row."""
        self.count -= 1
        self._value ^= int(row_digest, 16)

    def __str__(self) -> str:
        return f"{self.count} {self._value:032x}"


# ---- games -----------------------------------------------------------------------------------------------


def encode(record: GameRecord) -> list[Any]:
    """Return a game as a row of `COLUMNS`, in the types that SQLite returns: the digests depend on them."""
    job, result = record.job, record.result
    values = [
        job.number,
        *map(encodable, job.names),
        float(record.points),
        encodable(record.termination),
        encodable(record.detail),
        record.forfeited_by,
        record.utility,
        result.plies,
        *(min(nodes, MAX_INT) for nodes in result.nodes),
        *map(float, result.seconds),
        *result.move_counts,
        job.round,
        job.game_pair,
        encodable(result.opening),
        result.moves_hash,
        *map(encodable, record.versions),
        encodable(record.referee_version),
        float(record.started_at),
        float(record.seconds),
        *job_columns(job.game, job.seed, job.controls),
    ]
    return with_digests(values, [job.to_json(), _compact_json(record.moves), _compact_json(record.reports)])


def job_columns(game: str, seed: int, controls: Sequence[str]) -> list[Any]:
    """Return the columns that are copied from the job for queries in SQL."""
    return [encodable(game), seed, *map(encodable, controls)]


def with_digests(values: list[Any], content: list[str]) -> list[Any]:
    """Return a row of `COLUMNS`: result columns, digests, content columns."""
    content_digest = _content_digest(*[text.encode() for text in content])
    return [*values, content_digest, digest([*values, content_digest]), *content]


def decode_result(row: tuple[Any, ...]) -> GameResult:
    """Return the result of a row that begins with the result columns and the two digests. Raises `ValueError`."""
    if row[_RESULTS + 1] != digest_as_read(row[: _RESULTS + 1]).encode():
        raise ValueError("its digest does not match")
    values = row[:_RESULTS]
    if tuple(map(type, values)) not in _TYPES:
        wrong = next(name for name, value in zip(_RANGES, values, strict=True) if type(value) not in _RANGES[name][0])
        raise ValueError(f"{wrong} has the wrong type")
    sizes = [len(value) if type(value) is bytes else value or 0 for value in values]
    if not (all(map(le, _LOWEST, sizes)) and all(map(le, sizes, _HIGHEST))):
        bounds = zip(_RANGES, _LOWEST, sizes, _HIGHEST, strict=True)
        wrong = next(name for name, low, size, high in bounds if not low <= size <= high)
        raise ValueError(f"{wrong} is out of range")
    found: list[Any] = [value.decode() if type(value) is bytes else value for value in values]
    if found[3] not in (0.0, 0.5, 1.0):
        raise ValueError("points must be 0, 0.5 or 1")
    return GameResult(
        number=found[0],
        names=(found[1], found[2]),
        points=found[3],
        termination=found[4],
        detail=found[5],
        forfeited_by=found[6],
        utility=found[7],
        plies=found[8],
        nodes=(found[9], found[10]),
        seconds=(found[11], found[12]),
        move_counts=(found[13], found[14]),
        round=found[15],
        game_pair=found[16],
        opening=found[17],
        moves_hash=found[18],
    )


def versions_of(row: Row) -> tuple[str, str]:
    """Return the versions of both players from a row that `decode_result` accepted."""
    return row[19].decode(), row[20].decode()


def decode(row: Row, game: str) -> GameRecord:
    """Return the game of a row of `COLUMNS` that `decode_result` accepted.

    Raises
    ------
    ValueError, TypeError, KeyError, AttributeError, RecursionError
        The content is damaged, or of another game than the plan.
    """
    content = row[len(COLUMNS) - 3 :]
    if row[_RESULTS] != _content_digest(*content).encode():
        raise ValueError("the digest of its moves does not match")
    job_text, moves_text, reports_text = content
    plies = row[8]
    # Counted before parsing: lists of lists take a hundred times the memory of their text.
    if len(job_text) > _MAX_TEXT or max(moves_text.count(b","), reports_text.count(b"[") - 1) > plies:
        raise ValueError("its content is too long")
    job = GameJob.from_dict(json.loads(job_text.decode()))
    _check_job(job)
    if job.game != game:  # only the plan's game is trusted to be loaded
        raise ValueError("it is of another game than the plan")
    moves = json.loads(moves_text.decode())
    if not isinstance(moves, list) or len(moves) != plies or not _are_integers(moves):
        raise ValueError("moves must be a list of integers, one per ply")
    record = GameRecord(
        job=job,
        moves=tuple(moves),
        points=row[3],
        utility=row[7],
        termination=row[4].decode(),
        detail=row[5].decode(),
        forfeited_by=row[6],
        reports=_reports(json.loads(reports_text.decode())),
        versions=versions_of(row),
        referee_version=row[21].decode(),
        started_at=row[22],
        seconds=row[23],
    )
    if (job.number, job.round, job.game_pair) != (row[0], row[15], row[16]):
        raise ValueError("its number, round or game pair differ from its job")
    if tuple(map(encodable, job.names)) != (row[1].decode(), row[2].decode()):
        raise ValueError("its players differ from its job")
    values = [value.decode() if isinstance(value, bytes) else value for value in row[24:28]]
    if values != job_columns(job.game, job.seed, job.controls):
        raise ValueError("its game, seed or clocks differ from its job")
    return record


def _check_job(job: GameJob) -> None:
    texts = (job.game, job.start, job.adjudication)
    pairs = (job.players, job.names, job.controls)
    numbers = (job.number, job.seed, job.max_plies, job.round, job.game_pair)
    if not all(isinstance(text, str) for text in texts) or not _are_integers(numbers):
        raise ValueError("its job has a field of the wrong type")
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2 or not all(isinstance(text, str) for text in pair):
            raise ValueError("its job must have two players, names and controls")
    if not isinstance(job.opening, tuple) or not _are_integers(job.opening):
        raise ValueError("its opening must be a list of integers")


def _reports(data: Any) -> tuple[MoveReport, ...]:
    if not data:
        return ()
    players, seconds, nodes, depths, scores = zip(*data, strict=True)
    if not (
        _are_integers((*players, *nodes, *depths))
        and set(players) <= {-1, 0, 1}
        and set(map(type, seconds)) <= {int, float}
        and min(seconds) >= 0
        and sum(seconds) <= _MAX_SECONDS  # false if any is NaN
        and set(map(type, scores)) <= {int, NoneType}
    ):
        raise ValueError("a move report is invalid")
    return tuple(map(partial(tuple.__new__, MoveReport), data))


def _are_integers(values: Iterable[Any]) -> bool:
    return set(map(type, values)) <= {int}  # not bool


def encodable(text: str) -> str:
    """Return a text that SQLite accepts: the output of a program need not be valid Unicode."""
    return text.encode("utf-8", "backslashreplace").decode()


def named(number: object) -> str:
    """Return a game number for a message; a damaged file may hold anything in its place."""
    return f"game {number}" if isinstance(number, int) else f"game {quoted(str(number))}"
