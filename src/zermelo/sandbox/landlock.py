"""Landlock: restrict which files this process can read, whoever its user is (Linux 5.13 or later).

A ruleset lists the files and folders that stay readable. Everything else can neither be read nor listed, and nothing
can be written, made, deleted or executed. The kernel restricts the process and its children for good. Landlock does not
restrict `stat`: a program that guesses a path can learn the size and times of that file.
"""

from __future__ import annotations

import os
import struct

TYPE_CHECKING = False  # as in `typing`, which takes longer to load than everything else here
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

# System calls with the same number on all machines.
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_CREATE_RULESET_VERSION, _RULE_PATH_BENEATH = 1, 1
#: Rights of files that each version of Landlock added, as bits: 13 at first, then REFER, TRUNCATE and IOCTL_DEV.
_FILE_RIGHTS = {1: (1 << 13) - 1, 2: 1 << 13, 3: 1 << 14, 5: 1 << 15}
_READ_FILE, _READ_FOLDER = 1 << 2, 1 << 3
#: Binding and connecting TCP sockets (version 4); abstract sockets and signals to processes outside (version 6).
_NETWORK_RIGHTS, _SCOPES = 0b11, 0b11
#: Folders in the standard library that hold installed packages.
_PACKAGE_FOLDERS = ("site-packages", "dist-packages")
_O_PATH = 0o10000000


def library_folders() -> list[str]:
    """Return the folder of the standard library, and the folders of the shared libraries that it may need."""
    return [os.path.realpath(os.path.dirname(os.__file__)), *sorted(_shared_library_folders())]


def library_files(folders: list[str]) -> Iterator[str]:
    """Return the paths of the library folders that an interpreter without packages reads."""
    stdlib, *others = folders
    yield from _entries(stdlib, _PACKAGE_FOLDERS)
    yield "/etc/ld.so.cache"
    for folder in others:
        yield from _entries(folder, ("python",))


def _entries(folder: str, excluded: tuple[str, ...]) -> Iterator[str]:
    """Return the folder if no entry's name starts with an excluded word, and else its other entries."""
    names = os.listdir(folder)
    others = [name for name in names if not name.startswith(excluded)]
    if len(others) == len(names):
        yield folder
    else:
        yield from (os.path.join(folder, name) for name in others)


def _shared_library_folders() -> set[str]:
    """Return the folders of the loaded C library, libffi and Python's own library: others lie beside them."""
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="surrogateescape") as file:
            paths = {line.rstrip("\n").partition("/")[2] for line in file}
    except OSError:
        return set()
    names = ("libc.", "libc-", "ld-", "libffi", "libpython")
    return {os.path.realpath("/" + os.path.dirname(path)) for path in paths if os.path.basename(path).startswith(names)}


def make_ruleset(call: Callable[..., int], paths: Iterable[str], listable: Iterable[str]) -> int:
    """Make a ruleset.

    Parameters
    ----------
    call : callable
        The C library's `syscall`.
    paths : iterable of str
        Files and folders, with everything inside them, that stay readable. Links are not followed; what cannot be
        opened is left out.
    listable : iterable of str
        Folders whose names may be listed, as imports do, with the names in their folders.

    Returns
    -------
    int
        File descriptor for `restrict`; -1 if the kernel does not support Landlock.
    """
    version = call(_CREATE_RULESET, None, 0, _CREATE_RULESET_VERSION)
    if version < 1:
        return -1
    rights = sum(bits for since, bits in _FILE_RIGHTS.items() if version >= since)
    attributes = struct.pack("QQQ", rights, _NETWORK_RIGHTS, _SCOPES)[: 8 if version < 4 else 16 if version < 6 else 24]
    ruleset = call(_CREATE_RULESET, attributes, len(attributes), 0)
    if ruleset < 0:
        return -1
    for path in paths:
        _add_rule(call, ruleset, path, _READ_FILE, _READ_FOLDER)
    for path in listable:
        _add_rule(call, ruleset, path, 0, _READ_FOLDER)
    return ruleset


def _add_rule(call: Callable[..., int], ruleset: int, path: str, of_files: int, of_folders: int) -> None:
    """Allow rights on the file or folder at a path; a file has no rights of folders."""
    try:
        file = os.open(path, _O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return
    for rights in (of_files | of_folders, of_files):
        if rights and call(_ADD_RULE, ruleset, _RULE_PATH_BENEATH, struct.pack("=Qi", rights, file), 0) == 0:
            break
    os.close(file)


def restrict(call: Callable[..., int], ruleset: int) -> bool:
    """Apply a ruleset to this process and close it. Return whether that succeeded. Needs PR_SET_NO_NEW_PRIVS."""
    is_restricted = call(_RESTRICT_SELF, ruleset, 0) == 0
    os.close(ruleset)
    return is_restricted
