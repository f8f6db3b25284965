"""Kalah with a tuple of pits, changed in two ways, compared with bytes packed into two words.

    python benchmarks/kalah.py [--depth N] [--json]

All visit the same nodes: alpha-beta in the order of the rules, without table. Times are CPU time, the best of
several runs.
"""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

import report

from zermelo import MAX, Bitboard, as_list, evaluation, game
from zermelo.search.compiled_textbook import compiled_textbook

RUNS = 5
START = (4, 4, 4, 4, 4, 4, 0, 4, 4, 4, 4, 4, 4, 0)
PITS = 0xFFFF_FFFF_FFFF  # the six pits of a packed side; the store is the byte above


@game
class Kalah:
    """Six pits and a store for each side: 0 to 6 are MAX's, 7 to 13 MIN's."""

    pits: tuple[(int,) * 14] = START
    turn: int = MAX
    max_utility = 48

    def to_move(self):
        return self.turn

    def moves(self):
        first = 0 if self.turn == MAX else 7
        for pit in range(first, first + 6):
            if self.pits[pit]:
                yield pit

    def play(self, move):
        pits = as_list(self.pits)
        return self.replace(turn=sow(pits, move, self.turn), pits=pits)

    def is_over(self):
        return self.pits[6] + self.pits[13] == 48

    def utility(self):
        return self.pits[6] - self.pits[13]


@game
class HeapKalah(Kalah):
    """The same by a list on the heap."""

    def play(self, move):
        pits = list(self.pits)
        return self.replace(turn=sow(pits, move, self.turn), pits=pits)


def sow(pits, move, turn):
    """Sow the seeds of a pit. Returns the side to move."""
    store, skipped = (6, 13) if turn == MAX else (13, 6)
    seeds = pits[move]
    pits[move] = 0
    at = move
    while seeds:
        at = at + 1 if at < 13 else 0
        if at == skipped:
            at = at + 1 if at < 13 else 0
        pits[at] += 1
        seeds -= 1
    following = turn
    if at != store:
        following = -turn
        if pits[at] == 1 and store - 6 <= at < store and pits[12 - at]:
            pits[store] += 1 + pits[12 - at]
            pits[at] = 0
            pits[12 - at] = 0
    left = 0
    right = 0
    for pit in range(6):
        left += pits[pit]
        right += pits[pit + 7]
    if left == 0 or right == 0:
        pits[6] += left
        pits[13] += right
        for pit in range(6):
            pits[pit] = 0
            pits[pit + 7] = 0
    return following


@evaluation
class Stores:
    def score(self, state):
        return state.pits[6] - state.pits[13]


@game
class PackedKalah:
    """The same with a byte for each pit, the store in the seventh."""

    left: Bitboard = Bitboard(0x04040404_0404)
    right: Bitboard = Bitboard(0x04040404_0404)
    turn: int = MAX
    max_utility = 48

    def to_move(self):
        return self.turn

    def moves(self):
        own = self.left if self.turn == MAX else self.right
        first = 0 if self.turn == MAX else 7
        for pit in range(6):
            if (own >> 8 * pit) & 0xFF:
                yield first + pit

    def play(self, move):
        own = self.left if self.turn == MAX else self.right
        other = self.right if self.turn == MAX else self.left
        at = move if self.turn == MAX else move - 7
        seeds = int((own >> 8 * at) & 0xFF)
        own ^= Bitboard(seeds) << 8 * at
        while seeds:
            at = at + 1 if at < 12 else 0
            if at < 7:
                own += Bitboard(1) << 8 * at
            else:
                other += Bitboard(1) << 8 * (at - 7)
            seeds -= 1
        following = self.turn
        if at != 6:
            following = -self.turn
            if at < 6 and (own >> 8 * at) & 0xFF == 1:
                captured = (other >> 8 * (5 - at)) & 0xFF
                if captured:
                    own += (captured + 1) << 48
                    own ^= Bitboard(1) << 8 * at
                    other ^= captured << 8 * (5 - at)
        if not own & PITS or not other & PITS:
            own = packed_sum(own) << 48
            other = packed_sum(other) << 48
        if self.turn == MAX:
            return PackedKalah(own, other, following)
        return PackedKalah(other, own, following)

    def is_over(self):
        return int(self.left >> 48) + int(self.right >> 48) == 48

    def utility(self):
        return int(self.left >> 48) - int(self.right >> 48)


def packed_sum(side):
    """The seeds of a side, its store included."""
    return ((((side & PITS) * 0x0101_0101_0101) >> 40) & 0xFF) + (side >> 48)


@evaluation
class PackedStores:
    def score(self, state):
        return int(state.left >> 48) - int(state.right >> 48)


VARIANTS: list[tuple[str, Any, Any]] = [
    ("packed words", PackedKalah, PackedStores()),
    ("as_list", Kalah, Stores()),
    ("list", HeapKalah, Stores()),
]


def measure(depth: int) -> list[dict[str, Any]]:
    """Search the start with each variant, in turn, several times."""
    for _, cls, scored in VARIANTS:
        compiled_textbook(cls.start(), 1, scored, "alphabeta")  # compiles
    searches = {
        name: partial(compiled_textbook, cls.start(), depth, scored, "alphabeta") for name, cls, scored in VARIANTS
    }
    best, results = report.best_times(searches, RUNS)
    if len({(each.value, each.nodes) for each in results.values()}) > 1:
        raise SystemExit("the variants must have equal values and nodes")
    packed = best["packed words"]
    return [
        {"board": name, "nodes": results[name].nodes, "ns_per_node": best[name] / results[name].nodes * 1e9,
         "times_packed": best[name] / packed}
        for name, _, _ in VARIANTS
    ]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--depth", type=int, default=12, help="depth in plies (default 12)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    arguments = parser.parse_args()
    rows = measure(arguments.depth)
    if arguments.json:
        report.print_json({"kalah": rows})
        return
    for row in rows:
        time_per_node = f"{row['ns_per_node']:8.1f} ns/node {row['times_packed']:6.1f} x"
        print(f"{row['board']:>12} {row['nodes']:>12,} nodes {time_per_node}")


if __name__ == "__main__":
    main()
