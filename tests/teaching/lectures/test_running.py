"""Running the cases: all agree, and a wrong number anywhere in the data is detected."""

import copy
from dataclasses import replace
from itertools import pairwise

import pytest

from zermelo.teaching.lectures.cases import case_of, cases
from zermelo.teaching.lectures.checks import claimed, compared, misprinted
from zermelo.teaching.lectures.running import run, run_all

SKIPPED = {
    "lewicki_alphabeta_walkthrough",
    "hosain_tictactoe_tree",
    "hosain_minimax_figures",
    "hosain_alphabeta_walkthrough",
    "hosain_another_way",
    "vanderbilt_exercise_1",
    "vanderbilt_exercise_2",
    "vanderbilt_exercise_3",
}


@pytest.fixture(scope="module")
def outcomes():
    return {outcome.case.id: outcome for outcome in run_all()}


def test_no_case_differs_and_only_incomplete_ones_are_skipped(outcomes):
    status = {id: outcome.status for id, outcome in outcomes.items()}
    assert {id for id, each in status.items() if each == "skipped"} == SKIPPED
    assert {id for id, each in status.items() if each == "differs"} == set()
    assert len(status) == 38


def test_trees_of_high_confidence_agree_in_everything(outcomes):
    keys = {"value", "visit_order", "leaves_evaluated", "entry_window", "exit_window", "returned", "cuts"}
    sure = [case for case in cases() if case.confidence == "high" and case.kind == "tree"]
    assert len(sure) == 15
    for case in sure:
        checks = outcomes[case.id].checks
        for convention in ("equal fail-soft", "equal fail-hard", "strict fail-soft"):
            agreed = {check.what for check in checks if check.convention == convention and check.status == "agrees"}
            assert keys <= agreed or "refused" in agreed, (case.id, convention)
    path = outcomes["vanderbilt_artint_trace"].checks
    assert keys <= {check.what for check in path if check.convention == "equal path" and check.status == "agrees"}


def test_searches_that_need_an_unknown_leaf_are_refused(outcomes):
    refused = {
        (id, check.convention, check.found)
        for id, outcome in outcomes.items()
        for check in outcome.checks
        if check.what == "refused"
    }
    assert refused == {
        ("jarrar_alphabeta_example2", "minimax", "leaf 'e' has no value"),
        ("jarrar_alphabeta_example2", "strict fail-soft", "leaf 'i' has no value"),
        ("liang_example1", "minimax", "leaf 'G' has no value"),
        ("liang_example2", "minimax", "leaf 'H' has no value"),
        ("hosain_pruning_hint", "minimax", "leaf 'd' has no value"),
    }


def test_computable_misprints_are_confirmed(outcomes):
    found = {
        (id, check.what): check.found
        for id, outcome in outcomes.items()
        for check in outcome.checks
        if check.status == "misprint"
    }
    assert found["jarrar_minimax_tree_full", "x1 on the slide"] == 28
    assert found["ttt_open_lines_eval", "slide 62, replies to an edge"] == [-1, -1, 0, -2, 0, -1, 0, -1]
    assert found["ttt_open_lines_eval", "slide 62, value of the start"] == 1
    assert len(found) == 6


def test_single_lecture():
    ids = [outcome.case.id for outcome in run_all("003")]
    assert ids == [
        "hosain_minimax",
        "hosain_pruning_hint",
        "hosain_tictactoe_tree",
        "hosain_minimax_figures",
        "hosain_alphabeta_walkthrough",
        "hosain_another_way",
        "complexity_claims",
        "pseudocode_conventions",
        "minimax_properties",
    ]


# ---- wrong data are detected -------------------------------------------------------------------------------------


def changed(id, *path, to):
    """The case with one item of its data changed."""
    case = case_of(id)
    data = copy.deepcopy(dict(case.data))
    item = data
    for key in path[:-1]:
        item = item[key]
    before = item.get(path[-1]) if isinstance(item, dict) else item[path[-1]]
    assert before != to
    item[path[-1]] = to
    return replace(case, data=data)


SOFT = ("expected", "equal fail-soft")


