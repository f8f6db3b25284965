"""Where runs are kept whose store nobody named, and which runs were begun here."""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from pathlib import Path

import platformdirs

from zermelo.errors import FileError

#: How names of stores end.
SUFFIX = ".zermelo"
#: A folder with an empty file for each run that has something from outside executed, and was begun here.
BEGUN = "begun-here"


def folder() -> Path:
    """`$ZERMELO_RUNS_DIR`, or the user's folder for what programs keep."""
    chosen = os.environ.get("ZERMELO_RUNS_DIR")
    return Path(chosen) if chosen else Path(platformdirs.user_data_dir("zermelo")) / "runs"


def new_place(title: str) -> Path:
    """A file for a run that begins now; there is none of that name yet. Raises `FileError`."""
    kept = "".join(letter if letter.isalnum() else "-" for letter in title)[:40].strip("-") or "run"
    begun = time.strftime("%Y-%m-%d-%H%M%S")
    place = folder()
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{place}: {error.strerror}; runs are kept there, or where --store says") from None
    names = (f"{begun}-{kept}{more}{SUFFIX}" for more in ("", *(f"-{number}" for number in range(2, 1000))))
    return next(place / name for name in names if not (place / name).exists())


def remember(run: str) -> None:
    """A run was begun here: `run` is a digest that only its store has. Where that cannot be kept it is not known."""
    with suppress(OSError):
        (folder() / BEGUN).mkdir(parents=True, exist_ok=True)
        (folder() / BEGUN / run).touch(mode=0o600)


def was_begun_here(run: str) -> bool:
    """Whether `remember` was told of a run."""
    return re.fullmatch("[0-9a-f]{32,}", run) is not None and (folder() / BEGUN / run).is_file()


def latest() -> Path:
    """The run that was begun last of those whose store nobody named. Raises `FileError` where there is none."""
    runs = sorted(folder().glob(f"*{SUFFIX}"))
    if not runs:
        raise FileError(f"there is no run in {folder()}; name the file: zermelo resume FILE")
    return runs[-1]
