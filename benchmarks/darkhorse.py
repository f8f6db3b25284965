"""Matches of checkers against DarkHorse, with error bars.

    python benchmarks/darkhorse.py COMMAND OPENINGS [--seconds S] [--games N] [--store FILE]

DarkHorse (https://github.com/CheckersGuy/DarkHorse, MIT licence) is an engine with a network. It has a protocol of its
own. COMMAND starts its `MainEngine`, in a folder with its network: commit ae94496 has the last one, bigbug14.quant. On
Linux it has no endgame tables. OPENINGS has a position on each line; each is played twice, with colours exchanged.

Both programs have S seconds a move and one thread; Zermelo has its endgame table of 4 pieces. Games end by the rules,
by repetition, or as a draw after 300 plies. Finished games are kept in FILE, one per
line; repeat the command to continue.
"""

from __future__ import annotations

import argparse
import json
import shlex
import shutil
import subprocess
from contextlib import closing, suppress
from pathlib import Path
from typing import NamedTuple

import report
from selective_features import CHANGED, GIVEN, stored, summary

from zermelo.arena.game_record import BY_RULES, GameResult
from zermelo.core.game import MAX
from zermelo.core.history import PositionHistory
from zermelo.errors import EngineFailure, FileError, LimitError
from zermelo.games.checkers import Checkers
from zermelo.search.engine import Engine, Limits
from zermelo.solve import endgames

MOST_PLIES = 300
# Binary logarithm of the number of entries of DarkHorse's table.
TABLE = 20
# A piece in its text of a position: a black or white man, a black or white king.
PIECES = {"black man": "1", "white man": "2", "black king": "3", "white king": "4"}


class Move(NamedTuple):
    """A move as DarkHorse sees it: squares from 0 to 31."""

    origin: int
    target: int
    captured: frozenset[int]


def pieces(state: Checkers) -> dict[int, str]:
    """The pieces by their squares, from 0 to 31."""
    found = {}
    for side in str(state).split(":")[1:3]:
        for name in filter(None, side[1:].split(",")):
            kind = "king" if name.startswith("K") else "man"
            found[int(name.removeprefix("K")) - 1] = f"{'white' if side[0] == 'W' else 'black'} {kind}"
    return found


def seen(state: Checkers, move: int) -> Move:
    """A move of a state as DarkHorse sees it."""
    path = [4 * row + column // 2 for column, row in state.move_path(move)]
    colour = "black" if state.to_move() == MAX else "white"
    gone = pieces(state).items() - pieces(state.play(move)).items()
    return Move(path[0], path[-1], frozenset(square for square, name in gone if not name.startswith(colour)))


class DarkHorse:
    """A DarkHorse process."""

    def __init__(self, command: str, seconds: float) -> None:
        program, *arguments = shlex.split(command)
        found = shutil.which(program)
        if found is None:
            raise FileError(f"program not found: {program}")
        path = Path(found).resolve()
        self.milliseconds = max(round(1000 * seconds), 1)
        self.process = subprocess.Popen(
            [path, *arguments], cwd=path.parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def close(self) -> None:
        """End the process."""
        self.process.kill()
        self.process.communicate()

    def ask(self, command: str, last: str) -> list[str]:
        """Send a command; return the lines of its answer before the last one."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with suppress(BrokenPipeError):  # it has ended; so will its answer
            self.process.stdin.write(command + "\n")
            self.process.stdin.flush()
        lines: list[str] = []
        for line in self.process.stdout:
            if line.strip() == last:
                return lines
            lines.append(line.strip())
        raise EngineFailure(f"DarkHorse ended without {last}, after {command!r}")

    def new_game(self, state: Checkers) -> None:
        self.ask(f"init {TABLE}", "init_ready")
        board = pieces(state)
        text = "".join(PIECES[board[square]] if square in board else "0" for square in range(32))
        self.ask(f"new_game {text}{'B' if state.to_move() == MAX else 'W'}", "game_ready")

    def tell(self, move: Move) -> None:
        squares = " ".join(map(str, (move.origin, move.target, *sorted(move.captured))))
        self.ask(f"new_move {squares} end_move", "update_ready")

    def choose(self, state: Checkers) -> int:
        """DarkHorse's move."""
        lines = self.ask(f"search {self.milliseconds}", "end_move")
        origin, target, *captured = map(int, lines[lines.index("new_move") + 1 :])
        wanted = Move(origin, target, frozenset(captured))
        for move in state.legal_moves():
            if seen(state, move) == wanted:
                return move
        raise EngineFailure(f"DarkHorse plays {wanted} at {state}: illegal")


def play(start: Checkers, is_black: bool, seconds: float, other: DarkHorse) -> float:
    """Play a game; return Zermelo's points."""
    state, history = start, PositionHistory()
    history.push(state)
    other.new_game(state)
    with Engine("64M") as engine:
        for _ in range(MOST_PLIES):
            if state.is_over():
                utility = state.utility() * (1 if is_black else -1)
                return ((utility > 0) - (utility < 0) + 1) / 2
            if (state.to_move() == MAX) == is_black:
                history.pop()
                move = engine.analyse(state, seconds=seconds, history=history).move
                history.push(state)
                assert move is not None
                other.tell(seen(state, move))
            else:
                move = other.choose(state)
            state = state.play(move)
            if history.push(state) >= state.draw_at_repetition:
                return 0.5
    return 0.5


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("command", help="command that starts DarkHorse, such as 'MainEngine --network bigbug14.quant'")
    parser.add_argument("openings", help="file of positions, one per line")
    parser.add_argument("--seconds", type=float, default=0.1, help="seconds a move (default 0.1)")
    parser.add_argument("--games", type=int, default=100, help="number of games (default 100)")
    parser.add_argument("--store", type=Path, help="file of the games; if it exists, the match is continued")
    options = parser.parse_args()
    openings = report.read_positions(Checkers, options.openings)
    if options.games < 1:
        raise LimitError(f"--games must be at least 1 (got {options.games})")
    Limits(seconds=options.seconds)  # checks them
    key = {"game": "checkers", "against": options.command, "seconds": options.seconds}
    rows = stored(options.store) if options.store and options.store.exists() else []
    known = {row["number"]: row for row in rows if all(row.get(name) == value for name, value in key.items())}
    endgames.prepare(Checkers)
    results: list[GameResult] = []
    with closing(DarkHorse(options.command, options.seconds)) as other:
        for number in range(options.games):
            start, is_black = openings[number // 2 * 37 % len(openings)], number % 2 == 0
            row = known.get(number)
            if row is None or row["opening"] != str(start):
                points = play(start, is_black, options.seconds, other)
                row = {**key, "number": number, "opening": str(start), "result": round(2 * points - 1)}
                if options.store:
                    with options.store.open("a") as file:
                        file.write(json.dumps(row) + "\n")
            names = (GIVEN, CHANGED) if is_black else (CHANGED, GIVEN)
            points = (1 + row["result"] * (1 if is_black else -1)) / 2
            results.append(GameResult(number, names, points, BY_RULES, game_pair=number // 2))
            if number % 10 == 9 or number == options.games - 1:
                print(
                    f"{number + 1} games against DarkHorse, {options.seconds:g} s a move: {summary(results)}",
                    flush=True,
                )


if __name__ == "__main__":
    report.run(main)
