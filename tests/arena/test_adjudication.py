"""Adjudication: proven results are right, and agreement needs both players."""

from __future__ import annotations

import pytest

from zermelo import registry
from zermelo.arena.adjudication import Adjudication, Adjudicator
from zermelo.arena.game_record import ADJUDICATED, AGREED, GameJob, MoveReport
from zermelo.arena.referee import play
from zermelo.errors import LimitError
from zermelo.games.tictactoe import TicTacToe
from zermelo.search.textbook import minimax

START = TicTacToe.start()


def scores(*message: int | None, opening: int = 0) -> list[MoveReport]:
    """Reports of two players in turn, after an opening without reports."""
    return [MoveReport()] * opening + [MoveReport(place % 2, score=score) for place, score in enumerate(message)]


def points(text: str, reports: list[MoveReport]) -> float | None:
    verdict = Adjudicator(TicTacToe, text).after_move(START, (), reports)
    return None if verdict is None else verdict.points


def test_by_default_no_game_ends_early() -> None:
    assert Adjudication.parse("") == Adjudication()
    assert points("", scores(9999, 9999, 9999, 9999)) is None


@pytest.mark.parametrize(
    "text",
    ["", "exact:nodes=7", "agreed:score=500,plies=8;draw:score=10,plies=16,after=80", "draw:score=0,plies=2,after=0"],
)
def test_rules_survive_a_round_trip(text: str) -> None:
    parsed = Adjudication.parse(text)
    assert str(parsed) == text
    assert Adjudication.parse(" ; ".join(reversed(text.split(";")))) == parsed


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("never", "adjudication 'never'; expected exact"),
        ("exact;exact", "each at most once"),
        ("exact:plies=3", "'plies=3'; expected nodes=N"),
        ("exact:nodes=0", "nodes must be between 1"),
        ("agreed", "score= is missing"),
        ("agreed:score=500", "plies= is missing"),
        ("agreed:score=500,plies=1", "plies must be between 2"),
        ("agreed:score=-5,plies=4", "'score=-5'"),
        ("agreed:score=٣,plies=4", "expected score=N"),
        ("draw:score=5,plies=4,plies=5", "each at most once"),
        ("x" * 10_000, "expected exact"),
    ],
)
def test_invalid_rules_are_refused(text: str, message: str) -> None:
    with pytest.raises(LimitError, match=message) as caught:
        Adjudication.parse(text)
    assert len(str(caught.value)) < 300


def test_agreed_needs_both_players_for_enough_plies() -> None:
    rule = "agreed:score=500,plies=4"
    assert points(rule, scores(500, 600, 700, 501)) == 1
    assert points(rule, scores(-500, -600, -700, -501)) == 0
    assert points(rule, scores(0, 500, 600, 700, 501)) == 1
    assert points(rule, scores(500, 600, 700, 501, opening=6)) == 1
    for too_little in (
        (500, 600, 700),
        (500, 600, 499, 700),
        (500, 600, -700, 700),
        (500, None, 700, 700),
        (700, 700, 700, 700, 0),
    ):
        assert points(rule, scores(*too_little)) is None
    assert points(rule, [MoveReport(0, score=900)] * 8) is None  # the other one has reports nothing


def test_a_draw_is_agreed_after_the_given_ply() -> None:
    rule = "draw:score=10,plies=4,after=6"
    assert points(rule, scores(10, -10, 0, 5)) is None
    assert points(rule, scores(99, 99, 10, -10, 0, 5)) == 0.5
    assert points(rule, scores(10, -10, 0, 5, opening=2)) == 0.5
    assert points(rule, scores(99, 99, 10, -11, 0, 5)) is None


@pytest.mark.long
def test_a_proven_result_is_the_minimax_value() -> None:
    """In random games, verdicts equal the minimax value, and near the end there is always one."""
    import random

    dice = random.Random(5)
    rule = Adjudicator(TicTacToe, "exact:nodes=200")
    proven = 0
    for _ in range(6):
        history, state = [], START
        while not state.is_over():
            left = str(state).count("-")
            verdict = rule.after_move(state, history, ())
            if verdict is not None:
                value = minimax(state).value
                assert verdict.points == (1 + (value > 0) - (value < 0)) / 2
                assert verdict.termination == ADJUDICATED
                proven += 1
            assert verdict is not None or left > 5
            history.append(state)
            state = state.play(dice.choice(state.legal_moves()))
    assert proven > 10


def test_exact_is_refused_for_games_of_chance() -> None:
    with pytest.raises(LimitError, match="does not apply to Backgammon"):
        Adjudicator(registry.load("backgammon"), "exact")
    Adjudicator(registry.load("backgammon"), "agreed:score=5,plies=4")


@pytest.mark.long
def test_an_adjudicated_game_has_its_termination() -> None:
    job = GameJob(0, "tictactoe", ("random", "random"), ("a", "b"), seed=3, adjudication="exact")
    played = play(job)
    assert (played.points, played.termination, played.utility) == (0.5, ADJUDICATED, None)
    assert played.moves == ()
    assert "proven" in played.detail
    whole = play(GameJob(0, "tictactoe", ("random", "random"), ("a", "b"), seed=3))
    assert len(whole.moves) > 4
    players = ("engine:depth=3", "engine:depth=3")
    agreed = play(GameJob(0, "tictactoe", players, ("a", "b"), adjudication="draw:score=9,plies=2,after=4"))
    assert (agreed.points, agreed.termination, len(agreed.moves)) == (0.5, AGREED, 4)
