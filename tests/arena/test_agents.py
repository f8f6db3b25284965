"""Python agents as players: their arguments, reasons of failures, sandbox limits, no leftover processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from cpu_usage import becomes_stopped, cpu_time, uses_cpu
from leftovers import alive, mark_temporary_folders, remaining, unique_mark

from zermelo.arena.game_record import GameJob
from zermelo.arena.players.agents import LIMITS, PythonPlayer
from zermelo.arena.players.clock import Clock, TimeControl
from zermelo.arena.players.player import GameSetup, PlayResult, Turn
from zermelo.arena.referee import play
from zermelo.arena.store import Store
from zermelo.core.game import State
from zermelo.errors import ZermeloError
from zermelo.games.pennies import Pennies
from zermelo.registry import load
from zermelo.sandbox.failure import ProgramFailure, Reason
from zermelo.sandbox.program import ProgramLimits

linux = pytest.mark.skipif(sys.platform != "linux", reason="Linux only")

NIM = (Path(__file__).parents[1] / "support" / "nim.py").read_text()


@pytest.fixture
def nim(tmp_path: Path) -> type[State]:
    """A game in a file with a helper module; it loads faster than the games of the package."""
    (tmp_path / "beside.py").write_text("")
    names = "\n    def move_name(self, move):\n        return f'take{move}'\n"
    (tmp_path / "nim.py").write_text(f"import beside\n{NIM}{names}")
    return load(f"{tmp_path / 'nim.py'}:Nim")


Agent = Callable[..., PythonPlayer]


@pytest.fixture
def agent(tmp_path: Path, nim: type[State]) -> Iterator[Agent]:
    """Create players from the body of `choose(state)`, or from a complete file."""
    made: list[PythonPlayer] = []

    def make(
        source: str, cls: type[State] = nim, limits: ProgramLimits = LIMITS, name: str = "agent.py"
    ) -> PythonPlayer:
        if "def " not in source:
            source = "def choose(state):\n    " + source
        (tmp_path / name).write_text(source)
        made.append(PythonPlayer(cls, str(tmp_path / name), limits))
        return made[-1]

    yield make
    for player in made:
        player.close()


def first_moves(
    player: PythonPlayer, cls: type[State], control: str = "", *, seed: int = 0, moves: int = 1
) -> list[PlayResult]:
    """Return the first moves of a player that plays both sides."""
    state, history, played, choices = cls.start(), list[State](), list[int](), list[PlayResult]()
    clock = Clock.of(TimeControl.parse(control))
    player.new_game(GameSetup(state, 1, seed))
    while len(choices) < moves and not state.is_over():
        choices.append(player.choose(Turn(state, history, played, clock)))
        history.append(state)
        played.append(choices[-1].move)
        state = state.play(choices[-1].move)
    return choices


def failure(player: PythonPlayer, cls: type[State], control: str = "") -> ProgramFailure:
    with pytest.raises(ProgramFailure) as raised:
        first_moves(player, cls, control)
    return raised.value


def printed(player: PythonPlayer) -> list[str]:
    """Return the last lines that an agent printed, and end it."""
    assert player._program is not None
    player._program.close()
    return player._program.last_errors


# ---- agents that behave -----------------------------------------------------------------------------------------


def test_a_game_with_a_copy_of_the_state(agent: Agent, nim: type[State]) -> None:
    source = """
        best = [move for move in state.moves() if state.play(move).heap % 4 == 0]
        return best[0] if best else next(state.moves())
    """
    choices = first_moves(agent(source), nim, moves=20)
    assert [choice.move for choice in choices] == [3, 1, 3, 1, 3, 1, 3]


def test_games_by_name_and_by_file(agent: Agent) -> None:
    """All methods of a state work: text, board, evaluations with weights."""
    source = (
        "assert type(state).start().parse(str(state)) == state and state.board() and not state.is_over();"
        "print([each.score(state) for each in state.evaluations.values()]);"
        "return state.move_name(max(state.moves()))"
    )
    for cls in (Pennies, load("othello")):
        assert first_moves(agent(source, cls), cls)[0].move == max(cls.start().legal_moves())


@pytest.mark.parametrize(
    ("head", "given"),
    [
        ("choose(state)", "1"),
        ("choose(state, clock)", "2"),
        ("choose(state, clock, history)", "3"),
        ("choose(state, depth=3)", "1"),
        ("choose(state, clock=None, history=None)", "3"),
        ("choose(state, time, /, before)", "3"),
        ("choose(*given)", "3"),
    ],
)
def test_arguments_by_number_of_parameters(agent: Agent, nim: type[State], head: str, given: str) -> None:
    source = f"""
