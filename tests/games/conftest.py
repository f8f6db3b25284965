"""What the games' tests share: the compiled search and perft, called as plainly as can be."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from zermelo.compiled import native
from zermelo.core.evaluation import Evaluation, Nothing
from zermelo.core.game import State
from zermelo.search.context import BUCKETS, NODES, new_desk
from zermelo.search.kernel.search import ENDLESS, run_leaves, run_search
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
    """The value of a state to a depth, utilities as they are, moves in the order of the rules, and the nodes."""

    def searched(
        state: State, depth: int = ENDLESS, policy: Policy = ALPHA_BETA, evaluation: Evaluation = NOTHING
    ) -> Searched:
        desk, table = new_desk(), new_table(1)
        desk[BUCKETS] = 1
        arguments = (state, evaluation, policy, depth, -LIMIT, LIMIT, 0, 0, desk, table)
        value = native(run_search, *arguments)(*arguments)
        return Searched(int(value), int(desk[NODES]))

    return searched


@pytest.fixture(scope="session")
def perft() -> Perft:
    """The number of lines of so many moves."""

    def counted(state: State, depth: int) -> int:
        desk = new_desk()
        return int(native(run_leaves, state, depth, True, desk)(state, depth, True, desk))

    return counted
