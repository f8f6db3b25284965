"""The mistakes that have a name: what the diagnosis of an answer, or of a program, calls them.

One list for both: `zermelo exercise grade` finds them in what a student wrote, `zermelo exercise check` in what a
student's program did. The solvers that make them on purpose are in `zermelo.teaching.exercises.wrong_solvers`.
"""

from __future__ import annotations

from typing import NamedTuple


class Mistake(NamedTuple):
    """A mistake with a name."""

    #: What JSON and tests call it; it never changes.
    id: str
    #: A few words, for a table.
    title: str
    #: A sentence to the student: what was done, and what is right.
    sentence: str


def _mistake(id: str, title: str, sentence: str) -> Mistake:
    mistake = Mistake(id, title, sentence)
    MISTAKES[id] = mistake
    return mistake


#: All of them by their identifiers. Where two explain an answer equally well, the earlier one is told first.
MISTAKES: dict[str, Mistake] = {}

# ---- who moves, and in which order ------------------------------------------------------------------------------

PLAYERS_SWAPPED = _mistake(
    "players-swapped",
    "MAX and MIN swapped",
    "MAX and MIN are swapped: MAX takes the largest value of its children, MIN the smallest.",
)
ONE_PLAYER = _mistake(
    "one-player",
    "one player at every node",
    "The same player chooses at every node; but the node says whose turn it is, MAX or MIN.",
)
NOT_NEGATED = _mistake(
    "not-negated",
    "values not negated (negamax)",
    "A sign is missing: in negamax each node is told for the side that moves there, so what comes up from a child of "
    "the other side is negated, and the window goes down as (-beta, -alpha).",
)
RIGHT_TO_LEFT = _mistake(
    "right-to-left",
    "children from right to left",
    "The children were searched from right to left; here they are searched from left to right.",
)
DEPTH_OFF_BY_ONE = _mistake(
    "depth-off-by-one",
    "one level too shallow or too deep",
    "The search stopped one level off: the values come from a depth that is one too small or too large.",
)
WEIGHTS_IGNORED = _mistake(
    "weights-ignored",
    "chance without its weights",
    "At the chance nodes all children count alike; but each outcome counts with its probability.",
)

# ---- when a cut is made -----------------------------------------------------------------------------------------

CUTS_ONLY_BEYOND = _mistake(
    "cuts-only-beyond",
    "cuts only on strict inequality",
    "Cuts are made only where a value goes beyond the bound; here a value equal to the bound cuts too.",
)
CUTS_ON_EQUALITY = _mistake(
    "cuts-on-equality",
    "cuts on equality",
    "Cuts are made where a value equals the bound; here only a value beyond the bound cuts.",
)
NO_PRUNING = _mistake(
    "no-pruning",
    "no pruning at all (minimax)",
    "Nothing is cut off: this is plain minimax. Once alpha and beta have met, the remaining children cannot matter.",
)
CUTS_THE_CAUSE = _mistake(
    "crosses-the-cause",
    "one arc too many crossed",
    "The arc to the child that caused the cut is crossed out too; that child was searched, only those after it are "
    "not.",
)
CUTS_BENEATH = _mistake(
    "crosses-beneath",
    "crosses below the pruned node",
    "The arcs below a pruned node are crossed out in place of the arc that leads to it; the cut is one level higher.",
)
CUTS_ABOVE = _mistake(
    "crosses-above",
    "crosses the node that cut",
    "The arc to the node where the cut happens is crossed out; that node was visited, what is cut off are its "
    "remaining children.",
)

# ---- the window -------------------------------------------------------------------------------------------------

WINDOW_NOT_PASSED = _mistake(
    "window-not-passed",
    "window not passed down",
    "Each node begins with the full window and knows only its own bound; alpha and beta are handed down from above.",
)
PARENT_BOUND_ONLY = _mistake(
    "parent-bound-only",
    "only the parent's bound passed",
    "Only the bound of the node directly above is handed down, so deep cuts are missed; both bounds go down all the "
    "way.",
)
STALE_WINDOW = _mistake(
    "stale-window",
    "window not moved by earlier children",
    "Every child is given the window that its parent was given; but what the earlier children returned has moved it.",
)
WINDOW_SWAPPED = _mistake(
    "window-swapped",
    "alpha and beta swapped",
    "The windows stand the wrong way round: alpha (what MAX has) first, then beta (what MIN has).",
)

# ---- what is returned, and what is chosen -----------------------------------------------------------------------

FAIL_HARD_VALUES = _mistake(
    "fail-hard-values",
    "fail-hard values",
    "Values outside the window are replaced by the bound (fail-hard); the convention here is another.",
)
FAIL_SOFT_VALUES = _mistake(
    "fail-soft-values",
    "fail-soft values",
    "Values outside the window are kept as they are (fail-soft); the convention here is another.",
)
PATH_VALUES = _mistake(
    "path-values",
    "values as Poole and Mackworth return them",
    "A node with nothing better than its bound returns that bound, as in Poole and Mackworth's variant; the convention "
    "here is another.",
)
WORST_MOVE = _mistake(
    "worst-move",
    "the worst move as the best",
    "The move chosen is the worst for the side to move at the root.",
)
LAST_OF_EQUALS = _mistake(
    "last-of-equals",
    "the last of equal moves",
    "Of several moves with the best value the last is chosen; here the first one counts.",
)

# ---- the order of visits ----------------------------------------------------------------------------------------

BREADTH_FIRST = _mistake(
    "breadth-first",
    "level by level",
    "The nodes are listed level by level; the search goes depth first: down to the first leaf before the next child.",
)
BOTTOM_UP = _mistake(
    "bottom-up",
    "children before their parents",
    "Each node is listed when it is left; it is visited when it is entered, before its children.",
)
LEAVES_ONLY = _mistake(
    "leaves-only",
    "only leaves in the order",
    "Only the leaves are listed; the inner nodes are visited too.",
)

# ---- in programs ------------------------------------------------------------------------------------------------

TAKES_TURNS = _mistake(
    "takes-turns",
    "assumes that the players take turns",
    "The program takes it that MAX and MIN move by turns; but a player may move twice in a row: ask "
    "game.to_move(state).",
)
END_IGNORED = _mistake(
    "end-ignored",
    "searches on where the game is over",
    "The program does not ask whether the game is over before it looks for moves: a finished game has none, and is "
    "worth its utility.",
)
NOT_EVALUATED = _mistake(
    "not-evaluated",
    "no evaluation at the depth",
    "Where the depth is used up the program takes 0; there a state is worth game.evaluate(state).",
)
FOR_THE_MOVER = _mistake(
    "for-the-mover",
    "the value told for the mover",
    "The value is told for the side to move at the root; it is to be told for MAX, whoever moves.",
)
CUTS_THE_WRONG_WAY = _mistake(
    "cuts-the-wrong-way",
    "cuts by the wrong comparison",
    "Cuts are made by the wrong comparison; MAX may stop only at a value that reaches beta, MIN only at one that "
    "reaches alpha.",
)
ONE_BOUND = _mistake(
    "one-bound",
    "only one of alpha and beta moved",
    "Only one of the two bounds is ever moved; what MAX finds moves alpha, what MIN finds moves beta.",
)

# ---- and last ---------------------------------------------------------------------------------------------------

ARITHMETIC_SLIP = _mistake(
    "arithmetic-slip",
    "a slip at one node",
    "One value is wrong; everything else follows from it.",
)
