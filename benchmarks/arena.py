"""The arena: speedup of two workers over one, overhead per move, and memory over ten thousand games.

    python benchmarks/arena.py [--games N] [--plies N] [--pairs N] [--many N] [--only speed,overhead,memory] [--json]

Speed: the same match of two players that search 0.1 s per move, with one worker and with two in turn, as local
processes and with Dask. A ratio is the seconds of one worker divided by those of two in the same pair; the result is
the median ratio. The table also shows the fraction of the time that a worker spends searching. Workers start before
the measurement. Games are drawn after some plies so that a match takes a minute rather than ten; `--games 200 --plies
1000` plays full games.

Overhead: seconds of a run minus the thinking time of its players, per move, in this process and with one worker.

Memory: growth of the processes between the first tenth of the games and the last game.
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
    """Plan a match of two players."""
    entrants = tuple(Entrant(name, text) for name, text in zip("ab", players, strict=True))
    return Plan(game, entrants, format="match", games=games, **more)


def play_all(
    plan: Plan, executor: Executor, watch: Callable[[Tournament, GameRecord | None], None] | None = None
) -> float:
    """Play all games of a plan and save them. Returns the seconds."""
    with tempfile.TemporaryDirectory() as folder, Store.create(Path(folder) / "games.zermelo", plan.as_dict()) as store:
        started = time.perf_counter()
        run = Tournament(plan, store, watch)
        run.run(executor)
        if run.failed:
            raise SystemExit(f"a game failed: {next(iter(run.failed.values()))}")
        return time.perf_counter() - started


class ThinkingTime:
    """Sum of the thinking time and number of moves of a run."""

    def __init__(self) -> None:
        self.seconds, self.moves = 0.0, 0

    def __call__(self, _: Tournament, game: GameRecord | None) -> None:
        if game is not None:
            self.seconds += game.seconds_by(0) + game.seconds_by(1)
            self.moves += len(game.moves)


def warm_up(executor: Executor, game: str, players: tuple[str, str], workers: int) -> None:
    """Let every worker play a move of the game, which compiles it."""
    for _ in range(3):
        jobs = [GameJob(number, game, players, ("a", "b"), max_plies=2) for number in range(2 * workers)]
        executor.submit(Task(job.number, "game", job.to_json()) for job in jobs)
        while executor.unfinished:
            executor.next_result(1)


# ---- speedup of two workers --------------------------------------------------------------------------------------


def speed(games: int, plies: int, pairs: int) -> list[dict[str, Any]]:
    """Measure pairs of matches with one and two workers."""
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
                with make(workers) as executor:
                    warm_up(executor, "othello", players, workers)
                    plan = match("othello", players, games, openings="plies=8", max_plies=plies)
                    thinking = ThinkingTime()
                    seconds[workers] = play_all(plan, executor, thinking)
                    busy[workers] = thinking.seconds / workers / seconds[workers]
            row = {"workers": kind, "games": games, "one": seconds[1], "two": seconds[2]}
            measured.append({**row, "ratio": seconds[1] / seconds[2], "busy_one": busy[1], "busy_two": busy[2]})
    return measured


# ---- overhead per move ----------------------------------------------------------------------------------------


def overhead(pairs: int) -> list[dict[str, Any]]:
    """Measure the seconds per move that are not thinking time."""
    measured = []
    for game, player, games in (
        ("tictactoe", "random", 400),
        ("othello", "random", 40),
        ("othello", "wdiff:1", 40),
        ("chess", "random", 20),
        ("chess", "material:1", 20),
    ):
        for kind, make in (("this process", InlineExecutor), ("one worker", lambda: LocalExecutor(1))):
            samples = []
            for seed in range(pairs):
                thinking = ThinkingTime()
                with make() as executor:
                    warm_up(executor, game, (player, player), 1)
                    seconds = play_all(
                        match(game, (player, player), games, openings="plies=4", seed=seed), executor, thinking
                    )
                samples.append((seconds - thinking.seconds) / thinking.moves)
            measured.append({"game": game, "player": player, "executor": kind, "seconds_per_move": median(samples)})
    return measured


# ---- memory and leaks -------------------------------------------------------------------------------------------


def resident(pid: int) -> int:
    """Return the resident set size of a process in bytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    raise OSError(f"no VmRSS line in /proc/{pid}/status")


