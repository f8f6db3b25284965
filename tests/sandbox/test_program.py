"""Programs from outside: whatever they do, they fail with the right reason, and nothing of them is left."""

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
from burning import burns, processor_time, stops
from leftovers import alive, left, mark

from zermelo.errors import LimitError
from zermelo.sandbox import program
from zermelo.sandbox.failure import ProgramFailure, Reason
from zermelo.sandbox.program import Program, ProgramLimits, in_one

SUPPORT = Path(__file__).parents[1] / "support"
HOSTILE = str(SUPPORT / "hostile.py")
PLAIN = SUPPORT / "plain_supervisor.py"
SMALL = ProgramLimits(start=60, memory=128 << 20, processor=1, output=1 << 17)

posix = pytest.mark.skipif(os.name != "posix", reason="processes of POSIX")
linux = pytest.mark.skipif(sys.platform != "linux", reason="what a process uses is in Linux's /proc")


@pytest.fixture(params=["kept", "plain", "alone"])
def kept(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """By a keeper with all that the system has, by one without namespaces, and by none."""
    how: str = request.param
    if how == "plain":
        monkeypatch.setattr(program, "_KEEPER", PLAIN)
    if how == "alone":
        monkeypatch.setattr(program.sys, "executable", "")  # type: ignore[attr-defined]
    return how


PYTHON = sys.executable


def asked(way: str, word: str, *, seconds: float = 60, limits: ProgramLimits = SMALL) -> str:
    """The hostile program's answer when it is asked for a move."""
    with Program([PYTHON, HOSTILE, "uci", way, word], limits) as engine:
        engine.send("uci")
        while engine.receive(60) != "uciok":
            pass
        engine.send("go")
        deadline = time.monotonic() + seconds
        while not (line := engine.receive(deadline - time.monotonic())).startswith("bestmove"):
            pass
        return line


def failure(way: str, word: str, **how: float) -> ProgramFailure:
    with pytest.raises(ProgramFailure) as raised:
        asked(way, word, **how)  # type: ignore[arg-type]
    return raised.value


# ---- what goes right --------------------------------------------------------------------------------------------


def test_lines_go_there_and_back(kept: str) -> None:
    with Program(["cat"]) as cat:
        for line in ("position startpos", "", "Zug: König e8–e7", "x" * 60_000):
            cat.send(line)
            assert cat.receive(60) == line
        for number in range(1000):
            cat.send(str(number))
        assert [cat.receive(60) for _ in range(1000)] == [str(number) for number in range(1000)]
        cat.send("with an end of DOS\r")
        assert cat.receive(60) == "with an end of DOS"


def test_what_it_writes_before_its_end_is_read() -> None:
    with Program(["sh", "-c", "echo one; printf two"]) as shell:
        assert [shell.receive(60), shell.receive(60)] == ["one", "two"]
        with pytest.raises(ProgramFailure, match=r"sh: it ended \(exit code 0\)") as raised:
            shell.receive(60)
        assert raised.value.reason is Reason.CRASH
        with pytest.raises(ProgramFailure, match="exit code 0"):
            shell.send("and it is told again")


def test_it_has_its_folder_and_environment(tmp_path: Path) -> None:
    with Program(["sh", "-c", "pwd; echo $WORD$HOME"], None, str(tmp_path), {"WORD": "x", "PATH": os.defpath}) as shell:
        assert [shell.receive(60), shell.receive(60)] == [str(tmp_path), "x"]


def test_signals_are_as_they_were() -> None:
    """Python ignores SIGPIPE; a program that was started by it should not."""
    with Program(["sh", "-c", "yes | head -n 1; echo over"]) as shell:
        assert [shell.receive(60), shell.receive(60)] == ["y", "over"]


def test_the_error_output_never_fills_up() -> None:
    noise = "import sys\nfor line in sys.stdin: sys.stderr.write('noise\\n' * 20_000); print('done', flush=True)"
    with Program([PYTHON, "-c", noise]) as noisy:
        for _ in range(5):
            noisy.send("")
            assert noisy.receive(60) == "done"
        assert "noise" in noisy.last_lines
        assert "noise" in noisy.last_errors


@posix
def test_it_outlives_the_thread_that_started_it() -> None:
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
def test_nothing_is_kept_of_programs_that_have_ended() -> None:
    def held() -> tuple[int, int]:
        return len(os.listdir("/proc/self/fd")), threading.active_count()

    with Program(["cat"]):
        pass
    before = held()
    for number in range(10):
        with Program(["cat"]) as cat:
            if number % 2:
                cat.send("x")
        cat.close()
        with pytest.raises(ProgramFailure), Program(["there-is-no-such-program"]):
            pass
    assert held() == before


# ---- what does not start ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["there-is-no-such-program", "x"], "there-is-no-such-program: no such program"),
        (["./there-is-none"], "./there-is-none: no such program"),
        ([__file__], "it cannot be run"),
        ([], "no program is named"),
        ([""], "no program is named"),
    ],
)
def test_what_is_no_program(command: list[str], said: str) -> None:
    with pytest.raises(ProgramFailure, match=said) as raised, Program(command):
        pass
    assert raised.value.reason is Reason.NO_START


