"""Ctrl-C in processes of their own: the best move so far, at once, and code 130."""

from __future__ import annotations

import json
import os
import re
import select
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path
from textwrap import indent
from typing import NamedTuple

import pytest

from zermelo.arena.store import Store

pytestmark = pytest.mark.skipif(os.name != "posix", reason="sends SIGINT as a terminal does, to a terminal's process")

# The commands would run for a minute and longer. How fast they end is measured by test_interrupts.py, on a machine that
# does nothing else.
PATIENCE = 15.0
# Seconds after which a command hangs: the first one compiles, which takes a minute on a busy machine.
LONGEST = 300.0


class Ended(NamedTuple):
    """How a process ended: its code, what it wrote, and how long that took after the signal."""

    code: int
    out: str
    shown: str
    seconds: float


Interrupt = Callable[..., Ended]


@pytest.fixture
def interrupt(program: list[str], environment: dict[str, str]) -> Interrupt:
    """Run a command whose standard error is a terminal; send SIGINT as soon as `ready` says so of what it wrote."""
    import pty

    def run(*words: str, ready: Callable[[str], object]) -> Ended:
        # As a shell starts it, whatever the tests were started by.
        code = f"import signal; signal.signal(signal.SIGINT, signal.default_int_handler); {program[2]}"
        terminal, end = pty.openpty()
        running = subprocess.Popen(
            [program[0], "-c", code, *words],
            env={**environment, "TERM": "xterm"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=end,
        )
        os.close(end)
        try:
            return watched(running, terminal, ready)
        finally:
            running.kill()
            running.wait()
            for opened in (running.stdin, running.stdout):
                assert opened is not None
                opened.close()
            os.close(terminal)

    return run


def watched(running: subprocess.Popen[bytes], terminal: int, ready: Callable[[str], object]) -> Ended:
    """What a process writes until it ends, having been interrupted when it was ready."""
    assert running.stdout is not None
    texts = {running.stdout.fileno(): b"", terminal: b""}
    still = set(texts)
    sent = 0.0
    began = time.monotonic()
    while still:
        assert time.monotonic() - began < LONGEST, f"it was never ready or did not end: {list(texts.values())!r:.5000}"
        for source in select.select(still, [], [], 0.05)[0]:
            try:
                read = os.read(source, 65536)
            except OSError:  # a terminal whose other end is closed
                read = b""
            texts[source] += read
            if not read:
                still.remove(source)
        if not sent and ready(plain(b"".join(texts.values()))):
            sent = time.monotonic()
            running.send_signal(signal.SIGINT)
    out, shown = (text.decode() for text in texts.values())
    return Ended(running.wait(10), out, shown, time.monotonic() - sent)


def plain(text: bytes) -> str:
    """Without what moves the cursor and sets colours."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text.decode("utf-8", "replace"))


def assert_clean(ended: Ended) -> None:
    assert ended.code == 130
    assert ended.seconds < PATIENCE
    assert "Traceback" not in ended.shown
    assert "mistake" not in ended.shown
    if "\x1b[?25l" in ended.shown:  # the cursor was hidden
        assert ended.shown.rindex("\x1b[?25h") > ended.shown.rindex("\x1b[?25l")


def nodes_shown(text: str) -> int:
    """The last count of nodes on the display."""
    counts = re.findall(r"([\d,]+) nodes", text)
    return int(counts[-1].replace(",", "")) if counts else 0


def test_a_search_tells_its_best_move(interrupt: Interrupt) -> None:
    ended = interrupt(
        "analyse",
        "connect4",
        "--seconds",
        "90",
        "--threads",
        "2",
        "--json",
        ready=lambda text: nodes_shown(text) > 1000,
    )
    assert_clean(ended)
    found = json.loads(ended.out)
    assert (found["reason"], found["best"]) == ("interrupted", found["line"][0])
    assert found["depth"] >= 1
    assert "━" in ended.shown  # time, as a bar


def test_the_same_in_words(interrupt: Interrupt) -> None:
    ended = interrupt("analyse", "connect4", "--seconds", "90", ready=lambda text: nodes_shown(text) > 1000)
    assert_clean(ended)
    assert re.search(r"  best     \d\n  score    .*\n  line     .*\n  depth    .*: interrupted\n", ended.out)


@pytest.mark.long
def test_an_interpreted_search_tells_what_it_knows(interrupt: Interrupt) -> None:
    """Each of seven root moves takes 137,256 states: after more than that, the first of them is known."""
    words = ["analyse", "connect4", "--algorithm", "minimax", "--no-compiled", "--depth", "7", "--json"]
    ended = interrupt(*words, ready=lambda text: nodes_shown(text) > 150_000)
    assert_clean(ended)
    found = json.loads(ended.out)
    assert (found["reason"], found["value"], found["depth"]) == ("interrupted", None, 0)
    assert 1 <= found["root_moves"] < 7


def test_an_interpreted_search_that_knows_nothing_says_so(interrupt: Interrupt) -> None:
    words = ["analyse", "connect4", "--algorithm", "minimax", "--no-compiled", "--depth", "9"]
    ended = interrupt(*words, ready=lambda text: nodes_shown(text) > 100)
    assert_clean(ended)
    assert ended.out == ""
    assert "zermelo: interrupted before the first root move was searched" in ended.shown


@pytest.mark.long
def test_a_compiled_textbook_search_says_so_too(interrupt: Interrupt) -> None:
    words = ["analyse", "connect4", "--algorithm", "alphabeta", "--depth", "30"]
    ended = interrupt(*words, ready=lambda text: re.search(r"alphabeta, compiled  [\d.]+ s", text))
    assert_clean(ended)
    assert ended.out == ""
    assert "zermelo: interrupted; compiled alphabeta has no result before its end" in ended.shown


def test_compiling_is_ended(interrupt: Interrupt, environment: dict[str, str], tmp_path: Path) -> None:
    """Solving noted Ctrl-C and went on compiling, for half a minute."""
    environment["ZERMELO_CACHE_DIR"] = str(tmp_path / "cache")
    ended = interrupt("solve", "othello", ready=lambda text: "compiling" in text)
    assert_clean(ended)
    assert not [*(tmp_path / "cache").glob("*.bin")]  # what was compiled to its end would be here


def test_a_game_is_left(interrupt: Interrupt) -> None:
    ended = interrupt("play", "connect4", ready=lambda text: "> " in text)
    assert_clean(ended)
    command = 'zermelo play connect4 "' + "/".join(["-------"] * 6) + '"'
    assert ended.out.endswith(f"  left the game; continue with: {command}\n")


@pytest.mark.long
def test_a_count_is_ended(interrupt: Interrupt) -> None:
    ended = interrupt("perft", "connect4", "30", ready=lambda text: re.search(r"counting  [2-9]\.\d+ s", text))
    assert_clean(ended)
    assert ended.out == ""
    assert ended.shown.rstrip().endswith("zermelo: interrupted")


def test_finished_programs_are_kept(interrupt: Interrupt, tmp_path: Path) -> None:
    for name, text in (("a", "return 3"), ("b", "while True: pass"), ("c", "return 3")):
        (tmp_path / f"{name}.py").write_text(f"def minimax(game, state, depth):\n    {text}\n")
    table = tmp_path / "class.csv"
    words = ["exercise", "check", str(tmp_path), "--cases", "1", "--seconds", "90", "--csv", str(table)]
    ended = interrupt(*words, ready=lambda text: "b.py (2 of 3)" in text)
    assert_clean(ended)
    assert "zermelo: interrupted; 2 programs not checked" in ended.shown
    assert "programs   1" in ended.out
    assert len(table.read_text().splitlines()) == 2


@pytest.mark.long
def test_solved_positions_are_kept(interrupt: Interrupt, tmp_path: Path) -> None:
    """The second position, 60 empty squares, takes years."""
    file, saved = tmp_path / "two.obf", tmp_path / "saved.jsonl"
    solved = "-XXXXXX---XOOOO--XOXXOOX-OOOOOOOOOOOXXOOOOOXXOOX--XXOO----XXXXX- X; a4:+10;"
    file.write_text(f"{solved}\n{'-' * 27}OX------XO{'-' * 27} X; 0;\n")
    words = ("solve", "othello", str(file), "--resume", str(saved), "--json")
    ended = interrupt(*words, ready=lambda text: "solving line 2" in text)
    assert_clean(ended)
    found = json.loads(ended.out)
    assert found["interrupted"]
    assert [each["agrees"] for each in found["results"]] == [True]
    assert len(saved.read_text().splitlines()) == 2


@pytest.mark.parametrize("seconds", [0.01, 0.0])
def test_ctrl_c_in_a_finalizer_is_not_lost(program: list[str], environment: dict[str, str], seconds: float) -> None:
    """Python ignores what a finalizer or a callback raises, and what the hook raises that it then calls."""
    code = f"""
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
import zermelo.cli, zermelo.cli.interrupts
zermelo.cli.interrupts._REPEAT_SECONDS = {seconds}
sys.setswitchinterval(0.005 if {seconds} else 1e-6)  # the interrupt is repeated before the hook has ended
class Finalized:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.001)
def command(arguments):
    Finalized()
    time.sleep(100)
