"""`board_scene`: a position on its board as a scene, from `State.picture`, or from the text of games without one."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from math import cos, pi, sin, sqrt

from zermelo.core.game import MAX, MIN, State
from zermelo.core.picture import BACKGROUNDS, CHESS_PIECES, COLOURS, KINDS, TINTS, Grid, Picture, Piece, Points
from zermelo.core.player_view import board_of
from zermelo.drawing import chess_pieces
from zermelo.drawing.fonts import text_width
from zermelo.drawing.scene import Circle, Group, Line, Part, Point, Polygon, Scene, Text, moved
from zermelo.drawing.style import StyleSheet
from zermelo.errors import GameError

# Lengths in points: the side of a square, the margin, the height of the labels and of a line of text below the board.
SQUARE = 45.0
MARGIN = 12.0
LABELS = 18.0
LEADING = 19.0
BELOW_GRID = 4.0
#: Larger boards are drawn as text.
MAX_SQUARES = 10_000

BOARD_STYLES = StyleSheet(
    "zermelo-board",
    {
        "paper": ("#ffffff", "#14171a"),
        "ink": ("#111111", "#f0f0f0"),
        "grey": ("#5a5a5a", "#b0b0b0"),
        "light": ("#f0e1c5", "#f0e1c5"),
        "dark": ("#b28d67", "#b28d67"),
        "edge": ("#6e5138", "#6e5138"),
        "wood": ("#e0b468", "#e0b468"),
        "woodmark": ("#f7e3b0", "#f7e3b0"),
        "felt": ("#2f8a57", "#2f8a57"),
        "line": ("#12402a", "#12402a"),
        "frame": ("#2f5fae", "#2f5fae"),
        "rim": ("#1d3f78", "#1d3f78"),
        "mark": ("#f6de7a", "#f6de7a"),
        "darkmark": ("#d8b13f", "#d8b13f"),
        "feltmark": ("#79bd8f", "#79bd8f"),
        "framemark": ("#9dbbe8", "#9dbbe8"),
        "dot": ("#8f8f8f", "#8f8f8f"),
        "black": ("#262626", "#262626"),
        "blackrim": ("#1a1a1a", "#8c8c86"),
        "white": ("#fbfaf6", "#fbfaf6"),
        "outline": ("#1a1a1a", "#1a1a1a"),
        "soft": ("#8c8c86", "#8c8c86"),
        "red": ("#cc2f2f", "#cc2f2f"),
        "darkred": ("#8c1a1a", "#8c1a1a"),
        "yellow": ("#f4c430", "#f4c430"),
        "gold": ("#ad8300", "#ad8300"),
        "copper": ("#c8793c", "#c8793c"),
        "brown": ("#7d4318", "#7d4318"),
        "blue": ("#1f5fb4", "#7fb2ff"),
        "nought": ("#cc2f2f", "#ff8a80"),
        "papermark": ("#f6de7a", "#4a4113"),
        "tile": ("#f2dfb0", "#f2dfb0"),
        "roseground": ("#e98b80", "#e98b80"),
        "pinkground": ("#f6c8c0", "#f6c8c0"),
        "skyground": ("#c3def0", "#c3def0"),
        "blueground": ("#74b3dd", "#74b3dd"),
    },
    (
        ("", "square", {"fill": "light"}),
        ("", "border", {"stroke": "edge", "width": 1.6}),
        ("", "rule", {"stroke": "line", "width": 1.0}),
        ("", "wall", {"stroke": "ink", "width": 2.2}),
        ("", "hole", {"stroke": "rim", "fill": "paper", "width": 1.2}),
        ("", "mark", {"fill": "mark"}),
        ("", "dot", {"fill": "dot"}),
        ("", "disc", {"stroke": "outline", "fill": "white", "width": 1.3}),
        ("", "ring", {"stroke": "soft", "width": 1.1}),
        ("", "crown", {"fill": "gold"}),
        ("", "body", {"stroke": "outline", "fill": "white", "width": 1.5}),
        ("", "detail", {"stroke": "outline", "width": 1.3}),
        ("", "eye", {"fill": "outline"}),
        ("", "stroke", {"stroke": "ink", "width": 4.5}),
        ("", "die", {"stroke": "outline", "fill": "white", "width": 1.2}),
        ("", "pip", {"fill": "outline"}),
        ("", "point", {"fill": "light"}),
        ("", "tile", {"stroke": "edge", "fill": "tile", "width": 1.0}),
        ("", "letter", {"fill": "outline", "size": 20.0, "bold": True}),
        ("", "label", {"fill": "grey", "size": 12.0}),
        ("", "note", {"fill": "edge", "size": 8.0}),
        ("", "count", {"fill": "outline", "size": 12.0, "bold": True}),
        ("", "caption", {"fill": "ink", "size": 13.0}),
        ("", "state", {"fill": "ink", "size": 13.0, "mono": True}),
        ("dark", "square", {"fill": "dark"}),
        ("dark", "note", {"fill": "light"}),
        ("dark", "point", {"fill": "edge"}),
        ("dark", "mark", {"fill": "darkmark"}),
        ("even", "point", {"fill": "dark"}),
        ("lines", "mark", {"fill": "papermark"}),
        ("lines", "note", {"fill": "grey"}),
        ("bare", "note", {"fill": "grey"}),
        ("felt", "square", {"fill": "felt"}),
        ("felt", "dot", {"fill": "line"}),
        ("felt", "mark", {"fill": "feltmark"}),
        ("felt", "border", {"stroke": "line"}),
        ("crossings", "square", {"fill": "wood"}),
        ("crossings", "dot", {"fill": "outline"}),
        ("crossings", "rule", {"stroke": "outline"}),
        ("crossings", "mark", {"fill": "woodmark"}),
        ("hexagons", "square", {"fill": "wood"}),
        ("hexagons", "dot", {"fill": "outline"}),
        ("hexagons", "rule", {"stroke": "edge"}),
        ("hexagons", "wall", {"stroke": "black", "width": 4.0}),
        ("hexagons", "mark", {"fill": "woodmark"}),
        ("frame", "square", {"fill": "frame"}),
        ("frame", "mark", {"fill": "framemark"}),
        ("frame", "border", {"stroke": "rim"}),
        ("bar", "square", {"fill": "edge"}),
        ("black", "disc", {"fill": "black", "stroke": "blackrim"}),
        ("black", "body", {"fill": "black"}),
        ("black", "detail", {"stroke": "light"}),
        ("black", "eye", {"fill": "light"}),
        ("black", "die", {"fill": "black"}),
        ("black", "pip", {"fill": "white"}),
        ("black", "count", {"fill": "white"}),
        ("red", "disc", {"fill": "red", "stroke": "darkred"}),
        ("red", "ring", {"stroke": "darkred"}),
        ("yellow", "disc", {"fill": "yellow", "stroke": "gold"}),
        ("yellow", "ring", {"stroke": "gold"}),
        ("copper", "disc", {"fill": "copper", "stroke": "brown"}),
        ("copper", "ring", {"stroke": "brown"}),
        *((tint, "square", {"fill": f"{tint}ground"}) for tint in TINTS),
        ("cross", "stroke", {"stroke": "blue"}),
        ("nought", "stroke", {"stroke": "nought"}),
    ),
)


def board_scene(state: State, before: State | None = None, *, player: int | None = None) -> Scene:
    """The scene of a position.

    Parameters
    ----------
    state : State
        The position to draw.
    before : State, optional
        The position before the last move; the squares that the move changed are highlighted.
    player : int, optional
        The player, MAX or MIN, who sees the picture: what is hidden from it is not drawn.

    Raises
    ------
    GameError
        If the game's `picture` is invalid.
    """
    picture = _marked(checked_picture(state, player), None if before is None else checked_picture(before, player))
    groups, width, height = _groups(state, picture, player)
    lines = [*(picture.captions if picture else ()), *_result(state)]
    base = height + 4
    parts: list[Part] = [
        Text("caption", MARGIN, base + LEADING * number + 10, line, "start") for number, line in enumerate(lines)
    ]
    groups.append(Group("caption", ("caption",), parts))
    width = max([width, *(2 * MARGIN + text_width(line, 13.0) for line in lines)])
    height = base + LEADING * len(lines) + 2
    description = str(state)
    if player is not None and not state.perfect_information:
        description = state.information_state(player)
    return Scene(width, height, f"{type(state).__name__}: {lines[-1]}", description, groups, BOARD_STYLES)


@lru_cache(maxsize=1024)
def bare_board_scene(state: State, before: State | None = None) -> Scene:
    """The scene of a position for a small picture: the board alone, without labels, captions and margins.

    The parameters and errors are those of `board_scene`. The scenes of the last positions are cached, because the
    pictures of all steps of a search contain the same boards.
    """
    picture = _marked(checked_picture(state), None if before is None else checked_picture(before))
    if isinstance(picture, Grid):
        picture = replace(picture, column_labels=(), row_labels=())
    groups, width, height = _groups(state, picture, None)
    top, bottom = MARGIN, height - MARGIN
    if isinstance(picture, Points):
        groups = [group for group in groups if group.id != "labels"]
        top, bottom = MARGIN + LABELS, height - LABELS
    elif isinstance(picture, Grid):
        bottom = height - BELOW_GRID
    groups = [Group(group.id, group.classes, [moved(part, -MARGIN, -top) for part in group.parts]) for group in groups]
    return Scene(width - 2 * MARGIN, bottom - top, type(state).__name__, str(state), groups, BOARD_STYLES)


def squares_across(state: State) -> int:
    """The width of a position's board in squares, 0 if it is drawn as text: a measure of the size that it needs."""
    picture = checked_picture(state)
    if isinstance(picture, Points):
        return 14
    return picture.columns if isinstance(picture, Grid) and _is_drawn(picture) else 0


