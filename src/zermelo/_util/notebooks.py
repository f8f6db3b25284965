"""Display in notebooks: `ShowsWidget`, and `mimebundle` for classes that cannot inherit it."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def mimebundle(self: object, include: object = None, exclude: object = None) -> dict[str, Any]:
    """The `_repr_mimebundle_` of an object: a widget where anywidget is installed, and the picture or table."""
    # Loaded by name: widgets are far above the objects that they show.
    found: dict[str, Any] = import_module("zermelo.interactive.notebook").mimebundle(self)
    return found


class ShowsWidget:
    """Mixin: show the object in notebooks as `zermelo.widget` does."""

    __slots__ = ()
    _repr_mimebundle_ = mimebundle
