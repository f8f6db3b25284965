"""Games by name: those of this package, those of installed packages, and those in files.

A game is named by

- an entry point of the group `zermelo.games`, such as `othello`;
- a path: `path/to/nim.py:Nim`, or `path/to/nim.py` if the file defines one game only.
"""

from __future__ import annotations

import copyreg
import hashlib
import importlib.util
import sys
import traceback
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from operator import attrgetter
from pathlib import Path
from types import ModuleType

from zermelo._util.text import did_you_mean
from zermelo.core.game import State
from zermelo.core.value import ValueType
from zermelo.errors import FileError, GameError, UnknownGame, ZermeloError

GROUP = "zermelo.games"


@cache
def _entries() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name)}


def names() -> list[str]:
    """List the names of all installed games, sorted."""
    return list(_entries())


def load(name: str) -> type[State]:
    """Load a game.

    Parameters
    ----------
    name
        The name of an installed game, or `path/to/file.py:ClassName`; without the class if the file has one game.

    Returns
    -------
    type of State
        The class of the game. A file is imported once, and again after it has changed.

    Raises
    ------
    UnknownGame
        If there is no such name; suggests similar ones.
    FileError
        If the file cannot be read.
    GameError
        If the file does not import, or does not define the game.

    Examples
    --------
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
    known = ", ".join(games) or "none"
    if class_name:
        found = getattr(module, class_name, None)
        if found is None:
            raise GameError(f"game file {path} has no class {class_name}; games in it: {known}")
        return _checked(found, f"{path}:{class_name}")
    if len(games) != 1:
        raise GameError(f"game file {path}: name the class, {path}:ClassName; games in it: {known}")
    return next(iter(games.values()))


def _module(path: Path, source: bytes) -> ModuleType:
    """The file as a module, imported once, and again after it has changed."""
    digest = hashlib.blake2b(source, digest_size=8).hexdigest()
    if path in _files and _files[path][0] == digest:
        return _files[path][1]
    name = f"zermelo_file_{hashlib.blake2b(str(path).encode(), digest_size=4).hexdigest()}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    sys.path.insert(0, str(path.parent))  # for helper modules in the same folder
    try:
        exec(compile(source, str(path), "exec", dont_inherit=True), vars(module))
    except GameError as error:
        del sys.modules[name]
        raise GameError(f"game file {path}: {error}") from None
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


# ---- pickles --------------------------------------------------------------------------------------------------
# A pickle refers to a class by its module's name. That of a file exists only where the file was loaded, so classes from
# files, and their states, are pickled by path: another process then loads the file.


def _reduce_class(cls: ValueType) -> object:
    for path, (_, module) in _files.items():
        if module.__name__ == cls.__module__:
            return _class_in_file, (str(path), cls.__qualname__)
    return cls.__qualname__


def _class_in_file(path: str, qualname: str) -> object:
    try:
        source = Path(path).read_bytes()
    except OSError as error:
        raise FileError(f"game file {path}: {error.strerror or error}") from None
    return attrgetter(qualname)(_module(Path(path), source))


copyreg.pickle(ValueType, _reduce_class)  # type: ignore[arg-type]
