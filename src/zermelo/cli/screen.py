"""Output to the terminal: consoles, tables, and the progress display.

Colours and live displays are for terminals only (`NO_COLOR` turns colours off); elsewhere plain lines are written.
"""

from __future__ import annotations

import shutil
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import zip_longest
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from zermelo import formatting
from zermelo._util.terminal import LONGEST_RESULT, print_line
from zermelo._util.text import single_line

if TYPE_CHECKING:
    from rich.console import RenderableType

    from zermelo.cli.console import Console
    from zermelo.search.analysis import Analysis

# Off a terminal, seconds before the note that code is being compiled is printed. A game that does not compile is
# refused within that time, and then the error is the only line.
NOTE_AFTER = 10.0
REFRESHES = 10  # per second
NARROWEST = 8  # columns of a cell that is wrapped


def console(stderr: bool = False) -> Console:
    """Console of standard output or standard error."""
    from zermelo.cli.console import Console  # rich takes 60 ms to import

    return Console(error=stderr)


def width(error: bool = False) -> int:
    """Columns of the terminal of standard output or standard error; 1,000 if it is not a terminal."""
    stream = sys.stderr if error else sys.stdout
    return shutil.get_terminal_size().columns if stream.isatty() else 1000


def heading(screen: Console, title: str, text: str) -> None:
    """Print a title in bold and a text after it, wrapped to the width of the terminal."""
    from rich.text import Text

    lines = textwrap.wrap(single_line(f"{title}: {text}", LONGEST_RESULT), width(), subsequent_indent="  ")
    whole = Text("\n".join(lines))
    whole.stylize("bold", 0, len(title))
    screen.block(whole)


def facts(screen: Console, rows: list[tuple[str, str]], bold: str = "") -> None:
    """Print names and values in two columns, with long values wrapped; the value of `bold` is bold."""
    from rich.text import Text

    name_width = max(len(name) for name, _ in rows)
    for name, value in rows:
        room = max(width() - name_width - 5, 20)
        lines = textwrap.wrap(
            single_line(value, LONGEST_RESULT), room, break_long_words=False, break_on_hyphens=False
        ) or [""]
        head = Text("  ").append(name.ljust(name_width), "dim").append("  ")
        screen.print(head.append(lines[0], "bold" if name == bold else ""))
        for line in lines[1:]:
            screen.print(" " * (name_width + 4) + line)


def table(screen: Console, rows: Sequence[Sequence[str]]) -> None:
    """Print rows in columns, the first a header; on a terminal, cells that do not fit are wrapped."""
    from rich.text import Text

    rows = [[single_line(cell) for cell in row] for row in rows]
    widths = _column_widths(rows, width() - 2 if sys.stdout.isatty() else None)
    for number, row in enumerate(rows):
        cells = [_wrapped(cell, wide) for cell, wide in zip(row, widths, strict=True)]
        for parts in zip_longest(*cells, fillvalue=""):
            line = "  ".join(part.ljust(wide) for part, wide in zip(parts, widths, strict=True)).rstrip()
            screen.print(Text(f"  {line}", "" if number else "dim"))


