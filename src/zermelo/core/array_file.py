"""Named arrays in one checked file: the form of weight files and position files.

All numbers are little-endian:

    offset  bytes
    0       8      magic
    8       4      version
    12      4      length of the header
    16      ...    header: JSON in UTF-8, keys in order, padded with blanks to a multiple of 64 bytes from the beginning
    ...     ...    the arrays, in C order, each padded with zeros to a multiple of 64 bytes
    -32     32     checksum: BLAKE2b (256 bits) of all bytes before

The header is an object; its "arrays" is a list of objects with "name", "dtype" (int8, int16, int32, int64 or float32)
and "shape". The same header and arrays give the same bytes.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
from typing import TYPE_CHECKING, Any, NamedTuple

from zermelo.core.value import Value
from zermelo.errors import FormatError

if TYPE_CHECKING:
    import numpy as np

_HEAD = struct.Struct("<8sII")
_ALIGNMENT = 64
_CHECKSUM = 32
_TYPES = ("int8", "int16", "int32", "int64", "float32")


class Kind(NamedTuple):
    """A kind of file."""

    magic: bytes
    version: int
    #: How messages name it, "weight file".
    name: str
    #: The keys of the header with a text.
    texts: tuple[str, ...]


class Provenance(NamedTuple):
    """How a file was made."""

    #: The command that made it.
    command: str = ""
    #: The seed of its random numbers.
    seed: int | None = None
    #: The digest of the data that it was made from.
    data: str = ""


UNKNOWN = Provenance()


def described(cls: type[Value]) -> list[tuple[str, str]]:
    """The names and types of the fields of a class, for fingerprints: the same on all machines and Pythons."""
    return [(field.name, str(field)) for field in cls.fields]


def pack(kind: Kind, header: dict[str, Any], arrays: dict[str, np.ndarray[Any, Any]]) -> bytes:
    """The content of a file. The header gets its "arrays" here."""
    shapes = [{"name": name, "dtype": str(array.dtype), "shape": array.shape} for name, array in arrays.items()]
    text = json.dumps({**header, "arrays": shapes}, sort_keys=True).encode()
    text += b" " * (-(len(text) + _HEAD.size) % _ALIGNMENT)
    parts = [_HEAD.pack(kind.magic, kind.version, len(text)), text]
    for array in arrays.values():
        raw = array.astype(array.dtype.newbyteorder("<"), copy=False).tobytes()
        parts += [raw, bytes(-len(raw) % _ALIGNMENT)]
    content = b"".join(parts)
    return content + digest(content)


def unpack(kind: Kind, content: bytes, name: str) -> tuple[dict[str, Any], dict[str, np.ndarray[Any, Any]]]:
    """The header and the arrays of a file; messages call it `name`.

    Raises
    ------
    FormatError
        If it is another kind of file, damaged, or of another version. Nothing of the file is used then.
    """
    import numpy as np

    if len(content) < _HEAD.size + _CHECKSUM or not content.startswith(kind.magic):
        article = "an" if kind.name[0] in "aeiou" else "a"
        raise FormatError(f"{name} is not {article} {kind.name}: it does not start with {kind.magic.decode()}")
    _, version, length = _HEAD.unpack_from(content)
    if version != kind.version:
        raise FormatError(
            f"{name}: {kind.name} of version {version}; this version of Zermelo reads version {kind.version}"
        )
    body, checksum = memoryview(content)[:-_CHECKSUM], content[-_CHECKSUM:]
    if digest(body) != checksum:
        raise FormatError(f"{name}: the {kind.name} is damaged (wrong checksum)")
    at = _HEAD.size + length
    try:
        header = json.loads(bytes(body[_HEAD.size : at]))
        valid = isinstance(header, dict) and all(isinstance(header.get(key), str) for key in kind.texts)
        valid = valid and (header["seed"] is None or type(header["seed"]) is int) and isinstance(header["arrays"], list)
        arrays = {}
        for item in header["arrays"] if valid else ():
            shape = tuple(item["shape"])
            valid = valid and item["dtype"] in _TYPES and all(type(size) is int and size >= 0 for size in shape)
            if not valid:
                break
            dtype = np.dtype(item["dtype"])
            end = at + math.prod(shape) * dtype.itemsize
            valid = end <= len(body) and isinstance(item["name"], str)
            if not valid:
                break
            raw = np.frombuffer(body[at:end], dtype.newbyteorder("<"))
            arrays[item["name"]] = raw.astype(dtype, copy=False).reshape(shape)
            at = end + -end % _ALIGNMENT
    except (ValueError, KeyError, TypeError, RecursionError):
        valid = False
    if not valid or at != len(body):
        raise FormatError(f"{name}: the {kind.name} has a wrong header")
    return header, arrays


def digest(content: bytes | memoryview) -> bytes:
    """The checksum of a file's content."""
    return hashlib.blake2b(content, digest_size=_CHECKSUM).digest()
