"""`zermelo book`: builds, extends, checks, shows and exports the opening book of a game."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from zermelo import formatting
from zermelo._util.atomic_files import check_path, write
from zermelo._util.terminal import print_json, print_line, write_data
from zermelo.cli import INTERRUPTED, arguments, screen
from zermelo.cli.arguments import Game, Moves
from zermelo.core.game import MAX, MIN, State
from zermelo.errors import FileError, FormatError, LimitError

if TYPE_CHECKING:
    from zermelo.solve.books.book import Book
    from zermelo.solve.books.building import Builder, Node

#: Seconds between two writes of the book: what a power failure costs at most.
SAVE_SECONDS = 60
#: The most contradictions that `check` prints.
MAX_REPORTED = 20

File = Annotated[Path, typer.Argument(metavar="FILE", hidden=True)]
AnyFile = Annotated[Path | None, typer.Argument(metavar="[FILE]", hidden=True)]
Search = Annotated[
    str | None,
    typer.Option(
        metavar="LIMIT",
        help="Limit of the search of each position: exact, depth=N, nodes=N or seconds=S. Default: that of the book; "
        "for a new one depth=8.",
    ),
]


def build(
    game: Game,
    file: File,
    plies: Annotated[int, typer.Option(metavar="N", help="Score all positions after N plies.")],
    search: Search = None,
    table: arguments.Table = "64M",
    threads: arguments.Threads = 1,
    quiet: arguments.Quiet = False,
    as_json: arguments.Json = False,
) -> None:
    """Build a book of all positions after some plies, or continue one.

    Ctrl-C keeps what is scored: repeat the command to continue. Earlier positions get the minimax values of the later
    ones. With more --plies, a finished book is continued.
    """
    from zermelo.solve.books.book import Book

    at_least("--plies", plies, 0)
    cls = arguments.load(game)
    with arguments.blaming(cls):
        if file.exists():
            found = _existing(cls, file, search)
        else:
            check_path(file)
            found = Book(cls, cls.start(), 0, search or "depth=8")
        found.plies = max(found.plies, plies)

        def score(builder: Builder) -> tuple[Iterable[Node | None], int]:
            missing = builder.missing()
            return builder.score(missing), len(missing)

        _work(game, file, found, score, table, threads, quiet, as_json)


def extend(
    game: Game,
    file: File,
    positions: Annotated[int | None, typer.Option(metavar="N", help="Expand N positions, good lines first.")] = None,
    store: Annotated[
        Path | None,
        typer.Option("--from", metavar="STORE", help="Expand along the lost games of a match or tournament."),
    ] = None,
    deeper: Annotated[int, typer.Option(metavar="N", help="With --from: expand at most N positions of a game.")] = 8,
    trust: Annotated[
        bool,
        typer.Option(
            "--trust", help="With --from: load the game file named in STORE even if STORE was created elsewhere."
        ),
    ] = False,
    search: Search = None,
    table: arguments.Table = "64M",
    threads: arguments.Threads = 1,
    quiet: arguments.Quiet = False,
    as_json: arguments.Json = False,
) -> None:
    """Extend a book by the successors of more positions, of good lines or of lost games.

    --positions expands the positions that good play of both sides reaches first (drop-out expansion). --from STORE
    follows each lost game until the book knows that the loser stands worse, so that it plays better the next time.
    """
    if (positions is None) == (store is None):
        raise LimitError("extend needs --positions N or --from STORE")
    at_least("--positions", positions or 0, 0)
    at_least("--deeper", deeper, 1)
    cls = arguments.load(game)
    with arguments.blaming(cls):
        if not file.exists():
            raise FileError(f"file not found: {file}; begin a book with: zermelo book {game} build {file} --plies 2")
        found = _existing(cls, file, search)

        def score(builder: Builder) -> tuple[Iterable[Node | None], int]:
            if store is not None:
                return _lessons(builder, game, cls, store, deeper, trust), 0
            return _expansions(builder, positions or 0), positions or 0

        _work(game, file, found, score, table, threads, quiet, as_json)


def at_least(option: str, value: int, least: int) -> None:
    """Raise `LimitError` if the number of an option is too small."""
    if value < least:
        raise LimitError(f"{option} must be at least {least} (got {value})")


def _existing(cls: type[State], file: Path, search: str | None) -> Book:
    from zermelo.solve.books.book_file import load_book

    found = load_book(file, cls)[0]
    if search is not None and search != found.search:
        raise LimitError(f"{file}: its positions are scored by {found.search}; --search {search} would mix scores")
    return found


# ---- build and extend -------------------------------------------------------------------------------------------


def _work(
    game: str, file: Path, found: Book, score: Callable[[Builder], tuple[Iterable[Node | None], int]], table: str,
    threads: int, quiet: bool, as_json: bool,
) -> None:  # fmt: skip
    """Score positions until none is left or Ctrl-C, saving the book at times and at the end, and report."""
    from zermelo.solve.books.book_file import save_book
    from zermelo.solve.books.building import Builder
    from zermelo.solve.books.scoring import Scorer

    command = f"zermelo book {game} build {file.name} --plies {found.plies} --search {found.search}"
    before, interrupted, began = len(found.entries), False, time.monotonic()
    with screen.Progress("searching", quiet) as progress, Scorer(found.search, table, threads) as scorer:
        builder = Builder(found, scorer)

        def save() -> None:
            builder.back_up()
            save_book(file, found, command)

        try:
            _follow(*score(builder), progress, save)
        except KeyboardInterrupt:
            interrupted = True
        save()
        nodes = scorer.nodes
    added = len(found.entries) - before
    if as_json:
        print_json({
            "game": game, "file": str(file), "positions": len(found.entries), "added": added, "nodes": nodes,
            "seconds": round(time.monotonic() - began, 3),
        })  # fmt: skip
    else:
        counts = f"{formatting.plural(added, 'position')} added, {len(found.entries):,} in all"
        print_line(f"{file}: {counts}, {formatting.count(nodes)} nodes")
    if interrupted:
        print_line("zermelo: interrupted; repeat the command to continue", error=True)
        raise typer.Exit(INTERRUPTED)


def _follow(scored: Iterable[Node | None], total: int, progress: screen.Progress, save: Callable[[], None]) -> None:
    """Consume the nodes as they are scored, or None for a position that is done; show progress and save at times."""
    done, saved = 0, time.monotonic()
    progress.begin("searching", 0, total)
    for node in scored:
        if node is None or total == 0 or node.successors is None:
            done += 1
        progress.at(formatting.plural(done, "position"), min(done, total), total)
        if time.monotonic() - saved > SAVE_SECONDS:
            save()
            saved = time.monotonic()


def _expansions(builder: Builder, count: int) -> Iterable[Node | None]:
    """Expand the leaves that good play reaches, one after another."""
    builder.back_up()
    for _ in range(count):
        leaf = builder.best_leaf()
        if leaf is None:
            return
        for _ in builder.expand(leaf):
            pass
        builder.back_up()
        yield None


def _lessons(
    builder: Builder, game: str, cls: type[State], store: Path, deeper: int, trust: bool
) -> Iterable[Node | None]:
    """Expand along the lost games of a store."""
    from zermelo.arena.replay import replay
    from zermelo.arena.resume_checks import load_game
    from zermelo.arena.store import Store

    with Store.open(str(store), on_wait=screen.report_wait) as games:
        if load_game(games, trust=trust, named=game) is not cls:
            raise FormatError(f"{store}: its games are {games.checked_plan.game}, not {game}")
        for record in games.games():
            if record.points != 0.5:
                yield from builder.learn(replay(record, cls), MIN if record.points > 0.5 else MAX, deeper)


# ---- check, show and export -------------------------------------------------------------------------------------


def check(game: Game, file: AnyFile = None, as_json: arguments.Json = False) -> None:
    """Check that the moves of a book are legal, and that its scores follow from each other.

    Without FILE, checks the book in the package. The exit code is 1 if there are contradictions.
    """
    from zermelo.solve.books.contents import problems

    cls = arguments.load(game)
    with arguments.blaming(cls):
        found, _, name = _read(cls, file)
        wrong = list(problems(found))
    if as_json:
        print_json({"file": name, "positions": len(found.entries), "problems": wrong})
    else:
        for each in wrong[:MAX_REPORTED]:
            print_line(each)
        if len(wrong) > MAX_REPORTED:
            print_line(f"and {len(wrong) - MAX_REPORTED:,} more")
        verdict = formatting.plural(len(wrong), "problem") if wrong else "no contradictions"
        print_line(f"{name}: {formatting.plural(len(found.entries), 'position')}, {verdict}")
    if wrong:
        raise typer.Exit(1)


def show(game: Game, file: AnyFile = None, moves: Moves = "", as_json: arguments.Json = False) -> None:
    """Show what a book holds, and the scores of the moves from its first position or after --moves.

    Without FILE, shows the book in the package.
    """
    from zermelo.solve.books.contents import rows
    from zermelo.solve.books.scoring import scores_selectively

    cls = arguments.load(game)
    with arguments.blaming(cls):
        found, command, name = _read(cls, file)
        selective = scores_selectively(found.search, cls)
        state = found.root.after(moves)
        known = None if state.is_over() else found.analysis(state, len(state.legal_moves())) or found.analysis(state)
        by_ply = Counter(row["ply"] for row in rows(found))
    proven = sum(entry.proven for entry in found.entries.values())
    if as_json:
        print_json({
            "file": name, "command": command, "search": found.search, "selective": selective,
            "positions": len(found.entries), "proven": proven, "plies": found.plies,
            "analysis": None if known is None else known.as_dict(),
        })  # fmt: skip
        return
    out = screen.console()
    counts = ", ".join(f"{count:,}" for _, count in sorted(by_ply.items()))
    searches = f"{found.search}, selective: scores are estimates" if selective else found.search
    screen.facts(out, [
        ("book", name), ("made by", command or "-"), ("searches", searches),
        ("positions", f"{len(found.entries):,}, {proven:,} proven; by ply: {counts or '-'}"),
    ])  # fmt: skip
    out.print()
    if known is None:
        out.print(f"  {state}: not in the book")
        return
    table = [("", "move", "score", "line")]
    for rank, line in enumerate(known.lines, 1):
        table.append((str(rank), line.names[0], formatting.line_score(known, line), " ".join(line.names)))
    screen.table(out, table)
    if others := len(state.legal_moves()) - len(known.lines):
        out.print(f"  {formatting.plural(others, 'other move')}: not in the book")


def export(
    game: Game,
    file: AnyFile = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Output file; - is standard output.")
    ] = "-",
) -> None:
    """Write the positions of a book as JSON Lines: position, ply, best move, score, depth.

    Without FILE, writes the book in the package.
    """
    from zermelo.solve.books.contents import rows

    cls = arguments.load(game)
    with arguments.blaming(cls):
        content = "\n".join(json.dumps(row) for row in rows(_read(cls, file)[0]))
    if output == "-":
        write_data(content)
    else:
        write(output, content + "\n")


def _read(cls: type[State], file: Path | None) -> tuple[Book, str, str]:
    """The book, the command that made it, and the name of its file."""
    from zermelo.solve.books.book_file import load_book, shipped_book

    if file is not None:
        found, command = load_book(file, cls)
        return found, command, str(file)
    shipped = shipped_book(cls)
    if shipped is None:
        raise FileError(f"the package has no book of {cls.__name__}; give the FILE of one")
    return *shipped, "of the package"
