"""Changed copies of tuples, the fields of states that hold a row of cells.

    self.replace(heaps=replaced(self.heaps, index, 0))      # one item

    pits = as_list(self.pits)                               # several
    pits[move] = 0
    pits[move + 1] += 1
    return self.replace(pits=pits, turn=-self.turn)

Both are compiled without memory from the heap (`zermelo.compiled.rows`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


def replaced(items: tuple[T, ...], index: int, value: T) -> tuple[T, ...]:
    """The tuple with one item replaced.

    Parameters
    ----------
    items
        A tuple of items of one type.
    index
        The place of the item, -len(items) .. len(items) - 1; a negative one counts from the end.
    value
        The new item.

    Raises
    ------
    IndexError
        If there is no such place.

    Examples
    --------
    >>> replaced((3, 5, 7), 1, 0)
    (3, 0, 7)
    """
    changed = list(items)
    changed[index] = value
    return tuple(changed)


def as_list(items: Sequence[T]) -> list[T]:
    """A list of the items of a tuple, to change several of them and then construct a state from it.

    In compiled code the list has a fixed length and lies on the stack, so that it costs no more than the tuple: its
    items are read, set and iterated over, and `len` is known; it cannot grow or shrink. It is passed to functions by
    reference, as in Python. A second name for it, `other = cells`, does not compile: copy it, `other = as_list(cells)`.

    Parameters
    ----------
    items
        A tuple, or another list made by `as_list`.

    Examples
    --------
    >>> cells = as_list((3, 5, 7))
    >>> cells[0] += 1
    >>> cells
    [4, 5, 7]
    """
    return list(items)
