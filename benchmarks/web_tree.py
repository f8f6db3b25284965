"""The tree on the web page: main-thread work of a frame while a tree of 10,000 nodes is moved, and the time to show it.

    python benchmarks/web_tree.py [--json]

Needs the extra `web`, Playwright and Chromium; without them it says so and measures nothing. The work of a frame is the
thread time of all tasks on the page's main thread between two frames, from a trace of Chromium. Thread time does not
grow when other programs use the processor.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from bisect import bisect_left
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

#: Goal in milliseconds for 19 of 20 frames.
FRAME_GOAL = 8.0
#: 9,841 nodes: branching factor 3, depth 8.
BRANCHING, DEPTH = 3, 8
MOVES = 150


def frames_of(trace: dict[str, Any]) -> list[float]:
    """Milliseconds of work on the main thread of the page for each frame that runs a script of the page."""
    events = trace["traceEvents"]
    names = [event for event in events if event.get("name") == "thread_name"]
    mains = {(each["pid"], each["tid"]) for each in names if each["args"]["name"] == "CrRendererMain"}
    complete = [each for each in events if each.get("ph") == "X" and (each["pid"], each["tid"]) in mains]
    scripts = sorted(each["ts"] for each in complete if each["name"] == "FireAnimationFrame")
    work = [0.0] * len(scripts)
    for task in complete:
        if task["name"].endswith("RunTask"):
            # A task belongs to the first frame whose script runs in it or after it.
            frame = bisect_left(scripts, task["ts"])
            if frame < len(work):
                work[frame] += task.get("tdur", task["dur"]) / 1000
    return work[1:]


def measure() -> dict[str, Any]:
    """Show the tree, unfold it, and move it with the mouse."""
    from browsers import chromium
    from web_pages import running_server

    from zermelo.teaching.tree import random_tree, to_brackets

    tree = random_tree(1, branching=(BRANCHING, BRANCHING), depth=(DEPTH, DEPTH), values=(-9, 9))
    text = to_brackets(tree).replace(" ", "")
    with tempfile.TemporaryDirectory() as folder, running_server(folder, "tictactoe") as server, chromium() as browser:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(60_000)
        page.goto(f"{server.url}/watch?tree=[1,2]")
        page.wait_for_selector("#controls:not([hidden])")
        page.locator("#tree-text").fill(text)
        started = time.perf_counter()
        page.locator("#search").click()
        shown = "(text) => document.querySelector('.tree-tools output').textContent.includes(text)"
        page.wait_for_function(shown, arg=f"of {len(tree):,} nodes")
        seconds = time.perf_counter() - started
        page.locator("#slider").fill("3000")
        for _ in range(DEPTH):
            page.locator(".tree-tools button", has_text="Unfold level").click()
        page.wait_for_function(shown, arg=f"{len(tree):,} of {len(tree):,} nodes")
        page.locator(".tree-tools button", has_text="Fit").click()
        box = page.locator(".tree-view").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        work = {}
        for label, wheel in (("whole tree in view", 0), ("zoomed in", -1500)):
            page.mouse.move(x, y)
            page.mouse.wheel(0, wheel)
            page.wait_for_timeout(300)
            file = Path(folder) / "trace.json"
            browser.start_tracing(page=page, path=file, categories=["toplevel", "devtools.timeline", "benchmark"])
            page.mouse.down()
            for number in range(MOVES):
                page.mouse.move(x + (number % 50) * 6 - 150, y + number % 7)
                page.wait_for_timeout(12)
            page.mouse.up()
            browser.stop_tracing()
            work[label] = sorted(frames_of(json.loads(file.read_text("utf-8"))))
    return {
        "nodes": len(tree),
        "shown_seconds": seconds,
        "frames": {
            label: {"count": len(each), "median": each[len(each) // 2], "p95": each[int(0.95 * len(each))]}
            for label, each in work.items()
        },
        "goal": FRAME_GOAL,
    }


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON")
    asked = parser.parse_args()
    try:
        import playwright.sync_api  # noqa: F401
        import starlette  # noqa: F401
    except ImportError as error:
        print(f"tree page: not measured: {error.name} is not installed")
        return
    found = measure()
    if asked.json:
        print(json.dumps(found))
        return
    print(f"tree page, {found['nodes']:,} nodes: shown after {found['shown_seconds']:.2f} s")
    for label, frames in found["frames"].items():
        verdict = "met" if frames["p95"] <= found["goal"] else "MISSED"
        print(
            f"  moving, {label}: {frames['count']} frames, main thread {frames['median']:.1f} ms a frame (median), "
            f"{frames['p95']:.1f} ms (p95); goal {found['goal']:g} ms: {verdict}"
        )


if __name__ == "__main__":
    main()
