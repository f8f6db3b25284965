"""Terms of the backgammon evaluation: name, fitted weights, counting function and meaning of each.

Weights are in hundredths of a millipoint. They were fitted to money-game equities without the cube, as evaluated by the
neural networks of GNU Backgammon 1.07, which ran as a separate program:

- Data: 1.2 million positions after good and bad plays of the same rolls, from games of GNU Backgammon against itself
  with inferior plays mixed in; no position after the first play of a game.
- Contact: least squares on the equities of 1.04 million positions, with weight 10 on the equity differences among the
  plays of one roll, and positions with the pip count of the start weighted 5 times as much as late ones. Added: 50,000
  positions with the mean of the 0-ply and 1-ply equities (weight 10), and 13,600 positions near the start, plays at
  most 0.09 points behind the best, with 2-ply equities (weight 2,500 on their differences). Of four weights tried, this
  one lost the least equity by its choices on a held-out set of plays near the start.
- Race: least squares on the equities of 118,000 positions.
"""

from __future__ import annotations

from zermelo.games.term_table import TermRow

# ---- contact: weights with the pip count of the start, and late ------------------------------------------------

# For a blot on points 1 to 24.
_BLOT_EARLY = (
    -7677, -5123, -1948, 421, 2371, -2505, 297, 200, 619, 754, 875, -876, -105, -2126, -1812, -1953, -2822, -2410,
    348, 746, 602, 16, -615, -612,
)  # fmt: skip
_BLOT_LATE = (
    1323, 2039, 2081, 859, 11, -295, 698, 1148, 1007, 499, -8, -827, -1625, -3290, -3789, -4687, -5836, -6573, 5843,
    3701, 4990, 6801, 5130, 5040,
)  # fmt: skip
# For holding points 1 to 24.
_POINT_EARLY = (
    -12361, -8118, -2497, 2635, 5957, 11133, 5224, 3579, 3988, 4105, 3649, 5213, 5971, 2868, 4183, 3089, 1974, 2204,
    1073, 11599, 6758, 2749, -3463, -3854,
)  # fmt: skip
_POINT_LATE = (
    3405, 5206, 6959, 7321, 7945, 9069, 184, 1135, -1831, -261, -1953, -4377, -6429, -7945, -10389, -11939, -15214,
    -16679, 5045, 774, 1692, 63, 509, -14324,
)  # fmt: skip
# For each checker beyond two on points 1 to 24.
_SPARES_EARLY = (
    -19888, -13552, -7234, -3719, -703, 177, -998, 577, 362, 554, 35, 2963, 549, 1549, 339, -456, 672, -3001, -4123,
    -3061, -3872, -4482, -3381, -6419,
)  # fmt: skip
_SPARES_LATE = (
    -1409, -1235, -553, 301, 1228, 889, 983, -1287, 106, -166, -671, -3198, -4039, -9812, -9925, -8657, -12075,
    -14740, -7644, -12856, -13461, -13815, -13179, -12642,
)  # fmt: skip


def _by_point(name: str, early: tuple[int, ...], late: tuple[int, ...], meaning: str) -> tuple[TermRow, ...]:
    """Return one row for each of the points 1 to 24."""
    return tuple(
        TermRow(f"{name} {point}", weights, "contact_counts", meaning)
        for point, weights in enumerate(zip(early, late, strict=True), 1)
    )


