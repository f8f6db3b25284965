"""Games to review, and what their moves lose by a solver that shares no code with the review."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import zermelo
from zermelo.core.game import State
from zermelo.formats.record import Record, record_from_moves
from zermelo.review.results import GameReview
from zermelo.review.reviewer import Settings, review_moves


def random_record(game: str, seed: int, start: State | None = None) -> Record:
    """Return a random game, from the start or from a position."""
    source = random.Random(seed)
    state = first = start or zermelo.load(game).start()
    moves = []
    while not state.is_over():
        moves.append(source.choice(state.legal_moves()))
        state = state.play(moves[-1])
    return record_from_moves(first, moves)


def named_record(game: str, moves: str) -> Record:
    """Return the record of a game given by the names of its moves."""
    state = start = zermelo.load(game).start()
    played = []
    for name in moves.split():
        played.append(state.parse_move(name))
        state = state.play(played[-1])
    return record_from_moves(start, played)


def reviewed(record: Record, **settings: Any) -> GameReview:
    """Return the review of a game."""
    review = GameReview(record)
    for move in review_moves(record, Settings(**settings)):
        review.add(move)
    return review


@cache
def value(state: State) -> int:
    """Return the utility of a state for MAX with best play, by plain minimax."""
    if state.is_over():
        return state.utility()
    return state.to_move() * max(state.to_move() * value(state.play(move)) for move in state.legal_moves())


def true_losses(record: Record) -> list[int]:
    """Return what each move of a game loses, in utility."""
    losses, state = [], record.start
    for move in record.moves():
        after = state.play(move)
        losses.append(state.to_move() * (value(state) - value(after)))
        state = after
    return losses