@pytest.mark.parametrize(
    ("id", "path", "to", "what"),
    [
        ("skrentny", (*SOFT, "value"), 4, "value"),
        ("skrentny", (*SOFT, "visit_order", 3), "O", "visit_order"),
        ("skrentny", (*SOFT, "leaves_evaluated", 0), "W", "leaves_evaluated"),
        ("skrentny", (*SOFT, "leaf_count"), 11, "leaf_count"),
        ("skrentny", (*SOFT, "entry_window", "J"), [-5, 4], "entry_window"),
        ("skrentny", (*SOFT, "entry_window", "M"), [-5, 4], "entry_window"),
        ("skrentny", (*SOFT, "exit_window", "O"), [4, "+inf"], "exit_window"),
        ("skrentny", (*SOFT, "returned", "J"), 3, "returned"),
        ("skrentny", (*SOFT, "cuts", 0, "after"), "X", "cuts"),
        ("skrentny", (*SOFT, "cuts", 1, "pruned_children"), ["Q"], "cuts"),
        ("skrentny", (*SOFT, "pruned_subtrees"), ["X", "Q", "M"], "pruned_subtrees"),
        ("skrentny", ("minimax", "E"), 2, "values"),
        ("skrentny", ("shown", 6, "beta"), 5, "bounds on the slides, in order"),
        ("ingargiola", ("printed", "values", "Q"), 2, "values on the slide"),
        ("jarrar_minimax_tree_full", ("misprinted", "x1"), 28, "x1 on the slide"),
        ("liang_1", ("expected", "strict fail-soft"), {"refused": "G"}, "refused"),
        ("ttt", ("one_ply", "5"), [8, 5], "open lines after one move"),
        ("ttt", ("two_ply", "2,5"), [5, 6], "open lines after two moves"),
        ("ttt", ("two_ply_value",), 4, "value and best square, 2 plies"),
        ("ttt", ("printed", "edge"), [-1, -1, 0, -2, 0, -1, 0, -1], "slide 62, replies to an edge"),
        ("pennies", ("state_values", "4-2-1"), "win", "win or loss for the side to move"),
        ("pennies", ("distinct_states", 0), "2-2-3", "distinct states"),
        ("pennies", ("other_sizes", "12"), [False, 11], "other sizes: first player wins, number of rows"),
        ("artint", ("expected", "equal path", "paths", "Rt"), ["c"], "paths"),
        ("checkers", ("numbers_printed", 0), 2, "numbers on slide 64, sorted"),
        ("checkers", ("shown", 0, "alpha"), 6, "bounds on the slides, in order"),
        ("checkers", ("position", "red_men", 0), 24, "tree generated from the rules: names, parents, players, values"),
        ("checkers", ("minimax", "31->26"), -4, "values of the nodes in the generated tree"),
        ("checkers", (*SOFT, "returned", "31->26"), -8, "values of the nodes in the generated tree"),
        ("othello_round_robin", ("rows", 0, 2), 2, "pairs with ten games each"),
        ("othello_round_robin", ("rows", 1, 8), 1, "ratio of boards with and without pruning: minimum, mean, maximum"),
    ],
)
def test_wrong_number_is_detected(id, path, to, what):
    outcome = run(changed(id, *path, to=to))
    assert outcome.status == "differs"
    assert what in {check.what for check in outcome.checks if check.status == "differs"}


def test_changed_tree_is_detected():
    case = case_of("skrentny")
    for right, wrong, what in (
        ("N=4", "N=5", "returned"),
        ("H=3, I=8", "I=8, H=3", "visit_order"),
        ("L=2", "L=4", "cuts"),
    ):
        text = case.data["tree"].replace(right, wrong)
        assert text != case.data["tree"]
        outcome = run(replace(case, data={**case.data, "tree": text}))
        assert what in {check.what for check in outcome.checks if check.status == "differs"}


def test_bounds_in_wrong_order_are_detected():
    shown = copy.deepcopy(case_of("liang_1").data["shown"])
    for first, second in pairwise(range(len(shown))):
        swapped = list(shown)
        swapped[first], swapped[second] = swapped[second], swapped[first]
        case = case_of("liang_1")
        outcome = run(replace(case, data={**case.data, "shown": swapped}))
        assert outcome.status == "differs", (first, second)


def test_status_of_comparisons():
    assert compared("", [1], [1]).status == "agrees"
    assert compared("", [1], [2]).status == "differs"
    assert misprinted("", 1, 2).status == "misprint"
    assert misprinted("", 2, 2).status == "differs"
    assert claimed("", 6, 5.92, True, "").status == "agrees"
    assert claimed("", 6, 9, False, "").status == "differs"
