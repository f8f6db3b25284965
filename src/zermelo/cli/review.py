"""`zermelo review`: what each move of a game lost, with marks, accuracy, curve and an annotated file."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any

import typer

from zermelo import formatting
from zermelo._util.terminal import print_json, print_line
from zermelo._util.user_files import input_name, open_input
from zermelo.cli import INTERRUPTED, arguments, screen
from zermelo.cli.arguments import Game, GameEvaluation
from zermelo.cli.convert import MAX_REPORTED, named_format, written
from zermelo.core.game import CHANCE, MAX, MIN, State
from zermelo.errors import FormatError, LimitError

if TYPE_CHECKING:
    from zermelo.cli.console import Console
    from zermelo.formats.record import Record
    from zermelo.formats.registry import Format
    from zermelo.review.results import GameReview, MoveReview
    from zermelo.review.reviewer import Book, Settings

#: Boards that are printed by default, and moves of a best line in the table.
BOARDS, MAX_LINE = 3, 6
_RANGE = re.compile(r"([0-9]{1,9})(?:-([0-9]{1,9}))?")


def review(
    game: Game,
    source: Annotated[str, typer.Argument(metavar="FILE", hidden=True)],
    origin: Annotated[
        str, typer.Option("--from", metavar="FORMAT", help="Format of FILE. Default: by its extension.")
    ] = "",
    games: Annotated[str, typer.Option(metavar="LIST", help="Games of the file to review: 1,3-5. Default: all.")] = "",
    depth: Annotated[
        int | None,
        typer.Option(metavar="N", help="Maximum depth of each search in plies.", rich_help_panel="Search limits"),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(metavar="S", help="Time limit of each search in seconds.", rich_help_panel="Search limits"),
    ] = None,
    nodes: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Node limit of each search. Default: 200,000; 5,000 in games without an evaluation.",
            rich_help_panel="Search limits",
        ),
    ] = None,
    exact: Annotated[
        bool, typer.Option("--exact", help="Solve every position of the game.", rich_help_panel="Search limits")
    ] = False,
    selective: Annotated[
        bool, typer.Option("--selective", help="Search selectively: deeper, but scores may differ. Default: exactly.")
    ] = False,
    confidence: arguments.Confidence = None,
    parameters: arguments.Parameters = "",
    evaluation: GameEvaluation = None,
    book: Annotated[
        str, typer.Option(metavar="FILE", help="Polyglot opening book of chess: its moves are not judged.")
    ] = "",
    resume: Annotated[
        str, typer.Option(metavar="FILE", help="Save each reviewed move in FILE, and continue from it if it exists.")
    ] = "",
    output: Annotated[
        str,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write the annotated games, in the format of the extension; .html is a page that shows them.",
            rich_help_panel="Output",
        ),
    ] = "",
    all_moves: Annotated[
        bool, typer.Option("--all", help="List all moves, not only those with a mark.", rich_help_panel="Output")
    ] = False,
    boards: Annotated[
        int, typer.Option(metavar="N", help="Print the boards of the N worst moves.", rich_help_panel="Output")
    ] = BOARDS,
    quiet: arguments.Quiet = False,
    as_json: arguments.Json = False,
) -> None:
    """Review games: loss of each move, inaccuracies, mistakes and blunders, accuracy, best lines.

    Each position is searched with the same limits. With --nodes or --depth the result is the same every time. Ctrl-C
    prints what has been reviewed so far.
    """
    from zermelo.formats import registry as table
    from zermelo.formats.polyglot import Book as Polyglot
    from zermelo.interactive.game_page import is_page, page_of
    from zermelo.review.results import GameReview
    from zermelo.review.review_file import ReviewFile
    from zermelo.review.reviewer import Settings, check_reviewable
    from zermelo.search.selective import Selective

    cls = arguments.load(game)
    chosen, weights = arguments.evaluation_of(cls, evaluation)
    selectivity = arguments.selectivity(cls, selective or None, confidence, parameters, exact=exact)
    how = selectivity if isinstance(selectivity, Selective) else selective
    settings = Settings(depth, seconds, nodes, exact, chosen, confidence, weights, how).with_default(cls)
    check_reviewable(cls, settings)
    if confidence not in (None, 100) and not quiet:
        arguments.note_other_weights(game, cls, chosen, evaluation, confidence)
    wanted = _numbers(games)
    if boards < 0:
        raise LimitError(f"--boards must be at least 0 (got {boards})")
    reading = table.get_format(cls, origin) if origin else named_format(cls, source, "--from", "review")
    writing = named_format(cls, output, "--output", "review") if output and not is_page(output) else None
    if writing is not None and not writing.annotations:
        raise FormatError(f"--output {output}: {writing.name} has no annotations; write a .json file")
    if book and cls.__name__ != "Chess":
        raise LimitError(f"--book is a Polyglot book, which {cls.__name__} does not have; it is for chess")
    reviews: list[GameReview] = []
    lost: list[FormatError] = []
    interrupted = False
    with ExitStack() as stack:
        known = stack.enter_context(ReviewFile(resume, cls, settings)) if resume else None
        moves_of = _book(stack.enter_context(Polyglot(book))) if book else None
        out = stack.enter_context(written(output)) if output else None
        stack.enter_context(arguments.blaming(cls))
        records = _records(reading, source, wanted, lost.append)
        try:
            with screen.Progress("reviewing", quiet) as progress:
                for number, record in records:
                    found = GameReview(record)
                    reviews.append(found)
                    _review(found, number, settings, known, moves_of, progress)
        except KeyboardInterrupt:
            interrupted = True
        if out is not None and is_page(output):
            out.write(page_of(reviews).encode())
        if out is not None and writing is not None:
            from zermelo.review.annotation import annotated

            for found in reviews:
                out.write(writing.text(annotated(found, writing.annotations)).encode())
        if as_json:
            given = {"game": game, "file": source, "settings": settings.as_dict()}
            print_json({**given, "games": [found.as_dict() for found in reviews]})
        else:
            for found in reviews:
                _print(screen.console(), found, all_moves, boards)
    for error in lost[:MAX_REPORTED]:
        print_line(f"zermelo: {input_name(source)}: {error}", error=True)
    if interrupted:
        raise typer.Exit(INTERRUPTED)
    if lost:
        raise typer.Exit(2)


def _review(
    found: GameReview, number: int, settings: Settings, known: Any, book: Book | None, progress: screen.Progress
) -> None:
    """Review one game, with progress."""
    from zermelo.review.reviewer import review_moves

    record = found.record
    total = len(record.moves())
    for move in known.known(record) if known else []:
        found.add(move)
    what = f"reviewing game {number}"
    progress.begin(what, len(found.moves), total)
    for move in review_moves(record, settings, list(found.moves.values()), book):
        found.add(move)
        if known:
            known.add(record, move)
        progress.at(f"{what}, move {len(found.moves)} of {total}", len(found.moves), total)


def _numbers(text: str) -> list[range]:
    """Return the ranges of a list like 1,3-5; empty for all."""
    ranges = []
    for item in filter(None, text.split(",")):
        found = _RANGE.fullmatch(item.strip())
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (0, 0)
        if not 1 <= first <= last:
            raise LimitError(f"--games must be numbers and ranges such as 1,3-5 (got {text!r})")
        ranges.append(range(first, last + 1))
    return ranges


def _records(
    reading: Format, source: str, wanted: list[range], lose: Callable[[FormatError], None]
) -> Iterator[tuple[int, Record]]:
    """Yield the wanted games of a file that have moves, with their numbers."""
    last = max((each[-1] for each in wanted), default=0)
    number = count = 0
    refused: list[FormatError] = []

    def unreadable(error: FormatError) -> None:
        nonlocal number
        number += 1
        refused.append(error)
        if not wanted or any(number in each for each in wanted):
            lose(error)

    with open_input(source) as file:
        for record in reading.read_file(file, unreadable, source):
            number += 1
            if wanted and not any(number in each for each in wanted):
                continue
            if record.moves():
                count += 1
                yield number, record
            if number == last:
                break
    if number < last and not (refused and len(refused) == number):
        raise FormatError(f"{input_name(source)}: --games {last}: the file has {formatting.plural(number, 'game')}")
    if not count and refused:
        raise FormatError(f"{input_name(source)}: {refused[0]}")
    if not count:
        raise FormatError(f"{input_name(source)}: there is no game with moves in it; is it {reading.name}?")


def _book(book: Any) -> Book:
    return lambda state, last: [move for move, weight in book.moves(state, last) if weight]


# ---- printing -----------------------------------------------------------------------------------------------------


def _print(out: Console, found: GameReview, all_moves: bool, boards: int) -> None:
    """Print the review of a game: players, curve, moves, boards of the worst moves."""
    from zermelo.cli.curve import LEGEND, curve_text
    from zermelo.review.results import move_label

    record = found.record
    summaries = {side: found.summary(side) for side in (MAX, MIN)}
    names = [
        f"{each.name} ({each.player})" if each.name not in ("", each.player) else each.player
        for each in summaries.values()
    ]
    incomplete = "" if found.is_complete else f"; {len(found.moves)} of {len(record.moves())} moves reviewed"
    screen.heading(out, " - ".join(names), f"{record.result}{incomplete}")
    out.print()
    marked = {move.ply: (move.side, move.mark) for move in found.in_order() if move.mark}
    players = (summaries[MAX].player, summaries[MIN].player)
    columns = max(screen.width() - max(map(len, players)) - 6, 20)
    blocks = (sys.stdout.encoding or "").casefold().startswith("utf")
    out.block(curve_text(found.curve(), marked, players, min(columns, 100), blocks=blocks))
    if marked:
        out.print(f"  {LEGEND}")
    out.print()
    screen.table(out, _summary_rows(list(summaries.values())))
    moves = [move for move in found.in_order() if move.side != CHANCE and (all_moves or move.mark or move.missed_win)]
    if moves:
        out.print()
        is_selective = any(move.is_selective for move in found.in_order())
        rows: list[tuple[str, ...]] = [("move", "mark", "loss", "score", "best", "its score", "depth", "line")]
        rows += [_move_row(found, move) for move in moves]
        if is_selective:  # before the line
            certain = ["confidence", *map(_confidence, moves)]
            rows = [(*row[:-1], each, row[-1]) for row, each in zip(rows, certain, strict=True)]
        screen.table(out, rows)
    worst = sorted((move for move in found.in_order() if move.mark), key=lambda move: -move.result_loss)[:boards]
    for move in sorted(worst, key=lambda move: move.ply):
        from zermelo.review.annotation import remark

        state = _state_at(record, move.ply)
        out.print()
        out.block(state.board())
        out.print(f"  {move_label(record, move.ply)} {move.text}: {remark(move)}")
    out.print()


def _summary_rows(summaries: list[Any]) -> list[tuple[str, ...]]:
    units = list(dict.fromkeys(unit for each in summaries for unit, loss in each.mean_loss.items() if loss))
    has_luck = any(each.luck is not None for each in summaries)
    head = ["", "accuracy", "inaccuracies", "mistakes", "blunders", "missed wins"]
    rows = [(*head, *(f"mean loss ({formatting.unit_shown(unit)})" for unit in units), *(["luck"] if has_luck else []))]
    for each in summaries:
        accuracy = "-" if each.accuracy is None else f"{each.accuracy:.1f} %"
        counts = [str(count) for count in [*each.marks.values(), each.missed_wins]]
        losses = [formatting.amount(each.mean_loss[unit], unit) if unit in each.mean_loss else "-" for unit in units]
        luck = [f"{each.luck:+.3f}"] if each.luck is not None else []
        rows.append((each.player, accuracy, *counts, *losses, *luck))
    return rows


def _move_row(found: GameReview, move: MoveReview) -> tuple[str, ...]:
    from zermelo.review.marks import SYMBOLS
    from zermelo.review.results import loss_text, move_label

    state = found.record.start
    played, best = (formatting.short_score(state, each.score) for each in (move.played, move.best))
    notes = [move.mark, "misses a win" if move.missed_win else "", "only move" if move.only_move else ""]
    if move.is_exact and move.mark:
        notes.append("proven")
    depth = str(move.depth or "-")
    label = f"{move_label(found.record, move.ply)} {move.text}{SYMBOLS.get(move.mark, '')}"
    if not move.is_judged:
        return (label, move.not_judged, "", played, "", "", depth, "")
    is_best = move.played.moves[:1] == move.best.moves[:1]
    line = " ".join(move.best.names[:MAX_LINE])
    note = ", ".join(filter(None, notes))
    lost = "" if move.is_best else loss_text(move)
    return (label, note, lost, played, *(("", "", depth, "") if is_best else (move.best.names[0], best, depth, line)))


def _confidence(move: MoveReview) -> str:
    unknown = "selective" if move.is_selective else "-"
    return unknown if move.confidence is None else f"{move.confidence} %"


def _state_at(record: Record, ply: int) -> State:
    state = record.start
    for step in record.line.steps[:ply]:
        if step.move is not None:
            state = state.play(step.move)
    return state
