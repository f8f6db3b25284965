"""The page of leagues in Chromium: a table and boards that follow a running match, a replay, hostile names."""

import subprocess
import sys

import pytest
from browsers import watched_pages
from web_pages import running_server

from zermelo.arena import match, play_tournament
from zermelo.arena.matches import standings
from zermelo.arena.store import Store

pytestmark = pytest.mark.long

HOSTILE = "<img src=x onerror=alert(1)>"
AGENT = "import time\ndef choose(state):\n    time.sleep(0.4)\n    return next(iter(state.moves()))\n"


def test_a_league_is_watched_while_it_runs(browser, tmp_path):
    whole = tmp_path / "whole.db"
    play_tournament("tictactoe", {"Ada": "random", HOSTILE: "random", "Kurt": "random"}, games=4, seed=2, store=whole)
    with Store.open(whole) as finished:
        plan, games = finished.plan, list(finished.games())
    path = tmp_path / "live.db"
    with Store.create(path, plan) as store:
        for record in games[:5]:
            store.add(record)
        arguments = ("tictactoe", "--store", str(path))
        with running_server(tmp_path, *arguments) as server, watched_pages(browser, server.url) as open_page:
            page = open_page("/leagues")
            page.set_default_timeout(240_000)  # a busy machine takes seconds to import SciPy
            page.locator("#state", has_text="running").wait_for()
            assert page.locator("#facts").inner_text().count("5 of 12") == 1
            page.locator("#follow").check()
            for record in games[5:]:
                store.add(record)
            page.locator("#state", has_text="over").wait_for()  # no reload
            table = standings(path)
            rows = page.locator("#table tbody tr")
            assert rows.locator("th").all_inner_texts() == [row.name for row in table.rows]
            expected = [f"{row.elo:+.0f}".replace("-", "−").replace("−0", "+0") for row in table.rows]
            assert [text.replace("−0", "+0") for text in rows.locator("td:nth-child(8)").all_inner_texts()] == expected
            assert rows.locator("svg.bar").count() == 3

            page.locator("#replay-title", has_text="Game 11").wait_for()  # the new game plays by itself
            page.get_by_role("button", name="Replay game 4").click()
            page.locator("#replay-title", has_text="Game 4").wait_for()
            moves = page.locator("#moves li")
            assert moves.count() == len(games[4].moves)
            page.locator("#count", has_text=f"{len(games[4].moves)} of").wait_for()
            page.get_by_role("button", name="First position").click()
            page.locator("#count", has_text="0 of").wait_for()
            page.locator("#moves").press("ArrowRight")
            page.locator("#count", has_text="1 of").wait_for()
            assert page.locator("#moves [aria-current]").count() == 1
            assert page.locator("zermelo-board svg").first.is_visible()
            page.locator("#player").select_option(HOSTILE)
            page.locator("#games-count", has_text="8 of 8").wait_for()
            page.locator("#cross-details summary").click()
            assert page.locator("#cross tbody th", has_text=HOSTILE).count() == 1


def test_a_proven_win_and_a_short_time_in_words(browser, tmp_path):
    path = tmp_path / "proven.db"
    match("tictactoe", "strong=lines:3", "weak=random", games=4, seed=2, store=path)
    with Store.open(path) as store:
        for number in range(4):
            record = store.game(number)
            plies = [ply for ply, each in enumerate(record.reports, 1) if each and abs(each.score or 0) > 1_000_000]
            if plies:
                break
    with (
        running_server(tmp_path, "tictactoe", "--store", str(path)) as server,
        watched_pages(browser, server.url) as open_page,
    ):
        page = open_page("/leagues")
        page.set_default_timeout(240_000)
        page.get_by_role("button", name=f"Replay game {number}").click()
        page.locator("#replay-title", has_text=f"Game {number}").wait_for()
        page.locator("#moves button").nth(plies[0] - 1).click()
        page.locator("#move-facts", has_text=" win, proven").wait_for()
        assert "score" not in page.locator("#move-facts").inner_text()
        text = page.evaluate("async () => (await import('/scripts/leagues/tables.js')).secondsText(0.00001)")
        assert text == "< 0.1 ms"


def test_games_are_seen_on_boards_while_they_are_played(browser, tmp_path):
    path, agent = tmp_path / "live.db", tmp_path / "agent.py"
    agent.write_text(AGENT)
    # "=" separates a name from its player.
    players = (f"<b onclick>=python:{agent}", f"Slow=python:{agent}")
    match = [sys.executable, "-m", "zermelo", "match", "othello", *players, "--games", "4", "--workers", "2", "--quiet"]
    process = subprocess.Popen(
        [*match, "--control", "clock=600+1", "--openings", "start", "--store", str(path)], stderr=subprocess.PIPE
    )
    try:
        while not path.exists():
            assert process.poll() is None, process.stderr.read()
        with (
            running_server(tmp_path, "othello", "--store", str(path)) as server,
            watched_pages(browser, server.url) as open_page,
        ):
            page = open_page("/leagues")
            page.set_default_timeout(240_000)
            games = page.locator("#live-games > li")
            games.nth(1).wait_for()
            first = games.first
            assert first.locator("zermelo-board svg").first.is_visible()
            text = first.inner_text()
            assert all(part in text for part in ("Game 0", "<b onclick>", "Slow", "black", "white"))
            discs = first.locator("zermelo-board .layer-pieces > *")
            discs.nth(discs.count() + 1).wait_for(state="attached")  # two moves later
            first.locator(".row[aria-current]").wait_for()
            assert ":" in first.locator(".row .numbers").first.inner_text()  # a clock
            assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
            process.kill()
            process.wait()
            page.locator("#live").wait_for(state="hidden")
            page.locator("#state", has_text="not running").wait_for()
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
