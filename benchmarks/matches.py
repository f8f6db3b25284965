"""Matches of the chess engine against other programs, with error bars.

    python benchmarks/matches.py --against gnuchess --seconds 0.5 --games 100 --store gnuchess.db
    python benchmarks/matches.py OPENINGS --against stockfish:2400
    python benchmarks/matches.py OPENINGS --against exact
    python benchmarks/matches.py plies=8 --against fairymax

Each opening is played twice, with colours swapped, by `zermelo match`. With `--store` the games are kept, and the same
command continues an interrupted match. Programs are looked for on the PATH.

Games end early when both programs have agreed on the winner for eight plies, or on a draw for sixteen (`--adjudicate`).
Without OPENINGS the openings are 8 random plies whose position a search to depth 4 scores within 50 centipawns of even.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import report
from selective_features import CHESS_RULES

from zermelo.arena.plans.entrants import parse_entrants
from zermelo.arena.plans.openings import check_openings
from zermelo.arena.plans.plan import Plan
from zermelo.arena.store import Store
from zermelo.errors import FileError, LimitError, StoreError

#: The programs by name, as players of a match; `{elo}` is what follows the name after a colon.
OPPONENTS = {
    "gnuchess": "uci:gnuchess --uci",
    "fairymax": "xboard:fairymax",
    "phalanx": "xboard:phalanx",  # searches for at least half a second a move
    "toga2": "uci:OwnBook=false:toga2",
    "stockfish": "uci:UCI_LimitStrength=true,UCI_Elo={elo}:stockfish",
    "exact": "engine:selective=no,evaluation=positional",
    "positional": "engine:evaluation=positional",
}
#: Openings without a file.
BALANCED = "plies=8,within=50,depth=4"


def player(name: str) -> str:
    """Return the player of an opponent.

    Raises
    ------
    LimitError
        If there is no such opponent, or its level is missing or not possible.
    """
    kind, colon, elo = name.partition(":")
    if kind not in OPPONENTS:
        raise LimitError(f"--against {name}: unknown opponent; expected one of {', '.join(OPPONENTS)}")
    if "{elo}" not in OPPONENTS[kind]:
        if colon:
            raise LimitError(f"--against {name}: {kind} has no levels; use --against {kind}")
    elif not elo.isdecimal():
        raise LimitError(f"--against {name}: expected a level, as in {kind}:2400")
    return f"{kind}={OPPONENTS[kind].format(elo=elo)}"


def zermelo(evaluation: str, threads: int) -> str:
    """Return Zermelo as a player of a match."""
    return f"engine:evaluation={evaluation}" + (f",threads={threads}" if threads != 1 else "")


def openings(text: str) -> str:
    """Return the openings of a file, or the text if it names others.

    Raises
    ------
    FileError
        If it is neither.
    """
    if Path(text).is_file():
        return f"file:{text},order=random"
    if text == "start":
        return text
    try:
        check_openings(text)
    except LimitError:
        if "=" not in text:
            raise FileError(f"file not found: {text}") from None
        raise
    return text


def match(options: argparse.Namespace) -> Plan:
    """Return the match of the options."""
    return Plan(
        "chess",
        parse_entrants([f"zermelo={zermelo(options.evaluation, options.threads)}", player(options.against)]),
        "match",
        options.games,
        openings=openings(options.openings),
        control=f"seconds={options.seconds:g},margin={options.margin:g}",
        adjudication=options.adjudicate,
        seed=options.seed,
    )


def check_same(plan: Plan, path: Path) -> None:
    """Raise `StoreError` if a store is that of another match."""
    with Store.open(path) as store:
        stored = store.checked_plan.as_dict()
    wanted = plan.as_dict()
    for key, value in wanted.items():
        if stored[key] == value:
            continue
        if key == "entrants":
            stored[key], value = (" - ".join(each["player"] for each in rows) for rows in (stored[key], value))
        if key == "opening_lines":
            raise StoreError(f"{path}: the file of openings has changed since this match began; use another --store")
        raise StoreError(
            f"{path}: another match, with {key} {stored[key]}, not {value}; use the same options or another --store"
        )


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "openings",
        nargs="?",
        default=BALANCED,
        help="file of starting positions, one FEN per line; or openings of `zermelo match` (default: random moves to a "
        f"balanced position, {BALANCED})",
    )
    names = ", ".join(f"{name}:ELO" if "{elo}" in spec else name for name, spec in OPPONENTS.items())
    parser.add_argument("--against", required=True, help=names)
    parser.add_argument("--evaluation", default="network", help="evaluation of Zermelo (default network)")
    parser.add_argument("--threads", type=int, default=1, help="threads of Zermelo's searches (default 1)")
    parser.add_argument("--seconds", type=float, default=0.5, help="seconds a move (default 0.5)")
    parser.add_argument("--margin", type=float, default=0.5, help="seconds a move may be late (default 0.5)")
    parser.add_argument("--games", type=int, default=100, help="number of games (default 100)")
    parser.add_argument(
        "--adjudicate", default=CHESS_RULES, metavar="HOW", help=f"rules that end games early (default {CHESS_RULES})"
    )
    parser.add_argument(
        "--store", type=Path, help="file of the games; if it exists, the match is continued, with the same options"
    )
    parser.add_argument("--seed", type=int, default=1, help="seed of the choice of openings (default 1)")
    options = parser.parse_args()
    plan = match(options)
    program = [sys.executable, "-m", "zermelo"]
    if options.store and options.store.exists():
        check_same(plan, options.store)
        return subprocess.call([*program, "resume", str(options.store), "--workers", "1"])
    command = [
        *program, "match", plan.game, *(f"{each.name}={each.player}" for each in plan.entrants),
        "--games", str(plan.games), "--control", plan.control, "--seed", str(plan.seed),
        "--openings", plan.openings or "start", "--workers", "1", "--adjudicate", plan.adjudication,
    ]  # fmt: skip
    return subprocess.call([*command, *(["--store", str(options.store)] if options.store else [])])


if __name__ == "__main__":
    report.run(main)
