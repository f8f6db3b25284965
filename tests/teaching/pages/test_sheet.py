"""The sheet that is filled in on the page, in Chromium: by keyboard alone, saved and graded, hostile names."""

import json
from pathlib import Path

import pytest
from browsers import watched_pages

from zermelo.teaching.exercises import ExerciseSpec, Grader, correct_answer, generate_exercises, parse_answer
from zermelo.teaching.exercises.answers import answer_as_json
from zermelo.teaching.exercises.exercise import DEFAULT_MARKS, Exercise, format_marks
from zermelo.teaching.exercises.sheet_files import render_sheets
from zermelo.teaching.tree import Convention, read
from zermelo.teaching.tree.numbers import as_json

pytestmark = pytest.mark.long


@pytest.fixture
def opened(browser, tmp_path):
    with watched_pages(browser) as open_file:

        def open_page(exercise, mode="practice", **context):
            path = tmp_path / "sheet.html"
            path.write_text(render_sheets([exercise], "html", mode=mode), "utf-8")
            return open_file(path, **context)

        yield open_page


def exercise_of(seed=7, convention="", marks=DEFAULT_MARKS):
    return generate_exercises(ExerciseSpec(Convention.of(convention), dict(marks)), seed).exercises[0]


def status(page):
    return page.locator(".status").inner_text().strip("\u00a0")


def fill_by_keyboard(page, exercise, answer):
    """Fill in an answer with keys only, node after node in the order of the tree."""
    press, data = page.keyboard.press, answer_as_json(exercise, answer)
    page.evaluate("document.querySelector('.keys').tabIndex = -1")
    for _ in range(30):
        press("Tab")
        if page.evaluate("document.activeElement.dataset.node") == "0":
            break
    else:
        raise AssertionError("Tab does not reach the tree")
    nodes = exercise.tree.nodes
    path = {0: []}
    for node in nodes[1:]:
        path[node.index] = [*path[node.parent], nodes[node.parent].children.index(node.index)]

    def go(index):
        press("Home")
        for number in path[index]:
            press("ArrowDown")
            for _ in range(number):
                press("ArrowRight")
        assert page.evaluate("document.activeElement.dataset.node") == str(index)

    order = {id: number for number, id in enumerate(data.get("order") or [])}
    for node in sorted(nodes, key=lambda node: order.get(node.id, len(nodes))):
        go(node.index)
        if node.id in order:
            press("o")
        if node.id in data["cuts"]:
            press("x")
        if node.id == data["best"]:
            press("b")
        if node.is_leaf or data["values"][node.id] is None:
            continue
        windows = [end for kind in exercise.window_kinds for end in data["windows"][node.id][kind]]
        press("Enter")
        for entry in (data["values"][node.id], *windows):
            page.keyboard.type(str(entry))
            press("Enter")


def saved(page, tmp_path):
    page.get_by_role("button", name="Save answer").focus()
    with page.expect_download() as download:
        page.keyboard.press("Enter")
    path = Path(tmp_path) / download.value.suggested_filename
    download.value.save_as(path)
    return json.loads(path.read_text("utf-8")), path.name


@pytest.mark.parametrize("convention", ["", "negamax strict"])
def test_a_sheet_done_by_keyboard_alone_has_full_marks(opened, tmp_path, convention):
    exercise = exercise_of(convention=convention)
    page = opened(exercise)
    fill_by_keyboard(page, exercise, correct_answer(exercise))
    page.get_by_role("button", name="Check all").focus()
    page.keyboard.press("Enter")
    assert status(page) == "Everything is right."
    data, name = saved(page, tmp_path)
    assert name == f"answer-{exercise.id}.json"
    assert data == json.loads(json.dumps(answer_as_json(exercise, correct_answer(exercise))))
    assert Grader(exercise).grade(parse_answer(exercise, data)).marks == exercise.total_marks


