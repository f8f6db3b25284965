"""Backgammon notation: positions, rolls, plays, and the board in text. GNU Backgammon IDs are in `ids`.

4HPwATDgc/ABMA:cAkAAAAAAAAE     a position: position ID and match ID
31                              a roll; in the first roll of a game X's die comes first
8/5,6/5   24/20*/18             a play: origin and target of each checker, * for a hit
bar/22   6/off   8/4(2)         entering from the bar; bearing off; two checkers
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple, TypeVar

from zermelo._util.text import quoted
from zermelo.core.bitboard import Bitboard
from zermelo.core.game import CHANCE, MAX, MIN
from zermelo.errors import IllegalMove
from zermelo.games.backgammon import ids
from zermelo.games.backgammon.ids import position_error as position_error
from zermelo.games.backgammon.points import (
    BAR,
    CHECKERS,
    checker_counts,
    made_points,
    occupied,
    pack_counts,
    pip_count,
)
from zermelo.games.backgammon.position import Position

P = TypeVar("P", bound=Position)

# Longest texts that are parsed, in characters.
MAX_LENGTH = 4_000
MAX_PLAY_LENGTH = 100
LETTERS = {MAX: "X", MIN: "O"}
NAMES = {MAX: "X (white)", MIN: "O (black)", CHANCE: "dice"}
EXAMPLE = "expected a position ID like 4HPwATDgc/ABMA, optionally with : and a match ID, or rolls and plays"
PASS = "pass"
PASSES = (PASS, "cannot move", "no move")
# An error for an illegal play lists at most this many legal ones.
MAX_LISTED = 12

Fields = tuple[Bitboard, Bitboard, Bitboard, Bitboard, int, int]
#: Changes in the numbers of checkers, as pairs (point, change).
Change = frozenset[tuple[int, int]]


# ---- positions ------------------------------------------------------------------------------------------------


def parse_ids(text: str) -> Fields:
    """Parse a position ID, optionally followed by a colon and a match ID, to the fields of a position.

    Without a match ID, X is on roll. Of a match ID, only the player on roll, the dice and the game state are used.
    Raises `PositionError`.
    """
    position, colon, rest = text.partition(":")
    sides = ids.parse_position(position)
    match = ids.parse_match(rest) if colon else ids.MatchState()
    if match.doubled or match.resigned:
        offer = "double" if match.doubled else "resignation"
        raise position_error(f"match ID {quoted(rest)}: a {offer} is offered; expected a position without an offer")
    if match.stage in (ids.RESIGNED, ids.DROPPED):
        ended = "resigned" if match.stage == ids.RESIGNED else "dropped"
        raise position_error(f"match ID {quoted(rest)}: the game was {ended}; expected a game in progress")
    if match.stage == ids.OVER and CHECKERS not in (sides[0][0], sides[1][0]):
        raise position_error(
            f"match ID {quoted(rest)}: the game is over, but both players have checkers left; expected game state 1"
        )
    if match.stage == ids.NOT_STARTED and match.dice:
        raise position_error(f"match ID {quoted(rest)}: dice {match.dice} before the game has started; expected none")
    if match.stage == ids.NOT_STARTED and CHECKERS in (sides[0][0], sides[1][0]):
        raise position_error(
            f"match ID {quoted(rest)}: the game has not started, but a player has borne off all checkers; expected "
            "game state 2"
        )
    turn = 0 if match.stage == ids.NOT_STARTED else match.on_roll
    x, o = sides if match.on_roll == MAX else reversed(sides)
    return *pack_counts(x), *pack_counts(o), match.dice, turn


def match_state(state: Position) -> ids.MatchState:
    """Return the match state of a position by itself: a money game with a centred cube and without the Jacoby rule."""
    stage = ids.OVER if state.is_over() else ids.PLAYING if state.turn else ids.NOT_STARTED
    turn = state.turn or MAX
    return ids.MatchState(on_roll=turn, turn=turn, stage=stage, dice=state.dice)


def write_ids(state: Position) -> str:
    """Return the position ID and the match ID: the inverse of `parse_ids`."""
    match = match_state(state)
    x, o = checker_counts(state.x_low, state.x_high), checker_counts(state.o_low, state.o_high)
    mover, other = (x, o) if match.on_roll == MAX else (o, x)
    return f"{ids.position_id(mover, other)}:{ids.match_id(match)}"


def draw(state: Position) -> str:
    """Draw the board as seen by X. A point with more than five checkers shows their number."""
    x, o = checker_counts(state.x_low, state.x_high), checker_counts(state.o_low, state.o_high)
    top = [*range(13, 19), 0, *range(19, 25)]
    bottom = [*range(12, 6, -1), 0, *range(6, 0, -1)]
    cells = {point: ("X", x[point]) if x[point] else ("O", o[BAR - point]) for point in range(1, BAR)}
    at_side = {0: f"O  {_pips(state.o_low, state.o_high, o)}", 10: f"X  {_pips(state.x_low, state.x_high, x)}"}
    at_side[5] = _turn(state)
    lines = ["    " + _point_numbers(top), "  ┌───────────────────┬───┬───────────────────┐"]
    for row in range(11):
        if row == 5:
            row_cells = [" "] * 13
        else:
            half, depth = (top, row) if row < 5 else (bottom, 10 - row)
            bar = ("O", o[BAR]) if row < 5 else ("X", x[BAR])
            row_cells = [_cell(*(cells[point] if point else bar), depth) for point in half]
        left, right = ("".join(f" {cell} " for cell in part) for part in (row_cells[:6], row_cells[7:]))
        lines.append(f"  │{left} │ {row_cells[6]} │{right} │  {at_side.get(row, '')}".rstrip())
    lines += ["  └───────────────────┴───┴───────────────────┘", "    " + _point_numbers(bottom)]
    return "\n".join(lines)


def _point_numbers(half: list[int]) -> str:
    return "".join(f"{point:2} " if point else "      " for point in half).rstrip()


def _cell(player: str, count: int, depth: int) -> str:
    """Return the character at a depth (0 .. 4) of a point."""
    if depth == 4 and count > 5:
        return f"{count:x}"
    return player if depth < count else "·" if depth == 0 else " "


def _pips(low: Bitboard, high: Bitboard, numbers: list[int]) -> str:
    return f"{pip_count(low, high)} pips" + (f", {numbers[0]} off" if numbers[0] else "")


def _turn(state: Position) -> str:
    if state.is_over():
        return f"{LETTERS[MAX if state.utility() > 0 else MIN]} has won {abs(state.utility())}"
    if not state.turn:
        return "to roll: who begins"
    return f"{LETTERS[state.turn]} to {f'play {state.dice}' if state.dice else 'roll'}"


# ---- lines of rolls and plays ---------------------------------------------------------------------------------


def is_roll(word: str) -> bool:
    """Return whether a word is a roll: `31`, `31:`, `3-1`."""
    return bool(re.fullmatch(r"[1-6]-?[1-6]:?", word))


def play_line(state: P, line: list[str]) -> P:
    """Return the state after a line of rolls and plays, split at whitespace. Raises `IllegalMove`.

    A play extends to the next roll. A pass may be left out.
    """
    index = 0
    while index < len(line):
        end = index + 1
        if not state.is_over() and state.to_move() != CHANCE:
            if is_roll(line[index]) and state.legal_moves() == [0]:
                state = state.play(0)
                continue
            while end < len(line) and not is_roll(line[end]):
                end += 1
        state = state.play(parse_move(state, " ".join(line[index:end])))
        index = end
    return state


# ---- moves ----------------------------------------------------------------------------------------------------


class Step(NamedTuple):
    """One checker's move by one die: 25 is the bar, 0 is off the board."""

    start: int
    end: int


