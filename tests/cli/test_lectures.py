"""`zermelo lectures`: the list, one case, JSON, and what a differing case does."""

import json
from dataclasses import replace

import pytest

from zermelo.teaching.lectures.comparison_text import as_text


@pytest.mark.long
def test_all_as_json(zermelo):
    done = zermelo("lectures", "--json")
    assert done.code == 0, done.err
    told = done.json
    assert len(told["cases"]) == 32
    for case in told["cases"]:
        assert {"id", "lecture", "confidence", "status", "misprints", "checks"} <= set(case)
        assert case["status"] in ("agrees", "skipped")
        if case["confidence"] == "high" and case["kind"] != "table":
            assert case["status"] == "agrees", case["id"]
    assert told["counts"] == {"agrees": 30, "skipped": 8}
    assert told["misprints"] == sum(len(case["misprints"]) for case in told["cases"]) == 15
    assert [each["status"] for each in told["analyses"]] == ["agrees"] * 6


@pytest.mark.long
def test_the_list(zermelo):
    done = zermelo("lectures")
    assert done.code == 0
    for line in (
        "lecture 000 (Jarrar, Birzeit): Games",
        "misprint  ttt_open_lines_eval, slide 62: E(s0) = Max{2, 3, 4} = 4; right: 1",
        "skipped  lewicki_alphabeta_walkthrough, missing: the numbers in the figures",
        "30 agree, 0 differ, 8 skipped",
    ):
        assert line in done.out
    assert "differs" not in done.out


@pytest.mark.long
def test_one_lecture(zermelo):
    for arguments in (("--lecture", "002"), ("2",)):
        done = zermelo("lectures", *arguments)
        assert "skrentny_tree" in done.out
        assert "jarrar" not in done.out
        assert "pseudocode_conventions" in done.out


def test_a_lecture_that_does_not_exist(zermelo):
    refused = zermelo("lectures", "--lecture", "007")
    assert refused.code == 2
    assert refused.err.startswith("zermelo: lecture '007': there are 000, 001, 002, 003, 004, and all for ")
    assert refused.err.count("\n") == 1


def test_one_case(zermelo):
    done = zermelo("lectures", "skrentny")
    assert done.code == 0
    assert "A B F N O W G C H I J P D E K S T L" in done.out
    assert "strict fail-soft" in done.out
    assert "alpha 4 >= beta -3 at O: X pruned" in done.out  # the tree is drawn
    misprint = zermelo("lectures", "ttt")
    assert "misprint" in misprint.out
    assert "-1 -1 0 -2 0 -1 0 -1" in misprint.out
    lost = zermelo("lectures", "vanderbilt_exercise_2")
    assert "the picture of the tree" in lost.out


def test_one_case_as_json(zermelo):
    told = zermelo("lectures", "artint", "--json").json
    assert told["id"] == "vanderbilt_artint_trace"
    (returned,) = (
        check for check in told["checks"] if check["what"] == "returned" and check["convention"] == "equal path"
    )
    assert returned["found"] == returned["expected"] == {"L": 2, "Rt": 1, "R": 2}


def test_a_lecture_named_twice(zermelo):
    refused = zermelo("lectures", "002", "--lecture", "1")
    assert (refused.code, refused.err) == (2, "zermelo: lecture '002' and --lecture 1 differ; name one lecture\n")


def test_one_slide(zermelo):
    done = zermelo("lectures", "000", "--slide", "49")
    assert done.out.startswith("lecture 000, slide 49: Pruning at a MAX node\n  status      covered\n")
    assert "  convention  lecture 000, slides 49 and 50: the search stops when the value exceeds the bound" in done.out
    lost = zermelo("lectures", "3", "--slide", "46", "--json").json
    assert lost["counts"] == {"lost": 1}
    (slide,) = lost["slides"]
    assert (slide["status"], slide["reason"], slide["cases"]) == (
        "lost",
        "the tree is a picture",
        ["hosain_another_way"],
    )


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--slide", "3"], "--slide needs a lecture: zermelo lectures 000 --slide 3"),
        (["000", "--slide", "99"], "lecture 000 has no slide '99'; its slides are 1 to 73"),
        (["000", "--slide", "\x1b[2J"], "lecture 000 has no slide '\\x1b[2J'; its slides are 1 to 73"),
        (
            ["skrentny", "--slides"],
            "--slide and --slides need a lecture, not a case (got 'skrentny'): 000 to 004",
        ),
        (["all", "--slides"], "lecture 'all' has no slides; the lectures with slides are 000, 001, 002, 003, 004"),
        (["000", "--slide", "1", "--slides"], "--slide and --slides cannot be combined"),
    ],
)
def test_slides_that_do_not_exist(zermelo, arguments, error):
    done = zermelo("lectures", *arguments)
    assert (done.code, done.out, done.err) == (2, "", f"zermelo: {error}\n")