zermelo.cli._run = command
sys.exit(zermelo.cli.main())
"""
    done = subprocess.run([program[0], "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "zermelo: interrupted\n")


def test_modules_of_llvm_are_not_freed_twice_after_ctrl_c(program: list[str], environment: dict[str, str]) -> None:
    """An interrupt came before the record of a module's new owner: the command ended with a segmentation fault."""
    code = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
import llvmlite.binding as llvm
import zermelo.cli
import zermelo.compiled._numba
def command(arguments):
    modules = [llvm.parse_assembly(f"@number{number} = global i32 {number}") for number in range(50)]
    doubles = [llvm.ModuleRef(module._ptr, module._context) for module in modules]
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(100)
zermelo.cli._run = command
sys.exit(zermelo.cli.main())
"""
    done = subprocess.run([program[0], "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "zermelo: interrupted\n")


def run_with_modules(
    program: list[str], environment: dict[str, str], folder: Path, body: str, before: str = ""
) -> tuple[int, str]:
    """Exit code and standard error of a command with this body. The modules of the folder are an installed library."""
    code = f"""
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
import zermelo.cli, zermelo.cli.interrupts
{before}
sys.path.insert(0, {str(folder)!r})
sys.prefix = {str(folder)!r}
def command(arguments):
{indent(body, "    ")}
zermelo.cli._run = command
sys.exit(zermelo.cli.main())
"""
    done = subprocess.run(
        [program[0], "-c", code], env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    return done.returncode, done.stderr


def test_ctrl_c_in_an_import_comes_before_the_next_import(
    program: list[str], environment: dict[str, str], tmp_path: Path
) -> None:
    """A command begins with one import after another: between them there is hardly time for a signal."""
    (tmp_path / "first.py").write_text(
        "import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(0.1)\n"
    )
    (tmp_path / "second.py").write_text("import sys\nsys.stderr.write('too late\\n')\n")
    body, before = "import first\nimport second\n", "zermelo.cli.interrupts._REPEAT_SECONDS = 10.0"
    assert run_with_modules(program, environment, tmp_path, body, before) == (130, "zermelo: interrupted\n")


def test_ctrl_c_in_an_import_does_not_end_another_thread(
    program: list[str], environment: dict[str, str], tmp_path: Path
) -> None:
    """The thread that draws progress imported next: it ended with KeyboardInterrupt, and the command went on."""
    (tmp_path / "first.py").write_text(
        "import os, signal, threading\n"
        "def draw():\n    import second\n"
        "os.kill(os.getpid(), signal.SIGINT)\n"
        "drawing = threading.Thread(target=draw)\ndrawing.start()\ndrawing.join()\n"
    )
    (tmp_path / "second.py").write_text("import sys\nsys.stderr.write('drawn\\n')\n")
    ended = run_with_modules(program, environment, tmp_path, "import first\ntime.sleep(100)\n")
    assert ended == (130, "drawn\nzermelo: interrupted\n")


@pytest.mark.parametrize(
    ("swallowed", "seconds"), [("pass", 0.001), ("raise ImportError", 0.001), ("raise ImportError", 1.0)]
)
def test_ctrl_c_in_an_import_is_not_lost(
    program: list[str], environment: dict[str, str], tmp_path: Path, swallowed: str, seconds: float
) -> None:
    """Extension modules turn what an import raises into ImportError, which whoever imports them may ignore."""
    (tmp_path / "extension.py").write_text(
        f"import os, signal, time\ntry:\n    os.kill(os.getpid(), signal.SIGINT)\n    time.sleep({seconds})\n"
        f"except KeyboardInterrupt:\n    {swallowed}\n"
    )
    body = "try:\n    import extension\nexcept ImportError:\n    pass\ntime.sleep(100)\n"
    assert run_with_modules(program, environment, tmp_path, body) == (130, "zermelo: interrupted\n")


@pytest.mark.long
def test_ctrl_c_while_compiled_code_makes_its_result_is_not_lost(
    program: list[str], environment: dict[str, str]
) -> None:
    code = """
