"""Interpreted games: nodes per second of Zermelo's engine in plain Python beside easyAI's, on easyAI's own games.

Nim, Knights and Awari are the games of docs/porting.md, read from that page; Connect Four is below. Both sides search
the start position to the same depth by alpha-beta; a node is a state visited. CPU time, in turn, best of the rounds.

    python benchmarks/interpreted.py [--rounds N] [--json]

Exit status 1 if Zermelo visits fewer nodes per second in any game.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import report

import zermelo
from zermelo import MAX

PAGE = Path(__file__).parent.parent / "docs" / "porting.md"
#: A game: its name, our start, the depth, and easyAI's start and scoring if it has the game.
Pair = tuple[str, Any, int, Callable[[], Any] | None, Callable[[Any], float] | None]
FILE = re.compile(r"^```python\n# (\w+)\.py\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@zermelo.game(compiled=False)
class ConnectFour:
    """Seven columns of seven bits, the top one always empty; `own` are the stones of the side to move."""

    own: int = 0
    all: int = 0
    turn: int = MAX

    def to_move(self):
        return self.turn

    def moves(self):
        return [column for column in range(7) if not self.all >> (7 * column + 5) & 1]

    def play(self, move):
        return ConnectFour(self.own ^ self.all, self.all | (self.all + (1 << 7 * move)), -self.turn)

    def is_over(self):
        stones = self.own ^ self.all  # of the side that moved last
        for step in (1, 7, 6, 8):
            pairs = stones & stones >> step
            if pairs & pairs >> 2 * step:
                return True
        return self.all == 0xFDFBF7EFDFBF

    def utility(self):
        stones = self.own ^ self.all
        return -self.turn if any(stones & stones >> s & stones >> 2 * s & stones >> 3 * s for s in (1, 7, 6, 8)) else 0


def ported() -> dict[str, Any]:
    """Return the games of docs/porting.md by name."""
    games: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, code in FILE.findall(PAGE.read_text(encoding="utf-8")):
            path = Path(folder, f"{name}.py")
            path.write_text(code, encoding="utf-8")
            spec = importlib.util.spec_from_file_location(name, path)
            assert spec is not None
            assert spec.loader is not None
            module = importlib.util.module_from_spec(spec)
            sys.modules[name] = module
            spec.loader.exec_module(module)
            games[name] = getattr(module, name.capitalize())
    return games


class Seat:
    """What easyAI's games keep for a player."""


def seated(cls: Callable[[Any], Any]) -> Callable[[], Any]:
    """Return a function that makes a game of easyAI with two players."""
    return lambda: cls([Seat(), Seat()])


def theirs(make: Callable[[], Any], depth: int, scoring: Callable[[Any], float] | None) -> tuple[int, float]:
    """Search with easyAI: nodes and CPU seconds. Nodes are counted in a second, separate search."""
    from easyAI import Negamax

    module: Any = sys.modules["easyAI.AI.Negamax"]
    search, game = Negamax(depth, scoring), make()
    began = time.process_time()
    search(game)
    seconds = time.process_time() - began
    plain, nodes = module.negamax, 0

    def counting(*arguments: Any, **named: Any) -> Any:
        nonlocal nodes
        nodes += 1
        return plain(*arguments, **named)

    module.negamax = counting
    try:
        search(make())
    finally:
        module.negamax = plain
    return nodes, seconds


def ours(start: Any, depth: int) -> tuple[int, float]:
    """Search with engines of their own until 0.2 CPU seconds are over: nodes and CPU seconds of one search."""
    zermelo.analyse(start, depth=min(depth, 6))  # compiles the game if it can be compiled
    searches, nodes, seconds = 0, 0, 0.0
    while seconds < 0.2:
        with zermelo.Engine() as engine:
            began = time.process_time()
            nodes += engine.analyse(start, depth=depth).nodes
            seconds += time.process_time() - began
        searches += 1
    return nodes // searches, seconds / searches


def textbook(start: Any, depth: int) -> tuple[int, float]:
    """Search with the textbook's alpha-beta: nodes and CPU seconds."""
    began = time.process_time()
    found = zermelo.alphabeta(start, depth)
    return found.nodes, time.process_time() - began


def pairs() -> list[Pair]:
    """Return the games of docs/porting.md and Connect Four with those of easyAI."""
    from easyAI.games.Awele import Awele
    from easyAI.games.ConnectFour import ConnectFour as TheirConnectFour
    from easyAI.games.Knights import Knights
    from easyAI.games.Nim import Nim

    known = ported()
    return [
        ("Nim", known["piles"].start(), 7, seated(Nim), lambda game: 100 if game.win() else 0),
        ("Knights", known["knights"].start(), 9, seated(Knights), lambda game: -100 if game.lose() else 0),
        ("Connect Four", ConnectFour.start(), 6, seated(TheirConnectFour), lambda game: -100 if game.lose() else 0),
        ("Awari", known["awari"].start(), 8, seated(Awele), lambda game: game.player.score - game.opponent.score),
    ]


def compare(description: str, title: str, pairs: Callable[[], list[Pair]], with_textbook: bool = True) -> bool:
    """Measure pairs of games and print the table; returns whether Zermelo visits fewer nodes per second in any."""
    parser = argparse.ArgumentParser(description=description.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3, help="searches of each game and side (default 3)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    options = parser.parse_args()
    try:
        games = pairs()
    except ImportError as error:
        print(f"easyAI: not installed ({error})", file=sys.stderr)
        return False
    rows, data, slower = [], [], False
    for name, start, depth, make, scoring in games:
        sides = {"Zermelo": partial(ours, start, depth)}
        if with_textbook:
            sides["textbook"] = partial(textbook, start, depth)
        if make is not None:
            sides["easyAI"] = partial(theirs, make, depth, scoring)
        best: dict[str, tuple[float, int, float]] = {}
        for _ in range(max(1, options.rounds)):
            for side, search in sides.items():
                nodes, seconds = search()
                best[side] = max(best.get(side, (0.0, 0, 0.0)), (nodes / max(seconds, 1e-9), nodes, seconds))
        for side, (rate, nodes, seconds) in best.items():
            ratio = rate / best["easyAI"][0] if "easyAI" in best else None
            slower = slower or (side == "Zermelo" and ratio is not None and ratio < 1)
            count = report.format_count(nodes)
            cells = [name, str(depth), side, count, f"{seconds:.2g}", report.format_rate(rate)]
            rows.append([*cells, report.format_ratio(ratio)])
            measured = {"nodes": nodes, "seconds": seconds, "rate": rate, "ratio": ratio}
            data.append({"game": name, "depth": depth, "side": side, **measured})
    if options.json:
        report.print_json({"measured": data})
    else:
        columns = ["game", "depth", "side", "nodes", "CPU s", "nodes/s", "side / easyAI"]
        report.print_table(title, columns, rows, numbers=columns[3:])
    return slower


if __name__ == "__main__":
    sys.exit(compare(__doc__ or "", "Interpreted games", pairs))
