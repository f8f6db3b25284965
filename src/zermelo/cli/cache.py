"""`zermelo cache`: the compiled machine code on disk."""

from __future__ import annotations

import time
from collections.abc import Callable

from zermelo import formatting
from zermelo._util.terminal import print_line
from zermelo.cli import arguments, screen
from zermelo.cli.arguments import Games
from zermelo.core.game import State
from zermelo.errors import FileError


def show() -> None:
    """List the cache folder's entries and their sizes, and count what killed processes left."""
    from zermelo.compiled import cache

    entries = cache.entries()
    print_line(f"folder   {cache.folder()}")
    if reason := cache.why_unused():
        print_line(f"not used: {reason}")
    wide = max((len(formatting.size(size)) for _, size in entries), default=0)
    for name, size in entries:
        print_line(f"  {formatting.size(size):>{wide}}  {name}")
    print_line(f"{formatting.plural(len(entries), 'entry')}, {formatting.size(sum(size for _, size in entries))}")
    unfinished = cache.leftovers()
    if unfinished:
        files = formatting.plural(len(unfinished), "temporary file")
        print_line(f"{files}, {formatting.size(sum(unfinished))}: being written, or left by a process that was killed")


def warm(
    games: Games = None,
    quiet: arguments.Quiet = False,
) -> None:
    """Compile games ahead of use: engine, textbook algorithms, perft."""
    from zermelo import registry
    from zermelo.compiled import cache

    folder = cache.folder()  # without one there is nothing to do
    classes = {name: arguments.load(name) for name in games or registry.names()}
    pieces = [(name, cls, what, run) for name, cls in classes.items() for what, run in _pieces(cls)]
    began = time.perf_counter()
    made = 0
    wide = max(map(len, classes))
    with screen.Progress("compiling", quiet, shows_notes=False) as progress:
        for done, (name, cls, what, run) in enumerate(pieces):
            progress.begin(f"compiling {name}: {what}", done, len(pieces))
            before = progress.notes
            with arguments.blaming(cls):
                run()
            if progress.notes > before:
                made += 1
                progress.say(f"{name:{wide}}  {what}  {formatting.seconds(progress.elapsed())}")
    took = formatting.seconds(time.perf_counter() - began)
    ready = f"{formatting.plural(len(classes), 'game')} ready"
    print_line(f"{ready}: compiled {formatting.plural(made, 'piece')} of code in {took}, cached in {folder}")


def _pieces(cls: type[State]) -> list[tuple[str, Callable[[], object]]]:
    """Pieces to compile for a game: a label, and a tiny search that compiles it."""
    from zermelo.search.compiled_textbook import compiled_textbook, perft
    from zermelo.search.engine import Engine, Limits
    from zermelo.search.selective import selective_default

    state = cls.start()

    def engine(name: str, selective: bool = False) -> object:
        return list(Engine("1M", selective=selective).analysis(state, depth=1, evaluation=name))

    names = [*cls.evaluations, "nothing"]
    usual = names[0]
    pieces: list[tuple[str, Callable[[], object]]] = [("perft", lambda: perft(state, 1))]
    if not state.perfect_information:  # nothing else can be done with it in compiled code
        return pieces
    for name in names:
        pieces.append((f"engine with {name}", lambda name=name: engine(name)))  # type: ignore[misc]
    for name in cls.evaluations:
        if selective_default(cls, Limits(seconds=1), name):
            pieces.append((f"selective engine with {name}", lambda name=name: engine(name, selective=True)))  # type: ignore[misc]
    for algorithm in ("minimax", "alphabeta"):
        for name in dict.fromkeys((usual, "nothing")):
            pieces.append(
                (
                    f"{algorithm} with {name}",
                    lambda name=name, algorithm=algorithm: compiled_textbook(state, 1, name, algorithm),  # type: ignore[misc]
                )
            )
    return pieces


def clear() -> None:
    """Delete all entries of the cache. The next use of a game compiles it again."""
    from zermelo.compiled import cache

    size = sum(size for _, size in cache.entries())
    count = cache.clear()
    left = cache.entries()
    if left:
        raise FileError(f"{cache.folder()}: {formatting.plural(len(left), 'entry')} cannot be deleted")
    print_line(f"{formatting.plural(count, 'entry')} deleted, {formatting.size(size)}, from {cache.folder()}")
