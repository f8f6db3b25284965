"""Run hostile programs as a grader and as an arena would, and report how each ended, a line of JSON each.

`python hostile_grader.py GROUND HOST GROUP --seed 314159265`; the seed is there to be stolen. GROUND is a folder that
this user owns, see `make_ground`. The programs run in several threads, since most of them only use up their time.
"""

from __future__ import annotations

import atexit
import json
import os
import resource
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import hostile_programs as programs

from zermelo.arena.players.agents import PythonPlayer
from zermelo.arena.players.clock import Clock, TimeControl
from zermelo.arena.players.player import GameSetup, Turn
from zermelo.registry import load
from zermelo.sandbox.failure import ProgramFailure, Reason
from zermelo.sandbox.program import ProgramLimits
from zermelo.sandbox.sandboxed_script import ScriptLimits
from zermelo.teaching.exercises.check_report import CheckReport
from zermelo.teaching.exercises.checking import check

THREADS = 4
#: Seconds for a program that may use up its time, and for all others, which need them only on a busy machine.
SECONDS, PATIENCE = 1.0, 60.0
MEMORY = 192 << 20
#: Contents of files that no program may read.
SECRETS = ("secret-of-ann", "secret-of-the-grader", "secret-of-the-store", "secret-of-the-environment", "314159265")
RIGHT = """
def alphabeta(game, state, depth):
    if game.is_over(state) or depth == 0:
        return game.evaluate(state)
    values = [alphabeta(game, game.play(state, move), depth - 1) for move in game.moves(state)]
    return max(values) if game.to_move(state) == game.MAX else min(values)
def choose(state):
    return next(state.moves())
"""
#: A process that counts the signals it receives.
CANARY = """
import signal, sys, time
for number in set(signal.valid_signals()) - {9, 19}:
    try:
        signal.signal(number, lambda number, _: (open(sys.argv[1], "a").write(f"{number} ")))
    except (OSError, ValueError):
        pass
print("ready", flush=True)
time.sleep(1000)
"""
_ENDS = {
    "exceeded the time limit": "time",
    "MemoryError": "memory",
    "memory limit": "memory",
    "invalid data": "garbage",
    "too much output": "flood",
    "asked about state": "questions",
    "asked more than": "questions",
    "generated more than": "questions",
    "did not read the answers": "questions",
    "invalid result": "answer",
    "invalid move": "answer",
}
_REASONS = {
    Reason.HANG: "time",
    Reason.OUT_OF_TIME: "time",
    Reason.CPU_TIME: "time",
    Reason.MEMORY: "memory",
    Reason.GARBAGE: "garbage",
    Reason.FLOOD: "flood",
    Reason.ILLEGAL: "answer",
}


def make_ground(ground: Path) -> None:
    """Fill a folder with what the programs try to steal or to change."""
    for name in ("class", "open", "open/folder", "temporary"):
        (ground / name).mkdir()
    (ground / "class" / "ann.py").write_text("SECRET = 'secret-of-ann'\n")
    (ground / "class" / "secret.key").write_text("secret-of-the-grader")
    (ground / "class" / "secret.key").chmod(0o600)
    (ground / "open" / "file").write_text("unchanged")
    (ground / "open" / "file").chmod(0o666)
    (ground / "open").chmod(0o777)
    (ground / "nim.py").write_text(Path(__file__).with_name("nim.py").read_text())
    store = sqlite3.connect(ground / "store.zermelo")
    store.execute("pragma journal_mode=wal")
    store.execute("create table t(x)")
    store.execute("insert into t values ('secret-of-the-store')")
    store.commit()
    store.close()
    (ground / "store.zermelo-shm").write_bytes(bytes(1 << 15))
    (ground / "store.zermelo-shm").chmod(0o644)


def tree(ground: Path) -> dict[str, tuple[int, int, int]]:
    """Everything in the ground but the temporary folders: mode, size and time of change."""
    found = {}
    for path in sorted(ground.rglob("*")):
        if "temporary" not in path.parts and "programs" not in path.parts:
            status = path.lstat()
            found[str(path.relative_to(ground))] = (status.st_mode, status.st_size, status.st_mtime_ns)
    return found


