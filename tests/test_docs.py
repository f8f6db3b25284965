"""The pages are true: their code is run in the order that a reader meets it, in a folder of its own a page.

What a fenced block is, by its language and its first line:

    python, `# FILE`                  the whole of a file
    python, `# FILE, continued`       goes to the end of that file
    python, `# FILE, before TEXT`     goes before the first line of that file that starts with TEXT, blanks aside
    python, `>>> ...`                 a doctest; `...` in what is expected stands for anything
    python, anything else             is executed
    console                           lines after `$ ` are run; output below them, if any, is compared likewise
    any other                         is only shown
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = [
    ROOT / "README.md",
    *(page for folder in (".", "games", "lectures") for page in sorted((ROOT / "docs" / folder).glob("*.md"))),
]
BLOCK = re.compile(
    r"^(?P<fence>`{3,})(?P<language>[\w{}-]*)(?: [^\n`]*)?\n(?P<text>.*?)^(?P=fence)$", re.DOTALL | re.MULTILINE
)
FILE = re.compile(r"# (?P<name>[\w/]+\.\w+)(?:, (?P<how>continued|before (?P<mark>.+)))?")
FLAGS = doctest.ELLIPSIS
# Packages that not every environment has; `make adapters` installs those of `adapters.md`.
NEEDS = {"adapters.md": ("gymnasium", "pettingzoo", "pyspiel"), "web.md": ("starlette", "uvicorn", "httpx")}


class Block(NamedTuple):
    """A fenced block: where it stands, its language, its text."""

    line: int
    language: str
    text: str


def blocks(page: Path) -> list[Block]:
    content = page.read_text(encoding="utf-8")
    return [
        Block(content.count("\n", 0, found.start()) + 2, found["language"], found["text"])
        for found in BLOCK.finditer(content)
    ]


def named(page: Path) -> str:
    return str(page.relative_to(ROOT))


class Reader:
    """Does what a page says, block by block."""

    def __init__(self, page: Path, folder: Path) -> None:
        self.page = page
        self.folder = folder
        self.names: dict[str, Any] = {"__name__": "page"}

    def read(self, block: Block) -> None:
        if block.language == "console":
            self.run(block)
        elif block.language == "python":
            first, _, rest = block.text.partition("\n")
            if found := FILE.fullmatch(first):
                self.write(self.folder / found["name"], found["how"], found["mark"], rest)
            elif ">>>" in first:
                self.doctest(block)
            else:
                exec(compile(block.text, f"{named(self.page)}:{block.line}", "exec", dont_inherit=True), self.names)

    def write(self, path: Path, how: str | None, mark: str | None, text: str) -> None:
        lines = path.read_text().splitlines(keepends=True) if how else []
        place = len(lines)
        if mark:
            place = next(index for index, line in enumerate(lines) if line.strip().startswith(mark))
        lines.insert(place, text)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(lines))
        sys.modules.pop(path.stem, None)  # so that the next import reads it anew

    def doctest(self, block: Block) -> None:
        parsed = doctest.DocTestParser().get_doctest(block.text, {}, named(self.page), str(self.page), block.line - 1)
        parsed.globs = self.names  # the names of the blocks before
        said: list[str] = []
        runner = doctest.DocTestRunner(optionflags=FLAGS)
        if runner.run(parsed, out=said.append, clear_globs=False).failed:
            pytest.fail("".join(said), pytrace=False)

    def run(self, block: Block) -> None:
        for example in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
            command, _, expected = example.partition("\n")
            program, *arguments = shlex.split(command)
            assert program in ("zermelo", "python"), f"{named(self.page)}:{block.line}: who is {program}?"
            beside = Path(sys.executable).with_name("zermelo")
            start = [str(beside)] if program == "zermelo" else [sys.executable]
            done = subprocess.run(
                [*start, *arguments],
                cwd=self.folder,
                env={**os.environ, "COLUMNS": "100", "NO_COLOR": "1", "PYTHONDONTWRITEBYTECODE": "1"},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                timeout=300,
            )
            told = f"{named(self.page)}:{block.line}: $ {command}\n{done.stdout}{done.stderr}"
            assert done.returncode == 0, told
            if expected.strip():
                same = doctest.OutputChecker().check_output(stripped(expected), stripped(done.stdout), FLAGS)
                assert same, f"{told}\nexpected\n{expected}"


def stripped(text: str) -> str:
    """Without blanks at line ends and empty lines around."""
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()) + "\n"


def read(page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, languages: tuple[str, ...]) -> Reader:
    """Do what a page says. Modules that it writes are forgotten afterwards."""
    monkeypatch.chdir(folder)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    if page.name in ("endgame-tables.md", "cli.md"):
        monkeypatch.setenv("ZERMELO_TABLES_DIR", str(folder / "tables"))
    reader = Reader(page, folder)
    try:
        for block in blocks(page):
            if block.language in languages:
                reader.read(block)
    finally:
        for name, module in list(sys.modules.items()):
            if str(getattr(module, "__file__", None) or "").startswith(str(folder)):
                del sys.modules[name]
    return reader


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES, ids=named)
def test_page_does_what_it_says(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if not any(block.language in ("python", "console") for block in blocks(page)):
        return
    for package in NEEDS.get(page.name, ()) if page.parent.name == "docs" else ():
        pytest.importorskip(package)
    read(page, tmp_path, monkeypatch, ("python", "console"))


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_commands_stand_in_blocks_that_are_run(page: Path) -> None:
    for block in blocks(page):
        if block.language not in ("console", "python"):
            assert not re.search(r"^\$? *zermelo ", block.text, re.MULTILINE), f"{named(page)}:{block.line}"


@pytest.mark.nightly
def test_the_page_s_game_is_fast(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """docs/ten-minutes.md promises 5 million nodes a second; the best of three runs counts."""
    import zermelo

    reader = read(ROOT / "docs" / "ten-minutes.md", tmp_path, monkeypatch, ("python",))
    state = reader.names["Nim"](5, 6, 7)
    zermelo.alphabeta(state, depth=1, compiled=True)
    found = [zermelo.alphabeta(state, depth=12, compiled=True) for _ in range(3)]
    assert found[0].nodes > 1_000_000
    assert max(each.nodes / each.seconds for each in found) > 5_000_000
