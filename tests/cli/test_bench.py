"""The bench signature: the same nodes on every machine, until the search or a game's rules are changed on purpose."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

SIGNATURE = Path(__file__).with_name("signature.txt")


def test_signature(zermelo: Callable[..., Any]) -> None:
    done = zermelo("bench", "--signature")
    assert done.code == 0
    assert done.out == SIGNATURE.read_text(), (
        "the nodes are not those recorded; if that is meant: zermelo bench --signature > tests/cli/signature.txt"
    )


def test_every_built_in_game_has_its_work() -> None:
    from zermelo import registry
    from zermelo.cli.bench import WORK

    built_in = {name: registry.load(name) for name in registry.names()}
    searched = [
        name for name, cls in built_in.items() if cls.__module__.startswith("zermelo.") and cls.perfect_information
    ]
    assert sorted(WORK) == searched


def test_json_and_text(zermelo: Callable[..., Any]) -> None:
    found = zermelo("bench", "tictactoe", "pennies", "--json").json
    recorded = dict(line.split() for line in SIGNATURE.read_text().splitlines())
    assert found["signature"] == {name: int(recorded[name]) for name in ("tictactoe", "pennies")}
    assert found["games"]["pennies"]["nodes"] == sum(each["nodes"] for each in found["games"]["pennies"]["searches"])
    _, out, _ = zermelo("bench", "tictactoe")
    assert out.startswith("tictactoe  ")
    assert out.endswith(" a second\n")
