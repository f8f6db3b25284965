"""The web page: time to the first paint, answers to clicks, the first line of an analysis, size, memory, 50 watchers.

    python benchmarks/web.py [--runs N] [--json]

The server is a process of its own; its data are in a temporary folder. What a browser measures needs Playwright and an
installed Chromium, and is left out without them. The cache of machine code is the user's, or that of ZERMELO_CACHE_DIR;
the first analysis fills it and is not counted.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import report

PAGES = ("/", "/play", "/analyse", "/review", "/watch", "/lectures", "/practice", "/leagues")
#: Goals: first paint, answer of the server, change on the screen and first line of an analysis in milliseconds; script
#: and style in kB; memory in MB; watchers in percent of a processor.
PAINT, ANSWER, SCREEN, LINE, SIZE, MEMORY, WATCHING = 1000, 50, 100, 300, 150, 150, 25
WATCHERS, MOVES_PER_SECOND, GAMES_PER_SECOND, BOARDS = 50, 2, 3, 4
LOCAL_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
OPENING = ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Ba4", "Nf6", "O-O", "Be7", "Re1", "b5", "Bb3", "d6", "c3", "O-O"]
GO = "q16 d4 q4 d16 o3 c6 f17 c14 r10 k4 f3 d9 o17 r14 q13 c10"
POSITIONS = {
    "chess, ply 16": {"game": "chess", "moves": OPENING},
    "Go 19x19, ply 16": {"game": "go19", "moves": GO.split()},
}
# Sets `elapsed` to the time from the press of the mouse to the first frame that shows one more move.
CLICK_TO_FRAME = """() => {
  const moves = () => document.querySelectorAll(".main-line .move").length;
  const before = moves();
  let pressed = 0;
  addEventListener("pointerdown", (event) => { pressed = event.timeStamp; }, {capture: true, once: true});
  const look = () => requestAnimationFrame((now) => {
    if (pressed && moves() > before) window.elapsed = now - pressed;
    else look();
  });
  look();
}"""


# Bytes of script and style that a page has loaded, as they were sent.
SIZE_OF_CODE = """() => performance.getEntriesByType("resource")
  .filter((entry) => /\\.(js|css)$/.test(new URL(entry.name).pathname))
  .reduce((total, entry) => total + entry.encodedBodySize, 0)"""


class Server:
    """A running `zermelo serve`."""

    def __init__(self, process: subprocess.Popen[str], url: str) -> None:
        self.process = process
        self.url = url
        self.port = int(url.rpartition(":")[2])

    @contextmanager
    def connection(self) -> Iterator[http.client.HTTPConnection]:
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)) as opened:
            yield opened

    def memory(self) -> float:
        """Resident memory in MB."""
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        found = re.search(r"VmRSS:\s+(\d+) kB", text)
        return int(found[1]) * 1024 / 1e6 if found else 0.0

    def cpu_seconds(self) -> float:
        """Processor time so far, without that of its worker processes."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def running_server(*arguments: str) -> Iterator[tuple[Server, float]]:
    """A server with further arguments, and the seconds that it took to start."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "zermelo", "serve", "--port", "0", "--data-dir", folder, *arguments]
        began = time.perf_counter()
        with subprocess.Popen(command, stdout=subprocess.PIPE, encoding="utf-8") as process:
            assert process.stdout is not None
            found = re.search(r"http://[\d.]+:\d+", process.stdout.readline())
            if found is None:
                raise SystemExit("zermelo serve did not start")
            try:
                yield Server(process, found[0]), time.perf_counter() - began
            finally:
                process.send_signal(signal.SIGINT)
                process.wait(60)


def post(connection: http.client.HTTPConnection, path: str, body: Any) -> http.client.HTTPResponse:
    connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
    answer = connection.getresponse()
    if answer.status >= 400:
        raise SystemExit(f"{path}: {answer.status} {answer.read().decode()}")
    return answer


def answer_to(connection: http.client.HTTPConnection, path: str, body: Any) -> bytes:
    return post(connection, path, body).read()


def milliseconds(function: Callable[[], Any], runs: int) -> float:
    """The median time of a call; the first call does not count."""
    function()
    times = []
    for _ in range(runs):
        began = time.perf_counter()
        function()
        times.append(time.perf_counter() - began)
    return 1000 * median(times)


# ---- what is measured -------------------------------------------------------------------------------------------


def row(label: str, value: float, unit: str, goal: float | None) -> dict[str, Any]:
    return {"label": label, "value": value, "unit": unit, "goal": goal, "met": goal is None or value < goal}


def answers(server: Server, runs: int) -> Iterator[dict[str, Any]]:
    """Times of the answers to clicks."""
    with server.connection() as connection:
        for title, body in POSITIONS.items():
            ask = partial(answer_to, connection, "/api/position", body)
            ask()  # loads the game
            used = server.cpu_seconds()
            yield row(f"a click on the analysis board ({title}) answered", milliseconds(ask, runs), "ms", ANSWER)
            used = 1000 * (server.cpu_seconds() - used) / (runs + 1)
            yield row("  processor time of the server for it", used, "ms", ANSWER)

        def move() -> None:
            nonlocal state
            for change, body in (("move", {"move": "e4"}), ("undo", {})):
                path = f"/api/games/{state['id']}/{change}"
                state = json.load(post(connection, path, {"version": state["version"], **body}))

        people = {"game": "chess", "max": {"kind": "person"}, "min": {"kind": "person"}}
        state = json.load(post(connection, "/api/games", people))
        yield row("a move in a game, saved and taken back, answered", milliseconds(move, runs), "ms", 2 * ANSWER)


def first_line(server: Server, runs: int) -> Iterator[dict[str, Any]]:
    """Time to the first line of an analysis; each from another position, so that no table helps."""
    with server.connection() as connection:

        def analyse(moves: list[str]) -> float:
            began = time.perf_counter()
            answer = post(connection, "/api/analyse", {"game": "chess", "moves": moves, "seconds": 1})
            for line in answer:
                if line.startswith(b"event: analysis"):
                    seconds = time.perf_counter() - began
                    answer.read()
                    return seconds
            raise SystemExit("the analysis has no line")

        analyse([])
        times = [analyse(OPENING[:ply]) for ply in range(1, 1 + min(runs, len(OPENING)))]
        yield row("the first line of an analysis, warm cache", 1000 * median(times), "ms", LINE)


def size() -> Iterator[dict[str, Any]]:
    """The size of all script and style, as they are sent."""
    from zermelo.web.static import served, table

    files = [path for url, path in table().items() if path.suffix in (".js", ".css") and not url.startswith("/docs/")]
    for name, encoding, goal in (("Brotli", "br", SIZE), ("gzip", "gzip", None)):
        total = sum(len(served(path, encoding)) for path in files)
        yield row(f"script and style of all pages together ({len(files)} files), {name}", total / 1000, "kB", goal)


def watching(server: Server, seconds: float = 10) -> dict[str, Any]:
    """Processor time of the server while clients watch a game in which moves are made."""
    from websockets.sync.client import connect

    with server.connection() as connection:
        people = {"game": "chess", "max": {"kind": "person"}, "min": {"kind": "person"}}
        state = json.load(post(connection, "/api/games", people))
        path = f"/api/games/{state['id']}"
        address = server.url.replace("http", "ws")
        with ExitStack() as opened:
            clients = [opened.enter_context(connect(f"{address}{path}/live")) for _ in range(WATCHERS)]
            for client in clients:
                client.recv(timeout=30)
            began, used = time.perf_counter(), server.cpu_seconds()
            ply = 0
            while (elapsed := time.perf_counter() - began) < seconds:
                change, body = ("move", {"move": OPENING[ply]}) if ply < len(OPENING) else ("undo", {})
                ply += 1 if body else -1
                state = json.load(post(connection, f"{path}/{change}", {"version": state["version"], **body}))
                for client in clients:
                    client.recv(timeout=30)
                time.sleep(max(0.0, 1 / MOVES_PER_SECOND - (time.perf_counter() - began - elapsed)))
            share = (server.cpu_seconds() - used) / (time.perf_counter() - began)
    return row(f"{WATCHERS} clients watching, {MOVES_PER_SECOND} moves a second", 100 * share, "% of a CPU", WATCHING)


def watching_league(seconds: float = 10) -> dict[str, Any]:
    """Processor time of the server while clients watch a league in which games end."""
    from websockets.sync.client import connect

    from zermelo.arena import Store, play_tournament

    with tempfile.TemporaryDirectory() as folder:
        whole, live = f"{folder}/whole.db", f"{folder}/live.db"
        play_tournament("tictactoe", {f"player {number}": "random" for number in range(12)}, seed=1, store=whole)
        with Store.open(whole) as finished:
            plan, games = finished.plan, list(finished.games())
        with Store.create(live, plan) as store, running_server("--store", live) as (server, _):
            for record in games[:100]:
                store.add(record)
            address = f"{server.url.replace('http', 'ws')}/api/leagues/live/live"
            with ExitStack() as opened:
                clients = [opened.enter_context(connect(address, max_size=None)) for _ in range(WATCHERS)]
                for client in clients:
                    client.recv(timeout=30)
                began, used = time.perf_counter(), server.cpu_seconds()
                for record in games[100 : 100 + int(seconds * GAMES_PER_SECOND)]:
                    store.add(record)
                    time.sleep(1 / GAMES_PER_SECOND)
                share = (server.cpu_seconds() - used) / (time.perf_counter() - began)
    label = f"{WATCHERS} clients watching a league of 12, {GAMES_PER_SECOND} games a second"
    return row(label, 100 * share, "% of a CPU", WATCHING)


def watching_boards(seconds: float = 10) -> dict[str, Any]:
    """Processor time of the server while clients watch a running match of chess with four games on live boards.

    Each game has two moves more twice a second, which is as often as a match writes its games in progress.
    """
    from websockets.sync.client import connect

    from zermelo.arena import Store, play_tournament
    from zermelo.arena.running_games import PERIOD, LiveFile

    names = ["player 0", "player 1"]
    began = 0.0

    def running() -> list[dict[str, Any]]:
        plies = int(2 * (time.perf_counter() - began) / PERIOD)
        return [
            {"number": 1000 + number, "names": names, "start": "", "moves": moves[number][:plies], "plies": plies}
            | {"left": [60.0, 60.0], "used": [0.0, 0.0], "turn_started": round(time.time(), 3)}
            for number in range(BOARDS)
        ]

    with tempfile.TemporaryDirectory() as folder:
        whole, live = f"{folder}/whole.db", f"{folder}/live.db"
        play_tournament("chess", dict.fromkeys(names, "random"), games=BOARDS, seed=1, store=whole)
        with Store.open(whole) as finished:
            plan, moves = finished.plan, [record.moves for record in finished.games()]
        with Store.create(live, plan) as store, running_server("--store", live) as (server, _):
            address = f"{server.url.replace('http', 'ws')}/api/leagues/live/live"
            with ExitStack() as opened:
                clients = [opened.enter_context(connect(address, max_size=None)) for _ in range(WATCHERS)]
                began = time.perf_counter()
                opened.enter_context(LiveFile(store.path, store.run, running))
                for client in clients:
                    while json.loads(client.recv(timeout=60))["kind"] != "games":
                        pass
                started, used, messages = time.perf_counter(), server.cpu_seconds(), 0
                while time.perf_counter() - started < seconds:
                    clients[0].recv(timeout=30)
                    messages += 1
                share = (server.cpu_seconds() - used) / (time.perf_counter() - started)
    label = f"{WATCHERS} clients watching {BOARDS} chess boards, {messages / seconds:.1f} messages a second"
    return row(label, 100 * share, "% of a CPU", WATCHING)


def in_browser(server: Server, runs: int) -> Iterator[dict[str, Any]]:
    """What a browser measures."""
    from playwright.sync_api import sync_playwright

    path = os.environ.get("ZERMELO_CHROMIUM") or next(filter(None, map(shutil.which, LOCAL_BROWSERS)), None)
    if path is None:
        raise report.Unavailable("no Chromium on PATH")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--disable-gpu", "--no-first-run"])
        for name in PAGES[:3]:
            paints = []
            for _ in range(runs):
                context = browser.new_context()  # with an empty cache
                page = context.new_page()
                page.goto(server.url + name)
                paints.append(
                    page.evaluate(
                        """() => new Promise((resolve) => new PerformanceObserver((list) => {
                          for (const entry of list.getEntries())
                            if (entry.name === "first-contentful-paint") resolve(entry.startTime);
                        }).observe({type: "paint", buffered: true}))"""
                    )
                )
                context.close()
            yield row(f"first contentful paint of {name}, empty cache", median(paints), "ms", PAINT)
        sizes = {}
        for name in PAGES:
            page = browser.new_page()
            page.goto(server.url + name)
            page.wait_for_timeout(1000)  # modules that are loaded later
            sizes[name] = page.evaluate(SIZE_OF_CODE)
            page.close()
        largest = max(sizes, key=lambda name: sizes[name])
        yield row(f"script and style of the largest page, {largest}", sizes[largest] / 1000, "kB", SIZE)
        times = []
        for _ in range(runs):
            context = browser.new_context()  # the page keeps a game that is not finished
            page = context.new_page()
            page.goto(server.url + "/icon.svg")
            page.evaluate("localStorage.setItem('zermelo-analysis', JSON.stringify({isOn: false}))")
            page.goto(f"{server.url}/analyse?game=tictactoe")
            page.locator("#state", has_text=re.compile(r"\S")).wait_for()
            page.wait_for_timeout(300)
            box = page.locator("zermelo-board svg").first.bounding_box()
            page.evaluate(CLICK_TO_FRAME)
            page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            for _ in range(100):  # the page's policy forbids what `wait_for_function` does
                if (elapsed := page.evaluate("window.elapsed")) is not None:
                    break
                page.wait_for_timeout(100)
            else:
                raise SystemExit("the click has no effect")
            times.append(elapsed)
            context.close()
        yield row("a click on the analysis board, until the move is on the screen", median(times), "ms", SCREEN)
        browser.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--runs", type=int, default=7, help="runs of each measurement (default 7)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options = parser.parse_args()
    rows = [*size()]
    with running_server() as (server, seconds):
        rows.append(row("`zermelo serve` until it answers", 1000 * seconds, "ms", None))
        rows.append(row("memory of the idle server", server.memory(), "MB", MEMORY))
        rows += answers(server, 5 * options.runs)
        rows += first_line(server, options.runs)
        rows.append(watching(server))
        rows.append(watching_league())
        rows.append(watching_boards())
        try:
            rows += in_browser(server, options.runs)
        except (ImportError, report.Unavailable) as error:
            print(f"not measured in a browser: {error}", file=sys.stderr)
    if options.json:
        report.print_json({"measured": rows})
        return
    cells = [
        [
            each["label"],
            f"{each['value']:.0f} {each['unit']}" if each["value"] >= 10 else f"{each['value']:.1f} {each['unit']}",
            "" if each["goal"] is None else f"{each['goal']:g} {each['unit']}",
            "" if each["goal"] is None else "met" if each["met"] else "MISSED",
        ]
        for each in rows
    ]
    columns = ["the web page", "measured", "goal: less than", ""]
    report.print_table(f"The web page; {report.processor()}", columns, cells, numbers=columns[1:3])


if __name__ == "__main__":
    main()
