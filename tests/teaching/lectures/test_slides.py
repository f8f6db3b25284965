"""The table of all slides: complete, and each case, page and command that it names exists and works."""

import re
import shlex
from collections import Counter
from pathlib import Path

import pytest

from zermelo.errors import TreeError
from zermelo.teaching.lectures.cases import case_of, cases
from zermelo.teaching.lectures.slides import NUMBERS, remarks_on, slides, slides_at

DOCS = Path(__file__).resolve().parents[3] / "docs"
COMMANDS = sorted({command for slide in slides() for command in slide.commands})


@pytest.mark.quick
def test_every_slide_of_every_lecture_is_there_once_and_in_order():
    for lecture, count in zip(NUMBERS, (73, 63, 51, 50, 32), strict=True):
        numbers = [int(slide.number) for slide in slides(lecture) if not slide.number.startswith("after")]
        assert numbers == list(range(1, count + 1))
    assert Counter(slide.status for slide in slides()) == {"covered": 196, "lost": 69, "no content": 8}


@pytest.mark.quick
def test_a_covered_slide_names_what_covers_it_and_any_other_a_reason():
    for slide in slides():
        assert slide.topic, slide
        if slide.status == "covered":
            assert slide.cases or slide.pages or slide.commands, slide
        else:
            assert slide.reason, slide
        if slide.status == "no content":
            assert not slide.cases + slide.pages + slide.commands, slide


@pytest.mark.quick
def test_cases_exist_and_have_the_slides_that_name_them():
    named = {}
    for slide in slides():
        for id in slide.cases:
            case = case_of(id)
            assert case.id == id, slide  # no alias
            assert case.belongs_to(slide.lecture) or case.lecture == "000", slide
            named.setdefault((id, slide.lecture), set()).add(slide.number)
    for case in cases():
        if case.slide_numbers and case.lecture != "all":
            missing = {str(number) for number in case.slide_numbers} - named[case.id, case.lecture]
            assert not missing, (case.id, missing)


def anchors(page):
    """The anchors of a page's headings, as MyST makes them (those of GitHub)."""
    headings = re.findall(r"^#{1,4} (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


@pytest.mark.quick
def test_pages_and_anchors_exist():
    for name in {page for slide in slides() for page in slide.pages}:
        path, _, anchor = name.partition("#")
        assert (DOCS / path).is_file(), name
        assert not anchor or anchor in anchors(DOCS / path), name


@pytest.mark.long
@pytest.mark.parametrize("command", COMMANDS)
def test_commands_work(zermelo, command):
    program, *arguments = shlex.split(command)
    done = zermelo(*arguments)
    assert program == "zermelo"
    assert (done.code, done.err) == (0, "")
    assert done.out.strip()


@pytest.mark.quick
def test_remarks_of_a_slide():
    (slide,) = slides_at("000", "62")
    assert [kind for kind, _ in remarks_on(slide)] == ["misprint"] * 3
    (slide,) = slides_at("002", "17")
    assert [kind for kind, _ in remarks_on(slide)] == ["convention"]
    assert [str(each) for each in slides_at("004", "3")] == ["lecture 004, slide 3", "lecture 004, after 3"]
    with pytest.raises(TreeError, match="lecture 002 has no slide '52'; its slides are 1 to 51"):
        slides_at("002", "52")
