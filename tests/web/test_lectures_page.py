"""The page of the lectures in Chromium: a worked example computed, a command of a slide run and stopped, links."""

import pytest
from browsers import watched_pages
from web_pages import running_server

from zermelo.teaching.lectures.cases import case_of
from zermelo.teaching.lectures.comparison_text import as_text, worth_showing
from zermelo.teaching.lectures.running import run

pytestmark = pytest.mark.long


@pytest.fixture
def open_page(browser, tmp_path):
    with running_server(tmp_path) as server, watched_pages(browser, server.url) as opened:
        yield opened


def test_a_lecture_is_computed_and_its_commands_run(open_page):
    page = open_page("/lectures?lecture=002", "#skrentny_tree")
    page.set_default_timeout(240_000)
    case = page.locator("#case-skrentny_tree")
    case.locator("tbody tr").first.wait_for()
    checks = worth_showing(run(case_of("skrentny")))
    assert case.locator("td:nth-of-type(1)").all_inner_texts() == [as_text(check.expected) for check in checks]
    assert case.locator(".tag").inner_text() == "✓ agrees"
    assert case.locator("figure svg .cross").count() > 0
    watch = case.get_by_role("link", name="Step through the search").get_attribute("href")
    assert watch == "/watch?tree=skrentny_tree&algorithm=alphabeta&words=equal+fail-hard+own"

    page.get_by_role("button", name="Run zermelo tree trace skrentny").click()
    row = page.locator(".command", has_text="zermelo tree trace skrentny")
    row.locator("[role=status]", has_text="Computed in").wait_for()
    output = row.locator("pre").inner_text()
    assert "cut on equality" in output
    assert output.splitlines()[0].split() == ["step", "node", "window", "what", "happens"]

    page.locator("#lectures a", has_text="001").click()  # no reload
    page.locator("#title", has_text="001").wait_for()
    assert page.url.endswith("/lectures?lecture=001")
    page.go_back()
    page.locator("#title", has_text="002").wait_for()