@posix
def test_what_the_system_refuses_to_run(tmp_path: Path, kept: str) -> None:
    (file := tmp_path / "engine").write_bytes(b"\x7fELF and nothing more")
    file.chmod(0o755)
    with pytest.raises(ProgramFailure, match="engine: ") as raised, Program([str(file)]) as engine:
        engine.receive(60)
    assert raised.value.reason is Reason.NO_START


def test_a_failed_start_shows_the_last_lines(kept: str) -> None:
    with pytest.raises(ProgramFailure) as raised, Program([PYTHON, HOSTILE, "uci", "no-start"]) as engine:
        engine.receive(60)
    assert raised.value.reason is Reason.NO_START
    assert "it ended (exit code 3); its last lines: cannot find my weights file" in raised.value.detail


@pytest.mark.parametrize("way", ["silent", "deaf-start"])
def test_a_start_without_a_word(way: str) -> None:
    word = mark()
    with Program([PYTHON, HOSTILE, "uci", way, word]) as engine:
        engine.send("uci")
        with pytest.raises(ProgramFailure) as raised:
            engine.receive(0.5)
    assert raised.value.reason is Reason.NO_START
    assert not left(word)


def test_limits_out_of_range() -> None:
    for wrong in ({"start": 0}, {"memory": 5}, {"processor": -1}, {"output": 10}, {"longest_line": 0}):
        with pytest.raises(LimitError):
            ProgramLimits(**wrong)  # type: ignore[arg-type]


# ---- one for each way to misbehave ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("way", "reason", "said"),
    [
        ("crash", Reason.CRASH, "ZeroDivisionError: move by zero"),
        ("closes", Reason.CRASH, "it closed its output"),
        ("flood", Reason.FLOOD, "131,072 bytes"),
        ("long-line", Reason.FLOOD, "a line of more than 65,536 bytes"),
        ("errors", Reason.FLOOD, "what a day"),
    ],
)
def test_ways_to_fail(kept: str, way: str, reason: Reason, said: str) -> None:
    failed = failure(way, word := mark())
    assert failed.reason is reason
    assert said in failed.detail
    assert not left(word)


@linux
@pytest.mark.parametrize("keeper", [program._KEEPER, PLAIN], ids=["kept", "plain"])
def test_no_orphan_is_left_by_a_program(monkeypatch: pytest.MonkeyPatch, keeper: Path) -> None:
    """Its processes are in sessions of their own, have lost their parent, and ignore SIGTERM."""
    monkeypatch.setattr(program, "_KEEPER", keeper)
    failed = failure("orphans", word := mark())
    assert failed.reason is Reason.CRASH
    assert "it ended (exit code 0)" in failed.detail
    assert not left(word)


@linux
@pytest.mark.parametrize(
    ("way", "reason", "said"),
    [
        ("memory", Reason.MEMORY, "MB; it may use 128 MB"),
        ("children", Reason.MEMORY, "MB; it may use 128 MB"),
        ("processor", Reason.CPU_TIME, "s of processor time; it may use 1 s"),
    ],
)
def test_what_it_uses_is_counted_for_all_its_processes(
    monkeypatch: pytest.MonkeyPatch, way: str, reason: Reason, said: str
) -> None:
    for keeper in (program._KEEPER, PLAIN):
        monkeypatch.setattr(program, "_KEEPER", keeper)
        failed = failure(way, word := mark())
        assert failed.reason is reason
        assert said in failed.detail
        assert not left(word)