def checked_picture(state: State, player: int | None = None) -> Picture | None:
    """Return the picture of a state, as a player sees it; None if its board is text.

    Raises
    ------
    GameError
        If the game's `picture` is invalid.
    """
    seen = state if player is None else state.view(player)
    picture = None if seen is None else seen.picture()
    if isinstance(picture, Grid):
        if not _is_drawn(picture):
            return None
        _check_grid(picture)
    return picture


def _is_drawn(grid: Grid) -> bool:
    return 0 < grid.columns * grid.rows <= MAX_SQUARES


def _marked(picture: Picture | None, before: Picture | None) -> Picture | None:
    """The picture with the squares highlighted that the last move changed."""
    if isinstance(picture, Grid) and isinstance(before, Grid) and not picture.highlighted:
        return replace(picture, highlighted=changed_squares(before, picture))
    return picture


def _groups(state: State, picture: Picture | None, player: int | None) -> tuple[list[Group], float, float]:
    """The groups of a board, and the width and the height that it takes."""
    if isinstance(picture, Grid):
        return _grid(picture)
    if isinstance(picture, Points):
        return _points(picture)
    return _text(state.board() if player is None else board_of(state, player))


def changed_squares(before: Grid, after: Grid) -> tuple[tuple[int, int], ...]:
    """The squares whose piece changed, as (column, row), row by row; none if the boards differ in size."""
    if (before.columns, before.rows) != (after.columns, after.rows) or after.background == "bare":
        return ()
    old, new = (
        {(piece.row, piece.column): (piece.kind, piece.colour, piece.letter) for piece in grid.pieces}
        for grid in (before, after)
    )
    squares = sorted(square for square in old.keys() | new.keys() if old.get(square) != new.get(square))
    return tuple((column, row) for row, column in squares)


