"""The squares of moves, by which they are made on a board: every legal move of random games is found by them."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

import zermelo
from zermelo import registry
from zermelo.core.game import CHANCE, MIN, State
from zermelo.core.picture import Grid, Path, Piece, Points, path_between
from zermelo.testing.random_games import draw_move

# Moves without squares, which the page shows as buttons, in games with a picture: by their names, or all of them.
BUTTONS: dict[str, set[str] | None] = {
    "backgammon": {"pass"}, "go": {"pass"}, "go19": {"pass"}, "hex": {"swap"}, "othello": {"pass"},
    "othello6": {"pass"}, "othello10": {"pass"},
    "leduc": None, "liarsdice": None, "property": None, "river": None, "scrabble": None,
}  # fmt: skip
# Moves with the same squares, between which the player has to choose: four promotions; anagrams of a rack; the ships
# of one cell or more between the same ends, houses to build or sell and mortgages of a square; the ways in which a king
# of checkers can jump round a circle.
MOST_CHOICES = {"chess": 4, "scrabble": 5_000, "property": 4, "checkers": 2, "backgammon": 2}
# Games whose positions have hundreds of moves.
LARGE = ("go", "go19", "gomoku", "hex", "scrabble", "battleship", "property")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * (name in LARGE)) for name in registry.names()]
)
def test_every_move_has_its_squares(name: str) -> None:
    _play(name, 1, 30, every=10)


@pytest.mark.nightly
@pytest.mark.parametrize("name", registry.names())
def test_every_move_has_its_squares_in_many_games(name: str) -> None:
    _play(name, 200, 40 if name in LARGE else 120, every=20 if name in LARGE else 7)


def _play(name: str, games: int, max_plies: int, every: int) -> None:
    """Check every so many positions of random games."""
    start = zermelo.load(name).start()
    for number in range(games):
        state, random = start, Random(number)
        for ply in range(max_plies):
            moves = state.legal_moves()
            if not moves:
                break
            if state.to_move() != CHANCE and ply % every == 0:
                _check_paths(name, state, moves)
            state = state.play(draw_move(state, moves, random))


def _check_paths(name: str, state: State, moves: list[int]) -> None:
    picture = state.picture()
    paths = {move: state.move_path(move) for move in moves}
    buttons = {state.move_name(move) for move, path in paths.items() if not path}
    if picture is None:
        assert len(buttons) == len(moves)
        return
    allowed = BUTTONS.get(name, set())
    assert allowed is None or buttons <= allowed, f"{state}: no squares for {buttons - (allowed or set())}"
    choices = Counter(path for path in paths.values() if path)
    assert max(choices.values(), default=0) <= MOST_CHOICES.get(name, 1), f"{state}: {choices.most_common(1)}"
    for move, path in paths.items():
        if isinstance(picture, Points):
            _check_steps(state, picture, path)
        elif path:
            _check_squares(name, state, move, picture, path)


def _check_squares(name: str, state: State, move: int, picture: Grid, path: Path) -> None:
    """The ends of a path agree with the pictures before and after the move."""
    after = state.play(move).picture()
    assert isinstance(after, Grid)
    where = f"{state} {state.move_name(move)} {path}"
    assert all(0 <= column < picture.columns and 0 <= row < picture.rows for column, row in path), where
    if name in ("pennies", "property"):  # a pile is split at a penny, a street is built on: no piece moves
        return
    old, new = _pieces(picture), _pieces(after)
    dots = set(after.dotted) - set(picture.dotted)
    if name in ("battleship", "scrabble"):
        assert all(square in new or square in dots for square in path), where
    elif len(path) == 1 and name != "phantom-tictactoe":  # where a try may be refused
        assert path[0] not in old, where
        assert path[0] in new, where
    elif len(path) > 1:
        assert path[0] in old, where
        assert new[path[-1]].colour == old[path[0]].colour, where
        assert path[0] not in new or path[0] == path[-1], where


def _check_steps(state: State, picture: Points, path: Path) -> None:
    """Each step of a play begins where the mover has a checker."""
    sign = -1 if state.to_move() == MIN else 1
    checkers = {point: sign * count for point, count in enumerate(picture.checkers, 1)}
    checkers[25] = picture.bar[sign < 0]
    for start, end in path:
        assert checkers[start] > 0, f"{state}: {path}"
        checkers[start] -= 1
        if end:
            assert checkers[end] >= -1, f"{state}: {path}"
            checkers[end] = max(checkers[end], 0) + 1
            assert end == start - sign * abs(end - start) or start == 25


def _pieces(picture: Grid) -> dict[tuple[int, int], Piece]:
    return {(piece.column, piece.row): piece for piece in picture.pieces}


@pytest.mark.parametrize(
    ("game", "position", "move", "squares"),
    [
        ("chess", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "O-O", "e1 g1"),
        ("chess", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "O-O-O", "e1 c1"),
        ("chess", "4k3/8/8/8/8/8/8/5KR1 w G - 0 1", "O-O", "f1 g1"),
        ("chess", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6", "e5 d6"),
        ("chess", "4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a8=N", "a7 a8"),
        ("othello", "", "d3", "d3"),
        ("tictactoe", "", "b2", "b2"),
        ("go", "", "C3", "C3"),
        ("hex", "", "f6", "f6"),
        ("gomoku", "", "h8", "h8"),
        ("connect4", "44", "4", "4"),
    ],
)
def test_the_squares_of_a_move(game: str, position: str, move: str, squares: str) -> None:
    cls = zermelo.load(game)
    state = cls.parse(position) if position else cls.start()
    picture = state.picture()
    assert isinstance(picture, Grid)
    labels = [
        picture.column_labels[column] + (picture.row_labels[row] if picture.row_labels else "")
        for column, row in state.move_path(state.parse_move(move))
    ]
    assert " ".join(labels) == squares


def test_a_jump_visits_all_its_squares() -> None:
    state = zermelo.load("checkers").parse("B:W14,22:B9")
    (move,) = (move for move in state.legal_moves() if state.move_name(move) == "9x18x25")
    assert state.move_path(move) == ((1, 2), (3, 4), (1, 6))


def test_the_steps_of_a_play_count_the_points_of_the_picture() -> None:
    backgammon = zermelo.load("backgammon")
    white = backgammon.start().after("31")
    assert white.move_path(white.parse_move("8/5,6/5")) == ((8, 5), (6, 5))
    black = white.after("8/5,6/5 42")
    assert black.move_path(black.parse_move("8/4,6/4")) == ((17, 21), (19, 21))


PIECE, OTHER, NEW = Piece(0, 0, "disc", "white"), Piece(1, 0, "disc", "black"), Piece(1, 0, "disc", "white")


@pytest.mark.parametrize(
    ("before", "after", "path"),
    [
        ((), (PIECE,), ((0, 0),)),
        ((PIECE,), (NEW,), ((0, 0), (1, 0))),
        ((PIECE, OTHER), (NEW,), ((0, 0), (1, 0))),
        ((OTHER,), (PIECE,), ((0, 0),)),
        ((PIECE,), (), ((0, 0),)),
        ((OTHER,), (NEW,), ((1, 0),)),
        ((PIECE,), (PIECE,), ()),
        ((PIECE, NEW), (), ()),
    ],
    ids=["placed", "moved", "captured", "captures", "removed", "turned over", "nothing", "two removed"],
)
def test_comparing_pictures(before: tuple[Piece, ...], after: tuple[Piece, ...], path: Path) -> None:
    assert path_between(Grid(3, 1, pieces=before), Grid(3, 1, pieces=after)) == path
