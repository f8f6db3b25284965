"""Weight files: the arrays of an evaluation, with the command that made them, in one checked file.

All numbers are little-endian:

    offset  bytes
    0       8      magic: "ZERMELOW"
    8       4      version: 1
    12      4      length of the header
    16      ...    header: JSON in UTF-8, keys in order, padded with blanks to a multiple of 64 bytes from the beginning
    ...     ...    the arrays, in C order, each padded with zeros to a multiple of 64 bytes
    -32     32     checksum: BLAKE2b (256 bits) of all bytes before

The header is an object with the texts "game", "evaluation" and "fingerprint", the provenance "command" (text), "seed"
(int or null) and "data" (text: the digest of the training data), and "arrays": a list of objects with "name", "dtype"
(int8, int16, int32, int64 or float32) and "shape".

The fingerprint covers what gives the numbers their meaning: the names of the game and the evaluation, the fields of
their classes, and the evaluation's constants (patterns, stages, sizes). It is the same on all machines and Pythons.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import struct
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from zermelo._util import atomic_files
from zermelo._util.text import quoted
from zermelo._util.user_files import read_bytes, shown_path
from zermelo.core.evaluation import Evaluation
from zermelo.core.game import State
from zermelo.core.value import Value, is_constant
from zermelo.errors import FormatError, GameError

if TYPE_CHECKING:
    import numpy as np

E = TypeVar("E", bound=Evaluation)

MAGIC = b"ZERMELOW"
VERSION = 1
#: The largest file that is read.
MAX_BYTES = 1 << 28
_HEAD = struct.Struct("<8sII")
_ALIGNMENT = 64
_CHECKSUM = 32
_TYPES = ("int8", "int16", "int32", "int64", "float32")
_TEXTS = ("game", "evaluation", "fingerprint", "command", "data")


class Provenance(NamedTuple):
    """How weights were made."""

    #: The command that made them.
    command: str = ""
    #: The seed of its random numbers.
    seed: int | None = None
    #: The digest of the data that they were fitted to.
    data: str = ""


UNKNOWN = Provenance()


def save_weights(
    path: str | PathLike[str], game: type[State], evaluation: Evaluation, made: Provenance = UNKNOWN
) -> None:
    """Write the arrays of an evaluation to a file; the same arguments give the same bytes.

    Raises
    ------
    FileError
        If the file cannot be written. An older file of that name is then unchanged.
    """
    atomic_files.write(os.fspath(path), to_bytes(game, evaluation, made))


def load_weights(path: str | PathLike[str], game: type[State], evaluation: type[E]) -> tuple[E, Provenance]:
    """Read an evaluation from a file.

    Parameters
    ----------
    path
        The file.
    game
        The game that the weights are for.
    evaluation
        The class of the evaluation.

    Returns
    -------
    Evaluation
        A value of the class.
    Provenance
        How its weights were made.

    Raises
    ------
    FileError
        If the file cannot be read.
    FormatError
        If it is not a weight file, is damaged, has another version, or was made for another game or evaluation, or for
        an evaluation that has been changed since. Nothing of the file is used then.
    """
    name = shown_path(path)
    return from_bytes(read_bytes(path, MAX_BYTES), game, evaluation, name)


def fingerprint(game: type[State], evaluation: type[Evaluation]) -> str:
    """Hash what gives the numbers of a weight file their meaning, as 32 hexadecimal digits."""
    constants = {
        name: repr(value)
        for base in reversed(evaluation.__mro__)
        if issubclass(base, Value)
        for name, value in vars(base).items()
        if not name.startswith("_") and is_constant(value)
    }
    content = [
        game.__name__, [list(map(str, field)) for field in _described(game)],
        evaluation.__name__, [list(map(str, field)) for field in _described(evaluation)], sorted(constants.items()),
    ]  # fmt: skip
    return hashlib.blake2b(json.dumps(content).encode(), digest_size=16).hexdigest()


def _described(cls: type[Value]) -> list[tuple[str, str]]:
    return [(field.name, str(field)) for field in cls.fields]


def to_bytes(game: type[State], evaluation: Evaluation, made: Provenance = UNKNOWN) -> bytes:
    """The content of the weight file of an evaluation."""
    arrays = evaluation.weight_arrays()
    header = {
        "game": game.__name__,
        "evaluation": type(evaluation).__name__,
        "fingerprint": fingerprint(game, type(evaluation)),
        **made._asdict(),
        "arrays": [{"name": name, "dtype": str(array.dtype), "shape": array.shape} for name, array in arrays.items()],
    }
    text = json.dumps(header, sort_keys=True).encode()
    text += b" " * (-(len(text) + _HEAD.size) % _ALIGNMENT)
    parts = [_HEAD.pack(MAGIC, VERSION, len(text)), text]
    for array in arrays.values():
        raw = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
        parts += [raw, bytes(-len(raw) % _ALIGNMENT)]
    content = b"".join(parts)
    return content + _digest(content)


def from_bytes(content: bytes, game: type[State], evaluation: type[E], name: str) -> tuple[E, Provenance]:
    """Read the content of a weight file; messages call it `name`. Raises `FormatError` as `load_weights`."""
    header, arrays = _parse(content, name)
    for key, wanted in (("game", game.__name__), ("evaluation", evaluation.__name__)):
        if header[key] != wanted:
            raise FormatError(f"{name}: these weights are for the {key} {quoted(header[key])}, not {wanted}")
    if header["fingerprint"] != fingerprint(game, evaluation):
        raise FormatError(
            f"{name}: {evaluation.__name__} or {game.__name__} has been changed since these weights were made; "
            + (f"make them again with {header['command'][:200]!r}" if header["command"] else "make them again")
        )
    try:
        made = evaluation.from_weight_arrays(arrays)
    except GameError as error:
        raise FormatError(f"{name}: {error}") from None
    return made, Provenance(header["command"], header["seed"], header["data"])


def _parse(content: bytes, name: str) -> tuple[dict[str, Any], dict[str, np.ndarray[Any, Any]]]:
    """The header and the arrays of a weight file."""
    import numpy as np

    if len(content) < _HEAD.size + _CHECKSUM or not content.startswith(MAGIC):
        raise FormatError(f"{name} is not a weight file: it does not start with {MAGIC.decode()}")
    _, version, length = _HEAD.unpack_from(content)
    if version != VERSION:
        raise FormatError(f"{name}: weight file of version {version}; this version of Zermelo reads version {VERSION}")
    body, checksum = memoryview(content)[:-_CHECKSUM], content[-_CHECKSUM:]
    if _digest(body) != checksum:
        raise FormatError(f"{name}: the weight file is damaged (wrong checksum)")
    at = _HEAD.size + length
    try:
        header = json.loads(bytes(body[_HEAD.size : at]))
        valid = isinstance(header, dict) and all(isinstance(header.get(key), str) for key in _TEXTS)
        valid = valid and (header["seed"] is None or type(header["seed"]) is int) and isinstance(header["arrays"], list)
        arrays = {}
        for item in header["arrays"] if valid else ():
            shape = tuple(item["shape"])
            valid = valid and item["dtype"] in _TYPES and all(type(size) is int and size >= 0 for size in shape)
            if not valid:
                break
            kind = np.dtype(item["dtype"])
            end = at + math.prod(shape) * kind.itemsize
            valid = end <= len(body) and isinstance(item["name"], str)
            if not valid:
                break
            raw = np.frombuffer(body[at:end], kind.newbyteorder("<"))
            arrays[item["name"]] = raw.astype(kind, copy=False).reshape(shape)
            at = end + -end % _ALIGNMENT
    except (ValueError, KeyError, TypeError, RecursionError):
        valid = False
    if not valid or at != len(body):
        raise FormatError(f"{name}: the weight file has a wrong header")
    return header, arrays


def _digest(content: bytes | memoryview) -> bytes:
    return hashlib.blake2b(content, digest_size=_CHECKSUM).digest()
