"""Data files of the package: a line with their kind, version and checksum, and compressed bytes."""

from __future__ import annotations

import hashlib
import zlib

from zermelo.errors import FileError


def pack(magic: bytes, data: bytes) -> bytes:
    """Return the content of a file."""
    content = zlib.compress(data, 9)
    return magic + hashlib.sha256(content).hexdigest().encode() + b"\n" + content


def unpack(magic: bytes, content: bytes, label: str) -> bytes:
    """Return the data of a file. Raises `FileError` if it is of another kind or version, or damaged."""
    head, _, rest = content.partition(b"\n")
    if head != magic + hashlib.sha256(rest).hexdigest().encode():
        raise FileError(f"{label}: not a file that starts with {magic.decode()}or damaged; install zermelo again")
    return zlib.decompress(rest)
