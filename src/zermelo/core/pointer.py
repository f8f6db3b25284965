"""Arrays as pointers: recursive compiled code passes an address instead of a whole array descriptor.

A record (`zermelo.core.record`) can hold an address as one of its words; `load_byte` reads from it.
"""

from __future__ import annotations

from typing import Any


def as_pointer(array: Any) -> Any:
    """The array as a pointer to its first item, indexed alike. The caller must keep the array alive.

    Interpreted, it is the array itself. In compiled code it is the address alone: a function that calls itself
    then passes one word where the array's descriptor takes seven, which makes a search a third faster. Under
    `NUMBA_BOUNDSCHECK=1` it stays the array there too, so that every index is checked.
    """
    return array


def load_byte(address: int, offset: int) -> int:
    """The signed byte at an offset from an address, of an array that the caller keeps alive."""
    import ctypes

    return ctypes.c_int8.from_address(address + offset).value
