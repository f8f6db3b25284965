"""The rows of docs/reliability.md: which tests measure each, run whole, resumable.

    python tests/reliability.py                 all rows; `make nightly` ends with it
    python tests/reliability.py 7 12            these rows; `make nightly ROW="7 12"`
    python tests/reliability.py --again 7       also what has passed at this commit

Each entry of a row is run by a pytest of its own, so that an interrupted run goes on where it was. Results are kept in
.cache/reliability.json with the commit at which they were measured. What a test measures beyond passing it says with
`record_property("measured", TEXT)`; the text is printed beside the row.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
import tomllib
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / ".cache" / "reliability.json"
GAMES = sorted(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["zermelo.games"])


class Row(NamedTuple):
    """A line of the table: a property and the tests that measure it (arguments of pytest, markers ignored)."""

    name: str
    tests: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()


ROWS = {
    1: Row(
        "move generators",
        (
            "tests/games/test_checkers.py -k 'not linear_beats'",
            *(f"tests/games/test_{name.replace('-', '_')}.py" for name in GAMES if name not in ("checkers", "go19")),
        ),
    ),
    2: Row("random play", ("tests/games/test_golden.py",)),
    3: Row(
        "search is minimax",
        (
            "tests/search/test_random_trees.py",
            "tests/search/test_positions.py -k minimax",
            "tests/search/test_chance.py",
            "tests/search/test_repetition.py",
            "tests/search/test_gains.py",
        ),
    ),
    4: Row("the two worlds", ("tests/search/test_positions.py -k interpreted", "tests/search/test_textbook.py")),
    5: Row(
        "known truths",
        ("tests/games/test_published.py", "tests/games/test_bearoff.py", "tests/games/test_checkers.py -k endgames"),
    ),
    6: Row("bench signature", ("tests/cli/test_bench.py",)),
    7: Row("the cache", ("tests/compiled/test_cache.py", "tests/compiled/test_fingerprint.py")),
    8: Row(
        "bounds and integers",
        ("tests -m 'not nightly and not long' -n auto", "tests/compiled/test_bitboards.py"),
        (("NUMBA_BOUNDSCHECK", "1"), ("ZERMELO_CACHE_DIR", str(ROOT / ".cache" / "bounds"))),
    ),
    9: Row("collisions", ("tests/search/test_positions.py -k wrong_table",)),
    10: Row(
        "stop and clock",
        (
            "tests/arena/test_endurance.py -k flag",
            "tests/search/test_engine.py -k 'stop or ctrl_c'",
            "tests/cli/test_ctrl_c.py",
            "tests/cli/test_interrupts.py",
            "tests/cli/test_arena.py -k ctrl_c",
        ),
    ),
    11: Row("kill -9", ("tests/arena/test_tournament.py -k kill_9", "tests/arena/test_store.py -k kill")),
    12: Row("worker death", ("tests/arena/test_executors.py", "tests/arena/test_dask_executor.py")),
    13: Row(
        "data files",
        (
            "tests/games/test_bearoff.py",
            "tests/compiled/test_cache.py -k damaged",
            "tests/arena/test_store.py",
            "tests/arena/test_hostile_stores.py",
            "tests/formats/test_polyglot.py",
        ),
    ),
    14: Row("loading", ("tests/test_loading.py",)),
    15: Row(
        "bad text",
        (
            # An entry for each game, so that an interrupted run repeats the parsers of one game at most.
            *(f"tests/formats/test_fuzz.py -k {name}" for name in (*GAMES, "tree")),
            "tests/formats/test_growth.py",
            "tests/teaching/tree/test_parsing.py",
            "tests/teaching/tree/test_numbers.py",
            "tests/protocols",
        ),
    ),
    16: Row(
        "hostile players",
        (
            "tests/arena/test_hostile.py",
            "tests/arena/test_agents.py",
            "tests/sandbox",
            "tests/teaching/exercises/test_guessing.py",
        ),
    ),
    17: Row(
        "fair matches", ("tests/arena/test_sprt.py", "tests/arena/test_ratings.py", "tests/arena/test_schedule.py")
    ),
    18: Row(
        "the server",
        tuple(f"tests/web/test_{name}.py" for name in ("safety", "server", "fuzz", "load", "hostile_pages")),
    ),
    19: Row("endurance", ("tests/arena/test_endurance.py -k memory", "tests/arena/test_store.py -k memory")),
    # No property of its own: the nightly and long tests that no row above runs.
    20: Row(
        "teaching, games written down, pages",
        tuple(
            f"{folder} -m 'nightly or long'"
            for folder in (
                "tests/teaching",
                "tests/drawing",
                "tests/formats",
                "tests/arena",
                "tests/cli",
                "tests/games",
                "tests/core",
                "tests/web",
                "tests/test_docs.py",
                "tests/test_frame.py",
            )
        ),
    ),
}


def main() -> int:
    """Run the rows that were asked for; return 1 if a test of any of them failed."""
    parser = argparse.ArgumentParser(description="Measure rows of docs/reliability.md.")
    parser.add_argument("rows", nargs="*", type=int, choices=sorted(ROWS), metavar="ROW", help="default: all rows")
    parser.add_argument("--again", action="store_true", help="measure again what has passed at this commit")
    given = parser.parse_args()
    commit = _commit()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    failed = False
    for number in given.rows or sorted(ROWS):
        row = ROWS[number]
        for tests in row.tests:
            key = f"{number} {tests}"
            known = results.get(key, {})
            if given.again or known.get("commit") != commit or not known.get("passed"):
                print(f"- row {number}, {row.name}: {tests}", flush=True)
                results[key] = {"commit": commit, **_measure(tests, dict(row.environment))}
                _keep(results)
        failed |= _report(number, row, results)
    return int(failed)


def _measure(tests: str, environment: dict[str, str]) -> dict[str, Any]:
    """Run pytest once; return whether all passed, how many tests, the seconds and what was measured."""
    import shlex

    report = RESULTS.with_suffix(".xml")
    RESULTS.parent.mkdir(exist_ok=True)
    marked = () if " -m " in tests else ("-m", "")
    workers = () if " -n " in tests else ("-n", "0")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        *marked,
        *workers,
        "-o",
        "junit_family=xunit1",
        f"--junitxml={report}",
        *shlex.split(tests),
    ]
    began = time.monotonic()
    ended = subprocess.run(
        command, cwd=ROOT, env={"ZERMELO_CACHE_DIR": str(ROOT / ".cache" / "test"), **os.environ, **environment}
    )
    suite = ElementTree.parse(report).getroot()
    cases = list(suite.iter("testcase"))
    return {
        "passed": ended.returncode == 0,
        "tests": len(cases),
        "skipped": sum(case.find("skipped") is not None for case in cases),
        "failed": [case.get("name") for case in cases for kind in ("failure", "error") if case.find(kind) is not None],
        "seconds": round(time.monotonic() - began),
        "measured": [found.get("value") for found in suite.iter("property") if found.get("name") == "measured"],
    }


def _keep(results: dict[str, Any]) -> None:
    unfinished = RESULTS.with_suffix(".tmp")
    unfinished.write_text(json.dumps(results, indent=1))
    unfinished.replace(RESULTS)


def _report(number: int, row: Row, results: dict[str, Any]) -> bool:
    """Print the figures of a row; return whether something failed."""
    found = [results[f"{number} {tests}"] for tests in row.tests]
    tests, skipped = (sum(each[name] for each in found) for name in ("tests", "skipped"))
    failed = [name for each in found for name in each["failed"]]
    seconds = sum(each["seconds"] for each in found)
    print(f"row {number}, {row.name}: {tests} tests, {skipped} skipped, {len(failed)} failed, {seconds:,} s")
    for text in [text for each in found for text in each["measured"]] + [f"failed: {name}" for name in failed]:
        print(f"    {text}")
    return not all(each["passed"] for each in found)


def _commit() -> str:
    """Return the commit of the checkout, with a mark if files differ from it."""
    ran = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--abbrev=12"], cwd=ROOT, capture_output=True, text=True
    )
    return ran.stdout.strip() or "unknown"


if __name__ == "__main__":
    sys.exit(main())
