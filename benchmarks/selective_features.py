"""What each feature of the selective search gains: nodes to a depth, and matches with and without it.

    python benchmarks/selective_features.py OPENINGS --depth 8
    python benchmarks/selective_features.py OPENINGS --without reduction_depth=99 --games 400 --store games.jsonl
    python benchmarks/selective_features.py OPENINGS --without reduction_depth=99 --games 2000 --sprt 0,10
    python benchmarks/selective_features.py OPENINGS --without exact
    python benchmarks/selective_features.py OPENINGS --given null_move_depth=4 --without null_move_depth=0

A match is between the default parameters and those with changes, or the exact search. Both sides have the same
evaluation and the same number of nodes a move; each opening is played twice, with colours swapped. Elo differences have
95 % intervals from the game pairs, as in `zermelo match`. Finished games are kept in the store, one line each; the same
command continues from there. Games end by the rules, by a draw that can be claimed, or by adjudication. OPENINGS holds
a position of the game on each line.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

import report

import zermelo
from zermelo._util.resume_files import complete_lines
from zermelo._util.user_files import open_file
from zermelo.arena.adjudication import Adjudicator
from zermelo.arena.game_record import BY_RULES, GameResult, MoveReport
from zermelo.arena.sprt import Sprt
from zermelo.arena.tables.ratings import elo_text, ratings
from zermelo.core.evaluation import evaluation_name, resolve_evaluation
from zermelo.core.game import MAX, MIN, State
from zermelo.core.history import PositionHistory
from zermelo.errors import FormatError, LimitError
from zermelo.search.engine import Engine
from zermelo.search.selective import Selective

#: Adjudication of chess, in centipawns. Scores of other games have other units: by default none of their games is
#: adjudicated.
CHESS_RULES = "agreed:score=600,plies=8;draw:score=10,plies=16,after=76"
#: A proven win in place of a score.
PROVEN = 1_000_000
MOST_PLIES = 300
# Openings of which the nodes to a depth are summed.
OPENINGS = 20
#: The sides of a match.
GIVEN, CHANGED = "given", "changed"
#: Each feature that is on by default and the change that switches it off.
FEATURES = {
    "kept histories": "keep_history=0",
    "correction history": "correction_limit=0",
    "reverse futility": "reverse_futility_depth=0",
    "null move": "null_move_depth=0",
    "late move reductions": "reduction_depth=99",
    "late move pruning": "late_move_depth=0",
    "futility": "futility_depth=0",
    "losing captures": "exchange_depth=0",
    "losing quiet moves": "quiet_exchange_depth=0",
    "delta pruning": "delta_margin=100000",
    "check extension": "check_extension=0",
    "single-reply extension": "single_reply_extension=0",
    "internal iterative reduction": "iterative_reduction_depth=0",
    "improving": "improving=0",
    "killer and counter moves": "killer_moves=0",
    "continuation history": "continuation_history=0",
    "capture history": "capture_history=0",
    "aspiration window": "aspiration_window=0",
}


def side(game: type[State], changes: str) -> Selective | bool:
    """Return the parameters of a side: "exact", or changes of the game's as NAME=VALUE,NAME=VALUE.

    Raises
    ------
    LimitError
        If there is no such parameter, or a value is not an integer.
    """
    if changes == "exact":
        return False
    values = {}
    for each in filter(None, changes.split(",")):
        name, _, value = each.partition("=")
        try:
            values[name] = int(value)
        except ValueError:
            raise LimitError(f"{each}: expected exact or NAME=VALUE,NAME=VALUE, with integers") from None
    return Selective.of_game(game, **values)


def play(
    start: State, sides: tuple[Selective | bool, Selective | bool], nodes: int, evaluation: str, rules: Adjudicator
) -> float:
    """Play a game between MAX and MIN; returns the points of MAX."""
    state, history, reports = start, PositionHistory(), list[MoveReport]()
    engines = {MAX: Engine("8M", selective=sides[0]), MIN: Engine("8M", selective=sides[1])}
    for _ in range(MOST_PLIES):
        if state.is_over():
            utility = state.utility()
            return ((utility > 0) - (utility < 0) + 1) / 2
        mover = state.to_move()
        *_, found = engines[mover].analysis(state, nodes=nodes, evaluation=evaluation, history=history)
        score = found.score.number * (PROVEN if found.score.is_proven else 1)
        reports.append(MoveReport(player=0 if mover == MAX else 1, score=score))
        if verdict := rules.after_move(state, history, reports):
            return verdict.points
        assert found.move is not None
        history.push(state)
        state = state.play(found.move)
        occurrences = history.push(state)
        history.pop()
        if 0 < state.draw_at_repetition <= occurrences:
            return 0.5
        if 0 < state.draw_at_reversible_plies <= state.reversible_plies():
            return 0.5
    return 0.5


def stored(path: Path) -> list[dict[str, Any]]:
    """Return the games of a store. A last line without its end, which a kill may leave, is removed.

    Raises
    ------
    FileError
        If the file cannot be read.
    FormatError
        If it is not a store of this script, or a line is damaged.
    """
    games, size = list[dict[str, Any]](), 0
    with open_file(path, max_bytes=report.MAX_BYTES) as file:
        try:
            for line in complete_lines(file, b'{"game": '):
                row = json.loads(line)
                if type(row["number"]) is not int or row["result"] not in (-1, 0, 1):
                    raise ValueError
                games.append(row)
                size += len(line)
        except (FormatError, ValueError, TypeError, KeyError, RecursionError):
            number = len(games) + 1
            raise FormatError(f"{path}: line {number} is not a game of this script; use another --store") from None
    os.truncate(path, size)
    return games


def summary(results: list[GameResult]) -> str:
    """Return wins, draws and losses of the given parameters, and the Elo difference with its 95 % interval."""
    points = [each.points if each.names[0] == GIVEN else 1 - each.points for each in results]
    wins, draws, losses = (points.count(each) for each in (1.0, 0.5, 0.0))
    found = ratings([GIVEN, CHANGED], results, anchor=CHANGED)
    difference = found.difference(GIVEN, CHANGED)
    assert difference is not None
    elo = elo_text(difference.elo, found[GIVEN].bound)
    return f"+{wins} ={draws} -{losses}  {elo} ± {difference.error:.0f} Elo"


def match(options: argparse.Namespace) -> None:
    """Play a match, or what is missing of it, and print the result."""
    game = zermelo.load(options.game)
    openings = report.read_positions(game, options.openings)
    given = side(game, options.given)
    sides = [(changes, given, side(game, changes)) for changes in options.without or FEATURES.values()]
    evaluation = options.evaluation or evaluation_name(openings[0], resolve_evaluation(openings[0], None, True))
    resolve_evaluation(openings[0], evaluation)
    adjudication = options.adjudicate
    if adjudication is None:
        adjudication = CHESS_RULES if options.game == "chess" else ""
    rules = Adjudicator(game, adjudication)
    store = Path(options.store) if options.store else None
    known = stored(store) if store and store.exists() else []
    for changes, ours, theirs in sides:
        key = {
            "game": options.game, "given": options.given, "without": changes, "nodes": options.nodes,
            "evaluation": evaluation, "adjudication": adjudication,
        }  # fmt: skip
        # Rows of earlier versions have no adjudication: theirs was that of chess, in all games.
        known = [{"adjudication": CHESS_RULES, **row} for row in known]
        played = {row["number"]: row["result"] for row in known if all(row.get(name) == key[name] for name in key)}
        monitor = options.sprt.monitor(GIVEN) if options.sprt else None
        results = list[GameResult]()
        for number in range(options.games):
            is_first = number % 2 == 0
            if number not in played:
                opening = openings[(options.skip + number // 2 * 37) % len(openings)]
                both = (ours, theirs) if is_first else (theirs, ours)
                points = play(opening, both, options.nodes, evaluation, rules)
                played[number] = round(2 * (points if is_first else 1 - points) - 1)
                if store:
                    with store.open("a", encoding="utf-8") as file:
                        file.write(json.dumps({**key, "number": number, "result": played[number]}) + "\n")
            names = (GIVEN, CHANGED) if is_first else (CHANGED, GIVEN)
            points = (1 + played[number] * (1 if is_first else -1)) / 2
            results.append(GameResult(number, names, points, BY_RULES, game_pair=number // 2))
            if monitor is not None and monitor.add(results[-1]).verdict:
                break
        print(f"{changes:35} {summary(results)}, {options.nodes} nodes a move, {evaluation}", flush=True)
        if monitor is not None:
            state = monitor.state
            verdict = f"{state.verdict} accepted" if state.verdict else "undecided"
            print(
                f"  SPRT {options.sprt}: {verdict} after {state.pairs} game pairs, "
                f"LLR {state.llr:.2f} ({state.lower:.2f} to {state.upper:.2f})",
                flush=True,
            )


def depths(options: argparse.Namespace) -> None:
    """Print the nodes that each search takes to a depth, summed over the first openings."""
    game = zermelo.load(options.game)
    states = report.read_positions(game, options.openings)[:OPENINGS]
    whole = 0
    for name, changes in {"all features": "", **FEATURES}.items():
        nodes = 0
        for state in states:
            with Engine("8M", selective=side(game, changes)) as engine:
                nodes += engine.analyse(state, depth=options.depth, evaluation=options.evaluation).nodes
        whole = whole or nodes
        without = name if not changes else f"without {name}"
        print(f"{without:40} {nodes:12,} nodes to depth {options.depth}, {nodes / whole:.2f} of all", flush=True)


def sprt(text: str) -> Sprt:
    """Parse ELO0,ELO1."""
    elo0, comma, elo1 = text.partition(",")
    if not comma:
        raise LimitError(f"--sprt {text}: expected ELO0,ELO1, as in 0,10")
    return Sprt.parse(f"elo0={elo0},elo1={elo1}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("openings", help="file of positions of the game, one a line")
    parser.add_argument("--game", default="chess", help="the game (default chess)")
    parser.add_argument(
        "--evaluation", help="evaluation of both sides (default: that of the game's selective searches; chess: network)"
    )
    parser.add_argument(
        "--given", default="", metavar="CHANGES", help="changes of the first side, NAME=VALUE,NAME=VALUE (default none)"
    )
    parser.add_argument(
        "--without", action="append", metavar="CHANGES",
        help="changes of the other side, or exact; repeatable (default: each feature switched off)",
    )  # fmt: skip
    parser.add_argument("--games", type=int, default=200, help="games of each match (default 200)")
    parser.add_argument("--nodes", type=int, default=5000, help="nodes a move (default 5000)")
    parser.add_argument("--skip", type=int, default=0, help="number of the first opening, from 0 (default 0)")
    parser.add_argument("--sprt", metavar="ELO0,ELO1", help="stop a match by SPRT of these Elo differences, as in 0,10")
    parser.add_argument(
        "--adjudicate", metavar="RULES",
        help="rules that end games early, as of `zermelo match`; empty: none (default in chess "
        f"{CHESS_RULES}, in other games none)",
    )  # fmt: skip
    parser.add_argument("--store", help="file of the games; continued if it exists")
    parser.add_argument("--depth", type=int, help="print the nodes to this depth instead of playing")
    options = parser.parse_args()
    if options.games < 1:
        raise LimitError(f"--games must be at least 1 (got {options.games})")
    if options.skip < 0:
        raise LimitError(f"--skip must be at least 0 (got {options.skip})")
    options.sprt = sprt(options.sprt) if options.sprt else None
    (match if options.depth is None else depths)(options)


if __name__ == "__main__":
    report.run(main)
