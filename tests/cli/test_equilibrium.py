"""`zermelo equilibrium`, the refusals that point to it, and the table of the types of games."""

from __future__ import annotations

from collections.abc import Callable
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
    assert (found["game"], found["exact"], found["exploitability"], found["rounds"]) == ("kuhn", "-1/18", 0, 0)
    assert abs(found["value"] + 1 / 18) < 1e-9
    assert (found["max"]["name"], found["min"]["name"]) == ("first", "second")
    second = {each["information"]: each for each in found["min"]["strategy"]}
    assert second["J check"]["exact"] == {"check": "2/3", "bet": "1/3"}
    assert abs(second["Q bet"]["moves"]["call"] - 1 / 3) < 1e-12


def test_kuhn_nearly(zermelo: Callable[..., Any]) -> None:
    code, out, _ = zermelo("equilibrium", "kuhn", "--iterations", "200")
    assert code == 0
    assert "200 rounds of CFR+; it lies between -0.05" in out
    found = zermelo("equilibrium", "kuhn", "--iterations", "200", "--json").json
    assert [each["rounds"] for each in found["progress"]] == [1, 10, 100, 200]
    assert found["exact"] is None
    assert 0 < found["exploitability"] < 0.005
    assert abs(found["value"] + 1 / 18) < 0.005


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["equilibrium", "tictactoe"], "TicTacToe is a game of perfect information"),
        (["equilibrium", "kuhn", "--iterations", "0"], "iterations must be from 1 to 10,000,000 (got 0)"),
        (["equilibrium", "kuna"], "did you mean kuhn?"),
        (["analyse", "kuhn"], "Kuhn is a game of imperfect information"),
        (["analyse", "kuhn", "KQ bet", "--algorithm", "minimax"], "Kuhn is a game of imperfect information"),
        (["play", "kuhn"], "Kuhn is a game of imperfect information"),
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
    for name in ("checkers", "chess", "connect4", "othello", "pennies", "tictactoe"):
        assert cells[name] == (False, True)
    assert (cells["backgammon"], cells["kuhn"]) == ((True, True), (True, False))
    table = zermelo("games").out.partition("\n\n")[0].splitlines()
    assert table[0].split() == ["deterministic", "chance"]
    assert table[1].startswith("  perfect information    checkers, chess,")
    assert table[1].endswith("   backgammon")
    assert table[-1].split() == ["imperfect", "information", "kuhn"]
