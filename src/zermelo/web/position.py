"""`POST /api/position`: a position as JSON, with its picture and the squares of each legal move.

`position_of` describes the current position of a game; `KeptGames` holds the positions of recent requests, so that one
more move of a long game costs one move.
"""

from __future__ import annotations

import dataclasses
import threading
from collections import OrderedDict
from typing import Annotated, Any, Literal, get_type_hints

import msgspec

from zermelo import formatting, registry
from zermelo.core.game import CHANCE, MAX, MIN, State
from zermelo.core.history import preceding_states
from zermelo.core.picture import Grid, Path, Picture, Points
from zermelo.core.player_view import board_of
from zermelo.core.validation import as_game_error, validate_root
from zermelo.drawing.boards import checked_picture
from zermelo.errors import InputError, ZermeloError
from zermelo.interactive.course import GameInProgress
from zermelo.web.catalogue import title
from zermelo.web.errors import RequestError
from zermelo.web.routing import Request, endpoint
from zermelo.web.searches import Workers
from zermelo.web.services import Services

#: Moves of a request, characters of one of them and of a position.
MAX_MOVES = 2_000
MAX_MOVE_LENGTH = 200
MAX_POSITION_LENGTH = 20_000
#: Legal moves that are listed: more than any game of the package has, Scrabble with two blanks included.
MAX_LISTED = 20_000
#: Games of recent requests whose positions are kept, and their positions in all: about 1 kB each.
MAX_KEPT = 32
MAX_KEPT_STATES = 10_000

MoveText = Annotated[str, msgspec.Meta(max_length=MAX_MOVE_LENGTH)]
MoveTexts = Annotated[list[MoveText], msgspec.Meta(max_length=MAX_MOVES)]

SIDES = {MAX: "max", MIN: "min", CHANCE: "chance"}
_PLAYERS = {"max": MAX, "min": MIN}


class PositionRequest(Request, frozen=True):
    """A position: that of a text (empty: the start) after moves in the game's notation."""

    game: str
    position: Annotated[str, msgspec.Meta(max_length=MAX_POSITION_LENGTH)] = ""
    moves: MoveTexts = msgspec.field(default_factory=list)


class ViewRequest(PositionRequest, frozen=True):
    """A position, and in games with hidden information the player who looks at it; empty: all is shown."""

    view: Literal["", "max", "min"] = ""


def _struct(kind: type[Picture], tag: str) -> Any:
    """A picture's struct: its fields, and `kind`, which tells grids, points and texts apart."""
    types = get_type_hints(kind)
    fields = [(field.name, types[field.name]) for field in dataclasses.fields(kind)]
    return msgspec.defstruct(f"{kind.__name__}Picture", fields, frozen=True, tag_field="kind", tag=tag, module=__name__)


GridPicture: Any = _struct(Grid, "grid")
PointsPicture: Any = _struct(Points, "points")


class TextPicture(msgspec.Struct, frozen=True, tag_field="kind", tag="text"):
    """A board in text, for games without a picture."""

    lines: list[str]


class Move(msgspec.Struct, frozen=True, omit_defaults=True):
    """A legal move. Its text is unique among them, and is what requests send.

    `path` are squares of a grid, row * columns + column: one for a placement, or all that the piece visits. `steps` are
    those of checkers on points, as (from, to): 25 is the mover's bar, 0 is off. A move without squares is a button.
    """

    move: int | str
    text: str
    path: list[int] | None = None
    steps: list[tuple[int, int]] | None = None


class Outcome(msgspec.Struct, frozen=True):
    """An outcome of a chance event, and its weight."""

    move: int | str
    text: str
    weight: int


class Result(msgspec.Struct, frozen=True):
    """The result of a finished game: its utility for MAX, and how it ended."""

    utility: int
    text: str


class Position(msgspec.Struct, frozen=True, kw_only=True):
    """A position of a game."""

    game: str
    title: str
    #: The position as text; while information is hidden, what the player knows.
    position: str
    turn: Literal["max", "min", "chance"] | None
    #: Name of the side to move; empty when the game is over.
    player: str
    #: Names of MAX and MIN.
    players: tuple[str, str]
    #: Moves and chance events since the start of the game, as far as it is known; 0 while information is hidden.
    ply: int
    over: bool
    result: Result | None
    picture: GridPicture | PointsPicture | TextPicture
    #: The legal moves of the player to move: at most 20,000; `move_count` is their number.
    moves: list[Move]
    move_count: int
    chance: list[Outcome]
    #: The moves so far; none while information is hidden.
    played: list[str]
    #: The last move of a player; chance events after it do not count.
    last: Move | None
    can_claim_draw: bool
    #: Why a draw can be claimed; empty if it cannot.
    claim: str


def position_of(name: str, game: GameInProgress, view: int | None = None) -> Position:
    """Describe the current position of a game.

    Parameters
    ----------
    name : str
        Name of the game in the API.
    game : GameInProgress
    view : int, optional
        In games with hidden information, the player who looks at it: MAX or MIN. Default: all is shown.

    Raises
    ------
    GameError
        If the game's code is wrong.
    """
    state = game.state
    cls = type(state)
    view = None if state.perfect_information else view
    over = game.is_finished()
    turn = None if over else state.to_move()
    allowed: list[Any] = game.allowed()
    picture = picture_of(state, view)
    moves = allowed[:MAX_LISTED] if turn in (MAX, MIN) and view in (None, turn) else []
    weights = dict(state.outcomes()) if turn == CHANCE else {}
    claim = "" if over else game.claim_reason()
    return Position(
        game=name,
        title=title(name, registry.describe(cls)["source"]),
        position=str(state) if view is None else state.information_state(view),
        turn=None if turn is None else SIDES[turn],  # type: ignore[arg-type]
        player="" if turn is None else state.player_name(turn),
        players=(state.player_name(MAX), state.player_name(MIN)),
        ply=len(game.before) if view is None else 0,
        over=over,
        result=_result(game) if over else None,
        picture=picture,
        moves=[_move(state, move, picture) for move in moves],
        move_count=len(allowed) if moves else 0,
        chance=[Outcome(_number(state, move), state.move_name(move), weights[move]) for move in allowed if weights],
        played=game.move_names() if view is None else [],
        last=last_move(game) if view is None else None,
        can_claim_draw=bool(claim),
        claim=claim,
    )