def main() -> None:
    ground, host, group = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    tempfile.tempdir = str(ground / "temporary")
    os.environ["ZERMELO_HOSTILE_SECRET"] = "secret-of-the-environment"
    (ground / "programs").mkdir()
    before = tree(ground)
    signals = ground / "programs" / "signals"
    canary = subprocess.Popen([sys.executable, "-c", CANARY, str(signals)], stdout=subprocess.PIPE)
    assert canary.stdout is not None
    assert canary.stdout.readline() == b"ready\n"
    places = {"ground": str(ground), "canary": str(canary.pid), "grader": str(os.getpid())}
    chosen = [each for each in getattr(programs, group) if each.host in ("both", host)]
    run = _as_agent if host == "agent" else _as_exercise
    sources = ground / "programs"
    for number, program in enumerate(chosen):
        (sources / f"{number}.py").write_text(programs.source(program, host, places))
    (sources / "right.py").write_text(RIGHT)
    atexit.register(canary.kill)  # it would hold the pipes of a grader that failed
    nim = load(str(ground / "nim.py"))
    with ThreadPoolExecutor(THREADS) as pool:
        seconds = [SECONDS if "time" in program.ends else PATIENCE for program in chosen]
        done = pool.map(lambda number: run(sources / f"{number}.py", nim, seconds[number]), range(len(chosen)))
        for program, result in zip(chosen, done, strict=True):
            print(json.dumps({"name": program.name, **result}), flush=True)
    last = run(sources / "right.py", nim, PATIENCE)
    alive = canary.poll() is None
    canary.kill()
    canary.wait()
    canary.stdout.close()
    after = tree(ground)
    print(
        json.dumps(
            {
                "name": "",
                "next": last["end"],
                "canary": alive and not signals.exists(),
                "changed": [name for name in {**before, **after} if before.get(name) != after.get(name)],
                "left": [*os.listdir(ground / "temporary"), *_made_elsewhere()],
                "peak": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10,
            }
        )
    )


def _made_elsewhere() -> Iterator[str]:
    for folder in ("/tmp", "/var/tmp", "/dev/shm", os.path.expanduser("~")):
        if os.path.exists(path := f"{folder}/zermelo-hostile-made"):
            yield path


def _as_exercise(path: Path, _: type, seconds: float) -> dict[str, Any]:
    report: CheckReport = check(path, function="alphabeta", seed=0, cases=1, limits=ScriptLimits(seconds, MEMORY))
    (result,) = report.results
    text = result.failure or ""
    end = next((end for part, end in _ENDS.items() if part in text), "ended") if text else _outcome(result.output)
    return _result(end, text, result.output, result.sandbox_limits or report.sandbox_limits, report.points)


def _as_agent(path: Path, nim: type, seconds: float) -> dict[str, Any]:
    player = PythonPlayer(nim, str(path), ProgramLimits(memory=MEMORY, start=30, output=1 << 18))
    state, printed = nim.start(), ""  # type: ignore[attr-defined]
    try:
        player.new_game(GameSetup(state, 1, 0))
        player.choose(Turn(state, [], [], Clock.of(TimeControl.parse(f"patience={seconds}"))))
    except ProgramFailure as failure:
        end, text = _REASONS.get(failure.reason, "ended"), f"{failure.reason}: {failure.detail}"
    else:
        assert player._program is not None
        player._program.close()
        printed = "\n".join(player._program.last_errors)
        end, text = _outcome(printed), ""
    player.game_over()
    return _result(end, text, printed + text, player.enforced, 0)


def _outcome(printed: str) -> str:
    _, found, outcome = printed.rpartition("OUTCOME ")
    return outcome.split()[0].lower() if found else "nothing"


def _result(end: str, text: str, seen: str, walls: Any, points: int) -> dict[str, Any]:
    if "BREACH" in seen or any(secret in seen for secret in SECRETS):
        end = "breach"
    return {"end": end, "text": (text or seen[-100:])[:150], "walls": list(walls), "points": points}


if __name__ == "__main__":
    if len(sys.argv) > 2 and sys.argv[2] == "--ground":
        make_ground(Path(sys.argv[1]))
    else:
        main()
