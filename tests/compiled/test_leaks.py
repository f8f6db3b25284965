"""What a generator of moves holds is released when a beta cutoff abandons it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from zermelo import MAX, evaluation, game
from zermelo.search.compiled_textbook import compiled_textbook

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc"),
    pytest.mark.skipif(bool(os.environ.get("NUMBA_DISABLE_JIT")), reason="Numba is switched off"),
]


@game
class Abandoned:
    """An endless game. A list is alive in `moves`, which the search and `is_over` both abandon."""

    code: int = 0
    turn: int = MAX
    cells: tuple[int, int, int, int, int, int] = (5, 4, 3, 2, 1, 0)

    def to_move(self):
        return self.turn

    def moves(self):
        cells = list(self.cells)
        seen = {0}
        for cell in cells:
            seen.add(cell)
            yield cell

    def play(self, move):
        return self.replace(code=self.code * 7 + move & 0xFFFF, turn=-self.turn)

    def is_over(self):
        for _ in self.moves():
            return False
        return True

    def utility(self):
        return 0


@evaluation
class Scattered:
    def score(self, state):
        return (state.code * 2654435761 >> 7) % 100


def resident() -> float:
    """The resident memory of this process, in MB."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def growth(depth: int) -> tuple[int, float]:
    """Search to a depth: the nodes, and by how many MB the process has grown."""
    compiled_textbook(Abandoned(), 2, Scattered(), "alphabeta")
    before = resident()
    nodes = compiled_textbook(Abandoned(), depth, Scattered(), "alphabeta").nodes
    return nodes, resident() - before


@pytest.mark.long
def test_a_search_with_cutoffs_does_not_grow() -> None:
    nodes, grown = growth(13)  # before the remedy 44 bytes for each of the nodes, 150 MB
    assert nodes > 3_000_000
    assert grown < 15


@pytest.mark.nightly
def test_thirty_million_nodes_with_cutoffs() -> None:
    nodes, grown = growth(16)
    assert nodes > 30_000_000
    assert grown < 5
