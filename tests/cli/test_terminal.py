"""Text of any origin reaches the terminal and spreadsheets without control characters and without formulas."""

from __future__ import annotations

import ast
import csv
import io
import os
import re
import sys
import time
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from zermelo._util import terminal
from zermelo._util.csv_files import csv_text
from zermelo._util.text import LONGEST_MESSAGE, single_line, visible, without_controls
from zermelo.cli import screen

SOURCES = Path(terminal.__file__).parents[1]


def test_control_characters_are_visible() -> None:
    assert visible("a\x1b[31m\x07\x9b\x7f\r\nb\t") == "a\\x1b[31m\\x07\\x9b\\x7f\\r\nb\t"
    assert visible("\u202egnp.exe\u200b\ufeff\u2028\udcff") == "\\u202egnp.exe\\u200b\\ufeff\\u2028\\udcff"
    assert visible("Zermelo ± ♔ ½ é 漢字 😀 👍🏽 می") == "Zermelo ± ♔ ½ é 漢字 😀 👍🏽 می"
    assert single_line("a\nb\tc") == "a\\nb\\tc"
    assert without_controls("a\x00\x1b\nb") == "a\ufffd\ufffd\nb"


def test_all_control_characters_of_unicode_are_escaped() -> None:
    # The format characters (Cf) that remain are visible signs of their scripts, such as the Arabic number sign.
    signs = map(chr, range(sys.maxunicode + 1))
    hidden = [sign for sign in signs if unicodedata.category(sign) in ("Cc", "Cf", "Cs", "Zl", "Zp")]
    remaining = [sign for sign in hidden if single_line(sign) == sign]
    assert {unicodedata.category(sign) for sign in remaining} == {"Cf"}
    explicit = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}
    assert not explicit & {unicodedata.bidirectional(sign) for sign in remaining}


def test_a_line_is_bounded() -> None:
    line = single_line("\x00" * 30_000 + "the end")
    assert len(line) <= LONGEST_MESSAGE
    assert single_line("begin" + "x" * 30_000 + "the end").startswith("begin")
    assert single_line("begin" + "x" * 30_000 + "the end").endswith("the end")
    assert single_line("x" * LONGEST_MESSAGE) == "x" * LONGEST_MESSAGE


def test_guarded_streams_escape_what_others_write(capsys: pytest.CaptureFixture[str]) -> None:
    with terminal.guarded_streams():
        sys.stderr.write("warning \x1b]0;title\x07\n")
        sys.stdout.writelines(["\x1b[2J", "a\n"])
        terminal.print_json({"name": "\x1b\x7f\x9b"})
    out, err = capsys.readouterr()
    assert err == "warning \\x1b]0;title\\x07\n"
    assert out == '\\x1b[2Ja\n{"name": "\\u001b\\u007f\\u009b"}\n'
    assert not isinstance(sys.stdout, terminal.GuardedStream)


