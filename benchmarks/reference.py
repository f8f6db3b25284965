"""Hand-written C (reference.c, checkers.c), compiled on this machine and called from Python."""

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


class CompilerError(Exception):
    """There is no C compiler, or it failed."""


def compile_c(source: Path) -> tuple[ctypes.CDLL, str]:
    """Compile a C file. Returns the loaded library and the compiler's name and version."""
    compiler = shlex.split(os.environ.get("CC", "")) or next(
        ([name] for name in ("cc", "gcc", "clang") if shutil.which(name)), []
    )
    if not compiler:
        raise CompilerError("C compiler not found: set CC or install cc, gcc or clang")
    with tempfile.TemporaryDirectory() as folder:
        built = Path(folder) / source.with_suffix(".so").name
        command = [*compiler, *OPTIONS, str(source), "-o", str(built)]
        try:
            completed = subprocess.run(command, capture_output=True, text=True)
        except OSError as error:
            raise CompilerError(f"{compiler[0]}: {error.strerror}") from None
        if completed.returncode != 0:
            messages = completed.stderr.strip().splitlines() or ["no message"]
            raise CompilerError(f"{compiler[0]} failed on {source.name}: {messages[-1]}")
        library = ctypes.CDLL(str(built))
    version = subprocess.run([*compiler, "--version"], capture_output=True, text=True).stdout
    return library, version.partition("\n")[0]


class Reference:
    """The searches of reference.c. Each returns the value and the number of visited nodes."""

    def __init__(self) -> None:
        self._library, self.compiler = compile_c(SOURCE)

    def othello(self, depth: int, use_vectors: bool) -> tuple[int, int]:
        return self._call("search_othello", int(use_vectors), depth)

    def connect4(self, depth: int) -> tuple[int, int]:
        return self._call("search_connect4", depth)

    def tictactoe(self, prune: bool) -> tuple[int, int]:
        return self._call("search_tictactoe", int(prune))

    def _call(self, name: str, *arguments: int) -> tuple[int, int]:
        visited = ctypes.c_int64()
        function = getattr(self._library, name)
        value = function(*map(ctypes.c_int, arguments), ctypes.byref(visited))
        return int(value), visited.value