def {head}:
    found = [v for k, v in locals().items() if k != "depth" and v is not None]
    if len(found) == 1 and isinstance(found[0], tuple) and type(found[0]).__name__ == "tuple":
        found = found[0]
    print(len(found), "given")
    return 1
"""
    player = agent(source)
    first_moves(player, nim)
    assert printed(player) == [f"{given} given"]


def test_clock_and_history(agent: Agent, nim: type[State]) -> None:
    source = """
def choose(state, clock, history):
    assert [each.heap for each in history] == list(range(15, state.heap, -1)), history
    assert len(history) == 15 - state.heap
    assert clock.left == clock.seconds == 60 and clock.other_left == 60 and clock.increment == 0.5, clock.left
    assert clock.moves_to_go == 40 and 0 < clock.remaining() <= 60
    assert clock.depth is None and clock.nodes == 1000
    return 1
"""
    assert len(first_moves(agent(source), nim, "clock=60/40+0.5,nodes=1000", moves=15)) == 15
    free = "def choose(state, clock):\n    return int(clock.remaining() == float('inf') and clock.seconds is None)"
    assert first_moves(agent(free), nim)[0].move == 1


def test_a_move_is_an_int_or_a_text(agent: Agent, nim: type[State]) -> None:
    assert first_moves(agent("return 2"), nim)[0].move == 2
    assert first_moves(agent("return 'TAKE3 '"), nim)[0].move == 3
    index = "class Two:\n    def __index__(self): return 2\ndef choose(state): return Two()"
    assert first_moves(agent(index), nim)[0].move == 2
    assert first_moves(agent("return 7"), nim)[0].move == 7  # that it is illegal, the referee finds
    method = "class Player:\n    def __call__(self, state, clock): return 1\nchoose = Player()"
    assert first_moves(agent(method), nim)[0].move == 1


def test_a_module_lives_for_one_game(agent: Agent, nim: type[State]) -> None:
    player = agent("count = 0\ndef choose(state):\n    global count\n    count += 1\n    return count")
    for _ in range(2):
        assert [choice.move for choice in first_moves(player, nim, moves=3)] == [1, 2, 3]
        player.game_over()


def test_the_same_seed_gives_the_same_game(agent: Agent, nim: type[State]) -> None:
    source = """
import random
numbers = random.sample(range(10**9), 5)
def choose(state):
    words = list({"a", "b", "c", "d", "e", "f"})
    print(numbers, words, random.random())
    return 1