CONTACT_TERMS = (
    *_by_point("blot on", _BLOT_EARLY, _BLOT_LATE, "a single checker on the point"),
    *_by_point("point", _POINT_EARLY, _POINT_LATE, "two checkers or more on the point"),
    *_by_point("spares on", _SPARES_EARLY, _SPARES_LATE, "checkers beyond two on the point"),
    TermRow("home of 1", (-9365, 7328), "contact_counts", "exactly 1 point held at home"),
    TermRow("home of 2", (-1608, 5896), "contact_counts", "exactly 2 points held at home"),
    TermRow("home of 3", (7549, 4279), "contact_counts", "exactly 3 points held at home"),
    TermRow("home of 4", (19027, 1358), "contact_counts", "exactly 4 points held at home"),
    TermRow("home of 5", (28200, -1740), "contact_counts", "exactly 5 points held at home"),
    TermRow("home of 6", (-8844, -9140), "contact_counts", "exactly 6 points held at home"),
    TermRow("on the bar", (-4235, 12880), "bar_terms", "1 with a checker on the bar"),
    TermRow("checkers on the bar", (-1501, -3645), "bar_terms", "checkers on the bar"),
    TermRow("on the bar, to roll", (-4235, 12880), "bar_terms", "the same, for the side to roll"),
    TermRow("checkers on the bar, to roll", (-1501, -3645), "bar_terms", "the same, for the side to roll"),
    TermRow("borne off", (-15005, 8291), "bar_terms", "checkers borne off"),
    TermRow("pips", (-287, -672), "bar_terms", "pip count"),
    TermRow("to roll", (8601, 4667), "bar_terms", "1 for the side to roll"),
    TermRow("shots", (15, 204), "shot_terms", "rolls of 36 that hit an enemy blot"),
    TermRow("lost by shots", (1, -77), "shot_terms", "pips that those rolls cost the other side, summed"),
    TermRow("double shots", (-2, 404), "shot_terms", "rolls that can hit either of two blots"),
    TermRow("shots x home", (-2, 86), "shot_terms", "shots times points held at home"),
    TermRow("lost by shots x home", (3, 19), "shot_terms", "lost pips times points held at home"),
    TermRow("shots to roll", (-38, -388), "shot_terms", "shots, for the side to roll"),
    TermRow("lost by shots to roll", (14, 57), "shot_terms", "lost pips, for the side to roll"),
    TermRow("double shots to roll", (59, 806), "shot_terms", "double shots, for the side to roll"),
    TermRow("shots to roll x home", (-42, 135), "shot_terms", "times points held at home"),
    TermRow("lost to roll x home", (5, 8), "shot_terms", "times points held at home"),
    TermRow("home, other on the bar", (-8863, 14196), "home_terms", "points held at home, an enemy on the bar"),
    TermRow("home squared, other on the bar", (1712, -1963), "home_terms", "the same, squared"),
    TermRow("home x others on the bar", (6037, 6738), "home_terms", "points held at home times enemies on the bar"),
    TermRow("block of 3", (-785, 4719), "block_terms", "3 of 6 adjacent points held before the rearmost enemy checker"),
    TermRow("block of 4", (-962, 13680), "block_terms", "4 of 6 adjacent points"),
    TermRow("block of 5", (1429, 14675), "block_terms", "5 of 6 adjacent points"),
    TermRow("block of 6", (28592, 18882), "block_terms", "6 of 6 adjacent points"),
    TermRow("prime of 2", (940, 4052), "block_terms", "2 adjacent points held before the rearmost enemy checker"),
    TermRow("prime of 3", (1516, 2959), "block_terms", "3 adjacent points"),
    TermRow("prime of 4", (1237, 10358), "block_terms", "4 adjacent points"),
    TermRow("prime of 5", (18716, 12004), "block_terms", "5 adjacent points"),
    TermRow("prime of 6", (28592, 18882), "block_terms", "6 adjacent points"),
    TermRow("behind prime of 4", (1445, -4109), "block_terms", "enemy checkers behind the foremost prime of 4"),
    TermRow("behind prime of 5", (-2681, -5167), "block_terms", "enemy checkers behind the foremost prime of 5"),
    TermRow("behind prime of 6", (-9124, -15217), "block_terms", "enemy checkers behind the foremost prime of 6"),
    TermRow("dice to move the last", (235, -2889), "escape_rolls", "dice that move the rearmost checker"),
    TermRow("rolls to move the last", (543, -131), "escape_rolls", "rolls of 36 with which it can move both dice"),
    TermRow("back", (-3663, -4610), "back_terms", "checkers on point 19 or higher"),
    TermRow("back x other home", (981, 318), "back_terms", "times points that the other side holds at home"),
    TermRow("blots back x other home", (-944, -1389), "back_terms", "blots on point 19 or higher, times the same"),
    TermRow("blots before x other home", (-734, -479), "back_terms", "blots below point 19, times the same"),
    TermRow("back x deep", (54, -883), "back_terms", "checkers back times checkers on points 1 to 3"),
    TermRow("anchor", (284, -7125), "back_terms", "1 with a point held at 19 or higher"),
    TermRow("anchor x other home", (-2112, -857), "back_terms", "times points that the other side holds at home"),
    TermRow("builders", (464, 123), "contact_counts", "blots and spares on points 6 to 12"),
    TermRow("stacked", (-2340, -813), "contact_counts", "checkers beyond three on a point"),
    TermRow("points to make", (115, 129), "point_making_rolls", "rolls of 36 that make one of the points 1 to 7"),
    TermRow("points to make, to roll", (-38, -20), "point_making_rolls", "the same, for the side to roll"),
)  # fmt: skip


# ---- race ----------------------------------------------------------------------------------------------------------


def _by_step(name: str, weights: tuple[int, ...], meaning: str) -> tuple[TermRow, ...]:
    """Return one row for each step of a scale, numbered from 1."""
    return tuple(TermRow(f"{name} {step}", (weight,), "race_counts", meaning) for step, weight in enumerate(weights, 1))


# The lead is in sixteenths of a quarter, lateness in eighths of a roll; see `race_counts`.
_LEAD = (
    1103, 2066, 3003, 3840, 4506, 5030, 5437, 5760, 5959, 6092, 6140, 6307,
)  # fmt: skip
_GAMMON = (
    1874, 6357, 11298, 12075, 12297, 12285, 12247, 12829,
)  # fmt: skip
_BACKGAMMON = (
    198, 2345, 12003, 11989,
)  # fmt: skip

RACE_TERMS = (
    *_by_step("ahead", _LEAD, "lead in the race on a scale from 0 to 12"),
    *_by_step("gammon", _GAMMON, "how late the other side is to save a gammon, 0 to 8"),
    *_by_step("backgammon", _BACKGAMMON, "how late the other side is to save a backgammon, 0 to 4"),
)
