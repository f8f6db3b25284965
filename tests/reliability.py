"""The rows of docs/reliability.md: which tests measure each, run whole, resumable.

    python tests/reliability.py                 all rows; `make nightly` ends with it
    python tests/reliability.py 7 12            these rows; `make nightly ROW="7 12"`
    python tests/reliability.py --again 7       also what has passed at this commit
    python tests/reliability.py --since HEAD~9 7    what has not passed at this commit or a later one
    python tests/reliability.py --only part3 2  of row 2 the entries with this text in their name
    python tests/reliability.py --table 7       the lines of docs/reliability.md, from the results that are kept

Each entry of a row is run by a pytest of its own, so that an interrupted run goes on where it was. Its tests are spread
over all processors, unless they measure time or memory. Results are kept in tests/reliability.json with the commit at
which they were measured. The file is under version control, so that a row of many hours can be measured by several
machines, one after another: commit it, and go on elsewhere with --since. What a test measures beyond passing it says
with `record_property("measured", TEXT)`; the text is printed beside the row.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shlex
import subprocess
import sys
import time
import tomllib
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from parts import PARTS  # noqa: E402

RESULTS = ROOT / "tests" / "reliability.json"
REPORT = ROOT / ".cache" / "reliability.xml"
TABLE = ROOT / "docs" / "reliability.md"
GAMES = sorted(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["entry-points"]["zermelo.games"])


class Row(NamedTuple):
    """A line of the table: a property and the tests that measure it (arguments of pytest, markers ignored)."""

    name: str
    tests: tuple[str, ...]
    environment: tuple[tuple[str, str], ...] = ()


def _parts(test: str) -> tuple[str, ...]:
    """The parts of a test of hours, so that an interrupted run repeats one at most."""
    return tuple(f"{test} and part{part}'" for part in range(PARTS))


def _alone(*tests: str) -> tuple[str, ...]:
    """Tests that measure time or memory, or count over all of them: they run one after the other."""
    return tuple(f"{test} -n 0" for test in tests)


ROWS = {
    1: Row(
        "move generators",
        (
            "tests/games/test_checkers.py -k 'not linear_beats'",
            "tests/games/test_othello_boards.py",
            *(
                f"tests/games/test_{name.replace('-', '_')}.py"
                for name in GAMES
                if name not in ("checkers", "go19", "othello6", "othello10")
            ),
        ),
    ),
    2: Row(
        "random play",
        ("tests/games/test_golden.py -k 'not many'", *_parts("tests/games/test_golden.py -k 'many")),
    ),
    3: Row(
        "search is minimax",
        (
            "tests/search/test_random_trees.py",
            "tests/search/test_positions.py -k 'minimax and not 1000_positions'",
            *_parts("tests/search/test_positions.py -k '1000_positions"),
            "tests/search/test_chance.py",
            "tests/search/test_repetition.py",
            "tests/search/test_gains.py",
        ),
    ),
    4: Row(
        "compiled and interpreted",
        (
            "tests/search/test_positions.py -k 'interpreted and not 500_positions'",
            *_parts("tests/search/test_positions.py -k '500_positions"),
            "tests/search/test_textbook.py",
        ),
    ),
    5: Row(
        "published results",
        ("tests/games/test_published.py", "tests/games/test_bearoff.py", "tests/games/test_checkers.py -k endgames"),
    ),
    6: Row("bench signature", ("tests/cli/test_bench.py",)),
    7: Row("the cache", ("tests/compiled/test_cache.py", "tests/compiled/test_fingerprint.py")),
    8: Row(
        "bounds and integers",
        ("tests -m 'not nightly and not long'", "tests/compiled/test_bitboards.py"),
        (("NUMBA_BOUNDSCHECK", "1"), ("ZERMELO_CACHE_DIR", str(ROOT / ".cache" / "bounds"))),
    ),
    9: Row(
        "collisions",
        (
            "tests/search/test_positions.py -k 'wrong_table and not 25000_searches'",
            *_parts("tests/search/test_positions.py -k '25000_searches"),
        ),
    ),
    10: Row(
        "stop and clock",
        _alone(
            "tests/arena/test_endurance.py -k flag",
            "tests/search/test_engine.py -k 'stop or ctrl_c'",
            "tests/cli/test_ctrl_c.py",
            "tests/cli/test_interrupts.py -k random_moments",
            *_parts("tests/cli/test_interrupts.py -k 'many_times"),
            "tests/cli/test_arena.py -k ctrl_c",
        ),
    ),
    11: Row("kill -9", _alone("tests/arena/test_tournament.py -k kill_9", "tests/arena/test_store.py -k kill")),
    12: Row("worker death", _alone("tests/arena/test_executors.py", "tests/arena/test_dask_executor.py")),
    13: Row(
        "data files",
        (
            "tests/games/test_bearoff.py",
            "tests/compiled/test_cache.py -k damaged",
            *_alone("tests/arena/test_store.py", "tests/arena/test_hostile_stores.py"),
            "tests/formats/test_polyglot.py",
        ),
    ),
    14: Row("loading", ("tests/test_loading.py",)),
    15: Row(
        "bad text",
        (
            "tests/formats/test_fuzz.py -k 'not many and not large'",
            *_parts("tests/formats/test_fuzz.py -k 'many"),
            *_alone("tests/formats/test_fuzz.py -k large", "tests/formats/test_growth.py"),
            "tests/teaching/tree/test_parsing.py",
            "tests/teaching/tree/test_numbers.py",
            "tests/protocols",
        ),
    ),
    16: Row(
        "hostile players",
        (
            *_alone("tests/arena/test_hostile.py", "tests/arena/test_agents.py", "tests/sandbox"),
            "tests/teaching/exercises/test_guessing.py",
        ),
    ),
    17: Row(
        "fair matches", ("tests/arena/test_sprt.py", "tests/arena/test_ratings.py", "tests/arena/test_schedule.py")
    ),
    18: Row(
        "the server",
        _alone(*(f"tests/web/test_{name}.py" for name in ("safety", "server", "fuzz", "load", "hostile_pages"))),
    ),
    19: Row("endurance", _alone("tests/arena/test_endurance.py -k memory", "tests/arena/test_store.py -k memory")),
    # No property of its own: the nightly and long tests that no row above runs.
    20: Row(
        "teaching, games written down, pages",
        tuple(
            f"{folder} -m 'nightly or long'"
            for folder in (
                "tests/teaching",
                "tests/drawing",
                "tests/formats",
                *_alone("tests/arena", "tests/cli", "tests/web"),
                "tests/games",
                "tests/core",
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
    parser.add_argument(
        "--since", metavar="COMMIT", help="measure only what has not passed at this commit or a later one"
    )
    parser.add_argument("--only", metavar="TEXT", default="", help="measure only entries that contain this text")
    parser.add_argument("--table", action="store_true", help="measure nothing; print lines of docs/reliability.md")
    parser.add_argument(
        "--workers", type=int, default=_processors(), metavar="N", help="processes of an entry; default: processors"
    )
    given = parser.parse_args()
    if given.since and _git("rev-parse", "--verify", f"{given.since}^{{commit}}").returncode:
        parser.error(f"--since: {given.since} is not a commit of this checkout")
    commit = _commit()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    failed = False
    for number in given.rows or sorted(ROWS):
        row = ROWS[number]
        if given.table:
            print(_line(number, row, results))
            continue
        chosen = [tests for tests in row.tests if given.only in tests]
        for tests in chosen:
            key = f"{number} {tests}"
            known = results.get(key, {})
            if given.again or not known.get("passed") or not _counts(known["commit"], commit, given.since):
                print(f"- row {number}, {row.name}: {tests}", flush=True)
                results[key] = {"commit": commit, **_measure(tests, dict(row.environment), given.workers)}
                _keep(results)
        failed |= _report(number, row, chosen, results)
    return int(failed)


def _counts(measured: str, commit: str, since: str | None) -> bool:
    """Whether a result counts: it was measured at `commit`, or between `since` and `commit`."""
    if since is None or measured == commit:
        return measured == commit
    pairs = (since, measured), (measured, commit.removesuffix("-dirty"))
    return all(_git("merge-base", "--is-ancestor", *pair).returncode == 0 for pair in pairs)


def _processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _measure(tests: str, environment: dict[str, str], processes: int) -> dict[str, Any]:
    """Run pytest once; return whether all passed, how many tests, the seconds and what was measured."""
    REPORT.parent.mkdir(exist_ok=True)
    marked = () if " -m " in tests else ("-m", "")
    workers = () if " -n " in tests else ("-n", str(processes))
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        *marked,
        *workers,
        "-o",
        "junit_family=xunit1",
        f"--junitxml={REPORT}",
        *shlex.split(tests),
    ]
    began, used = time.monotonic(), _processor_time()
    ended = subprocess.run(
        command, cwd=ROOT, env={"ZERMELO_CACHE_DIR": str(ROOT / ".cache" / "test"), **os.environ, **environment}
    )
    suite = ElementTree.parse(REPORT).getroot()
    cases = list(suite.iter("testcase"))
    return {
        "passed": ended.returncode == 0,
        "tests": len(cases),
        "skipped": sum(case.find("skipped") is not None for case in cases),
        "failed": [case.get("name") for case in cases for kind in ("failure", "error") if case.find(kind) is not None],
        "seconds": round(time.monotonic() - began),
        "processor": round(_processor_time() - used),
        "measured": [found.get("value") for found in suite.iter("property") if found.get("name") == "measured"],
    }


def _processor_time() -> float:
    """Seconds of processor time of the programs that this process has started and that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _keep(results: dict[str, Any]) -> None:
    unfinished = RESULTS.with_suffix(".tmp")
    unfinished.write_text(json.dumps(results, indent=1) + "\n")
    unfinished.replace(RESULTS)


