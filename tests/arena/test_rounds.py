"""Rounds of knock-out and Swiss tournaments, derived from results, match the schedule."""

from __future__ import annotations

import random

import pytest

from zermelo.arena.game_record import GameResult
from zermelo.arena.plans.entrants import parse_entrants
from zermelo.arena.plans.plan import Plan
from zermelo.arena.plans.schedule import schedule_for
from zermelo.arena.tables.standings import Standings, standings


def played(kind: str, players: int, seed: int, games: int = 2) -> tuple[Plan, dict[int, GameResult], str | None]:
    """A tournament with random results, often draws."""
    texts = [f"p{number}=random" for number in range(players)]
    plan = Plan("tictactoe", parse_entrants(texts), kind, games=games, seed=seed)
    schedule, chance = schedule_for(plan), random.Random(seed)
    results: dict[int, GameResult] = {}
    while not schedule.is_over(results):
        for job in schedule.jobs(results):
            if job.number not in results:
                points = chance.choice([0.0, 0.5, 0.5, 1.0])
                results[job.number] = GameResult(
                    job.number, job.names, points, "rules", round=job.round, game_pair=job.game_pair
                )
    return plan, results, schedule.winner(results)


def table_of(plan: Plan, results: list[GameResult], winner: str | None) -> Standings:
    return standings([each.name for each in plan.entrants], results, format=plan.format, winner=winner)


@pytest.mark.parametrize("players", [2, 3, 5, 6, 8, 11])
def test_the_winner_of_a_match_is_in_the_next_round(players: int) -> None:
    lots = 0
    for seed in range(12):
        plan, results, winner = played("knock-out", players, seed)
        shuffled = list(results.values())
        random.Random(seed).shuffle(shuffled)
        table = table_of(plan, shuffled, winner)
        assert table.rounds == table_of(plan, list(results.values()), winner).rounds
        assert (table.winner, table.as_dict()["winner"]) == (winner, winner)
        assert len(table.rounds) == (players - 1).bit_length()
        alive = {each.name for each in plan.entrants}
        for number, round in enumerate(table.rounds):
            in_it = [name for tie in round.pairings for name in (tie.first, tie.second)]
            assert sorted([*in_it, *round.byes]) == sorted(alive)
            assert number == 0 or not round.byes
            for tie in round.pairings:
                assert (tie.winner_by_lot is not None) is (2 * tie.points == tie.games)
                lots += tie.winner_by_lot is not None
                won = tie.winner_by_lot or (tie.first if 2 * tie.points > tie.games else tie.second)
                alive.remove(tie.second if won == tie.first else tie.first)
        assert alive == {winner}
    assert lots or players < 11  # ties that were level to the end


@pytest.mark.parametrize("players", [4, 5, 7])
def test_the_rounds_of_a_swiss_tournament(players: int) -> None:
    plan, results, winner = played("swiss", players, seed=3)
    table = table_of(plan, list(results.values()), winner)
    assert winner is None
    points = dict.fromkeys((each.name for each in plan.entrants), 0.0)
    for round in table.rounds:
        in_it = [name for tie in round.pairings for name in (tie.first, tie.second)]
        assert sorted([*in_it, *round.byes]) == sorted(points)
        assert len(round.byes) == players % 2
        for tie in round.pairings:
            points[tie.first] += tie.points
            points[tie.second] += tie.games - tie.points
    assert points == {row.name: row.score.points for row in table.rows}


def test_an_unfinished_round_has_no_byes() -> None:
    plan, results, _ = played("swiss", 5, seed=3)
    table = table_of(plan, [results[0], results[1]], None)
    assert [(len(round.pairings), round.byes) for round in table.rounds] == [(1, ())]


def test_other_formats_have_no_rounds() -> None:
    plan, results, winner = played("round-robin", 4, seed=1)
    table = table_of(plan, list(results.values()), winner)
    assert (table.rounds, table.winner, table.as_dict()["rounds"]) == ((), None, [])
