"""Why a move is better than another one: the terms that are shown."""

from __future__ import annotations

import pytest

from zermelo import Engine, load
from zermelo.core.evaluation import resolve_evaluation
from zermelo.interactive.move_reasons import reasons
from zermelo.search.analysis import Analysis


@pytest.mark.long  # compiles a search of chess
def test_the_terms_of_another_evaluation_than_the_search_used_are_named() -> None:
    """A network's own terms, its pieces on their squares, explain nothing."""
    state = load("chess").parse("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1")
    legal = state.legal_moves()
    with Engine("1M", selective=False) as engine:

        def search(moves: list[int], depth: int | None) -> Analysis:
            return engine.analyse(state, depth=1, evaluation="network", moves=moves)

        found = reasons(state, state.parse_move("exd5"), legal, search, resolve_evaluation(state, "network"))
    assert dict(found.rows)["by terms"].endswith(" (terms of positional, in centipawns)")
