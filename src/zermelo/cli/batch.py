"""`zermelo analyse --positions`: many positions, by many workers."""

from __future__ import annotations

import json
import os
import time
from dataclasses import replace
from itertools import tee

import typer

from zermelo import formatting
from zermelo._util.terminal import print_json
from zermelo._util.user_files import STDIN, open_input
from zermelo.arena.executors.parallel_analysis import AnalysisOptions, analysis_tasks
from zermelo.cli import arguments, screen
from zermelo.core.game import State
from zermelo.errors import LimitError, PositionError, ZermeloError
from zermelo.formats.position_lines import read_position_lines


def analyse_all(
    game: str, cls: type[State], name: str, search: AnalysisOptions, workers: int | None, cluster: str, quiet: bool
) -> None:
    """Print the analysis of each position of a file as a line of JSON, in their order."""
    from zermelo.arena.executors.executor import results_in_order

    search = _checked(cls, search)
    total = _count(name, cls)
    done = failed = 0
    began = time.monotonic()
    with open_input(name) as file, screen.Progress("analysing", quiet) as progress:
        texts, again = tee(text for text, _ in read_position_lines(file, cls, name))
        progress.begin("analysing", 0, total)
        with arguments.blaming(cls), arguments.executor(workers, cluster, game) as executor:
            for outcome in results_in_order(executor, analysis_tasks(game, texts, search)):
                text = next(again)
                if outcome.bad_input:
                    raise ZermeloError(f"{name}, position {text}: {outcome.error}")
                failed += outcome.data is None
                row = {"error": outcome.error} if outcome.data is None else json.loads(outcome.data)
                print_json({**row, "game": game, "given": text}, flush=True)
                done += 1
                progress.at(f"position {done:,} of {total:,}" if total else f"position {done:,}", done, total)
        progress.say(f"{formatting.plural(done, 'position')} in {formatting.seconds(time.monotonic() - began)}")
    if failed:
        raise typer.Exit(1)


def _checked(cls: type[State], search: AnalysisOptions) -> AnalysisOptions:
    """The search as workers find it elsewhere. Raises `ZermeloError` if no worker could make it."""
    from zermelo.core.evaluation import resolve_evaluation
    from zermelo.core.weight_file import chosen_evaluation, file_digest
    from zermelo.search.engine import Engine, Limits

    Limits(search.depth, search.seconds, search.nodes, search.exact)
    Engine(search.table, search.threads)
    chosen = chosen_evaluation(cls, search.evaluation)
    resolve_evaluation(cls.start(), chosen)
    if search.lines < 1:
        raise LimitError(f"{search.lines} lines: at least one is needed")
    if search.evaluation is not None and chosen is not search.evaluation:
        path = os.path.abspath(search.evaluation)
        search = replace(search, evaluation=path, weights=file_digest(path))
    return search


def _count(name: str, cls: type[State]) -> int:
    """How many positions a file has, each of them looked at; 0 for standard input, which can be read only once."""
    if name == STDIN:
        return 0
    with open_input(name) as file:
        total = sum(1 for _ in read_position_lines(file, cls, name))
    if not total:
        raise PositionError(f"{name}: no position in it; expected one a line")
    return total