def picture_of(state: State, view: int | None) -> Any:
    """The picture of a state as a struct."""
    found = checked_picture(state, view)
    if found is None:
        return TextPicture((state.board() if view is None else board_of(state, view)).split("\n"))
    kind = GridPicture if isinstance(found, Grid) else PointsPicture
    return kind(*(getattr(found, field.name) for field in dataclasses.fields(found)))


def _move(state: State, move: Any, picture: Any) -> Move:
    return _with_path(_number(state, move), state.move_name(move), state.move_path(move), picture)


def _with_path(number: int | str, text: str, path: Path, picture: Any) -> Move:
    if isinstance(picture, GridPicture):
        return Move(number, text, path=[row * picture.columns + column for column, row in path])
    return Move(number, text, steps=list(path)) if isinstance(picture, PointsPicture) else Move(number, text)


def _number(state: State, move: Any) -> int | str:
    """A move as JSON: its number, or its name where moves may be any objects."""
    return int(move) if state.is_compiled else state.move_name(move)


def last_move(game: GameInProgress) -> Move | None:
    """The last move of a player, with its squares: dice after it leave it in sight. None before the first one."""
    place = game.last_place()
    if place is None:
        return None
    before, move = game.before[place], game.moves[place]
    return _with_path(_number(before, move), game.move_names()[place], before.move_path(move), picture_of(before, None))


def _result(game: GameInProgress) -> Result:
    state = game.state
    if not state.is_over():
        text, utility = f"a draw: {formatting.drawn(state, game.past.occurrences[-1])}", 0
    else:
        name, utility = state.termination(), state.utility()
        text = f"{name}: {formatting.result(state)}" if name else formatting.result(state)
    return Result(utility, text[:1].upper() + text[1:])


# ---- requests ---------------------------------------------------------------------------------------------------


class KeptGames:
    """The games of recent requests. Safe to use in several threads.

    A request whose moves begin as those of an earlier one continues a copy of that game.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # By the class and the text of the first position: the moves as they were given, and the game after them.
        self._kept: OrderedDict[tuple[type[State], str], tuple[list[str], GameInProgress]] = OrderedDict()

    def game(self, source: str, position: str, moves: list[str]) -> GameInProgress:
        """Return the game of a request.

        Parameters
        ----------
        source : str
            The name of the game that `zermelo.load` takes.
        position : str
            The first position; empty: the start of the game. If it is a line of moves, these are part of the game.
        moves : list of str
            Moves and chance events from there.

        Raises
        ------
        RequestError
            Names the field that is wrong: position or moves.
        GameError
            If the game's code is wrong.
        """
        cls = registry.load(source)
        try:
            return self._game(cls, position.strip(), moves)
        except ZermeloError:
            raise
        except Exception as error:
            raise as_game_error(error, cls) from None

    def _game(self, cls: type[State], text: str, moves: list[str]) -> GameInProgress:
        with self._lock:
            known, kept = self._kept.get((cls, text), ([], None))
            game = None if kept is None else kept.copy()
        if game is None:
            try:
                first = cls.parse(text) if text else cls.start()
                validate_root(first, searched=False)
            except InputError as error:
                raise RequestError(str(error), field="position") from None
            game = GameInProgress([*preceding_states(first, text), first])
        common = next((place for place, pair in enumerate(zip(known, moves, strict=False)) if pair[0] != pair[1]), None)
        if common is None:
            common = min(len(known), len(moves))
        game.cut(len(game.before) - len(known) + common)
        for place, move in enumerate(moves[common:], common):
            if game.is_finished():
                raise RequestError(f"moves[{place}]: {move[:40]!r} cannot be played: the game is over", field="moves")
            try:
                game.make(game.parse(move))
            except InputError as error:
                raise RequestError(f"moves[{place}]: {error}", field="moves") from None
        game.move_names()  # kept with the copy
        with self._lock:
            self._kept[cls, text] = (list(moves), game.copy())
            self._kept.move_to_end((cls, text))
            while len(self._kept) > MAX_KEPT or (
                len(self._kept) > 1 and sum(len(each.before) for _, each in self._kept.values()) > MAX_KEPT_STATES
            ):
                self._kept.popitem(last=False)
        return game


#: The games of this process.
GAMES = KeptGames()


def describe(name: str, source: str, request: ViewRequest) -> Position:
    """Answer a request, given the name of its game that `zermelo.load` takes; see `KeptGames.game` for errors."""
    game = GAMES.game(source, request.position, request.moves)
    try:
        return position_of(name, game, _PLAYERS.get(request.view))
    except ZermeloError:
        raise
    except Exception as error:
        raise as_game_error(error, game.state) from None


@endpoint("POST", "/api/position", request=ViewRequest, response=Position, summary="Describe a position.")
async def position(request: ViewRequest, services: Services) -> Position:
    """Describe a position: picture, legal moves with their squares, result."""
    source = services.source(request.game)
    return await services.get(Workers).rules(request.game, describe, request.game, source, request)


ROUTES = [position]
