"""Hints for the compiler of hot code. Interpreted, they change nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def inline(function: F) -> F:
    """Mark a function to be inlined wherever compiled code calls it; for parts of a hot function with one caller."""
    function.is_inlined = True  # type: ignore[attr-defined]
    return function


def unlikely(condition: bool) -> bool:
    """The condition, which the compiler is to expect to be False."""
    return condition
