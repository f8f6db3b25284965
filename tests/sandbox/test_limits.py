"""What a script in the sandbox can read and reach, and that a limit is reported only where it holds."""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import zermelo
from zermelo.sandbox import sandboxed_script
from zermelo.sandbox.messages import array, text
from zermelo.sandbox.sandboxed_script import SandboxedScript, ScriptLimits

SUPPORT = Path(__file__).parents[1] / "support"
linux = pytest.mark.skipif(sys.platform != "linux", reason="limits of Linux")
pytestmark = linux
# System calls of x86-64: mount and landlock_create_ruleset.
MOUNT_AND_LANDLOCK = "165,444"

RESULTS = {"results": (array(text(200), 200),)}
#: Sends what each expression of the list `codes` gives, or the name of its error.
ATTEMPTS = """
from __main__ import channel
import ctypes, os, struct, sys
library = ctypes.CDLL(None, use_errno=True)
def attempt(code):
    try:
        return repr(eval(code))[:200]
    except Exception as error:
        return type(error).__name__
channel.send("results", [attempt(code) for code in {codes!r}])
"""


def attempt(tmp_path: Path, *codes: str) -> tuple[list[Any], list[str]]:
    """Run expressions in the sandbox; return their results and the limits in force."""
    script = tmp_path / "script.py"
    script.write_text(ATTEMPTS.format(codes=codes))
    with SandboxedScript(script, ScriptLimits(seconds=20), RESULTS) as sandboxed:
        results = sandboxed.receive()
    assert results is not None, sandboxed.output
    return results[1], sandboxed.enforced


def test_nothing_is_readable_but_the_standard_library(tmp_path: Path) -> None:
    """Whoever runs it: also as root with Python in root's home, where a capability for reading is kept."""
    secret = tmp_path / "secret"
    secret.write_text("solution")
    tmp_path.chmod(0o777)
    secret.chmod(0o666)
    paths = [
        str(secret),
        str(tmp_path),
        "/etc/shadow",
        "/etc/passwd",
        "/proc/self/cmdline",
        f"/proc/{os.getpid()}/cmdline",
        "/proc",
        os.path.expanduser("~"),
        tempfile.gettempdir(),
        ".",
        "..",
        str(zermelo.__file__),
        str(np.__file__),
        os.path.join(sysconfig.get_path("platlib"), "numpy", "__init__.py"),
        __file__,
    ]
    results, enforced = attempt(tmp_path, *(f"os.open({path!r}, 0)" for path in paths if os.path.exists(path)))
    if "reading" not in enforced:
        pytest.skip("no Landlock")
    assert set(results) == {"PermissionError"}


def test_the_standard_library_can_be_imported(tmp_path: Path) -> None:
    """All extension modules that load outside the sandbox, with the shared libraries that they need."""
    code = (
        "import os, sys, importlib\nfound = []\n"
        "for name in sorted({n.partition('.')[0] for f in sys.path if 'dynload' in f for n in os.listdir(f)}):\n"
        "    try: importlib.import_module(name); found.append(name)\n"
        "    except ImportError: pass\n"
    )
    outside = subprocess.run([sys.executable, "-I", "-S", "-c", code + "print(found)"], capture_output=True, text=True)
    script = tmp_path / "script.py"
    script.write_text("from __main__ import channel\n" + code + "channel.send('results', found)")
    with SandboxedScript(script, ScriptLimits(seconds=30), RESULTS) as sandboxed:
        _, found = sandboxed.receive()
    assert str(found) == outside.stdout.strip()
    assert {"_ssl", "_ctypes"} <= set(found) or len(found) > 20


def test_signals_locks_sockets_and_queues_are_refused(tmp_path: Path) -> None:
    """Calls that a list of refused ones had forgotten."""
    results, enforced = attempt(
        tmp_path,
        f"__import__('fcntl').fcntl(0, 8, {os.getpid()})",  # F_SETOWN: whom to send signals
        "__import__('fcntl').fcntl(0, 10, 9)",  # F_SETSIG
        "__import__('fcntl').fcntl(0, 4, 0o20000)",  # F_SETFL O_ASYNC
        "__import__('fcntl').lockf(0, 1)",
        "__import__('fcntl').flock(0, 1)",
        "__import__('socket').socketpair()",
        "os.memfd_create('x')",
        "os.chdir('/')",
        "os.sched_setaffinity(0, [0])",
        "os.setpriority(0, 0, 19)",
    )
    if "calls" not in enforced:
        pytest.skip("no system call filter")
    assert set(results) == {"PermissionError"}
    results, _ = attempt(
        tmp_path,
        *(f"(library.{name}, ctypes.get_errno())" for name in ("msgget(0, 0o1600)", "semget(0, 1, 0o1600)")),
        "(library.mq_open(b'/x', 0o102, 0o600, None), ctypes.get_errno())",
        "(library.syscall(425, 8, None), ctypes.get_errno())",  # io_uring_setup
    )
    assert set(results) == {"(-1, 1)"}


