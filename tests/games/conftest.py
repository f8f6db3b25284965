"""Fixtures of the tests of games: the compiled search and perft."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from zermelo.compiled import native
from zermelo.core.evaluation import Evaluation, Nothing
from zermelo.core.game import State
from zermelo.search.context import UNLIMITED_DEPTH, SearchContext
from zermelo.search.kernel.perft import run_perft
from zermelo.search.kernel.search import run_search
from zermelo.search.policy import AlphaBeta, Policy
from zermelo.search.scores import LIMIT
from zermelo.search.table import new_table

ALPHA_BETA, NOTHING = AlphaBeta(), Nothing()


class Searched(NamedTuple):
    value: int
    nodes: int


Search = Callable[..., Searched]
Perft = Callable[[State, int], int]


@pytest.fixture(scope="session")
def search() -> Search:
    """Search a state to a depth, with raw utilities and unordered moves; return value and nodes."""

    def searched(
        state: State, depth: int = UNLIMITED_DEPTH, policy: Policy = ALPHA_BETA, evaluation: Evaluation = NOTHING
    ) -> Searched:
        ctx, table = SearchContext(), new_table(1)
        ctx.buckets = 1
        arguments = (state, evaluation, policy, depth, -LIMIT, LIMIT, 0, 0, ctx, table)
        value = native(run_search, *arguments)(*arguments)
        return Searched(int(value), ctx.nodes)

    return searched


@pytest.fixture(scope="session")
def perft() -> Perft:
    """Count the lines of a given number of moves."""

    def counted(state: State, depth: int) -> int:
        ctx = SearchContext()
        return int(native(run_perft, state, depth, True, ctx)(state, depth, True, ctx))

    return counted
