"""Matches and tournaments as one call."""

from __future__ import annotations

from pathlib import Path

import pytest

from zermelo import arena
from zermelo.arena.plans.entrants import parse_entrants
from zermelo.arena.plans.plan import Plan
from zermelo.arena.store import Store
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
    with pytest.raises(ZermeloError, match="the games of a plan with other "):
        arena.play(other, store=tmp_path / "t.zermelo")


def test_all_public_names_exist() -> None:
    for name in arena.__all__:
        assert getattr(arena, name) is not None
    assert set(arena.__all__) == set(dir(arena))
    with pytest.raises(AttributeError, match="nosuch"):
        _ = arena.nosuch  # type: ignore[attr-defined]


def test_an_interrupted_match_is_resumed(tmp_path: Path) -> None:
    store = tmp_path / "games.zermelo"
    plan = arena.Plan("tictactoe", arena.parse_entrants(["random", "b=random"]), "match", 6, openings="plies=2", seed=3)

    def stop(tournament: arena.Tournament, record: arena.GameRecord | None) -> None:
        if tournament.games_played == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        arena.play(plan, store=store, on_progress=stop)
    assert arena.standings(store).games == 3
    resumed, whole = arena.resume(store), arena.play(plan)
    assert [(row.name, row.score) for row in resumed.rows] == [(row.name, row.score) for row in whole.rows]


def test_a_league_is_played_and_continued(tmp_path: Path) -> None:
    for name in ("ann", "bob"):
        (tmp_path / f"{name}.py").write_text("def choose(state):\n    return next(state.moves())\n")
    league = arena.play_league(tmp_path, game="tictactoe", against=["random"], seconds=5)
    assert league.is_over
    assert {row.name for row in league.standings.rows} == {"ann", "bob", "random"}
    assert (tmp_path / "league" / "students" / "ann.html").is_file()
    again = arena.play_league(tmp_path, game="tictactoe", against=["random"], seconds=5)
    assert again.standings.games == league.standings.games == 6
    assert again.plan.seed == league.plan.seed


def test_the_sandbox_can_be_required(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game whose agent would lack a restriction is not played."""
    agents = tmp_path / "agents"
    agents.mkdir()
    (agents / "ada.py").write_text("def choose(state): return next(state.moves())\n")
    players = (f"python:{agents / 'ada.py'}", "random")
    plan = Plan("tictactoe", parse_entrants(players), games=2)
    Store.create(tmp_path / "a.zermelo", plan.as_dict()).close()
    monkeypatch.setattr("zermelo.sandbox.restrictions.missing_restrictions", lambda enforced: ["network"])
    for play in (
        lambda: arena.match("tictactoe", *players, games=2, require_sandbox=True),
        lambda: arena.play(plan, require_sandbox=True),
        lambda: arena.resume(tmp_path / "a.zermelo", require_sandbox=True),
    ):
        with pytest.raises(ZermeloError, match=r"2 of 2 games could not be played: .*--require-sandbox: not in force"):
            play()
    league = arena.play_league(agents, game="tictactoe", against=["random"], openings="", require_sandbox=True)
    assert league.standings.games == 0
    assert arena.match("tictactoe", *players, games=2).games == 2
