"""Fixtures of the tests of compiled code: fresh processes, a cache folder, and the announcements."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from zermelo.compiled import cache

# The functions that a fresh process may call, on the game in the file `nim.py` of its folder.
DRIVER = """
import json, sys
from zermelo.compiled import native
from zermelo.registry import load
from zermelo.search.compiled_textbook import compiled_textbook, perft

Nim = load("nim.py")
module = sys.modules[Nim.__module__]

def score_of(evaluation, state):
    return evaluation.score(state)

def scored(evaluation, state):
    return native(score_of, evaluation, state)(evaluation, state)

def call(function, *arguments):
    return native(function, *arguments)(*arguments)

print(json.dumps(eval(sys.argv[1]), default=int))  # NumPy's numbers are unknown to JSON
"""


class Ran(NamedTuple):
    """The result of a process: what it printed, and how often it announced a compilation."""

    answer: Any
    compiled: int
    notes: str


class Processes:
    """A folder of files, and fresh Python processes in it with one cache folder."""

    def __init__(self, folder: Path, cache_folder: Path) -> None:
        self.folder = folder
        self.cache = cache_folder
        self.write("driver.py", DRIVER)

    def write(self, name: str, source: str) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / name).write_text(textwrap.dedent(source), encoding="utf-8")

    def edit(self, name: str, old: str, new: str) -> None:
        source = (self.folder / name).read_text(encoding="utf-8")
        assert source.count(old) == 1, (old, source)
        (self.folder / name).write_text(source.replace(old, new), encoding="utf-8")
        # Python recognises its own compiled files by size and second: an edit within a second must not look like none.
        shutil.rmtree(self.folder / "__pycache__", ignore_errors=True)

    def start(self, expression: str, **environment: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "driver.py", expression],
            cwd=self.folder,
            env={**os.environ, "ZERMELO_CACHE_DIR": str(self.cache), **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def end(self, process: subprocess.Popen[str]) -> Ran:
        out, notes = process.communicate(timeout=100)
        assert process.returncode == 0, f"exit status {process.returncode}\n{notes}"
        return Ran(json.loads(out), notes.count("zermelo: compiling"), notes)

    def run(self, expression: str, **environment: str) -> Ran:
        return self.end(self.start(expression, **environment))

    def suffixes(self) -> set[str]:
        return {path.suffix for path in self.cache.iterdir()}


NIM = """
    from helpers import most
    import helpers
    from zermelo import MAX, Weights, evaluation, game

    SIZES = (1, 2, 3)


    @evaluation
    class Weighed:
        weights: Weights

        def score(self, state):
            return self.weights[state.heap] + helpers.BONUS


    @game
    class Nim:
        '''One heap.'''

        heap: int = 5
        turn: int = MAX

        STEP = 1

        def to_move(self):
            return self.turn

        def moves(self):
            for take in SIZES:
                if take <= most(self.heap):
                    yield take

        def play(self, take):
            return Nim(self.heap - take * self.STEP, -self.turn)

        def is_over(self):
            return self.heap <= 0

        def utility(self):
            return -self.turn

        def board(self):
            return "a heap of " + str(self.heap)
"""
HELPERS = """
    BONUS = 100


    def most(heap):
        '''The largest heap that can be taken.'''
        return min(3, heap)
"""


def _nim(folder: Path, cache_folder: Path) -> Processes:
    processes = Processes(folder, cache_folder)
    processes.write("nim.py", NIM)
    processes.write("helpers.py", HELPERS)
    return processes


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("shared")


@pytest.fixture
def nim(shared: Path) -> Processes:
    """Nim in files, in a folder and with a cache that the tests share."""
    return _nim(shared / "nim", shared / "cache")


@pytest.fixture
def cold(tmp_path: Path) -> Processes:
    """Nim in files, with an empty cache folder of its own."""
    return _nim(tmp_path / "nim", tmp_path / "cache")


@pytest.fixture
def cache_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder for this process."""
    monkeypatch.setenv("ZERMELO_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def announced(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The announcements of this process from here on."""
    texts: list[str] = []
    monkeypatch.setattr(cache, "listener", texts.append)
    return texts


@pytest.fixture
def fresh() -> Callable[[str, str], Any]:
    """Makes a function from source, a new one at each call, which Numba has not compiled yet."""

    def made(source: str, name: str) -> Any:
        scope: dict[str, Any] = {"__name__": "fresh"}
        exec(compile(textwrap.dedent(source), "fresh.py", "exec", dont_inherit=True), scope)
        return scope[name]

    return made
