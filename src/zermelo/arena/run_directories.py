"""The directory of stores without a name of their own, and the record of runs that were started on this machine."""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from pathlib import Path

import platformdirs

from zermelo._util.user_folders import user_folder
from zermelo.errors import FileError

#: File name extension of stores.
SUFFIX = ".zermelo"
#: Directory with an empty file per run that executes external programs and was started here.
STARTED_HERE = "started-here"
_OLD_STARTED_HERE = "begun-here"


def runs_directory() -> Path:
    """Return `$ZERMELO_RUNS_DIR`, or `runs` in the user's data directory. Raises `FileError` if there is neither."""
    return user_folder("ZERMELO_RUNS_DIR", lambda: os.path.join(platformdirs.user_data_dir("zermelo"), "runs"))


def new_store_path(title: str) -> Path:
    """Return an unused path for the store of a new run, named by the time and the title. Raises `FileError`."""
    slug = "".join(letter if letter.isalnum() else "-" for letter in title)[:40].strip("-") or "run"
    now = time.strftime("%Y-%m-%d-%H%M%S")
    try:
        directory = runs_directory()
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = f"cannot create {error.filename}: {error.strerror}" if error.strerror else str(error)
        raise FileError(f"{reason}; choose a file with --store") from None
    names = (f"{now}-{slug}{suffix}{SUFFIX}" for suffix in ("", *(f"-{number}" for number in range(2, 1000))))
    return next(directory / name for name in names if not (directory / name).exists())


def register_run(run_id: str) -> None:
    """Record that a run was started here. If the record cannot be written, resuming needs `--trust`.

    Parameters
    ----------
    run_id : str
        A digest that only the run's store has.
    """
    with suppress(OSError):
        (runs_directory() / STARTED_HERE).mkdir(parents=True, exist_ok=True)
        (runs_directory() / STARTED_HERE / run_id).touch(mode=0o600)


def was_started_here(run_id: str) -> bool:
    """Return whether a run was registered with `register_run`, also by older versions."""
    if re.fullmatch("[0-9a-f]{32,}", run_id) is None:
        return False
    with suppress(OSError):
        return any((runs_directory() / name / run_id).is_file() for name in (STARTED_HERE, _OLD_STARTED_HERE))
    return False


def latest_store() -> Path:
    """Return the most recent store in `runs_directory`. Raises `FileError` if there is none."""
    stores = sorted(runs_directory().glob(f"*{SUFFIX}"))
    if not stores:
        raise FileError(f"no store in {runs_directory()}; name the file: zermelo resume FILE")
    return stores[-1]
