"""A game that was kept, played over: whether its moves are legal and lead to the result that stands there."""

from __future__ import annotations

from zermelo.arena.game_record import BY_RULES, NO_PROGRESS, REPETITION, TOO_MANY_MOVES, GameRecord
from zermelo.arena.referee import chance_move, dice_for
from zermelo.core.game import CHANCE, State
from zermelo.core.history import PositionHistory, is_drawn_by_repetition
from zermelo.errors import StoreError, ZermeloError


def replay(played: GameRecord) -> list[State]:
    """The states that a game went through, its start first. Raises `StoreError` for a move that is not legal."""
    from zermelo import registry

    job = played.job
    cls = registry.load(job.game)
    try:
        state = cls.parse(job.start) if job.start else cls.start()
    except ZermeloError as error:
        raise StoreError(f"game {job.number}: its start: {error}") from None
    states = [state]
    for ply, move in enumerate(played.moves, 1):
        if move not in state.legal_moves():
            over = "the game is over" if state.is_over() else f"it is not legal in {state}"
            raise StoreError(f"game {job.number}, ply {ply}: move {move}: {over}")
        state = state.play(move)
        states.append(state)
    return states


def check(played: GameRecord) -> None:
    """Raises `StoreError` unless a game's moves are legal, lead to what it says, and chance's are those of its seed."""
    states = replay(played)
    last = states[-1]
    utility = int(last.utility()) if last.is_over() else None
    number = played.job.number
    if played.moves[: len(played.job.opening)] != played.job.opening:
        raise StoreError(f"game {number}: it does not begin with its opening")
    if len(played.reports) not in (0, len(played.moves)):
        raise StoreError(f"game {number}: {len(played.moves)} moves, and something said of {len(played.reports)}")
    dice = dice_for(played.job)
    for ply in range(len(played.job.opening), len(played.moves)):
        if states[ply].to_move() == CHANCE and played.moves[ply] != chance_move(states[ply], dice):
            raise StoreError(f"game {number}, ply {ply + 1}: move {played.moves[ply]} is not what its seed gives")
    if played.utility != utility:
        raise StoreError(f"game {number}: its moves lead to a utility of {utility}, not {played.utility}")
    if played.termination == BY_RULES:
        if utility is None:
            raise StoreError(f"game {number}: it is said to have ended by the rules, and has not")
        points = (1 + (utility > 0) - (utility < 0)) / 2
    elif played.termination in (REPETITION, NO_PROGRESS, TOO_MANY_MOVES):
        points = 0.5
        if not _is_drawn(states, played):
            raise StoreError(f"game {number}: it is said to have ended by {played.termination}, and has not")
    elif played.forfeited_by is not None:
        points = float(played.forfeited_by)
    else:
        points = played.points  # agreed, adjudicated or resigned: the moves do not tell
    if played.points != points:
        raise StoreError(f"game {number}: {points:g} points for MAX, not {played.points:g}")


def _is_drawn(states: list[State], played: GameRecord) -> bool:
    """Whether a game was a draw in its last state for the reason that it gives."""
    last = states[-1]
    if played.termination == TOO_MANY_MOVES:
        return len(played.moves) >= played.job.max_plies
    if played.termination == NO_PROGRESS:
        return 0 < last.draw_at_reversible_plies <= last.reversible_plies()
    times = PositionHistory(states).occurrences[-1]
    return is_drawn_by_repetition(last, times) or 0 < last.draw_at_repetition <= times