def _column_widths(rows: Sequence[Sequence[str]], room: int | None) -> list[int]:
    """Widths of columns that fit into `room`: the widest are narrowed first, and words are broken last."""
    columns = list(zip(*rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    if room is None:
        return widths
    words = [max(len(word) for cell in column for word in (cell.split() or [""])) for column in columns]
    room = max(room - 2 * (len(columns) - 1), NARROWEST * len(columns))
    for least in (words, [NARROWEST] * len(columns)):
        while sum(widths) > room:
            wider = [(wide, index) for index, wide in enumerate(widths) if wide > least[index]]
            if not wider:
                break
            widths[max(wider)[1]] -= 1
    return widths


def _wrapped(cell: str, wide: int) -> list[str]:
    """The lines of a cell; blanks that align a short one remain."""
    return [cell] if len(cell) <= wide else textwrap.wrap(cell, wide, break_on_hyphens=False)


def report_wait(text: str) -> None:
    """Report that a lock of another program delays a store; see `Store.open`."""
    print_line(f"zermelo: {text}", error=True)


class Progress:
    """Progress display on standard error while something is compiled, searched or counted; removed at the end.

    Within `with`, the compiler's notes are shown here. On a terminal it draws a spinner and intermediate results, with
    a bar if `seconds` is given; elsewhere only notes of compiling are printed.
    """

    def __init__(
        self,
        doing: str,
        quiet: bool = False,
        seconds: float | None = None,
        *,
        compiles: bool = True,
        shows_notes: bool = True,
    ) -> None:
        """`compiles`: listen to the compiler (loads Numba); `shows_notes`: print its notes, not only count them."""
        self.doing = doing
        self.seconds = seconds
        self.steps: tuple[int, int] | None = None  # (done, total), drawn as a bar
        self.nodes: Callable[[], int] | None = None  # nodes visited so far, if known
        self.body: RenderableType | None = None  # drawn above the progress line
        self.notes = 0  # compiler notes so far
        self._compiles = compiles
        self._shows_notes = shows_notes
        self._quiet = quiet
        self._began = time.monotonic()
        self._known: Analysis | None = None
        self._note = ""
        self._waiting: threading.Timer | None = None
        self._live: Any = None
        self._spinner: Any = None
        self._restore: Callable[[], None] = lambda: None

    def __enter__(self) -> Self:
        if self._compiles:
            self._restore = _listen(self.note)
        self._screen = screen = console(stderr=True)
        if not self._quiet and screen.is_terminal and not screen.is_dumb_terminal:
            from rich.live import Live
            from rich.spinner import Spinner

            self._spinner = Spinner("dots" if screen.encoding.startswith("utf") else "line")
            self._live = Live(get_renderable=self._drawn, console=screen, transient=True, refresh_per_second=REFRESHES)
            try:
                self._live.start()
            except RuntimeError:  # the system refuses a thread: nothing is drawn
                with suppress(RuntimeError):
                    self._live.stop()
                self._live = None
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._restore()
        if self._live is not None:
            self._live.stop()
        self._settle(shown=kind is None)

    def note(self, text: str) -> None:
        """Show a compiler note. One that ends in `...` announces work; any other stays on the screen."""
        self.notes += text.endswith("...")
        if self._quiet or not self._shows_notes:
            return
        if not text.endswith("..."):
            print_line(text, error=True)
        elif self._live is not None:
            self._note = text.removeprefix("zermelo: ").partition(" (")[0].removesuffix("...").strip()
            self._began = time.monotonic()
        else:
            self._settle(shown=True)
            self._note = text
            self._waiting = threading.Timer(NOTE_AFTER, self._settle, [True])
            self._waiting.daemon = True
            try:
                self._waiting.start()
            except RuntimeError:  # the system refuses a thread: the note is printed at once
                self._settle(shown=True)

    def show(self, known: Analysis) -> None:
        """Show the result of a search so far."""
        self._settle(shown=True)
        if self._known is None:
            self._began = time.monotonic() - known.seconds
        self._known = known

    def begin(self, doing: str, done: int = 0, steps: int = 0) -> None:
        """Start the next activity; `done` of `steps` are finished."""
        self._settle(shown=True)
        self.doing = doing
        self.steps = (done, steps) if steps else None
        self._began = time.monotonic()

    def at(self, doing: str, done: int, steps: int) -> None:
        """Update the activity; compiling has finished. `steps` 0 means that the total is unknown."""
        self._settle(shown=True)
        self.doing = doing
        self.steps = (done, steps) if steps else None

    def say(self, text: str) -> None:
        """Print a permanent line above the display."""
        if not self._quiet:
            self._screen.print(text)

    @property
    def is_live(self) -> bool:
        """Whether the display is drawn."""
        return self._live is not None

    def elapsed(self) -> float:
        """Seconds since the start, without compiling."""
        return time.monotonic() - self._began

    def _settle(self, shown: bool) -> None:
        """Print or drop a note that is waiting."""
        note, self._note = self._note, ""
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
            if note and shown:
                print_line(note, error=True)

    # ---- drawing -----------------------------------------------------------------------------------------

    def _drawn(self) -> RenderableType:
        """Render the display; called by the refreshing thread."""
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.text import Text

        elapsed = self.elapsed()
        columns = self._screen.width
        known = self._known
        text = single_line(self._note or self.doing)
        if not self._note and known is not None and known.lines:
            score = formatting.line_score(known, known.lines[0])
            text = f"depth {known.depth}  score {score}  {formatting.count(known.nodes)} nodes"
        elif self.nodes is not None:
            text += f"  {formatting.count(self.nodes())} nodes"
        parts: list[RenderableType] = []
        head = Text(no_wrap=True, overflow="ellipsis")
        head.append_text(self._spinner.render(time.monotonic())).append(f" {text}  ")
        parts.append(head.append(formatting.seconds(elapsed), "dim"))
        if known is not None and not self._note:
            parts.append(Text("  " + " ".join(known.line), "bold", no_wrap=True, overflow="ellipsis"))
        done, total = self.steps or (elapsed, self.seconds or 0)
        if total and (self.steps or not self._note):
            bar = ProgressBar(total, min(done, total), min(60, columns - 4), complete_style="cyan")
            parts.append(bar)
        return Group(*([] if self.body is None else [self.body]), *parts)


def _listen(listener: Callable[[str], None]) -> Callable[[], None]:
    """Send the compiler's notes to a listener; returns a function that restores the previous one."""
    from zermelo.compiled import cache

    before = cache.listener
    cache.listener = listener

    def restore() -> None:
        cache.listener = before

    return restore
