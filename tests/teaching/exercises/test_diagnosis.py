"""Answers with a known mistake lose marks and get the right diagnosis."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest
from exercising import CONVENTIONS, Student, exercise

from zermelo.teaching.exercises import mistakes
from zermelo.teaching.exercises.answers import Answer, answer_as_json, correct_answer, parse_answer
from zermelo.teaching.exercises.entries import entries_of, keys_that_differ
from zermelo.teaching.exercises.exercise import CUTS, PARTS, Exercise, allocate_marks
from zermelo.teaching.exercises.grading import Grader
from zermelo.teaching.exercises.mistakes import MISTAKES
from zermelo.teaching.exercises.replay import Faults, replay
from zermelo.teaching.exercises.wrong_solvers import (
    Writer,
    _crosses_beneath_inner,
    crosses_above,
    same_entries,
    wrong_answers,
)
from zermelo.teaching.tree import read
from zermelo.teaching.tree.convention import Convention
from zermelo.teaching.tree.node import Tree

#: Conventions under which each mistake can be made, and the shape of the exercises.
PLANTED: dict[str, tuple[list[str], dict[str, object]]] = {
    "players-swapped": (["", "strict", "minimax", "negamax"], {}),
    "one-player": (["", "minimax", "fail-hard"], {}),
    "not-negated": (["negamax", "negamax strict"], {}),
    "leaves-not-negated": (["negamax", "negamax strict"], {}),
    "sign-lost": (["negamax", "negamax strict"], {}),
    "right-to-left": (["", "minimax", "path"], {}),
    "depth-off-by-one": (["", "minimax"], {"plies": 3, "depth": (4, 4)}),
    "weights-ignored": (["expectiminimax", ""], {"chance": 0.3}),
    "cuts-only-beyond": (["", "fail-hard", "negamax"], {"depth": (4, 4)}),
    "cuts-on-equality": (["strict", "strict fail-hard"], {"depth": (4, 4)}),
    "no-pruning": (["", "strict", "own", "interval"], {}),
    "cuts-the-wrong-way": (["", "strict", "fail-hard"], {}),
    "own-bound-compared": (["", "strict", "fail-hard"], {}),
    "deep-cuts-missed": ([""], {"depth": (4, 4)}),
    "crosses-the-cause": (["", "path"], {}),
    "crosses-beneath": (["", "path"], {"depth": (4, 4)}),
    "crosses-above": (["", "path"], {}),
    "window-not-passed": (["", "strict"], {}),
    "parent-bound-only": ([""], {"depth": (4, 4)}),
    "window-swapped": (["", "strict", "negamax"], {}),
    "exit-equals-entry": (["", "strict", "negamax"], {}),
    "fail-hard-values": ([""], {}),
    "fail-soft-values": (["fail-hard", "path"], {}),
    "path-values": (["", "fail-hard"], {"depth": (4, 4)}),
    "worst-move": (["", "minimax"], {}),
    "last-of-equals": (["minimax", "fail-hard"], {"depth": (2, 2)}),
    "breadth-first": (["", "minimax"], {}),
    "bottom-up": (["", "minimax"], {}),
    "leaves-only": (["", "minimax"], {}),
}


#: Mistakes at a single node, which have no solver.
SLIPS = {"wrong-player-once", "sign-once", "cutoff-missed", "cutoff-too-early", "wrong-window", "arithmetic-slip"}


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
        planted = next((answer for named, answer in wrong_answers(given) if named.id == mistake), None)
        if planted is None:
            continue
        met += 1
        graded = grader.grade(planted)
        assert graded.marks < given.total_marks, (mistake, seed)
        named = [diagnosis.mistake.id for diagnosis in graded.diagnoses]
        assert mistake in named, (mistake, seed, named)
        also_named.update(set(named) - {mistake})
        for diagnosis in graded.diagnoses:  # each explains every entry by itself
            assert diagnosis.explains == diagnosis.items
            assert not diagnosis.is_joint
    assert met == count, f"only {met} exercises can show it"


def test_every_mistake_on_paper_is_tested() -> None:
    on_paper = set(MISTAKES) - {"stale-window", *SLIPS}
    reached = {mistake.id for mistake in _solved()}
    assert reached == set(PLANTED)
    assert reached <= on_paper


def _solved() -> set[mistakes.Mistake]:
    from zermelo.teaching.exercises.wrong_solvers import SOLVERS

    return set(SOLVERS)


@pytest.mark.long
@pytest.mark.parametrize("mistake", ["players-swapped", "right-to-left", "no-pruning", "cuts-only-beyond", "bottom-up"])
def test_mistake_is_diagnosed_despite_one_more_wrong_value(mistake: str) -> None:
    named = met = 0
    for seed in range(400):
        given = exercise(seed, "", depth=(4, 4))
        grader = Grader(given)
        planted = next((answer for found, answer in wrong_answers(given) if found.id == mistake), None)
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


@pytest.mark.long
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
    assert diagnoses("[[5,6],[4,7]]", "minimax", values={"A": 7, "B": 5, "C": 7}) == [("wrong-player-once", 3, 3)]
    assert diagnoses("[[5,6],[4,7]]", "minimax", values={"A": 5, "B": 5, "C": 3}) == [("arithmetic-slip", 3, 3)]
    # Several mistakes may lead to the same answer; all of them are reported.
    named = {id for id, _, _ in diagnoses("[[3,5],[3,9]]", "", cuts=[], order=["A", "B", "b1", "b2", "C", "c1", "c2"])}
    assert {"players-swapped", "one-player", "cuts-only-beyond", "no-pruning", "window-not-passed"} < named


def test_no_mistake_is_named_that_the_right_parts_contradict() -> None:
    given = Exercise(read(TEXTBOOK), Convention(), allocate_marks(PARTS, {}))
    right = answer_as_json(given, correct_answer(given))
    for wrong in (
        {"cuts": []},  # no mistake of a search: its order and windows would differ
        {"order": ["A", "B", "C", "D"]},
        {"cuts": [], "windows": {}},
        {"cuts": [], "order": ["A", "B", "C", "D"]},
    ):
        graded = Grader(given).grade(parse_answer(given, right | wrong))
        assert not graded.diagnoses, wrong
        assert "no single known mistake explains this" in graded.notes[-1]
    # Parts that are each explained by another mistake.
    mixed = {"cuts": ["c1", "c2", "c3"], "order": ["b1", "b2", "b3", "c1", "d1", "d2", "d3"]}
    graded = Grader(given).grade(parse_answer(given, right | mixed))
    assert {each.mistake.id for each in graded.diagnoses} == {"crosses-the-cause", "leaves-only"}


@pytest.mark.parametrize("solver", [_crosses_beneath_inner, crosses_above])
def test_arcs_moved_off_the_tree_are_not_a_mistake(solver: Writer) -> None:
    tree = TEXTBOOK if solver is _crosses_beneath_inner else "[3,5,7]"
    given = Exercise(read(tree), Convention(), allocate_marks([CUTS], {}))
    right = correct_answer(given)
    if solver is crosses_above:
        right = replace(right, cuts=frozenset([2, 3]))
    assert solver(given, right) == right


def test_random_wrong_answers_get_no_false_name() -> None:
    check_random_answers(20)


@pytest.mark.long
def test_200_random_wrong_answers_get_no_false_name() -> None:
    check_random_answers(200)


@pytest.mark.nightly
def test_two_thousand_random_wrong_answers_get_no_false_name() -> None:
    check_random_answers(2000)


def check_random_answers(count: int) -> None:
    """Nothing is named unless its replay gives the answer, and hardly anything is."""
    named = 0
    for seed in range(count):
        given = exercise(seed, CONVENTIONS[seed % len(CONVENTIONS)], depth=(3, 4))
        answer = random_answer(given, random.Random(seed))
        written, right = (entries_of(given.searched_tree, each) for each in (answer, correct_answer(given)))
        if len(list(keys_that_differ(written, right))) < 3:
            continue  # one or two changes are slips that may be named
        graded = Grader(given).grade(answer)
        if graded.diagnoses:
            named += 1
        else:
            assert "no single known mistake explains this; first differing entry: " in graded.notes[-1]
    assert named == 0


def random_answer(given: Exercise, rng: random.Random) -> Answer:
    """The correct answer with three to eight entries replaced at random, or an answer at random."""
    right = correct_answer(given)
    assert right.values is not None
    numbers = [node.value for node in given.searched_tree if node.value is not None]
    if rng.random() < 0.3:
        return replace(right, values={index: rng.choice(numbers) for index in right.values})
    values, windows, cuts = dict(right.values), dict(right.windows or {}), set(right.cuts or ())
    for _ in range(rng.randint(3, 8)):
        what = rng.choice(["value", "value", "window", "arc"])
        if what == "value" or right.windows is None:
            index = rng.choice(list(values))
            values[index] = rng.choice([n for n in numbers if n != values[index]])
        elif what == "window" and windows:
            key = rng.choice(list(windows))
            windows[key] = rng.choice(numbers), rng.choice(numbers)
        elif what == "arc":
            cuts ^= {rng.randrange(1, len(given.searched_tree))}
    return replace(
        right,
        values=values,
        windows=None if right.windows is None else windows,
        cuts=None if right.cuts is None else frozenset(cuts),
    )


@pytest.mark.parametrize("words", ["", "strict", "minimax", "negamax"])
def test_two_mistakes_are_named_together(words: str) -> None:
    met = named = 0
    for seed in range(12):
        given = exercise(seed, words, depth=(3, 3))
        tree, right = given.searched_tree, correct_answer(given)
        first, second = tree.root.children[0], tree.root.children[-1]
        answer = replay(given, Faults(flipped=frozenset({first, second})))
        diagnoses = Grader(given).grade(answer).diagnoses
        once = [replay(given, Faults(flipped=frozenset({index}))) for index in (first, second)]
        if any(same_entries(answer, other) for other in (right, *once)):
            continue
        met += 1
        named += bool(diagnoses)
        if diagnoses and diagnoses[0].is_joint:
            assert len(diagnoses) == 2
            assert all(diagnosis.explains == diagnosis.items for diagnosis in diagnoses)
    assert named >= met / 2 >= 2, (named, met)


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
