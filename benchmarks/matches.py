"""Matches of the chess engine against other programs, with error bars.

    python benchmarks/matches.py OPENINGS --against gnuchess --seconds 0.5 --games 100 --store gnuchess.db
    python benchmarks/matches.py OPENINGS --against stockfish:2400
    python benchmarks/matches.py OPENINGS --against exact
    python benchmarks/matches.py plies=8 --against fairymax

Each opening is played twice, with colours swapped, by `zermelo match`. With `--store` the games are kept, and the same
command continues an interrupted match. Programs are looked for on the PATH.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

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


def player(name: str) -> str:
    """The spec of an opponent."""
    kind, _, elo = name.partition(":")
    if kind not in OPPONENTS:
        raise SystemExit(f"unknown opponent {name}; known: {', '.join(OPPONENTS)}")
    return f"{kind}={OPPONENTS[kind].format(elo=elo or 2000)}"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "openings", help="file of starting positions, one FEN per line; or openings of `zermelo match`, such as plies=8"
    )
    parser.add_argument("--against", required=True, help=f"{', '.join(OPPONENTS)}; stockfish:ELO for a level")
    parser.add_argument("--evaluation", default="network", help="evaluation of Zermelo (default network)")
    parser.add_argument("--seconds", type=float, default=0.5, help="seconds a move (default 0.5)")
    parser.add_argument("--margin", type=float, default=0.5, help="seconds a move may be late (default 0.5)")
    parser.add_argument("--games", type=int, default=100, help="number of games (default 100)")
    parser.add_argument("--store", type=Path, help="file of the games; continued if it exists")
    parser.add_argument("--seed", type=int, default=1, help="seed of the choice of openings (default 1)")
    options = parser.parse_args()
    openings = f"file:{options.openings},order=random" if Path(options.openings).is_file() else options.openings
    zermelo = [sys.executable, "-m", "zermelo"]
    if options.store and options.store.exists():
        return subprocess.call([*zermelo, "resume", str(options.store)])
    command = [
        *zermelo, "match", "chess", f"zermelo=engine:evaluation={options.evaluation}", player(options.against),
        "--games", str(options.games), "--control",
        f"seconds={options.seconds:g},margin={options.margin:g}", "--seed", str(options.seed),
        "--openings", openings, "--workers", "1",
    ]  # fmt: skip
    return subprocess.call([*command, *(["--store", str(options.store)] if options.store else [])])


if __name__ == "__main__":
    sys.exit(main())
