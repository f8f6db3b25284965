"""Commands of engines with their options and limits, `NAME=VALUE,NAME=VALUE:COMMAND`.

stockfish                                       a program found on PATH or in the system's games folders
UCI_LimitStrength=true,UCI_Elo=1350:stockfish   engine options before the command
memory=500M:gtp-rhino -l 3                      resource limits: memory, start, processor
ponder=true:stockfish                           not stopped during its opponent's turn
"""

from __future__ import annotations

import os
import re
import shlex
import shutil

from zermelo._util.text import quoted
from zermelo.errors import LimitError, UnknownGame
from zermelo.sandbox.program import ProgramLimits
from zermelo.search.table import parse_size

#: Debian's folders for games, which are often not on PATH.
GAMES_FOLDERS = ("/usr/games", "/usr/local/games")
_MAX_SPEC_LENGTH = 4_000

_OPTION = re.compile(r'([^=,:"]+)=("[^"]*"|[^,:"]*)([,:])')
#: Names of settings that are not engine options.
RESERVED = ("memory", "start", "processor", "ponder")


def read_command(text: str) -> tuple[list[tuple[str, str]], ProgramLimits, list[str]]:
    """Parse an engine spec, `NAME=VALUE,NAME=VALUE:COMMAND`.

    Quote a value that contains a comma or colon with double quotes. Put a colon before a command that looks like
    options.

    Returns
    -------
    options : list of (str, str)
        Engine options.
    limits : ProgramLimits
        Resource limits.
    command : list of str
        Path of the program, and its arguments.

    Raises
    ------
    LimitError
        The spec is malformed or a limit is out of range.
    UnknownGame
        The program was not found.
    """
    if len(text) > _MAX_SPEC_LENGTH or not text.isprintable():
        raise LimitError(f"engine spec {quoted(text)}: expected at most {_MAX_SPEC_LENGTH:,} printable characters")
    settings, place = _read_options(text)
    options = [(name, value) for name, value in settings.items() if name not in RESERVED]
    limits = {name: value for name, value in settings.items() if name in RESERVED}
    for name, value in options:
        if name.casefold() == "hash" and re.fullmatch("[0-9]{1,7}", value):  # the table comes on top of the default
            limits.setdefault("memory", str(ProgramLimits.memory + (int(value) << 20)))
    try:
        command = shlex.split(text[place:])
    except ValueError as error:
        raise LimitError(f"command {quoted(text[place:])}: {str(error).lower()}") from None
    if not command:
        raise LimitError(f"{quoted(text)}: the command is missing; expected COMMAND, as in uci:stockfish")
    return options, _limits(limits), [find_program(command[0]), *command[1:]]


def refuse_options(protocol: str, options: list[tuple[str, str]]) -> None:
    """Raise `LimitError` if a spec of a protocol without engine options has one."""
    if options:
        raise LimitError(f"{protocol}: unknown option {quoted(options[0][0])}; expected {'=, '.join(RESERVED)}=")


def _read_options(text: str) -> tuple[dict[str, str], int]:
    """Return the settings before the command, and the index where the command begins."""
    settings: dict[str, str] = {}
    place = 1 if text.startswith(":") else 0
    while not place or text[place - 1] == ",":
        found = _OPTION.match(text, place)
        if found is None:
            if settings:
                raise LimitError(f"{quoted(text[place:])}: expected NAME=VALUE,NAME=VALUE:COMMAND")
            break
        name = found[1].strip()
        if name in settings or name.casefold() in [
            each.casefold() for each in settings if {each, name}.isdisjoint(RESERVED)
        ]:
            raise LimitError(f"option {quoted(name)} is given twice")
        settings[name] = found[2].strip('"').strip()
        place = found.end()
    return settings, place


def _limits(settings: dict[str, str]) -> ProgramLimits:
    """Convert the resource limits of a spec."""
    numbers: dict[str, float] = {}
    for name, value in settings.items():
        if name == "ponder":
            continue
        if name == "memory" and len(value) < 20:
            numbers[name] = parse_size(value, "memory")
        elif re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", value):
            numbers[name] = float(value)
        else:
            expected = "a size in bytes, as in 500M" if name == "memory" else "a number of seconds"
            raise LimitError(f"{name}={quoted(value)}: expected {expected}")
    ponder = settings.get("ponder", "false")
    if ponder not in ("true", "false"):
        raise LimitError(f"ponder={quoted(ponder)}: expected true or false")
    return ProgramLimits(**numbers, ponders=ponder == "true")  # type: ignore[arg-type]


def find_program(name: str) -> str:
    """Return the path of a program, searched on PATH and in `GAMES_FOLDERS`. Raises `UnknownGame`."""
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), *GAMES_FOLDERS])
    found = shutil.which(os.path.expanduser(name), path=path)
    if found is not None:
        return os.path.abspath(found)
    if os.path.dirname(name):
        raise UnknownGame(f"engine not found or not executable: {name[:200]}")
    raise UnknownGame(f"engine not found on PATH or in {' or '.join(GAMES_FOLDERS)}: {name[:200]}; give its full path")
