"""Boards: pictures agree with the text of the position, and scenes contain everything in the picture."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

import zermelo
from zermelo.core.game import MAX, State, game
from zermelo.core.picture import BACKGROUNDS, CHESS_PIECES, COLOURS, KINDS, Grid, Piece, Points
from zermelo.drawing import chess_pieces
from zermelo.drawing.boards import BOARD_STYLES, MARGIN, SQUARE, board_scene, changed_squares
from zermelo.drawing.drawing import draw
from zermelo.drawing.scene import Circle, Line, Polygon, Scene, Text
from zermelo.drawing.style import style
from zermelo.errors import GameError, InputError

pytestmark = pytest.mark.quick

GAMES = (
    "backgammon",
    "checkers",
    "chess",
    "connect4",
    "gomoku",
    "hex",
    "kuhn",
    "leduc",
    "liarsdice",
    "othello",
    "pennies",
    "property",
    "river",
    "scrabble",
    "tictactoe",
)


def game_of(name: str, seed: int, longest: int = 60) -> list[State]:
    """The states of a random game."""
    random = Random(seed)
    states = [zermelo.load(name).start()]
    while not states[-1].is_over() and len(states) < longest:
        moves = states[-1].legal_moves()
        states.append(states[-1].play(moves[int(random.random() * len(moves))]))
    return states


def drawn(state: State, before: State | None = None) -> ElementTree.Element:
    return ElementTree.fromstring(draw(state, before=before).svg())


def classes(svg: ElementTree.Element, word: str) -> list[ElementTree.Element]:
    return [each for each in svg.iter() if word in each.get("class", "").split()]


# ---- pictures of games ----------------------------------------------------------------------------------------------


def pieces_of(name: str, state: State) -> dict[str, tuple[str, str]]:
    """Kind and colour of the piece on each square, from the text of the position."""
    text = str(state)
    found: dict[str, tuple[str, str]] = {}
    if name == "chess":
        kinds = dict(zip("kqrbnp", CHESS_PIECES, strict=True))
        for row, rank in enumerate(text.split()[0].split("/")):
            column = 0
            for letter in rank:
                if letter.isdigit():
                    column += int(letter)
                else:
                    found[f"{column} {row}"] = (kinds[letter.lower()], "white" if letter.isupper() else "black")
                    column += 1
    elif name == "checkers":
        for part in text.split(":")[1:3]:
            for word in filter(None, part[1:].split(",")):
                number = int(word.lstrip("K"))
                row = (number - 1) // 4
                column = 2 * ((number - 1) % 4) + (row % 2 == 0)
                kind = "crowned" if word.startswith("K") else "disc"
                found[f"{column} {row}"] = (kind, "black" if part[0] == "B" else "white")
    elif name == "othello":
        for square, letter in enumerate(text[:64]):
            if letter != "-":
                found[f"{square % 8} {square // 8}"] = ("disc", "black" if letter == "X" else "white")
    elif name in ("connect4", "tictactoe"):
        for row, letters in enumerate(text.split("/")):
            for column, letter in enumerate(letters):
                if letter != "-":
                    stones = {"X": ("disc", "yellow"), "O": ("disc", "red")}
                    marks = {"X": ("cross", ""), "O": ("nought", "")}
                    found[f"{column} {row}"] = (stones if name == "connect4" else marks)[letter]
    elif name == "pennies":
        for row, size in enumerate(text.split()[0].split("-")):
            for column in range(int(size)):
                found[f"{column} {row}"] = ("disc", "copper")
    return found


@pytest.mark.parametrize("name", ["checkers", "chess", "connect4", "othello", "pennies", "tictactoe"])
@pytest.mark.parametrize("seed", range(3))
def test_pictures_agree_with_the_text(name: str, seed: int) -> None:
    for state in game_of(name, seed):
        picture = state.picture()
        assert isinstance(picture, Grid)
        expected = pieces_of(name, state)
        assert {f"{each.column} {each.row}": (each.kind, each.colour) for each in picture.pieces} == expected
        assert len(picture.pieces) == len(expected)


@pytest.mark.parametrize("seed", range(3))
def test_backgammon_has_15_checkers_per_side(seed: int) -> None:
    for state in game_of("backgammon", seed, 200):
        picture = state.picture()
        assert isinstance(picture, Points)
        for place, way in ((0, 1), (1, -1)):
            on_points = sum(way * count for count in picture.checkers if way * count > 0)
            assert on_points + picture.bar[place] + picture.off[place] == 15
        assert len(picture.dice) in (0, 2, 4)


def test_backgammon_start() -> None:
    picture = zermelo.load("backgammon").start().picture()
    assert isinstance(picture, Points)
    own = {24: 2, 13: 5, 8: 3, 6: 5}
    other = {25 - point: -count for point, count in own.items()}
    assert {point: count for point, count in enumerate(picture.checkers, 1) if count} == own | other


def test_othello_shows_legal_moves() -> None:
    picture = zermelo.load("othello").start().picture()
    assert isinstance(picture, Grid)
    assert {f"{'abcdefgh'[column]}{row + 1}" for column, row in picture.dotted} == {"d3", "c4", "f5", "e6"}


@pytest.mark.parametrize(
    ("name", "text", "move", "squares"),
    [
        ("chess", "", "Nf3", {"g1", "f3"}),
        ("chess", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "O-O", {"e1", "f1", "g1", "h1"}),
        ("chess", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6", {"e5", "d5", "d6"}),
        ("othello", "", "f5", {"e5", "f5"}),
        ("tictactoe", "", "b2", {"b2"}),
    ],
)
def test_changed_squares_are_highlighted(name: str, text: str, move: str, squares: set[str]) -> None:
    before = zermelo.load(name).parse(text) if text else zermelo.load(name).start()
    after = before.after(move)
    one, other = before.picture(), after.picture()
    assert isinstance(one, Grid)
    assert isinstance(other, Grid)
    assert {
        other.column_labels[column] + other.row_labels[row] for column, row in changed_squares(one, other)
    } == squares
    assert len(classes(drawn(after, before), "mark")) == len(squares)
    assert not classes(drawn(after), "mark")


# ---- scenes ---------------------------------------------------------------------------------------------------------


def parts_of(scene: Scene) -> list[tuple[float, float]]:
    places: list[tuple[float, float]] = []
    for group in scene.groups:
        for part in group.parts:
            if isinstance(part, (Line, Polygon)):
                places += part.points
            elif isinstance(part, Circle):
                (x, y), radius = part.centre, part.radius
                places += [(x - radius, y - radius), (x + radius, y + radius)]
            else:
                places.append((part.x, part.y))
    return places


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name == "scrabble" else ()) for name in GAMES]
)
def test_scenes_have_no_parts_outside(name: str) -> None:
    states = game_of(name, 7, 120)
    for before, state in pairwise(states):
        scene = board_scene(state, before)
        assert all(-0.01 <= x <= scene.width + 0.01 and -0.01 <= y <= scene.height + 0.01 for x, y in parts_of(scene))
        assert len({group.id for group in scene.groups}) == len(scene.groups)


@pytest.mark.parametrize("name", GAMES)
def test_svg_is_well_formed_and_described(name: str) -> None:
    state = game_of(name, 3, 12)[-1]
    svg = drawn(state)
    texts = ["".join(each.itertext()) for each in svg.iter() if each.tag.endswith(("title", "desc"))]
    assert texts[0].startswith(type(state).__name__)
    assert texts[1] == str(state)
    assert svg.get("class") == "zermelo-board"
    ids = [each.get("id") for each in svg.iter() if each.get("id")]
    assert len(set(ids)) == len(ids)


def test_each_piece_has_a_tooltip() -> None:
    svg = drawn(zermelo.load("chess").start())
    titles = Counter(title.text for piece in classes(svg, "piece") for title in piece if title.tag.endswith("title"))
    assert len(titles) == 32
    assert {"white king e1", "black queen d8", "white pawn h2"} <= set(titles)


def test_pieces_are_on_their_squares() -> None:
    scene = board_scene(zermelo.load("chess").start())
    (left,) = {part.points[0][0] for group in scene.groups if group.id == "light" for part in group.parts}  # type: ignore[union-attr]
    for group in scene.groups:
        if "piece" in group.classes:
            column, row = map(int, group.id[1:].split("-"))
            for part in group.parts:
                points = [part.centre] if isinstance(part, Circle) else getattr(part, "points", [])
                for x, y in points:
                    assert left + SQUARE * column < x < left + SQUARE * (column + 1)
                    assert MARGIN + SQUARE * row < y < MARGIN + SQUARE * (row + 1)


def test_hexagons_touch_their_six_neighbours() -> None:
    scene = board_scene(zermelo.load("hex").parse("3x3"))
    cells = [{(round(x, 3), round(y, 3)) for x, y in part.points}
             for group in scene.groups for part in group.parts if isinstance(part, Polygon)]  # fmt: skip
    touching = [{other for other in range(9) if len(cells[cell] & cells[other]) == 2} for cell in range(9)]
    assert touching[4] == {1, 2, 3, 5, 6, 7}
    assert touching[0] == {1, 3}


def test_a_large_stack_shows_its_number() -> None:
    svg = drawn(Shown(2))
    assert [each.text for each in classes(svg, "count")] == ["15", "6"]
    assert len(classes(svg, "pip")) == 4 * 5
    words = {title.text for piece in classes(svg, "piece") for title in piece if title.tag.endswith("title")}
    assert words == {
        "15 white checkers, point 1",
        "6 black checkers, point 24",
        "4 black checkers, bar",
        "5 black borne off",
    }


def test_every_part_has_a_style() -> None:
    """Each kind of part has a style rule, and each colour of a rule is defined."""
    for name in GAMES:
        for group in board_scene(game_of(name, 1, 30)[-1]).groups:
            for part in group.parts:
                look = style(group.classes, part.kind, BOARD_STYLES)
                assert look.stroke or look.fill, (name, part.kind)
                assert isinstance(part, Text) or part.kind in {kind for _, kind, _ in BOARD_STYLES.rules}
    used = {look[key] for _, _, look in BOARD_STYLES.rules for key in ("stroke", "fill") if key in look}
    assert used <= set(BOARD_STYLES.colours)


@pytest.mark.parametrize("kind", CHESS_PIECES)
def test_chess_pieces_fit_and_are_symmetric(kind: str) -> None:
    outlines, lines, balls, dots = chess_pieces.shape(kind)
    points = [point for shape in (*outlines, *lines) for point in shape]
    assert all(3 < x < 97 and 5 < y < 90 for x, y in points)
    assert all(radius < x < 100 - radius for x, _, radius in (*balls, *dots))
    if kind != "knight":
        for outline in outlines:
            mirrored = {(round(100 - x, 6), round(y, 6)) for x, y in outline}
            assert {(round(x, 6), round(y, 6)) for x, y in outline} == mirrored


@game
class Shown(State):
    """Positions with arbitrary pictures."""

    number: int = 0

    def to_move(self):  # type: ignore[no-untyped-def]
        return MAX

    def moves(self):  # type: ignore[no-untyped-def]
        yield 0

    def play(self, move):  # type: ignore[no-untyped-def]
        return Shown(self.number + 1)

    def is_over(self):  # type: ignore[no-untyped-def]
        return False

    def utility(self):  # type: ignore[no-untyped-def]
        return 0

    def board(self) -> str:
        return "<b>&\x07\nline"

    def picture(self) -> Grid | Points | None:
        return PICTURES[self.number]


PICTURES: list[Grid | Points | None] = [
    Grid(2, 2, "woods"),
    Grid(2, 2, pieces=(Piece(2, 0, "disc", "red"),)),
    Points((15, *[0] * 22, -6), bar=(0, 4), off=(0, 5), dice=(5, 5, 5, 5), mover="black"),
    Points((1,) * 23),
    Points((0,) * 24, dice=(7, 1)),
    Grid(2, 2, pieces=(Piece(0, 0, "wizard"),)),
    None,
    Grid(1000, 1000),
    Grid(2, 2, pieces=(Piece(0, 0, "disc", 'red"><script'),)),
    Grid(2, 2, column_labels=("a",)),
    Grid(2, 2, highlighted=((0, -1),)),
    Points((0,) * 24, off=(16, 0)),
    Points((0,) * 24, mover="green"),
    Grid(2, 2, pieces=(Piece(0, 0, "disc", "red"), Piece(0, 0, "disc", "red"))),
    Grid(2, 2, tinted=((0, 0, "green"),)),
    *(Grid(len(KINDS), len(COLOURS), background, tuple(
        Piece(column, row, kind, colour) for column, kind in enumerate(KINDS) for row, colour in enumerate(COLOURS)
    )) for background in BACKGROUNDS),
]  # fmt: skip


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (0, "background 'woods' is not one of chequered, felt, frame, lines, crossings, hexagons, bare"),
        (1, "column 2, row 0 is outside the board of 2 columns and 2 rows"),
        (3, "expected 24 points"),
        (4, "at most four dice from 1 to 6"),
        (5, "unknown piece .*kind='wizard', colour=''.*: expected kind disc, "),
        (8, "unknown piece .*; colour black, white, red, yellow, copper$"),
        (9, "1 labels for 2 columns: expected one each, or none"),
        (10, "column 0, row -1 is outside the board"),
        (11, "expected at most 15 checkers borne off per side, and mover white or black"),
        (13, "two pieces on one square"),
        (14, "tint 'green' is not one of rose, pink, sky, blue"),
        (12, "expected at most 15 checkers borne off per side, and mover white or black"),
    ],
)
def test_invalid_pictures_are_refused(number: int, expected: str) -> None:
    with pytest.raises(GameError, match=expected):
        draw(Shown(number)).svg()


@pytest.mark.parametrize("number", [6, 7])
def test_no_picture_or_a_too_large_one_is_drawn_as_text(number: int) -> None:
    svg = drawn(Shown(number))
    assert [each.text for each in classes(svg, "state")] == ["<b>&\ufffd", "line"]


@pytest.mark.parametrize("number", range(15, 15 + len(BACKGROUNDS)))
def test_every_piece_on_every_background(number: int) -> None:
    assert len(classes(drawn(Shown(number)), "piece")) == len(KINDS) * len(COLOURS)


# ---- as files -------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_save_in_every_format(tmp_path: Path) -> None:
    state = zermelo.load("chess").start()
    heads = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF", "tex": b"% Chess", "txt": b"    a b"}
    for suffix, head in heads.items():
        path = tmp_path / f"board.{suffix}"
        draw(state).save(path)
        assert path.read_bytes().startswith(head)
    assert draw(state).text() == state.board()
    for form in ("html", "dot"):
        with pytest.raises(InputError, match=f"a board cannot be drawn as {form}: expected one of svg, png"):
            draw(state).render(form)


@pytest.mark.slow
def test_output_is_deterministic() -> None:
    state = zermelo.load("othello").parse("f5d6c3")
    assert draw(state).svg() == draw(state).svg()
    assert draw(state).png() == draw(state).png()


def test_boards_on_one_page_have_different_ids() -> None:
    one, other = (draw(zermelo.load(name).start())._repr_svg_() for name in ("chess", "othello"))
    ids = re.findall(r' id="([^"]*)"', one + other)
    assert len(set(ids)) == len(ids)


def test_dark_theme_changes_the_paper_only() -> None:
    svg = draw(zermelo.load("chess").start(), theme="auto").svg()
    dark = svg.partition("prefers-color-scheme:dark")[2]
    assert ".zermelo-board.auto .paper{fill:#14171a" in dark
    assert f".zermelo-board.auto .square{{fill:{BOARD_STYLES.colours['light'][0]}}}" in dark
