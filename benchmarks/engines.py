"""Chess against programs from outside, through UCI: whether all games are finished, and how they end.

    python benchmarks/engines.py [--games N] [--seconds S] [--margin S] [--json]

Our engine against stockfish held back to Elo 1350 and against gnuchess, 20 games each, at 0.05 s a move. Each opening
of 6 random plies is played twice, with the sides changed. A game that a player fails in counts as an error, whatever
it was: a crash, a move that is not legal, no answer. A program that is not installed is left out.

Exit status 1 if there was an error.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter
from statistics import median

from zermelo.arena.game_record import GameJob, GameRecord
from zermelo.arena.players.engines import find_program
from zermelo.arena.referee import play, seed_of
from zermelo.errors import ZermeloError
from zermelo.games.chess import Chess

OURS = "engine"
OTHERS = {
    "stockfish, Elo 1350": "uci:UCI_LimitStrength=true,UCI_Elo=1350:stockfish",
    "gnuchess": "uci:gnuchess --uci",
}
OPENING = 6  # plies


def opening(number: int) -> tuple[int, ...]:
    """Random plies from the start, the same for the same number."""
    dice = random.Random(seed_of("opening", number))
    state, moves = Chess.start(), []
    for _ in range(OPENING):
        moves.append(dice.choice(state.legal_moves()))
        state = state.play(moves[-1])
    return tuple(moves)


def match(name: str, text: str, games: int, control: str) -> list[GameRecord]:
    """The games of a match, in order."""
    played = []
    for number in range(games):
        players = ((OURS, text), (text, OURS))[number % 2]
        names = (("zermelo", name), (name, "zermelo"))[number % 2]
        first = opening(number // 2)
        played.append(
            play(GameJob(number, "chess", players, names, opening=first, seed=number, controls=(control, control)))
        )
        game = played[-1]
        print(f"{name}: game {number + 1}: {game.points:g} {game.termination} {game.detail[:200]}", file=sys.stderr)
    return played


def summed(games: list[GameRecord]) -> dict[str, object]:
    """What became of a match."""
    points = [game.points if number % 2 == 0 else 1 - game.points for number, game in enumerate(games)]
    errors = [
        f"{game.job.names[game.forfeited_by]}: {game.termination}" for game in games if game.forfeited_by is not None
    ]
    spent = [
        report.seconds for game in games for report in game.reports if report.player == game.job.names.index("zermelo")
    ]
    theirs = [
        report.seconds
        for game in games
        for report in game.reports
        if report.player == 1 - game.job.names.index("zermelo")
    ]
    return {
        "games": len(games),
        "wins": points.count(1),
        "draws": points.count(0.5),
        "losses": points.count(0),
        "errors": dict(Counter(errors)),
        "endings": dict(Counter(game.detail if game.termination == "rules" else game.termination for game in games)),
        "moves": sum(len(game.moves) for game in games),
        "seconds_a_move": [round(median(each), 4) if each else None for each in (spent, theirs)],
        "longest_move": [round(max(each, default=0), 4) for each in (spent, theirs)],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=20, help="games against each program [20]")
    parser.add_argument("--seconds", type=float, default=0.05, help="for a move [0.05]")
    parser.add_argument("--margin", type=float, default=0.5, help="how late a move may be [0.5]")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    control = f"seconds={given.seconds:g},margin={given.margin:g}"
    results = {}
    for name, text in OTHERS.items():
        try:
            find_program(text.rpartition(":")[2].split()[0])
        except ZermeloError as error:
            print(f"left out: {error}", file=sys.stderr)
            continue
        results[name] = summed(match(name, text, given.games, control))
    if given.json:
        print(json.dumps({"seconds": given.seconds, "matches": results}))
    else:
        for name, result in results.items():
            print(f"zermelo against {name}, {given.seconds:g} s a move")
            for what, value in result.items():
                print(f"  {what:<16} {value}")
    return 1 if any(result["errors"] for result in results.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