def test_practice_says_what_is_wrong_and_why(opened, tmp_path):
    exercise = exercise_of()
    page = opened(exercise)
    field = page.get_by_label("Value of B (MIN)")
    right = as_json(exercise.solution.record("B").returned)
    field.fill(str(right + 1))
    field.press("Enter")
    assert status(page).startswith("value of B: wrong. B is MIN: the smallest value of its visited children")
    assert field.get_attribute("data-mark") == "wrong"
    field.fill(str(right))
    field.press("Enter")
    assert status(page).startswith("value of B: right.")
    field.fill("x7")
    field.press("Enter")
    assert field.get_attribute("data-mark") == "wrong"
    page.get_by_role("button", name="Hint").click()
    assert status(page).startswith("Next: window on entry to A.")
    page.get_by_role("button", name="Hint").click()
    assert status(page).startswith("Window on entry to A: [-∞, +∞].")
    # Another tree, and the entries of the sheet again, also after a reload.
    page.get_by_role("button", name="New random tree").click()
    assert page.get_by_label("Value of B (MIN)").input_value() == ""
    assert page.get_by_role("button", name="Save answer").is_disabled()
    page.get_by_role("button", name="Tree of the sheet").click()
    assert page.get_by_label("Value of B (MIN)").input_value() == "x7"
    page.reload()
    assert page.get_by_label("Value of B (MIN)").input_value() == "x7"
    data, _ = saved(page, tmp_path)
    assert data["values"]["B"] == "x7"
    assert "Not a number: Value of B (MIN)." in status(page)


def test_the_page_gives_the_marks_of_python(opened, tmp_path):
    exercise = exercise_of()
    wrong = correct_answer(exercise)
    inner = [index for index in wrong.values if index]
    wrong.values[inner[1]] += 1
    page = opened(exercise)
    fill_by_keyboard(page, exercise, wrong)
    page.get_by_role("button", name="Check all").click()
    data, _ = saved(page, tmp_path)
    grade = Grader(exercise).grade(parse_answer(exercise, data))
    assert 0 < grade.marks < grade.max_marks
    assert page.locator(".results li").all_inner_texts()[-1].startswith(f"• Marks: {format_marks(grade.marks)} of 20.")
    for part, line in zip(grade.parts, page.locator(".results li").all_inner_texts()[:-1], strict=True):
        assert line.endswith(f"Marks: {format_marks(part.marks)} of {part.max_marks}.")


def test_the_page_of_an_exam_has_no_search(opened, tmp_path):
    exercise = exercise_of()
    page = opened(exercise, "exam")
    text = (tmp_path / "sheet.html").read_text("utf-8")
    assert "function trace(" not in text
    assert "class Solution" not in text
    assert page.get_by_role("button", name="Hint").count() == 0
    page.get_by_label("Name:").fill("Ada Lovelace")
    page.get_by_label("Value of B (MIN)").fill("17")
    page.get_by_label("Value of B (MIN)").press("Enter")
    assert page.locator("[data-mark]").count() == 0
    data, name = saved(page, tmp_path)
    assert name == f"answer-Ada-Lovelace-{exercise.id}.json"
    assert (data["student"], data["values"]["B"], data["cuts"]) == ("Ada Lovelace", 17, None)


def test_the_order_is_changed_in_the_list(opened, tmp_path):
    page = opened(exercise_of(), "exam")
    for badge in range(3):
        page.locator("button.badge").nth(badge).click()
    items = page.locator("ol.order button")
    assert items.all_inner_texts() == ["A", "B", "D"]
    items.nth(2).press("Alt+ArrowLeft")
    assert items.all_inner_texts() == ["A", "D", "B"]
    items.nth(0).press("Delete")
    assert items.all_inner_texts() == ["D", "B"]
    items.nth(1).drag_to(items.nth(0))
    assert items.all_inner_texts() == ["B", "D"]
    assert saved(page, tmp_path)[0]["order"] == ["B", "D"]


def test_hostile_names_titles_and_storage_run_nothing(opened):
    bad = "</script><img src=x onerror=alert(1)><script>alert(2)</script>"
    tree = read(
        {"id": bad, "children": [{"id": "<b>" + bad, "children": [1, 2]}, {"id": "javascript:alert(3)", "value": 3}]}
    )
    exercise = Exercise(tree, Convention(), dict(DEFAULT_MARKS), title=bad, student=bad[:20])
    page = opened(exercise)
    assert page.locator("h1").inner_text() == bad
    assert page.locator("img").count() == 0
    key = f"zermelo-sheet/{exercise.id}/{exercise.student}"
    for stored in (
        '{"values": {"__proto__": "1"}, "order": [null, 3]}',
        "[",
        '{"cuts": "x", "windows": {"a": [1]}}',
        "7",
    ):
        page.evaluate("([key, stored]) => localStorage.setItem(key, stored)", [key, stored])
        page.reload()
        assert page.get_by_role("button", name="Check all").is_visible()


def test_narrow_and_wide_pages_and_print(opened):
    exercise = exercise_of()
    for width in (390, 3840):
        page = opened(exercise, viewport={"width": width, "height": 844})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.emulate_media(media="print")
    assert page.locator("figure.paper").first.is_visible()
    assert not page.locator(".tree").is_visible()
