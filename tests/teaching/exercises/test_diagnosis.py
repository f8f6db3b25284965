"""Answers with a known mistake lose marks and get the right diagnosis."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
from exercising import CONVENTIONS, Student, exercise

from zermelo.teaching.exercises import mistakes
from zermelo.teaching.exercises.answers import Answer, correct_answer, parse_answer
from zermelo.teaching.exercises.exercise import PARTS, Exercise, allocate_marks
from zermelo.teaching.exercises.grading import Grader
from zermelo.teaching.exercises.mistakes import MISTAKES
from zermelo.teaching.exercises.wrong_solvers import same_entries, wrong_answers
from zermelo.teaching.tree import read
from zermelo.teaching.tree.convention import Convention
from zermelo.teaching.tree.node import Tree

#: Conventions under which each mistake can be made, and the shape of the exercises.
PLANTED: dict[str, tuple[list[str], dict[str, object]]] = {
    "players-swapped": (["", "strict", "minimax", "negamax"], {}),
    "one-player": (["", "minimax", "fail-hard"], {}),
    "not-negated": (["negamax", "negamax strict"], {}),
    "right-to-left": (["", "minimax", "path"], {}),
    "depth-off-by-one": (["", "minimax"], {"plies": 3, "depth": (4, 4)}),
    "weights-ignored": (["expectiminimax", ""], {"chance": 0.3}),
    "cuts-only-beyond": (["", "fail-hard", "negamax"], {"depth": (4, 4)}),
    "cuts-on-equality": (["strict", "strict fail-hard"], {"depth": (4, 4)}),
    "no-pruning": (["", "strict", "own", "interval"], {}),
    "crosses-the-cause": (["", "path"], {}),
    "crosses-beneath": (["", "path"], {"depth": (4, 4)}),
    "crosses-above": (["", "path"], {}),
    "window-not-passed": (["", "strict"], {}),
    "parent-bound-only": ([""], {"depth": (4, 4)}),
    "window-swapped": (["", "strict", "negamax"], {}),
    "fail-hard-values": ([""], {}),
    "fail-soft-values": (["fail-hard", "path"], {}),
    "path-values": (["", "fail-hard"], {"depth": (4, 4)}),
    "worst-move": (["", "minimax"], {}),
    "last-of-equals": (["minimax", "fail-hard"], {"depth": (2, 2)}),
    "breadth-first": (["", "minimax"], {}),
    "bottom-up": (["", "minimax"], {}),
    "leaves-only": (["", "minimax"], {}),
}


@pytest.mark.parametrize("mistake", PLANTED)
def test_each_mistake_loses_marks_and_is_diagnosed(mistake: str) -> None:
    check_planted(mistake, 12)


@pytest.mark.nightly
@pytest.mark.parametrize("mistake", PLANTED)
def test_each_mistake_is_diagnosed_on_a_hundred_exercises(mistake: str) -> None:
    check_planted(mistake, 100)


def check_planted(mistake: str, count: int) -> None:
    conventions, shape = PLANTED[mistake]
    met, also_named = 0, Counter[str]()
    for seed in range(12 * count):
        if met == count:
            break
        given = exercise(seed, conventions[seed % len(conventions)], **shape)  # type: ignore[arg-type]
        grader = Grader(given)
        planted = next((answer for named, answer in grader.wrong_answers if named.id == mistake), None)
        if planted is None:
            continue
        met += 1
        graded = grader.grade(planted)
        assert graded.marks < given.total_marks, (mistake, seed)
        named = [diagnosis.mistake.id for diagnosis in graded.diagnoses]
        assert mistake in named, (mistake, seed, named)
        also_named.update(set(named) - {mistake})
        for diagnosis in graded.diagnoses:  # mistakes reported together explain equally much
            assert diagnosis.explains == graded.diagnoses[0].explains
    assert met == count, f"only {met} exercises can show it"


def test_every_mistake_on_paper_is_tested() -> None:
    only_programs = {"stale-window", "arithmetic-slip"}
    on_paper = set(MISTAKES) - only_programs
    reached = {mistake.id for mistake in _solved()}
    assert reached == set(PLANTED)
    assert reached <= on_paper


def _solved() -> set[mistakes.Mistake]:
    from zermelo.teaching.exercises.wrong_solvers import SOLVERS

    return set(SOLVERS)


@pytest.mark.parametrize("mistake", ["players-swapped", "right-to-left", "no-pruning", "cuts-only-beyond", "bottom-up"])
def test_mistake_is_diagnosed_despite_one_more_wrong_value(mistake: str) -> None:
    named = met = 0
    for seed in range(400):
        given = exercise(seed, "", depth=(4, 4))
        grader = Grader(given)
        planted = next((answer for found, answer in grader.wrong_answers if found.id == mistake), None)
        if planted is None or not planted.values:
            continue
        index = random.Random(seed).choice(list(planted.values))
        slipped = replace(planted, values={**planted.values, index: planted.values[index] + 50})
        met += 1
        named += mistake in [diagnosis.mistake.id for diagnosis in grader.grade(slipped).diagnoses]
        if met == 12:
            break
    assert met == 12
    # An additional wrong value hides a mistake only if it shows in hardly more than one entry.
    assert named >= 9, named


# ---- mistakes made by an independent solver ---------------------------------------------------------------------


def _swapped(tree: Tree) -> Tree:
    return Tree([node if node.is_leaf else node._replace(player=-(node.player or 0)) for node in tree])


INDEPENDENT: dict[str, Callable[[Tree], Student]] = {
    "cuts-only-beyond": lambda tree: Student(tree, "strict"),
    "fail-hard-values": lambda tree: Student(tree, "fail-hard"),
    "path-values": lambda tree: Student(tree, "path"),
    "players-swapped": lambda tree: Student(_swapped(tree), ""),
}


@pytest.mark.parametrize("mistake", INDEPENDENT)
def test_mistakes_of_an_independent_solver_are_diagnosed(mistake: str) -> None:
    met = 0
    for seed in range(30):
        given = exercise(seed, "", depth=(3, 4))
        answer = parse_answer(given, INDEPENDENT[mistake](given.tree).answer(given))
        if same_entries(answer, correct_answer(given)):
            continue
        met += 1
        graded = Grader(given).grade(answer)
        assert mistake in [diagnosis.mistake.id for diagnosis in graded.diagnoses], seed
        assert graded.marks < given.total_marks
    assert met > 5


TEXTBOOK = "[[3,12,8],[2,4,6],[14,5,2]]"


def diagnoses(tree: str, words: str, **answer: object) -> list[tuple[str, int, int]]:
    given = Exercise(read(tree), Convention.of(words), allocate_marks([part for part in PARTS if part in answer], {}))
    return [(d.mistake.id, d.explains, d.items) for d in Grader(given).grade(parse_answer(given, answer)).diagnoses]


def test_diagnoses_of_handwritten_answers() -> None:
    assert diagnoses(TEXTBOOK, "", cuts=["c2", "c3"]) == []
    assert diagnoses(TEXTBOOK, "", cuts=["c1", "c2", "c3", "d2", "d3"]) == []
    assert diagnoses(TEXTBOOK, "", cuts=["c1", "c2", "c3"], best="B") == [("crosses-the-cause", 4, 4)]
    assert diagnoses(TEXTBOOK, "", cuts=["C"], best="B") == [("crosses-above", 2, 2)]
    # With MAX and MIN swapped nothing is pruned in this tree.
    assert diagnoses(TEXTBOOK, "", values={"A": 6, "B": 12, "C": 6, "D": 14}) == [("players-swapped", 4, 4)]
    assert diagnoses(TEXTBOOK, "minimax", values={"A": 6, "B": 12, "C": 6, "D": 14}) == [("players-swapped", 4, 4)]
    assert diagnoses("[[3,5],[3,9]]", "strict", cuts=["c2"]) == [("cuts-on-equality", 1, 1)]
    # Several mistakes may lead to the same answer; all of them are reported.
    named = {id for id, _, _ in diagnoses("[[3,5],[3,9]]", "", cuts=[], order=["A", "B", "b1", "b2", "C", "c1", "c2"])}
    assert named == {"players-swapped", "one-player", "cuts-only-beyond", "no-pruning", "window-not-passed"}


def test_random_answers_have_no_diagnosis() -> None:
    rng = random.Random(5)
    named = 0
    for seed in range(60):
        given = exercise(seed, CONVENTIONS[seed % len(CONVENTIONS)], depth=(3, 4))
        inner = [node.index for node in given.searched_tree if not node.is_leaf]
        answer = Answer(values={index: rng.randint(20, 90) for index in inner})
        named += bool(Grader(given).grade(answer).diagnoses)
    assert named == 0


def test_wrong_answers_differ_from_the_correct_one() -> None:
    for seed in range(40):
        given = exercise(seed, CONVENTIONS[seed % len(CONVENTIONS)])
        right = correct_answer(given)
        assert not any(same_entries(answer, right) for _, answer in wrong_answers(given))


def test_mistakes_have_ids_titles_and_sentences() -> None:
    assert len(MISTAKES) >= 12
    for id, mistake in MISTAKES.items():
        assert mistake.id == id == id.casefold()
        assert mistake.sentence.endswith(".")
        assert len(mistake.title) < 60
