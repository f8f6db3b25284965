"""The weights of backgammon's evaluation, in hundredths of a thousandth of a point; data, in the order of its terms.

How they came to be: GNU Backgammon's evaluations (1.07, its networks looking at most two rolls ahead, money without the
cube) were taken for 1.2 million positions after the plays, good and bad, of games that it played against itself,
its best plays mixed with random ones. No position after a game's first play was among them. The weights are the least
squares' to the worth of these positions and, ten times as heavy, to the differences between the plays of one roll;
positions near the start count up to five times. To the two rolls' evaluations of plays near the start, thirty-eight
thousand of the positions, the sums fit once more with a greater weight. Nothing of GNU Backgammon itself is in here.
"""

from __future__ import annotations

# Contact, with all the pips of the start.
EARLY = (
    -9427, -5893, -2628, -750, 1195, -1527, -826, 133, 266, 529, 597, -1041, -450, -1618, -1763, -1985, -2495, -2810,
    -1053, 282, 159, -334, -1071, -563, -10741, -5003, 692, 5528, 8826, 11145, 4444, 4174, 4675, 4617, 3848, 4864,
    5606, 1930, 3590, 2332, 1403, 1080, -1444, 7841, 3892, 628, -4196, -6444, -16427, -11128, -6031, -2959, -517,
    1265, -408, 965, 403, 976, 2552, 3545, 1727, 1914, 496, -67, 957, -3375, -4774, -3202, -5516, -6407, -6056, -8332,
    -3740, -2197, -3740, -2197, -11202, -130, 6951, 19, -5, 0, 6, 8, -89, 12, 164, -34, 5, -11454, -5120, 3828, 14728,
    25159, -6949, -7113, 1010, 6255, 1022, 1331, 66, 24075, 257, 2287, 5894, 23801, 24075, 28, -3213, -7549, -1658,
    1017, -2887, 855, -783, -605, -11, -1970, -747, 760, -3049, 178, 15,
)  # fmt: skip

# Contact, late.
LATE = (
    2048, 2291, 2471, 1283, 363, -650, 839, 779, 544, -298, -1039, -1396, -2502, -3760, -4950, -5921, -7186, -9010,
    6821, 5580, 6254, 7459, 7522, 7512, 3760, 5166, 7212, 6959, 7765, 8720, 1650, 1454, 276, 160, -2234, -5012, -6599,
    -9164, -12031, -14438, -16915, -18136, 1279, -2240, -2906, -4766, -3434, -13211, -1816, -1370, -486, 394, 1306,
    1032, 668, -764, 72, -608, -3104, -3565, -6728, -10601, -10644, -9963, -13407, -15699, -9079, -15530, -14698,
    -14860, -15013, -15690, 14131, -4661, 14131, -4661, 8120, -628, 5581, 337, -99, 397, 62, 23, -304, 77, 971, 99, 3,
    7089, 6078, 3733, 2016, -50, -7246, 13679, -1667, 6538, 5587, 12617, 15047, 18961, 4910, 2209, 9276, 12349, 18961,
    -3745, -5674, -14751, -2687, -270, -5570, 763, -1829, -308, -927, 3009, -3356, -172, -283, 129, -138,
)  # fmt: skip

# Race: a sixteenth of a quarter ahead, an eighth of a roll's pips.
RACE = (
    1103, 2066, 3003, 3840, 4506, 5030, 5437, 5760, 5959, 6092, 6140, 6307, 1874, 6357, 11298, 12075, 12297, 12285,
    12247, 12829, 198, 2345, 12003, 11989,
)  # fmt: skip
