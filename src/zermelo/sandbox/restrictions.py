"""The restrictions that sandbox limits put on a program: what each keeps out, and which hold on this machine."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

from zermelo.errors import InputError
from zermelo.sandbox.sandboxed_script import SandboxedScript, ScriptLimits

#: A script that does nothing.
_EMPTY_SCRIPT = Path(__file__).with_name("__init__.py")


class Restriction(NamedTuple):
    """A restriction of programs in the sandbox.

    Attributes
    ----------
    label : str
        Short name for reports.
    keeps_out : str
        What it refuses.
    without : str
        What programs can do where it alone is missing.
    """

    label: str
    keeps_out: str
    without: str


#: Restrictions by their names in `SandboxedScript.enforced`; `limits.py` describes how each is implemented.
RESTRICTIONS = {
    "reading": Restriction(
        "no other files read",
        "all files but Python's library, and for agents packages and the game",
        "read files, up to all that you can read, and /proc",
    ),
    "calls": Restriction(
        "no other system calls",
        "what computing does not need: file locks, message queues, mounts",
        "lock files, and reserve memory outside the memory limit",
    ),
    "namespace": Restriction(
        "no view of other processes",
        "seeing or signalling processes outside the sandbox",
        "guess which processes exist; signals to them are still refused",
    ),
    "memory": Restriction("memory limit", "using up the memory of the machine", "use up the memory of the machine"),
    "processes": Restriction(
        "no other processes",
        "starting processes and threads, which could outlive the program",
        "start processes and threads, which can outlive the check",
    ),
    "files": Restriction(
        "no files written",
        "writing to files, filling the disk",
        "write to files that their user can write, fill the disk",
    ),
    "deleting": Restriction(
        "no files deleted",
        "creating, truncating, renaming and deleting files",
        "create, truncate, rename and delete files that their user can change",
    ),
    "network": Restriction(
        "no network", "connections to this machine and to others", "connect to this machine and to others"
    ),
    "signals": Restriction(
        "no signals",
        "ending or debugging other processes, executing other programs",
        "end and debug processes of their user that they can see",
    ),
    "user": Restriction(
        "separate user",
        "the rights of root, and those of other programs in the sandbox",
        "act with the rights of root where no other restriction refuses it",
    ),
    "with parent": Restriction(
        "ends with its parent",
        "running on when the program that started it is killed",
        "run on, up to their time limit, when the process that started them is killed",
    ),
}


def restrictions_in_force() -> list[str]:
    """Start a sandbox and return the names of the restrictions that held when they were tried in it."""
    with SandboxedScript(_EMPTY_SCRIPT, ScriptLimits(), {}) as script:
        return script.enforced


def missing_restrictions(enforced: Collection[str]) -> list[str]:
    """Return the restrictions that do not hold. Only root needs, and can have, a separate user for each program."""
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    return [name for name in RESTRICTIONS if name not in enforced and (is_root or name != "user")]


def require_all() -> None:
    """Raise `InputError` unless all restrictions hold on this machine."""
    check_enforced(restrictions_in_force(), "on this machine")


def check_enforced(enforced: Collection[str], where: str) -> None:
    """Raise an error unless all restrictions hold.

    Parameters
    ----------
    enforced : collection of str
        The restrictions that held when they were tried.
    where : str
        Where they were tried: "on this machine".

    Raises
    ------
    InputError
        A restriction does not hold.
    """
    missing = missing_restrictions(enforced)
    if missing:
        labels = ", ".join(RESTRICTIONS[name].label for name in missing)
        raise InputError(f"--require-sandbox: not in force {where}: {labels} (see `zermelo sandbox`)")
