"""Analyse positions in parallel.

Each position is analysed with a new engine, so that the result does not depend on the worker or on earlier positions.
With a time limit the depth still depends on the speed of the worker.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from zermelo.arena.executors.executor import Task
from zermelo.core.evaluation import Evaluation
from zermelo.core.game import State
from zermelo.core.history import preceding_states
from zermelo.core.weight_file import chosen_evaluation, file_digest
from zermelo.errors import FormatError


@dataclass(frozen=True)
class AnalysisOptions:
    """Options of each analysis, as for `zermelo.analyse`."""

    depth: int | None = None
    seconds: float | None = None
    nodes: int | None = None
    exact: bool = False
    evaluation: str | None = None
    lines: int = 1
    threads: int = 1
    table: str = "64M"
    #: As in `zermelo.search.engine.Engine`; of parameters the changes.
    selective: Mapping[str, int] | bool | int | None = None
    #: Digest of the weight file that `evaluation` names; empty: it is a name.
    weights: str = ""


def analysis_tasks(game: str, texts: Iterable[str], options: AnalysisOptions) -> Iterator[Task]:
    """Yield a task for each position, numbered from 0."""
    for number, text in enumerate(texts):
        yield Task(number, "analyse", json.dumps({"game": game, "position": text, **vars(options)}))


@lru_cache(1)
def _evaluation(cls: type[State], name: str | None, weights: str) -> str | Evaluation | None:
    """The evaluation of all positions. A weight file is read once, and must be the one that the command has read."""
    if name is not None and weights and file_digest(name) != weights:
        raise FormatError(f"{name}: differs from the file on the machine that started the command")
    return chosen_evaluation(cls, name)


def run_analysis(data: str) -> str:
    """Perform an analysis task; returns `Analysis.as_dict` as JSON."""
    from zermelo import registry
    from zermelo.search.default import DefaultSearcher
    from zermelo.search.limits import Limits
    from zermelo.search.selective import Selective
    from zermelo.solve import endgames

    options = json.loads(data)
    cls = registry.load(options["game"])
    state = cls.parse(options["position"])
    limits = Limits(options["depth"], options["seconds"], options["nodes"], options["exact"])
    if limits.depth is None:
        endgames.ensure(state)
    how = options["selective"]
    selective = Selective(**how) if isinstance(how, dict) else how
    engine = DefaultSearcher(options["table"], options["threads"], selective=selective)
    history = preceding_states(state, options["position"])
    *_, analysis = engine.analysis(
        state,
        limits,
        evaluation=_evaluation(cls, options["evaluation"], options["weights"]),
        lines=options["lines"],
        history=history,
    )
    return json.dumps(analysis.as_dict())
