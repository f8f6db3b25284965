"""The page of practice in Chromium: an exercise done, marked as the command marks it; a set made, a class graded."""

import json
import zipfile

import pytest
from browsers import watched_pages
from web_pages import running_server

from zermelo.teaching.exercises.answers import answer_as_json, correct_answer
from zermelo.teaching.exercises.exercise import format_marks
from zermelo.teaching.exercises.files import exercises_as_json
from zermelo.teaching.exercises.generator import generate_exercises
from zermelo.teaching.exercises.grading import grader_of
from zermelo.teaching.exercises.kinds.difficulty import EASY
from zermelo.web.practice import Drawn, drawn_exercise, spec_of

pytestmark = pytest.mark.long

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with running_server(tmp_path_factory.mktemp("data")) as started:
        yield started


@pytest.fixture
def open_page(browser, server):
    with watched_pages(browser, server.url) as opened:

        def open_page(path, fragment=""):
            page = opened(path, fragment)
            page.set_default_timeout(240_000)
            return page

        yield open_page


def fill(page, exercise, answer):
    """Fill in a sheet with the mouse and the keyboard."""
    for id, value in answer["values"].items():
        if value is not None:
            page.locator(f'.value-field[aria-label^="Value of {id} "]').fill(str(value))
    for id, windows in answer["windows"].items():
        for kind, ends in windows.items():
            for end, text in zip(("alpha", "beta"), ends or (), strict=False):
                page.locator(f'input[aria-label^="window on {kind} of {id} "][aria-label$="{end}"]').fill(str(text))
    for id in answer["cuts"]:
        page.locator(f'.cut[aria-label^="Arc to {id}:"]').click()
    for id in answer["order"]:
        page.locator(f'.badge[aria-label^="{id} "]').click()
    page.locator(f'input[type=radio][value="{answer["best"]}"]').check()


@pytest.mark.parametrize("is_right", [True, False])
def test_an_exercise_done_on_the_page_has_the_marks_of_the_command(open_page, is_right):
    exercise = drawn_exercise(Drawn(difficulty=EASY, seed=3))
    answer = json.loads(json.dumps(answer_as_json(exercise, correct_answer(exercise))))
    if not is_right:
        answer["best"] = next(node.id for node in exercise.tree if node.parent == 0 and node.id != answer["best"])
        answer["values"]["B"] = 77
    page = open_page("/practice?difficulty=easy&seed=3")
    page.locator("#task").wait_for()
    asked = []
    page.on("request", lambda request: "/api/" in request.url and asked.append(request.url.rpartition("/")[2]))
    fill(page, exercise, answer)
    assert not asked  # the checks of the sheet run on the page
    page.get_by_role("button", name="Hand in").click()
    page.locator("#result").wait_for()
    assert asked == ["hand-in"]
    grade = grader_of(exercise)(answer)
    shown = f"{format_marks(grade.marks)} of {format_marks(grade.max_marks)} marks"
    assert page.locator("#grade-title").inner_text() == shown
    assert page.locator(".diagnoses li").all_inner_texts() == [each.sentence for each in grade.diagnoses]
    texts = [each.full_text() for part in grade.parts for each in part.remarks if each.kind != "correct"]
    assert page.locator(".remarks li:not(.correct) span:last-child").all_inner_texts() == texts
    assert bool(texts) != is_right
    assert page.locator("#solution-details svg").count() == 1
    assert page.locator("#progress tbody tr").inner_text().split()[:3] == ["tree", "search", "1"]
    page.reload()  # progress and entries stay in the browser
    page.locator("#task").wait_for()
    assert page.locator("#progress tbody tr").count() == 1
    assert page.locator('.value-field[aria-label^="Value of B "]').input_value() == str(answer["values"]["B"])


def test_a_form_is_checked_without_the_solution(open_page):
    exercise = drawn_exercise(Drawn(kind="pvs", difficulty=EASY, seed=3))
    answer = exercise.correct_answer()
    page = open_page("/practice?kind=pvs&difficulty=easy&seed=3")
    bodies = []
    page.on("response", lambda response: "/api/" in response.url and bodies.append(response.text()))
    page.locator("#task").wait_for()
    page.get_by_role("button", name="Hint", exact=True).click()
    page.locator(".filled .status", has_text="null windows: not answered. The parent of ").wait_for()
    first = exercise.parts[0].form_keys[0]
    assert page.evaluate("document.activeElement.getAttribute('aria-label')") == f"null windows of {first}"
    for id, window in answer["null_windows"].items():
        page.get_by_label(f"null windows of {id}", exact=True).fill(str(window))
    page.get_by_label("searched again", exact=True).fill(" ".join(answer["searched_again"]))
    page.get_by_label("nodes", exact=True).fill("1")
    page.get_by_label("best", exact=True).fill(answer["best"])
    page.get_by_role("button", name="Check", exact=True).click()
    page.locator(".filled .status", has_text="nodes: 0 of 1 right").wait_for()
    assert page.get_by_label("nodes", exact=True).get_attribute("data-mark") == "wrong"
    assert page.get_by_label("best", exact=True).get_attribute("data-mark") == "right"
    assert len(bodies) >= 2
    assert not any("correct:" in body for body in bodies)
    page.get_by_role("button", name="Hand in").click()
    page.locator("#result").wait_for()
    assert page.locator("#grade-title").inner_text() == "16 of 20 marks"


