"""Games by name: those of the package, those of other packages, and those in a file of one's own.

- a name: an entry point of the group `zermelo.games` (`othello`), the package's own or an installed one's;
- a path: `path/to/nim.py:Nim`, or `path/to/nim.py` where the file defines only one game.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
import traceback
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import ModuleType

from zermelo._util.text import did_you_mean
from zermelo.core.game import State
from zermelo.errors import FileError, GameError, UnknownGame, ZermeloError

GROUP = "zermelo.games"


@cache
def _entries() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name)}


def names() -> list[str]:
    """The names of all games installed, sorted."""
    return list(_entries())


def load(name: str) -> type[State]:
    """The class of a game by name or by `path/to/file.py:ClassName`.

    Raises `UnknownGame` with the nearest names, or `GameError` for a file that does not import or has no game.

    >>> load("othello").__name__
    'Othello'
    """
    path, colon, class_name = name.rpartition(":")
    if not (colon and path.endswith(".py")):
        path, class_name = (name, "") if name.endswith(".py") else ("", "")
    if path:
        return _from_file(Path(path), class_name)
    if name not in _entries():
        raise UnknownGame(
            f"unknown game {name!r}; {did_you_mean(name, names())} (or a file: path/to/game.py:ClassName)"
        )
    try:
        found = _entries()[name].load()
    except ZermeloError:
        raise
    except Exception as error:
        raise GameError(f"game {name!r} ({_entries()[name].value}) does not import: {_reason(error)}") from None
    return _checked(found, name)


def _checked(found: object, name: str) -> type[State]:
    if isinstance(found, type) and issubclass(found, State):
        return found
    raise GameError(f"{name}: {getattr(found, '__name__', repr(found))} is not a game; decorate the class with @game")


_files: dict[Path, tuple[str, ModuleType]] = {}


def _from_file(path: Path, class_name: str) -> type[State]:
    try:
        source = path.read_bytes()
    except OSError as error:
        raise FileError(f"game file {path}: {error.strerror or error}") from None
    module = _module(path.resolve(), source)
    games = {
        key: value
        for key, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, State) and value.__module__ == module.__name__
    }
    if class_name:
        found = getattr(module, class_name, None)
        if found is None:
            known = ", ".join(games) or "none"
            raise GameError(f"game file {path} has no class {class_name}; games in it: {known}")
        return _checked(found, f"{path}:{class_name}")
    if len(games) != 1:
        known = ", ".join(games) or "none"
        raise GameError(f"game file {path}: name the class, {path}:ClassName; games in it: {known}")
    return next(iter(games.values()))


def _module(path: Path, source: bytes) -> ModuleType:
    """The file as a module; imported once, and again when it has changed."""
    digest = hashlib.blake2b(source, digest_size=8).hexdigest()
    if path in _files and _files[path][0] == digest:
        return _files[path][1]
    name = f"zermelo_file_{hashlib.blake2b(str(path).encode(), digest_size=4).hexdigest()}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent))  # a game may have helpers beside it
    try:
        exec(compile(source, str(path), "exec", dont_inherit=True), vars(module))
    except GameError as error:
        del sys.modules[name]
        raise FileError(f"game file {path}: {error}") from None
    except BaseException as error:
        del sys.modules[name]
        if isinstance(error, KeyboardInterrupt):
            raise
        raise GameError(f"game file {path} does not import: {_reason(error, path)}") from None
    finally:
        sys.path.remove(str(path.parent))
    _files[path] = (digest, module)
    return module


def _reason(error: BaseException, path: Path | None = None) -> str:
    """An error in one line, with the line of the file where it happened."""
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: {error.msg}"
    lines = [
        frame.lineno for frame in traceback.extract_tb(error.__traceback__) if path and frame.filename == str(path)
    ]
    where = f"line {lines[-1]}: " if lines else ""
    return f"{where}{type(error).__name__}: {error}"