import os, signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
import zermelo.cli
import zermelo.compiled.values as values
from zermelo.compiled import native
def advance(state, move):
    return state.play(move), move
def command(arguments):
    state = zermelo.load("tictactoe").start()
    call = native(advance, state, 0)
    call(state, 0)
    find = values._find
    def interrupted(name):
        values._find = find
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(0.001)
        return find(name)
    values._find = interrupted
    call(state, 0)
    time.sleep(100)
zermelo.cli._run = command
sys.exit(zermelo.cli.main())
"""
    done = subprocess.run(
        [program[0], "-c", code], env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr.splitlines()[-1:]) == (130, ["zermelo: interrupted"])


def test_the_code_that_constructs_results_is_where_ctrl_c_expects_it() -> None:
    from numba.core import serialize

    from zermelo.cli.interrupts import MAKERS
    from zermelo.compiled import values, wide_bitboards
    from zermelo.core.bitboard import Bitboard

    makers = serialize._numba_unpickle, values._Maker.__call__, Bitboard.__new__, wide_bitboards._Maker.__call__
    codes = [each.__code__ for each in makers]  # type: ignore[attr-defined]
    assert {(os.path.basename(code.co_filename), code.co_name) for code in codes} == MAKERS


def test_ctrl_c_ends_an_import_that_never_ends(program: list[str], environment: dict[str, str], tmp_path: Path) -> None:
    game = tmp_path / "endless.py"
    game.write_text("import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nwhile True:\n    pass\n")
    done = subprocess.run(
        [*program, "show", f"{game}:Nim"], env=environment, capture_output=True, text=True, check=False, timeout=60
    )
    assert (done.returncode, done.stderr) == (130, "zermelo: interrupted\n")


@pytest.mark.parametrize("moment", ["zermelo.cli.encoding.make_printable", "zermelo.cli._run"])
def test_ctrl_c_before_and_after_the_command(program: list[str], environment: dict[str, str], moment: str) -> None:
    code = f"""
