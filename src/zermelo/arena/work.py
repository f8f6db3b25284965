"""What workers can do: each kind of task as a function from JSON to JSON."""

from __future__ import annotations

from collections.abc import Callable


def perform(kind: str, data: str) -> str:
    """Do a task, on whatever machine this is."""
    return KINDS[kind](data)


def _game(data: str) -> str:
    from json import loads

    from zermelo.arena.job import Job
    from zermelo.arena.referee import play

    return play(Job.of(loads(data))).write()


KINDS: dict[str, Callable[[str], str]] = {"game": _game}
