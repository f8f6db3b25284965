"""Python objects as players, in this process: functions, evaluations, engines, and players of one's own.

    with registered([material, my_function]) as specs:      # ["object:1", "object:2"]
        play(Plan("connect4", parse_entrants(specs)))

A plan names players by text. So an object gets a number for as long as its games are played.
"""

from __future__ import annotations

import itertools
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from os.path import relpath
from typing import Any, TypeAlias

from zermelo.arena.players.clock import Clock
from zermelo.arena.players.player import GameSetup, Player, PlayResult, Turn
from zermelo.core.evaluation import Evaluation
from zermelo.core.game import State
from zermelo.core.player_view import PlayerView
from zermelo.errors import InputError, UnknownGame, ZermeloError
from zermelo.search.searcher import Searcher

_numbers = itertools.count(1)
_objects: dict[str, Any] = {}


#: A player that is a function of the state (or of a `PlayerView`) and of the clock.
MoveFunction: TypeAlias = Callable[[Any, Clock], Any]
#: What `match` and `play_tournament` take as a player.
PlayerLike: TypeAlias = str | Evaluation | Searcher | Player | MoveFunction


@contextmanager
def registered(players: Sequence[PlayerLike]) -> Iterator[list[str]]:
    """Context manager that gives the specs of players: a text is its own, an object is numbered until the end.

    Raises
    ------
    InputError
        One of them cannot be a player.
    """
    specs = []
    try:
        for player in players:
            if isinstance(player, str):
                specs.append(player)
                continue
            if isinstance(player, type) or not (isinstance(player, (Evaluation, Searcher, Player)) or callable(player)):
                raise InputError(
                    f"{player!r} cannot be a player; expected a spec such as 'engine:depth=6', an evaluation, an "
                    "engine, or a function (state, clock) -> move"
                )
            spec = f"object:{next(_numbers)}"
            _objects[spec] = player
            specs.append(spec)
        yield specs
    finally:
        for spec in specs:
            _objects.pop(spec, None)


def object_name(game: type[State], player: PlayerLike) -> str:
    """Return the name of a player in a table: of an evaluation the game's name for it, of a function its own."""
    if isinstance(player, str):
        return player
    if isinstance(player, Player):
        return getattr(player, "text", "") or type(player).__name__
    if isinstance(player, Evaluation):
        known = (name for name, each in game.evaluations.items() if each == player)
        return next(known, type(player).__name__)
    name: str = getattr(player, "__name__", type(player).__name__)
    return name if name.isprintable() else "function"


def registered_object(spec: str) -> Any:
    """Return the object of a spec.

    Raises
    ------
    UnknownGame
        The object belonged to another process, or to games that are over.
    """
    if spec not in _objects:
        raise UnknownGame(f"player {spec} was a Python object of a process that has ended; start a new match with it")
    return _objects[spec]


class FunctionPlayer(Player):
    """A function of the state and the clock. What it raises ends the match: it is a mistake to be mended."""

    def __init__(self, function: MoveFunction) -> None:
        self._function = function

    def new_game(self, setup: GameSetup) -> None:
        """Functions keep what they want to keep."""

    def choose(self, turn: Turn) -> PlayResult:
        state = turn.state
        seen: Any = state
        if not state.perfect_information:
            seen = PlayerView.of(state)
        try:
            move = self._function(seen, turn.clock)
        except ZermeloError:
            raise
        except Exception as error:
            frame = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{relpath(frame.filename)}:{frame.lineno}"
            raise ZermeloError(f"{where}: {object_name(type(state), self._function)} raised {error!r}") from error
        return PlayResult(move)
