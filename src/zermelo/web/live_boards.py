"""`LiveBoards`: the games in progress of a store as positions, from the file that the playing process writes beside it.

Nothing in the file is trusted: its size, types and ranges are checked, its process must be the one that writes the
store, and each move must be legal. What is wrong is not shown.
"""

from __future__ import annotations

import os
import threading
import time
from collections import OrderedDict
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from zermelo import registry
from zermelo._util.user_files import read_bytes
from zermelo.arena.live_table import LiveTable
from zermelo.arena.running_games import MAX_AGE, MAX_BYTES, MAX_GAMES, MAX_PLIES, live_path
from zermelo.core.game import MAX, MIN
from zermelo.core.move_numbers import move_of
from zermelo.core.validation import as_game_error, validate_root
from zermelo.errors import FileError, ZermeloError
from zermelo.interactive.course import GameInProgress
from zermelo.web.errors import RequestError
from zermelo.web.position import (
    MAX_POSITION_LENGTH,
    SIDES,
    GridPicture,
    Move,
    PointsPicture,
    TextPicture,
    last_move,
    picture_of,
)
from zermelo.web.searches import Workers
from zermelo.web.services import Services

#: Games whose positions are kept between two readings.
_MAX_KEPT = 16
_Seconds = Annotated[float, Meta(ge=-(10.0**10), le=10.0**11)]


class _Report(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A game as `RunningGame.report` describes it."""

    number: Annotated[int, Meta(ge=0, le=10**9)]
    names: tuple[str, str]
    start: Annotated[str, Meta(max_length=MAX_POSITION_LENGTH)]
    moves: Annotated[list[int], Meta(max_length=MAX_PLIES)]
    plies: Annotated[int, Meta(ge=0, le=10**9)]
    left: tuple[_Seconds | None, _Seconds | None]
    used: tuple[_Seconds, _Seconds]
    turn_started: _Seconds


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    run: str
    games: Annotated[list[_Report], Meta(max_length=MAX_GAMES)]


class LiveBoard(msgspec.Struct, frozen=True):
    """The position of a game in progress."""

    #: Names of MAX's and MIN's side.
    sides: tuple[str, str]
    #: The side to move: max, min or chance; empty when the game is over.
    turn: str
    picture: GridPicture | PointsPicture | TextPicture
    #: The last move of a player, and the moves and chance events so far that the position has.
    last: Move | None
    ply: int


class LiveGame(msgspec.Struct, frozen=True):
    """A game in progress. Pairs hold the value of MAX's player first."""

    number: int
    players: tuple[str, str]
    plies: int
    #: Seconds on the clocks when the last move was made; null without a clock.
    left: tuple[float | None, float | None]
    #: Thinking time so far without that of the current move.
    used: tuple[float, float]
    #: Unix time at which the side to move began to think.
    turn_started: float
    #: The position; null if it is not shown, for the reason in `problem`.
    board: LiveBoard | None
    problem: str


class LiveBoards:
    """The games in progress of a store, read again only if the file has changed."""

    def __init__(self, services: Services, store: Path) -> None:
        self._services = services
        # The link's target: the process that writes the store resolves links, too.
        self._path = live_path(Path(os.path.realpath(store)))
        self._signature: object = None
        self._file: _File | None = None
        self._shown: dict[int, tuple[_Report, LiveGame | None]] = {}

    async def read(self, plays: str, table: LiveTable) -> list[LiveGame]:
        """Return the games in progress.

        Parameters
        ----------
        plays : str
            The game's name in the API; "" if the server does not offer it.
        table : LiveTable
            What was read from the store.

        Raises
        ------
        RequestError
            429: the server is busy.
        """
        try:
            status = os.stat(self._path)
        except OSError:
            return []
        if not abs(time.time() - status.st_mtime) < MAX_AGE:
            return []
        signature = (status.st_ino, status.st_size, status.st_mtime_ns)
        if signature != self._signature:
            self._file = await self._services.in_thread(_read, self._path)
            self._signature = signature
        if self._file is None or not self._file.run or self._file.run != table.run:
            return []
        names = {entrant.name for entrant in table.plan.entrants}
        shown: dict[int, tuple[_Report, LiveGame | None]] = {}
        for report in self._file.games:
            number = report.number
            if number in shown or number in table.results or not names.issuperset(report.names):
                continue
            before = self._shown.get(number)
            unchanged = before is not None and before[0] == report
            shown[number] = before if before and unchanged else (report, await self._game(plays, report))
        self._shown = shown
        return [game for _, game in shown.values() if game is not None]

    async def _game(self, plays: str, report: _Report) -> LiveGame | None:
        """A game with its position; None if a move is illegal."""
        board, problem = None, ""
        try:
            if not plays:
                problem = "the server does not offer this game"
            elif len(report.moves) == 0 < report.plies:
                problem = "the position is not shown while the game runs"
            else:
                source, key = self._services.games[plays], (str(self._path), report.number)
                board = await self._services.get(Workers).rules(
                    plays, live_board, source, key, report.start, report.moves
                )
                problem = "" if board is not None else "the position is not shown while the game runs"
        except ZermeloError as error:
            if isinstance(error, RequestError) and error.status == 429:
                raise
            return None
        return LiveGame(
            number=report.number,
            players=report.names,
            plies=report.plies,
            left=report.left,
            used=report.used,
            turn_started=report.turn_started,
            board=board,
            problem=problem,
        )


def _read(path: Path) -> _File | None:
    """Read the file; None if it cannot be read or has another form."""
    try:
        return msgspec.json.decode(read_bytes(path, MAX_BYTES), type=_File)
    except (FileError, msgspec.DecodeError, RecursionError, UnicodeError):
        return None


#: Games of earlier calls in this process by source and key: the start, the numbers of the moves, the game.
_KEPT: OrderedDict[tuple[str, object], tuple[str, list[int], GameInProgress]] = OrderedDict()
_LOCK = threading.Lock()


def live_board(source: str, key: tuple[str, int], start: str, numbers: list[int]) -> LiveBoard | None:
    """Return the position after moves given by their numbers; None in games with hidden information.

    Parameters
    ----------
    source : str
        The game's name that `zermelo.load` takes.
    key : tuple
        Identifies the game: a later call with more moves continues it.
    start : str
        Start position; empty: the game's own.
    numbers : list of int
        Numbers of the moves, chance events included; see `core.move_numbers`.

    Raises
    ------
    InputError
        The start position is invalid or a move is illegal.
    GameError
        The game's code is wrong.
    """
    cls: Any = registry.load(source)
    try:
        with _LOCK:  # taken out: a second call at the same time makes its own
            text, known, game = _KEPT.pop((source, key), ("", [], None))
        if game is None or text != start or known != numbers[: len(known)]:
            first = cls.parse(start) if start else cls.start()
            validate_root(first, searched=False)
            known, game = [], GameInProgress([first])
        if not game.state.perfect_information:
            return None
        for number in numbers[len(known) :]:
            game.make(move_of(game.state, number))
        with _LOCK:
            _KEPT[source, key] = (start, list(numbers), game)
            while len(_KEPT) > _MAX_KEPT:
                _KEPT.popitem(last=False)
        state = game.state
        sides = (state.player_name(MAX), state.player_name(MIN))
        turn = "" if state.is_over() else SIDES[state.to_move()]
        return LiveBoard(sides, turn, picture_of(state, None), last_move(game), len(numbers))
    except ZermeloError:
        raise
    except Exception as error:
        raise as_game_error(error, cls) from None
