"""Marks: full for the correct answer, one item lost for one error, none for nonsense."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import pytest
from exercising import CONVENTIONS, Student, exercise

from zermelo.teaching.exercises.answers import Answer, answer_as_json, correct_answer, parse_answer
from zermelo.teaching.exercises.exercise import BEST, CUTS, PARTS, VALUES, WINDOWS, Exercise, allocate_marks
from zermelo.teaching.exercises.grading import NOT_REACHED, Grade, Grader
from zermelo.teaching.tree import read
from zermelo.teaching.tree.convention import Convention
from zermelo.teaching.tree.numbers import Number

pytestmark = pytest.mark.quick

HAND_WRITTEN = ["", "strict", "fail-hard", "strict fail-hard", "path", "strict path"]


def grade(given: Exercise, answer: Answer) -> Grade:
    return Grader(given).grade(answer)


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
    graded = grade(given, right)
    assert graded.marks == given.total_marks == sum(given.marks.values())
    assert not graded.diagnoses
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


# ---- one error is one item -------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(48))
def test_one_wrong_entry_costs_one_item(seed: int) -> None:
    given = exercise(seed, CONVENTIONS[seed % len(CONVENTIONS)], **shaped(seed))  # type: ignore[arg-type]
    rng, right = random.Random(seed), correct_answer(given)
    grader = Grader(given)

    def check(answer: Answer, part: str, cost: Number) -> None:
        assert lost(grader.grade(answer)) == ({part: cost} if cost else {})

    assert right.values is not None
    place = rng.choice(list(right.values))
    check(replace(right, values={**right.values, place: right.values[place] + 17}), VALUES, worth(given, VALUES))
    blank = {index: value for index, value in right.values.items() if index != place}
    check(replace(right, values=blank or None), VALUES, worth(given, VALUES))
    if right.windows:
        window = rng.choice(list(right.windows))
        low, high = right.windows[window]
        for other in ((low, 99), (-99, high)) if low != high else ((99, 99), (-99, -99)):
            wrong = {**right.windows, window: other}
            check(replace(right, windows=wrong), WINDOWS, worth(given, WINDOWS))
    if right.cuts is not None:
        nodes = given.searched_tree.nodes
        for index in right.cuts:
            check(replace(right, cuts=right.cuts - {index}), CUTS, worth(given, CUTS))
        for index in rng.sample(range(1, len(nodes)), min(3, len(nodes) - 1)):
            visited = given.solution.records[index].is_visited
            below_or_there = 0 if not visited else worth(given, CUTS)
            check(replace(right, cuts=right.cuts | {index}), CUTS, below_or_there)
        below = {index for index in range(len(nodes)) if not given.solution.records[index].is_visited}
        check(replace(right, cuts=right.cuts | below), CUTS, 0)


@pytest.mark.parametrize("words", HAND_WRITTEN)
@pytest.mark.parametrize("seed", range(8))
def test_wrong_value_with_consistent_consequences_costs_one_item(words: str, seed: int) -> None:
    given = exercise(seed, words, depth=(2, 4))
    rng = random.Random(seed)
    right = Student(given.tree, words)
    node = rng.choice(list(right.values))
    student = Student(given.tree, words, slips={node: rng.choice([-12, -3, -1, 1, 2, 15])})
    graded = grade(given, parse_answer(given, student.answer(given)))
    assert lost(graded) == {VALUES: worth(given, VALUES)}
    assert [diagnosis.mistake.id for diagnosis in graded.diagnoses][-1:] in (["arithmetic-slip"], ["fail-hard-values"])


@pytest.mark.parametrize("words", HAND_WRITTEN)
@pytest.mark.parametrize("seed", range(8))
def test_missed_cutoff_costs_only_its_arcs(words: str, seed: int) -> None:
    given = exercise(seed, words, depth=(3, 4))
    cuts = given.solution.cuts
    if len(cuts) < 2:
        pytest.skip("two cutoffs are needed: after missing the only one, the part is not trusted")
    cut = random.Random(seed).choice(cuts)
    student = Student(given.tree, words, forgets=given.tree.nodes[cut.node].id)
    graded = grade(given, parse_answer(given, student.answer(given)))
    assert lost(graded) == {CUTS: len(cut.pruned) * worth(given, CUTS)}


def leaves_most_nodes(given: Exercise, tops: Sequence[int]) -> bool:
    """Whether less than a third of the visited nodes are below these nodes."""
    below = {index for top in tops for index in range(top, given.searched_tree.subtree_end[top])}
    visited = [node.index for node in given.solution.visited]
    return 3 * len(below.intersection(visited)) < len(visited)


@pytest.mark.parametrize("words", HAND_WRITTEN)
@pytest.mark.parametrize("seed", range(8))
def test_invented_cutoff_costs_only_its_arcs(words: str, seed: int) -> None:
    given = exercise(seed, words, depth=(3, 4))
    cuts_at = {cut.node for cut in given.solution.cuts}
    whole = [
        n
        for n in given.solution.visited[1:]
        if len(n.children) > 1 and n.index not in cuts_at and leaves_most_nodes(given, n.children[1:])
    ]
    node = random.Random(seed).choice(whole)
    student = Student(given.tree, words, invents=node.id)
    graded = grade(given, parse_answer(given, student.answer(given)))
    extra = len(node.children) - 1
    cuts = next(part for part in graded.parts if part.part == CUTS)
    if cuts.correct < extra:
        pytest.skip("too few correct cutoffs for the part to be trusted")
    if any(remark.kind == NOT_REACHED for remark in cuts.remarks):
        pytest.skip("most of the arcs are below the invented cutoff")
    assert lost(graded) == {CUTS: extra * worth(given, CUTS)}


def test_windows_follow_from_windows_without_values() -> None:
    tree = read("[[[3,17],[2,12]],[[15],[25,0]],[[2,5],[3]]]")
    given = Exercise(tree, Convention(), allocate_marks([WINDOWS, CUTS], {}))
    # The error is in B's value, which is not asked for. It shows in C's window; the rest is consistent with it.
    answer = parse_answer(given, Student(tree, "", slips={"B": 2}).answer(given))
    graded = grade(given, answer)
    assert lost(graded) == {WINDOWS: worth(given, WINDOWS)}


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
    right, nodes, ends, grader = (
        correct_answer(given),
        given.searched_tree.nodes,
        given.searched_tree.subtree_end,
        Grader(given),
    )
    assert right.values is not None
    assert right.windows is not None
    assert right.cuts is not None
    assert right.order is not None
    tops = [node.index for node in given.solution.visited[1:] if node.depth <= 2 and not node.is_leaf]
    for crossed in [c for size in (1, 2, 3) for c in combinations(tops, size)][:60]:
        below = {index for top in crossed for index in range(top, ends[top])}
        answer = Answer(
            values={index: value for index, value in right.values.items() if index not in below},
            windows={place: window for place, window in right.windows.items() if place[0] not in below},
            cuts=(right.cuts - below) | set(crossed),
            order=tuple(index for index in right.order if index not in below),
            best=right.best,
        )
        for part in grader.grade(answer).parts:
            if part.part != BEST:
                done = getattr(answer, part.part)
                done = len(done & right.cuts) if part.part == CUTS else len(done)
                share = Fraction(done, max(1, len(getattr(right, part.part))))
                assert part.marks <= 2 * share * part.max_marks, [nodes[index].id for index in crossed]


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
        marks = grader.grade(answer).marks
        assert marks < before or before == marks == given.total_marks - given.marks[VALUES]
        before = marks
    assert before == given.total_marks - given.marks[VALUES]


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
    graded = grade(given, parse_answer(given, data))
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
    assert [(r.kind, r.node) for r in part.remarks] == [("missing", "c3"), ("extra", "d3")]
    graded = grade(given, parse_answer(given, {"cuts": []}))
    assert graded.marks == 0
    graded = grade(given, parse_answer(given, {"cuts": ["c3"]}))
    assert graded.marks == 3


def test_empty_list_of_cuts_is_an_answer_and_null_is_not() -> None:
    given = Exercise(read("[[1,2],[3,4]]"), Convention(), {CUTS: 5})
    assert [grade(given, parse_answer(given, {"cuts": cuts})).marks for cuts in ([], None, ["b2"])] == [5, 0, 0]