def steps_of(state: Position, move: int) -> list[Step]:
    """Return the steps of a play, from the highest point down."""
    die, small = divmod(state.dice, 10)
    steps = []
    for index in range(4):
        start = move >> 5 * index & 31
        if start:
            steps.append(Step(start, max(0, start - (small if index else die))))
    return sorted(steps, reverse=True)


def hits_of(state: Position, steps: list[Step]) -> set[int]:
    """Return the points on which a play hits, as numbered by the mover."""
    _, _, low, high = state.sides()
    blots = occupied(low, high) & ~made_points(low, high)
    return {step.end for step in steps if step.end and BAR - step.end in blots}


def move_name(state: Position, move: int) -> str:
    """Return a roll as two digits, or a play as GNU Backgammon writes it, with commas for spaces: `8/5,6/5`."""
    if state.to_move() == CHANCE:
        return str(move)
    if move == 0:
        return PASS
    steps = steps_of(state, move)
    hits = hits_of(state, steps)
    chains: list[list[int]] = []
    for step in steps:
        extended = next((chain for chain in chains if chain[-1] == step.start), None)
        if extended:
            extended.append(step.end)
        else:
            chains.append([step.start, step.end])
    paths: Counter[tuple[int, ...]] = Counter()
    unwritten = set(hits)
    for chain in chains:
        # Intermediate points are written only where the checker hits.
        paths[chain[0], *(point for point in chain[1:-1] if point in unwritten), chain[-1]] += 1
        unwritten.difference_update(chain[1:-1])
    parts = []
    for path, times in paths.items():
        points = ["bar" if path[0] == BAR else str(path[0])]
        for point in path[1:]:
            points.append(("off" if point == 0 else str(point)) + ("*" if point in hits else ""))
            hits.discard(point)
        parts.append("/".join(points) + (f"({times})" if times > 1 else ""))
    return ",".join(parts)


