"""`zermelo convert`: converts game and position files between formats."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, NoReturn

import typer

from zermelo import formatting
from zermelo._util.terminal import data_stream, print_json, print_line
from zermelo._util.user_files import input_name, open_input
from zermelo.cli import arguments, screen
from zermelo.cli.arguments import Game
from zermelo.core.game import State
from zermelo.errors import FormatError

if TYPE_CHECKING:
    from zermelo.formats.record import Record
    from zermelo.formats.registry import Format

#: Maximum number of unreadable games to list.
MAX_REPORTED = 20
#: Stop when this many games are unreadable and none was read: the format must be wrong.
GIVE_UP_AFTER = 100


def convert(
    game: Game,
    source: Annotated[str, typer.Argument(metavar="IN", hidden=True)] = "",
    origin: Annotated[
        str, typer.Option("--from", metavar="FORMAT", help="Input format. Default: by the extension of IN.")
    ] = "",
    goal: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="FORMAT",
            help="Output format, or html: a page that shows the games. Default: by the extension.",
        ),
    ] = "",
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Output file; - is standard output.")
    ] = "-",
    formats: Annotated[bool, typer.Option("--formats", help="List the formats of the game and exit.")] = False,
    quiet: arguments.Quiet = False,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", help="Print a JSON summary (written, skipped); needs -o FILE.", rich_help_panel="Output"
        ),
    ] = False,
) -> None:
    """Convert game and position files between formats.

    Unreadable games are skipped and reported with number and line; the exit code is then 2. FILE is written completely
    or not at all.
    """
    from zermelo.formats import registry as table
    from zermelo.interactive.game_page import HTML, is_page

    cls = arguments.load(game)
    if formats:
        _list(cls, as_json)
        return
    if not source:
        raise FormatError(f"convert {game}: missing input file; use - for standard input (see zermelo convert --help)")
    if as_json and output == "-":
        raise FormatError("convert: --json needs -o FILE")
    reading = table.get_format(cls, origin) if origin else named_format(cls, source, "--from", "convert")
    to_page = goal == HTML or (not goal and is_page(output))
    writing = None
    if not to_page:
        writing = _output_format(cls, goal, output)
    _check_different(source, output)
    lost: list[FormatError] = []  # the first ones, to report
    left_out: dict[str, None] = {}  # tags
    count = losses = unwritten = 0

    def lose(error: FormatError) -> None:
        nonlocal losses
        losses += 1
        if as_json or losses <= MAX_REPORTED:
            lost.append(error)
        if losses == GIVE_UP_AFTER and not count:
            give_up(
                f"none of the first {GIVE_UP_AFTER} games can be {wanted(f'read; is it {reading.name}?')} {lost[0]}"
            )

    def wanted(read: str) -> str:
        return f"written as {writing.name}:" if unwritten and writing is not None else read

    def give_up(why: str) -> NoReturn:
        raise FormatError(f"{input_name(source)}: {why}")

    def records(file: BinaryIO) -> Iterator[Record]:
        try:
            yield from reading.read_file(file, lose, source)
        except OSError as error:
            give_up(error.strerror or str(error))

    to_file = output != "-"
    with (
        screen.Progress("converting", quiet or not to_file, compiles=False) as progress,
        arguments.blaming(cls),
        open_input(source) as file,
        written(output) as out,
    ):
        target = _Target(writing, output, out)
        for record in records(file):
            try:
                _add(target, record, left_out)
            except FormatError as error:  # what the output format cannot express
                unwritten += 1
                lose(FormatError(error.wrong, game=count + losses + 1, line=error.line, move=error.move))
                continue
            count += 1
            if count % 100 == 0:
                progress.doing = f"converting  {formatting.plural(count, 'game')}"
        if not count:  # no file takes the place of another for this
            if not losses:
                give_up(f"contains no game; is it {reading.name}?")
            give_up(f"none of the {losses} games can be {wanted('read:')} {lost[0]}" if losses > 1 else str(lost[0]))
        target.finish()
    if not quiet:
        _tell(source, lost, losses)
        if left_out and writing is not None:
            tags = ", ".join(left_out)
            print_line(f"note: {input_name(source)}: {writing.name} does not have these tags: {tags}", error=True)
    if as_json:
        summary = _summary(game, source, output, reading, writing.name if writing else HTML, count, lost)
        print_json({**summary, "tags_left_out": list(left_out)})
    elif to_file:
        print_line(f"{output}: {formatting.plural(count, 'game')}{f', {losses:,} lost' if losses else ''}")
    if losses:
        raise typer.Exit(2)


def _output_format(cls: type[State], goal: str, output: str) -> Format:
    """Return the format named by `--to` or the extension. Raises `FormatError` for a binary one without a file."""
    from zermelo.formats import registry as table

    found = table.get_format(cls, goal) if goal else named_format(cls, output, "--to", "convert")
    if found.binary and output == "-":
        raise FormatError(f"convert: {found.name} is a binary format and needs a file name (-o FILE)")
    return found


class _Target:
    """Writes games to a file: text game by game, binary formats and pages (`writing` None) at the end."""

    def __init__(self, writing: Format | None, output: str, out: BinaryIO) -> None:
        self._writing, self._output, self._out = writing, output, out
        self._binary = writing.binary.writer() if writing is not None and writing.binary else None
        self._page: list[Record] = []

    def add(self, record: Record) -> None:
        """Add a game. Raises `FormatError` if the format cannot express it."""
        if self._writing is None:
            self._page.append(record)
        elif self._binary is not None:
            self._binary.add(record)
        else:
            self._out.write(self._writing.text(record).encode())

    def finish(self) -> None:
        """Write what has been collected, with the files that belong beside it."""
        if self._page:
            from zermelo.interactive.game_page import page_of

            self._out.write(page_of(self._page).encode())
        if self._binary is not None:
            from zermelo._util import atomic_files
            from zermelo.formats.registry import files_by_path

            contents = files_by_path(self._binary, self._output)
            self._out.write(contents.pop(self._output))
            for path, content in contents.items():
                atomic_files.write(path, content)


def _add(target: _Target, record: Record, left_out: dict[str, None]) -> None:
    """Add a game without the tags that the format does not have; `left_out` gets their names."""
    while True:
        try:
            target.add(record)
        except FormatError as error:
            if error.tag not in record.tags:
                raise
            left_out[error.tag] = None
            record = replace(record, tags={name: text for name, text in record.tags.items() if name != error.tag})
        else:
            return


def _check_different(source: str, output: str) -> None:
    """Refuse to write over the input."""
    if source != "-" and output != "-" and os.path.exists(output) and os.path.samefile(source, output):
        raise FormatError(f"convert: input and output are the same file: {output}")


def named_format(cls: type[State], file: str, option: str, command: str) -> Format:
    """Format by the extension of a file; `option` names it otherwise."""
    from zermelo.formats import registry as table

    found = table.format_for_file(cls, file) if file != "-" else None
    if found is None:
        where = ("standard input" if option == "--from" else "standard output") if file == "-" else file
        known = ", ".join(table.formats_of(cls))
        if option == "--output":
            raise FormatError(f"{command}: unknown extension of {where}; expected one of {known}, html")
        raise FormatError(f"{command}: unknown extension of {where}; use {option} with one of {known}")
    return found


@contextmanager
def written(output: str) -> Iterator[BinaryIO]:
    """Where to write: a file that is there whole or not at all, or standard output."""
    from zermelo._util.atomic_files import writing

    if output != "-":
        with writing(output) as file:
            yield file
        return
    with data_stream() as file:
        yield file


def _tell(source: str, lost: list[FormatError], losses: int) -> None:
    """Which games were lost, a line each, and how many more."""
    for error in lost[:MAX_REPORTED]:
        print_line(f"zermelo: {input_name(source)}: {error}", error=True)
    if losses > MAX_REPORTED:
        print_line(f"zermelo: {input_name(source)}: {losses - MAX_REPORTED:,} more games are lost", error=True)


def _list(cls: type[State], as_json: bool) -> None:
    from zermelo.formats import registry as table

    known = table.formats_of(cls).values()
    if as_json:
        print_json({each.name: {"about": each.description, "suffixes": list(each.suffixes)} for each in known})
        return
    rows = [("format", "files", "what it is")]
    screen.table(screen.console(), rows + [(each.name, " ".join(each.suffixes), each.description) for each in known])


def _summary(
    game: str, source: str, output: str, reading: Format, writing: str, count: int, lost: list[FormatError]
) -> dict[str, Any]:
    losses = [{"game": each.game, "line": each.line, "move": each.move, "error": each.wrong} for each in lost]
    return {
        "game": game,
        "in": source,
        "from": reading.name,
        "out": output,
        "to": writing,
        "games": count,
        "lost": losses,
    }