def _result(state: State) -> list[str]:
    """The side to move, or the result."""
    if not state.is_over():
        return [f"{state.player_name(state.to_move())} to move"]
    utility = state.utility()
    if not utility:
        return ["game over: a draw"]
    by = f" by {abs(utility)}" if state.max_utility > 1 else ""
    return [f"game over: {state.player_name(MAX if utility > 0 else MIN)} won{by}"]


def _text(text: str) -> tuple[list[Group], float, float]:
    lines = text.split("\n")
    parts: list[Part] = [
        Text("state", MARGIN, MARGIN + 16.0 * number + 12, line, "start") for number, line in enumerate(lines)
    ]
    width = max(text_width(line, 13.0, mono=True) for line in lines)
    return [Group("text", ("text",), parts)], width + 2 * MARGIN, 16.0 * len(lines) + 2 * MARGIN


# ---- squares --------------------------------------------------------------------------------------------------


def _grid(grid: Grid) -> tuple[list[Group], float, float]:
    labels = max((text_width(label, 12.0) for label in grid.row_labels), default=0.0)
    left = MARGIN + (labels + 7 if labels else 0)
    right, bottom = left + SQUARE * grid.columns, MARGIN + SQUARE * grid.rows
    if grid.background == "hexagons":
        x, y = _corner(grid, left, grid.columns - 1, grid.rows - 1)
        right, bottom = x + SQUARE, y + 1.15 * SQUARE  # hexagons are higher than wide
    groups = [*_squares(grid, left), *_tints(grid, left), *_marks(grid, left)]
    if grid.background == "frame":
        groups.append(_holes(grid, left))
    groups += _lines(grid, left, right, bottom)
    for piece in grid.pieces:
        groups.append(_piece(piece, grid, left))
    groups.append(_labels(grid, left, bottom))
    return groups, right + MARGIN, bottom + (LABELS if any(grid.column_labels) else BELOW_GRID)


