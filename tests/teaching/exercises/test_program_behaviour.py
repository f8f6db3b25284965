"""The solver with options: right where its options are, and telling all mistakes apart that can be told apart."""

from __future__ import annotations

from itertools import combinations

import pytest

from zermelo.teaching.exercises import mistakes
from zermelo.teaching.exercises import program_behaviour as behaviour
from zermelo.teaching.exercises.check_cases import FUNCTIONS, CheckCase, trials
from zermelo.teaching.tree.convention import Convention

ASKED = ["alphabeta", "alphabeta strict", "minimax", "expectiminimax"]
#: Mistakes after which a program does the same: it prunes nothing.
ALIKE = {mistakes.NO_PRUNING, mistakes.WINDOW_NOT_PASSED, mistakes.STALE_WINDOW}


def cases(words: str, seed: int, count: int = 20) -> tuple[list[CheckCase], behaviour.SolverOptions]:
    convention = Convention.of(words)
    return trials(seed, count, convention), behaviour.right(convention.algorithm, convention.cut == "strict")


@pytest.mark.parametrize("words", ASKED)
@pytest.mark.parametrize("seed", range(4))
def test_right_habits_do_what_the_textbook_does(words: str, seed: int) -> None:
    chosen, sound = cases(words, seed, 40)
    for trial in chosen:
        found = trial.behaviour(sound)
        assert found.value == trial.value, trial
        assert found.searched == trial.searched, trial
        assert found.move is None or found.move in trial.best, trial


@pytest.mark.parametrize("words", ASKED)
@pytest.mark.parametrize("seed", range(3))
def test_every_mistake_shows_in_each_of_its_ways(words: str, seed: int) -> None:
    chosen, sound = cases(words, seed)
    for mistake in behaviour.possible(sound, words == "expectiminimax"):
        for options in behaviour.wrong(mistake, sound):
            assert any(trial.shows(options, sound) for trial in chosen), (mistake.id, options)


@pytest.mark.parametrize("words", ASKED)
def test_mistakes_are_told_apart(words: str) -> None:
    chosen, sound = cases(words, 0)
    seen = {
        (mistake, options): tuple(trial.behaviour(options) for trial in chosen)
        for mistake in behaviour.possible(sound, words == "expectiminimax")
        for options in behaviour.wrong(mistake, sound)
    }
    for (one, did), (other, does) in combinations(seen.items(), 2):
        if one[0] != other[0] and not {one[0], other[0]} <= ALIKE:
            assert did != does, (one, other)


def test_mistakes_of_windows_are_made_by_searches_with_windows_only() -> None:
    minimax = behaviour.possible(behaviour.right("minimax", False))
    assert mistakes.PLAYERS_SWAPPED in minimax
    assert not {*ALIKE, mistakes.CUTS_ONLY_BEYOND, mistakes.WEIGHTS_IGNORED} & set(minimax)
    strict = behaviour.possible(behaviour.right("alphabeta", True))
    assert mistakes.CUTS_ON_EQUALITY in strict
    assert mistakes.CUTS_ONLY_BEYOND not in strict


def test_two_mistakes_together_change_two_habits() -> None:
    sound = behaviour.right("alphabeta", False)
    both = dict(behaviour.pairs(sound))
    assert (mistakes.RIGHT_TO_LEFT, mistakes.CUTS_ONLY_BEYOND) in both
    assert (mistakes.PLAYERS_SWAPPED, mistakes.ONE_PLAYER) not in both  # about the same habit


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_same_seed_gives_the_same_cases(function: str) -> None:
    convention = Convention(algorithm=function)
    once, again = (trials(7, 12, convention) for _ in range(2))
    assert [(each.tree, each.depth) for each in once] == [(each.tree, each.depth) for each in again]
    other = trials(8, 12, convention)
    assert [each.tree for each in once] != [each.tree for each in other]


def test_cases_prune() -> None:
    chosen, _ = cases("alphabeta", 3)
    assert sum(len(trial.searched) < len(trial.tree) for trial in chosen) >= 12
    assert {trial.tree.root.player for trial in chosen} == {1, -1, None}
    # A player moves twice in a row in some, the depth ends above the leaves in some, both leaf and cut-off in some.
    assert any(
        node.parent >= 0 and trial.tree.nodes[node.parent].player == node.player
        for trial in chosen
        for node in trial.tree
        if node.player
    )
    assert any(0 < trial.depth < trial.tree.depth for trial in chosen)
