"""The game so far: which positions it has been through, and what a rule says of that.

A state knows what is on the board, not how it came there. Where a rule needs the past (a position that comes up for the
third time), it is handed to the searches, and to whoever referees a game, as the states before the one on the board.
"""
