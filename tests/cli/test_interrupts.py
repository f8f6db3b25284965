"""Ctrl-C at random moments of every command that can run for long: it always ends the command, and nothing is damaged.

Each command is started where it would run for minutes, so it must end by the interrupt: within seconds, with code 130
and without a traceback. Stores must open afterwards and keep what was there. Prints a table of the times from the
signal to the end.

ZERMELO_INTERRUPTS sets the number of interrupts of the whole nightly run, ZERMELO_INTERRUPT the beginning of the names
of the commands.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import pytest
from parts import PARTS, in_parts

from zermelo.arena.store import Store
from zermelo.errors import StoreError

pytestmark = pytest.mark.skipif(os.name != "posix", reason="sends SIGINT as a terminal does")

# A command that is still running after this time has lost the interrupt.
PATIENCE = 60.0
# Ctrl-C ends a command within this time, on a machine that does nothing else.
PROMISED = 1.0
# The aim on a quiet machine, which is counted.
AIM = 0.5
# Interrupts of the share that CI runs; `make nightly` sends NIGHTLY.
LONG, NIGHTLY = 40, int(os.environ.get("ZERMELO_INTERRUPTS", "1000"))
CHOSEN = os.environ.get("ZERMELO_INTERRUPT", "")
# Seconds after the start of the program between which the signal is sent: imports, the first results, full work.
EARLIEST, LATEST = 0.0, 6.0

PROGRAM = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # as a shell starts it, whatever started the tests
from zermelo.cli import main
print("started", file=sys.stderr, flush=True)
sys.exit(main())
"""
STUDENTS = Path(__file__).parents[1] / "teaching" / "exercises" / "students"
AGENT = "import time\ndef choose(state):\n    time.sleep(0.01)\n    return state.legal_moves()[0]\n"


