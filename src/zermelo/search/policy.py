"""Compile-time search options.

A `Policy` is a type whose class attributes are constants of the compiled code: one source, and machine code of its own
for each policy, without the parts that the policy switches off.
"""

from __future__ import annotations

from collections.abc import Iterator

from zermelo.core.bitboard import Bitboard
from zermelo.core.game import State
from zermelo.core.value import Value
from zermelo.search.context import SearchContext
from zermelo.search.ordering import best_first
from zermelo.search.table import Table


class Policy(Value):
    """The options of the search. A policy has no fields, so passing one costs nothing."""

    __slots__ = ()

    alpha_beta = True  # prune by alpha and beta; otherwise visit every node (minimax)
    deep_cutoffs = True  # pass both bounds down; otherwise only the parent's, so that only shallow cutoffs are found
    null_window_search = False  # null windows for all moves but the first (principal variation search, NegaScout)
    move_ordering = False  # promising moves first; otherwise in the order of the rules
    transposition_table = False
    keeps_line = False  # keep the principal variation
    quiescence = False  # follow tactical moves below the horizon
    mate_distance_pruning = False  # no score exceeds that of a win at the next move
    star1 = False  # stop at a chance node once its mean is outside the window
    star2 = False  # first probe one move of each outcome, for better bounds; needs `star1`
    move_gains = False  # one ply above the horizon use the evaluation's `gain` instead of making the moves
    sparing = False  # make no state that is not searched, not even for move ordering
    endgame_solver = False  # use the game's `solve_endgame`
    canonical_states = False  # search one of several symmetric states in searches to the end of the game
    bounds = False  # use the game's `bounds` and `candidates` in searches to the end of the game

    def move_order(
        self, state: State, tactical_only: bool, depth: int, key: Bitboard, count: int, top: int, ctx: SearchContext,
        table: Table,
    ) -> Iterator[int]:  # fmt: skip
        """The moves in the order of the search: here that of the rules."""
        return state.moves()


class Minimax(Policy):
    """Plain minimax: every node to the depth, in the order of the rules."""

    __slots__ = ()
    alpha_beta = False


class AlphaBeta(Policy):
    """The textbook's alpha-beta, node for node, in the order of the rules."""

    __slots__ = ()


class ShallowCutoffs(Policy):
    """Alpha-beta without deep cutoffs: procedure F1 of Knuth and Moore (1975). Lecture 004 counts nodes by it."""

    __slots__ = ()
    deep_cutoffs = False


class Star1(Policy):
    """Alpha-beta with windows for chance nodes: Star1 (Ballard 1983), node for node as in the textbook."""

    __slots__ = ()
    star1 = True


class Star2(Policy):
    """Star1 after a probe of each outcome: Star2 (Ballard 1983), node for node as in the textbook."""

    __slots__ = ()
    star1 = True
    star2 = True


class QuiescenceAlphaBeta(Policy):
    """Alpha-beta with quiescence search and a principal variation, in the order of the rules, without a table."""

    __slots__ = ()
    keeps_line = True
    quiescence = True

    def move_order(
        self, state: State, tactical_only: bool, depth: int, key: Bitboard, count: int, top: int, ctx: SearchContext,
        table: Table,
    ) -> Iterator[int]:  # fmt: skip
        """The moves in the order of the rules, in quiescence the tactical ones."""
        for move in state.moves():
            if not tactical_only or state.is_tactical(move):
                yield move


class EnginePolicy(Policy):
    """All exact techniques: what `zermelo.search.engine.Engine` runs."""

    __slots__ = ()
    null_window_search = True
    move_ordering = True
    transposition_table = True
    keeps_line = True
    quiescence = True
    mate_distance_pruning = True
    star1 = True
    star2 = True
    move_gains = True
    endgame_solver = True
    canonical_states = True
    bounds = True

    def move_order(
        self, state: State, tactical_only: bool, depth: int, key: Bitboard, count: int, top: int, ctx: SearchContext,
        table: Table,
    ) -> Iterator[int]:  # fmt: skip
        """The moves in the order of the search: the best ordering score first."""
        return best_first(depth, key, count, top, ctx, table)


class Sparing(EnginePolicy):
    """The engine with as few states as possible: the value and best move of one small depth, without a line."""

    __slots__ = ()
    keeps_line = False
    sparing = True
