"""External programs fail with the right reason, and none of their processes is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from cpu_usage import becomes_stopped, cpu_time, uses_cpu
from leftovers import alive, remaining, unique_mark

from zermelo.errors import LimitError
from zermelo.sandbox import program
from zermelo.sandbox.failure import ProgramFailure, Reason
from zermelo.sandbox.line_io import LineReader
from zermelo.sandbox.program import Program, ProgramLimits, join_lines

SUPPORT = Path(__file__).parents[1] / "support"
HOSTILE = str(SUPPORT / "hostile.py")
PLAIN_SUPERVISOR = SUPPORT / "plain_supervisor.py"
SMALL = ProgramLimits(start=60, memory=128 << 20, processor=1, output=1 << 17)

posix = pytest.mark.skipif(os.name != "posix", reason="POSIX processes")
linux = pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's /proc")


@pytest.fixture(params=["supervised", "plain", "unsupervised"])
def supervision(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With the supervisor, with one that has no process namespaces, and without any."""
    mode: str = request.param
    if mode == "plain":
        monkeypatch.setattr(program, "_SUPERVISOR", PLAIN_SUPERVISOR)
    if mode == "unsupervised":
        monkeypatch.setattr(program.sys, "executable", "")  # type: ignore[attr-defined]
    return mode


PYTHON = sys.executable


def reply_to_go(way: str, word: str, *, seconds: float = 60, limits: ProgramLimits = SMALL) -> str:
    """Ask the hostile program for a move and return its reply."""
    with Program([PYTHON, HOSTILE, "uci", way, word], limits) as engine:
        engine.send("uci")
        while engine.receive(60) != "uciok":
            pass
        engine.send("go")
        deadline = time.monotonic() + seconds
        while not (line := engine.receive(deadline - time.monotonic())).startswith("bestmove"):
            pass
        return line


def failure(way: str, word: str, **options: float) -> ProgramFailure:
    with pytest.raises(ProgramFailure) as raised:
        reply_to_go(way, word, **options)  # type: ignore[arg-type]
    return raised.value


# ---- programs that behave ----------------------------------------------------------------------------------------


def test_lines_are_sent_and_received(supervision: str) -> None:
    with Program(["cat"]) as cat:
        for line in ("position startpos", "", "Zug: König e8–e7", "x" * 60_000):
            cat.send(line)
            assert cat.receive(60) == line
        for number in range(1000):
            cat.send(str(number))
        assert [cat.receive(60) for _ in range(1000)] == [str(number) for number in range(1000)]
        cat.send("line with CR LF\r")
        assert cat.receive(60) == "line with CR LF"


def test_output_before_the_exit_is_received() -> None:
    with Program(["sh", "-c", "echo one; printf two"]) as shell:
        assert [shell.receive(60), shell.receive(60)] == ["one", "two"]
        with pytest.raises(ProgramFailure, match="sh: exited with code 0") as raised:
            shell.receive(60)
        assert raised.value.reason is Reason.CRASH
        with pytest.raises(ProgramFailure, match="exited with code 0"):
            shell.send("any line")


def test_folder_and_environment(tmp_path: Path) -> None:
    with Program(["sh", "-c", "pwd; echo $WORD$HOME"], None, str(tmp_path), {"WORD": "x", "PATH": os.defpath}) as shell:
        assert [shell.receive(60), shell.receive(60)] == [str(tmp_path), "x"]


def test_signal_handlers_are_restored() -> None:
    """Python ignores SIGPIPE; a program started by it should not."""
    with Program(["sh", "-c", "yes | head -n 1; echo over"]) as shell:
        assert [shell.receive(60), shell.receive(60)] == ["y", "over"]


def test_unread_standard_error_does_not_block() -> None:
    noise = "import sys\nfor line in sys.stdin: sys.stderr.write('noise\\n' * 20_000); print('done', flush=True)"
    with Program([PYTHON, "-c", noise]) as noisy:
        for _ in range(5):
            noisy.send("")
            assert noisy.receive(60) == "done"
        assert "noise" in noisy.last_lines
        assert "noise" in noisy.last_errors


