"""The user's folders. Not every user has one: containers run as users without HOME and without a home directory."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from zermelo.errors import FileError


def user_folder(variable: str, usual: Callable[[], str]) -> Path:
    """Return the folder that an environment variable names, or the usual one. It need not exist.

    Parameters
    ----------
    variable : str
        Name of the environment variable.
    usual : callable
        A function of `platformdirs`, called without arguments.

    Raises
    ------
    FileError
        The variable is not set and the user has no home directory.
    """
    chosen = os.environ.get(variable)
    if chosen:
        return Path(chosen)
    try:
        path = Path(usual())
    except RuntimeError:  # from newer versions of platformdirs; older ones return a path that begins with ~
        path = Path()
    if not path.is_absolute():
        raise FileError(f"this user has no home directory; set HOME or {variable} to a folder")
    return path
