"""The round robin of lecture 004: a small part, played with and without pruning."""

import json

import pytest

from zermelo.arena import lecture
from zermelo.arena.plans.schedule import schedule_for
from zermelo.arena.referee import play
from zermelo.errors import LimitError
from zermelo.games.othello import Othello
from zermelo.search.compiled_textbook import compiled_textbook

# One evaluation only: another one would be compiled as well.
SMALL = ("random", "diff/1", "diff/3")


def played(names, games, **options):
    plan = lecture.plan(names=names, games=games, **options)
    return plan, [play(job).result for job in schedule_for(plan).jobs({})]


def wins(rows):
    return [row[:5] for row in rows]


def shares(plain, pruned):
    """Boards with pruning as a fraction of those without, by player."""
    sums = {}
    for one, other in zip(plain, pruned, strict=True):
        for side in "ab":
            total = sums.setdefault(getattr(one, side), [0, 0])
            total[0] += getattr(other, f"{side}_boards")
            total[1] += getattr(one, f"{side}_boards")
    return {name: some / every for name, (some, every) in sums.items() if every}


@pytest.mark.long
def test_pruning_changes_no_game_and_saves_most_boards():
    plan, results = played(SMALL, 2)
    pruned = lecture.pairs(results)
    plain_plan, plain_results = played(SMALL, 2, pruning=False)
    plain = lecture.pairs(plain_results)
    assert len(pruned) == 3
    assert wins(pruned) == wins(plain)
    assert all(sum(row[2:5]) == 2 for row in pruned)
    assert [result.moves_hash for result in results] == [result.moves_hash for result in plain_results]
    share = shares(plain, pruned)
    assert share["diff/1"] == 1
    assert 0.2 < share["diff/3"] < 0.45
    data = json.loads(json.dumps(lecture.as_dict(results)))
    assert [list(row) for row in data["pairs"]] == [
        ["a", "b", "a_wins", "b_wins", "ties", "a_boards", "b_boards"]
    ] * 3  # fmt: skip
    assert all(row["a_boards"] == 0 for row in data["pairs"] if row["a"] == "random")
    text = lecture.table(results, plan)
    assert "with alpha-beta" in text
    assert "[44,887]" in text  # the slide's boards of diff/3 against random
    assert "[174,938]" in lecture.table(plain_results, plain_plan)
    assert "diff/3" in text.splitlines()[-1]


def test_the_plan_matches_the_slide():
    jobs = schedule_for(lecture.plan()).jobs({})
    assert len(jobs) == 210
    assert {frozenset(job.names) for job in jobs} == {frozenset(pair) for pair in lecture.slide()}
    assert all(len(job.opening) == 10 for job in jobs)
    assert lecture.algorithm_of(lecture.plan(ordered=True)) == lecture.ORDERED
    with pytest.raises(LimitError, match="--ordered needs pruning"):
        lecture.plan(pruning=False, ordered=True)


def test_points_of_the_slide():
    rows = [lecture.Pair(*(row.get(key, 0) for key in lecture.Pair._fields)) for row in lecture.slide().values()]
    assert lecture.points(rows) == {
        "wdiff/5": 56.5, "wdiff/3": 42.5, "diff/5": 33, "wdiff/1": 29, "diff/3": 26.5, "diff/1": 15.5, "random": 7,
    }  # fmt: skip


@pytest.mark.long
def test_alpha_beta_without_deep_cutoffs_visits_more_boards():
    made = {"alphabeta": 0, "shallow": 0}
    for line in ("f5 d6 c3 d3 c4", "f5 f6 e6 f4 g5 e7 e3"):
        state = Othello.start().after(line)
        for depth in (1, 3, 5):
            found = {kind: compiled_textbook(state, depth, "diff", kind) for kind in made}
            assert found["alphabeta"].value == found["shallow"].value
            assert found["alphabeta"].best == found["shallow"].best
            for kind, result in found.items():
                made[kind] += result.nodes
            if depth < 4:  # a deep cut is one three plies below its reason
                assert found["alphabeta"].nodes == found["shallow"].nodes
    assert made["alphabeta"] < made["shallow"]


@pytest.mark.nightly
def test_full_round_robin():
    pruned, plain, ordered = (
        lecture.pairs(played(lecture.NAMES, 10, **options)[1])
        for options in ({}, {"pruning": False}, {"ordered": True})
    )
    assert wins(pruned) == wins(plain)
    share = shares(plain, pruned)
    assert share["diff/1"] == share["wdiff/1"] == 1
    for name, least, most in (("3", 0.25, 0.38), ("5", 0.056, 0.12)):
        assert least <= share[f"diff/{name}"] <= most
        assert least <= share[f"wdiff/{name}"] <= most
    spared = shares(plain, ordered)
    assert spared["diff/5"] <= 0.0618 / 10
    assert spared["wdiff/5"] <= 0.1023 / 10
