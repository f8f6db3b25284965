"""Games by name: those of this package, those of installed packages, and those in files.

A game is named by

- an entry point of the group `zermelo.games`, such as `othello`;
- a path: `path/to/nim.py:Nim`, or `path/to/nim.py` if the file defines one game only.
"""

from __future__ import annotations

import copyreg
import hashlib
import importlib.util
import os
import sys
import traceback
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any

from zermelo._util.text import did_you_mean
from zermelo._util.user_files import read_bytes, shown_path
from zermelo.core.game import MAX, MIN, State
from zermelo.core.value import ValueType
from zermelo.errors import GameError, UnknownGame, ZermeloError

GROUP = "zermelo.games"
#: Maximum size of a game's file, in bytes.
MAX_FILE_SIZE = 10_000_000
#: Titles of the package's games whose name differs, as on their pages in the documentation.
_TITLES = {
    "bridge-play": "Bridge with hidden hands",
    "connect4": "Connect Four",
    "go19": "Go on larger boards",
    "kuhn": "Kuhn poker",
    "leduc": "Leduc hold'em",
    "liarsdice": "Liar's dice",
    "othello10": "Othello on 10 x 10",
    "othello6": "Othello on 6 x 6 and 4 x 4",
    "pennies": "The pennies game",
    "phantom-tictactoe": "Phantom tic-tac-toe",
    "property": "The property game (Monopoly)",
    "river": "River hold'em",
    "tictactoe": "Tic-tac-toe",
}


@cache
def _entries() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name)}


def names() -> list[str]:
    """List the names of all installed games, sorted."""
    return list(_entries())


def path_of(name: str) -> str:
    """Return the path in the name of a game in a file; empty for an installed game."""
    path, colon, _ = name.rpartition(":")
    if colon and path.endswith(".py"):
        return path
    return name if name.endswith(".py") else ""


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
    path = path_of(name)
    if path:
        return _from_file(Path(path), name[len(path) + 1 :])
    if name in _registered:
        return _registered[name]
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


_registered: dict[str, type[State]] = {}


def name_of(game: type[State]) -> str:
    """Return a name under which `load` finds a game.

    Returns
    -------
    str
        The name of an installed game, `path/to/file.py:ClassName` of one that was loaded from a file, or else
        `class:ClassName`, which is valid in this process only.
    """
    for name, entry in _entries().items():
        if entry.value == f"{game.__module__}:{game.__qualname__}":
            return name
    for path, (_, module) in _files.items():
        if module.__name__ == game.__module__:
            return f"{path}:{game.__qualname__}"
    name = f"class:{game.__qualname__}"
    _registered[name] = game
    return name


def title(name: str) -> str:
    """Return the title of an installed game for people; any other name as it is."""
    return _TITLES.get(name) or (name[:1].upper() + name[1:] if name in _entries() else name)


def describe(game: type[State]) -> dict[str, Any]:
    """Describe a game as plain data: its docstring's first line, players, evaluations and facts, and its origin."""
    start = game.start()
    facts = ["chance" if game.has_chance else "deterministic"]
    facts.append("perfect information" if game.perfect_information else "imperfect information")
    facts.append("win, draw or loss" if game.max_utility == 1 else f"results up to {game.max_utility}")
    hooks = {
        "has_tactical_moves": "quiescence",
        "has_move_score": "move ordering",
        "has_endgame_solver": "exact endgames",
        "has_bounds": "bounds of the result",
        "has_ranked_bounds": "bounds of the distance to a win",
    }
    facts += [text for hook, text in hooks.items() if getattr(game, hook)]
    if game.max_level:
        facts.append(f"levels 1 to {game.max_level}")
    package = game.__module__.partition(".")[0]
    is_file = any(module.__name__ == game.__module__ for _, module in _files.values())
    source = "file" if is_file else "built in" if package == "zermelo" else f"package {package}"
    return {
        "about": (game.__doc__ or game.__name__).strip().splitlines()[0],
        "players": [start.player_name(MAX), start.player_name(MIN)],
        "evaluations": list(game.evaluations),
        "facts": facts,
        "chance": game.has_chance,
        "perfect_information": game.perfect_information,
        "max_utility": game.max_utility,
        "source": source,
    }


def _checked(found: object, name: str) -> type[State]:
    if isinstance(found, type) and issubclass(found, State):
        return found
    raise GameError(f"{name}: {getattr(found, '__name__', repr(found))} is not a game; decorate the class with @game")


_files: dict[Path, tuple[str, ModuleType]] = {}


def _from_file(path: Path, class_name: str) -> type[State]:
    source = _read(path)
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
    if not games:
        raise GameError(f"game file {path} defines no game; {_instead_of_games(path, module)}")
    if len(games) != 1:
        raise GameError(f"game file {path}: name the class, {path}:ClassName; games in it: {known}")
    return next(iter(games.values()))


def _instead_of_games(path: Path, module: ModuleType) -> str:
    """What to do about a file without a game of its own: decorate a class, or name a game that the file imports."""
    classes = {name: each for name, each in vars(module).items() if isinstance(each, type)}
    undecorated = [
        name
        for name, each in classes.items()
        if each.__module__ == module.__name__ and hasattr(each, "moves") and hasattr(each, "play")
    ]
    if undecorated:
        return f"decorate the class {' or '.join(undecorated)} with @game (from zermelo import game)"
    imported = [name for name, each in classes.items() if issubclass(each, State) and each is not State]
    if imported:
        return f"it imports {', '.join(imported)}; name the class: {' or '.join(f'{path}:{name}' for name in imported)}"
    return "write a class with the decorator @game (from zermelo import game)"


def _read(path: Path) -> bytes:
    return read_bytes(path, MAX_FILE_SIZE, label=f"game file {shown_path(path)}")


def _module(path: Path, source: bytes) -> ModuleType:
    """The file as a module, imported once, and again after it has changed."""
    digest = hashlib.blake2b(source, digest_size=8).hexdigest()
    if path in _files and _files[path][0] == digest:
        return _files[path][1]
    stem = "".join(letter for letter in path.stem if letter.isprintable())  # a file name may not be text
    name = f"zermelo_file_{hashlib.blake2b(os.fsencode(path), digest_size=4).hexdigest()}_{stem}"
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
    trace = traceback.walk_tb(error.__traceback__)
    lines = [line for frame, line in trace if path and frame.f_code.co_filename == str(path)]
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
    return attrgetter(qualname)(_module(Path(path), _read(Path(path))))


copyreg.pickle(ValueType, _reduce_class)  # type: ignore[arg-type]
