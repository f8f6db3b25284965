"""Texts of backgammon: positions, rolls and plays, the drawn board. `ids` has the IDs of GNU Backgammon.

4HPwATDgc/ABMA:cAkAAAAAAAAE     a position: where the checkers are, and in the match ID who is on roll, and the dice
31                              a roll; the first one of a game names X's die first
8/5,6/5   24/20*/18             a play: from where to where, * where a checker is hit
bar/22   6/off   8/4(2)         from the bar; off the board; two checkers
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from zermelo._util.text import quoted
from zermelo.core.bitboard import Bitboard
from zermelo.core.game import CHANCE, MAX, MIN
from zermelo.errors import IllegalMove
from zermelo.games.backgammon import ids
from zermelo.games.backgammon.ids import refused as refused
from zermelo.games.backgammon.points import BAR, CHECKERS, counts, held, occupied, pips, words

if TYPE_CHECKING:
    from zermelo.games.backgammon.rules import Backgammon

# No position is longer, nor a play, and whatever is need not be read.
LONGEST = 4_000
LONGEST_PLAY = 100
NAMES = {MAX: "X", MIN: "O", CHANCE: "dice"}
EXAMPLE = "expected a position ID like 4HPwATDgc/ABMA, with a match ID after a : or without, or rolls and plays"
PASS = "pass"
PASSES = (PASS, "cannot move", "no move")
# So many plays are listed where one is refused.
LISTED = 12

Fields = tuple[Bitboard, Bitboard, Bitboard, Bitboard, int, int]


# ---- positions ------------------------------------------------------------------------------------------------


def read(text: str) -> Fields:
    """The fields of the position that a position ID stands for, with a match ID after a colon or without.

    Without, X is on roll. Of a match ID only the player on roll, the dice and the game's state belong to the position.
    """
    position, colon, rest = text.partition(":")
    sides = ids.read_position(position)
    match = ids.read_match(rest) if colon else ids.MatchState()
    if match.doubled or match.resigned:
        offer = "double" if match.doubled else "resignation"
        raise refused(f"match ID {quoted(rest)}: a {offer} is offered; expected a position where it has been answered")
    if match.stage in (ids.RESIGNED, ids.DROPPED):
        ended = "resigned" if match.stage == ids.RESIGNED else "dropped"
        raise refused(f"match ID {quoted(rest)}: the game was {ended}; expected one that is played on")
    if match.stage == ids.OVER and CHECKERS not in (sides[0][0], sides[1][0]):
        raise refused(f"match ID {quoted(rest)}: the game is over, but both have checkers left; expected game state 1")
    if match.stage == ids.NOT_STARTED and match.dice:
        raise refused(f"match ID {quoted(rest)}: dice {match.dice} before the game has started; expected none")
    turn = 0 if match.stage == ids.NOT_STARTED else match.on_roll
    x, o = sides if match.on_roll == MAX else reversed(sides)
    return *words(x), *words(o), match.dice, turn


def match_of(state: Backgammon) -> ids.MatchState:
    """What a match ID says of a position by itself: for money, the cube in the middle, gammons counting."""
    stage = ids.OVER if state.is_over() else ids.PLAYING if state.turn else ids.NOT_STARTED
    turn = state.turn or MAX
    return ids.MatchState(on_roll=turn, turn=turn, stage=stage, dice=state.dice)


def write(state: Backgammon) -> str:
    """The position ID and the match ID, the inverse of `read`."""
    match = match_of(state)
    x, o = counts(state.x_low, state.x_high), counts(state.o_low, state.o_high)
    mover, other = (x, o) if match.on_roll == MAX else (o, x)
    return f"{ids.write_position(mover, other)}:{ids.write_match(match)}"


def draw(state: Backgammon) -> str:
    """The board as X sees it, with the points as X counts them; more than five checkers on a point as their number."""
    x, o = counts(state.x_low, state.x_high), counts(state.o_low, state.o_high)
    top = [*range(13, 19), 0, *range(19, 25)]
    bottom = [*range(12, 6, -1), 0, *range(6, 0, -1)]
    cells = {point: ("X", x[point]) if x[point] else ("O", o[BAR - point]) for point in range(1, BAR)}
    at_side = {0: f"O  {_told(state.o_low, state.o_high, o)}", 10: f"X  {_told(state.x_low, state.x_high, x)}"}
    at_side[5] = _turn(state)
    lines = ["    " + _numbers(top), "  ┌───────────────────┬───┬───────────────────┐"]
    for row in range(11):
        if row == 5:
            cells_shown = [" "] * 13
        else:
            half, depth = (top, row) if row < 5 else (bottom, 10 - row)
            bar = ("O", o[BAR]) if row < 5 else ("X", x[BAR])
            cells_shown = [_cell(*(cells[point] if point else bar), depth) for point in half]
        left, right = ("".join(f" {cell} " for cell in part) for part in (cells_shown[:6], cells_shown[7:]))
        lines.append(f"  │{left} │ {cells_shown[6]} │{right} │  {at_side.get(row, '')}".rstrip())
    lines += ["  └───────────────────┴───┴───────────────────┘", "    " + _numbers(bottom)]
    return "\n".join(lines)


def _numbers(half: list[int]) -> str:
    return "".join(f"{point:2} " if point else "      " for point in half).rstrip()


def _cell(who: str, count: int, depth: int) -> str:
    """What a place of the board shows so deep (0 .. 4) into a point."""
    if depth == 4 and count > 5:
        return f"{count:x}"
    return who if depth < count else "·" if depth == 0 else " "


def _told(low: Bitboard, high: Bitboard, numbers: list[int]) -> str:
    return f"{pips(low, high)} pips" + (f", {numbers[0]} off" if numbers[0] else "")


def _turn(state: Backgammon) -> str:
    if state.is_over():
        return f"{NAMES[MAX if state.utility() > 0 else MIN]} has won {abs(state.utility())}"
    if not state.turn:
        return "to roll: who begins"
    return f"{NAMES[state.turn]} to {f'play {state.dice}' if state.dice else 'roll'}"


# ---- lines of rolls and plays ---------------------------------------------------------------------------------


def is_roll(word: str) -> bool:
    """Whether a word is a roll: `31`, `31:`, `3-1`."""
    return bool(re.fullmatch(r"[1-6]-?[1-6]:?", word))


def follow(state: Backgammon, line: list[str]) -> Backgammon:
    """The state after a line of rolls and plays, cut at its blanks. Raises `IllegalMove` for the first wrong one.

    A play goes on to the next roll. Where nothing can be moved it may be left out.
    """
    place = 0
    while place < len(line):
        end = place + 1
        if not state.is_over() and state.to_move() != CHANCE:
            if is_roll(line[place]) and state.legal_moves() == [0]:
                state = state.play(0)
                continue
            while end < len(line) and not is_roll(line[end]):
                end += 1
        state = state.play(read_move(state, " ".join(line[place:end])))
        place = end
    return state


# ---- moves ----------------------------------------------------------------------------------------------------


class Step(NamedTuple):
    """One checker's move by one die: 25 is the bar, 0 off the board."""

    start: int
    end: int


