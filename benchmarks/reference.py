"""C beside this file (reference.c, checkers.c), compiled where it runs and called from Python."""

from __future__ import annotations

import ctypes
import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

SOURCE = Path(__file__).with_name("reference.c")
OPTIONS = ["-O3", "-march=native", "-Wno-psabi", "-shared", "-fPIC"]


class NoCompiler(Exception):
    """There is no C compiler here, or it refuses the source."""


def compiled(source: Path) -> tuple[ctypes.CDLL, str]:
    """A file of C as a library, and the compiler's name and version."""
    compiler = shlex.split(os.environ.get("CC", "")) or next(
        ([name] for name in ("cc", "gcc", "clang") if shutil.which(name)), []
    )
    if not compiler:
        raise NoCompiler("no C compiler")
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder) / source.with_suffix(".so").name
        command = [*compiler, *OPTIONS, str(source), "-o", str(built)]
        try:
            made = subprocess.run(command, capture_output=True, text=True)
        except OSError as error:
            raise NoCompiler(f"{compiler[0]}: {error.strerror}") from None
        if made.returncode != 0:
            said = made.stderr.strip().splitlines() or ["no message"]
            raise NoCompiler(f"{compiler[0]} refuses {source.name}: {said[-1]}")
        library = ctypes.CDLL(str(built))
    version = subprocess.run([*compiler, "--version"], capture_output=True, text=True).stdout
    return library, version.partition("\n")[0]


class Reference:
    """The searches of reference.c. Each returns its value and the nodes it visited."""

    def __init__(self) -> None:
        self._library, self.compiler = compiled(SOURCE)

    def othello(self, depth: int, in_lanes: bool) -> tuple[int, int]:
        return self._call("search_othello", int(in_lanes), depth)

    def connect4(self, depth: int) -> tuple[int, int]:
        return self._call("search_connect4", depth)

    def tictactoe(self, prune: bool) -> tuple[int, int]:
        return self._call("search_tictactoe", int(prune))

    def _call(self, name: str, *arguments: int) -> tuple[int, int]:
        visited = ctypes.c_int64()
        function = getattr(self._library, name)
        value = function(*map(ctypes.c_int, arguments), ctypes.byref(visited))
        return int(value), visited.value
