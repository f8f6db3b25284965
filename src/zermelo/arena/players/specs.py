"""Players by a short text:

random                              any legal move
diff:3                              the books' alpha-beta with an evaluation to a depth, ties broken in move order
minimax:diff:3                      the same moves without pruning
shallow:diff:3                      again the same, with alpha-beta that has no deep cuts, as in lecture 004
sparing:diff:3                      moves as good, by as few boards as our ordering and table need
engine:seconds=0.1,evaluation=NAME  our engine; also depth=, nodes=, threads=, table=
human                               whoever sits at the terminal
uci:COMMAND                         a program from outside (engines.py)
gtp:COMMAND
python:FILE:FUNCTION                a function from outside (agents.py)
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from zermelo._util.text import did_you_mean, quoted
from zermelo.arena.players.player import GameSetup, Player, PlayResult, Turn
from zermelo.core.game import CHANCE, State
from zermelo.errors import LimitError, SearchTimeout, UnknownGame
from zermelo.sandbox.failure import ProgramFailure, Reason

if TYPE_CHECKING:
    from zermelo.search.engine import Limits

#: What the engine thinks for a move where nothing says how long.
SECONDS = 0.1
#: The engine's table in a match: large enough for such times, and cheap to begin anew with each game.
TABLE = "16M"
#: A move that may take no longer than its time is thought about for so much less.
_OVERHEAD = 0.01

_KINDS = ("random", "minimax", "alphabeta", "shallow", "sparing", "engine", "human", "uci", "gtp", "python")


def player_for(cls: type[State], text: str) -> Player:
    """The player that a text names, for a game. Raises `UnknownGame`, naming the near ones, and `LimitError`.

    Nothing is started or compiled before the player's first game.
    """
    kind, _, rest = text.partition(":")
    if kind == "random" and not rest:
        player: Player = RandomPlayer()
    elif kind == "human" and not rest:
        from zermelo.arena.players.human import HumanPlayer

        player = HumanPlayer()
    elif kind == "engine":
        player = EnginePlayer(cls, rest)
    elif kind in ("minimax", "alphabeta", "shallow", "sparing"):
        player = _textbook(cls, text, rest, kind)
    elif kind in ("uci", "gtp"):
        from zermelo.arena.players.engines import GtpPlayer, UciPlayer

        player = (UciPlayer if kind == "uci" else GtpPlayer)(cls, rest)
    elif kind == "python":
        from zermelo.arena.players.agents import PythonPlayer

        player = PythonPlayer(cls, rest)
    else:
        player = _textbook(cls, text, text, "alphabeta")
    player.text = text
    return player


def check_player(cls: type[State], text: str) -> None:
    """Raises what `player_for` would raise for a text, and for a game that no player of ours can play."""
    if not cls.perfect_information:
        raise UnknownGame(
            f"{cls.__name__} hides something from its players; the arena plays games in which all is in sight "
            "(see `zermelo equilibrium`)"
        )
    player_for(cls, text).close()


def _evaluation(cls: type[State], name: str, text: str) -> str:
    known = [*cls.evaluations, "nothing"]
    if name in known:
        return name
    meant = did_you_mean(text.partition(":")[0], [*_KINDS, *known], "")
    meant = f"; {meant}" if meant else "."
    raise UnknownGame(
        f"unknown player {quoted(text)}{meant} Players of {cls.__name__} are {', '.join(_KINDS)}, and with a depth, "
        f"as in {known[0]}:3, {', '.join(known)}"
    )


def _textbook(cls: type[State], text: str, rest: str, algorithm: str) -> Player:
    name, colon, depth = rest.rpartition(":")
    if not colon:
        name, depth = rest, ""
    _evaluation(cls, name, text)
    if not re.fullmatch(r"\d{1,3}", depth) or not 1 <= int(depth) <= 200:
        right = f"{text.rpartition(':')[0] if colon else text}:3"
        raise LimitError(f"player {quoted(text)} needs a depth from 1 to 200 plies, as in {right}")
    return TextbookPlayer(name, int(depth), algorithm)


class RandomPlayer(Player):
    """Any legal move, each as likely as the others."""

    def new_game(self, seat: GameSetup) -> None:
        self._random = random.Random(seat.seed)

    def choose(self, turn: Turn) -> PlayResult:
        return PlayResult(self._random.choice([*turn.state.moves()]))


class TextbookPlayer(Player):
    """The books' search to a fixed depth, compiled: of equally good moves the first. Chance is averaged over.

    Its depth is its own, whatever the clock says; it is stopped when nobody waits for its move any more, and has lost.
    """

    def __init__(self, evaluation: str, depth: int, algorithm: str) -> None:
        self.text = f"{algorithm}:{evaluation}:{depth}"
        self.evaluation = evaluation
        self.depth = depth
        self.algorithm = algorithm

    def new_game(self, seat: GameSetup) -> None:
        _search_once(seat.start, self._search)

    def choose(self, turn: Turn) -> PlayResult:
        clock = turn.clock
        try:
            found = self._search(turn, seconds=clock.deadline)
        except SearchTimeout as error:
            raise ProgramFailure(
                Reason.HANG if clock.limit is None else Reason.OUT_OF_TIME, f"{self.text}: {error}"
            ) from None
        assert found.move >= 0
        return found

    def _search(self, turn: Turn, depth: int = 0, seconds: float | None = None) -> PlayResult:
        from zermelo.search.compiled_textbook import compiled_textbook

        algorithm = self.algorithm
        if turn.state.has_chance:
            algorithm = {"minimax": "expectiminimax", "alphabeta": "star1", "shallow": "star1"}.get(
                algorithm, algorithm
            )
        found = compiled_textbook(turn.state, depth or self.depth, self.evaluation, algorithm, turn.past or (), seconds)
        return PlayResult(-1 if found.best is None else found.best, found.nodes, self.depth, found.value)


@dataclass(frozen=True)
class _Settings:
    """What `engine:` can be told."""

    depth: int | None = None
    nodes: int | None = None
    seconds: float | None = None
    evaluation: str | None = None
    threads: int = 1
    table: str = TABLE


class EnginePlayer(Player):
    """Zermelo's engine, to the limits of its own text and to those of the match, whichever come first.

    Each game begins with an empty table, so that a game to a depth or a number of nodes can be played again.
    """

    def __init__(self, cls: type[State], text: str) -> None:
        from zermelo.search.engine import Engine, Limits

        self._settings = settings = _settings(cls, text)
        Limits(settings.depth, settings.seconds, settings.nodes)
        self._engine = Engine(settings.table, settings.threads)

    def new_game(self, seat: GameSetup) -> None:
        from zermelo.search.engine import Engine

        _search_once(seat.start, self._search)
        self._engine = Engine(self._settings.table, self._settings.threads)

    def choose(self, turn: Turn) -> PlayResult:
        return self._search(turn)

    def _search(self, turn: Turn, depth: int = 0) -> PlayResult:
        from zermelo.search.engine import Limits

        limits = Limits(depth) if depth else self._limits(turn)
        *_, found = self._engine.search(turn.state, limits, self._settings.evaluation, 1, turn.past or ())
        if found.reason == "interrupted":  # by Ctrl-C, which is not for this move alone
            raise KeyboardInterrupt
        return PlayResult(-1 if found.move is None else found.move, found.nodes, found.depth, found.score)

    def _limits(self, turn: Turn) -> Limits:
        from zermelo.search.engine import Limits
        from zermelo.search.timing import seconds_for

        own, control, clock = self._settings, turn.clock.control, turn.clock
        depth = min((each for each in (own.depth, control.depth) if each), default=None)
        nodes = min((each for each in (own.nodes, control.nodes) if each), default=None)
        times = [own.seconds] if own.seconds else []
        if control.seconds:
            times.append(control.seconds - min(max(_OVERHEAD - control.margin, 0), control.seconds / 2))
        enough = None
        if clock.left is not None:
            budget = seconds_for(clock.left, control.increment, clock.moves_to_go)
            times.append(budget.hard)
            enough = budget.soft
        if not times and depth is None and nodes is None:
            times.append(SECONDS)
        return Limits(depth, min(times, default=None), nodes, enough=enough)


def _settings(cls: type[State], text: str) -> _Settings:
    given: dict[str, str | int | float] = {}
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        if name not in _Settings.__dataclass_fields__ or not equals or name in given:
            meant = did_you_mean(
                f"{name}=", (f"{each}=" for each in _Settings.__dataclass_fields__ if each not in given), ""
            )
            raise LimitError(
                f"engine: {quoted(part)} is none of {'=, '.join(_Settings.__dataclass_fields__)}=, each once"
                + (meant and f"; {meant}")
            )
        try:
            given[name] = {"depth": int, "nodes": int, "seconds": float, "threads": int}.get(name, str)(value)
        except ValueError:
            raise LimitError(f"engine: {quoted(value)} in {quoted(part)} is no number") from None
    settings = _Settings(**given)  # type: ignore[arg-type]
    if settings.evaluation is not None:
        _evaluation(cls, settings.evaluation, settings.evaluation)
    return settings


def _search_once(start: State, search: Callable[[Turn, int], PlayResult]) -> None:
    """One ply, so that what has to be compiled or loaded is there before the clock runs."""
    from zermelo.arena.players.clock import Clock, TimeControl

    while not start.is_over() and start.to_move() == CHANCE:
        start = start.play(start.legal_moves()[0])
    if not start.is_over():
        search(Turn(start, (), (), Clock.of(TimeControl())), 1)