"""
    player = agent(source)

    def done(seed: int) -> list[str]:
        first_moves(player, nim, seed=seed)
        return printed(player)

    assert done(7) == done(7) != []
    assert done(7) != done(8)


def test_printing_is_allowed(agent: Agent, nim: type[State]) -> None:
    forged = r"""print('["move", 1, {"move": 3}]', flush=True); import os; os.write(1, b'["fault", {}]\n'); return 2"""
    assert first_moves(agent(forged), nim)[0].move == 2
    crash = "print('looking'); print('found'); return 1 // 0"
    assert failure(agent(crash), nim).detail == (
        "agent.py: line 2: ZeroDivisionError: integer division or modulo by zero; last output: looking | found"
    )


def test_replaced_standard_streams(agent: Agent, nim: type[State]) -> None:
    assert first_moves(agent("import sys; sys.stdout.close(); sys.stderr = None; return 2"), nim)[0].move == 2


def test_the_version_contains_a_digest(agent: Agent) -> None:
    first, second = agent("return 1").version, agent("return 2").version
    assert first.startswith("Python 3.")
    assert "agent.py " in first
    assert first != second


# ---- each kind of misbehaviour -----------------------------------------------------------------------------------

QUICK = ProgramLimits(start=60, memory=256 << 20, processor=1, output=1 << 16)
WAYS = {
    "illegal, a text": ("return 'z9'", "", Reason.ILLEGAL, "'z9' is not a legal move here; legal: take1 take2 take3"),
    "garbage, nothing": ("pass", "", Reason.GARBAGE, "choose returned None (NoneType)"),
    "garbage, a float": (
        "return 1.0",
        "",
        Reason.GARBAGE,
        "choose returned 1.0 (float); expected a move",
    ),
    "garbage, a bool": ("return True", "", Reason.GARBAGE, "True (bool)"),
    "garbage, huge": ("return 10**5000", "", Reason.GARBAGE, "choose returned"),
    "garbage, long": ("return 'x' * 10**6", "", Reason.GARBAGE, "xxx"),
    "garbage, channel": (
        "import os; [os.write(fd, b'[]\\n') for fd in range(3, 9) if not os.isatty(fd) and _open(fd)]; return 1\n"
        "def _open(fd):\n    import os\n    try: return os.write(fd, b'') == 0\n    except OSError: return False",
        "",
        Reason.GARBAGE,
        "wrote invalid data to the message channel",
    ),
    "crash": ("return [][state.heap]", "", Reason.CRASH, "line 2: IndexError: list index out of range"),
    "crash, exit": ("raise SystemExit(3)", "", Reason.CRASH, "line 2: SystemExit: 3"),
    "crash, at once": ("import os; os._exit(3)", "", Reason.CRASH, "exited with code 3"),
    "crash, deep": ("return choose(state)", "", Reason.CRASH, "RecursionError"),
    "crash, hard": ("import ctypes; ctypes.string_at(0)", "", Reason.CRASH, "SIGSEGV"),
    "hang": ("while True: pass", "patience=0.3", Reason.HANG, "no move within 0.3 s"),
    "late": ("while True: pass", "seconds=0.2", Reason.OUT_OF_TIME, "no move within 0.2 s"),
    "late, deaf": ("import time; time.sleep(99)", "clock=0.2+0.1", Reason.OUT_OF_TIME, "no move within 0.2 s"),
    "flood": ("while True: print('x' * 100)", "", Reason.FLOOD, "bytes per second; last output: xxx"),
    "flood, a line": ("while True: print('x' * 100, end='')", "", Reason.FLOOD, "65,536 bytes"),
    "memory": (
        "blocks = []\n    while True: blocks.append(bytearray(1 << 20))",
        "",
        Reason.MEMORY,
        "memory limit 256 MB",
    ),
    "memory, at once": ("return [0] * (1 << 33)", "", Reason.MEMORY, "line 2: MemoryError; memory limit 256 MB"),
    "processor": ("while True: pass", "patience=60", Reason.CPU_TIME, "exceeded the CPU time limit of 1 s"),
}


@pytest.mark.parametrize("way", WAYS)
def test_kinds_of_failure(
    agent: Agent, nim: type[State], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    source, control, reason, expected = WAYS[way]
    if sys.platform != "linux" and reason in (Reason.MEMORY, Reason.CPU_TIME):
        pytest.skip("what a process uses is in Linux's /proc")
    word = f"{unique_mark()}.py"
    mark_temporary_folders(monkeypatch, tmp_path, word)
    if not source.startswith("def "):
        source = f"def choose(state):\n    {source}"
    player = agent(source, limits=QUICK, name=word)
    failed = failure(player, nim, control)
    assert failed.reason is reason, failed
    assert expected in failed.detail
    assert "\n" not in failed.detail
    assert failed.detail.startswith(f"{word}: ")
    player.game_over()
    assert not remaining(word)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("def choose(state:\n", "agent.py: line 1: SyntaxError: '(' was never closed"),
        ("\nimport nothing_of_that_name\ndef choose(state): pass", "line 2: ModuleNotFoundError: No module named"),
        ("def chose(state): pass", "agent.py: function choose not found; functions in the file: chose"),
        ("choose = 5\n# def ", "agent.py: function choose not found; functions in the file: none"),
        ("def choose(): pass", "agent.py: choose takes 0 arguments; expected state, clock, history"),
        ("def choose(a, b, c, d): pass", "agent.py: choose takes 4 arguments"),
        ("while True: pass\n# def ", "agent.py: no reply within"),
    ],
)
def test_failed_starts(agent: Agent, nim: type[State], source: str, expected: str) -> None:
    limits = ProgramLimits(start=2.5) if "while" in source else LIMITS
    failed = failure(agent(source, limits=limits), nim)
    assert failed.reason is Reason.NO_START
    assert expected in failed.detail


@linux
@pytest.mark.parametrize(
    "written",
    [
        '["ready", {"unfit": "x"}]',
        '["ready", {"unfit": "x", "functions": 5}]',
        '["ready", {"unfit": "x", "functions": [["a"]]}]',
        '["ready", {"unfit": ["x"], "functions": null}]',
        '["ready", 1]',
        '["ready"]',
        '["ready", null, null]',
        '["fault", {"line": [], "type": {}, "text": [[1]]}]',
        '["fault", {"doing": "import", "line": 1, "type": "E", "text": ""}]',
        '["fault", 7]',
        '["move", 1, {"move": 1}]',
        '"ready"',
        "[" * 60_000,
        "1" * 10_000,
    ],
)
def test_invalid_messages_lose_the_game(agent: Agent, nim: type[State], tmp_path: Path, written: str) -> None:
    """They raise no exception of the arena, for which the game would be played again."""
    agent(
        f"import os\nfor fd in range(3, 9):\n    try:\n        os.write(fd, {written!r}.encode() + b'\\n')\n"
        "    except OSError:\n        pass\ndef choose(state):\n    return 1\n"
    )
    players = (f"python:{tmp_path / 'agent.py'}", "random")
    played = play(GameJob(0, f"{tmp_path / 'nim.py'}:Nim", players, players))
    assert (played.termination, played.forfeited_by) == (Reason.GARBAGE, 0)
    assert "agent.py: wrote invalid data to the message channel" in played.detail


@linux
@pytest.mark.parametrize(
    "written",
    [
        '["move", 1, {"move": ' + "7" * 3000 + "}]",
        '["move", ' + "7" * 3000 + ', {"move": 1}]',
        '["move", 1, {"move": NaN}]',
        '["move", 1, {"move": 1e300}]',
        '["move", 1, {"move": true}]',
        '["move", 1, {"move": 1, "text": "take1"}]',
        '["move", 1, {"text": "' + "x" * 1000 + '"}]',
        '["move", 1, {"error": "' + "x" * 1000 + '"}]',
        '["move", 2, {"move": 1}]',
        '["fault", {"doing": "call", "line": ' + "7" * 3000 + ', "type": "E", "text": "", "is_memory": false}]',
        '["ready", null]',
        '["answer", 3]',
    ],
)
def test_a_forged_reply_is_garbage(agent: Agent, nim: type[State], written: str) -> None:
    source = (
        "import os\ndef choose(state):\n    for fd in range(3, 9):\n        try:\n"
        f"            os.write(fd, {written!r}.encode() + b'\\n')\n"
        "        except OSError:\n            pass\n    while True: pass\n"
    )
    failed = failure(agent(source), nim)
    assert failed.reason is Reason.GARBAGE
    assert "wrote invalid data to the message channel" in failed.detail


@linux
def test_the_description_of_a_forged_fault_is_one_printable_line(agent: Agent, nim: type[State]) -> None:
    text = '"\\ud800\\u001b[2J\\nx"'
    written = f'["fault", {{"doing": "call", "line": 1, "type": "E", "text": {text}, "is_memory": false}}]'
    source = (
        "import os\ndef choose(state):\n    for fd in range(3, 9):\n        try:\n"
        f"            os.write(fd, {written!r}.encode() + b'\\n')\n"
        "        except OSError:\n            pass\n    while True: pass\n"
    )
    failed = failure(agent(source), nim)
    assert failed.detail.startswith("agent.py: line 1: E: ")
    assert failed.detail.isprintable()


@linux
def test_a_move_sent_twice_is_garbage(agent: Agent, nim: type[State]) -> None:
    twice = """b'["move", 1, {"move": 1}]\\n' * 2"""
    source = (
        "import os\ndef choose(state):\n    for fd in range(3, 9):\n        try:\n"
        f"            os.write(fd, {twice})\n"
        "        except OSError:\n            pass\n    while True: pass\n"
    )
    with pytest.raises(ProgramFailure) as raised:
        first_moves(agent(source), nim, moves=2)
    assert raised.value.reason is Reason.GARBAGE


def test_invalid_specs(tmp_path: Path, nim: type[State]) -> None:
    (tmp_path / "latin.py").write_bytes(b"# k\xf6nig")
    (tmp_path / "long.py").write_bytes(b"#" * 1_000_001)
    for text, expected in {
        str(tmp_path / "none.py"): "none.py: No such file",
        str(tmp_path): "is a directory, not a file|Permission denied",
        str(tmp_path / "latin.py"): "not UTF-8 text \\(line 1, byte 4\\)",
        str(tmp_path / "long.py"): "file too large: expected at most 1,000,000 bytes",
        f"{tmp_path / 'latin.py'}:two words": "'two words' is not a function name",
        f"{tmp_path / 'latin.py'}:": "'' is not a function name",
    }.items():
        with pytest.raises(ZermeloError, match=expected):
            PythonPlayer(nim, text)


# ---- sandbox limits ----------------------------------------------------------------------------------------------


@linux
@pytest.mark.parametrize(
    ("limit", "code"),
    [
        ("network", "import socket; socket.create_connection(('127.0.0.1', 9), 5)"),
        ("deleting", "import os; os.unlink('{tmp}/agent.py')"),
        ("deleting", "open('{tmp}/agent.py', 'a')"),
        ("files", "open('{tmp}/new', 'w').write('x' * 10**6)"),
        ("processes", "import os; os.fork()"),
        ("processes", "import threading; threading.Thread(target=print).start()"),
        ("signals", "import os, signal; os.kill(os.getppid(), signal.SIGKILL)"),
        ("signals", "import os; os.execv('/bin/true', ['true'])"),
    ],
)
def test_sandbox_limits_are_enforced(agent: Agent, nim: type[State], tmp_path: Path, limit: str, code: str) -> None:
    tmp_path.chmod(0o777)
    player = agent(code.format(tmp=tmp_path) + "; return 1")
    failed = failure(player, nim)
    if limit not in player.enforced:
        pytest.skip(f"this system has no such limit: {limit}")
    assert failed.reason is Reason.CRASH
    assert "Error" in failed.detail
    assert (tmp_path / "agent.py").exists()


def test_no_environment_is_inherited(agent: Agent, nim: type[State], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_ARENA", "42")
    code = "import os, sys; print('SECRET_OF_THE_ARENA' in os.environ, sys.stdin.read() == ''); return 1"
    player = agent(code)
    first_moves(player, nim)
    assert printed(player) == ["False True"]


@linux
def test_each_agent_has_a_user_of_its_own(agent: Agent, nim: type[State]) -> None:
    players = [agent("import os; print(os.getuid(), os.geteuid()); return 1") for _ in range(2)]
    for player in players:
        first_moves(player, nim)
    if "user" not in players[0].enforced:
        pytest.skip("not root, or the system does not allow a change of user")
    (first,), (second,) = map(printed, players)
    assert first != second
    assert "0" not in [*first.split(), *second.split()]


@linux
def test_nothing_of_a_game_is_in_arguments_or_environment(
    agent: Agent, nim: type[State], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What other programs could read in /proc."""
    mark_temporary_folders(monkeypatch, tmp_path, word := unique_mark())
    player = agent("return 1", name="ann.py")
    player.new_game(GameSetup(nim.start(), 1, 314159265))
    found = alive(word)
    assert len(found) >= 2
    for number, line in found.items():
        shown = line.partition(" in ")[0].encode() + Path(f"/proc/{number}/environ").read_bytes()
        for secret in (b"314159265", b"ann.py", b"nim.py", b"memory"):
            assert secret not in shown
    player.game_over()
    assert not remaining(word)


