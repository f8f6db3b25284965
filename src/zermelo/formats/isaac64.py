"""The ISAAC-64 pseudorandom number generator, for the hash keys of Polyglot books.

References
----------
R. J. Jenkins, "ISAAC: a fast cryptographic random number generator" (1996),
http://burtleburtle.net/bob/rand/isaacafa.html. The author placed it in the public domain.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

_WORD = (1 << 64) - 1
_SIZE = 256
_GOLDEN = 0x9E3779B97F4A7C13


def numbers(count: int) -> tuple[int, ...]:
    """Return the first `count` 64-bit numbers of the generator with a seed of zeros."""
    return tuple(islice(_generate(), count))


def _generate() -> Iterator[int]:
    """Yield numbers in batches of 256, each batch in reverse order, as the reference implementation does."""
    state = _initial_state()
    a = b = c = 0
    while True:
        c += 1
        b = b + c & _WORD
        batch = []
        for index in range(_SIZE):
            x = state[index]
            mixed = (~(a ^ a << 21), a ^ a >> 5, a ^ a << 12, a ^ a >> 33)[index % 4]
            a = mixed + state[(index + _SIZE // 2) % _SIZE] & _WORD
            state[index] = y = state[x >> 3 & _SIZE - 1] + a + b & _WORD
            b = state[y >> 11 & _SIZE - 1] + x & _WORD
            batch.append(b)
        yield from reversed(batch)


def _initial_state() -> list[int]:
    """Return the state for a seed of zeros: filled from eight mixed words, then mixed with itself once more."""
    eight = [_GOLDEN] * 8
    for _ in range(4):
        _mix(eight)
    state = [0] * _SIZE
    for _ in range(2):
        for index in range(0, _SIZE, 8):
            eight = [word + old & _WORD for word, old in zip(eight, state[index : index + 8], strict=True)]
            _mix(eight)
            state[index : index + 8] = eight
    return state


def _mix(words: list[int]) -> None:
    """Mix eight words in place."""
    for at, shift in enumerate((-9, 9, -23, 15, -14, 20, -17, 14)):
        other, third, last = (at + 4) % 8, (at + 5) % 8, (at + 7) % 8
        words[at] = words[at] - words[other] & _WORD
        words[third] ^= (words[last] << shift if shift > 0 else words[last] >> -shift) & _WORD
        words[last] = words[last] + words[at] & _WORD