def steps_of(state: Backgammon, move: int) -> list[Step]:
    """What a play consists of, from the highest point down."""
    die, small = divmod(state.dice, 10)
    found = []
    for place in range(4):
        start = move >> 5 * place & 31
        if start:
            found.append(Step(start, max(0, start - (small if place else die))))
    return sorted(found, reverse=True)


def hits_of(state: Backgammon, steps: list[Step]) -> set[int]:
    """The points on which a play hits, as the mover counts them."""
    _, _, low, high = state.sides()
    blots = occupied(low, high) & ~held(low, high)
    return {step.end for step in steps if step.end and BAR - step.end in blots}


def name(state: Backgammon, move: int) -> str:
    """A roll as two digits; a play as `8/5,6/5`: as GNU Backgammon writes it, with commas for its blanks."""
    if state.to_move() == CHANCE:
        return str(move)
    if move == 0:
        return PASS
    steps = steps_of(state, move)
    hits = hits_of(state, steps)
    chains: list[list[int]] = []
    for step in steps:
        going_on = next((chain for chain in chains if chain[-1] == step.start), None)
        if going_on:
            going_on.append(step.end)
        else:
            chains.append([step.start, step.end])
    ways: Counter[tuple[int, ...]] = Counter()
    untold = set(hits)
    for chain in chains:
        # Who goes on from a point is told to have been there only where it hits there.
        ways[chain[0], *(point for point in chain[1:-1] if point in untold), chain[-1]] += 1
        untold.difference_update(chain[1:-1])
    told = []
    for way, times in ways.items():
        points = ["bar" if way[0] == BAR else str(way[0])]
        for point in way[1:]:
            points.append(("off" if point == 0 else str(point)) + ("*" if point in hits else ""))
            hits.discard(point)
        told.append("/".join(points) + (f"({times})" if times > 1 else ""))
    return ",".join(told)


