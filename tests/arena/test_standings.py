"""Standings: points, tie-breaks, terminations, JSON, printed tables and charts."""

from __future__ import annotations

import io
import json
import random
import sys
import tracemalloc
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from zermelo.arena.game_record import GameResult
from zermelo.arena.sprt import Sprt
from zermelo.arena.tables import charts
from zermelo.arena.tables.ratings import elo_text
from zermelo.arena.tables.standings import Standings, StandingsCounter, standings
from zermelo.cli import screen
from zermelo.cli import standings as drawn
from zermelo.errors import ZermeloError

NAMES = ["ann", "bob", "cid", "dee"]


def game(number: int, high: str, low: str, points: float, **more: object) -> GameResult:
    return GameResult(number, (high, low), points, str(more.pop("termination", "rules")), game_pair=number // 2, **more)  # type: ignore[arg-type]


def some(count: int, names: list[str], seed: int = 0) -> Iterator[GameResult]:
    chance = random.Random(seed)
    high = low = ""
    for number in range(count):
        high, low = chance.sample(names, 2) if number % 2 == 0 else (low, high)
        yield game(
            number, high, low, chance.choice([0.0, 0.5, 1.0]), plies=10, move_counts=(5, 5), seconds=(0.5, 0.25),
            nodes=(50, 100), moves_hash=f"{chance.randrange(10**12):016x}", round=number // 4,
        )  # fmt: skip


def test_points_are_the_sums_of_the_games() -> None:
    results = list(some(400, NAMES))
    table = standings(NAMES, results)
    for row in table.rows:
        mine = [(each.names.index(row.name), each) for each in results if row.name in each.names]
        got = [each.points if side == 0 else 1 - each.points for side, each in mine]
        assert (row.score.games, row.points) == (len(got), sum(got))
        assert (row.score.wins, row.score.draws, row.score.losses) == tuple(map(got.count, (1.0, 0.5, 0.0)))
        assert row.as_max.games == sum(side == 0 for side, _ in mine)
        assert row.as_max.points + row.as_min.points == row.points
        assert row.seconds_per_move == pytest.approx(sum(each.seconds[side] for side, each in mine) / (5 * len(mine)))
        assert row.nodes_per_move == pytest.approx(sum(each.nodes[side] for side, each in mine) / (5 * len(mine)))
        for other in table.rows:
            if other is not row:
                met = table.cross[row.name, other.name]
                back = table.cross[other.name, row.name]
                assert met.points + back.points == met.games == back.games
    assert sum(row.points for row in table.rows) == table.games == 400
    assert [row.points for row in table.rows] == sorted((row.points for row in table.rows), reverse=True)
    assert table.as_max.points == sum(each.points for each in results)
    assert table.plies == 10


def test_the_table_does_not_depend_on_the_order_of_games() -> None:
    results = list(some(300, NAMES))
    output = json.dumps(standings(NAMES, results).as_dict())
    for seed in range(3):
        random.Random(seed).shuffle(results)
        assert json.dumps(standings(NAMES, results).as_dict()) == output


def test_tie_breaks_are_sonneborn_berger_then_buchholz_and_reversed_in_swiss() -> None:
    won = ["x>p", "top>x", "top>p", "top>q", "q>p", "y>q", "r>y"]
    results = [game(number, *pair.split(">"), 1.0) for number, pair in enumerate(won)]
    names = ["y", "x", "p", "q", "r", "top"]
    for kind, first, second in (("round-robin", "y", "x"), ("swiss", "x", "y")):
        table = standings(names, results, format=kind)
        points = {row.name: row.points for row in table.rows}
        assert points == {"top": 3, "x": 1, "y": 1, "q": 1, "r": 1, "p": 0}
        assert [row.name for row in table.rows if row.name in ("x", "y")] == [first, second]
        for row in table.rows:
            met = [(name, score) for (own, name), score in table.cross.items() if own == row.name]
            assert row.sonneborn_berger == sum(score.points * points[name] for name, score in met)
            assert row.buchholz == sum(score.games * points[name] for name, score in met)


def test_equal_players_share_a_rank_in_name_order() -> None:
    table = standings(["zoe", "bea", "kim"], [game(0, "zoe", "bea", 0.5), game(1, "bea", "zoe", 0.5)])
    assert [(row.rank, row.name) for row in table.rows] == [(1, "bea"), (1, "zoe"), (3, "kim")]


def test_bye_points_count_and_the_knock_out_winner_is_first() -> None:
    results = [game(0, "ann", "bob", 1.0), game(1, "bob", "ann", 0.5), game(2, "cid", "bob", 0.5)]
    table = standings(["ann", "bob", "cid"], results, format="swiss", byes={"cid": 2.0})
    assert [(row.name, row.points, row.score.points, row.bye_points) for row in table.rows] == [
        ("cid", 2.5, 0.5, 2.0), ("ann", 1.5, 1.5, 0.0), ("bob", 1.0, 1.0, 0.0)
    ]  # fmt: skip
    assert table.as_dict()["rows"][0]["points"] == 2.5
    assert "points for byes: cid: 2" in drawing(table, 200)
    table = standings(["ann", "bob", "cid"], results, format="knock-out", winner="bob")
    assert [(row.rank, row.name) for row in table.rows] == [(1, "bob"), (2, "ann"), (3, "cid")]


def test_forfeits_are_counted_by_termination() -> None:
    results = [
        game(0, "ann", "bob", 0.0, termination="crashed", forfeited_by=0),
        game(1, "bob", "ann", 1.0, termination="crashed", forfeited_by=1),
        game(2, "ann", "bob", 0.0, termination="hung", forfeited_by=0),
        game(3, "bob", "ann", 0.0),
    ]
    table = standings(["ann", "bob"], results)
    assert table.row("ann").forfeits == {"crashed": 2, "hung": 1}
    assert table.row("bob").forfeits == {}
    assert table.row("bob").forfeit_wins == 3
    assert table.terminations == {"crashed": 2, "hung": 1, "rules": 1}
    assert next(iter(table.terminations)) == "crashed"


def test_the_first_game_of_each_failure_is_shown() -> None:
    detail = "a.py: line 2: IndexError: list index out of range, and so on at some length\x1b[2J\nmore"
    results = [
        game(7, "ann", "bob", 0.0, termination="crashed", forfeited_by=0, detail="a later one"),
        game(3, "bob", "ann", 1.0, termination="crashed", forfeited_by=1, detail=detail),
        game(5, "ann", "bob", 0.0, termination="hung", forfeited_by=0),
    ]
    for order in (results, results[::-1]):
        table = standings(["bob", "ann"], order)
        assert [row["failures"] for row in table.as_dict()["rows"]] == [
            [],
            [
                {"termination": "crashed", "games": 2, "first_game": 3, "detail": detail},
                {"termination": "hung", "games": 1, "first_game": 5, "detail": ""},
            ],
        ]
        for room in (80, 1000):
            lines = [line for line in drawing(table, room).splitlines() if "ann: " in line]
            assert lines[0].startswith("  failed      ann: crashed 2, first in game 3: a.py: line 2: IndexErr")
            assert lines[0].endswith("…" if room == 80 else "at some length\\x1b[2J\\nmore")
            assert lines[1] == "  failed      ann: hung 1, in game 5"
            assert max(map(len, lines)) <= room


def test_identical_games_count_once_as_distinct() -> None:
    results = [game(number, "ann", "bob", 1.0, moves_hash="ab"[number % 2] * 16) for number in range(10)]
    assert (standings(["ann", "bob"], results).distinct, len(results)) == (2, 10)


def test_two_players_have_a_difference() -> None:
    pytest.importorskip("scipy")
    results = [game(number, *pair, points) for number, (pair, points) in enumerate(
        [(("ann", "bob"), 1.0), (("bob", "ann"), 0.0), (("ann", "bob"), 1.0), (("bob", "ann"), 1.0)] * 10
    )]  # fmt: skip
    table = standings(["ann", "bob"], results)
    assert table.difference is not None
    assert table.difference.elo == pytest.approx(190.848, abs=0.01)
    assert table.rows[0].los == pytest.approx(table.difference.los)
    assert standings(["ann", "bob"], results, anchor="bob").row("ann").elo == pytest.approx(190.848, abs=0.01)
    with pytest.raises(ZermeloError, match="anchor"):
        standings(["ann", "bob"], results, anchor="eve")


def test_the_difference_is_that_of_the_first_named_player() -> None:
    pytest.importorskip("scipy")
    results = [game(number, *pair, points) for number, (pair, points) in enumerate(
        [(("ann", "bob"), 1.0), (("bob", "ann"), 0.0), (("ann", "bob"), 1.0), (("bob", "ann"), 1.0)] * 10
    )]  # fmt: skip
    table = standings(["bob", "ann"], results)
    assert [row.name for row in table.rows] == ["ann", "bob"]
    assert table.difference is not None
    assert table.difference.elo == pytest.approx(-190.848, abs=0.01)
    output = table.as_dict()["difference"]
    assert (output["player"], output["against"], output["elo"]) == ("bob", "ann", table.difference.elo)
    assert "difference  bob -190.8 ± " in drawing(table, 120)
    assert "SPRT        of bob: " in drawing(table, 120, sprt=Sprt.parse("elo0=0,elo1=10").state([(1.0, 0.0)]))
    level = standings(["bob", "ann"], [game(0, "ann", "bob", 0.5), game(1, "bob", "ann", 0.5)])
    assert "bob +0.0 ± " in drawing(level, 120)
    lost = standings(["bob", "ann"], [game(number, "ann", "bob", 1.0) for number in range(4)])
    assert "bob at most about -" in drawing(lost, 120)


def test_a_live_table_of_two_has_difference_and_sprt() -> None:
    pytest.importorskip("scipy")
    from rich.console import Console

    def output(table: Standings) -> list[str]:
        out = Console(file=io.StringIO(), width=200)
        state = Sprt.parse("elo0=0,elo1=10").state([(1.0, 0.5)] * (table.games // 2))
        out.print(drawn.renderable(table, brief=True, sprt=state))
        return out.file.getvalue().splitlines()  # type: ignore[attr-defined, no-any-return]

    lines = output(standings(["bob", "ann"], [game(0, "ann", "bob", 0.5), game(1, "bob", "ann", 1.0)]))
    assert [line.split()[0] for line in lines[1:3]] == ["1", "2"]
    assert lines[3].startswith("  difference  bob +")
    assert lines[4].startswith("  SPRT        of bob: no decision after 1 pair, LLR 0.")
    assert [line.split()[0] for line in output(standings(["bob", "ann"], []))[1:3]] == ["ann", "bob"]


def test_elo_is_rounded_and_never_minus_zero() -> None:
    assert [elo_text(elo) for elo in (-0.3, -0.0, 0.0, 0.4, -0.6, 34.6)] == ["+0", "+0", "+0", "+0", "-1", "+35"]
    assert elo_text(-1200.2, "<") == "<-1200"


def test_without_scipy_there_are_points_and_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy.sparse", None)
    table = standings(NAMES, some(40, NAMES))
    assert table.games == 40
    assert all(row.elo is None and row.los is None for row in table.rows)
    assert "zermelo[arena]" in table.notes[0]
    assert "Elo" not in drawing(table, 80).splitlines()[0]


def test_a_table_without_games() -> None:
    table = standings(NAMES, [])
    assert [(row.rank, row.points, row.elo, row.seconds_per_move) for row in table.rows] == [(1, 0, None, None)] * 4
    assert json.loads(json.dumps(table.as_dict()))["games"] == 0
    assert "ann" in drawing(table, 80)


@pytest.mark.long
def test_100_000_games_take_little_memory() -> None:
    results = 20_000
    count = StandingsCounter(NAMES)
    tracemalloc.start()
    try:
        for result in some(results, NAMES):
            count.add(result)
        used = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert used / results < 250  # bytes a game: the digest of its moves


# ---- on the terminal ---------------------------------------------------------------------------------------------


def drawing(table: Standings, room: int, **more: object) -> str:
    """The output of `print_table` for a terminal width."""
    from rich.console import Console

    with pytest.MonkeyPatch.context() as patch:
        console = Console(file=io.StringIO(), width=room, soft_wrap=True, markup=False, highlight=False, emoji=False)
        patch.setattr(screen, "console", lambda stderr=False: console)
        patch.setattr(screen, "width", lambda error=False: room)
        drawn.print_table(table, **more)  # type: ignore[arg-type]
        return console.file.getvalue()  # type: ignore[attr-defined, no-any-return]


def test_a_knock_out_is_printed_by_round() -> None:
    results = [
        game(0, "bob", "cid", 1.0), game(1, "cid", "bob", 0.5),
        game(2, "ann", "bob", 1.0, round=1), game(3, "bob", "ann", 1.0, round=1),
    ]  # fmt: skip
    table = standings(["ann", "bob", "cid"], results, format="knock-out", winner="bob")
    lines = drawing(table, 80).splitlines()
    at = next(number for number, line in enumerate(lines) if line.startswith("  round 1"))
    assert lines[at : at + 4] == [
        "  round 1  bob  1½ : ½  cid",
        "           bye: ann",
        "  round 2  ann   1 : 1  bob, by lot bob",
        "  winner   bob",
    ]
    names = ["a_very_long_name_of_a_student_that_is_cut", "陈小明" * 12]
    for room in (40, 60, 80):
        output = drawing(standings(names, [game(0, *names, 1.0)], format="knock-out", winner=names[0]), room)
        assert max(map(len, output.splitlines())) <= room


@pytest.mark.parametrize("room", [40, 60, 80, 120])
@pytest.mark.parametrize("players", [2, 5, 12])
def test_tables_fit_the_terminal_with_every_player(room: int, players: int) -> None:
    from rich.cells import cell_len

    names = ["陈小明", "a_very_long_name_of_a_student_that_is_cut", *(f"player {number}" for number in range(10))]
    names = names[:players]
    table = standings(names, some(600, names))
    output = drawing(table, room)
    lines = output.splitlines()
    assert max(map(len, lines)) <= room
    assert max(cell_len(line) for line in lines[: players + 1]) <= room
    for row in table.rows:
        assert any(row.name[:6] in line and f"{row.points:g}" in line for line in lines[1 : players + 1])
    if players > 2:
        for number in range(1, players + 1):  # every column of the cross table is somewhere
            assert any(str(number) in line.split() for line in lines if line.split()[:2] == ["#", "player"])


def test_lines_below_the_table() -> None:
    results = [game(number, "ann", "bob", 1.0, termination="hung" if number == 3 else "rules",
                    forfeited_by=1 if number == 3 else None, moves_hash="same") for number in range(8)]  # fmt: skip
    output = drawing(standings(["ann", "bob"], results), 100, sprt=Sprt().state([(1, 0.5)] * 300))
    assert "8, 1 distinct" in output
    assert "MAX got 100.0 %" in output
    assert "bob: hung 1" in output
    assert "H1 accepted after" in output


def test_names_are_not_interpreted_as_markup() -> None:
    names = ["[red]x[/red]", ":smile:"]
    output = drawing(standings(names, some(10, names)), 80)
    assert "[red]x[/red]" in output
    assert ":smile:" in output


# ---- charts ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", charts.KINDS)
def test_charts_draw_any_player_names(kind: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    names = ["_hidden", r"$\frac{1}$ $x$", "<b>&amp;", "陈小明" * 20]
    results = list(some(40, names))
    monitor = Sprt(0, 50).monitor(names[0])
    for number in range(40):
        monitor.add(game(number, names[0], names[1], 1.0))
    table = standings(names, results)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        charts.chart(table, tmp_path / "chart.svg", kind, results=results, monitor=monitor)
    output = (tmp_path / "chart.svg").read_text(encoding="utf-8")
    if kind != "sprt":
        assert "$x$" in output
        assert "_hidden" in output
        assert "&lt;b&gt;&amp;amp;" in output


def test_invalid_charts_are_refused_first(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    with pytest.raises(ZermeloError, match="no chart 'pie'"):
        charts.check(tmp_path / "a.svg", "pie")
    with pytest.raises(ZermeloError, match="png"):
        charts.check(tmp_path / "a.gif")
    with pytest.raises(ZermeloError, match="no SPRT"):
        charts.chart(standings(NAMES, []), tmp_path / "a.svg", "sprt")
    charts.chart(standings(NAMES, []), tmp_path / "a.png", "ratings")
    charts.chart(standings(NAMES, []), tmp_path / "b.png", "points")
    charts.chart(standings(NAMES, []), tmp_path / "c.png", "cross")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
