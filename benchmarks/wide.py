"""`Bitboard[240]` compared with four words written by hand: rows of five and neighbours on the board of Gomoku.

    python benchmarks/wide.py [--rounds N] [--json]

Both compute the same sums. Times are CPU time, the best of several runs.
"""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

import report

from zermelo import Bitboard
from zermelo.compiled import native
from zermelo.games.gomoku import Board, fives, neighbours

RUNS = 7
LAST = Bitboard((1 << 48) - 1)  # the squares of the fourth word


def wide(seed, rounds):
    """Stir a board, and count its rows of five and the squares around it."""
    a = Board(seed)
    total = 0
    for number in range(rounds):
        a = (a << 7) ^ (a >> 5) ^ Board(number)
        found = fives(a & (a >> 33 | a << 19), False)
        total += found.count() + (neighbours(a) & ~a).count()
    return total


def words(seed, rounds):
    """The same with four words."""
    row = (Bitboard(seed), Bitboard(0), Bitboard(0), Bitboard(0))
    total = 0
    for number in range(rounds):
        row = xor(left(row, 7), right(row, 5))
        row = (row[0] ^ Bitboard(number), row[1], row[2], row[3])
        found = fives_of(both(row, either(right(row, 33), left(row, 19))))
        near = neighbours_of(row)
        for place in (0, 1, 2, 3):
            total += found[place].count() + (near[place] & ~row[place]).count()
    return total


def right(row, n):
    a, b, c, d = row
    if n == 64:
        return b, c, d, Bitboard(0)
    return a >> n | b << (64 - n), b >> n | c << (64 - n), c >> n | d << (64 - n), d >> n


def left(row, n):
    a, b, c, d = row
    return a << n, b << n | a >> (64 - n), c << n | b >> (64 - n), (d << n | c >> (64 - n)) & LAST


def both(row, other):
    return row[0] & other[0], row[1] & other[1], row[2] & other[2], row[3] & other[3]


def either(row, other):
    return row[0] | other[0], row[1] | other[1], row[2] | other[2], row[3] | other[3]


def xor(row, other):
    return row[0] ^ other[0], row[1] ^ other[1], row[2] ^ other[2], row[3] ^ other[3]


def fives_of(row):
    found = (Bitboard(0), Bitboard(0), Bitboard(0), Bitboard(0))
    for step in (1, 16, 17, 15):
        pairs = both(row, right(row, step))
        last = right(right(row, 2 * step), 2 * step)
        found = either(found, both(both(pairs, right(pairs, 2 * step)), last))
    return found


def neighbours_of(row):
    wide_row = either(row, either(left(row, 1), right(row, 1)))
    return either(wide_row, either(left(wide_row, 16), right(wide_row, 16)))


def measure(rounds: int) -> list[dict[str, Any]]:
    """Run both in turn, several times."""
    variants = {"Bitboard[240]": partial(native(wide, 5, 1), 5), "four words": partial(native(words, 5, 1), 5)}
    for function in variants.values():
        function(1)
    times, sums = report.best_times({name: partial(each, rounds) for name, each in variants.items()}, RUNS)
    if len(set(sums.values())) > 1:
        raise SystemExit(f"the sums differ: {sums}")
    return [{"board": name, "ns_per_round": seconds / rounds * 1e9} for name, seconds in times.items()]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=3_000_000, help="rounds of about 100 operations (3,000,000)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    arguments = parser.parse_args()
    rows = measure(arguments.rounds)
    if arguments.json:
        report.print_json({"wide": rows})
        return
    for row in rows:
        print(f"{row['board']:>14} {row['ns_per_round']:8.1f} ns a round")


if __name__ == "__main__":
    main()
