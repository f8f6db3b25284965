"""What each feature of the selective search gains: nodes to a depth, and matches with and without it.

    python benchmarks/selective_features.py OPENINGS --depth 8
    python benchmarks/selective_features.py OPENINGS --without reduction_depth=99 --games 400 --store games.jsonl
    python benchmarks/selective_features.py OPENINGS --without exact
    python benchmarks/selective_features.py OPENINGS --given null_move_depth=4 --without null_move_depth=0

A match is between the default parameters and those with changes, or the exact search. Both sides have the same number
of nodes a move; each opening is played twice, with colours swapped. Finished games are kept in the store, one line
each; the same command continues from there. Games end by the rules, by a draw that can be claimed, or when both sides
agree on a won or drawn score (of chess). OPENINGS holds a position of the game on each line.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path

import zermelo
from zermelo.core.game import MAX, MIN
from zermelo.core.history import PositionHistory
from zermelo.search.engine import Engine
from zermelo.search.selective import Selective

# A game is won when both sides see at least WON centipawns for AGREED moves. It is drawn when both see at most DRAWN
# for AGREED_DRAWN moves, from ply DRAWN_FROM on.
WON = 600
AGREED = 4
DRAWN = 10
AGREED_DRAWN = 8
DRAWN_FROM = 60
MOST_PLIES = 300
# Openings of which the nodes to a depth are summed.
OPENINGS = 20
#: Each feature that is on by default and the change that switches it off.
FEATURES = {
    "kept histories": "keep_history=0",
    "correction history": "correction_limit=0",
    "reverse futility": "reverse_futility_depth=0",
    "null move": "null_move_depth=0",
    "late move reductions": "reduction_depth=99",
    "late move pruning": "late_move_depth=0",
    "futility": "futility_depth=-1",
    "losing captures": "exchange_depth=0",
    "losing quiet moves": "quiet_exchange_depth=0",
    "delta pruning": "delta_margin=100000",
    "check extension": "check_extension=0",
    "single-reply extension": "single_reply_extension=0",
    "internal iterative reduction": "iterative_reduction_depth=0",
}


def side(changes: str) -> Selective | bool:
    """The parameters of a side: "exact", or changes as NAME=VALUE,NAME=VALUE."""
    if changes == "exact":
        return False
    pairs = [each.partition("=") for each in changes.split(",") if each]
    return Selective(**{name: int(value) for name, _, value in pairs})


def play(
    game: str, start: str, sides: tuple[Selective | bool, Selective | bool], nodes: int, evaluation: str | None
) -> int:
    """Play a game between MAX and MIN; returns its result for MAX."""
    state = zermelo.load(game).parse(start)
    history = PositionHistory()
    engines = {MAX: Engine("8M", selective=sides[0]), MIN: Engine("8M", selective=sides[1])}
    agreed = drawn = 0
    for ply in range(MOST_PLIES):
        if state.is_over():
            utility = state.utility()
            return (utility > 0) - (utility < 0)
        engine = engines[state.to_move()]
        *_, found = engine.analysis(state, nodes=nodes, evaluation=evaluation, history=history)
        score = found.score.number if not found.score.is_proven else found.score.number * 10 * WON
        won = MAX if score >= WON else MIN if score <= -WON else 0
        agreed = 0 if won == 0 else agreed + won if agreed * won >= 0 else won
        if abs(agreed) >= 2 * AGREED:
            return won
        drawn = drawn + 1 if ply >= DRAWN_FROM and abs(score) <= DRAWN else 0
        if drawn >= 2 * AGREED_DRAWN:
            return 0
        assert found.move is not None
        history.push(state)
        state = state.play(found.move)
        occurrences = history.push(state)
        history.pop()
        if 0 < state.draw_at_repetition <= occurrences:
            return 0
        if 0 < state.draw_at_reversible_plies <= state.reversible_plies():
            return 0
    return 0


def elo(wins: int, draws: int, losses: int) -> tuple[float, float]:
    """The difference in Elo points, and half the width of its 95 % interval."""
    games = wins + draws + losses
    mean = (wins + draws / 2) / games
    spread = math.sqrt((wins * (1 - mean) ** 2 + draws * (0.5 - mean) ** 2 + losses * mean**2) / games)
    low, middle, high = (
        min(max(each, 1e-3), 1 - 1e-3)
        for each in (mean - 1.96 * spread / games**0.5, mean, mean + 1.96 * spread / games**0.5)
    )
    points = [-400 * math.log10(1 / each - 1) for each in (low, middle, high)]
    return points[1], (points[2] - points[0]) / 2


def match(options: argparse.Namespace) -> None:
    """Play a match, or what is missing of it, and print the result."""
    openings = Path(options.openings).read_text("utf-8").splitlines()
    store = Path(options.store) if options.store else None
    known = [json.loads(line) for line in store.read_text("utf-8").splitlines()] if store and store.exists() else []
    for changes in options.without or FEATURES.values():
        ours, theirs = side(options.given), side(changes)
        played = {
            each["number"]: each["result"]
            for each in known
            if (each["given"], each["without"], each["nodes"], each["game"], each.get("evaluation"))
            == (options.given, changes, options.nodes, options.game, options.evaluation)
        }
        for number in range(options.games):
            if number in played:
                continue
            opening = openings[(options.skip + number // 2 * 37) % len(openings)]
            if number % 2 == 0:
                result = play(options.game, opening, (ours, theirs), options.nodes, options.evaluation)
            else:
                result = -play(options.game, opening, (theirs, ours), options.nodes, options.evaluation)
            played[number] = result
            if store:
                row = {
                    "game": options.game,
                    "given": options.given,
                    "without": changes,
                    "nodes": options.nodes,
                    "evaluation": options.evaluation,
                    "number": number,
                    "result": result,
                }
                with store.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(row) + "\n")
        results = list(played.values())
        wins, draws, losses = (results.count(each) for each in (1, 0, -1))
        points, error = elo(wins, draws, losses)
        print(
            f"{changes:35} +{wins} ={draws} -{losses}  {points:+.0f} ± {error:.0f} Elo, {options.nodes} nodes a move",
            flush=True,
        )


def depths(options: argparse.Namespace) -> None:
    """Print the nodes that each search takes to a depth, summed over the first openings."""
    game = zermelo.load(options.game)
    states = [game.parse(line) for line in Path(options.openings).read_text("utf-8").splitlines()[:OPENINGS]]
    whole = 0
    for name, changes in {"all features": "", **FEATURES}.items():
        nodes = 0
        for state in states:
            with Engine("8M", selective=side(changes)) as engine:
                nodes += engine.analyse(state, depth=options.depth, evaluation=options.evaluation).nodes
        whole = whole or nodes
        without = name if not changes else f"without {name}"
        print(f"{without:40} {nodes:12,} nodes to depth {options.depth}, {nodes / whole:.2f} of all", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("openings")
    parser.add_argument("--game", default="chess")
    parser.add_argument("--evaluation", help="the evaluation's name; default: the game's first")
    parser.add_argument("--given", default="")
    parser.add_argument("--without", action="append")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--skip", type=int, default=0)
    parser.add_argument("--store")
    parser.add_argument("--depth", type=int, help="print the nodes to this depth instead of playing")
    options = parser.parse_args()
    (match if options.depth is None else depths)(options)


main()
