"""`zermelo sandbox` and `--require-sandbox`."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from zermelo.sandbox import restrictions, sandboxed_script
from zermelo.sandbox.restrictions import RESTRICTIONS

SUPPORT = Path(__file__).parents[1] / "support"
RIGHT = Path(__file__).parents[1] / "teaching" / "exercises" / "students" / "right_alphabeta.py"
linux = pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")


def test_each_restriction_is_listed(zermelo: Callable[..., Any]) -> None:
    out = zermelo("sandbox").out
    for restriction in RESTRICTIONS.values():
        assert restriction.label in out
        assert restriction.keeps_out in out


def test_as_json(zermelo: Callable[..., Any]) -> None:
    found = json.loads(zermelo("sandbox", "--json").out)
    assert found["restrictions"].keys() == RESTRICTIONS.keys()
    in_force = [name for name, each in found["restrictions"].items() if each["in_force"]]
    assert found["missing"] == restrictions.missing_restrictions(in_force)


@linux
@pytest.mark.parametrize("missing", ["landlock", "namespaces"])
def test_a_missing_restriction_is_shown_and_refuses_to_run(
    zermelo: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, missing: str
) -> None:
    monkeypatch.setattr(sandboxed_script, "_LIMITS_SCRIPT", SUPPORT / f"limits_without_{missing}.py")
    label = RESTRICTIONS["reading" if missing == "landlock" else "namespace"].label
    lines = zermelo("sandbox").out.splitlines()
    assert [line for line in lines if label in line and " no " in line]
    (tmp_path / "agent.py").write_text("def choose(state): return next(state.moves())")
    agent = f"python:{tmp_path / 'agent.py'}"
    for words in (
        ("exercise", "check", str(tmp_path)),
        ("match", "tictactoe", agent, "random"),
        ("tournament", "tictactoe", agent, "random"),
        ("league", str(tmp_path)),
        ("resume", "none.zermelo"),
    ):
        refused = zermelo(*words, "--require-sandbox")
        assert refused.code == 2
        assert len(refused.err.splitlines()) == 1
        assert "--require-sandbox: not in force on this machine" in refused.err
        assert label in refused.err
    assert [path.name for path in tmp_path.iterdir()] == ["agent.py"]


#: What containers refuse: error number, system calls (x86-64), and the restrictions that cannot hold then.
CONTAINERS = {
    "no Landlock": (38, "444,445,446", {"reading"}),
    "Landlock made, but not applied": (1, "446", {"reading"}),
    "no namespaces and mounts": (1, "272,165,308", {"namespace"}),
    "no resource limits": (1, "302,160", {"memory", "files"}),
    "no change of user": (1, "105,106,113,114,116,117,119", {"user"}),
    "no setuid alone": (1, "105", {"user"}),
    "no filter": (1, "157", {"calls", "signals", "deleting", "with parent"}),
}


@linux
@pytest.mark.long
@pytest.mark.skipif(platform.machine() != "x86_64", reason="numbers of x86-64")
@pytest.mark.parametrize("container", CONTAINERS)
def test_containers(tmp_path: Path, container: str) -> None:
    """Only what cannot hold is reported as missing, programs still run, and a class that needs all is refused."""
    errno, calls, lost = CONTAINERS[container]
    if hasattr(os, "geteuid") and os.geteuid() != 0:
        lost -= {"user"}
    usual = set(restrictions.restrictions_in_force())

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-c", "import sys; from zermelo.cli import main; sys.exit(main())", *words]
        refusing = [sys.executable, str(SUPPORT / "refused_calls.py"), str(errno), calls]
        return subprocess.run([*refusing, *command], capture_output=True, text=True, timeout=120, check=False)

    found = json.loads(run("sandbox", "--json").stdout)
    in_force = {name for name, each in found["restrictions"].items() if each["in_force"]}
    assert in_force == usual - lost
    (tmp_path / "right.py").write_text(RIGHT.read_text())
    checked = json.loads(run("exercise", "check", str(tmp_path / "right.py"), "--cases", "1", "--json").stdout)
    assert checked["programs"][0]["points"] == 5
    if lost:
        refused = run("exercise", "check", str(tmp_path / "right.py"), "--cases", "1", "--require-sandbox")
        assert refused.returncode == 2
        assert refused.stderr.startswith("zermelo: --require-sandbox: not in force on this machine: ")
        assert all(RESTRICTIONS[name].without in run("sandbox").stdout for name in lost)


@linux
def test_a_class_runs_with_all_restrictions(
    zermelo: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(restrictions, "restrictions_in_force", lambda: list(RESTRICTIONS))
    (tmp_path / "agent.py").write_text("def choose(state): return next(state.moves())")
    store = str(tmp_path / "games.zermelo")
    agent = f"python:{tmp_path / 'agent.py'}"
    options = ("--games", "2", "--store", store, "--workers", "0", "--quiet", "--require-sandbox")
    assert zermelo("match", "tictactoe", agent, "random", *options).code == 0
