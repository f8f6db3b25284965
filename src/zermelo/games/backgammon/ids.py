"""GNU Backgammon's position IDs and match IDs, as the technical descriptions in its manual (chapter 11) tell.

    4HPwATDgc/ABMA                  14 characters: where all checkers are, seen by the player on roll
    4HPwATDgc/ABMA:cAkAAAAAAAAA     12 more: the cube, who is on roll, the dice, the score of the match, ...

Both are bits, written down in base 64, the lowest bit of each byte first. There player 1 is X and player 0 is O.
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass

from zermelo._util.text import quoted
from zermelo.core.game import MAX, MIN
from zermelo.errors import PositionError
from zermelo.games.backgammon.points import BAR, CHECKERS

POSITION_LENGTH, MATCH_LENGTH = 14, 12
# Where a match stands in one of its games.
NOT_STARTED, PLAYING, OVER, RESIGNED, DROPPED = range(5)
# The players and the owners of the cube as numbers.
PLAYERS = {0: MIN, 1: MAX}
OWNERS = {**PLAYERS, 3: 0}
NUMBERS = {owner: number for number, owner in OWNERS.items()}


@dataclass(frozen=True, slots=True)
class MatchState:
    """What a match ID says: all about a match but where the checkers are. MAX is X, MIN is O."""

    #: The number on the doubling cube, 1 to 32,768.
    cube: int = 1
    #: Who alone may double next; 0: both.
    owner: int = 0
    #: Who is to roll, or has rolled.
    on_roll: int = MAX
    #: Whether this is the game in which nobody may double, since one player lacks one point.
    crawford: bool = False
    #: NOT_STARTED, PLAYING, OVER, RESIGNED or DROPPED.
    stage: int = PLAYING
    #: Who has to decide: the player on roll, or the other one on a double or on being offered to resign.
    turn: int = MAX
    #: Whether a double is offered.
    doubled: bool = False
    #: What is offered by resigning: 0 nothing, 1 a game, 2 a gammon, 3 a backgammon.
    resigned: int = 0
    #: The dice, the larger one first: 11 to 66; 0 before they are rolled.
    dice: int = 0
    #: How many points the match is played to; 0: money, no end.
    length: int = 0
    score_o: int = 0
    score_x: int = 0
    #: Played for money, whether gammons count for one only as long as nobody has doubled.
    jacoby: bool = False


# The fields of a match ID, each with the number of its bits.
MATCH_BITS = (
    ("cube", 4), ("owner", 2), ("on_roll", 1), ("crawford", 1), ("stage", 3), ("turn", 1), ("doubled", 1),
    ("resigned", 2), ("one", 3), ("two", 3), ("length", 15), ("score_o", 15), ("score_x", 15), ("no_jacoby", 1),
)  # fmt: skip


def refused(wrong: str) -> PositionError:
    """The error for a text that is no position."""
    return PositionError(f"Backgammon position: {wrong}")


def _bits(text: str, length: int, kind: str, bits: int) -> int:
    """The bits of an ID as a number, the first bit lowest. Raises `PositionError`."""
    if len(text) != length:
        raise refused(f"{kind} {quoted(text)} has {len(text):,} characters; expected {length}")
    wrong = re.search(r"[^A-Za-z0-9+/]", text)
    if wrong:
        raise refused(
            f"character {wrong.start() + 1} of {kind} {quoted(text)} is {wrong[0]!r}; expected A-Z, a-z, 0-9, + or /"
        )
    data = base64.b64decode(text + "=" * (-length % 4))
    number = int.from_bytes(data, "little")
    if number >> bits or _text(number, length) != text:
        raise refused(f"{kind} {quoted(text)} does not end with the noughts that fill it up; expected A at its end")
    return number


def _text(number: int, length: int) -> str:
    return base64.b64encode(number.to_bytes(length * 3 // 4, "little")).decode()[:length]


# ---- positions ------------------------------------------------------------------------------------------------


def read_position(text: str) -> tuple[list[int], list[int]]:
    """How many checkers the player on roll has on each point (0 is off, 25 the bar), and the other, each as it counts.

    Raises `PositionError` for what is no position ID, and for what cannot be on a board.
    """
    left = _bits(text, POSITION_LENGTH, "position ID", 80)
    sides = []
    for who in ("the other player", "the player on roll"):
        numbers = [0] * (BAR + 1)
        for point in range(1, BAR + 1):
            while left & 1:
                numbers[point] += 1
                left >>= 1
            left >>= 1
        if sum(numbers) > CHECKERS:
            raise refused(f"in {quoted(text)} {who} has {sum(numbers)} checkers; expected at most {CHECKERS}")
        numbers[0] = CHECKERS - sum(numbers)
        sides.append(numbers)
    if left:
        raise refused(f"position ID {quoted(text)} goes on after the 25 places of both players; expected noughts")
    other, mover = sides
    for point in range(1, BAR):
        if mover[point] and other[BAR - point]:
            raise refused(
                f"in {quoted(text)} both players are on point {point} of the player on roll; expected one of them"
            )
    if mover[0] == other[0] == CHECKERS:
        raise refused(f"in {quoted(text)} nobody has a checker left; expected one winner")
    return mover, other


def write_position(mover: list[int], other: list[int]) -> str:
    """The position ID, the inverse of `read_position`: a one for each checker of a point, a nought after it."""
    bits = place = 0
    for side in (other, mover):
        for point in range(1, BAR + 1):
            bits |= (1 << side[point]) - 1 << place
            place += side[point] + 1
    return _text(bits, POSITION_LENGTH)


# ---- matches --------------------------------------------------------------------------------------------------


def read_match(text: str) -> MatchState:
    """What a match ID says. Raises `PositionError`, naming the part that cannot be."""
    left = _bits(text, MATCH_LENGTH, "match ID", sum(bits for _, bits in MATCH_BITS))
    found = {}
    for name, bits in MATCH_BITS:
        found[name] = left & (1 << bits) - 1
        left >>= bits
    if found["owner"] not in OWNERS:
        raise refused(f"match ID {quoted(text)}: the cube belongs to player 2; expected 0 (O), 1 (X) or 3 (nobody)")
    if found["stage"] > DROPPED:
        raise refused(
            f"match ID {quoted(text)}: the game's state is {found['stage']}; expected 0 (not started), 1 (playing), "
            "2 (over), 3 (resigned) or 4 (dropped)"
        )
    one, two = found["one"], found["two"]
    if max(one, two) > 6 or (one == 0) != (two == 0):
        raise refused(f"match ID {quoted(text)}: the dice are {one} and {two}; expected 1 to 6, or 0 and 0")
    if 0 < found["length"] <= max(found["score_o"], found["score_x"]) and found["stage"] <= PLAYING:
        raise refused(
            f"match ID {quoted(text)}: the score is {found['score_x']} to {found['score_o']} in a match to "
            f"{found['length']}, which is over; expected less"
        )
    return MatchState(
        1 << found["cube"], OWNERS[found["owner"]], PLAYERS[found["on_roll"]], bool(found["crawford"]), found["stage"],
        PLAYERS[found["turn"]], bool(found["doubled"]), found["resigned"], 10 * max(one, two) + min(one, two),
        found["length"], found["score_o"], found["score_x"], not found["no_jacoby"],
    )  # fmt: skip


def write_match(match: MatchState) -> str:
    """The match ID, the inverse of `read_match`."""
    values = {
        "cube": match.cube.bit_length() - 1, "owner": NUMBERS[match.owner], "on_roll": NUMBERS[match.on_roll],
        "turn": NUMBERS[match.turn], "one": match.dice // 10, "two": match.dice % 10, "no_jacoby": not match.jacoby,
    }  # fmt: skip
    number = place = 0
    for name, bits in MATCH_BITS:
        number |= int(values[name] if name in values else getattr(match, name)) << place
        place += bits
    return _text(number, MATCH_LENGTH)
