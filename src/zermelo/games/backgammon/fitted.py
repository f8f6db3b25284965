"""The weights of backgammon's evaluation: data, in the order of its terms, in hundredths of a thousandth of a point.

How they came to be: games of GNU Backgammon's networks (1.07, its best plays mixed with worse ones) gave 1.2 million
positions after good plays and bad ones of the same rolls, none of them after a game's first play. What they are worth
for money without the cube is what those networks say. Contact, 1.04 million positions: least squares of the worth,
and ten times as heavy of the differences among the plays of one roll; positions with all the pips of the start count
five times as much as late ones. On top, 50,000 positions with the mean of that worth and the worth seen one roll ahead,
ten times as heavy; and 13,600 near the start, plays no more than 0.09 points behind the best, with the worth seen two
rolls ahead, 2,500 times as heavy in their differences: the weight, of four tried, that lost least by its choice among
plays near the start kept aside. Race, 118,000 positions: least squares of the worth.
"""

from __future__ import annotations

# Contact, with all the pips of the start.
EARLY = (
    -7677, -5123, -1948, 421, 2371, -2505, 297, 200, 619, 754, 875, -876, -105, -2126, -1812, -1953, -2822, -2410,
    348, 746, 602, 16, -615, -612, -12361, -8118, -2497, 2635, 5957, 11133, 5224, 3579, 3988, 4105, 3649, 5213, 5971,
    2868, 4183, 3089, 1974, 2204, 1073, 11599, 6758, 2749, -3463, -3854, -19888, -13552, -7234, -3719, -703, 177,
    -998, 577, 362, 554, 35, 2963, 549, 1549, 339, -456, 672, -3001, -4123, -3061, -3872, -4482, -3381, -6419, -9365,
    -1608, 7549, 19027, 28200, -8844, -4235, -1501, -4235, -1501, -15005, -287, 8601, 15, 1, -2, -2, 3, -38, 14, 59,
    -42, 5, -8863, 1712, 6037, -785, -962, 1429, 28592, 940, 1516, 1237, 18716, 28592, 1445, -2681, -9124, 235, 543,
    -3663, 981, -944, -734, 54, 284, -2112, 464, -2340, 115, -38,
)  # fmt: skip

# Contact, late.
LATE = (
    1323, 2039, 2081, 859, 11, -295, 698, 1148, 1007, 499, -8, -827, -1625, -3290, -3789, -4687, -5836, -6573, 5843,
    3701, 4990, 6801, 5130, 5040, 3405, 5206, 6959, 7321, 7945, 9069, 184, 1135, -1831, -261, -1953, -4377, -6429,
    -7945, -10389, -11939, -15214, -16679, 5045, 774, 1692, 63, 509, -14324, -1409, -1235, -553, 301, 1228, 889, 983,
    -1287, 106, -166, -671, -3198, -4039, -9812, -9925, -8657, -12075, -14740, -7644, -12856, -13461, -13815, -13179,
    -12642, 7328, 5896, 4279, 1358, -1740, -9140, 12880, -3645, 12880, -3645, 8291, -672, 4667, 204, -77, 404, 86, 19,
    -388, 57, 806, 135, 8, 14196, -1963, 6738, 4719, 13680, 14675, 18882, 4052, 2959, 10358, 12004, 18882, -4109,
    -5167, -15217, -2889, -131, -4610, 318, -1389, -479, -883, -7125, -857, 123, -813, 129, -20,
)  # fmt: skip

# Race: a sixteenth of a quarter ahead, an eighth of a roll's pips.
RACE = (
    1103, 2066, 3003, 3840, 4506, 5030, 5437, 5760, 5959, 6092, 6140, 6307, 1874, 6357, 11298, 12075, 12297, 12285,
    12247, 12829, 198, 2345, 12003, 11989,
)  # fmt: skip
