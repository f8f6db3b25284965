"""The arena: two workers against one, what it costs a move, and what ten thousand games leave behind.

    python benchmarks/arena.py [--games N] [--plies N] [--pairs N] [--many N] [--only speed,overhead,memory] [--json]

Speed: the same match of two players that think 0.1 s a move, with one worker and with two, in turn, by processes of
this machine and by Dask; a ratio is one worker's seconds over two workers' in the same pair, and what counts is their
median. Beside it, which part of the time the players of a worker thought. Workers are started before the clock is. The
games end as draws after some plies, so that a match takes a minute rather than ten; `--games 200 --plies 1000` is the
whole one. Overhead: the seconds of a whole run beyond those that its players thought, for each move, in this process
and with a worker. Memory: whether the processes grow from the first tenth of the games to the last.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import report

from zermelo.arena.executors.dask_executor import DaskExecutor, LocalDaskCluster
from zermelo.arena.executors.executor import Executor, Task
from zermelo.arena.executors.local_executor import InlineExecutor, LocalExecutor
from zermelo.arena.game_record import GameJob, GameRecord
from zermelo.arena.plans.entrants import Entrant
from zermelo.arena.plans.plan import Plan
from zermelo.arena.store import Store
from zermelo.arena.tournament import Tournament

SPEED_GOAL, OVERHEAD_GOAL, GROWTH_GOAL = 1.8, 0.002, 0.01


def match(game: str, players: tuple[str, str], games: int, **more: Any) -> Plan:
    entrants = tuple(Entrant(name, text) for name, text in zip("ab", players, strict=True))
    return Plan(game, entrants, format="match", games=games, **more)


def played(plan: Plan, crew: Executor, watch: Callable[[Tournament, GameRecord | None], None] | None = None) -> float:
    """Play a whole run, store and all. Returns the seconds that it took."""
    with tempfile.TemporaryDirectory() as folder, Store.create(Path(folder) / "games.zermelo", plan.as_dict()) as store:
        began = time.perf_counter()
        run = Tournament(plan, store, watch)
        run.run(crew)
        if run.failed:
            raise SystemExit(f"a game could not be played: {next(iter(run.failed.values()))}")
        return time.perf_counter() - began


class Thoughts:
    """What the players of a run thought, and how many moves were made."""

    def __init__(self) -> None:
        self.seconds, self.moves = 0.0, 0

    def __call__(self, _: Tournament, game: GameRecord | None) -> None:
        if game is not None:
            self.seconds += game.seconds_by(0) + game.seconds_by(1)
            self.moves += len(game.moves)


def warm(crew: Executor, game: str, players: tuple[str, str], workers: int) -> None:
    """Every worker has played a move of the game."""
    for _ in range(3):
        jobs = [GameJob(number, game, players, ("a", "b"), max_plies=2) for number in range(2 * workers)]
        crew.submit(Task(job.number, "game", job.to_json()) for job in jobs)
        while crew.unfinished:
            crew.next_result(1)


# ---- two workers against one ----------------------------------------------------------------------------------


def speed(games: int, plies: int, pairs: int) -> list[dict[str, Any]]:
    players = ("engine:seconds=0.1", "engine:seconds=0.1")
    kinds: dict[str, Callable[[int], Executor]] = {
        "processes": LocalExecutor,
        "Dask": lambda n: DaskExecutor(LocalDaskCluster(n)),
    }
    measured = []
    for kind, make in kinds.items():
        for pair in range(pairs):
            seconds: dict[int, float] = {}
            busy: dict[int, float] = {}
            for workers in (1, 2) if pair % 2 == 0 else (2, 1):
                with make(workers) as crew:
                    warm(crew, "othello", players, workers)
                    plan = match("othello", players, games, openings="plies=8", max_plies=plies)
                    thoughts = Thoughts()
                    seconds[workers] = played(plan, crew, thoughts)
                    busy[workers] = thoughts.seconds / workers / seconds[workers]
            told = {"workers": kind, "games": games, "one": seconds[1], "two": seconds[2]}
            measured.append({**told, "ratio": seconds[1] / seconds[2], "busy_one": busy[1], "busy_two": busy[2]})
    return measured


# ---- what the arena costs a move ------------------------------------------------------------------------------


def overhead(pairs: int) -> list[dict[str, Any]]:
    measured = []
    for game, player, games in (
        ("tictactoe", "random", 400),
        ("othello", "random", 40),
        ("othello", "wdiff:1", 40),
        ("chess", "random", 20),
        ("chess", "material:1", 20),
    ):
        for kind, make in (("this process", InlineExecutor), ("one worker", lambda: LocalExecutor(1))):
            found = []
            for seed in range(pairs):
                thoughts = Thoughts()
                with make() as crew:
                    warm(crew, game, (player, player), 1)
                    took = played(match(game, (player, player), games, openings="plies=4", seed=seed), crew, thoughts)
                found.append((took - thoughts.seconds) / thoughts.moves)
            measured.append({"game": game, "player": player, "where": kind, "seconds_per_move": median(found)})
    return measured


# ---- what ten thousand games leave behind -----------------------------------------------------------------------


def resident(pid: int) -> int:
    """Bytes of memory that a process has, its resident set."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise OSError(f"no memory of {pid}")


