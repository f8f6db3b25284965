"""What holds for all tests: none of them writes into the user's folders. The table of hostile programs.

Each test of hostile programs records how they ended. The end of the run prints the counts and writes the table to the
file that ZERMELO_HOSTILE_TABLE names, by default `zermelo-hostile-programs.csv` in the folder of temporary files.
"""

import csv
import io
import json
import os
import re
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import hypothesis
import pytest

# A busy machine is slow, and no test depends on time.
hypothesis.settings.register_profile("zermelo", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow])
hypothesis.settings.load_profile("zermelo")
# A shell without job control starts background programs with Ctrl-C ignored, and what they start ignores it too.
if threading.current_thread() is threading.main_thread():
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def runs_of_their_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Runs whose store nobody names are kept in a folder that goes away with the tests, in programs of theirs too."""
    folder = tmp_path_factory.mktemp("runs")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZERMELO_RUNS_DIR", str(folder))
        yield folder


@pytest.fixture(scope="session", autouse=True)
def no_endgame_tables() -> Iterator[None]:
    """Searches use no endgame tables, and programs build none; tests of tables choose a folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZERMELO_TABLES_DIR", "none")
        yield


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A running Chromium; the test is skipped where there is none."""
    from browsers import chromium

    with chromium() as running:
        yield running


#: What a command says of code that it compiles, which depends on the tests before.
COMPILING = re.compile(r"^zermelo: compiling .* for this machine, once .*\n", re.MULTILINE)


class Done(NamedTuple):
    """What a command answered, without notes on compiling."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


@pytest.fixture
def zermelo(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Run a command in this process, which takes milliseconds: its words, and what is `typed` on standard input."""
    from zermelo.cli import main

    monkeypatch.delenv("ZERMELO_TRACE", raising=False)

    def run(*words: str, typed: str | bytes = "") -> Done:
        monkeypatch.setattr(
            sys, "stdin", io.TextIOWrapper(io.BytesIO(typed)) if isinstance(typed, bytes) else io.StringIO(typed)
        )
        capsys.readouterr()
        code = main(words)
        out, err = capsys.readouterr()
        return Done(code, out, COMPILING.sub("", err))

    return run


@pytest.hookimpl(optionalhook=True)  # without pytest-xdist there are no workers
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Two workers a processor: a third of the tests' time is spent waiting for programs, servers and browsers.

    The tests of `make quick` wait for nothing, and each worker takes seconds to collect them.
    """
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return processors if "quick" in config.option.markexpr else 2 * processors


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    reports = [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]
    rows = [value for report in reports for name, value in report.user_properties if name == "hostile"]
    if not rows:
        return
    default = os.path.join(tempfile.gettempdir(), "zermelo-hostile-programs.csv")
    path = os.environ.get("ZERMELO_HOSTILE_TABLE", default)
    with open(path, "w", newline="", encoding="utf-8", errors="backslashreplace") as file:
        csv.writer(file).writerows([("grader", "runs as", "tries", "ended", "text"), *rows])
    terminalreporter.section("hostile programs")
    ends: dict[tuple[str, str], dict[str, int]] = {}
    for grader, host, _, end, _ in rows:
        counts = ends.setdefault((grader, host), {})
        counts[end] = counts.get(end, 0) + 1
    for (grader, host), counts in ends.items():
        terminalreporter.line(f"{grader}, {host}: " + ", ".join(f"{count} {end}" for end, count in counts.items()))
    terminalreporter.line(f"all {len(rows)} rows: {path}")
