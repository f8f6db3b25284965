"""`zermelo learn`: the same files whatever the number of workers, after any kill."""

from __future__ import annotations

import csv
import io
import json
import math
import os
import re
import shlex
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from zermelo import load
from zermelo._util.row_files import RowFile
from zermelo.core.array_file import Provenance
from zermelo.core.weight_file import file_digest, load_weights, save_weights
from zermelo.errors import ZermeloError
from zermelo.learn.bootstrap import Bootstrap, learn_by_generations
from zermelo.learn.fitting import FitOptions
from zermelo.learn.generation import run_here
from zermelo.learn.position_file import load_positions, save_positions
from zermelo.learn.self_play import SelfPlay

ASKED = ("learn", "tictactoe", "positions", "--workers", "0")


@pytest.mark.long
def test_the_command(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    paths = {workers: tmp_path / f"{workers}.jsonl" for workers in ("0", "2")}
    asked = (
        "learn",
        "tictactoe",
        "positions",
        "--games",
        "12",
        "--depth",
        "9",
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
        assert row["result"] in (-1, 0, 1)
    again = tmp_path / "again.csv"
    zermelo(*asked, "--out", str(again), "--workers", "0", "--positions", "3")
    table = list(csv.DictReader(io.StringIO(again.read_text())))
    assert 24 <= len(table) <= 36
    # An apostrophe is before positions that a spreadsheet would run as formulas.
    assert {(row["game"], row["ply"], row["position"].removeprefix("'"), row["score"]) for row in table} < {
        (str(row["game"]), str(row["ply"]), row["position"], str(row["score"])) for row in rows
    }


@pytest.mark.quick
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("learn", "othello", "fti"), "expected an action after 'othello': positions, fit, report"),
        (("book", "connect4"), "expected an action after 'connect4': build, extend"),
        (("book", "connect4", "chek"), "export; 'chek' is not an action (see zermelo book --help)"),
    ],
)
def test_a_game_without_an_action(zermelo: Callable[..., Any], words: tuple[str, ...], says: str) -> None:
    done = zermelo(*words)
    assert (done.code, done.out) == (2, "")
    assert says in done.err
    assert len(done.err.splitlines()) == 1
    helped = zermelo(*words[:2], "--help")
    assert helped.code == 0
    assert ("GAME [ACTION] [OPTIONS]" if words[0] == "learn" else "GAME ACTION [OPTIONS]") in helped.out
    if words[0] == "learn":  # no action is `train`: its options too
        shown = " ".join(helped.out.split())
        assert all(word in shown for word in ("Without an ACTION it is train", "--folder FOLDER", "--teacher"))


