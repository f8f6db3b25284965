"""The cases of the lectures as data: complete, readable, and equal to the independently checked ones if available."""

import json

import pytest
from published import published

from zermelo.errors import TreeError
from zermelo.teaching.lectures.cases import LECTURES, analyses, case_of, cases, lectures, names, tree_of
from zermelo.teaching.tree.node import PLAYER_NAMES
from zermelo.teaching.tree.numbers import as_json

pytestmark = pytest.mark.quick

#: Names of our conventions in the checked cases.
CHECKED = {
    "equal fail-soft": "cut_on_ge_failsoft",
    "equal fail-hard": "cut_on_ge_failhard",
    "strict fail-soft": "cut_on_gt_failsoft",
}


def test_there_are_32_cases_of_five_lectures():
    assert len(cases()) == 32
    assert [lecture.number for lecture in lectures()] == ["000", "001", "002", "003", "004", "all"] == list(LECTURES)
    assert [sum(case.lecture == number for case in cases()) for number in LECTURES] == [10, 3, 6, 6, 5, 2]
    assert [case.id for case in analyses()] == [
        "ttt_stupid_utility",
        "ttt_perfect_evaluation",
        "liang_orders",
        "othello_first_plies",
        "minimax_properties",
        "relative_values",
    ]


def test_every_case_is_described():
    for case in (*cases(), *analyses()):
        assert case.confidence in ("high", "medium", "low", "guess", "none"), case.id
        assert case.title, case.id
        assert case.about.endswith("."), case.id
        assert case.slides, case.id
        if case.confidence != "high" and case.has_tree:
            assert case.doubt, case.id
        if case.kind == "missing":
            assert case.missing, case.id
        for misprint in case.misprints:
            assert misprint.printed != misprint.right, case.id
            assert misprint.where, case.id
        for convention in case.conventions:
            assert convention.here != convention.elsewhere, case.id


def test_strict_cuts_and_names_of_cutoffs_are_conventions_and_no_misprints():
    case = case_of("conventions")
    assert not case.misprints
    assert [each.slides for each in case.conventions] == [
        "lecture 000, slides 49 and 50",
        "lecture 002, slides 6 and 15 to 50",
        "lecture 003, slide 44",
        "lecture 002, slides 4 and 5",
    ]


def test_trees_of_all_named_cases_can_be_read():
    assert len(names()) == 20
    for name in names():
        tree = tree_of(name)
        assert tree.name == name
        assert tree.depth >= 2


def test_names_and_aliases_are_unique():
    known = [name.casefold() for case in (*cases(), *analyses()) for name in (case.id, *case.aliases)]
    assert len(known) == len(set(known))


@pytest.mark.parametrize(
    ("name", "id"),
    [
        ("skrentny", "skrentny_tree"),
        ("AIMA", "aima_fig_5_2"),
        (" checkers ", "checkers_case_study"),
        ("pennies", "pennies_7"),
    ],
)
def test_aliases(name, id):
    assert case_of(name).id == id
    assert tree_of(name) == tree_of(id)


def test_unknown_name_gets_suggestions():
    with pytest.raises(
        TreeError, match=r"'skrenty' is not a case of the lectures; did you mean skrentny or skrentny_tr"
    ):
        tree_of("skrenty")
    with pytest.raises(TreeError, match=r"'zzz' is not a case of the lectures; `zermelo lectures` lists them"):
        tree_of("zzz")


def test_case_without_a_tree():
    with pytest.raises(TreeError, match="vanderbilt_exercise_1 has no tree \\(missing: the picture of the tree\\)"):
        tree_of("vanderbilt_exercise_1")
    with pytest.raises(TreeError, match="ttt_open_lines_eval has no tree"):
        tree_of("ttt")


def test_slides_of_a_misprint_as_text():
    places = {misprint.where for case in cases() for misprint in case.misprints}
    assert {"slide 12", "slides 13 to 15", "lecture 000, slide 47"} <= places


