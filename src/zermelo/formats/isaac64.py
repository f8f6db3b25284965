"""ISAAC-64: a row of numbers that is the same everywhere. Source: Bob Jenkins, "ISAAC: a fast cryptographic random
number generator" (1996), burtleburtle.net/bob/rand/isaacafa.html, given to the public domain.

For secrets and for chance there are better ones; here it makes the numbers that other programs' files depend on.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

_WORD = (1 << 64) - 1
_SIZE = 256
_GOLDEN = 0x9E3779B97F4A7C13


def numbers(count: int) -> tuple[int, ...]:
    """The first numbers of the generator whose seed is nothing but zeros, 64 bits each."""
    return tuple(islice(_drawn(), count))


def _drawn() -> Iterator[int]:
    """Batch by batch, each from its last number to its first, as Jenkins hands them out."""
    state = _seeded()
    a = b = c = 0
    while True:
        c += 1
        b = b + c & _WORD
        batch = []
        for place in range(_SIZE):
            x = state[place]
            turned = (~(a ^ a << 21), a ^ a >> 5, a ^ a << 12, a ^ a >> 33)[place % 4]
            a = turned + state[(place + _SIZE // 2) % _SIZE] & _WORD
            state[place] = y = state[x >> 3 & _SIZE - 1] + a + b & _WORD
            b = state[y >> 11 & _SIZE - 1] + x & _WORD
            batch.append(b)
        yield from reversed(batch)


def _seeded() -> list[int]:
    """The state that a seed of zeros makes: filled from eight words, then once more from itself."""
    eight = [_GOLDEN] * 8
    for _ in range(4):
        _mix(eight)
    state = [0] * _SIZE
    for _ in range(2):
        for place in range(0, _SIZE, 8):
            eight = [word + old & _WORD for word, old in zip(eight, state[place : place + 8], strict=True)]
            _mix(eight)
            state[place : place + 8] = eight
    return state


def _mix(words: list[int]) -> None:
    """Stir eight words: each in turn takes from, shifts and adds to others."""
    for at, shift in enumerate((-9, 9, -23, 15, -14, 20, -17, 14)):
        other, turned, last = (at + 4) % 8, (at + 5) % 8, (at + 7) % 8
        words[at] = words[at] - words[other] & _WORD
        words[turned] ^= (words[last] << shift if shift > 0 else words[last] >> -shift) & _WORD
        words[last] = words[last] + words[at] & _WORD
