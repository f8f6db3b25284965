"""GNU Backgammon position IDs and match IDs.

    4HPwATDgc/ABMA                  14 characters: the checkers of both players, as seen by the player on roll
    4HPwATDgc/ABMA:cAkAAAAAAAAA     12 more: the cube, the player on roll, the dice, the score of the match, ...

Both are bit strings in base 64, the lowest bit of each byte first. Player 1 is X and player 0 is O.

References
----------
GNU Backgammon Manual, "A technical description of the Position ID" and "A technical description of the Match ID".
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
# States of a game in a match ID.
NOT_STARTED, PLAYING, OVER, RESIGNED, DROPPED = range(5)
# Players and cube owners by their numbers in a match ID.
PLAYERS = {0: MIN, 1: MAX}
OWNERS = {**PLAYERS, 3: 0}
NUMBERS = {owner: number for number, owner in OWNERS.items()}


@dataclass(frozen=True, slots=True)
class MatchState:
    """The contents of a match ID: everything about a match except the checkers. MAX is X, MIN is O."""

    #: The value of the doubling cube, 1 to 32,768.
    cube: int = 1
    #: The owner of the cube, who alone may double; 0 for a centred cube.
    owner: int = 0
    #: The player on roll, or who has rolled.
    on_roll: int = MAX
    #: Whether this is the Crawford game, in which doubling is not allowed.
    crawford: bool = False
    #: NOT_STARTED, PLAYING, OVER, RESIGNED or DROPPED.
    stage: int = PLAYING
    #: The player to decide: the one on roll, or the other on a double or an offered resignation.
    turn: int = MAX
    #: Whether a double is offered.
    doubled: bool = False
    #: The offered resignation: 0 none, 1 single game, 2 gammon, 3 backgammon.
    resigned: int = 0
    #: The dice, larger first: 11 to 66; 0 before the roll.
    dice: int = 0
    #: The length of the match in points; 0 for a money game.
    length: int = 0
    score_o: int = 0
    score_x: int = 0
    #: The Jacoby rule of money games: gammons count only after a double.
    jacoby: bool = False


# The fields of a match ID with their numbers of bits, lowest first.
MATCH_BITS = (
    ("cube", 4), ("owner", 2), ("on_roll", 1), ("crawford", 1), ("stage", 3), ("turn", 1), ("doubled", 1),
    ("resigned", 2), ("one", 3), ("two", 3), ("length", 15), ("score_o", 15), ("score_x", 15), ("no_jacoby", 1),
)  # fmt: skip


def position_error(reason: str) -> PositionError:
    """Return the error for a text that is not a position."""
    return PositionError(f"Backgammon position: {reason}")


def _bits(text: str, length: int, kind: str, bits: int) -> int:
    """Decode an ID to an integer, first bit lowest. Raises `PositionError`."""
    if len(text) != length:
        raise position_error(f"{kind} {quoted(text)} has {len(text):,} characters; expected {length}")
    wrong = re.search(r"[^A-Za-z0-9+/]", text)
    if wrong:
        raise position_error(
            f"character {wrong.start() + 1} of {kind} {quoted(text)} is {wrong[0]!r}; expected A-Z, a-z, 0-9, + or /"
        )
    data = base64.b64decode(text + "=" * (-length % 4))
    number = int.from_bytes(data, "little")
    if number >> bits or _text(number, length) != text:
        raise position_error(f"{kind} {quoted(text)} has bits set after its end; expected it to end with A")
    return number


def _text(number: int, length: int) -> str:
    return base64.b64encode(number.to_bytes(length * 3 // 4, "little")).decode()[:length]


# ---- positions ------------------------------------------------------------------------------------------------


def parse_position(text: str) -> tuple[list[int], list[int]]:
    """Parse a position ID.

    Returns
    -------
    mover, other : list of 26 ints
        The checkers of the player on roll and of the other: borne off (0), on points 1 to 24 as numbered by each, and
        on the bar (25).

    Raises
    ------
    PositionError
        If the text is not a position ID, or the position is not possible.
    """
    left = _bits(text, POSITION_LENGTH, "position ID", 80)
    sides = []
    for player in ("the other player", "the player on roll"):
        numbers = [0] * (BAR + 1)
        for point in range(1, BAR + 1):
            while left & 1:
                numbers[point] += 1
                left >>= 1
            left >>= 1
        if sum(numbers) > CHECKERS:
            raise position_error(f"in {quoted(text)} {player} has {sum(numbers)} checkers; expected at most {CHECKERS}")
        numbers[0] = CHECKERS - sum(numbers)
        sides.append(numbers)
    if left:
        raise position_error(f"position ID {quoted(text)} has bits set after both players' 25 points; expected zeros")
    other, mover = sides
    for point in range(1, BAR):
        if mover[point] and other[BAR - point]:
            raise position_error(f"in {quoted(text)} both players have checkers on point {point} of the player on roll")
    if mover[0] == other[0] == CHECKERS:
        raise position_error(f"in {quoted(text)} both players have borne off all checkers; expected one winner")
    return mover, other


def position_id(mover: list[int], other: list[int]) -> str:
    """Return the position ID: for each point a 1 for each checker, then a 0. Inverse of `parse_position`."""
    bits = offset = 0
    for side in (other, mover):
        for point in range(1, BAR + 1):
            bits |= (1 << side[point]) - 1 << offset
            offset += side[point] + 1
    return _text(bits, POSITION_LENGTH)


# ---- matches --------------------------------------------------------------------------------------------------


def parse_match(text: str) -> MatchState:
    """Parse a match ID. Raises `PositionError` with the field that is not valid."""
    left = _bits(text, MATCH_LENGTH, "match ID", sum(bits for _, bits in MATCH_BITS))
    found = {}
    for name, bits in MATCH_BITS:
        found[name] = left & (1 << bits) - 1
        left >>= bits
    if found["owner"] not in OWNERS:
        raise position_error(f"match ID {quoted(text)}: cube owner 2; expected 0 (O), 1 (X) or 3 (centred)")
    if found["stage"] > DROPPED:
        raise position_error(
            f"match ID {quoted(text)}: game state {found['stage']}; expected 0 (not started), 1 (playing), "
            "2 (over), 3 (resigned) or 4 (dropped)"
        )
    one, two = found["one"], found["two"]
    if max(one, two) > 6 or (one == 0) != (two == 0):
        raise position_error(f"match ID {quoted(text)}: dice {one} and {two}; expected 1 to 6 each, or 0 and 0")
    if 0 < found["length"] <= max(found["score_o"], found["score_x"]) and found["stage"] <= PLAYING:
        raise position_error(
            f"match ID {quoted(text)}: score {found['score_x']} to {found['score_o']} in a match to "
            f"{found['length']}; expected lower scores while a game is played"
        )
    return MatchState(
        1 << found["cube"], OWNERS[found["owner"]], PLAYERS[found["on_roll"]], bool(found["crawford"]), found["stage"],
        PLAYERS[found["turn"]], bool(found["doubled"]), found["resigned"], 10 * max(one, two) + min(one, two),
        found["length"], found["score_o"], found["score_x"], not found["no_jacoby"],
    )  # fmt: skip


def match_id(match: MatchState) -> str:
    """Return the match ID: the inverse of `parse_match`."""
    values = {
        "cube": match.cube.bit_length() - 1, "owner": NUMBERS[match.owner], "on_roll": NUMBERS[match.on_roll],
        "turn": NUMBERS[match.turn], "one": match.dice // 10, "two": match.dice % 10, "no_jacoby": not match.jacoby,
    }  # fmt: skip
    number = offset = 0
    for name, bits in MATCH_BITS:
        number |= int(values[name] if name in values else getattr(match, name)) << offset
        offset += bits
    return _text(number, MATCH_LENGTH)
