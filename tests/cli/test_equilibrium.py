"""`zermelo equilibrium`, the refusals that point to it, and the table of the types of games."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest


def test_kuhn_exactly(zermelo: Callable[..., Any]) -> None:
    code, out, err = zermelo("equilibrium", "kuhn")
    assert (code, err) == (0, "")
    assert "  value  -1/18 = -0.0556 for first, proven: neither side can gain by another strategy\n" in out
    assert "  second knows  and plays\n" in out
    assert "  J check       check 2/3, bet 1/3\n" in out


def test_kuhn_as_json(zermelo: Callable[..., Any]) -> None:
    found = zermelo("equilibrium", "kuhn", "--json").json
    assert (found["game"], found["exact"], found["exploitability"], found["iterations"]) == ("kuhn", "-1/18", 0, 0)
    assert abs(found["value"] + 1 / 18) < 1e-9
    assert (found["max"]["name"], found["min"]["name"]) == ("first", "second")
    second = {each["information"]: each for each in found["min"]["strategy"]}
    assert second["J check"]["exact"] == {"check": "2/3", "bet": "1/3"}
    assert abs(second["Q bet"]["moves"]["call"] - 1 / 3) < 1e-12


@pytest.mark.long
def test_kuhn_nearly(zermelo: Callable[..., Any]) -> None:
    code, out, _ = zermelo("equilibrium", "kuhn", "--iterations", "200")
    assert code == 0
    assert "for first; the value of the game lies between -0.05" in out
    assert " (the mean of both players) after 200 iterations of cfr+\n" in out
    found = zermelo("equilibrium", "kuhn", "--iterations", "200", "--json").json
    assert [each["iterations"] for each in found["progress"]] == [1, 2, 5, 10, 20, 50, 100, 200]
    assert (found["exact"], found["interrupted"]) == (None, False)
    assert found["nash_conv"] == 2 * found["exploitability"]
    assert 0 < found["exploitability"] < 0.0025
    assert abs(found["value"] + 1 / 18) < 0.005


def test_kuhn_for_some_time_from_a_position(zermelo: Callable[..., Any]) -> None:
    found = zermelo("equilibrium", "kuhn", "KQ", "--seconds", "0.01", "--json").json
    assert found["position"] == "KQ"
    assert found["iterations"] > 0
    assert abs(found["value"] - 1) < 0.1
    assert zermelo("equilibrium", "kuhn", "--moves", "KQ bet", "--json").json["exact"] == "1"


@pytest.mark.long
def test_strategy_file(tmp_path: Path, zermelo: Callable[..., Any]) -> None:
    path = tmp_path / "kuhn.strategy"
    words = ["equilibrium", "kuhn", "--algorithm", "mccfr", "--seed", "7", "--json"]
    part = zermelo(*words, "--iterations", "100", "-o", path).json
    whole = zermelo(*words, "--iterations", "300").json
    resumed = zermelo("equilibrium", "kuhn", "--resume", path, "--iterations", "300", "--json").json
    assert (part["iterations"], resumed["iterations"]) == (100, 300)
    assert (resumed["min"], resumed["value"]) == (whole["min"], whole["value"])
    code, _, err = zermelo("equilibrium", "kuhn", "--resume", path, "--iterations", "300")
    assert (code, err.count("\n")) == (2, 1)
    assert "has 300 iterations; --iterations counts them, so it must be larger (got 300)" in err
    assert (
        "kuhn.strategy: strategies of Kuhn, not of Leduc"
        in zermelo("equilibrium", "leduc", "--resume", path, "--seconds", "1").err
    )
    played = zermelo("match", "kuhn", f"policy:{path}", "random", "--games", "20", "--workers", "0", "--json")
    assert played.code == 0
    assert (
        "strategies of Kuhn, not of Leduc" in zermelo("match", "leduc", f"policy:{path}", "random", "--games", "2").err
    )


@pytest.mark.long
def test_plot(tmp_path: Path, zermelo: Callable[..., Any]) -> None:
    plot = tmp_path / "kuhn.svg"
    assert zermelo("equilibrium", "kuhn", "--iterations", "100", "--plot", plot).code == 0
    assert "exploitability (mean of both players)" in plot.read_text()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["equilibrium", "tictactoe"], "TicTacToe is a game of perfect information"),
        (["equilibrium", "kuhn", "--iterations", "0"], "iterations must be from 1 to 1,000,000,000 (got 0)"),
        (["equilibrium", "kuhn", "--seconds", "0"], "seconds must be above 0 (got 0)"),
        (["equilibrium", "kuhn", "--algorithm", "cfr"], "--algorithm must be one of exact, cfr+, mccfr (got cfr)"),
        (["equilibrium", "kuhn", "--iterations", "9", "--seed", "1"], "--seed is for --algorithm mccfr"),
        (["equilibrium", "kuhn", "KQ", "--resume", "x", "--seconds", "1"], "takes position, algorithm and seed"),
        (["equilibrium", "kuhn", "--resume", "x", "--iterations", "9"], "x: "),
        (["equilibrium", "kuhn", "--output", "none/x"], "none/x: directory not found: none"),
        (["match", "kuhn", "policy:x", "random", "--games", "2"], "x: "),
        (["equilibrium", "kuhn", "--algorithm", "cfr+"], "needs a limit: add --iterations or --seconds"),
        (["equilibrium", "kuhn", "--plot", "kuhn.svg"], "--plot are for approximations: add --algorithm cfr+"),
        (["equilibrium", "kuhn", "--iterations", "9", "--plot", "kuhn.gif"], "expected one of .png .pdf .svg"),
        (["equilibrium", "bridge-play"], "BridgePlay has a side without perfect recall (perfect_recall = False)"),
        (["analyse", "bridge-play"], "play it with `zermelo play` (zermelo.search.determinization.pimc)"),
        (["equilibrium", "kuna"], "did you mean kuhn?"),
        (["analyse", "kuhn"], "Kuhn is a game of imperfect information"),
        (["analyse", "kuhn", "KQ bet", "--algorithm", "minimax"], "Kuhn is a game of imperfect information"),
        (["tree", "grow", "kuhn"], "Kuhn is a game of imperfect information"),
        (["bench", "kuhn"], "Kuhn is a game of imperfect information"),
    ],
)
def test_refused(words: list[str], told: str, zermelo: Callable[..., Any]) -> None:
    code, out, err = zermelo(*words)
    assert (code, out) == (2, "")
    assert told in err
    assert err.count("\n") == 1


def test_the_types_of_games(zermelo: Callable[..., Any]) -> None:
    games = {each["name"]: each for each in zermelo("games", "--json").json}
    cells = {name: (each["chance"], each["perfect_information"]) for name, each in games.items()}
    names = "bridge checkers chess connect4 go go19 gomoku hex othello pennies tictactoe"
    for name in names.split():
        assert cells[name] == (False, True)
    assert cells["backgammon"] == cells["property"] == (True, True)
    assert cells["phantom-tictactoe"] == cells["mastermind"] == cells["battleship"] == (False, False)
    for name in ("bridge-play", "kuhn", "leduc", "river", "scrabble"):
        assert cells[name] == (True, False)
    table = zermelo("games").out.partition("\n\n")[0].splitlines()
    assert table[0].split() == ["deterministic", "chance"]
    assert table[1].startswith("  perfect information    bridge, checkers,")
    assert table[1].endswith("backgammon, property")
    last = next(number for number, line in enumerate(table) if line.startswith("  imperfect information"))
    hidden = "battleship bridge-play kuhn leduc liarsdice mastermind phantom-tictactoe river scrabble"
    found = set(" ".join(table[last:]).replace(",", " ").split())
    assert found - {"imperfect", "information"} == set(hidden.split())
