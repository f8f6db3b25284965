"""Chess matches against other UCI engines: results, terminations and errors.

    python benchmarks/engines.py [--games N] [--seconds S] [--margin S] [--json]

Zermelo plays Stockfish, limited to Elo 1350, and GNU Chess: 20 games each at 0.05 s per move. Each opening of 6
random plies is played twice, with sides swapped. A crash, an illegal move or a missing answer counts as an error.
Engines that are not installed are skipped.

Exit status 1 if there were errors.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from statistics import median

from zermelo.arena.game_course import seed_of
from zermelo.arena.game_record import GameJob, GameRecord
from zermelo.arena.referee import play
from zermelo.errors import ZermeloError
from zermelo.games.chess import Chess
from zermelo.protocols.engine_commands import find_program

OURS = "engine"
OTHERS = {
    "stockfish, Elo 1350": "uci:UCI_LimitStrength=true,UCI_Elo=1350:stockfish",
    "gnuchess": "uci:gnuchess --uci",
}
OPENING = 6  # plies


def opening(number: int) -> tuple[int, ...]:
    """Return random plies from the start, determined by the number."""
    rng = random.Random(seed_of("opening", number))
    state, moves = Chess.start(), []
    for _ in range(OPENING):
        moves.append(rng.choice(state.legal_moves()))
        state = state.play(moves[-1])
    return tuple(moves)


def match(name: str, text: str, games: int, control: str) -> list[GameRecord]:
    """Play the games of a match."""
    records = []
    for number in range(games):
        players = ((OURS, text), (text, OURS))[number % 2]
        names = (("zermelo", name), (name, "zermelo"))[number % 2]
        first = opening(number // 2)
        records.append(
            play(GameJob(number, "chess", players, names, opening=first, seed=number, controls=(control, control)))
        )
        game = records[-1]
        print(f"{name}: game {number + 1}: {game.points:g} {game.termination} {game.detail[:200]}", file=sys.stderr)
    return records


def summarize(games: list[GameRecord]) -> dict[str, object]:
    """Summarize a match from Zermelo's point of view."""
    points = [game.points if number % 2 == 0 else 1 - game.points for number, game in enumerate(games)]
    errors = [
        f"{game.job.names[game.forfeited_by]}: {game.termination}" for game in games if game.forfeited_by is not None
    ]
    own = [move.seconds for game in games for move in game.reports if move.player == game.job.names.index("zermelo")]
    theirs = [
        move.seconds for game in games for move in game.reports if move.player == 1 - game.job.names.index("zermelo")
    ]
    return {
        "games": len(games),
        "wins": points.count(1),
        "draws": points.count(0.5),
        "losses": points.count(0),
        "errors": dict(Counter(errors)),
        "terminations": dict(
            Counter(game.detail if game.termination == "rules" else game.termination for game in games)
        ),
        "moves": sum(len(game.moves) for game in games),
        "seconds_per_move": [round(median(each), 4) if each else None for each in (own, theirs)],
        "longest_move": [round(max(each, default=0), 4) for each in (own, theirs)],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=20, help="games against each engine (default 20)")
    parser.add_argument("--seconds", type=float, default=0.05, help="seconds per move (default 0.05)")
    parser.add_argument("--margin", type=float, default=0.5, help="seconds by which a move may be late (default 0.5)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the list")
    options = parser.parse_args()
    control = f"seconds={options.seconds:g},margin={options.margin:g}"
    results = {}
    for name, text in OTHERS.items():
        try:
            find_program(text.rpartition(":")[2].split()[0])
        except ZermeloError as error:
            print(f"{name} skipped: {error}", file=sys.stderr)
            continue
        results[name] = summarize(match(name, text, options.games, control))
    if options.json:
        print(json.dumps({"seconds": options.seconds, "matches": results}))
    else:
        for name, result in results.items():
            print(f"zermelo against {name}, {options.seconds:g} s per move")
            for what, value in result.items():
                print(f"  {what:<16} {value}")
    return 1 if any(result["errors"] for result in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
