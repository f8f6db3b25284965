"""Numbers, scores and results as text for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zermelo.core.game import MAX, MIN, State
from zermelo.core.history import is_drawn_by_repetition

if TYPE_CHECKING:
    from zermelo.search.analysis import Analysis, Line, Score

# Text of each `Analysis.reason`.
REASONS = {
    "depth": "depth limit",
    "exact": "solved",
    "seconds": "time limit",
    "nodes": "node limit",
    "stopped": "stopped",
    "interrupted": "interrupted",
    "game over": "the game is over",
    "rounded": "to the end; means rounded",
}


def count(number: int) -> str:
    """12,345,678"""
    return f"{number:,}"


def rate(number: float) -> str:
    """A rate per second: 28.1 million, 412 thousand, 17."""
    if number >= 999_500:
        return f"{number / 1e6:,.1f} million"
    if number >= 9_950:
        return f"{number / 1e3:.0f} thousand"
    return f"{number:,.0f}"


def seconds(number: float) -> str:
    """12.3 s, 0.45 s, 2 ms."""
    if number < 0.1:
        return f"{max(number * 1e3, 0.1):.{0 if number >= 0.01 else 1}f} ms"
    return f"{number:.{1 if number >= 10 else 2}f} s"


def size(number: int) -> str:
    """Bytes: 1.2 MB, 340 kB."""
    return f"{number / 1e6:,.1f} MB" if number >= 1e6 else f"{number / 1e3:,.0f} kB"


def plural(number: int, thing: str) -> str:
    """1 move, 2 moves; 1 ply, 2 plies; 1 entry, 2 entries."""
    if number == 1:
        return f"1 {thing}"
    return f"{number:,} {thing[:-1]}ies" if thing.endswith("y") else f"{number:,} {thing}s"


def does(player: str, verb: str, verb_for_one: str) -> str:
    """Player and verb in agreement: black wins, crosses win."""
    return f"{player} {verb if player.endswith('s') and not player.endswith('ss') else verb_for_one}"


def side(state: State) -> str:
    """Name of the side to move."""
    return state.player_name(state.to_move())


def ended(state: State) -> str:
    """Termination and result of a finished game."""
    name = state.termination()
    return f"the game is over{' by ' if name else ''}{name}: {result(state)}"


def result(state: State) -> str:
    """Result of a finished game."""
    utility = state.utility()
    if utility == 0:
        return "a draw"
    by = f" by {abs(utility)}" if state.max_utility > 1 else ""
    return f"{does(_winner(state, utility), 'have won', 'has won')}{by}"


def drawn(state: State, times: int) -> str:
    """Reason why a draw can be claimed, for a position that occurred `times` times; empty if it cannot."""
    if 0 < state.draw_at_repetition <= times:
        return f"the position occurred {times} times"
    if 0 < state.draw_at_reversible_plies <= state.reversible_plies():
        return f"{state.reversible_plies()} moves without progress"
    return ""


def claims(state: State, times: int) -> str:
    """Whether an unfinished game is a draw or one can be claimed, and why; empty if neither."""
    reason = drawn(state, times)
    if not reason or state.is_over():
        return ""
    return f"the game is a draw: {reason}" if is_drawn_by_repetition(state, times) else f"can be claimed: {reason}"


def resigned(state: State, loser: int) -> str:
    """Result of a resigned game."""
    return forfeited(state.player_name(loser), state.player_name(-loser), "resign", "resigns")


def forfeited(loser: str, winner: str, verb: str, verb_for_one: str) -> str:
    """Result of a game that a player gave up or lost on time, by the players' names."""
    return f"{does(loser, verb, verb_for_one)}: {does(winner, 'have won', 'has won')}"


def drawn_on_time(loser: str, other: str) -> str:
    """Result of a game in which a player has no time left, but the other one cannot win any more."""
    return f"{does(loser, 'have no time left', 'has no time left')}: a draw, because {other} cannot win"


def _winner(state: State, score: int) -> str:
    return state.player_name(MAX if score > 0 else MIN)


def score(found: Analysis) -> str:
    """Score of an analysis, and whether it is proven."""
    if found.algorithm == "mcts" and not found.score.is_proven:
        return _of_playouts(found)
    if found.score.expected is not None:
        return _on_average(found)
    return _described(found.state, found.score, found.evaluation, found.depth, True)


def line_score(found: Analysis, line: Line) -> str:
    """Score of a line, in short form for a table."""
    return short_score(found.state, line.score)


def short_score(state: State, score: Score) -> str:
    """A score in short form; `state` is any state of its game."""
    if score.expected is not None:
        return _mean(score.expected)
    return _described(state, score, "", 0, False)


def _of_playouts(found: Analysis) -> str:
    """Mean utility of the playouts for MAX, and who is ahead."""
    assert found.score.expected is not None
    if found.reason == "rounded":
        return f"{_mean(found.score.expected)}, to the end of the game (means rounded)"
    return f"{_mean(found.score.expected)} of the playouts ({standing(found.state, found.score.number)})"


def win_rate(line: Line) -> str:
    """Win rate of a move's playouts; empty if it had none."""
    return "" if line.win_rate is None else f"{100 * line.win_rate:.1f} %"


def _on_average(found: Analysis) -> str:
    """Score in a game of chance: expected utility for MAX, and its source."""
    if found.state.is_over():
        return result(found.state)
    assert found.score.expected is not None
    expected = _mean(found.score.expected)
    if found.score.is_proven:
        return f"{expected}, proven"
    if found.reason == "rounded":
        return f"{expected}, to the end of the game (means rounded)"
    return f"{expected}: {_estimated(found.state, found.score.number, found.evaluation, found.depth)}"


def _mean(expected: float) -> str:
    signed = f"{expected:+.4f}"
    return f"{signed if signed.strip('+-0.') else '0'} on average"


def _described(state: State, found: Score, by: str, depth: int, full: bool) -> str:
    from zermelo.search.scores import WIN, ranked, utility_of

    proven = ", proven" if full else ""
    score, plies = found.number, found.plies
    if found.is_proven:
        if score == 0:
            return f"a draw{proven}"
        size = f" by {abs(score)}" if state.max_utility > 1 else ""
        end = f" in {plural(plies, 'ply')}" if plies is not None else ""
        return f"{does(_winner(state, score), 'win', 'wins')}{size}{end}{proven}"
    if abs(score) > WIN:
        # A certain win of a graded game; a larger win may lie beyond the depth.
        size = str(abs(utility_of(score, ranked(state))))
        return f"{does(_winner(state, score), 'win', 'wins')} by {size} or more{proven}"
    if abs(score) == WIN - 1:  # a win found by quiescence search, which may skip draws
        return f"{does(_winner(state, score), 'seem', 'seems')} to win" + (", not proven" if full else "")
    if not full:
        return f"{score:+d}" if score else "0"
    return _estimated(state, score, by, depth)


def _estimated(state: State, score: int, by: str, depth: int) -> str:
    """An estimate: score, evaluation, depth, and who is ahead."""
    if by == "nothing" and not score:
        return f"undecided within {plural(depth, 'ply')}"
    signed = f"{score:+d}" if score else "0"
    return f"{signed} by {by} at depth {depth} ({standing(state, score)})"


def standing(state: State, score: int) -> str:
    """Who is ahead by a score."""
    return f"{does(_winner(state, score), 'are', 'is')} ahead" if score else "level"
