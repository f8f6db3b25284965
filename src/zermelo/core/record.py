"""Mutable records: one block of 64-bit words with named fields, the same memory in interpreted and compiled code.

    class Counters(Record):
        nodes: int = 1  # words are zero at first, unless a default is given
        stopped: bool
        killers: Words = words(504)

Fields lie in memory in the order of their declaration, one word for each `int` or `bool` and `n` words for
`words(n)`. Interpreted code reads and writes them through properties; in compiled code (`zermelo.compiled.records`) a
record is a pointer to its memory and a field a fixed offset.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from typing import Any, ClassVar, NamedTuple, TypeAlias

#: The type of an array field: a fixed number of signed 64-bit integers.
Words: TypeAlias = MutableSequence[int]


class _Length(int):
    """The length of an array field, as declared in the class body."""


def words(length: int) -> Any:
    """Declare an array field of `length` words in the body of a `Record` class."""
    return _Length(length)


class RecordField(NamedTuple):
    """One field: its type (`int`, `bool` or `Words`), its offset and its length, both in words."""

    kind: Any
    offset: int
    length: int


class Record:
    """Base class of mutable records; see the module's description. All words are zero at first."""

    __slots__ = ("_arrays", "_memory", "_words")

    record_fields: ClassVar[dict[str, RecordField]] = {}
    record_size: ClassVar[int] = 0
    #: The defaults of fields that have one, by name.
    record_defaults: ClassVar[dict[str, int]] = {}

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.record_fields, offset = {}, 0
        cls.record_defaults = {}
        for name, annotation in cls.__annotations__.items():
            kind = {"int": int, "bool": bool, "Words": Words}.get(annotation, annotation)
            length = int(vars(cls)[name]) if kind == Words else 1
            if kind != Words and name in vars(cls):
                cls.record_defaults[name] = int(vars(cls)[name])
            cls.record_fields[name] = RecordField(kind, offset, length)
            setattr(cls, name, _array(name) if kind == Words else _word(offset, kind))
            offset += length
        cls.record_size = offset

    def __init__(self) -> None:
        import numpy as np

        self._memory = np.zeros(self.record_size, np.int64)
        self._words = memoryview(self._memory.data)
        self._arrays = {
            name: self._words[field.offset : field.offset + field.length]
            for name, field in self.record_fields.items()
            if field.kind == Words
        }
        for name, value in self.record_defaults.items():
            setattr(self, name, value)

    @property
    def address(self) -> int:
        """The address of the first word. The record must stay alive while the address is in use."""
        return int(self._memory.ctypes.data)

    def fill(self, name: str, value: int) -> None:
        """Set all words of an array field."""
        field = self.record_fields[name]
        self._memory[field.offset : field.offset + field.length] = value


def _word(offset: int, kind: Any) -> property:
    def read(record: Record) -> Any:
        return kind(record._words[offset])

    def write(record: Record, value: Any) -> None:
        record._words[offset] = int(value)

    return property(read, write)


def _array(name: str) -> property:
    return property(lambda record: record._arrays[name])