def _report(number: int, row: Row, chosen: list[str], results: dict[str, Any]) -> bool:
    """Print the figures of the chosen entries of a row; return whether something failed."""
    found = [results[f"{number} {tests}"] for tests in chosen]
    tests, skipped = (sum(each[name] for each in found) for name in ("tests", "skipped"))
    failed = [name for each in found for name in each["failed"]]
    seconds = sum(each["seconds"] for each in found)
    print(f"row {number}, {row.name}: {tests} tests, {skipped} skipped, {len(failed)} failed, {seconds:,} s")
    for text in [text for each in found for text in each["measured"]] + [f"failed: {name}" for name in failed]:
        print(f"    {text}")
    return not all(each["passed"] for each in found)


def _line(number: int, row: Row, results: dict[str, Any]) -> str:
    """The row's line of docs/reliability.md, with its last figures; as it is there, if an entry is missing."""
    lines = TABLE.read_text().splitlines()
    line = next((each for each in lines if each.startswith(f"| {number} |")), f"| {number} | {row.name} | | | |")
    found = [results.get(f"{number} {tests}") for tests in row.tests]
    if missing := sum(each is None for each in found):
        return f"{line}  <!-- {missing} of {len(found)} entries are not measured -->"
    whole = [each for each in found if each is not None]
    counts = [sum(each["tests"] for each in whole), sum(len(each["failed"]) for each in whole)]
    texts = [text for each in whole for text in each["measured"]]
    measured = "; ".join(["{:,} tests, {:,} failed".format(*counts), *texts])
    cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:4]]
    spent = (
        f"{_duration(sum(each['seconds'] for each in whole))}, {_duration(sum(each['processor'] for each in whole))}"
    )
    return f"| {' | '.join(cells)} | {measured} | {spent} of processor time |"


def _duration(seconds: int) -> str:
    return (
        f"{seconds} s"
        if seconds < 100
        else f"{round(seconds / 60)} min"
        if seconds < 6000
        else f"{seconds / 3600:.1f} h"
    )


def _commit() -> str:
    """Return the commit of the checkout, with a mark if files but that of the results differ from it."""
    others = ("--", ".", f":!{RESULTS.relative_to(ROOT)}")
    changed = _git("status", "--porcelain", "--untracked-files=no", *others).stdout.strip()
    head = _git("rev-parse", "--short=12", "HEAD").stdout.strip() or "unknown"
    return f"{head}-dirty" if changed else head


def _git(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True)


if __name__ == "__main__":
    sys.exit(main())
