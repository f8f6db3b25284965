"""Simulated programs: correct by default, and distinguishable for different mistakes."""

from __future__ import annotations

from itertools import combinations

import pytest

from zermelo.teaching.exercises import mistakes, program_behaviour
from zermelo.teaching.exercises.check_cases import FUNCTIONS, CheckCase, make_cases
from zermelo.teaching.tree.convention import Convention

CONVENTIONS = ["alphabeta", "alphabeta strict", "minimax", "expectiminimax"]
#: Mistakes with the same effect in a program: nothing is pruned.
EQUIVALENT = {mistakes.NO_PRUNING, mistakes.WINDOW_NOT_PASSED, mistakes.STALE_WINDOW}


def cases(words: str, seed: int, count: int = 20) -> tuple[list[CheckCase], program_behaviour.SolverOptions]:
    convention = Convention.of(words)
    correct = program_behaviour.correct_options(convention.algorithm, convention.cut == "strict")
    return make_cases(seed, count, convention), correct


@pytest.mark.long
@pytest.mark.parametrize("words", CONVENTIONS)
@pytest.mark.parametrize("seed", range(4))
def test_default_options_agree_with_the_trace(words: str, seed: int) -> None:
    made, correct = cases(words, seed, 40)
    for case in made:
        found = case.simulate(correct)
        assert found.value == case.value, case
        assert found.searched == case.searched, case
        assert found.move is None or found.move in case.best, case


@pytest.mark.parametrize("words", CONVENTIONS)
@pytest.mark.parametrize("seed", range(3))
def test_every_form_of_a_mistake_is_revealed(words: str, seed: int) -> None:
    made, correct = cases(words, seed)
    for mistake in program_behaviour.possible_mistakes(correct, words == "expectiminimax"):
        for options in program_behaviour.faulty_options(mistake, correct):
            assert any(case.reveals(options, correct) for case in made), (mistake.id, options)


@pytest.mark.parametrize("words", CONVENTIONS)
def test_mistakes_are_distinguishable(words: str) -> None:
    made, correct = cases(words, 0)
    seen = {
        (mistake, options): tuple(case.simulate(options) for case in made)
        for mistake in program_behaviour.possible_mistakes(correct, words == "expectiminimax")
        for options in program_behaviour.faulty_options(mistake, correct)
    }
    for (one, did), (other, does) in combinations(seen.items(), 2):
        if one[0] != other[0] and not {one[0], other[0]} <= EQUIVALENT:
            assert did != does, (one, other)


def test_window_mistakes_need_a_search_with_windows() -> None:
    minimax = program_behaviour.possible_mistakes(program_behaviour.correct_options("minimax", False))
    assert mistakes.PLAYERS_SWAPPED in minimax
    assert not {*EQUIVALENT, mistakes.CUTS_ONLY_BEYOND, mistakes.WEIGHTS_IGNORED} & set(minimax)
    strict = program_behaviour.possible_mistakes(program_behaviour.correct_options("alphabeta", True))
    assert mistakes.CUTS_ON_EQUALITY in strict
    assert mistakes.CUTS_ONLY_BEYOND not in strict


def test_pairs_of_mistakes_change_different_options() -> None:
    correct = program_behaviour.correct_options("alphabeta", False)
    both = dict(program_behaviour.mistake_pairs(correct))
    assert (mistakes.RIGHT_TO_LEFT, mistakes.CUTS_ONLY_BEYOND) in both
    assert (mistakes.PLAYERS_SWAPPED, mistakes.ONE_PLAYER) not in both  # both change the chooser


@pytest.mark.parametrize("function", FUNCTIONS)
def test_the_same_seed_gives_the_same_cases(function: str) -> None:
    convention = Convention(algorithm=function)
    once, again = (make_cases(7, 12, convention) for _ in range(2))
    assert [(each.tree, each.depth) for each in once] == [(each.tree, each.depth) for each in again]
    other = make_cases(8, 12, convention)
    assert [each.tree for each in once] != [each.tree for each in other]


def test_cases_prune() -> None:
    made, _ = cases("alphabeta", 3)
    assert sum(len(case.searched) < len(case.tree) for case in made) >= 12
    assert {case.tree.root.player for case in made} == {1, -1, None}
    # Some cases have a player moving twice in a row, some a depth limit above the leaves.
    assert any(
        node.parent >= 0 and case.tree.nodes[node.parent].player == node.player
        for case in made
        for node in case.tree
        if node.player
    )
    assert any(0 < case.depth < case.tree.depth for case in made)
