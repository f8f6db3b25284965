"""The catalogue of named mistakes, used to diagnose answers and programs.

`zermelo exercise grade` finds them in students' answers, `zermelo exercise check` in students' programs. The solvers
that make them on purpose are in `wrong_solvers` (on paper) and `program_behaviour` (in programs).
"""

from __future__ import annotations

from typing import NamedTuple


class Mistake(NamedTuple):
    """A named mistake."""

    #: Stable identifier, used in JSON and CSV.
    id: str
    #: A few words, for tables.
    title: str
    #: Feedback for the student: what was done, and what is correct.
    sentence: str


def _mistake(id: str, title: str, sentence: str) -> Mistake:
    mistake = Mistake(id, title, sentence)
    MISTAKES[id] = mistake
    return mistake


#: All mistakes by id. Where several explain an answer equally well, they are reported in this order.
MISTAKES: dict[str, Mistake] = {}

# ---- players and move order -------------------------------------------------------------------------------------

PLAYERS_SWAPPED = _mistake(
    "players-swapped",
    "MAX and MIN swapped",
    "MAX and MIN are swapped. MAX takes the largest value of its children, MIN the smallest.",
)
ONE_PLAYER = _mistake(
    "one-player",
    "same player at every node",
    "The same player chooses at every node. Use the player given at each node, MAX or MIN.",
)
NOT_NEGATED = _mistake(
    "not-negated",
    "values not negated (negamax)",
    "A negation is missing. In negamax the value of a child is negated when the other side moves there, and the window "
    "is passed down as (-beta, -alpha).",
)
LEAVES_NOT_NEGATED = _mistake(
    "leaves-not-negated",
    "leaves without the side to move (negamax)",
    "The values of the leaves are for MAX. In negamax the value of a leaf below a MAX node is negated first: it counts "
    "for the side to move at the leaf.",
)
SIGN_LOST = _mistake(
    "sign-lost",
    "sign lost at one level",
    "At one level the values of the children have the wrong sign; at the other levels the signs are right.",
)
RIGHT_TO_LEFT = _mistake(
    "right-to-left",
    "children searched from right to left",
    "The children are searched from right to left. Search them from left to right.",
)
DEPTH_OFF_BY_ONE = _mistake(
    "depth-off-by-one",
    "search depth off by one",
    "The search stops one ply too early or too late.",
)
WEIGHTS_IGNORED = _mistake(
    "weights-ignored",
    "probabilities ignored at chance nodes",
    "At chance nodes all children have the same weight. Weight each child with its probability.",
)

# ---- cutoffs ----------------------------------------------------------------------------------------------------

CUTS_ONLY_BEYOND = _mistake(
    "cuts-only-beyond",
    "no cutoff on equality",
    "The search prunes only on strict inequality. With this convention a value equal to the bound causes a "
    "cutoff as well.",
)
CUTS_ON_EQUALITY = _mistake(
    "cuts-on-equality",
    "cutoff on equality",
    "The search prunes when a value equals the bound. With this convention only strict inequality causes a cutoff.",
)
NO_PRUNING = _mistake(
    "no-pruning",
    "no pruning (plain minimax)",
    "Nothing is pruned: this is plain minimax. Once alpha >= beta, the remaining children cannot affect the result.",
)
CUTS_THE_CAUSE = _mistake(
    "crosses-the-cause",
    "child that causes the cutoff crossed out",
    "The arc to the child that causes the cutoff is crossed out as well. That child is searched; only the children "
    "after it are pruned.",
)
CUTS_BENEATH = _mistake(
    "crosses-beneath",
    "arcs below the pruned node crossed out",
    "Arcs below a pruned node are crossed out instead of the arc that leads to it. The cutoff is one level higher.",
)
CUTS_ABOVE = _mistake(
    "crosses-above",
    "node with the cutoff crossed out",
    "The arc to the node where the cutoff happens is crossed out. That node is visited; its remaining children are "
    "pruned.",
)

DEEP_CUTS_MISSED = _mistake(
    "deep-cuts-missed",
    "deep cutoffs missed",
    "The cutoffs compare with the value of the parent only. A bound from further up causes a cutoff as well (a deep "
    "cutoff); it is in the window.",
)
OWN_BOUND_COMPARED = _mistake(
    "own-bound-compared",
    "compared with the wrong parent's bound",
    "The cutoffs compare with the node's own bound (alpha at MAX, beta at MIN). Compare with the bound of the "
    "opponent: beta at MAX, alpha at MIN.",
)

# ---- windows ----------------------------------------------------------------------------------------------------

