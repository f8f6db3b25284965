"""Machines that lack something: a home directory, standard streams, memory, a folder that can be written to.

A command works, or it says in one line what is missing. It never ends with an internal error.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the machines are made by Linux's tools")

PROGRAM = [sys.executable, "-c", "import sys; from zermelo.cli import main; sys.exit(main())"]
NOBODY = "setpriv --reuid=12345 --regid=12345 --clear-groups"
LONG = "/" + 5000 * "x"
# Makes the file system of this folder, and the root's, read-only for the command that follows.
READ_ONLY = 'mount -o remount,bind,ro / && { mountpoint -q /tmp && mount -o remount,bind,ro /tmp; exec "$@"; }'

# How the command starts, its environment, and its redirections.
MACHINES: dict[str, tuple[str, dict[str, str], str]] = {
    "closed input": ("", {}, "<&-"),
    "closed output": ("", {}, ">&-"),
    "closed errors": ("", {}, "2>&-"),
    "all streams closed": ("", {}, "<&- >&- 2>&-"),
    "full output": ("", {}, ">/dev/full"),
    "full streams": ("", {}, ">/dev/full 2>/dev/full"),
    "no home": (NOBODY, {"HOME": "", "ZERMELO_CACHE_DIR": "", "ZERMELO_RUNS_DIR": ""}, ""),
    "folders that cannot be made": (
        "",
        {"HOME": "/proc", "TMPDIR": "/proc", "ZERMELO_CACHE_DIR": "/proc/x", "ZERMELO_RUNS_DIR": "/proc/x"},
        "",
    ),
    "long paths": ("", {"HOME": LONG, "TMPDIR": LONG, "ZERMELO_CACHE_DIR": LONG, "ZERMELO_RUNS_DIR": LONG}, ""),
    "300 MB": ("prlimit --as=300000000", {}, ""),
    "400 MB": ("prlimit --as=400000000", {}, ""),
    "500 MB": ("prlimit --as=500000000", {}, ""),
    "600 MB": ("prlimit --as=600000000", {}, ""),
    "12 files": ("prlimit --nofile=12", {}, ""),
    "no file may grow": ("prlimit --fsize=0", {}, ""),
    "one process": (f"prlimit --nproc=1 {NOBODY}", {}, ""),
    "read-only disk": (f"unshare --mount sh -c {shlex.quote(READ_ONLY)} sh", {}, ""),
    "C locale": ("", {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}, ""),
}
COMMON = ("all streams closed", "no home", "500 MB", "one process", "read-only disk")  # the others run nightly
LIGHT = [
    "--version",
    "show tictactoe",
    "cache show",
    "resume",
    "tree trace [[3,12],[2,4]]",
    "match tictactoe random random --games 2 --workers 0",
    "convert tictactoe - --from moves --to json",
    f"show tictactoe -o {LONG}.svg",
]
MORE = [
    "games",
    "analyse tictactoe --algorithm minimax --depth 2",
    "perft tictactoe 2",
    "tree draw [[3,12],[2,4]] -o out.svg",
    "tree draw [[3,12],[2,4]] -o out.png",
    "exercise new --seed 1",
    "exercise check program.py --cases 1",
    "learn tictactoe positions --games 1 --out out.csv --depth 1 --workers 0",
    "match tictactoe random random --games 2 --workers 2",
    "match tictactoe engine:depth=2,table=1M random --games 2 --workers 0",
    "analyse tictactoe --depth 2",
    "league .",
    "sandbox",
    "new my_game",
    "uci",
]


def run(machine: str, words: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command on one of the machines."""
    start, variables, redirections = MACHINES[machine]
    line = " ".join([start, *map(shlex.quote, [*PROGRAM, *words.split()]), redirections])
    home = {"HOME": str(folder), "ZERMELO_RUNS_DIR": str(folder / "runs")}
    environment = {**os.environ, **home, **variables}
    environment = {name: value for name, value in environment.items() if value and name != "ZERMELO_TRACE"}
    return subprocess.run(
        ["bash", "-c", line], cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )


def check(machine: str, words: str, done: subprocess.CompletedProcess[str]) -> None:
    """Assert that a command worked or said in one line what is missing."""
    where = f"{machine}: {words}: exit code {done.returncode}: {done.stderr}"
    assert done.returncode in (0, 1, 2), where
    assert "internal error" not in done.stderr, where
    assert "Traceback" not in done.stderr, where
    if done.returncode:
        closed = "errors" in machine or "streams" in machine
        said = [line for line in done.stderr.splitlines() if not line.endswith("...")]  # not "compiling ..."
        assert len(said) == (0 if closed else 1), where


def require(machine: str) -> None:
    """Skip the test if the machine cannot be made here."""
    start = MACHINES[machine][0]
    if NOBODY in start and os.getuid() != 0:
        pytest.skip("only root can become another user")
    if "unshare" in start and subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode:
        pytest.skip("only root may have mounts of its own")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that everybody can enter and write to."""
    for each in (tmp_path, *tmp_path.parents[:2]):
        try:
            each.chmod(0o755)
        except PermissionError:
            break
    tmp_path.chmod(0o777)
    (tmp_path / "program.py").write_text("def minimax(game, state, depth):\n    return 0, None\n")
    return tmp_path


@pytest.mark.parametrize(
    "machine",
    [pytest.param(name, marks=pytest.mark.long if name in COMMON else pytest.mark.nightly) for name in MACHINES],
)
def test_light_commands(machine: str, folder: Path) -> None:
    require(machine)
    for words in LIGHT:
        check(machine, words, run(machine, words, folder))


@pytest.mark.long
@pytest.mark.parametrize("megabytes", [400, 450, 500, 600])
def test_too_little_memory_to_compile(megabytes: int, folder: Path) -> None:
    """LLVM without memory aborts, or waits forever. It is not asked."""
    line = ["prlimit", f"--as={megabytes * 1_000_000}", *PROGRAM, "analyse", "connect4", "--depth", "1"]
    environment = {**os.environ, "ZERMELO_CACHE_DIR": str(folder / "cache")}
    done = subprocess.run(line, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert done.stderr.count("\n") == 1
    if megabytes == 400 and done.returncode == 1:  # with some versions of the dependencies, imports need more
        assert done.stderr == "zermelo: out of memory\n"
        return
    assert done.returncode == 2, done
    assert re.match(r"zermelo: (loading the compiled|compiling) ConnectFour needs \d+ MB of address space", done.stderr)


@pytest.mark.nightly
@pytest.mark.parametrize("machine", MACHINES)
def test_all_commands(machine: str, folder: Path) -> None:
    require(machine)
    for words in MORE:
        check(machine, words, run(machine, words, folder))


def test_closed_output_is_an_error_and_no_file_takes_its_place(folder: Path) -> None:
    done = run("closed output", "--version", folder)
    assert (done.returncode, done.stderr) == (1, "zermelo: standard output: closed\n")


@pytest.mark.quick
def test_without_a_home_the_variables_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from zermelo._util.user_folders import user_folder
    from zermelo.errors import FileError

    def unknown() -> str:
        raise RuntimeError

    monkeypatch.delenv("ZERMELO_CACHE_DIR", raising=False)
    for usual in (unknown, lambda: "~/.cache/zermelo"):
        with pytest.raises(FileError, match=r"^this user has no home directory; set HOME or ZERMELO_CACHE_DIR"):
            user_folder("ZERMELO_CACHE_DIR", usual)
    monkeypatch.setenv("ZERMELO_CACHE_DIR", "chosen")
    assert user_folder("ZERMELO_CACHE_DIR", unknown) == Path("chosen")
