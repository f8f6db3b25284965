"""Positions set up by hand: pieces on squares become the text of a position, or the reason why it is not one."""

from __future__ import annotations

from typing import Annotated

import msgspec

from zermelo import registry
from zermelo.core.game import MAX, MIN, State
from zermelo.core.picture import Grid, Piece
from zermelo.web.errors import RequestError, field
from zermelo.web.routing import Request, endpoint
from zermelo.web.searches import Workers
from zermelo.web.services import Services

#: Sides by their names in the API.
SIDES = {"max": MAX, "min": MIN}


class SetupRequest(Request, frozen=True):
    """The position that the reader begins with."""

    game: str
    #: Empty: the initial position.
    position: str = ""


class SetupPiece(msgspec.Struct, frozen=True, omit_defaults=True):
    """A sort of piece that can be put on the board."""

    kind: str
    colour: str = ""
    letter: str = ""


class SetupChoice(msgspec.Struct, frozen=True, omit_defaults=True):
    """A check box: what the position can have beside its pieces. At most one of a group is on."""

    name: str
    on: bool
    group: str = ""


class Setup(msgspec.Struct, frozen=True):
    """The set-up editor of a game; without pieces its positions are given as text only."""

    pieces: list[SetupPiece]
    #: Those of the position, such as castling rights.
    options: list[SetupChoice]


class PlacedPiece(msgspec.Struct, frozen=True):
    """A piece on a square."""

    column: int
    row: int
    kind: str
    colour: str = ""
    letter: str = ""


class PlacedPieces(Request, frozen=True):
    """Pieces on the board of a position, in the place of those that it has."""

    game: str
    pieces: list[PlacedPiece]
    #: The side to move: "max" or "min".
    turn: str
    position: str = ""
    #: Names of the options that are on; those that the pieces do not allow have no effect. None: as in `position`.
    options: Annotated[list[Annotated[str, msgspec.Meta(max_length=200)]], msgspec.Meta(max_length=100)] | None = None


class SetUpPosition(msgspec.Struct, frozen=True):
    """The position, which `/api/position` accepts."""

    position: str
    #: The side to move; it differs from the request's where it follows from the pieces.
    turn: str
    options: list[SetupChoice]


@endpoint(
    "POST",
    "/api/setup",
    request=SetupRequest,
    response=Setup,
    summary="List the pieces with which positions of a game are set up by hand.",
)
async def setup(request: SetupRequest, services: Services) -> Setup:
    """List the pieces; none where the board is not a grid."""
    return await services.get(Workers).rules(request.game, _pieces, services.source(request.game), request)


def _pieces(source: str, request: SetupRequest) -> Setup:
    cls = registry.load(source)
    with field("position"):
        state = cls.parse(request.position) if request.position else cls.start()
    pieces = cls.setup_pieces() if isinstance(state.picture(), Grid) else ()
    return Setup([SetupPiece(*piece.looks) for piece in pieces], _choices(state) if pieces else [])


def _choices(state: State) -> list[SetupChoice]:
    return [SetupChoice(option.name, option.is_on, option.group) for option in state.setup_options()]


@endpoint(
    "POST",
    "/api/setup/position",
    request=PlacedPieces,
    response=SetUpPosition,
    summary="Return the position with the pieces that a person put on the board.",
)
async def set_up(request: PlacedPieces, services: Services) -> SetUpPosition:
    """Raises `RequestError` with the reason if the position is not possible, in the words of the game's `parse`."""
    return await services.get(Workers).rules(request.game, _set_up, services.source(request.game), request)


def _set_up(source: str, request: PlacedPieces) -> SetUpPosition:
    cls = registry.load(source)
    if request.turn not in SIDES:
        raise RequestError(f"turn must be max or min (got {request.turn[:40]!r})", field="turn")
    with field("position"):
        state = cls.parse(request.position) if request.position else cls.start()
    pieces = _checked(state, request.pieces)
    with field("pieces"):
        made = state.set_up(pieces, SIDES[request.turn])
        if request.options is not None:
            made = made.with_setup_options(tuple(request.options))
        placed = cls.parse(str(made))
    names = {side: name for name, side in SIDES.items()}
    return SetUpPosition(str(placed), names.get(placed.to_move(), request.turn), _choices(placed))


def _checked(state: State, given: list[PlacedPiece]) -> tuple[Piece, ...]:
    """Return the pieces. Raises `RequestError` for a piece or square that the game does not have."""
    board = state.picture()
    known = {piece.looks for piece in type(state).setup_pieces()}
    if not known or not isinstance(board, Grid):
        raise RequestError("positions of this game are not set up piece by piece; give the text", field="game")
    squares = set()
    for piece in given:
        square = piece.column, piece.row
        if not (0 <= piece.column < board.columns and 0 <= piece.row < board.rows):
            raise RequestError(f"the board has no column {piece.column} in row {piece.row}", field="pieces")
        if square in squares:
            raise RequestError(f"two pieces in column {piece.column} of row {piece.row}", field="pieces")
        if (piece.kind, piece.colour, piece.letter) not in known:
            raise RequestError(f"the game has no piece {f'{piece.colour} {piece.kind}'[:40]!r}", field="pieces")
        squares.add(square)
    return tuple(Piece(piece.column, piece.row, piece.kind, piece.colour, piece.letter) for piece in given)


ROUTES = [setup, set_up]
