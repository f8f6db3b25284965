"""What the commands draw on: the two consoles, and the display while something runs.

Colours and moving displays are for terminals only (and `NO_COLOR` is obeyed); elsewhere plain lines are written.
"""

from __future__ import annotations

import shutil
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from zermelo.cli import formatting as words

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from zermelo.search.analysis import Analysis

# A note that code is being compiled waits so long where it cannot be taken back: a game that does not compile is
# refused within that time, and then the refusal is the only line.
NOTE_AFTER = 10.0
REFRESHES = 10  # a second


def console(stderr: bool = False) -> Console:
    """A console that prints text as it is: no markup, no guessed colours, no wrapping of boards."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, highlight=False, emoji=False, soft_wrap=True)


def width(error: bool = False) -> int:
    """The columns there are to write on, or for what goes to standard error; plenty where it is no terminal."""
    stream = sys.stderr if error else sys.stdout
    return shutil.get_terminal_size().columns if stream.isatty() else 1000


def facts(screen: Console, rows: list[tuple[str, str]], bold: str = "") -> None:
    """Names and values in two columns, long values continued below themselves; the value of `bold` stands out."""
    from rich.text import Text

    name_width = max(len(name) for name, _ in rows)
    for name, value in rows:
        room = max(width() - name_width - 5, 20)
        lines = textwrap.wrap(value, room, break_long_words=False, break_on_hyphens=False) or [""]
        head = Text("  ").append(name.ljust(name_width), "dim").append("  ")
        screen.print(head.append(lines[0], "bold" if name == bold else ""))
        for line in lines[1:]:
            screen.print(" " * (name_width + 4) + line)


def table(screen: Console, rows: Sequence[Sequence[str]]) -> None:
    """Rows in columns, the first a header; on a terminal the last column is cut where its room ends."""
    from rich.text import Text

    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for number, row in enumerate(rows):
        line = "  ".join(cell.ljust(wide) for cell, wide in zip(row, widths, strict=True)).rstrip()
        text = Text(f"  {line}", "" if number else "dim")
        text.truncate(width(), overflow="ellipsis")
        screen.print(text)


class Progress:
    """The display on standard error while something is compiled, searched or counted; gone when it is done.

    Within `with`, notes of the compiler come here. On a terminal a spinner and what is known so far are drawn,
    with a bar where `seconds` are given; elsewhere only the note that something is compiled is written.
    """

    def __init__(
        self,
        doing: str,
        quiet: bool = False,
        seconds: float | None = None,
        *,
        compiles: bool = True,
        tells_notes: bool = True,
    ) -> None:
        """`compiles`: whether notes of the compiler are to be expected (listening to it loads Numba), `tells_notes`:
        whether they are shown, or only counted.
        """
        self.doing = doing
        self.seconds = seconds
        self.steps: tuple[int, int] | None = None  # done, in all: drawn as a bar
        self.nodes: Callable[[], int] | None = None  # how many were visited, where that can be asked for
        self.body: RenderableType | None = None  # what stands above it all
        self.notes = 0  # that something is compiled
        self._compiles = compiles
        self._tells_notes = tells_notes
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
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._restore()
        if self._live is not None:
            self._live.stop()
        self._settle(said=kind is None)

    def note(self, text: str) -> None:
        """What the compiler says. What ends in dots goes on for a while; anything else stays on the screen."""
        self.notes += text.endswith("...")
        if self._quiet or not self._tells_notes:
            return
        if not text.endswith("..."):
            print(text, file=sys.stderr, flush=True)
        elif self._live is not None:
            self._note = text.removeprefix("zermelo: ").partition(" (")[0].removesuffix("...").strip()
            self._began = time.monotonic()
        else:
            self._settle(said=True)
            self._note = text
            self._waiting = threading.Timer(NOTE_AFTER, self._settle, [True])
            self._waiting.daemon = True
            self._waiting.start()

    def show(self, known: Analysis) -> None:
        """What a search has found so far."""
        self._settle(said=True)
        if self._known is None:
            self._began = time.monotonic() - known.seconds
        self._known = known

    def begin(self, doing: str, done: int = 0, steps: int = 0) -> None:
        """The next thing that is done; the first `done` of so many `steps` have been."""
        self._settle(said=True)
        self.doing = doing
        self.steps = (done, steps) if steps else None
        self._began = time.monotonic()

    def at(self, doing: str, done: int, steps: int) -> None:
        """How far it is by now: whatever was compiled for it is ready. `steps` 0: nobody knows how many."""
        self._settle(said=True)
        self.doing = doing
        self.steps = (done, steps) if steps else None

    def say(self, text: str) -> None:
        """A line that stays, on standard error above the display."""
        if not self._quiet:
            self._screen.print(text)

    @property
    def is_live(self) -> bool:
        """Whether it is drawn at all."""
        return self._live is not None

    def elapsed(self) -> float:
        """Seconds since it began, compiling left out."""
        return time.monotonic() - self._began

    def _settle(self, said: bool) -> None:
        """The note waits no longer: it is written, or dropped."""
        note, self._note = self._note, ""
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None
            if note and said:
                print(note, file=sys.stderr, flush=True)

    # ---- drawing -----------------------------------------------------------------------------------------

    def _drawn(self) -> RenderableType:
        """The display as it is now; called by the thread that refreshes it."""
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.text import Text

        elapsed = self.elapsed()
        columns = self._screen.width
        known = self._known
        told = self._note or self.doing
        if not self._note and known is not None and known.lines:
            score = words.line_score(known, known.lines[0])
            told = f"depth {known.depth}  score {score}  {words.count(known.nodes)} nodes"
        elif self.nodes is not None:
            told += f"  {words.count(self.nodes())} nodes"
        parts: list[RenderableType] = []
        head = Text(no_wrap=True, overflow="ellipsis")
        head.append_text(self._spinner.render(time.monotonic())).append(f" {told}  ")
        parts.append(head.append(words.seconds(elapsed), "dim"))
        if known is not None and not self._note:
            parts.append(Text("  " + " ".join(known.line), "bold", no_wrap=True, overflow="ellipsis"))
        done, whole = self.steps or (elapsed, self.seconds or 0)
        if whole and (self.steps or not self._note):
            bar = ProgressBar(whole, min(done, whole), min(60, columns - 4), complete_style="cyan")
            parts.append(bar)
        return Group(*([] if self.body is None else [self.body]), *parts)


def _listen(listener: Callable[[str], None]) -> Callable[[], None]:
    """Send the compiler's notes to a listener. Returns what undoes it."""
    from zermelo.compiled import cache

    before = cache.listener
    cache.listener = listener

    def restore() -> None:
        cache.listener = before

    return restore
