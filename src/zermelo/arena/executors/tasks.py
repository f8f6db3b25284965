"""What workers can do: each kind of task as a function from JSON to JSON."""

from __future__ import annotations

from collections.abc import Callable


def perform(kind: str, data: str) -> str:
    """Do a task, on whatever machine this is."""
    return KINDS[kind](data)


def _game(data: str) -> str:
    from json import loads

    from zermelo.arena.game_record import GameJob
    from zermelo.arena.referee import play

    return play(GameJob.from_dict(loads(data))).to_json()


def _analyse(data: str) -> str:
    from zermelo.arena.executors import parallel_analysis as positions

    return positions.analyse(data)


def _perft(data: str) -> str:
    from zermelo.arena.executors import parallel_perft as counting

    return counting.count(data)


def _data(data: str) -> str:
    from zermelo.arena.executors import training_data as learning

    return learning.play(data)


KINDS: dict[str, Callable[[str], str]] = {"game": _game, "analyse": _analyse, "perft": _perft, "data": _data}