def test_styled_text_is_escaped_before_it_is_styled(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from rich.text import Text

    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    with terminal.guarded_streams():
        out = screen.console()
        out.print(Text("\x1b[31mname\n2", "bold"))
        out.print("a\nb")
        out.block("a\n\x1b")
        screen.facts(out, [("name\x1b", "a\nb")])
        screen.table(out, [("name", "x"), ("a\n\x1b[2Jb", "y" * 5000)])
    text = capsys.readouterr().out
    assert text.startswith("\x1b[1m\\x1b[31mname\x1b[0m\\n\x1b[1m2\x1b[0m\na\\nb\na\n\\x1b\n")
    plain = text.replace("\x1b[1m", "").replace("\x1b[0m", "").replace("\x1b[2m", "")
    assert "\x1b" not in plain
    assert plain.count("\n") == 7
    assert max(map(len, plain.splitlines())) < 2000


def test_a_table_is_wrapped_on_a_terminal_and_complete(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [("name", "number", "text"), ("a", "   1", "the first of two sentences"), ("b", "1000", "x" * 30)]
    screen.table(screen.console(), rows)
    assert len(capsys.readouterr().out.splitlines()) == 3
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    for name, value in (("COLUMNS", "30"), ("NO_COLOR", "1"), ("TERM", "dumb")):
        monkeypatch.setenv(name, value)
    screen.table(screen.console(), rows)
    lines = capsys.readouterr().out.splitlines()
    assert lines == [
        "  name  number  text",
        "  a        1    the first of",
        "                two sentences",
        "  b     1000    xxxxxxxxxxxxxx",
        "                xxxxxxxxxxxxxx",
        "                xx",
    ]


def test_text_is_not_lost_on_a_terminal_without_columns(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "0")
    screen.console().print("a line")
    assert capsys.readouterr().out == "a line\n"


@pytest.mark.parametrize("size", ["9" * 5_000, "123456", "²", "٣", "-1", "x", ""])
def test_sizes_that_no_terminal_has_are_ignored(
    size: str, zermelo: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("COLUMNS", "LINES"):
        monkeypatch.setenv(name, size)
    done = zermelo("games")
    assert (done.code, done.err) == (0, "")
    assert "COLUMNS" not in os.environ
    monkeypatch.setenv("COLUMNS", "99999")
    assert zermelo("games").out == done.out
    assert os.environ["COLUMNS"] == "99999"


def test_data_is_written_as_it_is_but_not_to_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stream(io.TextIOWrapper):
        tty = False

        def isatty(self) -> bool:
            return self.tty

    for tty, expected in (False, b"a\x1b\n\xe9\x9b\n"), (True, "a\\x1b\n\ufffd\n".encode()):
        stream = Stream(io.BytesIO(), "utf-8")
        stream.tty = tty
        monkeypatch.setattr(sys, "stdout", stream)
        terminal.write_data(b"a\x1b\n\xe9\x9b\n")
        stream.flush()
        assert stream.buffer.getvalue() == expected  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "cell", ["=1+1", "+a", "-a", "@SUM(1)", "\t=1", "\r=1", "\n=1", " =1", '"=1', "'=1", '" =1', "＝1", "-1+1", "+-1"]
)
def test_no_cell_is_a_formula(cell: str) -> None:
    ((found,),) = csv.reader(io.StringIO(csv_text([[cell]]), newline=""))
    assert found.startswith("'")


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("ann;=cmd|'/C calc'!A0", "ann;'=cmd|'/C calc'!A0"),
        ("a;+1", "a;'+1"), ("a;-1", "a;'-1"), ("a;@b", "a;'@b"), ("a;＝1", "a;'＝1"), ("a; \"' =1", "a;' \"' =1"),
        ("a\t=1", "a\t'=1"), ("a\n=1", "a\n'=1"), ("a\r=1", "a\r'=1"), ("a\r\n =1", "a\r\n' =1"),
        (";=1;=2\n=3", ";'=1;'=2\n'=3"), ("=1;=2", "'=1;'=2"), ("a;;\t\n=1", "a;;\t\n'=1"),
        ("1;2", "1;2"), ("a; b=1", "a; b=1"), ("a\nb - c", "a\nb - c"), ("3; right: -4", "3; right: -4"),
    ],
)  # fmt: skip
def test_no_cell_becomes_a_formula_where_other_separators_split_rows(cell: str, written: str) -> None:
    ((found,),) = csv.reader(io.StringIO(csv_text([[cell]]), newline=""))
    assert found == written.replace("\r", "\ufffd")


def test_a_long_cell_takes_time_in_proportion_to_its_length() -> None:
    began = time.monotonic()
    for part in (";", "; ", ';"', " ", "\n", "\r\n\t;", "' "):
        csv_text([[part * 500_000], ["a;" + part * 500_000]])
    assert time.monotonic() - began < 20


def test_numbers_stay_numbers_in_csv() -> None:
    assert csv_text([[-1, -0.5, None, "-12", "+3.5e-1", "a=b", "1/2", "", 'a "b", c']]) == (
        '-1,-0.5,,-12,+3.5e-1,a=b,1/2,,"a ""b"", c"\n'
    )
    assert csv_text([["a\x1b[31m\x07"]]) == "a\ufffd[31m\ufffd\n"


# ---- no other way -----------------------------------------------------------------------------------------------

#: Calls that write to the screen, print a prompt or write CSV, and the modules that may contain them.
WAYS = {
    r"print\(|sys\.(__)?(stdout|stderr)(__)?(\.buffer)?\.write|.*\bfile=sys\.(stdout|stderr)\b": "_util/terminal.py",
    r"os\.write\([12],|(typer|click)\.(echo|secho|prompt|confirm)\(|rich\.print|input\((?!single_line)": "",
    r"(rich\.console\.)?Console\(": "cli/screen.py",
    r"csv\.(writer|DictWriter)\(": "_util/csv_files.py",
}


def other_ways(source: str, name: str) -> list[str]:
    """Calls in a module that write past `_util.terminal`, `cli.screen` and `_util.csv_files`."""
    calls = [ast.unparse(node) for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return [
        f"{name}: {call[:80]}"
        for call in calls
        for way, allowed in WAYS.items()
        if name != allowed and re.match(way, call, re.DOTALL)
    ]


def test_nothing_else_writes_to_the_screen_or_writes_csv() -> None:
    files = {path.relative_to(SOURCES).as_posix(): path.read_text("utf-8") for path in SOURCES.rglob("*.py")}
    assert [way for name, source in files.items() for way in other_ways(source, name)] == []


@pytest.mark.parametrize(
    "call",
    [
        "print(1)", "typer.echo(name)", "sys.stderr.write(name)", "sys.__stdout__.write(name)", "csv.writer(file)",
        "sys.stdout.buffer.write(name)", "csv.DictWriter(file, [])", "os.write(2, name)", "Console(stderr=True)",
        "json.dump(data, file=sys.stdout)", "input(name)", "rich.print(name)",
    ],
)  # fmt: skip
def test_the_rule_finds_other_ways(call: str) -> None:
    assert other_ways(f"if True:\n    {call}\n", "a.py")