def memory(games: int) -> dict[str, Any]:
    """Measure memory after a tenth of the games and after all; count leaked files and processes."""
    if not Path("/proc/self/status").exists():
        raise report.Unavailable("memory of processes is read from /proc, on Linux only")
    seen: dict[str, list[int]] = {"parent": [], "workers": [], "files": []}
    before = len(os.listdir("/proc/self/fd"))
    executor = LocalExecutor(2)

    def watch(run: Tournament, game: GameRecord | None) -> None:
        if game is not None and run.games_played in (games // 10, games):
            seen["parent"].append(resident(os.getpid()))
            seen["workers"].append(max(map(resident, executor.processes)))
            seen["files"].append(len(os.listdir("/proc/self/fd")))

    with executor:
        seconds = play_all(match("tictactoe", ("random", "random"), games), executor, watch)
        processes = executor.processes
    remaining = sum(Path(f"/proc/{pid}").exists() for pid in processes)
    growth = {name: at[1] / at[0] - 1 for name, at in seen.items()}
    files = len(os.listdir("/proc/self/fd")) - before
    return {
        "games": games, "seconds": seconds, "bytes": seen, "growth": growth,
        "files_left": files, "processes_left": remaining,
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--games", type=int, default=12, help="games per match (default 12)")
    parser.add_argument("--plies", type=int, default=38, help="plies per game, the first 8 random (default 38)")
    parser.add_argument("--pairs", type=int, default=3, help="pairs of measurements (default 3)")
    parser.add_argument("--many", type=int, default=10_000, help="games of the memory measurement (default 10,000)")
    parser.add_argument(
        "--only", default="speed,overhead,memory", help="parts to run, separated by commas (default all)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of tables")
    options = parser.parse_args()
    results: dict[str, Any] = {}
    if "speed" in options.only:
        results["speed"] = speed(options.games, options.plies, options.pairs)
    if "overhead" in options.only:
        results["overhead"] = overhead(options.pairs)
    if "memory" in options.only:
        if options.only == "memory":
            try:
                results["memory"] = memory(options.many)
            except report.Unavailable as error:
                results["unavailable"] = str(error)
        else:  # in a fresh process, whose memory nothing else has grown
            command = [sys.executable, __file__, "--only", "memory", "--many", str(options.many), "--json"]
            output = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
            results.update({name: output[name] for name in ("memory", "unavailable") if name in output})
    if options.json:
        report.print_json(results)
        return
    if "speed" in results:
        rows = [
            [
                each["workers"],
                f"{each['one']:.1f}",
                f"{each['two']:.1f}",
                report.format_ratio(each["ratio"]),
                f"{each['busy_one']:.0%}",
                f"{each['busy_two']:.0%}",
            ]
            for each in results["speed"]
        ]
        title = f"{options.games} games at 0.1 s per move; goal: two workers {SPEED_GOAL} times as fast as one"
        columns = ["workers", "one, s", "two, s", "ratio", "one: searching", "two: searching"]
        report.print_table(title, columns, rows, columns[1:])
        for kind in dict.fromkeys(each["workers"] for each in results["speed"]):
            ratios = [each["ratio"] for each in results["speed"] if each["workers"] == kind]
            print(f"{kind}: median {report.format_ratio(median(ratios))}")
    if "overhead" in results:
        rows = [
            [each["game"], each["player"], each["executor"], f"{each['seconds_per_move'] * 1e3:.3f}"]
            for each in results["overhead"]
        ]
        title = f"Overhead per move; goal: less than {OVERHEAD_GOAL * 1e3:g} ms"
        report.print_table(title, ["game", "players", "executor", "ms"], rows, ["ms"])
    if "memory" in results:
        result = results["memory"]
        rows = [
            [name, f"{at[0] / 1e6:.2f}", f"{at[1] / 1e6:.2f}", f"{result['growth'][name]:+.2%}"]
            for name, at in result["bytes"].items()
            if name != "files"
        ]
        title = f"{result['games']:,} games in {result['seconds']:.0f} s: memory; goal: growth below {GROWTH_GOAL:.0%}"
        report.print_table(title, ["process", "after a tenth, MB", "at the end, MB", "growth"], rows, ["growth"])
        print(f"leaked: {result['files_left']} open files, {result['processes_left']} processes")
    elif "unavailable" in results:
        print(results["unavailable"])


if __name__ == "__main__":
    main()