def test_all_slides(zermelo):
    told = zermelo("lectures", "--slides", "--json").json
    assert told["counts"] == {"covered": 196, "lost": 69, "no content": 8}
    done = zermelo("lectures", "--slides")
    assert "  5 to 9    covered " in done.out
    assert done.out.endswith(
        "273 slides: 8 no content, 196 covered, 69 lost\nOne slide: zermelo lectures LECTURE --slide N\n"
    )


@pytest.mark.long
def test_nothing_is_cut_off_at_80_columns(zermelo, monkeypatch):
    """Lists, slides and comparisons are wrapped on a narrow terminal: every word of the wide output is there."""
    for arguments in (("lectures", "000", "--slides"), ("lectures", "003"), ("lectures", "liang_2")):
        wide = zermelo(*arguments).out
        monkeypatch.setattr("sys.stdout.isatty", lambda: True)
        monkeypatch.setenv("COLUMNS", "80")
        monkeypatch.setenv("NO_COLOR", "1")
        monkeypatch.setenv("TERM", "dumb")
        narrow = zermelo(*arguments).out
        monkeypatch.undo()
        assert max(map(len, narrow.splitlines())) <= 80, arguments
        assert "…" not in narrow
        assert sorted(set(wide.split()) - set(narrow.split())) == [], arguments


def test_a_wrong_name(zermelo):
    done = zermelo("lectures", "skrenty")
    assert done.code == 2
    assert (
        done.err.strip() == "zermelo: 'skrenty' is not a case of the lectures; did you mean skrentny or skrentny_tree?"
    )


def test_a_case_that_differs_is_told_and_ends_with_1(zermelo, monkeypatch):
    from zermelo.teaching.lectures import cases

    case = cases.case_of("liang_1")
    data = json.loads(json.dumps(dict(case.data)))
    data["expected"]["equal fail-hard"]["value"] = 200
    wrong = replace(case, data=data)
    monkeypatch.setattr("zermelo.teaching.lectures.running.cases", lambda: (wrong,))
    monkeypatch.setattr("zermelo.teaching.lectures.running.analyses", lambda: ())
    done = zermelo("lectures")
    assert done.code == 1
    assert "differs  liang_example1, value, equal fail-hard: 200; found: 100" in done.out
    assert "0 agree, 1 differ, 0 skipped" in done.out
    monkeypatch.setattr("zermelo.teaching.lectures.cases.case_of", lambda name: wrong)
    assert zermelo("lectures", "liang_1", "--json").code == 1


def test_a_tree_of_a_case_is_traced_by_its_name(zermelo):
    told = zermelo("tree", "trace", "skrentny_tree", "--json").json
    assert told["value"] == 3
    assert told["pruned_subtrees"] == ["X", "Q", "R", "M"]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ({"A": ["-inf", 3], "B": -5}, "A [-∞, 3]; B -5"),
        ([{"at": "O", "alpha": 4, "beta": -3, "pruned_children": ["X"]}], "X at O (4, -3)"),
        ([{"node": "F", "alpha": "-inf"}, {"node": "O", "beta": -3}], "F α=-∞; O β=-3"),
        (["A", "B", "F"], "A B F"),
        ([], "none"),
        (None, "nothing"),
        (True, "yes"),
        (387420489, "387,420,489"),
        (0.25, "0.25"),
    ],
)
def test_data_in_words(data, text):
    assert as_text(data) == text


def test_a_case_of_another_lecture_is_refused(zermelo):
    done = zermelo("lectures", "skrentny", "--lecture", "0")
    assert (done.code, done.out) == (2, "")
    assert done.err == "zermelo: the case skrentny_tree is not of lecture 000, but of 002\n"
    assert zermelo("lectures", "skrentny", "--lecture", "002").code == 0
