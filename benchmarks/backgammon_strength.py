"""Backgammon: how well evaluations play, judged by GNU Backgammon, and matches between them.

    python benchmarks/backgammon_strength.py decisions [--teacher gnubg:plies=2] [--positions N]
    python benchmarks/backgammon_strength.py match EVALUATION OPPONENT --out FILE [--games N]

`decisions` plays games, and at some rolls has GNU Backgammon evaluate the positions after all plays. An evaluation
chooses the play after which its score is best; the equity that this loses against the best play is its error, in
thousandths of a point, by the network of the position (contact, crashed, race). "absolute" is the mean distance of its
scores from the equities. Both sides at home is left out: there the bear-off table is exact.

`match` plays pairs of games with the same rolls and the sides exchanged, without the doubling cube. A player is an
evaluation of Zermelo, `phases` or `network`, or GNU Backgammon's networks without looking ahead, `gnubg-nn` (or
`gnubg`). Finished pairs are appended to FILE, a line each; repeat the command to continue.
"""

from __future__ import annotations

import argparse
import json
import math
import random
from collections.abc import Callable
from pathlib import Path

import report

from zermelo.core.evaluation import resolve_evaluation
from zermelo.core.game import CHANCE, MAX, MIN
from zermelo.core.weight_file import load_weights
from zermelo.games.backgammon import Backgammon
from zermelo.games.backgammon.features import is_bearoff
from zermelo.games.backgammon.network import PositionNetwork, network_of
from zermelo.learn.teachers import Gnubg
from zermelo.search.position_search import PositionSearch

NAMES = ("contact", "crashed", "race")
#: Returns the best play of a state with dice.
Player = Callable[[Backgammon], int]


def evaluation_of(name: str):
    """An evaluation of Zermelo: by name, or the network of a weight file."""
    if name.endswith(".weights"):
        return load_weights(name, Backgammon, PositionNetwork)[0]
    return resolve_evaluation(Backgammon.start(), name)


def engine(name: str) -> Player:
    search = PositionSearch(Backgammon(), evaluation_of(name))
    return lambda state: search.search(state, 1).best


def teacher_player(teacher: Gnubg) -> Player:
    def choose(state: Backgammon) -> int:
        plays = state.legal_moves()
        children = [state.play(play) for play in plays]
        for play, child in zip(plays, children, strict=True):
            if child.is_over():
                return play
        equities = teacher.equities(children)
        return plays[equities.index(min(equities))]

    return choose


def roll(state: Backgammon, dice: random.Random) -> Backgammon:
    outcomes = list(state.outcomes())
    return state.play(dice.choices([move for move, _ in outcomes], [weight for _, weight in outcomes])[0])


def decisions(teacher: Gnubg, count: int, names: list[str], seed: int = 77) -> None:
    """Print the errors of evaluations, on `count` rolls with contact and half as many of the others."""
    source, players = random.Random(seed), engine("phases")
    wanted = [count, count // 2, count // 2]
    groups: list[tuple[int, list[Backgammon]]] = []
    while any(wanted):
        state = Backgammon()
        while not state.is_over():
            if state.to_move() == CHANCE:
                state = roll(state, source)
                continue
            plays = state.legal_moves()
            kind = network_of(*state.sides())
            rate = 0.1 if kind == 0 else 0.5
            if len(plays) > 1 and wanted[kind] and not is_bearoff(*state.sides()) and source.random() < rate:
                wanted[kind] -= 1
                groups.append((kind, [child for child in map(state.play, plays) if not child.is_over()]))
            state = state.play(source.choice(plays) if source.random() < 0.05 else players(state))
    equities = [teacher.equities(children) for _, children in groups]
    rows = []
    sides = {name: evaluation_of(name) for name in names}
    nearest = Gnubg("gnubg-nn")
    with nearest:
        for name in [*names, "gnubg-nn"]:
            losses: list[list[float]] = [[], [], []]
            distances: list[list[float]] = [[], [], []]
            for (kind, children), known in zip(groups, equities, strict=True):
                if name in sides:
                    scores = [child.turn * sides[name].score(child) / 1000 for child in children]
                else:
                    scores = nearest.equities(children)
                chosen = scores.index(min(scores))
                losses[kind].append(1000 * (known[chosen] - min(known)))
                distances[kind] += [1000 * abs(one - other) for one, other in zip(scores, known, strict=True)]
            rows.append([name, *map(interval, losses), *(f"{sum(each) / len(each):.0f}" for each in distances)])
    columns = ["evaluation", *(f"{name}, error" for name in NAMES), *(f"{name}, absolute" for name in NAMES)]
    report.print_table(f"{len(groups)} rolls; thousandths of a point; {report.processor()}", columns, rows, columns[1:])


def interval(numbers: list[float], digits: int = 1) -> str:
    """The mean and its standard error."""
    mean = sum(numbers) / len(numbers)
    spread = math.sqrt(sum((each - mean) ** 2 for each in numbers) / max(len(numbers) - 1, 1) / len(numbers))
    return f"{mean:.{digits}f} ± {spread:.{digits}f}"


def play(players: dict[int, Player], seed: int) -> int:
    """Play a game; return X's points. The rolls follow from the seed."""
    dice, state = random.Random(seed), Backgammon()
    while not state.is_over():
        if state.to_move() == CHANCE:
            state = roll(state, dice)
        else:
            plays = state.legal_moves()
            state = state.play(plays[0] if len(plays) == 1 else players[state.turn](state))
    return int(state.utility())


def match(first: Player, second: Player, games: int, out: Path) -> list[float]:
    """Play pairs of games that `out` does not hold yet; return the mean points of each pair for the first player."""
    pairs = [json.loads(line) for line in out.read_text().splitlines()] if out.exists() else []
    with out.open("a") as file:
        for number in range(len(pairs), games // 2):
            points = play({MAX: first, MIN: second}, number), -play({MAX: second, MIN: first}, number)
            pairs.append(points)
            file.write(json.dumps(points) + "\n")
            file.flush()
    return [sum(pair) / 2 for pair in pairs]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    actions = parser.add_subparsers(dest="action", required=True)
    judged = actions.add_parser("decisions")
    judged.add_argument("evaluations", nargs="*", default=["network", "phases"], help="names, or weight files")
    judged.add_argument("--teacher", default="gnubg:plies=2", help="who judges (default gnubg:plies=2)")
    judged.add_argument("--positions", type=int, default=250, help="rolls with contact (default 250)")
    played = actions.add_parser("match")
    played.add_argument("first", help="an evaluation, or a weight file")
    played.add_argument("second", help="an evaluation, gnubg or gnubg-nn")
    played.add_argument("--games", type=int, default=1000, help="number of games (default 1000)")
    played.add_argument("--out", type=Path, required=True, help="file of finished pairs")
    options = parser.parse_args()
    if options.action == "decisions":
        with Gnubg.of(options.teacher) as teacher:
            decisions(teacher, options.positions, options.evaluations)
        return
    if options.second.startswith("gnubg"):
        with Gnubg.of(options.second) as teacher:
            pairs = match(engine(options.first), teacher_player(teacher), options.games, options.out)
    else:
        pairs = match(engine(options.first), engine(options.second), options.games, options.out)
    print(f"{options.first} against {options.second}: {interval(pairs, 3)} points a game, {2 * len(pairs):,} games")


if __name__ == "__main__":
    report.run(main)
