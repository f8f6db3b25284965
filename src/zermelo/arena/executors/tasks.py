"""The kinds of tasks that workers perform: functions from JSON to JSON."""

from __future__ import annotations

from collections.abc import Callable


def perform(kind: str, data: str) -> str:
    """Perform a task: its kind is a key of `KINDS`, its data JSON."""
    return KINDS[kind](data)


# The imports are inside the functions, so that a worker loads only what its tasks need.


def _game(data: str, require_sandbox: bool = False) -> str:
    from json import loads

    from zermelo.arena.game_record import GameJob
    from zermelo.arena.referee import play

    return play(GameJob.from_dict(loads(data)), require_sandbox=require_sandbox).to_json()


def _sandboxed_game(data: str) -> str:
    return _game(data, require_sandbox=True)


def _analyse(data: str) -> str:
    from zermelo.arena.executors.parallel_analysis import run_analysis

    return run_analysis(data)


def _perft(data: str) -> str:
    from zermelo.arena.executors.parallel_perft import run_perft

    return run_perft(data)


def _positions(data: str) -> str:
    from zermelo.learn.self_play import play_games

    return play_games(data)


KINDS: dict[str, Callable[[str], str]] = {
    "game": _game,
    "sandboxed game": _sandboxed_game,
    "analyse": _analyse,
    "perft": _perft,
    "positions": _positions,
}