def test_processes_outside_cannot_be_seen(tmp_path: Path) -> None:
    results, enforced = attempt(tmp_path, "os.getpid(), os.getppid()")
    if "namespace" not in enforced:
        pytest.skip("no process namespaces")
    assert results == ["(1, 0)"]


def test_the_end_of_a_script_in_a_namespace_is_described(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    for code, end in (
        ("import os; os._exit(3)", "exited with code 3 without an answer"),
        ("import ctypes; ctypes.string_at(0)", "killed by signal 11 (SIGSEGV) without an answer"),
    ):
        script.write_text(code)
        with SandboxedScript(script, ScriptLimits(seconds=20), RESULTS) as sandboxed:
            assert sandboxed.receive() is None
        assert sandboxed.failure == end


@pytest.mark.parametrize(("missing", "limit"), [("landlock", "reading"), ("namespaces", "namespace")])
def test_a_missing_limit_is_not_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, missing: str, limit: str
) -> None:
    _, usual = attempt(tmp_path, "0")
    monkeypatch.setattr(sandboxed_script, "_LIMITS_SCRIPT", SUPPORT / f"limits_without_{missing}.py")
    (opened,), enforced = attempt(tmp_path, "os.open('/', 0) > 0")
    assert set(enforced) == set(usual) - {limit}
    assert opened == ("PermissionError" if "reading" in enforced else "True")


def test_no_capability_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As root, with Python in root's home or not: without Landlock, a program still reads no file of root."""
    if os.geteuid() != 0:
        pytest.skip("not root")
    monkeypatch.setattr(sandboxed_script, "_LIMITS_SCRIPT", SUPPORT / "limits_without_landlock.py")
    (tmp_path / "secret").write_text("solution")
    (tmp_path / "secret").chmod(0o600)
    results, enforced = attempt(
        tmp_path, "os.getuid() > 0", "os.open('/etc/shadow', 0)", f"os.open({str(tmp_path / 'secret')!r}, 0)"
    )
    if "user" not in enforced:
        pytest.skip("the system does not allow a change of user")
    assert results == ["True", "PermissionError", "PermissionError"]


#: Runs a script in the sandbox; prints its results and the limits in force.
REPORT = """
import json, sys; from pathlib import Path
if sys.version_info < (3, 11): sys.exit(77)
from zermelo.sandbox.messages import array, text
from zermelo.sandbox.sandboxed_script import SandboxedScript, ScriptLimits
shapes = {'results': (array(text(200), 200),)}
with SandboxedScript(Path(sys.argv[1]), ScriptLimits(), shapes) as script:
    print(json.dumps([script.receive()[1], script.enforced]))
"""


def test_a_capability_that_must_be_kept_is_reported(tmp_path: Path) -> None:
    """Without Landlock and mounts, Python in root's home needs the right to read all files of root."""
    if os.geteuid() != 0 or platform.machine() != "x86_64":
        pytest.skip("not root on x86-64")
    secret, script = tmp_path / "secret", tmp_path / "script.py"
    secret.write_text("solution")
    secret.chmod(0o600)
    script.write_text(ATTEMPTS.format(codes=[f"os.open({str(secret)!r}, 0) > 0"]))
    refusing = [sys.executable, str(SUPPORT / "refused_calls.py"), "1", MOUNT_AND_LANDLOCK]
    done = subprocess.run([*refusing, sys.executable, "-c", REPORT, str(script)], capture_output=True, text=True)
    (opened,), enforced = json.loads(done.stdout)
    assert "reading" not in enforced
    assert opened == ("PermissionError" if "user" in enforced else "True")
    is_in_closed_folder = any(not folder.stat().st_mode & 0o001 for folder in Path(os.__file__).resolve().parents)
    assert ("user" in enforced) == (not is_in_closed_folder)


@pytest.mark.long
def test_an_ordinary_user_is_protected_as_root_is(tmp_path: Path) -> None:
    """Root's test runs a sandbox as the user `nobody`; other users run all tests as they are."""
    system_python = "/usr/bin/python3"
    if os.geteuid() != 0 or not os.access(system_python, os.X_OK):
        pytest.skip("not root, or no Python that everyone can run")
    folder = Path(tempfile.mkdtemp())  # `tmp_path` is closed to others
    try:
        shutil.copytree(Path(zermelo.__file__).parent, folder / "zermelo")
        (folder / "script.py").write_text(ATTEMPTS.format(codes=[f"os.open({str(folder)!r}, 0)", "os.open('/', 0)"]))
        (folder / "main.py").write_text(REPORT)
        for path in (folder, *folder.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        command = [system_python, "-B", str(folder / "main.py"), str(folder / "script.py")]
        done = subprocess.run(command, capture_output=True, text=True, user=65534, group=65534, extra_groups=[])
    finally:
        shutil.rmtree(folder)
    if done.returncode == 77:
        pytest.skip("the system's Python is too old")
    _, usual = attempt(tmp_path, "0")
    assert done.stderr == ""
    results, enforced = json.loads(done.stdout)
    assert set(enforced) == set(usual) - {"user"}
    if "reading" in usual:
        assert results == ["PermissionError", "PermissionError"]
