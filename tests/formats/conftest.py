"""Fixtures of the tests of formats: reading and writing texts."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import NamedTuple

import pytest

from zermelo.errors import FormatError
from zermelo.formats.line_reader import read_lines
from zermelo.formats.record import Record
from zermelo.formats.registry import get_format
from zermelo.registry import load


class Read(NamedTuple):
    games: list[Record]
    lost: list[FormatError]


Reads = Callable[..., Read]


@pytest.fixture
def read() -> Reads:
    """Read a text in a format of a game; return the games and the errors."""

    def reads(game: str, form: str, text: str | bytes) -> Read:
        lost: list[FormatError] = []
        data = text.encode() if isinstance(text, str) else text
        return Read(list(get_format(load(game), form).read(read_lines(io.BytesIO(data)), lost.append)), lost)

    return reads


@pytest.fixture
def written() -> Callable[..., str]:
    """Return a game as text in a format."""
    return lambda game, form, record: get_format(load(game), form).write(record)
