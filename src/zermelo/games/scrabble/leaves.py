"""What the tiles that a play leaves on the rack are worth, fitted to simulated racks.

The *equity* of a turn is its points and the value of its leave. The value of a leave is how much more equity the next
turn has, on average, than that of a random rack: it depends on the equity of next turns, so it is computed by value
iteration. Each round plays games with the values so far, draws random racks on their boards, and fits

    value of n tiles = constant + sum of a weight for each tile + sum of a weight for each pair of tiles

for each n by least squares, to the equities of the best turns of racks that begin with these n tiles. The weights of
the last round are in a file, in hundredths of a point:

    ZERMELO LEAVES 1 <SHA-256 of the rest, in hexadecimal>
    <signed numbers of two bytes, the lower first, for each n and feature; compressed with zlib>

`python -m zermelo.games.scrabble.leaves FILE` computes it again, in some minutes.

References
----------
B. Sheppard, "World-Championship-Caliber Scrabble", Artificial Intelligence 134 (2002): leaves in the program Maven.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any

from zermelo._util.atomic_files import write
from zermelo._util.user_files import read_bytes, shown_path
from zermelo.compiled import native
from zermelo.core.bitboard import Bitboard
from zermelo.core.random_numbers import below, next_word
from zermelo.games.scrabble.generator import (
    COLUMN,
    DOWN,
    LENGTH,
    ROW,
    SCORE,
    Generator,
    find_plays,
)
from zermelo.games.scrabble.packing import pack, unpack
from zermelo.games.scrabble.tiles import ALL_TILES, RACK_SIZE, SIZE, SQUARES
from zermelo.games.scrabble.words import load_words

Array = Any
MAGIC = b"ZERMELO LEAVES 1 "
FILE = Path(__file__).with_name("enable.leaves")
MAX_BYTES = 100_000
#: The letters of tiles by number, the blank as 0. A pair of letters l <= m is the feature l * KINDS + m; then single
#: letters and a constant follow.
LETTERS = "?ABCDEFGHIJKLMNOPQRSTUVWXYZ"
KINDS = 27
SINGLE = KINDS * KINDS
CONSTANT = SINGLE + KINDS
FEATURES = CONSTANT + 1
SCALE = 100
# The largest product of (count + 1) of a rack.
SUBSETS = 1 << RACK_SIZE
_EMPTY = ord(".")


def rack_leaves(weights: Array, rack: Array, leaves: Array, strides: Array) -> int:
    """Write the value of each part of a rack, and return the index of the whole rack.

    The index of a part is the sum of `strides[letter]` of its tiles.
    """
    size = 1
    for letter in range(KINDS):
        strides[letter] = size
        size *= rack[letter] + 1
    for index in range(size):
        tiles = 0
        for letter in range(KINDS):
            if rack[letter] > 0:
                tiles += index // strides[letter] % (rack[letter] + 1)
        value = 0.0
        if 0 < tiles < RACK_SIZE:
            value = weights[tiles, CONSTANT]
            for letter in range(KINDS):
                count = index // strides[letter] % (rack[letter] + 1) if rack[letter] > 0 else 0
                if count > 0:
                    value += count * weights[tiles, SINGLE + letter]
                    value += count * (count - 1) // 2 * weights[tiles, letter * KINDS + letter]
                    for other in range(letter + 1, KINDS):
                        if rack[other] > 0:
                            pairs = count * (index // strides[other] % (rack[other] + 1))
                            value += pairs * weights[tiles, letter * KINDS + other]
        leaves[index] = value
    return size - 1


def best_turn(
    facts: Array, texts: Array, found: int, rack: Array, bag: int, weights: Array, leaves: Array, strides: Array
) -> tuple[int, float]:
    """Return the turn with the highest equity, and its equity.

    The turn is the number of a play, or -2 minus the index of the part of the rack that an exchange keeps, or -1: pass.
    """
    whole = rack_leaves(weights, rack, leaves, strides)
    best = -1
    equity = leaves[whole]
    if bag >= RACK_SIZE:
        for kept in range(whole):
            if best == -1 or leaves[kept] > equity:
                best = -2 - kept
                equity = leaves[kept]
    for index in range(found):
        kept = whole
        for place in range(facts[index, LENGTH]):
            letter = texts[index, place]
            if letter != _EMPTY:
                kept -= strides[0] if letter >= 97 else strides[letter - 64]
        value = facts[index, SCORE] + leaves[kept]
        if (best < 0 and (best == -1 or value >= equity)) or (best >= 0 and value > equity):
            best = index
            equity = value
    return best, equity


def kept_tiles(rack: str, index: int) -> str:
    """Return a part of a rack by its index."""
    kept = ""
    for letter in LETTERS:
        index, count = divmod(index, rack.count(letter) + 1)
        kept += letter * count
    return kept


def draw(rack: Array, bag: Array, left: int) -> int:
    """Fill a rack from the end of a shuffled bag; return the number of tiles left."""
    held = 0
    for count in rack:
        held += count
    while held < RACK_SIZE and left > 0:
        left -= 1
        rack[bag[left]] += 1
        held += 1
    return left


def shuffle(bag: Array, left: int, word: Bitboard) -> Bitboard:
    """Shuffle the first tiles of a bag; return the state of the random numbers."""
    for last in range(left - 1, 0, -1):
        word = next_word(word)
        other = below(word, last + 1)
        bag[last], bag[other] = bag[other], bag[last]
    return word


def simulate(
    seed: int, edges: Array, root: int, values: Array, premiums: Array, work: Array, kinds: Array, checks: Array,
    facts: Array, texts: Array, weights: Array, board: Array, racks: Array, bag: Array, unseen: Array,
    leaves: Array, strides: Array, drawn: Array, equities: Array,
) -> int:  # fmt: skip
    """Play a game by equity, and draw racks from the tiles that are not on its boards, while the bag has seven.

    Writes the tiles of these racks in a random order, and the equities of their best turns; returns their number.
    """
    word = Bitboard(seed)
    samples = 0
    board[:] = _EMPTY
    racks[:] = 0
    left = len(bag)
    word = shuffle(bag, left, word)
    player = 0
    left = draw(racks[0], bag, left)
    left = draw(racks[1], bag, left)
    while left >= RACK_SIZE:
        total = left
        for tile in range(left):
            unseen[tile] = bag[tile]
        for letter in range(KINDS):
            for _ in range(racks[0, letter] + racks[1, letter]):
                unseen[total] = letter
                total += 1
        word = shuffle(unseen, total, word)
        start = 0
        while start + RACK_SIZE <= total and start < RACKS_A_BOARD * RACK_SIZE and samples < len(equities):
            racks[2, :] = 0
            for place in range(RACK_SIZE):
                drawn[samples, place] = unseen[start + place]
                racks[2, unseen[start + place]] += 1
            found = find_plays(edges, root, board, racks[2], values, premiums, work, kinds, checks, facts, texts)
            _, equity = best_turn(facts, texts, min(found, len(facts)), racks[2], left, weights, leaves, strides)
            equities[samples] = equity
            samples += 1
            start += RACK_SIZE
        rack = racks[player]
        found = find_plays(edges, root, board, rack, values, premiums, work, kinds, checks, facts, texts)
        turn, _ = best_turn(facts, texts, min(found, len(facts)), rack, left, weights, leaves, strides)
        if turn < -1:
            kept = -2 - turn
            aside = 0
            for letter in range(KINDS):
                if rack[letter] > 0:
                    count = kept // strides[letter] % (rack[letter] + 1)
                    for _ in range(rack[letter] - count):
                        unseen[aside] = letter
                        aside += 1
                    rack[letter] = count
            left = draw(rack, bag, left)
            for tile in range(aside):
                bag[left] = unseen[tile]
                left += 1
            word = shuffle(bag, left, word)
        elif turn >= 0:
            step = SIZE if facts[turn, DOWN] else 1
            cell = facts[turn, ROW] * SIZE + facts[turn, COLUMN]
            for place in range(facts[turn, LENGTH]):
                letter = texts[turn, place]
                if letter != _EMPTY:
                    board[cell + place * step] = letter
                    rack[0 if letter >= 97 else letter - 64] -= 1
            left = draw(rack, bag, left)
        player = 1 - player
    return samples


#: Random racks for each board of a simulated game.
RACKS_A_BOARD = 5


def simulated_racks(count: int, weights: Array, seed: int) -> tuple[Array, Array]:
    """Return random racks, as rows of letters in a random order, and the equities of their best turns."""
    import numpy as np

    generator = Generator(load_words())
    bag = np.array([LETTERS.index(tile) for tile in ALL_TILES])
    racks, equities, found = [], [], 0
    while found < count:
        seed += 1
        drawn, results = np.zeros((500, RACK_SIZE), np.int64), np.zeros(500)
        arguments = (
            seed << 40, *generator.tables, *generator.results(20_000), weights, np.zeros(SQUARES, np.uint8),
            np.zeros((3, KINDS), np.int64), bag.copy(), bag.copy(), np.zeros(SUBSETS), np.zeros(KINDS, np.int64),
            drawn, results,
        )  # fmt: skip
        samples = native(simulate, *arguments)(*arguments)
        racks.append(drawn[:samples])
        equities.append(results[:samples])
        found += samples
    return np.concatenate(racks), np.concatenate(equities)


def features_of(tiles: Array) -> Array:
    """Return the features of leaves, one a row of letters."""
    import numpy as np

    counts = np.zeros((len(tiles), KINDS))
    for column in tiles.T:
        counts[np.arange(len(tiles)), column] += 1
    pairs = counts[:, :, None] * counts[:, None, :]
    pairs[:, range(KINDS), range(KINDS)] = counts * (counts - 1) / 2
    upper = np.triu(np.ones((KINDS, KINDS)))
    return np.hstack([(pairs * upper).reshape(len(tiles), -1), counts, np.ones((len(tiles), 1))])


def fit(racks: Array, equities: Array, ridge: float = 10.0) -> Array:
    """Fit the weights of leaves of 1 to 6 tiles by ridge regression: shape (7, FEATURES)."""
    import numpy as np

    weights = np.zeros((RACK_SIZE, FEATURES))
    gains = equities - equities.mean()
    for tiles in range(1, RACK_SIZE):
        matrix, target = ridge * np.eye(FEATURES), np.zeros(FEATURES)
        for start in range(0, len(racks), 5_000):
            rows = features_of(racks[start : start + 5_000, :tiles])
            matrix += rows.T @ rows
            target += rows.T @ gains[start : start + 5_000]
        weights[tiles] = np.linalg.solve(matrix, target)
    return weights


def compute(rounds: int = 2, count: int = 60_000, seed: int = 0) -> Array:
    """Compute the weights by value iteration: rounds of `count` racks each."""
    import numpy as np

    weights = np.zeros((RACK_SIZE, FEATURES))
    for number in range(rounds):
        weights = fit(*simulated_racks(count, weights, seed + number * count))
    return weights


@cache
def load_leaves() -> Array:
    """Return the weights of the package, shape (7, FEATURES)."""
    import numpy as np

    data = unpack(MAGIC, read_bytes(FILE, MAX_BYTES), shown_path(FILE))
    return np.frombuffer(data, "<i2").reshape(RACK_SIZE, FEATURES) / SCALE


def leave_value(weights: Array, tiles: str) -> float:
    """Return the value of 0 to 6 tiles, in points."""
    import numpy as np

    letters = np.array([[LETTERS.index(tile) for tile in tiles]], np.int64)
    return float(features_of(letters)[0] @ weights[len(tiles)]) if tiles else 0.0


if __name__ == "__main__":
    import numpy as np

    computed = np.rint(compute() * SCALE).clip(-32768, 32767).astype("<i2")
    write(Path(sys.argv[1]), pack(MAGIC, computed.tobytes()))
