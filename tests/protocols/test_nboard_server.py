"""The NBoard server: a kept session, searches that are stopped, and the command."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from zermelo.cli.nboard import last_position
from zermelo.protocols.nboard_server import NBoardServer
from zermelo.search.engine import Engine
from zermelo.search.limits import Limits

TRANSCRIPT = Path(__file__).parent / "transcripts" / "nboard.txt"
pytestmark = pytest.mark.long


@pytest.fixture
def said() -> list[str]:
    return []


@pytest.fixture
def server(said: list[str]) -> Iterator[NBoardServer]:
    with Engine("16M") as engine:
        made = NBoardServer(engine, said.append, last_position)
        yield made
        made.command("quit")


def masked(lines: list[str]) -> list[str]:
    """What was said, without the depths before the last one and without numbers that depend on the search."""
    kept: list[str] = []
    depth: list[str] = []
    for line in lines:
        if line.startswith("search "):
            if kept and kept[-1].startswith("nodestats "):
                kept.pop()
                depth.clear()
            depth.append(re.sub(r"^(search ..)\S* (\S+) 0 \d+$", r"\1... \2 0 DEPTH", line))
        elif line.startswith("nodestats "):
            last = re.sub(r"\d+ \d+\.\d\d$", "NODES SECONDS", line)
            kept = [each for each in kept if not each.startswith("search ")] + depth + [last]
        else:
            kept.append(re.sub(r"^(=== .*/)\d+\.\d\d$", r"\1SECONDS", line))
    return kept


def test_the_kept_session(server: NBoardServer, said: list[str]) -> None:
    talk: list[str] = []
    text = TRANSCRIPT.read_text().splitlines()[1:]
    for command in [line.removeprefix("> ") for line in text if line.startswith(">")]:
        said.clear()
        goes_on = server.command(command)
        server.wait()
        talk += [f"> {command}", *(f"< {line}" for line in masked(said))]
        assert goes_on == (command != "quit")
    assert talk == text


@pytest.mark.parametrize("search", ["go", "hint 4"])
def test_a_ping_stops_a_search(search: str, server: NBoardServer, said: list[str]) -> None:
    for line in ("nboard 2", "set depth 50", "set game (;GM[Othello]B[f5];)", search):
        server.command(line)
    while not any(line.startswith("search ") for line in said):
        time.sleep(0.01)
    server.command("ping 7")
    assert said[-2:] == ["status Zermelo is waiting", "pong 7"]
    assert not any(line.startswith("===") for line in said)
    said.clear()
    server.command("set depth 1")
    server.command("go")
    server.wait()
    assert any(line.startswith("=== ") for line in said)


def test_the_end_is_solved(server: NBoardServer) -> None:
    """14 squares are empty: solved from depth 8 on, or by a depth of 14."""
    server.command("set game (;GM[Othello]BO[8 --*****--OOO**-O-OOO**O*-O*O*O**O***O***--*O*O**-***OOO--OOOOO-- *];)")
    found = {}
    for depth in (7, 8, 50):
        server.command(f"set depth {depth}")
        found[depth] = server.limits()
    assert found == {7: Limits(depth=7), 8: Limits(exact=True), 50: Limits(exact=True)}


def test_the_command_answers_before_it_ends(tmp_path: Path) -> None:
    log = tmp_path / "log.txt"
    command = [sys.executable, "-m", "zermelo", "nboard", "--log", str(log)]
    text = "nboard 2\nset depth 2\nset game (;GM[Othello]B[f5];)\ngo\n"
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    assert re.search(r"^=== (D6|F6|F4)/[+-]\d+\.00/\d+\.\d\d$", done.stdout, re.MULTILINE)
    assert log.read_text().startswith("> nboard 2\n< set myname Zermelo\n> set depth 2\n")
