"""Positions to be analysed, each on its own: the same analysis whoever makes it, and whatever was analysed before.

(Where time is the limit, it is as deep as the worker's machine comes.)
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from zermelo.arena.executors.executor import Task
from zermelo.core.game import State
from zermelo.core.history import preceding_states
from zermelo.errors import PositionError, ZermeloError
from zermelo.formats.line_reader import read_lines


@dataclass(frozen=True)
class AnalysisOptions:
    """What is asked of each position, as in `zermelo.analyse`."""

    depth: int | None = None
    seconds: float | None = None
    nodes: int | None = None
    exact: bool = False
    evaluation: str | None = None
    lines: int = 1
    threads: int = 1
    table: str = "64M"


def read_positions(file: BinaryIO, cls: type[State], name: str) -> Iterator[str]:
    """The positions of a file, one a line; empty lines and those that begin with # are none.

    Raises `PositionError` with the line of the first that is no position.
    """
    for line in read_lines(file):
        text = line.text.strip()
        if line.wrong:
            raise PositionError(f"{name}, line {line.number}: {line.wrong}")
        if not text or text.startswith("#"):
            continue
        try:
            cls.parse(text)
        except ZermeloError as error:
            raise PositionError(f"{name}, line {line.number}: {error}") from None
        yield text


def analysis_tasks(game: str, texts: Iterable[str], search: AnalysisOptions) -> Iterator[Task]:
    """Each position as a task, numbered from 0 on."""
    asked = vars(search)
    for number, text in enumerate(texts):
        yield Task(number, "analyse", json.dumps({"game": game, "position": text, **asked}))


def analyse(data: str) -> str:
    """The analysis of a position: `Analysis.as_dict`."""
    from zermelo import registry
    from zermelo.search.engine import Engine, Limits

    asked = json.loads(data)
    cls = registry.load(asked["game"])
    state = cls.parse(asked["position"])
    limits = Limits(asked["depth"], asked["seconds"], asked["nodes"], asked["exact"])
    engine = Engine(asked["table"], asked["threads"])
    history = preceding_states(state, asked["position"])
    *_, found = engine.search(state, limits, asked["evaluation"], asked["lines"], history)
    return json.dumps(found.as_dict())