@pytest.fixture(autouse=True)
def own_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests switch endgame tables off; here a command builds them."""
    monkeypatch.setenv("ZERMELO_TABLES_DIR", str(tmp_path / "tables"))


@dataclass
class Interrupted:
    """A command, and the times in seconds that it took to end."""

    words: list[str]
    seconds: list[float] = field(default_factory=list)
    #: Checks what the command has left, after each interrupt, and returns the number of its games that are new.
    check: Callable[[], int] = lambda: 0


@dataclass
class Totals:
    """What happened to all interrupts."""

    commands: dict[str, Interrupted]
    #: Interrupts after which the command went on, wrote a traceback, or lost a game or ended otherwise.
    lost: list[str] = field(default_factory=list)
    tracebacks: list[str] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)
    slow: list[str] = field(default_factory=list)
    #: Games in all stores.
    kept: int = 0

    @property
    def wrong(self) -> list[str]:
        return [*self.lost, *self.tracebacks, *self.damaged]

    def note(self, kind: list[str], case: str) -> None:
        """Count a case, and print it at once: the whole run takes an hour."""
        kind.append(case)
        print(case, self, sep="\n", flush=True)

    def __str__(self) -> str:
        times = [seconds for command in self.commands.values() for seconds in command.seconds]
        sent, late = len(times) + len(self.wrong), sum(seconds > AIM for seconds in times)
        return (
            f"{sent:,} interrupts of {len(self.commands)} commands: {len(self.lost)} lost, {late} over {AIM:g} s, "
            f"{len(self.slow)} over {PROMISED:g} s, {len(self.tracebacks)} tracebacks, {len(self.damaged)} "
            f"with another end or a lost game; {self.kept:,} games kept"
        )


class Traceback(AssertionError):
    """The command wrote a traceback or an internal error."""


def _commands(folder: Path) -> Iterator[tuple[str, Interrupted]]:
    positions = folder / "positions"
    positions.write_text("4444\n1234\n4321\n1122\n" * 20_000)
    games = folder / "games.uci"
    games.write_text("position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6\n" * 100_000)
    agents = folder / "agents"
    agents.mkdir()
    for name in ("ada", "ben"):
        (agents / f"{name}.py").write_text(AGENT)
    long_match = ["--games", "20000", "--quiet"]
    for workers in ("0", "1", "2"):
        for player, words in (
            ("textbook", ["lines:4"]), ("engine", ["engine:depth=4"]), ("random", ["random"]),
        ):  # fmt: skip
            store = folder / f"{player}-{workers}.zermelo"
            match = ["match", "connect4", "random", f"b={words[0]}", *long_match, "--workers", workers]
            yield f"match {player}, {workers} workers", _match(match, store)
        data = [
            "learn",
            "connect4",
            "positions",
            "--games",
            "1000000",
            "--out",
            str(folder / f"{workers}.jsonl"),
            "--quiet",
        ]
        yield f"learn positions, {workers} workers", Interrupted([*data, "--workers", workers])
        analyse = ["analyse", "connect4", "--positions", str(positions), "--depth", "6", "--quiet"]
        yield f"analyse --positions, {workers} workers", Interrupted([*analyse, "--workers", workers])
        yield f"perft, {workers} workers", Interrupted(["perft", "connect4", "30", "--workers", workers])
    league = ["league", str(agents), "--game", "connect4", "--games", "20000", "--quiet", "--workers", "1"]
    yield "league", Interrupted(league)
    yield "analyse", Interrupted(["analyse", "othello", "--seconds", "300"])
    yield "analyse, mcts", Interrupted(["analyse", "othello", "--algorithm", "mcts", "--seconds", "300"])
    yield "analyse, textbook", Interrupted(["analyse", "connect4", "--algorithm", "alphabeta", "--depth", "40"])
    interpreted = ["analyse", "connect4", "--algorithm", "minimax", "--no-compiled", "--depth", "12"]
    yield "analyse, interpreted", Interrupted(interpreted)
    yield "play", Interrupted(["play", "othello", "--as", "none", "--seconds", "0.5"])
    yield "tree mcts", Interrupted(["tree", "mcts", "chess", "--simulations", "2000"])
    yield "tree order", Interrupted(["tree", "order", "connect4", "--depth", "1..30"])
    yield "equilibrium", Interrupted(["equilibrium", "kuhn", "--seconds", "300"])
    check = ["exercise", "check", str(STUDENTS), "--cases", "500", "--quiet"]
    yield "exercise check", Interrupted(check)
    yield "convert", Interrupted(["convert", "chess", str(games), "--to", "pgn", "-o", str(folder / "games.pgn")])
    game = folder / "game.moves"
    game.write_text("f5 d6 c3 d3 c4 f4 f6 f3\n")
    yield "review", Interrupted(["review", "othello", str(game), "--seconds", "60", "--quiet"])
    yield "uci", Interrupted(["uci"])
    yield "gtp", Interrupted(["gtp", "go"])
    yield "nboard", Interrupted(["nboard"])
    yield "serve", Interrupted(["serve", "--port", "0", "--data-dir", str(folder / "data")])
    players = ["tournament", "connect4", "random", "b=lines:4", "c=random"]
    yield "tournament", _match([*players, *long_match, "--workers", "1"], folder / "tournament.zermelo")
    yield "solve", Interrupted(["solve", "othello", "--table", "16M", "--quiet"])
    yield "solve, proof", Interrupted(["solve", "chess", "--algorithm", "proof", "--quiet"])
    yield "rollout", Interrupted(["rollout", "backgammon", "--games", "1000000", "--quiet"])
    book = ["book", "connect4", "build", str(folder / "connect4.book"), "--plies", "8", "--search", "depth=14"]
    yield "book build", Interrupted([*book, "--quiet"])
    yield "tables", Interrupted(["tables", "checkers", "--men", "5", "--quiet"])
    train = ["learn", "connect4", "train", "--games", "100000", "--folder", str(folder / "weights"), "--quiet"]
    yield "learn train", Interrupted([*train, "--workers", "0"])


def _match(words: list[str], path: Path) -> Interrupted:
    """A match that is resumed after the first interrupt that leaves a store; finished games are never lost."""
    command = Interrupted([*words, "--store", str(path)])
    kept: set[int] = set()

    def check() -> int:
        if not path.exists():
            return 0
        with Store.open(path) as store:
            numbers = [result.number for result in store.results()]
        assert len(numbers) == len(set(numbers))
        assert kept <= set(numbers)
        new = len(numbers) - len(kept)
        kept.update(numbers)
        command.words = ["resume", str(path), "--quiet", "--workers", words[-1]]
        return new

    command.check = check
    return command


def interrupt(words: list[str], delay: float) -> float:
    """Run a command, send SIGINT `delay` seconds after its start, and return the seconds until its end."""
    running = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert running.stdin is not None
    assert running.stderr is not None
    with running:
        try:
            assert running.stderr.readline() == b"started\n"
            time.sleep(delay)
            sent = time.monotonic()
            running.send_signal(signal.SIGINT)
            code = running.wait(PATIENCE)
            took = time.monotonic() - sent
        finally:
            running.kill()
        shown = running.stderr.read().decode()
    if "Traceback" in shown or "internal error" in shown:
        raise Traceback(shown)
    assert code == 130, f"exit code {code}: {shown}"
    return took


def interrupt_all(folder: Path, count: int, seed: int) -> Totals:
    """Interrupt the commands in turn, `count` times in all."""
    commands = {name: command for name, command in _commands(folder) if name.startswith(CHOSEN)}
    rng = random.Random(seed)
    totals = Totals(commands)
    order = [name for _ in range(count // len(commands) + 1) for name in rng.sample([*commands], len(commands))]
    for name in order[:count]:
        command, delay = commands[name], rng.uniform(EARLIEST, LATEST)
        case = f"{name}, after {delay:.3f} s"
        try:
            seconds = interrupt(command.words, delay)
            totals.kept += command.check()
        except subprocess.TimeoutExpired:
            totals.note(totals.lost, f"{case}: still running after {PATIENCE:g} s")
        except Traceback as error:
            totals.note(totals.tracebacks, f"{case}: {error}")
        except (AssertionError, StoreError) as error:
            totals.note(totals.damaged, f"{case}: {error}")
        else:
            command.seconds.append(seconds)
            if seconds > PROMISED:
                totals.note(totals.slow, f"{case}: {seconds:.2f} s")
    print(f"\n{'command':32} interrupts  median s  slowest s")
    for name, command in commands.items():
        if times := command.seconds:
            print(f"{name:32} {len(times):10}  {median(times):8.2f}  {max(times):9.2f}")
    print(totals)
    return totals


@pytest.mark.long
def test_ctrl_c_at_random_moments(tmp_path: Path) -> None:
    totals = interrupt_all(tmp_path, LONG, seed=13)
    assert not totals.wrong, "\n".join([str(totals), *totals.wrong])


@pytest.mark.nightly
@in_parts
def test_ctrl_c_many_times(tmp_path: Path, part: int, record_property: Callable[[str, object], None]) -> None:
    totals = interrupt_all(tmp_path, -(-NIGHTLY // PARTS), seed=1913 + part)
    record_property("measured", str(totals))
    assert not totals.wrong + totals.slow, "\n".join([str(totals), *totals.wrong, *totals.slow])
