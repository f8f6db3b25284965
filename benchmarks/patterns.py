"""Othello's pattern evaluation: evaluated leaves a second in midgame searches, updated and from scratch.

    python benchmarks/patterns.py

The weights are random, so the moves are not good ones; the time of a node does not depend on them. Both searches visit
the same nodes. CPU time of one thread; the best of several rounds, which alternate between the two.
"""

from __future__ import annotations

import random
import time
from typing import Any

import numpy as np

from zermelo import evaluation
from zermelo.compiled import native
from zermelo.core.evaluation import Evaluation
from zermelo.games.othello import Othello
from zermelo.games.othello.patterns import DiscPatterns
from zermelo.search.context import SearchContext
from zermelo.search.kernel.search import run_search
from zermelo.search.policy import EnginePolicy
from zermelo.search.scores import LIMIT, ranked
from zermelo.search.table import buckets_in, new_table

DEPTH = 8
POSITIONS = 10
ROUNDS = 5
BUCKETS = buckets_in(1 << 24)


@evaluation
class FromScratch(DiscPatterns):
    """The same evaluation, computed at every leaf."""


FromScratch.has_accumulator = False


def positions() -> list[Othello]:
    """Midgame positions: 24 random moves from the start."""
    chosen = random.Random(1)
    found: list[Othello] = []
    while len(found) < POSITIONS:
        state = Othello.start()
        for _ in range(24):
            if not state.is_over():
                state = state.play(chosen.choice(state.legal_moves()))
        if not state.is_over():
            found.append(state)
    return found


def search(state: Othello, used: Evaluation) -> tuple[int, int, float]:
    """Search one position with an empty table. Returns nodes, evaluated leaves and CPU seconds."""
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
    return ctx.nodes, ctx.horizon_nodes, time.process_time() - begin


def main() -> None:
    """Print the table."""
    weights = np.random.default_rng(1).integers(-2000, 2000, (DiscPatterns.stages, DiscPatterns.weight_count()))
    kinds = {
        "patterns, updated": DiscPatterns.with_weights(weights),
        "patterns, from scratch": FromScratch.with_weights(weights),
        "mobility": Othello.evaluations["mobility"],
    }
    states = positions()
    best: dict[str, tuple[float, int, int]] = {}
    for used in kinds.values():
        search(states[0], used)
    for _ in range(ROUNDS):
        for name, used in kinds.items():
            rows = [search(state, used) for state in states]
            nodes, leaves, seconds = (sum(column) for column in zip(*rows, strict=True))
            best[name] = min(best.get(name, (1e9, 0, 0)), (seconds, int(nodes), int(leaves)))
    print(f"Othello, depth {DEPTH}, {POSITIONS} midgame positions, one thread, best of {ROUNDS} rounds")
    for name, (seconds, nodes, leaves) in best.items():
        print(
            f"{name:24} {nodes / 1e6:6.2f} M nodes {leaves / 1e6:6.2f} M leaves {seconds:6.2f} s "
            f"{leaves / seconds / 1e6:6.2f} M leaves/s {1e9 * seconds / leaves:6.0f} ns a leaf"
        )


if __name__ == "__main__":
    main()