@posix
def test_a_program_outlives_the_thread_that_started_it() -> None:
    started: list[Program] = []
    thread = threading.Thread(target=lambda: started.append(Program(["cat"]).__enter__()))
    thread.start()
    thread.join()
    time.sleep(0.3)
    try:
        started[0].send("still here")
        assert started[0].receive(60) == "still here"
    finally:
        started[0].close()


@linux
def test_no_files_or_threads_are_leaked() -> None:
    def resources() -> tuple[int, int]:
        return len(os.listdir("/proc/self/fd")), threading.active_count()

    with Program(["cat"]):
        pass
    before = resources()
    for number in range(10):
        with Program(["cat"]) as cat:
            if number % 2:
                cat.send("x")
        cat.close()
        with pytest.raises(ProgramFailure), Program(["there-is-no-such-program"]):
            pass
    assert resources() == before


# ---- failed starts ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        (["there-is-no-such-program", "x"], "there-is-no-such-program: program not found"),
        (["./there-is-none"], "./there-is-none: program not found"),
        ([__file__], "not an executable file"),
        ([], "the command is empty"),
        ([""], "the command is empty"),
    ],
)
def test_missing_programs(command: list[str], expected: str) -> None:
    with pytest.raises(ProgramFailure, match=expected) as raised, Program(command):
        pass
    assert raised.value.reason is Reason.NO_START


@posix
def test_a_file_that_cannot_be_executed(tmp_path: Path, supervision: str) -> None:
    (file := tmp_path / "engine").write_bytes(b"\x7fELF and nothing more")
    file.chmod(0o755)
    with pytest.raises(ProgramFailure, match="engine: ") as raised, Program([str(file)]) as engine:
        engine.receive(60)
    assert raised.value.reason is Reason.NO_START


def test_a_failed_start_quotes_the_last_output(supervision: str) -> None:
    with pytest.raises(ProgramFailure) as raised, Program([PYTHON, HOSTILE, "uci", "no-start"]) as engine:
        engine.receive(60)
    assert raised.value.reason is Reason.NO_START
    assert "exited with code 3; last output: cannot find my weights file" in raised.value.detail


@pytest.mark.parametrize("way", ["silent", "deaf-start"])
def test_a_start_without_a_reply(way: str) -> None:
    word = unique_mark()
    with Program([PYTHON, HOSTILE, "uci", way, word]) as engine:
        engine.send("uci")
        with pytest.raises(ProgramFailure) as raised:
            engine.receive(0.5)
    assert raised.value.reason is Reason.NO_START
    assert not remaining(word)


def test_limits_out_of_range() -> None:
    for wrong in ({"start": 0}, {"memory": 5}, {"processor": -1}, {"output": 10}, {"longest_line": 0}):
        with pytest.raises(LimitError):
            ProgramLimits(**wrong)  # type: ignore[arg-type]


# ---- each kind of misbehaviour -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("way", "reason", "expected"),
    [
        ("crash", Reason.CRASH, "ZeroDivisionError: move by zero"),
        ("closes", Reason.CRASH, "closed its output"),
        ("flood", Reason.FLOOD, "131,072 bytes"),
        ("long-line", Reason.FLOOD, "a line of more than 65,536 bytes"),
        ("errors", Reason.FLOOD, "what a day"),
    ],
)
def test_kinds_of_failure(supervision: str, way: str, reason: Reason, expected: str) -> None:
    failed = failure(way, word := unique_mark())
    assert failed.reason is reason
    assert expected in failed.detail
    assert not remaining(word)


FLOOD_THEN_REPLY = (
    "import os, sys\n"
    "sys.stdin.readline()\n"
    "try:\n"
    "    while True: os.write(2, b'what a day\\n' * 1000)\n"
    "except OSError:\n"
    "    print('bestmove g1f3', flush=True)\n"
)


def test_a_reply_after_a_flood_is_a_flood(monkeypatch: pytest.MonkeyPatch) -> None:
    """The flooded pipe is closed: what the program writes because of that is not its reply."""
    wake = LineReader.wake
    monkeypatch.setattr(LineReader, "wake", lambda reader: (time.sleep(0.5), wake(reader)))
    with Program([PYTHON, "-c", FLOOD_THEN_REPLY], SMALL) as engine:
        engine.send("go")
        with pytest.raises(ProgramFailure) as raised:
            engine.receive(60)
    assert raised.value.reason is Reason.FLOOD