def test_positions_as_parquet(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet", reason="Parquet needs the extra `arena`")
    asked = (*ASKED, "--games", "3", "--random-plies", "2")
    assert zermelo(*asked, "--out", str(tmp_path / "a.parquet")).code == 0
    assert zermelo(*asked, "--out", str(tmp_path / "a.jsonl")).code == 0
    rows = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert parquet.read_table(tmp_path / "a.parquet").to_pylist() == rows


def test_positions_that_are_there_are_written_over_by_force_only(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    out = tmp_path / "a.csv"
    asked = (*ASKED, "--games", "2", "--random-plies", "2", "--out", str(out))
    assert zermelo(*asked).code == 0
    before = out.read_bytes()
    for depth in ("4", "1"):
        done = zermelo(*asked, "--depth", depth)
        assert (done.code, done.out) == (2, "")
        assert "file exists: " in done.err
        assert out.read_bytes() == before
    assert zermelo(*asked, "--depth", "1", "--force").code == 0
    assert out.read_bytes() != before
    part = tmp_path / "a.csv.part"  # a run by force that was killed as it began
    part.touch()
    assert zermelo(*asked).code == 0
    assert out.read_bytes() == before
    assert not part.exists()


@pytest.mark.long
def test_positions_goes_on_where_it_was_killed(
    zermelo: Callable[..., Any], program: list[str], environment: dict[str, str], tmp_path: Path
) -> None:
    whole, broken = tmp_path / "whole.csv", tmp_path / "broken.csv"
    asked = [*ASKED, "--games", "400", "--depth", "2", "--random-plies", "2", "--out"]
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
        (["--out", "data.txt"], "data.txt: the file name must end in .positions, .jsonl, .csv or .parquet"),
        (["--out", "nowhere/data.csv"], "nowhere/data.csv: folder not found: nowhere"),
        (["--games", "0"], "games must be at least 1 (got 0)"),
        (["--mix", "2"], "mix must be from 0 to 1 (got 2)"),
        (["--depth", "0"], "depths must be from 1 to 60 (got 0)"),
        (["--depth", "deep"], "--depth must be numbers separated by commas (got 'deep')"),
        (["--depth", "٣"], "--depth must be numbers separated by commas (got '٣')"),
        (["--random-plies", "٣"], "--random-plies must be a number, or two as 4-12 (got '٣')"),
        (["--random-plies", "9-2"], "random_plies must be two numbers from 0 on, the smaller one first"),
        (["--weights", "none.weights"], "none.weights: No such file or directory"),
        (["--start", "none.positions"], "none.positions: No such file or directory"),
        (["--start-stages", "x"], "--start-stages must be numbers separated by commas (got 'x')"),
        (["--evaluation", "wealth"], "wealth"),
    ],
)
def test_bad_options(
    zermelo: Callable[..., Any], words: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = zermelo(*ASKED, "--out", "data.csv", *words)
    assert (code, out) == (2, "")
    assert told in err
    assert len(err.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_fit_and_report(zermelo: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = ("--games", "60", "--random-plies", "1-5", "--depth", "3", "--mix", "0.7", "--out", "games.positions")
    assert zermelo(*ASKED, *made).code == 0
    done = zermelo("learn", "tictactoe", "fit", "games.positions", "--out", "a.weights")
    assert done.code == 0
    assert done.out.splitlines()[0].endswith("positions, a.weights; errors on held-out games:")
    assert done.out.splitlines()[-1].split()[0] == "all"
    told = zermelo("learn", "tictactoe", "fit", "games.positions", "--out", "b.weights", "--json").json
    assert (told["game"], told["out"]) == ("tictactoe", "b.weights")
    assert (tmp_path / "a.weights").read_bytes() == (tmp_path / "b.weights").read_bytes()
    shown = zermelo("learn", "tictactoe", "report", "games.positions", "--weights", "a.weights", "--json").json
    assert shown["unit"] == "% of winning"
    assert shown["all"]["positions"] == told["positions"] == sum(each["positions"] for each in shown["phases"])
    exact = zermelo("learn", "tictactoe", "report", "games.positions", "--exact", "--plot", "errors.svg").out
    assert int(exact.splitlines()[-1].split()[1]) < told["positions"]
    assert b"constant" in (tmp_path / "errors.svg").read_bytes()
    beside = ("report", "games.positions", "--weights", "a.weights", "--against")
    both = zermelo("learn", "tictactoe", *beside, "nothing", "--json").json
    own = zermelo("learn", "tictactoe", "report", "games.positions", "--evaluation", "nothing", "--json").json
    assert (both["phases"], both["against"]) == (shown["phases"], {"phases": own["phases"], "all": own["all"]})
    lines = zermelo("learn", "tictactoe", *beside, "nothing", "--plot", "both.svg").out.splitlines()
    assert lines[0].split("  ")[-3:-1] == ["of nothing", "of a constant"]
    assert lines[-1].split()[-2] == f"{own['all']['error']:.2f}"
    drawn = (tmp_path / "both.svg").read_bytes()
    assert all(name in drawn for name in (b"a.weights", b"nothing", b"constant"))
    for words, problem in (
        (("fit", "games.positions"), "--out is missing"),
        (("fit", "none.positions", "--out", "x"), "none.positions: No such file or directory"),
        (("fit", "a.weights", "--out", "x"), "a.weights is not a position file"),
        (("fit", "games.positions", "--out", "./games.positions"), "--out and games.positions are the same file"),
        (("fit", "games.positions", "--weights", "a.weights", "--out", "a.weights"), "a.weights are the same file"),
        (("report", "games.positions", "--weights", "games.positions"), "games.positions is not a weight file"),
        (("report", "games.positions", "--plot", "x.gif"), "unknown file extension of a plot"),
        (("report", "games.positions", "--against", "./games.positions"), "games.positions is not a weight file"),
        (("report", "games.positions", "--against", "linse"), "TicTacToe has no evaluation 'linse'"),
        (("fit", "games.positions", "--out", "x", "--loss", "cubic"), "loss must be squared or logistic"),
        (("train", "--folder", "f", "--games", "1,2,3", "--depth", "1,2"), "must be numbers for each generation"),
    ):
        bad = zermelo("learn", "tictactoe", *words)
        assert (bad.code, bad.out) == (2, "")
        assert problem in bad.err
        assert len(bad.err.splitlines()) == 1


def test_train_continues(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    asked = ("--games", "40,40", "--depth", "1,2", "--random-plies", "2-4", "--solve-plies", "3", "--workers", "0")
    words = ("learn", "tictactoe", "train", "--folder", str(tmp_path / "f"), *asked)
    done = zermelo(*words)
    heading, first, second, last = done.out.splitlines()
    assert heading.split("  ")[-1] == "(in % of winning)"
    assert (first.split()[0], second.split()[0], done.code) == ("1", "2", 0)
    assert last == f"{tmp_path}/f/2.weights: weights of lines, generation 2"
    before = (tmp_path / "f" / "2.weights").read_bytes()
    (tmp_path / "f" / "2.weights").unlink()
    again = zermelo(*words, "--json")
    assert (again.err, again.json["unit"], again.json["evaluation"]) == (done.err, "% of winning", "lines")
    assert [f"{each['error']:.2f}" for each in again.json["generations"]] == [first.split()[2], second.split()[2]]
    assert (tmp_path / "f" / "2.weights").read_bytes() == before
    assert "was started with other options" in zermelo(*words, "--ridge", "9").err
    (tmp_path / "f" / "notes.weights").touch()
    assert zermelo(*words, "--ridge", "9", "--force", "--quiet").err == ""
    assert (tmp_path / "f" / "2.weights").read_bytes() != before
    assert (tmp_path / "f" / "notes.weights").exists()
    (tmp_path / "f" / "options.json").write_text("[" * 100_000)
    done = zermelo(*words)
    assert (done.code, done.out) == (2, "")
    assert done.err.endswith("f/options.json is damaged; choose another folder\n")


@pytest.mark.long
def test_the_command_of_the_weights_of_othello(
    zermelo: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one in the page of Othello, with few games and shallow searches."""
    page = (Path(__file__).parents[2] / "docs" / "games" / "othello.md").read_text(encoding="utf-8")
    found = re.search(r"^    zermelo (learn othello train(?:.*\\\n)*.*)$", page, re.MULTILINE)
    assert found is not None
    words = shlex.split(found[1].replace("\\\n", " "))
    monkeypatch.chdir(tmp_path)
    small = ("--games", ",".join(["40"] * 7), "--depth", "1", "--iterations", "3", "--workers", "0")
    done = zermelo(*words, *small, "--solve-plies", "2,2,2,2,2,3,3")
    assert done.code == 0, done.err
    assert done.out.endswith("othello-weights/7.weights: weights of patterns, generation 7\n")
    shown = zermelo("learn", "othello", "report", "--weights", "othello-weights/7.weights", "--json").json
    assert "--blend 0,0,0,0,0.2,0.8,0.8 --ridge 5,5,10,20,40,150,40 --window 0,0,0,2,2,1,2" in shown["command"]
    log = Path("othello-weights/train.log").read_text(encoding="utf-8")
    assert shown["command"] in log
    for generation, games in enumerate((40,) * 7, 1):
        assert f"generation {generation}: game {games} of {games}\n" in log
        assert re.search(rf"generation {generation}: stage \d+ of \d+, iteration [123], held-out loss", log)
        assert f"generation {generation}: plies all: mean error" in log


def test_learn_without_an_action(zermelo: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It trains, tells the error of each generation on held-out games, and makes the same file again."""
    monkeypatch.chdir(tmp_path)
    asked = ["learn", "connect4", "--games", "300,300", "--depth", "2", "--mix", "0.2", "--solve-plies", "14"]
    asked += ["--seed", "1", "--workers", "0"]
    done = zermelo(*asked)
    assert done.code == 0
    assert done.out.endswith("connect4-weights/2.weights: weights of lines, generation 2\n")
    told = re.findall(
        r"generation (\d): mean error ([\d.]+) % of winning on \d+ positions? .* constant ([\d.]+)", done.err
    )
    assert [number for number, _, _ in told] == ["1", "2"]
    assert all(float(error) < float(spread) for _, error, spread in told)
    assert zermelo(*asked, "--folder", "again").code == 0
    first, second = (tmp_path / folder / "2.weights" for folder in ("connect4-weights", "again"))
    assert first.read_bytes() == second.read_bytes()


def test_where_weights_come_from(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    othello, file = load("othello"), str(tmp_path / "new.weights")
    made = Provenance("zermelo learn othello fit a.positions --evaluation mobility", 3, "ab12")
    save_weights(file, othello, othello.evaluations["mobility"], made)
    words = ("learn", "othello", "report", "--evaluation", "mobility")
    shown = zermelo(*words, "--weights", file).out
    rows = dict(line.strip().split("  ", 1) for line in shown.splitlines())
    assert {name: value.strip() for name, value in rows.items()} == {
        "evaluation": "mobility", "weights": file, "digest": file_digest(file), "made by": made.command, "seed": "3",
        "data": "ab12",
    }  # fmt: skip
    assert zermelo(*words, "--weights", file, "--json").json == {
        "game": "othello", "evaluation": "mobility", "weights": file, "digest": file_digest(file),
        **made._asdict(),
    }  # fmt: skip
    shipped = zermelo("learn", "othello", "report", "--json").json
    assert (shipped["evaluation"], shipped["weights"]) == ("patterns", None)
    assert shipped["command"].startswith("zermelo learn othello")
    for others, problem in (
        (("report", "--weights", file), "these weights are for the evaluation 'mobility', not patterns"),
        (("report", "--exact"), "FILE is missing: --against, --exact and --plot need labelled positions"),
        (("report", "--evaluation", "mobility"), "the evaluation mobility has no weight file in the package"),
    ):
        done = zermelo("learn", "othello", *others)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
        assert problem in done.err


def test_a_refused_command_leaves_no_folder(
    zermelo: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for words, says in (
        (("othello", "--games", "0"), "games must be at least 1 (got 0)"),
        (("kuhn", "--games", "20"), "the evaluation nothing cannot be fitted; no evaluation of Kuhn can"),
        (("othello", "--evaluation", "wdiff"), "the evaluation wdiff cannot be fitted"),
        (("kuhn", "positions", "--out", "kuhn.positions"), "Kuhn has hidden information"),
    ):
        done = zermelo("learn", *words)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
        assert says in done.err
        assert not list(tmp_path.iterdir())


FAULTY = """
from zermelo import evaluation, game

@evaluation
class Faulty:
    def score(self, state):
        return state.heap.nothing()

@game
class Heap:
    heap: int = 9
    turn: int = 1
    evaluations = {"faulty": Faulty()}

    def to_move(self):
        return self.turn

    def moves(self):
        yield 1

    def play(self, move):
        return Heap(self.heap - move, -self.turn)

    def is_over(self):
        return self.heap == 0

    def utility(self):
        return -self.turn
"""


def test_a_game_that_does_not_compile_leaves_no_files(
    zermelo: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("heap.py").write_text(FAULTY)
    asked = ("learn", "heap.py", "positions", "--random-plies", "0", "--workers", "0", "--out", "a.positions")
    done = zermelo(*asked)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert "Faulty.score does not compile" in done.err
    assert os.listdir() == ["heap.py"]


def test_games_that_fail_leave_no_folder(tmp_path: Path) -> None:
    def run(tasks: Iterable[str]) -> Iterator[str]:
        yield next(run_here(tasks))
        raise ZermeloError("a task failed")

    plan, play = Bootstrap("lines", games=(16,), depths=(1,)), SelfPlay("tictactoe", 1, random_plies=(2, 2))
    folder, cls = tmp_path / "weights", load("tictactoe")
    with pytest.raises(ZermeloError, match="a task failed"):
        learn_by_generations(cls, folder, plan, play, FitOptions(), run=lambda tasks: islice(run(tasks), 1, None))
    assert not folder.exists()
    with pytest.raises(ZermeloError, match="a task failed"):
        learn_by_generations(cls, folder, plan, play, FitOptions(), run=run)
    assert sorted(os.listdir(folder)) == ["1.positions.part", "options.json", "train.log"]  # games to continue with


def test_positions_without_an_evaluation_are_noted(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    asked = (*ASKED, "--games", "2", "--depth", "1", "--random-plies", "2", "--force", "--out", str(tmp_path / "a.csv"))
    done = zermelo(*asked, "--evaluation", "nothing")
    assert done.code == 0
    assert "note: the searches have no evaluation" in done.err
    assert "use --blend 1 in `fit`" in done.err
    for words in (("--evaluation", "nothing", "--quiet"), ()):
        assert "note" not in zermelo(*asked, *words).err


def test_a_damaged_partial_file_is_refused_in_one_line(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    out, part = tmp_path / "a.csv", tmp_path / "a.csv.part"
    words = (*ASKED, "--games", "20", "--depth", "1", "--random-plies", "2", "--out", str(out))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(RowFile, "finish", lambda self, write: None)
        assert zermelo(*words).code == 0
    content = part.read_bytes()
    part.write_bytes(content.replace(b'AAAA"', b'A"', 1).replace(b'="', b'"', 1))
    damaged = part.read_bytes()
    assert damaged != content
    done = zermelo(*words)
    assert (done.code, done.out) == (2, "")
    assert done.err.count("a.csv.part") == done.err.count("\n") == 1
    assert "a.csv.part: line " in done.err
    assert part.read_bytes() == damaged
    part.write_bytes(content)
    assert zermelo(*words).code == 0
    continued = out.read_bytes()
    assert zermelo(*words, "--force").code == 0
    assert out.read_bytes() == continued


def test_the_output_is_looked_at_first(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    out = str(tmp_path / "missing" / "x.weights")
    for words in (("fit", "none.positions"), ("td",)):
        done = zermelo("learn", "tictactoe", *words, "--out", out)
        assert done.code == 2
        assert f"{out}: directory not found: {tmp_path / 'missing'}" in done.err


def test_learning_from_zero(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    out = str(tmp_path / "new.weights")
    words = ("learn", "gomoku", "td", "--games", "1", "--max-plies", "4", "--out", out)
    assert zermelo(*words, "--from-zero").code == 0
    gomoku = load("gomoku")
    weights = load_weights(out, gomoku, type(gomoku.evaluations["threats"]))[0].weights
    assert np.abs(weights).max() < 13  # those of the package are larger
    assert "--from-zero" in zermelo("learn", "gomoku", "report", "--weights", out).out
    for action in (("td",), ("fit", "a.positions")):
        done = zermelo("learn", "gomoku", *action, "--weights", "a.weights", "--from-zero", "--out", "b.weights")
        assert done.code == 2
        assert "--weights a.weights and --from-zero exclude each other: learning starts from one of them" in done.err


def test_positions_with_unproven_wins_are_left_out_with_a_note(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    game, file = load("othello"), tmp_path / "older.positions"
    zermelo("learn", "othello", "positions", "--games", "6", "--depth", "1", "--workers", "0", "--out", str(file))
    found = load_positions(file, game)
    score, exact = found.score.copy(), found.exact.copy()
    score[:3], exact[:3] = (999_999, -999_999, 999_999), 0
    save_positions(file, game, replace(found, score=score, exact=exact))
    for action in (
        ("fit", str(file), "--out", str(tmp_path / "new.weights"), "--held-out", "0.4"),
        ("report", str(file)),
    ):
        done = zermelo("learn", "othello", *action)
        assert done.code == 0, done.err
        assert (
            "older.positions: 3 positions left out: the score 999,999 says which side wins, but not by how much"
            in done.err
        )
        assert f" {len(found) - 3} positions, " in f" {done.out}" or action[0] == "report"


def test_labels_of_another_evaluation_are_converted_or_noted(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    """Found by a newcomer: a fit of `mobility` to labels in discs was worse than a constant."""
    common = ("--games", "20", "--seed", "1", "--depth", "2", "--workers", "0", "--solve-plies", "8")
    for name in ("patterns", "mobility"):
        file = str(tmp_path / f"{name}.positions")
        assert zermelo("learn", "othello", "positions", *common, "--evaluation", name, "--out", file).code == 0
    patterns, mobility = str(tmp_path / "patterns.positions"), str(tmp_path / "mobility.positions")
    out = ("--out", str(tmp_path / "new.weights"))
    done = zermelo("learn", "othello", "fit", patterns, "--evaluation", "mobility", *out, "--json")
    assert "note" not in done.err
    errors = done.json["all"]
    assert errors["error"] < errors["spread"]
    assert errors["spread"] > 500  # in hundredths of a disc
    done = zermelo("learn", "othello", "fit", mobility, "--evaluation", "patterns", *out)
    assert "mobility.positions: the scores are those of the evaluation mobility, and their unit cannot be" in done.err
    assert (
        "use --label-scale X, --blend 1 to learn from results, or positions that were generated with --evaluation "
        "patterns" in done.err
    )
    done = zermelo("learn", "othello", "fit", mobility, "--evaluation", "patterns", *out, "--label-scale", "100")
    assert done.code == 0
    assert "note" not in done.err
    for words in (("--evaluation", "patterns", "--blend", "1"), ("--evaluation", "mobility")):
        assert "note" not in zermelo("learn", "othello", "fit", mobility, *words, *out).err


def test_probcut(zermelo: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = zermelo(
        "learn", "connect4", "positions", "--games", "12", "--depth", "1", "--random-plies", "2-8", "--mix", "0.3",
        "--seed", "1", "--workers", "0", "--out", "c.positions",
    )  # fmt: skip
    assert made.code == 0
    asked = ("learn", "connect4", "probcut", "c.positions", "--depth", "6", "--count", "60", "--seed", "2")
    found = zermelo(*asked, "--json").json
    assert found["game"] == "connect4"
    assert [(each["stage"], each["depth"], each["shallow"]) for each in found["errors"]] == [
        (0, 3, 1), (0, 4, 2), (0, 5, 3), (0, 6, 2)
    ]  # fmt: skip
    first, _, deep, shallow = found["coefficients"]
    for each in found["errors"]:  # the formula as its text says
        assert each["fitted"] == pytest.approx(math.exp(first + deep * each["depth"] + shallow * each["shallow"]))
    lines = zermelo(*asked).out.splitlines()
    assert lines[0].split() == ["stage", "depth", "shallow", "positions", "error", "formula"]
    for line, each in zip(lines[1:-1], found["errors"], strict=True):
        numbers = each["stage"], each["depth"], each["shallow"], each["positions"]
        assert line.split() == [*map(str, numbers), f"{each['error']:.2f}", f"{each['fitted']:.2f}"]
    shown = ", ".join(f"{each:g}" for each in found["coefficients"])
    assert lines[-1].endswith(f"c3 * shallow depth), coefficients {shown}")
    double, connect4 = str(tmp_path / "double.weights"), load("connect4")
    evaluation = connect4.evaluations["lines"]
    save_weights(double, connect4, evaluation.replace(weights=evaluation.weights * 2))
    doubled = zermelo(*asked, "--weights", double, "--json").json["errors"]
    assert [each["error"] for each in doubled] == pytest.approx([2 * each["error"] for each in found["errors"]])
    for words, says in (
        (("--depth", "5"), "depth must be from 6 to 60 (got 5)"),
        (("--count", "0"), "count must be at least 1 (got 0)"),
        (("--count", "20"), "unsolved positions are too few: a stage needs 30 with scores that differ by depth"),
        (("--evaluation", "nothing"), "unsolved positions are too few: a stage needs 30 with scores that differ"),
        (("--evaluation", "lnes"), "did you mean lines?"),
        (("none.positions",), "none.positions: No such file or directory"),
        (("--weights", "c.positions"), "c.positions"),
    ):
        done = zermelo(*asked, *words)
        assert (done.code, done.out, done.err.count("\n")) == (2, "", 1), (words, done.err)
        assert says in done.err
    done = zermelo("learn", "othello", "probcut", "c.positions")
    assert (done.code, done.out) == (2, "")
    assert "c.positions: these positions are of the game 'ConnectFour', not Othello" in done.err
    assert zermelo("learn", "connect4", "probcut").code == 2


def test_evaluations_are_named_as_the_game_names_them(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    othello = load("othello")
    patterns, mobility = str(tmp_path / "patterns.weights"), str(tmp_path / "mobility.weights")
    save_weights(patterns, othello, type(othello.evaluations["patterns"]).with_weights())
    save_weights(mobility, othello, othello.evaluations["mobility"].replace(weights=[1, 2, 3]))
    position = ("othello", "--moves", "f5 d6 c3 d3")
    found = zermelo("analyse", *position, "--depth", "1", "--evaluation", patterns)
    assert "by patterns at depth 1" in found.out
    assert "by mobility" in zermelo("explain", *position, "--evaluation", mobility).out
    explained = zermelo("explain", *position, "--evaluation", patterns)
    assert "othello's evaluation 'patterns' is not a weighted sum of terms" in explained.err
    file = str(tmp_path / "games.positions")
    zermelo("learn", "othello", "positions", "--games", "4", "--depth", "1", "--weights", patterns, "--out", file)
    assert load_positions(file, othello).evaluation == "patterns"
    reported = zermelo("learn", "othello", "report", file, "--weights", mobility)
    assert reported.err.rstrip().endswith("these weights are for the evaluation 'mobility', not patterns")
    for action in (("fit", file), ("td",)):
        done = zermelo("learn", "othello", *action, "--evaluation", "wdiff", "--out", str(tmp_path / "new.weights"))
        verb = "fitted" if action[0] == "fit" else "learned by td"
        assert f"the evaluation wdiff cannot be {verb}; choose patterns or mobility or diff (its" in done.err


def test_a_confidence_is_that_of_the_weights_of_the_package(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    othello = load("othello")
    patterns = othello.evaluations["patterns"]
    other, same = str(tmp_path / "other.weights"), str(tmp_path / "same.weights")
    save_weights(other, othello, type(patterns).with_weights())
    save_weights(same, othello, patterns)
    asked = ("analyse", "othello", "--depth", "2", "--confidence")
    note = f"note: --confidence 95: the search errors were measured for the weights of the package, not for {other}"
    found = zermelo(*asked, "95", "--evaluation", other)
    assert (found.code, found.err.count(note)) == (0, 1), found.err
    batch = tmp_path / "positions.txt"
    batch.write_text(f"{othello.start()}\n" * 2)
    found = zermelo(*asked, "95", "--evaluation", other, "--positions", str(batch), "--workers", "0")
    assert (found.code, found.err.count(note)) == (0, 1), found.err
    for words in (("95", "--evaluation", same), ("95",), ("100", "--evaluation", other)):
        assert "note" not in zermelo(*asked, *words).err
    assert "note" not in zermelo(*asked, "95", "--evaluation", other, "--quiet").err
