"""Training data: play games, label their positions by a search, write them to a file."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from zermelo.arena.executors.dask_executor import create_executor
from zermelo.arena.executors.executor import results_in_order
from zermelo.arena.executors.row_files import RowFile
from zermelo.arena.executors.training_data import COLUMNS, DataPlan
from zermelo.errors import FileError, ZermeloError


@dataclass(frozen=True, slots=True)
class DataSummary:
    """What `generate_training_data` wrote.

    Attributes
    ----------
    games, positions : int
        Number of games and of labelled positions in the file.
    resumed_games : int
        Games that an interrupted run had finished before.
    """

    games: int
    positions: int
    resumed_games: int


def generate_training_data(
    game: str,
    path: str | os.PathLike[str],
    *,
    games: int = 100,
    player: str = "random",
    label: str = "depth=4",
    evaluation: str | None = None,
    random_plies: int = 8,
    mix: float = 0.0,
    positions: int = 0,
    seed: int = 0,
    max_plies: int = 1000,
    overwrite: bool = False,
    workers: int = 0,
    cluster: str | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> DataSummary:
    """Play games and write their positions, labelled by a search and by the result of the game.

    Interrupted runs continue where they stopped when called again with the same arguments. The same arguments give the
    same file on any number of workers.

    Parameters
    ----------
    game : str
        Name of the game, or path/to/game.py:Class.
    path : path
        The file: .jsonl, .csv or .parquet.
    games : int
        Number of games, at least 1.
    player : str
        Player spec; the player plays both sides.
    label : str
        Limit of the labelling search: "depth=N" or "nodes=N".
    evaluation : str, optional
        Evaluation of the search; by default the game's first.
    random_plies : int
        Number of random moves at the start of each game.
    mix : float
        Probability that a later move is random, 0 to 1.
    positions : int
        Number of positions sampled from each game; 0: all.
    seed : int
        Seed of all random choices.
    max_plies : int
        A game that reaches this many plies is a draw.
    overwrite : bool
        Replace an existing file.
    workers : int
        Number of worker processes; 0: this process.
    cluster : str, optional
        A Dask cluster instead of local workers.
    on_progress : callable, optional
        Called with the numbers of finished and of all games, at the start and after each game.

    Returns
    -------
    DataSummary

    Raises
    ------
    FileError
        The file exists and `overwrite` is false, or it cannot be written.
    ZermeloError
        A parameter is invalid or a game could not be played.
    """
    from zermelo import registry

    file = Path(path)
    if file.is_file() and not (overwrite or file.with_name(f"{file.name}.part").exists()):  # .part: an interrupted run
        raise FileError(f"file exists: {file}; use --force to replace it, or choose another file")
    plan = DataPlan(game, games, player, label, evaluation, random_plies, mix, positions, seed, max_plies)
    plan.check(registry.load(game))
    with RowFile(file, asdict(plan), COLUMNS) as rows, create_executor(cluster, workers, game) as executor:
        first = rows.batches
        if on_progress is not None:
            on_progress(first, games)
        for outcome in results_in_order(executor, plan.tasks(first)):
            if outcome.data is None:
                raise ZermeloError(f"game {outcome.number}: {outcome.error}")
            rows.add(outcome.data)
            if on_progress is not None:
                on_progress(rows.batches, games)
        rows.finish()
        return DataSummary(games, rows.count, first)