WINDOW_NOT_PASSED = _mistake(
    "window-not-passed",
    "window not passed down",
    "Each node starts with the full window. Pass alpha and beta down from the parent.",
)
PARENT_BOUND_ONLY = _mistake(
    "parent-bound-only",
    "only the parent's bound passed down",
    "Only the bound of the parent is passed down, so deep cutoffs are missed. Pass both alpha and beta down the whole "
    "path.",
)
STALE_WINDOW = _mistake(
    "stale-window",
    "window not updated after a child returns",
    "Every child gets the window that its parent got on entry. Update the window with the values of the earlier "
    "children.",
)
WINDOW_SWAPPED = _mistake(
    "window-swapped",
    "alpha and beta swapped",
    "Alpha and beta are swapped. A window is (alpha, beta): first the lower bound for MAX, then the upper bound for "
    "MIN.",
)

EXIT_IS_ENTRY = _mistake(
    "exit-equals-entry",
    "exit window equal to the entry window",
    "The exit window repeats the entry window. At MAX alpha rises to the best value of the children, at MIN beta falls "
    "to it.",
)

# ---- returned values and the move chosen ------------------------------------------------------------------------

FAIL_HARD_VALUES = _mistake(
    "fail-hard-values",
    "fail-hard values",
    "Values outside the window are clamped to the bound (fail-hard). This exercise uses another convention.",
)
FAIL_SOFT_VALUES = _mistake(
    "fail-soft-values",
    "fail-soft values",
    "Values outside the window are returned as they are (fail-soft). This exercise uses another convention.",
)
PATH_VALUES = _mistake(
    "path-values",
    "values as in Poole and Mackworth's variant",
    "A node that does not improve on its bound returns the bound, as in Poole and Mackworth's variant. This exercise "
    "uses another convention.",
)
WORST_MOVE = _mistake(
    "worst-move",
    "worst move chosen",
    "The chosen move is the worst one for the side to move at the root.",
)
LAST_OF_EQUALS = _mistake(
    "last-of-equals",
    "last of several equal moves chosen",
    "The last of several equally good moves is chosen. Choose the first one.",
)

# ---- order of visits --------------------------------------------------------------------------------------------

BREADTH_FIRST = _mistake(
    "breadth-first",
    "breadth-first order",
    "The nodes are listed level by level. The search is depth-first: it completes one child before it starts the next.",
)
BOTTOM_UP = _mistake(
    "bottom-up",
    "post-order instead of pre-order",
    "Each node is listed when the search leaves it. List a node when it is entered, before its children.",
)
LEAVES_ONLY = _mistake(
    "leaves-only",
    "only leaves listed",
    "Only the leaves are listed. List the visited inner nodes as well.",
)

# ---- programs ---------------------------------------------------------------------------------------------------

TAKES_TURNS = _mistake(
    "takes-turns",
    "assumes that players alternate",
    "The program assumes that MAX and MIN alternate. A player may move twice in a row; use game.to_move(state).",
)
END_IGNORED = _mistake(
    "end-ignored",
    "no terminal test",
    "The program does not test for the end of the game. A finished game has no moves, and its value is its utility.",
)
NOT_EVALUATED = _mistake(
    "not-evaluated",
    "no evaluation at the depth limit",
    "The program returns 0 at the depth limit. Return game.evaluate(state) there.",
)
FOR_THE_MOVER = _mistake(
    "for-the-mover",
    "value for the side to move",
    "The value is returned from the point of view of the side to move at the root. Return it for MAX.",
)
CUTS_THE_WRONG_WAY = _mistake(
    "cuts-the-wrong-way",
    "wrong comparison for the cutoff",
    "The cutoff test uses the wrong comparison. MAX stops when its value reaches beta, MIN when it reaches alpha.",
)
ONE_BOUND = _mistake(
    "one-bound",
    "only one of alpha and beta updated",
    "Only one of the two bounds is updated. MAX nodes update alpha, MIN nodes update beta.",
)

# ---- slips: wrong steps at a single node, followed by everything that follows from them ---------------------------

WRONG_PLAYER_ONCE = _mistake(
    "wrong-player-once",
    "wrong player at one node",
    "At this node the wrong player chooses; the other entries follow from it.",
)
SIGN_ONCE = _mistake(
    "sign-once",
    "wrong sign at one node",
    "The value of this node has the wrong sign; the other entries follow from it.",
)
CUTOFF_MISSED = _mistake(
    "cutoff-missed",
    "one cutoff missed or too late",
    "The search goes on at this node although alpha and beta have met; the other entries follow from it.",
)
CUTOFF_TOO_EARLY = _mistake(
    "cutoff-too-early",
    "one cutoff too early",
    "The search stops at this node although alpha and beta have not met; the other entries follow from it.",
)
WRONG_WINDOW = _mistake(
    "wrong-window",
    "one wrong entry window",
    "The entry window of this node is wrong; the other entries follow from it.",
)
ARITHMETIC_SLIP = _mistake(
    "arithmetic-slip",
    "one wrong value",
    "The value of this node is wrong; the other entries follow from it.",
)