@pytest.mark.parametrize("way", ["hang", "no-newline", "deaf", "ignored-stop"])
def test_waiting_has_an_end(kept: str, way: str) -> None:
    failed = failure(way, word := mark(), seconds=0.3)
    assert failed.reason is Reason.HANG
    assert not left(word)


def test_after_a_hang_it_can_be_spoken_to() -> None:
    with Program(["sh", "-c", "echo ready; while read line; do echo got $line; done"]) as shell:
        assert shell.receive(60) == "ready"
        with pytest.raises(ProgramFailure, match=r"no answer in 0\.1 s; its last lines: ready"):
            shell.receive(0.1)
        shell.send("stop")
        assert shell.receive(60) == "got stop"


@posix
def test_who_does_not_read_is_not_waited_for() -> None:
    with Program([PYTHON, HOSTILE, "uci", "deaf"]) as engine:
        engine.send("uci")
        engine.receive(60)
        engine.send("go")
        with pytest.raises(ProgramFailure, match="it has not read") as raised:
            engine.send("x" * (1 << 22), seconds=0.2)
    assert raised.value.reason is Reason.HANG


@pytest.mark.parametrize(
    ("way", "answer"), [("nul", "bestmove \0\0\0"), ("bytes", "bestmove \ufffd"), ("illegal", "bestmove e1e5")]
)
def test_what_is_odd_but_a_line(way: str, answer: str) -> None:
    assert asked(way, mark()) == answer


def test_much_output_in_much_time_is_no_flood() -> None:
    """Three times what may lie unread, but each line is taken before the next is written."""
    with Program(["cat"], ProgramLimits(output=1 << 16, longest_line=1 << 10)) as cat:
        for _ in range(200):
            cat.send("x" * 1000)
            assert len(cat.receive(60)) == 1000


def test_what_nobody_reads_is_not_kept() -> None:
    """The buffer is bounded: a program that writes on is stopped by its pipe."""
    with Program([PYTHON, HOSTILE, "uci", "flood"], SMALL) as engine:
        engine.send("go")
        engine.receive(60)
        time.sleep(0.3)
        assert engine._lines._read <= SMALL.output * 2 + (1 << 17)
        with pytest.raises(ProgramFailure) as raised:
            engine.receive(60)
    assert raised.value.reason is Reason.FLOOD


@linux
def test_memory_that_processes_share_is_counted_once() -> None:
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


def test_errors_are_one_line_that_a_terminal_can_show() -> None:
    assert in_one(["a", "", "\x1b[2Jb\0\tc ", "x" * 200]) == "a | [2Jb c | " + "x" * 97 + "..."


# ---- it is paused -----------------------------------------------------------------------------------------------

#: Two processes that are never idle; what is sent comes back.
BURNING = """
import os, sys, threading
def burn():
    while True: pass
if os.fork() == 0: burn()
threading.Thread(target=burn, daemon=True).start()
for line in sys.stdin: print(line.strip(), flush=True)
"""


@linux
@pytest.mark.parametrize("keeper", [program._KEEPER, PLAIN], ids=["kept", "plain"])
def test_a_program_that_is_paused_uses_no_processor_time(monkeypatch: pytest.MonkeyPatch, keeper: Path) -> None:
    monkeypatch.setattr(program, "_KEEPER", keeper)
    word = mark()
    with Program([PYTHON, "-c", BURNING, word]) as burning:
        for turn in ("first", "second"):
            burning.send(turn)
            assert burning.receive(60) == turn
            assert burns(word)
            burning.pause()
            assert stops(word)
            before = processor_time(word)
            time.sleep(1)
            assert processor_time(word) - before < 0.1
        burning.go_on()
        assert burns(word)
        burning.pause()
    assert not left(word)


@linux
def test_one_that_may_ponder_runs_on() -> None:
    word = mark()
    with Program([PYTHON, "-c", BURNING, word], ProgramLimits(ponders=True)) as burning:
        burning.send("")
        assert burning.receive(60) == ""
        burning.pause()
        assert burns(word)


