"""Backgammon's doubling cube: decisions beside GNU Backgammon's, and match equities beside a published table.

    python benchmarks/backgammon_cube.py [--positions N] [--plies N]

The positions are rolls of random games. GNU Backgammon gives the probabilities of the results and its decision; the
decision of `zermelo.games.backgammon.cube` from the same probabilities is compared: whether to double, whether to take.
"loss" is what our decision gives away by GNU Backgammon's values, in thousandths of a point; in a match of the points
that the present cube decides.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import report

from zermelo.core.game import CHANCE
from zermelo.games.backgammon import Backgammon
from zermelo.games.backgammon.cube import MONEY, Outcomes, decision
from zermelo.games.backgammon.match_equity import match_equity, stakes

#: Length of each match, 0 for money, and its score, that of the player on roll first.
STAKES = ((0, (0, 0)), (7, (2, 4)), (7, (5, 5)), (5, (3, 0)), (9, (3, 6)))
SCRIPT = Path(__file__).parent / "sides" / "gnubg_cube.py"
TABLE = Path("/usr/share/gnubg/met/Kazaross-XG2.xml")
#: The most points of a published table that are compared.
LONGEST = 15


def positions(count: int) -> list[str]:
    """Position IDs before a roll: X's view of random games whose sides move towards the better `phases` score."""
    rng, found, phases = random.Random(5), [], Backgammon.evaluations["phases"]
    while len(found) < count:
        state = Backgammon()
        while not state.is_over() and len(found) < count:
            if state.to_move() == CHANCE:
                if state.turn and rng.random() < 0.05:
                    found.append(str(state).partition(":")[0])
                outcomes = [move for move, weight in state.outcomes() for _ in range(weight)]
                state = state.play(rng.choice(outcomes))
            else:
                plays = rng.sample(state.legal_moves(), min(4, len(state.legal_moves())))
                side = state.turn
                state = max(map(state.play, plays), key=lambda child: side * _score(child, phases))
    return found


def _score(child: Backgammon, evaluation) -> int:
    return 4000 * child.utility() if child.is_over() else evaluation.score(child)


def asked(texts: list[str], plies: int) -> list[dict]:
    """GNU Backgammon's answers."""
    program = shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")
    if program is None:
        raise SystemExit("GNU Backgammon is not installed (Debian: gnubg)")
    with tempfile.TemporaryDirectory() as folder:
        answers = Path(folder) / "answers"
        question = json.dumps({"stakes": STAKES, "positions": texts, "plies": plies})
        subprocess.run(
            [program, "-q", "-t", "-r", "-p", str(SCRIPT)],
            env={**os.environ, "ZERMELO_ASKED": question, "ZERMELO_ANSWERS": str(answers)},
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True,
        )  # fmt: skip
        return [json.loads(line) for line in answers.read_text().splitlines()]


def compare(answers: list[dict]) -> None:
    rows = []
    for length, score in STAKES:
        same = count = 0
        losses = []
        for answer in answers:
            if (answer["length"], tuple(answer["score"])) != (length, score):
                continue
            win, gammon, backgammon, lost, lost_backgammon = answer["chances"]
            counts = {
                1: win - gammon, 2: gammon - backgammon, 3: backgammon,
                -1: 1 - win - lost, -2: lost - lost_backgammon, -3: lost_backgammon,
            }  # fmt: skip
            at = stakes(length - score[0], length - score[1], crawford=False) if length else MONEY
            ours = decision(Outcomes.of_counts(counts), at)
            assert ours is not None
            none, taken, passed = answer["values"]
            doubles, takes = min(taken, passed) > none, taken <= passed
            count += 1
            same += (ours.doubles, ours.takes) == (doubles, takes)
            reply = taken if ours.takes else passed
            # What the doubler loses, and what the opponent loses by the reply.
            lost_by_double = max(none, min(taken, passed)) - (min(taken, passed) if ours.doubles else none)
            losses.append(1000 * (lost_by_double + (reply - min(taken, passed) if doubles else 0)))
        name = f"match to {length}, {score[0]}-{score[1]}" if length else "money"
        rows.append([name, str(count), str(same), f"{sum(losses) / count:.1f}"])
    columns = ["stakes", "decisions", "the same", "loss"]
    report.print_table("cube decisions beside GNU Backgammon's", columns, rows, columns[1:])


def compare_table() -> None:
    """Print how far our match equities are from a published table."""
    if not TABLE.exists():
        print(f"no published table: {TABLE} is part of GNU Backgammon's package")
        return
    text = TABLE.read_text()
    rows = text[text.index("<pre-crawford") : text.index("</pre-crawford")].split("<row>")[1:]
    table = [[float(each) for each in re.findall(r"<me>\s*([\d.]+)", row)] for row in rows]
    away = range(1, LONGEST + 1)
    far = [100 * abs(match_equity(a, b) - table[a - 1][b - 1]) for a in away for b in away if a != b]
    print(
        f"match equities to {LONGEST} points: {sum(far) / len(far):.2f} percentage points from {TABLE.stem} "
        f"on average, {max(far):.2f} at most"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--positions", type=int, default=100, help="positions (default 100)")
    parser.add_argument("--plies", type=int, default=0, help="how far GNU Backgammon looks ahead (default 0)")
    options = parser.parse_args()
    compare_table()
    compare(asked(positions(options.positions), options.plies))


if __name__ == "__main__":
    main()
