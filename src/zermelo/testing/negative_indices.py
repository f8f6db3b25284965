"""Negative indices into the weights of an evaluation: `weights[-3]` is a mistake more often than meant.

Python and compiled code both count such an index from the end of the array, so that a wrong feature changes scores
without an error.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

from zermelo.core.evaluation import Evaluation

E = TypeVar("E", bound=Evaluation)


class _Watched(np.ndarray[Any, np.dtype[Any]]):
    """Weights that remember the first negative index; their slices and rows do too."""

    field = ""
    seen: dict[str, int]

    def __array_finalize__(self, source: Any) -> None:
        self.field, self.seen = getattr(source, "field", ""), getattr(source, "seen", {})

    def __getitem__(self, index: Any) -> Any:
        for each in index if isinstance(index, tuple) else (index,):
            if isinstance(each, int | np.integer) and each < 0:
                self.seen.setdefault(self.field, int(each))
        return super().__getitem__(index)


def watched(evaluation: E, seen: dict[str, int]) -> E:
    """Return an evaluation with the same weights, which notes each field's first negative index in `seen`."""
    items = []
    for field, value in zip(type(evaluation).fields, evaluation, strict=True):
        if isinstance(value, np.ndarray):
            weights = value.view(_Watched)
            weights.field, weights.seen = field.name, seen
            value = weights
        items.append(value)
    return tuple.__new__(type(evaluation), items)