def test_it_always_wakes_up(kept: str) -> None:
    """However fast one thing follows the other; it is woken by what it is sent and by being asked."""
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
                cat.go_on()
                cat.pause()


@linux
def test_its_processor_time_is_counted_between_its_pauses() -> None:
    def play_on(burning: Program) -> None:
        while True:
            burning.send("")
            burning.receive(60)
            burning.pause()

    with Program([PYTHON, "-c", BURNING], SMALL) as burning, pytest.raises(ProgramFailure) as raised:
        play_on(burning)
    assert raised.value.reason is Reason.CPU_TIME


@posix
def test_what_ends_while_it_is_paused_has_crashed() -> None:
    with Program(["sh", "-c", "read line; echo $$; read line"]) as shell:
        shell.send("")
        shell.receive(60)
        shell.pause()
        shell._in.close()  # it would end by itself, were it not stopped
        with pytest.raises(ProgramFailure) as raised:
            shell.receive(60)
    assert raised.value.reason is Reason.CRASH


# ---- nothing is left --------------------------------------------------------------------------------------------


@pytest.fixture
def parent(request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[str]]:
    """A process of its own that has a hostile program play; it says `go` when that is so, and waits."""
    keeper, way, word, then = request.param
    script = (
        "import os, sys, time\n"
        "from pathlib import Path\n"
        "from zermelo.sandbox import program\n"
        f"program._KEEPER = Path({str(keeper)!r})\n"
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
        started = 3 if way == "processor" else 1  # with what it forks
        deadline = time.monotonic() + 60
        while sum("hostile.py uci" in line for line in alive(word).values()) < started and time.monotonic() < deadline:
            time.sleep(0.01)
        yield process
        process.kill()
        for number in alive(word):
            os.kill(number, signal.SIGKILL)


def _killed(*ways: str, then: str = "pass") -> list[object]:
    return [
        pytest.param((keeper, way, mark(), then), id=f"{keeper.stem} {way}")
        for way in ways
        for keeper in (program._KEEPER, PLAIN)
    ]


def _word(request: pytest.FixtureRequest) -> str:
    word: str = request.node.callspec.params["parent"][2]
    return word


@linux
@pytest.mark.parametrize("parent", _killed("hang", "ignored-stop", "processor", "deaf"), indirect=True)
def test_no_orphan_is_left_by_a_parent_that_is_killed(
    parent: subprocess.Popen[str], request: pytest.FixtureRequest
) -> None:
    word = _word(request)
    assert len(alive(word)) >= 3
    parent.kill()
    parent.wait()
    assert not left(word)


@linux
@pytest.mark.parametrize("parent", _killed("processor", then="engine.pause(); time.sleep(0.2)"), indirect=True)
def test_nor_of_a_program_that_is_paused(parent: subprocess.Popen[str], request: pytest.FixtureRequest) -> None:
    word = _word(request)
    assert stops(word)
    parent.kill()
    parent.wait()
    assert not left(word)


_FORKED = "if os.fork() == 0: time.sleep(100); os._exit(0)"


@linux
@pytest.mark.parametrize("parent", _killed("hang", then=_FORKED), indirect=True)
def test_nor_where_another_process_has_its_pipes(parent: subprocess.Popen[str], request: pytest.FixtureRequest) -> None:
    """A worker that the parent has forked holds the lifeline open, too; it has its own end at the fixture's."""
    word = _word(request)
    before = {number for number, line in alive(word).items() if "hostile.py uci" in line}
    assert before
    parent.kill()
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and before & alive(word).keys() - _forked(word):
        time.sleep(0.01)
    assert not before & alive(word).keys() - _forked(word)


def _forked(word: str) -> set[int]:
    return {number for number, line in alive(word).items() if " -c " in line}


@linux
@pytest.mark.parametrize("parent", _killed("hang"), indirect=True)
def test_nor_by_a_keeper_that_is_killed(parent: subprocess.Popen[str], request: pytest.FixtureRequest) -> None:
    word = _word(request)
    for number, line in alive(word).items():
        if "supervisor.py" in line and f"\nPPid:\t{parent.pid}\n" in Path(f"/proc/{number}/status").read_text():
            os.kill(number, signal.SIGKILL)
    parent.kill()
    parent.wait()
    assert not left(word)