# ---- comparison with the checked cases, if available -------------------------------------------------------------


@pytest.fixture(scope="module")
def checked():
    path = published("lecture_cases.json", of="cases")
    return {case["id"].partition(" ")[0]: case for case in json.loads(path.read_text("utf-8"))["cases"]}


@pytest.mark.reference
def test_cases_equal_the_checked_ones(checked):
    assert set(checked) <= {case.id for case in cases()}
    assert all(case.kind == "missing" for case in cases() if case.id not in checked)
    for case in known_to(checked):
        assert checked[case.id]["confidence"].startswith(case.confidence), case.id
        assert checked[case.id]["kind"] == case.kind, case.id


def known_to(checked):
    """The cases that are among the checked ones; the others lack their data."""
    return [case for case in cases() if case.id in checked]


def flat(data, parent=None):
    """A tree of the checked cases as rows, in preorder."""
    rows, stack = [], [(data, parent)]
    while stack:
        node, above = stack.pop()
        rows.append((node["id"], node.get("player"), node.get("value"), above))
        stack += [(child, node["id"]) for child in reversed(node.get("children", []))]
    return rows


@pytest.mark.reference
def test_trees_equal_the_checked_ones(checked):
    compared = 0
    for case in known_to(checked):
        data = checked[case.id].get("tree") or checked[case.id].get("consistent_part")
        assert case.has_tree == (data is not None), case.id
        if data is None:
            continue
        tree = case.tree
        ours = [
            (
                node.id,
                None if node.player is None else PLAYER_NAMES[node.player].lower(),
                as_json(node.value),
                None if node.parent < 0 else tree.nodes[node.parent].id,
            )
            for node in tree
        ]
        assert ours == flat(data), case.id
        compared += 1
    assert compared == 20


@pytest.mark.reference
def test_expected_results_equal_the_checked_ones(checked):
    compared = 0
    for case in known_to(checked):
        for convention, expected in case.data.get("expected", {}).items():
            if convention == "equal path":
                continue  # not among the checked conventions
            theirs = checked[case.id]["alphabeta"][CHECKED[convention]]
            if "needs_unknown_leaf" in theirs:
                assert expected == {"refused": theirs["needs_unknown_leaf"]}, case.id
            else:
                assert expected == theirs, (case.id, convention)
            compared += 1
        if "minimax" in case.data and "minimax" in checked[case.id]:
            known = {id: value for id, value in checked[case.id]["minimax"].items() if value is not None}
            assert case.data["minimax"] == known, case.id
            assert case.data.get("unknown", []) == checked[case.id]["unknown_leaves"], case.id
    assert compared == 57


@pytest.mark.reference
def test_other_data_equal_the_checked_ones(checked):
    theirs, ours = checked["ttt_open_lines_eval"], case_of("ttt").data
    for key in ("one_ply", "two_ply"):
        assert ours[key] == {squares: [each["x"], each["o"]] for squares, each in theirs[key].items()}
    for key in ("one_ply_value", "one_ply_best", "two_ply_value", "two_ply_best", "two_ply_backed_up"):
        assert ours[key] == theirs[key]
    theirs, ours = checked["pennies_7"], case_of("pennies").data
    assert ours["distinct_states"] == theirs["distinct_states"]
    assert ours["state_values"] == theirs["state_values_to_move"]
    assert ours["other_sizes"] == {
        size: [each["first_player_wins"], each["levels_incl_root"]] for size, each in theirs["other_sizes"].items()
    }
    theirs, ours = checked["othello_round_robin"], case_of("othello_round_robin").data
    assert ours["rows"] == [[row[column] for column in ours["columns"]] for row in theirs["rows"]]
    assert ours["points"] == theirs["points_of_60"]
    assert case_of("jarrar_minimax_example2").data["rows"] == checked["jarrar_minimax_example2"]["rows"]
    assert len(case_of("checkers").data["numbers_printed"]) == 41
