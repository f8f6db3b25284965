"""Hostile programs get nothing, leave nothing, and stop nobody, whoever runs the grader.

`make nightly ROW=16` prints what each group of programs got and how it ended. A run of this file alone also writes what
each program tried and how it ended to a CSV file; see `pytest_terminal_summary` in `conftest.py`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import hostile_programs as programs
import pytest
from leftovers import remaining

import zermelo
from zermelo.sandbox.sandboxed_script import ScriptLimits
from zermelo.teaching.exercises.check_cases import make_cases
from zermelo.teaching.exercises.checking import check
from zermelo.teaching.tree.convention import Convention

pytestmark = [pytest.mark.long, pytest.mark.skipif(sys.platform != "linux", reason="the walls of Linux")]

GRADER = Path(__file__).parents[1] / "support" / "hostile_grader.py"
GROUPS = [
    "SIGNALS", "READS", "WRITES", "LOCKS", "RARE", "NETWORK", "PROCESSES", "MEMORY", "TIME", "OUTPUT", "MESSAGES",
    "TRICKS", "ANSWERS",
]  # fmt: skip
#: What is counted of each group, over all graders and hosts, and how many programs came to each end.
COLUMNS = [
    "programs", "got through", "reads outside the list", "files made or changed", "signals delivered",
    "processes left", "classes stopped",
]  # fmt: skip
RUNS: dict[str, Counter[str]] = {}
ENDS: Counter[str] = Counter()
#: A user number that no real user has.
NOBODY = 61_000


def _graders() -> dict[str, list[str]]:
    """How to start the grader's Python as each user."""
    system = shutil.which("python3", path="/usr/bin")
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    if system is not None and version not in os.path.realpath(system):
        system = None  # the packages of this environment are of another version
    if os.geteuid() != 0:
        return {"user": [sys.executable]}
    found = {"root": [sys.executable]}
    if system is not None:
        found["root, Python of the system"] = [system]
        if (setpriv := shutil.which("setpriv")) is not None:
            found["user"] = [setpriv, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", system]
    return found


GRADERS = _graders()


@pytest.fixture
def ground(grader: str) -> Iterator[Path]:
    """A folder of the grader that everybody can enter."""
    folder = Path(tempfile.mkdtemp(prefix="zermelo-hostile-", dir="/tmp"))
    try:
        folder.chmod(0o755)
        if grader == "user" and os.geteuid() == 0:
            os.chown(folder, NOBODY, NOBODY)
        _run(grader, folder, str(folder), "--ground")
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(grader: str, folder: Path, *arguments: str) -> str:
    packages = [path for path in sys.path if path.endswith("-packages")]
    environment = {
        "PATH": os.defpath,
        "HOME": str(folder),
        "PYTHONPATH": os.pathsep.join([str(Path(zermelo.__file__).parents[1]), *packages]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [*GRADERS[grader], str(GRADER), *arguments]
    done = subprocess.run(command, env=environment, cwd="/", capture_output=True, text=True, timeout=900)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("host", ["exercise", "agent"])
@pytest.mark.parametrize("grader", GRADERS)
def test_hostile_programs(ground: Path, grader: str, host: str, group: str, record_property: Any) -> None:
    table = {program.name: program for program in getattr(programs, group)}
    *results, summary = map(
        json.loads, _run(grader, ground, str(ground), host, group, "--seed", "314159265").splitlines()
    )
    assert len(results) == sum(program.host in ("both", host) for program in table.values())
    wrong = []
    counts = RUNS.setdefault(group, Counter())
    counts.update({
        "programs": len(results),
        "files made or changed": len(summary["changed"]) + len(summary["left"]),
        "signals delivered": not summary["canary"],
        "processes left": len(remaining(str(ground), 20)),
        "classes stopped": summary["next"] != "nothing",
    })  # fmt: skip
    for result in results:
        program = table[result["name"]]
        is_open = result["end"] == "breach" and program.wall is not None and program.wall not in result["walls"]
        end = f"not kept out: no limit {program.wall!r} here" if is_open else result["end"]
        record_property("hostile", [grader, host, program.name, end, result["text"]])
        counts["got through"] += end == "breach"
        counts["reads outside the list"] += end == "breach" and group == "READS"
        ENDS[end] += 1
        if not is_open and (result["end"] not in program.ends or result["points"]):
            wrong.append((program.name, result["end"], result["text"], result["points"]))
    assert not wrong
    assert not remaining(str(ground), 20)
    assert summary["canary"], "a signal arrived"
    assert not summary["changed"]
    assert not summary["left"]
    assert summary["next"] == "nothing"


def test_totals(record_property: Any) -> None:
    """One line for each group, and the totals of all that ran in this process."""
    total: Counter[str] = Counter()
    for group, counts in RUNS.items():
        record_property("measured", f"{group.lower():9}: " + _counts(counts))
        total.update(counts)
    if not total:
        pytest.skip("no hostile programs ran in this process")
    users = f"{len(GRADERS)} ways to run the grader ({'; '.join(GRADERS)})"
    record_property("measured", f"{'all':9}: {_counts(total)}; {users}")
    record_property("measured", f"{'ends':9}: " + ", ".join(f"{count} {end}" for end, count in ENDS.most_common()))
    assert not any(total[name] for name in total if name != "programs")


def _counts(counts: Counter[str]) -> str:
    return ", ".join(f"{counts[name]} {name}" for name in COLUMNS)


# ---- marks without searching ------------------------------------------------------------------------------------

#: Share of all marks that a program may earn which does not compare values.
MAX_SHARE = 0.3
_VISIT = (
    "def visit(state, depth):\n        if game.is_over(state) or not depth: return [game.evaluate(state)]\n"
    "        return [leaf for move in game.moves(state) for leaf in visit(game.play(state, move), depth - 1)]\n    "
)
#: Programs that do not search. `{known}` are records of the cases of another seed: from the depth, the number of moves
#: and the text of the root to the states of the right search, its value and its move.
CHEATERS = {
    "zero": "return 0, 0",
    "the evaluation of the root": "return game.evaluate(state), 0",
    "a guess": "return {{2: 3, 3: 5}}.get(len(game.moves(state)), 0), 0",
    "a forged answer": 'shout(\'["answer", {{"value": 3, "move": 0}}]\' + chr(10)); os._exit(0)',
    "all states in order": (
        "def visit(state):\n        if not game.is_over(state):\n"
        "            for move in game.moves(state): visit(game.play(state, move))\n"
        "    visit(state)\n    return 0, 0"
    ),
    "all states to the depth, and the evaluation of the root": (
        _VISIT + "visit(state, depth); return game.evaluate(state)"
    ),
    "all states to the depth, and the median leaf": (
        _VISIT + "leaves = sorted(visit(state, depth)); return leaves[(len(leaves) - 1) // 2]"
    ),
    "all states to the depth, and the best of the worst leaves of each move": (
        _VISIT + "choose, worst = (min, max) if game.to_move(state) == game.MIN else (max, min)\n"
        "    if game.is_over(state) or not depth: return game.evaluate(state)\n"
        "    return choose([worst(visit(game.play(state, move), depth - 1)) for move in game.moves(state)])"
    ),
    "the first line of moves": (
        "while depth and not game.is_over(state): state, depth = game.play(state, 0), depth - 1\n"
        "    return game.evaluate(state), 0"
    ),
    "recorded searches": (
        "KNOWN = {known}\n    key = f'{{depth}} {{game.is_over(state)}} {{len(game.moves(state))}} {{state}}'\n"
        "    path, value, move = KNOWN.get(key, ([], 0, 0))\n    states = {{(): state}}\n"
        "    for moves in map(tuple, path):\n"
        "        if moves and moves[:-1] in states and moves[-1] in game.moves(states[moves[:-1]]):\n"
        "            states[moves] = game.play(states[moves[:-1]], moves[-1])\n"
        "        if moves in states: game.is_over(states[moves])\n    return value, move"
    ),
}


@pytest.mark.parametrize("name", CHEATERS)
@pytest.mark.parametrize("function", ["alphabeta", "minimax"])
def test_marks_without_searching(tmp_path: Path, function: str, name: str, record_property: Any) -> None:
    body = CHEATERS[name].format(known=_recorded(function, seed=0))
    (tmp_path / "cheater.py").write_text(f"{programs.PRELUDE}\ndef {function}(game, state, depth):\n    {body}\n")
    reports = [check(tmp_path / "cheater.py", seed=seed, limits=ScriptLimits(5)) for seed in (1, 2)]
    shares = [report.points / report.max_points for report in reports]
    record_property("measured", f"marks without searching, {function}, {name}: at most {max(shares):.0%}")
    assert max(shares) <= MAX_SHARE, [[result.points for result in report.results] for report in reports]
    if name == "recorded searches":  # they are right where the program knows the case, and wrong in its variants
        report = check(tmp_path / "cheater.py", seed=0, limits=ScriptLimits(5))
        assert sum(result.is_value_found for result in report.results) >= 15
        assert report.points / report.max_points <= MAX_SHARE


def _recorded(function: str, seed: int) -> dict[str, tuple[list[list[int]], float, int | None]]:
    known = {}
    for case in make_cases(seed, 20, Convention.of(function)):
        nodes, paths = case.tree.nodes, {0: list[int]()}
        for node in nodes[1:]:
            paths[node.index] = [*paths[node.parent], nodes[node.parent].children.index(node.index)]
        root = nodes[0]
        key = f"{case.depth} {root.player is None} {len(root.children)} {root.state[:1000] or root.id}"
        best = case.best[0] if case.best else None
        known[key] = ([paths[index] for index in case.searched], float(case.value), best)
    return known