def _check_grid(grid: Grid) -> None:
    if grid.background not in BACKGROUNDS:
        raise GameError(f"picture: background {grid.background!r} is not one of {', '.join(BACKGROUNDS)}")
    for what, count, texts in (("columns", grid.columns, grid.column_labels), ("rows", grid.rows, grid.row_labels)):
        if len(texts) not in (0, count):
            raise GameError(f"picture: {len(texts)} labels for {count} {what}: expected one each, or none")
    occupied = [(piece.column, piece.row) for piece in grid.pieces]
    labelled = [(column, row) for column, row, _ in grid.corner_labels]
    tinted = [(column, row) for column, row, _ in grid.tinted]
    for column, row in (*grid.highlighted, *grid.dotted, *labelled, *tinted, *occupied):
        if not (0 <= column < grid.columns and 0 <= row < grid.rows):
            size = f"{grid.columns} columns and {grid.rows} rows"
            raise GameError(f"picture: column {column}, row {row} is outside the board of {size}")
    if len(set(occupied)) < len(occupied):
        raise GameError("picture: two pieces on one square")
    for _, _, tint in grid.tinted:
        if tint not in TINTS:
            raise GameError(f"picture: tint {tint!r} is not one of {', '.join(TINTS)}")
    for piece in grid.pieces:
        if piece.kind not in KINDS or piece.colour not in COLOURS:
            known = f"kind {', '.join(KINDS)}; colour {', '.join(filter(None, COLOURS))}"
            raise GameError(f"picture: unknown piece {piece}: expected {known}")


def _box(x: float, y: float, width: float, height: float) -> list[Point]:
    return [(x, y), (x + width, y), (x + width, y + height), (x, y + height)]


def _corner(grid: Grid, left: float, column: int, row: int) -> Point:
    """The upper left corner of a square, or of the square around the middle of a hexagon."""
    if grid.background == "hexagons":
        return left + SQUARE * (column + 0.5 * row), MARGIN + SQUARE * sqrt(0.75) * row
    return left + SQUARE * column, MARGIN + SQUARE * row


def _cell(grid: Grid, left: float, column: int, row: int) -> list[Point]:
    """The outline of a square or a hexagon."""
    x, y = _corner(grid, left, column, row)
    if grid.background != "hexagons":
        return _box(x, y, SQUARE, SQUARE)
    x, y, half, side = x + SQUARE / 2, y + SQUARE / 2, SQUARE / 2, SQUARE / sqrt(3)
    low, high = y + side / 2, y - side / 2
    return [(x - half, high), (x, y - side), (x + half, high), (x + half, low), (x, y + side), (x - half, low)]


def _squares(grid: Grid, left: float) -> list[Group]:
    """The squares: for chequered boards one polygon for all light squares and one for each dark square."""
    board = _box(left, MARGIN, SQUARE * grid.columns, SQUARE * grid.rows)
    if grid.background in ("lines", "bare"):
        return []
    if grid.background == "hexagons":
        places = [(column, row) for row in range(grid.rows) for column in range(grid.columns)]
        cells: list[Part] = [Polygon("square", _cell(grid, left, *place)) for place in places]
        return [Group("ground", (grid.background,), cells)]
    if grid.background != "chequered":
        return [Group("ground", (grid.background,), [Polygon("square", board)])]
    dark: list[Part] = [
        Polygon("square", _box(left + SQUARE * column, MARGIN + SQUARE * row, SQUARE, SQUARE))
        for row in range(grid.rows)
        for column in range(grid.columns)
        if (row + column) % 2
    ]
    return [Group("light", ("light",), [Polygon("square", board)]), Group("dark", ("dark",), dark)]


