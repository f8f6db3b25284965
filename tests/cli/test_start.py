"""The program itself: it starts fast, lists its commands, and ends cleanly if its output is not read."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from zermelo import load
from zermelo.testing import check_game

COMMANDS = [
    "games",
    "show",
    "analyse",
    "solve",
    "explain",
    "rollout",
    "cube",
    "review",
    "play",
    "serve",
    "new",
    "check",
    "perft",
    "bench",
    "cache",
    "match",
    "tournament",
    "resume",
    "standings",
    "league",
    "sandbox",
    "tree",
    "exercise",
    "lectures",
    "convert",
    "learn",
    "book",
    "tables",
    "uci",
    "gtp",
    "nboard",
    "equilibrium",
]
PARTS = {
    "games": ("export",),
    "cache": ("show", "warm", "clear"),
    "tree": ("trace", "draw", "edit", "why", "order", "mcts", "random", "grow"),
    "exercise": ("new", "sheet", "grade", "check"),
    "learn": ("positions", "fit", "report", "train"),
    "book": ("build", "extend", "check", "show", "export"),
}


def test_help_names_the_commands(zermelo: Callable[..., Any]) -> None:
    code, out, err = zermelo("--help")
    assert (code, err) == (0, "")
    listed = re.findall(r"^  ([a-z]+) +[A-Z]", out.partition("Play and analyse:")[2], re.MULTILINE)
    assert listed == COMMANDS


def test_without_a_command_three_are_suggested(zermelo: Callable[..., Any]) -> None:
    code, out, err = zermelo()
    assert (code, err) == (0, "")
    suggested = re.findall(r"^  zermelo (\w+)", out, re.MULTILINE)
    assert len(suggested) == 3
    assert set(suggested) <= set(COMMANDS)


ALL = [*COMMANDS, *(f"{group} {part}" for group, parts in PARTS.items() for part in parts)]


@pytest.mark.parametrize("command", ALL)
def test_each_command_has_help(zermelo: Callable[..., Any], command: str) -> None:
    code, out, err = zermelo(*command.split(), "--help")
    assert (code, err) == (0, "")
    group, _, action = command.partition(" ")
    expected = f"{group} GAME {action}" if group in ("learn", "book") and action else command
    assert out.startswith(f"Usage: zermelo {expected} ")
    for option in out.split("\n  -"):
        assert len(re.findall(r"\bDefault:|\[default:", option)) <= 1, option


def test_help_of_matches_names_each_kind_of_player(zermelo: Callable[..., Any]) -> None:
    from zermelo.arena.players import specs

    _, out, _ = zermelo("match", "--help")
    players = out.partition("PLAYER is one of: ")[2]
    assert [kind for kind in specs._KINDS if kind not in players] == []


def test_version(zermelo: Callable[..., Any]) -> None:
    import zermelo as package

    assert zermelo("--version") == (0, f"zermelo {package.__version__}\n", "")


def test_help_loads_nothing_heavy(environment: dict[str, str]) -> None:
    """`--help` is promised in 0.4 s; each of these alone would take a good part of it."""
    heavy = ["numba", "numpy", "rich", "zermelo.games", "zermelo.search.engine"]
    lines = ["import sys", "from zermelo.cli import main", "main(['analyse', '--help'])"]
    lines += [f"print([name for name in {heavy} if name in sys.modules], file=sys.stderr)"]
    done = subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], env=environment, capture_output=True, encoding="utf-8", check=True
    )
    assert done.stderr == "[]\n"


def test_games(zermelo: Callable[..., Any]) -> None:
    code, out, err = zermelo("games")
    assert (code, err) == (0, "")
    assert "othello\n  about        Othello (Reversi)" in out
    assert "  players      MAX is black, MIN is white\n" in out
    games = {row["name"]: row for row in zermelo("games", "--json").json}
    assert set(games) >= {"connect4", "othello", "pennies", "tictactoe"}
    assert games["tictactoe"]["players"] == ["crosses", "noughts"]
    assert games["tictactoe"]["evaluations"] == ["lines"]
    assert games["othello"]["max_utility"] == 64
    assert {games[name]["source"] for name in ("connect4", "othello", "pennies", "tictactoe")} == {"built in"}


def test_a_broken_game_of_another_package_hides_no_other(
    zermelo: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from importlib.metadata import EntryPoint

    from zermelo import registry

    broken = EntryPoint("broken", "no_such_module:Game", registry.GROUP)
    entries = {**registry._entries(), "broken": broken}
    monkeypatch.setattr(registry, "_entries", lambda: entries)
    code, out, _ = zermelo("games")
    assert code == 0
    assert "no_such_module" in out
    assert "othello\n" in out


def test_nobody_reads(program: list[str], environment: dict[str, str]) -> None:
    """`zermelo games | head -1`: silent, whatever is left to write."""
    running = subprocess.Popen(
        [*program, "games"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8"
    )
    assert running.stdout is not None
    assert running.stderr is not None
    running.stdout.close()
    assert running.stderr.read() == ""
    running.stderr.close()
    assert running.wait(30) == 1


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
@pytest.mark.parametrize("command", [["games"], ["tree", "random", "--depth", "9"]], ids=["little", "much"])
def test_no_room_for_what_is_written(program: list[str], environment: dict[str, str], command: list[str]) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run([*program, *command], env=environment, stdout=full, stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr) == (1, b"zermelo: standard output: No space left on device\n")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_boards_in_small_alphabets(program: list[str], environment: dict[str, str], encoding: str) -> None:
    done = subprocess.run(
        [*program, "analyse", "othello", "--algorithm", "negamax", "--depth", "1"],
        env={**environment, "PYTHONIOENCODING": encoding},
        capture_output=True,
    )
    assert done.returncode == 0
    assert b"  4     . O X       4\n" in done.stdout.replace(b"\xb7", b".")  # cp1252 has the dot


def test_no_escape_codes_where_nobody_sees_colours(zermelo: Callable[..., Any]) -> None:
    _, out, err = zermelo("analyse", "tictactoe", "--depth", "2", "--lines", "2")
    assert "\x1b" not in out + err


def test_a_mistake_of_our_own_is_one_line_too(zermelo: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    from zermelo import registry

    def broken(name: str) -> None:
        raise ZeroDivisionError("\x1b[2J")

    monkeypatch.setattr(registry, "load", broken)
    code, out, err = zermelo("analyse", "tictactoe")
    assert (code, out) == (1, "")
    assert err.startswith("zermelo: internal error (please report it): ZeroDivisionError")
    assert err.count("\n") == 1
    monkeypatch.setenv("ZERMELO_TRACE", "1")
    code, out, err = zermelo("analyse", "tictactoe")
    assert (code, out) == (1, "")
    assert err.startswith("Traceback (most recent call last):\n")
    assert err.endswith("\nZeroDivisionError: \\x1b[2J\n"), "control characters of a traceback are visible"


def test_json_is_plain_ascii(zermelo: Callable[..., Any]) -> None:
    _, out, _ = zermelo("games", "--json")
    assert out.isascii()
    assert out.count("\n") == 1
    json.loads(out)


def test_an_option_without_its_value_is_told(zermelo: Callable[..., Any]) -> None:
    """The `--` that is put before arguments must not be taken for the value."""
    code, out, err = zermelo("tree", "draw", "[1,2]", "-o")
    assert (code, out) == (2, "")
    assert "requires an argument" in err


@pytest.mark.quick
def test_new_writes_an_interpreted_game_that_fulfils_the_contract(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    assert zermelo("new", "my_heaps", "--interpreted", "-o", str(tmp_path)).code == 0
    cls = load(str(tmp_path / "my_heaps.py"))
    assert not check_game(cls, games=3).compiled
    assert str(cls.start()) == "heaps=(3,4,5) turn=1"
    assert "from my_heaps import MyHeaps\n" in (tmp_path / "test_my_heaps.py").read_text()
