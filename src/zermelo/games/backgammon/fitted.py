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
    -8191, -5294, -2103, 38, 2253, -2252, -12, -134, 404, 659, 906, -972, 45, -1961, -1750, -1846, -2472, -2268, 278,
    787, 627, 140, -507, -341, -11905, -7084, -1907, 3278, 6688, 11072, 5560, 4078, 4493, 4611, 3847, 5403, 6327,
    3060, 4184, 3357, 2533, 2293, 519, 10765, 6193, 1970, -3720, -4473, -18941, -12867, -7274, -3645, -519, 314, -826,
    607, 479, 921, 1242, 3089, 832, 1682, 559, -349, 815, -3032, -4258, -2907, -4308, -5002, -3761, -6895, -10309,
    -2657, 6582, 17959, 26869, -7945, -3815, -1600, -3815, -1600, -13682, -247, 8252, 28, -1, 5, -6, 5, -49, 14, 66,
    -34, 5, -7713, 1446, 6139, -686, -715, 1514, 25720, 814, 1894, 1467, 25130, 25720, 1278, -3755, -8137, 24, 603,
    -3436, 979, -1040, -703, 3, 660, -2170, 600, -2430, 134, -20,
)  # fmt: skip

# Contact, late.
LATE = (
    1588, 1926, 2180, 1024, -159, -340, 739, 1273, 1000, -20, -269, -1044, -2126, -3595, -4424, -5446, -6526, -7404,
    5918, 4331, 5424, 6086, 5514, 5900, 3364, 4869, 7045, 7164, 7749, 8726, 469, 949, -1220, -585, -2570, -4910,
    -6765, -8784, -11285, -13108, -16404, -17771, 3799, -755, 12, -1196, -322, -14247, -1409, -1176, -448, 357, 1193,
    1079, 684, -1075, 600, -219, -2088, -3308, -4906, -10320, -10456, -9298, -12794, -15216, -8152, -13642, -13713,
    -14131, -14161, -13675, 7028, 6069, 4099, 1437, -1129, -8240, 13357, -4133, 13357, -4133, 8383, -633, 5034, 224,
    -87, 374, 86, 21, -472, 69, 929, 147, 5, 14413, -1930, 6626, 5240, 13783, 14881, 19159, 4401, 2287, 10082, 11494,
    19159, -3929, -5405, -15033, -2797, -192, -4601, 291, -1524, -415, -887, -6041, -1023, -98, -690, 123, -57,
)  # fmt: skip

# Race: a sixteenth of a quarter ahead, an eighth of a roll's pips.
RACE = (
    1103, 2066, 3003, 3840, 4506, 5030, 5437, 5760, 5959, 6092, 6140, 6307, 1874, 6357, 11298, 12075, 12297, 12285,
    12247, 12829, 198, 2345, 12003, 11989,
)  # fmt: skip