def _tints(grid: Grid, left: float) -> list[Group]:
    """Tinted squares, one group for each colour."""
    groups = []
    for tint in TINTS:
        parts: list[Part] = [
            Polygon("square", _cell(grid, left, column, row)) for column, row, colour in grid.tinted if colour == tint
        ]
        if parts:
            groups.append(Group(f"tint-{tint}", (tint,), parts))
    return groups


def _marks(grid: Grid, left: float) -> list[Group]:
    """Highlighted squares, dots and notes."""
    groups: list[Group] = []
    for tone in ("light", "dark", *BACKGROUNDS[1:]):
        marks: list[Part] = [
            Polygon("mark", _cell(grid, left, column, row))
            for column, row in grid.highlighted
            if tone == _square_class(grid, column, row)
        ]
        if marks:
            groups.append(Group(f"marks-{tone}", (tone,), marks))
    dots: list[Part] = [
        Circle("dot", (x + SQUARE / 2, y + SQUARE / 2), 0.1 * SQUARE)
        for x, y in (_corner(grid, left, column, row) for column, row in grid.dotted)
    ]
    if dots:
        groups.append(Group("dots", (grid.background,), dots))
    tinted = {(column, row) for column, row, _ in grid.tinted}
    for number, (column, row, text) in enumerate(grid.corner_labels):
        x, y = _corner(grid, left, column, row)
        x, y = x + 2.5, y + 9
        tone = "light" if (column, row) in tinted else _square_class(grid, column, row)
        groups.append(Group(f"note{number}", (tone,), [Text("note", x, y, text, "start")]))
    return groups


def _square_class(grid: Grid, column: int, row: int) -> str:
    """The style class of a square: light or dark on a chequered board, else the background."""
    if grid.background != "chequered":
        return grid.background
    return "dark" if (row + column) % 2 else "light"


def _holes(grid: Grid, left: float) -> Group:
    taken = {(piece.column, piece.row) for piece in grid.pieces}
    holes: list[Part] = [
        Circle("hole", (left + SQUARE * (column + 0.5), MARGIN + SQUARE * (row + 0.5)), 0.4 * SQUARE)
        for row in range(grid.rows)
        for column in range(grid.columns)
        if (column, row) not in taken
    ]
    return Group("holes", ("frame",), holes)


def _lines(grid: Grid, left: float, right: float, bottom: float) -> list[Group]:
    parts: list[Part] = []
    if grid.background in ("felt", "lines"):
        kind = "rule" if grid.background == "felt" else "wall"
        for column in range(1, grid.columns):
            parts.append(Line(kind, [(left + SQUARE * column, MARGIN), (left + SQUARE * column, bottom)]))
        for row in range(1, grid.rows):
            parts.append(Line(kind, [(left, MARGIN + SQUARE * row), (right, MARGIN + SQUARE * row)]))
    if grid.background == "crossings":
        half = SQUARE / 2
        for column in range(grid.columns):
            x = left + SQUARE * column + half
            parts.append(Line("rule", [(x, MARGIN + half), (x, bottom - half)]))
        for row in range(grid.rows):
            y = MARGIN + SQUARE * row + half
            parts.append(Line("rule", [(left + half, y), (right - half, y)]))
    if grid.background == "hexagons":
        for column, row in ((column, row) for row in range(grid.rows) for column in range(grid.columns)):
            outline = _cell(grid, left, column, row)
            parts.append(Line("rule", [*outline, *outline[:2]]))
        for row, part in ((0, slice(0, 3)), (grid.rows - 1, slice(3, 6))):  # the upper and the lower edge
            cells = [_cell(grid, left, column, row) for column in range(grid.columns)]
            parts.append(Line("wall", [point for cell in cells for point in sorted(cell[part])]))
    if grid.background in ("chequered", "felt", "frame"):
        corners = _box(left, MARGIN, right - left, bottom - MARGIN)
        parts.append(Line("border", [*corners, *corners[:2]]))
    return [Group("lines", (grid.background,), parts)]


def _labels(grid: Grid, left: float, bottom: float) -> Group:
    parts: list[Part] = [
        Text("label", _corner(grid, left, column, grid.rows - 1)[0] + SQUARE / 2, bottom + 14, text)
        for column, text in enumerate(grid.column_labels)
    ]
    parts += [
        Text("label", x - 6, y + SQUARE / 2 + 4.5, text, "end")
        for (x, y), text in ((_corner(grid, left, 0, row), text) for row, text in enumerate(grid.row_labels))
    ]
    return Group("labels", ("labels",), parts)