def memory(games: int) -> dict[str, Any]:
    """Resident bytes of this process and its workers after a tenth of the games and after all; files and processes."""
    if not Path("/proc/self/status").exists():
        raise report.Absent("memory of processes is read from /proc, which is Linux's")
    seen: dict[str, list[int]] = {"parent": [], "workers": [], "files": []}
    before = len(os.listdir("/proc/self/fd"))
    crew = LocalExecutor(2)

    def watch(run: Tournament, game: GameRecord | None) -> None:
        if game is not None and run.games_played in (games // 10, games):
            seen["parent"].append(resident(os.getpid()))
            seen["workers"].append(max(map(resident, crew.processes)))
            seen["files"].append(len(os.listdir("/proc/self/fd")))

    with crew:
        seconds = played(match("tictactoe", ("random", "random"), games), crew, watch)
        processes = crew.processes
    left = sum(Path(f"/proc/{pid}").exists() for pid in processes)
    growth = {name: at[1] / at[0] - 1 for name, at in seen.items()}
    files = len(os.listdir("/proc/self/fd")) - before
    return {
        "games": games, "seconds": seconds, "bytes": seen, "growth": growth,
        "files_left": files, "processes_left": left,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--games", type=int, default=12, help="games of the match (default 12)")
    parser.add_argument("--plies", type=int, default=38, help="plies of a game, 8 of them random (default 38)")
    parser.add_argument("--pairs", type=int, default=3, help="pairs of runs (default 3)")
    parser.add_argument("--many", type=int, default=10_000, help="games for memory (default 10,000)")
    parser.add_argument("--only", default="speed,overhead,memory")
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    options = parser.parse_args()
    told: dict[str, Any] = {}
    if "speed" in options.only:
        told["speed"] = speed(options.games, options.plies, options.pairs)
    if "overhead" in options.only:
        told["overhead"] = overhead(options.pairs)
    if "memory" in options.only:
        if options.only == "memory":
            try:
                told["memory"] = memory(options.many)
            except report.Absent as absent:
                told["absent"] = str(absent)
        else:  # in a process that has done nothing else, whose memory nothing else has grown
            command = [sys.executable, __file__, "--only", "memory", "--many", str(options.many), "--json"]
            alone = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
            told.update({name: alone[name] for name in ("memory", "absent") if name in alone})
    if options.json:
        report.as_json(told)
        return
    if "speed" in told:
        rows = [
            [
                each["workers"],
                f"{each['one']:.1f}",
                f"{each['two']:.1f}",
                report.times(each["ratio"]),
                f"{each['busy_one']:.0%}",
                f"{each['busy_two']:.0%}",
            ]
            for each in told["speed"]
        ]
        title = f"{options.games} games of 0.1 s moves: two workers, at least {SPEED_GOAL} times one"
        columns = ["workers", "one, s", "two, s", "ratio", "one thinks", "two think"]
        report.table(title, columns, rows, columns[1:])
        for kind in dict.fromkeys(each["workers"] for each in told["speed"]):
            ratios = [each["ratio"] for each in told["speed"] if each["workers"] == kind]
            print(f"{kind}: median {report.times(median(ratios))}")
    if "overhead" in told:
        rows = [
            [each["game"], each["player"], each["where"], f"{each['seconds_per_move'] * 1e3:.3f}"]
            for each in told["overhead"]
        ]
        title = f"What the arena costs a move, under {OVERHEAD_GOAL * 1e3:g} ms"
        report.table(title, ["game", "players", "where", "ms"], rows, ["ms"])
    if "memory" in told:
        found = told["memory"]
        rows = [
            [name, f"{at[0] / 1e6:.2f}", f"{at[1] / 1e6:.2f}", f"{found['growth'][name]:+.2%}"]
            for name, at in found["bytes"].items()
            if name != "files"
        ]
        title = f"{found['games']:,} games in {found['seconds']:.0f} s: memory, growth under {GROWTH_GOAL:.0%}"
        report.table(title, ["of", "after a tenth, MB", "after all, MB", "growth"], rows, ["growth"])
        print(f"left behind: {found['files_left']} open files, {found['processes_left']} processes")
    elif "absent" in told:
        print(told["absent"])


if __name__ == "__main__":
    main()
