"""Review of finished games: how much each move lost, marks, accuracy, annotated files.

    for move in reviewer.review_moves(record, settings):    MoveReview after MoveReview, from the last move to the first
    GameReview(record, settings, moves).summary(MAX)         accuracy, marks and losses of a side

`docs/reviewing.md` explains the figures.
"""