# ---- pieces ---------------------------------------------------------------------------------------------------


def _piece(piece: Piece, grid: Grid, left: float) -> Group:
    x, y = _corner(grid, left, piece.column, piece.row)
    centre = (x + SQUARE / 2, y + SQUARE / 2)
    parts: list[Part]
    if piece.kind in CHESS_PIECES:
        parts = _chess_piece(piece.kind, x, y)
    elif piece.kind == "cross":
        near, far = 0.22 * SQUARE, 0.78 * SQUARE
        parts = [
            Line("stroke", [(x + near, y + near), (x + far, y + far)]),
            Line("stroke", [(x + near, y + far), (x + far, y + near)]),
        ]
    elif piece.kind == "nought":
        parts = [Line("stroke", _round(centre, 0.3 * SQUARE))]
    elif piece.kind == "tile":
        parts = [
            Polygon("tile", _box(x + 2, y + 2, SQUARE - 4, SQUARE - 4)),
            Text("letter", centre[0], centre[1] + 7, piece.letter),
        ]
    else:
        parts = _disc(centre, 0.38 * SQUARE if grid.corner_labels else 0.4 * SQUARE)
        if piece.kind == "crowned":
            parts.append(_crown(centre, 0.21 * SQUARE))
    square = (grid.column_labels[piece.column] if grid.column_labels else "") + (
        grid.row_labels[piece.row] if grid.row_labels else ""
    )
    title = " ".join(word for word in (piece.colour, piece.kind, piece.letter, square) if word)
    classes = tuple(word for word in ("piece", piece.kind, piece.colour) if word)
    return Group(f"p{piece.column}-{piece.row}", classes, parts, title)


def _disc(centre: Point, radius: float) -> list[Part]:
    return [Circle("disc", centre, radius), Line("ring", _round(centre, 0.72 * radius))]


def _round(centre: Point, radius: float) -> list[Point]:
    """A circle as a polyline, which is not filled."""
    angles = [2 * pi * step / 48 for step in range(49)]
    return [(centre[0] + radius * cos(angle), centre[1] + radius * sin(angle)) for angle in angles]


def _crown(centre: Point, size: float) -> Polygon:
    x, y = centre
    corners = ((-1, 0.75), (-1.15, -0.55), (-0.5, 0.05), (0, -0.85), (0.5, 0.05), (1.15, -0.55), (1, 0.75))
    return Polygon("crown", [(x + size * dx, y + size * dy) for dx, dy in corners])


def _chess_piece(kind: str, x: float, y: float) -> list[Part]:
    scale = SQUARE / 100

    def placed(points: tuple[Point, ...]) -> list[Point]:
        return [(x + scale * a, y + scale * b) for a, b in points]

    outlines, lines, balls, dots = chess_pieces.shape(kind)
    parts: list[Part] = [Polygon("body", placed(outline)) for outline in outlines]
    parts += [Circle("body", (x + scale * a, y + scale * b), scale * radius) for a, b, radius in balls]
    parts += [Line("detail", placed(line)) for line in lines]
    parts += [Circle("eye", (x + scale * a, y + scale * b), scale * radius) for a, b, radius in dots]
    return parts


# ---- points ---------------------------------------------------------------------------------------------------

#: A backgammon board: width of a point, height of half the board, widths of the bar and the tray.
WIDE, HALF, BAR, TRAY = 36.0, 190.0, 40.0, 44.0
_PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}
MAX_OFF = 15
#: A larger stack is drawn with this many checkers and a number.
MAX_STACKED = 5


