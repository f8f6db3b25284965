"""A match of checkers against DarkHorse.

    python benchmarks/darkhorse.py COMMAND OPENINGS [--seconds S] [--games N] [--store FILE]

DarkHorse (https://github.com/CheckersGuy/DarkHorse, MIT licence) is an engine with a network and a protocol of its own.
COMMAND starts its `MainEngine`; the network must be in the same folder. Commit ae94496 has the last network that its
repository holds, bigbug14.quant. On Linux it probes no endgame tables. OPENINGS has one position per line. Each is
played twice, with sides swapped.

Both programs have S seconds per move and one thread; Zermelo has its endgame table of 4 pieces. A game of 300 plies is
a draw. `zermelo standings FILE` shows the finished games, also after an interruption.
"""

from __future__ import annotations

import argparse
import shlex
import shutil
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import report

from zermelo.arena import match
from zermelo.arena.players.player import GameSetup, Player, PlayResult, Turn
from zermelo.core.game import MAX
from zermelo.errors import EngineFailure, FileError
from zermelo.games.checkers import Checkers

MOST_PLIES = 300
# Binary logarithm of the number of entries of DarkHorse's transposition table.
TABLE = 20
# DarkHorse's digits of pieces.
DIGITS = {("black", "disc"): "1", ("white", "disc"): "2", ("black", "crowned"): "3", ("white", "crowned"): "4"}


class Move(NamedTuple):
    """A move in DarkHorse's form; squares are numbered from 0 to 31."""

    origin: int
    target: int
    captured: frozenset[int]


def square_of(column: int, row: int) -> int:
    return 4 * row + column // 2


def converted(state: Checkers, move: int) -> Move:
    """Return a move in DarkHorse's form."""
    path = [square_of(*place) for place in state.move_path(move)]
    opponent = "white" if state.to_move() == MAX else "black"
    before, after = (
        {square_of(piece.column, piece.row) for piece in each.picture().pieces if piece.colour == opponent}
        for each in (state, state.play(move))
    )
    return Move(path[0], path[-1], frozenset(before - after))


class DarkHorse(Player):
    """The program as a player. One process plays all games."""

    text = "DarkHorse"

    def __init__(self, command: str) -> None:
        program, *arguments = shlex.split(command)
        found = shutil.which(program)
        if found is None:
            raise FileError(f"program not found: {program}")
        path = Path(found).resolve()
        self._process = subprocess.Popen(
            [path, *arguments], cwd=path.parent, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._known = 0  # moves of the game that DarkHorse knows
        try:
            self._ask(f"init {TABLE}", "init_ready")
        except EngineFailure:
            self.end()
            raise

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()

    def new_game(self, setup: GameSetup) -> None:
        self._known = 0
        squares = dict.fromkeys(range(32), "0")
        for piece in setup.start.picture().pieces:
            squares[square_of(piece.column, piece.row)] = DIGITS[piece.colour, piece.kind]
        side = "B" if setup.start.to_move() == MAX else "W"
        self._ask(f"new_game {''.join(squares.values())}{side}", "game_ready")

    def choose(self, turn: Turn) -> PlayResult:
        states = [*turn.history, turn.state]
        for state, move in list(zip(states, turn.moves, strict=False))[self._known :]:
            played = converted(state, move)
            squares = " ".join(map(str, (played.origin, played.target, *sorted(played.captured))))
            self._ask(f"new_move {squares} end_move", "update_ready")
        lines = self._ask(f"search {round(1000 * (turn.clock.limit or 0.1))}", "end_move")
        origin, target, *captured = map(int, lines[lines.index("new_move") + 1 :])
        self._known = len(turn.moves) + 1
        wanted = Move(origin, target, frozenset(captured))
        for move in turn.state.legal_moves():
            if converted(turn.state, move) == wanted:
                return PlayResult(move)
        raise EngineFailure(f"DarkHorse: illegal move {wanted} in {turn.state}")

    def _ask(self, command: str, last: str) -> list[str]:
        """Send a command; return the lines of its answer before the last one."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):  # the missing answer is reported below
            self._process.stdin.write(command + "\n")
            self._process.stdin.flush()
        lines: list[str] = []
        for line in self._process.stdout:
            if line.strip() == last:
                return lines
            lines.append(line.strip())
        raise EngineFailure(f"DarkHorse ended before {last}, after {command!r}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("command", help="command that starts DarkHorse, such as DarkHorse/MainEngine")
    parser.add_argument("openings", help="file of positions, one per line")
    parser.add_argument("--seconds", type=float, default=0.1, help="seconds per move (default 0.1)")
    parser.add_argument("--games", type=int, default=100, help="number of games, even (default 100)")
    parser.add_argument("--store", help="save the games in this file, which must not exist")
    options = parser.parse_args()
    report.read_positions(Checkers, options.openings)  # a wrong line is reported before DarkHorse starts
    other = DarkHorse(options.command)
    try:
        table = match(
            "checkers", "zermelo=engine", other, games=options.games, openings=f"file:{options.openings},order=random",
            control=f"seconds={options.seconds:g},margin=2", max_plies=MOST_PLIES, seed=1, store=options.store,
        )  # fmt: skip
    finally:
        other.end()
    print(table)


if __name__ == "__main__":
    report.run(main)