def test_changes_stay_in_the_agent_s_process(agent: Agent, nim: type[State]) -> None:
    code = "type(state).moves = lambda self: iter([99]); type(state).is_over = lambda self: True; return 1"
    assert [choice.move for choice in first_moves(agent(code), nim, moves=3)] == [1, 1, 1]
    assert nim.start().legal_moves() == [1, 2, 3]


@linux
@pytest.mark.parametrize("code", ["while True: pass", "import time; time.sleep(100)"])
def test_no_orphan_is_left_by_a_killed_arena(tmp_path: Path, nim: type[State], code: str) -> None:
    word = f"{unique_mark()}.py"
    (tmp_path / word).write_text(f"def choose(state):\n    {code}\n")
    script = (
        "import sys, threading, time\n"
        "from zermelo.arena.players.agents import PythonPlayer\n"
        "from zermelo.arena.players.clock import Clock, TimeControl\n"
        "from zermelo.arena.players.player import GameSetup, Turn\n"
        "from zermelo.registry import load\n"
        f"nim = load({str(tmp_path / 'nim.py')!r})\n"
        f"player = PythonPlayer(nim, {str(tmp_path / word)!r})\n"
        "player.new_game(GameSetup(nim.start(), 1, 0))\n"
        "turn = Turn(nim.start(), [], [], Clock.of(TimeControl()))\n"
        "threading.Thread(target=player.choose, args=[turn], daemon=True).start()\n"
        "print('go', flush=True)\n"
        "time.sleep(100)\n"
    )
    (temporary := tmp_path / f"temporary-{word}").mkdir()
    env = {**os.environ, "TMPDIR": str(temporary)}  # what is killed cleans nothing up
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, env=env) as arena:
        assert arena.stdout is not None
        assert arena.stdout.readline() == b"go\n"
        assert alive(word)
        arena.kill()
        arena.wait()
    try:
        assert not remaining(word)
    finally:
        for number in alive(word):
            os.kill(number, signal.SIGKILL)