def _points(points: Points) -> tuple[list[Group], float, float]:
    if len(points.checkers) != 24 or any(die not in _PIPS for die in points.dice) or len(points.dice) > 4:
        raise GameError("picture: expected 24 points, and at most four dice from 1 to 6")
    if max(points.off) > MAX_OFF or points.mover not in ("white", "black"):
        raise GameError(f"picture: expected at most {MAX_OFF} checkers borne off per side, and mover white or black")
    left, top = MARGIN, MARGIN + LABELS
    inner = 12 * WIDE + BAR
    bottom = top + 2 * HALF
    groups = [
        Group("ground", ("light",), [Polygon("square", _box(left, top, inner + TRAY, bottom - top))]),
        Group("bar", ("bar",), [Polygon("square", _box(left + 6 * WIDE, top, BAR, bottom - top))]),
    ]
    lights: list[Part] = []
    darks: list[Part] = []
    labels: list[Part] = []
    for number in range(1, 25):
        x = _point_x(number, left)
        down = number > 12  # the points of the upper half point down
        base, tip = (top, top + HALF * 0.82) if down else (bottom, bottom - HALF * 0.82)
        (darks if number % 2 else lights).append(
            Polygon("point", [(x - WIDE / 2 + 1, base), (x + WIDE / 2 - 1, base), (x, tip)])
        )
        labels.append(Text("label", x, top - 6 if down else bottom + 14, str(number)))
    groups += [Group("odd", ("dark",), darks), Group("even", ("even",), lights)]
    right = left + inner
    corners = _box(left, top, inner + TRAY, bottom - top)
    groups.append(
        Group(
            "lines",
            ("lines",),
            [Line("border", [*corners, *corners[:2]]), Line("border", [(right, top), (right, bottom)])],
        )
    )
    groups.append(Group("labels", ("labels",), labels))
    for number, count in enumerate(points.checkers, 1):
        if count:
            colour = "white" if count > 0 else "black"
            at = (_point_x(number, left), top if number > 12 else bottom)
            groups += _stack(f"t{number}", colour, abs(count), at, 1 if number > 12 else -1, f"point {number}")
    middle = (top + bottom) / 2
    bar_x, tray_x = left + 6 * WIDE + BAR / 2, right + TRAY / 2
    for colour, way, on_bar, off in (
        ("white", 1, points.bar[0], points.off[0]),
        ("black", -1, points.bar[1], points.off[1]),
    ):
        if on_bar:
            groups += _stack(f"bar-{colour}", colour, on_bar, (bar_x, middle + 14 * way), way, "bar")
        if off:
            groups += _borne_off(colour, off, tray_x, bottom if way > 0 else top, -way)
    side = 26.0
    start = left + (9 if points.mover == "white" else 3) * WIDE + (BAR if points.mover == "white" else 0)
    for place, die in enumerate(points.dice):
        x = start + (place - (len(points.dice) - 1) / 2) * (side + 8)
        parts: list[Part] = [Polygon("die", _box(x - side / 2, middle - side / 2, side, side))]
        parts += [Circle("pip", (x + 7 * dx, middle + 7 * dy), 2.5) for dx, dy in _PIPS[die]]
        groups.append(Group(f"die{place}", ("die", points.mover), parts, f"{points.mover}'s die: {die}"))
    return groups, right + TRAY + MARGIN, bottom + LABELS


def _point_x(number: int, left: float) -> float:
    """The centre of a point: 1 to 12 at the bottom from the right, 13 to 24 at the top from the left."""
    column = 12 - number if number <= 12 else number - 13
    return left + WIDE * (column + 0.5) + (BAR if column >= 6 else 0)


def _stack(name: str, colour: str, count: int, base: Point, way: int, where: str) -> list[Group]:
    """A stack of checkers, upwards (`way` -1) or downwards (1)."""
    radius = WIDE / 2 - 1.5
    parts: list[Part] = []
    x = base[0]
    for place in range(min(count, MAX_STACKED)):
        parts += _disc((x, base[1] + way * (radius + 0.5) * (2 * place + 1)), radius)
    if count > MAX_STACKED:
        parts.append(Text("count", x, base[1] + way * (radius + 0.5) * (2 * MAX_STACKED - 1) + 4.3, str(count)))
    tooltip = f"{count} {colour} checker{'s' * (count > 1)}, {where}"
    return [Group(name, ("piece", colour), parts, tooltip)]


def _borne_off(colour: str, count: int, x: float, base: float, way: int) -> list[Group]:
    """Checkers in the tray, seen from the side."""
    thick = 10.5
    parts: list[Part] = []
    for place in range(count):
        y = base + way * (4 + thick * place)
        parts.append(Polygon("disc", _box(x - 16, min(y, y + way * (thick - 1.5)), 32, thick - 1.5)))
    return [Group(f"off-{colour}", ("piece", colour), parts, f"{count} {colour} borne off")]