def test_an_exit_with_a_flood_is_a_flood(supervision: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its exit is seen before all of its output has been read."""
    split = LineReader._split
    monkeypatch.setattr(LineReader, "_split", lambda reader, chunk: (time.sleep(0.2), split(reader, chunk)))
    script = "import os, sys; sys.stdin.readline(); os.write(1, b'x\\n'); os.write(2, bytes(140_000)); os._exit(3)"
    with Program([PYTHON, "-c", script.replace("\\\\", "\\")], SMALL) as engine:
        engine.send("go")
        with pytest.raises(ProgramFailure) as raised:
            engine.receive(60), engine.receive(60)
    assert raised.value.reason is Reason.FLOOD
    assert "more than 131,072 bytes" in raised.value.detail


@linux
@pytest.mark.parametrize("supervisor", [program._SUPERVISOR, PLAIN_SUPERVISOR], ids=["supervisor", "plain"])
def test_no_orphan_is_left_by_a_program(monkeypatch: pytest.MonkeyPatch, supervisor: Path) -> None:
    """Its processes have sessions of their own, are orphaned, and ignore SIGTERM."""
    monkeypatch.setattr(program, "_SUPERVISOR", supervisor)
    failed = failure("orphans", word := unique_mark())
    assert failed.reason is Reason.CRASH
    assert "exited with code 0" in failed.detail
    assert not remaining(word)


@linux
@pytest.mark.parametrize(
    ("way", "reason", "expected"),
    [
        ("memory", Reason.MEMORY, "exceeded the memory limit of 128 MB (used "),
        ("children", Reason.MEMORY, "exceeded the memory limit of 128 MB (used "),
        ("processor", Reason.CPU_TIME, "exceeded the CPU time limit of 1 s (used "),
    ],
)
def test_usage_is_the_sum_over_all_processes(
    monkeypatch: pytest.MonkeyPatch, way: str, reason: Reason, expected: str
) -> None:
    for supervisor in (program._SUPERVISOR, PLAIN_SUPERVISOR):
        monkeypatch.setattr(program, "_SUPERVISOR", supervisor)
        failed = failure(way, word := unique_mark())
        assert failed.reason is reason
        assert expected in failed.detail
        assert not remaining(word)


@pytest.mark.parametrize("way", ["hang", "no-newline", "deaf", "ignored-stop"])
def test_receive_times_out(supervision: str, way: str) -> None:
    failed = failure(way, word := unique_mark(), seconds=0.3)
    assert failed.reason is Reason.HANG
    assert not remaining(word)


def test_a_program_can_be_used_after_a_timeout() -> None:
    with Program(["sh", "-c", "echo ready; while read line; do echo got $line; done"]) as shell:
        assert shell.receive(60) == "ready"
        with pytest.raises(ProgramFailure, match=r"no reply within 0\.1 s; last output: ready"):
            shell.receive(0.1)
        shell.send("stop")
        assert shell.receive(60) == "got stop"


@posix
def test_send_times_out() -> None:
    with Program([PYTHON, HOSTILE, "uci", "deaf"]) as engine:
        engine.send("uci")
        engine.receive(60)
        engine.send("go")
        with pytest.raises(ProgramFailure, match=r"did not read its input for 0\.2 s") as raised:
            engine.send("x" * (1 << 22), timeout=0.2)
    assert raised.value.reason is Reason.HANG


@pytest.mark.parametrize(
    ("way", "answer"), [("nul", "bestmove \0\0\0"), ("bytes", "bestmove \ufffd"), ("illegal", "bestmove e1e5")]
)
def test_unusual_lines_are_received(way: str, answer: str) -> None:
    assert reply_to_go(way, unique_mark()) == answer


def test_much_output_over_time_is_not_a_flood() -> None:
    """Three times the unread limit in all, but each line is read before the next one is written."""
    with Program(["cat"], ProgramLimits(output=1 << 16, longest_line=1 << 10)) as cat:
        for _ in range(200):
            cat.send("x" * 1000)
            assert len(cat.receive(60)) == 1000


def test_unread_output_is_bounded() -> None:
    """A program that keeps writing blocks on its full pipe."""
    with Program([PYTHON, HOSTILE, "uci", "flood"], SMALL) as engine:
        engine.send("go")
        with pytest.raises(ProgramFailure) as raised:  # noqa: PT012  either line: the flood may be noticed before the first
            engine.receive(60)
            time.sleep(0.3)
            engine.receive(60)
        assert engine._lines._bytes_read <= SMALL.output * 2 + (1 << 17)
    assert raised.value.reason is Reason.FLOOD


@linux
def test_shared_memory_is_counted_once() -> None:
    script = (
        "import os, sys, time\n"
        "kept = b'x' * (80 << 20)\n"
        "for _ in range(3):\n"
        "    if os.fork() == 0: time.sleep(100)\n"
        "print('ready', flush=True)\n"
        "for line in sys.stdin: print(line, end='', flush=True)\n"
    )
    with Program([PYTHON, "-c", script], ProgramLimits(memory=160 << 20)) as shared:
        assert shared.receive(60) == "ready"
        time.sleep(0.6)
        shared.send("still here")
        assert shared.receive(60) == "still here"


def test_error_messages_are_one_printable_line() -> None:
    assert join_lines(["a", "", "\x1b[2Jb\0\tc ", "x" * 200]) == "a | \\x1b[2Jb\\x00\\tc | " + "x" * 97 + "..."


# ---- pause and resume--------------------------------------------------------------------------------------------

#: Two processes that never idle; echoes its input.
BUSY = """
import os, sys, threading
def burn():
    while True: pass
if os.fork() == 0: burn()
threading.Thread(target=burn, daemon=True).start()
for line in sys.stdin: print(line.strip(), flush=True)
"""


@pytest.mark.long
@linux
@pytest.mark.parametrize("supervisor", [program._SUPERVISOR, PLAIN_SUPERVISOR], ids=["supervisor", "plain"])
def test_a_paused_program_uses_no_cpu_time(monkeypatch: pytest.MonkeyPatch, supervisor: Path) -> None:
    monkeypatch.setattr(program, "_SUPERVISOR", supervisor)
    word = unique_mark()
    with Program([PYTHON, "-c", BUSY, word]) as busy:
        for turn in ("first", "second"):
            busy.send(turn)
            assert busy.receive(60) == turn
            assert uses_cpu(word)
            busy.pause()
            assert becomes_stopped(word)
            before = cpu_time(word)
            time.sleep(1)
            assert cpu_time(word) - before < 0.1
        busy.resume()
        assert uses_cpu(word)
        busy.pause()
    assert not remaining(word)


@linux
def test_a_program_that_ponders_is_not_paused() -> None:
    word = unique_mark()
    with Program([PYTHON, "-c", BUSY, word], ProgramLimits(ponders=True)) as busy:
        busy.send("")
        assert busy.receive(60) == ""
        busy.pause()
        assert uses_cpu(word)


def test_send_and_receive_always_resume(supervision: str) -> None:
    """Also in rapid succession."""
    with Program(["cat"]) as cat:
        for number in range(400):
            cat.send(str(number))
            if number % 3 == 0:
                cat.pause()
            assert cat.receive(60) == str(number)
            cat.pause()
            if number % 5 == 0:
                cat.pause()
            if number % 7 == 0:
                cat.resume()
                cat.pause()


@linux
def test_cpu_time_adds_up_over_pauses() -> None:
    def play_turns(busy: Program) -> None:
        while True:
            busy.send("")
            busy.receive(60)
            busy.pause()

    with Program([PYTHON, "-c", BUSY], SMALL) as busy, pytest.raises(ProgramFailure) as raised:
        play_turns(busy)
    assert raised.value.reason is Reason.CPU_TIME


@posix
def test_closed_input_while_paused_is_a_crash() -> None:
    with Program(["sh", "-c", "read line; echo $$; read line"]) as shell:
        shell.send("")
        shell.receive(60)
        shell.pause()
        shell._in.close()  # it would exit if it were not stopped
        with pytest.raises(ProgramFailure) as raised:
            shell.receive(60)
    assert raised.value.reason is Reason.CRASH


# ---- no leftover processes---------------------------------------------------------------------------------------


@pytest.fixture
def parent(request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[str]]:
    """Another process that runs a hostile program, prints `go` once it runs, and waits."""
    supervisor, way, word, then = request.param
    script = (
        "import os, sys, time\n"
        "from pathlib import Path\n"
        "from zermelo.sandbox import program\n"
        f"program._SUPERVISOR = Path({str(supervisor)!r})\n"
        f"engine = program.Program([sys.executable, {HOSTILE!r}, 'uci', {way!r}, {word!r}])\n"
        "engine.__enter__()\n"
        "engine.send('uci')\n"
        "while engine.receive(60) != 'uciok': pass\n"
        "engine.send('go')\n"
        "engine.receive(60)\n"
        f"{then}\n"
        "print('go', flush=True)\n"
        "time.sleep(100)\n"
    )
    with subprocess.Popen([PYTHON, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "go\n"
        started = 3 if way == "processor" else 1  # with its children
        deadline = time.monotonic() + 120
        while sum("hostile.py uci" in line for line in alive(word).values()) < started and time.monotonic() < deadline:
            time.sleep(0.01)
        yield process
        process.kill()
        for number in alive(word):
            os.kill(number, signal.SIGKILL)


def _killed(*ways: str, then: str = "pass") -> list[object]:
    return [
        pytest.param((supervisor, way, unique_mark(), then), id=f"{supervisor.stem} {way}")
        for way in ways
        for supervisor in (program._SUPERVISOR, PLAIN_SUPERVISOR)
    ]


def _word(request: pytest.FixtureRequest) -> str:
    word: str = request.node.callspec.params["parent"][2]
    return word


@linux
@pytest.mark.parametrize("parent", _killed("hang", "ignored-stop", "processor", "deaf"), indirect=True)
def test_no_orphan_is_left_by_a_killed_parent(parent: subprocess.Popen[str], request: pytest.FixtureRequest) -> None:
    word = _word(request)
    assert len(alive(word)) >= 3
    parent.kill()
    parent.wait()
    assert not remaining(word)


@linux
@pytest.mark.parametrize("parent", _killed("processor", then="engine.pause(); time.sleep(0.2)"), indirect=True)
def test_no_orphan_is_left_of_a_paused_program(parent: subprocess.Popen[str], request: pytest.FixtureRequest) -> None:
    word = _word(request)
    assert becomes_stopped(word)
    parent.kill()
    parent.wait()
    assert not remaining(word)


_FORKED = "if os.fork() == 0: time.sleep(100); os._exit(0)"


@linux
@pytest.mark.parametrize("parent", _killed("hang", then=_FORKED), indirect=True)
def test_no_orphan_is_left_where_a_fork_holds_the_pipes(
    parent: subprocess.Popen[str], request: pytest.FixtureRequest
) -> None:
    """A process forked by the parent holds the lifeline open as well."""
    word = _word(request)
    before = {number for number, line in alive(word).items() if "hostile.py uci" in line}
    assert before
    parent.kill()
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and before & alive(word).keys() - _forked(word):
        time.sleep(0.01)
    assert not before & alive(word).keys() - _forked(word)


def _forked(word: str) -> set[int]:
    return {number for number, line in alive(word).items() if " -c " in line}


@linux
@pytest.mark.parametrize("parent", _killed("hang"), indirect=True)
def test_no_orphan_is_left_by_a_killed_supervisor(
    parent: subprocess.Popen[str], request: pytest.FixtureRequest
) -> None:
    word = _word(request)
    for number, line in alive(word).items():
        if "supervisor.py" in line and f"\nPPid:\t{parent.pid}\n" in Path(f"/proc/{number}/status").read_text():
            os.kill(number, signal.SIGKILL)
    parent.kill()
    parent.wait()
    assert not remaining(word)
