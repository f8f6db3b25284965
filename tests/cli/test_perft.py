"""`zermelo perft`: published counts through the command line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


def test_published_counts(zermelo: Callable[..., Any]) -> None:
    found = zermelo("perft", "othello", "9", "--json").json
    assert (found["game"], found["depth"], found["nodes"]) == ("othello", 9, 3005288)
    assert zermelo("perft", "connect4", "7", "--json").json["nodes"] == 823536  # OEIS A212693


def test_a_position_and_its_division(zermelo: Callable[..., Any]) -> None:
    found = zermelo("perft", "tictactoe", "X-O/-X-/--O", "2", "--divide", "--json").json
    assert found["position"] == "X-O/-X-/--O"
    assert found["divide"] == {"b1": 4, "a2": 4, "c2": 4, "a3": 4, "b3": 4}
    assert found["nodes"] == 20
    assert zermelo("perft", "tictactoe", "-", "2", "--json", typed="X-O/-X-/--O").json["nodes"] == 20


def test_text(zermelo: Callable[..., Any]) -> None:
    code, out, _ = zermelo("perft", "othello", "3", "--divide")
    assert code == 0
    assert out.startswith("d3  14\nc4  14\nf5  14\ne6  14\n56 lines of 3 moves in ")
    assert out.endswith(" a second\n")


def test_the_ends(zermelo: Callable[..., Any]) -> None:
    assert zermelo("perft", "othello", "0", "--json").json["nodes"] == 1
    assert zermelo("perft", "tictactoe", "XXX/OO-/---", "3", "--divide", "--json").json["nodes"] == 0


def test_a_depth_of_thousands_of_digits_is_refused(zermelo: Callable[..., Any]) -> None:
    for depth in ("9" * 6_000, "-" + "9" * 6_000):
        code, out, told = zermelo("perft", "chess", depth)
        assert (code, out) == (2, "")
        assert "DEPTH must be in 0 .. " in told
        assert len(told.splitlines()) == 1


@pytest.mark.long
def test_chess(zermelo: Callable[..., Any]) -> None:
    assert zermelo("perft", "chess", "5", "--json").json["nodes"] == 4865609
    assert zermelo("perft", "chess", "4", "--play-all", "--json").json["nodes"] == 197281
    found = zermelo("perft", "chess", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "3", "--divide", "--play-all", "--json").json
    assert (found["nodes"], len(found["divide"])) == (1197, 15)
