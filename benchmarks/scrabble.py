"""Scrabble: all plays of random positions and racks, positions a second.

    python benchmarks/scrabble.py [--positions 100] [--json]

The positions come from games of random plays with the word list of the package, one from each game; the racks are
random tiles that are not on the board, blanks included. The time is processor time on one core, without compiling: of
the generator, whose plays are arrays with scores, and of `moves`, which also names and sorts them and lists exchanges.
"""

from __future__ import annotations

import argparse
import time
from random import Random

import report

from zermelo.core.game import MAX
from zermelo.games.scrabble import Scrabble
from zermelo.games.scrabble.generator import Generator
from zermelo.games.scrabble.plays import lay
from zermelo.games.scrabble.tiles import ALL_TILES, EMPTY, RACK_SIZE, SQUARES, sorted_tiles
from zermelo.games.scrabble.words import load_words


def positions(count: int, seed: int = 1) -> list[Scrabble]:
    """Return positions after 0 to 20 random plays, with random racks."""
    source, generator, found = Random(seed), Generator(load_words()), []
    for _ in range(count):
        squares, tiles = EMPTY * SQUARES, source.sample(ALL_TILES, len(ALL_TILES))
        for _ in range(source.randrange(21)):
            plays = generator.plays(squares, "".join(tiles[:RACK_SIZE]))
            if len(plays.facts):
                laid = lay(squares, plays.name(source.randrange(len(plays.facts))))
                squares = laid.squares
                for tile in laid.tiles:
                    tiles.remove(tile)
            source.shuffle(tiles)
        racks = (sorted_tiles("".join(tiles[:RACK_SIZE])), sorted_tiles("".join(tiles[RACK_SIZE : 2 * RACK_SIZE])))
        found.append(Scrabble(squares, MAX, racks))
    return found


def measure(states: list[Scrabble]) -> dict[str, float]:
    """Return the numbers of positions and plays, and positions a second of the generator and of `moves`."""
    generator = Generator(load_words())
    generator.plays(EMPTY * SQUARES, "AEINRST")  # compiles
    began = time.process_time()
    plays = sum(len(generator.plays(state.squares, state.racks[0]).facts) for state in states)
    generating = time.process_time() - began
    began = time.process_time()
    for state in states:
        state.legal_moves()
    listing = time.process_time() - began
    count = len(states)
    return {"positions": count, "plays": plays, "generator": count / generating, "moves": count / listing}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--positions", type=int, default=100, metavar="N", help="default: 100")
    parser.add_argument("--json", action="store_true", help="print JSON")
    given = parser.parse_args()
    found = measure(positions(given.positions))
    if given.json:
        report.print_json(found)
        return
    print(f"Scrabble: {found['plays']:,} plays of {found['positions']:,} random positions and racks")
    print(f"  generator  {found['generator']:8,.0f} positions/s")
    print(f"  moves      {found['moves']:8,.0f} positions/s, with names, in order")


if __name__ == "__main__":
    main()
