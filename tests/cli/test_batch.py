"""Work for many workers: perft, positions, learning data; the same whatever their number."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


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


@pytest.mark.long
def test_data(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    paths = {workers: tmp_path / f"{workers}.jsonl" for workers in ("0", "2")}
    asked = (
        "data",
        "tictactoe",
        "--games",
        "12",
        "--label",
        "depth=9",
        "--seed",
        "5",
        "--random-plies",
        "2",
        "--mix",
        "0.3",
    )
    for workers, path in paths.items():
        told = zermelo(*asked, "--out", str(path), "--workers", workers, "--json").json
        assert (told["games"], told["out"]) == (12, str(path))
    assert paths["0"].read_bytes() == paths["2"].read_bytes()
    rows = [json.loads(line) for line in paths["0"].read_text().splitlines()]
    assert len(rows) == told["positions"]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0.jsonl", "2.jsonl"]
    assert {row["game"] for row in rows} == set(range(12))
    assert len({row["position"] for row in rows}) > 30
    for row in rows[::7]:  # the labels are what the engine says, and the results those of the games
        found = zermelo("analyse", "tictactoe", row["position"], "--depth", "9", "--json").json
        score = found["estimate"] if found["value"] is None else found["value"]
        assert (row["score"], row["exact"]) == (score, found["value"] is not None)
        assert row["points"] == {1: 1.0, 0: 0.5, -1: 0.0}[row["utility"]]
    again = tmp_path / "again.csv"
    zermelo(*asked, "--out", str(again), "--workers", "0", "--positions", "3")
    table = list(csv.DictReader(io.StringIO(again.read_text())))
    assert len(table) == 36
    # An apostrophe is before positions that a spreadsheet would run as formulas.
    assert {(row["game"], row["ply"], row["position"].removeprefix("'"), row["score"]) for row in table} < {
        (str(row["game"]), str(row["ply"]), row["position"], str(row["score"])) for row in rows
    }


def test_data_as_parquet(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="Parquet needs the extra `arena`")
    asked = ("data", "tictactoe", "--games", "3", "--workers", "0")
    assert zermelo(*asked, "--out", str(tmp_path / "a.parquet")).code == 0
    assert zermelo(*asked, "--out", str(tmp_path / "a.jsonl")).code == 0
    rows = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert parquet.read_table(tmp_path / "a.parquet").to_pylist() == rows


def test_data_that_are_there_are_written_over_by_force_only(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    out = tmp_path / "a.csv"
    asked = ("data", "tictactoe", "--games", "2", "--workers", "0", "--out", str(out))
    assert zermelo(*asked).code == 0
    before = out.read_bytes()
    for label in ("depth=4", "depth=1"):
        done = zermelo(*asked, "--label", label)
        assert (done.code, done.out) == (2, "")
        assert "file exists: " in done.err
        assert out.read_bytes() == before
    assert zermelo(*asked, "--label", "depth=1", "--force").code == 0
    assert out.read_bytes() != before
    part = tmp_path / "a.csv.part"  # a run by force that was killed as it began
    part.touch()
    assert zermelo(*asked).code == 0
    assert out.read_bytes() == before
    assert not part.exists()


@pytest.mark.long
def test_data_goes_on_where_it_was_killed(
    zermelo: Callable[..., Any], program: list[str], environment: dict[str, str], tmp_path: Path
) -> None:
    whole, broken = tmp_path / "whole.csv", tmp_path / "broken.csv"
    asked = ["data", "tictactoe", "--games", "40", "--workers", "0", "--label", "depth=2", "--out"]
    assert zermelo(*asked, str(whole)).code == 0
    part = tmp_path / "broken.csv.part"
    with subprocess.Popen([*program, *asked, str(broken)], env=environment, stderr=subprocess.DEVNULL) as process:
        until = time.monotonic() + 60
        while not (part.exists() and part.read_bytes().count(b"\n") > 3) and time.monotonic() < until:
            if process.poll() is not None:
                break
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
    if part.exists():  # it may have been too quick
        with part.open("ab") as file:
            file.write(b'[[0, 1, "half a ro')
        code, _, err = zermelo(*asked, str(broken), "--seed", "1")
        assert code == 2
        assert "was started with other options" in err
        assert zermelo(*asked, str(broken)).code == 0
    assert broken.read_bytes() == whole.read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["broken.csv", "whole.csv"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--out", "data.txt"], "data.txt: the file name must end in .jsonl, .csv or .parquet"),
        (["--out", "nowhere/data.csv"], "nowhere/data.csv: folder not found: nowhere"),
        (["--games", "0"], "games must be at least 1 (got 0)"),
        (["--mix", "2"], "mix must be from 0 to 1 (got 2)"),
        (["--label", "seconds=1"], "expected depth=N or nodes=N"),
        (["--label", "deep"], "time control 'deep'"),
        (["--label", ""], "expected depth=N or nodes=N"),
        (["--player", "nobody"], "unknown player 'nobody'"),
        (["--player", "human"], "need a player that plays by itself"),
        (["--evaluation", "wealth"], "wealth"),
    ],
)
def test_bad_options_of_data(
    zermelo: Callable[..., Any], words: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = zermelo("data", "tictactoe", "--workers", "0", "--out", "data.csv", *words)
    assert (code, out) == (2, "")
    assert told in err
    assert len(err.splitlines()) == 1
    assert not list(tmp_path.iterdir())
