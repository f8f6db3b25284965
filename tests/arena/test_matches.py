"""Matches and tournaments as one call."""

from __future__ import annotations

from pathlib import Path

import pytest

from zermelo import arena
from zermelo.arena.plans.entrants import parse_entrants
from zermelo.errors import ZermeloError


def test_match_returns_the_table() -> None:
    table = arena.match("tictactoe", "engine:depth=2", "random", games=10, seed=2)
    assert table.games == 10
    assert [row.name for row in table.rows] == ["engine:depth=2", "random"]


def test_a_store_is_continued_only_with_its_own_plan(tmp_path: Path) -> None:
    plan = arena.Plan("tictactoe", parse_entrants(["random", "b=random", "c=random"]), games=2, seed=1)
    first = arena.play(plan, store=tmp_path / "t.zermelo")
    assert arena.play(plan, store=tmp_path / "t.zermelo") == first
    other = arena.Plan("tictactoe", parse_entrants(["random", "b=random"]), games=2, seed=1)
    with pytest.raises(ZermeloError, match="another plan"):
        arena.play(other, store=tmp_path / "t.zermelo")


def test_all_public_names_exist() -> None:
    for name in arena.__all__:
        assert getattr(arena, name) is not None
    with pytest.raises(AttributeError, match="nosuch"):
        _ = arena.nosuch  # type: ignore[attr-defined]
