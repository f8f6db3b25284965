"""Chess: nodes a second with the hand-made evaluation and with a network of the same search.

    python benchmarks/network.py

The network's weights are random, so it prefers other moves; the time of a node does not depend on them. CPU time of one
thread, the best of several rounds that alternate between the evaluations.
"""

from __future__ import annotations

import random
import time
from typing import Any

import numpy as np

from zermelo import evaluation
from zermelo.compiled import native
from zermelo.core.evaluation import Evaluation
from zermelo.games.chess import Chess
from zermelo.games.chess.network import PieceNetwork
from zermelo.search.context import SearchContext
from zermelo.search.kernel.search import run_search
from zermelo.search.policy import EnginePolicy
from zermelo.search.scores import LIMIT, ranked
from zermelo.search.table import buckets_in, new_table

DEPTH = 5
POSITIONS = 6
ROUNDS = 4
BUCKETS = buckets_in(1 << 24)


@evaluation
class FromScratch(PieceNetwork):
    """The same network, computed at every leaf."""


FromScratch.has_accumulator = False


def positions() -> list[Chess]:
    """Positions after 16 random moves."""
    chosen = random.Random(1)
    found: list[Chess] = []
    while len(found) < POSITIONS:
        state = Chess.start()
        for _ in range(16):
            if not state.is_over():
                state = state.play(chosen.choice(state.legal_moves()))
        if not state.is_over():
            found.append(state)
    return found


def search(state: Chess, used: Evaluation) -> tuple[int, float]:
    """Search one position with an empty table. Returns nodes and CPU seconds."""
    ctx = SearchContext()
    ctx.set_scale(state, ranked(state, used), used)
    ctx.set_history(state, ())
    ctx.buckets = BUCKETS
    arguments: tuple[Any, ...] = (
        state, used, EnginePolicy(), DEPTH, -LIMIT, LIMIT, 0, 0, ctx, new_table(BUCKETS)
    )  # fmt: skip
    call = native(run_search, *arguments)
    begin = time.process_time()
    call(*arguments)
    return ctx.nodes, time.process_time() - begin


def main() -> None:
    """Print the table."""
    drawn = np.random.default_rng(1)
    floats = {name: drawn.normal(0, 0.15, shape) for name, shape in PieceNetwork.shapes().items()}
    kinds = {
        "positional": Chess.evaluations["positional"],
        "network, updated": PieceNetwork.from_floats(floats),
        "network, from scratch": FromScratch.from_floats(floats),
    }
    states = positions()
    best = dict.fromkeys(kinds, 1e9)
    for used in kinds.values():
        search(states[0], used)
    for _ in range(ROUNDS):
        for name, used in kinds.items():
            rows = [search(state, used) for state in states]
            best[name] = min(best[name], sum(row[1] for row in rows) / sum(row[0] for row in rows))
    print(f"Chess, depth {DEPTH}, {POSITIONS} positions, one thread, best of {ROUNDS} rounds")
    for name, seconds in best.items():
        ratio = best["positional"] / seconds
        print(f"  {name:24} {1e9 * seconds:6.0f} ns a node   {1e-6 / seconds:5.2f} million nodes/s   {ratio:4.2f}")


if __name__ == "__main__":
    main()
