"""Replay of stored games: check that the moves are legal and lead to the stored result."""

from __future__ import annotations

import random

from zermelo.arena.game_course import chance_move
from zermelo.arena.game_record import BY_RULES, NO_PROGRESS, REPETITION, TOO_MANY_MOVES, GameRecord
from zermelo.arena.referee import dice_for
from zermelo.core.game import CHANCE, MAX, MIN, State
from zermelo.core.history import PositionHistory, is_drawn_by_repetition
from zermelo.core.move_numbers import move_of, number_of
from zermelo.errors import IllegalMove, StoreError, ZermeloError
from zermelo.sandbox.failure import Reason


def replay(record: GameRecord, cls: type[State]) -> list[State]:
    """Return the states of a game, the start first.

    Parameters
    ----------
    record : GameRecord
        The game.
    cls : type of State
        Its rules; `resume_checks.load_game` for a game of a store. The file that a record names is not loaded.

    Raises
    ------
    StoreError
        The start position is invalid or a move is illegal; the message has the game and the ply.
    """
    job = record.job
    try:
        state = cls.parse(job.start) if job.start else cls.start()
    except ZermeloError as error:
        raise StoreError(f"game {job.number}: invalid start position: {error}") from None
    states = [state]
    for ply, number in enumerate(record.moves, 1):
        try:
            state = state.play(move_of(state, number))
        except IllegalMove as error:
            raise StoreError(f"game {job.number}, ply {ply}: {error}") from None
        states.append(state)
    return states


def check(record: GameRecord, cls: type[State]) -> None:
    """Replay a game by the rules `cls`; compare it with the stored opening, dice, utility, termination and points.

    Raises
    ------
    StoreError
        The record contradicts its moves or the rules.
    """
    states = replay(record, cls)
    last = states[-1]
    utility = int(last.utility()) if last.is_over() else None
    number = record.job.number
    if record.moves[: len(record.job.opening)] != record.job.opening:
        raise StoreError(f"game {number}: its moves do not begin with its opening")
    if len(record.reports) not in (0, len(record.moves)):
        raise StoreError(f"game {number}: {len(record.moves)} moves but {len(record.reports)} move reports")
    dice = dice_for(record.job)
    for ply in range(len(record.job.opening), len(record.moves)):
        if states[ply].to_move() == CHANCE and _differs(states[ply], record.moves[ply], dice):
            raise StoreError(f"game {number}, ply {ply + 1}: chance event {record.moves[ply]} does not match the seed")
    if record.utility != utility:
        raise StoreError(f"game {number}: the moves lead to utility {utility}, the record has {record.utility}")
    if record.termination == BY_RULES:
        if utility is None:
            raise StoreError(f"game {number}: termination is {BY_RULES!r}, but the game is not over")
        points = (1 + (utility > 0) - (utility < 0)) / 2
    elif record.termination in (REPETITION, NO_PROGRESS, TOO_MANY_MOVES):
        points = 0.5
        if not _is_drawn(states, record):
            raise StoreError(f"game {number}: termination is {record.termination!r}, which the moves contradict")
    elif record.forfeited_by is not None:
        points = float(record.forfeited_by)
    elif record.termination == Reason.OUT_OF_TIME:
        points = 0.5
        if last.is_over() or all(map(last.can_win, (MAX, MIN))):
            raise StoreError(f"game {number}: a draw on time, but both sides can win")
    else:
        points = record.points  # agreed, adjudicated or resigned: cannot be derived from the moves
    if record.points != points:
        raise StoreError(f"game {number}: MAX must have {points:g} points, the record has {record.points:g}")


def _differs(state: State, number: int, dice: random.Random) -> bool:
    """Whether a chance event is not the next one that the dice give."""
    return number != number_of(state, chance_move(state, dice))


def _is_drawn(states: list[State], record: GameRecord) -> bool:
    """Return whether the final state is a draw for the stored reason."""
    last = states[-1]
    if record.termination == TOO_MANY_MOVES:
        return len(record.moves) >= record.job.max_plies
    if record.termination == NO_PROGRESS:
        return 0 < last.draw_at_reversible_plies <= last.reversible_plies()
    occurrences = PositionHistory(states).occurrences[-1]
    return is_drawn_by_repetition(last, occurrences) or 0 < last.draw_at_repetition <= occurrences
