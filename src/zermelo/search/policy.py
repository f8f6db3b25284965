"""Which search the kernel is: its switches, as constants of a type, so that each is compiled on its own.

One source, a machine code for each policy: the kernel asks `policy.scouts` and so on, and what a policy switches off is
not in its code at all.
"""

from __future__ import annotations

from zermelo.core.value import Value
from zermelo.search.ordering import ordered


class Policy(Value):
    """The switches of the kernel. A policy has no fields, so it takes no room where it is passed."""

    __slots__ = ()

    prunes = True  # skip what cannot matter (alpha-beta); else visit everything (minimax)
    cuts_deep = True  # hand both bounds down; else only the mover's own best, which cuts replies to its moves alone
    scouts = False  # null windows for all but the first move (principal variation search)
    orders = False  # try promising moves first; else in the order of the game's rules
    uses_table = False  # look up and keep what is known of a state
    keeps_line = False  # write down the principal variation
    quiesces = False  # follow noisy moves beyond the depth
    knows_limits = False  # no score beyond the best possible (so nearer wins are sought no further: mate distance)
    cuts_chance = False  # stop at a chance node whose mean lies outside the window, known by bounds (Star1)
    probes = False  # first try one move of each outcome, for better bounds (Star2; with `cuts_chance` only)
    values_moves = False  # one ply above the horizon, ask the evaluation what moves gain instead of making them
    spares = False  # make no state that is not searched, not even to order by it
    takes_endings = False  # ask the game for the exact value of small endings

    def sequence(self, state, depth, key, count, top, desk, table):
        """The moves in the order to be searched: here as the rules yield them."""
        return state.moves()


class Minimax(Policy):
    """Every state to the depth, in the order of the rules: the books' MINIMAX."""

    __slots__ = ()
    prunes = False


class AlphaBeta(Policy):
    """The books' alpha-beta, node for node, in the order of the rules."""

    __slots__ = ()


class Shallow(Policy):
    """Alpha-beta without deep cuts: Knuth and Moore's procedure F1 (1975). Lecture 004 counts its boards by it."""

    __slots__ = ()
    cuts_deep = False


class Star1(Policy):
    """Alpha-beta that hands windows down through chance nodes: Ballard's Star1, node for node."""

    __slots__ = ()
    cuts_chance = True


class Star2(Policy):
    """Star1 after a probe of each outcome: Ballard's Star2, node for node."""

    __slots__ = ()
    cuts_chance = True
    probes = True


class Quiet(Policy):
    """Alpha-beta with a principal variation and quiescence, in the order of the rules, no table."""

    __slots__ = ()
    keeps_line = True
    quiesces = True


class Engine(Policy):
    """Everything: principal variation search, ordered, with the table, quiescence and small endings."""

    __slots__ = ()
    scouts = True
    orders = True
    uses_table = True
    keeps_line = True
    quiesces = True
    knows_limits = True
    cuts_chance = True
    probes = True
    values_moves = True
    takes_endings = True

    def sequence(self, state, depth, key, count, top, desk, table):
        """The moves in the order to be searched: the most promising first."""
        return ordered(depth, key, count, top, desk, table)


class Sparing(Engine):
    """The engine with as few states as it can: the value and the best move of a small depth, searched once, no line."""

    __slots__ = ()
    keeps_line = False
    spares = True
