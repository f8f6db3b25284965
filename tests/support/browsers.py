"""Chromium for tests, driven by Playwright; tests are skipped, saying so, where one of them is missing.

ZERMELO_CHROMIUM names a browser in an unusual place.
"""

import os
import shutil
from contextlib import contextmanager

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")


def installed_browser():
    """The path of a browser, or None."""
    return os.environ.get("ZERMELO_CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def chromium(keeps_pages=False):
    """A running browser; with `keeps_pages` it keeps pages that were left for "back", as people's browsers do."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    path = installed_browser()
    if path is None:
        pytest.skip(f"no Chromium here ({', '.join(NAMES)}), so the page is not looked at in a browser")
    with playwright.sync_playwright() as started:
        running = started.chromium.launch(
            executable_path=path,
            args=["--disable-gpu", "--no-first-run"],
            ignore_default_args=["--disable-back-forward-cache"] if keeps_pages else None,
        )
        yield running
        running.close()


@contextmanager
def watched_pages(browser, server="", refuses=False):
    """A function that opens a file, or a path of a server.

    At the end no script may have failed, no request been made (but to the server), and no dialog opened. With `refuses`
    the server may refuse requests as bad or be busy, which the browser reports.
    """
    contexts, wrong = [], []
    allowed = ("file:", "blob:", "data:", *((f"{server}/", f"ws{server[4:]}/") if server else ()))

    def is_wrong(message):
        is_refused = "400 (Bad Request)" in message.text or "429 (Too Many Requests)" in message.text
        return message.type in ("error", "warning") and not (refuses and is_refused)

    def open_page(path, fragment="", **context):
        contexts.append(browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **context}))
        page = contexts[-1].new_page()
        page.set_default_timeout(5000)
        page.set_default_navigation_timeout(30_000)  # the first page of a server, on a busy machine
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("console", lambda message: wrong.append(message.text) if is_wrong(message) else None)
        page.on("dialog", lambda dialog: (wrong.append(f"dialog: {dialog.message}"), dialog.dismiss()))
        page.on(
            "request",
            lambda request: wrong.append(request.url) if not request.url.startswith(allowed) else None,
        )
        page.goto((f"{server}{path}" if server else path.as_uri()) + fragment)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not wrong, wrong  # pytest does not rewrite the asserts of this module
