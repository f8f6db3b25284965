"""Numbers, scores and results as text for people."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from zermelo.core.game import MAX, MIN, State
from zermelo.core.history import is_drawn_by_repetition

if TYPE_CHECKING:
    from zermelo.search.analysis import Analysis, Line, Score

# Text of each `Analysis.reason`.
REASONS = {
    "depth": "depth limit",
    "exact": "solved",
    "book": "in the opening book",
    "table": "in the endgame table",
    "seconds": "time limit",
    "nodes": "node limit",
    "stopped": "stopped",
    "interrupted": "interrupted",
    "game over": "the game is over",
    "rounded": "to the end; means rounded",
}

_HYPHENS = re.compile(r"-(?=[0-9#])")
# Units as they are shown, how many of the declared unit make one, and decimals.
_UNITS = {"centipawns": ("pawns", 100, 2), "pawns": ("pawns", 1, 2)}
_FRACTION = re.compile(r"(hundredths|thousandths) of an? (\w+)")


def unit_shown(unit: str) -> str:
    """Return the unit in which scores and losses are shown: pawns for centipawns, points for thousandths of a point."""
    return _shown(unit)[0]


@lru_cache(maxsize=256)
def _shown(unit: str) -> tuple[str, int, int]:
    """Return the unit that is shown, how many of `unit` make one, and the number of decimals."""
    if fraction := _FRACTION.fullmatch(unit):
        return (f"{fraction[2]}s", *((100, 2) if fraction[1] == "hundredths" else (1000, 3)))
    return _UNITS.get(unit, (unit, 1, 0))


def amount(number: float, unit: str) -> str:
    """Format a score or loss without its sign, in the unit that is shown: 0.56 for 56 centipawns, 4 for 4 discs."""
    _, parts, decimals = _shown(unit)
    if parts == 1 and isinstance(number, float):
        decimals = 3  # expected utility
    return f"{abs(number) / parts:,.{decimals}f}"


def signed(number: float, unit: str) -> str:
    """Format a score with its sign, in the unit that is shown: +0.41 for 41 centipawns, -4 for -4 discs, 0."""
    text = amount(number, unit)
    return f"{'-' if number < 0 else '+'}{text}" if text.strip("0.") else text


def with_unit(number: float, unit: str) -> str:
    """Format a loss or difference with the unit that is shown: 0.56 pawns, 4 discs."""
    return f"{amount(number, unit)} {unit_shown(unit)}"


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


def players(state: State) -> tuple[str, str]:
    """The names of MAX and MIN."""
    return state.player_name(MAX), state.player_name(MIN)


def outcome(value: int, players: Sequence[str]) -> str:
    """Who wins by the value of a position: black wins, a draw. `players` are MAX and MIN."""
    return does(players[value < 0], "win", "wins") if value else "a draw"


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


def labelled_score(found: Analysis) -> str:
    """Score of an analysis, and whether it is proven or of a selective search."""
    label = "" if found.score.is_proven else found.selectivity
    return f"{score(found)}, {label}" if label else score(found)


def line_score(found: Analysis, line: Line) -> str:
    """Score of a line, in short form for a table."""
    return short_score(found.state, line.score)


def short_score(state: State, score: Score) -> str:
    """A score in short form; `state` is any state of its game."""
    if score.expected is not None:
        return signed(score.expected, "")
    return _described(state, score, "", 0, False)


def compact_score(state: State, score: Score) -> str:
    """A score in a few characters, for boards and narrow columns: +0.41, -4, and #3 for a win in 3 moves at chess.

    Other games count a win in plies, as the engine does.
    """
    from zermelo.search.scores import WIN, ranked, utility_of

    if score.expected is not None:
        return signed(score.expected, "")
    sign = "-" if score.number < 0 else "+"
    if score.is_proven:
        if score.plies is None or not score.number:
            return signed(score.number, "utility")
        in_moves = unit_shown(score.unit) == "pawns"
        return f"{sign}#{(score.plies + 1) // 2 if in_moves else score.plies}"
    if abs(score.number) > WIN:  # a certain win by at least that much
        return f"{sign}{abs(utility_of(score.number, ranked(state)))}"
    if abs(score.number) == WIN - 1:
        return f"{sign}#"
    return signed(score.number, score.unit)


def with_minus(text: str) -> str:
    """Return a text with minus signs instead of hyphens before numbers, for pages."""
    return _HYPHENS.sub("\N{MINUS SIGN}", text)


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
    if found.evaluation == "nothing" and not found.score.number:
        return f"undecided within {plural(found.depth, 'ply')}"
    return f"{expected} by {found.evaluation} at depth {found.depth} ({standing(found.state, found.score.number)})"


def _mean(expected: float) -> str:
    return f"{signed(expected, '')} on average"


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
        return signed(score, found.unit)
    if by == "nothing" and not score:
        return f"undecided within {plural(depth, 'ply')}"
    at = f" at depth {depth}" if depth else ""  # few nodes may not suffice for depth 1
    return f"{signed(score, found.unit)} by {by}{at} ({standing(state, score)})"


def standing(state: State, score: int) -> str:
    """Who is ahead by a score."""
    return f"{does(_winner(state, score), 'are', 'is')} ahead" if score else "level"
