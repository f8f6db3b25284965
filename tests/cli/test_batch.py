"""Work for many workers: perft, positions, learning data; the same whatever their number."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from zermelo.core.weight_file import save_weights
from zermelo.games.tictactoe import OpenLines, TicTacToe


@pytest.mark.long
def test_perft(zermelo: Callable[..., Any]) -> None:
    whole = zermelo("perft", "othello", "7", "--divide", "--json", "--workers", "2").json
    assert (whole["nodes"], whole["divide"]) == (55092, dict.fromkeys(("d3", "c4", "f5", "e6"), 55092 // 4))
    assert zermelo("perft", "tictactoe", "9", "--workers", "1", "--json").json["nodes"] == 127872
    assert zermelo("perft", "othello", "0", "--workers", "1", "--json").json["nodes"] == 1


def test_positions(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    lines = ["---/---/---", "# a comment", "", "XX-/OO-/---", "XXX/OO-/---", "X-O/-X-/--O"]
    path = tmp_path / "positions.txt"
    path.write_text("\n".join(lines))
    asked = ("analyse", "tictactoe", "--exact", "--quiet")
    found = {}
    for workers in ("0", "2"):
        code, out, err = zermelo(*asked, "--positions", str(path), "--workers", workers)
        assert (code, err) == (0, "")
        found[workers] = [json.loads(line) for line in out.splitlines()]
    assert [row["given"] for row in found["0"]] == [lines[0], *lines[3:]]
    for one, other in zip(found["0"], found["2"], strict=True):
        alone = zermelo(*asked, one["position"], "--json").json
        for timed in ("seconds", "nodes_per_second"):
            one.pop(timed), other.pop(timed), alone.pop(timed)
        assert one == other == {**alone, "given": one["given"]}
    typed = zermelo(*asked, "--positions", "-", "--workers", "0", typed="\n".join(lines[:4]))
    assert len(typed.out.splitlines()) == 2


def test_weights_of_a_file(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    """One position, many positions and a textbook algorithm score by the weights of a file."""
    path = str(tmp_path / "seven.weights")
    save_weights(path, TicTacToe, OpenLines([7]))
    asked = ("analyse", "tictactoe", "--depth", "1", "--evaluation", path, "--json")
    alone = zermelo(*asked, "---/---/---").json
    textbook = zermelo(*asked, "---/---/---", "--algorithm", "alphabeta").json
    batch = zermelo(*asked[:-1], "--positions", "-", "--workers", "0", typed="---/---/---\n---/---/---\n")
    estimates = [json.loads(line)["estimate"] for line in batch.out.splitlines()]
    assert (alone["estimate"], textbook["estimate"], estimates) == (28, 28, [28, 28])
    # The same process reads another file of the same name.
    save_weights(path, TicTacToe, OpenLines([3]))
    batch = zermelo(*asked[:-1], "--positions", "-", "--workers", "0", typed="---/---/---\n")
    assert json.loads(batch.out)["estimate"] == 12


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--positions", "nowhere.txt"], "nowhere.txt: No such file"),
        (["--positions", "-", "--depth", "0"], "depth must be between 1 and 200"),
        (["--positions", "-", "--depth", "4", "--moves", "a1"], "--positions cannot be combined with"),
        (["--positions", "-", "--algorithm", "minimax"], "--positions cannot be combined with"),
        (["--positions", "-", "--evaluation", "wealth"], "wealth"),
        (["--positions", "-", "--table", "x"], "x"),
        (["--positions", "-", "--workers", "-1"], "--workers must be at least 0 (got -1)"),
        (["--positions", "-", "--workers", "2", "--cluster", "local:2"], "--workers and --cluster"),
        (["--positions", "-", "--cluster", "nowhere"], "cluster 'nowhere': expected local:N"),
        (["--workers", "2"], "need --positions"),
    ],
)
def test_bad_options_of_analyse(zermelo: Callable[..., Any], words: list[str], told: str) -> None:
    code, out, err = zermelo("analyse", "tictactoe", *words, typed="---/---/---")
    assert (code, out) == (2, "")
    assert told in err
    assert len(err.splitlines()) == 1


def test_bad_positions(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "positions.txt"
    for text, told in (
        ("---/---/---\n\nX?-/---/---", "line 3: "),
        ("", "no position in it"),
        ("X" * 300_000, "line 1"),
    ):
        path.write_text(text)
        code, out, err = zermelo("analyse", "tictactoe", "--depth", "2", "--positions", str(path))
        assert (code, out) == (2, "")
        assert told in err
        assert len(err) < 400