def test_an_unreadable_entry_is_marked_and_named(open_page):
    page = open_page("/practice?kind=pvs&difficulty=easy&seed=3")
    page.locator("#task").wait_for()
    entry = page.get_by_label("null windows of", exact=False).first
    entry.fill("1,5 x")
    page.get_by_role("button", name="Check", exact=True).click()
    page.locator(".filled .status", has_text="1,5 x").wait_for()
    assert entry.get_attribute("aria-invalid") == "true"
    assert entry.get_attribute("data-mark") == "wrong"
    entry.fill("")
    assert entry.get_attribute("aria-invalid") is None


def test_each_kind_has_one_name_in_the_menu(open_page):
    page = open_page("/practice")
    page.locator("#task").wait_for()
    names = [text.split(":")[0] for text in page.locator("#choice [name=kind] option").all_text_contents()]
    assert names == [
        "Tree search", "Expectiminimax", "Evaluation", "Game tree", "Iterative deepening with move ordering",
        "Principal variation search", "A transposition table", "Star1",
    ]  # fmt: skip


def test_a_set_is_made_and_its_answers_are_graded(open_page, tmp_path):
    page = open_page("/practice", "#set")
    form = page.locator("#set-form")
    form.locator("[name=difficulty]").select_option("easy")
    form.locator("[name=seed]").fill("5")
    form.locator("[name=students]").fill(f"Ada\n{HOSTILE}\nGrace")
    with page.expect_download() as download:
        form.get_by_role("button", name="Download the set").click()
    download.value.save_as(tmp_path / "set.zip")
    assert "3 exercises" in page.locator("#set-status").inner_text()
    with zipfile.ZipFile(tmp_path / "set.zip") as archive:
        archive.extract("exercises.json", tmp_path)
    exercises = generate_exercises(spec_of("tree-search", EASY, ""), 5, students=["Ada", HOSTILE, "Grace"]).exercises
    ids = [each["id"] for each in json.loads((tmp_path / "exercises.json").read_text("utf-8"))["exercises"]]
    assert ids == [each.id for each in exercises]

    folder = tmp_path / "answers"
    folder.mkdir()
    right = answer_as_json(exercises[0], correct_answer(exercises[0]))
    (folder / "ada.json").write_text(json.dumps(right))
    wrong = answer_as_json(exercises[1], correct_answer(exercises[1]))
    wrong["values"] = wrong["order"] = None
    (folder / "<b>x.json").write_text(json.dumps(wrong))
    (folder / "broken.json").write_bytes(b"\xff\x00{")
    (folder / "picture.png").write_bytes(b"no answer")
    page.get_by_role("link", name="Grade a class").click()
    page.locator("#exercises-file").set_input_files(tmp_path / "exercises.json")
    page.locator("#answer-folder:enabled").wait_for()
    page.locator("#answer-folder").set_input_files(folder)
    page.locator("#class-status", has_text="3 files graded").wait_for()
    assert page.locator("#class-status").inner_text() == (
        "3 files graded; 1 answers could not be read; 1 other files left out."
    )
    rows = page.locator("#class-table tbody tr")
    assert rows.locator("th").all_inner_texts() == ["(no name)", HOSTILE, "Ada"]
    expected = [grader_of(exercises[1])(wrong), grader_of(exercises[0])(right)]
    marks = [format_marks(grade.marks) for grade in expected]
    assert rows.locator("td:nth-child(2)").all_inner_texts() == ["", *marks]
    page.get_by_role("button", name="Marks").click()
    assert rows.locator("th").all_inner_texts() == ["Ada", HOSTILE, "(no name)"]
    assert page.locator("#class-facts").inner_text().splitlines()[-1] == "Grace"
    rows.get_by_role("button", name=HOSTILE).click()
    page.locator("#class-grade[open]").wait_for()
    assert page.locator("#class-grade-title").inner_text() == (
        f"{HOSTILE}: {marks[0]} of {format_marks(expected[0].max_marks)} marks"
    )
    page.keyboard.press("Escape")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download CSV").click()
    download.value.save_as(tmp_path / "grades.csv")
    assert HOSTILE in (tmp_path / "grades.csv").read_text("utf-8")


DROP = """([name, text]) => {
  const transfer = new DataTransfer();
  transfer.items.add(new File([text], name, { type: "application/json" }));
  const drop = new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true });
  document.querySelector("#drop").dispatchEvent(drop);
}"""


def test_files_are_graded_by_drop(open_page):
    (exercise,) = generate_exercises(spec_of("pvs", EASY, ""), 3).exercises
    page = open_page("/practice", "#grade")
    page.evaluate(DROP, ["exercises.json", json.dumps(exercises_as_json([exercise]))])
    page.locator("#class-status", has_text="1 exercise. Now drop the answers.").wait_for()
    page.evaluate(DROP, ["a.json", json.dumps(exercise.correct_answer() | {"student": "Ada"})])
    page.locator("#class-status", has_text="1 files graded").wait_for()
    assert page.locator("#class-table tbody tr").inner_text().split() == [
        "Ada",
        "20",
        "20",
        "8",
        "6",
        "4",
        "2",
        "all",
        "right",
        "a.json",
    ]
