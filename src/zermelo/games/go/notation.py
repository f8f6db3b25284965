"""Text of Go: coordinates as in GTP, positions, and handicap points.

Columns are lettered from `A` without `I`, and row 1 is the lowest: `D4`. Here a point is a pair (column, row), both
from 0; `rules` numbers it.

References
----------
G. Farnebäck, "Specification of the Go Text Protocol, version 2, draft 2", 2002: coordinates and handicap points.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from zermelo.errors import PositionError
from zermelo.games import grid

LETTERS = "ABCDEFGHJKLMNOPQRST"
#: Rules of ko: a simple ko only, or superko by positions, or by positions and the side to move.
KO_RULES = ("simple", "positional", "situational")
SIMPLE, POSITIONAL, SITUATIONAL = range(3)
#: Largest komi in points, for either side.
MOST_KOMI = 200
SMALLEST, LARGEST = 2, 19

Point = tuple[int, int]


class Options(NamedTuple):
    """The words of a position besides its points; None where they are not given."""

    komi: int | None = None  # half points
    rule: int = POSITIONAL
    ko: Point | None = None
    last: Point | None = None
    passes: int = 0
    handicap: int = 0


def point_name(column: int, row: int) -> str:
    """Return the name of a point, such as `D4`."""
    return f"{LETTERS[column]}{row + 1}"


def parse_point(text: str, size: int) -> Point | None:
    """Return the point of a name, in either case; None if the board has no such point."""
    found = re.fullmatch(r"([A-HJ-T])([1-9]\d?)", text.upper())
    if not found:
        return None
    column, row = LETTERS.index(found[1]), int(found[2]) - 1
    return (column, row) if column < size and row < size else None


def default_komi(size: int) -> int:
    """Return the komi of a board in half points: 0 below 7 x 7, 7 points below 10 x 10, else 7.5."""
    return 0 if size < 7 else 14 if size < 10 else 15


def komi_text(komi: int) -> str:
    """Return half points as points: 14 is `7`, 15 is `7.5`."""
    return f"{komi / 2:g}"


def parse_komi(text: str) -> int:
    """Return the half points of a komi in points. Raises `PositionError`."""
    found = re.fullmatch(r"([+-]?)(\d{1,6})(?:\.(\d{1,6}))?", text)
    doubled = 0 if not found else 2 * float(f"{found[1]}{found[2]}.{found[3] or 0}")
    if not found or doubled != int(doubled) or abs(doubled) > 2 * MOST_KOMI:
        raise PositionError(f"komi {text[:20]!r} is not a number of half points from -{MOST_KOMI} to {MOST_KOMI}")
    return int(doubled)


def star_points(size: int) -> list[Point]:
    """Return the star points that boards of a size have, the ones for two handicap stones first."""
    if size < 7:
        return []
    near = 3 if size >= 13 else 2
    far = size - 1 - near
    corners = [(near, near), (far, far), (near, far), (far, near)]
    if size % 2 == 0 or size == 7:
        return corners
    middle = size // 2
    sides = [(near, middle), (far, middle), (middle, near), (middle, far)]
    return [*corners, *(sides if size >= 13 else ()), (middle, middle)]


def handicap_points(size: int, stones: int) -> list[Point]:
    """Return the points of a fixed handicap of GTP.

    Raises
    ------
    PositionError
        Names the numbers of stones that the board has points for.
    """
    most = 0 if size < 7 else 4 if size % 2 == 0 or size == 7 else 9
    if not 2 <= stones <= most:
        known = f"2 to {most}" if most else "none; set the stones up instead"
        raise PositionError(f"handicap {stones} on {size} x {size}: expected {known}")
    near = 3 if size >= 13 else 2
    far, middle = size - 1 - near, size // 2
    corners = [(near, near), (far, far), (near, far), (far, near)]
    rows, columns = [(near, middle), (far, middle)], [(middle, near), (middle, far)]
    chosen = corners[: min(stones, 4)]
    if stones >= 6:
        chosen += rows
    if stones >= 8:
        chosen += columns
    return [*chosen, (middle, middle)] if stones in (5, 7, 9) else chosen


def split_options(text: str) -> tuple[str, int, Options]:
    """Split the text of a position into its points (none: the board is empty), its size (0: not given) and the options.

    Raises
    ------
    PositionError
        Names the wrong word.
    """
    points: list[str] = []
    words = iter(text.split())
    given: dict[str, str] = {}
    for word in words:
        name = word.lower()
        if name not in ("komi", "rule", "ko", "last", "passes", "handicap"):
            points.append(word)
            continue
        value = next(words, None)
        if value is None or name in given:
            raise PositionError(f"Go position: {name} needs one value, and may be given once")
        given[name] = value
    board = " ".join(points)
    size, is_empty = grid.parse_size("Go", board, SMALLEST, LARGEST)
    return "" if is_empty else board, size, _options(given, size)


def _options(given: dict[str, str], size: int) -> Options:
    def point(name: str) -> Point | None:
        if name not in given:
            return None
        found = parse_point(given[name], size)
        if found is None:
            raise PositionError(f"Go position: {name} {given[name][:20]!r} is not a point of {size} x {size}")
        return found

    def number(name: str, largest: int) -> int:
        text = given.get(name, "0")
        if not (text.isascii() and text.isdigit() and len(text) < 4 and int(text) <= largest):
            raise PositionError(f"Go position: {name} {text[:20]!r} is not a number from 0 to {largest}")
        return int(text)

    rule = given.get("rule", KO_RULES[POSITIONAL])
    if rule.lower() not in KO_RULES:
        raise PositionError(f"Go position: rule {rule[:20]!r} is not one of {', '.join(KO_RULES)}")
    return Options(
        parse_komi(given["komi"]) if "komi" in given else None,
        KO_RULES.index(rule.lower()),
        point("ko"),
        point("last"),
        number("passes", 2),
        number("handicap", 9),
    )
