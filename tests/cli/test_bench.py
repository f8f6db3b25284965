"""The bench signature: the same nodes on every machine, until the search or a game's rules are changed on purpose."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SIGNATURE = Path(__file__).with_name("signature.txt")


@pytest.mark.long
def test_signature(zermelo: Callable[..., Any]) -> None:
    done = zermelo("bench", "--signature")
    assert done.code == 0
    assert done.out == SIGNATURE.read_text(), (
        "the nodes are not those recorded; if that is meant: zermelo bench --signature > tests/cli/signature.txt"
    )


def test_the_signature_covers_every_built_in_game() -> None:
    from zermelo.cli.bench import WORK, built_in_games

    recorded = [line.split()[0] for line in SIGNATURE.read_text().splitlines()]
    assert recorded == list(built_in_games())
    assert set(WORK) <= set(recorded)


@pytest.mark.long
def test_json_and_text(zermelo: Callable[..., Any]) -> None:
    found = zermelo("bench", "tictactoe", "pennies", "--json").json
    recorded = dict(line.split() for line in SIGNATURE.read_text().splitlines())
    assert found["signature"] == {name: int(recorded[name]) for name in ("tictactoe", "pennies")}
    assert found["games"]["pennies"]["nodes"] == sum(each["nodes"] for each in found["games"]["pennies"]["searches"])
    _, out, _ = zermelo("bench", "tictactoe")
    assert out.startswith("tictactoe  ")
    assert out.endswith(" a second\n")
