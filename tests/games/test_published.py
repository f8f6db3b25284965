"""Published results: FFO endgames and Connect Four positions of Pons, solved by the engine."""

import csv

import pytest
from published import published

from zermelo import load
from zermelo.search.engine import Engine, Limits
from zermelo.search.solving import Solver


def solve_ffo(numbers):
    """Solve FFO endgames and compare scores and best moves with the published ones."""
    with published("othello", "ffo.tsv").open() as file:
        rows = {int(row["id"]): row for row in csv.DictReader(file, delimiter="\t")}
    othello = load("othello")
    engine = Engine("256M", threads=2)
    for number in numbers:
        row = rows[number]
        *_, found = engine.analysis(othello.parse(f"{row['board_a1_to_h8_rowwise']} {row['side']}"), Limits(exact=True))
        assert found.score.is_proven, number
        assert found.score.pov(found.state.to_move()).value == int(row["score_for_side_to_move"]), number
        assert found.best in row["best_moves"].split(","), number


@pytest.mark.reference
def test_ffo_with_few_empty_squares():
    solve_ffo((*range(1, 8), 20))


@pytest.mark.reference
@pytest.mark.nightly
@pytest.mark.parametrize("numbers", [range(8, 20), range(21, 35), range(35, 40), range(40, 45), range(45, 50)], ids=str)
def test_ffo(numbers):
    solve_ffo(numbers)


@pytest.mark.reference
@pytest.mark.nightly
def test_who_wins_ffo_45_to_49():
    """In 146 million nodes together; the limit allows for a change of the search."""
    with published("othello", "ffo.tsv").open() as file:
        rows = [row for row in csv.DictReader(file, delimiter="\t") if 45 <= int(row["id"]) <= 49]
    assert len(rows) == 5
    nodes = 0
    for row in rows:
        state = load("othello").parse(f"{row['board_a1_to_h8_rowwise']} {row['side']}")
        score = int(row["score_for_side_to_move"])
        with Solver("256M", evaluation="patterns") as solver:
            assert state.to_move() * solver.outcome(state) == (score > 0) - (score < 0), row["id"]
            nodes += solver.nodes
    assert nodes < 300_000_000


def pons_score(analysis, stones):
    """The score of Pons for the side to move: 22 minus the winner's stones at the end; 0 for a draw."""
    if analysis.score.value == 0:
        return 0
    winners = (stones + analysis.score.plies + 1) // 2
    return (22 - winners) * (1 if analysis.score.pov(analysis.state.to_move()).value > 0 else -1)


def solve_connect4(name, count):
    """Solve the positions of a set: winner and length of the game."""
    connect4 = load("connect4")
    engine = Engine("256M", threads=2)
    for line in published("connect4", name).read_text().splitlines()[:count]:
        moves, score = line.split()
        *_, found = engine.analysis(connect4.parse(moves), Limits(exact=True))
        assert found.score.is_proven, line
        assert pons_score(found, len(moves)) == int(score), line


@pytest.mark.reference
def test_connect4_near_the_end():
    solve_connect4("Test_L3_R1", 150)


@pytest.mark.reference
@pytest.mark.nightly
@pytest.mark.parametrize("name", ["Test_L3_R1", "Test_L2_R1", "Test_L2_R2", "Test_L1_R1"])
def test_connect4_published_sets(name):
    solve_connect4(name, 1000)


@pytest.mark.reference
def test_othello_xot_openings_can_be_played():
    lines = published("othello", "xot_small.txt").read_text().split()
    for moves in lines[:: max(1, len(lines) // 300)]:
        assert str(load("othello").parse(moves)).endswith("X")
