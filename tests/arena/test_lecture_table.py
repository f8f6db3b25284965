"""The printed table of the lecture's tournament: fits the terminal and has the slide's numbers."""

import re
from collections.abc import Iterator

import pytest

from zermelo.arena import lecture
from zermelo.arena.game_record import GameResult

ROOMS = (60, 80, 100, 1000)


def of_the_slide(suffix: str) -> Iterator[GameResult]:
    """Results with the slide's sums: ten games per pairing, all boards in the first."""
    number = 0
    for (a, b), row in lecture.slide().items():
        points = [1.0] * row["a_wins"] + [0.0] * row["b_wins"] + [0.5] * row["ties"]
        for place, got in enumerate(points):
            boards = [0, 0] if place else [row[f"a_boards_{suffix}"], row[f"b_boards_{suffix}"]]
            yield GameResult(number, (a, b), got, "rules", nodes=(boards[0] + 30, boards[1] + 30), move_counts=(30, 30))
            number += 1


@pytest.mark.parametrize("options", [{}, {"pruning": False}, {"ordered": True}])
@pytest.mark.parametrize("room", ROOMS)
def test_the_table_fits_the_width_and_has_every_number(options: dict[str, bool], room: int) -> None:
    suffix = "ab" if options.get("pruning", True) else "plain"
    results = list(of_the_slide(suffix))
    output = lecture.table(results, lecture.plan(**options), room)
    lines = output.splitlines()
    assert max(map(len, lines)) <= max(room, 80)
    assert max(map(len, lines[2:-6])) <= room
    heads = [line for line in lines if line.split()[:3] == ["a", "b", "score"]]
    assert len(heads) == 1 + ("the slide's numbers:" in lines)
    assert ("[slide]" in heads[0]) is (len(heads) == 1)
    for (a, b), row in lecture.slide().items():
        score = f"{row['a_wins']}-{row['b_wins']}-{row['ties']}"
        boards = [f"{row[f'{side}_boards_{suffix}']:,}" for side in "ab"]
        found = [re.findall(r"[^\s\[\]]+", line) for line in lines if line.split()[:2] == [a, b]]
        if len(heads) == 1:
            assert found == [[a, b, score, score, boards[0], boards[0], boards[1], boards[1]]]
        else:
            assert found == [[a, b, score, *boards]] * 2
    assert "wdiff/5 56.5 [56.5]" in output


def test_100_columns_fit_both_tables_in_one() -> None:
    for suffix, options in (("ab", {}), ("plain", {"pruning": False})):
        assert "[slide]" in lecture.table(of_the_slide(suffix), lecture.plan(**options))


def test_totals_are_below_the_table() -> None:
    results = list(of_the_slide("ab"))
    output = lecture.table(results, lecture.plan())
    assert "boards: 23,920,093 in total [23,920,093]" in output
    made = f"without pruning: {lecture.WITHOUT_PRUNING:,} [272,253,969]; fraction left: 0.0787 [0.0879]"
    assert made in output
    assert "without pruning:" not in lecture.table(results[:40], lecture.plan())
    assert "without pruning:" not in lecture.table(of_the_slide("plain"), lecture.plan(pruning=False))


@pytest.mark.nightly
def test_boards_without_pruning() -> None:
    from zermelo.arena.plans.schedule import schedule_for
    from zermelo.arena.referee import play

    rows = lecture.pairs(play(job).result for job in schedule_for(lecture.plan(pruning=False)).jobs({}))
    assert sum(row.a_boards + row.b_boards for row in rows) == lecture.WITHOUT_PRUNING
