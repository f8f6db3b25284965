def final_difference(black, white):
    """The result of a finished game for black: the difference in discs, empty squares going to the winner."""
    difference = black.count() - white.count()
    empty = 64 - black.count() - white.count()
    if difference > 0:
        return difference + empty
    if difference < 0:
        return difference - empty
    return 0
