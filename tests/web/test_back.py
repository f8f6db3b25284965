"""A browser that keeps pages for its "back" button: what a page that was left had begun ends, and it begins again."""

import pytest
from browsers import chromium, watched_pages
from web_pages import running_server

expect = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed").expect
pytestmark = pytest.mark.long


def test_the_search_of_a_page_ends_when_it_is_left(tmp_path):
    with (
        # Of two search processes one is for analyses: a search that went on would keep it from the next page.
        running_server(tmp_path, "--searches", "2", "othello", "tictactoe") as server,
        chromium(keeps_pages=True) as browser,
        watched_pages(browser, server.url) as open_page,
    ):
        page = open_page("/analyse?game=othello")
        facts = page.locator("#engine-facts")
        expect(facts).to_contain_text("depth", timeout=240_000)
        page.goto(f"{server.url}/leagues")
        page.goto(f"{server.url}/analyse?game=tictactoe")
        expect(facts).to_contain_text("depth", timeout=240_000)
        for _ in range(2):
            page.go_back()
        assert page.url.startswith(f"{server.url}/analyse?game=othello")
        expect(facts).to_contain_text("depth", timeout=240_000)
