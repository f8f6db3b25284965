"""Every page in a browser, with markup and script in a game's names and in addresses: it stays text."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest
from browsers import chromium
from web_pages import running_server

from zermelo.web import static

pytestmark = pytest.mark.long

MARKUP = "<img src=x onerror=alert(1)><script>alert(2)</script>"
GAME = f'''
from zermelo import MAX, game

@game(compiled=False)
class Evil:
    """{MARKUP}"""

    heap: int = 5
    turn: int = MAX

    def to_move(self):
        return self.turn

    def moves(self):
        yield from range(1, min(3, self.heap) + 1)

    def play(self, take):
        return Evil(self.heap - take, -self.turn)

    def is_over(self):
        return self.heap == 0

    def utility(self):
        return -self.turn

    def move_name(self, take):
        return f"{{take}}{MARKUP}"

    def player_name(self, player):
        return f"{{player}}{MARKUP}"

    def board(self):
        return "{MARKUP}"
'''


def test_markup_is_text_on_every_page(tmp_path: Path) -> None:
    file = tmp_path / "evil.py"
    file.write_text(GAME)
    pages = [url for url, path in static.table().items() if path.suffix == ".html" and not url.startswith("/docs/")]
    assert len(pages) > 7
    wrong: list[str] = []
    with running_server(tmp_path / "data", f"{file}:Evil") as server, chromium() as browser:
        page = browser.new_page()
        page.set_default_timeout(10_000)
        page.on("dialog", lambda dialog: (wrong.append(f"{page.url}: dialog"), dialog.dismiss()))
        page.on("pageerror", lambda error: wrong.append(f"{page.url}: {error}"))
        page.on("console", lambda each: wrong.append(each.text) if "Content Security Policy" in each.text else None)
        page.on("request", lambda each: wrong.append(each.url) if not each.url.startswith(server.url) else None)
        page.add_init_script(
            "window.violations = 0;"
            "addEventListener('securitypolicyviolation', () => { window.violations += 1; }, true);"
        )
        evil = quote(MARKUP)
        for path in pages:
            for query in (
                "?game=evil",
                f"?game={evil}&id={evil}&lecture={evil}&case={evil}&tree={evil}",
                f"?game=evil&position={evil}&moves={evil}#{evil}",
            ):
                page.goto(f"{server.url}{path}{query}")
                page.wait_for_timeout(150)
                assert page.evaluate("window.violations") == 0, page.url
                assert page.locator("img[src=x], script:not([src])").count() == 0, page.url
        page.goto(f"{server.url}/play?game=evil")
        page.locator("text=onerror").first.wait_for()  # the names are shown, as text
    assert wrong == []