# ---- on the opponent's time ------------------------------------------------------------------------------------

#: Computes in a timer handler, half of the time.
PONDERS = """
import signal, time

def ponder(*_):
    until = time.monotonic() + 0.05
    while time.monotonic() < until:
        pass

signal.signal(signal.SIGALRM, ponder)
signal.setitimer(signal.ITIMER_REAL, 0.1, 0.1)

def choose(state):
    return next(state.moves())
"""


@pytest.mark.long
@linux
def test_an_agent_is_stopped_on_its_opponent_s_time(
    agent: Agent, nim: type[State], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark_temporary_folders(monkeypatch, tmp_path, word := unique_mark())
    player = agent(PONDERS, name=f"{word}.py")
    player.new_game(GameSetup(nim.start(), 1, 0))
    for _ in range(2):  # before its first move, and after one
        assert becomes_stopped(word)
        before = cpu_time(word)
        time.sleep(1)
        assert cpu_time(word) - before < 0.1
        assert player.choose(Turn(nim.start(), (), (), Clock.of(TimeControl()))).move in nim.start().moves()
    player.game_over()
    assert not remaining(word)


@linux
def test_an_agent_that_ponders_is_not_stopped(
    agent: Agent, nim: type[State], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark_temporary_folders(monkeypatch, tmp_path, word := unique_mark())
    player = agent(PONDERS, name=f"{word}.py", limits=replace(LIMITS, ponders=True))
    player.new_game(GameSetup(nim.start(), 1, 0))
    assert uses_cpu(word)


@linux
def test_an_agent_reads_packages_and_its_game_only(agent: Agent, nim: type[State], tmp_path: Path) -> None:
    """Not the teacher's files, other agents, the store or processes, whoever runs the arena."""
    (tmp_path / "store.db").write_text("seed")
    tmp_path.chmod(0o777)
    (tmp_path / "store.db").chmod(0o666)
    game = sys.modules[nim.__module__].__file__
    code = (
        "import os\ndef choose(state):\n"
        "    def reads(path):\n"
        "        try: os.close(os.open(path, 0)); return 1\n"
        "        except OSError: return 0\n"
        f"    print([reads(path) for path in ({str(tmp_path / 'store.db')!r}, {str(tmp_path)!r}, '/etc/passwd', '.',"
        f" '/proc/self/cmdline', {os.path.expanduser('~')!r})], reads({game!r}))\n"
        "    import numpy.polynomial, zermelo.games.othello\n"
        "    return 1"
    )
    player = agent(code)
    first_moves(player, nim)
    if "reading" not in player.enforced:
        pytest.skip("no Landlock")
    assert printed(player) == ["[0, 0, 0, 0, 0, 0] 1"]


def test_required_restrictions_are_checked_in_each_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A sandbox that lacks a restriction after the check at the start costs its game; the others are played."""
    from zermelo.cli import main
    from zermelo.sandbox import restrictions

    agent = tmp_path / "anna.py"
    agent.write_text("def choose(state):\n    return state.legal_moves()[0]\n")
    # At the start, at the trial start of the agent, in each game.
    answers = iter([[], [], [], [], ["network"], []])
    monkeypatch.setattr(restrictions, "missing_restrictions", lambda enforced: next(answers))
    store = str(tmp_path / "games.zermelo")
    words = ["match", "tictactoe", f"python:{agent}", "lines:1", "--games", "4", "--workers", "0", "--quiet"]
    assert main([*words, "--store", store, "--require-sandbox"]) == 1
    with Store.open(store) as kept:
        assert len(kept) == 3
        (error,) = kept.failures().values()
    assert error.startswith("--require-sandbox: not in force for anna.py: no network")
    capsys.readouterr()

    answers = iter([["network"]])
    assert main(["resume", store, "--workers", "0", "--quiet", "--require-sandbox"]) == 2
    assert "not in force on this machine: no network" in capsys.readouterr().err
    answers = iter([])  # without the option nothing is required
    assert main(["resume", store, "--workers", "0", "--quiet"]) == 0