def read_move(state: Backgammon, text: str) -> int:
    """The legal move that a text names: a roll like `31`, a play like `8/5 6/5` with blanks or commas.

    A checker's stops may be left out or told, and so may the stars. Raises `IllegalMove`.
    """
    wanted = " ".join(text[:LONGEST_PLAY].replace(",", " ").split())
    legal = state.legal_moves()
    if len(text) > LONGEST_PLAY:
        raise IllegalMove(f"{quoted(text)} is no move: {len(text):,} characters; expected at most {LONGEST_PLAY}")
    if not legal:
        raise IllegalMove(f"{quoted(wanted)} cannot be played: the game is over")
    if state.to_move() == CHANCE:
        return _read_roll(state, wanted, legal)
    if legal == [0] and wanted.casefold() in PASSES:
        return 0
    given = _read_play(wanted)
    if not given:
        raise IllegalMove(
            f"{quoted(wanted)} is no play of {state.dice}; expected one like 8/5 6/5; legal: {_listed(state, legal)}"
        )
    fitting = [move for move in legal if _fits(state, move, given)]
    if not fitting:
        raise IllegalMove(f"{quoted(wanted)} is not a legal play of {state.dice} here; legal: {_listed(state, legal)}")
    if len(fitting) > 1:
        names = {name(state, move): move for move in fitting}
        found = names.get(wanted.casefold().replace(" ", ","))
        if found is None:
            raise IllegalMove(f"{quoted(wanted)} is more than one play here; expected {' or '.join(names)}")
        return found
    return fitting[0]


def _listed(state: Backgammon, legal: list[int]) -> str:
    """The first legal plays, and how many there are."""
    names = " ".join(name(state, move) for move in legal[:LISTED])
    return names if len(legal) <= LISTED else f"{names} ... ({len(legal)} plays)"


def _read_roll(state: Backgammon, wanted: str, legal: list[int]) -> int:
    found = re.fullmatch(r"([1-6])[- ]?([1-6]):?", wanted)
    if not found:
        raise IllegalMove(f"{quoted(wanted)} is no roll; expected two dice like 31")
    one, two = int(found[1]), int(found[2])
    roll = 10 * one + two if state.turn == 0 else 10 * max(one, two) + min(one, two)
    if roll not in legal:
        raise IllegalMove(f"{quoted(wanted)} decides not who begins; expected X's die and O's, two different ones")
    return roll


class Told(NamedTuple):
    """A play as a text tells it."""

    #: How many checkers there are more on each point in the end, or fewer.
    change: Counter[int]
    #: The points between that the text names, each with the point before it and the one after it.
    stops: list[tuple[int, int, int]]
    #: The points with a star.
    hits: set[int]


def _read_play(wanted: str) -> Told | None:
    """What a play is told to do; None where the text is no play."""
    change: Counter[int] = Counter()
    ways = []
    hits = set()
    for word in wanted.casefold().split():
        found = re.fullmatch(r"(bar|[0-9]{1,2})((?:/(?:off|[0-9]{1,2})\*?){1,4})(?:\(([1-4])\))?", word)
        if not found:
            return None
        ends = found[2][1:].split("/")
        way = [BAR if found[1] == "bar" else int(found[1])]
        way += [0 if end.startswith("off") else int(end.rstrip("*")) for end in ends]
        if max(way) > BAR or any(one <= two for one, two in pairwise(way)):
            return None
        times = int(found[3] or 1)
        change[way[0]] -= times
        change[way[-1]] += times
        ways.append(way)
        hits |= {point for point, end in zip(way[1:], ends, strict=True) if end.endswith("*")}
    stops = [(way[place - 1], way[place], way[place + 1]) for way in ways for place in range(1, len(way) - 1)]
    # Who comes to a point and who leaves it may be one checker, told in two words.
    stops += [(one[-2], two[0], two[1]) for one in ways for two in ways if one[-1] == two[0]]
    return Told(_without_noughts(change), stops, hits)


def _without_noughts(change: Counter[int]) -> Counter[int]:
    """The change on the points: what is off is all the same."""
    return Counter({point: number for point, number in change.items() if number and point})


def _fits(state: Backgammon, move: int, given: Told) -> bool:
    """Whether a play does what is told: the same change, the hits with a star among its own, stops that it can make."""
    steps = steps_of(state, move)
    change: Counter[int] = Counter()
    for step in steps:
        change[step.start] -= 1
        change[step.end] += 1
    if _without_noughts(change) != given.change:
        return False
    hits = hits_of(state, steps)
    if not given.hits <= hits:
        return False
    landings = {step.end for step in steps}
    dice = divmod(state.dice, 10)
    _, _, low, high = state.sides()
    other = occupied(low, high)
    for before, stop, after in given.stops:
        if stop in landings:
            continue
        # The same dice the other way round are fine where that changes nothing: no hit here, nobody there.
        first, second = before - stop, stop - after
        if first not in dice or (after and second not in dice):
            return False
        if BAR - stop in other or before - (sum(dice) - first) in hits:
            return False
    return True
