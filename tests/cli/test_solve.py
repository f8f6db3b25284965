"""`zermelo solve`: values of positions and files, tables of bridge deals, errors."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

DEAL = "N:AQ2... K4.Q.. 53..A. T.98.."


@pytest.mark.long
def test_a_position_and_its_moves(zermelo: Callable[..., Any]) -> None:
    result = zermelo("solve", "tictactoe", "XO-/---/---", "--each", "--json").json
    assert result["value"] == 1
    assert set(result["moves"].values()) <= {-1, 0, 1}
    assert max(result["moves"].values()) == 1


@pytest.mark.long
def test_a_deal_of_bridge_gives_a_table(zermelo: Callable[..., Any], tmp_path: Path) -> None:
    result = zermelo("solve", "bridge", DEAL, "--json").json
    assert [list(row.values()) for row in result["table"].values()] == [
        [2, 1, 2, 2, 2], [1, 2, 1, 1, 1], [2, 1, 2, 1, 1], [1, 2, 1, 2, 2],
    ]  # fmt: skip
    assert "par" not in result
    result = zermelo("solve", "bridge", f"{DEAL} NT S", "--json").json
    assert (result["tricks"], result["moves"]) == (2, {"S3": 1, "S5": 1, "DA": 2})
    file = tmp_path / "deals.txt"
    file.write_text(f"# two\n{DEAL} NT S\n\n{DEAL} S W\n")
    assert len(zermelo("solve", "bridge", str(file)).out.splitlines()) == 2
    file.write_text(f"# bad\n{DEAL} NT S\n{DEAL} NT X\n")
    code, out, err = zermelo("solve", "bridge", str(file))
    assert (code, out) == (2, "")
    assert "deals.txt:3: Bridge position: 'X' is not the leader's seat" in err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("bridge", DEAL, "--dealer", "Q"), "--dealer must be N, E, S or W (got 'Q')"),
        (("bridge", DEAL, "--vulnerable", "x"), "--vulnerable must be none, ns, ew or both (got 'x')"),
        (("bridge", DEAL.replace("K4", "A4")), "SA is in the hands of North and East"),
        (("backgammon", "31"), "Backgammon has chance"),
        (("kuhn", "JK"), "Kuhn is a game of imperfect information"),
    ],
)
def test_refused(words: tuple[str, ...], told: str, zermelo: Callable[..., Any]) -> None:
    code, out, err = zermelo("solve", *words)
    assert (code, out) == (2, "")
    assert told in err
    assert err.count("\n") == 1