import os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)
import zermelo.cli, zermelo.cli.encoding
def interrupted(*arguments):
    os.kill(os.getpid(), signal.SIGINT)
{moment} = interrupted
sys.exit(zermelo.cli.main())
"""
    done = subprocess.run([program[0], "-c", code], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (130, "zermelo: interrupted\n")


@pytest.mark.long
def test_a_wait_for_a_lock_is_ended(interrupt: Interrupt, tmp_path: Path) -> None:
    """A match that waits for another program ends at the first Ctrl-C, and its store can be resumed."""
    store = tmp_path / "games.zermelo"
    words = ["match", "tictactoe", "random", "b=random", "--games", "100000", "--workers", "1", "--store", str(store)]
    with ExitStack() as locks:

        def is_waiting(text: str) -> bool:
            if "playing" in text and not locked:
                other = locks.enter_context(closing(sqlite3.connect(store, isolation_level=None, timeout=30)))
                other.execute("BEGIN IMMEDIATE")
                locked.append(other)
            return "waiting for it" in text

        locked: list[sqlite3.Connection] = []
        ended = interrupt(*words, ready=is_waiting)
    assert_clean(ended)
    with Store.open(store) as kept:
        assert len(kept.numbers()) == len(kept)


HALF_MADE = """
import signal, sys
import zermelo.cli

class Owner:
    def __init__(self):
        signal.raise_signal(signal.SIGINT)
        self.owned = 1

    def __del__(self):
        self.owned

zermelo.cli._run = lambda arguments: Owner()
sys.exit(zermelo.cli.main())
"""


def test_finalizers_of_half_made_objects_print_nothing(program: list[str], environment: dict[str, str]) -> None:
    """Objects of libraries, such as llvmlite's, expect in `__del__` what an interrupted constructor did not set."""
    ended = subprocess.run(
        [program[0], "-c", f"import signal; signal.signal(signal.SIGINT, signal.default_int_handler){HALF_MADE}"],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert (ended.returncode, ended.stderr) == (130, "zermelo: interrupted\n")
