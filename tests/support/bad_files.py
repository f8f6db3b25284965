"""Files that nobody chose: what a user's folder or option may hold instead of a readable text file."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

#: Seconds after which a command that waits for a file has hung.
PATIENCE = 60

#: The kinds of `make_bad_files` and what the message about each says.
REASONS = {
    "fifo": "not a regular file but a FIFO",
    "socket": "not a regular file but a socket",
    "device": "not a regular file but a device",
    "dangling": "a link to a file that does not exist",
    "circle": "Too many levels of symbolic links",
    "folder": "is a directory, not a file",
    "large": "file too large: expected at most",
    "private": "Permission denied",
}


def make_bad_files(folder: Path, suffix: str) -> dict[str, Path]:
    """Create a file of each kind in `REASONS`, NAME + suffix; kinds that this user cannot make are left out."""
    files = {name: folder / f"{name}{suffix}" for name in REASONS}
    os.mkfifo(files["fifo"])
    here = Path.cwd()
    with socket.socket(socket.AF_UNIX) as listener:
        os.chdir(folder)  # the path of a socket has at most 107 bytes
        try:
            listener.bind(files["socket"].name)
        finally:
            os.chdir(here)
    files["device"].symlink_to("/dev/zero")
    files["dangling"].symlink_to("nowhere")
    files["circle"].symlink_to(files["circle"].name)
    files["folder"].mkdir()
    with files["large"].open("wb") as file:
        file.truncate(1 << 40)  # sparse: takes no space
    files["private"].write_text("")
    files["private"].chmod(0)
    if os.access(files["private"], os.R_OK):  # root
        files.pop("private").unlink()
    return files


def run_guarded(*words: str, folder: Path, environment: Mapping[str, str] | None = None) -> tuple[int, str, str]:
    """Run `zermelo` in a process of its own, which a hang cannot outlive."""
    command = [sys.executable, "-c", "import sys; from zermelo.cli import main; sys.exit(main())", *words]
    done = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=PATIENCE,
        check=False,
    )
    return done.returncode, done.stdout.decode(), done.stderr.decode()