def parse_move(state: Position, text: str) -> int:
    """Parse a legal move: a roll such as `31`, or a play such as `8/5 6/5`, with spaces or commas.

    Intermediate points and stars are optional. Raises `IllegalMove`.
    """
    legal, by_change = _legal_moves(state)
    if len(text) > MAX_PLAY_LENGTH:
        raise IllegalMove(f"{quoted(text)} has {len(text):,} characters; expected at most {MAX_PLAY_LENGTH}")
    text = " ".join(text.replace(",", " ").split())
    if not legal:
        raise IllegalMove(f"{quoted(text)} is not legal: the game is over")
    if state.to_move() == CHANCE:
        return _parse_roll(state, text, legal)
    if legal == [0] and text.casefold() in PASSES:
        return 0
    written = _parse_play(text)
    if not written:
        raise IllegalMove(
            f"{quoted(text)} is not a play of {state.dice}; expected one like 8/5 6/5; legal: {_listed(state, legal)}"
        )
    fitting = [move for move in by_change.get(written.change, ()) if _fits(state, move, written)]
    if not fitting:
        raise IllegalMove(f"{quoted(text)} is not a legal play of {state.dice}; legal: {_listed(state, legal)}")
    if len(fitting) > 1:
        names = {move_name(state, move): move for move in fitting}
        exact = names.get(text.casefold().replace(" ", ","))
        if exact is None:
            raise IllegalMove(f"{quoted(text)} is ambiguous; expected {' or '.join(names)}")
        return exact
    return fitting[0]


@lru_cache(maxsize=1)
def _legal_moves(state: Position) -> tuple[list[int], dict[Change, list[int]]]:
    """Return the legal moves, and the plays among them by the change in the number of checkers on each point.

    The last position is remembered, since all its moves may be parsed one after the other.
    """
    legal = state.legal_moves()
    by_change: dict[Change, list[int]] = {}
    if state.to_move() != CHANCE:
        for move in legal:
            change: Counter[int] = Counter()
            for step in steps_of(state, move):
                change[step.start] -= 1
                change[step.end] += 1
            by_change.setdefault(_nonzero_on_board(change), []).append(move)
    return legal, by_change


def _listed(state: Position, legal: list[int]) -> str:
    """Return the names of the first legal plays, and their number if there are more."""
    names = " ".join(move_name(state, move) for move in legal[:MAX_LISTED])
    return names if len(legal) <= MAX_LISTED else f"{names} ... ({len(legal)} plays)"


def _parse_roll(state: Position, text: str, legal: list[int]) -> int:
    found = re.fullmatch(r"([1-6])[- ]?([1-6]):?", text)
    if not found:
        raise IllegalMove(f"{quoted(text)} is not a roll; expected two dice like 31")
    one, two = int(found[1]), int(found[2])
    roll = 10 * one + two if state.turn == 0 else 10 * max(one, two) + min(one, two)
    if roll not in legal:
        raise IllegalMove(f"{quoted(text)} is a tie in the first roll; expected X's die and O's die, different")
    return roll


class WrittenPlay(NamedTuple):
    """A play as written in a text."""

    #: The change in the number of checkers on each point.
    change: Change
    #: The intermediate points that the text names, each with the point before it and the point after it.
    stops: list[tuple[int, int, int]]
    #: The points with a star.
    hits: set[int]


def _parse_play(text: str) -> WrittenPlay | None:
    """Parse a play without looking at the position; None if the text is not a play."""
    change: Counter[int] = Counter()
    paths = []
    hits = set()
    for word in text.casefold().split():
        found = re.fullmatch(r"(bar|[0-9]{1,2})((?:/(?:off|[0-9]{1,2})\*?){1,4})(?:\(([1-4])\))?", word)
        if not found:
            return None
        ends = found[2][1:].split("/")
        path = [BAR if found[1] == "bar" else int(found[1])]
        path += [0 if end.startswith("off") else int(end.rstrip("*")) for end in ends]
        if max(path) > BAR or any(one <= two for one, two in pairwise(path)):
            return None
        times = int(found[3] or 1)
        change[path[0]] -= times
        change[path[-1]] += times
        paths.append(path)
        hits |= {point for point, end in zip(path[1:], ends, strict=True) if end.endswith("*")}
    stops = [(path[i - 1], path[i], path[i + 1]) for path in paths for i in range(1, len(path) - 1)]
    # A checker that arrives on a point and one that leaves it may be the same, written as two words.
    stops += [(one[-2], two[0], two[1]) for one in paths for two in paths if one[-1] == two[0]]
    return WrittenPlay(_nonzero_on_board(change), stops, hits)


def _nonzero_on_board(change: Counter[int]) -> Change:
    """Return the changes on the points, without checkers borne off: their number follows from the others."""
    return frozenset((point, number) for point, number in change.items() if number and point)


def _fits(state: Position, move: int, written: WrittenPlay) -> bool:
    """Return whether a play of the same change matches a written one: its hits, and stops that the play can make."""
    steps = steps_of(state, move)
    hits = hits_of(state, steps)
    if not written.hits <= hits:
        return False
    landings = {step.end for step in steps}
    dice = divmod(state.dice, 10)
    _, _, low, high = state.sides()
    other = occupied(low, high)
    for before, stop, after in written.stops:
        if stop in landings:
            continue
        # The dice may be played in the other order where that changes nothing: no hit, and no enemy on the stop.
        first, second = before - stop, stop - after
        if first not in dice or (after and second not in dice):
            return False
        if BAR - stop in other or before - (sum(dice) - first) in hits:
            return False
    return True
