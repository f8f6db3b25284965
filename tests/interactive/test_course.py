"""Games in progress: taking back, repetition, the move to explain, the choice of a level."""

from __future__ import annotations

import random
from typing import Any

import pytest

import zermelo
from zermelo.core.game import MAX, MIN
from zermelo.errors import IllegalMove
from zermelo.interactive.course import GameInProgress

TICTACTOE = zermelo.load("tictactoe")


def game(*moves: str, name: str = "tictactoe", people: tuple[int, ...] = (MAX, MIN)) -> GameInProgress:
    made = GameInProgress([zermelo.load(name).start()], people)
    for move in moves:
        made.make(made.parse(move))
    return made


def test_undo_returns_to_the_last_decision_of_a_person() -> None:
    both, one = game("b2", "a1", "c3"), game("b2", "a1", "c3", people=(MAX,))
    assert both.undo()
    assert both.move_names() == ["b2", "a1"]
    assert one.undo()
    assert one.move_names() == ["b2", "a1"]
    assert one.undo()
    assert one.move_names() == []
    assert not one.undo()
    assert not game("b2", people=()).undo()


def test_undo_skips_dice() -> None:
    state = zermelo.load("backgammon").start()
    made, dice = GameInProgress([state], (MAX, MIN)), random.Random(1)
    while len(made.before) < 6:
        made.make(dice.choice(made.state.legal_moves()))
    sides = [each.to_move() for each in made.before]
    made.undo()
    assert made.state.to_move() == sides[len(made.before)]
    assert made.state.to_move() in (MAX, MIN)


def test_a_copy_is_independent_and_a_cut_game_goes_on() -> None:
    first = game("b2", "a1", "c3")
    assert first.move_names() == ["b2", "a1", "c3"]
    second = first.copy()
    second.cut(1)
    second.make(second.parse("c1"))
    assert second.move_names() == ["b2", "c1"]
    assert first.move_names() == ["b2", "a1", "c3"]
    assert first.states[-1] == TICTACTOE.start().after("b2 a1 c3")
    assert len(second.past) == 3


def test_repetitions_count_over_taking_back() -> None:
    there_and_back = ("Nf3", "Nf6", "Ng1", "Ng8")
    made = game(*there_and_back, *there_and_back, name="chess")
    assert made.claim_reason() == "the position occurred 3 times"
    made.undo()
    assert made.claim_reason() == ""
    made.make(made.parse("Ng8"))
    assert made.claim_reason() == "the position occurred 3 times"
    assert not made.is_finished()


def test_the_move_to_explain() -> None:
    made = game("b2", "a1")
    state, before, move = made.explained() or pytest.fail("no move")
    assert state.move_name(move) == "a1"
    assert len(before) == 1
    state, before, move = made.explained("c3") or pytest.fail("no move")
    assert (state, len(before)) == (made.state, 2)
    assert game().explained() is None
    assert made.last_move() == (made.before[1], made.moves[1])
    with pytest.raises(IllegalMove):
        made.explained("b2")


def test_a_level_chooses_among_equal_moves_with_its_seed() -> None:
    from zermelo.interactive.opponents import choose
    from zermelo.search.levels import Strength
    from zermelo.search.limits import Limits

    state = TICTACTOE.start()
    asked: list[Any] = []

    def search(limits: Limits, *, lines: int, moves: tuple[int, ...]) -> Any:
        asked.append((limits.nodes, lines, moves))
        from zermelo.search.default import make_searcher

        with make_searcher("engine", "1M", compiled=False) as engine:
            return engine.analyse(state, depth=1, evaluation="nothing", lines=lines, moves=moves)

    legal = state.legal_moves()
    found = {choose(state, legal, Strength(8), Limits(), False, random.Random(seed), search).best for seed in range(8)}
    assert len(found) > 1
    assert asked[0] == (100_000, len(legal), ())
