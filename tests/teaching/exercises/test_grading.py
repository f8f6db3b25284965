"""Marks: full for the correct answer, one item lost for one error, none for nonsense."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from math import inf

import pytest
from exercising import CONVENTIONS, Student, exercise

from zermelo.teaching.exercises.answers import Answer, answer_as_json, correct_answer, parse_answer
from zermelo.teaching.exercises.entries import entries_of
from zermelo.teaching.exercises.exercise import BEST, CUTS, PARTS, VALUES, WINDOWS, Exercise, allocate_marks
from zermelo.teaching.exercises.generator import generate_exercises
from zermelo.teaching.exercises.grading import Grade, Grader
from zermelo.teaching.exercises.kinds.tree_search import ExerciseSpec
from zermelo.teaching.exercises.replay import NEVER, NOTHING, Faults, replay
from zermelo.teaching.exercises.rubric import LIMIT, Rubric
from zermelo.teaching.exercises.simulation import CHOICE, exercises, simulate
from zermelo.teaching.exercises.wrong_solvers import rival_solvers, same_entries
from zermelo.teaching.tree import read
from zermelo.teaching.tree.convention import Convention
from zermelo.teaching.tree.numbers import Number

pytestmark = pytest.mark.quick

HAND_WRITTEN = ["", "strict", "fail-hard", "strict fail-hard", "path", "strict path"]


def grade(given: Exercise, answer: Answer, *, diagnose: bool = False) -> Grade:
    return Grader(given).grade(answer, diagnose=diagnose)


def lost(given: Grade) -> dict[str, Number]:
    return {part.part: part.max_marks - part.marks for part in given.parts if part.marks != part.max_marks}


def worth(given: Exercise, part: str) -> Fraction:
    right = getattr(correct_answer(given), part)
    return Fraction(given.marks[part]) / max(1, len(right))


def shaped(seed: int) -> dict[str, object]:
    rng = random.Random(seed)
    return {
        "branching": rng.choice([(1, 3), (2, 3), (2, 4)]),
        "depth": rng.choice([(2, 3), (3, 3), (1, 4)]),
        "chance": rng.choice([0, 0, 0, 0.3]),
        "plies": rng.choice([None, None, None, 2]),
    }


def check_full_marks(seed: int) -> None:
    given = exercise(seed, CONVENTIONS[seed % len(CONVENTIONS)], **shaped(seed))  # type: ignore[arg-type]
    right = correct_answer(given)
    graded = grade(given, right, diagnose=True)
    assert not graded.diagnoses
    assert graded.marks == given.total_marks == sum(given.marks.values())
    assert not any(part.remarks for part in graded.parts)
    # The same from an answer file.
    again = parse_answer(given, answer_as_json(given, right))
    assert not again.remarks
    assert grade(given, again).marks == given.total_marks


@pytest.mark.parametrize("seed", range(64))
def test_correct_answer_has_full_marks(seed: int) -> None:
    check_full_marks(seed)


@pytest.mark.nightly
@pytest.mark.parametrize("start", range(1000, 6000, 500))
def test_thousands_of_correct_answers_have_full_marks(start: int) -> None:
    for seed in range(start, start + 500):
        check_full_marks(seed)


@pytest.mark.parametrize("words", HAND_WRITTEN)
@pytest.mark.parametrize("seed", range(8))
def test_independent_solver_has_full_marks(words: str, seed: int) -> None:
    given = exercise(seed, words, depth=(2, 4))
    answer = parse_answer(given, Student(given.tree, words).answer(given))
    assert grade(given, answer).marks == given.total_marks


@pytest.mark.parametrize("words", CONVENTIONS)
def test_replay_without_faults_is_the_textbook_search(words: str) -> None:
    for seed in range(12):
        given = exercise(seed, words, depth=(2, 4), branching=(1, 4), chance=0.3 if seed % 3 == 0 else 0)
        assert same_entries(replay(given), correct_answer(given)), seed


# ---- a wrong entry costs marks, and its consequences do not ---------------------------------------------------


@pytest.mark.parametrize("seed", range(48))
def test_one_wrong_entry_costs_marks(seed: int) -> None:
    given = exercise(seed, CONVENTIONS[seed % len(CONVENTIONS)], **shaped(seed))  # type: ignore[arg-type]
    rng, right = random.Random(seed), correct_answer(given)
    grader = Grader(given)

    def check(answer: Answer, part: str) -> None:
        graded = grader.grade(answer, diagnose=False)
        missing = lost(graded)
        assert missing[part] >= min(worth(given, part), given.marks[part])
        if all(each.is_shown for each in graded.parts) and not any("follow-through" in note for note in graded.notes):
            assert missing == {part: worth(given, part)}

    assert right.values is not None
    place = rng.choice(list(right.values))
    check(replace(right, values={**right.values, place: right.values[place] + 17}), VALUES)
    check(replace(right, values={i: value for i, value in right.values.items() if i != place} or None), VALUES)
    if right.windows:
        window = rng.choice(list(right.windows))
        low, high = right.windows[window]
        for other in ((low, 99), (-99, high)) if low != high else ((99, 99), (-99, -99)):
            check(replace(right, windows={**right.windows, window: other}), WINDOWS)
    if right.cuts is not None:
        nodes = given.searched_tree.nodes
        for index in right.cuts:
            check(replace(right, cuts=right.cuts - {index}), CUTS)
        below = {index for index in range(len(nodes)) if not given.solution.records[index].is_visited}
        assert not lost(grader.grade(replace(right, cuts=right.cuts | below), diagnose=False))
        for index in rng.sample(range(1, len(nodes)), min(3, len(nodes) - 1)):
            if index not in below:
                assert lost(grader.grade(replace(right, cuts=right.cuts | {index}), diagnose=False))[CUTS] > 0


@pytest.mark.parametrize("words", HAND_WRITTEN)
@pytest.mark.parametrize("seed", range(8))
def test_consequences_of_one_wrong_value_cost_nothing(words: str, seed: int) -> None:
    given = exercise(seed, words, depth=(3, 4))
    rng = random.Random(seed)
    right = Student(given.tree, words)
    node = rng.choice(list(right.values))
    student = Student(given.tree, words, slips={node: rng.choice([-3, -1, 1, 2])})
    graded = grade(given, parse_answer(given, student.answer(given)))
    values = next(part for part in graded.parts if part.part == VALUES)
    if all(part.is_shown for part in graded.parts):
        # A slip that cuts off more than half of the tree costs more.
        assert values.lost == 1 or values.items < len(correct_answer(given).values or ()) / 2
        assert set(lost(graded)) == {VALUES} or any(part.items < 5 for part in graded.parts)
    assert graded.marks < given.total_marks


@pytest.mark.parametrize("words", HAND_WRITTEN)
@pytest.mark.parametrize("seed", range(8))
def test_missed_cutoff_costs_only_its_arcs(words: str, seed: int) -> None:
    given = exercise(seed, words, depth=(3, 4))
    cuts = given.solution.cuts
    if len(cuts) < 3:
        pytest.skip("after missing one of few cutoffs, too little shows that the student can prune")
    cut = random.Random(seed).choice(cuts)
    student = Student(given.tree, words, forgets=given.tree.nodes[cut.node].id)
    graded = grade(given, parse_answer(given, student.answer(given)))
    if all(part.is_shown for part in graded.parts):
        assert set(lost(graded)) == {CUTS}
    assert lost(graded)[CUTS] > 0


def test_windows_follow_from_windows_without_values() -> None:
    tree = read("[[[3,17],[2,12]],[[15],[25,0]],[[2,5],[3]]]")
    given = Exercise(tree, Convention(), allocate_marks([WINDOWS, CUTS], {}))
    # The error is in B's value, which is not asked for. It shows in C's window; the rest is consistent with it.
    answer = parse_answer(given, Student(tree, "", slips={"B": 1}).answer(given))
    assert set(lost(grade(given, answer))) == {WINDOWS}
    assert lost(grade(given, answer))[WINDOWS] <= 2 * worth(given, WINDOWS)


def test_entries_at_unvisited_nodes_cost_one_item_per_arc_unless_cuts_are_asked() -> None:
    tree = read("[[3,5],[2,[[7,1],[8,4]]],[4,6]]")
    minimax = {node.id: 1 for node in tree if not node.is_leaf}
    for asked, loss in (([VALUES], True), ([VALUES, CUTS], False)):
        given = Exercise(tree, Convention(), allocate_marks(asked, {}))
        data = answer_as_json(given, correct_answer(given))
        data["values"] |= {id: value for id, value in minimax.items() if data["values"][id] is None}
        assert (VALUES in lost(grade(given, parse_answer(given, data)))) == loss
        if loss:
            assert lost(grade(given, parse_answer(given, data)))[VALUES] == worth(given, VALUES)


# ---- what shows no skill earns nothing -------------------------------------------------------------------------


SEED_7 = generate_exercises(ExerciseSpec(Convention(), allocate_marks(PARTS, {})), 7).exercises[0]


def marks_of(answer: Answer) -> dict[str, Number]:
    return {part.part: part.marks for part in grade(SEED_7, answer).parts}


def test_full_windows_and_no_cutoffs_earn_little() -> None:
    right = correct_answer(SEED_7)
    windows = dict.fromkeys(right.windows or {}, (-inf, inf))
    marks = marks_of(replace(right, windows=windows, cuts=frozenset()))
    assert marks == {"values": 5, "windows": 0, "cuts": 0, "order": 3, "best": 2}
    graded = grade(SEED_7, replace(right, windows=windows, cuts=frozenset()), diagnose=True)
    assert [diagnosis.mistake.id for diagnosis in graded.diagnoses] == ["window-not-passed"]
    # The order of a search that prunes nothing shows that there were no cutoffs.
    assert sum(marks_of(replay(SEED_7, Faults(pass_down=NOTHING))).values()) == 7


def test_minimax_with_right_windows_earns_more_but_at_most_60_percent() -> None:
    right = correct_answer(SEED_7)
    minimax = replace(replay(SEED_7, Faults(cutoff=NEVER)), windows=right.windows)
    assert marks_of(minimax) == {"values": 5, "windows": 5, "cuts": 0, "order": 0, "best": 2}


def test_wrong_player_at_one_node_is_one_slip_and_is_named() -> None:
    nodes = SEED_7.searched_tree
    for id in "ABDEFCG":
        graded = grade(SEED_7, replay(SEED_7, Faults(flipped=frozenset({nodes[id].index}))), diagnose=True)
        assert set(lost(graded)) == {VALUES}, id
        assert lost(graded)[VALUES] in (Fraction(5, 7), Fraction(5, 8))
        assert [(diagnosis.mistake.id, diagnosis.node) for diagnosis in graded.diagnoses] == [("wrong-player-once", id)]
    # The windows, cutoffs and order do not follow from the wrong value: nothing is said to follow.
    flipped = replay(SEED_7, Faults(flipped=frozenset({nodes["B"].index})))
    graded = grade(SEED_7, replace(correct_answer(SEED_7), values=flipped.values, best=nodes["C"].index), diagnose=True)
    assert not any(part.follow_through for part in graded.parts)
    assert graded.marks <= 12
    assert not graded.diagnoses
    assert "no single known mistake" in graded.notes[-1]


def test_value_that_no_rule_gives_does_not_follow() -> None:
    given = Exercise(read("[[5,7],[-9,2,5]]"), Convention.of("minimax"), allocate_marks([VALUES], {}))
    right = correct_answer(given)
    # 2 is neither the smallest nor the largest of -9, 2 and 5.
    index = given.searched_tree["C"].index
    (part,) = grade(given, replace(right, values={**(right.values or {}), index: 2})).parts
    assert (part.correct, part.follow_through, part.lost) == (2, 0, 1)


@pytest.mark.parametrize("words", CONVENTIONS)
@pytest.mark.parametrize("seed", range(4))
def test_missing_skill_earns_nothing_in_its_part(words: str, seed: int) -> None:
    given = exercise(seed, words, depth=(3, 4))
    rubric = Rubric(given)
    for part, solvers in rival_solvers(given).items():
        for solver in solvers:
            written = entries_of(given.searched_tree, solver.answer(given))
            if all(written[part].get(key) == entry for key, entry in rubric.correct.entries[part].items()):
                continue  # the two searches differ at pruned nodes only, if at all
            marks = rubric.mark(written)
            assert marks.parts[part] == 0, solver.mistake.id
            assert marks.total <= LIMIT * given.total_marks


def test_more_knowledge_never_earns_less() -> None:
    check_order(exercises(2))


@pytest.mark.long
def test_more_knowledge_never_earns_less_in_30_exercises() -> None:
    check_order(exercises(30))


@pytest.mark.nightly
def test_more_knowledge_never_earns_less_in_200_exercises() -> None:
    check_order(exercises(200))


def check_order(given: list[Exercise]) -> None:
    """Exercise by exercise for missing skills; on average for slips, since a second one may undo the first."""
    results = simulate(given)
    for more in results:
        for less in results:
            if more.model.knows_at_least(less.model):
                if more.model.slips == less.model.slips == 0:
                    pairs = zip(more.shares, less.shares, strict=True)
                    assert all(one >= other for one, other in pairs), (more.model.name, less.model.name)
                if len(given) >= 100:
                    assert more.mean >= less.mean, (more.model.name, less.model.name)
    for result in results:
        if result.model.lacks - {CHOICE}:
            assert max(result.shares) <= LIMIT, result.model.name


# ---- bounds ----------------------------------------------------------------------------------------------------


def nonsense(given: Exercise, kind: str, seed: int) -> Answer:
    nodes, rng = given.searched_tree.nodes, random.Random(seed)
    inner = [node.index for node in nodes if not node.is_leaf]
    kinds: dict[str, Callable[[], Answer]] = {
        "empty": Answer,
        "zeros": lambda: Answer(
            values=dict.fromkeys(inner, 0),
            windows={(index, kind): (0, 0) for index in inner for kind in given.window_kinds},
            cuts=frozenset(range(1, len(nodes))),
            order=tuple(range(len(nodes)))[::-1],
        ),
        "thousands": lambda: Answer(values=dict.fromkeys(inner, 1000), order=(0,)),
        "all arcs": lambda: Answer(cuts=frozenset(range(1, len(nodes))), order=(0,)),
        "arcs of the root": lambda: Answer(cuts=frozenset(nodes[0].children), order=(0,)),
        "at random": lambda: Answer(
            values={index: rng.randint(100, 200) for index in inner},
            windows={(i, k): (rng.randint(-99, -50), rng.randint(50, 99)) for i in inner for k in given.window_kinds},
            order=tuple(rng.sample(range(len(nodes)), len(nodes))),
        ),
    }
    answer = kinds[kind]()
    return replace(answer, **{part: None for part in PARTS if part not in given.marks})


@pytest.mark.parametrize("kind", ["empty", "zeros", "thousands", "all arcs", "arcs of the root", "at random"])
@pytest.mark.parametrize("seed", range(16))
def test_nonsense_earns_nothing(kind: str, seed: int) -> None:
    given = exercise(seed, CONVENTIONS[seed % len(CONVENTIONS)], depth=(3, 4))
    right = correct_answer(given)
    assert right.values is not None
    graded = grade(given, nonsense(given, kind, seed))
    if 2 * list(right.values.values()).count(0) > len(right.values):
        pytest.skip("most values of this tree are 0")
    # A short order may be correct by chance.
    assert graded.marks == 0 or len(right.order or ()) < 9, lost(graded)


@pytest.mark.parametrize("seed", range(12))
def test_crossing_out_subtrees_earns_at_most_twice_the_work_done(seed: int) -> None:
    """Wrong cuts high in the tree, everything else correct: skipped entries earn limited credit."""
    given = exercise(seed, "", depth=(3, 4), branching=(2, 3))
    right, ends, grader = correct_answer(given), given.searched_tree.subtree_end, Grader(given)
    assert right.values is not None
    assert right.windows is not None
    assert right.cuts is not None
    assert right.order is not None
    tops = [node.index for node in given.solution.visited[1:] if node.depth <= 2 and not node.is_leaf]
    for crossed in [c for size in (1, 2, 3) for c in combinations(tops, size)][:20]:
        below = {index for top in crossed for index in range(top, ends[top])}
        answer = Answer(
            values={index: value for index, value in right.values.items() if index not in below},
            windows={place: window for place, window in right.windows.items() if place[0] not in below},
            cuts=(right.cuts - below) | set(crossed),
            order=tuple(index for index in right.order if index not in below),
            best=right.best,
        )
        for part in grader.grade(answer, diagnose=False).parts:
            if part.part in (VALUES, WINDOWS):
                share = Fraction(len(getattr(answer, part.part)), max(1, len(getattr(right, part.part))))
                assert part.marks <= 2 * share * part.max_marks


@pytest.mark.parametrize("seed", range(48))
def test_marks_are_in_range_and_full_only_for_correct_answers(seed: int) -> None:
    given = exercise(seed, CONVENTIONS[seed % len(CONVENTIONS)], **shaped(seed))  # type: ignore[arg-type]
    rng, nodes = random.Random(seed), given.searched_tree.nodes
    answer = correct_answer(given)
    right = correct_answer(given)
    for _ in range(rng.randint(1, 12)):
        index = rng.randrange(len(nodes))
        if answer.values is not None and not nodes[index].is_leaf and given.solution.records[index].is_visited:
            answer.values[index] = rng.randint(-9, 9)
        if answer.windows is not None and (index, "entry") in answer.windows:
            answer.windows[index, "entry"] = (rng.randint(-9, 9), rng.randint(-9, 9))
        if answer.cuts is not None and index:
            answer.cuts ^= {index}
        if answer.order is not None and rng.random() < 0.3:
            answer.order = tuple(rng.sample(answer.order, len(answer.order)))
    graded = grade(given, answer)
    for part in graded.parts:
        assert 0 <= part.marks <= part.max_marks
    above = {index for index in (answer.cuts or frozenset()) if given.solution.records[index].is_visited}
    missing = (right.cuts or frozenset()) - (answer.cuts or frozenset())
    same = (answer.values, answer.windows, answer.order) == (right.values, right.windows, right.order)
    assert (graded.marks == given.total_marks) == (same and not above and not missing)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(16))
def test_more_wrong_entries_never_earn_more_marks(seed: int) -> None:
    given = exercise(seed, CONVENTIONS[seed % len(CONVENTIONS)], depth=(3, 4))
    rng, grader, answer = random.Random(seed), Grader(given), correct_answer(given)
    assert answer.values is not None
    before = given.total_marks
    # Values that cannot follow from each other.
    for number, index in enumerate(rng.sample(list(answer.values), len(answer.values))):
        answer.values[index] = 1000 + 37 * number
        marks = grader.grade(answer, diagnose=False).marks
        assert marks <= before
        assert marks < given.total_marks
        before = marks
    assert before <= min(LIMIT * given.total_marks, given.total_marks - given.marks[VALUES] - given.marks[BEST])


# ---- a tree worked out on paper ---------------------------------------------------------------------------------


def test_textbook_tree_item_by_item() -> None:
    given = Exercise(read("[[3,12,8],[2,4,6],[14,5,2]]"), Convention(), allocate_marks(PARTS, {}))
    data = {
        "values": {"A": 3, "B": 3, "C": 2, "D": 2},
        "windows": {
            "A": {"entry": ["-inf", "+inf"], "exit": [3, "∞"]},
            "B": {"entry": ["-∞", "inf"], "exit": ["-inf", 3]},
            "C": {"entry": [3, "inf"], "exit": [3, 2]},
            "D": {"entry": [3, "inf"], "exit": [3, 2]},
        },
        "cuts": ["c2", "c3"],
        "order": ["A", "B", "b1", "b2", "b3", "C", "c1", "D", "d1", "d2", "d3"],
        "best": "B",
    }
    assert grade(given, parse_answer(given, data)).marks == 20
    # C's value is wrong (4), so C seems better than B; D's window, the root's value and the best move follow.
    data["values"] |= {"A": 4, "C": 4, "D": 2}
    data["windows"] |= {
        "A": {"entry": ["-inf", "+inf"], "exit": [4, "inf"]},
        "D": {"entry": [4, "inf"], "exit": [4, 2]},
    }
    data["best"] = "C"
    graded = grade(given, parse_answer(given, data), diagnose=True)
    assert lost(graded) == {"values": Fraction(5, 4)}
    assert [(d.mistake.id, d.node) for d in graded.diagnoses] == [("arithmetic-slip", "C")]
    assert [r.kind for part in graded.parts for r in part.remarks if r.node == "A"] == [
        "follow-through",
        "follow-through",
    ]


def test_missing_and_extra_arcs() -> None:
    given = Exercise(read("[[3,12,8],[2,4,6],[14,5,2]]"), Convention(), {CUTS: 6})
    graded = grade(given, parse_answer(given, {"cuts": ["c2", "d3"]}))
    (part,) = graded.parts
    assert part.marks == 0
    assert [(r.kind, r.node) for r in part.remarks] == [("not shown", ""), ("missing", "c3"), ("extra", "d3")]
    assert part.remarks[0].text == (
        'no marks: of the entries that rule out the mistake "no pruning (plain minimax)", 1 of 2 are right; '
        "more than half must be"
    )
    (blank,) = grade(given, parse_answer(given, {})).parts
    assert [(r.kind, r.text) for r in blank.remarks] == [("missing", "not answered")]
    graded = grade(given, parse_answer(given, {"cuts": []}))
    assert graded.marks == 0
    # One cutoff, made too late: what is left of the cuts tells nothing.
    graded = grade(given, parse_answer(given, {"cuts": ["c3"]}))
    assert graded.marks == 0


def test_empty_list_of_cuts_is_an_answer_and_null_is_not() -> None:
    given = Exercise(read("[[1,2],[3,4]]"), Convention(), {CUTS: 5})
    assert [grade(given, parse_answer(given, {"cuts": cuts})).marks for cuts in ([], None, ["b2"])] == [5, 0, 0]
