"""Generate position files: self-play in worker processes, resumed after an interruption."""

from __future__ import annotations

import os
import shlex
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, BinaryIO

from zermelo._util.row_files import WRITERS, RowFile
from zermelo.core.array_file import Provenance
from zermelo.core.evaluation import evaluation_name
from zermelo.core.game import State
from zermelo.core.weight_file import file_digest
from zermelo.errors import FileError, LimitError
from zermelo.learn.gtp_teacher import PREFIX as GTP
from zermelo.learn.position_file import (
    MAX_BYTES,
    RESULTS,
    SUFFIX,
    TEXT_COLUMNS,
    Positions,
    from_batches,
    state_words,
    text_rows,
    to_bytes,
)
from zermelo.learn.self_play import BATCH, SelfPlay, evaluation_of, play_games
from zermelo.learn.teachers import check_teacher
from zermelo.search.position_search import check_searchable
from zermelo.search.selective import Selective

#: Suffixes of position files, and of exported text.
SUFFIXES = (SUFFIX, *WRITERS)

#: Runs tasks, in any processes, and yields their results in order.
RunTasks = Callable[[Iterable[str]], Iterator[str]]


@dataclass(frozen=True, slots=True)
class GenerationSummary:
    """What `generate_positions` wrote.

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


def run_here(tasks: Iterable[str]) -> Iterator[str]:
    """Run tasks of self-play in this process."""
    return map(play_games, tasks)


def generate_positions(
    game: str,
    path: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    run: RunTasks = run_here,
    on_progress: Callable[[int, int], None] | None = None,
    **options: Any,
) -> GenerationSummary:
    """Play games of a program against itself and write their positions, labelled by searches and by results.

    Interrupted runs continue where they stopped when called again with the same arguments. The same arguments give the
    same file, wherever the tasks run.

    Parameters
    ----------
    game : str
        Name of the game, or path/to/game.py:Class.
    path : path
        The file: .positions, or .jsonl, .csv or .parquet with the positions as text.
    overwrite : bool
        Replace an existing file.
    run : callable
        Runs the tasks; by default in this process.
    on_progress : callable, optional
        Called with the numbers of finished and of all games, at the start and after each batch of games.
    **options
        The options of `SelfPlay`: games, evaluation, depths, random_plies, mix, solve_plies, seed, ...

    Returns
    -------
    GenerationSummary

    Raises
    ------
    FileError
        The file exists and `overwrite` is false, or it cannot be written.
    ZermeloError
        A parameter is invalid or a game could not be played.

    Examples
    --------
    >>> import os, tempfile
    >>> from zermelo import learn
    >>> path = os.path.join(tempfile.mkdtemp(), "games.positions")
    >>> learn.generate_positions("tictactoe", path, games=10, random_plies=(2, 2)).games
    10
    """
    options.setdefault("games", 100)
    return play_positions(SelfPlay(game, **options), path, overwrite=overwrite, run=run, on_progress=on_progress)


def play_positions(
    plan: SelfPlay,
    path: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    run: RunTasks = run_here,
    on_progress: Callable[[int, int], None] | None = None,
) -> GenerationSummary:
    """Do what `generate_positions` does, for a plan."""
    file = Path(path)
    if file.is_file() and not (overwrite or file.with_name(f"{file.name}.part").exists()):  # .part: an interrupted run
        raise FileError(f"file exists: {file}; use --force to replace it, or choose another file")
    cls = check_plan(plan)
    words = state_words(cls)
    name = evaluation_name(cls.start(), evaluation_of(cls, plan.evaluation, plan.weights))
    if plan.teacher.startswith(GTP):
        name = RESULTS

    def write(target: BinaryIO, batches: Iterator[str]) -> None:
        arrays = from_batches(b"".join(map(b64decode, batches)), words)
        positions = Positions(**arrays, evaluation=name, made=_provenance(plan))
        if file.suffix == SUFFIX:
            target.write(to_bytes(cls, positions))
        else:
            WRITERS[file.suffix](target, TEXT_COLUMNS, text_rows(cls, positions))

    with RowFile(file, plan.as_dict() | _digests(plan), SUFFIXES) as rows:
        first = min(rows.batches * BATCH, plan.games)
        if on_progress is not None:
            on_progress(first, plan.games)
        for batch in run(plan.tasks(rows.batches)):
            rows.add(batch)
            if on_progress is not None:
                on_progress(min(rows.batches * BATCH, plan.games), plan.games)
        rows.finish(write)
        return GenerationSummary(plan.games, rows.count, first)


def check_plan(plan: SelfPlay) -> type[State]:
    """Check that the games of a plan can be played and labelled; return their class.

    Raises
    ------
    ZermeloError
        If they cannot.
    """
    from zermelo import registry

    cls = registry.load(plan.game)
    if plan.resign and cls.max_utility > 1:
        raise LimitError(f"resign must be 0 in {plan.game} (got {plan.resign}): a resigned game has no graded result")
    evaluation = evaluation_of(cls, plan.evaluation, plan.weights)
    state_words(cls)
    check_searchable(cls.start())
    if plan.confidence != 100:
        Selective.at_confidence(plan.confidence, evaluation, cls.start())
    if plan.start is not None:
        if plan.teacher.startswith(GTP):
            raise LimitError("start and a gtp: teacher exclude each other: GTP games begin at the usual start position")
        _ = plan.start_states  # read now: a wrong file is reported before any game
    if plan.teacher:
        check_teacher(plan.teacher, cls)
    return cls


def _provenance(plan: SelfPlay) -> Provenance:
    """The command that makes the positions, without what does not change them, and the digests of its files."""
    words = ["zermelo", "learn", plan.game, "positions"]
    for field in fields(plan)[1:]:
        value, separator = getattr(plan, field.name), "-" if field.name == "random_plies" else ","
        if value == field.default:
            continue
        text = os.path.basename(str(value)) if field.name in ("weights", "start") else str(value)
        if isinstance(value, tuple):
            text = separator.join(map(str, dict.fromkeys(value)))
        words += [f"--{field.name.replace('_', '-').replace('depths', 'depth')}", text]
    return Provenance(shlex.join(words), plan.seed, " ".join(filter(None, _digests(plan).values())))


def _digests(plan: SelfPlay) -> dict[str, str]:
    """The digests of the weight file and, if games start from positions of a file, of that."""
    found = {"digest": plan.digest()}
    return found if plan.start is None else found | {"start_digest": file_digest(plan.start, MAX_BYTES)}
